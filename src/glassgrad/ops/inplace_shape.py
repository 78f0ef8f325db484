"""Another shape for the tensor itself: `transpose_`, `squeeze_` and others; and `detach_`.

Nothing is moved: the tensor shows the same memory with other sizes and strides. Recorded, it takes
the place of the result in the graph as after any write; its base and other views stay where they
are. PyTorch numbers the nodes of these ops apart from those that make a view.
"""

from collections.abc import Sequence

from glassgrad.core.errors import GraphError
from glassgrad.core.state import wrote
from glassgrad.core.tensor import Tensor
from glassgrad.values.layers import Layer

from ._dims import wrap_dim, wrap_dims
from ._writing import reshaped_in_place
from .shape import Squeeze, SqueezeDim, SqueezeDims, Unsqueeze
from .transposing import T, Transpose, check_t

__all__ = ["detach_", "squeeze_", "swapaxes_", "t_", "transpose_", "unsqueeze_"]


class TInPlace(T):
    """y = xᵀ        dy = dxᵀ        x̄ = ȳᵀ"""

    node = "TBackward1"


class TransposeInPlace(Transpose):
    """y = x, two dims swapped        dy = dx so        x̄ = ȳ so"""

    node = "TransposeBackward1"


class SqueezeInPlace(Squeeze):
    """y = x without its dims of size 1        dy = dx without them        x̄ = ȳ with them"""

    node = "SqueezeBackward3"


class SqueezeDimInPlace(SqueezeDim):
    """y = x without a dim of size 1        dy = dx without it        x̄ = ȳ with it"""

    node = "SqueezeBackward4"


class SqueezeDimsInPlace(SqueezeDims):
    """y = x without some dims of size 1        dy = dx without them        x̄ = ȳ with them"""

    node = "SqueezeBackward5"


class UnsqueezeInPlace(Unsqueeze):
    """y = x with a new dim of size 1        dy = dx with it        x̄ = ȳ without it"""

    node = "UnsqueezeBackward1"


def t_(input: Tensor) -> Tensor:
    """`t`, in place.

    Example:
        >>> t_(tensor([[1, 2]]))
        tensor([[1],
                [2]])
    """
    check_t(input)
    return reshaped_in_place(TInPlace, input)


def transpose_(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """`transpose`, in place.

    Example:
        >>> transpose_(tensor([[1, 2]]), 0, 1)
        tensor([[1],
                [2]])
    """
    first, second = wrap_dim(dim0, input.ndim), wrap_dim(dim1, input.ndim)
    return reshaped_in_place(TransposeInPlace, input, dim0=first, dim1=second)


def swapaxes_(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """`transpose_` under NumPy's name.

    Example:
        >>> swapaxes_(tensor([[1, 2]]), 0, 1).shape
        glassgrad.Size([2, 1])
    """
    return transpose_(input, axis0, axis1)


def squeeze_(input: Tensor, dim: int | Sequence[int] | None = None) -> Tensor:
    """`squeeze`, in place.

    Example:
        >>> squeeze_(tensor([[1, 2]]))
        tensor([1, 2])
    """
    if dim is None:
        return reshaped_in_place(SqueezeInPlace, input)
    dims = wrap_dims(dim, input.ndim)
    if isinstance(dim, Sequence):
        return reshaped_in_place(SqueezeDimsInPlace, input, dim=dims)
    return reshaped_in_place(SqueezeDimInPlace, input, dim=dims[0])


def unsqueeze_(input: Tensor, dim: int) -> Tensor:
    """`unsqueeze`, in place.

    Example:
        >>> unsqueeze_(tensor([1, 2]), 0)
        tensor([[1, 2]])
    """
    return reshaped_in_place(UnsqueezeInPlace, input, dim=wrap_dim(dim, input.ndim + 1))


def detach_(input: Tensor) -> Tensor:
    """Take the tensor itself out of the graph: it becomes a leaf that requires no grad.

    Args:
        input: any tensor that is not a view. Views of it stay in the graph.

    Returns:
        `input` itself.

    Raises:
        GraphError: if it is a view.

    Example:
        >>> y = tensor([1.0], requires_grad=True) * 2
        >>> detach_(y)
        tensor([2.])

    See also: https://pytorch.org/docs/stable/generated/torch.Tensor.detach_.html
    """
    base = input._base
    if base is not None:
        raise GraphError(
            "Can't detach views in-place. Use detach() instead. The view belongs to the graph of "
            f"its base (shapes {tuple(input.shape)} and {tuple(base.shape)})."
        )
    input.version_counter()  # shared from now on with a node that saved it as its result
    input.cold_side().tangent = None
    if not input.is_inference():
        input.version_counter()  # which a node that saved this tensor as its result shares
    input.edge = None
    if isinstance(input.payload, Layer):
        input.payload = input.payload.over(input.payload.value)
    input._tell_views()
    wrote()  # what was saved of it has to be looked at
    return input
