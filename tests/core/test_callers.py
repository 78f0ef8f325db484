"""Who called an op: it is found where nobody of Python's did, too."""

import _thread
import gc
import operator
import sys
import time
import weakref

import glassgrad


def test_ops_and_functions_may_be_all_that_a_thread_calls(monkeypatch):
    class Double(glassgrad.autograd.Function):
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
        (glassgrad.exp, 1),
        (Double.apply, 1),
    ):
        x = glassgrad.ones(2, requires_grad=True)
        operands.append(weakref.ref(x))
        _thread.start_new_thread(call, (x,) * arity)
    del x
    until = time.monotonic() + 60
    while any(alive() is not None for alive in operands):  # a thread lets go of them as it ends
        assert time.monotonic() < until
        time.sleep(0.001)
        gc.collect()  # who looks for a caller and finds none may hold its own frame
    assert not failed
