"""`jvp` and `linearize`: forward mode, of functions.

    jvp(f, (x,), (dx,))    f runs on a DualLevel, where x carries dx: each op's rule moves both on
                           → f(x), ∂f/∂x·dx
    linearize(f, x)        → f(x), and the function dx ↦ ∂f/∂x·dx

The first is for one tangent, or for many at once by `vmap`; the second for one after the other.
"""

from itertools import compress
from typing import Any, ClassVar

from glassgrad.core.errors import ArgumentError, TransformError
from glassgrad.core.primitive import Parameters, Primitive, record
from glassgrad.core.state import Changes, Func, Values, modes
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.levels.duals import Call, check_size, room_like, tangents_of_op
from glassgrad.levels.level import Level
from glassgrad.memory.calls import place_outputs
from glassgrad.memory.saved import is_any_of
from glassgrad.memory.views import Geometry, show
from glassgrad.ops import zeros_like
from glassgrad.values.layers import Layer, admit_layer, batches_of, settled
from glassgrad.values.operands import in_common_dtype
from glassgrad.values.tree import Structure, as_tuple, describe, flatten, unflatten

from .reverse import (
    EVERY,
    all_settled,
    run,
    selected,
    shown,
    tensors_of,
    vjp,
    without_aux,
)

_API = "jvp(f, primals, tangents)"
_LINEARIZE = "linearize(f, *primals)"


def jvp(
    func: Func,
    primals: Values,
    tangents: Values,
    *,
    strict: bool = False,
    has_aux: bool = False,
) -> Any:
    """The value of `func`, and its Jacobian times a vector.

    Args:
        func: takes tensors, or trees of them, and returns tensors in any tree.
        primals: its arguments, floating-point tensors in any tree.
        tangents: how they move: of the same structure and shapes.
        strict: whether an output that does not depend on the inputs is an error.
        has_aux: whether `func` returns `(output, aux)`: `aux`, a tree of tensors, is handed on.

    Returns:
        `(output, tangent)`, or `(output, tangent, aux)`: the tangent has the structure and the
        shapes of the output, and is 0 where nothing moves.

    Raises:
        TransformError: if primals and tangents have other structures, or `func` returns anything
            but tensors.
        ShapeError: if a tangent has another shape than its primal.
        ArgumentError: for integers: they do not move by a small step.

    Example:
        >>> jvp(lambda x: x * x, (tensor([1.0, 2.0]),), (tensor([1.0, 10.0]),))
        (tensor([1., 4.]), tensor([ 2., 40.]))

    See also: https://pytorch.org/docs/stable/generated/torch.func.jvp.html
    """
    return push_forward(func, primals, tangents, EVERY, strict=strict, has_aux=has_aux)


def push_forward(
    func: Func,
    primals: Any,
    tangents: Any,
    argnums: Any,
    *,
    strict: bool = False,
    has_aux: bool = False,
) -> Any:
    """`jvp` with respect to some of the arguments: `argnums` as for `grad`, or `EVERY`."""
    moving, moves, structure = _pairs(primals, tangents, argnums)
    with DualLevel() as level:
        duals = [wrap(Dual(level, settled(x), dx)) for x, dx in zip(moving, moves, strict=True)]
        output, aux = func(*shown(level, primals, argnums, unflatten(structure, duals))), None
        if has_aux:
            output, aux = without_aux(_API, output)
        leaves, found = tensors_of(_API, output)
        parts = [level.parts(x) for x in leaves]
    if strict and any(dx is None for _, dx in parts):
        raise TransformError(
            "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. "
            "This is not allowed with strict=True. Without it, the tangent is 0."
        )
    values = unflatten(found, [x for x, _ in parts])
    moved = unflatten(found, [zeros_like(x) if dx is None else dx for x, dx in parts])
    return (values, moved, all_settled(aux)) if has_aux else (values, moved)


def _pairs(primals: Any, tangents: Any, argnums: Any) -> tuple[list[Any], list[Any], Structure]:
    """The tensors that move, how they move, and the structure of both."""
    if not isinstance(primals, tuple):
        raise TransformError(
            f"{_API}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals), "
            f"and it is a {type(primals).__name__}. Write `(x,)` for one."
        )
    moving, structure = flatten(selected(primals, argnums))
    moves, given = flatten(tangents)
    if given != structure:
        raise TransformError(
            f"{_API}: Expected primals and tangents to have the same python structure. For "
            "example, if primals is a tuple of 3 tensors, tangents also must be. Got primals with "
            f"structure {describe(structure)} and tangents with structure {describe(given)}. "
            "Pass a tangent for each primal."
        )
    check_tensors(moving, "primals")
    check_tensors(moves, "tangents")
    for x, dx in zip(moving, moves, strict=True):
        check_pair(x, dx)
    return moving, moves, structure


def check_tensors(leaves: list[Any], name: str, api: str = _API) -> None:
    """Raise if there is no tensor among `leaves`, or anything else."""
    if not leaves:
        raise TransformError(
            f"{api}: Expected {name} to contain at least one Tensor. There is none that could "
            "move. Pass one."
        )
    for leaf in leaves:
        if not isinstance(leaf, Tensor):
            raise TransformError(
                f"{api}: Expected {name} to only contain Tensors, got {type(leaf)}. Write "
                "`tensor(value)`, or make it a constant: `lambda x: f(x, value)`."
            )


def check_pair(x: Tensor, dx: Tensor) -> None:
    """Raise if `dx` cannot be the tangent of `x`."""
    for name, part in (("primal", x), ("tangent", dx)):
        if part.dtype.kind not in "fc":
            raise ArgumentError(
                f"Expected {name} to be floating point or complex, but got: {part.dtype}. Integers "
                "do not move by a small step. Write `x.float()`."
            )
    check_size(x, dx)


# Linear maps --------------------------------------------------------------------------------------


def linearize(func: Func, *primals: Any) -> tuple[Any, Func]:
    """The value of `func`, and its derivative at `primals` as a linear function.

    Args:
        func: takes tensors, or trees of them, and returns a tree.
        primals: its arguments, floating-point tensors in any tree.

    Returns:
        `(output, jvp_fn)`: `jvp_fn(*tangents)` takes as many tangents of the same structure and
        shapes, and returns what `jvp` does: the tangent of the output. What depends on the
        primals alone is computed once, so it is the better the more tangents there are. It is
        made of reverse mode: what `func` does under `no_grad()` counts as a constant, and where
        it writes in place, what backward needs must not be lost.

    Raises:
        TransformError: for what is no tensor; when `jvp_fn` is called, if the tangents do not fit
            the primals.
        ArgumentError: for integers: they do not move by a small step.

    Example:
        >>> y, jvp_fn = linearize(lambda x: x * x, tensor([1.0, 2.0]))
        >>> jvp_fn(tensor([1.0, 10.0]))
        tensor([ 2., 40.])

    See also: https://pytorch.org/docs/stable/generated/torch.func.linearize.html
    """
    inputs, structure = flatten(primals)
    check_tensors(inputs, "primals", _LINEARIZE)
    for x in inputs:
        check_pair(x, x)
    call = run(_LINEARIZE, func, primals, {}, EVERY, has_aux=False)
    leaves, found = flatten(call.output)
    outputs = [settled(x) if isinstance(x, Tensor) else x for x in leaves]
    can_move = [isinstance(x, Tensor) and x.dtype.kind in "fc" for x in leaves]
    moving = list(compress(leaves, can_move))
    # See Note [Transposed twice].
    zeros = [zeros_like(settled(x)) for x in moving]
    push = vjp(lambda grads: call.pull(moving, grads), zeros)[1] if moving else None

    def jvp_fn(*tangents: Any) -> Any:
        moves, given = flatten(tangents)
        if given != structure:
            raise TransformError(
                f"Expected the tangents {describe(given)} to have the same argspec as the primals "
                f"{describe(structure)}. Each primal has a tangent. Pass them in the same order."
            )
        check_tensors(moves, "tangents", "jvp_fn(*tangents)")
        for place, (x, dx) in enumerate(zip(inputs, moves, strict=True)):
            _check_alike(place, x, dx)
        moved = iter(push(moves)[0] if push else ())
        tangents_of_outputs = [  # what is no tensor stands for itself
            next(moved) if can else zeros_like(x) if isinstance(x, Tensor) else x
            for x, can in zip(outputs, can_move, strict=True)
        ]
        return unflatten(found, tangents_of_outputs)

    return unflatten(found, outputs), jvp_fn


def _check_alike(place: int, x: Tensor, dx: Tensor) -> None:
    for name in ("shape", "device", "dtype"):
        mine, given = getattr(x, name), getattr(dx, name)
        if mine != given:
            raise TransformError(
                f"tangent:{place} with {name} {given} in flattened pytree doesn't match the {name} "
                f"{mine} of the corresponding primal. The function was linearized there. "
                "Pass a tangent like the primal."
            )


# The level --------------------------------------------------------------------------------------


@admit_layer
class Dual(Layer):
    """The layer of a tensor with a tangent.

    Attributes:
        tangent: a tensor one level down, of the shape of `value`; None stands for zeros.
    """

    __slots__ = ("tangent",)

    def __init__(self, level: Level, value: Tensor, tangent: Tensor | None = None) -> None:
        super().__init__(level, value)
        self.tangent = tangent

    def copy(self) -> "Dual":
        """The same with memory of its own."""
        with self.level.below():
            tangent = None if self.tangent is None else self.tangent.clone()
            return Dual(self.level, self.value.clone(), tangent)

    def assign(self, tensor: Tensor, source: Any) -> None:
        """Write value and tangent of another payload into the memory of this one."""
        super().assign(tensor, source)
        mine = isinstance(source, Dual) and source.level is self.level
        tangent = source.tangent if mine else None
        with self.level.below():
            if tangent is not None:
                _shared_tangent(tensor, tangent).copy_(tangent)
            elif self.tangent is not None:
                _shared_tangent(tensor, self.tangent).zero_()


def _shared_tangent(tensor: Tensor, tangent: Tensor) -> Tensor:
    """The tangent of `tensor`, in memory of its own that its base and other views of it share.

    A missing tangent becomes zeros; one that is the same for all examples of a batch gets a copy
    for each, if the values differ, or what will be written: `tangent`. One that lies in memory in
    another way than the values gets other memory if a view of the base has only a copy of it.
    """
    base = tensor if tensor._base is None else tensor._base
    layer: Any = base.payload
    have = layer.tangent
    is_one = have is not None and _is_shared(base)
    if not is_one or not batches_of(layer.value) | batches_of(tangent) <= batches_of(have):
        layer.tangent = room = room_like(layer.value, tangent)
        if have is not None:
            apart = tuple([slice(None if step else 1) for step in room.stride()])
            room[apart].copy_(have[apart])  # elements that are one place in memory move as one
        for view in _views(base):
            at = Geometry.of(base, view)
            view.payload.tangent = room.as_strided(at.size, at.stride, at.offset)
    return tensor.payload.tangent  # type: ignore[no-any-return]  # it has one now


def _is_shared(base: Tensor) -> bool:
    """Whether the tangents of all views of `base` are views of its tangent."""
    memory = _base_of(base.payload.tangent)
    tangents = [view.payload.tangent for view in _views(base)]
    return all(tangent is not None and _base_of(tangent) is memory for tangent in tangents)


def _views(base: Tensor) -> Any:
    """The views of `base`; their payloads are duals, as its own is."""
    version = base.cold and base.cold.version
    return version.views.alive() if version and version.views else ()


def _base_of(tangent: Tensor) -> Tensor:
    return tangent if tangent._base is None else tangent._base


class DualLevel(Level):
    """One `jvp` that is being computed.

    It records as well, but only what is done to tensors that require grad at this level: those
    that the function makes itself.
    """

    kind = "jvp"
    modes_inside: ClassVar[Changes] = {"forward": True}

    def layer(self, value: Tensor) -> Layer:
        """What stands for a tensor without a tangent; a tensor of this level has its own."""
        return value.payload if self.is_mine(value) else Dual(self, value)

    def parts(self, x: Any) -> tuple[Any, Any]:
        """The primal and the tangent of `x`, one level down."""
        x = settled(x)
        return (x.payload.value, x.payload.tangent) if self.is_mine(x) else (x, None)

    def handle(self, cls: type[Primitive], operands: Values, parameters: Parameters) -> Any:
        """Do the op one level down, and its rule on the tangents."""
        values, mine = self.own(operands)
        moves = modes.forward
        tangents = tuple([x.payload.tangent if moves and x is not None else None for x in mine])
        with self.below():
            out = cls.apply(*values, **parameters)
            if cls.views:
                show(out, values[0])
                if mine[0] is None:
                    return out  # a view of what was captured is captured
            moved = tangents_of_op(cls, values, tangents, out, parameters)
        pairs = zip(out, moved, strict=True) if cls.multiple else ((out, moved),)
        layers: list[Layer] = [Dual(self, *pair) for pair in pairs]
        edges = self.edges(cls, mine)
        node = None
        if edges is not None:
            # It saves tensors of this level, so that the gradients, too, move; and outputs that
            # do not refer to it.
            seen, own_outputs = self.seen(operands, mine), self.tensors(cls, layers)
            values = in_common_dtype(cls, seen)
            node = record(cls, seen, values, own_outputs, edges, parameters, self)
        return self.tensors(cls, layers, node)

    def placed(self, ctx: Any, args: Values, raw: Any, edges: Values | None) -> Any:
        """The outputs of a user's Function, moved by its `jvp` as the tangents of `args` say."""
        tangents = tuple([self.parts(x)[1] if isinstance(x, Tensor) else None for x in args])
        if all(tangent is None for tangent in tangents):
            return place_outputs(ctx, args, raw, edges)
        call = Call(ctx, args, tangents, raw)
        outputs = place_outputs(ctx, args, raw, edges)
        for out in as_tuple(outputs):
            # an argument returned as it is has a layer of its own there: it may move otherwise
            if self.is_mine(out) and not is_any_of(out, args):
                out.payload = self.layer(out.payload.value)
        with self.below():
            moved = call.moved(outputs)
        for out, tangent, _ in moved:
            if tangent is not None:
                check_size(out, tangent)
            out.payload.tangent = tangent
        return outputs
