"""The index of what a Tensor can do: each method and operator, and the function behind it.

A function in the body of a class is a method: `exp = transcendental.exp` makes `x.exp()` call
`exp(x)`. The mixin is copied onto `Tensor` when the package is imported, so that `core/` imports
no op; type checkers and editors see it as Tensor's base class.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from . import _grad, _printing
from .core import backward as _backward
from .core import state
from .hooks import on_gradients as hooks
from .ops import (
    _protocols,
    activations,
    alike,
    argextrema,
    arithmetic,
    comparison,
    complexes,
    conversion,
    covariance,
    cumulating,
    diagonals,
    dlpack,
    extrema,
    fused,
    gamma,
    gathering,
    hyperbolic,
    index_writing,
    indexing,
    legacy,
    linalg,
    logarithms,
    logic,
    masking,
    medians,
    memory,
    powers,
    putting,
    random,
    reduction,
    repeating,
    rounding,
    scatter_reducing,
    scattering,
    selection,
    setitem,
    shape,
    splitting,
    statistics,
    strided,
    transcendental,
    transposing,
    triangles,
    trigonometric,
    turning,
    unsafe_splitting,
    vectors,
    windows,
)
from .ops.arithmetic import Add, Div, Mul, Operand, Sub
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
    grad_dtype = _grad.grad_dtype

    backward = _backward.from_tensor

    @property
    def is_nested(self: "Tensor") -> bool:
        """Whether its rows have different sizes: never, here."""
        return False

    def requires_grad_(self: "Tensor", requires_grad: bool = True) -> "Tensor":
        """Set `requires_grad`, and return the tensor."""
        state.refuse_inside("Tensor.requires_grad_()")
        if self.is_leaf or requires_grad is not True:
            self.requires_grad = requires_grad
        return self

    # Operators. The doors themselves where every call counts.
    __add__ = __radd__ = Add.as_operator
    __sub__ = Sub.as_operator
    __rsub__ = arithmetic.rsub
    __mul__ = __rmul__ = Mul.as_operator
    __truediv__ = Div.as_operator
    __pow__ = powers.pow
    __matmul__ = linalg.matmul
    __neg__ = arithmetic.neg  # of one operand, the door expects a function of ours before it
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
    __setitem__ = setitem.setitem
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

    # Element by element
    bernoulli = random.bernoulli
    multinomial = random.multinomial
    add = arithmetic.add
    sub = subtract = arithmetic.sub
    mul = multiply = arithmetic.mul
    div = divide = true_divide = arithmetic.div
    pow = powers.pow
    neg = negative = arithmetic.neg
    abs = absolute = arithmetic.abs
    sign = arithmetic.sign
    conj = complexes.conj
    square = powers.square
    reciprocal = powers.reciprocal
    exp = transcendental.exp
    log = transcendental.log
    sqrt = transcendental.sqrt
    rsqrt = powers.rsqrt
    sin = transcendental.sin
    cos = transcendental.cos
    tanh = transcendental.tanh
    tan = trigonometric.tan
    asin = arcsin = trigonometric.asin
    acos = arccos = trigonometric.acos
    atan = arctan = trigonometric.atan
    atan2 = arctan2 = trigonometric.atan2
    hypot = trigonometric.hypot
    sinh = hyperbolic.sinh
    cosh = hyperbolic.cosh
    asinh = arcsinh = hyperbolic.asinh
    acosh = arccosh = hyperbolic.acosh
    atanh = arctanh = hyperbolic.atanh
    exp2 = logarithms.exp2
    expm1 = logarithms.expm1
    log1p = logarithms.log1p
    log2 = logarithms.log2
    log10 = logarithms.log10
    logit = logarithms.logit
    lgamma = gamma.lgamma
    digamma = gamma.digamma
    floor = rounding.floor
    ceil = rounding.ceil
    round = rounding.round
    trunc = fix = rounding.trunc
    frac = rounding.frac
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
    addcmul = fused.addcmul
    addcdiv = fused.addcdiv
    lerp = fused.lerp

    def reshape_as(self: "Tensor", other: "Tensor") -> "Tensor":
        return shape.reshape(self, other.shape)

    def polygamma(self: "Tensor", n: Any) -> "Tensor":
        return gamma.polygamma(n, self)

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
    isin = comparison.isin
    signbit = comparison.signbit
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
    argmax = argextrema.argmax
    argmin = argextrema.argmin
    median = medians.median
    nanmedian = medians.nanmedian
    prod = cumulating.prod
    cumsum = cumulating.cumsum
    cumprod = cumulating.cumprod
    cov = covariance.cov

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
    flip = turning.flip
    roll = turning.roll
    diagonal = triangles.diagonal
    diag = diagonals.diag
    diag_embed = diagonals.diag_embed
    diagflat = diagonals.diagflat
    trace = diagonals.trace
    tril = triangles.tril
    triu = triangles.triu
    T = property(transposing.reversed_dims)
    mT = property(transposing.mT)  # noqa: N815  # PyTorch's name

    # Parts
    select = indexing.select
    narrow = indexing.narrow
    as_strided = strided.as_strided
    unfold = windows.unfold
    index_select = gathering.index_select
    gather = gathering.gather
    masked_select = masking.masked_select
    split = splitting.split
    split_with_sizes = splitting.split_with_sizes
    unsafe_split = unsafe_splitting.unsafe_split
    unsafe_split_with_sizes = unsafe_splitting.unsafe_split_with_sizes
    unsafe_chunk = unsafe_splitting.unsafe_chunk
    chunk = splitting.chunk
    unbind = splitting.unbind
    tensor_split = splitting.tensor_split

    # Written elsewhere: the same with some elements changed
    masked_fill = masking.masked_fill
    masked_scatter = masking.masked_scatter
    index_put = putting.index_put
    index_add = index_writing.index_add
    index_copy = index_writing.index_copy
    index_fill = index_writing.index_fill
    index_reduce = scatter_reducing.index_reduce
    scatter = scattering.scatter
    scatter_add = scattering.scatter_add
    scatter_reduce = scatter_reducing.scatter_reduce

    # Matrices
    matmul = linalg.matmul
    mm = linalg.mm
    mv = linalg.mv
    dot = linalg.dot
    bmm = linalg.bmm
    outer = linalg.outer
    ger = vectors.ger
    inner = vectors.inner
    cross = vectors.cross

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
    new = legacy.new
    new_tensor = alike.new_tensor
    new_zeros = alike.new_zeros
    new_ones = alike.new_ones
    new_full = alike.new_full
    new_empty = alike.new_empty

    # Memory
    data_ptr = memory.data_ptr
    element_size = memory.element_size
    is_contiguous = memory.is_contiguous
    ndimension = memory.ndimension
    nelement = memory.nelement
    resize_ = memory.resize_
    resize_as_ = memory.resize_as_
    set_ = memory.set_
    storage = memory.storage
    storage_offset = memory.storage_offset
    stride = memory.stride
