"""The device "meta": tensors that have a shape, strides and a dtype, and no memory.

Their arrays lie at addresses that are reserved and never written, where the system reads zeros. So
views, strides and offsets are NumPy's own. What an op makes of them is computed with these zeros,
and only its shape and dtype are kept.
"""

import functools
import math
import mmap
from typing import Any

import numpy as np

from .core.errors import DeviceError, MissingRuleError, ShapeError
from .core.state import Shape
from .core.tensor import Tensor
from .values.backend import Backend, Device, register

_SIZE = 1 << 44  # bytes: more than all tensors of a program would have
_NO_RESERVE = 0x4000 if hasattr(mmap, "MAP_ANONYMOUS") else 0  # Linux: promise no memory for it


class MetaArray(np.ndarray):
    """An array whose elements are never written, and read as zeros."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if any(isinstance(x, Tensor) for x in inputs):
            return NotImplemented  # the tensor's turn
        if out := kwargs.pop("out", None):
            return out[0] if len(out) == 1 else out
        if method == "at":
            return None
        values = [_plain(x) for x in inputs]
        if method == "__call__" and ufunc.signature is None:
            shape = np.broadcast_shapes(*[np.shape(x) for x in values])
            return _reserved(ufunc(*[_none_of(x) for x in values], **kwargs), shape)
        if method == "reduce":
            return _reduced(ufunc, values[0], **kwargs)
        if ufunc is np.matmul:
            return _product(*values)
        return _reserved(getattr(ufunc, method)(*values, **kwargs))

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if any(issubclass(kind, Tensor) for kind in types):
            return NotImplemented
        if func in _OF_VALUES:
            raise _no_values(f"np.{func.__name__}() has as many elements as the values decide")
        if func is np.copyto:
            return None
        return _reserved(super().__array_function__(func, types, args, kwargs))

    def __getitem__(self, key: Any) -> Any:
        keys = key if isinstance(key, tuple) else (key,)
        if any(isinstance(each, MetaArray) and each.dtype.kind == "b" for each in keys):
            raise _no_values("a mask chooses as many elements as its values decide")
        found = _plain(self)[_plain(key)]
        return _reserved(found) if isinstance(found, np.ndarray) else _new_array((), self.dtype)

    def __setitem__(self, key: Any, value: Any) -> None:
        """Nothing: there is nothing to write to."""

    def fill(self, value: Any) -> None:
        """Nothing, too."""

    def copy(self, order: Any = "C") -> Any:
        return _reserved(np.empty_like(_none_of(self)), self.shape)

    def astype(self, dtype: Any, *_: Any, **__: Any) -> Any:
        return _reserved(np.empty(0, dtype), self.shape)


_OF_VALUES = (np.nonzero, np.flatnonzero, np.argwhere, np.unique)


def _no_values(said: str) -> MissingRuleError:
    return MissingRuleError(
        f"Cannot copy out of meta tensor; no data! It has a shape and a dtype only: {said}. Make "
        "one that has values: `glassgrad.empty_like(x, device='cpu')`. Of a module, please use "
        "torch.nn.Module.to_empty() instead of torch.nn.Module.to() when moving module from "
        "meta to a different device."
    )


def _plain(value: Any) -> Any:
    """The same memory as an array of NumPy's, to compute with."""
    if isinstance(value, MetaArray):
        return value.view(np.ndarray)
    if isinstance(value, np.ndarray) and value.ndim:
        raise DeviceError(
            "Expected all tensors to be on the same device: a Tensor on device cpu is not on the "
            f"expected device meta! It has the shape {value.shape}. Write `x.to('meta')`."
        )
    return type(value)(map(_plain, value)) if type(value) in (list, tuple) else value


def _none_of(value: Any) -> Any:
    """An array of the same dtype without elements: what is computed with it costs nothing."""
    return np.empty(0, value.dtype) if isinstance(value, np.ndarray) else value


def _product(a: Any, b: Any) -> Any:
    """What a matrix product is like; only its first element is computed, of the first summand."""
    if a.ndim < 2 or b.ndim < 2 or a.shape[-1] != b.shape[-2]:
        return _reserved(np.matmul(a, b))
    first = np.matmul(a[..., :1, :1], b[..., :1, :1])
    return _new_array((*first.shape[:-2], a.shape[-2], b.shape[-1]), first.dtype)


def _reduced(ufunc: Any, x: Any, axis: Any = 0, keepdims: bool = False, **rest: Any) -> Any:
    """What a reduction is like; only one element is reduced."""
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    places = {np.lib.array_utils.normalize_axis_index(a, x.ndim) for a in axes}
    one = ufunc.reduce(np.zeros(1, x.dtype), dtype=rest.get("dtype"))
    sizes = [1 if dim in places else n for dim, n in enumerate(x.shape)]
    kept = [n for dim, n in enumerate(sizes) if keepdims or dim not in places]
    return _new_array(tuple(kept), one.dtype)


def _reserved(result: Any, shape: Shape | None = None) -> Any:
    """What has been computed, without its memory; a view of such an array stays one."""
    if isinstance(result, (list, tuple)):
        return type(result)([_reserved(each, shape) for each in result])
    if not isinstance(result, (np.ndarray, np.generic)):
        return result
    if _owner(result) is _reservation.addresses:
        return result.view(MetaArray)
    return _new_array(result.shape if shape is None else shape, result.dtype)


def _owner(array: Any) -> Any:
    """What the memory of an array belongs to."""
    while isinstance(array, np.ndarray) and array.base is not None:
        array = array.base
    return array


class _Reservation:
    """Where the next array lies."""

    taken = 0

    @functools.cached_property
    def addresses(self) -> mmap.mmap:
        """The addresses, of which nobody asks for the memory."""
        return mmap.mmap(-1, _SIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE)


_reservation = _Reservation()


def _new_array(shape: Shape, dtype: Any) -> Any:
    """A new array."""
    size = math.prod(shape) * dtype.itemsize
    if size > _SIZE:
        raise ShapeError(
            f"a tensor of shape {tuple(shape)} has {size} bytes, and the device 'meta' has "
            f"addresses for {_SIZE}. Its elements have no memory, but places. Write smaller sizes."
        )
    start = 0 if _reservation.taken + size > _SIZE else _reservation.taken
    _reservation.taken = start + -(-size // 64) * 64
    return MetaArray(shape, dtype, _reservation.addresses, start)


class _Making:
    """NumPy's functions that make arrays."""

    @staticmethod
    def empty(shape: Shape, dtype: Any) -> Any:
        return _new_array(shape, dtype)

    @staticmethod
    def empty_like(array: Any, dtype: Any) -> Any:
        return _new_array(array.shape, dtype)

    zeros = empty


class _Meta(Backend):
    array_type, maker = MetaArray, _Making

    def asarray(self, data: Any, dtype: Any = None) -> Any:
        if isinstance(data, MetaArray) and dtype in (None, data.dtype):
            return data
        return _new_array(np.shape(data), np.dtype(dtype or np.asarray(data).dtype))

    def drawn(self, draw: Any, shape: Shape, dtype: Any = None) -> Any:
        return _new_array(shape, dtype or draw((0,)).dtype)

    def asnumpy(self, array: Any) -> Any:
        raise _no_values("Tensor.item() cannot be called on meta tensors")

    def device(self, array: Any) -> Device:
        return Device("meta")


register("meta", _Meta)
