"""`vmap`: a function of one example, computed for a batch of them at once.

    vmap(f)(xs)    one axis of xs is taken away: f sees one example, which stands for all of them
                   → each op of f is done for all examples (its `vmap` rule says how)
                   → the axis is back in what f returns

Where that axis is, is a matter of views: in front inside a level, anywhere outside of it.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from glassgrad.core.errors import ArgumentError, TransformError
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.ops import cat, get_rng_state, set_rng_state
from glassgrad.values.layers import settled
from glassgrad.values.tree import Structure, flatten, unflatten

from ._batch_level import Batch, BatchLevel
from ._dims import check_out_dims, in_dims_of, name_of, out_dims_of, size_of_batch

__all__ = ["map_batch", "vmap"]


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """The function that does to each example of a batch what `func` does to one.

    Args:
        func: takes tensors, or trees of them (tuples, lists, dicts), and returns such.
        in_dims: which dim of an argument counts the examples; None for an argument that is the
            same for all. A tuple has one entry for each positional argument; an entry may be a
            tree like the argument, or stand for all of its tensors. Arguments passed by keyword
            are the same for all examples.
        out_dims: which dim of a result will count the examples; None for what is the same for all,
            and need not be a tensor. One for all results, or a tree like theirs.
        randomness: what random functions do inside: "error"; "different" numbers for each example;
            or the "same" ones.
        chunk_size: how many examples to compute at once, to save memory; None: all.

    Returns:
        A function of the same arguments, with one more dim where `in_dims` says.

    Raises:
        ArgumentError: when called, if `in_dims` or `out_dims` do not fit what is passed or
            returned.
        DimError: when called, if a result has no such dim.
        TransformError: inside, for what cannot be done to all examples at once: `x.item()`, an
            `if` on numbers, results whose shape depends on numbers.

    Example:
        >>> vmap(lambda x: x @ x)(tensor([[1.0, 2.0], [3.0, 4.0]]))
        tensor([ 5., 25.])
        >>> vmap(lambda a, x: a * x, in_dims=(None, 1), out_dims=1)(2.0, tensor([[1.0, 2.0]]))
        tensor([[2., 4.]])

    See also: https://pytorch.org/docs/stable/generated/torch.vmap.html
    """
    if randomness not in ("error", "different", "same"):
        raise TransformError(
            "Only allowed values for randomness are 'error', 'different', or 'same'. Got "
            f"{randomness!r}. It says what random functions do inside of vmap. "
            "Write `randomness='different'`."
        )
    if chunk_size is not None and chunk_size <= 0:
        raise ArgumentError(
            f"vmap: chunk_size should be None or greater than 0. (got {chunk_size}) It counts "
            "examples that are computed together. Leave it out to compute all of them at once."
        )

    @functools.wraps(func)
    def mapped(*args: Any, **kwargs: Any) -> Any:
        check_out_dims(out_dims, func)
        leaves, structure = flatten(args)
        dims = in_dims_of(in_dims, args, leaves, func)
        batch_size = size_of_batch(leaves, dims)
        call = _Call(func, structure, dims, kwargs, out_dims, randomness)
        if chunk_size is None or batch_size <= chunk_size:
            return call.of(leaves, batch_size)
        return call.in_chunks(leaves, batch_size, chunk_size)

    return mapped


class _Call(NamedTuple):
    """One call of a function that is mapped.

    Attributes:
        func: the function of one example.
        structure: the structure of its arguments.
        dims: for each leaf of them the dim that counts the examples, if it has one.
        kwargs: what is passed by keyword.
        out_dims, randomness: as for `vmap`.
    """

    func: Callable[..., Any]
    structure: Structure
    dims: list[int | None]
    kwargs: dict[str, Any]
    out_dims: Any
    randomness: str

    def of(self, leaves: Sequence[Any], batch_size: int) -> Any:
        """The results for all examples that these leaves of the arguments hold."""
        batch = [x.movedim(dim, 0) if dim else x for x, dim in zip(leaves, self.dims, strict=True)]
        with BatchLevel(batch_size, self.randomness) as level:
            seen = list(batch)
            for place, dim in enumerate(self.dims):
                if dim is not None:
                    layer = Batch(level, settled(batch[place]))
                    if dim:
                        layer.argument = leaves[place], dim
                    seen[place] = wrap(layer)
            outputs = self.func(*unflatten(self.structure, seen), **self.kwargs)
            results, structure = flatten(outputs)
            dims = out_dims_of(self.out_dims, outputs, self.func)
            pairs = [level.as_passed(settled(x)) for x in results]
        placed = [
            _with_dim(x, axis, dim, batch_size, self.func)
            for (x, axis), dim in zip(pairs, dims, strict=True)
        ]
        return unflatten(structure, placed)

    def in_chunks(self, leaves: Sequence[Any], batch_size: int, chunk_size: int) -> Any:
        """The same, a few examples at a time; with "same" randomness all chunks draw the same."""
        rng_state = get_rng_state() if self.randomness == "same" else None
        chunks = []
        for start in range(0, batch_size, chunk_size):
            if rng_state is not None:
                set_rng_state(rng_state)
            size = min(chunk_size, batch_size - start)
            part = [
                x if dim is None else x.narrow(dim, start, size)
                for x, dim in zip(leaves, self.dims, strict=True)
            ]
            chunks.append(self.of(part, size))
        structure = flatten(chunks[0])[1]
        dims = out_dims_of(self.out_dims, chunks[0], self.func)
        columns = zip(*[flatten(chunk)[0] for chunk in chunks], strict=True)
        joined = [
            column[0] if dim is None else cat(column, dim)
            for column, dim in zip(columns, dims, strict=True)
        ]
        return unflatten(structure, joined)


def _with_dim(
    x: Any, axis: int | None, dim: int | None, batch_size: int, func: Callable[..., Any]
) -> Any:
    """A result with its batch axis, if there is one, where it is wanted; an argument as it was."""
    if dim is None:
        if axis is None:
            return x
        raise ArgumentError(
            f"vmap({name_of(func)}, ...): `{name_of(func)}` can not return a BatchedTensor when "
            "out_dim is None. There is one for each example. Say in `out_dims` where its dim of "
            "the examples shall be."
        )
    if not isinstance(x, Tensor):
        raise ArgumentError(
            f"vmap({name_of(func)}, ...): `{name_of(func)}` must only return Tensors, got type "
            f"{type(x)}. Results are stacked over the examples. Did you mean to set out_dims= to "
            "None for output?"
        )
    if axis is None:
        x, axis = x.expand(batch_size, *x.shape), 0
    return x if dim in (axis, axis - x.ndim) else x.movedim(axis, dim)


def map_batch(
    func: Callable[[list[Tensor]], list[Tensor]],
    batch: Sequence[Tensor],
    batch_size: int,
    randomness: str = "error",
) -> list[Tensor]:
    """`vmap` of a function from tensors to tensors, for transforms that are made of it.

    Args:
        func: takes and returns a list.
        batch: tensors with the batch axis in front.
    """
    with BatchLevel(batch_size, randomness) as level:
        outputs = func([wrap(Batch(level, settled(x))) for x in batch])
        pairs = [level.batch(x) for x in outputs]
    return [x if axis == 0 else x.expand(batch_size, *x.shape) for x, axis in pairs]
