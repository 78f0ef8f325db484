"""The Jacobians of a function at a point: measured, computed by its rules, and compared.

    by differences    (f(x + eps·u) - f(x - eps·u)) / 2eps gives the row uᵀJ
    by jvp            a call with the tangent u gives the same row
    by backward       a pass with the gradient v gives the column Jv

A Jacobian here has PyTorch's layout, one row for each entry of the input and one column for each
entry of the output. For u and v stand all unit vectors, or in fast mode one random vector each: it
compares uᵀJv, or the row uᵀJ by jvp. All ends in plain arrays, so that comparing involves no tape.

# Note [Complex numbers]
# A gradient is that of a real number, so for backward a complex output is looked at twice, as its
# real and as its imaginary part: a `Part` says how to cut it out of an output, and which gradient
# of the output selects it. For a complex input z = x + iy the entry is then ∂s/∂x + i ∂s/∂y. A
# tangent is a row as a difference is, so there it is the input that is moved twice.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from glassgrad.autograd.forward_ad import (
    UnpackedDualTensor,
    dual_level,
    make_dual,
    unpack_dual,
)
from glassgrad.autograd.gradients import grad
from glassgrad.core.errors import ArgumentTypeError, ExpectationError, GradcheckError
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.values.backend import asnumpy, backend_of

SEED = 0
"""Of random vectors: the same verdict each time, and no global generator is touched."""

Array = np.ndarray[Any, np.dtype[Any]]


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


def as_tuple(value: Any) -> tuple[Any, ...]:
    """Several values as a tuple, one value as a tuple of one."""
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def call(func: Callable[..., Any], inputs: Sequence[Any]) -> tuple[Tensor, ...]:
    """What `func` returns, as a tuple of tensors."""
    outputs = as_tuple(func(*inputs))
    for position, output in enumerate(outputs):
        if not isinstance(output, Tensor):
            raise ArgumentTypeError(
                f"gradcheck differentiates functions that return tensors, but output {position} "
                f"is of type {type(output).__name__}. Return a tensor, or a tuple of them."
            )
    return outputs


@dataclass(frozen=True)
class Point:
    """A function at a point, and how closely its Jacobians are compared there.

    Attributes:
        func, inputs: the function and its arguments.
        outputs: what it returned for them.
        eps, atol, rtol, nondet_tol, check_grad_dtypes, fast_mode: as for `gradcheck`.
    """

    func: Callable[..., Any]
    inputs: tuple[Any, ...]
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
            for number, position in enumerate(self.differentiable):
                for k, computed in enumerate(self.by_backward(position, part)):
                    expected = measured[k][position]
                    scale = 1.0
                    if self.fast_mode:
                        u = self._directions(0, k, self.leaves[k])
                        v = self._directions(1, position, self.outputs[position])
                        expected, computed = expected @ v.T, u @ computed
                        scale = float(u.sum() * v.sum()) * len(_parts([self.leaves[k]]))
                    Comparison(self, k, position, number, part).check(expected, computed, scale)

    def check_forward(self) -> None:
        """Compare what `jvp` computes with differences.

        Raises:
            GradcheckError: if they differ.
        """
        for k, leaf in enumerate(self.leaves):
            scale = float(self._directions(0, k, leaf).sum()) if self.fast_mode else 1.0
            for part in _parts([leaf]):
                measured = self.by_differences(k, part, forward=True)
                computed = self.by_jvp(k, part)
                for number, position in enumerate(self.differentiable):
                    comparison = Comparison(self, k, position, number, part, forward=True)
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

    def _directions(self, side: int, number: int, tensor: Tensor) -> Array:
        """All unit vectors of the size of `tensor`; in fast mode one, random and positive."""
        size = tensor.numel()
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
        rows: list[list[Array]] = [[] for _ in self.outputs]
        for direction in self._directions(0, k, leaf):
            if forward:
                row = self._slopes(position, direction * part.unit_for(leaf))
            else:
                units = [each.unit for each in reversed(_parts([leaf]))]
                slopes = [(unit, self._slopes(position, direction * unit)) for unit in units]
                row = [
                    sum([unit * part.of(found[nr]) for unit, found in slopes])
                    for nr in range(len(rows))
                ]
            for found, slope in zip(rows, row, strict=True):
                found.append(slope)
        return [_matrix(found, y) for found, y in zip(rows, self.outputs, strict=True)]

    def _slopes(self, position: int, direction: Array) -> list[Array]:
        """For each output (f(x + step) - f(x - step)) / 2eps, flat: step = eps·direction."""
        with _editable(self.inputs[position]) as array:
            original = array.copy()
            step = (direction * self.eps).reshape(array.shape).astype(array.dtype)
            step = backend_of(array).asarray(step)
            try:
                array[...] = original - step
                before = [asnumpy(out.payload).copy() for out in call(self.func, self.inputs)]
                array[...] = original + step
                after = [asnumpy(out.payload).copy() for out in call(self.func, self.inputs)]
            finally:
                array[...] = original
        pairs = zip(before, after, strict=True)
        return [self._slope(nr, low, high, step) for nr, (low, high) in enumerate(pairs)]

    def _slope(self, position: int, before: Array, after: Array, step: Array) -> Array:
        for what in ("shape", "dtype"):
            values = getattr(before, what), getattr(after, what)
            if values[0] != values[1]:
                raise ExpectationError(
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
        columns: list[list[Array]] = [[] for _ in leaves]
        for direction in self._directions(1, position, output):
            v = _like(output, direction * part.unit_for(output))
            found = grad(output, leaves, v, retain_graph=True, allow_unused=True)
            for k, (leaf, gradient) in enumerate(zip(leaves, found, strict=True)):
                if gradient is None:
                    columns[k].append(np.zeros(leaf.numel(), leaf.dtype))
                    continue
                if self.check_grad_dtypes and gradient.dtype != leaf.dtype:
                    raise GradcheckError(
                        f"Gradient has dtype mismatch: input {k} is {leaf.dtype}, its gradient "
                        f"{gradient.dtype}. Return a gradient of the input's dtype."
                    )
                columns[k].append(asnumpy(gradient.payload).reshape(-1))
        return [_matrix(found, leaf).T for found, leaf in zip(columns, leaves, strict=True)]

    def by_jvp(self, k: int, part: Part) -> list[Array]:
        """For each output the rows uᵀJ with respect to leaf `k`."""
        leaf = self.leaves[k]
        rows: list[list[Array]] = [[] for _ in self.outputs]
        still = {i: zeros_like(self.inputs[i]) for i in self.positions}
        for direction in self._directions(0, k, leaf):
            tangent = _like(leaf, direction * part.unit_for(leaf))
            found = self.tangents({**still, self.positions[k]: tangent})
            for row, (primal, moved) in zip(rows, found, strict=True):
                if moved is None:
                    row.append(np.zeros(primal.numel(), primal.dtype))
                    continue
                if self.check_grad_dtypes and moved.dtype.kind != primal.dtype.kind:
                    raise GradcheckError(
                        f"Forward AD gradient has dtype mismatch: the output is {primal.dtype}, "
                        f"its tangent {moved.dtype}. A real number moves along the real axis."
                    )
                row.append(asnumpy(moved.payload).reshape(-1).copy())
        return [_matrix(row, output) for row, output in zip(rows, self.outputs, strict=True)]

    def tangents(self, moves: dict[int, Tensor]) -> list[UnpackedDualTensor]:
        """The outputs and how they move, where leaves are detached and some of them move.

        Args:
            moves: tangents by position; the other leaves have none.
        """
        with dual_level():
            inputs = list(self.inputs)
            for i in self.positions:
                x = self.inputs[i].detach()
                inputs[i] = make_dual(x, moves[i].clone()) if i in moves else x
            return [unpack_dual(output) for output in call(self.func, inputs)]


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


def _matrix(rows: list[Array], tensor: Tensor) -> Array:
    """Rows, perhaps none, with one entry for each entry of `tensor`."""
    return np.stack(rows) if rows else np.zeros((0, tensor.numel()))


def _like(tensor: Tensor, values: Array) -> Tensor:
    """These values in the shape and dtype of `tensor`, on its device."""
    values = values.reshape(tensor.shape).astype(tensor.dtype)
    return wrap(backend_of(tensor.payload).asarray(values))


def zeros_like(tensor: Tensor) -> Tensor:
    """Zeros of the shape and dtype of `tensor`, on its device; nothing is recorded."""
    return wrap(backend_of(tensor.payload).xp.zeros(tuple(tensor.shape), tensor.dtype))


class Comparison(NamedTuple):
    """One Jacobian, measured and computed, and what is said if these differ.

    Attributes:
        at: where.
        input_nr: the number of the input among those that are checked.
        position, output_nr: the number of the output, and among those that require grad.
        part: of the outputs or, in forward mode, of the inputs, if they are complex.
        forward: whether it is computed by `jvp`, not by backward.
    """

    at: Point
    input_nr: int
    position: int
    output_nr: int
    part: Part
    forward: bool = False

    def check(self, measured: Array, computed: Array, scale: float = 1.0) -> None:
        """Raise GradcheckError if they differ by more than `scale` times the tolerance."""
        if self._is_close(measured, computed, scale):
            return
        if not self.at.fast_mode:
            raise GradcheckError(
                self._headline(measured, computed) + self._worst_entry(measured, computed)
            )
        raise GradcheckError(
            self._headline(measured.squeeze(), computed.squeeze()) + self._whole_jacobians()
        )

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
            f"{self.output_nr} with respect to input {self.input_nr},\n"
            f"numerical:{wrap(np.asarray(measured))}\nanalytical:{wrap(np.asarray(computed))}\n"
        )

    def _worst_entry(self, measured: Array, computed: Array) -> str:
        """Which entry is furthest off, by its index in the input and in the output."""
        excess = np.abs(computed - measured) - self.at.rtol * np.abs(measured)
        excess = np.where(np.isnan(excess), np.inf, excess)
        row, column = (int(n) for n in np.unravel_index(int(excess.argmax()), excess.shape))
        at_input = f"input {self.input_nr}{_index(row, self._leaf)}"
        at_output = f"output {self.output_nr}{_index(column, self._output)}"
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
        slow = replace(self.at, fast_mode=False)
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
    def _leaf(self) -> Tensor:
        return self.at.leaves[self.input_nr]

    @property
    def _output(self) -> Tensor:
        return self.at.outputs[self.position]


def _index(flat: int, tensor: Tensor) -> str:
    """The place of an entry, `[1, 2]`; nothing if there is only one."""
    shape = tuple(tensor.shape)
    return str([int(n) for n in np.unravel_index(flat, shape)]) if shape else ""
