"""Where the elements of a view are among those of its base."""

import math
from typing import Any, NamedTuple

import numpy as np

from glassgrad.base.backend import backend_of, in_order, repeats

from .tensor import Tensor

__all__ = ["Geometry"]


class Geometry(NamedTuple):
    """Where the elements of a view are among those of its base; strides count elements."""

    base_size: tuple[int, ...]
    base_stride: tuple[int, ...]
    size: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int

    @classmethod
    def of(cls, base: Tensor, view: Tensor) -> "Geometry":
        """Read from the addresses of the two arrays."""
        whole, part = base.payload, view.payload
        address = backend_of(whole).address
        n = whole.itemsize
        offset = (address(part) - address(whole)) // n if part.size else 0
        strides = [tuple([step // n for step in array.strides]) for array in (whole, part)]
        return cls(whole.shape, strides[0], part.shape, strides[1], offset)

    def places(self, like: Any) -> Any:
        """For each element of the view, its position in the base in C order.

        Args:
            like: an array; the result is on its device.
        """
        found = _offsets(self.size, self.stride) + self.offset
        if not in_order(self.base_size, self.base_stride):
            base = _offsets(self.base_size, self.base_stride).reshape(-1)
            order = np.argsort(base, kind="stable")
            found = order[np.searchsorted(base[order], found)]
        return backend_of(like).asarray(found)

    def row(self) -> slice | None:
        """The places of the view as a slice of the flat base, if they are one: none is sought."""
        if in_order(self.size, self.stride) and in_order(self.base_size, self.base_stride):
            return slice(self.offset, self.offset + math.prod(self.size))
        return None

    def overlaps(self) -> bool:
        """Whether an element of the base is in the view more than once."""
        return repeats(self.size, self.stride)


def _offsets(size: tuple[int, ...], stride: tuple[int, ...]) -> Any:
    """How far each element of a strided array is from the first one."""
    found = np.zeros(size, np.int64)
    for dim, (n, step) in enumerate(zip(size, stride, strict=True)):
        found += (np.arange(n) * step).reshape((n,) + (1,) * (len(size) - dim - 1))
    return found
