"""A Function of one's own: how it is called, what its ctx offers, and what it must return."""

import gc
import weakref

import pytest

import glassgrad
from both import leaf, make, plain, values
from checks import together


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


@together
@pytest.mark.parametrize("kind", [staticmethod, classmethod, lambda method: method])
@pytest.mark.parametrize("separate", [False, True])
def test_a_forward_may_be_of_the_class_or_plain(lib, kind, separate):
    own = (None,) if kind is classmethod else ()

    class Square(lib.autograd.Function):
        @kind
        def forward(*args):
            *ctx, x = args[len(own) :]
            for each in ctx:
                each.save_for_backward(x)
            return x * x

        @kind
        def backward(*args):
            ctx, grad = args[len(own) :]
            return 2 * grad * ctx.saved_tensors[0]

    if separate:
        Square.setup_context = lambda ctx, inputs, output: ctx.save_for_backward(*inputs)
    x = leaf(lib, 3.0)
    Square.apply(x).backward()
    assert x.grad == 6.0


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
