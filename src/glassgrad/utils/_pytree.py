"""Trees of containers under the names that PyTorch has for them (`torch.utils._pytree`)."""

from collections.abc import Callable, Iterable
from typing import Any

from glassgrad.values.tree import Structure, flatten, map_leaves, unflatten

__all__ = [
    "tree_all", "tree_any", "tree_flatten", "tree_leaves", "tree_map", "tree_map_only",
    "tree_structure", "tree_unflatten",
]  # fmt: skip

tree_flatten, tree_map = flatten, map_leaves


def tree_unflatten(leaves: Iterable[Any], treespec: Structure) -> Any:
    """`unflatten`, with the leaves first."""
    return unflatten(treespec, leaves)


def tree_leaves(tree: Any) -> list[Any]:
    """The leaves of a tree, in order."""
    return flatten(tree)[0]


def tree_structure(tree: Any) -> Structure:
    """The containers of a tree, without its leaves."""
    return flatten(tree)[1]


def tree_map_only(kinds: Any, func: Callable[[Any], Any], tree: Any) -> Any:
    """The tree with `func(leaf)` in the place of each leaf that is of some kinds."""
    return map_leaves(lambda leaf: func(leaf) if isinstance(leaf, kinds) else leaf, tree)


def tree_all(pred: Callable[[Any], bool], tree: Any) -> bool:
    """Whether `pred` holds for all leaves."""
    return all(map(pred, tree_leaves(tree)))


def tree_any(pred: Callable[[Any], bool], tree: Any) -> bool:
    """Whether `pred` holds for one leaf at least."""
    return any(map(pred, tree_leaves(tree)))
