"""Where a tensor lies in memory, and giving it other memory."""

import math
from typing import Any

import numpy as np

from glassgrad.core.errors import DTypeError, GraphError, TransformError
from glassgrad.core.state import Shape, modes, wrote
from glassgrad.core.tensor import Tensor
from glassgrad.levels.duals import tangent_of
from glassgrad.values.backend import backend_of
from glassgrad.values.layers import Layer

from ._arguments import c_name, check_type, wrap_dim
from ._declaring import method
from ._writing import check_writable, records, write
from .creation import checked_size


@method()
def data_ptr(input: Tensor) -> int:
    """The address of the first element; 0 for a tensor without elements.

    Example:
        >>> x = tensor([1.0, 2.0])
        >>> data_ptr(x[1:]) - data_ptr(x)
        4
    """
    array = input.payload
    if isinstance(array, Layer):
        raise TransformError(
            "Cannot access data pointer of Tensor that doesn't have storage: this one, of shape "
            f"{list(input.shape)}, is seen by a transform. Return it, and look at the result."
        )
    return Storage(array).data_ptr()


@method()
def stride(input: Tensor, dim: int | None = None) -> Any:
    """How many elements of memory lie between neighbours along each dim, or along one.

    Example:
        >>> stride(tensor([[1, 2, 3], [4, 5, 6]]))
        (3, 1)

    See also: https://pytorch.org/docs/stable/generated/torch.Tensor.stride.html
    """
    array = input.payload
    steps = steps_of(array)
    if not array.size:  # PyTorch's steps are those of rows as long as one element at least
        steps = tuple(
            [math.prod(max(n, 1) for n in array.shape[at + 1 :]) for at in range(array.ndim)]
        )
    return steps if dim is None else steps[wrap_dim(dim, input.ndim)]


def steps_of(x: Any) -> Shape:
    """The strides of an array or a Tensor, in elements."""
    array = getattr(x, "payload", x)
    return tuple([step // array.itemsize for step in array.strides])


class Storage:
    """The memory in which a tensor lies: its own, or that of which it shows a part.

    Example:
        >>> len(tensor([1.0, 2.0, 3.0])[1:].storage())
        3
    """

    __slots__ = ("_array",)

    def __init__(self, array: Any) -> None:
        self._array = array

    def __len__(self) -> int:
        return int(self._array.size)

    size = __len__

    def data_ptr(self) -> int:
        """The address of its first element; 0 if it has none."""
        return backend_of(self._array).address(self._array) if len(self) else 0

    def nbytes(self) -> int:
        """Bytes of all elements."""
        return int(self._array.nbytes)

    def element_size(self) -> int:
        """Bytes per element."""
        return int(self._array.itemsize)

    def tolist(self) -> list[Any]:
        """Its elements, as they lie in memory."""
        return in_a_row(self._array).tolist()


@method()
def storage(input: Tensor) -> Storage:
    """The memory of `input`, as a sequence of elements that can be asked for its place and size.

    Example:
        >>> x = tensor([1.0, 2.0])
        >>> storage(x).data_ptr() == storage(x[1:]).data_ptr()
        True

    See also: https://pytorch.org/docs/stable/storage.html
    """
    return Storage(owner_of(input.payload))


def owner_of(array: Any) -> Any:
    """The array in whose memory `array` lies, itself if that is its own."""
    array = getattr(array, "array", array)  # that at the bottom of a transform's layers
    kind, dtype = type(array), array.dtype
    while type(array.base) is kind and array.base.dtype == dtype:
        array = array.base
    return array


@method()
def storage_offset(input: Tensor) -> int:
    """How many elements of its base's memory come before the first of a view.

    Example:
        >>> storage_offset(tensor([1, 2, 3])[1:])
        1
    """
    if isinstance(input.payload, Layer):
        return storage_offset(input.payload.value)  # that of the first example of a batch
    base = input._base
    if base is None or not input.numel():
        return 0
    return (data_ptr(input) - data_ptr(base)) // input.itemsize


@method()
def is_contiguous(input: Tensor) -> bool:
    """Whether the elements lie in memory one behind the other, row by row.

    Example:
        >>> is_contiguous(tensor([[1, 2], [3, 4]]).t())
        False
    """
    return bool(input.payload.flags.c_contiguous)


@method()
def element_size(input: Tensor) -> int:
    """Bytes per element.

    Example:
        >>> element_size(tensor([1.0]))
        4
    """
    return input.itemsize


@method()
def nelement(input: Tensor) -> int:
    """The number of elements; `numel` under another name.

    Example:
        >>> nelement(tensor([[1, 2], [3, 4]]))
        4
    """
    return input.numel()


@method()
def ndimension(input: Tensor) -> int:
    """The number of dims; `dim` under another name.

    Example:
        >>> ndimension(tensor([[1, 2], [3, 4]]))
        2
    """
    return input.ndim


# Other memory -------------------------------------------------------------------------------------


@method()
def resize_(input: Tensor, *size: Any) -> Tensor:
    """Another size for the tensor itself, on the memory it has, or on more.

    Args:
        input: tensor that requires no grad. If it grows, its memory is its own alone: it is no
            view and has none.
        size: the new sizes, as numbers or one sequence.

    Returns:
        `input` itself, with its elements as they lie in memory; new ones are 0. Its version counts
        on, unless the size was the same.

    Raises:
        GraphError: if it requires grad, or shares the memory that has to grow.
        ShapeError: for a negative size.

    Example:
        >>> resize_(tensor([1, 2, 3, 4]), 2, 2)
        tensor([[1, 2],
                [3, 4]])

    See also: https://pytorch.org/docs/stable/generated/torch.Tensor.resize_.html
    """
    sizes = checked_size("resize_", size)
    if input.requires_grad and not modes.inference:
        raise GraphError(
            f"cannot resize variables that require grad: shape {list(input.shape)}. Its gradient "
            "has its shape. Write `x.reshape(…)`, or resize `x.detach()`."
        )
    if tuple(input.shape) == sizes:
        return input
    if tangent_of(input) is not None:
        raise GraphError(
            f"cannot resize variables that has a forward grad: shape {list(input.shape)}. Its "
            "tangent has its shape. Write `x.reshape(…)`, or resize `x.detach()`."
        )
    if isinstance(input.payload, Layer):
        raise TransformError(
            f"resize_: a tensor of shape {list(input.shape)} that is seen by a transform has no "
            "memory of its own, of which it could show less. Write `x.reshape(…)` or `x[…]`."
        )
    array = _memory_of(input, math.prod(sizes))
    write(input, "resize", lambda _: None, may_overlap=True)
    input.payload = array.reshape(sizes)
    return input


def _memory_of(input: Tensor, n: int) -> Any:
    """`n` elements of memory in a row, beginning with those of `input`."""
    array = input.payload
    if n <= array.size:
        return in_a_row(array)[:n]
    version = None if input.cold is None else input.cold.version
    views = version and version.views
    if input._is_view() or (views is not None and views.alive()):
        raise GraphError(
            f"Trying to resize storage that is not resizable: {array.size} elements to {n}. Other "
            "tensors show the same memory. Resize `x.clone()`."
        )
    grown = np.zeros_like(array, order="C", shape=(n,))
    grown[: array.size] = in_a_row(array)
    return grown


def in_a_row(array: Any) -> Any:
    """The elements as they lie in memory; a view if they lie in a row."""
    order = sorted(range(array.ndim), key=lambda dim: array.strides[dim], reverse=True)
    return np.transpose(array, order).reshape(-1)


@method()
def resize_as_(input: Tensor, the_template: Tensor) -> Tensor:
    """`resize_` to the size of another tensor.

    Example:
        >>> resize_as_(tensor([1, 2, 3, 4]), tensor([[0, 0], [0, 0]])).shape
        glassgrad.Size([2, 2])
    """
    return resize_(input, tuple(the_template.shape))


@method()
def set_(input: Tensor, source: Tensor | None = None) -> Tensor:
    """Let the tensor itself show the memory of another one.

    Args:
        input: tensor that is no view, written in place.
        source: tensor of the same dtype; None: a tensor without elements.

    Returns:
        `input` itself. A write to one of both is seen in the other, but counted only there.

    Raises:
        LeafWriteError, GraphError: if the tape records and `input` requires grad.
        DTypeError: if the dtypes differ.

    Example:
        >>> x, y = tensor([1.0]), tensor([2.0, 3.0])
        >>> set_(x, y)
        tensor([2., 3.])

    See also: https://pytorch.org/docs/stable/generated/torch.Tensor.set_.html
    """
    why = "Its memory is shared. Write `x.set_(tensor(values))`."
    check_type("set_(): argument 'source' must be Tensor", source, Tensor | None, why)
    if source is not None and source.dtype is not input.dtype:
        raise DTypeError(
            f"Could not set tensor of type {c_name(source.dtype)} to a tensor of type "
            f"{c_name(input.dtype)}. A tensor keeps its dtype. Write `source.to(x.dtype)`."
        )
    if records(input):
        check_writable(input, "set")
    if records(input) or input._is_view():
        raise GraphError(
            f"derivative for set_ is not implemented: shape {list(input.shape)}. A node, or a "
            "base, knows the memory that the tensor had. Write `x.data = y`, or use no_grad()."
        )
    empty = np.zeros_like(input.payload, order="C", shape=(0,))
    write(input, "set", lambda _: None, may_overlap=True)
    input.payload = empty if source is None else source.payload
    return input


@method()
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
    input.cold_side().tangent = None
    if not input.is_inference():
        input.version_counter()  # which a node that saved this tensor as its result shares
    input.edge = None
    if isinstance(input.payload, Layer):
        input.payload = input.payload.over(input.payload.value)
    input._tell_views()
    wrote()  # what was saved of it has to be looked at
    return input
