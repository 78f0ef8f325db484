"""`torch.utils`: `data` brings samples to the tape in batches, `checkpoint` lets it recompute."""

from glassgrad.utils import checkpoint, data

__all__ = ["checkpoint", "data"]
