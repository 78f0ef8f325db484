"""`DataLoader`: batches of a data set, ready for `for x, y in loader`.

`default_collate` makes a batch of many samples of one form: it has that form, too.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentError, ArgumentTypeError, ShapeError
from glassgrad.core.tensor import Tensor
from glassgrad.ops.creation import tensor
from glassgrad.ops.generator import Generator
from glassgrad.ops.joining import stack
from glassgrad.values.dtypes import float64

from .dataset import IterableDataset
from .sampler import BatchSampler, RandomSampler, SequentialSampler


class DataLoader:
    """Batches of a data set, in order or shuffled anew on each pass.

    Args:
        dataset: with `__len__` and `__getitem__`, or an `IterableDataset`.
        batch_size: samples in a batch; None: single samples, not collated.
        shuffle: visit the samples in another random order on each pass.
        sampler: an iterable of indices, in place of `shuffle`.
        batch_sampler: an iterable of lists of indices, in place of `batch_size`, `shuffle`,
            `sampler` and `drop_last`.
        collate_fn: makes a batch of a list of samples; None: `default_collate`.
        drop_last: leave out a last batch that is too short.
        generator: where the randomness comes from; None: the one of `manual_seed`.

    Raises:
        ArgumentError: for options that contradict each other, or a batch size below 1.

    Example:
        >>> loader = DataLoader(range(5), batch_size=2)
        >>> [batch.tolist() for batch in loader]
        [[0, 1], [2, 3], [4]]
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        *,
        shuffle: bool | None = None,
        sampler: Iterable[int] | None = None,
        batch_sampler: Iterable[list[int]] | None = None,
        collate_fn: Callable[[list[Any]], Any] | None = None,
        drop_last: bool = False,
        generator: Generator | None = None,
    ) -> None:
        has_order = shuffle or sampler is not None or batch_sampler is not None
        if isinstance(dataset, IterableDataset) and has_order:
            raise ArgumentError(
                "DataLoader with IterableDataset: expected no shuffle, sampler or batch_sampler "
                "option. Such a data set has no index, it decides the order itself. "
                "Leave them out, or make it a Dataset with `__getitem__`."
            )
        if sampler is not None and shuffle:
            raise ArgumentError(
                "sampler option is mutually exclusive with shuffle: got both. "
                "Each says in which order to visit the samples. Leave one of them out."
            )
        if batch_sampler is not None and (batch_size != 1 or shuffle or sampler or drop_last):
            raise ArgumentError(
                "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and "
                "drop_last: got more than one. A batch_sampler already decides all of these. "
                "Leave the others out."
            )
        if batch_size is None and drop_last:
            raise ArgumentError(
                "batch_size=None option disables auto-batching and is mutually exclusive with "
                "drop_last: got both. There is no last batch of single samples. "
                "Leave drop_last out."
            )
        self.dataset = dataset
        self.drop_last = drop_last
        self.generator = generator
        if sampler is None and shuffle:
            sampler = RandomSampler(dataset, generator=generator)
        elif sampler is None:
            sampler = SequentialSampler(dataset)
        if batch_sampler is not None:
            batch_size = None
        elif batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.sampler = sampler
        self.batch_size = batch_size
        self.batch_sampler = batch_sampler
        if collate_fn is None:
            collate_fn = _as_it_is if batch_sampler is None else default_collate
        self.collate_fn = collate_fn

    def __iter__(self) -> Iterator[Any]:
        return map(self.collate_fn, self._uncollated())

    def _uncollated(self) -> Iterable[Any]:
        """Lists of samples; single samples if there are no batches."""
        dataset = self.dataset
        if isinstance(dataset, IterableDataset):
            size = self.batch_size
            return dataset if size is None else BatchSampler(dataset, size, self.drop_last)
        if self.batch_sampler is None:
            return (dataset[index] for index in self.sampler)
        return ([dataset[index] for index in indices] for indices in self.batch_sampler)

    def __len__(self) -> int:
        """How many batches one pass makes."""
        steps: Any = self.sampler if self.batch_sampler is None else self.batch_sampler
        if isinstance(self.dataset, IterableDataset):
            steps = BatchSampler(self.dataset, self.batch_size or 1, self.drop_last)
        return len(steps)


def _as_it_is(sample: Any) -> Any:
    return sample


# Collating --------------------------------------------------------------------------------------


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
        return stack([tensor(sample) for sample in batch])
    if isinstance(first, float):
        return tensor(batch, dtype=float64)  # a Python float has 64 bits, and torch keeps them
    if isinstance(first, int):
        return tensor(batch)
    if isinstance(first, (str, bytes)):
        return list(batch)
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
