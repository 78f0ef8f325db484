"""The backward pass: what runs, in which order, what it leaves behind, and what it refuses."""

import gc
import threading

import numpy as np
import pytest
import torch

import glassgrad
from both import leaf, plain, values
from checks import together
from glassgrad.core.graph import edge_of
from glassgrad.core.state import modes
from glassgrad.hooks.turn import GraphTask

# Long and repeated chains ------------------------------------------------------------------------


@pytest.mark.parametrize("length", [100_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_a_long_chain_needs_no_recursion(length):
    x = glassgrad.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(length):
        y = -y
    y.backward()
    assert x.grad.item() == 1.0
    del y


def test_a_long_chain_of_user_functions_needs_no_recursion():
    class Same(glassgrad.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            (_,) = ctx.saved_tensors
            return grad

    x = glassgrad.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(50_000):
        y = Same.apply(y)
    y.backward()
    assert x.grad.item() == 1.0
    del y


def test_stacked_diamonds_are_visited_once_each(lib):
    x = leaf(lib, 1.0)
    y = x
    for _ in range(30):
        y = y + y
    y.backward()
    assert x.grad.item() == 2.0**30


# Garbage, and who owns a gradient ---------------------------------------------------------------


@pytest.mark.parametrize("create_graph", [False, True])
def test_a_step_leaves_nothing_for_the_garbage_collector(create_graph):
    class Twice(glassgrad.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x * 2
            ctx.save_for_backward(x, y)
            return y

        @staticmethod
        def backward(ctx, grad):
            _, y = ctx.saved_tensors
            return grad * y / y * 2

    def step():
        x = leaf(glassgrad, [1.0, 2.0])
        y = Twice.apply((x * x).tanh().exp() + x)
        y.retain_grad()
        y.register_hook(lambda grad: grad * 1)
        (grad,) = glassgrad.autograd.grad(
            y, x, plain(glassgrad, [1.0, 1.0]), create_graph=create_graph, retain_graph=True
        )
        y.backward(plain(glassgrad, [1.0, 1.0]))
        return grad.tolist()

    step()
    gc.collect()
    gc.disable()
    try:
        step()
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_two_leaves_never_share_a_gradient(lib):
    x, y = leaf(lib, [1.0, 2.0]), leaf(lib, [3.0, 4.0])
    seed = plain(lib, [1.0, 1.0])
    (x + y).backward(seed)
    x.grad.add_(10)
    assert y.grad.tolist() == [1.0, 1.0]
    assert seed.tolist() == [1.0, 1.0]


def test_a_gradient_returned_twice_is_not_shared(lib):
    class Add(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x + y

        @staticmethod
        def backward(ctx, grad):
            return grad, grad

    x, y = leaf(lib, [1.0, 2.0]), leaf(lib, [3.0, 4.0])
    Add.apply(x, y).backward(plain(lib, [1.0, 1.0]))
    x.grad.add_(10)
    assert y.grad.tolist() == [1.0, 1.0]


def test_a_gradient_that_a_hook_kept_does_not_change_later(lib):
    x = leaf(lib, [1.0, 2.0])
    kept = []
    x.register_hook(kept.append)
    (x * 2).backward(plain(lib, [1.0, 1.0]))
    (x * 3).backward(plain(lib, [1.0, 1.0]))
    assert values(kept) == [[2.0, 2.0], [3.0, 3.0]]
    assert x.grad.tolist() == [5.0, 5.0]


def test_the_gradient_that_retain_grad_kept_does_not_change_later(lib):
    x = leaf(lib, [1.0, 2.0])
    y = x * 2
    y.retain_grad()
    (y + y * 3).backward(plain(lib, [1.0, 1.0]))
    x.grad.zero_()
    assert y.grad.tolist() == [4.0, 4.0]


@pytest.mark.filterwarnings("ignore:Using backward.. with create_graph=True")
def test_accumulation_is_in_place_without_and_out_of_place_with_create_graph(lib):
    x = leaf(lib, [1.0, 2.0])
    seed = plain(lib, [1.0, 1.0])
    (x * x).backward(seed)
    first = x.grad
    (x * x).backward(seed)
    assert x.grad is first
    assert first.tolist() == [4.0, 8.0]
    (x * x).backward(seed, create_graph=True)
    assert x.grad is not first
    assert first.tolist() == [4.0, 8.0]
    assert x.grad.tolist() == [6.0, 12.0]
    assert x.grad.requires_grad


def test_a_seed_is_never_written(lib):
    x = leaf(lib, [1.0, 2.0])
    y = x * 1
    seed = plain(lib, [1.0, 1.0])
    lib.autograd.backward([y, y, y], [seed, seed, seed])
    assert seed.tolist() == [1.0, 1.0]
    assert x.grad.tolist() == [3.0, 3.0]


def test_a_broadcast_gradient_becomes_a_whole_array(lib):
    x = leaf(lib, [1.0, 2.0, 3.0])
    x.sum().backward()
    x.grad[0] = 5.0
    assert x.grad.tolist() == [5.0, 1.0, 1.0]


# Exceptions -------------------------------------------------------------------------------------


def failing(lib, error):
    class Fail(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            raise error

    return Fail.apply


@together
@pytest.mark.parametrize("error", [ValueError("boom"), KeyboardInterrupt("boom"), SystemExit(3)])
@pytest.mark.parametrize("place", ["backward", "tensor hook", "prehook", "posthook", "leaf hook"])
def test_after_an_exception_the_next_pass_works(lib, error, place):
    if lib is torch and not isinstance(error, ValueError):
        return  # PyTorch may run backward in another thread, which dies of these

    def fail(*_):
        raise error

    x = leaf(lib, 3.0)
    y = x * x
    handle = None
    if place == "backward":
        z = failing(lib, error)(y)
    else:
        z = y * 1
        handle = {
            "tensor hook": y.register_hook,
            "prehook": y.grad_fn.register_prehook,
            "posthook": y.grad_fn.register_hook,
            "leaf hook": x.register_hook,
        }[place](fail)
    with lib.no_grad(), pytest.raises(type(error)):
        z.backward(retain_graph=True)
    assert lib.is_grad_enabled()
    assert x.grad is None
    if handle is not None:
        handle.remove()
    (y * 1).backward()
    assert x.grad.item() == 6.0


def test_an_exception_keeps_its_type_and_the_line_that_raised_it(lib):
    class OwnError(Exception):
        pass

    y = failing(lib, OwnError("mine"))(leaf(lib, 1.0))
    with pytest.raises(OwnError, match="mine") as caught:
        y.backward()
    assert caught.traceback[-1].name == "backward"


def test_an_exception_empties_the_buffers():
    x = leaf(glassgrad, 1.0)
    y = failing(glassgrad, ValueError("boom"))(x) + x * 2
    task = GraphTask([edge_of(y)], [np.ones(())])
    with pytest.raises(ValueError, match="boom"):
        task.run()
    assert task.buffers == {}


def test_a_watched_pass_that_is_closed_leaves_the_graph_usable():
    x = leaf(glassgrad, 3.0)
    y = x * x
    task = GraphTask([edge_of(y)], [np.ones(())])
    task.step()
    task.close()
    assert task.buffers == {}
    assert glassgrad.is_grad_enabled()
    y.backward()
    assert x.grad.item() == 6.0


def test_a_watched_pass_owns_the_modes_only_while_it_steps():
    x = leaf(glassgrad, 3.0)
    seen = []
    x.register_hook(lambda grad: seen.append(glassgrad.is_grad_enabled()))
    task = GraphTask([edge_of(x * x)], [np.ones(())])
    while task.step() is not None:
        assert glassgrad.is_grad_enabled()
    assert seen == [False]


def test_steps_taken_within_a_pass_are_all_taken_in_its_modes():
    x = leaf(glassgrad, 3.0)
    task = GraphTask([edge_of(x * x)], [np.ones(())])
    seen = []

    def all_steps():
        while task.step() is not None:
            seen.append((glassgrad.is_grad_enabled(), modes.task is task))

    task.within(all_steps)
    assert set(seen) == {(False, True)}
    assert (glassgrad.is_grad_enabled(), modes.task) == (True, None)
    assert x.grad.item() == 6.0


def test_the_first_gradient_becomes_grad_if_nobody_else_has_it():
    x = leaf(glassgrad, np.ones(5000).tolist())
    task = GraphTask([edge_of(x * 2)], [np.ones(5000, np.float32)])
    ours = None
    while (phase := task.step()) is not None:
        if phase.kind == "apply":
            ours = id(phase.after[0])
        del phase
    assert id(x.grad.payload) == ours


# Backward inside backward, and threads ----------------------------------------------------------


def test_backward_inside_backward_accumulates_and_restores_the_mode(lib):
    modes = []

    class Inner(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            with lib.enable_grad():
                y = leaf(lib, 2.0)
                (y * y).backward()
                modes.append(lib.is_grad_enabled())
            modes.append(lib.is_grad_enabled())
            return grad * y.grad

    x = leaf(lib, 1.0)
    (Inner.apply(x) * 3).backward()
    assert x.grad.item() == 12.0
    assert modes == [True, False]
    assert lib.is_grad_enabled()


def test_backward_may_be_nested_two_thousand_deep(lib):
    class Deep(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            with lib.enable_grad():
                ctx.x = leaf(lib, x.item() - 1)
                ctx.y = ctx.x * 1
            return ctx.y.detach()

        @staticmethod
        def backward(ctx, grad):
            if ctx.x.item() > 0:
                with lib.enable_grad():
                    Deep.apply(ctx.x).backward()
            return grad

    x = leaf(lib, 2000.0)
    Deep.apply(x).backward()
    assert x.grad.item() == 1.0


def test_an_exception_comes_back_from_any_depth(lib):
    class Deep(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.depth = int(x.item())
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            if ctx.depth == 0:
                raise ValueError("at the bottom")
            with lib.enable_grad():
                Deep.apply(leaf(lib, ctx.depth - 1.0)).backward()
            return grad

    with pytest.raises(ValueError, match="at the bottom"):
        Deep.apply(leaf(lib, 70.0)).backward()
    assert lib.is_grad_enabled()
    x = leaf(lib, 1.0)
    (x * 2).backward()
    assert x.grad.item() == 2.0


def test_hooks_may_run_another_backward(lib):
    x, y = leaf(lib, 2.0), leaf(lib, 3.0)
    other = y * y
    x.register_hook(lambda grad: other.backward())
    (x * x).backward()
    assert values([x.grad, y.grad]) == [4.0, 6.0]


def test_backward_works_under_no_grad(lib):
    x = leaf(lib, 2.0)
    y = x * x
    with lib.no_grad():
        y.backward()
    assert x.grad.item() == 4.0


def test_threads_may_share_a_leaf(lib):
    size = 50_000  # large enough for NumPy to let other threads run during an addition
    x = lib.ones(size, dtype=lib.float64, requires_grad=True)
    seed = lib.ones(size, dtype=lib.float64)
    barrier = threading.Barrier(4)

    def work():
        barrier.wait()
        for _ in range(20):
            (x * 2).backward(seed)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(x.grad.tolist()) == {160.0}
