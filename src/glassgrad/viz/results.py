"""What a pass left behind, read from its events: gradients, what was freed, what went wrong."""

import math
from typing import TypeVar

from glassgrad.tracing.events import Trace
from glassgrad.tracing.graph import Entry

STEPS = 6  # of the scale of gradients
FLOWS = ("", "zero", "0", "1", "2", "3", "4", "5", "nan")  # what an arc shows, strongest last

Key = TypeVar("Key")
Arrays = list[str | None]


class Parts:
    """The parts of a trace.

    Attributes:
        nodes, leaf: the entries of nodes, and of leaves, by id.
        leaf_of: each leaf by its AccumulateGrad.
    """

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.nodes = {node["id"]: node for node in trace.nodes}
        self.leaf = {leaf["id"]: leaf for leaf in trace.leaves}
        self.leaf_of = {leaf["acc"]: leaf for leaf in trace.leaves}


class Results(Parts):
    """What is written and marked in a picture of `trace`.

    Attributes:
        turns: the turn of each node that ran, from 1.
        gradients: what came to each node that ran, one array per output slot.
        returned: what its rule made of it, one array per edge.
        final: the `.grad` of each tensor, or what was given out instead of it.
        freed: the nodes that let go of what they saved.
        stale: what was written to since it was saved ("v1≠v0"), by node and name there.
        bad: nodes on which something went wrong, and what: that, a NaN, or an exception.
        failure: the event with which the pass ended, if it ended by an exception.
    """

    def __init__(self, trace: Trace) -> None:
        super().__init__(trace)
        self.turns = {node: turn for turn, node in enumerate(trace.schedule(), 1)}
        self.wanted = set(trace.graph.get("wanted", ()))  # given out, and not added to .grad
        nans = {name for name, array in trace.arrays.items() if array.get("nan")}
        infs = {name for name, array in trace.arrays.items() if array.get("inf")} - nans
        spoiled = nans | infs
        self.gradients: dict[str, Arrays] = {}
        self.returned: dict[str, Arrays] = {}
        self.final = {leaf: grad for leaf, grad in trace.grads().items() if grad is not None}
        self.freed = {node["id"] for node in trace.nodes if node.get("freed")}
        self.stale = {  # before the pass began
            (node["id"], saved["name"]): f"v{saved['now']}≠v{saved['version']}"
            for node in trace.nodes
            for saved in node.get("saved", ())
            if saved.get("now", saved["version"]) != saved["version"]
        }
        self.bad: dict[str, str] = {}
        self.failure: Entry | None = None
        for event in trace.events:
            match event:
                case {"type": "apply", "node": node, "grad_in": given, "grad_out": made}:
                    self.gradients[node], self.returned[node] = given, made
                    if nans.isdisjoint(given) and nans.intersection(made):
                        self.bad[node] = "NaN"
                    elif spoiled.isdisjoint(given) and infs.intersection(made):
                        self.bad[node] = "inf"
                case {"type": "buffer", "node": node, "grad": str(grad)} if node in self.wanted:
                    self.final[self.leaf_of[node]["id"]] = grad
                case {"type": "free_saved", "node": node}:
                    self.freed.add(node)
                case {"type": "unpack", "node": node, "saved": saved, "version": [then, now]}:
                    if then != now:
                        self.stale[node, saved] = f"v{now}≠v{then}"
                case {"type": "error"}:
                    self.failure = event
                    if "node" in event:  # else the seed was at fault
                        self.bad[event["node"]] = "failed"
                        if event.get("saved"):
                            self.stale.setdefault((event["node"], event["saved"]), "stale")
        self.bad |= {node: words for (node, _), words in self.stale.items()}

    def norm(self, array: str) -> float:
        """The norm of an array of the trace; nan where it holds a nan or an inf."""
        summary = self.trace.arrays[array]
        if summary.get("nan") or summary.get("inf") or summary["norm"] is None:
            return math.nan
        return float(summary["norm"])

    def flows(self) -> tuple[dict[str, str], str]:
        """For each edge that the pass went along ("e3-0") its step, and the range of all in words.

        Example:
            >>> nodes = [{"id": "n0", "op": "NegBackward0", "seq": 0, "edges": []}]
            >>> Results(Trace({"nodes": nodes, "leaves": []})).flows()
            ({}, '')
        """
        carried: dict[str, str | None] = {}
        for node, arrays in self.returned.items():
            carried |= {f"e{node[1:]}-{index}": array for index, array in enumerate(arrays)}
        for output in self.trace.outputs:
            if given := self.gradients.get(output["node"]):
                carried[f"r{output['id'][1:]}"] = given[output["slot"]]
        for name, leaf in self.leaf_of.items():
            if name not in self.wanted:  # that AccumulateGrad did not run
                carried[f"e{name[1:]}-0"] = self.final.get(leaf["id"])
        return steps_of({edge: self.norm(array) for edge, array in carried.items() if array})


# --- how much gradient went along each edge ------------------------------------------------------


def steps_of(norms: dict[Key, float]) -> tuple[dict[Key, str], str]:
    """The step of each 2-norm on a scale of their log₁₀, and what that ranges over, in words.

    Returns:
        "0" for the smallest up to "5" for the largest, "zero" or "nan"; and an empty text if there
        are no norms.

    Example:
        >>> steps_of({"e1-0": 1.0, "e2-0": 0.0, "e3-0": 100.0})
        ({'e1-0': '0', 'e2-0': 'zero', 'e3-0': '5'}, '‖gradient‖ from 1 to 1e+02')
    """
    logs = {key: math.log10(norm) for key, norm in norms.items() if norm > 0}
    low, high = min(logs.values(), default=0.0), max(logs.values(), default=0.0)
    steps = {key: "nan" if math.isnan(norm) else "zero" for key, norm in norms.items()}
    for key, log in logs.items():
        share = (log - low) / (high - low) if high > low else 1.0
        steps[key] = str(min(int(share * STEPS), STEPS - 1))
    return steps, f"‖gradient‖ from {10**low:.2g} to {10**high:.2g}" if norms else ""
