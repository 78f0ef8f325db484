"""The same graph and events as plain text: for a terminal, a screen reader, and graphs of any size.

One line a node, in the order of the pass; nothing is recursive and nothing is laid out, so a graph
of a million nodes takes a few seconds.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from glassgrad.tracing.events import Trace
from glassgrad.viz.memory import leaf_of, of_no_leaf, size_of
from glassgrad.viz.wording import Narrator, bytes_text, plain, shape_text, tensor_name

__all__ = ["edge_words", "event_lines", "node_lines", "saved_words", "text_view"]


def text_view(trace: Trace, *, limit: int | None = None) -> str:
    """The nodes of `trace` in the order of the pass, one a line, then what happened.

    Args:
        trace: what `record` returns.
        limit: at most so many lines of each part; None for all.

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
    lines = [f"{count:,} node{'' if count == 1 else 's'}, {order}"]
    lines += _cut(node_lines(trace), limit, count)
    if trace.events:
        lines += ["", f"{len(trace.events):,} events"]
        lines += _cut(event_lines(trace), limit, len(trace.events))
    return "\n".join(lines)


def node_lines(trace: Trace) -> Iterator[str]:
    """One line per node: its turn, id, op, where its gradients go, what it saved."""
    nodes = {node["id"]: node for node in trace.nodes}
    schedule = trace.schedule()
    ran = set(schedule)
    order = [*schedule, *(name for name in reversed(nodes) if name not in ran)]
    tensors = {leaf["acc"]: leaf for leaf in trace.leaves}
    names = {leaf["id"]: tensor_name(leaf) for leaf in trace.leaves}
    wide = len(str(len(order)))
    for turn, name in enumerate(order, 1):
        number = f"#{turn:<{wide}}" if name in ran else " " * (wide + 1)
        yield f"{number} {name}  {_node_words(nodes[name], tensors, names)}"


def event_lines(trace: Trace) -> Iterator[str]:
    """One sentence per event, numbered as in the log."""
    narrator = Narrator(trace)
    wide = len(str(max(len(trace.events) - 1, 0)))
    for event in trace.events:
        yield f"{event['k']:>{wide}}  {narrator.sentence(event)}"


def saved_words(node: dict[str, Any], leaves: dict[str, str]) -> str:
    """What a node saved, and how much memory that is; a leaf's own is not counted.

    Args:
        node: of a trace.
        leaves: their names by their ids.

    Example:
        >>> saved = [{"name": "self", "storage": "s0", "bytes": 8}, {"name": "mat2", "leaf": "t0"}]
        >>> saved_words({"id": "n0", "saved": saved}, {"t0": "W"})
        'self, mat2 (8 B and leaf W)'
    """
    saved = node.get("saved")
    if not saved:
        return ""
    names = ", ".join(plain(each["name"]) for each in saved)
    of_leaves = dict.fromkeys(leaf for each in saved if (leaf := leaf_of(each)) is not None)
    parts = [f"leaf {leaves.get(leaf, leaf)}" for leaf in of_leaves]
    if of_no_leaf(node):
        parts.insert(0, bytes_text(size_of(node)))
    return f"{names} ({' and '.join(parts)})"


def edge_words(edge: dict[str, Any]) -> str:
    """Where a gradient goes: the node, its slot unless that is the first, and what is summed up."""
    if edge["to"] is None:
        return "∅"
    slot = f".{edge['slot']}" if edge["slot"] else ""
    reduced = f" Σ→{shape_text(edge['sum_to'])}" if "sum_to" in edge else ""
    return f"{edge['to']}{slot}{reduced}"


def _node_words(
    node: dict[str, Any], tensors: dict[str, dict[str, Any]], names: dict[str, str]
) -> str:
    words = [plain(node["op"])]
    if "shape" in node:
        words.append(shape_text(node["shape"]))
    if node["id"] in tensors:
        leaf = tensors[node["id"]]
        words.append(f"→ {tensor_name(leaf)} {shape_text(leaf['shape'])}")
    if node["edges"]:
        words.append("→ " + ", ".join(edge_words(edge) for edge in node["edges"]))
    if node.get("saved"):
        words.append(f"saved {saved_words(node, names)}")
    return " ".join(words)


def _cut(lines: Iterator[str], limit: int | None, count: int) -> list[str]:
    if limit is None or count <= limit:
        return list(lines)
    return [*islice(lines, limit), f"… {count - limit:,} more"]
