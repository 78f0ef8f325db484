"""Chapter 1, why gradients: slopes by nudging, the size of a nudge, a line that is fitted."""

import math

from glassgrad.autograd import grad
from glassgrad.course.task import Mistake, Task, call
from glassgrad.ops.creation import tensor
from glassgrad.values.dtypes import float64

# Slopes of functions that nobody can look into ---------------------------------------------------


def _triple(a: float) -> float:
    return 3 * a


def _square(a: float) -> float:
    return a * a


def _product(a: float, b: float) -> float:
    return a * b


def _mixed(a: float, b: float, c: float) -> float:
    return a * a - 2 * b + math.sin(c)


def _to_one_side(f, inputs, h=1e-5):
    return [
        (f(*inputs[:place], inputs[place] + h, *inputs[place + 1 :]) - f(*inputs)) / h
        for place in range(len(inputs))
    ]


def _all_at_once(f, inputs, h=1e-5):
    rise = f(*[value + h for value in inputs]) - f(*[value - h for value in inputs])
    return [rise / (2 * h)] * len(inputs)


def _without_brackets(f, inputs, h=1e-5):
    def at(place, value):
        return f(*inputs[:place], value, *inputs[place + 1 :])

    return [(at(k, x + h) - at(k, x - h)) / 2 * h for k, x in enumerate(inputs)]


SLOPES = Task(
    "01.slopes",
    "the slopes of hidden functions",
    stub='''
def slopes(f, inputs, h=1e-5):
    """The slope of f(*inputs) along each of its inputs: a list with one number for each."""
    ...  # your code
''',
    cases=[
        call(_triple, [2.0], expects=[3.0], given="slopes(f, [2.0]) of f(a) = 3·a"),
        call(_square, [3.0], 0.5, expects=[6.0], given="slopes(f, [3.0], h=0.5) of f(a) = a·a"),
        call(_product, [3.0, 2.0], expects=[2.0, 3.0], given="slopes(f, [3.0, 2.0]) of f = a·b"),
        call(
            _mixed,
            [1.0, 5.0, 0.0],
            expects=[2.0, -2.0, 1.0],
            given="slopes(f, [1.0, 5.0, 0.0]) of f = a·a − 2·b + sin(c)",
        ),
    ],
    mistakes=[
        Mistake(
            _to_one_side,
            "You look to one side only, and find the slope of a point between a and a + h. With a "
            "large h that shows. Go as far to the left as to the right.",
        ),
        Mistake(
            _all_at_once,
            "All inputs were nudged together, so all slopes come out as one. Nudge one at a time.",
        ),
        Mistake(
            _without_brackets,
            "Python goes from left to right: `a / 2 * h` is half of a, times h.",
        ),
    ],
    read="gradcheck in src/glassgrad/autograd/gradcheck.py: so our own rules are tested.",
)

# How large a nudge -------------------------------------------------------------------------------

STEPS = (1.0, 1e-2, 1e-5, 1e-9, 1e-14)


def _smallest(f, x, exact, steps):
    return min(steps)


def _error_itself(f, x, exact, steps):
    return min(abs((f(x + h) - f(x - h)) / (2 * h) - exact) for h in steps)


def _best_to_one_side(f, x, exact, steps):
    return min(steps, key=lambda h: abs((f(x + h) - f(x)) / h - exact))


def _smallest_signed_error(f, x, exact, steps):
    return min(steps, key=lambda h: (f(x + h) - f(x - h)) / (2 * h) - exact)


BEST_H = Task(
    "01.best-h",
    "which h is best",
    stub='''
def best_h(f, x, exact, steps):
    """Of the given steps, the h whose slope at x comes closest to the exact one."""
    ...  # your code
''',
    cases=[
        call(_triple, 0.5, 3.0, (1.0, 0.3), expects=1.0, given="best_h of 3·t at 0.5, h 1 or 0.3"),
        call(math.exp, 0.0, 1.0, STEPS[:3], expects=1e-5, given="best_h of exp at 0, h ≥ 1e-5"),
        call(math.exp, 1.0, math.e, STEPS, expects=1e-5, given="best_h of exp at 1, all five h"),
        call(math.sin, 3.0, math.cos(3.0), STEPS, expects=1e-5, given="best_h of sin at 3"),
    ],
    mistakes=[
        Mistake(
            _smallest,
            "The smallest h is not the best: two numbers that are almost equal are subtracted, "
            "and few of their digits are left. Measure the error of each h.",
        ),
        Mistake(
            _smallest_signed_error,
            "An error of −1 is smaller than one of 0.001, and worse. Compare sizes.",
        ),
        Mistake(
            _error_itself,
            "That is the smallest error itself. Which of the steps has it?",
        ),
        Mistake(
            _best_to_one_side,
            "You look to one side only. Of the central slope another h is the best.",
        ),
    ],
    read="the question about h at the top of src/glassgrad/autograd/gradcheck.py.",
)

# A line that is fitted ---------------------------------------------------------------------------


def _fitted(xs, ys, steps, lr):
    x, y = tensor(xs, dtype=float64), tensor(ys, dtype=float64)
    w, b = (tensor(0.0, dtype=float64, requires_grad=True) for _ in range(2))
    for _ in range(steps):
        error = w * x + b - y
        slopes = grad((error * error).mean(), (w, b))
        w, b = ((old - lr * slope).detach() for old, slope in zip((w, b), slopes, strict=True))
        w.requires_grad_()
        b.requires_grad_()
    return w.item(), b.item()


def _one_after_the_other(xs, ys, steps, lr):
    w = b = 0.0
    for _ in range(steps):
        w -= lr * sum(2 * (w * x + b - y) * x for x, y in zip(xs, ys, strict=True)) / len(xs)
        b -= lr * sum(2 * (w * x + b - y) for x, y in zip(xs, ys, strict=True)) / len(xs)
    return w, b


FIT = Task(
    "01.fit",
    "a line, fitted by its slopes",
    stub='''
def fit(xs, ys, steps, lr):
    """(w, b) of the line w·x + b, after so many steps down the slopes of the mean squared error.

    It begins at w = 0, b = 0. A step subtracts lr times the slope from each of the two.
    """
    ...  # your code
''',
    right=_fitted,
    cases=[
        call([1.0], [1.0], 0, 0.1),
        call([1.0], [2.0], 1, 0.1),
        call([2.0], [3.0], 2, 0.1),
        call([0.0, 1.0, 2.0], [1.0, 3.0, 5.0], 1, 0.1),
        call([0.0, 1.0, 2.0], [1.0, 3.0, 5.0], 200, 0.1),
    ],
    mistakes=[
        Mistake(
            _one_after_the_other,
            "b took its step on a line whose w had moved already. Both slopes belong to the same "
            "line: find both, then move both.",
        ),
    ],
    read="the rule of `mse_loss` in src/glassgrad/ops/losses.py; SGD in src/glassgrad/optim/.",
)
