"""Chapter 4: an answer to each task, and three typical wrong ones with words of their hints."""

import math

import glassgrad as gg

# 04.exp ------------------------------------------------------------------------------------------


def exp(u):
    value = math.exp(u.data)
    return type(u)(value, (u,), (value,))  # the slope of exp is exp: no second one is computed


def exp_by_the_rule_of_powers(u):
    return type(u)(math.exp(u.data), (u,), (u.data * math.exp(u.data - 1),))


def exp_with_slope_one(u):
    return type(u)(math.exp(u.data), (u,), (1.0,))


def exp_of_a_number(u):
    return math.exp(u.data)


def exp_without_parents(u):
    return type(u)(math.exp(u.data))


# 04.zero-grad ------------------------------------------------------------------------------------


def train(parameters, loss_of, steps, lr):
    losses = []
    for _ in range(steps):
        loss = loss_of()
        losses.append(loss.item())
        for parameter in parameters:
            parameter.grad = None  # what the last step left
        loss.backward()
        with gg.no_grad():
            for parameter in parameters:
                parameter -= lr * parameter.grad
    return losses


def train_cleared_once(parameters, loss_of, steps, lr):
    for parameter in parameters:
        parameter.grad = None
    losses = []
    for _ in range(steps):
        loss = loss_of()
        losses.append(loss.item())
        loss.backward()
        with gg.no_grad():
            for parameter in parameters:
                parameter -= lr * parameter.grad
    return losses


def train_cleared_too_early(parameters, loss_of, steps, lr):
    losses = []
    for _ in range(steps):
        loss = loss_of()
        losses.append(loss.item())
        loss.backward()
        for parameter in parameters:
            parameter.grad = gg.zeros_like(parameter)
        with gg.no_grad():
            for parameter in parameters:
                parameter -= lr * parameter.grad
    return losses


def train_none_too_early(parameters, loss_of, steps, lr):
    losses = []
    for _ in range(steps):
        loss = loss_of()
        losses.append(loss.item())
        loss.backward()
        for parameter in parameters:
            parameter.grad = None
            with gg.no_grad():
                parameter -= lr * parameter.grad
    return losses


def train_parameters_cleared(parameters, loss_of, steps, lr):
    losses = []
    for _ in range(steps):
        loss = loss_of()
        losses.append(loss.item())
        loss.backward()
        with gg.no_grad():
            for parameter in parameters:
                parameter -= lr * parameter.grad
                parameter.zero_()
    return losses


# 04.overfit --------------------------------------------------------------------------------------


def overfit(images, labels):
    model = gg.nn.Sequential(gg.nn.Linear(64, 64), gg.nn.ReLU(), gg.nn.Linear(64, 10))
    for _ in range(300):
        loss = gg.nn.functional.cross_entropy(model(images), labels)
        model.zero_grad()
        loss.backward()
        with gg.no_grad():
            for parameter in model.parameters():
                parameter -= 0.5 * parameter.grad
    return model


def overfit_in_ten_steps(images, labels):
    model = gg.nn.Sequential(gg.nn.Linear(64, 64), gg.nn.ReLU(), gg.nn.Linear(64, 10))
    optimizer = gg.optim.SGD(model.parameters(), lr=0.5)
    for _ in range(10):
        optimizer.zero_grad()
        gg.nn.functional.cross_entropy(model(images), labels).backward()
        optimizer.step()
    return model


def overfit_with_two_neurons(images, labels):
    model = gg.nn.Sequential(gg.nn.Linear(64, 2), gg.nn.ReLU(), gg.nn.Linear(2, 10))
    optimizer = gg.optim.SGD(model.parameters(), lr=0.5)
    for _ in range(300):
        optimizer.zero_grad()
        gg.nn.functional.cross_entropy(model(images), labels).backward()
        optimizer.step()
    return model


def overfit_without_steps(images, labels):
    model = gg.nn.Sequential(gg.nn.Linear(64, 64), gg.nn.ReLU(), gg.nn.Linear(64, 10))
    for _ in range(10):
        gg.nn.functional.cross_entropy(model(images), labels).backward()
    return model


def overfit_in_leaps(images, labels):
    model = gg.nn.Sequential(gg.nn.Linear(64, 64), gg.nn.ReLU(), gg.nn.Linear(64, 10))
    optimizer = gg.optim.SGD(model.parameters(), lr=100.0)
    for _ in range(20):
        optimizer.zero_grad()
        gg.nn.functional.cross_entropy(model(images), labels).backward()
        optimizer.step()
    return model


def overfit_without_the_model(images, labels):
    return overfit(images, labels)(images)


WRONG = {
    "04.exp": [
        (exp_by_the_rule_of_powers, "That is the slope of a power"),
        (exp_with_slope_one, "the steeper eᵘ"),
        (exp_of_a_number, "it returns a float, and should return a Value"),
        (exp_without_parents, "It is zero"),
    ],
    "04.zero-grad": [
        (train_cleared_once, "each goes along the sum of all gradients so far"),
        (train_cleared_too_early, "The parameters never move"),
        (train_none_too_early, "it raises TypeError"),
        (train_parameters_cleared, "what they had learned is gone"),
    ],
    "04.overfit": [
        (overfit_in_ten_steps, "something holds it back"),
        (overfit_with_two_neurons, "something holds it back"),
        (overfit_without_steps, "Do the parameters move at all?"),
        (overfit_in_leaps, "worse than guessing"),
        (overfit_without_the_model, "should return the model"),
    ],
}
