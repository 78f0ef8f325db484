"""NumPy's functions on Tensors: `np.sin(x)`, `np.sum(x, axis=0)` and friends, differentiable.

NumPy hands a call with a Tensor among its arguments to the Tensor (NEP 13 for ufuncs, NEP 18 for
other functions). Names and arguments have NumPy's meaning here: `np.var` divides by n, `np.max`
returns values only. This is also how a rule, written for arrays, runs on Tensors when the
backward pass itself is recorded.
"""

from typing import Any

import numpy as np

from glassgrad.base.errors import ArgumentTypeError
from glassgrad.core.tensor import Tensor

from ._declaring import NUMPY, of_numpy


@of_numpy(np.shape)
def _numpy_shape(a: Tensor) -> tuple[int, ...]:
    return tuple(a.shape)


@of_numpy(np.ndim)
def _numpy_ndim(a: Tensor) -> int:
    return a.ndim


@of_numpy(np.size)
def _numpy_size(a: Tensor) -> int:
    return a.numel()


def array_ufunc(self: Tensor, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """What `np.exp(x)` and `array * x` call."""
    rule = NUMPY.get(ufunc)
    if method != "__call__" or rule is None or kwargs:
        how = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
        raise _unknown(how, kwargs)
    return rule(*inputs)


def array_function(
    self: Tensor, func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """What `np.sum(x)` calls."""
    rule = NUMPY.get(func)
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
