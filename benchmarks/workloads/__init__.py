"""The workloads: one idea per file, each a `measure(effort)` that returns an `Outcome`."""
