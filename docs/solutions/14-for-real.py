"""Chapter 14: an answer to each task, and three typical wrong ones with words of their hints."""

import math

# 14.by-eye ---------------------------------------------------------------------------------------

causes = [
    "no-gradient",  # `hidden` does not move, and nothing arrives there
    "exploding",  # every pass starts clean, and the loss is fifty times what it was
    "not-in-optimizer",  # `hidden` does not move, though its gradient is there
    "grads-not-cleared",  # a gradient is there before the pass
]

frozen_layers_swapped = ["not-in-optimizer", "exploding", "no-gradient", "grads-not-cleared"]
high_losses_swapped = ["no-gradient", "grads-not-cleared", "not-in-optimizer", "exploding"]
both_swapped = ["not-in-optimizer", "grads-not-cleared", "no-gradient", "exploding"]

# 14.stuck ----------------------------------------------------------------------------------------


def stuck(record):
    found = {}
    for name, moves in record["moved"].items():
        if not any(moves):
            arrived = any(record["after"][name])
            found[name] = "not-in-optimizer" if arrived else "no-gradient"
    return found


def stuck_by_movement(record):
    return {name: "not-in-optimizer" for name, moves in record["moved"].items() if sum(moves) == 0}


def stuck_by_the_first_step(record):
    found = {}
    for name, moves in record["moved"].items():
        if moves[0] == 0:
            found[name] = "no-gradient" if record["after"][name][0] == 0 else "not-in-optimizer"
    return found


def stuck_by_gradient(record):
    return {name: "no-gradient" for name, norms in record["after"].items() if max(norms) == 0}


# 14.diagnose -------------------------------------------------------------------------------------


def diagnose(record):
    if any(any(norms) for norms in record["before"].values()):
        return "grads-not-cleared"
    for name, moves in record["moved"].items():
        if not any(moves):
            return "not-in-optimizer" if any(record["after"][name]) else "no-gradient"
    first, last = record["loss"][0], record["loss"][-1]
    return "exploding" if last > first or not math.isfinite(last) else "fine"


def diagnose_loss_first(record):
    first, last = record["loss"][0], record["loss"][-1]
    if last > first or not math.isfinite(last):
        return "exploding"
    return diagnose(record)


def diagnose_deaf_to_nan(record):
    told = diagnose(record)
    if told == "exploding" and not record["loss"][-1] > record["loss"][0]:
        return "fine"
    return told


def diagnose_by_the_highest(record):
    told = diagnose(record)
    rises = max(record["loss"]) > record["loss"][0]
    return "exploding" if told == "fine" and rises else told


WRONG = {
    "14.by-eye": [
        (frozen_layers_swapped, "look at the middle column"),
        (high_losses_swapped, "look at the first column"),
        (both_swapped, "You have found the pairs"),
    ],
    "14.stuck": [
        (stuck_by_movement, "Nobody can move what gets no gradient"),
        (stuck_by_the_first_step, "You judge by one step"),
        (stuck_by_gradient, "and that nobody moves"),
    ],
    "14.diagnose": [
        (diagnose_loss_first, "You look at the loss first"),
        (diagnose_deaf_to_nan, "no comparison with nan is true"),
        (diagnose_by_the_highest, "You judge by the highest loss"),
    ],
}
