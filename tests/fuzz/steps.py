"""The lines a random program may have: each maker looks at the values there are and writes one."""

from collections.abc import Callable
from typing import Any, NamedTuple

from fuzz.program import Step

__all__ = ["HOOKS", "MAKERS", "PASSES", "WRITES", "LineMaker"]

Build = Callable[[Any], Step | None]


class LineMaker(NamedTuple):
    """How to write a line of one op."""

    op: str
    feature: str
    build: Build


def _has_dims(n: int) -> Callable[[Any], bool]:
    return lambda x: x.dim() >= n and x.is_floating_point()


def _is_small(x: Any) -> bool:
    return x.is_floating_point() and bool((x.detach().abs() < 20).all())


def _requires_grad(x: Any) -> bool:
    return bool(x.requires_grad)


def _is_inner(x: Any) -> bool:
    return x.requires_grad and not x.is_leaf


# Ops and views: a template, and which values it takes -------------------------------------------


def _of_one(op: str, template: str, feature: str = "ops", want: Any = _is_small, n: int = 1) -> Any:
    def build(g: Any) -> Step | None:
        a = g.pick(want)
        if a is None:
            return None
        outs = [g.name() for _ in range(n)]
        return Step(op, feature, f"{', '.join(outs)} = {template.format(a=a)}", tuple(outs), (a,))

    return LineMaker(op, feature, build)


def _of_two(op: str, template: str, feature: str = "ops", n: int = 1) -> LineMaker:
    def build(g: Any) -> Step | None:
        a = g.pick(_is_small)
        b = g.pick(lambda x: _is_small(x) and _broadcast(x.shape, g.of(a).shape))
        if a is None or b is None:
            return None
        outs = [g.name() for _ in range(n)]
        line = f"{', '.join(outs)} = {template.format(a=a, b=b)}"
        return Step(op, feature, line, tuple(outs), (a, b))

    return LineMaker(op, feature, build)


def _broadcast(a: Any, b: Any) -> bool:
    pairs = zip(reversed(a), reversed(b), strict=False)
    return all(n == m or 1 in (n, m) for n, m in pairs)


def _rows(x: Any) -> bool:
    return x.is_floating_point() and x.dim() >= 1 and x.shape[0] == 2


def _matrix(x: Any) -> bool:
    return _is_small(x) and x.dim() == 2


MAKERS = [
    _of_two("add", "{a} + {b}"),
    _of_two("sub", "{a} - {b}"),
    _of_two("mul", "{a} * {b}"),
    _of_two("mul", "{b} * {a}"),
    _of_two("div", "{a} / ({b} * {b} + 1.5)"),
    _of_two("maximum", "lib.maximum({a}, {b})"),
    _of_two("where", "lib.where({a} > 0, {a}, {b})"),
    _of_one("neg", "-{a}"),
    _of_one("sin", "{a}.sin()"),
    _of_one("tanh", "{a}.tanh()"),
    _of_one("sigmoid", "{a}.sigmoid()"),
    _of_one("exp", "({a} * 0.125).exp()"),
    _of_one("relu", "{a}.relu()"),
    _of_one("pow", "{a} ** 2"),
    _of_one("rsub", "1.5 - {a}"),
    _of_one("double", "{a} + {a}"),
    _of_one("sum", "{a}.sum()"),
    _of_one("sum", "{a}.sum(0)", want=_has_dims(1)),
    _of_one("mean", "{a}.mean()"),
    _of_one("clone", "{a}.clone()"),
    _of_one("matmul", "{a} @ {a}.t()", want=_matrix),
    _of_one("index", "{a}[[0, 1, 0]]", want=_rows),
    _of_one("linear", "lib.nn.functional.linear({a}, {a})", want=_matrix),
    _of_one("stack", "lib.stack([{a}, {a}])", want=lambda x: _is_small(x) and x.dim() < 3),
    _of_one("t", "{a}.t()", "views", _matrix),
    _of_one("transpose", "{a}.transpose(0, -1)", "views", _has_dims(1)),
    _of_one("flat", "{a}.reshape(-1)", "views", _has_dims(1)),
    _of_one("view_as", "{a}.view_as({a})", "views"),
    _of_one("unsqueeze", "{a}.unsqueeze(0)", "views", lambda x: _is_small(x) and x.dim() < 3),
    _of_one("squeeze", "{a}.squeeze()", "views"),
    _of_one("select", "{a}[0]", "views", _has_dims(1)),
    _of_one("select", "{a}[..., -1]", "views", _has_dims(1)),
    _of_one("slice", "{a}[:2]", "views", _has_dims(1)),
    _of_one("slice", "{a}[..., 1:]", "views", _has_dims(2)),
    _of_one("expand", "{a}.expand(2, -1)", "views", lambda x: _is_small(x) and x.dim() == 1),
    _of_one("unbind", "{a}.unbind()", "views", _rows, n=2),
    _of_one("chunk", "{a}.chunk(2)", "views", _rows, n=2),
    _of_one("split_function", "Split.apply({a})", "functions", n=2),
    _of_two("swap_function", "Swap.apply({a}, {b})", "functions", n=2),
    _of_one("nothing_function", "Nothing.apply({a})", "functions"),
    _of_one("keep_function", "Keep.apply({a}, 0.5)", "functions"),
    _of_one("alias_function", "Alias.apply({a})", "functions", _requires_grad),
    _of_one("window_function", "Window.apply({a})", "functions", lambda x: x.dim() < 3),
    _of_one("half_function", "Half.apply({a})", "functions", n=2),
    _of_one("detach", "{a}.detach()", "detach"),
]


# Writes -------------------------------------------------------------------------------------------


def _write(op: str, template: str, feature: str = "writes", *, views: bool = True) -> LineMaker:
    def build(g: Any) -> Step | None:
        def allowed(x: Any) -> bool:
            if not _is_small(x) or x.dim() == 0 or not g.may_write(x):
                return False
            return g.may_fail or feature == "no_grad" or not (x.is_leaf and x.requires_grad)

        a = g.pick(allowed)
        if a is None:
            return None
        b = g.pick(lambda x: _is_small(x) and tuple(x.shape) == tuple(g.of(a).shape))
        line = template.format(a=a, b=b)
        return Step(op, feature, line, (), (a, b) if "{b}" in template else (a,))

    return LineMaker(op, feature, build)


WRITES = [
    _write("dirty_function", "Dirty.apply({a})"),
    _write("add_", "{a}.add_({b})"),
    _write("sub_", "{a}.sub_({b})"),
    _write("mul_", "{a}.mul_({b})"),
    _write("mul_number_", "{a}.mul_(0.75)"),
    _write("div_", "{a}.div_(1.25)"),
    _write("copy_", "{a}.copy_({b})"),
    _write("zero_", "{a}.zero_()"),
    _write("iadd", "{a} += 0.5"),
    _write("silent_add", "exec('with lib.no_grad(): {a}.add_(0.125)')", "no_grad"),
    _write("silent_item", "exec('with lib.no_grad(): {a}[0] = 0.25')", "no_grad"),
    _write("detached_mul", "{a}.detach().mul_(0.5)", "detach"),
]


# Hooks --------------------------------------------------------------------------------------------


def _hook(op: str, template: str, feature: str = "hooks", want: Any = _requires_grad) -> LineMaker:
    def build(g: Any) -> Step | None:
        a = g.pick(want)
        if a is None or (op == "watch" and a in g.tainted):
            return None
        at = repr(a) if g.of(a).is_leaf else None
        name = f"{op}{len(g.steps)}"
        return Step(op, feature, template.format(a=a, name=name, at=at), (), (a,))

    return LineMaker(op, feature, build)


def _is_leaf(x: Any) -> bool:
    return x.requires_grad and x.is_leaf


HOOKS = [
    _hook("hook", "{a}.register_hook(look('{name}', {at}))"),
    _hook("hook_twice", "[{a}.register_hook(look('{name}' + i, {at})) for i in 'ab']"),
    _hook("hook_scale", "{a}.register_hook(look('{name}', {at}, 1.5))"),
    _hook(
        "prehook_scale", "{a}.grad_fn.register_prehook(look('{name}', None, 0.5))", want=_is_inner
    ),
    _hook("posthook", "{a}.grad_fn.register_hook(after('{name}'))", want=_is_inner),
    _hook(
        "posthook_scale", "{a}.grad_fn.register_hook(after('{name}', None, 2.0))", want=_is_inner
    ),
    _hook(
        "accumulated",
        "{a}.register_post_accumulate_grad_hook(stored('{name}', {at}))",
        want=_is_leaf,
    ),
    _hook("retain_grad", "{a}.retain_grad()", "retain", _is_inner),
    _hook("watch", "watch('{name}', {a})", "watch", _is_inner),
]


# Passes -------------------------------------------------------------------------------------------


def _roots(g: Any) -> list[str]:
    """One to three values that require grad, at times the same twice."""
    found = [g.pick(_is_inner) for _ in range(g.rng.choice((1, 1, 2, 3)))]
    return [name for name in found if name is not None]


def _below(g: Any, roots: list[str], most: int) -> list[str]:
    """Some values that the roots were computed from."""
    node_of, behind = g.player.names["node_of"], g.player.names["behind"]
    nodes = set(behind(*[g.of(name) for name in roots]))
    count = g.rng.randint(1, most)
    found = [g.pick(lambda x: x.requires_grad and node_of(x) in nodes) for _ in range(count)]
    return [name for name in found if name is not None]


def _listed(names: list[str], call: str = "{}") -> str:
    return f"[{', '.join(call.format(name) for name in names)}]"


def _backward(op: str, extra: str = "") -> LineMaker:
    def build(g: Any) -> Step | None:
        roots = _roots(g)
        if not roots:
            return None
        inputs = _below(g, roots[:1], 2)
        if extra.endswith("{inputs}"):
            roots = roots[:1]
        options = extra.format(inputs=_listed(inputs))
        line = f"lib.autograd.backward({_listed(roots)}, {_listed(roots, 'weights({})')}{options})"
        uses = tuple(roots + inputs) if "inputs" in extra else tuple(roots)
        return Step(op, "backward", line, (), uses, tuple(roots))

    return LineMaker(op, "backward", build)


def _grad(op: str, feature: str, extra: str) -> LineMaker:
    def build(g: Any) -> Step | None:
        roots = _roots(g)[:1]
        if not roots:
            return None
        inputs = _below(g, roots, 3)
        out = g.name()
        seeds = _listed(roots, "weights({})")
        line = f"{out} = lib.autograd.grad({_listed(roots)}, {_listed(inputs)}, {seeds}{extra})"
        return Step(op, feature, line, (out,), tuple(roots + inputs), tuple(roots))

    return LineMaker(op, feature, build)


def _second(g: Any) -> Step | None:
    """Differentiate the gradients themselves."""
    roots = _roots(g)[:1]
    if not roots:
        return None
    wanted = _below(g, roots, 1)[0]
    out = g.name()
    line = f"{out} = twice({_listed(roots)}, {wanted}, {_listed(roots, 'weights({})')})"
    return Step("grad_of_grad", "create_graph", line, (out,), (*roots, wanted), tuple(roots))


PASSES = [
    _backward("backward", ""),
    _backward("backward_kept", ", retain_graph=True"),
    _backward("backward_inputs", ", retain_graph=True, inputs={inputs}"),
    _grad("grad", "grad", ", allow_unused=True"),
    _grad("grad_kept", "grad", ", retain_graph=True, allow_unused=True"),
    _grad("grad_strict", "grad", ", retain_graph=True"),
    LineMaker("grad_of_grad", "create_graph", _second),
]
