"""What a hook may return, and what else happens while one runs."""

import pytest

import glassgrad
from both import leaf, make, plain, values
from checks import together

# What a hook may return -------------------------------------------------------------------------


def test_a_hook_needs_a_gradient_to_look_at(lib):
    with pytest.raises(RuntimeError, match="cannot register a hook on a tensor that doesn't requ"):
        plain(lib, 1.0).register_hook(print)


def test_a_hook_must_not_change_the_size(lib):
    x = leaf(lib, [1.0, 2.0])

    def shrink(grad):
        return plain(lib, [1.0])

    x.register_hook(shrink)
    with pytest.raises(RuntimeError, match="hook 'shrink' has changed the size of value"):
        (x * 2).backward(plain(lib, [1.0, 1.0]))
    assert x.grad is None


def test_a_hook_must_not_change_the_dtype(lib):
    x = leaf(lib, 1.0)

    def narrow(grad):
        return lib.tensor(1.0, dtype=lib.float32)

    x.register_hook(narrow)
    with pytest.raises(RuntimeError, match="hook 'narrow' has changed the type of value"):
        (x * 2).backward()


def test_a_hook_must_return_a_tensor(lib):
    x = leaf(lib, 1.0)
    x.register_hook(lambda grad: 5)
    with pytest.raises(TypeError, match="expected Variable, but hook returned 'int'"):
        (x * 2).backward()


def test_a_prehook_must_return_as_many_as_it_got(lib):
    y = leaf(lib, 1.0) * 2

    def double(gout):
        return gout[0], gout[0]

    y.grad_fn.register_prehook(double)
    expected = r"hook 'double' has returned an incorrect number of values \(got 2, but expected 1\)"
    with pytest.raises(RuntimeError, match=expected):
        y.backward()


def test_a_node_hook_must_return_a_tuple(lib):
    for register in ("register_prehook", "register_hook"):
        y = leaf(lib, 1.0) * 2
        getattr(y.grad_fn, register)(lambda *grads: grads[0][0])
        with pytest.raises(TypeError, match="expected tuple, but hook returned 'Tensor'"):
            y.backward()


def test_a_missing_gradient_cannot_be_replaced(lib):
    y = leaf(lib, 1.0) * plain(lib, 2.0)
    y.grad_fn.register_hook(lambda gin, gout: (gin[0], gin[0]))
    with pytest.raises(RuntimeError, match="can't replace a None gradient with a non-None value"):
        y.backward()


def test_a_posthook_may_drop_a_gradient(lib):
    x = leaf(lib, 1.0)
    y = x * 2
    y.grad_fn.register_hook(lambda gin, gout: (None,) * len(gin))
    y.backward()
    assert x.grad is None


def test_a_posthook_must_return_as_many_as_it_got(lib):
    y = leaf(lib, 1.0) * leaf(lib, 2.0)
    y.grad_fn.register_hook(lambda gin, gout: gin[:1])
    expected = r"has returned an incorrect number of values \(got 1, but expected 2\)"
    with pytest.raises(RuntimeError, match=expected):
        y.backward()


def test_what_is_no_function_is_no_hook():
    x = leaf(glassgrad, 1.0)
    with pytest.raises(TypeError, match="must be callable"):
        x.register_hook(3)


# Modes inside hooks -----------------------------------------------------------------------------


@together
@pytest.mark.parametrize("create_graph", [False, True])
def test_hooks_are_recorded_only_with_create_graph(lib, create_graph):
    x = leaf(lib, 2.0)
    seen = []
    x.register_hook(lambda grad: seen.append(lib.is_grad_enabled()))
    lib.autograd.grad(x * x, x, create_graph=create_graph)
    assert seen == [create_graph]


def test_what_a_hook_does_is_differentiated(lib):
    x = leaf(lib, 2.0)
    y = x * x
    y.register_hook(lambda grad: grad * x)
    (first,) = lib.autograd.grad(y, x, create_graph=True)
    (second,) = lib.autograd.grad(first, x)
    assert values([first, second]) == [8.0, 8.0]  # 2x², 4x


# In-place writes ----------------------------------------------------------------------------------


def test_retain_grad_moves_along_when_the_tensor_is_written(lib):
    a = leaf(lib, [1.0]) * 1
    a.retain_grad()
    a.mul_(2)
    a.mul_(2)
    assert a.retains_grad
    a.sum().backward()
    assert a.grad.tolist() == [1.0]


def test_a_hook_stays_with_the_tensor_as_it_was(lib):
    a = leaf(lib, [1.0]) * 1
    seen = []
    a.register_hook(lambda grad: seen.append(grad.item()))
    a.mul_(2)
    a.sum().backward()
    assert seen == [2.0]


def test_a_hook_may_return_a_gradient_of_a_batched_pass(lib):
    x = lib.ones(3, dtype=lib.float64, requires_grad=True)
    model = lib.nn.Linear(3, 3, bias=False, dtype=lib.float64)
    model.register_full_backward_hook(lambda module, before, after: (before[0] * 2,))
    y = model(x)
    y.register_hook(lambda grad: grad * 3)
    (rows,) = lib.autograd.grad(y, x, lib.eye(3, dtype=lib.float64), is_grads_batched=True)
    assert rows.tolist() == (6 * model.weight).tolist()


def test_hooks_of_one_tensor_see_the_same_gradient(lib):
    x = lib.ones(2, requires_grad=True)
    y = x * 2
    seen, doubled = [], []

    def notes(grad):
        seen.append(grad)
        grad.note = "from the first"

    def doubles(grad):
        assert grad.note == "from the first"
        doubled.append(grad * 2)
        return doubled[0]

    for hook in (notes, doubles, seen.append):
        y.register_hook(hook)
    y.sum().backward()
    assert seen[1] is doubled[0]
    assert x.grad.tolist() == [4, 4]


def test_no_gradient_is_replaced_by_no_tensor_either(lib):
    x = leaf(lib, 1.0)
    made = make(lib, lambda ctx, x: x * 1, lambda ctx, grad: None)
    y = x * 2
    y.register_hook(lambda grad: 3)
    with pytest.raises(RuntimeError, match="can't replace a None gradient"):
        made.apply(y).backward()
