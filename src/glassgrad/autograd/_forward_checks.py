"""What gradcheck asks of forward mode: right tangents, none where none is, many at once as singly.

A tangent is a row of a Jacobian in gradcheck's layout, one for each entry of the input: the same
row that a difference along that entry measures. So it takes no detour over real and imaginary
parts of outputs; a complex input is moved along the real and along the imaginary axis.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from glassgrad.autograd._batched_pass import in_one_pass
from glassgrad.autograd._compare import (
    SEED,
    Mismatch,
    Settings,
    close,
    positions_of,
    slow_report,
    unit_vector,
)
from glassgrad.autograd._differences import IMAGINARY, REAL, Array, Part, as_tuple, directional
from glassgrad.autograd.forward_ad import dual_level, make_dual, unpack_dual
from glassgrad.core.errors import GradcheckError
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.ops import stack, zeros_like
from glassgrad.values.backend import asnumpy, backend_of

__all__ = ["check_batched_tangents", "check_tangents", "check_undefined_tangents"]

Function = Callable[..., Any]


def check_tangents(
    func: Function, inputs: tuple[Any, ...], outputs: Sequence[Tensor], settings: Settings
) -> None:
    """Compare Jacobians from `jvp` with differences; in fast mode one row u·J of each.

    Raises:
        GradcheckError: if they differ.
    """
    random = np.random.default_rng(SEED)
    for place, position in enumerate(positions_of(inputs)):
        leaf = inputs[position]
        is_complex = leaf.dtype.kind == "c"
        for part in (IMAGINARY, REAL) if is_complex else (REAL,):
            if settings.fast_mode:
                directions = [unit_vector(random, leaf.numel()).reshape(leaf.shape)]
            else:
                directions = _units(leaf)
            numerical, analytical = _jacobians(
                func, inputs, position, len(outputs), directions, part, settings
            )
            number = 0
            for nr, output in enumerate(outputs):
                if not output.requires_grad:
                    continue
                case = Mismatch(number, place, output, leaf, part, forward=True)
                n, a = numerical[nr], analytical[nr]
                scale = float(directions[0].sum()) if settings.fast_mode else 1.0
                if not close(a, n, settings.rtol, settings.atol * scale):
                    raise GradcheckError(_report(func, inputs, position, nr, case, n, a, settings))
                number += 1


def _report(
    func: Function,
    inputs: tuple[Any, ...],
    position: int,
    nr: int,
    case: Mismatch,
    numerical: Array,
    analytical: Array,
    settings: Settings,
) -> str:
    """What is wrong with the Jacobian of output `nr`, of which fast mode knows one row."""
    if not settings.fast_mode:
        headline = case.headline(numerical, analytical)
        return headline + case.worst_entry(numerical, analytical, settings)
    headline = case.headline(numerical[0], analytical[0])
    n, a = _jacobians(func, inputs, position, nr + 1, _units(case.leaf), case.part, settings)
    return headline + slow_report(case, n[nr], a[nr], settings)


def _units(leaf: Tensor) -> list[Array]:
    """One direction for each entry of `leaf`."""
    size = leaf.numel()
    return list(np.eye(size).reshape(size, *leaf.shape))


def _jacobians(
    func: Function,
    inputs: tuple[Any, ...],
    position: int,
    count: int,
    directions: Sequence[Array],
    part: Part,
    settings: Settings,
) -> tuple[list[Array], list[Array]]:
    """For each of `count` outputs how it moves along the directions: measured, and by `jvp`."""
    leaf = inputs[position]
    numerical: list[list[Array]] = [[] for _ in range(count)]
    analytical: list[list[Array]] = [[] for _ in range(count)]
    for direction in directions:
        moved = (direction * part.seed_for(leaf)).astype(leaf.dtype)
        step = backend_of(leaf.payload).asarray(moved * settings.eps)
        measured = directional(func, inputs, position, step, settings.eps)
        found = _pushed(func, inputs, position, moved, settings)
        for nr in range(count):
            numerical[nr].append(measured[nr])
            analytical[nr].append(found[nr])
    return _stacked(numerical, leaf), _stacked(analytical, leaf)


def _stacked(rows: list[list[Array]], leaf: Tensor) -> list[Array]:
    return [np.stack(row) if row else np.zeros((0, 0), leaf.dtype) for row in rows]


def _pushed(
    func: Function, inputs: tuple[Any, ...], position: int, direction: Array, settings: Settings
) -> list[Array]:
    """How each output moves, by `jvp`, when input `position` moves along `direction`; flat."""
    with dual_level():
        duals = []
        for place, x in enumerate(inputs):
            if place == position:
                tangent = wrap(backend_of(x.payload).asarray(direction))
                duals.append(make_dual(x.detach(), tangent))
            else:
                duals.append(_still(x))
        found = []
        for output in as_tuple(func(*duals)):
            primal, moved = unpack_dual(output)
            if moved is None:
                found.append(np.zeros(primal.numel(), primal.dtype))
                continue
            if settings.check_grad_dtypes and (moved.dtype.kind == "c") != (
                primal.dtype.kind == "c"
            ):
                raise GradcheckError(
                    f"Forward AD gradient has dtype mismatch: the output is {primal.dtype}, its "
                    f"tangent {moved.dtype}. A real number moves along the real axis."
                )
            found.append(asnumpy(moved.detach().payload).reshape(-1).copy())
    return found


def _still(x: Any) -> Any:
    """An input that does not move: a dual with zeros if it is one of those that are checked."""
    if isinstance(x, Tensor) and x.requires_grad:
        return make_dual(x.detach(), zeros_like(x.detach()))
    return x


# A tangent that is missing ----------------------------------------------------------------------


def check_undefined_tangents(func: Function, inputs: tuple[Any, ...]) -> None:
    """An input without a tangent moves the outputs as one whose tangent is zero.

    Raises:
        GradcheckError: if it does not.
    """
    random = np.random.default_rng(SEED)
    which = positions_of(inputs)
    tangents = {i: _random_like(inputs[i], random) for i in which}
    for position in which:
        found = [_with_missing(func, inputs, tangents, position, given) for given in (True, False)]
        for nr, (zero, none) in enumerate(zip(*found, strict=True)):
            if zero is not None and none is not None and not np.allclose(zero, none):
                raise GradcheckError(
                    f"Mismatch in tangent values for output with index: {nr} when input: "
                    f"{inputs[position]} has an undefined tangent value. Got: {zero} but expected: "
                    f"{none}. A missing tangent is zero: look at what jvp makes of None."
                )


def _with_missing(
    func: Function, inputs: tuple[Any, ...], tangents: dict[int, Tensor], missing: int, given: bool
) -> list[Any]:
    """The tangents of the outputs if that of one input is zero, `given` as zeros or not at all."""
    with dual_level():
        duals = []
        for i, x in enumerate(inputs):
            if i not in tangents:
                duals.append(x)
            elif i != missing:
                duals.append(make_dual(x.detach(), tangents[i].clone()))
            elif given:
                duals.append(make_dual(x.detach(), zeros_like(x.detach())))
            else:
                duals.append(x.detach())
        moved = [unpack_dual(output).tangent for output in as_tuple(func(*duals))]
        return [None if dx is None else asnumpy(dx.detach().payload).copy() for dx in moved]


def _random_like(x: Tensor, random: "np.random.Generator") -> Tensor:
    values = random.standard_normal(tuple(x.shape))
    return wrap(backend_of(x.payload).asarray(values.astype(x.dtype)))


# Many tangents at once --------------------------------------------------------------------------


def check_batched_tangents(func: Function, inputs: tuple[Any, ...]) -> None:
    """Two tangents mapped over give what they give one after the other.

    Raises:
        GradcheckError: if they do not, or cannot be mapped over.
    """
    random = np.random.default_rng(SEED)
    for place, position in enumerate(positions_of(inputs)):
        tangents = [_random_like(inputs[position], random) for _ in range(2)]

        def moved(tangent: list[Tensor], position: int = position) -> list[Tensor]:
            return _moved(func, inputs, position, tangent[0])

        singly = [stack(rows) for rows in zip(*[moved([dx]) for dx in tangents], strict=True)]
        try:
            together = in_one_pass(moved, [stack(tangents)])
        except RuntimeError as error:
            raise GradcheckError(
                f"While computing batched gradients, got: {error}\n{_BATCHED_MEANS}"
            ) from error
        for nr, (batch, ones) in enumerate(zip(together, singly, strict=True)):
            if not np.allclose(asnumpy(batch.payload), asnumpy(ones.payload)):
                raise GradcheckError(
                    f"For output {nr} and input {place}: the batched tangents are {batch} where "
                    f"those computed one by one are {ones}. {_BATCHED_MEANS}"
                )


def _moved(func: Function, inputs: tuple[Any, ...], position: int, tangent: Tensor) -> list[Tensor]:
    """The tangents of the outputs when one input moves along `tangent`."""
    with dual_level():
        duals = [x.detach() if isinstance(x, Tensor) else x for x in inputs]
        duals[position] = make_dual(duals[position], tangent)
        pairs = [unpack_dual(output) for output in as_tuple(func(*duals))]
        return [zeros_like(primal) if dx is None else dx for primal, dx in pairs]


_BATCHED_MEANS = (
    "gradcheck failed while testing batched gradient computation with forward-mode AD: a jvp rule "
    "is run for several tangents at once. Write it with differentiable ops and nothing random, or "
    "pass check_batched_forward_grad=False."
)
