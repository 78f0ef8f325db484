"""Functions of numbers beside PyTorch: edges, dtypes, refusals, what is written in place."""

import math
import re

import numpy as np
import pytest
import torch

import glassgrad as gg
from checks import Checks, together

EDGES = np.array([-np.inf, -2.5, -1.0, -0.5, -0.0, 0.0, 0.3, 1.0, 7.0, np.inf, np.nan])
OF_ONE = """
    deg2rad rad2deg sinc angle sgn sign nan_to_num special.erf special.erfc special.erfinv
    special.erfcx special.ndtr special.ndtri special.log_ndtr special.entr special.i0 special.i0e
    special.i1 special.i1e special.gammaln special.digamma
"""
OF_TWO = """
    copysign fmax fmin fmod remainder floor_divide logaddexp logaddexp2 ldexp float_power heaviside
    nextafter xlogy special.xlog1py
"""
OF_INTEGERS = "fmod remainder floor_divide gcd lcm bitwise_left_shift bitwise_right_shift ldexp"


def found(m, name):
    for part in name.split("."):
        m = getattr(m, part)
    return m


def assert_same(name, *arrays, **params):
    ours = found(gg, name)(*[gg.tensor(x) for x in arrays], **params).numpy()
    theirs = found(torch, name)(*[torch.tensor(x) for x in arrays], **params).numpy()
    assert ours.dtype == theirs.dtype
    near = 1e-10 if ours.dtype == np.float64 else 1e-5
    np.testing.assert_allclose(ours, theirs, rtol=near, atol=near)


def test_functions_of_one_number_have_pytorchs_values_at_the_edges():
    with Checks() as checks:
        for name in OF_ONE.split():
            for dtype in (np.float64, np.float32):
                with checks.named(name, dtype.__name__):
                    assert_same(name, EDGES.astype(dtype))
            with checks.named(name, "integers"):
                assert_same(name, np.arange(-2, 4))


def test_functions_of_two_numbers_have_pytorchs_values_at_the_edges():
    x, y = [grid.reshape(-1) for grid in np.meshgrid(EDGES, EDGES)]
    with Checks() as checks:
        for name in OF_TWO.split():
            for dtype in (np.float64, np.float32):
                with checks.named(name, dtype.__name__):
                    assert_same(name, x.astype(dtype), y.astype(dtype))
        for mode in ("trunc", "floor"):
            with checks.named("div", mode):
                assert_same("div", x, y, rounding_mode=mode)


def test_polynomials_of_the_third_and_fourth_kind_are_pytorchs():
    x, degrees = np.linspace(-0.9, 0.9, 6), np.array([-1.0, 0.0, 0.5, 2.0, 3.7, 7.0])
    with Checks() as checks:
        for name in ("chebyshev_polynomial_", "shifted_chebyshev_polynomial_"):
            for letter in "vw":
                with checks.named(name, letter):
                    assert_same(f"special.{name}{letter}", x, degrees)
                    assert_same(f"special.{name}{letter}", x, degrees.astype(int))


def test_functions_of_integers_have_pytorchs_values():
    pair = np.meshgrid(np.array([-7, -3, 0, 1, 5, 64]), np.array([-7, -2, 1, 2, 63, 64]))
    with Checks() as checks:
        for name in OF_INTEGERS.split():
            with checks.named(name):
                assert_same(name, *pair)
        for mode in ("trunc", "floor"):
            with checks.named("div", mode):
                assert_same("div", *pair, rounding_mode=mode)


BOOL_MINUS = "Subtraction, the `-` operator, with a bool tensor is not supported"
REFUSED = {
    "fmod(i, 0 * i)": "ZeroDivisionError",
    "floor_divide(i, 0 * i)": "ZeroDivisionError",
    "fmod(b, b)": '"fmod_cpu" not implemented for',
    "remainder(f + 0j, f)": '"remainder_cpu" not implemented for',
    "div(f, 2, rounding_mode='up')": "div expected rounding_mode to be one of",
    "add(i, i, alpha=1.5)": "For integral input tensors, argument alpha must not be a floating",
    "sub(b, b)": "Subtraction, the `-` operator, with two bool tensors is not supported",
    "Tensor.__sub__(b, True)": "Subtraction, the `-` operator, with two bool tensors",
    "Tensor.__sub__(b, 1)": BOOL_MINUS,
    "Tensor.__sub__(f, b)": BOOL_MINUS,
    "Tensor.__isub__(f, True)": BOOL_MINUS,
    "Tensor.__rsub__(i, True)": BOOL_MINUS,
    "rsub(b, 1.5)": BOOL_MINUS,
    "Tensor.sub_(f, True)": BOOL_MINUS,
    "Tensor.__pos__(b)": "The `.` operator, on a bool tensor is not supported",
    "add(i.byte(), i.byte(), alpha=300)": "value cannot be converted to type uint8_t",
    "sub(i, i, alpha=True)": "Boolean alpha only supported for Boolean results",
    "gcd(f, f)": '"gcd_cpu" not implemented for',
    "gcd(i, 3)": "argument 'other' .position 2. must be Tensor, not int",
    "eq(1, f)": "eq",
    "maximum(f, 1)": "argument 'other' .position 2. must be Tensor, not int",
    "pow(2, 3)": "pow",
    "heaviside(f, i)": "heaviside is not yet implemented for tensors with different dtypes",
    "bitwise_left_shift(f, 1)": '"lshift_cpu" not implemented for',
    "logaddexp(i, i)": '"logaddexp_cpu" not implemented for',
    "mvlgamma(f, 0)": "p has to be greater than or equal to 1",
    "positive(b)": "The `.` operator, on a bool tensor is not supported",
    "isclose(f, f, rtol=-1)": "rtol must be greater than or equal to zero",
    "isposinf(f + 0j)": "isposinf does not support complex inputs",
    "erf(f + 0j)": "not implemented for",
    "complex(f, f.double())": "Expected object of scalar type Float but got scalar type Double",
    "complex(i, i)": "Expected both inputs to be Half, Float or Double tensors",
    "view_as_complex(f)": "Tensor must have a last dimension of size 2",
    "view_as_complex(i)": "view_as_complex is only supported for",
    "view_as_real(f)": "view_as_real is only supported for complex tensors",
    "imag(f)": "imag is not implemented for tensors with non-complex dtypes",
    "clamp(b, False, True)": '"clamp_scalar_cpu" not implemented for',
    "scatter(f, 0, i * 0, f, reduce='x')": "reduce argument must be either add or multiply",
    "arange(0.0, 5.5, 0.5, dtype=m.int64)": "step must be nonzero",
    "linspace(f, 1, 2)": "linspace only supports 0-dimensional start and end tensors",
    "narrow(f, 0, i, 2)": "start must be an 0-dim integral Tensor",
    "narrow(f, 0, b[0], 2)": "start must be an 0-dim integral Tensor",
    "masked_fill(i, b, m.tensor(1j))": "value cannot be converted to type int64_t without overflow",
    "index_fill(i.byte(), 0, i * 0, m.tensor(300))": "value cannot be converted to type uint8_t",
    "index_add(m.zeros(3, 2), 0, i * 0, f)": "source tensor shape must match self tensor shape",
    "bernoulli(f / 3, out=f[:1].expand(3))": "more than one element of the written-to tensor",
    "put(f, i, i)": "self and source expected to have the same dtype",
    "take(f, f)": "Expected a long tensor for index",
    "take_along_dim(f, f, 0)": "dtype of indices should be Long",
    "scatter_reduce(f, 0, i * 0, f, 'x')": "reduce argument must be either sum, prod, mean",
    "index_reduce(f, 0, i * 0, f, 'x')": "Expected reduce to be one of prod, mean, amax or amin",
    "repeat_interleave(i[None])": "repeat_interleave only accept 1D vector as repeat",
    "repeat_interleave(f, i[None])": "repeats must be 0-dim or 1-dim tensor",
    "cartesian_prod(f[None])": "Expect a 1D vector, but got shape",
    "combinations(f[None])": "Expect a 1D vector, but got shape",
    "meshgrid(f[None], indexing='ij')": "Expected 0D or 1D tensor in the tensor list but got",
    "meshgrid(f, i, indexing='ij')": "meshgrid expects all tensors to have the same dtype",
    "tensor_split(f, i[None])": "expected tensor_indices_or_sections to be a zero-dimensional or",
    "quantile(f, 0.5, interpolation='x')": "interpolation must be one of linear, lower, higher",
    "quantile(f, f.double() / 3)": "q tensor must be same dtype as the input tensor",
    "quantile(f, f[None] / 3)": "q must be a scalar or 1D tensor",
    "searchsorted(f, f, sorter=i[:2])": "boundary and sorter must have the same size",
    "searchsorted(f, f, sorter=f)": "sorter must be a tensor of long dtype but got",
    "bucketize(f, f[None])": "boundaries tensor must be 1 dimension, but got",
    "bincount(i.abs(), f[:2])": "weights should be 1-d and have the same length as input",
    "histogram(f, f[None])": "bins tensor should have one dimension, but got",
    "histogram(f, f.double())": "input tensor and bins tensors should have the same dtype",
    "histogram(f, 2, weight=f[:2])": "it should have the same shape as the input tensor",
    "histogram(f, 2, weight=f.double())": "weight tensor should have the same dtype",
    "select(f[0], 0, 0)": "select\\(\\) cannot be applied to a 0-dim tensor",
    "narrow(f[0], 0, 0, 1)": "narrow\\(\\) cannot be applied to a 0-dim tensor",
    "split(f[0], 1)": "split expects at least a 1-dimensional tensor",
    "chunk(f[0], 1)": "chunk expects at least a 1-dimensional tensor",
    "tensor_split(f[0], 1)": "at least a 1-dimensional tensor",
}


@together
@pytest.mark.parametrize("call", REFUSED)
def test_what_pytorch_refuses_is_refused_in_its_words(call):
    for m in (torch, gg):
        names = {"i": m.tensor([5, -5, 2]), "f": m.tensor([1.0, 2.0, 3.0])}
        names |= {"b": m.tensor([True, False, True]), "m": m}
        with pytest.raises(
            (RuntimeError, TypeError, ValueError, IndexError), match=REFUSED[call]
        ) as refusal:
            eval(f"m.{call}", names)
        assert isinstance(refusal.value, (RuntimeError, TypeError, ValueError, IndexError))


CALLS = {
    "arange of whole steps": lambda m: m.arange(0, -8.000001, -4.0, dtype=m.int64),
    "arange of int32": lambda m: m.arange(0.5, 5.5, 1.5, dtype=m.int32),
    "clamp of bools": lambda m: m.clamp(m.tensor([True, False]), 0, 1),
    "clamp of bools by a tensor": lambda m: m.clamp(m.tensor([True, False]), m.tensor([2, 2])),
    "flip by name": lambda m: m.flip(m.tensor([[1, 2], [3, 4]]), dims=(0, 1)),
    "flip as a method": lambda m: m.tensor([[1, 2], [3, 4]]).flip(0, 1),
    "gather nothing": lambda m: m.gather(m.tensor([1.0, 2.0]), 0, m.tensor([])),
    "scatter and add": lambda m: m.scatter(
        m.ones(3), 0, m.tensor([1, 1]), m.tensor([2.0, 3.0]), reduce="add"
    ),
    "scatter and multiply": lambda m: m.ones(3).scatter(
        0, m.tensor([1, 1]), 3.0, reduce="multiply"
    ),
    "clamp of bytes by a fraction and a negative number": lambda m: m.clamp(
        m.tensor([0, 1, 200], dtype=m.uint8), -1, 0.5
    ),
    "clamp by a number of NumPy's": lambda m: m.clamp(m.tensor([0.5, 2.0]), np.float64(1.0)),
    "pow of a number of NumPy's": lambda m: m.tensor([0.5, 2.0]) ** np.float64(2.0),
    "add bools alpha": lambda m: m.add(m.tensor([True]), m.tensor([True]), alpha=2),
    "addcmul of integers by a fraction": lambda m: m.addcmul(
        m.tensor([1]), m.tensor([2]), m.tensor([3]), value=2.9
    ),
    "conj of bools": lambda m: m.conj(m.tensor([True, False])),
    "copy a number": lambda m: m.ones(2).long().copy_(2.5),
    "linear with one bias": lambda m: m.nn.functional.linear(
        m.ones(2, 3), m.ones(4, 3), m.tensor(2.0)
    ),
    "linear of a vector": lambda m: m.nn.functional.linear(m.ones(2, 3), m.ones(3)),
    "ctc_loss of nan": lambda m: m.nn.functional.ctc_loss(
        m.full((3, 1, 2), m.nan), m.tensor([[1]]), [3], [1], zero_infinity=True
    ),
    "rsub alpha": lambda m: m.rsub(m.tensor([1, 2]), m.tensor([5, 5]), alpha=2),
    "isclose of bools": lambda m: m.isclose(m.tensor([True]), m.tensor([False])),
    "sign of bools": lambda m: m.sign(m.tensor([True, False])),
    "prod of bools": lambda m: m.prod(m.tensor([True, False]), 0, dtype=m.bool),
    "sum_to_size": lambda m: m.ones(2, 3).sum_to_size(1, 3),
    "sum_to_size of none": lambda m: m.tensor(True).sum_to_size(()),
    "cumsum of a number in place": lambda m: m.tensor(2.0).cumsum_(0),
    "tril in place": lambda m: m.ones(2, 2).tril_(),
    "as_strided in place": lambda m: m.arange(6).as_strided_((2, 2), (1, 2), 1),
    "modulo": lambda m: -7 % m.tensor([2, 3]),
    "floor division": lambda m: m.tensor([7, -7]) // 2,
    "shift": lambda m: (m.tensor([1, 2]) << 3) >> 1,
    "shift in place": lambda m: m.tensor([1, 2]).bitwise_left_shift_(3),
    "byte": lambda m: m.tensor([1.7, 2.0]).byte(),
    "cdouble": lambda m: m.tensor([1.7, 2.0]).cdouble(),
    "isposinf": lambda m: m.isposinf(m.tensor([float("inf"), float("-inf"), float("nan"), 0.0])),
    "isneginf": lambda m: m.isneginf(m.tensor([float("inf"), float("-inf"), float("nan"), 0.0])),
    "isposinf of integers": lambda m: m.isposinf(m.tensor([1, 2])),
    "isreal": lambda m: m.tensor([1 + 0j, 1j]).isreal(),
    "isreal of reals": lambda m: m.isreal(m.tensor([1.0, float("nan"), 0.0])),
    "fill": lambda m: m.fill(m.tensor([1.0, 2.0]), m.tensor(3.0)),
    "exp in place by a function": lambda m: m.exp_(m.tensor([0.0, 1.0])),
    "gcd in place by a function": lambda m: m.gcd_(m.tensor([4]), m.tensor([6])),
    "not a view": lambda m: m.tensor(m.tensor(2.0).cumsum(0)._is_view()),
    "is complex": lambda m: m.tensor(m.is_complex(m.tensor(1j)) and m.is_signed(m.tensor(1))),
}


@together
@pytest.mark.parametrize("name", CALLS)
def test_calls_give_what_pytorchs_give(name):
    ours, theirs = CALLS[name](gg).numpy(), CALLS[name](torch).numpy()
    assert ours.dtype == theirs.dtype
    np.testing.assert_allclose(ours, theirs)


@pytest.mark.parametrize("m", [gg, torch], ids=["glassgrad", "torch"])
def test_a_condition_of_bytes_is_taken_with_a_warning(m):
    condition = m.tensor([1, 0], dtype=m.uint8)
    with pytest.warns(UserWarning, match="where received a uint8 condition tensor"):
        assert m.where(condition, m.tensor([1.0, 2.0]), 0.0).tolist() == [1.0, 0.0]


def written_through_parts(m, *, create_graph):
    x = m.tensor([1 + 2j, 3 - 1j], requires_grad=True)
    z = x * (2 + 1j)
    z.real.mul_(3.0)
    z.imag.add_(z.real * 5)
    m.view_as_real(z)[0, 1].mul_(2.0)
    (first,) = m.autograd.grad((z * z.conj()).real.sum(), x, create_graph=create_graph)
    if not create_graph:
        return [first.numpy()]
    (second,) = m.autograd.grad(first.abs().sum(), x)
    return [first.detach().numpy(), second.numpy()]


@pytest.mark.parametrize("create_graph", [False, True])
def test_writes_through_the_parts_of_complex_numbers_are_recorded(create_graph):
    ours = written_through_parts(gg, create_graph=create_graph)
    theirs = written_through_parts(torch, create_graph=create_graph)
    for got, want in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-4)


@pytest.mark.parametrize("m", [gg, torch], ids=["glassgrad", "torch"])
def test_writes_through_parts_are_seen_by_transforms(m):
    def f(x):
        z = x * 1
        z.real.mul_(3.0)
        z.imag.add_(2.0)
        return (z * z.conj()).real.sum()

    x, dx = m.tensor([1 + 2j, 3 - 1j]), m.tensor([1 + 1j, 2j])
    np.testing.assert_allclose(m.func.grad(f)(x).numpy(), [18 + 8j, 54 + 2j])
    np.testing.assert_allclose(m.func.jvp(f, (x,), (dx,))[1].numpy(), 30.0)
    np.testing.assert_allclose(m.func.vmap(f)(x[None]).numpy(), [107.0])


@pytest.mark.parametrize("m", [gg, torch], ids=["glassgrad", "torch"])
def test_writes_through_complex_views_of_real_numbers_are_recorded(m):
    x = m.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    y = x * 1
    m.view_as_complex(y)[1].mul_(2j)
    y.pow(2).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [[2.0, 4.0], [24.0, 32.0]])


def test_a_filled_place_passes_its_gradient_on_once_however_often_it_is_named():
    def gradient(m):
        value = m.tensor(1.0, requires_grad=True)
        y = m.zeros(3).index_fill(0, m.tensor([0, 0, 2]), value)
        return m.autograd.grad(y, value, m.tensor([1.0, 10.0, 100.0]))[0].item()

    assert gradient(gg) == gradient(torch) == 101.0


def test_functions_in_place_are_there_where_pytorch_has_them():
    theirs = {name for name in dir(torch) if name.endswith("_") and not name.startswith("_")}
    missing = theirs - set(dir(gg))
    assert [name for name in missing if hasattr(gg.Tensor, name)] == []


def test_counts_beyond_64_bits_are_refused_at_once():
    for call in (
        lambda: gg.tensor_split(gg.ones(2), 2**70),
        lambda: gg.split(gg.ones(2), 2**70),
        lambda: gg.combinations(gg.ones(60), 30),
    ):
        with pytest.raises(RuntimeError, match="verflow"):
            call()
    assert gg.polygamma(10**9, gg.ones(2)).tolist() == [-math.inf] * 2


FACTORS = """
    m.add(b, b, alpha=2)        m.sub(b, b, alpha=-1)           m.rsub(b, 3, alpha=2)
    m.add(b, 300, alpha=2)      m.sub(k, 1.5, alpha=1.5)        m.add(k, 1.5, alpha=1.5)
    m.rsub(k, 1.5, alpha=2)     b.sub_(b, alpha=2)              m.add(k, b, alpha=300)
    m.bincount(b)               m.addmv(b, b.diag(), b, alpha=2)
"""
TOO_LARGE = """
    m.add(b, b, alpha=300)      m.sub(b, b, alpha=300)          m.rsub(b, 3, alpha=300)
    b.sub_(b, alpha=300)        m.addmv(b, b.diag(), b, beta=300)
    m.where(b > 5, b, 300)      b ** 300                        m.threshold(b, 3, 300)
    b.index_add(0, m.tensor([0]), b[:1], alpha=300)
"""


def of_integers(m, call):
    small = m.tensor([250, 2, 7], dtype=m.uint8)
    return eval(call, {"m": m, "b": small, "k": m.tensor([1, 2, 3])})


@together
@pytest.mark.parametrize("call", [c for c in re.split(r"\s{2,}", FACTORS) if c])
def test_factors_of_integers_are_pytorchs(call):
    ours, theirs = [of_integers(m, call).numpy() for m in (gg, torch)]
    assert ours.dtype == theirs.dtype
    assert ours.tolist() == theirs.tolist()


@together
@pytest.mark.parametrize("call", [c for c in re.split(r"\s{2,}", TOO_LARGE) if c])
@pytest.mark.parametrize("m", [gg, torch])
def test_number_that_a_dtype_cannot_hold_is_refused(m, call):
    with pytest.raises(RuntimeError, match="value cannot be converted to type uint8_t without ove"):
        of_integers(m, call)


@pytest.mark.parametrize("call", ["m.heaviside(x, x)", "m.bincount(m.tensor([1, 0]), x.abs())"])
def test_pass_raises_where_it_comes_to_a_result_without_a_derivative(lib, call):
    x = lib.tensor([1.0, -2.0], requires_grad=True)
    y = eval(call, {"m": lib, "x": x})
    assert y.requires_grad
    with pytest.raises(RuntimeError, match=r"derivative for .*aten::.* is not implemented"):
        y.sum().backward()


def test_nextafter_moves_as_its_input_does(lib):
    x, y = lib.tensor([1.0, 2.0], requires_grad=True), lib.tensor([1.0, 3.0], requires_grad=True)
    grads = lib.autograd.grad(lib.nextafter(x, y).sum(), (x, y))
    assert [grad.tolist() for grad in grads] == [[0.0, 1.0], [0.0, 0.0]]


def test_true_is_no_complex_exponent(lib):
    assert lib.ones(2).float_power(True).dtype == lib.float64


@pytest.mark.parametrize("lib", [gg, torch])
def test_a_number_to_the_power_of_what_lies_otherwise_lies_in_rows(lib):
    assert (2 ** lib.ones(2, 3).t()).is_contiguous()
    assert not (lib.ones(2, 3).t() ** 2).is_contiguous()


@pytest.mark.parametrize("lib", [gg, torch])
def test_the_order_of_a_distance_is_a_number_or_a_0_d_tensor(lib):
    x, y = lib.tensor([1.0, 2.0]), lib.tensor([1.0, 0.0])
    assert x.dist(y, lib.tensor(2.0)) == 2
    for wrong in (lib.tensor([2.0]), lib.tensor(2.0, requires_grad=True), "2"):
        with pytest.raises(TypeError, match=r"argument 'p'.* must be Number, not"):
            x.dist(y, wrong)
