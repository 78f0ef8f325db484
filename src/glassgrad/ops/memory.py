"""Where a tensor lies in memory, overwriting that, and giving it other memory."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from glassgrad.core.errors import DTypeError, GraphError, TransformError
from glassgrad.core.graph import edge_of
from glassgrad.core.state import Shape, modes, special, wrote
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.levels.duals import tangent_of
from glassgrad.levels.level import level_below
from glassgrad.values.backend import CPU, asnumpy, backend_of
from glassgrad.values.dtypes import Home
from glassgrad.values.layers import Layer, array_of, settled

from . import _checks as check
from ._arguments import Operand, wrap_dim
from ._checks import c_name
from ._declaring import FUNCTIONS, function, method, op
from ._families import Elementwise, Flat
from ._rules import in_front, without_layers
from ._writing import (
    as_it_is,
    check_apart,
    check_write,
    fill_value,
    in_place,
    must_follow,
    put,
    records,
    replace,
    write,
)
from .creation import checked_size


@method()
def data_ptr(input: Tensor) -> int:
    """The address of the first element; 0 for a tensor without elements.

    Example:
        >>> x = tensor([1.0, 2.0])
        >>> data_ptr(x[1:]) - data_ptr(x)
        4
    """
    return Storage(without_layers(input)).data_ptr()


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


class layout:  # noqa: N801  # PyTorch's name
    """How the elements of a tensor are kept: `strided`, in rows of memory, is the only one here.

    Example:
        >>> ones(2).layout
        glassgrad.strided
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"{Home.name}.{self.name}"

    def __str__(self) -> str:
        return self.name if Home.name == "glassgrad" else repr(self)

    def __reduce__(self) -> str:
        return self.name


class memory_format(layout):  # noqa: N801  # PyTorch's name
    """In which order the dims lie in memory: `contiguous_format`, `channels_last` …

    Example:
        >>> ones(1, 2, 3, 4).is_contiguous(memory_format=channels_last)
        False
    """


strided = layout("strided")
contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")
_ALL = (strided, contiguous_format, preserve_format, channels_last, channels_last_3d)
FUNCTIONS |= {
    "layout": layout,
    "memory_format": memory_format,
    **{each.name: each for each in _ALL},
}


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

    def is_shared(self) -> bool:
        """Whether other processes see it: never here."""
        return False


class TypedStorage(Storage):
    """The same as elements of the tensor's dtype: what `x.storage()` gives.

    Example:
        >>> isinstance(tensor([1.0]).storage(), TypedStorage)
        True
    """

    __slots__ = ()

    def __getitem__(self, at: Any) -> Any:
        return self.tolist()[at]

    def __setitem__(self, at: Any, value: Any) -> None:
        in_a_row(self._array)[at] = value


class UntypedStorage(Storage):
    """The same as bytes: what `x.untyped_storage()` gives.

    Example:
        >>> isinstance(tensor([1.0]).untyped_storage(), UntypedStorage)
        True
    """

    __slots__ = ()

    @classmethod
    def from_file(cls, filename: Any, shared: bool = False, nbytes: int = 0) -> "UntypedStorage":
        """The first bytes of a file, read as they are needed.

        Args:
            shared: whether writes go to the file, which is made and made longer if need be.
            nbytes: how many bytes.
        """
        if shared:
            with Path(filename).open("ab") as file:
                file.truncate(max(file.tell(), nbytes))
        mode: Any = "r+" if shared else "c"
        return cls(np.asarray(np.memmap(filename, np.uint8, mode, shape=(nbytes,))))


FUNCTIONS |= {"TypedStorage": TypedStorage, "UntypedStorage": UntypedStorage}


@method()
def storage(input: Tensor) -> TypedStorage:
    """The memory of `input`, as a sequence of elements that can be asked for its place and size.

    Example:
        >>> x = tensor([1.0, 2.0])
        >>> storage(x).data_ptr() == storage(x[1:]).data_ptr()
        True

    See also: https://pytorch.org/docs/stable/storage.html
    """
    return TypedStorage(owner_of(input.payload))


@method()
def untyped_storage(input: Tensor) -> UntypedStorage:
    """The memory of `input`, as a sequence of bytes.

    Example:
        >>> untyped_storage(tensor([1.0, 2.0])).nbytes()
        8
    """
    return UntypedStorage(in_a_row(owner_of(input, of_any_dtype=True)).view("uint8"))


@function()
def is_storage(obj: object) -> bool:
    """Whether `obj` is the memory of a tensor.

    Example:
        >>> is_storage(tensor([1.0]).untyped_storage())
        True
    """
    return isinstance(obj, Storage)


def owner_of(array: Any, *, of_any_dtype: bool = False) -> Any:
    """The array in whose memory an array or a tensor lies, itself if that is its own."""
    array = array_of(array)
    kind, dtype = type(array), array.dtype
    below = array
    while isinstance(below, (kind, np.ndarray)) and (of_any_dtype or below.dtype == dtype):
        array = below
        below = getattr(array.base, "keeps_alive", array.base)  # what `strided` shows parts of
    return array


@method()
def storage_offset(input: Tensor) -> int:
    """How many elements of the memory in which it lies come before its first.

    Example:
        >>> storage_offset(tensor([1, 2, 3])[1:])
        1
    """
    if isinstance(input.payload, Layer):
        return storage_offset(input.payload.value)  # that of the first example of a batch
    if not input.numel():
        return 0
    whole = owner_of(input, of_any_dtype=True)
    return (data_ptr(input) - backend_of(whole).address(whole)) // input.itemsize


@method()
def is_contiguous(input: Tensor, *, memory_format: Any = contiguous_format) -> bool:
    """Whether the elements lie in memory one behind the other, row by row.

    Args:
        input: tensor of any shape.
        memory_format: `channels_last` asks whether the dim of channels varies fastest.

    Example:
        >>> is_contiguous(tensor([[1, 2], [3, 4]]).t())
        False
    """
    array = input.payload
    dims = _CHANNELS_LAST.get(memory_format)
    if dims is not None and isinstance(array, Layer):
        raise TransformError(
            "NYI: querying is_contiguous inside of vmap for memory_format other than "
            "torch.contiguous_format: the examples of a batch need not lie as one does. Ask "
            "outside of the function."
        )
    if dims is not None:
        return array.ndim == len(dims) and bool(np.transpose(array, dims).flags.c_contiguous)
    return bool(array.flags.c_contiguous)


_CHANNELS_LAST = {channels_last: (0, 2, 3, 1), channels_last_3d: (0, 2, 3, 4, 1)}
"""The dims in the order in which they lie in memory."""


@function()
def numel(input: Tensor) -> int:
    """The number of elements.

    Example:
        >>> numel(ones(2, 3))
        6
    """
    check.tensor("numel", input)
    return input.numel()


@op()
def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Whether both have the same shape.

    Example:
        >>> is_same_size(ones(2), zeros(2))
        True
    """
    return input.shape == other.shape


@op()
def is_nonzero(input: Tensor) -> bool:
    """Whether the only element is not 0.

    Raises:
        ShapeError: if there is more than one, or none.

    Example:
        >>> is_nonzero(tensor([0.5]))
        True
    """
    return bool(input)


@op()
def get_device(input: Tensor) -> int:
    """The number of the GPU that `input` is on; -1 on the CPU.

    Example:
        >>> get_device(tensor([1.0]))
        -1
    """
    return -1 if input.device == CPU else input.device.index or 0


@method()
def is_set_to(input: Tensor, tensor: Tensor) -> bool:
    """Whether both show the same memory in the same form.

    Example:
        >>> x = tensor([1.0])
        >>> is_set_to(x, x.detach())
        True
    """
    is_there = data_ptr(input) == data_ptr(tensor)
    return is_there and input.shape == tensor.shape and stride(input) == stride(tensor)


@method()
def apply_(input: Tensor, callable: Callable[[Any], Any]) -> Tensor:
    """Replace each element by what a function of Python returns for it. Slow; on the CPU.

    Raises:
        GraphError: if `input` requires grad: nothing of that would be recorded.

    Example:
        >>> apply_(tensor([1.0, 2.0]), lambda value: value + 1)
        tensor([2., 3.])
    """
    return map_(input, input, lambda value, _: callable(value))


@method()
def map_(input: Tensor, tensor: Tensor, callable: Callable[[Any, Any], Any]) -> Tensor:
    """Replace each element by what a function returns for it and that of another tensor. Slow.

    Raises:
        GraphError: if one of them requires grad: nothing of that would be recorded.

    Example:
        >>> map_(tensor([1.0, 2.0]), tensor([3.0, 4.0]), lambda a, b: a * b)
        tensor([3., 8.])
    """
    if input.requires_grad or tensor.requires_grad:
        raise GraphError(
            "Can't call apply_() or map_() on Variable that requires grad. Use "
            "var.detach().apply_(): nobody knows the derivative of a function of Python."
        )
    others = np.broadcast_to(asnumpy(tensor.payload), input.shape)
    pairs = zip(asnumpy(input.payload).ravel().tolist(), others.ravel().tolist(), strict=True)
    values = np.array([callable(*pair) for pair in pairs], input.payload.dtype)
    return input.copy_(wrap(backend_of(input.payload).asarray(values.reshape(input.shape))))


@function()
def typename(obj: Any) -> str:
    """The name of what something is: of a tensor its old type, else that of the class.

    Example:
        >>> typename(tensor([1.0])), typename(3)
        ('glassgrad.FloatTensor', 'int')
    """
    if isinstance(obj, Tensor):
        return str(obj.type())
    kind = obj if isinstance(obj, type) else type(obj)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


# Overwriting --------------------------------------------------------------------------------------


class Copy(Elementwise):
    """z = y        x̄ = 0,  ȳ = z̄"""

    node = "CopyBackwards"
    promotes = None

    @staticmethod
    def forward(x, y):
        return np.zeros_like(x) + y

    @staticmethod
    def backward(ctx, grad):
        return np.zeros_like(grad), grad


@method()
def copy_(input: Tensor, src: Operand) -> Tensor:
    """Overwrite `input` with the values of `src`, converted to its dtype and moved to its device.

    Args:
        input: tensor of shape `S`, written in place.
        src: a tensor that broadcasts to `S`, or a number. Its gradient is that of `input` from
            now on.

    Returns:
        `input` itself.

    Raises:
        LeafWriteError, ShapeError: as `add_`.

    Example:
        >>> copy_(tensor([0.0, 0.0]), tensor([1, 2]))
        tensor([1., 2.])
    """
    if not isinstance(src, Tensor):
        kinds, why = (bool, int, float, complex), "Write `x.copy_(tensor(values))`."
        check.kind("copy_(): argument 'other' must be Tensor", src, kinds, why)
        return copy_(input, wrap(np.asarray(src)))
    if special and (below := level_below("copy", input, src)):
        with below:
            return copy_(input, src)
    source: Tensor = settled(src)
    if source.device != input.device:
        source = source.to(input.device)
    check_apart(input, source, "copy")
    is_same = source is input
    if not must_follow(input, source):
        return write(input, "copy", lambda _: put(input, source.payload), may_overlap=is_same)
    before = as_it_is("copy", input, source, copies=False, may_overlap=is_same)
    converted = source.to(input.dtype)
    if converted is source or converted.edge is None:
        return replace(input, Copy.apply(before, converted), "copy")
    tangent, converted = tangent_of(converted), wrap(converted.payload, edge_of(source))
    if tangent is not None:
        modes.duals.hang(converted, tangent)
    result = Copy.apply(before, converted)
    result.edge.checked = True  # the node of the write converts gradients, too
    return replace(input, result, "copy")


class Fill(Flat):
    """y = c,  c = value        x̄ = 0"""

    node = "FillBackward2"

    @staticmethod
    def forward(x, *, value):
        return np.full_like(x, value)


class FillWith(Elementwise):
    """z = y        x̄ = 0,  ȳ = z̄"""

    node = "FillBackward3"
    promotes = None

    @staticmethod
    def forward(x, y):
        return np.full_like(x, y)

    @staticmethod
    def backward(ctx, grad):
        return np.zeros_like(grad), grad.sum()

    @classmethod
    def vmap(cls, info, in_dims, x, y):
        """A number for each example is stretched over it, and then stands for itself alone."""
        if in_dims[1] is None:
            return cls.apply(x, y)
        shape = x.shape if in_dims[0] == 0 else (info.batch_size, *x.shape)
        return in_front(y, len(shape) - 1).expand(shape).to(x.dtype).clone()


class Zero(Flat):
    """y = 0        x̄ = 0"""

    @staticmethod
    def forward(x):
        return np.zeros_like(x)


@op()
def fill_(input: Tensor, value: Any) -> Tensor:
    """Overwrite `input` with one number.

    Args:
        input: tensor of any shape, written in place.
        value: a number, or a 0-d tensor.

    Returns:
        `input` itself.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if `value` is a tensor with dims.
        DTypeError: if the dtype has no room for `value`.
        ArgumentTypeError: if it is no number.

    Example:
        >>> fill_(tensor([1.0, 2.0]), 7)
        tensor([7., 7.])
    """
    if isinstance(value, Tensor):
        said = "fill_ only supports 0-dimension value tensor but got tensor with {ndim} dimensions"
        check.ndim(said, value, (0,), "It writes one value everywhere. Write `x.copy_(values)`.")
        return in_place(
            "fill", input, lambda x: FillWith.apply(x, value), [value], may_overlap=True
        )
    number = fill_value("fill", input, value)
    return _filled("fill", input, number, lambda x: Fill.apply(x, value=number))


@function()
def fill(input: Tensor, value: Any) -> Tensor:
    """A tensor like `input`, with one value everywhere; see `fill_`.

    Example:
        >>> fill(tensor([1.0, 2.0]), 3)
        tensor([3., 3.])
    """
    return fill_(input.clone(), value)


@op()
def zero_(input: Tensor) -> Tensor:
    """Overwrite `input` with zeros; see `fill_`.

    Example:
        >>> zero_(tensor([1.0, 2.0]))
        tensor([0., 0.])
    """
    return _filled("zero", input, 0, Zero.apply)


def _filled(name: str, input: Tensor, number: Any, call: Callable[[Tensor], Tensor]) -> Tensor:
    """`input` with one number everywhere: if nobody follows, without `call` and its copy."""
    if special or isinstance(input.payload, Layer) or must_follow(input):
        return in_place(name, input, call, may_overlap=True)
    return write(input, name, lambda array: array.fill(number), may_overlap=True)


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


@op()
def resize_as_(input: Tensor, the_template: Tensor) -> Tensor:
    """`resize_` to the size of another tensor.

    Example:
        >>> resize_as_(tensor([1, 2, 3, 4]), tensor([[0, 0], [0, 0]])).shape
        glassgrad.Size([2, 2])
    """
    return resize_(input, tuple(the_template.shape))


@method()
def set_(
    input: Tensor,
    source: Tensor | Storage | None = None,
    storage_offset: int = 0,
    size: Sequence[int] | None = None,
    stride: Sequence[int] | None = None,
) -> Tensor:
    """Let the tensor itself show the memory of another one.

    Args:
        input: tensor that is no view, written in place.
        source: tensor of the same dtype, or the memory of one; None: a tensor without elements.
        storage_offset, size, stride: which elements of a memory, as of `as_strided`; None: all, in
            one row.

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
    if isinstance(source, Storage):
        source = wrap(in_a_row(source._array).view(input.payload.dtype))
        if size is not None:
            steps = np.empty(size, np.int8).strides if stride is None else stride
            source = source.as_strided(size, steps, storage_offset)
    check.kind("set_(): argument 'source' must be Tensor", source, Tensor | None, why)
    if source is not None and source.dtype is not input.dtype:
        raise DTypeError(
            f"Could not set tensor of type {c_name(source.dtype)} to a tensor of type "
            f"{c_name(input.dtype)}. A tensor keeps its dtype. Write `source.to(x.dtype)`."
        )
    check_write(input, "set")
    if records(input) or input._is_view():
        raise GraphError(
            f"derivative for set_ is not implemented: shape {list(input.shape)}. A node, or a "
            "base, knows the memory that the tensor had. Write `x.data = y`, or use no_grad()."
        )
    empty = np.zeros_like(input.payload, order="C", shape=(0,))
    write(input, "set", lambda _: None, may_overlap=True)
    input.payload = empty if source is None else source.payload
    return input


@op()
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
