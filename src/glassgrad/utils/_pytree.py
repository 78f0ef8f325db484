"""Trees of containers under the names that PyTorch has for them (`torch.utils._pytree`)."""

from collections.abc import Iterable
from typing import Any

from glassgrad.values.tree import Structure, flatten, map_leaves, unflatten

__all__ = ["tree_flatten", "tree_map", "tree_unflatten"]

tree_flatten, tree_map = flatten, map_leaves


def tree_unflatten(leaves: Iterable[Any], treespec: Structure) -> Any:
    """`unflatten`, with the leaves first."""
    return unflatten(treespec, leaves)
