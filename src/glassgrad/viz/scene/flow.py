"""How much gradient went along each edge, as the width and the shade of its arrow.

The scale is log₁₀ of the 2-norm, from the smallest to the largest in the picture, in six steps.
"""

import math
from collections.abc import Iterable

from glassgrad.tracing.events import Trace

__all__ = ["STEPS", "flow_range", "flows_of", "norm_of", "scale_of", "step_of", "strength"]

STEPS = 6


def flows_of(trace: Trace) -> dict[str, str]:
    """For each edge that the pass went along ("e3-0"): "0" to "5", "zero" or "nan".

    Example:
        >>> nodes = [{"id": "n0", "op": "NegBackward0", "seq": 0, "edges": []}]
        >>> flows_of(Trace({"nodes": nodes, "leaves": []}))
        {}
    """
    norms = _norms(trace)
    low, high, _ = scale_of(norms.values())
    return {edge: step_of(norm, low, high) for edge, norm in norms.items()}


def flow_range(trace: Trace) -> str:
    """The smallest and the largest norm in the picture, in words; empty before the pass."""
    norms = _norms(trace)
    return scale_of(norms.values())[2] if norms else ""


def scale_of(norms: Iterable[float]) -> tuple[float, float, str]:
    """log₁₀ of the smallest and the largest norm above zero, and the two in words."""
    logs = [math.log10(norm) for norm in norms if norm > 0]
    low, high = (min(logs), max(logs)) if logs else (0.0, 0.0)
    return low, high, f"‖gradient‖ from {10**low:.2g} to {10**high:.2g}"


def strength(flow: str) -> int:
    """Which of two flows an arc shows that stands for both: the larger, and a nan before all.

    Example:
        >>> sorted(["nan", "0", "", "5", "zero"], key=strength)
        ['', 'zero', '0', '5', 'nan']
    """
    return int(flow) if flow.isdigit() else {"": -2, "zero": -1, "nan": STEPS}[flow]


def _norms(trace: Trace) -> dict[str, float]:
    """The norm of the gradient that each edge carried; nan where it held one."""
    norms: dict[str, float] = {}
    accumulators = {leaf["id"]: leaf["acc"] for leaf in trace.leaves}
    for event in trace.events:
        if event["type"] == "apply":
            for index, array in enumerate(event["grad_out"]):
                if array is not None:
                    norms[f"e{event['node'][1:]}-{index}"] = norm_of(trace, array)
            for output in trace.outputs:
                if output["node"] == event["node"] and event["grad_in"][output["slot"]]:
                    given = event["grad_in"][output["slot"]]
                    norms[f"r{output['id'][1:]}"] = norm_of(trace, given)
        elif event["type"] == "accumulate" and event["grad"] is not None:
            accumulator = accumulators.get(event["tensor"])
            if accumulator is not None:
                norms[f"e{accumulator[1:]}-0"] = norm_of(trace, event["grad"])
    return norms


def norm_of(trace: Trace, array: str) -> float:
    """The norm of an array of a trace; nan where it holds a nan or an inf."""
    summary = trace.arrays[array]
    if summary.get("nan") or summary.get("inf") or summary["norm"] is None:
        return math.nan
    return float(summary["norm"])


def step_of(norm: float, low: float, high: float) -> str:
    """The step of a norm on a scale from 10**low to 10**high."""
    if math.isnan(norm):
        return "nan"
    if norm == 0:
        return "zero"
    share = (math.log10(norm) - low) / (high - low) if high > low else 1.0
    return str(min(int(share * STEPS), STEPS - 1))
