"""Arguments that count or name dims: what is no integer is refused, as in PyTorch."""

import pytest

import glassgrad as gg
from glassgrad.base.errors import ArgumentTypeError

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


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
@pytest.mark.parametrize("wrong", NUMBERS, ids=repr)
def test_what_is_no_integer_is_refused(lib, call, wrong):
    with pytest.raises(TypeError) as caught:
        call(lib, lib.eye(3), wrong)
    if lib is gg:
        assert isinstance(caught.value, ArgumentTypeError)
        assert type(wrong).__name__ in str(caught.value)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_a_tensor_that_holds_an_integer_counts(lib, call):
    outcome = {each: repr(call(lib, lib.eye(3), each)) for each in (1, lib.tensor(1))}
    assert len(set(outcome.values())) == 1


@pytest.mark.parametrize("name", ["var", "std", "var_mean", "std_mean"])
def test_a_correction_is_a_number_or_none(lib, name):
    spread = getattr(lib, name)
    x = lib.tensor([1.0, 2.0, 4.0])
    assert repr(spread(x, correction=None)) == repr(spread(x))
    assert repr(spread(x, correction=0.5)) != repr(spread(x))
    with pytest.raises(TypeError):
        spread(x, correction="a")
