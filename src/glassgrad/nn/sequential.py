"""`Sequential`: modules in a row, each fed with what the one before gave."""

from collections.abc import Iterator, Mapping
from typing import Any, Self

from glassgrad.core.errors import DimError
from glassgrad.nn.module import Module

__all__ = ["Sequential"]


class Sequential(Module):
    """Modules that run one after the other.

    Args:
        *modules: named "0", "1", …; or one dict of names and modules.

    Example:
        >>> Sequential(Linear(2, 3), ReLU())
        Sequential(
          (0): Linear(in_features=2, out_features=3, bias=True)
          (1): ReLU()
        )
    """

    def __init__(self, *modules: Any) -> None:
        super().__init__()
        if len(modules) == 1 and isinstance(modules[0], Mapping):
            named = dict(modules[0])
        else:
            named = {str(k): module for k, module in enumerate(modules)}
        for name, module in named.items():
            self.register_module(name, module)

    def forward(self, input: Any) -> Any:
        for module in self:
            input = module(input)
        return input

    def append(self, module: Module) -> Self:
        """Add one more at the end; returns the row."""
        self.register_module(str(len(self)), module)
        return self

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(dict(list(self._modules.items())[index]))
        return self._modules[self._name_at(index)]

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, self._name_at(index), module)

    def __delitem__(self, index: int) -> None:
        delattr(self, self._name_at(index))
        if all(name.isdigit() for name in self._modules):  # keep numbered names without a gap
            self._modules = {str(k): module for k, module in enumerate(self)}

    def _name_at(self, index: int) -> str:
        if not -len(self) <= index < len(self):
            raise DimError(
                f"index {index} is out of range for {len(self)} modules. "
                "There is no module there. Write an index below that."
            )
        return list(self._modules)[index]
