"""`gradcheck`: compare what backward says with what small steps show.

    >>> gradcheck(lambda x: x * x, tensor([1.0, 2.0], dtype=float64, requires_grad=True))
    True

A backward rule is a claim about a Jacobian. Differences measure that Jacobian without the rule,
entry by entry; `fast_mode` compares one number vᵀJu of random u and v instead. After that come
the habits a rule must have: `_habits.py`. `_differences.py` has the two Jacobians, `_compare.py`
compares them.
"""

import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from glassgrad.autograd._compare import (
    SEED,
    Settings,
    check_entries,
    check_projections,
    differentiable_among,
)
from glassgrad.autograd._differences import IMAGINARY, REAL, as_tuple, call
from glassgrad.autograd._forward_checks import (
    check_batched_tangents,
    check_tangents,
    check_undefined_tangents,
)
from glassgrad.autograd._habits import Habits, check_habits, random_like
from glassgrad.core.backward import grad
from glassgrad.core.errors import ArgumentError, ExpectationError, GradcheckError, ShapeError
from glassgrad.core.tensor import LEAF, Tensor, wrap
from glassgrad.values.backend import backend_of, repeats

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]

Array = np.ndarray[Any, np.dtype[Any]]
Tensors = Tensor | Sequence[Any]


def gradcheck(
    func: Callable[..., Any],
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
        raise ExpectationError(
            "Setting check_batched_forward_grad=True requires check_forward_ad to be True."
        )
    settings = Settings(eps, atol, rtol, nondet_tol, check_grad_dtypes, fast_mode)
    habits = Habits(bool(masked), check_undefined_grad, check_batched_grad)
    forward = Forward(check_forward_ad, check_undefined_grad, check_batched_forward_grad)
    try:
        points = as_tuple(inputs)
        outputs = _outputs(func, points)
        if check_backward_ad:
            _check_gradients(func, points, outputs, settings)
        if check_forward_ad:
            _check_forward(func, points, outputs, settings, forward)
        if check_backward_ad and differentiable_among(outputs):
            check_habits(func, points, outputs, habits)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(
    func: Callable[..., Any],
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
        raise ExpectationError(
            "Setting check_undefined_grad=True requires check_rev_over_rev to be True."
        )
    primals = as_tuple(inputs)
    if grad_outputs is None:
        outputs = differentiable_among(call(func, primals))
        seeds = _random_gradients(outputs, gen_non_contig_grad_outputs)
    else:
        seeds = as_tuple(grad_outputs)
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


def _gradient_function(
    func: Callable[..., Any], primals: tuple[Any, ...], seeds: tuple[Any, ...]
) -> Callable[..., Any]:
    """The function from (*primals, *gradients of the outputs) to the gradients of the primals."""
    wanted = [isinstance(x, Tensor) and x.requires_grad for x in (*primals, *seeds)]

    def gradients(*args: Any) -> tuple[Tensor, ...]:
        # forward mode gets its inputs detached
        given = [x.requires_grad_() if want else x for x, want in zip(args, wanted, strict=True)]
        points, arriving = given[: len(primals)], given[len(primals) :]
        outputs = differentiable_among(call(func, tuple(points)))
        inputs = [x for x, want in zip(points, wanted, strict=False) if want]
        found = grad(outputs, inputs, arriving, create_graph=True, allow_unused=True)
        return tuple([g for g in found if g is not None])

    return gradients


def _random_gradients(outputs: Sequence[Tensor], scattered: bool) -> tuple[Tensor, ...]:
    """Leaves in [-1, 1) like `outputs`; each second element of a longer array if `scattered`."""
    random = np.random.default_rng(SEED)
    made = []
    for output in outputs:
        if scattered and output.ndim:
            spread = backend_of(output.payload).xp.moveaxis(random_like(output, random, 2), 0, -1)
            made.append(wrap(spread[..., 0], LEAF))
        else:
            made.append(wrap(random_like(output, random), LEAF))
    return tuple(made)


# What can be checked ----------------------------------------------------------------------------


def _check_options(forward: bool, backward: bool, batched: bool, *, second: bool = False) -> None:
    names = ("check_fwd_over_rev", "check_rev_over_rev")
    names = names if second else ("check_forward_ad", "check_backward_ad")
    if not (forward or backward):
        raise ExpectationError(
            f"Expected at least one of {names[0]} or {names[1]} to be True. There would be nothing "
            "to check."
        )
    if batched and not backward:
        raise ExpectationError(
            f"Setting check_batched_grad=True requires {names[1]} to be True. Batched gradients "
            "are computed by backward."
        )


def _check_inputs(inputs: tuple[Any, ...]) -> None:
    wanted = [(i, x) for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.requires_grad]
    if not wanted:
        raise ArgumentError(
            "gradcheck expects at least one input tensor to require gradient, but none of them "
            "have requires_grad=True. There is no gradient to check. Set it on the inputs."
        )
    for position, x in wanted:
        if x.dtype.itemsize // (2 if x.dtype.kind == "c" else 1) < np.dtype(float).itemsize:
            warnings.warn(
                f"Input #{position} requires gradient and is not a double precision floating "
                f"point or complex ({x.dtype}). This check will likely fail: a step of 1e-6 is "
                "lost in its rounding. Pass `x.double()`.",
                UserWarning,
                stacklevel=4,
            )
        if repeats(x.payload.shape, x.payload.strides):
            raise ShapeError(
                f"The {position}th input has a dimension with stride 0. gradcheck only supports "
                "inputs that are non-overlapping: one step would move several entries. Call "
                ".contiguous() on the input before passing it to gradcheck."
            )


# The checks -------------------------------------------------------------------------------------


class Forward(NamedTuple):
    """What is checked of forward mode.

    Attributes:
        tangents: that they are right.
        undefined: that missing ones are taken as zeros.
        batched: that several may be mapped over.
    """

    tangents: bool
    undefined: bool
    batched: bool


def _outputs(func: Callable[..., Any], inputs: tuple[Any, ...]) -> tuple[Tensor, ...]:
    _check_inputs(inputs)
    return call(func, inputs)


def _check_gradients(
    func: Callable[..., Any],
    inputs: tuple[Any, ...],
    outputs: tuple[Tensor, ...],
    settings: Settings,
) -> None:
    """Compare what backward says with differences."""
    check = check_projections if settings.fast_mode else check_entries
    complex_outputs = any(output.dtype.kind == "c" for output in outputs)
    for part in (IMAGINARY, REAL) if complex_outputs else (REAL,):
        check(func, inputs, outputs, part, settings)


def _check_forward(
    func: Callable[..., Any],
    inputs: tuple[Any, ...],
    outputs: tuple[Tensor, ...],
    settings: Settings,
    forward: Forward,
) -> None:
    """Compare what `jvp` says with differences, and look at its habits."""
    check_tangents(func, inputs, outputs, settings)
    if forward.undefined:
        check_undefined_tangents(func, inputs)
    if forward.batched:
        check_batched_tangents(func, inputs)
