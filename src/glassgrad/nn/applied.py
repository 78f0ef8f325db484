"""Modules whose arguments follow from those of something else: of a function, or of another class.

    class LeakyReLU(Applied, of="leaky_relu"):
        \"\"\"`x` where it is positive, a small part of it elsewhere.\"\"\"

is a module with the arguments of `nn.functional.leaky_relu`, but for the tensors it is called with.
They are its attributes, are shown by `repr`, and are what the function is given besides its inputs.

What follows is looked up when the first module is made, so that no op is loaded before. For editors
and mypy, `make stubs` writes it into `nn/__init__.pyi`.
"""

import inspect
from collections.abc import Iterable
from typing import Any, ClassVar, get_args

from glassgrad.core.errors import ArgumentTypeError
from glassgrad.core.tensor import Tensor
from glassgrad.nn import functional
from glassgrad.nn.module import Module
from glassgrad.ops import _checks as check


class _OwnSignature:
    """What `inspect.signature` is told of a class: nothing of one that has its own `__init__`."""

    def __get__(self, module: Any, cls: Any) -> inspect.Signature:
        if cls.__init__ is not Derived.__init__:
            raise AttributeError("__signature__")
        return cls._arguments()  # type: ignore[no-any-return]  # of Derived


class Derived(Module):
    """The base class of modules whose arguments nobody wrote down."""

    __signature__: ClassVar[Any] = _OwnSignature()
    _signature: ClassVar[inspect.Signature | None]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._signature = None

    @classmethod
    def _arguments(cls) -> inspect.Signature:
        """The arguments of the class."""
        if cls._signature is None:
            cls._signature = inspect.Signature(list(cls._derive()), return_annotation=None)
        return cls._signature

    @classmethod
    def _derive(cls) -> Iterable[inspect.Parameter]:
        """What the arguments of the class follow from."""
        raise NotImplementedError

    @check.briefly
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        signature = self._arguments()
        try:
            given = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise ArgumentTypeError(
                f"{type(self).__name__}.__init__(): {error}. Its arguments are {signature}."
            )
        given.apply_defaults()
        self._build(given.arguments)

    def _build(self, given: dict[str, Any]) -> None:
        """Make the parts of the module of its arguments."""
        raise NotImplementedError


class Applied(Derived):
    """The base class of modules that only call a function of `nn.functional`.

    Attributes:
        function: its name.
        _home: the module that has it.
        _names: of its arguments, if the module has not all of them, or another order.
        _defaults: the defaults that are not the function's.
        _in_repr: the arguments in its repr; None: all, but `inplace` only if it is True.
        fields: the arguments that are handed on; found when they are derived.
        _tensors: those that become buffers; likewise.
        passes_training: whether the function is told the module's mode; likewise.
    """

    function: ClassVar[str]
    _home: ClassVar[Any] = functional
    _names: ClassVar[tuple[str, ...]] = ()
    _defaults: ClassVar[dict[str, Any]] = {}
    _in_repr: ClassVar[tuple[str, ...] | None] = None
    fields: ClassVar[tuple[str, ...]]
    _tensors: ClassVar[frozenset[str]]
    passes_training: ClassVar[bool]

    def __init_subclass__(cls, of: str | None = None, **defaults: Any) -> None:
        super().__init_subclass__()
        if of is not None:
            cls.function = of
        cls._defaults = cls._defaults | defaults

    @classmethod
    def _of_function(cls) -> inspect.Signature:
        """The arguments of the function."""
        return inspect.signature(getattr(cls._home, cls.function), eval_str=True)

    @classmethod
    def _inputs(cls) -> list[inspect.Parameter]:
        """What a module is called with: the tensors that have no default."""
        given = cls._of_function().parameters.values()
        return [each for each in given if _takes_tensor(each) and each.default is each.empty]

    @classmethod
    def _derive(cls) -> Iterable[inspect.Parameter]:
        """The function's arguments, but for its inputs."""
        given, inputs = cls._of_function().parameters, cls._inputs()
        cls.passes_training = "training" in given
        cls._tensors = frozenset([name for name, each in given.items() if _takes_tensor(each)])
        left_out = {*_OF_FUNCTIONS, *[each.name for each in inputs]}
        names = cls._names or [name for name in given if name not in left_out]
        cls.fields = tuple([name for name in names if name not in _OF_OLD])
        defaults = {name: given[name].default for name in names} | cls._defaults
        return [given[name].replace(kind=_BY_POSITION, default=defaults[name]) for name in names]

    def _build(self, given: dict[str, Any]) -> None:
        """Make attributes of the arguments, and buffers of tensors."""
        Module.__init__(self)
        for name, value in given.items():
            if name in self._tensors:
                self.register_buffer(name, value)
            else:
                setattr(self, name, value)

    def forward(self, *inputs: Any, **named: Any) -> Any:
        if self._signature is None:  # it was made by `from_torch` or `pickle`, not by `__init__`
            self._arguments()
        kept = {name: getattr(self, name) for name in self.fields}
        if self.passes_training:
            kept["training"] = self.training
        return getattr(self._home, self.function)(*inputs, **named, **kept)

    def extra_repr(self) -> str:
        names = self._in_repr
        if names is None:
            self._arguments()
            names = self.fields if getattr(self, "inplace", True) else self.fields[:-1]
        return ", ".join([f"{name}={getattr(self, name)!r}" for name in names])


def _takes_tensor(argument: inspect.Parameter) -> bool:
    return Tensor in (argument.annotation, *get_args(argument.annotation))


_BY_POSITION = inspect.Parameter.POSITIONAL_OR_KEYWORD
_OF_FUNCTIONS = ("training", "dtype", "_stacklevel", "out", "axis")  # no module is made with it
_OF_OLD = ("size_average", "reduce")  # what PyTorch's losses had before `reduction`
