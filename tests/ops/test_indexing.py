"""Indexing: views, values, gradients, nodes and errors are PyTorch's."""

import hypothesis.strategies as st
import numpy as np
import pytest
import torch
from hypothesis import given

import glassgrad as gg
from both import bare, leaf
from checks import together

INDICES = [
    "0",
    "-1",
    "0, 1",
    "0, :, 1",
    ":",
    "...",
    "()",
    ":, :",
    "0:3",
    "0:2",
    "1:100",
    "5:2",
    "::2",
    ":, 1:3",
    "0:3, 0",
    "..., 0:2",
    "..., 0",
    "..., ...",
    "None",
    "..., None",
    "None, :, 0",
    "..., 0, None",
    "True",
    "False",
    "True, 0",
    "..., True",
    "lib.tensor(True)",
    "lib.tensor(1)",
    "lib.tensor(2):",
    "np.int64(1)",
    "np.array(1)",
    "np.array(True)",
    "[0, 1]",
    "[]",
    "[True, False, True]",
    "range(2)",
    "(0, 1),",
    "np.array([0, 1])",
    "lib.tensor([0, 0, 2])",
    "lib.tensor([0, -1], dtype=lib.int32)",
    "lib.tensor([[0, 1], [1, 2]])",
    "0, [1, 2]",
    ":, [1, 2]",
    "[0, 1], :, [1, 2]",
    "[0, 1], [1, 2]",
    "[0, 1], None, [1, 2]",
    "0, :, [1, 2]",
    "[[0], [1]], [0, 1, 2]",
    "lib.tensor([0, 1]), 1:3",
    "1:3, lib.tensor([0, 1])",
    "lib.tensor([0, 1]), ..., lib.tensor([0, 1])",
    "lib.tensor([1]), True",
    "x > 0",
    "x[:, 0, 0] > 0",
    "x[..., 0] > 0",
    "x[..., 0] > 0, 1:3",
    "x[..., 0] > 0, 0",
    "x[..., 0] > 0, None",
    "..., x[0] > 0",
    ":, x[0] > 0",
    "0, x[0] > 0",
    "lib.tensor([], dtype=lib.int64)",
]
X = (np.arange(60).reshape(3, 4, 5) * 7 % 60 - 20) * 0.5


def pick(lib, index, x):
    return eval(f"x[{index}]", {"lib": lib, "np": np, "x": x})


def graph(tensor):
    names, node = [], tensor.grad_fn
    while node is not None:
        names.append(bare(node.name()))
        node = next((n for n, _ in node.next_functions if n is not None), None)
    return names


@together
@pytest.mark.parametrize("index", INDICES)
def test_values_gradients_and_nodes_are_pytorchs(index):
    found = []
    for lib in (gg, torch):
        x = leaf(lib, X)
        y = pick(lib, index, x)
        seed = leaf(lib, np.arange(np.prod(y.shape, dtype=int)).reshape(tuple(y.shape)) * 0.3 + 1)
        (grad,) = lib.autograd.grad([y], [x], [seed], create_graph=True)
        back = None
        if grad is not seed:
            (back,) = lib.autograd.grad([grad], [seed], [leaf(lib, X + 2)])
        tensors = [t if t is None else t.detach().numpy() for t in (y, grad, back)]
        found.append((tensors, graph(y), y._is_view(), graph(grad)))
    (ours, names, is_view, back_names), (theirs, *rest) = found
    for mine, oracle in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(mine, oracle)
    assert [names, is_view, back_names] == rest


@together
@pytest.mark.parametrize("index", ["0", "0, 1, 2", "1:", "..., None", "::2, 0", "lib.tensor(1)"])
def test_basic_indices_give_views(index):
    x = gg.tensor(X)
    y = pick(gg, index, x)
    assert np.shares_memory(x.numpy(), y.numpy())
    assert y._base is x
    x.add_(1)
    assert y._version == 1


def test_one_element_is_a_view_too():
    x = gg.tensor([1.0, 2.0])
    first = x[0]
    x.add_(10)
    assert first.item() == 11


ERRORS = {
    "3": "index 3 is out of bounds for dimension 0 with size 3",
    "-4": "index -4 is out of bounds for dimension 0 with size 3",
    "0, 0, 0, 0": "too many indices for tensor of dimension 3",
    "0, 0, 0, ..., 0": "too many indices for tensor of dimension 3",
    "lib.tensor([5])": "index 5 is out of bounds for dimension 0 with size 3",
    ":, lib.tensor([0, -7])": "index -7 is out of bounds for dimension",
    "lib.tensor([0.5])": "tensors used as indices must be long, int, byte or bool tensors",
    "lib.tensor([True, False])": "The shape of the mask [2] at index 0 does not match the shape",
    "..., (x[..., 0] > 0).t()": "The shape of the mask [4, 3] at index 1 does not match",
    "[0, 1], [0, 1, 2]": "shape mismatch: indexing tensors could not be broadcast together with",
    "0.5": "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are",
    "{1}": "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are",
    "::-1": "step must be greater than zero",
    "::0": "slice step cannot be zero",
    "'a':": "slice indices must be integers or None or have an __index__ method",
    "0, 0.5:": "slice indices must be integers or None or have an __index__ method",
}


@together
@pytest.mark.parametrize(("index", "words"), ERRORS.items())
def test_errors_have_pytorchs_type_and_words(index, words):
    with pytest.raises(Exception) as theirs:  # noqa: PT011  # which type is what is compared
        pick(torch, index, torch.tensor(X))
    assert words in str(theirs.value)
    with pytest.raises(type(theirs.value)) as ours:
        pick(gg, index, gg.tensor(X))
    assert words in str(ours.value)


@pytest.mark.parametrize(
    ("index", "words"),
    [("0", "invalid index of a 0-dim tensor"), (":", "slice() cannot be applied to a 0-dim")],
)
def test_a_0d_tensor_has_nothing_to_index(index, words):
    for lib in (torch, gg):
        with pytest.raises(IndexError) as error:
            pick(lib, index, lib.tensor(1.0))
        assert words in str(error.value)


def test_a_list_of_lists_is_a_tuple_and_warns():
    for lib in (torch, gg):
        with pytest.warns(UserWarning, match="Using a non-tuple sequence"):
            assert lib.tensor(X)[[[0, 1], [1, 2]]].shape == (2, 5)


def test_a_uint8_index_is_a_mask_and_warns():
    mask = gg.tensor([1, 0, 1], dtype=gg.uint8)
    with pytest.warns(UserWarning, match="indexing with dtype uint8 is now deprecated"):
        assert gg.tensor([1, 2, 3])[mask].tolist() == [1, 3]


def test_an_index_changed_before_backward_does_not_change_the_gradient():
    index = gg.tensor([0, 0])
    x = leaf(gg, [1.0, 2.0])
    y = x[index]
    index.fill_(1)
    y.backward(gg.ones(2, dtype=gg.float64))
    assert x.grad.tolist() == [2.0, 0.0]


places = st.one_of(
    st.integers(-3, 2),
    st.slices(3).filter(lambda s: s.step is None or s.step > 0),
    st.lists(st.integers(-3, 2), max_size=3),
    st.none(),
)


@given(st.lists(places, max_size=4).filter(lambda items: sum(i is not None for i in items) <= 3))
def test_any_index_gives_what_it_gives_in_pytorch(items):
    index = tuple(items)
    values = np.arange(27.0).reshape(3, 3, 3)
    try:
        theirs = torch.tensor(values, requires_grad=True)
        expected = theirs[index]
    except IndexError:
        with pytest.raises(IndexError):
            gg.tensor(values)[index]
        return
    ours = gg.tensor(values, requires_grad=True)
    found = ours[index]
    assert found.tolist() == expected.tolist()
    assert graph(found) == graph(expected)
    if found is not ours:
        found.backward(gg.ones_like(found))
        expected.backward(torch.ones_like(expected))
        assert ours.grad.tolist() == theirs.grad.tolist()


# select, narrow, index_select, gather -------------------------------------------------------------

CALLS = {
    "select": lambda lib, x: x.select(1, -1),
    "narrow": lambda lib, x: x.narrow(1, 1, 2),
    "narrow from the end": lambda lib, x: x.narrow(-1, -2, 2),
    "narrow to nothing": lambda lib, x: x.narrow(0, 3, 0),
    "index_select": lambda lib, x: x.index_select(1, lib.tensor([0, 3, 0])),
    "index_select by 0-d": lambda lib, x: x.index_select(0, lib.tensor(1)),
    "index_select nothing": lambda lib, x: x.index_select(0, lib.tensor([], dtype=lib.int32)),
    "gather": lambda lib, x: x.gather(1, lib.tensor([[[0, 1, 1]], [[3, 0, 0]]])),
    "gather in dim 0": lambda lib, x: lib.gather(x, 0, lib.tensor([[[2, 2]]])),
    "gather 0-d": lambda lib, x: x[0, 0, 0].gather(0, lib.tensor(0)),
    "gather 0-d of a vector": lambda lib, x: x[0, 0].gather(0, lib.tensor(3)),
    "gather nothing": lambda lib, x: x.gather(0, lib.tensor([], dtype=lib.int64)),
    "index_select 0-d": lambda lib, x: x[0, 0, 0].index_select(0, lib.tensor([0])),
}


@together
@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
def test_chosen_elements_and_their_gradients_are_pytorchs(call):
    found = []
    for lib in (gg, torch):
        x = leaf(lib, X)
        y = call(lib, x)
        seed = leaf(lib, np.arange(np.prod(y.shape, dtype=int)).reshape(tuple(y.shape)) * 0.3 + 1)
        (grad,) = lib.autograd.grad([y], [x], [seed], create_graph=True)
        (back,) = lib.autograd.grad([grad], [seed], [leaf(lib, X + 2)])
        found.append([t.detach().numpy() for t in (y, grad, back)])
    for mine, oracle in zip(*found, strict=True):
        np.testing.assert_array_equal(mine, oracle)


def test_nodes_know_what_they_chose():
    x = leaf(gg, X)
    node = x.select(1, -1).grad_fn
    assert (node._saved_dim, node._saved_index, node._saved_self_sym_sizes) == (1, 3, x.shape)
    node = x.narrow(0, 1, 2).grad_fn
    assert (node._saved_dim, node._saved_start, node._saved_end, node._saved_step) == (0, 1, 3, 1)


CHOICE_ERRORS = {
    "select": (lambda lib, x: x.select(0, 3), "index 3 out of range for tensor of size [3, 4]"),
    "select dim": (lambda lib, x: x.select(2, 0), "Dimension out of range"),
    "select 0-d": (lambda lib, x: x[0, 0].select(0, 0), "select() cannot be applied to a 0-dim"),
    "narrow": (lambda lib, x: x.narrow(0, 1, 3), "start (1) + length (3) exceeds dimension size"),
    "narrow start": (lambda lib, x: x.narrow(0, 4, 1), "start out of range (expected to be in"),
    "narrow length": (lambda lib, x: x.narrow(0, 0, -1), "length must be non-negative"),
    "narrow 0-d": (lambda lib, x: x[0, 0].narrow(0, 0, 1), "narrow() cannot be applied to a 0-dim"),
    "index_select": (lambda lib, x: x.index_select(0, lib.tensor([-1])), "index out of range in"),
    "index_select dims": (
        lambda lib, x: x.index_select(0, lib.tensor([[0]])),
        "Index is supposed to be a vector",
    ),
    "index_select dtype": (
        lambda lib, x: x.index_select(0, lib.tensor([0.5])),
        "Expected dtype int32 or int64 for index",
    ),
    "index_select list": (lambda lib, x: x.index_select(0, [0]), "must be Tensor, not list"),
    "gather dims": (
        lambda lib, x: x.gather(0, lib.tensor([0])),
        "Index tensor must have the same number of dimensions as input tensor",
    ),
    "gather size": (
        lambda lib, x: x.gather(0, lib.tensor([[0] * 5])),
        "Size does not match at dimension 1 expected index [1, 5] to be no larger than self",
    ),
    "gather bounds": (
        lambda lib, x: x.gather(1, lib.tensor([[7]])),
        "index 7 is out of bounds for dimension 1 with size 4",
    ),
}


@together
@pytest.mark.parametrize(("call", "words"), CHOICE_ERRORS.values(), ids=list(CHOICE_ERRORS))
def test_choices_that_cannot_be_made(call, words):
    with pytest.raises(Exception) as theirs:  # noqa: PT011  # which type is what is compared
        call(torch, torch.zeros(3, 4))
    assert words in str(theirs.value)
    with pytest.raises(type(theirs.value)) as ours:
        call(gg, gg.zeros(3, 4))
    assert words in str(ours.value)


def test_what_is_chosen_lies_in_rows(lib):
    x = lib.ones(2, 3, 4)
    places = lib.tensor([0, 2])
    for chosen in (x[:, places], x[:, :, places], x.index_select(1, places), x[:, places, 1:]):
        assert chosen.is_contiguous()
    assert x[:, places].view(-1).shape == (16,)


def test_a_text_is_no_index(lib):
    for index in ("x", ("x",), (0, "x"), ["x"], b"x"):
        with pytest.raises(TypeError, match=r"new\(\): invalid data type '(str|bytes)'"):
            lib.ones(2, 3)[index]
    with pytest.raises(IndexError):
        lib.tensor(1.0)["x"]
