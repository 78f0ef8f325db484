"""Random numbers inside transforms: each level of vmap says for whom they are drawn.

    randomness="different"    numbers of the shape (n, *shape) one level down: some for each example
    randomness="same"         numbers of the shape one level down: the same for all examples
    randomness="error"        nobody said which of the two: an error

Other levels see constants.
"""

from collections.abc import Callable
from typing import Any

from glassgrad.core.errors import TransformError
from glassgrad.core.state import modes
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.values.backend import backend_for
from glassgrad.values.layers import batches_of, fresh

from ._making import made

__all__ = ["check_filling", "drawn", "drawn_leaf", "refuse_randomness"]

Shape = tuple[int, ...]
Draw = Callable[[Shape], Any]
"""Makes an array of random numbers of a shape."""


def drawn_leaf(draw: Draw, shape: Any, device: Any, requires_grad: bool) -> Tensor:
    """A leaf with the numbers that `draw(shape)` makes.

    Raises:
        TransformError: inside a vmap that does not say for whom numbers are drawn.
    """
    if not modes.levels:
        return made(draw(shape), None, device, requires_grad)
    out = drawn(draw, tuple(shape), device)
    if requires_grad:
        out.requires_grad = True
    return out


def drawn(draw: Draw, shape: Shape, device: Any, given: tuple[Any, ...] = ()) -> Tensor:
    """The numbers that `draw(shape)` makes, as the open levels show them.

    Args:
        given: the tensors on which the distribution depends.

    Raises:
        TransformError: if a vmap does not say for whom, or wants the same for all examples of
            different distributions.
    """
    if not modes.levels:
        return fresh(backend_for(device).asarray(draw(shape)))
    level = modes.levels[-1]
    values, mine = level.own(given)
    if level.kind != "vmap":
        with level.below():
            below = drawn(draw, shape, device, tuple(values))
        return level.lift(below)
    refuse_randomness(level.info, by_example=any(x is not None for x in mine))
    each = level.info.randomness == "different"
    with level.below():
        size = (level.info.batch_size, *shape) if each else shape
        below = drawn(draw, size, device, tuple(values))
    return wrap(level.layer(below)) if each else below


def refuse_randomness(info: Any, *, by_example: bool) -> None:
    """Raise if a level of vmap does not allow to draw numbers.

    Args:
        info: what the level knows of its batch.
        by_example: whether each example has a distribution of its own.
    """
    if info.randomness == "never":
        raise TransformError(
            "vmap: We do not yet support calling random operations inside of vmap: "
            f"{info.batch_size} gradients, or tangents, are computed at once by one call. Please "
            "perform random operations outside: draw in forward, and save the numbers."
        )
    if info.randomness == "error":
        raise TransformError(
            "vmap: called random operation while in randomness error mode. There is one call for "
            f"{info.batch_size} examples, and nothing says whether they share its numbers. Please "
            "either use the 'same' or 'different' randomness flags on vmap or perform the "
            "randomness operation out of vmap."
        )
    if info.randomness == "same" and by_example:
        raise TransformError(
            "Vmap does not currently support same randomness with a batched tensor input: each "
            f"of {info.batch_size} examples has a distribution of its own. Draw "
            "`rand(x.shape)`, which is the same for all, and compare it with the probabilities."
        )


def check_filling(input: Tensor) -> None:
    """Raise if a level of vmap does not allow to fill `input` with random numbers."""
    if not modes.levels:
        return
    batches = batches_of(input)
    for level in reversed(modes.levels):
        if level.kind != "vmap":
            continue
        refuse_randomness(level.info, by_example=False)
        if level.info.randomness == "different" and level not in batches:
            raise TransformError(
                "vmap: Cannot ask for different inplace randomness on an unbatched tensor. There "
                f"is one tensor of shape {list(input.shape)} for {level.info.batch_size} "
                "examples, so this will appear like same randomness. Write `rand_like(x)`, or "
                "use randomness='same'."
            )
