"""Files that PyTorch has saved, read without running anything that is in them.

Such a file is a zip archive (or, from before PyTorch 1.6, a sequence of pickles) of a pickle, which
describes the structure, and of the memory of each storage. A pickle is a program for a small stack
machine, and Python's own machine calls whatever the program names. The one here, `_Machine`, knows
the instructions and the names that tensors in containers need, and refuses all others.
"""

import io
import pickletools
import re
import zipfile
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, BinaryIO

import numpy as np

from glassgrad.memory.calls import warn

from .core.errors import DataError
from .core.tensor import Size, Tensor, wrap
from .nn.parameter import Parameter
from .values.backend import CPU_BACKEND, Device
from .values.dtypes import TYPE_NAMES, DType

MAGIC_ZIP = b"PK\x03\x04"
MAGIC_LEGACY = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."

Read = Callable[[Any, "StorageType", int], Any]
"""The memory of a storage: of its key, its type and the number of its elements."""


class StorageType:
    """What `torch.FloatStorage` and its like stand for: how a storage's bytes are read.

    Args:
        name: of the dtype.
    """

    def __init__(self, name: str) -> None:
        self.stored = np.dtype("uint16" if name == "bfloat16" else name)
        self.dtype: DType = np.dtype("float32" if name == "bfloat16" else name)

    def read(self, data: bytes) -> Any:
        """The elements; those of bfloat16 as float32, of which they are the upper half."""
        found = np.frombuffer(data, self.stored)
        if self.stored == self.dtype:
            return found.copy()
        return (found.astype(np.uint32) << 16).view(np.float32)


STORAGE_TYPES = {f"{name}Storage": StorageType(dtype.name) for dtype, name in TYPE_NAMES.items()}
STORAGE_TYPES["BFloat16Storage"] = StorageType("bfloat16")
STORAGE_TYPES["storage.UntypedStorage"] = StorageType("uint8")


def read_torch(file: BinaryIO) -> Any:
    """What a file of PyTorch's holds: tensors, numbers and texts in containers.

    Raises:
        DataError: if it holds anything else, or is damaged.
    """
    start = file.read(len(MAGIC_LEGACY))
    file.seek(-len(start), io.SEEK_CUR)
    return _read_legacy(file) if start == MAGIC_LEGACY else _read_zip(file)


# The two kinds of files ---------------------------------------------------------------------------


def _read_zip(file: BinaryIO) -> Any:
    try:
        with zipfile.ZipFile(file) as archive:
            records = {info.filename.partition("/")[2]: info for info in archive.infolist()}
            _check_records(list(records.values()), archive)
            if "data.pkl" not in records:
                raise DataError(
                    f"the archive has no data.pkl, but {sorted(records)[:5]}. PyTorch's files "
                    "have one. Look whether this is a file of tensors."
                )
            if "byteorder" in records and archive.read(records["byteorder"]) != b"little":
                raise DataError(
                    "the numbers in the file have their bytes in another order than those of this "
                    "machine. Load and save it with PyTorch first."
                )

            def read(key: Any, kind: StorageType, numel: int) -> Any:
                found = records.get(f"data/{key}")
                size = numel * kind.stored.itemsize
                if found is None or found.file_size < size:
                    raise _damaged(f"storage {key!r} has not the {size} bytes that it should have")
                return kind.read(archive.read(found)[:size])

            return _Machine(read).run(io.BytesIO(archive.read(records["data.pkl"])))
    except DataError:
        raise
    except (zipfile.BadZipFile, EOFError, OSError, RuntimeError, ValueError) as error:
        raise _damaged(str(error))


def _check_records(records: list[zipfile.ZipInfo], archive: zipfile.ZipFile) -> None:
    """Raise if an archive would unpack to more bytes than it has."""
    size = archive.fp.seek(0, io.SEEK_END) if archive.fp else 0
    is_packed = any(info.compress_type != zipfile.ZIP_STORED for info in records)
    if is_packed or sum(info.file_size for info in records) > size:
        raise DataError(
            f"the archive of {size} bytes would unpack to more. PyTorch stores tensors as they "
            "are, so this is none of its files. Unpack it by yourself if you trust it."
        )


def _read_legacy(file: BinaryIO) -> Any:
    """A magic number, a version, facts about the machine, the structure, keys, and memory."""
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    pending: dict[Any, tuple[StorageType, Any]] = {}

    left = size

    def read(key: Any, kind: StorageType, numel: int) -> Any:
        nonlocal left
        left -= numel * kind.stored.itemsize
        if left < 0:
            raise _damaged(f"storage {key!r} and those before it would be larger than the file")
        return pending.setdefault(key, (kind, np.empty(numel, kind.dtype)))[1]

    for _ in range(3):
        _Machine(read).run(file)
    found, keys = _Machine(read).run(file), _Machine(read).run(file)
    for key in keys if isinstance(keys, list) else ():
        kind, memory = pending.get(key, (None, None))
        count = int.from_bytes(file.read(8), "little")
        if kind is None or memory is None or count != memory.size:
            raise _damaged(f"storage {key!r} is not the one that the tensors are in")
        data = file.read(count * kind.stored.itemsize)
        if len(data) != count * kind.stored.itemsize:
            raise _damaged(f"storage {key!r} ends too early")
        memory[:] = kind.read(data)
        del pending[key]
    if pending:
        raise _damaged(f"the memory of storages is missing: {sorted(map(str, pending))[:5]}")
    return found


def _damaged(why: str) -> DataError:
    return DataError(
        f"PytorchStreamReader failed, one would read in PyTorch: {why}. The file is damaged, or "
        "was cut off. Save or download it again."
    )


# What a pickle may name ---------------------------------------------------------------------------


def _whole(*numbers: Any) -> bool:
    return all(type(n) is int and n >= 0 for n in numbers)


def strided_in(memory: Any, size: Any, stride: Any, offset: Any) -> Tensor:
    """A tensor that shows a part of a 1-d array.

    Raises:
        DataError: if that part is not there.
    """
    is_form = isinstance(size, (tuple, list)) and isinstance(stride, (tuple, list))
    if not is_form or len(size) != len(stride) or not _whole(offset, *size, *stride):
        raise _damaged(f"no tensor has size {size}, strides {stride} and offset {offset}")
    last = offset + sum((n - 1) * step for n, step in zip(size, stride, strict=True))
    if 0 not in size and last >= memory.size:
        raise _damaged(
            f"a tensor of size {tuple(size)} and strides {tuple(stride)} at {offset} is out of "
            f"bounds for storage of size {memory.size}"
        )
    if 0 in size:
        return wrap(np.empty(tuple(size), memory.dtype))
    return wrap(CPU_BACKEND.strided(memory, tuple(size), tuple(stride), offset))


def _rebuild_tensor(
    storage: Any, offset: Any, size: Any, stride: Any, requires_grad: Any = False, *rest: Any
) -> Tensor:
    if not isinstance(storage, np.ndarray):
        raise _damaged("a tensor lies in no storage")
    tensor = strided_in(storage, size, stride, offset)
    return tensor.requires_grad_() if requires_grad is True else tensor


def _rebuild_untyped(
    storage: Any,
    offset: Any,
    size: Any,
    stride: Any,
    requires_grad: Any,
    _: Any,
    dtype: Any,
    *rest: Any,
) -> Tensor:
    """A tensor of a dtype that has no storage of its own, as uint16."""
    memory = _expect(storage, np.ndarray).view(_expect(dtype, np.dtype))
    return _rebuild_tensor(memory, offset, size, stride, requires_grad)


def _rebuild_parameter(data: Any, requires_grad: Any, *rest: Any) -> Parameter:
    return Parameter(data, requires_grad=requires_grad is True)


def _encode(text: Any, encoding: Any) -> bytes:
    """What Python 2 could not write: bytes, each of which is a letter of a text."""
    return str(text).encode("latin1")


def _no_bytes() -> bytes:
    return b""


def _ordered_dict() -> OrderedDict[Any, Any]:
    return OrderedDict()


def _set(items: Any) -> set[Any]:
    return set(map(_key, _expect(items, list)))


def _numpy_dtype(name: Any, *flags: Any) -> Any:
    if not re.fullmatch("b1|[iu][1248]|f[248]|c8|c16", str(name)):
        raise _refused(f"the dtype {name!r} of an array")
    return np.dtype(name)


def _numpy_scalar(dtype: Any, data: Any) -> Any:
    return np.frombuffer(_expect(data, bytes), _expect(dtype, np.dtype))[0]


def _numpy_array(*form: Any) -> Any:
    return np.empty(0)  # `_fill` gets what is in it


def _fill(array: Any, version: Any, shape: Any, dtype: Any, is_fortran: Any, data: Any) -> None:
    """Give an empty array its shape and contents: nothing else shows its memory yet."""
    if array.size or not _whole(*_expect(shape, tuple)):
        raise _damaged("an array is filled twice, or has no shape")
    form = (1, shape, _expect(dtype, np.dtype), bool(is_fortran), _expect(data, bytes))
    array.__setstate__(form)


_CALLED: dict[str, Callable[..., Any]] = {
    "torch._utils._rebuild_tensor": _rebuild_tensor,
    "torch._utils._rebuild_tensor_v2": _rebuild_tensor,
    "torch._utils._rebuild_tensor_v3": _rebuild_untyped,
    "torch._utils._rebuild_parameter": _rebuild_parameter,
    "torch._utils._rebuild_parameter_with_state": _rebuild_parameter,
    "torch.Size": Size,
    "torch.device": Device,
    "collections.OrderedDict": _ordered_dict,
    "builtins.set": _set,
    "builtins.complex": complex,
    "__builtin__.bytes": _no_bytes,
    "__builtin__.set": _set,
    "__builtin__.complex": complex,
    "_codecs.encode": _encode,
    "numpy.dtype": _numpy_dtype,
    **{f"numpy.{core}.multiarray._reconstruct": _numpy_array for core in ("core", "_core")},
    **{f"numpy.{core}.multiarray.scalar": _numpy_scalar for core in ("core", "_core")},
}
"""The functions that a file may call, by PyTorch's names."""

_NAMED: dict[str, Any] = {f"torch.{dtype.name}": dtype for dtype in TYPE_NAMES}
_NAMED |= {f"torch.{name}": kind for name, kind in STORAGE_TYPES.items()}
_NAMED["numpy.ndarray"] = np.ndarray
"""What else it may name."""


class _Machine:
    """Runs a pickle: its instructions push values on a stack, and put them together.

    Args:
        read: gets the memory of a storage.
    """

    def __init__(self, read: Read) -> None:
        self.read = read
        self.storages: dict[Any, Any] = {}
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.memo: dict[int, Any] = {}

    def run(self, file: BinaryIO) -> Any:
        """What the pickle at the file's position describes."""
        try:
            for instruction, argument, _ in pickletools.genops(file):
                self.do(instruction.name, argument)
            (found,) = self.stack
        except DataError:
            raise
        except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError) as error:
            raise _damaged(f"its pickle is none ({error})")
        except RuntimeError as error:  # of an integer tensor that is to require grad, say
            raise _damaged(str(error))
        return found

    def do(self, name: str, argument: Any) -> None:
        """One instruction."""
        stack = self.stack
        match name:
            case "PROTO" | "FRAME" | "STOP":
                pass
            case "NONE":
                stack.append(None)
            case "NEWTRUE" | "NEWFALSE":
                stack.append(name == "NEWTRUE")
            case "EMPTY_DICT" | "EMPTY_LIST" | "EMPTY_SET" | "EMPTY_TUPLE":
                stack.append({"D": dict, "L": list, "S": set, "T": tuple}[name[6]]())
            case "MARK":
                self.marks.append(len(stack))
            case "TUPLE":
                stack.append(tuple(self.since_mark()))
            case "TUPLE1" | "TUPLE2" | "TUPLE3":
                count = int(name[-1])
                stack[-count:] = [tuple(stack[-count:])]
            case "APPEND" | "APPENDS":
                items = self.since_mark() if name == "APPENDS" else [stack.pop()]
                _expect(stack[-1], list).extend(items)
            case "ADDITEMS":
                items = self.since_mark()
                _expect(stack[-1], set).update(map(_key, items))
            case "SETITEM" | "SETITEMS":
                items = self.since_mark() if name == "SETITEMS" else [stack.pop(-2), stack.pop()]
                _expect(stack[-1], dict).update(
                    zip(map(_key, items[::2]), items[1::2], strict=True)
                )
            case "BINPUT" | "LONG_BINPUT" | "PUT":
                self.memo[int(argument)] = stack[-1]
            case "MEMOIZE":
                self.memo[len(self.memo)] = stack[-1]
            case "BINGET" | "LONG_BINGET" | "GET":
                stack.append(self.memo[int(argument)])
            case "GLOBAL" | "STACK_GLOBAL":
                parts = argument.split(" ") if name == "GLOBAL" else [stack.pop(-2), stack.pop()]
                stack.append(_named(".".join(parts)))
            case "REDUCE":
                arguments, function = stack.pop(), stack.pop()
                stack.append(_allowed(function)(*_expect(arguments, tuple)))
            case "BUILD":
                state, built = stack.pop(), stack[-1]
                if isinstance(built, np.ndarray):
                    _fill(built, *_expect(state, tuple))
                elif isinstance(built, np.dtype):
                    if _expect(state, tuple)[1] not in ("<", "|", "="):
                        raise _refused("the state of some dtype")
                elif set(_expect(state, dict)) == {"_metadata"}:  # the versions of the modules
                    _expect(built, OrderedDict).__dict__.update(state)
                elif state:
                    raise _refused(f"the state {sorted(map(str, state))[:5]} of some object")
            case "BINPERSID":
                stack.append(self.storage(*_expect(stack.pop(), tuple)))
            case _ if name.startswith(_CONSTANTS):
                stack.append(argument)
            case _:
                raise _refused(f"the instruction {name}")

    def since_mark(self) -> list[Any]:
        """All that was pushed since the last mark; taken off."""
        start = self.marks.pop()
        items = self.stack[start:]
        del self.stack[start:]
        return items

    def storage(self, kind: Any, type: Any, key: Any, location: Any, numel: Any, *rest: Any) -> Any:
        """The memory that a tensor lies in; tensors of one key share it."""
        if kind != "storage" or not isinstance(type, StorageType) or not _whole(numel):
            raise _damaged(f"{kind!r} of {numel!r} elements is no storage")
        if key not in self.storages:
            if type.stored != type.dtype:
                warn("tensors of bfloat16 become float32: NumPy has no such dtype.")
            self.storages[key] = self.read(key, type, numel)
        return self.storages[key]


_CONSTANTS = ("BININT", "LONG1", "LONG4", "BINFLOAT", "BINUNICODE", "SHORT_BIN", "BINBYTES", "LONG")
"""How instructions begin that push what stands behind them."""


def _expect(value: Any, kind: Any) -> Any:
    if not isinstance(value, kind):
        wanted = getattr(kind, "__name__", kind)
        raise _damaged(f"there is a {type(value).__name__} in the place of a {wanted}")
    return value


def _key(value: Any) -> Any:
    """A key of a dict, if it is a simple one: to hash tuples of tuples could take for ever."""
    parts = value if isinstance(value, tuple) else (value,)
    for part in parts:
        _expect(part, bool | int | float | str | bytes | None)
    return value


def _named(name: str) -> Any:
    if name in _CALLED:
        return _CALLED[name]
    if name in _NAMED:
        return _NAMED[name]
    raise _refused(name)


def _allowed(function: Any) -> Callable[..., Any]:
    if not any(function is each for each in _CALLED.values()):
        raise _refused(f"a call of {function!r}")
    return function  # type: ignore[no-any-return]  # one of _CALLED


def _refused(what: str) -> DataError:
    return DataError(
        f"Weights only load failed: Unsupported global: {what} was not an allowed global. Only "
        "tensors, numbers and texts in containers are read, since any other file could run a "
        "program. Save `model.state_dict()` with PyTorch, and load that."
    )
