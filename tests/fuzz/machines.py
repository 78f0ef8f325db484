"""Lines of modules and their hooks, and of optimisers."""

from typing import Any

from fuzz.lines import LineMaker, is_leaf, is_real
from fuzz.program import Step

__all__ = ["MODULES", "OPTIMISERS"]

KINDS = {
    "settled(lib.nn.Linear(3, 3))": lambda x: x.shape[-1] == 3,
    "settled(lib.nn.Linear(3, 2, bias=False))": lambda x: x.shape[-1] == 3,
    "net()": lambda x: x.shape[-1] == 3,
    "settled(lib.nn.LayerNorm(3))": lambda x: x.shape[-1] == 3,
    "settled(lib.nn.BatchNorm1d(3))": lambda x: tuple(x.shape) == (2, 3),
    "settled(lib.nn.Dropout(0.0))": lambda x: True,
    "settled(lib.nn.PReLU())": lambda x: True,
    "settled(lib.nn.GRUCell(3, 3))": lambda x: tuple(x.shape) == (2, 3),
    "lib.nn.Sequential(lib.nn.Tanh(), lib.nn.ReLU())": lambda x: True,
    "lib.nn.utils.parametrizations.weight_norm(settled(lib.nn.Linear(3, 3)))": lambda x: (
        x.shape[-1] == 3
    ),
}
HOOKS = [
    "'register_forward_pre_hook', '{name}'",
    "'register_forward_pre_hook', '{name}', 0.5",
    "'register_forward_hook', '{name}'",
    "'register_forward_hook', '{name}', 2.0",
    "'register_forward_hook', '{name}', always_call=True",
    "'register_forward_hook', '{name}', prepend=True",
    "'register_full_backward_hook', '{name}'",
    "'register_full_backward_hook', '{name}', 0.5",
    "'register_full_backward_hook', '{name}', prepend=True",
    "'register_full_backward_pre_hook', '{name}'",
    "'register_full_backward_pre_hook', '{name}', 2.0",
]
DEEDS = [
    "{m}.zero_grad()",
    "{m}.zero_grad(set_to_none=False)",
    "{m}.eval()",
    "{m}.train()",
    "{m}.requires_grad_(False)",
    "{m}.requires_grad_(True)",
    "{m}.float()",
    "{m}.double()",
    "lib.nn.utils.clip_grad_norm_({m}.parameters(), 0.5)",
    "{m}.load_state_dict({m}.state_dict())",
    "{m}.nothing",
    "{m}(lib.ones(9, 9))",
]


def _all(g: Any, op: str) -> list[str]:
    return [step.makes[0] for step in g.steps if step.op == op]


def _module(g: Any) -> Step:
    name = f"m{len(g.steps)}"
    return Step("make_module", "modules", f"{name} = {g.rng.choice(list(KINDS))}", (name,))


def _of_module(op: str, template: str, feature: str = "modules") -> LineMaker:
    """A line on a module, and on a value it takes."""

    def build(g: Any) -> Step | None:
        modules = _all(g, "make_module")
        if not modules:
            return _module(g)
        m = g.rng.choice(modules)
        made = next(step.line.partition(" = ")[2] for step in g.steps if m in step.makes)
        a = g.pick(lambda x: is_real(x) and x.dim() > 0 and KINDS[made](x))
        b = g.pick(is_real)
        if ("{a}" in template and a is None) or ("{b}" in template and b is None):
            return None
        name = f"{op}{len(g.steps)}"
        makes = () if "{out}" not in template and "{name} =" not in template else (name,)
        text = template.format(m=m, a=a, b=b, out=name, name=name)
        used = (m, *[value for value in (a, b) if value is not None and value in text])
        return Step(op, feature, text, makes, used)

    return LineMaker(op, feature, build)


OPTIONS = {
    "SGD": [
        "lr=0.1",
        "lr=0.1, momentum=0.9",
        "lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.1",
        "lr=0.1, maximize=True",
        "lr=0.1, foreach=True",
        "lr=-1.0",
    ],
    "Adam": [
        "lr=0.1",
        "lr=0.1, amsgrad=True",
        "lr=0.1, weight_decay=0.1, foreach=True",
        "betas=(2, 0)",
    ],
    "AdamW": ["lr=0.1", "lr=0.1, maximize=True"],
    "RMSprop": ["lr=0.1", "lr=0.1, centered=True, momentum=0.5"],
    "Adagrad": ["lr=0.1", "lr=0.1, lr_decay=0.5"],
    "Adadelta": ["lr=0.1"],
    "Adamax": ["lr=0.1"],
    "NAdam": ["lr=0.1"],
    "RAdam": ["lr=0.1"],
    "ASGD": ["lr=0.1"],
    "Rprop": ["lr=0.1"],
    "LBFGS": ["lr=0.1, max_iter=2"],
}


def _optimiser(g: Any) -> Step | None:
    params = [g.pick(is_leaf) for _ in range(g.rng.randint(1, 3))]
    params = list(dict.fromkeys(p for p in params if p is not None))
    if not params:
        return None
    kind = g.rng.choice(list(OPTIONS))
    name = f"o{len(g.steps)}"
    call = f"optimiser('{kind}', {', '.join(params)}, {g.rng.choice(OPTIONS[kind])})"
    return Step("make_optimiser", "optimisers", f"{name} = {call}", (name,), tuple(params))


def _of_optimiser(op: str, template: str) -> LineMaker:
    def build(g: Any) -> Step | None:
        made = [step for step in g.steps if step.op == "make_optimiser"]
        if not made:
            return _optimiser(g)
        step = g.rng.choice(made)
        text = template.format(o=step.makes[0], params=", ".join(step.uses))
        return Step(op, "optimisers", text, (), (step.makes[0], *step.uses))

    return LineMaker(op, "optimisers", build)


MODULES = [
    LineMaker("make_module", "modules", _module),
    *[_of_module("module", "{out} = {m}({a})")] * 4,
    *[_of_module("module_hook", f"{{name}} = module_hook({{m}}, {hook})") for hook in HOOKS],
    *[_of_module("module_deed", deed) for deed in DEEDS],
    _of_module("parameter", "{out} = next({m}.parameters())"),
    _of_module("parameter", "{out} = list({m}.parameters())[-1]"),
    _of_module("state", "{out} = next(iter({m}.state_dict().values()))"),
    _of_module("functional_call", "{out} = called_with({m}, {a}, {b})"),
]

OPTIMISERS = [
    LineMaker("make_optimiser", "optimisers", _optimiser),
    *[_of_optimiser("optimiser_step", "{o}.step()")] * 4,
    _of_optimiser("optimiser_zero", "{o}.zero_grad()"),
    _of_optimiser("optimiser_zero", "{o}.zero_grad(set_to_none=False)"),
    _of_optimiser("closed_step", "closed_step({o}, {params})"),
    _of_optimiser("optimiser_state", "state_of({o})"),
    _of_optimiser("load_state", "{o}.load_state_dict({o}.state_dict())"),
]
