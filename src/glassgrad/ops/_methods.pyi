# Written by `make stubs` (docs/stubs.py) from what the ops declare. Do not edit.
"""The methods of Tensor that ops declare."""

import builtins
from collections.abc import Sequence
from glassgrad.core.tensor import Tensor
from glassgrad.ops._arguments import Dims
from glassgrad.ops.arithmetic import Operand
from glassgrad.ops.generator import Generator
from glassgrad.ops.memory import Storage
from glassgrad.ops.shape import Dims
from glassgrad.values.dtypes import Number
from typing import Any

class OpMethods:

    def abs(self) -> Tensor:
        """`|input|`, element by element."""

    def abs_(self) -> Tensor:
        """`abs`, in place."""

    def absolute(self) -> Tensor:
        """`|input|`, element by element."""

    def absolute_(self) -> Tensor:
        """`abs`, in place."""

    def acos(self) -> Tensor:
        """The angle whose cosine is given, element by element."""

    def acos_(self) -> Tensor:
        """`acos`, in place."""

    def acosh(self) -> Tensor:
        """The inverse of `cosh`, element by element."""

    def acosh_(self) -> Tensor:
        """`acosh`, in place."""

    def add(self, other: Operand, *, alpha: builtins.float = 1) -> Tensor:
        """`input + alpha·other`, element by element."""

    def add_(self, other: Operand, *, alpha: builtins.float = 1) -> Tensor:
        """`add`, in place."""

    def addcdiv(self, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
        """`input + value·tensor1/tensor2`, element by element."""

    def addcdiv_(self, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
        """`addcdiv`, in place."""

    def addcmul(self, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
        """`input + value·tensor1·tensor2`, element by element."""

    def addcmul_(self, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
        """`addcmul`, in place."""

    def all(self, dim: Dims = None, keepdim: builtins.bool = False, *, axis: Dims = None, keepdims: builtins.bool | None = None) -> Tensor:
        """Whether all elements are not 0, of all or over some dims."""

    def allclose(self, other: Tensor, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08, *, equal_nan: builtins.bool = False) -> builtins.bool:
        """Whether all elements are close, as `isclose` says."""

    def amax(self, dim: Dims = None, keepdim: builtins.bool = False, *, axis: Dims = None, keepdims: builtins.bool | None = None) -> Tensor:
        """The largest element over some dims; unlike `max`, without indices."""

    def amin(self, dim: Dims = None, keepdim: builtins.bool = False, *, axis: Dims = None, keepdims: builtins.bool | None = None) -> Tensor:
        """The smallest element over some dims; everything else is as for `amax`."""

    def any(self, dim: Dims = None, keepdim: builtins.bool = False, *, axis: Dims = None, keepdims: builtins.bool | None = None) -> Tensor:
        """Whether any element is not 0, among all or over some dims."""

    def arccos(self) -> Tensor:
        """The angle whose cosine is given, element by element."""

    def arccos_(self) -> Tensor:
        """`acos`, in place."""

    def arccosh(self) -> Tensor:
        """The inverse of `cosh`, element by element."""

    def arccosh_(self) -> Tensor:
        """`acosh`, in place."""

    def arcsin(self) -> Tensor:
        """The angle whose sine is given, element by element."""

    def arcsin_(self) -> Tensor:
        """`asin`, in place."""

    def arcsinh(self) -> Tensor:
        """The inverse of `sinh`, element by element."""

    def arcsinh_(self) -> Tensor:
        """`asinh`, in place."""

    def arctan(self) -> Tensor:
        """The angle whose tangent is given, element by element; see `atan2`."""

    def arctan2(self, other: Tensor) -> Tensor:
        """The angle of the point `(other, input)`, element by element."""

    def arctan2_(self, other: Tensor) -> Tensor:
        """`atan2`, in place."""

    def arctan_(self) -> Tensor:
        """`atan`, in place."""

    def arctanh(self) -> Tensor:
        """The inverse of `tanh`, element by element."""

    def arctanh_(self) -> Tensor:
        """`atanh`, in place."""

    def argmax(self, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, axis: builtins.int | None = None, keepdims: builtins.bool | None = None) -> Tensor:
        """The index of the largest element: the first one, if there are several."""

    def argmin(self, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, axis: builtins.int | None = None, keepdims: builtins.bool | None = None) -> Tensor:
        """The index of the smallest element; everything else is as for `argmax`."""

    def as_strided(self, size: Sequence[builtins.int], stride: Sequence[builtins.int], storage_offset: builtins.int | None = None) -> Tensor:
        """A view of the memory of `input`, with any sizes and strides."""

    def asin(self) -> Tensor:
        """The angle whose sine is given, element by element."""

    def asin_(self) -> Tensor:
        """`asin`, in place."""

    def asinh(self) -> Tensor:
        """The inverse of `sinh`, element by element."""

    def asinh_(self) -> Tensor:
        """`asinh`, in place."""

    def atan(self) -> Tensor:
        """The angle whose tangent is given, element by element; see `atan2`."""

    def atan2(self, other: Tensor) -> Tensor:
        """The angle of the point `(other, input)`, element by element."""

    def atan2_(self, other: Tensor) -> Tensor:
        """`atan2`, in place."""

    def atan_(self) -> Tensor:
        """`atan`, in place."""

    def atanh(self) -> Tensor:
        """The inverse of `tanh`, element by element."""

    def atanh_(self) -> Tensor:
        """`atanh`, in place."""

    def bernoulli(self, p: builtins.float | None = None, *, generator: Generator | None = None) -> Tensor:
        """1 with the given probability, else 0, element by element."""

    def bernoulli_(self, p: builtins.float | Tensor = 0.5, *, generator: Generator | None = None) -> Tensor:
        """Fill `input` with ones and zeros; see `normal_`."""

    def bmm(self, mat2: Tensor) -> Tensor:
        """The products of two stacks of matrices, one by one."""

    def bool(self) -> Tensor:
        """`to(input, bool)`: which elements are not 0."""

    def broadcast_to(self, size: Sequence[builtins.int]) -> Tensor:
        """`expand(input, size)` under NumPy's name."""

    def ceil(self) -> Tensor:
        """The smallest integer that is not smaller, element by element."""

    def ceil_(self) -> Tensor:
        """`ceil`, in place."""

    def chunk(self, chunks: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """A tensor as (up to) so many parts of equal size, cut in one dim."""

    def clamp(self, min: Any = None, max: Any = None) -> Tensor:
        """`input`, no element smaller than `min` or larger than `max`."""

    def clamp_(self, min: Any = None, max: Any = None) -> Tensor:
        """`clamp`, in place."""

    def clamp_max(self, max: Any) -> Tensor:
        """`clamp` with an upper bound only."""

    def clamp_max_(self, max: Any) -> Tensor:
        """`clamp_max`, in place."""

    def clamp_min(self, min: Any) -> Tensor:
        """`clamp` with a lower bound only."""

    def clamp_min_(self, min: Any) -> Tensor:
        """`clamp_min`, in place."""

    def clip(self, min: Any = None, max: Any = None) -> Tensor:
        """`input`, no element smaller than `min` or larger than `max`."""

    def clip_(self, min: Any = None, max: Any = None) -> Tensor:
        """`clamp`, in place."""

    def clone(self) -> Tensor:
        """A copy with memory of its own; gradients flow through it."""

    def conj(self) -> Tensor:
        """The complex conjugate, element by element; a real tensor is its own."""

    def contiguous(self) -> Tensor:
        """`input` itself if its elements lie row by row in memory, else a copy in which they do."""

    def copy_(self, src: Tensor) -> Tensor:
        """Overwrite `input` with the values of `src`, converted to its dtype and moved to its device."""

    def cos(self) -> Tensor:
        """The cosine, element by element."""

    def cos_(self) -> Tensor:
        """`cos`, in place."""

    def cosh(self) -> Tensor:
        """The hyperbolic cosine, element by element."""

    def cosh_(self) -> Tensor:
        """`cosh`, in place."""

    def cov(self, *, correction: builtins.int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None) -> Tensor:
        """The covariances of variables: `C[i, j]` is the mean of (xᵢ − x̄ᵢ)·(xⱼ − x̄ⱼ)."""

    def cpu(self) -> Tensor:
        """`to(input, "cpu")`."""

    def cross(self, other: Tensor, dim: builtins.int | None = None) -> Tensor:
        """The vectors at right angles to two others in space, as long as the area between them."""

    def cuda(self, device: Any = None) -> Tensor:
        """`input` on a GPU."""

    def cumprod(self, dim: builtins.int | None = None, *, dtype: Any = None, axis: builtins.int | None = None) -> Tensor:
        """For each place the product of what is before it in a dim, and of the element itself."""

    def cumsum(self, dim: builtins.int | None = None, *, dtype: Any = None, axis: builtins.int | None = None) -> Tensor:
        """For each place the sum of what is before it in a dim, and of the element itself."""

    def data_ptr(self) -> builtins.int:
        """The address of the first element; 0 for a tensor without elements."""

    def detach_(self) -> Tensor:
        """Take the tensor itself out of the graph: it becomes a leaf that requires no grad."""

    def diag(self, diagonal: builtins.int = 0) -> Tensor:
        """A matrix with a vector on its diagonal; or the diagonal of a matrix, as a copy."""

    def diag_embed(self, offset: builtins.int = 0, dim1: builtins.int = -2, dim2: builtins.int = -1) -> Tensor:
        """Matrices with the vectors of the last dim on a diagonal, and zeros elsewhere."""

    def diagflat(self, offset: builtins.int = 0) -> Tensor:
        """A matrix with all elements on a diagonal, row by row, and zeros elsewhere."""

    def diagonal(self, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1) -> Tensor:
        """The diagonals of matrices."""

    def digamma(self) -> Tensor:
        """The derivative of `lgamma`, element by element."""

    def digamma_(self) -> Tensor:
        """`digamma`, in place."""

    def div(self, other: Operand) -> Tensor:
        """`input / other`, element by element."""

    def div_(self, other: Operand) -> Tensor:
        """`div`, in place."""

    def divide(self, other: Operand) -> Tensor:
        """`input / other`, element by element."""

    def divide_(self, other: Operand) -> Tensor:
        """`div`, in place."""

    def dot(self, tensor: Tensor) -> Tensor:
        """The inner product of two vectors."""

    def double(self) -> Tensor:
        """`to(input, float64)`."""

    def element_size(self) -> builtins.int:
        """Bytes per element."""

    def eq(self, other: Operand) -> Tensor:
        """`input == other`, element by element."""

    def eq_(self, other: Operand) -> Tensor:
        """`eq`, in place."""

    def equal(self, other: Tensor) -> builtins.bool:
        """Whether two tensors have one shape and the same elements."""

    def exp(self) -> Tensor:
        """`e ** input`, element by element."""

    def exp2(self) -> Tensor:
        """`2 ** input`, element by element."""

    def exp2_(self) -> Tensor:
        """`exp2`, in place."""

    def exp_(self) -> Tensor:
        """`exp`, in place."""

    def expand(self, *size: Any) -> Tensor:
        """Dims of size 1 stretched to any size, and new dims in front, without copying."""

    def expand_as(self, other: Tensor) -> Tensor:
        """`expand(input, other.shape)`."""

    def expm1(self) -> Tensor:
        """`e ** input - 1`, element by element, with all digits where `input` is small."""

    def expm1_(self) -> Tensor:
        """`expm1`, in place."""

    def fill_(self, value: Any) -> Tensor:
        """Overwrite `input` with one number."""

    def fix(self) -> Tensor:
        """The numbers without what is behind their point, element by element."""

    def fix_(self) -> Tensor:
        """`trunc`, in place."""

    def flatten(self, start_dim: builtins.int = 0, end_dim: builtins.int = -1) -> Tensor:
        """Some neighbouring dims as one."""

    def flip(self, *dims: Any) -> Tensor:
        """Some dims from back to front."""

    def float(self) -> Tensor:
        """`to(input, float32)`."""

    def floor(self) -> Tensor:
        """The largest integer that is not larger, element by element."""

    def floor_(self) -> Tensor:
        """`floor`, in place."""

    def frac(self) -> Tensor:
        """What is behind the point, with the sign of the number, element by element."""

    def frac_(self) -> Tensor:
        """`frac`, in place."""

    def gather(self, dim: builtins.int, index: Tensor) -> Tensor:
        """For each place of `index` one element of `input`: there in one dim, here in the others."""

    def ge(self, other: Operand) -> Tensor:
        """`input >= other`, element by element; see `eq`."""

    def ge_(self, other: Operand) -> Tensor:
        """`ge`, in place."""

    def ger(self, vec2: Tensor) -> Tensor:
        """All products of an element of `input` and one of `vec2`."""

    def gt(self, other: Operand) -> Tensor:
        """`input > other`, element by element; see `eq`."""

    def gt_(self, other: Operand) -> Tensor:
        """`gt`, in place."""

    def half(self) -> Tensor:
        """`to(input, float16)`."""

    def hypot(self, other: Tensor) -> Tensor:
        """The length of the vector `(input, other)`, element by element."""

    def hypot_(self, other: Tensor) -> Tensor:
        """`hypot`, in place."""

    def index_add(self, dim: builtins.int, index: Tensor, source: Tensor, *, alpha: Number = 1) -> Tensor:
        """`input` plus slices of `source`, each at the place that `index` names."""

    def index_add_(self, dim: builtins.int, index: Tensor, source: Tensor, *, alpha: Number = 1) -> Tensor:
        """`index_add`, in place."""

    def index_copy(self, dim: builtins.int, index: Tensor, source: Tensor) -> Tensor:
        """`input`, but slices of `source` at the places that `index` names."""

    def index_copy_(self, dim: builtins.int, index: Tensor, source: Tensor) -> Tensor:
        """`index_copy`, in place."""

    def index_fill(self, dim: builtins.int, index: Tensor, value: Number | Tensor) -> Tensor:
        """`input`, but one value in the slices that `index` names."""

    def index_fill_(self, dim: builtins.int, index: Tensor, value: Number | Tensor) -> Tensor:
        """`index_fill`, in place."""

    def index_put(self, indices: Sequence[Tensor], values: Tensor, accumulate: builtins.bool = False) -> Tensor:
        """`input`, but `values` at the places `[indices[0][k], indices[1][k], …]`."""

    def index_put_(self, indices: Sequence[Tensor], values: Tensor, accumulate: builtins.bool = False) -> Tensor:
        """`index_put`, in place."""

    def index_reduce(self, dim: builtins.int, index: Tensor, source: Tensor, reduce: str, *, include_self: builtins.bool = True) -> Tensor:
        """`input`, each slice reduced with those slices of `source` whose index names its place."""

    def index_reduce_(self, dim: builtins.int, index: Tensor, source: Tensor, reduce: str, *, include_self: builtins.bool = True) -> Tensor:
        """`index_reduce`, in place."""

    def index_select(self, dim: builtins.int, index: Tensor) -> Tensor:
        """Some elements of a dim, in the order of `index`."""

    def inner(self, other: Tensor) -> Tensor:
        """The dot products of all vectors of one tensor with all of another; they lie in the last dim."""

    def int(self) -> Tensor:
        """`to(input, int32)`; fractions are cut off."""

    def is_contiguous(self) -> builtins.bool:
        """Whether the elements lie in memory one behind the other, row by row."""

    def isclose(self, other: Tensor, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08, *, equal_nan: builtins.bool = False) -> Tensor:
        """`|input - other| <= atol + rtol·|other|`, element by element."""

    def isfinite(self) -> Tensor:
        """Which elements are neither nan nor infinite."""

    def isin(self, test_elements: Operand, *, assume_unique: builtins.bool = False, invert: builtins.bool = False) -> Tensor:
        """Which elements are among the test elements."""

    def isinf(self) -> Tensor:
        """Which elements are inf or -inf."""

    def isnan(self) -> Tensor:
        """Which elements are nan."""

    def le(self, other: Operand) -> Tensor:
        """`input <= other`, element by element; see `eq`."""

    def le_(self, other: Operand) -> Tensor:
        """`le`, in place."""

    def lerp(self, end: Tensor, weight: Tensor | Number) -> Tensor:
        """The point that lies `weight` of the way from `input` to `end`."""

    def lerp_(self, end: Tensor, weight: Tensor | Number) -> Tensor:
        """`lerp`, in place."""

    def lgamma(self) -> Tensor:
        """The logarithm of the absolute value of the gamma function, element by element."""

    def lgamma_(self) -> Tensor:
        """`lgamma`, in place."""

    def log(self) -> Tensor:
        """The natural logarithm, element by element."""

    def log10(self) -> Tensor:
        """The logarithm to the base 10, element by element."""

    def log10_(self) -> Tensor:
        """`log10`, in place."""

    def log1p(self) -> Tensor:
        """The natural logarithm of `1 + input`, with all digits where `input` is small."""

    def log1p_(self) -> Tensor:
        """`log1p`, in place."""

    def log2(self) -> Tensor:
        """The logarithm to the base 2, element by element."""

    def log2_(self) -> Tensor:
        """`log2`, in place."""

    def log_(self) -> Tensor:
        """`log`, in place."""

    def log_softmax(self, dim: builtins.int = -1, *, dtype: Any = None) -> Tensor:
        """The logarithm of `softmax`, exact where softmax itself rounds to 0."""

    def logical_and(self, other: Tensor) -> Tensor:
        """Whether both are not 0, element by element."""

    def logical_not(self) -> Tensor:
        """Whether it is 0, element by element."""

    def logical_or(self, other: Tensor) -> Tensor:
        """Whether one or both are not 0, element by element; see `logical_and`."""

    def logical_xor(self, other: Tensor) -> Tensor:
        """Whether exactly one is not 0, element by element; see `logical_and`."""

    def logit(self, eps: builtins.float | None = None) -> Tensor:
        """The logarithm of the odds `p / (1 - p)`, element by element: the inverse of `sigmoid`."""

    def logit_(self, eps: builtins.float | None = None) -> Tensor:
        """`logit`, in place."""

    def logsumexp(self, dim: Dims, keepdim: builtins.bool = False, *, keepdims: builtins.bool | None = None) -> Tensor:
        """`log(sum(exp(input)))` without overflow: the largest element is taken out first."""

    def long(self) -> Tensor:
        """`to(input, int64)`; fractions are cut off."""

    def lt(self, other: Operand) -> Tensor:
        """`input < other`, element by element; see `eq`."""

    def lt_(self, other: Operand) -> Tensor:
        """`lt`, in place."""

    def masked_fill(self, mask: Tensor, value: Number | Tensor) -> Tensor:
        """`value` where the mask says so, `input` elsewhere."""

    def masked_fill_(self, mask: Tensor, value: Number | Tensor) -> Tensor:
        """`masked_fill`, in place."""

    def masked_scatter(self, mask: Tensor, source: Tensor) -> Tensor:
        """The elements of `source`, one after the other, where the mask says so; `input` elsewhere."""

    def masked_scatter_(self, mask: Tensor, source: Tensor) -> Tensor:
        """`masked_scatter`, in place."""

    def masked_select(self, mask: Tensor) -> Tensor:
        """The elements where the mask says so, row by row."""

    def matmul(self, other: Tensor) -> Tensor:
        """The matrix product `input @ other`."""

    def max(self, dim: builtins.int | Tensor | None = None, keepdim: builtins.bool = False, *, axis: builtins.int | Tensor | None = None, keepdims: builtins.bool | None = None) -> Any:
        """The largest of all elements; with a dim, the largest along it and their indices."""

    def maximum(self, other: Operand) -> Tensor:
        """The larger of two values, element by element."""

    def mean(self, dim: Dims = None, keepdim: builtins.bool = False, *, dtype: Any = None, axis: Dims = None, keepdims: builtins.bool | None = None) -> Tensor:
        """The mean of all elements, or over some dims."""

    def median(self, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, axis: builtins.int | None = None, keepdims: builtins.bool | None = None) -> Any:
        """The element in the middle of all; with a dim, those along it and their indices."""

    def min(self, dim: builtins.int | Tensor | None = None, keepdim: builtins.bool = False, *, axis: builtins.int | Tensor | None = None, keepdims: builtins.bool | None = None) -> Any:
        """The smallest of all elements; with a dim, the smallest along it and their indices."""

    def minimum(self, other: Operand) -> Tensor:
        """The smaller of two values, element by element; everything else is as for `maximum`."""

    def mm(self, mat2: Tensor) -> Tensor:
        """The product of two matrices."""

    def movedim(self, source: Dims, destination: Dims) -> Tensor:
        """Some dims at other places; the others keep their order."""

    def mul(self, other: Operand) -> Tensor:
        """`input · other`, element by element."""

    def mul_(self, other: Operand) -> Tensor:
        """`mul`, in place."""

    def multinomial(self, num_samples: builtins.int, replacement: builtins.bool = False, *, generator: Generator | None = None) -> Tensor:
        """Classes chosen at random."""

    def multiply(self, other: Operand) -> Tensor:
        """`input · other`, element by element."""

    def multiply_(self, other: Operand) -> Tensor:
        """`mul`, in place."""

    def mv(self, vec: Tensor) -> Tensor:
        """The product of a matrix and a vector."""

    def nanmedian(self, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, axis: builtins.int | None = None, keepdims: builtins.bool | None = None) -> Any:
        """`median` of all elements but nan; of nothing else it is nan."""

    def narrow(self, dim: builtins.int, start: builtins.int, length: builtins.int) -> Tensor:
        """A range of a dim."""

    def ndimension(self) -> builtins.int:
        """The number of dims; `dim` under another name."""

    def ne(self, other: Operand) -> Tensor:
        """`input != other`, element by element; see `eq`."""

    def ne_(self, other: Operand) -> Tensor:
        """`ne`, in place."""

    def neg(self) -> Tensor:
        """`-input`, element by element."""

    def neg_(self) -> Tensor:
        """`neg`, in place."""

    def negative(self) -> Tensor:
        """`-input`, element by element."""

    def negative_(self) -> Tensor:
        """`neg`, in place."""

    def nelement(self) -> builtins.int:
        """The number of elements; `numel` under another name."""

    def new(self, *args: Any) -> Tensor:
        """A tensor of the dtype of `input`, of sizes or of values."""

    def new_empty(self, *size: Any, dtype: Any = None, device: Any = None, requires_grad: builtins.bool = False) -> Tensor:
        """`empty`, in the dtype and on the device of `input`."""

    def new_full(self, size: Sequence[builtins.int], fill_value: Number | Tensor, *, dtype: Any = None, device: Any = None, requires_grad: builtins.bool = False) -> Tensor:
        """`full`, in the dtype and on the device of `input`."""

    def new_ones(self, *size: Any, dtype: Any = None, device: Any = None, requires_grad: builtins.bool = False) -> Tensor:
        """`ones`, in the dtype and on the device of `input`."""

    def new_tensor(self, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: builtins.bool = False) -> Tensor:
        """`tensor`, in the dtype and on the device of `input`."""

    def new_zeros(self, *size: Any, dtype: Any = None, device: Any = None, requires_grad: builtins.bool = False) -> Tensor:
        """`zeros`, in the dtype and on the device of `input`."""

    def normal_(self, mean: builtins.float = 0, std: builtins.float = 1, *, generator: Generator | None = None) -> Tensor:
        """Fill `input` from a normal distribution."""

    def outer(self, vec2: Tensor) -> Tensor:
        """All products of an element of `input` and one of `vec2`."""

    def permute(self, *dims: Any) -> Tensor:
        """The dims in another order."""

    def polygamma(self, n: builtins.int) -> Tensor:
        """The `n`-th derivative of `digamma`, element by element."""

    def polygamma_(self, n: builtins.int) -> Tensor:
        """`polygamma`, in place."""

    def pow(self, exponent: Operand) -> Tensor:
        """`input ** exponent`, element by element."""

    def pow_(self, exponent: Operand) -> Tensor:
        """`pow`, in place."""

    def prod(self, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, dtype: Any = None, axis: builtins.int | None = None, keepdims: builtins.bool | None = None) -> Tensor:
        """The product of all elements, or along one dim."""

    def random_(self, from_: builtins.int | None = None, to: builtins.int | None = None, *, generator: Generator | None = None) -> Tensor:
        """Fill `input` with integers, all equally likely; see `normal_`."""

    def ravel(self) -> Tensor:
        """All elements in one dim, row by row; a copy only if memory demands it."""

    def reciprocal(self) -> Tensor:
        """`1 / input`, element by element."""

    def reciprocal_(self) -> Tensor:
        """`reciprocal`, in place."""

    def relu(self, inplace: builtins.bool = False) -> Tensor:
        """`max(input, 0)`, element by element."""

    def relu_(self) -> Tensor:
        """`relu`, in place."""

    def repeat(self, *repeats: Any) -> Tensor:
        """Copies of a tensor side by side."""

    def reshape(self, *shape: Any) -> Tensor:
        """The same elements in another shape, row by row."""

    def reshape_as(self, other: Tensor) -> Tensor:
        """`reshape(input, other.shape)`."""

    def resize_(self, *size: Any) -> Tensor:
        """Another size for the tensor itself, on the memory it has, or on more."""

    def resize_as_(self, the_template: Tensor) -> Tensor:
        """`resize_` to the size of another tensor."""

    def roll(self, shifts: Dims, dims: Dims | None = None) -> Tensor:
        """Elements moved along some dims; what leaves at the end comes back at the start."""

    def round(self, *, decimals: builtins.int = 0) -> Tensor:
        """The nearest integer, element by element; halves go to the even one."""

    def round_(self, *, decimals: builtins.int = 0) -> Tensor:
        """`round`, in place."""

    def rsqrt(self) -> Tensor:
        """`1 / sqrt(input)`, element by element."""

    def rsqrt_(self) -> Tensor:
        """`rsqrt`, in place."""

    def scatter(self, dim: builtins.int, index: Tensor, src: Tensor | Number | None = None, *, value: Number | None = None) -> Tensor:
        """`input`, but elements of `src` (or one value) at the places that `index` names along a dim."""

    def scatter_(self, dim: builtins.int, index: Tensor, src: Tensor | Number | None = None, *, value: Number | None = None) -> Tensor:
        """`scatter`, in place."""

    def scatter_add(self, dim: builtins.int, index: Tensor, src: Tensor) -> Tensor:
        """`input` plus the elements of `src`, each at the place that `index` names along a dim."""

    def scatter_add_(self, dim: builtins.int, index: Tensor, src: Tensor) -> Tensor:
        """`scatter_add`, in place."""

    def scatter_reduce(self, dim: builtins.int, index: Tensor, src: Tensor, reduce: str, *, include_self: builtins.bool = True) -> Tensor:
        """`input`, each element reduced with those elements of `src` whose index names its place."""

    def scatter_reduce_(self, dim: builtins.int, index: Tensor, src: Tensor, reduce: str, *, include_self: builtins.bool = True) -> Tensor:
        """`scatter_reduce`, in place."""

    def select(self, dim: builtins.int, index: builtins.int) -> Tensor:
        """One element of a dim, which is then gone."""

    def set_(self, source: Tensor | None = None) -> Tensor:
        """Let the tensor itself show the memory of another one."""

    def sigmoid(self) -> Tensor:
        """`1 / (1 + exp(-input))`, element by element, without overflow."""

    def sigmoid_(self) -> Tensor:
        """`sigmoid`, in place."""

    def sign(self) -> Tensor:
        """-1, 0 or 1, element by element; its gradient is 0."""

    def sign_(self) -> Tensor:
        """`sign`, in place."""

    def signbit(self) -> Tensor:
        """Which elements have the sign bit set: negative ones, and -0.0."""

    def sin(self) -> Tensor:
        """The sine, element by element."""

    def sin_(self) -> Tensor:
        """`sin`, in place."""

    def sinh(self) -> Tensor:
        """The hyperbolic sine, element by element."""

    def sinh_(self) -> Tensor:
        """`sinh`, in place."""

    def softmax(self, dim: builtins.int = -1, *, dtype: Any = None) -> Tensor:
        """Positive numbers that sum to 1 along a dim: `exp(input)`, normalised."""

    def split(self, split_size_or_sections: builtins.int | Sequence[builtins.int], dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """A tensor as several, cut in one dim."""

    def split_with_sizes(self, split_sizes: Sequence[builtins.int], dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """`split` by a list of sizes."""

    def sqrt(self) -> Tensor:
        """The square root, element by element."""

    def sqrt_(self) -> Tensor:
        """`sqrt`, in place."""

    def square(self) -> Tensor:
        """`input ** 2`, element by element."""

    def square_(self) -> Tensor:
        """`square`, in place."""

    def squeeze(self, dim: Dims | None = None) -> Tensor:
        """Leave out dims of size 1."""

    def squeeze_(self, dim: Dims | None = None) -> Tensor:
        """`squeeze`, in place."""

    def std(self, dim: Dims = None, unbiased: builtins.bool | None = None, keepdim: builtins.bool = False, *, correction: builtins.float | None = 1, axis: Dims = None, keepdims: builtins.bool | None = None) -> Tensor:
        """The standard deviation: the square root of `var`, with the same arguments."""

    def storage(self) -> Storage:
        """The memory of `input`, as a sequence of elements that can be asked for its place and size."""

    def storage_offset(self) -> builtins.int:
        """How many elements of its base's memory come before the first of a view."""

    def stride(self, dim: builtins.int | None = None) -> Any:
        """How many elements of memory lie between neighbours along each dim, or along one."""

    def sub(self, other: Operand, *, alpha: builtins.float = 1) -> Tensor:
        """`input - alpha·other`, element by element."""

    def sub_(self, other: Operand, *, alpha: builtins.float = 1) -> Tensor:
        """`sub`, in place."""

    def subtract(self, other: Operand, *, alpha: builtins.float = 1) -> Tensor:
        """`input - alpha·other`, element by element."""

    def subtract_(self, other: Operand, *, alpha: builtins.float = 1) -> Tensor:
        """`sub`, in place."""

    def sum(self, dim: Dims = None, keepdim: builtins.bool = False, *, dtype: Any = None, axis: Dims = None, keepdims: builtins.bool | None = None) -> Tensor:
        """The sum of all elements, or over some dims."""

    def swapaxes(self, axis0: builtins.int, axis1: builtins.int) -> Tensor:
        """`transpose` under NumPy's name."""

    def swapaxes_(self, axis0: builtins.int, axis1: builtins.int) -> Tensor:
        """`transpose_` under NumPy's name."""

    def t(self) -> Tensor:
        """A matrix transposed; a vector or a 0-d tensor as it is."""

    def t_(self) -> Tensor:
        """`t`, in place."""

    def tan(self) -> Tensor:
        """The tangent, element by element."""

    def tan_(self) -> Tensor:
        """`tan`, in place."""

    def tanh(self) -> Tensor:
        """The hyperbolic tangent, element by element."""

    def tanh_(self) -> Tensor:
        """`tanh`, in place."""

    def tensor_split(self, indices_or_sections: builtins.int | Sequence[builtins.int] | Tensor, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """A tensor cut into so many parts of nearly equal size, or at given places."""

    def tile(self, *dims: Dims) -> Tensor:
        """`repeat`, with ones put in front if there are fewer numbers than dims."""

    def to(self, *args: Any, dtype: Any = None, device: Any = None, copy: builtins.bool = False, non_blocking: builtins.bool = False) -> Tensor:
        """Another dtype, another device, or both."""

    def trace(self) -> Tensor:
        """The sum of the diagonal of a matrix."""

    def transpose(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """Two dims swapped."""

    def transpose_(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """`transpose`, in place."""

    def tril(self, diagonal: builtins.int = 0) -> Tensor:
        """The lower triangles of matrices, with zeros above."""

    def triu(self, diagonal: builtins.int = 0) -> Tensor:
        """The upper triangles of matrices, with zeros below; see `tril`."""

    def true_divide(self, other: Operand) -> Tensor:
        """`input / other`, element by element."""

    def true_divide_(self, other: Operand) -> Tensor:
        """`div`, in place."""

    def trunc(self) -> Tensor:
        """The numbers without what is behind their point, element by element."""

    def trunc_(self) -> Tensor:
        """`trunc`, in place."""

    def type(self, dtype: Any = None) -> Tensor | str:
        """The old name of a tensor's dtype; with `dtype`, the tensor converted to it."""

    def type_as(self, other: Tensor) -> Tensor:
        """`input` in the dtype, and on the device, of `other`."""

    def unbind(self, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """The elements of a dim as tensors of their own."""

    def unflatten(self, dim: builtins.int, sizes: Sequence[builtins.int]) -> Tensor:
        """One dim as several."""

    def unfold(self, dimension: builtins.int, size: builtins.int, step: builtins.int) -> Tensor:
        """Windows of a dim, without a copy."""

    def uniform_(self, from_: builtins.float = 0, to: builtins.float = 1, *, generator: Generator | None = None) -> Tensor:
        """Fill `input` with numbers from `from_` up to `to`, all equally likely; see `normal_`."""

    def unsafe_chunk(self, chunks: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """`chunk` into parts as `unsafe_split` gives them."""

    def unsafe_split(self, split_size: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """`split` into parts that are no views, so that each may be written in place."""

    def unsafe_split_with_sizes(self, split_sizes: Sequence[builtins.int], dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """`unsafe_split` by a list of sizes."""

    def unsqueeze(self, dim: builtins.int) -> Tensor:
        """A new dim of size 1."""

    def unsqueeze_(self, dim: builtins.int) -> Tensor:
        """`unsqueeze`, in place."""

    def var(self, dim: Dims = None, unbiased: builtins.bool | None = None, keepdim: builtins.bool = False, *, correction: builtins.float | None = 1, axis: Dims = None, keepdims: builtins.bool | None = None) -> Tensor:
        """The variance of all elements, or over some dims."""

    def view(self, *shape: Any) -> Tensor:
        """The same elements in another shape, always sharing memory."""

    def view_as(self, other: Tensor) -> Tensor:
        """`view(input, other.shape)`."""

    def where(self, condition: Tensor, other: Any = None) -> Any:
        """`input` where `condition` holds, `other` elsewhere; or the places where it holds."""

    def zero_(self) -> Tensor:
        """Overwrite `input` with zeros; see `fill_`."""
