"""Distances between rows as modules."""

from glassgrad.nn.applied import Applied


class CosineSimilarity(Applied):
    """The cosine of the angle between vectors along `dim`."""

    function = "cosine_similarity"
    dim: int = 1
    eps: float = 1e-8

    def extra_repr(self) -> str:
        return ""


class PairwiseDistance(Applied):
    """The norm of the difference between vectors along the last dim."""

    function = "pairwise_distance"
    p: float = 2.0
    eps: float = 1e-6
    keepdim: bool = False

    def extra_repr(self) -> str:
        return ""
