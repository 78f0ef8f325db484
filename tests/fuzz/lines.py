"""What a line of a random program is made of: a template, and the values it takes."""

from collections.abc import Callable
from typing import Any, NamedTuple

from fuzz.program import Step

__all__ = [
    "Build",
    "LineMaker",
    "broadcasts",
    "has_dims",
    "indented",
    "is_any",
    "is_inner",
    "is_leaf",
    "is_matrix",
    "is_numeric",
    "is_real",
    "is_shadow",
    "is_small",
    "is_whole",
    "line",
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


def is_numeric(x: Any) -> bool:
    """Real or complex numbers."""
    return bool(x.is_floating_point() or x.is_complex())


def has_dims(n: int) -> Callable[[Any], bool]:
    """Values with at least `n` dims."""
    return lambda x: x.dim() >= n and is_numeric(x)


def is_small(x: Any) -> bool:
    """Numbers that may be multiplied again without growing beyond measure."""
    return is_numeric(x) and bool((x.data.abs() < 20).all())


def is_real(x: Any) -> bool:
    """Small real numbers."""
    return bool(x.is_floating_point()) and is_small(x)


def is_whole(x: Any) -> bool:
    """Integers and bools."""
    return not is_numeric(x)


def is_any(x: Any) -> bool:
    """Anything that does not grow beyond measure."""
    return is_whole(x) or is_small(x)


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
    return is_numeric(x) and x.dim() >= 1 and x.shape[0] == 2


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


def line(
    op: str,
    template: str,
    feature: str,
    want: Any = is_small,
    other: Any = None,
    n: int = 1,
    changes: bool = False,
) -> LineMaker:
    """A line of `{a}`, `{b}` (a value that `other` wants; by default one that broadcasts with `a`)
    and `{name}`, a text; it makes `n` values, or changes `a`."""

    def build(g: Any) -> Step | None:
        a = g.pick(want)
        if a is None:
            return None
        used = [a]
        if "{b}" in template:
            fits = other or (lambda x: want(x) and broadcasts(x.shape, g.of(a).shape))
            used.append(g.pick(fits))
            if used[1] is None:
                return None
        outs = [g.name() for _ in range(n)]
        text = template.format(a=a, b=used[-1], name=f"{op}{len(g.steps)}")
        text = f"{', '.join(outs)} = {text}" if n else text
        moved = (a, *g.sharing(a)) if changes else ()
        return Step(op, feature, text, tuple(outs), tuple(used), changes=moved)

    return LineMaker(op, feature, build)


def indented(step: Step, block: str, op: str, feature: str) -> Step:
    """The same line in a `with` block."""
    return step._replace(op=op, feature=feature, line=f"with {block}:\n    {step.line}")
