"""The older way to compute a weight from others: before each `forward`, by a hook.

`weight_norm` and `spectral_norm` of `nn.utils` are this; those of `nn.utils.parametrizations` are
their newer forms.
"""

from typing import Any

from glassgrad.core.errors import ArgumentError, GraphError
from glassgrad.core.tensor import Tensor
from glassgrad.nn.module import Module
from glassgrad.nn.parameter import Parameter
from glassgrad.nn.utils.parametrizations import _SpectralNorm, _WeightNorm
from glassgrad.ops import mv

__all__ = ["remove_spectral_norm", "remove_weight_norm", "spectral_norm", "weight_norm"]


class _Hook:
    """Computes a weight before each call of its module.

    Args:
        name: of the weight.
        norm: the parametrization that computes it. Its buffers are the module's, too.
        parts: the endings of the names of what it is computed from.
    """

    def __init__(self, name: str, norm: Module, parts: tuple[str, ...]) -> None:
        self.name, self.norm = name, norm
        self.buffers = [f"{name}{buffer}" for buffer in norm._buffers]
        self.parts = [f"{name}{part}" for part in parts]

    def compute(self, module: Any) -> Tensor:
        """The weight of a module."""
        self.norm.train(module.training)
        for own, name in zip(self.norm._buffers, self.buffers, strict=True):
            self.norm._buffers[own] = getattr(module, name)
        return self.norm(*[getattr(module, part) for part in self.parts])  # type: ignore[no-any-return]

    def __call__(self, module: Any, args: Any) -> None:
        setattr(module, self.name, self.compute(module))


def _computed(module: Any, name: str, norm: Module, **parts: Parameter) -> Module:
    """Let a weight be computed of parts, now and before each call of the module."""
    hook = _Hook(name, norm, tuple(parts))
    delattr(module, name)
    for part, value in parts.items():
        module.register_parameter(f"{name}{part}", value)
    for buffer, tensor in norm.named_buffers():
        module.register_buffer(f"{name}{buffer}", tensor)
    module.register_forward_pre_hook(hook)
    hook(module, ())
    return module  # type: ignore[no-any-return]


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Let a weight be w = g·v/‖v‖; g and v are the parameters `weight_g` and `weight_v`.

    Args:
        module: whose weight it is.
        name: of the weight.
        dim: along which each slice has a length of its own; None: one for all.

    Returns:
        The module.

    Example:
        >>> [name for name, _ in weight_norm(Linear(2, 3)).named_parameters()]
        ['bias', 'weight_g', 'weight_v']
    """
    norm = _WeightNorm(dim)
    g, v = norm.right_inverse(_weight_of(module, name, "weight_norm").detach())
    return _computed(module, name, norm, _g=Parameter(g), _v=Parameter(v))


class _FromLeft(_SpectralNorm):
    """As it was in PyTorch before parametrizations: `_v` is found of `_u`."""

    def _improve(self, matrix: Tensor) -> None:
        self._v.copy_(self._normalized(mv(matrix.t(), self._u)))
        self._u.copy_(self._normalized(mv(matrix, self._v)))


def spectral_norm(
    module: Module,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Module:
    """Divide a weight by its largest singular value; the parameter is `weight_orig`.

    The arguments are those of `nn.utils.parametrizations.spectral_norm`.

    Example:
        >>> list(spectral_norm(Linear(2, 3)).state_dict())
        ['bias', 'weight_orig', 'weight_u', 'weight_v']
    """
    weight = _weight_of(module, name, "spectral_norm")
    norm = _FromLeft.of(module, weight, n_power_iterations, dim, eps)
    return _computed(module, name, norm, _orig=weight)


def remove_weight_norm(module: Module, name: str = "weight") -> Module:
    """Make one parameter of the weight again."""
    return _removed(module, name, _WeightNorm, "weight_norm")


def remove_spectral_norm(module: Module, name: str = "weight") -> Module:
    """Make one parameter of the weight again."""
    return _removed(module, name, _SpectralNorm, "spectral_norm")


def pre_hooks_of(module: Module, kind: type) -> dict[int, Any]:
    """The hooks of some kind that are called before a module's `forward`, by their keys."""
    found: Any = module._forward_pre_hooks.items()
    return {key: hook for key, hook in found if isinstance(hook, kind)}


def _weight_of(module: Module, name: str, kind: str) -> Parameter:
    if any(hook.name == name for hook in pre_hooks_of(module, _Hook).values()):
        raise GraphError(
            f"Cannot register two {kind} hooks on the same parameter {name}: it is computed before "
            f"each call already. Write `remove_{kind}(module)` first."
        )
    weight = module._parameters.get(name)
    if weight is None:
        raise ArgumentError(
            f"{type(module).__name__} has no parameter {name!r}. Its norm is set. "
            "Write the name of one."
        )
    return weight


def _removed(module: Any, name: str, kind: type[Module], what: str) -> Module:
    for key, hook in pre_hooks_of(module, _Hook).items():
        if isinstance(hook.norm, kind) and hook.name == name:
            weight = hook.compute(module).detach()
            del module._forward_pre_hooks[key]
            for part in (name, *hook.parts, *hook.buffers):
                delattr(module, part)
            module.register_parameter(name, Parameter(weight))
            return module  # type: ignore[no-any-return]
    raise ArgumentError(f"{what} of '{name}' not found in {module}. Nothing was removed.")
