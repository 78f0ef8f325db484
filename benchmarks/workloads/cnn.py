"""W4: a training step of a small convolutional network on 32 images of 28 by 28 pixels, float32.

    conv 1 → 8 → 16 with kernels of 3 by 3, each with a relu; max-pool; linear; cross-entropy;
    then p -= lr · p.grad

The convolutions are products of matrices, for which windows are copied; the question is how that
and pooling compare with kernels written for the purpose.
"""

import numpy as np

from benchmarks.contenders import tapes
from benchmarks.effort import Effort
from benchmarks.race import Contender, race
from benchmarks.records import Outcome

BATCH, SIDE, CLASSES = 32, 28, 10
SHAPES = ((8, 1, 3, 3), (8,), (16, 8, 3, 3), (16,), (CLASSES, 16 * 12 * 12), (CLASSES,))
LR = 0.01
PROBE_STEPS = 3


def on_tape(name, module, x, y, start) -> Contender:
    functional = module.nn.functional
    images, labels = module.tensor(x), module.tensor(y)
    parameters = [module.tensor(array, requires_grad=True) for array in start]
    w1, b1, w2, b2, w3, b3 = parameters

    def step():
        h = module.relu(functional.conv2d(images, w1, b1))
        h = module.relu(functional.conv2d(h, w2, b2))
        h = functional.max_pool2d(h, 2)
        loss = functional.cross_entropy(functional.linear(h.flatten(1), w3, b3), labels)
        loss.backward()
        with module.no_grad():
            for p in parameters:
                p -= LR * p.grad
                p.grad = None
        return loss

    def probe():
        losses = [step().item() for _ in range(PROBE_STEPS)]
        now = [p.detach().numpy() for p in parameters]
        return losses, [a - b for a, b in zip(now, start, strict=True)]

    return Contender(name, step, probe=probe)


def measure(effort: Effort) -> Outcome:
    random = np.random.default_rng(0)
    start = []
    for shape in SHAPES:
        inputs = np.prod(shape[1:]) if len(shape) > 1 else np.inf
        weight = random.standard_normal(shape) * np.sqrt(2 / inputs)
        start.append(weight.astype(np.float32))
    batch = effort.size(BATCH)
    x = random.standard_normal((batch, 1, SIDE, SIDE)).astype(np.float32)
    y = random.integers(0, CLASSES, batch)
    outcome = Outcome()
    result = race(
        f"W4 CNN step 1-8-16, batch {batch}, float32",
        [on_tape(name, module, x, y, start) for name, module in tapes().items()],
        effort=effort,
        unit="µs per step",
        tolerance=1e-3,  # float32, summed in another order
    )
    outcome.timings.extend(result.timings())
    outcome.measures["W4 / torch"] = result.ratio("glassgrad", "torch")
    return outcome
