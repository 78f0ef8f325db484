"""`torch.quasirandom`: points that fill a cube more evenly than random ones."""

import warnings
from typing import Any, Self

from scipy.stats import qmc

from .core.errors import ArgumentError
from .core.tensor import Tensor
from .missing import missing_from
from .ops import from_numpy, randint
from .ops._writing import written_to
from .values.dtypes import as_dtype, get_default_dtype

__all__ = ["SobolEngine"]

__getattr__ = missing_from(__name__)


class SobolEngine:
    """The points of Sobol's sequence in the unit cube, one after the other.

    Args:
        dimension: of the cube, from 1 to MAXDIM.
        scramble: whether its digits are mixed at random: each point is distributed evenly then.
        seed: for that, with other digits than PyTorch's; None: drawn, as `manual_seed` lets it.

    Raises:
        ArgumentError: for another dimension.

    Example:
        >>> SobolEngine(dimension=2).draw(3)
        tensor([[0.0000, 0.0000],
                [0.5000, 0.5000],
                [0.7500, 0.2500]])

    See also: Joe and Kuo, *Constructing Sobol Sequences with Better Two-Dimensional Projections*
    (2008).
    """

    MAXBIT, MAXDIM = 30, 21201

    def __init__(self, dimension: int, scramble: bool = False, seed: int | None = None) -> None:
        if not 1 <= dimension <= self.MAXDIM:
            raise ArgumentError(
                f"Supported range of dimensionality for SobolEngine is [1, {self.MAXDIM}], got "
                f"{dimension}. Its tables end there. Draw the other coordinates with `rand`."
            )
        self.dimension, self.scramble, self.seed = dimension, scramble, seed
        own = int(randint(2**31, ()).item()) if scramble and seed is None else seed
        self._points = qmc.Sobol(dimension, scramble=scramble, bits=self.MAXBIT, seed=own)

    @property
    def num_generated(self) -> int:
        """How many points were drawn, or skipped."""
        return int(self._points.num_generated)

    def draw(self, n: int = 1, out: Tensor | None = None, dtype: Any = None) -> Tensor:
        """The next `n` points, a tensor of shape `(n, dimension)`."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that 2, 4, 8 … of them are the most even ones
            drawn = self._points.random(n)
        found = from_numpy(drawn.astype(as_dtype(dtype or get_default_dtype())))
        return found if out is None else written_to(out, lambda: found)

    def draw_base2(self, m: int, out: Tensor | None = None, dtype: Any = None) -> Tensor:
        """The next 2ᵐ points.

        Raises:
            ArgumentError: if not as many would be drawn then as a power of 2.
        """
        total = self.num_generated + 2**m
        if total & (total - 1):
            raise ArgumentError(
                "The balance properties of Sobol' points require n to be a power of 2: "
                f"{self.num_generated} points are drawn, and 2**{m} more would make {total}. "
                "Write `reset()` first, or `draw(n)`."
            )
        return self.draw(2**m, out=out, dtype=dtype)

    def reset(self) -> Self:
        """Begin again."""
        self._points.reset()
        return self

    def fast_forward(self, n: int) -> Self:
        """Skip `n` points."""
        self._points.fast_forward(n)
        return self

    def __repr__(self) -> str:
        scrambled = ", scramble=True" * self.scramble
        seeded = "" if self.seed is None else f", seed={self.seed}"
        return f"{type(self).__name__}(dimension={self.dimension}{scrambled}{seeded})"
