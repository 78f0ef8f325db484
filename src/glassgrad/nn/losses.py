"""Losses as modules, and distances; `nn.functional` says what they compute.

All losses have a `reduction`: "mean", "sum" or "none". `size_average` and `reduce` are what PyTorch
had before it.
"""

from typing import Any

from glassgrad.nn.applied import Applied
from glassgrad.ops import _checks as check
from glassgrad.ops._arguments import chosen_reduction


class _Loss(Applied, of="soft_margin_loss"):
    """The base class of losses of an input and a target."""

    _shown = ()

    def _build(self, given: dict[str, Any]) -> None:
        old = given.pop("size_average", None), given.pop("reduce", None)
        if old != (None, None):
            given["reduction"] = chosen_reduction(given["reduction"], *old)
        super()._build(given)


class _WeightedLoss(_Loss, of="multilabel_soft_margin_loss"):
    """The base class of losses that programs write, with a weight for each class."""


class L1Loss(_Loss, of="l1_loss"):
    """The mean distance."""

    _names = ("size_average", "reduce", "reduction")


class MSELoss(_Loss, of="mse_loss"):
    """The mean squared distance."""

    _names = ("size_average", "reduce", "reduction")


class SmoothL1Loss(_Loss, of="smooth_l1_loss"):
    """The distance, rounded off where it is below `beta`."""


class HuberLoss(_Loss, of="huber_loss"):
    """Half the squared distance where that is below `delta`; from there on a line."""

    _names = ("reduction", "delta")

    def _build(self, given: dict[str, Any]) -> None:
        why = "It is a distance. Write a positive number."
        check.kind("delta must be a float or int, got:", given["delta"], float | int, why)
        super()._build(given)


class CrossEntropyLoss(_Loss, of="cross_entropy"):
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


class NLLLoss(_Loss, of="nll_loss"):
    """-input at the right class, for an input that `LogSoftmax` made."""


class BCELoss(_Loss, of="binary_cross_entropy"):
    """The cross-entropy of probabilities of yes."""


class BCEWithLogitsLoss(_Loss, of="binary_cross_entropy_with_logits"):
    """`BCELoss` of `Sigmoid`, without overflow."""


class KLDivLoss(_Loss, of="kl_div"):
    """How much the probabilities of the target say that those of the input do not."""


class PoissonNLLLoss(_Loss, of="poisson_nll_loss"):
    """-log of the probability of counts, of Poisson distributions."""


class CTCLoss(_Loss, of="ctc_loss"):
    """-log of the probability that a sequence of outputs spells its target."""


class GaussianNLLLoss(_Loss, of="gaussian_nll_loss"):
    """-log of the density of the target, of normal distributions."""


class HingeEmbeddingLoss(_Loss, of="hinge_embedding_loss"):
    """A distance where two things are alike; where they are not, what it lacks of a margin."""


class SoftMarginLoss(_Loss, of="soft_margin_loss"):
    """`log(1 + exp(-target·input))`."""


class MultiLabelMarginLoss(_Loss, of="multilabel_margin_loss"):
    """By how much scores of wrong classes come too close to those of the right ones."""


class MultiLabelSoftMarginLoss(_Loss, of="multilabel_soft_margin_loss"):
    """Binary cross-entropy of the scores of several labels."""


class MultiMarginLoss(_Loss, of="multi_margin_loss"):
    """By how much scores of wrong classes come too close to that of the right one."""


class MarginRankingLoss(_Loss, of="margin_ranking_loss", margin=0.0):
    """How much is missing until one score is larger than the other by a margin."""


class CosineEmbeddingLoss(MarginRankingLoss, of="cosine_embedding_loss"):
    """What the cosine between vectors lacks of 1 where they are alike; else what is too much."""


class TripletMarginLoss(_Loss, of="triplet_margin_loss", p=2.0):
    """How much is missing until something alike is nearer by a margin than something else."""


class TripletMarginWithDistanceLoss(_Loss, of="triplet_margin_with_distance_loss"):
    """`TripletMarginLoss` with any distance; None: a `PairwiseDistance`."""

    def _build(self, given: dict[str, Any]) -> None:
        given["distance_function"] = given["distance_function"] or PairwiseDistance()
        super()._build(given)


# Distances ----------------------------------------------------------------------------------------


class CosineSimilarity(Applied, of="cosine_similarity"):
    """The cosine of the angle between vectors along `dim`."""

    _shown = ()


class PairwiseDistance(Applied, of="pairwise_distance"):
    """The norm of the difference between vectors along the last dim."""

    _shown = ()
