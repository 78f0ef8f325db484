"""Where the engine finds out how to run one pass for a batch of gradients: transforms do that.

They are imported when the first such pass begins, so that a program without any starts sooner.
"""

import importlib
from collections.abc import Callable
from typing import Any

from glassgrad.core import backward
from glassgrad.core.tensor import Tensor

__all__ = ["in_one_pass"]


def in_one_pass(run: Callable[..., list[Any]], batch: list[Tensor]) -> list[Any]:
    """What `run` returns for each entry of the first dim of the gradients in `batch`, stacked."""
    transforms = importlib.import_module("glassgrad.func._batched_pass")
    found: list[Any] = transforms.in_one_pass(run, batch)
    return found


backward.batched = in_one_pass
