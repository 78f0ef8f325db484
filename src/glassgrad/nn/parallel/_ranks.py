"""The processes of an MPI job: where they meet, and what happens where one does not come.

# Note [The ranks call in one order]
# MPI matches the n-th message of a communicator on one rank with the n-th on the others, whatever
# they are about. So buckets leave by number, full or not yet; what else is sent goes before the
# forward pass; and the communicator is a copy that no other code sends on.
"""

import atexit
import itertools
import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from glassgrad.autograd.grad_mode import no_grad
from glassgrad.core.errors import ArgumentTypeError, DataError, GraphError
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.nn.module import Module

__all__ = ["UNCOUNTED", "Ranks", "array_of"]

TIMEOUT = 1800.0  # seconds that a rank waits for the others
UNCOUNTED = -1  # instead of the number of examples: nobody knows how many
GONE = -2  # the same: this rank has come to its end


class Ranks:
    """The processes of a communicator, each of which is a rank.

    Args:
        group: a communicator of mpi4py; None: all processes of the job.

    Attributes:
        rank, size: the number of this one, and how many there are.
        batches: how often they met for one.
    """

    def __init__(self, group: Any) -> None:
        self._mpi = _mpi()
        if group is not None and not isinstance(group, self._mpi.Comm):
            raise ArgumentTypeError(
                f"process_group must be a communicator of mpi4py, not {type(group).__name__}. The "
                "gradients travel through it. Write `MPI.COMM_WORLD`, or leave it out."
            )
        # Note [The ranks call in one order]
        self._comm = (self._mpi.COMM_WORLD if group is None else group).Dup()
        self.rank, self.size = self._comm.rank, self._comm.size
        self.batches = 0
        self._is_complete = True
        if self.size > 1:
            _end_job_with_this_process(self._mpi)
            atexit.register(self._leave)

    def begin_sum(self, array: Any) -> Any:
        """Begin to replace an array by its sum over the ranks; what it returns is waited for."""
        return self._comm.Iallreduce(self._mpi.IN_PLACE, array)

    def hasten(self, requests: list[Any]) -> None:
        """Let MPI move what is under way: some libraries do so only while they are called."""
        self._mpi.Request.Testall(requests)

    def wait(self, requests: list[Any], what: str, seconds: float | None = None) -> None:
        """Wait, but not forever: a rank may never come."""
        began, most = time.monotonic(), TIMEOUT if seconds is None else seconds
        while not self._mpi.Request.Testall(requests):
            waited = time.monotonic() - began
            if waited > most:
                self._given_up = requests  # MPI may still write to their arrays
                raise GraphError(
                    f"rank {self.rank} of {self.size} has waited {most:g} s for {what}. Another "
                    "rank has not come so far: it does something else. Let each run the same "
                    "passes over as many batches."
                )
            time.sleep(min(1e-5 + waited / 10, 0.1))  # others may compute on this processor

    def meet(self, examples: int) -> None:
        """Wait for the others before a batch; DataError, on each, unless all have as many examples.

        A rank that has come to its end tells those that wait for it, too.
        """
        found = self._numbers(examples)
        gone = [f"rank {rank} ended after {n}" for rank, (x, n) in enumerate(found) if x == GONE]
        if gone:
            self._is_complete = False
            raise DataError(
                f"the ranks have uneven numbers of batches: {', '.join(gone)}, and rank "
                f"{self.rank} has one more. There is nothing to average its gradients with. Give "
                "each rank as many: `DistributedSampler(data, drop_last=True)`."
            )
        self.batches += 1
        if len({x for x, _ in found}) > 1:
            sizes = ", ".join([str(x) if x != UNCOUNTED else "none" for x, _ in found])
            raise DataError(
                f"the ranks have uneven batches: {sizes} examples, from rank 0 on. In a mean over "
                "ranks, those of a small share would count for more. Write `drop_last=True` for "
                "the loader, or `dim=None` where a loss is no mean over examples."
            )

    def _leave(self) -> None:
        """The last thing that a process does, so that nobody waits for another batch of it."""
        if self._is_complete and not self._mpi.Is_finalized():
            self._numbers(GONE, float("inf"))

    def _numbers(self, examples: int, seconds: float | None = None) -> list[list[int]]:
        """What each rank says: the number of its examples, and of its batches before."""
        own, found = np.array([examples, self.batches]), np.zeros((self.size, 2), int)
        self.wait([self._comm.Iallgather(own, found)], "the others to begin", seconds)
        return found.tolist()  # type: ignore[no-any-return]  # NumPy's is any

    def compare(self, module: Module) -> None:
        """Raise GraphError, on each rank, unless all have the same parameters and buffers."""
        self._numbers(UNCOUNTED)
        named = [*module.named_parameters(), *module.named_buffers()]
        own = [f"{name} {tuple(x.shape)} {x.dtype} {x.requires_grad}" for name, x in named]
        for rank, others in enumerate(self._comm.allgather(own)):
            for mine, other in itertools.zip_longest(own, others, fillvalue="nothing"):
                if mine != other:
                    raise GraphError(
                        f"DDP expects same model across all ranks, but rank {self.rank} has {mine} "
                        f"where rank {rank} has {other}. Their gradients cannot be added up. Build "
                        "it alike on each."
                    )

    @no_grad()
    def copy_from_first(self, tensors: Sequence[Tensor]) -> None:
        """Write rank 0's values into the tensors of all."""
        for tensor in tensors:
            values = np.array(array_of(tensor), order="C")
            self._comm.Bcast(values.reshape(-1).view(np.uint8), root=0)
            tensor.copy_(wrap(values))  # on rank 0, too: versions are alike


def array_of(tensor: Tensor) -> Any:
    """The values, where MPI finds them."""
    return tensor.detach().cpu().numpy()


def _mpi() -> Any:
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:  # the latter where the library is missing
        raise ModuleNotFoundError(
            f"DistributedDataParallel needs mpi4py and an MPI library: {error}. Its processes talk "
            "through them. Run `pip install mpi4py` and `apt-get install openmpi-bin`.",
            name="mpi4py",
        )
    return MPI


def _end_job_with_this_process(mpi: Any) -> None:
    """From now on an exception that nobody catches ends all ranks: they would wait forever."""
    told = sys.excepthook
    if getattr(told, "ends_job", False):
        return

    def excepthook(*error: Any) -> None:
        world = mpi.COMM_WORLD
        time.sleep(min(0.5 * world.rank, 5))  # where all fail alike, the first speaks for all
        told(*error)
        sys.stderr.write(f"rank {world.rank} of {world.size} failed, which ends the job.\n")
        sys.stderr.flush()
        world.Abort(1)

    vars(excepthook)["ends_job"] = True
    sys.excepthook = excepthook
