"""`DataLoader`: batches of a data set, ready for `for x, y in loader`."""

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from glassgrad.core.errors import ArgumentError
from glassgrad.ops.generator import Generator

from .collate import default_collate
from .dataset import IterableDataset
from .sampler import BatchSampler, RandomSampler, SequentialSampler

__all__ = ["DataLoader"]


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
        _require_consistent(
            iterable=isinstance(dataset, IterableDataset),
            batch_size=batch_size,
            shuffle=bool(shuffle),
            sampler=sampler,
            batch_sampler=batch_sampler,
            drop_last=drop_last,
        )
        self.dataset = dataset
        self.drop_last = drop_last
        self.generator = generator
        self.sampler: Iterable[int] = _sampler(
            dataset, sampler, shuffle=bool(shuffle), generator=generator
        )
        if batch_sampler is not None:
            self.batch_size: int | None = None
            self.batch_sampler: Iterable[list[int]] | None = batch_sampler
        else:
            self.batch_size = batch_size
            self.batch_sampler = (
                None if batch_size is None else BatchSampler(self.sampler, batch_size, drop_last)
            )
        if collate_fn is None:
            collate_fn = _as_it_is if self._yields_samples else default_collate
        self.collate_fn = collate_fn

    @property
    def _yields_samples(self) -> bool:
        return self.batch_sampler is None

    def __iter__(self) -> Iterator[Any]:
        if isinstance(self.dataset, IterableDataset):
            return self._iterate_stream()
        return self._iterate_indices()

    def _iterate_indices(self) -> Iterator[Any]:
        if self.batch_sampler is None:
            for index in self.sampler:
                yield self.collate_fn(self.dataset[index])
            return
        for indices in self.batch_sampler:
            yield self.collate_fn([self.dataset[index] for index in indices])

    def _iterate_stream(self) -> Iterator[Any]:
        samples = iter(self.dataset)
        if self.batch_size is None:
            yield from map(self.collate_fn, samples)
            return
        while batch := list(itertools.islice(samples, self.batch_size)):
            if len(batch) < self.batch_size and self.drop_last:
                return
            yield self.collate_fn(batch)

    def __len__(self) -> int:
        """How many batches one pass makes."""
        steps: Any = self.sampler if self.batch_sampler is None else self.batch_sampler
        if isinstance(self.dataset, IterableDataset):
            steps = BatchSampler(self.dataset, self.batch_size or 1, self.drop_last)
        return len(steps)


def _as_it_is(sample: Any) -> Any:
    return sample


def _sampler(
    dataset: Any, sampler: Iterable[int] | None, *, shuffle: bool, generator: Generator | None
) -> Iterable[int]:
    if sampler is not None:
        return sampler
    if shuffle:
        return RandomSampler(dataset, generator=generator)
    return SequentialSampler(dataset)


def _require_consistent(
    *,
    iterable: bool,
    batch_size: int | None,
    shuffle: bool,
    sampler: object,
    batch_sampler: object,
    drop_last: bool,
) -> None:
    """Raise for two options that answer the same question."""
    if iterable and (shuffle or sampler is not None or batch_sampler is not None):
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
