"""The older way to compute a weight from others: before each `forward`, by a hook.

`weight_norm` and `spectral_norm` of `nn.utils` are this; those of `nn.utils.parametrizations` are
their newer forms.
"""

from typing import Any

from glassgrad.core.errors import ArgumentError
from glassgrad.core.tensor import Tensor
from glassgrad.nn.module import Module
from glassgrad.nn.parameter import Parameter
from glassgrad.nn.utils.parametrizations import _SpectralNorm, norm_except

__all__ = ["remove_spectral_norm", "remove_weight_norm", "spectral_norm", "weight_norm"]


class _Hook:
    """Computes the weight of a module before each call of it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def compute(self, module: Any) -> Tensor:
        raise NotImplementedError

    def parts(self) -> list[str]:
        raise NotImplementedError

    def __call__(self, module: Any, args: Any) -> None:
        setattr(module, self.name, self.compute(module))

    def hang_on(self, module: Any) -> None:
        """Compute the weight now, and before each call."""
        module.register_forward_pre_hook(self)
        self(module, ())


class _WeightNormHook(_Hook):
    def __init__(self, name: str, dim: int | None) -> None:
        super().__init__(name)
        self.dim = -1 if dim is None else dim

    def compute(self, module: Any) -> Tensor:
        g, v = [getattr(module, part) for part in self.parts()]
        return v * (g / norm_except(v, self.dim))  # type: ignore[no-any-return]

    def parts(self) -> list[str]:
        return [f"{self.name}_g", f"{self.name}_v"]


class _SpectralNormHook(_Hook):
    def __init__(self, name: str, weight: Tensor, times: int, dim: int, eps: float) -> None:
        super().__init__(name)
        self.norm = _SpectralNorm(weight, times, dim, eps)

    def compute(self, module: Any) -> Tensor:
        self.norm.training = module.training
        self.norm._u, self.norm._v = [getattr(module, part) for part in self.parts()[1:]]
        return self.norm(getattr(module, f"{self.name}_orig"))  # type: ignore[no-any-return]

    def parts(self) -> list[str]:
        return [f"{self.name}_orig", f"{self.name}_u", f"{self.name}_v"]


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
    weight = _taken(module, name)
    hook = _WeightNormHook(name, dim)
    module.register_parameter(f"{name}_g", Parameter(norm_except(weight.detach(), hook.dim)))
    module.register_parameter(f"{name}_v", Parameter(weight.detach()))
    hook.hang_on(module)
    return module


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
    weight = _taken(module, name)
    if dim is None:
        dim = 1 if type(module).__name__.startswith("ConvTranspose") else 0
    hook = _SpectralNormHook(name, weight.detach(), n_power_iterations, dim, eps)
    module.register_parameter(f"{name}_orig", weight)
    module.register_buffer(f"{name}_u", hook.norm._u)
    module.register_buffer(f"{name}_v", hook.norm._v)
    hook.hang_on(module)
    return module


def remove_weight_norm(module: Module, name: str = "weight") -> Module:
    """Make one parameter of the weight again."""
    return _removed(module, name, _WeightNormHook, "weight_norm")


def remove_spectral_norm(module: Module, name: str = "weight") -> Module:
    """Make one parameter of the weight again."""
    return _removed(module, name, _SpectralNormHook, "spectral_norm")


def _taken(module: Module, name: str) -> Parameter:
    """A parameter, which is no longer the module's."""
    weight = module._parameters.get(name)
    if weight is None:
        raise ArgumentError(
            f"{type(module).__name__} has no parameter '{name}'. Its norm is set. "
            "Write the name of one."
        )
    delattr(module, name)
    return weight


def _removed(module: Any, name: str, kind: type[_Hook], what: str) -> Module:
    for key, each in list(module._forward_pre_hooks.items()):
        hook = getattr(each, "hook", None)
        if isinstance(hook, kind) and hook.name == name:
            weight = hook.compute(module).detach()
            del module._forward_pre_hooks[key]
            for part in hook.parts():
                delattr(module, part)
            delattr(module, name)
            module.register_parameter(name, Parameter(weight))
            return module  # type: ignore[no-any-return]
    raise ArgumentError(f"{what} of '{name}' not found in {module}. Nothing was removed.")
