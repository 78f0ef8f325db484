"""Random choices: how often, of what, and for whom."""

import numpy as np
import pytest
import torch

import glassgrad as gg
from checks import together
from glassgrad.core.errors import ArgumentTypeError, DTypeError, RangeError, ShapeError
from glassgrad.func import vmap

WEIGHTS = [0.0, 1.0, 3.0, 0.0, 4.0]


@pytest.fixture(autouse=True)
def _seeded():
    state = gg.get_rng_state()
    gg.manual_seed(0)
    yield
    gg.set_rng_state(state)


def shares(chosen):
    counts = np.bincount(chosen.numpy(), minlength=len(WEIGHTS))
    return counts / counts.sum()


def test_classes_are_chosen_as_often_as_their_weights_say():
    chosen = gg.multinomial(gg.tensor(WEIGHTS), 20_000, replacement=True)
    assert chosen.dtype == gg.int64
    np.testing.assert_allclose(shares(chosen), np.array(WEIGHTS) / 8, atol=0.015)


def test_without_replacement_the_first_choice_is_as_often_as_its_weight_says():
    many = gg.tensor(WEIGHTS).expand(20_000, 5)
    chosen = gg.multinomial(many, 3)
    np.testing.assert_allclose(shares(chosen[:, 0]), np.array(WEIGHTS) / 8, atol=0.015)
    # Once the class of weight 4 is gone, it is 1 against 3.
    second = chosen[chosen[:, 0] == 4][:, 1]
    assert (second == 2).double().mean().item() == pytest.approx(0.75, abs=0.02)


def test_without_replacement_no_class_comes_twice():
    chosen = gg.multinomial(gg.ones(100, 5), 5)
    assert np.array_equal(np.sort(chosen.numpy(), axis=1), np.tile(np.arange(5), (100, 1)))


def test_a_generator_gives_the_same_choices_again():
    source = gg.Generator()
    x = gg.ones(50)
    first = gg.multinomial(x, 10, generator=source.manual_seed(1))
    again = gg.multinomial(x, 10, generator=source.manual_seed(1))
    assert first.tolist() == again.tolist()


@pytest.mark.parametrize("replacement", [False, True])
def test_a_batch_chooses_what_the_rows_of_a_matrix_choose(replacement):
    x = gg.rand(3, 4, 6)
    gg.manual_seed(5)
    got = vmap(lambda row: gg.multinomial(row, 2, replacement), randomness="different")(x)
    gg.manual_seed(5)
    want = gg.multinomial(x.reshape(12, 6), 2, replacement)
    assert got.tolist() == want.reshape(3, 4, 2).tolist()


def test_examples_share_choices_if_they_are_to():
    x = gg.ones(100)
    got = vmap(lambda _: gg.multinomial(x, 10), randomness="same")(gg.zeros(3))
    assert got[0].tolist() == got[1].tolist() == got[2].tolist()


def test_choices_have_no_gradient():
    assert not gg.multinomial(gg.ones(3, requires_grad=True), 1).requires_grad


WRONG = [
    (lambda lib: (lib.ones(2, 2, 2), 1), ShapeError, "prob_dist must be 1 or 2 dim"),
    (lambda lib: (lib.ones(3), 0), ShapeError, "cannot sample n_sample <= 0 samples"),
    (lambda lib: (lib.ones(3), 4), ShapeError, "samples without replacement"),
    (lambda lib: (lib.ones(3, dtype=lib.int64), 1), DTypeError, "only supports floating-point"),
    (lambda lib: (lib.tensor([1.0, -1.0]), 1), RangeError, "`nan` or element < 0"),
    (lambda lib: (lib.tensor([1.0, lib.inf]), 1), RangeError, "contains either `inf`"),
    (lambda lib: (lib.zeros(2), 1), RangeError, "invalid multinomial distribution"),
    (lambda lib: (lib.ones(2), 1.5), ArgumentTypeError, "must be int, not float"),
]


@together
@pytest.mark.parametrize(("arguments", "error", "words"), WRONG)
def test_what_is_no_distribution_is_refused_in_torchs_words(arguments, error, words):
    with pytest.raises(error, match=words):
        gg.multinomial(*arguments(gg))
    with pytest.raises((RuntimeError, TypeError), match=words):
        torch.multinomial(*arguments(torch))
