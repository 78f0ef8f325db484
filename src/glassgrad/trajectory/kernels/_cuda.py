"""The fused steps on a GPU: `steps.cu`, compiled by CuPy for the dtype when it is first needed.

A scheme whose arrays CuPy holds is computed by one kernel; other arrays, other dtypes and the
literal numerics go through NumPy's functions, which CuPy answers, too.
"""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from glassgrad.values.backend import backend_of, in_rows

THREADS = 128
REALS = {np.dtype(np.float32): "float", np.dtype(np.float64): "double"}


def forward_of(scheme: Any, u: Any) -> Callable[..., None]:
    """The `forward` of a scheme for arrays like `u`."""
    launch = _launcher(scheme, u, "forward")
    if launch is None:
        return scheme.forward  # type: ignore[no-any-return]  # one of our stencils

    def forward(u: Any, start: tuple[Any, ...], steps: Any, out: tuple[Any, ...]) -> None:
        batch, horizon, joints = out[0].shape
        rows = [in_rows(np.zeros_like(u[:, 0]) + x) for x in start]
        n = batch * joints * (1 if scheme.per_sample else horizon)
        launch(n, (in_rows(u), *rows, _laid_out(steps, u), *out), out[0].shape)

    return forward


def adjoint_of(scheme: Any, out: Any) -> Callable[..., None]:
    """The `adjoint` of a scheme for arrays like `out`."""
    launch = _launcher(scheme, out, "adjoint")
    if launch is None:
        return scheme.adjoint  # type: ignore[no-any-return]  # one of our stencils

    def adjoint(grads: tuple[Any, ...], steps: Any, out: Any, _work: Any) -> None:
        given = [np.intp(0) if x is None else in_rows(x) for x in grads]
        batch, actions, joints = out.shape
        n = batch * joints * (1 if scheme.per_sample else actions)
        launch(n, (*given, _laid_out(steps, out), out), (batch, actions + scheme.padding, joints))

    return adjoint


def _laid_out(steps: Any, like: Any) -> Any:
    """The time steps as a kernel reads them: in the dtype of the others, one behind the other."""
    return steps if isinstance(steps, float) else in_rows(steps.astype(like.dtype, copy=False))


def _launcher(scheme: Any, array: Any, act: str) -> Callable[..., None] | None:
    """What starts a kernel for `n` elements; None where there is no kernel for such arrays."""
    real = REALS.get(array.dtype)
    compile_text = backend_of(array).compile_text
    if real is None or compile_text is None or not scheme.kernel:
        return None
    kernel = _module(compile_text, real).get_function(f"{scheme.kernel}_{act}")

    def launch(n: int, arguments: tuple[Any, ...], shape: tuple[int, ...]) -> None:
        cast = array.dtype.type
        typed = [cast(x) if isinstance(x, float) else x for x in arguments]
        sizes = [np.int32(x) for x in (*shape, scheme.by_time)]
        if n:
            kernel((-(-n // THREADS),), (THREADS,), (*typed, *sizes))

    return launch


@functools.cache
def _module(compile_text: Callable[[str], Any], real: str) -> Any:
    text = (Path(__file__).parent / "steps.cu").read_text(encoding="utf-8")
    return compile_text(f"#define real {real}\n{text}")
