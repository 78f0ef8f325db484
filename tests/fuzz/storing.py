"""Lines that give tensors other memory, or write to it past the tape: `out=`, `.data`, `set_`."""

from typing import Any

from fuzz.lines import LineMaker, is_real
from fuzz.program import Step

__all__ = ["STORED"]


def _is_kept(x: Any) -> bool:
    """Values whose elements lie in a row, each for itself."""
    return is_real(x) and x.dim() > 0 and x.is_contiguous()


def _stored(op: str, template: str) -> LineMaker:
    """A line on `{a}` and on a `{b}` of its shape and dtype that shares nothing with it."""

    def build(g: Any) -> Step | None:
        a = g.pick(_is_kept)
        if a is None:
            return None
        x, sharing = g.of(a), {a, *g.sharing(a)}
        touched = [step for step in g.steps if sharing & {*step.uses, *step.makes}]
        if "out=" not in template and any(step.op != "leaf" for step in touched):
            return None  # nobody notices that what was saved has changed: rules differ in its use
        alike = g.values(lambda y: _is_kept(y) and (y.shape, y.dtype) == (x.shape, x.dtype))
        others = [name for name in alike if name not in sharing]
        if not others:
            return None
        b = g.rng.choice(others)
        line = f"looked({a}); " * x._is_view() + template.format(a=a, b=b)
        return Step(op, "memory", line, (), (a, b), changes=tuple(sharing))

    return LineMaker(op, "memory", build)


STORED = [
    _stored("out", "lib.mul({b}, {b}, out={a})"),
    _stored("out", "lib.sin({b}.detach(), out={a})"),
    _stored("out", "exec('with lib.no_grad(): lib.add({b}, 0.5, out={a})')"),
    _stored("out", "lib.cat([{b}.detach()[:1], {b}.detach()[1:]], out={a})"),
    _stored("out", "lib.sum({b}.detach(), 0, keepdim=True, out={a}.detach()[:1])"),
    _stored("data", "{a}.data = {b}.detach().clone()"),
    _stored("data", "{a}.data.add_({b}.detach())"),
    _stored("data", "{a}.data[0] = 0.25"),
    _stored("data", "{a}.data.copy_({b}.detach())"),
    _stored("set_", "exec('with lib.no_grad(): {a}.set_({b}.detach().clone())')"),
    _stored("set_", "{a}.detach().set_({b}.detach().clone())"),
    _stored("resize_", "{a}.detach().clone().resize_(2)"),
    _stored("resize_", "exec('with lib.no_grad(): {a}.resize_({a}.shape)')"),
]
