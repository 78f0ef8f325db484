"""Pruning: parameters some of whose elements are kept at 0 by a mask.

    weight = weight_orig · weight_mask       before each `forward`

`weight_orig` is what is trained, `weight_mask` a buffer of zeros and ones. Pruning again prunes
what is left. `remove` makes an ordinary parameter of the product.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from glassgrad import ops
from glassgrad.core.errors import ArgumentError, ArgumentTypeError
from glassgrad.core.tensor import Tensor
from glassgrad.nn.module import Module
from glassgrad.nn.utils._renamed import pre_hooks_of

__all__ = [
    "BasePruningMethod",
    "CustomFromMask",
    "Identity",
    "L1Unstructured",
    "LnStructured",
    "PruningContainer",
    "RandomStructured",
    "RandomUnstructured",
    "custom_from_mask",
    "global_unstructured",
    "identity",
    "is_pruned",
    "l1_unstructured",
    "ln_structured",
    "random_structured",
    "random_unstructured",
    "remove",
]


class BasePruningMethod:
    """The hook that multiplies a parameter by its mask; a subclass says what the mask is.

    Attributes:
        PRUNING_TYPE: "unstructured" for single elements, "structured" for whole slices, "global"
            for those of several parameters.
    """

    PRUNING_TYPE = "unstructured"
    _tensor_name = ""

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask of a tensor, of which the zeros of `default_mask` are a part."""
        raise NotImplementedError

    def apply_mask(self, module: Any) -> Tensor:
        """The parameter with its mask."""
        name = self._tensor_name
        masked: Tensor = getattr(module, f"{name}_mask") * getattr(module, f"{name}_orig")
        return masked

    def __call__(self, module: Any, args: Any) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    @classmethod
    def apply(
        cls,
        module: Module,
        name: str,
        *args: Any,
        importance_scores: Tensor | None = None,
        **kwargs: Any,
    ) -> "BasePruningMethod":
        """Prune a parameter of a module by a method made with these arguments."""
        method = cls(*args, **kwargs)
        method._tensor_name = name
        present = getattr(module, name)
        before = getattr(module, f"{name}_mask", None)
        if before is None:
            before = ops.ones_like(present).detach()
        scores = present if importance_scores is None else importance_scores
        if scores.shape != present.shape:
            raise ArgumentError(
                f"importance_scores should have the same shape as the parameter, {present.shape}, "
                f"and have {scores.shape}. Each element has its score."
            )
        mask = method._mask_of_rest(scores.detach(), before)
        if not hasattr(module, f"{name}_orig"):
            original = module._parameters.pop(name)
            module.register_parameter(f"{name}_orig", original)
            module.register_forward_pre_hook(method)
        else:
            for key, hook in pre_hooks_of(module, BasePruningMethod).items():
                if hook._tensor_name == name:
                    all_of_them = (hook,) if type(hook) is not PruningContainer else hook
                    method = PruningContainer(*all_of_them, method)
                    module._forward_pre_hooks[key] = method
        module.register_buffer(f"{name}_mask", mask)
        method(module, ())
        return method

    def _mask_of_rest(self, scores: Tensor, before: Tensor) -> Tensor:
        """The mask before, with zeros for what this method prunes of the rest."""
        if self.PRUNING_TYPE == "structured":
            dim: int = getattr(self, "dim")  # noqa: B009  # those that prune slices have it
            left = before.movedim(dim, 0).flatten(1).sum(1) != 0
            kept = (slice(None),) * (dim % before.ndim) + (left,)
            made = before.clone()
            made[kept] = self.compute_mask(scores[kept], before[kept])
            return made
        if self.PRUNING_TYPE == "global":
            return self.compute_mask(scores, before)
        kept = before.reshape(-1) == 1
        made = before.reshape(-1).clone()
        rest = scores.reshape(-1)[kept]
        made[kept] = self.compute_mask(rest, ops.ones_like(rest))
        return made.reshape(before.shape)

    def prune(
        self, t: Tensor, default_mask: Tensor | None = None, importance_scores: Tensor | None = None
    ) -> Tensor:
        """A tensor as it is when it is pruned."""
        before = ops.ones_like(t) if default_mask is None else default_mask
        return t * self._mask_of_rest(t if importance_scores is None else importance_scores, before)  # type: ignore[no-any-return]


class PruningContainer(BasePruningMethod):
    """The methods by which one parameter was pruned again and again, the first one first."""

    def __init__(self, *methods: BasePruningMethod) -> None:
        self._pruning_methods: tuple[BasePruningMethod, ...] = ()
        self._tensor_name = methods[0]._tensor_name if methods else ""
        for method in methods:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: BasePruningMethod) -> None:
        """Add one behind the others."""
        if not isinstance(method, BasePruningMethod):
            raise ArgumentTypeError(
                f"{type(method)} is not a BasePruningMethod subclass. It says what the mask is. "
                "Write `L1Unstructured(amount)`."
            )
        if method._tensor_name != self._tensor_name:
            raise ArgumentError(
                f"Can only add pruning methods acting on the parameter named '{self._tensor_name}' "
                f"to PruningContainer. Found '{method._tensor_name}'. Each parameter has its own."
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[BasePruningMethod]:
        return iter(self._pruning_methods)

    def __getitem__(self, index: int) -> BasePruningMethod:
        return self._pruning_methods[index]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        return self._pruning_methods[-1]._mask_of_rest(t, default_mask)


class Identity(BasePruningMethod):
    """Prunes nothing."""

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        return default_mask


class _ByAmount(BasePruningMethod):
    def __init__(self, amount: float) -> None:
        given: Any = amount
        if isinstance(given, bool) or not isinstance(given, int | float):
            raise ArgumentTypeError(
                f"Invalid type for amount: {amount}. Must be int or float. It is a number of "
                "elements, or a share. Write 0.3."
            )
        if given < 0 or (isinstance(given, float) and given > 1):
            raise ArgumentError(
                f"amount={amount} should either be a float in the range [0, 1] or a non-negative "
                "integer. It is a share, or a number of elements."
            )
        self.amount = amount

    def count(self, n: int) -> int:
        """How many of n are pruned: the amount itself, or a share."""
        if isinstance(self.amount, int) and self.amount > n:
            raise ArgumentError(
                f"amount={self.amount} should be smaller than the number of parameters to prune="
                f"{n}. Write a smaller one, or a share from 0 to 1."
            )
        return self.amount if isinstance(self.amount, int) else round(self.amount * n)


class RandomUnstructured(_ByAmount):
    """Prunes elements that are drawn.

    Args:
        amount: how many, or which share.
    """

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        chosen = ops.randperm(t.numel())[: self.count(t.numel())]
        return _without(default_mask, chosen)


class L1Unstructured(_ByAmount):
    """Prunes the elements of the smallest magnitudes.

    Args:
        amount: how many, or which share.
    """

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        order = np.argsort(np.abs(t.detach().numpy().reshape(-1)), kind="stable")
        return _without(default_mask, ops.as_tensor(order[: self.count(t.numel())]))


def _without(mask: Tensor, places: Tensor) -> Tensor:
    flat = mask.reshape(-1).clone()
    flat[places] = 0
    return flat.reshape(mask.shape)


class _Structured(_ByAmount):
    PRUNING_TYPE = "structured"

    def __init__(self, amount: float, dim: int = -1) -> None:
        super().__init__(amount)
        self.dim = dim

    def order(self, slices: Any) -> Any:
        """The places of slices, those first that are pruned first."""
        raise NotImplementedError

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        slices = np.moveaxis(t.detach().numpy(), self.dim, 0).reshape(t.shape[self.dim], -1)
        places = self.order(slices)[: self.count(len(slices))]
        mask = default_mask.clone()
        mask.movedim(self.dim, 0)[ops.as_tensor(places)] = 0
        return mask


class RandomStructured(_Structured):
    """Prunes slices that are drawn.

    Args:
        amount: how many, or which share.
        dim: along which.
    """

    def order(self, slices: Any) -> Any:
        return ops.randperm(len(slices)).numpy()


class LnStructured(_Structured):
    """Prunes the slices of the smallest norm.

    Args:
        amount: how many, or which share.
        n: p of the p-norm.
        dim: along which.
    """

    def __init__(self, amount: float, n: float, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def order(self, slices: Any) -> Any:
        return np.argsort(np.linalg.norm(slices, self.n, axis=1), kind="stable")


class CustomFromMask(BasePruningMethod):
    """Prunes where a mask is 0.

    Args:
        mask: of the parameter's shape.
    """

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        return default_mask * self.mask.to(default_mask.dtype)  # type: ignore[no-any-return]


def identity(module: Module, name: str) -> Module:
    """Give a parameter a mask of ones; returns the module."""
    Identity.apply(module, name)
    return module


def random_unstructured(module: Module, name: str, amount: float) -> Module:
    """Prune elements of a parameter that are drawn; returns the module."""
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(
    module: Module, name: str, amount: float, importance_scores: Tensor | None = None
) -> Module:
    """Prune the smallest elements of a parameter; returns the module.

    Args:
        module: whose parameter it is.
        name: of the parameter.
        amount: how many elements, or which share.
        importance_scores: what counts in the place of the elements.

    Example:
        >>> layer = Linear(2, 1, bias=False)
        >>> layer.weight.data = tensor([[1.0, -3.0]])
        >>> l1_unstructured(layer, "weight", amount=1).weight_mask
        tensor([[0., 1.]])
    """
    L1Unstructured.apply(module, name, amount, importance_scores=importance_scores)
    return module


def random_structured(module: Module, name: str, amount: float, dim: int) -> Module:
    """Prune slices of a parameter that are drawn; returns the module."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(
    module: Module,
    name: str,
    amount: float,
    n: float,
    dim: int,
    importance_scores: Tensor | None = None,
) -> Module:
    """Prune the slices of a parameter that have the smallest norm; returns the module."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: Module, name: str, mask: Tensor) -> Module:
    """Prune a parameter where a mask is 0; returns the module."""
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(
    parameters: Iterable[tuple[Module, str]],
    pruning_method: type[BasePruningMethod],
    importance_scores: dict[tuple[Module, str], Tensor] | None = None,
    **kwargs: Any,
) -> None:
    """Prune several parameters as if they were one.

    Args:
        parameters: modules with the names of their parameters.
        pruning_method: a class such as `L1Unstructured`.
        importance_scores: what counts in the place of the elements.
        **kwargs: what the class is made with.
    """
    places = list(parameters)
    given = importance_scores or {}
    scores = [given.get((module, name), getattr(module, name)) for module, name in places]
    masks = [
        getattr(module, f"{name}_mask", ops.ones_like(getattr(module, name)).detach())
        for module, name in places
    ]
    flat = ops.cat([x.detach().reshape(-1) for x in scores])
    mask = pruning_method(**kwargs)._mask_of_rest(flat, ops.cat([x.reshape(-1) for x in masks]))
    first = 0
    for (module, name), x in zip(places, scores, strict=True):
        custom_from_mask(module, name, mask[first : first + x.numel()].reshape(x.shape))
        first += x.numel()


def is_pruned(module: Module) -> bool:
    """Whether a parameter of the module, or of one below it, has a mask."""
    return any(pre_hooks_of(each, BasePruningMethod) for each in module.modules())


def remove(module: Module, name: str) -> Module:
    """Make an ordinary parameter of one that is pruned, with its zeros; returns the module.

    Raises:
        ArgumentError: if it is not pruned.
    """
    for key, hook in pre_hooks_of(module, BasePruningMethod).items():
        if hook._tensor_name == name:
            original: Any = module._parameters.pop(f"{name}_orig")
            original.data = (original * getattr(module, f"{name}_mask")).detach()
            del module._forward_pre_hooks[key]
            delattr(module, name)
            delattr(module, f"{name}_mask")
            module.register_parameter(name, original)
            return module
    raise ArgumentError(
        f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed. "
        "Write the name of one that is."
    )
