"""The device "meta": shapes and dtypes without memory, beside PyTorch's."""

import tracemalloc

import pytest
import torch

import glassgrad
from checks import together

LIBS = {"glassgrad": glassgrad, "torch": torch}

SAME = [
    "empty(10**9, 10**3, device='meta')",
    "ones(2, 3, device='meta', requires_grad=True)",
    "tensor([1, 2], device='meta')",
    "arange(5, device='meta')",
    "eye(3, device='meta')",
    "rand(2, device='meta')",
    "full((2,), 1, device='meta').add_(1)",
    "zeros(0, 3, device='meta')",
    "ones(2).to('meta')",
    "ones(2, device='meta').double() + lib.tensor(2)",
    "ones(3, device='meta').copy_(lib.ones(3))",
    "ones(2, 3, device='meta').new_zeros(2)",
    "empty(10**9, 10**3, device='meta').T @ lib.empty(10**9, 7, device='meta')",
    "empty(10**9, 10**3, device='meta').mul(2).sum(0)",
    "empty(10**9, 10**3, device='meta').mean(1, keepdim=True)",
    "empty(4, 5, device='meta').softmax(-1)[1:, None].transpose(0, 2)",
    "cat([lib.ones(2, 3, device='meta'), lib.ones(1, 3, device='meta')])",
    "conv1d(lib.ones(1, 3, 8, device='meta'), lib.ones(4, 3, 3, device='meta'))",
    "randn(10**6, 10**6, device='meta').normal_()",
    "nn.Linear(2, 3, device='meta').weight",
    "nn.LSTM(4, 5, device='meta')(lib.ones(7, 2, 4, device='meta'))[0].detach()",
    "empty_like(lib.ones(2, 3, device='meta'), device='cpu').shape[0]",
    "zeros_like(lib.empty(10**9, 10**3, device='meta'))",
]

REFUSED = [
    "ones(2, device='meta').tolist()",
    "ones((), device='meta').item()",
    "ones(2, device='meta').numpy()",
    "ones(2, device='meta').cpu()",
    "ones(2, device='meta').nonzero()",
    "ones(2, device='meta') + lib.ones(2)",
    "ones(2) + lib.ones((), device='meta')",
    "ones(2).copy_(lib.ones(2, device='meta'))",
    "unique(lib.ones(2, device='meta'))",
    "allclose(lib.ones(2, device='meta'), lib.ones(2, device='meta'))",
    "nn.Linear(2, 3, device='meta').to('cpu')",
    "ones(2, device='meta')[lib.ones(2, device='meta') > 0]",
]


def ask(name, question):
    lib = LIBS[name]
    return eval(f"lib.{question}", {"lib": lib})


@together
@pytest.mark.parametrize("question", SAME)
def test_shapes_strides_and_dtypes_are_pytorchs(question):
    ours, theirs = ask("glassgrad", question), ask("torch", question)
    assert repr(ours).replace("glassgrad", "torch") == repr(theirs)
    if not isinstance(theirs, int):
        assert ours.stride() == theirs.stride()
        assert ours.is_meta == theirs.is_meta


@together
@pytest.mark.parametrize("question", REFUSED)
def test_nothing_comes_out_of_them(question):
    with pytest.raises((RuntimeError, TypeError)) as theirs:
        ask("torch", question)
    with pytest.raises(theirs.type, match=r"no data|same device|can't convert meta"):
        ask("glassgrad", question)


def test_gradients_have_shapes_too(lib):
    x = lib.ones(2, 3, device="meta", requires_grad=True)
    (x.exp() @ lib.ones(3, 4, device="meta")).sum().backward()
    assert x.grad.shape == (2, 3)
    assert x.grad.is_meta


def test_a_model_is_made_without_memory_and_filled_later(lib):
    with lib.device("meta"):
        model = lib.nn.Linear(10**6, 10**6)
    assert model.weight.is_meta
    small = lib.nn.Linear(2, 3, device="meta")
    small.load_state_dict(lib.nn.Linear(2, 3).state_dict(), assign=True)
    assert small(lib.ones(1, 2)).device == lib.device("cpu")
    assert lib.nn.Linear(2, 3, device="meta").to_empty(device="cpu").weight.shape == (3, 2)


def test_they_have_no_memory(lib):
    tracemalloc.start()
    try:
        x = lib.zeros(10_000, 10_000, device="meta")
        y = (x * 2 + 1).relu_()
        y[0] = 3.0
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
    assert y.shape == x.shape


def test_views_of_them_lie_where_they_should(lib):
    x = lib.empty(10**6, 10**6, device="meta")
    row = x[5]
    assert (row.storage_offset(), row._base is x) == (5 * 10**6, True)
    assert x.t().stride() == (1, 10**6)
    assert x.reshape(10**3, -1).shape == (10**3, 10**9)


def test_what_has_more_places_than_there_are_addresses_is_refused():
    with pytest.raises(glassgrad.errors.ShapeError, match="has addresses for"):
        glassgrad.empty(10**15, device="meta")
