"""`x[index] = value` with indices and values of every kind, against PyTorch."""

import itertools

import numpy as np
import pytest
import torch

import glassgrad as gg
from both import spelled
from checks import Checks, together
from glassgrad.core.errors import DeviceError

INDICES = [
    "0",
    "-1",
    "5",
    "slice(0, 2)",
    "slice(0, 0)",
    "slice(None, None, 2)",
    "...",
    "None",
    "True",
    "False",
    "()",
    "[]",
    "1.5",
    "(0, 1)",
    "(0, slice(1, 3))",
    "(..., 1)",
    "(0, 0, 0)",
    "(0, 0, 0, 0)",
    "[0, 1]",
    "[[0, 1], [1, 0]]",
    "range(2)",
    "T(1)",
    "T([0, 1])",
    "T([1, 1])",
    "T([[0], [1]])",
    "(T([[0], [1]]), T([0, 2]))",
    "(T([0, 1]), T([2, 0]))",
    "(T([0, 1]), slice(None), T([1, 3]))",
    "(slice(None), T([0, 2]))",
    "(0, T([0, 2]))",
    "(None, T([0, 1]))",
    "x > 5",
    "T([True, False])",
    "(slice(None), T([True, False, True]))",
    "np.array([0, 1])",
    "(np.array([True, False]), 0)",
]

VALUES = [
    "1",
    "2.5",
    "True",
    "1j",
    "'a'",
    "None",
    "T(3.0)",
    "T(3)",
    "T([1.0])",
    "T([1.0, 2.0, 3.0])",
    "T([1, 2, 3, 4])",
    "T([[1.0], [2.0], [3.0]])",
    "other * 2",
    "x[index] * 2",
]


def outcome(lib, index, value, *, recorded):
    def tensor_of(values):
        return lib.tensor(np.array(values))

    leaf = lib.tensor(np.arange(24.0).reshape(2, 3, 4)).requires_grad_(recorded)
    other = lib.tensor(np.arange(1.0, 5.0)).requires_grad_(recorded)
    x = leaf * 1
    names = {"x": x, "other": other, "T": tensor_of, "np": np}
    try:
        names["index"] = eval(index, names)
        x[names["index"]] = eval(value, names)
        graph = None if x.grad_fn is None else spelled(x.grad_fn)
        grads = []
        if recorded:
            grads = lib.autograd.grad((x * x).sum(), [leaf, other], allow_unused=True)
        gradients = [None if g is None else g.tolist() for g in grads]
        return x.detach().tolist(), x._version, graph, gradients
    except (RuntimeError, TypeError, IndexError) as error:
        return error.__class__


@together
@pytest.mark.parametrize("index", INDICES)
@pytest.mark.filterwarnings("ignore:Using a non-tuple sequence")  # in both libraries
def test_it_writes_what_pytorch_writes(index):
    with Checks() as checks:
        for value, recorded in itertools.product(VALUES, [False, True]):
            with checks.named(value, "recorded" if recorded else "plain"):
                got = outcome(gg, index, value, recorded=recorded)
                want = outcome(torch, index, value, recorded=recorded)
                if isinstance(want, type):
                    assert isinstance(got, type)
                    assert issubclass(got, want)
                else:
                    assert got == want


@together
@pytest.mark.parametrize("recorded", [False, True], ids=["plain", "recorded"])
@pytest.mark.parametrize(
    "index", ["T([0, 5])", "T([0, -3])", "T([True, False, True])", "(T([0, 1]), T([0, 1, 2]))"]
)
def test_a_place_that_is_not_there_is_an_index_error(index, recorded):
    for lib in (torch, gg):
        assert issubclass(outcome(lib, index, "1.0", recorded=recorded), IndexError)


def test_a_slice_takes_values_of_another_device(device):
    x, far = gg.zeros(3), gg.tensor([1.0, 2.0], requires_grad=True)
    x[1:] = far.to(device)
    assert (x.device.type, x.tolist()) == ("cpu", [0.0, 1.0, 2.0])
    x.sum().backward()
    assert far.grad.tolist() == [1.0, 1.0]
    there = gg.zeros(3, device=device)
    there[:2], there[2] = gg.ones(2), gg.tensor(3.0)
    assert there.tolist() == [1.0, 1.0, 3.0]


@pytest.mark.parametrize("index", [[0], (slice(None), gg.tensor([0]))], ids=["list", "tensor"])
def test_places_that_tensors_name_take_values_of_their_own_device(device, index):
    x = gg.zeros(2, 2)
    with pytest.raises(DeviceError, match=r"found at least two devices, cpu and .*value\.to\('cpu"):
        x[index] = gg.ones(2, device=device)
    assert (x.tolist(), x._version) == ([[0.0, 0.0], [0.0, 0.0]], 0)
    x[index] = gg.tensor(3.0, device=device)
    assert x.sum().item() == 6.0


def test_one_value_for_a_mask_is_converted(lib):
    mask = lib.tensor([True, False, True])
    for value in ([2.0], [[2.0]]):
        x, new = lib.zeros(3), lib.tensor(value, dtype=lib.float64, requires_grad=True)
        x[mask] = new
        assert x.tolist() == [2.0, 0.0, 2.0]
        x.sum().backward()
        assert new.grad.sum().item() == 2.0
    with pytest.raises(RuntimeError, match="dtypes match"):
        x[mask] = lib.tensor([1.0, 2.0], dtype=lib.float64)
    with pytest.raises(RuntimeError):
        x[mask] = lib.tensor([1.0 + 1j])


def test_a_row_of_a_tensor_may_be_written_to_all_of_its_rows(lib):
    x = lib.arange(6.0).reshape(2, 3)
    x[...] = x[1]
    assert x.tolist() == [[3.0, 4.0, 5.0]] * 2
    x.copy_(x[0] * 2)
    with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to"):
        x[0, 1:] = x[0, :-1]
