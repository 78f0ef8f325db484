"""`OpCase`: one row says what an op takes, and buys it all generic checks.

    OpCase(arithmetic.mul, [real(2, 3), real(3)], numpy=np.multiply)

A row has samples: its own inputs and those under `more`. Inputs are described by `real`,
`positive`, `whole`, … and made from a seed that is the row's name, so every run sees the same.
"""

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import glassgrad
from glassgrad.core.tensor import Tensor

__all__ = [
    "OpCase",
    "Sample",
    "fixed",
    "flags",
    "positive",
    "real",
    "sample",
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

    def array(self, rng: np.random.Generator, dtype: Any) -> Any:
        if self.values is not None:
            array = np.array(self.values)
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


@dataclass(frozen=True)
class Sample:
    """Inputs and parameters of one call; `smooth` says that differences make sense there."""

    inputs: Sequence[Spec]
    params: dict[str, Any] = field(default_factory=dict)
    smooth: bool = True


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

    def arrays(self, given: Sample, dtype: Any = np.float64) -> list[Any]:
        """The sample's input arrays, the same in each run."""
        rng = np.random.default_rng(zlib.crc32(self.name.encode()))
        arrays = [spec.array(rng, dtype) for spec in given.inputs]
        if not given.smooth:
            return arrays
        return [self._off_kinks(a) if a.dtype.kind == "f" else a for a in arrays]

    def _off_kinks(self, array: Any) -> Any:
        for point in self.avoid:
            near = np.abs(array - point) < 0.1
            away = np.where(array < point, -0.2, 0.2).astype(array.dtype)
            array = np.where(near, array + away, array)
        return array

    def apply(self, given: Sample, inputs: Sequence[Any]) -> list[Tensor]:
        """The op's results on tensors, as a list."""
        return as_list(self.call(self.op, *inputs, **given.params))


def as_list(result: Any) -> list[Any]:
    """The tensors that an op returned; a Python value becomes one."""
    if isinstance(result, (tuple, list)):
        return [part for item in result for part in as_list(item)]
    return [glassgrad.tensor(result)] if isinstance(result, (bool, int, float)) else [result]


def all_primitives() -> dict[str, Any]:
    """The Primitives of `glassgrad.ops` that compute something, by name."""
    from glassgrad.core.primitive import Primitive

    found: dict[str, Any] = {}
    families = [Primitive]
    while families:
        for cls in families.pop().__subclasses__():
            families.append(cls)
            if cls.__module__.startswith("glassgrad.") and "_backward_cls" in cls.__dict__:
                found[cls.__name__] = cls
    return found


def _primitive(name: str) -> Any:
    return all_primitives()[name]


# Running a row ----------------------------------------------------------------------------------


def tensors(arrays: Sequence[Any], device: str = "cpu") -> list[Tensor]:
    """Leaves of the arrays; those of floats require grad."""
    made = [Tensor(array.copy(), device=device) for array in arrays]
    for x in made:
        x.requires_grad = x.dtype.kind == "f"
    return made


def cotangents(results: Sequence[Any], device: str = "cpu") -> list[Tensor]:
    """Fixed random gradients for results, of their shape and dtype."""
    rng = np.random.default_rng(7)
    return [
        Tensor(rng.uniform(0.5, 1.5, tuple(y.shape)).astype(y.dtype), device=device)
        for y in results
    ]


def gradients(
    results: Sequence[Tensor], inputs: Sequence[Tensor], *, create_graph: bool = False
) -> list[Tensor | None]:
    """The gradients of the results, weighted by `cotangents`, with respect to the inputs."""
    results = [y for y in results if y.requires_grad]
    leaves = [x for x in inputs if x.requires_grad]
    if not results or not leaves:
        return []
    seeds = cotangents(results, results[0].device.type)
    return list(
        glassgrad.autograd.grad(
            results, leaves, seeds, create_graph=create_graph, allow_unused=True
        )
    )


def double_gradients(results: Sequence[Tensor], inputs: Sequence[Tensor]) -> list[Tensor | None]:
    """The gradients of the gradients."""
    first = [g for g in gradients(results, inputs, create_graph=True) if g is not None]
    return gradients(first, inputs)


def values(results: Sequence[Tensor | None]) -> list[Any]:
    """NumPy arrays of tensors; None stays."""
    return [None if y is None else y.numpy(force=True) for y in results]
