"""Lines of transforms, up to three inside each other, and of forward mode."""

import re
from typing import Any

from fuzz.lines import LineMaker, is_inner, is_leaf, is_real, line
from fuzz.program import Step

__all__ = ["FORWARD", "TRANSFORMS"]

SAME = [
    "{e}.sin()",
    "({e} * {f})",
    "({e} + {f})",
    "({e} - 2 * {f})",
    "{e}.tanh()",
    "({e} * 0.5).exp()",
    "{e}.pow(2)",
    "lib.where({e} > 0, {e}, {f})",
    "lib.maximum({e}, {f})",
    "({e} / ({f} * {f} + 1.5))",
    "{e}.clone().mul_({f})",
    "({e} * 1.0).add_(0.5)",
    "({e} * 1.0).sin_()",
    "Cube.apply({e}, 0.25)",
    "Pair.apply({e}, {f})[0]",
    "Pair.apply({e}, {f})[1]",
    "again({e}, 'again')",
    "{e}.detach()",
    "({e} + {e}.sum())",
    "({e} * {e}.mean())",
    "{e}.sigmoid()",
    "lib.stack([{e}, {f}]).sum(0)",
    "{e}.masked_fill({e} > 0.5, 0.25)",
    "{e}.to(lib.float64)",
]
ROWS = [
    "{e}.cumsum(0)",
    "{e}.softmax(-1)",
    "{e}.flip(0)",
    "{e}.sort(0)[0]",
    "{e}.reshape(-1).reshape({e}.shape)",
    "({e} - {e}.mean(0))",
    "{e}.transpose(0, -1).transpose(0, -1)",
    "lib.cat([{e}, {f}])[:1].expand({e}.shape)",
    "{e}.roll(1, 0)",
    "{e}[[0] * {e}.shape[0]]",
    "{e}.unbind(0)[0].expand({e}.shape)",
    "lib.linalg.norm({e}) * {e}",
]
REDUCED = ["{e}.sum()", "{e}.sum(0)", "{e}[0]", "{e}[..., [0]]", "{e}.mean(-1)", "{e}.reshape(-1)"]


def _expression(g: Any, shape: tuple[int, ...], captured: list[str], depth: int) -> str:
    """Of `x`, in its shape."""
    if depth == 0:
        near = [name for name in captured if tuple(g.of(name).shape) == shape]
        far = [f"{name}.mean()" for name in captured]
        return str(g.rng.choice(["x", "x", "x", *near, *far]))
    template = g.rng.choice(SAME + ROWS * (len(shape) > 0))
    parts = {letter: _expression(g, shape, captured, depth - 1) for letter in "ef"}
    if not re.search(r"\bx\b", parts["e"]):
        parts["e"] = "x"
    return str(template.format(**parts))


def _function(g: Any, shape: tuple[int, ...], captured: list[str], depth: int) -> str:
    """A function of a tensor of that shape: transforms around an expression."""
    if depth == 0:
        body = _expression(g, shape, captured, g.rng.randint(1, 2))
        if shape and g.rng.random() < 0.25:
            body = g.rng.choice(REDUCED).format(e=body)
        return f"lambda x: {body}"
    kinds = ["gradient", "pulled", "pushed", "gradients", "taped"]
    kinds += ["mapped"] * 3 * bool(shape) + ["mapped_with", "mapped_trees"] * bool(shape)
    small = 1
    for n in shape:
        small *= n
    kinds += ["jacrev", "jacfwd", "hessian"] * (small <= 3)
    kind = g.rng.choice(kinds)
    if kind.startswith("mapped"):
        dim = g.rng.choice((0, -1)) if kind != "mapped_trees" else 0
        inner = shape[1:] if dim == 0 else shape[:-1]
        f = _function(g, inner, captured, depth - 1)
        if kind == "mapped_trees":
            return f"mapped_trees({f})"
        options = f"out_dims={g.rng.choice((0, 0, -1))}"
        if g.rng.random() < 0.2:
            options += ", chunk_size=1"
        if kind == "mapped_with":
            return f"mapped_with({f}, {g.rng.choice(captured)}, in_dims=({dim}, None), {options})"
        return f"mapped({f}, in_dims={dim}, {options})"
    f = _function(g, shape, captured, depth - 1)
    if kind in ("jacrev", "jacfwd", "hessian"):
        if kind != "hessian" and g.rng.random() < 0.3:
            return f"jacobians({f}, '{kind}'{g.rng.choice(('', ', has_aux=True'))})"
        options = ", chunk_size=2" if kind == "jacrev" and g.rng.random() < 0.3 else ""
        return f"jacobian({f}, '{kind}'{options})"
    options = ", has_aux=True" if g.rng.random() < 0.3 else ""
    return f"{kind}({f}{options if kind in ('gradient', 'pulled', 'pushed') else ''})"


def _transform(op: str, depth: int, wraps: str = "({f})({a})") -> LineMaker:
    def build(g: Any) -> Step | None:
        a = g.pick(lambda x: is_real(x) and x.numel() <= 6)
        captured = [g.pick(lambda x: is_real(x) and x.numel() <= 6) for _ in range(2)]
        if a is None or None in captured:
            return None
        f = _function(g, tuple(g.of(a).shape), captured, depth)
        out = g.name()
        used = (a, *[name for name in captured if name in f])
        return Step(op, "transforms", f"{out} = {wraps.format(f=f, a=a)}", (out,), used)

    return LineMaker(op, "transforms", build)


FUNCTIONAL = [
    "'jacobian'",
    "'jacobian', vectorize=True",
    "'jacobian', create_graph=True",
    "'jacobian', vectorize=True, strategy='forward-mode'",
    "'jacobian', strict=True",
    "'hessian'",
    "'hessian', vectorize=True",
    "'hessian', create_graph=True",
    "'vjp'",
    "'vjp', create_graph=True",
    "'jvp'",
    "'vhp'",
    "'hvp'",
    "'hvp', create_graph=True",
]

TRANSFORMS = [
    *[_transform("transform", depth) for depth in (1, 2, 2, 3, 3)],
    _transform("transform", 0, "linear({f})({a}).detach()"),
    *[_transform("functional", 0, f"functional({{f}}, {kind})({{a}})") for kind in FUNCTIONAL],
    line(
        "batched",
        "batched({a}, {b}, retain_graph=True, allow_unused=True)",
        "transforms",
        is_inner,
        is_leaf,
    ),
]

FORWARD = [
    *[line("dual", "dual({a})", "forward", is_real)] * 4,
    line("tangent_of", "tell('{a}', {a})", "forward", is_real, None, 0),
    line("primal_of", "lib.autograd.forward_ad.unpack_dual({a}).primal", "forward", is_real),
    line("cube", "Cube.apply({a}, 0.25)", "forward", is_real),
    line("pair", "Pair.apply({a}, {b})", "forward", is_real, None, 2),
    line("dual_of_view", "dual({a}[0])", "forward", lambda x: is_real(x) and x.dim() > 0),
    line(
        "not_forward",
        "exec('with lib.autograd.forward_ad._set_fwd_grad_enabled(False): {a}.sin()')",
        "forward",
        is_real,
        None,
        0,
    ),
]
