"""Modules in a row."""

import pytest
import torch

import glassgrad as gg
from glassgrad import nn
from glassgrad.core.errors import ArgumentTypeError, DimError


def test_each_is_fed_with_what_the_one_before_gave():
    row = nn.Sequential(nn.ReLU(), nn.Tanh())
    x = gg.tensor([-1.0, 0.5])
    assert row(x).tolist() == gg.tanh(gg.relu(x)).tolist()


def test_an_empty_row_passes_on_what_it_gets():
    x = gg.ones(1)
    assert nn.Sequential()(x) is x


def test_a_dict_names_the_modules():
    row = nn.Sequential({"first": nn.Linear(1, 2), "last": nn.ReLU()})
    assert [name for name, _ in row.named_parameters()] == ["first.weight", "first.bias"]
    assert isinstance(row.last, nn.ReLU)


def test_index_slice_and_length():
    row = nn.Sequential(nn.ReLU(), nn.Tanh(), nn.Sigmoid())
    assert len(row) == 3
    assert isinstance(row[-1], nn.Sigmoid)
    assert repr(row[1:]) == repr(
        torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Tanh(), torch.nn.Sigmoid())[1:]
    )
    assert [type(module) for module in row] == [nn.ReLU, nn.Tanh, nn.Sigmoid]


def test_modules_can_be_replaced_appended_and_removed():
    row = nn.Sequential(nn.ReLU(), nn.Tanh())
    row[0] = nn.Sigmoid()
    assert row.append(nn.ReLU()) is row
    del row[1]
    assert [type(module) for module in row] == [nn.Sigmoid, nn.ReLU]
    assert [name for name, _ in row.named_children()] == ["0", "1"]


@pytest.mark.parametrize("index", [2, -3])
def test_an_index_outside_is_refused(index):
    with pytest.raises(DimError, match=f"index {index} is out of range for 2 modules"):
        nn.Sequential(nn.ReLU(), nn.Tanh())[index]


def test_only_modules_stand_in_a_row():
    with pytest.raises(ArgumentTypeError, match="function is not a Module subclass"):
        nn.Sequential(lambda x: x)
