"""Comparisons in place: `x.lt_(y)` and its kin."""

import pytest
import torch

import glassgrad
from both import LIBRARIES, leaf, plain
from checks import together

both = pytest.mark.parametrize("lib", LIBRARIES)
NAMES = ("eq_", "ne_", "lt_", "le_", "gt_", "ge_")


@together
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", ["float64", "int32", "bool"])
def test_the_answers_are_pytorchs(name, dtype):
    found = []
    for lib in (glassgrad, torch):
        kind = getattr(lib, "bool" if dtype == "bool" else dtype)
        x = lib.tensor([0, 1, 2], dtype=lib.float64).to(kind)
        result = getattr(x, name)(lib.tensor([1, 1, 1]))
        assert result is x
        assert x.dtype == kind
        found.append([x.tolist(), getattr(x, name)(1).tolist(), x._version])
    assert found[0] == found[1]


@together
@both
@pytest.mark.parametrize("name", NAMES)
def test_what_was_there_before_gets_no_gradient(lib, name):
    x = leaf(lib, [1.0, 2.0])
    y = x * 3
    getattr(y, name)(plain(lib, [3.0, 3.0]))
    (gradient,) = lib.autograd.grad((y + x).sum(), x)
    assert gradient.tolist() == [1.0, 1.0]


@both
def test_a_leaf_is_not_written(lib):
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        leaf(lib, [1.0]).eq_(1.0)


@both
def test_a_tensor_keeps_its_shape(lib):
    with pytest.raises(RuntimeError, match="output with shape"):
        plain(lib, [1.0]).eq_(plain(lib, [[1.0, 2.0], [3.0, 4.0]]))
