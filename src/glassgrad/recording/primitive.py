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
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from glassgrad.base.backend import whole
from glassgrad.base.dtypes import is_differentiable
from glassgrad.base.errors import DimError, DTypeError, ShapeError
from glassgrad.base.source_lines import here
from glassgrad.core import state
from glassgrad.core.graph import GradientEdge, Node, edge_of
from glassgrad.core.layers import Layer, Wrapped, settled
from glassgrad.core.state import is_recording, modes, next_seq
from glassgrad.core.tensor import Tensor, wrap

from .doors import binary_door, parametric_door, rescue, unary_door
from .function import Function
from .operands import arrays_of, broadcast_text
from .saving import PrimitiveNode, pack, save

__all__ = ["Primitive"]

Values = tuple[Any, ...]


class Primitive(Function):
    """The base class of built-in ops; see the module's docstring.

    Attributes:
        node: PyTorch's name of the node; by itself `Mul` has the node "MulBackward0".
        saves, saved_if, saved_at: what backward needs (see Note [Saved by position]).
        broadcasts: operands broadcast against each other, as in elementwise ops.
        promotes: the operands from this position on are brought to one dtype; None: no operand.
        floating: integers become the default dtype first.
        differentiable: whether it has a gradient at all.
        multiple: whether `forward` returns a tuple of outputs.
        differentiates: which operands have edges; an index or a condition has none.
        keeps_index: whether `setup_context` keeps arrays, an index or weights: so for all ops that
            have an operand without an edge and save nothing (Note [An index is saved too]).
        holomorphic: whether the rule holds for complex numbers too (Note [Complex gradients]).
        ufunc: the NumPy function that `forward` is, for the fast doors to call directly.
        jvp_by_call: whether `jvp` asks its ctx for `operands`, `parameters` and `result` alone.
        views: whether the result shows the memory of the first operand.
        apply: the door, each op's own: operands by position, parameters by keyword.
        as_operator: the same for operators, which users call without a function of ours between.
    """

    node: ClassVar[str] = ""
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
    jvp_by_call: ClassVar[bool] = False
    views: ClassVar[bool] = False
    apply: Callable[..., Any]
    as_operator: Callable[..., Any]

    if TYPE_CHECKING:  # each op names the operands and parameters of its own rules
        jvp: Any
        vmap: Any

    @classmethod
    def _make_node_class(cls) -> None:
        if cls.forward is Function.forward:
            return  # a family, not an op
        parameters = _parameter_names(cls)
        cls.jvp_by_call = getattr(cls.jvp, "by_call", False)
        cls.keeps_index |= cls.differentiates != slice(None) and not cls.saves
        body: dict[str, Any] = {
            "_forward_cls": cls,
            "_saved_names": cls.saves,
            "_result_at": cls.saves.index("result") if "result" in cls.saves else None,
            "_is_quick": not cls.multiple and not cls.keeps_index,
            "backward": cls.backward
            if cls.saves or not cls.keeps_index
            else _reading(cls.backward),
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
                f"{broadcast_text(values)} {name}() got the shapes {shapes}, and stretches only "
                "dims of size 1. Write `x.unsqueeze(dim)` or `x.reshape(…)` to line them up."
            )
        if isinstance(error, TypeError):
            dtypes = " and ".join(str(v.dtype) for v in values)
            return DTypeError(
                f"{name}() is not implemented for {dtypes}: {error}. "
                "Convert an operand, for example with `x.float()`."
            )
        if isinstance(error, IndexError):
            said = str(error).replace("for axis", "for dimension")
            return DimError(
                f"{said}: {name}() got the shapes {shapes}. An index names places. Write indices "
                "from 0 up that are within the dim."
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
    if any(x.__class__ is Wrapped or isinstance(x, Layer) for x in operands):
        return cls.apply(*[settled(x) for x in operands], **parameters)
    return apply_to_arrays(cls, operands, parameters)


def apply_to_arrays(cls: type[Primitive], operands: Values, parameters: dict[str, Any]) -> Any:
    """Apply an op: operands to values, forward, and a node if a gradient will be wanted."""
    values = arrays_of(cls, operands)
    try:
        out = cls.forward(*values, **parameters)
    except Exception as error:
        out = rescue(cls, error, values, parameters)
    for tell in state.computed:
        tell(cls, operands, values, parameters, out)
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
    level: Any = None,
) -> PrimitiveNode:
    """The node of one application (edges first: Note [Edges point to older nodes]).

    Args:
        level: the transform that records it; None: the tape itself.
    """
    is_complex = "c" in [value.dtype.kind for value in values]
    made_of = _conjugating(cls) if is_complex and cls.holomorphic else cls._backward_cls
    node: Any = object.__new__(made_of)
    node.edges = edges
    node.saved_tensors, node.holders = (), () if cls.keeps_index else None
    node.versions = node.cold = None
    node.caller_code, node.caller_offset = here(4)  # behind `record` and its callers
    for name, value in parameters.items():
        setattr(node, name, value)
    if cls.has_setup_context():
        cls.setup_context(node, values, out)
    if cls.saves:
        save(node, operands, values, out)
    parts = out if cls.multiple else (out,)
    shapes, dtypes = tuple([p.shape for p in parts]), tuple([p.dtype for p in parts])
    node.out_shape, node.out_dtype = (shapes, dtypes) if cls.multiple else (shapes[0], dtypes[0])
    if level is None:
        node.checked = _must_check(cls, operands, edges, shapes[0] if shapes else (), dtypes)
    else:
        node.checked, node._level = True, level
    node.seq = next_seq()
    if state.noting:
        for note in state.noting:
            note(node)
    return node  # type: ignore[no-any-return]  # made by object.__new__


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
