"""One pass for a batch of gradients: a transform, which the engine finds here.

Transforms are imported when the first such pass begins: a program without any starts sooner.
"""

import importlib
from collections.abc import Callable
from typing import Any

from glassgrad.core import backward
from glassgrad.core.tensor import Tensor


def in_one_pass(run: Callable[..., list[Any]], batch: list[Tensor]) -> list[Any]:
    """What `run` returns for each entry of the first dim of the gradients in `batch`, stacked."""
    transform = importlib.import_module("glassgrad.func.vmap")
    found: list[Any] = transform.map_batch(run, batch, batch[0].shape[0], "never")
    return found


backward.batched = in_one_pass
