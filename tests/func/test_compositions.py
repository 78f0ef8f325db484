"""Transforms inside transforms: random ones against PyTorch's, and the classic confusions."""

import threading

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings

import glassgrad
from both import LIBRARIES, leaf, plain
from func.composing import compositions, play, writing_compositions

FUZZ = settings(
    max_examples=200, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck)
)

POINT = [0.3, -0.7, 1.1]


def outcome(lib, composition):
    """The vector it gives; None where it is refused."""
    try:
        return play(lib, composition)(plain(lib, POINT)).numpy()
    except RuntimeError:
        return None


@FUZZ
@given(compositions)
def test_random_compositions_are_those_of_torch(composition):
    want = play(torch, composition)(plain(torch, POINT)).numpy()
    got = play(glassgrad, composition)(plain(glassgrad, POINT)).numpy()
    np.testing.assert_allclose(got, want, rtol=1e-8, atol=1e-10)


@FUZZ
@given(writing_compositions)
def test_random_compositions_that_write_in_place_are_those_of_torch(composition):
    got, want = outcome(glassgrad, composition), outcome(torch, composition)
    assert (got is None) == (want is None)
    if want is not None:
        np.testing.assert_allclose(got, want, rtol=1e-8, atol=1e-10)


@FUZZ
@given(compositions)
def test_the_tape_runs_underneath_random_compositions(composition):
    grads = []
    for lib in (glassgrad, torch):
        x = leaf(lib, POINT)
        y = play(lib, composition)(x).sum()
        if y.requires_grad:
            y.backward()
        grads.append(None if x.grad is None else x.grad.numpy())
    assert (grads[0] is None) == (grads[1] is None)
    if grads[1] is not None:
        np.testing.assert_allclose(*grads, rtol=1e-8, atol=1e-10)
