"""`no_grad` and its kin: modes of the calling thread, as blocks and as decorators."""

import copy
import functools
import inspect
import threading
from collections.abc import Callable, Generator
from typing import Any, Self, TypeVar, overload

from glassgrad.core.state import (
    Block,
    Changes,
    modes,
)
from glassgrad.memory.calls import warn
from glassgrad.ops import _checks as check

__all__ = [
    "enable_grad",
    "enforce_grad_layout_policy",
    "inference_mode",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "is_multithreading_enabled",
    "no_grad",
    "set_grad_enabled",
    "set_multithreading_enabled",
]

F = TypeVar("F", bound=Callable[..., Any])


def is_grad_enabled() -> bool:
    """Whether ops are recorded in this thread."""
    return modes.grad


def is_inference_mode_enabled() -> bool:
    """Whether this thread is inside `inference_mode()`."""
    return modes.inference


class Mode(Block):
    """A context manager that is also a decorator, of generator functions too."""

    changes: Changes
    """The modes inside the block."""

    def clone(self) -> Self:
        """A fresh mode with the same setting: each call of a decorated function needs one."""
        fresh = copy.copy(self)
        fresh.outside = ()
        return fresh

    def run(self, act: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """Call `act` inside: left once more if it was interrupted where it is left."""
        block = self.clone()
        try:
            with block:
                return act(*args, **kwargs)
        except BaseException:
            block.leave()
            raise

    def __enter__(self) -> None:
        self.enter(None, self.changes)

    def __call__(self, func: F) -> F:
        if inspect.isclass(func):
            return self._decorate_class(func)  # type: ignore[no-any-return]  # the class itself
        if inspect.isgeneratorfunction(func):
            return _wrap_generator(self, func)

        @functools.wraps(func)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return self.run(func, *args, **kwargs)

        return wrapper  # type: ignore[return-value]  # functools.wraps keeps the signature

    def _decorate_class(self, cls: Any) -> Any:
        """PyTorch's meaning of a decorated class: the mode is set while an instance is made."""
        warn(
            "Decorating classes is deprecated: only __init__ runs inside the mode, its methods do "
            "not. Decorate functions or methods, for the same effect `__init__` alone.",
            FutureWarning,
        )
        cls.__init__ = self(cls.__init__)
        return cls


def _wrap_generator(mode: Mode, func: F) -> F:
    """Run each stretch between two yields inside the mode, and the caller's code outside it."""

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        generator = mode.run(func, *args, **kwargs)
        resume: Callable[[], Any] = functools.partial(next, generator)
        try:
            while True:
                try:
                    item = mode.run(resume)
                except StopIteration as stop:
                    return stop.value
                try:
                    sent = yield item
                except GeneratorExit:
                    raise
                except BaseException as error:  # noqa: BLE001  # it belongs to the generator
                    resume = functools.partial(generator.throw, error)
                else:
                    resume = functools.partial(generator.send, sent)
        finally:
            mode.run(generator.close)

    return wrapper  # type: ignore[return-value]  # functools.wraps keeps the signature


class AtOnce(Mode):
    """A mode that is set at once, until the end of a block if there is one."""

    switch: str = "grad"
    """The mode of the thread that it sets."""

    home: Any = None
    """Where it sets it; None: among the modes."""

    def __init__(self, mode: bool) -> None:
        self.mode, self.changes = mode, {self.switch: mode}
        super().__enter__()

    def __call__(self, func: F) -> F:
        # As a decorator it acts inside the function only. Note [One line is not cut]
        try: self.leave()  # noqa: E701  # fmt: skip
        finally:
            self.leave()
        return super().__call__(func)

    __enter__ = Block.__enter__

    def begin(self) -> None:
        """Set it again; the first time that was done where it was made."""
        (Block() if self.outside else self).enter(None, self.changes, self.home)


class _BareDecorator(Mode):
    """A mode that also decorates without parentheses: `@no_grad`."""

    @overload
    def __new__(cls) -> Self: ...
    @overload
    def __new__(cls, func: F) -> F: ...  # type: ignore[misc]  # a decorator returns the function
    def __new__(cls, func: Any = None) -> Any:
        self = super().__new__(cls)
        return self if func is None else self(func)


class no_grad(_BareDecorator):  # noqa: N801  # PyTorch's name
    """Do not record: results have `requires_grad=False`.

    Works as `with no_grad():`, as `@no_grad()` and as `@no_grad`, per thread.

    Example:
        >>> x = tensor(2.0, requires_grad=True)
        >>> with no_grad():
        ...     print((x * x).requires_grad)
        False
    """

    changes: Changes = {"grad": False}


class enable_grad(_BareDecorator):  # noqa: N801  # PyTorch's name
    """Record, also inside `no_grad()`.

    Example:
        >>> x = tensor(2.0, requires_grad=True)
        >>> with no_grad(), enable_grad():
        ...     print((x * x).requires_grad)
        True
    """

    changes: Changes = {"grad": True}


class set_grad_enabled(AtOnce):  # noqa: N801  # PyTorch's name
    """Record or not, by a flag: at once as a function, for a block as a context manager.

    Args:
        mode: whether to record.

    Raises:
        ArgumentTypeError: for anything but a bool; the mode stays as it is.

    Example:
        >>> with set_grad_enabled(False):
        ...     print(is_grad_enabled())
        False
    """

    def __init__(self, mode: bool) -> None:
        why = "The tape records or it does not. Write True or False."
        check.kind("set_grad_enabled(): argument 'enabled' must be bool", mode, bool, why)
        super().__init__(mode)

    def __str__(self) -> str:
        return f"{type(self).__name__}(mode={self.mode})"

    __repr__ = __str__


class _Noted(AtOnce):
    """What PyTorch's engine asks for and ours need not: it is noted in the thread, for who asks."""

    def __init__(self, mode: bool = True) -> None:
        self.mode, self.changes, self.home = mode, {type(self).__name__: mode}, vars(_noted)
        self.__enter__()


class _InAThread(threading.local):
    """What is noted in a thread."""

    def __init__(self) -> None:
        self.set_multithreading_enabled = self.enforce_grad_layout_policy = True


_noted = _InAThread()


class set_multithreading_enabled(_Noted):  # noqa: N801  # PyTorch's name
    """Whether backward passes may use more threads; here each runs in the one that calls it."""


class enforce_grad_layout_policy(_Noted):  # noqa: N801  # PyTorch's name
    """Whether gradients must have the strides of their leaves; here they have, in any case."""


def is_multithreading_enabled() -> bool:
    """Whether backward passes may use more threads; see `set_multithreading_enabled`."""
    return _noted.set_multithreading_enabled


class inference_mode(Mode):  # noqa: N801  # PyTorch's name
    """Make tensors that will never take part in autograd: no recording, no versions.

    Args:
        mode: False leaves an outer `inference_mode()` for the block.

    Example:
        >>> with inference_mode():
        ...     print((tensor(2.0, requires_grad=True) * 3).is_inference())
        True
    """

    def __new__(cls, mode: Any = True) -> Any:
        return super().__new__(cls) if isinstance(mode, bool) else cls()(mode)

    def __init__(self, mode: bool = True) -> None:
        self.mode, self.changes = mode, {"grad": not mode, "inference": mode}
