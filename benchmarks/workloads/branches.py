"""W6: many branches from one leaf, and diamonds stacked on each other.

    x·c + x·c + … + x·c     2,000 branches: the leaf's gradient is a sum of 2,000 terms
    x = x + x               30 times: 2³⁰ paths, 30 nodes

The first is timed per operation. The second must take time in proportion to the nodes, not the
paths: doubling the depth may at most double the time, however fixed costs are shared.
"""

import numpy as np

from benchmarks.contenders import has, tapes
from benchmarks.effort import Effort
from benchmarks.race import Contender, race
from benchmarks.records import Outcome

BRANCHES = 2_000
DEPTH = 30
X = np.linspace(-1.0, 1.0, 10, dtype=np.float32)
C = np.linspace(0.5, 1.5, 10, dtype=np.float32)
SEED = np.ones(10, np.float32)


def branches_on_tape(module, branches):
    x = module.tensor(X, requires_grad=True)
    c = module.tensor(C)
    seed = module.tensor(SEED)

    def run():
        x.grad = None
        total = x * c
        for _ in range(branches - 1):
            total = total + x * c
        total.backward(seed)
        return x.grad

    return run


def branches_by_hand(branches):
    def run():
        total = X * C
        for _ in range(branches - 1):
            total += X * C
        grad = SEED * C
        for _ in range(branches - 1):
            grad += SEED * C
        return grad

    return run


def branches_with_autograd(branches):
    import autograd

    def tree(x):
        total = x * C
        for _ in range(branches - 1):
            total = total + x * C
        return total

    vjp_of_tree = autograd.make_vjp(tree)

    def run():
        vjp, _ = vjp_of_tree(X)
        return vjp(SEED)

    return run


def branches_with_mygrad(branches):
    import mygrad

    x = mygrad.tensor(X)

    def run():
        total = x * C
        for _ in range(branches - 1):
            total = total + x * C
        total.backward(SEED)
        return x.grad

    return run


def diamonds(name, module, depth) -> Contender:
    x = module.tensor(X, requires_grad=True)
    seed = module.tensor(SEED)

    def run():
        x.grad = None
        y = x
        for _ in range(depth):
            y = y + y
        y.backward(seed)
        return x.grad

    return Contender(name, run, probe=lambda: run() / 2**depth)


def diamonds_by_hand(depth) -> Contender:
    def run():
        y = X.copy()
        for _ in range(depth):
            y += y
        grad = SEED.copy()
        for _ in range(depth):
            grad += grad
        return grad

    return Contender("NumPy", run, probe=lambda: run() / 2**depth)


def measure(effort: Effort) -> Outcome:
    outcome = _branches(effort)
    _diamonds(outcome, effort)
    return outcome


def _branches(effort: Effort) -> Outcome:
    branches = effort.size(BRANCHES)
    contenders = [Contender("NumPy", branches_by_hand(branches))]
    contenders += [
        Contender(name, branches_on_tape(module, branches)) for name, module in tapes().items()
    ]
    if has("autograd"):
        contenders.append(Contender("HIPS autograd", branches_with_autograd(branches)))
    if has("mygrad"):
        contenders.append(Contender("MyGrad", branches_with_mygrad(branches)))
    result = race(
        "W6 sum of 2,000 branches of one leaf, shape (10,), float32",
        contenders,
        effort=effort,
        unit="µs per op, forward + backward",
        per=2 * branches - 1,
        tolerance=1e-4,
    )
    return Outcome(result.timings(), {"W6 per op / torch": result.ratio("glassgrad", "torch")})


def _diamonds(outcome: Outcome, effort: Effort) -> None:
    contenders = [diamonds_by_hand(DEPTH)]
    for name, module in tapes().items():
        contenders.append(diamonds(name, module, DEPTH))
        contenders.append(diamonds(f"{name}, half the depth", module, DEPTH // 2))
    result = race(
        f"W6 {DEPTH} stacked x = x + x, shape (10,), float32",
        contenders,
        effort=effort,
        unit="µs, forward + backward",
    )
    outcome.timings.extend(result.timings())
    growth = result.ratio("glassgrad", "glassgrad, half the depth")
    outcome.measures["W6 diamonds: twice the depth"] = growth
