"""What a tensor's dtype answers, beside PyTorch; and the limits of dtypes."""

import copy
import pickle

import numpy as np
import pytest
import torch

import glassgrad
from both import LIBRARIES
from checks import together
from glassgrad.core.errors import KernelError

NAMES = ["bool", "uint8", "int8", "int16", "int32", "int64"]
NAMES += ["float16", "float32", "float64", "complex64", "complex128"]


@together
@pytest.mark.parametrize("name", NAMES)
def test_a_dtype_answers_as_pytorchs(name):
    ours, theirs = (getattr(lib, name) for lib in (glassgrad, torch))
    for question in ("is_floating_point", "is_complex", "is_signed", "itemsize"):
        assert getattr(ours, question) == getattr(theirs, question), question
    assert repr(ours) == repr(theirs).replace("torch", "glassgrad")
    assert repr(ours.to_real()) == repr(theirs.to_real()).replace("torch", "glassgrad")


@together
@pytest.mark.parametrize("name", ["float32", "float64", "complex64", "complex128"])
def test_complex_numbers_have_as_many_digits(name):
    ours, theirs = (getattr(lib, name).to_complex() for lib in (glassgrad, torch))
    assert repr(ours) == repr(theirs).replace("torch", "glassgrad")


@pytest.mark.parametrize("lib", LIBRARIES)
def test_whole_numbers_have_no_complex_dtype(lib):
    with pytest.raises(RuntimeError, match="Unknown Complex ScalarType for Long"):
        lib.int64.to_complex()


@pytest.mark.parametrize("lib", LIBRARIES)
def test_a_tensor_has_the_very_dtype_it_was_made_with(lib):
    x = lib.zeros(2, dtype=lib.long)
    assert x.dtype is lib.int64
    assert isinstance(x.dtype, lib.dtype)
    assert copy.deepcopy(x.dtype) is x.dtype
    assert pickle.loads(pickle.dumps(x.dtype)) is x.dtype


def test_numpy_takes_it_for_its_own():
    dtype = glassgrad.ones(2).dtype
    assert dtype == np.float32 == dtype
    assert {np.dtype("float32"): 1}[dtype] == 1
    assert np.zeros(2, dtype).astype(glassgrad.float64).dtype == glassgrad.float64


@together
@pytest.mark.parametrize("name", ["float16", "float32", "float64", "complex64"])
def test_limits_of_fractions_are_pytorchs(name):
    ours, theirs = (lib.finfo(getattr(lib, name)) for lib in (glassgrad, torch))
    for limit in ("bits", "eps", "max", "min", "tiny", "smallest_normal", "resolution", "dtype"):
        assert getattr(ours, limit) == getattr(theirs, limit), limit
    assert repr(ours) == repr(theirs)


@together
@pytest.mark.parametrize("name", ["uint8", "int8", "int16", "int32", "int64"])
def test_limits_of_whole_numbers_are_pytorchs(name):
    ours, theirs = (lib.iinfo(getattr(lib, name)) for lib in (glassgrad, torch))
    for limit in ("bits", "max", "min", "dtype"):
        assert getattr(ours, limit) == getattr(theirs, limit), limit
    assert repr(ours) == repr(theirs)


@pytest.mark.parametrize("lib", LIBRARIES)
def test_limits_of_the_other_kind_are_refused(lib):
    with pytest.raises(TypeError, match="requires a floating point input type"):
        lib.finfo(lib.int64)
    with pytest.raises(TypeError, match="requires an integer input type"):
        lib.iinfo(lib.float32)


@together
@pytest.mark.parametrize("a", NAMES)
def test_what_may_be_written_where_is_pytorchs(a):
    for b in NAMES:
        ours, theirs = (
            lib.can_cast(getattr(lib, a), getattr(lib, b)) for lib in (glassgrad, torch)
        )
        assert ours == theirs, (a, b)


@pytest.mark.parametrize("lib", LIBRARIES)
def test_the_dtype_of_a_sum_is_told(lib):
    assert lib.result_type(lib.tensor([1, 2]), 1.5) is lib.float32
    assert lib.result_type(lib.tensor(1.0), lib.tensor([1], dtype=lib.int8)) is lib.float32
    assert lib.get_default_dtype() is lib.float32


@pytest.mark.parametrize("name", ["bfloat16", "complex32", "chalf", "float8_e5m2"])
def test_a_dtype_that_is_a_name_alone_is_pickled_by_it(lib, name):
    dtype = getattr(lib, name)
    assert pickle.loads(pickle.dumps(dtype)) is copy.deepcopy(dtype) is dtype
    assert dtype.is_complex == ("c" in name)
    assert dtype.itemsize == getattr(torch, name).itemsize


def test_such_a_dtype_becomes_one_that_holds_its_numbers():
    with pytest.warns(UserWarning, match="complex32 become complex64"):
        assert glassgrad.ones(1).to(glassgrad.complex32).dtype == glassgrad.complex64


NOT_IMPLEMENTED = {
    "gcd of floats": lambda m: m.gcd(m.ones(2), m.ones(2)),
    "hypot of integers": lambda m: m.hypot(m.tensor([1]), m.tensor([1])),
    "lerp of integers": lambda m: m.lerp(m.tensor([1]), m.tensor([2]), 0.5),
    "logaddexp of integers": lambda m: m.logaddexp(m.tensor([1]), m.tensor([2])),
    "logit of complex numbers": lambda m: m.logit(m.tensor([1j])),
    "erf of complex numbers": lambda m: m.erf(m.tensor([1j])),
    "bessel_j0 of complex numbers": lambda m: m.special.bessel_j0(m.tensor([1j])),
    "gelu of integers": lambda m: m.nn.functional.gelu(m.tensor([1])),
    "trace of bools": lambda m: m.tensor([[True]]).trace(),
    "tril_indices of floats": lambda m: m.tril_indices(2, 2, dtype=m.float32),
}


@together
@pytest.mark.parametrize("m", LIBRARIES)
@pytest.mark.parametrize("name", NOT_IMPLEMENTED)
def test_what_is_not_implemented_for_a_dtype_says_so_by_its_class(m, name):
    with pytest.raises(NotImplementedError, match="not implemented for") as raised:
        NOT_IMPLEMENTED[name](m)
    assert m is torch or isinstance(raised.value, KernelError)


@pytest.mark.parametrize("m", LIBRARIES)
def test_large_unsigned_numbers_are_kept_and_not_mixed_with_others(m):
    x = m.tensor([1, 65535], dtype=m.uint16)
    assert x.tolist() == [1, 65535]
    assert x.numpy().dtype == "uint16"
    assert not x.dtype.is_signed
    assert x.type().endswith("UInt16Tensor")
    assert m.iinfo(m.uint64).max == 2**64 - 1
    assert (x * 0.5).dtype == m.float32
    assert x.sum().dtype == m.int64
    assert m.promote_types(m.uint32, m.float16) == m.float16
    with pytest.raises(RuntimeError, match="attempted to promote UInt16 and Int"):
        m.promote_types(m.uint16, m.int32)
