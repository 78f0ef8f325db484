"""`Applied`: a module that calls a function with what it was made with.

    class LeakyReLU(Applied):
        function = "leaky_relu"
        negative_slope: float = 0.01
        inplace: bool = False

is a module of two arguments, as a dataclass with these fields has them. They are its attributes,
are shown by `repr`, and are what `nn.functional.leaky_relu` is given besides its inputs.
"""

import inspect
from typing import Any, ClassVar, dataclass_transform

from glassgrad.core.tensor import Tensor
from glassgrad.nn import functional
from glassgrad.nn.module import Module


@dataclass_transform()
class Applied(Module):
    """The base class of modules that only call a function of `nn.functional`.

    Attributes:
        function: its name.
        passes_training: whether it is told if the module is in training mode.
        fields: the arguments of the module that are handed on.
    """

    function: ClassVar[str]
    passes_training: ClassVar[bool] = False
    fields: ClassVar[tuple[str, ...]] = ()
    __signature__: ClassVar[inspect.Signature] = inspect.Signature()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Read the fields. Defaults leave the class: its names are not free for buffers."""
        super().__init_subclass__(**kwargs)
        declared = {
            name: kind
            for name, kind in vars(cls).get("__annotations__", {}).items()
            if getattr(kind, "__origin__", None) is not ClassVar
        }
        if not declared or "__init__" in vars(cls):  # a program's, with attributes of its own
            return
        parameters = []
        for name, kind in declared.items():
            default = vars(cls).get(name, inspect.Parameter.empty)
            parameters.append(
                inspect.Parameter(name, _BY_POSITION, default=default, annotation=kind)
            )
            if name in vars(cls):
                delattr(cls, name)
        cls.__signature__ = inspect.Signature(parameters)
        cls.fields = tuple(name for name in declared if name not in _OF_OLD)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        given = self.__signature__.bind(*args, **kwargs)
        given.apply_defaults()
        self.keep(given.arguments)

    def keep(self, given: dict[str, Any]) -> None:
        """Make attributes of the arguments, and buffers of tensors."""
        for name, value in given.items():
            if self.__signature__.parameters[name].annotation == Tensor | None:
                self.register_buffer(name, value)
            else:
                setattr(self, name, value)

    def forward(self, *inputs: Any, **named: Any) -> Any:
        kept = {name: getattr(self, name) for name in self.fields}
        if self.passes_training:
            kept["training"] = self.training
        return getattr(functional, self.function)(*inputs, **named, **kept)

    def extra_repr(self) -> str:
        shown = [name for name in self.fields if name != "inplace" or self.inplace]
        return ", ".join([f"{name}={getattr(self, name)!r}" for name in shown])


_BY_POSITION = inspect.Parameter.POSITIONAL_OR_KEYWORD
_OF_OLD = ("size_average", "reduce")  # what PyTorch's losses had before `reduction`
