"""Random functions inside of vmap: for each example, for all, or not at all, as in PyTorch."""

import pytest

import glassgrad as gg
from both import LIBRARIES, plain
from checks import together

both = pytest.mark.parametrize("lib", LIBRARIES)

N = 4
LONG = 40  # that many coins do not fall alike twice


def half(x):
    """A probability for each of many coins, that depends on `x`."""
    return (x.sum() * 0 + 0.5).repeat(LONG)


# Made of nothing, or of the form of a tensor: each call with `x`, one example, and `y`, for all.
FREE = {
    "rand": lambda lib, x, y: lib.rand(3),
    "randn": lambda lib, x, y: lib.randn(3),
    "randint": lambda lib, x, y: lib.randint(0, 10**6, (3,)),
    "randperm": lambda lib, x, y: lib.randperm(20),
    "normal": lambda lib, x, y: lib.normal(0.0, 1.0, (3,)),
    "rand_like": lambda lib, x, y: lib.rand_like(x),
    "randn_like": lambda lib, x, y: lib.randn_like(x),
    "randint_like": lambda lib, x, y: lib.randint_like(x, 10**6),
    "rand_like of one for all": lambda lib, x, y: lib.rand_like(y),
    "generator": lambda lib, x, y: lib.rand(3, generator=lib.Generator()),
    "bernoulli of one for all": lambda lib, x, y: lib.bernoulli(half(y)),
    "normal of one for all": lambda lib, x, y: lib.normal(y, y),
    "normal of a number and one for all": lambda lib, x, y: lib.normal(0.0, y),
    "normal_": lambda lib, x, y: x.clone().normal_(),
    "uniform_": lambda lib, x, y: x.clone().uniform_(),
    "random_": lambda lib, x, y: x.clone().random_(),
    "random_ up to a number": lambda lib, x, y: x.clone().random_(10**6),
    "random_ between numbers": lambda lib, x, y: x.clone().random_(5, 10**6),
    "bernoulli_": lambda lib, x, y: half(x).bernoulli_(),
    "bernoulli_ of one for all": lambda lib, x, y: half(x).bernoulli_(half(y)),
}

# Of a distribution for each example.
BATCHED = {
    "bernoulli": lambda lib, x, y: lib.bernoulli(half(x)),
    "bernoulli with p": lambda lib, x, y: lib.bernoulli(half(x), 0.5),
    "normal of means": lambda lib, x, y: lib.normal(x, 1.0),
    "normal of deviations": lambda lib, x, y: lib.normal(0.0, x),
    "normal of both": lambda lib, x, y: lib.normal(x, y),
    "bernoulli_ of probabilities": lambda lib, x, y: half(x).bernoulli_(half(x)),
}

# Written to one tensor for all.
FILLED = {
    "normal_": lambda lib, x, y: y.clone().normal_(),
    "uniform_": lambda lib, x, y: y.clone().uniform_(),
    "random_": lambda lib, x, y: y.clone().random_(),
    "bernoulli_": lambda lib, x, y: half(y).bernoulli_(),
    "bernoulli_ of one for all": lambda lib, x, y: half(y).bernoulli_(half(y)),
}


def drawn(lib, call, randomness, **options):
    lib.manual_seed(3)
    x = plain(lib, [[1.0, 2.0, 3.0]] * N)
    y = plain(lib, [1.0, 2.0, 3.0])
    return lib.vmap(lambda x: call(lib, x, y), randomness=randomness, **options)(x)


def is_same(found):
    return bool((found == found[:1]).all())


@together
@both
@pytest.mark.parametrize("name", FREE)
def test_numbers_are_drawn_for_each_or_for_all(lib, name):
    assert not is_same(drawn(lib, FREE[name], "different"))
    assert is_same(drawn(lib, FREE[name], "same"))


@together
@both
@pytest.mark.parametrize("name", BATCHED)
def test_numbers_of_different_distributions_are_not_the_same(lib, name):
    assert not is_same(drawn(lib, BATCHED[name], "different"))
    text = "does not currently support same randomness with a batched tensor input"
    with pytest.raises(RuntimeError, match=text):
        drawn(lib, BATCHED[name], "same")


@together
@both
@pytest.mark.parametrize("name", FILLED)
def test_one_tensor_for_all_holds_the_same_numbers(lib, name):
    assert is_same(drawn(lib, FILLED[name], "same"))
    with pytest.raises(RuntimeError, match="Cannot ask for different inplace randomness on an unb"):
        drawn(lib, FILLED[name], "different")


@together
@both
@pytest.mark.parametrize("name", [*FREE, *BATCHED])
def test_nobody_said_which(lib, name):
    call = {**FREE, **BATCHED}[name]
    with pytest.raises(
        RuntimeError, match="called random operation while in randomness error mode"
    ):
        drawn(lib, call, "error")


@together
@both
@pytest.mark.parametrize("name", FILLED)
def test_nobody_said_which_of_a_tensor_for_all(lib, name):
    with pytest.raises(
        RuntimeError, match="called random operation while in randomness error mode"
    ):
        drawn(lib, FILLED[name], "error")


@both
def test_there_are_three_ways(lib):
    text = "Only allowed values for randomness are 'error', 'different', or 'same'"
    with pytest.raises(RuntimeError, match=text):
        lib.vmap(lambda x: x, randomness="other")


# Nested -------------------------------------------------------------------------------------------


def nested(lib, call, outer, inner):
    """Whether the numbers are the same along the outer and the inner batch."""
    x = plain(lib, [[1.0, 2.0, 3.0]] * N)
    found = lib.vmap(lambda x: lib.vmap(lambda s: call(s), randomness=inner)(x), randomness=outer)(
        x
    )
    return bool((found == found[:1]).all()), bool((found == found[:, :1]).all())


@together
@both
@pytest.mark.parametrize("outer", ["different", "same"])
@pytest.mark.parametrize("inner", ["different", "same"])
def test_each_level_decides_for_its_own_batch(lib, outer, inner):
    expected = (outer == "same", inner == "same")
    assert nested(lib, lambda s: lib.rand(5), outer, inner) == expected
    assert nested(lib, lambda s: lib.rand_like(s), outer, inner) == expected


@together
@pytest.mark.parametrize("outer", ["different", "same"])
@pytest.mark.parametrize("inner", ["different", "same"])
def test_each_level_decides_for_what_is_filled(outer, inner):
    found = nested(gg, lambda s: s.clone().uniform_(), outer, inner)
    assert found == (outer == "same", inner == "same")


@together
@both
@pytest.mark.parametrize("ways", [("error", "same"), ("different", "error"), ("error", "error")])
def test_one_level_that_does_not_say_is_enough(lib, ways):
    with pytest.raises(RuntimeError, match="randomness error mode"):
        nested(lib, lambda s: lib.rand(5), *ways)


@both
def test_derivatives_know_the_numbers(lib):
    def f(x):
        return (x * lib.rand_like(x) * lib.rand(3)).sum()

    x = plain(lib, [[1.0, 1.0, 1.0]] * N)
    for randomness in ("different", "same"):
        found, value = lib.vmap(lib.func.grad_and_value(f), randomness=randomness)(x)
        assert lib.allclose(found.sum(1), value)
        assert is_same(found) == (randomness == "same")


# Other transforms, chunks, seeds ------------------------------------------------------------------


@both
def test_other_transforms_do_not_mind(lib):
    x = plain(lib, [1.0, 2.0, 3.0])
    noise = lambda x: (x * lib.rand(3)).sum()  # noqa: E731  # the same in both lines
    assert lib.func.grad(noise)(x).shape == (3,)
    assert lib.func.jvp(noise, (x,), (x,))[1].shape == ()


@together
@both
@pytest.mark.parametrize("randomness", ["different", "same"])
def test_chunks_draw_as_one_would(lib, randomness):
    found = drawn(lib, FREE["rand"], randomness, chunk_size=3)
    assert is_same(found) == (randomness == "same")


@both
def test_a_seed_gives_the_same_numbers_again(lib):
    for randomness in ("different", "same"):
        first = drawn(lib, FREE["rand"], randomness)
        assert first.tolist() == drawn(lib, FREE["rand"], randomness).tolist()


def test_the_same_for_all_is_what_one_call_draws():
    found = drawn(gg, FREE["rand"], "same")
    gg.manual_seed(3)
    assert found[0].tolist() == gg.rand(3).tolist()


@both
def test_numbers_may_require_grad(lib):
    found = lib.vmap(lambda x: lib.rand(3, requires_grad=True) * x, randomness="different")(
        plain(lib, [1.0, 2.0])
    )
    assert found.shape == (2, 3)


def test_permutations_are_permutations_for_each():
    found = drawn(gg, FREE["randperm"], "different")
    assert [sorted(row) for row in found.tolist()] == [list(range(20))] * N


@together
@both
@pytest.mark.parametrize("name", ["bernoulli", "bernoulli_ of probabilities"])
def test_probabilities_decide_for_each(lib, name):
    def call(x):
        p = (x > 1).double()
        return lib.bernoulli(p) if name == "bernoulli" else x.clone().bernoulli_(p)

    x = plain(lib, [[0.0, 2.0], [2.0, 0.0]])
    assert lib.vmap(call, randomness="different")(x).tolist() == [[0.0, 1.0], [1.0, 0.0]]


@both
def test_means_decide_for_each(lib):
    x = plain(lib, [[0.0, 100.0], [200.0, 300.0]])
    found = lib.vmap(lambda x: lib.normal(x, 0.0), randomness="different")(x)
    assert found.tolist() == x.tolist()


@together
@pytest.mark.parametrize("name", ["dropout", "alpha_dropout"])
def test_dropout_may_drop_the_same_of_all_examples(lib, name):
    drop = getattr(lib.nn.functional, name)
    x = lib.ones(3, 40)
    for randomness in ("same", "different"):
        y = lib.func.vmap(lambda x: drop(x, 0.5, training=True), randomness=randomness)(x)
        assert bool((y == y[:1]).all()) == (randomness == "same")
