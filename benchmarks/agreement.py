"""Whether contenders computed the same: nobody is timed for a different answer."""

from collections.abc import Sequence
from typing import Any

import numpy as np


def as_arrays(outcome: Any) -> list[np.ndarray]:
    """Tensors, arrays and numbers of any library, copied to float64 arrays."""
    if isinstance(outcome, (list, tuple)):
        return [array for part in outcome for array in as_arrays(part)]
    if hasattr(outcome, "detach"):
        outcome = outcome.detach().numpy()
    elif hasattr(outcome, "null_grad"):  # a MyGrad tensor
        outcome = outcome.data
    return [np.array(outcome, dtype=np.float64)]


def agree(outcome: Sequence[np.ndarray], expected: Sequence[np.ndarray], *, tolerance: float):
    """Compare arrays one by one.

    Args:
        outcome, expected: as many arrays each, of the same shapes.
        tolerance: how far entries may differ, relative to the largest entry of the array.

    Raises:
        ValueError: naming the array that differs, and by how much.
    """
    if len(outcome) != len(expected):
        raise ValueError(f"got {len(outcome)} arrays where the baseline has {len(expected)}")
    for position, (got, want) in enumerate(zip(outcome, expected, strict=True)):
        if got.shape != want.shape:
            raise ValueError(f"array {position} has shape {got.shape}, the baseline's {want.shape}")
        largest = np.abs(want).max(initial=0.0)
        error = np.abs(got - want).max(initial=0.0)
        if not error <= tolerance * largest:  # also when either is nan
            raise ValueError(
                f"array {position} is off by {error:.2g} where its largest entry is {largest:.3g}"
            )
