"""The oldest constructors, and dtypes under their short names."""

import numpy as np
import pytest

import glassgrad as gg
from both import LIBRARIES
from checks import together
from glassgrad.core.errors import ArgumentTypeError

NAMES = ["Bool", "Byte", "Char", "Short", "Int", "Long", "Half", "Float", "Double"]


@together
@pytest.mark.parametrize("name", NAMES)
def test_a_constructor_makes_tensors_of_its_dtype(name):
    facts = []
    for lib in (gg, pytest.importorskip("torch")):
        make = getattr(lib, f"{name}Tensor")
        x = make([[1, 0], [2, 3]])
        dtype = str(x.dtype).removeprefix("torch.")
        facts.append((x.tolist(), dtype, isinstance(x, make), isinstance(lib.rand(1), make)))
        facts[-1] += (
            tuple(make(2, 3).shape),
            tuple(make().shape),
            tuple(make(lib.Size([4])).shape),
        )
        facts[-1] += (make(np.ones(2)).tolist(), x.new([1, 1]).tolist(), tuple(x.new(2).shape))
    assert facts[0] == facts[1]


@pytest.mark.parametrize("lib", LIBRARIES)
def test_a_tensor_of_that_dtype_is_shared(lib):
    x = lib.tensor([1.0, 2.0])
    lib.FloatTensor(x)[0] = 5
    assert x.tolist() == [5, 2]
    with pytest.raises(TypeError):
        lib.LongTensor(x)
    with pytest.raises(TypeError):
        lib.FloatTensor(3.5)


def test_what_is_no_data_raises_our_error():
    with pytest.raises(ArgumentTypeError, match="data must be a sequence"):
        gg.FloatTensor("a")
    assert repr(gg.LongTensor) == "<class 'glassgrad.LongTensor'>"


@together
@pytest.mark.parametrize("name", ["float", "double", "half", "int", "long", "short", "bool"])
def test_short_names_of_dtypes_are_pytorchs(name):
    torch = pytest.importorskip("torch")
    assert str(getattr(torch, name)) == f"torch.{getattr(gg, name)}"
