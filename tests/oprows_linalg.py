"""Rows of decompositions, of equations between matrices, and of norms.

Vectors of a decomposition are known but for a sign. So the rows are about what does not depend on
it: absolute values, or products.
"""

import numpy as np
import torch

from glassgrad.ops import matrices, norms
from opcase import OpCase, constant, fixed, real, sample

__all__ = ["ROWS"]

SQUARE = fixed(np.array([[2.0, 0.5, -1.0], [0.25, 3.0, 0.5], [-0.5, 1.0, 4.0]]))
SQUARES = fixed(np.array([[[2.0, 0.5], [0.25, 3.0]], [[1.0, -2.0], [0.5, 0.75]]]))
SINGULAR = fixed(np.array([[1.0, 2.0], [2.0, 4.0]]))
TALL = fixed(np.array([[2.0, 0.5], [0.25, 3.0], [-1.0, 0.5]]))
WIDE = fixed(np.array([[2.0, 0.5, -1.0], [0.25, 3.0, 0.5]]))
TURNING = fixed(np.array([[1.0, -2.0], [1.0, 0.5]]))
NO_MATRIX = sample(real(3))
NO_SQUARE = sample(real(2, 3))


def symmetric(op, x, **params):
    """Of a symmetric matrix that is positive-definite.

    The op looks at one triangle; its gradient is that of both moving together.
    """
    return op(x @ x.mT, **params) * 1


def sizes(op, *inputs, **params):
    """The absolute values of what does not depend on a choice but for signs."""
    return [part.abs() for part in op(*inputs, **params)]


def symmetric_sizes(op, x, **params):
    return sizes(op, x + x.mT, **params)


def factors(op, x):
    """L and U in one matrix."""
    return op(x)[0]


def permuted(op, x, pivots):
    return op(x, pivots.int())[0] * 1


ROWS = [
    OpCase(
        matrices.cholesky,
        [SQUARE],
        torch=torch.linalg.cholesky,
        rules="LinalgCholeskyEx",
        call=symmetric,
        more=[sample(SQUARES, upper=True)],
        wrong=[NO_MATRIX, sample(fixed(np.zeros((2, 2))))],
    ),
    OpCase(
        matrices.cholesky_ex,
        [constant(np.array([[[2.0, 1.0], [1.0, 3.0]], [[1.0, 2.0], [2.0, 1.0]]]))],
        torch=torch.linalg.cholesky_ex,
        rules="CholeskyInfo",
        call=lambda op, x: op(x).info,
        more=[sample(constant(np.array([[-1.0, 0.0], [0.0, 1.0]])))],
        wrong=[NO_MATRIX, NO_SQUARE],
    ),
    OpCase(
        matrices.qr,
        [TALL],
        torch=torch.linalg.qr,
        rules="LinalgQr",
        more=[
            sample(SQUARE),
            sample(SQUARES, mode="complete"),
        ],
        wrong=[NO_MATRIX, sample(SQUARE, mode="all")],
    ),
    OpCase(
        matrices.eigh,
        [SQUARE],
        torch=torch.linalg.eigh,
        rules="LinalgEigh",
        call=symmetric_sizes,
        more=[sample(SQUARES, UPLO="U")],
        wrong=[NO_MATRIX, NO_SQUARE, sample(SQUARE, UPLO="X")],
    ),
    OpCase(
        matrices.eig,
        [SQUARE],
        torch=torch.linalg.eig,
        rules="LinalgEig",
        call=sizes,
        more=[sample(TURNING), sample(SQUARES)],
        wrong=[NO_MATRIX, NO_SQUARE],
    ),
    OpCase(
        matrices.svd,
        [SQUARE],
        {"full_matrices": False},
        torch=torch.linalg.svd,
        rules="LinalgSvd",
        call=sizes,
        more=[
            sample(TALL, full_matrices=False),
            sample(WIDE, full_matrices=False),
            sample(SQUARES, full_matrices=True),
        ],
        wrong=[NO_MATRIX],
    ),
    OpCase(
        matrices.matrix_exp,
        [TURNING],
        torch=torch.linalg.matrix_exp,
        rules="LinalgMatrixExp",
        more=[sample(SQUARES)],
        wrong=[NO_MATRIX, NO_SQUARE],
    ),
    OpCase(
        matrices.lu_factor,
        [SQUARE],
        torch=torch.linalg.lu_factor,
        rules="LinalgLuFactorEx",
        call=factors,
        more=[sample(SQUARES), sample(TALL), sample(WIDE)],
        wrong=[NO_MATRIX, sample(SINGULAR)],
    ),
    OpCase(
        matrices.lu_unpack,
        [SQUARE, constant(np.array([2, 3, 3]))],
        rules="PivotsToMatrix",
        call=permuted,
        more=[sample(TALL, constant(np.array([3, 2]))), sample(WIDE, constant(np.array([1, 2])))],
    ),
    OpCase(
        matrices.inv,
        [SQUARE],
        torch=torch.linalg.inv,
        numpy=np.linalg.inv,
        rules="LinalgInvEx",
        more=[sample(SQUARES)],
        wrong=[NO_MATRIX, NO_SQUARE, sample(SINGULAR)],
    ),
    OpCase(
        matrices.solve,
        [SQUARE, real(3, 2)],
        torch=torch.linalg.solve,
        numpy=np.linalg.solve,
        rules="LinalgSolveEx",
        more=[sample(SQUARES, real(2, 2, 1))],
        wrong=[
            sample(real(3), real(3)),
            sample(SQUARE, real(2, 2)),
            sample(SINGULAR, real(2, 2)),
            sample(real(2, 3), real(2, 2)),
        ],
    ),
    OpCase(
        matrices.solve_triangular,
        [SQUARE, real(3, 2)],
        {"upper": False},
        torch=torch.linalg.solve_triangular,
        rules="LinalgSolveTriangular",
        more=[
            sample(SQUARE, real(3, 1), upper=True),
            sample(SQUARES, real(2, 2, 1), upper=True),
        ],
        wrong=[
            sample(SQUARE, real(2, 2), upper=True),
            sample(real(2, 3), real(2, 2), upper=True),
            sample(SQUARE, real(3), upper=True),
        ],
    ),
    OpCase(
        matrices.det,
        [SQUARE],
        torch=torch.linalg.det,
        numpy=np.linalg.det,
        rules="LinalgDet",
        more=[sample(SQUARES)],
        wrong=[NO_MATRIX, NO_SQUARE],
    ),
    OpCase(
        matrices.slogdet,
        [SQUARE],
        torch=torch.linalg.slogdet,
        rules="LinalgSlogdet",
        more=[sample(SQUARES)],
        wrong=[NO_MATRIX, NO_SQUARE],
    ),
    OpCase(
        matrices.pinv,
        [SQUARE],
        torch=torch.linalg.pinv,
        numpy=np.linalg.pinv,
        rules="LinalgPinv",
        more=[sample(TALL), sample(WIDE), sample(SQUARES)],
        wrong=[NO_MATRIX],
    ),
    OpCase(
        norms.vector_norm,
        [real(2, 3)],
        torch=torch.linalg.vector_norm,
        rules="LinalgVectorNorm",
        avoid=[0.0],
        more=[
            sample(real(2, 3), dim=1, keepdim=True),
            sample(real(2, 3), ord=1, dim=0),
            sample(real(2, 3), ord=3.5, dim=-1),
            sample(real(2, 3), ord=0.5),
            sample(real(2, 3), ord=float("inf"), dim=1),
            sample(real(2, 3), ord=-float("inf")),
            sample(fixed(np.array([1.0, 0.0])), ord=0, smooth=False),
            sample(fixed(np.array([0.0, 0.0])), smooth=False),
            sample(real()),
        ],
        wrong=[sample(real(0), ord=float("inf")), sample(real(2), dim=1)],
    ),
]
