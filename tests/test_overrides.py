"""`torch.overrides` in both libraries: names of functions, and modes that see their calls."""

import gc
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


def tensors_of_ones_own(lib):
    """The public calls that a subclass of Tensor sees, by name."""
    seen = []

    class Logging(lib.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            seen.append((func.__name__, func is getattr(lib.Tensor, func.__name__, None)))
            return super().__torch_function__(func, types, args, kwargs or {})

    x = lib.ones(2, 2).as_subclass(Logging)
    results = [x + 1, 1 - x, x @ x, x[0], -x, x.view(4), x.std(), x == 1, x >= x, x.detach()]
    x += 1
    x[0] = 2
    results += [lib.matmul(x, x), lib.nn.functional.layer_norm(x, (2,)), lib.cat([x, x])]
    plain = lib.ones(2, 2).as_subclass(lib.Tensor)
    return seen, x.shape, len(x), [type(y).__name__ for y in [*results, x.data, plain]]


def handled_by_ones_own(lib):
    """What a class that is no tensor makes of calls, as in "Extending torch" of PyTorch's docs."""
    handled = {lib.mean: "mean", lib.matmul: "matmul", lib.nn.functional.linear: "linear"}
    handled |= {lib.cat: "cat", lib.std: "std", lib.Tensor.add: "add", lib.where: "where"}

    class Diagonal:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return handled.get(func, NotImplemented), len(args), sorted(kwargs or {})

    d, x = Diagonal(), lib.ones(2, 2)
    calls = [lib.mean(d), lib.matmul(x, d), lib.nn.functional.linear(x, d, bias=None)]
    calls += [lib.cat([x, d], 1), lib.std(d, correction=0), x + d, lib.where(x > 0, d, 0)]
    return [(name, *rest) for name, *rest in calls if name is not NotImplemented]


def watched_by_identity(lib):
    """Which functions a mode finds among those that it looks for, by each way to ask."""
    before, found = lib.zeros, []

    class Looking(lib.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            found.append((func is lib.ones, func == before, func in {lib.Tensor.add, lib.randn}))
            return func(*args, **(kwargs or {}))

    with Looking():
        _ = lib.ones(1), lib.zeros(1), lib.randn(1), lib.zeros(1) + 1
    return found


@together
@pytest.mark.parametrize("program", [tensors_of_ones_own, handled_by_ones_own, watched_by_identity])
def test_classes_of_ones_own_see_the_public_calls(program):
    assert program(glassgrad) == program(torch)


def test_names_lead_to_the_functions_again_when_such_a_class_is_gone():
    add = glassgrad.add

    class Own(glassgrad.Tensor):
        pass

    assert glassgrad.add is not add
    assert glassgrad.add == add
    del Own
    gc.collect()
    assert glassgrad.add is add
