# Written by `make stubs` (docs/stubs.py) from what the ops declare. Do not edit.
"""The ops: one class with its rules and one public function each, a file for each family.

Each file declares its ops (see `_declaring.py`), and all that is declared is here; a file loads
when one of its names is first asked for (see `_lookup.py`).
"""

import builtins
from collections.abc import Sequence
from glassgrad.core.tensor import Tensor
from glassgrad.ops._arguments import Dims, Operand
from glassgrad.ops.activations import prelu as prelu
from glassgrad.ops.arithmetic import adjoint as adjoint, conj as conj, imag as imag, isreal as isreal, positive as positive, real as real, resolve_conj as resolve_conj, resolve_conj as resolve_neg, view_as_complex as view_as_complex, view_as_real as view_as_real
from glassgrad.ops.comparison import allclose as allclose, equal as equal, isclose as isclose, isfinite as isfinite, isin as isin, isinf as isinf, isnan as isnan
from glassgrad.ops.conversion import clone as clone, detach as detach, is_complex as is_complex, is_floating_point as is_floating_point, is_signed as is_signed
from glassgrad.ops.creation import TensorType, as_tensor as as_tensor, asarray as asarray, from_dlpack as from_dlpack, from_numpy as from_numpy, frombuffer as frombuffer
from glassgrad.ops.diagonals import block_diag as block_diag, diag_embed as diag_embed, diagflat as diagflat, diagonal as diagonal, diagonal_scatter as diagonal_scatter, trace as trace
from glassgrad.ops.elementary import FrexpReturn, vander as vander
from glassgrad.ops.fourier import istft as istft, stft as stft
from glassgrad.ops.generator import Generator, Generator as Generator, get_rng_state as get_rng_state, initial_seed as initial_seed, manual_seed as manual_seed, seed as seed, set_rng_state as set_rng_state
from glassgrad.ops.indexing import index_put as index_put, put as put, unravel_index as unravel_index
from glassgrad.ops.joining import Tensors, as_strided as as_strided, as_strided_ as as_strided_, as_strided_scatter as as_strided_scatter, atleast_1d as atleast_1d, atleast_2d as atleast_2d, atleast_3d as atleast_3d, broadcast_shapes as broadcast_shapes, broadcast_tensors as broadcast_tensors, cartesian_prod as cartesian_prod, combinations as combinations, dsplit as dsplit, hsplit as hsplit, meshgrid as meshgrid, narrow as narrow, narrow_copy as narrow_copy, segment_reduce as segment_reduce, select as select, select_scatter as select_scatter, slice_scatter as slice_scatter, split as split, split_with_sizes as split_with_sizes, unsafe_chunk as unsafe_chunk, unsafe_split as unsafe_split, unsafe_split_with_sizes as unsafe_split_with_sizes, vsplit as vsplit
from glassgrad.ops.linalg import chain_matmul as chain_matmul, einsum as einsum
from glassgrad.ops.masking import masked_fill as masked_fill, masked_scatter as masked_scatter
from glassgrad.ops.matrices import _lu as lu, _qr as qr, _svd as svd, logdet as logdet, lu_unpack as lu_unpack, matrix_exp as matrix_exp, pca_lowrank as pca_lowrank, pinverse as pinverse, svd_lowrank as svd_lowrank
from glassgrad.ops.memory import TypedStorage as TypedStorage, UntypedStorage as UntypedStorage, detach_ as detach_, fill as fill, fill_ as fill_, get_device as get_device, is_nonzero as is_nonzero, is_same_size as is_same_size, is_storage as is_storage, layout, layout as layout, memory_format, memory_format as memory_format, numel as numel, resize_as_ as resize_as_, typename as typename, zero_ as zero_
from glassgrad.ops.networks import bilinear as bilinear, group_norm as group_norm, layer_norm as layer_norm, rms_norm as rms_norm
from glassgrad.ops.norms import Order, cdist as cdist, dist as dist, pairwise_distance as pairwise_distance, pdist as pdist
from glassgrad.ops.ordering import AminmaxReturn, CummaxReturn, CumminReturn, HistogramReturn, KthvalueReturn, ModeReturn, SortReturn, TopkReturn, bincount as bincount, histogramdd as histogramdd, unique as unique, unique_consecutive as unique_consecutive
from glassgrad.ops.random import feature_dropout as feature_dropout, poisson as poisson
from glassgrad.ops.recurrence import lstm_cell as lstm_cell
from glassgrad.ops.reduction import corrcoef as corrcoef, cov as cov
from glassgrad.ops.resampling import channel_shuffle as channel_shuffle, constant_pad_nd as constant_pad_nd, pixel_shuffle as pixel_shuffle, pixel_unshuffle as pixel_unshuffle
from glassgrad.ops.scattering import index_add as index_add, index_copy as index_copy, index_fill as index_fill, index_reduce as index_reduce, scatter as scatter, scatter_add as scatter_add, scatter_reduce as scatter_reduce
from glassgrad.ops.selection import argwhere as argwhere
from glassgrad.ops.shape import Ints, broadcast_to as broadcast_to, flatten as flatten, flip as flip, fliplr as fliplr, flipud as flipud, movedim as moveaxis, movedim as movedim, permute as permute, ravel as ravel, reshape as reshape, roll as roll, rot90 as rot90, swapaxes as swapaxes, swapaxes as swapdims, t as t, tile as tile, transpose as transpose, unflatten as unflatten
from glassgrad.ops.sparse import sparse_coo_tensor as sparse_coo_tensor, sparse_mm as smm, sparse_mm as spmm
from glassgrad.ops.windows import Ints
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

UInt16Tensor: TensorType

UInt32Tensor: TensorType

UInt64Tensor: TensorType

def abs(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def abs_(input: Tensor) -> Tensor:
    """`abs`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

absolute = abs

absolute_ = abs_

def acos(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def acos_(input: Tensor) -> Tensor:
    """`acos`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def acosh(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def acosh_(input: Tensor) -> Tensor:
    """`acosh`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """`adaptive_avg_pool2d` of lines, `(n, c, w)`; everything else is the same."""

def add(input: Tensor, other: Operand, last: Tensor | None = None, *, alpha: float = 1, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`beta·input + alpha·bmm(batch1, batch2).sum(0)`; see `addmm`.

    Example:
        >>> addbmm(tensor([1.0]), tensor([[[2.0]]]), tensor([[[3.0]]]))
        tensor([[7.]])
    """

def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, last: Tensor | None = None, *, value: Number = 1, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`input + value·tensor1/tensor2`, element by element.

    Args:
        input, tensor1, tensor2: tensors of shapes that broadcast to `S`.
        value: a number.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`, of the promoted dtype.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: if both divided tensors hold integers.

    Example:
        >>> addcdiv(tensor([1.0, 1.0]), tensor([6.0, 9.0]), tensor([2.0, 3.0]))
        tensor([4., 4.])

    See also: https://pytorch.org/docs/stable/generated/torch.addcdiv.html
    """

def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, last: Tensor | None = None, *, value: Number = 1, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`input + value·tensor1·tensor2`, element by element.

    Args:
        input, tensor1, tensor2: tensors of shapes that broadcast to `S`.
        value: a number.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`, of the promoted dtype.

    Raises:
        ShapeError: if the shapes do not broadcast.

    Example:
        >>> addcmul(tensor([1.0, 1.0]), tensor([2.0, 3.0]), tensor([4.0, 5.0]), value=10)
        tensor([ 81., 151.])

    See also: https://pytorch.org/docs/stable/generated/torch.addcmul.html
    """

def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`beta·input + alpha·(mat1 @ mat2)`.

    Args:
        input: tensor of a shape that stretches to `(n, k)`.
        mat1, mat2: shapes `(n, m)` and `(m, k)`.
        beta, alpha: numbers.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `(n, k)`.

    Raises:
        ShapeError, DTypeError: if shapes or dtypes do not fit.

    Example:
        >>> addmm(tensor([1.0]), tensor([[2.0]]), tensor([[3.0]]), alpha=2)
        tensor([[13.]])
    """

def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: float = 1, alpha: float = 1, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`beta·input + alpha·(mat @ vec)`; see `addmm`.

    Example:
        >>> addmv(tensor([1.0]), tensor([[2.0]]), tensor([3.0]))
        tensor([7.])
    """

def addmv_(input: Tensor, mat: Tensor, vec: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """`addmv`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: float = 1, alpha: float = 1, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`beta·input + alpha·outer(vec1, vec2)`; see `addmm`.

    Example:
        >>> addr(tensor([1.0]), tensor([2.0]), tensor([3.0]))
        tensor([[7.]])
    """

def all(input: Tensor, dim: Dims = None, keepdim: bool = False, *, axis: Dims = None, keepdims: bool | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Whether all elements are not 0, of all or over some dims.

    Returns:
        bool tensor (uint8 for uint8); True where there are no elements.

    Raises:
        DimError: for a dim that `input` does not have.

    Example:
        >>> all(tensor([[1.0, 1.0], [0.0, 1.0]]), dim=1)
        tensor([ True, False])
    """

def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Elements set to what `selu` tends to, at random; mean and variance stay.

    Args:
        input: floating-point tensor of shape `S`.
        p: how likely that is.
        training: False: return `input` itself.
        inplace: write the result to the memory of `input`, and return that.

    Raises:
        ArgumentError: if `p` is not from 0 to 1.

    Example:
        >>> alpha_dropout(tensor([1.0, 2.0]), 0.0, training=True)
        tensor([1., 2.])

    See also: Klambauer et al., *Self-Normalizing Neural Networks* (2017).
    """

def alpha_dropout_(input: Tensor, p: float = 0.5, training: bool = False) -> Tensor:
    """`alpha_dropout`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def amax(input: Tensor, dim: Dims = None, keepdim: bool = False, *, axis: Dims = None, keepdims: bool | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def amin(input: Tensor, dim: Dims = None, keepdim: bool = False, *, axis: Dims = None, keepdims: bool | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The smallest element over some dims; everything else is as for `amax`.

    Example:
        >>> amin(tensor([[1.0, 3.0], [4.0, 2.0]]), dim=0)
        tensor([1., 2.])

    See also: https://pytorch.org/docs/stable/generated/torch.amin.html
    """

def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False, axis: int | None = None, keepdims: bool | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> AminmaxReturn:
    """The smallest and the largest of all elements, or along a dim.

    Args:
        input: real tensor of shape `S`.
        dim: along which dim; None for all elements.
        keepdim: keep that dim, with size 1; without a dim, keep all.
        out: where to write the result, if the tape need not record it.

    Returns:
        The named tuple (min, max) of tensors of shape `S` without `dim`. Gradients are split
        evenly between ties.

    Raises:
        ShapeError, DimError: if there is no element to choose from, or no such dim.
        DTypeError: for complex numbers.

    Example:
        >>> aminmax(tensor([1.0, 3.0, 2.0]))
        glassgrad.return_types.aminmax(
        min=tensor(1.),
        max=tensor(3.))

    See also: https://pytorch.org/docs/stable/generated/torch.aminmax.html
    """

def angle(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The angle of complex numbers in radians, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`, real: from -π to π; of real numbers π below 0, else 0.

    Example:
        >>> angle(tensor([1j, -1 + 0j]))
        tensor([1.5708, 3.1416])

    See also: https://pytorch.org/docs/stable/generated/torch.angle.html
    """

def any(input: Tensor, dim: Dims = None, keepdim: bool = False, *, axis: Dims = None, keepdims: bool | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Whether any element is not 0, among all or over some dims.

    Returns:
        bool tensor (uint8 for uint8); False where there are no elements.

    Raises:
        DimError: for a dim that `input` does not have.

    Example:
        >>> any(tensor([[0.0, 1.0], [0.0, 0.0]]), dim=1)
        tensor([ True, False])
    """

def arange(start: Any, end: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, out: Tensor | tuple[Tensor, ...] | None = None, layout: Any = None, pin_memory: bool | None = None) -> Tensor:
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

arccos_ = acos_

arccosh = acosh

arccosh_ = acosh_

arcsin = asin

arcsin_ = asin_

arcsinh = asinh

arcsinh_ = asinh_

arctan = atan

arctan2 = atan2

arctan_ = atan_

arctanh = atanh

arctanh_ = atanh_

def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False, *, axis: int | None = None, keepdims: bool | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The index of the largest element: the first one, if there are several.

    Args:
        input: real tensor of shape `S`.
        dim, axis: along which dim; None for the index into the flattened tensor.
        keepdim, keepdims: keep that dim, with size 1.
        out: where to write the result, if the tape need not record it.

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

def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False, *, axis: int | None = None, keepdims: bool | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The index of the smallest element; everything else is as for `argmax`.

    Example:
        >>> argmin(tensor([3.0, 1.0, 2.0]))
        tensor(1)

    See also: https://pytorch.org/docs/stable/generated/torch.argmin.html
    """

def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False, *, axis: int | None = None) -> Tensor:
    """The indices that sort along a dim: those of `sort`.

    Returns:
        int64 tensor of the shape of `input`.

    Raises:
        DimError, DTypeError: as `sort`.

    Example:
        >>> argsort(tensor([3.0, 1.0, 2.0]))
        tensor([1, 2, 0])

    See also: https://pytorch.org/docs/stable/generated/torch.argsort.html
    """

def asin(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def asin_(input: Tensor) -> Tensor:
    """`asin`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def asinh(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def asinh_(input: Tensor) -> Tensor:
    """`asinh`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def atan(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def atan2(input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def atan_(input: Tensor) -> Tensor:
    """`atan`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def atanh(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def atanh_(input: Tensor) -> Tensor:
    """`atanh`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def avg_pool1d(input: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints = 0, ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None) -> Tensor:
    """`avg_pool2d` of lines, `(n, c, w)`; everything else is the same."""

def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`beta·input + alpha·bmm(batch1, batch2)`; see `addmm`.

    Example:
        >>> baddbmm(tensor([1.0]), tensor([[[2.0]]]), tensor([[[3.0]]]))
        tensor([[[7.]]])
    """

def bartlett_window(window_length: int, periodic: bool = True, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, out: Tensor | tuple[Tensor, ...] | None = None, layout: Any = None, pin_memory: bool | None = None) -> Tensor:
    """A triangle from 0 to 1 and back; see `hann_window`.

    Example:
        >>> bartlett_window(4)
        tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """

def bernoulli(input: Tensor, p: float | None = None, *, generator: Generator | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """1 with the given probability, else 0, element by element.

    Args:
        input: tensor of shape `S`: the probabilities, unless `p` says one for all. The result does
            not depend on it in autograd's eyes.
        p: a probability.
        generator: where the numbers come from; None: the default generator.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S` and the same dtype.

    Raises:
        ArgumentTypeError: if `input` is no tensor.
        ShapeError: for a probability outside of [0, 1].
        DTypeError: for integer probabilities.

    Example:
        >>> bernoulli(tensor([0.0, 1.0]))
        tensor([0., 1.])
    """

def bitwise_and(input: Operand, other: Operand, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`input & other`, bit by bit.

    Args:
        input, other: bool or integer tensors of shapes that broadcast to `S`, or one a number.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`, of the promoted dtype.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: for floating-point tensors.

    Example:
        >>> bitwise_and(tensor([6, 5]), 3)
        tensor([2, 1])
    """

def bitwise_left_shift(input: Operand, other: Operand, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`input << other`: all bits moved up; see `bitwise_and` for the arguments.

    Example:
        >>> bitwise_left_shift(tensor([1, 5]), 2)
        tensor([ 4, 20])
    """

def bitwise_not(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`~input`: not for bools, all bits turned for integers.

    Raises:
        ArgumentTypeError: for floating-point tensors.

    Example:
        >>> bitwise_not(tensor([True, False]))
        tensor([False,  True])
    """

def bitwise_or(input: Operand, other: Operand, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`input | other`, bit by bit; see `bitwise_and`.

    Example:
        >>> bitwise_or(tensor([True, False]), tensor([False, False]))
        tensor([ True, False])
    """

def bitwise_right_shift(input: Operand, other: Operand, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`input >> other`: all bits moved down; see `bitwise_and` for the arguments.

    Example:
        >>> bitwise_right_shift(tensor([8, 20]), 2)
        tensor([2, 5])
    """

def bitwise_xor(input: Operand, other: Operand, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`input ^ other`, bit by bit; see `bitwise_and`.

    Example:
        >>> bitwise_xor(tensor([6, 5]), 3)
        tensor([5, 6])
    """

def blackman_window(window_length: int, periodic: bool = True, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, out: Tensor | tuple[Tensor, ...] | None = None, layout: Any = None, pin_memory: bool | None = None) -> Tensor:
    """An arch of two cosines; see `hann_window`.

    Example:
        >>> blackman_window(3, periodic=False).round(decimals=4).abs()
        tensor([0., 1., 0.])
    """

def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def bucketize(input: Tensor | Number, boundaries: Tensor, *, out_int32: bool = False, right: bool = False, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Between which boundaries each value lies: `searchsorted` in one row of them.

    Args:
        input: a number, or a tensor of shape `S`.
        boundaries: ascending boundaries of shape `(n,)`.
        out_int32: whether the result is int32, not int64.
        right: whether a value equal to a boundary lies behind it.
        out: where to write the result, if the tape need not record it.

    Returns:
        Integers of shape `S`, from 0 to `n`.

    Raises:
        ShapeError: if `boundaries` has not one dim.

    Example:
        >>> bucketize(tensor([0.5, 3.0]), tensor([1.0, 2.0]))
        tensor([0, 2])

    See also: https://pytorch.org/docs/stable/generated/torch.bucketize.html
    """

def cat(tensors: Tensors, dim: int = 0, *, axis: int | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def ceil(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def ceil_(input: Tensor) -> Tensor:
    """`ceil`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """`input` where it is positive, `alpha·(exp(input/alpha) - 1)` elsewhere.

    Args:
        input: floating-point tensor of shape `S`.
        alpha: where it tends to, far on the left, is `-alpha`.
        inplace: write the result to the memory of `input`, and return that.

    Returns:
        Tensor of shape `S`. The slope is 1 at 0, whatever `alpha` is.

    Raises:
        DTypeError: for other dtypes.
        RangeError: if `alpha` is 0.

    Example:
        >>> celu(tensor([-1.0, 2.0]), 0.5)
        tensor([-0.4323,  2.0000])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.celu.html
    """

def celu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """`celu`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

channels_last: memory_format

channels_last_3d: memory_format

def cholesky(input: Tensor, upper: bool = False, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The same as `linalg.cholesky`.

    Example:
        >>> tensor([[4.0]]).cholesky()
        tensor([[2.]])
    """

def cholesky_inverse(L: Tensor, upper: bool = False, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The inverses of A = L·Lᴴ, given the triangle L; see `cholesky_solve`.

    Example:
        >>> cholesky_inverse(tensor([[2.0]]))
        tensor([[0.2500]])
    """

def cholesky_solve(input: Tensor, L: Tensor, upper: bool = False, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The solutions X of A·X = B, given the triangle L of A = L·Lᴴ.

    Args:
        input: B, of shape `(…, n, k)`.
        L: shape `(…, n, n)`, what `linalg.cholesky` returns.
        upper: whether it is the upper triangle U of A = Uᴴ·U.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of the shape of `input`; dims in front broadcast.

    Raises:
        ShapeError, DTypeError: if they do not fit together.

    Example:
        >>> cholesky_solve(tensor([[8.0]]), tensor([[2.0]]))
        tensor([[2.]])
    """

def chunk(input: Tensor, chunks: int, dim: int = 0, *, axis: int | None = None) -> tuple[Tensor, ...]:
    """A tensor as (up to) so many parts of equal size, cut in one dim.

    Args:
        input: tensor of shape `(…, n, …)`.
        chunks: how many; fewer if that uses up the dim earlier.
        dim: which dim has the size `n`.

    Returns:
        Views; all of size `⌈n / chunks⌉` but for a smaller last one.

    Raises:
        ShapeError: for less than one part.
        DimError: if there is no such dim.

    Example:
        >>> chunk(tensor([1, 2, 3, 4, 5]), 3)
        (tensor([1, 2]), tensor([3, 4]), tensor([5]))
    """

def clamp(input: Tensor, min: Any = None, max: Any = None, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def clamp_(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """`clamp`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def clamp_max(input: Tensor, max: Any, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`clamp` with an upper bound only.

    Example:
        >>> clamp_max(tensor([-2.0, 2.0]), 0)
        tensor([-2.,  0.])
    """

def clamp_max_(input: Tensor, max: Any) -> Tensor:
    """`clamp_max`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def clamp_min(input: Tensor, min: Any, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`clamp` with a lower bound only.

    Example:
        >>> clamp_min(tensor([-2.0, 2.0]), 0)
        tensor([0., 2.])
    """

def clamp_min_(input: Tensor, min: Any) -> Tensor:
    """`clamp_min`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

clip = clamp

clip_ = clamp_

def column_stack(tensors: Tensors, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def complex(real: Tensor, imag: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`real + i·imag`, element by element.

    Args:
        real, imag: float32 or float64 tensors of one dtype, of shapes that broadcast to `S`.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`: complex64 of float32, complex128 of float64.

    Raises:
        DTypeError: for other dtypes, or if they differ.
        ShapeError: if the shapes do not broadcast.

    Example:
        >>> complex(tensor([1.0, 2.0]), tensor([3.0, 4.0]))
        tensor([1.+3.j, 2.+4.j])

    See also: https://pytorch.org/docs/stable/generated/torch.complex.html
    """

concat = cat

concatenate = cat

def conj_physical(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`conj`, which is not put off here: PyTorch's name for that.

    Example:
        >>> conj_physical(tensor([1 + 2j]))
        tensor([1.-2.j])
    """

def conj_physical_(input: Tensor) -> Tensor:
    """`conj_physical`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

contiguous_format: memory_format

def conv1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Ints = 1, padding: Ints | str = 0, dilation: Ints = 1, groups: int = 1) -> Tensor:
    """`conv2d` of lines, `(n, c, w)`; everything else is the same."""

def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Ints = 1, padding: Ints | str = 0, dilation: Ints = 1, groups: int = 1) -> Tensor:
    """The convolution of images with weights: what each window and the weights have in common.

    Args:
        input: shape `(n, in, h, w)`, or `(in, h, w)` for one image.
        weight: shape `(out, in / groups, k, l)`: a kernel for each pair of channels.
        bias: shape `(out,)`, which is added; None: nothing.
        stride: how far the next window is.
        padding: how many zeros are put around the image; "valid": none; "same": as many as make a
            result of the same size.
        dilation: how far apart in the image the elements of a kernel are.
        groups: the channels are in so many groups, which do not see each other.

    Returns:
        Tensor of shape `(n, out, h', w')`, `h' = ⌊(h + 2·padding − dilation·(k − 1) − 1)/stride⌋ +
        1`, and `w'` the same of w and l. A number stands for both dims, or there are two.

    Raises:
        ShapeError: if shapes or numbers do not fit.
        DTypeError: if the dtypes differ.

    Example:
        >>> conv2d(ones(1, 1, 3, 3), ones(1, 1, 2, 2))
        tensor([[[[4., 4.],
                  [4., 4.]]]])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.conv2d.html
    """

def conv3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Ints = 1, padding: Ints | str = 0, dilation: Ints = 1, groups: int = 1) -> Tensor:
    """`conv2d` of spaces, `(n, c, d, h, w)`; everything else is the same."""

def conv_transpose1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Ints = 1, padding: Ints = 0, output_padding: Ints = 0, groups: int = 1, dilation: Ints = 1) -> Tensor:
    """`conv_transpose2d` of lines, `(n, c, w)`; everything else is the same."""

def conv_transpose2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Ints = 1, padding: Ints = 0, output_padding: Ints = 0, groups: int = 1, dilation: Ints = 1) -> Tensor:
    """The transpose of `conv2d`: each element of `input` adds a kernel, as often as it says.

    So it is the gradient of `conv2d`, and makes images larger again.

    Args:
        input: shape `(n, in, h, w)`, or `(in, h, w)` for one image.
        weight: shape `(in, out / groups, k, l)`.
        bias: shape `(out,)`, which is added; None: nothing.
        stride: how far apart in the result neighbours of `input` are.
        padding: how many elements are cut off at each edge of the result.
        output_padding: how many are added at its end; smaller than stride or dilation.
        groups: the channels are in so many groups, which do not see each other.
        dilation: how far apart in the result the elements of a kernel are.

    Returns:
        Tensor of shape `(n, out, h', w')`, `h' = (h − 1)·stride − 2·padding + dilation·(k − 1) +
        output_padding + 1`.

    Raises:
        ShapeError: if shapes or numbers do not fit.
        DTypeError: if the dtypes differ.

    Example:
        >>> conv_transpose2d(tensor([[[[1.0, 2.0]]]]), ones(1, 1, 1, 2))
        tensor([[[[1., 3., 2.]]]])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.conv_transpose2d.html
    """

def conv_transpose3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Ints = 1, padding: Ints = 0, output_padding: Ints = 0, groups: int = 1, dilation: Ints = 1) -> Tensor:
    """`conv_transpose2d` of spaces, `(n, c, d, h, w)`; everything else is the same."""

def copysign(input: Tensor, other: Operand, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The size of `input` with the sign of `other`, element by element.

    Args:
        input, other: real tensors of shapes that broadcast to `S`; `other` may be a number.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`; integers become the default dtype.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: for complex numbers.

    Example:
        >>> copysign(tensor([1.0, -2.0]), tensor([-0.0, 3.0]))
        tensor([-1.,  2.])

    See also: https://pytorch.org/docs/stable/generated/torch.copysign.html
    """

def cos(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def cos_(input: Tensor) -> Tensor:
    """`cos`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def cosh(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def cosh_(input: Tensor) -> Tensor:
    """`cosh`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-08, *, axis: int | None = None) -> Tensor:
    """The cosines of the angles between vectors.

    Args:
        x1, x2: tensors of shapes that broadcast to `S`.
        dim: in which the vectors lie.
        eps: the least length that a vector is divided by.

    Returns:
        Tensor of shape `S` without `dim`.

    Raises:
        DTypeError: if none is of floats.

    Example:
        >>> cosine_similarity(tensor([[1.0, 0.0]]), tensor([[1.0, 1.0]]))
        tensor([0.7071])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.cosine_similarity.html
    """

def count_nonzero(input: Tensor, dim: Dims = None, *, axis: Dims = None) -> Tensor:
    """How many elements are not 0, of all or over some dims.

    Args:
        input: tensor of shape `S`.
        dim: the dims to count over; None or () for all.

    Returns:
        int64 tensor of shape `S` without `dim`.

    Raises:
        DimError: for a dim that `input` does not have.

    Example:
        >>> count_nonzero(tensor([[0.0, 1.0], [2.0, 3.0]]), dim=1)
        tensor([1, 2])

    See also: https://pytorch.org/docs/stable/generated/torch.count_nonzero.html
    """

def cross(input: Tensor, other: Tensor, dim: int | None = None, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def cummax(input: Tensor, dim: int, *, out: Tensor | tuple[Tensor, ...] | None = None) -> CummaxReturn:
    """For each place, the largest element up to it in a dim, and its index.

    Args:
        input: real tensor of shape `S`.
        dim: along which dim.
        out: where to write the result, if the tape need not record it.

    Returns:
        The named tuple (values, indices), both of shape `S`: the last of several ties, which gets
        the gradient. Behind a nan, all is nan.

    Raises:
        DimError: if there is no such dim.
        DTypeError: for complex numbers.

    Example:
        >>> cummax(tensor([1.0, 3.0, 2.0]), 0)
        glassgrad.return_types.cummax(
        values=tensor([1., 3., 3.]),
        indices=tensor([0, 1, 1]))

    See also: https://pytorch.org/docs/stable/generated/torch.cummax.html
    """

def cummin(input: Tensor, dim: int, *, out: Tensor | tuple[Tensor, ...] | None = None) -> CumminReturn:
    """For each place, the smallest element up to it in a dim, and its index; see `cummax`.

    Example:
        >>> cummin(tensor([2.0, 3.0, 1.0]), 0).values
        tensor([2., 2., 1.])

    See also: https://pytorch.org/docs/stable/generated/torch.cummin.html
    """

def cumprod(input: Tensor, dim: int = ..., *, dtype: Any = None, axis: int | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def cumsum(input: Tensor, dim: int = ..., *, dtype: Any = None, axis: int | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def cumulative_trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Number | None = None, dim: int = -1, axis: int | None = None) -> Tensor:
    """The area up to each sample but the first; see `trapezoid`.

    Example:
        >>> cumulative_trapezoid(tensor([1.0, 3.0, 5.0]))
        tensor([2., 6.])

    See also: https://pytorch.org/docs/stable/generated/torch.cumulative_trapezoid.html
    """

default_generator: Generator

def deg2rad(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Angles in radians, of angles in degrees.

    Args:
        input: real tensor of shape `S`; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`.

    Raises:
        DTypeError: for complex numbers.

    Example:
        >>> deg2rad(tensor([180.0, 90.0]))
        tensor([3.1416, 1.5708])
    """

def deg2rad_(input: Tensor) -> Tensor:
    """`deg2rad`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def det(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The determinants of matrices.

    Args:
        input: shape `(…, n, n)`.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `(…)`.

    Raises:
        ShapeError, DTypeError: if they are not square matrices of floats.

    Example:
        >>> det(tensor([[1.0, 2.0], [3.0, 4.0]]))
        tensor(-2.)

    See also: https://pytorch.org/docs/stable/generated/torch.linalg.det.html
    """

def diag(input: Tensor, diagonal: int = 0, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """A matrix with a vector on its diagonal; or the diagonal of a matrix, as a copy.

    Args:
        input: shape `(n,)` or `(n, m)`.
        diagonal: which diagonal: 0 the main one, 1 the one above it, -1 the one below.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `(n + |diagonal|, n + |diagonal|)` for a vector; of shape `(k,)`, if the
        diagonal has `k` elements, for a matrix.

    Raises:
        ShapeError: for other shapes.

    Example:
        >>> diag(tensor([1, 2]))
        tensor([[1, 0],
                [0, 2]])
        >>> diag(tensor([[1, 2], [3, 4]]))
        tensor([1, 4])

    See also: https://pytorch.org/docs/stable/generated/torch.diag.html
    """

def diff(input: Tensor, n: int = 1, dim: int = -1, prepend: Tensor | None = None, append: Tensor | None = None, *, axis: int | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """How much larger than the one before it each element of a dim is.

    Args:
        input: tensor of shape `(…, m, …)`.
        n: how often differences are taken.
        dim: which dim has the size `m`.
        prepend, append: tensors that are put before and behind `input` first.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `(…, m - n, …)`. Bools differ where the result is True.

    Raises:
        ShapeError: for a 0-d tensor, a negative `n`, or other shapes of `prepend` and `append`.
        DimError: if there is no such dim.

    Example:
        >>> diff(tensor([1, 3, 2]))
        tensor([ 2, -1])

    See also: https://pytorch.org/docs/stable/generated/torch.diff.html
    """

def digamma(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def div(input: Operand, other: Operand, *, rounding_mode: str | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`input / other`, element by element.

    Args:
        input, other: tensors of shapes that broadcast to `S`, or one of them a number.
        rounding_mode: None: not at all. "trunc": towards 0, as C divides integers. "floor": down,
            as Python's `//` does.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`; two integers give the default dtype, rounded integers. What is
        rounded has gradient 0.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: for a rounding mode that is none, or integers divided by 0 and rounded.

    Example:
        >>> div(tensor([1, 2]), 4)
        tensor([0.2500, 0.5000])
        >>> div(tensor([7, -7]), 2, rounding_mode="trunc")
        tensor([ 3, -3])

    See also: https://pytorch.org/docs/stable/generated/torch.div.html
    """

divide = div

def dot(input: Tensor, tensor: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Elements set to 0 at random; the others grow, so that the expectation stays.

    Args:
        input: floating-point or complex tensor of shape `S`.
        p: how likely an element is set to 0.
        training: False: return `input` itself.
        inplace: write the result to the memory of `input`, and return that.

    Returns:
        Tensor of shape `S`.

    Raises:
        ArgumentError: if `p` is not from 0 to 1.
        DTypeError: for integers, in training.

    Example:
        >>> dropout(tensor([1.0, 2.0]), 0.0)
        tensor([1., 2.])
        >>> sorted({*dropout(ones(100), 0.5).tolist()})
        [0.0, 2.0]

    See also: Srivastava et al., *Dropout* (2014).
    """

def dropout_(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """`dropout`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def dstack(tensors: Tensors, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def empty(*sizes: Any, memory_format: Any = None, dtype: Any = None, device: Any = None, requires_grad: bool = False, size: Any = None, out: Tensor | tuple[Tensor, ...] | None = None, layout: Any = None, pin_memory: bool | None = None) -> Tensor:
    """A tensor whose values are whatever was in memory; see `zeros`.

    With `memory_format=channels_last` the dim of channels lies innermost.

    Example:
        >>> empty(2, 3).shape
        glassgrad.Size([2, 3])
        >>> empty_like(tensor([1, 2])).dtype
        glassgrad.int64
    """

def empty_like(input: Tensor, *, memory_format: Any = None, dtype: Any = None, device: Any = None, requires_grad: bool = False, layout: Any = None, pin_memory: bool | None = None) -> Tensor:
    """`empty`, in the shape, the dtype and on the device of `input`."""

def empty_strided(size: Sequence[int], stride: Sequence[int], *, dtype: Any = None, device: Any = None, requires_grad: bool = False, layout: Any = None, pin_memory: bool | None = None) -> Tensor:
    """A tensor of whatever was in memory, with such strides.

    Args:
        size: its sizes.
        stride: how many elements of memory lie between neighbours along each dim.
        dtype: None: the default dtype.
        device, requires_grad: as `tensor`.

    Returns:
        A leaf.

    Raises:
        ShapeError: if there are not as many sizes as strides, or one is negative.

    Example:
        >>> empty_strided((2, 3), (1, 2)).stride()
        (1, 2)

    See also: https://pytorch.org/docs/stable/generated/torch.empty_strided.html
    """

def eq(input: Operand, other: Operand, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`input == other`, element by element.

    Args:
        input, other: tensors of shapes that broadcast to `S`, or one of them a number.
        out: where to write the result, if the tape need not record it.

    Returns:
        bool tensor of shape `S`; nan equals nothing.

    Raises:
        ShapeError: if the shapes do not broadcast.

    Example:
        >>> eq(tensor([1, 2]), tensor([1, 3]))
        tensor([ True, False])
    """

def erf(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The error function `2/√π·∫ exp(−t²) dt` from 0 to `input`, element by element.

    Args:
        input: real tensor of shape `S`; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`.

    Example:
        >>> erf(tensor([0.0, 1.0]))
        tensor([0.0000, 0.8427])
    """

def erf_(input: Tensor) -> Tensor:
    """`erf`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def erfc(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`1 - erf(input)`, with all digits where that is small; see `erf`.

    Example:
        >>> erfc(tensor([0.0, 1.0]))
        tensor([1.0000, 0.1573])
    """

def erfc_(input: Tensor) -> Tensor:
    """`erfc`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def erfinv(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The inverse of `erf`, element by element: inf at 1, nan beyond.

    Example:
        >>> erfinv(tensor([0.0, 0.5]))
        tensor([0.0000, 0.4769])
    """

def exp(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def exp2(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def exp2_(input: Tensor) -> Tensor:
    """`exp2`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def exp_(input: Tensor) -> Tensor:
    """`exp`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def expm1(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def expm1_(input: Tensor) -> Tensor:
    """`expm1`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def eye(n: int, m: int | None = None, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, out: Tensor | tuple[Tensor, ...] | None = None, layout: Any = None, pin_memory: bool | None = None) -> Tensor:
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

def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """`alpha_dropout` of whole channels.

    Args:
        input: floating-point tensor of shape `(N, C, …)`.
        p: how likely that is.
        training: False: return `input` itself.
        inplace: write the result to the memory of `input`, and return that.

    Raises:
        ArgumentError: if `p` is not from 0 to 1.
        ShapeError: if there are no channels.

    Example:
        >>> feature_alpha_dropout(ones(1, 2), 0.0, training=True)
        tensor([[1., 1.]])
    """

def feature_alpha_dropout_(input: Tensor, p: float = 0.5, training: bool = False) -> Tensor:
    """`feature_alpha_dropout`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def feature_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """`feature_dropout`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

fix = trunc

fix_ = trunc_

def float_power(input: Operand, exponent: Operand, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`pow` of float64, or of complex128 where one of both is complex.

    Args:
        input, exponent: tensors of shapes that broadcast to `S`, or one of them a number.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`.

    Raises:
        ShapeError: if the shapes do not broadcast.

    Example:
        >>> float_power(tensor([1, 2, 3]), 2)
        tensor([1., 4., 9.], dtype=glassgrad.float64)

    See also: https://pytorch.org/docs/stable/generated/torch.float_power.html
    """

def floor(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def floor_(input: Tensor) -> Tensor:
    """`floor`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def floor_divide(input: Operand, other: Operand, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`input // other`, as in Python: `div` rounded down.

    Example:
        >>> floor_divide(tensor([7, -7]), 2)
        tensor([ 3, -4])

    See also: https://pytorch.org/docs/stable/generated/torch.floor_divide.html
    """

def fmax(input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The larger of two values, element by element; a number if the other one is nan.

    Args:
        input, other: real tensors of shapes that broadcast to `S`.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`, of the promoted dtype; nan where both are. Where both are equal,
        `input` gets the gradient.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: for complex numbers.

    Example:
        >>> fmax(tensor([1.0, float("nan")]), tensor([3.0, 2.0]))
        tensor([3., 2.])

    See also: https://pytorch.org/docs/stable/generated/torch.fmax.html
    """

def fmin(input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The smaller of two values, element by element; everything else is as for `fmax`.

    Example:
        >>> fmin(tensor([1.0, float("nan")]), tensor([3.0, 2.0]))
        tensor([1., 2.])
    """

def fmod(input: Tensor, other: Operand, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """What is left of a division that is rounded towards 0; it has the sign of `input`.

    Args:
        input, other: real tensors of shapes that broadcast to `S`; `other` may be a number.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`, of the promoted dtype; nan where a float is divided by 0.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: for bools and complex numbers; for integers divided by 0.

    Example:
        >>> fmod(tensor([-3.0, 3.5]), 2)
        tensor([-1.0000,  1.5000])

    See also: https://pytorch.org/docs/stable/generated/torch.fmod.html
    """

def frac(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def frac_(input: Tensor) -> Tensor:
    """`frac`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def frexp(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> FrexpReturn:
    """Each number as a mantissa from ½ to 1, and a power of 2.

    Args:
        input: floating-point tensor of shape `S`.
        out: where to write the result, if the tape need not record it.

    Returns:
        `(mantissa, exponent)`: tensors of shape `S`, the exponents int32, so that
        `input = mantissa · 2**exponent`.

    Raises:
        DTypeError: for other dtypes.

    Example:
        >>> frexp(tensor([6.0])).exponent
        tensor([3], dtype=glassgrad.int32)

    See also: https://pytorch.org/docs/stable/generated/torch.frexp.html
    """

def full(size: Sequence[int], fill_value: Number | Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, out: Tensor | tuple[Tensor, ...] | None = None, layout: Any = None, pin_memory: bool | None = None) -> Tensor:
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

def full_like(input: Tensor, fill_value: Number | Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, memory_format: Any = None, layout: Any = None, pin_memory: bool | None = None) -> Tensor:
    """`full`, in the shape, the dtype and on the device of `input`."""

def gather(input: Tensor, dim: int = ..., index: Tensor = ..., *, sparse_grad: bool = False, axis: int | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """For each place of `index` one element of `input`: there in one dim, here in the others.

    Args:
        input: tensor with `d` dims.
        dim: the dim in which `index` chooses.
        index: int32 or int64 tensor with `d` dims, in all others but `dim` no larger than `input`.
        sparse_grad: PyTorch's; no other than False, since no tensor here is sparse.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of the shape of `index`; with dim=1, `y[i, j] = input[i, index[i, j]]`.

    Raises:
        ShapeError: if the shapes do not fit, or there is no such element.
        DTypeError: if `index` holds no integers.

    Example:
        >>> gather(tensor([[1, 2], [3, 4]]), 1, tensor([[0], [1]]))
        tensor([[1],
                [4]])

    See also: https://pytorch.org/docs/stable/generated/torch.gather.html
    """

def gcd(input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The greatest common divisor, element by element.

    Args:
        input, other: integer tensors of shapes that broadcast to `S`.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`, of the promoted dtype; gcd(0, 0) is 0.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: for other dtypes.

    Example:
        >>> gcd(tensor([5, 10, 15]), tensor([3, 4, 5]))
        tensor([1, 2, 5])
    """

def gcd_(input: Tensor, other: Tensor) -> Tensor:
    """`gcd`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def ge(input: Operand, other: Operand, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`input >= other`, element by element; see `eq`.

    Example:
        >>> ge(tensor([1, 2]), 2)
        tensor([False,  True])
    """

def geqrf(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Any:
    """The factors of A = Q·R as LAPACK has them: R, and the reflections whose product is Q.

    Args:
        input: shape `(…, n, m)`; k is the smaller of n and m.
        out: where to write the result, if the tape need not record it.

    Returns:
        The named tuple (a, tau), of the shape of A and `(…, k)`: R on and above the diagonal of
        `a`, below it and in `tau` what `householder_product` takes. They have no gradient.

    Raises:
        ShapeError, DTypeError: if they are no matrices of floats.

    Example:
        >>> geqrf(tensor([[3.0], [4.0]])).a
        tensor([[-5.0000],
                [ 0.5000]])
    """

ger = outer

def gradient(input: Tensor, *, spacing: Any = 1, dim: Dims = None, edge_order: int = 1, axis: Dims = None) -> tuple[Tensor, ...]:
    """The slope of sampled functions: from both neighbours, at the ends from the nearest ones.

    Args:
        input: samples: tensor of shape `S`.
        spacing: how far samples are apart: a number; one for each dim; or for each dim a vector
            of coordinates.
        dim: along which dims; None: all of them.
        edge_order: 1 or 2: whether the ends are exact for lines, or for parabolas.

    Returns:
        For each dim a tensor of shape `S`.

    Raises:
        ShapeError: if there are too few samples, or not one spacing for each dim.
        DTypeError: for uint8.

    Example:
        >>> gradient(tensor([1.0, 4.0, 9.0, 16.0]))
        (tensor([3., 4., 6., 7.]),)

    See also: https://pytorch.org/docs/stable/generated/torch.gradient.html
    """

greater = gt

greater_equal = ge

def gru(input: Tensor, hx: Tensor | Sequence[Tensor], params: Sequence[Tensor], has_biases: bool, num_layers: int, dropout: float, train: bool, bidirectional: bool, batch_first: bool) -> tuple[Tensor, ...]:
    """`lstm` of gated recurrent units, which have no c: `y, h = gru(x, h, …)`; everything else is the same."""

def gru_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> Tensor:
    """One step of gated recurrent units; arguments as in `lstm_cell`, with 3·H rows, without c.

    Example:
        >>> gru_cell(ones(1, 1), zeros(1, 1), ones(3, 1), ones(3, 1))
        tensor([[0.2048]])
        >>> rnn_tanh_cell(ones(1, 1), zeros(1, 1), ones(1, 1), ones(1, 1))
        tensor([[0.7616]])
        >>> rnn_relu_cell(ones(1, 1), zeros(1, 1), ones(1, 1), ones(1, 1))
        tensor([[1.]])
    """

def gt(input: Operand, other: Operand, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`input > other`, element by element; see `eq`.

    Example:
        >>> gt(tensor([1, 2]), 1)
        tensor([False,  True])
    """

def hamming_window(window_length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, out: Tensor | tuple[Tensor, ...] | None = None, layout: Any = None, pin_memory: bool | None = None) -> Tensor:
    """`alpha - beta·cos`, an arch that does not begin at 0; see `hann_window`.

    Example:
        >>> hamming_window(4)
        tensor([0.0800, 0.5400, 1.0000, 0.5400])
    """

def hann_window(window_length: int, periodic: bool = True, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, out: Tensor | tuple[Tensor, ...] | None = None, layout: Any = None, pin_memory: bool | None = None) -> Tensor:
    """One arch of a cosine from 0 to 1 and back: what a part of a signal is multiplied by.

    Args:
        window_length: n, how many numbers.
        periodic: whether the last one is left out, which is the first of the next arch.
        dtype: None: the default dtype.
        device, requires_grad: as `tensor`.

    Returns:
        Tensor of shape `(n,)`.

    Raises:
        ShapeError: for a negative length.
        DTypeError: for a dtype without fractions.
        ArgumentTypeError: for a length that is no integer.

    Example:
        >>> hann_window(4)
        tensor([0.0000, 0.5000, 1.0000, 0.5000])

    See also: https://pytorch.org/docs/stable/generated/torch.hann_window.html
    """

def hardshrink(input: Tensor, lambd: float = 0.5, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`input` where it is further from 0 than `lambd`, 0 elsewhere.

    Args:
        input: floating-point tensor of shape `S`.
        lambd: how far.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`. At the jumps the slope is 0.

    Raises:
        DTypeError: for other dtypes.

    Example:
        >>> hardshrink(tensor([-2.0, 0.25, 1.0]))
        tensor([-2.,  0.,  1.])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.hardshrink.html
    """

def heaviside(input: Tensor, values: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The step from 0 to 1: 0 below 0, 1 above, `values` there, element by element.

    Args:
        input, values: real tensors of one dtype and of shapes that broadcast to `S`.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S` and the same dtype. As in PyTorch, a pass that comes to it raises.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: for complex numbers, or if the dtypes differ.

    Example:
        >>> heaviside(tensor([-1.5, 0.0, 2.0]), tensor([0.5]))
        tensor([0.0000, 0.5000, 1.0000])

    See also: https://pytorch.org/docs/stable/generated/torch.heaviside.html
    """

def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """How many elements lie in each of some bins of one width.

    Args:
        input: floating-point tensor of any shape.
        bins: how many bins.
        min, max: where the first begins and the last ends; if equal, the smallest and the largest
            element. What lies outside is not counted.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `(bins,)` and the dtype of `input`.

    Raises:
        ShapeError: for less than one bin, or ends that are not finite or not in order.
        DTypeError: for other dtypes.

    Example:
        >>> histc(tensor([1.0, 2.0, 1.0]), bins=4, min=0, max=3)
        tensor([0., 2., 1., 0.])

    See also: https://pytorch.org/docs/stable/generated/torch.histc.html
    """

def histogram(input: Tensor, bins: Tensor | int = 100, *, range: Sequence[float] | None = None, weight: Tensor | None = None, density: bool = False, out: Tensor | tuple[Tensor, ...] | None = None) -> HistogramReturn:
    """How many elements lie in each of some bins, and where these begin and end.

    Args:
        input: floating-point tensor of shape `S`.
        bins: how many bins of one width; or their edges, a vector of `n + 1` ascending numbers.
        range: where the first bin begins and the last one ends. Default: the smallest and the
            largest element.
        weight: what each element counts: shape `S`.
        density: whether the areas of the bins are to sum up to 1.
        out: where to write the result, if the tape need not record it.

    Returns:
        The named tuple (hist, bin_edges), of shapes `(n,)` and `(n + 1,)`. The last edge belongs to
        the last bin.

    Raises:
        ShapeError: for less than one bin, other shapes, or ends that are not finite or in order.
        DTypeError: for other dtypes, or different ones.
        ArgumentTypeError: for both edges and a range.

    Example:
        >>> histogram(tensor([1.0, 2.0, 1.0]), bins=2, range=(0.0, 3.0)).hist
        tensor([2., 1.])

    See also: https://pytorch.org/docs/stable/generated/torch.histogram.html
    """

def hstack(tensors: Tensors, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def hypot(input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def i0(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The modified Bessel function of the first kind of order 0, element by element.

    Args:
        input: real tensor of shape `S`; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`.

    Example:
        >>> i0(tensor([0.0, 1.0]))
        tensor([1.0000, 1.2661])
    """

def i0_(input: Tensor) -> Tensor:
    """`i0`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def igamma(input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The lower incomplete gamma function, divided by the whole one, element by element.

    Args:
        input, other: non-negative floating-point tensors of shapes that broadcast to `S`. The
            first has no gradient, here as in PyTorch.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`, of the promoted dtype: from 0 at `other` = 0 to 1 at infinity.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: for integers.
        MissingRuleError: if `input` requires grad.

    Example:
        >>> igamma(tensor([1.0]), tensor([1.0]))
        tensor([0.6321])

    See also: https://pytorch.org/docs/stable/special.html#torch.special.gammainc
    """

def igammac(input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The upper incomplete gamma function, divided by the whole one: `1 - igamma(input, other)`.

    Example:
        >>> igammac(tensor([1.0]), tensor([1.0]))
        tensor([0.3679])
    """

def index_put_(input: Tensor, indices: Sequence[Tensor], values: Tensor, accumulate: bool = False) -> Tensor:
    """`index_put`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def index_select(input: Tensor, dim: int, index: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Some elements of a dim, in the order of `index`.

    Args:
        input: tensor of shape `(…, n, …)`.
        dim: which dim has the size `n`.
        index: int32 or int64 tensor of shape `(m,)`, from 0 to `n - 1`; repeats are allowed.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `(…, m, …)`.

    Raises:
        DimError: if there is no such dim, or no such element.
        DTypeError: if `index` holds no integers.

    Example:
        >>> index_select(tensor([[1, 2, 3], [4, 5, 6]]), 1, tensor([2, 0, 2]))
        tensor([[3, 1, 3],
                [6, 4, 6]])
    """

def inner(input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def inverse(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The same as `linalg.inv`.

    Example:
        >>> inverse(tensor([[2.0]]))
        tensor([[0.5000]])
    """

def isneginf(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Which elements are -inf; see `isposinf`.

    Example:
        >>> isneginf(tensor([float("inf"), float("-inf")]))
        tensor([False,  True])
    """

def isposinf(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Which elements are inf.

    Raises:
        DTypeError: for complex numbers.

    Example:
        >>> isposinf(tensor([float("inf"), float("-inf")]))
        tensor([ True, False])
    """

def kaiser_window(window_length: int, periodic: bool = True, beta: float = 12.0, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, out: Tensor | tuple[Tensor, ...] | None = None, layout: Any = None, pin_memory: bool | None = None) -> Tensor:
    """A window of Bessel functions, the narrower the larger `beta`; see `hann_window`.

    Example:
        >>> kaiser_window(3, periodic=False, beta=0.0)
        tensor([1., 1., 1.])
    """

def kron(input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The Kronecker product: each element of `input` times all of `other`, in its place.

    Args:
        input, other: tensors; one with fewer dims gets dims of size 1 in front.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor whose sizes are the products of theirs, of the promoted dtype.

    Example:
        >>> kron(tensor([1, 2]), tensor([1, 10]))
        tensor([ 1, 10,  2, 20])
    """

def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False, *, axis: int | None = None, keepdims: bool | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> KthvalueReturn:
    """The `k`-th smallest element along a dim, and where it is.

    Args:
        input: real tensor of shape `(…, n, …)`.
        k: which one, from 1 to `n`.
        dim: which dim has the size `n`.
        keepdim: keep that dim, with size 1.
        out: where to write the result, if the tape need not record it.

    Returns:
        The named tuple (values, indices), without `dim`. nan counts as the largest.

    Raises:
        DimError: if there is no such dim, or nothing along it.
        ShapeError: if there is no `k`-th element.
        DTypeError: for complex numbers.

    Example:
        >>> kthvalue(tensor([3.0, 1.0, 2.0]), 2).values
        tensor(2.)

    See also: https://pytorch.org/docs/stable/generated/torch.kthvalue.html
    """

def lcm(input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The least common multiple, element by element; see `gcd`.

    Example:
        >>> lcm(tensor([5, 10, 15]), tensor([3, 4, 5]))
        tensor([15, 20, 15])
    """

def lcm_(input: Tensor, other: Tensor) -> Tensor:
    """`lcm`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def ldexp(input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`input · 2**other`, element by element: the inverse of `frexp`.

    Args:
        input, other: tensors of shapes that broadcast to `S`.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`; integers become the default dtype.

    Raises:
        ShapeError: if the shapes do not broadcast.

    Example:
        >>> ldexp(tensor([0.5, 0.75]), tensor([1, 3]))
        tensor([1., 6.])

    See also: https://pytorch.org/docs/stable/generated/torch.ldexp.html
    """

def ldexp_(input: Tensor, other: Tensor) -> Tensor:
    """`ldexp`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def le(input: Operand, other: Operand, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`input <= other`, element by element; see `eq`.

    Example:
        >>> le(tensor([1, 2]), 1)
        tensor([ True, False])
    """

def lerp(input: Tensor, end: Tensor, weight: Tensor | Number, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The point that lies `weight` of the way from `input` to `end`.

    Args:
        input, end: floating-point tensors of one dtype; with a tensor `weight` all three
            broadcast to `S`.
        weight: a number or a tensor of the same dtype; 0 gives `input`, 1 gives `end`.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`.

    Raises:
        DTypeError: for integers, or if the dtypes differ.
        ShapeError: if the shapes do not broadcast.

    Example:
        >>> lerp(tensor([0.0, 10.0]), tensor([10.0, 20.0]), 0.25)
        tensor([ 2.5000, 12.5000])

    See also: https://pytorch.org/docs/stable/generated/torch.lerp.html
    """

less = lt

less_equal = le

def lgamma(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def linspace(start: Any, end: Any, steps: int, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, out: Tensor | tuple[Tensor, ...] | None = None, layout: Any = None, pin_memory: bool | None = None) -> Tensor:
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

def log(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def log10(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def log10_(input: Tensor) -> Tensor:
    """`log10`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def log1p(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def log1p_(input: Tensor) -> Tensor:
    """`log1p`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def log2(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def log2_(input: Tensor) -> Tensor:
    """`log2`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def log_(input: Tensor) -> Tensor:
    """`log`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def log_softmax(input: Tensor, dim: int = ..., dtype: Any = None, *, axis: int | None = None) -> Tensor:
    """The logarithm of `softmax`, exact where softmax itself rounds to 0.

    Args:
        input: floating-point tensor of shape `S`.
        dim: along which dim.
        dtype: convert `input` to this first.

    Returns:
        Tensor of shape `S`.

    Raises:
        DimError: if there is no such dim.
        DTypeError: for integers without `dtype`.

    Example:
        >>> log_softmax(tensor([0.0, 1000.0]), dim=0)
        tensor([-1000.,     0.])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.log_softmax.html
    """

def logaddexp(input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`log(exp(input) + exp(other))` without overflow, element by element.

    Args:
        input, other: floating-point or complex tensors of shapes that broadcast to `S`.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`, of the promoted dtype.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: for integers.

    Example:
        >>> logaddexp(tensor([1000.0]), tensor([1000.0]))
        tensor([1000.6932])

    See also: https://pytorch.org/docs/stable/generated/torch.logaddexp.html
    """

def logaddexp2(input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`log2(2**input + 2**other)` without overflow, element by element; see `logaddexp`.

    Example:
        >>> logaddexp2(tensor([1000.0]), tensor([1000.0]))
        tensor([1001.])
    """

def logcumsumexp(input: Tensor, dim: int = ..., *, axis: int | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """For each place `logsumexp` of what is before it in a dim, and of the element itself.

    Args:
        input: floating-point or complex tensor of shape `S`.
        dim: along which dim.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`.

    Raises:
        DimError: if there is no such dim.
        DTypeError: for integers.

    Example:
        >>> logcumsumexp(tensor([1000.0, 1000.0]), 0)
        tensor([1000.0000, 1000.6932])

    See also: https://pytorch.org/docs/stable/generated/torch.logcumsumexp.html
    """

def logical_and(input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Whether both are not 0, element by element.

    Args:
        input, other: tensors of any dtype and of shapes that broadcast to `S`.
        out: where to write the result, if the tape need not record it.

    Returns:
        bool tensor of shape `S`.

    Raises:
        ShapeError: if the shapes do not broadcast.

    Example:
        >>> logical_and(tensor([1.0, 0.0]), tensor([True, True]))
        tensor([ True, False])
    """

def logical_not(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Whether it is 0, element by element.

    Example:
        >>> logical_not(tensor([1.0, 0.0]))
        tensor([False,  True])
    """

def logical_or(input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Whether one or both are not 0, element by element; see `logical_and`.

    Example:
        >>> logical_or(tensor([1.0, 0.0]), tensor([False, False]))
        tensor([ True, False])
    """

def logical_xor(input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Whether exactly one is not 0, element by element; see `logical_and`.

    Example:
        >>> logical_xor(tensor([1.0, 0.0]), tensor([True, True]))
        tensor([False,  True])
    """

def logit(input: Tensor, eps: float | None = None, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def logit_(input: Tensor, eps: float | None = None) -> Tensor:
    """`logit`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def logspace(start: Any, end: Any, steps: int, base: float = 10.0, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, out: Tensor | tuple[Tensor, ...] | None = None, layout: Any = None, pin_memory: bool | None = None) -> Tensor:
    """Powers of `base` whose exponents lie at equal distances, from `start` to `end`.

    Args:
        start, end: the first and the last exponent.
        steps: how many; as `linspace`.
        base: what is raised to them.
        dtype: None: the default dtype.
        device, requires_grad: as `tensor`.

    Returns:
        Tensor of shape `(steps,)`.

    Example:
        >>> logspace(0, 2, 3)
        tensor([  1.,  10., 100.])
    """

def logsumexp(input: Tensor, dim: Dims = ..., keepdim: bool = False, *, axis: Dims = None, keepdims: bool | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`log(sum(exp(input)))` without overflow: the largest element is taken out first.

    Args:
        input: tensor of shape `S`; integers become the default dtype.
        dim: the dims to reduce; None or () for all.
        keepdim, keepdims: keep those dims, with size 1.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S` without `dim`.

    Raises:
        DimError: for a dim that `input` does not have.

    Example:
        >>> logsumexp(tensor([1000.0, 1000.0]), dim=0)
        tensor(1000.6932)

    See also: https://pytorch.org/docs/stable/generated/torch.logsumexp.html
    """

def lstm(input: Tensor, hx: Tensor | Sequence[Tensor], params: Sequence[Tensor], has_biases: bool, num_layers: int, dropout: float, train: bool, bidirectional: bool, batch_first: bool) -> tuple[Tensor, ...]:
    """A long short-term memory; `nn.LSTM` has the parameters, and says what they are.

    Args:
        input: of shape `(T, N, n)`, or `(N, T, n)` with `batch_first`.
        hx: h and c before the first step, of shape `(L·D, N, H)` each; where there is no c, h.
        params: weights and biases of each layer and direction.
        has_biases: whether there are biases.
        num_layers, bidirectional: L, and whether D is 2.
        dropout: how likely an element is set to 0 between layers, if `train`.

    Returns:
        h of all steps of the last layer, `(T, N, D·H)`, and h and c after the last step.

    Raises:
        RangeError: if the number of parameters does not fit.

    Example:
        >>> x, state, form = ones(2, 1, 1), zeros(1, 1, 1), (False, 1, 0.0, False, False, False)
        >>> y, h, c = lstm(x, (state, state), [ones(4, 1), ones(4, 1)], *form)
        >>> y.squeeze()
        tensor([0.3696, 0.6505])
        >>> gru(x, state, [ones(3, 1), ones(3, 1)], *form)[0].squeeze()
        tensor([0.2048, 0.3468])
        >>> rnn_tanh(x, state, [ones(1, 1), ones(1, 1)], *form)[0].squeeze()
        tensor([0.7616, 0.9427])
        >>> rnn_relu(x, state, [ones(1, 1), ones(1, 1)], *form)[0].squeeze()
        tensor([1., 2.])
    """

def lt(input: Operand, other: Operand, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`input < other`, element by element; see `eq`.

    Example:
        >>> lt(tensor([1, 2]), 2)
        tensor([ True, False])
    """

def lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`linalg.lu_solve(LU_data, LU_pivots, input)`.

    Example:
        >>> tensor([[4.0]]).lu_solve(*tensor([[2.0]]).lu())
        tensor([[2.]])
    """

def masked_select(input: Tensor, mask: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The elements where the mask says so, row by row.

    Args:
        input: tensor; its shape and the mask's broadcast.
        mask: bool tensor.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor with one dim.

    Raises:
        DTypeError: if the mask is not bool.
        ShapeError: if the shapes do not broadcast.

    Example:
        >>> x = tensor([[1.0, 5.0], [7.0, 2.0]])
        >>> masked_select(x, x > 3)
        tensor([5., 7.])

    See also: https://pytorch.org/docs/stable/generated/torch.masked_select.html
    """

def matmul(input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def matrix_power(input: Tensor, n: int, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The matrices multiplied with themselves: `n` of them.

    Args:
        input: shape `(…, k, k)`.
        n: how many; a negative number for those of the inverse.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `(…, k, k)`; the identity for 0.

    Raises:
        LinAlgError: if `n` is negative and a matrix is singular.
        ShapeError, DTypeError: if they are not square matrices of floats.

    Example:
        >>> matrix_power(tensor([[1.0, 1.0], [0.0, 1.0]]), 3)
        tensor([[1., 3.],
                [0., 1.]])
    """

def max(input: Tensor, dim: int | Tensor | None = None, keepdim: bool = False, *, axis: int | Tensor | None = None, keepdims: bool | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> Any:
    """The largest of all elements; with a dim, the largest along it and their indices.

    Args:
        input: real tensor of shape `S`.
        dim, axis: one dim, or a tensor to take the elementwise `maximum` with.
        keepdim, keepdims: keep that dim, with size 1.
        out: where to write the result, if the tape need not record it.

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

def max_pool1d(input: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints = 0, dilation: Ints = 1, ceil_mode: bool = False, return_indices: bool = False) -> Any:
    """`max_pool2d` of lines, `(n, c, w)`; everything else is the same."""

def max_pool2d(input: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints = 0, dilation: Ints = 1, ceil_mode: bool = False, return_indices: bool = False) -> Any:
    """The largest element of each window of an image.

    Args:
        input: shape `(n, c, h, w)`, or `(c, h, w)` for one image.
        kernel_size: the size of a window, a number or one for each dim.
        stride: how far the next window is; None: as far as a window is large.
        padding: how far windows reach over the edges, where nothing is; at most half a window.
        dilation: how far apart in the image the elements of a window are.
        ceil_mode: whether a last window may be only partly filled.
        return_indices: whether to return where the elements were, too.

    Returns:
        Tensor of shape `(n, c, h', w')`, `h' = ⌊(h + 2·padding − dilation·(k − 1) − 1)/stride⌋ +
        1`, rounded up in `ceil_mode`; with `return_indices` a pair with the int64 tensor of places
        in the image, counted row by row. Of several largest elements the first one gets the
        gradient; nan counts as the largest.

    Raises:
        ShapeError: if shapes or numbers do not fit.
        DTypeError: for bools and complex numbers.

    Example:
        >>> max_pool2d(arange(16.0).reshape(1, 4, 4), 2)
        tensor([[[ 5.,  7.],
                 [13., 15.]]])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.max_pool2d.html
    """

def max_pool3d(input: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints = 0, dilation: Ints = 1, ceil_mode: bool = False, return_indices: bool = False) -> Any:
    """`max_pool2d` of spaces, `(n, c, d, h, w)`; everything else is the same."""

def maximum(input: Operand, other: Operand, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def mean(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: Any = None, axis: Dims = None, keepdims: bool | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def median(input: Tensor, dim: int | None = None, keepdim: bool = False, *, axis: int | None = None, keepdims: bool | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> Any:
    """The element in the middle of all; with a dim, those along it and their indices.

    Args:
        input: real tensor of shape `S`.
        dim, axis: one dim; None for all elements.
        keepdim, keepdims: keep that dim, with size 1.
        out: where to write the result, if the tape need not record it.

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

def min(input: Tensor, dim: int | Tensor | None = None, keepdim: bool = False, *, axis: int | Tensor | None = None, keepdims: bool | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> Any:
    """The smallest of all elements; with a dim, the smallest along it and their indices.

    Everything else is as for `max`.

    Example:
        >>> min(tensor([1.0, 3.0, 2.0]))
        tensor(1.)

    See also: https://pytorch.org/docs/stable/generated/torch.min.html
    """

def minimum(input: Operand, other: Operand, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The smaller of two values, element by element; everything else is as for `maximum`.

    Example:
        >>> minimum(tensor([1.0, 5.0]), tensor([3.0, 2.0]))
        tensor([1., 2.])

    See also: https://pytorch.org/docs/stable/generated/torch.minimum.html
    """

def mm(input: Tensor, mat2: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def mode(input: Tensor, dim: int = -1, keepdim: bool = False, *, axis: int | None = None, keepdims: bool | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> ModeReturn:
    """The most frequent element along a dim, and where it is.

    Args:
        input: real tensor of shape `(…, n, …)`.
        dim: which dim has the size `n`.
        keepdim: keep that dim, with size 1.
        out: where to write the result, if the tape need not record it.

    Returns:
        The named tuple (values, indices), without `dim`: of equally frequent elements the
        smallest one, and where it is for the last time.

    Raises:
        DimError: if there is no such dim, or nothing along it.
        DTypeError: for complex numbers.

    Example:
        >>> mode(tensor([3, 1, 3]))
        glassgrad.return_types.mode(
        values=tensor(3),
        indices=tensor(2))

    See also: https://pytorch.org/docs/stable/generated/torch.mode.html
    """

def msort(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The elements along the first dim in ascending order.

    Example:
        >>> msort(tensor([[3, 1], [2, 4]]))
        tensor([[2, 1],
                [3, 4]])

    See also: https://pytorch.org/docs/stable/generated/torch.msort.html
    """

def mul(input: Operand, other: Operand, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def multinomial(input: Tensor, num_samples: int, replacement: bool = False, *, generator: Generator | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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
        ShapeError: for other shapes, more choices than classes, or weights that are negative, not
            finite or all 0.
        DTypeError: for weights without fractions.
        RangeError: for weights that are negative, not finite or all 0, or more than 2²⁴ of them.

    Example:
        >>> multinomial(tensor([[0.0, 1.0, 0.0], [0.0, 0.0, 2.0]]), 1)
        tensor([[1],
                [2]])

    See also: https://pytorch.org/docs/stable/generated/torch.multinomial.html
    """

multiply = mul

def mv(input: Tensor, vec: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def mvlgamma(input: Tensor, p: int, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The logarithm of the gamma function of symmetric matrices of `p` rows, element by element.

    Args:
        input: real tensor of shape `S`, larger than `(p - 1) / 2`; integers become the default
            dtype.
        p: how many rows.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`: `p·(p - 1)/4·ln π + Σⱼ ln Γ(input - j/2)` for j from 0 to p - 1.

    Raises:
        DTypeError: if `p` is not positive.

    Example:
        >>> mvlgamma(tensor([3.0]), 2)
        tensor([1.5502])

    See also: https://pytorch.org/docs/stable/generated/torch.mvlgamma.html
    """

def nan_to_num(input: Tensor, nan: float | None = None, posinf: float | None = None, neginf: float | None = None, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Numbers in place of nan, inf and -inf, element by element.

    Args:
        input: tensor of shape `S`.
        nan: what nan becomes. Default: 0.
        posinf, neginf: what they become. Default: the largest and the smallest of the dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S` and the same dtype. What was replaced has gradient 0.

    Example:
        >>> nan_to_num(tensor([1.0, float("nan"), float("inf")]), posinf=9.0)
        tensor([1., 0., 9.])

    See also: https://pytorch.org/docs/stable/generated/torch.nan_to_num.html
    """

def nan_to_num_(input: Tensor, nan: float | None = None, posinf: float | None = None, neginf: float | None = None) -> Tensor:
    """`nan_to_num`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def nanmean(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: Any = None, axis: Dims = None, keepdims: bool | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`mean` of all elements but nan; of nothing else it is nan.

    Raises:
        DimError: for a dim that `input` does not have.
        DTypeError: for integers and complex numbers.

    Example:
        >>> nanmean(tensor([1.0, float("nan"), 3.0]))
        tensor(2.)

    See also: https://pytorch.org/docs/stable/generated/torch.nanmean.html
    """

def nanmedian(input: Tensor, dim: int | None = None, keepdim: bool = False, *, axis: int | None = None, keepdims: bool | None = None) -> Any:
    """`median` of all elements but nan; of nothing else it is nan.

    Example:
        >>> nanmedian(tensor([3.0, float("nan"), 2.0]))
        tensor(2.)

    See also: https://pytorch.org/docs/stable/generated/torch.nanmedian.html
    """

def nanquantile(input: Tensor, q: Tensor | float, dim: int | None = None, keepdim: bool = False, *, interpolation: str = 'linear', axis: int | None = None, keepdims: bool | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`quantile` of all elements but nan; of nothing else it is nan.

    Example:
        >>> nanquantile(tensor([1.0, float("nan"), 3.0]), 0.5)
        tensor(2.)

    See also: https://pytorch.org/docs/stable/generated/torch.nanquantile.html
    """

def nansum(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: Any = None, axis: Dims = None, keepdims: bool | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`sum` of all elements but nan; a nan has gradient 0.

    Raises:
        DimError: for a dim that `input` does not have.
        DTypeError: for complex numbers.

    Example:
        >>> nansum(tensor([1.0, float("nan"), 2.0]))
        tensor(3.)

    See also: https://pytorch.org/docs/stable/generated/torch.nansum.html
    """

def ne(input: Operand, other: Operand, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`input != other`, element by element; see `eq`.

    Example:
        >>> ne(tensor([1, 2]), 2)
        tensor([ True, False])
    """

def neg(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def neg_(input: Tensor) -> Tensor:
    """`neg`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

negative = neg

negative_ = neg_

def nextafter(input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The next number that the dtype has, on the way from `input` to `other`.

    Args:
        input, other: floating-point tensors of shapes that broadcast to `S`.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`; it moves as `input` does.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: for other dtypes.

    Example:
        >>> nextafter(tensor([1.0]), tensor([2.0])) - 1
        tensor([1.1921e-07])
    """

def nonzero(input: Tensor, *, as_tuple: bool = False, out: Tensor | tuple[Tensor, ...] | None = None) -> Any:
    """The places of all elements that are not 0, row by row.

    Args:
        input: tensor with `d` dims.
        as_tuple: whether each dim's indices are a tensor of their own.
        out: where to write the result, if the tape need not record it.

    Returns:
        int64 tensor of shape `(n, d)`; or `d` tensors of shape `(n,)`, one for a 0-d tensor.

    Raises:
        TransformError: inside vmap: there may be more or fewer of them in each example.

    Example:
        >>> nonzero(tensor([[0, 1], [2, 0]]))
        tensor([[0, 1],
                [1, 0]])

    See also: https://pytorch.org/docs/stable/generated/torch.nonzero.html
    """

def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The first places of elements that are not 0, as many as asked for.

    Args:
        input: tensor with `d` dims.
        size: how many; what is missing is `fill_value`.
        out: where to write the result, if the tape need not record it.

    Returns:
        int64 tensor of shape `(size, d)`.

    Example:
        >>> nonzero_static(tensor([0, 1, 2]), size=3)
        tensor([[ 1],
                [ 2],
                [-1]])
    """

def norm(input: Tensor, p: Order = 'fro', dim: Dims = None, keepdim: bool = False, dtype: Any = None, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The length of all elements, or of those along some dims.

    Args:
        input: tensor of shape `S`, real or complex.
        p: a number as for `linalg.vector_norm`, "fro" for 2, "nuc" for the sum of singular values.
        dim: the dims of a vector; None for all.
        keepdim: keep those dims, with size 1.
        dtype: to compute in.
        out: where to write the result, if the tape need not record it.

    Returns:
        Real tensor of shape `S` without `dim`.

    Example:
        >>> tensor([3.0, 4.0]).norm()
        tensor(5.)
    """

def normal(mean: Tensor | float, std: Tensor | float = 1.0, size: Sequence[int] | None = None, *, generator: Generator | None = None, dtype: Any = None, device: Any = None, requires_grad: bool = False, out: Tensor | tuple[Tensor, ...] | None = None, layout: Any = None, pin_memory: bool | None = None) -> Tensor:
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

not_equal = ne

def ones(*sizes: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, size: Any = None, out: Tensor | tuple[Tensor, ...] | None = None, layout: Any = None, pin_memory: bool | None = None) -> Tensor:
    """A tensor of ones; see `zeros`.

    Example:
        >>> ones(2, dtype=int64)
        tensor([1, 1])
        >>> ones_like(tensor([3.0, 4.0]))
        tensor([1., 1.])
    """

def ones_like(input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, memory_format: Any = None, layout: Any = None, pin_memory: bool | None = None) -> Tensor:
    """`ones`, in the shape, the dtype and on the device of `input`."""

def orgqr(input: Tensor, tau: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The first columns of products of reflections 1 − τ·v·vᴴ.

    Args:
        input: shape `(…, n, m)`, of at least as many rows as columns. What is below the diagonal of
            a column is v, with a 1 on the diagonal and zeros above.
        tau: shape `(…, k)`: the numbers of the first k columns.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `(…, n, m)`.

    Raises:
        ShapeError: if there are fewer rows than columns, or more numbers than columns.
        DTypeError: if they are no matrices of floats.

    Example:
        >>> householder_product(tensor([[0.0], [1.0]]), tensor([1.0]))
        tensor([[ 0.],
                [-1.]])
    """

def ormqr(input: Tensor, tau: Tensor, other: Tensor, left: bool = True, transpose: bool = False, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The product of `other` and Q, the matrix that `geqrf` has written down as reflections.

    Args:
        input, tau: what `geqrf` returned: shapes `(…, n, k)` and `(…, k)`.
        other: shape `(…, n, m)`, or `(…, m, n)` if Q stands at the right.
        left: `Q @ other` rather than `other @ Q`.
        transpose: take `Q.mH` in the place of Q.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of the shape of `other`.

    Example:
        >>> a, tau = geqrf(tensor([[3.0], [4.0]]))
        >>> ormqr(a, tau, tensor([[-5.0], [0.0]]))
        tensor([[3.],
                [4.]])
    """

def outer(input: Tensor, vec2: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """All products of an element of `input` and one of `vec2`.

    Args:
        input: shape `(n,)`.
        vec2: shape `(m,)`.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `(n, m)`, of the promoted dtype.

    Raises:
        ShapeError: for other shapes.

    Example:
        >>> outer(tensor([1.0, 2.0]), tensor([3.0, 4.0]))
        tensor([[3., 4.],
                [6., 8.]])
    """

def polar(abs: Tensor, angle: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The complex numbers of given lengths and angles, element by element.

    Args:
        abs, angle: float32 or float64 tensors of one dtype, of shapes that broadcast to `S`;
            angles in radians.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`: complex64 of float32, complex128 of float64.

    Raises:
        DTypeError: for other dtypes, or if they differ.
        ShapeError: if the shapes do not broadcast.

    Example:
        >>> polar(tensor([1.0, 2.0]), tensor([0.0, 0.0]))
        tensor([1.+0.j, 2.+0.j])

    See also: https://pytorch.org/docs/stable/generated/torch.polar.html
    """

def polygamma(n: int, input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def pow(input: Operand, exponent: Operand, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`input ** exponent`, element by element.

    Args:
        input, exponent: tensors of shapes that broadcast to `S`, or one of them a number.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`. The gradient of x⁰ is 0 everywhere, and that of 0ʸ with respect to
        y ≥ 0 is 0.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: for an integer tensor to a negative number; a tensor of them rounds to 0.

    Example:
        >>> pow(tensor([1.0, 2.0, 3.0]), 2)
        tensor([1., 4., 9.])

    See also: https://pytorch.org/docs/stable/generated/torch.pow.html
    """

preserve_format: memory_format

def prod(input: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: Any = None, axis: int | None = None, keepdims: bool | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def quantile(input: Tensor, q: Tensor | float, dim: int | None = None, keepdim: bool = False, *, interpolation: str = 'linear', axis: int | None = None, keepdims: bool | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The value below which a share `q` of the elements lies.

    Args:
        input: float32 or float64 tensor of shape `S`.
        q: a share from 0 to 1, or a tensor of such, with one dim or none.
        dim: along which dim; None for all elements.
        keepdim: keep that dim, with size 1.
        interpolation: what lies between two elements: "linear", "lower", "higher", "midpoint" or
            "nearest".
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S` without `dim`; if `q` has a dim, it is in front. nan if there is a nan.

    Raises:
        DTypeError: for other dtypes, or a `q` of another one than `input`.
        ShapeError: if there are no elements, for a share outside of [0, 1], or an unknown
            interpolation.

    Example:
        >>> quantile(tensor([1.0, 2.0, 3.0, 4.0]), 0.5)
        tensor(2.5000)

    See also: https://pytorch.org/docs/stable/generated/torch.quantile.html
    """

def rad2deg(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Angles in degrees, of angles in radians; see `deg2rad`.

    Example:
        >>> rad2deg(tensor([0.0, 3.1415927]))
        tensor([  0., 180.])
    """

def rad2deg_(input: Tensor) -> Tensor:
    """`rad2deg`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def rand(*sizes: Any, generator: Generator | None = None, dtype: Any = None, device: Any = None, requires_grad: bool = False, size: Any = None, out: Tensor | tuple[Tensor, ...] | None = None, layout: Any = None, pin_memory: bool | None = None) -> Tensor:
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

def rand_like(input: Tensor, *, generator: Generator | None = None, dtype: Any = None, device: Any = None, requires_grad: bool = False, memory_format: Any = None, layout: Any = None, pin_memory: bool | None = None) -> Tensor:
    """`rand`, in the shape, the dtype and on the device of `input`."""

def randint(low: Any = 0, high: Any = None, size: Sequence[int] | None = None, *, generator: Generator | None = None, dtype: Any = None, device: Any = None, requires_grad: bool = False, out: Tensor | tuple[Tensor, ...] | None = None, layout: Any = None, pin_memory: bool | None = None) -> Tensor:
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
        (glassgrad.Size([2, 4]), glassgrad.int64)
        >>> randint_like(tensor([1.0, 2.0]), 1)
        tensor([0., 0.])
    """

def randint_like(input: Tensor, low: Any = 0, high: Any = None, *, generator: Generator | None = None, dtype: Any = None, device: Any = None, requires_grad: bool = False, memory_format: Any = None, layout: Any = None, pin_memory: bool | None = None) -> Tensor:
    """`randint`, in the shape, the dtype and on the device of `input`."""

def randn(*sizes: Any, generator: Generator | None = None, dtype: Any = None, device: Any = None, requires_grad: bool = False, size: Any = None, out: Tensor | tuple[Tensor, ...] | None = None, layout: Any = None, pin_memory: bool | None = None) -> Tensor:
    """Numbers from the normal distribution of mean 0 and variance 1; see `rand`.

    Example:
        >>> x = randn(2, 3)
        >>> x.shape
        glassgrad.Size([2, 3])
        >>> randn_like(x).shape
        glassgrad.Size([2, 3])
    """

def randn_like(input: Tensor, *, generator: Generator | None = None, dtype: Any = None, device: Any = None, requires_grad: bool = False, memory_format: Any = None, layout: Any = None, pin_memory: bool | None = None) -> Tensor:
    """`randn`, in the shape, the dtype and on the device of `input`."""

def randperm(n: int, *, generator: Generator | None = None, dtype: Any = None, device: Any = None, requires_grad: bool = False, out: Tensor | tuple[Tensor, ...] | None = None, layout: Any = None, pin_memory: bool | None = None) -> Tensor:
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

def range(start: Any, end: Any, step: Any = 1, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, out: Tensor | tuple[Tensor, ...] | None = None, layout: Any = None, pin_memory: bool | None = None) -> Tensor:
    """The numbers `start, start + step, …`, with `end`: what PyTorch had before `arange`.

    Example:
        >>> import warnings
        >>> with warnings.catch_warnings(action="ignore"):
        ...     range(1, 3)
        tensor([1., 2., 3.])
    """

def reciprocal(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def reciprocal_(input: Tensor) -> Tensor:
    """`reciprocal`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """`max(input, 0)`, element by element.

    Args:
        input: real tensor of shape `S`.
        inplace: write the result to the memory of `input`, and return that.

    Returns:
        Tensor of shape `S` and the same dtype. At the kink 0 its subgradient 0 is used.

    Raises:
        DTypeError: for bools.

    Example:
        >>> relu(tensor([-1.0, 2.0]))
        tensor([0., 2.])

    See also: https://pytorch.org/docs/stable/generated/torch.relu.html
    """

def relu_(input: Tensor) -> Tensor:
    """`relu`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def remainder(input: Operand, other: Operand, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`input % other`, as in Python: what is left of a division that is rounded down.

    Args:
        input, other: real tensors of shapes that broadcast to `S`, or one of them a number.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`, of the promoted dtype, with the sign of `other`; nan where a float is
        divided by 0.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: for bools and complex numbers; for integers divided by 0.

    Example:
        >>> remainder(tensor([-3.0, 3.5]), 2)
        tensor([1.0000, 1.5000])

    See also: https://pytorch.org/docs/stable/generated/torch.remainder.html
    """

def renorm(input: Tensor, p: float, dim: int = ..., maxnorm: float = ..., *, axis: int | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Each slice of `input` along `dim`, made as short as `maxnorm` if it is longer.

    Args:
        input: tensor of shape `S`.
        p: which norm.
        dim: along which dim slices follow each other.
        maxnorm: the length that none exceeds.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`.

    Example:
        >>> renorm(tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1.0)
        tensor([[0.6000, 0.8000],
                [0.3000, 0.4000]])
    """

def repeat_interleave(input: Tensor, repeats: Tensor | int | None = None, dim: int | None = None, *, output_size: int | None = None, axis: int | None = None) -> Tensor:
    """Each element several times, one behind the other.

    Args:
        input: tensor of shape `(…, n, …)`; alone, it is how often each place is named.
        repeats: how often: a number, or a tensor of one integer for each element of the dim.
        dim: which dim has the size `n`; None: the flattened tensor.
        output_size: what the size of that dim becomes, if it is known.

    Returns:
        Tensor of shape `(…, m, …)`.

    Raises:
        ShapeError: for negative numbers, or not one number for each element.
        DTypeError: for numbers that are no int32 or int64.

    Example:
        >>> repeat_interleave(tensor([1, 2]), 2)
        tensor([1, 1, 2, 2])
        >>> repeat_interleave(tensor([1, 2]), tensor([0, 3]))
        tensor([2, 2, 2])
        >>> repeat_interleave(tensor([2, 1]))
        tensor([0, 0, 1])

    See also: https://pytorch.org/docs/stable/generated/torch.repeat_interleave.html
    """

def rnn_relu(input: Tensor, hx: Tensor | Sequence[Tensor], params: Sequence[Tensor], has_biases: bool, num_layers: int, dropout: float, train: bool, bidirectional: bool, batch_first: bool) -> tuple[Tensor, ...]:
    """`rnn_tanh` with max(0, …) in the place of tanh; everything else is the same."""

def rnn_relu_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> Tensor:
    """`rnn_tanh_cell` with max(0, …) in the place of tanh; everything else is the same."""

def rnn_tanh(input: Tensor, hx: Tensor | Sequence[Tensor], params: Sequence[Tensor], has_biases: bool, num_layers: int, dropout: float, train: bool, bidirectional: bool, batch_first: bool) -> tuple[Tensor, ...]:
    """`gru` without gates: a plain recurrent network; everything else is the same."""

def rnn_tanh_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> Tensor:
    """One step of a plain network, with H rows, like `gru_cell`; everything else is the same."""

def round(input: Tensor, *, decimals: int = 0, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def round_(input: Tensor, *, decimals: int = 0) -> Tensor:
    """`round`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

row_stack = vstack

def rrelu(input: Tensor, lower: float = 0.125, upper: float = 1 / 3, training: bool = False, inplace: bool = False) -> Tensor:
    """`leaky_relu` whose slope is drawn for each negative element.

    Args:
        input: floating-point tensor of shape `S`.
        lower, upper: between which numbers; their mean is the slope outside of training.
        training: whether slopes are drawn.
        inplace: write the result to the memory of `input`, and return that.

    Returns:
        Tensor of shape `S`.

    Raises:
        DTypeError: for other dtypes.
        RangeError: if `lower` is larger than `upper`.

    Example:
        >>> rrelu(tensor([-8.0, 2.0]), 0.25, 0.75)
        tensor([-4.,  2.])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.rrelu.html
    """

def rrelu_(input: Tensor, lower: float = 0.125, upper: float = 1 / 3, training: bool = False) -> Tensor:
    """`rrelu`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def rsqrt(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def rsqrt_(input: Tensor) -> Tensor:
    """`rsqrt`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def rsub(input: Tensor, other: Operand, *, alpha: float = 1) -> Tensor:
    """`other - alpha·input`, element by element: what `1 - x` does.

    Args:
        input, other: tensors of shapes that broadcast to `S`; `other` may be a number.
        alpha: a factor for `input`.

    Returns:
        Tensor of shape `S`, of the promoted dtype.

    Raises:
        ShapeError: if the shapes do not broadcast.

    Example:
        >>> rsub(tensor([1.0, 2.0]), 1)
        tensor([ 0., -1.])
    """

def scalar_tensor(s: Number, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, layout: Any = None, pin_memory: bool | None = None) -> Tensor:
    """A 0-d tensor of a number, in the default dtype.

    Example:
        >>> scalar_tensor(2)
        tensor(2.)
    """

def searchsorted(sorted_sequence: Tensor, input: Tensor | Number, *, out_int32: bool = False, right: bool = False, side: str | None = None, sorter: Tensor | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """How many boundaries lie before each value: where it could be put in, keeping the order.

    Args:
        sorted_sequence: ascending boundaries: shape `(n,)`, or `(…, n)` with the same dims in
            front as `input`.
        input: a number, or a tensor of shape `S`.
        out_int32: whether the result is int32, not int64.
        right, side: whether equal boundaries count, too: `right=True`, or `side="right"`.
        sorter: the indices that sort the boundaries, if they are not in order.
        out: where to write the result, if the tape need not record it.

    Returns:
        Integers of shape `S`, from 0 to `n`.

    Raises:
        ShapeError: for other shapes, or if `right` and `side` contradict each other.
        DTypeError: for complex numbers, or a `sorter` of other integers than int64.

    Example:
        >>> searchsorted(tensor([1, 3, 5]), tensor([3, 4]))
        tensor([1, 2])
        >>> searchsorted(tensor([1, 3, 5]), 3, right=True)
        tensor(2)

    See also: https://pytorch.org/docs/stable/generated/torch.searchsorted.html
    """

def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """`elu`, scaled so that layers keep mean 0 and variance 1.

    Args:
        input: floating-point tensor of shape `S`.
        inplace: write the result to the memory of `input`, and return that.

    Example:
        >>> selu(tensor([-1.0, 2.0]))
        tensor([-1.1113,  2.1014])

    See also: Klambauer et al., *Self-Normalizing Neural Networks* (2017).
    """

def selu_(input: Tensor) -> Tensor:
    """`selu`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def sgn(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The direction of complex numbers, x/|x|, element by element; of real ones the sign.

    Args:
        input: tensor of shape `S`.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S` and the same dtype; 0 where `input` is 0.

    Example:
        >>> sgn(tensor([3 + 4j, 0j]))
        tensor([0.6000+0.8000j, 0.0000+0.0000j])

    See also: https://pytorch.org/docs/stable/generated/torch.sgn.html
    """

def sigmoid(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def sigmoid_(input: Tensor) -> Tensor:
    """`sigmoid`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def sign(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """-1, 0 or 1, element by element; its gradient is 0. Bools are what they are.

    Example:
        >>> sign(tensor([-3.0, 0.0, 2.0]))
        tensor([-1.,  0.,  1.])
    """

def signbit(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Which elements have the sign bit set: negative ones, and -0.0.

    Example:
        >>> signbit(tensor([1.0, -0.0]))
        tensor([False,  True])
    """

def sin(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def sin_(input: Tensor) -> Tensor:
    """`sin`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def sinc(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The cardinal sine `sin(π·x) / (π·x)`, element by element: 1 at 0, where its gradient is 0.

    Args:
        input: tensor of shape `S`; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`.

    Example:
        >>> sinc(tensor([0.0, 0.5]))
        tensor([1.0000, 0.6366])

    See also: https://pytorch.org/docs/stable/generated/torch.sinc.html
    """

def sinc_(input: Tensor) -> Tensor:
    """`sinc`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def sinh(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def sinh_(input: Tensor) -> Tensor:
    """`sinh`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def slogdet(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Any:
    """The signs of determinants, and the logarithms of their absolute values.

    Args:
        input: shape `(…, n, n)`.
        out: where to write the result, if the tape need not record it.

    Returns:
        The named tuple (sign, logabsdet) of tensors of shape `(…)`: the sign of a complex number
        has length 1; for singular matrices 0 and -inf.

    Raises:
        ShapeError, DTypeError: if they are not square matrices of floats.

    Example:
        >>> slogdet(tensor([[0.0, 2.0], [-1.0, 0.0]])).sign
        tensor(1.)

    See also: https://pytorch.org/docs/stable/generated/torch.linalg.slogdet.html
    """

def softmax(input: Tensor, dim: int = ..., dtype: Any = None, *, axis: int | None = None) -> Tensor:
    """Positive numbers that sum to 1 along a dim: `exp(input)`, normalised.

    Args:
        input: floating-point tensor of shape `S`.
        dim: along which dim.
        dtype: convert `input` to this first.

    Returns:
        Tensor of shape `S`. The largest element is subtracted first, so nothing overflows.

    Raises:
        DimError: if there is no such dim.
        DTypeError: for integers without `dtype`.

    Example:
        >>> softmax(tensor([1.0, 1.0, 2.0]), dim=0)
        tensor([0.2119, 0.2119, 0.5761])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.softmax.html
    """

def sort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool | None = None, *, axis: int | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> SortReturn:
    """The elements along a dim in ascending order, and where they were.

    Args:
        input: real tensor of shape `S`.
        dim: along which dim.
        descending: whether the largest comes first.
        stable: whether equals must keep their order; here they always do.
        out: where to write the result, if the tape need not record it.

    Returns:
        The named tuple (values, indices), both of shape `S`. nan counts as the largest.

    Raises:
        DimError: if there is no such dim.
        DTypeError: for complex numbers.

    Example:
        >>> sort(tensor([3.0, 1.0, 2.0]))
        glassgrad.return_types.sort(
        values=tensor([1., 2., 3.]),
        indices=tensor([1, 2, 0]))

    See also: https://pytorch.org/docs/stable/generated/torch.sort.html
    """

sparse_coo: layout

def sqrt(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def sqrt_(input: Tensor) -> Tensor:
    """`sqrt`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def square(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`input ** 2`, element by element.

    Example:
        >>> square(tensor([1.0, -3.0]))
        tensor([1., 9.])
    """

def square_(input: Tensor) -> Tensor:
    """`square`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def squeeze(input: Tensor, dim: Ints | None = None, *, axis: Ints | None = None) -> Tensor:
    """Leave out dims of size 1.

    Args:
        input: tensor of any shape.
        dim: which of them, if they have size 1; None: all.

    Returns:
        A view.

    Raises:
        DimError: if there is no such dim.

    Example:
        >>> squeeze(tensor([[[1.0], [2.0]]])).shape
        glassgrad.Size([2])
    """

def stack(tensors: Tensors, dim: int = 0, *, axis: int | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def std(input: Tensor, dim: Dims = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: float | None = 1, axis: Dims = None, keepdims: bool | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

strided: layout

def sub(input: Tensor, other: Operand, last: Tensor | None = None, *, alpha: float = 1, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`input - alpha·other`, element by element.

    Args:
        input, other: tensors of shapes that broadcast to `S`, or one of them a number.
        alpha: a factor for `other`.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`, of the promoted dtype.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: for bool tensors.

    Example:
        >>> sub(tensor([1.0, 2.0]), tensor(1.0))
        tensor([0., 1.])

    See also: https://pytorch.org/docs/stable/generated/torch.sub.html
    """

subtract = sub

def sum(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: Any = None, axis: Dims = None, keepdims: bool | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def take(input: Tensor, index: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The elements at places counted row by row, whatever shape `input` has.

    Args:
        input: tensor of `n` elements.
        index: int64 tensor of shape `S`, from `-n` to `n - 1`.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`.

    Raises:
        DTypeError: if `index` holds other numbers.
        DimError: if there is no such place.

    Example:
        >>> take(tensor([[4, 3], [2, 1]]), tensor([0, 3]))
        tensor([4, 1])

    See also: https://pytorch.org/docs/stable/generated/torch.take.html
    """

def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`gather`, where `input` and `indices` broadcast in all dims but `dim`.

    Args:
        input: tensor of shape `S`.
        indices: int64 tensor with as many dims, such as `argsort` returns.
        dim: in which dim `indices` chooses; None: in the flattened tensor.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of the shape of `indices`, stretched to that of `input` in the other dims.

    Raises:
        DTypeError: if `indices` holds other numbers.
        ShapeError: if the shapes do not fit, or there is no such element.

    Example:
        >>> take_along_dim(tensor([[3, 1], [4, 2]]), tensor([[1]]), 1)
        tensor([[1],
                [2]])

    See also: https://pytorch.org/docs/stable/generated/torch.take_along_dim.html
    """

def tan(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def tan_(input: Tensor) -> Tensor:
    """`tan`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def tanh(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def tanh_(input: Tensor) -> Tensor:
    """`tanh`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def tensor(data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, layout: Any = None, pin_memory: bool | None = None) -> Tensor:
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

def tensor_split(input: Tensor, indices_or_sections: int | Sequence[int] | Tensor, dim: int = 0, *, axis: int | None = None) -> tuple[Tensor, ...]:
    """A tensor cut into so many parts of nearly equal size, or at given places.

    Args:
        input: tensor of shape `(…, n, …)`.
        indices_or_sections: how many parts, or where to cut: a sequence, or a tensor with one dim.
        dim: which dim has the size `n`.

    Returns:
        Views.

    Raises:
        ShapeError: for less than one part.
        DimError: if there is no such dim.

    Example:
        >>> tensor_split(tensor([1, 2, 3]), 2)
        (tensor([1, 2]), tensor([3]))
    """

def tensordot(a: Tensor, b: Tensor, dims: Any = 2, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The products of two tensors, summed over pairs of dims.

    Args:
        a, b: tensors of one dtype.
        dims: how many of the last dims of `a` meet the first ones of `b`; or two lists, which say
            for each pair its dim of `a` and its dim of `b`. A dim of size 1 is stretched.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of the other dims of `a`, and behind them those of `b`.

    Raises:
        ShapeError: if the sizes do not fit.
        DTypeError: if the dtypes differ.

    Example:
        >>> tensordot(tensor([[1.0, 2.0], [3.0, 4.0]]), tensor([1.0, 1.0]), dims=1)
        tensor([3., 7.])

    See also: https://pytorch.org/docs/stable/generated/torch.tensordot.html
    """

def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """`input` where it is larger than `threshold`, `value` elsewhere.

    Args:
        input: real tensor of shape `S`.
        threshold, value: numbers.
        inplace: write the result to the memory of `input`, and return that.

    Returns:
        Tensor of shape `S` and the same dtype. At `threshold` its subgradient 0 is used.

    Raises:
        DTypeError: for bools.

    Example:
        >>> threshold(tensor([0.2, 0.7]), 0.5, 0.0)
        tensor([0.0000, 0.7000])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.threshold.html
    """

def threshold_(input: Tensor, threshold: float, value: float) -> Tensor:
    """`threshold`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True, *, axis: int | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> TopkReturn:
    """The `k` largest elements along a dim, the largest first, and where they were.

    Args:
        input: real tensor of shape `(…, n, …)`.
        k: how many, from 0 to `n`.
        dim: which dim has the size `n`.
        largest: whether it is the largest; else the smallest.
        sorted: whether they must be in order; here they always are.
        out: where to write the result, if the tape need not record it.

    Returns:
        The named tuple (values, indices), both of shape `(…, k, …)`. nan counts as the largest.

    Raises:
        DimError: if there is no such dim.
        ShapeError: if there are not so many elements.
        DTypeError: for complex numbers and bools.

    Example:
        >>> topk(tensor([3.0, 1.0, 2.0]), 2)
        glassgrad.return_types.topk(
        values=tensor([3., 2.]),
        indices=tensor([0, 2]))

    See also: https://pytorch.org/docs/stable/generated/torch.topk.html
    """

def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Number | None = None, dim: int = -1, axis: int | None = None) -> Tensor:
    """The area below sampled functions, by trapezoids between the samples.

    Args:
        y: samples: tensor of shape `(…, n, …)`.
        x: where they are: coordinates of shape `(n,)`, or of the shape of `y`.
        dx: how far they are apart, if there is no `x`. Default: 1.
        dim: which dim has the size `n`.

    Returns:
        Tensor of the shape of `y` without that dim.

    Raises:
        DimError: if there is no such dim.
        ShapeError: if there is not one coordinate for each sample.
        DTypeError: for bools.
        ArgumentTypeError: for both `x` and `dx`.

    Example:
        >>> trapezoid(tensor([1.0, 3.0, 5.0]))
        tensor(6.)

    See also: https://pytorch.org/docs/stable/generated/torch.trapezoid.html
    """

trapz = trapezoid

def triangular_solve(b: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Any:
    """`linalg.solve_triangular(A, b)` of PyTorch's past, and a copy of `A`.

    Args:
        b, A, upper, unitriangular: as `B`, `A` … there.
        transpose: take the transpose of A.
        out: where to write the result, if the tape need not record it.

    Example:
        >>> triangular_solve(tensor([[2.0]]), tensor([[4.0]])).solution
        tensor([[0.5000]])

    See also: https://pytorch.org/docs/stable/generated/torch.triangular_solve.html
    """

def tril(input: Tensor, diagonal: int = 0, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The lower triangles of matrices, with zeros above.

    Args:
        input: tensor of shape `(…, n, m)`.
        diagonal: the last diagonal that is kept: 0 the main one, 1 the one above, and so on.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `(…, n, m)`.

    Raises:
        ShapeError: if there are fewer than two dims.
        ArgumentTypeError: if `diagonal` is no integer.

    Example:
        >>> tril(tensor([[1, 2], [3, 4]]))
        tensor([[1, 0],
                [3, 4]])

    See also: https://pytorch.org/docs/stable/generated/torch.tril.html
    """

def tril_indices(row: int, col: int, offset: int = 0, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, out: Tensor | tuple[Tensor, ...] | None = None, layout: Any = None, pin_memory: bool | None = None) -> Tensor:
    """The places of the lower triangle of a matrix, row by row.

    Args:
        row, col: the sizes of the matrix.
        offset: the last diagonal that belongs to it; see `tril`.
        dtype: None: int64.
        device, requires_grad: as `tensor`.

    Returns:
        Tensor of shape `(2, n)`: the rows, and the columns.

    Raises:
        ShapeError: for a negative size.
        DTypeError: for a dtype that is not int32 or int64.

    Example:
        >>> tril_indices(2, 2)
        tensor([[0, 1, 1],
                [0, 0, 1]])

    See also: https://pytorch.org/docs/stable/generated/torch.tril_indices.html
    """

def triu(input: Tensor, diagonal: int = 0, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The upper triangles of matrices, with zeros below; see `tril`.

    Example:
        >>> triu(tensor([[1, 2], [3, 4]]))
        tensor([[1, 2],
                [0, 4]])
    """

def triu_indices(row: int, col: int, offset: int = 0, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, out: Tensor | tuple[Tensor, ...] | None = None, layout: Any = None, pin_memory: bool | None = None) -> Tensor:
    """The places of the upper triangle of a matrix, row by row; see `tril_indices`.

    Example:
        >>> triu_indices(2, 2)
        tensor([[0, 0, 1],
                [0, 1, 1]])

    See also: https://pytorch.org/docs/stable/generated/torch.triu_indices.html
    """

true_divide = div

def trunc(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def trunc_(input: Tensor) -> Tensor:
    """`trunc`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def unbind(input: Tensor, dim: int = 0, *, axis: int | None = None) -> tuple[Tensor, ...]:
    """The elements of a dim as tensors of their own.

    Args:
        input: tensor of shape `(…, n, …)`.
        dim: which dim has the size `n`.

    Returns:
        `n` views without that dim.

    Raises:
        DimError: if there is no such dim.

    Example:
        >>> unbind(tensor([[1, 2], [3, 4]]), 1)
        (tensor([1, 3]), tensor([2, 4]))
    """

def unsqueeze(input: Tensor, dim: int = ..., *, axis: int | None = None) -> Tensor:
    """A new dim of size 1.

    Args:
        input: tensor of shape `S`.
        dim: where it will be, from `-len(S) - 1` to `len(S)`.

    Returns:
        A view.

    Raises:
        DimError: if that is no place.

    Example:
        >>> unsqueeze(tensor([1.0, 2.0]), 1)
        tensor([[1.],
                [2.]])
    """

def var(input: Tensor, dim: Dims = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: float | None = 1, axis: Dims = None, keepdims: bool | None = None, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The variance of all elements, or over some dims.

    Args:
        input: floating-point tensor of shape `S`.
        dim, axis: the dims to reduce; None or () for all.
        unbiased: True is `correction=1`, False `correction=0`; it may come alone: `x.var(False)`.
        keepdim, keepdims: keep those dims, with size 1.
        correction: what is subtracted from the number of elements; 1, or None, is Bessel's.
        out: where to write the result, if the tape need not record it.

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

def vdot(input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The inner product of two vectors; the elements of the first one are conjugated.

    Args:
        input, other: both of shape `(n,)` and of one dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        0-d tensor.

    Raises:
        ShapeError, DTypeError: if shapes or dtypes do not fit.

    Example:
        >>> vdot(tensor([1j]), tensor([1j]))
        tensor(1.+0.j)
    """

def vstack(tensors: Tensors, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def where(condition: Tensor, input: Any = None, other: Any = None, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Any:
    """`input` where `condition` holds, `other` elsewhere; or the places where it holds.

    Args:
        condition: bool tensor, or a uint8 tensor of an old program.
        input, other: tensors or numbers; all three broadcast to `S`. Neither: see below.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`, of the promoted dtype of `input` and `other`; the one that was not
        chosen gets gradient 0. With `condition` alone, one int64 tensor of indices per dim.

    Raises:
        DTypeError: if `condition` is not bool.
        ArgumentError: if only one of `input` and `other` is given.

    Example:
        >>> where(tensor([True, False]), tensor([1.0, 2.0]), 0.0)
        tensor([1., 0.])
        >>> where(tensor([0.0, 3.0, 4.0]))
        (tensor([1, 2]),)

    See also: https://pytorch.org/docs/stable/generated/torch.where.html
    """

def xlogy(input: Operand, other: Operand, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`input·log(other)`, element by element; 0 where `input` is 0, whatever `other` is.

    Args:
        input, other: real tensors of shapes that broadcast to `S`, or one of them a number.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`; integers become the default dtype. nan where `other` is.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: for complex numbers.

    Example:
        >>> xlogy(tensor([0.0, 2.0]), tensor([0.0, 1.0]))
        tensor([0., 0.])

    See also: https://pytorch.org/docs/stable/special.html#torch.special.xlogy
    """

def xlogy_(input: Operand, other: Operand) -> Tensor:
    """`xlogy`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def zeros(*sizes: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, size: Any = None, out: Tensor | tuple[Tensor, ...] | None = None, layout: Any = None, pin_memory: bool | None = None) -> Tensor:
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

def zeros_like(input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, memory_format: Any = None, layout: Any = None, pin_memory: bool | None = None) -> Tensor:
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
    "TypedStorage",
    "UInt16Tensor",
    "UInt32Tensor",
    "UInt64Tensor",
    "UntypedStorage",
    "abs",
    "abs_",
    "absolute",
    "absolute_",
    "acos",
    "acos_",
    "acosh",
    "acosh_",
    "adaptive_avg_pool1d",
    "add",
    "addbmm",
    "addcdiv",
    "addcmul",
    "addmm",
    "addmv",
    "addmv_",
    "addr",
    "adjoint",
    "all",
    "allclose",
    "alpha_dropout",
    "alpha_dropout_",
    "amax",
    "amin",
    "aminmax",
    "angle",
    "any",
    "arange",
    "arccos",
    "arccos_",
    "arccosh",
    "arccosh_",
    "arcsin",
    "arcsin_",
    "arcsinh",
    "arcsinh_",
    "arctan",
    "arctan2",
    "arctan_",
    "arctanh",
    "arctanh_",
    "argmax",
    "argmin",
    "argsort",
    "argwhere",
    "as_strided",
    "as_strided_",
    "as_strided_scatter",
    "as_tensor",
    "asarray",
    "asin",
    "asin_",
    "asinh",
    "asinh_",
    "atan",
    "atan2",
    "atan_",
    "atanh",
    "atanh_",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "avg_pool1d",
    "baddbmm",
    "bartlett_window",
    "bernoulli",
    "bilinear",
    "bincount",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "blackman_window",
    "block_diag",
    "bmm",
    "broadcast_shapes",
    "broadcast_tensors",
    "broadcast_to",
    "bucketize",
    "cartesian_prod",
    "cat",
    "cdist",
    "ceil",
    "ceil_",
    "celu",
    "celu_",
    "chain_matmul",
    "channel_shuffle",
    "channels_last",
    "channels_last_3d",
    "cholesky",
    "cholesky_inverse",
    "cholesky_solve",
    "chunk",
    "clamp",
    "clamp_",
    "clamp_max",
    "clamp_max_",
    "clamp_min",
    "clamp_min_",
    "clip",
    "clip_",
    "clone",
    "column_stack",
    "combinations",
    "complex",
    "concat",
    "concatenate",
    "conj",
    "conj_physical",
    "conj_physical_",
    "constant_pad_nd",
    "contiguous_format",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "copysign",
    "corrcoef",
    "cos",
    "cos_",
    "cosh",
    "cosh_",
    "cosine_similarity",
    "count_nonzero",
    "cov",
    "cross",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "cumulative_trapezoid",
    "default_generator",
    "deg2rad",
    "deg2rad_",
    "det",
    "detach",
    "detach_",
    "diag",
    "diag_embed",
    "diagflat",
    "diagonal",
    "diagonal_scatter",
    "diff",
    "digamma",
    "dist",
    "div",
    "divide",
    "dot",
    "dropout",
    "dropout_",
    "dsplit",
    "dstack",
    "einsum",
    "empty",
    "empty_like",
    "empty_strided",
    "eq",
    "equal",
    "erf",
    "erf_",
    "erfc",
    "erfc_",
    "erfinv",
    "exp",
    "exp2",
    "exp2_",
    "exp_",
    "expm1",
    "expm1_",
    "eye",
    "feature_alpha_dropout",
    "feature_alpha_dropout_",
    "feature_dropout",
    "feature_dropout_",
    "fill",
    "fill_",
    "fix",
    "fix_",
    "flatten",
    "flip",
    "fliplr",
    "flipud",
    "float_power",
    "floor",
    "floor_",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "frac",
    "frac_",
    "frexp",
    "from_dlpack",
    "from_numpy",
    "frombuffer",
    "full",
    "full_like",
    "gather",
    "gcd",
    "gcd_",
    "ge",
    "geqrf",
    "ger",
    "get_device",
    "get_rng_state",
    "gradient",
    "greater",
    "greater_equal",
    "group_norm",
    "gru",
    "gru_cell",
    "gt",
    "hamming_window",
    "hann_window",
    "hardshrink",
    "heaviside",
    "histc",
    "histogram",
    "histogramdd",
    "hsplit",
    "hstack",
    "hypot",
    "i0",
    "i0_",
    "igamma",
    "igammac",
    "imag",
    "index_add",
    "index_copy",
    "index_fill",
    "index_put",
    "index_put_",
    "index_reduce",
    "index_select",
    "initial_seed",
    "inner",
    "inverse",
    "is_complex",
    "is_floating_point",
    "is_nonzero",
    "is_same_size",
    "is_signed",
    "is_storage",
    "isclose",
    "isfinite",
    "isin",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "isreal",
    "istft",
    "kaiser_window",
    "kron",
    "kthvalue",
    "layer_norm",
    "layout",
    "lcm",
    "lcm_",
    "ldexp",
    "ldexp_",
    "le",
    "lerp",
    "less",
    "less_equal",
    "lgamma",
    "linspace",
    "log",
    "log10",
    "log10_",
    "log1p",
    "log1p_",
    "log2",
    "log2_",
    "log_",
    "log_softmax",
    "logaddexp",
    "logaddexp2",
    "logcumsumexp",
    "logdet",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logit",
    "logit_",
    "logspace",
    "logsumexp",
    "lstm",
    "lstm_cell",
    "lt",
    "lu",
    "lu_solve",
    "lu_unpack",
    "manual_seed",
    "masked_fill",
    "masked_scatter",
    "masked_select",
    "matmul",
    "matrix_exp",
    "matrix_power",
    "max",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "maximum",
    "mean",
    "median",
    "memory_format",
    "meshgrid",
    "min",
    "minimum",
    "mm",
    "mode",
    "moveaxis",
    "movedim",
    "msort",
    "mul",
    "multinomial",
    "multiply",
    "mv",
    "mvlgamma",
    "nan_to_num",
    "nan_to_num_",
    "nanmean",
    "nanmedian",
    "nanquantile",
    "nansum",
    "narrow",
    "narrow_copy",
    "ne",
    "neg",
    "neg_",
    "negative",
    "negative_",
    "nextafter",
    "nonzero",
    "nonzero_static",
    "norm",
    "normal",
    "not_equal",
    "numel",
    "ones",
    "ones_like",
    "orgqr",
    "ormqr",
    "outer",
    "pairwise_distance",
    "pca_lowrank",
    "pdist",
    "permute",
    "pinverse",
    "pixel_shuffle",
    "pixel_unshuffle",
    "poisson",
    "polar",
    "polygamma",
    "positive",
    "pow",
    "prelu",
    "preserve_format",
    "prod",
    "put",
    "qr",
    "quantile",
    "rad2deg",
    "rad2deg_",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "randperm",
    "range",
    "ravel",
    "real",
    "reciprocal",
    "reciprocal_",
    "relu",
    "relu_",
    "remainder",
    "renorm",
    "repeat_interleave",
    "reshape",
    "resize_as_",
    "resolve_conj",
    "resolve_neg",
    "rms_norm",
    "rnn_relu",
    "rnn_relu_cell",
    "rnn_tanh",
    "rnn_tanh_cell",
    "roll",
    "rot90",
    "round",
    "round_",
    "row_stack",
    "rrelu",
    "rrelu_",
    "rsqrt",
    "rsqrt_",
    "rsub",
    "scalar_tensor",
    "scatter",
    "scatter_add",
    "scatter_reduce",
    "searchsorted",
    "seed",
    "segment_reduce",
    "select",
    "select_scatter",
    "selu",
    "selu_",
    "set_rng_state",
    "sgn",
    "sigmoid",
    "sigmoid_",
    "sign",
    "signbit",
    "sin",
    "sin_",
    "sinc",
    "sinc_",
    "sinh",
    "sinh_",
    "slice_scatter",
    "slogdet",
    "smm",
    "softmax",
    "sort",
    "sparse_coo",
    "sparse_coo_tensor",
    "split",
    "split_with_sizes",
    "spmm",
    "sqrt",
    "sqrt_",
    "square",
    "square_",
    "squeeze",
    "stack",
    "std",
    "std_mean",
    "stft",
    "strided",
    "sub",
    "subtract",
    "sum",
    "svd",
    "svd_lowrank",
    "swapaxes",
    "swapdims",
    "t",
    "take",
    "take_along_dim",
    "tan",
    "tan_",
    "tanh",
    "tanh_",
    "tensor",
    "tensor_split",
    "tensordot",
    "threshold",
    "threshold_",
    "tile",
    "topk",
    "trace",
    "transpose",
    "trapezoid",
    "trapz",
    "triangular_solve",
    "tril",
    "tril_indices",
    "triu",
    "triu_indices",
    "true_divide",
    "trunc",
    "trunc_",
    "typename",
    "unbind",
    "unflatten",
    "unique",
    "unique_consecutive",
    "unravel_index",
    "unsafe_chunk",
    "unsafe_split",
    "unsafe_split_with_sizes",
    "unsqueeze",
    "vander",
    "var",
    "var_mean",
    "vdot",
    "view_as_complex",
    "view_as_real",
    "vsplit",
    "vstack",
    "where",
    "xlogy",
    "xlogy_",
    "zero_",
    "zeros",
    "zeros_like",
]
