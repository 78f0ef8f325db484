"""What a pass left behind, read from its events: gradients, what was freed, what went wrong."""

from typing import Any

from glassgrad.tracing.events import Trace

__all__ = ["bad_nodes", "results_of", "stale_of"]


def results_of(trace: Trace) -> tuple[dict[str, Any], dict[str, Any], set[str]]:
    """Gradients by node, `.grad` by tensor, and the nodes that let go of what they saved."""
    gradients, final = {}, {}
    freed = {node["id"] for node in trace.nodes if node.get("freed")}
    given_out = _given_out(trace)
    for event in trace.events:
        if event["type"] == "apply":
            gradients[event["node"]] = event["grad_in"]
        elif event["type"] == "accumulate" and event["grad"] is not None:
            final[event["tensor"]] = event["grad"]
        elif event["type"] == "buffer" and event["node"] in given_out and event.get("grad"):
            final[given_out[event["node"]]] = event["grad"]
        elif event["type"] == "free_saved":
            freed.add(event["node"])
    return gradients, final, freed


def _given_out(trace: Trace) -> dict[str, str]:
    """The leaves whose gradients were asked for and not added to `.grad`, by their nodes."""
    wanted = set(trace.graph.get("wanted", ()))
    return {leaf["acc"]: leaf["id"] for leaf in trace.leaves if leaf["acc"] in wanted}


def bad_nodes(trace: Trace) -> dict[str, str]:
    """Nodes on which something went wrong, and what: a stale saved tensor, a NaN, an exception."""
    spoiled = {name for name, array in trace.arrays.items() if array.get("nan")}
    bad = {}
    for event in trace.events if spoiled else trace.events[-1:]:
        if event["type"] == "apply":
            if not spoiled.isdisjoint(event["grad_out"]) and spoiled.isdisjoint(event["grad_in"]):
                bad[event["node"]] = "NaN"
        elif event["type"] == "error" and "node" in event:  # else the seed was at fault
            bad[event["node"]] = "failed"
    return bad | {node: words for (node, _), words in stale_of(trace).items()}


def stale_of(trace: Trace) -> dict[tuple[str, str], str]:
    """What was written to since it was saved: by node and name of the saved tensor, `v1≠v0`."""
    stale = {}
    for node in trace.nodes:
        for saved in node.get("saved", ()):
            if saved.get("now", saved["version"]) != saved["version"]:
                stale[node["id"], saved["name"]] = f"v{saved['now']}≠v{saved['version']}"
    for event in trace.events:
        if event["type"] == "unpack" and event["version"][0] != event["version"][1]:
            stale[event["node"], event["saved"]] = f"v{event['version'][1]}≠v{event['version'][0]}"
        elif event["type"] == "error" and "node" in event and event.get("saved"):
            stale.setdefault((event["node"], event["saved"]), "stale")
    return stale
