"""The Tensor: an array, and where its gradient goes.

A tensor has three slots. `payload` is the array. `edge` says where the gradient goes: None (no
gradient), LEAF (a leaf that requires grad), a node (its only output), a GradientEdge (one of
several outputs) or another Pending (a view whose memory was written since). `cold` is a side object
for what few tensors have, made on first use.

What else a Tensor can do, the ops declare, and other packages copy onto it
(`glassgrad/__init__.py`).
"""

import math
import weakref
from typing import TYPE_CHECKING, Any, Self, final

import numpy as np

from . import state
from .errors import ArgumentTypeError, GraphError
from .state import Place, here, plugs

if TYPE_CHECKING:
    from glassgrad._methods import Methods
    from glassgrad.ops._methods import OpMethods

    class _Mixins(Methods, OpMethods): ...
else:
    _Mixins = object


@final
class Pending:
    """An `edge` that is found when it is used, by `edge.settle(tensor)`.

    Attributes:
        settle: finds it; for a view it also puts what it found into the place of the Pending.
        was: the edge that a view had before its memory was written.
    """

    __slots__ = ("settle", "was")

    def __init__(self, settle: Any = None, was: Any = None) -> None:
        self.settle, self.was = settle, was

    def __repr__(self) -> str:
        return "LEAF" if self is LEAF else "PENDING"


# The `edge` of a leaf that requires grad. It settles for the leaf's AccumulateGrad.
LEAF: Any = Pending()

# The `grad_dtype` of a leaf that takes gradients of any dtype as they come.
ANY_DTYPE: Any = object()


class Size(tuple[int, ...]):
    """A shape: a tuple that prints as one and knows its number of elements.

    Example:
        >>> Size((2, 3)).numel()
        6
    """

    __slots__ = ()

    def numel(self) -> int:
        """The product of the sizes."""
        return math.prod(self)


@final
class Version:
    """How often a storage was written in place; shared by all tensors that share the storage.

    Attributes:
        count: how often.
        views: the `Views` of the storage, who have to know of a write; None if there are none.
        written_line: the source line of the last write.
    """

    count: int = 0
    views: Any = None
    written_line: Place | None = None


@final
class Cold:
    """The cold side of a tensor: what few tensors have, each None until there is one.

    Attributes:
        grad: the gradient: of a leaf, or of a tensor that retains it.
        version: the storage's Version.
        accumulator: a weak reference to the leaf's AccumulateGrad.
        grad_dtype: the dtype a leaf wants its gradients in, or ANY_DTYPE; None: its own.
        hooks, post_hooks: a leaf's hooks before and after accumulation.
        base: the tensor this one is a view of; only views have the next two.
        made: how the view was made, if it was made where it may not be written (`memory/views.py`).
        seen: the version of the storage for which the view's `edge` is right.
        stem: the tensor of whose tangent a view has a part, often its base (`levels/duals.py`).
        tangent: how it moves, while a level of forward mode is open that knows.
        name: a name for pictures and error messages.
        is_inference: made inside `inference_mode()`.
    """

    grad: "Tensor | None" = None
    version: Version | None = None
    accumulator: "weakref.ref[Any] | None" = None
    grad_dtype: Any = None
    hooks: Any = None
    post_hooks: Any = None
    base: "Tensor | None" = None
    made: Any = None
    seen: int = 0
    stem: "Tensor | None" = None
    tangent: "Tensor | None" = None
    name: str | None = None
    is_inference: bool = False


class Tensor(_Mixins):
    """A multi-dimensional array that knows how it was computed.

    Args:
        data: an array, another tensor or (nested) sequences of numbers. Numbers become the
            default dtype, as in PyTorch; write `glassgrad.tensor(...)` to keep integers. Or sizes:
            `Tensor(2, 3)`, of any values.
        dtype, device: what to make of it.
        requires_grad: whether gradients are wanted with respect to it.

    Example:
        >>> x = tensor([1.0, 2.0], requires_grad=True)
        >>> (x * x).sum().backward()
        >>> x.grad
        tensor([2., 4.])
    """

    __slots__ = ("__dict__", "__weakref__", "cold", "edge", "payload")

    payload: Any
    edge: Any
    cold: Cold | None

    def __new__(
        cls, *data: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False
    ) -> Self:
        self = object.__new__(cls)
        self.payload = plugs.values.payload_of(cls, data, dtype, device)
        self.edge = self.cold = None
        if requires_grad:
            self.requires_grad = True
        return self

    # What the array is ------------------------------------------------------------------------

    @property
    def shape(self) -> Size:
        """The sizes of the dims."""
        return Size(self.payload.shape)

    @property
    def dtype(self) -> "np.dtype[Any]":  # type: ignore[override]
        """The dtype of the elements: a NumPy dtype."""
        return self.payload.dtype  # type: ignore[no-any-return]  # payload is Any

    @property
    def ndim(self) -> int:
        """The number of dims."""
        return self.payload.ndim  # type: ignore[no-any-return]  # payload is Any

    # What it is to autograd ---------------------------------------------------------------------

    @property
    def requires_grad(self) -> bool:
        """Whether gradients flow to it. Settable on leaves."""
        return self.edge is not None

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise ArgumentTypeError(
                f"requires_grad must be a bool, got {type(value).__name__}. Write True or False."
            )
        plugs.gradients.check_may_require(self, value)
        self.edge = LEAF if value else None
        if self._base is None:
            self._tell_views()
        if not value and self.cold is not None and self.cold.accumulator is not None:
            accumulator = self.cold.accumulator()
            if accumulator is not None:
                accumulator.hooks()  # where there might be hooks, a pass looks before it adds

    @requires_grad.deleter
    def requires_grad(self) -> None:
        raise GraphError("cannot delete requires_grad: each tensor says it. Set it to False.")

    @property
    def is_leaf(self) -> bool:
        """Whether no recorded op made it: `.grad` ends up in leaves."""
        return self._settled() is None

    @property
    def grad_fn(self) -> Any:
        """The node that made it, None for a leaf."""
        edge = self._settled()
        return getattr(edge, "node", edge)

    @property
    def output_nr(self) -> int:
        """Its position among the outputs of `grad_fn`."""
        return getattr(self._settled(), "output_nr", 0)

    def _settled(self) -> Any:
        """The edge, None for a leaf; that of a view is found anew if its memory was written."""
        edge = self.edge
        if edge.__class__ is Pending:
            return None if edge is LEAF else edge.settle(self)
        return edge

    def is_inference(self) -> bool:
        """Whether it was made inside `inference_mode()`."""
        return self.cold is not None and self.cold.is_inference

    def cold_side(self) -> Cold:
        """The cold side, made on first use."""
        if self.cold is None:
            self.cold = Cold()
        return self.cold

    def detach(self) -> "Tensor":
        """The same array, out of the graph: shares memory and version.

        Example:
            >>> x = tensor([1.0], requires_grad=True)
            >>> x.detach().requires_grad
            False
        """
        payload = self.payload
        if WRAPPERS.get(payload.__class__):
            payload = payload.detached()
        out = wrap(payload, version=None if self.is_inference() else self.version_counter())
        out.cold_side().is_inference = self.is_inference()
        return out

    # Shared memory and versions -----------------------------------------------------------------

    @property
    def _version(self) -> int:
        if self.is_inference():
            raise GraphError(
                "Inference tensors do not track version counter. They never take part in "
                "autograd. Write `x.clone()` outside of inference_mode() for one that does."
            )
        version = None if self.cold is None else self.cold.version
        return 0 if version is None else version.count

    def version_counter(self) -> Version:
        """The storage's Version, made on first use.

        A node that saved this tensor as its own output holds only the array: the two share the
        Version from now on, so that a write through any alias is seen.
        """
        cold = self.cold or self.cold_side()
        if cold.version is None:
            at = getattr(self.edge, "_result_at", None)
            cold.version = Version() if at is None else plugs.saved.version_of_result(self.edge, at)
        return cold.version

    def wrote(self, place: Place | None = None) -> None:
        """Note that the array was changed in place: at `place`, or by the line that is running."""
        version = self.version_counter()
        version.count += 1
        version.written_line = here(2) if place is None else place
        state.last_write = state.next_seq()
        if version.views is not None:
            version.views.written()

    def _tell_views(self) -> None:
        """Let the views of this tensor know that its edge has changed."""
        version = None if self.cold is None else self.cold.version
        if version is not None and version.views is not None:
            version.views.written()

    @property
    def _base(self) -> "Tensor | None":
        return None if self.cold is None else self.cold.base

    def _is_view(self) -> bool:
        return self._base is not None

    __hash__ = object.__hash__  # by identity: == compares elements


# The classes whose tensors the fast door takes; `nn.Parameter` joins them.
PLAIN: set[type] = {Tensor}

# The classes of tensors whose payload is no array, by that of the payload (`values/layers.py`).
WRAPPERS: dict[type, type[Tensor]] = {}

_new = object.__new__


def wrap(payload: Any, edge: Any = None, *, version: Version | None = None) -> Tensor:
    """A tensor around an array, without copying or checking it."""
    out = _new(WRAPPERS.get(payload.__class__, Tensor))
    out.payload = payload
    out.edge = edge
    out.cold = None
    if version is not None:
        out.cold_side().version = version
    return out


def is_differentiable(dtype: "np.dtype[Any]") -> bool:
    """Whether tensors of this dtype can require grad: floats and complex numbers."""
    return dtype.kind in "fc"


def whole(value: Any) -> Any:
    """`value`, or a 0-d array if NumPy made a scalar of a 0-d result."""
    return np.asarray(value) if isinstance(value, np.generic) else value


def as_tensor(grad: Any) -> Tensor | None:
    """A gradient as hooks and users' Functions see it."""
    if type(grad) is np.ndarray:  # `wrap` written out: every hook pays for it
        tensor = _new(Tensor)
        tensor.payload = grad
        tensor.edge = tensor.cold = None
        return tensor
    if grad is None or isinstance(grad, Tensor):
        return grad
    return wrap(whole(grad))
