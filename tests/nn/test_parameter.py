"""Parameters are leaf tensors that say so."""

import copy
import pickle

import pytest
import torch

import glassgrad as gg
from glassgrad.core.errors import ArgumentTypeError, DTypeError
from glassgrad.nn import Parameter


def test_a_parameter_is_a_leaf_that_requires_grad():
    parameter = Parameter(gg.tensor([1.0, 2.0]))
    assert isinstance(parameter, gg.Tensor)
    assert parameter.is_leaf
    assert parameter.requires_grad


def test_it_shares_memory_with_its_data():
    data = gg.zeros(2)
    parameter = Parameter(data)
    data[0] = 5.0
    assert parameter.tolist() == [5.0, 0.0]


def test_it_can_be_frozen():
    assert not Parameter(gg.ones(1), requires_grad=False).requires_grad
    assert not Parameter(gg.ones(1, dtype=gg.int64), requires_grad=False).requires_grad


def test_made_of_a_result_it_is_a_leaf_all_the_same():
    x = gg.ones(2, requires_grad=True)
    assert Parameter(x * 2).is_leaf


def test_ops_on_parameters_give_plain_tensors_and_gradients():
    parameter = Parameter(gg.tensor([3.0]))
    y = (parameter * parameter).sum()
    assert type(y) is gg.Tensor
    y.backward()
    assert parameter.grad.tolist() == [6.0]


def test_repr_is_pytorchs():
    ours = repr(Parameter(gg.tensor([1.0, 2.5])))
    assert ours == repr(torch.nn.Parameter(torch.tensor([1.0, 2.5])))


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda p: pickle.loads(pickle.dumps(p))])
def test_a_copy_is_a_parameter(copied):
    twin = copied(Parameter(gg.tensor([1.0])))
    assert type(twin) is Parameter
    assert twin.requires_grad


def test_integers_cannot_require_grad():
    with pytest.raises(DTypeError, match="floating point and complex dtype can require gradients"):
        Parameter(gg.ones(1, dtype=gg.int64))


def test_only_tensors_become_parameters():
    with pytest.raises(ArgumentTypeError, match="Parameter data has to be a tensor, not list"):
        Parameter([1.0])


@pytest.mark.parametrize("lib", [gg, torch])
def test_a_copy_of_a_parameter_has_no_gradient_and_nothing_that_was_set_on_it(lib):
    weight = lib.nn.Parameter(lib.ones(2))
    weight.grad = lib.ones(2)
    weight.note = "mine"
    made = copy.deepcopy(weight)
    assert type(made) is lib.nn.Parameter
    assert made.requires_grad
    assert made.grad is None
    assert not hasattr(made, "note")
    assert weight.note == "mine"


@pytest.mark.parametrize("lib", [gg, torch])
def test_a_parameter_counts_writes_together_with_the_tensor_it_shows(lib):
    x = lib.ones(2)
    p, b = lib.nn.Parameter(x), lib.nn.Buffer(x)
    y = (p * p).sum()
    x.add_(1)
    assert (p._version, b._version) == (1, 1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()
