"""Fourier transforms: of complex numbers, of real ones, and back to real ones; windows for them.

Three ops do all of them. A transform of real numbers has its other half as a mirror image, so half
of it is enough, and leads back to real numbers.
"""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from glassgrad.core.errors import DTypeError, ShapeError
from glassgrad.core.primitive import Parameters
from glassgrad.core.state import Shape, Values
from glassgrad.core.tensor import Tensor, is_differentiable
from glassgrad.values.dtypes import as_dtype, complex64, get_default_dtype, promote_types

from . import _checks as check
from ._arguments import Dims, OpClass, dim_there, int_of, wrap_dims
from ._checks import scalar_name
from ._declaring import factory, op
from ._families import Along, Linear
from ._lookup import function_named
from ._rules import in_dim, piece, run, zeros_like
from .arithmetic import conj
from .conversion import to
from .creation import made
from .joining import cat
from .shape import roll

# What a sum over n places is divided by: nothing, √n, or n. PyTorch's numbers.
BY_NOTHING, BY_ROOT, BY_COUNT = 0, 1, 2
Norm = Literal["backward", "ortho", "forward"]
_NORMS: tuple[Norm, Norm, Norm] = ("backward", "ortho", "forward")
"""NumPy's name for each, of a transform forward; back they are the other way round."""


class FftC2C(Along, Linear):
    """y = fft(x, dim, inverse)        x̄ = fft(ȳ, dim, ~inverse)"""

    holomorphic = False

    @staticmethod
    def forward(x, *, dim, normalization, inverse):
        if inverse:
            return np.fft.ifftn(x, axes=dim, norm=_NORMS[2 - normalization])
        return np.fft.fftn(x, axes=dim, norm=_NORMS[normalization])

    @staticmethod
    def backward(ctx, grad):
        return run(
            FftC2C, grad, dim=ctx.dim, normalization=ctx.normalization, inverse=not ctx.inverse
        )


class FftR2C(Along, Linear):
    """y = rfft(x, dim, onesided)        x̄ = Re fft(padded(ȳ, shape x), dim, 1)

    One-sided, the last of the dims keeps its first half: the other one mirrors it.
    """

    holomorphic = False

    @staticmethod
    def forward(x, *, dim, normalization, onesided):
        transform = np.fft.rfftn if onesided else np.fft.fftn
        return transform(x, axes=dim, norm=_NORMS[normalization])

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.count = inputs[0].shape[ctx.dim[-1]]

    @staticmethod
    def backward(ctx, grad):
        """What one side leaves out got no gradient."""
        last, shape = ctx.dim[-1], list(grad.shape)
        shape[last] = ctx.count - shape[last]
        if shape[last]:
            grad = np.concatenate([grad, zeros_like(grad, tuple(shape))], last)
        back = run(FftC2C, grad, dim=ctx.dim, normalization=ctx.normalization, inverse=True)
        return np.real(back)


class FftC2R(Along, Linear):
    """y = irfft(x, dim, last_dim_size)        x̄ = doubled(rfft(ȳ, dim, 1), dim, last_dim_size)

    The last of the dims has half of the places; each but the first (and, of an even number, the
    last) counts twice, as its mirror image, too.
    """

    holomorphic = False

    @staticmethod
    def forward(x, *, dim, normalization, last_dim_size):
        sizes = [x.shape[each] for each in dim[:-1]]
        norm = _NORMS[2 - normalization]
        return np.fft.irfftn(x, s=(*sizes, last_dim_size), axes=dim, norm=norm)

    @staticmethod
    def backward(ctx, grad):
        half = run(FftR2C, grad, dim=ctx.dim, normalization=ctx.normalization, onesided=True)
        last, mirrored = ctx.dim[-1], (ctx.last_dim_size + 1) // 2
        first, twice, middle = [
            half[piece(places, last)]
            for places in (slice(0, 1), slice(1, mirrored), slice(max(mirrored, 1), None))
        ]
        return np.concatenate([first, twice * 2, middle], last)


# What is transformed ------------------------------------------------------------------------------


def _normalization(norm: str | None, *, inverse: bool) -> int:
    """Which of the numbers above is meant by a user's word."""
    word: Any = "backward" if norm is None else norm
    said = 'Invalid normalization mode: "{}". It says what a sum is divided by'
    why = "Write 'backward' (nothing, and n on the way back), 'ortho' (√n) or 'forward' (n)."
    check.choice(said, word, _NORMS, why, DTypeError)
    at = _NORMS.index(word)
    return 2 - at if inverse else at


def _as_fractions(input: Tensor, *, is_complex: bool) -> Tensor:
    """`input` as floats, or as complex numbers if they are needed."""
    dtype = input.dtype if is_differentiable(input.dtype) else get_default_dtype()
    if dtype.itemsize < 4:
        raise DTypeError(
            f"Unsupported dtype {scalar_name(dtype)}. The sums of a transform need more digits. "
            "Write `x.float()`."
        )
    return to(input, promote_types(dtype, complex64) if is_complex else dtype)


Sizes = Sequence[int] | None
"""How long each of the dims is to be."""


def _dims_and_sizes(input: Tensor, s: Sizes, dim: Dims) -> tuple[Shape, Values]:
    """The dims to transform and how long each is to be, as users say it; None: as long as it is."""
    ndim = input.ndim
    dims = wrap_dims(None, ndim)
    if dim is not None:
        why = "A transform goes along one. Write `x.reshape(1)`."
        dims = tuple([dim_there(each, input, why) for each in _each(dim)])
        if len(set(dims)) < len(dims):
            raise ShapeError(f"FFT dims must be unique, got {dim}. Name each dim once.")
    if s is None:
        return dims, (None,) * len(dims)
    asked = _each(s)
    if dim is not None and len(asked) != len(dims):
        raise ShapeError(
            f"When given, dim and shape arguments must have the same length, got dim={dim} and "
            f"s={s}. Each dim has a size. Write -1 for one that stays."
        )
    said = "Got shape with {} values but input tensor only has {high} dimensions"
    why = "Each value is the size of a dim. Write fewer."
    check.within(said, len(asked), 0, ndim, why)
    return dims[-len(asked) :] if asked else (), tuple([None if n == -1 else n for n in asked])


def _each(values: Any) -> Shape:
    return tuple(values) if isinstance(values, Sequence) else (values,)


def _fitted(input: Tensor, dims: Shape, sizes: Values) -> Tensor:
    """`input` cut, or filled up with zeros, to some sizes."""
    for dim, asked in zip(dims, sizes, strict=True):
        size = input.shape[dim] if asked is None else asked
        _check_count(size)
        missing = size - input.shape[dim]
        if missing < 0:
            input = input[in_dim(slice(0, size), dim)]
        elif missing:
            shape = (*input.shape[:dim], missing, *input.shape[dim + 1 :])
            input = cat([input, input.new_zeros(shape)], dim)
    return input


def _check_count(size: int) -> None:
    why = "A transform is of one or more numbers. Write a positive `n`, or leave it out."
    check.least("Invalid number of data points ({}) specified", size, 1, why)


def _check_real(name: str, input: Tensor) -> None:
    why = "Half of the result would not do for complex numbers. Write `fft(x)`, or `x.real`."
    check.dtype(f"{name} expects a real input tensor, but got {{name}}", input, "biuf", why)


def _along_one(
    name: str, rule: OpClass, input: Tensor, n: int | None, dim: int, norm: Any
) -> Tensor:
    """The transform of a name along one dim. Of real numbers a whole one is computed as such."""
    if rule is FftR2C:
        _check_real(name, input)
    at = dim_there(dim, input, "A transform goes along one. Write `x.reshape(1)`.")
    if rule is FftC2C and input.dtype.kind != "c":
        return _transformed(FftR2C, name, input, (at,), (n,), norm, onesided=False)
    return _transformed(rule, name, input, (at,), (n,), norm)


def _along_some(name: str, rule: OpClass, input: Tensor, s: Sizes, dim: Dims, norm: Any) -> Tensor:
    """The transform of a name along several dims."""
    if rule is FftR2C:
        _check_real(name, input)
    dims, sizes = _dims_and_sizes(input, s, dim)
    if not dims and rule is not FftC2C:
        raise ShapeError(
            f"{name} must transform at least one axis. It halves the last one, or doubles it. "
            "Write `dim=-1`."
        )
    return _transformed(rule, name, input, dims, sizes, norm)


def _transformed(
    rule: OpClass,
    name: str,
    input: Tensor,
    dims: Shape,
    sizes: Values,
    norm: str | None,
    onesided: bool = True,
) -> Tensor:
    """The transform of a name, which begins with "i" for one back.

    Half of a result back is the mirror image of one forward: the conjugate. And what is real leads
    forward to what its mirror image leads back to.
    """
    inverse, last = name.startswith("i"), 0
    if rule is FftC2R:
        last = 2 * (input.shape[dims[-1]] - 1) if sizes[-1] is None else sizes[-1]
        _check_count(last)
        sizes = (*sizes[:-1], last // 2 + 1)
    x = _fitted(_as_fractions(input, is_complex=rule is not FftR2C), dims, sizes)
    given = {"dim": dims, "normalization": _normalization(norm, inverse=inverse)}
    if rule is FftC2R:
        return FftC2R.apply(x if inverse else conj(x), last_dim_size=last, **given)
    if rule is FftR2C:
        y = FftR2C.apply(x, onesided=onesided, **given)
        return conj(y) if inverse else y
    return FftC2C.apply(x, inverse=inverse, **given) if dims else x


# Along one dim ------------------------------------------------------------------------------------

_along_one_dim = functools.partial(op, home="fft", out=True, inplace=False, by=_along_one)
_along_dims = functools.partial(op, home="fft", out=True, inplace=False, by=_along_some)
"""Declare a function of `glassgrad.fft`."""


@_along_one_dim(FftC2C)
def fft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The discrete Fourier transform along one dim: `yₖ = Σⱼ xⱼ·exp(−2πi·jk/n)`.

    Args:
        input: tensor of shape `(…, m, …)`, real or complex; integers become the default dtype.
        n: how many places are transformed: `input` is cut, or filled up with zeros. Default: m.
        dim: along which dim.
        norm: what the sum is divided by: "backward" by nothing (and `ifft` by n), "ortho" by √n,
            "forward" by n. Default: "backward".

    Returns:
        Complex tensor of shape `(…, n, …)`.

    Raises:
        DimError: if there is no such dim.
        ShapeError: if no place would be transformed.
        DTypeError: for float16, or a norm that is none.

    Example:
        >>> import glassgrad
        >>> glassgrad.fft.fft(tensor([1.0, 0.0, 0.0, 0.0]))
        tensor([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])

    See also: https://pytorch.org/docs/stable/generated/torch.fft.fft.html
    """


@_along_one_dim(FftC2C)
def ifft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The inverse of `fft`, with the same arguments; by itself divided by n.

    Example:
        >>> import glassgrad
        >>> glassgrad.fft.ifft(tensor([4.0, 0.0, 0.0, 0.0]))
        tensor([1.-0.j, 1.-0.j, 1.-0.j, 1.-0.j])
    """


@_along_one_dim(FftR2C)
def rfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """`fft` of real numbers, without the second half: that is the first one mirrored.

    Args:
        input: real tensor of shape `(…, m, …)`.
        n, dim, norm: as `fft` has them.

    Returns:
        Complex tensor of shape `(…, n // 2 + 1, …)`.

    Raises:
        DTypeError: for complex numbers, too.
        DimError, ShapeError: as `fft`.

    Example:
        >>> import glassgrad
        >>> glassgrad.fft.rfft(tensor([1.0, 0.0, 0.0, 0.0]))
        tensor([1.+0.j, 1.+0.j, 1.+0.j])

    See also: https://pytorch.org/docs/stable/generated/torch.fft.rfft.html
    """


@_along_one_dim(FftR2C)
def ihfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The inverse of `hfft`: `ifft` of real numbers, without the second half; see `rfft`.

    Example:
        >>> import glassgrad
        >>> glassgrad.fft.ihfft(tensor([4.0, 0.0, 0.0, 0.0]))
        tensor([1.-0.j, 1.-0.j, 1.-0.j])
    """


@_along_one_dim(FftC2R)
def irfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The inverse of `rfft`: real numbers of the first half of their transform.

    Args:
        input: tensor of shape `(…, m, …)`, real or complex.
        n: how many numbers there are to be. Default: `2·(m - 1)`, the even one of two that have
            such a half.
        dim, norm: as `fft` has them.

    Returns:
        Real tensor of shape `(…, n, …)`.

    Raises:
        DimError, ShapeError, DTypeError: as `fft`.

    Example:
        >>> import glassgrad
        >>> glassgrad.fft.irfft(tensor([1.0, 1.0, 1.0]))
        tensor([1., 0., 0., 0.])

    See also: https://pytorch.org/docs/stable/generated/torch.fft.irfft.html
    """


@_along_one_dim(FftC2R)
def hfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """`fft` of numbers whose second half mirrors the first one: the result is real; see `irfft`.

    Example:
        >>> import glassgrad
        >>> glassgrad.fft.hfft(tensor([1.0, 1.0, 1.0]))
        tensor([4., 0., 0., 0.])
    """


# Along several dims -------------------------------------------------------------------------------


@_along_dims(FftC2C)
def fftn(input: Tensor, s: Sizes = None, dim: Dims = None, norm: str | None = None) -> Tensor:
    """`fft` along several dims, one after the other.

    Args:
        input: tensor of shape `S`, real or complex; integers become the default dtype.
        s: how many places are transformed in each dim; -1: all that there are. Default: all.
        dim: along which dims. Default: the last `len(s)`, or all.
        norm: as `fft` has it, n being all of the places.

    Returns:
        Complex tensor of shape `S`, but for the sizes `s`.

    Raises:
        DimError: if there is no such dim.
        ShapeError: if a dim is there twice, or the sizes do not fit.
        DTypeError: for float16, or a norm that is none.

    Example:
        >>> import glassgrad
        >>> glassgrad.fft.fftn(tensor([[1.0, 0.0], [0.0, 0.0]]))
        tensor([[1.+0.j, 1.+0.j],
                [1.+0.j, 1.+0.j]])

    See also: https://pytorch.org/docs/stable/generated/torch.fft.fftn.html
    """


@_along_dims(FftC2C)
def ifftn(input: Tensor, s: Sizes = None, dim: Dims = None, norm: str | None = None) -> Tensor:
    """The inverse of `fftn`, with the same arguments.

    Example:
        >>> import glassgrad
        >>> glassgrad.fft.ifftn(tensor([[4.0, 0.0], [0.0, 0.0]]))
        tensor([[1.+0.j, 1.+0.j],
                [1.+0.j, 1.+0.j]])
    """


@_along_dims(FftR2C)
def rfftn(input: Tensor, s: Sizes = None, dim: Dims = None, norm: str | None = None) -> Tensor:
    """`fftn` of real numbers, the last of the dims without its second half; see `rfft`, `fftn`.

    Example:
        >>> import glassgrad
        >>> glassgrad.fft.rfftn(tensor([[1.0, 0.0, 0.0, 0.0]]))
        tensor([[1.+0.j, 1.+0.j, 1.+0.j]])
    """


@_along_dims(FftR2C)
def ihfftn(input: Tensor, s: Sizes = None, dim: Dims = None, norm: str | None = None) -> Tensor:
    """The inverse of `hfftn`: `ifftn` of real numbers, without the second half of the last dim.

    Example:
        >>> import glassgrad
        >>> glassgrad.fft.ihfftn(tensor([[4.0, 0.0, 0.0, 0.0]]))
        tensor([[1.-0.j, 1.-0.j, 1.-0.j]])
    """


@_along_dims(FftC2R)
def irfftn(input: Tensor, s: Sizes = None, dim: Dims = None, norm: str | None = None) -> Tensor:
    """The inverse of `rfftn`; see `irfft` for the size of the last dim.

    Example:
        >>> import glassgrad
        >>> glassgrad.fft.irfftn(tensor([[1.0, 1.0, 1.0]]))
        tensor([[1., 0., 0., 0.]])
    """


@_along_dims(FftC2R)
def hfftn(input: Tensor, s: Sizes = None, dim: Dims = None, norm: str | None = None) -> Tensor:
    """`fftn` of numbers whose second half, in the last dim, mirrors the first one; see `hfft`.

    Example:
        >>> import glassgrad
        >>> glassgrad.fft.hfftn(tensor([[1.0, 1.0, 1.0]]))
        tensor([[4., 0., 0., 0.]])
    """


# Along the last two -------------------------------------------------------------------------------


@_along_dims(FftC2C)
def fft2(input: Tensor, s: Sizes = None, dim: Dims = (-2, -1), norm: str | None = None) -> Tensor:
    """`fftn` along two dims, the last ones by themselves.

    Example:
        >>> import glassgrad
        >>> glassgrad.fft.fft2(tensor([[1.0, 2.0, 3.0, 4.0]])).shape
        glassgrad.Size([1, 4])
    """


@_along_dims(FftC2C)
def ifft2(input: Tensor, s: Sizes = None, dim: Dims = (-2, -1), norm: str | None = None) -> Tensor:
    """`ifftn` along two dims, the last ones by themselves.

    Example:
        >>> import glassgrad
        >>> glassgrad.fft.ifft2(tensor([[1.0, 2.0, 3.0, 4.0]])).shape
        glassgrad.Size([1, 4])
    """


@_along_dims(FftR2C)
def rfft2(input: Tensor, s: Sizes = None, dim: Dims = (-2, -1), norm: str | None = None) -> Tensor:
    """`rfftn` along two dims, the last ones by themselves.

    Example:
        >>> import glassgrad
        >>> glassgrad.fft.rfft2(tensor([[1.0, 2.0, 3.0, 4.0]])).shape
        glassgrad.Size([1, 3])
    """


@_along_dims(FftC2R)
def irfft2(input: Tensor, s: Sizes = None, dim: Dims = (-2, -1), norm: str | None = None) -> Tensor:
    """`irfftn` along two dims, the last ones by themselves.

    Example:
        >>> import glassgrad
        >>> glassgrad.fft.irfft2(tensor([[1.0, 2.0, 3.0, 4.0]])).shape
        glassgrad.Size([1, 6])
    """


@_along_dims(FftC2R)
def hfft2(input: Tensor, s: Sizes = None, dim: Dims = (-2, -1), norm: str | None = None) -> Tensor:
    """`hfftn` along two dims, the last ones by themselves.

    Example:
        >>> import glassgrad
        >>> glassgrad.fft.hfft2(tensor([[1.0, 2.0, 3.0, 4.0]])).shape
        glassgrad.Size([1, 6])
    """


@_along_dims(FftR2C)
def ihfft2(input: Tensor, s: Sizes = None, dim: Dims = (-2, -1), norm: str | None = None) -> Tensor:
    """`ihfftn` along two dims, the last ones by themselves.

    Example:
        >>> import glassgrad
        >>> glassgrad.fft.ihfft2(tensor([[1.0, 2.0, 3.0, 4.0]])).shape
        glassgrad.Size([1, 3])
    """


# Frequencies and their order ----------------------------------------------------------------------


@op(home="fft")
def fftshift(input: Tensor, dim: Dims = None) -> Tensor:
    """The frequencies of `fft` in ascending order: zero, which comes first there, in the middle.

    Args:
        input: tensor of shape `S`.
        dim: along which dims. Default: all.

    Returns:
        Tensor of shape `S`.

    Raises:
        DimError: if there is no such dim.

    Example:
        >>> import glassgrad
        >>> glassgrad.fft.fftshift(tensor([0, 1, 2, -2, -1]))
        tensor([-2, -1,  0,  1,  2])

    See also: https://pytorch.org/docs/stable/generated/torch.fft.fftshift.html
    """
    dims = wrap_dims(dim, input.ndim)
    return roll(input, [input.shape[each] // 2 for each in dims], dims)


@op(home="fft")
def ifftshift(input: Tensor, dim: Dims = None) -> Tensor:
    """The inverse of `fftshift`.

    Example:
        >>> import glassgrad
        >>> glassgrad.fft.ifftshift(tensor([-2, -1, 0, 1, 2]))
        tensor([ 0,  1,  2, -2, -1])
    """
    dims = wrap_dims(dim, input.ndim)
    return roll(input, [(input.shape[each] + 1) // 2 for each in dims], dims)


@factory(home="fft")
def fftfreq(n: int, d: float = 1.0, *, dtype: Any = None, **new: Any) -> Tensor:
    """The frequencies of the results of `fft`, in their order.

    Args:
        n: how many places were transformed.
        d: how far they lie apart.
        dtype: a floating-point or complex one. Default: the default dtype.
        device, requires_grad: as `tensor`.

    Returns:
        Tensor of shape `(n,)`: `[0, 1, …, -2, -1] / (n·d)`.

    Raises:
        DTypeError: for integers.

    Example:
        >>> import glassgrad
        >>> glassgrad.fft.fftfreq(4)
        tensor([ 0.0000,  0.2500, -0.5000, -0.2500])

    See also: https://pytorch.org/docs/stable/generated/torch.fft.fftfreq.html
    """
    steps = np.arange(n)
    steps = np.where(steps < (n + 1) // 2, steps, steps - n)
    return _frequencies("fftfreq", steps, n, d, dtype, new)


@factory(home="fft")
def rfftfreq(n: int, d: float = 1.0, *, dtype: Any = None, **new: Any) -> Tensor:
    """The frequencies of the results of `rfft`, in their order; see `fftfreq`.

    Example:
        >>> import glassgrad
        >>> glassgrad.fft.rfftfreq(4)
        tensor([0.0000, 0.2500, 0.5000])
    """
    return _frequencies("rfftfreq", np.arange(n // 2 + 1), n, d, dtype, new)


def _frequencies(name: str, steps: Any, n: int, d: float, dtype: Any, new: Parameters) -> Tensor:
    wanted = as_dtype(dtype or get_default_dtype())
    said = f"{name} requires a floating point or complex dtype, got {{dtype}}"
    check.dtype(said, wanted, "fc", "Frequencies are fractions. Leave `dtype` out.")
    return made(steps * (1 / (n * d) if n * d else math.inf), wanted, **new)


# Transforms of pieces -----------------------------------------------------------------------------


@op(inplace=False)
def stft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
) -> Tensor:
    """The transforms of the pieces of a signal: which frequencies it has, and when.

    Args:
        input: real or complex tensor of shape `(n,)`, or `(batch, n)`.
        n_fft: how long a piece is.
        hop_length: how far the next one is; None: a quarter of that.
        win_length: how long the window is, which is in the middle of each piece; None: as long.
        window: what pieces are multiplied with; None: ones.
        center: whether piece t has t·hop_length in its middle: the signal is padded.
        pad_mode: by what; see `pad`.
        normalized: whether to divide by √n_fft.
        onesided: whether to leave out what mirrors the rest; None: if all is real.
        return_complex: True; False gives real and imaginary parts along a last dim.

    Returns:
        Complex tensor of shape `(batch, n_fft // 2 + 1, pieces)`, or `(batch, n_fft, pieces)`.

    Raises:
        ShapeError: if shapes or numbers do not fit.
        DTypeError: for integers.

    Example:
        >>> stft(ones(8), 4, center=False, return_complex=True).abs()[0]
        tensor([4., 4., 4., 4., 4.])

    See also: https://pytorch.org/docs/stable/generated/torch.stft.html
    """
    is_complex = input.is_complex() or (window is not None and window.is_complex())
    if return_complex is None and not is_complex:
        raise ShapeError(
            "stft requires the return_complex parameter be given for real inputs, and will further "
            "require that return_complex=True in a future PyTorch release. Write it."
        )
    signal = input if input.ndim == 2 else input[None]
    if center and signal.ndim == 2:
        around = (n_fft // 2, n_fft // 2)
        signal = function_named("nn.functional", "pad")(signal[None], around, pad_mode)[0]
    said, hop, window = _pieces("stft", input, n_fft, hop_length, win_length, window)
    _check_pieces(
        said,
        (
            (input.dtype.kind in "fc", "expected a tensor of floating point or complex values"),
            (signal.ndim == 2, "expected a 1D or 2D tensor"),
            (0 < n_fft <= signal.shape[-1], f"expected 0 < n_fft < {signal.shape[-1]}, {n_fft=}"),
            (hop > 0, f"expected hop_length > 0, but got hop_length={hop}"),
        ),
    )
    pieces = signal.unfold(-1, n_fft, hop) * window
    one_sided = not is_complex if onesided is None else onesided
    _check_sides(one_sided, is_complex)
    transform = function_named("fft", "rfft" if one_sided else "fft")
    found = transform(pieces, norm="ortho" if normalized else None).mT
    found = found if input.ndim == 2 else found[0]
    return found if return_complex or is_complex else function_named("", "view_as_real")(found)


@op(inplace=False)
def istft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Tensor:
    """The way back from `stft`: the signal whose pieces have these transforms, or the nearest one.

    Args:
        input: complex tensor of shape `(batch, n_fft // 2 + 1, pieces)`, or without batch.
        n_fft, hop_length, win_length, window, center, normalized, onesided: as of `stft`.
        length: of the signal; None: as far as the middle of the last piece.
        return_complex: whether the signal is complex.

    Returns:
        Tensor of shape `(batch, length)`.

    Raises:
        ShapeError: if shapes or numbers do not fit, or the windows leave out a part of the signal.
        DTypeError: for real numbers.

    Example:
        >>> istft(stft(arange(8.0), 4, return_complex=True), 4)
        tensor([0., 1., 2., 3., 4., 5., 6., 7.])

    See also: Griffin & Lim, *Signal Estimation from Modified Short-Time Fourier Transform* (1984).
    """
    if not input.is_complex():
        raise DTypeError(
            "istft requires a complex-valued input tensor matching the output from stft with "
            "return_complex=True. Write `view_as_complex(x)`."
        )
    is_complex = return_complex or (window is not None and window.is_complex())
    one_sided = not is_complex if onesided is None else onesided
    said, hop, window = _pieces("istft", input, n_fft, hop_length, win_length, window)
    wide, places = ("n_fft / 2 + 1", n_fft // 2 + 1) if one_sided else ("n_fft", n_fft)
    wrong_size = (
        "expected the frequency dimension (3rd to the last) of the input tensor to match "
        f"{wide} when onesided={one_sided}, but got {input.shape[-2] if input.ndim > 1 else None}"
    )
    dims = f"expected a tensor with 3 or 4 dimensions, but got {input.ndim + 1}"
    _check_pieces(
        said,
        (
            (input.numel(), "input tensor cannot be empty"),
            (input.ndim in (2, 3), dims),
            (input.shape[-2:-1] == (places,), wrong_size),
            (0 < hop <= window.numel(), "expected 0 < hop_length <= win_length"),
        ),
    )
    _check_sides(one_sided, is_complex)
    transform = function_named("fft", "irfft" if one_sided else "ifft")
    spectrum = (input if input.ndim == 3 else input[None]).mT
    pieces = transform(spectrum, n_fft, norm="ortho" if normalized else None)
    pieces = (pieces if one_sided or is_complex else pieces.real) * window
    wide = n_fft + hop * (pieces.shape[1] - 1)
    weights = (window * window).expand(1, *pieces.shape[1:])
    start = n_fft // 2 if center else 0
    end = start + length if length is not None else wide - start
    signal, envelope = [
        function_named("nn.functional", "fold")(x.mT, (1, wide), (1, n_fft), stride=(1, hop))[
            :, 0, 0, start:end
        ]
        for x in (pieces, weights)
    ]
    lowest = envelope.detach().abs().min()
    if not bool(lowest > 1e-11):
        raise ShapeError(
            f"{said}window overlap add min: {lowest.item():g}. The windows leave out a part of the "
            "signal. Write a smaller `hop_length`, or `center=True`."
        )
    signal = signal / envelope
    if end > wide:
        signal = function_named("nn.functional", "pad")(signal, (0, end - wide))
    return signal if input.ndim == 3 else signal[0]


def _pieces(
    name: str,
    input: Tensor,
    n_fft: int,
    hop_length: int | None,
    win_length: int | None,
    window: Tensor | None,
) -> tuple[str, int, Tensor]:
    """How an error about pieces begins, how far apart they are, and their window, n_fft long."""
    hop = n_fft // 4 if hop_length is None else hop_length
    wide = n_fft if win_length is None else win_length
    shape = None if window is None else list(window.shape)
    said = f"{name}({list(input.shape)}, {n_fft=}, hop_length={hop}, win_length={wide}, "
    said += f"window={shape}): "
    wrong_window = (
        f"expected a 1D window tensor of size equal to win_length={wide}, but got window with size "
        f"{shape}: Invalid window shape. window has to be 1D and length of `win_length`"
    )
    _check_pieces(
        said,
        (
            (0 < wide <= n_fft, f"expected 0 < win_length <= n_fft, but got win_length={wide}"),
            (shape in (None, [wide]), wrong_window),
        ),
    )
    if window is None:
        window = input.new_ones(wide, dtype=np.empty(0, input.dtype).real.dtype)
    before = (n_fft - wide) // 2
    if wide < n_fft:
        around = (before, n_fft - wide - before)
        window = function_named("", "constant_pad_nd")(window, around)
    return said, hop, window


def _check_pieces(said: str, wanted: Sequence[tuple[Any, str]]) -> None:
    """Raise ShapeError unless all that is wanted is so."""
    for is_so, sentence in wanted:
        if not is_so:
            raise ShapeError(
                f"{said}{sentence}. A signal is cut into pieces, n_fft long, hop_length apart. "
                "Write numbers that fit it."
            )


def _check_sides(one_sided: bool, is_complex: bool) -> None:
    if one_sided and is_complex:
        raise ShapeError(
            "Cannot have onesided output if window or input is complex: only the transform of real "
            "numbers mirrors itself. Write `onesided=False`."
        )


# Windows -----------------------------------------------------------------------------------------


@factory()
def hann_window(window_length: int, periodic: bool = True, **new: Any) -> Tensor:
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
    return _window("hann_window", np.hanning, window_length, periodic, **new)


@factory()
def hamming_window(
    window_length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, **new: Any
) -> Tensor:
    """`alpha - beta·cos`, an arch that does not begin at 0; see `hann_window`.

    Example:
        >>> hamming_window(4)
        tensor([0.0800, 0.5400, 1.0000, 0.5400])
    """

    def arch(n: int) -> Any:
        return alpha - beta * np.cos(2 * math.pi * np.arange(n) / max(n - 1, 1))

    return _window("hamming_window", arch, window_length, periodic, **new)


@factory()
def blackman_window(window_length: int, periodic: bool = True, **new: Any) -> Tensor:
    """An arch of two cosines; see `hann_window`.

    Example:
        >>> blackman_window(3, periodic=False).round(decimals=4).abs()
        tensor([0., 1., 0.])
    """
    return _window("blackman_window", np.blackman, window_length, periodic, **new)


@factory()
def bartlett_window(window_length: int, periodic: bool = True, **new: Any) -> Tensor:
    """A triangle from 0 to 1 and back; see `hann_window`.

    Example:
        >>> bartlett_window(4)
        tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    return _window("bartlett_window", np.bartlett, window_length, periodic, **new)


@factory()
def kaiser_window(
    window_length: int, periodic: bool = True, beta: float = 12.0, **new: Any
) -> Tensor:
    """A window of Bessel functions, the narrower the larger `beta`; see `hann_window`.

    Example:
        >>> kaiser_window(3, periodic=False, beta=0.0)
        tensor([1., 1., 1.])
    """
    arch = functools.partial(np.kaiser, beta=beta)
    return _window("kaiser_window", arch, window_length, periodic, **new)


def _window(
    name: str, arch: Callable[[int], Any], window_length: int, periodic: bool, **new: Any
) -> Tensor:
    length = int_of(window_length, name, "window_length")
    said = f"{name} requires non-negative window_length, got window_length={{}}"
    check.least(said, length, 0, "It counts numbers. Write one from 0 up.")
    wanted = as_dtype(new.pop("dtype") or get_default_dtype())
    said = f"{name} expects floating point dtypes, got: {{dtype}}"
    check.dtype(said, wanted, "fc", "It has values between 0 and 1. Write `dtype=float32`.")
    numbers = np.ones(length) if length == 1 else arch(length + periodic)[:length]
    return made(numbers, wanted, **new)
