"""What a PyTorch node saved, read without running anybody's hooks."""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from .arrays import is_tensor

__all__ = ["Saved", "saved_by", "version_now"]

_EXPECTED = re.compile(r"is at version \d+; expected version (\d+)")
_RAW = "_raw_saved_"


class Saved(NamedTuple):
    """One saved tensor of a node.

    Attributes:
        name: "self", "result", "saved_tensors[0]".
        tensor: the tensor in the node; what a pack hook made of it, if that is a tensor.
        version: of its memory when it was saved.
    """

    name: str
    tensor: Any
    version: int


def saved_by(node: Any) -> list[Saved]:
    """The saved tensors of `node`, in the order of their names; none if they are freed.

    What a pack hook turned into something else than a tensor is left out: to see the tensor one
    would have to call the unpack hook, which is the pass's to call.
    """
    found = []
    for attribute in sorted(a for a in dir(node) if a.startswith(_RAW)):
        name = attribute.removeprefix(_RAW)
        try:
            raw = getattr(node, attribute)
        except RuntimeError:
            continue  # freed
        many = raw if isinstance(raw, (tuple, list)) else (raw,)
        for index, item in enumerate(many):
            entry = _entry(node, name, index if many is raw else None, item)
            if entry is not None:
                found.append(entry)
    return found


def _entry(node: Any, name: str, index: int | None, item: Any) -> Saved | None:
    # `saved_tensors` is what users call those of their Functions.
    shown = "saved_tensors" if name == "tensors" else name
    shown = shown if index is None else f"{shown}[{index}]"
    try:
        tensor, hooked = item.data, item.unpack_hook is not None
    except (AttributeError, RuntimeError):
        return None  # an older PyTorch, which shows only what the hooks unpack; or freed
    if not is_tensor(tensor):
        return None
    # An output of its own node is whole only when it is read through the node.
    read = item.unpack if index is not None else lambda: getattr(node, f"_saved_{name}")
    return Saved(shown, tensor, version_now(tensor) if hooked else _version(read, tensor))


def _version(read: Callable[[], Any], tensor: Any) -> int:
    """The version `tensor` was saved at. PyTorch tells it only when it differs, in an error."""
    try:
        read()
    except RuntimeError as error:
        told = _EXPECTED.search(str(error))
        if told is not None:
            return int(told[1])
    return version_now(tensor)


def version_now(tensor: Any) -> int:
    """The version of the memory of `tensor`; 0 in inference mode, which counts none."""
    try:
        version: int = tensor._version
    except RuntimeError:
        return 0
    return version
