"""`torch.testing` in both libraries: what is close, and what is said of what is not."""

import numpy as np
import pytest
import torch

import glassgrad
from checks import together

ONES = "lib.ones(3)"


@together
@pytest.mark.parametrize(
    ("pair", "options"),
    [
        (f"{ONES}, {ONES} + 1e-7", {}),
        (f"{ONES}, {ONES} + 0.5", {"rtol": 0, "atol": 1}),
        (f"{ONES}, {ONES}.double()", {"check_dtype": False}),
        (f"[{ONES}, {{'a': 1.0}}], [{ONES}, {{'a': 1.0}}]", {}),
        ("lib.tensor(nan), lib.tensor(nan)", {"equal_nan": True}),
        ("1.0, 1.0 + 1e-9", {}),
        ("None, None", {}),
    ],
)
def test_what_is_close_passes(lib, pair, options):
    actual, expected = eval(pair, {"lib": lib, "nan": float("nan")})
    lib.testing.assert_close(actual, expected, **options)


@together
@pytest.mark.parametrize(
    ("pair", "words"),
    [
        (f"{ONES}, lib.tensor([1.0, 2.0, 1.0])", "Mismatched elements: 1 / 3 .33.3%."),
        (f"{ONES}, lib.tensor([1.0, 2.0, 1.0])", r"difference: 1.0 at index .1,. .up to 1e-05"),
        (f"{ONES}, lib.tensor([1.0, 2.0, 1.0])", r"difference: 0.5 at index .1,. .up to 1.3e-06"),
        (f"{ONES}, lib.ones(4)", "The values for attribute 'shape' do not match"),
        (f"{ONES}, {ONES}.double()", "The values for attribute 'dtype' do not match"),
        (f"{ONES}.long(), {ONES}.long() * 2", "Tensor-likes are not equal!"),
        (
            "[1.0, 2.0], [1.0, 2.5]",
            r"Expected 2.5 but got 2.0.(.|\n)*failure occurred for item .1.",
        ),
        ("1.0, 1.1", "Scalars are not close!"),
        ("lib.tensor(nan), lib.tensor(nan)", "are not close!"),
        ("[1], [1, 2]", "The length of the sequences mismatch: 1 != 2"),
        ("{'a': 1}, {'b': 1}", r"Missing keys in the actual mapping: .'b'."),
    ],
)
def test_what_is_not_close_is_told(lib, pair, words):
    actual, expected = eval(pair, {"lib": lib, "nan": float("nan")})
    with pytest.raises(AssertionError, match=words):
        lib.testing.assert_close(actual, expected)


def test_the_message_may_be_given(lib):
    with pytest.raises(AssertionError, match=r"^mine$"):
        lib.testing.assert_close(1.0, 2.0, msg="mine")
    with pytest.raises(AssertionError, match=r"^mine: Scalars are not close"):
        lib.testing.assert_close(1.0, 2.0, msg=lambda said: f"mine: {said}")


def test_what_cannot_be_compared_is_refused(lib):
    with pytest.raises(TypeError, match="No comparison pair was able to handle inputs of type"):
        lib.testing.assert_close(lib.ones(3), 1.0)
    with pytest.raises(ValueError, match="but got no atol"):
        lib.testing.assert_close(1.0, 1.0, rtol=1.0)


@pytest.mark.filterwarnings("ignore:.*assert_allclose")
def test_the_older_function_lets_dtypes_differ(lib):
    lib.testing.assert_allclose(lib.ones(2).double(), lib.ones(2))


@pytest.mark.parametrize("name", ["float32", "complex128", "int64", "int8", "uint8", "bool"])
def test_tensors_are_made_in_pytorchs_range(name):
    for options in ({}, {"low": 0, "high": 3}, {"noncontiguous": True, "exclude_zero": True}):
        made = []
        for lib in (glassgrad, torch):
            dtype = getattr(lib, name)
            x = lib.testing.make_tensor((40, 50), dtype=dtype, device="cpu", **options)
            assert x.dtype == dtype
            made.append((x.is_contiguous(), x.numpy()))
        assert made[0][0] == made[1][0]
        for part in (np.real, np.imag):
            ours, theirs = (part(x).astype(float) for _, x in made)
            for end in (np.min, np.max, np.mean):
                assert abs(end(ours) - end(theirs)) < 0.8


@pytest.mark.parametrize("lib", [glassgrad, torch])
def test_tensors_that_cannot_be_made_are_refused_as_by_pytorch(lib):
    for name, options, words in (
        ("int64", {"requires_grad": True}, "not supported for boolean and integral dtypes"),
        ("float32", {"low": 3, "high": 1}, "`low` must be less than `high`"),
        ("float32", {"low": float("nan")}, "cannot be NaN"),
        ("uint8", {"low": 300, "high": 400}, "only supports"),
        (
            "float32",
            {"noncontiguous": True, "memory_format": lib.contiguous_format},
            "mutually exclusive",
        ),
    ):
        with pytest.raises(ValueError, match=words):
            lib.testing.make_tensor(3, dtype=getattr(lib, name), device="cpu", **options)
    leaf = lib.testing.make_tensor(2, 3, dtype=lib.float32, device="cpu", requires_grad=True)
    assert leaf.requires_grad
    assert leaf.is_leaf
