"""Forward mode on tensors themselves: where tangents are, and what a write does to them.

    d = make_dual(p, t)      d.cold.tangent is t
    v = d[0]                 v.cold.tangent is t[0], a view of t
    v.mul_(2)                writes d and t: both halves of a dual share memory alike

A tangent hangs on its tensor, and the level that is open knows weakly which tensors have one, to
take them away when it ends. A tangent lies in memory as its tensor does, so that a view of the
tensor has for its tangent the same view of the tangent, even if it was made before that was there.
That is so up to the *stem* of a view: the tensor it was taken from, or the latest `make_dual` or
`unpack_dual` on the way, which share memory with their argument but no tangent.

What ops do with tangents is told in `levels/tangents.py`.
"""

import weakref
from collections.abc import Iterable
from typing import Any

from glassgrad.core.errors import GraphError, ShapeError
from glassgrad.core.graph import ends
from glassgrad.core.state import modes, setting
from glassgrad.core.tensor import Tensor
from glassgrad.memory.views import Geometry
from glassgrad.values.layers import Layer


def tangent_of(tensor: Tensor) -> Tensor | None:
    """The tangent that ops see; None outside of a level, or where forward mode is off."""
    duals: Duals | None = modes.duals
    return None if duals is None or not is_forward() else duals.tangent(tensor)


def forward_moves(tensors: Iterable[Any]) -> bool:
    """Whether a tangent of one of them has to be moved on."""
    duals: Duals | None = modes.duals
    return duals is not None and duals.has_tangent(tensors)


def is_forward() -> bool:
    """Whether tangents are moved on: not where forward mode is off, nor in `inference_mode()`."""
    return modes.forward and not modes.inference


def apart(tensor: Tensor) -> Tensor:
    """A view of all of `tensor` that shares no tangent with it."""
    with primal():
        view = tensor.view_as(tensor)
    if view.cold is not None:
        view.cold.stem = None
    return view


def check_size(tensor: Tensor, tangent: Tensor) -> None:
    """Raise ShapeError if a tangent has not the size of its tensor."""
    if tuple(tangent.shape) != tuple(tensor.shape):
        raise ShapeError(
            "Trying to set a forward gradient that has a different size than that of the original "
            f"Tensor, this is not supported. Tensor is of size {list(tensor.shape)} while the "
            f"given forward gradient is of size {list(tangent.shape)}. Each element moves at its "
            "own speed. Write `tangent.expand_as(x)`."
        )


def primal() -> setting:
    """The block in which forward mode is set aside: primals and tangents are plain tensors."""
    return setting(forward=False)


class Duals:
    """The tensors that have a tangent while one level of forward mode is open.

    Attributes:
        depth: how many transforms were open before. What is done to tensors of those that were
            opened later is seen here one level further down, on the tensors that have tangents.
    """

    def __init__(self) -> None:
        self.depth = len(modes.levels)
        self._carriers: weakref.WeakValueDictionary[int, Tensor] = weakref.WeakValueDictionary()
        self._of_saved: weakref.WeakKeyDictionary[Any, dict[int, Tensor]]
        self._of_saved = weakref.WeakKeyDictionary()

    def close(self) -> None:
        """Take all tangents away."""
        for tensor in list(self._carriers.values()):
            self.drop(tensor)
        self._carriers.clear()
        self._of_saved.clear()

    def is_used(self) -> bool:
        """Whether any tensor has a tangent that ops would see."""
        return bool(self._carriers) and is_forward()

    def acts(self) -> bool:
        """Whether an op that is done now moves tangents on."""
        here = modes.__dict__.get
        if not here("forward", True) or here("inference", False):
            return False
        return len(here("levels", ())) == self.depth

    def has_tangent(self, operands: Iterable[Any]) -> bool:
        """Whether one of the operands of an op has a tangent, and it is to be moved on."""
        if not self.acts():
            return False
        for x in operands:
            if isinstance(x, Tensor) and x.cold is not None and self.tangent(x) is not None:
                return True
        return False

    def tangent(self, tensor: Tensor) -> Tensor | None:
        """The tangent of `tensor`: its own, or for a view the part of its stem's."""
        cold = tensor.cold
        if cold is None or cold.tangent is not None or cold.stem is None:
            return cold and cold.tangent
        stem = cold.stem
        whole = stem.cold and stem.cold.tangent
        if whole is None:
            return None
        at = Geometry.of(stem, tensor)
        with primal():
            part = whole.as_strided(at.size, at.stride, at.offset + whole.storage_offset())
        self.hang(tensor, part)
        return part

    def hang(self, tensor: Tensor, tangent: Tensor) -> None:
        """Let `tensor` have this very tangent."""
        tensor.cold_side().tangent = tangent
        self._carriers[id(tensor)] = tensor

    def drop(self, tensor: Tensor) -> None:
        """Take the tangent of `tensor` away."""
        if tensor.cold is not None:
            tensor.cold.tangent = None

    def give(self, tensor: Tensor, tangent: Tensor) -> Tensor:
        """Let `tensor`, which has none, have a tangent: this one, or a copy laid out as it is.

        Returns:
            The tangent that it has.

        Raises:
            ShapeError: if the shapes differ.
            GraphError: if the tangent has a tangent, or elements of the tensor share their memory
                and so cannot move each for itself.
        """
        check_size(tensor, tangent)
        if self.tangent(tangent) is not None:
            raise GraphError(
                "Setting a forward grad that itself has a forward gradient at the same level 0 is "
                "not supported: there is one level, and a tangent is a constant of it. Write "
                "`unpack_dual(tangent).primal`, or nest `func.jvp` for higher derivatives."
            )
        return self.hang_alike(tensor, tangent)

    def hang_alike(self, tensor: Tensor, tangent: Tensor) -> Tensor:
        """The same for a tangent of which it is known that it fits."""
        if not _alike(tensor, tangent):
            with primal():
                tangent = room_like(tensor, tangent).copy_(tangent)
        self.hang(tensor, tangent)
        return tangent

    def written(self, tensor: Tensor, tangent: Tensor | None) -> None:
        """Move the tangent of a tensor that was written, in the memory it has.

        Args:
            tangent: what it is now; None: zeros, for what was written is a constant.
        """
        if not self.acts():
            return
        own = self.tangent(tensor)
        if own is None and tangent is not None:
            stem = tensor.cold and tensor.cold.stem
            if stem is None:
                self.give(tensor, _fitted(tangent, tensor))
                return
            if _covers(tensor, stem):
                self.hang(tensor, self.give(stem, _fitted(tangent, tensor)))
                return
            with primal():
                self.hang(stem, room_like(stem, tangent))
            own = self.tangent(tensor)
        if own is None or own is tangent:
            return
        with primal():
            if tangent is None:
                own.zero_()
            else:
                own.copy_(tangent)

    def keep_as_it_is(self, copy: Tensor, tensor: Tensor) -> None:
        """Let a copy of a tensor that is about to be written have a copy of its tangent."""
        tangent = tangent_of(tensor)
        if tangent is not None:
            with primal():
                self.hang(copy, tangent.clone())

    # What a node saved may come back as another tensor -------------------------------------------

    def keep_output(self, output: Tensor, tangent: Tensor) -> None:
        """Remember the tangent of an output for whoever takes it out of the node that saved it."""
        if output.edge is not None and output.grad_fn is not None:
            node, nr = ends(output.edge)
            self._of_saved.setdefault(node, {})[nr] = tangent

    def keep_saved(self, packed: Any, tensor: Tensor) -> None:
        """Remember the tangent of a tensor that was given to a pack hook."""
        tangent = self.tangent(tensor)
        if tangent is not None:
            self._of_saved[packed] = {0: tangent}

    def restore(self, tensor: Tensor, saved: Any, nr: int = 0) -> None:
        """Let a tensor that was made again have the tangent that it had when it was saved.

        Args:
            saved: the node of which it is an output, and `nr`, or what the pack hook made of it.
        """
        tangent = self._of_saved.get(saved, {}).get(nr)
        if tangent is not None:
            self.hang(tensor, tangent)


# How tangents lie in memory ---------------------------------------------------------------------


def _fitted(tangent: Tensor, tensor: Tensor) -> Tensor:
    """A tangent stretched to the shape of what was written."""
    with primal():
        return tangent if tangent.shape == tensor.shape else tangent.expand(tensor.shape)


def _covers(view: Tensor, stem: Tensor) -> bool:
    """Whether a view shows all of its stem just as it is."""
    a, b = view.payload, stem.payload
    return bool(a.shape == b.shape and a.strides == b.strides)


def _alike(tensor: Tensor, tangent: Tensor) -> bool:
    """Whether views of both can be taken alike: the same steps, in memory of the same size."""
    a, b = tensor.payload, tangent.payload
    is_plain = not (isinstance(a, Layer) or isinstance(b, Layer))
    if is_plain and a.base is b.base is None and a.strides == b.strides and a.dtype is b.dtype:
        return True
    if tensor.numel() == 0:
        return True
    for n, step, other in zip(a.shape, a.strides, b.strides, strict=True):
        if n != 1 and step * b.itemsize != other * a.itemsize:
            return False
    return not is_plain or _elements_of_storage(a) == _elements_of_storage(b)


def _elements_of_storage(array: Any) -> int:
    """How many elements the memory has in which an array lies."""
    owner = array
    while getattr(owner, "base", None) is not None and hasattr(owner.base, "nbytes"):
        owner = owner.base
    return int(owner.nbytes) // int(array.itemsize)


def room_like(tensor: Tensor, tangent: Tensor) -> Tensor:
    """Zeros that lie in memory as `tensor` does; for each example that it or `tangent` is of."""
    size, stride = tensor.shape, tensor.stride()
    last = sum([(n - 1) * step for n, step in zip(size, stride, strict=True)])
    reach = 0 if 0 in size else last + 1
    memory = tensor.new_zeros((reach,), dtype=tangent.dtype) + tangent.new_zeros(())
    room: Tensor = memory.as_strided(size, stride)
    return room
