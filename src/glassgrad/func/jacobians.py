"""`jacrev`, `jacfwd`, `hessian`: whole Jacobians, all rows or all columns at once.

    jacrev(f)    the pullback of f, mapped over the rows of an identity matrix      few outputs
    jacfwd(f)    the jvp of f, mapped over the same                                 few inputs

With several outputs, or inputs, the columns of that matrix are shared out among them.
"""

import functools
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from glassgrad import ops
from glassgrad.core.errors import ArgumentError
from glassgrad.core.state import Func
from glassgrad.core.tensor import Tensor
from glassgrad.ops import _checks as check
from glassgrad.values.backend import backend_for
from glassgrad.values.layers import fresh
from glassgrad.values.tree import Structure, flatten, map_leaves, unflatten

from . import derivatives
from .derivatives import Argnums, Recorded
from .vmap import vmap


def jacrev(
    func: Func,
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Func:
    """The function that computes the Jacobian of `func`, in reverse mode.

    Args:
        func: takes tensors, or trees of them, and returns floating-point tensors in any tree.
        argnums: which positional argument to differentiate with respect to; a tuple for several.
        has_aux: whether `func` returns `(output, aux)`: `aux`, a tree of tensors, is handed on.
        chunk_size: how many rows to compute at once, to save memory; None: all. With 1, each row
            is a plain pass, without `vmap`.
        _preallocate_and_copy: accepted for PyTorch's sake, has no effect.

    Returns:
        A function of the same arguments. For an output of shape `S` and an input of shape `T` the
        Jacobian has the shape `(*S, *T)`. There is one for each output, in the structure of the
        outputs, and in each place the structure of the inputs.

    Raises:
        ArgumentError: for a chunk size below 1.
        TransformError: when called, as `vjp`, and for complex tensors.

    Example:
        >>> jacrev(lambda x: x * x)(tensor([1.0, 2.0]))
        tensor([[2., 0.],
                [0., 4.]])

    See also: https://pytorch.org/docs/stable/generated/torch.func.jacrev.html
    """
    if chunk_size is not None and chunk_size <= 0:
        raise ArgumentError(
            f"jacrev: `chunk_size` should be greater than 0. It is {chunk_size}, and counts rows "
            "that are computed together. Leave it out to compute all of them at once."
        )

    @check.briefly
    @functools.wraps(func)
    def jacobian(*args: Any) -> Any:
        derivatives.refuse_complex("jacrev", flatten(args)[0], inputs=True)
        call = derivatives.run("vjp(f, *primals)", func, args, {}, argnums, has_aux)
        outputs, structure = call.differentiable_outputs()
        derivatives.refuse_complex("jacrev", outputs, inputs=False)
        rows = _rows(call, outputs, chunk_size)
        columns = [split_rows(part, outputs, x) for part, x in zip(rows, call.inputs, strict=True)]
        blocks = zip(*columns, strict=True)
        found = _in_trees(blocks, structure, call.structure)
        return (found, derivatives.all_settled(call.aux)) if has_aux else found

    return jacobian


def _rows(call: Recorded, outputs: list[Tensor], chunk_size: int | None) -> list[Tensor]:
    """For each input the Jacobian of all outputs, one row for each of their elements."""
    basis = unit_vectors(outputs)
    pull = functools.partial(call.pull, outputs)
    total = len(basis[0])
    if total == 1 or chunk_size == 1:  # nothing to map over
        passes = [pull([v[nr] for v in basis]) for nr in range(total)]
        return [ops.stack(rows) for rows in zip(*passes, strict=True)]
    rows: list[Tensor] = vmap(pull, chunk_size=chunk_size)(basis)
    return rows


def unit_vectors(tensors: Sequence[Tensor]) -> list[Tensor]:
    """The rows of the identity matrix, the columns shared out among tensors in their shapes."""
    rows = sum([x.numel() for x in tensors])
    found = []
    for x, offset in zip(tensors, _offsets(tensors), strict=True):
        ones = np.eye(rows, x.numel(), -offset, x.dtype)
        array = backend_for(x.device).asarray(ones.reshape(rows, *x.shape))
        found.append(fresh(array))
    return found


def _offsets(tensors: Sequence[Tensor]) -> list[int]:
    """Where the elements of each tensor begin, if all are written in one row."""
    return [0, *itertools.accumulate([x.numel() for x in tensors[:-1]])]


def split_rows(rows: Tensor, outputs: Sequence[Tensor], x: Tensor) -> list[Tensor]:
    """The Jacobian with respect to `x` of each output, from rows for all of them."""
    return [
        rows[offset : offset + y.numel()].reshape((*y.shape, *x.shape))
        for y, offset in zip(outputs, _offsets(outputs), strict=True)
    ]


def _in_trees(blocks: Any, outputs: Structure, inputs: Structure) -> Any:
    """For each output one block for each input, in the structures of both."""
    return unflatten(outputs, [unflatten(inputs, row) for row in blocks])


def jacfwd(
    func: Func,
    argnums: Argnums | None = 0,
    has_aux: bool = False,
    *,
    randomness: str = "error",
) -> Func:
    """The function that computes the Jacobian of `func`, in forward mode.

    Args:
        func, has_aux: as for `jacrev`.
        argnums: as for `jacrev`; None for all of them, as a tuple.
        randomness: what random functions do inside, which runs for all columns at once: as for
            `vmap`.

    Returns:
        As `jacrev`.

    Raises:
        TransformError: when called, as `jvp`, and for complex tensors.

    Example:
        >>> jacfwd(lambda x: x * x)(tensor([1.0, 2.0]))
        tensor([[2., 0.],
                [0., 4.]])

    See also: https://pytorch.org/docs/stable/generated/torch.func.jacfwd.html
    """

    @check.briefly
    @functools.wraps(func)
    def jacobian(*args: Any) -> Any:
        derivatives.refuse_complex("jacfwd", flatten(args)[0], inputs=True)
        chosen = derivatives.EVERY if argnums is None else argnums
        inputs, structure = flatten(derivatives.selected(args, chosen))
        derivatives.check_tensors(inputs, "primals")

        def push(tangents: list[Tensor]) -> Any:
            moves = unflatten(structure, tangents)
            output, *moved = derivatives.push_forward(func, args, moves, chosen, has_aux=has_aux)
            derivatives.refuse_complex("jacfwd", flatten(output)[0], inputs=False)
            return moved

        moved, *aux = vmap(push, randomness=randomness)(unit_vectors(inputs))
        columns, of_outputs = flatten(moved)
        blocks = [split_columns(column, inputs) for column in columns]
        found = _in_trees(blocks, of_outputs, structure)
        if not has_aux:
            return found
        return found, map_leaves(lambda x: x[0], aux[0])  # the same for each column

    return jacobian


def split_columns(moved: Tensor, inputs: Sequence[Tensor]) -> list[Tensor]:
    """The Jacobian of one output with respect to each input, from the tangents of the output."""
    columns, shape = moved.movedim(0, -1), moved.shape[1:]
    return [
        columns.narrow(-1, offset, x.numel()).reshape((*shape, *x.shape))
        for x, offset in zip(inputs, _offsets(inputs), strict=True)
    ]


def hessian(func: Func, argnums: Argnums = 0) -> Func:
    """The function that computes the matrix of second derivatives of `func`.

    Args:
        func, argnums: as for `jacrev`.

    Returns:
        A function of the same arguments. For an output of shape `S` and inputs of shapes `T` and
        `U` there is a block of shape `(*S, *T, *U)`. It is the Jacobian in forward mode of the
        Jacobian in reverse mode, which is the fastest of the four for a single number.

    Raises:
        TransformError: when called, as `jacrev` and `jacfwd`.

    Example:
        >>> hessian(lambda x: x[0] ** 2 * x[1])(tensor([3.0, 5.0]))
        tensor([[10.,  6.],
                [ 6.,  0.]])

    See also: https://pytorch.org/docs/stable/generated/torch.func.hessian.html
    """
    return jacfwd(jacrev(func, argnums), argnums)
