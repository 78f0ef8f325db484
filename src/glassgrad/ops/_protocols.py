"""NumPy's functions on Tensors: `np.sin(x)`, `np.sum(x, axis=0)` and friends, differentiable.

NumPy hands a call with a Tensor among its arguments to the Tensor (NEP 13 for ufuncs, NEP 18 for
other functions). Names and arguments have NumPy's meaning here: `np.var` divides by n, `np.max`
returns values only. This is also how a rule, written for arrays, runs on Tensors when the
backward pass itself is recorded.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentTypeError
from glassgrad.core.tensor import Tensor

from . import (
    alike,
    argextrema,
    arithmetic,
    comparison,
    complexes,
    conversion,
    creation,
    diagonals,
    extrema,
    gathering,
    hyperbolic,
    joining,
    linalg,
    logarithms,
    logic,
    powers,
    reduction,
    rounding,
    selection,
    shape,
    stacking,
    statistics,
    transcendental,
    transposing,
    triangles,
    trigonometric,
    vectors,
)
from .einsum import einsum

__all__ = ["array_function", "array_ufunc"]

Axis = int | tuple[int, ...] | None

_UFUNCS: dict[Any, Callable[..., Any]] = {
    np.add: arithmetic.Add.apply,
    np.subtract: arithmetic.Sub.apply,
    np.multiply: arithmetic.Mul.apply,
    np.divide: arithmetic.Div.apply,
    np.negative: arithmetic.neg,
    np.positive: lambda x: x,
    np.power: powers.pow,
    np.float_power: powers.pow,
    np.absolute: arithmetic.abs,
    np.fabs: arithmetic.abs,
    np.conjugate: complexes.conj,
    np.sign: arithmetic.sign,
    np.square: powers.square,
    np.reciprocal: powers.reciprocal,
    np.exp: transcendental.exp,
    np.log: transcendental.log,
    np.sqrt: transcendental.sqrt,
    np.sin: transcendental.sin,
    np.cos: transcendental.cos,
    np.tanh: transcendental.tanh,
    np.tan: trigonometric.tan,
    np.arcsin: trigonometric.asin,
    np.arccos: trigonometric.acos,
    np.arctan: trigonometric.atan,
    np.arctan2: trigonometric.Atan2.apply,
    np.hypot: trigonometric.Hypot.apply,
    np.sinh: hyperbolic.sinh,
    np.cosh: hyperbolic.cosh,
    np.arcsinh: hyperbolic.asinh,
    np.arccosh: hyperbolic.acosh,
    np.arctanh: hyperbolic.atanh,
    np.exp2: logarithms.exp2,
    np.expm1: logarithms.expm1,
    np.log1p: logarithms.log1p,
    np.log2: logarithms.log2,
    np.log10: logarithms.log10,
    np.floor: rounding.floor,
    np.ceil: rounding.ceil,
    np.trunc: rounding.trunc,
    np.rint: rounding.round,
    np.maximum: selection.maximum,
    np.minimum: selection.minimum,
    np.matmul: linalg.matmul,
    np.equal: comparison.Eq.apply,
    np.not_equal: comparison.Ne.apply,
    np.less: comparison.Lt.apply,
    np.less_equal: comparison.Le.apply,
    np.greater: comparison.Gt.apply,
    np.greater_equal: comparison.Ge.apply,
    np.isnan: comparison.isnan,
    np.isinf: comparison.isinf,
    np.isfinite: comparison.isfinite,
    np.logical_and: logic.logical_and,
    np.logical_or: logic.logical_or,
    np.logical_xor: logic.logical_xor,
    np.logical_not: logic.logical_not,
    np.bitwise_and: logic.bitwise_and,
    np.bitwise_or: logic.bitwise_or,
    np.bitwise_xor: logic.bitwise_xor,
    np.invert: logic.bitwise_not,
}


def _max(a: Tensor, axis: Axis = None, *, keepdims: bool = False) -> Tensor:
    return extrema.amax(a, () if axis is None else axis, keepdim=keepdims)


def _min(a: Tensor, axis: Axis = None, *, keepdims: bool = False) -> Tensor:
    return extrema.amin(a, () if axis is None else axis, keepdim=keepdims)


def _var(a: Tensor, axis: Axis = None, *, ddof: float = 0, keepdims: bool = False) -> Tensor:
    return statistics.var(a, axis, correction=ddof, keepdim=keepdims)


def _std(a: Tensor, axis: Axis = None, *, ddof: float = 0, keepdims: bool = False) -> Tensor:
    return statistics.std(a, axis, correction=ddof, keepdim=keepdims)


def _transpose(a: Tensor, axes: tuple[int, ...] | None = None) -> Tensor:
    return transposing.permute(a, tuple(reversed(range(a.ndim))) if axes is None else axes)


def _concatenate(arrays: Any, axis: int = 0) -> Tensor:
    return joining.cat(_tensors(arrays), axis)


def _stack(arrays: Any, axis: int = 0) -> Tensor:
    return joining.stack(_tensors(arrays), axis)


def _tensors(arrays: Any) -> list[Tensor]:
    return [_tensor(array) for array in arrays]


def _tensor(value: Any) -> Tensor:
    return value if isinstance(value, Tensor) else creation.as_tensor(value)


_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.sum: lambda a, axis=None, dtype=None, keepdims=False: reduction.sum(
        a, axis, dtype=dtype, keepdim=keepdims
    ),
    np.mean: lambda a, axis=None, dtype=None, keepdims=False: reduction.mean(
        a, axis, dtype=dtype, keepdim=keepdims
    ),
    np.max: _max,
    np.min: _min,
    np.var: _var,
    np.std: _std,
    np.any: lambda a, axis=None, keepdims=False: reduction.any(a, axis, keepdim=keepdims),
    np.all: lambda a, axis=None, keepdims=False: reduction.all(a, axis, keepdim=keepdims),
    np.argmax: lambda a, axis=None, keepdims=False: argextrema.argmax(a, axis, keepdim=keepdims),
    np.argmin: lambda a, axis=None, keepdims=False: argextrema.argmin(a, axis, keepdim=keepdims),
    np.reshape: shape.reshape,
    np.ravel: lambda a: shape.reshape(a, (-1,)),
    np.squeeze: shape.squeeze,
    np.expand_dims: shape.unsqueeze,
    np.broadcast_to: shape.broadcast_to,
    np.transpose: _transpose,
    np.swapaxes: transposing.transpose,
    np.moveaxis: transposing.movedim,
    np.concatenate: _concatenate,
    np.stack: _stack,
    np.vstack: lambda tup: stacking.vstack(_tensors(tup)),
    np.hstack: lambda tup: stacking.hstack(_tensors(tup)),
    np.dstack: lambda tup: stacking.dstack(_tensors(tup)),
    np.column_stack: lambda tup: stacking.column_stack(_tensors(tup)),
    np.round: lambda a, decimals=0: rounding.round(a, decimals=decimals),
    np.diag: lambda v, k=0: diagonals.diag(v, k),
    np.diagflat: lambda v, k=0: diagonals.diagflat(v, k),
    np.diagonal: lambda a, offset=0, axis1=0, axis2=1: triangles.diagonal(a, offset, axis1, axis2),
    np.trace: lambda a: diagonals.trace(a),
    np.inner: lambda a, b: vectors.inner(_tensor(a), _tensor(b)),
    np.outer: lambda a, b: linalg.outer(_tensor(a), _tensor(b)),
    np.cross: lambda a, b, axis=-1: vectors.cross(_tensor(a), _tensor(b), axis),
    np.where: selection.where,
    np.clip: lambda a, a_min=None, a_max=None: selection.clamp(a, a_min, a_max),
    np.dot: linalg.matmul,
    np.einsum: einsum,
    np.take_along_axis: lambda arr, indices, axis: gathering.gather(arr, axis, _tensor(indices)),
    np.zeros_like: lambda a: alike.zeros_like(a),
    np.ones_like: lambda a: alike.ones_like(a),
    np.full_like: lambda a, fill_value: alike.full_like(a, fill_value),
    np.copy: lambda a: conversion.clone(a),
    np.real: complexes.real,
    np.shape: lambda a: tuple(a.shape),
    np.ndim: lambda a: a.ndim,
    np.size: lambda a: a.numel(),
}


def array_ufunc(self: Tensor, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """What `np.exp(x)` and `array * x` call."""
    rule = _UFUNCS.get(ufunc)
    if method != "__call__" or rule is None or kwargs:
        how = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
        raise _unknown(how, kwargs)
    return rule(*inputs)


def array_function(
    self: Tensor, func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """What `np.sum(x)` calls."""
    rule = _FUNCTIONS.get(func)
    if rule is None:
        raise _unknown(func.__name__, {})
    return rule(*args, **kwargs)


def _unknown(name: str, kwargs: dict[str, Any]) -> ArgumentTypeError:
    extra = f" with {', '.join(sorted(kwargs))}=" if kwargs else ""
    return ArgumentTypeError(
        f"np.{name}{extra} has no derivative here, so it does not take a Tensor. Computing it all "
        f"the same would lose the gradient. Write `np.{name}(x.detach().numpy())` if you need "
        "none, or use the tensor's own methods."
    )
