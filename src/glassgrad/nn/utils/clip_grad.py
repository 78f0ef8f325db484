"""Keeping gradients small between `backward()` and `step()`."""

import math
from collections.abc import Iterable

from glassgrad import linalg, ops
from glassgrad.core.errors import GraphError
from glassgrad.core.state import setting
from glassgrad.core.tensor import Tensor
from glassgrad.memory.calls import warn
from glassgrad.nn.init import old_name
from glassgrad.ops import _checks as check

__all__ = [
    "clip_grad_norm",
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "get_total_norm",
]

Parameters = Tensor | Iterable[Tensor]


def get_total_norm(
    tensors: Parameters,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,  # noqa: ARG001  # PyTorch's kernels
) -> Tensor:
    """The norm of all tensors, as if they were one vector.

    Args:
        tensors: of any shapes.
        norm_type: p of the p-norm; inf for the largest magnitude.
        error_if_nonfinite: whether to raise if it is nan or infinite.
        foreach: for PyTorch's programs; it changes nothing.

    Raises:
        GraphError: if the norm is not finite, and that is asked for.

    Example:
        >>> get_total_norm([tensor([3.0]), tensor([4.0])])
        tensor(5.)
    """
    given = _listed(tensors)
    if not given:
        return ops.zeros(())
    p = float(norm_type)
    with setting(grad=False):
        norms = [linalg.vector_norm(x, p) for x in given]
        total = linalg.vector_norm(ops.stack(norms), p)
    if error_if_nonfinite and not math.isfinite(total.item()):
        raise GraphError(
            f"The total norm of order {p} for gradients from `parameters` is non-finite, so it "
            "cannot be clipped. To disable this error and scale the gradients by the non-finite "
            "norm anyway, set `error_if_nonfinite=False`."
        )
    return total


def clip_grads_with_norm_(
    parameters: Parameters,
    max_norm: float,
    total_norm: Tensor,
    foreach: bool | None = None,  # noqa: ARG001  # PyTorch's kernels
) -> None:
    """Scale gradients down by `max_norm / total_norm`, in place, if that is below 1.

    Args:
        parameters: whose gradients; those without are left out.
        max_norm: what the norm is to be at most.
        total_norm: what it is.
        foreach: for PyTorch's programs; it changes nothing.
    """
    with setting(grad=False):
        scale = (float(max_norm) / (total_norm + 1e-6)).clamp(max=1.0)
        for x in _listed(parameters):
            if (grad := x.grad) is not None:
                grad.mul_(scale)


def clip_grad_norm_(
    parameters: Parameters,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,  # noqa: ARG001  # PyTorch's kernels
) -> Tensor:
    """Scale all gradients down, in place, so that their norm is at most `max_norm`.

    Args:
        parameters: whose gradients; those without are left out.
        max_norm: what the norm of all together is to be at most.
        norm_type, error_if_nonfinite, foreach: as in `get_total_norm`.

    Returns:
        The norm before.

    Example:
        >>> x = tensor([3.0, 4.0], requires_grad=True)
        >>> x.grad = tensor([3.0, 4.0])
        >>> clip_grad_norm_(x, 1.0), x.grad
        (tensor(5.), tensor([0.6000, 0.8000]))
    """
    given = _listed(parameters)
    if not given:
        warn("`parameters` is an empty generator, no gradient clipping will occur.")
    grads = [x.grad for x in given if x.grad is not None]
    total = get_total_norm(grads, norm_type, error_if_nonfinite)
    clip_grads_with_norm_(given, max_norm, total)
    return total


def clip_grad_value_(
    parameters: Parameters,
    clip_value: float,
    foreach: bool | None = None,  # noqa: ARG001  # PyTorch's kernels
) -> None:
    """Clamp all gradients, in place, to [-clip_value, clip_value]."""
    with setting(grad=False):
        for x in _listed(parameters):
            if (grad := x.grad) is not None:
                grad.clamp_(-float(clip_value), float(clip_value))


clip_grad_norm = old_name(clip_grad_norm_, "torch.nn.utils")


def _listed(tensors: Parameters) -> list[Tensor]:
    why = "Each has a gradient. Write `model.parameters()`."
    check.kind("parameters must be Tensors", tensors, Iterable, why)
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)
