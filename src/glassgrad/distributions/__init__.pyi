# Written by `make stubs` (docs/stubs.py) from what the files of `distributions` define. Do not edit.
"""Probability distributions: PyTorch's `torch.distributions`.

    Distribution ──▶ sample, rsample     draw values
                 ──▶ log_prob, cdf       how likely they are
                 ──▶ mean, entropy …     what is known of all of them

Each is a few formulas on tensors, so that gradients go to the parameters. `Independent` and
`TransformedDistribution` make new ones of those that are there, `kl_divergence` compares two.

What is here are the distributions and transforms that these files define. `make stubs` writes them
down in `__init__.pyi` for editors and mypy.
"""

from glassgrad.distributions import constraint_registry as constraint_registry
from glassgrad.distributions import constraints as constraints
from glassgrad.distributions import distribution as distribution
from glassgrad.distributions import distribution as independent
from glassgrad.distributions import kl as kl
from glassgrad.distributions import transforms as transforms
from glassgrad.distributions import utils as utils
from glassgrad.distributions.constraint_registry import biject_to as biject_to
from glassgrad.distributions.constraint_registry import transform_to as transform_to
from glassgrad.distributions.continuous import Beta as Beta
from glassgrad.distributions.continuous import Cauchy as Cauchy
from glassgrad.distributions.continuous import Chi2 as Chi2
from glassgrad.distributions.continuous import Dirichlet as Dirichlet
from glassgrad.distributions.continuous import Exponential as Exponential
from glassgrad.distributions.continuous import Gamma as Gamma
from glassgrad.distributions.continuous import Gumbel as Gumbel
from glassgrad.distributions.continuous import HalfCauchy as HalfCauchy
from glassgrad.distributions.continuous import HalfNormal as HalfNormal
from glassgrad.distributions.continuous import InverseGamma as InverseGamma
from glassgrad.distributions.continuous import Laplace as Laplace
from glassgrad.distributions.continuous import LogNormal as LogNormal
from glassgrad.distributions.continuous import LowRankMultivariateNormal as LowRankMultivariateNormal
from glassgrad.distributions.continuous import MultivariateNormal as MultivariateNormal
from glassgrad.distributions.continuous import Normal as Normal
from glassgrad.distributions.continuous import Pareto as Pareto
from glassgrad.distributions.continuous import StudentT as StudentT
from glassgrad.distributions.continuous import Uniform as Uniform
from glassgrad.distributions.continuous import VonMises as VonMises
from glassgrad.distributions.continuous import Weibull as Weibull
from glassgrad.distributions.discrete import Bernoulli as Bernoulli
from glassgrad.distributions.discrete import Binomial as Binomial
from glassgrad.distributions.discrete import Categorical as Categorical
from glassgrad.distributions.discrete import Geometric as Geometric
from glassgrad.distributions.discrete import Multinomial as Multinomial
from glassgrad.distributions.discrete import NegativeBinomial as NegativeBinomial
from glassgrad.distributions.discrete import OneHotCategorical as OneHotCategorical
from glassgrad.distributions.discrete import OneHotCategoricalStraightThrough as OneHotCategoricalStraightThrough
from glassgrad.distributions.discrete import Poisson as Poisson
from glassgrad.distributions.distribution import Distribution as Distribution
from glassgrad.distributions.distribution import Independent as Independent
from glassgrad.distributions.kl import kl_divergence as kl_divergence
from glassgrad.distributions.kl import register_kl as register_kl
from glassgrad.distributions.mixed import ExpRelaxedCategorical as ExpRelaxedCategorical
from glassgrad.distributions.mixed import LogisticNormal as LogisticNormal
from glassgrad.distributions.mixed import LogitRelaxedBernoulli as LogitRelaxedBernoulli
from glassgrad.distributions.mixed import MixtureSameFamily as MixtureSameFamily
from glassgrad.distributions.mixed import RelaxedBernoulli as RelaxedBernoulli
from glassgrad.distributions.mixed import RelaxedOneHotCategorical as RelaxedOneHotCategorical
from glassgrad.distributions.transforms import AbsTransform as AbsTransform
from glassgrad.distributions.transforms import AffineTransform as AffineTransform
from glassgrad.distributions.transforms import ComposeTransform as ComposeTransform
from glassgrad.distributions.transforms import CumulativeDistributionTransform as CumulativeDistributionTransform
from glassgrad.distributions.transforms import ExpTransform as ExpTransform
from glassgrad.distributions.transforms import IndependentTransform as IndependentTransform
from glassgrad.distributions.transforms import LowerCholeskyTransform as LowerCholeskyTransform
from glassgrad.distributions.transforms import PositiveDefiniteTransform as PositiveDefiniteTransform
from glassgrad.distributions.transforms import PowerTransform as PowerTransform
from glassgrad.distributions.transforms import ReshapeTransform as ReshapeTransform
from glassgrad.distributions.transforms import SigmoidTransform as SigmoidTransform
from glassgrad.distributions.transforms import SoftmaxTransform as SoftmaxTransform
from glassgrad.distributions.transforms import SoftplusTransform as SoftplusTransform
from glassgrad.distributions.transforms import StickBreakingTransform as StickBreakingTransform
from glassgrad.distributions.transforms import TanhTransform as TanhTransform
from glassgrad.distributions.transforms import Transform as Transform
from glassgrad.distributions.transforms import TransformedDistribution as TransformedDistribution
from glassgrad.distributions.transforms import identity_transform as identity_transform


__all__ = [
    "biject_to",
    "constraint_registry",
    "constraints",
    "distribution",
    "identity_transform",
    "independent",
    "kl",
    "kl_divergence",
    "register_kl",
    "transform_to",
    "transforms",
    "utils",
    "Distribution",
    "Independent",
    "Uniform",
    "Laplace",
    "Cauchy",
    "Gumbel",
    "Normal",
    "LogNormal",
    "HalfNormal",
    "HalfCauchy",
    "MultivariateNormal",
    "LowRankMultivariateNormal",
    "Gamma",
    "Chi2",
    "Exponential",
    "Dirichlet",
    "Beta",
    "StudentT",
    "InverseGamma",
    "Pareto",
    "Weibull",
    "VonMises",
    "Bernoulli",
    "Geometric",
    "Binomial",
    "NegativeBinomial",
    "Poisson",
    "Categorical",
    "OneHotCategorical",
    "OneHotCategoricalStraightThrough",
    "Multinomial",
    "MixtureSameFamily",
    "LogitRelaxedBernoulli",
    "ExpRelaxedCategorical",
    "RelaxedBernoulli",
    "RelaxedOneHotCategorical",
    "LogisticNormal",
    "Transform",
    "ComposeTransform",
    "ExpTransform",
    "PowerTransform",
    "SigmoidTransform",
    "SoftplusTransform",
    "TanhTransform",
    "AbsTransform",
    "AffineTransform",
    "IndependentTransform",
    "ReshapeTransform",
    "SoftmaxTransform",
    "StickBreakingTransform",
    "LowerCholeskyTransform",
    "PositiveDefiniteTransform",
    "CumulativeDistributionTransform",
    "TransformedDistribution",
]
