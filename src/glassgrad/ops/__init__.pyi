# Written by `make stubs` (docs/stubs.py) from what the ops declare. Do not edit.
"""The ops: one class with its rules and one public function each, a file for each family.

Each file declares its ops (see `_declaring.py`), and all that is declared is here.
"""

import builtins
from collections.abc import Sequence
from glassgrad.core.tensor import Tensor
from glassgrad.ops._arguments import Dims
from glassgrad.ops.activations import log_softmax as log_softmax, relu as relu, softmax as softmax
from glassgrad.ops.arithmetic import Operand, addcdiv as addcdiv, addcmul as addcmul, conj as conj, lerp as lerp, rsub as rsub, sign as sign
from glassgrad.ops.comparison import allclose as allclose, bitwise_and as bitwise_and, bitwise_not as bitwise_not, bitwise_or as bitwise_or, bitwise_xor as bitwise_xor, eq as eq, equal as equal, ge as ge, gt as gt, isclose as isclose, isfinite as isfinite, isin as isin, isinf as isinf, isnan as isnan, le as le, logical_and as logical_and, logical_not as logical_not, logical_or as logical_or, logical_xor as logical_xor, lt as lt, ne as ne, signbit as signbit
from glassgrad.ops.conversion import clone as clone
from glassgrad.ops.creation import TensorType, as_tensor as as_tensor, from_dlpack as from_dlpack, from_numpy as from_numpy
from glassgrad.ops.diagonals import diag as diag, diag_embed as diag_embed, diagflat as diagflat, diagonal as diagonal, trace as trace, tril as tril, triu as triu
from glassgrad.ops.einsum import einsum as einsum
from glassgrad.ops.exponentials import square as square
from glassgrad.ops.generator import Generator, Generator as Generator, get_rng_state as get_rng_state, initial_seed as initial_seed, manual_seed as manual_seed, seed as seed, set_rng_state as set_rng_state
from glassgrad.ops.indexing import index_put as index_put, narrow as narrow, select as select
from glassgrad.ops.joining import Tensors, atleast_1d as atleast_1d, atleast_2d as atleast_2d, atleast_3d as atleast_3d, chunk as chunk, concat as concat, split as split, split_with_sizes as split_with_sizes, tensor_split as tensor_split, unbind as unbind, unsafe_chunk as unsafe_chunk, unsafe_split as unsafe_split, unsafe_split_with_sizes as unsafe_split_with_sizes
from glassgrad.ops.linalg import outer as ger, outer as outer
from glassgrad.ops.masking import masked_fill as masked_fill, masked_scatter as masked_scatter, masked_select as masked_select
from glassgrad.ops.random import bernoulli as bernoulli
from glassgrad.ops.reduction import cov as cov
from glassgrad.ops.scattering import gather as gather, index_add as index_add, index_copy as index_copy, index_fill as index_fill, index_reduce as index_reduce, index_select as index_select, scatter as scatter, scatter_add as scatter_add, scatter_reduce as scatter_reduce
from glassgrad.ops.selection import clamp_max as clamp_max, clamp_min as clamp_min, where as where
from glassgrad.ops.shape import broadcast_to as broadcast_to, flatten as flatten, flip as flip, movedim as movedim, permute as permute, ravel as ravel, reshape as reshape, roll as roll, squeeze as squeeze, swapaxes as swapaxes, t as t, tile as tile, transpose as transpose, unflatten as unflatten, unsqueeze as unsqueeze
from glassgrad.ops.strided import as_strided as as_strided
from glassgrad.values.dtypes import Number
from typing import Any

BoolTensor: TensorType

ByteTensor: TensorType

CharTensor: TensorType

DoubleTensor: TensorType

FloatTensor: TensorType

HalfTensor: TensorType

IntTensor: TensorType

LongTensor: TensorType

ShortTensor: TensorType

def abs(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`|input|`, element by element.

    Args:
        input: real tensor of shape `S`.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`. At the kink 0 its subgradient 0 is used.

    Example:
        >>> abs(tensor([-1.0, 2.0]))
        tensor([1., 2.])

    See also: https://pytorch.org/docs/stable/generated/torch.abs.html
    """

absolute = abs

def acos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle whose cosine is given, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`, from 0 to π; nan outside of [-1, 1]. Its gradient at -1 and 1 is -inf.

    Example:
        >>> acos(tensor([1.0, 0.0]))
        tensor([0.0000, 1.5708])

    See also: https://pytorch.org/docs/stable/generated/torch.acos.html
    """

def acosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of `cosh`, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`, 0 or larger; nan below 1. Its gradient at 1 is inf.

    Example:
        >>> acosh(tensor([1.0, 2.0]))
        tensor([0.0000, 1.3170])

    See also: https://pytorch.org/docs/stable/generated/torch.acosh.html
    """

def add(input: Tensor, other: Operand, *, alpha: float = 1, out: Tensor | None = None) -> Tensor:
    """`input + alpha·other`, element by element.

    Args:
        input, other: tensors of shapes that broadcast to `S`, or one of them a number.
        alpha: a factor for `other`.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`, of the promoted dtype.

    Raises:
        ShapeError: if the shapes do not broadcast.

    Example:
        >>> add(tensor([1.0, 2.0]), 10)
        tensor([11., 12.])

    See also: https://pytorch.org/docs/stable/generated/torch.add.html
    """

def all(input: Tensor, dim: Dims = None, keepdim: bool = False, *, axis: Dims = None, keepdims: bool | None = None) -> Tensor:
    """Whether all elements are not 0, of all or over some dims.

    Returns:
        bool tensor (uint8 for uint8); True where there are no elements.

    Raises:
        DimError: for a dim that `input` does not have.

    Example:
        >>> all(tensor([[1.0, 1.0], [0.0, 1.0]]), dim=1)
        tensor([ True, False])
    """

def amax(input: Tensor, dim: Dims = None, keepdim: bool = False, *, axis: Dims = None, keepdims: bool | None = None, out: Tensor | None = None) -> Tensor:
    """The largest element over some dims; unlike `max`, without indices.

    Args:
        input: real tensor of shape `S`.
        dim, axis: the dims to reduce; None or () for all.
        keepdim, keepdims: keep those dims, with size 1.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S` without `dim`. Its gradient is split evenly between ties.

    Raises:
        DimError: for a dim that `input` does not have, or one of size 0.

    Example:
        >>> amax(tensor([[1.0, 3.0], [4.0, 2.0]]), dim=0)
        tensor([4., 3.])

    See also: https://pytorch.org/docs/stable/generated/torch.amax.html
    """

def amin(input: Tensor, dim: Dims = None, keepdim: bool = False, *, axis: Dims = None, keepdims: bool | None = None, out: Tensor | None = None) -> Tensor:
    """The smallest element over some dims; everything else is as for `amax`.

    Example:
        >>> amin(tensor([[1.0, 3.0], [4.0, 2.0]]), dim=0)
        tensor([1., 2.])

    See also: https://pytorch.org/docs/stable/generated/torch.amin.html
    """

def any(input: Tensor, dim: Dims = None, keepdim: bool = False, *, axis: Dims = None, keepdims: bool | None = None) -> Tensor:
    """Whether any element is not 0, among all or over some dims.

    Returns:
        bool tensor (uint8 for uint8); False where there are no elements.

    Raises:
        DimError: for a dim that `input` does not have.

    Example:
        >>> any(tensor([[0.0, 1.0], [0.0, 0.0]]), dim=1)
        tensor([ True, False])
    """

def arange(start: Any, end: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """The numbers `start, start + step, …` below `end`.

    Args:
        start: the first; with only one argument it is the end, and 0 the first.
        end: not reached.
        step: negative to count down.
        dtype: None: int64 if all three are integers, else the default dtype.
        device, requires_grad: as `tensor`.

    Returns:
        Tensor of shape `(⌈(end - start) / step⌉,)`.

    Raises:
        ShapeError: if `step` is 0, or leads away from `end`.

    Example:
        >>> arange(2, 5)
        tensor([2, 3, 4])
        >>> arange(0, 1, 0.25)
        tensor([0.0000, 0.2500, 0.5000, 0.7500])
    """

arccos = acos

arccosh = acosh

arcsin = asin

arcsinh = asinh

arctan = atan

arctan2 = atan2

arctanh = atanh

def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False, *, axis: int | None = None, keepdims: bool | None = None) -> Tensor:
    """The index of the largest element: the first one, if there are several.

    Args:
        input: real tensor of shape `S`.
        dim, axis: along which dim; None for the index into the flattened tensor.
        keepdim, keepdims: keep that dim, with size 1.

    Returns:
        int64 tensor of shape `S` without `dim`.

    Raises:
        DimError: if there is no such dim, or no element to choose from.
        DTypeError: for bools.

    Example:
        >>> argmax(tensor([[1.0, 3.0], [4.0, 2.0]]), dim=1)
        tensor([1, 0])

    See also: https://pytorch.org/docs/stable/generated/torch.argmax.html
    """

def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False, *, axis: int | None = None, keepdims: bool | None = None) -> Tensor:
    """The index of the smallest element; everything else is as for `argmax`.

    Example:
        >>> argmin(tensor([3.0, 1.0, 2.0]))
        tensor(1)

    See also: https://pytorch.org/docs/stable/generated/torch.argmin.html
    """

def asin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle whose sine is given, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`, from -π/2 to π/2; nan outside of [-1, 1]. Its gradient at -1 and 1 is
        inf.

    Example:
        >>> asin(tensor([0.0, 1.0]))
        tensor([0.0000, 1.5708])

    See also: https://pytorch.org/docs/stable/generated/torch.asin.html
    """

def asinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of `sinh`, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`.

    Example:
        >>> asinh(tensor([0.0, 1.0]))
        tensor([0.0000, 0.8814])

    See also: https://pytorch.org/docs/stable/generated/torch.asinh.html
    """

def atan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle whose tangent is given, element by element; see `atan2`.

    Args:
        input: tensor of shape `S`; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`, from -π/2 to π/2.

    Example:
        >>> atan(tensor([0.0, 1.0]))
        tensor([0.0000, 0.7854])

    See also: https://pytorch.org/docs/stable/generated/torch.atan.html
    """

def atan2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle of the point `(other, input)`, element by element.

    Args:
        input: the heights: real tensor.
        other: the widths: real tensor; both shapes broadcast to `S`.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`, from -π to π; two integers give the default dtype. At (0, 0), which
        has no angle, the gradient is 0.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: for complex numbers.

    Example:
        >>> atan2(tensor([1.0, 1.0]), tensor([1.0, -1.0]))
        tensor([0.7854, 2.3562])

    See also: https://pytorch.org/docs/stable/generated/torch.atan2.html
    """

def atanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of `tanh`, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`: -inf at -1, inf at 1, nan beyond. Its gradient at both is inf.

    Example:
        >>> atanh(tensor([0.0, 0.5]))
        tensor([0.0000, 0.5493])

    See also: https://pytorch.org/docs/stable/generated/torch.atanh.html
    """

def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The products of two stacks of matrices, one by one.

    Args:
        input: shape `(b, n, m)`.
        mat2: shape `(b, m, k)`, of the same dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `(b, n, k)`.

    Raises:
        ShapeError: for other shapes.
        DTypeError: if the dtypes differ.

    Example:
        >>> bmm(tensor([[[1.0, 2.0]]]), tensor([[[3.0], [4.0]]]))
        tensor([[[11.]]])
    """

def cat(tensors: Tensors, dim: int = 0, *, out: Tensor | None = None) -> Tensor:
    """Tensors one behind the other in a dim they have.

    Args:
        tensors: tensors of shapes `(…, nᵢ, …)`, the same but for `nᵢ`; those of shape `(0,)` are
            passed over.
        dim: which dim has the sizes `nᵢ`.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `(…, Σ nᵢ, …)`, of the promoted dtype.

    Raises:
        ArgumentError: for no tensors.
        ShapeError: if the shapes differ elsewhere, or are those of 0-d tensors.
        DimError: if there is no such dim.

    Example:
        >>> cat([tensor([1, 2]), tensor([3])])
        tensor([1, 2, 3])

    See also: https://pytorch.org/docs/stable/generated/torch.cat.html
    """

def ceil(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The smallest integer that is not smaller, element by element.

    Args:
        input: real tensor of shape `S`, not bool.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S` and the same dtype; its gradient is 0.

    Raises:
        DTypeError: for bools and complex numbers.

    Example:
        >>> ceil(tensor([-1.5, 1.5]))
        tensor([-1.,  2.])

    See also: https://pytorch.org/docs/stable/generated/torch.ceil.html
    """

def clamp(input: Tensor, min: Any = None, max: Any = None, *, out: Tensor | None = None) -> Tensor:
    """`input`, no element smaller than `min` or larger than `max`.

    Args:
        input: real tensor; with tensor bounds, all broadcast to `S`.
        min, max: numbers or tensors; one of them may be None. `max` wins if `min > max`.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`, of the promoted dtype. At a bound that is a number, `input` gets
        the gradient; a bound that is a tensor gets it where it was used.

    Raises:
        ArgumentError: if there is no bound.
        DTypeError: for complex numbers.
        ShapeError: if the shapes do not broadcast.

    Example:
        >>> clamp(tensor([-2.0, 0.5, 2.0]), min=-1, max=1)
        tensor([-1.0000,  0.5000,  1.0000])

    See also: https://pytorch.org/docs/stable/generated/torch.clamp.html
    """

def clamp_max_(input: Tensor, max: Any) -> Tensor:
    """`clamp_max`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def clamp_min_(input: Tensor, min: Any) -> Tensor:
    """`clamp_min`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

clip = clamp

def column_stack(tensors: Tensors, *, out: Tensor | None = None) -> Tensor:
    """Tensors beside each other: vectors as columns, others joined in their second dim.

    Args:
        tensors: vectors of length `n`, tensors of shape `(n, m, …)`.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of at least two dims, of the promoted dtype.

    Raises:
        ShapeError: for no tensors, or if the shapes do not fit.

    Example:
        >>> column_stack([tensor([1, 2]), tensor([3, 4])])
        tensor([[1, 3],
                [2, 4]])

    See also: https://pytorch.org/docs/stable/generated/torch.column_stack.html
    """

def cos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The cosine, element by element.

    Args:
        input: tensor of shape `S`, in radians; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`.

    Example:
        >>> cos(tensor([0.0, 1.0]))
        tensor([1.0000, 0.5403])
    """

def cosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic cosine, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`, 1 or larger.

    Example:
        >>> cosh(tensor([0.0, 1.0]))
        tensor([1.0000, 1.5431])

    See also: https://pytorch.org/docs/stable/generated/torch.cosh.html
    """

def cross(input: Tensor, other: Tensor, dim: int | None = None, *, out: Tensor | None = None) -> Tensor:
    """The vectors at right angles to two others in space, as long as the area between them.

    Args:
        input, other: tensors of as many dims, of size 3 in `dim`; the other dims broadcast.
        dim: the dim of the vectors; None: the first one of size 3, with a warning.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of the shape that both broadcast to, of the promoted dtype.

    Raises:
        ShapeError: if the shapes do not fit, or no dim has size 3.
        DimError: if there is no such dim.

    Example:
        >>> cross(tensor([1.0, 0.0, 0.0]), tensor([0.0, 1.0, 0.0]), dim=0)
        tensor([0., 0., 1.])

    See also: https://pytorch.org/docs/stable/generated/torch.cross.html
    """

def cumprod(input: Tensor, dim: int | None = None, *, dtype: Any = None, axis: int | None = None, out: Tensor | None = None) -> Tensor:
    """For each place the product of what is before it in a dim, and of the element itself.

    Args:
        input: tensor of shape `S`.
        dim, axis: along which dim.
        dtype: what to multiply in. Default: that of `input`; integers and bools become int64.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`.

    Raises:
        DimError: if there is no such dim.

    Example:
        >>> cumprod(tensor([1, 2, 3, 4]), 0)
        tensor([ 1,  2,  6, 24])

    See also: https://pytorch.org/docs/stable/generated/torch.cumprod.html
    """

def cumsum(input: Tensor, dim: int | None = None, *, dtype: Any = None, axis: int | None = None, out: Tensor | None = None) -> Tensor:
    """For each place the sum of what is before it in a dim, and of the element itself.

    Args:
        input: tensor of shape `S`.
        dim, axis: along which dim.
        dtype: what to sum in. Default: that of `input`; integers and bools become int64.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`.

    Raises:
        DimError: if there is no such dim.

    Example:
        >>> cumsum(tensor([1, 2, 3]), 0)
        tensor([1, 3, 6])

    See also: https://pytorch.org/docs/stable/generated/torch.cumsum.html
    """

default_generator: Generator

def digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The derivative of `lgamma`, element by element.

    Args:
        input: real tensor of shape `S`; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`: -inf at 0, nan below at whole numbers.

    Example:
        >>> digamma(tensor([0.5, 1.0]))
        tensor([-1.9635, -0.5772])

    See also: https://pytorch.org/docs/stable/generated/torch.digamma.html
    """

def div(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """`input / other`, element by element.

    Args:
        input, other: tensors of shapes that broadcast to `S`, or one of them a number.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`; two integers give the default dtype.

    Raises:
        ShapeError: if the shapes do not broadcast.

    Example:
        >>> div(tensor([1, 2]), 4)
        tensor([0.2500, 0.5000])

    See also: https://pytorch.org/docs/stable/generated/torch.div.html
    """

divide = div

def dot(input: Tensor, tensor: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inner product of two vectors.

    Args:
        input, tensor: both of shape `(n,)` and of one dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        0-d tensor.

    Raises:
        ShapeError: for other shapes.
        DTypeError: if the dtypes differ.

    Example:
        >>> dot(tensor([1.0, 2.0]), tensor([3.0, 4.0]))
        tensor(11.)
    """

def dstack(tensors: Tensors, *, out: Tensor | None = None) -> Tensor:
    """Tensors behind each other, joined in their third dim.

    Args:
        tensors: tensors of one shape but for the third dim; matrices and vectors get dims of
            size 1.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of at least three dims, of the promoted dtype.

    Raises:
        ShapeError: for no tensors, or if the shapes do not fit.

    Example:
        >>> dstack([tensor([[1, 2]]), tensor([[3, 4]])])
        tensor([[[1, 3],
                 [2, 4]]])

    See also: https://pytorch.org/docs/stable/generated/torch.dstack.html
    """

def empty(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor whose values are whatever was in memory; see `zeros`.

    Example:
        >>> empty(2, 3).shape
        glassgrad.Size([2, 3])
        >>> empty_like(tensor([1, 2])).dtype
        dtype('int64')
    """

def empty_like(input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """`empty`, in the shape, the dtype and on the device of `input`."""

def exp(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`e ** input`, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`.

    Example:
        >>> exp(tensor([0.0, 1.0]))
        tensor([1.0000, 2.7183])

    See also: https://pytorch.org/docs/stable/generated/torch.exp.html
    """

def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`2 ** input`, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`.

    Example:
        >>> exp2(tensor([0.0, 3.0]))
        tensor([1., 8.])

    See also: https://pytorch.org/docs/stable/generated/torch.exp2.html
    """

def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`e ** input - 1`, element by element, with all digits where `input` is small.

    Args:
        input: tensor of shape `S`; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`.

    Example:
        >>> expm1(tensor([0.0, 1.0]))
        tensor([0.0000, 1.7183])

    See also: https://pytorch.org/docs/stable/generated/torch.expm1.html
    """

def eye(n: int, m: int | None = None, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Ones on the diagonal, zeros elsewhere.

    Args:
        n: the number of rows.
        m: the number of columns; None: as many.
        dtype: None: the default dtype.
        device, requires_grad: as `tensor`.

    Returns:
        Tensor of shape `(n, m)`.

    Raises:
        ShapeError: for negative sizes.

    Example:
        >>> eye(2)
        tensor([[1., 0.],
                [0., 1.]])
    """

fix = trunc

def floor(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The largest integer that is not larger, element by element.

    Args:
        input: real tensor of shape `S`, not bool.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S` and the same dtype; its gradient is 0.

    Raises:
        DTypeError: for bools and complex numbers.

    Example:
        >>> floor(tensor([-1.5, 1.5]))
        tensor([-2.,  1.])

    See also: https://pytorch.org/docs/stable/generated/torch.floor.html
    """

def frac(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """What is behind the point, with the sign of the number, element by element.

    Args:
        input: floating-point tensor of shape `S`.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S` and the same dtype. Its gradient is 1, also where it jumps.

    Raises:
        DTypeError: for other dtypes.

    Example:
        >>> frac(tensor([-1.5, 2.25]))
        tensor([-0.5000,  0.2500])

    See also: https://pytorch.org/docs/stable/generated/torch.frac.html
    """

def full(size: Sequence[int], fill_value: Number | Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor of one number everywhere.

    Args:
        size: the shape.
        fill_value: the number; a 0-d tensor stands for its value. Its fraction is cut off where
            the dtype has none.
        dtype: None: that of the number.
        device, requires_grad: as `tensor`.

    Raises:
        ArgumentTypeError: if `size` is no sequence, or `fill_value` no number.

    Example:
        >>> full((2, 2), 3.5)
        tensor([[3.5000, 3.5000],
                [3.5000, 3.5000]])
        >>> full_like(tensor([1, 2]), 3.5)
        tensor([3, 3])
    """

def full_like(input: Tensor, fill_value: Number | Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """`full`, in the shape, the dtype and on the device of `input`."""

def hstack(tensors: Tensors, *, out: Tensor | None = None) -> Tensor:
    """Tensors beside each other: vectors one behind the other, others joined in their second dim.

    Args:
        tensors: tensors of one shape but for the second dim, or vectors.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of at least one dim, of the promoted dtype.

    Raises:
        ShapeError: for no tensors, or if the shapes do not fit.

    Example:
        >>> hstack([tensor([[1], [2]]), tensor([[3], [4]])])
        tensor([[1, 3],
                [2, 4]])

    See also: https://pytorch.org/docs/stable/generated/torch.hstack.html
    """

def hypot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The length of the vector `(input, other)`, element by element.

    Args:
        input, other: floating-point tensors of shapes that broadcast to `S`.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`, of the promoted dtype. Its gradient at (0, 0) is nan: the cone has no
        tangent plane there.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: for integers and complex numbers.

    Example:
        >>> hypot(tensor([3.0]), tensor([4.0]))
        tensor([5.])

    See also: https://pytorch.org/docs/stable/generated/torch.hypot.html
    """

def inner(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The dot products of all vectors of one tensor with all of another; they lie in the last dim.

    Args:
        input: shape `(…, n)`, or a 0-d tensor.
        other: shape `(…, n)`, of the same dtype, or a 0-d tensor.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of the shapes without their last dims, one behind the other; the ordinary product
        if one of them is a 0-d tensor.

    Raises:
        ShapeError: if the vectors are not as long as each other.
        DTypeError: if the dtypes differ.

    Example:
        >>> inner(tensor([[1.0, 2.0], [3.0, 4.0]]), tensor([1.0, 1.0]))
        tensor([3., 7.])

    See also: https://pytorch.org/docs/stable/generated/torch.inner.html
    """

def lgamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the absolute value of the gamma function, element by element.

    Args:
        input: real tensor of shape `S`; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`: `ln (n - 1)!` at a whole number n; inf at 0 and below at whole numbers.

    Example:
        >>> lgamma(tensor([0.5, 1.0, 4.0]))
        tensor([0.5724, 0.0000, 1.7918])

    See also: https://pytorch.org/docs/stable/generated/torch.lgamma.html
    """

def linspace(start: Any, end: Any, steps: int, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Numbers at equal distances, both ends included.

    Args:
        start, end: the first and the last.
        steps: how many.
        dtype: None: the default dtype.
        device, requires_grad: as `tensor`.

    Returns:
        Tensor of shape `(steps,)`.

    Raises:
        ShapeError: for a negative number of steps.

    Example:
        >>> linspace(0, 1, 5)
        tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
    """

def log(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The natural logarithm, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`: -inf at 0, nan below.

    Example:
        >>> log(tensor([1.0, 10.0]))
        tensor([0.0000, 2.3026])

    See also: https://pytorch.org/docs/stable/generated/torch.log.html
    """

def log10(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm to the base 10, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`: -inf at 0, nan below.

    Example:
        >>> log10(tensor([1.0, 50.0]))
        tensor([0.0000, 1.6990])

    See also: https://pytorch.org/docs/stable/generated/torch.log10.html
    """

def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The natural logarithm of `1 + input`, with all digits where `input` is small.

    Args:
        input: tensor of shape `S`; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`: -inf at -1, nan below.

    Example:
        >>> log1p(tensor([0.0, 1.0]))
        tensor([0.0000, 0.6931])

    See also: https://pytorch.org/docs/stable/generated/torch.log1p.html
    """

def log2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm to the base 2, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`: -inf at 0, nan below.

    Example:
        >>> log2(tensor([1.0, 8.0]))
        tensor([0., 3.])

    See also: https://pytorch.org/docs/stable/generated/torch.log2.html
    """

def logit(input: Tensor, eps: float | None = None, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the odds `p / (1 - p)`, element by element: the inverse of `sigmoid`.

    Args:
        input: probabilities, of shape `S`; integers become the default dtype.
        eps: how near they may come to 0 and 1; those that are nearer are moved away. None: all
            are taken as they are.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`; nan outside of [0, 1] without `eps`. Probabilities that were moved
        have gradient 0.

    Raises:
        DTypeError: for complex numbers.

    Example:
        >>> logit(tensor([0.5, 0.75]))
        tensor([0.0000, 1.0986])

    See also: https://pytorch.org/docs/stable/generated/torch.logit.html
    """

def logsumexp(input: Tensor, dim: Dims, keepdim: bool = False, *, keepdims: bool | None = None) -> Tensor:
    """`log(sum(exp(input)))` without overflow: the largest element is taken out first.

    Args:
        input: tensor of shape `S`; integers become the default dtype.
        dim: the dims to reduce; None or () for all.
        keepdim, keepdims: keep those dims, with size 1.

    Returns:
        Tensor of shape `S` without `dim`.

    Raises:
        DimError: for a dim that `input` does not have.

    Example:
        >>> logsumexp(tensor([1000.0, 1000.0]), dim=0)
        tensor(1000.6932)

    See also: https://pytorch.org/docs/stable/generated/torch.logsumexp.html
    """

def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The matrix product `input @ other`.

    Args:
        input: shape `(…, n, m)` or `(m,)`.
        other: shape `(…, m, k)` or `(m,)`, of the same dtype; the dims in front broadcast.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `(…, n, k)`; a vector's dim of size 1 is left out.

    Raises:
        ShapeError: if the shapes do not fit.
        DTypeError: if the dtypes differ.
        ArgumentTypeError: for anything but tensors.

    Example:
        >>> matmul(tensor([[1.0, 2.0], [3.0, 4.0]]), tensor([1.0, 1.0]))
        tensor([3., 7.])

    See also: https://pytorch.org/docs/stable/generated/torch.matmul.html
    """

def max(input: Tensor, dim: int | Tensor | None = None, keepdim: bool = False, *, axis: int | Tensor | None = None, keepdims: bool | None = None) -> Any:
    """The largest of all elements; with a dim, the largest along it and their indices.

    Args:
        input: real tensor of shape `S`.
        dim, axis: one dim, or a tensor to take the elementwise `maximum` with.
        keepdim, keepdims: keep that dim, with size 1.

    Returns:
        Without a dim, a 0-d tensor, whose gradient is split evenly between ties. With one, the
        named tuple (values, indices): the first of several ties, which gets all the gradient.

    Raises:
        ShapeError, DimError: if there is no element to choose from, or no such dim.

    Example:
        >>> max(tensor([1.0, 3.0, 2.0]))
        tensor(3.)
        >>> max(tensor([[1.0, 3.0], [4.0, 2.0]]), dim=1)
        glassgrad.return_types.max(
        values=tensor([3., 4.]),
        indices=tensor([1, 0]))

    See also: https://pytorch.org/docs/stable/generated/torch.max.html
    """

def maximum(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """The larger of two values, element by element.

    Args:
        input, other: real tensors of shapes that broadcast to `S`.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`, of the promoted dtype; nan where either is nan. Where both are
        equal, each gets half of the gradient.

    Raises:
        ShapeError: if the shapes do not broadcast.

    Example:
        >>> maximum(tensor([1.0, 5.0]), tensor([3.0, 2.0]))
        tensor([3., 5.])

    See also: https://pytorch.org/docs/stable/generated/torch.maximum.html
    """

def mean(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: Any = None, axis: Dims = None, keepdims: bool | None = None, out: Tensor | None = None) -> Tensor:
    """The mean of all elements, or over some dims.

    Args:
        input: floating-point tensor of shape `S`; others with `dtype` only.
        dim, axis: the dims to average over; None or () for all.
        keepdim, keepdims: keep those dims, with size 1.
        dtype: what to compute in.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S` without `dim`. The mean of no elements is nan.

    Raises:
        DimError: for a dim that `input` does not have.
        DTypeError: for integers: their mean is no integer.

    Example:
        >>> mean(tensor([[1.0, 2.0], [3.0, 4.0]]), dim=1)
        tensor([1.5000, 3.5000])

    See also: https://pytorch.org/docs/stable/generated/torch.mean.html
    """

def median(input: Tensor, dim: int | None = None, keepdim: bool = False, *, axis: int | None = None, keepdims: bool | None = None) -> Any:
    """The element in the middle of all; with a dim, those along it and their indices.

    Args:
        input: real tensor of shape `S`.
        dim, axis: one dim; None for all elements.
        keepdim, keepdims: keep that dim, with size 1.

    Returns:
        Without a dim, a 0-d tensor, whose gradient is split evenly between ties. With one, the
        named tuple (values, indices). Of an even number of elements it is the lower one of the two
        in the middle; nan if there is a nan.

    Raises:
        DimError: if there is no such dim, or nothing along it.

    Example:
        >>> median(tensor([3.0, 1.0, 2.0]))
        tensor(2.)

    See also: https://pytorch.org/docs/stable/generated/torch.median.html
    """

def min(input: Tensor, dim: int | Tensor | None = None, keepdim: bool = False, *, axis: int | Tensor | None = None, keepdims: bool | None = None) -> Any:
    """The smallest of all elements; with a dim, the smallest along it and their indices.

    Everything else is as for `max`.

    Example:
        >>> min(tensor([1.0, 3.0, 2.0]))
        tensor(1.)

    See also: https://pytorch.org/docs/stable/generated/torch.min.html
    """

def minimum(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """The smaller of two values, element by element; everything else is as for `maximum`.

    Example:
        >>> minimum(tensor([1.0, 5.0]), tensor([3.0, 2.0]))
        tensor([1., 2.])

    See also: https://pytorch.org/docs/stable/generated/torch.minimum.html
    """

def mm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of two matrices.

    Args:
        input: shape `(n, m)`.
        mat2: shape `(m, k)`, of the same dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `(n, k)`.

    Raises:
        ShapeError: for other shapes.
        DTypeError: if the dtypes differ.

    Example:
        >>> mm(tensor([[1.0, 2.0]]), tensor([[3.0], [4.0]]))
        tensor([[11.]])

    See also: https://pytorch.org/docs/stable/generated/torch.mm.html
    """

def mul(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """`input · other`, element by element.

    Args:
        input, other: tensors of shapes that broadcast to `S`, or one of them a number.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`, of the promoted dtype.

    Raises:
        ShapeError: if the shapes do not broadcast.

    Example:
        >>> mul(tensor([1.0, 2.0]), tensor([[3.0], [4.0]]))
        tensor([[3., 6.],
                [4., 8.]])

    See also: https://pytorch.org/docs/stable/generated/torch.mul.html
    """

def multinomial(input: Tensor, num_samples: int, replacement: bool = False, *, generator: Generator | None = None, out: Tensor | None = None) -> Tensor:
    """Classes chosen at random.

    Args:
        input: the weights of the classes, which need not sum up to 1: shape `(C,)`, or `(N, C)`
            for `N` independent experiments.
        num_samples: how many are chosen.
        replacement: whether a class can be chosen several times.
        generator: where the numbers come from; None: the default generator.
        out: where to write the result, if the tape need not record it.

    Returns:
        An int64 tensor of shape `(num_samples,)` or `(N, num_samples)`.

    Raises:
        ShapeError: for other shapes, or more choices than classes.
        DTypeError: for weights without fractions.
        ArgumentError: for weights that are negative, not finite or all 0.

    Example:
        >>> multinomial(tensor([[0.0, 1.0, 0.0], [0.0, 0.0, 2.0]]), 1)
        tensor([[1],
                [2]])

    See also: https://pytorch.org/docs/stable/generated/torch.multinomial.html
    """

multiply = mul

def mv(input: Tensor, vec: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of a matrix and a vector.

    Args:
        input: shape `(n, m)`.
        vec: shape `(m,)`, of the same dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `(n,)`.

    Raises:
        ShapeError: for other shapes.
        DTypeError: if the dtypes differ.

    Example:
        >>> mv(tensor([[1.0, 2.0], [3.0, 4.0]]), tensor([1.0, 1.0]))
        tensor([3., 7.])
    """

def nanmedian(input: Tensor, dim: int | None = None, keepdim: bool = False, *, axis: int | None = None, keepdims: bool | None = None) -> Any:
    """`median` of all elements but nan; of nothing else it is nan.

    Example:
        >>> nanmedian(tensor([3.0, float("nan"), 2.0]))
        tensor(2.)

    See also: https://pytorch.org/docs/stable/generated/torch.nanmedian.html
    """

def neg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`-input`, element by element.

    Args:
        input: tensor of shape `S`, not bool.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S` and the same dtype.

    Raises:
        DTypeError: for bool tensors.

    Example:
        >>> neg(tensor([1.0, -2.0]))
        tensor([-1.,  2.])
    """

negative = neg

def normal(mean: Tensor | float, std: Tensor | float = 1.0, size: Sequence[int] | None = None, *, generator: Generator | None = None, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Numbers from normal distributions.

    Args:
        mean, std: tensors of shapes that broadcast to `S`, or numbers. The result does not depend
            on them in autograd's eyes: write `mean + std * randn(S)` for gradients.
        size: `S`, if both are numbers.
        generator: where the numbers come from; None: the default generator.
        dtype, device, requires_grad: as `tensor`, if both are numbers.

    Returns:
        Tensor of shape `S`.

    Raises:
        ShapeError: for a negative `std`, or shapes that do not broadcast.
        ArgumentTypeError: for two numbers without a size.
        DTypeError: for integer tensors.

    Example:
        >>> normal(0.0, 1.0, (2, 3)).shape
        glassgrad.Size([2, 3])
        >>> normal(tensor([5.0, 7.0]), 0.0)
        tensor([5., 7.])
    """

def ones(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor of ones; see `zeros`.

    Example:
        >>> ones(2, dtype=int64)
        tensor([1, 1])
        >>> ones_like(tensor([3.0, 4.0]))
        tensor([1., 1.])
    """

def ones_like(input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """`ones`, in the shape, the dtype and on the device of `input`."""

def polygamma(n: int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The `n`-th derivative of `digamma`, element by element.

    Args:
        n: which derivative: 0 is `digamma` itself.
        input: real tensor of shape `S`; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`.

    Raises:
        ArgumentError: for a negative `n`.

    Example:
        >>> polygamma(1, tensor([0.5, 1.0]))
        tensor([4.9348, 1.6449])

    See also: https://pytorch.org/docs/stable/generated/torch.polygamma.html
    """

def pow(input: Operand, exponent: Operand, *, out: Tensor | None = None) -> Tensor:
    """`input ** exponent`, element by element.

    Args:
        input, exponent: tensors of shapes that broadcast to `S`, or one of them a number.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`. The gradient of x⁰ is 0 everywhere, and that of 0ʸ with respect to
        y ≥ 0 is 0.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: for an integer tensor to a negative integer power.

    Example:
        >>> pow(tensor([1.0, 2.0, 3.0]), 2)
        tensor([1., 4., 9.])

    See also: https://pytorch.org/docs/stable/generated/torch.pow.html
    """

def prod(input: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: Any = None, axis: int | None = None, keepdims: bool | None = None, out: Tensor | None = None) -> Tensor:
    """The product of all elements, or along one dim.

    Args:
        input: tensor of shape `S`.
        dim, axis: one dim; None for all.
        keepdim, keepdims: keep that dim, with size 1.
        dtype: what to multiply in. Default: that of `input`; integers and bools become int64.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S` without `dim`. The product of no elements is 1.

    Raises:
        DimError: if there is no such dim.

    Example:
        >>> prod(tensor([[1.0, 2.0], [3.0, 4.0]]), dim=1)
        tensor([ 2., 12.])

    See also: https://pytorch.org/docs/stable/generated/torch.prod.html
    """

def rand(*size: Any, generator: Generator | None = None, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Numbers from the uniform distribution on [0, 1).

    Args:
        size: the shape, as numbers or as one sequence.
        generator: where the numbers come from; None: the default generator.
        dtype: float or complex; None: the default dtype.
        device, requires_grad: as `tensor`.

    Returns:
        A leaf.

    Raises:
        DTypeError: for a dtype without fractions.
        ShapeError: for a negative size.

    Example:
        >>> x = rand(2, 3)
        >>> x.shape, (x >= 0).all(), (x < 1).all()
        (glassgrad.Size([2, 3]), tensor(True), tensor(True))
        >>> rand_like(x).shape
        glassgrad.Size([2, 3])
    """

def rand_like(input: Tensor, *, generator: Generator | None = None, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """`rand`, in the shape, the dtype and on the device of `input`."""

def randint(low: Any = 0, high: Any = None, size: Sequence[int] | None = None, *, generator: Generator | None = None, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Integers from `low` to `high - 1`, equally likely.

    Args:
        low: the smallest; may be left out: `randint(high, size)`.
        high: one more than the largest.
        size: the shape.
        generator: where the numbers come from; None: the default generator.
        dtype: None: int64.
        device, requires_grad: as `tensor`.

    Returns:
        A leaf.

    Raises:
        ShapeError: if there is no integer in between, or the dtype does not reach that far.
        ArgumentTypeError: for fractions, or no size.

    Example:
        >>> x = randint(3, (2, 4))
        >>> x.shape, x.dtype
        (glassgrad.Size([2, 4]), dtype('int64'))
        >>> randint_like(tensor([1.0, 2.0]), 1)
        tensor([0., 0.])
    """

def randint_like(input: Tensor, low: Any = 0, high: Any = None, *, generator: Generator | None = None, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """`randint`, in the shape, the dtype and on the device of `input`."""

def randn(*size: Any, generator: Generator | None = None, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Numbers from the normal distribution of mean 0 and variance 1; see `rand`.

    Example:
        >>> x = randn(2, 3)
        >>> x.shape
        glassgrad.Size([2, 3])
        >>> randn_like(x).shape
        glassgrad.Size([2, 3])
    """

def randn_like(input: Tensor, *, generator: Generator | None = None, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """`randn`, in the shape, the dtype and on the device of `input`."""

def randperm(n: int, *, generator: Generator | None = None, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """The integers from 0 to `n - 1` in random order.

    Args:
        n: how many.
        generator: where the order comes from; None: the default generator.
        dtype: None: int64.
        device, requires_grad: as `tensor`.

    Returns:
        Tensor of shape `(n,)`.

    Raises:
        ShapeError: for a negative `n`.
        DTypeError: for one that the dtype does not reach.

    Example:
        >>> sorted(randperm(4).tolist())
        [0, 1, 2, 3]
    """

def reciprocal(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`1 / input`, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`. At 0 it is inf, and its gradient -inf.

    Example:
        >>> reciprocal(tensor([2.0, 4.0]))
        tensor([0.5000, 0.2500])
    """

def round(input: Tensor, *, decimals: int = 0, out: Tensor | None = None) -> Tensor:
    """The nearest integer, element by element; halves go to the even one.

    Args:
        input: real tensor of shape `S`, not bool.
        decimals: how many digits to keep behind the point; below 0, how many to drop before it.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S` and the same dtype; its gradient is 0.

    Raises:
        DTypeError: for bools and complex numbers; for integers if there are `decimals`.

    Example:
        >>> round(tensor([0.5, 1.5, 2.6]))
        tensor([0., 2., 3.])
        >>> round(tensor([3.14159]), decimals=2)
        tensor([3.1400])

    See also: https://pytorch.org/docs/stable/generated/torch.round.html
    """

row_stack = vstack

def rsqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`1 / sqrt(input)`, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`: inf at 0, nan below.

    Example:
        >>> rsqrt(tensor([1.0, 4.0]))
        tensor([1.0000, 0.5000])

    See also: https://pytorch.org/docs/stable/generated/torch.rsqrt.html
    """

def sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`1 / (1 + exp(-input))`, element by element, without overflow.

    Args:
        input: tensor of shape `S`; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`, between 0 and 1.

    Example:
        >>> sigmoid(tensor([0.0, 2.0]))
        tensor([0.5000, 0.8808])

    See also: https://pytorch.org/docs/stable/generated/torch.sigmoid.html
    """

def sin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sine, element by element.

    Args:
        input: tensor of shape `S`, in radians; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`.

    Example:
        >>> sin(tensor([0.0, 1.0]))
        tensor([0.0000, 0.8415])
    """

def sinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic sine, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`.

    Example:
        >>> sinh(tensor([0.0, 1.0]))
        tensor([0.0000, 1.1752])

    See also: https://pytorch.org/docs/stable/generated/torch.sinh.html
    """

def sqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The square root, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`: nan below 0. Its gradient at 0 is inf.

    Example:
        >>> sqrt(tensor([4.0, 9.0]))
        tensor([2., 3.])

    See also: https://pytorch.org/docs/stable/generated/torch.sqrt.html
    """

def stack(tensors: Tensors, dim: int = 0, *, out: Tensor | None = None) -> Tensor:
    """Tensors beside each other in a new dim.

    Args:
        tensors: `n` tensors of one shape `S`.
        dim: where the new dim will be, from `-len(S) - 1` to `len(S)`.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S` with `n` at `dim`, of the promoted dtype.

    Raises:
        ShapeError: for no tensors, or different shapes.
        DimError: if there is no such place.

    Example:
        >>> stack([tensor([1, 2]), tensor([3, 4])], dim=1)
        tensor([[1, 3],
                [2, 4]])

    See also: https://pytorch.org/docs/stable/generated/torch.stack.html
    """

def std(input: Tensor, dim: Dims = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: float | None = 1, axis: Dims = None, keepdims: bool | None = None) -> Tensor:
    """The standard deviation: the square root of `var`, with the same arguments.

    Returns:
        Tensor of shape `S` without `dim`. Where it is 0, its subgradient 0 is used.

    Raises:
        DimError: for a dim that `input` does not have.
        DTypeError: for integers.

    Example:
        >>> std(tensor([1.0, 3.0, 5.0]))
        tensor(2.)

    See also: https://pytorch.org/docs/stable/generated/torch.std.html
    """

def std_mean(input: Tensor, dim: Dims = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: float | None = 1, axis: Dims = None, keepdims: bool | None = None) -> tuple[Tensor, Tensor]:
    """The standard deviation and the mean; see `std` for the arguments.

    Returns:
        Two tensors of shape `S` without `dim`.

    Raises:
        DimError: for a dim that `input` does not have.
        DTypeError: for integers.

    Example:
        >>> std_mean(tensor([1.0, 3.0, 5.0]))
        (tensor(2.), tensor(3.))

    See also: https://pytorch.org/docs/stable/generated/torch.std_mean.html
    """

def sub(input: Tensor, other: Operand, *, alpha: float = 1, out: Tensor | None = None) -> Tensor:
    """`input - alpha·other`, element by element.

    Args:
        input, other: tensors of shapes that broadcast to `S`, or one of them a number.
        alpha: a factor for `other`.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`, of the promoted dtype.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: for two bool tensors.

    Example:
        >>> sub(tensor([1.0, 2.0]), tensor(1.0))
        tensor([0., 1.])

    See also: https://pytorch.org/docs/stable/generated/torch.sub.html
    """

subtract = sub

def sum(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: Any = None, axis: Dims = None, keepdims: bool | None = None, out: Tensor | None = None) -> Tensor:
    """The sum of all elements, or over some dims.

    Args:
        input: tensor of shape `S`.
        dim, axis: the dims to sum over; None or () for all.
        keepdim, keepdims: keep those dims, with size 1.
        dtype: what to sum in. Default: that of `input`; integers and bools become int64.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S` without `dim`. The sum of no elements is 0.

    Raises:
        DimError: for a dim that `input` does not have.

    Example:
        >>> sum(tensor([[1.0, 2.0], [3.0, 4.0]]), dim=0)
        tensor([4., 6.])

    See also: https://pytorch.org/docs/stable/generated/torch.sum.html
    """

def tan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The tangent, element by element.

    Args:
        input: tensor of shape `S`, in radians; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`.

    Example:
        >>> tan(tensor([0.0, 1.0]))
        tensor([0.0000, 1.5574])

    See also: https://pytorch.org/docs/stable/generated/torch.tan.html
    """

def tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic tangent, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`, between -1 and 1.

    Example:
        >>> tanh(tensor([0.0, 1.0]))
        tensor([0.0000, 0.7616])

    See also: https://pytorch.org/docs/stable/generated/torch.tanh.html
    """

def tensor(data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor with a copy of the data.

    Args:
        data: a number, nested sequences of numbers, or an array.
        dtype: None: floats become the default dtype (float32), ints int64, bools bool, and arrays
            keep what they have.
        device: where it will live; None: the CPU, or where `data` is.
        requires_grad: whether gradients are wanted.

    Returns:
        A leaf.

    Raises:
        ArgumentError: for ragged sequences.
        ArgumentTypeError, DTypeError: for anything but numbers; for integers that are to require
            grad.

    Example:
        >>> tensor([[1, 2], [3, 4]])
        tensor([[1, 2],
                [3, 4]])
        >>> tensor([1.0, 2.5], requires_grad=True)
        tensor([1.0000, 2.5000], requires_grad=True)
        >>> tensor(0.5).new_tensor([2, 3])
        tensor([2., 3.])

    See also: https://pytorch.org/docs/stable/generated/torch.tensor.html
    """

true_divide = div

def trunc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The numbers without what is behind their point, element by element.

    Args:
        input: real tensor of shape `S`, not bool.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S` and the same dtype; its gradient is 0.

    Raises:
        DTypeError: for bools and complex numbers.

    Example:
        >>> trunc(tensor([-1.5, 1.5]))
        tensor([-1.,  1.])

    See also: https://pytorch.org/docs/stable/generated/torch.trunc.html
    """

def var(input: Tensor, dim: Dims = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: float | None = 1, axis: Dims = None, keepdims: bool | None = None) -> Tensor:
    """The variance of all elements, or over some dims.

    Args:
        input: floating-point tensor of shape `S`.
        dim, axis: the dims to reduce; None or () for all.
        unbiased: True is `correction=1`, False `correction=0`; it may come alone: `x.var(False)`.
        keepdim, keepdims: keep those dims, with size 1.
        correction: what is subtracted from the number of elements; 1, or None, is Bessel's.

    Returns:
        Tensor of shape `S` without `dim`; nan with a warning if nothing is left to divide by.

    Raises:
        DimError: for a dim that `input` does not have.
        DTypeError: for integers.
        ArgumentTypeError: if `correction` is no number.

    Example:
        >>> var(tensor([1.0, 2.0, 3.0]))
        tensor(1.)

    See also: https://pytorch.org/docs/stable/generated/torch.var.html
    """

def var_mean(input: Tensor, dim: Dims = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: float | None = 1, axis: Dims = None, keepdims: bool | None = None) -> tuple[Tensor, Tensor]:
    """The variance and the mean; see `var` for the arguments.

    Returns:
        Two tensors of shape `S` without `dim`.

    Raises:
        DimError: for a dim that `input` does not have.
        DTypeError: for integers.

    Example:
        >>> var_mean(tensor([1.0, 2.0, 3.0]))
        (tensor(1.), tensor(2.))

    See also: https://pytorch.org/docs/stable/generated/torch.var_mean.html
    """

def vstack(tensors: Tensors, *, out: Tensor | None = None) -> Tensor:
    """Tensors below each other: vectors as rows, others joined in their first dim.

    Args:
        tensors: tensors of one shape but for the first dim, or vectors of one length.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of at least two dims, of the promoted dtype.

    Raises:
        ShapeError: for no tensors, or if the shapes do not fit.

    Example:
        >>> vstack([tensor([1, 2]), tensor([3, 4])])
        tensor([[1, 2],
                [3, 4]])

    See also: https://pytorch.org/docs/stable/generated/torch.vstack.html
    """

def zeros(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor of zeros.

    Args:
        size: the shape, as numbers or as one sequence.
        dtype: None: the default dtype.
        device, requires_grad: as `tensor`.

    Raises:
        ShapeError: for a negative size.

    Example:
        >>> zeros(2, 3)
        tensor([[0., 0., 0.],
                [0., 0., 0.]])
        >>> zeros_like(tensor([1, 2]))
        tensor([0, 0])
        >>> tensor([1, 2]).new_zeros(3)
        tensor([0, 0, 0])
    """

def zeros_like(input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """`zeros`, in the shape, the dtype and on the device of `input`."""

__all__ = [
    "BoolTensor",
    "ByteTensor",
    "CharTensor",
    "DoubleTensor",
    "FloatTensor",
    "Generator",
    "HalfTensor",
    "IntTensor",
    "LongTensor",
    "ShortTensor",
    "abs",
    "absolute",
    "acos",
    "acosh",
    "add",
    "addcdiv",
    "addcmul",
    "all",
    "allclose",
    "amax",
    "amin",
    "any",
    "arange",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "argmax",
    "argmin",
    "as_strided",
    "as_tensor",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "bernoulli",
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "bmm",
    "broadcast_to",
    "cat",
    "ceil",
    "chunk",
    "clamp",
    "clamp_max",
    "clamp_max_",
    "clamp_min",
    "clamp_min_",
    "clip",
    "clone",
    "column_stack",
    "concat",
    "conj",
    "cos",
    "cosh",
    "cov",
    "cross",
    "cumprod",
    "cumsum",
    "default_generator",
    "diag",
    "diag_embed",
    "diagflat",
    "diagonal",
    "digamma",
    "div",
    "divide",
    "dot",
    "dstack",
    "einsum",
    "empty",
    "empty_like",
    "eq",
    "equal",
    "exp",
    "exp2",
    "expm1",
    "eye",
    "fix",
    "flatten",
    "flip",
    "floor",
    "frac",
    "from_dlpack",
    "from_numpy",
    "full",
    "full_like",
    "gather",
    "ge",
    "ger",
    "get_rng_state",
    "gt",
    "hstack",
    "hypot",
    "index_add",
    "index_copy",
    "index_fill",
    "index_put",
    "index_reduce",
    "index_select",
    "initial_seed",
    "inner",
    "isclose",
    "isfinite",
    "isin",
    "isinf",
    "isnan",
    "le",
    "lerp",
    "lgamma",
    "linspace",
    "log",
    "log10",
    "log1p",
    "log2",
    "log_softmax",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logit",
    "logsumexp",
    "lt",
    "manual_seed",
    "masked_fill",
    "masked_scatter",
    "masked_select",
    "matmul",
    "max",
    "maximum",
    "mean",
    "median",
    "min",
    "minimum",
    "mm",
    "movedim",
    "mul",
    "multinomial",
    "multiply",
    "mv",
    "nanmedian",
    "narrow",
    "ne",
    "neg",
    "negative",
    "normal",
    "ones",
    "ones_like",
    "outer",
    "permute",
    "polygamma",
    "pow",
    "prod",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "randperm",
    "ravel",
    "reciprocal",
    "relu",
    "reshape",
    "roll",
    "round",
    "row_stack",
    "rsqrt",
    "rsub",
    "scatter",
    "scatter_add",
    "scatter_reduce",
    "seed",
    "select",
    "set_rng_state",
    "sigmoid",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "softmax",
    "split",
    "split_with_sizes",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "std_mean",
    "sub",
    "subtract",
    "sum",
    "swapaxes",
    "t",
    "tan",
    "tanh",
    "tensor",
    "tensor_split",
    "tile",
    "trace",
    "transpose",
    "tril",
    "triu",
    "true_divide",
    "trunc",
    "unbind",
    "unflatten",
    "unsafe_chunk",
    "unsafe_split",
    "unsafe_split_with_sizes",
    "unsqueeze",
    "var",
    "var_mean",
    "vstack",
    "where",
    "zeros",
    "zeros_like",
]
