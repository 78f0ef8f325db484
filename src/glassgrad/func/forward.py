"""`jvp` and `linearize`: forward mode, of functions.

    jvp(f, (x,), (dx,))    f runs on a DualLevel, where x carries dx: each op moves both on
                           → f(x), ∂f/∂x·dx
    linearize(f, x)        → f(x), and the function dx ↦ ∂f/∂x·dx

The first is for one tangent, or for many at once by `vmap`; the second for one after the other.
"""

from collections.abc import Callable
from typing import Any

from glassgrad.core.errors import ArgumentError, ShapeError, TransformError
from glassgrad.core.tensor import Tensor
from glassgrad.ops import zeros_like
from glassgrad.values.layers import settled
from glassgrad.values.tree import Structure, describe, flatten, map_leaves, unflatten

from ._arguments import EVERY, places, selected
from ._dual_level import DualLevel
from ._outputs import all_settled, tensors_of, without_aux
from .reverse import run, vjp

__all__ = ["check_tensors", "jvp", "linearize", "push_forward"]

_API = "jvp(f, primals, tangents)"
_LINEARIZE = "linearize(f, *primals)"


def jvp(
    func: Callable[..., Any],
    primals: tuple[Any, ...],
    tangents: tuple[Any, ...],
    *,
    strict: bool = False,
    has_aux: bool = False,
) -> Any:
    """The value of `func`, and its Jacobian times a vector.

    Args:
        func: takes tensors, or trees of them, and returns tensors in any tree.
        primals: its arguments, floating-point tensors in any tree.
        tangents: how they move: of the same structure and shapes.
        strict: whether an output that does not depend on the inputs is an error.
        has_aux: whether `func` returns `(output, aux)`: `aux`, a tree of tensors, is handed on.

    Returns:
        `(output, tangent)`, or `(output, tangent, aux)`: the tangent has the structure and the
        shapes of the output, and is 0 where nothing moves.

    Raises:
        TransformError: if primals and tangents have other structures, or `func` returns anything
            but tensors.
        ShapeError: if a tangent has another shape than its primal.
        ArgumentError: for integers: they do not move by a small step.

    Example:
        >>> jvp(lambda x: x * x, (tensor([1.0, 2.0]),), (tensor([1.0, 10.0]),))
        (tensor([1., 4.]), tensor([ 2., 40.]))

    See also: https://pytorch.org/docs/stable/generated/torch.func.jvp.html
    """
    return push_forward(func, primals, tangents, EVERY, strict=strict, has_aux=has_aux)


def push_forward(
    func: Callable[..., Any],
    primals: Any,
    tangents: Any,
    argnums: Any,
    *,
    strict: bool = False,
    has_aux: bool = False,
) -> Any:
    """`jvp` with respect to some of the arguments: `argnums` as for `grad`, or `EVERY`."""
    moving, moves, structure = _pairs(primals, tangents, argnums)
    with DualLevel() as level:
        duals = [level.dual(x, dx) for x, dx in zip(moving, moves, strict=True)]
        output, aux = func(*_seen(level, primals, unflatten(structure, duals), argnums)), None
        if has_aux:
            output, aux = without_aux(_API, output)
        leaves, found = tensors_of(_API, output)
        parts = [level.parts(x) for x in leaves]
    if strict and any(dx is None for _, dx in parts):
        raise TransformError(
            "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. "
            "This is not allowed with strict=True. Without it, the tangent is 0."
        )
    values = unflatten(found, [x for x, _ in parts])
    moved = unflatten(found, [zeros_like(x) if dx is None else dx for x, dx in parts])
    return (values, moved, all_settled(aux)) if has_aux else (values, moved)


def _seen(level: DualLevel, primals: tuple[Any, ...], duals: Any, argnums: Any) -> tuple[Any, ...]:
    """The arguments as the level shows them: those that move, and constants that may be written."""
    if argnums is EVERY:
        return duals  # type: ignore[no-any-return]  # the structure of `primals`, a tuple
    seen = [
        map_leaves(lambda x: level.lift(settled(x)) if isinstance(x, Tensor) else x, arg)
        for arg in primals
    ]
    moving = duals if isinstance(argnums, tuple) else (duals,)
    for place, arg in zip(places(argnums, len(primals)), moving, strict=True):
        seen[place] = arg
    return tuple(seen)


def _pairs(primals: Any, tangents: Any, argnums: Any) -> tuple[list[Any], list[Any], Structure]:
    """The tensors that move, how they move, and the structure of both."""
    if not isinstance(primals, tuple):
        raise TransformError(
            f"{_API}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals), "
            f"and it is a {type(primals).__name__}. Write `(x,)` for one."
        )
    moving, structure = flatten(selected(primals, argnums))
    moves, given = flatten(tangents)
    if given != structure:
        raise TransformError(
            f"{_API}: Expected primals and tangents to have the same python structure. For "
            "example, if primals is a tuple of 3 tensors, tangents also must be. Got primals with "
            f"structure {describe(structure)} and tangents with structure {describe(given)}. "
            "Pass a tangent for each primal."
        )
    check_tensors(moving, "primals")
    check_tensors(moves, "tangents")
    for x, dx in zip(moving, moves, strict=True):
        check_pair(x, dx)
    return moving, moves, structure


def check_tensors(leaves: list[Any], name: str, api: str = _API) -> None:
    """Raise if there is no tensor among `leaves`, or anything else."""
    if not leaves:
        raise TransformError(
            f"{api}: Expected {name} to contain at least one Tensor. There is none that could "
            "move. Pass one."
        )
    for leaf in leaves:
        if not isinstance(leaf, Tensor):
            raise TransformError(
                f"{api}: Expected {name} to only contain Tensors, got {type(leaf)}. Write "
                "`tensor(value)`, or make it a constant: `lambda x: f(x, value)`."
            )


def check_pair(x: Tensor, dx: Tensor) -> None:
    """Raise if `dx` cannot be the tangent of `x`."""
    for name, part in (("primal", x), ("tangent", dx)):
        if part.dtype.kind not in "fc":
            raise ArgumentError(
                f"Expected {name} to be floating point or complex, but got: {part.dtype}. Integers "
                "do not move by a small step. Write `x.float()`."
            )
    if x.shape != dx.shape:
        raise ShapeError(
            "Trying to set a forward gradient that has a different size than that of the original "
            f"Tensor, this is not supported. Tensor is of size {list(x.shape)} while the given "
            f"forward gradient is of size {list(dx.shape)}. Each element has a tangent."
        )


# Linear maps --------------------------------------------------------------------------------------


def linearize(func: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """The value of `func`, and its derivative at `primals` as a linear function.

    Args:
        func: takes tensors, or trees of them, and returns a tree.
        primals: its arguments, floating-point tensors in any tree.

    Returns:
        `(output, jvp_fn)`: `jvp_fn(*tangents)` takes as many tangents of the same structure and
        shapes, and returns what `jvp` does: the tangent of the output. What depends on the
        primals alone is computed once, so it is the better the more tangents there are. It is
        made of reverse mode: what `func` does under `no_grad()` counts as a constant, and where
        it writes in place, what backward needs must not be lost.

    Raises:
        TransformError: for what is no tensor; when `jvp_fn` is called, if the tangents do not fit
            the primals.
        ArgumentError: for integers: they do not move by a small step.

    Example:
        >>> y, jvp_fn = linearize(lambda x: x * x, tensor([1.0, 2.0]))
        >>> jvp_fn(tensor([1.0, 10.0]))
        tensor([ 2., 40.])

    See also: https://pytorch.org/docs/stable/generated/torch.func.linearize.html
    """
    inputs, structure = flatten(primals)
    check_tensors(inputs, "primals", _LINEARIZE)
    for x in inputs:
        check_pair(x, x)
    outputs, found, push = _transposed_twice(func, primals)

    def jvp_fn(*tangents: Any) -> Any:
        moves, given = flatten(tangents)
        if given != structure:
            raise TransformError(
                f"Expected the tangents {describe(given)} to have the same argspec as the primals "
                f"{describe(structure)}. Each primal has a tangent. Pass them in the same order."
            )
        check_tensors(moves, "tangents", "jvp_fn(*tangents)")
        for place, (x, dx) in enumerate(zip(inputs, moves, strict=True)):
            _check_alike(place, x, dx)
        return unflatten(found, _moved(outputs, push(moves)))

    return unflatten(found, outputs), jvp_fn


# Note [Transposed twice]
# A pullback is linear in its cotangents: v ↦ vᵀ·J. So its own pullback, at any v, multiplies J by a
# vector from the right: that is forward mode, made of reverse mode, and it keeps what J needs.


def _transposed_twice(
    func: Callable[..., Any], primals: tuple[Any, ...]
) -> tuple[list[Any], Structure, Callable[[list[Tensor]], list[Tensor]]]:
    """The outputs and their structure, and what moves those of them that can move."""
    call = run(_LINEARIZE, func, primals, {}, EVERY, has_aux=False)
    leaves, structure = flatten(call.output)
    moving = [x for x in leaves if _can_move(x)]
    outputs = [settled(x) if isinstance(x, Tensor) else x for x in leaves]
    if not moving:
        return outputs, structure, lambda _: []
    _, push = vjp(lambda grads: call.pull(moving, grads), [zeros_like(settled(x)) for x in moving])

    def pushed(tangents: list[Tensor]) -> list[Tensor]:
        (moved,) = push(tangents)
        return moved  # type: ignore[no-any-return]  # a list, as `moving` is

    return outputs, structure, pushed


def _can_move(x: Any) -> bool:
    return isinstance(x, Tensor) and x.dtype.kind in "fc"


def _moved(outputs: list[Any], moves: list[Any]) -> list[Any]:
    """The tangents of all outputs: zeros for integers; what is no tensor stands for itself."""
    supply = iter(moves)
    return [
        next(supply) if _can_move(x) else zeros_like(x) if isinstance(x, Tensor) else x
        for x in outputs
    ]


def _check_alike(place: int, x: Tensor, dx: Tensor) -> None:
    for name in ("shape", "device", "dtype"):
        mine, given = getattr(x, name), getattr(dx, name)
        if mine != given:
            raise TransformError(
                f"tangent:{place} with {name} {given} in flattened pytree doesn't match the {name} "
                f"{mine} of the corresponding primal. The function was linearized there. "
                "Pass a tangent like the primal."
            )
