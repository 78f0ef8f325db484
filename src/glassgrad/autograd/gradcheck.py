"""`gradcheck`: compare what backward says with what small steps show.

    >>> gradcheck(lambda x: x * x, tensor([1.0, 2.0], dtype=float64, requires_grad=True))
    True

A rule is a claim about a Jacobian, which is known in three ways:

    by differences    (f(x + eps·u) - f(x - eps·u)) / 2eps gives the row uᵀJ
    by jvp            a call with the tangent u gives the same row
    by backward       a pass with the gradient v gives the column Jv

A Jacobian here has PyTorch's layout, one row for each entry of the input and one column for each
entry of the output. For u and v stand all unit vectors, or in `fast_mode` one random vector each:
it compares uᵀJv, or the row uᵀJ by jvp. All ends in plain arrays, so that comparing involves no
tape. After that comes what right values do not show: zero for a zero gradient, no stumbling over a
gradient that is missing, and the same for many gradients at once as for one after the other.

# Note [Complex numbers]
# A gradient is that of a real number, so for backward a complex output is looked at twice, as its
# real and as its imaginary part: a `Part` says how to cut it out of an output, and which gradient
# of the output selects it. For a complex input z = x + iy the entry is then ∂s/∂x + i ∂s/∂y. A
# tangent is a row as a difference is, so there it is the input that is moved twice.
"""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from glassgrad import ops
from glassgrad.autograd.forward_ad import UnpackedDualTensor, make_dual, own_level, unpack_dual
from glassgrad.autograd.gradients import grad, in_one_pass
from glassgrad.core import errors
from glassgrad.core.errors import GradcheckError
from glassgrad.core.function import Function
from glassgrad.core.state import Func, Shape, Values, setting
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.memory.calls import warn
from glassgrad.values.backend import asnumpy, backend_of, repeats
from glassgrad.values.tree import several

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]

SEED = 0
"""Of random vectors: the same verdict each time, and no global generator is touched."""

Array = np.ndarray[Any, np.dtype[Any]]
Tensors = Tensor | Sequence[Any]


def gradcheck(
    func: Func,
    inputs: Tensors,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Check the gradients of `func` against finite differences.

    Args:
        func: takes tensors, returns a tensor or a tuple of tensors. It must be smooth at `inputs`:
            at a kink both sides may be right and differ.
        inputs: one tensor or several; those that require grad are checked, and should be float64
            and without overlapping memory.
        eps: the step of the differences, which are central.
        atol, rtol: how far apart two entries may be: `|a − n| ≤ atol + rtol·|n|`.
        raise_exception: False returns False where a GradcheckError would be raised.
        nondet_tol: how much two backward passes may differ.
        check_undefined_grad: check that missing gradients are taken as zeros.
        check_grad_dtypes: check that gradients have their input's dtype.
        check_batched_grad: check that several gradients in one pass (`is_grads_batched`) give
            what each of them gives.
        check_forward_ad: check the tangents of forward mode too, those that are missing included
            if `check_undefined_grad`.
        check_batched_forward_grad: check that several tangents mapped over give what each of them
            gives; needs `check_forward_ad`.
        check_backward_ad: False leaves out all that belongs to backward.
        fast_mode: compare one random projection of each Jacobian instead of all its entries.
        masked: True compares zero gradients with a tolerance; it is for sparse tensors.

    Returns:
        True.

    Raises:
        GradcheckError: if a gradient is wrong. It names the input, the output and the entry.
        ArgumentError: if no input requires grad.
        ExpectationError: if options contradict each other, or an output's shape or dtype depends
            on the inputs' values.
        MissingRuleError: if an op has no rule that is to be checked.

    Example:
        >>> x = tensor([0.5, 1.0], dtype=float64, requires_grad=True)
        >>> gradcheck(lambda x: x.sin() * x, x)
        True

    See also: https://pytorch.org/docs/stable/notes/gradcheck.html
    """
    _check_options(check_forward_ad, check_backward_ad, check_batched_grad)
    if check_batched_forward_grad and not check_forward_ad:
        raise errors.ExpectationError(
            "Setting check_batched_forward_grad=True requires check_forward_ad to be True."
        )
    try:
        points = several(inputs)
        _check_inputs(points)
        outputs = call(func, points)
        tolerances = eps, atol, rtol, nondet_tol
        at = Point(func, points, outputs, *tolerances, check_grad_dtypes, fast_mode)
        if check_backward_ad:
            at.check_backward()
        if check_forward_ad:
            at.check_forward()
            if check_undefined_grad:
                _check_undefined_tangents(at)
            if check_batched_forward_grad:
                _check_batched_tangents(at)
        if check_backward_ad and at.differentiable:
            if check_batched_grad:
                _check_batched_gradients(at)
            _check_zero_gradients(at, is_close=bool(masked))
            if check_undefined_grad:
                _check_undefined_gradients(at)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(
    func: Func,
    inputs: Tensors,
    grad_outputs: Tensors | None = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Check the gradients of the gradients of `func` against finite differences.

    Args:
        func, inputs: as for `gradcheck`.
        grad_outputs: the gradients of the outputs that require grad, themselves among what is
            checked; default: random ones in [-1, 1).
        gen_non_contig_grad_outputs: make the random ones non-contiguous.
        check_fwd_over_rev: check forward mode on gradients.
        check_rev_over_rev: check backward on gradients.
        eps, atol, rtol, raise_exception, nondet_tol, check_undefined_grad, check_grad_dtypes,
            check_batched_grad, fast_mode, masked: as for `gradcheck`.

    Returns:
        True.

    Raises:
        GradcheckError, ArgumentError, ExpectationError, MissingRuleError: as `gradcheck`. Inputs
            are counted with `grad_outputs` behind them.

    Example:
        >>> x = tensor([0.5, 1.0], dtype=float64, requires_grad=True)
        >>> gradgradcheck(lambda x: x.sin() * x, x)
        True
    """
    _check_options(check_fwd_over_rev, check_rev_over_rev, check_batched_grad, second=True)
    if check_undefined_grad and not check_rev_over_rev:
        raise errors.ExpectationError(
            "Setting check_undefined_grad=True requires check_rev_over_rev to be True."
        )
    primals = several(inputs)
    if grad_outputs is None:
        outputs = _differentiable(call(func, primals))
        seeds = _random_gradients(outputs, gen_non_contig_grad_outputs)
    else:
        seeds = several(grad_outputs)
    return gradcheck(
        _gradient_function(func, primals, seeds),
        (*primals, *seeds),
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        fast_mode=fast_mode,
        masked=masked,
    )


# Older names --------------------------------------------------------------------------------------


def get_numerical_jacobian(
    fn: Func, inputs: Values, target: Any = None, eps: float = 1e-3, grad_out: float = 1.0
) -> list[Tensor]:
    """The Jacobian of a function's first output by differences: a part of an older `gradcheck`.

    Args:
        fn: gets `inputs` as one tuple.
        target: the input with respect to which; None: each that requires grad.

    Returns:
        For each input a tensor with a row for each of its elements.
    """
    _warn_of_private("get_numerical_jacobian", grad_out)
    func = partial(_call_with_tuple, fn)
    at = Point(func, inputs, call(func, inputs), eps, 0.0, 0.0, 0.0, False, False)
    (part, *_) = _parts(at.outputs[:1])
    chosen = [k for k, leaf in enumerate(at.leaves) if target is None or leaf is target]
    return [like(at.leaves[k], at.by_differences(k, part)[0]) for k in chosen]


def get_analytical_jacobian(
    inputs: Values, output: Tensor, nondet_tol: float = 0.0, grad_out: float = 1.0
) -> tuple[list[Tensor], bool, bool, bool]:
    """The Jacobian of `output` by backward: a part of an older `gradcheck`.

    Returns:
        For each input a tensor with a row for each of its elements; whether a second pass gave
        the same; whether all gradients have the inputs' sizes, and their dtypes.
    """
    _warn_of_private("get_analytical_jacobian", grad_out)
    at = Point(several, inputs, (output,), 0.0, 0.0, 0.0, math.inf, False, False)
    (part, *_) = _parts((output,))
    first, second = at.by_backward(0, part), at.by_backward(0, part)
    found = [like(leaf, columns) for leaf, columns in zip(at.leaves, first, strict=True)]
    pairs = zip(first, second, strict=True)
    is_same = all(np.abs(a - b).max(initial=0.0) <= nondet_tol for a, b in pairs)
    return found, is_same, True, True


def _call_with_tuple(fn: Func, *inputs: Any) -> Any:
    return fn(inputs)


def _warn_of_private(name: str, grad_out: float) -> None:
    warn(
        f"`{name}` was part of PyTorch's private API and not meant to be exposed. We are "
        f"deprecating `{name}` and it will be removed in a future version of PyTorch. For the "
        "time being, write `gradcheck`, or `autograd.functional.jacobian`.",
        FutureWarning,
    )
    if grad_out != 1.0:
        raise errors.ArgumentError(
            f"Expected grad_out to be 1.0, got {grad_out}. {name} no longer takes other values "
            "of grad_out. Multiply the Jacobian by it."
        )


# What is compared ---------------------------------------------------------------------------------


def _gradient_function(func: Func, primals: Values, seeds: Values) -> Func:
    """The function from (*primals, *gradients of the outputs) to the gradients of the primals."""
    wanted = [isinstance(x, Tensor) and x.requires_grad for x in (*primals, *seeds)]

    def gradients(*args: Any) -> tuple[Tensor, ...]:
        # forward mode gets its inputs detached
        given = [x.requires_grad_() if want else x for x, want in zip(args, wanted, strict=True)]
        points, arriving = given[: len(primals)], given[len(primals) :]
        outputs = _differentiable(call(func, tuple(points)))
        inputs = [x for x, want in zip(points, wanted, strict=False) if want]
        found = grad(outputs, inputs, arriving, create_graph=True, allow_unused=True)
        return tuple([g for g in found if g is not None])

    return gradients


def _differentiable(outputs: Sequence[Tensor]) -> list[Tensor]:
    return [output for output in outputs if output.requires_grad]


def _random_gradients(outputs: Sequence[Tensor], scattered: bool) -> tuple[Tensor, ...]:
    """Leaves in [-1, 1) like `outputs`; each second element of a longer array if `scattered`."""
    random = np.random.default_rng(SEED)

    def one(output: Tensor) -> Tensor:
        if scattered and output.ndim:
            return _random_like(output, random, (*output.shape, 2))[..., 0]
        return _random_like(output, random, output.shape)

    return tuple([one(output).requires_grad_() for output in outputs])


def _random_like(tensor: Tensor, random: "np.random.Generator", shape: Shape) -> Tensor:
    """Numbers in [-1, 1) of that shape, in the dtype and on the device of `tensor`."""
    values = random.uniform(-1, 1, shape)
    if tensor.dtype.kind == "c":
        values = values + 1j * random.uniform(-1, 1, shape)
    return like(tensor, values)


# What can be checked ----------------------------------------------------------------------------


def _check_options(forward: bool, backward: bool, batched: bool, *, second: bool = False) -> None:
    names = ("check_fwd_over_rev", "check_rev_over_rev")
    names = names if second else ("check_forward_ad", "check_backward_ad")
    if not (forward or backward):
        raise errors.ExpectationError(
            f"Expected at least one of {names[0]} or {names[1]} to be True. There would be nothing "
            "to check."
        )
    if batched and not backward:
        raise errors.ExpectationError(
            f"Setting check_batched_grad=True requires {names[1]} to be True. Batched gradients "
            "are computed by backward."
        )


def _check_inputs(inputs: Values) -> None:
    wanted = [(i, x) for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.requires_grad]
    if not wanted:
        raise errors.ArgumentError(
            "gradcheck expects at least one input tensor to require gradient, but none of them "
            "have requires_grad=True. There is no gradient to check. Set it on the inputs."
        )
    for position, x in wanted:
        if x.dtype.itemsize // (2 if x.dtype.kind == "c" else 1) < np.dtype(float).itemsize:
            warn(
                f"Input #{position} requires gradient and is not a double precision floating "
                f"point or complex ({x.dtype}). This check will likely fail: a step of 1e-6 is "
                "lost in its rounding. Pass `x.double()`."
            )
        if repeats(x.payload.shape, x.payload.strides):
            raise errors.ShapeError(
                f"The {position}th input has a dimension with stride 0. gradcheck only supports "
                "inputs that are non-overlapping: one step would move several entries. Call "
                ".contiguous() on the input before passing it to gradcheck."
            )


# The Jacobians of a function at a point -----------------------------------------------------------


class Part(NamedTuple):
    """Which part of complex numbers is looked at (see Note [Complex numbers]).

    Attributes:
        name: "real" or "imaginary".
        take: cuts the part out of a complex array.
        unit: the complex number that selects it.
    """

    name: str
    take: Callable[[Any], Any]
    unit: complex

    def of(self, array: Array) -> Array:
        """The part of a complex array; a real one as it is."""
        return self.take(array) if array.dtype.kind == "c" else array

    def unit_for(self, tensor: Tensor) -> complex:
        """The unit of the dtype of `tensor` that selects the part."""
        return self.unit if tensor.dtype.kind == "c" else 1.0


REAL = Part("real", np.real, 1.0)
IMAGINARY = Part("imaginary", np.imag, 1j)


def _parts(tensors: Sequence[Tensor]) -> tuple[Part, ...]:
    is_complex = any(x.dtype.kind == "c" for x in tensors)
    return (IMAGINARY, REAL) if is_complex else (REAL,)


def call(func: Func, inputs: Sequence[Any]) -> tuple[Tensor, ...]:
    """What `func` returns, as a tuple of tensors."""
    outputs = several(func(*inputs))
    for position, output in enumerate(outputs):
        if not isinstance(output, Tensor):
            raise errors.ArgumentTypeError(
                f"gradcheck differentiates functions that return tensors, but output {position} "
                f"is of type {type(output).__name__}. Return a tensor, or a tuple of them."
            )
    return outputs


class Point(NamedTuple):
    """A function at a point, and how closely its Jacobians are compared there.

    Attributes:
        func, inputs: the function and its arguments.
        outputs: what it returned for them.
        eps, atol, rtol, nondet_tol, check_grad_dtypes, fast_mode: as for `gradcheck`.
    """

    func: Func
    inputs: Values
    outputs: tuple[Tensor, ...]
    eps: float
    atol: float
    rtol: float
    nondet_tol: float
    check_grad_dtypes: bool
    fast_mode: bool

    @property
    def positions(self) -> list[int]:
        """Where among the inputs the leaves are: those that require grad, which are checked."""
        return [i for i, x in enumerate(self.inputs) if isinstance(x, Tensor) and x.requires_grad]

    @property
    def leaves(self) -> list[Tensor]:
        """The inputs that are checked."""
        return [self.inputs[i] for i in self.positions]

    @property
    def differentiable(self) -> list[int]:
        """Where among the outputs those are that require grad."""
        return [i for i, output in enumerate(self.outputs) if output.requires_grad]

    def check_backward(self) -> None:
        """Compare what backward computes with differences.

        Raises:
            GradcheckError: if they differ.
        """
        for part in _parts(self.outputs):
            measured = [self.by_differences(k, part) for k in range(len(self.leaves))]
            if not self.differentiable:
                self._check_constant(measured)
            for position in self.differentiable:
                for k, computed in enumerate(self.by_backward(position, part)):
                    expected = measured[k][position]
                    scale = 1.0
                    if self.fast_mode:
                        u, v = self._directions(0, k), self._directions(1, position)
                        expected, computed = expected @ v.T, u @ computed
                        scale = float(u.sum() * v.sum()) * len(_parts([self.leaves[k]]))
                    Comparison(self, k, position, part).check(expected, computed, scale)

    def check_forward(self) -> None:
        """Compare what `jvp` computes with differences.

        Raises:
            GradcheckError: if they differ.
        """
        for k, leaf in enumerate(self.leaves):
            scale = float(self._directions(0, k).sum()) if self.fast_mode else 1.0
            for part in _parts([leaf]):
                measured = self.by_differences(k, part, forward=True)
                computed = self.by_jvp(k, part)
                for position in self.differentiable:
                    comparison = Comparison(self, k, position, part, forward=True)
                    comparison.check(measured[position], computed[position], scale)

    def _check_constant(self, measured: Sequence[Sequence[Array]]) -> None:
        """Outputs that do not require grad must not depend on the inputs."""
        tolerance = self.nondet_tol if self.fast_mode else 0.0
        if any(np.abs(rows).max(initial=0.0) > tolerance for found in measured for rows in found):
            raise GradcheckError(
                "Numerical gradient for function expected to be zero: no output requires grad, yet "
                "the outputs change with the inputs. Something leaves the tape, such as detach(), "
                "numpy(), no_grad() or an integer dtype. Compute the outputs with differentiable "
                "ops."
            )

    def _directions(self, side: int, number: int) -> Array:
        """All unit vectors of the size of a leaf (side 0) or of an output (side 1).

        In fast mode it is one vector, random and positive.
        """
        size = (self.leaves, self.outputs)[side][number].numel()
        if not self.fast_mode:
            return np.eye(size)
        vector = np.random.default_rng((SEED, side, number)).random(size)
        return (vector / (np.linalg.norm(vector) or 1.0)).reshape(1, size)

    # By differences -----------------------------------------------------------------------------

    def by_differences(self, k: int, part: Part, *, forward: bool = False) -> list[Array]:
        """For each output how it changes when leaf `k` moves along the directions.

        Args:
            part: of the outputs; with `forward`, of the leaf.
        """
        position, leaf = self.positions[k], self.leaves[k]
        units = [each.unit for each in reversed(_parts([leaf]))]

        def row(direction: Array) -> list[Array]:
            if forward:
                return self._slopes(position, direction * part.unit_for(leaf))
            slopes = [
                [unit * part.of(slope) for slope in self._slopes(position, direction * unit)]
                for unit in units
            ]
            return [sum(each[1:], each[0]) for each in zip(*slopes, strict=True)]

        return _matrices(row, self._directions(0, k), self.outputs)

    def _slopes(self, position: int, direction: Array) -> list[Array]:
        """For each output (f(x + step) - f(x - step)) / 2eps, flat: step = eps·direction."""
        with _editable(self.inputs[position]) as (array, original):
            step = (direction * self.eps).reshape(array.shape).astype(array.dtype)
            step = backend_of(array).asarray(step)
            sides = []
            for moved in (original - step, original + step):
                array[...] = moved
                outputs = call(self.func, self.inputs)
                sides.append([asnumpy(out.payload).copy() for out in outputs])
        pairs = zip(*sides, strict=True)
        return [self._slope(nr, low, high, step) for nr, (low, high) in enumerate(pairs)]

    def _slope(self, position: int, before: Array, after: Array, step: Array) -> Array:
        for what in ("shape", "dtype"):
            values = getattr(before, what), getattr(after, what)
            if values[0] != values[1]:
                raise errors.ExpectationError(
                    f"Expected `func` to return outputs with the same {what} when inputs are "
                    f"perturbed by {np.abs(step).max()}, but got: {what}s {values[0]} and "
                    f"{values[1]} for output {position}. A difference of such outputs means "
                    f"nothing. Check a function whose {what} does not depend on the values."
                )
        if before.dtype.kind in "biu":
            before, after = before.astype(float), after.astype(float)
        return ((after - before) / (2 * self.eps)).reshape(-1)

    # By the rules -------------------------------------------------------------------------------

    def by_backward(self, position: int, part: Part) -> list[Array]:
        """For each leaf the columns Jv of output `position`: from two passes, which must agree."""
        first, second = (self._columns(position, part) for _ in range(2))
        for k, (columns, again) in enumerate(zip(first, second, strict=True)):
            if np.abs(columns - again).max(initial=0.0) > self.nondet_tol:
                raise GradcheckError(
                    "Backward is not reentrant, i.e., running backward with same input and "
                    "grad_output multiple times gives different values (see the gradient of input "
                    f"{k}). The tolerance for nondeterminism was {self.nondet_tol}. A gradient is "
                    "a function of its inputs alone. Remove what is random or changes a saved "
                    "value, or allow it with nondet_tol."
                )
        return first

    def _columns(self, position: int, part: Part) -> list[Array]:
        output, leaves = self.outputs[position], self.leaves

        def column(direction: Array) -> list[Array]:
            v = like(output, direction.reshape(output.shape) * part.unit_for(output))
            found = grad(output, leaves, v, retain_graph=True, allow_unused=True)
            for k, (leaf, gradient) in enumerate(zip(leaves, found, strict=True)):
                if self.check_grad_dtypes and gradient is not None and gradient.dtype != leaf.dtype:
                    raise GradcheckError(
                        f"Gradient has dtype mismatch: input {k} is {leaf.dtype}, its gradient "
                        f"{gradient.dtype}. Return a gradient of the input's dtype."
                    )
            return [_entries(dx, x) for dx, x in zip(found, leaves, strict=True)]

        return [found.T for found in _matrices(column, self._directions(1, position), leaves)]

    def by_jvp(self, k: int, part: Part) -> list[Array]:
        """For each output the rows uᵀJ with respect to leaf `k`."""
        leaf = self.leaves[k]
        still = {i: ops.zeros_like(self.inputs[i]) for i in self.positions}

        def row(direction: Array) -> list[Array]:
            tangent = like(leaf, direction.reshape(leaf.shape) * part.unit_for(leaf))
            found = self.tangents({**still, self.positions[k]: tangent})
            for y, dy in found:
                if self.check_grad_dtypes and dy is not None and dy.dtype.kind != y.dtype.kind:
                    raise GradcheckError(
                        f"Forward AD gradient has dtype mismatch: the output is {y.dtype}, "
                        f"its tangent {dy.dtype}. A real number moves along the real axis."
                    )
            return [_entries(dy, y) for y, dy in found]

        return _matrices(row, self._directions(0, k), self.outputs)

    def tangents(self, moves: dict[int, Tensor]) -> list[UnpackedDualTensor]:
        """The outputs and how they move, where leaves are detached and some of them move.

        Args:
            moves: tangents by position; the other leaves have none.
        """
        with own_level():
            inputs = list(self.inputs)
            for i in self.positions:
                x = self.inputs[i].detach()
                inputs[i] = make_dual(x, moves[i].clone()) if i in moves else x
            return [unpack_dual(output) for output in call(self.func, inputs)]


class _editable(setting):  # noqa: N801  # reads as a statement
    """The block in which the array of `tensor` may be written behind the tape's back.

    It is that array itself where it is writable, so that `func` may also hold the input instead of
    taking it; else a copy. At the end it is what it was.
    """

    array: Any = None

    def __init__(self, tensor: Tensor) -> None:
        super().__init__()
        self.tensor, self.original = tensor, tensor.payload.copy()
        self.array = tensor.payload

    def __enter__(self) -> Any:
        if not self.array.flags.writeable:
            self.tensor.payload = self.original.copy()
        return self.tensor.payload, self.original

    def leave(self) -> None:
        if self.array is not None:
            if self.array.flags.writeable:
                self.array[...] = self.original
            self.tensor.payload = self.array
        super().leave()


def _matrices(
    row: Callable[[Array], list[Array]], directions: Array, tensors: Sequence[Tensor]
) -> list[Array]:
    """For each tensor what `row` finds for it, a row for each of the directions, perhaps none."""
    rows = [row(direction) for direction in directions]
    return [
        np.reshape([row[nr] for row in rows], (len(rows), x.numel()))
        for nr, x in enumerate(tensors)
    ]


def _entries(moved: Tensor | None, x: Tensor) -> Array:
    """A gradient or tangent of `x` in one row; zeros if there is none."""
    return np.zeros(x.numel(), x.dtype) if moved is None else asnumpy(moved.payload).flatten()


def like(tensor: Tensor, values: Array) -> Tensor:
    """A tensor of these values, in the dtype and on the device of `tensor`."""
    return wrap(backend_of(tensor.payload).asarray(values.astype(tensor.dtype)))


class Comparison(NamedTuple):
    """One Jacobian, measured and computed, and what is said if these differ.

    Attributes:
        at: where.
        input_nr: the number of the input among those that are checked.
        position: the number of the output.
        part: of the outputs or, in forward mode, of the inputs, if they are complex.
        forward: whether it is computed by `jvp`, not by backward.
    """

    at: Point
    input_nr: int
    position: int
    part: Part
    forward: bool = False

    def check(self, measured: Array, computed: Array, scale: float = 1.0) -> None:
        """Raise GradcheckError if they differ by more than `scale` times the tolerance."""
        if self._is_close(measured, computed, scale):
            return
        if self.at.fast_mode:
            measured, computed = measured.squeeze(), computed.squeeze()
            told = self._whole_jacobians()
        else:
            told = self._worst_entry(measured, computed)
        raise GradcheckError(self._headline(measured, computed) + told)

    def _is_close(self, measured: Array, computed: Array, scale: float = 1.0) -> bool:
        tolerances = self.at.rtol, self.at.atol * scale
        return measured.shape == computed.shape and np.allclose(computed, measured, *tolerances)

    def _headline(self, measured: Array, computed: Array) -> str:
        """PyTorch's lines."""
        tensor = self._leaf if self.forward else self._output
        what, mode = ("inputs", "computed with forward mode ") if self.forward else ("outputs", "")
        prefix = f"While considering the {self.part.name} part of complex {what} only, "
        return (
            f"{prefix if tensor.dtype.kind == 'c' else ''}Jacobian {mode}mismatch for output "
            f"{self._output_nr} with respect to input {self.input_nr},\n"
            f"numerical:{wrap(np.asarray(measured))}\nanalytical:{wrap(np.asarray(computed))}\n"
        )

    def _worst_entry(self, measured: Array, computed: Array) -> str:
        """Which entry is furthest off, by its index in the input and in the output."""
        excess = np.abs(computed - measured) - self.at.rtol * np.abs(measured)
        excess = np.where(np.isnan(excess), np.inf, excess)
        row, column = (int(n) for n in np.unravel_index(int(excess.argmax()), excess.shape))
        at_input = f"input {self.input_nr}{_index(row, self._leaf)}"
        at_output = f"output {self._output_nr}{_index(column, self._output)}"
        wrong = int((excess > self.at.atol).sum())
        return (
            f"The worst of {wrong} wrong entries (of {excess.size}): how {at_output} changes with "
            f"{at_input} is {measured[row, column]:.6g} by differences, but "
            f"{computed[row, column]:.6g} by {'jvp' if self.forward else 'backward'}. Correct "
            f"the {'rule for tangents' if self.forward else 'backward rule'} on the way between "
            "that output and that input; at a kink, or in low precision, the differences may "
            "be at fault: move the input or raise eps and atol."
        )

    def _whole_jacobians(self) -> str:
        """What whole Jacobians say where a projection of them failed."""
        slow = self.at._replace(fast_mode=False)
        measured = slow.by_differences(self.input_nr, self.part, forward=self.forward)
        numerical = measured[self.position]
        if self.forward:
            analytical = slow.by_jvp(self.input_nr, self.part)[self.position]
        else:
            analytical = slow.by_backward(self.position, self.part)[self.input_nr]
        report = (
            "\nThe above quantities relating the numerical and analytical jacobians are computed "
            "in fast mode: each is one number, a random projection. In slow mode they are\n\n"
            f"Numerical:\n {wrap(numerical)}\nAnalytical:\n{wrap(analytical)}\n\n"
            "The max per-element difference (slow mode) is: "
            f"{np.abs(numerical - analytical).max(initial=0.0)}.\n"
        )
        if self._is_close(numerical, analytical):
            return report + (
                "Fast gradcheck failed but element-wise differences are small: the test might have "
                "passed in slow mode. Write `fast_mode=False`."
            )
        return report + self._worst_entry(numerical, analytical)

    @property
    def _output_nr(self) -> int:
        """The number of the output among those that require grad."""
        return self.at.differentiable.index(self.position)

    @property
    def _leaf(self) -> Tensor:
        return self.at.leaves[self.input_nr]

    @property
    def _output(self) -> Tensor:
        return self.at.outputs[self.position]


def _index(flat: int, tensor: Tensor) -> str:
    """The place of an entry, `[1, 2]`; nothing if there is only one."""
    shape = tuple(tensor.shape)
    return str([int(n) for n in np.unravel_index(flat, shape)]) if shape else ""


# Gradients and tangents that are zero or missing ------------------------------------------------


def _check_zero_gradients(at: Point, *, is_close: bool) -> None:
    """Backward is linear: zero gradients of the outputs give zero gradients of the inputs."""
    outputs = _differentiable(at.outputs)
    zeros = [ops.zeros_like(output) for output in outputs]
    found = grad(outputs, at.leaves, zeros, retain_graph=True, allow_unused=True)
    for place, (gradient, leaf) in enumerate(zip(found, at.leaves, strict=True)):
        if gradient is None:
            continue
        values = asnumpy(gradient.payload)
        if not (np.allclose(values, 0) if is_close else (values == 0).all()):
            raise GradcheckError(
                f"backward not multiplied by grad_output: with zero gradients of all outputs, "
                f"that of input {place} is {gradient}. A backward rule is linear in the gradient "
                "it is given. Multiply by it."
            )
        for what in ("dtype", "device", "shape"):
            if getattr(gradient, what) != getattr(leaf, what):
                raise GradcheckError(
                    f"grad is incorrect {what}: {getattr(gradient, what)} for input {place} of "
                    f"{what} {getattr(leaf, what)}. They must be the same."
                )


class _UndefinedGrad(Function):
    """Hands its input on, and no gradient back."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return wrap(x.payload)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> None:
        return None


def _check_undefined_gradients(at: Point) -> None:
    """A rule gets None where no gradient arrived: at all outputs, and at each one alone."""
    count = len(at.differentiable)
    for missing in (None, *(range(count) if count > 1 else ())):
        outputs = [
            _UndefinedGrad.apply(output) if missing in (None, nr) else output
            for nr, output in enumerate(_differentiable(call(at.func, at.inputs)))
        ]
        which = "all outputs are" if missing is None else f"output {missing} is"
        try:
            zeros = [ops.zeros_like(output) for output in outputs]
            found = grad(outputs, at.leaves, zeros, allow_unused=True)
        except RuntimeError as error:
            _warn_undefined()
            raise GradcheckError(
                "Expected backward function to handle undefined output grads: it raised "
                f"{type(error).__name__} when the gradients of {which} None. Take None as zero."
            ) from error
        for place, gradient in enumerate(found):
            if gradient is not None and (asnumpy(gradient.payload) != 0).any():
                _warn_undefined()
                raise GradcheckError(
                    "Expected all input grads to be undefined or zero when all output grads are "
                    f"undefined or zero, but that of input {place} is {gradient} when the "
                    f"gradients of {which} None. Take None as zero."
                )


def _warn_undefined() -> None:
    warn(
        "Backwards compatibility: New undefined gradient support checking feature is enabled by "
        "default. Where gradients are never missing, write `check_undefined_grad=False`."
    )


def _check_undefined_tangents(at: Point) -> None:
    """An input without a tangent moves the outputs as one whose tangent is zero."""
    random = np.random.default_rng(SEED)
    inputs = at.inputs
    moves = {i: _random_like(inputs[i], random, inputs[i].shape) for i in at.positions}
    for missing in at.positions:
        x = at.inputs[missing]
        with_zeros = at.tangents({**moves, missing: ops.zeros_like(x)})
        without = at.tangents({i: dx for i, dx in moves.items() if i != missing})
        for nr, ((_, zero), (_, none)) in enumerate(zip(with_zeros, without, strict=True)):
            if zero is None or none is None:
                continue
            if not np.allclose(asnumpy(zero.payload), asnumpy(none.payload)):
                raise GradcheckError(
                    f"Mismatch in tangent values for output with index: {nr} when input: {x} has "
                    f"an undefined tangent value. Got: {zero} but expected: {none}. A missing "
                    "tangent is zero: look at what jvp makes of None."
                )


# Many gradients or tangents at once -------------------------------------------------------------


def _check_batched_gradients(at: Point) -> None:
    for number, output in enumerate(_differentiable(at.outputs)):
        pull = partial(grad, output, at.leaves, retain_graph=True, allow_unused=True)
        where = f"For output {number} and input {{}}: the batched gradient is"
        advice = (
            "gradcheck or gradgradcheck failed while testing batched gradient computation: a "
            "backward rule is run for several gradients at once. Write it with differentiable ops "
            "and nothing random, or pass check_batched_grad=False."
        )
        _check_batched(pull, output, where, advice)


def _check_batched_tangents(at: Point) -> None:
    for place, position in enumerate(at.positions):

        def push(tangent: Tensor, position: int = position) -> list[Tensor]:
            found = at.tangents({position: tangent})
            return [ops.zeros_like(primal) if dx is None else dx for primal, dx in found]

        where = f"For output {{}} and input {place}: the batched tangents are"
        advice = (
            "gradcheck failed while testing batched gradient computation with forward-mode AD: a "
            "jvp rule is run for several tangents at once. Write it with differentiable ops and "
            "nothing random, or pass check_batched_forward_grad=False."
        )
        _check_batched(push, at.inputs[position], where, advice)


def _check_batched(
    run: Callable[[Tensor], Sequence[Tensor | None]],
    tensor: Tensor,
    where: str,
    advice: str,
) -> None:
    """Two gradients or tangents mapped over give what they give one after the other.

    Args:
        run: takes one like `tensor`, returns several.
        where, advice: for messages; `{}` is the position of a result.
    """
    seeds = _random_like(tensor, np.random.default_rng(SEED), (2, *tensor.shape))
    singly = [run(seed) for seed in seeds]
    try:
        together = in_one_pass(lambda batch: list(run(batch[0])), [seeds])
    except RuntimeError as error:
        raise GradcheckError(
            f"While computing batched gradients, got: {error}\n{advice}"
        ) from error
    for nr, (batch, *ones) in enumerate(zip(together, *singly, strict=True)):
        for row, one in enumerate(ones):
            found = 0.0 if batch is None else asnumpy(batch.payload)[row]
            expected = 0.0 if one is None else asnumpy(one.payload)
            if not np.allclose(found, expected):
                raise GradcheckError(
                    f"{where.format(nr)} {found}, but {expected} one by one. {advice}"
                )
