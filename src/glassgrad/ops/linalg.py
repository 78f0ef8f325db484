"""Products of vectors, matrices and stacks of matrices."""

from glassgrad.core.errors import DTypeError, ShapeError
from glassgrad.core.tensor import Tensor
from glassgrad.ops._matrices import (
    as_matrices,
    check_dtypes,
    check_rank,
    check_stacks,
    lined_up,
    unfit,
)
from glassgrad.ops._products import (
    product,
    stacked_product,
    times_transposed,
    transposed,
    transposed_times,
)
from glassgrad.ops._texts import c_name, not_a_tensor

from ._families import Multilinear
from ._out import written_to

__all__ = ["bmm", "dot", "matmul", "mm", "mv", "outer"]


class Mm(Multilinear):
    """Z = X·Y        dZ = dX·Y + X·dY        X̄ = Z̄·Yᵀ,  Ȳ = Xᵀ·Z̄"""

    node = "MmBackward0"
    latex = (
        "X Y",
        r"\dot X Y + X \dot Y",
        r"\bar X = \bar Z\,Y^\top,\ \bar Y = X^\top \bar Z",
    )
    saves = ("self", "mat2")
    saved_if = {"self": 1, "mat2": 0}

    @staticmethod
    def forward(x, y):
        return product(x, y)

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return (
            None if y is None else times_transposed(grad, y),
            None if x is None else transposed_times(x, grad),
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
        return unfit(values[0].shape, values[1].shape)


def mm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of two matrices.

    Args:
        input: shape `(n, m)`.
        mat2: shape `(m, k)`, of the same dtype.
        out: where to write the result, if the tape need not record it.

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
    if out is not None:
        return written_to(out, mm, input, mat2)
    for name, x in (("self", input), ("mat2", mat2)):
        check_rank(x, 2, f"{name} must be a matrix")
    return matmul(input, mat2)


class Mv(Multilinear):
    """z = X·v        dz = dX·v + X·dv        X̄ = z̄·vᵀ,  v̄ = Xᵀ·z̄"""

    node = "MvBackward0"
    latex = ("X v", r"\dot X v + X \dot v", r"\bar X = \bar z\,v^\top,\ \bar v = X^\top \bar z")
    saves = ("self", "vec")
    saved_if = {"self": 1, "vec": 0}

    @staticmethod
    def forward(x, v):
        return x @ v

    @staticmethod
    def backward(ctx, grad):
        x, v = ctx.saved_tensors
        return (
            None if v is None else grad[:, None] * v,
            None if x is None else transposed(x) @ grad,
        )

    @classmethod
    def vmap(cls, info, in_dims, x, v):
        if in_dims[0] is None:
            return Mm.apply(v, transposed(x))
        if in_dims[1] is None:
            n, rows, m = x.shape
            return Mv.apply(x.reshape(n * rows, m), v).reshape(n, rows)
        return Bmm.apply(x, v[:, :, None]).squeeze(2)


def mv(input: Tensor, vec: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of a matrix and a vector.

    Args:
        input: shape `(n, m)`.
        vec: shape `(m,)`, of the same dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `(n,)`.

    Raises:
        ShapeError: for other shapes.
        DTypeError: if the dtypes differ.

    Example:
        >>> mv(tensor([[1.0, 2.0], [3.0, 4.0]]), tensor([1.0, 1.0]))
        tensor([3., 7.])
    """
    if out is not None:
        return written_to(out, mv, input, vec)
    ranks = f"{input.ndim}, {vec.ndim}, 1"
    for x, rank in ((input, 2), (vec, 1)):
        check_rank(x, rank, f"vector + matrix @ vector expected, got {ranks}")
    check_dtypes("mv", input, vec)
    if input.shape[1] != vec.shape[0]:
        n, m = input.shape
        raise ShapeError(
            f"size mismatch, got input ({n}), mat ({n}x{m}), vec ({vec.shape[0]}). Each row of "
            "the matrix meets the vector. Give the vector as many elements as a row has."
        )
    return Mv.apply(input, vec)


class Dot(Multilinear):
    """z = x·y        dz = dx·y + x·dy        x̄ = z̄·y,  ȳ = z̄·x"""

    node = "DotBackward0"
    latex = (
        r"x^\top y",
        r"\dot x^\top y + x^\top \dot y",
        r"\bar x = \bar z\,y,\ \bar y = \bar z\,x",
    )
    saves = ("self", "tensor")
    saved_if = {"self": 1, "tensor": 0}

    @staticmethod
    def forward(x, y):
        return x @ y

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return None if y is None else grad * y, None if x is None else grad * x

    @classmethod
    def vmap(cls, info, in_dims, x, y):
        if in_dims == (0, 0):
            return Bmm.apply(x[:, None, :], y[:, :, None]).reshape(info.batch_size)
        return Mv.apply(x, y) if in_dims[1] is None else Mv.apply(y, x)


def dot(input: Tensor, tensor: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inner product of two vectors.

    Args:
        input, tensor: both of shape `(n,)` and of one dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        0-d tensor.

    Raises:
        ShapeError: for other shapes.
        DTypeError: if the dtypes differ.

    Example:
        >>> dot(tensor([1.0, 2.0]), tensor([3.0, 4.0]))
        tensor(11.)
    """
    if out is not None:
        return written_to(out, dot, input, tensor)
    for x in (input, tensor):
        check_rank(x, 1, f"1D tensors expected, but got {input.ndim}D and {tensor.ndim}D tensors")
    check_dtypes("dot", input, tensor)
    n, m = input.shape[0], tensor.shape[0]
    if n != m:
        raise ShapeError(
            f"inconsistent tensor size, expected tensor [{n}] and src [{m}] to have the same "
            f"number of elements, but got {n} and {m} elements respectively. Each element needs "
            "a partner. Cut or pad one of them."
        )
    return Dot.apply(input, tensor)


class Bmm(Multilinear):
    """Zᵢ = Xᵢ·Yᵢ        dZᵢ = dXᵢ·Yᵢ + Xᵢ·dYᵢ        X̄ᵢ = Z̄ᵢ·Yᵢᵀ,  Ȳᵢ = Xᵢᵀ·Z̄ᵢ"""

    node = "BmmBackward0"
    latex = (
        "X_i Y_i",
        r"\dot X_i Y_i + X_i \dot Y_i",
        r"\bar X_i = \bar Z_i Y_i^\top,\ \bar Y_i = X_i^\top \bar Z_i",
    )
    saves = ("self", "mat2")
    saved_if = {"self": 1, "mat2": 0}

    @staticmethod
    def forward(x, y):
        return stacked_product(x, y)

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return (
            None if y is None else grad @ transposed(y),
            None if x is None else transposed(x) @ grad,
        )

    @classmethod
    def vmap(cls, info, in_dims, x, y):
        return MatMul.apply(x, y)  # stacks of stacks broadcast


def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The products of two stacks of matrices, one by one.

    Args:
        input: shape `(b, n, m)`.
        mat2: shape `(b, m, k)`, of the same dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `(b, n, k)`.

    Raises:
        ShapeError: for other shapes.
        DTypeError: if the dtypes differ.

    Example:
        >>> bmm(tensor([[[1.0, 2.0]]]), tensor([[[3.0], [4.0]]]))
        tensor([[[11.]]])
    """
    if out is not None:
        return written_to(out, bmm, input, mat2)
    for name, x in (("batch1", input), ("batch2", mat2)):
        check_rank(x, 3, f"{name} must be a 3D tensor")
    check_dtypes("bmm", input, mat2)
    wanted, got = [input.shape[0], input.shape[2]], list(mat2.shape[:2])
    if wanted != got:
        raise ShapeError(
            f"Expected size for first two dimensions of batch2 tensor to be: {wanted} but got: "
            f"{got}. Matrix i of one stack meets matrix i of the other. Write `x @ y` to "
            "broadcast stacks."
        )
    return Bmm.apply(input, mat2)


class MatMul(Multilinear):
    """Z = X·Y, stacks broadcast        dZ = dX·Y + X·dY        X̄ = Z̄·Yᵀ,  Ȳ = Xᵀ·Z̄"""

    node = "MatMulBackward0"
    latex = Mm.latex
    saves = ("self", "other")
    broadcasts = True

    @staticmethod
    def forward(x, y):
        return stacked_product(x, y)

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        wants_x, wants_y = ctx.needs_input_grad
        # A vector is a matrix of one row on the left, of one column on the right.
        rows = x if x.ndim > 1 else x[None, :]
        columns = y if y.ndim > 1 else y[:, None]
        if y.ndim == 1:
            grad = grad[..., None]
        if x.ndim == 1:
            grad = grad[..., None, :]
        x_bar = y_bar = None
        if wants_x:
            x_bar = grad @ transposed(columns)
            x_bar = x_bar if x.ndim > 1 else x_bar[..., 0, :]
        if wants_y:
            y_bar = transposed(rows) @ grad
            y_bar = y_bar if y.ndim > 1 else y_bar[..., 0]
        return x_bar, y_bar

    @classmethod
    def vmap(cls, info, in_dims, x, y):
        x, y, dims = lined_up(in_dims, x, y)
        z = cls.apply(x, y)
        return z.squeeze(dims) if dims else z


def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The matrix product `input @ other`.

    Args:
        input: shape `(…, n, m)` or `(m,)`.
        other: shape `(…, m, k)` or `(m,)`, of the same dtype; the dims in front broadcast.
        out: where to write the result, if the tape need not record it.

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
    if out is not None:
        return written_to(out, matmul, input, other)
    try:
        a, b = input.payload, other.payload
    except AttributeError:
        raise not_a_tensor("matmul", input, other) from None
    if a.ndim == 2 == b.ndim:
        if a.dtype is not b.dtype:
            raise DTypeError(
                f"expected m1 and m2 to have the same dtype, but got: {c_name(a.dtype)} != "
                f"{c_name(b.dtype)}. A product is computed in one precision. "
                "Write `y.to(x.dtype)`."
            )
        return Mm.apply(input, other)
    if b.ndim == 1 and a.ndim in (1, 2):
        return dot(input, other) if a.ndim == 1 else mv(input, other)
    if not a.ndim or not b.ndim:
        raise ShapeError(
            f"both arguments to matmul need to be at least 1D, but they are {a.ndim}D and "
            f"{b.ndim}D. A number has no rows. Write `x * y`."
        )
    check_dtypes("matmul", input, other)
    if a.shape[-1] != b.shape[-2 if b.ndim > 1 else 0]:
        left, right = as_matrices(a.shape, b.shape)
        raise unfit(left, right)
    check_stacks(a.shape, b.shape)
    return MatMul.apply(input, other)


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
        check_rank(x, 1, f"outer: Expected 1-D argument, but got {x.ndim}-D")
    return input.reshape(-1, 1) * vec2
