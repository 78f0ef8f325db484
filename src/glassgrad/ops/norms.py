"""Lengths of vectors, sizes of matrices, and distances between points."""

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from glassgrad.core.errors import DTypeError, LinAlgError, ShapeError
from glassgrad.core.tensor import Tensor
from glassgrad.values.dtypes import as_dtype

from . import _checks as check
from ._arguments import Dims, reduced, wrap_dim, wrap_dims
from ._checks import scalar_name
from ._declaring import function, functional, linalg, op
from ._families import Along, Transposed
from ._rules import kept_shape
from .arithmetic import direction
from .joining import cat
from .linalg import matmul
from .matrices import check_matrices, check_precision, inv_ex, svdvals
from .selection import where

Order = float | str | None


@op(out_exact=True, inplace=True, axis=True)
def renorm(input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """Each slice of `input` along `dim`, made as short as `maxnorm` if it is longer.

    Args:
        input: tensor of shape `S`.
        p: which norm.
        dim: along which dim slices follow each other.
        maxnorm: the length that none exceeds.

    Returns:
        Tensor of shape `S`.

    Example:
        >>> renorm(tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1.0)
        tensor([[0.6000, 0.8000],
                [0.3000, 0.4000]])
    """
    said = "renorm: input needs at least 2 dimensions, got {ndim} dimensions"
    check.ndim(said, input, 2, "Each slice along dim has a length. Write `x.unsqueeze(1)`.")
    others = [each for each in range(input.ndim) if each != wrap_dim(dim, input.ndim)]
    length = vector_norm(input, p, others, keepdim=True)
    return input * where(length > maxnorm, maxnorm / (length + 1e-7), 1)


class LinalgVectorNorm(Transposed, Along):
    """y = (Σᵢ |xᵢ|^{ord})^{1/ord}        x̄ᵢ = ȳ·sgn xᵢ·(|xᵢ|/y)^{ord − 1}"""

    holomorphic = False

    @staticmethod
    def forward(x, *, ord, dim, keepdim):
        size = np.abs(x)
        if math.isinf(ord):
            return (np.max if ord > 0 else np.min)(size, axis=dim, keepdims=keepdim)
        if ord == 0:
            return (size != 0).sum(axis=dim, keepdims=keepdim, dtype=size.dtype)
        if ord == 1:
            return size.sum(axis=dim, keepdims=keepdim)
        if ord == 2:
            return np.sqrt((size * size).sum(axis=dim, keepdims=keepdim))
        return (size**ord).sum(axis=dim, keepdims=keepdim) ** (1 / ord)

    @staticmethod
    def gradient(grad, x, y, *, ord, dim):
        kept = kept_shape(x.shape, dim)
        y, grad, size, towards = y.reshape(kept), grad.reshape(kept), np.abs(x), direction(x)
        if ord == 0:
            return None  # it changes by steps
        if ord == 1:
            return grad * towards
        if math.isinf(ord):  # evenly split between those that are as large
            here = (size == y) | (x != x)
            count = here.sum(axis=dim, keepdims=True, dtype=grad.dtype)
            return towards * np.where(here, grad / count, 0)
        if ord < 1:
            slopes = np.where(size == 0, 0, size ** (ord - 1))
            return towards * slopes * (grad * y ** (1 - ord))
        if ord == 2:
            return grad * np.where(y == 0, 0, x / y)  # the gradient of this one is nan at 0
        scale = np.where(y == 0, 0, grad / np.where(y == 0, 1, y) ** (ord - 1))
        return towards * size ** (ord - 1) * scale

    @classmethod
    def vmap(cls, info, in_dims, x, *, ord, dim, keepdim):
        """An example without dims is a vector of one element."""
        if x.ndim > 1:
            return super().vmap(info, in_dims, x, ord=ord, dim=dim, keepdim=keepdim)
        return cls.apply(x.reshape(info.batch_size, 1), ord=ord, dim=(1,), keepdim=False)


def _converted(name: str, x: Tensor, dtype: Any) -> Tensor:
    """The tensor in the dtype to compute in."""
    check.tensor(name, x)
    said = f"{name}: Expected a floating point or complex tensor as input. Got {{name}}"
    check.dtype(said, x, "fc", "A length is no whole number. Write `x.float()`.")
    if dtype is None:
        return x
    wanted = as_dtype(dtype)
    said = f"{name}: dtype should be floating point or complex, but got {{name}}"
    check.dtype(said, wanted, "fc", "A length is no whole number. Leave it out.")
    if (wanted.kind == "c") != (x.dtype.kind == "c"):
        kinds = ("complex", "real") if x.dtype.kind == "c" else ("real", "complex")
        raise DTypeError(
            f"{name}: dtype should be {kinds[0]} for {kinds[0]} inputs, but got "
            f"{scalar_name(wanted)}. Only the precision is open. Write another one."
        )
    if wanted.itemsize < x.dtype.itemsize:
        raise DTypeError(
            f"{name}: the dtype of the input ({scalar_name(x.dtype)}) should be convertible "
            f"without narrowing to the specified dtype ({scalar_name(wanted)}). Digits would be "
            f"lost before the sum. Convert the result."
        )
    return x.to(wanted)


@linalg(LinalgVectorNorm, out_exact=True, axis=True)
def vector_norm(
    x: Tensor,
    ord: Order = 2,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
) -> Tensor:
    """The lengths of vectors: (Σᵢ |xᵢ|ᵖ)^(1/p).

    Args:
        x: tensor of shape `S`, real or complex.
        ord: p: 2 for the Euclidean length, inf and -inf for the largest and the smallest element,
            0 for how many elements are not 0.
        dim: the dims that a vector has; None for all of them.
        keepdim: keep those dims, with size 1.
        dtype: to compute in.

    Returns:
        Real tensor of shape `S` without `dim`. The gradient at 0 is 0; for inf and -inf it is
        evenly split between elements that are as large.

    Raises:
        DTypeError: for integers.
        ShapeError: if the largest or smallest of no elements is asked for.

    Example:
        >>> vector_norm(tensor([3.0, 4.0]))
        tensor(5.)

    See also: https://pytorch.org/docs/stable/generated/torch.linalg.vector_norm.html
    """
    name = "linalg.vector_norm"
    x = _converted(name, x, dtype)
    ord = _number(f"{name}(): argument 'ord'", ord)
    dims = reduced(dim, x.ndim)
    if (ord < 0 or math.isinf(ord)) and 0 in [x.shape[each] for each in dims]:
        what = "dimension" if dim is not None else "tensor"
        raise ShapeError(
            f"{name} cannot compute the {ord} norm on an empty {what} because the operation does "
            f"not have an identity. Shape {list(x.shape)} has no element to choose. Check where it "
            "became empty."
        )
    return LinalgVectorNorm.apply(x, ord=ord, dim=dims, keepdim=bool(keepdim))


def _number(said: str, order: Any) -> float:
    """An order as a number, which a 0-d tensor without a gradient is, too."""
    if isinstance(order, Tensor) and not order.ndim and not order.requires_grad:
        order = order.item()
    why = "Those that have names are of matrices. Write `linalg.matrix_norm`."
    check.kind(f"{said} must be Number", order, Real, why)
    return float(order)


@linalg(out_exact=True, axis=True)
def matrix_norm(
    A: Tensor,
    ord: Order = "fro",
    dim: Sequence[int] = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: Any = None,
) -> Tensor:
    """The sizes of matrices.

    Args:
        A: tensor of shape `S`, real or complex.
        ord: "fro" for the length of all elements, "nuc" for the sum of the singular values, 2 and
            -2 for the largest and the smallest of these, 1 and -1 for the largest and the smallest
            sum of a column, inf and -inf for those of a row.
        dim: the dims of the rows and columns.
        keepdim: keep those dims, with size 1.
        dtype: to compute in.

    Returns:
        Real tensor of shape `S` without `dim`.

    Raises:
        LinAlgError: for another order.
        ShapeError: if there are fewer than two dims.
        DTypeError: for integers.

    Example:
        >>> matrix_norm(tensor([[1.0, 2.0], [3.0, 4.0]]), ord=1)
        tensor(6.)

    See also: https://pytorch.org/docs/stable/generated/torch.linalg.matrix_norm.html
    """
    name = "linalg.matrix_norm"
    A = _converted(name, A, dtype)
    check_matrices(name, A, square=False, floats=False)
    dims = _two_dims(name, A, dim)
    if ord == "fro":
        return vector_norm(A, 2, dims, keepdim)
    if ord != "nuc" and ord not in (1, -1, 2, -2, math.inf, -math.inf):
        raise LinAlgError(
            f"{name}: Order {ord} not supported. No matrix norm has it. Write 'fro', 'nuc', inf, "
            "-inf, 1, -1, 2 or -2."
        )
    A = A.movedim(dims, (-2, -1))
    if ord in ("nuc", 2, -2):
        check_precision(name, A)
        found = svdvals(A)
    else:
        found = abs(A).sum(-2 if ord in (1, -1) else -1)
    is_largest = ord in (1, 2, math.inf)
    if ord == "nuc" or (is_largest and not found.shape[-1]):  # the largest of nothing is 0
        size = found.sum(-1)
    else:
        size = found.amax(-1) if is_largest else found.amin(-1)
    for each in sorted(dims) if keepdim else ():
        size = size.unsqueeze(each)
    return size


def _two_dims(name: str, A: Tensor, dim: Any) -> tuple[int, ...]:
    if isinstance(dim, int) or len(dim) != 2:
        raise ShapeError(
            f"{name}: dim must be a 2-tuple. Got {dim}. A matrix has rows and columns. Write "
            "`linalg.vector_norm` for other numbers of dims."
        )
    first, second = [wrap_dims(each, A.ndim)[0] for each in dim]
    if first == second:
        raise ShapeError(
            f"{name}: dims must be different. Got ({dim[0]}, {dim[1]}). A matrix has rows and "
            "columns. Write two dims."
        )
    return first, second


@linalg(out_exact=True, axis=True)
def norm(
    A: Tensor,
    ord: Order = None,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
) -> Tensor:
    """The lengths of vectors, or the sizes of matrices.

    Args:
        A: tensor of shape `S`, real or complex.
        ord: as for `vector_norm`, or as for `matrix_norm`; None for the length of all elements.
        dim: one dim for vectors, two for matrices; None for those of `A`, which has one or two
            then if there is an `ord`.
        keepdim: keep those dims, with size 1.
        dtype: to compute in.

    Returns:
        Real tensor of shape `S` without `dim`.

    Raises:
        ShapeError: if there are other numbers of dims.
        LinAlgError: for an order that does not fit.

    Example:
        >>> from glassgrad.linalg import norm
        >>> norm(tensor([[1.0, 2.0], [3.0, 4.0]]), 1)
        tensor(6.)

    See also: https://pytorch.org/docs/stable/generated/torch.linalg.norm.html
    """
    check.tensor("linalg.norm", A)
    if ord is None:
        return vector_norm(A, 2, dim, keepdim, dtype=dtype)
    several = (dim,) if isinstance(dim, int) else None if dim is None else tuple(dim)
    if several is None and A.ndim not in (1, 2):
        raise ShapeError(
            "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got "
            f"{A.ndim}D. Orders mean one thing for vectors, another for matrices. Write `dim`."
        )
    if several is not None and len(several) not in (1, 2):
        raise ShapeError(
            "linalg.norm: If dim is specified, it must be of length 1 or 2. Got "
            f"{list(several)}. Orders are those of vectors or of matrices. Write one or two dims."
        )
    if (A.ndim if several is None else len(several)) == 2:
        return matrix_norm(A, ord, several or (-2, -1), keepdim, dtype=dtype)
    if isinstance(ord, str):
        raise ShapeError(
            f"linalg.matrix_norm: The input tensor A must have at least 2 dimensions: {ord!r} is "
            f"an order of matrices, and there is one dim. Write a number."
        )
    return vector_norm(A, ord, several, keepdim, dtype=dtype)


@op(name="norm", out=True)
def _norm(
    input: Tensor,
    p: Order = "fro",
    dim: Dims = None,
    keepdim: bool = False,
    dtype: Any = None,
) -> Tensor:
    """The length of all elements, or of those along some dims.

    Args:
        input: tensor of shape `S`, real or complex.
        p: a number as for `linalg.vector_norm`, "fro" for 2, "nuc" for the sum of singular values.
        dim: the dims of a vector; None for all.
        keepdim: keep those dims, with size 1.
        dtype: to compute in.

    Returns:
        Real tensor of shape `S` without `dim`.

    Example:
        >>> tensor([3.0, 4.0]).norm()
        tensor(5.)
    """
    p = "fro" if p is None else p
    is_of_several = dim is not None and not isinstance(dim, int) and len(dim) > 2
    if isinstance(p, str) and (p != "fro" or is_of_several):
        dims: Any = tuple(range(input.ndim)) if dim is None else dim
        return matrix_norm(input, p, dims, keepdim, dtype=dtype)
    p = 2 if p == "fro" else p
    return vector_norm(input, p, dim, keepdim, dtype=dtype)


@linalg(out_exact=True)
def cond(A: Tensor, p: Order = None) -> Tensor:
    """How much matrices can enlarge relative errors: the size of each, times that of its inverse.

    Args:
        A: shape `(…, n, n)`; for the orders 2 and -2, and None, `(…, n, m)`.
        p: the order of `matrix_norm`; None for 2.

    Returns:
        Real tensor of shape `(…)`; inf for singular matrices.

    Raises:
        LinAlgError: for another order.
        ShapeError, DTypeError: if they are no matrices of floats.

    Example:
        >>> cond(tensor([[2.0, 0.0], [0.0, 4.0]]))
        tensor(2.)
    """
    is_number = p is None or isinstance(p, (int, float))
    name = "linalg.cond" if is_number else f"linalg.cond(ord={p})"
    check_matrices(name, A, square=False)
    if is_number and not A.numel():
        return A.abs().sum((-2, -1))
    if p in (None, 2, -2):
        values = svdvals(A)
        largest, smallest = values[..., 0], values[..., -1]
        return smallest / largest if p == -2 else largest / smallest
    check_matrices(name, A)
    inverse, info = inv_ex(A)
    return where(info != 0, math.inf, matrix_norm(A, p) * matrix_norm(inverse, p))


# Distances ----------------------------------------------------------------------------------------


@op()
def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """The length of the difference of two tensors.

    Args:
        input, other: tensors of shapes that broadcast.
        p: the order of `linalg.vector_norm`.

    Returns:
        0-d tensor.

    Example:
        >>> dist(tensor([1.0, 2.0]), tensor([4.0, 6.0]))
        tensor(5.)
    """
    return vector_norm(input - other, _number("dist(): argument 'p'", p))


_MANY = 25
"""From so many points on, Euclidean distances are made of one product of matrices."""

_MODES = (
    "use_mm_for_euclid_dist_if_necessary",
    "use_mm_for_euclid_dist",
    "donot_use_mm_for_euclid_dist",
)


@function()
def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str = _MODES[0]) -> Tensor:
    """The distances of all points of one set from all of another.

    Args:
        x1: shape `(…, n, d)`.
        x2: shape `(…, m, d)`; dims in front broadcast.
        p: the order of `linalg.vector_norm`, not negative.
        compute_mode: whether Euclidean distances are made of |x|² − 2·x·y + |y|²: by itself if n
            or m is more than 25; with the name "donot_use_mm_for_euclid_dist" never.

    Returns:
        Tensor of shape `(…, n, m)`. The gradient at 0 is 0.

    Raises:
        ShapeError: if the points have not as many coordinates as each other.

    Example:
        >>> cdist(tensor([[0.0, 0.0]]), tensor([[3.0, 4.0], [0.0, 1.0]]))
        tensor([[5., 1.]])

    See also: https://pytorch.org/docs/stable/generated/torch.cdist.html
    """
    for number, x in ((1, x1), (2, x2)):
        check.tensor("cdist", x)
        said = f"cdist only supports at least 2D tensors, X{number} got: {{ndim}}D"
        check.ndim(said, x, 2, "Points are rows. Write `x.unsqueeze(0)` for one.")
    said = "X1 and X2 must have the same number of columns. X1: {0} X2: {1}. Each is a coordinate"
    check.equal(said, x1.shape[-1], x2.shape[-1], "Leave out those that are too many.")
    check.least("cdist only supports non-negative p values", p, 0, "Write 2 for the usual one.")
    said = "{} is not a valid value for compute_mode"
    check.choice(said, compute_mode, _MODES, f"Write one of {_MODES}.", ShapeError)
    is_large = x1.shape[-2] > _MANY or x2.shape[-2] > _MANY
    if p == 2 and (compute_mode == _MODES[1] or (compute_mode == _MODES[0] and is_large)):
        squares = x1.square().sum(-1, keepdim=True), x2.square().sum(-1, keepdim=True)
        left = cat([-2 * x1, squares[0], squares[0].new_ones(squares[0].shape)], -1)
        right = cat([x2, squares[1].new_ones(squares[1].shape), squares[1]], -1)
        distances = matmul(left, right.mT).clamp_min(0)
        is_zero = distances.detach() == 0  # where a root has no slope
        return distances.masked_fill(is_zero, 1).sqrt().masked_fill(is_zero, 0)
    return vector_norm(x1.unsqueeze(-2) - x2.unsqueeze(-3), p, -1)


@function(aliases=("nn.functional.pdist",))
def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """The distances of each two points of a set.

    Args:
        input: shape `(n, d)`.
        p: the order of `linalg.vector_norm`, not negative.

    Returns:
        Tensor of shape `(n·(n − 1)/2,)`: those from the first point, those from the second one to
        later ones, and so on.

    Raises:
        ShapeError: for another number of dims.

    Example:
        >>> pdist(tensor([[0.0, 0.0], [3.0, 4.0]]))
        tensor([5.])
    """
    said = "pdist only supports 2D tensors, got: {ndim}D"
    check.ndim(said, input, (2,), "Points are rows. Write `x.reshape(n, d)`.")
    check.least("pdist only supports non-negative p values", p, 0, "Write 2 for the usual one.")
    first, second = np.triu_indices(input.shape[0], 1)
    ends = [input.new_tensor(each, dtype=np.int64) for each in (first, second)]
    return vector_norm(input[ends[0]] - input[ends[1]], p, -1)


@functional(aliases=("pairwise_distance",))
def pairwise_distance(
    x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Tensor:
    """The distances of points from those at the same place.

    Args:
        x1, x2: tensors of shapes that broadcast to `S`; a point lies in the last dim.
        p: the order of `linalg.vector_norm`.
        eps: added to each difference, so that none is 0.
        keepdim: keep the last dim, with size 1.

    Returns:
        Tensor of shape `S` without its last dim.

    Example:
        >>> pairwise_distance(tensor([1.0, 2.0]), tensor([4.0, 6.0]))
        tensor(5.0000)
    """
    return vector_norm(x1 - x2 + eps, p, -1, keepdim)


@function(aliases=("nn.functional.cosine_similarity",), axis=True)
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosines of the angles between vectors.

    Args:
        x1, x2: tensors of shapes that broadcast to `S`.
        dim: in which the vectors lie.
        eps: the least length that a vector is divided by.

    Returns:
        Tensor of shape `S` without `dim`.

    Raises:
        DTypeError: if none is of floats.

    Example:
        >>> cosine_similarity(tensor([[1.0, 0.0]]), tensor([[1.0, 1.0]]))
        tensor([0.7071])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.cosine_similarity.html
    """
    products = x1 * x2
    said = "expected common dtype to be floating point, yet common dtype is {name}"
    check.dtype(said, products, "fc", "A cosine is no whole number. Write `x.float()`.")
    parts = []
    for given in (x1, x2):
        x = given.to(products.dtype).expand(products.shape)
        length = vector_norm(x, 2, dim, True)
        parts.append(x / (length + (length.clamp_min(eps) - length).detach()))
    return (parts[0] * parts[1]).sum(dim)


@functional(out=True)
def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """Vectors divided by their lengths.

    Args:
        input: tensor of shape `S`.
        p: the order of `linalg.vector_norm`.
        dim: in which the vectors lie.
        eps: the least length that a vector is divided by.

    Returns:
        Tensor of shape `S`.

    Example:
        >>> normalize(tensor([[3.0, 4.0]]))
        tensor([[0.6000, 0.8000]])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.normalize.html
    """
    return input / vector_norm(input, p, dim, True).clamp_min(eps).expand_as(input)
