"""Probability distributions: PyTorch's `torch.distributions`.

    Distribution ──▶ sample, rsample     draw values
                 ──▶ log_prob, cdf       how likely they are
                 ──▶ mean, entropy …     what is known of all of them

Each is a few formulas on tensors, so that gradients go to the parameters. `Independent` and
`TransformedDistribution` make new ones of those that are there, `kl_divergence` compares two.
"""

import sys

from . import constraints, continuous, discrete, distribution, kl, transforms, utils
from .continuous import (
    Beta,
    Cauchy,
    Chi2,
    Dirichlet,
    Exponential,
    Gamma,
    Gumbel,
    HalfNormal,
    Laplace,
    LogNormal,
    MultivariateNormal,
    Normal,
    StudentT,
    Uniform,
)
from .discrete import (
    Bernoulli,
    Binomial,
    Categorical,
    Geometric,
    Multinomial,
    OneHotCategorical,
    OneHotCategoricalStraightThrough,
    Poisson,
)
from .distribution import Distribution, Independent
from .kl import kl_divergence, register_kl
from .transforms import (
    AbsTransform,
    AffineTransform,
    ComposeTransform,
    ExpTransform,
    PowerTransform,
    SigmoidTransform,
    SoftplusTransform,
    TanhTransform,
    Transform,
    TransformedDistribution,
    identity_transform,
)

independent = distribution

# PyTorch has a file for each distribution, and programs import from there.
_files = {
    continuous: "beta cauchy chi2 dirichlet exponential gamma gumbel half_normal laplace "
    "log_normal multivariate_normal normal studentT uniform",
    distribution: "independent",
    discrete: "bernoulli binomial categorical geometric multinomial one_hot_categorical poisson",
    transforms: "transformed_distribution",
}
for _home, _names in _files.items():
    for _name in _names.split():
        globals()[_name] = sys.modules[f"{__name__}.{_name}"] = _home

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "Bernoulli",
    "Beta",
    "Binomial",
    "Categorical",
    "Cauchy",
    "Chi2",
    "ComposeTransform",
    "Dirichlet",
    "Distribution",
    "ExpTransform",
    "Exponential",
    "Gamma",
    "Geometric",
    "Gumbel",
    "HalfNormal",
    "Independent",
    "Laplace",
    "LogNormal",
    "Multinomial",
    "MultivariateNormal",
    "Normal",
    "OneHotCategorical",
    "OneHotCategoricalStraightThrough",
    "Poisson",
    "PowerTransform",
    "SigmoidTransform",
    "SoftplusTransform",
    "StudentT",
    "TanhTransform",
    "Transform",
    "TransformedDistribution",
    "Uniform",
    "constraints",
    "distribution",
    "identity_transform",
    "independent",
    "kl",
    "kl_divergence",
    "register_kl",
    "transforms",
    "utils",
]
