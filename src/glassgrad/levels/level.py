"""Levels: what a transform is.

A transform is a `Level`. The innermost open level sees each op first. It takes its own layer off
the operands, has the op done one level down, and wraps what comes back; "is this mine?" is
`layer.level is self`, so that perturbations of two levels cannot be confused. At the bottom are
plain tensors and arrays.

What each kind of level does with an op is told in `glassgrad.func`; that of `grad`, which records
it, is here, since forward mode makes use of it where an op has no rule for tangents.
"""

from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from glassgrad.core.errors import TransformError
from glassgrad.core.graph import edge_of
from glassgrad.core.primitive import (
    Parameters,
    Primitive,
    edges_of,
    record,
    results_of,
    with_gradients,
)
from glassgrad.core.state import Changes, Func, Names, Values, modes, plugs, setting
from glassgrad.core.tensor import LEAF, Tensor, wrap
from glassgrad.memory.calls import place_outputs
from glassgrad.memory.views import show
from glassgrad.values.layers import Layer, Wrapped, settled
from glassgrad.values.operands import in_common_dtype
from glassgrad.values.tree import as_tuple, map_leaves


class Level:
    """One transform that is being computed, in a block of `opened`.

    Attributes:
        depth: its position among the open levels of its thread, from 1; below 0 once it is closed.
        outer: the levels that were open before it, the innermost last.
        grad, forward: whether recording, and forward mode, were on where it was opened.
        modes_inside: the modes of the function that is transformed, where they are others.
        is_of_gradients: whether it is no transform of the user's, but a batch of gradients.
        off_below: the modes that are off below it wherever they were off around it.
    """

    kind = ""
    is_of_gradients = False
    off_below: ClassVar[Names] = ("grad", "forward")
    modes_inside: ClassVar[Changes] = {}

    def __init__(self) -> None:
        self.outer: tuple[Level, ...] = modes.levels
        self.depth = len(self.outer) + 1
        self.grad, self.forward = modes.grad, modes.forward

        # no_grad around a transform holds below it too.
        off = {name: False for name in self.off_below if not getattr(self, name)}
        self._below: Changes = {"levels": self.outer, **off}

    def close(self) -> None:
        """Of a level that is closed there is nothing to set aside; twice is harmless."""
        self.depth = -2
        self._below.pop("levels", None)

    def below(self) -> setting:
        """The block in which things are done one level down, as if this level were not there."""
        return setting(**self._below)

    def is_mine(self, x: Any) -> bool:
        """Whether `x` is a tensor of this level."""
        return x.__class__ is Wrapped and x.payload.level is self

    def lowered(self, x: Any) -> Any:
        """The tensor one level down of one that belongs to this level; anything else as it is."""
        return x.payload.value if self.is_mine(x) else x

    def handle(self, cls: Any, operands: Values, parameters: Parameters) -> Any:
        """Do an op of which at least this level knows."""
        raise NotImplementedError

    def own(self, operands: Values) -> tuple[Values, Values]:
        """Operands one level down, and beside each the tensor of this level that it was, or None.

        Raises:
            TransformError: if one of them escaped from a function that was vmapped.
        """
        below: list[Any] = []
        mine: list[Any] = []
        for x in operands:
            if isinstance(x, Layer) or (x.__class__ is Wrapped and x.payload.level is not self):
                x = settled(x)
            is_own = x.__class__ is Wrapped and x.payload.level is self
            below.append(x.payload.value if is_own else x)
            mine.append(x if is_own else None)
        return tuple(below), tuple(mine)

    @staticmethod
    def seen(values: Values, mine: Values) -> Values:
        """The tensors of this level where there are some among the operands, else the values."""
        return tuple([x if own is None else own for x, own in zip(values, mine, strict=True)])

    def edges(self, cls: Any, mine: Values) -> Any:
        """The edges of this level's operands; None if none requires grad, or may."""
        is_recorded = cls.differentiable and modes.grad and not modes.inference
        edges = edges_of(mine[cls.differentiates]) if is_recorded else None
        return edges if edges and any(edges) else None  # a view made in no_grad mode has none

    def passes_down(self, name: str, input: Any, others: Values) -> bool:
        """Whether an in-place op is nothing to this level, so that it is done one level down.

        Raises:
            TransformError: if it would change what the function captured.
        """
        if self.is_mine(input):
            return False
        raise TransformError(
            "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to "
            f"call in-place operation ({name}_) that would mutate a captured Tensor, of shape "
            f"{list(input.shape)}. This is not supported; please rewrite the function being "
            "transformed to explicitly accept the mutated Tensor(s) as inputs."
        )

    def call(self, cls: Any, args: Values) -> Any:
        """Call a user's Function one level down, and record its node here.

        Raises:
            TransformError: if `forward` has the form with ctx, which no transform can take apart.
        """
        check_form(cls)
        args = tuple([settled(x) for x in args])
        base: Any = cls._backward_cls
        ctx = derived(cls, f"{cls.__name__}GeneratedBackward", base)()  # PyTorch's name for it
        ctx._level = self
        needs = tuple([self.is_mine(x) and x.edge is not None for x in args])
        ctx.needs_input_grad = needs
        edges: Values | None = None
        if modes.grad and True in needs:
            pairs = zip(args, needs, strict=True)
            found = [edge_of(x) if need else None for x, need in pairs if isinstance(x, Tensor)]
            edges = tuple(found)
        below = [map_leaves(self.lowered, x) for x in args]
        with self.below():
            raw = cls.apply(*below)
        several = as_tuple(raw)
        shown = tuple([self._shown_output(out, args, below) for out in several])
        raw = shown if isinstance(raw, tuple) else shown[0]
        with setting(grad=False):
            cls.setup_context(ctx, args, raw)
        return self.placed(ctx, args, raw, edges)

    def placed(self, ctx: Any, args: Values, raw: Any, edges: Values | None) -> Any:
        """The outputs of a user's Function in the graph: `raw` is what `forward` returned."""
        return place_outputs(ctx, args, raw, edges)

    def _shown_output(self, out: Any, args: Values, below: list[Any]) -> Any:
        """An output as this level shows it: an argument that was returned is that argument."""
        if not isinstance(out, Tensor):
            return out
        for arg, lower in zip(args, below, strict=True):
            if lower is out:
                return arg
        return self.lift(out)

    def layer(self, value: Tensor) -> Layer:
        """What stands for a tensor one level down in one of this level."""
        return Layer(self, value)

    def lift(self, tensor: Tensor) -> Tensor:
        """A tensor just made one level down, as this level shows it: its own, and a constant."""
        return wrap(self.layer(tensor))

    def lift_like(self, tensor: Tensor, like: Tensor) -> Tensor:
        """The same for a tensor that was made to match `like`."""
        return self.lift(tensor)

    def value_of(self, payload: Any) -> Tensor:
        """The tensor one level down of some payload."""
        if isinstance(payload, Layer) and payload.level is self:
            return payload.value
        return wrap(payload)


LevelT = TypeVar("LevelT", bound=Level)


class opened(setting, Generic[LevelT]):  # noqa: N801  # reads as a statement
    """The block in which a level is open: `with opened(GradLevel()) as level:`."""

    def __init__(self, level: LevelT) -> None:
        inside = {"levels": (*level.outer, level), "grad": level.grad, **level.modes_inside}
        super().__init__(**inside)
        self.level = level

    def __enter__(self) -> LevelT:  # type: ignore[override]  # `as level`
        return self._opened()  # one call deeper than `leave` is

    def _opened(self) -> LevelT:
        return self.enter(self.level, self.changes)

    def leave(self) -> None:
        if self.outside:
            self.level.close()
        super().leave()


class GradLevel(Level):
    """One `grad` or `vjp` that is being computed."""

    kind = "grad"
    modes_inside: ClassVar[Changes] = {"grad": True, "inference": False}

    def handle(self, cls: type[Primitive], operands: Values, parameters: Parameters) -> Any:
        """Do the op one level down and, if an operand requires grad here, record it."""
        values, mine = self.own(operands)
        edges = self.edges(cls, mine)
        with self.below():
            out = cls.apply(*values, **parameters)
            if cls.views:
                show(out, values[0])
                if mine[0] is None:
                    return out  # a view of what was captured is captured
            node = None
            if edges is not None:
                seen, values = self.seen(operands, mine), in_common_dtype(cls, values)
                node = record(cls, seen, values, out, edges, parameters, self)
        layers = list(map(self.layer, out)) if cls.multiple else self.layer(out)
        return results_of(cls, layers, node)


# Note [Transposed twice]
# Backward is linear in its gradients: v ↦ vᵀ·J. So its own gradient, at any v, multiplies J by a
# vector from the right: that is forward mode, made of reverse mode, and it keeps what J needs.


def transposed_twice(cls: type[Primitive], ctx: Any, tangents: Values) -> list[Tensor | None]:
    """The tangent of each output of an op, made of its gradient (see Note [Transposed twice]).

    Args:
        ctx: what backward would find there, and `result`.
        tangents: those of the operands; None for those that do not move.
    """
    zeros = [np.zeros_like(out) for out in with_gradients(cls, ctx.result)]

    def pulled(*grads: Any) -> Values:
        return as_tuple(cls.backward(ctx, *grads))

    moving = [None if each is None else _conjugate(cls, each) for each in tangents]
    moved = pulled_back(pulled, zeros, moving)
    none = [None] * (len(as_tuple(ctx.result)) - len(zeros))
    return [*[x if x is None else _conjugate(cls, x) for x in moved], *none]


def pulled_back(function: Func, operands: Any, grads: Any) -> Values:
    """The gradients of a function at some operands, given those of its results; None for none.

    What they are computed with is recorded as it is elsewhere.
    """

    def as_value(x: Any) -> Tensor:
        return x if isinstance(x, Tensor) else wrap(x)

    with opened(GradLevel()) as level:
        inside = [x if x is None else wrap(level.layer(as_value(x)), LEAF) for x in operands]
        results = as_tuple(function(*inside))
    roots, moving = [], []
    for part, grad in zip(results, grads, strict=True):
        if grad is not None and part is not None and part.requires_grad:
            roots.append(edge_of(part))
            moving.append(as_value(grad).to(part.dtype).expand(part.shape))
    if not roots:  # they are the same whatever the operands are
        return (None,) * len(inside)
    edges: Any = [x if x is None else edge_of(x) for x in inside]
    wanted = [edge for edge in edges if edge is not None]
    task: Any = plugs.task(roots, moving, keep_graph=False, recording=modes.grad, captures=wanted)
    task.run_here()  # it is no pass of the user's, whoever watches these
    found = iter(task.captured)
    return tuple([edge if edge is None else next(found) for edge in edges])


def _conjugate(cls: type[Primitive], x: Tensor) -> Tensor:
    """What a rule that holds for complex numbers takes (Note [Complex gradients])."""
    return x.conj() if cls.holomorphic and x.dtype.kind == "c" else x


def level_below(name: str, input: Any, *others: Any) -> setting | None:
    """The block in which an in-place op is to be done; None if it is to be done here.

    Args:
        name: the name of the op, without its underscore.
        input: what it writes.
        others: its other operands.
    """
    if not modes.levels:
        return None
    level: Level = modes.levels[-1]
    if not level.passes_down(name, settled(input), others):
        return None
    if modes.duals is not None and modes.duals.has_tangent((input, *others)):
        return None  # tangents may be of this level where their tensors are not
    return level.below()


# A user's Function ------------------------------------------------------------------------------


def check_form(cls: Any) -> None:
    """Raise if `forward` has the form with ctx, which no transform can take apart."""
    if not cls.has_setup_context():
        raise TransformError(
            "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, "
            "jacrev, ...), it must override the setup_context staticmethod. For more details, "
            f"please see the notes on extending autograd. {cls.__name__} has "
            "`forward(ctx, …)`: write `forward(…)`, and `setup_context(ctx, inputs, output)`."
        )


def derived(cls: Any, name: str, base: Any) -> Any:
    """A class of this name for a Function, made of `base` once: the Function keeps it."""
    kept = f"_{name}"
    if kept not in cls.__dict__:
        setattr(cls, kept, type(base)(name, (base,), {"__module__": cls.__module__}))
    return cls.__dict__[kept]
