"""`grad`, `vjp`, `jvp` and their kin: derivatives of functions, in reverse and in forward mode.

    vjp(f, x)     f runs on a GradLevel, with x as a leaf there
                  → f(x), and the function v ↦ vᵀ·∂f/∂x that runs the recorded graph backwards
    grad(f)(x)    the same for an f whose value is one number, and v = 1

The graph has the nodes of the tape, and the tape's engine runs it. Where the tape's nodes hold
arrays, these hold tensors of the level below, so the derivative can be differentiated again by
whatever is there.

    jvp(f, (x,), (dx,))    f runs on a DualLevel, where x carries dx: each op's rule moves both on
                           → f(x), ∂f/∂x·dx
    linearize(f, x)        → f(x), and the function dx ↦ ∂f/∂x·dx

The first is for one tangent, or for many at once by `vmap`; the second for one after the other.
"""

import functools
from collections.abc import Callable
from itertools import compress
from typing import Any, ClassVar, NamedTuple

from glassgrad import ops
from glassgrad.core.backward import find_roots
from glassgrad.core.errors import ArgumentError, DTypeError, TransformError
from glassgrad.core.graph import edge_of
from glassgrad.core.primitive import Parameters, Primitive, record, results_of
from glassgrad.core.state import Changes, Func, Values, modes, setting
from glassgrad.core.tensor import LEAF, Tensor, wrap
from glassgrad.hooks.turn import GraphTask
from glassgrad.levels.duals import Call, check_moves, check_size, moved_on, room_like
from glassgrad.levels.level import GradLevel, Level, opened
from glassgrad.memory.calls import place_outputs
from glassgrad.memory.saved import is_any_of
from glassgrad.memory.views import Geometry
from glassgrad.ops import _checks as check
from glassgrad.values.layers import Layer, admit_layer, batches_of, settled
from glassgrad.values.operands import in_common_dtype
from glassgrad.values.tree import Structure, as_tuple, describe, flatten, map_leaves, unflatten

Argnums = int | tuple[int, ...]
"""The place of an argument, or of several: they may count from the end."""

EVERY: Any = object()
"""All arguments, however many there are."""


def grad(func: Func, argnums: Argnums = 0, has_aux: bool = False) -> Func:
    """The function that computes the gradient of `func`.

    Args:
        func: takes tensors, or trees of them (tuples, lists, dicts), and returns a 0-d tensor.
            What it is passed by keyword is not differentiated.
        argnums: which positional argument to differentiate with respect to; a tuple for several.
        has_aux: whether `func` returns `(output, aux)`: `aux`, a tree of tensors, is handed on.

    Returns:
        A function of the same arguments. It returns a gradient of the shape and the structure of
        the argument, or a tuple of them if `argnums` is one; with `has_aux`, `(gradient, aux)`.
        What `func` does not depend on has the gradient 0.

    Raises:
        TransformError: when called, if `func` returns anything else, or `argnums` does not fit.
        ArgumentError, DTypeError: when called, if a chosen argument is no floating-point tensor.

    `no_grad()` inside `func` is respected; around the call it only keeps the tape from recording.

    Example:
        >>> grad(lambda x: x**3)(tensor(2.0))
        tensor(12.)
        >>> grad(grad(lambda x: x**3))(tensor(2.0))
        tensor(12.)
        >>> vmap(grad(lambda w, x: w * x**2), (None, 0))(tensor(1.0), tensor([2.0, 3.0]))
        tensor([4., 9.])

    See also: https://pytorch.org/docs/stable/generated/torch.func.grad.html
    """
    both = grad_and_value(func, argnums, has_aux)

    @check.briefly
    @functools.wraps(func)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        found, value = both(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return gradient


def grad_and_value(func: Func, argnums: Argnums = 0, has_aux: bool = False) -> Func:
    """The function that computes the gradient of `func`, and its value besides.

    Args:
        func, argnums, has_aux: as for `grad`.

    Returns:
        A function of the same arguments that returns `(gradient, value)`, or with `has_aux`
        `(gradient, (value, aux))`.

    Raises:
        TransformError, ArgumentError, DTypeError: when called, as `grad`.

    Example:
        >>> grad_and_value(lambda x: x**3)(tensor(2.0))
        (tensor(12.), tensor(8.))

    See also: https://pytorch.org/docs/stable/generated/torch.func.grad_and_value.html
    """
    api = "grad_and_value(f)(*args)"
    why = "It is to be differentiated. For tensors write `autograd.grad(outputs, inputs)`."
    said = f"{type(func).__name__!r} object is not callable: grad(f) takes a function"
    check.kind(said, func, Callable, why)

    @check.briefly
    @functools.wraps(func)
    def gradient_and_value(*args: Any, **kwargs: Any) -> Any:
        call = run(api, func, args, kwargs, argnums, has_aux)
        _check_scalar(api, func, call.output)
        value = settled(call.output)
        # The gradients of examples are to have memory of their own, so each example has its 1.
        ones = [ops.ones_like(value)] if batches_of(value) else None
        gradients = call.pull([call.output], ones, keep_graph=False)
        found = unflatten(call.structure, gradients)
        return found, ((value, all_settled(call.aux)) if has_aux else value)

    return gradient_and_value


def _check_scalar(api: str, func: Func, output: Any) -> None:
    if not isinstance(output, Tensor):
        raise TransformError(
            f"{api}: Expected f(*args) to return a Tensor, got {type(output)}. A gradient is that "
            "of one tensor. Write `has_aux=True` to return more besides."
        )
    if output.ndim:
        name = getattr(func, "__name__", "the function")
        raise TransformError(
            f"{api}: Expected f(*args) to return a scalar Tensor, got tensor with {output.ndim} "
            f"dims: shape {list(output.shape)}. A gradient is that of one number; {name} "
            "returns more. Maybe you wanted to use the vjp or jacrev APIs instead? "
            "Or return the sum()."
        )


@check.briefly
def vjp(func: Func, *primals: Any, has_aux: bool = False) -> Any:
    """The value of `func`, and the function that multiplies its Jacobian by a vector from the left.

    Args:
        func: takes tensors, or trees of them, and returns floating-point tensors in any tree.
        primals: its arguments.
        has_aux: whether `func` returns `(output, aux)`: `aux`, a tree of tensors, is handed on.

    Returns:
        `(output, vjp_fn)`, or `(output, vjp_fn, aux)`. `vjp_fn(cotangents)` takes a tree of the
        structure and shapes of `output` and returns a tuple: for each primal the sum over all
        outputs of cotangent times derivative, with zeros where nothing depends on it. It may be
        called again, unless `retain_graph=False` frees what it needs; `create_graph=False` keeps
        the levels outside from recording it.

    Raises:
        TransformError: if `func` returns anything but floating-point tensors, or `cotangents` have
            another structure.
        ArgumentError, DTypeError: if a primal is no floating-point tensor.
        GradientError: if a cotangent has another shape than its output.

    Example:
        >>> y, vjp_fn = vjp(lambda x: x * x, tensor([1.0, 2.0]))
        >>> vjp_fn(tensor([1.0, 10.0]))
        (tensor([ 2., 40.]),)

    See also: https://pytorch.org/docs/stable/generated/torch.func.vjp.html
    """
    call = run("vjp(f, *primals)", func, primals, {}, EVERY, has_aux)
    outputs, structure = call.differentiable_outputs()

    @check.briefly
    def vjp_fn(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        grads, given = flatten(cotangents)
        if given != structure:
            raise TransformError(
                "Expected pytree structure of cotangents to be the same as pytree structure of "
                f"outputs to the function. cotangents: {describe(given)}, primal output: "
                f"{describe(structure)}. Each output has one cotangent. "
                "Pass them as `func` returns its outputs."
            )
        found = call.pull(outputs, grads, keep_graph=retain_graph, recording=create_graph)
        return unflatten(call.structure, found)

    output = unflatten(structure, [settled(x) for x in outputs])
    return (output, vjp_fn, all_settled(call.aux)) if has_aux else (output, vjp_fn)


# The call of a function, recorded -----------------------------------------------------------------


class Recorded(NamedTuple):
    """One call of a function on a level that recorded it and is closed.

    Attributes:
        level: the level.
        inputs: its leaves: the tensors that the call is differentiated with respect to.
        structure: the structure of these arguments.
        output: what the function returned: tensors of the level, or captured ones.
        aux: what it returned besides.
    """

    level: GradLevel
    inputs: list[Tensor]
    structure: Structure
    output: Any
    aux: Any

    def differentiable_outputs(self) -> tuple[list[Tensor], Structure]:
        """The outputs, and their structure.

        Raises:
            TransformError: if one of them is no tensor, or has no fractions.
        """
        outputs, structure = tensors_of("vjp(f, *primals)", self.output)
        for output in outputs:
            if output.dtype.kind not in "fc":
                raise TransformError(
                    "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got "
                    f"Tensor with dtype {output.dtype}. Integers do not move by a small step. "
                    "Return it by `has_aux=True`."
                )
        return outputs, structure

    def pull(
        self,
        outputs: list[Tensor],
        grads: list[Any] | None,
        *,
        keep_graph: bool = True,
        recording: bool | None = None,
    ) -> list[Tensor]:
        """The gradients of the inputs, of the shapes of these; zeros where nothing arrives.

        Args:
            outputs: tensors that the function returned.
            grads: the gradient of each; None: one, of an output with one element.
            keep_graph: whether it will be run again.
            recording: whether the levels outside record it; None: if they record now.
        """
        given = [None] * len(outputs) if grads is None else grads
        recorded = [self.level.is_mine(output) and output.requires_grad for output in outputs]
        found: list[Any] = [None] * len(self.inputs)
        if True in recorded:
            pulled, cotangents = list(compress(outputs, recorded)), list(compress(given, recorded))
            roots, arrived = find_roots(pulled, cotangents, as_tensors=True)
            task = GraphTask(
                roots,
                arrived,
                keep_graph=keep_graph,
                recording=modes.grad if recording is None else recording,
                captures=[edge_of(x) for x in self.inputs],  # type: ignore[misc]  # they have one
            )
            task.run()
            found = task.captured
        return [
            ops.zeros_like(settled(x)) if gradient is None else gradient
            for x, gradient in zip(self.inputs, found, strict=True)
        ]


def run(
    api: str,
    func: Func,
    args: Values,
    kwargs: dict[str, Any],
    argnums: Any,
    has_aux: bool,
) -> Recorded:
    """Call a function on a level of its own.

    Args:
        api: how the transform was called, for messages.
        argnums: which arguments are leaves of the level; `EVERY`: all of them.
    """
    leaves, structure = flatten(selected(args, argnums))
    if modes.hook_pairs:
        raise TransformError(_NO_HOOKS)
    with setting(no_hooks=_NO_HOOKS), opened(GradLevel()) as level:
        inputs = [_leaf(level, x) for x in leaves]
        seen = arguments_on(level, args, argnums, unflatten(structure, inputs))
        result = func(*seen, **(as_constants(level, kwargs) if kwargs else {}))
        output, aux = output_and_aux(api, result) if has_aux else (result, None)
    return Recorded(level, inputs, structure, output, aux)


_NO_HOOKS = (
    "torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks, and neither do "
    "ours: what they save are tensors of a transform. Use the hooks outside of the function."
)


def _leaf(level: GradLevel, x: Any) -> Tensor:
    """An argument that is differentiated, as the level shows it."""
    why = "It is to move by a small step. Write `tensor(value)`, or choose others by `argnums`."
    check.kind("Thing passed to transform API must be Tensor, got", x, Tensor, why, ArgumentError)
    if x.dtype.kind not in "fc":
        raise DTypeError(
            f"only Tensors of floating point dtype can require gradients, got {x.dtype} of shape "
            f"{list(x.shape)}. Integers do not move by a small step. Write `x.float()`."
        )
    return wrap(level.layer(settled(x)), LEAF)


# What a function that is transformed takes --------------------------------------------------------


def places(argnums: Any, count: int) -> tuple[int, ...]:
    """The places that `argnums` means among `count` arguments, counted from the first one.

    Args:
        argnums: a place, a tuple of them, or `EVERY`.

    Raises:
        TransformError: if it is no int or tuple of ints, is empty, names an argument twice, or one
            that is not there.
    """
    if argnums is EVERY:
        return tuple(range(count))
    if not isinstance(argnums, (int, tuple)):
        raise TransformError(
            f"argnums must be int or Tuple[int, ...], got: {type(argnums)}. It counts positional "
            "arguments. Write `argnums=0`, or `argnums=(0, 1)` for several."
        )
    wanted = as_tuple(argnums)
    if not wanted:
        raise TransformError(
            "argnums must be non-empty: it is (), so there is nothing to differentiate with "
            "respect to. Write `argnums=(0,)`."
        )
    found = tuple([_place(argnum, count) for argnum in wanted])
    if len(set(found)) < len(found):
        raise TransformError(
            f"argnums elements must be unique, got {wanted}: an argument is named twice. "
            "Write each place once."
        )
    return found


def _place(argnum: Any, count: int) -> int:
    if not isinstance(argnum, int):
        raise TransformError(
            f"argnum must be int, got: {type(argnum)}. It counts positional arguments. "
            "Write `argnums=0`."
        )
    if not -count <= argnum < count:
        raise TransformError(
            f"Got argnum={argnum}, but only {count} positional inputs. Arguments passed by keyword "
            "are not counted. Pass it by position."
        )
    return argnum % count


def selected(args: Values, argnums: Any) -> Any:
    """The arguments that `argnums` means: one, or a tuple of them."""
    found = [args[place] for place in places(argnums, len(args))]
    return found[0] if isinstance(argnums, int) else tuple(found)


def as_constants(level: Any, tree: Any) -> Any:
    """Arguments that are not differentiated, as a level shows them: they may be written there."""
    return map_leaves(lambda x: level.lift(settled(x)) if isinstance(x, Tensor) else x, tree)


def arguments_on(level: Any, args: Values, argnums: Any, moving: Any) -> Values:
    """The arguments as a level shows them: constants, but for those that `argnums` means.

    Args:
        moving: what `selected` gives, of the level.
    """
    chosen = places(argnums, len(args))
    given = dict(zip(chosen, (moving,) if isinstance(argnums, int) else moving, strict=True))
    return tuple(
        [given[nr] if nr in given else as_constants(level, x) for nr, x in enumerate(args)]
    )


# What it returns ---------------------------------------------------------------------------------


def output_and_aux(api: str, output: Any) -> tuple[Any, Any]:
    """The output proper and the rest, of a function that was said to return both.

    Args:
        api: how the transform was called, for messages.
        output: what the function returned.
    """
    if isinstance(output, tuple) and len(output) == 2:
        return output
    many = f" of {len(output)}" if isinstance(output, tuple) else ""
    raise TransformError(
        f"{api}: output of function f should be a tuple: (output, aux) if has_aux is True, and it "
        f"is a {type(output).__name__}{many}. Only the first of the two is differentiated. "
        "Write `return output, aux`."
    )


def tensors_of(api: str, output: Any) -> tuple[list[Tensor], Structure]:
    """The leaves of an output, all of them tensors, and its structure."""
    leaves, structure = flatten(output)
    if not leaves or (len(leaves) == 1 and leaves[0] is None):
        raise TransformError(
            f"{api}: Expected f to be a function that has non-empty output (got output = "
            f"{output}). There is nothing to differentiate. Return a tensor, or a tree of them."
        )
    wanted = f"{api}: expected f(*primals) to return only tensors"
    why = "Only tensors know how they were computed. Return others by `has_aux=True`."
    for leaf in leaves:
        check.kind(wanted, leaf, Tensor, why, TransformError)
    return leaves, structure


def all_settled(tree: Any) -> Any:
    """A tree of tensors without the layers of levels that are closed."""
    leaves, structure = flatten(tree)
    for leaf in leaves:
        if not isinstance(leaf, Tensor):
            raise TransformError(
                f"Expected tensors, got unsupported type {type(leaf)} in what the function "
                "returned as aux. A transform takes its own layer off what it returns, and knows "
                "how for tensors. Return `tensor(value)`, or set a variable of the outer function."
            )
    return unflatten(structure, [settled(leaf) for leaf in leaves])


def refuse_complex(name: str, leaves: list[Any], *, inputs: bool) -> None:
    """Raise if a tensor is complex: what its Jacobian is, is a matter of convention."""
    for place, leaf in enumerate(leaves):
        if isinstance(leaf, Tensor) and leaf.dtype.kind == "c":
            raise TransformError(
                f"{name}: Expected all {'inputs' if inputs else 'outputs'} to be real but received "
                f"complex tensor at flattened input idx: {place}. A complex function has no one "
                "Jacobian of its dtype. Take that of the real and the imaginary part."
            )


# Forward mode -------------------------------------------------------------------------------------


_API = "jvp(f, primals, tangents)"
_LINEARIZE = "linearize(f, *primals)"


@check.briefly
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
    with opened(DualLevel()) as level:
        duals = [wrap(Dual(level, settled(x), dx)) for x, dx in zip(moving, moves, strict=True)]
        result = func(*arguments_on(level, primals, argnums, unflatten(structure, duals)))
        output, aux = output_and_aux(_API, result) if has_aux else (result, None)
        leaves, found = tensors_of(_API, output)
        parts = [level.parts(x) for x in leaves]
    if strict and any(dx is None for _, dx in parts):
        raise TransformError(
            "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. "
            "This is not allowed with strict=True. Without it, the tangent is 0."
        )
    values = unflatten(found, [x for x, _ in parts])
    moved = unflatten(found, [ops.zeros_like(x) if dx is None else dx for x, dx in parts])
    return (values, moved, all_settled(aux)) if has_aux else (values, moved)


def _pairs(primals: Any, tangents: Any, argnums: Any) -> tuple[list[Any], list[Any], Structure]:
    """The tensors that move, how they move, and the structure of both."""
    wanted = f"{_API}: Expected primals to be a tuple"
    why = "E.g. it should be valid to call f(*primals). Write `(x,)` for one."
    check.kind(wanted, primals, tuple, why, TransformError)
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
    why = "Write `tensor(value)`, or make it a constant: `lambda x: f(x, value)`."
    wanted = f"{api}: Expected {name} to only contain Tensors, got"
    for leaf in leaves:
        check.kind(wanted, leaf, Tensor, why, TransformError)


def check_pair(x: Tensor, dx: Tensor) -> None:
    """Raise if `dx` cannot be the tangent of `x`."""
    check_moves("primal", x)
    check_moves("tangent", dx)
    check_size(x, dx)


# Linear maps --------------------------------------------------------------------------------------


@check.briefly
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
    zeros = [ops.zeros_like(settled(x)) for x in moving]
    push = vjp(lambda grads: call.pull(moving, grads), zeros)[1] if moving else None

    @check.briefly
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
            next(moved) if can else ops.zeros_like(x) if isinstance(x, Tensor) else x
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
        self.level, self.value, self.tangent = level, value, tangent

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
        is_on = modes.forward
        tangents = tuple([None if x is None or not is_on else x.payload.tangent for x in mine])
        out, moved = moved_on(self, cls, values, tangents, parameters)
        if cls.views and mine[0] is None:
            return out  # a view of what was captured is captured
        dual = functools.partial(Dual, self)
        layers: Any = list(map(dual, out, moved)) if cls.multiple else dual(out, moved)
        edges, node = self.edges(cls, mine), None
        if edges is not None:
            # It saves tensors of this level, so that the gradients, too, move; and outputs that
            # do not refer to it.
            seen, own_outputs = self.seen(operands, mine), results_of(cls, layers, None)
            values = in_common_dtype(cls, seen)
            node = record(cls, seen, values, own_outputs, edges, parameters, self)
        return results_of(cls, layers, node)

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
