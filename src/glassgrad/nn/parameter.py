"""`Parameter` and `Buffer`: tensors that a `Module` finds; an optimiser moves the first kind."""

from typing import Any, NoReturn, Self

from glassgrad.core.errors import ArgumentError, GraphError
from glassgrad.core.state import Func
from glassgrad.core.tensor import PLAIN, Tensor
from glassgrad.ops import _checks as check
from glassgrad.ops._lookup import Later
from glassgrad.ops.creation import empty
from glassgrad.values.layers import Layer, settled

__all__ = ["Buffer", "Parameter", "UninitializedBuffer", "UninitializedParameter", "is_lazy"]


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
            made = _around(super().__new__(cls, () if data is None else data), data)
        made.requires_grad = bool(requires_grad)
        return made  # type: ignore[no-any-return]  # of another class inside a transform

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        """A parameter with the same values, without the gradient and what was set on it."""
        made = super().__deepcopy__(memo)
        made.grad = None
        vars(made).clear()
        return made

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
        made: Self = _around(super().__new__(cls, () if data is None else data), data)
        if data is not None and data.requires_grad:
            made.requires_grad = True
        made.persistent = persistent
        return made


def _around(made: Any, data: Tensor | None) -> Any:
    """`made`, whose memory is that of `data`: so they count writes together."""
    if data is not None and not data.is_inference():
        made.cold_side().version = data.version_counter()
    return made


class _Uninitialized:
    """What tensors share that get their shape from the first input of a lazy module."""

    __slots__ = ()

    cls_to_become: Any

    def materialize(self: Any, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Become an ordinary tensor of a shape, with arbitrary numbers."""
        made = empty(shape, device=device or self.device, dtype=dtype or self.dtype)
        self.__class__ = self.cls_to_become
        self.data = made

    @property
    def shape(self) -> Any:
        raise GraphError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually "
            "happens in `load_state_dict` when trying to load an uninitialized parameter into an "
            "initialized one. Call the module once, on an input of the right size."
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def __deepcopy__(self: Any, memo: dict[int, Any]) -> Any:
        made = memo[id(self)] = type(self)(self.requires_grad, self.device, self.dtype)
        return made

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Compute nothing."""
        refused(func.__name__)()


def refused(name: str) -> Func:
    """The method, or function, of this name of a tensor that has no shape yet."""

    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise ArgumentError(
            f"Attempted to use an uninitialized parameter in {name}: it has no shape and no "
            "values yet. This error happens when you are using a `LazyModule` or explicitly "
            "manipulating `UninitializedParameter` objects. Call the module once, on an input of "
            "the right size."
        )

    return refuse


def _converted(name: str) -> Func:
    """The method that gives what lies in the tensor another dtype or place."""

    def convert(self: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(self.data, name)(*args, **kwargs)

    return convert


_CONVERSIONS = "to cpu cuda get_device double float half long int short char"
_ANSWERED = """is_complex is_floating_point is_inference copy_ cold_side version_counter wrote
    _settled _tell_views _is_view __new__ __repr__ __hash__ __deepcopy__ __reduce_ex__
    __torch_function__ __array_ufunc__ __array_function__"""
# The methods that a tensor without a shape has, too. All others say why there is no answer.

_CONVERTED, _OWN = _CONVERSIONS.split(), _ANSWERED.split()
for _name, _member in vars(Tensor).items():
    if _name in _CONVERTED:
        setattr(_Uninitialized, _name, _converted(_name))
    elif _name not in _OWN and (callable(_member) or isinstance(_member, Later)):
        setattr(_Uninitialized, _name, refused(_name))


class UninitializedParameter(_Uninitialized, Parameter):  # type: ignore[misc]  # Tensor's repr
    """A parameter without a shape; `materialize` gives it one.

    Example:
        >>> weight = UninitializedParameter()
        >>> weight.materialize((2, 3))
        >>> type(weight).__name__, weight.shape
        ('Parameter', glassgrad.Size([2, 3]))
    """

    __slots__ = ()

    cls_to_become = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> Self:
        return super().__new__(cls, empty(0, device=device, dtype=dtype), requires_grad)


class UninitializedBuffer(_Uninitialized, Tensor):  # type: ignore[misc]  # the same
    """A buffer without a shape; `materialize` gives it one."""

    __slots__ = ()

    cls_to_become = Tensor

    def __new__(cls, requires_grad: bool = False, device: Any = None, dtype: Any = None) -> Self:
        made = super().__new__(cls, empty(0, device=device, dtype=dtype))
        made.requires_grad = requires_grad
        return made


def is_lazy(tensor: object) -> bool:
    """Whether a tensor waits for its shape."""
    return isinstance(tensor, _Uninitialized)


def _check_data(data: object, kind: str) -> None:
    why = f"The {kind.lower()} shares its memory. Write `{kind}(glassgrad.tensor(values))`."
    check.kind(f"{kind} data has to be a tensor", data, Tensor | None, why)


PLAIN.update((Parameter, Buffer))  # an op treats them like any tensor: the fast doors may take them
