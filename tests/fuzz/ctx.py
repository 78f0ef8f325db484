"""Lines of Functions that use all of a ctx, of saved tensors kept elsewhere, of further hooks."""

from typing import Any

from fuzz.computing import PLAIN
from fuzz.known import is_fused
from fuzz.lines import LineMaker, indented, is_inner, is_leaf, is_real, line, requires_grad
from fuzz.program import Step

__all__ = ["CTX"]


def _is_written(x: Any) -> bool:
    return is_real(x) and is_inner(x)


def _has_parts(x: Any) -> bool:
    return is_real(x) and x.dim() > 0 and x.shape[0] > 1


BLOCKS = [
    "lib.autograd.graph.save_on_cpu()",
    "elsewhere('{name}')",
    "doubled()",
    "elsewhere('{name}'), doubled()",
    "lib.autograd.graph.disable_saved_tensors_hooks('not here')",
    "lib.enable_grad()",
    "lib.set_grad_enabled(False)",
    "lib.inference_mode()",
    "lib.inference_mode(False)",
    "writing()",
    "lib.autograd.detect_anomaly(check_nan=False)",
    "lib.no_grad(), lib.enable_grad()",
    "lib.autograd.graph.allow_mutation_on_saved_tensors()",
]


def _inside(block: str) -> LineMaker:
    """Any line that computes, inside a block."""

    def build(g: Any) -> Step | None:
        step = g.rng.choice([*PLAIN, *FUNCTIONS]).build(g)
        if "forward" in g.features:
            return None  # what a tangent saves is each library's own
        if step is None or is_fused(step.op) or "index" in step.op or "scatter" in step.op:
            return None
        name = block.partition("(")[0].rpartition(".")[2]
        return indented(step, block.format(name=f"{name}{len(g.steps)}"), block, "ctx")

    return LineMaker(block, "ctx", build)


def _raw(g: Any) -> Step | None:
    """Hooks on one tensor that a node has saved."""
    a, fields = _saved_by(g, "_raw_saved_")
    if not fields:
        return None
    hooks = "register_hooks(lambda x: x * 2, lambda x: x / 2)"
    return Step("raw_saved", "ctx", f"{a}.grad_fn.{g.rng.choice(fields)}.{hooks}", (), (a,))


def _saved(g: Any) -> Step | None:
    """What a node has saved."""
    a, fields = _saved_by(g, "_saved_")
    if not fields:
        return None
    out = g.name()
    line = f"{out} = noted({a}.grad_fn.{g.rng.choice(fields)})"
    return Step("saved", "ctx", line, (out,), (a,))


def _saved_by(g: Any, prefix: str) -> tuple[Any, list[str]]:
    """A value, and which of its operands and result its node has saved."""
    a = g.pick(lambda x: is_inner(x) and "Linear" not in x.grad_fn.name())
    fields = [prefix + word for word in ("self", "other", "result")]
    is_other = a is None or a in g.tainted  # its node is another one in PyTorch
    return a, [] if is_other else [f for f in fields if hasattr(g.of(a).grad_fn, f)]


FUNCTIONS = [
    line("middle", "Middle.apply({a}, {b})", "ctx", is_real),
    line("cube", "Cube.apply({a}, 0.25)", "ctx", is_real),
    line("pair", "Pair.apply({a}, {b})", "ctx", is_real, None, 2),
    line("once", "Once.apply({a})", "ctx", is_real),
    line("mixed", "Mixed.apply('name', {a}, [0.5, 2])", "ctx", is_real, None, 3),
    line("inner", "Inner.apply({a})", "ctx", is_real),
]

CTX = [
    *FUNCTIONS * 2,
    line("both", "Both.apply({a}, {b})", "ctx", _is_written, None, 2, True),
    line("too_many", "TooMany.apply({a})", "ctx", is_real),
    line("misshapen", "Misshapen.apply({a})", "ctx", is_real),
    line("texts", "Texts.apply({a})", "ctx", is_real),
    line("raising", "Raising.apply({a})", "ctx", is_real),
    *[_inside(block) for block in BLOCKS],
    LineMaker("raw_saved", "ctx", _raw),
    LineMaker("saved", "ctx", _saved),
    line(
        "again_with", "again_with({a}, {b}, '{name}', use_reentrant=False)", "ctx", is_real, None, 2
    ),
    line(
        "again_whole",
        "again_with({a}, {b}, '{name}', use_reentrant=False, early_stop=False)",
        "ctx",
        is_real,
        None,
        2,
    ),
    line(
        "again_sunk",
        "again_with({a}, {b}, '{name}', use_reentrant=False, "
        "context_fn=lambda: (lib.no_grad(), lib.enable_grad()))",
        "ctx",
        is_real,
        None,
        2,
    ),
    line("again_hooked", "again_hooked({a}, '{name}', use_reentrant=False)", "ctx", is_real),
    line("again_hooked", "again_hooked({a}, '{name}', use_reentrant=True)", "ctx", is_real),
    line("in_parts", "in_parts({a}, '{name}', use_reentrant=False)", "ctx", is_real),
    line("in_parts", "in_parts({a}, '{name}', use_reentrant=True)", "ctx", is_real),
    line("once_hook", "once('{name}', looked({a}))", "ctx", requires_grad, None, 0),
    line("nested_hook", "nested('{name}', looked({a}))", "ctx", requires_grad, None, 0),
    line("no_number", "looked({a}).register_hook(lambda grad: 3)", "ctx", requires_grad, None, 0),
    line(
        "wrong_shape",
        "looked({a}).register_hook(lambda grad: grad.sum())",
        "ctx",
        requires_grad,
        None,
        0,
    ),
    line(
        "raising_hook",
        "looked({a}).register_hook(lambda grad: grad.nothing)",
        "ctx",
        requires_grad,
        None,
        0,
    ),
    line(
        "half_grad",
        "looked({a}).register_hook(lambda grad: grad.float())",
        "ctx",
        requires_grad,
        None,
        0,
    ),
    line(
        "batched",
        "batched({a}, {b}, retain_graph=True, allow_unused=True)",
        "ctx",
        is_inner,
        is_leaf,
    ),
]
