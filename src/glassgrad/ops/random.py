"""Random tensors, new ones and filled ones: uniform, normal, integers, coin flips, choices.

Numbers are drawn by NumPy on the CPU and then moved, so that a seed gives the same numbers on
every device. They are not the numbers that PyTorch draws for that seed. Inside transforms each
level of vmap says for whom they are drawn:

    randomness="different"    numbers of the shape (n, *shape) one level down: some for each example
    randomness="same"         numbers of the shape one level down: the same for all examples
    randomness="error"        nobody said which of the two: an error

Other levels see constants.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from glassgrad.core import errors
from glassgrad.core.state import Shape, modes
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.memory.calls import warn
from glassgrad.values.backend import asnumpy, backend_for, backend_of
from glassgrad.values.dtypes import DType, as_dtype, get_default_dtype, int64
from glassgrad.values.layers import batches_of, fresh

from . import _checks as check
from ._arguments import int_of
from ._declaring import factory, function, functional, method, op
from ._families import Along, Flat
from ._rules import in_front, seen
from ._writing import in_place
from .creation import checked_size
from .generator import Generator, source_of

Args = tuple[Any, ...]
Draw = Callable[[Shape], Any]
"""Makes an array of random numbers of a shape."""


def drawn(draw: Draw, shape: Shape, device: Any, given: Args = ()) -> Tensor:
    """The numbers that `draw(shape)` makes, as the open levels show them.

    Args:
        given: the tensors on which the distribution depends.

    Raises:
        TransformError: if a vmap does not say for whom, or wants the same for all examples of
            different distributions.
    """
    if not modes.levels:
        return fresh(backend_for(device).drawn(draw, shape))
    level = modes.levels[-1]
    values, mine = level.own(given)
    is_for_all = False
    if level.kind == "vmap":
        refuse_randomness(level.info, by_example=any(x is not None for x in mine))
        is_for_all = level.info.randomness == "same"
        shape = shape if is_for_all else (level.info.batch_size, *shape)
    with level.below():
        below = drawn(draw, shape, device, values)
    return below if is_for_all else wrap(level.layer(below))


def refuse_randomness(info: Any, *, by_example: bool) -> None:
    """Raise if a level of vmap does not allow to draw numbers.

    Args:
        info: what the level knows of its batch.
        by_example: whether each example has a distribution of its own.
    """
    if info.randomness == "never":
        raise errors.TransformError(
            "vmap: We do not yet support calling random operations inside of vmap: "
            f"{info.batch_size} gradients, or tangents, are computed at once by one call. Please "
            "perform random operations outside: draw in forward, and save the numbers."
        )
    if info.randomness == "error":
        raise errors.TransformError(
            "vmap: called random operation while in randomness error mode. There is one call for "
            f"{info.batch_size} examples, and nothing says whether they share its numbers. Please "
            "either use the 'same' or 'different' randomness flags on vmap or perform the "
            "randomness operation out of vmap."
        )
    if info.randomness == "same" and by_example:
        raise errors.TransformError(
            "Vmap does not currently support same randomness with a batched tensor input: each "
            f"of {info.batch_size} examples has a distribution of its own. Draw "
            "`rand(x.shape)`, which is the same for all, and compare it with the probabilities."
        )


def check_filling(input: Tensor) -> None:
    """Raise if a level of vmap does not allow to fill `input` with random numbers."""
    batches = batches_of(input)
    for level in reversed(modes.levels):
        if level.kind != "vmap":
            continue
        refuse_randomness(level.info, by_example=False)
        if level.info.randomness == "different" and level not in batches:
            raise errors.TransformError(
                "vmap: Cannot ask for different inplace randomness on an unbatched tensor. There "
                f"is one tensor of shape {list(input.shape)} for {level.info.batch_size} "
                "examples, so this will appear like same randomness. Write `rand_like(x)`, or "
                "use randomness='same'."
            )


Distribution = Callable[["np.random.Generator", Shape, DType], Any]


# Uniform and normal -------------------------------------------------------------------------------


@factory(like=True)
def rand(*size: Any, generator: Generator | None = None, **new: Any) -> Tensor:
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
    return _leaf_of_floats("rand", _uniform, size, generator, **new)


@factory(like=True)
def randn(*size: Any, generator: Generator | None = None, **new: Any) -> Tensor:
    """Numbers from the normal distribution of mean 0 and variance 1; see `rand`.

    Example:
        >>> x = randn(2, 3)
        >>> x.shape
        glassgrad.Size([2, 3])
        >>> randn_like(x).shape
        glassgrad.Size([2, 3])
    """
    return _leaf_of_floats("randn", _normal, size, generator, **new)


def _leaf_of_floats(
    name: str, draw: Distribution, size: Args, generator: Generator | None, **new: Any
) -> Tensor:
    wanted = as_dtype(new.pop("dtype") or get_default_dtype())
    _check_floats(name, wanted)
    return _leaf(draw, checked_size(name, size), wanted, generator, **new)


def _leaf(
    draw: Distribution,
    shape: Shape,
    dtype: DType,
    generator: Generator | None,
    *,
    device: Any = None,
    requires_grad: bool = False,
    like: Tensor | None = None,  # noqa: ARG001  # its shape, dtype and device are there already
) -> Tensor:
    """A leaf with the numbers that are drawn for it."""
    source = source_of(generator)
    out = drawn(lambda size: draw(source, size, dtype), shape, device)
    if requires_grad:
        out.requires_grad = True
    return out


def _check_floats(name: str, *dtypes: DType, kinds: str = "fc") -> None:
    if any(dtype.kind not in kinds for dtype in dtypes):
        raise errors.KernelError(
            f"{name}() is not implemented for {', '.join(map(str, dtypes))}. Its numbers are "
            "fractions. Write `randint(…)`, or convert to a float first: `x.float()`."
        )


def _uniform(source: "np.random.Generator", shape: Shape, dtype: DType) -> Any:
    if dtype.kind == "c":
        return _pairs(_uniform, source, shape, dtype)
    if dtype.itemsize > 2:  # bytes: float32 and float64 are drawn as they are
        return source.random(shape, dtype.type)
    steps = 2**11  # that many float16 numbers in [0, 1) are equally far apart
    return (source.integers(0, steps, shape) / steps).astype(dtype)


def _normal(source: "np.random.Generator", shape: Shape, dtype: DType) -> Any:
    if dtype.kind == "c":  # of variance 1: each part has a half
        return (_pairs(_normal, source, shape, dtype) / np.sqrt(2)).astype(dtype)
    drawn: Any = np.float64 if dtype == np.float64 else np.float32
    return np.asarray(source.standard_normal(shape, drawn)).astype(dtype, copy=False)


def _pairs(draw: Distribution, source: "np.random.Generator", shape: Shape, dtype: DType) -> Any:
    """Complex numbers: both parts are drawn alike."""
    parts = draw(source, (*shape, 2), np.zeros(0, dtype).real.dtype)
    return parts[..., 0] + parts[..., 1] * 1j


@factory()
def normal(
    mean: Tensor | float,
    std: Tensor | float = 1.0,
    size: Sequence[int] | None = None,
    *,
    generator: Generator | None = None,
    **new: Any,
) -> Tensor:
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
    if isinstance(mean, Tensor) or isinstance(std, Tensor):
        return _normal_around(mean, std, generator)
    if size is None:
        raise errors.ArgumentTypeError(
            "normal() received an invalid combination of arguments: two numbers do not say how "
            "many to draw. Write `normal(mean, std, size)`."
        )
    _check_std(std)

    def draw(source: "np.random.Generator", shape: Shape, dtype: DType) -> Any:
        return (mean + std * _normal(source, shape, dtype)).astype(dtype)

    return _leaf_of_floats("normal", draw, (tuple(size),), generator, **new)


def _normal_around(
    mean: Tensor | float, std: Tensor | float, generator: Generator | None
) -> Tensor:
    """`normal` for tensors, or a tensor and a number."""
    tensors = [x for x in (mean, std) if isinstance(x, Tensor)]
    _check_floats("normal", *[x.dtype for x in tensors])
    _check_std(seen(std))
    centre, spread = [x.detach() if isinstance(x, Tensor) else x for x in (mean, std)]
    shape = np.shape(centre + spread)  # if they do not broadcast, it says so
    dtype, source = tensors[0].dtype, source_of(generator)
    given = mean, std
    standard = drawn(lambda size: _normal(source, size, dtype), shape, tensors[0].device, given)
    return (centre + spread * standard).to(dtype).detach()


def _check_std(std: Any) -> None:
    if std is not None and not np.all(np.asarray(std) >= 0):
        what = "std" if np.ndim(std) == 0 else "all elements of std"
        raise errors.ShapeError(
            f"normal expects {what} >= 0.0, but found std {np.min(std)}. It is a distance. "
            "Write `std.abs()`."
        )


# Coin flips ---------------------------------------------------------------------------------------


@op(out=True)
def bernoulli(
    input: Tensor, p: float | None = None, *, generator: Generator | None = None
) -> Tensor:
    """1 with the given probability, else 0, element by element.

    Args:
        input: tensor of shape `S`: the probabilities, unless `p` says one for all. The result does
            not depend on it in autograd's eyes.
        p: a probability.
        generator: where the numbers come from; None: the default generator.

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
    check.tensor("bernoulli", input)
    if p is None:
        _check_floats("bernoulli", input.dtype, kinds="f")
    chance = input if p is None else p
    _check_probability("bernoulli", chance)
    source = source_of(generator)
    uniform = drawn(source.random, tuple(input.shape), input.device, (input,))
    return (uniform < chance).to(input.dtype)


@function()
def poisson(input: Tensor, generator: Generator | None = None) -> Tensor:
    """How often something happens that does so `input` times on average, element by element.

    Args:
        input: tensor of shape `S`, of rates from 0 up; the result does not depend on it in
            autograd's eyes.
        generator: where the numbers come from; None: the default generator.

    Returns:
        Tensor of shape `S` and the same dtype.

    Example:
        >>> poisson(tensor([0.0, 0.0]))
        tensor([0., 0.])
    """
    rates = asnumpy(input.detach().payload)
    if np.any(rates < 0):
        raise errors.RangeError(
            f"invalid Poisson rate, expected rate to be non-negative, got {np.min(rates)}. It is "
            "how often something happens on average. Write `input.clamp(min=0)`."
        )
    return input.new_tensor(source_of(generator).poisson(rates)).to(input.dtype)


def _check_probability(name: str, p: Tensor | float) -> None:
    likely = seen(p)
    if likely is not None and not np.all((likely >= 0) & (likely <= 1)):
        is_one = likely is p
        what = f"p to be in [0, 1], but got p={p}" if is_one else "all p_in >= 0 && p_in <= 1"
        raise errors.ShapeError(
            f"{name} expects {what}. A probability lies between 0 and 1. Write `p.clamp(0, 1)`, or "
            "`sigmoid(p)` for a score."
        )


# Integers -----------------------------------------------------------------------------------------


@factory(like=True)
def randint(
    low: Any = 0,
    high: Any = None,
    size: Sequence[int] | None = None,
    *,
    generator: Generator | None = None,
    dtype: Any = None,
    **new: Any,
) -> Tensor:
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
    if isinstance(high, (tuple, list)) and size is None:
        low, high, size = 0, low, high
    elif high is None:
        low, high = 0, low
    wanted = "randint(): argument 'size' must be tuple of ints"
    check.kind(wanted, size, (tuple, list), "Write `randint(high, (n,))`.")
    first, end = [int_of(each, "randint", "high") for each in (low, high)]
    kind = as_dtype(dtype or int64)
    check_range(first, end, kind)

    def draw(source: "np.random.Generator", size: Shape, dtype: DType) -> Any:
        return source.integers(first, end, size).astype(dtype)

    return _leaf(draw, checked_size("randint", (size,)), kind, generator, **new)


def check_range(low: int, high: int, dtype: DType) -> None:
    """Raise ShapeError if there is no integer from `low` to `high - 1`, or none of the dtype."""
    if low >= high:
        raise errors.ShapeError(
            f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}. There "
            f"is no integer in between. Write a `high` above {low}."
        )
    lowest, highest = check.ends_of(dtype)
    if low < lowest or high - 1 > highest:
        end = "from" if low < lowest else "to - 1"
        raise errors.ShapeError(
            f"{end} is out of bounds for {dtype}: from {low} to {high - 1}. The dtype reaches from "
            f"{lowest} to {highest}. Choose a larger one."
        )


@factory()
def randperm(
    n: int, *, generator: Generator | None = None, dtype: Any = None, **new: Any
) -> Tensor:
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
    (count,) = checked_size("randperm", (n,), "n")
    wanted = as_dtype(dtype or int64)
    check.number(wanted, count - 1)

    def draw(source: "np.random.Generator", size: Shape, dtype: DType) -> Any:
        if len(size) == 1:
            return source.permutation(count).astype(dtype)
        return source.permuted(np.broadcast_to(np.arange(count), size), axis=-1).astype(dtype)

    return _leaf(draw, (count,), wanted, generator, **new)


class Multinomial(Along):
    """y ~ multinomial(p, num_samples)

    `u` holds uniform numbers: one for each choice if a class may be chosen again. If not, a class
    of weight p waits for a time that is distributed exponentially with the rate p, −ln(1 − u)/p:
    those that come first are chosen.
    """

    differentiable = False
    promotes = None

    @staticmethod
    def forward(p, u, *, num_samples, replacement):
        if not replacement:
            haste = p / -np.log1p(-u)
            return np.argsort(-haste, axis=-1, kind="stable")[..., :num_samples]
        reached = np.cumsum(p, axis=-1, dtype=np.float64)
        aims = u * reached[..., -1:]
        return (reached[..., None, :] <= aims[..., None]).sum(axis=-1)


@op(Multinomial, out_exact=True)
def multinomial(
    input: Tensor,
    num_samples: int,
    replacement: bool = False,
    *,
    generator: Generator | None = None,
) -> Tensor:
    """Classes chosen at random.

    Args:
        input: the weights of the classes, which need not sum up to 1: shape `(C,)`, or `(N, C)`
            for `N` independent experiments.
        num_samples: how many are chosen.
        replacement: whether a class can be chosen several times.
        generator: where the numbers come from; None: the default generator.

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
    n = int_of(num_samples, "multinomial", "num_samples")
    why = "A row holds the weights of an experiment. Write `x.reshape(-1, x.shape[-1])`."
    check.ndim("prob_dist must be 1 or 2 dim, got the shape {shape}", input, (1, 2), why)
    said = "cannot sample n_sample <= 0 samples, got {}"
    check.least(said, n, 1, "Something has to be chosen. Leave the call out.")
    if not replacement and n > input.shape[-1]:
        raise errors.ShapeError(
            "cannot sample n_sample > prob_dist.size(-1) samples without replacement: "
            f"{n} of {input.shape[-1]} classes. Write `replacement=True`."
        )
    said = "multinomial only supports floating-point dtypes for input, got: {name}"
    check.dtype(said, input, "f", "Weights are shares. Write `x.float()`.")
    _check_weights(input)
    shape = (*input.shape[:-1], n) if replacement else tuple(input.shape)
    uniform = drawn(source_of(generator).random, shape, input.device, (input,))
    return Multinomial.apply(input, uniform, num_samples=n, replacement=bool(replacement))


def _check_weights(input: Tensor) -> None:
    if input.shape[-1] > 2**24:
        raise errors.RangeError(
            f"number of categories cannot exceed 2^24, got {input.shape[-1]}. Beyond, a float32 "
            "does not tell all of them apart. Choose a group first, then one of it."
        )
    weights = seen(input)
    if weights is None:
        return
    if not bool(((weights >= 0) & np.isfinite(weights)).all()):
        raise errors.RangeError(
            "probability tensor contains either `inf`, `nan` or element < 0. A weight says how "
            "likely a class is, compared with the others. Write `softmax(x, -1)` for scores."
        )
    if bool((weights.sum(axis=-1) <= 0).any()):
        raise errors.RangeError(
            "invalid multinomial distribution (sum of probabilities <= 0). No class can be "
            "chosen. Write a weight that is not 0 into each row."
        )


# In place -----------------------------------------------------------------------------------------


class _Drawn(Flat):
    """Numbers that know nothing of what was there before."""

    promotes = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """What they differ in is what `draw` draws, and their name."""
        cls.forward = staticmethod(_drawn_for)  # type: ignore[method-assign]
        super().__init_subclass__(**kwargs)

    @classmethod
    def vmap(cls, info, in_dims, x, *, draw):
        """For all examples at once, or for one of them that stands for all."""
        if info.randomness == "same":
            return cls.apply(x[:1], draw=draw).expand(x.shape)
        return cls.apply(x, draw=draw)


def _drawn_for(x: Any, *, draw: Draw) -> Any:
    return draw(x)


class Normal(_Drawn):
    """y ~ normal(mean, std)        x̄ = 0"""


@method()
def normal_(
    input: Tensor, mean: float = 0, std: float = 1, *, generator: Generator | None = None
) -> Tensor:
    """Fill `input` from a normal distribution.

    Args:
        input: floating-point tensor, written in place.
        mean, std: of the distribution.
        generator: where the numbers come from; None: the default generator.

    Returns:
        `input` itself.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        DTypeError: for integers.
        ShapeError: for a negative `std`.

    Example:
        >>> normal_(tensor([0.0, 0.0]), 5.0, 0.0)
        tensor([5., 5.])

    See also: https://pytorch.org/docs/stable/generated/torch.Tensor.normal_.html
    """
    check_normal(input, std)
    source = source_of(generator)
    return _fill("normal", Normal, input, lambda shape: source.normal(mean, std, shape))


def check_normal(input: Tensor, std: float, *, kinds: str = "f") -> None:
    """Raise unless a tensor of these kinds of numbers can be filled from a normal distribution."""
    _check_fills_floats("normal_kernel_cpu", input, kinds=kinds)
    _check_std(std)


class Uniform(_Drawn):
    """y ~ uniform(a, b)        x̄ = 0"""


@method()
def uniform_(
    input: Tensor, from_: float = 0, to: float = 1, *, generator: Generator | None = None
) -> Tensor:
    """Fill `input` with numbers from `from_` up to `to`, all equally likely; see `normal_`.

    Raises:
        ShapeError: if `from_` is above `to`.

    Example:
        >>> uniform_(tensor([0.0, 0.0]), 3.0, 3.0)
        tensor([3., 3.])
    """
    check_uniform(input, from_, to)
    source, is_complex = source_of(generator), input.dtype.kind == "c"

    def draw(shape: Shape) -> Any:
        numbers = source.uniform(from_, to, shape)
        return numbers + 1j * source.uniform(from_, to, shape) if is_complex else numbers

    return _fill("uniform", Uniform, input, draw)


def check_uniform(input: Tensor, from_: float, to: float) -> None:
    """Raise unless a tensor can be filled from a uniform distribution."""
    _check_fills_floats("check_uniform_bounds", input, kinds="fc")
    most = float(np.finfo(input.dtype).max)
    for name, end in (("from", from_), ("to", to)):
        why = "All numbers between both ends are drawn."
        check.within(f"{name} is out of bounds for {input.dtype}: {{}}", end, -most, most, why)
    if from_ > to:
        raise errors.ShapeError(
            "uniform_ expects to return a [from, to) range, but found "
            f"from={from_} > to={to}. Swap them."
        )


@method()
def uniform(
    input: Tensor, from_: float = 0, to: float = 1, *, generator: Generator | None = None
) -> Tensor:
    """`uniform_`, in a new tensor of the shape and dtype of `input`.

    Example:
        >>> uniform(tensor([0.0, 0.0]), 3.0, 3.0)
        tensor([3., 3.])
    """
    return uniform_(input.clone(), from_, to, generator=generator)


class Exponential(_Drawn):
    """y ~ exponential a        x̄ = 0"""


@method()
def exponential_(input: Tensor, lambd: float = 1, *, generator: Generator | None = None) -> Tensor:
    """Fill `input` with waiting times: numbers above 0, of mean `1 / lambd`; see `normal_`.

    Raises:
        ShapeError: if `lambd` is not positive.

    Example:
        >>> (exponential_(tensor([0.0, 0.0])) > 0).all()
        tensor(True)
    """
    _check_fills_floats("exponential_kernel_cpu", input)
    _check_positive("exponential_", "lambda", lambd)
    source = source_of(generator)
    return _fill(
        "exponential", Exponential, input, lambda shape: source.exponential(1 / lambd, shape)
    )


@method()
def exponential(input: Tensor, lambd: float = 1, *, generator: Generator | None = None) -> Tensor:
    """`exponential_`, in a new tensor of the shape and dtype of `input`.

    Example:
        >>> exponential(tensor([0.0, 0.0])).shape
        glassgrad.Size([2])
    """
    return exponential_(input.clone(), lambd, generator=generator)


class Cauchy(_Drawn):
    """y ~ cauchy(a, b)        x̄ = 0"""


@method()
def cauchy_(
    input: Tensor, median: float = 0, sigma: float = 1, *, generator: Generator | None = None
) -> Tensor:
    """Fill `input` from a Cauchy distribution, which has a median but no mean; see `normal_`.

    Raises:
        ShapeError: if `sigma`, the half width, is not positive.

    Example:
        >>> cauchy_(tensor([0.0, 0.0])).shape
        glassgrad.Size([2])
    """
    _check_fills_floats("cauchy_cpu", input)
    _check_positive("cauchy_", "sigma", sigma)
    source = source_of(generator)
    return _fill(
        "cauchy", Cauchy, input, lambda shape: median + sigma * source.standard_cauchy(shape)
    )


class LogNormal(_Drawn):
    """y ~ lognormal(mean, std)        x̄ = 0"""


@method()
def log_normal_(
    input: Tensor, mean: float = 1, std: float = 2, *, generator: Generator | None = None
) -> Tensor:
    """Fill `input` with numbers whose logarithms are from a normal distribution; see `normal_`.

    Raises:
        ShapeError: if `std` is not positive.

    Example:
        >>> (log_normal_(tensor([0.0, 0.0])) > 0).all()
        tensor(True)
    """
    _check_fills_floats("log_normal_cpu", input)
    _check_positive("log_normal_", "std", std)
    source = source_of(generator)
    return _fill("log_normal", LogNormal, input, lambda shape: source.lognormal(mean, std, shape))


class Geometric(_Drawn):
    """y ~ geometric p        x̄ = 0"""


@method()
def geometric_(input: Tensor, p: float, *, generator: Generator | None = None) -> Tensor:
    """Fill `input` with the number of trials, each of which succeeds with probability `p`, up to
    the first success; see `normal_`.

    Raises:
        ShapeError: if `p` is not between 0 and 1.

    Example:
        >>> (geometric_(tensor([0, 0]), 0.5) >= 1).all()
        tensor(True)
    """
    check.kernel('"geometric_cpu"', input, "iuf")
    if not 0 < p < 1:
        raise errors.ShapeError(
            f"geometric_ expects p to be in (0, 1), but got p={p}. It is how likely a trial "
            "succeeds."
        )
    source = source_of(generator)
    return _fill("geometric", Geometric, input, lambda shape: source.geometric(p, shape))


def _check_positive(name: str, what: str, value: float) -> None:
    if not value > 0:
        raise errors.ShapeError(
            f"{name} expects {what} > 0.0, but found {what}={value}. It says how wide the "
            "distribution is."
        )


def _check_fills_floats(kernel: str, input: Tensor, *, kinds: str = "f") -> None:
    why = "It draws fractions. Write `x.float()`, or random_() for integers."
    check.kernel(f'"{kernel}"', input, kinds, why)


class RandomFrom(_Drawn):
    """y ~ randint(a, b)        x̄ = 0"""

    node = "RandomBackward0"


class RandomTo(RandomFrom):
    """y ~ randint(0, b)        x̄ = 0"""

    node = "RandomBackward1"


class Random(RandomFrom):
    """y ~ randint(0, ∞)        x̄ = 0"""

    node = "RandomBackward2"


@method()
def random_(
    input: Tensor,
    from_: int | None = None,
    to: int | None = None,
    *,
    generator: Generator | None = None,
) -> Tensor:
    """Fill `input` with integers, all equally likely; see `normal_`.

    Args:
        from_, to: the first one, and the one behind the last. One number alone is `to`; without
            any, all that the dtype holds from 0 up (floats: without gaps).

    Raises:
        ShapeError: if there is no integer in between, or the dtype does not hold them.

    Example:
        >>> random_(tensor([0, 0]), 4, 5)
        tensor([4, 4])
    """
    check.kernel('"random_kernel_cpu"', input, "biuf")
    rule: type[_Drawn]
    if from_ is None:
        rule, low, end = Random, 0, _largest(input.dtype) + 1
    elif to is None:
        rule, low, end = RandomTo, 0, from_
    else:
        rule, low, end = RandomFrom, from_, to
    check_range(low, end, input.dtype)
    source = source_of(generator)
    return _fill("random", rule, input, lambda shape: source.integers(low, end, shape))


def _largest(dtype: Any) -> int:
    if dtype.kind == "f":
        return int(2 ** (np.finfo(dtype).nmant + 1))
    return int(check.ends_of(dtype)[1])


class Bernoulli(_Drawn):
    """y ~ bernoulli p        x̄ = 0"""

    node = "BernoulliBackward2"


class BernoulliEach(Flat):
    """z ~ bernoulli p        x̄ = 0,  p̄ = 0"""

    node = "BernoulliBackward1"
    promotes = None

    @staticmethod
    def forward(x, p, *, source):
        flips = source.random(x.shape) < asnumpy(p)
        return backend_of(x).asarray(flips, x.dtype)

    @classmethod
    def vmap(cls, info, in_dims, x, p, *, source):
        """For all examples at once; the same numbers for all only if all have the same p."""
        refuse_randomness(info, by_example=in_dims[1] is not None)
        if in_dims[1] is not None:
            p = in_front(p, x.ndim - 1)
        if info.randomness == "same":
            return cls.apply(x[:1], p, source=source).expand(x.shape)
        return cls.apply(x, p, source=source)


@method()
def bernoulli_(
    input: Tensor, p: float | Tensor = 0.5, *, generator: Generator | None = None
) -> Tensor:
    """Fill `input` with ones and zeros; see `normal_`.

    Args:
        p: how likely a one is; a number, or a tensor that broadcasts to the shape of `input`.

    Raises:
        ArgumentError: if `p` is not from 0 to 1.

    Example:
        >>> bernoulli_(tensor([0.5, 0.5]), 1.0)
        tensor([1., 1.])
    """
    _check_probability("bernoulli_", p)
    check.kernel('"bernoulli_scalar_cpu_"', input, "biuf")
    source = source_of(generator)
    if not isinstance(p, Tensor):
        return _fill("bernoulli", Bernoulli, input, lambda shape: source.random(shape) < p)
    check_filling(input)
    return in_place(
        "bernoulli", input, lambda x: BernoulliEach.apply(x, p, source=source), [p], copies=False
    )


@check.briefly
def _fill(name: str, rule: type[_Drawn], input: Tensor, draw: Callable[[Shape], Any]) -> Tensor:
    """Fill `input` with what `draw(shape)` makes, on the CPU."""

    def draw_like(array: Any) -> Any:
        return backend_of(array).drawn(draw, array.shape, array.dtype)

    check_filling(input)
    return in_place(name, input, lambda x: rule.apply(x, draw=draw_like), copies=False)


# Dropout -----------------------------------------------------------------------------------------


@function(aliases=("nn.functional.dropout",), inplace_function=True, inplace_flag=True)
def dropout(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """Elements set to 0 at random; the others grow, so that the expectation stays.

    Args:
        input: floating-point or complex tensor of shape `S`.
        p: how likely an element is set to 0.
        training: False: return `input` itself.

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
    check_dropout(p)
    return _dropped(input, p, input) if training else input


@function(inplace_function=True)
def feature_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """`dropout` of whole channels.

    Args:
        input: floating-point tensor of shape `(N, C, …)`.
        p: how likely a channel is set to 0.
        train: False: return `input` itself.

    Raises:
        ArgumentError: if `p` is not from 0 to 1.
        ShapeError: if there are no channels.

    Example:
        >>> feature_dropout(ones(1, 2, 2), 0.0, True)
        tensor([[[1., 1.],
                 [1., 1.]]])
    """
    check_dropout(p)
    return _dropped(input, p, _channels_of(input)) if train else input


@functional(inplace_flag=True)
def dropout1d(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """`dropout` of whole channels of sequences.

    Args:
        input: floating-point tensor of shape `(N, C, L)` or `(C, L)`.
        p: how likely a channel is set to 0.
        training: False: return `input` itself.

    Raises:
        ArgumentError: if `p` is not from 0 to 1.
        ShapeError: for other shapes.

    Example:
        >>> dropout1d(ones(2, 2), 0.0)
        tensor([[1., 1.],
                [1., 1.]])
    """
    said = "dropout1d: Expected 2D or 3D input, but received a {ndim}D input"
    why = "It drops channels of sequences. Write `dropout` for single elements."
    check.ndim(said, input, (2, 3), why)
    batch = input if input.ndim == 3 else input.unsqueeze(0)
    return feature_dropout(batch, p, training).reshape(input.shape)


@functional(inplace_flag=True)
def dropout2d(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """`dropout` of whole channels of images.

    Args:
        input: floating-point tensor of shape `(N, C, H, W)`; `(N, C, L)` is taken, too.
        p: how likely a channel is set to 0.
        training: False: return `input` itself.

    Raises:
        ArgumentError: if `p` is not from 0 to 1.
        ShapeError: if there are no channels.

    Example:
        >>> dropout2d(ones(1, 1, 1, 2), 0.0)
        tensor([[[[1., 1.]]]])
    """
    if input.ndim not in (3, 4):
        warn(
            f"dropout2d: Received a {input.ndim}-D input to dropout2d, which is deprecated and "
            "will result in an error in a future release. To retain the behavior and silence this "
            "warning, please use dropout instead."
        )
    if input.ndim == 3:
        warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout "
            "behavior is desired - input is interpreted as shape (N, C, L), where C is the channel "
            "dim. To maintain the 1D channel-wise dropout behavior, please switch to using "
            "dropout1d instead."
        )
    return feature_dropout(input, p, training)


@functional(inplace_flag=True)
def dropout3d(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """`dropout` of whole channels of volumes.

    Args:
        input: floating-point tensor of shape `(N, C, D, H, W)`; `(C, D, H, W)` is taken, too.
        p: how likely a channel is set to 0.
        training: False: return `input` itself.

    Raises:
        ArgumentError: if `p` is not from 0 to 1.
        ShapeError: if there are no channels.

    Example:
        >>> dropout3d(ones(1, 1, 1, 1, 2), 0.0)
        tensor([[[[[1., 1.]]]]])
    """
    batch = input.unsqueeze(0) if input.ndim == 4 else input
    return feature_dropout(batch, p, training).reshape(input.shape)


@function(aliases=("nn.functional.alpha_dropout",), inplace_function=True, inplace_flag=True)
def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False) -> Tensor:
    """Elements set to what `selu` tends to, at random; mean and variance stay.

    Args:
        input: floating-point tensor of shape `S`.
        p: how likely that is.
        training: False: return `input` itself.

    Raises:
        ArgumentError: if `p` is not from 0 to 1.

    Example:
        >>> alpha_dropout(tensor([1.0, 2.0]), 0.0, training=True)
        tensor([1., 2.])

    See also: Klambauer et al., *Self-Normalizing Neural Networks* (2017).
    """
    check_dropout(p)
    return _towards_alpha(input, p, input) if training else input


@function(
    aliases=("nn.functional.feature_alpha_dropout",), inplace_function=True, inplace_flag=True
)
def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False) -> Tensor:
    """`alpha_dropout` of whole channels.

    Args:
        input: floating-point tensor of shape `(N, C, …)`.
        p: how likely that is.
        training: False: return `input` itself.

    Raises:
        ArgumentError: if `p` is not from 0 to 1.
        ShapeError: if there are no channels.

    Example:
        >>> feature_alpha_dropout(ones(1, 2), 0.0, training=True)
        tensor([[1., 1.]])
    """
    check_dropout(p)
    return _towards_alpha(input, p, _channels_of(input)) if training else input


def check_dropout(p: float) -> None:
    """Raise ArgumentError unless a number is a probability of being dropped."""
    said = "dropout probability has to be between 0 and 1, but got {}"
    why = "It is how likely an element is set to 0. Write 0.1 for ten percent."
    check.within(said, p, 0, 1, why, errors.ArgumentError)


def _channels_of(input: Tensor) -> Tensor:
    """One element of each channel."""
    said = "Feature dropout requires at least 2 dimensions in the input"
    check.ndim(said, input, 2, "Channels lie along dim 1. Write `dropout` for single elements.")
    return input[(slice(None), slice(None), *(slice(0, 1),) * (input.ndim - 2))]


def _kept(p: float, each: Tensor) -> Tensor:
    """A 1 for each element that is kept, else a 0."""
    check.kernel(
        "result type Float can't be cast to the desired output type: dropout is", each, "fc"
    )
    source = source_of(None)
    # Inside vmap all examples have the same p, so they may share the numbers.
    uniform = drawn(source.random, tuple(each.shape), each.device)
    return (uniform < 1 - p).to(each.dtype)


def _dropped(input: Tensor, p: float, each: Tensor) -> Tensor:
    if not p:
        return input
    kept = _kept(p, each)
    return input * (kept if p == 1 else kept / (1 - p))


_ALPHA = 1.7580993408473766  # what selu tends to, far on the left, is -_ALPHA


def _towards_alpha(input: Tensor, p: float, each: Tensor) -> Tensor:
    if not p:
        return input
    kept = _kept(p, each)
    if p == 1:
        return input * kept
    scale = 1 / math.sqrt((_ALPHA * _ALPHA * p + 1) * (1 - p))
    return input * (kept * scale) + ((kept - 1) * (_ALPHA * scale) + _ALPHA * scale * p)
