"""What a random program may use, in files that are read one after the other into one namespace.

Played once for each library: with `lib` given, or as the head of a printed script, which takes the
library's name from the command line. Here: values, and a log of what happened when.
"""

import importlib
import sys
from typing import Any

import numpy as np

lib: Any = globals().get("lib") or importlib.import_module(sys.argv[1])
log: list[tuple[str, str | None, Any]] = []  # (what, the leaf it happened at, gradients)


def leaf(values: Any) -> Any:
    """A float64 leaf that requires grad."""
    return lib.tensor(values, dtype=lib.float64, requires_grad=True)


def plain(values: Any) -> Any:
    """A float64 tensor that does not."""
    return lib.tensor(values, dtype=lib.float64)


def places(numbers: Any) -> Any:
    """Where to read or to write."""
    return lib.tensor(numbers, dtype=lib.int64)


def typed(values: Any, dtype: str, grad: bool = False) -> Any:
    """A tensor of another dtype."""
    return lib.tensor(values, dtype=getattr(lib, dtype), requires_grad=grad)


def dtype_of(x: Any) -> str:
    """The dtype's name, which both libraries share."""
    return str(x.dtype).rpartition(".")[2]


def weights(x: Any) -> Any:
    """A gradient for `x`, another number for each element."""
    n = int(np.prod(tuple(x.shape)))
    numbers = np.linspace(0.5, 1.5, n) * (1 + 0.5j if x.is_complex() else 1)
    return lib.tensor(numbers.reshape(tuple(x.shape)).tolist(), dtype=x.dtype)


def seen(grad: Any) -> Any:
    """Gradients as they are now: dtype and numbers, None where there is none."""
    if isinstance(grad, (tuple, list)):
        return [seen(part) for part in grad]
    if grad is None or not isinstance(grad, lib.Tensor):
        return grad
    return [dtype_of(grad), grad.detach().clone().tolist()]  # PyTorch may mean zeros


def scaled(grad: Any, factor: float) -> Any:
    """The gradient or gradients, multiplied; None stays."""
    if isinstance(grad, tuple):
        return tuple(scaled(part, factor) for part in grad)
    return None if grad is None else grad * factor
