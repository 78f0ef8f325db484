"""Lazy modules: the size of what comes in is that of the first input.

A `LazyLinear(3)` is a `Linear(n, 3)` whose n nobody has said. Its parameters have no shape
until it is called; then a `Linear` of the right size is made, the parameters take over what was
drawn for it, and the lazy one becomes an ordinary `Linear`. An optimiser keeps the parameters.
"""

import inspect
from collections.abc import Iterable
from typing import Any, ClassVar

from glassgrad.core.errors import ShapeError
from glassgrad.core.tensor import Tensor
from glassgrad.nn.applied import Derived
from glassgrad.nn.parameter import UninitializedBuffer, UninitializedParameter, is_lazy


class LazyModuleMixin(Derived):
    """What makes a module lazy whose first argument is the size of what comes in.

    Attributes:
        cls_to_become: the class of the module once its size is known; the class behind the mixin.
        channels_at: the dim of an input that has this size.
    """

    cls_to_become: ClassVar[Any]
    channels_at: ClassVar[int]

    def __init_subclass__(cls, channels_at: int | None = None, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if channels_at is not None:
            cls.cls_to_become, cls.channels_at = cls.__bases__[1], channels_at

    @classmethod
    def _derive(cls) -> Iterable[inspect.Parameter]:
        """The arguments of the module to become, without the first."""
        return list(inspect.signature(cls.cls_to_become).parameters.values())[1:]

    def _build(self, given: dict[str, Any]) -> None:
        """Make a module of size 0, then forget the shapes of its tensors."""
        self._make_empty(given)
        self._given = given
        for name, weight in self._parameters.items():
            if weight is not None:
                form = (weight.requires_grad, weight.device, weight.dtype)
                self._parameters[name] = UninitializedParameter(*form)
        for name, buffer in self._buffers.items():
            if buffer is not None and buffer.ndim:
                made = UninitializedBuffer(False, buffer.device, buffer.dtype)
                self._buffers[name] = made

    def _make_empty(self, given: dict[str, Any]) -> None:
        self.cls_to_become.__init__(self, 0, **given)

    def has_uninitialized_params(self) -> bool:
        """Whether some of its tensors have no shape yet."""
        return any(map(is_lazy, [*self._parameters.values(), *self._buffers.values()]))

    def initialize_parameters(self, input: Tensor, *_: Any, **__: Any) -> None:
        """Give all tensors the shapes that fit an input."""
        least = -self.channels_at if self.channels_at < 0 else self.channels_at + 1
        if input.ndim < least:
            raise ShapeError(
                f"Expected {least}D (unbatched) or {least + 1}D (batched) input to "
                f"{type(self).__name__}, but got input of size: {list(input.shape)}. Dim "
                f"{self.channels_at} is its channels. Write `x.unsqueeze(0)` if there is one."
            )
        size = input.shape[self.channels_at]
        made = self.cls_to_become(size, **self._given)
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
