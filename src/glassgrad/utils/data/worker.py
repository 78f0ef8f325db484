"""Worker processes of a `DataLoader`: they read batches ahead, one task after the other.

    parent ──task──▶ queue of worker 0 ──▶ fetch ──▶ pipe ──▶ parent
           ──task──▶ queue of worker 1 ──▶ fetch ──▶ pipe ──▶

Tasks go round; the results wait until it is their turn. A queue never blocks the parent, and the
end of a pipe tells it that a worker has died, so that neither waits for the other for ever.
"""

import itertools
import multiprocessing
import os
import pickle
import queue
import random
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing import connection
from typing import Any

import numpy as np

from glassgrad._words import printable
from glassgrad.core.errors import GraphError
from glassgrad.ops.generator import manual_seed
from glassgrad.ops.random import randint

from .dataset import IterableDataset

_SECONDS_BETWEEN_LOOKS = 5.0  # how often a worker that waits looks whether its parent is alive


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """What a worker knows of itself.

    Attributes:
        id: its number, from 0.
        num_workers: how many there are.
        seed: what its generators were seeded with.
        dataset: its copy of the data set.
    """

    id: int
    num_workers: int
    seed: int
    dataset: Any


_here: list[WorkerInfo] = []


def get_worker_info() -> WorkerInfo | None:
    """What this process is to a `DataLoader`: None in the one that has it.

    Example:
        >>> get_worker_info() is None
        True
    """
    return _here[0] if _here else None


@dataclass
class Fetcher:
    """Makes batches: reads the samples of a task, and collates them.

    Attributes:
        dataset: what is read.
        collate: makes a batch of samples.
        is_batched: whether a task is a list of indices, or one index.
        drop_last: whether a stream's last batch is left out if it is too short.
    """

    dataset: Any
    collate: Callable[[Any], Any]
    is_batched: bool
    drop_last: bool
    stream: Iterator[Any] | None = None

    def start(self) -> None:
        """Begin a pass; a stream starts from the front."""
        if isinstance(self.dataset, IterableDataset):
            self.stream = iter(self.dataset)

    def fetch(self, task: Any) -> Any:
        """The batch of a task; StopIteration at the end of a stream."""
        if self.stream is not None:
            return self.collate(self._next(len(task)) if self.is_batched else next(self.stream))
        if not self.is_batched:
            return self.collate(self.dataset[task])
        if callable(getattr(self.dataset, "__getitems__", None)):
            return self.collate(self.dataset.__getitems__(task))
        return self.collate([self.dataset[index] for index in task])

    def _next(self, size: int) -> list[Any]:
        samples = list(itertools.islice(self.stream or (), size))
        if not samples or (self.drop_last and len(samples) < size):
            raise StopIteration
        return samples


class _Failure:
    """An exception of a worker on its way to the parent, with the worker's traceback."""

    def __init__(self, error: BaseException, where: str) -> None:
        self.kind = type(error)
        original = traceback.format_exc()
        self.text = printable(f"Caught {self.kind.__name__} {where}.\nOriginal {original}")

    def reraise(self) -> None:
        """Raise an exception of the same class."""
        text = _Lines(self.text) if issubclass(self.kind, KeyError) else self.text
        try:
            error = self.kind(text)
        except Exception:  # noqa: BLE001  # a class of a user, which may take other arguments
            raise RuntimeError(self.text) from None
        raise error


class _Lines(str):
    """A text that a KeyError shows in lines, not in quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class _End:
    """Says in the place of a batch that the stream of a worker has ended."""


def _work(
    fetcher: Fetcher,
    info: WorkerInfo,
    tasks: Any,
    results: connection.Connection,
    prepare: Callable[[int], Any] | None,
) -> None:
    """What a worker does: fetch until it is told to stop, or the parent is gone."""
    _here[:] = [info]
    parent = os.getppid()
    where = f"in DataLoader worker process {info.id}"
    random.seed(info.seed)
    np.random.seed(info.seed % 2**32)  # noqa: NPY002  # the one that data sets of users draw from
    manual_seed(info.seed)
    failure = None
    try:
        if prepare is not None:
            prepare(info.id)
    except Exception as error:  # noqa: BLE001  # raised again in the parent
        failure = _Failure(error, where)
    current, has_ended = -1, False
    while os.getppid() == parent:
        try:
            task = tasks.get(timeout=_SECONDS_BETWEEN_LOOKS)
        except queue.Empty:
            continue
        if task is None:
            return
        turn, number, indices = task
        try:
            if turn != current and failure is None:
                current, has_ended = turn, False
                fetcher.start()
            result = failure or (_End() if has_ended else fetcher.fetch(indices))
        except StopIteration:
            has_ended, result = True, _End()
        except Exception as error:  # noqa: BLE001  # raised again in the parent
            result = _Failure(error, where)
        try:
            results.send((turn, number, result))
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            results.send((turn, number, _Failure(error, f"{where}, which sends a batch")))


class Workers:
    """The workers of a loader, and what they have read ahead."""

    def __init__(self, loader: Any, fetcher: Fetcher) -> None:
        context = loader.multiprocessing_context
        if context is None or isinstance(context, str):
            context = multiprocessing.get_context(context)
        self.timeout = loader.timeout or None
        self.ahead = loader.prefetch_factor
        self.in_order = loader.in_order
        self.turn = 0  # which pass through the data this is
        seed = int(randint(2**63 - 1, (), generator=loader.generator))
        self.queues, self.pipes, self.processes = [], [], []
        for id in range(loader.num_workers):
            info = WorkerInfo(id, loader.num_workers, seed + id, loader.dataset)
            tasks = context.Queue()
            tasks.cancel_join_thread()
            reader, writer = context.Pipe(duplex=False)
            process = context.Process(
                target=_work,
                args=(fetcher, info, tasks, writer, loader.worker_init_fn),
                daemon=True,
            )
            process.start()
            writer.close()  # so that the reader notices when the worker is gone
            self.queues.append(tasks)
            self.pipes.append(reader)
            self.processes.append(process)

    def batches(self, tasks: Iterator[Any], *, stays: bool) -> Iterator[Any]:
        """The batches of a pass through the data; then the workers go, unless they stay."""
        try:
            yield from self._batches(tasks)
        finally:
            if not stays:
                self.stop()

    def _batches(self, tasks: Iterator[Any]) -> Iterator[Any]:
        self.turn += 1
        numbers = itertools.count()
        busy: dict[int, int] = {}  # which worker has which task
        ready: dict[int, Any] = {}
        open_workers = set(range(len(self.queues)))

        def hand_out(worker: int) -> None:
            if worker not in open_workers:
                return
            for indices in itertools.islice(tasks, 1):
                number = next(numbers)
                busy[number] = worker
                self.queues[worker].put((self.turn, number, indices))

        for _ in range(max(1, self.ahead)):
            for worker in range(len(self.queues)):
                hand_out(worker)
        wanted = 0
        while busy or ready:
            while (busy or ready) and not (wanted in ready or (ready and not self.in_order)):
                turn, number, result = self._receive()
                if turn == self.turn:  # else of a pass that was left before its end
                    ready[number] = result
            number = wanted if self.in_order else next(iter(ready))
            wanted += 1
            worker, result = busy.pop(number), ready.pop(number)
            if isinstance(result, _End):
                open_workers.discard(worker)
                continue
            hand_out(worker)
            if isinstance(result, _Failure):
                result.reraise()
            yield result

    def _receive(self) -> Any:
        """The next result of any worker."""
        found = connection.wait(self.pipes, self.timeout)
        if not found:
            raise GraphError(
                f"DataLoader timed out after {self.timeout} seconds: no worker has finished a "
                "batch. Write a longer timeout, or find what the data set waits for."
            )
        pipe: Any = found[0]
        try:
            return pipe.recv()
        except EOFError:
            pids = self.processes[self.pipes.index(pipe)].pid
            raise GraphError(
                f"DataLoader worker (pid(s) {pids}) exited unexpectedly. It was killed, or has "
                "ended Python. Write num_workers=0 to see what happens in this process."
            )

    def stop(self) -> None:
        """End the workers, whatever they are doing."""
        for tasks in self.queues:
            tasks.put(None)
        for pipe in self.pipes:
            pipe.close()
        for process in self.processes:
            process.join(timeout=0.1)
            if process.is_alive():
                process.terminate()
                process.join()
        for tasks in self.queues:
            tasks.close()

    def __del__(self) -> None:
        if any(process.is_alive() for process in self.processes):
            self.stop()
