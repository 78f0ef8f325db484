"""Who called an op: it is found where nobody of Python's did, too."""

import _thread
import gc
import operator
import sys
import time
import weakref

import pytest

import glassgrad as gg


def test_ops_and_functions_may_be_all_that_a_thread_calls(monkeypatch):
    class Double(gg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    failed, operands = [], []
    monkeypatch.setattr(sys, "unraisablehook", failed.append)
    for call, arity in (
        (operator.mul, 2),
        (operator.neg, 1),
        (gg.exp, 1),
        (Double.apply, 1),
    ):
        x = gg.ones(2, requires_grad=True)
        operands.append(weakref.ref(x))
        _thread.start_new_thread(call, (x,) * arity)
    del x
    until = time.monotonic() + 60
    while any(alive() is not None for alive in operands):  # a thread lets go of them as it ends
        assert time.monotonic() < until
        time.sleep(0.001)
        gc.collect()  # who looks for a caller and finds none may hold its own frame
    assert not failed


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x * x,
        lambda x: 2 - x,
        lambda x: gg.exp(x),
        lambda x: gg.maximum(x, x),
        lambda x: x[0],
        lambda x: x[[0, 1]],
        lambda x: x.gather(0, gg.tensor([1])),
        lambda x: x.sum(),
        lambda x: gg.stack([x, x]),
        lambda x: x.square(),
    ],
)
def test_a_node_names_the_function_that_called_its_op(call):
    assert call(gg.ones(2, requires_grad=True)).grad_fn.caller_code is call.__code__
