"""`torch.signal.windows`: weights that fade out towards both ends, for spectra and filters.

    hann(M)          M numbers, from 0 up to 1 and down to 0
    hann(M, sym=False)   the first M of M + 1: one period, for a Fourier transform

See also: Harris, *On the Use of Windows for Harmonic Analysis with the DFT* (1978).
"""

# M is PyTorch's name
import math
from collections.abc import Sequence
from typing import Any

from glassgrad import ops
from glassgrad.core.errors import ArgumentError, ArgumentTypeError
from glassgrad.core.tensor import Tensor
from glassgrad.ops.memory import strided
from glassgrad.values.dtypes import get_default_dtype

__all__ = [
    "bartlett",
    "blackman",
    "cosine",
    "exponential",
    "gaussian",
    "general_cosine",
    "general_hamming",
    "hamming",
    "hann",
    "kaiser",
    "nuttall",
]


def _places(name: str, m: int, sym: bool, new: dict[str, Any]) -> tuple[Tensor, int]:
    """0, 1 … M - 1, and over how many steps the window goes.

    Raises:
        ArgumentError: for a negative length, another layout, or a dtype without fractions.
    """
    dtype = new.get("dtype") or get_default_dtype()
    if m < 0:
        raise ArgumentError(
            f"{name} requires non-negative window length, got M={m}. It is the number of weights."
        )
    if new.get("layout", strided) is not strided:
        raise ArgumentError(
            f"{name} is implemented for strided tensors only, got: {new['layout']}. Leave it out."
        )
    if dtype.name not in ("float32", "float64"):
        raise ArgumentError(
            f"{name} expects float32 or float64 dtypes, got: {dtype}. Weights are fractions. "
            "Write dtype=glassgrad.float32."
        )
    k = ops.arange(m, dtype=dtype, device=new.get("device"))
    return k, max(m - 1 if sym else m, 1)


def _finished(window: Tensor, new: dict[str, Any]) -> Tensor:
    return window.requires_grad_(new.get("requires_grad", False))


def general_cosine(M: int, *, a: Sequence[float], sym: bool = True, **new: Any) -> Tensor:
    """Σᵢ (-1)ⁱ·aᵢ·cos(2π·i·k/M'): what most windows are

    Args:
        M: how many weights.
        a: the weights of the cosines.
        sym: whether it ends as it begins; M' is M - 1 then, else M.
        new: `dtype`, `layout`, `device`, `requires_grad`.

    Raises:
        ArgumentTypeError: for weights that are no list.
        ArgumentError: for none.

    Example:
        >>> general_cosine(4, a=[0.5, 0.5], sym=False)
        tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    k, steps = _places("general_cosine", M, sym, new)
    if not isinstance(a, Sequence):
        raise ArgumentTypeError(
            f"Coefficients must be a list/tuple, got {type(a).__name__}. Write [0.5, 0.5]."
        )
    if not a:
        raise ArgumentError("Coefficients cannot be empty: a window is a sum. Write [0.5, 0.5].")
    if M == 1:
        return _finished(ops.ones_like(k), new)
    terms = [(-1) ** i * each * (2 * math.pi * i / steps * k).cos() for i, each in enumerate(a)]
    return _finished(sum(terms[1:], terms[0]), new)


def general_hamming(M: int, *, alpha: float = 0.54, sym: bool = True, **new: Any) -> Tensor:
    """Alpha - (1 - alpha)·cos(2π·k/M')"""
    return general_cosine(M, a=[alpha, 1 - alpha], sym=sym, **new)


def hamming(M: int, *, sym: bool = True, **new: Any) -> Tensor:
    """`general_hamming` with 0.54: the first lobes beside the middle one cancel."""
    return general_hamming(M, sym=sym, **new)


def hann(M: int, *, sym: bool = True, **new: Any) -> Tensor:
    """sin²(π·k/M'): it touches 0 at both ends."""
    return general_hamming(M, alpha=0.5, sym=sym, **new)


def blackman(M: int, *, sym: bool = True, **new: Any) -> Tensor:
    """Three cosines: wider in the middle than `hann`, and lower beside it."""
    return general_cosine(M, a=[0.42, 0.5, 0.08], sym=sym, **new)


def nuttall(M: int, *, sym: bool = True, **new: Any) -> Tensor:
    """Four cosines: lower still."""
    return general_cosine(M, a=[0.3635819, 0.4891775, 0.1365995, 0.0106411], sym=sym, **new)


def bartlett(M: int, *, sym: bool = True, **new: Any) -> Tensor:
    """1 - |2·k/M' - 1|: a triangle."""
    k, steps = _places("bartlett", M, sym, new)
    return _finished(ops.ones_like(k) if M == 1 else 1 - (2 / steps * k - 1).abs(), new)


def cosine(M: int, *, sym: bool = True, **new: Any) -> Tensor:
    """sin(π·(k + ½)/M): one arch, which does not touch 0."""
    k, _ = _places("cosine", M, sym, new)
    steps = M + 1 if not sym and M > 1 else max(M, 1)
    return _finished((math.pi / steps * (k + 0.5)).sin(), new)


def gaussian(M: int, *, std: float = 1.0, sym: bool = True, **new: Any) -> Tensor:
    """exp(-n²/(2·std²)), n how many steps from the middle."""
    k, _ = _places("gaussian", M, sym, new)
    _check_positive("Standard deviation", std)
    middle = (M - 1 if sym or M <= 1 else M) / 2
    return _finished((-(((k - middle) / (std * math.sqrt(2))) ** 2)).exp(), new)


def exponential(
    M: int,
    *,
    center: float | None = None,
    tau: float = 1.0,
    sym: bool = True,
    **new: Any,
) -> Tensor:
    """exp(-|k - center|/tau); `center` is the middle if it is symmetric."""
    k, _ = _places("exponential", M, sym, new)
    _check_positive("Tau", tau)
    if sym and center is not None:
        raise ArgumentError(
            "Center must be None for symmetric windows: it is the middle. Write sym=False."
        )
    middle = (M - 1 if sym or M <= 1 else M) / 2 if center is None else center
    return _finished((-((k - middle) / tau).abs()).exp(), new)


def kaiser(M: int, *, beta: float = 12.0, sym: bool = True, **new: Any) -> Tensor:
    """I₀(β·√(1 - (2·k/M' - 1)²))/I₀(β): `beta` trades the middle for what is beside."""
    k, steps = _places("kaiser", M, sym, new)
    if beta < 0:
        raise ArgumentError(f"beta must be non-negative, got: {beta} instead. 0 is a rectangle.")
    if M <= 1:
        return _finished(ops.ones_like(k), new)
    inside = (1 - (2 / steps * k - 1) ** 2).clamp(min=0)
    scale: Any = ops.tensor(beta, dtype=k.dtype, device=k.device)
    return _finished(ops.i0(beta * inside.sqrt()) / ops.i0(scale), new)


def _check_positive(what: str, number: float) -> None:
    if number <= 0:
        raise ArgumentError(f"{what} must be positive, got: {number} instead. Write 1.0.")
