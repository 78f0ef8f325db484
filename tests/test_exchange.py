"""Tensors, state dicts and modules go to PyTorch and come from it."""

import collections

import pytest
import torch

import glassgrad as gg
from checks import together

DTYPES = ["bool", "uint8", "int64", "float16", "float64", "complex64"]


@together
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0, 2), (2, 3)])
def test_tensors_keep_values_form_and_memory(dtype, shape):
    theirs = torch.ones(shape, dtype=getattr(torch, dtype)).t() if shape else torch.ones(shape)
    ours = gg.from_torch(theirs)
    assert str(theirs.dtype) == f"torch.{ours.dtype}"
    assert ours.stride() == theirs.stride() or not ours.numel()
    assert ours.tolist() == theirs.tolist()
    back = gg.to_torch(ours)
    assert torch.equal(back, theirs)
    assert not ours.numel() or back.data_ptr() == theirs.data_ptr() == ours.data_ptr()


def test_bfloat16_becomes_float32():
    assert gg.from_torch(torch.ones(2).bfloat16()).dtype == gg.float32


def test_leaves_parameters_and_containers_stay_what_they_are():
    shared = torch.ones(1, requires_grad=True)
    state = collections.OrderedDict(w=torch.nn.Parameter(torch.ones(2)), v=[shared, (shared, 3)])
    found = gg.from_torch(state)
    assert isinstance(found, collections.OrderedDict)
    assert isinstance(found["w"], gg.nn.Parameter)
    assert found["v"][0] is found["v"][1][0]
    assert found["v"][0].requires_grad
    assert found["v"][1][1] == 3
    assert isinstance(gg.to_torch(found)["w"], torch.nn.Parameter)


def network(lib):
    return lib.nn.Sequential(lib.nn.Linear(3, 4), lib.nn.Tanh(), lib.nn.Linear(4, 2, bias=False))


def test_modules_compute_the_same_on_the_other_side():
    theirs = network(torch)
    ours = gg.from_torch(theirs)
    assert repr(ours) == repr(theirs)
    x = torch.randn(5, 3)
    expected = theirs(x)
    found = ours(gg.from_torch(x))
    assert found.detach().numpy() == pytest.approx(expected.detach().numpy(), rel=1e-5, abs=1e-6)
    found.sum().backward()
    expected.sum().backward()
    assert ours[0].weight.grad.numpy() == pytest.approx(
        theirs[0].weight.grad.numpy(), rel=1e-5, abs=1e-6
    )
    back = gg.to_torch(network(gg).eval())
    assert not back.training
    assert [name for name, _ in back.named_parameters()] == ["0.weight", "0.bias", "2.weight"]
    assert back(x).shape == (5, 2)


def test_a_shared_parameter_stays_shared():
    theirs = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 2))
    theirs[1].weight = theirs[0].weight
    ours = gg.from_torch(theirs)
    assert ours[1].weight is ours[0].weight


class Own(torch.nn.Module):
    pass


def test_modules_of_a_class_of_ones_own_are_refused():
    with pytest.raises(gg.errors.ArgumentTypeError, match="has no Own"):
        gg.from_torch(torch.nn.Sequential(Own()))


def test_a_state_dict_of_pytorch_loads_here():
    theirs, ours = network(torch), network(gg)
    ours.load_state_dict(gg.from_torch(theirs.state_dict()))
    assert ours[0].weight.tolist() == theirs[0].weight.tolist()
