"""The demo: train on real digits, then look at one backward pass.

It is also an example of how glassgrad is used: `train` is the loop that a PyTorch user would write.
"""

import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from glassgrad._programs import progress, require_writable, writing
from glassgrad._words import printable
from glassgrad.autograd.grad_mode import no_grad
from glassgrad.core.errors import DataError
from glassgrad.data import DataLoader, Digits, TensorDataset, load_digits
from glassgrad.nn import Module
from glassgrad.nn.functional import cross_entropy
from glassgrad.ops.generator import Generator, manual_seed
from glassgrad.ops.random import randperm
from glassgrad.optim import Adam
from glassgrad.viz import Player, player

from .network import Network, batch_loss

__all__ = ["accuracy", "run_demo", "train"]

HIDDEN = 64
BATCH = 64
SHOWN = 8  # images in the batch whose backward pass is recorded
REMEDY = (
    "The picture, the page and the record go there. "
    "Name another folder: `glassgrad demo --out DIR`."
)


def run_demo(out: Path, *, data: Path | None = None, epochs: int = 15, seed: int = 0) -> float:
    """Train, record one backward pass, write `digits.svg`, `.trace.json` and `.html` into `out`.

    Args:
        out: a folder, made if it is not there.
        data: an .npz to read in place of the digits that come with glassgrad.
        epochs: how often to go through the training images.
        seed: makes the run repeatable.

    Returns:
        The share of the test images that the trained network gets right.

    Raises:
        DataError: if `data` cannot be used, `out` cannot be written, or the loss becomes nan.
    """
    from rich.console import Console

    console = Console(highlight=False, markup=False, soft_wrap=True)
    require_writable(out, REMEDY)
    manual_seed(seed)
    train_set, test_set = _split(load_digits(path=data), seed)
    console.print(
        f"handwritten digits, 8×8 pixels: {len(train_set.labels):,} to learn from, "
        f"{len(test_set.labels):,} to be tested on"
    )
    model = Network(HIDDEN)
    began = time.perf_counter()
    with progress(console, "training", "loss {:.3f}", epochs) as report:
        train(model, train_set, epochs=epochs, seed=seed, report=report)
    seconds = time.perf_counter() - began
    right = accuracy(model, test_set)
    console.print(f"test accuracy {right:.1%} after {seconds:.1f} s of training")
    for line in _show(model, test_set, out):
        console.print(printable(line))
    return right


def train(
    model: Module,
    examples: Digits,
    *,
    epochs: int,
    seed: int,
    report: Callable[[float], object],
) -> None:
    """Fit `model` to the examples, in shuffled batches, with Adam.

    Args:
        model: takes images of shape `(B, 64)`, gives scores of shape `(B, 10)`.
        examples: what to fit it to.
        epochs: how often to go through them.
        seed: of the shuffling.
        report: called with the mean loss after each epoch.

    Raises:
        DataError: if the loss becomes nan or inf.
    """
    optimizer = Adam(model.parameters(), lr=5e-3)
    loader = DataLoader(
        TensorDataset(*examples),
        batch_size=BATCH,
        shuffle=True,
        generator=Generator().manual_seed(seed),
    )
    for epoch in range(1, epochs + 1):
        total = 0.0
        for images, labels in loader:
            optimizer.zero_grad()
            loss = cross_entropy(model(images), labels)
            loss.backward()
            optimizer.step()
            total += loss.item()
        if not math.isfinite(total):
            raise DataError(
                f"the loss became {total} in epoch {epoch}. No step leads back from there. "
                "Look for extreme values in the data."
            )
        report(total / len(loader))


def accuracy(model: Module, examples: Digits) -> float:
    """The share of the examples whose highest score is at their label."""
    with no_grad():
        guesses = model(examples.images).argmax(dim=1)
    return float((guesses == examples.labels).float().mean().item())


def _split(digits: Digits, seed: int) -> tuple[Digits, Digits]:
    """Four fifths to learn from, one fifth to be tested on, dealt out at random."""
    count = len(digits.labels)
    if count < 2:
        raise DataError(
            f"the data holds {count} image. One part is for learning, another for the test. "
            "Store more images."
        )
    order = randperm(count, generator=Generator().manual_seed(seed))
    tested = max(count // 5, 1)
    parts = order[tested:], order[:tested]
    learn, test = (Digits(digits.images[part], digits.labels[part]) for part in parts)
    return learn, test


def _show(model: Network, examples: Digits, out: Path) -> Iterator[str]:
    """Record the backward pass of a small batch, write the three files, and tell about it."""
    loss = batch_loss(model, examples.images[:SHOWN], examples.labels[:SHOWN])
    page = player(loss)
    assert isinstance(page, Player)  # not of a session
    with writing(out, REMEDY):
        page.trace.save(out / "digits.trace.json")
        page.drawing.save(out / "digits.svg")
        page.save(out / "digits.html")
    yield f"recorded the backward pass of a batch of {SHOWN}, and drew it"
    yield page.drawing.layout
    yield f"  {out / 'digits.svg'}         the backward graph, from the loss to the weights"
    yield f"  {out / 'digits.trace.json'}  the record: every event, in order"
    yield f"  {out / 'digits.html'}        the pass, step by step"
    yield f"now open {out / 'digits.html'} in a browser: Space plays, → and ← step,"
    yield "a click on a box tells what it does, in formulas and in these numbers"
