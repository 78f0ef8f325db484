"""What a program calls its tensors, where it asks for a picture of them."""

import os
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

from glassgrad.core.state import is_ours

_MOST_FRAMES, _MOST_PARTS, _MOST_LOOKS, _DEEPEST = 20, 100, 1_000, 8
_OWN_REFERENCES = 3  # the frame's, ours, and that of the call which counts them
_NUMBERS = frozenset((str, bytes, int, float, complex, bool, type(None), np.ndarray))
_CODE = frozenset((type, ModuleType, FunctionType, BuiltinFunctionType, MethodType, np.ufunc))
_PLAIN = _NUMBERS | _CODE  # of which most of what there is in a scope is one
_DESCRIPTORS = (GetSetDescriptorType, MemberDescriptorType)
_OPAQUE = (type, ModuleType, FunctionType)
_REGISTRIES = ("_parameters", "_buffers", "_modules")  # whose entries a module has as attributes
# A notebook has `_` and `_3` for its results; `t4` is what a tensor without a name is called.
_NAME = re.compile(r"(?!_|t\d+\Z)[^\W\d]\w*")
_LIBRARY = re.compile(r"[/\\](?:site|dist)-packages[/\\]")
_PYTHON = os.__file__.removesuffix("os.py")

_mro_of = type.__dict__["__mro__"].__get__
_members_of = type.__dict__["__dict__"].__get__

Named = dict[int, tuple[Any, str]]  # a tensor, and what it is called, by its identity
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
        named: Named = {}
        taken = {""}
        for variables in _scopes():
            for key, (tensor, name) in _named(variables, tensors).items():
                if key in named:
                    continue
                named[key] = tensor, name
                if name in taken:
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
        if _is_users(filename) and not is_passed:
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


@lru_cache(maxsize=1024)
def _is_users(filename: str) -> bool:
    """Whether a file is the user's: not of this package, of Python's, or of an installed one."""
    if is_ours[filename] or filename.startswith((_PYTHON, "<frozen ")):
        return False
    return _LIBRARY.search(filename) is None


def _named(variables: dict[str, Any], tensors: type) -> Named:
    """The tensors of one scope; "" as name for those of two variables.

    Those that fewer steps lead to come first. Of several ways to one, the first gives the name.
    """
    names: Named = {}
    looks, opened = 0, {id(variables), id(variables.get("_oh"))}  # which is a notebook's `Out`
    level: list[tuple[str, bool, Parts]] = [("", False, dict.items(variables))]
    for _ in range(_DEEPEST):
        deeper: list[tuple[str, bool, Parts]] = []
        for way, is_keyed, parts in level:
            for step, part in [pair for pair in parts if type(pair[1]) not in _PLAIN]:
                kind, looks = type(part), looks + 1
                if looks > _MOST_LOOKS:
                    return names
                if id(part) in opened or issubclass(kind, _OPAQUE):
                    continue
                if not way and (type(step) is not str or not _NAME.fullmatch(step)):
                    continue
                path = f"{way}[{step!r}]" if is_keyed else f"{way}.{step}" if way else step
                if issubclass(kind, tensors):
                    if id(part) not in names:
                        names[id(part)] = part, path
                    elif not way:
                        names[id(part)] = part, ""
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
        if name in _REGISTRIES and issubclass(type(part), dict):
            found += _entries(part)
        elif is_open:
            found.append((name, part))
    return found


@lru_cache(maxsize=1024)
def _is_of_users(module: str) -> bool:
    """Whether what is defined in a module of that name is the user's."""
    filename = getattr(sys.modules.get(module), "__file__", None)
    return module == "__main__" or (type(filename) is str and _is_users(filename))
