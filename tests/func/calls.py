"""A row's sample as a function of tensors, for transforms of either library.

`Call(lib, case, given)` is the function, and has what its transforms are fed: examples of each
input, stacked or not, and tangents. `COMPOSITIONS` are transforms of it, written once.
"""

import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

import glassgrad
from opcase import weights_for
from optwin import translated, twin

__all__ = [
    "BATCH",
    "COMPOSITIONS",
    "SAME_NUMBERS",
    "TRIPLES",
    "Call",
    "ComplexCall",
    "InPlaceCall",
    "Spelled",
    "SpelledComplex",
    "SpelledInPlace",
    "arrays_of",
    "choices",
    "flat",
    "in_place",
    "stacked",
]

BATCH = 3

Dims = tuple[int | None, ...]


class Call:
    """What a row calls, as a function of the sample's tensors; returns a tuple of tensors.

    Attributes:
        device: where its tensors live.
        lib: `glassgrad` or `torch`.
        places: which of the inputs have a gradient.
    """

    device = "cpu"

    def __init__(self, lib: Any, case: Any, given: Any) -> None:
        self.lib, self.case, self.given = lib, case, given
        self.op = case.op if lib is glassgrad else twin(case)
        self.params = dict(given.params)
        if lib is torch:
            self.params = {name: translated(value) for name, value in given.params.items()}
        self.places = tuple([i for i, spec in enumerate(given.inputs) if spec.is_leaf])
        self._arrays: dict[int, list[Any]] = {}
        self._results: dict[tuple[int, ...], list[Any]] = {}

    def __call__(self, *inputs: Any) -> tuple[Any, ...]:
        return tuple(flat(self.lib, self.case.call(self.op, *inputs, **self.params)))

    def floats(self, *inputs: Any) -> tuple[Any, ...]:
        """The results that can have a gradient."""
        return tuple([y for y in self(*inputs) if re.search("float|complex", str(y.dtype))])

    def loss(self, *inputs: Any) -> Any:
        """A number that is not linear in the results, so that it has second derivatives."""
        return self.total(self.floats(*inputs))

    def total(self, results: Any) -> Any:
        """The sum of the results' lengths, weighted."""
        lengths = [self.length(y) for y in results]
        total = 0.0
        for length, weight in zip(lengths, weights_for(lengths), strict=True):
            total = total + (self.tensor(weight) * length).sum()
        return total

    def length(self, y: Any) -> Any:
        """Real numbers that are not linear in those of `y`."""
        return y * y

    # What it is fed ---------------------------------------------------------------------------

    def arrays(self, example: int) -> list[Any]:
        """The inputs of one example."""
        if example not in self._arrays:
            self._arrays[example] = self.case.arrays(self.given, example=example)
        return list(self._arrays[example])

    def one(self, example: int = 0) -> list[Any]:
        """The same as tensors."""
        return [self.tensor(a) for a in self.arrays(example)]

    def results(self, examples: tuple[int, ...]) -> list[Any]:
        """Arrays of what is returned for one input of each of some examples."""
        if examples not in self._results:
            arrays = [self.arrays(k)[i] for i, k in enumerate(examples)]
            self._results[examples] = arrays_of(self(*[self.tensor(a) for a in arrays]))
        return self._results[examples]

    def tensor(self, array: Any) -> Any:
        """A tensor on the call's device."""
        return self.lib.tensor(array, device=self.device)

    def many(self, dims: Dims, count: int = BATCH) -> list[Any]:
        """Inputs of several examples, stacked where `dims` says 0; those of the first elsewhere."""
        examples = [self.arrays(k) for k in range(count)]
        columns = zip(*examples, strict=True)
        arrays = [
            column[0] if dim is None else np.stack(column)
            for column, dim in zip(columns, dims, strict=True)
        ]
        return [self.tensor(a) for a in arrays]

    def tangents(self, inputs: list[Any]) -> list[Any]:
        """A tangent for each input that has a gradient."""
        return [self.tensor(w) for w in weights_for([inputs[i] for i in self.places])]

    def of_leaves(self, function: Callable[..., Any], inputs: list[Any]) -> Callable[..., Any]:
        """`function` as one of the inputs with a gradient alone; the others are captured."""

        def of_leaves(*leaves: Any) -> Any:
            full = list(inputs)
            for place, leaf in zip(self.places, leaves, strict=True):
                full[place] = leaf
            return function(*full)

        return of_leaves

    def leaves(self, inputs: list[Any]) -> list[Any]:
        """Those of the inputs that have a gradient."""
        return [inputs[i] for i in self.places]

    # One transform ----------------------------------------------------------------------------

    def vmap(self, function: Callable[..., Any], dims: Dims) -> Any:
        """`function` of a batch. Random rows are set up so that their numbers are no surprise."""
        return self.lib.func.vmap(function, in_dims=dims, randomness="different")

    def grad(self, *inputs: Any) -> Any:
        """The gradients of the loss with respect to the leaves."""
        return self.lib.func.grad(self.loss, argnums=self.places)(*inputs)

    def jvp(self, function: Callable[..., Any], inputs: list[Any], tangents: Any = None) -> Any:
        """Values and tangents of `function` where the leaves among `inputs` move."""
        moving = self.tangents(inputs) if tangents is None else tangents
        return self.lib.func.jvp(
            self.of_leaves(function, inputs), tuple(self.leaves(inputs)), tuple(moving)
        )


class ComplexCall(Call):
    """The same of complex numbers."""

    def arrays(self, example: int) -> list[Any]:
        arrays = super().arrays(example)
        for i in self.places:
            arrays[i] = arrays[i] + 1j * np.roll(arrays[i], 1)
        return arrays

    def length(self, y: Any) -> Any:
        return (y + (2 + 1j)).abs()  # away from the kink at 0


class InPlaceCall(Call):
    """The same in place: `x.mul_(…)` on a copy of the first input."""

    def __init__(self, lib: Any, case: Any, given: Any) -> None:
        super().__init__(lib, case, given)
        self.op = lambda x, *rest, **params: in_place(lib, case)(x.clone(), *rest, **params)


def in_place(lib: Any, case: Any) -> Any:
    """The method that does in place what the row's op does; None if there is none."""
    return getattr(lib.Tensor, f"{case.name}_", None)


class Spelled(Call):
    """The same without `vmap` and without `jvp`: loops, and gradients of gradients."""

    def vmap(self, function: Callable[..., Any], dims: Dims) -> Any:
        def loop(*inputs: Any) -> Any:
            sizes = {len(x) for x, dim in zip(inputs, dims, strict=True) if dim == 0}
            results = []
            for k in range(sizes.pop()):
                pairs = zip(inputs, dims, strict=True)
                results.append(function(*[x if d is None else x[k].clone() for x, d in pairs]))
            return _stack(self.lib, results)

        return loop

    def jvp(self, function: Callable[..., Any], inputs: list[Any], tangents: Any = None) -> Any:
        moving = self.tangents(inputs) if tangents is None else tangents
        leaves = tuple(self.leaves(inputs))
        vjp = self.lib.func.vjp
        results, back = vjp(self.of_leaves(function, inputs), *leaves)
        if not isinstance(results, tuple):  # a number, which moves along its gradient
            slopes = back(results * 0 + 1)
            return results, sum((g * dx).sum() for g, dx in zip(slopes, moving, strict=True))

        def pull(*cotangents: Any) -> Any:
            _, back = vjp(self.of_leaves(function, inputs), *leaves)
            return back(cotangents)

        _, back = vjp(pull, *[y * 0 for y in results])
        return results, back(tuple(moving))


class SpelledComplex(ComplexCall, Spelled):
    """Both."""


class SpelledInPlace(InPlaceCall, Spelled):
    """Both."""


def _stack(lib: Any, results: list[Any]) -> Any:
    if isinstance(results[0], tuple):
        return tuple([_stack(lib, list(parts)) for parts in zip(*results, strict=True)])
    return lib.stack(results)


def flat(lib: Any, result: Any) -> Iterator[Any]:
    """The tensors that an op returned; a Python value becomes one."""
    if isinstance(result, (tuple, list)):
        for part in result:
            yield from flat(lib, part)
    else:
        yield result if isinstance(result, lib.Tensor) else lib.tensor(result)


# Compositions -----------------------------------------------------------------------------------


def _vmap_of_grad(call: Call, dims: Dims) -> Any:
    return call.vmap(call.grad, dims)(*call.many(dims))


def _grad_of_vmap(call: Call, dims: Dims) -> Any:
    inputs = call.many(dims)

    def loss(*leaves: Any) -> Any:
        mapped = call.vmap(call.loss, dims)
        return call.of_leaves(mapped, inputs)(*leaves).sum()

    numbers = tuple(range(len(call.places)))
    return call.lib.func.grad(loss, argnums=numbers)(*call.leaves(inputs))


def _jvp_of_vmap(call: Call, dims: Dims) -> Any:
    return call.jvp(call.vmap(call.floats, dims), call.many(dims))


def _vmap_of_jvp(call: Call, dims: Dims) -> Any:
    inputs = call.many(dims)
    tangents = call.tangents(inputs)

    def one(*given: Any) -> Any:
        return call.jvp(call.floats, list(given[: len(inputs)]), given[len(inputs) :])

    tangent_dims = tuple([dims[i] for i in call.places])
    return call.vmap(one, (*dims, *tangent_dims))(*inputs, *tangents)


def _jvp_of_grad(call: Call, dims: Dims) -> Any:
    return call.jvp(call.grad, call.one())


def _grad_of_grad(call: Call, dims: Dims) -> Any:
    inputs = call.one()

    def slope(*leaves: Any) -> Any:
        return call.total(call.of_leaves(call.grad, inputs)(*leaves))

    numbers = tuple(range(len(call.places)))
    return call.lib.func.grad(slope, argnums=numbers)(*call.leaves(inputs))


def _grad_of_jvp(call: Call, dims: Dims) -> Any:
    inputs = call.one()

    def slope(*leaves: Any) -> Any:
        moved = call.of_leaves(lambda *full: call.jvp(call.loss, list(full))[1], inputs)
        return moved(*leaves)

    numbers = tuple(range(len(call.places)))
    return call.lib.func.grad(slope, argnums=numbers)(*call.leaves(inputs))


def _vmap_of_jvp_of_grad(call: Call, dims: Dims) -> Any:
    inputs = call.many(dims)
    hessian_times = call.vmap(lambda *full: call.jvp(call.grad, list(full), moving(full)), dims)

    def moving(full: Any) -> Any:
        return [full[i] * 0.5 for i in call.places]

    return hessian_times(*inputs)


COMPOSITIONS = {
    "vmap of grad": _vmap_of_grad,
    "grad of vmap": _grad_of_vmap,
    "jvp of vmap": _jvp_of_vmap,
    "vmap of jvp": _vmap_of_jvp,
    "jvp of grad": _jvp_of_grad,
    "grad of grad": _grad_of_grad,
}
"""Pairs of transforms: each takes a call and which of its inputs are batched."""

SAME_NUMBERS = {_grad_of_vmap: _vmap_of_grad, _jvp_of_vmap: _vmap_of_jvp}
"""Those whose order makes no difference of smooth functions of batches alone."""

TRIPLES = {"grad of jvp": _grad_of_jvp, "vmap of jvp of grad": _vmap_of_jvp_of_grad}
"""Some more."""


# Arrays -----------------------------------------------------------------------------------------


def arrays_of(results: Any) -> list[Any]:
    """NumPy arrays of all tensors in nested tuples."""
    if isinstance(results, (tuple, list)):
        return [array for part in results for array in arrays_of(part)]
    return [results.numpy(force=True)]


def choices(count: int) -> list[Dims]:
    """Each way to batch some of `count` inputs, and not none."""
    every = list(itertools.product((0, None), repeat=count))
    return every[:-1]


def stacked(call: Call, dims: Dims, count: int) -> list[Any]:
    """What a loop over the examples gives."""
    found = [call.results(tuple([k if d == 0 else 0 for d in dims])) for k in range(count)]
    return [np.stack(parts) for parts in zip(*found, strict=True)]
