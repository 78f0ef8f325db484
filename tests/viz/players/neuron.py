"""One neuron and its loss, with the names that a reader knows."""

import glassgrad as gg


def named(name, value):
    tensor = gg.tensor(value, requires_grad=True)
    tensor.name = name
    return tensor


def neuron():
    w, b = named("w", 0.5), named("b", 0.1)
    loss = (gg.tanh(w * gg.tensor(2.0) + b) - 1) ** 2
    loss.name = "loss"
    return loss
