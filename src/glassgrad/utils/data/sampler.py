"""Samplers: in which order a loader visits the samples."""

import itertools
from collections.abc import Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from glassgrad.core.errors import (
    ArgumentError,
    ArgumentTypeError,
    GlassgradError,
    MissingRuleError,
)
from glassgrad.ops.creation import as_tensor
from glassgrad.ops.generator import Generator
from glassgrad.ops.random import multinomial, randint, randperm
from glassgrad.values.dtypes import float64

__all__ = [
    "BatchSampler",
    "DistributedSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
]

IndexT_co = TypeVar("IndexT_co", covariant=True)


class Sampler(Generic[IndexT_co]):
    """An iterable of indices. Subclasses define `__iter__`, and `__len__` where it is known."""

    def __iter__(self) -> Iterator[IndexT_co]:
        raise MissingRuleError(f"{type(self).__name__} needs a method __iter__")


class SequentialSampler(Sampler[int]):
    """0, 1, 2, …

    Example:
        >>> list(SequentialSampler("abc"))
        [0, 1, 2]
    """

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """Every index once in random order, or independent draws.

    Args:
        data_source: what the indices point into.
        replacement: draw each index on its own, so that some repeat and some never come.
        num_samples: how many to draw; None: as many as there are.
        generator: where the randomness comes from; None: the one of `manual_seed`.

    Raises:
        ArgumentTypeError: if `replacement` is no boolean.
        ArgumentError: if `num_samples` is not positive.

    Example:
        >>> sorted(RandomSampler("abc"))
        [0, 1, 2]
    """

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Generator | None = None,
    ) -> None:
        _require_bool("replacement", replacement, ArgumentTypeError)
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        _require_positive("num_samples", self.num_samples)

    @property
    def num_samples(self) -> int:
        """How many indices one pass draws; follows a data set that grows."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        n = len(self.data_source)
        if self.replacement:
            drawn = randint(0, n, (self.num_samples,), generator=self.generator)
            yield from drawn.tolist()
            return
        left = self.num_samples
        while left > 0:  # more draws than samples: one permutation after the other
            order = randperm(n, generator=self.generator).tolist()
            yield from order[:left]
            left -= n

    def __len__(self) -> int:
        return self.num_samples


@dataclass(eq=False, repr=False)
class SubsetRandomSampler(Sampler[int]):
    """The given indices in random order.

    Args:
        indices: which samples.
        generator: where the randomness comes from; None: the one of `manual_seed`.

    Example:
        >>> sorted(SubsetRandomSampler([4, 7]))
        [4, 7]
    """

    indices: Sequence[int]
    generator: Generator | None = None

    def __iter__(self) -> Iterator[int]:
        for i in randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[i]

    def __len__(self) -> int:
        return len(self.indices)


@dataclass(eq=False, repr=False)
class WeightedRandomSampler(Sampler[int]):
    """Draws in which some indices are more likely than others.

    Args:
        weights: how likely each index is, compared with the others.
        num_samples: how many to draw.
        replacement: whether an index can be drawn several times.
        generator: where the randomness comes from; None: the one of `manual_seed`.

    Raises:
        ArgumentError: if `num_samples` is not positive, `replacement` no boolean or `weights` no
            sequence of numbers.

    Example:
        >>> list(WeightedRandomSampler([0.0, 1.0], 3))
        [1, 1, 1]
    """

    weights: Any
    num_samples: int
    replacement: bool = True
    generator: Generator | None = None

    def __post_init__(self) -> None:
        _require_positive("num_samples", self.num_samples)
        _require_bool("replacement", self.replacement)
        self.weights = as_tensor(self.weights, dtype=float64)
        if self.weights.ndim != 1:
            raise ArgumentError(
                "weights should be a 1d sequence but given weights have shape "
                f"{tuple(self.weights.shape)}. There is one for each index. Write a flat list."
            )

    def __iter__(self) -> Iterator[int]:
        drawn = multinomial(
            self.weights, self.num_samples, self.replacement, generator=self.generator
        )
        yield from drawn.tolist()

    def __len__(self) -> int:
        return self.num_samples


@dataclass(eq=False, repr=False)
class BatchSampler(Sampler[list[int]]):
    """The indices of another sampler, `batch_size` at a time.

    Args:
        sampler: where the indices come from.
        batch_size: how many make a batch.
        drop_last: leave out a last batch that is too short.

    Raises:
        ArgumentError: if `batch_size` is no positive integer or `drop_last` no boolean.

    Example:
        >>> list(BatchSampler(range(5), 2, drop_last=False))
        [[0, 1], [2, 3], [4]]
    """

    sampler: Iterable[int]
    batch_size: int
    drop_last: bool

    def __post_init__(self) -> None:
        _require_positive("batch_size", self.batch_size)
        _require_bool("drop_last", self.drop_last)

    def __iter__(self) -> Iterator[list[int]]:
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if len(batch) < self.batch_size and self.drop_last:
                return
            yield batch

    def __len__(self) -> int:
        indices: Any = self.sampler  # whether it has a length is asked when ours is
        n = len(indices)
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)


class DistributedSampler(Sampler[IndexT_co]):
    """The share of one of several processes: each `num_replicas`-th index, from `rank` on.

    Args:
        dataset: what the indices point into.
        num_replicas: how many processes there are; it has to be said, since there is no group.
        rank: which of them this one is.
        shuffle: whether the order is random, another one after each `set_epoch`.
        seed: for that order, the same in all processes.
        drop_last: whether some indices are left out, so that all have as many; otherwise the first
            ones come again.

    Raises:
        ArgumentError: without `num_replicas` and `rank`, or for a rank that is not there.

    Example:
        >>> list(DistributedSampler("abcde", num_replicas=2, rank=1, shuffle=False))
        [1, 3, 0]
    """

    def __init__(
        self,
        dataset: Sized,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        if num_replicas is None or rank is None:
            raise ArgumentError(
                "Default process group has not been initialized, please make sure to call "
                "init_process_group. glassgrad has none. Write num_replicas=1, rank=0, or what "
                "mpi4py says: num_replicas=comm.size, rank=comm.rank."
            )
        if not 0 <= rank < num_replicas:
            raise ArgumentError(
                f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]. "
                "Each process has its own."
            )
        self.dataset, self.num_replicas, self.rank = dataset, num_replicas, rank
        self.shuffle, self.seed, self.drop_last, self.epoch = shuffle, seed, drop_last, 0
        n = len(dataset)
        self.num_samples = n // num_replicas if drop_last else -(-n // num_replicas)
        self.total_size = self.num_samples * num_replicas

    def __iter__(self) -> Iterator[Any]:
        n = len(self.dataset)
        generator = Generator().manual_seed(self.seed + self.epoch)
        order = randperm(n, generator=generator).tolist() if self.shuffle else list(range(n))
        shared = itertools.islice(itertools.cycle(order), self.total_size)
        return itertools.islice(shared, self.rank, None, self.num_replicas)

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Have the next pass in another order, the same one in all processes."""
        self.epoch = epoch


def _require_positive(name: str, value: object) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ArgumentError(
            f"{name} should be a positive integer value, but got {name}={value}. "
            "Otherwise no sample would ever be drawn. Write 1 or more, for data that is not empty."
        )


def _require_bool(name: str, value: object, error: type[GlassgradError] = ArgumentError) -> None:
    if not isinstance(value, bool):
        raise error(
            f"{name} should be a boolean value, but got {name}={value!r}. "
            "It is a switch, and another value there is usually a slipped argument. "
            "Write True or False."
        )
