"""Attributes of a tensor that pictures and messages read."""

import pytest

import glassgrad as gg
from checks import together
from glassgrad.core.errors import ArgumentTypeError


@together
@pytest.mark.parametrize("name", ["w", "", "layers.0.weight", "\0", None])
def test_a_name_is_text_or_none(name):
    x = gg.tensor([1.0, 2.0])
    x.name = name
    assert x.name == name


@pytest.mark.parametrize(("name", "words"), [(3, "`x.name = '3'`"), (b"w", "of type bytes")])
def test_another_name_is_refused_where_it_is_given(name, words):
    x = gg.tensor([1.0, 2.0])
    with pytest.raises(ArgumentTypeError, match=words):
        x.name = name
    assert x.name is None


def test_a_tensor_made_by_its_class_may_require_grad():
    assert gg.Tensor([1.0], requires_grad=True).requires_grad
    assert not gg.Tensor([1.0]).requires_grad
