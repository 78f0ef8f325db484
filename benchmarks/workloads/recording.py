"""W15: a pass that is recorded, beside one that is not: a perceptron 64-100-10, and four nodes.

Both are forward and backward together. The record is made and not read: what it says of the pass
is put into words, sums and ids when somebody looks at it.
"""

from collections.abc import Callable

import numpy as np

from benchmarks.contenders import tapes
from benchmarks.effort import Effort
from benchmarks.race import Contender, race
from benchmarks.records import Outcome

SIZES, BATCH = (64, 100, 10), 64


def recorder(name: str) -> Callable:
    """What records a pass of this library."""
    if name == "torch":
        from glassgrad.tracing.torch import record
    else:
        from glassgrad import record
    return record


def backward(loss):
    loss.backward()


def perceptron(module, batch):
    random = np.random.default_rng(0)
    x = module.tensor(random.standard_normal((batch, SIZES[0])).astype(np.float32))
    y = module.tensor(random.integers(0, SIZES[-1], batch))
    shapes = ((SIZES[1], SIZES[0]), (SIZES[1],), (SIZES[2], SIZES[1]), (SIZES[2],))
    start = [(random.standard_normal(shape) / 10).astype(np.float32) for shape in shapes]
    w1, b1, w2, b2 = parameters = [module.tensor(array, requires_grad=True) for array in start]
    functional = module.nn.functional

    def loss_of():
        h = functional.relu(functional.linear(x, w1, b1))
        return functional.cross_entropy(functional.linear(h, w2, b2), y)

    return parameters, loss_of


def four_nodes(module, _):
    w = module.tensor([[1.0, -2.0], [0.5, 3.0]], requires_grad=True)
    x = module.tensor([2.0, 1.0])
    return [w], lambda: module.tanh(w @ x).sum()


def contender(name, program, run) -> Contender:
    parameters, loss_of = program

    def once():
        for p in parameters:
            p.grad = None
        loss = loss_of()
        run(loss)
        return loss

    def probe():
        return [once().item()], [p.grad.numpy() for p in parameters]

    return Contender(name, once, probe=probe)


def measure(effort: Effort) -> Outcome:
    outcome, batch = Outcome(), effort.size(BATCH)
    programs = {f"perceptron 64-100-10, batch {batch}": perceptron, "four nodes": four_nodes}
    for title, program in programs.items():
        contenders = []
        for name, module in tapes().items():
            contenders.append(contender(name, program(module, batch), backward))
            again = program(module, batch)
            contenders.append(contender(f"{name}, recorded", again, recorder(name)))
        result = race(
            f"W15 {title}, float32",
            contenders,
            effort=effort,
            unit="µs per pass",
            tolerance=1e-3,  # float32, summed in another order
        )
        outcome.timings.extend(result.timings())
        key = "W15 recorded / pass" if program is perceptron else "W15 four nodes recorded / pass"
        outcome.measures[key] = result.ratio("glassgrad, recorded", "glassgrad")
    return outcome
