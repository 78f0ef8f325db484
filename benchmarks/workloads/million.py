"""A chain of 1,000,000 nodes is built, run backward and freed: nothing recurses.

A library that recursed anywhere would die here of a stack overflow, and its process with it: then
the table has a row that says so. No goal is set; the row is there to be seen.
"""

import gc
import time

import numpy as np

from benchmarks.contenders import tapes
from benchmarks.effort import Effort
from benchmarks.records import Outcome, Timing
from benchmarks.spread import Spread

NODES = 1_000_000
X = np.linspace(-1.0, 1.0, 10, dtype=np.float32)
B = np.linspace(-0.1, 0.1, 10, dtype=np.float32)


def seconds_by_phase(module, nodes) -> dict[str, float]:
    """The seconds of each phase, in order."""
    x = module.tensor(X, requires_grad=True)
    b = module.tensor(B)
    seed = module.tensor(np.ones(10, np.float32))
    gc.collect()
    clock = [time.perf_counter()]
    y = x
    for _ in range(nodes):
        y = y + b
    clock.append(time.perf_counter())
    y.backward(seed)
    clock.append(time.perf_counter())
    del y
    clock.append(time.perf_counter())
    if not np.array_equal(x.grad.numpy(), seed.numpy()):
        raise ValueError(f"the gradient of a chain of additions is its seed, not {x.grad}")
    phases = ("build", "backward", "free")
    return {phase: clock[i + 1] - clock[i] for i, phase in enumerate(phases)}


def measure(effort: Effort) -> Outcome:
    nodes = effort.size(NODES)
    outcome = Outcome()
    found = {}
    for _ in range(2):  # the first pass grows the heap, the second finds it grown
        for name, module in tapes().items():
            found[name] = seconds_by_phase(module, nodes)
    for phase in ("build", "backward", "free"):
        for name, seconds in found.items():
            value = Spread.exact(1e6 * seconds[phase] / nodes)
            title = f"Million: {phase} a chain of 1,000,000 nodes"
            outcome.timings.append(Timing(title, name, "µs per node", value))
    return outcome
