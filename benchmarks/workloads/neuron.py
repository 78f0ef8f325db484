"""W1s: one neuron built from scalars, the way a first lecture builds it.

    y = tanh(b + w₁x₁ + … + w₁₆x₁₆)

Every weight, input and the bias is a tensor of its own, of shape (), and wants its gradient. The
baseline is what one writes in NumPy instead: one dot product.
"""

import numpy as np

from benchmarks.contenders import has, tapes
from benchmarks.effort import Effort
from benchmarks.race import Contender, race
from benchmarks.records import Outcome

INPUTS = 16
W = np.linspace(-0.5, 0.5, INPUTS, dtype=np.float32)
X = np.linspace(1.0, -0.2, INPUTS, dtype=np.float32)
B = np.float32(0.1)


def on_tape(module):
    weights = [module.tensor(float(w), requires_grad=True) for w in W]
    inputs = [module.tensor(float(x), requires_grad=True) for x in X]
    bias = module.tensor(float(B), requires_grad=True)
    leaves = [*weights, *inputs, bias]
    tanh = module.tanh

    def run():
        for leaf in leaves:
            leaf.grad = None
        total = bias
        for w, x in zip(weights, inputs, strict=True):
            total = total + w * x
        y = tanh(total)
        y.backward()
        return [leaf.grad for leaf in leaves]

    return run


def by_hand():
    def run():
        y = np.tanh(W @ X + B)
        slope = 1.0 - y * y
        return slope * X, slope * W, slope

    def probe():
        return [entry for part in run() for entry in np.atleast_1d(part)]

    return Contender("NumPy", run, probe=probe)


def with_autograd():
    import autograd
    import autograd.numpy as anp

    def neuron(*leaves):
        weights, inputs, total = leaves[:INPUTS], leaves[INPUTS:-1], leaves[-1]
        for w, x in zip(weights, inputs, strict=True):
            total = total + w * x
        return anp.tanh(total)

    leaves = [*W, *X, B]
    gradient = autograd.grad(neuron, tuple(range(len(leaves))))
    return lambda: gradient(*leaves)


def with_mygrad():
    import mygrad

    weights = [mygrad.tensor(w) for w in W]
    inputs = [mygrad.tensor(x) for x in X]
    bias = mygrad.tensor(B)
    leaves = [*weights, *inputs, bias]

    def run():
        total = bias
        for w, x in zip(weights, inputs, strict=True):
            total = total + w * x
        y = mygrad.tanh(total)
        y.backward()
        return [leaf.grad for leaf in leaves]

    return run


def measure(effort: Effort) -> Outcome:
    contenders = [by_hand()]
    contenders += [Contender(name, on_tape(module)) for name, module in tapes().items()]
    if has("autograd"):
        contenders.append(Contender("HIPS autograd", with_autograd()))
    if has("mygrad"):
        contenders.append(Contender("MyGrad", with_mygrad()))
    result = race(
        "W1s neuron of 16 scalar inputs, float32",
        contenders,
        effort=effort,
        unit="µs per neuron, forward + backward",
    )
    return Outcome(result.timings(), {"W1s / torch": result.ratio("glassgrad", "torch")})
