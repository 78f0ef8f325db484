"""Subclasses of Tensor, here and in PyTorch."""

import copy
import pickle
import sys

import pytest
import torch

import glassgrad as gg
from checks import together

LIBRARIES = pytest.mark.parametrize("lib", [gg, torch], ids=["glassgrad", "torch"])


def plain(lib):
    class Plain(lib.Tensor):
        pass

    return lib.ones(2).as_subclass(Plain)


CALLS = {
    "operator": lambda lib, x: x + 1,
    "behind": lambda lib, x: lib.ones(2) * x,
    "function": lambda lib, x: lib.sin(x),
    "reduction": lambda lib, x: x.sum(),
    "index": lambda lib, x: x[0],
    "comparison": lambda lib, x: x > 0,
    "part": lambda lib, x: x.split(1)[0],
    "joined": lambda lib, x: lib.stack([x, x]),
    "copy": lambda lib, x: x.clone(),
    "view": lambda lib, x: x.reshape(2, 1),
    "in place": lambda lib, x: x.add_(1),
}


@together
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@LIBRARIES
def test_results_are_of_the_same_class(lib, call):
    x = plain(lib)
    assert type(call(lib, x)) is type(x)


@LIBRARIES
def test_a_subclass_prints_under_its_name(lib):
    assert repr(plain(lib)) == "Plain([1., 1.])"


@LIBRARIES
def test_a_subclass_may_have_a_constructor_and_attributes_of_its_own(lib):
    class Noted(lib.Tensor):
        @staticmethod
        def __new__(cls, x, note):
            return x.as_subclass(cls)

        def __init__(self, x, note):
            self.note = note

    x = Noted(lib.zeros(2), "here")
    assert x.note == "here"
    assert type(x * 2) is Noted
    assert not hasattr(x * 2, "note")


@LIBRARIES
def test_gradients_flow_through_as_subclass(lib):
    x = lib.ones(2, requires_grad=True)
    y = x.as_subclass(type(plain(lib)))
    assert y.grad_fn is not None
    (y * 3).sum().backward()
    assert x.grad.tolist() == [3, 3]


@LIBRARIES
def test_a_made_subclass_is_a_leaf(lib):
    cls = type(plain(lib))
    x = lib.Tensor._make_subclass(cls, lib.ones(2), True)
    assert (type(x), x.requires_grad, x.is_leaf) == (cls, True, True)
    (x * 3).sum().backward()
    assert x.grad.tolist() == [3, 3]


@LIBRARIES
def test_memory_is_shared_with_the_subclass(lib):
    x = lib.ones(2)
    x.as_subclass(type(plain(lib)))[0] = 5
    assert x.tolist() == [5, 1]


@LIBRARIES
def test_torch_function_sees_each_op_and_may_leave_it_to_tensor(lib):
    seen = []

    class Logged(lib.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            seen.append(func.__name__)
            return super().__torch_function__(func, types, args, kwargs)

    x = lib.ones(2).as_subclass(Logged)
    assert type(lib.sin(x)) is Logged
    assert type(x.sum()) is Logged
    assert type(lib.add(x, x)) is Logged
    assert seen == ["sin", "sum", "add"]


@LIBRARIES
def test_torch_function_may_compute_for_itself(lib):
    class Answer(lib.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return "answer" if func == lib.sin else NotImplemented

    x = lib.ones(2).as_subclass(Answer)
    assert lib.sin(x) == "answer"
    with pytest.raises(TypeError, match="Multiple dispatch failed"):
        lib.cos(x)


@LIBRARIES
def test_a_class_that_is_no_tensor_may_compute_too(lib):
    class Scalar:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return func.__name__

    assert lib.add(Scalar(), 1) == "add"
    assert lib.overrides.is_tensor_like(Scalar())
    assert lib.overrides.has_torch_function((lib.ones(1), Scalar()))
    assert not lib.overrides.has_torch_function((lib.ones(1), 2))


@LIBRARIES
def test_the_innermost_of_two_classes_comes_first(lib):
    class Outer(lib.Tensor):
        pass

    class Inner(Outer):
        pass

    x, y = lib.ones(2).as_subclass(Outer), lib.ones(2).as_subclass(Inner)
    assert type(x + y) is type(y + x) is Inner


@LIBRARIES
def test_classes_that_do_not_know_each_other_compute_nothing_together(lib):
    class Other(lib.Tensor):
        pass

    with pytest.raises(TypeError):
        plain(lib) + lib.ones(2).as_subclass(Other)


@LIBRARIES
def test_it_can_be_turned_off(lib):
    x = plain(lib)
    with lib._C.DisableTorchFunctionSubclass():
        assert type(x + 1) is lib.Tensor
    assert type(x + 1) is type(x)


@LIBRARIES
def test_parameters_compute_tensors(lib):
    class Weight(lib.nn.Parameter):
        pass

    for x in (lib.nn.Parameter(lib.ones(2)), Weight(lib.ones(2))):
        assert type(x * 2) is lib.Tensor


@LIBRARIES
def test_a_function_of_ones_own_is_handed_over(lib):
    def double(x):
        if lib.overrides.has_torch_function((x,)):
            return lib.overrides.handle_torch_function(double, (x,), x)
        return 2 * x

    class Own:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return func.__name__, len(args)

    assert double(Own()) == ("double", 1)
    assert double(lib.ones(1)).item() == 2


def test_copies_keep_the_class(monkeypatch):
    class Kept(gg.Tensor):
        pass

    Kept.__qualname__ = "Kept"  # where a pickle looks for it
    monkeypatch.setattr(sys.modules[__name__], "Kept", Kept, raising=False)
    x = gg.ones(2).as_subclass(Kept)
    for made in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert type(made) is Kept
        assert made.tolist() == [1, 1]


def test_a_function_that_returns_its_input_keeps_what_stands_for_it(lib):
    class Standing(lib.Tensor):
        @staticmethod
        def __new__(cls, inner):
            return inner.detach().as_subclass(cls)

        def __init__(self, inner):
            self.inner = inner

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            plain = [x.inner if isinstance(x, cls) else x for x in args]
            out = func(*plain, **(kwargs or {}))
            return cls(out) if isinstance(out, lib.Tensor) else out

    class Same(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, grad):
            return grad

    assert isinstance(Same.apply(Standing(lib.ones(2))), Standing)


@pytest.mark.parametrize("lib", [gg, torch])
def test_a_subclass_may_have_plain_results(lib):
    class Plain(lib.Tensor):
        __torch_function__ = lib._C._disabled_torch_function_impl

    x = lib.ones(2).as_subclass(Plain)
    assert type(x) is Plain
    assert type(x + 1) is lib.Tensor
    assert (x + 1).tolist() == [2, 2]
