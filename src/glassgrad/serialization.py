"""`save` and `load`: tensors in containers, and modules, in a file without code.

A file is one of safetensors (https://huggingface.co/docs/safetensors): the memory of each storage,
and a header. In the header is, as JSON, how tensors lie in these storages and what contains them.
So views that share memory still do when they are loaded. `load` also reads other safetensors files,
and what PyTorch has saved (`torch_files.py`).
"""

import contextlib
import io
import json
import operator
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from . import _dtypes
from ._words import plain
from .core.errors import ArgumentTypeError, DataError
from .core.state import setting
from .core.tensor import Size, Tensor
from .nn.module import Module
from .nn.parameter import Parameter
from .ops._declaring import FUNCTIONS
from .ops._lookup import function_named
from .ops.memory import owner_of, steps_of
from .ops.sparse import SparseTensor
from .torch_files import MAGIC_LEGACY, MAGIC_ZIP, read_torch, strided_in
from .values.backend import Device, asnumpy
from .values.dtypes import as_dtype

MAP_LOCATION = Callable[[Any, str], Any] | Device | str | dict[str, str] | None  # of `load`

__all__ = [
    "add_safe_globals",
    "clear_safe_globals",
    "get_safe_globals",
    "load",
    "safe_globals",
    "save",
]

File = str | Path | BinaryIO
MapLocation = str | Device | dict[str, str] | Callable[[Any, str], Any] | None

_KEY = "glassgrad"
"""Under which name the structure is in the header."""

_safe_globals: list[Any] = []


def add_safe_globals(safe_globals: list[Any]) -> None:
    """Remember classes that files may name. `load` runs nothing of a file, so it asks for none."""
    _safe_globals.extend(safe_globals)


def get_safe_globals() -> list[Any]:
    """What `add_safe_globals` was given."""
    return list(_safe_globals)


def clear_safe_globals() -> None:
    """Forget what `add_safe_globals` was given."""
    _safe_globals.clear()


@contextlib.contextmanager
def safe_globals(safe_globals: list[Any]) -> Iterator[None]:
    """A block in which such classes are remembered.

    Args:
        safe_globals: as for `add_safe_globals`.
    """
    with setting(globals(), _safe_globals=[*_safe_globals, *safe_globals]):
        yield


# Note [A module is data]
# A module is written as the name of its class, and what its attributes are. Where it is loaded, the
# class is looked up among those that are there: nothing is imported, and of its own code nothing
# runs. So a file chooses among the modules that a program has, and can do no more.


def save(
    obj: Any,
    f: File,
    pickle_module: Any = None,  # noqa: ARG001  # PyTorch's, without effect, as the others
    pickle_protocol: int = 2,  # noqa: ARG001
    _use_new_zipfile_serialization: bool = True,
) -> None:
    """Write an object to a file: tensors, arrays, numbers, texts, None in containers of Python's.

    Args:
        obj: such as `model.state_dict()`, or a dict of several and the number of an epoch; also a
            module whose attributes are such things. `load` needs its class then.
        f: a path, or a file that is open for writing bytes.
        pickle_module, pickle_protocol: accepted, and without effect.

    Raises:
        ArgumentTypeError: if there is anything else in it.

    Example:
        >>> import io
        >>> file = io.BytesIO()
        >>> save({"w": tensor([1.0, 2.0]), "epoch": 3}, file)
        >>> _ = file.seek(0)
        >>> load(file)
        {'w': tensor([1., 2.]), 'epoch': 3}

    See also: https://pytorch.org/docs/stable/generated/torch.save.html
    """
    from safetensors.numpy import save as packed

    if not isinstance(f, (str, Path)) and not hasattr(f, "write"):
        raise AttributeError(
            "expected 'f' to be string, path, or a file-like object with a 'write' attribute, not "
            f"{plain(type(f).__name__)}. The object comes first. Write `save(obj, path)`."
        )
    writer = _Writer()
    structure = json.dumps(writer.described(obj))
    data = packed(writer.storages, {_KEY: structure})
    if isinstance(f, (str, Path)):
        Path(f).write_bytes(data)
    else:
        f.write(data)


def load(
    f: File,
    map_location: MapLocation = None,
    pickle_module: Any = None,  # noqa: ARG001  # PyTorch's, without effect, as the others
    *,
    weights_only: bool = True,
    mmap: bool | None = None,  # noqa: ARG001
    encoding: str = "utf-8",  # noqa: ARG001
) -> Any:
    """Read what `save` has written, what PyTorch has saved, or a dict of a safetensors file.

    Nothing in the file is run, wherever it comes from.

    Args:
        f: a path, or a file that is open for reading bytes.
        map_location: the device of the tensors; a dict: by the name of the one they were on.
        weights_only: False: modules that were saved whole are loaded, too. Their classes have to be
            defined, or imported, before.
        pickle_module, mmap, encoding: accepted, and without effect.

    Raises:
        DataError: if the file is damaged, or holds anything but tensors, numbers and texts.

    See also: https://pytorch.org/docs/stable/generated/torch.load.html
    """
    data = Path(f).read_bytes() if isinstance(f, (str, Path)) else f.read()
    if data[:4] == MAGIC_ZIP or data.startswith(MAGIC_LEGACY):
        found = read_torch(io.BytesIO(data))
    else:
        found = _unpacked(data, weights_only=weights_only)
    place = map_location.get("cpu") if isinstance(map_location, dict) else map_location
    if place is None or callable(place) or str(place) == "cpu":
        return found
    return _moved(found, Device(place))


def _moved(obj: Any, device: Device) -> Any:
    """An object with its tensors on a device."""
    if isinstance(obj, Tensor):
        moved = obj.detach().to(device)
        is_parameter = isinstance(obj, Parameter)
        if is_parameter:
            return Parameter(moved, requires_grad=obj.requires_grad)
        return moved.requires_grad_(obj.requires_grad)
    if isinstance(obj, Module):
        return obj.to(device)
    if isinstance(obj, dict):
        for key, value in obj.items():
            obj[key] = _moved(value, device)
        return obj
    if isinstance(obj, (list, tuple, set)) and not isinstance(obj, Size):
        return type(obj)([_moved(each, device) for each in obj])
    return obj


# Written ------------------------------------------------------------------------------------------


class _Writer:
    """Describes an object in terms of JSON, and gathers the storages of its tensors."""

    def __init__(self) -> None:
        self.storages: dict[str, Any] = {}
        self._names: dict[int, str] = {}
        self._owners: list[Any] = []  # so that no id is given twice
        self._inside: list[Any] = []
        self._known: list[Any] = []  # parameters and modules: there may be one in several places

    def described(self, obj: Any) -> Any:
        """JSON's own things as they are; others as a dict of one kind and what it needs."""
        if obj is None or type(obj) in (bool, int, float, str):
            return obj
        if isinstance(obj, (Parameter, Module)):
            for at, other in enumerate(self._known):
                if obj is other:
                    return {"again": at}
            self._known.append(obj)
        if isinstance(obj, SparseTensor):
            parts = [obj.places, obj.numbers, list(obj.shape), obj.is_merged]
            return {"sparse": [self.described(part) for part in parts]}
        if isinstance(obj, Tensor):
            return {"tensor": self._tensor(obj)}
        if isinstance(obj, Module):
            return {"module": self._module(obj)}
        if isinstance(obj, np.generic):
            return self.described(obj.item())
        if isinstance(obj, np.ndarray) and obj.dtype.char in _OF_NUMBERS:
            flat = np.array(obj, obj.dtype.newbyteorder("="), order="C").reshape(-1)
            return {"array": [self._stored(flat, flat), flat.dtype.name, list(obj.shape)]}
        if isinstance(obj, (_dtypes.dtype, np.dtype)):
            return {"dtype": as_dtype(obj).name}
        if isinstance(obj, Device):
            return {"device": str(obj)}
        if isinstance(obj, bytes):
            return {"bytes": obj.hex()}
        written = getattr(obj, "declared", obj)
        known = [name for name, x in FUNCTIONS.items() if getattr(x, "declared", x) is written]
        name = known[0] if known else None
        if name is not None:  # an activation, which a module keeps
            return {"function": name}
        if isinstance(obj, complex):
            return {"complex": [obj.real, obj.imag]}
        kind = next((name for name, cls in _CONTAINERS.items() if type(obj) is cls), None)
        if kind is None or any(obj is outer for outer in self._inside):
            raise _unknown(obj, self._inside)
        self._inside.append(obj)
        items = [part for item in obj.items() for part in item] if "dict" in kind else obj
        parts = [self.described(item) for item in items]
        self._inside.pop()
        metadata = getattr(obj, "_metadata", None)  # of a state dict: the versions of modules
        if metadata is not None:
            return {kind: parts, "metadata": self.described(metadata)}
        return parts if kind == "list" else {kind: parts}

    def _stored(self, owner: Any, flat: Any) -> str:
        """The name of the storage that is the memory of an array."""
        if id(owner) not in self._names:
            name = self._names[id(owner)] = str(len(self._names))
            self._owners.append(owner)
            self.storages[name] = flat.view(flat.real.dtype) if flat.dtype.kind == "c" else flat
        return self._names[id(owner)]

    def _module(self, module: Module) -> list[Any]:
        """The name of its class, and its attributes; see Note [A module is data]."""
        cls, usual = type(module), vars(Module())
        state = {
            name: x for name, x in vars(module).items() if name not in usual or x != usual[name]
        }
        if "<locals>" in cls.__qualname__:
            raise _unknown(module, self._inside)
        self._inside.append(module)
        described = self.described(state)
        self._inside.pop()
        return [cls.__module__, cls.__qualname__, described]

    def _tensor(self, tensor: Tensor) -> dict[str, Any]:
        array = asnumpy(tensor.detach().payload)
        owner = owner_of(array)
        if not (owner.flags.c_contiguous or owner.flags.f_contiguous):
            owner = array = np.ascontiguousarray(array)
        start = array.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
        return {
            "storage": self._stored(owner, owner.ravel(order="K")),
            "dtype": array.dtype.name,
            "size": list(array.shape),
            "stride": list(steps_of(array)),
            "offset": start // array.itemsize if array.size else 0,
            "requires_grad": tensor.requires_grad,
            "is_parameter": isinstance(tensor, Parameter),
        }


_OF_NUMBERS = "?bhilqBHILQefdFD"
"""The dtypes of arrays that are saved, by NumPy's letters."""

_CONTAINERS: dict[str, type] = {
    "dict": dict,
    "ordered dict": OrderedDict,
    "list": list,
    "tuple": tuple,
    "set": set,
    "size": Size,
}


def _unknown(obj: Any, inside: list[Any]) -> ArgumentTypeError:
    if any(obj is outer for outer in inside):
        return ArgumentTypeError(
            f"save(): a {type(obj).__name__} contains itself. A file would have no end. Copy it."
        )
    remedy = "Write numbers, texts and tensors in dicts and lists."
    if hasattr(obj, "state_dict") or any(isinstance(outer, Module) for outer in inside):
        remedy = "Write `save(x.state_dict(), f)`, and `x.load_state_dict(load(f))`."
    return ArgumentTypeError(
        f"save(): a {type(obj).__name__} cannot be saved. Only tensors, numbers and texts in "
        f"containers are, so that loading a file runs no code. {remedy}"
    )


# Read ---------------------------------------------------------------------------------------------


def _unpacked(data: bytes, *, weights_only: bool) -> Any:
    from safetensors import SafetensorError
    from safetensors.numpy import load as unpacked

    try:
        storages = unpacked(data)
        header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
        structure = header.get("__metadata__", {}).get(_KEY)
        if structure is None:  # of another library
            return {
                name: strided_in(each.reshape(-1).copy(), each.shape, steps_of(each), 0)
                for name, each in storages.items()
            }
        copies = {name: each.copy() for name, each in storages.items()}
        return _Reader(copies, weights_only=weights_only).made(json.loads(structure))
    except DataError:
        raise
    except SafetensorError as error:
        raise _damaged(str(error))
    except (ValueError, LookupError, TypeError, AttributeError, RuntimeError) as error:
        raise _damaged(f"{type(error).__name__}: {error}")


class _Reader:
    """Makes an object of its description; see `_Writer`."""

    def __init__(self, storages: dict[str, Any], *, weights_only: bool) -> None:
        self.storages, self.weights_only = storages, weights_only
        self._known: list[Any] = []

    def made(self, told: Any) -> Any:
        """The object."""
        if isinstance(told, list):
            return [self.made(each) for each in told]
        if not isinstance(told, dict):
            return told
        kind, *_ = told
        given = told[kind]
        if kind == "tensor":
            return self._tensor(**given)
        if kind == "array":
            storage, dtype, size = given
            return self.storages[storage].view(dtype).reshape(size)
        if kind == "sparse":
            places, numbers, size, is_merged = [self.made(each) for each in given]
            return SparseTensor.of(places, numbers, size, is_merged=is_merged)
        if kind == "again":
            return self._known[given]
        if kind == "module":
            return self._module(*given)
        if kind == "function":
            home, _, name = given.rpartition(".")
            return function_named(home, name)
        if kind == "dtype":
            return _dtypes.public(as_dtype(given))
        if kind == "device":
            return Device(given)
        if kind == "bytes":
            return bytes.fromhex(given)
        if kind == "complex":
            return complex(*given)
        if kind not in _CONTAINERS:
            raise _damaged(f"there is no {kind!r}")
        items: Any = [self.made(each) for each in given]
        if "dict" in kind:
            items = zip(items[::2], items[1::2], strict=True)
        found = _CONTAINERS[kind](items)
        if "metadata" in told:
            vars(found)["_metadata"] = self.made(told["metadata"])
        return found

    def _module(self, file: str, name: str, state: Any) -> Module:
        """A module of a class that is there; see Note [A module is data]."""
        if self.weights_only:
            raise DataError(
                f"Weights only load failed: the file holds a module, a {name} of {file}, and "
                "weights_only=True. Write `load(f, weights_only=False)`, or save its state_dict()."
            )
        try:
            cls = operator.attrgetter(name)(sys.modules[file])
        except (KeyError, AttributeError):
            cls = None
        if not (isinstance(cls, type) and issubclass(cls, Module)):
            raise DataError(
                f"the file holds a {name} of {file}, and there is no module of that name. Only its "
                "attributes are in the file. Import or define its class first."
            )
        module: Module = cls.__new__(cls)
        self._known.append(module)
        Module.__init__(module)
        vars(module).update(self.made(state))
        return module

    def _tensor(
        self,
        storage: str,
        dtype: str,
        size: list[int],
        stride: list[int],
        offset: int,
        *,
        requires_grad: bool,
        is_parameter: bool,
    ) -> Tensor:
        flat = self.storages[storage]
        wanted = as_dtype(dtype)
        if wanted.kind == "c":
            flat = flat.view(wanted)
        if flat.dtype != wanted:
            raise _damaged(f"storage {storage} holds {flat.dtype}, and a tensor {wanted}")
        tensor = strided_in(flat, size, stride, offset)
        if is_parameter:
            parameter = Parameter(tensor, requires_grad=requires_grad)
            self._known.append(parameter)
            return parameter
        return tensor.requires_grad_(requires_grad)


def _damaged(why: str) -> DataError:
    return DataError(
        f"the file holds no object: {why}. It is damaged, cut off, or of another kind. Files of "
        "glassgrad, of safetensors and of PyTorch can be loaded. Save or download it again."
    )
