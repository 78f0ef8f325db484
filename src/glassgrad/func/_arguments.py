"""What a function that is transformed takes and returns, and what is said where it does not fit."""

from typing import Any

from glassgrad.core.errors import TransformError
from glassgrad.core.primitive import Values
from glassgrad.core.tensor import Tensor
from glassgrad.values.layers import settled
from glassgrad.values.tree import Structure, flatten, map_leaves, unflatten

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


def selected(args: Values, argnums: Any) -> Any:
    """The arguments that `argnums` means: one, or a tuple of them."""
    found = [args[place] for place in places(argnums, len(args))]
    return found[0] if isinstance(argnums, int) else tuple(found)


def as_constants(level: Any, tree: Any) -> Any:
    """Arguments that are not differentiated, as a level shows them: they may be written there."""
    return map_leaves(lambda x: level.lift(settled(x)) if isinstance(x, Tensor) else x, tree)


def shown(level: Any, args: Values, argnums: Any, moving: Any) -> Values:
    """The arguments as a level shows them: constants, but for those that `argnums` means.

    Args:
        moving: what `selected` gives, of the level.
    """
    chosen = places(argnums, len(args))
    given = dict(zip(chosen, (moving,) if isinstance(argnums, int) else moving, strict=True))
    return tuple(
        [given[nr] if nr in given else as_constants(level, x) for nr, x in enumerate(args)]
    )


# Results ------------------------------------------------------------------------------------------


def without_aux(api: str, output: Any) -> tuple[Any, Any]:
    """The output proper and the rest, of a function that was said to return both.

    Args:
        api: how the transform was called, for messages.
        output: what the function returned.
    """
    if isinstance(output, tuple) and len(output) == 2:
        return output
    raise TransformError(
        f"{api}: output of function f should be a tuple: (output, aux) if has_aux is True, and it "
        f"is {_kind(output)}. Only the first of the two is differentiated. "
        "Write `return output, aux`."
    )


def tensors_of(api: str, output: Any) -> tuple[list[Tensor], Structure]:
    """The leaves of an output, all of them tensors, and its structure."""
    leaves, structure = flatten(output)
    if not leaves or (len(leaves) == 1 and leaves[0] is None):
        raise TransformError(
            f"{api}: Expected f to be a function that has non-empty output (got output = "
            f"{output}). There is nothing to differentiate. Return a tensor, or a tree of them."
        )
    for leaf in leaves:
        if not isinstance(leaf, Tensor):
            raise TransformError(
                f"{api}: expected f(*primals) to return only tensors, got unsupported type "
                f"{type(leaf)}. Only tensors know how they were computed. Return anything else by "
                "`has_aux=True`, if it is made of tensors, or leave it out."
            )
    return leaves, structure


def all_settled(tree: Any) -> Any:
    """A tree of tensors without the layers of levels that are closed."""
    leaves, structure = flatten(tree)
    for leaf in leaves:
        if not isinstance(leaf, Tensor):
            raise TransformError(
                f"Expected tensors, got unsupported type {type(leaf)} in what the function "
                "returned as aux. A transform takes its own layer off what it returns, and knows "
                "how for tensors. Return `tensor(value)`, or set a variable of the outer function."
            )
    return unflatten(structure, [settled(leaf) for leaf in leaves])


def refuse_complex(name: str, leaves: list[Any], *, inputs: bool) -> None:
    """Raise if a tensor is complex: what its Jacobian is, is a matter of convention."""
    for place, leaf in enumerate(leaves):
        if isinstance(leaf, Tensor) and leaf.dtype.kind == "c":
            raise TransformError(
                f"{name}: Expected all {'inputs' if inputs else 'outputs'} to be real but received "
                f"complex tensor at flattened input idx: {place}. A complex function has no one "
                "Jacobian of its dtype. Take that of the real and the imaginary part."
            )


def _kind(output: Any) -> str:
    kind = type(output).__name__
    return f"a {kind} of {len(output)}" if isinstance(output, tuple) else f"a {kind}"
