"""Named tuples that ops return, printed as PyTorch prints its `torch.return_types`."""

from typing import NamedTuple

from glassgrad.core.tensor import Tensor


class ValuesAndIndices(NamedTuple):
    """Values chosen along a dim, and where they were found."""

    values: Tensor
    indices: Tensor

    def __repr__(self) -> str:
        kind = type(self).__name__.removesuffix("Return").lower()
        return f"glassgrad.return_types.{kind}(\nvalues={self.values},\nindices={self.indices})"


class MaxReturn(ValuesAndIndices):
    """What `max` with a dim returns."""


class MinReturn(ValuesAndIndices):
    """What `min` with a dim returns."""


class MedianReturn(ValuesAndIndices):
    """What `median` with a dim returns."""


class NanmedianReturn(ValuesAndIndices):
    """What `nanmedian` with a dim returns."""
