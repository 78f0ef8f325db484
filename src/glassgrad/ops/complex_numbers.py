"""Complex numbers and their parts: complex, polar, real, imag, angle, sgn, conj.

Their gradients are PyTorch's: ȳ·conj(f'(x)) where f has a derivative, and a real operand's is real.
"""

from typing import Any

import numpy as np

from glassgrad.core.errors import DTypeError, ShapeError
from glassgrad.core.tensor import Tensor
from glassgrad.memory.views import as_view
from glassgrad.values.backend import reread
from glassgrad.values.dtypes import bool_

from ._arguments import scalar_name
from ._declaring import of_numpy, op
from ._families import Elementwise, Linear, Moved, Symmetric, by_call, run, total
from .arithmetic import sign_of
from .comparison import Eq
from .conversion import Contiguous
from .joining import select
from .memory import steps_of, storage_offset
from .shape import transpose

# Two numbers in one -------------------------------------------------------------------------------


class Complex(Elementwise):
    """z = complex(x, y)        dz = complex(dx, dy)        x̄ = Re z̄,  ȳ = Im z̄"""

    changes_dtype = True
    holomorphic = False
    saves = ("real", "imag")
    saved_at = {"real": 0, "imag": 1}

    @staticmethod
    def forward(x, y):
        return _joined(x, y)

    @staticmethod
    def backward(ctx, grad):
        return np.real(grad), np.imag(grad)

    @staticmethod
    def jvp(ctx, dx, dy):
        parts = [None if dx is None else dx + 0j, None if dy is None else dy * 1j]
        return total(parts)


def _joined(x: Any, y: Any) -> Any:
    """The numbers x + i·y, whose parts are just these: i·∞ would have nan as its real part."""
    pairs = np.stack(np.broadcast_arrays(x, y), -1)
    return reread(pairs, _complex_of(pairs.dtype))[..., 0]


def _complex_of(dtype: Any) -> Any:
    """The dtype of complex numbers whose parts have the given one."""
    return np.result_type(dtype, np.complex64)


@op(Complex, is_method=False, inplace=False, tensors=("real", "imag"), out_exact=True)
def complex(real: Tensor, imag: Tensor) -> Tensor:
    """`real + i·imag`, element by element.

    Args:
        real, imag: float32 or float64 tensors of one dtype, of shapes that broadcast to `S`.

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
    _check_parts(real, imag)
    return Complex.apply(real, imag)


class Polar(Elementwise):
    """z = complex(r·cos t, r·sin t)
    dz = dr·sgn z + dt·z·complex(0, 1)
    r̄ = Re(conj(z̄)·sgn z)
    t̄ = Re(conj(z̄)·z·complex(0, 1))
    """

    changes_dtype = True
    holomorphic = False
    saves = ("result",)

    @staticmethod
    def forward(r, t):
        return _joined(r * np.cos(t), r * np.sin(t))

    @staticmethod
    def backward(ctx, grad):
        (z,) = ctx.saved_tensors
        turned = np.conj(grad)
        return np.real(turned * run(Sgn, z)), np.real(turned * (z * 1j))

    @staticmethod
    def jvp(ctx, dr, dt):
        (z,) = ctx.saved_tensors
        outwards = None if dr is None else dr * run(Sgn, z)
        return total([outwards, None if dt is None else dt * (z * 1j)])


@op(Polar, is_method=False, inplace=False, tensors=("abs", "angle"), out_exact=True)
def polar(abs: Tensor, angle: Tensor) -> Tensor:
    """The complex numbers of given lengths and angles, element by element.

    Args:
        abs, angle: float32 or float64 tensors of one dtype, of shapes that broadcast to `S`;
            angles in radians.

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
    _check_parts(abs, angle)
    return Polar.apply(abs, angle)


def _check_parts(first: Tensor, second: Tensor) -> None:
    dtypes = [scalar_name(x.dtype) for x in (first, second)]
    if any(name not in ("Half", "Float", "Double") for name in dtypes):
        raise DTypeError(
            f"Expected both inputs to be Half, Float or Double tensors but got {dtypes[0]} and "
            f"{dtypes[1]}. They are the parts of complex numbers. Write `x.float()`."
        )
    if dtypes[0] != dtypes[1]:
        raise DTypeError(
            f"Expected object of scalar type {dtypes[0]} but got scalar type {dtypes[1]} for "
            "second argument. Both parts of a number have one dtype. Write `y.to(x.dtype)`."
        )


class ViewAsReal(Moved):
    """y = view_as_real x        x̄ = view_as_complex ȳ"""

    holomorphic = False
    views = True

    @staticmethod
    def forward(x):
        return reread(x[..., None], np.real(x).dtype)

    @staticmethod
    def backward(ctx, grad):
        return run(ViewAsComplex, run(Contiguous, grad))


class ViewAsComplex(Moved):
    """y = view_as_complex x        x̄ = view_as_real ȳ"""

    holomorphic = False
    views = True

    @staticmethod
    def forward(x):
        return reread(x, _complex_of(x.dtype))[..., 0]

    @staticmethod
    def backward(ctx, grad):
        return run(ViewAsReal, grad)

    @classmethod
    @by_call
    def jvp(cls, ctx, dx):
        """A tangent may lie in memory in another way than x."""
        return cls.apply(Contiguous.apply(dx))


@op(ViewAsReal, is_method=False)
def view_as_real(input: Tensor) -> Tensor:
    """The real and the imaginary parts of complex numbers, side by side.

    Args:
        input: complex tensor of shape `S`.

    Returns:
        A view of shape `(*S, 2)`, real.

    Raises:
        DTypeError: for real tensors.

    Example:
        >>> view_as_real(tensor([1 + 2j, 3 + 4j]))
        tensor([[1., 2.],
                [3., 4.]])

    See also: https://pytorch.org/docs/stable/generated/torch.view_as_real.html
    """
    if input.dtype.kind != "c":
        raise DTypeError(
            f"view_as_real is only supported for complex tensors, got {input.dtype}. Real numbers "
            "have one part. Write `x.unsqueeze(-1)`."
        )
    return as_view(ViewAsReal.apply(input), input)


@op(ViewAsComplex, is_method=False)
def view_as_complex(input: Tensor) -> Tensor:
    """Pairs of real numbers as complex ones: the inverse of `view_as_real`.

    Args:
        input: real tensor of shape `(*S, 2)`, whose pairs lie side by side in memory.

    Returns:
        A view of shape `S`, complex.

    Raises:
        DTypeError: for integers and complex numbers.
        ShapeError: if there are no pairs, or they do not lie so in memory.

    Example:
        >>> view_as_complex(tensor([[1.0, 2.0], [3.0, 4.0]]))
        tensor([1.+2.j, 3.+4.j])

    See also: https://pytorch.org/docs/stable/generated/torch.view_as_complex.html
    """
    if input.dtype.kind != "f" or input.dtype.itemsize < 4:
        raise DTypeError(
            "view_as_complex is only supported for half, float and double tensors, but got a "
            f"tensor of scalar type: {scalar_name(input.dtype)}. Write `x.float()`."
        )
    wrong = _why_no_pairs(input)
    if wrong:
        raise ShapeError(
            f"{wrong}, got shape {list(input.shape)} and strides {list(steps_of(input))}. Two "
            "neighbours in memory become one number. Write "
            "`view_as_complex(stack([x, y], -1))`, or `complex(x, y)`."
        )
    return as_view(ViewAsComplex.apply(input), input)


def _why_no_pairs(input: Tensor) -> str:
    """What keeps a tensor from being seen as complex numbers; empty if nothing does."""
    if not input.ndim:
        return "Input tensor must have one or more dimensions"
    if input.shape[-1] != 2:
        return "Tensor must have a last dimension of size 2"
    *others, last = steps_of(input)
    if last != 1:
        return "Tensor must have a last dimension with stride 1"
    if any(step % 2 for step in others):
        return "Tensor must have a stride divisible by 2 for all but last dimension"
    return "Tensor must have a storage_offset divisible by 2" if storage_offset(input) % 2 else ""


# One of both --------------------------------------------------------------------------------------


@op(is_method=False, numpy=(np.real,))
def real(input: Tensor) -> Tensor:
    """The real parts, element by element; `x.real` is the same.

    Args:
        input: tensor of shape `S`.

    Returns:
        A view of shape `S`, real; a real tensor itself.

    Example:
        >>> real(tensor([1 + 2j]))
        tensor([1.])

    See also: https://pytorch.org/docs/stable/generated/torch.real.html
    """
    return select(view_as_real(input), -1, 0) if input.dtype.kind == "c" else input


@op(is_method=False)
def imag(input: Tensor) -> Tensor:
    """The imaginary parts, element by element; `x.imag` is the same.

    Args:
        input: complex tensor of shape `S`.

    Returns:
        A view of shape `S`, real.

    Raises:
        DTypeError: for real tensors.

    Example:
        >>> imag(tensor([1 + 2j]))
        tensor([2.])

    See also: https://pytorch.org/docs/stable/generated/torch.imag.html
    """
    if input.dtype.kind != "c":
        raise DTypeError(
            "imag is not implemented for tensors with non-complex dtypes. The imaginary part of a "
            f"real number is 0, got {input.dtype}. Write `zeros_like(x)`."
        )
    return select(view_as_real(input), -1, 1)


@of_numpy(np.imag)
def _numpy_imag(val: Tensor) -> Tensor:
    return imag(val) if val.dtype.kind == "c" else val * 0


@op()
def isreal(input: Tensor) -> Tensor:
    """Which elements have no imaginary part; all of a real tensor.

    Example:
        >>> isreal(tensor([1 + 0j, 1j]))
        tensor([ True, False])
    """
    if input.dtype.kind != "c":
        return input.new_ones(input.shape, dtype=bool_)
    return Eq.apply(imag(input), 0)


class Conj(Linear, Elementwise):
    """y = conj x        x̄ = conj ȳ"""

    node = "ConjPhysicalBackward0"
    holomorphic = False
    ufunc = np.conjugate

    @staticmethod
    def backward(ctx, grad):
        return np.conj(grad)


@op(Conj, out=False, inplace=False)
def conj(input: Tensor) -> Tensor:
    """The complex conjugate, element by element; a real tensor is its own.

    Args:
        input: tensor of shape `S`.

    Returns:
        Tensor of shape `S` and the same dtype.

    Example:
        >>> conj(tensor([1 + 2j]))
        tensor([1.-2.j])

    See also: https://pytorch.org/docs/stable/generated/torch.conj.html
    """
    return Conj.apply(input) if input.dtype.kind == "c" else input


@op(Conj)
def conj_physical(input: Tensor) -> Tensor:
    """`conj`, which is not put off here: PyTorch's name for that.

    Example:
        >>> conj_physical(tensor([1 + 2j]))
        tensor([1.-2.j])
    """
    return conj(input)


@op(aliases=("resolve_neg",))
def resolve_conj(input: Tensor) -> Tensor:
    """`input` itself: `conj` conjugates at once here, so there is nothing left to do.

    Example:
        >>> resolve_conj(tensor([1 + 2j]).conj())
        tensor([1.-2.j])
    """
    return input


# Lengths and directions ---------------------------------------------------------------------------


class Angle(Elementwise):
    """y = atan2(Im x, Re x)        x̄ = 0

    So for real numbers: their angle is 0 or π. The gradient of a complex one is ȳ·i·x/|x|², across
    its direction.
    """

    holomorphic = False
    floating = True
    saves = ("self",)

    @staticmethod
    def forward(x):
        if x.dtype.kind == "c":
            return np.angle(x)
        ahead = np.zeros_like(x)
        return np.where(np.isnan(x), x, np.where(x < 0, ahead + np.pi, ahead))

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * _turning(x) if x.dtype.kind == "c" else np.zeros_like(grad)

    @staticmethod
    def jvp(ctx, dx):
        (x,) = ctx.saved_tensors
        if x.dtype.kind != "c":
            return np.zeros_like(dx)
        return np.real(np.conj(_turning(x)) * dx)


def _turning(x: Any) -> Any:
    """i·x/|x|²: where to, and how little, x moves to turn by 1; 0 of 0."""
    square = np.real(x * np.conj(x))
    return np.where(square == 0, 0, x * 1j / np.where(square == 0, 1, square))


@op(Angle, inplace=False)
def angle(input: Tensor) -> Tensor:
    """The angle of complex numbers in radians, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.

    Returns:
        Tensor of shape `S`, real: from -π to π; of real numbers π below 0, else 0.

    Example:
        >>> angle(tensor([1j, -1 + 0j]))
        tensor([1.5708, 3.1416])

    See also: https://pytorch.org/docs/stable/generated/torch.angle.html
    """
    return Angle.apply(input)


@of_numpy(np.angle)
def _numpy_angle(z: Tensor) -> Tensor:
    return angle(z)


class Sgn(Symmetric, Elementwise):
    """y = sgn x        x̄ = (ȳ − y·Re(conj(ȳ)·y))/|x| if x ≠ 0 else 0"""

    holomorphic = False
    saves = ("self", "result")

    @staticmethod
    def forward(x):
        return _direction(x) if x.dtype.kind == "c" else sign_of(x)

    @staticmethod
    def backward(ctx, grad):
        """Only what is across the direction turns it."""
        x, y = ctx.saved_tensors
        if x.dtype.kind != "c":
            return np.zeros_like(grad)
        length = np.abs(x)
        across = grad - y * np.real(np.conj(grad) * y)
        return np.where(length == 0, 0, across / np.where(length == 0, 1, length))


def _direction(x: Any) -> Any:
    """x/|x| of complex numbers; 0 of 0."""
    length = np.abs(x)
    return np.where(length == 0, 0, x / np.where(length == 0, 1, length))


@op(Sgn, inplace_function=False, numpy=(np.sign,))
def sgn(input: Tensor) -> Tensor:
    """The direction of complex numbers, x/|x|, element by element; of real ones the sign.

    Args:
        input: tensor of shape `S`.

    Returns:
        Tensor of shape `S` and the same dtype; 0 where `input` is 0.

    Example:
        >>> sgn(tensor([3 + 4j, 0j]))
        tensor([0.6000+0.8000j, 0.0000+0.0000j])

    See also: https://pytorch.org/docs/stable/generated/torch.sgn.html
    """
    return Sgn.apply(input)


# Matrices transposed and conjugated --------------------------------------------------------------


def mH(input: Tensor) -> Tensor:  # noqa: N802  # PyTorch's name
    """`x.mH`: each matrix of a batch transposed, and its elements conjugated; see `mT`.

    Example:
        >>> tensor([[1j, 2]]).mH
        tensor([[0.-1.j],
                [2.-0.j]])
    """
    if input.ndim < 2:  # a matrix
        raise ShapeError(
            "tensor.mH is only supported on matrices or batches of matrices. Got "
            f"{input.ndim}-D tensor. Write `x.conj()`."
        )
    return conj(transpose(input, -2, -1))


def H(input: Tensor) -> Tensor:  # noqa: N802  # PyTorch's name
    """`x.H`: a matrix transposed, and its elements conjugated; a 0-d tensor is conjugated.

    Example:
        >>> tensor([[1j, 2]]).H.shape
        glassgrad.Size([2, 1])
    """
    if input.ndim not in (0, 2):
        raise ShapeError(
            "tensor.H is only supported on matrices (2-D tensors). Got "
            f"{input.ndim}-D tensor. Write `x.mH` for a batch of matrices."
        )
    return mH(input) if input.ndim else conj(input)


@op()
def adjoint(input: Tensor) -> Tensor:
    """Each matrix of a batch transposed, and its elements conjugated.

    Args:
        input: tensor of shape `(…, n, m)`.

    Returns:
        Tensor of shape `(…, m, n)`; of real numbers a view.

    Raises:
        ShapeError: if it has fewer than two dims.

    Example:
        >>> adjoint(tensor([[1, 2]]))
        tensor([[1],
                [2]])
    """
    if input.ndim < 2:  # a matrix
        raise ShapeError(
            "tensor.adjoint() is only supported on matrices or batches of matrices. Got "
            f"{input.ndim}-D tensor. Write `x.conj()`."
        )
    return mH(input)
