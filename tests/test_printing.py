"""Tensors print as PyTorch's do, but for the name of the library."""

import re

import hypothesis.strategies as st
import numpy as np
import pytest
import torch
from hypothesis.extra import numpy as hnp

import glassgrad as gg
from checks import fuzzed, together

DTYPES = ["float16", "float32", "float64", "int64", "int32", "uint8", "bool", "complex64"]
SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=6)


def assert_prints_alike(ours, theirs):
    """Compare two reprs; a dtype's name is longer here, so the line may break before it."""
    mine, oracle = repr(ours), repr(theirs)
    if "dtype=" in oracle:
        mine, oracle = (re.sub(r",\s+(?=[a-z_]+=)", ", ", text) for text in (mine, oracle))
    assert mine == oracle.replace("torch.", "glassgrad.")


def same(array, **options):
    """Compare the two reprs of an array, under some options."""
    for lib in (gg, torch):
        lib.set_printoptions(profile="default", **options)
    try:
        assert_prints_alike(gg.tensor(array), torch.tensor(array))
    finally:
        for lib in (gg, torch):
            lib.set_printoptions(profile="default")


@fuzzed(st.data(), examples=300)
def test_any_tensor_prints_as_in_pytorch(data):
    dtype = data.draw(st.sampled_from(DTYPES))
    same(data.draw(hnp.arrays(dtype, SHAPES)))


@fuzzed(st.data(), examples=150)
def test_ordinary_numbers_print_as_in_pytorch(data):
    numbers = st.one_of(
        st.floats(-10, 10, width=32),
        st.floats(0.125, 1000, width=32),
        st.sampled_from([0.0, -0.0, 1.0, 1e4, 1e-5, 1e9, np.inf, -np.inf, np.nan]),
    )
    same(data.draw(hnp.arrays("float32", SHAPES, elements=numbers)))


@fuzzed(st.data(), examples=100)
def test_any_options_are_followed_as_in_pytorch(data):
    array = data.draw(hnp.arrays(data.draw(st.sampled_from(DTYPES)), SHAPES))
    same(
        array,
        precision=data.draw(st.integers(0, 8)),
        threshold=data.draw(st.integers(0, 50)),
        edgeitems=data.draw(st.integers(1, 3)),
        linewidth=data.draw(st.integers(10, 120)),
        sci_mode=data.draw(st.sampled_from([None, True, False])),
    )


@together
@pytest.mark.parametrize("limits", [[1e-4, 9.9e-5], [1.0, 1e3, 1001.0], [1e8, 1.1e8, 1e9]])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_an_exponent_begins_where_pytorchs_does(limits, dtype):
    for count, limit in enumerate(limits):
        same(np.array([limit], dtype))
        same(np.array(limits[: count + 1], dtype))


@together
@pytest.mark.parametrize(
    "shape", [(1001,), (1000,), (40, 40), (7, 8, 30), (1, 1, 2000), (2000, 1), (6, 300), (0, 4), ()]
)
@pytest.mark.parametrize("dtype", ["float32", "int64", "complex128", "bool"])
def test_long_tensors_show_their_edges(shape, dtype):
    values = np.arange(np.prod(shape, dtype=int)).reshape(shape) * 1.5
    same(values.astype(dtype))


@together
@pytest.mark.parametrize("profile", ["default", "short", "full"])
def test_profiles_are_pytorchs(profile):
    values = np.linspace(0, 7, 1100).reshape(11, 100)
    for lib in (gg, torch):
        lib.set_printoptions(profile=profile)
    try:
        assert_prints_alike(gg.tensor(values), torch.tensor(values))
    finally:
        for lib in (gg, torch):
            lib.set_printoptions(profile="default")


def test_no_edge_items_leave_the_dots():
    same(np.arange(20.0), threshold=5, edgeitems=0)
    same(np.arange(20.0).reshape(4, 5), threshold=5, edgeitems=0)


def test_there_is_no_other_profile():
    with pytest.raises(ValueError, match="there is no profile 'tiny'"):
        gg.set_printoptions(profile="tiny")


SUFFIXES = {
    "leaf": lambda lib: lib.ones(2, requires_grad=True),
    "result": lambda lib: lib.ones(2, requires_grad=True) * 2,
    "view": lambda lib: lib.ones(2, 2, requires_grad=True)[0],
    "dtype and node": lambda lib: lib.ones(2, dtype=lib.float64, requires_grad=True) + 1,
    "wrapped suffix": lambda lib: lib.ones(14, dtype=lib.float64, requires_grad=True) + 0.5,
    "matrix": lambda lib: lib.ones(2, 14, dtype=lib.float64, requires_grad=True) + 0.5,
    "empty": lambda lib: lib.zeros(0, 3, dtype=lib.int64),
    "empty vector": lambda lib: lib.zeros(0, dtype=lib.bool),
    "empty that requires grad": lambda lib: lib.zeros(0, 3, requires_grad=True),
    "0-d": lambda lib: lib.tensor(2.5, requires_grad=True),
    "list of tensors": lambda lib: list(lib.tensor([[1.0, 2.0], [3.0, 4.5]])),
}


@together
@pytest.mark.parametrize("make", SUFFIXES.values(), ids=list(SUFFIXES))
def test_suffixes_are_pytorchs(make):
    assert_prints_alike(make(gg), make(torch))


def test_the_default_dtype_goes_without_saying():
    for lib in (gg, torch):
        lib.set_default_dtype(lib.float64)
    try:
        for dtype in ("float32", "float64", "complex64", "complex128"):
            same(np.array([1.5, 2.0], dtype))
    finally:
        for lib in (gg, torch):
            lib.set_default_dtype(lib.float32)


def test_str_is_repr():
    assert str(gg.tensor([1.0])) == repr(gg.tensor([1.0]))


@together
@pytest.mark.parametrize("number", [3.14, 2, True, 1j])
def test_a_number_in_an_f_string_is_a_number_of_python(number):
    both = gg.tensor(number), torch.tensor(number)
    assert len({f"{x}" for x in both}) == 1
    assert len({f"loss: {x * 1.5:.3}" for x in both}) == 1
    assert f"{gg.tensor([number])}" == str(gg.tensor([number]))
    weight = gg.nn.Parameter(gg.tensor(3.0))
    assert f"{weight}" == str(weight)


def test_the_tangent_of_a_number_prints_as_one():
    texts = []
    for lib in (gg, torch):
        with lib.autograd.forward_ad.dual_level() as _:
            dual = lib.autograd.forward_ad.make_dual(lib.tensor(3.0), lib.tensor(1.5))
            texts.append(repr(dual))
    assert texts == ["tensor(3., tangent=1.5)"] * 2


def test_a_subclass_shows_its_name():
    class Weights(gg.Tensor):
        pass

    assert repr(Weights([1.0, 2.0])) == "Weights([1., 2.])"


def test_printing_does_not_record():
    x = gg.ones(3, requires_grad=True) * 2
    before = x._version
    repr(x)
    assert x._version == before
