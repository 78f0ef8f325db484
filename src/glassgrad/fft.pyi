# Written by `make stubs` (docs/stubs.py) from what the ops declare. Do not edit.
"""Fourier transforms, under the names of `torch.fft`."""

import builtins
from glassgrad.core.tensor import Tensor
from glassgrad.ops._arguments import Dims
from glassgrad.ops.fourier import Sizes, fftshift as fftshift, ifftshift as ifftshift
from typing import Any

def fft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The discrete Fourier transform along one dim: `yₖ = Σⱼ xⱼ·exp(−2πi·jk/n)`.

    Args:
        input: tensor of shape `(…, m, …)`, real or complex; integers become the default dtype.
        n: how many places are transformed: `input` is cut, or filled up with zeros. Default: m.
        dim: along which dim.
        norm: what the sum is divided by: "backward" by nothing (and `ifft` by n), "ortho" by √n,
            "forward" by n. Default: "backward".
        out: where to write the result, if the tape need not record it.

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

def fft2(input: Tensor, s: Sizes = None, dim: Dims = (-2, -1), norm: str | None = None, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`fftn` along two dims, the last ones by themselves.

    Example:
        >>> import glassgrad
        >>> glassgrad.fft.fft2(tensor([[1.0, 2.0, 3.0, 4.0]])).shape
        glassgrad.Size([1, 4])
    """

def fftfreq(n: int, d: float = 1.0, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, out: Tensor | tuple[Tensor, ...] | None = None, layout: Any = None, pin_memory: bool | None = None) -> Tensor:
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

def fftn(input: Tensor, s: Sizes = None, dim: Dims = None, norm: str | None = None, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`fft` along several dims, one after the other.

    Args:
        input: tensor of shape `S`, real or complex; integers become the default dtype.
        s: how many places are transformed in each dim; -1: all that there are. Default: all.
        dim: along which dims. Default: the last `len(s)`, or all.
        norm: as `fft` has it, n being all of the places.
        out: where to write the result, if the tape need not record it.

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

def hfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`fft` of numbers whose second half mirrors the first one: the result is real; see `irfft`.

    Example:
        >>> import glassgrad
        >>> glassgrad.fft.hfft(tensor([1.0, 1.0, 1.0]))
        tensor([4., 0., 0., 0.])
    """

def hfft2(input: Tensor, s: Sizes = None, dim: Dims = (-2, -1), norm: str | None = None, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`hfftn` along two dims, the last ones by themselves.

    Example:
        >>> import glassgrad
        >>> glassgrad.fft.hfft2(tensor([[1.0, 2.0, 3.0, 4.0]])).shape
        glassgrad.Size([1, 6])
    """

def hfftn(input: Tensor, s: Sizes = None, dim: Dims = None, norm: str | None = None, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`fftn` of numbers whose second half, in the last dim, mirrors the first one; see `hfft`.

    Example:
        >>> import glassgrad
        >>> glassgrad.fft.hfftn(tensor([[1.0, 1.0, 1.0]]))
        tensor([[4., 0., 0., 0.]])
    """

def ifft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The inverse of `fft`, with the same arguments; by itself divided by n.

    Example:
        >>> import glassgrad
        >>> glassgrad.fft.ifft(tensor([4.0, 0.0, 0.0, 0.0]))
        tensor([1.-0.j, 1.-0.j, 1.-0.j, 1.-0.j])
    """

def ifft2(input: Tensor, s: Sizes = None, dim: Dims = (-2, -1), norm: str | None = None, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`ifftn` along two dims, the last ones by themselves.

    Example:
        >>> import glassgrad
        >>> glassgrad.fft.ifft2(tensor([[1.0, 2.0, 3.0, 4.0]])).shape
        glassgrad.Size([1, 4])
    """

def ifftn(input: Tensor, s: Sizes = None, dim: Dims = None, norm: str | None = None, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The inverse of `fftn`, with the same arguments.

    Example:
        >>> import glassgrad
        >>> glassgrad.fft.ifftn(tensor([[4.0, 0.0], [0.0, 0.0]]))
        tensor([[1.+0.j, 1.+0.j],
                [1.+0.j, 1.+0.j]])
    """

def ihfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The inverse of `hfft`: `ifft` of real numbers, without the second half; see `rfft`.

    Example:
        >>> import glassgrad
        >>> glassgrad.fft.ihfft(tensor([4.0, 0.0, 0.0, 0.0]))
        tensor([1.-0.j, 1.-0.j, 1.-0.j])
    """

def ihfft2(input: Tensor, s: Sizes = None, dim: Dims = (-2, -1), norm: str | None = None, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`ihfftn` along two dims, the last ones by themselves.

    Example:
        >>> import glassgrad
        >>> glassgrad.fft.ihfft2(tensor([[1.0, 2.0, 3.0, 4.0]])).shape
        glassgrad.Size([1, 3])
    """

def ihfftn(input: Tensor, s: Sizes = None, dim: Dims = None, norm: str | None = None, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The inverse of `hfftn`: `ifftn` of real numbers, without the second half of the last dim.

    Example:
        >>> import glassgrad
        >>> glassgrad.fft.ihfftn(tensor([[4.0, 0.0, 0.0, 0.0]]))
        tensor([[1.-0.j, 1.-0.j, 1.-0.j]])
    """

def irfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The inverse of `rfft`: real numbers of the first half of their transform.

    Args:
        input: tensor of shape `(…, m, …)`, real or complex.
        n: how many numbers there are to be. Default: `2·(m - 1)`, the even one of two that have
            such a half.
        dim, norm: as `fft` has them.
        out: where to write the result, if the tape need not record it.

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

def irfft2(input: Tensor, s: Sizes = None, dim: Dims = (-2, -1), norm: str | None = None, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`irfftn` along two dims, the last ones by themselves.

    Example:
        >>> import glassgrad
        >>> glassgrad.fft.irfft2(tensor([[1.0, 2.0, 3.0, 4.0]])).shape
        glassgrad.Size([1, 6])
    """

def irfftn(input: Tensor, s: Sizes = None, dim: Dims = None, norm: str | None = None, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The inverse of `rfftn`; see `irfft` for the size of the last dim.

    Example:
        >>> import glassgrad
        >>> glassgrad.fft.irfftn(tensor([[1.0, 1.0, 1.0]]))
        tensor([[1., 0., 0., 0.]])
    """

def rfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`fft` of real numbers, without the second half: that is the first one mirrored.

    Args:
        input: real tensor of shape `(…, m, …)`.
        n, dim, norm: as `fft` has them.
        out: where to write the result, if the tape need not record it.

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

def rfft2(input: Tensor, s: Sizes = None, dim: Dims = (-2, -1), norm: str | None = None, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`rfftn` along two dims, the last ones by themselves.

    Example:
        >>> import glassgrad
        >>> glassgrad.fft.rfft2(tensor([[1.0, 2.0, 3.0, 4.0]])).shape
        glassgrad.Size([1, 3])
    """

def rfftfreq(n: int, d: float = 1.0, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, out: Tensor | tuple[Tensor, ...] | None = None, layout: Any = None, pin_memory: bool | None = None) -> Tensor:
    """The frequencies of the results of `rfft`, in their order; see `fftfreq`.

    Example:
        >>> import glassgrad
        >>> glassgrad.fft.rfftfreq(4)
        tensor([0.0000, 0.2500, 0.5000])
    """

def rfftn(input: Tensor, s: Sizes = None, dim: Dims = None, norm: str | None = None, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`fftn` of real numbers, the last of the dims without its second half; see `rfft`, `fftn`.

    Example:
        >>> import glassgrad
        >>> glassgrad.fft.rfftn(tensor([[1.0, 0.0, 0.0, 0.0]]))
        tensor([[1.+0.j, 1.+0.j, 1.+0.j]])
    """

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "hfft2",
    "hfftn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]
