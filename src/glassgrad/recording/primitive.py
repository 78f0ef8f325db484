"""`Primitive`: a built-in op, whose rules are plain NumPy on values, and the doors to it.

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

Parameters are found on `ctx` under their names. A door is what `Mul.apply` is: the way from
tensors to values and back. The fast doors of `doors.py` hand everything unusual to `open_slowly`,
which is the readable one.
"""

import functools
import operator
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from glassgrad.base.backend import backend_of, device_of, is_array, whole
from glassgrad.base.dtypes import DType, get_default_dtype, is_differentiable, result_dtype
from glassgrad.base.errors import ArgumentTypeError, DeviceError, DTypeError, ShapeError
from glassgrad.core import state
from glassgrad.core.graph import GradientEdge, Node, edge_of
from glassgrad.core.levels import Layer, Wrapped, settled
from glassgrad.core.state import is_recording, modes, next_seq
from glassgrad.core.tensor import Tensor, wrap

from .doors import binary_door, constant, parametric_door, rescue, unary_door
from .function import Function
from .saving import PrimitiveNode, pack, save

__all__ = ["Primitive"]

Values = tuple[Any, ...]


class Primitive(Function):
    """The base class of built-in ops; see the module's docstring.

    Attributes:
        node: PyTorch's name of the node, such as "MulBackward0".
        latex: formulas of the value, the tangent and the cotangent.
        saves, saved_if, saved_at: what backward needs (see Note [Saved by position]).
        broadcasts: operands broadcast against each other, as in elementwise ops.
        promotes: the operands from this position on are brought to one dtype; None: no operand.
        floating: integers become the default dtype first.
        differentiable: whether it has a gradient at all.
        multiple: whether `forward` returns a tuple of outputs.
        differentiates: which operands have edges; an index or a condition has none.
        keeps_index: whether `setup_context` keeps an index: so for all ops that have an operand
            without an edge and save nothing else (Note [An index is saved too]).
        holomorphic: whether the rule holds for complex numbers too (Note [Complex gradients]).
        ufunc: the NumPy function that `forward` is, for the fast doors to call directly.
        views: whether the result shows the memory of the first operand.
        apply: the door, each op's own: operands by position, parameters by keyword.
        as_operator: the same for operators, which users call without a function of ours between.
    """

    node: ClassVar[str] = ""
    latex: ClassVar[tuple[str, str, str]] = ("", "", "")
    saves: ClassVar[tuple[str, ...]] = ()
    saved_if: ClassVar[dict[str, int]] = {}
    saved_at: ClassVar[dict[str, int]] = {}
    broadcasts: ClassVar[bool] = False
    promotes: ClassVar[int | None] = 0
    floating: ClassVar[bool] = False
    differentiable: ClassVar[bool] = True
    multiple: ClassVar[bool] = False
    differentiates: ClassVar[slice] = slice(None)
    keeps_index: ClassVar[bool] = False
    holomorphic: ClassVar[bool] = True
    ufunc: ClassVar[Any] = None
    views: ClassVar[bool] = False
    apply: Callable[..., Any]
    as_operator: Callable[..., Any]

    @classmethod
    def _make_node_class(cls) -> None:
        if cls.forward is Function.forward:
            return  # a family, not an op
        parameters = _parameter_names(cls)
        cls.keeps_index |= cls.differentiates != slice(None) and not cls.saves
        body: dict[str, Any] = {
            "_forward_cls": cls,
            "_saved_names": cls.saves,
            "_result_at": cls.saves.index("result") if "result" in cls.saves else None,
            "_is_quick": not cls.multiple,
            "backward": _reading(cls.backward) if cls.keeps_index else cls.backward,
            "__module__": cls.__module__,
        }
        if not cls.has_setup_context():
            body["__slots__"] = parameters
        for name in parameters:
            body[f"_saved_{name}"] = property(operator.attrgetter(name))
        for index, name in enumerate(cls.saves):
            body[f"_saved_{name}"] = property(operator.methodcaller("saved", index))
            body[f"_raw_saved_{name}"] = property(operator.methodcaller("raw_saved", index))
        cls._backward_cls = type(cls.node or f"{cls.__name__}Backward0", (PrimitiveNode,), body)
        cls.apply = staticmethod(_door(cls, 2))
        cls.as_operator = staticmethod(_door(cls, 1))

    @classmethod
    def explain(cls, error: Exception, values: Values) -> Exception:
        """The error to raise when `forward` failed with `error` on `values`."""
        shapes = " and ".join(str(tuple(v.shape)) for v in values)
        name = cls.__name__.lower()
        if isinstance(error, ValueError) and cls.broadcasts:
            return ShapeError(
                f"{_broadcast_text(values)} {name}() got the shapes {shapes}, and stretches only "
                "dims of size 1. Write `x.unsqueeze(dim)` or `x.reshape(…)` to line them up."
            )
        if isinstance(error, TypeError):
            dtypes = " and ".join(str(v.dtype) for v in values)
            return DTypeError(
                f"{name}() is not implemented for {dtypes}: {error}. "
                "Convert an operand, for example with `x.float()`."
            )
        return ShapeError(f"{name}() cannot take the shapes {shapes}: {error}. Reshape an operand.")


def _parameter_names(cls: type[Primitive]) -> tuple[str, ...]:
    code = cls.forward.__code__
    return tuple(code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount])


def _door(cls: type[Primitive], depth: int) -> Any:
    """The way into an op: a fast door if there is one for its number of operands."""

    def slow(*operands: Any, **parameters: Any) -> Any:
        return open_slowly(cls, *operands, **parameters)

    code = cls.forward.__code__
    if cls.multiple or not cls.differentiable or code.co_flags & _CO_VARARGS:
        return slow
    has_parameters = bool(code.co_kwonlyargcount) or cls.has_setup_context()
    if code.co_argcount == 1:
        return (parametric_door if has_parameters or cls.promotes is None else unary_door)(
            cls, slow
        )
    if code.co_argcount == 2 and not has_parameters and cls.promotes == 0:  # x, y
        return binary_door(cls, slow, depth)
    return slow


_CO_VARARGS = 0x04


# The slow door: every step by itself ----------------------------------------------------------


def open_slowly(cls: type[Primitive], *operands: Any, **parameters: Any) -> Any:
    """Apply an op where it belongs: to the innermost transform, if one is open, or to arrays."""
    if modes.duals is not None and modes.duals.has_tangent(operands):
        return modes.duals.handle(cls, operands, parameters)
    if modes.levels:
        return modes.levels[-1].handle(cls, operands, parameters)
    if any([x.__class__ is Wrapped or isinstance(x, Layer) for x in operands]):
        return cls.apply(*[settled(x) for x in operands], **parameters)
    return apply_to_arrays(cls, operands, parameters)


def apply_to_arrays(
    cls: type[Primitive], operands: Values, parameters: dict[str, Any]
) -> Any:
    """Apply an op: operands to values, forward, and a node if a gradient will be wanted."""
    values = _values(cls, operands)
    try:
        out = cls.forward(*values, **parameters)
    except Exception as error:
        out = rescue(cls, error, values, parameters)
    edges = _edges(operands[cls.differentiates]) if cls.differentiable and is_recording() else None
    if edges is None:
        return tuple([_unrecorded(part) for part in out]) if cls.multiple else _unrecorded(out)
    if cls.multiple:
        parts = tuple([whole(part) for part in out])
        node = record(cls, operands, values, parts, edges, parameters)
        results = tuple(
            [
                wrap(part, GradientEdge(node, nr) if is_differentiable(part.dtype) else None)
                for nr, part in enumerate(parts)
            ]
        )
    else:
        array = whole(out)
        node = record(cls, operands, values, array, edges, parameters)
        results = (wrap(array, node),)
    if modes.hook_pairs and cls.saves:
        pack(node, results[0], modes.hook_pairs[-1])
    return results if cls.multiple else results[0]


def _unrecorded(out: Any) -> Tensor:
    """A result without a place in the graph."""
    result = wrap(whole(out))
    if modes.inference:
        result.chilled().is_inference = True
    return result


def _edges(operands: Values) -> "tuple[Node | GradientEdge | None, ...] | None":
    """The edges of the operands, or None if no operand requires grad."""
    wanted = [isinstance(x, Tensor) and x.edge is not None for x in operands]
    if True not in wanted:
        return None
    return tuple([edge_of(x) if want else None for x, want in zip(operands, wanted, strict=True)])


def record(
    cls: type[Primitive],
    operands: Values,
    values: Values,
    out: Any,
    edges: Any,
    parameters: dict[str, Any],
) -> PrimitiveNode:
    """The node of one application (edges first: Note [Edges point to older nodes])."""
    is_complex = any([value.dtype.kind == "c" for value in values])
    made_of = _conjugating(cls) if is_complex and cls.holomorphic else cls._backward_cls
    node = context(cls, operands, values, out, edges, parameters, made_of)
    parts = out if cls.multiple else (out,)
    shapes, dtypes = tuple([p.shape for p in parts]), tuple([p.dtype for p in parts])
    node.out_shape, node.out_dtype = (shapes, dtypes) if cls.multiple else (shapes[0], dtypes[0])
    node.checked = _must_check(cls, operands, edges, shapes[0] if shapes else (), dtypes)
    node.seq = next_seq()
    if state.anomaly is not None:
        state.anomaly.note(node)
    return node  # type: ignore[no-any-return]  # made by object.__new__


def context(
    cls: type[Primitive],
    operands: Values,
    values: Values,
    out: Any,
    edges: Any,
    parameters: dict[str, Any],
    node_cls: Any = None,
) -> Any:
    """The `ctx` of one application: what its rules, `backward` and `jvp`, find there.

    Args:
        edges: for each operand that can have a derivative, None if it is not asked for.
    """
    node: Any = object.__new__(cls._backward_cls if node_cls is None else node_cls)
    node.edges = edges
    node.saved_tensors, node.holders = (), () if cls.keeps_index else None
    node.versions = node.cold = None
    for name, value in parameters.items():
        setattr(node, name, value)
    if cls.has_setup_context():
        cls.setup_context(node, values, out)
    if cls.saves:
        save(node, operands, values, out)
    return node


# Note [An index is saved too]
# `setup_context` copies an index, so a write to it is no mistake. But as in PyTorch it goes when
# saved tensors go: the node then says that the graph was freed, as any other that saved something.


def _reading(rule: Callable[..., Any]) -> Callable[..., Any]:
    """A rule that looks first whether what its node kept is still there."""

    @functools.wraps(rule)
    def backward(ctx: Any, *grads: Any) -> Any:
        for _ in ctx.saved_tensors:
            break  # there are none, but freed ones raise
        return rule(ctx, *grads)

    return backward


# Note [Complex gradients]
# With PyTorch's convention the gradient of f at x is ȳ·conj(f'(x)). A rule written for real
# numbers computes ȳ·f'(x). Given conj(ȳ), it computes the conjugate of what is wanted.


@functools.cache
def _conjugating(cls: type[Primitive]) -> type[PrimitiveNode]:
    """The node class of an op on complex numbers: it conjugates what goes in and comes out."""

    def backward(ctx: Any, *grads: Any) -> Any:
        results = cls.backward(ctx, *[None if grad is None else np.conj(grad) for grad in grads])
        if not isinstance(results, tuple):
            return np.conj(results)
        return tuple([None if result is None else np.conj(result) for result in results])

    node_cls = cls._backward_cls
    return type(node_cls.__name__, (node_cls,), {"backward": backward, "__slots__": ()})


def _must_check(
    cls: type[Primitive], operands: Values, edges: Values, shape: Any, dtypes: Any
) -> bool:
    """Whether a gradient can come back in another shape or dtype than its operand has."""
    for operand, edge in zip(operands[cls.differentiates], edges, strict=True):
        if edge is None:
            continue
        if any(dtype is not operand.payload.dtype for dtype in dtypes):
            return True
        if cls.broadcasts and operand.payload.shape != shape:
            return True
    return False


def common_dtype(cls: type[Primitive], operands: Values) -> DType | None:
    """What the op brings its operands to: Tensors, arrays and numbers; None if to nothing."""
    if cls.promotes is None:
        return None
    own = [x.payload if isinstance(x, Tensor) else x for x in operands[cls.promotes :]]
    dtype = result_dtype([x for x in own if is_array(x)], [x for x in own if not is_array(x)])
    return get_default_dtype() if cls.floating and not is_differentiable(dtype) else dtype


def in_dtype(cls: type[Primitive], operands: Values, dtype: DType | None) -> Values:
    """Operands, some of them Tensors, as values of one dtype; numbers become 0-d arrays."""
    values = list(operands)
    for position, value in enumerate(values):
        if dtype is None or position < (cls.promotes or 0):
            continue
        if isinstance(value, Tensor):
            values[position] = value if value.dtype is dtype else value.to(dtype)
        elif not is_array(value):
            values[position] = constant(value, dtype)
        elif value.dtype is not dtype:
            values[position] = value.astype(dtype)
    return tuple(values)


def in_common_dtype(cls: type[Primitive], operands: Values) -> Values:
    """Operands, some of them Tensors, as the values that the op's rules work with."""
    return in_dtype(cls, operands, common_dtype(cls, operands))


# Operands to values -----------------------------------------------------------------------------


def _values(cls: type[Primitive], operands: Values) -> Values:
    """The arrays behind the operands, on one device and, where the op wants it, of one dtype."""
    values = [_value(cls, x, position) for position, x in enumerate(operands)]
    arrays = [v for v in values if is_array(v)]
    if not arrays:
        values = [np.asarray(v, result_dtype((), (v,))) for v in values]
        arrays = values
    place = next((a for a in arrays if a.ndim), arrays[0])
    if cls.promotes is not None:
        _promote(cls, values)
    if any(type(v) is not type(place) for v in values):
        values = [_move(v, place) for v in values]
    return tuple(values)


def _value(cls: type[Primitive], operand: Any, position: int) -> Any:
    """An array, or a Python number that is still to get its dtype."""
    if isinstance(operand, Tensor):
        return operand.payload
    if isinstance(operand, (bool, int, float, complex)) or is_array(operand):
        return operand
    if isinstance(operand, np.generic):
        return np.asarray(operand)
    raise ArgumentTypeError(
        f"{cls.__name__.lower()}(): argument {position} must be Tensor, not "
        f"{type(operand).__name__}. Ops compute on tensors and numbers. "
        "Write `glassgrad.tensor(values)`."
    )


def _promote(cls: type[Primitive], values: list[Any]) -> None:
    """Bring the operands from `cls.promotes` on to PyTorch's common dtype, in place."""
    operands = values[cls.promotes :]
    dtype = result_dtype(
        [v for v in operands if is_array(v)], [v for v in operands if not is_array(v)]
    )
    if cls.floating and not is_differentiable(dtype):
        dtype = get_default_dtype()
    for position, value in enumerate(operands, start=cls.promotes or 0):
        if not is_array(value):
            values[position] = constant(value, dtype)
        elif value.dtype is not dtype:
            values[position] = value.astype(dtype)


def _move(value: Any, place: Any) -> Any:
    """A 0-d CPU value where `place` is; anything else on another device is a mistake."""
    if type(value) is type(place):
        return value
    if value.ndim == 0 and isinstance(value, np.ndarray):
        return backend_of(place).asarray(value)
    raise DeviceError(
        "Expected all tensors to be on the same device, but found at least two devices, "
        f"{device_of(place)} and {device_of(value)}! An op computes where its operands are. "
        f"Write `x.to({str(device_of(place))!r})`."
    )


def _broadcast_text(values: Values) -> str:
    """PyTorch's sentence for shapes that do not broadcast."""
    widest = max(len(v.shape) for v in values)
    padded = [(1,) * (widest - len(v.shape)) + tuple(v.shape) for v in values]
    for dim in reversed(range(widest)):
        sizes = dict.fromkeys(shape[dim] for shape in padded if shape[dim] != 1)
        if len(sizes) > 1:
            a, b = list(sizes)[:2]
            return (
                f"The size of tensor a ({a}) must match the size of tensor b ({b}) at "
                f"non-singleton dimension {dim}."
            )
    return "These shapes do not broadcast."
