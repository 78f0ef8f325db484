"""A live session: it stops the real pass, moves it on, and ends it cleanly."""

import threading

import numpy as np
import pytest

import glassgrad
import glassgrad as gg
from checks import together
from glassgrad import tensor
from glassgrad.core.errors import ArgumentError, ArgumentTypeError, FreedGraphError, GraphError
from glassgrad.core.state import modes
from tracing.stepping import leaf, visited

# Moving -----------------------------------------------------------------------------------------


def test_nothing_runs_before_the_first_step():
    x = leaf([1.0, 2.0])
    s = glassgrad.step((x * x).sum())
    assert s.position == 0
    assert s.current.name() == "SumBackward0"
    assert x.grad is None


def test_one_step_is_one_node():
    x = leaf([1.0, 2.0])
    s = glassgrad.step((x * x).sum())
    assert visited(s) == ["SumBackward0", "MulBackward0", "AccumulateGrad"]
    assert s.is_done
    assert s.current is None
    assert x.grad.tolist() == [2.0, 4.0]


def test_a_step_after_the_end_says_what_to_do():
    s = glassgrad.step(leaf(2.0) * 3).run()
    with pytest.raises(GraphError, match=r"next\(\) after the end: all 2 nodes"):
        s.next()


def test_run_after_the_end_does_nothing():
    x = leaf(2.0)
    s = glassgrad.step(x * 3).run().run()
    assert x.grad.item() == 3.0
    assert s.is_done


def test_what_was_queued_for_the_end_runs_at_the_end():
    x = leaf(2.0)
    y = x * 3
    called = []
    y.register_hook(
        lambda _: glassgrad.autograd.Variable._execution_engine.queue_callback(
            lambda: called.append(x.grad.item())
        )
    )
    s = glassgrad.step(y).next()
    assert called == []
    s.run()
    assert called == [3.0]


@together
@pytest.mark.parametrize("granularity", ["node", "hook", "micro"])
def test_every_granularity_comes_to_the_same_end(granularity):
    x = leaf([1.0, 2.0])
    y = x.exp()
    y.register_hook(lambda grad: grad * 2)
    y.grad_fn.register_hook(lambda grad_in, _: (grad_in[0] * 3,))
    s = glassgrad.step(y.sum(), granularity=granularity)
    while not s.is_done:
        s.next()
    np.testing.assert_allclose(x.grad.tolist(), (6 * np.exp([1.0, 2.0])), rtol=1e-6)


def test_by_hooks_it_pauses_before_and_after_each_hook():
    x = leaf([1.0, 2.0])
    y = x.exp()
    seen = []
    y.register_hook(lambda grad: seen.append("tensor"))
    y.grad_fn.register_prehook(lambda grads: seen.append("pre"))
    y.grad_fn.register_hook(lambda *_: seen.append("post"))
    s = glassgrad.step(y.sum(), granularity="hook").next()
    counts = []
    while s.current is y.grad_fn:
        counts.append(len(seen))
        s.next()
    assert counts == [0, 0, 1, 2, 2, 3]
    assert seen == ["tensor", "pre", "post"]


def test_by_micro_steps_it_pauses_after_each_phase():
    x = leaf([1.0, 2.0])
    s = glassgrad.step(x.exp().sum(), granularity="micro")
    wheres = []
    while not s.is_done:
        wheres.append(str(s).splitlines()[0].split(":")[0].removeprefix("Paused at "))
        s.next()
    assert wheres == [
        "n2 SumBackward0, before it runs",
        "n2 SumBackward0, before its rule",
        "n2 SumBackward0, after its rule and before a gradient is handed on",
        "n1 ExpBackward0, before it runs",
        "n1 ExpBackward0, before its rule",
        "n1 ExpBackward0, after its rule and before it lets go of what it saved",
        "n1 ExpBackward0, after its rule and before a gradient is handed on",
        "n0 AccumulateGrad of x, before it runs",
        "n0 AccumulateGrad of x, before it adds to .grad",
    ]


def test_an_unknown_granularity_is_refused():
    with pytest.raises(ArgumentError, match="'node', 'hook' or 'micro', got 'line'"):
        glassgrad.step(leaf(1.0) * 2, granularity="line")


def test_run_until_takes_a_name_a_node_an_id_a_tensor_or_a_function():
    x = leaf([1.0, 2.0], "x")
    y = x.exp()
    loss = (y * y).sum()
    for goal in ("ExpBackward0", "Exp", y.grad_fn, "n1", y, lambda s: s.position == 2):
        s = glassgrad.step(loss, retain_graph=True).run_until(goal)
        assert s.current is y.grad_fn
        s.close()


def test_run_until_goes_on_to_the_next_node_of_that_name():
    x = leaf([1.0])
    s = glassgrad.step(x.exp().exp().sum())
    first = s.run_until("Exp").current
    assert s.run_until("Exp").current is not first
    with pytest.raises(ArgumentError, match="no Exp is ahead of n1 ExpBackward0"):
        s.run_until("Exp")


@together
@pytest.mark.parametrize(
    ("goal", "error", "said"),
    [
        ("ExpBackward0", ArgumentError, "no node called 'ExpBackward0' is part of this pass"),
        ("MulBakward0", ArgumentError, "Did you mean 'MulBackward0'"),
        (3.5, ArgumentTypeError, "a node, its id or a tensor, got float"),
        (tensor(1.0), ArgumentError, "that tensor is no part of this pass"),
    ],
)
def test_run_until_refuses_what_is_no_part_of_the_pass(goal, error, said):
    s = glassgrad.step((leaf([1.0]) * 2).sum())
    with pytest.raises(error, match=said):
        s.run_until(goal)
    assert s.position == 0


def test_run_until_a_node_that_has_run_is_refused():
    loss = (leaf([1.0]) * 2).sum()
    s = glassgrad.step(loss).next()
    with pytest.raises(ArgumentError, match="n2 SumBackward0 has run already"):
        s.run_until(loss.grad_fn)


# Ending -----------------------------------------------------------------------------------------


def test_modes_are_the_callers_between_two_steps():
    x = leaf(3.0)
    during = []
    x.register_hook(lambda _: during.append(glassgrad.is_grad_enabled()))
    with glassgrad.step(x * x) as s:
        while not s.is_done:
            assert glassgrad.is_grad_enabled()
            assert modes.task is None
            s.next()
    assert during == [False]


def test_leaving_early_keeps_what_was_added_and_leaves_the_rest_usable():
    x, w = leaf(3.0), leaf(2.0)
    y = x * x
    z = y * w
    with glassgrad.step(z, retain_graph=False) as s:
        s.run_until(y)
        assert s.buffers
    assert s.is_closed
    assert s.buffers == {}
    assert w.grad.item() == 9.0
    assert x.grad is None
    y.backward()
    assert x.grad.item() == 6.0
    with pytest.raises(FreedGraphError):
        z.backward()


def test_a_closed_session_refuses_to_move():
    with glassgrad.step(leaf(3.0) * 2) as s:
        s.next()
    for move in (s.next, s.back, s.run, s.__enter__):
        with pytest.raises(GraphError, match="this session was closed after 1 of 2 nodes"):
            move()
    assert str(s).splitlines()[0] == "Closed after 1 of 2 nodes of the pass."


@together
@pytest.mark.parametrize("error", [ValueError("boom"), StopIteration("boom"), KeyboardInterrupt()])
@pytest.mark.parametrize("place", ["rule", "tensor hook", "prehook", "posthook", "leaf hook"])
def test_an_exception_ends_the_session_and_keeps_its_type(error, place):
    def fail(*_):
        raise error

    class Fails(glassgrad.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return fail()

    x = leaf(3.0)
    y = Fails.apply(x) if place == "rule" else x * 1
    register = {
        "tensor hook": y.register_hook,
        "prehook": y.grad_fn.register_prehook,
        "posthook": y.grad_fn.register_hook,
        "leaf hook": x.register_hook,
    }
    if place in register:
        register[place](fail)
    with pytest.raises(type(error)), glassgrad.step(y * 2) as s:
        s.run()
    assert s.is_closed
    assert s.buffers == {}
    assert glassgrad.is_grad_enabled()
    assert modes.task is None
    assert x.grad is None


def test_the_errors_of_a_pass_come_where_it_is_stepped():
    x = leaf(3.0)
    y = x * x
    y.backward()
    with glassgrad.step(y) as s, pytest.raises(FreedGraphError, match="a second time"):
        s.next()
    assert s.is_closed


def test_a_session_that_is_dropped_leaves_nothing_behind():
    x = leaf(3.0)
    y = x * x
    glassgrad.step(y).next()
    assert modes.task is None
    assert glassgrad.is_grad_enabled()
    assert y.requires_grad


def test_a_second_thread_is_refused_while_the_first_is_in_a_move():
    x = gg.tensor(2.0, requires_grad=True)
    y = x * x
    refused = []

    def ask(_):
        def move():
            try:
                s.next()
            except GraphError as error:
                refused.append(str(error))

        other = threading.Thread(target=move)
        other.start()
        other.join()

    y.register_hook(ask)
    with gg.step(y) as s:
        s.run()
    assert len(refused) == 1
    assert "another thread is in the middle of a move of this session" in refused[0]
    assert x.grad.item() == 4.0
