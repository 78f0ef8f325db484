"""Dropout as modules: they do nothing in evaluation mode."""

from typing import Any

from glassgrad.core.errors import ArgumentError
from glassgrad.nn.applied import Applied


class Dropout(Applied):
    """Elements set to 0 at random; the others grow, so that the expectation stays.

    Args:
        p: how likely an element is set to 0.
        inplace: write the result into the input.

    Raises:
        ArgumentError: if `p` is not from 0 to 1.
    """

    function = "dropout"
    passes_training = True
    p: float = 0.5
    inplace: bool = False

    def keep(self, given: dict[str, Any]) -> None:
        if not 0 <= given["p"] <= 1:
            raise ArgumentError(
                f"dropout probability has to be between 0 and 1, but got {given['p']}. It is how "
                "likely an element is set to 0. Write 0.1 for ten percent."
            )
        super().keep(given)

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout1d(Dropout):
    """`Dropout` of whole channels of sequences."""

    function = "dropout1d"


class Dropout2d(Dropout):
    """`Dropout` of whole channels of images."""

    function = "dropout2d"


class Dropout3d(Dropout):
    """`Dropout` of whole channels of volumes."""

    function = "dropout3d"


class AlphaDropout(Dropout):
    """`Dropout` that keeps mean and variance of what `SELU` makes."""

    function = "alpha_dropout"


class FeatureAlphaDropout(Dropout):
    """`AlphaDropout` of whole channels."""

    function = "feature_alpha_dropout"
