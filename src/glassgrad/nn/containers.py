"""Modules that hold others, in a row, in a list or by name; and lists and dicts of parameters.

What is held is registered under its index or its name, so that `parameters()` finds it, which it
would not in a list or a dict of Python's.
"""

import itertools
import operator
from collections import OrderedDict
from collections.abc import ItemsView, Iterable, Iterator, Mapping, ValuesView
from typing import Any, ClassVar, Self

from glassgrad import ops
from glassgrad._words import LONGEST, plain
from glassgrad.core.errors import (
    ArgumentError,
    ArgumentTypeError,
    DimError,
    ExpectationError,
    GraphError,
    MissingRuleError,
)
from glassgrad.core.tensor import Tensor
from glassgrad.memory.calls import warn
from glassgrad.nn.module import Module
from glassgrad.nn.parameter import Parameter
from glassgrad.ops import _checks as check


class _Numbered(Module):
    """What holds its parts by number; they are modules, if a subclass does not say otherwise."""

    _holds: ClassVar[str] = "modules"

    def _names(self) -> list[str]:
        """The names of the parts, as attributes."""
        return list(self._modules)

    def _put(self, name: str, part: Any) -> None:
        self.register_module(name, part)

    def append(self, module: Any) -> Self:
        """Add one more at the end; returns the container."""
        self._put(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Any]) -> Self:
        """Add several at the end; returns the container."""
        said = f"{type(self).__name__}.extend should be called with an iterable"
        check.kind(said, modules, Iterable, "Each is added. Pass a list, or use `append`.")
        for module in tuple(modules):
            self.append(module)
        return self

    def __len__(self) -> int:
        return len(self._names())

    def __iter__(self) -> Iterator[Any]:
        return iter([getattr(self, name) for name in self._names()])

    def __iadd__(self, other: Iterable[Any]) -> Self:
        return self.extend(other)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._sliced(index)
        return getattr(self, self._name_at(index))

    def __setitem__(self, index: int, value: Any) -> None:
        self._put(self._name_at(index), value)

    def _sliced(self, index: slice) -> Any:
        return type(self)(list(self)[index])

    def _name_at(self, index: Any) -> str:
        names = self._names()
        if not -len(names) <= operator.index(index) < len(names):
            raise self._out_of_range(index)
        return names[operator.index(index)]

    def _out_of_range(self, index: int) -> DimError:
        return DimError(
            f"index {index} is out of range for {len(self)} {self._holds}. "
            "There is none. Write an index below that."
        )


class _Named(Module):
    """What holds its parts by name; they are modules, if a subclass does not say otherwise."""

    def _names(self) -> dict[str, Any]:
        """A dict that has the names."""
        return self._modules

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.register_module(key, value)

    def __delitem__(self, key: str) -> None:
        del self._names()[key]

    def __len__(self) -> int:
        return len(self._names())

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __contains__(self, key: str) -> bool:
        return key in self._names()

    def update(self, modules: Any) -> None:
        """Add parts, or replace those of the same names: of a dict, or of pairs."""
        for name, part in _pairs(type(self).__name__, modules):
            self[name] = part

    def pop(self, key: str) -> Any:
        """Take out the part of a name, and return it."""
        part = self[key]
        del self[key]
        return part

    def clear(self) -> None:
        """Take out all."""
        for key in list(self):
            del self[key]

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._names().keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """The names with the parts."""
        return ItemsView(self)

    def values(self) -> Iterable[Any]:
        """The parts."""
        return ValuesView(self)


class Container(Module):
    """An older class of modules that are made of named parts; write a subclass of `Module`."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__()
        warn(
            "`nn.Container` is deprecated. All of it's functionality is now implemented in "
            "`nn.Module`. Subclass that instead.",
            FutureWarning,
        )
        for name, part in kwargs.items():
            self.add_module(name, part)


def _pairs(what: str, given: Any) -> Iterable[tuple[str, Any]]:
    """The pairs of a dict, or of what is made of pairs."""
    why = "Each has a name. Pass a dict."
    check.kind(f"{what}.update should be called with an iterable of pairs", given, Iterable, why)
    if hasattr(given, "items"):
        return given.items()  # type: ignore[no-any-return]
    for k, pair in enumerate(given):
        why = "It is a name with its value. Write `(name, value)`."
        check.kind(f"{what} update sequence element #{k} should be Iterable", pair, Iterable, why)
        said = f"{what} update sequence element #{k} has length {{}}; 2 is required"
        check.equal(said, len(list(pair)), 2, why, ArgumentError)
    return given  # type: ignore[no-any-return]


# Modules ------------------------------------------------------------------------------------------


class _Modules(_Numbered):
    """What modules in a row and in a list share."""

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __add__(self, other: Iterable[Any]) -> Self:
        return type(self)().extend(self).extend(other)

    def insert(self, index: int, module: Module) -> Self:
        """Add one in front of that of an index; returns the container."""
        if not -len(self) <= index <= len(self):
            raise self._out_of_range(index)
        why = "A part of a network has to be one. Derive its class from nn.Module."
        check.kind(f"module should be of type: {Module}", module, Module, why, ExpectationError)
        modules = list(self)
        modules.insert(index, module)
        self._replace(modules)
        return self

    def pop(self, index: int | slice) -> Any:
        """Take out the module of an index, and return it."""
        module = self[index]
        del self[index]
        return module

    def __delitem__(self, index: int | slice) -> None:
        names = self._names()[index] if isinstance(index, slice) else [self._name_at(index)]
        for name in names:
            delattr(self, name)
        if all(name.isdigit() for name in self._modules):  # keep numbered names without a gap
            self._replace(list(self))

    def _replace(self, modules: list[Any]) -> None:
        self._modules.clear()
        self.extend(modules)


class Sequential(_Modules):
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

    def _sliced(self, index: slice) -> Any:
        return type(self)(dict(list(self._modules.items())[index]))

    def __mul__(self, n: int) -> Self:
        check.kind("unsupported operand type(s) for *: Sequential and", n, int, "Write an int.")
        said = f"Non-positive multiplication factor {{}} for {type(self)}: there would be no module"
        check.least(said, n, 1, "Write a number from 1 up.", ArgumentError)
        return type(self)(*itertools.chain.from_iterable([self] * n))

    __rmul__ = __mul__

    def __imul__(self, n: int) -> Self:
        return self.extend((self * n)[len(self) :])


class ModuleList(_Modules):
    """Modules by number; what `forward` does with them is up to who holds it.

    Args:
        modules: the first of them.

    Example:
        >>> layers = ModuleList([Linear(2, 2) for _ in range(3)])
        >>> layers
        ModuleList(
          (0-2): 3 x Linear(in_features=2, out_features=2, bias=True)
        )
        >>> len(list(layers.parameters()))
        6
    """

    def __init__(self, modules: Iterable[Any] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def forward(self, *_: Any) -> Any:
        """A list computes nothing by itself."""
        raise MissingRuleError(
            'Module [ModuleList] is missing the required "forward" function. It holds modules for '
            "others to call. Write `for layer in layers: x = layer(x)`, or make a Sequential."
        )

    def _text(self, below: list[str]) -> str:
        lines = []
        at = 0
        for text, alike in itertools.groupby(below):
            n = len(list(alike))
            body = text.replace("\n", "\n  ")
            lines.append(f"({at}): {body}" if n == 1 else f"({at}-{at + n - 1}): {n} x {body}")
            at += n
        inside = "\n  " + "\n  ".join(lines) + "\n" if lines else ""
        return f"{self._get_name()}({inside})"


class ModuleDict(_Named):
    """Modules by name.

    Args:
        modules: the first of them: a dict, or pairs.

    Example:
        >>> heads = ModuleDict({"mean": Linear(2, 1), "std": Linear(2, 1)})
        >>> heads["mean"](zeros(5, 2)).shape
        glassgrad.Size([5, 1])
        >>> [name for name, _ in heads.named_parameters()]
        ['mean.weight', 'mean.bias', 'std.weight', 'std.bias']
    """

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)


# Parameters ---------------------------------------------------------------------------------------


class _Parameters(Module):
    """What lists and dicts of parameters share: a value is an attribute, which files it."""

    def _put(self, name: str, part: Any) -> None:
        if isinstance(part, Tensor) and not isinstance(part, Parameter):
            part = Parameter(part)
        setattr(self, name, part)

    def _names(self) -> Any:
        raise NotImplementedError

    def _kind_of(self, value: Tensor) -> str:
        """How a value is described in print; in PyTorch lists and dicts do it differently."""
        return repr(value.dtype)

    def extra_repr(self) -> str:
        lines = []
        for name in self._names():
            value = getattr(self, name)
            text = f"Object of type: {type(value).__name__}"
            if isinstance(value, Tensor):
                kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
                size = "x".join(map(str, value.shape))
                place = f" ({value.device})" if value.device.type != "cpu" else ""
                text = f"{kind} containing: [{self._kind_of(value)} of size {size}{place}]"
            lines.append(f"  ({plain(name, LONGEST)}): {text}")
        return "\n".join(lines)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise GraphError(
            f"{type(self).__name__} should not be called. It only holds parameters. "
            "Write a module that does something with them."
        )


class ParameterList(_Parameters, _Numbered):
    """Parameters by number.

    Args:
        values: the first of them; tensors become parameters.

    Example:
        >>> weights = ParameterList([zeros(2), zeros(3)])
        >>> [name for name, _ in weights.named_parameters()]
        ['0', '1']
    """

    _holds = "parameters"

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def _names(self) -> list[str]:
        return [str(k) for k in range(self._size)]

    def append(self, value: Any) -> Self:
        """Add one more at the end; returns the list."""
        self._size += 1
        self[-1] = value
        return self

    def extend(self, values: Iterable[Any]) -> Self:
        """Add several at the end; returns the list."""
        if isinstance(values, Tensor):
            raise ArgumentTypeError(
                "ParameterList.extend should be called with an iterable, but got Tensor. Its rows "
                "would be parameters of their own. Write `append`, or a list."
            )
        return super().extend(values)

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.isdigit()]


class ParameterDict(_Parameters, _Named):
    """Parameters by name.

    Args:
        parameters: the first of them: a dict, or pairs; tensors become parameters.

    Example:
        >>> parts = ParameterDict({"left": zeros(2)})
        >>> parts["right"] = zeros(3)
        >>> [(name, value.shape) for name, value in parts.items()]
        [('left', glassgrad.Size([2])), ('right', glassgrad.Size([3]))]
    """

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def _names(self) -> dict[str, Any]:
        return self._keys

    def _kind_of(self, value: Tensor) -> str:
        return ops.typename(value)

    def update(self, parameters: Any) -> None:
        """Add parameters, or replace those of the same names: of a dict, or of pairs.

        Those of a plain dict come in the order of their names, as in PyTorch.
        """
        if isinstance(parameters, Mapping) and not isinstance(parameters, OrderedDict):
            parameters = OrderedDict(sorted(parameters.items()))
        super().update(parameters)

    def __getitem__(self, key: str) -> Any:
        return getattr(self, key)

    def __setitem__(self, key: str, value: Any) -> None:
        if not isinstance(key, str):
            raise ArgumentTypeError(
                f"Index given to ParameterDict cannot be used as a key as it is not a string "
                f"(type is '{type(key).__name__}'). It is an attribute's name. Write `str(key)`."
            )
        self._keys[key] = None
        self._put(key, value)

    def __delitem__(self, key: str) -> None:
        super().__delitem__(key)
        delattr(self, key)

    def __reversed__(self) -> Iterator[str]:
        return reversed(list(self._keys))

    def __or__(self, other: Any) -> "ParameterDict":
        copy = self.copy()
        copy.update(other)
        return copy

    def __ior__(self, other: Any) -> Self:
        self.update(other)
        return self

    def copy(self) -> "ParameterDict":
        """Another dict of the same parameters."""
        return ParameterDict(OrderedDict(self.items()))

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The value of a name, which becomes the default if there is none."""
        if key not in self:
            self[key] = default
        return self[key]

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a name, or the default if there is none."""
        return self[key] if key in self._keys else default

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> "ParameterDict":
        """A new dict in which all names have one value."""
        return ParameterDict([(key, default) for key in keys])

    def popitem(self) -> tuple[str, Any]:
        """Take out the last name with its value."""
        key, _ = self._keys.popitem()
        value = getattr(self, key)
        delattr(self, key)
        return key, value
