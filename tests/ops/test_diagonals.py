"""Diagonals, windows, tensors as rows and columns: values, gradients and nodes are PyTorch's."""

import numpy as np
import pytest
import torch

import glassgrad as gg
from both import bare, leaf
from checks import together
from glassgrad.core.errors import ArgumentTypeError, DTypeError, GlassgradError, ShapeError

CALLS = {
    "diag of a vector": ((3,), lambda lib, x: lib.diag(x, 1)),
    "diag of a matrix": ((2, 3), lambda lib, x: x.diag(-1)),
    "diag_embed": ((2, 3), lambda lib, x: x.diag_embed(1, 0, -1)),
    "diagflat of a vector": ((2,), lambda lib, x: lib.diagflat(x)),
    "diagflat of a matrix": ((2, 2), lambda lib, x: x.diagflat(-2)),
    "diagflat of a number": ((), lambda lib, x: lib.diagflat(x)),
    "trace": ((3, 2), lambda lib, x: x.trace()),
    "unfold": ((2, 5), lambda lib, x: x.unfold(1, 3, 2)),
    "unfold of a transpose": ((2, 5), lambda lib, x: x.t().unfold(0, 2, 1)),
    "reshape_as": ((2, 3), lambda lib, x: x.reshape_as(lib.zeros(3, 2))),
    "vstack of numbers": ((), lambda lib, x: lib.vstack([x, x])),
    "vstack of vectors": ((2,), lambda lib, x: lib.vstack((x, x))),
    "vstack of matrices": ((2, 3), lambda lib, x: lib.row_stack([x, x])),
    "hstack of numbers": ((), lambda lib, x: lib.hstack([x, x])),
    "hstack of vectors": ((2,), lambda lib, x: lib.hstack([x, x])),
    "hstack of matrices": ((2, 3), lambda lib, x: lib.hstack([x, x])),
    "dstack of numbers": ((), lambda lib, x: lib.dstack([x, x])),
    "dstack of vectors": ((2,), lambda lib, x: lib.dstack([x, x])),
    "dstack of matrices": ((2, 3), lambda lib, x: lib.dstack([x, x])),
    "dstack of more": ((2, 3, 2), lambda lib, x: lib.dstack([x, x])),
    "column_stack of numbers": ((), lambda lib, x: lib.column_stack([x, x])),
    "column_stack of vectors": ((2,), lambda lib, x: lib.column_stack([x, x])),
    "column_stack of matrices": ((2, 3), lambda lib, x: lib.column_stack([x, x])),
    "column_stack of both": ((2,), lambda lib, x: lib.column_stack([x, x.reshape(2, 1)])),
    "atleast_1d": ((), lambda lib, x: lib.atleast_1d(x)),
    "atleast_2d": ((2,), lambda lib, x: lib.atleast_2d(x)),
    "atleast_3d": ((2,), lambda lib, x: lib.atleast_3d(x)),
    "atleast_3d of a number": ((), lambda lib, x: lib.atleast_3d(x, x)[1]),
    "atleast_2d of a list": ((2,), lambda lib, x: lib.atleast_2d([x])[0]),
}


def computed(lib, shape, call):
    """y, x̄, the name of y's node, and those of the nodes before it."""
    x = leaf(lib, np.arange(np.prod(shape, dtype=int)).reshape(shape) * 0.5 - 1)
    y = call(lib, x)
    weights = lib.tensor(np.linspace(1, 2, y.numel()).reshape(tuple(y.shape)))
    (grad,) = lib.autograd.grad(y, x, weights)
    before = [bare(node.name()) for node, _ in y.grad_fn.next_functions]
    return y.numpy(force=True), grad.numpy(), bare(y.grad_fn.name()), before


@together
@pytest.mark.parametrize("name", CALLS)
def test_call_is_torchs(name):
    shape, call = CALLS[name]
    got, want = computed(gg, shape, call), computed(torch, shape, call)
    for ours, theirs in zip(got[:2], want[:2], strict=True):
        np.testing.assert_allclose(ours, theirs)
        assert ours.shape == theirs.shape
    assert got[2:] == want[2:]


def test_unfold_shows_the_memory():
    x = gg.arange(5)
    windows = x.unfold(0, 2, 1)
    x[1] = 9
    assert windows.tolist() == [[0, 9], [9, 2], [2, 3], [3, 4]]
    assert windows._base is x


@pytest.mark.parametrize("size", [0, 1])
def test_unfold_takes_a_number_for_a_line_of_one(size):
    got, want = gg.tensor(2.0).unfold(0, size, 1), torch.tensor(2.0).unfold(0, size, 1)
    assert got.tolist() == want.tolist()


def test_diag_of_a_matrix_is_a_copy():
    x = gg.zeros(2, 2)
    y = gg.diag(x)
    x.fill_(1)
    assert y.tolist() == [0.0, 0.0]


def test_trace_of_small_integers_is_an_int64():
    assert gg.trace(gg.ones(2, 2, dtype=gg.int32)).dtype == gg.int64
    with pytest.raises(DTypeError, match="not implemented for 'Bool'"):
        gg.trace(gg.ones(2, 2, dtype=gg.bool))


@together
@pytest.mark.parametrize("name", ["vstack", "hstack", "dstack", "column_stack"])
def test_what_cannot_be_stacked_is_refused_in_torchs_words(name):
    stack = getattr(gg, name)
    with pytest.raises(ShapeError, match=f"{name} expects a non-empty TensorList"):
        stack([])
    with pytest.raises(ArgumentTypeError, match="must be tuple of Tensors, not Tensor"):
        stack(gg.ones(2))
    with pytest.raises(ArgumentTypeError, match="expected Tensor as element 0 in argument 0"):
        stack([1, 2])
    with pytest.raises(GlassgradError, match=r"must match|same number of dimensions"):
        stack([gg.ones(2, 3), gg.ones(3, 2, 1)])


@together
@pytest.mark.parametrize("name", ["vstack", "hstack", "dstack", "column_stack"])
def test_stacks_are_written_to_out(name):
    out = gg.empty(0)
    x = gg.ones(2, 2)
    assert getattr(gg, name)([x, x], out=out) is out
    assert out.tolist() == getattr(gg, name)([x, x]).tolist()


MATRIX = np.arange(6.0).reshape(2, 3)
NUMPY = {
    "vstack": (lambda x: np.vstack([x, x])),
    "hstack": (lambda x: np.hstack([x, x])),
    "dstack": (lambda x: np.dstack([x, x])),
    "column_stack": (lambda x: np.column_stack([x, x])),
    "round": (lambda x: np.round(x / 3, 2)),
    "diag": (lambda x: np.diag(x, 1)),
    "diagflat": (lambda x: np.diagflat(x)),
    "diagonal": (lambda x: np.diagonal(x, 1)),
    "trace": (lambda x: np.trace(x)),
    "inner": (lambda x: np.inner(x, x)),
    "outer": (lambda x: np.outer(x[0], x[1])),
    "cross": (lambda x: np.cross(x[0], x[1])),
}


@together
@pytest.mark.parametrize("name", NUMPY)
def test_numpys_function_takes_tensors(name):
    got = NUMPY[name](gg.tensor(MATRIX))
    assert isinstance(got, gg.Tensor)
    np.testing.assert_allclose(got.numpy(), NUMPY[name](MATRIX))


DIAGONALS = {
    "a square": lambda x: x[:3].fill_diagonal_(2.5),
    "a high matrix": lambda x: x.fill_diagonal_(2.5),
    "a high matrix, wrapped": lambda x: x.fill_diagonal_(2.5, wrap=True),
    "a high matrix, wrapped, of one row more": lambda x: x[:4].fill_diagonal_(2.5, True),
    "a wide matrix": lambda x: x.t().fill_diagonal_(2.5, True),
    "a part of the memory": lambda x: x[1::2, 1:].fill_diagonal_(2.5, wrap=True),
    "three dims": lambda x: x.as_strided((3, 3, 3), (6, 2, 1)).fill_diagonal_(2.5),
    "nothing": lambda x: x[:0].fill_diagonal_(2.5),
}


@together
@pytest.mark.parametrize("case", DIAGONALS)
def test_a_diagonal_is_filled_in_place(case):
    found = []
    for lib in (gg, torch):
        base = leaf(lib, np.arange(24.0).reshape(8, 3))
        x = base.clone()
        written = DIAGONALS[case](x)
        (x * x).sum().backward()
        values = [t.detach().numpy() for t in (x, written, base.grad)]
        found.append((*values, bare(x.grad_fn.name())))
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@together
@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda lib: lib.zeros(3).fill_diagonal_(1), ShapeError, "dimensions must larger than 1"),
        (
            lambda lib: lib.zeros(2, 3, 3).fill_diagonal_(1),
            ShapeError,
            "all dimensions of input must be of equal length",
        ),
        (
            lambda lib: lib.zeros(2, 2).fill_diagonal_("1"),
            ArgumentTypeError,
            "fill_diagonal_.*: argument 'fill_value'.* must be Number",
        ),
        (
            lambda lib: lib.zeros(2, 2).fill_diagonal_(lib.ones(1)),
            ArgumentTypeError,
            "fill_diagonal_.*: argument 'fill_value'.* must be Number",
        ),
    ],
)
def test_a_diagonal_is_not_filled(call, error, words):
    with pytest.raises(error, match=words):
        call(gg)
    with pytest.raises((RuntimeError, TypeError), match=words):
        call(torch)


def test_a_diagonal_is_filled_in_each_example():
    x = gg.zeros(2, 3, 3)
    filled = gg.func.vmap(lambda x: x.clone().fill_diagonal_(1.0))(x)
    assert filled.tolist() == gg.eye(3).expand(2, 3, 3).tolist()
