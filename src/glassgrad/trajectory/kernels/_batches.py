"""Under `vmap`, the examples of a batched call are a part of the batch of trajectories."""

from typing import Any

from glassgrad.autograd import Function
from glassgrad.core.tensor import Tensor
from glassgrad.ops.creation import arange
from glassgrad.ops.joining import stack

__all__ = ["folded", "length", "one_by_one", "rows_of_all", "steps_of_any", "unfolded"]


def length(x: Tensor, dim: int | None) -> int:
    """The size of the first dim of one example."""
    return x.shape[int(dim == 0)]


def folded(x: Tensor, dim: int | None, count: int) -> Tensor:
    """`x` of shape `(B, …)`, of `count` examples: `(count·B, …)`."""
    x = x.expand(count, *x.shape) if dim is None else x.movedim(dim, 0)
    return x.reshape(count * x.shape[1], *x.shape[2:])


def rows_of_all(index: Tensor, dim: int | None, count: int, rows: int) -> Tensor:
    """`start_idx` of all examples, whose starts lie one behind the other, `rows` of each."""
    index = index.expand(count, *index.shape) if dim is None else index.movedim(dim, 0)
    first = arange(count, device=index.device).unsqueeze(1) * rows
    return index.flatten(1).long().add(first).flatten()


def steps_of_any(traj_dt: Tensor, dim: int | None) -> Tensor:
    """The time steps that all examples share; where there are no examples, any will do."""
    return traj_dt if dim is None else traj_dt.prod(dim)  # a product of none: ones


def unfolded(out: Any, count: int, batch: int) -> Any:
    """The results of `count` examples of `batch` trajectories, and where examples are counted."""
    if isinstance(out, Tensor):
        return out.reshape(count, batch, *out.shape[1:]), 0
    return tuple([unfolded(x, count, batch)[0] for x in out]), (0,) * len(out)


def one_by_one(cls: type[Function], count: int, in_dims: Any, args: tuple[Any, ...]) -> Any:
    """A call for each of one or more examples, and where these are counted in what is stacked."""
    found = []
    for at in range(count):
        pairs = zip(args, in_dims, strict=True)
        found.append(cls.apply(*[x if dim is None else x.select(dim, at) for x, dim in pairs]))
    if isinstance(found[0], Tensor):
        return stack(found), 0
    return tuple([stack(list(parts)) for parts in zip(*found, strict=True)]), (0,) * len(found[0])
