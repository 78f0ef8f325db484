"""`torch.overrides`: who computes instead of the public functions, and `TorchFunctionMode`.

Operands of classes with a `__torch_function__` see the ops that they meet (`levels/subclasses.py`).
A mode sees all public functions, methods and properties, also those that make tensors:

    with mode:          names of modules and of Tensor lead to functions that hand over the call
        torch.ones(2)   mode.__torch_function__(ones, types, args, kwargs), with the mode left
    (left)              the names lead to the functions themselves again, which know of no modes

So nothing is looked for where no mode is entered. What took a function from its module before,
`from torch import ones`, calls that one: no mode sees it.
"""

import functools
import threading
from collections.abc import Callable
from importlib import import_module
from types import FunctionType
from typing import Any, ClassVar, Self, TypeVar

from . import ops
from .core.state import Block, setting
from .core.tensor import Tensor
from .levels.subclasses import (
    PUBLIC,
    handle_torch_function,
    has_torch_function,
    is_tensor_like,
    overrides,
)
from .missing import missing_from
from .ops._declaring import METHODS
from .ops._lookup import load_all, names_in

__all__ = [
    "TorchFunctionMode",
    "get_ignored_functions",
    "get_overridable_functions",
    "handle_torch_function",
    "has_torch_function",
    "is_tensor_like",
    "is_tensor_method_or_property",
    "resolve_name",
    "wrap_torch_function",
]

__getattr__ = missing_from(__name__)

_HOMES = ("nn.functional", "", "linalg", "fft", "special")

_ASKED = (
    *("__bool__", "__complex__", "__contains__", "__float__"),
    *("__index__", "__int__", "__len__", "__repr__"),
)
"""What Python asks of a tensor, beside operators."""

_BINARY = ("add", "eq", "ge", "gt", "le", "lt", "matmul", "mul", "ne", "sub")
_OPERATORS = {
    **{f"__{name}__": name for name in ("abs", "neg", *_BINARY)},
    **{f"__i{name}__": f"{name}_" for name in ("add", "mul", "sub")},
    "__truediv__": "div",
    "__itruediv__": "div_",
    "__mod__": "remainder",
    "__radd__": "add",
    "__rmul__": "mul",
}
"""The methods that operators stand for: `x + 1` is a call of `Tensor.add`."""


@functools.cache
def _public() -> dict[str, dict[str, Any]]:
    """The functions of each module, and the methods and properties of Tensor, by name."""
    load_all()
    found: dict[str, dict[str, Any]] = {}
    for home in _HOMES:
        module: Any = _module(home)
        named = {name: getattr(module, name) for name in names_in(home)}
        found[home] = {n: each for n, each in named.items() if isinstance(each, FunctionType)}
    for name in METHODS:
        getattr(Tensor, name)  # now it is there
    members = {name: each for name, each in vars(Tensor).items() if _is_public(name)}
    found["Tensor"] = {n: e for n, e in members.items() if isinstance(e, FunctionType | property)}
    return found


def _is_public(name: str) -> bool:
    return name in METHODS or name in _ASKED or not name.startswith("_")


def _module(home: str) -> Any:
    return import_module(f"glassgrad.{home}" if home else "glassgrad")


def get_overridable_functions() -> dict[Any, list[Any]]:
    """The functions of each module, and the methods of Tensor, that can be overridden."""
    holders = {home: _module(home) for home in _HOMES} | {"Tensor": Tensor}
    return {holders[home]: list(named.values()) for home, named in _public().items()}


def get_ignored_functions() -> set[Any]:
    """Functions that no operand overrides, since they take none: those that make tensors."""
    made = {name: each for name, each in _public()[""].items() if not _takes_tensor(each)}
    return set(made.values())


def _takes_tensor(function: Any) -> bool:
    kinds = {name: kind for name, kind in function.__annotations__.items() if name != "return"}
    return any("Tensor" in str(kind) for name, kind in kinds.items() if name != "out")


@functools.cache
def _names() -> dict[Any, str]:
    """PyTorch's name of each function, method and property."""
    names: dict[Any, str] = {}
    for home, named in _public().items():
        for name, each in sorted(named.items(), key=lambda item: item[0].startswith("__")):
            names.setdefault(each, f"torch.{home}.{name}" if home else f"torch.{name}")
    rules: dict[Any, Any] = PUBLIC
    for rule, function in rules.items():
        names.setdefault(rule.apply, names.get(function, f"torch.{function.__name__}"))
    return names


def resolve_name(f: Any) -> str | None:
    """PyTorch's name of a function, method or property; None if it is none.

    Example:
        >>> resolve_name(glassgrad.nn.functional.relu)
        'torch.nn.functional.relu'
        >>> resolve_name(Tensor.T.__get__)
        'torch.Tensor.T.__get__'
    """
    function = getattr(f, "function", f)
    owner = getattr(function, "__self__", None)
    if isinstance(owner, property):
        return f"{_names()[owner]}.{function.__name__}" if owner in _names() else None
    return _names().get(function)


def is_tensor_method_or_property(func: Callable[..., Any]) -> bool:
    """Whether it is a method of Tensor, or reads a property."""
    return (resolve_name(func) or "").startswith("torch.Tensor.")


def wrap_torch_function(dispatcher: Callable[..., Any]) -> Callable[[Any], Any]:
    """A decorator: operands that `dispatcher(*args)` returns may compute the function instead."""

    def wrap(function: Any) -> Any:
        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            relevant = dispatcher(*args, **kwargs)
            if has_torch_function(relevant):
                return handle_torch_function(wrapped, relevant, *args, **kwargs)
            return function(*args, **kwargs)

        return wrapped

    return wrap


# Modes --------------------------------------------------------------------------------------------


M = TypeVar("M")


class _Entered(threading.local):
    """The modes that are entered in a thread, the innermost last."""

    def __init__(self) -> None:
        self.modes: tuple[Any, ...] = ()


_entered = _Entered()


class _All:
    """The threads inside of modes: while there are some, names lead to them."""

    lock = threading.Lock()
    threads: ClassVar[set[int]] = set()
    is_led = False


class TorchFunctionMode(Block):
    """A block in which each call of a public function goes to `__torch_function__` of the mode.

    A subclass says there what the call gives. Inside of it the mode is left.

    Raises:
        NotImplementedError: by the first call, if the subclass does not.

    Example:
        >>> class Doubled(TorchFunctionMode):
        ...     def __torch_function__(self, func, types, args=(), kwargs=None):
        ...         return 2 * func(*args, **(kwargs or {}))
        >>> with Doubled():
        ...     x = glassgrad.ones(2)
        >>> x
        tensor([2., 2.])

    See also: https://pytorch.org/docs/stable/notes/extending.html
    """

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """What a call of `func` gives."""
        raise NotImplementedError

    def begin(self) -> Self:
        self.enter(None, {"modes": (*_entered.modes, self)}, vars(_entered))
        return _led(self)

    def leave(self) -> None:
        super().leave()
        _led(self)

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> Self:
        """An older way to make one."""
        return cls(*args, **kwargs)


def _led(mode: M) -> M:
    """Have names lead to modes where some are entered, and only there; return `mode`."""
    with _All.lock: _lead()  # Note [One line is not cut]  # noqa: E701  # fmt: skip
    return mode


def _lead() -> None:
    (_All.threads.add if _entered.modes else _All.threads.discard)(threading.get_ident())
    to_modes = bool(_All.threads)
    if _All.is_led is not to_modes:
        for holder, name, own, seen in _turns():
            setattr(holder, name, seen if to_modes else own)
        _All.is_led = to_modes


@functools.cache
def _turns() -> list[tuple[Any, str, Any, Any]]:
    """Where each name is, with what it leads to when no mode is entered, and when one is."""
    turns: list[tuple[Any, str, Any, Any]] = []
    for home, named in _public().items():
        for holder in [Tensor] if home == "Tensor" else [_module(home), *[ops] * (not home)]:
            for name, own in named.items():
                known = named[_OPERATORS[name]] if name in _OPERATORS else own
                turns.append((holder, name, own, _seen(own, known)))
    return turns


@functools.cache
def _seen(own: Any, known: Any) -> Any:
    """The same function or property, whose calls modes see as those of another one."""
    if isinstance(own, property):
        read, write = (_calls(part, part, own.fget) for part in (own.__get__, own.__set__))
        return property(read, write if own.fset else None, own.fdel, own.__doc__)
    return _calls(own, known, own)


def _calls(own: Any, known: Any, like: Any) -> Any:
    @functools.wraps(like)
    def call(*args: Any, **kwargs: Any) -> Any:
        entered = _entered.modes
        if not entered:
            return own(*args, **kwargs)
        types = tuple(overrides((*args, *kwargs.values())))
        with setting(vars(_entered), modes=entered[:-1]):
            function = known
            if entered[:-1] or own is not known:
                function = _Again(known, call if entered[:-1] else own)
            return entered[-1].__torch_function__(function, types, args, kwargs)

    return call


class _Again:
    """What is equal to a function that a mode knows: an operator; or what an outer mode sees."""

    def __init__(self, known: Any, call: Any) -> None:
        self.function, self._call = known, call
        functools.update_wrapper(self, known, updated=())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._call(*args, **kwargs)

    def __eq__(self, other: object) -> bool:
        return bool(other == self.function)

    def __hash__(self) -> int:
        return hash(self.function)
