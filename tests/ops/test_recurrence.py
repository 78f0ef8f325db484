"""Recurrent layers compute what PyTorch's do: values, gradients and gradients of these."""

import numpy as np
import pytest
import torch

import glassgrad as gg
from checks import together
from glassgrad.core.errors import GlassgradError

LIBRARIES = (gg, torch)
FORM = (2, 0.0, False)  # layers, dropout, training


def drawn(*shape):
    return np.random.default_rng(sum(shape)).normal(size=shape)


def results(lib, call, arrays):
    """What a function gives, its gradients, and those of their squares."""
    leaves = [lib.tensor(array, requires_grad=True) for array in arrays]
    outputs = call(lib, leaves)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    weighted = [(y * lib.tensor(drawn(*y.shape))).sum() for y in outputs]
    first = lib.autograd.grad(sum(weighted), leaves, create_graph=True)
    second = lib.autograd.grad(sum((g * g).sum() for g in first), leaves, allow_unused=True)
    second = [lib.zeros(()) if grad is None else grad for grad in second]
    return [x.detach().numpy() for x in (*outputs, *first, *second)]


def assert_alike(call, arrays):
    ours, theirs = [results(lib, call, arrays) for lib in LIBRARIES]
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-10)


def parameters(gates, biases, directions):
    made = []
    for inputs in (3, 2 * directions):
        for _ in range(directions):
            made += [drawn(gates * 2, inputs), drawn(gates * 2, 2)]
            made += [drawn(gates * 2), drawn(gates * 2 * 1)] if biases else []
    return made


@together
@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("biases", [False, True])
@pytest.mark.parametrize(
    ("name", "gates"), [("lstm", 4), ("gru", 3), ("rnn_tanh", 1), ("rnn_relu", 1)]
)
def test_two_layers_are_pytorchs(name, gates, biases, bidirectional):
    n = 2 if name == "lstm" else 1
    states = [drawn(2 * (1 + bidirectional), 2, 2)] * n

    def call(lib, leaves):
        x, hx, params = leaves[0], leaves[1 : 1 + n], leaves[1 + n :]
        hx = hx if n == 2 else hx[0]
        return getattr(lib, name)(x, hx, params, biases, *FORM, bidirectional, False)

    assert_alike(call, [drawn(4, 2, 3), *states, *parameters(gates, biases, 1 + bidirectional)])


@together
@pytest.mark.parametrize("biases", [False, True])
@pytest.mark.parametrize(
    ("name", "gates"),
    [("lstm_cell", 4), ("gru_cell", 3), ("rnn_tanh_cell", 1), ("rnn_relu_cell", 1)],
)
def test_one_step_is_pytorchs(name, gates, biases):
    n = 2 if name == "lstm_cell" else 1
    weights = [drawn(gates * 2, 3), drawn(gates * 2, 2)]
    weights += [drawn(gates * 2)] * 2 if biases else []

    def call(lib, leaves):
        x, hx, params = leaves[0], leaves[1 : 1 + n], leaves[1 + n :]
        return getattr(lib, name)(x, tuple(hx) if n == 2 else hx[0], *params)

    assert_alike(call, [drawn(5, 3), *[drawn(5, 2)] * n, *weights])


def test_only_the_cell_may_be_used():
    def call(lib, leaves):
        x, h, c, *params = leaves
        return lib.lstm(x, (h, c), params, False, 1, 0.0, False, False, False)[2]

    assert_alike(call, [drawn(3, 2, 3), drawn(1, 2, 2), drawn(1, 2, 2), drawn(8, 3), drawn(8, 2)])


def test_the_number_of_parameters_is_checked():
    x, h = gg.zeros(2, 1, 1), gg.zeros(1, 1, 1)
    for params in ([], [gg.zeros(1, 1)], [gg.zeros(1, 1)] * 3):
        with pytest.raises(RuntimeError, match="incorrect number of RNN parameters"):
            gg.rnn_tanh(x, h, params, False, 1, 0.0, False, False, False)
    with pytest.raises(GlassgradError, match="input must have 3 dimensions"):
        gg.rnn_tanh(x[0], h, [], False, 1, 0.0, False, False, False)


@pytest.mark.parametrize(
    ("shape", "state", "words"),
    [
        ((0, 1, 1), (1, 1, 1), "Expected sequence length to be larger than 0"),
        ((2, 1, 3), (1, 1, 1), r"shapes cannot be multiplied \(2x3 and 1x4\)"),
        ((2, 1, 1), (1, 1, 3), r"shapes cannot be multiplied \(1x3 and 1x4\)"),
        ((2, 3, 1), (1, 1, 1), "batch size 3 doesn't match hidden0 batch size 1"),
    ],
)
def test_shapes_that_do_not_fit_are_refused(shape, state, words):
    x, h, weights = gg.zeros(*shape), gg.zeros(*state), [gg.zeros(4, 1)] * 2
    with pytest.raises(RuntimeError, match=words):
        gg.lstm(x, (h, h), weights, False, 1, 0.0, False, False, False)


@pytest.mark.parametrize("name", ["LSTM", "GRU", "RNN"])
def test_what_comes_out_may_be_written_to(name):
    """Unlike in PyTorch, whose backward looks at it again."""
    module = getattr(gg.nn, name)(1, 2)
    found = []
    for factor in (1.0, 0.0):
        y, _ = module(gg.ones(3, 1, 1))
        y.detach().mul_(factor)
        found.append(gg.autograd.grad(y.sum(), module.weight_hh_l0)[0])
    assert gg.equal(*found)


@pytest.mark.parametrize("name", ["LSTMCell", "GRUCell", "RNNCell"])
def test_a_view_of_a_cells_result_leads_back_to_it_when_it_is_written(lib, name):
    results = getattr(lib.nn, name)(3, 3)(lib.ones(2, 3))
    for h in results if isinstance(results, tuple) else (results,):
        assert not h._is_view()
        row = h[0]
        row *= 2
        lib.autograd.backward([row], [lib.ones(3)], inputs=[h])
        assert h.grad.tolist() == [[1, 1, 1], [0, 0, 0]]
