"""Products of vectors, matrices and stacks of matrices; `linear`; Einstein summation.

    einsum("ij,jk->ik", x, y)        z_ik = Σ_j x_ij·y_jk

An equation is parsed into one letter per dim; an ellipsis becomes letters, too. Operands are
contracted two at a time, from left to right. The gradient of an operand is an einsum again: the
equation with the result's letters and the operand's letters exchanged.
"""

import functools
import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from glassgrad import ops
from glassgrad.core.errors import DTypeError, ShapeError
from glassgrad.core.primitive import Primitive
from glassgrad.core.state import Shape, Values
from glassgrad.core.tensor import Tensor
from glassgrad.memory.calls import warn
from glassgrad.values.backend import in_rows
from glassgrad.values.gradients import sum_to
from glassgrad.values.layers import array_of
from glassgrad.values.operands import broadcast_text

from . import _checks as check
from ._arguments import wrap_dim, wrap_dims
from ._checks import c_name
from ._declaring import function, functional, linalg, of_numpy, op
from ._families import Along, Multilinear
from ._rules import lined_up, run, total
from .arithmetic import Add, mul
from .shape import UnsafeView


def unfit(
    a: Shape, b: Shape, remedy: str = "Transpose one of them, for example `x @ y.T`."
) -> ShapeError:
    """The error for operands of these shapes, folded to two matrices as PyTorch folds them."""
    rows, columns = b[-2:] if len(b) > 1 else (b[0], 1)
    sizes = f"({math.prod(a[:-1])}x{a[-1]} and {rows}x{columns})"
    return ShapeError(
        f"mat1 and mat2 shapes cannot be multiplied {sizes}. Rows of {a[-1]} meet columns of "
        f"{rows}. {remedy}"
    )


def check_ranks(sentence: str, *wanted: tuple[Tensor, int]) -> None:
    """Raise ShapeError with `sentence` unless each of the tensors has so many dims."""
    for x, rank in wanted:
        if x.ndim != rank:
            raise ShapeError(
                f"{sentence}. Shape mismatch: it has the shape {tuple(x.shape)}. Write `x @ y`, "
                "which takes all ranks, or reshape it."
            )


def check_factors(name: str, x: Tensor, y: Tensor) -> None:
    """Raise DTypeError unless both factors have one dtype."""
    if name == "linear":
        said = "mat1 and mat2 must have the same dtype, but got {} and {}"
        check.one_dtype(x, y, said, called="weight")
    said = f"{name} : expected both tensors to have same dtype, but found {{}} and {{}}"
    check.one_dtype(x, y, said)


def transposed(x: Any) -> Any:
    """The last two dims swapped."""
    return x.swapaxes(-1, -2)


def stacked_product(x: Any, y: Any) -> Any:
    """`x @ y` of stacks of matrices.

    NumPy makes each product of a stack by itself. Where nothing is summed, since the inner dim has
    size 1, one multiplication makes all of them; the gradients of weights for each example of a
    batch are such a stack.
    """
    return x * y if x.ndim > 1 < y.ndim and x.shape[-1] == 1 else x @ y


class Mm(Multilinear):
    """Z = X·Y        X̄ = Z̄·Yᵀ,  Ȳ = Xᵀ·Z̄"""

    kernel, kinds = "addmm_impl_cpu_", "iufc"
    saves = ("self", "mat2")
    saved_if = {"self": 1, "mat2": 0}

    @staticmethod
    def forward(x, y):
        return x @ y

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return (
            None if y is None else grad @ transposed(y),
            None if x is None else transposed(x) @ grad,
        )

    @classmethod
    def vmap(cls, info, in_dims, x, y):
        """A batch of rows times one matrix is one product; so is one matrix times columns."""
        if in_dims == (0, 0):
            return Bmm.apply(x, y)
        if in_dims[1] is None:
            n, rows, m = x.shape
            return Mm.apply(x.reshape(n * rows, m), y).reshape(n, rows, y.shape[1])
        n, m, k = y.shape
        columns = y.movedim(0, 1).reshape(m, n * k)
        return Mm.apply(x, columns).reshape(x.shape[0], n, k).movedim(1, 0)

    @classmethod
    def explain(cls, error, values):
        """The shapes say it all."""
        return unfit(*[value.shape for value in values])


@op(out=True)
def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices.

    Args:
        input: shape `(n, m)`.
        mat2: shape `(m, k)`, of the same dtype.

    Returns:
        Tensor of shape `(n, k)`.

    Raises:
        ShapeError: for other shapes.
        DTypeError: if the dtypes differ.

    Example:
        >>> mm(tensor([[1.0, 2.0]]), tensor([[3.0], [4.0]]))
        tensor([[11.]])

    See also: https://pytorch.org/docs/stable/generated/torch.mm.html
    """
    check_ranks("self must be a matrix", (input, 2))
    check_ranks("mat2 must be a matrix", (mat2, 2))
    return matmul(input, mat2)


class Mv(Mm):
    """z = X·y        X̄ = z̄·yᵀ,  ȳ = Xᵀ·z̄"""

    kernel = "addmv_impl_cpu"
    saves = ("self", "vec")
    saved_if = {"self": 1, "vec": 0}

    @staticmethod
    def backward(ctx, grad):
        x, v = ctx.saved_tensors
        return (
            None if v is None else grad[:, None] * v,
            None if x is None else transposed(x) @ grad,
        )

    @classmethod
    def vmap(cls, info, in_dims, x, v):
        z = Mm.vmap(info, in_dims, x, v[..., None])
        return z.squeeze(-1)


@op(Mv, out=True)
def mv(input: Tensor, vec: Tensor) -> Tensor:
    """The product of a matrix and a vector.

    Args:
        input: shape `(n, m)`.
        vec: shape `(m,)`, of the same dtype.

    Returns:
        Tensor of shape `(n,)`.

    Raises:
        ShapeError: for other shapes.
        DTypeError: if the dtypes differ.

    Example:
        >>> mv(tensor([[1.0, 2.0], [3.0, 4.0]]), tensor([1.0, 1.0]))
        tensor([3., 7.])
    """
    ranks = f"{input.ndim}, {vec.ndim}, 1"
    check_ranks(f"vector + matrix @ vector expected, got {ranks}", (input, 2), (vec, 1))
    check_factors("mv", input, vec)
    if input.payload.shape[1] != vec.payload.shape[0]:
        n, m = input.shape
        error = ShapeError(
            f"size mismatch, got input ({n}), mat ({n}x{m}), vec ({vec.shape[0]}). Each row of "
            "the matrix meets the vector. Give the vector as many elements as a row has."
        )
        raise check.named(error)
    return Mv.apply(input, vec)


class Dot(Mm):
    """z = xᵀ·y        x̄ = z̄·y,  ȳ = z̄·x"""

    kernel = "dot"
    saves = ("self", "tensor")
    saved_if = {"self": 1, "tensor": 0}

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return None if y is None else grad * y, None if x is None else grad * x

    @classmethod
    def vmap(cls, info, in_dims, x, y):
        z = Mm.vmap(info, in_dims, x[..., None, :], y[..., None])
        return z.squeeze((-2, -1))


@op(Dot, out=True)
def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """The inner product of two vectors.

    Args:
        input, tensor: both of shape `(n,)` and of one dtype.

    Returns:
        0-d tensor.

    Raises:
        ShapeError: for other shapes.
        DTypeError: if the dtypes differ.

    Example:
        >>> dot(tensor([1.0, 2.0]), tensor([3.0, 4.0]))
        tensor(11.)
    """
    ranks = f"{input.ndim}D and {tensor.ndim}D"
    check_ranks(f"1D tensors expected, but got {ranks} tensors", (input, 1), (tensor, 1))
    check_factors("dot", input, tensor)
    n, m = input.shape[0], tensor.shape[0]
    if n != m:
        raise ShapeError(
            f"inconsistent tensor size, expected tensor [{n}] and src [{m}] to have the same "
            f"number of elements, but got {n} and {m} elements respectively. Each element needs "
            "a partner. Cut or pad one of them."
        )
    return Dot.apply(input, tensor)


class Bmm(Mm):
    """Z = X·Y        X̄ = Z̄·Yᵀ,  Ȳ = Xᵀ·Z̄"""

    kernel = "bmm"

    @staticmethod
    def forward(x, y):
        return stacked_product(x, y)

    @classmethod
    def vmap(cls, info, in_dims, x, y):
        return MatMul.apply(x, y)  # stacks of stacks broadcast


@op(Bmm, out_exact=True)
def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """The products of two stacks of matrices, one by one.

    Args:
        input: shape `(b, n, m)`.
        mat2: shape `(b, m, k)`, of the same dtype.

    Returns:
        Tensor of shape `(b, n, k)`.

    Raises:
        ShapeError: for other shapes.
        DTypeError: if the dtypes differ.

    Example:
        >>> bmm(tensor([[[1.0, 2.0]]]), tensor([[[3.0], [4.0]]]))
        tensor([[[11.]]])
    """
    check_ranks("batch1 must be a 3D tensor", (input, 3))
    check_ranks("batch2 must be a 3D tensor", (mat2, 3))
    check_factors("bmm", input, mat2)
    wanted, got = [input.shape[0], input.shape[2]], list(mat2.shape[:2])
    if wanted != got:
        raise ShapeError(
            f"Expected size for first two dimensions of batch2 tensor to be: {wanted} but got: "
            f"{got}. Matrix i of one stack meets matrix i of the other. Write `x @ y` to "
            "broadcast stacks."
        )
    return Bmm.apply(input, mat2)


class MatMul(Multilinear):
    """Z = X·Y        X̄ = Z̄·Yᵀ,  Ȳ = Xᵀ·Z̄"""

    kernel, kinds = "bmm", "iufc"
    saves = ("self", "other")
    copied = saves  # PyTorch saves views of both
    broadcasts = True

    @staticmethod
    def forward(x, y):
        return stacked_product(x, y)

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        wants_x, wants_y = ctx.needs_input_grad
        if y.ndim == 1:  # a stack of X·v
            grad = grad[..., None]
            x_bar = grad * y if wants_x else None
            return x_bar, (transposed(x) @ grad)[..., 0] if wants_y else None
        if x.ndim == 1:  # a stack of vᵀ·Y
            x_bar = (y @ grad[..., None])[..., 0] if wants_x else None
            return x_bar, x[:, None] * grad[..., None, :] if wants_y else None
        return (
            grad @ transposed(y) if wants_x else None,
            transposed(x) @ grad if wants_y else None,
        )

    @classmethod
    def vmap(cls, info, in_dims, x, y):
        """A batch of vectors is one of rows on the left, and one of columns on the right."""
        x_rank, y_rank = x.ndim - (in_dims[0] == 0), y.ndim - (in_dims[1] == 0)
        if x_rank == 1:
            x = x[..., None, :]
        if y_rank == 1:
            y = y[..., None]
        z = cls.apply(*lined_up((x, y), in_dims))
        return z.squeeze(-2) if x_rank == 1 else z.squeeze(-1) if y_rank == 1 else z


@op(
    MatMul,
    Mm,
    aliases=("linalg.matmul",),
    numpy=(np.matmul, np.dot),
    out_exact=True,
    sign="matmul",
)
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """The matrix product `input @ other`.

    Args:
        input: shape `(…, n, m)` or `(m,)`.
        other: shape `(…, m, k)` or `(m,)`, of the same dtype; the dims in front broadcast.

    Returns:
        Tensor of shape `(…, n, k)`; a vector's dim of size 1 is left out.

    Raises:
        ShapeError: if the shapes do not fit.
        DTypeError: if the dtypes differ.
        ArgumentTypeError: for anything but tensors.

    Example:
        >>> matmul(tensor([[1.0, 2.0], [3.0, 4.0]]), tensor([1.0, 1.0]))
        tensor([3., 7.])

    See also: https://pytorch.org/docs/stable/generated/torch.matmul.html
    """
    try:
        a, b = input.payload, other.payload
    except AttributeError:
        raise check.not_a_tensor("matmul", input=input, other=other)
    if a.ndim == 2 == b.ndim:
        if a.dtype is not b.dtype:
            said = "expected m1 and m2 to have the same dtype, but got: {} != {}"
            check.one_dtype(input, other, said, names=c_name)
        try:
            return Mm.apply(input, other)
        except ShapeError as error:
            check.told(error)
            raise
    if b.ndim == 1 and a.ndim in (1, 2):
        return dot(input, other) if a.ndim == 1 else mv(input, other)
    if not a.ndim or not b.ndim:
        raise ShapeError(
            f"both arguments to matmul need to be at least 1D, but they are {a.ndim}D and "
            f"{b.ndim}D. A number has no rows. Write `x * y`."
        )
    check_factors("matmul", input, other)
    if a.shape[-1] != b.shape[-2 if b.ndim > 1 else 0]:
        raise unfit(a.shape, b.shape)
    ahead, behind = a.shape[:-2], b.shape[:-2]
    if ahead and behind and ahead != behind:
        try:
            np.broadcast_shapes(ahead, behind)
        except ValueError:
            raise ShapeError(
                f"{broadcast_text(ahead, behind)} matmul() got the shapes {a.shape} and {b.shape}: "
                "the dims before the matrices broadcast. Give them one size, or size 1."
            )
    return MatMul.apply(input, other)


@op(aliases=("ger",), out=True)
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """All products of an element of `input` and one of `vec2`.

    Args:
        input: shape `(n,)`.
        vec2: shape `(m,)`.

    Returns:
        Tensor of shape `(n, m)`, of the promoted dtype.

    Raises:
        ShapeError: for other shapes.

    Example:
        >>> outer(tensor([1.0, 2.0]), tensor([3.0, 4.0]))
        tensor([[3., 4.],
                [6., 8.]])
    """
    for x in (input, vec2):
        check_ranks(f"outer: Expected 1-D argument, but got {x.ndim}-D", (x, 1))
    return input.reshape(-1, 1) * vec2


@of_numpy(np.outer)
def _numpy_outer(a: Any, b: Any) -> Tensor:
    return outer(ops.as_tensor(a), ops.as_tensor(b))


class Linear(Primitive):
    """Y = X·Wᵀ + b        dY = dX·Wᵀ + X·dWᵀ + db        X̄ = Ȳ·W,  W̄ = Ȳᵀ·X,  b̄ⱼ = Σᵢ Ȳᵢⱼ"""

    kernel, kinds = "addmm_impl_cpu_", "iufc"
    saves = ("input", "weight")
    copied = ("weight",)  # PyTorch saves a transposed view, which `weight.data = y` leaves alone
    saved_if = {"input": 1, "weight": 0}

    @staticmethod
    def forward(x, weight, *bias):
        ahead = x.shape[:-1]
        if len(ahead) > 1:  # rows of one matrix: NumPy would make a product for each of a stack
            x = x.reshape(math.prod(ahead), x.shape[-1])
        y = np.dot(x, transposed(weight))  # of small matrices in less time than `@`
        for each in bias:
            y += each
        return y.reshape(*ahead, y.shape[-1]) if len(ahead) > 1 else y

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        shape = grad.shape
        if grad.ndim != 2:  # a matrix: one row per example
            grad = grad.reshape(-1, grad.shape[-1])
            x = None if x is None else x.reshape(-1, x.shape[-1])
        x_bar = None if weight is None else np.dot(grad, weight)
        if x_bar is not None and len(shape) != 2:
            x_bar = x_bar.reshape(*shape[:-1], x_bar.shape[-1])
        w_bar = None if x is None else np.dot(transposed(grad), x)
        biases = [None if edge is None else grad.sum(axis=0) for edge in ctx.edges[2:]]
        return (x_bar, w_bar, *biases)

    @staticmethod
    def jvp(ctx, dx, dw, *db):
        x, weight = ctx.saved_tensors
        moved_x = None if dx is None else dx @ transposed(weight)
        return total([moved_x, None if dw is None else x @ transposed(dw), *db])

    @classmethod
    def vmap(cls, info, in_dims, x, weight, *bias):
        if in_dims[1:].count(None) == len(in_dims) - 1:  # a batch of inputs alone
            return cls.apply(x, weight, *bias)
        columns = transposed(weight)
        y = MatMul.vmap(info, in_dims[:2], x, columns)
        if not bias:
            return y
        return Add.vmap(info, (None if in_dims[:2] == (None, None) else 0, in_dims[2]), y, *bias)


@functional()
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`input @ weight.T + bias`, as one op.

    Args:
        input: shape `(…, in)`.
        weight: shape `(out, in)`; or `(in,)` for one output without a dim, and no bias.
        bias: shape `(out,)`, one number for all outputs, or None.

    Returns:
        Tensor of shape `(…, out)`.

    Raises:
        ShapeError: if the shapes do not fit.
        DTypeError: if the dtypes differ.

    Example:
        >>> linear(tensor([1.0, 2.0]), tensor([[1.0, 1.0], [0.0, 3.0]]), tensor([0.5, 0.0]))
        tensor([3.5000, 6.0000])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.linear.html
    """
    try:
        a, b = input.payload, weight.payload
    except AttributeError:
        raise check.not_a_tensor("linear", input=input, weight=weight)
    if b.ndim == 1 and bias is None:
        return matmul(input, weight)
    if b.ndim != 2 or not a.ndim:
        raise ShapeError(
            f"linear() got an input of shape {a.shape} and a weight of shape {b.shape}. It "
            "multiplies rows with a matrix. Give an input (…, in) and a weight (out, in)."
        )
    if a.shape[-1] != b.shape[1]:
        raise unfit(a.shape, b.shape[::-1], f"Give an input whose last dim is {b.shape[1]}.")
    if a.dtype is not b.dtype:
        check_factors("linear", input, weight)
    if bias is None:
        return Linear.apply(input, weight)
    if bias.payload.dtype is not a.dtype:
        check_factors("linear", input, bias)
    if bias.payload.shape != b.shape[:1]:
        if bias.payload.shape not in ((), (1,)):
            raise ShapeError(
                f"linear() got a bias of shape {tuple(bias.shape)}, expected ({b.shape[0]},). Each "
                "output has one. Give it as many elements as the weight has rows."
            )
        bias = bias.expand(b.shape[0])
    return Linear.apply(input, weight, bias)


class LinalgCross(Multilinear, Along):
    """z = x × y        x̄ = y × z̄,  ȳ = z̄ × x"""

    saves = ("self", "other")
    saved_if = {"self": 1, "other": 0}
    broadcasts = True

    @staticmethod
    def forward(x, y, *, dim):
        # Coordinate i is xᵢ₊₁·yᵢ₊₂ − xᵢ₊₂·yᵢ₊₁, counted around.
        forwards = np.roll(x, -1, axis=dim) * np.roll(y, 1, axis=dim)
        return in_rows(forwards - np.roll(x, 1, axis=dim) * np.roll(y, -1, axis=dim))

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return (
            None if y is None else run(LinalgCross, y, grad, dim=ctx.dim),
            None if x is None else run(LinalgCross, grad, x, dim=ctx.dim),
        )


@op(LinalgCross, out_exact=True)
def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """The vectors at right angles to two others in space, as long as the area between them.

    Args:
        input, other: tensors of as many dims, of size 3 in `dim`; the other dims broadcast.
        dim: the dim of the vectors; None: the first one of size 3, with a warning.

    Returns:
        Tensor of the shape that both broadcast to, of the promoted dtype.

    Raises:
        ShapeError: if the shapes do not fit, or no dim has size 3.
        DimError: if there is no such dim.

    Example:
        >>> cross(tensor([1.0, 0.0, 0.0]), tensor([0.0, 1.0, 0.0]), dim=0)
        tensor([0., 0., 1.])

    See also: https://pytorch.org/docs/stable/generated/torch.cross.html
    """
    shapes = f"{list(input.shape)} and {list(other.shape)}"
    said = f"linalg.cross: inputs must have the same number of dimensions, got the shapes {shapes}"
    why = "Their vectors lie in one dim. Write `x.unsqueeze(0)` for the shorter."
    check.equal(said, input.ndim, other.ndim, why)
    at = _first_of_three(input) if dim is None else wrap_dim(dim, input.ndim)
    sizes = [x.shape[at] if x.ndim else 1 for x in (input, other)]
    if sizes != [3, 3]:
        raise ShapeError(
            f"linalg.cross: inputs dimension {at if dim is None else dim} must have length 3. Got "
            f"{sizes[0]} and {sizes[1]}, in the shapes {shapes}. Only in space is there one "
            "direction at right angles to two. Write the dim of the vectors."
        )
    return LinalgCross.apply(input, other, dim=at)


@of_numpy(np.cross)
def _numpy_cross(a: Any, b: Any, axis: int = -1) -> Tensor:
    return cross(ops.as_tensor(a), ops.as_tensor(b), axis)


def _first_of_three(input: Tensor) -> int:
    if 3 not in input.shape:
        raise ShapeError(
            f"no dimension of size 3 in input, of shape {list(input.shape)}. Vectors in space have "
            "three coordinates. Write a 0 for those that are missing."
        )
    warn(
        "Using torch.cross without specifying the dim arg is deprecated: it takes the first dim "
        "of size 3, whatever it means. Please pass the dim explicitly: `cross(x, y, dim=-1)`."
    )
    return input.shape.index(3)


@op(out=True)
def inner(input: Tensor, other: Tensor) -> Tensor:
    """The dot products of all vectors of one tensor with all of another; they lie in the last dim.

    Args:
        input: shape `(…, n)`, or a 0-d tensor.
        other: shape `(…, n)`, of the same dtype, or a 0-d tensor.

    Returns:
        Tensor of the shapes without their last dims, one behind the other; the ordinary product
        if one of them is a 0-d tensor.

    Raises:
        ShapeError: if the vectors are not as long as each other.
        DTypeError: if the dtypes differ.

    Example:
        >>> inner(tensor([[1.0, 2.0], [3.0, 4.0]]), tensor([1.0, 1.0]))
        tensor([3., 7.])

    See also: https://pytorch.org/docs/stable/generated/torch.inner.html
    """
    if not input.ndim or not other.ndim:
        return mul(input, other)
    n = input.shape[-1]
    if n != other.shape[-1]:
        raise ShapeError(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{list(input.shape)} and {list(other.shape)}. Each coordinate of a vector meets one "
            "of the other. Write `x @ y` for rows and columns."
        )
    check.one_dtype(input, other, "inner(): both inputs should have same dtype, got {} and {}")
    ahead, behind = input.shape[:-1], other.shape[:-1]
    if input.ndim == other.ndim == 1:
        return dot(input, other)
    rows, columns = input.reshape(math.prod(ahead), n), other.reshape(math.prod(behind), n)
    return mm(rows, columns.t()).reshape(*ahead, *behind)


@of_numpy(np.inner)
def _numpy_inner(a: Any, b: Any) -> Tensor:
    return inner(ops.as_tensor(a), ops.as_tensor(b))


@linalg(name="cross", out_exact=True)
def _linalg_cross(input: Tensor, other: Tensor, *, dim: int = -1) -> Tensor:
    """`cross`, of the last dim if no other is given.

    Example:
        >>> glassgrad.linalg.cross(tensor([1.0, 0.0, 0.0]), tensor([0.0, 1.0, 0.0]))
        tensor([0., 0., 1.])
    """
    return cross(input, other, dim)


# More than two operands, more than two dims -------------------------------------------------------


def _added(input: Tensor, product: Tensor, beta: Any, alpha: Any) -> Tensor:
    """`beta·input + alpha·product`, in the shape of the product."""
    said = "self and mat2 must have the same dtype, but got {} and {}"
    check.one_dtype(input, product, said, "A sum is computed")
    if product.dtype.kind in "iub":
        kind = bool if product.dtype.kind == "b" else int
        beta, alpha = kind(beta), kind(alpha)
        check.number(product.dtype, beta)
        check.number(product.dtype, alpha)
    stretched = input.expand(product.shape)
    if alpha != 1:
        product = product * alpha
    if beta == 0:  # what is not finite in `input` does not count
        return product
    return product + (stretched if beta == 1 else stretched * beta)


@op(out=True, inplace=True)
def addmm(
    input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1
) -> Tensor:
    """`beta·input + alpha·(mat1 @ mat2)`.

    Args:
        input: tensor of a shape that stretches to `(n, k)`.
        mat1, mat2: shapes `(n, m)` and `(m, k)`.
        beta, alpha: numbers.

    Returns:
        Tensor of shape `(n, k)`.

    Raises:
        ShapeError, DTypeError: if shapes or dtypes do not fit.

    Example:
        >>> addmm(tensor([1.0]), tensor([[2.0]]), tensor([[3.0]]), alpha=2)
        tensor([[13.]])
    """
    return _added(input, mm(mat1, mat2), beta, alpha)


@op(out=True, inplace=True, inplace_function=True)
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """`beta·input + alpha·(mat @ vec)`; see `addmm`.

    Example:
        >>> addmv(tensor([1.0]), tensor([[2.0]]), tensor([3.0]))
        tensor([7.])
    """
    return _added(input, mv(mat, vec), beta, alpha)


@op(out=True, inplace=True)
def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """`beta·input + alpha·outer(vec1, vec2)`; see `addmm`.

    Example:
        >>> addr(tensor([1.0]), tensor([2.0]), tensor([3.0]))
        tensor([[7.]])
    """
    product = outer(vec1, vec2)
    for name, factor in (("beta", beta), ("alpha", alpha)):
        if product.dtype.kind in "iu" and isinstance(factor, float):
            raise DTypeError(
                f"For integral input tensors, argument {name} must not be a floating point number. "
                f"It is {factor}, and a fraction would be lost. Write `x.float()`."
            )
    return _added(input.to(product.dtype), product, beta, alpha)


@op(out=True, inplace=True)
def baddbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1
) -> Tensor:
    """`beta·input + alpha·bmm(batch1, batch2)`; see `addmm`.

    Example:
        >>> baddbmm(tensor([1.0]), tensor([[[2.0]]]), tensor([[[3.0]]]))
        tensor([[[7.]]])
    """
    return _added(input, bmm(batch1, batch2), beta, alpha)


@op(out=True, inplace=True)
def addbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1
) -> Tensor:
    """`beta·input + alpha·bmm(batch1, batch2).sum(0)`; see `addmm`.

    Example:
        >>> addbmm(tensor([1.0]), tensor([[[2.0]]]), tensor([[[3.0]]]))
        tensor([[7.]])
    """
    return _added(input, bmm(batch1, batch2).sum(0), beta, alpha)


@op(out=True)
def vdot(input: Tensor, other: Tensor) -> Tensor:
    """The inner product of two vectors; the elements of the first one are conjugated.

    Args:
        input, other: both of shape `(n,)` and of one dtype.

    Returns:
        0-d tensor.

    Raises:
        ShapeError, DTypeError: if shapes or dtypes do not fit.

    Example:
        >>> vdot(tensor([1j]), tensor([1j]))
        tensor(1.+0.j)
    """
    return dot(input.conj(), other)


@linalg(out=True)
def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """The inner products of vectors; the elements of the first ones are conjugated.

    Args:
        x, y: tensors of shapes that broadcast to `S`.
        dim: in which the vectors lie.

    Returns:
        Tensor of shape `S` without `dim`.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: if the dtypes differ.

    Example:
        >>> vecdot(tensor([[1.0, 2.0], [3.0, 4.0]]), tensor([1.0, 1.0]))
        tensor([3., 7.])
    """
    check.one_dtype(x, y, "linalg.vecdot: Expected tensors of the same dtype, got {} and {}")
    return (x.conj() * y).sum(dim)


@op(out=True)
def kron(input: Tensor, other: Tensor) -> Tensor:
    """The Kronecker product: each element of `input` times all of `other`, in its place.

    Args:
        input, other: tensors; one with fewer dims gets dims of size 1 in front.

    Returns:
        Tensor whose sizes are the products of theirs, of the promoted dtype.

    Example:
        >>> kron(tensor([1, 2]), tensor([1, 10]))
        tensor([ 1, 10,  2, 20])
    """
    rank = max(input.ndim, other.ndim)
    sizes = [(1,) * (rank - x.ndim) + tuple(x.shape) for x in (input, other)]
    outer_shape = [n for size in sizes[0] for n in (size, 1)]
    inner_shape = [n for size in sizes[1] for n in (1, size)]
    whole = [n * m for n, m in zip(*sizes, strict=True)]
    product = input.reshape(outer_shape) * other.reshape(inner_shape)
    return UnsafeView.apply(product.contiguous(), size=tuple(whole))


@function(out=True)
def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """The products of two tensors, summed over pairs of dims.

    Args:
        a, b: tensors of one dtype.
        dims: how many of the last dims of `a` meet the first ones of `b`; or two lists, which say
            for each pair its dim of `a` and its dim of `b`. A dim of size 1 is stretched.

    Returns:
        Tensor of the other dims of `a`, and behind them those of `b`.

    Raises:
        ShapeError: if the sizes do not fit.
        DTypeError: if the dtypes differ.

    Example:
        >>> tensordot(tensor([[1.0, 2.0], [3.0, 4.0]]), tensor([1.0, 1.0]), dims=1)
        tensor([3., 7.])

    See also: https://pytorch.org/docs/stable/generated/torch.tensordot.html
    """
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if isinstance(dims, int):
        if not 0 <= dims <= min(a.ndim, b.ndim):
            raise ShapeError(
                f"tensordot expects dims >= 0 and dims < ndim_a or ndim_b, but got dims={dims} "
                f"for {a.ndim} and {b.ndim} dims. Each is summed over. Write a smaller number."
            )
        dims = list(range(a.ndim - dims, a.ndim)), list(range(dims))
    dims_a, dims_b = [wrap_dims(each, x.ndim) for each, x in zip(dims, (a, b), strict=True)]
    check_factors("tensordot", a, b)
    if len(dims_a) != len(dims_b):
        raise ShapeError(
            f"both dimension lists should have same length, got {list(dims_a)} and {list(dims_b)}. "
            "They are pairs. Write as many for one tensor as for the other."
        )
    for i, j in zip(dims_a, dims_b, strict=True):
        n, m = a.shape[i], b.shape[j]
        if n == 1 != m:
            b = b.sum(j, keepdim=True)
        elif m == 1 != n:
            a = a.sum(i, keepdim=True)
        elif n != m:
            raise ShapeError(
                f"contracted dimensions need to match, but first has size {n} in dim {i} and "
                f"second has size {m} in dim {j}. Each place of one meets one of the other. Write "
                "other dims."
            )
    rest_a = [dim for dim in range(a.ndim) if dim not in dims_a]
    rest_b = [dim for dim in range(b.ndim) if dim not in dims_b]
    sizes = [a.shape[dim] for dim in rest_a] + [b.shape[dim] for dim in rest_b]
    m = math.prod([a.shape[dim] for dim in dims_a])
    rows = math.prod([a.shape[dim] for dim in rest_a])
    columns = math.prod([b.shape[dim] for dim in rest_b])
    left = a.permute(*rest_a, *dims_a).reshape(rows, m)
    right = b.permute(*dims_b, *rest_b).reshape(m, columns)
    return mm(left, right).reshape(sizes)


@linalg(out=True)
def multi_dot(tensors: Any) -> Tensor:
    """The product of several matrices, multiplied in the order that takes the fewest products.

    Args:
        tensors: two matrices or more, of shapes that fit; the first and the last may be vectors.

    Returns:
        Tensor: the product; a vector's dim is left out.

    Raises:
        ShapeError, DTypeError: if they do not fit.

    Example:
        >>> multi_dot([tensor([[1.0, 2.0]]), tensor([[3.0], [4.0]]), tensor([[2.0]])])
        tensor([[22.]])

    See also: https://pytorch.org/docs/stable/generated/torch.linalg.multi_dot.html
    """
    matrices = list(tensors)
    said = "multi_dot(): expected at least 2 tensors but got {}"
    check.least(said, len(matrices), 2, "A product has two factors. Write the tensor itself.")
    ends = matrices[0].ndim == 1, matrices[-1].ndim == 1
    if ends[0]:
        matrices[0] = matrices[0].unsqueeze(0)
    if ends[1]:
        matrices[-1] = matrices[-1].unsqueeze(-1)
    for at, x in enumerate(matrices):
        if x.ndim != 2:
            where = f"tensor {at}" if 0 < at < len(matrices) - 1 else "the first or last tensor"
            raise ShapeError(
                f"multi_dot(): {where} must be 2D (or 1D at an end) but got {x.ndim}D. Matrices "
                "are multiplied. Write `x @ y` for stacks of them."
            )
        said = "multi_dot(): all tensors must have be the same dtype but tensor 0 is {} and tensor"
        check.one_dtype(matrices[0], x, f"{said} {at} {{}}")
        if at and matrices[at - 1].shape[1] != x.shape[0]:
            raise ShapeError(
                f"multi_dot(): tensors {at - 1} and {at} with shapes "
                f"{list(matrices[at - 1].shape)} and {list(x.shape)} cannot be multiplied. Rows "
                "meet columns. Transpose one of them."
            )
    found = _multiplied(matrices)
    if ends[0]:
        found = found.squeeze(0)
    return found.squeeze(-1) if ends[1] else found


def _multiplied(matrices: list[Tensor]) -> Tensor:
    """The product, by the cheapest order (Cormen et al., *Introduction to Algorithms*, §15.2)."""
    sizes = [matrices[0].shape[0], *[x.shape[1] for x in matrices]]

    @functools.cache
    def best(i: int, j: int) -> tuple[int, int]:
        """The cost of the product of matrices i … j, and behind which of them it is cut in two."""
        cuts = [
            (best(i, k)[0] + best(k + 1, j)[0] + sizes[i] * sizes[k + 1] * sizes[j + 1], k)
            for k in range(i, j)
        ]
        return min(cuts, default=(0, i))

    def product(i: int, j: int) -> Tensor:
        if i == j:
            return matrices[i]
        _, k = best(i, j)
        return mm(product(i, k), product(k + 1, j))

    return product(0, len(matrices) - 1)


@function()
def chain_matmul(*matrices: Tensor) -> Tensor:
    """`linalg.multi_dot` of matrices that are arguments, not a list.

    Example:
        >>> chain_matmul(tensor([[1.0, 2.0]]), tensor([[3.0], [4.0]]))
        tensor([[11.]])
    """
    return matrices[0] if len(matrices) == 1 else multi_dot(matrices)


# Einstein summation ------------------------------------------------------------------------------

Sizes = dict[str, int]
"""What size each letter stands for."""

_SMALL = "abcdefghijklmnopqrstuvwxyz"
_LETTERS = _SMALL + _SMALL.upper()

_WORTH_A_PLAN = 4096
"""From so many products on, it pays that NumPy looks for a matrix product in the equation."""


class EinsumTwo(Multilinear):
    """z = einsum(x, y)        x̄ = einsum(z̄, y),  ȳ = einsum(z̄, x)"""

    kernel, kinds = "bmm", "iufc"
    node = "EinsumBackward0"
    saves = ("self", "other")

    @staticmethod
    def forward(x, y, *, first, second, output):
        if not second:  # y is a number
            return np.einsum(f"{first}->{output}", x) * y
        products = math.prod(_sizes([first, second], [x.shape, y.shape]).values())
        equation = f"{first},{second}->{output}"
        return in_rows(np.einsum(equation, x, y, optimize=products >= _WORTH_A_PLAN))

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        wants_x, wants_y = ctx.needs_input_grad
        sizes = _sizes([ctx.first, ctx.second], [x.shape, y.shape])
        dx = _gradient(ctx.first, sizes, [ctx.output, ctx.second], [grad, y]) if wants_x else None
        dy = _gradient(ctx.second, sizes, [ctx.output, ctx.first], [grad, x]) if wants_y else None
        return (
            None if dx is None else sum_to(dx, x.shape),  # a size of 1 was stretched
            None if dy is None else sum_to(dy, y.shape),
        )

    @classmethod
    def vmap(cls, info, in_dims, x, y, *, first, second, output):
        batch = _unused({*first, *second})
        first, second = [
            letters if dim is None else batch + letters
            for letters, dim in zip((first, second), in_dims, strict=True)
        ]
        return _pair(first, second, batch + output, x, y)


def _gradient(wanted: str, sizes: Sizes, inputs: list[str], values: list[Any]) -> Any:
    """The einsum of `values` that has the letters `wanted`.

    A letter that stands in `wanted` twice is a diagonal: its second place gets a letter of its
    own, tied to the first by an identity matrix. A letter that stands nowhere else was summed
    over, and one of a size of 1 elsewhere was stretched: a vector of ones spreads the gradient.
    """
    like = array_of(values[0])
    letters = ""
    for letter in wanted:
        if letter in letters:
            twin = _unused({*sizes, *letters})
            identity = np.eye(sizes[letter], dtype=like.dtype, like=like)
            inputs, values = [*inputs, letter + twin], [*values, identity]
            letters += twin
        else:
            letters += letter
    have = _sizes(inputs, [value.shape for value in values])
    for letter in letters:
        if have.get(letter, -1) < sizes.get(letter, -1):
            ones = np.ones(sizes[letter], like.dtype, like=like)
            inputs, values = [*inputs, letter], [*values, ones]
    return _contract(inputs, values, letters)


def _unused(taken: set[str]) -> str:
    return next(letter for letter in _LETTERS if letter not in taken)


def _contract(inputs: Sequence[str], values: Sequence[Any], output: str) -> Any:
    """Σ Π values, two at a time; in a rule at array speed, else recorded."""
    inputs, values = list(inputs), list(values)
    while len(values) > 2:  # two at a time
        needed = {*output, *"".join(inputs[2:])}
        both = dict.fromkeys(inputs[0] + inputs[1])
        middle = "".join([letter for letter in both if letter in needed])
        values[:2] = [_pair(inputs[0], inputs[1], middle, values[0], values[1])]
        inputs[:2] = [middle]
    return _pair(inputs[0], inputs[1], output, values[0], values[1])


def _pair(first: str, second: str, output: str, x: Any, y: Any) -> Any:
    return run(EinsumTwo, x, y, first=first, second=second, output=output)


def _sizes(inputs: Sequence[str], shapes: Sequence[Sequence[int]]) -> Sizes:
    """The size each letter stands for; 1 is stretched.

    Raises:
        ShapeError: if a letter has two sizes.
    """
    sizes: Sizes = {}
    for position, (subscripts, shape) in enumerate(zip(inputs, shapes, strict=True)):
        own: Sizes = {}
        for letter, n in zip(subscripts, shape, strict=True):
            seen = sizes.get(letter, 1)
            if own.setdefault(letter, n) != n:
                raise ShapeError(
                    f"einsum(): subscript {letter} is repeated for operand {position} but the "
                    f"sizes don't match, {n} != {own[letter]}. A diagonal needs a square. "
                    "Use two letters."
                )
            if n != seen and 1 not in (n, seen):
                raise ShapeError(
                    f"einsum(): subscript {letter} has size {n} for operand {position} which does "
                    f"not broadcast with previously seen size {seen}. One letter is one "
                    "size. Use two letters, or reshape."
                )
            sizes[letter] = n if seen == 1 else seen
    return sizes


@function(numpy=(np.einsum,))
def einsum(*args: Any) -> Tensor:
    """The sum of products that an equation describes.

    Args:
        args: an equation such as `"ij,jk->ik"` and the operands, as arguments or as one list; or
            operands and lists of dim numbers in turns, `x, [0, 1], y, [1, 2], [0, 2]`. Each
            operand has one letter per dim; "..." stands for dims that broadcast. Letters missing
            on the right of "->" are summed over. Without "->", those that appear once are kept,
            in alphabetical order.

    Returns:
        Tensor with the dims that the equation names on the right. A view of the operand if it is
        one, and nothing is summed.

    Raises:
        ShapeError: if equation and operands do not fit together.
        DTypeError: if the operands have different dtypes.

    Example:
        >>> x = tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> einsum("ij,kj->ik", x, x)
        tensor([[ 5., 11.],
                [11., 25.]])
        >>> einsum("ii", x)
        tensor(5.)

    See also: https://pytorch.org/docs/stable/generated/torch.einsum.html
    """
    if args and isinstance(args[0], str):
        equation, operands = args[0], args[1:]
        if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
            operands = tuple(operands[0])
    else:
        equation, operands = _equation_of_lists(args)
    for x in operands:
        check.kind("einsum() takes tensors, got", x, Tensor, "Write `glassgrad.tensor(x)`.")
        check.one_dtype(operands[0], x, "einsum(): expected {} operands but found {}")
    inputs, output = _parse(equation, [tuple(x.shape) for x in operands])
    if len(operands) == 1:
        return _rearranged(operands[0], inputs[0], output)
    return _contract(inputs, operands, output)


def _rearranged(x: Tensor, letters: str, output: str) -> Tensor:
    """What an equation makes of one operand: a view of it, where nothing is summed."""
    for letter in letters:
        while letters.count(letter) > 1:
            first = letters.index(letter)
            second = letters.index(letter, first + 1)
            x = x.diagonal(dim1=first, dim2=second)  # which comes last
            letters = letters[:first] + letters[first + 1 : second] + letters[second + 1 :] + letter
    summed = [letter for letter in letters if letter not in output]
    x = x.permute([letters.index(letter) for letter in [*output, *summed]])
    return x.sum(tuple(range(len(output), x.ndim))) if summed else x


def _equation_of_lists(args: Values) -> tuple[str, Values]:
    """The equation meant by `x, [0, 1], y, [1, 2], [0, 2]`."""
    if len(args) < 2:  # an operand and its dims
        raise ShapeError(
            "einsum(): must specify the equation string and at least one operand. "
            'Write `einsum("ij->ji", x)`.'
        )
    has_output = len(args) % 2 == 1
    pairs = args[:-1] if has_output else args
    left = ",".join(_letters(dims) for dims in pairs[1::2])
    return left + (f"->{_letters(args[-1])}" if has_output else ""), pairs[::2]


def _letters(dims: Sequence[Any]) -> str:
    names = _LETTERS.swapcase()  # the numbers of PyTorch begin with capital letters
    for dim in dims:
        if dim is not Ellipsis and not 0 <= dim < len(names):
            raise ShapeError(
                f"einsum(): expected subscripts to be within range [0, {len(names)}), but got "
                f"{dim}. Each stands for a letter. Number the dims from 0."
            )
    return "".join(["..." if dim is Ellipsis else names[dim] for dim in dims])


def _parse(equation: str, shapes: list[Shape]) -> tuple[list[str], str]:
    """The letters of each operand and of the result, ellipses spelled out."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    plain = equation.replace("->", "  ", 1).replace("...", "   ")
    if wrong := re.search("[^a-zA-Z ,]", plain):
        raise ShapeError(
            f"einsum(): invalid subscript given at index {wrong.start()} in the equation string, "
            f"subscripts must be in [a-zA-Z]. {equation!r} has {wrong.group()!r} there. "
            "Write one letter per dim."
        )
    terms = left.split(",")
    if len(terms) != len(shapes):
        few = "fewer" if len(shapes) < len(terms) else "more"
        raise ShapeError(
            f"einsum(): {few} operands were provided than specified in the equation. "
            f"{equation!r} names {len(terms)}, got {len(shapes)}. Name the dims of each operand, "
            "parted by commas."
        )
    ranks = [
        _ellipsis_rank(term, shape, position)
        for position, (term, shape) in enumerate(zip(terms, shapes, strict=True))
    ]
    free = [letter for letter in _LETTERS if letter not in equation]
    dots = "".join(free[: max(ranks)])
    inputs = [
        term.replace("...", dots[len(dots) - rank :])
        for term, rank in zip(terms, ranks, strict=True)
    ]
    _sizes(inputs, shapes)  # or an error
    if arrow:
        output = right.replace("...", dots)
        _check_output(output, inputs)
    else:
        every = "".join(terms).replace("...", "")
        output = dots + "".join(sorted(c for c in set(every) if every.count(c) == 1))
    return inputs, output


def _ellipsis_rank(term: str, shape: Shape, position: int) -> int:
    """How many dims the ellipsis of an operand stands for."""
    named = len(term.replace("...", ""))
    if "..." in term and named <= len(shape):
        return len(shape) - named
    if named == len(shape):
        return 0
    dots = "" if "..." in term else " and no ellipsis was given"
    raise ShapeError(
        f"einsum(): the number of subscripts in the equation ({named}) does not match the number "
        f"of dimensions ({len(shape)}) for operand {position}{dots}. Its shape is {shape}. "
        "Write one letter per dim, or '...' for the others."
    )


def _check_output(output: str, inputs: list[str]) -> None:
    for letter in output:
        if output.count(letter) > 1:
            raise ShapeError(
                f"einsum(): output subscript {letter} appears more than once in the output. "
                "The result has one dim per letter. Name each once."
            )
        if not any(letter in subscripts for subscripts in inputs):
            raise ShapeError(
                f"einsum(): output subscript {letter} does not appear in the equation for any "
                "input operand. No operand says how long that dim is. Leave it out."
            )
