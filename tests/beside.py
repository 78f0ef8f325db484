"""A call beside PyTorch's: its values, its gradients, and the words in which it is refused."""

import re
import warnings

import numpy as np
import pytest
import torch

import glassgrad
from glassgrad.core.errors import GlassgradError

__all__ = ["assert_same", "assert_same_refusal"]


def assert_same(call, value):
    """What `call(lib, x)` returns, in dtypes, shapes and values, and the gradient of x."""
    (ours, our_grad), (theirs, their_grad) = [_played(call, lib, value) for lib in LIBRARIES]
    assert [np.asarray(x).dtype for x in ours] == [np.asarray(x).dtype for x in theirs]
    for mine, wanted in zip([*ours, our_grad], [*theirs, their_grad], strict=True):
        np.testing.assert_allclose(mine, wanted, rtol=1e-12, atol=1e-12)
        assert np.shape(mine) == np.shape(wanted)


LIBRARIES = (glassgrad, torch)


def _played(call, lib, value):
    x = lib.tensor(value, dtype=lib.float64, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        found = call(lib, x)
    parts = list(found) if isinstance(found, (tuple, list)) else [found]
    weighed = [(y * lib.ones_like(y).cumsum(-1)).sum() for y in parts if y.requires_grad]
    if weighed:
        sum(weighed).backward()
    grad = np.zeros(np.shape(value)) if x.grad is None else x.grad.numpy()
    return [y.detach().numpy() for y in parts], grad


def assert_same_refusal(call, value, *, words=4):
    """Both libraries refuse it, by the same class of Python's, and with the same first words."""
    errors = []
    for lib in LIBRARIES:
        with pytest.raises((RuntimeError, ValueError, TypeError, IndexError)) as caught:
            _played(call, lib, value)
        errors.append(caught.value)
    ours, theirs = errors
    assert isinstance(ours, GlassgradError)
    builtin = next(c for c in type(theirs).__mro__ if c in BUILTIN)
    assert isinstance(ours, builtin)
    first = re.findall(r"\w+", str(theirs))[:words]
    assert re.findall(r"\w+", str(ours))[: len(first)] == first


BUILTIN = (RuntimeError, ValueError, TypeError, IndexError)
