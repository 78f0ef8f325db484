"""`gg.explain(y)`: one node in words, in formulas, in these numbers, and held against differences.

MulBackward0: z = x·y        dz = y·dx + x·dy        x̄ = z̄·y,  ȳ = z̄·x
...
given      [1. 1.]
edge 1     [3. 4.]  → AccumulateGrad, x (2,)
check      edge 1 agrees with differences of the forward: 2 of 2 elements
"""

import unicodedata
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np

from glassgrad._words import one_line, plain, shape_text
from glassgrad.core.engine import Grads
from glassgrad.core.errors import ArgumentError, ArgumentTypeError
from glassgrad.core.graph import AccumulateGrad, GradientEdge, Node, edge_of, ends
from glassgrad.core.tensor import Tensor
from glassgrad.memory.saved import arrays_in, places
from glassgrad.memory.views import CopySlices
from glassgrad.tracing.events import Trace
from glassgrad.tracing.graph import Entry, Graph
from glassgrad.tracing.graph import op_of as op_name
from glassgrad.tracing.summary import HEAD, ArrayTable, summarize
from glassgrad.utils.checkpoint import CheckpointFunction
from glassgrad.values.backend import asnumpy
from glassgrad.viz.whose import Whose
from glassgrad.viz.wording import NOTATION, escape

from .checking import Rerun, Verdict, compare, op_node, positions, rerun_of, run_rule
from .formulas import formulas_of, latex_of, op_of, words_of
from .in_numbers import SUMMED, Gradient, letters_told, rule_in_numbers

__all__ = ["Explanation", "explain"]

WIDE = 100  # characters of an array
PROBED = "checked with 1 in place of gradients that are 0, tiny or huge: of 0, any rule makes 0"
MADE_UP = (
    "nothing is left: made-up values stand in, from which the forward leaves for the rule exactly "
    "what it left here"
)
PARTS = ("value", "tangent", "gradient")

# Of a tensor: its name, the array, and its versions when it was saved and now.
Saved = tuple[str, Any, tuple[int, int]]


@dataclass(slots=True, repr=False)
class Explanation:
    """What `explain` found out. It prints as text, and a notebook shows it with its formulas.

    Args:
        name: of the node, "MulBackward0".
        words: the first line of the op's docstring.
        formulas: LaTeX of value, tangent and cotangent, if any; printed if `words` has none.
        saved: for each tensor it saved the name, the array, and the versions then and now.
        edges: for each operand where its gradient goes, in words.
        given: the gradients of the outputs that the rule was run on.
        results: the gradients that it returned, one per edge; None if it was not run.
        rule: how each came about: its symbol, and its formula with these numbers in it.
        verdicts: what differences say of them, by edge; empty if there was nothing to compare.
        notes: what could not be done, or holds with a restriction, and why.
        letters: what each letter of the formulas stands for here, in words and numbers.
        whose: what the tensors that it saved are called, by PyTorch's word for them.
    """

    name: str
    words: str
    formulas: tuple[str, ...]
    saved: list[Saved]
    edges: list[str]
    given: Grads
    results: Grads | None = None
    rule: list[tuple[str, str]] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    letters: list[tuple[str, str]] = field(default_factory=list)
    whose: dict[str, str] = field(default_factory=dict)

    @property
    def ok(self) -> bool | None:
        """Whether the rule agrees with differences everywhere; None if nothing was compared."""
        if any(note.startswith("WRONG") for note in self.notes):
            return False
        if not all(verdict.ok for verdict in self.verdicts):
            return False
        skipped = sum(verdict.kinks for verdict in self.verdicts)
        compared = sum(verdict.places for verdict in self.verdicts)
        return True if compared or (self.verdicts and not skipped) else None

    def rows(self) -> list[tuple[str, str, str]]:
        """All of it but the formulas, in rows: section, key, text."""
        rows = [("saved", *_saved_text(*item, self.whose)) for item in self.saved]
        rows += [("edges", f"edge {at}", text) for at, text in enumerate(self.edges, 1)]
        rows += [("rule", *line) for line in self.rule]
        rows += [("letters", *line) for line in self.letters]
        given = self.given if self.results else ()
        several = len(given) > 1
        numbers = [(f"given {at}" if several else "given", g) for at, g in enumerate(given, 1)]
        numbers += [(f"edge {at}", grad) for at, grad in enumerate(self.results or (), 1)]
        rows += [("these numbers", key, _numbers(array)) for key, array in numbers]
        rows += [("check", f"edge {each.edge + 1}", _verdict_text(each)) for each in self.verdicts]
        return rows + [("notes", "–", note) for note in self.notes]

    def __str__(self) -> str:
        parts = [] if " = " in self.words else zip(PARTS, self.formulas, strict=False)
        lines = [f"{self.name}: {self.words}", *(f"  {part:<9}  {tex}" for part, tex in parts)]
        lines += [f"  ({NOTATION})"] if self.rule or self.letters else []
        rows = self.rows()
        wide = max((_width(key) for _, key, _ in rows), default=0)
        for section, items in groupby(rows, itemgetter(0)):
            lines.append(section)
            for _, key, text in items:
                equals = "= " if section == "rule" and key != "rule" else ""
                lines.append(f"  {key}{' ' * (wide - _width(key))}  {equals}{text}")
        return "\n".join(lines)

    __repr__ = __str__

    @property
    def html(self) -> str:
        """The same as HTML. The formulas are LaTeX: notebooks typeset it, and remove MathML."""
        words = f"<strong>{escape(self.name)}</strong>: {escape(self.words)}"
        parts = [f'<p style="white-space:pre-wrap">{words}</p>', "<table>"]
        for key, tex in zip(PARTS, self.formulas, strict=False):
            parts.append(f"<tr><th>{key}</th><td>\\({escape(tex)}\\)</td></tr>")
        if self.formulas:
            about = f'<td class="tex2jax_ignore mathjax_ignore">{escape(NOTATION)}</td>'
            parts.append(f"<tr><th></th>{about}</tr>")
        for section, items in groupby(self.rows(), itemgetter(0)):
            parts.append(f'<tr><th colspan="2">{section}</th></tr>')
            for _, key, text in items:
                # A user's text next to MathJax: nothing in it is a formula.
                equals = "= " if section == "rule" and key != "rule" else ""
                body = f'<td class="tex2jax_ignore mathjax_ignore">{equals}{escape(text)}</td>'
                parts.append(f"<tr><td>{escape(key)}</td>{body}</tr>")
        return "\n".join([*parts, "</table>"])

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/html": self.html, "text/plain": str(self)}


def explain(
    what: Tensor | Node | GradientEdge, *, gradient: Any = None, operands: Any = None
) -> Explanation:
    """Explain one step of the backward graph: its op, its rule, and the rule in these numbers.

    The node's own rule is run on copies, outside of any pass: nothing is freed, no hook is called,
    no `.grad` changes. What it returns is held against central differences of the op's forward,
    as far as the operands can still be known. A user's forward runs again for each difference, on
    copies, too; what it prints is printed.

    Args:
        what: a node (`y.grad_fn`), or a tensor that requires grad.
        gradient: of the node's output, of its shape; a tuple for several outputs. Default: ones.
        operands: what the op was called with, where the node cannot tell.

    Returns:
        An Explanation: print it, or leave it to a notebook. `.ok` is the outcome of the check.

    Raises:
        ArgumentTypeError: if `what` is no part of a graph, or `gradient` is not made of numbers.
        ArgumentError: if `gradient` has another shape, or not one entry per output.

    Example:
        >>> x = tensor([3.0, 4.0], requires_grad=True)
        >>> print(explain(x * x).results[0])
        [3. 4.]
        >>> explain(x.exp()).ok
        True
    """
    node = node_of(what)
    given = _given(node, gradient)
    found = Explanation(
        plain(type(node).__name__),
        _words(node),
        latex_of(op_of(node)),
        [] if hasattr(node, "_level") else _saved(op_node(node)),
        [_edge_text(edge) for edge in node.edges],
        given,
        notes=_notes(node),
    )
    if not found.notes:
        _add_numbers(found, node, operands)
        _add_names(found, node)
    return found


def node_of(what: Any) -> Node:
    """The node of a tensor, an edge or a node.

    Raises:
        ArgumentTypeError: if it is no part of a graph.
    """
    edge = edge_of(what) if isinstance(what, Tensor) else what
    if isinstance(edge, (Node, GradientEdge)):
        found: Node = ends(edge)[0]
        return found
    shown = "a Tensor that does not require grad" if edge is None else f"a {type(what).__name__}"
    raise ArgumentTypeError(
        f"explain() was given {shown}. It explains a step of the backward graph, and that is none. "
        "Write `explain(y)` or `explain(y.grad_fn)` of a y that was computed from a tensor with "
        "requires_grad=True."
    )


def _given(node: Node, gradient: Any) -> Grads:
    """The gradients of the outputs, as arrays; none for an output of indices."""
    metas = node._input_metadata
    several = isinstance(gradient, (tuple, list)) and len(metas) > 1
    grads: Any = gradient if several else (gradient,)
    if gradient is None:
        real = [meta.dtype is not None and meta.dtype.kind in "fc" for meta in metas]
        pairs = zip(metas, real, strict=True)
        grads = [np.ones(tuple(meta.shape)) if is_real else None for meta, is_real in pairs]
    if len(grads) != len(metas):
        raise ArgumentError(
            f"explain() was given {len(grads)} gradient, and {node.name()} has {len(metas)} "
            "outputs. A rule takes one for each. Write `gradient=(g0, g1, …)`, None for none."
        )
    return tuple([_fitting(grad, meta) for grad, meta in zip(grads, metas, strict=True)])


def _fitting(grad: Any, meta: Any) -> Any:
    """The gradient of one output as an array."""
    if grad is None:
        return None
    array = asnumpy(grad.payload) if isinstance(grad, Tensor) else np.asarray(grad)
    shape = tuple(meta.shape)
    if array.dtype.kind not in "biufc":
        raise ArgumentTypeError(
            f"explain() was given a {type(grad).__name__} as gradient: {plain(repr(grad), 40)}. "
            "A gradient is made of numbers. Write `gradient=glassgrad.ones(shape)`."
        )
    if array.shape != shape:
        raise ArgumentError(
            f"explain() was given a gradient of shape {array.shape} for an output of shape "
            f"{shape}. They go together element by element. "
            f"Write `gradient=glassgrad.ones({shape})`."
        )
    return array.astype(meta.dtype)


def _words(node: Node) -> str:
    words = words_of(op_of(node))
    if isinstance(node, CopySlices) and node.fn is not None:
        return f"{words}, where {type(node.fn).__name__}: {_words(node.fn)}"
    return words


def _saved(node: Any) -> list[Saved]:
    found: list[Saved] = []
    for name, kept, _, then, now in places(node):
        if kept is not None:
            array = next(iter(arrays_in(kept)), None)
            found.append((name, getattr(array, "payload", array), (then, now)))
    return found


def _edge_text(edge: Any, graph: Graph | None = None) -> str:
    if edge is None:
        return "∅: that operand needs no gradient"
    node, nr = ends(edge)
    name = None
    if isinstance(node, AccumulateGrad):
        name = graph.label(node.variable) if graph else node.variable.name
    which = f" of {plain(name)}" if name else f", output {nr + 1}" if node.num_outputs > 1 else ""
    return f"→ {plain(type(node).__name__)}{which} {shape_text(node._input_metadata[nr].shape)}"


# The numbers -------------------------------------------------------------------------------------


def _notes(node: Node) -> list[str]:
    if isinstance(node, AccumulateGrad):
        grad = node.variable.grad
        have = "None" if grad is None else _numbers(asnumpy(grad.payload))
        return [f"the end of an edge: what arrives is added to .grad, which is {have} now"]
    if hasattr(node, "_level"):
        return ["recorded inside of a transform: its values are the transform's, and not shown"]
    if op_of(node) is CheckpointFunction:
        return ["its rule runs a whole pass of its own, which adds to .grad: so it is not run here"]
    return []


def _add_numbers(found: Explanation, node: Node, operands: Any) -> None:
    """Add what the rule returns, and what differences say of that."""
    try:
        results, summed = run_rule(node, found.given)
    except Exception as error:  # noqa: BLE001  # a user's rule may raise anything: we show it
        first = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        found.notes.append(f"the rule cannot be run: {one_line(first, 400)}")
        return
    found.results, rerun = results, None
    try:
        rerun = rerun_of(node, operands)
        probe: Grads = tuple([None if grad is None else _telling(grad) for grad in found.given])
        found.verdicts = compare(rerun, probe, run_rule(node, probe)[0])
        if not all(np.array_equal(*pair) for pair in zip(probe, found.given, strict=True)):
            found.notes.append(PROBED)
        if rerun.made_up:
            which = " and ".join(f"operand {at + 1}" for at in sorted(set(rerun.made_up)))
            found.notes.append(f"of {which} {MADE_UP}")
    except Exception as reason:  # noqa: BLE001  # a user's forward may raise anything, too
        found.notes.append(f"no differences: {one_line(str(reason) or type(reason).__name__, 400)}")
        found.notes.append(_what_holds(node, found.given, results))
    wrong = [verdict.edge for verdict in found.verdicts if not verdict.ok]
    before = dict.fromkeys(summed, SUMMED) | dict.fromkeys(wrong, ", but the rule says ")
    found.rule = _rule(found, node, rerun, before)


def _rule(
    found: Explanation, node: Node, rerun: Rerun | None, before: dict[int, str]
) -> list[tuple[str, str]]:
    """The rule of a node with its numbers in it; nothing for one without formulas of its own.

    Args:
        rerun: its forward, where that is known: it knows operands that were not saved.
        before: by edge, what stands before the result, where it is not what the formula gives.
    """
    formulas = formulas_of(op_of(node))
    if formulas is None:
        return []
    # Numbers that were no operands: the exponent of `x ** 2`.
    known = {letter: getattr(node, name, None) for letter, name in formulas.parameters.items()}
    if rerun is not None:
        operands = enumerate(zip(formulas.operands, rerun.operands, strict=False))
        known |= {letter: value for at, (letter, value) in operands if at not in rerun.made_up}
    numbers = {
        letter: summarize(value)
        for letter, value in known.items()
        if isinstance(value, (np.ndarray, int, float)) and not isinstance(value, bool)
    }
    gradients = [
        Gradient(at, _entry(result), before.get(edge, ""))
        for edge, (at, result) in enumerate(zip(positions(node), found.results or (), strict=False))
    ]
    saved = {name: _entry(array) for name, array, _ in found.saved}
    return rule_in_numbers(op_of(node), gradients, map(_entry, found.given), saved, numbers)


def _add_names(found: Explanation, node: Node) -> None:
    """Add what the letters of the formulas stand for, and whose values were saved."""
    goals = [ends(edge)[0] for edge in node.edges if edge is not None]
    graph, table = Graph(dict.fromkeys([node, *goals]), []), ArrayTable()
    entry = graph.seen_node(table, node).entry(table)
    others = [{"id": graph.node[goal], "op": op_name(goal), "edges": []} for goal in goals]
    leaves = [graph.seen_leaf(table, leaf).entry(table) for leaf in graph.leaves]
    whose = Whose(Trace({"nodes": [*others, entry], "leaves": leaves}, table.summaries, []))
    given = map(_entry, found.given)
    found.edges = [_edge_text(edge, graph) for edge in node.edges]
    kept = [(each["name"], whose.saved(entry, each)) for each in entry.get("saved", ())]
    found.whose = {name: called for name, called in kept if called}
    found.letters = letters_told(op_of(node), entry, whose, table.summaries, given)


def _entry(array: Any) -> Entry | None:
    """An array as a trace has it, but for its elements: they are not rounded."""
    if array is None:
        return None
    array = asnumpy(array)
    found = summarize(array)
    is_exact = array.dtype.kind == "f" and bool(np.isfinite(array.flat[:HEAD]).all())
    return found | {"head": array.flat[:HEAD].tolist()} if is_exact else found


def _telling(grad: Any) -> Any:
    """The gradient, with 1 for what is 0, tiny or huge: of 0, any rule makes 0."""
    size = np.abs(grad)
    return np.where((size >= 1e-2) & (size <= 1e3), grad, np.ones_like(grad))


def _what_holds(node: Node, given: Grads, results: Grads) -> str:
    """What can be said of a rule without its forward: it is linear in the gradient."""
    try:
        double = tuple([None if grad is None else grad * 2 for grad in given])
        twice, _ = run_rule(node, double)
    except Exception as error:  # noqa: BLE001  # it ran the first time
        return f"WRONG: run on twice the gradient, the rule raises {type(error).__name__}"
    for edge, (one, two) in enumerate(zip(results, twice, strict=True)):
        if one is not None and not np.allclose(one * 2, two, rtol=1e-3, equal_nan=True):
            return (
                f"WRONG: twice the gradient does not give twice the gradient along edge {edge + 1}"
            )
    return "what can be checked without: twice the gradient gives twice the results"


# Words -------------------------------------------------------------------------------------------


def _width(text: str) -> int:
    """How many places a text takes: a bar over a letter takes none."""
    return sum(not unicodedata.combining(char) for char in text)


def _numbers(array: Any) -> str:
    """An array in one line: its shape, and its first elements."""
    if array is None:
        return "none"
    text = np.array2string(np.asarray(array), precision=4, threshold=8, edgeitems=2)
    return f"{shape_text(array.shape)} {one_line(text, WIDE)}"


def _saved_text(
    name: str, array: Any, versions: tuple[int, int], whose: dict[str, str]
) -> tuple[str, str]:
    then, now = versions
    version = f"v{then}" if then == now else f"saved at v{then}, now v{now}: stale"
    values = "packed by hooks" if array is None else f"{array.dtype} {_numbers(asnumpy(array))}"
    key = f"{whose[name]} ({plain(name)})" if name in whose else plain(name)
    return key, f"{values}  {version}"


def _verdict_text(verdict: Verdict) -> str:
    total = verdict.places + verdict.kinks
    short = ", no more, for the forward is slow" if verdict.is_short else ""
    counted = f"{verdict.places} of {total} {verdict.along}{short}"
    rest = f"; {verdict.kinks} left out: no derivative there" if verdict.kinks else ""
    if not verdict.places:
        return f"nothing to compare{rest or ': no elements'}"
    if verdict.ok:
        return f"✓ agrees with differences of the forward, {counted}{rest}"
    where = ", ".join(str(index) for index in verdict.worst)
    place = f"direction {where}" if verdict.along == "directions" else f"[{where}]"
    return (
        f"✗ WRONG at {place}: the rule says {verdict.rule:.5g}, differences say "
        f"{verdict.slope:.5g} ({counted}{rest})"
    )
