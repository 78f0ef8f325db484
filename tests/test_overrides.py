"""`torch.overrides` in both libraries: names of functions, and modes that see their calls."""

import threading

import pytest
import torch

import glassgrad
from checks import together

LIBRARIES = [glassgrad, torch]


def watched(lib, program):
    """PyTorch's names of the calls that a mode sees in `program(lib)`."""
    seen = []

    class Watching(lib.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append(lib.overrides.resolve_name(func))
            return func(*args, **(kwargs or {}))

    with Watching():
        program(lib)
    return seen


def makes(lib):
    x = lib.ones(2)
    y = 1 + x * 3 - x / 2
    y.requires_grad = True
    (-y).sum().backward()


def reads(lib):
    x = lib.eye(2)
    _ = x.shape, x.T, x[0], x.dtype
    lib.nn.functional.relu(x)
    lib.nn.ReLU()(x)
    lib.linalg.inv(x)
    float(x.sum())
    x += 1


@together
@pytest.mark.parametrize("program", [makes, reads])
def test_a_mode_sees_the_calls_that_pytorchs_sees(program):
    glassgrad.overrides.get_overridable_functions()  # all are loaded now
    before = {name: vars(glassgrad.Tensor)[name] for name in ("__add__", "shape", "sum")}
    ones = glassgrad.ones
    assert watched(glassgrad, program) == watched(torch, program)
    assert before == {name: vars(glassgrad.Tensor)[name] for name in before}
    assert glassgrad.ones is ones


@pytest.mark.parametrize("lib", LIBRARIES)
def test_a_mode_computes_instead_and_an_outer_one_sees_what_it_calls(lib):
    class Adding(lib.overrides.TorchFunctionMode):
        def __init__(self, number):
            self.number = number

        def __torch_function__(self, func, types, args=(), kwargs=None):
            found = func(*args, **(kwargs or {}))
            return found + self.number if func == ones else found

    ones = lib.ones
    with Adding(1), Adding(10):
        assert lib.ones(1).tolist() == [12.0]
        elsewhere = []
        thread = threading.Thread(target=lambda: elsewhere.append(lib.ones(1).tolist()))
        thread.start()
        thread.join()
    assert elsewhere == [[1.0]]
    assert lib.ones(1).tolist() == [1.0]
    with pytest.raises(NotImplementedError), lib.overrides.TorchFunctionMode():
        lib.ones(1)
    with pytest.raises(ZeroDivisionError), Adding(1):
        _ = 1 / 0
    assert lib.ones(1).tolist() == [1.0]


@together
@pytest.mark.parametrize("lib", LIBRARIES)
def test_functions_methods_and_properties_have_names(lib):
    o = lib.overrides
    named = {
        "torch.add": lib.add,
        "torch.Tensor.add": lib.Tensor.add,
        "torch.linalg.inv": lib.linalg.inv,
        "torch.nn.functional.relu": lib.nn.functional.relu,
        "torch.Tensor.shape.__get__": lib.Tensor.shape.__get__,
    }
    assert {o.resolve_name(each): each for each in named.values()} == named
    assert o.resolve_name(len) is None
    of_tensor = [o.is_tensor_method_or_property(each) for each in named.values()]
    assert of_tensor == [False, True, False, False, True]
    assert lib.add in o.get_overridable_functions()[lib]
    assert lib.Tensor.sum in o.get_overridable_functions()[lib.Tensor]
    assert lib.zeros in o.get_ignored_functions()
    assert lib.add not in o.get_ignored_functions()

    @o.wrap_torch_function(lambda x: (x,))
    def double(x):
        return 2 * x

    class Own:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return func is double, types, len(args)

    assert double(3) == 6
    found = double(Own())
    assert found[0]
    assert tuple(found[1]) == (Own,)
