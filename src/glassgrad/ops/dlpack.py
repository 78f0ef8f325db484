"""Sharing memory with other libraries by DLPack: `torch.from_dlpack(x)`, `from_dlpack(array)`.

See also: https://dmlc.github.io/dlpack/latest/python_spec.html
"""

from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentTypeError, TransformError
from glassgrad.core.tensor import Tensor
from glassgrad.values.backend import CPU, CPU_BACKEND, backend_for
from glassgrad.values.layers import Layer, fresh

from ._data import array_from
from ._reduce import array_of

__all__ = ["dlpack_capsule", "dlpack_device", "from_dlpack"]

_CPU_DEVICE_TYPE = 1


def dlpack_capsule(
    input: Tensor,
    *,
    stream: Any = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """`x.__dlpack__()`: a capsule with the memory of `input`, for the library that asked.

    Args:
        input: tensor that does not require grad.
        stream, max_version, dl_device, copy: what the protocol defines.

    Raises:
        BufferError: if `input` requires grad: writes and gradients would go unseen.
        TransformError: if it is seen by a transform.
    """
    if input.requires_grad:
        raise BufferError(
            "Can't export tensors that require gradient, use tensor.detach(). Nobody would see "
            "what the other library writes, or give it a gradient."
        )
    if isinstance(input.payload, Layer):
        raise TransformError(
            "Cannot access data pointer of Tensor that doesn't have storage: a tensor of shape "
            f"{list(input.shape)} that is seen by a transform is nothing to another library. "
            "Return it, and export the result."
        )
    options = {"max_version": max_version, "dl_device": dl_device, "copy": copy}
    asked = {name: value for name, value in options.items() if value is not None}
    on_cpu = input.device == CPU
    return input.payload.__dlpack__(stream=None if on_cpu and stream == -1 else stream, **asked)


def dlpack_device(input: Tensor) -> tuple[int, int]:
    """`x.__dlpack_device__()`: (device type, device index) in DLPack's numbers.

    Example:
        >>> dlpack_device(tensor([1.0]))
        (1, 0)
    """
    kind, index = array_of(input).__dlpack_device__()
    return int(kind), int(index)


def from_dlpack(ext_tensor: Any) -> Tensor:
    """A tensor that shares the memory of another library's array or tensor.

    Args:
        ext_tensor: an object with `__dlpack__` and `__dlpack_device__`.

    Returns:
        A leaf.

    Raises:
        ArgumentTypeError: if it does not speak the protocol, or holds no numbers.

    Example:
        >>> import numpy as np
        >>> from_dlpack(np.array([1.0, 2.0]))
        tensor([1., 2.], dtype=glassgrad.float64)
    """
    if not hasattr(ext_tensor, "__dlpack__") or not hasattr(ext_tensor, "__dlpack_device__"):
        raise ArgumentTypeError(
            f"from_dlpack() takes an object with __dlpack__ and __dlpack_device__, got "
            f"{type(ext_tensor).__name__}. It says where its memory is. Write `tensor(data)`."
        )
    on_cpu = int(ext_tensor.__dlpack_device__()[0]) == _CPU_DEVICE_TYPE
    backend = CPU_BACKEND if on_cpu else backend_for("cuda")
    array = backend.xp.from_dlpack(ext_tensor)
    array_from(np.empty(0, array.dtype), None)  # raises for a dtype there is no tensor of
    return fresh(array)
