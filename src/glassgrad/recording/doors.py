"""The fast doors: from tensors to values and back, for ops of one or two operands.

A door does what `open_slowly` in `primitive.py` does, for the case that is nearly always there:
plain tensors of one float dtype, recording on, no mode set. It leaves for the slow door when
that is not so. Written out by hand, because each call and each loop here is paid by every op.

# Note [Numbers as 0-d arrays]
# A ufunc takes a 0-d array of the right dtype faster than a Python number, so numbers are turned
# into such arrays once and kept. Zeros are not kept, since 0.0 == -0.0.

# Note [The line that called]
# An error about a saved tensor names the line that saved it, and every picture the line that made
# a node. The instruction that calls the op is noted as two attributes of the node: a tuple would be
# one more object for the garbage collector. The caller is one frame away from an operator, two from
# a public function; where a function of ours is found there (`square` calls `pow`), it is further
# out. Operators do not look: one comparison more in each addition would be seen.
"""

from collections.abc import Callable
from sys import _getframe
from typing import Any

import numpy as np
from numpy import ndarray

from glassgrad.base.backend import whole
from glassgrad.base.dtypes import DType, Number, float32, float64
from glassgrad.base.errors import GlassgradError
from glassgrad.base.source_lines import is_ours, outside
from glassgrad.core import state
from glassgrad.core.state import modes, next_seq
from glassgrad.core.tensor import PLAIN, Pending, Tensor

from .saving import note_versions, save

__all__ = ["binary_door", "constant", "parametric_door", "rescue", "unary_door"]

Values = tuple[Any, ...]

_constants: dict[tuple[Number, DType], Any] = {}
_MAX_CONSTANTS = 4096


def constant(value: Number, dtype: DType) -> Any:
    """The 0-d array of a Python number (see Note [Numbers as 0-d arrays])."""
    found = _constants.get((value, dtype))
    if found is None:
        found = np.array(value).astype(dtype)
        found.flags.writeable = False
        if value and value == value and len(_constants) < _MAX_CONSTANTS:  # nan
            _constants[value, dtype] = found
    return found


def unary_door(cls: Any, slow: Callable[..., Tensor]) -> Callable[[Any], Tensor]:
    """The door of an op with one operand and no parameters."""
    forward, node_cls, new = cls.ufunc or cls.forward, cls._backward_cls, object.__new__
    saves_input, saves_nothing = "self" in cls.saves, not cls.saves
    saves_result, saves_both = cls.saves == ("result",), saves_input and "result" in cls.saves

    def apply(x: Any) -> Tensor:
        if state.special:
            return slow(x)
        if type(x) is not Tensor and type(x) not in PLAIN:
            return slow(x)
        a = x.payload
        dtype = a.dtype
        if dtype is not float32 and dtype is not float64:
            return slow(x)
        try:
            out = forward(a)
        except Exception as error:
            out = rescue(cls, error, (a,), {})
        if type(out) is not ndarray:
            out = whole(out)
        y = new(Tensor)
        y.payload = out
        y.cold = None
        edge = x.edge
        if edge is None or (state.unusual and not modes.grad):
            y.edge = None
            return y
        node = new(node_cls)
        node.edges = (edge.settle(x) if type(edge) is Pending else edge,)
        node.out_shape = out.shape
        node.out_dtype = dtype
        node.checked = False
        node.versions = node.cold = None
        try:
            frame = _getframe(2)
        except ValueError:  # called by fewer functions of Python's, or by none
            frame = outside(_getframe())
        if is_ours[frame.f_code.co_filename]:
            frame = outside(frame)
        node.caller_code, node.caller_offset = frame.f_code, frame.f_lasti
        if saves_nothing:
            node.saved_tensors, node.holders = (), None
        elif saves_result:
            node.saved_tensors, node.holders = (out,), (None,)
        elif saves_both:
            node.saved_tensors, node.holders = (a, out), (x, None)
        else:
            node.saved_tensors, node.holders = (a,), (x,)
        if saves_input and x.cold is not None and x.cold.version is not None:
            node.versions = {0: (x.cold.version, x.cold.version.count)}
        node.seq = next_seq()
        y.edge = node
        return y

    return apply


def parametric_door(cls: Any, slow: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The door of an op with one operand and parameters."""
    forward, node_cls, new = cls.forward, cls._backward_cls, object.__new__
    remembers, setup_context = cls.has_setup_context(), cls.setup_context
    saves, promotes = bool(cls.saves), cls.promotes is not None
    saves_input, saves_result = cls.saves == ("self",), cls.saves == ("result",)

    def apply(x: Any, **parameters: Any) -> Tensor:
        if state.special:
            return slow(x, **parameters)
        if type(x) is not Tensor and type(x) not in PLAIN:
            return slow(x, **parameters)
        a = x.payload
        dtype = a.dtype
        if promotes and dtype is not float32 and dtype is not float64:
            return slow(x, **parameters)
        try:
            out = forward(a, **parameters)
        except Exception as error:
            out = rescue(cls, error, (a,), parameters)
        if type(out) is not ndarray:
            out = whole(out)
        y = new(Tensor)
        y.payload = out
        y.cold = None
        edge = x.edge
        if edge is None or (state.unusual and not modes.grad):
            y.edge = None
            return y
        node = new(node_cls)
        node.edges = (edge.settle(x) if type(edge) is Pending else edge,)
        node.out_shape = out.shape
        node.out_dtype = out.dtype
        node.checked = out.dtype is not dtype
        node.versions = node.cold = None
        for name, value in parameters.items():
            setattr(node, name, value)
        if remembers:
            setup_context(node, (a,), out)
        try:
            frame = _getframe(2)
        except ValueError:  # called by fewer functions of Python's, or by none
            frame = outside(_getframe())
        if is_ours[frame.f_code.co_filename]:
            frame = outside(frame)
        node.caller_code, node.caller_offset = frame.f_code, frame.f_lasti
        if saves_result:
            node.saved_tensors, node.holders = (out,), (None,)
        elif saves_input:
            node.saved_tensors, node.holders = (a,), (x,)
            if x.cold is not None:
                note_versions(node)
        elif saves:
            save(node, (x,), (a,), out)
        else:
            node.saved_tensors, node.holders = (), None
        node.seq = next_seq()
        y.edge = node
        return y

    return apply


def binary_door(cls: Any, slow: Callable[..., Tensor], depth: int) -> Callable[[Any, Any], Tensor]:
    """The door of an op with two operands and no parameters.

    Args:
        depth: how far away its user is: 1 for an operator, 2 behind a function of ours.
    """
    forward, node_cls, new = cls.ufunc or cls.forward, cls._backward_cls, object.__new__
    broadcasts = cls.broadcasts
    saves_nothing, is_behind = not cls.saves, depth > 1
    saves_crosswise = cls.saved_if == {"self": 1, cls.saves[-1]: 0} if cls.saves else False

    def apply(x: Any, y: Any) -> Tensor:
        if state.special:
            return slow(x, y)
        if type(x) is not Tensor and type(x) not in PLAIN:
            return slow(x, y)
        a = x.payload
        dtype = a.dtype
        if dtype is not float32 and dtype is not float64:
            return slow(x, y)
        if type(y) is Tensor or type(y) in PLAIN:
            b = y.payload
            if b.dtype is not dtype:
                return slow(x, y)
            second = y.edge
        elif type(y) is float or type(y) is int:
            b = constant(y, dtype)
            second = y = None
        else:
            return slow(x, y)
        try:
            out = forward(a, b)
        except Exception as error:
            if type(a) is not type(b):
                return slow(x, b if y is None else y)
            out = rescue(cls, error, (a, b), {})
        if type(out) is not ndarray:
            out = whole(out)
        z = new(Tensor)
        z.payload = out
        z.cold = None
        first = x.edge
        if (first is None and second is None) or (state.unusual and not modes.grad):
            z.edge = None
            return z
        node = new(node_cls)
        if type(first) is Pending:
            first = first.settle(x)
        if type(second) is Pending:
            second = second.settle(y)
        node.edges = (first, second)
        if broadcasts and y is not None and (shape := a.shape) == b.shape:
            node.checked = False
        else:
            shape = out.shape
            node.checked = broadcasts and (
                (first is not None and a.shape != shape)
                or (second is not None and b.shape != shape)
            )
        node.out_shape = shape
        node.out_dtype = dtype
        node.versions = node.cold = None
        try:
            frame: Any = _getframe(depth)
        except ValueError:  # called by fewer functions of Python's, or by none
            frame = outside(_getframe())
        if is_behind and is_ours[frame.f_code.co_filename]:
            frame = outside(frame)
        node.caller_code, node.caller_offset = frame.f_code, frame.f_lasti
        if saves_nothing:
            node.saved_tensors, node.holders = (), None
        elif saves_crosswise:
            if second is None:
                node.saved_tensors, node.holders = (None, b), (None, y)
            elif first is None:
                node.saved_tensors, node.holders = (a, None), (x, None)
            else:
                node.saved_tensors, node.holders = (a, b), (x, y)
            if x.cold is not None or (y is not None and y.cold is not None):
                note_versions(node)
        else:
            save(node, (x, y), (a, b), out)
        node.seq = next_seq()
        z.edge = node
        return z

    return apply


def rescue(cls: Any, error: Exception, values: Values, parameters: dict[str, Any]) -> Any:
    """Compute silently what only warned (PyTorch gives inf and nan); explain what failed."""
    if isinstance(error, (RuntimeWarning, FloatingPointError)):
        with np.errstate(all="ignore"):
            return cls.forward(*values, **parameters)
    known = ValueError, TypeError, IndexError
    if isinstance(error, GlassgradError) or not isinstance(error, known):
        raise error
    raise cls.explain(error, values) from error
