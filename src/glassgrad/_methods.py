"""The index of what a Tensor can do: each method and operator, and the function behind it.

A function in the body of a class is a method: `exp = transcendental.exp` makes `x.exp()` call
`exp(x)`. The mixin is copied onto `Tensor` when the package is imported, so that `core/` imports
no op; type checkers and editors see it as Tensor's base class.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from . import _printing
from .core import backward as _backward
from .core import hooks
from .ops import (
    _protocols,
    activations,
    alike,
    arithmetic,
    comparison,
    conversion,
    dlpack,
    extrema,
    gathering,
    indexing,
    inplace,
    linalg,
    logic,
    powers,
    reduction,
    repeating,
    selection,
    shape,
    splitting,
    statistics,
    transcendental,
    transposing,
)
from .ops.arithmetic import Add, Div, Mul, Neg, Operand, Sub
from .ops.comparison import Eq, Ge, Gt, Le, Lt, Ne

if TYPE_CHECKING:
    from .core.tensor import Tensor

__all__ = ["Methods"]


class Methods:
    """The methods of `Tensor`."""

    # Autograd
    register_hook = hooks.register_hook
    register_post_accumulate_grad_hook = hooks.register_post_accumulate_grad_hook
    retain_grad = hooks.retain_grad

    def backward(
        self: "Tensor",
        gradient: "Tensor | None" = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Any = None,
    ) -> None:
        _backward.backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    def requires_grad_(self: "Tensor", requires_grad: bool = True) -> "Tensor":
        self.requires_grad = requires_grad
        return self

    # Operators. The doors themselves where every call counts.
    __add__ = __radd__ = Add.apply
    __sub__ = Sub.apply
    __rsub__ = arithmetic.rsub
    __mul__ = __rmul__ = Mul.apply
    __truediv__ = Div.apply
    __pow__ = powers.pow
    __matmul__ = linalg.matmul
    __neg__ = Neg.apply
    __abs__ = arithmetic.abs
    __eq__ = Eq.apply  # type: ignore[assignment]  # object's answers with a bool
    __ne__ = Ne.apply  # type: ignore[assignment]  # the same
    __lt__ = Lt.apply
    __le__ = Le.apply
    __gt__ = Gt.apply
    __ge__ = Ge.apply
    __hash__ = object.__hash__  # by identity: == compares elements
    __and__ = __rand__ = logic.bitwise_and
    __or__ = __ror__ = logic.bitwise_or
    __xor__ = __rxor__ = logic.bitwise_xor
    __invert__ = logic.bitwise_not
    __getitem__ = indexing.getitem
    __setitem__ = inplace.setitem
    __iadd__ = inplace.add_
    __isub__ = inplace.sub_
    __imul__ = inplace.mul_
    __itruediv__ = inplace.div_
    __repr__ = _printing.tensor_repr
    __array_ufunc__ = _protocols.array_ufunc
    __array_function__ = _protocols.array_function
    __dlpack__ = dlpack.dlpack_capsule
    __dlpack_device__ = dlpack.dlpack_device

    def __rtruediv__(self: "Tensor", other: Operand) -> "Tensor":
        return Mul.apply(powers.reciprocal(self), other)

    def __rpow__(self: "Tensor", base: Operand) -> "Tensor":
        return powers.pow(base, self)

    def __rmatmul__(self: "Tensor", other: "Tensor") -> "Tensor":
        return linalg.matmul(other, self)

    def __pos__(self: "Tensor") -> "Tensor":
        return self

    def __iter__(self: "Tensor") -> Iterator["Tensor"]:
        return splitting.iterate(self)

    def __contains__(self: "Tensor", element: Any) -> bool:
        return bool(reduction.any(Eq.apply(self, element)))

    # Written in place
    add_ = inplace.add_
    sub_ = inplace.sub_
    mul_ = inplace.mul_
    div_ = inplace.div_
    copy_ = inplace.copy_
    fill_ = inplace.fill_
    zero_ = inplace.zero_

    # Element by element
    add = arithmetic.add
    sub = arithmetic.sub
    mul = arithmetic.mul
    div = arithmetic.div
    pow = powers.pow
    neg = arithmetic.neg
    abs = arithmetic.abs
    sign = arithmetic.sign
    conj = arithmetic.conj
    square = powers.square
    reciprocal = powers.reciprocal
    exp = transcendental.exp
    log = transcendental.log
    sqrt = transcendental.sqrt
    sin = transcendental.sin
    cos = transcendental.cos
    tanh = transcendental.tanh
    relu = activations.relu
    sigmoid = activations.sigmoid
    softmax = activations.softmax
    log_softmax = activations.log_softmax
    maximum = selection.maximum
    minimum = selection.minimum
    clamp = selection.clamp
    clamp_min = selection.clamp_min
    clamp_max = selection.clamp_max
    clip = selection.clip

    def where(self: "Tensor", condition: "Tensor", other: Any) -> "Tensor":
        return selection.where(condition, self, other)  # type: ignore[no-any-return]  # three given

    # Questions
    eq = comparison.eq
    ne = comparison.ne
    lt = comparison.lt
    le = comparison.le
    gt = comparison.gt
    ge = comparison.ge
    equal = comparison.equal
    isclose = comparison.isclose
    allclose = comparison.allclose
    isnan = comparison.isnan
    isinf = comparison.isinf
    isfinite = comparison.isfinite
    logical_and = logic.logical_and
    logical_or = logic.logical_or
    logical_xor = logic.logical_xor
    logical_not = logic.logical_not

    # Over dims
    sum = reduction.sum
    mean = reduction.mean
    logsumexp = reduction.logsumexp
    any = reduction.any
    all = reduction.all
    var = statistics.var
    std = statistics.std
    max = extrema.max
    min = extrema.min
    amax = extrema.amax
    amin = extrema.amin
    argmax = extrema.argmax
    argmin = extrema.argmin

    # Shape
    reshape = shape.reshape
    view = shape.view
    view_as = shape.view_as
    flatten = shape.flatten
    unflatten = shape.unflatten
    ravel = shape.ravel
    contiguous = shape.contiguous
    squeeze = shape.squeeze
    unsqueeze = shape.unsqueeze
    expand = shape.expand
    expand_as = shape.expand_as
    broadcast_to = shape.broadcast_to
    repeat = repeating.repeat
    tile = repeating.tile
    permute = transposing.permute
    transpose = transposing.transpose
    swapaxes = transposing.swapaxes
    movedim = transposing.movedim
    t = transposing.t
    T = property(transposing.reversed_dims)
    mT = property(transposing.mT)  # noqa: N815  # PyTorch's name

    # Parts
    select = indexing.select
    narrow = indexing.narrow
    index_select = gathering.index_select
    gather = gathering.gather
    split = splitting.split
    chunk = splitting.chunk
    unbind = splitting.unbind
    tensor_split = splitting.tensor_split

    # Matrices
    matmul = linalg.matmul
    mm = linalg.mm
    mv = linalg.mv
    dot = linalg.dot
    bmm = linalg.bmm
    outer = linalg.outer

    # Copies and conversions
    clone = conversion.clone
    to = conversion.to
    type = conversion.type_of
    type_as = conversion.type_as
    float = conversion.to_float
    double = conversion.to_double
    half = conversion.to_half
    int = conversion.to_int
    long = conversion.to_long
    bool = conversion.to_bool
    cpu = conversion.cpu
    cuda = conversion.cuda
    new_tensor = alike.new_tensor
    new_zeros = alike.new_zeros
    new_ones = alike.new_ones
    new_full = alike.new_full
    new_empty = alike.new_empty
