"""What PyTorch shows of its engine under `Variable`: callbacks for the end of a pass."""

import pytest

import glassgrad
from both import leaf, make


def _queue(lib, callback):
    lib.autograd.Variable._execution_engine.queue_callback(callback)


def _pass_that_queues(lib, x, *callbacks):
    """An output of `x` whose backward queues `callbacks`."""

    def backward(ctx, grad):
        for callback in callbacks:
            _queue(lib, callback)
        return grad

    return make(lib, lambda ctx, x: x.clone(), backward).apply(x)


def test_callbacks_run_in_order_when_all_gradients_are_there(lib):
    x, log = leaf(lib, 2.0), []
    y = _pass_that_queues(lib, x, lambda: log.append(x.grad.item()), lambda: log.append("last"))
    (y * 3).backward()
    assert log == [3.0, "last"]


def test_a_callback_may_queue_another(lib):
    x, log = leaf(lib, 2.0), []
    second = lambda: log.append("second")  # noqa: E731  # two short callbacks side by side
    first = lambda: (log.append("first"), _queue(lib, second))  # noqa: E731
    _pass_that_queues(lib, x, first).backward()
    assert log == ["first", "second"]


def test_a_pass_inside_a_pass_has_its_own_callbacks(lib):
    x, z, log = leaf(lib, 2.0), leaf(lib, 1.0), []
    inner = _pass_that_queues(lib, z, lambda: log.append("inner"))

    def backward(ctx, grad):
        _queue(lib, lambda: log.append("outer"))
        inner.backward()
        log.append("after the inner pass")
        return grad

    make(lib, lambda ctx, x: x.clone(), backward).apply(x).backward()
    assert log == ["inner", "after the inner pass", "outer"]


def test_callbacks_of_grad_run_too(lib):
    x, log = leaf(lib, 2.0), []
    lib.autograd.grad(_pass_that_queues(lib, x, lambda: log.append("called")), x)
    assert log == ["called"]


def test_a_pass_that_fails_calls_nobody_and_the_next_one_starts_anew(lib):
    x, log = leaf(lib, 2.0), []
    y = _pass_that_queues(lib, x * 1, lambda: log.append("called"))
    handle = x.register_hook(lambda grad: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        y.backward(retain_graph=True)
    assert log == []
    handle.remove()
    y.backward()
    assert log == ["called"]


def test_what_a_callback_raises_arrives_and_the_pass_is_over(lib):
    x = leaf(lib, 2.0)

    def fail():
        raise KeyError("lost")

    with pytest.raises(KeyError, match="lost"):
        _pass_that_queues(lib, x, fail).backward()
    assert x.grad.item() == 1.0
    with pytest.raises(RuntimeError, match="can only be installed during backward pass"):
        _queue(lib, fail)


def test_outside_a_pass_it_refuses(lib):
    with pytest.raises(RuntimeError, match="Final callbacks can only be installed during backward"):
        _queue(lib, lambda: None)


def test_what_cannot_be_called_is_refused_at_once():
    x = leaf(glassgrad, 2.0)
    with pytest.raises(TypeError, match="a callback must be callable, got int"):
        _pass_that_queues(glassgrad, x, 3).backward()


def test_a_watched_pass_calls_them_at_its_end():
    x, log = leaf(glassgrad, 2.0), []
    y = _pass_that_queues(glassgrad, x, lambda: log.append(x.grad.item()))
    task = glassgrad.core.backward.backward_task(y)
    while task.step() is not None:
        assert log == []
    assert log == [1.0]
    assert glassgrad.core.state.modes.task is None
