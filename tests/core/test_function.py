"""A Function of one's own: how it is called, what its ctx offers, and what it must return."""

import gc
import weakref

import pytest

import glassgrad
from both import leaf, plain, values


def cube(lib):
    class Cube(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * 3 * x * x

    return Cube


def make(lib, forward, backward=None, setup_context=None, **attributes):
    """A Function of the given rules."""
    body = {"forward": staticmethod(forward), **attributes}
    if backward is not None:
        body["backward"] = staticmethod(backward)
    if setup_context is not None:
        body["setup_context"] = staticmethod(setup_context)
    return type("Made", (lib.autograd.Function,), body)


# Two forms of forward -----------------------------------------------------------------------------


def test_the_form_with_ctx(lib):
    x = leaf(lib, 2.0)
    y = cube(lib).apply(x)
    assert y.item() == 8.0
    y.backward()
    assert x.grad.item() == 12.0


def test_the_form_with_setup_context(lib):
    seen = []

    def setup_context(ctx, inputs, output):
        seen.append((len(inputs), inputs[1], output.item()))
        ctx.save_for_backward(inputs[0])
        ctx.factor = inputs[1]

    def backward(ctx, grad):
        return grad * ctx.factor, None

    x = leaf(lib, 2.0)
    made = make(lib, lambda x, factor: x * factor, backward, setup_context)
    made.apply(x, 3).backward()
    assert x.grad.item() == 3.0
    assert seen == [(2, 3, 6.0)]


def test_defaults_are_filled_in_with_setup_context(lib):
    def forward(x, factor=5, power=1):
        return x * factor

    def setup_context(ctx, inputs, output):
        ctx.count = len(inputs)
        ctx.factor = inputs[1]

    def backward(ctx, grad):
        return grad * ctx.factor, None, None

    x = leaf(lib, 2.0)
    y = make(lib, forward, backward, setup_context).apply(x)
    assert y.grad_fn.count == 3
    y.backward()
    assert x.grad.item() == 5.0


def test_keywords_are_bound_with_setup_context(lib):
    def setup_context(ctx, inputs, output):
        ctx.factor = inputs[1]

    x = leaf(lib, 2.0)
    made = make(
        lib,
        lambda x, factor=1: x * factor,
        lambda ctx, grad: (grad * ctx.factor, None),
        setup_context,
    )
    made.apply(factor=4, x=x).backward()
    assert x.grad.item() == 4.0


def test_keywords_are_bound_without_setup_context_and_defaults_are_not(lib):
    def forward(ctx, x, factor=2):
        ctx.factor = factor
        return x * factor

    def backward(ctx, grad):
        return (grad * ctx.factor, None)[: len(ctx.needs_input_grad)]

    x = leaf(lib, 1.0)
    made = make(lib, forward, backward)
    assert made.apply(x=x).grad_fn.needs_input_grad == (True,)
    y = made.apply(factor=4, x=x)
    assert y.grad_fn.needs_input_grad == (True, False)
    y.backward()
    assert x.grad.item() == 4.0


def test_an_unknown_keyword_is_refused(lib):
    with pytest.raises(TypeError, match="unexpected keyword argument 'y'"):
        cube(lib).apply(leaf(lib, 2.0), y=3)


def test_vjp_is_another_name_for_backward(lib):
    x = leaf(lib, 2.0)
    made = make(lib, lambda ctx, x: x * 3, vjp=staticmethod(lambda ctx, grad: grad * 3))
    made.apply(x).backward()
    assert x.grad.item() == 3.0


def test_backward_and_vjp_together_are_refused(lib):
    made = make(
        lib,
        lambda ctx, x: x * 3,
        lambda ctx, grad: grad * 3,
        vjp=staticmethod(lambda ctx, grad: grad * 3),
    )
    y = made.apply(leaf(lib, 2.0))
    with pytest.raises(RuntimeError, match="Implementing both 'backward' and 'vjp'"):
        y.backward()


def test_a_function_without_backward_says_so_in_backward(lib):
    y = make(lib, lambda ctx, x: x * 3).apply(leaf(lib, 2.0))
    with pytest.raises(NotImplementedError, match="implement either the backward or vjp method"):
        y.backward()


def test_a_function_without_forward_says_so(lib):
    class Empty(lib.autograd.Function):
        pass

    with pytest.raises(NotImplementedError, match="must implement the forward"):
        Empty.apply(leaf(lib, 2.0))


def test_jvp_and_vmap_have_their_errors(lib):
    with pytest.raises(NotImplementedError, match="must implement the jvp function"):
        lib.autograd.Function.jvp(None)
    with pytest.raises(NotImplementedError, match="either override the vmap staticmethod"):
        lib.autograd.Function.vmap(None, None)


def test_a_forward_that_is_not_static_is_refused(lib):
    class Legacy(lib.autograd.Function):
        def forward(self, x):
            return x

        def backward(self, grad):
            return grad

    expected = "Legacy autograd function with non-static forward method is deprecated"
    with (
        pytest.warns(DeprecationWarning, match="should not be instantiated"),
        pytest.raises(RuntimeError, match=expected),
    ):
        Legacy()(leaf(lib, 1.0))


def test_functions_are_inherited(lib):
    base = cube(lib)

    class Sixth(base):
        @staticmethod
        def forward(ctx, x):
            return base.forward(ctx, x * x)

        @staticmethod
        def backward(ctx, grad):
            (square,) = ctx.saved_tensors
            return base.backward(ctx, grad) * 2 * square

    y = Sixth.apply(leaf(lib, 1.0))
    assert y.grad_fn.name() == "SixthBackward"
    y.backward()


# ctx ---------------------------------------------------------------------------------------------


def test_ctx_is_the_node(lib):
    kept = []
    made = make(lib, lambda ctx, x: kept.append(ctx) or x * 1, lambda ctx, grad: grad)
    y = made.apply(leaf(lib, 1.0))
    assert kept[0] is y.grad_fn
    assert y.grad_fn.name() == "MadeBackward"
    assert type(y.grad_fn) is made._backward_cls
    assert made._backward_cls._forward_cls is made


def test_backward_cls_is_a_backward_c_function():
    function = glassgrad.autograd.function
    made = cube(glassgrad)
    assert isinstance(made, function.FunctionMeta)
    assert issubclass(made._backward_cls, function.BackwardCFunction)
    assert issubclass(made._backward_cls, function.FunctionCtx)


def test_needs_input_grad_has_one_entry_for_each_argument(lib):
    seen = []

    def forward(ctx, x, factor, y):
        seen.append(ctx.needs_input_grad)
        return x * factor * y

    made = make(lib, forward, lambda ctx, grad: (grad, None, None))
    made.apply(leaf(lib, 1.0), 2, plain(lib, 3.0))
    assert seen == [(True, False, False)]


def test_forward_is_not_recorded_but_its_inputs_still_require_grad(lib):
    seen = []

    def forward(ctx, x):
        y = x * 2
        seen.append((x.requires_grad, y.requires_grad, lib.is_grad_enabled(), x.numpy().tolist()))
        return y

    make(lib, forward, lambda ctx, grad: grad).apply(leaf(lib, 1.0))
    assert seen == [(True, False, False, 1.0)]


def test_without_a_gradient_to_compute_there_is_no_node(lib):
    y = cube(lib).apply(plain(lib, 2.0))
    assert not y.requires_grad
    assert y.grad_fn is None
    with lib.no_grad():
        assert cube(lib).apply(leaf(lib, 2.0)).grad_fn is None


def test_saved_tensors_keep_their_order_and_none(lib):
    def forward(ctx, x, y):
        product = x * y
        ctx.save_for_backward(y, None, product, x)
        return product

    def backward(ctx, grad):
        y, nothing, product, x = ctx.saved_tensors
        assert nothing is None
        assert product.item() == 6.0
        return grad * y, grad * x

    x, y = leaf(lib, 2.0), leaf(lib, 3.0)
    z = make(lib, forward, backward).apply(x, y)
    assert z.grad_fn.saved_tensors[3] is x
    z.backward()
    assert values([x.grad, y.grad]) == [3.0, 2.0]


def test_only_tensors_can_be_saved_for_backward(lib):
    made = make(lib, lambda ctx, x: ctx.save_for_backward(x, 5) or x * 1)
    with pytest.raises(TypeError, match="save_for_backward can only save variables"):
        made.apply(leaf(lib, 1.0))


def test_only_tensors_can_be_saved_for_forward(lib):
    made = make(lib, lambda ctx, x: ctx.save_for_forward(5) or x * 1)
    with pytest.raises((TypeError, AssertionError)):
        made.apply(leaf(lib, 1.0))


def test_saved_variables_is_deprecated(lib):
    def backward(ctx, grad):
        with pytest.warns(DeprecationWarning, match="'saved_variables' is deprecated"):
            (x,) = ctx.saved_variables
        return grad * x

    x = leaf(lib, 3.0)
    made = make(lib, lambda ctx, x: ctx.save_for_backward(x) or x * x, backward)
    made.apply(x).backward()
    assert x.grad.item() == 3.0


def test_mark_shared_storage_is_deprecated(lib):
    def forward(ctx, x):
        with pytest.warns(FutureWarning, match="`?mark_shared_storage`? is deprecated"):
            ctx.mark_shared_storage((x, x))
        return x * 1

    make(lib, forward, lambda ctx, grad: grad).apply(leaf(lib, 1.0))


def test_saved_tensors_are_freed_by_backward(lib):
    y = cube(lib).apply(leaf(lib, 2.0))
    y.backward()
    with pytest.raises(RuntimeError, match="second time"):
        _ = y.grad_fn.saved_tensors
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()


def test_a_function_that_reads_nothing_saved_runs_twice(lib):
    x = leaf(lib, 2.0)
    y = make(lib, lambda ctx, x: x * 2, lambda ctx, grad: grad * 2).apply(x)
    y.backward()
    y.backward()
    assert x.grad.item() == 4.0


def test_a_saved_input_that_was_written_is_reported(lib):
    x = leaf(lib, [1.0, 2.0])
    a = x * 2
    y = cube(lib).apply(a)
    a.mul_(2)
    with pytest.raises(RuntimeError, match=r"modified by an inplace operation.*is at version 1"):
        y.backward(plain(lib, [1.0, 1.0]))


def test_a_saved_output_is_no_cycle(lib):
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        assert y.grad_fn is ctx
        return grad * y

    x = leaf(lib, 0.0)
    made = make(lib, forward, backward)
    y = made.apply(x)
    alive = weakref.ref(y)
    gc.disable()
    try:
        y.backward()
        del y
        assert alive() is None
    finally:
        gc.enable()
    assert x.grad.item() == 1.0


def test_double_backward_through_saved_inputs_and_outputs(lib):
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return grad * y

    for made, expected in ((cube(lib), 6.0), (make(lib, forward, backward), 2.718281828459045)):
        x = leaf(lib, 1.0)
        (first,) = lib.autograd.grad(made.apply(x), x, create_graph=True)
        (second,) = lib.autograd.grad(first, x)
        assert second.item() == pytest.approx(expected)


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


# once_differentiable -----------------------------------------------------------------------------


def outside_the_tape(lib):
    class Square(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @lib.autograd.function.once_differentiable
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            assert not lib.is_grad_enabled()
            return grad * 2 * x

    return Square.apply


def test_once_differentiable_gives_the_first_derivative(lib):
    x = leaf(lib, 3.0)
    outside_the_tape(lib)(x).backward()
    assert x.grad.item() == 6.0


def test_once_differentiable_refuses_the_second_when_it_is_reached(lib):
    x = leaf(lib, 3.0)
    y = x * 1
    (first,) = lib.autograd.grad(outside_the_tape(lib)(y) * x, x, create_graph=True)
    with pytest.raises(RuntimeError, match="trying to differentiate twice a function that was"):
        first.backward()


def test_the_gradient_of_once_differentiable_is_a_constant_if_nothing_requires_grad(lib):
    x = leaf(lib, 3.0)
    (first,) = lib.autograd.grad(outside_the_tape(lib)(x), x, create_graph=True)
    assert first.item() == 6.0
    assert not first.requires_grad
