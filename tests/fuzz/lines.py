"""What a line of a random program is made of: a template, and the values it takes."""

from collections.abc import Callable
from typing import Any, NamedTuple

from fuzz.program import Step

__all__ = [
    "Build",
    "LineMaker",
    "broadcasts",
    "has_dims",
    "is_inner",
    "is_leaf",
    "is_matrix",
    "is_shadow",
    "is_small",
    "of_one",
    "of_two",
    "requires_grad",
    "rows",
]

Build = Callable[[Any], Step | None]


class LineMaker(NamedTuple):
    """How to write a line of one op; `build(generator)` may find no value that it takes."""

    op: str
    feature: str
    build: Build


# Which values -------------------------------------------------------------------------------------


def has_dims(n: int) -> Callable[[Any], bool]:
    """Values with at least `n` dims."""
    return lambda x: x.dim() >= n and x.is_floating_point()


def is_small(x: Any) -> bool:
    """Numbers that may be multiplied again without growing beyond measure."""
    return x.is_floating_point() and bool((x.data.abs() < 20).all())


def requires_grad(x: Any) -> bool:
    """Values that gradients flow to."""
    return x.requires_grad and not is_shadow(x)


def is_shadow(x: Any) -> bool:
    """Views that have no node (yet) though what they show has: PyTorch takes them for leaves."""
    return bool(x._is_view() and x.is_leaf and x.requires_grad)


def is_inner(x: Any) -> bool:
    """Values with a node."""
    return x.requires_grad and not x.is_leaf


def is_leaf(x: Any) -> bool:
    """Leaves that require grad."""
    return x.requires_grad and x.is_leaf and not is_shadow(x)


def rows(x: Any) -> bool:
    """Values with two rows."""
    return x.is_floating_point() and x.dim() >= 1 and x.shape[0] == 2


def is_matrix(x: Any) -> bool:
    """Values with two dims."""
    return is_small(x) and x.dim() == 2


def broadcasts(a: Any, b: Any) -> bool:
    """Whether two shapes fit."""
    pairs = zip(reversed(a), reversed(b), strict=False)
    return all(n == m or 1 in (n, m) for n, m in pairs)


# Lines that make values ---------------------------------------------------------------------------


def of_one(
    op: str, template: str, feature: str = "ops", want: Any = is_small, n: int = 1
) -> LineMaker:
    """A line that makes `n` values of one."""

    def build(g: Any) -> Step | None:
        a = g.pick(want)
        if a is None:
            return None
        outs = [g.name() for _ in range(n)]
        return Step(op, feature, f"{', '.join(outs)} = {template.format(a=a)}", tuple(outs), (a,))

    return LineMaker(op, feature, build)


def of_two(op: str, template: str, feature: str = "ops", n: int = 1) -> LineMaker:
    """A line that makes `n` values of two that broadcast."""

    def build(g: Any) -> Step | None:
        a = g.pick(is_small)
        b = g.pick(lambda x: is_small(x) and broadcasts(x.shape, g.of(a).shape))
        if a is None or b is None:
            return None
        outs = [g.name() for _ in range(n)]
        line = f"{', '.join(outs)} = {template.format(a=a, b=b)}"
        return Step(op, feature, line, tuple(outs), (a, b))

    return LineMaker(op, feature, build)


def indented(step: Step, block: str, op: str, feature: str) -> Step:
    """The same line in a `with` block."""
    return step._replace(op=op, feature=feature, line=f"with {block}:\n    {step.line}")
