"""How much gradient went along each edge, as the width and the shade of its arrow.

The scale is log₁₀ of the 2-norm, from the smallest to the largest in the picture, in six steps.
"""

import math

from glassgrad.tracing.events import Trace

__all__ = ["STEPS", "flow_range", "flows_of"]

STEPS = 6


def flows_of(trace: Trace) -> dict[str, str]:
    """For each edge that the pass went along ("e3-0"): "0" to "5", "zero" or "nan".

    Example:
        >>> nodes = [{"id": "n0", "op": "NegBackward0", "seq": 0, "edges": []}]
        >>> flows_of(Trace({"nodes": nodes, "leaves": []}))
        {}
    """
    norms = _norms(trace)
    low, high = _bounds(norms)
    return {edge: _step(norm, low, high) for edge, norm in norms.items()}


def flow_range(trace: Trace) -> str:
    """The smallest and the largest norm in the picture, in words; empty before the pass."""
    norms = _norms(trace)
    if not norms:
        return ""
    low, high = _bounds(norms)
    return f"‖gradient‖ from {10**low:.2g} to {10**high:.2g}"


def _norms(trace: Trace) -> dict[str, float]:
    """The norm of the gradient that each edge carried; nan where it held one."""
    norms: dict[str, float] = {}
    accumulators = {leaf["id"]: leaf["acc"] for leaf in trace.leaves}
    for event in trace.events:
        if event["type"] == "apply":
            for index, array in enumerate(event["grad_out"]):
                if array is not None:
                    norms[f"e{event['node'][1:]}-{index}"] = _norm(trace, array)
            for output in trace.outputs:
                if output["node"] == event["node"] and event["grad_in"][output["slot"]]:
                    given = event["grad_in"][output["slot"]]
                    norms[f"r{output['id'][1:]}"] = _norm(trace, given)
        elif event["type"] == "accumulate" and event["grad"] is not None:
            accumulator = accumulators.get(event["tensor"])
            if accumulator is not None:
                norms[f"e{accumulator[1:]}-0"] = _norm(trace, event["grad"])
    return norms


def _norm(trace: Trace, array: str) -> float:
    summary = trace.arrays[array]
    if summary.get("nan") or summary.get("inf") or summary["norm"] is None:
        return math.nan
    return float(summary["norm"])


def _bounds(norms: dict[str, float]) -> tuple[float, float]:
    logs = [math.log10(norm) for norm in norms.values() if norm > 0]
    return (min(logs), max(logs)) if logs else (0.0, 0.0)


def _step(norm: float, low: float, high: float) -> str:
    if math.isnan(norm):
        return "nan"
    if norm == 0:
        return "zero"
    share = (math.log10(norm) - low) / (high - low) if high > low else 1.0
    return str(min(int(share * STEPS), STEPS - 1))
