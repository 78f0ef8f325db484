"""W12: forward and backward of a transformer's block: 32 places of 64 numbers, 4 heads, float32.

Both libraries play the same module, `TransformerEncoderLayer`, with relu, which is its default, and
with the norms in front. The products of matrices are small: what decides beside them is how often
the numbers between them are read and written, for softmax and norms, and what an op costs.
"""

import numpy as np

from benchmarks.contenders import tapes
from benchmarks.effort import Effort
from benchmarks.race import Contender, race
from benchmarks.records import Outcome

SIZE, HEADS, PLACES, BATCH = 64, 4, 32, 8


def on_tape(name, module, x, start) -> Contender:
    block = module.nn.TransformerEncoderLayer(
        SIZE,
        HEADS,
        4 * SIZE,
        dropout=0.0,
        batch_first=True,
        norm_first=True,
    )
    block.load_state_dict({key: module.tensor(array) for key, array in start.items()})
    inputs, parameters = module.tensor(x), list(block.parameters())

    def step():
        for p in parameters:
            p.grad = None
        loss = block(inputs).square().mean()
        loss.backward()
        return loss

    def probe():
        return [step().item()], [p.grad.numpy() for p in parameters]

    return Contender(name, step, probe=probe)


def measure(effort: Effort) -> Outcome:
    random = np.random.default_rng(0)
    batch = effort.size(BATCH)
    x = random.standard_normal((batch, PLACES, SIZE)).astype(np.float32)
    libraries = tapes()
    shapes = libraries["glassgrad"].nn.TransformerEncoderLayer(SIZE, HEADS, 4 * SIZE).state_dict()
    start = {
        key: random.normal(0, 0.1, tuple(value.shape)).astype(np.float32)
        for key, value in shapes.items()
    }
    outcome = Outcome()
    result = race(
        f"W12 transformer block, {PLACES} places of {SIZE}, {HEADS} heads, batch {batch}, float32",
        [on_tape(name, module, x, start) for name, module in libraries.items()],
        effort=effort,
        unit="µs per pass",
        tolerance=1e-3,  # float32, summed in another order
    )
    outcome.timings.extend(result.timings())
    outcome.measures["W12 / torch"] = result.ratio("glassgrad", "torch")
    return outcome
