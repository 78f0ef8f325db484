"""What distributions share: parameters of one shape, probabilities and logits."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from glassgrad import ops
from glassgrad._dtypes import finfo
from glassgrad.core.errors import ArgumentError
from glassgrad.core.state import setting
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.ops.generator import source_of
from glassgrad.values.backend import asnumpy, backend_of

euler_constant = 0.57721566490153286060


def broadcast_all(*values: Any) -> tuple[Tensor, ...]:
    """Tensors of one shape and dtype; numbers take the dtype of the first tensor.

    Raises:
        ArgumentError: for anything but tensors and numbers.
    """
    if not all(isinstance(value, (Tensor, int, float, complex)) for value in values):
        kinds = ", ".join(type(value).__name__ for value in values)
        raise ArgumentError(
            "Input arguments must all be instances of Number, torch.Tensor or objects "
            f"implementing __torch_function__, got {kinds}. Write `tensor(values)`."
        )
    given = [value for value in values if isinstance(value, Tensor)]
    like = given[0] if given else ops.tensor(0.0)
    tensors = [value if isinstance(value, Tensor) else like.new_tensor(value) for value in values]
    shape = ops.broadcast_shapes(*(tuple(each.shape) for each in tensors))
    # A leaf that has the shape stays the leaf, which gets its gradient.
    return tuple(each if each.shape == shape else each.expand(shape) for each in tensors)


def limits(x: Tensor) -> Any:
    """The limits of the dtype of a tensor: `eps`, `tiny` …"""
    return finfo(x.dtype)


def softplus(x: Tensor) -> Tensor:
    """log(1 + eˣ)"""
    return ops.logaddexp(x, ops.zeros_like(x))


def clamp_probs(probs: Tensor) -> Tensor:
    """Probabilities that are not quite 0 or 1, so that they have a logarithm."""
    eps = limits(probs).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Log p; with `is_binary` log p/(1 - p)."""
    clamped = clamp_probs(probs)
    return clamped.log() - (-clamped).log1p() if is_binary else clamped.log()


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """The softmax along the last dim; with `is_binary` the sigmoid."""
    return logits.sigmoid() if is_binary else logits.softmax(-1)


class lazy_property:  # noqa: N801  # PyTorch's name
    """An attribute that is computed when it is first read, recorded in any case."""

    def __init__(self, wrapped: Callable[[Any], Any]) -> None:
        self.wrapped = wrapped
        self.__doc__ = wrapped.__doc__

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        with setting(grad=True):
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


def property_at(path: str, doc: str) -> Any:
    """A property that reads an attribute of a part: `base_dist.loc`."""
    return property(operator.attrgetter(path), doc=doc)


def sum_rightmost(value: Tensor, dims: int) -> Tensor:
    """The sum over the last `dims` dims."""
    return value.sum(tuple(range(-dims, 0))) if dims else value


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """A square matrix with the numbers of a vector up to diagonal `diag`, row by row, then zeros.

    Raises:
        ArgumentError: if there is no matrix with so many places.
    """
    n = 1
    while len(np.tril_indices(n, diag)[0]) < vec.shape[-1]:
        n += 1
    rows, columns = np.tril_indices(n, diag)
    if len(rows) != vec.shape[-1]:
        raise ArgumentError(
            f"The size of last dimension is {vec.shape[-1]} which cannot be expressed as the lower "
            "triangular part of a square D x D matrix. Write as many numbers as it has places."
        )
    places = np.zeros((n, n), np.int64)
    places[rows, columns] = np.arange(len(rows))
    return vec[..., ops.tensor(places, device=vec.device)].tril(diag)


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """The numbers of a square matrix up to diagonal `diag`, row by row.

    Raises:
        ArgumentError: if there is no such diagonal.
    """
    n = mat.shape[-1]
    if not -n <= diag < n:
        raise ArgumentError(
            f"diag ({diag}) provided is outside [{-n}, {n - 1}]. The matrix has n = {n} columns."
        )
    rows, columns = np.tril_indices(n, diag)
    return mat.flatten(-2)[..., ops.tensor(rows * n + columns, device=mat.device)]


_sum_rightmost = sum_rightmost  # PyTorch's name, which distributions of programs import


def _standard_normal(shape: Any, dtype: Any, device: Any) -> Tensor:
    """Standard normal numbers, for distributions of programs."""
    return ops.randn(tuple(shape), dtype=dtype, device=device)


def draw(name: str, shape: Any, *parameters: Tensor) -> Tensor:
    """Numbers that NumPy's generator draws by its method `name`, of the parameters' dtype."""
    arrays = [asnumpy(each.detach().payload) for each in parameters]
    numbers = getattr(source_of(None), name)(*arrays, size=tuple(shape))
    like = parameters[0]
    return like_it(np.asarray(numbers), like)


def like_it(array: Any, like: Tensor) -> Tensor:
    """A tensor with the numbers of a NumPy array, of the dtype and on the device of another."""
    return wrap(backend_of(like.payload).asarray(array, like.payload.dtype))


def gaussian(shape: Any, like: Tensor) -> Tensor:
    """Normal numbers around 0, with the standard deviation 1."""
    return ops.randn(shape, dtype=like.dtype, device=like.device)


def uniform(shape: Any, like: Tensor) -> Tensor:
    """Numbers from 0 to 1, neither of which is drawn."""
    drawn = ops.rand(tuple(shape), dtype=like.dtype, device=like.device)
    return drawn.clamp(limits(like).tiny, 1 - limits(like).eps / 2)
