"""Chapter 2: an answer to each task, and three typical wrong ones with words of their hints."""

import math

# 02.edges ----------------------------------------------------------------------------------------

edges = {
    "a → u": 7,  # b
    "b → u": 8,  # a
    "b → v": 1,
    "c → v": -1,
    "u → w": 0.25,  # 1/v
    "v → w": -3.5,  # −u/v²
    "v → s": 8,  # 2·v
    "w → p": 16,  # s
    "s → p": 14,  # w
    "p → loss": 0.1,
}

edges_own_factor = edges | {"a → u": 8, "b → u": 7, "w → p": 14, "s → p": 16}
edges_sign_forgotten = edges | {"c → v": 1, "v → w": 3.5}
edges_value_of_the_box = edges | {"v → s": 16}
edges_in_part = edges | {"u → w": 4, "v → w": ...}

# 02.paths ----------------------------------------------------------------------------------------


def total(edges, start, end):
    if start == end:
        return 1.0
    parts = [factor * total(edges, to, end) for at, to, factor in edges if at == start]
    return sum(parts, 0.0)


def total_of_the_first_path(edges, start, end):
    product = 1.0
    while start != end:
        leaving = [edge for edge in edges if edge[0] == start]
        if not leaving:
            return 0.0
        _, start, factor = leaving[0]
        product *= factor
    return product


def total_of_all_edges(edges, start, end):
    return math.prod(factor for _, _, factor in edges)


def total_added_along(edges, start, end):
    if start == end:
        return 0.0
    return sum(f + total_added_along(edges, to, end) for at, to, f in edges if at == start)


def total_in_a_dictionary(edges, start, end):
    once = {(at, to): factor for at, to, factor in edges}  # a second edge overwrites the first
    return total([(at, to, factor) for (at, to), factor in once.items()], start, end)


def total_ends_at_zero(edges, start, end):
    return sum(f * total_ends_at_zero(edges, to, end) for at, to, f in edges if at == start)


# 02.neuron ---------------------------------------------------------------------------------------


def neuron_slopes(w, x, b, target):
    y = math.tanh(w * x + b)
    into_error = 2 * (y - target)  # of the square
    into_sum = into_error * 1 * (1 - y * y)  # of y − target, then of tanh
    return into_sum * x, into_sum * w, into_sum


def neuron_without_the_two(w, x, b, target):
    return tuple(slope / 2 for slope in neuron_slopes(w, x, b, target))


def neuron_without_tanh(w, x, b, target):
    error = math.tanh(w * x + b) - target
    return 2 * error * x, 2 * error * w, 2 * error


def neuron_tanh_at_the_sum(w, x, b, target):
    z = w * x + b
    into_sum = 2 * (math.tanh(z) - target) * (1 - z * z)
    return into_sum * x, into_sum * w, into_sum


def neuron_swapped(w, x, b, target):
    dw, dx, db = neuron_slopes(w, x, b, target)
    return dx, dw, db


WRONG = {
    "02.edges": [
        (edges_own_factor, "what a is multiplied by"),
        (edges_sign_forgotten, "right size, and the wrong sign"),
        (edges_value_of_the_box, "the number in the box s"),
        (edges_in_part, "To divide by 4"),
    ],
    "02.paths": [
        (total_of_the_first_path, "one of 2 paths"),
        (total_of_all_edges, "All edges were multiplied"),
        (total_added_along, "The factors of one path were added"),
        (total_in_a_dictionary, "one of 2 paths"),
        (total_ends_at_zero, "It is zero"),
    ],
    "02.neuron": [
        (neuron_without_the_two, "half of what it should be"),
        (neuron_without_tanh, "leads through the box tanh"),
        (neuron_tanh_at_the_sum, "what comes out of that box"),
        (neuron_swapped, "have changed places"),
    ],
}
