"""W2: a training step of a 784-256-128-10 perceptron at three batch sizes, float32.

    softmax cross-entropy, then p -= lr · p.grad

Here the arithmetic dominates, and the question is what the tape adds to it. The baseline is what
an expert writes: no array that could be reused is made anew. The step is written in two ways for
glassgrad and torch, `h @ W + b` and the fused `linear(h, W, b)`.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from benchmarks.contenders import has, tapes
from benchmarks.effort import Effort
from benchmarks.race import Contender, race
from benchmarks.records import Outcome

SIZES = (784, 256, 128, 10)
BATCHES = (8, 64, 512)
LR = 0.01
PROBE_STEPS = 3


@dataclass(frozen=True, slots=True)
class Task:
    """One batch of inputs `x: (n, 784)` and labels `y: (n,)`, and where the parameters start."""

    x: np.ndarray
    y: np.ndarray
    start: list[np.ndarray]

    @classmethod
    def of(cls, batch: int) -> "Task":
        random = np.random.default_rng(0)
        start = []
        for inputs, outputs in pairwise(SIZES):
            weight = random.standard_normal((inputs, outputs)) * np.sqrt(2 / inputs)
            start += [weight.astype(np.float32), np.zeros(outputs, np.float32)]
        x = random.standard_normal((batch, SIZES[0])).astype(np.float32)
        return cls(x, random.integers(0, SIZES[-1], batch), start)

    def copies(self) -> list[np.ndarray]:
        return [array.copy() for array in self.start]

    def contender(self, name, step, arrays) -> Contender:
        """A contender whose loss and moves away from the start are compared after a few steps.

        Args:
            name: who runs.
            step: one training step; returns the loss.
            arrays: gives the parameters as arrays laid out like `start`.
        """

        def probe():
            losses = [step().item() for _ in range(PROBE_STEPS)]
            return losses, [now - then for now, then in zip(arrays(), self.start, strict=True)]

        return Contender(name, step, probe=probe)


def by_hand(task: Task) -> Contender:
    x, y = task.x, task.y
    parameters = task.copies()
    w1, b1, w2, b2, w3, b3 = parameters
    n = len(x)
    rows = np.arange(n)

    def descend(parameter, grad):
        grad *= LR  # the gradient is ours: no third array
        parameter -= grad

    def step():
        h1 = x @ w1
        h1 += b1
        np.maximum(h1, 0, out=h1)
        h2 = h1 @ w2
        h2 += b2
        np.maximum(h2, 0, out=h2)
        z = h2 @ w3
        z += b3
        z -= z.max(axis=1, keepdims=True)
        picked = z[rows, y]
        np.exp(z, out=z)
        total = z.sum(axis=1, keepdims=True)
        loss = np.log(total).mean() - picked.mean()
        z /= total
        z[rows, y] -= 1
        z /= n
        grad2 = z @ w3.T
        grad2 *= h2 > 0
        grad1 = grad2 @ w2.T
        grad1 *= h1 > 0
        descend(w3, h2.T @ z)
        descend(b3, z.sum(axis=0))
        descend(w2, h1.T @ grad2)
        descend(b2, grad2.sum(axis=0))
        descend(w1, x.T @ grad1)
        descend(b1, grad1.sum(axis=0))
        return loss

    return task.contender("NumPy", step, lambda: parameters)


def on_tape(name, module, task: Task) -> Contender:
    relu, cross_entropy = module.relu, module.nn.functional.cross_entropy
    x, y = module.tensor(task.x), module.tensor(task.y)
    parameters = [module.tensor(array, requires_grad=True) for array in task.start]
    w1, b1, w2, b2, w3, b3 = parameters

    def step():
        h = relu(x @ w1 + b1)
        h = relu(h @ w2 + b2)
        loss = cross_entropy(h @ w3 + b3, y)
        loss.backward()
        with module.no_grad():
            for p in parameters:
                p -= LR * p.grad
                p.grad = None
        return loss

    return task.contender(name, step, lambda: [p.detach().numpy() for p in parameters])


def on_tape_with_linear(name, module, task: Task) -> Contender:
    relu, functional = module.relu, module.nn.functional
    linear, cross_entropy = functional.linear, functional.cross_entropy
    x, y = module.tensor(task.x), module.tensor(task.y)
    start = [array.T.copy() for array in task.start]  # linear keeps its weight as (out, in)
    parameters = [module.tensor(array, requires_grad=True) for array in start]
    w1, b1, w2, b2, w3, b3 = parameters

    def step():
        h = relu(linear(x, w1, b1))
        h = relu(linear(h, w2, b2))
        loss = cross_entropy(linear(h, w3, b3), y)
        loss.backward()
        with module.no_grad():
            for p in parameters:
                p -= LR * p.grad
                p.grad = None
        return loss

    def arrays():
        return [p.detach().numpy().T for p in parameters]

    return task.contender(f"{name}, fused linear", step, arrays)


def with_autograd(task: Task) -> Contender:
    import autograd
    import autograd.numpy as anp

    x, n = task.x, len(task.x)
    parameters = task.copies()
    one_hot = np.eye(SIZES[-1], dtype=np.float32)[task.y]

    def loss_of(parameters):
        w1, b1, w2, b2, w3, b3 = parameters
        h = anp.maximum(anp.dot(x, w1) + b1, 0)
        h = anp.maximum(anp.dot(h, w2) + b2, 0)
        z = anp.dot(h, w3) + b3
        z = z - anp.max(z, axis=1, keepdims=True)
        log_total = anp.log(anp.sum(anp.exp(z), axis=1))
        return (anp.sum(log_total) - anp.sum(z * one_hot)) / n

    value_and_grad = autograd.value_and_grad(loss_of)

    def step():
        loss, grads = value_and_grad(parameters)
        for p, grad in zip(parameters, grads, strict=True):
            p -= LR * grad
        return loss

    return task.contender("HIPS autograd", step, lambda: parameters)


def with_mygrad(task: Task) -> Contender:
    import mygrad
    from mygrad.nnet.losses import softmax_crossentropy

    parameters = [mygrad.tensor(array) for array in task.start]
    w1, b1, w2, b2, w3, b3 = parameters

    def step():
        h = mygrad.maximum(task.x @ w1 + b1, 0)
        h = mygrad.maximum(h @ w2 + b2, 0)
        loss = softmax_crossentropy(h @ w3 + b3, task.y)
        loss.backward()
        for p in parameters:
            p.data -= LR * p.grad
        return loss

    return task.contender("MyGrad", step, lambda: [p.data for p in parameters])


def measure(effort: Effort) -> Outcome:
    outcome = Outcome()
    for batch in BATCHES:
        task = Task.of(effort.size(batch))
        contenders = [by_hand(task)]
        contenders += [on_tape(name, module, task) for name, module in tapes().items()]
        contenders += [on_tape_with_linear(name, module, task) for name, module in tapes().items()]
        if has("autograd"):
            contenders.append(with_autograd(task))
        if has("mygrad"):
            contenders.append(with_mygrad(task))
        result = race(
            f"W2 MLP step 784-256-128-10, batch {batch}, float32",
            contenders,
            effort=effort,
            unit="µs per step",
            tolerance=1e-3,  # float32, summed in another order
        )
        outcome.timings.extend(result.timings())
        outcome.measures[f"W2 batch {batch} / NumPy"] = result.ratio("glassgrad", "NumPy")
        outcome.measures[f"W2 batch {batch} / torch"] = result.ratio("glassgrad", "torch")
    return outcome
