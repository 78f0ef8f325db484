"""The op that made the first NaN."""

import numpy as np
import pytest

import glassgrad as gg
from glassgrad import nn
from glassgrad.core import state
from glassgrad.core.errors import FreedGraphError
from glassgrad.func import grad


def leaf(*values):
    x = gg.tensor(list(values), requires_grad=True)
    x.name = "x"
    return x


def test_finite_programs_have_none():
    x = leaf(1.0, 2.0)
    assert gg.find_nan(lambda x: (x.log() * 2).sum(), x) is None
    assert x.grad is None


def test_the_first_op_is_named_with_its_line_and_what_it_read():
    def loss(x):
        y = x.log()
        return (y * 2).exp().sum()

    found = gg.find_nan(loss, leaf(1.0, -1.0))
    assert (found.phase, found.kind, found.op, found.made) == ("forward", "nan", "Log", True)
    assert found.src.startswith("test_find_nan.py, line ")
    assert found.src.endswith("`y = x.log()`")
    ((name, read),) = found.operands
    assert name == "'x'"
    assert read["head"] == [1.0, -1.0]
    assert "Log made the first nan, in the forward pass" in str(found)
    assert "1 nan" in str(found)


def test_an_infinity_that_became_a_nan_is_told_as_its_history():
    found = gg.find_nan(lambda x: ((x * 1e30).exp() * 0).sum(), leaf(1.0, -1.0))
    assert (found.op, found.kind) == ("Mul", "nan")
    assert (found.before.op, found.before.kind) == ("Exp", "inf")
    assert "before that, Exp made the first inf" in str(found)


def test_an_infinity_alone_is_named():
    found = gg.find_nan(lambda x: (x / 0).sum(), leaf(1.0, 2.0))
    assert (found.op, found.kind) == ("Div", "inf")


def test_the_infinity_of_a_mask_is_no_finding():
    def attend(x):
        hidden = x.masked_fill(gg.tensor([True, False, False]), -gg.inf)
        shown = gg.where(gg.tensor([False, True, True]), x, gg.tensor(-gg.inf))
        return (hidden.softmax(0) + shown.softmax(0))[1]

    assert gg.find_nan(attend, leaf(1.0, 2.0, 3.0)) is None


def test_it_looks_inside_of_modules():
    class Normalize(nn.Module):
        def forward(self, x):
            centred = x - x
            return centred / centred.std()

    model = nn.Sequential(nn.Linear(3, 3), nn.Sequential(nn.Tanh(), Normalize()))
    found = gg.find_nan(model, gg.ones(2, 3))
    assert found.op == "Div"
    assert found.scope == ("Sequential", "1", "1")
    assert "Sequential › 1 › 1" in str(found)
    assert found.src.endswith("`return centred / centred.std()`")


def test_ops_that_are_not_recorded_are_seen():
    with gg.no_grad():
        assert gg.find_nan(lambda x: x.log(), gg.tensor([-1.0])).op == "Log"


def test_a_nan_in_place_is_seen():
    def loss(x):
        y = x.clone()
        y.log_()
        return y.sum()

    found = gg.find_nan(loss, leaf(-1.0))
    assert found.op == "Log"
    assert found.src.endswith("`y.log_()`")


def test_a_nan_that_came_in_is_said_to_come_from_outside():
    found = gg.find_nan(lambda x: (x * 2).sum(), leaf(1.0, gg.nan))
    assert (found.op, found.made) == ("Mul", False)
    assert "came from outside" in str(found)


def test_a_users_function_that_computes_with_numpy_is_named():
    class Root(gg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            with np.errstate(all="ignore"):
                return gg.tensor(np.sqrt(x.numpy()))

        @staticmethod
        def backward(ctx, grad):
            return grad

    for after in (lambda y: y.sum(), lambda y: y):
        found = gg.find_nan(lambda x, after=after: after(Root.apply(x)), leaf(-1.0, 4.0))
        assert (found.phase, found.op, found.made) == ("forward", "Root", True)
        assert found.operands[0][1]["head"] == [-1.0, 4.0]


def test_a_gradient_that_alone_is_nan_is_found():
    def loss(x):
        y = (x * 0).sqrt()
        return y.sum()

    x = leaf(1.0, 4.0)
    found = gg.find_nan(loss, x)
    assert (found.phase, found.op, found.kind) == ("backward", "MulBackward0", "nan")
    assert found.src.endswith("`y = (x * 0).sqrt()`")
    assert found.before.op == "SqrtBackward0"
    assert x.grad is None


def test_an_infinite_gradient_is_found():
    found = gg.find_nan(lambda x: x.sqrt().sum(), leaf(0.0, 4.0))
    assert (found.phase, found.op, found.kind) == ("backward", "SqrtBackward0", "inf")
    assert [name for name, _ in found.operands] == ["grad 0", "saved result"]


def test_several_outputs_are_all_looked_at():
    def f(x):
        return {"a": x * 2, "b": [x.sqrt(), 3]}

    assert gg.find_nan(f, leaf(0.0, 1.0)).op == "SqrtBackward0"


def test_it_looks_inside_of_transforms():
    found = gg.find_nan(grad(lambda x: x.sqrt().sum()), gg.tensor([0.0, 1.0]))
    assert found.phase == "forward"
    assert found.kind == "inf"


def test_nothing_is_left_behind_even_by_an_exception():
    def loss(x):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        gg.find_nan(loss, leaf(1.0))
    assert state.computed == ()
    assert state.noting == ()
    assert not state.special


def test_something_to_run_is_needed():
    with pytest.raises(TypeError, match="find_nan\\(\\) was given a Tensor"):
        gg.find_nan(leaf(1.0).sum())


def test_a_function_that_runs_backward_itself_is_told_what_to_do_instead():
    x = gg.tensor([1.0, 2.0], requires_grad=True)

    def step(**options):
        loss = x.exp().sum()
        loss.backward(**options)
        return loss

    with pytest.raises(FreedGraphError, match="Have it return the loss"):
        gg.find_nan(step)
    assert gg.find_nan(step, retain_graph=True) is None


def test_of_numbers_that_are_all_infinite_no_range_is_told():
    told = str(gg.find_nan(lambda: leaf(0.0, 0.0).log() * 0.0))
    assert "[-inf, -inf], 2 inf" in told
    assert "None" not in told
