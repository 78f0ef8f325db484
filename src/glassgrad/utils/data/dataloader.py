"""`DataLoader`: batches of a data set, ready for `for x, y in loader`."""

import itertools
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any

from glassgrad.core.errors import ArgumentError
from glassgrad.memory.calls import warn
from glassgrad.ops import _checks as check
from glassgrad.ops.generator import Generator

from .collate import default_collate, default_convert
from .dataset import IterableDataset
from .sampler import BatchSampler, RandomSampler, SequentialSampler
from .worker import Fetcher, Workers, get_worker_info

__all__ = ["DataLoader", "default_collate", "default_convert", "get_worker_info"]

_FIXED = "batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers"


@dataclass(eq=False, repr=False)
class DataLoader:
    """Batches of a data set, in order or shuffled anew on each pass.

    Args:
        dataset: with `__len__` and `__getitem__`, or an `IterableDataset`.
        batch_size: samples in a batch; None: single samples, not collated.
        shuffle: visit the samples in another random order on each pass.
        sampler: an iterable of indices, in place of `shuffle`.
        batch_sampler: an iterable of lists of indices, in place of `batch_size`, `shuffle`,
            `sampler` and `drop_last`.
        num_workers: how many processes read ahead; 0: this one reads when it is asked.
        collate_fn: makes a batch of a list of samples; None: `default_collate`.
        pin_memory: as in PyTorch without a GPU: warns.
        drop_last: leave out a last batch that is too short.
        timeout: how many seconds to wait for a batch of a worker; 0: as long as it takes.
        worker_init_fn: called with its number in each worker, at first.
        multiprocessing_context: how workers are started: "fork", "spawn" …; None: Python's way.
        generator: where the randomness comes from; None: the one of `manual_seed`.
        prefetch_factor: how many batches each worker reads ahead; None: 2.
        persistent_workers: keep the workers from one pass to the next.
        pin_memory_device: as `pin_memory`.
        in_order: whether batches come in the order of the sampler, or as they are ready.

    Raises:
        ArgumentError: for options that contradict each other, or a batch size below 1.
        GraphError: in the loop, if a worker takes too long, or dies.

    Example:
        >>> loader = DataLoader(range(5), batch_size=2)
        >>> [batch.tolist() for batch in loader]
        [[0, 1], [2, 3], [4]]
    """

    dataset: Any
    batch_size: int | None = 1
    shuffle: bool | None = None
    sampler: Iterable[int] | None = None
    batch_sampler: Iterable[list[int]] | None = None
    num_workers: int = 0
    collate_fn: Callable[[Any], Any] | None = None
    pin_memory: bool = False
    drop_last: bool = False
    timeout: float = 0
    worker_init_fn: Callable[[int], Any] | None = None
    multiprocessing_context: Any = None
    generator: Generator | None = None
    _: KW_ONLY
    prefetch_factor: int | None = None
    persistent_workers: bool = False
    pin_memory_device: str = ""
    in_order: bool = True

    def __post_init__(self) -> None:
        self._check()
        if self.num_workers and self.prefetch_factor is None:
            self.prefetch_factor = 2
        if self.sampler is None and isinstance(self.dataset, IterableDataset):
            self.sampler = itertools.repeat(-1)
        elif self.sampler is None and self.shuffle:
            self.sampler = RandomSampler(self.dataset, generator=self.generator)
        elif self.sampler is None:
            self.sampler = SequentialSampler(self.dataset)
        if self.batch_sampler is not None:
            self.batch_size = None
        elif self.batch_size is not None:
            self.batch_sampler = BatchSampler(self.sampler, self.batch_size, self.drop_last)
        if self.collate_fn is None:
            self.collate_fn = default_convert if self.batch_sampler is None else default_collate
        self._kept_workers: Workers | None = None
        self._is_complete = True

    def _check(self) -> None:
        """Raise ArgumentError for options that contradict each other."""
        shuffle, sampler, batch_sampler = self.shuffle, self.sampler, self.batch_sampler
        workers, ahead = self.num_workers, self.prefetch_factor
        if workers < 0:
            raise ArgumentError(
                "num_workers option should be non-negative; use num_workers=0 to disable "
                f"multiprocessing, got {workers}."
            )
        said = "timeout option should be non-negative, got {}"
        check.least(said, self.timeout, 0, "Write 0 to wait for ever.", ArgumentError)
        if workers == 0 and ahead is not None:
            raise ArgumentError(
                "prefetch_factor option could only be specified in multiprocessing. let "
                "num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to None."
            )
        said = "prefetch_factor option should be non-negative, got {}"
        check.least(said, ahead or 0, 0, "It counts batches. Write 2.", ArgumentError)
        if self.persistent_workers and workers == 0:
            raise ArgumentError(
                "persistent_workers option needs num_workers > 0: without workers there is "
                "nothing to keep. Leave it out."
            )
        orders = {"shuffle": shuffle or None, "sampler": sampler, "batch_sampler": batch_sampler}
        given = [(name, order) for name, order in orders.items() if order is not None]
        if isinstance(self.dataset, IterableDataset) and given:
            name, order = given[0]
            raise ArgumentError(
                f"DataLoader with IterableDataset: expected unspecified {name} option, but got "
                f"{name}={order}. Such a data set has no index, it decides the order itself. "
                "Leave it out, or make it a Dataset with `__getitem__`."
            )
        if sampler is not None and shuffle:
            raise ArgumentError(
                "sampler option is mutually exclusive with shuffle: got both. "
                "Each says in which order to visit the samples. Leave one of them out."
            )
        if batch_sampler is not None and (
            self.batch_size != 1 or shuffle or sampler or self.drop_last
        ):
            raise ArgumentError(
                "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and "
                "drop_last: got more than one. A batch_sampler already decides all of these. "
                "Leave the others out."
            )
        if self.batch_size is None and self.drop_last:
            raise ArgumentError(
                "batch_size=None option disables auto-batching and is mutually exclusive with "
                "drop_last: got both. There is no last batch of single samples. "
                "Leave drop_last out."
            )
        if self.multiprocessing_context is not None and workers == 0:
            raise ArgumentError(
                "multiprocessing_context can only be used with multi-process loading (num_workers "
                "> 0), but got num_workers=0. It says how workers are started. Leave it out."
            )
        has_affinity = hasattr(os, "sched_getaffinity")
        available = len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count()
        if workers > (available or workers):
            warn(
                f"This DataLoader will create {workers} worker processes in total. Our suggested "
                f"max number of worker in current system is {available}, which is smaller than "
                "what this DataLoader is going to create. Please be aware that excessive worker "
                "creation might get DataLoader running slow or even freeze, lower the worker "
                "number to avoid potential slowness/freeze if necessary."
            )

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _FIXED and "_is_complete" in vars(self):
            raise ArgumentError(
                f"{name} attribute should not be set after {type(self).__name__} is initialized. "
                "The samplers are made of it. Build another loader."
            )
        super().__setattr__(name, value)

    @property
    def _tasks(self) -> Any:
        """What is to be read, step by step: lists of indices, or single ones."""
        return self.sampler if self.batch_sampler is None else self.batch_sampler

    def __iter__(self) -> Iterator[Any]:
        if self.pin_memory:
            warn(
                "'pin_memory' argument is set as true but no accelerator is found, then device "
                "pinned memory won't be used."
            )
        tasks, is_batched = iter(self._tasks), self.batch_sampler is not None
        collate: Any = self.collate_fn
        fetcher = Fetcher(self.dataset, collate, is_batched, self.drop_last)
        if self.num_workers == 0:
            fetcher.start()
            return _until_exhausted(fetcher, tasks)
        workers = self._kept_workers or Workers(self, fetcher)
        if self.persistent_workers:
            self._kept_workers = workers
        return workers.batches(tasks, stays=self.persistent_workers)

    def __len__(self) -> int:
        """How many batches one pass makes."""
        if not isinstance(self.dataset, IterableDataset):
            return len(self._tasks)
        return len(BatchSampler(self.dataset, self.batch_size or 1, self.drop_last))


def _until_exhausted(fetcher: Fetcher, tasks: Iterator[Any]) -> Iterator[Any]:
    for task in tasks:
        try:
            batch = fetcher.fetch(task)
        except StopIteration:
            return
        except Exception as error:
            check.told(error)
            raise
        yield batch
