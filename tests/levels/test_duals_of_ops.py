"""Every op on duals of the base tape: they move as under `func.jvp`, in place and in passes too."""

import operator

import numpy as np
import pytest

import glassgrad
from func.calls import Call, InPlaceCall, arrays_of, in_place
from glassgrad.core.errors import GlassgradError
from opcases import DIFFERENTIABLE, rows

fw = glassgrad.autograd.forward_ad


def duals(call, inputs):
    leaves = call.leaves(inputs)
    return [fw.make_dual(x, dx) for x, dx in zip(leaves, call.tangents(inputs), strict=True)]


def moved(results):
    pairs = [fw.unpack_dual(y) for y in results]
    return [glassgrad.zeros_like(y) if dy is None else dy for y, dy in pairs]


def assert_same(got, want):
    for a, b in zip(arrays_of(tuple(got)), arrays_of(tuple(want)), strict=True):
        rough = a.dtype == np.float16
        np.testing.assert_allclose(a, b, rtol=1e-2 if rough else 1e-9, atol=1e-2 if rough else 1e-9)


@rows(DIFFERENTIABLE)
def test_duals_move_as_under_jvp(case, given):
    call = Call(glassgrad, case, given)
    inputs = call.one()
    with fw.dual_level():
        got = moved(call.of_leaves(call.floats, inputs)(*duals(call, inputs)))
    assert_same(got, call.jvp(call.floats, inputs)[1])


IN_PLACE = [
    (case, given)
    for case, given in DIFFERENTIABLE
    if in_place(glassgrad, case) and case.op is not operator.pow
]


@rows(IN_PLACE)
def test_ops_in_place_move_duals_as_under_jvp(case, given):
    call = InPlaceCall(glassgrad, case, given)
    inputs = call.one()
    try:
        want = call.jvp(call.floats, inputs)[1]
    except GlassgradError:  # too small a tensor, or not of the dtype
        with fw.dual_level(), pytest.raises(GlassgradError):
            call.of_leaves(call.floats, inputs)(*duals(call, inputs))
        return
    with fw.dual_level():
        assert_same(moved(call.of_leaves(call.floats, inputs)(*duals(call, inputs))), want)


@rows(DIFFERENTIABLE)
def test_gradients_of_duals_move_as_under_jvp(case, given):
    call = Call(glassgrad, case, given)
    inputs = call.one()

    def slopes(*leaves):
        loss = call.of_leaves(call.loss, inputs)
        return glassgrad.func.grad(loss, tuple(range(len(leaves))))(*leaves)

    with fw.dual_level():
        points = [x.requires_grad_() for x in duals(call, inputs)]
        loss = call.of_leaves(call.loss, inputs)(*points)
        if not loss.requires_grad:
            return
        found = glassgrad.autograd.grad(loss, points, materialize_grads=True)
        got = moved(found)
    leaves, tangents = call.leaves(inputs), call.tangents(inputs)
    assert_same(got, glassgrad.func.jvp(slopes, tuple(leaves), tuple(tangents))[1])
