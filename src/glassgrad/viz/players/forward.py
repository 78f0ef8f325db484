"""The forward pass in a player: a step for each op, before those of the backward pass.

A tape keeps what its rules need, and no more. So the value of an op is read wherever it can still
be found while the graph is there: where a rule saved it, in a tensor that somebody holds, in what a
later op saved of its operands, or by running the op again on values that are known. Of the others
the player shows the shape. Of a trace alone it knows what that has: outputs, saved results,
operands that were saved, and tensors that retain their gradient.
"""

import gc
from collections.abc import Iterator
from typing import Any

from glassgrad._words import shape_text
from glassgrad.core import state
from glassgrad.core.errors import ArgumentError
from glassgrad.core.graph import GradientEdge, Node
from glassgrad.core.tensor import Tensor
from glassgrad.tracing.events import Trace
from glassgrad.tracing.graph import Entry, Graph
from glassgrad.tracing.summary import numbers, summarize
from glassgrad.viz.explaining.checking import outputs_of_nodes
from glassgrad.viz.scene.graph import MEDIUM
from glassgrad.viz.wording import array_text, op_word, tensor_name

OPERAND = {"self": 0, "input": 0, "other": 1, "mat2": 1}  # names whose place PyTorch has settled

Values = dict[str, Entry]  # of each op the value, as an entry of `arrays`, by the id of its node


def ops_of(trace: Trace) -> list[Entry]:
    """The nodes that stand for an op of the forward pass, in the order of the program.

    Raises:
        ArgumentError: if there are too many to be drawn face to face.
    """
    nodes = [node for node in trace.nodes if "origin" not in node]
    if len(nodes) > MEDIUM:
        raise ArgumentError(
            f"forward=True was asked of a graph of {len(nodes):,} nodes. Forward and backward face "
            f"to face can be read up to {MEDIUM} nodes. Leave `forward` out, or play a smaller "
            "part: the loss of one layer, of one step."
        )
    return [node for node in nodes if node["op"] != "AccumulateGrad"]


# Values ------------------------------------------------------------------------------------------


def values_behind(graph: Graph) -> Values:
    """The values of the ops of a graph that is still there."""
    found: dict[Any, Any] = {**outputs_of_nodes(graph.nodes)}
    # Whoever holds a tensor has its value: nothing need be run for it.
    for tensor in _held():
        node = graph.node_of(tensor)
        # It may have been written since, which no node tells of under no_grad.
        is_stale = tensor._version and node is not None and state.last_write > node.seq
        if node in graph.node and tensor.output_nr == 0 and not is_stale:
            found[node] = tensor
    return {
        graph.node[node]: summarize(numbers(value))
        for node, value in found.items()
        if not hasattr(node, "_level")  # a transform's own: what it holds is no tensor's value
    }


def _held() -> Iterator[Tensor]:
    """All tensors of the program that some op made."""
    for each in gc.get_objects():
        # Not its `grad_fn`: of a view whose base was written, that would make a node.
        if issubclass(type(each), Tensor) and isinstance(each.edge, (Node, GradientEdge)):
            yield each


def values_in(trace: Trace) -> Values:
    """The same of a trace, as far as it has them."""
    found: dict[str, str | None] = {}
    shapes = {node["id"]: node.get("shape") for node in trace.nodes}
    for node in trace.nodes:
        for saved in node.get("saved", ()):
            edges, place = node["edges"], OPERAND.get(saved["name"])
            if saved.get("now", saved.get("version")) != saved.get("version"):
                continue  # it was written since
            maker = edges[place] if place is not None and place < len(edges) else None
            if saved["name"] == "result":
                found[node["id"]] = saved.get("array")
            elif maker and maker["slot"] == 0 and shapes.get(maker["to"]) == saved.get("shape"):
                found.setdefault(maker["to"], saved.get("array"))
        for kept in node.get("retains", ()):
            if kept["slot"] == 0:
                found[node["id"]] = kept.get("array")
    for output in trace.outputs:
        if output["slot"] == 0:
            found[output["node"]] = output.get("array")
    arrays, ops = trace.arrays, {node["id"] for node in ops_of(trace)}
    return {id: arrays[array] for id, array in found.items() if id in ops and array in arrays}


def in_words(values: Values) -> dict[str, str]:
    """The values, as boxes show them."""
    return {id: array_text(array) for id, array in values.items()}


# Steps -------------------------------------------------------------------------------------------


def with_forward(data: Entry, trace: Trace, values: Values) -> Entry:
    """The data of a player whose first events are those of the forward pass.

    There is one of type `forward` for each op, {"node", "value"}, and `turn` behind the last.
    """
    ops, words = ops_of(trace), in_words(values)
    lines = {node: line for line in data["lines"] for node in line["nodes"]}
    events, said = [], []
    for node in ops:
        id = node["id"]
        events.append({"type": "forward", "node": id, "value": words.get(id)})
        said.append(_sentence(node, words.get(id), lines.get(id)))
    events.append({"type": "turn"})
    said.append(_turning(trace))
    questions = data.get("predict", {}).get("questions", [])
    asked = [{**question, "at": question["at"] + len(events)} for question in questions]
    data |= {"events": [*events, *data["events"]], "said": [*said, *data["said"]]}
    data["begin"] = _beginning(trace)
    return data | ({"predict": {"questions": asked}} if "predict" in data else {})


def _sentence(node: Entry, value: str | None, line: Entry | None) -> str:
    """What an op did."""
    where = f"Line {line['line']}: " if line and line["line"] else ""
    call = f"{where}{op_word(node)}"
    if value is not None:
        return f"{call} gave {value}."
    shape = f" of shape {shape_text(node['shape'])}" if "shape" in node else ""
    return f"{call} gave a tensor{shape}, whose value nobody has kept."


def _beginning(trace: Trace) -> str:
    names = list(map(tensor_name, trace.leaves))
    few = ", ".join(names[:4] + ["…"] * (len(names) > 4))
    return f"Forward begins{f' with {few}' if few else ''}. Press → to step."


def _turning(trace: Trace) -> str:
    names = ", ".join(map(tensor_name, trace.outputs))
    start = f", from {names}" if names else ""
    return f"The forward pass is over. Now the gradients come back{start}."
