"""Folding: which nodes of a large graph are drawn as one box.

# Note [A fold is a stretch of the tape]
# Nodes are numbered in order of creation and edges lead to older ones. A fold takes nodes that
# follow each other on the tape, so that folds too are ordered by age, and the folded graph, like
# the graph itself, has no cycle.

The ways are tried from the gentlest on, until few enough boxes are left: chains in which each node
feeds one other; module scopes, the innermost first; stretches that repeat, as the steps of a
recurrent net do; and at last stretches of equal length.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain, groupby
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from glassgrad._words import counted, plain
from glassgrad.autograd.scopes import Path
from glassgrad.tracing.events import Trace
from glassgrad.tracing.graph import Entry, Ids

STUBS = 3  # a leaf with more uses becomes stubs: one shared leaf is what takes `dot` minutes
CHAIN = 3  # shorter chains take no less room as a fold
TIMES = 16  # as many equal modules become one box, before their parent does
PERIOD = 64  # the longest stretch that is looked for as one that repeats

Item = TypeVar("Item")
Part = list[Entry]
Parts = list[Part]
Runs = list[tuple[Path, Part]]  # of nodes with one scope, with what it is
Way = tuple[Parts, Callable[[Part], str], str]  # parts, how to call one, what is folded


@dataclass(frozen=True, slots=True)
class Fold:
    """Several nodes as one box.

    Args:
        id: "f" and the number of its oldest node.
        title: what stands in the box.
        members: the ids of its nodes, oldest first.
        tip: which ops there are in it.
    """

    id: str
    title: str
    members: list[str]
    tip: str


Folding = tuple[dict[str, Fold], str]


def fold(trace: Trace, most: int | None, apart: frozenset[str] = frozenset()) -> Folding:
    """Fold `trace` until at most `most` boxes are left, leaves counted; those of `apart` are not.

    Args:
        trace: whose nodes are folded.
        most: None where nothing is to be folded.
        apart: ids of nodes.

    Returns:
        The fold of each folded node, and of each leaf that only one fold uses, by id; and what was
        done, in words, empty if nothing was.

    Example:
        >>> nodes = [{"id": "n0", "op": "ExpBackward0", "seq": 0, "edges": []}]
        >>> for rank in range(1, 9):
        ...     edge = {"to": f"n{rank - 1}", "slot": 0}
        ...     nodes.append(
        ...         {"id": f"n{rank}", "op": "TanhBackward0", "seq": rank, "edges": [edge]}
        ...     )
        >>> fold(Trace({"nodes": nodes, "leaves": []}), 4)[0]["n3"].title
        '… 8 ops'
    """
    leaves = {leaf["acc"]: leaf["id"] for leaf in trace.leaves}
    nodes = [node for node in trace.nodes if node["id"] not in leaves and node["id"] not in apart]
    if (
        not nodes
        or most is None
        or (len(nodes) <= most and _boxes([[node] for node in nodes], leaves) <= most)
    ):
        return {}, ""
    for parts, name, words in _ways(nodes, most):
        if len(parts) <= most and _boxes(parts, leaves) <= most:
            return _folding(parts, leaves, name, words)
    return _folding([nodes], leaves, _ops, "stretches")  # also of one op with very many leaves


def _ways(nodes: Part, most: int) -> Iterator[Way]:
    """Partitions of the tape, coarser and coarser; not all that have too many parts."""
    runs = _runs(nodes)
    whole = _chains(runs, len(nodes))
    doublings = [2**power for power in range(1, len(nodes).bit_length() + 1)]
    for longest in doublings[2:] if len(whole) <= most else ():
        yield _chains(runs, longest), _ops, "chains"
    deepest = max((len(node.get("scope", ())) for node in nodes), default=0)
    for depth in range(deepest, 0, -1):
        parts = _by_scope(nodes, depth)
        yield parts, _scope, "module scopes"
        yield from _merged(parts, most, upto=TIMES)
    yield from _merged(whole, most, upto=len(nodes))
    for size in doublings:
        yield _pieces(nodes, size), _ops, "stretches"


def _pieces(items: list[Item], size: int) -> list[list[Item]]:
    return [items[at : at + size] for at in range(0, len(items), size)]


def _runs(nodes: Part) -> Parts:
    """Runs in which each node feeds the one before it on the tape and nothing else."""
    uses = Counter(edge["to"] for node in nodes for edge in node["edges"])
    runs: Parts = []
    for node in nodes:
        before = runs[-1][-1]["id"] if runs else None
        goals = [edge["to"] for edge in node["edges"] if edge["to"] is not None]
        if before is not None and goals == [before] and uses[before] == 1:
            runs[-1].append(node)
        else:
            runs.append([node])
    return runs


def _chains(runs: Parts, longest: int) -> Parts:
    """The runs, cut into pieces of at most `longest`; nodes of short ones by themselves."""
    parts: Parts = []
    for run in runs:
        for piece in _pieces(run, longest):
            parts += [piece] if len(piece) >= CHAIN else [[node] for node in piece]
    return parts


def runs_by_scope(nodes: Part, depth: int) -> Runs:
    """Runs of nodes whose scopes are alike down to `depth`, each with what these are there.

    Example:
        >>> runs_by_scope([{"id": "n0", "scope": ["net", "a"]}, {"id": "n1"}], 1)
        [(('net',), [{'id': 'n0', 'scope': ['net', 'a']}]), ((), [{'id': 'n1'}])]
    """
    runs = groupby(nodes, lambda node: tuple(node.get("scope", ())[:depth]))
    return [(scope, list(run)) for scope, run in runs]


def _by_scope(nodes: Part, depth: int) -> Parts:
    """Runs of nodes made in one module, down to the given depth."""
    parts: Parts = []
    for scope, run in runs_by_scope(nodes, depth):
        parts += [run] if scope else [[node] for node in run]
    return parts


def _merged(parts: Parts, most: int, upto: int) -> Iterator[Way]:
    """What repeats as one box each time; then two times as one, four, … up to `upto`."""
    start, end, period = _repeated(parts)
    once = sum(len(part) for part in parts[start : start + period])
    name, times = partial(_repeats, once=once), 1
    while period and times <= min((end - start) // period, upto):
        repeats = _pieces(parts[start:end], period * times)
        if len(repeats) <= most:
            blocks = [list(chain.from_iterable(each)) for each in repeats]
            yield [*parts[:start], *blocks, *parts[end:]], name, "blocks that repeat"
        times *= 2


def _repeated(parts: Parts) -> tuple[int, int, int]:
    """(start, end, period) of the longest stretch that repeats; period 0 if none does."""
    kinds: dict[Path, int] = {}
    marks = np.array([kinds.setdefault(tuple(n["op"] for n in p), len(kinds)) for p in parts])
    best = 0, 0, 0
    for period in range(1, min(PERIOD, len(marks) // 2) + 1):
        start, end = _longest_run(marks[period:] == marks[:-period])
        end += period
        # A longer period must pay: what repeats every five also repeats every ten.
        if end - start >= 2 * period and end - start > 1.2 * (best[1] - best[0]):
            best = start, end, period
    return best


def _longest_run(flags: NDArray[np.bool_]) -> tuple[int, int]:
    """Where the longest stretch of True begins and ends."""
    ends = np.flatnonzero(~np.concatenate([[False], flags, [False]]))
    at = int(np.argmax(np.diff(ends)))
    return int(ends[at]), int(ends[at + 1]) - 1


def _boxes(parts: Parts, leaves: Ids) -> int:
    """How many boxes the parts make, with their leaves and the stubs of these."""
    count = len(parts)
    for users in _users(parts, leaves).values():
        if len(users) > 1 or len(parts[users[0]]) == 1:
            count += 1 + (len(users) if len(users) > STUBS else 0)
    return count


def _users(parts: Parts, leaves: Ids) -> dict[str, list[int]]:
    """For each leaf, by its accumulator, the parts that use it."""
    users: dict[str, dict[int, None]] = {}
    for number, part in enumerate(parts):
        for node in part:
            for edge in node["edges"]:
                if edge["to"] in leaves:
                    users.setdefault(edge["to"], {})[number] = None
    return {leaf: list(numbers) for leaf, numbers in users.items()}


def _folding(parts: Parts, leaves: Ids, name: Callable[[Part], str], words: str) -> Folding:
    folds = {
        number: Fold(f"f{part[0]['id'][1:]}", name(part), [n["id"] for n in part], contents(part))
        for number, part in enumerate(parts)
        if len(part) > 1 or len(parts) == 1
    }
    of = {member: each for each in folds.values() for member in each.members}
    hidden = {
        leaves[accumulator]: folds[users[0]]
        for accumulator, users in _users(parts, leaves).items()
        if len(users) == 1 and users[0] in folds
    }
    notice = f"{len(of):,} nodes are folded into {counted(len(folds), 'box', 'boxes')} by {words}"
    if hidden:
        notice += f", with {len(hidden):,} of the leaves"
    return of | hidden, notice


def _ops(part: Part) -> str:
    return f"… {counted(len(part), 'op')}"


def _scope(part: Part) -> str:
    """`net.block3`; `net.block3–6` for modules that differ by number; else what they share."""
    scopes = [tuple(node.get("scope", ())) for node in part]
    shared: list[str] = []
    for names in zip(*scopes, strict=False):
        shared.append(numbered_names(list(dict.fromkeys(names))))
        if len(set(names)) > 1:
            break
    return plain(".".join(filter(None, shared))) or _ops(part)


def _repeats(part: Part, once: int) -> str:
    """`net.block3–6 ×4`, or `… 2 ops ×4` for what repeats outside of modules."""
    times, rest = divmod(len(part), once)
    title = _scope(part)
    if times < 2 or rest:
        return title
    return f"… {once:,} ops ×{times:,}" if title == _ops(part) else f"{title} ×{times:,}"


def numbered_names(names: list[str]) -> str:
    """`block3–6` for block3, block4, …; one name as it is, and nothing for names not alike."""
    stems = [name.rstrip("0123456789") for name in names]
    numbers = [name[len(stem) :] for name, stem in zip(names, stems, strict=True)]
    if len(names) == 1:
        return names[0]
    return f"{names[0]}–{numbers[-1]}" if len(set(stems)) == 1 and all(numbers) else ""


def contents(part: Part) -> str:
    """`24 ops: 12 TanhBackward0, 12 LinearBackward0`."""
    kinds = Counter([node["op"] for node in part])
    words = [f"{count:,} {plain(op)}" for op, count in kinds.most_common(6)]
    more = ", …" if len(kinds) > 6 else ""
    return f"{len(part):,} ops: {', '.join(words)}{more}"
