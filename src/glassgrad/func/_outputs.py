"""What a function that is transformed may return, and what is said where it returns another."""

from typing import Any

from glassgrad.core.errors import TransformError
from glassgrad.core.tensor import Tensor
from glassgrad.values.layers import settled
from glassgrad.values.tree import Structure, flatten, unflatten

__all__ = ["all_settled", "refuse_complex", "tensors_of", "without_aux"]


def without_aux(api: str, output: Any) -> tuple[Any, Any]:
    """The output proper and the rest, of a function that was said to return both.

    Args:
        api: how the transform was called, for messages.
        output: what the function returned.
    """
    if isinstance(output, tuple) and len(output) == 2:
        return output
    raise TransformError(
        f"{api}: output of function f should be a tuple: (output, aux) if has_aux is True, and it "
        f"is {_kind(output)}. Only the first of the two is differentiated. "
        "Write `return output, aux`."
    )


def tensors_of(api: str, output: Any) -> tuple[list[Tensor], Structure]:
    """The leaves of an output, all of them tensors, and its structure."""
    leaves, structure = flatten(output)
    if not leaves or (len(leaves) == 1 and leaves[0] is None):
        raise TransformError(
            f"{api}: Expected f to be a function that has non-empty output (got output = "
            f"{output}). There is nothing to differentiate. Return a tensor, or a tree of them."
        )
    for leaf in leaves:
        if not isinstance(leaf, Tensor):
            raise TransformError(
                f"{api}: expected f(*primals) to return only tensors, got unsupported type "
                f"{type(leaf)}. Only tensors know how they were computed. Return anything else by "
                "`has_aux=True`, if it is made of tensors, or leave it out."
            )
    return leaves, structure


def all_settled(tree: Any) -> Any:
    """A tree of tensors without the layers of levels that are closed."""
    leaves, structure = flatten(tree)
    for leaf in leaves:
        if not isinstance(leaf, Tensor):
            raise TransformError(
                f"Expected tensors, got unsupported type {type(leaf)} in what the function "
                "returned as aux. A transform takes its own layer off what it returns, and knows "
                "how for tensors. Return `tensor(value)`, or set a variable of the outer function."
            )
    return unflatten(structure, [settled(leaf) for leaf in leaves])


def refuse_complex(name: str, leaves: list[Any], *, inputs: bool) -> None:
    """Raise if a tensor is complex: what its Jacobian is, is a matter of convention."""
    for place, leaf in enumerate(leaves):
        if isinstance(leaf, Tensor) and leaf.dtype.kind == "c":
            raise TransformError(
                f"{name}: Expected all {'inputs' if inputs else 'outputs'} to be real but received "
                f"complex tensor at flattened input idx: {place}. A complex function has no one "
                "Jacobian of its dtype. Take that of the real and the imaginary part."
            )


def _kind(output: Any) -> str:
    kind = type(output).__name__
    return f"a {kind} of {len(output)}" if isinstance(output, tuple) else f"a {kind}"
