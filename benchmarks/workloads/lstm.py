"""W14: forward and backward of an LSTM: 32 steps, 16 examples, 64 inputs and 64 units, float32.

PyTorch runs all steps in one kernel of oneDNN's, and their gradients in another. Here they are one
node, whose rule goes through the steps in NumPy: a small product of matrices and about ten calls
for each.
"""

import numpy as np

from benchmarks.contenders import tapes
from benchmarks.effort import Effort
from benchmarks.race import Contender, race
from benchmarks.records import Outcome

STEPS, BATCH, SIZE = 32, 16, 64


def on_tape(name, module, x, start) -> Contender:
    inputs = module.tensor(x)
    parameters = [module.tensor(array, requires_grad=True) for array in start]
    state = module.zeros(1, x.shape[1], SIZE)
    form = (True, 1, 0.0, True, False, False)

    def step():
        for p in parameters:
            p.grad = None
        y, _, _ = module.lstm(inputs, (state, state), parameters, *form)
        loss = y.sum()
        loss.backward()
        return loss

    def probe():
        return [step().item()], [p.grad.numpy() for p in parameters]

    return Contender(name, step, probe=probe)


def measure(effort: Effort) -> Outcome:
    random = np.random.default_rng(0)
    bound = 1 / np.sqrt(SIZE)
    shapes = ((4 * SIZE, SIZE), (4 * SIZE, SIZE), (4 * SIZE,), (4 * SIZE,))
    start = [random.uniform(-bound, bound, shape).astype(np.float32) for shape in shapes]
    batch = effort.size(BATCH)
    x = random.standard_normal((STEPS, batch, SIZE)).astype(np.float32)
    outcome = Outcome()
    result = race(
        f"W14 LSTM of {STEPS} steps, {SIZE} units, batch {batch}, float32",
        [on_tape(name, module, x, start) for name, module in tapes().items()],
        effort=effort,
        unit="µs per pass",
        tolerance=1e-3,  # float32, summed in another order
    )
    outcome.timings.extend(result.timings())
    outcome.measures["W14 / torch"] = result.ratio("glassgrad", "torch")
    return outcome
