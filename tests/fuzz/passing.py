"""Lines that run a backward pass."""

from typing import Any

from fuzz.known import is_fused
from fuzz.lines import LineMaker, indented, is_inner
from fuzz.program import Step

__all__ = ["PASSES", "PASSES_IN_MODES"]


def _roots(g: Any, most: int = 3) -> list[str]:
    """One or more values that require grad, at times the same twice."""
    found = [g.pick(is_inner) for _ in range(g.rng.choice((1, 1, 2, 3)))]
    roots = [name for name in found[:most] if name is not None]
    if len(roots) == 1 and any(step.feature == "multi_hooks" for step in g.steps):
        return roots * 2  # PyTorch's hooks on several tensors do not count the node of a sole root
    return roots


def _below(g: Any, roots: list[str], most: int) -> list[str]:
    """Some values that the roots were computed from."""
    node_of, behind = g.player.names["node_of"], g.player.names["behind"]
    nodes = set(behind(*[g.of(name) for name in roots]))
    count = g.rng.randint(1, most)
    found = [g.pick(lambda x: x.requires_grad and node_of(x) in nodes) for _ in range(count)]
    return [name for name in found if name is not None]


def _listed(names: list[str], call: str = "{}") -> str:
    return f"[{', '.join(call.format(name) for name in names)}]"


def _backward(op: str, extra: str = "", feature: str = "backward") -> LineMaker:
    limited = "{inputs}" in extra
    edge = "edge({})" if feature == "edges" else "{}"

    def build(g: Any) -> Step | None:
        roots = _roots(g, 1 if limited else 3)
        if not roots:
            return None
        inputs = _below(g, roots, 2) if limited else []
        if any(g.of(name).output_nr for name in inputs):
            return None  # PyTorch keeps their gradients then: see `_may_retain`
        options = extra.format(inputs=_listed(inputs, g.rng.choice(("{}", edge))))
        seeds = _listed(roots, "weights({})")
        line = f"lib.autograd.backward({_listed(roots, edge)}, {seeds}{options})"
        return Step(op, feature, line, (), (*roots, *inputs), tuple(roots))

    return LineMaker(op, feature, build)


def _grad(op: str, feature: str, extra: str) -> LineMaker:
    edge = "edge({})" if feature == "edges" else "{}"

    def build(g: Any) -> Step | None:
        roots = _roots(g, 2)
        if not roots:
            return None
        inputs = _below(g, roots[:1], 3)
        out = g.name()
        from_, to = _listed(roots, g.rng.choice(("{}", edge))), _listed(inputs, edge)
        line = f"{out} = lib.autograd.grad({from_}, {to}, {_listed(roots, 'weights({})')}{extra})"
        return Step(op, feature, line, (out,), (*roots, *inputs), tuple(roots))

    return LineMaker(op, feature, build)


def _has_kinks(g: Any) -> bool:
    """Whether PyTorch's gradients may depend on more, by zero: abs, gradients themselves."""
    return any(word in step.line for step in g.steps for word in ("abs", ".contiguous()"))


def _second(g: Any) -> Step | None:
    """Differentiate the gradients themselves."""
    roots = _roots(g, 1)
    if not roots or _has_kinks(g):
        return None
    wanted = _below(g, roots, 1)[0]
    out = g.name()
    line = f"{out} = twice({_listed(roots)}, {wanted}, {_listed(roots, 'weights({})')})"
    return Step("grad_of_grad", "create_graph", line, (out,), (*roots, wanted), tuple(roots))


def _recorded(g: Any) -> Step | None:
    """Gradients that the program goes on computing with."""
    roots = _roots(g, 1)
    if not roots or _has_kinks(g):
        return None
    inputs = _below(g, roots, 2)
    outs = [g.name() for _ in inputs]
    seeds = _listed(roots, "weights({})")
    call = f"lib.autograd.grad({_listed(roots)}, {_listed(inputs)}, {seeds}, create_graph=True)"
    line = f"{', '.join(outs)}, = [(grad * 1.0).contiguous() for grad in {call}]"
    return Step("recorded_grad", "create_graph", line, tuple(outs), (*roots, *inputs), tuple(roots))


def _inside(block: str) -> LineMaker:
    """Any of the passes, inside a block."""

    def build(g: Any) -> Step | None:
        step = g.rng.choice(PASSES).build(g)
        if step is None or is_fused(step.op):
            return None
        return indented(step, block, block, "pass_modes")

    return LineMaker(block, "pass_modes", build)


PASSES = [
    _backward("backward"),
    _backward("backward"),
    _backward("backward_kept", ", retain_graph=True"),
    _backward("backward_inputs", ", retain_graph=True, inputs={inputs}"),
    _backward("backward_recorded", ", create_graph=True", "create_graph"),
    _backward("backward_edges", ", retain_graph=True", "edges"),
    _backward("backward_inputs_edges", ", retain_graph=True, inputs={inputs}", "edges"),
    _grad("grad", "grad", ", allow_unused=True"),
    _grad("grad_kept", "grad", ", retain_graph=True, allow_unused=True"),
    _grad("grad_strict", "grad", ", retain_graph=True"),
    _grad("grad_zeros", "grad", ", retain_graph=True, materialize_grads=True"),
    _grad("grad_edges", "edges", ", retain_graph=True, allow_unused=True"),
    LineMaker("grad_of_grad", "create_graph", _second),
    LineMaker("recorded_grad", "create_graph", _recorded),
]

PASSES_IN_MODES = [
    _inside("lib.autograd.detect_anomaly(check_nan=False)"),
    _inside("lib.autograd.set_multithreading_enabled(False)"),
    _inside("lib.no_grad()"),
]
