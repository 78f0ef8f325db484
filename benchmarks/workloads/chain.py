"""W1: a chain of 1,000 small operations, forward and backward: what one op on the tape costs.

    y = tanh(y·a + b)     333 times, then once more y·a

Shape (10,), float64, so that the arithmetic is next to nothing. x, a and b want gradients; the
seed gradient is given, so no reduction to a scalar is measured along.
"""

import numpy as np

from benchmarks.contenders import has, tapes
from benchmarks.effort import Effort
from benchmarks.race import Contender, race
from benchmarks.records import Outcome

LINKS = 333
X = np.linspace(-1.0, 1.0, 10)
A = np.linspace(0.9, 1.1, 10)
B = np.linspace(-0.1, 0.1, 10)
SEED = np.ones(10)


def on_tape(module, links):
    x = module.tensor(X, requires_grad=True)
    a = module.tensor(A, requires_grad=True)
    b = module.tensor(B, requires_grad=True)
    seed = module.tensor(SEED)
    tanh = module.tanh

    def run():
        x.grad = a.grad = b.grad = None
        y = x
        for _ in range(links):
            y = tanh(y * a + b)
        y = y * a
        y.backward(seed)
        return x.grad, a.grad, b.grad

    return run


def by_hand(links):
    def run():
        kept = []
        y = X
        for _ in range(links):
            z = y * A
            z += B
            np.tanh(z, out=z)
            kept.append((y, z))
            y = z
        grad_a = SEED * y
        grad_b = np.zeros(10)
        grad = SEED * A
        for y, z in reversed(kept):
            slope = z * z
            np.subtract(1.0, slope, out=slope)
            grad *= slope
            grad_b += grad
            grad_a += grad * y
            grad *= A
        return grad, grad_a, grad_b

    return run


def with_autograd(links):
    import autograd
    import autograd.numpy as anp

    def chain(x, a, b):
        for _ in range(links):
            x = anp.tanh(x * a + b)
        return x * a

    vjp_of_chain = autograd.make_vjp(chain, (0, 1, 2))

    def run():
        vjp, _ = vjp_of_chain(X, A, B)
        return vjp(SEED)

    return run


def with_mygrad(links):
    import mygrad

    x, a, b = mygrad.tensor(X), mygrad.tensor(A), mygrad.tensor(B)

    def run():
        y = x
        for _ in range(links):
            y = mygrad.tanh(y * a + b)
        y = y * a
        y.backward(SEED)
        return x.grad, a.grad, b.grad

    return run


def measure(effort: Effort) -> Outcome:
    links = effort.size(LINKS)
    contenders = [Contender("NumPy", by_hand(links))]
    contenders += [Contender(name, on_tape(module, links)) for name, module in tapes().items()]
    if has("autograd"):
        contenders.append(Contender("HIPS autograd", with_autograd(links)))
    if has("mygrad"):
        contenders.append(Contender("MyGrad", with_mygrad(links)))
    result = race(
        "W1 chain of 1,000 ops, shape (10,), float64",
        contenders,
        effort=effort,
        unit="µs per op, forward + backward",
        per=3 * links + 1,
        tolerance=1e-12,
    )
    return Outcome(result.timings(), {"W1 / torch": result.ratio("glassgrad", "torch")})
