"""What rules do with values: arrays, or tensors where the rule itself is recorded."""

import functools
import math
import operator
from typing import Any

import numpy as np

from glassgrad.core.errors import TransformError
from glassgrad.core.state import Shape, Values
from glassgrad.core.tensor import Tensor, whole
from glassgrad.values.backend import backend_of
from glassgrad.values.dtypes import Home
from glassgrad.values.layers import Layer, array_of, settled, visible

from ._arguments import OpClass


def run(cls: OpClass, *values: Any, **parameters: Any) -> Any:
    """Apply an op inside a rule: recorded if a value is a Tensor, at array speed if none is."""
    for value in values:
        if isinstance(value, Tensor):
            return cls.apply(*values, **parameters)
    return cls.forward(*values, **parameters)


def on_tensors(jvp: Any) -> Any:
    """Mark a `jvp` that takes tensors alone; others take arrays where nothing is recorded."""
    jvp.on_tensors = True
    return jvp


def on_arrays(vmap: Any) -> Any:
    """Mark a `vmap` that takes arrays as well, where nothing is recorded."""
    vmap.on_arrays = True
    return vmap


def total(parts: list[Any]) -> Any:
    """The sum of the parts that are there; None if none is."""
    there = [part for part in parts if part is not None]
    return functools.reduce(operator.add, there) if there else None


def zeros_like(value: Any, shape: Shape) -> Any:
    """An array of zeros, of the dtype of `value` and on its device."""
    array = array_of(value)
    return np.zeros(shape, array.dtype, like=whole(array))


def zeros_of(x: Any) -> Any:
    """Zeros that depend on `x`, as its floor does, but whatever numbers it has."""
    return np.where(np.zeros(x.shape, bool, like=array_of(x)), x, 0)


def by_steps(grad: Any, x: Any) -> Any:
    """A gradient that depends on `x` by steps: its own gradient there is 0, and not missing."""
    return grad + zeros_of(x) if isinstance(x, Tensor) else grad


def seen(x: Any) -> Any:
    """The array of a value; None if it shows one example of a batch, of whichever level."""
    return visible(x.payload if isinstance(x, Tensor) else x)


def without_layers(tensor: Tensor) -> Any:
    """The array of a tensor, if it does not take part in a transform any more.

    Raises:
        TransformError: if its transform is still being computed, or was a vmap.
    """
    payload = settled(tensor).payload
    if isinstance(payload, Layer):
        raise TransformError(
            "Cannot access data pointer of Tensor that doesn't have storage: inside a transform "
            f"({payload.level.kind}) a tensor of shape {list(tensor.shape)} is more than an array, "
            "and nobody else would see the rest. Compute with glassgrad's ops, in a Function of "
            "your own, or outside of the transform."
        )
    return payload


def is_batched(x: Any) -> bool:
    """Whether it shows one example of a batch at some level: its numbers cannot be looked at."""
    return seen(x) is None


_ALL = (slice(None),)


def in_dim(place: Any, dim: int) -> Values:
    """The key that takes `place`, an index or a slice, in one dim, and all of the others."""
    return (*_ALL * dim, place)


def piece(place: int | slice, dim: int) -> Values:
    """`in_dim`, for a view: what it shows is an array, even if it is a single element."""
    return (*_ALL * dim, place, ...)


def kept_shape(shape: Shape, dims: Shape) -> Shape:
    """The shape after a reduction over `dims` that keeps them."""
    return tuple([1 if dim in dims else n for dim, n in enumerate(shape)])


def shifted(dims: Any) -> Any:
    """Dims as they are counted with one more in front: a number, or a tuple of numbers."""
    if isinstance(dims, int):
        return dims + 1
    return None if dims is None else tuple([dim + 1 for dim in dims])


def spread(value: Any, shape: Shape) -> Any:
    """`value` broadcast to `shape`: the gradient of a sum; it may be written if `value` may.

    The view of a 0-d array is made by hand, in an eighth of the time of `np.broadcast_to`.
    """
    if type(value) is np.ndarray and not value.ndim:
        return np.ndarray(shape, value.dtype, value, strides=(0,) * len(shape))
    if isinstance(value, Tensor):
        return np.broadcast_to(value, shape)
    return backend_of(value).broadcast_to(value, shape)


def reduce_at(name: str, array: Any, key: Any, values: Any) -> None:
    """`array[key] = ufunc(array[key], values)`, at repeated places one after the other.

    Many places that count in the memory NumPy takes several times as fast as places in many dims.
    """
    flat = array.reshape(-1)
    is_plain = type(array) is np.ndarray and array.ndim and np.may_share_memory(flat, array)
    if not is_plain or math.prod(values.shape) < 1000:
        backend_of(array).reduce_at(name, array, key, values)
        return
    steps = [math.prod(array.shape[dim + 1 :]) for dim in range(array.ndim)]
    rows = np.ix_(*[np.arange(n) * step for n, step in zip(array.shape, steps, strict=True)])
    places = sum([np.broadcast_to(row, array.shape)[key] for row in rows])
    values = np.broadcast_to(values, places.shape)
    getattr(np, name).at(flat, places.reshape(-1), values.reshape(-1))


def rows_of(x: Any) -> Any:
    """A batch with each example laid out as one line."""
    return x.reshape(x.shape[0], math.prod(x.shape[1:]))


def in_front(x: Any, rank: int) -> Any:
    """A batch of examples that get dims of size 1, so that each has `rank` dims."""
    missing = rank + 1 - x.ndim
    return x.reshape(x.shape[0], *(1,) * missing, *x.shape[1:]) if missing else x


def lined_up(values: Any, in_dims: Any) -> list[Any]:
    """Operands whose batches have as many dims behind the batch as the largest example."""
    pairs = [(x, dim is not None) for x, dim in zip(values, in_dims, strict=True)]
    rank = max([getattr(x, "ndim", 0) - is_batched for x, is_batched in pairs])
    return [in_front(x, rank) if is_batched else x for x, is_batched in pairs]


def batch_all(info: Any, in_dims: Any, values: Any) -> list[Any]:
    """The operands, all of them with a batch in front."""
    return [
        x if dim is not None else stretched(x, info.batch_size)
        for x, dim in zip(values, in_dims, strict=True)
    ]


def stretched(x: Any, n: int) -> Any:
    """`x` for each of `n` examples, without a copy."""
    if isinstance(x, Tensor):
        return x.expand(n, *x.shape)
    return backend_of(x).broadcast_to(x, (n, *x.shape))


def show_named(results: Any) -> str:
    """How PyTorch shows a named tuple of results: `torch.return_types.sort(values=…, …)`."""
    kind = type(results).__name__
    name = kind.removesuffix("Return").lower() if kind.endswith("Return") else kind
    parts = [f"{field}={value!r}" for field, value in zip(results._fields, results, strict=True)]
    return f"{Home.name}.return_types.{name}(\n" + ",\n".join(parts) + ")"
