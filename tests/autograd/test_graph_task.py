"""What hooks can ask about the pass that runs them."""

import contextlib

import pytest
import torch

import glassgrad
from both import bare, leaf, make


def asked(lib, name):
    return getattr(lib._C, name)


# Which pass --------------------------------------------------------------------------------------


def test_each_pass_has_a_number_of_its_own(lib):
    number = asked(lib, "_current_graph_task_id")
    x = leaf(lib, 1.0)
    y = x * 2
    seen = []
    y.register_hook(lambda _: seen.append(number()))
    x.register_hook(lambda _: seen.append(number()))
    y.backward(retain_graph=True)
    y.backward()
    assert seen[0] == seen[1] != seen[2] == seen[3]
    assert min(seen) >= 0
    assert number() == -1


def test_a_pass_inside_another_has_its_own_number(lib):
    number = asked(lib, "_current_graph_task_id")
    seen = []

    def nested(_):
        seen.append(number())
        w = leaf(lib, 1.0)
        w.register_hook(lambda _: seen.append(number()))
        w.backward()
        seen.append(number())

    x = leaf(lib, 1.0)
    x.register_hook(nested)
    x.backward()
    assert seen[0] == seen[2] != seen[1]


# Where it is -------------------------------------------------------------------------------------


def test_hooks_and_rules_are_told_their_node(lib):
    node = asked(lib, "_current_autograd_node")
    log = []

    def note(where):
        log.append((where, bare(node().name())))

    def backward(ctx, grad):
        note("rule")
        return grad

    x = leaf(lib, 1.0)
    y = make(lib, lambda ctx, x: x * 1, backward).apply(x)
    z = y * 3
    z.register_hook(lambda _: note("tensor"))
    z.grad_fn.register_hook(lambda *_: note("after"))
    y.grad_fn.register_prehook(lambda _: note("before"))
    x.register_hook(lambda _: note("leaf"))
    x.register_post_accumulate_grad_hook(lambda _: note("accumulated"))
    z.backward()
    assert node() is None
    assert log == [
        ("tensor", "MulBackward0"),
        ("after", "MulBackward0"),
        ("before", "MadeBackward"),
        ("rule", "MadeBackward"),
        ("leaf", "AccumulateGrad"),
        ("accumulated", "AccumulateGrad"),
    ]


def test_the_outer_node_is_back_when_an_inner_pass_ends(lib):
    node = asked(lib, "_current_autograd_node")
    seen = []

    def nested(_):
        with lib.enable_grad():
            u = leaf(lib, 1.0).exp()
        u.register_hook(lambda _: seen.append(node().name()))
        u.backward()
        seen.append(node().name())
        lib.autograd.Variable._execution_engine.queue_callback(lambda: seen.append(node()))

    y = leaf(lib, 1.0) * 2
    y.register_hook(nested)
    y.backward()
    assert seen == ["ExpBackward0", "MulBackward0", None]


# Where it is going -------------------------------------------------------------------------------


def test_a_pass_says_which_nodes_it_reaches(lib):
    will = asked(lib, "_will_engine_execute_node")
    x, w = leaf(lib, 1.0), leaf(lib, 2.0)
    y, u = x * 2, w * 2
    total = y + u
    nodes = [y.grad_fn, u.grad_fn, y.grad_fn.next_functions[0][0], (x * 5).grad_fn]
    seen = []
    total.register_hook(lambda _: seen.append([will(node) for node in nodes]))
    total.backward(retain_graph=True)
    total.backward(inputs=[x], retain_graph=True)
    lib.autograd.grad(total, y, retain_graph=True)
    assert seen == [
        [True, True, True, False],
        [True, False, True, False],
        [True, False, False, False],
    ]
    with pytest.raises(RuntimeError, match="A leaf node was passed to _will_engine_execute_node"):
        lib.autograd.grad(total, x)


def test_a_node_without_edges_is_a_leaf_there_too(lib):
    class Same(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return grad

    with lib.no_grad():
        view = leaf(lib, 1.0)[None]  # which requires grad, and was made by no node
    y = Same.apply(view)
    assert y.grad_fn.next_functions == ((None, 0),)
    will, total = asked(lib, "_will_engine_execute_node"), y * 2
    total.register_hook(lambda _: will(y.grad_fn))
    with pytest.raises(RuntimeError, match="A leaf node was passed to _will_engine_execute_node"):
        lib.autograd.grad(total, y)


def test_outside_of_a_pass_nobody_knows(lib):
    will = asked(lib, "_will_engine_execute_node")
    y = leaf(lib, 1.0) * 2
    with pytest.raises(RuntimeError, match="should only be called during the backward pass"):
        will(y.grad_fn)


def test_only_nodes_run():
    with pytest.raises(TypeError, match="expects an grad_fn, but got int"):
        glassgrad.autograd.graph._will_engine_execute_node(1)


def test_a_pass_knows_its_order_beforehand(lib):
    seen = []
    x = leaf(lib, 1.0)
    y = x.sin() * x.cos()
    order = asked(lib, "_current_graph_task_execution_order")
    y.register_hook(lambda _: seen.extend(order()))
    with no_threads(lib):
        y.backward()
    names = [bare(node.name()) for node in seen]
    assert names == ["MulBackward0", "CosBackward0", "SinBackward0", "AccumulateGrad"]
    with pytest.raises(RuntimeError, match="should only be called during the backward pass"):
        order()


def no_threads(lib):
    if lib is torch:
        return torch.autograd.set_multithreading_enabled(False)
    return contextlib.nullcontext()
