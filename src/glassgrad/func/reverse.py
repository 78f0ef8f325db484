"""`grad`, `grad_and_value`, `vjp`: reverse mode, of functions.

    vjp(f, x)     f runs on a GradLevel, with x as a leaf there
                  → f(x), and the function v ↦ vᵀ·∂f/∂x that runs the recorded graph backwards
    grad(f)(x)    the same for an f whose value is one number, and v = 1

The graph has the nodes of the tape, and the tape's engine runs it. Where the tape's nodes hold
arrays, these hold tensors of the level below, so the derivative can be differentiated again by
whatever is there.
"""

import functools
from itertools import compress
from typing import Any, NamedTuple

from glassgrad.core.backward import find_roots
from glassgrad.core.errors import ArgumentError, DTypeError, TransformError
from glassgrad.core.graph import edge_of
from glassgrad.core.state import Func, Values, modes, setting
from glassgrad.core.tensor import LEAF, Tensor, wrap
from glassgrad.hooks.turn import GraphTask
from glassgrad.levels.level import GradLevel
from glassgrad.ops import zeros_like
from glassgrad.values.layers import settled
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

    @functools.wraps(func)
    def gradient_and_value(*args: Any, **kwargs: Any) -> Any:
        call = run(api, func, args, kwargs, argnums, has_aux)
        _check_scalar(api, call.output)
        gradients = call.pull([call.output], None, keep_graph=False)
        value = settled(call.output)
        found = unflatten(call.structure, gradients)
        return found, ((value, all_settled(call.aux)) if has_aux else value)

    return gradient_and_value


def _check_scalar(api: str, output: Any) -> None:
    if not isinstance(output, Tensor):
        raise TransformError(
            f"{api}: Expected f(*args) to return a Tensor, got {type(output)}. A gradient is that "
            "of one tensor. Write `has_aux=True` to return more besides."
        )
    if output.ndim:
        raise TransformError(
            f"{api}: Expected f(*args) to return a scalar Tensor, got tensor with {output.ndim} "
            f"dims: shape {list(output.shape)}. A gradient is that of one number. Maybe you wanted "
            "to use the vjp or jacrev APIs instead?"
        )


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
            captures: Any = [edge_of(x) for x in self.inputs]
            task = GraphTask(
                roots,
                arrived,
                keep_graph=keep_graph,
                recording=modes.grad if recording is None else recording,
                captures=captures,
            )
            task.run()
            found = task.captured
        return [
            zeros_like(settled(x)) if gradient is None else gradient
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
    with setting(no_hooks=_NO_HOOKS), GradLevel() as level:
        inputs = [_leaf(level, x) for x in leaves]
        seen = shown(level, args, argnums, unflatten(structure, inputs))
        output, aux = func(*seen, **(as_constants(level, kwargs) if kwargs else {})), None
        if has_aux:
            output, aux = without_aux(api, output)
    return Recorded(level, inputs, structure, output, aux)


_NO_HOOKS = (
    "torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks, and neither do "
    "ours: what they save are tensors of a transform. Use the hooks outside of the function."
)


def _leaf(level: GradLevel, x: Any) -> Tensor:
    """An argument that is differentiated, as the level shows it."""
    if not isinstance(x, Tensor):
        raise ArgumentError(
            f"Thing passed to transform API must be Tensor, got {type(x)}. What is differentiated "
            "must be able to move by a small step. Write `tensor(value)`, or choose other "
            "arguments by `argnums`."
        )
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


def shown(level: Any, args: Values, argnums: Any, moving: Any) -> Values:
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


def without_aux(api: str, output: Any) -> tuple[Any, Any]:
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
    for leaf in leaves:
        if not isinstance(leaf, Tensor):
            raise TransformError(
                f"{api}: expected f(*primals) to return only tensors, got unsupported type "
                f"{type(leaf)}. Only tensors know how they were computed. Return anything else by "
                "`has_aux=True`, if it is made of tensors, or leave it out."
            )
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
