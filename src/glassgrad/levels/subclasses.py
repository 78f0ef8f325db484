"""Subclasses of Tensor, and what speaks `__torch_function__`: who computes an op on them.

An op that meets an operand of such a class is handed to `__torch_function__(func, types, args,
kwargs)` of that class. That of Tensor computes the op as ever, and gives its results the class. The
op is handed over where it begins to compute: an op that is made of several others is handed over as
these, and `args` and `kwargs` are those of the op's class, whose public function `func` stands for.
A user's class is handed over the public calls themselves (`overrides.py`), from when it is known: a
subclass of Tensor is so at once, others from their first call.
"""

import threading
import weakref
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, Self

from glassgrad.core.errors import ArgumentTypeError
from glassgrad.core.state import Block, Values, setting
from glassgrad.core.tensor import PLAIN, WRAPPERS, Tensor
from glassgrad.values.tree import several

PUBLIC: dict[type, Callable[..., Any]] = {}
"""The public function of each op's class."""

USERS: weakref.WeakSet[type] = weakref.WeakSet()
"""The users' classes that say themselves what a call gives, or have results of their class."""


class _Disabled(threading.local):
    """How many blocks of `DisableTorchFunctionSubclass` are open in a thread."""

    def __init__(self) -> None:
        self.count = 0


_disabled = _Disabled()


class DisableTorchFunctionSubclass(Block):
    """The block in which subclasses of Tensor are treated as tensors."""

    def __enter__(self) -> Self:
        return self.enter(self, {"count": _disabled.count + 1}, vars(_disabled))


class PublicFunction:
    """What `__torch_function__` is given: an op, which is equal to its public function.

    Args:
        rule: the op's class.
    """

    def __init__(self, rule: Any) -> None:
        self.rule = rule
        self.function = PUBLIC.get(rule, rule.apply)
        self.__name__ = getattr(self.function, "__name__", rule.__name__.lower())
        self.__doc__ = self.function.__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.rule.apply(*args, **kwargs)

    def __eq__(self, other: object) -> bool:
        return other is self.function or getattr(other, "rule", None) is self.rule

    def __hash__(self) -> int:
        return hash(self.function)

    def __repr__(self) -> str:
        return f"<function {self.__name__}>"


def note_class(kind: type) -> None:
    """Note a user's class that computes, or has results of its own: public functions ask it."""
    handler: Any = getattr(kind, "__torch_function__", None)
    handler = getattr(handler, "__func__", handler)
    wrote = kind if handler is torch_function else handler
    is_ours = handler is None or str(wrote.__module__).startswith("glassgrad.")
    if not is_ours and not _is_plain(kind) and USERS.isdisjoint(kind.__mro__):
        USERS.add(kind)
        lead: Any = import_module("glassgrad.overrides").lead  # it knows all public functions
        lead(1)
        weakref.finalize(kind, lead, -1).atexit = False


def overrides(operands: Iterable[Any]) -> list[type]:
    """The classes among those of the operands that compute ops by themselves, subclasses first."""
    found: list[type] = []
    for kind in dict.fromkeys(map(type, operands)):
        if kind not in PLAIN and hasattr(kind, "__torch_function__") and not _is_plain(kind):
            above = [at for at, other in enumerate(found) if issubclass(kind, other)]
            found.insert(above[0] if above else len(found), kind)
    return [] if _disabled.count else found


def _is_plain(kind: type) -> bool:
    """Whether results of it are plain tensors, as those of parameters and of transforms are."""
    plain = PLAIN - {Tensor} | set(WRAPPERS.values())
    own = getattr(kind.__torch_function__, "__func__", None)  # type: ignore[attr-defined]  # its callers have looked
    return own is torch_function and not plain.isdisjoint(kind.__mro__)


def computed(rule: Any, operands: Values, parameters: dict[str, Any]) -> Any:
    """What the operands' own classes make of an op; NotImplemented if there are none.

    Raises:
        ArgumentTypeError: if none of them wants it.
    """
    types = overrides(operands)
    if not types:
        return NotImplemented
    for kind in types:
        note_class(kind)
    return handed_over(types, PublicFunction(rule), operands, parameters)


def handed_over(types: list[type], function: Any, args: Values, kwargs: dict[str, Any]) -> Any:
    """What the first of some classes makes of a call that does not return NotImplemented."""
    for kind in types:
        found = kind.__torch_function__(function, tuple(types), args, kwargs)  # type: ignore[attr-defined]  # `overrides` has looked
        if found is not NotImplemented:
            return found
    names = ", ".join([kind.__name__ for kind in types])
    raise ArgumentTypeError(
        f"Multiple dispatch failed for 'torch.{function.__name__}'; all __torch_function__ "
        f"handlers returned NotImplemented: those of {names}. Nobody else knows how to compute "
        "it. Handle it there."
    )


def torch_function(cls: Any, func: Any, types: Any, args: Values = (), kwargs: Any = None) -> Any:
    """`Tensor.__torch_function__`: compute as ever, and give results the class."""
    if not all(issubclass(cls, kind) for kind in types):
        return NotImplemented
    with setting(vars(_disabled), count=_disabled.count + 1):
        found = func(*args, **(kwargs or {}))
    read = getattr(getattr(func, "function", None), "__self__", None)
    if isinstance(read, property) and getattr(read.fget, "__name__", "") == "grad":
        return found  # it is of the class that it was made with
    for each in several(found):
        if type(each) is Tensor and not any(each is x for x in args):
            each.__class__ = cls
    return found


def _disabled_torch_function_impl(
    func: Any,
    types: Any,  # noqa: ARG001  # what it takes the place of has it
    args: Values = (),
    kwargs: Any = None,
) -> Any:
    """The `__torch_function__` of a subclass whose results are plain tensors."""
    with setting(vars(_disabled), count=_disabled.count + 1):
        return func(*args, **(kwargs or {}))


def is_tensor_like(inp: Any) -> bool:
    """Whether it is a tensor, or computes ops by itself."""
    return isinstance(inp, Tensor) or hasattr(inp, "__torch_function__")


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Whether one of the arguments computes ops by itself."""
    return bool(overrides(relevant_args))


def handle_torch_function(
    public_api: Any, relevant_args: Iterable[Any], *args: Any, **kwargs: Any
) -> Any:
    """Hand a call of a function of one's own to the arguments that compute ops by themselves."""
    return handed_over(overrides(relevant_args), public_api, args, kwargs)
