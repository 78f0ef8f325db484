"""Outputs and gradients of a Function of one's own: what forward and backward may return."""

import gc
import weakref

import pytest

import glassgrad
from both import leaf, make, plain, values

# Outputs -----------------------------------------------------------------------------------------


def test_outputs_that_are_no_tensors_pass_through(lib):
    marker = object()
    seen = []

    def forward(ctx, x):
        return x * 1, None, marker, 3

    def backward(ctx, *grads):
        seen.extend(grads[1:])
        return grads[0]

    x = leaf(lib, 2.0)
    y, nothing, same, number = make(lib, forward, backward).apply(x)
    assert nothing is None
    assert same is marker
    assert number == 3
    y.backward()
    assert seen == [None, None, None]
    assert x.grad.item() == 1.0


def test_one_output_in_a_tuple_stays_in_a_tuple(lib):
    made = make(lib, lambda ctx, x: (x * 1,), lambda ctx, grad: grad)
    (y,) = made.apply(leaf(lib, 1.0))
    assert y.grad_fn.name() == "MadeBackward"


def test_a_list_is_no_tuple_of_outputs(lib):
    made = make(lib, lambda ctx, x: [x * 1], lambda ctx, grad: grad)
    outputs = made.apply(leaf(lib, 1.0))
    assert isinstance(outputs, list)
    assert not outputs[0].requires_grad


def test_missing_gradients_are_zeros(lib):
    seen = []

    def backward(ctx, first, second):
        seen.append(second)
        return first

    x = leaf(lib, [1.0, 2.0])
    first, _ = make(lib, lambda ctx, x: (x * 1, x.sum()), backward).apply(x)
    first.backward(plain(lib, [1.0, 1.0]))
    assert values(seen) == [0.0]


def test_missing_gradients_are_none_if_not_materialized(lib):
    seen = []

    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 1, x * 2

    def backward(ctx, first, second):
        seen.append(second)
        return first

    first, _ = make(lib, forward, backward).apply(leaf(lib, 1.0))
    first.backward()
    assert seen == [None]


def test_non_differentiable_outputs_have_no_grad_fn_and_zero_gradients(lib):
    seen = []

    def forward(ctx, x):
        a, b = x * 1, x * 2
        ctx.mark_non_differentiable(b)
        return a, b

    def backward(ctx, first, second):
        seen.append(second)
        return first

    x = leaf(lib, 2.0)
    a, b = make(lib, forward, backward).apply(x)
    assert a.requires_grad
    assert not b.requires_grad
    assert b.grad_fn is None
    a.backward()
    assert values(seen) == [0.0]


def test_integer_outputs_have_no_grad_fn(lib):
    def forward(ctx, x):
        return x * 1, lib.tensor([1, 2])

    x = leaf(lib, 2.0)
    a, b = make(lib, forward, lambda ctx, first, second: first).apply(x)
    assert not b.requires_grad
    a.backward()
    assert x.grad.item() == 1.0


def test_an_input_returned_as_it_is_becomes_a_view(lib):
    x = leaf(lib, [1.0, 2.0])
    y = make(lib, lambda ctx, x: x, lambda ctx, grad: grad * 3).apply(x)
    assert y is not x
    assert y._base is x
    assert x.is_leaf
    y.backward(plain(lib, [1.0, 1.0]))
    assert x.grad.tolist() == [3.0, 3.0]


def test_an_input_returned_without_recording_is_another_tensor(lib):
    x = plain(lib, [1.0, 2.0])
    y = make(lib, lambda ctx, x: x, lambda ctx, grad: grad).apply(x)
    assert not y.requires_grad
    y.add_(1)
    assert x.tolist() == [2.0, 3.0]


def test_a_tensor_returned_twice_gets_both_gradients():
    lib = glassgrad  # PyTorch gives the sum to the last output

    def forward(ctx, x):
        y = x * 2
        return y, y

    x = leaf(lib, 1.0)
    a, b = make(lib, forward, lambda ctx, first, second: first + 10 * second).apply(x)
    (a + b).backward()
    assert x.grad.item() == 11.0


def test_a_captured_leaf_that_is_returned_stays_a_leaf():
    lib = glassgrad  # PyTorch turns it into an output
    outer = leaf(lib, 5.0)
    made = make(lib, lambda ctx, x: outer, lambda ctx, grad: grad * 7)
    x = leaf(lib, 1.0)
    y = made.apply(x)
    y.backward()
    assert x.grad.item() == 7.0
    assert outer.is_leaf


# In place ----------------------------------------------------------------------------------------


def doubling(lib):
    def forward(ctx, x):
        ctx.mark_dirty(x)
        with lib.no_grad():
            x.mul_(2)
        return x

    return make(lib, forward, lambda ctx, grad: grad * 2)


def test_a_dirty_input_is_the_output_with_a_new_grad_fn(lib):
    x = leaf(lib, 1.0)
    a = x * 1
    before = a.grad_fn
    version = a._version
    y = doubling(lib).apply(a)
    assert y is a
    assert y.grad_fn is not before
    assert y.grad_fn.next_functions[0][0] is before
    assert a._version > version
    y.backward()
    assert x.grad.item() == 2.0


def test_a_dirty_input_that_is_not_returned_is_refused(lib):
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x * 1

    made = make(lib, forward, lambda ctx, grad: grad)
    with pytest.raises(RuntimeError, match="Some elements marked as dirty during the forward"):
        made.apply(leaf(lib, 1.0) * 1)


def test_a_dirty_leaf_is_refused(lib):
    x = leaf(lib, 1.0)
    expected = "a leaf Variable that requires grad has been used in an in-place operation"
    with pytest.raises(RuntimeError, match=expected):
        doubling(lib).apply(x)
    assert x.is_leaf


def test_only_inputs_are_to_be_marked_dirty(lib):
    def forward(ctx, x):
        y = x * 2
        ctx.mark_dirty(y)
        return y

    with pytest.warns(UserWarning, match="received a tensor that was not an input"):
        make(lib, forward, lambda ctx, grad: grad * 2).apply(leaf(lib, 1.0))


def test_a_dirty_view_and_another_output_are_refused(lib):
    def forward(ctx, x):
        ctx.mark_dirty(x)
        x.mul_(2)
        return x, x * 1

    made = make(lib, forward, lambda ctx, first, second: first)
    with pytest.raises(RuntimeError, match="your Function modifies inplace an input that is a vi"):
        made.apply((leaf(lib, [1.0, 2.0]) * 1).view(2, 1))


def test_a_dirty_tensor_keeps_its_retained_gradient(lib):
    a = leaf(lib, 1.0) * 1
    a.retain_grad()
    doubling(lib).apply(a)
    a.backward()
    assert a.grad.item() == 1.0


def test_a_dirty_constant_stays_one(lib):
    x = plain(lib, 1.0)
    y = doubling(lib).apply(x)
    assert y is x
    assert x.item() == 2.0
    assert not y.requires_grad


def test_a_dirty_constant_beside_an_input_that_requires_grad_joins_the_graph(lib):
    def forward(ctx, x, y):
        ctx.mark_dirty(x)
        x.add_(y)
        return x

    x, y = plain(lib, 1.0), leaf(lib, 2.0)
    out = make(lib, forward, lambda ctx, grad: (None, grad * 3)).apply(x, y)
    assert out is x
    out.backward()
    assert y.grad.item() == 3.0


# What backward returns ---------------------------------------------------------------------------


def returning(lib, count, *grads):
    def backward(ctx, grad):
        return grads if len(grads) != 1 else grads[0]

    made = make(lib, lambda ctx, *xs: xs[0] * 1, backward)
    return made.apply(*[leaf(lib, [1.0, 2.0]) for _ in range(count)])


def test_too_few_gradients_are_refused(lib):
    y = returning(lib, 2, plain(lib, [1.0, 1.0]))
    expected = r"returned an incorrect number of gradients \(expected 2, got 1\)"
    with pytest.raises(RuntimeError, match=expected):
        y.backward(plain(lib, [1.0, 1.0]))


def test_too_many_gradients_are_refused_unless_none(lib):
    seed = plain(lib, [1.0, 1.0])
    returning(lib, 1, seed, None, None).backward(seed)
    expected = r"returned an incorrect number of gradients \(expected 1, got 2\)"
    with pytest.raises(RuntimeError, match=expected):
        returning(lib, 1, seed, seed).backward(seed)


def test_a_gradient_for_what_is_no_tensor_is_refused(lib):
    made = make(lib, lambda ctx, x, n: x * n, lambda ctx, grad: (grad, grad))
    expected = (
        "returned a gradient different than None at position 2, but the corresponding forward "
        "input was not a Variable"
    )
    with pytest.raises(RuntimeError, match=expected):
        made.apply(leaf(lib, 1.0), 3).backward()


def test_a_gradient_for_a_constant_is_ignored(lib):
    x, c = leaf(lib, 2.0), plain(lib, 3.0)
    made = make(lib, lambda ctx, x, c: x * c, lambda ctx, grad: (grad * 3, grad * 2))
    made.apply(x, c).backward()
    assert x.grad.item() == 3.0
    assert c.grad is None


def test_a_gradient_of_another_shape_is_refused(lib):
    y = returning(lib, 1, plain(lib, [1.0, 2.0, 3.0]))
    expected = (
        r"Function MadeBackward returned an invalid gradient at index 0 - got \[3\] but expected "
        r"shape compatible with \[2\]"
    )
    with pytest.raises(RuntimeError, match=expected):
        y.backward(plain(lib, [1.0, 1.0]))


def test_a_gradient_that_broadcasts_is_summed(lib):
    def backward(ctx, grad):
        return plain(lib, [[1.0, 2.0], [3.0, 4.0]])

    x = leaf(lib, [1.0, 2.0])
    make(lib, lambda ctx, x: x * 1, backward).apply(x).backward(plain(lib, [1.0, 1.0]))
    assert x.grad.tolist() == [4.0, 6.0]


def test_a_gradient_of_another_dtype_is_cast(lib):
    def backward(ctx, grad):
        return lib.tensor([1.0, 2.0], dtype=lib.float32)

    x = leaf(lib, [1.0, 2.0])
    make(lib, lambda ctx, x: x * 1, backward).apply(x).backward(plain(lib, [1.0, 1.0]))
    assert x.grad.dtype == lib.float64


def test_a_gradient_that_is_no_tensor_is_refused(lib):
    y = returning(lib, 1, 3.0)
    with pytest.raises((RuntimeError, TypeError), match=r"expected Variable or None|got .?float"):
        y.backward(plain(lib, [1.0, 1.0]))


def test_none_is_a_gradient(lib):
    x = leaf(lib, 1.0)
    y = x * 2
    make(lib, lambda ctx, x: x * 1, lambda ctx, grad: None).apply(y).backward()
    assert x.grad is None


def test_backward_is_recorded_only_with_create_graph(lib):
    seen = []

    def backward(ctx, grad):
        seen.append(lib.is_grad_enabled())
        return grad

    x = leaf(lib, 1.0)
    made = make(lib, lambda ctx, x: x * 1, backward)
    lib.autograd.grad(made.apply(x), x)
    lib.autograd.grad(made.apply(x), x, create_graph=True)
    assert seen == [False, True]


def test_an_exception_in_forward_restores_the_mode(lib):
    def forward(ctx, x):
        raise ValueError("in forward")

    with pytest.raises(ValueError, match="in forward"):
        make(lib, forward).apply(leaf(lib, 1.0))
    assert lib.is_grad_enabled()


def test_forward_may_run_a_graph_of_its_own(lib):
    def forward(ctx, x):
        with lib.enable_grad():
            ctx.inner = x.detach().requires_grad_()
            ctx.outer = ctx.inner * ctx.inner
        return ctx.outer.detach()

    def backward(ctx, grad):
        (inner,) = lib.autograd.grad(ctx.outer, ctx.inner, grad)
        return inner

    x = leaf(lib, 3.0)
    make(lib, forward, backward).apply(x).backward()
    assert x.grad.item() == 6.0


def test_a_replaced_forward_is_noticed():
    class Twice(glassgrad.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

    x = glassgrad.tensor(1.0)
    assert Twice.apply(x).item() == 2
    Twice.forward = staticmethod(lambda ctx, x: x * 3)
    assert Twice.apply(x).item() == 3


def test_a_class_that_was_applied_can_be_forgotten():
    class Once(glassgrad.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

    Once.apply(glassgrad.tensor(1.0))
    kept = weakref.ref(Once)
    del Once
    gc.collect()
    assert kept() is None
