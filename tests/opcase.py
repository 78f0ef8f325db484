"""`OpCase`: one row says what an op takes, and buys it all generic checks.

    OpCase(arithmetic.mul, [real(2, 3), real(3)], numpy=np.multiply)

A row has samples: its own inputs and those under `more`. Inputs are described by `real`,
`positive`, `whole`, … and made from a seed that is the row's name, so every run sees the same.
"""

import functools
import math
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import glassgrad
from glassgrad.core.tensor import Tensor
from glassgrad.ops.creation import tensor
from glassgrad.viz.explaining.formulas import all_ops

__all__ = [
    "OpCase",
    "Run",
    "Sample",
    "all_primitives",
    "as_list",
    "constant",
    "fixed",
    "flags",
    "positive",
    "real",
    "sample",
    "values",
    "weights_for",
    "whole",
]


# Inputs -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Spec:
    """One input: its shape, where its values lie, and whether it has a gradient."""

    shape: tuple[int, ...]
    low: float = -2.0
    high: float = 2.0
    kind: str = "f"
    values: Any = None
    is_constant: bool = False

    @property
    def is_leaf(self) -> bool:
        """Whether gradients flow to it."""
        return self.kind == "f" and not self.is_constant

    def array(self, rng: np.random.Generator, dtype: Any, example: int = 0) -> Any:
        if self.values is not None:
            array = np.roll(self.values, example)  # still places that there are, ties, and so on
            return array.astype(dtype) if array.dtype.kind == "f" else array
        if self.kind == "b":
            return rng.random(self.shape) < 0.5
        if self.kind == "i":
            return rng.integers(int(self.low), int(self.high), self.shape)
        return rng.uniform(self.low, self.high, self.shape).astype(dtype)


def real(*shape: int, low: float = -2.0, high: float = 2.0) -> Spec:
    """Floats."""
    return Spec(shape, low, high)


def positive(*shape: int) -> Spec:
    """Floats from 0.5 to 2."""
    return Spec(shape, 0.5, 2.0)


def whole(*shape: int, low: int = 0, high: int = 3) -> Spec:
    """Integers from `low` to `high - 1`."""
    return Spec(shape, low, high, "i")


def flags(*shape: int) -> Spec:
    """Bools."""
    return Spec(shape, kind="b")


def fixed(values: Any) -> Spec:
    """These values; for kinks and ties."""
    return Spec(np.shape(values), kind=np.array(values).dtype.kind, values=values)


def constant(values: Any) -> Spec:
    """These values, which have no gradient."""
    return replace(fixed(values), is_constant=True)


@dataclass(frozen=True)
class Sample:
    """Inputs and parameters of one call; `smooth` says that differences make sense there."""

    inputs: Sequence[Spec]
    params: dict[str, Any] = field(default_factory=dict)
    smooth: bool = True

    @property
    def size(self) -> int:
        """How many elements the inputs have."""
        return sum(math.prod(spec.shape) for spec in self.inputs)


def sample(*inputs: Spec, smooth: bool = True, **params: Any) -> Sample:
    """A sample, short to write."""
    return Sample(inputs, params, smooth)


# Rows -------------------------------------------------------------------------------------------


def _call_plainly(function: Callable[..., Any], *inputs: Any, **params: Any) -> Any:
    return function(*inputs, **params)


@dataclass(frozen=True)
class OpCase:
    """One row.

    Attributes:
        op: the public function.
        inputs, params: of the first sample.
        numpy: a function of the inputs' arrays and params that computes the same value.
        avoid: points from which values keep a distance of 0.1, where the op has kinks.
        more: further samples.
        wrong: samples that must raise one of our errors.
        rules: the names of the Primitives behind the op; default: the op's name in CamelCase.
        torch: PyTorch's function; default: that of the same name. False: there is none.
        call: how the op (and PyTorch's) is called with inputs and params.
        same_graph: whether PyTorch's last node has the same name and edges.
    """

    op: Callable[..., Any]
    inputs: Sequence[Spec]
    params: dict[str, Any] = field(default_factory=dict)
    numpy: Callable[..., Any] | None = None
    avoid: Sequence[float] = ()
    more: Sequence[Sample] = ()
    wrong: Sequence[Sample] = ()
    rules: str = ""
    torch: Any = None
    call: Callable[..., Any] = _call_plainly
    same_graph: bool = True

    @property
    def name(self) -> str:
        return self.op.__name__

    @property
    def rule_names(self) -> list[str]:
        if self.rules:
            return self.rules.split()
        return ["".join(word.capitalize() for word in self.name.split("_"))]

    @property
    def samples(self) -> list[Sample]:
        return [Sample(self.inputs, self.params), *self.more]

    def has_gradient(self, given: Sample) -> bool:
        """Whether a gradient flows from the results to an input."""
        differentiable = any(_primitive(name).differentiable for name in self.rule_names)
        return differentiable and any(spec.is_leaf for spec in given.inputs)

    @property
    def wrong_samples(self) -> list[Sample]:
        """The given ones; for ops that broadcast also shapes that do not."""
        floats = [spec for spec in self.inputs if spec.kind == "f"]
        broadcasts = _primitive(self.rule_names[0]).broadcasts
        if self.wrong or len(floats) < 2 or not broadcasts or self.call is not _call_plainly:
            return list(self.wrong)
        shapes = iter([(2, 3), (4,), (4,)])
        specs = [replace(s, shape=next(shapes), values=None, kind="f") for s in floats]
        return [Sample([s for s in self.inputs if s.kind != "f"] + specs, self.params)]

    def arrays(self, given: Sample, dtype: Any = np.float64, example: int = 0) -> list[Any]:
        """The sample's input arrays, the same in each run; others for each further example."""
        rng = np.random.default_rng(zlib.crc32(self.name.encode()) + example)
        arrays = [spec.array(rng, dtype, example) for spec in given.inputs]
        if not given.smooth:
            return arrays
        return [self._off_kinks(a) if a.dtype.kind == "f" else a for a in arrays]

    def _off_kinks(self, array: Any) -> Any:
        for point in self.avoid:
            near = np.abs(array - point) < 0.1
            away = np.where(array < point, -0.2, 0.2).astype(array.dtype)
            array = np.where(near, array + away, array)
        return array


def as_list(result: Any) -> list[Any]:
    """The tensors that an op returned; a Python value becomes one."""
    if isinstance(result, (tuple, list)):
        return [part for item in result for part in as_list(item)]
    return [glassgrad.tensor(result)] if isinstance(result, (bool, int, float)) else [result]


def all_primitives() -> dict[str, Any]:
    """The Primitives of `glassgrad.ops` that compute something, by name."""
    return {
        cls.__name__: cls
        for cls in all_ops()
        if cls.__module__.startswith("glassgrad.") and "_backward_cls" in cls.__dict__
    }


def rules_behind(results: Iterable[Any]) -> list[str]:
    """The names of the Primitives whose nodes made some tensors, the newest first."""
    nodes = [y.grad_fn for y in results if y.grad_fn is not None]
    for node in nodes:  # which grows meanwhile
        nodes += [n for n, _ in node.next_functions if n is not None and n not in nodes]
    made = [node._forward_cls.__name__ for node in nodes if hasattr(node, "_forward_cls")]
    return list(dict.fromkeys(made))


@functools.cache
def _primitive(name: str) -> Any:
    return all_primitives()[name]


# Running a row ----------------------------------------------------------------------------------


class Run:
    """One call of an op, and its gradients.

    The results' gradients are weighted by `seeds`. Those are leaves, too: so `double` also
    differentiates rules that are linear in the gradient and in nothing else.

    Attributes:
        inputs, leaves: the tensors, and those of them that require grad.
        results, roots: what the op returned, and what of it requires grad.
    """

    def __init__(
        self,
        case: OpCase,
        given: Sample,
        arrays: Sequence[Any],
        *,
        device: str = "cpu",
        only: int | None = None,
    ) -> None:
        self.inputs = [tensor(array, device=device) for array in arrays]
        self.leaves = [x for x, s in zip(self.inputs, given.inputs, strict=True) if s.is_leaf]
        if only is not None:
            self.leaves = [self.leaves[only]]
        for x in self.leaves:
            x.requires_grad = True
        self.results = as_list(case.call(case.op, *self.inputs, **given.params))
        self.roots = [y for y in self.results if y.requires_grad]
        self.seeds = [tensor(w, device=device) for w in weights_for(self.roots)]

    def gradients(self, *, create_graph: bool = False) -> list[Tensor | None]:
        """The gradients with respect to the leaves; None where there is none."""
        if not self.roots:
            return [None] * len(self.leaves)
        for seed in self.seeds:
            seed.requires_grad = create_graph
        return list(
            glassgrad.autograd.grad(
                self.roots,
                self.leaves,
                self.seeds,
                retain_graph=True,
                create_graph=create_graph,
                allow_unused=True,
            )
        )

    def double(self) -> list[Tensor | None]:
        """The gradients of the weighted gradients, with respect to the leaves and the seeds."""
        first = [g for g in self.gradients(create_graph=True) if g is not None and g.requires_grad]
        targets = self.leaves + self.seeds
        if not first:
            return [None] * len(targets)
        weights = [tensor(w, device=first[0].device) for w in weights_for(first)]
        return list(
            glassgrad.autograd.grad(first, targets, weights, retain_graph=True, allow_unused=True)
        )


def weights_for(results: Sequence[Any]) -> list[Any]:
    """Fixed random weights, an array of the shape and dtype of each result."""
    dtypes = [str(y.dtype).removeprefix("torch.") for y in results]
    numbers = _numbers(tuple([tuple(y.shape) for y in results]))
    return [some.astype(dtype) for some, dtype in zip(numbers, dtypes, strict=True)]


@functools.cache
def _numbers(shapes: tuple[tuple[int, ...], ...]) -> list[Any]:
    """Fixed random numbers, an array of each shape; they are copied, never written to."""
    rng = np.random.default_rng(7)
    return [np.asarray(rng.uniform(0.5, 1.5, shape)) for shape in shapes]


def values(results: Sequence[Tensor | None]) -> list[Any]:
    """NumPy arrays of tensors; None stays."""
    return [None if y is None else y.numpy(force=True) for y in results]
