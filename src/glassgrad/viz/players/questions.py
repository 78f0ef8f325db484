"""What a player asks in its predict mode: questions about the gradients of a recorded pass.

Each question stands before an event that would tell its answer, and the page goes no further until
it is answered. What is asked follows from the trace alone, so that a teacher can tell it before:

a number, a vector, a matrix    what a rule sends along an edge, of up to 12 elements
a shape                         of larger gradients; and in place of every second question for a
                                vector or a matrix
a sum                           where several gradients have met
the node that runs next         where several are ready (two AccumulateGrad run in either order)
"""

from collections import Counter
from collections.abc import Iterable
from math import prod
from typing import Any

from glassgrad._words import nested, number_text, plain, shape_text
from glassgrad.core.errors import ArgumentError, ArgumentTypeError
from glassgrad.core.graph import GradientEdge, Node, ends
from glassgrad.core.tensor import Tensor
from glassgrad.tracing.events import Trace
from glassgrad.tracing.graph import Entry, Graph, rank_of
from glassgrad.viz.scene.graph import CROWD
from glassgrad.viz.wording import Narrator, array_text, tensor_name

MOST = 12  # elements that a student types
KINDS = {"ready", "buffer", "apply", "accumulate", "unpack", "free_saved", "pre_hook", "post_hook"}
SHORT = 20  # characters of a gradient that a question repeats
SUMMED = "What was broadcast on the way forward is summed on the way back."
SUM = "Gradients that meet are added, number by number."
ORDER = (
    "Of the nodes that are ready, an AccumulateGrad comes first. "
    "Of the others it is the one that was made last, the highest n."
)


# Who asks ----------------------------------------------------------------------------------------


def asking(predict: Any, trace: Trace, graph: Graph | None = None) -> tuple[set[str], set[str]]:
    """The nodes that a teacher has marked.

    Args:
        predict: True for all; or a name, an id, a node, a tensor, or several of these.
        trace: the pass.
        graph: that of its tensors, while they are there.

    Returns:
        The ids of the nodes that are asked what they send, and of those that are asked what comes
        to them: of a tensor, and of an AccumulateGrad, it is the gradient that arrives.

    Raises:
        ArgumentError: for a name that is not in the pass, with those that are.
        ArgumentTypeError: for what is no mark of a node.
    """
    if predict is True:
        every = {node["id"] for node in trace.nodes}
        return every, every
    is_one = isinstance(predict, (str, Tensor, Node, GradientEdge))
    if not is_one and not isinstance(predict, Iterable):
        raise _no_mark(predict)
    sending, getting = set[str](), set[str]()
    for each in [predict] if is_one else predict:
        if isinstance(each, str):
            nodes, tensors = _named(each, trace)
        elif isinstance(each, (Tensor, Node, GradientEdge)):
            nodes, tensors = _given(each, trace, graph)
        else:
            raise _no_mark(each)
        sending |= nodes
        getting |= tensors
    adding = {node["id"] for node in trace.nodes if node["op"] == "AccumulateGrad"}
    return sending, getting | (sending & adding)


def _named(name: str, trace: Trace) -> tuple[set[str], set[str]]:
    """The nodes called so, by op or id; and those where the gradient of a tensor so called ends."""
    nodes = {node["id"] for node in trace.nodes if name in (node["op"], node["id"])}
    tensors = {leaf["acc"] for leaf in trace.leaves if name in (leaf["name"], leaf["id"])}
    tensors |= {each["node"] for each in trace.outputs if name in (each["name"], each["id"])}
    tensors |= {
        node["id"]
        for node in trace.nodes
        if any(name == kept["name"] for kept in node.get("retains", ()))
    }
    if not nodes and not tensors:
        ops = _few(node["op"] for node in trace.nodes)
        named = _few(each["name"] for each in (*trace.leaves, *trace.outputs) if each["name"])
        known = f"the ops {ops}" + (f"; the tensors {named}" if named else "")
        raise ArgumentError(
            f"predict={[name]!r} marks nothing: this pass has no such op, node or tensor. "
            f"It has {known}; and the nodes n0 to n{len(trace.nodes) - 1}. "
            "Write one of these, or `predict=True` for all."
        )
    return nodes, tensors


def _few(names: Iterable[str]) -> str:
    found = [repr(plain(name, 60)) for name in dict.fromkeys(names)]
    return ", ".join([*found[:12], "…"] if len(found) > 12 else found)


def _given(what: Any, trace: Trace, graph: Graph | None) -> tuple[set[str], set[str]]:
    """The same of a node or a tensor itself."""
    if graph is None:
        ops = _few(node["op"] for node in trace.nodes)
        raise ArgumentError(
            f"predict= was given a {type(what).__name__} for a pass that is recorded already. A "
            "recorded pass knows its parts by name, and no tensors. Write the name of an op "
            f"({ops}), of a tensor, or an id like 'n3'; or give `player` the loss."
        )
    is_node = isinstance(what, Node)
    node = what if is_node else None
    if isinstance(what, Tensor) and what.requires_grad:
        node = graph.node_of(what)
    elif isinstance(what, GradientEdge):
        node = ends(what)[0]
    if node is None or node not in graph.node:
        ops = _few(each["op"] for each in trace.nodes)
        raise ArgumentError(
            f"predict= was given a {type(what).__name__} that is no part of this pass. Only what "
            f"the loss was computed from has a gradient in it. It has the ops {ops}. "
            "Write one of these, or `predict=True` for all."
        )
    found = {graph.node[node]}
    return (found, set()) if is_node else (set(), found)


def _no_mark(what: Any) -> ArgumentTypeError:
    return ArgumentTypeError(
        f"predict= was given a {type(what).__name__}. It marks nodes: by the name of an op or a "
        'tensor, by an id, or by themselves. Write `predict=["MulBackward0"]`, or `predict=True`.'
    )


# What they ask -----------------------------------------------------------------------------------


def questions(trace: Trace, marked: tuple[set[str], set[str]], events: list[Entry]) -> list[Entry]:
    """The questions of a pass, in the order of its events.

    Args:
        trace: the pass.
        marked: the nodes that ask, as `asking` has them.
        events: those of its events that are on the page.

    Returns:
        For each question: `at`, how many events come before it; `kind`, "value", "shape" or
        "node"; `node`, whose rule it is about; the sentence `ask`; `facts`, what it takes to
        answer, as pairs of words; the `answer`; and `told`, which says it. Some have a `rule`,
        where it is not that of the node.

    Example:
        >>> x = tensor(3.0, requires_grad=True)
        >>> trace = record(x.exp().sin())
        >>> [each["ask"] for each in questions(trace, ({"n2"}, set()), trace.events)]
        ['SinBackward0 got 1. What does it send to ExpBackward0?']
    """
    return _Asker(trace, *marked).asked(events)


class _Asker:
    """Goes through the events once, and notes what is there at each."""

    def __init__(self, trace: Trace, sending: set[str], getting: set[str]) -> None:
        self.trace, self.sending, self.getting = trace, sending, getting
        self.narrator = Narrator(trace)
        self.nodes = self.narrator.results.nodes
        self.leaf_of = self.narrator.results.leaf_of
        self.accumulator = {leaf["id"]: leaf["acc"] for leaf in trace.leaves}
        self.named = Counter(node["op"] for node in trace.nodes)
        self.ready: list[str] = []
        self.sums: dict[tuple[str, int], str] = {}  # what has come to a slot of a node
        self.sent: dict[str, str | None] = {}  # the array that went along an edge
        self.found: list[Entry] = []
        self.count = 0  # of small vectors and matrices that were asked for

    def asked(self, events: list[Entry]) -> list[Entry]:
        current = None
        for k, event in enumerate(events):
            kind = event["type"]
            node = event.get("node") or self.accumulator.get(event.get("tensor", ""))
            if kind not in KINDS:  # what the page leaves out: who is ready is not known behind it
                self.ready.clear()
                self.sums.clear()
            elif kind == "ready":
                if event["node"] not in self.narrator.results.wanted:
                    self.ready.append(event["node"])
            elif kind == "buffer":
                self._meet(k, event)
            elif node is not None and node != current:
                current = node
                self._turn(k, node)
            if kind == "apply":
                self._rule(k, event, events)
        return self.found

    def _turn(self, k: int, node: str) -> None:
        """A node's turn begins: which of those that are ready?"""
        if node not in self.ready:
            return
        ready, adding = sorted(self.ready, key=rank_of), self.leaf_of.keys()
        self.ready.remove(node)
        is_open = node in adding and len(adding & set(ready)) > 1  # they run in either order
        if node not in self.sending or len(ready) < 2 or is_open:
            return
        choices = [[each, self._node(each)] for each in ready]
        answer, told = {"node": node, "choices": choices}, f"{self._node(node)} runs next."
        self._ask(k, "node", node, "Which node runs next?", [], answer, told, rule=ORDER)

    def _rule(self, k: int, event: Entry, events: list[Entry]) -> None:
        """A rule runs: what does it send?"""
        node = self.nodes[event["node"]]
        name, given = node["id"], event["grad_in"]
        facts = [["gradient in", self._text(grad)] for grad in given if grad is not None]
        facts += [self._saved(each) for each in node.get("saved", ()) if each.get("array")]
        sent = zip(node["edges"][:CROWD], event["grad_out"], strict=False)  # as many as are drawn
        for at, (edge, grad) in enumerate(sent):
            goal = edge["to"]
            if goal is None or grad is None:
                continue
            array, shape = self._arriving(f"e{name[1:]}-{at}", edge, grad, events[k + 1 :])
            self.sent[f"e{name[1:]}-{at}"] = array
            if name not in self.sending and goal not in self.getting:
                continue
            who, whom = self._called(name), self._goal(node, at)
            got = f"{who} got {facts[0][1]}." if len(facts[0][1]) <= SHORT else f"{who} runs."
            is_whole = "sum_to" not in edge
            kind, answer = self._answer(array, shape, in_turn=True)
            if kind == "shape":
                what = "it sends to" if is_whole else "then reaches"
                ask = f"{got} Which shape has what {what} {whom}?"
                told = f"What {who} sends to {whom} has the shape {shape_text(shape)}."
            else:
                what = "does it send to" if is_whole else "then reaches"
                ask = f"{got} What {what} {whom}?{_counted(shape)}"
                told = f"{who} sends {self._text(array or grad)} to {whom}."
            more = {} if is_whole else {"also": SUMMED}
            self._ask(k, kind, name, ask, facts, answer, told, **more)

    def _meet(self, k: int, event: Entry) -> None:
        """A gradient arrives: what is the sum, if it is the last of several?"""
        node, grad, place = event["node"], event.get("grad"), (event["node"], event["slot"])
        before, sent = self.sums.get(place), self.sent.get(event.get("edge", ""))
        if grad is not None:
            self.sums[place] = grad
        if before is None or grad is None or event["have"] < event["need"]:
            return
        if node not in self.getting:
            return
        facts = [["there already", self._text(before)]]
        facts += [["arrives", self._text(sent)]] if sent else []
        shape = self.trace.arrays[grad]["shape"]
        kind, answer = self._answer(grad, shape, in_turn=False)
        ask = f"{event['need']} gradients meet at {self._called(node)}."
        if kind == "shape":
            ask += " What is the shape of their sum?"
            told = f"The sum has the shape {shape_text(shape)}."
        else:
            ask += f" What is their sum?{_counted(shape)}"
            told = f"The sum is {self._text(grad)}."
        self._ask(k, kind, node, ask, facts, answer, told, rule=SUM)

    def _answer(self, array: str | None, shape: list[int], *, in_turn: bool) -> tuple[str, Entry]:
        """Whether the numbers are asked for or the shape, and the answer."""
        values = None if array is None else self._values(array)
        if values is not None and shape and in_turn:
            self.count += 1
        is_shape = values is None or (in_turn and bool(shape) and self.count % 2 == 0)
        return (
            ("shape", {"shape": shape})
            if is_shape
            else ("value", {"shape": shape, "values": values})
        )

    def _ask(
        self,
        at: int,
        kind: str,
        node: str,
        ask: str,
        facts: Any,
        answer: Any,
        told: str,
        **more: Any,
    ) -> None:
        found = {"at": at, "kind": kind, "node": node, "ask": ask, "facts": facts}
        self.found.append({**found, "answer": answer, "told": told, **more})

    # Gradients ----------------------------------------------------------------------------------

    def _arriving(
        self, name: str, edge: Entry, grad: str, after: list[Entry]
    ) -> tuple[str | None, list[int]]:
        """What comes out of an edge: the array, if the trace has it, and its shape."""
        shape = self.trace.arrays[grad]["shape"]
        wanted = edge.get("sum_to", shape)
        if shape == wanted:
            return grad, shape
        for event in after:  # the engine has reduced a broadcast
            if event.get("edge") == name:
                is_alone = event["have"] == 1 and "grad" in event
                return (event["grad"] if is_alone else None), wanted
            if event["type"] == "post_hook":
                break
        return None, wanted

    def _values(self, array: str) -> list[Any] | None:
        """All numbers of an array, if they are few and the trace has them."""
        about = self.trace.arrays[array]
        size = prod(about["shape"])
        values = about.get("values", about["head"])
        is_told = 0 < size <= MOST and len(values) == size and "batch" not in about
        is_plain = not any(isinstance(x, str) and x not in ("nan", "inf", "-inf") for x in values)
        return values if is_told and is_plain else None

    def _text(self, array: str) -> str:
        """An array in four digits, with which a rule can be reckoned by hand."""
        values = self._values(array)
        if values is None:
            return array_text(self.trace.arrays[array])
        return nested([number_text(x, 4) for x in values], self.trace.arrays[array]["shape"])

    # Words --------------------------------------------------------------------------------------

    def _called(self, node: str) -> str:
        """A node as a question calls it: with its id where others are called the same."""
        leaf = self.leaf_of.get(node)
        if leaf is not None:
            return tensor_name(leaf)
        op = self.nodes[node]["op"]
        return plain(op) if self.named[op] == 1 else f"{plain(op)} ({node})"

    def _node(self, node: str) -> str:
        """The same of a node itself, also of an AccumulateGrad."""
        return self.narrator.name(node) if node in self.leaf_of else self._called(node)

    def _goal(self, node: Entry, at: int) -> str:
        """Where an edge leads, and which of several it is."""
        goal = node["edges"][at]["to"]
        same = [index for index, edge in enumerate(node["edges"]) if edge["to"] == goal]
        which = f", as operand {at + 1}" if len(same) > 1 else ""
        return f"{self._called(goal)}{which}"

    def _saved(self, saved: Entry) -> list[str]:
        name = plain(saved["name"])
        leaf = self.narrator.results.leaf.get(saved.get("leaf", ""))
        label = leaf["name"] if leaf and leaf["name"] else saved.get("label")
        return [f"{plain(label)} ({name})" if label else name, self._text(saved["array"])]


def _counted(shape: list[int]) -> str:
    """How many numbers are asked for."""
    if prod(shape) == 1:
        return ""
    words = f"{shape[0]} × {shape[1]}" if len(shape) == 2 else f"{prod(shape)}"
    return f" ({words} numbers)"
