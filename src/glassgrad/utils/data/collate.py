"""`default_collate` makes a batch of many samples of one form: it has that form, too."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentTypeError, ShapeError
from glassgrad.core.tensor import Tensor
from glassgrad.ops.creation import as_tensor, tensor
from glassgrad.ops.joining import stack
from glassgrad.values.dtypes import float64


def default_collate(batch: Sequence[Any]) -> Any:
    """Stack samples along a new first dim, inside tuples, lists and dicts too.

    Args:
        batch: B samples of one form. Tensors and arrays of shape `S` become a tensor of shape
            `(B, *S)`; ints an int64, floats a float64 tensor of shape `(B,)`; strings stay as
            they come; tuples, lists and dicts are collated entry by entry.

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
        if len({sample.shape for sample in batch}) == 1:
            return as_tensor(np.stack(batch))
        return stack([tensor(sample) for sample in batch])  # which says what is wrong
    if isinstance(first, float):
        return tensor(batch, dtype=float64)  # a Python float has 64 bits, and torch keeps them
    if isinstance(first, int):
        return tensor(batch)
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, Mapping):
        return {key: default_collate([sample[key] for sample in batch]) for key in first}
    if isinstance(first, Sequence):
        sizes = {len(sample) for sample in batch}
        if len(sizes) > 1:
            raise ShapeError(
                "each element in list of batch should be of equal size, but the samples have "
                f"{sorted(sizes)} entries. They are stacked entry by entry. Return equally many "
                "from `__getitem__`, or pass a `collate_fn` of your own."
            )
        columns = [default_collate(column) for column in zip(*batch, strict=True)]
        # A namedtuple keeps its names.
        return type(first)(*columns) if hasattr(first, "_fields") else columns
    raise ArgumentTypeError(
        "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; "
        f"found {type(first)}. There is no rule how to stack those. "
        "Return tensors from `__getitem__`, or pass a `collate_fn` of your own."
    )


def default_convert(data: Any) -> Any:
    """Tensors for arrays, inside tuples, lists and dicts too; all else stays as it is.

    Example:
        >>> default_convert({"x": np.arange(2), "name": "a"})
        {'x': tensor([0, 1]), 'name': 'a'}
    """
    if isinstance(data, (np.ndarray, np.generic)) and data.dtype.kind in "biufc":
        return as_tensor(data)
    if isinstance(data, Mapping):
        return {key: default_convert(value) for key, value in data.items()}
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*map(default_convert, data))
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return [default_convert(value) for value in data]
    return data
