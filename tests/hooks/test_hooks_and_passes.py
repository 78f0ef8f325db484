"""Which hooks run in a pass, which gradients they see, and hooks that come and go meanwhile."""

import pytest
import torch

import glassgrad
from both import leaf, make, plain, values
from checks import together

# What post-hooks see -----------------------------------------------------------------------------


def test_a_posthook_sees_only_the_gradients_that_the_pass_wants(lib):
    x, y = leaf(lib, [1.0, 2.0]), leaf(lib, [3.0, 4.0])
    z = x * y
    seen = []
    z.grad_fn.register_hook(lambda gin, gout: seen.append(values(gin)))
    seed = plain(lib, [1.0, 1.0])
    lib.autograd.grad(z, x, seed, retain_graph=True)
    z.backward(seed, inputs=[y], retain_graph=True)
    z.backward(seed)
    assert seen == [[[3.0, 4.0], None], [None, [1.0, 2.0]], [[3.0, 4.0], [1.0, 2.0]]]


def test_a_posthook_of_a_user_function_sees_all_that_backward_returned(lib):
    def forward(ctx, x, n, c):
        return x * n + c

    function = make(lib, forward, lambda ctx, grad: (grad * 3, None, grad * 5))
    x, c = leaf(lib, [1.0]), plain(lib, [2.0])
    z = function.apply(x, 3, c)
    seen = []
    z.grad_fn.register_hook(lambda gin, gout: seen.append(values(gin)))
    z.backward()
    assert seen == [[[3.0], [5.0]]]


def test_a_posthook_cannot_replace_a_gradient_that_nobody_wants(lib):
    x, y = leaf(lib, [1.0]), leaf(lib, [3.0])
    z = x * y
    z.grad_fn.register_hook(lambda gin, gout: (gin[0], gin[0]))
    with pytest.raises(RuntimeError, match="can't replace a None gradient"):
        lib.autograd.grad(z, x)


# A leaf at which nothing arrives ------------------------------------------------------------------


def test_the_hooks_of_a_leaf_run_even_if_nothing_arrives(lib):
    x = leaf(lib, 1.0)
    log = []
    y = make(lib, lambda ctx, x: x * 1, lambda ctx, grad: None).apply(x)
    x.register_hook(lambda grad: log.append(("tensor", grad)))
    x.register_post_accumulate_grad_hook(lambda x: log.append(("accumulated", x.grad)))
    y.backward()
    assert log == [("tensor", None), ("accumulated", None)]


# Hooks that come and go --------------------------------------------------------------------------

KINDS = {
    "tensor": lambda x, y: y.register_hook,
    "leaf": lambda x, y: x.register_hook,
    "before": lambda x, y: y.grad_fn.register_prehook,
    "after": lambda x, y: y.grad_fn.register_hook,
    "accumulated": lambda x, y: x.register_post_accumulate_grad_hook,
}


@pytest.fixture(params=KINDS)
def kind(request):
    return KINDS[request.param]


def remove_later(register, log):
    def first(*_):
        log.append("first")
        second.remove()

    register(first)
    second = register(lambda *_: log.append("second"))
    register(lambda *_: log.append("third"))


def add_later(register, log):
    def first(*_):
        log.append("first")
        register(lambda *_: log.append("new"))

    register(first)


def remove_itself(register, log):
    def first(*_):
        log.append("first")
        handle.remove()

    handle = register(first)
    register(lambda *_: log.append("second"))


def told_by(lib, kind, change):
    x = leaf(lib, 1.0)
    y = x * 2
    log = []
    change(kind(x, y), log)
    y.backward(retain_graph=True)
    log.append("|")
    y.backward()
    return log


@together
@pytest.mark.parametrize("change", [remove_later, add_later, remove_itself])
def test_hooks_that_change_the_list_of_hooks_run_as_in_pytorch(kind, change):
    assert told_by(glassgrad, kind, change) == told_by(torch, kind, change)


def told_across(lib):
    x = leaf(lib, 1.0)
    y = x * 2
    log = []
    y.register_hook(lambda _: before.remove())
    before = y.grad_fn.register_prehook(lambda _: (log.append("before"), after.remove())[0])
    after = y.grad_fn.register_hook(lambda *_: log.append("after"))
    y.backward()
    return log


def test_a_hook_may_remove_one_of_another_kind_at_its_node():
    assert told_across(glassgrad) == told_across(torch)


# What hooks are told -----------------------------------------------------------------------------


def test_the_dtypes_of_a_refused_gradient_have_their_old_names(lib):
    y = leaf(lib, [1.0]) * 2

    def halve(grad):
        return grad.to(lib.float32)

    y.register_hook(halve)
    said = r"hook 'halve' has changed the type of value \(was torch.DoubleTensor got torch.FloatTe"
    with pytest.raises(RuntimeError, match=said):
        y.sum().backward()


# In-place Functions ------------------------------------------------------------------------------


def test_a_gradient_that_was_kept_goes_when_a_function_changes_its_tensor(lib):
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    y = leaf(lib, [1.0]) * 1
    y.retain_grad()
    y.sum().backward(retain_graph=True)
    assert y.grad.tolist() == [1.0]
    make(lib, forward, lambda ctx, grad: grad * 2).apply(y)
    assert y.retains_grad
    assert y.grad is None
