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
from glassgrad.autograd.grad_mode import enable_grad, is_grad_enabled
from glassgrad.core.tensor import Tensor
from glassgrad.engine.backward import grad
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

    The columns are products J e with the unit vectors e of the inputs, as forward mode gives
    them; see Note [A product J v from two backward passes].
    """
    wanted = is_grad_enabled() and any(x.requires_grad for x in inputs.tensors)
    with enable_grad():
        points = arguments(inputs.tensors, create_graph=wanted)
        outputs = call(func, points, "jacobian", strict=False)
        recorded = [output for output in outputs.tensors if output.requires_grad]
        anywhere = [zeros_like(output, requires_grad=True) for output in recorded]
        pulled = gradients(recorded, points, anywhere, create_graph=True)
        basis = _construct_standard_basis_for(points, [x.numel() for x in points])
        found: Gradients = (None,) * len(recorded)
        if len(basis[0]):
            directions = [e.reshape(-1, *x.shape) for e, x in zip(basis, points, strict=True)]
            found = gradients(pulled, anywhere, directions, create_graph=wanted, batched=True)
        supply = iter(found)
        jacobians = [
            _by_output(next(supply) if output.requires_grad else None, output, points)
            for output in outputs.tensors
        ]
    return outputs, jacobians


def _by_output(found: Tensor | None, output: Tensor, points: Sequence[Tensor]) -> list[Tensor]:
    """For each input the Jacobian, from a stack of columns."""
    if found is None:
        return [output.new_zeros(output.shape + x.shape) for x in points]
    return [
        movedim(found[start:stop], 0, -1).reshape(output.shape + x.shape)
        for x, (start, stop) in zip(points, _stretches(points), strict=True)
    ]
