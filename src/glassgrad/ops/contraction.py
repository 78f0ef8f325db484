"""Einstein summation: products of tensors, written by the names of their dims.
    einsum("ij,jk->ik", x, y)        z_ik = Σ_j x_ij·y_jk

An equation is parsed into one letter per dim; an ellipsis becomes letters, too. Operands are
contracted two at a time, from left to right. The gradient of an operand is an einsum again: the
equation with the result's letters and the operand's letters exchanged.
"""

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentTypeError, DTypeError, ShapeError
from glassgrad.core.state import Shape, Values
from glassgrad.core.tensor import Tensor

from ._arguments import scalar_name
from ._declaring import function
from ._families import Linear, Multilinear, array_of, run

Sizes = dict[str, int]
"""What size each letter stands for."""

_SMALL = "abcdefghijklmnopqrstuvwxyz"
_LETTERS = _SMALL + _SMALL.upper()

_WORTH_A_PLAN = 4096
"""From so many products on, it pays that NumPy looks for a matrix product in the equation."""


class EinsumOne(Linear):
    """y = einsum x        x̄ = einsum ȳ"""

    node = "EinsumBackward0"

    @staticmethod
    def forward(x, *, subscripts, output):
        z = np.einsum(f"{subscripts}->{output}", x)
        # Without a sum NumPy returns a view, and a write to it would change x unseen.
        return np.copy(z) if set(subscripts) == set(output) else z

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.sizes = dict(zip(ctx.subscripts, inputs[0].shape, strict=True))

    @staticmethod
    def backward(ctx, grad):
        return _gradient(ctx.subscripts, ctx.sizes, [ctx.output], [grad])

    @classmethod
    def vmap(cls, info, in_dims, x, *, subscripts, output):
        batch = _unused({*subscripts})
        return cls.apply(x, subscripts=batch + subscripts, output=batch + output)


class EinsumTwo(Multilinear):
    """z = einsum(x, y)        x̄ = einsum(z̄, y),  ȳ = einsum(z̄, x)"""

    node = "EinsumBackward0"
    saves = ("self", "other")
    broadcasts = True

    @staticmethod
    def forward(x, y, *, first, second, output):
        products = math.prod(_sizes([first, second], [x.shape, y.shape]).values())
        equation = f"{first},{second}->{output}"
        return np.einsum(equation, x, y, optimize=products >= _WORTH_A_PLAN)

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        wants_x, wants_y = ctx.needs_input_grad
        sizes = _sizes([ctx.first, ctx.second], [x.shape, y.shape])
        return (
            _gradient(ctx.first, sizes, [ctx.output, ctx.second], [grad, y]) if wants_x else None,
            _gradient(ctx.second, sizes, [ctx.output, ctx.first], [grad, x]) if wants_y else None,
        )

    @classmethod
    def vmap(cls, info, in_dims, x, y, *, first, second, output):
        batch = _unused({*first, *second})
        first, second = [
            letters if dim is None else batch + letters
            for letters, dim in zip((first, second), in_dims, strict=True)
        ]
        return _pair(first, second, batch + output, x, y)


def _gradient(wanted: str, sizes: Sizes, inputs: list[str], values: list[Any]) -> Any:
    """The einsum of `values` that has the letters `wanted`.

    A letter that stands in `wanted` twice is a diagonal: its second place gets a letter of its
    own, tied to the first by an identity matrix. A letter that stands nowhere else was summed
    over: a vector of ones spreads the gradient along it.
    """
    like = array_of(values[0])
    letters = ""
    for letter in wanted:
        if letter in letters:
            twin = _unused({*sizes, *letters})
            identity = np.eye(sizes[letter], dtype=like.dtype, like=like)
            inputs, values = [*inputs, letter + twin], [*values, identity]
            letters += twin
        else:
            letters += letter
    for letter in letters:
        if not any(letter in subscripts for subscripts in inputs):
            ones = np.ones(sizes[letter], like.dtype, like=like)
            inputs, values = [*inputs, letter], [*values, ones]
    return _contract(inputs, values, letters)


def _unused(taken: set[str]) -> str:
    return next(letter for letter in _LETTERS if letter not in taken)


def _contract(inputs: Sequence[str], values: Sequence[Any], output: str) -> Any:
    """Σ Π values, two at a time; in a rule at array speed, else recorded."""
    inputs, values = list(inputs), list(values)
    while len(values) > 2:  # two at a time
        needed = {*output, *"".join(inputs[2:])}
        both = dict.fromkeys(inputs[0] + inputs[1])
        middle = "".join([letter for letter in both if letter in needed])
        values[:2] = [_pair(inputs[0], inputs[1], middle, values[0], values[1])]
        inputs[:2] = [middle]
    if len(values) == 1:
        return run(EinsumOne, values[0], subscripts=inputs[0], output=output)
    return _pair(inputs[0], inputs[1], output, values[0], values[1])


def _pair(first: str, second: str, output: str, x: Any, y: Any) -> Any:
    return run(EinsumTwo, x, y, first=first, second=second, output=output)


def _sizes(inputs: Sequence[str], shapes: Sequence[Sequence[int]]) -> Sizes:
    """The size each letter stands for; 1 is stretched.

    Raises:
        ShapeError: if a letter has two sizes.
    """
    sizes: Sizes = {}
    for position, (subscripts, shape) in enumerate(zip(inputs, shapes, strict=True)):
        own: Sizes = {}
        for letter, n in zip(subscripts, shape, strict=True):
            seen = sizes.get(letter, 1)
            if own.setdefault(letter, n) != n:
                raise ShapeError(
                    f"einsum(): subscript {letter} is repeated for operand {position} but the "
                    f"sizes don't match, {n} != {own[letter]}. A diagonal needs a square. "
                    "Use two letters."
                )
            if n != seen and 1 not in (n, seen):
                raise ShapeError(
                    f"einsum(): subscript {letter} has size {n} for operand {position} which does "
                    f"not broadcast with previously seen size {seen}. One letter is one "
                    "size. Use two letters, or reshape."
                )
            sizes[letter] = n if seen == 1 else seen
    return sizes


@function(numpy=(np.einsum,))
def einsum(*args: Any) -> Tensor:
    """The sum of products that an equation describes.

    Args:
        args: an equation such as `"ij,jk->ik"` and the operands, as arguments or as one list; or
            operands and lists of dim numbers in turns, `x, [0, 1], y, [1, 2], [0, 2]`. Each
            operand has one letter per dim; "..." stands for dims that broadcast. Letters missing
            on the right of "->" are summed over. Without "->", those that appear once are kept,
            in alphabetical order.

    Returns:
        Tensor with the dims that the equation names on the right.

    Raises:
        ShapeError: if equation and operands do not fit together.
        DTypeError: if the operands have different dtypes.

    Example:
        >>> x = tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> einsum("ij,kj->ik", x, x)
        tensor([[ 5., 11.],
                [11., 25.]])
        >>> einsum("ii", x)
        tensor(5.)

    See also: https://pytorch.org/docs/stable/generated/torch.einsum.html
    """
    if args and isinstance(args[0], str):
        equation, operands = args[0], args[1:]
        if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
            operands = tuple(operands[0])
    else:
        equation, operands = _equation_of_lists(args)
    for x in operands:
        if not isinstance(x, Tensor):
            raise ArgumentTypeError(
                f"einsum() takes tensors, got {type(x).__name__}. Write `glassgrad.tensor(x)`."
            )
        if x.dtype != operands[0].dtype:
            raise DTypeError(
                f"einsum(): expected {scalar_name(operands[0].dtype)} operands but found "
                f"{scalar_name(x.dtype)}. A product is computed in one precision. "
                "Write `y.to(x.dtype)`."
            )
    inputs, output = _parse(equation, [tuple(x.shape) for x in operands])
    return _contract(inputs, operands, output)


# Equations --------------------------------------------------------------------------------------


def _equation_of_lists(args: Values) -> tuple[str, Values]:
    """The equation meant by `x, [0, 1], y, [1, 2], [0, 2]`."""
    if len(args) < 2:  # an operand and its dims
        raise ShapeError(
            "einsum(): must specify the equation string and at least one operand. "
            'Write `einsum("ij->ji", x)`.'
        )
    has_output = len(args) % 2 == 1
    pairs = args[:-1] if has_output else args
    left = ",".join(_letters(dims) for dims in pairs[1::2])
    return left + (f"->{_letters(args[-1])}" if has_output else ""), pairs[::2]


def _letters(dims: Sequence[Any]) -> str:
    names = _LETTERS.swapcase()  # the numbers of PyTorch begin with capital letters
    for dim in dims:
        if dim is not Ellipsis and not 0 <= dim < len(names):
            raise ShapeError(
                f"einsum(): expected subscripts to be within range [0, {len(names)}), but got "
                f"{dim}. Each stands for a letter. Number the dims from 0."
            )
    return "".join(["..." if dim is Ellipsis else names[dim] for dim in dims])


def _parse(equation: str, shapes: list[Shape]) -> tuple[list[str], str]:
    """The letters of each operand and of the result, ellipses spelled out."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    plain = equation.replace("->", "  ", 1).replace("...", "   ")
    if wrong := re.search("[^a-zA-Z ,]", plain):
        raise ShapeError(
            f"einsum(): invalid subscript given at index {wrong.start()} in the equation string, "
            f"subscripts must be in [a-zA-Z]. {equation!r} has {wrong.group()!r} there. "
            "Write one letter per dim."
        )
    terms = left.split(",")
    if len(terms) != len(shapes):
        few = "fewer" if len(shapes) < len(terms) else "more"
        raise ShapeError(
            f"einsum(): {few} operands were provided than specified in the equation. "
            f"{equation!r} names {len(terms)}, got {len(shapes)}. Name the dims of each operand, "
            "parted by commas."
        )
    ranks = [
        _ellipsis_rank(term, shape, position)
        for position, (term, shape) in enumerate(zip(terms, shapes, strict=True))
    ]
    free = [letter for letter in _LETTERS if letter not in equation]
    dots = "".join(free[: max(ranks)])
    inputs = [
        term.replace("...", dots[len(dots) - rank :])
        for term, rank in zip(terms, ranks, strict=True)
    ]
    _sizes(inputs, shapes)  # or an error
    if arrow:
        output = right.replace("...", dots)
        _check_output(output, inputs)
    else:
        every = "".join(terms).replace("...", "")
        output = dots + "".join(sorted(c for c in set(every) if every.count(c) == 1))
    return inputs, output


def _ellipsis_rank(term: str, shape: Shape, position: int) -> int:
    """How many dims the ellipsis of an operand stands for."""
    named = len(term.replace("...", ""))
    if "..." in term and named <= len(shape):
        return len(shape) - named
    if named == len(shape):
        return 0
    dots = "" if "..." in term else " and no ellipsis was given"
    raise ShapeError(
        f"einsum(): the number of subscripts in the equation ({named}) does not match the number "
        f"of dimensions ({len(shape)}) for operand {position}{dots}. Its shape is {shape}. "
        "Write one letter per dim, or '...' for the others."
    )


def _check_output(output: str, inputs: list[str]) -> None:
    for letter in output:
        if output.count(letter) > 1:
            raise ShapeError(
                f"einsum(): output subscript {letter} appears more than once in the output. "
                "The result has one dim per letter. Name each once."
            )
        if not any(letter in subscripts for subscripts in inputs):
            raise ShapeError(
                f"einsum(): output subscript {letter} does not appear in the equation for any "
                "input operand. No operand says how long that dim is. Leave it out."
            )
