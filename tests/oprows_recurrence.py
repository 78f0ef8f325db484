"""Rows of recurrent layers. PyTorch has no rules for batches of them: its part is played step by
step, which tests/nn/test_recurrent.py and tests/ops/test_recurrence.py hold to PyTorch's own."""

import torch

import glassgrad
from opcase import OpCase, real, sample

__all__ = ["ROWS"]

FORM = {"num_layers": 1, "dropout": 0.0, "train": True, "bidirectional": False}


def _lstm_step(a, states, weight, bias):
    h, c = states
    i, f, g, o = (a + h @ weight.T + bias).chunk(4, -1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


def _gru_step(a, states, weight, bias):
    (h,) = states
    q = (h @ weight.T + bias).chunk(3, -1)
    a = a.chunk(3, -1)
    r, z = (a[0] + q[0]).sigmoid(), (a[1] + q[1]).sigmoid()
    return ((1 - z) * (a[2] + r * q[2]).tanh() + z * h,)


def _rnn_step(a, states, weight, bias):
    return ((a + states[0] @ weight.T + bias).tanh(),)


def _by_steps(step):
    """PyTorch's function of one layer, made of steps."""

    def play(x, hx, params, has_biases, **form):
        x = x.transpose(0, 1) if form["batch_first"] else x
        states = hx if isinstance(hx, tuple) else (hx,)
        n = 4 if has_biases else 2
        outputs, last = [], []
        for k in range(1 + form["bidirectional"]):
            wi, wh, bi, bh = (*params[k * n : k * n + n], 0, 0)[:4]
            now, hs = tuple([state[k] for state in states]), []
            for a in (x.flip(0) if k else x) @ wi.T + bi:
                now = step(a, now, wh, bh)
                hs.append(now[0])
            outputs.append(torch.stack(hs[::-1] if k else hs))
            last.append(now)
        y = torch.cat(outputs, -1)
        y = y.transpose(0, 1) if form["batch_first"] else y
        return y, *[torch.stack(each) for each in zip(*last, strict=True)]

    return play


def _lstm(function, x, h, c, *params, **form):
    """The two results that PyTorch's graph has one node for."""
    y, _, cell = function(x, (h, c), params, _has_biases(params, form), **form)
    return y, cell


def _other(function, x, h, *params, **form):
    return function(x, h, params, _has_biases(params, form), **form)[0]


def _has_biases(params, form):
    return len(params) == 4 * (1 + form["bidirectional"])


def _row(op, rules, gates, step, call=_other, states=1):
    def inputs(*shape, directions=1, biases=True):
        n = shape[-1]
        params = [real(gates * 2, n), real(gates * 2, 2)]
        params += [real(gates * 2)] * 2 if biases else []
        return [real(*shape), *[real(directions, 2, 2)] * states, *params * directions]

    return OpCase(
        op,
        inputs(2, 2, 1),
        {**FORM, "batch_first": False},
        rules=rules,
        call=call,
        torch=_by_steps(step),
        same_graph=False,
        more=[
            sample(*inputs(2, 3, 1, biases=False), **FORM, batch_first=True),
            sample(
                *inputs(2, 2, 1, directions=2, biases=False),
                **{**FORM, "bidirectional": True},
                batch_first=False,
            ),
        ],
        wrong=[sample(*inputs(3, 2, 2)[:-1], **FORM, batch_first=False)],
    )


ROWS = [
    _row(glassgrad.lstm, "LSTM", 4, _lstm_step, _lstm, states=2),
    _row(glassgrad.gru, "GRU", 3, _gru_step),
    _row(glassgrad.rnn_tanh, "RNN", 1, _rnn_step),
]
