"""Points that fill a cube more evenly than random ones: `SobolEngine`, by SciPy's `qmc.Sobol`."""

import warnings
from typing import Any

from glassgrad import ops
from glassgrad.core.errors import ArgumentError
from glassgrad.core.tensor import Tensor
from glassgrad.missing import missing_from
from glassgrad.values.dtypes import get_default_dtype

__all__ = ["SobolEngine"]


class SobolEngine:
    """Draws the points of a Sobol sequence, in the unit cube.

    Args:
        dimension: of the cube, from 1 to 21201.
        scramble: whether to move the points at random, which keeps them even.
        seed: of the scrambling; None: drawn. Its numbers are not PyTorch's.

    Raises:
        ArgumentError: for another dimension.

    Example:
        >>> SobolEngine(2).draw(3)
        tensor([[0.0000, 0.0000],
                [0.5000, 0.5000],
                [0.7500, 0.2500]])

    See also: https://pytorch.org/docs/stable/generated/torch.quasirandom.SobolEngine.html
    """

    MAXBIT = 30
    MAXDIM = 21201

    def __init__(self, dimension: int, scramble: bool = False, seed: int | None = None) -> None:
        from scipy.stats import qmc

        if not 1 <= dimension <= self.MAXDIM:
            raise ArgumentError(
                f"Supported range of dimensionality for SobolEngine is [1, {self.MAXDIM}], got "
                f"{dimension}. No direction numbers are known for others. Write a number in it."
            )
        self.dimension, self.scramble, self.seed = dimension, scramble, seed
        own = int(ops.randint(2**31, ()).item()) if scramble and seed is None else seed
        self._points = qmc.Sobol(dimension, scramble=scramble, bits=self.MAXBIT, seed=own)

    @property
    def num_generated(self) -> int:
        """How many points have been drawn, or passed over."""
        return int(self._points.num_generated)

    def draw(self, n: int = 1, out: Tensor | None = None, dtype: Any = None) -> Tensor:
        """The next `n` points: shape `(n, dimension)`."""
        with warnings.catch_warnings():  # of a number of points that is no power of 2
            warnings.simplefilter("ignore", UserWarning)
            points = self._points.random(n)
        result = ops.tensor(points, dtype=dtype or get_default_dtype())
        return result if out is None else out.resize_as_(result).copy_(result)

    def draw_base2(self, m: int, out: Tensor | None = None, dtype: Any = None) -> Tensor:
        """The next `2**m` points; with those before them, a power of 2, or ArgumentError."""
        total = self.num_generated + 2**m
        if total & (total - 1):
            raise ArgumentError(
                "The balance properties of Sobol' points require n to be a power of 2. "
                f"{self.num_generated} points have been previously generated, then: "
                f"n={self.num_generated}+2**{m}={total}. Write `draw(n)` for any number."
            )
        return self.draw(2**m, out, dtype)

    def reset(self) -> "SobolEngine":
        """Begin again."""
        self._points.reset()
        return self

    def fast_forward(self, n: int) -> "SobolEngine":
        """Pass over `n` points."""
        self._points.fast_forward(n)
        return self

    def __repr__(self) -> str:
        told = f"dimension={self.dimension}"
        if self.scramble:
            told += ", scramble=True"
        if self.seed is not None:
            told += f", seed={self.seed}"
        return f"SobolEngine({told})"


__getattr__ = missing_from(__name__)
