"""Hooks on saved tensors, compared with PyTorch where a number can be compared."""

import gc
import threading
import weakref

import pytest

import glassgrad
from checks import together
from glassgrad import tensor
from glassgrad.autograd import Function, SavedTensor, grad
from glassgrad.autograd.graph import (
    disable_saved_tensors_hooks,
    save_on_cpu,
    saved_tensors_hooks,
)
from glassgrad.core.errors import ArgumentTypeError, FreedGraphError, GraphError, StaleTensorError
from glassgrad.core.state import modes, special
from glassgrad.memory.saved import check_versions

torch = pytest.importorskip("torch")


def leaf():
    return tensor([1.0, 2.0], requires_grad=True)


def identity(x):
    return x


class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(x, y, None)
        return y

    @staticmethod
    def backward(ctx, grad):
        _, y, _ = ctx.saved_tensors
        return grad * y


PROGRAMS = {
    "a number is not packed": lambda lib, x: x * 2,
    "a constant is": lambda lib, x: x * lib.ones(2),
    "both operands": lambda lib, x: x * x,
    "the result": lambda lib, x: x.exp(),
    "two nodes": lambda lib, x: (x * x).tanh(),
    "a power": lambda lib, x: x**3,
    "nothing": lambda lib, x: (x + 1).sum(),
    "another dtype": lambda lib, x: x * lib.ones(2, dtype=lib.float64),
    "a matrix": lambda lib, x: x.reshape(1, 2) @ lib.ones(2, 3),
    "an output of two": lambda lib, x: x.unbind(0)[0] * x.unbind(0)[1],
}


@together
@pytest.mark.parametrize("name", PROGRAMS)
def test_pack_and_unpack_are_called_as_often_as_in_pytorch(name):
    def count(lib):
        calls = []
        x = lib.tensor([1.0, 2.0], requires_grad=True)

        def pack(saved):
            calls.append(("pack", list(saved.shape), saved.requires_grad, saved.is_leaf))
            return saved.detach()

        def unpack(packed):
            calls.append(("unpack", list(packed.shape)))
            return packed

        with lib.autograd.graph.saved_tensors_hooks(pack, unpack):
            y = PROGRAMS[name](lib, x)
        y.sum().backward()
        return calls, x.grad.tolist()

    ours, theirs = count(glassgrad), count(torch)
    assert ours[0] == theirs[0]
    assert ours[1] == pytest.approx(theirs[1], rel=1e-4)


def test_what_unpack_returns_is_what_backward_computes_with():
    x = leaf()
    with saved_tensors_hooks(lambda x: 2 * x, identity):
        y = x * x
    y.sum().backward()
    assert x.grad.tolist() == [4.0, 8.0]


def test_only_the_innermost_pair_acts():
    outer, inner = leaf(), leaf()
    with saved_tensors_hooks(lambda x: 3 * x, identity):
        with saved_tensors_hooks(lambda x: 5 * x, identity):
            y = inner * inner
        z = outer * outer
    (y + z).sum().backward()
    assert inner.grad.tolist() == [10.0, 20.0]
    assert outer.grad.tolist() == [6.0, 12.0]


def test_pack_runs_without_recording_and_unpack_at_each_access():
    modes_seen = []

    def pack(x):
        modes_seen.append(glassgrad.is_grad_enabled())
        return x.detach()

    def unpack(x):
        modes_seen.append("unpack")
        return x

    x = leaf()
    with saved_tensors_hooks(pack, unpack):
        y = x.exp()
    assert y.grad_fn._saved_result.tolist() == y.tolist()
    assert y.grad_fn._saved_result.tolist() == y.tolist()
    assert modes_seen == [False, "unpack", "unpack"]


def test_the_unpacked_tensor_stands_where_the_saved_one_stood():
    x = leaf()
    inner = x + 1
    with saved_tensors_hooks(lambda x: x.detach().clone(), identity):
        of_leaf, of_inner, of_itself = x * x, inner * inner, x.exp()
    saved = of_leaf.grad_fn._saved_self
    assert saved is not x
    assert saved.is_leaf
    assert saved.requires_grad
    assert (saved * 1).grad_fn.next_functions[0] == (x * 1).grad_fn.next_functions[0]
    assert of_inner.grad_fn._saved_self.grad_fn is inner.grad_fn
    assert of_itself.grad_fn._saved_result.grad_fn is of_itself.grad_fn


def test_second_derivatives_go_through_the_hooks():
    x = leaf()
    with saved_tensors_hooks(lambda x: 2 * x.detach(), identity):
        y = (x**3).sum()
    (first,) = grad(y, x, create_graph=True)
    first.sum().backward()
    assert x.grad.tolist() == [12.0, 24.0]


def test_a_function_of_ones_own_is_packed_too():
    packed = []

    def pack(x):
        packed.append(x)
        return x.detach()

    x = leaf()
    with saved_tensors_hooks(pack, identity):
        y = Exp.apply(x)
    assert packed[0] is x
    assert packed[1] is y
    saved = y.grad_fn.saved_tensors
    assert saved[1].grad_fn is y.grad_fn
    assert saved[2] is None
    y.sum().backward()
    assert x.grad.tolist() == pytest.approx(y.tolist())


def test_the_original_is_not_kept():
    x = leaf()
    with saved_tensors_hooks(lambda x: x.numpy(force=True).copy(), tensor):
        inner = x + 1
        y = inner * inner
    dead = weakref.ref(inner)
    del inner
    assert dead() is None
    y.sum().backward()
    assert x.grad.tolist() == [4.0, 6.0]


def test_a_node_with_hooks_dies_without_gc():
    gc.disable()
    try:
        with saved_tensors_hooks(lambda x: x.detach(), identity):
            y = leaf().exp()
        dead = weakref.ref(y.grad_fn)
        del y
        assert dead() is None
    finally:
        gc.enable()


def test_a_packed_tensor_may_be_written_since_its_hooks_may_keep_a_copy():
    x = leaf()
    with saved_tensors_hooks(lambda x: x.detach().clone(), identity):
        inner = x + 1
        y = inner * inner
        z = x.exp()
        read_on = x.exp()
    with glassgrad.no_grad():
        inner.zero_()
        z.zero_()
    read_on += 1
    (y + z + read_on).sum().backward()
    assert x.grad.tolist() == pytest.approx([4 + 2 * 2.718281828, 6 + 2 * 7.389056099])


def test_pack_may_not_write_to_its_input():
    def double(x):
        x *= 2
        return x

    x = leaf()
    message = "A saved tensor pack hook is modifying its input in place"
    with saved_tensors_hooks(double, identity), pytest.raises(GraphError, match=message):
        x.exp()
    with pytest.raises(GraphError, match=message):
        x.exp().grad_fn._raw_saved_result.register_hooks(double, identity)


@together
@pytest.mark.parametrize("wrong", [1, None, "x"])
def test_unpack_must_return_a_tensor(wrong):
    x = leaf()
    with saved_tensors_hooks(lambda x: x.detach(), lambda _: wrong):
        built_in, own = x.exp(), Exp.apply(x)
    kind = type(wrong).__name__
    for y in (built_in, own):
        with pytest.raises(TypeError, match=f"expected to be a Tensor but got .* type {kind}"):
            y.sum().backward()


def test_errors_of_hooks_keep_their_type_and_the_next_pass_works():
    class OwnError(Exception):
        pass

    def fail(_):
        raise OwnError

    x = leaf()
    with saved_tensors_hooks(fail, identity), pytest.raises(OwnError):
        x.exp()
    with saved_tensors_hooks(lambda x: x.detach(), fail):
        y = x.exp()
    with pytest.raises(OwnError):
        y.sum().backward()
    assert glassgrad.is_grad_enabled()
    (x * 2).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_hooks_belong_to_their_thread():
    packed = []
    with saved_tensors_hooks(packed.append, identity):
        thread = threading.Thread(target=lambda: leaf().exp())
        thread.start()
        thread.join()
    assert packed == []


def test_leaving_hooks_during_a_pass_lasts_until_its_end():
    hooks = saved_tensors_hooks(identity, identity)

    def unpack(x):
        hooks.__exit__()
        return x

    x = leaf()
    with hooks:
        with saved_tensors_hooks(lambda x: x.detach(), unpack):
            x.exp().sum().backward()
        assert len(modes.hook_pairs) == 1
    assert modes.key not in special


def test_leaving_once_too_often_says_so():
    with pytest.raises(GraphError, match="left more often than it was entered"):
        saved_tensors_hooks(identity, identity).__exit__()


def test_hooks_must_be_callable():
    with pytest.raises(ArgumentTypeError, match="int is not callable"):
        saved_tensors_hooks(1, identity).__enter__()
    with pytest.raises(ArgumentTypeError, match="incompatible function arguments"):
        leaf().exp().grad_fn._raw_saved_result.register_hooks(identity, 2)


@pytest.mark.parametrize("pin_memory", [False, True])
def test_save_on_cpu_gives_the_same_gradient(pin_memory):
    x = leaf()
    with save_on_cpu(pin_memory=pin_memory):
        y = x * x
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_disabled_hooks_raise_the_message_and_nesting_restores_it():
    with disable_saved_tensors_hooks("outer"):
        with disable_saved_tensors_hooks("inner"), pytest.raises(RuntimeError, match="inner"):
            save_on_cpu().__enter__()
        with pytest.raises(RuntimeError, match="outer"):
            save_on_cpu().__enter__()
    with save_on_cpu():
        pass


def test_hooks_that_are_active_cannot_be_disabled():
    with save_on_cpu(), pytest.raises(RuntimeError, match="no"):
        disable_saved_tensors_hooks("no").__enter__()


# SavedTensor ------------------------------------------------------------------------------------


def test_a_saved_tensor_cannot_be_made():
    with pytest.raises(RuntimeError, match="create a SavedTensor object from Python is forbidden"):
        SavedTensor()


def test_registered_hooks_replace_what_is_kept():
    x = leaf()
    for y in (x.exp(), Exp.apply(x)):
        node = y.grad_fn
        raw = node._raw_saved_result if hasattr(node, "_raw_saved_result") else None
        raw = raw or node._raw_saved_tensors[1]
        assert raw.data.tolist() == y.tolist()
        assert raw.unpack_hook is None
        raw.register_hooks(lambda x: ("packed", 2 * x), lambda pair: pair[1])
        assert raw.data[0] == "packed"
        assert raw.unpack().tolist() == (2 * y).tolist()
        with pytest.raises(RuntimeError, match="whose hooks have already been set"):
            raw.register_hooks(identity, identity)
        x.grad = None
        y.sum().backward()
        assert x.grad.tolist() == pytest.approx((2 * y).tolist())
        assert raw.data is None
        assert raw.unpack_hook is None


def test_registered_hooks_on_an_operand_keep_its_place_in_the_graph():
    x = leaf()
    inner = 1 + x
    y = inner * inner
    y.grad_fn._raw_saved_self.register_hooks(lambda x: 2 * x, lambda x: x / 2)
    assert y.grad_fn._saved_self.grad_fn is inner.grad_fn
    assert y.grad_fn._saved_other is inner
    y.sum().backward()
    assert x.grad.tolist() == [4.0, 6.0]


def test_hooks_cannot_be_registered_on_none_or_on_what_is_gone():
    x = leaf()
    y = x * tensor([1.0, 2.0])
    raw = y.grad_fn._raw_saved_self  # not needed: the other operand is a constant
    assert raw.data is None
    assert raw.unpack() is None
    with pytest.raises(RuntimeError, match="with value None is forbidden"):
        raw.register_hooks(identity, identity)
    y = x.exp()
    y.sum().backward()
    with pytest.raises(FreedGraphError, match="after it has been freed"):
        y.grad_fn._raw_saved_result.register_hooks(identity, identity)
    with pytest.raises(FreedGraphError, match="already been freed"):
        y.grad_fn._raw_saved_result.unpack()


def test_hooks_registered_on_one_operand_leave_the_other_checked():
    x = leaf()
    a, b = x + 1, x + 2
    y = a * b
    y.grad_fn._raw_saved_self.register_hooks(lambda x: x.clone(), identity)
    with glassgrad.no_grad():
        a.zero_()
        check_versions(y.grad_fn)
        b.zero_()
    with pytest.raises(StaleTensorError, match="as 'other'"):
        y.sum().backward()


def test_a_node_that_has_nothing_to_save_packs_nothing():
    x, c = leaf(), tensor([3.0, 4.0])
    with saved_tensors_hooks(lambda kept: pytest.fail("there is nothing to pack"), identity):
        y = glassgrad.addcmul(x, c, c)
    (dx,) = grad(y.sum(), x)
    assert dx.tolist() == [1.0, 1.0]
