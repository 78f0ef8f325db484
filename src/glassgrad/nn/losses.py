"""Losses as modules, and distances; `nn.functional` says what they compute.

All losses have a `reduction`: "mean", "sum" or "none". `size_average` and `reduce` are what PyTorch
had before it.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from glassgrad import ops
from glassgrad.core.errors import ArgumentError, ShapeError
from glassgrad.core.tensor import Tensor
from glassgrad.memory.calls import warn
from glassgrad.nn.applied import Applied
from glassgrad.nn.containers import ModuleList, Sequential
from glassgrad.nn.functional import log_softmax
from glassgrad.nn.layers import Linear
from glassgrad.nn.module import Module
from glassgrad.ops import _checks as check
from glassgrad.ops._arguments import chosen_reduction


class _Loss(Applied, of="soft_margin_loss"):
    """The base class of losses of an input and a target."""

    _in_repr = ()

    def _build(self, given: dict[str, Any]) -> None:
        old = given.pop("size_average", None), given.pop("reduce", None)
        if any(isinstance(each, Tensor) and each.numel() > 1 for each in old):
            name = type(self).__name__
            raise ShapeError(
                f"Boolean value of Tensor with more than one value is ambiguous: {name} was made "
                f"with tensors. It is a module, made first and then called. Write "
                f"`{name}()(input, target)`."
            )
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


class NLLLoss2d(NLLLoss):
    """The older name of `NLLLoss`, which says so."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warn(
            "`NLLLoss2d` has been deprecated. Please use `NLLLoss` instead as a drop-in "
            "replacement and see https://pytorch.org/docs/main/nn.html#torch.nn.NLLLoss for more "
            "details.",
            FutureWarning,
        )
        super().__init__(*args, **kwargs)


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


class CosineEmbeddingLoss(_Loss, of="cosine_embedding_loss", margin=0.0):
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

    _in_repr = ()


class PairwiseDistance(Applied, of="pairwise_distance"):
    """The norm of the difference between vectors along the last dim."""

    _in_repr = ()


class _ASMoutput(NamedTuple):
    """What `AdaptiveLogSoftmaxWithLoss` returns."""

    output: Tensor
    loss: Tensor


class AdaptiveLogSoftmaxWithLoss(Module):
    """The log-probabilities of targets among many classes, of which the last ones are rare.

    The first classes have an entry each in the head, the others one for each cluster of them; what
    is in a cluster is asked only for the examples whose target is in it.

    Args:
        in_features: n, the size of an input.
        n_classes: how many classes, frequent ones first.
        cutoffs: where clusters begin.
        div_value: how many times smaller the inner size of each cluster is than that before.
        head_bias: whether the head adds a bias.
        device, dtype: of the parameters.

    Returns:
        `(output, loss)` for an input of shape `(N, n)` and a target `(N,)`: the log-probabilities
        of the targets, `(N,)`, and minus their mean. Also for `(n,)` and `()`.

    Raises:
        ArgumentError: for cutoffs that do not rise from 1 to n_classes - 1.
        ShapeError: for other shapes, or a target that is no class.

    Example:
        >>> loss = AdaptiveLogSoftmaxWithLoss(8, 20, [5, 10])
        >>> loss(ones(3, 8), tensor([0, 7, 19])).output.shape
        glassgrad.Size([3])

    See also: Grave et al., *Efficient softmax approximation for GPUs* (2017).
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        ends = [0, *cutoffs, n_classes]
        if not cutoffs or any(int(n) != n for n in cutoffs) or ends != sorted(set(ends)):
            raise ArgumentError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing "
                f"order, where each value is between 1 and n_classes-1, got {list(cutoffs)} of "
                f"{n_classes} classes. They say where clusters begin. Write some, such as [10]."
            )
        self.in_features, self.n_classes, self.cutoffs = in_features, n_classes, ends[1:]
        self.div_value, self.head_bias = div_value, head_bias
        self.shortlist_size, self.n_clusters = ends[1], len(cutoffs)
        self.head_size = self.shortlist_size + self.n_clusters
        form = {"device": device, "dtype": dtype}
        self.head = Linear(in_features, self.head_size, head_bias, **form)
        self.tail = ModuleList()
        for i in range(self.n_clusters):
            inner, outer = int(in_features // div_value ** (i + 1)), ends[i + 2] - ends[i + 1]
            first = Linear(in_features, inner, False, **form)
            self.tail.append(Sequential(first, Linear(inner, outer, False, **form)))

    def reset_parameters(self) -> None:
        """Draw all parameters anew."""
        for module in self.modules():
            if isinstance(module, Linear):
                module.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor) -> _ASMoutput:
        if target_.ndim > 1 or input_.shape[:-1] != target_.shape or not input_.ndim:
            raise ShapeError(
                "0D or 1D target tensor expected, multi-target not supported; input and target "
                "should have the same size in the batch dimension: got the shapes "
                f"{tuple(input_.shape)} and {tuple(target_.shape)}. There is one class for each "
                "row. Reshape them to (N, n) and (N,)."
            )
        x, target = input_.reshape(-1, self.in_features), target_.reshape(-1)
        low, high = int(target.min()), int(target.max())
        if low < 0 or high >= self.n_classes:
            raise ShapeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                f"[{low}, {high}] were found. They are classes. Make the module for as many."
            )
        entry, output = target.clone(), x.new_zeros(len(x))
        for i, tail in enumerate(self.tail):
            first = self.cutoffs[i]
            rows = ((target >= first) & (target < self.cutoffs[i + 1])).nonzero()[:, 0]
            if len(rows):
                entry[rows] = self.shortlist_size + i
                inside = log_softmax(tail(x[rows]), 1).gather(1, (target[rows] - first)[:, None])
                output = output.index_add(0, rows, inside[:, 0])
        output = output + log_softmax(self.head(x), 1).gather(1, entry[:, None])[:, 0]
        return _ASMoutput(output.reshape(target_.shape), -output.mean())

    def log_prob(self, input: Tensor) -> Tensor:
        """The log-probabilities of all classes, `(N, n_classes)`."""
        head = log_softmax(self.head(input), 1)
        inside = [log_softmax(tail(input), 1) for tail in self.tail]
        outside = head[:, self.shortlist_size :].split(1, 1)
        pairs = zip(inside, outside, strict=True)
        return ops.cat(
            [head[:, : self.shortlist_size], *[part + entry for part, entry in pairs]], 1
        )

    def predict(self, input: Tensor) -> Tensor:
        """The likeliest class of each example; clusters are looked into where one is likeliest."""
        found: Tensor = self.head(input).argmax(1)
        rows = (found >= self.shortlist_size).nonzero()[:, 0]
        if len(rows):
            found[rows] = self.log_prob(input[rows]).argmax(1)
        return found
