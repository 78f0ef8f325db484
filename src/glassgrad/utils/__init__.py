"""What surrounds the tape.

`utils.data` brings samples to it in batches; `utils.checkpoint` lets it forget and recompute.
"""

from glassgrad.utils import checkpoint, data

__all__ = ["checkpoint", "data"]
