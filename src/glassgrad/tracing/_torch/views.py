"""Which PyTorch nodes made views: it says so by the op's name alone."""

from typing import Any

__all__ = ["note_bases"]

# The ops whose result shares the memory of their first operand, whatever that is.
_VIEWS = frozenset(
    f"{name}Backward{number}"
    for name in (
        *("Alias", "AsStrided", "Diagonal", "Expand", "Permute", "ReshapeAlias", "Select", "Slice"),
        *("Split", "SplitWithSizes", "Squeeze", "T", "Transpose", "Unbind", "Unfold", "Unsqueeze"),
        "View",
    )
    for number in range(3)
)


def note_bases(nodes: list[dict[str, Any]]) -> None:
    """Give each node of a view, oldest first, the id of the node that made its base."""
    base: dict[str, str] = {}
    for node in nodes:
        first = node["edges"][0]["to"] if node["edges"] else None
        if first is not None and node["op"] in _VIEWS:
            node["base"] = base[node["id"]] = base.get(first, first)
