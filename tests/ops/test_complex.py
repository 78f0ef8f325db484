"""Complex numbers: gradients by PyTorch's convention, first and second."""

import numpy as np
import pytest
import torch

import glassgrad as gg
from checks import together
from glassgrad.core.errors import DTypeError

RNG = np.random.default_rng(0)
A = RNG.standard_normal((2, 2)) + 1j * RNG.standard_normal((2, 2))
B = RNG.standard_normal((2, 2)) + 1j * RNG.standard_normal((2, 2))

PROGRAMS = {
    "mul": lambda m, x, y: x * y,
    "div": lambda m, x, y: x / y,
    "sub and number": lambda m, x, y: 2j * x - y,
    "reciprocal": lambda m, x, y: 1 / x,
    "square": lambda m, x, y: x**2 * y,
    "pow": lambda m, x, y: x**y,
    "number to a power": lambda m, x, y: 2**x,
    "exp": lambda m, x, y: x.exp(),
    "log": lambda m, x, y: x.log(),
    "sqrt": lambda m, x, y: x.sqrt(),
    "sin": lambda m, x, y: x.sin(),
    "tanh": lambda m, x, y: x.tanh(),
    "sigmoid": lambda m, x, y: x.sigmoid(),
    "conj": lambda m, x, y: x.conj() * y,
    "sum": lambda m, x, y: x.sum(0) * y,
    "mean": lambda m, x, y: (x * y).mean(),
    "mm": lambda m, x, y: x @ y,
    "mv": lambda m, x, y: x @ y[0],
    "dot": lambda m, x, y: x[0].dot(y[1]),
    "einsum": lambda m, x, y: m.einsum("ij,kj->ik", x, y),
    "linear": lambda m, x, y: m.nn.functional.linear(x, y),
    "where": lambda m, x, y: m.where(m.tensor([True, False]), x * y, y),
    "cat": lambda m, x, y: m.cat([x, y]) * 2j,
    "prod": lambda m, x, y: x.prod(0) * y,
    "cumprod": lambda m, x, y: x.cumprod(0) * y,
    "logsumexp": lambda m, x, y: m.logsumexp(x, 0) * y,
    "logaddexp": lambda m, x, y: m.logaddexp(x, y),
    "var": lambda m, x, y: x.var(0) * y,
    "std": lambda m, x, y: x.std(0) * y,
    "var_mean": lambda m, x, y: m.var_mean(x, 0)[0] * m.var_mean(x, 0)[1],
    "std_mean": lambda m, x, y: m.std_mean(x, 0)[0] * m.std_mean(x, 0)[1],
    "angle": lambda m, x, y: x.angle() * y,
    "sgn": lambda m, x, y: x.sgn() * y,
    "sinc": lambda m, x, y: x.sinc() * y,
    "parts": lambda m, x, y: m.complex(x.imag, y.real) * x,
    "polar": lambda m, x, y: m.polar(x.abs(), y.angle()) * x,
    "views": lambda m, x, y: m.view_as_complex(m.view_as_real(x).flip(-1)) * y,
    "fft": lambda m, x, y: m.fft.fft(x) * y,
    "ifft2": lambda m, x, y: m.fft.ifft2(x, norm="ortho") * y,
    "rfft": lambda m, x, y: m.fft.rfft(x.real, 4) * y[:, :1],
    "ihfft": lambda m, x, y: m.fft.ihfft(x.imag) * y,
    "irfft": lambda m, x, y: m.fft.irfft(x, 5) * y[:, :1],
    "hfft": lambda m, x, y: m.fft.hfft(x) * y,
}


def gradients(m, program):
    x, y = m.tensor(A, requires_grad=True), m.tensor(B, requires_grad=True)
    out = program(m, x, y)
    first = m.autograd.grad(
        out, [x, y], m.ones_like(out) * (1 + 0.5j), allow_unused=True, create_graph=True
    )
    results = list(first)
    if first[0].requires_grad:
        seed = m.tensor(1 + 0j, dtype=m.complex128)
        results += m.autograd.grad((first[0] * first[0]).sum(), [x], seed, allow_unused=True)
    return [np.asarray(g.detach().tolist()) for g in results if g is not None]


@together
@pytest.mark.parametrize("name", PROGRAMS)
def test_first_and_second_gradients_are_pytorchs(name):
    for ours, theirs in zip(
        gradients(gg, PROGRAMS[name]), gradients(torch, PROGRAMS[name]), strict=True
    ):
        np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-12)


def test_the_length_of_a_complex_number_has_its_direction_as_gradient():
    x = gg.tensor([3 + 4j, 0j], requires_grad=True)
    x.abs().sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [0.6 + 0.8j, 0])


@pytest.mark.parametrize("m", [gg, torch], ids=["glassgrad", "torch"])
def test_the_direction_of_a_complex_number_stands_still_at_0(m):
    x = m.tensor([3 + 4j, 0j], requires_grad=True)
    (slope,) = m.autograd.grad(x.abs().sum(), x, create_graph=True)
    (second,) = m.autograd.grad(slope, x, m.tensor([1 + 2j, 1 + 2j]))
    np.testing.assert_allclose(second.numpy(), [-0.064 + 0.048j, 0], rtol=1e-5)


def test_what_has_no_complex_rule_says_so():
    with pytest.raises(DTypeError, match="not implemented for 'ComplexDouble'"):
        gg.tensor(A).erf()


@pytest.mark.parametrize("lib", [gg, torch])
def test_a_complex_number_has_a_gradient_that_rules_take_for_an_array(lib):
    x = lib.ones(2, 2, dtype=lib.complex128, requires_grad=True)
    y = lib.einsum("ii,i->", x, lib.tensor([1j, 2.0], dtype=lib.complex128))
    y.backward(lib.tensor(1j, dtype=lib.complex128))
    assert x.grad.tolist() == [[1, 0], [0, 2j]]


def test_there_is_no_complex32():
    x = gg.ones(2, dtype=gg.float16)
    for make in (lambda: gg.complex(x, x), lambda: gg.view_as_complex(x)):
        with pytest.raises(DTypeError, match="complex32"):
            make()


@pytest.mark.parametrize("lib", [gg, torch])
def test_the_angle_of_a_real_number_has_a_tangent_of_zeros(lib):
    _, tangent = lib.func.jvp(lib.angle, (lib.tensor([1.0, -1.0]),), (lib.ones(2),))
    assert tangent.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("lib", [gg, torch])
def test_the_gradient_of_a_real_angle_is_constant(lib):
    x = lib.tensor([1.0, -1.0], requires_grad=True)
    (grad,) = lib.autograd.grad(lib.log1p(x.angle()).sum(), x, create_graph=True)
    assert not grad.requires_grad


@pytest.mark.parametrize("lib", [gg, torch])
def test_a_power_of_0_is_flat_in_real_exponents_alone(lib):
    y = lib.tensor([2 + 0j, 2 + 1j], requires_grad=True)
    (lib.zeros(2) ** y).backward(lib.ones(2) + 0j)
    assert y.grad[0] == 0
    assert lib.isnan(y.grad[1])
