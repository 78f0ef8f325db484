"""Copies, other dtypes and devices; memory shared with other libraries (DLPack)."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentError, ArgumentTypeError, TransformError
from glassgrad.core.primitive import silently
from glassgrad.core.tensor import Tensor, is_differentiable, whole
from glassgrad.memory.calls import warn
from glassgrad.values.backend import CPU, Device, asnumpy, backend_for, cast, copy_of, device_of
from glassgrad.values.dtypes import TYPE_NAMES, DType, Home, as_dtype, float32
from glassgrad.values.layers import array_of, batches_of

from . import _checks as check
from ._declaring import for_each_dtype, function, method, op, operators
from ._families import Moved
from ._rules import without_layers


class Clone(Moved):
    """y = x        x̄ = ȳ"""

    @staticmethod
    def forward(x):
        return copy_of(x)

    @staticmethod
    def backward(ctx, grad):
        return grad


class Contiguous(Clone):
    """y = x        x̄ = ȳ

    The copy lies row by row in memory.
    """

    node = "CloneBackward0"

    @staticmethod
    def forward(x):
        return np.copy(x, order="C")


@function()
def detach(input: Tensor) -> Tensor:
    """`input.detach()`: the same values in the same memory, outside of the graph.

    Example:
        >>> detach(tensor([1.0], requires_grad=True))
        tensor([1.])
    """
    return input.detach()


@op(Clone, numpy=(np.copy,))
def clone(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """A copy with memory of its own; gradients flow through it.

    Args:
        input: tensor of any shape.
        memory_format: `contiguous_format`: the copy lies row by row; `channels_last`: the dim of
            channels varies fastest; else as `input` does.

    Returns:
        Tensor of the same shape and dtype.

    Example:
        >>> x = tensor([1.0, 2.0])
        >>> y = clone(x)
        >>> y[0] = 5.0
        >>> x
        tensor([1., 2.])

    See also: https://pytorch.org/docs/stable/generated/torch.clone.html
    """
    if "channels_last" in str(memory_format) and batches_of(input):
        raise TransformError(
            "vmap: clone is only supported with memory_format torch.preserve_format or "
            f"torch.contiguous_format, got {memory_format}: an example has fewer dims than its "
            "batch. Leave it out there."
        )
    input = as_format(input, memory_format)
    return (Contiguous if str(memory_format).endswith("contiguous_format") else Clone).apply(input)


def as_format(input: Tensor, memory_format: Any) -> Tensor:
    """As it lies, or with the dim of channels varying fastest."""
    is_last = "channels_last" in str(memory_format)
    return input.contiguous(memory_format=memory_format) if is_last else input


class ToCopy(Moved):
    """y = to(x, dtype)        x̄ = to(ȳ, dtype x)"""

    @staticmethod
    def forward(x, *, dtype, device):
        return converted(x, dtype, device)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.source = inputs[0].dtype, device_of(array_of(inputs[0]))

    @staticmethod
    def backward(ctx, grad):
        dtype, device = ctx.source
        if dtype.kind == "f":
            grad = np.real(grad)  # what came from a real number has a real gradient
        if isinstance(grad, Tensor):
            return ToCopy.apply(grad, dtype=dtype, device=device)
        return converted(grad, dtype, device)


def converted(array: Any, dtype: DType, device: Device) -> Any:
    """A copy of an array in another dtype, on another device."""
    array = whole(array)
    if array.dtype.kind == "c" and dtype.kind not in "cb":
        warn(
            "Casting complex values to real discards the imaginary part. Write `x.real` where "
            "that is meant."
        )
        array = np.real(array)
    # Inf and nan have no integer: PyTorch gives some number.
    copied = silently(cast, array, dtype)
    if _is_on(array, device):
        return copied
    return backend_for(device).asarray(asnumpy(copied), dtype)


def _is_on(array: Any, device: Device) -> bool:
    here = device_of(array)
    return device.type == here.type and device.index in (None, here.index)


@method()
def to(
    input: Tensor,
    *args: Any,
    dtype: Any = None,
    device: Any = None,
    non_blocking: bool = False,  # noqa: ARG001  # PyTorch's; copies here are over at once
    copy: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Another dtype, another device, another order in memory.

    Args:
        input: tensor of any shape.
        args: a dtype, a device, a device and a dtype, or a tensor that has both; behind them,
            `non_blocking` and `copy`.
        dtype, device: the same by keyword.
        non_blocking: accepted, and without effect.
        copy: copy even if nothing changes.
        memory_format: as of `contiguous`.

    Returns:
        `input` itself if nothing changes. Gradients come back in the dtype of `input`; a tensor of
        integers or bools requires none.

    Raises:
        ArgumentTypeError: for something that is neither a dtype, a device nor a tensor.
        DeviceError: if there is no such device.

    Example:
        >>> to(tensor([1.7, -1.7]), int64)
        tensor([ 1, -1])

    See also: https://pytorch.org/docs/stable/generated/torch.Tensor.to.html
    """
    input = as_format(input, memory_format)
    flags = [flag for flag in args[1:] if isinstance(flag, bool)]
    copy = copy or flags[1:] == [True]
    dtype, device = destination(args[: len(args) - len(flags)], dtype, device)
    wanted = input.payload.dtype if dtype is None else as_dtype(dtype)
    place = input.device if device is None else Device(device)
    moves = device is not None and not _is_on(input.payload, place)
    if not copy and not moves and wanted == input.payload.dtype:
        return input
    if moves:
        backend_for(place)  # says so at once if there is none
    source = input.detach() if input.requires_grad and not is_differentiable(wanted) else input
    return ToCopy.apply(source, dtype=wanted, device=place)


def destination(args: Iterable[Any], dtype: Any, device: Any) -> tuple[Any, Any]:
    """The dtype and the device that are meant by the arguments of `to`; None: as it is."""
    for given in args:
        if given is None:
            continue
        if isinstance(given, bool):
            raise ArgumentTypeError(
                "to() takes non_blocking and copy by keyword, or behind a dtype or device. A bare "
                "True does not say which. Write `x.to(dtype, copy=True)`."
            )
        if isinstance(given, Tensor):
            device, dtype = given.device, given.dtype
        elif isinstance(given, (str, int, Device)):
            device = given
        else:
            dtype = given
    return dtype, device


@for_each_dtype
def as_type(input: Tensor, memory_format: Any = None, *, dtype: DType) -> Tensor:
    """`to(input, dtype)`: `x.double()`, `x.half()`, `x.long()` … are this of one dtype each.

    Example:
        >>> tensor([1.7, -1.7]).int()
        tensor([ 1, -1], dtype=glassgrad.int32)
        >>> tensor([0.0, 0.5]).bool()
        tensor([False,  True])
        >>> tensor([1]).cdouble()
        tensor([1.+0.j], dtype=glassgrad.complex128)
    """
    if input.payload.dtype is dtype:
        return input
    return to(input, dtype, memory_format=memory_format)


@method(name="type")
def type_of(input: Tensor, dtype: Any = None) -> "Tensor | str":
    """The old name of a tensor's dtype; with `dtype`, the tensor converted to it.

    Args:
        input: tensor of any shape.
        dtype: a dtype, or an old name such as "glassgrad.DoubleTensor"; "torch." works too.

    Returns:
        The name, or a tensor as `to` returns it.

    Raises:
        ArgumentError: if there is no such name.

    Example:
        >>> type_of(tensor([1.0]))
        'glassgrad.FloatTensor'
        >>> type_of(tensor([1.0]), "glassgrad.LongTensor")
        tensor([1])
    """
    if dtype is None:
        where = "" if input.device.type == "cpu" else f"{input.device.type}."
        return f"{Home.name}.{where}{TYPE_NAMES[input.dtype]}Tensor"
    if not isinstance(dtype, str):
        return to(input, float32 if dtype is Tensor else getattr(dtype, "dtype", dtype))
    for kind, name in TYPE_NAMES.items():
        if dtype in (kind.name, f"glassgrad.{name}Tensor", f"torch.{name}Tensor"):
            return to(input, kind)
    raise ArgumentError(
        f"invalid type: {dtype!r}. The names are glassgrad.FloatTensor, glassgrad.LongTensor and "
        "so on. Write `x.to(glassgrad.float64)`."
    )


@method()
def type_as(input: Tensor, other: Tensor) -> Tensor:
    """`input` in the dtype, and on the device, of `other`.

    Example:
        >>> type_as(tensor([1, 2]), tensor(0.5))
        tensor([1., 2.])
    """
    return to(input, other)


@op()
def is_complex(input: Tensor) -> bool:
    """Whether the elements are complex numbers.

    Example:
        >>> is_complex(tensor([1j]))
        True
    """
    check.tensor("is_complex", input)
    return input.dtype.kind == "c"


@op()
def is_floating_point(input: Tensor) -> bool:
    """Whether the elements are real fractions.

    Example:
        >>> is_floating_point(tensor([1.0]))
        True
    """
    check.tensor("is_floating_point", input)
    return input.dtype.kind == "f"


@op()
def is_signed(input: Tensor) -> bool:
    """Whether the elements may be negative.

    Example:
        >>> is_signed(tensor([1])), is_signed(tensor([True]))
        (True, False)
    """
    return input.dtype.kind in "ifc"


@method()
def cpu(input: Tensor, memory_format: Any = None) -> Tensor:  # noqa: ARG001  # as of `to`
    """`to(input, "cpu")`.

    Example:
        >>> x = tensor([1.0])
        >>> cpu(x) is x
        True
    """
    return to(input, "cpu")


@method()
def cuda(
    input: Tensor,
    device: Any = None,
    non_blocking: bool = False,  # noqa: ARG001  # as of `to`
    memory_format: Any = None,  # noqa: ARG001  # as of `to`
) -> Tensor:
    """`input` on a GPU.

    Args:
        input: tensor of any shape.
        device: which GPU, as "cuda:1", 1 or a Device; None: the current one.
        non_blocking, memory_format: accepted, and without effect.

    Raises:
        DeviceError: if there is none, or CuPy is not installed.
    """
    place = Device(f"cuda:{device}" if isinstance(device, int) else device or "cuda")
    backend_for(place)
    return to(input, place)


def dlpack_capsule(
    input: Tensor,
    *,
    stream: Any = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """`x.__dlpack__()`: a capsule with the memory of `input`, for the library that asked.

    Args:
        input: tensor that does not require grad.
        stream, max_version, dl_device, copy: what the protocol defines.

    Raises:
        BufferError: if `input` requires grad: writes and gradients would go unseen.
        TransformError: if it is seen by a transform.
    """
    if input.requires_grad:
        raise BufferError(
            "Can't export tensors that require gradient, use tensor.detach(). Nobody would see "
            "what the other library writes, or give it a gradient."
        )
    array = without_layers(input)
    options = {"max_version": max_version, "dl_device": dl_device, "copy": copy}
    asked = {name: value for name, value in options.items() if value is not None}
    on_cpu = input.device == CPU
    return array.__dlpack__(stream=None if on_cpu and stream == -1 else stream, **asked)


def reread(array: Any, dtype: DType) -> Any:
    """The same memory, its bytes read as elements of another dtype along the last dim."""
    return array.view(dtype)


def dlpack_device(input: Tensor) -> tuple[int, int]:
    """`x.__dlpack_device__()`: (device type, device index) in DLPack's numbers.

    Example:
        >>> dlpack_device(tensor([1.0]))
        (1, 0)
    """
    kind, index = array_of(input).__dlpack_device__()
    return int(kind), int(index)


operators(dlpack=dlpack_capsule, dlpack_device=dlpack_device)
