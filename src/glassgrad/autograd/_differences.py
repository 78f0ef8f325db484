"""Jacobians two ways: by central differences, and row by row from backward.

A Jacobian here has PyTorch's layout, one row for each entry of the input and one column for each
entry of the output. Both ways end in plain arrays, so that comparing them involves no tape.

# Note [Complex numbers]
# A gradient is that of a real number, so a complex output is checked twice, as its real and as its
# imaginary part: a `Part` says how to cut it out of an output, and which gradient of the output
# selects it in backward. For a complex input z = x + iy the entry is ∂s/∂x + i ∂s/∂y.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from glassgrad.core.backward import grad
from glassgrad.core.errors import ArgumentTypeError, ExpectationError
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.values.backend import asnumpy, backend_of

__all__ = [
    "IMAGINARY",
    "REAL",
    "Part",
    "analytical_rows",
    "as_tuple",
    "call",
    "directional",
    "numerical_jacobian",
    "unit_seeds",
]

Array = np.ndarray[Any, np.dtype[Any]]
Function = Callable[..., Any]


class Part(NamedTuple):
    """Which part of the complex outputs is looked at (see Note [Complex numbers]).

    Attributes:
        name: "real" or "imaginary".
        take: cuts the part out of a complex array.
        seed: the gradient of a complex output that selects it.
    """

    name: str
    take: Callable[[Any], Any]
    seed: complex

    def cut(self, array: Array) -> Array:
        """The part of a complex array; a real one as it is."""
        return self.take(array) if array.dtype.kind == "c" else array

    def seed_for(self, output: Tensor) -> complex:
        """The gradient of one entry of `output` that selects the part."""
        return self.seed if output.dtype.kind == "c" else 1.0


REAL = Part("real", np.real, 1.0)
IMAGINARY = Part("imaginary", np.imag, 1j)


def as_tuple(value: Any) -> tuple[Any, ...]:
    """Several values as a tuple, one value as a tuple of one."""
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def call(func: Function, inputs: tuple[Any, ...]) -> tuple[Tensor, ...]:
    """What `func` returns, as a tuple of tensors."""
    outputs = as_tuple(func(*inputs))
    for position, output in enumerate(outputs):
        if not isinstance(output, Tensor):
            raise ArgumentTypeError(
                f"gradcheck differentiates functions that return tensors, but output {position} "
                f"is of type {type(output).__name__}. Return a tensor, or a tuple of them."
            )
    return outputs


# By differences -------------------------------------------------------------------------------


def directional(
    func: Function, inputs: tuple[Any, ...], which: int, step: Array, eps: float
) -> list[Array]:
    """How each output changes when input `which` moves along `step`.

    Args:
        step: the direction times `eps`, of the input's shape.

    Returns:
        For each output (f(x + step) − f(x − step)) / 2eps, flat.
    """
    with _editable(inputs[which]) as array:
        original = array.copy()
        try:
            array[...] = original - step
            before = [asnumpy(out.payload).copy() for out in call(func, inputs)]
            array[...] = original + step
            after = [asnumpy(out.payload).copy() for out in call(func, inputs)]
        finally:
            array[...] = original
    pairs = zip(before, after, strict=True)
    return [_slope(position, pair, step, eps) for position, pair in enumerate(pairs)]


@contextmanager
def _editable(tensor: Tensor) -> Iterator[Any]:
    """The array of `tensor`, to be written behind the tape's back; a copy if it is read-only.

    Written in place where possible, so that `func` may also hold the input instead of taking it.
    """
    array = tensor.payload
    if array.flags.writeable:
        yield array
        return
    tensor.payload = array.copy()
    try:
        yield tensor.payload
    finally:
        tensor.payload = array


def _slope(position: int, pair: tuple[Array, Array], step: Array, eps: float) -> Array:
    before, after = pair
    for what in ("shape", "dtype"):
        values = getattr(before, what), getattr(after, what)
        if values[0] != values[1]:
            raise ExpectationError(
                f"Expected `func` to return outputs with the same {what} when inputs are "
                f"perturbed by {np.abs(step).max()}, but got: {what}s {values[0]} and "
                f"{values[1]} for output {position}. A difference of such outputs means nothing. "
                f"Check a function whose {what} does not depend on the values."
            )
    if before.dtype.kind in "biu":
        before, after = before.astype(float), after.astype(float)
    return ((after - before) / (2 * eps)).reshape(-1)


def numerical_jacobian(
    func: Function,
    inputs: tuple[Any, ...],
    which: int,
    outputs: Sequence[Tensor],
    eps: float,
    part: Part,
) -> list[Array]:
    """For each output the Jacobian of its `part` with respect to input `which`."""
    array = inputs[which].payload
    is_complex = array.dtype.kind == "c"
    units = (1.0, 1j) if is_complex else (1.0,)
    rows: list[list[Array]] = [[] for _ in outputs]
    for index in np.ndindex(array.shape):
        sums: list[Any] = [0.0] * len(outputs)
        for unit in units:
            step = np.zeros(array.shape, array.dtype)
            step[index] = eps * unit
            moved = directional(func, inputs, which, backend_of(array).asarray(step), eps)
            sums = [total + unit * part.cut(m) for total, m in zip(sums, moved, strict=True)]
        for row, total in zip(rows, sums, strict=True):
            row.append(total)
    empty = [np.zeros((0, output.numel())) for output in outputs]
    return [np.stack(row) if row else none for row, none in zip(rows, empty, strict=True)]


# From backward ----------------------------------------------------------------------------------


def analytical_rows(
    output: Tensor, inputs: Sequence[Tensor], seeds: Sequence[Array]
) -> list[list[Array]]:
    """The gradients of `inputs` for each gradient of `output` in `seeds`.

    Returns:
        For each input one flat array for each seed; zeros where no gradient arrived.
    """
    rows: list[list[Array]] = [[] for _ in inputs]
    for seed in seeds:
        value = backend_of(output.payload).asarray(seed.astype(output.dtype))
        found = grad(output, inputs, wrap(value), retain_graph=True, allow_unused=True)
        for row, gradient, x in zip(rows, found, inputs, strict=True):
            row.append(_flat(gradient, x))
    return rows


def _flat(gradient: Tensor | None, x: Tensor) -> Array:
    if gradient is None:
        return np.zeros(x.numel(), x.dtype)
    return asnumpy(gradient.payload).reshape(-1)


def unit_seeds(output: Tensor, part: Part) -> list[Array]:
    """One gradient for each entry of `output`: 1 there (i for the imaginary part), 0 elsewhere."""
    seeds = np.zeros((output.numel(), *output.shape), output.dtype)
    for row, index in enumerate(np.ndindex(tuple(output.shape))):
        seeds[(row, *index)] = part.seed_for(output)
    return list(seeds)
