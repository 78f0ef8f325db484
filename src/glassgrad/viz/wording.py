"""How glassgrad puts things: numbers, shapes, names that may hold anything, a sentence per event.

All of it is made here, in Python: the picture, the text view and the player show the same words.
The text view is for a terminal, a screen reader, and graphs of any size.
"""

import html
import math
import re
from collections import deque
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import NamedTuple, TypeVar

from glassgrad._words import (
    bytes_text,
    counted,
    nested,
    number_text,
    one_line,
    op_in,
    plain,
    shape_text,
)
from glassgrad.tracing.events import Trace
from glassgrad.tracing.graph import Entry
from glassgrad.tracing.held import of_no_leaf, size_of
from glassgrad.tracing.seen import op_called
from glassgrad.tracing.summary import examples_in_words, spoiled_in_words
from glassgrad.viz.memory import Freed, freed_by_node, leaves_of
from glassgrad.viz.results import Results

LONGEST_LIST, ROOMY = 28, 60  # characters of an array that is written out: in a box, beside it

# What the notation of formulas means, for whoever meets it for the first time.
Row = TypeVar("Row")

NOTATION = "x̄ is the gradient of the loss with respect to x; ẋ, or dx, is a small change of x"

# What the number at the end of a node's name is; PyTorch gives it.
NUMBERED = "the 0 in MulBackward0 tells variants of an op apart: SumBackward1 sums along dims"


def escape(text: str) -> str:
    """`text` for HTML, SVG and DOT's HTML-like labels, in attributes too.

    Example:
        >>> escape('<b a="1">')
        '&lt;b a=&quot;1&quot;&gt;'
    """
    return html.escape(text, quote=True)


def notices(*parts: str) -> str:
    """Several notices as one; the empty ones say nothing.

    Example:
        >>> notices("", "it is long", "paused")
        'it is long; paused'
    """
    return "; ".join(part for part in parts if part)


def array_text(array: Entry | None, longest: int = LONGEST_LIST) -> str:
    """An array of a trace in one short line: all of it, or its shape and norm.

    Of integers, which tend to be classes or places, a norm says nothing: that is their range.

    Example:
        >>> array_text({"shape": [2, 2], "head": [1.5, -2.0, 0.0, 3.0], "norm": 3.9})
        '[[1.5, -2], [0, 3]]'
        >>> array_text({"shape": [16], "head": [1.5, 2.0, 3.0, 4.0], "norm": 2.1254})
        '(16,) ‖·‖=2.13'
    """
    if array is None:
        return "none"
    spoiled = ", ".join(spoiled_in_words(array))
    shape, head = array["shape"], array["head"]
    examples = examples_in_words(array)
    if not examples and (0 < math.prod(shape) <= len(head) or shape == [0]):
        whole = nested(map(number_text, head), shape)
        if not shape or len(whole) <= longest:
            return whole
    sign = "≈" if "sampled" in array else "="
    about = "" if array["norm"] is None else f" ‖·‖{sign}{number_text(array['norm'])}"
    if head and array.get("dtype", "").startswith(("int", "uint")):
        about = f" {array['min']} … {array['max']}"
    return f"{examples}{shape_text(shape)}{about}" + (f" ({spoiled})" if spoiled else "")


def alike(mine: float, shown: float, digits: int) -> bool:
    """Whether a result reads as the number that is shown does, in so many digits."""
    text = number_text(shown, digits)
    return number_text(mine, digits) == text or float(f"{mine:.{digits}g}") == float(text)


def op_word(node: Entry) -> str:
    """An op as one says it: "tanh", "cross_entropy"; of a user's Function, its name.

    Example:
        >>> op_word({"op": "CrossEntropyBackward0"}), op_word({"op": "Cube", "user": True})
        ('cross_entropy', 'Cube')
        >>> op_word({"op": "MaxPool2DWithIndicesBackward0"})
        'max_pool2d_with_indices'
    """
    name = op_in(op_called(node["op"]))
    if node.get("user"):
        return plain(name)
    name = re.sub(r"(?<=\d)[A-Z](?![a-z])", lambda found: found[0].lower(), name)  # Pool2D, R2C
    return plain(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower(), ROOMY)


def line_text(entry: Entry) -> str:
    """The line that made a node or a checkpoint: "line 8"; empty if it is not known.

    Example:
        >>> line_text({"src": "train.py, line 8: `y = x * 2`"}), line_text({})
        ('line 8', '')
    """
    found = re.search(r"(?:^|, )(line \d+)(?::|\Z)", entry.get("src", ""))
    return found[1] if found else ""


class Narrator:
    """Tells the events of a trace in sentences, one each.

    Example:
        >>> graph = {"nodes": [{"id": "n0", "op": "Neg", "seq": 0, "edges": []}], "leaves": []}
        >>> Narrator(Trace(graph)).sentence({"type": "ready", "node": "n0"})
        'Neg is ready: every gradient it waits for has arrived.'
    """

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.results = Results(trace)

    def name(self, node: str) -> str:
        """A node as the sentences call it: its op, or whose gradient it accumulates."""
        op, leaf = plain(self.results.nodes[node]["op"]), self.results.leaf_of.get(node)
        return f"{op} of {tensor_name(leaf)}" if leaf else op

    def leaf(self, tensor: str) -> str:
        return tensor_name(self.results.leaf[tensor])

    def numbers(self, ids: list[str | None]) -> str:
        """Gradients, for the ear: `(8, 4) of norm 0.288`; several of them in parentheses."""
        arrays = [self.trace.arrays[id] if id else None for id in ids]
        texts = [array_text(array, ROOMY).replace(" ‖·‖=", " of norm ") for array in arrays]
        return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"

    def sentence(self, event: Entry) -> str:
        """The event, told in one sentence."""
        name = self.name(event["node"]) if event.get("node") in self.results.nodes else ""
        match event:
            case {"type": "ready"}:
                return f"{name} is ready: every gradient it waits for has arrived."
            case {"type": "unpack", "saved": saved, "version": [then, now]}:
                told = f"{name} unpacks {plain(saved)}, saved at version {then}"
                return f"{told}." if then == now else f"{told} and now at version {now}: stale."
            case {"type": "apply", "grad_in": given, "grad_out": made}:
                return f"{name} turns the gradient {self.numbers(given)} into {self.numbers(made)}."
            case {"type": "pre_hook" | "post_hook" as kind, "before": before, "after": after}:
                when = "Before" if kind == "pre_hook" else "After"
                told = f"{when} {name}, hook {self._hooks.get(event['hook'], event['hook'])}"
                if before == after:
                    return f"{told} sees {self.numbers(before)} and leaves it."
                return f"{told} changes {self.numbers(before)} to {self.numbers(after)}."
            case {"type": "buffer", "need": 1}:
                return f"The gradient for {name} has arrived."
            case {"type": "buffer", "have": have, "need": need}:
                grad = event.get("grad") if have > 1 else None
                total = f", in sum {self.numbers([grad])}" if grad else ""
                return f"{name} has {have} of {need} gradients{total}."
            case {"type": "accumulate", "tensor": tensor, "grad": None}:
                return f"No gradient reached {self.leaf(tensor)}: its .grad stays as it is."
            case {"type": "accumulate", "tensor": tensor, "grad": grad}:
                return f"{self.leaf(tensor)}.grad is now {self.numbers([grad])}."
            case {"type": "recompute"}:
                return recomputing(self.trace, event)
            case {"type": "free_saved", "node": node}:
                told = f"{name} {self._freeing(self._freed.get(node) or Freed(event['bytes']))}"
                packed = self.results.nodes.get(node, {}).get("packed", ())
                hidden = [plain(each["name"]) for each in packed if "bytes" not in each]
                if not hidden:
                    return f"{told}."
                told = f"{told}, and" if event["bytes"] else name
                return f"{told} lets go of what a hook made of {', '.join(hidden)}."
        at = f" at {name}" if name else ""
        return f"The pass ends{at} with {plain(event['error'])}: {one_line(event['message'], 600)}"

    def _freeing(self, freed: Freed) -> str:
        keepers = [f"leaf {self.leaf(leaf)}" for leaf in freed.leaves]
        keepers += ["other nodes"] if freed.is_shared else []
        size = bytes_text(freed.bytes)
        if not keepers:
            return f"frees what it saved, {size}"
        keep = "keeps" if len(keepers) == 1 and freed.leaves else "keep"
        keep = f"{' and '.join(keepers)} {keep}"
        if not freed.bytes:
            return f"lets go of what it saved: {keep} it"
        return f"frees {size} of what it saved: {keep} the rest"

    @cached_property
    def _freed(self) -> dict[str, Freed]:
        return freed_by_node(self.trace)

    @cached_property
    def _hooks(self) -> dict[str, str]:
        hooks = (hook for node in self.trace.nodes for hook in node.get("hooks", ()))
        return {hook["id"]: plain(hook.get("name") or hook["id"]) for hook in hooks}


def tensor_name(tensor: Entry) -> str:
    """The name of a leaf or an output, or its id if it has none."""
    return plain(tensor["name"] or tensor["id"])


# --- a checkpoint that runs again ----------------------------------------------------------------

MOST_OPS = 6  # that are named


def checkpoint_name(trace: Trace, id: str) -> str:
    """What a checkpoint is called: "checkpoint of line 8", and its id where that is not enough."""
    calls = {call["id"]: line_text(call) for call in trace.graph.get("checkpoints", ())}
    line = calls.get(id, "")
    is_enough = line and list(calls.values()).count(line) == 1
    return (
        f"checkpoint of {line}" + ("" if is_enough else f" ({id})") if line else f"checkpoint {id}"
    )


def recomputing(trace: Trace, event: Entry) -> str:
    """A `recompute` event in a sentence: what ran again, how much, and why.

    Example:
        >>> from glassgrad.utils.checkpoint import checkpoint
        >>> x = tensor([1.0, 2.0], requires_grad=True)
        >>> trace = record(checkpoint(lambda x: x.exp().tanh(), x, use_reentrant=False).sum())
        >>> (event,) = [event for event in trace.events if event["type"] == "recompute"]
        >>> recomputing(trace, event).partition(" runs ")[2]
        'again: exp, tanh (2 nodes, 16 B), because tanh needs its result.'
    """
    nodes = {node["id"]: node for node in trace.nodes}
    asking = nodes[event["node"]]
    size = bytes_text(event["bytes"])
    if "checkpoint" not in event:
        line = line_text(asking)
        told = f"The reentrant checkpoint{f' of {line}' if line else ''} runs again"
        if event.get("failed"):
            return f"{told}, and fails."
        inner = event.get("inner", {"graph": {"nodes": []}})["graph"]["nodes"]
        ops = [node for node in inner if node["op"] != "AccumulateGrad"]
        about = f"{counted(len(ops), 'node')}, {size}"
        return f"{told}, recorded now: {_ops(ops)} ({about}), for a pass of its own through that."
    call = event["checkpoint"]
    told = f"The {checkpoint_name(trace, call)} runs again"
    if "saved" in event:
        named = {"result": "result"}.get(event["saved"], f"operand {plain(event['saved'])}")
        why = f"because {op_word(asking)} needs its {named}"
    elif "for" in event:
        why = (
            f"because the {checkpoint_name(trace, event['for'])}, inside of it, needs its arguments"
        )
    else:
        why = f"because at {op_word(asking)} something of it is asked for"
    if event.get("failed"):
        return f"{told}, {why}, and fails."
    ran = [nodes[name] for name in event["ran"] if name in nodes]
    about = f": {_ops(ran)} ({counted(len(ran), 'node')}, {size})" if ran else f" ({size})"
    left = [n for n in trace.nodes if n.get("checkpoint") == call and n["id"] not in event["ran"]]
    early = f"; it stops before {_ops(left)}" if left else ""
    return f"{told}{about}, {why}{early}."


def _ops(nodes: list[Entry]) -> str:
    words = [op_word(node) for node in nodes[:MOST_OPS]]
    return ", ".join([*words, "…"] if len(nodes) > MOST_OPS else words)


# --- a pass as plain text ------------------------------------------------------------------------


def text_view(trace: Trace, *, limit: int | None = None) -> str:
    """The nodes of `trace` in the order of the pass, one a line, then what happened.

    Nothing is recursive and nothing is laid out: a graph of a million nodes takes a few seconds.

    Args:
        trace: what `record` returns.
        limit: at most so many lines of each part, the first and the last; None for all.

    Raises:
        DataError: for a `Trace` that was made by hand and is not sound; the message says where.

    Example:
        >>> nodes = [{"id": "n0", "op": "NegBackward0", "seq": 0, "edges": []}]
        >>> print(text_view(Trace({"nodes": nodes, "leaves": []})))
        1 node, newest first
           n0  NegBackward0
    """
    trace.check("text_view")
    count = len(trace.nodes)
    order = "in the order they ran" if trace.events else "newest first"
    lines = [f"{counted(count, 'node')}, {order}", *_cut(node_lines(trace), limit, count)]
    if trace.events:
        lines += ["", f"{len(trace.events):,} events"]
        lines += _cut(event_lines(trace), limit, len(trace.events))
    return "\n".join(lines)


class NodeRow(NamedTuple):
    """What is told of a node: its turn, None if it did not run, and the rest as text.

    The node that fills the `.grad` of a leaf has the leaf's shape, and goes to the leaf.
    """

    turn: int | None
    id: str
    op: str
    shape: str
    goes: str
    saved: str
    is_leaf: bool


def node_rows(trace: Trace) -> Iterator[NodeRow]:
    """The nodes in the order of the pass, then those that did not run."""
    results = Results(trace)
    nodes, turns = results.nodes, results.turns
    for name in (*turns, *(name for name in reversed(nodes) if name not in turns)):
        node, leaf = nodes[name], results.leaf_of.get(name)
        shape = node.get("shape") if leaf is None else leaf["shape"]
        goes = [edge_words(edge) for edge in node["edges"]]
        yield NodeRow(
            turns.get(name),
            name,
            plain(node["op"]),
            "" if shape is None else shape_text(shape),
            ", ".join(goes) if leaf is None else tensor_name(leaf),
            saved_words(node, results.leaf),
            leaf is not None,
        )


def node_lines(trace: Trace) -> Iterator[str]:
    """One line per node: its turn, id, op, where its gradients go, what it saved."""
    wide = len(str(len(trace.nodes)))
    for row in node_rows(trace):
        number = " " * (wide + 1) if row.turn is None else f"#{row.turn:<{wide}}"
        words = [row.op, row.shape, row.goes and f"→ {row.goes}"]
        words.append(row.shape if row.is_leaf else row.saved and f"saved {row.saved}")
        yield f"{number} {row.id}  {' '.join(filter(None, words))}"


def event_lines(trace: Trace) -> Iterator[str]:
    """One sentence per event, numbered from 1 as in a player."""
    narrator = Narrator(trace)
    wide = len(str(len(trace.events)))
    for number, event in enumerate(trace.events, start=1):
        yield f"{number:>{wide}}  {narrator.sentence(event)}"
        if "inner" in event:  # those of the pass inside, numbered by themselves
            graph, arrays, events = map(event["inner"].get, ("graph", "arrays", "events"))
            yield from [
                f"{' ' * wide}  | {line}" for line in event_lines(Trace(graph, arrays, events))
            ]


def saved_words(node: Entry, leaves: dict[str, Entry]) -> str:
    """What a node saved, and how much memory that is; a leaf's own is not counted.

    Args:
        node: of a trace.
        leaves: by their ids.

    Example:
        >>> saved = [{"name": "self", "storage": "s0", "bytes": 8}, {"name": "mat2", "leaf": "t0"}]
        >>> saved_words({"id": "n0", "saved": saved}, {"t0": {"name": "W"}})
        'self, mat2 (8 B and leaf W)'
    """
    packed = {plain(each["name"]): "bytes" in each for each in node.get("packed", ())}
    names = [plain(each["name"]) for each in node.get("saved", ())]
    names += [f"{name} packed" for name in packed]
    if not names:
        return ""
    parts = [f"leaf {tensor_name(leaves[leaf])}" for leaf in leaves_of(node)]
    if of_no_leaf(node):
        parts.insert(0, bytes_text(size_of(node)))
    parts += [] if all(packed.values()) else ["what nobody can count"]
    return f"{', '.join(names)} ({' and '.join(parts)})"


def edge_words(edge: Entry) -> str:
    """Where a gradient goes: the node, its output unless that is the first, and what is summed."""
    if edge["to"] is None:
        return "∅"
    slot = f" output {edge['slot'] + 1}" if edge["slot"] else ""
    reduced = f" Σ→{shape_text(edge['sum_to'])}" if "sum_to" in edge else ""
    return f"{edge['to']}{slot}{reduced}"


def _cut(lines: Iterator[str], limit: int | None, count: int) -> list[str]:
    rows = both_ends(lines, limit, count)
    return [f"… {count - (limit or 0):,} more" if row is None else row for row in rows]


def both_ends(rows: Iterable[Row], limit: int | None, count: int) -> list[Row | None]:
    """The first and the last of `count` rows, `limit` in all; None for those between.

    Example:
        >>> both_ends("abcdef", 3, 6)
        ['a', 'b', None, 'f']
    """
    if limit is None or count <= limit:
        return [*rows]
    rows = iter(rows)
    return [*islice(rows, limit - limit // 2), None, *deque(rows, maxlen=limit // 2)]
