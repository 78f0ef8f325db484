"""W10: the gradients of each example by itself, for the perceptron of W2, float32.

    vmap(grad(loss), in_dims=(None, 0, 0))(parameters, xs, ys)

Where a training step adds up the gradients of 64 examples, this keeps all 64: an array of
(64, 784, 256) among them. And the Jacobian of the ten outputs with respect to one input of 784
numbers, by `jacrev`, which maps a pullback over the ten.
"""

from itertools import pairwise

import numpy as np

from benchmarks.contenders import tapes
from benchmarks.effort import Effort
from benchmarks.race import Contender, race
from benchmarks.records import Outcome
from benchmarks.workloads.mlp import SIZES, Task

BATCH = 64
TOLERANCE = 1e-4  # float32, summed in another order


def model_of(module, task: Task):
    """The perceptron as a module, at the task's start; its weights are (outputs, inputs)."""
    nn = module.nn
    first, second, third = [nn.Linear(inputs, outputs) for inputs, outputs in pairwise(SIZES)]
    model = nn.Sequential(first, nn.ReLU(), second, nn.ReLU(), third)
    arrays = [array.T if array.ndim == 2 else array for array in task.start]
    with module.no_grad():
        for parameter, array in zip(model.parameters(), arrays, strict=True):
            parameter.copy_(module.tensor(array))
    return model


def frozen(model):
    """The parameters by name, out of the graph: what is differentiated is said by `grad`."""
    return {name: parameter.detach() for name, parameter in model.named_parameters()}


# Gradients of each example ----------------------------------------------------------------------


def gradients_by_transforms(module, task: Task):
    func, cross_entropy = module.func, module.nn.functional.cross_entropy
    model = model_of(module, task)
    parameters = frozen(model)
    xs, ys = module.tensor(task.x), module.tensor(task.y)

    def loss(parameters, x, y):
        return cross_entropy(func.functional_call(model, parameters, (x,)), y)

    per_example = func.vmap(func.grad(loss), in_dims=(None, 0, 0))
    return lambda: list(per_example(parameters, xs, ys).values())


def gradients_by_hand(task: Task):
    w1, b1, w2, b2, w3, b3 = [a.T.copy() if a.ndim == 2 else a for a in task.start]
    x, y = task.x, task.y
    rows = np.arange(len(x))

    def outer(grad, h):
        return grad[:, :, None] * h[:, None, :]

    def run():
        h1 = np.maximum(x @ w1.T + b1, 0)
        h2 = np.maximum(h1 @ w2.T + b2, 0)
        z = h2 @ w3.T + b3
        z -= z.max(axis=1, keepdims=True)
        np.exp(z, out=z)
        z /= z.sum(axis=1, keepdims=True)
        z[rows, y] -= 1
        grad2 = z @ w3
        grad2 *= h2 > 0
        grad1 = grad2 @ w2
        grad1 *= h1 > 0
        return [outer(grad1, x), grad1, outer(grad2, h1), grad2, outer(z, h2), z]

    return run


# The Jacobian -----------------------------------------------------------------------------------


def jacobian_by_transforms(module, task: Task):
    jacobian = module.func.jacrev(model_of(module, task))
    x = module.tensor(task.x[0])
    return lambda: jacobian(x)


def jacobian_by_hand(task: Task):
    w1, b1, w2, b2, w3, _ = [a.T.copy() if a.ndim == 2 else a for a in task.start]
    x = task.x[0]

    def run():
        z1 = w1 @ x + b1
        z2 = w2 @ np.maximum(z1, 0) + b2
        return ((w3 * (z2 > 0)) @ w2 * (z1 > 0)) @ w1

    return run


def measure(effort: Effort) -> Outcome:
    outcome = Outcome()
    task = Task.of(effort.size(BATCH))
    jobs = [
        (
            "W10 per example / torch",
            f"W10 gradients per example of the MLP, batch {BATCH}, float32",
            gradients_by_transforms,
            gradients_by_hand,
        ),
        (
            "W10 Jacobian / torch",
            f"W10 Jacobian {SIZES[-1]}×{SIZES[0]} of the MLP, float32",
            jacobian_by_transforms,
            jacobian_by_hand,
        ),
    ]
    for name, title, by_transforms, by_hand in jobs:
        contenders = [Contender("NumPy", by_hand(task))]
        for tape, module in tapes().items():
            contenders.append(Contender(tape, by_transforms(module, task)))
        result = race(title, contenders, effort=effort, tolerance=TOLERANCE)
        outcome.timings.extend(result.timings())
        outcome.measures[name] = result.ratio("glassgrad", "torch")
    return outcome
