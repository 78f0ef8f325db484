"""What vmap does with an op that has no `vmap` rule: the op, for one example after the other."""

import functools
import warnings
from typing import Any

from glassgrad.core.errors import TransformError
from glassgrad.core.primitive import Primitive
from glassgrad.ops import stack

__all__ = ["one_by_one"]


def one_by_one(
    cls: type[Primitive], info: Any, in_dims: Any, *values: Any, **parameters: Any
) -> Any:
    """The results for all examples, stacked; a `vmap` rule for an op that has none.

    Raises:
        TransformError: if there is no example to try.
    """
    _warn(cls)
    if info.batch_size == 0:
        raise TransformError(
            f"vmap: {cls.__name__} has no batching rule, and without an example nobody knows the "
            "shape of its result. Give the op a `vmap` rule, or do not call it for no examples."
        )
    results = [
        cls.apply(
            *[x if dim is None else x[nr] for x, dim in zip(values, in_dims, strict=True)],
            **parameters,
        )
        for nr in range(info.batch_size)
    ]
    if cls.multiple:
        return tuple([stack(parts) for parts in zip(*results, strict=True)])
    return stack(results)


@functools.cache  # once for each op
def _warn(cls: type[Primitive]) -> None:
    warnings.warn(
        "There is a performance drop because we have not yet implemented the batching rule for "
        f"{cls.__name__}: vmap calls it for one example after the other. Give the op a `vmap` "
        "rule, or a family of ops/_families.py that has one.",
        UserWarning,
        stacklevel=7,  # past the doors: where the op was called
    )
