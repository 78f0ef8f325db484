"""Lines that compute: ops, views, user Functions, and all of them inside blocks."""

from typing import Any

from fuzz.known import is_fused
from fuzz.lines import (
    LineMaker,
    has_dims,
    indented,
    is_matrix,
    is_small,
    of_one,
    of_two,
    requires_grad,
    rows,
)
from fuzz.program import Step

__all__ = ["MAKERS"]


PACK_MORE = {"index", "index_select", "scatter", "index_add"}
"""Ops with which PyTorch packs the index, too."""


def _is_two_by_two(x: Any) -> bool:
    return is_small(x) and tuple(x.shape) == (2, 2)


PLAIN = [
    of_two("add", "{a} + {b}"),
    of_two("sub", "{a} - {b}"),
    of_two("mul", "{a} * {b}"),
    of_two("mul", "{b} * {a}"),
    of_two("div", "{a} / ({b} * {b} + 1.5)"),
    of_two("maximum", "lib.maximum({a}, {b})"),
    of_two("where", "lib.where({a} > 0, {a}, {b})"),
    of_two("lerp", "{a}.lerp({b}, 0.25)"),
    of_two("minimum", "lib.minimum({a}, {b})"),
    of_two("addcmul", "lib.addcmul({a}, {b}, {b}, value=0.5)"),
    of_one("neg", "-{a}"),
    of_one("sin", "{a}.sin()"),
    of_one("tanh", "{a}.tanh()"),
    of_one("sigmoid", "{a}.sigmoid()"),
    of_one("exp", "({a} * 0.125).exp()"),
    of_one("relu", "{a}.relu()"),
    of_one("abs", "{a}.abs()"),
    of_one("cos", "{a}.cos()"),
    of_one("sqrt", "({a} * {a} + 0.5).sqrt()"),
    of_one("log", "({a} * {a} + 0.5).log()"),
    of_one("clamp", "{a}.clamp(-0.75, 0.75)"),
    of_one("masked_fill", "{a}.masked_fill({a} > 0.5, 0.25)"),
    of_one("pow", "{a} ** 2"),
    of_one("rsub", "1.5 - {a}"),
    of_one("double", "{a} + {a}"),
    of_one("sum", "{a}.sum()"),
    of_one("sum", "{a}.sum(0)", want=has_dims(1)),
    of_one("mean", "{a}.mean()"),
    of_one("var", "{a}.var()", want=rows),
    of_one("cumsum", "{a}.cumsum(0)", want=has_dims(1)),
    of_one("logsumexp", "{a}.logsumexp(0)", want=has_dims(1)),
    of_one("softmax", "{a}.softmax(-1)", want=has_dims(1)),
    of_one("amax", "{a}.amax(0)", want=has_dims(1)),
    of_one("max", "{a}.max()"),
    of_one("median", "{a}.median()"),
    of_one("flip", "{a}.flip([0])", want=has_dims(1)),
    of_one("index_select", "{a}.index_select(0, places([1, 0, 1]))", want=rows),
    of_one("scatter", "{a}.scatter(0, places([[1, 0], [0, 1]]), {a} * 2)", want=_is_two_by_two),
    of_one("index_add", "{a}.index_add(0, places([1, 1]), {a} * 0.5)", want=rows),
    of_one("clone", "{a}.clone()"),
    of_one("matmul", "{a} @ {a}.t()", want=is_matrix),
    of_one("index", "{a}[[0, 1, 0]]", want=rows),
    of_one("linear", "lib.nn.functional.linear({a}, {a})", want=is_matrix),
    of_one("cat", "lib.cat([{a}, {a}])", want=has_dims(1)),
    of_one("stack", "lib.stack([{a}, {a}])", want=lambda x: is_small(x) and x.dim() < 3),
    of_one("t", "{a}.t()", "views", is_matrix),
    of_one("transpose", "{a}.transpose(0, -1)", "views", has_dims(1)),
    of_one("flat", "{a}.reshape(-1)", "views", has_dims(1)),
    of_one("view_as", "{a}.view_as({a})", "views"),
    of_one("unsqueeze", "{a}.unsqueeze(0)", "views", lambda x: is_small(x) and x.dim() < 3),
    of_one("squeeze", "{a}.squeeze()", "views"),
    of_one("select", "{a}[0]", "views", has_dims(1)),
    of_one("select", "{a}[..., -1]", "views", has_dims(1)),
    of_one("slice", "{a}[:2]", "views", has_dims(1)),
    of_one("slice", "{a}[..., 1:]", "views", has_dims(2)),
    of_one("expand", "{a}.expand(2, -1)", "views", lambda x: is_small(x) and x.dim() == 1),
    of_one("permute", "{a}.permute(-1, 0)", "views", is_matrix),
    of_one("movedim", "{a}.movedim(0, -1)", "views", has_dims(2)),
    of_one("narrow", "{a}.narrow(0, 0, 1)", "views", has_dims(1)),
    of_one("diagonal", "{a}.diagonal()", "views", is_matrix),
    of_one("view", "{a}.view({a}.shape)", "views"),
    of_one("split", "{a}.split(1)", "views", rows, n=2),
    of_one("unbind", "{a}.unbind()", "views", rows, n=2),
    of_one("chunk", "{a}.chunk(2)", "views", rows, n=2),
    of_one("split_function", "Split.apply({a})", "functions", n=2),
    of_two("swap_function", "Swap.apply({a}, {b})", "functions", n=2),
    of_one("nothing_function", "Nothing.apply({a})", "functions"),
    of_one("keep_function", "Keep.apply({a}, 0.5)", "functions"),
    of_one("alias_function", "Alias.apply({a})", "functions", requires_grad),
    of_one("window_function", "Window.apply({a})", "functions", lambda x: x.dim() < 3),
    of_one("half_function", "Half.apply({a})", "functions", n=2),
    of_one("detach", "{a}.detach()", "detach"),
]


def _inside(op: str, feature: str, block: str) -> LineMaker:
    """Any of the lines above, inside a block."""

    def build(g: Any) -> Step | None:
        step = g.rng.choice(PLAIN).build(g)
        if op == "packed" and "forward" in g.features:
            return None  # what a tangent saves is each library's own
        if step is None or is_fused(step.op) or (op == "packed" and step.op in PACK_MORE):
            return None
        return indented(step, block.format(name=f"{op}{len(g.steps)}"), op, feature)

    return LineMaker(op, feature, build)


def _again(op: str, extra: str) -> LineMaker:
    """A checkpoint."""

    def build(g: Any) -> Step | None:
        a = g.pick(is_small)
        if a is None:
            return None
        out = g.name()
        return Step(op, "checkpoint", f"{out} = again({a}, {out!r}{extra})", (out,), (a,))

    return LineMaker(op, "checkpoint", build)


MAKERS = [
    *PLAIN,
    *[_again("checkpoint", "")] * 3,
    _again("checkpoint_reentrant", ", reentrant=True"),
    *[_inside("packed", "saved_hooks", "packed('{name}')")] * 4,
    *[_inside("silent", "no_grad", "lib.no_grad()")] * 2,
]
