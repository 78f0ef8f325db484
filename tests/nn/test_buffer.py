"""Buffers register themselves, and are tensors otherwise."""

import copy
import pickle

import pytest
import torch

import glassgrad as gg
from glassgrad.core.errors import ArgumentTypeError
from glassgrad.nn import Buffer, Module, Parameter

LIBRARIES = pytest.mark.parametrize("lib", [gg, torch], ids=["glassgrad", "torch"])


def names(module):
    """The names of the parameters, the buffers, and what is saved."""
    return (
        [name for name, _ in module.named_parameters()],
        [name for name, _ in module.named_buffers()],
        list(module.state_dict()),
    )


@LIBRARIES
def test_an_assigned_buffer_is_registered(lib):
    module, buffer = lib.nn.Module(), lib.nn.Buffer(lib.ones(2))
    module.mean = buffer
    assert names(module) == ([], ["mean"], ["mean"])
    assert module.mean is buffer


@LIBRARIES
def test_a_buffer_that_is_not_persistent_is_not_saved(lib):
    module = lib.nn.Module()
    module.mean = lib.nn.Buffer(lib.ones(2), persistent=False)
    assert names(module) == ([], ["mean"], [])
    module.mean = lib.nn.Buffer(lib.ones(2))
    assert names(module) == ([], ["mean"], ["mean"])


@LIBRARIES
def test_a_plain_tensor_takes_the_place_of_a_buffer(lib):
    module = lib.nn.Module()
    module.mean = lib.nn.Buffer(lib.ones(2))
    module.mean = lib.zeros(2)
    assert names(module) == ([], ["mean"], ["mean"])
    module.mean = None
    assert names(module) == ([], [], [])


@LIBRARIES
def test_a_parameter_takes_the_place_of_a_buffer(lib):
    module = lib.nn.Module()
    module.mean = lib.nn.Buffer(lib.ones(2))
    module.mean = lib.nn.Parameter(lib.ones(2))
    assert names(module) == (["mean"], [], ["mean"])


@LIBRARIES
def test_a_buffer_takes_the_place_of_no_parameter_and_no_module(lib):
    module = lib.nn.Module()
    module.weight, module.part = lib.nn.Parameter(lib.ones(1)), lib.nn.Module()
    with pytest.raises(TypeError, match="as parameter 'weight'"):
        module.weight = lib.nn.Buffer(lib.ones(1))
    with pytest.raises(TypeError, match="as child module 'part'"):
        module.part = lib.nn.Buffer(lib.ones(1))
    module.other = 5
    with pytest.raises(KeyError, match="already exists"):
        module.other = lib.nn.Buffer(lib.ones(1))


@LIBRARIES
def test_a_module_has_no_buffers_before_its_init(lib):
    class Early(lib.nn.Module):
        def __init__(self):
            self.mean = lib.nn.Buffer(lib.ones(1))

    with pytest.raises(AttributeError, match=r"cannot assign buffer before Module.__init__\(\)"):
        Early()


@LIBRARIES
def test_it_requires_grad_if_its_data_does(lib):
    x = lib.ones(2, requires_grad=True)
    assert lib.nn.Buffer(x).requires_grad
    assert lib.nn.Buffer(x * 2).is_leaf
    assert not lib.nn.Buffer(lib.ones(2)).requires_grad
    assert lib.nn.Buffer().shape == (0,)


def test_it_shares_memory_with_its_data():
    data = gg.zeros(2)
    buffer = Buffer(data)
    data[0] = 5.0
    assert buffer.tolist() == [5.0, 0.0]


def test_ops_on_buffers_give_plain_tensors():
    buffer = Buffer(gg.tensor([3.0]))
    assert type(buffer * 2) is gg.Tensor
    assert repr(buffer) == repr(torch.nn.Buffer(torch.tensor([3.0])))


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda b: pickle.loads(pickle.dumps(b))])
def test_a_copy_is_a_buffer(copied):
    twin = copied(Buffer(gg.tensor([1.0]), persistent=False))
    assert type(twin) is Buffer
    assert not twin.persistent


def test_functional_call_replaces_buffers():
    class Shifted(Module):
        def __init__(self):
            super().__init__()
            self.weight = Parameter(gg.ones(2))
            self.shift = Buffer(gg.zeros(2))

        def forward(self, x):
            return self.weight * x + self.shift

    module = Shifted()
    y = gg.func.functional_call(module, {"shift": gg.tensor([1.0, 2.0])}, gg.ones(2))
    assert y.tolist() == [2.0, 3.0]
    assert module.shift.tolist() == [0.0, 0.0]


def test_what_is_no_tensor_is_refused():
    with pytest.raises(ArgumentTypeError, match="Buffer data has to be a tensor, not list"):
        Buffer([1.0])
