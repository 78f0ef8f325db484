"""A planar arm of two links, and a disc in its way.

    angles  q = (q₁, q₂)          q₂ is measured from the first link on
    elbow   e = ℓ₁ (cos q₁, sin q₁)
    tip     t = e + ℓ₂ (cos(q₁ + q₂), sin(q₁ + q₂))

All is made of differentiable ops, so that a gradient at a point of the arm arrives at the angles.
"""

from dataclasses import dataclass

from glassgrad.core.tensor import Tensor
from glassgrad.ops import zeros_like
from glassgrad.ops.creation import arange, tensor
from glassgrad.ops.elementary import cos, sin
from glassgrad.ops.joining import cat, stack


@dataclass(frozen=True, slots=True)
class Arm:
    """Two links, the first of which turns about the origin.

    Args:
        lengths: of the two links, in metres.

    Example:
        >>> Arm((2.0, 1.0)).corners(tensor([0.0, 0.0]))
        tensor([[0., 0.],
                [2., 0.],
                [3., 0.]])
    """

    lengths: tuple[float, float]

    def corners(self, q: Tensor) -> Tensor:
        """Base, elbow and tip.

        Args:
            q: angles in radians, `(…, 2)`.

        Returns:
            Tensor of shape `(…, 3, 2)`.
        """
        upper, lower = self._links(q)
        return stack([zeros_like(upper), upper, upper + lower], -2)

    def points(self, q: Tensor, per_link: int) -> Tensor:
        """Points along the links, evenly spaced, the last of each link at its end.

        Args:
            q: angles in radians, `(…, 2)`.
            per_link: how many of them on each link.

        Returns:
            Tensor of shape `(…, 2·per_link, 2)`.
        """
        upper, lower = (link.unsqueeze(-2) for link in self._links(q))
        along = (arange(1, per_link + 1, dtype=q.dtype) / per_link).unsqueeze(-1)
        return cat([along * upper, upper + along * lower], -2)

    def _links(self, q: Tensor) -> tuple[Tensor, Tensor]:
        """Each link as a vector `(…, 2)`."""
        first = q[..., 0]
        second = first + q[..., 1]
        upper, lower = (
            length * stack([cos(angle), sin(angle)], -1)
            for length, angle in zip(self.lengths, (first, second), strict=True)
        )
        return upper, lower


@dataclass(frozen=True, slots=True)
class Disc:
    """What the arm must not touch.

    Args:
        center, radius: in metres.

    Example:
        >>> Disc((0.0, 3.0), 1.0).clearance(tensor([[4.0, 0.0], [0.0, 3.5]]))
        tensor([ 4.0000, -0.5000])
    """

    center: tuple[float, float]
    radius: float

    def clearance(self, points: Tensor) -> Tensor:
        """How far points are from the rim; negative inside.

        At the very centre, where each way out is as short as another, there is no gradient (nan).

        Args:
            points: `(…, 2)`.

        Returns:
            Tensor of shape `(…)`.
        """
        away = points - tensor(self.center, dtype=points.dtype)
        clearance: Tensor = (away * away).sum(-1).sqrt() - self.radius
        return clearance
