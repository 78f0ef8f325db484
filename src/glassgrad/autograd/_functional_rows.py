"""How `autograd.functional` runs its passes: one gradient, all rows of a Jacobian, or all columns.

A Jacobian of an output of shape `T` with respect to an input of shape `S` has shape `T + S`.

# Note [A product J v from two backward passes]
# A backward pass computes g(w) = Jᵀw. That is linear in w, so its own Jacobian is Jᵀ, at each w,
# and a backward pass from g to w with the gradient v gives (Jᵀ)ᵀv = J v. Zeros will do for w.
"""

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from typing import Any

from glassgrad.autograd._functional_checks import Several, Stage, call
from glassgrad.autograd.forward_ad import dual_level, make_dual, unpack_dual
from glassgrad.core.backward import grad
from glassgrad.core.tensor import Tensor
from glassgrad.func.vmap import map_batch
from glassgrad.ops import eye, movedim, stack, zeros_like

__all__ = [
    "_construct_standard_basis_for",
    "arguments",
    "columns",
    "gradients",
    "rows_at_once",
    "rows_one_by_one",
]

Gradients = Sequence[Tensor | None]


def arguments(
    tensors: tuple[Tensor, ...], *, create_graph: bool, requires_grad: bool = True
) -> tuple[Tensor, ...]:
    """New tensors with the same values, to call the function with.

    They are new, so that an input can be told from the same tensor in the function's closure:
    only what arrives through the arguments is differentiated.

    Args:
        create_graph: keep those connected to `tensors` that require grad.
        requires_grad: whether the others require grad.
    """
    return tuple(
        [
            x.view_as(x)
            if create_graph and x.requires_grad
            else x.detach().requires_grad_(requires_grad)
            for x in tensors
        ]
    )


def gradients(
    outputs: Gradients,
    inputs: Sequence[Tensor],
    seeds: Gradients | None = None,
    *,
    create_graph: bool,
    retain_graph: bool | None = None,
    batched: bool = False,
) -> tuple[Tensor | None, ...]:
    """`autograd.grad` of those outputs that require grad; None where nothing arrives.

    Args:
        batched: `seeds` have one more dim in front; so have the results.
    """
    seeds = (None,) * len(outputs) if seeds is None else seeds
    pairs = [
        (output, seed)
        for output, seed in zip(outputs, seeds, strict=True)
        if output is not None and output.requires_grad
    ]
    if not pairs:
        return (None,) * len(inputs)
    return grad(
        [output for output, _ in pairs],
        inputs,
        [seed for _, seed in pairs],
        retain_graph,
        create_graph,
        allow_unused=True,
        is_grads_batched=batched,
    )


# By rows: one backward pass for each entry of the outputs ---------------------------------------


def rows_one_by_one(
    number: int, output: Tensor, inputs: Sequence[Tensor], *, strict: bool, create_graph: bool
) -> list[Tensor]:
    """For each input the Jacobian of `output`, which is number `number` of the outputs."""
    if not output.numel():
        return [x.new_zeros(output.shape + x.shape) for x in inputs]
    missing = f"Output {number} of the user-provided function is independent of input {{}}"
    stage = Stage(missing, "jacobian")
    flat = output.reshape(-1)
    passes = [
        stage.filled(
            gradients([flat[row]], inputs, create_graph=create_graph, retain_graph=True),
            inputs,
            strict=strict,
            create_graph=create_graph,
        )
        for row in range(output.numel())
    ]
    return [
        stack(rows).reshape(output.shape + x.shape)
        for rows, x in zip(zip(*passes, strict=True), inputs, strict=True)
    ]


def rows_at_once(
    outputs: Sequence[Tensor], inputs: Sequence[Tensor], basis: Sequence[Tensor], create_graph: bool
) -> list[list[Tensor]]:
    """For each output and input the Jacobian, from one batched pass.

    Args:
        basis: for each output its columns of the identity, as `_construct_standard_basis_for`
            makes them: a row is the gradient, of all outputs, that selects one entry.
    """
    found: Gradients = (None,) * len(inputs)
    if len(basis[0]):
        flat = [output.reshape(-1) for output in outputs]
        found = gradients(flat, inputs, basis, create_graph=create_graph, batched=True)
    return [
        [
            x.new_zeros(output.shape + x.shape)
            if rows is None
            else rows[start:stop].reshape(output.shape + x.shape)
            for rows, x in zip(found, inputs, strict=True)
        ]
        for output, (start, stop) in zip(outputs, _stretches(outputs), strict=True)
    ]


def _construct_standard_basis_for(
    tensors: Sequence[Tensor], tensor_numels: Sequence[int]
) -> tuple[Tensor, ...]:
    """The unit vectors of the space of all `tensors`, cut into one chunk for each of them.

    Args:
        tensor_numels: how many entries each of them has; together `n`.

    Returns:
        For each tensor its columns of the n×n identity, in its dtype and on its device.
    """
    n = sum(tensor_numels)
    ends = pairwise(accumulate(tensor_numels, initial=0))
    return tuple(
        [
            eye(n, dtype=x.dtype, device=x.device)[:, start:stop]
            for x, (start, stop) in zip(tensors, ends, strict=True)
        ]
    )


def _stretches(tensors: Sequence[Tensor]) -> list[tuple[int, int]]:
    """Where the entries of each tensor lie when all are written in one row."""
    return list(pairwise(accumulate([x.numel() for x in tensors], initial=0)))


# By columns: one product J e for each entry of the inputs ---------------------------------------


def columns(func: Callable[..., Any], inputs: Several) -> tuple[Several, list[list[Tensor]]]:
    """The outputs, and for each output and input the Jacobian, in the output's dtype.

    The columns are products J e with the unit vectors e of the inputs: forward mode, mapped over
    the unit vectors. The inputs keep their places in the graph.
    """
    basis = _construct_standard_basis_for(inputs.tensors, [x.numel() for x in inputs.tensors])
    found: list[Several] = []

    def push(tangents: list[Tensor]) -> list[Tensor]:
        with dual_level():
            duals = [
                make_dual(x, e.reshape(x.shape))
                for x, e in zip(inputs.tensors, tangents, strict=True)
            ]
            outputs = call(func, tuple(duals), "jacobian", strict=False)
            pairs = [unpack_dual(output) for output in outputs.tensors]
            found.append(Several(tuple([primal for primal, _ in pairs]), outputs.in_tuple))
            return [zeros_like(primal) if dy is None else dy for primal, dy in pairs]

    moved = map_batch(push, basis, len(basis[0]), "never")
    (outputs,) = found
    return outputs, [
        _by_output(dy, output, inputs.tensors)
        for dy, output in zip(moved, outputs.tensors, strict=True)
    ]


def _by_output(found: Tensor, output: Tensor, points: Sequence[Tensor]) -> list[Tensor]:
    """For each input the Jacobian, from a stack of columns."""
    return [
        movedim(found[start:stop], 0, -1).reshape(output.shape + x.shape)
        for x, (start, stop) in zip(points, _stretches(points), strict=True)
    ]
