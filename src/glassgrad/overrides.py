"""`torch.overrides`: who computes instead of the public functions, and `TorchFunctionMode`.

Operands of classes with a `__torch_function__` see the ops that they meet (`levels/subclasses.py`).
A mode sees all public functions, methods and properties, also those that make tensors:

    with mode:          names of modules and of Tensor lead to what hands over the call
        torch.ones(2)   mode.__torch_function__(ones, types, args, kwargs), with the mode left
    (left)              the names lead to the functions themselves again, which know of no modes

So do users' classes that say themselves what a call gives: the names lead there while such a class
is known. So nothing is looked for where there is neither. What took a function from its
module before, `from torch import ones`, calls that one: no mode sees it.
"""

import functools
import inspect
import threading
from collections.abc import Callable, Iterable
from importlib import import_module
from types import FrameType, FunctionType, MethodType
from typing import Any, ClassVar, Self

from . import ops
from .core.state import Block, setting
from .core.tensor import Tensor
from .levels.subclasses import (
    PUBLIC,
    USERS,
    handed_over,
    handle_torch_function,
    has_torch_function,
    is_tensor_like,
    note_class,
    overrides,
)
from .missing import missing_from
from .ops._declaring import METHODS
from .ops._lookup import load_all, names_in
from .values.tree import several

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
    *("__array__", "__bool__", "__complex__", "__contains__", "__deepcopy__", "__float__"),
    *("__index__", "__int__", "__iter__", "__len__", "__reduce_ex__", "__repr__"),
)
"""What Python asks of a tensor, beside operators."""

_SAME = "abs add ge gt le lt matmul mul ne neg pow sub"
_OTHER = {"truediv": "div", "floordiv": "floor_divide", "mod": "remainder"}
_OPERATORS = {
    **{f"__{name}__": name for name in _SAME.split()},
    **{f"__i{name}__": f"{name}_" for name in ("add", "mul", "pow", "sub")},
    **{f"__i{name}__": f"{method}_" for name, method in _OTHER.items()},
    **{f"__r{name}__": f"bitwise_{name}" for name in ("and", "or", "xor")},
    "__truediv__": "div",
    "__mod__": "remainder",
    "__radd__": "add",
    "__rmul__": "mul",
    "__pos__": "positive",
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
    is_ours = name.startswith("_") or name in ("cold_side", "version_counter", "wrote")
    return name in METHODS or name in _ASKED or not is_ours


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
        read = getattr(owner.fget, "function", None)
        owner = getattr(read, "__self__", owner)  # while names lead to what is seen
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


class _Entered(threading.local):
    """The modes that are entered in a thread, the innermost last."""

    def __init__(self) -> None:
        self.modes: tuple[Any, ...] = ()


_entered = _Entered()


class _All:
    """Who looks at calls: threads inside of modes, and how many classes of users'."""

    lock = threading.RLock()  # a class may go while it is held
    threads: ClassVar[set[int]] = set()
    classes = 0
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
        lead()
        return self

    def leave(self) -> None:
        super().leave()
        lead()

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> Self:
        """An older way to make one."""
        return cls(*args, **kwargs)


def lead(classes: int = 0) -> None:
    """Have names lead to the modes and users' classes that look at calls, while there are some.

    Args:
        classes: how many there are more.
    """
    with _All.lock: _lead(classes)  # Note [One line is not cut]  # noqa: E701  # fmt: skip


def _lead(classes: int) -> None:
    _All.classes += classes
    (_All.threads.add if _entered.modes else _All.threads.discard)(threading.get_ident())
    is_seen = bool(_All.threads or _All.classes)
    if _All.is_led is not is_seen:
        for holder, name, own, seen in _turns():
            setattr(holder, name, seen if is_seen else own)
        _All.is_led = is_seen


@functools.cache
def _turns() -> list[tuple[Any, str, Any, Any]]:
    """Where each name is, with what it leads to when nobody looks, and when somebody does."""
    turns: list[tuple[Any, str, Any, Any]] = []
    for home, named in _public().items():
        for holder in [Tensor] if home == "Tensor" else [_module(home), *[ops] * (not home)]:
            for name, own in named.items():
                seen, method = _seen(own, name), _OPERATORS.get(name)
                if method:
                    seen = _Seen(own, name, _seen(named[method], method))
                turns.append((holder, name, own, seen))
    return turns


@functools.cache
def _seen(own: Any, name: str) -> Any:
    """The same function or property, whose calls are seen."""
    if not isinstance(own, property):
        return _Seen(own, name)
    read, write = _Seen(own.__get__, "__get__"), _Seen(own.__set__, "__set__")
    return property(read, write if own.fset else None, own.fdel, own.__doc__)


class _Seen:
    """A public function whose calls modes and operands of users' classes see.

    It is what they are given, too, and equal to the function: so a table of functions has it,
    whenever that was written.

    Args:
        known: what they are given instead, if it is an operator.
    """

    def __init__(self, function: Any, name: str, known: Any = None) -> None:
        self.function, self._known = function, known or self
        functools.update_wrapper(self, function, updated=())
        self.__name__ = name

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        entered = _entered.modes
        types = overrides(_operands((*args, *kwargs.values())))
        if entered:
            with setting(vars(_entered), modes=entered[:-1]):
                return entered[-1].__torch_function__(self._known, tuple(types), args, kwargs)
        for kind in types:
            note_class(kind)
        asked = [kind for kind in types if not USERS.isdisjoint(kind.__mro__)]
        if asked:
            return handed_over(asked, self._known, args, kwargs)
        return self.function(*args, **kwargs)

    def __eq__(self, other: object) -> bool:
        return bool(getattr(other, "function", other) == self.function)

    def __hash__(self) -> int:
        return hash(self.function)

    def __repr__(self) -> str:
        return repr(self.function)


def answered(frame: FrameType) -> Any:
    """What the classes of the arguments make of a call, given the frame of a public function.

    They are given the arguments that are not left out.
    """
    code, given = frame.f_code, frame.f_locals
    seen = next(s for _, _, own, s in _turns() if getattr(own, "__code__", None) is code)
    names, n, m = code.co_varnames, code.co_argcount, code.co_kwonlyargcount
    wanted = inspect.signature(seen.function).parameters
    left_out = [name for name in names[: n + m] if given[name] is wanted[name].default]
    while n and names[n - 1] in left_out:
        n -= 1
    args = tuple([given[name] for name in names[:n]])
    if code.co_flags & inspect.CO_VARARGS:
        args += given[names[code.co_argcount + m]]
    behind = names[n : code.co_argcount + m]
    for each in _operands((*args, *given.values())):
        note_class(type(each))
    return seen(*args, **{name: given[name] for name in behind if name not in left_out})


def _operands(values: Iterable[Any]) -> list[Any]:
    """Some arguments, and what stands in lists of them."""
    return [each for value in values for each in several(value)]
