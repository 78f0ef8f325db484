"""`Primitive`: a built-in op, whose rules are plain NumPy on values, and the two ways into it.

    class Mul(Elementwise):
        saves = ("self", "other")                    PyTorch's names: node._saved_self …
        saved_if = {"self": 1, "other": 0}           kept only if that operand needs a gradient

        @staticmethod
        def forward(x, y):                           operands by position, parameters by keyword
            return x * y

        @staticmethod
        def backward(ctx, grad):                     one gradient per operand
            x, y = ctx.saved_tensors
            return None if y is None else grad * y, None if x is None else grad * x

Parameters are found on `ctx` under their names. `Mul.apply` is the way from tensors to values and
back. There are two, and a test holds them to the same: `apply` takes every step by itself, for any
operands, modes and transforms; the fast door does the same for plain tensors of one float dtype
while no mode is set. It is written out by hand: each call and each loop in it is paid by every op.

# Note [Numbers as 0-d arrays]
# A ufunc takes a 0-d array of the right dtype faster than a Python number, so numbers are turned
# into such arrays once and kept. Zeros are not kept, since 0.0 == -0.0.

# Note [The line that called]
# An error about a saved tensor names the line that saved it, and every picture the line that made
# a node. The instruction that calls the op is noted as two attributes of the node: a tuple would be
# one more object for the garbage collector. The caller is one frame away from an operator, two from
# a public function; where a function of ours is found there (`square` calls `pow`), it is further
# out.

# Note [An index is saved too]
# `setup_context` copies an index, so a write to it is no mistake. But as in PyTorch it goes when
# saved tensors go: the node then says that the graph was freed, as any other that saved something.

# Note [Complex gradients]
# With PyTorch's convention the gradient of f at x is ȳ·conj(f'(x)). A rule written for real
# numbers computes ȳ·f'(x). Given conj(ȳ), it computes the conjugate of what is wanted.
"""

import functools
import operator
import threading
from collections.abc import Callable
from inspect import CO_VARARGS
from sys import _getframe
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy import generic, ndarray

from . import state
from .errors import ArgumentTypeError, GlassgradError
from .function import Function
from .graph import GradientEdge, Node, number, plain
from .saved import PrimitiveNode, note_versions, operand_of, save
from .state import Func, Names, Values, here, is_ours, modes, next_seq, outside, plugs
from .tensor import PLAIN, Pending, Tensor, whole, wrap

Parameters = dict[str, Any]  # of an op: what it takes by keyword
float32, float64, int64 = np.dtype("float32"), np.dtype("float64"), np.dtype("int64")


class Primitive(Function):
    """The base class of built-in ops; see the module's docstring.

    Attributes:
        node: PyTorch's name of the node; by itself `Mul` has the node "MulBackward0".
        saves, saved_if, saved_at: what backward needs (see Note [Saved by position]).
        broadcasts: operands broadcast against each other, as in elementwise ops.
        promotes: the operands from this position on are brought to one dtype; None: no operand.
        floating: integers become the default dtype first.
        changes_dtype: whether it makes complex numbers of real ones.
        kernel, kinds: if it is not for all dtypes, PyTorch's name of what computes it, which is in
            the error, and NumPy's letters of the kinds that it takes.
        differentiable: whether it has a gradient at all.
        multiple: whether `forward` returns a tuple of outputs.
        shown: which of these a user may see; the others are there for backward alone.
        differentiates: which operands have edges; an index or a condition has none.
        keeps_index: whether `setup_context` keeps arrays, an index or weights: so for all ops that
            have an operand without an edge and save nothing (Note [An index is saved too]).
        assumes: the parameters that say what is known of the first operand's numbers, each with
            what makes such numbers of any: the op is the same for both.
        holomorphic: whether the rule holds for complex numbers too (Note [Complex gradients]).
        ufunc: the NumPy function that `forward` is, for the fast door to call directly.
        views: whether the result shows the memory of the first operand.
        parameters: the names of its parameters, which are those of `forward`.
        kept_where: for each of `saves`: its condition, and the position of the operand; the result
            is behind them all.
        apply: the way in, each op's own: operands by position, parameters by keyword.
        as_operator: the same for operators, which users call without a function of ours between.
    """

    node: ClassVar[str] = ""
    saves: ClassVar[Names] = ()
    saved_if: ClassVar[dict[str, int]] = {}
    saved_at: ClassVar[dict[str, int]] = {}
    broadcasts: ClassVar[bool] = False
    promotes: ClassVar[int | None] = 0
    floating: ClassVar[bool] = False
    changes_dtype: ClassVar[bool] = False
    kernel: ClassVar[str] = ""
    kinds: ClassVar[str] = "f"
    differentiable: ClassVar[bool] = True
    multiple: ClassVar[bool] = False
    shown: ClassVar[slice] = slice(None)
    differentiates: ClassVar[slice] = slice(None)
    keeps_index: ClassVar[bool] = False
    assumes: ClassVar[dict[str, Callable[[Any], Any]]] = {}
    holomorphic: ClassVar[bool] = True
    ufunc: ClassVar[Any] = None
    views: ClassVar[bool] = False
    parameters: ClassVar[Names] = ()
    kept_where: ClassVar[tuple[tuple[int | None, int], ...]] = ()
    apply: Func
    as_operator: Func

    if TYPE_CHECKING:  # each op names the operands and parameters of its own rules
        jvp: Any
        vmap: Any

    @classmethod
    def _make_node_class(cls) -> None:
        if cls.forward is Function.forward:
            return  # a family, not an op
        code = cls.forward.__code__
        parameters = code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount]
        cls.parameters = vars(cls).get("parameters", parameters)
        cls.keeps_index |= cls.differentiates != slice(None) and not cls.saves
        cls.kept_where = tuple(
            [(cls.saved_if.get(name), operand_of(cls, name)) for name in cls.saves]
        )
        for part in _PARTS:
            setattr(cls, part.name, part)

    @classmethod
    def _node_class(cls) -> type[Node]:
        body: dict[str, Any] = {
            "_forward_cls": cls,
            "_saved_names": cls.saves,
            "_result_at": cls.saves.index("result") if "result" in cls.saves else None,
            "_is_quick": not cls.multiple and not cls.keeps_index,
            "backward": cls.backward,
            "__module__": "builtins",  # as PyTorch's
        }
        if not cls.has_setup_context():
            body["__slots__"] = cls.parameters
        for name in cls.parameters:
            body[f"_saved_{name}"] = property(operator.attrgetter(name))
        for index, name in enumerate(cls.saves):
            body[f"_saved_{name}"] = property(functools.partial(_saved, index))
            body[f"_raw_saved_{name}"] = property(functools.partial(_raw_saved, index))
        return type(cls.node or f"{cls.__name__}Backward0", (PrimitiveNode,), body)

    @classmethod
    def explain(cls, error: Exception, values: Values) -> Exception:
        """The error to raise when `forward` failed with `error` on `values`."""
        return plugs.values.explain(cls, error, values)  # type: ignore[no-any-return]


def _saved(index: int, node: Any) -> Any:
    return plugs.saved.unpack(node, index)


def _raw_saved(index: int, node: Any) -> Any:
    return plugs.saved_hooks.raw_saved(node, index)


def _way_in(cls: type[Primitive], depth: int) -> Func:
    """What `cls.apply` is: the fast door, where one result depends on operands of one dtype."""
    code = cls.forward.__code__

    by_itself = functools.partial(apply, cls)
    readable: Func = as_operator(by_itself) if depth == 1 else by_itself
    if cls.multiple or cls.changes_dtype:
        return readable
    if code.co_argcount == 1 and not code.co_flags & CO_VARARGS:
        return fast_door(cls, readable, 2)
    if code.co_argcount == 2 and cls.promotes == 0 and cls.differentiates == slice(None):
        return fast_door(cls, readable, depth)
    if code.co_argcount == 2 and cls.promotes is None and range(2)[cls.differentiates] == range(1):
        return fast_door(cls, readable, 2)  # the second is an index; a third goes the readable way
    return readable


def as_operator(function: Func) -> Func:
    """The function for `x + other`: what is no operand, Python asks for its `__radd__`."""

    def operated(x: Any, other: Any) -> Any:
        try:
            return function(x, other)
        except ArgumentTypeError:
            if isinstance(other, (Tensor, ndarray, complex)) or hasattr(other, "__float__"):
                raise
            return NotImplemented

    return functools.update_wrapper(operated, function)


class _OnFirstUse:
    """What each op has of its own, made when it is first asked for: no program uses all ops."""

    def __init__(self, name: str, make: Callable[[type[Primitive]], Any]) -> None:
        self.name, self.make = name, make

    def __get__(self, _: None, cls: type[Primitive]) -> Any:
        with _making:
            if vars(cls).get(self.name) is self:  # another thread may have been here
                setattr(cls, self.name, self.make(cls))
        return getattr(cls, self.name)


_making = threading.RLock()
_PARTS = [
    _OnFirstUse("_backward_cls", lambda cls: cls._node_class()),
    _OnFirstUse("apply", lambda cls: staticmethod(_way_in(cls, 2))),
    _OnFirstUse("as_operator", lambda cls: staticmethod(_way_in(cls, 1))),
]


# The readable way: every step by itself -----------------------------------------------------------


def apply(cls: type[Primitive], *operands: Any, **parameters: Any) -> Any:
    """Apply an op where it belongs: to the innermost transform, if one is open, or to arrays."""
    if state.special:
        if modes.duals is not None and modes.duals.has_tangent(operands):
            return modes.duals.handle(cls, operands, parameters)
        if modes.levels:
            return modes.levels[-1].handle(cls, operands, parameters)
    values = plain_values(cls, operands)
    if values is None:
        return plugs.values.applied(cls, operands, parameters)
    return apply_to_arrays(cls, operands, values, parameters)


def plain_values(cls: type[Primitive], operands: Values) -> Values | None:
    """The arrays of tensors of one float dtype, and of numbers behind them; None for others.

    The dtype of operands that are not promoted is the op's own matter.
    """
    values: list[Any] = []
    dtype, promotes = None, cls.promotes
    for position, x in enumerate(operands):
        value = x.payload if type(x) in PLAIN else x
        if type(value) is not ndarray:
            if dtype is None or type(value) not in (float, int):
                return None
            value = constant(value, dtype)
        elif promotes is not None and position >= promotes and value.dtype is not dtype:
            if dtype is not None or value.dtype not in (float32, float64):
                return None
            dtype = value.dtype
        values.append(value)
    return tuple(values)


def apply_to_arrays(
    cls: type[Primitive], operands: Values, values: Values, parameters: Parameters
) -> Any:
    """Apply an op to arrays: forward, and a node if a gradient will be wanted."""
    try:
        if state.anomaly is None:
            out = cls.forward(*values, **parameters)
        else:  # what is wrong in backward is told of there; NumPy is silent, as in the pass
            out = silently(cls.forward, *values, **parameters)
    except Exception as error:
        out = rescue(cls, error, values, parameters)
    out = tuple([whole(part) for part in out]) if cls.multiple else whole(out)
    for tell in state.computed:
        tell(cls, operands, values, parameters, out)
    is_recorded = cls.differentiable and modes.grad and not modes.inference
    edges = edges_of(operands[cls.differentiates]) if is_recorded else None
    node: Any = edges and record(cls, operands, values, out, edges, parameters)
    results = results_of(cls, out, node)
    several = results if cls.multiple else (results,)
    for result in several if modes.inference else ():
        result.cold_side().is_inference = True
    if node is not None and modes.hook_pairs and cls.saves:
        plugs.saved_hooks.pack(node, several[0], modes.hook_pairs[-1])
    return results


def results_of(cls: type[Primitive], out: Any, node: Any) -> Any:
    """The tensors around what an op made, with the edges of its node."""
    if not cls.multiple:
        return wrap(out, node)
    count = node.num_outputs if node else 0
    edges: Any = [plain(GradientEdge(node, nr)) for nr in range(count)]
    return tuple(map(wrap, out, edges + [None] * len(out)))


def with_gradients(cls: type[Primitive], out: Any) -> list[Any]:
    """The results that have a gradient, the first ones: floats that a user may see."""
    if not cls.multiple:
        return [out]
    return [part for part in out[cls.shown] if part.dtype.kind in "fc"]


def edges_of(operands: Values) -> Any:
    """The edges of the operands, or None if no operand requires grad."""
    edges: list[Any] = []
    is_wanted = False
    for x in operands:
        edge = x.edge if isinstance(x, Tensor) else None
        is_wanted |= edge is not None
        # A view made in no_grad mode settles for None.
        edges.append(edge.settle(x) if type(edge) is Pending else edge)
    return tuple(edges) if is_wanted else None


def record(
    cls: type[Primitive],
    operands: Values,
    values: Values,
    out: Any,
    edges: Any,
    parameters: Parameters,
    level: Any = None,
) -> PrimitiveNode:
    """The node of one application (edges first: Note [Edges point to older nodes]).

    Args:
        level: the transform that records it; None: the tape itself.
    """
    made_of, is_checked = cls._backward_cls, level is not None
    if cls.holomorphic and "c" in [value.dtype.kind for value in values]:
        made_of = plugs.values.conjugating(cls)
    node: Any = _new(made_of)
    node.edges = edges
    node.saved_tensors, node.holders = (), () if cls.keeps_index else None
    node.versions = node.cold = None
    for name, value in parameters.items():
        setattr(node, name, value)
    if cls.has_setup_context():
        cls.setup_context(node, values, out)
    if cls.saves:
        save(node, operands, values, out)
    parts = with_gradients(cls, out)
    dtypes = tuple([part.dtype for part in parts])
    node.out_shape, node.out_dtype = parts[0].shape, dtypes[0]
    if len(parts) > 1:
        node.out_shape, node.out_dtype = tuple([part.shape for part in parts]), dtypes
    if level is not None:
        node._level = level
    else:
        for operand, edge in zip(operands[cls.differentiates], edges, strict=True):
            if edge is not None:
                own = operand.payload
                is_checked |= {*dtypes} != {own.dtype}
                is_checked |= cls.broadcasts and own.shape != node.out_shape
    node.checked = is_checked
    node.caller_code, node.caller_offset = here(4)  # behind `record` and its callers
    number(node)
    return node  # type: ignore[no-any-return]  # made by object.__new__


def silently(act: Func, /, *args: Any, **kwargs: Any) -> Any:
    """Call `act`: inf and nan are results, as in PyTorch. See Note [One line is not cut]."""
    with np.errstate(all="ignore"): return act(*args, **kwargs)  # noqa: E701  # fmt: skip


def rescue(cls: Any, error: Exception, values: Values, parameters: Parameters) -> Any:
    """Compute silently what only warned (PyTorch gives inf and nan); explain what failed."""
    if isinstance(error, (RuntimeWarning, FloatingPointError)):
        return silently(cls.forward, *values, **parameters)
    if isinstance(error, GlassgradError):
        raise error
    raise plugs.checks.named(plugs.values.explained(cls, error, values)) from None


_constants: dict[tuple[Any, Any], Any] = {}
_MAX_CONSTANTS = 4096


def constant(value: Any, dtype: Any) -> Any:
    """The 0-d array of a Python number (see Note [Numbers as 0-d arrays])."""
    found = _constants.get((value, dtype))
    if found is None:
        found = np.array(value).astype(dtype)
        found.flags.writeable = False
        if value and value == value and len(_constants) < _MAX_CONSTANTS:  # nan
            _constants[value, dtype] = found
    return found


# The fast door -----------------------------------------------------------------------------------

_NO_PARAMETERS: Parameters = {}
_new = object.__new__  # a global: each variable of a closure is copied by each call


def fast_door(cls: Any, readable: Func, depth: int) -> Callable[..., Tensor]:
    """The same in one function, for plain tensors; what is unusual takes the readable way.

    Args:
        depth: how far away its user is: 1 for an operator, 2 behind a function of ours.
    """
    code = cls.forward.__code__
    is_binary, is_behind, is_flat = code.co_argcount == 2, depth > 1, not cls.differentiable
    has_two_edges = is_binary and cls.differentiates == slice(None)
    setup_context = cls.setup_context if cls.has_setup_context() else None
    takes_more = has_two_edges and bool(code.co_flags & CO_VARARGS)
    has_parameters = setup_context is not None or bool(code.co_kwonlyargcount)
    is_general = has_parameters or takes_more or cls.promotes is None
    forward = cls.forward if is_general else cls.ufunc or cls.forward
    node_cls = cls._backward_cls
    integer = None if cls.floating or (cls.kernel and "i" not in cls.kinds) else int64
    kept, broadcasts, any_dtype = cls.kept_where, cls.broadcasts, cls.promotes is None
    saves_nothing, saves_result, saves_input = not kept, kept == ((None, -1),), kept == ((None, 0),)
    holds_nothing = () if cls.keeps_index else None
    saves_crosswise = has_two_edges and kept == ((1, 0), (0, 1))

    def leave(x: Any, y: Any, others: Values, parameters: Parameters) -> Any:
        try:
            return readable(*((x, y, *others) if is_binary else (x,)), **parameters)
        except Exception as error:
            plugs.checks.shorten(error)
            raise

    def apply(x: Any, y: Any = None, parameters: Any = _NO_PARAMETERS, others: Any = ()) -> Any:
        if state.special or (type(x) is not Tensor and type(x) not in PLAIN):
            return leave(x, y, others, parameters)
        a, first, second = x.payload, x.edge, None
        dtype = a.dtype
        if dtype is not float32 and dtype is not float64 and dtype is not integer and not any_dtype:
            return leave(x, y, others, parameters)
        if others:
            operands = x, y, *others
            values = plain_values(cls, operands) if takes_more else None
            if values is None:
                return leave(x, y, others, parameters)
            a, b, *others = values
            second = edges_of(operands) if modes.grad else None  # of all of them
        elif is_binary:
            if type(y) is Tensor or type(y) in PLAIN:
                b = y.payload
                if b.dtype is not dtype and not any_dtype:
                    return leave(x, y, others, parameters)
                if has_two_edges:
                    second = y.edge
            elif has_two_edges and (type(y) is int or (type(y) is float and dtype is not integer)):
                b, y = constant(y, dtype), None
            else:
                return leave(x, y, others, parameters)
        try:
            if is_binary:
                out = forward(a, b, *others, **parameters) if is_general else forward(a, b)
            else:
                out = forward(a, **parameters) if is_general else forward(a)
        except Exception as error:
            if is_binary and type(a) is not type(b):
                return leave(x, b if y is None else y, others, parameters)
            out = rescue(cls, error, (a, b, *others) if is_binary else (a,), parameters)
        if type(out) is not ndarray and isinstance(out, generic):
            out = np.asarray(out)  # `whole` written out
        z = _new(Tensor)
        z.payload = out
        z.cold = None
        if is_flat or (first is None and second is None) or (state.unusual and not modes.grad):
            z.edge = None
            return z
        node = _new(node_cls)
        if type(first) is Pending:
            first = first.settle(x)
        if has_two_edges and not others:
            if type(second) is Pending:
                second = second.settle(y)
            node.edges = (first, second)
            node.out_dtype = dtype
            if broadcasts and y is not None and (shape := a.shape) == b.shape:
                node.checked = False
            else:
                shape = out.shape
                node.checked = broadcasts and (
                    (first is not None and a.shape != shape)
                    or (second is not None and b.shape != shape)
                )
            node.out_shape = shape
        else:
            node.edges = second if others else (first,)
            node.out_shape = out.shape
            node.out_dtype = out.dtype if is_general else dtype
            node.checked = is_general and out.dtype is not dtype
        node.versions = node.cold = None
        if has_parameters:
            for name, value in parameters.items():
                setattr(node, name, value)
            if setup_context is not None:
                setup_context(node, (a, b, *others) if is_binary else (a,), out)
        try:
            frame: Any = _getframe(depth)
        except ValueError:  # called by fewer functions of Python's, or by none
            frame = outside(_getframe())
        if is_behind and is_ours[frame.f_code.co_filename]:
            frame = outside(frame)
        node.caller_code, node.caller_offset = frame.f_code, frame.f_lasti
        if saves_nothing:
            node.saved_tensors, node.holders = (), holds_nothing
        elif saves_crosswise and not others:
            if second is None:
                node.saved_tensors, node.holders = (None, b), (None, y)
            elif first is None:
                node.saved_tensors, node.holders = (a, None), (x, None)
            else:
                node.saved_tensors, node.holders = (a, b), (x, y)
            mine, its = x.cold, None if y is None else y.cold  # that of a leaf has no version
            if (mine is not None and (mine.version is not None or mine.is_inference)) or (
                its is not None and (its.version is not None or its.is_inference)
            ):
                note_versions(node)
        elif saves_result:
            node.saved_tensors, node.holders = (out,), (None,)
        elif saves_input:
            node.saved_tensors, node.holders = (a,), (x,)
            if x.cold is not None and x.cold.version is not None:
                note_versions(node)
        else:
            values = (a, b, *others) if is_binary else (a,)
            save(node, operands if others else (x, y), values, out)
        node.seq = next_seq()
        z.edge = node
        return z

    def apply_with(x: Any, y: Any = None, *others: Any, **parameters: Any) -> Any:
        return apply(x, y, parameters, others)

    # CPython notes in a code object what its instructions met last time. Ops that take turns would
    # undo that for each other, so each has a copy of its own.
    apply.__code__ = apply.__code__.replace()
    if is_general:
        depth += 1
        return apply_with
    return apply
