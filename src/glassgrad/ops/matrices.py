"""Matrices: their decompositions, and equations between them; inverses and determinants.

Cholesky, QR and LU factors, eigenvalues and singular values come first, as equations use them.

Stacks of matrices are decomposed one by one; they lie in the last two dims.

# Note [Results made again]
# A node can keep one result. Where an op has several, its rule makes them again from the operand.
# So they are recorded like anything else when the backward pass is, and nobody can have written
# to them. In the pass behind that, part of a gradient then goes to the first node, and part to
# that of the second time: neither part alone tells whether a loss depends on a choice.

# Note [Which of many decompositions]
# Eigenvectors and singular vectors are known but for a sign, or a phase where they are complex;
# where values are equal, but for a rotation. Gradients are those of a loss that does not depend on
# the choice. One that depends on a phase is refused, as in PyTorch; one that depends on a rotation
# is inf or nan.
"""

import functools
import math
from collections import namedtuple
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

import numpy as np

from glassgrad.core.errors import ArgumentError, DTypeError, GradientError, LinAlgError, ShapeError
from glassgrad.core.state import Names, Values
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.values.backend import asnumpy, backend_of
from glassgrad.values.layers import array_of

from . import _checks as check
from ._arguments import int_of
from ._checks import scalar_name
from ._declaring import function, linalg, of_numpy, op
from ._families import Along, Transposed, without_derivative
from ._rules import lined_up, run, seen, show_named, total
from .arithmetic import abs
from .diagonals import diag_embed, diagonal, tril, triu
from .elementary import log
from .joining import cat
from .linalg import matmul
from .random import randn
from .reduction import products_of_others
from .selection import maximum, where
from .shape import in_shape, reshape

# What matrices have to be -------------------------------------------------------------------------


def check_matrices(name: str, x: Tensor, *, square: bool = True, floats: bool = True) -> None:
    """Raise unless a function is given matrices of floats, square ones if it says so.

    Raises:
        ShapeError: if a tensor has fewer than two dims, or its matrices are not square.
        DTypeError: for integers, bools, and floats of half precision.
    """
    check.tensor(name, x)
    if floats:
        check_precision(name, x)
    if x.ndim < 2:
        raise ShapeError(
            f"{name}: The input tensor A must have at least 2 dimensions. Its shape is "
            f"{list(x.shape)}, and a matrix has rows and columns. Write `x.unsqueeze(0)`."
        )
    rows, columns = x.shape[-2:]
    if square and rows != columns:
        raise ShapeError(
            f"{name}: A must be batches of square matrices, but they are {rows} by {columns} "
            "matrices. It is about maps of a space to itself. Write `linalg.pinv`, "
            "`linalg.svd` or `linalg.lstsq`, which take others."
        )


def check_precision(name: str, x: Tensor) -> None:
    """Raise DTypeError unless `x` is of floats or complex numbers, of more than half precision."""
    said = f"{name}: Expected a floating point or complex tensor as input. Got {{name}}"
    check.dtype(said, x, "fc", "Its results are fractions. Write `x.float()`.")
    if x.dtype == np.float16:
        raise DTypeError(
            f"{name}: Low precision dtypes not supported. Got {scalar_name(x.dtype)}. Too few "
            "digits are left of the results. Write `x.float()`."
        )


def failed(name: str, at: tuple[int, ...], said: str, advice: str) -> LinAlgError:
    """The error for a matrix that a function cannot do; `at` is where it is in a stack."""
    where_it_is = f"(Batch element {at[-1]}): " if at else ""
    return LinAlgError(f"{name}: {where_it_is}{said} {advice}")


def return_type(name: str, fields: str) -> Any:
    """The named tuple of an op with several results, which is shown as PyTorch shows it."""
    kind: Any = namedtuple(name, fields)  # type: ignore[misc]  # noqa: PYI024  # names are data
    return type(name, (kind,), {"__slots__": (), "__repr__": show_named})


# Parts of matrices, in rules ----------------------------------------------------------------------


def adjoint(x: Any) -> Any:
    """Each matrix transposed, and its elements conjugated."""
    transposed = x.swapaxes(-1, -2)
    return np.conj(transposed) if x.dtype.kind == "c" else transposed


def eye_like(x: Any, n: int) -> Any:
    """The identity matrix of size `n`, where `x` is and of its dtype."""
    like = array_of(x)
    return np.eye(n, dtype=like.dtype, like=like)


def triangle_like(x: Any, diagonal: float, *, upper: bool = False) -> Any:
    """Ones in a triangle of a matrix as large as those of `x`, `diagonal` on its diagonal."""
    like, (n, m) = array_of(x), x.shape[-2:]
    below = np.tri(n, m, -1, dtype=like.dtype, like=like)
    side = 1 - below - np.eye(n, m, dtype=like.dtype, like=like) if upper else below
    return side + diagonal * np.eye(n, m, dtype=like.dtype, like=like)


def padded(x: Any, count: int, axis: int) -> Any:
    """The matrices with `count` lines of zeros behind them, in one of the last two dims."""
    line = np.zeros_like(x[..., :1] if axis == -1 else x[..., :1, :])
    return np.concatenate([x, *[line] * count], axis=axis) if count else x


def diagonal_of(x: Any) -> Any:
    """The diagonals of matrices."""
    return np.einsum("...ii->...i", x)


def as_diagonal(x: Any, like: Any) -> Any:
    """The matrices that have `x` on their diagonals and zeros elsewhere, in the dtype of `like`."""
    return x[..., None] * eye_like(like, x.shape[-1])


def real_part(x: Any) -> Any:
    """The real parts of complex numbers; real ones as they are."""
    return np.real(x) if x.dtype.kind == "c" else x


def imaginary_part(x: Any) -> Any:
    """The imaginary parts of complex numbers."""
    return np.real(x * -1j)


def mirrored(x: Any, *, upper: bool = False) -> Any:
    """The Hermitian matrix that an op takes `x` for, of which it reads one triangle."""
    half = np.triu(x) if upper else np.tril(x)
    half = half - as_diagonal(diagonal_of(half) - real_part(diagonal_of(half)) / 2, x)
    return half + adjoint(half)


def divided_by_gaps(x: Any, values: Any) -> Any:
    """xᵢⱼ/(vⱼ − vᵢ) where i ≠ j; 0 on the diagonals."""
    n = values.shape[-1]
    gaps = values[..., None, :] - values[..., :, None] + eye_like(values, n)
    return x * (1 - eye_like(x, n)) / gaps


class Decomposition(Transposed, Along):
    """An op on the matrices in the last two dims: the dims in front of them are a batch.

    Where it looks at one triangle, `taken_for` says what it takes the operand for, given that and
    the parameters: a gradient is that of all that moves with an element. Where results are open,
    `settles` puts zeros there, given these. Differences of the forward need both.
    """

    axes: ClassVar[Names] = ()

    @classmethod
    def vmap(cls, info, in_dims, *values, **parameters):
        """Stacks of both sides of an equation broadcast."""
        if not cls.broadcasts:
            return super().vmap(info, in_dims, *values, **parameters)
        return cls.apply(*lined_up(values, in_dims), **parameters)

    @classmethod
    def explain(cls, error, values):
        """LAPACK fails on nan and inf."""
        if not isinstance(error, np.linalg.LinAlgError):
            return super().explain(error, values)
        name = cls.__name__.removeprefix("Linalg").lower()
        said = "failed to converge because the input matrix contained non-finite values"
        advice = "Find out where they come from, with `gg.autograd.detect_anomaly()`."
        return LinAlgError(f"linalg.{name}: The algorithm {said}. {advice}")


def again(ctx: Any) -> Values:
    """The operand and the results of an op with several (see Note [Results made again])."""
    (x,) = ctx.saved_tensors
    cls = ctx._forward_cls
    parameters = {name: getattr(ctx, name) for name in cls.parameters}
    if "checks" in parameters:
        parameters["checks"] = False
    return x, *run(cls, x, **parameters)


class LinalgSolveTriangular(Decomposition):
    """Y = inv(side(A))·B        dY = inv(side(A))·(dB − side(dA)·Y)
    B̄ = inv(side(A))ᵀ·Ȳ,  Ā = −side(B̄·Yᵀ)
    """  # side A is its upper or its lower triangle

    saves = ("self", "result")
    broadcasts = True

    @staticmethod
    def forward(a, b, *, upper):
        return backend_of(a).asarray(_substituted(asnumpy(a), asnumpy(b), upper))

    @staticmethod
    def backward(ctx, grad):
        a, y = ctx.saved_tensors
        wants_a, _ = ctx.needs_input_grad
        b_bar = run(LinalgSolveTriangular, a.swapaxes(-1, -2), grad, upper=not ctx.upper)
        if not wants_a:
            return None, b_bar
        a_bar = -(b_bar @ y.swapaxes(-1, -2))
        return a_bar * triangle_like(a_bar, 1, upper=ctx.upper), b_bar


def _substituted(a: Any, b: Any, upper: bool) -> Any:
    """The solutions of triangular equations: by BLAS for one matrix, row by row for a stack."""
    batch, (n, k) = np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), b.shape[-2:]
    found = np.empty((*batch, n, k), b.dtype)
    if math.prod(batch) == 1 and n and k:
        from scipy.linalg import get_blas_funcs

        trsm = get_blas_funcs("trsm", (a, b))
        found[...] = trsm(1, a.reshape(n, n), b.reshape(n, k), lower=not upper)
        return found
    with np.errstate(all="ignore"):  # a 0 on the diagonal gives inf, as in PyTorch
        for row in reversed(range(n)) if upper else range(n):
            known = slice(row + 1, n) if upper else slice(row)
            done = (a[..., row : row + 1, known] @ found[..., known, :])[..., 0, :]
            found[..., row, :] = (b[..., row, :] - done) / a[..., row, row, None]
    return found


def solved(a: Any, b: Any, *, upper: bool = False) -> Any:
    """The solution of equations whose matrix is a triangle, in a rule."""
    return run(LinalgSolveTriangular, a, b, upper=upper)


class IntoVectors(Decomposition):
    """A decomposition whose vectors are known but for a phase.

    See Note [Which of many decompositions]. The parameter `checks` says whether all of a loss's
    gradient comes to the node.
    """

    saves = ("self",)
    multiple = True
    holomorphic = False

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx._recorded = [not ctx.checks]  # the copies of a node share it


def check_phases(name: str, ctx: Any, x: Any, turned: Any) -> None:
    """Raise GradientError if a loss depends on the phases of vectors.

    Args:
        x: the operand, which can be unpacked only once.
        turned: the products of the vectors and their gradients.
    """
    is_part = ctx._recorded[-1] or getattr(ctx, "_level", None) is not None
    ctx._recorded.append(isinstance(x, Tensor))
    products = None if is_part or turned.dtype.kind != "c" else seen(turned)
    if products is not None and np.any(np.abs(diagonal_of(products).imag) > 1e-2):
        raise GradientError(
            f"{name}: The singular vectors or eigenvectors in the complex case are specified up to "
            "multiplication by e^{i phi}. The specified loss function depends on this phase term, "
            "making it ill-defined. Compute it of what does not, such as `v.abs()`, or `v @ v.mH`."
        )


# Cholesky -----------------------------------------------------------------------------------------


class LinalgCholeskyEx(Decomposition):
    """L = chol(X)        dL = L·low(inv(L)·dX·inv(L)ᵀ)
    M = low(Lᵀ·L̄),  X̄ = inv(L)ᵀ·(M + Mᵀ)·inv(L)/2
    """  # low X is what is below the diagonal, and half of that

    saves = ("result",)
    holomorphic = False

    @staticmethod
    def forward(x, *, upper):
        return adjoint(np.linalg.cholesky(adjoint(x))) if upper else np.linalg.cholesky(x)

    @staticmethod
    def taken_for(x, *, upper):
        return mirrored(x, upper=upper)

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        if ctx.upper:
            y, grad = adjoint(y), adjoint(grad)
        inner = adjoint(y) @ grad
        below = adjoint(inner * triangle_like(y, 0))
        moved = solved(adjoint(y), inner * triangle_like(y, 1) + below, upper=True) / 2
        return adjoint(solved(adjoint(y), adjoint(moved), upper=True))

    @staticmethod
    def jvp(ctx, dx):
        """Of a tangent that is not Hermitian, too: there it is PyTorch's, and no transpose."""
        (y,) = ctx.saved_tensors
        lower = adjoint(y) if ctx.upper else y
        inner = solved(lower, adjoint(solved(lower, adjoint(dx))))
        moved = lower @ (inner * triangle_like(y, 0.5))
        return adjoint(moved) if ctx.upper else moved

    @classmethod
    def explain(cls, error, values):
        orders = cholesky_orders(asnumpy(values[0]))
        if not np.any(orders):  # it is the upper triangle that was looked at
            orders = cholesky_orders(adjoint(asnumpy(values[0])))
        at = tuple(np.argwhere(orders)[0].tolist())
        return failed(
            "linalg.cholesky",
            at,
            "The factorization could not be completed because the input is not positive-definite "
            f"(the leading minor of order {orders[at]} is not positive-definite).",
            "A matrix x @ x.mH is, if x has an inverse. Add a small multiple of the identity.",
        )


def cholesky_orders(x: Any) -> Any:
    """For each matrix how large the first leading one is that is not positive-definite, or 0."""
    from scipy.linalg import get_lapack_funcs

    found = np.zeros(x.shape[:-2], np.int32)
    (potrf,) = get_lapack_funcs(("potrf",), (x,))
    for at in np.ndindex(found.shape) if x.size else ():
        factor, info = potrf(x[at], lower=True)
        lost = np.flatnonzero(np.isnan(np.diagonal(factor)))
        found[at] = info or (lost[0] + 1 if lost.size else 0)
    return found


class CholeskyInfo(Decomposition):
    """k = indefinite(X)"""  # the size of the first leading matrix that is not positive-definite

    differentiable = False

    @staticmethod
    def forward(x):
        return backend_of(x).asarray(cholesky_orders(asnumpy(x)))


@linalg(LinalgCholeskyEx, out_exact=True)
def cholesky(A: Tensor, *, upper: bool = False) -> Tensor:
    """The lower triangles L of Hermitian matrices A = L·Lᴴ.

    Args:
        A: shape `(…, n, n)`, positive-definite. What is above the diagonal is not looked at.
        upper: return U = Lᴴ, of what is on and above the diagonal.

    Returns:
        Tensor of shape `(…, n, n)`.

    Raises:
        LinAlgError: if a matrix is not positive-definite.
        ShapeError, DTypeError: if they are not square matrices of floats.

    Example:
        >>> cholesky(tensor([[4.0, 2.0], [2.0, 5.0]]))
        tensor([[2., 0.],
                [1., 2.]])

    See also: https://pytorch.org/docs/stable/generated/torch.linalg.cholesky.html
    """
    check_matrices("linalg.cholesky", A)
    return LinalgCholeskyEx.apply(A, upper=bool(upper))


_CholeskyEx = return_type("linalg_cholesky_ex", "L info")


@linalg(LinalgCholeskyEx, CholeskyInfo, out_exact=True)
def cholesky_ex(A: Tensor, *, upper: bool = False, check_errors: bool = False) -> Any:
    """`cholesky`, and what is wrong with each matrix.

    Returns:
        The named tuple (L, info). `info` is 0, or the order of the first leading minor that is
        not positive-definite; L is nan there.

    Example:
        >>> cholesky_ex(tensor([[1.0, 0.0], [0.0, -1.0]])).info
        tensor(2, dtype=glassgrad.int32)
    """
    check_matrices("linalg.cholesky_ex", A)
    if check_errors:
        cholesky(A, upper=upper)
    info = CholeskyInfo.apply((A.mH if upper else A).detach())
    return _CholeskyEx(unless(info, lambda x: cholesky(x, upper=upper), A), info)


def unless(info: Tensor, function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """What a function makes of matrices: nan of those with an `info` that is not 0."""
    is_wrong = (info != 0)[..., None, None]
    found = function(where(is_wrong, x.new_tensor(np.eye(x.shape[-1])), x))
    return where(is_wrong if found.ndim == is_wrong.ndim else is_wrong[..., 0], math.nan, found)


@op(name="cholesky", out=True)
def _cholesky(input: Tensor, upper: bool = False) -> Tensor:
    """The same as `linalg.cholesky`.

    Example:
        >>> tensor([[4.0]]).cholesky()
        tensor([[2.]])
    """
    return cholesky(input, upper=upper)


# QR -----------------------------------------------------------------------------------------------


class LinalgQr(Decomposition):
    """Q, R = qr(X)        M = upper(R̄·Rᵀ − Qᵀ·Q̄),  X̄ = (Q̄ + Q·(M + Mᵀ))·inv(R)ᵀ
    Z = dX·inv(R),  U = upper(Qᵀ·Z + Zᵀ·Q),  dQ, dR = Z − Q·U, U·R
    """  # upper X is what is above the diagonal, and half of that

    saves = ("self",)
    multiple = True
    holomorphic = False

    @staticmethod
    def forward(x, *, mode):
        return tuple(np.linalg.qr(x, "reduced" if mode == "r" else mode))

    @staticmethod
    def backward(ctx, q_bar, r_bar):
        x, q, r = again(ctx)
        _check_qr(x, ctx.mode)
        by_r = None if r_bar is None else r_bar @ adjoint(r)
        by_q = None if q_bar is None else -(adjoint(q) @ q_bar)
        inner = total([by_r, by_q]) * triangle_like(r, 0.5, upper=True)
        moved = total([q_bar, q @ (inner + adjoint(inner))])
        return adjoint(solved(r, adjoint(moved), upper=True))


def _check_qr(x: Any, mode: str) -> None:
    n, m = x.shape[-2:]
    if mode == "complete" and n > m:
        raise GradientError(
            "The QR decomposition is not differentiable when mode='complete' and nrows > ncols: "
            f"the matrices are {n} by {m}, and any orthogonal columns may be the last of Q. Write "
            "mode='reduced'."
        )
    if mode == "r":
        raise GradientError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please "
            "use linalg.qr(A, mode='reduced') if you are going to require gradients."
        )


_Qr = return_type("linalg_qr", "Q R")


@linalg(LinalgQr, out_exact=True)
def qr(A: Tensor, mode: str = "reduced") -> Any:
    """Matrices with orthonormal columns, and upper triangles: A = Q·R.

    Args:
        A: shape `(…, n, m)`; k is the smaller of n and m.
        mode: "reduced", "complete" for all n columns of Q, or "r" for R alone, without a gradient.

    Returns:
        The named tuple (Q, R) of shapes `(…, n, k)` and `(…, k, m)`.

    Raises:
        LinAlgError: for another mode.
        ShapeError, DTypeError: if they are no matrices of floats.
        GradientError: in a backward pass that the mode does not allow.

    Example:
        >>> qr(tensor([[3.0], [4.0]])).R.abs()
        tensor([[5.]])

    See also: https://pytorch.org/docs/stable/generated/torch.linalg.qr.html
    """
    check_matrices("linalg.qr", A, square=False)
    if mode not in ("reduced", "complete", "r"):
        raise LinAlgError(
            f"qr received unrecognized mode {mode!r} but expected one of 'reduced' (default), "
            "'r', or 'complete'. They say how many columns Q has. Write one of them."
        )
    n, m = A.shape[-2:]
    if n >= m:
        q, r = LinalgQr.apply(A, mode=mode)
    else:  # the first columns make Q
        q, r = LinalgQr.apply(A[..., :n], mode=mode)
        r = cat([r, q.mH @ A[..., n:]], -1)
    return _Qr(A.new_empty((0,)) if mode == "r" else q, r)


_LegacyQr = return_type("qr", "Q R")


@op(name="qr")
def _qr(input: Tensor, some: bool = True) -> Any:
    """`linalg.qr`; `some=False` stands for mode="complete".

    Example:
        >>> tensor([[3.0], [4.0]]).qr().R.abs()
        tensor([[5.]])
    """
    return _LegacyQr(*qr(input, "reduced" if some else "complete"))


@op(aliases=("linalg.householder_product",), name="orgqr", out=True)
def householder_product(input: Tensor, tau: Tensor) -> Tensor:
    """The first columns of products of reflections 1 − τ·v·vᴴ.

    Args:
        input: shape `(…, n, m)`, of at least as many rows as columns. What is below the diagonal of
            a column is v, with a 1 on the diagonal and zeros above.
        tau: shape `(…, k)`: the numbers of the first k columns.

    Returns:
        Tensor of shape `(…, n, m)`.

    Raises:
        ShapeError: if there are fewer rows than columns, or more numbers than columns.
        DTypeError: if they are no matrices of floats.

    Example:
        >>> householder_product(tensor([[0.0], [1.0]]), tensor([1.0]))
        tensor([[ 0.],
                [-1.]])
    """
    check_matrices("torch.linalg.householder_product", input, square=False)
    (n, m), k = input.shape[-2:], tau.shape[-1]
    if n < m or m < k:
        raise ShapeError(
            f"torch.linalg.householder_product: input.shape[-2] must be greater than or equal to "
            f"input.shape[-1], and that to tau.shape[-1], got {n}, {m} and {k}. Each column has a "
            "reflection. Leave out columns or numbers."
        )
    vectors = tril(input, -1) + input.new_tensor(np.eye(n, m))
    nothing = vectors[..., :0].sum(-1, keepdim=True)  # so it stays in the graph if k is 0
    return _reflected(nothing + input.new_tensor(np.eye(n, m)), vectors, tau, reversed(range(k)))


def _reflected(x: Tensor, vectors: Tensor, tau: Tensor, order: Iterable[int]) -> Tensor:
    """`x`, multiplied from the left by one reflection after the other."""
    for at in order:
        v = vectors[..., at : at + 1]
        x = x - tau[..., at, None, None] * v @ (v.mH @ x)
    return x


_Geqrf = return_type("geqrf", "a tau")


@op(out=True)
def geqrf(input: Tensor) -> Any:
    """The factors of A = Q·R as LAPACK has them: R, and the reflections whose product is Q.

    Args:
        input: shape `(…, n, m)`; k is the smaller of n and m.

    Returns:
        The named tuple (a, tau), of the shape of A and `(…, k)`: R on and above the diagonal of
        `a`, below it and in `tau` what `householder_product` takes. They have no gradient.

    Raises:
        ShapeError, DTypeError: if they are no matrices of floats.

    Example:
        >>> geqrf(tensor([[3.0], [4.0]])).a
        tensor([[-5.0000],
                [ 0.5000]])
    """
    check_matrices("torch.geqrf", input, square=False)
    packed, tau = _by_lapack("geqrf", (input,), lambda call, x: call(x)[:2])
    return _Geqrf(*[without_derivative("geqrf", each, input) for each in (packed, tau)])


@op(out=True)
def ormqr(
    input: Tensor, tau: Tensor, other: Tensor, left: bool = True, transpose: bool = False
) -> Tensor:
    """The product of `other` and Q, the matrix that `geqrf` has written down as reflections.

    Args:
        input, tau: what `geqrf` returned: shapes `(…, n, k)` and `(…, k)`.
        other: shape `(…, n, m)`, or `(…, m, n)` if Q stands at the right.
        left: `Q @ other` rather than `other @ Q`.
        transpose: take `Q.mH` in the place of Q.

    Returns:
        Tensor of the shape of `other`.

    Example:
        >>> a, tau = geqrf(tensor([[3.0], [4.0]]))
        >>> ormqr(a, tau, tensor([[-5.0], [0.0]]))
        tensor([[3.],
                [4.]])
    """
    if not left:
        return ormqr(input, tau, other.mH, transpose=not transpose).mH
    n, m = input.shape[-2:]
    vectors = tril(input, -1) + input.new_tensor(np.eye(n, m))
    places = range(tau.shape[-1])
    if transpose:
        return _reflected(other, vectors, tau.conj(), places)
    return _reflected(other, vectors, tau, reversed(places))


def _by_lapack(name: str, operands: Sequence[Tensor], call: Callable[..., Values]) -> list[Tensor]:
    """What a routine of LAPACK's makes of each matrix of a batch.

    Args:
        operands: the first has matrices; the dims in front of them are the batch of all.
        call: takes the routine, and of each operand what belongs to one matrix.
    """
    from scipy.linalg import get_lapack_funcs

    arrays = [asnumpy(x.detach().payload) for x in operands]
    batch = arrays[0].shape[:-2]
    (routine,) = get_lapack_funcs((name,), arrays[:1])
    places = list(np.ndindex(batch))
    found = [call(routine, *[x[at] for x in arrays]) for at in places]
    if not found:  # of an empty batch
        found = [call(routine, *[np.zeros(x.shape[len(batch) :], x.dtype) for x in arrays])]
    stacks = [np.stack(parts)[: len(places)] for parts in zip(*found, strict=True)]
    backend = backend_of(array_of(operands[0]))
    return [wrap(backend.asarray(x.reshape((*batch, *x.shape[1:])))) for x in stacks]


# LDL ----------------------------------------------------------------------------------------------

_LdlFactor = return_type("linalg_ldl_factor", "LD pivots")
_LdlFactorEx = return_type("linalg_ldl_factor_ex", "LD pivots info")


@linalg(out=True)
def ldl_factor_ex(A: Tensor, *, hermitian: bool = False, check_errors: bool = False) -> Any:
    """`ldl_factor`, and what is wrong with each matrix.

    Returns:
        The named tuple (LD, pivots, info). `info` is 0, or the place of the first 0 on the diagonal
        of D, counted from 1.

    Example:
        >>> ldl_factor_ex(tensor([[4.0, 2.0], [2.0, 3.0]])).info
        tensor(0, dtype=glassgrad.int32)
    """
    check_matrices("torch.linalg.ldl_factor_ex", A)

    def factor(routine: Any, x: Any) -> Values:
        packed, pivots, info = routine(x, lower=True)
        return np.tril(packed), pivots, np.int32(info)

    found = _by_lapack(_of_symmetric(A, hermitian, "trf"), (A,), factor)
    packed, pivots, info = found
    if check_errors and bool((info != 0).any()):
        raise LinAlgError(
            f"torch.linalg.ldl_factor_ex: D[{int(info.max())}] is zero: the matrix has no inverse. "
            "Write check_errors=False for its factors."
        )
    return _LdlFactorEx(without_derivative("aten::linalg_ldl_factor_ex", packed, A), pivots, info)


@linalg(out=True)
def ldl_factor(A: Tensor, *, hermitian: bool = False) -> Any:
    """The factors of a symmetric matrix A = L·D·Lᵀ in one matrix, as `ldl_solve` takes them.

    Args:
        A: shape `(…, n, n)`; only its lower triangle is read.
        hermitian: A = L·D·Lᴴ, for complex numbers.

    Returns:
        The named tuple (LD, pivots), of the shapes of A and `(…, n)`, as LAPACK packs them: D has
        blocks of one or two rows. They have no gradient.

    Raises:
        ShapeError, DTypeError: if they are no square matrices of floats.

    Example:
        >>> ldl_factor(tensor([[4.0, 2.0], [2.0, 3.0]])).LD
        tensor([[4.0000, 0.0000],
                [0.5000, 2.0000]])
    """
    return _LdlFactor(*ldl_factor_ex(A, hermitian=hermitian, check_errors=True)[:2])


@linalg(out=True)
def ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: bool = False) -> Tensor:
    """The solution X of A·X = B, by the factors of `ldl_factor`.

    Args:
        LD, pivots: what `ldl_factor` returned.
        B: shape `(…, n, k)`.

    Returns:
        Tensor of the shape of B; it has no gradient.

    Example:
        >>> LD, pivots = ldl_factor(tensor([[4.0, 2.0], [2.0, 3.0]]))
        >>> ldl_solve(LD, pivots, tensor([[6.0], [5.0]]))
        tensor([[1.],
                [1.]])
    """
    check_matrices("torch.linalg.ldl_solve", LD)

    def solve(routine: Any, packed: Any, swapped: Any, right: Any) -> Values:
        return routine(packed, swapped, right, lower=True)[:1]

    batch = np.broadcast_shapes(LD.shape[:-2], B.shape[:-2])
    operands = [x.expand(*batch, *x.shape[-axes:]) for x, axes in ((LD, 2), (pivots, 1), (B, 2))]
    (found,) = _by_lapack(_of_symmetric(LD, hermitian, "trs"), operands, solve)
    return without_derivative("aten::linalg_ldl_solve", found, LD, B)


def _of_symmetric(x: Tensor, hermitian: bool, routine: str) -> str:
    """LAPACK's name of a routine for symmetric matrices, or for Hermitian ones."""
    return ("he" if hermitian and x.is_complex() else "sy") + routine


# LU -----------------------------------------------------------------------------------------------


class LinalgLuFactorEx(Decomposition):
    """Y, p, k = lu(X)        M = below(Lᵀ·below(Ȳ)) + up(up(Ȳ)·Uᵀ),  X̄ = perm(p)·inv(L)ᵀ·M·inv(U)ᵀ
    Z = inv(perm(p)·L)·dX·inv(U),  dY = L·below(Z) + up(Z)·U
    L = unit(Y),  U = up(Y)
    """  # of a square: below X is what is below its diagonal, up X the rest, unit X has ones there

    # A matrix that is no square is made one. What is added factors into itself: [A 0; B 1] into
    # the factors of A, and below them B·inv(U) and 1.

    saves = ("self",)
    multiple = True

    @staticmethod
    def forward(x, *, check_errors):
        packed, pivots, info = factored(asnumpy(x))
        if check_errors and np.any(info):
            first = info[info != 0][0]
            raise LinAlgError(
                f"torch.linalg.lu_factor: U[{first},{first}] is zero and using it on lu_solve "
                "would result in a division by zero. If you still want to perform the "
                "factorization, consider calling linalg.lu(A, pivot) or "
                "linalg.lu_factor_ex(A, pivot)"
            )
        return tuple([backend_of(x).asarray(part) for part in (packed, pivots, info)])

    @staticmethod
    def backward(ctx, grad):
        x, packed, pivots, _ = again(ctx)
        n, m = x.shape[-2:]
        if not min(n, m):
            return np.zeros_like(x)
        lower, upper, order = _factors(packed, pivots)
        below, above = _parts(_as_square(grad, 0))
        inner, _ = _parts(lower.swapaxes(-1, -2) @ below)
        _, outer = _parts(above @ upper.swapaxes(-1, -2))
        moved = solved(upper, (inner + outer).swapaxes(-1, -2), upper=True).swapaxes(-1, -2)
        return (order @ solved(lower.swapaxes(-1, -2), moved, upper=True))[..., :n, :m]


def factored(x: Any) -> Any:
    """L and U in one matrix, the rows that were swapped, and where U has its first 0, by LAPACK."""
    from scipy.linalg import get_lapack_funcs

    packed, batch, k = np.copy(x), x.shape[:-2], min(x.shape[-2:])
    pivots, info = np.zeros((*batch, k), np.int32), np.zeros(batch, np.int32)
    (getrf,) = get_lapack_funcs(("getrf",), (packed,))
    for at in np.ndindex(batch) if k else ():
        packed[at], pivots[at], info[at] = getrf(x[at])
    return packed, pivots + 1, info


def _as_square(x: Any, diagonal: float) -> Any:
    """A matrix with zeros added at the right or below, and `diagonal` where that goes on."""
    n, m = x.shape[-2:]
    if n == m:
        return x
    size, k = max(n, m), min(n, m)
    square = padded(x, size - k, -1 if n > m else -2)
    is_new = np.arange(size, like=array_of(x)) >= k
    return square + diagonal * eye_like(x, size) * is_new


def _parts(square: Any) -> tuple[Any, Any]:
    """What is below the diagonal, and the rest."""
    return square * triangle_like(square, 0), square * triangle_like(square, 1, upper=True)


def _factors(packed: Any, pivots: Any) -> tuple[Any, Any, Any]:
    """L, U and P, made square."""
    square = _as_square(packed, 1)
    n = square.shape[-1]
    below, upper = _parts(square)
    order = run(PivotsToMatrix, pivots, size=n, dtype=array_of(packed).dtype)
    return below + eye_like(square, n), upper, order


class PivotsToMatrix(Along):
    """P = perm(p)"""

    axes = ()
    promotes = None
    differentiable = False

    @staticmethod
    def forward(pivots, *, size, dtype):
        swapped = asnumpy(pivots)
        order = np.empty((*swapped.shape[:-1], size), np.intp)
        for at in np.ndindex(order.shape[:-1]):
            rows = list(range(size))
            for row, other in enumerate(swapped[at]):
                rows[row], rows[other - 1] = rows[other - 1], rows[row]
            order[at] = rows
        return backend_of(pivots).asarray(order[..., None, :] == np.arange(size)[:, None], dtype)


_LuFactorEx = return_type("linalg_lu_factor_ex", "LU pivots info")
_LuFactor = return_type("linalg_lu_factor", "LU pivots")
_Lu = return_type("linalg_lu", "P L U")
_LuUnpack = return_type("lu_unpack", "P L U")


@linalg(LinalgLuFactorEx, out_exact=True)
def lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False) -> Any:
    """`lu_factor`, and what is wrong with each matrix.

    Returns:
        The named tuple (LU, pivots, info). `info` is 0, or the place of the first 0 on the diagonal
        of U, counted from 1.

    Example:
        >>> lu_factor_ex(tensor([[1.0, 2.0], [2.0, 4.0]])).info
        tensor(2, dtype=glassgrad.int32)
    """
    check_matrices("torch.linalg.lu_factor", A, square=False)
    if not pivot:
        raise LinAlgError(
            "linalg.lu_factor: LU without pivoting is not implemented on the CPU. Where a row is "
            "not swapped for a better one, digits are lost. Leave `pivot` out."
        )
    return _LuFactorEx(*LinalgLuFactorEx.apply(A, check_errors=check_errors))


@linalg(LinalgLuFactorEx, out_exact=True)
def lu_factor(A: Tensor, *, pivot: bool = True) -> Any:
    """The factors of A = P·L·U in one matrix, as `lu_solve` takes them.

    Args:
        A: shape `(…, n, m)`; k is the smaller of n and m.
        pivot: swap rows, so that the largest element of what is left comes first; must be True.

    Returns:
        The named tuple (LU, pivots). LU has the shape of A: U on and above its diagonal, below it
        L, whose diagonal is all ones. `pivots`, int32 of shape `(…, k)`, says with which row each
        one was swapped, counted from 1.

    Raises:
        LinAlgError: if U has a 0 on its diagonal.
        ShapeError, DTypeError: if they are no matrices of floats.

    Example:
        >>> lu_factor(tensor([[1.0, 2.0], [2.0, 2.0]])).LU
        tensor([[2.0000, 2.0000],
                [0.5000, 1.0000]])

    See also: https://pytorch.org/docs/stable/generated/torch.linalg.lu_factor.html
    """
    return _LuFactor(*lu_factor_ex(A, pivot=pivot, check_errors=True)[:2])


@op()
def lu_unpack(
    LU_data: Tensor,
    LU_pivots: Tensor,
    unpack_data: bool = True,
    unpack_pivots: bool = True,
) -> Any:
    """The permutation and the triangles that `linalg.lu_factor` returns in one matrix.

    Args:
        LU_data: shape `(…, n, m)`; k is the smaller of n and m.
        LU_pivots: int32 of shape `(…, k)`.
        unpack_data, unpack_pivots: False for empty tensors in the place of L and U, or of P.

    Returns:
        The named tuple (P, L, U) of shapes `(…, n, n)`, `(…, n, k)` and `(…, k, m)`.

    Example:
        >>> LU, pivots = glassgrad.linalg.lu_factor(tensor([[1.0, 2.0], [2.0, 2.0]]))
        >>> lu_unpack(LU, pivots).L
        tensor([[1.0000, 0.0000],
                [0.5000, 1.0000]])
    """
    n, m = LU_data.shape[-2:]
    k = min(n, m)
    lower = upper = order = LU_data.new_empty((0,))
    if unpack_data:
        lower = tril(LU_data[..., :k], -1) + LU_data.new_tensor(np.eye(n, k))
        upper = triu(LU_data[..., :k, :])
    if unpack_pivots:
        order = PivotsToMatrix.apply(LU_pivots, size=n, dtype=LU_data.dtype)
    return _LuUnpack(order, lower, upper)


@linalg(out_exact=True)
def lu(A: Tensor, *, pivot: bool = True) -> Any:
    """A permutation and two triangles: A = P·L·U.

    Args:
        A: shape `(…, n, m)`; k is the smaller of n and m.
        pivot: see `lu_factor`.

    Returns:
        The named tuple (P, L, U) of shapes `(…, n, n)`, `(…, n, k)` and `(…, k, m)`.

    Raises:
        ShapeError, DTypeError: if they are no matrices of floats.

    Example:
        >>> lu(tensor([[1.0, 2.0], [2.0, 2.0]])).U
        tensor([[2., 2.],
                [0., 1.]])
    """
    packed, pivots, _ = lu_factor_ex(A, pivot=pivot)
    return _Lu(*lu_unpack(packed, pivots))


@op(name="lu")
def _lu(input: Tensor, pivot: bool = True, get_infos: bool = False) -> Any:
    """`linalg.lu_factor`; with `get_infos`, `linalg.lu_factor_ex`.

    Example:
        >>> tensor([[2.0]]).lu()
        (tensor([[2.]]), tensor([1], dtype=glassgrad.int32))
    """
    found = lu_factor_ex(input, pivot=pivot, check_errors=not get_infos)
    return tuple(found) if get_infos else tuple(found[:2])


# Eigenvalues --------------------------------------------------------------------------------------


class LinalgEigh(IntoVectors):
    """v, Q = eigh(X)        X̄ = Q·(diag(v̄) + gaps(Qᵀ·Q̄, v))·Qᵀ
    P = Qᵀ·dX·Q,  dv, dQ = diagonal(P), Q·gaps(P, v)
    """  # gaps(X, v) is xᵢⱼ/(vⱼ − vᵢ), and 0 where i = j

    @staticmethod
    def forward(x, *, uplo, checks):
        return tuple(np.linalg.eigh(x, uplo))

    @staticmethod
    def taken_for(x, *, uplo, checks):
        return mirrored(x, upper=uplo == "U")

    @staticmethod
    def backward(ctx, v_bar, q_bar):
        x, v, q = again(ctx)
        inner = None if v_bar is None else as_diagonal(v_bar, q)
        if q_bar is not None:
            turned = adjoint(q) @ q_bar
            check_phases("linalg_eigh_backward", ctx, x, turned)
            inner = total([inner, divided_by_gaps(turned, v)])
        return q @ inner @ adjoint(q)


_Eigh = return_type("linalg_eigh", "eigenvalues eigenvectors")


@linalg(LinalgEigh, out_exact=True)
def eigh(A: Tensor, UPLO: str = "L") -> Any:
    """The eigenvalues of Hermitian matrices, in ascending order, and their eigenvectors.

    Args:
        A: shape `(…, n, n)`.
        UPLO: which triangle is looked at: "L" for the lower one, "U" for the upper one.

    Returns:
        The named tuple (eigenvalues, eigenvectors): real, of shape `(…, n)`, and the columns of
        matrices of shape `(…, n, n)`. Gradients are those of a loss that does not depend on what
        is open: the phases of vectors, and which ones belong to equal eigenvalues.

    Raises:
        ShapeError, DTypeError: if they are not square matrices of floats.
        LinAlgError: for another UPLO.
        GradientError: in a backward pass, if a loss does depend on the phases.

    Example:
        >>> eigh(tensor([[2.0, 0.0], [0.0, 1.0]])).eigenvalues
        tensor([1., 2.])

    See also: https://pytorch.org/docs/stable/generated/torch.linalg.eigh.html
    """
    check_matrices("linalg.eigh", A)
    said = "Expected UPLO argument to be 'L' or 'U', but got {}"
    why = "It says which triangle of a Hermitian matrix is looked at. Write one of them."
    check.choice(said, UPLO, ("L", "U", "l", "u"), why, LinAlgError)
    return _Eigh(*LinalgEigh.apply(A, uplo=UPLO.upper(), checks=True))


@linalg(LinalgEigh, out_exact=True)
def eigvalsh(A: Tensor, UPLO: str = "L") -> Tensor:
    """The eigenvalues of Hermitian matrices, in ascending order; see `eigh`.

    Example:
        >>> eigvalsh(tensor([[2.0, 0.0], [0.0, 1.0]]))
        tensor([1., 2.])
    """
    return eigh(A, UPLO).eigenvalues


class LinalgEig(IntoVectors):
    """v, Q = eig(X)        M = Qᵀ·Q̄,  N = M − Qᵀ·Q·diag(diagonal(M))
    X̄ = inv(Q)ᵀ·(diag(v̄) + gaps(N, v))·Qᵀ
    P = inv(Q)·dX·Q,  D = Q·gaps(P, v),  dv, dQ = diagonal(P), D − Q·diag(diagonal(Qᵀ·D))
    """  # gaps(X, v) is xᵢⱼ/(vⱼ − vᵢ), and 0 where i = j; of real eigenvalues

    @staticmethod
    def forward(x, *, checks):
        kind = np.result_type(x.dtype, np.complex64)
        values, vectors = np.linalg.eig(x)
        return np.positive(values, dtype=kind), np.positive(vectors, dtype=kind)

    @staticmethod
    def backward(ctx, v_bar, q_bar):
        x, v, q = again(ctx)
        inner = None if v_bar is None else as_diagonal(v_bar, q)
        if q_bar is not None:
            turned = adjoint(q) @ q_bar
            check_phases("linalg_eig_backward", ctx, x, turned)
            lengths = real_part(diagonal_of(turned))[..., None, :]
            turned = turned - adjoint(q) @ (q * lengths)
            inner = total([inner, divided_by_gaps(turned, np.conj(v))])
        moved = np.linalg.solve(adjoint(q), inner @ adjoint(q))
        return moved if x.dtype.kind == "c" else np.real(moved)


_Eig = return_type("linalg_eig", "eigenvalues eigenvectors")


@linalg(LinalgEig, out_exact=True)
def eig(A: Tensor) -> Any:
    """The eigenvalues of matrices, and eigenvectors of length 1.

    Args:
        A: shape `(…, n, n)`.

    Returns:
        The named tuple (eigenvalues, eigenvectors): complex, of shape `(…, n)`, and the columns of
        matrices of shape `(…, n, n)`. Gradients are those of a loss that does not depend on the
        phases of the vectors; they are inf or nan where eigenvalues are equal.

    Raises:
        ShapeError, DTypeError: if they are not square matrices of floats.
        GradientError: in a backward pass, if a loss does depend on the phases.

    Example:
        >>> eig(tensor([[0.0, -1.0], [1.0, 0.0]])).eigenvalues
        tensor([0.+1.j, 0.-1.j])

    See also: https://pytorch.org/docs/stable/generated/torch.linalg.eig.html
    """
    check_matrices("linalg.eig", A)
    return _Eig(*LinalgEig.apply(A, checks=True))


@linalg(LinalgEig, out_exact=True)
def eigvals(A: Tensor) -> Tensor:
    """The eigenvalues of matrices; see `eig`.

    Example:
        >>> eigvals(tensor([[2.0, 1.0], [0.0, 1.0]]))
        tensor([2.+0.j, 1.+0.j])
    """
    return eig(A).eigenvalues


# Singular values ----------------------------------------------------------------------------------


class LinalgSvd(IntoVectors):
    """U, s, V = svd(X)        S = diag(s),  A = Uᵀ·Ū,  B = V·V̄ᵀ,  C = Ū − U·A,  D = V̄ − Bᵀ·V
    X̄ = U·(diag(s̄) + gaps(A − Aᵀ, s²)·S + S·gaps(B − Bᵀ, s²))·V + C·diag(1/s)·V + U·diag(1/s)·D
    P = Uᵀ·dX·Vᵀ,  W = gaps(P·S + S·Pᵀ, s²),  Z = −gaps(S·P + Pᵀ·S, s²)
    E = dX·Vᵀ − U·P,  F = Uᵀ·dX − P·V
    dU, ds, dV = U·W + E·diag(1/s), diagonal(P), Z·V + diag(1/s)·F
    """  # gaps(X, v) is xᵢⱼ/(vⱼ − vᵢ), and 0 where i = j

    @staticmethod
    def forward(x, *, full_matrices, checks):
        return tuple(np.linalg.svd(x, full_matrices))

    @staticmethod
    def settles(u, s, vh, *, full_matrices, checks):
        """Not the vectors that `full_matrices` adds: they only span what is left."""
        n, k, m = u.shape[-1], s.shape[-1], vh.shape[-2]
        return padded(u[..., :k], n - k, -1), s, padded(vh[..., :k, :], m - k, -2)

    @staticmethod
    def backward(ctx, u_bar, s_bar, vh_bar):
        (x,) = ctx.saved_tensors
        u, s, vh = run(LinalgSvd, x, full_matrices=False, checks=False)
        k, (n, m), phases = s.shape[-1], x.shape[-2:], []
        inner, outside = [None if s_bar is None else as_diagonal(s_bar, x)], []
        if u_bar is not None:
            turned, gaps, rest = _turning(u, u_bar[..., :k], s)
            phases.append(turned)
            inner.append(gaps * s[..., None, :])
            if x.dtype.kind == "c":
                inner.append(as_diagonal(diagonal_of(turned - adjoint(turned)) / (2 * s), x))
            outside.append(rest @ vh if n > k else None)
        if vh_bar is not None:
            turned, gaps, rest = _turning(adjoint(vh), adjoint(vh_bar[..., :k, :]), s)
            phases.append(turned)
            inner.append(s[..., None] * gaps)
            outside.append(u @ adjoint(rest) if m > k else None)
        if phases:
            check_phases("svd_backward", ctx, x, total(phases))
        return total([u @ total(inner) @ vh, *outside])


def _turning(vectors: Any, grad: Any, s: Any) -> tuple[Any, Any, Any]:
    """What a gradient of singular vectors says of how they turn: within their space, and out."""
    turned = adjoint(vectors) @ grad
    gaps = divided_by_gaps(turned - adjoint(turned), s * s)
    return turned, gaps, (grad - vectors @ turned) / s[..., None, :]


_Svd = return_type("linalg_svd", "U S Vh")


@linalg(LinalgSvd, out_exact=True)
def svd(A: Tensor, full_matrices: bool = True, *, driver: str | None = None) -> Any:
    """Singular values in descending order, between orthonormal columns and rows: A = U·diag(S)·Vh.

    Args:
        A: shape `(…, n, m)`; k is the smaller of n and m.
        full_matrices: return all n columns of U and all m rows of Vh, not k of them.
        driver: of PyTorch's on a GPU; there is none here.

    Returns:
        The named tuple (U, S, Vh). S is real, of shape `(…, k)`. Gradients are those of a loss that
        does not depend on what is open: signs or phases of vectors, which ones belong to equal
        values, and those that `full_matrices` adds.

    Raises:
        ShapeError, DTypeError: if they are no matrices of floats.
        GradientError: in a backward pass, if a loss does depend on the phases.

    Example:
        >>> svd(tensor([[3.0, 0.0], [0.0, 4.0]])).S
        tensor([4., 3.])

    See also: https://pytorch.org/docs/stable/generated/torch.linalg.svd.html
    """
    check_matrices("linalg.svd", A, square=False)
    if driver is not None:
        raise LinAlgError(
            "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with "
            f"cuSOLVER backend, got {driver!r}. NumPy has one way. Leave it out."
        )
    return _Svd(*LinalgSvd.apply(A, full_matrices=bool(full_matrices), checks=True))


@linalg(LinalgSvd, out_exact=True)
def svdvals(A: Tensor, *, driver: str | None = None) -> Tensor:
    """The singular values of matrices, in descending order; see `svd`.

    Example:
        >>> svdvals(tensor([[3.0, 0.0], [0.0, 4.0]]))
        tensor([4., 3.])
    """
    return svd(A, False, driver=driver).S


_LegacySvd = return_type("svd", "U S V")


@op(name="svd")
def _svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> Any:
    """`linalg.svd`, with the columns V in place of the rows Vh.

    Args:
        input: shape `(…, n, m)`.
        some: leave out the vectors that `full_matrices` would add.
        compute_uv: False for zeros in the place of U and V.

    Example:
        >>> tensor([[3.0, 0.0], [0.0, 4.0]]).svd().S
        tensor([4., 3.])
    """
    u, s, vh = svd(input, not some)
    if not compute_uv:
        *batch, n, m = input.shape
        u, vh = input.new_zeros((*batch, n, n)), input.new_zeros((*batch, m, m))
    return _LegacySvd(u, s, vh.mH)


@function()
def svd_lowrank(
    A: Tensor, q: int | None = 6, niter: int | None = 2, M: Tensor | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """The largest singular values of matrices and their vectors, found by random directions.

    Args:
        A: shape `(…, n, m)`.
        q: how many values; a few more than the rank that is expected.
        niter: how often the directions are turned towards the largest ones.
        M: what is subtracted from `A` before, of a shape that broadcasts to that of `A`.

    Returns:
        (U, S, V) of shapes `(…, n, q)`, `(…, q)` and `(…, m, q)`: A ≈ U·diag(S)·Vᴴ.

    Example:
        >>> svd_lowrank(tensor([[3.0, 0.0], [0.0, 4.0]]), q=2)[1]
        tensor([4., 3.])

    See also: Halko, Martinsson and Tropp, *Finding Structure with Randomness* (2009), §5.1.
    """
    rows = A if M is None else A - M
    is_wide = rows.shape[-2] < rows.shape[-1]
    if is_wide:
        rows = rows.mT
    drawn = randn(rows.shape[-1], 6 if q is None else q, dtype=A.dtype, device=A.device)
    basis = qr(matmul(rows, drawn))[0]
    for _ in range(niter or 0):
        basis = qr(matmul(rows, qr(matmul(rows.mH, basis))[0]))[0]
    u, s, vh = svd(matmul(basis.mH, rows), full_matrices=False)
    u, v = matmul(basis, u), vh.mH
    return (v.conj(), s, u.conj()) if is_wide else (u, s, v)


@function()
def pca_lowrank(
    A: Tensor, q: int | None = None, center: bool = True, niter: int = 2
) -> tuple[Tensor, Tensor, Tensor]:
    """The principal directions of examples, found by `svd_lowrank`.

    Args:
        A: n examples with m features, shape `(…, n, m)`.
        q: how many directions; None for 6, or as many as there are.
        center: subtract the mean of the examples first.
        niter: as for `svd_lowrank`.

    Returns:
        (U, S, V): the columns of V are the directions, `S² / (n - 1)` the variances along them.

    Raises:
        ArgumentError: for more directions than there are.

    Example:
        >>> pca_lowrank(tensor([[0.0, 1.0], [2.0, 1.0]]), q=1)[1]
        tensor([1.4142])

    See also: https://pytorch.org/docs/stable/generated/torch.pca_lowrank.html
    """
    n, m = A.shape[-2:]
    count = min(6, n, m) if q is None else q
    said = f"q(={{}}) must be non-negative integer and not greater than min(m, n)={min(n, m)}"
    check.within(said, count, 0, min(n, m), "It counts directions.", ArgumentError)
    said = "niter(={}) must be non-negative integer"
    check.least(said, niter, 0, "Directions are turned that often.", ArgumentError)
    return svd_lowrank(A - A.mean(-2, keepdim=True) if center else A, count, niter)


# Exponentials -------------------------------------------------------------------------------------


class LinalgMatrixExp(Decomposition):
    """Y = expm(X)        dY = corner(X, dX)        X̄ = corner(Xᵀ, Ȳ)"""

    # The exponential of [[X, D], [0, X]] has the derivative in the direction D in its corner.
    # (Higham, *Functions of Matrices*, §3.2.)

    @staticmethod
    def forward(x):
        from scipy.linalg import expm

        wide = np.result_type(x.dtype, np.float64)  # squares of squares cost digits
        found = expm(np.positive(asnumpy(x), dtype=wide)) if 0 not in x.shape else x
        return backend_of(x).asarray(found, x.dtype)

    @staticmethod
    def gradient(grad, x):
        n, turned = x.shape[-1], x.swapaxes(-1, -2)
        above = np.concatenate([turned, grad], axis=-1)
        below = np.concatenate([turned * 0, turned], axis=-1)
        return run(LinalgMatrixExp, np.concatenate([above, below], axis=-2))[..., :n, n:]


@op(LinalgMatrixExp, aliases=("linalg.matrix_exp",), inplace=False, out=False)
def matrix_exp(input: Tensor) -> Tensor:
    """The exponentials of matrices: Σₖ Aᵏ/k!.

    Args:
        input: shape `(…, n, n)`.

    Returns:
        Tensor of shape `(…, n, n)`.

    Raises:
        ShapeError, DTypeError: if they are not square matrices of floats.

    Example:
        >>> matrix_exp(tensor([[0.0, 1.0], [0.0, 0.0]]))
        tensor([[1., 1.],
                [0., 1.]])

    See also: https://pytorch.org/docs/stable/generated/torch.linalg.matrix_exp.html
    """
    check_matrices("linalg.matrix_exp", input)
    return LinalgMatrixExp.apply(input)


# Inverses and solutions --------------------------------------------------------------------------


class LinalgInvEx(Decomposition):
    """Y = inv(X)        dY = −Y·dX·Y        X̄ = −Yᵀ·Ȳ·Yᵀ"""

    @staticmethod
    def forward(x):
        return np.linalg.inv(x)

    @staticmethod
    def gradient(grad, y):
        turned = y.swapaxes(-1, -2)
        return -(turned @ grad @ turned)

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


@linalg(LinalgInvEx, out_exact=True, numpy=(np.linalg.inv,))
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


@linalg(out_exact=True)
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
    return _InvEx(unless(info, inv, A), info)


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
    said = f"{name}: Expected A and B to have the same dtype"
    said += ", but found A of type {} and B of type {} instead"
    check.one_dtype(A, B, said, "Equations are solved")
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


@linalg(LinalgSolveEx, out_exact=True)
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
    return in_shape(found, found.shape[:-1]) if is_vector else found


_SolveEx = return_type("linalg_solve_ex", "result info")


@linalg(out_exact=True)
def solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False) -> Any:
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
    return _SolveEx(unless(info, lambda x: solve(x, B, left=left), A), info)


@linalg(LinalgSolveTriangular, out_exact=True)
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


@function(out_exact=True)
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


@linalg(out_exact=True)
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
    said = "b should have at least 2 dimensions, but has {ndim} dimensions instead"
    check.ndim(said, input, 2, "Each column is a right side. Write `b.unsqueeze(-1)`.")
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
    def gradient(grad, x, det):
        return grad[..., None, None] * _cofactors(x, det)


def _cofactors(x: Any, det: Any) -> Any:
    """The slopes of a determinant."""
    n, epsilon = x.shape[-1], np.finfo(array_of(x).dtype).eps
    is_singular = (np.abs(det) < 100 * epsilon)[..., None, None]
    known = seen(is_singular)
    inverse = _inverse_unless(is_singular, x)
    if known is not None and not np.any(known):
        return det[..., None, None] * inverse.swapaxes(-1, -2)
    like = array_of(x)
    spread = eye_like(x, n) * (1 + np.arange(n, dtype=like.dtype, like=like))  # all unequal
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
    out_exact=True,
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
        is_singular = _each(sign, x) == 0
        inverse = np.where(is_singular, math.inf, _inverse_unless(is_singular, x))
        return _each(slopes, x) * adjoint(inverse)


def _inverse_unless(is_singular: Any, x: Any) -> Any:
    """The inverses; the identity for matrices that have none."""
    return np.linalg.inv(np.where(is_singular, eye_like(x, x.shape[-1]), x))


def _each(numbers: Any, x: Any) -> Any:
    """A number for each matrix of a stack, in dims that broadcast with it."""
    return np.reshape(numbers, (*x.shape[:-2], 1, 1))


_LinalgSlogdet = return_type("linalg_slogdet", "sign logabsdet")
_Slogdet = return_type("slogdet", "sign logabsdet")


@op(LinalgSlogdet, out_exact=True)
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


@linalg(name="slogdet", out_exact=True)
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
    def taken_for(x, *, hermitian):
        return mirrored(x) if hermitian else x

    @staticmethod
    def gradient(grad, x, _, y):
        (n, m), turned, back = x.shape[-2:], adjoint(y), adjoint(grad)
        by_columns = (eye_like(x, n) - x @ y) @ back @ y @ turned
        by_rows = turned @ y @ back @ (eye_like(x, m) - y @ x)
        return by_columns + by_rows - turned @ grad @ turned


def _values_of(x: Any, hermitian: bool) -> Any:
    """Columns, values and rows: those of eigenvectors, if `x` is Hermitian."""
    if not hermitian:
        return np.linalg.svd(x, full_matrices=False)
    values, vectors = np.linalg.eigh(x)
    return vectors, values, adjoint(vectors)


def _values_and_limit(
    A: Tensor, *, hermitian: bool = False, atol: Any = None, rtol: Any = None
) -> tuple[Tensor, Tensor]:
    """The singular values, and up to where they count as zeros: max(atol, s₁·rtol).

    Those of a Hermitian matrix are the sizes of its eigenvalues.
    """
    A = A.detach()
    values = abs(eigvalsh(A)) if hermitian else svdvals(A)
    atol = values.new_zeros(()) + (0 if atol is None else atol)
    if rtol is None:
        rtol = where(atol > 0, 0.0, max(A.shape[-2:]) * float(np.finfo(values.dtype).eps))
    largest = values.amax(-1) if values.shape[-1] else values.sum(-1)
    return values, maximum(largest * rtol, atol)


def _rank(values: Tensor, limit: Tensor) -> Tensor:
    return (values > limit.unsqueeze(-1)).sum(-1)


@linalg(LinalgPinv, out_exact=True)
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
    rtol = rcond if rtol is None else rtol
    _, limit = _values_and_limit(A, hermitian=hermitian, atol=atol, rtol=rtol)
    return LinalgPinv.apply(A, limit, hermitian=hermitian)


@op()
def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """The same as `linalg.pinv`, but for its tolerance.

    Example:
        >>> pinverse(tensor([[2.0]]))
        tensor([[0.5000]])
    """
    return pinv(input, rcond)


@linalg(out_exact=True)
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
    if tol is not None:
        atol, rtol = tol, 0.0
    return _rank(*_values_and_limit(A, hermitian=hermitian, atol=atol, rtol=rtol))


_Lstsq = return_type("linalg_lstsq", "solution residuals rank singular_values")


@linalg()
def lstsq(A: Tensor, B: Tensor, rcond: float | None = None, *, driver: str | None = None) -> Any:
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
    said = f"{name}: parameter `driver` should be one of (gels, gelsy, gelsd, gelss), got {{!r}}"
    why = "It says what is computed. Leave it out."
    check.choice(said, driver, ("gels", "gelsy", "gelsd", "gelss"), why, LinAlgError)
    is_vector = B.ndim == A.ndim - 1 and B.shape == A.shape[:-1]
    sides = B.unsqueeze(-1) if is_vector else B
    _check_rows(name, A, sides)
    n, m = A.shape[-2:]
    values, limit = _values_and_limit(A, rtol=0.0 if driver == "gels" else rcond)
    rank = _rank(values, limit)
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
    said = f"{name}: Expected input and other to have the same dtype"
    said += ", but got input's dtype {} and other's dtype {}"
    check.one_dtype(A, B, said, "Equations are solved")
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
    n = int_of(n, "matrix_power", "n")
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


@linalg()
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
    said = "N must be greater than 1"
    check.least(said, count, 2, f"Got {count}. Fewer are no powers. Write how many.", LinAlgError)
    powers = x.unsqueeze(-1).expand(*x.shape, count - 1).cumprod(-1)
    return cat([powers.new_ones((*x.shape, 1)), powers], -1)


@linalg(out_exact=True)
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
    said = "Expected a strictly positive integer for 'ind', got {}"
    check.least(said, ind, 1, "It counts dims. Write 1 for a matrix.")
    if math.prod(ahead) != math.prod(behind):
        raise ShapeError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == "
            f"prod(self.shape[:ind]), but got {math.prod(behind)} != {math.prod(ahead)}. Only a "
            "square has an inverse. Write another `ind`."
        )
    return reshape(inv(reshape(A, (math.prod(ahead), math.prod(behind)))), (*behind, *ahead))


@linalg(out_exact=True)
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
