"""`torch.autograd.functional`: derivatives of a function at a point, as tensors.

    vjp       vᵀJ   one backward pass
    jvp       J v   two
    jacobian  J     one for each entry of the output, or of the input
    vhp       vᵀH   two
    hvp       H v   three
    hessian   H     two for each entry of the input

J is the Jacobian of a function and H the Hessian of one that returns a number. Where that is
smooth H is symmetric, so `vhp` and `hvp` agree and `vhp` is the cheaper one. Why `jvp` and `hvp`
need one pass more is Note [A product J v from two backward passes] in `_functional_rows.py`.

What all six take and return:

    func          takes tensors, returns a tensor or a tuple of tensors.
    inputs        a tensor or a tuple of tensors; results come in a tuple where these do.
    create_graph  record the computation of the results, so that they can be differentiated with
                  respect to inputs and v that require grad. Otherwise they are detached.
    strict        raise where a derivative is zero because nothing depends on an input, instead
                  of returning zeros.
"""

from collections.abc import Callable
from typing import Any

from glassgrad.autograd._functional_checks import (
    DOUBLE_BACK,
    DOUBLE_BACK_TRICK,
    FIRST_BACK,
    FIRST_BACK_TRICK,
    Several,
    Tensors,
    call,
    call_scalar,
    check_slopes,
    check_strategy,
    check_vector,
    refuse_with_forward_mode,
    several,
)
from glassgrad.autograd._functional_rows import (
    _construct_standard_basis_for,
    arguments,
    columns,
    gradients,
    rows_at_once,
    rows_one_by_one,
)
from glassgrad.autograd.grad_mode import enable_grad
from glassgrad.core.errors import GraphError
from glassgrad.core.tensor import Tensor
from glassgrad.ops import zeros_like

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

Function = Callable[..., Any]


@enable_grad()
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
    at = several(inputs, "inputs", "vjp")
    points = arguments(at.tensors, create_graph=create_graph)
    outputs = call(func, points, "vjp", strict=strict)
    seeds = _vector(v, "vjp", outputs, "the user-provided function returns", create_graph)
    found = gradients(outputs.tensors, points, seeds, create_graph=create_graph)
    products = FIRST_BACK.filled(found, points, strict=strict, create_graph=create_graph)
    return _returned(outputs, outputs.tensors, create_graph), _returned(at, products, create_graph)


@enable_grad()
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
    at = several(inputs, "inputs", "jvp")
    points = arguments(at.tensors, create_graph=create_graph)
    direction = _vector(v, "jvp", at, _ONE_INPUT, create_graph)
    outputs = call(func, points, "jvp", strict=strict)
    anywhere = [zeros_like(output, requires_grad=True) for output in outputs.tensors]
    pulled = gradients(outputs.tensors, points, anywhere, create_graph=True)
    if strict:
        check_slopes(pulled, second=False)
    found = gradients(pulled, anywhere, direction, create_graph=create_graph)
    products = FIRST_BACK_TRICK.filled(
        found, outputs.tensors, strict=strict, create_graph=create_graph
    )
    values = _returned(outputs, outputs.tensors, create_graph)
    return values, _returned(outputs, products, create_graph)


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
    check_strategy(strategy)
    if strategy == "forward-mode":
        refuse_with_forward_mode(create_graph=create_graph, strict=strict, vectorize=vectorize)
        at = several(inputs, "inputs", "jacobian")
        outputs, jacobians = columns(func, at)
        return outputs.shaped([at.shaped(row) for row in jacobians])
    with enable_grad():
        at = several(inputs, "inputs", "jacobian")
        points = arguments(at.tensors, create_graph=create_graph)
        outputs = call(func, points, "jacobian", strict=strict)
        jacobians = _rows(outputs.tensors, points, create_graph, strict, vectorize)
        return outputs.shaped([_returned(at, row, create_graph) for row in jacobians])


def _rows(
    outputs: tuple[Tensor, ...],
    points: tuple[Tensor, ...],
    create_graph: bool,
    strict: bool,
    vectorize: bool,
) -> list[list[Tensor]]:
    """For each output and input the Jacobian, by backward passes from the outputs."""
    if not vectorize:
        return [
            rows_one_by_one(i, output, points, strict=strict, create_graph=create_graph)
            for i, output in enumerate(outputs)
        ]
    if strict:
        raise GraphError(
            "autograd.functional.jacobian: `strict=True` and `vectorize=True` are not supported "
            "together. One pass for all rows does not say which output depends on which input. "
            "Set `strict=False` or `vectorize=False`."
        )
    basis = _construct_standard_basis_for(outputs, [output.numel() for output in outputs])
    return rows_at_once(outputs, points, basis, create_graph)


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
    at = several(inputs, "inputs", "hessian")
    check_strategy(outer_jacobian_strategy)

    def value(*points: Tensor) -> Tensor:
        return call_scalar(func, points, "hessian", strict=strict).squeeze()

    def slopes(*points: Tensor) -> tuple[Tensor, ...]:
        if outer_jacobian_strategy == "forward-mode":
            for x in points:
                if not x.requires_grad:
                    x.requires_grad = True  # or `arguments` would detach them: they are duals
        found: tuple[Tensor, ...] = jacobian(value, points, create_graph=True)
        if strict:
            check_slopes(found, second=True)
        return found

    rows = jacobian(
        slopes, at.tensors, create_graph, strict, vectorize, strategy=outer_jacobian_strategy
    )
    return at.shaped([at.shaped(row) for row in rows])


@enable_grad()
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
    at = several(inputs, "inputs", "vhp")
    points = arguments(at.tensors, create_graph=create_graph)
    direction = _vector(v, "vhp", at, _ONE_INPUT, create_graph)
    output = call_scalar(func, points, "vhp", strict=strict)
    slopes = gradients([output], points, create_graph=True)
    if strict:
        check_slopes(slopes, second=True)
    found = gradients(slopes, points, direction, create_graph=create_graph)
    products = DOUBLE_BACK.filled(found, points, strict=strict, create_graph=create_graph)
    value = output if create_graph else output.detach()
    return value, _returned(at, products, create_graph)


@enable_grad()
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
    at = several(inputs, "inputs", "hvp")
    points = arguments(at.tensors, create_graph=create_graph)
    direction = _vector(v, "hvp", at, _ONE_INPUT, create_graph)
    output = call_scalar(func, points, "hvp", strict=strict)
    slopes = gradients([output], points, create_graph=True)
    if strict:
        check_slopes(slopes, second=True)
    anywhere = [zeros_like(x, requires_grad=True) for x in points]
    pulled = gradients(slopes, points, anywhere, create_graph=True)
    found = gradients(pulled, anywhere, direction, create_graph=create_graph)
    products = DOUBLE_BACK_TRICK.filled(found, points, strict=strict, create_graph=create_graph)
    value = output if create_graph else output.detach()
    return value, _returned(at, products, create_graph)


# What goes in and what comes out ----------------------------------------------------------------

_ONE_INPUT = "the input to the user-provided function is"


def _vector(
    v: Any, function: str, like: Several, condition: str, create_graph: bool
) -> tuple[Tensor, ...] | None:
    """The tensors of `v`, which has the sizes of `like`; None if it was left out."""
    given = None if v is None else several(v, "v", function)
    check_vector(given, like, condition)
    if given is None:
        return None
    return arguments(given.tensors, create_graph=create_graph, requires_grad=False)


def _returned(like: Several, results: Any, create_graph: bool) -> Any:
    """The results, in a tuple if `like` came in one, and detached unless a graph was asked for."""
    return like.shaped(results if create_graph else [result.detach() for result in results])
