"""Losses as modules; the functions of `nn.functional` say what they compute.

All have a `reduction`: "mean", "sum" or "none". `size_average` and `reduce` are what PyTorch had
before it.
"""

from collections.abc import Callable
from typing import Any

from glassgrad.core.tensor import Tensor
from glassgrad.nn.applied import Applied
from glassgrad.nn.distance import PairwiseDistance
from glassgrad.ops.losses import chosen_reduction


class Loss(Applied):
    """The base class of losses of an input and a target."""

    size_average: bool | None = None
    reduce: bool | None = None
    reduction: str = "mean"

    def keep(self, given: dict[str, Any]) -> None:
        old = given.pop("size_average", None), given.pop("reduce", None)
        if old != (None, None):
            given["reduction"] = chosen_reduction(given["reduction"], *old)
        super().keep(given)

    def extra_repr(self) -> str:
        return ""


class WeightedLoss(Loss):
    """The base class of losses that programs derive from one, with a weight for each class."""

    weight: Tensor | None = None
    size_average: bool | None = None
    reduce: bool | None = None
    reduction: str = "mean"


class L1Loss(Loss):
    """The mean distance."""

    function = "l1_loss"
    size_average: bool | None = None
    reduce: bool | None = None
    reduction: str = "mean"


class MSELoss(Loss):
    """The mean squared distance."""

    function = "mse_loss"
    size_average: bool | None = None
    reduce: bool | None = None
    reduction: str = "mean"


class SmoothL1Loss(Loss):
    """The distance, rounded off where it is below `beta`."""

    function = "smooth_l1_loss"
    size_average: bool | None = None
    reduce: bool | None = None
    reduction: str = "mean"
    beta: float = 1.0


class HuberLoss(Loss):
    """Half the squared distance where that is below `delta`; from there on a line."""

    function = "huber_loss"
    reduction: str = "mean"
    delta: float = 1.0


class CrossEntropyLoss(Loss):
    """-log of the probability that softmax gives to the right class.

    Args:
        weight: of each class, shape `(C,)`; None: 1 each.
        size_average, reduce: what PyTorch had before `reduction`.
        ignore_index: a label whose rows do not count.
        reduction: "mean", "sum" or "none".
        label_smoothing: the share of every class in a softened target, from 0 to 1.

    Example:
        >>> CrossEntropyLoss()(tensor([[0.0, 0.0]]), tensor([1]))
        tensor(0.6931)
    """

    function = "cross_entropy"
    weight: Tensor | None = None
    size_average: bool | None = None
    ignore_index: int = -100
    reduce: bool | None = None
    reduction: str = "mean"
    label_smoothing: float = 0.0


class NLLLoss(Loss):
    """-input at the right class, for an input that `LogSoftmax` made."""

    function = "nll_loss"
    weight: Tensor | None = None
    size_average: bool | None = None
    ignore_index: int = -100
    reduce: bool | None = None
    reduction: str = "mean"


class BCELoss(Loss):
    """The cross-entropy of probabilities of yes."""

    function = "binary_cross_entropy"
    weight: Tensor | None = None
    size_average: bool | None = None
    reduce: bool | None = None
    reduction: str = "mean"


class BCEWithLogitsLoss(Loss):
    """`BCELoss` of `Sigmoid`, without overflow."""

    function = "binary_cross_entropy_with_logits"
    weight: Tensor | None = None
    size_average: bool | None = None
    reduce: bool | None = None
    reduction: str = "mean"
    pos_weight: Tensor | None = None


class KLDivLoss(Loss):
    """How much the probabilities of the target say that those of the input do not."""

    function = "kl_div"
    size_average: bool | None = None
    reduce: bool | None = None
    reduction: str = "mean"
    log_target: bool = False


class PoissonNLLLoss(Loss):
    """-log of the probability of counts, of Poisson distributions."""

    function = "poisson_nll_loss"
    log_input: bool = True
    full: bool = False
    size_average: bool | None = None
    eps: float = 1e-8
    reduce: bool | None = None
    reduction: str = "mean"


class CTCLoss(Loss):
    """-log of the probability that a sequence of outputs spells its target."""

    function = "ctc_loss"
    blank: int = 0
    reduction: str = "mean"
    zero_infinity: bool = False


class GaussianNLLLoss(Loss):
    """-log of the density of the target, of normal distributions."""

    function = "gaussian_nll_loss"
    full: bool = False
    eps: float = 1e-6
    reduction: str = "mean"


class HingeEmbeddingLoss(Loss):
    """A distance where two things are alike; where they are not, what it lacks of a margin."""

    function = "hinge_embedding_loss"
    margin: float = 1.0
    size_average: bool | None = None
    reduce: bool | None = None
    reduction: str = "mean"


class SoftMarginLoss(Loss):
    """`log(1 + exp(-target·input))`."""

    function = "soft_margin_loss"
    size_average: bool | None = None
    reduce: bool | None = None
    reduction: str = "mean"


class MultiLabelMarginLoss(Loss):
    """By how much scores of wrong classes come too close to those of the right ones."""

    function = "multilabel_margin_loss"
    size_average: bool | None = None
    reduce: bool | None = None
    reduction: str = "mean"


class MultiLabelSoftMarginLoss(Loss):
    """Binary cross-entropy of the scores of several labels."""

    function = "multilabel_soft_margin_loss"
    weight: Tensor | None = None
    size_average: bool | None = None
    reduce: bool | None = None
    reduction: str = "mean"


class MultiMarginLoss(Loss):
    """By how much scores of wrong classes come too close to that of the right one."""

    function = "multi_margin_loss"
    p: int = 1
    margin: float = 1.0
    weight: Tensor | None = None
    size_average: bool | None = None
    reduce: bool | None = None
    reduction: str = "mean"


class MarginRankingLoss(Loss):
    """How much is missing until one score is larger than the other by a margin."""

    function = "margin_ranking_loss"
    margin: float = 0.0
    size_average: bool | None = None
    reduce: bool | None = None
    reduction: str = "mean"


class CosineEmbeddingLoss(MarginRankingLoss):
    """What the cosine between vectors lacks of 1 where they are alike; else what is too much."""

    function = "cosine_embedding_loss"


class TripletMarginLoss(Loss):
    """How much is missing until something alike is nearer by a margin than something else."""

    function = "triplet_margin_loss"
    margin: float = 1.0
    p: float = 2.0
    eps: float = 1e-6
    swap: bool = False
    size_average: bool | None = None
    reduce: bool | None = None
    reduction: str = "mean"


class TripletMarginWithDistanceLoss(Loss):
    """`TripletMarginLoss` with any distance; None: a `PairwiseDistance`."""

    function = "triplet_margin_with_distance_loss"
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None
    margin: float = 1.0
    swap: bool = False
    reduction: str = "mean"

    def keep(self, given: dict[str, Any]) -> None:
        given["distance_function"] = given["distance_function"] or PairwiseDistance()
        super().keep(given)
