"""All parameters as one vector, and back."""

import math
from collections.abc import Iterable

from glassgrad import ops
from glassgrad.core.errors import ArgumentTypeError
from glassgrad.core.tensor import Tensor

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """The elements of all parameters, one behind the other; gradients flow through it.

    Example:
        >>> parameters_to_vector([tensor([[1.0, 2.0]]), tensor(3.0)])
        tensor([1., 2., 3.])
    """
    return ops.cat([parameter.reshape(-1) for parameter in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Let parameters show the memory of a vector, part by part.

    Args:
        vec: with as many elements as all of them.
        parameters: what gets the parts.

    Raises:
        ArgumentTypeError: if `vec` is no tensor.

    Example:
        >>> x, y = zeros(2), zeros(())
        >>> vector_to_parameters(tensor([1.0, 2.0, 3.0]), [x, y])
        >>> x, y
        (tensor([1., 2.]), tensor(3.))
    """
    if not isinstance(vec, Tensor):
        raise ArgumentTypeError(
            f"expected torch.Tensor, but got: {type(vec).__name__}. Parameters show its memory. "
            "Write `parameters_to_vector(parameters)`."
        )
    first = 0
    for parameter in parameters:
        n = math.prod(parameter.shape)
        parameter.data = vec[first : first + n].reshape(parameter.shape).data
        first += n
