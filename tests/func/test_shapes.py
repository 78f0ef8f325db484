"""Ops that count dims, on random shapes, for batches whose axis is anywhere: each is a loop."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import strategies as st

import glassgrad as gg
from checks import fuzzed
from glassgrad.core.errors import GlassgradError
from glassgrad.func import grad, jvp, vmap

BATCH = 2

Shape = tuple[int, ...]


class Case(NamedTuple):
    """A function of tensors of some shapes, and what may be done to it."""

    name: str
    function: Callable[..., Any]
    shapes: tuple[Shape, ...]


# One tensor, and a dim ----------------------------------------------------------------------------

ALONG: dict[str, Callable[[Any, int], Any]] = {
    "sum": lambda x, d: x.sum(d),
    "sum, kept": lambda x, d: x.sum(dim=d, keepdim=True),
    "mean": lambda x, d: x.mean(d),
    "cumsum": lambda x, d: x.cumsum(d),
    "cumprod": lambda x, d: x.cumprod(d),
    "prod": lambda x, d: x.prod(d),
    "softmax": lambda x, d: x.softmax(d),
    "log_softmax": lambda x, d: x.log_softmax(d),
    "logsumexp": lambda x, d: x.logsumexp(d),
    "amax": lambda x, d: x.amax(d),
    "max": lambda x, d: x.max(d)[0],
    "argmin": lambda x, d: x.argmin(d),
    "median": lambda x, d: x.median(d)[0],
    "var": lambda x, d: x.var(d, correction=0),
    "any": lambda x, d: (x > 0).any(d),
    "flip": lambda x, d: x.flip(d),
    "roll": lambda x, d: x.roll(1, d),
    "squeeze": lambda x, d: x.squeeze(d),
    "unsqueeze": lambda x, d: x.unsqueeze(d),
    "select": lambda x, d: x.select(d, -1),
    "narrow": lambda x, d: x.narrow(d, -1, 1),
    "split": lambda x, d: gg.cat(x.split(2, d)[::-1], d),
    "unbind": lambda x, d: gg.stack(x.unbind(d)),
    "first with it": lambda x, d: x.transpose(0, d),
    "diagonal": lambda x, d: x.diagonal(dim1=d, dim2=0),
    "cat": lambda x, d: gg.cat([x, x * 2], d),
    "stack": lambda x, d: gg.stack([x, x * 2], d),
    "index_select": lambda x, d: x.index_select(d, gg.tensor([0, 0])),
    "index_add": lambda x, d: x.index_add(d, gg.tensor([0]), x.narrow(d, 0, 1)),
    "index_fill": lambda x, d: x.index_fill(d, gg.tensor([0]), 2.0),
    "gather": lambda x, d: x.gather(d, gg.zeros(x.shape, dtype=gg.int64)),
    "scatter": lambda x, d: x.scatter(d, gg.zeros(x.shape, dtype=gg.int64), 3.0),
    "scatter_add": lambda x, d: x.scatter_add(d, gg.zeros(x.shape, dtype=gg.int64), x),
}

# One tensor ---------------------------------------------------------------------------------------

WHOLE: dict[str, Callable[[Any], Any]] = {
    "sum": lambda x: x.sum(),
    "max": lambda x: x.max(),
    "var": lambda x: x.var(correction=0),
    "argmax": lambda x: x.argmax(),
    "squeeze": lambda x: x.squeeze(),
    "flatten": lambda x: x.reshape(-1),
    "reshape": lambda x: x.reshape(1, *x.shape, 1),
    "expand": lambda x: x.expand(2, *x.shape),
    "repeat": lambda x: x.repeat(2, *[1] * x.ndim),
    "reversed": lambda x: x.permute(tuple(reversed(range(x.ndim)))),
    "ellipsis": lambda x: x[..., None],
    "none": lambda x: x[None],
    "last": lambda x: x[..., -1],
    "every other": lambda x: x[::2],
    "rows": lambda x: x[[0, 0]],
    "corner": lambda x: x[gg.tensor([0]), ..., gg.tensor([0])],
    "tril": lambda x: x.tril(),
    "matrix": lambda x: x @ x.transpose(-1, -2),
    "mask": lambda x: x.masked_fill(x > 0, 1.5),
    "set": lambda x: _set(x * 1, (0,)),
    "set last": lambda x: _set(x * 1, (..., -1)),
    "write a view": lambda x: _write(x * 1),
}


def _set(x: Any, index: Any) -> Any:
    x[index] = 7.0
    return x


def _write(x: Any) -> Any:
    x.transpose(0, -1).mul_(2)
    return x


# Two tensors --------------------------------------------------------------------------------------

TOGETHER: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda x, y: x + y,
    "mul": lambda x, y: x * y,
    "maximum": lambda x, y: gg.maximum(x, y),
    "where": lambda x, y: gg.where(x > 0, x, y),
    "lerp": lambda x, y: gg.lerp(x, y, 0.25),
    "addcmul": lambda x, y: gg.addcmul(x, x, y),
    "greater": lambda x, y: x > y,
    "matmul": lambda x, y: x @ y,
    "outer": lambda x, y: x.unsqueeze(-1) * y.unsqueeze(-2),
    "in place": lambda x, y: (x + y * 0).add_(y),
}

sizes = st.sampled_from([1, 2, 3, 0])
shapes = st.lists(sizes, max_size=3).map(tuple)


@st.composite
def cases(draw):
    kind = draw(st.sampled_from(["along", "whole", "together"]))
    shape = draw(shapes)
    if kind == "together":
        name = draw(st.sampled_from(sorted(TOGETHER)))
        other = draw(st.one_of(st.just(shape), st.just(shape[1:]), shapes))
        return Case(name, TOGETHER[name], (shape, other))
    if kind == "whole":
        name = draw(st.sampled_from(sorted(WHOLE)))
        return Case(name, WHOLE[name], (shape,))
    name = draw(st.sampled_from(sorted(ALONG)))
    dim = draw(st.integers(-len(shape) - 1, len(shape)))
    return Case(f"{name} {dim}", lambda x: ALONG[name](x, dim), (shape,))


@st.composite
def batches(draw):
    """A case, where in each tensor the batch is (None: nowhere), and where in the result."""
    case = draw(cases())
    dims = [draw(st.integers(-len(s) - 1, len(s))) for s in case.shapes]
    held = draw(st.sampled_from([None, *range(len(dims))])) if len(dims) > 1 else None
    return (
        case,
        [None if i == held else d for i, d in enumerate(dims)],
        draw(st.sampled_from([0, -1])),
    )


def examples(case, dims):
    """Arrays of each example, and the same stacked along `dims`."""
    rng = np.random.default_rng(3)
    rows = [[rng.uniform(-2, 2, s) for s in case.shapes] for _ in range(BATCH)]
    for row in rows[1:]:
        for i, dim in enumerate(dims):
            row[i] = rows[0][i] if dim is None else row[i]
    whole = [
        rows[0][i] if dim is None else np.stack([row[i] for row in rows], dim)
        for i, dim in enumerate(dims)
    ]
    return rows, whole


def arrays(xs):
    return [x.numpy() for x in (xs if isinstance(xs, tuple) else (xs,))]


def tensors(xs):
    return [gg.tensor(x) for x in xs]


def is_taken(case, row):
    """Whether the op takes such an example, without an error or a warning."""
    try:
        case.function(*tensors(row))
    except (GlassgradError, UserWarning):
        return False
    return True


def compare(batch, function, place=0):
    """Check that `vmap` of a function of the case's tensors is a loop over the examples."""
    case, dims, _ = batch
    rows, whole = examples(case, dims)
    if is_taken(case, rows[0]):
        loop = [arrays(function(*tensors(row))) for row in rows]
        want = [np.stack(parts, place) for parts in zip(*loop, strict=True)]
        got = arrays(vmap(function, in_dims=tuple(dims), out_dims=place)(*tensors(whole)))
        for y, reference in zip(got, want, strict=True):
            assert (y.shape, y.dtype) == (reference.shape, reference.dtype)
            np.testing.assert_allclose(y, reference, rtol=1e-10, atol=1e-12)


@fuzzed(batches(), examples=400)
def test_a_batch_anywhere_is_a_loop(batch):
    case, _, place = batch
    compare(batch, case.function, place)


@fuzzed(batches(), examples=400)
def test_gradients_of_a_batch_anywhere_are_those_of_a_loop(batch):
    case, dims, _ = batch

    def loss(*xs):
        y = case.function(*xs)
        return (y * y).sum() if y.dtype.kind == "f" else (xs[0] * 0).sum()

    compare(batch, grad(loss, argnums=tuple(range(len(dims)))))


@fuzzed(batches(), examples=400)
def test_tangents_of_a_batch_anywhere_are_those_of_a_loop(batch):
    case, _, place = batch
    compare(batch, lambda *xs: jvp(case.function, xs, xs), place)


@fuzzed(batches(), examples=400)
def test_what_is_refused_of_an_example_is_refused_of_a_batch(batch):
    case, dims, _ = batch
    rows, whole = examples(case, dims)
    try:
        case.function(*tensors(rows[0]))
    except UserWarning:
        return
    except GlassgradError:
        with pytest.raises(GlassgradError):
            vmap(case.function, tuple(dims))(*tensors(whole))
