"""Products of two matrices, the way around and in the pieces that this machine's BLAS does best.

The rules of matrix products call these in the place of `@`. Whatever they do not know, such as
Tensors, stacks or arrays on a device, they leave to `@`.

# Note [Few rows]
# OpenBLAS multiplies a handful of rows by a transposed matrix at a fraction of its speed: it packs
# the matrix as if many rows would use it. The same product the other way around, transposed
# afterwards, takes half the time: (y·xᵀ)ᵀ for x·yᵀ. A small batch meets this in every backward.

# Note [Pieces]
# On CPUs with AVX-512, OpenBLAS has kernels for small products that do not pack at all. They serve
# up to a million multiply-adds, and beat the large ones at any size: four rows at a time take 5 to
# 45 % less time than all at once. NumPy cuts a product if its operand is a stack of such pieces.
# With several BLAS threads the pieces lose, for OpenBLAS shares out only what is large.

# Note [Outer products]
# NumPy hands each product of a stack to BLAS by itself. If the inner dim has size 1, nothing is to
# be summed: einsum multiplies all of them at once, in a fifth of the time. The gradients of weights
# for each example of a batch are such a stack.
"""

import functools
import os
from typing import Any

import numpy as np

__all__ = ["product", "stacked_product", "times_transposed", "transposed", "transposed_times"]


def transposed(x: Any) -> Any:
    """The last two dims swapped."""
    return x.swapaxes(-1, -2)


def product(x: Any, y: Any) -> Any:
    """`x @ y`."""
    if type(x) is np.ndarray and x.size * y.shape[-1] > _SMALL and _is_cuttable(x, y):
        rows, columns = x.shape[0], y.shape[1]
        if rows % _ROWS == 0 and _ROWS * y.size <= _SMALL:
            out = np.empty((rows, columns), x.dtype)
            np.matmul(x.reshape(-1, _ROWS, x.shape[1]), y, out=out.reshape(-1, _ROWS, columns))
            return out
    return x @ y


def stacked_product(x: Any, y: Any) -> Any:
    """`x @ y` of stacks of matrices (see Note [Outer products])."""
    are_arrays = type(x) is np.ndarray and x.ndim > 1 and y.ndim > 1
    if are_arrays and x.shape[-1] == 1 == y.shape[-2] and x.size * y.shape[-1] > _MANY:
        return np.einsum("...i,...j->...ij", x[..., 0], y[..., 0, :], order="C")
    return x @ y


def transposed_times(x: Any, y: Any) -> Any:
    """`xᵀ @ y`."""
    if type(x) is np.ndarray and x.size * y.shape[-1] > _SMALL and _is_cuttable(x, y):
        inner, rows = x.shape
        piece = _piece(rows, _SMALL // y.size)
        if piece >= _WORTH_CUTTING:
            out = np.empty((rows, y.shape[1]), x.dtype)
            pieces = x.reshape(inner, -1, piece).transpose(1, 2, 0)
            np.matmul(pieces, y, out=out.reshape(-1, piece, y.shape[1]))
            return out
    return x.swapaxes(-1, -2) @ y


def times_transposed(x: Any, y: Any) -> Any:
    """`x @ yᵀ` (see Note [Few rows])."""
    if type(x) is np.ndarray and x.ndim == 2 == y.ndim:  # matrices
        rows = x.shape[0]
        if 1 < rows <= _FEW_ROWS and rows * y.size >= _WORTH_TURNING:
            return np.ascontiguousarray((y @ np.ascontiguousarray(x.T)).T)
    return x @ y.swapaxes(-1, -2)


_MANY = 5_000
_FEW_ROWS, _WORTH_TURNING = 32, 200_000  # measured with OpenBLAS 0.3 on x86
_SMALL, _ROWS, _WORTH_CUTTING = 1_000_000, 4, 16  # the same, with AVX-512


def _is_cuttable(x: Any, y: Any) -> bool:
    """Whether Note [Pieces] is about these two arrays."""
    are_plain = x.ndim == 2 == y.ndim and x.flags.c_contiguous and y.flags.c_contiguous
    return are_plain and x.dtype.char in "fd" and _has_small_kernels()


@functools.cache
def _has_small_kernels() -> bool:
    """Whether NumPy computes with OpenBLAS, on AVX-512, in one thread."""
    config: Any = np.show_config(mode="dicts")
    blas = config.get("Build Dependencies", {}).get("blas", {}).get("name", "")
    introspect: Any = getattr(np.lib, "introspect", None)
    if "openblas" not in blas or introspect is None or _blas_threads() != 1:
        return False
    targets = introspect.opt_func_info(func_name="maximum", signature="float32")
    current = str(targets.get("maximum"))
    return "AVX512" in current or "X86_V4" in current


def _blas_threads() -> int:
    """How many threads OpenBLAS starts, by the rules it follows itself."""
    for name in ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS"):
        if os.environ.get(name, "").isdigit():
            return int(os.environ[name])
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@functools.cache
def _piece(rows: int, limit: int) -> int:
    """The largest divisor of `rows` up to `limit`."""
    return next((size for size in range(min(rows, limit), 0, -1) if rows % size == 0), 0)
