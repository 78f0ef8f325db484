"""A user's line that is running: its tree, what its names mean, and who gave them their values.

# Note [Who gave a name its value]
# A statement above in the same block has run, and so have those in a `with` block above, or above
# the block that a line is in. So the last of them that binds a name gave it its value, unless an
# `if`, a `try`, or an earlier turn of a loop may have done so: then nobody knows, and nothing is
# said.
"""

import ast
import builtins
import sys
from collections.abc import Iterator
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

from glassgrad.core.state import Func, Place
from glassgrad.core.tensor import Tensor

from .frames import users_frame
from .lines import line_shown, parsed, span, spans
from .names import REGISTRIES

UNKNOWN: Any = object()
"""The value of an expression that cannot be known without computing it."""

UNSURE: Any = object()
"""Who gave a name its value, if it may have been one of several statements."""

_FUNCTIONS = ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda
_NOTHING = ast.Module([], [])
_SCOPES = (*_FUNCTIONS, ast.ClassDef)
_LOOPS = ast.For, ast.AsyncFor, ast.While
_WITH = ast.With, ast.AsyncWith


class Scope:
    """A function of the user's, running or done, or the program itself: its names and its tree.

    Args:
        code: its code.
        frame: where it runs; None if it is done.
        given: what it was called with, by parameter: a scope, a statement and an expression of it.
        names: its globals, if it is done.

    Attributes:
        root: its part of the tree of its file; None if the source is not there.
    """

    def __init__(
        self,
        code: CodeType,
        frame: FrameType | None = None,
        given: dict[str, Any] | None = None,
        names: dict[str, Any] | None = None,
    ) -> None:
        self.code, self.frame, self.given = code, frame, given or {}
        self.names = frame.f_globals if frame is not None else names or {}
        self.tree = tree = parsed(code.co_filename)
        parts = [] if tree is None else list(ast.walk(tree))
        self.parents = {child: part for part in parts for child in ast.iter_child_nodes(part)}
        self.root: Any = tree
        if code.co_name != "<module>":
            self.root = next((part for part in parts if self._is_mine(part)), None)

    def _is_mine(self, part: ast.AST) -> bool:
        if (
            not isinstance(part, _FUNCTIONS)
            or getattr(part, "name", "<lambda>") != self.code.co_name
        ):
            return False
        first = [part, *getattr(part, "decorator_list", [])]
        lines = [getattr(each, "lineno", 0) for each in first]
        return min(lines) == self.code.co_firstlineno

    # Where it is --------------------------------------------------------------------------------

    def running(self) -> tuple[Any, Any]:
        """The statement that runs, and the part of it that is called; None where unknown."""
        if self.frame is None or self.root is None:
            return None, None
        return self.part_at((self.frame.f_code, self.frame.f_lasti))

    def part_at(self, place: Place) -> tuple[Any, Any]:
        """The statement that an instruction is of, and the part of it that is its own."""
        where = span(place)
        exactly = [part for part in ast.walk(self.tree or _NOTHING) if where in spans(part)]
        if not exactly:  # a file that was changed since it was imported
            return None, None
        wholes = ast.Call, ast.JoinedStr
        node = next((part for part in exactly if isinstance(part, wholes)), exactly[-1])
        return self.statement(node), node

    def statement(self, part: Any) -> Any:
        """The statement that `part` belongs to."""
        while not isinstance(part, ast.stmt) and part is not None:
            part = self.parents.get(part)
        return part

    def around(self, part: Any) -> Iterator[Any]:
        """What `part` is in, from the inside, as far as this scope goes."""
        while part is not self.root and part is not None:
            part = self.parents.get(part)
            yield part

    def shown(self, part: Any) -> str:
        """The line of `part` as a reader finds it."""
        return line_shown(self.code.co_filename, part.lineno)

    # What names mean ----------------------------------------------------------------------------

    def value(self, expression: Any) -> Any:
        """What a name, an attribute or an entry is now, without running any code; or UNKNOWN."""
        if isinstance(expression, ast.Constant):
            return expression.value
        if isinstance(expression, ast.Name):
            return self._named(expression.id)
        if isinstance(expression, ast.Attribute):
            return _attribute(self.value(expression.value), expression.attr)
        if isinstance(expression, ast.Subscript):
            owner, index = self.value(expression.value), self.value(expression.slice)
            if type(owner) in (list, tuple, dict) and type(index) in (int, str):
                try:
                    return owner[index]
                except (LookupError, TypeError):
                    return UNKNOWN
        return UNKNOWN

    def _named(self, name: str) -> Any:
        if self.frame is not None and name in self.frame.f_locals:
            return self.frame.f_locals[name]
        if name in self.given:
            scope, _, expression = self.given[name]
            return expression if scope is None else scope.value(expression)
        if name in self.code.co_varnames:
            return UNKNOWN  # of a function that is done
        found = self.names.get(name, UNKNOWN)
        return getattr(builtins, name, UNKNOWN) if found is UNKNOWN else found

    def definition(self, name: str, at: Any) -> Any:
        """The statement that gave `name` the value that it has where `at` begins.

        See Note [Who gave a name its value].

        Returns:
            A statement, UNSURE, or None if there is none in this scope.
        """
        part = at
        for parent in self.around(at):
            for block in _blocks(parent):
                places = [place for place, each in enumerate(block) if each is part]
                for before in reversed(block[: places[0]] if places else []):
                    found = self._last_in(before, name)
                    if found is not None:
                        return found
            if isinstance(parent, _LOOPS) and _binds(parent, name):
                return UNSURE
            part = parent
        is_local = name in self.code.co_varnames or name in self.given
        return None if is_local or self.root is self.tree else self._global(name)

    def _global(self, name: str) -> Any:
        """The one statement of the program that binds a name which is no function's own."""
        found = _stores(self.tree, name)
        declared = [each for each in ast.walk(self.tree) if isinstance(each, ast.Global)]
        if len(found) != 1 or any(name in each.names for each in declared):
            return UNSURE if found else None
        return self.statement(found[0])

    def stores(self, name: str) -> list[Any]:
        """Where the name is bound in this scope."""
        return _stores(self.root, name)

    def _last_in(self, statement: Any, name: str) -> Any:
        """Who in a statement that has run binds `name` last; None if nobody does."""
        if not _binds(statement, name):
            return None
        if isinstance(statement, _WITH):
            for each in reversed(statement.body):
                found = self._last_in(each, name)
                if found is not None:
                    return found
        if isinstance(statement, _LOOPS):
            return self._of_loop(statement, name)
        if isinstance(statement, (ast.If, ast.Try, ast.Match, *_SCOPES)):
            return UNSURE
        return statement

    def _of_loop(self, loop: Any, name: str) -> Any:
        """Who in a loop that is over bound `name` last, if it had at least one turn."""
        jumps = [each for each in ast.walk(loop) if isinstance(each, (ast.Continue, ast.Break))]
        counter = getattr(loop, "target", None)
        if jumps or not isinstance(counter, ast.Name) or counter.id == name:
            return UNSURE
        elsewhere = [each for each in _stores(self.root, counter.id) if each is not counter]
        if elsewhere or self.frame is None or counter.id not in self.frame.f_locals:
            return UNSURE
        found = [self._last_in(each, name) for each in loop.body]
        return next((each for each in reversed(found) if each is not None), UNSURE)


def if_known(find: Func, *args: Any) -> Any:
    """What `find(frame, *args)` finds, of the user's frame that runs; None if it cannot.

    Whatever is wrong with the source, or with objects that are looked at: the error that is to be
    told of goes first.
    """
    frame = users_frame(sys._getframe(1))
    try:
        return frame and find(frame, *args)
    except Exception:  # noqa: BLE001  # objects of the user's may raise anything
        return None


def assigned(statement: Any, name: str) -> Any:
    """The expression whose value `name` got by a statement; None if it is no plain assignment."""
    if isinstance(statement, ast.AugAssign):
        return ast.copy_location(
            ast.BinOp(ast.Name(name, ast.Load()), statement.op, statement.value), statement
        )
    if isinstance(statement, ast.AnnAssign):
        return statement.value
    if not isinstance(statement, ast.Assign):
        return None
    for target in statement.targets:
        if isinstance(target, ast.Name):
            return statement.value
        if isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
            pairs = zip(target.elts, statement.value.elts, strict=False)
            return next((v for t, v in pairs if getattr(t, "id", "") == name), None)
    return statement.value


def _blocks(part: Any) -> list[list[Any]]:
    """The lists of statements that a part of a tree consists of."""
    found = [getattr(part, name, None) for name in ("body", "orelse", "finalbody")]
    return [block for block in found if isinstance(block, list)]


def _stores(part: Any, name: str) -> list[Any]:
    """Where `name` is bound in a part of a tree, functions in it left out."""
    found, waiting = [], [part]
    for each in waiting:  # which grows meanwhile
        names = [
            alias.asname or alias.name
            for alias in getattr(each, "names", [])
            if isinstance(alias, ast.alias)
        ]
        is_store = isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)
        is_declared = isinstance(each, (ast.Global, ast.Nonlocal)) and name in each.names
        is_named = isinstance(each, _SCOPES) and getattr(each, "name", "") == name
        if (is_store and each.id == name) or name in names or is_named or is_declared:
            found.append(each)
        if each is part or not isinstance(each, _SCOPES):
            waiting += ast.iter_child_nodes(each)
    return found


def _binds(part: Any, name: str) -> bool:
    return bool(_stores(part, name))


def _attribute(owner: Any, name: str) -> Any:
    """An attribute that can be had without running any code; or UNKNOWN."""
    if isinstance(owner, ModuleType):
        return getattr(owner, name, UNKNOWN)
    if owner is UNKNOWN or isinstance(owner, Tensor):
        return UNKNOWN
    try:
        own = vars(owner)
    except TypeError:
        return UNKNOWN
    for kept in (own, *[own.get(each) for each in REGISTRIES]):
        if isinstance(kept, dict) and name in kept:
            return kept[name]
    for cls in type(owner).__mro__:
        if isinstance(vars(cls).get(name), FunctionType):
            return vars(cls)[name]
    return UNKNOWN
