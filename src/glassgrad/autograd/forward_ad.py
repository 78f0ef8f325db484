"""`torch.autograd.forward_ad`: duals, tensors that carry a tangent along.

    with dual_level():
        x = make_dual(primal, tangent)
        y = f(x)
        value, derivative = unpack_dual(y)        f(primal), and J·tangent

A dual is a tensor like any other: it requires grad if its primal does, it can be written, viewed
and differentiated. Where tangents are is told in `glassgrad.levels.duals`.
"""

from typing import NamedTuple

from glassgrad.autograd.grad_mode import AtOnce, Mode
from glassgrad.core.errors import GraphError
from glassgrad.core.state import Block, modes, set_modes, setting
from glassgrad.core.tensor import Tensor
from glassgrad.levels.duals import Duals, apart, check_moves, is_forward
from glassgrad.ops import _checks as check

__all__ = [
    "UnpackedDualTensor",
    "dual_level",
    "enter_dual_level",
    "exit_dual_level",
    "make_dual",
    "unpack_dual",
]


class UnpackedDualTensor(NamedTuple):
    """What `unpack_dual` returns.

    Attributes:
        primal: the tensor without its tangent.
        tangent: the tangent; None if it has none.
    """

    primal: Tensor
    tangent: Tensor | None


def enter_dual_level() -> int:
    """Open a level of forward mode in this thread; `dual_level()` closes it too.

    Returns:
        The number of the level: 0, for there is one at a time.

    Raises:
        GraphError: if one is open already.

    Example:
        >>> enter_dual_level()
        0
        >>> exit_dual_level()
    """
    _check_none_open()
    return Block().enter(0, {"duals": Duals()})


def _check_none_open() -> None:
    if modes.duals is not None:
        raise GraphError(
            "Nested forward mode AD is not supported at the moment: a dual level is open already, "
            "and a tensor has room for one tangent. Nest `func.jvp` instead."
        )


def exit_dual_level(*, level: int | None = None) -> None:
    """Close the level of forward mode and take all tangents away.

    Args:
        level: the number that `enter_dual_level` returned.

    Raises:
        GraphError: if none is open, or it is not this one.
    """
    try: _exit(level)  # Note [One line is not cut]  # noqa: E701  # fmt: skip
    except GraphError:
        raise
    except BaseException:
        _exit(level)
        raise


def _exit(level: int | None) -> None:
    if level is not None and level != _level():
        raise GraphError(
            "Trying to exit a forward AD level that was not the last one that was created. This "
            f"is not supported: level {level} is not the one that is open, {_level()}. Write "
            "`with dual_level():`."
        )
    if modes.duals is None:
        raise GraphError(
            "Dual level must be a positive number: none is open that could be closed. "
            "Write `with dual_level():`."
        )
    modes.duals.close()
    set_modes(duals=None)


class dual_level(Mode):  # noqa: N801  # PyTorch's name
    """A block in which tensors can have tangents; also a decorator.

    Raises:
        GraphError: on entering it inside another one.

    Example:
        >>> with dual_level():
        ...     x = make_dual(tensor(3.0), tensor(1.0))
        ...     print(unpack_dual(x * x).tangent)
        tensor(6.)

    See also: https://pytorch.org/tutorials/intermediate/forward_ad_usage.html
    """

    def __enter__(self) -> int:  # type: ignore[override]  # `with dual_level() as level:`
        _check_none_open()
        return self.enter(0, {"duals": Duals()})

    def leave(self) -> None:
        if self.outside:
            if modes.duals is not None:
                modes.duals.close()
            super().leave()


class own_level(dual_level, setting):  # type: ignore[misc]  # noqa: N801  # as its bases
    """`dual_level` for functions of ours: it is left when it dies, too."""


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """A view of `tensor` that carries a tangent along: ops compute how it moves.

    Args:
        tensor: the primal, real or complex.
        tangent: a tensor of the same shape. It is kept itself if it lies in memory as the primal
            does, and copied otherwise.
        level: the number of the level; there is only one.

    Returns:
        A tensor that shares memory with `tensor`, and belongs to its graph.

    Raises:
        GraphError: if no level is open, one of the two has a tangent already, or a transform was
            opened since the level was.
        ArgumentError: if one of them holds integers.
        ArgumentTypeError: if one of them is no tensor.
        ShapeError: if the shapes differ.

    Example:
        >>> with dual_level():
        ...     print(make_dual(tensor([1.0, 2.0]), tensor([1.0, 0.0])).exp())
        tensor([2.7183, 7.3891], tangent=tensor([2.7183, 0.0000]))
    """
    if _level(level) < 0:
        raise GraphError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to "
            "enter_dual_level() first. Tangents live as long as a level is open. Write "
            "`with dual_level():` around it."
        )
    for name, x in (("primal", tensor), ("tangent", tangent)):
        _must_be_tensor(x, "make_dual", name)
        check_moves(name, x)
    _check_level(level)
    duals: Duals = modes.duals
    if duals.has_tangent((tensor,)):
        raise GraphError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the "
            "same level 0 is not supported: it would have two. Write "
            "`make_dual(unpack_dual(x).primal, tangent)`."
        )
    if len(modes.levels) != duals.depth:
        raise GraphError(
            "Making a dual Tensor inside of a transform that was opened after the dual level is "
            f"not supported: {len(modes.levels) - duals.depth} such transforms would not see its "
            "tangent. Open the dual level inside of the transform, or make the dual outside."
        )
    dual = apart(tensor)
    if is_forward() and not tensor.is_inference():
        duals.give(dual, tangent)
    return dual


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """The two halves of a dual.

    Args:
        tensor: any tensor.
        level: the number of the level; there is only one.

    Returns:
        A view of `tensor` without its tangent, and the tangent itself; None if there is none, or
        no level is open.

    Example:
        >>> with dual_level():
        ...     x = make_dual(tensor([1.0]), tensor([5.0]))
        ...     print(unpack_dual(x))
        UnpackedDualTensor(primal=tensor([1.]), tangent=tensor([5.]))
    """
    _must_be_tensor(tensor, "unpack_dual", "tensor")
    if _level(level) < 0:
        return UnpackedDualTensor(tensor, None)
    _check_level(level)
    duals: Duals = modes.duals
    tangent = duals.tangent(tensor) if is_forward() else None
    return UnpackedDualTensor(apart(tensor), tangent)


def _must_be_tensor(x: object, function: str, name: str) -> None:
    why = "A dual is made of two tensors. Write `glassgrad.tensor(value)`."
    check.kind(f"{function}(): the {name} must be Tensor", x, Tensor, why)


def _level(level: int | None = None) -> int:
    """The number of the level that is meant: the open one; below 0 if there is none."""
    if level is not None:
        return level
    return -1 if modes.duals is None else 0


def _check_level(level: int | None) -> None:
    if modes.duals is None or level not in (None, 0):
        raise GraphError(
            f"Invalid level given: {level}. There is one level of forward mode, number 0, and "
            f"{'none' if modes.duals is None else 'that'} is open. Leave `level` out."
        )


# Forward mode has a switch of its own, as recording has -----------------------------------------


def _is_fwd_grad_enabled() -> bool:
    """Whether tangents are moved on in this thread."""
    return is_forward()


class _set_fwd_grad_enabled(AtOnce):  # noqa: N801  # PyTorch's name
    """Move tangents on or not: at once as a function, for a block as a context manager."""

    switch = "forward"


def __getattr__(name: str) -> int:
    """`_current_level`, PyTorch's variable: the number of the level that is open; -1: none."""
    if name == "_current_level":
        return _level()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
