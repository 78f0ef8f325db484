"""Normalisation as modules: with a scale and a shift that are learned, and running statistics."""

import inspect
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from glassgrad import ops
from glassgrad.core.errors import ArgumentError
from glassgrad.core.tensor import Tensor
from glassgrad.memory.calls import warn
from glassgrad.nn import functional
from glassgrad.nn._making import Ints, add_parameters, check_rank, each_dim, listed
from glassgrad.nn.applied import Derived
from glassgrad.nn.init import ones_, zeros_
from glassgrad.nn.lazy import LazyModuleMixin
from glassgrad.nn.module import Module
from glassgrad.nn.parameter import Parameter
from glassgrad.values.dtypes import int64


class _Scaled(Module):
    """The base class of what scales by `weight` and shifts by `bias`, if there are some."""

    weight: Parameter | None
    bias: Parameter | None

    def make_learned(self, shape: Sequence[int], device: Any, dtype: Any, **wanted: bool) -> None:
        """Make those of both that are wanted."""
        shapes = {name: shape if is_wanted else None for name, is_wanted in wanted.items()}
        add_parameters(self, device, dtype, **shapes)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Begin again, with a scale of 1 and a shift of 0."""
        for name, fill in (("weight", ones_), ("bias", zeros_)):
            learned = getattr(self, name, None)
            if learned is not None:
                fill(learned)


class LayerNorm(_Scaled):
    """Each example with mean 0 and variance 1 over its last dims.

    Args:
        normalized_shape: the sizes of those dims; an int for one.
        eps: added to the variance.
        elementwise_affine: whether there are `weight` and `bias`.
        bias: whether there is a `bias`.
        device, dtype: of the parameters.

    Example:
        >>> LayerNorm(2)(tensor([[1.0, 3.0]])).tolist()
        [[-0.9999949932098389, 0.9999949932098389]]
    """

    def __init__(
        self,
        normalized_shape: Ints,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = each_dim(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        learned = {"weight": elementwise_affine, "bias": elementwise_affine and bias}
        self.make_learned(self.normalized_shape, device, dtype, **learned)

    def forward(self, input: Tensor) -> Tensor:
        return functional.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, {listed(self, 'eps', 'elementwise_affine', 'bias')}"


class RMSNorm(_Scaled):
    """Each example divided by the root of the mean of squares over its last dims.

    Args:
        normalized_shape: the sizes of those dims; an int for one.
        eps: added to the mean; None: the least step from 1 of the dtype.
        elementwise_affine: whether there is a `weight`.
        device, dtype: of the weight.
    """

    def __init__(
        self,
        normalized_shape: Ints,
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = each_dim(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self.make_learned(self.normalized_shape, device, dtype, weight=elementwise_affine)

    def forward(self, x: Tensor) -> Tensor:
        return functional.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, {listed(self, 'eps', 'elementwise_affine')}"


class GroupNorm(_Scaled):
    """Groups of channels of each example with mean 0 and variance 1.

    Args:
        num_groups: how many.
        num_channels: C, the size of dim 1.
        eps: added to the variance.
        affine: whether there are `weight` and `bias`.
        device, dtype: of the parameters.
        bias: whether there is a `bias`.

    Raises:
        ArgumentError: if the channels cannot be parted so.
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ArgumentError(
                f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups}). "
                "Groups have one size. Write a divisor."
            )
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        self.make_learned((num_channels,), device, dtype, weight=affine, bias=affine and bias)

    def forward(self, input: Tensor) -> Tensor:
        return functional.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return f"{self.num_groups}, {self.num_channels}, {listed(self, 'eps', 'affine', 'bias')}"


class _NormBase(_Scaled):
    """The base class of `BatchNorm1d` and its kin.

    Args:
        num_features: C, the size of the dim of channels.
        eps: added to the variance.
        momentum: how far running statistics are moved; None: they are means of all batches.
        affine: whether there are `weight` and `bias`.
        track_running_stats: whether there are `running_mean`, `running_var` and
            `num_batches_tracked`, which are used in evaluation mode.
        device, dtype: of the parameters.
        bias: whether there is a `bias`.

    Attributes:
        ranks: how many dims an input may have.
    """

    _version = 2
    ranks: ClassVar[tuple[int, ...]]
    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        stats = {
            "running_mean": ops.zeros(num_features, device=device, dtype=dtype),
            "running_var": ops.ones(num_features, device=device, dtype=dtype),
            "num_batches_tracked": ops.zeros((), device=device, dtype=int64),
        }
        for name, value in stats.items():
            self.register_buffer(name, value if track_running_stats else None)
        self.make_learned((num_features,), device, dtype, weight=affine, bias=affine and bias)

    def reset_running_stats(self) -> None:
        """Forget all batches."""
        starts = {"running_mean": 0, "running_var": 1, "num_batches_tracked": 0}
        for name, start in starts.items():
            if getattr(self, name) is not None:
                getattr(self, name).fill_(start)

    def reset_parameters(self) -> None:
        """Begin again."""
        self.reset_running_stats()
        super().reset_parameters()

    def _check_input_dim(self, input: Tensor) -> None:
        """Raise ArgumentError for an input of other dims; subclasses may override it."""
        check_rank(self, input, self.ranks)

    def _load_from_state_dict(
        self, state_dict: dict[str, Any], prefix: str, local_metadata: dict[str, Any], *rest: Any
    ) -> None:
        """Batches are counted since version 2: states from before keep the count that is there."""
        if self.num_batches_tracked is not None and local_metadata.get("version", 1) < 2:
            state_dict.setdefault(f"{prefix}num_batches_tracked", self.num_batches_tracked)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)

    def extra_repr(self) -> str:
        names = ("eps", "momentum", "affine", "bias", "track_running_stats")
        return f"{self.num_features}, {listed(self, *names)}"


class _BatchNorm(_NormBase):
    """Each channel with mean 0 and variance 1 over the batch."""

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        momentum = 0.0 if self.momentum is None else self.momentum
        is_tracked = self.training and self.track_running_stats
        if is_tracked and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                momentum = 1.0 / float(self.num_batches_tracked)
        stats = (self.running_mean, self.running_var)
        of_batch = self.training or (self.running_mean is None and self.running_var is None)
        if self.training and not is_tracked:
            stats = (None, None)
        learned = (self.weight, self.bias)
        return functional.batch_norm(input, *stats, *learned, of_batch, momentum, self.eps)


class BatchNorm1d(_BatchNorm):
    """`BatchNorm` of vectors `(N, C)`, or of sequences `(N, C, L)`."""

    ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """`BatchNorm` of images `(N, C, H, W)`."""

    ranks = (4,)


class BatchNorm3d(_BatchNorm):
    """`BatchNorm` of volumes `(N, C, D, H, W)`."""

    ranks = (5,)


class SyncBatchNorm(_BatchNorm):
    """`BatchNorm` of any inputs; over several processes in PyTorch, over one here.

    Args:
        num_features, eps, momentum, affine, track_running_stats, device, dtype, bias: as of
            `BatchNorm2d`.
        process_group: accepted, and without effect.

    Example:
        >>> SyncBatchNorm.convert_sync_batchnorm(BatchNorm2d(3))
        SyncBatchNorm(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)
    """

    ranks = (2, 3, 4, 5)

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: Any = None,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        options = (eps, momentum, affine, track_running_stats, device, dtype)
        super().__init__(num_features, *options, bias=bias)
        self.process_group = process_group

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any = None) -> Module:
        """A module with one of this class in the place of each `BatchNorm`, and its tensors."""
        made = module
        if isinstance(module, _BatchNorm):
            options = (module.eps, module.momentum, module.affine, module.track_running_stats)
            made = cls(module.num_features, *options, process_group, bias=module.bias is not None)
            made._parameters.update(module._parameters)
            made._buffers.update(module._buffers)
            made.training = module.training
        for name, child in module.named_children():
            made.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return made


class _InstanceNorm(Derived, _NormBase):
    """Each channel of each example with mean 0 and variance 1."""

    @classmethod
    def _derive(cls) -> Iterable[inspect.Parameter]:
        """Those of the base class; but by default nothing is learned or tracked."""
        for each in inspect.signature(_NormBase).parameters.values():
            is_off = each.name in ("affine", "track_running_stats")
            yield each.replace(default=False) if is_off else each

    def _build(self, given: dict[str, Any]) -> None:
        _NormBase.__init__(self, **given)

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        is_batched = input.ndim == self.ranks[-1]
        dim = int(is_batched)
        if input.shape[dim] != self.num_features:
            if self.affine:
                raise ArgumentError(
                    f"expected input's size at dim={dim} to match num_features "
                    f"({self.num_features}), but got: {input.shape[dim]}. Each channel has its "
                    "scale. Make the module for as many."
                )
            warn(
                f"input's size at dim={dim} does not match num_features. You can silence this "
                "warning by not passing in num_features, which is not used because affine=False"
            )
        x = input if is_batched else input.unsqueeze(0)
        stats, learned = (self.running_mean, self.running_var), (self.weight, self.bias)
        of_input = self.training or not self.track_running_stats
        momentum = 0.0 if self.momentum is None else self.momentum
        y = functional.instance_norm(x, *stats, *learned, of_input, momentum, self.eps)
        return y if is_batched else y.squeeze(0)


class InstanceNorm1d(_InstanceNorm):
    """`InstanceNorm` of sequences, `(N, C, L)` or `(C, L)`."""

    ranks = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """`InstanceNorm` of images, `(N, C, H, W)` or `(C, H, W)`."""

    ranks = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """`InstanceNorm` of volumes, `(N, C, D, H, W)` or `(C, D, H, W)`."""

    ranks = (4, 5)


class LazyBatchNorm1d(LazyModuleMixin, BatchNorm1d, channels_at=1):
    """A `BatchNorm1d` whose `num_features` are the channels of the first input."""


class LazyBatchNorm2d(LazyModuleMixin, BatchNorm2d, channels_at=1):
    """A `BatchNorm2d` whose `num_features` are the channels of the first input."""


class LazyBatchNorm3d(LazyModuleMixin, BatchNorm3d, channels_at=1):
    """A `BatchNorm3d` whose `num_features` are the channels of the first input."""


class _LazyInstanceNorm(LazyModuleMixin):
    """Those of `InstanceNorm` learn and track nothing by default; the lazy ones do."""

    @classmethod
    def _derive(cls) -> Iterable[inspect.Parameter]:
        return list(inspect.signature(_NormBase).parameters.values())[1:]

    def _make_empty(self, given: dict[str, Any]) -> None:
        _NormBase.__init__(self, 0, **given)  # type: ignore[arg-type]  # the class behind is one


class LazyInstanceNorm1d(_LazyInstanceNorm, InstanceNorm1d, channels_at=1):
    """An `InstanceNorm1d` whose `num_features` are the channels of the first input."""


class LazyInstanceNorm2d(_LazyInstanceNorm, InstanceNorm2d, channels_at=1):
    """An `InstanceNorm2d` whose `num_features` are the channels of the first input."""


class LazyInstanceNorm3d(_LazyInstanceNorm, InstanceNorm3d, channels_at=1):
    """An `InstanceNorm3d` whose `num_features` are the channels of the first input."""
