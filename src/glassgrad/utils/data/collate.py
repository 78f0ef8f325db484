"""Collating: many samples of one form become one batch of that form."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentTypeError, ShapeError
from glassgrad.core.tensor import Tensor
from glassgrad.ops.creation import tensor
from glassgrad.ops.joining import stack
from glassgrad.values.dtypes import float64

__all__ = ["default_collate"]


def default_collate(batch: Sequence[Any]) -> Any:
    """Stack samples along a new first dim, inside tuples, lists and dicts too.

    Args:
        batch: B samples of one form. Tensors and arrays of shape `S` become a tensor of shape
            `(B, *S)`; ints an int64, floats a float64 tensor of shape `(B,)`; strings stay a
            list; tuples, lists and dicts are collated entry by entry.

    Raises:
        ShapeError: if tensors, or sequences, differ in size from sample to sample.
        ArgumentTypeError: for samples of another kind.

    Example:
        >>> default_collate([(tensor([1.0, 2.0]), 0), (tensor([3.0, 4.0]), 1)])
        [tensor([[1., 2.],
                [3., 4.]]), tensor([0, 1])]
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return stack(list(batch))
    if isinstance(first, (np.ndarray, np.generic)) and first.dtype.kind in "biufc":
        _require_one_size([np.shape(sample) for sample in batch])
        return tensor(np.stack([np.asarray(sample) for sample in batch]))
    if isinstance(first, float):
        return tensor(batch, dtype=float64)  # a Python float has 64 bits, and torch keeps them
    if isinstance(first, int):
        return tensor(batch)
    if isinstance(first, (str, bytes)):
        return list(batch)
    if isinstance(first, Mapping):
        return {key: default_collate([sample[key] for sample in batch]) for key in first}
    if isinstance(first, Sequence):
        return _collate_sequences(first, batch)
    raise ArgumentTypeError(
        "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; "
        f"found {type(first)}. There is no rule how to stack those. "
        "Return tensors from `__getitem__`, or pass a `collate_fn` of your own."
    )


def _collate_sequences(first: Any, batch: Sequence[Any]) -> Any:
    if any(len(sample) != len(first) for sample in batch):
        raise ShapeError(
            "each element in list of batch should be of equal size, but the samples have "
            f"{sorted({len(sample) for sample in batch})} entries. They are stacked entry by "
            "entry. Return equally many from `__getitem__`, or pass a `collate_fn` of your own."
        )
    columns = [default_collate(column) for column in zip(*batch, strict=True)]
    if hasattr(first, "_fields"):  # a namedtuple keeps its names
        return type(first)(*columns)
    return columns


def _require_one_size(shapes: Sequence[tuple[int, ...]]) -> None:
    for k, shape in enumerate(shapes):
        if shape != shapes[0]:
            raise ShapeError(
                f"stack expects each array to be equal size, but got {list(shapes[0])} at entry 0 "
                f"and {list(shape)} at entry {k}. The samples of a batch become the rows of one "
                "tensor. Cut or pad them to one size, or pass a `collate_fn` of your own."
            )
