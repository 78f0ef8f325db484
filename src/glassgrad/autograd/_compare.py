"""Compare two Jacobians entry by entry, or by one random projection, and say where they differ."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from glassgrad.autograd._differences import (
    Array,
    Part,
    analytical_rows,
    directional,
    numerical_jacobian,
    unit_seeds,
)
from glassgrad.core.errors import GradcheckError
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.values.backend import backend_of

__all__ = [
    "SEED",
    "Mismatch",
    "Settings",
    "check_entries",
    "check_projections",
    "close",
    "differentiable_among",
    "positions_of",
    "slow_report",
    "unit_vector",
]

SEED = 0
"""Of random vectors: the same verdict each time, and no global generator is touched."""


class Settings(NamedTuple):
    """How closely, and how."""

    eps: float
    atol: float
    rtol: float
    nondet_tol: float
    check_grad_dtypes: bool
    fast_mode: bool


def differentiable_among(outputs: Sequence[Tensor]) -> list[Tensor]:
    """The outputs that require grad."""
    return [output for output in outputs if output.requires_grad]


def positions_of(inputs: tuple[Any, ...]) -> list[int]:
    """Which of the inputs are checked."""
    return [i for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.requires_grad]


def check_entries(
    func: Callable[..., Any],
    inputs: tuple[Any, ...],
    outputs: tuple[Tensor, ...],
    part: Part,
    settings: Settings,
) -> None:
    """Compare all entries of all Jacobians."""
    which = positions_of(inputs)
    columns = [numerical_jacobian(func, inputs, i, outputs, settings.eps, part) for i in which]
    if not differentiable_among(outputs):
        _check_flat(columns, 0.0)
        return
    leaves = [inputs[i] for i in which]
    number = 0
    for position, output in enumerate(outputs):
        if not output.requires_grad:
            continue
        seeds = unit_seeds(output, part)
        analytical = _twice(output, leaves, seeds, settings)
        for place, (leaf, found) in enumerate(zip(leaves, analytical, strict=True)):
            expected = columns[place][position]
            if not close(found, expected, settings.rtol, settings.atol):
                case = Mismatch(number, place, output, leaf, part)
                raise GradcheckError(
                    case.headline(expected, found) + case.worst_entry(expected, found, settings)
                )
        number += 1


def _check_flat(columns: Sequence[Sequence[Array]], tolerance: float) -> None:
    """Outputs that do not require grad must not depend on the inputs."""
    if any(np.abs(jacobian).max(initial=0.0) > tolerance for row in columns for jacobian in row):
        raise GradcheckError(
            "Numerical gradient for function expected to be zero: no output requires grad, yet "
            "the outputs change with the inputs. Something leaves the tape, such as detach(), "
            "numpy(), no_grad() or an integer dtype. Compute the outputs with differentiable ops."
        )


def _twice(
    output: Tensor, leaves: Sequence[Tensor], seeds: Sequence[Array], settings: Settings
) -> list[Array]:
    """The analytical Jacobians, computed twice to see whether backward repeats itself."""
    first, second = (analytical_rows(output, leaves, seeds) for _ in range(2))
    jacobians = []
    for place, (leaf, rows, again) in enumerate(zip(leaves, first, second, strict=True)):
        if settings.check_grad_dtypes and any(row.dtype != leaf.dtype for row in rows):
            raise GradcheckError(
                f"Gradient has dtype mismatch: input {place} is {leaf.dtype}, its gradient "
                f"{rows[0].dtype}. Return a gradient of the input's dtype."
            )
        jacobian, repeated = _by_columns(rows, leaf), _by_columns(again, leaf)
        if np.abs(jacobian - repeated).max(initial=0.0) > settings.nondet_tol:
            raise GradcheckError(
                "Backward is not reentrant, i.e., running backward with same input and "
                "grad_output multiple times gives different values (see the gradient of input "
                f"{place}). The tolerance for nondeterminism was {settings.nondet_tol}. A gradient "
                "is a function of its inputs alone. Remove what is random or changes a saved "
                "value, or allow it with nondet_tol."
            )
        jacobians.append(jacobian)
    return jacobians


def _by_columns(rows: list[Array], leaf: Tensor) -> Array:
    return np.stack(rows, axis=1) if rows else np.zeros((leaf.numel(), 0), leaf.dtype)


def close(a: Array, b: Array, rtol: float, atol: float) -> bool:
    """Whether two Jacobians are the same, but for rounding."""
    return a.shape == b.shape and bool(np.allclose(a, b, rtol, atol))


class Mismatch(NamedTuple):
    """Where two Jacobians differ, and the sentences about it.

    Attributes:
        output_nr, input_nr: the numbers of `output` and `leaf` among those that are compared.
        part: of the outputs or, in forward mode, of the inputs, if they are complex.
        forward: whether it is forward mode that differs from differences, not backward.
    """

    output_nr: int
    input_nr: int
    output: Tensor
    leaf: Tensor
    part: Part
    forward: bool = False

    def headline(self, numerical: Any, analytical: Any) -> str:
        """PyTorch's lines."""
        is_complex = (self.leaf if self.forward else self.output).dtype.kind == "c"
        what, mode = ("inputs", "computed with forward mode ") if self.forward else ("outputs", "")
        prefix = f"While considering the {self.part.name} part of complex {what} only, "
        return (
            f"{prefix if is_complex else ''}Jacobian {mode}mismatch for output {self.output_nr} "
            f"with respect to input {self.input_nr},\nnumerical:{wrap(np.asarray(numerical))}\n"
            f"analytical:{wrap(np.asarray(analytical))}\n"
        )

    def worst_entry(self, numerical: Array, analytical: Array, settings: Settings) -> str:
        """Which entry is furthest off, by its index in the input and in the output."""
        excess = np.abs(analytical - numerical) - settings.rtol * np.abs(numerical)
        excess = np.where(np.isnan(excess), np.inf, excess)
        row, column = (int(n) for n in np.unravel_index(int(excess.argmax()), excess.shape))
        at_input = _entry("input", self.input_nr, row, self.leaf)
        at_output = _entry("output", self.output_nr, column, self.output)
        wrong = int((excess > settings.atol).sum())
        return (
            f"The worst of {wrong} wrong entries (of {excess.size}): how {at_output} changes with "
            f"{at_input} is {numerical[row, column]:.6g} by differences, but "
            f"{analytical[row, column]:.6g} by {'jvp' if self.forward else 'backward'}. Correct "
            f"the {'rule for tangents' if self.forward else 'backward rule'} on the way between "
            "that output and that input; at a kink, or in low precision, the differences may "
            "be at fault: move the input or raise eps and atol."
        )


def _entry(word: str, number: int, flat: int, tensor: Tensor) -> str:
    index = [int(n) for n in np.unravel_index(flat, tuple(tensor.shape))] if tensor.shape else ""
    return f"{word} {number}{index}"


# Fast mode --------------------------------------------------------------------------------------


def check_projections(
    func: Callable[..., Any],
    inputs: tuple[Any, ...],
    outputs: tuple[Tensor, ...],
    part: Part,
    settings: Settings,
) -> None:
    """Compare one number vᵀJu for each Jacobian, u and v random, positive and of length 1."""
    random = np.random.default_rng(SEED)
    differentiable = differentiable_among(outputs)
    all_v = [unit_vector(random, output.numel()) for output in outputs]
    for place, position in enumerate(positions_of(inputs)):
        leaf = inputs[position]
        is_complex = leaf.dtype.kind == "c"
        all_u = [unit_vector(random, leaf.numel()) for _ in range(2 if is_complex else 1)]
        slopes = _project(func, inputs, position, all_u, part, settings.eps)
        if not differentiable:
            _check_flat([slopes], settings.nondet_tol)
            continue
        number = 0
        for output, v, slope in zip(outputs, all_v, slopes, strict=True):
            if not output.requires_grad:
                continue
            seed = (v * part.seed_for(output)).reshape(output.shape)
            (row,) = _twice(output, [leaf], [seed], settings)
            numerical, analytical = v @ slope, _along(row[:, 0], all_u)
            atol = settings.atol * float(sum(u.sum() for u in all_u)) * float(v.sum())
            if not np.allclose(analytical, numerical, settings.rtol, atol):
                case = Mismatch(number, place, output, leaf, part)
                raise GradcheckError(
                    case.headline(numerical, analytical)
                    + _slow_mode(func, inputs, outputs, output, position, case, settings)
                )
            number += 1


def unit_vector(random: "np.random.Generator", size: int) -> Array:
    """A random direction, all of its entries positive."""
    vector = random.random(size)
    return vector / np.linalg.norm(vector) if size else vector


def _project(
    func: Callable[..., Any],
    inputs: tuple[Any, ...],
    position: int,
    all_u: list[Array],
    part: Part,
    eps: float,
) -> list[Array]:
    """J·u for each output; for a complex input J·u₀ + i·J·(i·u₁), as in Note [Complex numbers]."""
    leaf = inputs[position]
    totals: list[Any] = []
    for u, unit in zip(all_u, (1.0, 1j), strict=False):
        step = (u * eps * unit).reshape(leaf.shape).astype(leaf.dtype)
        value = backend_of(leaf.payload).asarray(step)
        moved = [unit * part.cut(m) for m in directional(func, inputs, position, value, eps)]
        totals = [a + b for a, b in zip(totals, moved, strict=True)] if totals else moved
    return totals


def _along(row: Array, all_u: list[Array]) -> Any:
    if len(all_u) == 1:
        return row @ all_u[0]
    return row.real @ all_u[0] + 1j * (row.imag @ all_u[1])


def _slow_mode(
    func: Callable[..., Any],
    inputs: tuple[Any, ...],
    outputs: tuple[Tensor, ...],
    output: Tensor,
    position: int,
    case: Mismatch,
    settings: Settings,
) -> str:
    """The whole Jacobian of a projection that failed, to say which entry is wrong."""
    nr = next(nr for nr, candidate in enumerate(outputs) if candidate is output)
    numerical = numerical_jacobian(func, inputs, position, outputs, settings.eps, case.part)[nr]
    seeds = unit_seeds(output, case.part)
    analytical = _by_columns(analytical_rows(output, [case.leaf], seeds)[0], case.leaf)
    return slow_report(case, numerical, analytical, settings)


def slow_report(case: Mismatch, numerical: Array, analytical: Array, settings: Settings) -> str:
    """What whole Jacobians say where a projection of them failed."""
    report = (
        "\nThe above quantities relating the numerical and analytical jacobians are computed in "
        "fast mode: each is one number, a random projection. In slow mode they are\n\n"
        f"Numerical:\n {wrap(numerical)}\nAnalytical:\n{wrap(analytical)}\n\n"
        "The max per-element difference (slow mode) is: "
        f"{np.abs(numerical - analytical).max(initial=0.0)}.\n"
    )
    if close(analytical, numerical, settings.rtol, settings.atol):
        return report + (
            "Fast gradcheck failed but element-wise differences are small: the test might have "
            "passed in slow mode. Write `fast_mode=False`."
        )
    return report + case.worst_entry(numerical, analytical, settings)
