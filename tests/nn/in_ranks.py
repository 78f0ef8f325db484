"""What the ranks of an MPI job do in the tests: `mpiexec -n 2 python in_ranks.py NAME`."""

import os
import runpy
import signal
import sys
from pathlib import Path

from mpi4py import MPI

import glassgrad as gg
from glassgrad import nn
from glassgrad.nn.parallel import DistributedDataParallel, _ranks

rank = MPI.COMM_WORLD.rank


class Heads(nn.Module):
    """Two layers, of which a pass uses those it is told."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(2, 1), nn.Linear(2, 1), nn.Linear(2, 1)

    def forward(self, x, names):
        return sum(getattr(self, name)(x) for name in names).sum()


def message(call, *given, **named):
    try:
        call(*given, **named)
    except (RuntimeError, ValueError) as error:
        return str(error)
    return "no error"


def agree():
    """All that two ranks can agree on, or not, in one job; rank 0 says what came of it."""
    gg.manual_seed(rank)
    x = gg.tensor([[1.0, 2.0]]) * (rank + 1)

    # Values of rank 0, from the beginning; buffers before each pass in training.
    net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    net[1].running_mean.fill_(rank + 5.0)
    model = DistributedDataParallel(net)
    everywhere = MPI.COMM_WORLD.allgather([p.tolist() for p in model.state_dict().values()])
    assert everywhere[0] == everywhere[1]
    assert net[1].running_mean.tolist() == [5.0, 5.0]
    net[1].running_mean.fill_(rank + 7.0)
    with gg.no_grad():
        model.eval()(x)  # nobody is waited for
    assert net[1].running_mean.tolist() == [rank + 7.0] * 2
    model(x).sum().backward()
    assert net[1].running_mean.tolist() == [7.0, 7.0]

    # The mean of the gradients; sums of passes in no_sync() before it.
    model = DistributedDataParallel(nn.Linear(2, 1, bias=False), gradient_as_bucket_view=True)
    model(x).sum().backward()
    assert model.module.weight.grad.tolist() == [[1.5, 3.0]]
    with model.no_sync():
        model(x[:0]).sum().backward()  # as many as it likes
        model(x).sum().backward()
    assert model.module.weight.grad.tolist() == [[1.5 + rank + 1, 3.0 + 2 * rank + 2]]
    model(x).sum().backward()
    assert model.module.weight.grad.tolist() == [[4.5, 9.0]]

    # Each rank uses other parameters; nobody uses `c`.
    model = DistributedDataParallel(Heads(), find_unused_parameters=True, bucket_cap_mb=1e-6)
    for _ in range(2):
        model.zero_grad()
        model(x, "ab"[rank]).backward()
        assert [model.module.a.weight.grad.tolist()] == [[[0.5, 1.0]]]
        assert [model.module.b.weight.grad.tolist()] == [[[1.0, 2.0]]]
        assert model.module.c.weight.grad is None

    # What is uneven, each rank is told.
    said = [message(model, gg.zeros(3 - rank, 2), "a")]
    said += [message(DistributedDataParallel, nn.Linear(2 + rank, 1))]
    _ranks.TIMEOUT = 0.05
    model = DistributedDataParallel(nn.Linear(2, 1))
    if rank == 0:
        said += [message(model, x)]
        _ranks.TIMEOUT = 60.0
    told = MPI.COMM_WORLD.gather(said)
    if rank == 0:
        sys.stdout.write("".join([f"{line}\n" for lines in told for line in lines]))
        sys.stdout.flush()
    MPI.COMM_WORLD.Barrier()
    if rank == 1:
        raise KeyError("what one rank alone runs into")
    model(x)


def kill():
    """One rank dies, and has no time to tell."""
    model = DistributedDataParallel(nn.Linear(2, 1))
    if rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    model(gg.ones(1, 2)).sum().backward()


def more():
    """One rank has a batch more than the other."""
    model = DistributedDataParallel(nn.Linear(2, 1))
    for _ in range(3 - rank):
        model(gg.ones(1, 2)).sum().backward()


def traces():
    """Record a pass of the example anew, for the guide: `docs/traces/rank-*.json`."""
    root = Path(__file__).parents[2]
    example = runpy.run_path(str(root / "examples" / "data_parallel.py"))
    images, labels = gg.data.load_digits()
    model = DistributedDataParallel(example["network"](), bucket_cap_mb=1 / 1024)
    for _ in range(2):
        mine = slice(rank * 32, (rank + 1) * 32)
        trace = example["recorded"](model, images[mine], labels[mine])
    trace.save(root / "docs" / "traces" / f"rank-{rank}.json")


if __name__ == "__main__":
    globals()[sys.argv[1]]()
