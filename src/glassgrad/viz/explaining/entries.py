"""Explanations as data for the player: of each node its words, its formulas, its numbers, a check.

    {"n3": {"words": "z = x·y        dz = …", "formulas": ["<math>…", …],
            "rows": [["rule", "x̄", "z̄·y = [1, 1]·[3, 4] = [3, 4]"], …], "ok": True,
            "letters": [["x", "w = [1, 2], saved as self"], …]}, …}

`record_explained` runs a pass and explains each node at the moment before its rule runs: on the
gradients that really arrived, and while its saved tensors are still there. `explained` is the same
for one node of a paused pass. Of a trace alone, `explanations` knows words, formulas and numbers,
but there is no rule left that could be checked.
"""

from collections.abc import Callable, Iterable
from functools import cache, partial
from math import prod
from time import perf_counter
from typing import Any

from glassgrad._words import plain, shape_text
from glassgrad.core.engine import Grads, Schedule
from glassgrad.core.graph import AccumulateGrad, GradientEdge, Node, ends, get_gradient_edge
from glassgrad.core.tensor import Tensor
from glassgrad.ops._families import Elementwise
from glassgrad.tracing.events import Trace
from glassgrad.tracing.graph import Entry
from glassgrad.tracing.log import watched
from glassgrad.viz.memory import completed
from glassgrad.viz.whose import Whose

from . import formulas, in_numbers
from .checking import is_packed
from .explain import Explanation, explain, node_of
from .mathml import mathml

MOST_NODES = 100  # of a pass whose rules are run again
BUDGET = 10.0  # seconds that the checks of a pass may take in all
MOST_ROWS = 1_000  # nodes of a trace whose numbers are told
MOST_ELEMENTS = 10_000  # of all that a node reads and makes
LONGEST = 240  # characters of a row

YOURS = "a Function of the program's own: it is explained where it runs, as by `gg.player(loss)`"
LATE = f"not checked here, for those before took more than {BUDGET:g} s: `gg.explain(y)` does"
PAGE = ("rule", "check", "notes")  # the sections that a page shows; the others it has already
NUMBERS = "these numbers"


def record_explained(
    tensors: Tensor | Iterable[Tensor], *, explaining: bool = True, **options: Any
) -> tuple[Trace, dict[str, Entry] | None, Exception | None]:
    """Run a pass, record it, and explain its nodes while they run.

    The rule of a node runs once more, on copies, and its forward for the differences: those of
    users' Functions, too. That is done for 100 nodes, users' Functions before others, where a
    node deals with at most 10,000 elements, and until the checks have taken ten seconds; of the
    rest there are words, formulas and numbers.

    Args:
        explaining: whether to do that; if not, the pass is recorded only.
        tensors, options: what `record` takes.

    Returns:
        The trace, the entries by node id, None if they are not wanted, and the error that ended
        the pass, None for none.

    Raises:
        What `record` raises before anything runs.

    Example:
        >>> x = tensor([3.0, 4.0], requires_grad=True)
        >>> trace, found, _ = record_explained((x * x).sum())
        >>> found["n1"]["rows"][0], found["n1"]["ok"]
        (['rule', 'x̄', 'z̄·y = [1, 1]·[3, 4] = [3, 4]'], True)
    """
    several = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    chosen = _chosen(several) if explaining else ()
    checked: dict[str, Entry] = {}
    spent = 0.0

    def look(name: str, node: Node, grads: Grads) -> None:
        nonlocal spent
        if node in chosen and spent > BUDGET:
            checked[name] = _only_words(node, LATE)
        elif node in chosen:
            start = perf_counter()
            checked[name] = explained(node, grads)
            spent += perf_counter() - start

    watch = partial(watched, several, look if explaining else None, **options)
    trace, error = as_far_as_it_came(watch)
    return trace, explanations(trace, checked) if explaining else None, error


def as_far_as_it_came(run: Callable[[], Trace]) -> tuple[Trace, Exception | None]:
    """The trace that `run` makes, and None; or that of a pass that failed, and its error."""
    try:
        return run(), None
    except Exception as failed:
        trace = getattr(failed, "trace", None)
        if not isinstance(trace, Trace):
            raise
        return trace, failed


def explained(node: Node | GradientEdge | Tensor, gradient: Any = None) -> Entry:
    """The entry of one node of a graph that is still there.

    Args:
        node: the node, or a tensor that it made.
        gradient: of its output; a tuple, one per output, with None where none arrived. None: ones.

    Returns:
        An entry. What cannot be explained says why, in a row.

    Raises:
        ArgumentTypeError: if `node` is no part of a graph.

    Example:
        >>> x = tensor([3.0, 4.0], requires_grad=True)
        >>> explained(x.exp())["words"]
        'y = eˣ        dy = y·dx        x̄ = ȳ·y'
    """
    node = node_of(node)
    if isinstance(node, AccumulateGrad):
        return _of_leaf()
    if isinstance(gradient, (tuple, list)):
        if all(part is None for part in gradient):
            return _only_words(node, "no gradient arrived here")
        gradient = gradient[0] if len(gradient) == 1 else gradient
    if _size(node) > MOST_ELEMENTS:
        return _only_words(node, f"not checked: it deals with more than {MOST_ELEMENTS:,} elements")
    if is_packed(node):
        return _only_words(node, "not checked: hooks have packed what it saved, for one pass")
    try:
        return _entry(explain(node, gradient=gradient))
    except Exception as error:  # noqa: BLE001  # a user's values may raise anything: we show it
        return _only_words(node, f"not explained: {type(error).__name__}: {error}")


def explanations(trace: Trace, checked: dict[str, Entry] | None = None) -> dict[str, Entry]:
    """What a trace alone tells: words and formulas by the op, its numbers from the events.

    The numbers are those of the first 1,000 nodes that ran.

    Args:
        trace: of a pass on glassgrad or on PyTorch; it may come from a file.
        checked: entries of nodes that were explained while they were there, in place of those.

    Returns:
        Entries by node id. `ok` is None: there is no rule left that could be checked.

    Example:
        >>> x = tensor([3.0, 4.0], requires_grad=True)
        >>> explanations(record((x * x).sum()))["n1"]["rows"][0]
        ['rule', 'x̄', 'z̄·y = [1, 1]·[3, 4] = [3, 4]']
    """
    trace = completed(trace)
    ran = [event for event in trace.events if event["type"] == "apply"]
    applied = {event["node"]: event for event in ran[:MOST_ROWS]}
    whose = Whose(trace)
    found = {
        node["id"]: _of_record(node, applied.get(node["id"]), trace.arrays, whose)
        for node in trace.nodes
    }
    for name, entry in (checked or {}).items():
        has_rule = any(section == "rule" for section, *_ in entry["rows"])
        known = [] if has_rule or name not in found else found[name]["rows"]
        told = found[name]["letters"] if name in found else []
        # The trace knows names; of a node that waits, only the entry knows what has arrived.
        letters = dict(told) | dict(entry["letters"]) | dict(told)
        rows = [*known, *entry["rows"]]
        found[name] = {**entry, "rows": rows, "letters": [[*pair] for pair in letters.items()]}
    return found


# Which nodes -------------------------------------------------------------------------------------


def _chosen(tensors: list[Tensor]) -> set[Node]:
    """The nodes whose rules are run again: the users' first, for they may be wrong."""
    roots = [get_gradient_edge(tensor).node for tensor in tensors if tensor.requires_grad]
    nodes = [node for node in Schedule(roots) if node.edges]
    # Sorting keeps the order of those that are alike.
    return set(sorted(nodes, key=lambda node: not node._is_users)[:MOST_NODES])


def _size(node: Node) -> int:
    """How many elements the operands and the outputs of a node have."""
    metas = list(node._input_metadata)
    for edge in node.edges:
        if edge is not None:
            older, slot = ends(edge)
            metas.append(older._input_metadata[slot])
    return sum(prod(meta.shape) for meta in metas)


# Entries -----------------------------------------------------------------------------------------


def _new_entry(
    words: str, latex: Iterable[str] = (), rows: Iterable[list[str]] = (), ok: bool | None = None
) -> Entry:
    typeset = [mathml(tex) for tex in latex]
    return {"words": words, "formulas": typeset, "rows": list(rows), "ok": ok, "letters": []}


def _entry(found: Explanation) -> Entry:
    shown = PAGE if found.rule else (NUMBERS, *PAGE)
    rows = [[name, key, plain(text, LONGEST)] for name, key, text in found.rows() if name in shown]
    letters = [[letter, plain(text, LONGEST)] for letter, text in found.letters]
    return _new_entry(found.words, found.formulas, rows, found.ok) | {"letters": letters}


def _of_op(cls: Any, rows: Iterable[list[str]] = ()) -> Entry:
    return _new_entry(formulas.words_of(cls), formulas.latex_of(cls), rows)


def _only_words(node: Node, note: str) -> Entry:
    return _of_op(formulas.op_of(node), [["notes", "–", plain(note, LONGEST)]])


def _of_leaf() -> Entry:
    return _new_entry("adds the gradient that arrives to the .grad of its leaf")


# From a trace ------------------------------------------------------------------------------------


@cache
def op_named(name: str, operands: int) -> Any:
    """The op whose nodes are called so; None if there is none.

    Of several it is the one with so many operands, or that is itself called like its nodes.
    """

    def rank(cls: Any) -> tuple[bool, bool, str, str]:
        is_other = cls.forward.__code__.co_argcount != operands
        return (
            is_other,
            not name.startswith(f"{cls.__name__}Backward"),
            cls.__module__,  # whatever was loaded first
            cls.__qualname__,
        )

    named: list[Any] = [cls for cls in formulas.all_ops() if cls._backward_cls.__name__ == name]
    return min(
        [cls for cls in named if formulas.formulas_of(cls) is not None], key=rank, default=None
    )


def _of_record(node: Entry, event: Entry | None, arrays: Entry, whose: Whose) -> Entry:
    """What a trace tells of a node: of the numbers in its rule, too, if it has run."""
    cls = None if node.get("user") else op_named(node["op"], len(node["edges"]))
    if node["op"] == "AccumulateGrad":
        return _of_leaf()
    if cls is None:
        none = f"no op of glassgrad's has nodes {node['op']}"
        return _new_entry(plain(YOURS if node.get("user") else none, LONGEST))
    given = [] if event is None else list(map(arrays.get, event["grad_in"]))
    told = in_numbers.letters_told(cls, node, whose, arrays, given)
    letters = {"letters": [[letter, plain(text, LONGEST)] for letter, text in told]}
    if event is None:
        return _of_op(cls) | letters
    gradients, first = [], cls.differentiates.start or 0
    for at, (edge, grad) in enumerate(zip(node["edges"], event["grad_out"], strict=False), first):
        before = behind = ""
        if grad is not None and "sum_to" in edge:
            if arrays[grad]["shape"] != edge["sum_to"]:
                behind = f"; the engine sums that to {shape_text(edge['sum_to'])}"
            elif issubclass(cls, Elementwise):
                before = in_numbers.SUMMED  # PyTorch's rules do it themselves
        result = None if edge["to"] is None else arrays.get(grad)
        gradients.append(in_numbers.Gradient(at, result, before, behind))
    kept = [each for each in node.get("saved", ()) if each["name"] in cls.saves]
    saved = {each["name"]: arrays.get(each.get("array")) for each in kept}
    rule = in_numbers.rule_in_numbers(cls, gradients, given, saved, {})
    return _of_op(cls, [["rule", *line] for line in rule]) | letters
