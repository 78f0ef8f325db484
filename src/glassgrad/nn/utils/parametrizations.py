"""Parametrizations that are often wanted: weights of a given norm."""

from typing import Any, Self

from glassgrad import ops
from glassgrad.core.errors import ArgumentError
from glassgrad.core.state import setting
from glassgrad.core.tensor import Tensor
from glassgrad.nn.module import Module
from glassgrad.nn.utils.parametrize import register_parametrization
from glassgrad.ops import _checks as check
from glassgrad.ops._lookup import function_named

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


def norm_except(x: Tensor, dim: int) -> Tensor:
    """The lengths of the slices along a dim, which is kept; of all together for -1."""
    others = None if dim == -1 else [k for k in range(x.ndim) if k != dim % x.ndim]
    return (x * x).sum(others, keepdim=dim != -1).sqrt()  # type: ignore[no-any-return]


class _WeightNorm(Module):
    """w = g·v/‖v‖."""

    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        return weight_v * (weight_g / norm_except(weight_v, self.dim))  # type: ignore[no-any-return]

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        return norm_except(weight, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Let a weight be w = g·v/‖v‖: its lengths and its directions are trained apart.

    Args:
        module: whose weight it is.
        name: of the weight.
        dim: along which each slice has a length of its own; None: one for all.

    Returns:
        The module.

    Example:
        >>> layer = weight_norm(Linear(2, 3))
        >>> [name for name, _ in layer.named_parameters()][1:]
        ['parametrizations.weight.original0', 'parametrizations.weight.original1']

    See also: Salimans and Kingma, *Weight Normalization* (2016).
    """
    return register_parametrization(module, name, _WeightNorm(dim), unsafe=True)


class _SpectralNorm(Module):
    """w/σ, where σ is the largest singular value, found by power iteration."""

    _u: Tensor
    _v: Tensor

    def __init__(
        self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12
    ) -> None:
        super().__init__()
        said = "Expected n_power_iterations to be positive, but got n_power_iterations={}"
        check.least(said, n_power_iterations, 1, "Write 1 or more.", ArgumentError)
        self.dim = dim if dim >= 0 else dim + weight.ndim
        self.eps = eps
        self.n_power_iterations = n_power_iterations
        if weight.ndim > 1:
            matrix = self._as_matrix(weight)
            rows, columns = matrix.shape
            form: Any = {"dtype": weight.dtype, "device": weight.device}
            self.register_buffer("_u", self._normalized(ops.randn(rows, **form)))
            self.register_buffer("_v", self._normalized(ops.randn(columns, **form)))
            self._iterate(matrix, 15)

    @classmethod
    def of(cls, module: Module, weight: Tensor, times: int, dim: int | None, eps: float) -> Self:
        """That of a module's weight, whose outputs are counted by dim 0 or 1."""
        if dim is None:
            dim = 1 if type(module).__name__.startswith("ConvTranspose") else 0
        return cls(weight.detach(), times, dim, eps)

    def _as_matrix(self, weight: Tensor) -> Tensor:
        return weight.movedim(self.dim, 0).flatten(1)

    def _normalized(self, x: Tensor) -> Tensor:
        return x / ops.dot(x, x).sqrt().clamp(min=self.eps)  # type: ignore[no-any-return]

    def _iterate(self, matrix: Tensor, times: int) -> None:
        with setting(grad=False):
            for _ in range(times):
                self._improve(matrix)

    def _improve(self, matrix: Tensor) -> None:
        self._u.copy_(self._normalized(ops.mv(matrix, self._v)))
        self._v.copy_(self._normalized(ops.mv(matrix.t(), self._u)))

    def forward(self, weight: Tensor) -> Tensor:
        if weight.ndim == 1:
            return self._normalized(weight)
        matrix = self._as_matrix(weight)
        if self.training:
            self._iterate(matrix, self.n_power_iterations)
        return weight / ops.dot(self._u.clone(), ops.mv(matrix, self._v.clone()))  # type: ignore[no-any-return]

    def right_inverse(self, value: Tensor) -> Tensor:
        return value


def spectral_norm(
    module: Module,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Module:
    """Divide a weight by its largest singular value: the layer stretches no input.

    Args:
        module: whose weight it is.
        name: of the weight.
        n_power_iterations: how often the estimate is improved at each call in training.
        eps: what lengths are at least.
        dim: which dim counts the outputs; None: 0, and 1 for transposed convolutions.

    Returns:
        The module.

    See also: Miyato et al., *Spectral Normalization for Generative Adversarial Networks* (2018).
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ArgumentError(
            f"Module '{module}' has no parameter or buffer with name {name!r}. "
            "Write the name of one."
        )
    made = _SpectralNorm.of(module, weight, n_power_iterations, dim, eps)
    return register_parametrization(module, name, made)


class _Orthogonal(Module):
    """B·Q(X): B is the weight as it was; Q makes matrices orthogonal, and a one of −1."""

    base: Tensor

    def __init__(self, shape: Any, orthogonal_map: str) -> None:
        super().__init__()
        self.shape, self.orthogonal_map = tuple(shape), orthogonal_map

    def forward(self, X: Tensor) -> Tensor:
        is_wide = X.shape[-2] < X.shape[-1]
        X = X.mT if is_wide else X
        n, k = X.shape[-2:]
        if self.orthogonal_map == "householder":
            below = X.tril(-1)
            lengths = 2.0 / (1.0 + (below * below).sum(-2))
            q = ops.orgqr(below + ops.eye(n, k, dtype=X.dtype, device=X.device), lengths)
            q = q * X.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)
        else:
            lower = X.tril()
            if n != k:
                lower = ops.cat([lower, X.new_zeros(*X.shape[:-2], n, n - k)], -1)
            skew = lower - lower.mH
            if self.orthogonal_map == "matrix_exp":
                q = ops.matrix_exp(skew)
            else:
                one = ops.eye(n, dtype=X.dtype, device=X.device)
                q = function_named("linalg", "solve")(one - skew / 2, one + skew / 2)
            q = q[..., :k]
        if hasattr(self, "base"):
            q = self.base @ q
        return q.mT if is_wide else q

    def right_inverse(self, Q: Tensor) -> Tensor:
        """−1 on the diagonal, from which the base alone makes the weight."""
        if tuple(Q.shape) != self.shape:
            raise ArgumentError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of "
                f"shape {Q.shape}. It takes the weight's place."
            )
        tall = Q.mT if Q.shape[-2] < Q.shape[-1] else Q
        n, k = tall.shape[-2:]
        if n != k:
            tall = ops.cat(
                [tall, ops.randn(*tall.shape[:-1], n - k, dtype=Q.dtype, device=Q.device)], -1
            )
        with setting(grad=False):
            q, r = ops.qr(tall)
            self.register_buffer("base", q * r.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2))
        start = ops.zeros_like(Q)
        start.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
        return start


def orthogonal(
    module: Module,
    name: str = "weight",
    orthogonal_map: str | None = None,
    *,
    use_trivialization: bool = True,
) -> Module:
    """Let a weight be an orthogonal matrix, or one with orthonormal columns or rows.

    Args:
        module: whose weight it is.
        name: of the weight.
        orthogonal_map: "matrix_exp", "cayley" or "householder"; None: the first for square
            matrices, the last for others.
        use_trivialization: False is not supported: the weight begins as the nearest such matrix.

    Returns:
        The module.

    Raises:
        ArgumentError: for another map, a weight that is no matrix, or without trivialization.

    See also: Lezcano-Casado, *Trivializations for Gradient-Based Optimization on Manifolds* (2019).
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor) or weight.ndim < 2:
        raise ArgumentError(
            f"Expected a matrix or batch of matrices. Module '{module}' has no such parameter or "
            f"buffer with name {name!r}. Write the name of one."
        )
    is_square = weight.shape[-2] == weight.shape[-1] or weight.is_complex()
    chosen = orthogonal_map or ("matrix_exp" if is_square else "householder")
    if chosen not in ("matrix_exp", "cayley", "householder") or not use_trivialization:
        raise ArgumentError(
            'orthogonal_map has to be one of "matrix_exp", "cayley", "householder", and '
            f"use_trivialization True. Got: {orthogonal_map}, {use_trivialization}. They say how "
            "all matrices lead to orthogonal ones. Leave them out."
        )
    return register_parametrization(module, name, _Orthogonal(weight.shape, chosen), unsafe=True)
