"""`gradcheck`: compare what backward says with what small steps show.

    >>> gradcheck(lambda x: x * x, tensor([1.0, 2.0], dtype=float64, requires_grad=True))
    True

A backward rule is a claim about a Jacobian. Differences measure that Jacobian without the rule,
entry by entry; `fast_mode` compares one number vᵀJu of random u and v instead: `_jacobians.py`.
After that come what right values do not show: zero for a zero gradient, no stumbling over a
gradient that is missing, and the same for many gradients at once as for one after the other.
"""

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from glassgrad.autograd._jacobians import SEED, Point, as_tuple, call, zeros_like
from glassgrad.autograd.gradients import grad, in_one_pass
from glassgrad.core.errors import ArgumentError, ExpectationError, GradcheckError, ShapeError
from glassgrad.core.function import Function
from glassgrad.core.tensor import LEAF, Tensor, wrap
from glassgrad.values.backend import asnumpy, backend_of, repeats

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]

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
    try:
        points = as_tuple(inputs)
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
        outputs = _differentiable(call(func, primals))
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
    made = []
    for output in outputs:
        if scattered and output.ndim:
            spread = backend_of(output.payload).xp.moveaxis(_random_like(output, random, 2), 0, -1)
            made.append(wrap(spread[..., 0], LEAF))
        else:
            made.append(wrap(_random_like(output, random), LEAF))
    return tuple(made)


def _random_like(tensor: Tensor, random: "np.random.Generator", *lead: int) -> Any:
    """An array in [-1, 1) like that of `tensor`, with the dims `lead` in front."""
    shape = (*lead, *tensor.shape)
    values = random.uniform(-1, 1, shape)
    if tensor.dtype.kind == "c":
        values = values + 1j * random.uniform(-1, 1, shape)
    return backend_of(tensor.payload).asarray(values.astype(tensor.dtype))


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
                stacklevel=3,
            )
        if repeats(x.payload.shape, x.payload.strides):
            raise ShapeError(
                f"The {position}th input has a dimension with stride 0. gradcheck only supports "
                "inputs that are non-overlapping: one step would move several entries. Call "
                ".contiguous() on the input before passing it to gradcheck."
            )


# Gradients and tangents that are zero or missing ------------------------------------------------


def _check_zero_gradients(at: Point, *, is_close: bool) -> None:
    """Backward is linear: zero gradients of the outputs give zero gradients of the inputs."""
    outputs = _differentiable(at.outputs)
    zeros = [zeros_like(output) for output in outputs]
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
            zeros = [zeros_like(output) for output in outputs]
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
    warnings.warn(
        "Backwards compatibility: New undefined gradient support checking feature is enabled by "
        "default. Where gradients are never missing, write `check_undefined_grad=False`.",
        UserWarning,
        stacklevel=4,
    )


def _check_undefined_tangents(at: Point) -> None:
    """An input without a tangent moves the outputs as one whose tangent is zero."""
    random = np.random.default_rng(SEED)
    moves = {i: wrap(_random_like(at.inputs[i], random)) for i in at.positions}
    for missing in at.positions:
        x = at.inputs[missing]
        with_zeros = at.tangents({**moves, missing: zeros_like(x)})
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
        pairs = [(number, place) for place in range(len(at.leaves))]
        advice = (
            "gradcheck or gradgradcheck failed while testing batched gradient computation: a "
            "backward rule is run for several gradients at once. Write it with differentiable ops "
            "and nothing random, or pass check_batched_grad=False."
        )
        _check_batched(pull, output, "gradient is", pairs, advice)


def _check_batched_tangents(at: Point) -> None:
    for place, position in enumerate(at.positions):

        def push(tangent: Tensor, position: int = position) -> list[Tensor]:
            found = at.tangents({position: tangent})
            return [zeros_like(primal) if dx is None else dx for primal, dx in found]

        pairs = [(nr, place) for nr in range(len(at.outputs))]
        advice = (
            "gradcheck failed while testing batched gradient computation with forward-mode AD: a "
            "jvp rule is run for several tangents at once. Write it with differentiable ops and "
            "nothing random, or pass check_batched_forward_grad=False."
        )
        _check_batched(push, at.inputs[position], "tangents are", pairs, advice)


def _check_batched(
    run: Callable[[Tensor], Sequence[Tensor | None]],
    like: Tensor,
    what: str,
    pairs: Sequence[tuple[int, int]],
    advice: str,
) -> None:
    """Two gradients or tangents mapped over give what they give one after the other.

    Args:
        run: takes one like `like`, returns several.
        what, advice: for messages, as `pairs`: for each result the numbers of output and input.
    """
    seeds = wrap(_random_like(like, np.random.default_rng(SEED), 2))
    singly = [run(seed) for seed in seeds]
    try:
        together = in_one_pass(lambda batch: list(run(batch[0])), [seeds])
    except RuntimeError as error:
        raise GradcheckError(
            f"While computing batched gradients, got: {error}\n{advice}"
        ) from error
    for (nr, place), batch, ones in zip(pairs, together, zip(*singly, strict=True), strict=True):
        for row, one in enumerate(ones):
            found = 0.0 if batch is None else asnumpy(batch.payload)[row]
            expected = 0.0 if one is None else asnumpy(one.payload)
            if not np.allclose(found, expected):
                raise GradcheckError(
                    f"For output {nr} and input {place}: the batched {what} {found}, but "
                    f"{expected} one by one. {advice}"
                )
