"""One backward pass for a batch of gradients: `autograd.grad(…, is_grads_batched=True)`.

The pass is mapped over: a gradient in it shows one example, and what the nodes saved is the same
for all of them.
"""

from collections.abc import Callable
from typing import Any

from glassgrad.core.tensor import Tensor, wrap

from ._batch_level import Batch, BatchLevel

__all__ = ["in_one_pass"]


def in_one_pass(run: Callable[..., list[Any]], batch: list[Tensor]) -> list[Any]:
    """What `run` returns for each entry of the first dim of the gradients, stacked.

    Args:
        run: takes gradients, returns gradients or None.
        batch: gradients with one more dim in front, of the same size in all of them.
    """
    size = batch[0].shape[0]
    with BatchLevel(size, "never") as level:
        found = run([wrap(Batch(level, grad)) for grad in batch])
        pairs = [(x, None) if x is None else level.batch(x) for x in found]
    return [
        x if x is None or dim == 0 else x.expand(size, *x.shape)  # the same for all examples
        for x, dim in pairs
    ]
