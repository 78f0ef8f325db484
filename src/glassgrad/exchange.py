"""`from_torch` and `to_torch`: tensors, state dicts and modules, from PyTorch and to it."""

from typing import TYPE_CHECKING, Any

from . import nn
from .core.errors import ArgumentTypeError
from .core.tensor import Tensor
from .ops.creation import from_numpy

if TYPE_CHECKING:
    import torch

__all__ = ["from_torch", "to_torch"]


def from_torch(obj: Any) -> Any:
    """What is PyTorch's, as ours: a tensor, containers of tensors, or a module of `torch.nn`.

    Args:
        obj: tensors on the CPU share their memory, other ones are copied; bfloat16 becomes float32.
            They are leaves, and require grad if those of PyTorch do. A module has the same
            parameters, buffers and settings; its hooks stay behind.

    Raises:
        ArgumentTypeError: for a module of a class that `glassgrad.nn` has not.

    Example:
        >>> import torch  # doctest: +SKIP
        >>> from_torch({"w": torch.ones(2)})  # doctest: +SKIP
        {'w': tensor([1., 1.])}
    """
    import torch

    return _Exchange(torch.Tensor, torch.nn, nn, _array_from_torch).of(obj)


def to_torch(obj: Any) -> Any:
    """What is ours, as PyTorch's: a tensor, containers of tensors, or a module of `glassgrad.nn`.

    Args:
        obj: tensors on the CPU share their memory with PyTorch's; otherwise as `from_torch`.

    Raises:
        ArgumentTypeError: for a module of a class that `torch.nn` has not.

    Example:
        >>> to_torch(ones(2))  # doctest: +SKIP
        tensor([1., 1.])
    """
    import torch

    return _Exchange(Tensor, nn, torch.nn, _array_to_torch).of(obj)


def _array_from_torch(tensor: "torch.Tensor") -> Tensor:
    import torch

    plain = tensor.detach().cpu().resolve_conj().resolve_neg()
    return from_numpy((plain.float() if plain.dtype == torch.bfloat16 else plain).numpy())


def _array_to_torch(tensor: Tensor) -> "torch.Tensor":
    import torch

    return torch.from_numpy(tensor.detach().cpu().numpy())


class _Exchange:
    """From one library to the other.

    Args:
        tensors: the class of the one's tensors.
        source, target: both packages `nn`.
        leaf: makes a plain tensor of the other library of one.
    """

    def __init__(self, tensors: type, source: Any, target: Any, leaf: Any) -> None:
        self.tensors, self.source, self.target, self.leaf = tensors, source, target, leaf
        self.made: dict[int, tuple[Any, Any]] = {}

    def of(self, obj: Any) -> Any:
        """The other library's object for one; what was met before becomes the same again."""
        known = self.made.get(id(obj))
        if known is not None:
            return known[1]
        if isinstance(obj, self.tensors):
            found = self.tensor(obj)
        elif isinstance(obj, self.source.Module):
            found = self.module(obj)
        elif isinstance(obj, dict):
            found = type(obj)((key, self.of(value)) for key, value in obj.items())
        elif type(obj) in (list, tuple, set):
            found = type(obj)(self.of(each) for each in obj)
        else:
            return obj
        self.made[id(obj)] = obj, found
        return found

    def tensor(self, tensor: Any) -> Any:
        """A tensor of the other library with the same memory, and as what it is of a module."""
        made = self.leaf(tensor)
        if isinstance(tensor, self.source.Parameter):
            return self.target.Parameter(made, requires_grad=tensor.requires_grad)
        if isinstance(tensor, self.source.Buffer):
            return self.target.Buffer(made)
        return made.requires_grad_() if tensor.requires_grad else made

    def module(self, module: Any) -> Any:
        """A module of the class of the same name, with the same settings."""
        name = type(module).__name__
        cls = getattr(self.target, name, None)
        if cls is None or getattr(self.source, name, None) is not type(module):
            raise ArgumentTypeError(
                f"{self.target.__name__} has no {name}. Only modules that both libraries have "
                "become each other. Build yours there, and write "
                "`module.load_state_dict(from_torch(other.state_dict()))`, or to_torch."
            )
        found = cls.__new__(cls)
        self.target.Module.__init__(found)
        found.train(module.training)
        own = vars(self.source.Module())
        for key, value in vars(module).items():
            if key not in own:
                vars(found)[key] = self.of(value)
        for key, value in module._parameters.items():
            found.register_parameter(key, self.of(value))
        for key, value in module._buffers.items():
            persistent = key not in module._non_persistent_buffers_set
            found.register_buffer(key, self.of(value), persistent=persistent)
        for key, value in module._modules.items():
            found.add_module(key, self.of(value))
        return found
