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

from collections.abc import Sequence
from itertools import compress
from typing import Any, NamedTuple

from glassgrad.autograd.forward_ad import make_dual, own_level, unpack_dual
from glassgrad.autograd.grad_mode import enable_grad
from glassgrad.autograd.gradients import grad
from glassgrad.core import errors
from glassgrad.core.state import Func, setting
from glassgrad.core.tensor import Tensor
from glassgrad.func.jacobians import split_columns, split_rows, unit_vectors
from glassgrad.func.vmap import map_batch
from glassgrad.missing import missing_from as _missing_from
from glassgrad.ops import _checks as check
from glassgrad.ops import stack, zeros_like
from glassgrad.values.tree import as_tuple

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

__getattr__ = _missing_from(__name__)

Gradients = Sequence[Tensor | None]
Tensors = tuple[Tensor, ...]
OneOrSeveral = Tensor | Tensors
"""What a user passes and gets: one tensor, or a tuple of them."""


@check.briefly
def vjp(
    func: Func,
    inputs: OneOrSeveral,
    v: OneOrSeveral | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[OneOrSeveral, OneOrSeveral]:
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
    return _product(_VJP, _Request("vjp", func, create_graph, strict), inputs, v)


@check.briefly
def jvp(
    func: Func,
    inputs: OneOrSeveral,
    v: OneOrSeveral | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[OneOrSeveral, OneOrSeveral]:
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
    return _product(_JVP, _Request("jvp", func, create_graph, strict), inputs, v)


@check.briefly
def vhp(
    func: Func,
    inputs: OneOrSeveral,
    v: OneOrSeveral | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Tensor, OneOrSeveral]:
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
    return _product(_VHP, _Request("vhp", func, create_graph, strict), inputs, v)


@check.briefly
def hvp(
    func: Func,
    inputs: OneOrSeveral,
    v: OneOrSeveral | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Tensor, OneOrSeveral]:
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
    return _product(_HVP, _Request("hvp", func, create_graph, strict), inputs, v)


# How the products are computed ------------------------------------------------------------------


class _Product(NamedTuple):
    """A product with a vector, and what `strict=True` says where it is zero or constant.

    Attributes:
        of_gradient: whether the Jacobian is that of the gradient of `func`: a Hessian.
        from_left: whether the vector is multiplied from the left, as backward does.
        missing: the sentence about a result that is None; `{}` is its position.
        constant: what an input is found to have no influence on: a derivative's name.
        remedy: what to do about a missing one.
    """

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
_VJP = _Product(False, True, _OUTPUT, "jacobian", _DROP)
_JVP = _Product(False, False, _GRADIENT, "jacobian", _NO_WAY_BACK)
_VHP = _Product(True, True, _JACOBIAN, "hessian", _DROP)
_HVP = _Product(True, False, _HESSIAN, "hessian", _NO_WAY_BACK)


@enable_grad()
def _product(kind: _Product, asked: "_Request", inputs: OneOrSeveral, v: Any) -> tuple[Any, Any]:
    """`func(*inputs)`, and the product of v and its Jacobian or Hessian there."""
    at = asked.several(inputs, "inputs")
    points = asked.arguments(at.tensors)
    if kind is not _VJP:
        v = asked.vector(v, at, "the input to the user-provided function is")
    outputs = asked.call_for_number(points) if kind.of_gradient else asked.call(points)
    if kind is _VJP:
        v = asked.vector(v, outputs, "the user-provided function returns")
    values: Gradients = outputs.tensors
    like = outputs
    if kind.of_gradient:
        values, like = _gradients(values, points, create_graph=True), at
        if asked.strict:
            _check_recorded(values, _IS_LINEAR)
    if kind.from_left:
        variables, like = points, at
    else:  # see Note [A product J v from two backward passes]
        variables = tuple([zeros_like(x, requires_grad=True) for x in like.tensors])
        values = _gradients(values, points, variables, create_graph=True)
        if asked.strict and not kind.of_gradient:
            _check_recorded(values, _LEAVES_TAPE)
    found = _gradients(values, variables, v, create_graph=asked.create_graph)
    products = asked.filled(kind, found, like.tensors)
    return asked.returned(outputs, outputs.tensors), asked.returned(like, products)


# Whole matrices ---------------------------------------------------------------------------------


@check.briefly
def jacobian(
    func: Func,
    inputs: OneOrSeveral,
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
    asked = _Request("jacobian", func, create_graph, strict)
    at = asked.several(inputs, "inputs")
    if strategy == "forward-mode":
        _refuse_with_forward_mode(asked, vectorize=vectorize)
        return _by_columns(asked, at)
    with setting(grad=True):
        points = asked.arguments(at.tensors)
        outputs = asked.call(points)
        rows_of = _rows_at_once if vectorize else _rows_one_by_one
        total = sum([y.numel() for y in outputs.tensors])
        by_input = [
            split_rows(x.new_zeros((total, *x.shape)) if rows is None else rows, outputs.tensors, x)
            for rows, x in zip(rows_of(asked, outputs.tensors, points), points, strict=True)
        ]
        return outputs.shaped([asked.returned(at, row) for row in zip(*by_input, strict=True)])


def _rows_one_by_one(asked: "_Request", outputs: Sequence[Tensor], inputs: Tensors) -> Gradients:
    """For each input the rows of all outputs, from a backward pass for each of their entries."""
    rows = []
    for number, output in enumerate(outputs):
        missing = f"Output {number} of the user-provided function is independent of input {{}}"
        kind, flat = _VJP._replace(missing=missing), output.reshape(-1)
        for nr in range(output.numel()):
            row = _gradients([flat[nr]], inputs, create_graph=asked.create_graph, retain_graph=True)
            rows.append(asked.filled(kind, row, inputs))
    return [stack(of_input) for of_input in zip(*rows, strict=True)] or [None] * len(inputs)


def _rows_at_once(asked: "_Request", outputs: Sequence[Tensor], inputs: Tensors) -> Gradients:
    """The same from one batched pass."""
    if asked.strict:
        raise errors.GraphError(
            "autograd.functional.jacobian: `strict=True` and `vectorize=True` are not supported "
            "together. One pass for all rows does not say which output depends on which input. "
            "Set `strict=False` or `vectorize=False`."
        )
    basis = _construct_standard_basis_for(outputs, [y.numel() for y in outputs])
    if not len(basis[0]):
        return [None] * len(inputs)
    flat = [output.reshape(-1) for output in outputs]
    return _gradients(flat, inputs, basis, create_graph=asked.create_graph, is_grads_batched=True)


def _by_columns(asked: "_Request", at: "_Several") -> Any:
    """The Jacobian, in the dtype of the outputs: products J e with the unit vectors e.

    They come from one call in forward mode, mapped over the unit vectors. The inputs keep their
    places in the graph.
    """
    called: list[_Several] = []

    def push(tangents: list[Tensor]) -> list[Tensor]:
        with own_level():
            pairs = zip(at.tensors, tangents, strict=True)
            duals = tuple([make_dual(x, e.reshape(x.shape)) for x, e in pairs])
            outputs = asked.call(duals)
            called.append(outputs)
            found = [unpack_dual(output) for output in outputs.tensors]
            return [zeros_like(primal) if dy is None else dy for primal, dy in found]

    basis = _construct_standard_basis_for(at.tensors, [x.numel() for x in at.tensors])
    columns = map_batch(push, basis, len(basis[0]), "never")
    return called[0].shaped([at.shaped(split_columns(dy, at.tensors)) for dy in columns])


def _construct_standard_basis_for(
    tensors: Sequence[Tensor], tensor_numels: Sequence[int]
) -> Tensors:
    """The unit vectors of the space of all `tensors`, cut into one chunk for each of them.

    Args:
        tensor_numels: how many entries each of them has; together `n`.

    Returns:
        For each tensor its columns of the n×n identity, in its dtype and on its device.
    """
    pairs = zip(unit_vectors(tensors), tensor_numels, strict=True)
    return tuple([vectors.reshape((len(vectors), size)) for vectors, size in pairs])


def _check_strategy(strategy: str) -> None:
    modes = "forward-mode", "reverse-mode"
    why = (
        "A Jacobian is computed by columns or by rows. With more outputs than inputs take "
        '"forward-mode", otherwise "reverse-mode".'
    )
    wanted = 'Expected strategy to be either "forward-mode" or "reverse-mode"'
    check.choice(wanted, strategy, modes, why, errors.ExpectationError)


def _refuse_with_forward_mode(asked: "_Request", *, vectorize: bool) -> None:
    """The options that do not go together with `strategy="forward-mode"`."""
    for option, error in (("create_graph", errors.MissingRuleError), ("strict", errors.GraphError)):
        if getattr(asked, option):
            raise error(
                f"torch.autograd.functional.jacobian: `{option}=True` and "
                '`strategy="forward-mode"` are not supported together (yet). A column does not '
                "say which input an output depends on, nor is it recorded. Set "
                f"`{option}=False` or "
                '`strategy="reverse-mode"`.'
            )
    if not vectorize:
        raise errors.MissingRuleError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian is only "
            "implemented for `vectorize=True`. All columns come from one call of the function. "
            "Pass vectorize=True."
        )


@check.briefly
def hessian(
    func: Func,
    inputs: OneOrSeveral,
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
    asked = _Request("hessian", func, create_graph, strict)
    at = asked.several(inputs, "inputs")
    _check_strategy(outer_jacobian_strategy)

    def value(*points: Tensor) -> Tensor:
        (y,) = asked.call_for_number(points).tensors
        return y.squeeze()

    def gradient(*points: Tensor) -> Tensors:
        if outer_jacobian_strategy == "forward-mode":
            for x in points:
                if not x.requires_grad:
                    x.requires_grad = True  # or they would be detached, and they are duals
        found: Tensors = jacobian(value, points, create_graph=True)
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

    tensors: Tensors
    in_tuple: bool

    def shaped(self, results: Sequence[Any]) -> Any:
        """One result for each tensor: as a tuple, or the only one."""
        return tuple(results) if self.in_tuple else results[0]


class _Request(NamedTuple):
    """What a user asked for.

    Attributes:
        function: the public function that was called, for messages.
        func, create_graph, strict: its arguments.
    """

    function: str
    func: Func
    create_graph: bool
    strict: bool

    def several(self, value: Any, what: str) -> _Several:
        """One tensor or a tuple of tensors; `what` is its name in a message."""
        tensors = as_tuple(value)
        for position, x in enumerate(tensors):
            if not isinstance(x, Tensor):
                which = f"value at index {position}" if value is tensors else f"given {what}"
                raise errors.ArgumentTypeError(
                    f"The {what} given to {self.function} must be either a Tensor or a tuple of "
                    f"Tensors but the {which} has type {type(x)}. Derivatives are those of "
                    "tensors. Pass constants by a closure: `lambda x: f(x, 2)`."
                )
        return _Several(tensors, value is tensors)

    def arguments(self, tensors: Tensors, *, requires_grad: bool = True) -> Tensors:
        """New tensors with the same values, to call the function with.

        They are new, so that an input can be told from the same tensor in the function's closure:
        only what arrives through the arguments is differentiated. With `create_graph` those that
        require grad stay connected to `tensors`.

        Args:
            requires_grad: whether the others require grad.
        """

        def new(x: Tensor) -> Tensor:
            if self.create_graph and x.requires_grad:
                return x.view_as(x)
            return x.detach().requires_grad_(requires_grad)

        return tuple(map(new, tensors))

    def call(self, inputs: Tensors) -> _Several:
        """The outputs of `func`; if `strict`, each must be recorded."""
        outputs = self.several(self.func(*inputs), "outputs of the user-provided function")
        for position, y in enumerate(outputs.tensors):
            if self.strict and not y.requires_grad:
                raise errors.GraphError(
                    f"Output {position} of the user-provided function does not require gradients. "
                    "The outputs must be computed in a differentiable manner from the input when "
                    "running in strict mode. Look for detach(), no_grad() or an integer dtype on "
                    "the way, or pass strict=False to get zeros."
                )
        return outputs

    def call_for_number(self, inputs: Tensors) -> _Several:
        """The one number that `func` returns, as a tensor of one element."""
        outputs = self.call(inputs)
        if outputs.in_tuple:
            raise errors.ShapeError(
                f"The function given to {self.function} should return a single Tensor, but it "
                f"returned a tuple of {len(outputs.tensors)}. A Hessian is that of one number. "
                "Return the output of interest, or a sum."
            )
        (y,) = outputs.tensors
        if y.numel() != 1:
            raise errors.ShapeError(
                f"The Tensor returned by the function given to {self.function} should contain a "
                f"single element, but it has shape {tuple(y.shape)}. A Hessian is that of one "
                "number. Reduce the output, for example with `.sum()`."
            )
        return outputs

    def vector(self, v: Any, like: _Several, condition: str) -> Tensors | None:
        """The tensors of `v`, which has the sizes of `like`; None if it was left out.

        Args:
            condition: when it may be left out, in words: where `like` is one number.
        """
        if v is None:
            if len(like.tensors) != 1 or like.tensors[0].numel() != 1:
                raise errors.ShapeError(
                    f"The vector v can only be None if {condition} a single Tensor with a single "
                    f"element. Here the sizes are {[tuple(x.shape) for x in like.tensors]}, and 1 "
                    "is no vector of such a space. Pass v with these sizes."
                )
            return None
        given = self.several(v, "v").tensors
        if len(given) != len(like.tensors):
            if not like.in_tuple:
                raise errors.ShapeError(
                    f"The given v should contain a single Tensor. It contains {len(given)}, but "
                    "is multiplied with one. Pass that tensor alone."
                )
            raise errors.ShapeError(
                f"v is a tuple of invalid length: should be {len(like.tensors)} but got "
                f"{len(given)}. Each tensor has its part of the vector. Use zeros for a direction "
                "of no interest."
            )
        for position, (part, x) in enumerate(zip(given, like.tensors, strict=True)):
            if part.shape != x.shape:
                entry = f"Entry {position} in " if like.in_tuple else ""
                raise errors.ShapeError(
                    f"{entry}v has invalid size: should be torch.Size({list(x.shape)}) but got "
                    f"torch.Size({list(part.shape)}). A vector has one number for each entry of "
                    "what it is multiplied with. Nothing is broadcast here: write "
                    "`v.expand_as(…)`."
                )
        return self.arguments(given, requires_grad=False)

    def filled(self, kind: _Product, found: Gradients, like: Sequence[Tensor]) -> list[Tensor]:
        """The gradients, with zeros for those that are missing; neither zeros if `strict`."""
        results = []
        for position, (gradient, x) in enumerate(zip(found, like, strict=True)):
            if gradient is None:
                if self.strict:
                    missing = kind.missing.format(position)
                    raise errors.GraphError(f"{missing}. {_NOT_IN_STRICT}. {kind.remedy}")
                gradient = zeros_like(x)
            elif self.strict and self.create_graph and not gradient.requires_grad:
                raise errors.GraphError(
                    f"The {kind.constant} of the user-provided function is independent of input "
                    f"{position}. {_NOT_IN_STRICT} when create_graph=True. Nothing is left to "
                    "differentiate: leave create_graph or strict out."
                )
            results.append(gradient)
        return results

    def returned(self, like: _Several, results: Any) -> Any:
        """The results, in a tuple if `like` is one; detached unless a graph was asked for."""
        return like.shaped(results if self.create_graph else [x.detach() for x in results])


def _gradients(
    outputs: Gradients, inputs: Sequence[Tensor], seeds: Gradients | None = None, **how: Any
) -> tuple[Tensor | None, ...]:
    """`autograd.grad` of those outputs that require grad; None where nothing arrives.

    Args:
        how: what `grad` takes besides, such as `create_graph`.
    """
    seeds = (None,) * len(outputs) if seeds is None else seeds
    recorded = [output is not None and output.requires_grad for output in outputs]
    if True not in recorded:
        return (None,) * len(inputs)
    differentiable: Any = list(compress(outputs, recorded))
    given = list(compress(seeds, recorded))
    return grad(differentiable, inputs, given, allow_unused=True, **how)


# Strict mode ------------------------------------------------------------------------------------

_NOT_IN_STRICT = "This is not allowed in strict mode"


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
            raise errors.GraphError(f"{_OUTPUT.format(position)}. {_NOT_IN_STRICT}. {_DROP}")
        if not gradient.requires_grad:
            raise errors.GraphError(otherwise.format(position))
