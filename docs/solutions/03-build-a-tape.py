"""Chapter 3: an answer to each task, and three typical wrong ones with words of their hints."""

# 03.order ----------------------------------------------------------------------------------------

prediction = [
    "SinBackward0",
    "AddBackward0",
    "MulBackward0",  # newer than the exponential
    "AccumulateGrad",  # of b, which only the product feeds
    "ExpBackward0",
    "AccumulateGrad",  # of a, which had to wait for the exponential
]

oldest_first = prediction[::-1]
without_leaves = ["SinBackward0", "AddBackward0", "MulBackward0", "ExpBackward0"]
leaves_last = [*without_leaves[:2], "ExpBackward0", "MulBackward0"] + ["AccumulateGrad"] * 2

# 03.diamond --------------------------------------------------------------------------------------


def backward(result):
    uses = {}  # how many parts each value will be handed
    values, seen = [result], {id(result)}
    for value in values:
        for parent in value.parents:
            uses[id(parent)] = uses.get(id(parent), 0) + 1
            if id(parent) not in seen:
                seen.add(id(parent))
                values.append(parent)

    result.grad = 1.0
    ready = [result]
    while ready:
        value = ready.pop()
        for parent, slope in zip(value.parents, value.slopes, strict=True):
            parent.grad += value.grad * slope
            uses[id(parent)] -= 1
            if uses[id(parent)] == 0:
                ready.append(parent)


def backward_at_once(result, part=1.0):
    result.grad += part
    for parent, slope in zip(result.parents, result.slopes, strict=True):
        backward_at_once(parent, part * slope)


def backward_overwriting(result):
    result.grad = 1.0
    values = [result]
    for value in values:
        for parent, slope in zip(value.parents, value.slopes, strict=True):
            parent.grad = value.grad * slope
            values.append(parent)


def backward_from_nothing(result):
    values = [result]
    for value in values:
        for parent, slope in zip(value.parents, value.slopes, strict=True):
            parent.grad += value.grad * slope
            values.append(parent)


# 03.deep -----------------------------------------------------------------------------------------


def order(result):
    uses = {id(result): 0}
    values = [result]
    for value in values:
        for parent in value.parents:
            if id(parent) not in uses:
                uses[id(parent)] = 0
                values.append(parent)
            uses[id(parent)] += 1

    ordered, ready = [], [result]
    while ready:
        value = ready.pop()
        ordered.append(value)
        for parent in value.parents:
            uses[id(parent)] -= 1
            if uses[id(parent)] == 0:
                ready.append(parent)
    return ordered


def order_by_recursion(result):
    ordered, seen = [], set()

    def visit(value):
        if id(value) not in seen:
            seen.add(id(value))
            for parent in value.parents:
                visit(parent)
            ordered.append(value)

    visit(result)
    return ordered[::-1]


def order_by_distance(result):
    ordered, seen = [result], {id(result)}
    for value in ordered:
        for parent in value.parents:
            if id(parent) not in seen:
                seen.add(id(parent))
                ordered.append(parent)
    return ordered


def order_with_repeats(result):
    ordered = [result]
    for value in ordered:
        ordered += value.parents
    return ordered


WRONG = {
    "03.order": [
        (oldest_first, "opposite order"),
        (without_leaves, "There should be 6; there are 4"),
        (leaves_last, "Which is newer, the product or the exponential?"),
    ],
    "03.diamond": [
        (backward_at_once, "visited more than 20 times"),
        (backward_overwriting, "one of 2 paths"),
        (backward_from_nothing, "It is zero"),
    ],
    "03.deep": [
        (order_by_recursion, "Can a loop do the same?"),
        (order_by_distance, "which was computed from it and has yet to hand it a part"),
        (order_with_repeats, "in the list more than once"),
    ],
}
