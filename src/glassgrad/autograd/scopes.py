"""`scope`: names for parts of a program, so that the nodes they make can be told apart.

Nobody pays for scopes who is not inside one. A thread inside takes the slow door, as inside
`inference_mode()`, and that door tells whoever asked of each node it makes (`state.noting`): here
the node is entered, weakly, with the names of the open scopes and the line that called the op.
"""

import threading
from collections.abc import Callable
from typing import Any, Self
from weakref import WeakKeyDictionary

from glassgrad.base.errors import ArgumentTypeError
from glassgrad.base.source_lines import Place, here
from glassgrad.core import state
from glassgrad.core.graph import Node
from glassgrad.core.state import mark_special, modes

__all__ = ["call_in_scope", "made_at", "made_in", "scope"]

_made: WeakKeyDictionary[Node, tuple[tuple[str, ...], Place]] = WeakKeyDictionary()
_lock = threading.Lock()


class scope:  # noqa: N801  # reads as a statement: `with scope("encoder"):`
    """Name the part of a program that runs inside a `with` block.

    The log of a pass, and every picture, says of each node made inside in which scope it was.
    Scopes nest. Inside of one, every `nn.Module` opens a scope while its `forward` runs: under its
    name in the module that calls it, under its class's name if there is none. Ops are slower
    inside of a scope (about as inside of `inference_mode()`); outside, nothing is.

    Args:
        name: the name; None adds none, and has modules name theirs.

    Raises:
        ArgumentTypeError: if `name` is neither a string nor None.

    Example:
        >>> x = tensor(2.0, requires_grad=True)
        >>> with scope("block3"):
        ...     y = x.exp()
        >>> record(y).nodes[-1]["scope"]
        ['block3']
    """

    def __init__(self, name: str | None = None) -> None:
        given: Any = name
        if given is not None and not isinstance(given, str):
            raise ArgumentTypeError(
                f"scope() was given a {type(given).__name__}. A scope is known by its name, which "
                'the picture shows. Write `with gg.scope("encoder"):`.'
            )
        self.names = () if name is None else (name,)
        self._before: list[Any] = []  # a scope may be entered again inside of itself

    def __enter__(self) -> Self:
        before = modes.scope
        self._before.append(before)
        _enter((*(before[0] if before else ()), *self.names), before[1] if before else None)
        return self

    def __exit__(self, *exc_info: object) -> None:
        _leave(self._before.pop())


def made_in(node: Node) -> tuple[str, ...]:
    """The names of the scopes in which `node` was made, the outermost first."""
    found = _made.get(node)
    return found[0] if found else ()


def made_at(node: Node) -> Place | None:
    """The instruction that made `node`, if that is known."""
    found = _made.get(node)
    if found is not None:
        return found[1]
    code = getattr(node, "saver_code", None)
    return None if code is None else (code, node.saver_offset)


def call_in_scope(
    module: Any, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """What `call` returns; where scopes are open, in one that bears the name of `module`."""
    before = modes.scope
    if before is None:
        return call(*args, **kwargs)
    _enter((*before[0], *_names_in(before[1], module)), module)
    try:
        return call(*args, **kwargs)
    finally:
        _leave(before)


def _names_in(parent: Any, module: Any) -> list[str]:
    """The path of `module` in the module that calls it; its class if it is no part of that."""
    if parent is not None:
        for name, part in parent.named_modules():
            if part is module and name:
                return list(name.split("."))
    return [type(module).__name__]


def _enter(names: tuple[str, ...], module: Any) -> None:
    modes.scope = names, module
    mark_special()
    with _lock:
        state.scoped.add(modes.key)
        if _note not in state.noting:
            state.noting = (*state.noting, _note)


def _leave(before: Any) -> None:
    modes.scope = before
    mark_special()
    with _lock:
        if before is None:
            state.scoped.discard(modes.key)
        if not state.scoped:
            state.noting = tuple([note for note in state.noting if note is not _note])


def _note(node: Node) -> None:
    inside = modes.scope
    if inside is not None:
        _made[node] = inside[0], here(3)
