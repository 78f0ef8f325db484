"""Which arguments of a function are differentiated: `argnums`."""

from typing import Any

from glassgrad.core.errors import TransformError

__all__ = ["EVERY", "Argnums", "places", "selected"]

Argnums = int | tuple[int, ...]
"""The place of an argument, or of several: they may count from the end."""

EVERY: Any = object()
"""All arguments, however many there are."""


def places(argnums: Any, count: int) -> tuple[int, ...]:
    """The places that `argnums` means among `count` arguments, counted from the first one.

    Args:
        argnums: a place, a tuple of them, or `EVERY`.

    Raises:
        TransformError: if it is no int or tuple of ints, is empty, names an argument twice, or one
            that is not there.
    """
    if argnums is EVERY:
        return tuple(range(count))
    if not isinstance(argnums, (int, tuple)):
        raise TransformError(
            f"argnums must be int or Tuple[int, ...], got: {type(argnums)}. It counts positional "
            "arguments. Write `argnums=0`, or `argnums=(0, 1)` for several."
        )
    wanted = argnums if isinstance(argnums, tuple) else (argnums,)
    if not wanted:
        raise TransformError(
            "argnums must be non-empty: it is (), so there is nothing to differentiate with "
            "respect to. Write `argnums=(0,)`."
        )
    found = tuple([_place(argnum, count) for argnum in wanted])
    if len(set(found)) < len(found):
        raise TransformError(
            f"argnums elements must be unique, got {wanted}: an argument is named twice. "
            "Write each place once."
        )
    return found


def _place(argnum: Any, count: int) -> int:
    if not isinstance(argnum, int):
        raise TransformError(
            f"argnum must be int, got: {type(argnum)}. It counts positional arguments. "
            "Write `argnums=0`."
        )
    if not -count <= argnum < count:
        raise TransformError(
            f"Got argnum={argnum}, but only {count} positional inputs. Arguments passed by keyword "
            "are not counted. Pass it by position."
        )
    return argnum % count


def selected(args: tuple[Any, ...], argnums: Any) -> Any:
    """The arguments that `argnums` means: one, or a tuple of them."""
    found = [args[place] for place in places(argnums, len(args))]
    return found[0] if isinstance(argnums, int) else tuple(found)
