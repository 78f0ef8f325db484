"""`Parameter` and `Buffer`: tensors that a `Module` finds; an optimiser moves the first kind."""

from typing import Any, Self

from glassgrad.core.tensor import PLAIN, Tensor
from glassgrad.ops._arguments import check_type
from glassgrad.values.layers import Layer, settled

__all__ = ["Buffer", "Parameter"]


class _ParameterType(type):
    """`isinstance(x, Parameter)` is true of one made inside a transform, too."""

    def __instancecheck__(cls, instance: object) -> bool:
        return super().__instancecheck__(instance) or (
            cls is Parameter and getattr(instance, "_is_param", False) is True
        )


class Parameter(Tensor, metaclass=_ParameterType):
    """A leaf tensor that registers itself when it is assigned to an attribute of a `Module`.

    Args:
        data: a tensor; the parameter shares its memory. None: an empty one.
        requires_grad: whether gradients flow to it.

    Raises:
        ArgumentTypeError: if `data` is no tensor.
        DTypeError: if it is to require grad and its dtype is an integer.

    Example:
        >>> Parameter(tensor([1.0, 2.0]))
        Parameter containing:
        tensor([1., 2.], requires_grad=True)
    """

    __slots__ = ()

    def __new__(
        cls,
        data: Any = None,
        requires_grad: bool = True,
    ) -> Self:
        _check_data(data, "Parameter")
        made: Any
        data = settled(data)
        if data is not None and isinstance(data.payload, Layer):
            made = data.detach()  # transforms know their own class only: it gets a mark instead
            made._is_param = True
        else:
            made = super().__new__(cls, () if data is None else data)
        made.requires_grad = bool(requires_grad)
        return made  # type: ignore[no-any-return]  # of another class inside a transform

    def __repr__(self) -> str:
        return f"Parameter containing:\n{super().__repr__()}"


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
        _check_data(data, "Buffer")
        made = super().__new__(cls, () if data is None else data)
        if data is not None and data.requires_grad:
            made.requires_grad = True
        made.persistent = persistent
        return made


def _check_data(data: object, kind: str) -> None:
    why = f"The {kind.lower()} shares its memory. Write `{kind}(glassgrad.tensor(values))`."
    check_type(f"{kind} data has to be a tensor", data, Tensor | None, why)


PLAIN.update((Parameter, Buffer))  # an op treats them like any tensor: the fast doors may take them
