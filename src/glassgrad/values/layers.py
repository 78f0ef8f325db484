"""Layers: how a tensor looks to a transform.

    grad(f)(x)           inside f:  Wrapped ── payload ──> Layer(level 1) ── value ──> x
    vmap(grad(f))(xs)    inside f:  Wrapped ──> Layer(level 2) ──> Wrapped ──> Batch(level 1) ──> xs

While a transform is open, tensors of its own are `Wrapped`: where a plain tensor has an array,
they have a `Layer`, behind which is a tensor of the level below; at the bottom are plain tensors.
A layer answers what is asked of an array's form, so that few places need to know of it.

What a level is, and does with an op, is told in `glassgrad.levels` and `glassgrad.func`.
"""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np

from glassgrad.core import state
from glassgrad.core.errors import TransformError
from glassgrad.core.state import Shape, modes
from glassgrad.core.tensor import WRAPPERS, Tensor, wrap

from .backend import Backend, Device, admit, backend_of, in_order


class Wrapped(Tensor):
    """A tensor as a transform sees it: its payload is a `Layer`."""

    __slots__ = ()

    payload: "Layer"


Wrapped.__name__ = "Tensor"  # in messages: whoever wrote the function knows of no other class


class Layer:
    """What a `Wrapped` tensor has in the place of an array.

    It answers what is asked of an array's form; its numbers are those of `value`.

    Attributes:
        level: the transform it belongs to.
        value: the tensor one level down.
    """

    __slots__ = ("level", "value")

    kind = "GradTracking"
    batched = False

    def __init__(self, level: Any, value: Tensor) -> None:
        self.level, self.value = level, value

    @property
    def shape(self) -> Shape:
        """The sizes of the dims, as the transformed function sees them."""
        return tuple(self.value.payload.shape)

    @property
    def strides(self) -> Shape:
        """Bytes from one element to the next, by dim."""
        return self.value.payload.strides  # type: ignore[no-any-return]  # payload is Any

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self.value.payload.dtype

    @property
    def ndim(self) -> int:
        """The number of dims."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def itemsize(self) -> int:
        """Bytes per element."""
        return self.dtype.itemsize  # type: ignore[no-any-return]  # an int

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.itemsize * self.size

    @property
    def flags(self) -> Any:
        """What is known of the memory."""
        in_rows = 0 in self.shape or in_order(self.shape, self.strides, self.itemsize)
        return SimpleNamespace(writeable=True, c_contiguous=in_rows)

    def __len__(self) -> int:
        return self.shape[0]

    def copy(self) -> "Layer":
        """The same with memory of its own."""
        with self.level.below():
            return self.over(self.value.clone())

    def pictured(self) -> tuple[str, Tensor]:
        """The tensor behind it as it prints, and what is said of it."""
        return "", self.value

    def over(self, value: Tensor) -> "Layer":
        """A layer of this level and kind around another value."""
        return type(self)(self.level, value)

    def detached(self) -> "Layer":
        """The same memory, out of the graphs and without the tangents of all levels."""
        return self.over(self.value.detach())

    def assign(self, tensor: Tensor, source: Any) -> None:
        """Write the values of another payload into the memory of this one, that of `tensor`."""
        with self.level.below():
            self.value.copy_(self.level.value_of(source))

    def concrete(self) -> Any:
        """What is below, if it has the numbers that the transformed function sees."""
        return self.value.payload

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """`np.zeros_like(layer)`, `np.arange(n, like=layer)` and their kin: constants."""
        if func in (np.arange, np.eye, np.full, np.ones, np.zeros):
            return func(*args, like=array_of(self), **kwargs)
        if func not in (np.zeros_like, np.ones_like, np.full_like, np.empty_like):
            return NotImplemented
        kwargs = {"shape": self.shape, **kwargs}
        return func(array_of(self), *args[1:], **kwargs)


def array_of(value: Any) -> Any:
    """The array of a tensor or payload, or the one at its bottom: says where a constant belongs."""
    payload = value.payload if isinstance(value, Tensor) else value
    while isinstance(payload, Layer):
        payload = payload.value.payload
    return payload


def batches_of(x: Tensor) -> set[Any]:
    """The levels for which `x` shows one example of a batch."""
    found: set[Any] = set()
    while isinstance(x.payload, Layer):
        if x.payload.batched:
            found.add(x.payload.level)
        x = x.payload.value
    return found


def settled(x: Any) -> Any:
    """An operand as a tensor of an open level, or a plain one: what it wraps, if its level is not.

    Raises:
        TransformError: if it escaped from a function that was vmapped.
    """
    if isinstance(x, Layer):
        x = wrap(x)
    while x.__class__ is Wrapped:
        level = x.payload.level
        if level in modes.levels:
            return x
        if x.payload.batched:
            raise TransformError(
                "Either your tensor may have escaped from inside a function being vmapped and "
                f"this is a user error: it shows one example, of shape {list(x.shape)}, of a batch "
                "that is no longer mapped over. Return it from the function."
            )
        x = x.payload.value
    return x


def refuse_inside(call: str) -> None:
    """Raise if a transform is being computed: `call` would tell the tape, and not the transform."""
    if any(level.asked_for for level in modes.levels):
        kinds = " of ".join([level.kind for level in modes.levels])
        raise TransformError(
            f"You are attempting to call {call} (or perhaps using torch.autograd.functional.* "
            "APIs, or ours) inside of a function being transformed by a functorch transform: "
            f"{kinds}. This is unsupported: a transform keeps derivatives of its own. Please use "
            "grad, vjp, jvp, jacrev, jacfwd or hessian of glassgrad.func there, or call it outside."
        )


def visible(payload: Any) -> Any:
    """The array that has the numbers of a payload; None if it has those of a whole batch."""
    while isinstance(payload, Layer) and not payload.batched:
        payload = payload.value.payload
    return None if isinstance(payload, Layer) else payload


def fresh(payload: Any, *, requires_grad: bool = False, like: Tensor | None = None) -> Tensor:
    """A new leaf, as factories make them: marked if made inside `inference_mode()`.

    Args:
        like: a tensor it is to match: a batch of examples, inside vmap, where that is one.
    """
    out = wrap(payload)
    if state.special:
        if modes.inference:
            out.cold_side().is_inference = True
        for level in modes.levels:  # it belongs to all of them, and may be written
            out = level.lift(out) if like is None else level.lift_like(out, like)
    if requires_grad:
        out.requires_grad = True
    return out


class _Layers(Backend):
    """The backend of layers: that of the arrays at the bottom."""

    array_type = Layer

    def asarray(self, data: Any, dtype: Any = None) -> Any:
        """A plain array, or a layer as it is."""
        if isinstance(data, Layer):
            return data if dtype is None else wrap(data).to(dtype).payload
        return np.asarray(data, dtype)

    def asnumpy(self, array: Any) -> Any:
        """The numbers, if the transform lets them be seen."""
        below = array.concrete()
        return backend_of(below).asnumpy(below)

    def address(self, array: Any) -> int:
        """Where in memory its first element is."""
        return backend_of(array_of(array)).address(array_of(array))

    def device(self, array: Any) -> Device:
        """Where the array at the bottom lives."""
        return backend_of(array_of(array)).device(array_of(array))


_BACKEND = _Layers()


def admit_layer(kind: type[Layer]) -> type[Layer]:
    """Let layers of this kind pass for arrays, and tensors around them be `Wrapped`."""
    admit(kind, _BACKEND)
    WRAPPERS[kind] = Wrapped
    return kind


admit_layer(Layer)
