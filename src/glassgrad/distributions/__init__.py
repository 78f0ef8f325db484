"""Probability distributions: PyTorch's `torch.distributions`.

    Distribution ──▶ sample, rsample     draw values
                 ──▶ log_prob, cdf       how likely they are
                 ──▶ mean, entropy …     what is known of all of them

Each is a few formulas on tensors, so that gradients go to the parameters. `Independent` and
`TransformedDistribution` make new ones of those that are there, `kl_divergence` compares two.
"""

import sys

from . import (
    bernoulli,
    categorical,
    constraints,
    distribution,
    gamma,
    independent,
    kl,
    normal,
    transforms,
    uniform,
    utils,
)
from .bernoulli import Bernoulli, Binomial, Geometric, Poisson
from .categorical import (
    Categorical,
    Multinomial,
    OneHotCategorical,
    OneHotCategoricalStraightThrough,
)
from .distribution import Distribution
from .gamma import Beta, Chi2, Dirichlet, Exponential, Gamma, StudentT
from .independent import Independent
from .kl import kl_divergence, register_kl
from .normal import HalfNormal, LogNormal, MultivariateNormal, Normal
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
from .uniform import Cauchy, Gumbel, Laplace, Uniform

# PyTorch has a file for each distribution, and programs import from there.
_files = {
    bernoulli: "binomial geometric poisson",
    categorical: "multinomial one_hot_categorical",
    gamma: "beta chi2 dirichlet exponential studentT",
    normal: "half_normal log_normal multivariate_normal",
    transforms: "transformed_distribution",
    uniform: "cauchy gumbel laplace",
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
