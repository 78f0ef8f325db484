"""Chapter 14, for real: four broken trainings, told apart by their records.

A record is what a student may see of a training: the loss, and three norms for each parameter at
each step. How the four below are broken, the chapter does not say.
"""

import math
from functools import cache
from typing import Any

from glassgrad.core.tensor import Tensor
from glassgrad.course.task import Case, Mistake, Task, call, value
from glassgrad.data import load_digits
from glassgrad.nn.activations import ReLU
from glassgrad.nn.functional import cross_entropy
from glassgrad.nn.layers import Linear
from glassgrad.ops.generator import manual_seed
from glassgrad.optim import SGD

Record = dict[str, Any]

FINE, NOT_CLEARED, EXPLODING = "fine", "grads-not-cleared", "exploding"
NO_GRADIENT, NOT_IN_OPTIMIZER = "no-gradient", "not-in-optimizer"
BATCH = 50

# Trainings that are broken -----------------------------------------------------------------------


def broken_trainings() -> dict[str, Record]:
    """The records of the four trainings of the chapter, "A" to "D".

    A record has "loss", a list with a number for each step, and "before", "after" and "moved":
    for each parameter, by its name, a list of norms. "before" is that of its `.grad` right before
    the backward pass, "after" right behind it (0 where there is none), and "moved" how far the
    optimiser has moved it then.
    """
    causes = (NO_GRADIENT, EXPLODING, NOT_IN_OPTIMIZER, NOT_CLEARED)
    return dict(zip("ABCD", map(_training, causes), strict=True))


@cache
def _training(cause: str, seed: int = 0, steps: int = 60) -> Record:
    """The record of a small network that learns digits, and is broken in this way."""
    manual_seed(seed)
    images, labels = load_digits()
    hidden, relu, out = Linear(64, 16), ReLU(), Linear(16, 10)
    named = {
        f"{layer}.{name}": parameter
        for layer, module in (("hidden", hidden), ("out", out))
        for name, parameter in module.named_parameters()
    }
    learning = out.parameters() if cause == NOT_IN_OPTIMIZER else named.values()
    optimizer = SGD(list(learning), lr=200.0 if cause == EXPLODING else 0.5)
    record: Record = {"loss": []} | {
        what: {name: [] for name in named} for what in ("before", "after", "moved")
    }
    for step in range(steps):
        at = step * BATCH % (len(labels) - BATCH)
        features = relu(hidden(images[at : at + BATCH]))
        features = features.detach() if cause == NO_GRADIENT else features
        loss = cross_entropy(out(features), labels[at : at + BATCH])
        if cause != NOT_CLEARED:
            for parameter in named.values():
                parameter.grad = None
        old = {name: parameter.detach().clone() for name, parameter in named.items()}
        before = {name: _norm(parameter.grad) for name, parameter in named.items()}
        loss.backward()
        optimizer.step()
        record["loss"].append(loss.item())
        for name, parameter in named.items():
            record["before"][name].append(before[name])
            record["after"][name].append(_norm(parameter.grad))
            record["moved"][name].append(_norm(parameter.detach() - old[name]))
    return record


def _norm(x: Tensor | None) -> float:
    return 0.0 if x is None else x.norm().item()


def _made(loss: list[float], **norms: tuple[list[float], list[float], list[float]]) -> Record:
    """A record that is written by hand: of each parameter before, after, moved."""
    rows = {what: {name: each[place] for name, each in norms.items()} for place, what in _WHATS}
    return {"loss": loss} | rows


_WHATS = tuple(enumerate(("before", "after", "moved")))
_NONE = [0.0, 0.0, 0.0]
_LEARNS = (_NONE, [2.0, 1.0, 0.5], [0.2, 0.1, 0.05])
_CUT_OFF = (_NONE, _NONE, _NONE)
_LEFT_OUT = (_NONE, [2.0, 1.0, 0.5], _NONE)
_BEGINS_LATE = (_NONE, [0.0, 1.0, 0.5], [0.0, 0.1, 0.05])
_SUMMED_UP = ([0.0, 2.0, 3.5], [2.0, 3.5, 4.0], [0.2, 0.35, 0.4])
_FALLS, _RISES, _WAVERS = [2.3, 1.9, 1.5], [2.3, 4.0, 9.0], [2.3, 2.9, 1.5]

# Read with your eyes -----------------------------------------------------------------------------

BY_EYE = Task(
    "14.by-eye",
    "what is wrong with A, B, C and D",
    stub="""
causes = ["grads-not-cleared", "?", "?", "?"]  # of A, B, C, D: your code
""",
    cases=[value([NO_GRADIENT, EXPLODING, NOT_IN_OPTIMIZER, NOT_CLEARED], given="your list")],
    mistakes=[
        Mistake(
            [NOT_IN_OPTIMIZER, EXPLODING, NO_GRADIENT, NOT_CLEARED],
            "There are two in which a layer does not move. In one of them a gradient arrives there "
            "all the same: look at the middle column of their maps.",
        ),
        Mistake(
            [NO_GRADIENT, NOT_CLEARED, NOT_IN_OPTIMIZER, EXPLODING],
            "A loss that is high may have several causes. Of the two, only one goes into a pass "
            "with a gradient that is there already: look at the first column.",
        ),
        Mistake(
            [NOT_IN_OPTIMIZER, NOT_CLEARED, NO_GRADIENT, EXPLODING],
            "You have found the pairs: two in which a layer stands still, two in which the loss is "
            "too high. Within each pair it is the other way around: look at the first column for "
            "one pair, at the middle one for the other.",
        ),
    ],
    read="the same four in src/glassgrad/doctor/steps.py, a class for each.",
)

# Who does not learn, and why ---------------------------------------------------------------------


def _stands_still(record: Record, name: str) -> bool:
    return not any(record["moved"][name])


def _by_movement_alone(record: Record) -> dict[str, str]:
    return {name: NOT_IN_OPTIMIZER for name in record["moved"] if _stands_still(record, name)}


def _by_one_step(record: Record) -> dict[str, str]:
    moved, after = record["moved"], record["after"]
    return {
        name: NO_GRADIENT if after[name][0] == 0 else NOT_IN_OPTIMIZER
        for name in moved
        if moved[name][0] == 0
    }


def _by_gradient_alone(record: Record) -> dict[str, str]:
    return {name: NO_GRADIENT for name, norms in record["after"].items() if not any(norms)}


STUCK = Task(
    "14.stuck",
    "which parameters do not learn, and why",
    stub='''
def stuck(record):
    """The parameters that never move, by name, each with "no-gradient" or "not-in-optimizer"."""
    ...  # your code
''',
    cases=[
        call(_made(_FALLS, w=_LEARNS), expects={}, given="stuck of a w that learns"),
        call(_made(_FALLS, w=_CUT_OFF), expects={"w": NO_GRADIENT}, given="stuck of a w cut off"),
        call(
            _made(_FALLS, w=_LEARNS, b=_LEFT_OUT),
            expects={"b": NOT_IN_OPTIMIZER},
            given="stuck of a b that is left out",
        ),
        call(
            _made(_FALLS, w=_BEGINS_LATE, b=_CUT_OFF),
            expects={"b": NO_GRADIENT},
            given="stuck of a w that begins with the second step, and a b cut off",
        ),
        Case(
            "stuck of A",
            lambda stuck: stuck(_training(NO_GRADIENT)),
            {"hidden.weight": NO_GRADIENT, "hidden.bias": NO_GRADIENT},
        ),
        Case(
            "stuck of C",
            lambda stuck: stuck(_training(NOT_IN_OPTIMIZER)),
            {"hidden.weight": NOT_IN_OPTIMIZER, "hidden.bias": NOT_IN_OPTIMIZER},
        ),
    ],
    mistakes=[
        Mistake(
            _by_movement_alone,
            "You look at what moves, and say the same of all that does not. Nobody can move what "
            "gets no gradient: is there one, `after` the pass?",
        ),
        Mistake(
            _by_one_step,
            "You judge by one step. A parameter may stand still in it for a good reason, and learn "
            "later: one that is stuck never moves.",
        ),
        Mistake(
            _by_gradient_alone,
            "You find those without a gradient. A parameter that gets one, and that nobody moves, "
            "does not learn either.",
        ),
    ],
    read="class NoGradient and class NotInOptimizer in src/glassgrad/doctor/steps.py.",
)

# Any record --------------------------------------------------------------------------------------


def _by_the_loss_first(record: Record) -> str:
    loss = record["loss"]
    if not loss[-1] <= loss[0]:
        return EXPLODING
    return _by_the_rest(record)


def _by_the_rest(record: Record) -> str:
    if any(map(any, record["before"].values())):
        return NOT_CLEARED
    found = [name for name in record["moved"] if _stands_still(record, name)]
    if not found:
        return FINE
    return NOT_IN_OPTIMIZER if any(any(record["after"][name]) for name in found) else NO_GRADIENT


def _deaf_to_nan(record: Record) -> str:
    told = _by_the_rest(record)
    return EXPLODING if told == FINE and record["loss"][-1] > record["loss"][0] else told


def _by_the_highest(record: Record) -> str:
    told, loss = _by_the_rest(record), record["loss"]
    is_high = max(loss) > loss[0] or math.isnan(loss[-1])
    return EXPLODING if told == FINE and is_high else told


DIAGNOSE = Task(
    "14.diagnose",
    "what is wrong with any training",
    stub='''
def diagnose(record):
    """What is wrong: "grads-not-cleared", "no-gradient", "not-in-optimizer", "exploding", "fine".

    It is exploding if nothing else is wrong, and the last loss is above the first, or no number.
    """
    ...  # your code
''',
    cases=[
        call(_made(_FALLS, w=_LEARNS), expects=FINE, given="diagnose of a w that learns"),
        call(_made(_RISES, w=_LEARNS), expects=EXPLODING, given="diagnose of a loss that rises"),
        call(
            _made([2.3, math.nan, math.nan], w=_LEARNS),
            expects=EXPLODING,
            given="diagnose of a loss that is nan",
        ),
        call(
            _made(_WAVERS, w=_LEARNS),
            expects=FINE,
            given="diagnose of a loss that rises once, and falls",
        ),
        call(
            _made(_RISES, w=_SUMMED_UP),
            expects=NOT_CLEARED,
            given="diagnose of gradients that are never cleared",
        ),
        call(
            _made(_FALLS, w=_LEARNS, b=_CUT_OFF), expects=NO_GRADIENT, given="diagnose of b cut off"
        ),
        *(
            Case(
                f"diagnose of a training of digits, number {seed}",
                lambda diagnose, cause=cause, seed=seed: diagnose(_training(cause, seed, 12)),
                cause,
            )
            for seed, cause in enumerate(
                (NOT_IN_OPTIMIZER, FINE, NO_GRADIENT, EXPLODING, NOT_CLEARED), start=1
            )
        ),
    ],
    mistakes=[
        Mistake(
            _by_the_loss_first,
            "You look at the loss first. A loss that rises is a symptom, and gradients that are "
            "never cleared have it, too: look for causes before.",
        ),
        Mistake(
            _deaf_to_nan,
            "A loss of nan is not above the first one: no comparison with nan is true. Ask whether "
            "the loss is still a number.",
        ),
        Mistake(
            _by_the_highest,
            "You judge by the highest loss. A loss may rise for a step, and fall again.",
        ),
    ],
    read="class NotCleared and class Norms in src/glassgrad/doctor/steps.py.",
)
