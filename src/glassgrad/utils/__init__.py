"""What surrounds the tape: `utils.data` brings samples to it in batches."""

from glassgrad.utils import data

__all__ = ["data"]
