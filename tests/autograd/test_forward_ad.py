"""`autograd.forward_ad`: what a dual is, what ops do to its tangent, and reverse mode beside it."""

import gc
import threading
import weakref

import numpy as np
import pytest

import glassgrad
from both import plain
from duals import both, dual, forward_ad, level_is_open, tangent_of
from glassgrad.core.errors import MissingRuleError
from glassgrad.core.primitive import Primitive
from glassgrad.core.state import modes

# A level ----------------------------------------------------------------------------------------


@both
def test_a_level_takes_all_tangents_away_when_it_ends(lib):
    with forward_ad(lib).dual_level() as level:
        x = dual(lib, [1.0, 2.0], [1.0, 0.0])
        y = x * x
        assert tangent_of(lib, y) == [2.0, 0.0]
    assert level == 0
    assert tangent_of(lib, x) is None
    with forward_ad(lib).dual_level():
        assert tangent_of(lib, y) is None
        assert tangent_of(lib, y * 2) is None


def test_a_level_keeps_no_tensor_and_no_tangent_alive():
    with forward_ad(glassgrad).dual_level():
        x = dual(glassgrad, [1.0], [1.0])
        y = x.exp()
        gone = weakref.ref(y)
        kept = y.sin()
        tangent = weakref.ref(forward_ad(glassgrad).unpack_dual(kept).tangent)
        del y
        gc.collect()
        assert gone() is None
    gc.collect()
    assert tangent() is None


@both
def test_levels_do_not_nest(lib):
    fw = forward_ad(lib)
    with fw.dual_level(), pytest.raises(RuntimeError, match="Nested forward mode AD is not supp"):
        fw.enter_dual_level()
    assert fw._current_level == -1


@both
def test_a_level_that_is_not_open_cannot_be_closed(lib):
    fw = forward_ad(lib)
    with fw.dual_level(), pytest.raises(RuntimeError, match="was not the last one that was cr"):
        fw.exit_dual_level(level=3)
    with pytest.raises(RuntimeError, match="Dual level must be a positive number"):
        fw.exit_dual_level()


@both
def test_a_level_is_a_decorator_too(lib):
    @forward_ad(lib).dual_level()
    def derivative(x):
        return tangent_of(lib, dual(lib, x, 1.0) ** 3)

    assert derivative(2.0) == 12.0
    assert derivative(1.0) == 3.0


def test_each_thread_has_a_level_of_its_own():
    found = []

    def elsewhere():
        found.append(forward_ad(glassgrad)._current_level)

    with forward_ad(glassgrad).dual_level():
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
    assert found == [-1]


@both
def test_an_exception_closes_the_level(lib):
    with pytest.raises(ZeroDivisionError), forward_ad(lib).dual_level():
        raise ZeroDivisionError
    assert forward_ad(lib)._current_level == -1


# A dual -----------------------------------------------------------------------------------------


@both
def test_a_dual_is_a_view_of_its_primal_with_the_tangent_itself(lib):
    with forward_ad(lib).dual_level():
        primal, tangent = plain(lib, [1.0, 2.0]), plain(lib, [3.0, 4.0])
        x = forward_ad(lib).make_dual(primal, tangent)
        parts = forward_ad(lib).unpack_dual(x)
        assert x._base is primal
        assert parts.primal._base is primal
        assert parts.tangent is tangent
        assert forward_ad(lib).unpack_dual(primal).tangent is None
        assert forward_ad(lib).unpack_dual(parts.primal).tangent is None
        assert type(parts).__name__ == "UnpackedDualTensor"


@both
def test_outside_of_a_level_a_tensor_unpacks_to_itself(lib):
    x = plain(lib, 1.0)
    assert forward_ad(lib).unpack_dual(x).primal is x


MISTAKES = {
    "sizes": (
        lambda lib, d: forward_ad(lib).make_dual(plain(lib, [1.0]), plain(lib, [1.0, 2.0])),
        "Trying to set a forward gradient that has a different size than that of the original",
    ),
    "dual of a dual": (
        lambda lib, d: forward_ad(lib).make_dual(d, plain(lib, [1.0])),
        "Making a dual Tensor based on a Tensor that already has a forward gradient at the same",
    ),
    "dual as a tangent": (
        lambda lib, d: forward_ad(lib).make_dual(plain(lib, [1.0]), d),
        "Setting a forward grad that itself has a forward gradient at the same level",
    ),
    "level": (
        lambda lib, d: forward_ad(lib).make_dual(plain(lib, [1.0]), plain(lib, [1.0]), level=3),
        "Invalid level given",
    ),
    "overlapping memory": (
        lambda lib, d: forward_ad(lib).make_dual(plain(lib, 1.0).expand(2), plain(lib, [1.0, 2.0])),
        "more than one element of the written-to tensor refers to a single memory location",
    ),
    "out": (lambda lib, d: lib.add(d, d, out=plain(lib, [1.0])), "because it is an out= function"),
    "out is a dual": (
        lambda lib, d: lib.add(plain(lib, [1.0]), 1, out=d),
        "because it is an out= function",
    ),
    "resize": (lambda lib, d: (d * 1).resize_(3), "cannot resize variables that has a forward gr"),
}


@both
@level_is_open
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_raises(lib, mistake):
    act, message = MISTAKES[mistake]
    d = dual(lib, [1.0], [1.0])
    with pytest.raises((RuntimeError, NotImplementedError), match=message):
        act(lib, d)


@both
@level_is_open
@pytest.mark.parametrize("which", ["primal", "tangent"])
def test_integers_do_not_move(lib, which):
    parts = {"primal": plain(lib, [1.0]), "tangent": plain(lib, [1.0])}
    parts[which] = lib.tensor([1])
    with pytest.raises(ValueError, match=f"Expected {which} to be floating point or complex, but"):
        forward_ad(lib).make_dual(parts["primal"], parts["tangent"])


@pytest.mark.parametrize("lib", [glassgrad])
@level_is_open
def test_a_dual_is_made_of_tensors(lib):
    one = plain(lib, 1.0)
    for primal, tangent in ((3.0, one), (one, 3.0)):
        with pytest.raises(TypeError, match="must be Tensor, not float"):
            forward_ad(lib).make_dual(primal, tangent)
    with pytest.raises(TypeError, match="the tensor must be Tensor, not float"):
        forward_ad(lib).unpack_dual(1.0)


@both
def test_without_a_level_there_is_no_dual(lib):
    with pytest.raises(RuntimeError, match="Trying to create a dual Tensor for forward AD but no"):
        dual(lib, [1.0], [1.0])


@both
@level_is_open
def test_a_tangent_is_copied_if_it_lies_otherwise_in_memory(lib):
    fw = forward_ad(lib)
    primal, tangent = plain(lib, [[1.0, 2.0], [3.0, 4.0]]), plain(lib, [[5.0, 6.0], [7.0, 8.0]])
    moved = fw.unpack_dual(fw.make_dual(primal.t(), tangent)).tangent
    assert moved is not tangent
    assert moved.stride() == (1, 2)
    assert moved.tolist() == tangent.tolist()
    part = fw.unpack_dual(fw.make_dual(plain(lib, [1.0, 2.0, 3.0])[:2], tangent[0])).tangent
    assert part.tolist() == [5.0, 6.0]
    assert part is not tangent[0]


@both
@level_is_open
def test_a_tangent_keeps_its_dtype(lib):
    x = forward_ad(lib).make_dual(lib.ones(2), lib.ones(2, dtype=lib.float64))
    assert forward_ad(lib).unpack_dual(x).tangent.dtype == lib.float64


@both
@level_is_open
def test_it_prints_its_tangent_behind_all_else(lib):
    x = forward_ad(lib).make_dual(lib.tensor([1.0, 2.0]), lib.tensor([0.5, 1.0]))
    assert repr(x) == "tensor([1., 2.], tangent=tensor([0.5000, 1.0000]))"
    assert repr(forward_ad(lib).unpack_dual(x).primal) == "tensor([1., 2.])"
    y = x * lib.tensor([3.0, 2.0], requires_grad=True)
    assert ",\n       tangent=tensor([1.5000, 2.0000], grad_fn=<" in repr(y)


# Ops --------------------------------------------------------------------------------------------


@both
@level_is_open
def test_ops_move_tangents_on(lib):
    x, c = dual(lib, [1.0, 2.0], [1.0, 10.0]), plain(lib, [3.0, 5.0])
    assert tangent_of(lib, x * c + x) == [4.0, 60.0]
    assert tangent_of(lib, (x * x).sum()) == 42.0
    assert tangent_of(lib, x @ c) == 53.0
    assert tangent_of(lib, c * 2) is None
    assert tangent_of(lib, 2 / x) == [-2.0, -5.0]
    assert tangent_of(lib, x.max(0).values) == 10.0
    assert tangent_of(lib, x.long()) is None
    assert tangent_of(lib, x > 1) is None


@both
@level_is_open
def test_results_of_several_outputs_have_a_tangent_each(lib):
    first, second = dual(lib, [[1.0, 2.0], [3.0, 4.0]], [[1.0, 0.0], [0.0, 5.0]]).unbind()
    assert tangent_of(lib, first) == [1.0, 0.0]
    assert tangent_of(lib, second) == [0.0, 5.0]


@both
@level_is_open
def test_detached_tensors_do_not_move(lib):
    x = dual(lib, [1.0], [1.0])
    assert tangent_of(lib, x.detach()) is None
    assert tangent_of(lib, x.data) is None
    y = x.clone()
    y.detach_()
    assert tangent_of(lib, y) is None
    assert tangent_of(lib, x) == [1.0]


@both
@level_is_open
def test_forward_mode_has_a_switch_of_its_own(lib):
    fw = forward_ad(lib)
    x = dual(lib, [2.0], [1.0])
    with lib.no_grad():
        assert tangent_of(lib, x * x) == [4.0]
    assert fw._is_fwd_grad_enabled()
    with fw._set_fwd_grad_enabled(False):
        assert not fw._is_fwd_grad_enabled()
        assert tangent_of(lib, x) is None
        assert tangent_of(lib, dual(lib, [1.0], [1.0])) is None
        y = x * x
    assert tangent_of(lib, y) is None
    assert tangent_of(lib, x) == [1.0]
    with lib.inference_mode():
        assert tangent_of(lib, x * x) is None


@both
@level_is_open
def test_the_switch_acts_at_once_as_a_function_and_inside_as_a_decorator(lib):
    fw = forward_ad(lib)
    fw._set_fwd_grad_enabled(False)
    assert not fw._is_fwd_grad_enabled()
    fw._set_fwd_grad_enabled(True)
    assert fw._is_fwd_grad_enabled()


def test_a_decorated_function_alone_runs_without_forward_mode():
    fw = forward_ad(glassgrad)

    @fw._set_fwd_grad_enabled(False)
    def is_on():
        return fw._is_fwd_grad_enabled()

    assert fw._is_fwd_grad_enabled()
    assert not is_on()
    assert fw._is_fwd_grad_enabled()


def test_an_op_without_a_rule_says_so():
    class Mystery(Primitive):
        @staticmethod
        def forward(x):
            return np.sin(x)

        @staticmethod
        def backward(ctx, grad):
            return grad

    with forward_ad(glassgrad).dual_level():
        x = dual(glassgrad, [1.0], [1.0])
        with pytest.raises(
            MissingRuleError, match=r"Trying to use forward AD with mystery that .*"
        ):
            Mystery.apply(x)
        Mystery.apply(x.detach())
    assert modes.forward
