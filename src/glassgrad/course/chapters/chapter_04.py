"""Chapter 4, a network that learns: a new step on the tape, a loop to mend, digits by heart."""

import math

from glassgrad.autograd import no_grad
from glassgrad.core.tensor import Tensor
from glassgrad.course.task import Case, Mistake, Task, kind
from glassgrad.data import load_digits
from glassgrad.nn import Linear, Module
from glassgrad.nn.functional import cross_entropy
from glassgrad.ops.creation import tensor
from glassgrad.ops.random import randperm
from glassgrad.values.dtypes import float64

# A step for the tape -----------------------------------------------------------------------------


class _Value:
    """A number that knows its parents, and the slopes along them."""

    def __init__(self, data, parents=(), slopes=()):
        self.data, self.parents, self.slopes = data, parents, slopes

    def __repr__(self):
        return f"Value({self.data:.4g})"


def _slope_along(value, leaf):
    """How much a value changes with a leaf, over all paths."""
    if value is leaf:
        return 1.0
    pairs = zip(value.parents, value.slopes, strict=True)
    return sum(slope * _slope_along(parent, leaf) for parent, slope in pairs)


def _at(start, program):
    """Data and slope of what a program makes of a leaf with an answer."""

    def run(answer):
        u = _Value(start)
        made = program(answer, u)
        return (made.data, float(_slope_along(made, u)))

    return run


def _no_value(made):
    is_one = hasattr(made, "slopes")  # of any class
    return None if is_one else f"it returns {kind(made)}, and should return a Value."


def _once(exp, u):
    return exp(u)


def _twice(exp, u):
    return exp(exp(u))


def _times_itself(exp, u):
    v = exp(u)
    return _Value(u.data * v.data, (u, v), (v.data, u.data))


def _by_the_rule_of_powers(u):
    return _Value(math.exp(u.data), (u,), (u.data * math.exp(u.data - 1),))


def _slope_one(u):
    return _Value(math.exp(u.data), (u,), (1.0,))


_E = math.e

EXP = Task(
    "04.exp",
    "the tape knows exp",
    stub='''
def exp(u):
    """The exponential of a Value, as a Value: type(u)(data, parents, slopes)."""
    ...  # your code
''',
    cases=[
        Case("exp(u)", lambda exp: exp(_Value(0.0)), complains=_no_value),
        Case("(value, slope) of exp(u) at 0", _at(0.0, _once), (1.0, 1.0)),
        Case("(value, slope) of exp(u) at 2", _at(2.0, _once), (_E**2, _E**2)),
        Case("(value, slope) of exp(exp(u)) at 0", _at(0.0, _twice), (_E, _E)),
        Case("(value, slope) of u · exp(u) at 1", _at(1.0, _times_itself), (_E, 2 * _E)),
    ],
    mistakes=[
        Mistake(
            _by_the_rule_of_powers,
            "That is the slope of a power, uⁿ, where u is below and n stays. In eᵘ it is the "
            "exponent that changes. Measure the slope at 0, by a nudge.",
        ),
        Mistake(
            _slope_one,
            "The slope is 1 at 0, and not elsewhere: the larger u, the steeper eᵘ. Measure it at "
            "2, by a nudge, and compare it with the numbers that you have.",
        ),
    ],
    read="ExpBackward0",
)

# A loop to mend ----------------------------------------------------------------------------------


def _trained(parameters, loss_of, steps, lr):
    losses = []
    for _ in range(steps):
        loss = loss_of()
        losses.append(loss.item())
        for parameter in parameters:
            parameter.grad = None
        loss.backward()
        _go(parameters, lr)
    return losses


def _go(parameters, lr):
    with no_grad():
        for parameter in parameters:
            parameter -= lr * parameter.grad


def _all_at_once(parameters, loss_of, steps, lr):
    losses = []
    for _ in range(steps):
        loss = loss_of()
        losses.append(loss.item())
        loss.backward()
        _go(parameters, lr)
    return losses


def _cleared_too_early(parameters, loss_of, steps, lr):
    loss = loss_of()
    return [loss.item()] * steps


def _parameters_cleared(parameters, loss_of, steps, lr):
    losses = []
    for _ in range(steps):
        losses.append(loss_of().item())
        with no_grad():
            for parameter in parameters:
                parameter.zero_()
    return losses


def _told(losses):
    return tuple(losses) if isinstance(losses, list) else losses  # which is put in fewer digits


def _one_number(steps):
    def run(answer):
        w = tensor(0.0, dtype=float64, requires_grad=True)
        return _told(answer([w], lambda: (w - 1) ** 2, steps, 0.1))

    return run


def _two_numbers(answer):
    v, w = (tensor(value, dtype=float64, requires_grad=True) for value in (0.5, 2.0))
    return _told(answer([v, w], lambda: (v * w - 3) ** 2, 4, 0.05))


def _digits(answer):
    images, labels = load_digits()
    model = Linear(64, 10)

    def loss_of():
        return cross_entropy(model(images[:40]), labels[:40])

    return _told(answer(list(model.parameters()), loss_of, 60, 1.0))


ZERO_GRAD = Task(
    "04.zero-grad",
    "a loop whose loss falls",
    stub='''
def train(parameters, loss_of, steps, lr):
    """The loss before each of the steps. There is a bug in it."""
    losses = []
    for _ in range(steps):
        loss = loss_of()
        losses.append(loss.item())
        loss.backward()
        with gg.no_grad():
            for parameter in parameters:
                parameter -= lr * parameter.grad
    return losses
''',
    right=_trained,
    cases=[
        Case("the loss of (w − 1)², from w = 0, for 1 step", _one_number(1)),
        Case("the losses of (w − 1)², from w = 0, for 3 steps", _one_number(3)),
        Case("the losses of (v·w − 3)², from 0.5 and 2, for 4 steps", _two_numbers),
        Case("the losses on forty digits, for 60 steps", _digits),
    ],
    mistakes=[
        Mistake(
            _all_at_once,
            "The first step is right. From the second on, each goes along the sum of all gradients "
            "so far: `backward` adds to what it finds in `.grad`.",
        ),
        Mistake(
            _cleared_too_early,
            "The parameters never move: at the moment of the step, `.grad` holds zeros. In which "
            "order do backward, the step and the clearing come?",
        ),
        Mistake(
            _parameters_cleared,
            "After each step the parameters are back at zero, and what they had learned is gone. "
            "Which numbers of a parameter are those that a new step should not find?",
        ),
    ],
    read="`zero_grad` in src/glassgrad/optim/optimizer.py.",
    rtol=1e-3,
)

# Digits by heart ---------------------------------------------------------------------------------


def _by_heart(count, *, shuffled):
    def run(overfit):
        images, labels = load_digits()
        images, labels = images[:count], labels[:count]
        if shuffled:
            labels = labels[randperm(count)]
        model = overfit(images.clone(), labels.clone())
        return model, images, labels

    return run


def _known(trial):
    """What is wrong with a model that should know its images by heart."""
    model, images, labels = trial
    if not isinstance(model, Module):
        return f"it returns {kind(model)}, and should return the model."
    with no_grad():
        scores = model(images)
        if not isinstance(scores, Tensor) or scores.shape != (len(labels), 10):
            return "the model should give ten scores for each image."
        loss = cross_entropy(scores, labels).item()
        right = int((scores.argmax(1) == labels).sum().item())
    told = f"{right} of {len(labels)} are right, and the loss is {loss:.3g}."
    if right == len(labels):
        return None
    if math.isnan(loss) or loss > 10:
        return f"{told} That is worse than guessing: how far does a single step go?"
    if loss > 2.1:
        return f"{told} Guessing has a loss of 2.3. Do the parameters move at all? Print some."
    return (
        f"{told} It has begun to learn them, and something holds it back. Plot its losses: do they "
        "still fall, or is there no room in it for more?"
    )


OVERFIT = Task(
    "04.overfit",
    "a network that knows its digits by heart",
    stub='''
def overfit(images, labels):
    """A model that is right about each of these images, whatever their labels."""
    model = gg.nn.Sequential(gg.nn.Linear(64, 2), gg.nn.ReLU(), gg.nn.Linear(2, 10))
    ...  # your code
    return model
''',
    cases=[
        Case("your model of 10 digits", _by_heart(10, shuffled=False), complains=_known),
        Case(
            "your model of 40 digits, labels shuffled",
            _by_heart(40, shuffled=True),
            complains=_known,
        ),
    ],
    read="SGD in src/glassgrad/optim/sgd.py: one step of your loop is its method `step`.",
)
