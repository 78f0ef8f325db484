"""What the parts of a trace say of one another: does that fit, as in the trace of a pass?

The schema says what a field may hold, and every id has been found by now. All views rely on the
rest: that an array has as many elements as its shape says, that a gradient goes along an edge there
is. A document that breaks it is refused where it is read, not in the middle of a picture.
"""

import math
import sys
from collections.abc import Sequence
from typing import Any

from glassgrad.tracing.graph import Entry

LARGEST = 2**63 - 1  # of a count; JSON knows any
LARGEST_FLOAT = sys.float_info.max
MOST_DIMS = 64  # NumPy's
DEEPEST = 20  # a pass inside of a pass, and so on


def misfit(document: Entry) -> str | None:
    """The first thing in a document that is in no trace of a pass, as "where: what"."""
    graph = document["graph"]
    for name, array in document["arrays"].items():
        if wrong := _wrong_array(array):
            return f"arrays.{name}{wrong}"
    nodes = {node["id"]: node for node in graph["nodes"]}
    slots = dict.fromkeys(nodes, 1)  # how many outputs a node has, as far as that is told
    leads = [edge for node in graph["nodes"] for edge in node["edges"] if edge["to"] is not None]
    leads += [{"to": output["node"], "slot": output["slot"]} for output in graph.get("outputs", ())]
    for edge in leads:
        slots[edge["to"]] = max(slots[edge["to"]], edge["slot"] + 1)
    if wrong := _wrong_graph(graph, nodes):
        return wrong
    for index, event in enumerate(document["events"]):
        if event["type"] in ("apply", "buffer") and (wrong := _wrong_event(event, nodes, slots)):
            return f"events[{index}]{wrong}"
    return None


def _wrong_graph(graph: Entry, nodes: dict[str, Entry]) -> str | None:
    """The first thing that is wrong with leaves, checkpoints and what was wanted."""
    known: set[str | None] = {None}
    for index, call in enumerate(graph.get("checkpoints", ())):
        if call.get("inside") not in known:
            return f"graph.checkpoints[{index}].inside: {call['inside']} is none before it"
        known.add(call["id"])
    free = {name for name, node in nodes.items() if node["op"] == "AccumulateGrad"}
    for index, leaf in enumerate(graph["leaves"]):
        if leaf["acc"] not in free:
            return f"graph.leaves[{index}].acc: {leaf['acc']} is no AccumulateGrad of its own"
        free.remove(leaf["acc"])
    leaves = {leaf["id"] for leaf in graph["leaves"]}
    for index, node in enumerate(graph["nodes"]):
        if node["op"] == "AccumulateGrad" and (node["edges"] or node.get("saved")):
            return f"graph.nodes[{index}]: an AccumulateGrad has no edges, and saves nothing"
        for kept in (*node.get("saved", ()), *node.get("packed", ())):
            if not leaves.issuperset(kept[key] for key in ("leaf", "owner") if key in kept):
                return f"graph.nodes[{index}]: what it saved as {kept['name']!r} is of no leaf"
    if free:
        return f"graph.leaves: there is none of the AccumulateGrad {min(free)}"
    wrong = (name for name in graph.get("wanted", ()) if name not in nodes)
    return next((f"graph.wanted: {name} is not in the graph" for name in wrong), None)


def _wrong_array(array: Entry) -> str | None:
    shape = (*array.get("batch", ()), *array["shape"])
    if len(shape) > MOST_DIMS or (size := math.prod(shape)) > LARGEST:
        return f".shape: no array has the shape {str(shape)[:40]}"
    for name in ("head", "values"):
        count = len(array.get(name, ()))
        if count > size or (name == "values" and name in array and count < size):
            return f".{name}: {count} elements of an array of {size}"
    for name in ("min", "max", "norm"):
        if isinstance(array[name], str) or not _are_numbers((array[name],)):
            return f".{name}: {str(array[name])[:40]!r} is no number"
    for name in ("head", "values"):
        if name in array and not _are_numbers(array[name]):
            return f".{name}: one of its elements is no number"
    return None


def _are_numbers(values: Sequence[Any]) -> bool:
    """Whether a summary may have them: numbers that are finite, or a word that stands for one."""
    for value in values:
        if isinstance(value, str):
            try:
                complex(value)
            except ValueError:
                return False
        elif value is not None and not -LARGEST_FLOAT <= value <= LARGEST_FLOAT:
            return False
    return True


def _wrong_event(event: Entry, nodes: dict[str, Entry], slots: dict[str, int]) -> str | None:
    name = event.get("node", "")
    edges = nodes[name]["edges"] if name in nodes else ()
    if event["type"] == "apply":
        if len(event["grad_in"]) < slots[name]:
            return f".grad_in: {name} has at least {slots[name]} outputs"
        if len(event["grad_out"]) != len(edges):
            return f".grad_out: {name} has {len(edges)} edges"
    if "edge" in event:
        start, _, at = event["edge"][1:].partition("-")
        begin = nodes.get(f"n{start}")  # of a part that was cut out it may be elsewhere
        goals = {None, name} if begin is None else {e["to"] for e in begin["edges"][int(at) :][:1]}
        if goals.isdisjoint((None, name)):
            return f".edge: no edge {event['edge']} leads to {name}"
    return None
