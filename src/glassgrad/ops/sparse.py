"""Sparse tensors: the places and the numbers of those elements that are not 0.

Both are tensors, and what is computed with them are ops on these: a product reads rows of the dense
factor at the places' columns, and adds them, times the numbers, to the rows of the result. So
gradients go to the dense factor, and to the numbers.
"""

import copy
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from glassgrad.core.errors import ArgumentTypeError, GraphError, MissingRuleError, ShapeError
from glassgrad.core.state import Values
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.values.dtypes import int64

from ._arguments import wrap_dim, wrap_dims
from ._declaring import FUNCTIONS, function, method
from .arithmetic import Add, Mul
from .creation import as_tensor
from .joining import cat, stack
from .linalg import Mm, Mv
from .memory import layout

sparse_coo = layout("sparse_coo")
sparse_coo.__module__ = __name__  # where it is looked for, and unpickled from
FUNCTIONS["sparse_coo"] = sparse_coo


class SparseTensor(Tensor):
    """A tensor that is 0 but at some places; `sparse_coo_tensor` makes it.

    Its memory is those places and numbers. What cannot be computed with them says so, and takes
    `x.to_dense()`.

    Attributes:
        places: int64 tensor of shape `(dims, n)`: where the numbers are.
        numbers: tensor of shape `(n,)`; at repeated places they add up.
        is_merged: whether no place is repeated, and they are in order.
    """

    places: Tensor
    numbers: Tensor
    is_merged: bool
    is_sparse = True
    layout = sparse_coo

    @classmethod
    def of(
        cls, places: Tensor, numbers: Tensor, shape: Sequence[int], *, is_merged: bool = False
    ) -> Self:
        """The tensor of a shape that has these numbers."""
        none = np.broadcast_to(np.zeros((), numbers.payload.dtype), tuple(shape))  # no memory
        new: Any = wrap(none)
        new.__class__ = cls
        vars(new).update(places=places, numbers=numbers, is_merged=is_merged)
        return new

    def with_numbers(self, numbers: Tensor) -> Self:
        """Other numbers at the same places."""
        return self.of(self.places, numbers, self.shape, is_merged=self.is_merged)

    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: Values = (), kwargs: Any = None
    ) -> Any:
        rule = _RULES.get(getattr(func, "rule", None))
        if rule is None:
            raise MissingRuleError(
                f"Could not run 'aten::{func.__name__}' with arguments from the 'SparseCPU' "
                "backend: only the elements that are not 0 are here. Write `x.to_dense()`."
            )
        return rule(*args)

    # What is in it ------------------------------------------------------------------------------

    def indices(self) -> Tensor:
        """The places, of which none is repeated."""
        return self._merged("indices").places

    def values(self) -> Tensor:
        """The numbers at these places."""
        return self._merged("values").numbers

    def _merged(self, what: str) -> Self:
        if not self.is_merged:
            raise GraphError(
                f"Cannot get {what} on an uncoalesced tensor, please call .coalesce() first. "
                "Places may be repeated."
            )
        return self

    def _indices(self) -> Tensor:
        return self.places

    def _values(self) -> Tensor:
        return self.numbers

    def _nnz(self) -> int:
        return self.places.shape[1]

    def is_coalesced(self) -> bool:
        """Whether no place is repeated, and they are in order."""
        return self.is_merged

    def coalesce(self) -> Self:
        """The numbers at repeated places added up, and the places in order."""
        if self.is_merged:
            return self
        order, which = self._rows().unique(return_inverse=True)
        numbers = self.numbers.new_zeros(order.shape[0]).index_add(0, which, self.numbers)
        places = np.unravel_index(order.numpy(), self.shape)
        where = as_tensor(np.stack(places), dtype=int64, device=self.places.device)
        return self.of(where, numbers, self.shape, is_merged=True)

    def _rows(self, *left_out: int) -> Tensor:
        """A number for each place, which counts through the dims but those that are left out."""
        found = self.places.new_zeros(self._nnz())
        for dim, n in enumerate(self.shape):
            if dim not in left_out:
                found = found * n + self.places[dim]
        return found

    def to_dense(self, dtype: Any = None, *, masked_grad: bool | None = None) -> Tensor:
        """The tensor with its zeros."""
        line = self.numbers.new_zeros(self.shape.numel())
        dense: Tensor = line.index_add(0, self._rows(), self.numbers).reshape(self.shape)
        return dense if dtype is None else dense.to(dtype)

    def to_sparse(self, sparse_dim: int | None = None) -> Self:  # all are
        """The tensor itself."""
        return self

    def sparse_dim(self) -> int:
        """How many dims it has: all of them are sparse."""
        return self.ndim

    def dense_dim(self) -> int:
        """0: no dim is dense."""
        return 0

    # Gradients, devices, dtypes: those of the numbers ---------------------------------------------

    requires_grad = property(
        lambda self: self.numbers.requires_grad,
        lambda self, value: setattr(self.numbers, "requires_grad", value),
    )
    grad_fn = property(lambda self: self.numbers.grad_fn)
    is_leaf = property(lambda self: self.numbers.is_leaf)
    device = property(lambda self: self.numbers.device)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Whether the numbers get a gradient."""
        self.numbers.requires_grad_(requires_grad)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """The numbers of another dtype, or all of it on another device."""
        new = self.with_numbers(self.numbers.to(*args, **kwargs))
        new.places = self.places.to(new.numbers.device)
        return new

    def detach(self) -> Self:
        """The same numbers, as constants."""
        return self.with_numbers(self.numbers.detach())

    def clone(self, **_kept: Any) -> Self:
        """A copy of it."""
        return self.with_numbers(self.numbers.clone())

    def copy_(self, src: Any, non_blocking: bool = False) -> Self:  # PyTorch's
        """Become what another sparse tensor of the same shape is."""
        vars(self).update(places=src.places, numbers=src.numbers.detach().clone())
        self.is_merged = src.is_merged
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self.of(
            self.places.clone(),
            copy.deepcopy(self.numbers, memo),
            self.shape,
            is_merged=self.is_merged,
        )

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _restored, (self.places, self.numbers, tuple(self.shape), self.is_merged)

    def numpy(self, *_options: Any, **_named: Any) -> Any:
        """Say that an array would have the zeros, too."""
        raise ArgumentTypeError(
            "can't convert Sparse layout tensor to numpy. Use Tensor.to_dense() first."
        )

    __array__ = tolist = numpy

    # Arithmetic ---------------------------------------------------------------------------------

    def transpose(self, dim0: int, dim1: int) -> Self:
        """With two dims in each other's place."""
        dims = list(range(self.ndim))
        first, second = wrap_dim(dim0, self.ndim), wrap_dim(dim1, self.ndim)
        dims[first], dims[second] = second, first
        shape = [self.shape[dim] for dim in dims]
        return self.of(self.places[dims], self.numbers, shape)

    def t(self) -> Self:
        """Rows in the place of columns."""
        return self.transpose(0, 1)

    T = mT = property(t)  # noqa: N815  # PyTorch's name

    def __mul__(self, other: Any) -> Any:
        return multiplied(self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Self:
        return self.with_numbers(self.numbers / other)

    def __neg__(self) -> Self:
        return self.with_numbers(-self.numbers)

    def __add__(self, other: Any) -> Any:
        return added(self, other)

    def __sub__(self, other: Any) -> Any:
        return added(self, -other)

    def sum(self, dim: Any = None, *_others: Any, **_named: Any) -> Tensor:
        """The sum of all numbers; see `sparse.sum`."""
        return sparse_sum(self, dim)

    def __repr__(self, **_options: Any) -> str:
        places = repr(self.places).replace("\n", "\n" + " " * len("tensor(indices="))
        lines = [f"tensor(indices={places}", f"values={self.numbers.detach()!r}"]
        lines.append(f"size={tuple(self.shape)}, nnz={self._nnz()}, layout={sparse_coo!r})")
        return ",\n       ".join(lines)


def product(x: Tensor, y: Tensor) -> Tensor:
    """The product of matrices, or of a matrix and a vector, one of which is sparse."""
    if not isinstance(x, SparseTensor):
        return product(y.t(), x.t()).t() if x.ndim == 2 else product(y.t(), x)
    if isinstance(y, SparseTensor):
        return to_sparse(product(x, y.to_dense()))
    if x.ndim != 2 or y.ndim not in (1, 2) or x.shape[1] != y.shape[0]:
        raise ShapeError(
            f"mat1 and mat2 shapes cannot be multiplied ({x.shape} and {y.shape}). A row of the "
            "first meets a column of the second. Write `x.t()`."
        )
    rows, columns = x.places
    weights = x.numbers.reshape(-1, *[1] * (y.ndim - 1))
    terms = y.index_select(0, columns) * weights
    return terms.new_zeros(x.shape[0], *y.shape[1:]).index_add(0, rows, terms)


def added(x: Any, y: Any) -> Tensor:
    """The sum of two sparse tensors, or of a dense one and a sparse one."""
    if not isinstance(x, SparseTensor):
        dense: Tensor = x + y.to_dense()
        return dense
    if not isinstance(y, SparseTensor):
        raise GraphError(
            "add(sparse, dense) is not supported. Use add(dense, sparse) instead: the sum has "
            "zeros nowhere."
        )
    places, numbers = cat([x.places, y.places], 1), cat([x.numbers, y.numbers])
    return SparseTensor.of(places, numbers, x.shape).coalesce()


def multiplied(x: Any, y: Any) -> Tensor:
    """A sparse tensor times a number or a dense tensor, at the places where it is not 0."""
    if not isinstance(x, SparseTensor):
        return multiplied(y, x)
    factor = y.to_dense() if isinstance(y, SparseTensor) else y
    if isinstance(factor, Tensor) and factor.ndim:
        factor = factor.expand(x.shape)[tuple(x.places)]
    whole = x.coalesce() if isinstance(y, SparseTensor) else x
    return whole.with_numbers(whole.numbers * factor)


def _restored(places: Tensor, numbers: Tensor, shape: Any, is_merged: bool) -> SparseTensor:
    """What `pickle` makes one of."""
    return SparseTensor.of(places, numbers, shape, is_merged=is_merged)


_RULES: dict[Any, Callable[..., Any]] = {Mm: product, Mv: product, Add: added, Mul: multiplied}
"""What computes an op that a sparse tensor has been handed to."""


@function()
def sparse_coo_tensor(
    indices: Any,
    values: Any,
    size: Sequence[int] | None = None,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    check_invariants: bool | None = None,  # noqa: ARG001  # they are checked
    is_coalesced: bool | None = None,
) -> Tensor:
    """A tensor that is 0 but at some places.

    Args:
        indices: int64 tensor of shape `(dims, n)`: a column for each place.
        values: shape `(n,)`: the numbers there, which add up at repeated places.
        size: its shape; None: as large as the places need.
        dtype, device, requires_grad: those of the numbers.
        check_invariants: accepted: places are always checked.
        is_coalesced: whether no place is repeated, and they are in order.

    Raises:
        ShapeError: if there are not as many places as numbers, or one is outside of the shape.

    Example:
        >>> x = sparse_coo_tensor([[0, 1], [2, 0]], [3.0, 4.0], (2, 3))
        >>> x.to_dense()
        tensor([[0., 0., 3.],
                [4., 0., 0.]])

    See also: https://pytorch.org/docs/stable/sparse.html
    """
    places = as_tensor(indices, device=device).to(int64)
    numbers = as_tensor(values, dtype=dtype, device=device)
    if numbers.ndim != 1 or places.ndim != 2 or places.shape[1] != numbers.shape[0]:
        raise ShapeError(
            "indices and values must have same nnz, but got nnz from indices: "
            f"{places.shape[-1]}, nnz from values: {numbers.numel()}. Places have the shape "
            f"(dims, n), got {list(places.shape)}, and numbers (n,), got {list(numbers.shape)}."
        )
    ends = (places.max(1).values + 1).tolist() if numbers.numel() else [0] * places.shape[0]
    shape = ends if size is None else list(size)
    if len(shape) != len(ends) or (numbers.numel() and int(places.min()) < 0):
        raise ShapeError(
            f"found negative index, or indices of {len(ends)} dims for the size {shape}. A place "
            "has a number from 0 up for each dim."
        )
    for dim, (n, end) in enumerate(zip(shape, ends, strict=True)):
        if end > n:
            raise ShapeError(
                f"size is inconsistent with indices: for dim {dim}, size is {n} but found index "
                f"{end - 1}. Write a larger size."
            )
    if requires_grad:
        numbers = numbers.detach().requires_grad_()
    return SparseTensor.of(places, numbers, shape, is_merged=bool(is_coalesced))


@function(home="sparse", name="FloatTensor")
def sparse_float_tensor(*given: Any) -> Tensor:
    """`sparse_coo_tensor(indices, values, size)` of float32, or one of a size, without numbers."""
    return _by_old_name("float32", given)


@function(home="sparse", name="DoubleTensor")
def sparse_double_tensor(*given: Any) -> Tensor:
    """`sparse_coo_tensor(indices, values, size)` of float64, or one of a size, without numbers."""
    return _by_old_name("float64", given)


def _by_old_name(dtype: str, given: Any) -> Tensor:
    if given and isinstance(given[0], Tensor):
        return sparse_coo_tensor(*given, dtype=dtype)
    shape = given[0] if given and isinstance(given[0], (tuple, list)) else given
    nowhere = np.zeros((len(shape), 0), np.int64)
    return sparse_coo_tensor(nowhere, np.zeros(0), shape, dtype=dtype)


@method()
def to_sparse(
    input: Tensor,
    sparse_dim: int | None = None,  # noqa: ARG001  # all dims are
) -> Tensor:
    """The elements that are not 0, as a sparse tensor.

    Args:
        input: tensor of any shape.
        sparse_dim: accepted: all dims are sparse.

    Example:
        >>> eye(2).to_sparse().values()
        tensor([1., 1.])
    """
    places = input.detach().nonzero(as_tuple=True)
    return SparseTensor.of(stack(places), input[places], input.shape, is_merged=True)


@method()
def to_dense(
    input: Tensor,
    dtype: Any = None,
    *,
    masked_grad: bool | None = None,  # noqa: ARG001  # PyTorch's, without effect
) -> Tensor:
    """The tensor itself: it has its zeros; that of a sparse one is with them."""
    return input if dtype is None else input.to(dtype)


@function(home="sparse", name="mm", aliases=("spmm", "smm"))
def sparse_mm(mat1: Tensor, mat2: Tensor) -> Tensor:
    """The product of matrices, one of which is sparse.

    Example:
        >>> glassgrad.sparse.mm(eye(2).to_sparse(), ones(2, 1))
        tensor([[1.],
                [1.]])

    See also: https://pytorch.org/docs/stable/generated/torch.sparse.mm.html
    """
    return mat1 @ mat2


@function(home="sparse", name="addmm")
def sparse_addmm(
    mat: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1.0, alpha: float = 1.0
) -> Tensor:
    """`beta·mat + alpha·mat1 @ mat2`, where mat1 is sparse."""
    return beta * mat + alpha * (mat1 @ mat2)


@function(home="sparse", name="sum")
def sparse_sum(input: Any, dim: Any = None, dtype: Any = None) -> Tensor:
    """The sum of a sparse tensor, along some dims; it is sparse unless these are all.

    Example:
        >>> glassgrad.sparse.sum(eye(2).to_sparse())
        tensor(2.)
    """
    numbers = input.numbers if dtype is None else input.numbers.to(dtype)
    dims = wrap_dims(dim, input.ndim)
    kept = [each for each in range(input.ndim) if each not in dims]
    if not kept:
        return numbers.sum()
    shape = [input.shape[each] for each in kept]
    return SparseTensor.of(input.places[kept], numbers, shape).coalesce()


@function(home="sparse", name="softmax")
def sparse_softmax(input: Any, dim: int, *, dtype: Any = None) -> Tensor:
    """The softmax along a dim among the elements that are there; the others stay 0."""
    x = input.coalesce()
    numbers = x.numbers if dtype is None else x.numbers.to(dtype)
    rows = x._rows(wrap_dim(dim, x.ndim))
    count = x.shape.numel() // x.shape[dim]
    lowest = numbers.new_full((count,), -np.inf)
    highest = lowest.scatter_reduce(0, rows, numbers.detach(), "amax")
    powers = (numbers - highest[rows]).exp()
    totals = numbers.new_zeros(count).index_add(0, rows, powers)
    return x.with_numbers(powers / totals[rows])


@function(home="sparse", name="log_softmax")
def sparse_log_softmax(input: Any, dim: int, *, dtype: Any = None) -> Tensor:
    """The logarithm of `sparse.softmax`, of the elements that are there."""
    shares: Any = sparse_softmax(input, dim, dtype=dtype)
    return shares.with_numbers(shares.numbers.log())
