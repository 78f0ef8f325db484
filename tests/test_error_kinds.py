"""Which of Python's exceptions tells of a mistake: the one that it is in PyTorch."""

import pytest

from checks import together

MISTAKES = [
    (ValueError, lambda lib: lib.nn.init.xavier_uniform_(lib.zeros(3))),
    (RuntimeError, lambda lib: _loss(lib, lib.tensor([2.0]), lib.tensor([1.0]))),
    (ValueError, lambda lib: _loss(lib, lib.tensor([0.5]), lib.tensor([1.0, 0.0]))),
    (RuntimeError, lambda lib: _entropy(lib, label_smoothing=2.0)),
    (NotImplementedError, lambda lib: lib.log_softmax(lib.ones(2, dtype=lib.int64), 0)),
    (ValueError, lambda lib: lib.nn.functional.group_norm(lib.ones(1, 2), 2)),
    (RuntimeError, lambda lib: _attention(lib, attn_mask=lib.ones(2, 2), is_causal=True)),
    (AssertionError, lambda lib: _heads(lib, lib.ones(3, 1, 4))),
    (ValueError, lambda lib: lib.nn.MultiheadAttention(0, 2)),
    (RuntimeError, lambda lib: lib.nn.NLLLoss(lib.ones(3, 4), lib.tensor([1, 2, 3]))),
    (RuntimeError, lambda lib: lib.nn.RNNCell(1, 2, nonlinearity="x")(lib.ones(1, 1))),
    (ValueError, lambda lib: lib.nn.RNNBase("x", 1, 2)),
    (ValueError, lambda lib: lib.nn.ModuleDict().update([(1, 2, 3)])),
    (AssertionError, lambda lib: lib.nn.Sequential().insert(0, 1)),
    (NotImplementedError, lambda lib: lib.bitwise_and(lib.ones(1), lib.ones(1))),
    (NotImplementedError, lambda lib: lib.frac(lib.tensor([1]))),
    (NotImplementedError, lambda lib: lib.rand(2, dtype=lib.int64)),
    (NotImplementedError, lambda lib: lib.tensor([1j]) < lib.tensor([1j])),
    (NotImplementedError, lambda lib: lib.tensor([1j]).max()),
    (RuntimeError, lambda lib: lib.tensor([1j]).argmax()),
    (RuntimeError, lambda lib: lib.maximum(lib.tensor([1j]), lib.tensor([1j]))),
    (NotImplementedError, lambda lib: lib.tensor([1j]).median()),
    (NotImplementedError, lambda lib: lib.tensor([1j]).clamp(0, 1)),
    (RuntimeError, lambda lib: lib.ones(1).clamp()),
    (RuntimeError, lambda lib: lib.ones(5).unfold(0, 2, 0)),
    (RuntimeError, lambda lib: lib.polygamma(-1, lib.ones(1))),
    (RuntimeError, lambda lib: lib.tensor([300], dtype=lib.uint8)),
    (RuntimeError, lambda lib: lib.poisson(lib.tensor([-1.0]))),
    (RuntimeError, lambda lib: lib.renorm(lib.ones(2), 2, 0, 1.0)),
    (RuntimeError, lambda lib: lib.Generator().manual_seed("x")),
    (RuntimeError, lambda lib: "x" in lib.ones(1)),
    (TypeError, lambda lib: lib.equal(lib.ones(1), 1)),
    (TypeError, lambda lib: lib.numel(1)),
    (TypeError, lambda lib: lib.is_complex(1)),
    (RuntimeError, lambda lib: lib.distributions.Normal(lib.zeros(2), lib.ones(3))),
    (ValueError, lambda lib: _transformed(lib, 1)),
    (ValueError, lambda lib: lib.utils.data.ConcatDataset([[1], [2]])[-3]),
    (AssertionError, lambda lib: lib.utils.data.ConcatDataset([])),
    (RuntimeError, lambda lib: _delete_requires_grad(lib.ones(1))),
]


def _loss(lib, x, y):
    return lib.nn.functional.binary_cross_entropy(x, y)


def _entropy(lib, **options):
    return lib.nn.functional.cross_entropy(lib.ones(1, 2), lib.tensor([0]), **options)


def _attention(lib, **options):
    x = lib.ones(1, 2, 4)
    return lib.nn.functional.scaled_dot_product_attention(x, x, x, **options)


def _heads(lib, value):
    x = lib.ones(2, 1, 4)
    return lib.nn.MultiheadAttention(4, 2)(x, x, value)


def _transformed(lib, transforms):
    home = lib.distributions
    return home.TransformedDistribution(home.Normal(0.0, 1.0), transforms)


def _delete_requires_grad(x):
    del x.requires_grad


@together
@pytest.mark.parametrize(("kind", "mistake"), MISTAKES)
def test_the_exception_is_of_pytorchs_kind(lib, kind, mistake):
    with pytest.raises(kind):
        mistake(lib)


def test_negative_numbers_wrap_around_in_unsigned_ones(lib):
    assert lib.tensor([-1, 2], dtype=lib.uint8).tolist() == [255, 2]


def test_packed_sequences_are_converted_by_name(lib):
    packed = lib.nn.utils.rnn.pack_sequence([lib.ones(2)])
    assert packed.long().data.dtype == lib.int64
    assert packed.double().data.dtype == lib.float64
    assert (packed.is_cuda, packed.is_pinned()) == (False, False)
    with pytest.raises(AttributeError):
        _ = packed.nothing
