"""What a pass left behind, read from its events: gradients, what was freed, what went wrong."""

from typing import Any

from glassgrad.tracing.events import Trace

__all__ = ["bad_nodes", "results_of"]


def results_of(trace: Trace) -> tuple[dict[str, Any], dict[str, Any], set[str]]:
    """Gradients by node, `.grad` by tensor, and the nodes that let go of what they saved."""
    gradients, final = {}, {}
    freed = {node["id"] for node in trace.nodes if node.get("freed")}
    for event in trace.events:
        if event["type"] == "apply":
            gradients[event["node"]] = event["grad_in"]
        elif event["type"] == "accumulate" and event["grad"] is not None:
            final[event["tensor"]] = event["grad"]
        elif event["type"] == "free_saved":
            freed.add(event["node"])
    return gradients, final, freed


def bad_nodes(trace: Trace) -> dict[str, str]:
    """Nodes on which something went wrong: a stale saved tensor, or a NaN of their making."""
    bad = {}
    for event in trace.events:
        if event["type"] == "unpack" and event["version"][0] != event["version"][1]:
            bad[event["node"]] = f"v{event['version'][1]}≠v{event['version'][0]}"
        elif event["type"] == "apply" and _makes_nan(trace, event):
            bad[event["node"]] = "NaN"
    return bad


def _makes_nan(trace: Trace, event: dict[str, Any]) -> bool:
    def any_nan(ids: list[str | None]) -> bool:
        return any(trace.arrays[each].get("nan") for each in ids if each is not None)

    return any_nan(event["grad_out"]) and not any_nan(event["grad_in"])
