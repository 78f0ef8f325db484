"""Equations between matrices: inverses, solutions, determinants, pseudoinverses."""

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from glassgrad.core.errors import DTypeError, LinAlgError, ShapeError
from glassgrad.core.tensor import Tensor
from glassgrad.values.backend import asnumpy

from ._arguments import scalar_name
from ._declaring import function, of_numpy, op
from ._families import array_of, lined_up, run, seen, total
from .arithmetic import abs
from .decompositions import (
    Decomposition,
    LinalgSolveTriangular,
    LinalgSvd,
    adjoint,
    again,
    check_matrices,
    check_precision,
    diagonal_of,
    eigvalsh,
    eye_like,
    factored,
    failed,
    identity_where,
    imaginary_part,
    lu_factor_ex,
    lu_unpack,
    return_type,
    svdvals,
)
from .diagonals import diag_embed, diagonal, tril, triu
from .exponentials import log
from .joining import cat
from .linalg import matmul
from .reduction import products_of_others
from .selection import maximum, where
from .shape import reshape


class LinalgInvEx(Decomposition):
    """Y = inv(X)        dY = −Y·dX·Y        X̄ = −Yᵀ·Ȳ·Yᵀ"""

    saves = ("result",)

    @staticmethod
    def forward(x):
        return np.linalg.inv(x)

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        turned = y.swapaxes(-1, -2)
        return -(turned @ grad @ turned)

    @staticmethod
    def jvp(ctx, dx):
        (y,) = ctx.saved_tensors
        return -(y @ dx @ y)

    @classmethod
    def explain(cls, error, values):
        return _singular(
            "linalg.inv",
            values[0],
            "The diagonal element {} is zero, the inversion "
            "could not be completed because the input matrix is singular.",
        )


def _singular(name: str, x: Any, said: str) -> LinAlgError:
    """The error for the first matrix of a stack that has no inverse."""
    info = factored(asnumpy(x))[2]
    at = tuple(np.argwhere(info)[0].tolist()) if info.any() else ()
    advice = "Several inputs would give one result. Write `linalg.pinv` or `linalg.lstsq`."
    return failed(name, at, said.format(info[at] if info.any() else "?"), advice)


@function(LinalgInvEx, home="linalg", out=True, numpy=(np.linalg.inv,))
def inv(A: Tensor) -> Tensor:
    """The inverses of matrices.

    Args:
        A: shape `(…, n, n)`.

    Returns:
        Tensor of shape `(…, n, n)`.

    Raises:
        LinAlgError: if a matrix is singular.
        ShapeError, DTypeError: if they are not square matrices of floats.

    Example:
        >>> inv(tensor([[2.0, 0.0], [0.0, 4.0]]))
        tensor([[0.5000, 0.0000],
                [0.0000, 0.2500]])

    See also: https://pytorch.org/docs/stable/generated/torch.linalg.inv.html
    """
    check_matrices("linalg.inv", A)
    return LinalgInvEx.apply(A)


@op(out=True)
def inverse(input: Tensor) -> Tensor:
    """The same as `linalg.inv`.

    Example:
        >>> inverse(tensor([[2.0]]))
        tensor([[0.5000]])
    """
    return inv(input)


_InvEx = return_type("linalg_inv_ex", "inverse info")


@function(home="linalg")
def inv_ex(A: Tensor, *, check_errors: bool = False) -> Any:
    """`inv`, and what is wrong with each matrix.

    Returns:
        The named tuple (inverse, info). `info` is 0, or the place of the first 0 on the diagonal
        of the factor U, counted from 1; the inverse is nan there.

    Example:
        >>> inv_ex(tensor([[0.0]])).info
        tensor(1, dtype=glassgrad.int32)
    """
    check_matrices("linalg.inv", A)
    if check_errors:
        inv(A)
    info = lu_factor_ex(A.detach()).info
    return _InvEx(where((info != 0)[..., None, None], math.nan, inv(identity_where(info, A))), info)


class LinalgSolveEx(Decomposition):
    """Y = inv(A)·B        dY = inv(A)·(dB − dA·Y)        B̄ = inv(A)ᵀ·Ȳ,  Ā = −inv(A)ᵀ·Ȳ·Yᵀ"""

    saves = ("A", "result")
    broadcasts = True

    @staticmethod
    def forward(a, b):
        return np.linalg.solve(a, b)

    @staticmethod
    def backward(ctx, grad):
        a, y = ctx.saved_tensors
        wants_a, _ = ctx.needs_input_grad
        b_bar = np.linalg.solve(a.swapaxes(-1, -2), grad)
        return -(b_bar @ y.swapaxes(-1, -2)) if wants_a else None, b_bar

    @staticmethod
    def jvp(ctx, da, db):
        a, y = ctx.saved_tensors
        moved = 0 if db is None else db
        return np.linalg.solve(a, moved if da is None else moved - da @ y)

    @classmethod
    def vmap(cls, info, in_dims, a, b):
        return cls.apply(*lined_up((a, b), in_dims))

    @classmethod
    def explain(cls, error, values):
        if isinstance(error, np.linalg.LinAlgError):
            said = "The solver failed because the input matrix is singular."
            return _singular("torch.linalg.solve", values[0], said)
        return super().explain(error, values)


@of_numpy(np.linalg.solve)
def _numpy_solve(a: Tensor, b: Tensor) -> Tensor:
    return LinalgSolveEx.apply(a, b)


def _check_sides(name: str, A: Tensor, B: Tensor, *, left: bool) -> None:
    """Raise unless both sides of an equation fit together."""
    if B.dtype is not A.dtype:
        raise DTypeError(
            f"{name}: Expected A and B to have the same dtype, but found A of type "
            f"{scalar_name(A.dtype)} and B of type {scalar_name(B.dtype)} instead. Equations are "
            "solved in one precision. Write `B.to(A.dtype)`."
        )
    if B.ndim < 2:
        raise ShapeError(
            f"{name}: The input tensor B must have at least 2 dimensions. Its shape is "
            f"{list(B.shape)}, and each column is a right side. Write `B.unsqueeze(-1)`."
        )
    if A.shape[-1 if left else -2] != B.shape[-2 if left else -1]:
        equation = "AX = B" if left else "XA = B"
        sizes = f"({A.shape[-2]}x{A.shape[-1]} and {B.shape[-2]}x{B.shape[-1]})"
        raise ShapeError(
            f"{name}: Incompatible shapes of A and B for the equation {equation} {sizes}. Each "
            "equation has one right side. Give B as many rows as A has, or `left=False` columns."
        )


@function(LinalgSolveEx, home="linalg", out=True)
def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """The solutions X of A·X = B.

    Args:
        A: shape `(…, n, n)`.
        B: shape `(…, n, k)`, or `(…, n)` for a vector beside each matrix; of the same dtype.
        left: False to solve X·A = B, for a B of shape `(…, k, n)`.

    Returns:
        Tensor of the shape of B; dims in front broadcast.

    Raises:
        LinAlgError: if a matrix is singular.
        ShapeError, DTypeError: if they do not fit together.

    Example:
        >>> solve(tensor([[2.0, 0.0], [0.0, 4.0]]), tensor([2.0, 2.0]))
        tensor([1.0000, 0.5000])

    See also: https://pytorch.org/docs/stable/generated/torch.linalg.solve.html
    """
    check_matrices("linalg.solve", A)
    is_vector = B.ndim == 1 or (B.ndim == A.ndim - 1 and B.shape == A.shape[:-1])
    sides = B.unsqueeze(-1) if is_vector else B
    _check_sides("linalg.solve", A, sides, left=left)
    if not left:
        return LinalgSolveEx.apply(A.mT, sides.mT).mT
    found = LinalgSolveEx.apply(A, sides)
    return found.squeeze(-1) if is_vector else found


_SolveEx = return_type("linalg_solve_ex", "result info")


@function(home="linalg")
def solve_ex(
    A: Tensor,
    B: Tensor,
    *,
    left: bool = True,
    check_errors: bool = False,
) -> Any:
    """`solve`, and what is wrong with each matrix.

    Returns:
        The named tuple (result, info). `info` is 0, or the place of the first 0 on the diagonal
        of the factor U, counted from 1; the result is nan there.

    Example:
        >>> solve_ex(tensor([[0.0]]), tensor([[1.0]])).info
        tensor(1, dtype=glassgrad.int32)
    """
    check_matrices("linalg.solve", A)
    if check_errors:
        solve(A, B, left=left)
    info = lu_factor_ex(A.detach()).info
    found = solve(identity_where(info, A), B, left=left)
    is_wrong = (info != 0)[..., None]
    if found.ndim > is_wrong.ndim:
        is_wrong = is_wrong[..., None]
    return _SolveEx(where(is_wrong, math.nan, found), info)


@function(LinalgSolveTriangular, home="linalg", out=True)
def solve_triangular(
    A: Tensor,
    B: Tensor,
    *,
    upper: bool,
    left: bool = True,
    unitriangular: bool = False,
) -> Tensor:
    """The solutions X of A·X = B, where A is a triangle.

    Args:
        A: shape `(…, n, n)`. What is outside of the triangle is not looked at.
        B: shape `(…, n, k)`, of the same dtype.
        upper: whether the triangle is the upper one.
        left: False to solve X·A = B, for a B of shape `(…, k, n)`.
        unitriangular: take ones for the diagonal of A.

    Returns:
        Tensor of the shape of B; dims in front broadcast.

    Raises:
        ShapeError, DTypeError: if they do not fit together.

    Example:
        >>> solve_triangular(tensor([[2.0, 0.0], [1.0, 1.0]]), tensor([[2.0], [3.0]]), upper=False)
        tensor([[1.],
                [2.]])
    """
    check_matrices("linalg.solve_triangular", A)
    _check_sides("linalg.solve_triangular", A, B, left=left)
    if unitriangular:
        A = A - diag_embed(diagonal(A, 0, -2, -1)) + A.new_tensor(np.eye(A.shape[-1]))
    if not left:
        return LinalgSolveTriangular.apply(A.mT, B.mT, upper=not upper).mT
    return LinalgSolveTriangular.apply(A, B, upper=bool(upper))


_TriangularSolve = return_type("triangular_solve", "solution cloned_coefficient")


@function()
def triangular_solve(
    b: Tensor,
    A: Tensor,
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
) -> Any:
    """`linalg.solve_triangular(A, b)` of PyTorch's past, and a copy of `A`.

    Args:
        b, A, upper, unitriangular: as `B`, `A` … there.
        transpose: take the transpose of A.

    Example:
        >>> triangular_solve(tensor([[2.0]]), tensor([[4.0]])).solution
        tensor([[0.5000]])

    See also: https://pytorch.org/docs/stable/generated/torch.triangular_solve.html
    """
    matrix, is_upper = (A.mT, not upper) if transpose else (A, upper)
    found = solve_triangular(matrix, b, upper=is_upper, unitriangular=unitriangular)
    return _TriangularSolve(found, A.clone())


@function(home="linalg", out=True)
def lu_solve(
    LU: Tensor,
    pivots: Tensor,
    B: Tensor,
    *,
    left: bool = True,
    adjoint: bool = False,
) -> Tensor:
    """The solutions X of A·X = B, given what `lu_factor` returns for A.

    Args:
        LU: shape `(…, n, n)`.
        pivots: int32 of shape `(…, n)`.
        B: shape `(…, n, k)`.
        left: False to solve X·A = B, for a B of shape `(…, k, n)`.
        adjoint: take Aᴴ in the place of A.

    Returns:
        Tensor of the shape of B; dims in front broadcast.

    Raises:
        ShapeError, DTypeError: if they do not fit together.

    Example:
        >>> A = tensor([[1.0, 2.0], [2.0, 2.0]])
        >>> lu_solve(*glassgrad.linalg.lu_factor(A), A @ tensor([[1.0], [3.0]]))
        tensor([[1.],
                [3.]])
    """
    check_matrices("torch.linalg.lu_solve", LU)
    _check_sides("linalg.lu_solve", LU, B, left=left)
    if not left:
        return lu_solve(LU, pivots, B.mH, adjoint=not adjoint).mH
    order, lower, upper = lu_unpack(LU, pivots)
    if adjoint:
        inner = solve_triangular(upper.mH, B, upper=False)
        return order @ solve_triangular(lower.mH, inner, upper=True, unitriangular=True)
    inner = solve_triangular(lower, order.mT @ B, upper=False, unitriangular=True)
    return solve_triangular(upper, inner, upper=True)


@op(name="lu_solve", out=True)
def _lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    """`linalg.lu_solve(LU_data, LU_pivots, input)`.

    Example:
        >>> tensor([[4.0]]).lu_solve(*tensor([[2.0]]).lu())
        tensor([[2.]])
    """
    return lu_solve(LU_data, LU_pivots, input)


@op(out=True)
def cholesky_solve(input: Tensor, L: Tensor, upper: bool = False) -> Tensor:
    """The solutions X of A·X = B, given the triangle L of A = L·Lᴴ.

    Args:
        input: B, of shape `(…, n, k)`.
        L: shape `(…, n, n)`, what `linalg.cholesky` returns.
        upper: whether it is the upper triangle U of A = Uᴴ·U.

    Returns:
        Tensor of the shape of `input`; dims in front broadcast.

    Raises:
        ShapeError, DTypeError: if they do not fit together.

    Example:
        >>> cholesky_solve(tensor([[8.0]]), tensor([[2.0]]))
        tensor([[2.]])
    """
    check_matrices("cholesky_solve", L)
    if input.ndim < 2:
        raise ShapeError(
            f"b should have at least 2 dimensions, but has {input.ndim} dimensions instead. Each "
            "column is a right side. Write `b.unsqueeze(-1)`."
        )
    _check_sides("cholesky_solve", L, input, left=True)
    lower = _lower(L, upper)
    return solve(lower.mH, solve(lower, input))


def _lower(L: Tensor, upper: bool) -> Tensor:
    """The lower triangle; as in PyTorch, the gradient is that of a whole matrix."""
    whole = L + ((triu(L) if upper else tril(L)) - L).detach()
    return whole.mH if upper else whole


@op(out=True)
def cholesky_inverse(L: Tensor, upper: bool = False) -> Tensor:
    """The inverses of A = L·Lᴴ, given the triangle L; see `cholesky_solve`.

    Example:
        >>> cholesky_inverse(tensor([[2.0]]))
        tensor([[0.2500]])
    """
    check_matrices("cholesky_inverse", L)
    lower_inverse = inv(_lower(L, upper))
    return matmul(lower_inverse.mH, lower_inverse)


# Determinants -------------------------------------------------------------------------------------


class LinalgDet(Decomposition):
    """y = det X        dy = y·trace(inv(X)·dX)        X̄ = ȳ·y·inv(X)ᵀ"""

    # A singular matrix has no inverse, but it has y·inv(X): U·diag(Πⱼ≠ᵢ sⱼ)·V·det U·det V, by
    # its singular values. What is not wanted is computed of an identity, or of other values.

    saves = ("A", "result")

    @staticmethod
    def forward(x):
        return np.linalg.det(x)

    @staticmethod
    def backward(ctx, grad):
        return grad[..., None, None] * _cofactors(*ctx.saved_tensors)

    @staticmethod
    def jvp(ctx, dx):
        return (_cofactors(*ctx.saved_tensors) * dx).sum(axis=(-2, -1))


def _cofactors(x: Any, det: Any) -> Any:
    """The slopes of a determinant."""
    n, epsilon = x.shape[-1], np.finfo(array_of(x).dtype).eps
    is_singular = (np.abs(det) < 100 * epsilon)[..., None, None]
    known = seen(is_singular)
    if known is not None and not np.any(known):
        return det[..., None, None] * np.linalg.inv(x).swapaxes(-1, -2)
    inverse = np.linalg.inv(np.where(is_singular, eye_like(x, n), x))
    spread = eye_like(x, n) * (
        1 + np.arange(n, dtype=array_of(x).dtype, like=array_of(x))
    )  # no two values are equal
    u, s, vh = run(LinalgSvd, np.where(is_singular, x, spread), full_matrices=False, checks=False)
    others = products_of_others(s, s.ndim - 1)
    signs = np.linalg.det(u) * np.linalg.det(vh)
    by_values = np.conj(u * others[..., None, :] @ vh) * signs[..., None, None]
    return np.where(is_singular, by_values, det[..., None, None] * inverse.swapaxes(-1, -2))


@op(
    LinalgDet,
    aliases=("linalg.det",),
    numpy=(np.linalg.det,),
    inplace=False,
    out=True,
)
def det(input: Tensor) -> Tensor:
    """The determinants of matrices.

    Args:
        input: shape `(…, n, n)`.

    Returns:
        Tensor of shape `(…)`.

    Raises:
        ShapeError, DTypeError: if they are not square matrices of floats.

    Example:
        >>> det(tensor([[1.0, 2.0], [3.0, 4.0]]))
        tensor(-2.)

    See also: https://pytorch.org/docs/stable/generated/torch.linalg.det.html
    """
    check_matrices("linalg.det", input)
    return LinalgDet.apply(input)


class LinalgSlogdet(Decomposition):
    """s, y = sgndet(X)        dy = trace(inv(X)·dX)        X̄ = ȳ·inv(X)ᵀ"""

    # With t = trace(A⁻¹·dA), that of ln |det A| is Re t, and that of the sign s·i·Im t.

    saves = ("self",)
    multiple = True
    holomorphic = False

    @staticmethod
    def forward(x):
        return tuple(np.linalg.slogdet(x))

    @staticmethod
    def backward(ctx, sign_bar, y_bar):
        x, sign, _ = again(ctx)
        slopes = y_bar
        if sign_bar is not None and x.dtype.kind == "c":
            slopes = total([y_bar, -1j * imaginary_part(np.conj(sign_bar) * sign)])
        if slopes is None:  # a real sign changes by steps
            return np.zeros_like(x)
        return _each(slopes, x) * adjoint(_inverse_or_inf(x, _each(sign, x) == 0))

    @staticmethod
    def jvp(ctx, dx):
        x, sign, _ = again(ctx)
        moved = diagonal_of(np.linalg.solve(x, dx)).sum(axis=-1)
        if x.dtype.kind != "c":
            return np.zeros_like(sign), moved
        return sign * 1j * imaginary_part(moved), np.real(moved)


def _inverse_or_inf(x: Any, is_singular: Any) -> Any:
    inverse = np.linalg.inv(np.where(is_singular, eye_like(x, x.shape[-1]), x))
    return np.where(is_singular, math.inf, inverse)


def _each(numbers: Any, x: Any) -> Any:
    """A number for each matrix of a stack, in dims that broadcast with it."""
    return np.reshape(numbers, (*x.shape[:-2], 1, 1))


_LinalgSlogdet = return_type("linalg_slogdet", "sign logabsdet")
_Slogdet = return_type("slogdet", "sign logabsdet")


@op(LinalgSlogdet)
def slogdet(input: Tensor) -> Any:
    """The signs of determinants, and the logarithms of their absolute values.

    Args:
        input: shape `(…, n, n)`.

    Returns:
        The named tuple (sign, logabsdet) of tensors of shape `(…)`: the sign of a complex number
        has length 1; for singular matrices 0 and -inf.

    Raises:
        ShapeError, DTypeError: if they are not square matrices of floats.

    Example:
        >>> slogdet(tensor([[0.0, 2.0], [-1.0, 0.0]])).sign
        tensor(1.)

    See also: https://pytorch.org/docs/stable/generated/torch.linalg.slogdet.html
    """
    check_matrices("linalg.slogdet", input)
    return _Slogdet(*LinalgSlogdet.apply(input))


@function(home="linalg", name="slogdet")
def _linalg_slogdet(A: Tensor) -> Any:
    """The same as `slogdet`.

    Example:
        >>> glassgrad.linalg.slogdet(tensor([[1.0]])).logabsdet
        tensor(0.)
    """
    return _LinalgSlogdet(*slogdet(A))


@op()
def logdet(input: Tensor) -> Tensor:
    """The logarithms of determinants; nan where one is negative.

    Args:
        input: shape `(…, n, n)`.

    Returns:
        Tensor of shape `(…)`.

    Raises:
        ShapeError, DTypeError: if they are not square matrices of floats.

    Example:
        >>> logdet(tensor([[1.0, 0.0], [0.0, 1.0]]))
        tensor(0.)
    """
    check_matrices("logdet", input)
    sign, size = LinalgSlogdet.apply(input)
    return log(sign) + size if sign.dtype.kind == "c" else where(sign == -1, math.nan, size)


# What stands for an inverse -----------------------------------------------------------------------


class LinalgPinv(Decomposition):
    """Y = pinv(X, limit)        X̄ = C·Ȳᵀ·Y·Yᵀ + Yᵀ·Y·Ȳᵀ·R − Yᵀ·Ȳ·Yᵀ
    dY = Y·Yᵀ·dXᵀ·C + R·dXᵀ·Yᵀ·Y − Y·dX·Y
    C = rest(X·Y),  R = rest(Y·X)
    """  # rest X is 1 − X. For matrices whose rank stays the same (Golub & Pereyra, 1973).

    saves = ("self", "limit", "result")
    differentiates = slice(1)
    holomorphic = False

    @staticmethod
    def forward(x, limit, *, hermitian):
        u, s, vh = _values_of(x, hermitian)
        is_kept = np.abs(s) > limit[..., None]
        inverse = np.where(is_kept, 1 / np.where(is_kept, s, 1), 0)
        return adjoint(vh) * inverse[..., None, :] @ adjoint(u)

    @staticmethod
    def backward(ctx, grad):
        x, _, y = ctx.saved_tensors
        turned, back, (n, m) = adjoint(y), adjoint(grad), x.shape[-2:]
        by_columns = (eye_like(x, n) - x @ y) @ back @ y @ turned
        by_rows = turned @ y @ back @ (eye_like(x, m) - y @ x)
        return by_columns + by_rows - turned @ grad @ turned

    @staticmethod
    def jvp(ctx, dx):
        x, _, y = ctx.saved_tensors
        turned, back, (n, m) = adjoint(y), adjoint(dx), x.shape[-2:]
        by_columns = y @ turned @ back @ (eye_like(x, n) - x @ y)
        by_rows = (eye_like(x, m) - y @ x) @ back @ turned @ y
        return by_columns + by_rows - y @ dx @ y


def _values_of(x: Any, hermitian: bool) -> Any:
    """Columns, values and rows: those of eigenvectors, if `x` is Hermitian."""
    if not hermitian:
        return np.linalg.svd(x, full_matrices=False)
    values, vectors = np.linalg.eigh(x)
    return vectors, values, adjoint(vectors)


def _limit(values: Tensor, shape: Sequence[int], atol: Any, rtol: Any) -> Tensor:
    """Below what singular values count as zeros: max(atol, s₁·rtol)."""
    atol = values.new_zeros(()) if atol is None else values.new_zeros(()) + atol
    if rtol is None:
        rtol = where(atol > 0, 0.0, max(shape) * float(np.finfo(values.dtype).eps))
    largest = values.amax(-1) if values.shape[-1] else values.sum(-1)
    return maximum(largest * rtol, atol)


@function(LinalgPinv, home="linalg", out=True)
def pinv(
    A: Tensor,
    rcond: float | Tensor | None = None,
    hermitian: bool = False,
    *,
    atol: float | Tensor | None = None,
    rtol: float | Tensor | None = None,
) -> Tensor:
    """The pseudoinverses of matrices, by Moore and Penrose.

    Args:
        A: shape `(…, n, m)`.
        hermitian: whether the matrices are; then only their lower triangles are looked at.
        atol, rtol: singular values up to max(atol, rtol·largest) count as zeros. `rtol` is
            max(n, m)·ε, if there is no `atol`.
        rcond: another name of `rtol`.

    Returns:
        Tensor of shape `(…, m, n)`. Its gradient is that of matrices whose rank stays the same.

    Raises:
        ShapeError, DTypeError: if they are no matrices of floats.

    Example:
        >>> pinv(tensor([[2.0], [0.0]]))
        tensor([[0.5000, 0.0000]])

    See also: https://pytorch.org/docs/stable/generated/torch.linalg.pinv.html
    """
    check_matrices("linalg.pinv", A, square=hermitian)
    values = _values(A.detach(), hermitian)
    limit = _limit(values, A.shape[-2:], atol, rcond if rtol is None else rtol)
    return LinalgPinv.apply(A, limit, hermitian=hermitian)


def _values(A: Tensor, hermitian: bool) -> Tensor:
    """The singular values; those of a Hermitian matrix are the sizes of its eigenvalues."""
    return abs(eigvalsh(A)) if hermitian else svdvals(A)


@op()
def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """The same as `linalg.pinv`, but for its tolerance.

    Example:
        >>> pinverse(tensor([[2.0]]))
        tensor([[0.5000]])
    """
    return pinv(input, rcond)


@function(home="linalg", out=True)
def matrix_rank(
    A: Tensor,
    tol: float | Tensor | None = None,
    hermitian: bool = False,
    *,
    atol: float | Tensor | None = None,
    rtol: float | Tensor | None = None,
) -> Tensor:
    """How many singular values of matrices are no zeros.

    Args:
        A: shape `(…, n, m)`.
        hermitian, atol, rtol: as for `pinv`.
        tol: an `atol` beside which there is no `rtol`.

    Returns:
        int64 tensor of shape `(…)`.

    Raises:
        ShapeError, DTypeError: if they are no matrices of floats.

    Example:
        >>> matrix_rank(tensor([[1.0, 2.0], [2.0, 4.0]]))
        tensor(1)
    """
    check_matrices("linalg.matrix_rank", A, square=hermitian)
    values = _values(A.detach(), hermitian)
    if tol is not None:
        atol, rtol = tol, 0.0
    limit = _limit(values, A.shape[-2:], atol, rtol)
    return (values > limit.unsqueeze(-1)).sum(-1)


_Lstsq = return_type("linalg_lstsq", "solution residuals rank singular_values")


@function(home="linalg")
def lstsq(
    A: Tensor,
    B: Tensor,
    rcond: float | None = None,
    *,
    driver: str | None = None,
) -> Any:
    """The X for which A·X − B is shortest; of several, the shortest.

    Args:
        A: shape `(…, n, m)`.
        B: shape `(…, n, k)`, or `(…, n)` for a vector beside each matrix; of the same dtype.
        rcond: singular values up to that part of the largest count as zeros.
        driver: "gelsy", "gels", "gelsd" or "gelss": which of the other results there are.

    Returns:
        The named tuple (solution, residuals, rank, singular_values). The solution has the shape
        `(…, m, k)`; the others are empty where PyTorch's driver does not compute them.

    Raises:
        ShapeError, DTypeError: if they do not fit together.
        LinAlgError: for another driver.

    Example:
        >>> lstsq(tensor([[1.0], [1.0]]), tensor([[1.0], [4.0]])).solution
        tensor([[2.5000]])

    See also: https://pytorch.org/docs/stable/generated/torch.linalg.lstsq.html
    """
    name, driver = "torch.linalg.lstsq", driver or "gelsy"
    check_matrices(name, A, square=False)
    if driver not in ("gels", "gelsy", "gelsd", "gelss"):
        raise LinAlgError(
            f"{name}: parameter `driver` should be one of (gels, gelsy, gelsd, gelss), got "
            f"{driver!r}. It says what is computed. Leave it out."
        )
    is_vector = B.ndim == A.ndim - 1 and B.shape == A.shape[:-1]
    sides = B.unsqueeze(-1) if is_vector else B
    _check_rows(name, A, sides)
    n, m = A.shape[-2:]
    values = svdvals(A.detach())
    limit = _limit(values, (n, m), None, 0.0 if driver == "gels" else rcond)
    rank = (values > limit.unsqueeze(-1)).sum(-1)
    solution = matmul(LinalgPinv.apply(A, limit, hermitian=False), sides)
    residuals, none = abs(solution).reshape(-1)[:0], values.new_empty((0,))
    if driver != "gelsy" and n > m and bool((rank == m).all()):
        residuals = abs(matmul(A, solution) - sides).square().sum(-2)
    if is_vector:
        solution = solution.squeeze(-1)
        residuals = residuals.squeeze(-1) if residuals.numel() else residuals
    return _Lstsq(
        solution,
        residuals,
        rank.new_empty((0,)) if driver == "gels" else rank,
        values if driver in ("gelsd", "gelss") else none,
    )


def _check_rows(name: str, A: Tensor, B: Tensor) -> None:
    if B.dtype is not A.dtype:
        raise DTypeError(
            f"{name}: Expected input and other to have the same dtype, but got input's dtype "
            f"{scalar_name(A.dtype)} and other's dtype {scalar_name(B.dtype)}. Equations are "
            "solved in one precision. Write `B.to(A.dtype)`."
        )
    if B.ndim < 2 or A.shape[-2] != B.shape[-2]:
        raise ShapeError(
            f"{name}: input.size(-2) should match other.size(-2), got the shapes {list(A.shape)} "
            f"and {list(B.shape)}. Each equation has one right side. Give B as many rows as A has."
        )


# Powers, and equations between tensors ------------------------------------------------------------


@op(aliases=("linalg.matrix_power",), out=True)
def matrix_power(input: Tensor, n: int) -> Tensor:
    """The matrices multiplied with themselves: `n` of them.

    Args:
        input: shape `(…, k, k)`.
        n: how many; a negative number for those of the inverse.

    Returns:
        Tensor of shape `(…, k, k)`; the identity for 0.

    Raises:
        LinAlgError: if `n` is negative and a matrix is singular.
        ShapeError, DTypeError: if they are not square matrices of floats.

    Example:
        >>> matrix_power(tensor([[1.0, 1.0], [0.0, 1.0]]), 3)
        tensor([[1., 3.],
                [0., 1.]])
    """
    check_matrices("linalg.matrix_power", input, floats=n < 0)
    if n == 0:
        return input * 0 + input.new_tensor(np.eye(input.shape[-1]))
    square, exponent = (inv(input), -n) if n < 0 else (input, n)
    factors = []
    while exponent:  # xⁿ is the product of the squares that the binary digits of n name
        if exponent % 2:
            factors.append(square)
        exponent //= 2
        square = matmul(square, square) if exponent else square
    return functools.reduce(matmul, factors[1:], factors[0]) if n != 1 else input.clone()


@function(home="linalg")
def vander(x: Tensor, *, N: int | None = None) -> Tensor:
    """The powers of numbers, from the zeroth on: a Vandermonde matrix.

    Args:
        x: shape `(…, n)`.
        N: how many powers; None for n.

    Returns:
        Tensor of shape `(…, n, N)`.

    Raises:
        LinAlgError: for fewer than two powers.

    Example:
        >>> vander(tensor([2, 3]), N=3)
        tensor([[1, 2, 4],
                [1, 3, 9]])
    """
    x = x if x.ndim else x.reshape(1)
    count = x.shape[-1] if N is None else N
    if count <= 1:
        raise LinAlgError(
            f"N must be greater than 1. Got {count}. Fewer are no powers. Write how many."
        )
    powers = x.unsqueeze(-1).expand(*x.shape, count - 1).cumprod(-1)
    return cat([powers.new_ones((*x.shape, 1)), powers], -1)


@function(home="linalg", out=True)
def tensorinv(A: Tensor, ind: int = 2) -> Tensor:
    """The inverse of a tensor as a map from its last dims to its first `ind` ones.

    Args:
        A: tensor; its first `ind` dims have as many elements as the others.
        ind: how many dims are the result's of the map.

    Returns:
        Tensor of the last dims, and behind them the first `ind` ones.

    Raises:
        ShapeError: if the sizes do not fit.
        LinAlgError: if there is no inverse.

    Example:
        >>> tensorinv(tensor([[2.0, 0.0], [0.0, 4.0]]), ind=1)
        tensor([[0.5000, 0.0000],
                [0.0000, 0.2500]])
    """
    check_precision("linalg.tensorinv", A)
    ahead, behind = tuple(A.shape[:ind]), tuple(A.shape[ind:])
    if ind <= 0:
        raise ShapeError(
            f"Expected a strictly positive integer for 'ind', got {ind}. It counts dims. Write 1 "
            "for a matrix."
        )
    if math.prod(ahead) != math.prod(behind):
        raise ShapeError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == "
            f"prod(self.shape[:ind]), but got {math.prod(behind)} != {math.prod(ahead)}. Only a "
            "square has an inverse. Write another `ind`."
        )
    return reshape(inv(reshape(A, (math.prod(ahead), math.prod(behind)))), (*behind, *ahead))


@function(home="linalg", out=True)
def tensorsolve(A: Tensor, B: Tensor, dims: Sequence[int] | None = None) -> Tensor:
    """The tensor X for which A, as a map of its last dims to the first ones, gives B.

    Args:
        A: tensor of the dims of B, and behind them those of X, as many elements in both.
        B: tensor.
        dims: dims of A that are moved to its end first.

    Returns:
        Tensor of the last dims of A.

    Raises:
        ShapeError: if the sizes do not fit.
        LinAlgError: if there is no solution.

    Example:
        >>> tensorsolve(tensor([[2.0, 0.0], [0.0, 4.0]]), tensor([2.0, 2.0]))
        tensor([1.0000, 0.5000])
    """
    check_precision("linalg.tensorsolve", A)
    if dims is not None:
        A = A.movedim(tuple(dims), tuple(range(A.ndim - len(dims), A.ndim)))
    behind = tuple(A.shape[B.ndim :])
    size = math.prod(behind)
    if size * B.numel() != A.numel() or size != B.numel():
        raise ShapeError(
            f"Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
            f"prod(self.shape[:other.ndim]), but got {size} != {B.numel()}. There are as many "
            "equations as unknowns. Give A the dims of B, and behind them those of the solution."
        )
    return reshape(solve(reshape(A, (size, size)), reshape(B, (size,))), behind)
