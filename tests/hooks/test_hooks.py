"""Hooks on tensors and nodes: when they run, what they see, and what they may return."""

import gc
import weakref

import pytest
import torch

import glassgrad
from both import leaf, plain, values


def test_the_order_at_a_tensor(lib):
    x = leaf(lib, 1.0)
    y = x * 2
    log = []
    y.grad_fn.register_hook(lambda gin, gout: log.append(("post", gout[0].item())))
    y.grad_fn.register_prehook(lambda gout: log.append(("pre", gout[0].item())))
    y.retain_grad()
    for factor in (2, 3):
        y.register_hook(lambda grad, f=factor: (log.append((f, grad.item())), grad * f)[1])
    y.backward()
    assert log == [(2, 1.0), (3, 2.0), ("pre", 6.0), ("post", 6.0)]
    assert y.grad.item() == 6.0
    assert x.grad.item() == 12.0


def test_hooks_of_one_output_of_a_node_come_together(lib):
    x = leaf(lib, [1.0, 2.0])
    first, second = (x * 2).split(1)
    log = []
    for name, output in (("b", second), ("a", first), ("b again", second), ("a again", first)):
        output.register_hook(lambda grad, name=name: log.append(name))
    lib.autograd.graph.register_multi_grad_hook((second,), lambda grads: log.append("all of b"))
    (first + second).backward()
    assert log == ["b", "b again", "all of b", "a", "a again"]


def test_the_order_at_a_leaf(lib):
    x = leaf(lib, 1.0)
    y = x.view_as(x) if lib is torch else x * 1
    accumulator = y.grad_fn.next_functions[0][0]
    log = []
    accumulator.register_hook(lambda gin, gout: log.append(("post", x.grad.item())))
    accumulator.register_prehook(lambda gout: (log.append(("pre", gout[0].item())), gout)[1])
    x.register_post_accumulate_grad_hook(lambda x: log.append(("accumulated", x.grad.item())))
    x.register_hook(lambda grad: (log.append(("tensor", grad.item())), grad * 5)[1])
    y.backward()
    assert log == [("tensor", 1.0), ("pre", 5.0), ("accumulated", 5.0), ("post", 5.0)]


def test_a_prehook_of_a_leaf_may_change_what_is_accumulated(lib):
    x = leaf(lib, 1.0)
    y = x * 2
    y.grad_fn.next_functions[0][0].register_prehook(lambda gout: (gout[0] * 10,))
    y.backward()
    assert x.grad.item() == 20.0


def test_hooks_of_tensor_and_node_compose_as_arithmetic(lib):
    x = leaf(lib, 0.0)
    y = x * 1
    accumulator = y.grad_fn.next_functions[0][0]
    accumulator.register_hook(lambda *_: (x.grad.mul_(10), None)[1])
    x.register_post_accumulate_grad_hook(lambda x: (x.grad.add_(0.5), None)[1])
    accumulator.register_prehook(lambda gout: (gout[0] / 5,))
    x.register_hook(lambda grad: grad - 2)
    y.backward()
    assert x.grad.item() == pytest.approx(3.0)  # ((1 - 2) / 5 + 0.5) * 10


def test_grad_runs_tensor_hooks_but_no_node_hooks_of_what_it_captures(lib):
    x = leaf(lib, 1.0)
    y = x * 2
    z = y * 3
    log = []
    y.register_hook(lambda grad: (log.append("tensor"), grad * 10)[1])
    y.grad_fn.register_prehook(lambda gout: log.append("pre"))
    y.grad_fn.register_hook(lambda gin, gout: log.append("post"))
    (found,) = lib.autograd.grad(z, y, retain_graph=True)
    assert log == ["tensor"]
    assert found.item() == 30.0
    x.register_post_accumulate_grad_hook(lambda x: log.append("accumulated"))
    lib.autograd.grad(z, x)
    assert log == ["tensor", "tensor", "pre", "post"]
    assert x.grad is None


def test_hooks_of_leaves_that_are_not_asked_for_stay_quiet(lib):
    x, y = leaf(lib, 1.0), leaf(lib, 2.0)
    log = []
    y.register_hook(log.append)
    y.register_post_accumulate_grad_hook(log.append)
    (x * y).backward(inputs=[x])
    assert log == []


def test_a_prehook_sees_none_where_no_gradient_arrived(lib):
    class Two(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 1, x * 2

        @staticmethod
        def backward(ctx, first, second):
            return first

    x = leaf(lib, 1.0)
    first, _ = Two.apply(x)
    seen = []
    first.grad_fn.register_prehook(seen.append)
    first.grad_fn.register_hook(lambda gin, gout: seen.append(gout))
    first.backward()
    assert [(a.item(), b) for a, b in seen] == [(1.0, None), (1.0, None)]


def test_a_posthook_may_replace_the_gradients_of_the_operands(lib):
    x, y = leaf(lib, 2.0), leaf(lib, 3.0)
    z = x * y
    z.grad_fn.register_hook(lambda gin, gout: (gin[0] * 10, gin[1] * 100))
    z.backward()
    assert values([x.grad, y.grad]) == [30.0, 200.0]


def test_a_posthook_sees_none_for_an_operand_without_gradient(lib):
    z = leaf(lib, 2.0) * plain(lib, 3.0)
    seen = []
    z.grad_fn.register_hook(lambda gin, gout: seen.extend(gin))
    z.backward()
    assert values(seen) == [3.0, None]


def test_a_tensor_hook_belongs_to_the_output_it_was_registered_on(lib):
    class Two(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1, x * 2

        @staticmethod
        def backward(ctx, first, second):
            return first + 2 * second

    x = leaf(lib, 1.0)
    first, second = Two.apply(x)
    second.register_hook(lambda grad: grad * 10)
    second.retain_grad()
    (first + second).backward()
    assert second.grad.item() == 10.0
    assert x.grad.item() == 21.0


# Handles ----------------------------------------------------------------------------------------


def test_a_removed_hook_no_longer_runs(lib):
    x = leaf(lib, 1.0)
    handle = x.register_hook(lambda grad: grad * 10)
    handle.remove()
    handle.remove()
    (x * 2).backward()
    assert x.grad.item() == 2.0


def test_a_handle_is_a_context_manager(lib):
    x = leaf(lib, 1.0)
    with x.register_hook(lambda grad: grad * 10):
        (x * 2).backward()
    (x * 2).backward()
    assert x.grad.item() == 22.0


def test_a_hook_may_remove_itself_and_others(lib):
    x = leaf(lib, 1.0)
    y = x * 2
    log, handles = [], []

    def once(grad):
        log.append("once")
        for handle in handles:
            handle.remove()

    handles.append(y.register_hook(once))
    y.backward(retain_graph=True)
    y.backward()
    assert log == ["once"]


def test_callables_without_a_name_are_hooks(lib):
    class Scale:
        def __call__(self, grad):
            return grad * 3

    x = leaf(lib, 1.0)
    x.register_hook(Scale())
    (x * 2).backward()
    assert x.grad.item() == 6.0


def test_a_hook_that_knows_its_tensor_is_collected():
    def build():
        y = leaf(glassgrad, 1.0) * 2
        y.register_hook(lambda grad: grad * y.item())
        return weakref.ref(y)

    alive = build()
    gc.collect()
    assert alive() is None


def test_the_closure_of_a_removed_post_accumulate_hook_is_released(lib):
    class Token:
        pass

    x, token = leaf(lib, 1.0), Token()
    alive = weakref.ref(token)
    handle = x.register_post_accumulate_grad_hook(lambda x, token=token: None)
    handle.remove()
    del token
    gc.collect()
    assert alive() is None


# retain_grad ------------------------------------------------------------------------------------


def test_retain_grad_keeps_the_gradient_of_a_non_leaf(lib):
    x = leaf(lib, 2.0)
    y = x * 3
    y.retain_grad()
    y.retain_grad()
    assert y.retains_grad
    (y * y).backward()
    assert y.grad.item() == 12.0


def test_retain_grad_is_harmless_on_a_leaf(lib):
    x = leaf(lib, 2.0)
    x.retain_grad()
    assert not x.retains_grad
    (x * x).backward()
    assert x.grad.item() == 4.0


def test_retain_grad_needs_a_gradient_to_retain(lib):
    with pytest.raises(RuntimeError, match=r"can't retain_grad on Tensor that has requires_grad=F"):
        plain(lib, 1.0).retain_grad()


def test_a_retained_gradient_accumulates_over_passes(lib):
    x = leaf(lib, 2.0)
    y = x * 3
    y.retain_grad()
    y.backward(retain_graph=True)
    y.backward()
    assert y.grad.item() == 2.0


def test_reading_grad_of_a_non_leaf_warns(lib):
    y = leaf(lib, 2.0) * 3
    with pytest.warns(UserWarning, match="is being accessed"):
        assert y.grad is None


# Post-accumulate hooks --------------------------------------------------------------------------


def test_a_post_accumulate_hook_may_take_the_gradient_away(lib):
    x = leaf(lib, 1.0)
    seen = []

    def step(leaf):
        seen.append(leaf.grad.item())
        leaf.grad = None

    x.register_post_accumulate_grad_hook(step)
    (x * 2).backward()
    (x * 3).backward()
    assert seen == [2.0, 3.0]
    assert x.grad is None


def test_a_post_accumulate_hook_returns_nothing(lib):
    x = leaf(lib, 1.0)
    x.register_post_accumulate_grad_hook(lambda leaf: leaf.grad)
    with pytest.raises(RuntimeError, match=r"hooks should return None\."):
        (x * 2).backward()


def test_a_post_accumulate_hook_may_return_its_leaf_as_in_place_methods_do(lib):
    x = leaf(lib, 1.0)
    x.register_post_accumulate_grad_hook(lambda leaf: leaf.sub_(leaf.grad))
    (x * 2).backward()
    assert x.item() == -1.0


def test_post_accumulate_hooks_are_for_leaves_that_require_grad(lib):
    with pytest.raises(RuntimeError, match="cannot be registered on non-leaf"):
        (leaf(lib, 1.0) * 2).register_post_accumulate_grad_hook(print)
    with pytest.raises(RuntimeError, match="doesn't require gradient"):
        plain(lib, 1.0).register_post_accumulate_grad_hook(print)


def test_the_hooks_after_accumulation_can_be_looked_at(lib):
    x = leaf(lib, 1.0)
    assert x._post_accumulate_grad_hooks is None
    x.register_post_accumulate_grad_hook(print)
    assert list(x._post_accumulate_grad_hooks.values()) == [print]
