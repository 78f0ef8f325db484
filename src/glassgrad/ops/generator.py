"""Sources of random numbers: `Generator`, and the default one that all random functions share."""

import os
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentError, ArgumentTypeError, RangeError, ShapeError
from glassgrad.core.state import setting
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.values.backend import CPU, Device, asnumpy
from glassgrad.values.dtypes import uint8

from . import _checks as check
from ._declaring import FUNCTIONS, function

_FIRST_SEED = 67280421310721  # PyTorch's, for a generator that nobody seeded
_SEEDS = 2**64


@function()
class Generator:
    """A source of random numbers with a state of its own.

    Args:
        device: where the tensors it is meant for live; the numbers do not depend on it.

    Example:
        >>> a = rand(2, generator=Generator().manual_seed(0))
        >>> b = rand(2, generator=Generator().manual_seed(0))
        >>> equal(a, b)
        True

    See also: https://pytorch.org/docs/stable/generated/torch.Generator.html
    """

    def __init__(self, device: "Device | str" = CPU) -> None:
        self.device = Device(device)
        self.manual_seed(_FIRST_SEED)

    def manual_seed(self, seed: int) -> "Generator":
        """Start over from a seed; returns the generator.

        Raises:
            ArgumentError: if the seed does not fit into 64 bits.
            ArgumentTypeError: if it is no number.
        """
        try:
            number = int(seed)
        except (TypeError, ValueError):
            raise RangeError(
                f"manual_seed expected a long, but got {type(seed).__name__}: {seed!r}. The same "
                "number gives the same sequence. Write an int."
            )
        if not -_SEEDS // 2 <= number < _SEEDS:
            raise ArgumentError(
                f"Overflow when unpacking long long: the seed {number} does not fit into 64 bits. "
                "Write a smaller one."
            )
        self._seed = number % _SEEDS
        self._source: np.random.Generator | None = None
        return self

    @property
    def source(self) -> "np.random.Generator":
        """NumPy's generator behind it, made on first use: `numpy.random` is slow to import."""
        if self._source is None:
            self._source = np.random.Generator(np.random.PCG64(self._seed))
        return self._source

    def seed(self) -> int:
        """Start over from a seed that the operating system draws; returns it."""
        self.manual_seed(int.from_bytes(os.urandom(8)) >> 1)
        return self._seed

    def initial_seed(self) -> int:
        """The seed it last started from."""
        return self._seed

    def get_state(self) -> Tensor:
        """All that decides the numbers to come, as a tensor of bytes."""
        state = self.source.bit_generator.state
        own = state["state"]
        numbers = self._seed, own["state"], own["inc"], state["has_uint32"], state["uinteger"]
        data = b"".join(number.to_bytes(16, "little") for number in numbers)
        return wrap(np.frombuffer(data, np.uint8).copy())

    def set_state(self, new_state: Any) -> "Generator":
        """Continue from what `get_state` returned.

        Raises:
            ArgumentTypeError: if it is no tensor of bytes.
            ShapeError: if it has another length.
        """
        if not isinstance(new_state, Tensor) or new_state.dtype != uint8:
            got = getattr(new_state, "dtype", type(new_state).__name__)
            raise ArgumentTypeError(
                f"expected a ByteTensor, but got {got}. A state is a tensor of bytes. "
                "Write `generator.set_state(other.get_state())`."
            )
        size = 5 * 16
        if tuple(new_state.shape) != (size,):
            raise ShapeError(
                f"Expected a generator state of size {size} but found the input RNG state size to "
                f"be {new_state.numel()}. States of other generators do not fit."
            )
        data = asnumpy(new_state.payload).tobytes()
        numbers = [int.from_bytes(data[i : i + 16], "little") for i in range(0, size, 16)]
        self._seed, state, inc, has_uint32, uinteger = numbers
        self.source.bit_generator.state = {
            "bit_generator": "PCG64",
            "state": {"state": state, "inc": inc},
            "has_uint32": has_uint32,
            "uinteger": uinteger,
        }
        return self

    def _apart(self, state: Tensor | None = None) -> setting:
        """The block in which it draws as in `state`, and after which it has drawn nothing."""
        return _Apart(self, state)

    def clone_state(self) -> "Generator":
        """Another generator that will give the same numbers."""
        return Generator(self.device).set_state(self.get_state())

    def __repr__(self) -> str:
        return f"<glassgrad.Generator on {self.device}, started from {self._seed}>"


class _Apart(setting):
    before: Tensor | None = None

    def __init__(self, generator: Generator, state: Tensor | None) -> None:
        super().__init__()
        self.generator, self.state = generator, state

    def __enter__(self) -> None:
        self.before = self.generator.get_state()
        if self.state is not None:
            self.generator.set_state(self.state)

    def leave(self) -> None:
        if self.before is not None:
            self.generator.set_state(self.before)
        super().leave()


default_generator = Generator()
"""What random functions draw from unless told otherwise; seeded by chance at import."""

default_generator.seed()
FUNCTIONS["default_generator"] = default_generator


@function()
def manual_seed(seed: int) -> Generator:
    """Start the default generator over from a seed, and return it.

    Example:
        >>> _ = manual_seed(0)
        >>> a = rand(3)
        >>> _ = manual_seed(0)
        >>> equal(a, rand(3))
        True
    """
    return default_generator.manual_seed(seed)


@function()
def seed() -> int:
    """Start the default generator over from a seed drawn by chance, and return it."""
    return default_generator.seed()


@function()
def initial_seed() -> int:
    """The seed the default generator started from.

    Example:
        >>> manual_seed(7).initial_seed() == initial_seed() == 7
        True
    """
    return default_generator.initial_seed()


@function()
def get_rng_state() -> Tensor:
    """The state of the default generator, for `set_rng_state`.

    Example:
        >>> state = get_rng_state()
        >>> a = rand(2)
        >>> set_rng_state(state)
        >>> equal(a, rand(2))
        True
    """
    return default_generator.get_state()


@function()
def set_rng_state(new_state: Tensor) -> None:
    """Bring the default generator back to a state."""
    default_generator.set_state(new_state)


def fork(state: Tensor | None = None) -> setting:
    """Inside, draw as the default generator does in `state`; afterwards as if nothing was drawn.

    Args:
        state: as of `get_rng_state`; None: as it is.
    """
    return default_generator._apart(state)


def source_of(generator: Generator | None) -> "np.random.Generator":
    """NumPy's generator behind a Generator; None: behind the default one."""
    if generator is None:
        return default_generator.source
    why = "It keeps the state that numbers are drawn from. Write `Generator().manual_seed(0)`."
    check.kind("generator must be a Generator", generator, Generator, why)
    return generator.source
