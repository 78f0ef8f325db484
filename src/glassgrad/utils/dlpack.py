"""`torch.utils.dlpack`: memory shared with other libraries, by the names that it had first."""

from typing import Any

from glassgrad.core.tensor import Tensor
from glassgrad.ops.conversion import dlpack_capsule
from glassgrad.ops.creation import from_dlpack

__all__ = ["from_dlpack", "to_dlpack"]


def to_dlpack(tensor: Tensor) -> Any:
    """A capsule with the memory of a tensor, for another library's `from_dlpack`."""
    return dlpack_capsule(tensor)
