"""Lines that hang hooks somewhere, and take them away again."""

from typing import Any

from fuzz.lines import LineMaker, is_inner, is_leaf, requires_grad
from fuzz.program import Step

__all__ = ["HOOKS"]


def _hook(op: str, template: str, feature: str = "hooks", want: Any = requires_grad) -> LineMaker:
    def build(g: Any) -> Step | None:
        a = g.pick(want)
        if a is None or (op == "watch" and a in g.tainted):
            return None
        on_node = ("grad_fn" in template or "node_of" in template) and not g.of(a).is_leaf
        if on_node and a in g.tainted:
            return None  # of a node that is another one in PyTorch
        if "node_of" in template and any(step.feature == "multi_hooks" for step in g.steps):
            return None  # which would keep the node of a leaf alive in PyTorch
        shown = f"looked({a})" if g.of(a)._is_view() else a
        at = repr(a) if g.of(a).is_leaf else None
        name = f"{op}{len(g.steps)}"
        line = template.format(a=shown, name=name, at=at)
        if "register" not in line:
            return Step(op, feature, line, (), (a,))
        return Step(op, feature, f"{name} = {line}", (name,), (a,))

    return LineMaker(op, feature, build)


def _several(mode: str) -> LineMaker:
    """A hook for two or three tensors."""

    def build(g: Any) -> Step | None:
        names = [g.pick(requires_grad) for _ in range(g.rng.randint(2, 3))]
        if None in names:
            return None
        name = f"{mode}_of_several{len(g.steps)}"
        line = f"{name} = several(looked({', '.join(names)}), {name!r}, {mode!r})"
        return Step(f"hook_{mode}", "multi_hooks", line, (name,), tuple(names))

    return LineMaker(f"hook_{mode}", "multi_hooks", build)


def _remove(g: Any) -> Step | None:
    """Take a hook away."""
    handles = [step.makes[0] for step in g.steps if "register" in step.line and step.makes]
    if not handles:
        return None
    handle = g.rng.choice(handles)
    return Step("remove", "hooks", f"{handle}.remove()", (), (handle,))


def _may_retain(x: Any) -> bool:
    """Values with a node, but no later outputs: a write to such a one crashes PyTorch then."""
    return is_inner(x) and x.output_nr == 0


HOOKS = [
    _hook("hook", "{a}.register_hook(look('{name}', {at}))"),
    _hook("hook_twice", "{a}.register_hook(look('{name}a', {at}, also={a}))"),
    _hook("hook_scale", "{a}.register_hook(look('{name}', {at}, 1.5))"),
    _hook("hook_callback", "{a}.register_hook(calls_back('{name}'))"),
    _hook("prehook", "node_of({a}).register_prehook(look('{name}', {at}))"),
    _hook(
        "prehook_scale", "{a}.grad_fn.register_prehook(look('{name}', None, 0.5))", want=is_inner
    ),
    _hook("posthook", "{a}.grad_fn.register_hook(after('{name}'))", want=is_inner),
    _hook("posthook_leaf", "node_of({a}).register_hook(after('{name}', {at}))", want=is_leaf),
    _hook("posthook_scale", "{a}.grad_fn.register_hook(after('{name}', None, 2.0))", want=is_inner),
    _hook(
        "accumulated",
        "{a}.register_post_accumulate_grad_hook(stored('{name}', {at}))",
        want=is_leaf,
    ),
    LineMaker("remove", "hooks", _remove),
    _several("all"),
    _several("any"),
    *[_hook("retain_grad", "{a}.retain_grad()", "retain", _may_retain)] * 3,
    _hook("watch", "watch('{name}', {a})", "watch", is_inner),
    _hook("clear_grad", "{a}.grad = None", "grads", is_leaf),
    _hook("set_grad", "{a}.grad = weights({a})", "grads", is_leaf),
    _hook("zero_grad", "cleared({a})", "grads", is_leaf),
]
