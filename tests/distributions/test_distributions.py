"""Distributions beside PyTorch's: values, gradients, errors, and what their samples look like."""

import importlib

import numpy as np
import pytest
import torch

import glassgrad as gg
from checks import together

A, B, C = [0.5, 1.5, 3.0], [1.0, 2.0, 0.7], [[0.2], [1.3]]
P, Q = [0.2, 0.5, 0.9], [0.1, 0.2, 0.7]
LOGITS = [[0.3, -1.0, 0.5], [0.1, 2.0, -0.4]]
COUNTS = [0.0, 1.0, 3.0]

# name, parameters, values
CASES = [
    ("Normal", {"loc": A, "scale": B}, [-1.0, 0.2, 4.0]),
    ("Normal", {"loc": C, "scale": B}, [-1.0, 0.2, 4.0]),
    ("LogNormal", {"loc": A, "scale": B}, [0.1, 0.2, 4.0]),
    ("HalfNormal", {"scale": B}, [0.1, 0.2, 4.0]),
    ("ContinuousBernoulli", {"probs": P}, [0.0, 0.3, 1.0]),
    ("ContinuousBernoulli", {"logits": [-2.0, 0.001, 3.0]}, [0.0, 0.3, 1.0]),
    ("Kumaraswamy", {"concentration1": A, "concentration0": [0.9, 0.8, 0.7]}, [0.1, 0.2, 0.9]),
    ("Uniform", {"low": A, "high": [1.0, 2.0, 5.0]}, [0.7, 1.5, 4.0]),
    ("Laplace", {"loc": A, "scale": B}, [-1.0, 0.2, 4.0]),
    ("Cauchy", {"loc": A, "scale": B}, [-1.0, 0.2, 4.0]),
    ("Gumbel", {"loc": A, "scale": B}, [-1.0, 0.2, 4.0]),
    ("Exponential", {"rate": A}, [0.0, 0.2, 4.0]),
    ("FisherSnedecor", {"df1": [0.5, 3.0, 4.0], "df2": [9.0, 12.0, 15.0]}, [0.1, 0.2, 4.0]),
    (
        "GeneralizedPareto",
        {"loc": A, "scale": B, "concentration": [0.1, 0.0, -0.5]},
        [0.7, 1.6, 4.0],
    ),
    ("Gamma", {"concentration": A, "rate": B}, [0.1, 0.2, 4.0]),
    ("Chi2", {"df": A}, [0.1, 0.2, 4.0]),
    ("Beta", {"concentration1": A, "concentration0": B}, [0.1, 0.2, 0.9]),
    ("Dirichlet", {"concentration": [A, B]}, [[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]]),
    ("StudentT", {"df": [0.5, 1.5, 4.0], "loc": A, "scale": B}, [-1.0, 0.2, 4.0]),
    ("HalfCauchy", {"scale": B}, [0.1, 0.2, 4.0]),
    ("InverseGamma", {"concentration": [6.5, 7.5, 8.0], "rate": B}, [0.1, 0.2, 4.0]),
    ("Pareto", {"scale": A, "alpha": [3.0, 2.5, 4.0]}, [3.0, 3.2, 4.0]),
    ("Weibull", {"scale": A, "concentration": [1.2, 2.0, 3.0]}, [0.1, 0.2, 4.0]),
    ("VonMises", {"loc": [0.0] * 3, "concentration": B}, [-1.0, 0.2, 3.0]),
    ("Bernoulli", {"probs": P}, [0.0, 1.0, 1.0]),
    ("Bernoulli", {"logits": A}, [0.0, 1.0, 1.0]),
    ("Geometric", {"probs": P}, COUNTS),
    ("Geometric", {"logits": A}, COUNTS),
    ("Binomial", {"total_count": 4, "probs": P}, COUNTS),
    ("Binomial", {"total_count": 4, "logits": A}, COUNTS),
    ("NegativeBinomial", {"total_count": 4, "probs": P}, COUNTS),
    ("NegativeBinomial", {"total_count": 4, "logits": A}, COUNTS),
    ("Poisson", {"rate": A}, COUNTS),
    ("Categorical", {"probs": [[0.2, 0.3, 0.5], [1.0, 1.0, 2.0]]}, [0, 2]),
    ("Categorical", {"logits": LOGITS}, [0, 2]),
    ("OneHotCategorical", {"logits": LOGITS}, [[1.0, 0, 0], [0, 0, 1.0]]),
    ("OneHotCategoricalStraightThrough", {"logits": LOGITS}, [[1.0, 0, 0], [0, 0, 1.0]]),
    ("Multinomial", {"total_count": 4, "probs": Q}, [1.0, 0.0, 3.0]),
    ("Multinomial", {"total_count": 4, "logits": LOGITS}, [[1.0, 0.0, 3.0], [2.0, 1.0, 1.0]]),
]
NAMES = sorted({name for name, _, _ in CASES})
IDS = [f"{name}-{'-'.join(options)}" for name, options, _ in CASES]
CONTINUOUS = [
    case for case in CASES if getattr(torch.distributions, case[0]).has_rsample is not False
]


def built(lib, name, options):
    """A distribution, and its parameters that require gradients."""
    made = {
        key: value
        if key == "total_count"
        else lib.tensor(value, dtype=lib.float64, requires_grad=True)
        for key, value in options.items()
    }
    leaves = [value for value in made.values() if not isinstance(value, int)]
    return getattr(lib.distributions, name)(**made), leaves


def answer(lib, name, options, ask):
    """What `ask` finds, with its gradients; the name of the exception if there is none."""
    distribution, leaves = built(lib, name, options)
    try:
        value = ask(lib, distribution)
        if not value.requires_grad:
            return [value.numpy()]
        value.sum().backward()
    except NotImplementedError:
        return "NotImplementedError"
    grads = [np.zeros(1) if x.grad is None else x.grad.numpy() for x in leaves]
    return [value.detach().numpy(), *grads]


def assert_same(name, options, ask):
    ours, theirs = (answer(lib, name, options, ask) for lib in (gg, torch))
    if isinstance(theirs, str) or isinstance(ours, str):
        assert isinstance(theirs, str), f"{ours} instead of {theirs}"
        return
    for mine, yours in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(mine, yours, rtol=1e-6, atol=1e-9)


@together
@pytest.mark.parametrize(("name", "options", "values"), CASES, ids=IDS)
@pytest.mark.parametrize("method", ["log_prob", "cdf"])
def test_probabilities_and_their_gradients_are_pytorchs(name, options, values, method):
    def ask(lib, distribution):
        dtype = lib.int64 if name == "Categorical" else lib.float64
        return getattr(distribution, method)(lib.tensor(values, dtype=dtype))

    if name == "GeneralizedPareto":  # PyTorch's compares with a number of the default dtype
        torch.set_default_dtype(torch.float64)
    try:
        assert_same(name, options, ask)
    finally:
        torch.set_default_dtype(torch.float32)


@together
@pytest.mark.parametrize(("name", "options", "values"), CASES, ids=IDS)
@pytest.mark.parametrize("what", ["mean", "mode", "variance", "stddev", "entropy", "perplexity"])
def test_what_is_known_of_the_values_is_pytorchs(name, options, values, what):
    def ask(lib, distribution):
        found = getattr(distribution, what)
        return found() if callable(found) else found

    assert_same(name, options, ask)


@together
@pytest.mark.parametrize(("name", "options", "values"), CASES, ids=IDS)
def test_quantiles_are_pytorchs(name, options, values):
    def ask(lib, distribution):
        return distribution.icdf(lib.tensor(P, dtype=lib.float64))

    assert_same(name, options, ask)


@together
@pytest.mark.parametrize(("name", "options", "values"), CASES, ids=IDS)
def test_values_are_listed_as_in_pytorch(name, options, values):
    for expand in (True, False):
        assert_same(name, options, lambda _, d, e=expand: d.enumerate_support(expand=e))


@together
@pytest.mark.parametrize(("name", "options", "values"), CASES, ids=IDS)
def test_shapes_and_words_are_pytorchs(name, options, values):
    (ours, _), (theirs, _) = (built(lib, name, options) for lib in (gg, torch))
    assert tuple(ours.batch_shape) == tuple(theirs.batch_shape)
    assert tuple(ours.event_shape) == tuple(theirs.event_shape)
    if not repr(theirs).endswith("()"):  # of some PyTorch shows nothing
        assert repr(ours).replace("glassgrad", "torch") == repr(theirs)
    assert (
        repr(ours.support).replace("\n", "").replace("grad_fn", "")[:12]
        == repr(theirs.support)[:12]
    )
    assert bool(ours.has_rsample) == bool(theirs.has_rsample)
    assert bool(ours.has_enumerate_support) == bool(theirs.has_enumerate_support)
    for shape in ((), (4,), (2, 1)):
        sample = ours.sample(shape)
        assert tuple(sample.shape) == tuple(theirs.sample(shape).shape)
        assert f"torch.{sample.dtype.name}" == str(theirs.sample(shape).dtype)
        assert not sample.requires_grad
        assert ours.log_prob(sample).shape == (*shape, *ours.batch_shape)
    wide = ours.expand((5, *ours.batch_shape))
    assert tuple(wide.sample((2,)).shape) == (2, 5, *ours.batch_shape, *ours.event_shape)
    assert tuple(wide.mean.shape) == (5, *ours.mean.shape)


@together
@pytest.mark.parametrize(("name", "options", "values"), CASES, ids=IDS)
def test_samples_have_the_mean_and_the_spread_they_should(name, options, values):
    gg.manual_seed(3)
    distribution, _ = built(gg, name, options)
    samples = distribution.sample((40_000,)).to(gg.float64)
    variance = distribution.variance.detach().numpy()
    usual = np.isfinite(variance) & np.isfinite(distribution.mean.detach().numpy())
    error = 6 * np.sqrt(np.where(usual, variance, 1) / 40_000)
    difference = samples.mean(0).numpy() - distribution.mean.detach().numpy()
    assert (np.abs(difference) < error)[usual].all()
    if name not in ("LogNormal", "VonMises"):  # it takes very long, or is that of directions
        np.testing.assert_allclose(
            samples.numpy().var(0)[usual], variance[usual], rtol=0.15, atol=1e-2
        )


@together
@pytest.mark.parametrize(("name", "options", "values"), CASES, ids=IDS)
def test_samples_and_probabilities_stay_on_their_device(name, options, values):
    moved = {
        key: value if isinstance(value, int) else gg.tensor(value, device="fake")
        for key, value in options.items()
    }
    distribution = getattr(gg.distributions, name)(**moved)
    sample = distribution.sample((3,))
    assert str(sample.device) == str(distribution.log_prob(sample).device) == "fake"
    if name not in ("FisherSnedecor", "NegativeBinomial", "Poisson", "VonMises"):
        assert str(distribution.entropy().device) == "fake"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options", "values"),
    [case for case in CONTINUOUS if "StraightThrough" not in case[0]],
)
def test_gradients_go_through_samples_as_in_pytorch(name, options, values):
    heavy = name in ("Normal", "Laplace", "Gumbel", "Cauchy", "StudentT")
    found = []
    for lib in (gg, torch):  # the mean of so many samples that it does not matter which
        lib.manual_seed(4)
        distribution, leaves = built(lib, name, options)
        drawn = distribution.rsample((60_000,))
        (lib.tanh(drawn) if heavy else lib.log1p(drawn.abs())).mean(0).sum().backward()
        found.append([leaf.grad.tolist() for leaf in leaves])
    ours, theirs = found
    for mine, wanted in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(mine, wanted, atol=0.03)


@together
@pytest.mark.parametrize("concentration", [0.05, 0.3, 1.0, 2.5, 10.0, 300.0])
def test_the_gradient_of_a_gamma_sample_is_pytorchs(concentration):
    from glassgrad.distributions.gamma import _slope_of_gamma

    a = np.full(400, concentration)
    x = np.random.default_rng(0).standard_gamma(a).clip(1e-30)
    theirs = torch._standard_gamma_grad(torch.tensor(a), torch.tensor(x)).numpy()
    np.testing.assert_allclose(_slope_of_gamma(a, x), theirs, rtol=2e-3)


KL = [
    ("Normal", {"loc": A, "scale": B}, {"loc": B, "scale": A}),
    ("LogNormal", {"loc": A, "scale": B}, {"loc": B, "scale": A}),
    ("HalfNormal", {"scale": A}, {"scale": B}),
    ("Uniform", {"low": [0.0, 0.0], "high": [1.0, 2.0]}, {"low": [-1.0, 1.0], "high": [2.0, 3.0]}),
    ("Laplace", {"loc": A, "scale": B}, {"loc": B, "scale": A}),
    ("Cauchy", {"loc": A, "scale": B}, {"loc": B, "scale": A}),
    ("Gumbel", {"loc": A, "scale": B}, {"loc": B, "scale": A}),
    ("Exponential", {"rate": A}, {"rate": B}),
    ("Gamma", {"concentration": A, "rate": B}, {"concentration": B, "rate": A}),
    (
        "Beta",
        {"concentration1": A, "concentration0": B},
        {"concentration1": B, "concentration0": A},
    ),
    ("Dirichlet", {"concentration": A}, {"concentration": B}),
    ("Bernoulli", {"probs": P}, {"probs": Q}),
    ("Bernoulli", {"logits": A}, {"logits": B}),
    ("ContinuousBernoulli", {"probs": P}, {"probs": Q}),
    ("Geometric", {"probs": P}, {"probs": Q}),
    ("Binomial", {"total_count": 4, "probs": P}, {"total_count": 4, "probs": Q}),
    ("Poisson", {"rate": A}, {"rate": B}),
    ("Pareto", {"scale": B, "alpha": A}, {"scale": A, "alpha": B}),
    ("Categorical", {"logits": LOGITS}, {"probs": Q}),
    ("Categorical", {"probs": Q}, {"probs": [0.5, 0.5, 0.0]}),
    ("OneHotCategorical", {"logits": LOGITS}, {"probs": Q}),
]


@together
@pytest.mark.parametrize(("name", "ours", "theirs"), KL)
def test_divergences_and_their_gradients_are_pytorchs(name, ours, theirs):
    def divergence(lib):
        (p, p_leaves), (q, q_leaves) = built(lib, name, ours), built(lib, name, theirs)
        value = lib.distributions.kl_divergence(p, q)
        value.sum().backward()
        return [value.detach().numpy(), *(x.grad.numpy() for x in p_leaves + q_leaves)]

    for mine, yours in zip(divergence(gg), divergence(torch), strict=True):
        finite = np.isfinite(yours)
        np.testing.assert_allclose(mine[finite], yours[finite], rtol=1e-6, atol=1e-9)


def test_rules_for_divergences_are_found_by_class_and_can_be_added():
    d = gg.distributions
    with pytest.raises(
        NotImplementedError, match=r"No KL\(p \|\| q\) is implemented for p type Norm"
    ):
        d.kl_divergence(d.Normal(0.0, 1.0), d.Poisson(1.0))

    class Mine(d.Normal):
        pass

    assert d.kl_divergence(Mine(0.0, 1.0), Mine(0.0, 1.0)).item() == 0.0

    @d.register_kl(Mine, d.Normal)
    def _rule(p, q):
        return gg.tensor(7.0)

    assert d.kl_divergence(Mine(0.0, 1.0), d.Normal(0.0, 1.0)).item() == 7.0
    with pytest.raises(TypeError, match="Expected type_p to be a Distribution subclass"):
        d.register_kl(3, Mine)


def test_what_libraries_build_on_is_there(lib):
    c = lib.distributions.constraints

    class Positive(type(c.positive)):
        def __init__(self):
            super().__init__(lower_bound=0.0)

    class Shared:
        """What distributions of a library have in common; no distribution itself."""

    assert Positive().check(lib.tensor([-1.0, 2.0])).tolist() == [False, True]
    assert set(c.__all__) == set(torch.distributions.constraints.__all__)
    lib.distributions.register_kl(Shared, Shared)(lambda p, q: 0)


# Made of others -----------------------------------------------------------------------------------


def side_by_side(lib):
    d = lib.distributions
    normal = d.Normal(lib.tensor([C[0] * 3, C[1] * 3]), lib.tensor(B))
    return d.Independent(normal, 1)


def squashed(lib):
    d = lib.distributions
    return d.TransformedDistribution(
        d.Normal(lib.tensor(A), lib.tensor(B)),
        [d.AffineTransform(0.5, -2.0), d.TanhTransform(), d.AffineTransform(1.0, 0.5)],
    )


def logistic(lib):
    d = lib.distributions
    uniform = d.Uniform(lib.tensor(0.0), lib.tensor(1.0))
    parts = [d.SigmoidTransform().inv, d.AffineTransform(loc=1.0, scale=3.0)]
    return d.TransformedDistribution(uniform, parts)


def vectors(lib):
    d = lib.distributions
    inner = d.Independent(d.Normal(lib.tensor(A), lib.tensor(B)), 1)
    return d.TransformedDistribution(inner, [d.ExpTransform(), d.PowerTransform(lib.tensor(2.0))])


@together
@pytest.mark.parametrize(
    ("make", "value"),
    [
        (side_by_side, [0.1, 0.5, -1.0]),
        (squashed, [0.6, 1.2, 1.4]),
        (logistic, -1.0),
        (vectors, [0.1, 0.5, 2.0]),
    ],
)
def test_distributions_made_of_others_are_pytorchs(make, value):
    ours, theirs = make(gg), make(torch)
    assert tuple(ours.batch_shape) == tuple(theirs.batch_shape)
    assert tuple(ours.event_shape) == tuple(theirs.event_shape)
    assert repr(ours).replace("glassgrad", "torch") == repr(theirs)
    mine = ours.log_prob(gg.tensor(value)).numpy()
    np.testing.assert_allclose(mine, theirs.log_prob(torch.tensor(value)).numpy(), rtol=1e-4)
    sample = ours.rsample((5,))
    assert sample.shape == (5, *ours.batch_shape, *ours.event_shape)
    assert ours.log_prob(sample).shape == (5, *ours.batch_shape)
    wide = ours.expand((2, *ours.batch_shape))
    assert wide.log_prob(gg.tensor(value)).shape == (2, *ours.batch_shape)
    for method in ("cdf", "icdf", "entropy"):
        arguments = () if method == "entropy" else ([0.6] * 3,)
        try:
            wanted = getattr(theirs, method)(*map(torch.tensor, arguments))
        except NotImplementedError:
            continue
        found = getattr(ours, method)(*map(gg.tensor, arguments))
        np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=1e-4)


@pytest.mark.parametrize("lib", [gg, torch])
def test_a_transform_remembers_what_it_has_made_last(lib):
    d = lib.distributions
    for cache_size in (0, 1):
        far = d.TransformedDistribution(
            d.Normal(lib.tensor(30.0), 1e-3), [d.TanhTransform(cache_size=cache_size)]
        )
        log_prob = far.log_prob(far.rsample())
        assert bool(lib.isfinite(log_prob)) == (cache_size == 1)


@pytest.mark.parametrize("lib", [gg, torch])
def test_an_own_distribution_says_which_values_it_has(lib):
    d = lib.distributions

    class Coin(d.Distribution):
        arg_constraints = {"side": d.constraints.real}

        def __init__(self, side):
            self.side = side
            super().__init__(validate_args=True)

        @d.constraints.dependent_property(is_discrete=True, event_dim=0)
        def support(self):
            return d.constraints.integer_interval(0, self.side)

        def log_prob(self, value):
            self._validate_sample(value)
            return value * 0

    coin = Coin(lib.tensor(1.0))
    assert coin.log_prob(lib.tensor(1.0)).item() == 0
    assert repr(coin) == "Coin(side: 1.0)"
    with pytest.raises(ValueError, match="to be within the support"):
        coin.log_prob(lib.tensor(2.0))
    with pytest.raises(NotImplementedError):
        _ = coin.mean


COVARIANCE = [[2.0, 0.3, 0.0], [0.3, 1.0, 0.2], [0.0, 0.2, 0.5]]


@pytest.mark.skipif(not hasattr(gg.linalg, "solve_triangular"), reason="needs triangular systems")
@pytest.mark.parametrize("given", ["covariance_matrix", "precision_matrix", "scale_tril"])
def test_vectors_with_a_covariance_are_pytorchs(given):
    def numbers(lib):
        d = lib.distributions
        loc = lib.tensor([A, B], dtype=lib.float64, requires_grad=True)
        matrix = lib.tensor(COVARIANCE, dtype=lib.float64)
        matrix = (matrix.tril() if given == "scale_tril" else matrix).requires_grad_()
        p = d.MultivariateNormal(loc, **{given: matrix})
        q = d.MultivariateNormal(lib.zeros(3, dtype=lib.float64), lib.eye(3, dtype=lib.float64))
        found = [p.mean, p.variance, p.covariance_matrix, p.precision_matrix, p.entropy()]
        found += [p.log_prob(lib.tensor(B, dtype=lib.float64)), d.kl_divergence(p, q)]
        assert p.rsample((5,)).shape == (5, 2, 3)
        assert p.expand((4, 2)).log_prob(lib.zeros(3, dtype=lib.float64)).shape == (4, 2)
        sum(each.sum() for each in found).backward()
        return [each.detach().numpy() for each in found] + [loc.grad.numpy(), matrix.grad.numpy()]

    for mine, yours in zip(numbers(gg), numbers(torch), strict=True):
        np.testing.assert_allclose(mine, yours, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("lib", [gg, torch])
def test_a_covariance_is_given_once(lib):
    with pytest.raises(ValueError, match="Exactly one of covariance_matrix or precision_matrix"):
        lib.distributions.MultivariateNormal(lib.zeros(2))
    with pytest.raises(ValueError, match="loc must be at least one-dimensional"):
        lib.distributions.MultivariateNormal(lib.tensor(0.0), lib.eye(1))


@together
@pytest.mark.parametrize(
    "name", ["Exp", "Sigmoid", "Tanh", "Softplus", "Abs"], ids=lambda name: f"{name}Transform"
)
def test_transforms_are_pytorchs(name):
    def numbers(lib):
        transform = getattr(lib.distributions, f"{name}Transform")()
        x = lib.tensor([0.3, 0.9, 2.0], dtype=lib.float64)
        y = transform(x)
        found = [y, transform.inv(y)]
        if name != "Abs":
            found.append(transform.log_abs_det_jacobian(x, y))
        return [each.numpy() for each in found], repr(transform)

    (ours, our_text), (theirs, their_text) = numbers(gg), numbers(torch)
    np.testing.assert_allclose(ours, theirs, rtol=1e-9)
    assert our_text == their_text


# What is refused ----------------------------------------------------------------------------------

REFUSED = [
    (lambda d, t: d.Normal(0.0, -1.0), "Expected parameter scale .* to satisfy the constraint"),
    (lambda d, t: d.Normal(t([0.0]), t([float("nan")])), "Expected parameter scale"),
    (lambda d, t: d.Bernoulli(1.5), r"Interval\(lower_bound=0.0, upper_bound=1.0\)"),
    (lambda d, t: d.Bernoulli(), "Either `probs` or `logits` must be specified, but not both"),
    (lambda d, t: d.Categorical(t(0.5)), "must be at least one-dimensional"),
    (lambda d, t: d.Categorical(t([-0.5, 1.5])), r"constraint Simplex\(\)"),
    (lambda d, t: d.Uniform(1.0, 0.0), r"Expected parameter low .*constraint LessThan\("),
    (lambda d, t: d.Dirichlet(t(1.0)), "must be at least one-dimensional"),
    (lambda d, t: d.Normal("a", 1.0), "Input arguments must all be instances of Number"),
    (lambda d, t: d.Exponential(1.0).log_prob(t(-1.0)), r"within the support \(GreaterThanEq\("),
    (lambda d, t: d.Bernoulli(0.5).log_prob(t(0.5)), r"within the support \(Boolean\(\)\)"),
    (lambda d, t: d.Categorical(t([0.5, 0.5])).log_prob(t(2)), r"IntegerInterval\("),
    (lambda d, t: d.Normal(t([0.0, 1.0]), 1.0).log_prob(t([1.0, 2, 3])), "not broadcastable with"),
    (lambda d, t: d.Normal(0.0, 1.0).log_prob(1.0), "value argument to log_prob must be a Tensor"),
    (
        lambda d, t: d.Dirichlet(t([1.0, 2.0])).log_prob(t([0.2, 0.3, 0.5])),
        "right-most size of value must match event_shape",
    ),
    (
        lambda d, t: d.Independent(d.Normal(0.0, 1.0), 1),
        "Expected reinterpreted_batch_ndims <= len",
    ),
    (lambda d, t: d.Geometric(0.0), "to be positive but found invalid values"),
]


@together
@pytest.mark.parametrize("lib", [gg, torch])
@pytest.mark.parametrize(("make", "words"), REFUSED)
def test_parameters_and_values_out_of_bounds_are_refused(lib, make, words):
    with pytest.raises(ValueError, match=words):
        make(lib.distributions, lib.tensor)


def test_nothing_is_checked_without_validation():
    d = gg.distributions
    assert d.Normal(0.0, -1.0, validate_args=False).scale.item() == -1.0
    unchecked = d.Exponential(1.0, validate_args=False)
    assert unchecked.log_prob(gg.tensor(-1.0)).item() == 1.0
    d.Distribution.set_default_validate_args(False)
    try:
        assert d.Normal(0.0, -1.0).scale.item() == -1.0
    finally:
        d.Distribution.set_default_validate_args(True)


@together
@pytest.mark.parametrize("name", NAMES)
def test_import_paths_are_pytorchs(name):
    theirs = getattr(torch.distributions, name).__module__
    ours = importlib.import_module(theirs.replace("torch", "glassgrad", 1))
    assert getattr(ours, name) is getattr(gg.distributions, name)


def test_a_policy_gradient_is_pytorchs():
    def gradient(lib):
        logits = lib.tensor(LOGITS, requires_grad=True)
        policy = lib.distributions.Categorical(logits=logits)
        policy.sample()  # what is cached inside of no_grad() still leads to the logits
        _ = policy.probs
        loss = -(policy.log_prob(lib.tensor([2, 0])) * lib.tensor([1.0, -0.5])).sum()
        (loss - 0.01 * policy.entropy().sum()).backward()
        return logits.grad.numpy()

    np.testing.assert_allclose(gradient(gg), gradient(torch), rtol=1e-5)


def test_transforms_are_equal_if_what_they_are_made_of_is():
    home = gg.distributions.transforms
    square, cube = home.PowerTransform(2.0), home.PowerTransform(3.0)
    assert square == home.PowerTransform(2.0)
    assert square != cube
    assert square.inv == home.PowerTransform(2.0).inv
    assert home.ComposeTransform([square]) != home.ComposeTransform([cube])
    assert home.AffineTransform(0.0, gg.tensor([1.0, 2.0])) != home.AffineTransform(0.0, 1.0)
    assert home.ExpTransform() != square


@pytest.mark.parametrize("lib", [gg, torch])
def test_distributions_of_programs_expand_an_instance_of_their_class(lib):
    class Shifted(lib.distributions.Distribution):
        arg_constraints = {}

        def __init__(self, base):
            self.base = base
            super().__init__(base.batch_shape, base.event_shape, validate_args=False)

        def expand(self, batch_shape, _instance=None):
            new = self._get_checked_instance(Shifted, _instance)
            new.base = self.base.expand(batch_shape)
            super(Shifted, new).__init__(batch_shape, validate_args=False)
            return new

    class Own(Shifted):
        def __init__(self):
            super().__init__(lib.distributions.Normal(0.0, 1.0))

    expanded = Shifted(lib.distributions.Normal(0.0, 1.0)).expand((3,))
    assert type(expanded) is Shifted
    assert tuple(expanded.base.batch_shape) == (3,)
    with pytest.raises(NotImplementedError, match=r"must also define a custom .expand"):
        Own().expand((3,))


# Mixed and relaxed --------------------------------------------------------------------------------


def mixture(lib, logits, loc, scale):
    d = lib.distributions
    each = d.Normal(loc.expand(2, 3), scale.exp())
    return d.MixtureSameFamily(d.Categorical(logits=logits), each)


def mixture_of_vectors(lib, logits, loc, scale):
    d = lib.distributions
    each = d.Independent(d.Normal(loc.unsqueeze(-1) * lib.ones(2), scale.exp().unsqueeze(-1)), 1)
    return d.MixtureSameFamily(d.Categorical(logits=logits[0]), each)


def relaxed_choice(lib, logits, loc, scale):
    return lib.distributions.RelaxedOneHotCategorical(scale[0].exp(), logits=logits + loc)


def relaxed_switch(lib, logits, loc, scale):
    return lib.distributions.RelaxedBernoulli(scale[0].exp(), logits=logits + loc)


def few_factors(lib, logits, loc, scale):
    return lib.distributions.LowRankMultivariateNormal(loc, logits.mT, scale.exp())


def broken_stick(lib, logits, loc, scale):
    return lib.distributions.LogisticNormal(loc, scale.exp())


MADE = [
    (mixture, [0.3, -1.0], "mean variance stddev cdf"),
    (mixture_of_vectors, [[0.3, -1.0]], "mean variance"),
    (relaxed_choice, [0.2, 0.3, 0.5], "probs logits temperature"),
    (relaxed_switch, [0.2, 0.3, 0.5], "probs logits temperature"),
    (few_factors, [0.2, 0.3, 0.5], "mean variance covariance_matrix scale_tril entropy"),
    (broken_stick, [0.1, 0.2, 0.3, 0.4], "loc scale"),
]


@together
@pytest.mark.parametrize(("make", "value", "asked"), MADE)
def test_mixed_and_relaxed_distributions_are_pytorchs(make, value, asked):
    found = []
    for lib in (gg, torch):
        leaves = [
            lib.tensor(each, dtype=lib.float64, requires_grad=True)
            for each in (LOGITS, [0.5, -1.0, 2.0], [0.1, -0.3, 0.4])
        ]
        made = make(lib, *leaves)
        x = lib.tensor(value, dtype=lib.float64)
        told = [made.log_prob(x)]
        for name in asked.split():
            answer = getattr(made, name)
            told.append(answer(*[x] * (name == "cdf")) if callable(answer) else answer)
        sum(each.sum() for each in told).backward()
        grads = [np.zeros(1) if leaf.grad is None else leaf.grad.numpy() for leaf in leaves]
        shapes = [made.batch_shape, made.event_shape, made.sample((4,)).shape]
        wide = made.expand((5, *made.batch_shape))
        shapes += [wide.batch_shape, wide.sample().shape, wide.log_prob(wide.sample()).shape]
        flags = [bool(made.has_rsample), repr(made.support)[:12]]
        found.append(([each.detach().numpy() for each in told] + grads, shapes, flags))
    for ours, theirs in zip(found[0][0], found[1][0], strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-9)
    assert [tuple(each) for each in found[0][1]] == [tuple(each) for each in found[1][1]]
    assert found[0][2] == found[1][2]


@together
@pytest.mark.parametrize("make", [mixture, few_factors, relaxed_switch, relaxed_choice])
def test_samples_of_mixed_and_relaxed_distributions_are_as_often(make):
    means = []
    for lib in (gg, torch):
        lib.manual_seed(1)
        parts = [lib.tensor(each) for each in (LOGITS, [0.5, -1.0, 2.0], [0.1, -0.3, 0.4])]
        samples = make(lib, *parts).sample((40_000,)).numpy()
        means.append([samples.mean(0), samples.std(0)])
    np.testing.assert_allclose(*means, atol=0.06)


def test_mixtures_that_do_not_fit_are_refused_as_by_pytorch():
    for lib in (gg, torch):
        d = lib.distributions
        two = d.Normal(lib.zeros(2), lib.ones(2))
        with pytest.raises(ValueError, match="The Mixture distribution needs to be an"):
            d.MixtureSameFamily(two, two)
        with pytest.raises(ValueError, match=r"`mixture_distribution component` \(3\) does not"):
            d.MixtureSameFamily(d.Categorical(lib.ones(3)), two)
        with pytest.raises(ValueError, match=r"`mixture_distribution\.batch_shape`"):
            d.MixtureSameFamily(
                d.Categorical(lib.ones(3, 2)), d.Normal(lib.zeros(4, 2), lib.ones(4, 2))
            )


PAIRS = [
    (("Uniform", [0.0], [2.0]), ("Normal", [0.5], [2.0])),
    (("Laplace", [0.1], [2.0]), ("Normal", [0.5], [1.5])),
    (("Exponential", [0.7]), ("Gamma", [1.5], [2.0])),
    (("Exponential", [0.7]), ("Normal", [0.5], [1.5])),
    (("Gamma", [0.7], [1.3]), ("Normal", [0.5], [1.5])),
    (("Gumbel", [0.7], [1.3]), ("Normal", [0.5], [1.5])),
    (("Beta", [0.7], [1.3]), ("Normal", [0.5], [1.5])),
    (("Normal", [0.7], [1.3]), ("Gumbel", [0.5], [1.5])),
    (("Normal", [0.7], [1.3]), ("Laplace", [0.5], [1.5])),
    (("Beta", [0.7], [1.3]), ("Uniform", [-0.5], [1.5])),
    (("Beta", [0.7], [1.3]), ("Uniform", [0.5], [1.5])),
    (("Gamma", [1.5], [2.0]), ("Exponential", [0.7])),
]


@together
@pytest.mark.parametrize(("p", "q"), PAIRS)
def test_divergences_of_two_kinds_are_pytorchs(p, q):
    def divergence(lib):
        pair = [getattr(lib.distributions, n)(*map(lib.tensor, given)) for n, *given in (p, q)]
        return lib.distributions.kl_divergence(*pair).numpy()

    np.testing.assert_allclose(divergence(gg), divergence(torch), rtol=1e-5)


def test_divergences_of_vectors_with_few_factors_are_pytorchs():
    def divergences(lib):
        parts = [lib.tensor(x, dtype=lib.float64) for x in (LOGITS, A, [0.1, -0.3, 0.4])]
        few = few_factors(lib, *parts)
        d = lib.distributions
        full = d.MultivariateNormal(parts[0][0], lib.eye(3, dtype=lib.float64))
        pairs = [(few, full), (full, few), (few, few_factors(lib, parts[0] + 1, *parts[1:]))]
        return [d.kl_divergence(*pair).item() for pair in pairs]

    assert divergences(gg) == pytest.approx(divergences(torch))


def transforms(lib):
    d = lib.distributions
    affine = d.AffineTransform(lib.tensor(A), lib.tensor(B))
    return [
        d.StickBreakingTransform(),
        d.SoftmaxTransform(),
        d.IndependentTransform(d.ExpTransform(), 1),
        d.ReshapeTransform((3,), (1, 3)),
        d.CumulativeDistributionTransform(d.Normal(lib.tensor(0.5), lib.tensor(2.0))),
        d.ComposeTransform([d.IndependentTransform(affine, 1), d.StickBreakingTransform()]),
        d.StickBreakingTransform().inv.inv.with_cache(),
        d.CorrCholeskyTransform(),
        d.StackTransform([d.ExpTransform(), d.identity_transform, d.TanhTransform()], -1),
        d.CatTransform([d.ExpTransform(), d.TanhTransform()], 1, [2, 1]),
        d.CatTransform([d.IndependentTransform(d.ExpTransform(), 1), d.SigmoidTransform()]),
    ]


@together
@pytest.mark.parametrize("which", range(11))
def test_transforms_of_vectors_are_pytorchs(which):
    def told(lib):
        transform, x = transforms(lib)[which], lib.tensor([[0.3, -1.0, 2.0], [0.1, 0.2, -0.5]])
        y = transform(x)
        found = [y, transform.inv(y)]
        if transform.bijective:
            found.append(transform.log_abs_det_jacobian(x, y))
        shapes = [transform.forward_shape(x.shape), transform.inverse_shape(y.shape)]
        dims = [transform.domain.event_dim, transform.codomain.event_dim]
        return [each.numpy() for each in found], [*map(tuple, shapes)], dims

    ours, theirs = told(gg), told(torch)
    for mine, yours in zip(ours[0], theirs[0], strict=True):
        np.testing.assert_allclose(mine, yours, rtol=1e-4, atol=1e-5)
    assert ours[1:] == theirs[1:]


def constraints_of(lib):
    c = lib.distributions.constraints
    return [
        c.real,
        c.positive,
        c.nonnegative,
        c.greater_than(2.0),
        c.less_than(-1.0),
        c.unit_interval,
        c.interval(-1.0, 3.0),
        c.simplex,
        c.real_vector,
        c.lower_cholesky,
        c.positive_definite,
        c.positive_semidefinite,
        c.stack([c.positive, c.real], 1),
        c.cat([c.positive, c.unit_interval], -1, [2, 1]),
        c.corr_cholesky,
        c.lower_triangular,
    ]


@together
@pytest.mark.parametrize("registry", ["biject_to", "transform_to"])
@pytest.mark.parametrize("which", range(16))
def test_all_numbers_become_those_that_a_constraint_allows(registry, which):
    x = np.random.default_rng(0).normal(size=(2, 3, 3))

    def told(lib):
        constraint = constraints_of(lib)[which]
        transform = getattr(lib.distributions, registry)(constraint)
        numbers = lib.tensor(x)
        y = transform(numbers[:, :2] if "Stack" in repr(transform) else numbers)
        assert bool(constraint.check(y).all())
        return y.numpy(), transform.inv(y).numpy()

    try:
        theirs = told(torch)
    except NotImplementedError:
        with pytest.raises(NotImplementedError, match="Cannot transform"):
            told(gg)
        return
    for mine, yours in zip(told(gg), theirs, strict=True):
        np.testing.assert_allclose(mine, yours, rtol=1e-9, atol=1e-12)


def test_a_registry_takes_new_constraints():
    d = gg.distributions

    class Even(d.constraints.Constraint):
        pass

    @d.transform_to.register(Even)
    def _made(constraint):
        return d.AffineTransform(0.0, 2.0)

    assert d.transform_to(Even())(gg.tensor(3.0)).item() == 6.0
    with pytest.raises(TypeError, match="Expected constraint to be either a Constraint subclass"):
        d.transform_to.register(3, _made)


def test_shapes_that_do_not_fit_are_refused_as_by_pytorch():
    for lib in (gg, torch):
        d = lib.distributions
        with pytest.raises(ValueError, match="different numbers of elements"):
            d.ReshapeTransform((2,), (3,))
        with pytest.raises(ValueError, match="cov_factor must be a batch of matrices with shape"):
            d.LowRankMultivariateNormal(lib.zeros(3), lib.ones(2, 1), lib.ones(3))


# Matrices -----------------------------------------------------------------------------------------

FACTOR = [[1.0, 0.0, 0.0], [0.3, 0.8, 0.0], [-0.5, 0.2, 1.5]]


def lkj(lib, df, factor):
    return lib.distributions.LKJCholesky(3, df - 2)


def wishart(lib, df, factor):
    return lib.distributions.Wishart(df, scale_tril=factor)


def wishart_of_precision(lib, df, factor):
    return lib.distributions.Wishart(df, precision_matrix=factor @ factor.mT)


@pytest.mark.filterwarnings("ignore:Singular sample")  # PyTorch says so of those that are not
@together
@pytest.mark.parametrize(
    ("make", "asked"),
    [
        (lkj, ""),
        (wishart, "mean mode variance entropy"),
        (wishart_of_precision, "mean mode variance entropy covariance_matrix scale_tril"),
    ],
)
def test_distributions_of_matrices_are_pytorchs(make, asked):
    found = []
    for lib in (gg, torch):
        df = lib.tensor([4.5, 3.2], dtype=lib.float64, requires_grad=True)
        factor = lib.tensor(FACTOR, dtype=lib.float64, requires_grad=True)
        made = make(lib, df, factor)
        value = factor @ factor.mT
        if make is lkj:
            value = lib.linalg.cholesky(value / (d := value.diagonal().sqrt()) / d[:, None])
        answers = [getattr(made, name) for name in asked.split()]
        told = [made.log_prob(value.detach())]
        told += [answer() if callable(answer) else answer for answer in answers]
        sum(each.sum() for each in told).backward()
        grads = [leaf.grad for leaf in (df, factor) if leaf.grad is not None]
        wide = made.expand((5, 2))
        shapes = [wide.sample((4,)).shape, wide.log_prob(value.detach()).shape]
        words = [repr(made).replace("glassgrad", "torch"), repr(made.support)]
        found.append(([each.detach().numpy() for each in told + grads], shapes, words))
    for ours, theirs in zip(found[0][0], found[1][0], strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-9)
    assert [tuple(each) for each in found[0][1]] == [tuple(each) for each in found[1][1]]
    assert found[0][2] == found[1][2]


def test_samples_of_matrices_have_the_mean_and_the_spread_they_should():
    gg.manual_seed(1)
    scatter = gg.distributions.Wishart(4.5, scale_tril=gg.tensor(FACTOR))
    drawn = scatter.sample((20_000,))
    np.testing.assert_allclose(drawn.mean(0).numpy(), scatter.mean.numpy(), atol=0.3)
    np.testing.assert_allclose(drawn.var(0).numpy(), scatter.variance.numpy(), rtol=0.1, atol=0.3)
    factors = gg.distributions.LKJCholesky(3, 1.5).sample((20_000,))
    assert gg.distributions.constraints.corr_cholesky.check(factors).all()
    # Each correlation is 2·x - 1 with x ~ Beta(2, 2). (PyTorch's in the third row are wider.)
    squares = (factors @ factors.mT).square().mean(0).numpy()
    np.testing.assert_allclose(squares, np.full((3, 3), 0.2) + 0.8 * np.eye(3), atol=0.01)


@pytest.mark.parametrize("lib", [gg, torch])
def test_matrices_that_do_not_fit_are_refused_as_by_pytorch(lib):
    d = lib.distributions
    with pytest.raises(ValueError, match="Expected dim to be an integer greater than or equal to"):
        d.LKJCholesky(1)
    with pytest.raises(ValueError, match="expected to be greater than ndim - 1 = 2"):
        d.Wishart(1.5, lib.eye(3))
    with pytest.warns(UserWarning, match="Low df values detected"):
        d.Wishart(2.5, lib.eye(3))
    with pytest.raises(AssertionError, match=r"lengths \(3\) must match"):
        d.CatTransform([d.ExpTransform()], lengths=[1, 2, 3])
    with pytest.raises(AssertionError, match="must equal len"):
        d.StackTransform([d.ExpTransform()])(lib.zeros(2))
    with pytest.raises(ValueError, match=r"Please use either \.domain.event_dim"):
        _ = d.CorrCholeskyTransform().event_dim
    with pytest.raises(ValueError, match="cannot be expressed as the lower triangular part"):
        d.CorrCholeskyTransform()(lib.zeros(2))
    c = d.constraints
    asymmetric = lib.tensor([[1.0, 2.0], [0.0, 1.0]])
    for each in (c.square, c.symmetric, c.positive_semidefinite, c.positive_definite):
        assert not each.check(lib.zeros(2, 3))
        assert bool(each.check(lib.eye(2)))
        assert bool(each.check(asymmetric)) == (each is c.square)


@pytest.mark.parametrize("lib", [gg, torch])
def test_exponential_families_know_entropy_and_divergence_by_their_normalizer(lib):
    d = lib.distributions

    class Waiting(d.ExponentialFamily):
        arg_constraints = {}
        _mean_carrier_measure = 0

        def __init__(self, rate):
            self.rate = lib.tensor(rate)
            super().__init__(self.rate.shape, validate_args=False)

        @property
        def _natural_params(self):
            return (-self.rate,)

        def _log_normalizer(self, x):
            return -(-x).log()

    ours, theirs = ([kind([0.5, 2.0]), kind([1.5, 1.0])] for kind in (Waiting, Waiting))
    like = [d.Exponential(each.rate) for each in theirs]
    np.testing.assert_allclose(ours[0].entropy().detach(), like[0].entropy(), rtol=1e-5)
    np.testing.assert_allclose(
        d.kl_divergence(*ours).detach(), d.kl_divergence(*like), rtol=1e-5, atol=1e-6
    )
    scatters = [d.Wishart(df, lib.eye(2)) for df in (3.0, 4.0)]
    assert d.kl_divergence(*scatters).item() == pytest.approx(0.270363, rel=1e-4)
    with pytest.raises(NotImplementedError, match="cross KL-divergence between different"):
        d.kl_divergence(d.Normal(0.0, 1.0), ours[0])


@together
@pytest.mark.parametrize("name", NAMES)
def test_isinstance_answers_as_pytorchs(name):
    bases = ["ExponentialFamily", "TransformedDistribution", "MultivariateNormal", "Gamma"]
    ours, theirs = (
        [
            issubclass(getattr(lib.distributions, name), getattr(lib.distributions, base))
            for base in bases
        ]
        for lib in (gg, torch)
    )
    assert ours == theirs
    assert not issubclass(
        gg.distributions.LowRankMultivariateNormal, gg.distributions.MultivariateNormal
    )
