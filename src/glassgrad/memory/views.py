"""Views: tensors that share memory, and what a recorded write to one does to the others.

    b = a * 1        b.grad_fn: Mul                     v.grad_fn: Select ─> Mul
    v = b[0]
    v.exp_()         b.grad_fn: CopySlices(Exp) ─> Mul  v.grad_fn: AsStrided ─> CopySlices(Exp)

A write to a view changes its base, so the base gets a new node: `CopySlices` hands the gradient of
the part to the node of the write, and that of the rest on to where the base was before. All other
views of the memory now belong behind that node. They learn so at once and look when they are used:
their edge is `Pending` until then, and settles for an `AsStridedBackward0` (Note [Stale views]).

# Note [Stale views]
# A Version knows its views weakly. A write marks each of them; nothing is computed for views that
# nobody uses again, and an error about a view is raised where the view is used, as in PyTorch. A
# view that was written under no_grad is found anew too: which values its node saw is unknown.
"""

import functools
import math
import weakref
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from glassgrad.core.errors import FreedGraphError, GraphError
from glassgrad.core.graph import AccumulateGrad, Edge, Node, edge_of, ends, number
from glassgrad.core.saved import FREED
from glassgrad.core.state import Shape, Values, modes
from glassgrad.core.tensor import LEAF, Pending, Tensor, wrap
from glassgrad.values.backend import backend_of, in_order, repeats
from glassgrad.values.layers import Layer, Wrapped, array_of, settled
from glassgrad.values.tree import as_tuple

# How a view was made, if it was made where a recorded write to it has no clear meaning.
NO_GRAD, INFERENCE, MULTIPLE, CUSTOM = "no_grad", "inference", "multiple", "custom"


def as_view(view: Tensor, base: Tensor, *, made: str | None = None) -> Tensor:
    """Note that `view` shares the memory of `base`: one version, and one `_base` for all.

    Args:
        view: a tensor just made.
        base: what it shows, maybe a view itself.
        made: MULTIPLE or CUSTOM where a write to `view` could not be recorded.

    Returns:
        `view`.
    """
    if view.__class__ is Wrapped:
        if base.__class__ is not Wrapped or base.payload.level is not view.payload.level:
            return view  # of what is no tensor of this level; one level down they are tied
    elif base.__class__ is Wrapped:
        base = settled(base)  # its level is closed
    cold, above = view.cold or view.cold_side(), base.cold or base.cold_side()
    if cold.base is not None:
        return view  # a level has seen to it
    if above.is_inference:
        cold.is_inference, view.edge = True, None
        return view  # nobody counts its versions
    version = above.version or base.version_counter()
    cold.version, cold.seen = version, version.count
    cold.stem = base if above.stem is None else above.stem
    cold.base = base if above.base is None else above.base
    cold.made = above.made
    if modes.inference:
        cold.made, cold.is_inference = INFERENCE, False
    elif not modes.grad:
        cold.made = NO_GRAD
    elif made is not None:
        cold.made = made
    if version.views is None:
        version.views = Views()
    version.views.add(view)
    if view.edge is None and cold.base.edge is not None:
        view.edge = Pending(_settle)
    return view


def show(views: Any, base: Any) -> Any:
    """Note that the results of a view op, one or several, share the memory of its operand."""
    for view in as_tuple(views) if isinstance(base, Tensor) else ():
        as_view(view, base, made=MULTIPLE if isinstance(views, tuple) else None)
    return views


class Views(list["weakref.ref[Tensor]"]):
    """The views of one storage, known weakly."""

    __slots__ = ()

    def alive(self) -> list[Tensor]:
        """Those that are not gone."""
        return [view for ref in self if (view := ref()) is not None]

    def add(self, view: Tensor) -> None:
        """Know of one more; those that are gone are forgotten every now and then."""
        if (n := len(self)) >= 16 and not n & (n - 1):  # a power of two
            self[:] = [ref for ref in self if ref() is not None]
        self.append(weakref.ref(view))

    def written(self, *, moved: bool = False) -> None:
        """Their memory, or the edge of their base, has changed: they have to look.

        Args:
            moved: their base has another place in the graph, so that theirs is behind it.
        """
        for view in self.alive():
            edge, base = view.edge, view._base
            if moved:
                view.cold_side().seen = -1
            assert base is not None, "a view has a base"
            if edge is LEAF and base.edge is None:
                continue  # a view of a constant, made a leaf that requires grad
            if edge is None or (edge.__class__ is Pending and edge.was is None):
                view.edge = None if base.edge is None else Pending(_settle)
            elif edge.__class__ is not Pending:
                view.edge = Pending(_settle, edge)


def _settle(view: Tensor) -> Any:
    """The edge of a view whose memory may have been written since it was last looked up."""
    pending, cold, version = view.edge, view.cold_side(), view.version_counter()
    assert cold.base is not None, "a view has a base"
    if pending.__class__ is not Pending:
        return pending  # both operands of an op, and the first has looked
    if cold.seen == version.count or (pending.was is None and cold.base.edge is None):
        return pending.was
    check_made(view, "its base or another view of its base has been")
    relocate(view, AsStridedBackward0(cold.base, view, (edge_of(cold.base),), view))
    cold.seen = version.count
    return view.edge


def check_made(view: Tensor, what: str = "is being") -> None:
    """Raise if a recorded write to the memory of `view` has no clear meaning.

    Args:
        what: the words before "modified inplace".
    """
    made = view.cold and view.cold.made
    if not made:
        return
    edge = view.edge.was if view.edge.__class__ is Pending else view.edge
    node, nr = ends(edge)
    name = node and node.op_name()
    if made in (NO_GRAD, INFERENCE) or node is None:
        begun = f"Output {nr} of {name} is a view of a view which" if node else "A view"
        mode, now = "no_grad", "with grad mode enabled"
        if made == INFERENCE:
            mode, now = "inference", "in normal mode"
        said = f"{begun} was created in {mode} mode and {what} modified inplace {now}."
    else:
        said = f"Output {nr} of {name} is a view and {what} modified inplace."
    raise GraphError(f"{said} {_WHY_NOT[made]} (The view has the shape {tuple(view.shape)}.)")


_BOTH_SIDES = (
    "Whether the write should be recorded is ambiguous and error-prone, so it is forbidden. Move "
    "the view and the write both inside the {} block, or both outside of it."
)
_WHY_NOT = {
    NO_GRAD: _BOTH_SIDES.format("no_grad"),
    INFERENCE: _BOTH_SIDES.format("inference_mode"),
    MULTIPLE: (
        "This view is the output of a function that returns multiple views. Such functions do not "
        "allow the output views to be modified inplace. Write out of place: `y = x + …`."
    ),
    CUSTOM: (
        "This view was created inside a custom Function (or because an input was returned as-is) "
        "and the write would bypass its backward, so gradients would be wrong. Return a clone() "
        "from the Function."
    ),
}


# What a write does to the graph -------------------------------------------------------------------


def move(tensor: Tensor, edge: Edge, at: int = 0) -> None:
    """Put a tensor that was written at its new place in the graph; a view takes its base along.

    Args:
        edge: the output of the node of the write.
        at: which edge of that node leads to the tensor as it was before.
    """
    base, cold, (node, _) = tensor._base, tensor.cold, ends(edge)
    if base is None:
        relocate(tensor, edge)
    else:
        relocate(base, CopySlices(base, tensor, node, at))
    if cold is not None and cold.version is not None and cold.version.views is not None:
        cold.version.views.written(moved=True)
    if base is not None:
        place = _settle(tensor)
        if node.holders:
            node.hooks().view = weakref.ref(place)


def relocate(tensor: Tensor, edge: Edge) -> None:
    """Give `tensor` another edge; `retain_grad` moves along, hooks stay behind."""
    old = tensor.edge.was if tensor.edge.__class__ is Pending else tensor.edge
    tensor.edge = edge
    node, nr = ends(old)
    kept = node and node.cold and node.cold.retain.get(nr)
    if kept and kept() is tensor:
        del node.hooks().retain[nr]
        new, nr = ends(edge)
        new.hooks().retain_grad_of(nr, tensor)


# Where a view lies in its base --------------------------------------------------------------------


class Geometry(NamedTuple):
    """Where the elements of a view are among those of its base; strides count elements.

    If one of both is complex and the other shows its parts, it is looked at in its parts, too: with
    one dim more, of size 2.

    Attributes:
        base_in_parts, view_in_parts: whether that is so.
    """

    base_size: Shape
    base_stride: Shape
    size: Shape
    stride: Shape
    offset: int
    base_in_parts: bool
    view_in_parts: bool

    @classmethod
    def of(cls, base: Tensor, view: Tensor) -> "Geometry":
        """Read from the addresses of the two arrays."""
        whole, part = base.payload, view.payload
        address = backend_of(whole).address
        n = min(whole.itemsize, part.itemsize)
        offset = (address(part) - address(whole)) // n if part.size else 0
        in_parts = whole.itemsize > n, part.itemsize > n
        return cls(*_laid_out(whole, n), *_laid_out(part, n), offset, *in_parts)

    def places(self, like: Any) -> Any:
        """For each element of the view, its position in the base in C order.

        Args:
            like: an array; the result is on its device.
        """
        found = offsets(self.size, self.stride) + self.offset
        if not in_order(self.base_size, self.base_stride):
            base = offsets(self.base_size, self.base_stride).reshape(-1)
            order = np.argsort(base, kind="stable")
            found = order[np.searchsorted(base[order], found)]
        return backend_of(like).asarray(found)

    def flat_index(self, like: Any) -> Any:
        """Those positions, one behind the other; a slice if they are in a row: none is sought."""
        if in_order(self.size, self.stride) and in_order(self.base_size, self.base_stride):
            return slice(self.offset, self.offset + math.prod(self.size))
        return self.places(like).reshape(-1)


def _laid_out(array: Any, n: int) -> tuple[Shape, Shape]:
    """The sizes and the strides of an array, in steps of `n` bytes: of an element, or of a part."""
    size, stride = array.shape, tuple([step // n for step in array.strides])
    return (size, stride) if array.itemsize == n else ((*size, 2), (*stride, 1))


def offsets(size: Shape, stride: Shape) -> Any:
    """How far each element of a strided array is from the first one."""
    steps = [np.arange(n) * step for n, step in zip(size, stride, strict=True)]
    return functools.reduce(np.add.outer, steps, np.zeros((), np.int64))


# The two nodes ------------------------------------------------------------------------------------


class _ViewNode(Node):
    """What the two have in common.

    Attributes:
        geometry: where the view is in its base.
    """

    __slots__ = ("geometry",)

    def __init__(self, base: Tensor, view: Tensor, edges: Any, output: Tensor) -> None:
        self.geometry = Geometry.of(base, view)
        self.edges = edges
        self.out_shape, self.out_dtype = output.payload.shape, output.payload.dtype
        self.cold = None
        if isinstance(base.payload, Layer):
            self._level = base.payload.level
        number(self)


class AsStridedBackward0(_ViewNode):
    """y = the part of x that a view shows        x̄ = 0 with ȳ in that part

    The place in the graph of a view whose base was written after the view was made.
    """

    __slots__ = ()

    _saved_size = property(attrgetter("geometry.size"))
    _saved_stride = property(attrgetter("geometry.stride"))
    _saved_storage_offset = property(attrgetter("geometry.offset"))

    def compute(self, grads: Values, recorded: bool) -> Values:
        """Put the gradient of the part where it belongs among zeros."""
        (grad,) = grads
        return (grad if grad is None else _with_part(None, self.geometry, grad),)


class CopySlices(_ViewNode):
    """x with a part of it written by `fn`        the rest of x̄ = z̄,  the part = x̄ of `fn`

    Attributes:
        fn: the node of the write to the view, None once it is freed. Its edge `at` would lead to
            the view as it was.
        at: which of the edges leads to the base instead.
    """

    __slots__ = ("at", "fn")

    name = AccumulateGrad.name

    def __init__(self, base: Tensor, view: Tensor, fn: Node, at: int) -> None:
        edges = (*fn.edges[:at], edge_of(base), *fn.edges[at + 1 :])
        super().__init__(base, view, edges, base)
        self.fn: Node | None = fn
        self.at = at

    def compute(self, grads: Values, recorded: bool) -> Values:
        """Run `fn` on the gradient of the part, and put what it returns back."""
        (grad,) = grads
        if grad is None:
            return (None,) * len(self.edges)
        if self.fn is None:
            raise FreedGraphError(FREED.message)
        results = list(self.fn.compute((_part(grad, self.geometry),), recorded))
        if self.edges[self.at] is not None:
            results[self.at] = _with_part(grad, self.geometry, results[self.at])
        return tuple(results)

    @property
    def holders(self) -> Any:
        """What the node of the write saved: something, for it is itself let go of."""
        return self.fn and (self.fn.holders or (None,))

    def release(self) -> None:
        """Let go of the node of the write; what it saved goes with it.

        Unless the graph of its gradient leads back to it, and its own turn is yet to come.
        """
        self.fn = None


def _zeros(like: Any, shape: Shape) -> Any:
    """Zeros of this shape: an array, or a Tensor if `like` is one."""
    zeros = np.zeros_like(array_of(like), order="C", shape=shape)
    return wrap(zeros) if isinstance(like, Tensor) else zeros


def _in_parts(value: Any, is_complex: bool) -> Any:
    """A value as `Geometry` looks at it: complex numbers, where it says so, in their parts."""
    if value is None or not is_complex:
        return value
    return np.stack([np.real(value), np.imag(value)], -1)


def _of_parts(value: Any, is_complex: bool) -> Any:
    """The same back: complex numbers of their parts."""
    return value[..., 0] + value[..., 1] * 1j if is_complex else value


def _part(whole: Any, geometry: Geometry) -> Any:
    """What the view shows of `whole`, an array or a Tensor of the shape of the base."""
    whole = _in_parts(whole, geometry.base_in_parts)
    index = geometry.flat_index(array_of(whole))
    return _of_parts(whole.reshape(-1)[index].reshape(geometry.size), geometry.view_in_parts)


def _with_part(whole: Any, geometry: Geometry, part: Any) -> Any:
    """A copy of `whole` with `part` in the place of the view; parts that overlap add up.

    Args:
        whole, part: arrays; Tensors to have it recorded. None for zeros.
    """
    whole = _in_parts(whole, geometry.base_in_parts)
    part = _in_parts(part, geometry.view_in_parts)
    whole = _zeros(part, geometry.base_size) if whole is None else whole
    part = _zeros(whole, geometry.size) if part is None else part
    adds = repeats(geometry.size, geometry.stride)
    if isinstance(whole, Tensor):
        index = (wrap(geometry.places(whole.payload)),)
        flat = whole.reshape(-1).index_put(index, part, accumulate=adds)
    else:
        flat = whole.copy().reshape(-1)
        index = geometry.flat_index(whole)
        if adds:
            backend_of(flat).reduce_at("add", flat, index, part.reshape(-1))
        else:
            flat[index] = part.reshape(-1)
    return _of_parts(flat.reshape(geometry.base_size), geometry.base_in_parts)
