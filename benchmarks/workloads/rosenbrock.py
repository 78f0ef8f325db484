"""W5: second derivatives of Rosenbrock's function of 50 numbers, float64.

    f(x) = Σᵢ 100·(xᵢ₊₁ - xᵢ²)² + (1 - xᵢ)²

A handful of small ops, so that what is measured is what transforms cost: a derivative along a
vector (`jvp`), the Hessian times a vector (`jvp` of `grad`), and the whole Hessian (`hessian`,
which is `vmap` of the former). The baseline is the formula, worked out by hand.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.contenders import has, tapes
from benchmarks.effort import Effort
from benchmarks.race import Contender, Race, race
from benchmarks.records import Outcome

SIZE = 50

Jobs = dict[str, Callable[[], Any]]
"""What there is to do, by the names of `TITLES`, ready to be run."""

TITLES = {
    "jvp": "forward-mode derivative",
    "HVP": "Hessian times a vector",
    "Hessian": "whole Hessian",
}


def start() -> tuple[np.ndarray, np.ndarray]:
    """Where the derivatives are taken, and along which vector."""
    random = np.random.default_rng(0)
    return random.uniform(-1.5, 1.5, SIZE), random.standard_normal(SIZE)


def rosenbrock(x):
    """The function, in the words that tensors and arrays share."""
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def on_tape(module) -> Jobs:
    func = module.func
    x, v = [module.tensor(array) for array in start()]
    slope, curvature = func.grad(rosenbrock), func.hessian(rosenbrock)
    return {
        "jvp": lambda: func.jvp(rosenbrock, (x,), (v,)),
        "HVP": lambda: func.jvp(slope, (x,), (v,))[1],
        "Hessian": lambda: curvature(x),
    }


def by_hand() -> Jobs:
    x, v = start()

    def jvp():
        here, there = x[:-1], x[1:]
        miss = there - here * here
        tangent = 200 * miss * (v[1:] - 2 * here * v[:-1]) - 2 * (1 - here) * v[:-1]
        return (100 * miss**2 + (1 - here) ** 2).sum(), tangent.sum()

    def bands():
        """The Hessian's diagonal and what is beside it."""
        here, there = x[:-1], x[1:]
        diagonal = np.zeros(SIZE)
        diagonal[:-1] = 1200 * here * here - 400 * there + 2
        diagonal[1:] += 200
        return diagonal, -400 * here

    def hvp():
        diagonal, beside = bands()
        product = diagonal * v
        product[:-1] += beside * v[1:]
        product[1:] += beside * v[:-1]
        return product

    def hessian():
        diagonal, beside = bands()
        return np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1)

    return {"jvp": jvp, "HVP": hvp, "Hessian": hessian}


def with_autograd() -> Jobs:
    import autograd

    x, v = start()
    push = autograd.make_jvp(rosenbrock)
    times = autograd.make_hvp(rosenbrock)
    curvature = autograd.hessian(rosenbrock)
    return {
        "jvp": lambda: push(x)(v),
        "HVP": lambda: times(x)[0](v),
        "Hessian": lambda: curvature(x),
    }


def contenders() -> dict[str, Jobs]:
    """Everyone's jobs. MyGrad has no second derivatives."""
    found = {"NumPy": by_hand()}
    found |= {name: on_tape(module) for name, module in tapes().items()}
    if has("autograd"):
        found["HIPS autograd"] = with_autograd()
    return found


def compete(job: str, everyone: dict[str, Jobs], effort: Effort) -> Race:
    """Race for one job."""
    return race(
        f"W5 Rosenbrock of {SIZE} numbers, float64: {TITLES[job]}",
        [Contender(name, jobs[job]) for name, jobs in everyone.items()],
        effort=effort,
        unit="µs",
        tolerance=1e-10,
    )


def measure(effort: Effort) -> Outcome:
    outcome = Outcome()
    everyone = contenders()
    for job in TITLES:
        result = compete(job, everyone, effort)
        outcome.timings.extend(result.timings())
        outcome.measures[f"W5 {job} / torch"] = result.ratio("glassgrad", "torch")
    return outcome
