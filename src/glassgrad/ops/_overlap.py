"""Whether what is written shares memory with what is read, or with itself."""

from typing import Any

from glassgrad.core.errors import GraphError
from glassgrad.core.tensor import Tensor
from glassgrad.values.backend import backend_of, repeats

__all__ = ["check_apart", "check_memory"]


def check_apart(input: Tensor, other: Any, name: str, written: Any = None) -> None:
    """Raise if a part of what is written is a part of what `other` shows: it would change too.

    Args:
        written: the array that is written, if not all of `input`.
    """
    if not isinstance(other, Tensor) or other is input or input.cold is None or other.cold is None:
        return
    version = input.cold.version
    if version is None or other.cold.version is not version:
        return
    if _overlap_in_part(input.payload if written is None else written, other.payload):
        raise GraphError(
            "unsupported operation: some elements of the input tensor and the written-to tensor "
            f"refer to a single memory location. {name}_ would change what it still has to read. "
            "Please clone() the tensor before performing the operation."
        )


def _overlap_in_part(a: Any, b: Any) -> bool:
    """Whether two dense arrays share some memory, but are not the same elements in one order."""
    starts, ends = [], []
    for array in (a, b):
        steps = [(n - 1) * step for n, step in zip(array.shape, array.strides, strict=True)]
        extent = sum(abs(step) for step in steps) + array.itemsize
        if extent != array.nbytes:
            return False  # there are gaps: PyTorch does not look closer either
        start = backend_of(array).address(array) + sum(step for step in steps if step < 0)
        starts.append(start)
        ends.append(start + extent)
    if starts[0] == starts[1] and ends[0] == ends[1]:
        return bool(a.strides != b.strides)
    return max(starts) < min(ends)


def check_memory(input: Tensor, name: str) -> None:
    """Raise if elements of `input` share their memory, as those of an expanded tensor do."""
    array = input.payload
    if 0 not in array.strides or not array.size:
        return
    if repeats(array.shape, array.strides):
        raise GraphError(
            "unsupported operation: more than one element of the written-to tensor refers to a "
            f"single memory location. {name}_ would write it several times. Please clone() the "
            f"tensor before performing the operation (its shape is {list(array.shape)})."
        )
