"""Gradients and saved tensors that are changed at a pause."""

import pytest

import glassgrad
from checks import together
from glassgrad import tensor
from glassgrad.core.errors import ArgumentError, ArgumentTypeError, GradientError
from tracing.stepping import leaf


def test_a_changed_gradient_is_what_the_pass_goes_on_with():
    x = leaf([1.0, 2.0])
    y = x * 3
    s = glassgrad.step(y.sum()).run_until(y)
    s.set_gradient(y, tensor([10.0, 20.0]))
    s.run()
    assert x.grad.tolist() == [30.0, 60.0]


def test_a_gradient_that_is_still_arriving_can_be_changed():
    x = leaf([1.0, 2.0])
    s = glassgrad.step((x.exp() * 0 + x).sum()).run_until("Mul")
    s.set_gradient(x, tensor([5.0, 6.0]))
    s.run()
    assert x.grad.tolist() == [5.0, 6.0]


def test_a_gradient_can_be_changed_between_two_hooks():
    x = leaf([1.0])
    y = x * 3
    seen = []
    y.register_hook(lambda grad: seen.append(grad.item()))
    s = glassgrad.step(y, tensor([1.0]), granularity="hook").next()
    s.set_gradient(y, tensor([7.0]))
    s.run()
    assert seen == [7.0]
    assert x.grad.tolist() == [21.0]


def test_one_gradient_of_several_outputs_can_be_changed():
    x = leaf([1.0, 2.0])
    first, second = x.unbind()
    s = glassgrad.step(first + second).run_until(first)
    s.set_gradient(second, tensor(5.0))
    with pytest.raises(GradientError, match="has 2 outputs, each with a gradient of its own"):
        s.set_gradient(first.grad_fn, tensor(5.0))
    s.run()
    assert x.grad.tolist() == [1.0, 5.0]


def test_stepping_back_takes_a_change_back():
    x = leaf([1.0, 2.0])
    y = x * 3
    s = glassgrad.step(y.sum()).run_until(y)
    s.set_gradient(y, tensor([10.0, 20.0]))
    s.back().run()
    assert x.grad.tolist() == [3.0, 3.0]


@pytest.mark.filterwarnings("ignore:Using backward.. with create_graph=True")
def test_under_create_graph_a_changed_gradient_stays_in_the_graph():
    x, seed = leaf(3.0), leaf(5.0)
    y = x * x
    with glassgrad.step(y, create_graph=True) as s:
        s.set_gradient(y, seed * 2)
        s.run()
    assert x.grad.item() == 60.0
    assert glassgrad.autograd.grad(x.grad, seed)[0].item() == 12.0
    x.grad = None


@together
@pytest.mark.parametrize(
    ("value", "error", "said"),
    [
        (1.0, ArgumentTypeError, "to be replaced by a float"),
        (tensor([1.0]), GradientError, r"has the shape \(2,\), and the new value \(1,\)"),
        (tensor([1.0, 2.0], dtype=glassgrad.float64), GradientError, "is float32, and .* float64"),
    ],
)
def test_a_gradient_of_another_shape_or_dtype_is_refused(value, error, said):
    x = leaf([1.0, 2.0])
    y = x * 3
    s = glassgrad.step(y.sum()).run_until(y)
    with pytest.raises(error, match=said):
        s.set_gradient(y, value)
    s.run()
    assert x.grad.tolist() == [3.0, 3.0]


def test_a_gradient_that_is_not_there_cannot_be_changed():
    x = leaf([1.0, 2.0])
    y = x * 3
    loss = y.sum()
    s = glassgrad.step(loss)
    with pytest.raises(GradientError, match="none has arrived at n1 MulBackward0"):
        s.set_gradient(y, tensor([1.0, 2.0]))
    s.next()
    with pytest.raises(GradientError, match="the gradient at n2 SumBackward0 has been used"):
        s.set_gradient(loss, tensor(1.0))


def test_a_changed_saved_tensor_is_what_the_rule_uses():
    x, w = leaf([1.0, 2.0]), tensor([3.0, 4.0])
    y = x * w
    s = glassgrad.step(y.sum(), retain_graph=True)
    s.set_saved(y.grad_fn, "other", tensor([10.0, 20.0]))
    s.run()
    assert x.grad.tolist() == [10.0, 20.0]
    assert w.tolist() == [3.0, 4.0]


def test_a_stale_saved_tensor_can_be_mended():
    x = leaf([1.0, 2.0])
    y = x * 1
    z = y * y
    with glassgrad.no_grad():
        y.add_(1)
    s = glassgrad.step(z.sum()).run_until(z)
    s.set_saved(z.grad_fn, "self", tensor([1.0, 2.0]))
    s.set_saved(z.grad_fn, "other", tensor([1.0, 2.0]))
    s.run()
    assert x.grad.tolist() == [2.0, 4.0]


def test_the_saved_tensor_of_a_users_function_can_be_changed():
    x = leaf([1.0, 2.0])
    y = Square.apply(x)
    s = glassgrad.step(y.sum()).next()
    s.set_saved(s.current, "saved_tensors[0]", tensor([5.0, 5.0]))
    s.run()
    assert x.grad.tolist() == [10.0, 10.0]


def test_a_saved_tensor_that_is_not_there_cannot_be_changed():
    x = leaf([1.0, 2.0])
    y = x * x
    s = glassgrad.step(y.sum())
    with pytest.raises(ArgumentError, match="has saved no 'result'; it holds 'self', 'other'"):
        s.set_saved(y.grad_fn, "result", tensor([1.0, 1.0]))
    s.run()
    with pytest.raises(ArgumentError, match="it holds nothing"):
        s.set_saved(y.grad_fn, "self", tensor([1.0, 1.0]))


class Square(glassgrad.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 2 * x
