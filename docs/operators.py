"""Writes down what is known of each operator that real programs use: `make operators`.

A line of `docs/operators.csv` for each: why it is not right on the samples of PyTorch's operator
database, if it is not; which ops it puts on the graph; how long its largest sample takes here, and
how many times as long as in PyTorch.
"""

import csv
import time
from pathlib import Path
from statistics import median
from typing import Any

import torch

import glassgrad as gg
from opcase import rules_behind
from opinfo import MOST_SAMPLES, NAMES, NotHere, Played, dtypes_of, operators, ours
from ops.test_opinfo import NOT_RIGHT

FILE = Path(__file__).parent / "operators.csv"
ROUNDS = 7
SECONDS = 0.002  # of each library in a round


def main() -> None:
    """Write the table anew."""
    torch.set_num_threads(1)
    with FILE.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(["operator", "wrong because", "recorded", "µs", "/ torch"])
        for name in NAMES:
            why = NOT_RIGHT.get(name, "")  # `make slow` holds it to be true
            played = largest(name)
            lines.writerow([name, why, " ".join(recorded(played)), *timed(played)])


def recorded(played: Played | None) -> list[str]:
    """The ops on the graph of a sample, the newest first."""
    return rules_behind([y for y in played.call() if isinstance(y, gg.Tensor)]) if played else []


def timed(played: Played | None) -> tuple[str, str]:
    """Microseconds of a call, and the ratio to PyTorch's; empty where there is nothing to time."""
    if played is None:
        return "", ""
    sample, op = played.sample, played.op
    function = ours(op)
    calls = (
        lambda: function(*played.args, **played.kwargs),
        lambda: op(sample.input, *sample.args, **sample.kwargs),
    )
    with gg.no_grad(), torch.no_grad():
        counts = [max(1, round(SECONDS / seconds(call, 1))) for call in calls]
        pairs = [
            [seconds(*each) for each in zip(calls, counts, strict=True)] for _ in range(ROUNDS)
        ]
    own, ratio = median([own for own, _ in pairs]), median([own / theirs for own, theirs in pairs])
    return f"{own * 1e6:.3g}", f"{ratio:.2g}"


def largest(name: str) -> Played | None:
    """The sample with the most elements, of the first dtype that has one."""
    op = operators()[name]
    for dtype in dtypes_of(name):
        is_wanted = dtype in op.supported_backward_dtypes("cpu")
        samples = list(op.sample_inputs("cpu", dtype, requires_grad=is_wanted))[:MOST_SAMPLES]
        for sample in sorted(samples, key=_size, reverse=True):
            try:
                played = Played(op, sample)
                played.call()
            except (NotHere, RuntimeError):
                continue
            return played
    return None


def _size(sample: Any) -> int:
    return sum([x.numel() for x in (sample.input, *sample.args) if isinstance(x, torch.Tensor)])


def seconds(call: Any, count: int) -> float:
    """How long a call takes, in a row of as many."""
    begin = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - begin) / count


if __name__ == "__main__":
    main()
