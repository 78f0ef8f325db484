"""Chapter 12: an answer to each task, and typical wrong ones with words of their hints."""

import glassgrad as gg

# 12.rules ----------------------------------------------------------------------------------------


class Rules:
    @staticmethod
    def div(x, y, dx, dy):
        return dx / y - x * dy / (y * y)

    @staticmethod
    def tanh(x, dx):
        y = x.tanh()
        return (1 - y * y) * dx

    @staticmethod
    def matmul(x, y, dx, dy):
        return dx @ y + x @ dy  # as that of a product, but the order matters


class RulesNotSquared(Rules):
    @staticmethod
    def div(x, y, dx, dy):
        return dx / y - x * dy / y


class RulesWithPlus(Rules):
    @staticmethod
    def div(x, y, dx, dy):
        return dx / y + x * dy / (y * y)


class RulesAtTheInput(Rules):
    @staticmethod
    def tanh(x, dx):
        return (1 - x**2) * dx


class RulesWithoutTangent(Rules):
    @staticmethod
    def tanh(x, dx):
        return 1 - x.tanh() ** 2


class RulesOfTangentsOnly(Rules):
    @staticmethod
    def matmul(x, y, dx, dy):
        return dx @ dy


class RulesThatDropOne(Rules):
    @staticmethod
    def matmul(x, y, dx, dy):
        return dx @ y


class RulesInTheOtherOrder(Rules):
    @staticmethod
    def matmul(x, y, dx, dy):
        return dx @ y + dy @ x


# 12.agree ----------------------------------------------------------------------------------------


def agree(push, pull, x, y):
    u, v = gg.randn_like(x), gg.randn_like(y)
    forward, backward = (v * push(u)).sum(), (pull(v) * u).sum()
    size = v.norm() * push(u).norm()  # what rounding grows with
    return bool((forward - backward).abs() <= 1e-9 * size)


def agree_with_ones(push, pull, x, y):
    u, v = gg.ones_like(x), gg.ones_like(y)
    return bool(gg.isclose((v * push(u)).sum(), (pull(v) * u).sum()))


def agree_to_the_last_digit(push, pull, x, y):
    u, v = gg.randn_like(x), gg.randn_like(y)
    return bool((v * push(u)).sum() == (pull(v) * u).sum())


def agree_in_size(push, pull, x, y):
    u, v = gg.randn_like(x), gg.randn_like(y)
    return bool(gg.isclose((v * push(u)).sum().abs(), (pull(v) * u).sum().abs()))


# 12.jacobian -------------------------------------------------------------------------------------


def jacobian(f, x):
    columns = []
    for place in range(len(x)):
        u = gg.zeros_like(x)
        u[place] = 1.0
        _, column = gg.func.jvp(f, (x,), (u,))
        columns.append(column)
    return gg.stack(columns, dim=1)


def jacobian_by_rows(f, x):
    return gg.stack([gg.func.jvp(f, (x,), (u,))[1] for u in gg.eye(len(x))])


def jacobian_in_all_directions(f, x):
    return gg.func.jvp(f, (x,), (gg.ones_like(x),))[1]


def jacobian_of_values(f, x):
    return gg.stack([gg.func.jvp(f, (x,), (u,))[0] for u in gg.eye(len(x))], dim=1)


def jacobian_as_a_list(f, x):
    return [gg.func.jvp(f, (x,), (u,))[1] for u in gg.eye(len(x))]


WRONG = {
    "12.rules": [
        (RulesNotSquared, "Try y = 2 and y = 20 by hand"),
        (RulesWithPlus, "its sign is wrong"),
        (RulesAtTheInput, "here stands x in its place"),
        (RulesWithoutTangent, "depends on dx, too"),
        (RulesOfTangentsOnly, "If only x moves"),
        (RulesThatDropOne, "This is what one of 2 paths brings"),
        (RulesInTheOtherOrder, "dy @ x"),
    ],
    "12.agree": [
        (agree_with_ones, "with vectors of ones both products are 10"),
        (agree_to_the_last_digit, "rounded otherwise"),
        (agree_in_size, "a sign is lost"),
    ],
    "12.jacobian": [
        (jacobian_by_rows, "It is the transpose of what is wanted"),
        (jacobian_in_all_directions, "the columns come out added up"),
        (jacobian_of_values, "Which of them is J·u?"),
        (jacobian_as_a_list, "It is a list, and a tensor is wanted"),
    ],
}
