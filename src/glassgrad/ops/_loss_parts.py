"""What the losses share: rows of scores, what a target picks, how losses become one."""

import math
from typing import Any

import numpy as np

from glassgrad.ops._reduce import array_of, spread

__all__ = [
    "as_rows",
    "find_hits",
    "from_rows",
    "reduce_losses",
    "share_of",
    "softened",
    "target_weights",
    "values_at",
]


def as_rows(x: Any) -> Any:
    """The classes last, everything else flattened."""
    if x.ndim == 2:  # a batch of vectors
        return x
    classes = x.shape[x.ndim > 1]
    return (np.moveaxis(x, 1, -1) if x.ndim > 1 else x).reshape(-1, classes)


def from_rows(rows: Any, shape: tuple[int, ...]) -> Any:
    """The opposite of `as_rows`, for a gradient."""
    if len(shape) == 2:  # a batch of vectors
        return rows
    if len(shape) == 1:
        return rows.reshape(shape)
    return np.moveaxis(rows.reshape(shape[0], *shape[2:], shape[1]), -1, 1)


def values_at(rows: Any, hits: Any) -> Any:
    return rows[np.arange(rows.shape[0], like=array_of(rows)), hits]


def find_hits(target: Any, weight: Any, ignore_index: int | None, x: Any) -> tuple[Any, Any]:
    """The class each row is about, and how much the row counts; None if each counts 1."""
    hits = target.reshape(-1)
    counts = None
    if ignore_index is None:
        return hits, weight[0][hits] if weight else None
    ignored = hits == ignore_index
    hits = np.where(ignored, 0, hits)
    counts = weight[0][hits] if weight else np.ones_like(hits, x.dtype)
    return hits, np.where(ignored, 0, counts)


def target_weights(ctx: Any, x: Any, target: Any, shape: Any, smoothing: float) -> tuple[Any, Any]:
    """The q of Note [Weights of a loss] as an array, and what the mean divides by."""
    target, like = array_of(target), array_of(x)
    ignore_index = None if ctx.complete else ctx.ignore_index
    hits, counts = find_hits(target, ctx.weight, ignore_index, like)
    rows, classes = shape
    q = np.zeros((rows, classes), like.dtype, like=like)
    q[np.arange(rows, like=like), hits] = 1 - smoothing if counts is None else counts
    if counts is None and not smoothing:
        return q, rows
    if smoothing:
        even = spread(ctx.weight[0] if ctx.weight else np.ones_like(q), q.shape)
        q = (q if counts is None else q * (1 - smoothing)) + even * (smoothing / classes)
        if not ctx.complete:
            q = np.where((target.reshape(-1) == ctx.ignore_index)[:, None], 0, q)
    if counts is None:
        return q, rows
    total = counts.sum()
    return q, np.where(total == 0, 1, total)


def softened(target: Any, weight: Any, smoothing: float) -> Any:
    t = as_rows(target)
    if smoothing:
        t = t * (1 - smoothing) + smoothing / t.shape[1]
    return t * weight[0] if weight else t


def reduce_losses(losses: Any, counts: Any, reduction: str, shape: tuple[int, ...]) -> Any:
    if reduction == "none":
        return losses.reshape(shape)
    if reduction == "sum":
        return losses.sum()
    return losses.sum() / ((losses.shape[0] or math.nan) if counts is None else counts.sum())


def share_of(grad: Any, reduction: str, count: Any) -> Any:
    """The part of the gradient that belongs to one row."""
    if reduction == "none":
        return grad.reshape(-1, 1)
    return grad if reduction == "sum" else grad / count


# The functions ----------------------------------------------------------------------------------
