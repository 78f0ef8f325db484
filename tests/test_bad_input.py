"""What a beginner types: each mistake has a message in three sentences, and changes nothing."""

import contextlib
import math
import re

import numpy as np
import pytest

import glassgrad as gg
import opcases
from checks import together
from glassgrad import nn, optim
from glassgrad.core.errors import GlassgradError
from glassgrad.tracing import Trace
from glassgrad.utils.data import TensorDataset

X = gg.ones(2, 3)
COUNTS = gg.ones(2, dtype=gg.int64)
LINEAR = nn.Linear(3, 2)


def parameters():
    return [nn.Parameter(gg.ones(2))]


# Each row: the builtin that people catch, words of the message, and the mistake.
MISTAKES = [
    (TypeError, "matmul.*ndarray", lambda: gg.matmul(X, np.ones((3, 2)))),
    (TypeError, "linear.*ndarray", lambda: LINEAR(np.ones((2, 3)))),
    (TypeError, r"min\(\).*str", lambda: gg.min("a")),
    (TypeError, r"max\(\).*list", lambda: gg.max([1.0], dim=0)),
    (RuntimeError, r"dim 0 .*\[0, 0\]", lambda: X.sum(dim=(0, 0))),
    (RuntimeError, r"duplicate dims.*\[0, 0\]", lambda: X.permute(0, 0)),
    (RuntimeError, "dims 1 and 0", lambda: X.flatten(1, 0)),
    (RuntimeError, r"\[2, 3\] at entry 0 and \[4\]", lambda: gg.stack([X, gg.ones(4)])),
    (RuntimeError, r"exactly to 2.*\[1, 5\]", lambda: X.split([1, 5])),
    (RuntimeError, "negative integer powers", lambda: COUNTS**-1),
    (RuntimeError, "step must be nonzero, got 0", lambda: gg.arange(0, 5, 0)),
    (RuntimeError, r"step sign: arange\(0, 5, -1\)", lambda: gg.arange(0, 5, -1)),
    (RuntimeError, "got -1", lambda: gg.linspace(0, 1, -1)),
    (RuntimeError, "from=5 >= to=5", lambda: gg.randint(5, 5, (2,))),
    (RuntimeError, "got -2 and -2", lambda: gg.eye(-2)),
    (RuntimeError, r"shape \(2, 3\)", lambda: X.item()),
    (RuntimeError, "add_ computes float32", lambda: COUNTS.add_(1.5)),
    (RuntimeError, r"\(5, ?2, ?3\)", lambda: X.add_(gg.ones(5, 2, 3))),
    (RuntimeError, "1 dimensions", lambda: X.fill_(gg.ones(3))),
    (ValueError, "str: 'a'", lambda: gg.manual_seed("a")),
    (TypeError, "must be bool, not str", lambda: gg.set_grad_enabled("no")),
    (TypeError, "precision='a'", lambda: gg.set_printoptions(precision="a")),
    (TypeError, "'a' inputs", lambda: nn.Linear("a", 2)),
    (ValueError, "got 'x'", lambda: nn.ReLU().train("x")),
    (TypeError, "learning rate: 'a'", lambda: optim.SGD(parameters(), lr="a")),
    (TypeError, "betas: 0.9", lambda: optim.Adam(parameters(), betas=0.9)),
    (TypeError, "from a dict", lambda: optim.Adam(parameters()).load_state_dict({})),
    (TypeError, "argument 2 must be one, not list", lambda: TensorDataset(X, [1, 2])),
    (TypeError, "path=3", lambda: gg.data.load_digits(path=3)),
    (TypeError, "made of '{}'", lambda: Trace({})),
]


@together
@pytest.mark.parametrize(("builtin", "words", "mistake"), MISTAKES)
def test_a_mistake_is_told_in_three_sentences_and_changes_nothing(builtin, words, mistake):
    before = _everything()
    with pytest.raises(builtin, match=words) as caught:
        mistake()
    assert isinstance(caught.value, GlassgradError)
    assert len(re.split(r"(?<=[.!?:]) (?=[A-Z])", str(caught.value))) >= 3
    assert _everything() == before


# An argument's name, and a call with something in its place; what else than a tensor it takes.
OPERANDS = [
    ("input", gg.exp, ["ndarray"]),
    ("input", gg.sum, []),
    ("input", nn.functional.relu, ["ndarray"]),
    ("input", LINEAR, []),
    ("input", nn.BatchNorm1d(3), []),
    ("input", nn.LSTM(3, 2), []),
    ("other", lambda v: X.add_(v), ["bool", "float", "ndarray"]),
    ("other", lambda v: X.hypot_(v), ["ndarray"]),
    ("other", lambda v: gg.matmul(X, v), []),
    ("other", lambda v: gg.equal(X, v), []),
    ("tensor1", lambda v: gg.addcdiv(X, v, X), ["ndarray"]),
    ("end", lambda v: X.lerp(v, 0.5), []),
    ("target", lambda v: nn.functional.cross_entropy(X, v), []),
    ("target", lambda v: nn.functional.mse_loss(X, v), ["ndarray"]),
    ("element 1", lambda v: gg.cat([X, v]), []),
    ("gradient", lambda v: (gg.ones(2, requires_grad=True) * 2).backward(v), ["NoneType", "list"]),
]


@together
@pytest.mark.parametrize(("argument", "call", "taken"), OPERANDS)
def test_what_is_no_tensor_is_told_by_the_arguments_name(argument, call, taken):
    for value in (True, 1.5, None, "a", [1.0], np.ones((2, 3))):
        kind = type(value).__name__
        if kind in taken:
            continue
        with pytest.raises(TypeError, match=argument) as caught:
            call(value)
        assert isinstance(caught.value, GlassgradError)
        assert kind in str(caught.value)
        assert caught.value.__cause__ is None
        assert caught.value.__context__ is None or caught.value.__suppress_context__


def _everything():
    state = gg.get_rng_state().tolist()
    return X.tolist(), X._version, COUNTS.tolist(), COUNTS._version, gg.is_grad_enabled(), state


# Numbers that are too large -----------------------------------------------------------------------

HUGE = 2**40, -(2**70)


@pytest.fixture
def little_memory():
    """So little that an array of 2**40 bytes has no room, whatever the system promises."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (2**37, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


def with_huge(value, huge):
    """The value with a huge number in place of each integer in it, one at a time."""
    if type(value) is int:
        yield huge
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from ({**value, name: each} for each in with_huge(part, huge))
    elif isinstance(value, (tuple, list)):
        for at, part in enumerate(value):
            for each in with_huge(part, huge):
                yield type(value)([*value[:at], each, *value[at + 1 :]])


@pytest.mark.filterwarnings("ignore::UserWarning")  # of huge corrections, and the like
def test_an_integer_that_is_too_large_is_told_of_by_every_op(little_memory):
    taken = 0
    for case, given in [(row, each) for row in opcases.CASES for each in row.samples[:2]]:
        arrays = case.arrays(given)
        plain = {name: value for name, value in given.params.items() if name != "rank"}  # a test's
        for params in [each for huge in HUGE for each in with_huge(plain, huge)]:
            taken += 1
            tensors = [gg.tensor(array) for array in arrays]
            with contextlib.suppress(GlassgradError):
                case.call(case.op, *tensors, **{**given.params, **params})
    assert taken > 300


@together
@pytest.mark.parametrize(
    ("builtin", "words", "call"),
    [
        (
            MemoryError,
            r"can't allocate memory: zeros\(\) .*\(1099511627776,\)",
            lambda: gg.zeros(2**40),
        ),
        (RuntimeError, "can't allocate memory: ones", lambda: gg.ones(2**20, 2**20)),
        (RuntimeError, r"can't allocate memory: repeat\(\)", lambda: X.repeat(2**40, 1)),
        (RuntimeError, "can't allocate memory: add", lambda: gg.ones(2**20, 1) + gg.ones(2**20)),
        (RuntimeError, r"unpacking long long: repeat\(\)", lambda: X.repeat(2**70, 1)),
        (RuntimeError, "unpacking long long: arange", lambda: gg.arange(2**70)),
        (RuntimeError, "degree 1099511627776", lambda: gg.special.hermite_polynomial_h(X, 2**40)),
        (RuntimeError, "scale_factor", lambda: nn.functional.interpolate(X[None], None, math.nan)),
    ],
)
def test_what_is_too_large_is_told_in_pytorchs_words(builtin, words, call, little_memory):
    with pytest.raises(builtin, match=words) as caught:
        call()
    assert isinstance(caught.value, GlassgradError)


@together
@pytest.mark.parametrize("decimals", [400, -400, 2**62, -(2**62), 3, -2])
def test_decimals_of_any_number_round_as_pytorch_does(decimals):
    torch = pytest.importorskip("torch")
    values = [1.5, 0.0, -2e10, 1234.5678]
    found = gg.round(gg.tensor(values, dtype=gg.float64), decimals=decimals)
    wanted = torch.round(torch.tensor(values, dtype=torch.float64), decimals=decimals)
    np.testing.assert_array_equal(found.numpy(), wanted.numpy())
