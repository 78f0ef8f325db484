"""What follows from the declaration of an op: names, `out=`, in-place methods, NumPy's names."""

import inspect
from dataclasses import replace

import numpy as np
import pytest
import torch

import glassgrad as gg
from checks import together
from glassgrad.ops import _declaring
from glassgrad.ops._declaring import FUNCTIONS, METHODS, op
from glassgrad.ops._families import Elementwise
from glassgrad.ops._lookup import load_all
from opcase import Run, all_primitives, values
from opcases import CASES, DIFFERENTIABLE, rows

load_all()


@pytest.fixture
def sinc(monkeypatch):
    """A new op, declared for one test."""
    for table in ("FUNCTIONS", "METHODS", "NUMPY"):
        monkeypatch.setattr(_declaring, table, dict(getattr(_declaring, table)))

    class Sinc(Elementwise):
        """y = sin(π·x)/(π·x)        x̄ = ȳ·(cos(π·x) − y)/x"""

        saves = ("self", "result")
        floating = True

        @staticmethod
        def forward(x):
            return np.sinc(x)

        @staticmethod
        def backward(ctx, grad):
            x, y = ctx.saved_tensors
            return grad * (np.cos(np.pi * x) - y) / x

    @op(Sinc, aliases=("cardinal_sine",), numpy=(np.sinc,))
    def sinc(input: gg.Tensor) -> gg.Tensor:
        """The cardinal sine.

        Args:
            input: tensor of shape `S`.

        Returns:
            Tensor of shape `S`.
        """
        return Sinc.apply(input)

    return sinc


def test_a_function_that_only_applies_its_class_is_no_call_of_its_own():
    cls = gg.tanh(gg.tensor(1.0, requires_grad=True)).grad_fn._forward_cls
    assert inspect.getclosurevars(gg.tanh).nonlocals["plain"] is cls.apply


def test_all_follows_from_one_declaration(sinc):
    x = gg.tensor([0.5, 1.5])
    assert _declaring.FUNCTIONS["sinc"] is sinc
    assert _declaring.FUNCTIONS["cardinal_sine"] is sinc
    assert _declaring.METHODS["sinc"](x).tolist() == sinc(x).tolist()
    out = gg.zeros(2)
    assert sinc(x, out=out) is out
    assert _declaring.NUMPY[np.sinc](x).tolist() == out.tolist()
    y = x.requires_grad_() * 1
    assert _declaring.METHODS["sinc_"](y) is y
    assert y.grad_fn.name() == "SincBackward0"
    assert y.tolist() == out.tolist()
    assert {"sinc_", "cardinal_sine_"} <= set(_declaring.METHODS)


def test_help_shows_all_arguments(sinc):
    assert list(inspect.signature(sinc).parameters) == ["input", "out"]
    assert list(inspect.signature(_declaring.METHODS["sinc_"]).parameters) == ["input"]
    assert "        out: where to write the result" in sinc.__doc__
    assert inspect.getsource(sinc).lstrip().startswith("@op(Sinc")
    assert list(inspect.signature(gg.clamp).parameters) == ["input", "min", "max", "out"]
    assert list(inspect.signature(gg.Tensor.where).parameters) == ["input", "condition", "other"]


def test_a_recorded_call_knows_the_users_line():
    x = gg.tensor([0.5], requires_grad=True)
    for y in (gg.tanh(x), x.tanh(), gg.sum(x), gg.pow(x, 3), x.where(x > 0, 1), (x * 1).exp_()):
        assert y.grad_fn.caller_code.co_name == "test_a_recorded_call_knows_the_users_line"


def written_by(function, inputs, params):
    """The tensor that the in-place twin of a function would write, and the other arguments."""
    arguments = inspect.signature(function).bind(*inputs, **params).arguments
    return arguments.pop("input", None), arguments


def fits(case, given):
    """Whether the result of a row fits into what its in-place twin would write."""
    looks = []

    def look(*inputs, **params):
        written, _ = written_by(case.op, inputs, params)
        looks.append(isinstance(written, gg.Tensor) and (written.shape, written.dtype))
        return case.op(*inputs, **params)

    (result,) = Run(replace(case, op=look), given, case.arrays(given)).results
    return looks == [(result.shape, result.dtype)]


TWINS = [
    (case, given)
    for case, given in DIFFERENTIABLE
    if f"{case.name}_" in METHODS and case.name in FUNCTIONS and fits(case, given)
]


@together
@rows(TWINS)
def test_in_place_is_what_it_is_out_of_place(case, given):
    def in_place(*inputs, **params):
        written, others = written_by(case.op, inputs, params)
        return METHODS[f"{case.name}_"](written * 1, **others)

    arrays = case.arrays(given)
    run, plain = Run(replace(case, op=in_place), given, arrays), Run(case, given, arrays)
    pairs = zip([*run.results, *run.gradients()], [*plain.results, *plain.gradients()], strict=True)
    for got, want in pairs:
        np.testing.assert_array_equal(*values([got, want]))


UNARY = [
    case
    for case in CASES
    if len(case.inputs) == 1
    and case.name in FUNCTIONS
    and hasattr(torch, case.name)
    and all(issubclass(all_primitives()[name], Elementwise) for name in case.rule_names)
]


@together
@pytest.mark.parametrize("case", UNARY, ids=lambda case: case.name)
def test_integers_become_what_they_become_in_pytorch(case):
    def outcome(lib, function):
        try:
            return str(function(lib.tensor([1, 2]), **case.params).dtype).removeprefix("torch.")
        except (RuntimeError, TypeError):
            return "an error"

    wanted, got = outcome(torch, getattr(torch, case.name)), outcome(gg, case.op)
    assert got == wanted, (
        f"{case.name} of integers is {got}, in PyTorch {wanted}. "
        f"Write `floating = True` into the class {case.rule_names[0]}, or leave it out."
    )


def test_a_call_names_the_argument_that_is_no_tensor():
    x = gg.ones(2, 3)
    with pytest.raises(TypeError, match=r"softmax\(\): argument 'input' \(position 1\) mu"):
        gg.softmax(3, 0)
    with pytest.raises(TypeError, match=r"gather\(\): argument 'index' must"):
        x.gather(0, [1])
    with pytest.raises(TypeError, match="expected Tensor as element 1 in argument 0"):
        gg.cat([x, 3])
    with pytest.raises(AttributeError, match="object has no attribute 'lowered'"):
        gg.nn.functional.gelu(x, approximate=_Unreadable())


class _Unreadable(str):
    __slots__ = ()

    def __eq__(self, other):
        return self.lowered

    __hash__ = str.__hash__
