"""What a program calls its tensors, where it asks for a picture, or has to be told of one."""

import re
import sys
from collections.abc import Iterable
from functools import lru_cache
from inspect import CO_OPTIMIZED
from itertools import islice
from types import (
    BuiltinFunctionType,
    FrameType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
    SimpleNamespace,
)
from typing import Any
from weakref import ReferenceType, ref

import numpy as np

from glassgrad._words import LONGEST, plain
from glassgrad.core.tensor import Tensor

from .frames import is_users_file

_MOST_FRAMES, _MOST_PARTS, _MOST_LOOKS, _DEEPEST = 20, 100, 1_000, 8
_OWN_REFERENCES = 3  # the frame's, ours, and that of the call which counts them
_NUMBERS = frozenset((str, bytes, int, float, complex, bool, type(None), np.ndarray))
_CODE = frozenset((type, ModuleType, FunctionType, BuiltinFunctionType, MethodType, np.ufunc))
_PLAIN = _NUMBERS | _CODE  # of which most of what there is in a scope is one
_DESCRIPTORS = (GetSetDescriptorType, MemberDescriptorType)
_OPAQUE = (type, ModuleType, FunctionType)
REGISTRIES = ("_parameters", "_buffers", "_modules")  # whose entries a module has as attributes
# A notebook has `_` and `_3` for its results; `t4` is what a tensor without a name is called.
_NAME = re.compile(r"(?!_|t\d+\Z)[^\W\d]\w*")
_ANY_NAME = re.compile(r"(?!__|_\d*\Z)[^\W\d]\w*")

_mro_of = type.__dict__["__mro__"].__get__
_members_of = type.__dict__["__dict__"].__get__

Named = dict[int, tuple[Any, str, bool]]  # by identity: a tensor, its name, whether it has others
Parts = Iterable[tuple[Any, Any]]  # a name, a key or a place, and what is there


class InSight:
    """The names of the tensors that the running functions of a program have at hand.

    A tensor is called as its variable is, or by the way to it, `self.w` or `ws[0]`, that begins at
    one. The innermost function has the first word, then those that called it, then the globals.
    A tensor of two variables of one function stays without a name, and so does the second of two
    tensors that would have the same. No code of the program runs: what holds a tensor is looked
    into as Python keeps it. Neither frames nor tensors are kept alive.

    Args:
        tensors: the class of all tensors.

    Attributes:
        found: by identity, whatever has a name, with its name.
        told: the names that somebody has asked for.
    """

    def __init__(self, tensors: type) -> None:
        self.found: dict[int, tuple[ReferenceType[Any], str]] = {}
        self.told: set[str] = set()
        seen: dict[int, Any] = {}  # which keeps what it has seen: an id may be used again
        taken: set[str] = set()
        for variables in _scopes():
            for key, (tensor, name, has_others) in _named(variables, tensors, _NAME).items():
                if key in seen:
                    continue
                seen[key] = tensor
                if has_others or name in taken:
                    continue
                taken.add(name)
                array = getattr(tensor, "payload", None)
                self.found[key] = ref(tensor), name
                if type(array) is np.ndarray:  # a node may have saved that, and not the tensor
                    self.found.setdefault(id(array), (ref(array), name))

    def name_of(self, held: Any) -> str | None:
        """What a tensor is called, or the tensor of an array; None if nothing calls it."""
        found, name = self.found.get(id(held), (None, ""))
        if found is None or found() is not held:
            return None
        self.told.add(name)
        return name

    def forget(self, names: set[str]) -> None:
        """Have no tensor called so: another one has been given that name."""
        self.found = {key: each for key, each in self.found.items() if each[1] not in names}


def name_of(tensor: Any) -> str | None:
    """What a sentence calls a tensor; None if nothing in sight has it.

    That is its own name, or the first that leads to it, or to another tensor of the same array.
    """
    own = getattr(tensor, "name", None)
    if isinstance(own, str):
        return plain(own, LONGEST)
    kind = Tensor if isinstance(tensor, Tensor) else type(tensor)
    scopes = [_named(variables, kind, _ANY_NAME) for variables in _scopes()]
    array = getattr(tensor, "payload", None)
    for named in scopes:
        if id(tensor) in named:
            return plain(named[id(tensor)][1], LONGEST)
    for named in scopes if array is not None else ():
        for other, name, _ in named.values():
            if other.payload is array:
                return plain(name, LONGEST)
    return None


def _scopes() -> list[dict[str, Any]]:
    """The variables of the functions that run, the innermost first, and the globals around it.

    Frames of libraries are passed over, and of callers a frame that is traced: it may be one that
    a debugger has stopped, and before Python 3.13 to look at it undoes what was assigned there.
    """
    scopes: list[Any] = []
    around: Any = None
    frame: FrameType | None = sys._getframe(2)
    for _ in range(5 * _MOST_FRAMES):
        if frame is None or len(scopes) == _MOST_FRAMES:
            break
        filename, is_caller = frame.f_code.co_filename, around is not None
        is_passed = is_caller and (frame.f_trace is not None or filename == "<string>")
        if is_users_file(filename) and not is_passed:
            shown: Any = frame.f_locals
            if frame.f_code.co_flags & CO_OPTIMIZED:  # of a function: what is shown are copies
                scopes.append(dict(shown))
                # Before 3.13 they are kept, and would outlive it. Those of `locals()` are taken.
                is_kept = type(shown) is dict and frame.f_trace is None
                if is_kept and sys.getrefcount(shown) == _OWN_REFERENCES:
                    shown.clear()
            elif issubclass(type(shown), dict):
                scopes.append(shown)
            around = around or frame.f_globals
        frame = frame.f_back
    if around is not None and id(around) not in map(id, scopes):
        scopes.append(around)
    return scopes


def _named(variables: dict[str, Any], tensors: type, known_as: re.Pattern[str]) -> Named:
    """The tensors of one scope, and whether several of its variables are the same.

    Those that fewer steps lead to come first. Of several ways to one, the first gives the name.

    Args:
        known_as: what variables are called that are looked into.
    """
    names: Named = {}
    looks, opened = 0, {id(variables), id(variables.get("_oh"))}  # which is a notebook's `Out`
    level: list[tuple[str, bool, Parts]] = [("", False, dict.items(variables))]
    for _ in range(_DEEPEST):
        deeper: list[tuple[str, bool, Parts]] = []
        for way, is_keyed, parts in level:
            for step, part in [pair for pair in parts if type(pair[1]) not in _PLAIN]:
                kind = type(part)
                looks += way != ""  # of a program's own names there may be any number
                if looks > _MOST_LOOKS:
                    return names
                if id(part) in opened or issubclass(kind, _OPAQUE):
                    continue
                if not way and (type(step) is not str or not known_as.fullmatch(step)):
                    continue
                path = f"{way}[{step!r}]" if is_keyed else f"{way}.{step}" if way else step
                if issubclass(kind, tensors):
                    if id(part) not in names:
                        names[id(part)] = part, path, False
                    elif not way:
                        names[id(part)] = *names[id(part)][:2], True
                    continue
                opened.add(id(part))
                if kind is list or kind is tuple:
                    if not _NUMBERS.issuperset(map(type, part[:10])):  # as of a list of numbers
                        deeper.append((path, True, enumerate(part[:_MOST_PARTS])))
                elif issubclass(kind, dict):
                    deeper.append((path, True, _entries(part)))
                else:
                    deeper.append((path, False, _attributes(part)))
        level = deeper
    return names


def _entries(whole: dict[Any, Any]) -> Parts:
    """The first entries whose keys are short texts or numbers."""
    return [
        (key, value)
        for key, value in islice(dict.items(whole), _MOST_PARTS)
        if (type(key) is str and len(key) < 60) or (type(key) is int and -10_000 < key < 10_000)
    ]


def _attributes(whole: Any) -> Parts:
    """The attributes of a thing as Python keeps them: no property and no `__getattr__` runs.

    Of what a library made there are only the parameters of modules.
    """
    found: list[tuple[Any, Any]] = []
    holder: Any = None
    kind = type(whole)
    module = _members_of(kind).get("__module__")
    is_open = kind is SimpleNamespace or (type(module) is str and _is_of_users(module))
    for cls in _mro_of(kind):
        members = _members_of(cls)
        holder = members.get("__dict__") if holder is None else holder
        for name in members if is_open and "__slots__" in members else ():
            if type(members[name]) is MemberDescriptorType:
                try:
                    found.append((name, members[name].__get__(whole)))
                except AttributeError:
                    continue  # nothing is in it
    held: Any = holder.__get__(whole) if type(holder) in _DESCRIPTORS else {}
    for name, part in islice(dict.items(held), _MOST_PARTS):
        if type(name) is not str:
            continue
        if name in REGISTRIES and issubclass(type(part), dict):
            found += _entries(part)
        elif is_open:
            found.append((name, part))
    return found


@lru_cache(maxsize=1024)
def _is_of_users(module: str) -> bool:
    """Whether what is defined in a module of that name is the user's."""
    filename = getattr(sys.modules.get(module), "__file__", None)
    return module == "__main__" or (type(filename) is str and is_users_file(filename))
