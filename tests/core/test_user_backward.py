"""What a user's backward gets, and what it may return, beyond the plain cases."""

import pytest

import glassgrad as gg
from both import leaf, make, values
from checks import together

# Gradients that never come -----------------------------------------------------------------------


def outputs_of_all_kinds(lib, seen, *, wish):
    """A Function of a float, an integer, no tensor, a marked and another float output."""

    def forward(ctx, x):
        ctx._materialize_non_diff_grads = wish
        marked = x * 3
        ctx.mark_non_differentiable(marked)
        return x * 2, x.to(lib.int64), None, marked, x * 5

    def backward(ctx, *grads):
        seen.append(values(grads))
        return grads[0]

    return make(lib, forward, backward)


def test_outputs_without_a_gradient_get_zeros(lib):
    seen = []
    first, *_ = outputs_of_all_kinds(lib, seen, wish=True).apply(leaf(lib, [1.0, 2.0]))
    first.sum().backward()
    assert seen == [[[1.0, 1.0], [0, 0], None, [0.0, 0.0], [0.0, 0.0]]]


def test_outputs_without_a_gradient_get_none_if_so_wished(lib):
    seen = []
    first, *_ = outputs_of_all_kinds(lib, seen, wish=False).apply(leaf(lib, [1.0, 2.0]))
    first.sum().backward()
    assert seen == [[[1.0, 1.0], None, None, None, [0.0, 0.0]]]


# Saved tensors that are read once ----------------------------------------------------------------


def reading_twice(lib, log, *saved, **attributes):
    """A Function that reads its saved tensors twice and tells how often that worked."""

    def forward(ctx, x):
        ctx.save_for_backward(*saved)
        return x * 2

    def backward(ctx, grad):
        for _ in range(2):
            try:
                log.append(len(ctx.saved_tensors))
            except RuntimeError as error:
                log.append("only be accessed once" in str(error))
        return grad

    return make(lib, forward, backward, **attributes)


@together
@pytest.mark.parametrize("saved", [(), (None,)])
def test_saved_tensors_may_go_as_soon_as_they_were_read(lib, saved):
    log = []
    function = reading_twice(lib, log, *saved, clear_saved_tensors_on_access=True)
    function.apply(leaf(lib, 1.0)).backward()
    assert log == [len(saved), True]


def test_saved_tensors_stay_if_nothing_else_is_said(lib):
    log = []
    reading_twice(lib, log, None).apply(leaf(lib, 1.0)).backward()
    assert log == [1, 1]


# Boxes -------------------------------------------------------------------------------------------


def test_backward_may_get_its_gradients_in_a_list_that_it_can_empty(lib):
    seen = []

    def backward(ctx, grads):
        seen.append((type(grads), values(grads)))
        first = grads.pop(0)
        grads.clear()
        return first * 2

    made = make(lib, lambda ctx, x: (x * 2, x * 3), backward, boxed_grads_call=True)
    x = leaf(lib, [1.0])
    made.apply(x)[0].backward()
    assert seen == [(list, [[1.0], [0.0]])]
    assert x.grad.tolist() == [2.0]


def test_a_box_reaches_a_backward_that_is_once_differentiable(lib):
    once = lib.autograd.function.once_differentiable

    def backward(ctx, grads):
        return grads[0] * 7

    made = make(lib, lambda ctx, x: x * 2, once(backward), boxed_grads_call=True)
    x = leaf(lib, [1.0])
    made.apply(x).backward()
    assert x.grad.tolist() == [7.0]


# Kinds of results --------------------------------------------------------------------------------


def test_a_list_is_no_tuple_of_gradients(lib):
    made = make(lib, lambda ctx, x, y: x * y, lambda ctx, grad: [grad, grad])
    with pytest.raises(RuntimeError, match=r"incorrect number of gradients .expected 2, got 1"):
        made.apply(leaf(lib, 1.0), leaf(lib, 2.0)).backward()
    one = make(lib, lambda ctx, x: x * 1, lambda ctx, grad: [grad])
    with pytest.raises(RuntimeError, match=r"expected Variable or None .got list"):
        one.apply(leaf(lib, 1.0)).backward()


def test_who_returns_a_list_is_told_to_leave_out_the_brackets():
    for count in (1, 2):
        made = make(gg, lambda ctx, *xs: xs[0] * 1, lambda ctx, grad, n=count: [grad] * n)
        with pytest.raises(RuntimeError, match="A list is no tuple of gradients: write `return dx"):
            made.apply(*[leaf(gg, 1.0)] * count).backward()


@together
@pytest.mark.parametrize("extra", [1, 3])
def test_trailing_none_is_dropped(lib, extra):
    x = leaf(lib, 1.0)
    rule = lambda ctx, grad: (grad * 5, *[None] * extra)  # noqa: E731  # one line is enough
    make(lib, lambda ctx, x: x * 1, rule).apply(x).backward()
    assert x.grad.item() == 5.0


# The second derivative of what has none ----------------------------------------------------------


def test_once_differentiable_says_so_when_the_second_derivative_is_reached(lib):
    once = lib.autograd.function.once_differentiable

    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        assert not lib.is_grad_enabled()
        return 2 * x * grad

    made = make(lib, forward, once(backward))
    x, seed = leaf(lib, [1.0, 2.0]), leaf(lib, [1.0, 1.0])
    (plain_seed,) = lib.autograd.grad(made.apply(x), x, seed.detach(), create_graph=True)
    assert not plain_seed.requires_grad
    (found,) = lib.autograd.grad(made.apply(x), x, seed, create_graph=True)
    assert found.requires_grad
    with pytest.raises(RuntimeError, match="appears to not have been used"):
        lib.autograd.grad(found.sum(), x, retain_graph=True)
    with pytest.raises(RuntimeError, match="trying to differentiate twice a function that was"):
        found.sum().backward()
