"""Who called an op: it is found where nobody of Python's did, too."""

import _thread
import operator
import sys
import threading
import time

import glassgrad


def test_ops_and_functions_may_be_all_that_a_thread_calls(monkeypatch):
    class Double(glassgrad.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    failed, x = [], glassgrad.ones(2, requires_grad=True)
    monkeypatch.setattr(sys, "unraisablehook", failed.append)
    done = threading.Event()
    calls = [
        (operator.mul, (x, x)),
        (operator.neg, (x,)),
        (glassgrad.exp, (x,)),
        (Double.apply, (x,)),
    ]
    for call, arguments in calls:
        _thread.start_new_thread(call, arguments)
    _thread.start_new_thread(done.set, ())
    assert done.wait(10)
    time.sleep(0.05)
    assert not failed
