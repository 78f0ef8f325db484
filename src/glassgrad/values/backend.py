"""Where arrays live. The only file that knows of CuPy.

Rules are written with NumPy's functions, and CuPy's arrays answer those through NumPy's dispatch
protocols (NEP 13 and 18). What the protocols cannot do is here: making an array on a device,
bringing it back, adding at repeated indices.

A `Backend` serves one device type. "cpu" is always there, "cuda" on first use, and a test may
`register` an array type of its own.
"""

import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Self

import numpy as np

from glassgrad.core.errors import ArgumentTypeError, DeviceError
from glassgrad.core.state import Block, Func, Shape

from .dtypes import NUMBERS, DType

Array = Any
"""An array of some backend: `np.ndarray`, `cupy.ndarray`, or what a test registered."""


class Device(Block):
    """Where a tensor's array lives: `Device("cpu")`, `Device("cuda", 1)`, `Device("cuda:1")`.

    As a context manager it is where new tensors are made unless they are told otherwise.

    Args:
        type: "cpu", "cuda" or "cuda:<index>"; an int is the index of a GPU. PyTorch's other kinds
            have a name, too, and no tensors.
        index: the number of the device, if there are several.

    Raises:
        DeviceError: if no such kind of device exists.

    Example:
        >>> Device("cuda:1").index
        1
    """

    __slots__ = ("index", "type")

    def __init__(self, type: "str | Device | int", index: int | None = None) -> None:
        if isinstance(type, Device):
            index, type = type.index, type.type
        elif isinstance(type, int) and not isinstance(type, bool) and index is None:
            index, type = type, "cuda"
        if not isinstance(type, str):
            raise ArgumentTypeError(
                f"device must be a string or a device, got {type!r}. Write 'cpu' or 'cuda:0'."
            )
        if index is not None and index.__class__ is not int:
            raise ArgumentTypeError(
                "device(): argument 'index' (position 2) must be int, not "
                f"{index.__class__.__name__}. It counts devices of a kind. Write 0."
            )
        kind, _, number = type.partition(":")
        is_known = kind in _FACTORIES or kind in _ELSEWHERE
        if not is_known or (number and (index is not None or not number.isdigit())):
            raise DeviceError(
                f"Invalid device string: {type!r}. glassgrad computes on "
                f"{' or '.join(sorted(_FACTORIES))}. Write 'cpu', 'cuda' or 'cuda:<index>'."
            )
        if index is not None and index < 0:
            raise DeviceError(
                f"Device index must not be negative, got {index}. Devices of a kind are counted "
                "from 0 up. Write 0."
            )
        self.type: str = kind
        self.index: int | None = int(number) if number else index

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __enter__(self) -> Self:
        inside = {"entered": (*default.entered, default.device), "device": self}
        return Block().enter(self, inside, vars(default))

    def leave(self) -> None:
        """Leave the innermost block of a device."""
        *outer, device = default.entered
        vars(default).update(entered=tuple(outer), device=device)

    def __reduce__(self) -> Any:
        return Device, (self.type, self.index)

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type={self.type!r}{index})"


class Backend:
    """Arrays of NumPy's kind, and the base class of other kinds.

    Attributes:
        array_type: the class of the arrays.
        xp: the module that computes with them (`numpy`, `cupy`).
        maker: what makes new ones of a shape, which `asarray` then brings here.
    """

    array_type: type = np.ndarray
    xp: Any = np
    maker: Any = np
    compile_text: Callable[[str], Any] | None = None
    """Makes a module of kernels of CUDA C++; None where none can run."""

    def asarray(self, data: Any, dtype: DType | None = None) -> Array:
        """An array here, of data that may live elsewhere; not copied where that is possible."""
        return np.asarray(data, dtype)

    def drawn(self, draw: Func, shape: Shape, dtype: DType | None = None) -> Array:
        """An array of random numbers, which `draw` draws on the CPU."""
        return self.asarray(draw(shape), dtype)

    def asnumpy(self, array: Array) -> "np.ndarray[Any, Any]":
        """A NumPy array of the same values; shares memory on the CPU."""
        return array  # type: ignore[no-any-return]  # an Array of this backend is one

    def reduce_at(self, name: str, array: Array, index: Any, values: Any) -> None:
        """`array[index] = ufunc(array[index], values)`, at repeated indices one after the other."""
        getattr(self.xp, name).at(array, index, values)

    def strided(self, array: Array, size: Shape, stride: Shape, offset: int) -> Array:
        """A view of the memory of `array`; strides and offset, from its first element on, count
        elements. Nothing checks that this memory is there.
        """
        n, told = array.itemsize, dict(array.__array_interface__)
        address, is_read_only = told["data"]
        told["data"] = (address + offset * n, is_read_only)
        told["shape"], told["strides"] = size, tuple([step * n for step in stride])
        return np.asarray(SimpleNamespace(__array_interface__=told, keeps_alive=array))

    def broadcast_to(self, array: Array, shape: Shape) -> Array:
        """A view of `array` in a shape it stretches to, writable if it is."""
        out = self.xp.broadcast_to(array, shape)
        if getattr(array.flags, "writeable", False):
            out.flags.writeable = True  # NumPy leaves it to its caller to know what is safe
        return out

    def address(self, array: Array) -> int:
        """Where in memory its first element is."""
        return array.__array_interface__["data"][0]  # type: ignore[no-any-return]  # an int

    def device(self, array: Array) -> Device:
        """The device an array of this backend lives on."""
        return CPU

    def special(self) -> Any:
        """The special functions of SciPy, for arrays of this backend."""
        import scipy.special

        return scipy.special

    def on(self, device: Device) -> "Backend":
        """The backend that makes arrays on that very device."""
        return self


class _CuPy(Backend):
    """Arrays on a GPU."""

    def __init__(self, index: int = 0) -> None:
        try:
            import cupy
        except ImportError as error:
            raise DeviceError(
                f"device 'cuda' needs CuPy, which is not installed: {error}. Its arrays hold the "
                "tensors there. Run `pip install cupy-cuda12x`, or write device='cpu'."
            )
        count = cupy.cuda.runtime.getDeviceCount()
        if not 0 <= index < count:
            raise DeviceError(
                f"device 'cuda:{index}' is not there: this machine has {count}. "
                "Write a smaller index, or device='cpu'."
            )
        self.index = index
        self.xp = cupy
        self.array_type = cupy.ndarray

    def asarray(self, data: Any, dtype: DType | None = None) -> Array:
        with self.xp.cuda.Device(self.index):
            return self.xp.asarray(data, dtype)

    def asnumpy(self, array: Array) -> "np.ndarray[Any, Any]":
        return self.xp.asnumpy(array)  # type: ignore[no-any-return]  # cupy has no types

    def strided(self, array: Array, size: Shape, stride: Shape, offset: int) -> Array:
        steps = tuple([step * array.itemsize for step in stride])
        start = array.data + offset * array.itemsize
        return self.xp.ndarray(size, array.dtype, start, strides=steps)

    def address(self, array: Array) -> int:
        return array.data.ptr  # type: ignore[no-any-return]  # cupy has no types

    def device(self, array: Array) -> Device:
        return Device("cuda", array.device.id)

    def special(self) -> Any:
        import cupyx.scipy.special

        return cupyx.scipy.special

    def on(self, device: Device) -> Backend:
        index = device.index or 0
        return self if index == self.index else _CuPy(index)

    def compile_text(self, text: str) -> Any:
        """Kernels that round as NumPy does: no product and sum in one."""
        return self.xp.RawModule(code=text, options=("-fmad=false",))


CPU_BACKEND = Backend()
_FACTORIES: dict[str, Callable[[], Backend]] = {"cpu": lambda: CPU_BACKEND, "cuda": _CuPy}
_ELSEWHERE = ("mps", "xpu", "hpu", "mtia", "xla", "hip", "mkldnn", "vulkan", "privateuseone")
"""Kinds of devices that PyTorch knows, and that no tensor lives on here."""

_backends: dict[str, Backend] = {"cpu": CPU_BACKEND}
_by_array_type: dict[type, Backend] = {np.ndarray: CPU_BACKEND}
CPU = Device("cpu")


class _Default(threading.local):
    """Where a thread makes new tensors.

    Attributes:
        device: None: on the CPU.
        entered: what it was outside of each block `with device:` that is open.
    """

    def __init__(self) -> None:
        self.device: Device | None = None
        self.entered: tuple[Device | None, ...] = ()


default = _Default()


def register(kind: str, factory: Callable[[], Backend]) -> None:
    """Offer another device type, made by `factory` when it is first asked for."""
    _FACTORIES[kind] = factory


def admit(array_type: type, backend: Backend) -> None:
    """Let objects of another type pass for arrays, served by `backend`."""
    _by_array_type[array_type] = backend


def backend_for(device: "Device | str | None") -> Backend:
    """The backend that makes arrays on `device` (None: where new tensors are made).

    Raises:
        DeviceError: if no tensor can live there.
    """
    device = default.device if device is None else device
    if device is None or device is CPU:
        return CPU_BACKEND
    wanted = Device(device)
    if wanted.type in _ELSEWHERE and wanted.type not in _FACTORIES:
        raise DeviceError(
            f"no tensor can live on {str(wanted)!r} here: glassgrad computes on "
            f"{' or '.join(sorted(_FACTORIES))}, and a tensor has an array. Write device='cpu'."
        )
    found = _backends.get(wanted.type)
    if found is None:
        found = _backends[wanted.type] = _FACTORIES[wanted.type]()
        admit(found.array_type, found)
    return found.on(wanted)


def backend_of(array: Array) -> Backend:
    """The backend an array belongs to; the CPU's is that of NumPy's scalars, too."""
    found = _by_array_type.get(type(array))
    if found is not None:
        return found
    if isinstance(array, np.generic):  # what a rule made of 0-d arrays
        return CPU_BACKEND
    for kind, backend in _by_array_type.items():
        if isinstance(array, kind):
            return backend
    raise ArgumentTypeError(
        f"no backend holds arrays of type {type(array).__name__}. "
        "Make a tensor of them first, for example with `glassgrad.tensor(values)`."
    )


def is_array(value: object) -> bool:
    """Whether `value` is an array of a backend in use (NumPy's scalars are not)."""
    if type(value) in NUMBERS:
        return False
    return type(value) in _by_array_type or isinstance(value, tuple(_by_array_type))


def device_of(array: Array) -> Device:
    """The device an array lives on."""
    return backend_of(array).device(array)


def asnumpy(array: Array) -> "np.ndarray[Any, Any]":
    """A NumPy array of the same values, wherever they live."""
    return backend_of(array).asnumpy(array)


def cast(array: Any, dtype: Any) -> Any:
    """A copy of an array in another dtype; in rows if elements share their memory, as PyTorch's."""
    return array.astype(dtype, order="C" if repeats(array.shape, array.strides) else "K")


def copy_of(array: Array) -> Array:
    """A copy whose elements lie as those of `array` do; in rows if some share their memory."""
    return np.copy(array, order="C" if repeats(array.shape, array.strides) else "K")


def kept(array: Array, mask: Array) -> Array:
    """`array` where `mask` is not 0, and 0 elsewhere; of real numbers.

    It masks bits, so infinity and nan become 0, too. No processor has to guess where a random mask
    is true: that makes it several times as fast as `np.where`.
    """
    is_kept = mask if mask.dtype.kind == "b" else mask != 0
    return (array.view(_BITS[array.itemsize]) * is_kept).view(array.dtype)


_BITS = {size: np.dtype(f"u{size}") for size in (1, 2, 4, 8)}
"""Integers of as many bytes as an element."""


def repeats(size: Shape, stride: Shape) -> bool:
    """Whether elements share their memory, as those of an expanded tensor do."""
    # Where there are no elements, NumPy calls all strides zero.
    return 0 not in size and any(not s and n > 1 for n, s in zip(size, stride, strict=True))


def in_order(size: Shape, stride: Shape, step: int = 1) -> bool:
    """Whether the elements lie one behind the other, `step` apart, the last dim varying fastest."""
    for n, actual in zip(reversed(size), reversed(stride), strict=True):
        if n != 1 and actual != step:
            return False
        step *= n
    return True


def in_rows(array: Array) -> Array:
    """NumPy makes columns of columns. Where PyTorch makes rows, `reshape` is a view of them."""
    return array if array.flags.c_contiguous else np.copy(array, order="C")
