"""Random functions that are made of transforms of functions, to be played in both libraries.

A `Composition` is data: a program of small ops on vectors of `SIZE` numbers, and the transforms
around it, the outermost first. Each transform makes a function of a vector into another one, and
what is inside sees the vectors of all that is outside: so perturbations could be confused.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from hypothesis import strategies as st

import glassgrad
from both import plain

__all__ = ["SIZE", "Composition", "compositions", "play", "writing_compositions"]

SIZE = 3

Vector = Callable[[Any], Any]
"""A function of a vector that returns a vector."""


class Step(NamedTuple):
    """One op: its name and which earlier vectors it takes, counted from the newest."""

    op: str
    first: int
    second: int


class Layer(NamedTuple):
    """One transform: its name, and how the inner function uses the vector outside."""

    transform: str
    use: str


class Composition(NamedTuple):
    """A function, as data."""

    layers: tuple[Layer, ...]
    steps: tuple[Step, ...]


class User(glassgrad.autograd.Function):
    """A Function of a user: x·sin y, with rules of its own."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x: Any, y: Any) -> Any:
        return x * y.sin()

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        x, y = ctx.saved_tensors
        return grad * y.sin(), grad * x * y.cos()

    @staticmethod
    def jvp(ctx: Any, dx: Any, dy: Any) -> Any:
        x, y = ctx.saved_tensors
        return dx * y.sin() + x * y.cos() * dy


def _by_function(lib: Any, x: Any, y: Any) -> Any:
    """By a Function; PyTorch, whose Functions lose the tangents of tangents, by the formula."""
    return User.apply(x, y) if lib is glassgrad else x * y.sin()


# Programs ---------------------------------------------------------------------------------------

OPS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "add": lambda lib, x, y: x + y,
    "sub": lambda lib, x, y: x - 0.5 * y,
    "mul": lambda lib, x, y: x * y,
    "div": lambda lib, x, y: x / (y * y + 1.5),
    "sin": lambda lib, x, y: x.sin(),
    "tanh": lambda lib, x, y: (x * y).tanh(),
    "exp": lambda lib, x, y: (-x * x).exp(),
    "square": lambda lib, x, y: x**2,
    "sum": lambda lib, x, y: x.sum() + y,
    "mean": lambda lib, x, y: x * y.mean(),
    "cumsum": lambda lib, x, y: x.cumsum(0),
    "outer": lambda lib, x, y: x.unsqueeze(1) @ y.unsqueeze(0) @ y,
    "dot": lambda lib, x, y: x.dot(y) * x,
    "flip": lambda lib, x, y: x.flip(0),
    "pick": lambda lib, x, y: x[[2, 0, 0]] + y[1],
    "stack": lambda lib, x, y: lib.stack([x, y, x * y]).sum(0),
    "cat": lambda lib, x, y: lib.cat([x[1:], y[:1]]),
    "where": lambda lib, x, y: lib.where(x > 0.1, x, y),
    "relu": lambda lib, x, y: (x + 0.2).relu(),
    "softmax": lambda lib, x, y: x.softmax(0),
    "shape": lambda lib, x, y: x.reshape(SIZE, 1).expand(SIZE, 2).t()[1],
    "detach": lambda lib, x, y: x * y.detach(),
    "constant": lambda lib, x, y: x * plain(lib, [0.5, -1.0, 2.0]),
    "integers": lambda lib, x, y: x + (y > 0) + lib.ones(SIZE, dtype=lib.int64),
    "ones": lambda lib, x, y: x * lib.ones_like(y),
    "user": _by_function,
}


def _writing(write: Callable[[Any, Any, Any], Any]) -> Callable[[Any, Any, Any], Any]:
    def op(lib: Any, x: Any, y: Any) -> Any:
        z = x * 1.0
        write(lib, z, y)
        return z

    return op


WRITES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "mul_": _writing(lambda lib, z, y: z.mul_(y)),
    "add_": _writing(lambda lib, z, y: z.add_(y, alpha=0.5)),
    "sin_": _writing(lambda lib, z, y: z.sin_()),
    "zero_": _writing(lambda lib, z, y: z.zero_()),
    "setitem": _writing(lambda lib, z, y: z.__setitem__(0, y[1])),
    "view": _writing(lambda lib, z, y: z[1:].mul_(y[:1])),
    "copy_": _writing(lambda lib, z, y: z.copy_(y)),
    "silent": _writing(lambda lib, z, y: _silently(lib, z)),
    "filled": lambda lib, x, y: _filled(lib, x, y),
    "given": lambda lib, x, y: x.mul_(y + 0.5) * 1.0,  # perhaps an argument, or captured
}


def _silently(lib: Any, z: Any) -> None:
    with lib.no_grad():
        z.mul_(0.5)


def _filled(lib: Any, x: Any, y: Any) -> Any:
    """A tensor made here, written element by element."""
    z = lib.zeros_like(x * y)
    z[0] = x[1] * y[0]
    z[1:] = x[:2]
    return z


def _run(lib: Any, steps: tuple[Step, ...], x: Any, captured: list[Any]) -> Any:
    made = [*captured, x]
    for op, first, second in steps:
        taken = [made[max(len(made) - 1 - i, 0)] for i in (first, second)]
        made.append({**OPS, **WRITES}[op](lib, *taken))
    return made[-1] * x.cos()


# Transforms -------------------------------------------------------------------------------------


def _grad(lib: Any, f: Vector, x: Any) -> Any:
    return lib.func.grad(lambda z: f(z).sum())(x)


def _value(lib: Any, f: Vector, x: Any) -> Any:
    slope, value = lib.func.grad_and_value(lambda z: f(z).sin().sum())(x)
    return slope * value


def _jvp(lib: Any, f: Vector, x: Any) -> Any:
    out, tangent = lib.func.jvp(f, (x,), (x.cos(),))
    return out * 0.5 + tangent


def _vjp(lib: Any, f: Vector, x: Any) -> Any:
    out, pull = lib.func.vjp(f, x)
    return pull(out.sin())[0]


def _jacrev(lib: Any, f: Vector, x: Any) -> Any:
    return lib.func.jacrev(f)(x) @ x.sin()


def _jacfwd(lib: Any, f: Vector, x: Any) -> Any:
    return x.sin() @ lib.func.jacfwd(f)(x)


def _vmap(lib: Any, f: Vector, x: Any) -> Any:
    return lib.func.vmap(f)(lib.stack([x, x * 0.5])).sum(0)


def _vmap_columns(lib: Any, f: Vector, x: Any) -> Any:
    columns = lib.stack([x, x.flip(0)], dim=1)
    return lib.func.vmap(f, in_dims=1, out_dims=1)(columns) @ plain(lib, [1.0, -0.5])


def _vmap_numbers(lib: Any, f: Vector, x: Any) -> Any:
    """One number of `x` for each example."""
    return lib.func.vmap(lambda number: f(number * x))(x).mean(0)


TRANSFORMS = {
    "grad": _grad,
    "grad_and_value": _value,
    "jvp": _jvp,
    "vjp": _vjp,
    "jacrev": _jacrev,
    "jacfwd": _jacfwd,
    "vmap": _vmap,
    "vmap of columns": _vmap_columns,
    "vmap of numbers": _vmap_numbers,
}

USES: dict[str, Callable[[Any, Any], Any]] = {
    "not": lambda out, outside: out,
    "times": lambda out, outside: out * outside,
    "plus": lambda out, outside: out + outside.sin(),
}


def play(lib: Any, composition: Composition) -> Vector:
    """The function in one library."""
    return _layered(lib, composition.layers, composition.steps, [])


def _layered(
    lib: Any, layers: tuple[Layer, ...], steps: tuple[Step, ...], captured: list[Any]
) -> Vector:
    if not layers:
        return lambda x: _run(lib, steps, x, captured)
    (transform, use), *rest = layers

    def function(x: Any) -> Any:
        inner = _layered(lib, tuple(rest), steps, [*captured, x])
        point = x * 1.0  # not to be written through: PyTorch's jvp then confuses the two
        return TRANSFORMS[transform](lib, lambda z: USES[use](inner(z), x), point)

    return function


# Strategies -------------------------------------------------------------------------------------


def _compositions(ops: list[str]) -> Any:
    numbers = st.integers(0, 6)
    steps = st.lists(
        st.builds(Step, st.sampled_from(ops), numbers, numbers), min_size=1, max_size=6
    )
    layers = st.lists(
        st.builds(Layer, st.sampled_from(list(TRANSFORMS)), st.sampled_from(list(USES))),
        min_size=1,
        max_size=4,
    )
    return st.builds(Composition, layers.map(tuple), steps.map(tuple))


compositions = _compositions(list(OPS))
writing_compositions = _compositions([*OPS, *WRITES, *WRITES])
