# Written by `make stubs` (docs/stubs.py) from what the ops declare. Do not edit.
"""Linear algebra, under the names of `torch.linalg`."""

import builtins
from collections.abc import Sequence
from glassgrad.core.errors import LinAlgError as LinAlgError
from glassgrad.core.tensor import Tensor
from glassgrad.ops._arguments import Dims
from glassgrad.ops.diagonals import _linalg_diagonal as diagonal
from glassgrad.ops.matrices import lstsq as lstsq, matrix_exp as matrix_exp, vander as vander
from glassgrad.ops.norms import Order
from typing import Any

def cholesky(A: Tensor, *, upper: bool = False, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The lower triangles L of Hermitian matrices A = L·Lᴴ.

    Args:
        A: shape `(…, n, n)`, positive-definite. What is above the diagonal is not looked at.
        upper: return U = Lᴴ, of what is on and above the diagonal.
        out: where to write the result, if the tape need not record it.

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

def cholesky_ex(A: Tensor, *, upper: bool = False, check_errors: bool = False, out: Tensor | tuple[Tensor, ...] | None = None) -> Any:
    """`cholesky`, and what is wrong with each matrix.

    Returns:
        The named tuple (L, info). `info` is 0, or the order of the first leading minor that is
        not positive-definite; L is nan there.

    Example:
        >>> cholesky_ex(tensor([[1.0, 0.0], [0.0, -1.0]])).info
        tensor(2, dtype=glassgrad.int32)
    """

def cond(A: Tensor, p: Order = None, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """How much matrices can enlarge relative errors: the size of each, times that of its inverse.

    Args:
        A: shape `(…, n, n)`; for the orders 2 and -2, and None, `(…, n, m)`.
        p: the order of `matrix_norm`; None for 2.
        out: where to write the result, if the tape need not record it.

    Returns:
        Real tensor of shape `(…)`; inf for singular matrices.

    Raises:
        LinAlgError: for another order.
        ShapeError, DTypeError: if they are no matrices of floats.

    Example:
        >>> cond(tensor([[2.0, 0.0], [0.0, 4.0]]))
        tensor(2.)
    """

def cross(input: Tensor, other: Tensor, *, dim: int = -1, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`cross`, of the last dim if no other is given.

    Example:
        >>> glassgrad.linalg.cross(tensor([1.0, 0.0, 0.0]), tensor([0.0, 1.0, 0.0]))
        tensor([0., 0., 1.])
    """

def det(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The determinants of matrices.

    Args:
        input: shape `(…, n, n)`.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `(…)`.

    Raises:
        ShapeError, DTypeError: if they are not square matrices of floats.

    Example:
        >>> det(tensor([[1.0, 2.0], [3.0, 4.0]]))
        tensor(-2.)

    See also: https://pytorch.org/docs/stable/generated/torch.linalg.det.html
    """

def eig(A: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Any:
    """The eigenvalues of matrices, and eigenvectors of length 1.

    Args:
        A: shape `(…, n, n)`.
        out: where to write the result, if the tape need not record it.

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

def eigh(A: Tensor, UPLO: str = 'L', *, out: Tensor | tuple[Tensor, ...] | None = None) -> Any:
    """The eigenvalues of Hermitian matrices, in ascending order, and their eigenvectors.

    Args:
        A: shape `(…, n, n)`.
        UPLO: which triangle is looked at: "L" for the lower one, "U" for the upper one.
        out: where to write the result, if the tape need not record it.

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

def eigvals(A: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The eigenvalues of matrices; see `eig`.

    Example:
        >>> eigvals(tensor([[2.0, 1.0], [0.0, 1.0]]))
        tensor([2.+0.j, 1.+0.j])
    """

def eigvalsh(A: Tensor, UPLO: str = 'L', *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The eigenvalues of Hermitian matrices, in ascending order; see `eigh`.

    Example:
        >>> eigvalsh(tensor([[2.0, 0.0], [0.0, 1.0]]))
        tensor([1., 2.])
    """

def householder_product(input: Tensor, tau: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The first columns of products of reflections 1 − τ·v·vᴴ.

    Args:
        input: shape `(…, n, m)`, of at least as many rows as columns. What is below the diagonal of
            a column is v, with a 1 on the diagonal and zeros above.
        tau: shape `(…, k)`: the numbers of the first k columns.
        out: where to write the result, if the tape need not record it.

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

def inv(A: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The inverses of matrices.

    Args:
        A: shape `(…, n, n)`.
        out: where to write the result, if the tape need not record it.

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

def inv_ex(A: Tensor, *, check_errors: bool = False, out: Tensor | tuple[Tensor, ...] | None = None) -> Any:
    """`inv`, and what is wrong with each matrix.

    Returns:
        The named tuple (inverse, info). `info` is 0, or the place of the first 0 on the diagonal
        of the factor U, counted from 1; the inverse is nan there.

    Example:
        >>> inv_ex(tensor([[0.0]])).info
        tensor(1, dtype=glassgrad.int32)
    """

def ldl_factor(A: Tensor, *, hermitian: bool = False, out: Tensor | tuple[Tensor, ...] | None = None) -> Any:
    """The factors of a symmetric matrix A = L·D·Lᵀ in one matrix, as `ldl_solve` takes them.

    Args:
        A: shape `(…, n, n)`; only its lower triangle is read.
        hermitian: A = L·D·Lᴴ, for complex numbers.
        out: where to write the result, if the tape need not record it.

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

def ldl_factor_ex(A: Tensor, *, hermitian: bool = False, check_errors: bool = False, out: Tensor | tuple[Tensor, ...] | None = None) -> Any:
    """`ldl_factor`, and what is wrong with each matrix.

    Returns:
        The named tuple (LD, pivots, info). `info` is 0, or the place of the first 0 on the diagonal
        of D, counted from 1.

    Example:
        >>> ldl_factor_ex(tensor([[4.0, 2.0], [2.0, 3.0]])).info
        tensor(0, dtype=glassgrad.int32)
    """

def ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: bool = False, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The solution X of A·X = B, by the factors of `ldl_factor`.

    Args:
        LD, pivots: what `ldl_factor` returned.
        B: shape `(…, n, k)`.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of the shape of B; it has no gradient.

    Example:
        >>> LD, pivots = ldl_factor(tensor([[4.0, 2.0], [2.0, 3.0]]))
        >>> ldl_solve(LD, pivots, tensor([[6.0], [5.0]]))
        tensor([[1.],
                [1.]])
    """

def lu(A: Tensor, *, pivot: bool = True, out: Tensor | tuple[Tensor, ...] | None = None) -> Any:
    """A permutation and two triangles: A = P·L·U.

    Args:
        A: shape `(…, n, m)`; k is the smaller of n and m.
        pivot: see `lu_factor`.
        out: where to write the result, if the tape need not record it.

    Returns:
        The named tuple (P, L, U) of shapes `(…, n, n)`, `(…, n, k)` and `(…, k, m)`.

    Raises:
        ShapeError, DTypeError: if they are no matrices of floats.

    Example:
        >>> lu(tensor([[1.0, 2.0], [2.0, 2.0]])).U
        tensor([[2., 2.],
                [0., 1.]])
    """

def lu_factor(A: Tensor, *, pivot: bool = True, out: Tensor | tuple[Tensor, ...] | None = None) -> Any:
    """The factors of A = P·L·U in one matrix, as `lu_solve` takes them.

    Args:
        A: shape `(…, n, m)`; k is the smaller of n and m.
        pivot: swap rows, so that the largest element of what is left comes first; must be True.
        out: where to write the result, if the tape need not record it.

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

def lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False, out: Tensor | tuple[Tensor, ...] | None = None) -> Any:
    """`lu_factor`, and what is wrong with each matrix.

    Returns:
        The named tuple (LU, pivots, info). `info` is 0, or the place of the first 0 on the diagonal
        of U, counted from 1.

    Example:
        >>> lu_factor_ex(tensor([[1.0, 2.0], [2.0, 4.0]])).info
        tensor(2, dtype=glassgrad.int32)
    """

def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The solutions X of A·X = B, given what `lu_factor` returns for A.

    Args:
        LU: shape `(…, n, n)`.
        pivots: int32 of shape `(…, n)`.
        B: shape `(…, n, k)`.
        left: False to solve X·A = B, for a B of shape `(…, k, n)`.
        adjoint: take Aᴴ in the place of A.
        out: where to write the result, if the tape need not record it.

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

def matmul(input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def matrix_norm(A: Tensor, ord: Order = 'fro', dim: Sequence[int] = (-2, -1), keepdim: bool = False, *, dtype: Any = None, axis: Sequence[int] | None = None, keepdims: bool | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The sizes of matrices.

    Args:
        A: tensor of shape `S`, real or complex.
        ord: "fro" for the length of all elements, "nuc" for the sum of the singular values, 2 and
            -2 for the largest and the smallest of these, 1 and -1 for the largest and the smallest
            sum of a column, inf and -inf for those of a row.
        dim: the dims of the rows and columns.
        keepdim: keep those dims, with size 1.
        dtype: to compute in.
        out: where to write the result, if the tape need not record it.

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

def matrix_power(input: Tensor, n: int, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The matrices multiplied with themselves: `n` of them.

    Args:
        input: shape `(…, k, k)`.
        n: how many; a negative number for those of the inverse.
        out: where to write the result, if the tape need not record it.

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

def matrix_rank(A: Tensor, tol: float | Tensor | None = None, hermitian: bool = False, *, atol: float | Tensor | None = None, rtol: float | Tensor | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """How many singular values of matrices are no zeros.

    Args:
        A: shape `(…, n, m)`.
        hermitian, atol, rtol: as for `pinv`.
        tol: an `atol` beside which there is no `rtol`.
        out: where to write the result, if the tape need not record it.

    Returns:
        int64 tensor of shape `(…)`.

    Raises:
        ShapeError, DTypeError: if they are no matrices of floats.

    Example:
        >>> matrix_rank(tensor([[1.0, 2.0], [2.0, 4.0]]))
        tensor(1)
    """

def multi_dot(tensors: Any, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The product of several matrices, multiplied in the order that takes the fewest products.

    Args:
        tensors: two matrices or more, of shapes that fit; the first and the last may be vectors.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor: the product; a vector's dim is left out.

    Raises:
        ShapeError, DTypeError: if they do not fit.

    Example:
        >>> multi_dot([tensor([[1.0, 2.0]]), tensor([[3.0], [4.0]]), tensor([[2.0]])])
        tensor([[22.]])

    See also: https://pytorch.org/docs/stable/generated/torch.linalg.multi_dot.html
    """

def norm(A: Tensor, ord: Order = None, dim: Dims = None, keepdim: bool = False, *, dtype: Any = None, axis: Dims = None, keepdims: bool | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The lengths of vectors, or the sizes of matrices.

    Args:
        A: tensor of shape `S`, real or complex.
        ord: as for `vector_norm`, or as for `matrix_norm`; None for the length of all elements.
        dim: one dim for vectors, two for matrices; None for those of `A`, which has one or two
            then if there is an `ord`.
        keepdim: keep those dims, with size 1.
        dtype: to compute in.
        out: where to write the result, if the tape need not record it.

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

def pinv(A: Tensor, rcond: float | Tensor | None = None, hermitian: bool = False, *, atol: float | Tensor | None = None, rtol: float | Tensor | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The pseudoinverses of matrices, by Moore and Penrose.

    Args:
        A: shape `(…, n, m)`.
        hermitian: whether the matrices are; then only their lower triangles are looked at.
        atol, rtol: singular values up to max(atol, rtol·largest) count as zeros. `rtol` is
            max(n, m)·ε, if there is no `atol`.
        rcond: another name of `rtol`.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `(…, m, n)`. Its gradient is that of matrices whose rank stays the same.

    Raises:
        ShapeError, DTypeError: if they are no matrices of floats.

    Example:
        >>> pinv(tensor([[2.0], [0.0]]))
        tensor([[0.5000, 0.0000]])

    See also: https://pytorch.org/docs/stable/generated/torch.linalg.pinv.html
    """

def qr(A: Tensor, mode: str = 'reduced', *, out: Tensor | tuple[Tensor, ...] | None = None) -> Any:
    """Matrices with orthonormal columns, and upper triangles: A = Q·R.

    Args:
        A: shape `(…, n, m)`; k is the smaller of n and m.
        mode: "reduced", "complete" for all n columns of Q, or "r" for R alone, without a gradient.
        out: where to write the result, if the tape need not record it.

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

def slogdet(A: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Any:
    """The same as `slogdet`.

    Example:
        >>> glassgrad.linalg.slogdet(tensor([[1.0]])).logabsdet
        tensor(0.)
    """

def solve(A: Tensor, B: Tensor, *, left: bool = True, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The solutions X of A·X = B.

    Args:
        A: shape `(…, n, n)`.
        B: shape `(…, n, k)`, or `(…, n)` for a vector beside each matrix; of the same dtype.
        left: False to solve X·A = B, for a B of shape `(…, k, n)`.
        out: where to write the result, if the tape need not record it.

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

def solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False, out: Tensor | tuple[Tensor, ...] | None = None) -> Any:
    """`solve`, and what is wrong with each matrix.

    Returns:
        The named tuple (result, info). `info` is 0, or the place of the first 0 on the diagonal
        of the factor U, counted from 1; the result is nan there.

    Example:
        >>> solve_ex(tensor([[0.0]]), tensor([[1.0]])).info
        tensor(1, dtype=glassgrad.int32)
    """

def solve_triangular(A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The solutions X of A·X = B, where A is a triangle.

    Args:
        A: shape `(…, n, n)`. What is outside of the triangle is not looked at.
        B: shape `(…, n, k)`, of the same dtype.
        upper: whether the triangle is the upper one.
        left: False to solve X·A = B, for a B of shape `(…, k, n)`.
        unitriangular: take ones for the diagonal of A.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of the shape of B; dims in front broadcast.

    Raises:
        ShapeError, DTypeError: if they do not fit together.

    Example:
        >>> solve_triangular(tensor([[2.0, 0.0], [1.0, 1.0]]), tensor([[2.0], [3.0]]), upper=False)
        tensor([[1.],
                [2.]])
    """

def svd(A: Tensor, full_matrices: bool = True, *, driver: str | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> Any:
    """Singular values in descending order, between orthonormal columns and rows: A = U·diag(S)·Vh.

    Args:
        A: shape `(…, n, m)`; k is the smaller of n and m.
        full_matrices: return all n columns of U and all m rows of Vh, not k of them.
        driver: of PyTorch's on a GPU; there is none here.
        out: where to write the result, if the tape need not record it.

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

def svdvals(A: Tensor, *, driver: str | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The singular values of matrices, in descending order; see `svd`.

    Example:
        >>> svdvals(tensor([[3.0, 0.0], [0.0, 4.0]]))
        tensor([4., 3.])
    """

def tensorinv(A: Tensor, ind: int = 2, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The inverse of a tensor as a map from its last dims to its first `ind` ones.

    Args:
        A: tensor; its first `ind` dims have as many elements as the others.
        ind: how many dims are the result's of the map.
        out: where to write the result, if the tape need not record it.

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

def tensorsolve(A: Tensor, B: Tensor, dims: Sequence[int] | None = None, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The tensor X for which A, as a map of its last dims to the first ones, gives B.

    Args:
        A: tensor of the dims of B, and behind them those of X, as many elements in both.
        B: tensor.
        dims: dims of A that are moved to its end first.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of the last dims of A.

    Raises:
        ShapeError: if the sizes do not fit.
        LinAlgError: if there is no solution.

    Example:
        >>> tensorsolve(tensor([[2.0, 0.0], [0.0, 4.0]]), tensor([2.0, 2.0]))
        tensor([1.0000, 0.5000])
    """

def vecdot(x: Tensor, y: Tensor, *, dim: int = -1, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The inner products of vectors; the elements of the first ones are conjugated.

    Args:
        x, y: tensors of shapes that broadcast to `S`.
        dim: in which the vectors lie.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S` without `dim`.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: if the dtypes differ.

    Example:
        >>> vecdot(tensor([[1.0, 2.0], [3.0, 4.0]]), tensor([1.0, 1.0]))
        tensor([3., 7.])
    """

def vector_norm(x: Tensor, ord: Order = 2, dim: Dims = None, keepdim: bool = False, *, dtype: Any = None, axis: Dims = None, keepdims: bool | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The lengths of vectors: (Σᵢ |xᵢ|ᵖ)^(1/p).

    Args:
        x: tensor of shape `S`, real or complex.
        ord: p: 2 for the Euclidean length, inf and -inf for the largest and the smallest element,
            0 for how many elements are not 0.
        dim: the dims that a vector has; None for all of them.
        keepdim: keep those dims, with size 1.
        dtype: to compute in.
        out: where to write the result, if the tape need not record it.

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

__all__ = [
    "LinAlgError",
    "cholesky",
    "cholesky_ex",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "householder_product",
    "inv",
    "inv_ex",
    "ldl_factor",
    "ldl_factor_ex",
    "ldl_solve",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_factor_ex",
    "lu_solve",
    "matmul",
    "matrix_exp",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "multi_dot",
    "norm",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_ex",
    "solve_triangular",
    "svd",
    "svdvals",
    "tensorinv",
    "tensorsolve",
    "vander",
    "vecdot",
    "vector_norm",
]
