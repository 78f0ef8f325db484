"""Shapes: values, gradients, double gradients, nodes and errors are PyTorch's."""

import hypothesis.strategies as st
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis.extra import numpy as hnp

import glassgrad as gg
from both import LIBRARIES, bare, leaf
from checks import together


def chain(y):
    """The names of the nodes from `y` down to its leaf."""
    names, node = [], y.grad_fn
    while node is not None:
        names.append(bare(node.name()))
        node = next((n for n, _ in node.next_functions if n is not None), None)
    return names


CALLS = {
    "reshape": ((2, 6), lambda x: x.reshape(3, 4)),
    "reshape with -1": ((2, 6), lambda x: x.reshape((-1, 4))),
    "reshape to 0-d": ((1, 1), lambda x: x.reshape(())),
    "reshape an empty tensor": ((0, 3), lambda x: x.reshape(3, 0, 2)),
    "reshape that copies": ((2, 6), lambda x: x.t().reshape(-1)),
    "reshape of a transposed view": ((2, 6), lambda x: x.t().reshape(3, 2, 2)),
    "reshape of an expanded tensor copies": ((3, 1), lambda x: x.expand(3, 4).reshape(12)),
    "view": ((2, 6), lambda x: x.view(12)),
    "view_as": ((2, 6), lambda x: x.view_as(x.reshape(4, 3))),
    "flatten": ((2, 3, 4), lambda x: x.flatten()),
    "flatten some": ((2, 3, 4), lambda x: x.flatten(1)),
    "flatten 0-d": ((), lambda x: x.flatten()),
    "flatten that copies": ((2, 3), lambda x: x.t().flatten()),
    "unflatten": ((2, 6), lambda x: x.unflatten(1, (2, -1))),
    "unflatten a negative dim": ((2, 6), lambda x: x.unflatten(-1, (2, 3))),
    "ravel": ((2, 3), lambda x: x.ravel()),
    "ravel that copies": ((2, 3), lambda x: x.t().ravel()),
    "contiguous": ((2, 3), lambda x: x.t().contiguous()),
    "squeeze": ((1, 3, 1), lambda x: x.squeeze()),
    "squeeze nothing": ((2, 3), lambda x: x.squeeze()),
    "squeeze one": ((1, 3, 1), lambda x: x.squeeze(-1)),
    "squeeze one of another size": ((1, 3, 1), lambda x: x.squeeze(1)),
    "squeeze some": ((1, 3, 1), lambda x: x.squeeze((0, 1))),
    "squeeze 0-d": ((), lambda x: x.squeeze(0)),
    "unsqueeze": ((2, 3), lambda x: x.unsqueeze(1)),
    "unsqueeze at the end": ((2, 3), lambda x: x.unsqueeze(-1)),
    "unsqueeze 0-d": ((), lambda x: x.unsqueeze(0)),
    "expand": ((2, 1), lambda x: x.expand(2, 3)),
    "expand in front": ((3,), lambda x: x.expand(2, -1)),
    "expand nothing": ((3,), lambda x: x.expand(3)),
    "expand to nothing": ((1, 3), lambda x: x.expand(0, 3)),
    "expand 0-d": ((), lambda x: x.expand(2, 2)),
    "expand_as": ((3,), lambda x: x.expand_as(x.unsqueeze(0))),
    "broadcast_to": ((3,), lambda x: x.broadcast_to((2, 3))),
    "broadcast_to sizes": ((3,), lambda x: x.broadcast_to(2, 3)),
    "broadcast_to size": ((3,), lambda x: x.broadcast_to(size=(2, 3))),
    "permute": ((2, 3, 4), lambda x: x.permute(2, 0, 1)),
    "permute, negative dims": ((2, 3, 4), lambda x: x.permute((-1, 0, 1))),
    "permute 0-d": ((), lambda x: x.permute(())),
    "transpose": ((2, 3, 4), lambda x: x.transpose(0, -1)),
    "transpose 0-d": ((), lambda x: x.transpose(0, -1)),
    "swapaxes": ((2, 3, 4), lambda x: x.swapaxes(1, 2)),
    "movedim": ((2, 3, 4), lambda x: x.movedim(0, -1)),
    "movedim, several": ((2, 3, 4), lambda x: x.movedim((0, 1), (2, 0))),
    "t": ((2, 3), lambda x: x.t()),
    "t of a vector": ((2,), lambda x: x.t()),
    "t of 0-d": ((), lambda x: x.t()),
    "T": ((2, 3), lambda x: x.T),
    "mT": ((2, 3, 4), lambda x: x.mT),
}


def both_ways(call, shape):
    """[(y, x̄, x̄ of x̄, nodes)] of `call` in glassgrad and in PyTorch."""
    found = []
    values = np.arange(np.prod(shape, dtype=int)).reshape(shape) * 0.5 - 1
    for lib in (gg, torch):
        x = leaf(lib, values)
        y = call(x)
        seed = leaf(lib, np.arange(np.prod(y.shape, dtype=int)).reshape(tuple(y.shape)) * 0.3)
        (grad,) = lib.autograd.grad([y], [x], [seed], create_graph=True)
        again = leaf(lib, values + 2)
        back = None
        if grad.requires_grad and grad is not seed:
            (back,) = lib.autograd.grad([grad], [seed], [again])
        found.append((y, grad, back, chain(y), chain(grad)))
    return found


@together
@pytest.mark.parametrize(("shape", "call"), CALLS.values(), ids=list(CALLS))
def test_values_gradients_and_nodes_are_pytorchs(shape, call):
    ours, theirs = both_ways(call, shape)
    for mine, oracle in zip(ours[:3], theirs[:3], strict=True):
        assert (mine is None) == (oracle is None)
        if mine is not None:
            assert tuple(mine.shape) == tuple(oracle.shape)
            np.testing.assert_array_equal(mine.detach().numpy(), oracle.detach().numpy())
    assert ours[3] == theirs[3]


@together
@pytest.mark.parametrize(
    "call",
    [call for name, (_, call) in CALLS.items() if "copies" not in name and name != "contiguous"],
)
def test_a_view_shares_memory_and_version(call):
    shape = next(shape for shape, c in CALLS.values() if c is call)
    x = gg.tensor(np.ones(shape))
    y = call(x)
    assert x.numel() == 0 or y.numel() == 0 or np.shares_memory(x.numpy(), y.numpy())
    if y is not x:
        assert y._base is x
        x.add_(1)
        assert y._version == 1


def test_a_copy_is_no_view():
    x = gg.ones(2, 3)
    y = x.t().reshape(-1)
    assert y._base is None
    assert not np.shares_memory(x.numpy(), y.numpy())


@given(hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4), st.data())
def test_reshape_finds_a_view_wherever_pytorch_does(shape, data):
    values = np.arange(np.prod(shape, dtype=int), dtype=float).reshape(shape)
    order = data.draw(st.permutations(range(len(shape))))
    steps = [data.draw(st.integers(1, 2)) for _ in shape]
    ours, theirs = gg.tensor(values).permute(order), torch.tensor(values).permute(order)
    key = tuple(slice(None, None, step) for step in steps)
    ours, theirs = ours[key], theirs[key]
    sizes = data.draw(st.permutations([*theirs.shape, 1]))
    assert ours.reshape(sizes).tolist() == theirs.reshape(sizes).tolist()
    try:
        expected = theirs.view(sizes).tolist()
    except RuntimeError:
        with pytest.raises(RuntimeError, match="view size is not compatible"):
            ours.view(sizes)
    else:
        assert ours.view(sizes).tolist() == expected


ERRORS = {
    "wrong product": (lambda x: x.view(5), "shape '[5]' is invalid for input of size 12"),
    "two unknown": (lambda x: x.view(-1, -1), "only one dimension can be inferred"),
    "negative": (lambda x: x.view(-2, 6), "invalid shape dimension -2 at index 0"),
    "does not divide": (lambda x: x.reshape(-1, 5), "shape '[-1, 5]' is invalid for input"),
    "no view": (lambda x: x.t().view(12), "view size is not compatible with input tensor's size"),
    "no size": (lambda x: x.reshape(), 'missing 1 required positional arguments: "shape"'),
    "float": (lambda x: x.reshape(2.5), "must be tuple of ints, not float"),
    "flatten": (lambda x: x.flatten(1, 0), "start_dim cannot come after end_dim"),
    "flatten dim": (lambda x: x.flatten(5), "Dimension out of range (expected to be in range of"),
    "unflatten": (lambda x: x.unflatten(0, (2, 2)), "Provided sizes [2, 2] don't multiply up to"),
    "unflatten none": (lambda x: x.unflatten(0, ()), "unflatten: sizes must be non-empty"),
    "squeeze": (lambda x: x.squeeze(3), "Dimension out of range"),
    "squeeze twice": (lambda x: x.squeeze((0, 0)), "dim 0 appears multiple times in the list"),
    "unsqueeze": (lambda x: x.unsqueeze(3), "[-3, 2], but got 3"),
    "expand": (lambda x: x.expand(4, 4), "The expanded size of the tensor (4) must match the"),
    "expand fewer": (lambda x: x.expand(4), "the number of sizes provided (1) must be greater or"),
    "expand -1": (lambda x: x.expand(-1, 3, 4), "isn't allowed in a leading, non-existing"),
    "permute": (lambda x: x.permute(0), "input.dim() = 2 is not equal to len(dims) = 1"),
    "permute twice": (lambda x: x.permute(0, 0), "permute(): duplicate dims are not allowed."),
    "permute dim": (lambda x: x.permute(0, 5), "Dimension out of range"),
    "transpose": (lambda x: x.transpose(0, 2), "Dimension out of range"),
    "t": (lambda x: x.unsqueeze(0).t(), "t() expects a tensor with <= 2 dimensions, but self is"),
    "mT": (lambda x: x[0].mT, "tensor.mT is only supported on matrices or batches of matrices"),
    "movedim": (lambda x: x.movedim((0, 1), (1,)), "Invalid source or destination dims"),
    "movedim twice": (lambda x: x.movedim((0, 1), (1, 1)), "repeated dim in `destination`"),
}


@together
@pytest.mark.parametrize(("call", "words"), ERRORS.values(), ids=list(ERRORS))
def test_errors_have_pytorchs_type_and_words(call, words):
    with pytest.raises(Exception) as theirs:  # noqa: PT011  # which type is what is compared
        call(torch.zeros(3, 4))
    assert words.rstrip(".") in str(theirs.value)
    with pytest.raises(type(theirs.value)) as ours:
        call(gg.zeros(3, 4))
    assert words.rstrip(".") in str(ours.value)


def test_T_of_other_than_two_dims_is_deprecated():
    with pytest.warns(UserWarning, match="is deprecated"):
        assert gg.zeros(2, 3, 4).T.shape == (4, 3, 2)


def test_integers_keep_their_dtype():
    assert gg.tensor([1, 2]).reshape(2, 1).expand(2, 2).t().dtype == gg.int64


def test_expanded_memory_cannot_be_written():
    with pytest.raises(RuntimeError, match="refers to a single memory location"):
        gg.zeros(1).expand(3).add_(1)


@together
@pytest.mark.parametrize("op", ["clone", "flip", "roll", "exp"])
@pytest.mark.parametrize(
    "layout", [lambda x: x[0].expand(2, 3), lambda x: x.t(), lambda x: x, lambda x: x[:, 1:]]
)
def test_copies_lie_in_memory_as_pytorchs_do(op, layout):
    arguments = {"flip": ([0],), "roll": (1, 0)}.get(op, ())
    strides = [getattr(layout(lib.ones(2, 3)), op)(*arguments).stride() for lib in (gg, torch)]
    assert strides[0] == strides[1]


def test_the_gradient_of_amax_is_shared_by_none_if_its_result_was_changed():
    x = gg.tensor([[1.0, 2.0], [3.0, 3.0]], requires_grad=True)
    y = x.amax(0)
    y.data.mul_(0.5)
    y.sum().backward()
    assert x.grad.isnan().all()  # 0 / 0 places, as in PyTorch


@pytest.mark.parametrize("lib", LIBRARIES)
@pytest.mark.parametrize(
    "call",
    [
        lambda lib, x: x.cumsum(0),
        lambda lib, x: x.gather(0, lib.tensor(0)),
        lambda lib, x: x.quantile(0.5),
        lambda lib, x: x.index_select(0, lib.tensor(0)),
    ],
    ids=["cumsum", "gather", "quantile", "index_select"],
)
def test_hooks_of_a_number_made_along_a_dim_outlive_a_write_to_it(lib, call):
    x, seen = leaf(lib, 2.0), []
    y = call(lib, x)
    assert y._base is None
    y.register_hook(lambda grad: seen.append(grad.item()) or grad * 10)
    y.mul_(3)
    y.backward()
    assert (seen, x.grad.item()) == ([3.0], 30.0)


@pytest.mark.parametrize("lib", LIBRARIES)
def test_a_number_made_along_a_dim_may_not_be_written_if_its_node_has_saved_it(lib):
    y = leaf(lib, 2.0).logcumsumexp(0)
    y.mul_(3)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


@pytest.mark.parametrize("lib", LIBRARIES)
@pytest.mark.parametrize(
    "call",
    [lambda lib, x: x.repeat_interleave(1), lambda lib, x: lib.nn.functional.pixel_shuffle(x, 1)],
    ids=["repeat_interleave", "pixel_shuffle"],
)
def test_elements_that_keep_their_places_are_copied_all_the_same(lib, call):
    x = lib.ones(1, 2, 2)
    call(lib, x).mul_(5)
    assert x.tolist() == lib.ones(1, 2, 2).tolist()
