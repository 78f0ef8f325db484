"""Why nothing requires grad: the line that cut a result off from what it was computed from.

From the call that failed, the lines are read backwards: who gave `loss` its value, what is in that
expression, who gave those names theirs; into functions and modules of the user's, too. On the way
a `detach()`, an `argmax`, a cast, NumPy, a `no_grad` block are found where they take something
that requires grad. What was computed while the program ran is not known: nothing was recorded.
"""

import ast
from collections.abc import Iterator
from types import FrameType, FunctionType, MethodType
from typing import Any, NamedTuple

from glassgrad.core import errors
from glassgrad.core.state import is_ours, modes
from glassgrad.core.tensor import Tensor
from glassgrad.source.frames import users_frame
from glassgrad.source.lines import text_of
from glassgrad.source.scope import UNKNOWN, UNSURE, Scope, assigned, if_known

_NUMBERS = "a Python number", "Compute the loss with the tensor itself, and take its number later"
_POSITIONS = (
    "positions, which do not move when the numbers do",
    "Give the loss the scores themselves, as `cross_entropy(scores, target)` wants them",
)
_INTEGERS = (
    "integers, which cannot move by a small step",
    "Compute the loss with the floats",
)
_TRUTHS = (
    "True or False, which do not move when the numbers do",
    "An accuracy cannot be trained; take a loss of the scores themselves",
)
_GRAD = "glassgrad.autograd.gradients"  # the home of `grad`
_ARRAYS = "values without a graph: NumPy records nothing", "Compute it with tensors all the way"

_METHODS = {
    "detach": ("the values without the graph", "Leave `.detach()` out there"),
    "data": ("the values without the graph", "Leave `.data` out there"),
    "item": _NUMBERS,
    "tolist": _NUMBERS,
    "numpy": _ARRAYS,
    "argmax": _POSITIONS,
    "argmin": _POSITIONS,
    "argsort": _POSITIONS,
    **dict.fromkeys(("long", "int", "short", "byte", "char"), _INTEGERS),
    **dict.fromkeys(("bool", "eq", "ne", "lt", "le", "gt", "ge"), _TRUTHS),
}
"""What a method makes of a tensor, and what to do instead."""

_COPIES = (
    "a copy of the values without the graph",
    "Use the tensor itself, or `stack(tensors)` for several",
)
_OURS = {"tensor": _COPIES, **{name: _METHODS[name] for name in ("argmax", "argmin", "argsort")}}
"""The same for functions of ours."""

_OFF = ("no_grad", "inference_mode")
_DEPTH = 12
"""So many assignments and calls are followed."""


class Cut(NamedTuple):
    """Where a graph ends that would have gone on.

    Attributes:
        why: what happened there, and the line.
        remedy: what to write instead, without the period.
        sources: what was cut off and requires grad: names, each with its value.
    """

    why: str
    remedy: str
    sources: dict[str, Any]


def nothing_recorded(output: Any, said: str) -> Exception:
    """The error for an output that has no place in a graph.

    Args:
        said: PyTorch's sentence.
    """
    reason, remedy = (
        "Nothing it was computed from requires grad, or a detach(), no_grad(), NumPy cut it off",
        "Set requires_grad=True on the leaves first",
    )
    reason, remedy = if_known(_reason, output) or (reason, remedy)
    return errors.GraphError(f"{said} (shape {tuple(output.shape)}). {reason}. {remedy}.")


def unused_error(said: str, outputs: list[Any], input: Any) -> Exception:
    """The error for an input that the outputs do not depend on.

    Args:
        said: PyTorch's sentence, and what else is always so.
    """
    found = if_known(_unused, outputs, input)
    return errors.UnusedInputError(f"{said} {found[0]}. {found[1]}." if found else said)


def _reason(frame: FrameType, output: Any) -> tuple[str, str] | None:
    scope = Scope(frame.f_code, frame)
    statement, expression = _expression_of(output, scope)
    if expression is not None:
        if not modes.grad or modes.inference:
            switched = _switched_off(scope)
            if switched is not None:
                return switched
        walk = _Walk()
        for cut in walk.cuts(scope, statement, expression, _DEPTH):
            return cut.why, cut.remedy
        if walk.is_sure and walk.leaves:
            return _of_leaves(walk.leaves)
    if not modes.grad or modes.inference:
        return "Recording is off here", "Compute it outside of no_grad(), or in enable_grad()"
    return None


def _of_leaves(leaves: dict[str, str]) -> tuple[str, str]:
    named = " and ".join([f"`{name}` ({line})" for name, line in list(leaves.items())[:3]])
    first, verb = next(iter(leaves)), "does" if len(leaves) == 1 else "do"
    which = f"`{first}`" if len(leaves) == 1 else "those that are to be trained"
    return (
        f"It was computed from {named}, which {verb} not require grad",
        f"Make {which} with `requires_grad=True`",
    )


def _switched_off(scope: Scope) -> tuple[str, str] | None:
    """Who has switched recording off, if it is a block around a line that runs, or one call."""
    here: Any = scope
    while here is not None and here.root is not None:
        at, _ = here.running()
        block = at and _block_around(here, at)
        if block is not None:
            return _in_block(here, block)
        frame = users_frame(here.frame.f_back)
        here = frame and Scope(frame.f_code, frame)
    calls = [
        part
        for part in ast.walk(scope.tree or ast.Module([], []))
        if isinstance(part, ast.Call)
        and getattr(part.func, "attr", getattr(part.func, "id", "")) == "set_grad_enabled"
        and [getattr(each, "value", None) for each in part.args] == [False]
    ]
    if len(calls) == 1:
        return (
            f"Recording is off: {scope.shown(calls[0])} has switched it off",
            "Write `with no_grad():` around what is not to be recorded, which ends by itself",
        )
    return None


def _in_block(scope: Scope, block: Any) -> tuple[str, str]:
    return (
        f"It was computed in a block that records nothing ({scope.shown(block)})",
        "Compute the loss outside of that block",
    )


def _block_around(scope: Scope, part: Any) -> Any:
    """The `with` block around `part` that records nothing; None if there is none."""
    for around in scope.around(part):
        if isinstance(around, (ast.With, ast.AsyncWith)):
            for item in around.items:
                mode = item.context_expr
                name, is_off = _mode(scope, mode)
                if name == "enable_grad":
                    return None
                if is_off:
                    return around
    return None


def _mode(scope: Scope, expression: Any) -> tuple[str, bool]:
    """The name of the mode of ours that an expression makes, and whether it records nothing."""
    if not isinstance(expression, ast.Call):
        return "", False
    called = scope.value(expression.func)
    name = getattr(called, "__name__", "")
    if called is UNKNOWN or not str(getattr(called, "__module__", "")).startswith("glassgrad."):
        return "", False
    given = [scope.value(each) for each in expression.args]
    if name == "set_grad_enabled" and len(given) == 1:
        return ("enable_grad", False) if given == [True] else (name, given == [False])
    return name, name in _OFF and given in ([], [True])


def _expression_of(output: Any, scope: Scope) -> tuple[Any, Any]:
    """The statement that runs, and what in it is `output`: `loss` in `loss.backward()`."""
    statement, call = scope.running()
    if not isinstance(call, ast.Call):
        return None, None
    if isinstance(call.func, ast.Attribute) and call.func.attr == "backward":
        owner = scope.value(call.func.value)
        if owner is output or owner is UNKNOWN:
            return statement, call.func.value
    for given in call.args:
        for part in given.elts if isinstance(given, (ast.List, ast.Tuple)) else [given]:
            if scope.value(part) is output:
                return statement, part
    first = call.args[0] if call.args else None
    if isinstance(first, (ast.Call, ast.BinOp)):
        return statement, first
    return None, None


# Backwards through the lines ----------------------------------------------------------------------


class _Walk:
    """A walk from a result to what it was computed from.

    Args:
        goal: the tensor that it looks for; None for any that requires grad, where it stops.

    Attributes:
        leaves: what it ended at, each with the line that made it, if that does not require grad.
        is_sure: whether it could follow all that it met.
    """

    def __init__(self, goal: Tensor | None = None) -> None:
        self.goal = goal
        self.leaves: dict[str, str] = {}
        self.is_sure = True
        self.seen: set[tuple[Any, Any]] = set()

    def cuts(self, scope: Scope, at: Any, expression: Any, depth: int) -> Iterator[Cut]:
        """Where what `expression` gives at the statement `at` is cut off from something."""
        if depth == 0 or expression is None:
            self.is_sure = False
        elif isinstance(expression, ast.Name):
            yield from self._of_name(scope, at, expression, depth)
        elif isinstance(expression, ast.Call):
            yield from self._of_call(scope, at, expression, depth)
        elif isinstance(expression, ast.Attribute):
            if expression.attr in ("data",) and _is_wanted(scope.value(expression.value), True):
                inside = [expression.value]
                yield from self._cut(scope, at, expression, inside, *_METHODS["data"], depth)
            elif scope.value(expression) is UNKNOWN:
                yield from self.cuts(scope, at, expression.value, depth)
        elif isinstance(expression, ast.Compare):
            inside = [expression.left, *expression.comparators]
            yield from self._cut(scope, at, expression, inside, *_TRUTHS, depth)
        else:
            for part in ast.iter_child_nodes(expression):
                if isinstance(part, (ast.expr, ast.comprehension, ast.keyword)):
                    yield from self.cuts(scope, at, part, depth)

    def _of_name(self, scope: Scope, at: Any, name: Any, depth: int) -> Iterator[Cut]:
        value = scope.value(name)
        if (at, name.id) in self.seen or (self.goal is None and _is_wanted(value, False)):
            return
        self.seen.add((at, name.id))
        made = scope.definition(name.id, at)
        if made is None and name.id in scope.given:
            outer, where, expression = scope.given[name.id]
            if outer is not None:
                yield from self.cuts(outer, where, expression, depth - 1)
            return
        if made is UNSURE and isinstance(value, Tensor):
            yield from self._lost(scope, name.id)
        if made is None or made is UNSURE:
            self.is_sure &= made is None and not isinstance(value, Tensor)
            return
        expression = assigned(made, name.id)
        if expression is None:
            self.is_sure &= not isinstance(value, Tensor) and value is not UNKNOWN
            return
        cuts = list(self.cuts(scope, made, expression, depth - 1))
        if not cuts and (block := _block_around(scope, made)) is not None:
            sources = self.sources(scope, made, expression, depth)
            if name.id in sources:
                cuts = [_lost_in(scope, block, made, name.id, expression)]
            elif sources:
                cuts = [Cut(*_made_in_block(scope, block, made), sources)]
        yield from cuts
        is_leaf = _is_new(scope, expression) and not _makes_a_leaf(expression)
        if isinstance(value, Tensor) and not cuts and is_leaf:
            self.leaves[name.id] = scope.shown(made)

    def _lost(self, scope: Scope, name: str) -> Iterator[Cut]:
        """The line that made of a leaf that requires grad one that does not, if it is the only one.

        All others that bind the name make it require grad: so it was this one.
        """
        made = [scope.statement(each) for each in scope.stores(name)]
        parts = [(each, assigned(each, name)) for each in made]
        others = [pair for pair in parts if not _makes_a_leaf(pair[1])]
        if len(others) != 1 or len(parts) == 1:
            return
        ((line, expression),) = others
        block = _block_around(scope, line)
        if block is not None and expression is not None:
            yield _lost_in(scope, block, line, name, expression)

    def _of_call(self, scope: Scope, at: Any, call: Any, depth: int) -> Iterator[Cut]:
        given = [*call.args, *[each.value for each in call.keywords]]
        method = isinstance(call.func, ast.Attribute)
        called = scope.value(call.func)
        if method and (called is UNKNOWN or isinstance(scope.value(call.func.value), Tensor)):
            given = [call.func.value, *given]
            known = _METHODS.get(call.func.attr)
            if known is None and call.func.attr in ("to", "type") and _to_integers(scope, call):
                known = _INTEGERS
            if known is not None and call.func.attr != "data":
                yield from self._cut(scope, at, call, given[:1], *known, depth)
                return
        known = _function(called)
        asks = [each.arg for each in call.keywords]
        if getattr(called, "__module__", "") == _GRAD and "create_graph" not in asks:
            known = "a gradient that has no graph", "Write `create_graph=True` in that call"
        if known is not None:
            yield from self._cut(scope, at, call, given, *known, depth)
            return
        for each in given:
            yield from self.cuts(scope, at, each, depth)
        yield from self._inside(scope, at, call, called, depth)

    def _cut(
        self,
        scope: Scope,
        at: Any,
        node: Any,
        inside: list[Any],
        makes: str,
        remedy: str,
        depth: int,
    ) -> Iterator[Cut]:
        """The cut that `node` is, unless what it takes is cut off already."""
        before = [cut for part in inside for cut in self.cuts(scope, at, part, depth)]
        if before:
            if makes == _ARRAYS[0] and "detach" in before[-1].remedy:
                before[-1] = before[-1]._replace(remedy=remedy)
            yield from before
            return
        sources: dict[str, Any] = {}
        for part in inside:
            sources |= self.sources(scope, at, part, depth)
        if sources:
            names = " and ".join([f"`{name}`" for name in list(sources)[:3]])
            line = scope.shown(node)
            why = f"It was cut off from {names} in {line}: `{_short(node)}` gives {makes}"
            yield Cut(why, remedy, sources)

    def sources(self, scope: Scope, at: Any, expression: Any, depth: int) -> dict[str, Any]:
        """What requires grad in all that `expression` is computed from, by name."""
        found: dict[str, Any] = {}
        waiting: list[Any] = [expression]
        for part in waiting if depth else []:  # which grows meanwhile
            value = scope.value(part) if isinstance(part, (ast.Name, ast.Attribute)) else UNKNOWN
            if _is_wanted(value, True):
                found[text_of(part)] = value
            elif isinstance(part, ast.Name):
                found |= self._sources_of(scope, at, part.id, depth)
            else:
                waiting += ast.iter_child_nodes(part)
        return found

    def _sources_of(self, scope: Scope, at: Any, name: str, depth: int) -> dict[str, Any]:
        made = scope.definition(name, at)
        if made is None and name in scope.given:
            outer, where, expression = scope.given[name]
            return {} if outer is None else self.sources(outer, where, expression, depth - 1)
        if made is None or made is UNSURE or (expression := assigned(made, name)) is None:
            return {}
        if _makes_a_leaf(expression):  # and its name is another tensor's since
            return {name: None}
        return self.sources(scope, made, expression, depth - 1)

    def _inside(self, scope: Scope, at: Any, call: Any, called: Any, depth: int) -> Iterator[Cut]:
        """What is cut in a function, or in the `forward` of a module, of the user's own."""
        owner: Any = None
        if isinstance(call.func, ast.Attribute) and isinstance(called, FunctionType):
            value = scope.value(call.func.value)
            owner = None if value is UNKNOWN or hasattr(value, "__path__") else value
            owner = None if vars(value).get(call.func.attr) is called else owner
        if isinstance(called, MethodType):
            owner, called = called.__self__, called.__func__
        elif not isinstance(called, FunctionType) and hasattr(type(called), "forward"):
            owner, called = called, type(called).forward
        if isinstance(called, FunctionType) and _records_nothing(called):
            sources = self.sources(scope, at, call, depth)
            name = text_of(call.func)
            why = (
                f"It was computed by `{name}`, which records nothing: it is decorated with no_grad"
            )
            yield Cut(
                f"{why} ({scope.shown(call)})", f"Take the decorator away from `{name}`", sources
            )
            return
        if not isinstance(called, FunctionType) or is_ours[called.__code__.co_filename]:
            return
        code = called.__code__
        names = code.co_varnames[: code.co_argcount]
        given: dict[str, Any] = {}
        if owner is not None:
            given[names[0]] = (None, None, owner)
            names = names[1:]
        given |= {name: (scope, at, part) for name, part in zip(names, call.args, strict=False)}
        given |= {each.arg: (scope, at, each.value) for each in call.keywords if each.arg}
        inner = Scope(code, None, given, called.__globals__)
        returns = [
            part
            for part in ast.walk(inner.root or ast.Module([], []))
            if isinstance(part, ast.Return)
        ]
        if len(returns) == 1 and returns[0].value is not None:
            (last,) = returns
            cuts = list(self.cuts(inner, last, last.value, depth - 1))
            if not cuts and (block := _block_around(inner, last)) is not None:
                sources = self.sources(inner, last, last.value, depth)
                cuts = [Cut(*_in_block(inner, block), sources)] if sources else []
            yield from cuts
        else:
            self.is_sure = False


def _makes_a_leaf(expression: Any) -> bool:
    """Whether it is a call with `requires_grad=True`, or of `Parameter`."""
    if not isinstance(expression, ast.Call):
        return False
    name = getattr(expression.func, "attr", getattr(expression.func, "id", ""))
    asks = [
        getattr(each.value, "value", None)
        for each in expression.keywords
        if each.arg == "requires_grad"
    ]
    return asks == [True] or (name == "requires_grad_" and not expression.args)


def _kept(name: str, expression: Any) -> str:
    """How a leaf is written instead of being replaced by what `expression` makes of it."""
    if isinstance(expression, ast.BinOp) and getattr(expression.left, "id", "") == name:
        step = ast.AugAssign(ast.Name(name, ast.Store()), expression.op, expression.right)
        return f"Write `{text_of(step)}` in that block: that changes the leaf, and keeps it"
    return f"Write to it in that block, with `{name}.copy_(…)`: that changes the leaf, and keeps it"


def _lost_in(scope: Scope, block: Any, line: Any, name: str, expression: Any) -> Cut:
    """The cut that a line in a block is, which gives the name of a leaf to another tensor."""
    why = (
        f"`{name}` is another tensor since {scope.shown(line)}, which was computed in a block "
        f"that records nothing ({scope.shown(block)}): the leaf that required grad is lost"
    )
    return Cut(why, _kept(name, expression), {name: None})


def _made_in_block(scope: Scope, block: Any, made: Any) -> tuple[str, str]:
    why = f"It was computed in {scope.shown(made)}, in a block that records nothing"
    remedy = "Compute outside of that block what is to be trained"
    return f"{why} ({scope.shown(block)})", remedy


def _is_wanted(value: Any, is_computed_too: bool) -> bool:
    """Whether a tensor requires grad, or a module has a parameter that does, or a list a tensor."""
    if isinstance(value, Tensor):
        return value.requires_grad
    if isinstance(value, (list, tuple)):
        return any(_is_wanted(each, is_computed_too) for each in value[:100])
    parameters = getattr(type(value), "parameters", None)
    if is_computed_too and callable(parameters) and hasattr(type(value), "forward"):
        return any(each.requires_grad for each in value.parameters())
    return False


def _is_new(scope: Scope, expression: Any) -> bool:
    """Whether an expression is a call of an op of ours that makes a tensor of no other."""
    if not isinstance(expression, ast.Call):
        return False
    called = scope.value(expression.func)
    names = [part for part in ast.walk(expression) if isinstance(part, (ast.Name, ast.Attribute))]
    is_op = str(getattr(called, "__module__", "")).startswith("glassgrad.ops.")
    return is_op and not any(isinstance(scope.value(part), Tensor) for part in names)


def _function(called: Any) -> tuple[str, str] | None:
    """What a function makes of tensors, and what to do instead; None if it is not known to cut."""
    if called in (float, int):
        return _NUMBERS
    home = str(getattr(called, "__module__", ""))
    name = getattr(called, "__name__", "")
    if home.startswith("glassgrad.ops") and isinstance(called, FunctionType):
        return _OURS.get(name)
    if home.partition(".")[0] == "numpy" and name in ("array", "asarray"):
        return _ARRAYS
    return None


def _to_integers(scope: Scope, call: Any) -> bool:
    given = [*call.args, *[each.value for each in call.keywords if each.arg == "dtype"]]
    values = [scope.value(each) for each in given]
    return any(getattr(value, "kind", "") in ("i", "u", "b") for value in values)


def _records_nothing(function: Any) -> bool:
    """Whether a function was decorated with `no_grad`."""
    if not is_ours[function.__code__.co_filename] or not hasattr(function, "__wrapped__"):
        return False
    changes = [getattr(cell.cell_contents, "changes", {}) for cell in function.__closure__ or ()]
    return any(each.get("grad") is False or each.get("inference") for each in changes)


def _short(node: Any) -> str:
    """`….detach()` for a long receiver."""
    text = text_of(node)
    if len(text) <= 30 or not isinstance(node, (ast.Call, ast.Attribute)):
        return text
    target = node.func if isinstance(node, ast.Call) else node
    if not isinstance(target, ast.Attribute):
        return text
    return f"….{target.attr}" + ("(…)" if isinstance(node, ast.Call) and node.args else "()")


# An input that the outputs do not depend on -------------------------------------------------------


def _unused(frame: FrameType, outputs: list[Any], input: Any) -> tuple[str, str] | None:
    if len(outputs) != 1 or not isinstance(input, Tensor):
        return None
    scope, (output,) = Scope(frame.f_code, frame), outputs
    statement, expression = _expression_of(output, scope)
    if expression is None:
        return None
    for cut in _Walk(input).cuts(scope, statement, expression, _DEPTH):
        if any(value is input for value in cut.sources.values()):
            return cut.why, cut.remedy
    names = [part for part in ast.walk(statement) if isinstance(part, ast.Name)]
    goal = next((part for part in names if scope.value(part) is input), None)
    if goal is None or not isinstance(expression, ast.Name):
        return None
    bound, made = scope.definition(goal.id, statement), scope.definition(expression.id, statement)
    if not all(isinstance(each, ast.stmt) for each in (bound, made)) or bound.lineno <= made.lineno:
        return None
    if scope.parents.get(bound) is not scope.parents.get(made):
        return None
    since = f"`{goal.id}` is another tensor since {scope.shown(bound)}"
    remedy = f"Bind `{goal.id}` before that, or give the new tensor another name"
    return f"{since}, and `{expression.id}` was computed before ({scope.shown(made)})", remedy
