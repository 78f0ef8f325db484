"""PyTorch's tensors as NumPy arrays, and PyTorch itself where it is installed."""

import importlib
from typing import Any

__all__ = ["array_of", "bytes_of", "dtype_of", "is_tensor", "the_torch"]


def the_torch() -> Any:
    """PyTorch.

    Raises:
        ModuleNotFoundError: if it is not installed.
    """
    try:
        return importlib.import_module("torch")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "PyTorch is not installed. glassgrad.tracing.torch watches PyTorch's own graphs, and "
            "glassgrad itself does without it. Install it with `pip install 'glassgrad[torch]'`; "
            "a tensor of glassgrad is recorded by `gg.record(loss)`.",
            name=error.name,
        ) from error


def is_tensor(value: Any) -> bool:
    """Whether `value` is one of PyTorch's tensors."""
    return isinstance(value, the_torch().Tensor)


def array_of(tensor: Any) -> Any:
    """The numbers of `tensor` (any shape, device and layout) as a NumPy array."""
    tensor = tensor.detach()
    if tensor.layout != the_torch().strided:
        tensor = tensor.to_dense()
    tensor = tensor.cpu().resolve_conj().resolve_neg()
    try:
        return tensor.numpy()
    except TypeError:
        return tensor.float().numpy()  # bfloat16 and the like, which NumPy does not have


def bytes_of(tensor: Any) -> int:
    """The bytes of the elements of `tensor`."""
    size: int = tensor.numel() * tensor.element_size()
    return size


def dtype_of(tensor: Any) -> str:
    """The name of a dtype as glassgrad writes it: "float32"."""
    return str(tensor.dtype).removeprefix("torch.")
