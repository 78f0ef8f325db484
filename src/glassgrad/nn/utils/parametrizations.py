"""Parametrizations that are often wanted: weights of a given norm."""

from typing import Any, Self

from glassgrad.autograd.grad_mode import no_grad
from glassgrad.core.errors import ArgumentError
from glassgrad.core.tensor import Tensor
from glassgrad.nn.module import Module
from glassgrad.nn.utils.parametrize import register_parametrization
from glassgrad.ops import dot, mv, randn

__all__ = ["spectral_norm", "weight_norm"]


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
        if n_power_iterations <= 0:
            raise ArgumentError(
                "Expected n_power_iterations to be positive, but got "
                f"n_power_iterations={n_power_iterations}. Write 1 or more."
            )
        self.dim = dim if dim >= 0 else dim + weight.ndim
        self.eps = eps
        self.n_power_iterations = n_power_iterations
        if weight.ndim > 1:
            matrix = self._as_matrix(weight)
            rows, columns = matrix.shape
            form: Any = {"dtype": weight.dtype, "device": weight.device}
            self.register_buffer("_u", self._normalized(randn(rows, **form)))
            self.register_buffer("_v", self._normalized(randn(columns, **form)))
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
        return x / dot(x, x).sqrt().clamp(min=self.eps)  # type: ignore[no-any-return]

    def _iterate(self, matrix: Tensor, times: int) -> None:
        with no_grad():
            for _ in range(times):
                self._u.copy_(self._normalized(mv(matrix, self._v)))
                self._v.copy_(self._normalized(mv(matrix.t(), self._u)))

    def forward(self, weight: Tensor) -> Tensor:
        if weight.ndim == 1:
            return self._normalized(weight)
        matrix = self._as_matrix(weight)
        if self.training:
            self._iterate(matrix, self.n_power_iterations)
        return weight / dot(self._u.clone(), mv(matrix, self._v.clone()))  # type: ignore[no-any-return]

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
            f"Module '{module}' has no parameter or buffer with name '{name}'. "
            "Write the name of one."
        )
    made = _SpectralNorm.of(module, weight, n_power_iterations, dim, eps)
    return register_parametrization(module, name, made)
