"""`Buffer`: a tensor that a `Module` saves and moves, but does not train."""

from typing import Any, Self

from glassgrad.core.errors import ArgumentTypeError
from glassgrad.core.tensor import PLAIN, Tensor

__all__ = ["Buffer"]


class Buffer(Tensor):
    """A tensor that registers itself as a buffer when it is assigned to an attribute of a `Module`.

    Args:
        data: a tensor; the buffer shares its memory, and requires grad if it does. None: an empty
            one.
        persistent: whether `state_dict` contains it.

    Raises:
        ArgumentTypeError: if `data` is no tensor.

    Example:
        >>> module = Module()
        >>> module.mean = Buffer(tensor([1.0, 2.0]))
        >>> dict(module.named_buffers())
        {'mean': tensor([1., 2.])}

    See also: https://pytorch.org/docs/stable/generated/torch.nn.parameter.Buffer.html
    """

    __slots__ = ()

    persistent: bool

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Self:
        if data is not None and not isinstance(data, Tensor):
            raise ArgumentTypeError(
                f"Buffer data has to be a tensor, got {type(data).__name__}. The buffer shares "
                "its memory. Write `Buffer(glassgrad.tensor(values))`."
            )
        made = super().__new__(cls, () if data is None else data)
        if data is not None and data.requires_grad:
            made.requires_grad = True
        made.persistent = persistent
        return made


PLAIN.add(Buffer)  # an op treats it like any tensor: the fast doors may take it
