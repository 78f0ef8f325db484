"""What a node keeps of a tensor until backward."""

import numpy as np
import pytest

import glassgrad as gg
from both import make
from checks import together
from glassgrad import tensor
from glassgrad.autograd import Function
from glassgrad.autograd.graph import saved_tensors_hooks
from glassgrad.core.errors import FreedGraphError
from glassgrad.memory.saved import saved_bytes


class Square(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 2 * x


class SquareOnce(Square):
    clear_saved_tensors_on_access = True


def leaf():
    return tensor([1.0, 2.0], requires_grad=True)


def test_an_array_that_is_saved_twice_counts_once():
    x = leaf()
    assert saved_bytes((x * x).grad_fn) == x.nbytes
    assert saved_bytes((x * tensor([3.0, 4.0])).grad_fn) == x.nbytes
    assert saved_bytes(Square.apply(x).grad_fn) == x.nbytes
    assert saved_bytes((x + x).grad_fn) == 0


def test_with_hooks_the_tensors_that_they_keep_count():
    x = leaf()
    with saved_tensors_hooks(lambda x: {"half": x.detach()[:1].clone()}, lambda d: d["half"]):
        assert saved_bytes(x.exp().grad_fn) == x.nbytes // 2
    with saved_tensors_hooks(lambda x: "on disk", lambda _: x):
        assert saved_bytes(x.exp().grad_fn) == 0


def test_what_is_freed_counts_nothing():
    for op in (Square.apply, SquareOnce.apply, np.exp):
        y = op(leaf())
        y.sum().backward()
        assert saved_bytes(y.grad_fn) == 0


def test_freed_tensors_say_how_to_keep_them():
    x = leaf()
    y = x.exp()
    y.sum().backward()
    with pytest.raises(FreedGraphError, match="Specify retain_graph=True"):
        _ = y.grad_fn._saved_result
    z = Square.apply(x)
    z.sum().backward()
    for name in ("saved_tensors", "_raw_saved_tensors"):
        with pytest.raises(FreedGraphError, match="Specify retain_graph=True"):
            getattr(z.grad_fn, name)


@pytest.mark.parametrize("dtype", [gg.float32, gg.complex64])
def test_a_node_that_kept_only_an_index_is_freed_as_any_other(dtype):
    x = tensor([1.0, 2.0], dtype=dtype, requires_grad=True)
    y = x[tensor([1, 0])]
    ones = tensor([1.0, 1.0], dtype=dtype)
    y.backward(ones, retain_graph=True)
    y.backward(ones)
    assert x.grad.tolist() == [2, 2]
    with pytest.raises(FreedGraphError, match="backward through the graph a second time"):
        y.backward(ones)


def test_tensors_that_are_cleared_on_access_can_be_read_once():
    x = leaf()
    y = SquareOnce.apply(x)
    assert y.grad_fn.saved_tensors[0] is x
    assert y.grad_fn._raw_saved_tensors == ()
    for use in (lambda: y.grad_fn.saved_tensors, y.sum().backward):
        with pytest.raises(FreedGraphError, match="can only be accessed once when clear_saved"):
            use()


def test_clearing_on_access_holds_for_a_kept_graph_too():
    y = SquareOnce.apply(leaf()).sum()
    y.backward(retain_graph=True)
    with pytest.raises(FreedGraphError, match="can only be accessed once"):
        y.backward()


def test_a_function_may_get_its_gradients_as_one_list():
    class Boxed(Function):
        boxed_grads_call = True

        @staticmethod
        def forward(ctx, x):
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, grads):
            assert type(grads) is list
            first, second = grads
            grads.clear()
            return first * 2 + second * 3

    x = leaf()
    doubled, tripled = Boxed.apply(x)
    (doubled + 10 * tripled).sum().backward()
    assert x.grad.tolist() == [32.0, 32.0]


def test_a_leaf_that_stops_requiring_grad_can_still_be_unpacked():
    x = leaf()
    x.detach()  # gives it a version, so that it is kept with one
    y = Square.apply(x)
    x.requires_grad = False
    assert y.grad_fn.saved_tensors[0] is x


def test_an_op_misses_a_saved_tensor_that_was_detached_in_place(lib):
    inner = lib.ones(2, requires_grad=True) + 1
    y = inner.sin().sum()
    inner.detach_()
    with pytest.raises(RuntimeError, match="has been detached in-place"):
        y.backward()


def test_a_function_gets_a_saved_tensor_that_was_detached_in_place(lib):
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    inner = lib.ones(2, requires_grad=True) + 1
    y = make(lib, forward, lambda ctx, grad: grad * 2 * ctx.saved_tensors[0]).apply(inner)
    inner.detach_()
    assert not y.grad_fn.saved_tensors[0].requires_grad


@together
@pytest.mark.parametrize("is_written_first", [False, True])
def test_an_op_saves_nothing_for_the_gradient_of_a_constant(lib, is_written_first):
    x, constant = lib.ones(2, requires_grad=True), lib.ones(2)
    y = lib.addcmul(x, constant, constant)
    if is_written_first:
        constant.mul_(2)
    y.sum().backward()
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_hooks_see_what_an_op_saves_in_order_of_its_names(lib):
    packed, unpacked = [], []

    def unpack(x):
        unpacked.append(x.tolist())
        return x

    x, y = (lib.tensor([value], requires_grad=True) for value in (2.0, 3.0))
    with lib.autograd.graph.saved_tensors_hooks(lambda x: packed.append(x.tolist()) or x, unpack):
        z = x**y
    z.backward()
    assert packed == [[3.0], [2.0], [8.0]]  # exponent, self, result
    assert unpacked == packed


def test_an_op_unpacks_what_it_saved_although_no_gradient_came(lib):
    nothing = make(lib, lambda ctx, x: x * 1, lambda ctx, grad: None)
    z = nothing.apply(lib.ones(2, requires_grad=True).exp())
    z.sum().backward()
    with pytest.raises(RuntimeError, match="a second time"):
        z.sum().backward()
