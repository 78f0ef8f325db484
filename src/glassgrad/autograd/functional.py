"""`torch.autograd.functional`: derivatives of a function at a point, as tensors.

    vjp       vᵀJ   one backward pass
    jvp       J v   two
    jacobian  J     one for each entry of the output, or of the input
    vhp       vᵀH   two
    hvp       H v   three
    hessian   H     two for each entry of the input

J is the Jacobian of a function and H the Hessian of one that returns a number: the Jacobian of its
gradient. Where that is smooth H is symmetric, so `vhp` and `hvp` agree and `vhp` is the cheaper
one. A Jacobian of an output of shape `T` with respect to an input of shape `S` has shape `T + S`.

What all six take and return:

    func          takes tensors, returns a tensor or a tuple of tensors.
    inputs        a tensor or a tuple of tensors; results come in a tuple where these do.
    create_graph  record the computation of the results, so that they can be differentiated with
                  respect to inputs and v that require grad. Otherwise they are detached.
    strict        raise where a derivative is zero because nothing depends on an input, instead
                  of returning zeros.

Unlike `glassgrad.func` they run on the tape, so `func` may call Functions and use hooks that no
transform can see through.

# Note [A product J v from two backward passes]
# A backward pass computes g(w) = Jᵀw. That is linear in w, so its own Jacobian is Jᵀ, at each w,
# and a backward pass from g to w with the gradient v gives (Jᵀ)ᵀv = J v. Zeros will do for w.
"""

from collections.abc import Callable, Sequence
from itertools import compress
from typing import Any, NamedTuple

from glassgrad.autograd.forward_ad import dual_level, make_dual, unpack_dual
from glassgrad.autograd.grad_mode import enable_grad
from glassgrad.autograd.gradients import grad
from glassgrad.core.errors import (
    ArgumentTypeError,
    ExpectationError,
    GraphError,
    MissingRuleError,
    ShapeError,
)
from glassgrad.core.tensor import Tensor
from glassgrad.func.jacobians import split_columns, split_rows, unit_vectors
from glassgrad.func.vmap import map_batch
from glassgrad.ops import stack, zeros_like

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

Function = Callable[..., Any]
Gradients = Sequence[Tensor | None]
Tensors = Tensor | tuple[Tensor, ...]
"""What a user passes and gets: one tensor, or a tuple of them."""


def vjp(
    func: Function,
    inputs: Tensors,
    v: Tensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Tensors, Tensors]:
    """The product vᵀJ of a vector and the Jacobian of `func`.

    Args:
        func, inputs: the function and the point.
        v: the vector, with the sizes of the outputs; None means 1 if there is one number.
        create_graph: record how both results were computed.
        strict: raise if the outputs do not depend on an input.

    Returns:
        `func(*inputs)` and vᵀJ, which has the sizes and dtypes of `inputs`.

    Raises:
        ArgumentTypeError: if inputs, outputs or `v` are not tensors.
        ShapeError: if `v` has not the sizes of the outputs.
        GraphError: what `strict` refuses.

    Example:
        >>> vjp(lambda x: x * x, tensor([1.0, 2.0]), tensor([1.0, 10.0]))
        (tensor([1., 4.]), tensor([ 2., 40.]))

    See also: Griewank & Walther, *Evaluating Derivatives*, §3.2.
    """
    return _product(_VJP, func, inputs, v, create_graph=create_graph, strict=strict)


def jvp(
    func: Function,
    inputs: Tensors,
    v: Tensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Tensors, Tensors]:
    """The product J v of the Jacobian of `func` and a vector: how the outputs move along v.

    Args:
        func, inputs: the function and the point.
        v: the vector, with the sizes of `inputs`; None means 1 if there is one number.
        create_graph: record how both results were computed.
        strict: raise if the outputs do not depend on an input.

    Returns:
        `func(*inputs)` and J v, which has the sizes and dtypes of the outputs.

    Raises:
        ArgumentTypeError: if inputs, outputs or `v` are not tensors.
        ShapeError: if `v` has not the sizes of `inputs`.
        GraphError: what `strict` refuses.

    Example:
        >>> jvp(lambda x: x * x, tensor([1.0, 2.0]), tensor([1.0, 10.0]))
        (tensor([1., 4.]), tensor([ 2., 40.]))

    See also: https://j-towns.github.io/2017/06/12/A-new-trick.html
    """
    return _product(_JVP, func, inputs, v, create_graph=create_graph, strict=strict)


def vhp(
    func: Function,
    inputs: Tensors,
    v: Tensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Tensor, Tensors]:
    """The product vᵀH of a vector and the Hessian of a function that returns one number.

    Args:
        func, inputs: the function, whose output has one element, and the point.
        v: the vector, with the sizes of `inputs`; None means 1 if there is one number.
        create_graph: record how both results were computed.
        strict: raise if the output or its gradient does not depend on an input.

    Returns:
        `func(*inputs)` and vᵀH, which has the sizes and dtypes of `inputs`.

    Raises:
        ArgumentTypeError: if inputs, output or `v` are not tensors.
        ShapeError: if `func` returns more than one number, or `v` has not the sizes of `inputs`.
        GraphError: what `strict` refuses.

    Example:
        >>> vhp(lambda x: (x**3).sum(), tensor([1.0, 2.0]), tensor([1.0, 10.0]))
        (tensor(9.), tensor([  6., 120.]))
    """
    return _product(_VHP, func, inputs, v, create_graph=create_graph, strict=strict)


def hvp(
    func: Function,
    inputs: Tensors,
    v: Tensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Tensor, Tensors]:
    """The product H v of the Hessian of a function that returns one number, and a vector.

    Args:
        func, inputs: the function, whose output has one element, and the point.
        v: the vector, with the sizes of `inputs`; None means 1 if there is one number.
        create_graph: record how both results were computed.
        strict: raise if the output or its gradient does not depend on an input.

    Returns:
        `func(*inputs)` and H v, which has the sizes and dtypes of `inputs`.

    Raises:
        ArgumentTypeError: if inputs, output or `v` are not tensors.
        ShapeError: if `func` returns more than one number, or `v` has not the sizes of `inputs`.
        GraphError: what `strict` refuses.

    Example:
        >>> hvp(lambda x: (x**3).sum(), tensor([1.0, 2.0]), tensor([1.0, 10.0]))
        (tensor(9.), tensor([  6., 120.]))

    See also: Pearlmutter, "Fast exact multiplication by the Hessian", 1994.
    """
    return _product(_HVP, func, inputs, v, create_graph=create_graph, strict=strict)


# How the products are computed ------------------------------------------------------------------


class _Product(NamedTuple):
    """A product with a vector, and what `strict=True` says where it is zero or constant.

    Attributes:
        name: the public function.
        of_gradient: whether the Jacobian is that of the gradient of `func`: a Hessian.
        from_left: whether the vector is multiplied from the left, as backward does.
        missing: the sentence about a result that is None; `{}` is its position.
        constant: what an input is found to have no influence on: a derivative's name.
        remedy: what to do about a missing one.
    """

    name: str
    of_gradient: bool
    from_left: bool
    missing: str
    constant: str
    remedy: str


_DROP = "Drop that input, or pass strict=False to get zeros."
_NO_WAY_BACK = (
    "Two backward passes stand in for forward mode here, and the second one found no way back. "
    "Pass strict=False to get zeros."
)
_OUTPUT = "The output of the user-provided function is independent of input {}"
_JACOBIAN = "The jacobian of the user-provided function is independent of input {}"
_GRADIENT = "The gradient with respect to the input is independent of entry {} in the grad_outputs"
_HESSIAN = (
    "The hessian of the user-provided function is independent of entry {} in the grad_jacobian"
)
_VJP = _Product("vjp", False, True, _OUTPUT, "jacobian", _DROP)
_JVP = _Product("jvp", False, False, _GRADIENT, "jacobian", _NO_WAY_BACK)
_VHP = _Product("vhp", True, True, _JACOBIAN, "hessian", _DROP)
_HVP = _Product("hvp", True, False, _HESSIAN, "hessian", _NO_WAY_BACK)


@enable_grad()
def _product(
    kind: _Product, func: Function, inputs: Tensors, v: Any, *, create_graph: bool, strict: bool
) -> tuple[Any, Any]:
    """`func(*inputs)`, and the product of v and its Jacobian or Hessian there."""
    at = _several(inputs, "inputs", kind.name)
    points = _arguments(at.tensors, create_graph=create_graph)
    if kind is not _VJP:
        v = _vector(v, kind.name, at, "the input to the user-provided function is", create_graph)
    call = _call_for_number if kind.of_gradient else _call
    outputs = call(func, points, kind.name, strict=strict)
    if kind is _VJP:
        v = _vector(v, kind.name, outputs, "the user-provided function returns", create_graph)
    values: Gradients = outputs.tensors
    like = outputs
    if kind.of_gradient:
        values, like = _gradients(values, points, create_graph=True), at
        if strict:
            _check_recorded(values, _IS_LINEAR)
    if kind.from_left:
        variables, like = points, at
    else:  # see Note [A product J v from two backward passes]
        variables = tuple([zeros_like(x, requires_grad=True) for x in like.tensors])
        values = _gradients(values, points, variables, create_graph=True)
        if strict and not kind.of_gradient:
            _check_recorded(values, _LEAVES_TAPE)
    found = _gradients(values, variables, v, create_graph=create_graph)
    products = _filled(kind, found, like.tensors, strict=strict, create_graph=create_graph)
    value = _returned(outputs, outputs.tensors, create_graph)
    return value, _returned(like, products, create_graph)


# Whole matrices ---------------------------------------------------------------------------------


def jacobian(
    func: Function,
    inputs: Tensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The Jacobian of `func`: how each entry of the outputs changes with each of the inputs.

    Args:
        func, inputs: the function and the point.
        create_graph: record how the Jacobian was computed.
        strict: raise if an output does not depend on an input.
        vectorize: ask for all rows in one batched pass. It has the same results.
        strategy: "reverse-mode" computes it by rows, "forward-mode" by columns. The latter needs
            `vectorize=True`, without `create_graph` and `strict`.

    Returns:
        For an output of shape `T` and an input of shape `S` a tensor of shape `T + S`, in the
        input's dtype, or in the output's by columns. `J[i][j]` for output `i` and input `j`; the
        first index is there if `func` returns a tuple, the second if `inputs` is one.

    Raises:
        ArgumentTypeError: if inputs or outputs are not tensors.
        GraphError: what `strict` refuses, and `strict` with `vectorize` or by columns.
        MissingRuleError: by columns, with `create_graph` or without `vectorize`.
        ExpectationError: if there is no such strategy.

    Example:
        >>> jacobian(lambda x: x * x.sum(), tensor([1.0, 2.0]))
        tensor([[4., 1.],
                [2., 5.]])

    See also: Griewank & Walther, *Evaluating Derivatives*, §3.
    """
    _check_strategy(strategy)
    at = _several(inputs, "inputs", "jacobian")
    if strategy == "forward-mode":
        _refuse_with_forward_mode(create_graph=create_graph, strict=strict, vectorize=vectorize)
        return _by_columns(func, at)
    with enable_grad():
        points = _arguments(at.tensors, create_graph=create_graph)
        outputs = _call(func, points, "jacobian", strict=strict)
        rows: Sequence[Sequence[Tensor]]
        if vectorize:
            rows = _rows_at_once(outputs.tensors, points, strict=strict, create_graph=create_graph)
        else:
            rows = [
                _rows_one_by_one(nr, output, points, strict=strict, create_graph=create_graph)
                for nr, output in enumerate(outputs.tensors)
            ]
        return outputs.shaped([_returned(at, row, create_graph) for row in rows])


def _rows_one_by_one(
    number: int, output: Tensor, inputs: Sequence[Tensor], *, strict: bool, create_graph: bool
) -> list[Tensor]:
    """For each input the Jacobian of output `number`, from a backward pass for each entry."""
    if not output.numel():
        return [x.new_zeros(output.shape + x.shape) for x in inputs]
    missing = f"Output {number} of the user-provided function is independent of input {{}}"
    kind = _VJP._replace(missing=missing)
    flat = output.reshape(-1)
    passes = []
    for row in range(output.numel()):
        found = _gradients([flat[row]], inputs, create_graph=create_graph, retain_graph=True)
        passes.append(_filled(kind, found, inputs, strict=strict, create_graph=create_graph))
    return [
        stack(rows).reshape(output.shape + x.shape)
        for rows, x in zip(zip(*passes, strict=True), inputs, strict=True)
    ]


def _rows_at_once(
    outputs: Sequence[Tensor], inputs: Sequence[Tensor], *, strict: bool, create_graph: bool
) -> list[tuple[Tensor, ...]]:
    """For each output and input the Jacobian, from one batched pass."""
    if strict:
        raise GraphError(
            "autograd.functional.jacobian: `strict=True` and `vectorize=True` are not supported "
            "together. One pass for all rows does not say which output depends on which input. "
            "Set `strict=False` or `vectorize=False`."
        )
    found: Gradients = (None,) * len(inputs)
    sizes = [output.numel() for output in outputs]
    if sum(sizes):
        flat = [output.reshape(-1) for output in outputs]
        basis = _construct_standard_basis_for(outputs, sizes)
        found = _gradients(flat, inputs, basis, create_graph=create_graph, batched=True)
    by_input = [
        split_rows(x.new_zeros((sum(sizes), *x.shape)) if rows is None else rows, outputs, x)
        for rows, x in zip(found, inputs, strict=True)
    ]
    return list(zip(*by_input, strict=True))


def _by_columns(func: Function, at: "_Several") -> Any:
    """The Jacobian, in the dtype of the outputs: products J e with the unit vectors e.

    They come from one call in forward mode, mapped over the unit vectors. The inputs keep their
    places in the graph.
    """
    sizes = [x.numel() for x in at.tensors]
    called: list[_Several] = []

    def push(tangents: list[Tensor]) -> list[Tensor]:
        with dual_level():
            pairs = zip(at.tensors, tangents, strict=True)
            duals = tuple([make_dual(x, e.reshape(x.shape)) for x, e in pairs])
            outputs = _call(func, duals, "jacobian", strict=False)
            called.append(outputs)
            found = [unpack_dual(output) for output in outputs.tensors]
            return [zeros_like(primal) if dy is None else dy for primal, dy in found]

    basis = _construct_standard_basis_for(at.tensors, sizes)
    columns = map_batch(push, basis, sum(sizes), "never")
    return called[0].shaped([at.shaped(split_columns(dy, at.tensors)) for dy in columns])


def _construct_standard_basis_for(
    tensors: Sequence[Tensor], tensor_numels: Sequence[int]
) -> tuple[Tensor, ...]:
    """The unit vectors of the space of all `tensors`, cut into one chunk for each of them.

    Args:
        tensor_numels: how many entries each of them has; together `n`.

    Returns:
        For each tensor its columns of the n×n identity, in its dtype and on its device.
    """
    n = sum(tensor_numels)
    vectors = zip(unit_vectors(tensors, 0, n), tensor_numels, strict=True)
    return tuple([vector.reshape((n, size)) for vector, size in vectors])


def _check_strategy(strategy: str) -> None:
    if strategy not in ("forward-mode", "reverse-mode"):
        raise ExpectationError(
            'Expected strategy to be either "forward-mode" or "reverse-mode", but got '
            f"{strategy!r}. A Jacobian is computed by columns or by rows. With more outputs than "
            'inputs take "forward-mode", otherwise "reverse-mode".'
        )


def _refuse_with_forward_mode(*, create_graph: bool, strict: bool, vectorize: bool) -> None:
    """The options that do not go together with `strategy="forward-mode"`."""
    refused = (("create_graph", create_graph, MissingRuleError), ("strict", strict, GraphError))
    for option, is_given, error in refused:
        if is_given:
            raise error(
                f'autograd.functional.jacobian: `{option}=True` and `strategy="forward-mode"` are '
                "not supported together (yet). A column does not say which input an output "
                f"depends on, nor is it recorded. Set `{option}=False` or "
                '`strategy="reverse-mode"`.'
            )
    if not vectorize:
        raise MissingRuleError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian is only "
            "implemented for `vectorize=True`. All columns come from one call of the function. "
            "Pass vectorize=True."
        )


def hessian(
    func: Function,
    inputs: Tensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The Hessian of a function that returns one number: the Jacobian of its gradient.

    Args:
        func, inputs: the function, whose output has one element, and the point.
        create_graph: record how the Hessian was computed.
        strict: raise if the output or its gradient does not depend on an input.
        vectorize, outer_jacobian_strategy: how `jacobian` differentiates the gradient.

    Returns:
        A tensor of shape `S + S` for one input of shape `S`; for a tuple of inputs a tuple of
        tuples, where `H[i][j]` has shape `Sᵢ + Sⱼ`.

    Raises:
        ArgumentTypeError: if inputs or output are not tensors.
        ShapeError: if `func` returns more than one number.
        GraphError, MissingRuleError, ExpectationError: as `jacobian`.

    Example:
        >>> hessian(lambda x: x[0] ** 2 * x[1], tensor([1.0, 2.0]))
        tensor([[4., 2.],
                [2., 0.]])
    """
    at = _several(inputs, "inputs", "hessian")
    _check_strategy(outer_jacobian_strategy)

    def value(*points: Tensor) -> Tensor:
        (y,) = _call_for_number(func, points, "hessian", strict=strict).tensors
        return y.squeeze()

    def gradient(*points: Tensor) -> tuple[Tensor, ...]:
        if outer_jacobian_strategy == "forward-mode":
            for x in points:
                if not x.requires_grad:
                    x.requires_grad = True  # or `_arguments` would detach them: they are duals
        found: tuple[Tensor, ...] = jacobian(value, points, create_graph=True)
        if strict:
            _check_recorded(found, _IS_LINEAR)
        return found

    rows = jacobian(
        gradient, at.tensors, create_graph, strict, vectorize, strategy=outer_jacobian_strategy
    )
    return at.shaped([at.shaped(row) for row in rows])


# What goes in and what comes out ----------------------------------------------------------------


class _Several(NamedTuple):
    """Tensors, and whether they came in a tuple: so does what belongs to them."""

    tensors: tuple[Tensor, ...]
    in_tuple: bool

    def shaped(self, results: Sequence[Any]) -> Any:
        """One result for each tensor: as a tuple, or the only one."""
        return tuple(results) if self.in_tuple else results[0]


def _several(value: Any, what: str, function: str) -> _Several:
    """One tensor or a tuple of tensors.

    Args:
        what: the name of `value` in a message, as `function` is that of the public function.
    """
    tensors = value if isinstance(value, tuple) else (value,)
    for position, x in enumerate(tensors):
        if not isinstance(x, Tensor):
            which = f"value at index {position}" if value is tensors else f"given {what}"
            raise ArgumentTypeError(
                f"The {what} given to {function} must be either a Tensor or a tuple of Tensors but "
                f"the {which} has type {type(x)}. Derivatives are those of tensors. Pass "
                "constants by a closure: `lambda x: f(x, 2)`."
            )
    return _Several(tensors, value is tensors)


def _arguments(
    tensors: tuple[Tensor, ...], *, create_graph: bool, requires_grad: bool = True
) -> tuple[Tensor, ...]:
    """New tensors with the same values, to call the function with.

    They are new, so that an input can be told from the same tensor in the function's closure:
    only what arrives through the arguments is differentiated.

    Args:
        create_graph: keep those connected to `tensors` that require grad.
        requires_grad: whether the others require grad.
    """
    return tuple(
        [
            x.view_as(x)
            if create_graph and x.requires_grad
            else x.detach().requires_grad_(requires_grad)
            for x in tensors
        ]
    )


def _gradients(
    outputs: Gradients,
    inputs: Sequence[Tensor],
    seeds: Gradients | None = None,
    *,
    create_graph: bool,
    retain_graph: bool | None = None,
    batched: bool = False,
) -> tuple[Tensor | None, ...]:
    """`autograd.grad` of those outputs that require grad; None where nothing arrives.

    Args:
        batched: `seeds` have one more dim in front; so have the results.
    """
    seeds = (None,) * len(outputs) if seeds is None else seeds
    recorded = [output is not None and output.requires_grad for output in outputs]
    if True not in recorded:
        return (None,) * len(inputs)
    differentiable: Any = list(compress(outputs, recorded))
    return grad(
        differentiable,
        inputs,
        list(compress(seeds, recorded)),
        retain_graph,
        create_graph,
        allow_unused=True,
        is_grads_batched=batched,
    )


def _call(func: Function, inputs: tuple[Tensor, ...], function: str, *, strict: bool) -> _Several:
    """The outputs of `func`; if `strict`, each must be recorded."""
    outputs = _several(func(*inputs), "outputs of the user-provided function", function)
    for position, y in enumerate(outputs.tensors):
        if strict and not y.requires_grad:
            raise GraphError(
                f"Output {position} of the user-provided function does not require gradients. The "
                "outputs must be computed in a differentiable manner from the input when running "
                "in strict mode. Look for detach(), no_grad() or an integer dtype on the way, or "
                "pass strict=False to get zeros."
            )
    return outputs


def _call_for_number(
    func: Function, inputs: tuple[Tensor, ...], function: str, *, strict: bool
) -> _Several:
    """The one number that `func` returns, as a tensor of one element."""
    outputs = _call(func, inputs, function, strict=strict)
    if outputs.in_tuple:
        raise ShapeError(
            f"The function given to {function} should return a single Tensor, but it returned a "
            f"tuple of {len(outputs.tensors)}. A Hessian is that of one number. "
            "Return the output of interest, or a sum."
        )
    (y,) = outputs.tensors
    if y.numel() != 1:
        raise ShapeError(
            f"The Tensor returned by the function given to {function} should contain a single "
            f"element, but it has shape {tuple(y.shape)}. A Hessian is that of one number. Reduce "
            "the output, for example with `.sum()`."
        )
    return outputs


def _vector(
    v: Any, function: str, like: _Several, condition: str, create_graph: bool
) -> tuple[Tensor, ...] | None:
    """The tensors of `v`, which has the sizes of `like`; None if it was left out.

    Args:
        condition: when it may be left out, in words: where `like` is one number.
    """
    if v is None:
        if len(like.tensors) != 1 or like.tensors[0].numel() != 1:
            raise ShapeError(
                f"The vector v can only be None if {condition} a single Tensor with a single "
                f"element. Here the sizes are {[tuple(x.shape) for x in like.tensors]}, and 1 is "
                "no vector of such a space. Pass v with these sizes."
            )
        return None
    given = _several(v, "v", function).tensors
    if len(given) != len(like.tensors):
        if not like.in_tuple:
            raise ShapeError(
                f"The given v should contain a single Tensor. It contains {len(given)}, but "
                "is multiplied with one. Pass that tensor alone."
            )
        raise ShapeError(
            f"v is a tuple of invalid length: should be {len(like.tensors)} but got "
            f"{len(given)}. Each tensor has its part of the vector. Use zeros for a direction "
            "of no interest."
        )
    for position, (part, x) in enumerate(zip(given, like.tensors, strict=True)):
        if part.shape != x.shape:
            entry = f"Entry {position} in " if like.in_tuple else ""
            raise ShapeError(
                f"{entry}v has invalid size: should be torch.Size({list(x.shape)}) but got "
                f"torch.Size({list(part.shape)}). A vector has one number for each entry of what "
                "it is multiplied with. Nothing is broadcast here: write `v.expand_as(…)`."
            )
    return _arguments(given, create_graph=create_graph, requires_grad=False)


def _returned(like: _Several, results: Any, create_graph: bool) -> Any:
    """The results, in a tuple if `like` came in one, and detached unless a graph was asked for."""
    return like.shaped(results if create_graph else [result.detach() for result in results])


# Strict mode ------------------------------------------------------------------------------------

_NOT_IN_STRICT = "This is not allowed in strict mode"


def _filled(
    kind: _Product, found: Gradients, like: Sequence[Tensor], *, strict: bool, create_graph: bool
) -> list[Tensor]:
    """The gradients, with zeros for those that are missing; neither zeros if `strict`."""
    results = []
    for position, (gradient, x) in enumerate(zip(found, like, strict=True)):
        if strict and gradient is None:
            raise GraphError(f"{kind.missing.format(position)}. {_NOT_IN_STRICT}. {kind.remedy}")
        if strict and create_graph and gradient is not None and not gradient.requires_grad:
            raise GraphError(
                f"The {kind.constant} of the user-provided function is independent of input "
                f"{position}. {_NOT_IN_STRICT} when create_graph=True. Nothing is left to "
                "differentiate: leave create_graph or strict out."
            )
        results.append(zeros_like(x) if gradient is None else gradient)
    return results


_IS_LINEAR = (
    "While computing the hessian, found that the jacobian of the user-provided function with "
    f"respect to input {{}} is independent of the input. {_NOT_IN_STRICT}. The Hessian of a linear "
    "function is zero: pass strict=False to get it, or make sure the function is twice "
    "differentiable."
)
_LEAVES_TAPE = (
    "The gradient with respect to input {} is independent of the inputs of the user-provided "
    f"function. {_NOT_IN_STRICT}. Its backward leaves the tape: compute it with differentiable "
    "ops, or pass strict=False to get zeros."
)


def _check_recorded(gradients: Gradients, otherwise: str) -> None:
    """Gradients to be differentiated are there, and depend on something themselves.

    Args:
        otherwise: what is said of one that does not.
    """
    for position, gradient in enumerate(gradients):
        if gradient is None:
            raise GraphError(f"{_OUTPUT.format(position)}. {_NOT_IN_STRICT}. {_DROP}")
        if not gradient.requires_grad:
            raise GraphError(otherwise.format(position))
