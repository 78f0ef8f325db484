"""Probability distributions: PyTorch's `torch.distributions`.

    Distribution ──▶ sample, rsample     draw values
                 ──▶ log_prob, cdf       how likely they are
                 ──▶ mean, entropy …     what is known of all of them

Each is a few formulas on tensors, so that gradients go to the parameters. `Independent` and
`TransformedDistribution` make new ones of those that are there, `kl_divergence` compares two.
"""

import sys

from glassgrad.missing import missing_from as _missing_from

from . import (
    constraint_registry,
    constraints,
    continuous,
    discrete,
    distribution,
    kl,
    matrices,
    mixed,
    transforms,
    utils,
)
from .constraint_registry import biject_to, transform_to
from .continuous import *
from .discrete import *
from .distribution import *
from .kl import *
from .matrices import *
from .mixed import *
from .transforms import *

independent = distribution

# PyTorch has a file for each distribution, and programs import from there.
_files = {
    continuous: "beta cauchy chi2 continuous_bernoulli dirichlet exponential fishersnedecor gamma "
    "generalized_pareto gumbel half_cauchy half_normal inverse_gamma kumaraswamy laplace "
    "log_normal lowrank_multivariate_normal multivariate_normal normal pareto studentT uniform "
    "von_mises weibull",
    distribution: "exp_family independent",
    discrete: "bernoulli binomial categorical geometric multinomial negative_binomial "
    "one_hot_categorical poisson",
    matrices: "lkj_cholesky wishart",
    mixed: "logistic_normal mixture_same_family relaxed_bernoulli relaxed_categorical",
    transforms: "transformed_distribution",
}
for _home, _names in _files.items():
    for _name in _names.split():
        globals()[_name] = sys.modules[f"{__name__}.{_name}"] = _home

__all__ = [
    "biject_to",
    "constraint_registry",
    "constraints",
    "distribution",
    "independent",
    "kl",
    "transform_to",
    "transforms",
    "utils",
    *continuous.__all__,
    *discrete.__all__,
    *distribution.__all__,
    *kl.__all__,
    *matrices.__all__,
    *mixed.__all__,
    *transforms.__all__,
]

__getattr__ = _missing_from(__name__)
