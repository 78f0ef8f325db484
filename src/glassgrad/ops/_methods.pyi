# Written by `make stubs` (docs/stubs.py) from what the ops declare. Do not edit.
"""The methods of Tensor that ops declare."""

import builtins
from collections.abc import Callable, Iterator, Sequence
from glassgrad.core.state import Func
from glassgrad.core.tensor import Tensor
from glassgrad.ops._arguments import Dims, Operand
from glassgrad.ops.elementary import FrexpReturn
from glassgrad.ops.generator import Generator
from glassgrad.ops.memory import Storage, TypedStorage, UntypedStorage, contiguous_format
from glassgrad.ops.norms import Order
from glassgrad.ops.ordering import AminmaxReturn, CummaxReturn, CumminReturn, HistogramReturn, KthvalueReturn, ModeReturn, SortReturn, TopkReturn
from glassgrad.ops.shape import Ints
from glassgrad.values.dtypes import Number
from typing import Any

class OpMethods:

    @property
    def H(self) -> Tensor:
        """`x.H`: a matrix transposed, and its elements conjugated; a 0-d tensor is conjugated."""

    @property
    def T(self) -> Tensor:
        """`x.T`: the dims in reversed order."""

    def __abs__(self) -> Tensor:
        """`|input|`, element by element."""

    __add__: Func

    def __and__(self, other: Operand) -> Tensor:
        """`input & other`, bit by bit."""

    def __dlpack__(self, *, stream: Any = None, max_version: tuple[builtins.int, builtins.int] | None = None, dl_device: tuple[builtins.int, builtins.int] | None = None, copy: builtins.bool | None = None) -> Any:
        """`x.__dlpack__()`: a capsule with the memory of `input`, for the library that asked."""

    def __dlpack_device__(self) -> tuple[builtins.int, builtins.int]:
        """`x.__dlpack_device__()`: (device type, device index) in DLPack's numbers."""

    __eq__: Func

    def __floordiv__(self, other: Operand) -> Tensor:
        """`input // other`, as in Python: `div` rounded down."""

    __ge__: Func

    def __getitem__(self, index: Any) -> Tensor:
        """`input[index]`."""

    __gt__: Func

    __iadd__: Func

    def __iand__(self, other: Operand) -> Tensor:
        """`bitwise_and`, in place."""

    def __ifloordiv__(self, other: Operand) -> Tensor:
        """`floor_divide`, in place."""

    def __ilshift__(self, other: Operand) -> Tensor:
        """`bitwise_left_shift`, in place."""

    def __imod__(self, other: Operand) -> Tensor:
        """`remainder`, in place."""

    __imul__: Func

    def __invert__(self, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
        """`~input`: not for bools, all bits turned for integers."""

    def __ior__(self, other: Operand) -> Tensor:
        """`bitwise_or`, in place."""

    def __ipow__(self, exponent: Operand) -> Tensor:
        """`pow`, in place."""

    def __irshift__(self, other: Operand) -> Tensor:
        """`bitwise_right_shift`, in place."""

    __isub__: Func

    def __iter__(self) -> Iterator[Tensor]:
        """What `for row in x` runs over: the elements of the first dim."""

    __itruediv__: Func

    def __ixor__(self, other: Operand) -> Tensor:
        """`bitwise_xor`, in place."""

    __le__: Func

    def __lshift__(self, other: Operand) -> Tensor:
        """`input << other`: all bits moved up; see `bitwise_and` for the arguments."""

    __lt__: Func

    def __matmul__(self, other: Tensor) -> Tensor:
        """The matrix product `input @ other`."""

    def __mod__(self, other: Operand) -> Tensor:
        """`input % other`, as in Python: what is left of a division that is rounded down."""

    __mul__: Func

    __ne__: Func

    def __neg__(self) -> Tensor:
        """`-input`, element by element."""

    def __or__(self, other: Operand) -> Tensor:
        """`input | other`, bit by bit; see `bitwise_and`."""

    def __pos__(self) -> Tensor:
        """`+input`: the tensor itself."""

    def __pow__(self, exponent: Operand) -> Tensor:
        """`input ** exponent`, element by element."""

    __radd__: Func

    def __rand__(self, input: Operand) -> Tensor:
        """`bitwise_and`, with `self` second."""

    def __rfloordiv__(self, input: Operand) -> Tensor:
        """`floor_divide`, with `self` second."""

    def __rlshift__(self, input: Operand) -> Tensor:
        """`bitwise_left_shift`, with `self` second."""

    def __rmatmul__(self, input: Tensor) -> Tensor:
        """`matmul`, with `self` second."""

    def __rmod__(self, input: Operand) -> Tensor:
        """`remainder`, with `self` second."""

    __rmul__: Func

    def __ror__(self, input: Operand) -> Tensor:
        """`bitwise_or`, with `self` second."""

    def __rpow__(self, input: Operand) -> Tensor:
        """`pow`, with `self` second."""

    def __rrshift__(self, input: Operand) -> Tensor:
        """`bitwise_right_shift`, with `self` second."""

    def __rshift__(self, other: Operand) -> Tensor:
        """`input >> other`: all bits moved down; see `bitwise_and` for the arguments."""

    def __rsub__(self, other: Operand, *, alpha: builtins.float = 1) -> Tensor:
        """`other - alpha·input`, element by element: what `1 - x` does."""

    def __rtruediv__(self, other: Operand) -> Tensor:
        ...

    def __rxor__(self, input: Operand) -> Tensor:
        """`bitwise_xor`, with `self` second."""

    def __setitem__(self, index: Any, value: Any) -> None:
        """`input[index] = value`."""

    __sub__: Func

    __truediv__: Func

    def __xor__(self, other: Operand) -> Tensor:
        """`input ^ other`, bit by bit; see `bitwise_and`."""

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

    def add_(self, other: Operand, last: Tensor | None = None, *, alpha: builtins.float = 1) -> Tensor:
        """`add`, in place."""

    def addbmm(self, batch1: Tensor, batch2: Tensor, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> Tensor:
        """`beta·input + alpha·bmm(batch1, batch2).sum(0)`; see `addmm`."""

    def addbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> Tensor:
        """`addbmm`, in place."""

    def addcdiv(self, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
        """`input + value·tensor1/tensor2`, element by element."""

    def addcdiv_(self, tensor1: Tensor, tensor2: Tensor, last: Tensor | None = None, *, value: Number = 1) -> Tensor:
        """`addcdiv`, in place."""

    def addcmul(self, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
        """`input + value·tensor1·tensor2`, element by element."""

    def addcmul_(self, tensor1: Tensor, tensor2: Tensor, last: Tensor | None = None, *, value: Number = 1) -> Tensor:
        """`addcmul`, in place."""

    def addmm(self, mat1: Tensor, mat2: Tensor, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> Tensor:
        """`beta·input + alpha·(mat1 @ mat2)`."""

    def addmm_(self, mat1: Tensor, mat2: Tensor, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> Tensor:
        """`addmm`, in place."""

    def addmv(self, mat: Tensor, vec: Tensor, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> Tensor:
        """`beta·input + alpha·(mat @ vec)`; see `addmm`."""

    def addmv_(self, mat: Tensor, vec: Tensor, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> Tensor:
        """`addmv`, in place."""

    def addr(self, vec1: Tensor, vec2: Tensor, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> Tensor:
        """`beta·input + alpha·outer(vec1, vec2)`; see `addmm`."""

    def addr_(self, vec1: Tensor, vec2: Tensor, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> Tensor:
        """`addr`, in place."""

    def adjoint(self) -> Tensor:
        """Each matrix of a batch transposed, and its elements conjugated."""

    def all(self, dim: Dims = None, keepdim: builtins.bool = False, *, axis: Dims = None, keepdims: builtins.bool | None = None) -> Tensor:
        """Whether all elements are not 0, of all or over some dims."""

    def allclose(self, other: Tensor, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08, *, equal_nan: builtins.bool = False) -> builtins.bool:
        """Whether all elements are close, as `isclose` says."""

    def amax(self, dim: Dims = None, keepdim: builtins.bool = False, *, axis: Dims = None, keepdims: builtins.bool | None = None) -> Tensor:
        """The largest element over some dims; unlike `max`, without indices."""

    def amin(self, dim: Dims = None, keepdim: builtins.bool = False, *, axis: Dims = None, keepdims: builtins.bool | None = None) -> Tensor:
        """The smallest element over some dims; everything else is as for `amax`."""

    def aminmax(self, *, dim: builtins.int | None = None, keepdim: builtins.bool = False, axis: builtins.int | None = None, keepdims: builtins.bool | None = None) -> AminmaxReturn:
        """The smallest and the largest of all elements, or along a dim."""

    def angle(self) -> Tensor:
        """The angle of complex numbers in radians, element by element."""

    def any(self, dim: Dims = None, keepdim: builtins.bool = False, *, axis: Dims = None, keepdims: builtins.bool | None = None) -> Tensor:
        """Whether any element is not 0, among all or over some dims."""

    def apply_(self, callable: Callable[[Any], Any]) -> Tensor:
        """Replace each element by what a function of Python returns for it. Slow; on the CPU."""

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

    def argsort(self, dim: builtins.int = -1, descending: builtins.bool = False, stable: builtins.bool = False, *, axis: builtins.int | None = None) -> Tensor:
        """The indices that sort along a dim: those of `sort`."""

    def argwhere(self) -> Tensor:
        """`nonzero(input)` under NumPy's name."""

    def as_strided(self, size: Sequence[builtins.int], stride: Sequence[builtins.int], storage_offset: builtins.int | None = None) -> Tensor:
        """A view of the memory of `input`, with any sizes and strides."""

    def as_strided_(self, size: Sequence[builtins.int], stride: Sequence[builtins.int], storage_offset: builtins.int | None = None) -> Tensor:
        """`as_strided`, in place: `input` shows other elements of its memory."""

    def as_strided_scatter(self, src: Tensor, size: Sequence[builtins.int], stride: Sequence[builtins.int], storage_offset: builtins.int | None = None) -> Tensor:
        """`input` with `src` in the place of what `as_strided` shows of it."""

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

    def baddbmm(self, batch1: Tensor, batch2: Tensor, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> Tensor:
        """`beta·input + alpha·bmm(batch1, batch2)`; see `addmm`."""

    def baddbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> Tensor:
        """`baddbmm`, in place."""

    def bernoulli(self, p: builtins.float | None = None, *, generator: Generator | None = None) -> Tensor:
        """1 with the given probability, else 0, element by element."""

    def bernoulli_(self, p: builtins.float | Tensor = 0.5, *, generator: Generator | None = None) -> Tensor:
        """Fill `input` with ones and zeros; see `normal_`."""

    def bincount(self, weights: Tensor | None = None, minlength: builtins.int = 0) -> Tensor:
        """How often each integer from 0 on is there."""

    def bitwise_and(self, other: Operand) -> Tensor:
        """`input & other`, bit by bit."""

    def bitwise_and_(self, other: Operand) -> Tensor:
        """`bitwise_and`, in place."""

    def bitwise_left_shift(self, other: Operand) -> Tensor:
        """`input << other`: all bits moved up; see `bitwise_and` for the arguments."""

    def bitwise_left_shift_(self, other: Operand) -> Tensor:
        """`bitwise_left_shift`, in place."""

    def bitwise_not(self) -> Tensor:
        """`~input`: not for bools, all bits turned for integers."""

    def bitwise_not_(self) -> Tensor:
        """`bitwise_not`, in place."""

    def bitwise_or(self, other: Operand) -> Tensor:
        """`input | other`, bit by bit; see `bitwise_and`."""

    def bitwise_or_(self, other: Operand) -> Tensor:
        """`bitwise_or`, in place."""

    def bitwise_right_shift(self, other: Operand) -> Tensor:
        """`input >> other`: all bits moved down; see `bitwise_and` for the arguments."""

    def bitwise_right_shift_(self, other: Operand) -> Tensor:
        """`bitwise_right_shift`, in place."""

    def bitwise_xor(self, other: Operand) -> Tensor:
        """`input ^ other`, bit by bit; see `bitwise_and`."""

    def bitwise_xor_(self, other: Operand) -> Tensor:
        """`bitwise_xor`, in place."""

    def bmm(self, mat2: Tensor) -> Tensor:
        """The products of two stacks of matrices, one by one."""

    def bool(self, memory_format: Any = None) -> Tensor:
        """`to(input, bool)`."""

    def broadcast_to(self, *shape: Any, size: Any = None) -> Tensor:
        """`expand(input, size)` under NumPy's name."""

    def byte(self, memory_format: Any = None) -> Tensor:
        """`to(input, uint8)`; fractions are cut off."""

    def cauchy_(self, median: builtins.float = 0, sigma: builtins.float = 1, *, generator: Generator | None = None) -> Tensor:
        """Fill `input` from a Cauchy distribution, which has a median but no mean; see `normal_`."""

    def cdouble(self, memory_format: Any = None) -> Tensor:
        """`to(input, complex128)`."""

    def ceil(self) -> Tensor:
        """The smallest integer that is not smaller, element by element."""

    def ceil_(self) -> Tensor:
        """`ceil`, in place."""

    def cfloat(self, memory_format: Any = None) -> Tensor:
        """`to(input, complex64)`."""

    def char(self, memory_format: Any = None) -> Tensor:
        """`to(input, int8)`; fractions are cut off."""

    def cholesky(self, upper: builtins.bool = False) -> Tensor:
        """The same as `linalg.cholesky`."""

    def cholesky_inverse(self, upper: builtins.bool = False) -> Tensor:
        """The inverses of A = L·Lᴴ, given the triangle L; see `cholesky_solve`."""

    def cholesky_solve(self, L: Tensor, upper: builtins.bool = False) -> Tensor:
        """The solutions X of A·X = B, given the triangle L of A = L·Lᴴ."""

    def chunk(self, chunks: builtins.int, dim: builtins.int = 0, *, axis: builtins.int | None = None) -> tuple[Tensor, ...]:
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

    def clone(self, *, memory_format: Any = None) -> Tensor:
        """A copy with memory of its own; gradients flow through it."""

    def combinations(self, r: builtins.int = 2, with_replacement: builtins.bool = False) -> Tensor:
        """All ways to take `r` elements of a vector, in their order."""

    def conj(self) -> Tensor:
        """The complex conjugate, element by element; a real tensor is its own."""

    def conj_physical(self) -> Tensor:
        """`conj`, which is not put off here: PyTorch's name for that."""

    def conj_physical_(self) -> Tensor:
        """`conj_physical`, in place."""

    def contiguous(self, memory_format: Any = None) -> Tensor:
        """`input` itself if its elements lie row by row in memory, else a copy in which they do."""

    def copy_(self, src: Operand) -> Tensor:
        """Overwrite `input` with the values of `src`, converted to its dtype and moved to its device."""

    def copysign(self, other: Operand) -> Tensor:
        """The size of `input` with the sign of `other`, element by element."""

    def copysign_(self, other: Operand) -> Tensor:
        """`copysign`, in place."""

    def corrcoef(self) -> Tensor:
        """The correlations of variables: their covariances, divided by both standard deviations."""

    def cos(self) -> Tensor:
        """The cosine, element by element."""

    def cos_(self) -> Tensor:
        """`cos`, in place."""

    def cosh(self) -> Tensor:
        """The hyperbolic cosine, element by element."""

    def cosh_(self) -> Tensor:
        """`cosh`, in place."""

    def count_nonzero(self, dim: Dims = None, *, axis: Dims = None) -> Tensor:
        """How many elements are not 0, of all or over some dims."""

    def cov(self, *, correction: builtins.int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None) -> Tensor:
        """The covariances of variables: `C[i, j]` is the mean of (xᵢ − x̄ᵢ)·(xⱼ − x̄ⱼ)."""

    def cpu(self, memory_format: Any = None) -> Tensor:
        """`to(input, "cpu")`."""

    def cross(self, other: Tensor, dim: builtins.int | None = None) -> Tensor:
        """The vectors at right angles to two others in space, as long as the area between them."""

    def cuda(self, device: Any = None, non_blocking: builtins.bool = False, memory_format: Any = None) -> Tensor:
        """`input` on a GPU."""

    def cummax(self, dim: builtins.int) -> CummaxReturn:
        """For each place, the largest element up to it in a dim, and its index."""

    def cummin(self, dim: builtins.int) -> CumminReturn:
        """For each place, the smallest element up to it in a dim, and its index; see `cummax`."""

    def cumprod(self, dim: builtins.int = ..., *, dtype: Any = None, axis: builtins.int | None = None) -> Tensor:
        """For each place the product of what is before it in a dim, and of the element itself."""

    def cumprod_(self, dim: builtins.int, *, dtype: Any = None) -> Tensor:
        """`cumprod`, in place."""

    def cumsum(self, dim: builtins.int = ..., *, dtype: Any = None, axis: builtins.int | None = None) -> Tensor:
        """For each place the sum of what is before it in a dim, and of the element itself."""

    def cumsum_(self, dim: builtins.int, *, dtype: Any = None) -> Tensor:
        """`cumsum`, in place."""

    def data_ptr(self) -> builtins.int:
        """The address of the first element; 0 for a tensor without elements."""

    def deg2rad(self) -> Tensor:
        """Angles in radians, of angles in degrees."""

    def deg2rad_(self) -> Tensor:
        """`deg2rad`, in place."""

    def det(self) -> Tensor:
        """The determinants of matrices."""

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

    def diagonal_scatter(self, src: Tensor, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1) -> Tensor:
        """`input` with `src` in the place of diagonals."""

    def diff(self, n: builtins.int = 1, dim: builtins.int = -1, prepend: Tensor | None = None, append: Tensor | None = None, *, axis: builtins.int | None = None) -> Tensor:
        """How much larger than the one before it each element of a dim is."""

    def digamma(self) -> Tensor:
        """The derivative of `lgamma`, element by element."""

    def digamma_(self) -> Tensor:
        """`digamma`, in place."""

    def dist(self, other: Tensor, p: builtins.float = 2) -> Tensor:
        """The length of the difference of two tensors."""

    def div(self, other: Operand, *, rounding_mode: str | None = None) -> Tensor:
        """`input / other`, element by element."""

    def div_(self, other: Operand, *, rounding_mode: str | None = None) -> Tensor:
        """`div`, in place."""

    def divide(self, other: Operand, *, rounding_mode: str | None = None) -> Tensor:
        """`input / other`, element by element."""

    def divide_(self, other: Operand, *, rounding_mode: str | None = None) -> Tensor:
        """`div`, in place."""

    def dot(self, tensor: Tensor) -> Tensor:
        """The inner product of two vectors."""

    def double(self, memory_format: Any = None) -> Tensor:
        """`to(input, float64)`."""

    def dsplit(self, indices_or_sections: builtins.int | Sequence[builtins.int]) -> tuple[Tensor, ...]:
        """A tensor cut along its third dim; see `hsplit`."""

    def eq(self, other: Operand) -> Tensor:
        """`input == other`, element by element."""

    def eq_(self, other: Operand) -> Tensor:
        """`eq`, in place."""

    def equal(self, other: Tensor) -> builtins.bool:
        """Whether two tensors have one shape and the same elements."""

    def erf(self) -> Tensor:
        """The error function `2/√π·∫ exp(−t²) dt` from 0 to `input`, element by element."""

    def erf_(self) -> Tensor:
        """`erf`, in place."""

    def erfc(self) -> Tensor:
        """`1 - erf(input)`, with all digits where that is small; see `erf`."""

    def erfc_(self) -> Tensor:
        """`erfc`, in place."""

    def erfinv(self) -> Tensor:
        """The inverse of `erf`, element by element: inf at 1, nan beyond."""

    def erfinv_(self) -> Tensor:
        """`erfinv`, in place."""

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

    def exponential(self, lambd: builtins.float = 1, *, generator: Generator | None = None) -> Tensor:
        """`exponential_`, in a new tensor of the shape and dtype of `input`."""

    def exponential_(self, lambd: builtins.float = 1, *, generator: Generator | None = None) -> Tensor:
        """Fill `input` with waiting times: numbers above 0, of mean `1 / lambd`; see `normal_`."""

    def fill_(self, value: Any) -> Tensor:
        """Overwrite `input` with one number."""

    def fill_diagonal_(self, fill_value: Number | Tensor, wrap: builtins.bool = False) -> Tensor:
        """Overwrite the diagonal of `input` with one number."""

    def fix(self) -> Tensor:
        """The numbers without what is behind their point, element by element."""

    def fix_(self) -> Tensor:
        """`trunc`, in place."""

    def flatten(self, start_dim: builtins.int = 0, end_dim: builtins.int = -1) -> Tensor:
        """Some neighbouring dims as one."""

    def flip(self, *given: Any, dims: Ints = ()) -> Tensor:
        """`flip(input, dims)`, the dims as numbers or as one sequence."""

    def fliplr(self) -> Tensor:
        """The columns from right to left: `flip(input, 1)`."""

    def flipud(self) -> Tensor:
        """The rows from the last to the first: `flip(input, 0)`."""

    def float(self, memory_format: Any = None) -> Tensor:
        """`to(input, float32)`."""

    def float_power(self, exponent: Operand) -> Tensor:
        """`pow` of float64, or of complex128 where one of both is complex."""

    def float_power_(self, exponent: Operand) -> Tensor:
        """`float_power`, in place."""

    def floor(self) -> Tensor:
        """The largest integer that is not larger, element by element."""

    def floor_(self) -> Tensor:
        """`floor`, in place."""

    def floor_divide(self, other: Operand) -> Tensor:
        """`input // other`, as in Python: `div` rounded down."""

    def floor_divide_(self, other: Operand) -> Tensor:
        """`floor_divide`, in place."""

    def fmax(self, other: Tensor) -> Tensor:
        """The larger of two values, element by element; a number if the other one is nan."""

    def fmin(self, other: Tensor) -> Tensor:
        """The smaller of two values, element by element; everything else is as for `fmax`."""

    def fmod(self, other: Operand) -> Tensor:
        """What is left of a division that is rounded towards 0; it has the sign of `input`."""

    def fmod_(self, other: Operand) -> Tensor:
        """`fmod`, in place."""

    def frac(self) -> Tensor:
        """What is behind the point, with the sign of the number, element by element."""

    def frac_(self) -> Tensor:
        """`frac`, in place."""

    def frexp(self) -> FrexpReturn:
        """Each number as a mantissa from ½ to 1, and a power of 2."""

    def gather(self, dim: builtins.int = ..., index: Tensor = ..., *, sparse_grad: builtins.bool = False, axis: builtins.int | None = None) -> Tensor:
        """For each place of `index` one element of `input`: there in one dim, here in the others."""

    def gcd(self, other: Tensor) -> Tensor:
        """The greatest common divisor, element by element."""

    def gcd_(self, other: Tensor) -> Tensor:
        """`gcd`, in place."""

    def ge(self, other: Operand) -> Tensor:
        """`input >= other`, element by element; see `eq`."""

    def ge_(self, other: Operand) -> Tensor:
        """`ge`, in place."""

    def geometric_(self, p: builtins.float, *, generator: Generator | None = None) -> Tensor:
        """Fill `input` with the number of trials, each of which succeeds with probability `p`, up to"""

    def geqrf(self) -> Any:
        """The factors of A = Q·R as LAPACK has them: R, and the reflections whose product is Q."""

    def ger(self, vec2: Tensor) -> Tensor:
        """All products of an element of `input` and one of `vec2`."""

    def get_device(self) -> builtins.int:
        """The number of the GPU that `input` is on; -1 on the CPU."""

    def greater(self, other: Operand) -> Tensor:
        """`input > other`, element by element; see `eq`."""

    def greater_(self, other: Operand) -> Tensor:
        """`gt`, in place."""

    def greater_equal(self, other: Operand) -> Tensor:
        """`input >= other`, element by element; see `eq`."""

    def greater_equal_(self, other: Operand) -> Tensor:
        """`ge`, in place."""

    def gt(self, other: Operand) -> Tensor:
        """`input > other`, element by element; see `eq`."""

    def gt_(self, other: Operand) -> Tensor:
        """`gt`, in place."""

    def half(self, memory_format: Any = None) -> Tensor:
        """`to(input, float16)`."""

    def hardshrink(self, lambd: builtins.float = 0.5) -> Tensor:
        """`input` where it is further from 0 than `lambd`, 0 elsewhere."""

    def heaviside(self, values: Tensor) -> Tensor:
        """The step from 0 to 1: 0 below 0, 1 above, `values` there, element by element."""

    def heaviside_(self, values: Tensor) -> Tensor:
        """`heaviside`, in place."""

    def histc(self, bins: builtins.int = 100, min: builtins.float = 0, max: builtins.float = 0) -> Tensor:
        """How many elements lie in each of some bins of one width."""

    def histogram(self, bins: Tensor | builtins.int = 100, *, range: Sequence[builtins.float] | None = None, weight: Tensor | None = None, density: builtins.bool = False) -> HistogramReturn:
        """How many elements lie in each of some bins, and where these begin and end."""

    def hsplit(self, indices_or_sections: builtins.int | Sequence[builtins.int]) -> tuple[Tensor, ...]:
        """A tensor cut along its columns, as `tensor_split` cuts; a vector along its elements."""

    def hypot(self, other: Tensor) -> Tensor:
        """The length of the vector `(input, other)`, element by element."""

    def hypot_(self, other: Tensor) -> Tensor:
        """`hypot`, in place."""

    def i0(self) -> Tensor:
        """The modified Bessel function of the first kind of order 0, element by element."""

    def i0_(self) -> Tensor:
        """`i0`, in place."""

    def igamma(self, other: Tensor) -> Tensor:
        """The lower incomplete gamma function, divided by the whole one, element by element."""

    def igamma_(self, other: Tensor) -> Tensor:
        """`igamma`, in place."""

    def igammac(self, other: Tensor) -> Tensor:
        """The upper incomplete gamma function, divided by the whole one: `1 - igamma(input, other)`."""

    def igammac_(self, other: Tensor) -> Tensor:
        """`igammac`, in place."""

    @property
    def imag(self) -> Tensor:
        """The imaginary parts, element by element; `x.imag` is the same."""

    @imag.setter
    def imag(self, value: Any) -> None: ...

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

    def int(self, memory_format: Any = None) -> Tensor:
        """`to(input, int32)`; fractions are cut off."""

    def inverse(self) -> Tensor:
        """The same as `linalg.inv`."""

    def is_complex(self) -> builtins.bool:
        """Whether the elements are complex numbers."""

    def is_contiguous(self, *, memory_format: Any = contiguous_format) -> builtins.bool:
        """Whether the elements lie in memory one behind the other, row by row."""

    def is_floating_point(self) -> builtins.bool:
        """Whether the elements are real fractions."""

    def is_nonzero(self) -> builtins.bool:
        """Whether the only element is not 0."""

    def is_same_size(self, other: Tensor) -> builtins.bool:
        """Whether both have the same shape."""

    def is_set_to(self, tensor: Tensor) -> builtins.bool:
        """Whether both show the same memory in the same form."""

    def is_signed(self) -> builtins.bool:
        """Whether the elements may be negative."""

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

    def isneginf(self) -> Tensor:
        """Which elements are -inf; see `isposinf`."""

    def isposinf(self) -> Tensor:
        """Which elements are inf."""

    def isreal(self) -> Tensor:
        """Which elements have no imaginary part; all of a real tensor."""

    def istft(self, n_fft: builtins.int, hop_length: builtins.int | None = None, win_length: builtins.int | None = None, window: Tensor | None = None, center: builtins.bool = True, normalized: builtins.bool = False, onesided: builtins.bool | None = None, length: builtins.int | None = None, return_complex: builtins.bool = False) -> Tensor:
        """The way back from `stft`: the signal whose pieces have these transforms, or the nearest one."""

    def kron(self, other: Tensor) -> Tensor:
        """The Kronecker product: each element of `input` times all of `other`, in its place."""

    def kthvalue(self, k: builtins.int, dim: builtins.int = -1, keepdim: builtins.bool = False, *, axis: builtins.int | None = None, keepdims: builtins.bool | None = None) -> KthvalueReturn:
        """The `k`-th smallest element along a dim, and where it is."""

    def lcm(self, other: Tensor) -> Tensor:
        """The least common multiple, element by element; see `gcd`."""

    def lcm_(self, other: Tensor) -> Tensor:
        """`lcm`, in place."""

    def ldexp(self, other: Tensor) -> Tensor:
        """`input · 2**other`, element by element: the inverse of `frexp`."""

    def ldexp_(self, other: Tensor) -> Tensor:
        """`ldexp`, in place."""

    def le(self, other: Operand) -> Tensor:
        """`input <= other`, element by element; see `eq`."""

    def le_(self, other: Operand) -> Tensor:
        """`le`, in place."""

    def lerp(self, end: Tensor, weight: Tensor | Number) -> Tensor:
        """The point that lies `weight` of the way from `input` to `end`."""

    def lerp_(self, end: Tensor, weight: Tensor | Number) -> Tensor:
        """`lerp`, in place."""

    def less(self, other: Operand) -> Tensor:
        """`input < other`, element by element; see `eq`."""

    def less_(self, other: Operand) -> Tensor:
        """`lt`, in place."""

    def less_equal(self, other: Operand) -> Tensor:
        """`input <= other`, element by element; see `eq`."""

    def less_equal_(self, other: Operand) -> Tensor:
        """`le`, in place."""

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

    def log_normal_(self, mean: builtins.float = 1, std: builtins.float = 2, *, generator: Generator | None = None) -> Tensor:
        """Fill `input` with numbers whose logarithms are from a normal distribution; see `normal_`."""

    def log_softmax(self, dim: builtins.int = ..., dtype: Any = None, *, axis: builtins.int | None = None) -> Tensor:
        """The logarithm of `softmax`, exact where softmax itself rounds to 0."""

    def logaddexp(self, other: Tensor) -> Tensor:
        """`log(exp(input) + exp(other))` without overflow, element by element."""

    def logaddexp2(self, other: Tensor) -> Tensor:
        """`log2(2**input + 2**other)` without overflow, element by element; see `logaddexp`."""

    def logcumsumexp(self, dim: builtins.int = ..., *, axis: builtins.int | None = None) -> Tensor:
        """For each place `logsumexp` of what is before it in a dim, and of the element itself."""

    def logdet(self) -> Tensor:
        """The logarithms of determinants; nan where one is negative."""

    def logical_and(self, other: Tensor) -> Tensor:
        """Whether both are not 0, element by element."""

    def logical_and_(self, other: Tensor) -> Tensor:
        """`logical_and`, in place."""

    def logical_not(self) -> Tensor:
        """Whether it is 0, element by element."""

    def logical_not_(self) -> Tensor:
        """`logical_not`, in place."""

    def logical_or(self, other: Tensor) -> Tensor:
        """Whether one or both are not 0, element by element; see `logical_and`."""

    def logical_or_(self, other: Tensor) -> Tensor:
        """`logical_or`, in place."""

    def logical_xor(self, other: Tensor) -> Tensor:
        """Whether exactly one is not 0, element by element; see `logical_and`."""

    def logical_xor_(self, other: Tensor) -> Tensor:
        """`logical_xor`, in place."""

    def logit(self, eps: builtins.float | None = None) -> Tensor:
        """The logarithm of the odds `p / (1 - p)`, element by element: the inverse of `sigmoid`."""

    def logit_(self, eps: builtins.float | None = None) -> Tensor:
        """`logit`, in place."""

    def logsumexp(self, dim: Dims = ..., keepdim: builtins.bool = False, *, axis: Dims = None, keepdims: builtins.bool | None = None) -> Tensor:
        """`log(sum(exp(input)))` without overflow: the largest element is taken out first."""

    def long(self, memory_format: Any = None) -> Tensor:
        """`to(input, int64)`; fractions are cut off."""

    def lt(self, other: Operand) -> Tensor:
        """`input < other`, element by element; see `eq`."""

    def lt_(self, other: Operand) -> Tensor:
        """`lt`, in place."""

    def lu(self, pivot: builtins.bool = True, get_infos: builtins.bool = False) -> Any:
        """`linalg.lu_factor`; with `get_infos`, `linalg.lu_factor_ex`."""

    def lu_solve(self, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
        """`linalg.lu_solve(LU_data, LU_pivots, input)`."""

    def lu_unpack(self, LU_pivots: Tensor, unpack_data: builtins.bool = True, unpack_pivots: builtins.bool = True) -> Any:
        """The permutation and the triangles that `linalg.lu_factor` returns in one matrix."""

    @property
    def mH(self) -> Tensor:
        """`x.mH`: each matrix of a batch transposed, and its elements conjugated; see `mT`."""

    @property
    def mT(self) -> Tensor:
        """`x.mT`: each matrix of a batch transposed."""

    def map_(self, tensor: Tensor, callable: Callable[[Any, Any], Any]) -> Tensor:
        """Replace each element by what a function returns for it and that of another tensor. Slow."""

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

    def matrix_exp(self) -> Tensor:
        """The exponentials of matrices: Σₖ Aᵏ/k!."""

    def matrix_power(self, n: builtins.int) -> Tensor:
        """The matrices multiplied with themselves: `n` of them."""

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

    def mode(self, dim: builtins.int = -1, keepdim: builtins.bool = False, *, axis: builtins.int | None = None, keepdims: builtins.bool | None = None) -> ModeReturn:
        """The most frequent element along a dim, and where it is."""

    def moveaxis(self, source: Ints, destination: Ints) -> Tensor:
        """Some dims at other places; the others keep their order."""

    def movedim(self, source: Ints, destination: Ints) -> Tensor:
        """Some dims at other places; the others keep their order."""

    def msort(self) -> Tensor:
        """The elements along the first dim in ascending order."""

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

    def mvlgamma(self, p: builtins.int) -> Tensor:
        """The logarithm of the gamma function of symmetric matrices of `p` rows, element by element."""

    def mvlgamma_(self, p: builtins.int) -> Tensor:
        """`mvlgamma`, in place."""

    def nan_to_num(self, nan: builtins.float | None = None, posinf: builtins.float | None = None, neginf: builtins.float | None = None) -> Tensor:
        """Numbers in place of nan, inf and -inf, element by element."""

    def nan_to_num_(self, nan: builtins.float | None = None, posinf: builtins.float | None = None, neginf: builtins.float | None = None) -> Tensor:
        """`nan_to_num`, in place."""

    def nanmean(self, dim: Dims = None, keepdim: builtins.bool = False, *, dtype: Any = None, axis: Dims = None, keepdims: builtins.bool | None = None) -> Tensor:
        """`mean` of all elements but nan; of nothing else it is nan."""

    def nanmedian(self, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, axis: builtins.int | None = None, keepdims: builtins.bool | None = None) -> Any:
        """`median` of all elements but nan; of nothing else it is nan."""

    def nanquantile(self, q: Tensor | builtins.float, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, interpolation: str = 'linear', axis: builtins.int | None = None, keepdims: builtins.bool | None = None) -> Tensor:
        """`quantile` of all elements but nan; of nothing else it is nan."""

    def nansum(self, dim: Dims = None, keepdim: builtins.bool = False, *, dtype: Any = None, axis: Dims = None, keepdims: builtins.bool | None = None) -> Tensor:
        """`sum` of all elements but nan; a nan has gradient 0."""

    def narrow(self, dim: builtins.int, start: builtins.int | Tensor, length: builtins.int) -> Tensor:
        """A range of a dim."""

    def narrow_copy(self, dim: builtins.int, start: builtins.int, length: builtins.int) -> Tensor:
        """A copy of what `narrow` shows."""

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

    def new(self, *args: Any) -> Tensor:
        """A tensor of the dtype of `input`, of sizes or of values."""

    def new_empty(self, *sizes: Any, memory_format: Any = None, dtype: Any = None, device: Any = None, requires_grad: builtins.bool = False, size: Any = None, layout: Any = None, pin_memory: builtins.bool | None = None) -> Tensor:
        """`empty`, in the dtype and on the device of `input`."""

    def new_empty_strided(self, size: Sequence[builtins.int], stride: Sequence[builtins.int], *, dtype: Any = None, device: Any = None, requires_grad: builtins.bool = False, layout: Any = None, pin_memory: builtins.bool | None = None) -> Tensor:
        """`empty_strided`, in the dtype and on the device of `input`."""

    def new_full(self, size: Sequence[builtins.int], fill_value: Number | Tensor, *, dtype: Any = None, device: Any = None, requires_grad: builtins.bool = False, layout: Any = None, pin_memory: builtins.bool | None = None) -> Tensor:
        """`full`, in the dtype and on the device of `input`."""

    def new_ones(self, *sizes: Any, dtype: Any = None, device: Any = None, requires_grad: builtins.bool = False, size: Any = None, layout: Any = None, pin_memory: builtins.bool | None = None) -> Tensor:
        """`ones`, in the dtype and on the device of `input`."""

    def new_tensor(self, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: builtins.bool = False, layout: Any = None, pin_memory: builtins.bool | None = None) -> Tensor:
        """`tensor`, in the dtype and on the device of `input`."""

    def new_zeros(self, *sizes: Any, dtype: Any = None, device: Any = None, requires_grad: builtins.bool = False, size: Any = None, layout: Any = None, pin_memory: builtins.bool | None = None) -> Tensor:
        """`zeros`, in the dtype and on the device of `input`."""

    def nextafter(self, other: Tensor) -> Tensor:
        """The next number that the dtype has, on the way from `input` to `other`."""

    def nextafter_(self, other: Tensor) -> Tensor:
        """`nextafter`, in place."""

    def nonzero(self, *, as_tuple: builtins.bool = False) -> Any:
        """The places of all elements that are not 0, row by row."""

    def nonzero_static(self, *, size: builtins.int, fill_value: builtins.int = -1) -> Tensor:
        """The first places of elements that are not 0, as many as asked for."""

    def norm(self, p: Order = 'fro', dim: Dims = None, keepdim: builtins.bool = False, dtype: Any = None) -> Tensor:
        """The length of all elements, or of those along some dims."""

    def normal_(self, mean: builtins.float = 0, std: builtins.float = 1, *, generator: Generator | None = None) -> Tensor:
        """Fill `input` from a normal distribution."""

    def not_equal(self, other: Operand) -> Tensor:
        """`input != other`, element by element; see `eq`."""

    def not_equal_(self, other: Operand) -> Tensor:
        """`ne`, in place."""

    def orgqr(self, tau: Tensor) -> Tensor:
        """The first columns of products of reflections 1 − τ·v·vᴴ."""

    def ormqr(self, tau: Tensor, other: Tensor, left: builtins.bool = True, transpose: builtins.bool = False) -> Tensor:
        """The product of `other` and Q, the matrix that `geqrf` has written down as reflections."""

    def outer(self, vec2: Tensor) -> Tensor:
        """All products of an element of `input` and one of `vec2`."""

    def permute(self, *dims: Any) -> Tensor:
        """The dims in another order."""

    def pinverse(self, rcond: builtins.float = 1e-15) -> Tensor:
        """The same as `linalg.pinv`, but for its tolerance."""

    def polygamma(self, n: builtins.int) -> Tensor:
        """The `n`-th derivative of `digamma`, element by element."""

    def polygamma_(self, n: builtins.int) -> Tensor:
        """`polygamma`, in place."""

    def positive(self) -> Tensor:
        """`+input`: the tensor itself."""

    def pow(self, exponent: Operand) -> Tensor:
        """`input ** exponent`, element by element."""

    def pow_(self, exponent: Operand) -> Tensor:
        """`pow`, in place."""

    def prelu(self, weight: Tensor) -> Tensor:
        """`leaky_relu` with a learned slope, one for all or one for each channel."""

    def prod(self, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, dtype: Any = None, axis: builtins.int | None = None, keepdims: builtins.bool | None = None) -> Tensor:
        """The product of all elements, or along one dim."""

    def put(self, index: Tensor, source: Tensor, accumulate: builtins.bool = False) -> Tensor:
        """`input` with other elements at places counted row by row."""

    def put_(self, index: Tensor, source: Tensor, accumulate: builtins.bool = False) -> Tensor:
        """`put`, in place."""

    def qr(self, some: builtins.bool = True) -> Any:
        """`linalg.qr`; `some=False` stands for mode="complete"."""

    def quantile(self, q: Tensor | builtins.float, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, interpolation: str = 'linear', axis: builtins.int | None = None, keepdims: builtins.bool | None = None) -> Tensor:
        """The value below which a share `q` of the elements lies."""

    def rad2deg(self) -> Tensor:
        """Angles in degrees, of angles in radians; see `deg2rad`."""

    def rad2deg_(self) -> Tensor:
        """`rad2deg`, in place."""

    def random_(self, from_: builtins.int | None = None, to: builtins.int | None = None, *, generator: Generator | None = None) -> Tensor:
        """Fill `input` with integers, all equally likely; see `normal_`."""

    def ravel(self) -> Tensor:
        """All elements in one dim, row by row; a copy only if memory demands it."""

    @property
    def real(self) -> Tensor:
        """The real parts, element by element; `x.real` is the same."""

    @real.setter
    def real(self, value: Any) -> None: ...

    def reciprocal(self) -> Tensor:
        """`1 / input`, element by element."""

    def reciprocal_(self) -> Tensor:
        """`reciprocal`, in place."""

    def relu(self, inplace: builtins.bool = False) -> Tensor:
        """`max(input, 0)`, element by element."""

    def relu_(self) -> Tensor:
        """`relu`, in place."""

    def remainder(self, other: Operand) -> Tensor:
        """`input % other`, as in Python: what is left of a division that is rounded down."""

    def remainder_(self, other: Operand) -> Tensor:
        """`remainder`, in place."""

    def renorm(self, p: builtins.float, dim: builtins.int = ..., maxnorm: builtins.float = ..., *, axis: builtins.int | None = None) -> Tensor:
        """Each slice of `input` along `dim`, made as short as `maxnorm` if it is longer."""

    def renorm_(self, p: builtins.float, dim: builtins.int, maxnorm: builtins.float) -> Tensor:
        """`renorm`, in place."""

    def repeat(self, *repeats: Any) -> Tensor:
        """Copies of a tensor side by side."""

    def repeat_interleave(self, repeats: Tensor | builtins.int | None = None, dim: builtins.int | None = None, *, output_size: builtins.int | None = None, axis: builtins.int | None = None) -> Tensor:
        """Each element several times, one behind the other."""

    def reshape(self, *shape: Any) -> Tensor:
        """The same elements in another shape, row by row."""

    def reshape_as(self, other: Tensor) -> Tensor:
        """`reshape(input, other.shape)`."""

    def resize_(self, *size: Any) -> Tensor:
        """Another size for the tensor itself, on the memory it has, or on more."""

    def resize_as_(self, the_template: Tensor) -> Tensor:
        """`resize_` to the size of another tensor."""

    def resolve_conj(self) -> Tensor:
        """`input` itself: `conj` conjugates at once here, so there is nothing left to do."""

    def resolve_neg(self) -> Tensor:
        """`input` itself: `conj` conjugates at once here, so there is nothing left to do."""

    def roll(self, shifts: Ints, dims: Ints | None = None) -> Tensor:
        """Elements moved along some dims; what leaves at the end comes back at the start."""

    def rot90(self, k: builtins.int = 1, dims: Sequence[builtins.int] = (0, 1)) -> Tensor:
        """A plane turned by quarters, from its first dim towards its second."""

    def round(self, *, decimals: builtins.int = 0) -> Tensor:
        """The nearest integer, element by element; halves go to the even one."""

    def round_(self, *, decimals: builtins.int = 0) -> Tensor:
        """`round`, in place."""

    def rsqrt(self) -> Tensor:
        """`1 / sqrt(input)`, element by element."""

    def rsqrt_(self) -> Tensor:
        """`rsqrt`, in place."""

    def scatter(self, dim: builtins.int, index: Tensor, src: Tensor | Number | None = None, *, value: Number | None = None, reduce: str | None = None) -> Tensor:
        """`input`, but elements of `src` (or one value) at the places that `index` names along a dim."""

    def scatter_(self, dim: builtins.int, index: Tensor, src: Tensor | Number | None = None, *, value: Number | None = None, reduce: str | None = None) -> Tensor:
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

    def select_scatter(self, src: Tensor, dim: builtins.int, index: builtins.int) -> Tensor:
        """`input` with `src` in the place of one element of a dim."""

    def set_(self, source: Tensor | Storage | None = None, storage_offset: builtins.int = 0, size: Sequence[builtins.int] | None = None, stride: Sequence[builtins.int] | None = None) -> Tensor:
        """Let the tensor itself show the memory of another one."""

    def sgn(self) -> Tensor:
        """The direction of complex numbers, x/|x|, element by element; of real ones the sign."""

    def sgn_(self) -> Tensor:
        """`sgn`, in place."""

    def short(self, memory_format: Any = None) -> Tensor:
        """`to(input, int16)`; fractions are cut off."""

    def sigmoid(self) -> Tensor:
        """`1 / (1 + exp(-input))`, element by element, without overflow."""

    def sigmoid_(self) -> Tensor:
        """`sigmoid`, in place."""

    def sign(self) -> Tensor:
        """-1, 0 or 1, element by element; its gradient is 0. Bools are what they are."""

    def sign_(self) -> Tensor:
        """`sign`, in place."""

    def signbit(self) -> Tensor:
        """Which elements have the sign bit set: negative ones, and -0.0."""

    def sin(self) -> Tensor:
        """The sine, element by element."""

    def sin_(self) -> Tensor:
        """`sin`, in place."""

    def sinc(self) -> Tensor:
        """The cardinal sine `sin(π·x) / (π·x)`, element by element: 1 at 0, where its gradient is 0."""

    def sinc_(self) -> Tensor:
        """`sinc`, in place."""

    def sinh(self) -> Tensor:
        """The hyperbolic sine, element by element."""

    def sinh_(self) -> Tensor:
        """`sinh`, in place."""

    def slice(self, dim: builtins.int = 0, start: builtins.int | None = None, end: builtins.int | None = None, step: builtins.int = 1) -> Tensor:
        """What `x[…, start:end:step]` is, in a dim."""

    def slice_scatter(self, src: Tensor, dim: builtins.int = 0, start: builtins.int | None = None, end: builtins.int | None = None, step: builtins.int = 1) -> Tensor:
        """`input` with `src` in the place of a range of a dim."""

    def slogdet(self) -> Any:
        """The signs of determinants, and the logarithms of their absolute values."""

    def softmax(self, dim: builtins.int = ..., dtype: Any = None, *, axis: builtins.int | None = None) -> Tensor:
        """Positive numbers that sum to 1 along a dim: `exp(input)`, normalised."""

    def sort(self, dim: builtins.int = -1, descending: builtins.bool = False, stable: builtins.bool | None = None, *, axis: builtins.int | None = None) -> SortReturn:
        """The elements along a dim in ascending order, and where they were."""

    def split(self, split_size: Any, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """`split(input, split_size, dim)`."""

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

    def squeeze(self, dim: Ints | None = None, *, axis: Ints | None = None) -> Tensor:
        """Leave out dims of size 1."""

    def squeeze_(self, dim: Ints | None = None) -> Tensor:
        """`squeeze`, in place."""

    def std(self, dim: Dims = None, unbiased: builtins.bool | None = None, keepdim: builtins.bool = False, *, correction: builtins.float | None = 1, axis: Dims = None, keepdims: builtins.bool | None = None) -> Tensor:
        """The standard deviation: the square root of `var`, with the same arguments."""

    def stft(self, n_fft: builtins.int, hop_length: builtins.int | None = None, win_length: builtins.int | None = None, window: Tensor | None = None, center: builtins.bool = True, pad_mode: str = 'reflect', normalized: builtins.bool = False, onesided: builtins.bool | None = None, return_complex: builtins.bool | None = None) -> Tensor:
        """The transforms of the pieces of a signal: which frequencies it has, and when."""

    def storage(self) -> TypedStorage:
        """The memory of `input`, as a sequence of elements that can be asked for its place and size."""

    def storage_offset(self) -> builtins.int:
        """How many elements of the memory in which it lies come before its first."""

    def stride(self, dim: builtins.int | None = None) -> Any:
        """How many elements of memory lie between neighbours along each dim, or along one."""

    def sub(self, other: Operand, *, alpha: builtins.float = 1) -> Tensor:
        """`input - alpha·other`, element by element."""

    def sub_(self, other: Operand, last: Tensor | None = None, *, alpha: builtins.float = 1) -> Tensor:
        """`sub`, in place."""

    def subtract(self, other: Operand, *, alpha: builtins.float = 1) -> Tensor:
        """`input - alpha·other`, element by element."""

    def subtract_(self, other: Operand, last: Tensor | None = None, *, alpha: builtins.float = 1) -> Tensor:
        """`sub`, in place."""

    def sum(self, dim: Dims = None, keepdim: builtins.bool = False, *, dtype: Any = None, axis: Dims = None, keepdims: builtins.bool | None = None) -> Tensor:
        """The sum of all elements, or over some dims."""

    def sum_to_size(self, *size: Any) -> Tensor:
        """The sum over the dims that `expand` would have stretched: its reverse."""

    def svd(self, some: builtins.bool = True, compute_uv: builtins.bool = True) -> Any:
        """`linalg.svd`, with the columns V in place of the rows Vh."""

    def swapaxes(self, axis0: builtins.int, axis1: builtins.int) -> Tensor:
        """`transpose` under NumPy's name."""

    def swapaxes_(self, axis0: builtins.int, axis1: builtins.int) -> Tensor:
        """`transpose_` under NumPy's name."""

    def swapdims(self, axis0: builtins.int, axis1: builtins.int) -> Tensor:
        """`transpose` under NumPy's name."""

    def swapdims_(self, axis0: builtins.int, axis1: builtins.int) -> Tensor:
        """`transpose_` under NumPy's name."""

    def t(self) -> Tensor:
        """A matrix transposed; a vector or a 0-d tensor as it is."""

    def t_(self) -> Tensor:
        """`t`, in place."""

    def take(self, index: Tensor) -> Tensor:
        """The elements at places counted row by row, whatever shape `input` has."""

    def take_along_dim(self, indices: Tensor, dim: builtins.int | None = None) -> Tensor:
        """`gather`, where `input` and `indices` broadcast in all dims but `dim`."""

    def tan(self) -> Tensor:
        """The tangent, element by element."""

    def tan_(self) -> Tensor:
        """`tan`, in place."""

    def tanh(self) -> Tensor:
        """The hyperbolic tangent, element by element."""

    def tanh_(self) -> Tensor:
        """`tanh`, in place."""

    def tensor_split(self, indices_or_sections: builtins.int | Sequence[builtins.int] | Tensor, dim: builtins.int = 0, *, axis: builtins.int | None = None) -> tuple[Tensor, ...]:
        """A tensor cut into so many parts of nearly equal size, or at given places."""

    def tile(self, *dims: Ints) -> Tensor:
        """`repeat`, with ones put in front if there are fewer numbers than dims."""

    def to(self, *args: Any, dtype: Any = None, device: Any = None, non_blocking: builtins.bool = False, copy: builtins.bool = False, memory_format: Any = None) -> Tensor:
        """Another dtype, another device, another order in memory."""

    def to_dense(self, dtype: Any = None, *, masked_grad: builtins.bool | None = None) -> Tensor:
        """The tensor itself: it has its zeros; that of a sparse one is with them."""

    def to_sparse(self, sparse_dim: builtins.int | None = None) -> Tensor:
        """The elements that are not 0, as a sparse tensor."""

    def topk(self, k: builtins.int, dim: builtins.int = -1, largest: builtins.bool = True, sorted: builtins.bool = True, *, axis: builtins.int | None = None) -> TopkReturn:
        """The `k` largest elements along a dim, the largest first, and where they were."""

    def trace(self) -> Tensor:
        """The sum of the diagonal of a matrix."""

    def transpose(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """Two dims swapped."""

    def transpose_(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """`transpose`, in place."""

    def tril(self, diagonal: builtins.int = 0) -> Tensor:
        """The lower triangles of matrices, with zeros above."""

    def tril_(self, diagonal: builtins.int = 0) -> Tensor:
        """`tril`, in place."""

    def triu(self, diagonal: builtins.int = 0) -> Tensor:
        """The upper triangles of matrices, with zeros below; see `tril`."""

    def triu_(self, diagonal: builtins.int = 0) -> Tensor:
        """`triu`, in place."""

    def true_divide(self, other: Operand, *, rounding_mode: str | None = None) -> Tensor:
        """`input / other`, element by element."""

    def true_divide_(self, other: Operand, *, rounding_mode: str | None = None) -> Tensor:
        """`div`, in place."""

    def trunc(self) -> Tensor:
        """The numbers without what is behind their point, element by element."""

    def trunc_(self) -> Tensor:
        """`trunc`, in place."""

    def type(self, dtype: Any = None) -> Tensor | str:
        """The old name of a tensor's dtype; with `dtype`, the tensor converted to it."""

    def type_as(self, other: Tensor) -> Tensor:
        """`input` in the dtype, and on the device, of `other`."""

    def uint16(self, memory_format: Any = None) -> Tensor:
        """`to(input, uint16)`; fractions are cut off."""

    def uint32(self, memory_format: Any = None) -> Tensor:
        """`to(input, uint32)`; fractions are cut off."""

    def uint64(self, memory_format: Any = None) -> Tensor:
        """`to(input, uint64)`; fractions are cut off."""

    def unbind(self, dim: builtins.int = 0, *, axis: builtins.int | None = None) -> tuple[Tensor, ...]:
        """The elements of a dim as tensors of their own."""

    def unflatten(self, dim: builtins.int, sizes: Sequence[builtins.int]) -> Tensor:
        """One dim as several."""

    def unfold(self, dimension: builtins.int, size: builtins.int, step: builtins.int) -> Tensor:
        """Windows of a dim, without a copy."""

    def uniform(self, from_: builtins.float = 0, to: builtins.float = 1, *, generator: Generator | None = None) -> Tensor:
        """`uniform_`, in a new tensor of the shape and dtype of `input`."""

    def uniform_(self, from_: builtins.float = 0, to: builtins.float = 1, *, generator: Generator | None = None) -> Tensor:
        """Fill `input` with numbers from `from_` up to `to`, all equally likely; see `normal_`."""

    def unique(self, sorted: builtins.bool = True, return_inverse: builtins.bool = False, return_counts: builtins.bool = False, dim: builtins.int | None = None) -> Any:
        """The distinct elements, in ascending order."""

    def unique_consecutive(self, return_inverse: builtins.bool = False, return_counts: builtins.bool = False, dim: builtins.int | None = None) -> Any:
        """The elements without those that equal the one before them; see `unique`."""

    def unsafe_chunk(self, chunks: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """`chunk` into parts as `unsafe_split` gives them."""

    def unsafe_split(self, split_size: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """`split` into parts that are no views, so that each may be written in place."""

    def unsafe_split_with_sizes(self, split_sizes: Sequence[builtins.int], dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """`unsafe_split` by a list of sizes."""

    def unsqueeze(self, dim: builtins.int = ..., *, axis: builtins.int | None = None) -> Tensor:
        """A new dim of size 1."""

    def unsqueeze_(self, dim: builtins.int) -> Tensor:
        """`unsqueeze`, in place."""

    def untyped_storage(self) -> UntypedStorage:
        """The memory of `input`, as a sequence of bytes."""

    def var(self, dim: Dims = None, unbiased: builtins.bool | None = None, keepdim: builtins.bool = False, *, correction: builtins.float | None = 1, axis: Dims = None, keepdims: builtins.bool | None = None) -> Tensor:
        """The variance of all elements, or over some dims."""

    def vdot(self, other: Tensor) -> Tensor:
        """The inner product of two vectors; the elements of the first one are conjugated."""

    def view(self, *shape: Any, dtype: Any = None) -> Tensor:
        """The same elements in another shape, always sharing memory."""

    def view_as(self, other: Tensor) -> Tensor:
        """`view(input, other.shape)`."""

    def vsplit(self, indices_or_sections: builtins.int | Sequence[builtins.int]) -> tuple[Tensor, ...]:
        """A tensor cut along its rows; see `hsplit`."""

    def where(self, condition: Tensor, other: Any = None) -> Any:
        """`input` where `condition` holds, `other` elsewhere; or the places where it holds."""

    def xlogy(self, other: Operand) -> Tensor:
        """`input·log(other)`, element by element; 0 where `input` is 0, whatever `other` is."""

    def xlogy_(self, other: Operand) -> Tensor:
        """`xlogy`, in place."""

    def zero_(self) -> Tensor:
        """Overwrite `input` with zeros; see `fill_`."""
