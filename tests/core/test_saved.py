"""What a node keeps of a tensor until backward."""

import numpy as np
import pytest

from glassgrad import tensor
from glassgrad.autograd import Function
from glassgrad.autograd.graph import saved_tensors_hooks
from glassgrad.core.engine import saved_bytes
from glassgrad.core.errors import FreedGraphError, GraphError


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


@pytest.mark.parametrize("op", [Square.apply, lambda x: x.sin()])
def test_a_saved_tensor_that_lost_its_node_is_missed(op):
    inner = leaf() + 1
    inner.detach()  # gives it a version
    y = op(inner)
    inner.edge = None  # what detaching in place does
    node = y.grad_fn
    use = node.check_versions if hasattr(node, "check_versions") else lambda: node.saved_tensors
    with pytest.raises(GraphError, match="has been detached in-place"):
        use()
