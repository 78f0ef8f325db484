"""Lazy modules: the size of what comes in is that of the first input.

A `LazyLinear(3)` is a `Linear(n, 3)` whose n nobody has said. Its parameters have no shape
until it is called; then a `Linear` of the right size is made, the parameters take over what was
drawn for it, and the lazy one becomes an ordinary `Linear`. An optimiser keeps the parameters.
"""

import inspect
from typing import Any, ClassVar

from glassgrad.core.tensor import Tensor
from glassgrad.nn.convolution import (
    Conv1d,
    Conv2d,
    Conv3d,
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
)
from glassgrad.nn.layers import Linear
from glassgrad.nn.module import Module
from glassgrad.nn.normalization import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
)
from glassgrad.nn.parameter import UninitializedBuffer, UninitializedParameter, is_lazy


class LazyModuleMixin(Module):
    """What makes a module lazy whose first argument is the size of what comes in.

    Attributes:
        cls_to_become: the class of the module once its size is known; the class behind the mixin.
        channels_at: the dim of an input that has this size.
    """

    cls_to_become: ClassVar[Any]
    channels_at: ClassVar[int]
    __signature__: ClassVar[inspect.Signature] = inspect.Signature()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Have the arguments of the module to become, without the first."""
        super().__init_subclass__(**kwargs)
        cls.cls_to_become = cls.__bases__[1]
        _, *others = inspect.signature(cls.cls_to_become).parameters.values()
        cls.__signature__ = inspect.Signature(others)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        given = self.__signature__.bind(*args, **kwargs)
        super().__init__(0, *given.args, **given.kwargs)
        self._given = given
        for name, weight in self._parameters.items():
            if weight is not None:
                form = (weight.requires_grad, weight.device, weight.dtype)
                self._parameters[name] = UninitializedParameter(*form)
        for name, buffer in self._buffers.items():
            if buffer is not None and buffer.ndim:
                made = UninitializedBuffer(False, buffer.device, buffer.dtype)
                self._buffers[name] = made

    def has_uninitialized_params(self) -> bool:
        """Whether some of its tensors have no shape yet."""
        return any(map(is_lazy, [*self._parameters.values(), *self._buffers.values()]))

    def initialize_parameters(self, input: Tensor, *_: Any, **__: Any) -> None:
        """Give all tensors the shapes that fit an input."""
        size = input.shape[self.channels_at]
        made = self.cls_to_become(size, *self._given.args, **self._given.kwargs)
        own = {**self._parameters, **self._buffers}
        for name, value in {**made._parameters, **made._buffers}.items():
            present: Any = own[name]
            if is_lazy(present):
                present.materialize(value.shape)
                present.data = value.data.to(present.dtype)
        kept = {"training": self.training}
        attributes = {name: x for name, x in vars(made).items() if not name.startswith("_")}
        vars(self).update(attributes | kept)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.has_uninitialized_params():
            self.initialize_parameters(*args, **kwargs)
        del self._given
        self.__class__ = self.cls_to_become
        return self(*args, **kwargs)

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *rest: Any) -> None:
        """Take the shapes of a state that has some; values are loaded as of any module."""
        for name, own in {**self._parameters, **self._buffers}.items():
            value = state_dict.get(prefix + name)
            if is_lazy(own) and isinstance(value, Tensor) and not is_lazy(value):
                own.materialize(value.shape)  # type: ignore[union-attr]
        super()._load_from_state_dict(state_dict, prefix, *rest)


class LazyLinear(LazyModuleMixin, Linear):
    """A `Linear` whose `in_features` are the size of the last dim of the first input.

    Example:
        >>> layer = LazyLinear(2)
        >>> layer(ones(5, 3)).shape
        glassgrad.Size([5, 2])
        >>> layer
        Linear(in_features=3, out_features=2, bias=True)
    """

    channels_at = -1


class LazyConv1d(LazyModuleMixin, Conv1d):
    """A `Conv1d` whose `in_channels` are those of the first input."""

    channels_at = -2


class LazyConv2d(LazyModuleMixin, Conv2d):
    """A `Conv2d` whose `in_channels` are those of the first input."""

    channels_at = -3


class LazyConv3d(LazyModuleMixin, Conv3d):
    """A `Conv3d` whose `in_channels` are those of the first input."""

    channels_at = -4


class LazyConvTranspose1d(LazyModuleMixin, ConvTranspose1d):
    """A `ConvTranspose1d` whose `in_channels` are those of the first input."""

    channels_at = -2


class LazyConvTranspose2d(LazyModuleMixin, ConvTranspose2d):
    """A `ConvTranspose2d` whose `in_channels` are those of the first input."""

    channels_at = -3


class LazyConvTranspose3d(LazyModuleMixin, ConvTranspose3d):
    """A `ConvTranspose3d` whose `in_channels` are those of the first input."""

    channels_at = -4


class LazyBatchNorm1d(LazyModuleMixin, BatchNorm1d):
    """A `BatchNorm1d` whose `num_features` are the channels of the first input."""

    channels_at = 1


class LazyBatchNorm2d(LazyModuleMixin, BatchNorm2d):
    """A `BatchNorm2d` whose `num_features` are the channels of the first input."""

    channels_at = 1


class LazyBatchNorm3d(LazyModuleMixin, BatchNorm3d):
    """A `BatchNorm3d` whose `num_features` are the channels of the first input."""

    channels_at = 1
