"""How an op is declared, and what follows from that.

    @op(Tan)
    def tan(input: Tensor) -> Tensor:
        return Tan.apply(input)

is all that there is to write. From it follow `glassgrad.tan`, `tan(x, out=y)`, `x.tan()`,
`x.tan_()` and `np.tan(x)`: three tables hold them, and `glassgrad/__init__.py` and `Tensor` take
what they have from there. `make stubs` writes them down for editors and mypy.

    @factory(like=True, new=True)
    def zeros(*size: Any, **new: Any) -> Tensor:
        return filled("zeros", size, 0, **new)

takes `dtype`, `device` and `requires_grad`, too, and gives `zeros_like(x)` and `x.new_zeros(2)`.

NumPy hands a call with a Tensor among its arguments to the Tensor (NEP 13 for ufuncs, NEP 18 for
other functions). Names and arguments have NumPy's meaning then: `np.var` divides by n, `np.max`
returns values only. This is also how a rule, written for arrays, runs on Tensors when the
backward pass itself is recorded.
"""

import functools
import operator
import re
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any, NamedTuple, TypeVar

import numpy as np

from glassgrad.core.errors import ArgumentTypeError
from glassgrad.core.primitive import Parameters
from glassgrad.core.state import Func, Names, Values
from glassgrad.core.tensor import Tensor

from ._arguments import OpClass, dim_or_axis, require_tensor
from ._families import Elementwise, Predicate
from ._writing import in_place, quick_update, written_to

F = TypeVar("F", bound=Callable[..., Any])

FUNCTIONS: dict[str, Any] = {}
"""What `glassgrad` has: functions, and a few classes and objects that stand beside them."""

METHODS: dict[str, Func] = {}
"""What `Tensor` has; those that write to it end with an underscore."""

NUMPY: dict[Any, Func] = {}
"""What `np.f(x)` calls if `x` is a Tensor, for each of NumPy's functions."""


def op(
    *rules: OpClass,
    aliases: Names = (),
    numpy: Values = (),
    name: str = "",
    out: bool | None = None,
    inplace: bool | None = None,
    inplace_function: bool = False,
    is_function: bool = True,
    is_method: bool = True,
    axis: bool = False,
) -> Callable[[F], F]:
    """Declare a function of `glassgrad` that is a method of its tensor `input`, too.

    Args:
        rules: the classes that it applies.
        aliases: its other names.
        name: the method's name, if the function has another one.
        numpy: functions of NumPy with the same arguments. The `ufunc` of a class is one.
        out: whether it takes `out=`. Default: whether it computes element by element.
        inplace: whether there is a method that writes the result to `input`; the same default.
        inplace_function: whether that method is a function of `glassgrad`, too.
        is_function, is_method: whether it is both; see `method` and `function`.
        axis: whether it takes NumPy's names `axis` and `keepdims` for its `dim` and `keepdim`.
    """
    by_element = bool(rules) and all(
        issubclass(rule, Elementwise) and not issubclass(rule, Predicate) for rule in rules
    )

    def declare(function: F) -> F:
        names = (name or function.__name__, *aliases)
        own = widened(function, rules, axis=True) if axis else function
        has_out = by_element if out is None else out
        public = widened(function, rules, axis=axis, out=True) if has_out else own
        if is_function:
            FUNCTIONS.update(dict.fromkeys(names, public))
        if is_method:
            METHODS.update(dict.fromkeys(names, as_method(own)))
        if by_element if inplace is None else inplace:
            twin = in_place_twin(function, rules)
            METHODS.update({f"{name}_": twin for name in names})
            if inplace_function:
                FUNCTIONS[twin.__name__] = twin
        ufuncs = [rule.ufunc for rule in rules if rule.ufunc is not None]
        NUMPY.update(dict.fromkeys((*ufuncs, *numpy), function))
        return public

    return declare


function = functools.partial(op, is_method=False, out=False, inplace=False)
"""Declare a function of `glassgrad` that is no method; see `op`."""

method = functools.partial(op, is_function=False, out=False, inplace=False)
"""Declare a method of Tensor that is no function of `glassgrad`; see `op`."""


def factory(*, like: bool = False, new: bool = False) -> Callable[[F], F]:
    """Declare a function that makes a tensor; `**new` in it stands for the keywords in NEW.

    Args:
        like: whether `zeros_like(x)` follows from it: in the shape, the dtype and on the device of
            `x`. It is told so: `like=x`. NumPy's function of that name leads there.
        new: whether `x.new_zeros(*size)` does: in the dtype and on the device; `beside=x`.
    """

    def declare(function: F) -> F:
        name, given = function.__name__, Arguments.of(function)
        text = f"return function({given.passed()})\n"
        public = FUNCTIONS[name] = _derived(function, text, given, doc=function.__doc__)
        if like:
            twin = FUNCTIONS[f"{name}_like"] = _like_input(function, f"{name}_like", size=True)
            if hasattr(np, twin.__name__):
                NUMPY[getattr(np, twin.__name__)] = twin
        if new:
            METHODS[f"new_{name}"] = _like_input(function, f"new_{name}", size=False)
        return public

    return declare


def of_numpy(*functions: Any) -> Callable[[F], F]:
    """Declare what some functions of NumPy do with a Tensor, with NumPy's arguments."""

    def declare(function: F) -> F:
        NUMPY.update(dict.fromkeys(functions, function))
        return function

    return declare


def plain(function: F) -> F:
    """The function as it was written, without `out`: for operators, where every call counts."""
    return getattr(function, "declared", function)


# What follows from a function ---------------------------------------------------------------------

# Note [Derived functions]
# A function with `out=`, an in-place twin and a method whose tensor comes first have the arguments
# of the function they are derived from. So they are made as dataclasses make `__init__`: as text,
# which is compiled. That is the quickest call there is, and `help` shows the arguments. Where they
# come by position they have stand-ins in the text, `_0` and `_1`: so most functions share theirs,
# and few texts are compiled.

NEW = {"dtype": None, "device": None, "requires_grad": False}
"""The keywords of all functions that make a tensor, with their defaults."""

ADDED = {
    "input": "Tensor",
    "keepdims": "bool | None",
    "out": "Tensor | None",
    "dtype": "Any",
    "device": "Any",
    "requires_grad": "bool",
}
"""The annotations of the arguments that are added to those of a function."""


class Arguments(NamedTuple):
    """The names of a function's arguments, and the defaults of those that have one."""

    positional: Names
    star: str
    keyword: Names
    default: Parameters

    @classmethod
    def of(cls, function: Any) -> "Arguments":
        """Those that a function was written with, and those that `**new` stands for."""
        code: CodeType = function.__code__
        names, n, m = code.co_varnames, code.co_argcount, code.co_kwonlyargcount
        positional, keyword = names[:n], names[n : n + m]
        defaults = function.__defaults__ or ()
        default = dict(zip(positional[n - len(defaults) :], defaults, strict=True))
        default |= function.__kwdefaults__ or {}
        if code.co_flags & _CO_VARKEYWORDS:
            keyword = tuple(dict.fromkeys((*keyword, *NEW)))
            default = {**NEW, **default}
        return cls(
            positional, names[n + m] if code.co_flags & _CO_VARARGS else "", keyword, default
        )

    def led_by_input(self, *, without: str = "") -> "Arguments":
        """With the tensor `input` first, and without one of them."""
        others = [name for name in self.positional if name not in ("input", without)]
        star = "" if self.star == without else self.star
        default = {name: value for name, value in self.default.items() if name != "input"}
        return Arguments(("input", *others), star, self.keyword, default)

    def wider(self, *names: str) -> "Arguments":
        """With more keywords, which may be left out."""
        keyword = (*self.keyword, *names)
        return self._replace(keyword=keyword, default={**self.default, **dict.fromkeys(names)})

    def declared(self) -> str:
        """As they stand behind `def`, without their defaults."""
        star = f"*{self.star}" if self.star or self.keyword else ""
        return ", ".join(filter(None, (*self.positional, star, *self.keyword)))

    def passed(self) -> str:
        """As they stand in a call."""
        star = (f"*{self.star}",) if self.star else ()
        return ", ".join([*self.positional, *star, *[f"{name}={name}" for name in self.keyword]])


_CO_VARARGS, _CO_VARKEYWORDS = 0x04, 0x08


def widened(function: F, rules: tuple[OpClass, ...], *, axis: bool = False, out: bool = False) -> F:
    """The function with the arguments `axis` and `keepdims`, or `out`, or all of them."""
    given = wider = Arguments.of(function)
    text, plain = "", function
    if axis and "dim" in given.default:
        wider = wider.wider("axis")
        text += "if axis is not None:\n    dim = dim_or_axis(dim, axis)\n"
    if axis and "keepdim" in given.default:
        wider = wider.wider("keepdims")
        text += "if keepdims is not None:\n    keepdim = keepdims\n"
    if out:
        wider = wider.wider("out")
        text += f"if out is not None:\n    return written_to(out, function, {given.passed()})\n"
    text += f"return plain({given.passed()})\n"
    if len(rules) == 1 and _only_applies(function, rules[0], given):
        plain = rules[0].apply  # type: ignore[assignment]  # the same, by one call less
    doc = _with_a_word_on_out(function.__doc__) if out else function.__doc__
    used: Parameters = {"written_to": written_to, "dim_or_axis": dim_or_axis}
    return _derived(function, text, wider, doc=doc, plain=plain, **used)


def _only_applies(function: Any, rule: OpClass, given: Arguments) -> bool:
    """Whether all that a function does is to apply a class to its arguments."""
    text = f"return rule.apply({given.passed()})\n"
    only = _derived(function, text, given, doc="").__code__
    own = function.__code__
    same = (own.co_code, own.co_names, own.co_consts[1:])  # but for the docstring
    return bool(same == (only.co_code, (rule.__name__, "apply"), only.co_consts[1:]))


def _with_a_word_on_out(doc: str | None) -> str | None:
    arguments, header, rest = (doc or "").partition("    Args:\n")
    listed, blank, rest = rest.partition("\n\n")
    if not header:
        return doc
    out = "\n        out: where to write the result, if the tape need not record it."
    return f"{arguments}{header}{listed}{out}{blank}{rest}"


def in_place_twin(function: Any, rules: tuple[OpClass, ...]) -> Callable[..., Tensor]:
    """The function that writes to its tensor `input` what `function` returns."""
    given = Arguments.of(function)
    kept = given.led_by_input(without="inplace")
    others = [*kept.positional[1:], *kept.keyword]
    held = "".join([f"{each}={each}, " for each in others])
    name, ufunc, text = function.__name__, rules[0].ufunc if rules else None, ""
    if getattr(ufunc, "nin", 1) == 2:
        text = f"if quick_update(ufunc, input, {', '.join(others)}):\n    return input\n"
    text += (
        f"call = lambda input, {held}inplace=False: function({given.passed()})\n"
        f"return in_place(name, input, call, [{', '.join(others)}], copies=copies)\n"
    )
    copies = not rules or any("self" in rule.saves for rule in rules)
    doc = (
        f"`{name}`, in place: what it returns is written to `input`, and that returned.\n\n"
        "    Raises:\n"
        "        LeafWriteError: if `input` is a leaf that requires grad and the tape records.\n"
        "        ShapeError: if the result would have another shape than `input`.\n"
        "        DTypeError: if the result's dtype does not fit into `input`.\n    "
    )
    used = {"in_place": in_place, "quick_update": quick_update, "ufunc": ufunc}
    used |= {"name": name, "copies": copies}
    return _derived(function, text, kept, named=f"{name}_", doc=doc, **used)


def _like_input(function: Any, name: str, *, size: bool) -> Any:
    """The function that makes what `function` makes, as it would be beside a tensor `input`.

    Args:
        size: whether of its size, too.
    """
    given = Arguments.of(function)
    shown = given.led_by_input(without="size" if size else "")
    text = (
        "require_tensor(name, input)\n"
        "dtype, device = dtype or input.dtype, device or input.device\n"
    )
    if size:
        text += f"size = {'(input.shape,)' if given.star else 'input.shape'}\n"
    text += f"return function({given.passed()}, {'like' if size else 'beside'}=input)\n"
    doc = f"`{function.__name__}`, in {'the shape, ' * size}the dtype and on the device of `input`."
    used = {"require_tensor": require_tensor, "name": name}
    return _derived(function, text, shown, named=name, doc=doc, **used)


def as_method(function: Any) -> Func:
    """The function itself, or one that takes its tensor `input` first."""
    given = Arguments.of(function)
    if "input" not in given.positional or given.positional[0] == "input":
        return function
    moved = given.led_by_input()
    text = f"return function({given.passed()})\n"
    return _derived(function, text, moved, doc=function.__doc__)


def _derived(
    function: Any, body: str, given: Arguments, *, named: str = "", doc: str | None, **used: Any
) -> Any:
    """A function of those arguments with that body, which looks like one of the file of `function`.

    Args:
        used: what the body uses, beside `function`.
    """
    used |= {"function": function}
    stand_ins = {name: f"_{at}" for at, name in enumerate(given.positional)}

    def general(text: str) -> str:
        return re.sub(r"(?<!\.)\b\w+", lambda word: stand_ins.get(word[0], word[0]), text)

    made = _compiled(general(given.declared()), general(body), tuple(used))(**used)
    source: CodeType = function.__code__
    code = made.__code__.replace(
        co_filename=source.co_filename,
        co_firstlineno=source.co_firstlineno,
        co_name=source.co_name,
        co_varnames=(*given.positional, *made.__code__.co_varnames[len(stand_ins) :]),
    )
    name, default = named or function.__name__, given.default
    defaults = tuple([default[each] for each in given.positional if each in default])
    derived = FunctionType(code, function.__globals__, name, defaults, made.__closure__)
    derived.__kwdefaults__ = {each: default[each] for each in given.keyword if each in default}
    derived.__doc__ = doc
    known = {**ADDED, **function.__annotations__}
    known["axis"] = known.get("dim")
    shown = (*given.positional, given.star, *given.keyword, "return")
    derived.__annotations__ = {name: known[name] for name in shown if name in known}
    derived.__dict__["declared"] = function
    return derived


@functools.cache
def _compiled(arguments: str, body: str, used: Names) -> Func:
    """What makes a function of such arguments and body, given what the body uses."""
    lines = "".join([f"        {line}\n" for line in body.splitlines()])
    text = f"def make({', '.join(used)}):\n    def made({arguments}):\n{lines}    return made\n"
    scope: dict[str, Any] = {}
    exec(compile(text, __file__, "exec"), scope)  # noqa: S102  # our own text, of a file of ours
    return scope["make"]


# NumPy's functions on Tensors ---------------------------------------------------------------------


NUMPY |= {
    np.shape: operator.attrgetter("shape"),
    np.ndim: operator.attrgetter("ndim"),
    np.size: operator.methodcaller("numel"),
}


def array_ufunc(self: Tensor, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """What `np.exp(x)` and `array * x` call."""
    rule = NUMPY.get(ufunc)
    if method != "__call__" or rule is None or kwargs:
        how = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
        raise _unknown(how, kwargs)
    return rule(*inputs)


def array_function(self: Tensor, func: Any, types: Any, args: Values, kwargs: Parameters) -> Any:
    """What `np.sum(x)` calls."""
    rule = NUMPY.get(func)
    if rule is None:
        raise _unknown(func.__name__, {})
    return rule(*args, **kwargs)


def _unknown(name: str, kwargs: Parameters) -> ArgumentTypeError:
    extra = f" with {', '.join(sorted(kwargs))}=" if kwargs else ""
    return ArgumentTypeError(
        f"np.{name}{extra} has no derivative here, so it does not take a Tensor. Computing it all "
        f"the same would lose the gradient. Write `np.{name}(x.detach().numpy())` if you need "
        "none, or use the tensor's own methods."
    )
