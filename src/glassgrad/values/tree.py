"""Nested tuples, lists, dicts and their kin: to a flat list of leaves and back.

    {"a": x, "b": [y, z]}   flatten →   [x, y, z]   and   leaf leaf leaf list(2) dict(a, b)

A structure is written down the way a pocket calculator with a stack would read it: containers
come after what they contain. So nothing here is recursive, and equal structures are equal tuples.
"""

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from glassgrad.core.state import Func, Values


class Container(NamedTuple):
    """How to rebuild one container from its `size` parts.

    Attributes:
        kind: its class.
        size: how many parts it has.
        keys: a dict's keys, in order; None for sequences.
        rest: what makes a defaultdict's missing values, or the most that a deque can hold.
    """

    kind: type
    size: int
    keys: Values | None = None
    rest: Any = None

    def build(self, parts: list[Any]) -> Any:
        """The container, of these parts."""
        if self.keys is not None:
            pairs = zip(self.keys, parts, strict=True)
            return defaultdict(self.rest, pairs) if self.kind is defaultdict else self.kind(pairs)
        if self.kind is deque:
            return deque(parts, self.rest)
        return self.kind(*parts) if hasattr(self.kind, "_fields") else self.kind(parts)


Structure = tuple[Container | None, ...]
"""One entry for each leaf (None) and container, a container after its parts."""


def flatten(tree: Any) -> tuple[list[Any], Structure]:
    """The leaves of `tree` from left to right, and its structure.

    Args:
        tree: nested tuples, named tuples, lists, deques and dicts, the ordered and defaulting ones
            too; anything else is a leaf, None as well.

    Example:
        >>> flatten((1, {"a": 2, "b": [3]}))[0]
        [1, 2, 3]
    """
    leaves: list[Any] = []
    steps: list[Container | None] = []
    stack = [tree]
    while stack:  # from right to left, and each container before its parts: all in reverse
        parts, container = _open(item := stack.pop())
        steps.append(container)
        if container is None:
            leaves.append(item)
        stack += parts
    return leaves[::-1], tuple(steps[::-1])


def _open(item: Any) -> tuple[list[Any], Container | None]:
    """The parts of a container, and what it is; ([], None) for a leaf."""
    kind = type(item)
    if kind in (dict, OrderedDict, defaultdict):
        missing = getattr(item, "default_factory", None)
        return list(item.values()), Container(kind, len(item), tuple(item), missing)
    if kind in (tuple, list, deque) or (isinstance(item, tuple) and hasattr(kind, "_fields")):
        return list(item), Container(kind, len(item), None, getattr(item, "maxlen", None))
    return [], None


def unflatten(structure: Structure, leaves: Iterable[Any], build: Func = Container.build) -> Any:
    """The tree of this structure with these leaves.

    Args:
        structure, leaves: as `flatten` returned them.
        build: makes a container of its parts.

    Example:
        >>> leaves, structure = flatten([1, (2, 3)])
        >>> unflatten(structure, [leaf * 10 for leaf in leaves])
        [10, (20, 30)]
    """
    supply = iter(leaves)
    stack: list[Any] = []
    for step in structure:
        if step is None:
            stack.append(next(supply))
        else:
            start = len(stack) - step.size
            stack[start:] = [build(step, stack[start:])]
    assert next(supply, supply) is supply, "there are as many leaves as flatten() returned"
    return stack.pop()


def map_leaves(function: Callable[[Any], Any], tree: Any) -> Any:
    """The same structure with `function(leaf)` in the place of each leaf.

    Example:
        >>> map_leaves(lambda leaf: leaf + 1, {"a": 1, "b": (2, 3)})
        {'a': 2, 'b': (3, 4)}
    """
    leaves, structure = flatten(tree)
    return unflatten(structure, [function(leaf) for leaf in leaves])


def spread(prefix: Any, tree: Any) -> list[Any] | None:
    """For each leaf of `tree`, the leaf of `prefix` that is in its place or above it.

    Args:
        prefix: a tree of which leaves may stand for whole parts of the other one. Dicts are
            compared by their keys, whatever their order and class.
        tree: the tree.

    Returns:
        As many entries as `tree` has leaves; None if `prefix` has another structure.

    Example:
        >>> spread((0, 1), ("a", ["b", "c"]))
        [0, 1, 1]
    """
    found: list[Any] = []
    stack = [(prefix, tree)]
    while stack:
        above, below = stack.pop()
        parts, container = _open(above)
        if container is None:
            found += [above] * len(flatten(below)[0])
            continue
        others, other = _open(below)
        if other is None:
            return None
        if container.keys is not None and other.keys is not None:
            if set(container.keys) != set(other.keys):
                return None
            parts = [above[key] for key in other.keys]
        elif other != container:
            return None
        stack.extend(reversed(list(zip(parts, others, strict=True))))
    return found


def describe(structure: Structure) -> str:
    """A structure as one would write it, with a star for each leaf.

    Example:
        >>> describe(flatten((1, {"a": 2, "b": [3]}))[1])
        "(*, {'a': *, 'b': [*]})"
    """
    return unflatten(structure, "*" * structure.count(None), _written)  # type: ignore[no-any-return]  # what `_written` returns


def _written(container: Container, parts: list[str]) -> str:
    """One container, of parts that are written already."""
    kind, keys = container.kind, container.keys
    if keys is not None:
        parts = [f"{key!r}: {part}" for key, part in zip(keys, parts, strict=True)]
        return "{" + ", ".join(parts) + "}"
    if kind is list:
        return "[" + ", ".join(parts) + "]"
    name = "" if kind is tuple else kind.__name__
    return f"{name}({', '.join(parts)}{',' if len(parts) == 1 else ''})"


def as_tuple(value: Any) -> Values:
    """Several values in a tuple as they are, any other value as a tuple of one."""
    return value if isinstance(value, tuple) else (value,)


def several(value: Any) -> Values:
    """Several values, in a tuple or a list, as a tuple; any other value as a tuple of one."""
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)
