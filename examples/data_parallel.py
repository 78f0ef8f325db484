"""Train on the handwritten digits in several processes that average their gradients.

    pip install glassgrad[mpi]                             # and an MPI library, as openmpi-bin
    mpiexec -n 4 --oversubscribe python data_parallel.py   # even with less than four processors
    mpiexec -n 2 python data_parallel.py --page out.html   # the backward passes of two ranks

Each process, a rank, runs all of this file, and takes its own share of each batch. In the end
rank 0 trains once more, alone and on whole batches, and says how far apart the weights are.
"""

import argparse
import html
from pathlib import Path

from mpi4py import MPI

import glassgrad as gg
from glassgrad import nn
from glassgrad.data import DataLoader, TensorDataset, load_digits
from glassgrad.nn.functional import cross_entropy
from glassgrad.nn.parallel import DistributedDataParallel
from glassgrad.utils.data import DistributedSampler

BATCH, EPOCHS = 64, 3
TESTED = 360  # images at the end that nobody learns from

comm = MPI.COMM_WORLD
share = BATCH // comm.size  # of each batch, for one rank


def network():
    """Three layers, the same on each rank."""
    gg.manual_seed(0)
    layers = nn.Linear(64, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 10)
    return nn.Sequential(*layers)


def train(model, examples, *, batch, rank=0, size=1):
    """As in one process, but for the sampler: it gives each rank another share."""
    sampler = DistributedSampler(examples, num_replicas=size, rank=rank, drop_last=True)
    loader = DataLoader(examples, batch_size=batch, sampler=sampler, drop_last=True)
    optimizer = gg.optim.SGD(model.parameters(), lr=0.5)
    for epoch in range(EPOCHS):
        sampler.set_epoch(epoch)  # shuffles anew, alike on all ranks
        for images, labels in loader:
            optimizer.zero_grad()
            cross_entropy(model(images), labels).backward()
            optimizer.step()


def recorded(model, images, labels):
    """One backward pass of this rank, event by event."""
    model.zero_grad()
    loss = cross_entropy(model(images), labels)
    return gg.record(loss)


def page(trace):
    """The players of two ranks side by side."""
    title = f"Rank {comm.rank} of {comm.size}"
    picture = gg.draw(trace, title=title, rankdir="TB", show=["hooks"])
    players = comm.gather(gg.viz.Player(trace, picture).html) or []
    frames = [f'<iframe srcdoc="{html.escape(each)}"></iframe>' for each in players[:2]]
    style = "body{display:flex;gap:8px;margin:8px} iframe{flex:1;height:96vh;border:0}"
    return f"<!DOCTYPE html><title>Two ranks</title><style>{style}</style>{''.join(frames)}\n"


def main():
    """Train, and compare."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--page", type=Path, help="where to write the players of two ranks")
    to = parser.parse_args().page

    images, labels = load_digits()
    examples = TensorDataset(images[:-TESTED], labels[:-TESTED])

    # So small a network would fit into one bucket; with 1 KiB each layer has its own.
    model = DistributedDataParallel(network(), bucket_cap_mb=1 / 1024)
    train(model, examples, batch=share, rank=comm.rank, size=comm.size)

    if to is not None:
        mine = slice(comm.rank * share, (comm.rank + 1) * share)
        text = page(recorded(model, images[mine], labels[mine]))
        if comm.rank == 0:
            to.write_text(text, encoding="utf-8")

    if comm.rank == 0:
        guesses = model.module(images[-TESTED:]).argmax(dim=1)
        right = (guesses == labels[-TESTED:]).sum().item()
        print(f"{comm.size} × {share} images a step: {right} of {TESTED} test images are right")
        alone = network()
        train(alone, examples, batch=share * comm.size)
        pairs = zip(model.parameters(), alone.parameters(), strict=True)
        apart = max((x - y).abs().max().item() for x, y in pairs)
        print(f"farthest from the weights of one process: {apart:.1e}")


if __name__ == "__main__":
    main()
