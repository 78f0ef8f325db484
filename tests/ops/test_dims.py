"""Arguments that count or name dims: what is no integer is refused, as in PyTorch."""

import numpy as np
import pytest

import glassgrad as gg
from checks import together
from glassgrad.core.errors import ArgumentTypeError

CALLS = {
    "narrow, start": lambda lib, x, n: lib.narrow(x, 0, n, 1),
    "narrow, length": lambda lib, x, n: lib.narrow(x, 0, 0, n),
    "select": lambda lib, x, n: lib.select(x, 0, n),
    "roll, shifts": lambda lib, x, n: lib.roll(x, n, 0),
    "roll, dims": lambda lib, x, n: lib.roll(x, 1, (n,)),
    "tril": lambda lib, x, n: lib.tril(x, n),
    "triu": lambda lib, x, n: lib.triu(x, n),
    "diagonal": lambda lib, x, n: lib.diagonal(x, n),
    "diag": lambda lib, x, n: lib.diag(x, n),
    "diag_embed": lambda lib, x, n: lib.diag_embed(x, n),
    "split": lambda lib, x, n: lib.split(x, n),
    "split, sizes": lambda lib, x, n: lib.split(x, [1, n, 1]),
    "tensor_split": lambda lib, x, n: lib.tensor_split(x, n),
    "tensor_split, places": lambda lib, x, n: lib.tensor_split(x, (1, n)),
    "chunk": lambda lib, x, n: lib.chunk(x, n),
    "unfold, size": lambda lib, x, n: x.unfold(0, n, 1),
    "unfold, step": lambda lib, x, n: x.unfold(0, 1, n),
    "movedim, source": lambda lib, x, n: lib.movedim(x, n, 0),
    "movedim, destination": lambda lib, x, n: lib.movedim(x, 0, n),
    "unsqueeze": lambda lib, x, n: lib.unsqueeze(x, n),
    "transpose": lambda lib, x, n: lib.transpose(x, 0, n),
    "permute": lambda lib, x, n: lib.permute(x, (0, n)),
    "cumsum": lambda lib, x, n: lib.cumsum(x, n),
    "flip": lambda lib, x, n: lib.flip(x, [n]),
    "expand": lambda lib, x, n: x.expand(n, 3, 3),
    "repeat": lambda lib, x, n: x.repeat(n, 1),
    "cat": lambda lib, x, n: lib.cat([x, x], n),
    "eye": lambda lib, x, n: lib.eye(n),
}
NUMBERS = 1.5, "a"


@together
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
@pytest.mark.parametrize("wrong", NUMBERS, ids=repr)
def test_what_is_no_integer_is_refused(lib, call, wrong):
    with pytest.raises(TypeError) as caught:
        call(lib, lib.eye(3), wrong)
    if lib is gg:
        assert isinstance(caught.value, ArgumentTypeError)
        assert type(wrong).__name__ in str(caught.value)


FLAGS = {  # in a list of several, PyTorch takes a flag as a number
    name: call
    for name, call in CALLS.items()
    if name not in ("split, sizes", "tensor_split, places", "permute")
}


@together
@pytest.mark.parametrize("call", FLAGS.values(), ids=FLAGS.keys())
def test_a_flag_is_no_number(lib, call):
    with pytest.raises(TypeError):
        call(lib, lib.eye(3), True)


SIZES = {
    "reshape": lambda lib, n: lib.ones(6).reshape(n),
    "view": lambda lib, n: lib.ones(6).view(n),
    "zeros": lambda lib, n: lib.zeros(n),
    "rand": lambda lib, n: lib.rand(n),
    "tile": lambda lib, n: lib.tile(lib.ones(6), n),
    "flip": lambda lib, n: lib.flip(lib.ones(6), n),
    "roll": lambda lib, n: lib.roll(lib.ones(6), n),
    "split": lambda lib, n: lib.split(lib.ones(6), [n, 5]),
}


@together
@pytest.mark.parametrize("call", SIZES.values(), ids=SIZES.keys())
@pytest.mark.parametrize("values", [1.0, [2, 3]], ids=["a fraction", "several"])
def test_a_tensor_that_is_no_integer_is_no_size(lib, call, values):
    with pytest.raises(TypeError, match=r"must be tuple of ints|invalid combination"):
        call(lib, lib.tensor(values))


@together
@pytest.mark.parametrize("name", ["sum", "mean", "amax", "prod", "var", "any", "argmax", "cumsum"])
def test_a_flag_is_no_dim_and_a_tensor_may_be_one(lib, name):
    x = lib.arange(6.0).reshape(2, 3)
    reduce = getattr(lib, name)
    assert repr(reduce(x, lib.tensor(1))) == repr(reduce(x, 1))
    with pytest.raises(TypeError):
        reduce(x, "1" if name == "var" else True)


@together
@pytest.mark.parametrize("name", ["sum", "amax", "any", "all"])
def test_an_empty_list_of_dims_means_what_an_empty_tuple_does(lib, name):
    x = lib.arange(6.0).reshape(2, 3)
    assert repr(getattr(lib, name)(x, [])) == repr(getattr(lib, name)(x, ()))


def test_places_to_cut_may_be_a_tensor_and_so_may_the_number_of_parts(lib):
    x = lib.arange(6.0)
    cuts = {"one": lib.tensor([2]), "two": lib.tensor([1, 4]), "number": lib.tensor(2)}
    shapes = {what: [len(part) for part in lib.tensor_split(x, at)] for what, at in cuts.items()}
    assert shapes == {"one": [2, 4], "two": [1, 3, 2], "number": [3, 3]}
    with pytest.raises(RuntimeError, match="zero-dimensional or one-dimensional tensor"):
        lib.tensor_split(x, lib.tensor([[1]]))


def test_rolling_takes_a_dim_in_any_form_and_a_shift_for_each(lib):
    x = lib.arange(6.0).reshape(2, 3)
    for dim in (np.int64(0), lib.tensor(0), [0]):
        assert lib.roll(x, 1, dim).tolist() == [[3.0, 4.0, 5.0], [0.0, 1.0, 2.0]]
    assert lib.roll(x, 1, ()).tolist() == lib.roll(x, 1).tolist()
    assert lib.roll(x.requires_grad_(), 1).grad_fn.name() == "RollBackward0"
    assert not lib.roll(x, 1)._is_view()
    with pytest.raises(RuntimeError, match="shifts and dimensions must align"):
        lib.roll(x, (1, 2))
    with pytest.raises(RuntimeError, match="`shifts` required"):
        lib.roll(x, ())


@together
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_a_tensor_that_holds_an_integer_counts(lib, call):
    outcome = {each: repr(call(lib, lib.eye(3), each)) for each in (1, lib.tensor(1))}
    assert len(set(outcome.values())) == 1


@together
@pytest.mark.parametrize("name", ["var", "std", "var_mean", "std_mean"])
def test_a_correction_is_a_number_or_none(lib, name):
    spread = getattr(lib, name)
    x = lib.tensor([1.0, 2.0, 4.0])
    assert repr(spread(x, correction=None)) == repr(spread(x))
    assert repr(spread(x, correction=0.5)) != repr(spread(x))
    assert repr(spread(x, correction=lib.tensor(0.5))) == repr(spread(x, correction=0.5))
    wrong = "a", np.array([0, 1]), lib.tensor([1.0]), lib.tensor(1.0, requires_grad=True)
    for each in wrong:
        with pytest.raises(TypeError):
            spread(x, correction=each)
    with pytest.raises(TypeError):
        spread(x, unbiased=2)
