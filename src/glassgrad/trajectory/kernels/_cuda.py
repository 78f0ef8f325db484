"""The fused steps on a GPU: `steps.cu`, compiled by CuPy for the dtype when it is first needed.

A scheme whose arrays CuPy holds is computed by one kernel; other arrays, other dtypes and the
literal numerics go through NumPy's functions, which CuPy answers, too.
"""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from glassgrad.core.state import Shape
from glassgrad.values.backend import backend_of, in_rows

Arrays = tuple[Any, ...]  # of positions, velocities, accelerations and jerks

THREADS = 128
REALS = {np.dtype(np.float32): "float", np.dtype(np.float64): "double"}


def forward(scheme: Any, u: Any, start: Arrays, steps: Any, out: Arrays) -> None:
    """Do `scheme.forward`, by a kernel where there is one."""
    kernel = kernel_of(scheme, u, "forward")
    if kernel is None:
        scheme.forward(u, start, steps, out)
        return
    rows = [in_rows(np.zeros_like(u[:, 0]) + x) for x in start]
    arguments = in_rows(u), *rows, _laid_out(steps, u), *out
    _launch(kernel, scheme, out[0].shape, out[0].shape[1], arguments)


def adjoint(scheme: Any, grads: Arrays, steps: Any, out: Any, work: Any) -> None:
    """Do `scheme.adjoint`, by a kernel where there is one."""
    kernel = kernel_of(scheme, out, "adjoint")
    if kernel is None:
        scheme.adjoint(grads, steps, out, work)
        return
    given = [np.intp(0) if x is None else in_rows(x) for x in grads]
    batch, actions, joints = out.shape
    shape = batch, actions + scheme.padding, joints
    _launch(kernel, scheme, shape, actions, (*given, _laid_out(steps, out), out))


def _laid_out(steps: Any, like: Any) -> Any:
    """The time steps as a kernel reads them: in the dtype of the others, one behind the other."""
    if isinstance(steps, float):
        return like.dtype.type(steps)
    return in_rows(steps.astype(like.dtype, copy=False))


def _launch(kernel: Any, scheme: Any, shape: Shape, written: int, arguments: Arrays) -> None:
    """Start a kernel.

    Args:
        shape: `(B, H, D)`, that of the results.
        written: how many rows of each trajectory are written.
        arguments: what the kernel takes before the sizes.
    """
    batch, _, joints = shape
    threads = batch * joints * (1 if scheme.per_sample else written)
    sizes = [np.int32(x) for x in (*shape, scheme.by_time)]
    if threads:
        kernel((-(-threads // THREADS),), (THREADS,), (*arguments, *sizes))


def kernel_of(scheme: Any, array: Any, name: str) -> Any:
    """The scheme's kernel "forward" or "adjoint"; None where there is none for such arrays."""
    real = REALS.get(array.dtype)
    compile_text = backend_of(array).compile_text
    if real is None or compile_text is None or not scheme.kernel:
        return None
    return _module(compile_text, real).get_function(f"{scheme.kernel}_{name}")


@functools.cache
def _module(compile_text: Callable[[str], Any], real: str) -> Any:
    text = (Path(__file__).parent / "steps.cu").read_text(encoding="utf-8")
    return compile_text(f"#define real {real}\n{text}")
