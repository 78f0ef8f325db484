# Written by `make stubs` (docs/stubs.py) from what the ops declare. Do not edit.
"""Special functions, under the names of `torch.special`."""

import builtins
from glassgrad.core.tensor import Tensor
from glassgrad.ops._arguments import Dims, Operand
from glassgrad.ops.special import ndtr as ndtr
from typing import Any

def airy_ai(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The Airy function Ai, element by element; it has no gradient.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.airy_ai(tensor([0.0, 1.0]))
        tensor([0.3550, 0.1353])
    """

def bessel_j0(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The Bessel function of the first kind of order 0, element by element; it has no gradient.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.bessel_j0(tensor([1.0]))
        tensor([0.7652])
    """

def bessel_j1(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The Bessel function of the first kind of order 1, element by element; it has no gradient.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.bessel_j1(tensor([1.0]))
        tensor([0.4401])
    """

def bessel_y0(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The Bessel function of the second kind of order 0, element by element; it has no gradient.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.bessel_y0(tensor([1.0]))
        tensor([0.0883])
    """

def bessel_y1(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The Bessel function of the second kind of order 1, element by element; it has no gradient.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.bessel_y1(tensor([1.0]))
        tensor([-0.7812])
    """

def chebyshev_polynomial_t(x: Operand, n: Operand, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Chebyshev polynomials of the first kind, of degree `n` at `x`.

    Args:
        x, n: real tensors of shapes that broadcast to `S`, or one of them a number; of the degree
            n what is whole.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`; integers become the default dtype. 0 for negative n.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.chebyshev_polynomial_t(tensor([2.0]), 2)
        tensor([7.])
    """

def chebyshev_polynomial_u(x: Operand, n: Operand, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Chebyshev polynomials of the second kind, of degree `n` at `x`.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.chebyshev_polynomial_u(tensor([2.0]), 2)
        tensor([15.])
    """

def chebyshev_polynomial_v(x: Operand, n: Operand, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Chebyshev polynomials of the third kind, of degree `n` at `x`.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.chebyshev_polynomial_v(tensor([2.0]), 2)
        tensor([11.])
    """

def chebyshev_polynomial_w(x: Operand, n: Operand, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Chebyshev polynomials of the fourth kind, of degree `n` at `x`.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.chebyshev_polynomial_w(tensor([2.0]), 2)
        tensor([19.])
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

def entr(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The terms of an entropy, `-x·log x`, element by element: 0 at 0, -inf below.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.entr(tensor([0.0, 0.5, 1.0]))
        tensor([0.0000, 0.3466, -0.0000])
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

def erfcx(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`exp(input²)·erfc(input)`, which does not vanish far out; see `erf`.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.erfcx(tensor([0.0, 100.0]))
        tensor([1.0000, 0.0056])
    """

def erfinv(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The inverse of `erf`, element by element: inf at 1, nan beyond.

    Example:
        >>> erfinv(tensor([0.0, 0.5]))
        tensor([0.0000, 0.4769])
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

def expit(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def expit_(input: Tensor) -> Tensor:
    """`sigmoid`, in place: what it returns is written to `input`, and that returned.

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

def gammainc(input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def gammaincc(input: Tensor, other: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The upper incomplete gamma function, divided by the whole one: `1 - igamma(input, other)`.

    Example:
        >>> igammac(tensor([1.0]), tensor([1.0]))
        tensor([0.3679])
    """

def gammaln(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def hermite_polynomial_h(x: Operand, n: Operand, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Hermite polynomials, the physicists', of degree `n` at `x`.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.hermite_polynomial_h(tensor([2.0]), 2)
        tensor([14.])
    """

def hermite_polynomial_he(x: Operand, n: Operand, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Hermite polynomials, the probabilists', of degree `n` at `x`.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.hermite_polynomial_he(tensor([2.0]), 2)
        tensor([3.])
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

def i0e(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`exp(-|input|)·i0(input)`, which does not grow, element by element.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.i0e(tensor([0.0, 1.0]))
        tensor([1.0000, 0.4658])
    """

def i1(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The modified Bessel function of the first kind of order 1, element by element.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.i1(tensor([0.0, 1.0]))
        tensor([0.0000, 0.5652])
    """

def i1e(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`exp(-|input|)·i1(input)`, which does not grow, element by element.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.i1e(tensor([0.0, 1.0]))
        tensor([0.0000, 0.2079])
    """

def laguerre_polynomial_l(x: Operand, n: Operand, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Laguerre polynomials, of degree `n` at `x`.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.laguerre_polynomial_l(tensor([2.0]), 2)
        tensor([-1.])
    """

def legendre_polynomial_p(x: Operand, n: Operand, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Legendre polynomials, of degree `n` at `x`.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.legendre_polynomial_p(tensor([2.0]), 2)
        tensor([5.5000])
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

def log_ndtr(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The logarithm of `ndtr`, with all digits where that is small.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.log_ndtr(tensor([-10.0, 0.0]))
        tensor([-53.2313,  -0.6931])
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

modified_bessel_i0 = i0

modified_bessel_i0_ = i0_

modified_bessel_i1 = i1

def modified_bessel_k0(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The modified Bessel function of the second kind of order 0; it has no gradient.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.modified_bessel_k0(tensor([1.0]))
        tensor([0.4210])
    """

def modified_bessel_k1(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The modified Bessel function of the second kind of order 1; it has no gradient.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.modified_bessel_k1(tensor([1.0]))
        tensor([0.6019])
    """

def multigammaln(input: Tensor, p: int, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
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

def ndtri(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The inverse of `ndtr`, element by element: -inf at 0, inf at 1, nan beyond.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.ndtri(tensor([0.5, 0.8413447]))
        tensor([0.0000, 1.0000])
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

psi = digamma

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

def scaled_modified_bessel_k0(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`exp(input)·modified_bessel_k0(input)`, element by element; it has no gradient.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.scaled_modified_bessel_k0(tensor([1.0]))
        tensor([1.1445])
    """

def scaled_modified_bessel_k1(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`exp(input)·modified_bessel_k1(input)`, element by element; it has no gradient.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.scaled_modified_bessel_k1(tensor([1.0]))
        tensor([1.6362])
    """

def shifted_chebyshev_polynomial_t(x: Operand, n: Operand, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Chebyshev polynomials of the first kind, of 2x − 1, of degree `n` at `x`.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.shifted_chebyshev_polynomial_t(tensor([2.0]), 2)
        tensor([17.])
    """

def shifted_chebyshev_polynomial_u(x: Operand, n: Operand, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Chebyshev polynomials of the second kind, of 2x − 1, of degree `n` at `x`.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.shifted_chebyshev_polynomial_u(tensor([2.0]), 2)
        tensor([35.])
    """

def shifted_chebyshev_polynomial_v(x: Operand, n: Operand, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Chebyshev polynomials of the third kind, of 2x − 1, of degree `n` at `x`.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.shifted_chebyshev_polynomial_v(tensor([2.0]), 2)
        tensor([29.])
    """

def shifted_chebyshev_polynomial_w(x: Operand, n: Operand, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Chebyshev polynomials of the fourth kind, of 2x − 1, of degree `n` at `x`.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.shifted_chebyshev_polynomial_w(tensor([2.0]), 2)
        tensor([41.])
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

def spherical_bessel_j0(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The spherical Bessel function of the first kind of order 0; it has no gradient.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.spherical_bessel_j0(tensor([0.0, 1.0]))
        tensor([1.0000, 0.8415])
    """

def xlog1py(input: Operand, other: Operand, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`input·log1p(other)`, element by element; 0 where `input` is 0: see `xlogy`.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.xlog1py(tensor([0.0, 2.0]), tensor([-1.0, 0.0]))
        tensor([0., 0.])
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

def zeta(input: Operand, other: Operand, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The Hurwitz zeta function `Σₖ 1/(other + k)**input`, element by element.

    Args:
        input, other: real tensors of shapes that broadcast to `S`, or one of them a number. The
            first has no gradient, here as in PyTorch.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`; integers become the default dtype.

    Raises:
        ShapeError: if the shapes do not broadcast.
        MissingRuleError: if `input` requires grad.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.zeta(tensor([2.0, 4.0]), 1)
        tensor([1.6449, 1.0823])
    """

__all__ = [
    "airy_ai",
    "bessel_j0",
    "bessel_j1",
    "bessel_y0",
    "bessel_y1",
    "chebyshev_polynomial_t",
    "chebyshev_polynomial_u",
    "chebyshev_polynomial_v",
    "chebyshev_polynomial_w",
    "digamma",
    "entr",
    "erf",
    "erf_",
    "erfc",
    "erfc_",
    "erfcx",
    "erfinv",
    "exp2",
    "exp2_",
    "expit",
    "expit_",
    "expm1",
    "expm1_",
    "gammainc",
    "gammaincc",
    "gammaln",
    "hermite_polynomial_h",
    "hermite_polynomial_he",
    "i0",
    "i0_",
    "i0e",
    "i1",
    "i1e",
    "laguerre_polynomial_l",
    "legendre_polynomial_p",
    "log1p",
    "log1p_",
    "log_ndtr",
    "log_softmax",
    "logit",
    "logit_",
    "logsumexp",
    "modified_bessel_i0",
    "modified_bessel_i0_",
    "modified_bessel_i1",
    "modified_bessel_k0",
    "modified_bessel_k1",
    "multigammaln",
    "ndtr",
    "ndtri",
    "polygamma",
    "psi",
    "round",
    "round_",
    "scaled_modified_bessel_k0",
    "scaled_modified_bessel_k1",
    "shifted_chebyshev_polynomial_t",
    "shifted_chebyshev_polynomial_u",
    "shifted_chebyshev_polynomial_v",
    "shifted_chebyshev_polynomial_w",
    "sinc",
    "sinc_",
    "softmax",
    "spherical_bessel_j0",
    "xlog1py",
    "xlogy",
    "xlogy_",
    "zeta",
]
