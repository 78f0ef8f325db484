"""Random choices: multinomial. Numbers are drawn as in `random.py`."""

import operator

import numpy as np

from glassgrad.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from glassgrad.core.primitive import Primitive
from glassgrad.core.tensor import Tensor
from glassgrad.values.layers import visible

from ._drawing import drawn
from ._families import batch_all
from ._out import written_to
from ._texts import scalar_name
from .generator import Generator, source_of

__all__ = ["multinomial"]


class Multinomial(Primitive):
    """y = classes, of which each is as likely as its weight says        no derivative

    `u` holds uniform numbers: one for each choice if a class may be chosen again. If not, a class
    of weight p waits for a time that is distributed exponentially with the rate p, −ln(1 − u)/p:
    those that come first are chosen.
    """

    latex = (r"y \sim p", "0", r"\bar p = 0")
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

    @classmethod
    def vmap(cls, info, in_dims, p, u, **parameters):
        return cls.apply(*batch_all(info, in_dims, (p, u)), **parameters)


def multinomial(
    input: Tensor,
    num_samples: int,
    replacement: bool = False,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Classes chosen at random.

    Args:
        input: the weights of the classes, which need not sum up to 1: shape `(C,)`, or `(N, C)`
            for `N` independent experiments.
        num_samples: how many are chosen.
        replacement: whether a class can be chosen several times.
        generator: where the numbers come from; None: the default generator.
        out: where to write the result.

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
    if out is not None:
        return written_to(out, multinomial, input, num_samples, replacement, generator=generator)
    n = _checked_count(input, num_samples, replacement=replacement)
    if input.dtype.kind != "f":
        raise DTypeError(
            "multinomial only supports floating-point dtypes for input, got: "
            f"{scalar_name(input.dtype)}. Weights are shares. Write `x.float()`."
        )
    _check_weights(input)
    shape = (*input.shape[:-1], n) if replacement else tuple(input.shape)
    uniform = drawn(source_of(generator).random, shape, input.device, (input,))
    return Multinomial.apply(input, uniform, num_samples=n, replacement=bool(replacement))


def _checked_count(input: Tensor, num_samples: int, *, replacement: bool) -> int:
    """How many classes to choose.

    Raises:
        ShapeError, ArgumentTypeError: if there are not as many.
    """
    try:
        n = operator.index(num_samples)
    except TypeError as error:
        raise ArgumentTypeError(
            "multinomial(): argument 'num_samples' (position 2) must be int, not "
            f"{type(num_samples).__name__}. It counts choices. Write `int(n)`."
        ) from error
    if input.ndim not in (1, 2):
        raise ShapeError(
            f"prob_dist must be 1 or 2 dim, got the shape {list(input.shape)}. A row holds the "
            "weights of an experiment. Write `x.reshape(-1, x.shape[-1])`."
        )
    if n <= 0:
        raise ShapeError(
            f"cannot sample n_sample <= 0 samples, got {n}. Something has to be chosen. "
            "Leave the call out."
        )
    if not replacement and n > input.shape[-1]:
        raise ShapeError(
            "cannot sample n_sample > prob_dist.size(-1) samples without replacement: "
            f"{n} of {input.shape[-1]} classes. Write `replacement=True`."
        )
    return n


def _check_weights(input: Tensor) -> None:
    weights = visible(input.payload)
    if weights is None:
        return
    if not bool(((weights >= 0) & np.isfinite(weights)).all()):
        raise ArgumentError(
            "probability tensor contains either `inf`, `nan` or element < 0. A weight says how "
            "likely a class is, compared with the others. Write `softmax(x, -1)` for scores."
        )
    if bool((weights.sum(axis=-1) <= 0).any()):
        raise ArgumentError(
            "invalid multinomial distribution (sum of probabilities <= 0). No class can be "
            "chosen. Write a weight that is not 0 into each row."
        )
