"""What a Tensor can do beside its ops: operators, its part in a backward pass, transposes.

The ops declare their methods themselves (see `ops/_declaring.py`). This mixin is copied onto
`Tensor` with them when the package is imported, so that `core/` imports no op.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from . import _grad, _printing
from .core import backward as _backward
from .hooks import on_gradients as hooks
from .ops import (
    _declaring,
    arithmetic,
    comparison,
    conversion,
    exponentials,
    indexing,
    linalg,
    reduction,
    splitting,
    transposing,
)
from .ops._declaring import METHODS, plain
from .ops.arithmetic import Add, Div, Mul, Operand, Sub
from .ops.comparison import Eq, Ge, Gt, Le, Lt, Ne
from .values.layers import refuse_inside

if TYPE_CHECKING:
    from .core.tensor import Tensor


class Methods:
    """The methods of `Tensor` that are no ops."""

    # Autograd
    register_hook = hooks.register_hook
    register_post_accumulate_grad_hook = hooks.register_post_accumulate_grad_hook
    retain_grad = hooks.retain_grad
    grad_dtype = _grad.grad_dtype

    backward = _backward.backward

    @property
    def is_nested(self: "Tensor") -> bool:
        """Whether its rows have different sizes: never, here."""
        return False

    def requires_grad_(self: "Tensor", requires_grad: bool = True) -> "Tensor":
        """Set `requires_grad`, and return the tensor."""
        refuse_inside("Tensor.requires_grad_()")
        if self.is_leaf or requires_grad is not True:
            self.requires_grad = requires_grad
        return self

    # Operators. The doors themselves where every call counts.
    __add__ = __radd__ = Add.as_operator
    __sub__ = Sub.as_operator
    __rsub__ = arithmetic.rsub
    __mul__ = __rmul__ = Mul.as_operator
    __truediv__ = Div.as_operator
    __pow__ = plain(exponentials.pow)
    __matmul__ = plain(linalg.matmul)
    __neg__ = plain(arithmetic.neg)  # of one operand, the door expects a function of ours before it
    __abs__ = plain(arithmetic.abs)
    __eq__ = Eq.apply  # type: ignore[assignment]  # object's answers with a bool
    __ne__ = Ne.apply  # type: ignore[assignment]  # the same
    __lt__ = Lt.apply
    __le__ = Le.apply
    __gt__ = Gt.apply
    __ge__ = Ge.apply
    __hash__ = object.__hash__  # by identity: == compares elements
    __and__ = __rand__ = comparison.bitwise_and
    __or__ = __ror__ = comparison.bitwise_or
    __xor__ = __rxor__ = comparison.bitwise_xor
    __invert__ = comparison.bitwise_not
    __iadd__ = METHODS["add_"]
    __isub__ = METHODS["sub_"]
    __imul__ = METHODS["mul_"]
    __itruediv__ = METHODS["div_"]
    __ipow__ = METHODS["pow_"]
    __getitem__ = indexing.getitem
    __setitem__ = indexing.setitem
    __repr__ = _printing.tensor_repr
    __array_ufunc__ = _declaring.array_ufunc
    __array_function__ = _declaring.array_function
    __dlpack__ = conversion.dlpack_capsule
    __dlpack_device__ = conversion.dlpack_device

    def __rtruediv__(self: "Tensor", other: Operand) -> "Tensor":
        return Mul.apply(plain(exponentials.reciprocal)(self), other)

    def __rpow__(self: "Tensor", base: Operand) -> "Tensor":
        return plain(exponentials.pow)(base, self)

    def __rmatmul__(self: "Tensor", other: "Tensor") -> "Tensor":
        return plain(linalg.matmul)(other, self)

    def __pos__(self: "Tensor") -> "Tensor":
        return self

    def __iter__(self: "Tensor") -> Iterator["Tensor"]:
        return splitting.iterate(self)

    def __contains__(self: "Tensor", element: Any) -> bool:
        return bool(reduction.any(Eq.apply(self, element)))

    # Transposes
    T = property(transposing.reversed_dims)
    mT = property(transposing.mT)  # noqa: N815  # PyTorch's name
