"""The fused steps give the reference's numbers: values, gradients, buffers; exact and literal."""

from types import SimpleNamespace

import numpy as np
import pytest

import glassgrad as gg
from checks import together
from glassgrad.trajectory import kernels, numerics
from trajectory import oracle

CASES = [case for case in oracle.cases(*kernels.__all__) if not case.raises]
TOLERANCE_F32 = 3e-6


def with_buffers(case, dtype=None):
    """The arguments of a case in the order of `apply`, NaN in each buffer."""
    given = case.arguments()
    given["u_act"].requires_grad_(False)
    if dtype is not None:
        given = {k: x.to(dtype) if x.is_floating_point() else x for k, x in given.items()}
    sizes = dict(case.entry["buffers"])
    assert sizes.pop("prefill") == "NaN"
    for name, shape in sizes.items():
        given[name] = gg.full(tuple(shape), float("nan"), dtype=given["u_act"].dtype)
    given["u_act"].requires_grad_()
    return {name: given[name] for name in case.entry["apply_order"]}


def pull(case, out):
    """Send the case's cotangents back."""
    grads = [None if g is None else g.to(out[0].dtype) for g in case.expected("cotangent")]
    pairs = [pair for pair in zip(out, grads, strict=True) if pair[1] is not None]
    gg.autograd.backward(*map(list, zip(*pairs, strict=True)))


@together
@pytest.mark.parametrize("case", CASES, ids=str)
def test_values_gradients_and_buffers_are_those_of_the_reference(case):
    given = with_buffers(case)
    out = getattr(kernels, case.function).apply(*given.values())
    buffers = [given[name] for name in given if name.startswith("out_") and "grad" not in name]
    for found, buffer, want in zip(out, buffers, case.expected("return"), strict=True):
        assert oracle.close(found, want, case)
        assert found is not buffer
        assert np.shares_memory(found.detach().numpy(), buffer.numpy())
        assert not buffer.requires_grad
    pull(case, out)
    grad = given["u_act"].grad
    assert oracle.close(grad, oracle.build(case.entry["grads"]["u_act"], case.arrays), case)
    assert np.array_equal(given["out_grad_position"].numpy(), grad.numpy())
    assert not np.shares_memory(given["out_grad_position"].numpy(), grad.numpy())
    assert all(x.grad is None for name, x in given.items() if name != "u_act")


LITERAL = [case for case in CASES if "Coalesce" not in case.function]


@together
@pytest.mark.parametrize("case", LITERAL, ids=str)
def test_inside_numerics_curobo_the_numbers_are_that_library_s(case):
    variant = case.entry["variants"]["literal"]
    given = with_buffers(case)
    with numerics("curobo"):
        out = getattr(kernels, case.function).apply(*given.values())
    for found, want in zip(out, oracle.build(variant["return"], case.arrays), strict=True):
        assert oracle.close(found, want, case)
    if variant["grad_u_act"] is None:
        with pytest.raises(NotImplementedError, match="has no backward in numerics"):
            pull(case, out)
        return
    pull(case, out)
    want = oracle.build(variant["grad_u_act"], case.arrays)
    assert oracle.close(given["u_act"].grad, want, case)


UPSTREAM = [case for case in LITERAL if "upstream_f32" in case.entry["variants"]]


@together
@pytest.mark.parametrize("case", UPSTREAM, ids=str)
def test_in_float32_they_are_what_its_kernels_gave(case):
    variant = case.entry["variants"]["upstream_f32"]
    given = with_buffers(case, gg.float32)
    with numerics("curobo"):
        out = getattr(kernels, case.function).apply(*given.values())
    wide = SimpleNamespace(rtol=TOLERANCE_F32, atol=0.0)
    for found, want in zip(out, oracle.build(variant["return"], case.arrays), strict=True):
        assert oracle.close(found, want, wide)


def test_the_coalesced_step_is_literal_where_the_plain_one_is():
    case = next(case for case in LITERAL if case.id == "CliqueTensorStepKernel.B2H6D3_moving")
    found = []
    for cls in (kernels.CliqueTensorStepKernel, kernels.CliqueTensorStepCoalesceKernel):
        with numerics("curobo"):
            found.append(cls.apply(*with_buffers(case).values()))
    assert all(gg.equal(x, y) for x, y in zip(*found, strict=True))
