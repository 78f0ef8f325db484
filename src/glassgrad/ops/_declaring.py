"""How an op is declared, and what follows from that.

    @op(Tan)
    def tan(input: Tensor) -> Tensor:
        '''The tangent, element by element.'''

is all that there is to write: a function that is only said what it is applies its class to its
arguments. From it follow `glassgrad.tan`, `tan(x, out=y)`, `x.tan()`,
`x.tan_()` and `np.tan(x)`: three tables hold them, and `glassgrad/__init__.py` and `Tensor` take
what they have from there. `make stubs` writes them down for editors and mypy.

    @factory(like=True, new=True)
    def zeros(*size: Any, **new: Any) -> Tensor:
        return filled("zeros", size, 0, **new)

takes `dtype`, `device` and `requires_grad`, too, and gives `zeros_like(x)` and `x.new_zeros(2)`.

    @loss()
    def soft_margin_loss(input: Tensor, target: Tensor) -> Tensor:
        return (-target * input).exp().log1p()

takes `reduction`, and what PyTorch had before it.

The tables have what is declared in the files that are loaded. Who asks for a name asks
`_lookup.py`, which loads its file first.
"""

import functools
import inspect
import itertools
import operator
import typing
from collections.abc import Callable
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import CodeType, FunctionType
from typing import Any, NamedTuple, TypeVar

import numpy as np

from glassgrad.core.errors import GlassgradError, LinAlgError
from glassgrad.core.primitive import Parameters, Primitive, as_operator
from glassgrad.core.state import Func, Names, Values
from glassgrad.core.tensor import Tensor
from glassgrad.levels.subclasses import PUBLIC
from glassgrad.values.dtypes import TYPE_NAMES

from . import _checks as check
from ._arguments import OpClass, chosen_reduction, dim_or_axis, missing
from ._families import Elementwise, Predicate
from ._writing import in_place, quick_update, written_to

F = TypeVar("F", bound=Callable[..., Any])

FUNCTIONS: dict[str, Any] = {"linalg.LinAlgError": LinAlgError}
"""What `glassgrad` has: functions, and a few classes and objects that stand beside them.

Those of a module within it have their whole name: "linalg.inv", "nn.functional.relu".
"""

METHODS: dict[str, Any] = {}
"""What `Tensor` has: methods, of which those that write to it end with an underscore; properties,
and what operators call."""

NUMPY: dict[Any, Func] = {
    np.shape: operator.attrgetter("shape"),
    np.ndim: operator.attrgetter("ndim"),
    np.size: operator.methodcaller("numel"),
}
"""What `np.f(x)` calls if `x` is a Tensor, for each of NumPy's functions."""


def op(
    *rules: OpClass,
    aliases: Names = (),
    numpy: Values = (),
    name: str = "",
    home: str = "",
    out: bool | None = None,
    out_exact: bool = False,
    out_apart: bool = False,
    inplace: bool | None = None,
    inplace_function: bool | None = None,
    inplace_flag: bool = False,
    tensors: Names = (),
    factor: str = "",
    is_function: bool = True,
    is_method: bool = True,
    axis: bool = False,
    sign: str = "",
    by: Func | None = None,
) -> Callable[[F], F]:
    """Declare a function of `glassgrad` that is a method of its tensor `input`, too.

    One that has a docstring and no body applies the first of the classes to its arguments.

    Args:
        rules: the classes that it applies.
        by: what applies the first one, if there is no body: a function that takes it in front of
            the arguments. If its first argument is `name`, it is told what the function is called.
        aliases: its other names; with a module in front, as "linalg.det", they name no method.
        name: the method's name, if the function has another one.
        home: the module of `glassgrad` that has it, such as "linalg". Then it is no method, either.
        numpy: functions of NumPy with the same arguments. The `ufunc` of a class is one.
        out: whether it takes `out=`, with nothing more to say of it, as the next two do. Default:
            whether it computes element by element.
        out_exact: whether `out` must have the dtype of the result; else it may have a wider one.
        out_apart: whether `out` may not be an operand, or share its memory.
        inplace: whether there is a method that writes the result to `input`; the same default.
        inplace_function: whether that is a function of `glassgrad`, too. Default: whether it is
            one, element by element, of one operand.
        inplace_flag: whether it takes `inplace=True` as its last argument, which does the same.
        tensors: the arguments that have to be tensors, where others like them may be numbers.
        factor: the keyword that the function and the twin take as PyTorch once did, too: in front
            of the other operands, `x.add_(alpha, other)`.
        is_function, is_method: whether it is both; see `method` and `function`.
        axis: whether it takes NumPy's names `axis` and `keepdims` for its `dim` and `keepdim`.
        sign: the name of the operator that it is: "mod", if `x % y` is to call it.
    """
    by_element = bool(rules) and all(
        issubclass(rule, Elementwise) and not issubclass(rule, Predicate) for rule in rules
    )

    def declare(written: F) -> F:
        function: Any = applying(rules[0], written, by) if _is_only_said(written) else written
        own_name = name or function.__name__
        names = (f"{home}.{own_name}" if home else own_name, *aliases)
        method_names = [each for each in names if "." not in each]
        has_out = (by_element if out is None else out) or out_exact or out_apart
        has_twin = by_element if inplace is None else inplace
        is_unary = by_element and all(rule.forward.__code__.co_argcount == 1 for rule in rules)
        has_function = has_twin and is_unary if inplace_function is None else inplace_function
        needs_twin = has_twin or has_function or inplace_flag
        twin: Any = in_place_twin(function, rules, tensors, factor) if needs_twin else None
        wider: Parameters = {
            "axis": axis,
            "tensors": tensors,
            "twin": twin if inplace_flag else None,
        }
        own = widened(function, **wider) if any(wider.values()) else function
        write = functools.partial(written_to, exact=out_exact, apart=out_apart)
        public = widened(function, write=write, factor=factor, **wider) if has_out else own
        PUBLIC.update({rule: public for rule in rules if rule not in PUBLIC})
        if is_function:
            FUNCTIONS.update(dict.fromkeys(names, public))
        if is_method:
            METHODS.update(dict.fromkeys(method_names, as_method(own)))
        if has_twin and is_method:
            METHODS.update({f"{each}_": twin for each in method_names})
        if has_function:
            FUNCTIONS.update({f"{each}_": twin for each in names})
        if sign:
            METHODS[f"__{sign}__"] = as_operator(function)
            METHODS[f"__r{sign}__"] = reflected(function)
        if sign and has_twin:
            METHODS[f"__i{sign}__"] = as_operator(twin)
        ufuncs = [rule.ufunc for rule in rules if rule.ufunc is not None]
        NUMPY.update(dict.fromkeys((*ufuncs, *numpy), function))
        return public

    return declare


function = functools.partial(op, is_method=False, out=False, inplace=False)
"""Declare a function of `glassgrad` that is no method; see `op`."""

functional = functools.partial(function, home="nn.functional")
"""Declare a function of `glassgrad.nn.functional`."""

linalg = functools.partial(function, home="linalg")
"""Declare a function of `glassgrad.linalg`."""

method = functools.partial(op, is_function=False, out=False, inplace=False)
"""Declare a method of Tensor that is no function of `glassgrad`; see `op`."""


def factory(
    *, like: bool = False, new: bool = False, out: bool = True, home: str = ""
) -> Callable[[F], F]:
    """Declare a function that makes a tensor; `**new` in it stands for the keywords in NEW.

    It takes `size=` for `*size`, and accepts PyTorch's `layout` and `pin_memory`, too.

    Args:
        like: whether `zeros_like(x)` follows from it: in the shape, the dtype and on the device of
            `x`. It is told so: `like=x`. NumPy's function of that name leads there.
        new: whether `x.new_zeros(*size)` does: in the dtype and on the device; `beside=x`.
        out: whether it takes `out=`.
        home: the module of `glassgrad` that has it, such as "fft".
    """

    def declare(function: F) -> F:
        name, given = function.__name__, Arguments.of(function)
        text, wider = _with_size(given)
        passed = wider.passed()
        if out and "out" not in given.keyword:
            text += "if out is not None:\n    dtype = dtype or out.dtype\n"
            text += f"    return written_to(out, function, {passed})\n"
        text += f"return function({passed})\n"
        shown = wider.wider(*["size"] * bool(given.star), *["out"] * out, "layout", "pin_memory")
        public = _derived(function, text, shown, doc=function.__doc__)
        FUNCTIONS[f"{home}.{name}" if home else name] = public
        if like:
            twin = FUNCTIONS[f"{name}_like"] = _like_input(function, f"{name}_like", size=True)
            if hasattr(np, twin.__name__):
                NUMPY[getattr(np, twin.__name__)] = twin
        if new:
            METHODS[f"new_{name}"] = _like_input(function, f"new_{name}", size=False)
        return public

    return declare


def for_each_rank(*ranks: int, least: int = 1) -> Callable[[F], F]:
    """Declare `nn.functional.conv1d`, `conv2d` and `conv3d`, given `conv` and its keyword `rank`.

    Args:
        ranks: of these there is a function of `glassgrad`, too.
        least: the smallest rank that there is.
    """

    def declare(function: F) -> F:
        name = function.__name__
        for rank, of in enumerate(("lines, `(n, c, w)`", "", "spaces, `(n, c, d, h, w)`"), 1):
            if rank < least:
                continue
            doc = f"`{name}2d` of {of}; everything else is the same." if of else function.__doc__
            public = _given(function, f"{name}{rank}d", doc, rank=rank)
            FUNCTIONS[f"nn.functional.{name}{rank}d"] = public
            if rank in ranks:
                FUNCTIONS[f"{name}{rank}d"] = public
        return function

    return declare


def attribute(*, name: str = "", assigned: bool = False) -> Callable[[F], F]:
    """Declare what `x.mT` is: a property of Tensor, given the function that makes it.

    Args:
        name: what it is called, if the function has another name.
        assigned: whether something may be assigned to it: that is written to what it shows.
    """

    def declare(function: F) -> F:
        def assign(x: Tensor, value: Any) -> None:
            function(x)[...] = value

        METHODS[name or function.__name__] = property(function, assign if assigned else None)
        return function

    return declare


def operators(**called: Any) -> None:
    """Declare what operators call: `x[i]` calls `getitem`.

    A class stands for its own door, which is the quickest: for where every call counts.
    """
    for sign, method in called.items():
        if isinstance(method, type) and issubclass(method, Primitive):
            file, method = method.__module__, method.as_operator
            method.__module__ = file  # the one that has to be loaded
        METHODS[f"__{sign}__"] = method


def for_each_dtype(function: F) -> F:
    """Declare the methods `x.float()`, `x.cdouble()` …, given a function and its keyword `dtype`.

    They are called as the dtypes were, once: "Float", "ComplexDouble".
    """
    for dtype, old_name in TYPE_NAMES.items():
        name = old_name.replace("Complex", "c").lower()
        doc = f"`to(input, {dtype})`{'; fractions are cut off' * (dtype.kind in 'iu')}."
        METHODS[name] = _given(function, name, doc, dtype=dtype)
    return function


def for_each_kind(**kinds: tuple[str, OpClass, str]) -> Callable[[F], F]:
    """Declare several functions of `glassgrad`, given one of all kinds and its keyword `kind`.

    Args:
        kinds: for each function its kind, the class that it applies, and what it is, if all else
            that the docstring says is the same; "": what the docstring says.
    """

    def declare(function: F) -> F:
        for name, (kind, rule, said) in kinds.items():
            doc = f"{said}; everything else is the same." if said else function.__doc__
            FUNCTIONS[name] = public = _given(function, name, doc, kind=kind)
            PUBLIC.setdefault(rule, public)
        return function

    return declare


def _given(function: Any, name: str, doc: str | None, **values: Any) -> Any:
    """The function, called `name`, with the values of some of its keywords given."""
    own = Arguments.of(function)
    left = own._replace(keyword=tuple([each for each in own.keyword if each not in values]))
    text = f"return function({own.passed()})\n"
    return _derived(function, text, left, named=name, doc=doc, **values)


def loss(
    *rules: OpClass,
    flags: bool = True,
    between: str = "",
    refusal: str = "is not a valid value for reduction",
) -> Callable[[F], F]:
    """Declare a loss of `nn.functional`, given a function of the losses that one is made of.

    What follows is PyTorch's `reduction`. It is the next argument behind those that come by
    position; what is written behind a star comes behind it. A function that takes `reduction`
    itself is told which one is meant, and what it returns is reduced already.

    Args:
        rules: the classes that it applies.
        flags: whether it takes `size_average` and `reduce`, too, which came before `reduction`.
        between: the argument that stands between these two, if one does.
        refusal: PyTorch's words for another reduction.
    """

    def declare(function: F) -> F:
        given = Arguments.of(function)
        old = [name for name in ("size_average", between, "reduce") if name] if flags else []
        behind = [name for name in given.keyword if name not in (between, "reduction")]
        default = {"size_average": None, "reduce": None, "reduction": "mean", **given.default}
        shown = Arguments((*given.positional, *old, "reduction", *behind), "", (), default)
        named = [f"{name}={{{name}}}" for name in given.keyword]
        call = f"function({', '.join([*given.braced(), *named])})"
        flagged = "{size_average}, {reduce}" if flags else "None, None"
        text = f"{{reduction}} = chosen_reduction({{reduction}}, {flagged}, refusal)\n"
        if "reduction" in given.keyword:
            text += f"return {call}\n"
        else:
            text += f"losses = {call}\nif {{reduction}} == 'none':\n    return losses\n"
            text += "return losses.mean() if {reduction} == 'mean' else losses.sum()\n"
        doc = _with_argument(function.__doc__, _FLAGS) if flags else function.__doc__
        if "        reduction: " not in (doc or ""):
            doc = _with_argument(doc, _REDUCTION)
        return functional(*rules)(_derived(function, text, shown, doc=doc, refusal=refusal))

    return declare


def _with_size(given: "Arguments") -> tuple[str, "Arguments"]:
    """What lets a function of `*size` take `size=`, and its arguments under another name."""
    if given.star != "size":
        return "", given
    return "if size is not None:\n    sizes = (size,)\n", given._replace(star="sizes")


def of_numpy(*functions: Any) -> Callable[[F], F]:
    """Declare what some functions of NumPy do with a Tensor, with NumPy's arguments."""

    def declare(function: F) -> F:
        NUMPY.update(dict.fromkeys(functions, function))
        return function

    return declare


def in_numpys_order(
    theirs: Any, ours: Func, default: Parameters | None = None, **named: str
) -> None:
    """Declare that a function of NumPy's is one of ours, whose arguments have other names there.

    Args:
        default: what those of ours have that are not given, if it is something else there.
        named: what we call theirs.
    """
    names = list(inspect.signature(theirs).parameters)

    def call(*args: Any, **kwargs: Any) -> Any:
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        others = {named.get(name, name): value for name, value in given.items()}
        return ours(others.pop(names[0]), **{**(default or {}), **others})

    call.__module__ = ours.__module__  # the file that has to be loaded
    of_numpy(theirs)(call)


def plain(function: F) -> F:
    """The function as it was written, without `out`: for operators, where every call counts."""
    return getattr(function, "declared", function)


def applying(rule: OpClass, function: Any, by: Func | None = None) -> Any:
    """A function with the arguments of another one, to which it applies a class; or `by` does."""
    given = Arguments.of(function)
    if by is None:
        text = f"return rule.apply({given.passed(rule.parameters)})\n"
    else:
        is_told = by.__code__.co_varnames[0] == "name"
        text = f"return by({'name, ' * is_told}rule, {given.passed()})\n"
    applied = _derived(function, text, given, doc=function.__doc__, rule=rule, by=by)
    applied.__dict__ = {"applies": rule} if by is None else {}
    return applied


def _is_only_said(function: Any) -> bool:
    """Whether there is nothing in a function but what it does, in words."""
    code = getattr(function, "__code__", None)  # a class has none
    return code is not None and code.co_code == _said.__code__.co_code


def _said() -> None:
    """Nothing."""


# What follows from a function ---------------------------------------------------------------------

# Note [Derived functions]
# A function with `out=`, an in-place twin and a method whose tensor comes first have the arguments
# of the function they are derived from. So they are made as dataclasses make `__init__`: as text,
# which is compiled. That is the quickest call there is, and `help` shows the arguments. Where they
# come by position they stand in braces in the text, `{input}`, and are replaced by `_0` and `_1`:
# so most functions share theirs, and few texts are compiled.

NEW = {"dtype": None, "device": None, "requires_grad": False}
"""The keywords of all functions that make a tensor, with their defaults."""

HELPERS: Parameters = {
    "SCALARS": frozenset(np.sctypeDict.values()),
    "GlassgradError": GlassgradError,
    "check": check,
    "chosen_reduction": chosen_reduction,
    "dim_or_axis": dim_or_axis,
    "in_place": in_place,
    "missing": missing,
    "quick_update": quick_update,
    "written_to": written_to,
}
"""What the bodies of derived functions call."""

ADDED = {
    "input": "Tensor",
    "keepdims": "bool | None",
    "out": "Tensor | tuple[Tensor, ...] | None",
    "sizes": "Any",
    "size": "Any",
    "layout": "Any",
    "pin_memory": "bool | None",
    "memory_format": "Any",
    "dtype": "Any",
    "device": "Any",
    "requires_grad": "bool",
    "inplace": "bool",
    "last": "Tensor | None",
    "size_average": "bool | None",
    "reduce": "bool | None",
    "reduction": "str",
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
        if code.co_flags & CO_VARKEYWORDS:
            keyword = tuple(dict.fromkeys((*keyword, *NEW)))
            default = {**NEW, **default}
        return cls(positional, names[n + m] if code.co_flags & CO_VARARGS else "", keyword, default)

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

    def in_old_order(self, name: str, factor: str, text: str) -> tuple[str, "Arguments"]:
        """A body, and its arguments, for calls whose second argument is this keyword, too."""
        first, *rest = self.braced()[1:]
        moved = [f"{each}={first if each == factor else each}" for each in self.keyword]
        call = ", ".join(["{input}", *rest, "{last}", "None", *moved])
        warning = f"check.old_order({name!r}, {factor!r})"
        text = f"if {{last}} is not None:\n    {warning}\n    return made({call})\n{text}"
        default = {**self.default, "last": None}
        return text, self._replace(positional=(*self.positional, "last"), default=default)

    def declared(self) -> str:
        """As they stand behind `def`, without their defaults."""
        star = f"*{self.star}" if self.star or self.keyword else ""
        return ", ".join(filter(None, (*self.braced(), star, *self.keyword)))

    def passed(self, named: Names = ()) -> str:
        """As they stand in a call, in which some that come by position are `named`."""
        first = [
            f"{each}={{{each}}}" if each in named else f"{{{each}}}" for each in self.positional
        ]
        star = (f"*{self.star}",) if self.star else ()
        return ", ".join([*first, *star, *[f"{name}={name}" for name in self.keyword]])

    def braced(self) -> list[str]:
        """The positional ones as they stand in the text of a derived function."""
        return [f"{{{name}}}" for name in self.positional]


def widened(
    function: Any, *, axis: bool, tensors: Names, twin: Any, write: Any = None, factor: str = ""
) -> Any:
    """The function with the arguments `axis` and `keepdims`, or `inplace`, or `out`.

    Args:
        axis: whether it takes NumPy's names.
        tensors: the arguments for which it refuses numbers.
        twin: what to call instead if its last argument `inplace` is true.
        write: what writes to `out`, if it takes that.
        factor: the keyword that may come in front, as it once did.
    """
    given = wider = Arguments.of(function)
    doc, text = function.__doc__, ""
    text += _no_numbers(tensors)
    if axis:
        wider = wider.wider("axis")
        text += "if axis is not None:\n    {dim} = dim_or_axis({dim}, axis, default)\n"
        names = itertools.dropwhile(lambda each: each != "dim", given.positional)
        required = [each for each in names if each not in given.default]
        wider.default.update(dict.fromkeys(required, ...))  # `axis` may come instead
        if required:
            passed = ", ".join([f"{each}={{{each}}}" for each in required])
            text += f"if {' or '.join([f'{{{each}}} is ...' for each in required])}:\n"
            text += f"    raise missing(name, {passed})\n"
    if axis and "keepdim" in given.default:
        wider = wider.wider("keepdims")
        text += "if keepdims is not None:\n    {keepdim} = keepdims\n"
    if twin:
        default = {**wider.default, "inplace": False}
        wider = wider._replace(positional=(*given.positional, "inplace"), default=default)
        text += f"if {{inplace}}:\n    return twin({given.passed()})\n"
        doc = _with_argument(doc, _INPLACE)
    if write:
        wider = wider.wider("out")
        doc = _with_argument(doc, _OUT)
        text += f"if out is not None:\n    return written_to(out, function, {given.passed()})\n"
    if factor:
        text, wider = wider.in_old_order(function.__name__, factor, text)
    quickest, passed = _quickest(function, given)
    text += f"return plain({passed})\n"
    used = {"default": given.default.get("dim", ...), "tensors": tensors, "twin": twin}
    return _derived(function, text, wider, doc=doc, plain=quickest, written_to=write, **used)


def _no_numbers(tensors: Names) -> str:
    """The line that refuses numbers for these arguments, if there are any."""
    named = ", ".join([f"{{{each}}}" for each in tensors])
    return f"check.no_numbers(name, tensors, {named})\n" if tensors else ""


def _quickest(function: Any, given: Arguments) -> tuple[Any, str]:
    """The function, or the same by one call less, and how its arguments are passed."""
    rule = function.__dict__.get("applies")
    return (rule.apply, given.passed(rule.parameters)) if rule else (function, given.passed())


_OUT = "out: where to write the result, if the tape need not record it."
_FLAGS = "size_average, reduce: what PyTorch had before `reduction`."
_REDUCTION = 'reduction: "mean" or "sum" of all losses, or "none".'
_INPLACE = "inplace: write the result to the memory of `input`, and return that."


def _with_argument(doc: str | None, said: str) -> str | None:
    """A docstring whose last argument is the one that `said` tells of."""
    arguments, header, rest = (doc or "").partition("    Args:\n")
    listed, blank, rest = rest.partition("\n\n")
    return f"{arguments}{header}{listed}\n        {said}{blank}{rest}" if header else doc


def in_place_twin(
    function: Any, rules: tuple[OpClass, ...], tensors: Names, factor: str
) -> Callable[..., Tensor]:
    """The function that writes to its tensor `input` what `function` returns."""
    given = Arguments.of(function)
    kept = given.led_by_input()
    others = [*kept.braced()[1:], *kept.keyword]
    held = [f"{each}={each}" for each in others]
    name, ufunc, text = function.__name__, rules[0].ufunc if rules else None, _no_numbers(tensors)
    if getattr(ufunc, "nin", 1) == 2:
        scaled = [each for each in others if each in ("{other}", "alpha")]
        unsaid = "".join([f"{each} is None and " for each in others if each not in scaled])
        passed = f"{{input}}, {', '.join(scaled)}"
        text += f"if {unsaid}quick_update(ufunc, {passed}):\n    return {{input}}\n"
    text += (
        f"call = lambda {', '.join(['{input}', *held])}: function({given.passed()})\n"
        f"return in_place(name, {{input}}, call, [{', '.join(others)}], copies=copies)\n"
    )
    copies = not rules or any("self" in rule.saves for rule in rules)
    doc = (
        f"`{name}`, in place: what it returns is written to `input`, and that returned.\n\n"
        "    Raises:\n"
        "        LeafWriteError: if `input` is a leaf that requires grad and the tape records.\n"
        "        ShapeError: if the result would have another shape than `input`.\n"
        "        DTypeError: if the result's dtype does not fit into `input`.\n    "
    )
    used = {"ufunc": ufunc, "copies": copies, "tensors": tensors}
    if factor:
        text, kept = kept.in_old_order(f"{name}_", factor, text)
    return _derived(function, text, kept, named=f"{name}_", doc=doc, **used)


def _like_input(function: Any, name: str, *, size: bool) -> Any:
    """The function that makes what `function` makes, as it would be beside a tensor `input`.

    Args:
        size: whether of its size, too.
    """
    given = Arguments.of(function)
    text, given = ("", given) if size else _with_size(given)
    shown = given.led_by_input(without="size" if size else "")
    others = ("memory_format",) if size else ("size",) * bool(given.star)
    others = tuple([each for each in others if each not in given.keyword])
    shown = shown.wider(*others, "layout", "pin_memory")
    text += (
        "check.tensor(name, {input})\n"
        "dtype, device = dtype or {input}.dtype, device or {input}.device\n"
    )
    if size:
        text += "size = ({input}.shape,)\n" if given.star else "{size} = {input}.shape\n"
    call = f"function({given.passed()}, {'like' if size else 'beside'}={{input}})"
    is_asked = "memory_format" in others
    text += f"return check.laid_out({call}, memory_format)\n" if is_asked else f"return {call}\n"
    doc = f"`{function.__name__}`, in {'the shape, ' * size}the dtype and on the device of `input`."
    return _derived(function, text, shown, named=name, doc=doc, name=name)


def as_method(function: Any) -> Func:
    """The function itself, or one that takes its tensor `input` first."""
    given = Arguments.of(function)
    if "input" not in given.positional or given.positional[0] == "input":
        return function
    moved = given.led_by_input()
    text = f"return function({given.passed()})\n"
    return _derived(function, text, moved, doc=function.__doc__)


def reflected(function: Any) -> Func:
    """The function of two operands with the second one first: what `2 % x` calls."""
    first, second = Arguments.of(function).positional
    turned = Arguments((second, first), "", (), {})
    text = f"return function({{{first}}}, {{{second}}})\n"
    return _derived(function, text, turned, doc=f"`{function.__name__}`, with `self` second.")


def needs_guard(name: str, method: Any) -> bool:
    """Whether a method that is not derived takes a tensor beside its own, and returns one.

    Operators see to that by themselves.
    """
    if name.startswith("__") or method.__class__ is not FunctionType:
        return False
    kinds = method.__annotations__
    return "declared" not in vars(method) and list(kinds.values()).count(Tensor) > 2


@functools.cache
def guarded(function: Any) -> Any:
    """The function, which says so if a call fails because an argument is no tensor.

    Derived ones do that by themselves. Others get a frame around them for users alone.
    """
    if not isinstance(function, FunctionType) or "declared" in vars(function):
        return function
    given = Arguments.of(function)
    plain, passed = _quickest(function, given)
    text, doc = f"return plain({passed})\n", function.__doc__
    made = _derived(function, text, given, doc=doc, plain=plain)
    for rule in [rule for rule, known in PUBLIC.items() if known is function]:
        PUBLIC[rule] = made
    return made


def _derived(
    function: Any, body: str, given: Arguments, *, named: str = "", doc: str | None, **used: Any
) -> Any:
    """A function of those arguments with that body, which looks like one of the file of `function`.

    Args:
        used: what the body uses, beside `function`, its `name` and HELPERS.

    If the body fails because an argument is no tensor, that is what it says, or asks its class. A
    scalar of NumPy's in the place of a number is that number: with a dtype of its own it would
    decide the result's.
    """
    if "declared" not in vars(function):  # what is derived has seen to it
        body = _with_numbers(function, given) + body
    lines = "".join([f"    {line}\n" for line in body.splitlines()])
    all_given = ", ".join([*given.braced(), *given.keyword, *[given.star] * bool(given.star)])
    body = f"try:\n{lines}except (GlassgradError, *check.EXPLAINED) as error:\n"
    body += f"    if check.is_for_others(error, [{all_given}]):\n"
    body += "        return check.answered(error)\n"
    body += "    if isinstance(error, GlassgradError):\n"
    body += "        check.told(error, name, function)\n        raise\n"
    body += "    raise check.blamed(error, name, function)\n"
    used = {**HELPERS, "name": function.__name__, **used}
    made = _made(body, given, *used)(function=function, **used)
    source: CodeType = function.__code__
    code = made.__code__.replace(
        co_filename=source.co_filename,
        co_firstlineno=source.co_firstlineno,
        co_name=source.co_name,
        co_varnames=(*given.positional, *made.__code__.co_varnames[len(given.positional) :]),
    )
    name, default = named or function.__name__, given.default
    defaults = tuple([default[each] for each in given.positional if each in default])
    derived = FunctionType(code, function.__globals__, name, defaults, made.__closure__)
    derived.__kwdefaults__ = {each: default[each] for each in given.keyword if each in default}
    derived.__doc__, derived.__qualname__ = doc, name
    known = {**ADDED, **function.__annotations__}
    known |= {"size": ADDED["size"]} if given.star == "sizes" else {}
    known["axis"] = known.get("dim")
    shown = (*given.positional, given.star, *given.keyword, "return")
    derived.__annotations__ = {name: known[name] for name in shown if name in known}
    derived.__dict__["declared"] = function
    return derived


def _with_numbers(function: Any, given: Arguments) -> str:
    """The lines that make Python's numbers of NumPy's, for the arguments that may be numbers."""
    text = ""
    for name, shown in [(each, f"{{{each}}}") for each in given.positional] + [
        (each, each) for each in given.keyword
    ]:
        wanted = function.__annotations__.get(name)
        if any(kind in (int, float, complex) for kind in (wanted, *typing.get_args(wanted))):
            text += f"if {shown}.__class__ in SCALARS:\n    {shown} = {shown}.item()\n"
    return text


def _made(body: str, given: Arguments, *used: str) -> Func:
    """What makes a function of those arguments, given `function` and what else the body uses."""
    stand_ins = _StandIns({name: f"_{at}" for at, name in enumerate(given.positional)})
    return _compiled(
        given.declared().format_map(stand_ins), body.format_map(stand_ins), ("function", *used)
    )


class _StandIns(dict[str, str]):
    """What names in braces are replaced by; those of no argument by themselves."""

    def __missing__(self, name: str) -> str:
        return name


@functools.cache
def _compiled(arguments: str, body: str, used: Names) -> Func:
    """What makes a function of such arguments and body, given what the body uses."""
    lines = "".join([f"        {line}\n" for line in body.splitlines()])
    text = f"def make({', '.join(used)}):\n    def made({arguments}):\n{lines}    return made\n"
    scope: dict[str, Any] = {}
    exec(compile(text, __file__, "exec"), scope)  # noqa: S102  # our own text, of a file of ours
    return scope["make"]
