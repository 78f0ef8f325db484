"""cat and stack, split and chunk and unbind: values, gradients, nodes, errors are PyTorch's."""

import numpy as np
import pytest
import torch

import glassgrad as gg
from both import LIBRARIES, bare, leaf
from checks import together

X = np.arange(12).reshape(3, 4) * 0.5 - 2


def names_and_edges(tensor):
    node = tensor.grad_fn
    return bare(node.name()), [
        (None if n is None else bare(n.name()), nr) for n, nr in node.next_functions
    ]


TOGETHER = {
    "cat": lambda lib, x, y: lib.cat([x, y]),
    "cat in dim 1": lambda lib, x, y: lib.cat([x, y, x], 1),
    "cat in the last dim": lambda lib, x, y: lib.cat((x, y), dim=-1),
    "cat of one": lambda lib, x, y: lib.cat([x]),
    "cat of unequal sizes": lambda lib, x, y: lib.cat([x, y[:1]]),
    "cat with an empty vector": lambda lib, x, y: lib.cat([x, y[0, :0], y], 1),
    "cat of constants": lambda lib, x, y: lib.cat([x, y.detach(), x]),
    "cat of dtypes": lambda lib, x, y: lib.cat([x.float(), y, lib.tensor([[1, 2, 3, 4]])]),
    "concat": lambda lib, x, y: lib.concat([x, y], dim=1),
    "stack": lambda lib, x, y: lib.stack([x, y]),
    "stack in dim 1": lambda lib, x, y: lib.stack([x, y, x], 1),
    "stack at the end": lambda lib, x, y: lib.stack([x, y], dim=-1),
    "stack of 0-d": lambda lib, x, y: lib.stack([x[0, 0], y[1, 1]]),
    "stack of dtypes": lambda lib, x, y: lib.stack([x, y.float()]),
}


@together
@pytest.mark.parametrize("call", TOGETHER.values(), ids=list(TOGETHER))
def test_joined_values_gradients_and_edges_are_pytorchs(call):
    found = []
    for lib in (gg, torch):
        x, y = leaf(lib, X), leaf(lib, X + 10)
        z = call(lib, x, y)
        seed = leaf(lib, np.arange(np.prod(z.shape, dtype=int)).reshape(tuple(z.shape)) * 0.3 + 1)
        grads = lib.autograd.grad([z], [x, y], [seed], create_graph=True, allow_unused=True)
        back = lib.autograd.grad([grads[0]], [seed], [leaf(lib, X + 2)], allow_unused=True)
        arrays = [t if t is None else t.detach().numpy() for t in (z, *grads, *back)]
        found.append((arrays, names_and_edges(z)))
    for mine, oracle in zip(found[0][0], found[1][0], strict=True):
        np.testing.assert_array_equal(mine, oracle)
        assert mine is None or mine.dtype == oracle.dtype
    assert found[0][1] == found[1][1]


APART = {
    "split": lambda lib, x: x.split(2),
    "split larger than the dim": lambda lib, x: x.split(5),
    "split in dim 1": lambda lib, x: lib.split(x, 3, dim=1),
    "split by sizes": lambda lib, x: x.split([1, 0, 2]),
    "split of nothing": lambda lib, x: x[:0].split(2),
    "chunk": lambda lib, x: x.chunk(2),
    "chunk in dim 1": lambda lib, x: x.chunk(3, -1),
    "more chunks than elements": lambda lib, x: x.chunk(5),
    "chunk of nothing": lambda lib, x: x[:0].chunk(3),
    "unbind": lambda lib, x: x.unbind(),
    "unbind dim 1": lambda lib, x: lib.unbind(x, 1),
    "iterate": lambda lib, x: tuple(x),
    "tensor_split": lambda lib, x: lib.tensor_split(x, 2),
    "tensor_split in more than there are": lambda lib, x: lib.tensor_split(x, 5),
    "tensor_split at": lambda lib, x: lib.tensor_split(x, (1, 3), dim=1),
    "tensor_split at any": lambda lib, x: lib.tensor_split(x, (-1, 1, 7), dim=1),
}


@together
@pytest.mark.parametrize("call", APART.values(), ids=list(APART))
@pytest.mark.parametrize("used", ["all", "last"])
def test_parts_their_gradients_and_edges_are_pytorchs(call, used):
    found = []
    for lib in (gg, torch):
        x = leaf(lib, X)
        parts = call(lib, x)
        chosen = parts if used == "all" else parts[-1:]
        seeds = [
            leaf(lib, np.arange(np.prod(y.shape, dtype=int)).reshape(tuple(y.shape)) + i + 1.0)
            for i, y in enumerate(chosen)
        ]
        (grad,) = lib.autograd.grad(chosen, [x], seeds, create_graph=True)
        back = lib.autograd.grad([grad], seeds, [leaf(lib, X + 2)])
        arrays = [t.detach().numpy() for t in (*parts, grad, *back)]
        found.append((arrays, [names_and_edges(y) for y in parts], [y._is_view() for y in parts]))
    for mine, oracle in zip(found[0][0], found[1][0], strict=True):
        np.testing.assert_array_equal(mine, oracle)
    assert found[0][1:] == found[1][1:]


def test_parts_share_memory_and_version():
    x = gg.zeros(4)
    first, second = x.split(2)
    x.add_(1)
    assert first.tolist() == second.tolist() == [1, 1]
    assert first._version == second._version == 1


ERRORS = {
    "cat nothing": (lambda lib, x: lib.cat([]), "expected a non-empty list of Tensors"),
    "cat dims": (lambda lib, x: lib.cat([x, x[0]]), "same number of dimensions: got 2 and 1"),
    "cat sizes": (
        lambda lib, x: lib.cat([x, x[:2]], 1),
        "Sizes of tensors must match except in dimension 1. Expected size 3 but got size 2",
    ),
    "cat 0-d": (lambda lib, x: lib.cat([x[0, 0]] * 2), "zero-dimensional tensor (at position 0)"),
    "cat dim": (lambda lib, x: lib.cat([x, x], 2), "Dimension out of range"),
    "cat a tensor": (lambda lib, x: lib.cat(x), "must be tuple of Tensors, not Tensor"),
    "cat a number": (lambda lib, x: lib.cat([x, 1]), "expected Tensor as element 1 in argument 0"),
    "stack nothing": (lambda lib, x: lib.stack([]), "stack expects a non-empty TensorList"),
    "stack sizes": (
        lambda lib, x: lib.stack([x[0], x]),
        "stack expects each tensor to be equal size, but got [4] at entry 0 and [3, 4] at entry 1",
    ),
    "stack dim": (lambda lib, x: lib.stack([x[0]], 2), "Dimension out of range"),
    "split sum": (
        lambda lib, x: x.split([1, 1]),
        "split_with_sizes expects split_sizes to sum exactly to 3",
    ),
    "split sign": (lambda lib, x: x.split([-1, 4]), "have only non-negative entries"),
    "split 0": (lambda lib, x: x.split(0), "split_size can only be 0 if dimension size is 0"),
    "split -1": (lambda lib, x: x.split(-1), "split expects split_size be non-negative"),
    "split dim": (lambda lib, x: x.split(1, 2), "Dimension out of range"),
    "split 0-d": (lambda lib, x: x[0, 0].split(1), "split expects at least a 1-dimensional tensor"),
    "chunk 0": (lambda lib, x: x.chunk(0), "chunk expects `chunks` to be greater than 0, got: 0"),
    "chunk 0-d": (lambda lib, x: x[0, 0].chunk(1), "chunk expects at least a 1-dimensional tensor"),
    "unbind dim": (lambda lib, x: x.unbind(2), "Dimension out of range"),
    "unbind 0-d": (lambda lib, x: x[0, 0].unbind(), "Dimension specified as 0 but tensor has no"),
    "iterate 0-d": (lambda lib, x: list(x[0, 0]), "iteration over a 0-d tensor"),
    "tensor_split": (lambda lib, x: lib.tensor_split(x, 0), "number of sections must be larger"),
}


@together
@pytest.mark.parametrize(("call", "words"), ERRORS.values(), ids=list(ERRORS))
def test_errors_have_pytorchs_type_and_words(call, words):
    with pytest.raises(Exception) as theirs:  # noqa: PT011  # which type is what is compared
        call(torch, torch.zeros(3, 4))
    assert words in str(theirs.value)
    with pytest.raises(type(theirs.value)) as ours:
        call(gg, gg.zeros(3, 4))
    assert words in str(ours.value)


@together
@pytest.mark.parametrize("lib", LIBRARIES)
@pytest.mark.parametrize("name", ["cat", "stack"])
def test_what_is_put_together_lies_in_rows(lib, name):
    columns = lib.ones(2, 3).t()
    assert getattr(lib, name)([columns, columns]).is_contiguous()


IN_ROWS = {
    "batch_norm": lambda lib, x: lib.nn.functional.batch_norm(x, None, None, training=True),
    "cross": lambda lib, x: lib.linalg.cross(x, x, dim=0),
    "cummax": lambda lib, x: x.cummax(0).values,
    "cumprod": lambda lib, x: x.cumprod(0),
    "einsum": lambda lib, x: lib.einsum("ij,jk->ik", x, lib.ones(2, 4)),
    "index_add": lambda lib, x: x.index_add(0, lib.tensor([0]), lib.ones(1, 2)),
    "layer_norm": lambda lib, x: lib.nn.functional.layer_norm(x, (2,)),
    "logcumsumexp": lambda lib, x: x.logcumsumexp(0),
    "logsigmoid": lambda lib, x: lib.nn.functional.logsigmoid(x),
    "places of topk": lambda lib, x: x.topk(2, dim=0).indices,
    "scatter": lambda lib, x: x.scatter(0, lib.tensor([[0]]), 1.0),
    "scatter_add": lambda lib, x: x.scatter_add(0, lib.tensor([[0]]), lib.ones(1, 1)),
    "tril": lambda lib, x: x.tril(),
    "triu": lambda lib, x: x.triu(),
}


@together
@pytest.mark.parametrize("lib", LIBRARIES)
@pytest.mark.parametrize("name", IN_ROWS)
def test_what_ops_make_of_columns_lies_in_rows(lib, name):
    columns = lib.ones(2, 3).t()
    y = IN_ROWS[name](lib, columns)
    assert y.view(-1).shape == (y.numel(),)


@pytest.mark.parametrize("lib", LIBRARIES)
def test_what_ops_make_lies_in_rows_and_what_is_turned_as_it_did(lib):
    columns = lib.ones(2, 3).t()
    assert columns.cumsum(0).is_contiguous()
    assert columns.softmax(0).is_contiguous()
    assert columns.masked_fill(columns > 2, 0).is_contiguous()
    assert columns.log_softmax(0).is_contiguous()
    assert not columns.flip([0]).is_contiguous()


@together
@pytest.mark.parametrize("reduce", ["sum", "mean", "prod", "max", "min"])
@pytest.mark.parametrize("initial", [None, 0.5])
def test_segments_and_their_gradients_are_pytorchs(reduce, initial):
    x = np.random.default_rng(0).normal(size=(6, 2))

    def told(lib):
        leaf = lib.tensor(x, requires_grad=True)
        y = lib.segment_reduce(leaf, reduce, lengths=lib.tensor([2, 0, 1, 3]), initial=initial)
        y[[0, 2, 3]].square().sum().backward()
        offsets = lib.tensor([[0, 2, 6], [0, 3, 6]])
        rows = lib.tensor(x.T.copy())
        z = lib.segment_reduce(rows, reduce, offsets=offsets, axis=1, initial=initial)
        return [each.detach().numpy() for each in (y, leaf.grad, z)]

    for ours, theirs in zip(told(gg), told(torch), strict=True):
        np.testing.assert_allclose(ours, theirs)


@pytest.mark.parametrize("lib", [gg, torch])
def test_segments_that_do_not_fit_are_refused_as_by_pytorch(lib):
    for reduce, options, words in (
        ("sum", {}, "Either lengths or offsets must be defined"),
        ("foo", {"lengths": [2, 2]}, "reduce argument must be either sum, prod, mean, amax or"),
        ("sum", {"lengths": [2, 3]}, "Expected all rows of lengths along axis to sum to"),
    ):
        given = {name: lib.tensor(value) for name, value in options.items()}
        with pytest.raises(RuntimeError, match=words):
            lib.segment_reduce(lib.ones(4), reduce, **given)


@pytest.mark.parametrize("lib", [gg, torch])
def test_a_tensor_that_has_the_common_shape_is_returned_itself(lib):
    row, x = lib.ones(3), lib.ones(2, 3)
    wide, same = lib.broadcast_tensors(row, x)
    assert same is x
    assert wide.shape == x.shape
