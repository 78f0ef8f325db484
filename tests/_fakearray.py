"""A device that is none: arrays that speak NumPy's protocols and refuse to become NumPy's.

`FakeArray` wraps an ndarray as CuPy wraps memory on a GPU. `np.exp(fake)` works and gives a fake
array; `np.asarray(fake)`, and mixing it with an ndarray, raise. An op that forgets to ask the
backend for an array where its operands are fails here as it would fail on a GPU.
"""

import operator
from typing import Any

import numpy as np

from glassgrad.values.backend import Backend, Device, register

__all__ = ["FakeArray", "register_fake_device"]

_METHODS = (
    "all any argmax argmin astype copy cumsum fill item max mean min nonzero prod put ravel repeat "
    "reshape round sort squeeze std sum swapaxes take tolist trace transpose var view"
)
_ARRAYS = "T imag real"
_FACTS = "dtype flags itemsize nbytes ndim shape size strides"


class FakeArray(np.lib.mixins.NDArrayOperatorsMixin):
    """An array that lives elsewhere."""

    __slots__ = ("_array", "base")

    def __init__(self, array: Any, base: Any = None) -> None:
        self._array = np.asarray(array)
        self.base = base

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError(
            "Implicit conversion to a NumPy array is not allowed. The array lives on the device "
            "'fake'. Use values.backend.asnumpy()."
        )

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if not all(isinstance(x, _KNOWN) for x in inputs):
            return NotImplemented  # a Tensor's turn
        result = getattr(ufunc, method)(*_unwrap(inputs), **_unwrap(kwargs))
        return _wrap(result, (*inputs, *kwargs.get("out", ())))

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if not all(issubclass(kind, (FakeArray, np.ndarray)) for kind in types):
            return NotImplemented
        return _wrap(func(*_unwrap(args), **_unwrap(kwargs)), (*args, *kwargs.values()))

    def __getitem__(self, key: Any) -> Any:
        return _wrap(self._array[_unwrap(key)], (self,))

    def __setitem__(self, key: Any, value: Any) -> None:
        self._array[_unwrap(key)] = _unwrap(value)

    def __len__(self) -> int:
        return len(self._array)

    def __bool__(self) -> bool:
        return bool(self._array)

    def __int__(self) -> int:
        return int(self._array)

    def __float__(self) -> float:
        return float(self._array)

    def __index__(self) -> int:
        return self._array.__index__()

    def __repr__(self) -> str:
        return f"FakeArray({self._array!r})"

    __hash__ = None  # type: ignore[assignment]  # as for ndarrays


def _method(name: str) -> Any:
    def method(self: FakeArray, *args: Any, **kwargs: Any) -> Any:
        result = getattr(self._array, name)(*_unwrap(args), **_unwrap(kwargs))
        return result if name in ("item", "tolist") else _wrap(result, (self,))

    return method


def _attribute(name: str) -> Any:
    return property(lambda self: _wrap(getattr(self._array, name), (self,)))


_KNOWN = (FakeArray, np.ndarray, np.generic, bool, int, float, complex)

for _name in _METHODS.split():
    setattr(FakeArray, _name, _method(_name))
for _name in _ARRAYS.split():
    setattr(FakeArray, _name, _attribute(_name))
for _name in _FACTS.split():
    setattr(FakeArray, _name, property(operator.attrgetter(f"_array.{_name}")))


def _unwrap(value: Any) -> Any:
    """What NumPy computes with; an ndarray among fake arrays is the mistake looked for."""
    if isinstance(value, FakeArray):
        return value._array
    if isinstance(value, np.ndarray):
        raise TypeError(f"Unsupported type {type(value)}: an array of another device, {value!r}.")
    if type(value) in (tuple, list):
        return type(value)(_unwrap(item) for item in value)
    if type(value) is dict:
        return {key: _unwrap(item) for key, item in value.items()}
    return value


def _wrap(result: Any, operands: tuple[Any, ...]) -> Any:
    """A result as it comes back: arrays are on the device, 0-d ones too."""
    if isinstance(result, (np.ndarray, np.generic)):
        for operand in operands:
            if isinstance(operand, FakeArray) and operand._array is result:
                return operand  # an `out=` argument is returned itself
        base = next((x for x in operands if isinstance(x, FakeArray)), None)
        is_view = getattr(result, "base", None) is not None and base is not None
        return FakeArray(result, base if is_view else None)
    if isinstance(result, (tuple, list)):  # NumPy's named ones are tuples here
        return (list if type(result) is list else tuple)(_wrap(item, operands) for item in result)
    return result


class _FakeModule:
    """`xp`: NumPy's functions, whose results are on the device."""

    def __getattr__(self, name: str) -> Any:
        function = getattr(np, name)
        if not callable(function) or isinstance(function, type):
            return function
        return lambda *args, **kwargs: _wrap(function(*_unwrap(args), **_unwrap(kwargs)), ())


class FakeBackend(Backend):
    """The backend of the device "fake"."""

    array_type = FakeArray
    xp = _FakeModule()

    def asarray(self, data: Any, dtype: Any = None) -> Any:
        if isinstance(data, FakeArray):
            return data if dtype in (None, data.dtype) else data.astype(dtype)
        return FakeArray(np.array(data, dtype))

    def asnumpy(self, array: Any) -> Any:
        return array._array

    def address(self, array: Any) -> int:
        return super().address(array._array)

    def strided(self, memory: Any, size: Any, stride: Any, offset: int) -> Any:
        return FakeArray(super().strided(memory._array, size, stride, offset), memory)

    def reduce_at(self, name: str, array: Any, index: Any, values: Any) -> None:
        getattr(np, name).at(array._array, _unwrap(index), _unwrap(values))

    def device(self, array: Any) -> Device:
        return Device("fake")


def register_fake_device() -> None:
    """Offer device="fake" to tensors."""
    register("fake", FakeBackend)
