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
    "{made}.zero_grad()",
    "{made}.zero_grad(set_to_none=False)",
    "{made}.eval()",
    "{made}.train()",
    "{made}.requires_grad_(False)",
    "{made}.requires_grad_(True)",
    "{made}.float()",
    "{made}.double()",
    "lib.nn.utils.clip_grad_norm_({made}.parameters(), 0.5)",
    "{made}.load_state_dict({made}.state_dict())",
    "{made}.load_state_dict({made}.state_dict(), assign=True)",
    "{made}.nothing",
    "{made}(lib.ones(9, 9))",
]


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


def _module(g: Any) -> Step:
    name = f"m{len(g.steps)}"
    return Step("make_module", "modules", f"{name} = {g.rng.choice(list(KINDS))}", (name,))


def _optimiser(g: Any) -> Step | None:
    params = [g.pick(is_leaf) for _ in range(g.rng.randint(1, 3))]
    params = list(dict.fromkeys(p for p in params if p is not None))
    if not params:
        return None
    kind = g.rng.choice(list(OPTIONS))
    name = f"o{len(g.steps)}"
    given = ", ".join(params)
    if len(params) > 1 and kind != "LBFGS" and g.rng.random() < 0.5:  # in two groups
        given = f"dict(params=[{params[0]}], lr=0.25), dict(params=[{', '.join(params[1:])}])"
    call = f"optimiser('{kind}', {given}, {g.rng.choice(OPTIONS[kind])})"
    return Step("make_optimiser", "optimisers", f"{name} = {call}", (name,), tuple(params))


def _of(make: Any, op: str, template: str) -> LineMaker:
    """A line on a `{made}` module or optimiser, and on values it takes: `{a}`, `{b}`, `{uses}`."""
    feature = "modules" if make is _module else "optimisers"

    def build(g: Any) -> Step | None:
        made = [step for step in g.steps if step.op == f"make_{feature[:-1]}"]
        if not made:
            return make(g)
        step = g.rng.choice(made)
        fits = KINDS.get(step.line.partition(" = ")[2], is_real)
        a = g.pick(lambda x: is_real(x) and x.dim() > 0 and fits(x)) if "{a}" in template else ""
        b = g.pick(is_real) if "{b}" in template else ""
        if a is None or b is None:
            return None
        name = f"{op}{len(g.steps)}"
        makes = (name,) if "{name} =" in template else ()
        text = template.format(made=step.makes[0], uses=", ".join(step.uses), a=a, b=b, name=name)
        return Step(op, feature, text, makes, (step.makes[0], *step.uses, *filter(None, (a, b))))

    return LineMaker(op, feature, build)


def _of_module(op: str, template: str) -> LineMaker:
    return _of(_module, op, template)


def _of_optimiser(op: str, template: str) -> LineMaker:
    return _of(_optimiser, op, template)


MODULES = [
    LineMaker("make_module", "modules", _module),
    *[_of_module("module", "{name} = {made}({a})")] * 4,
    *[_of_module("module_hook", f"{{name}} = module_hook({{made}}, {hook})") for hook in HOOKS],
    *[_of_module("module_deed", deed) for deed in DEEDS],
    _of_module("parameter", "{name} = next({made}.parameters())"),
    _of_module("parameter", "{name} = list({made}.parameters())[-1]"),
    _of_module("state", "{name} = next(iter({made}.state_dict().values()))"),
    _of_module("functional_call", "{name} = called_with({made}, {a}, {b})"),
]

OPTIMISERS = [
    LineMaker("make_optimiser", "optimisers", _optimiser),
    *[_of_optimiser("optimiser_step", "{made}.step()")] * 4,
    _of_optimiser("optimiser_zero", "{made}.zero_grad()"),
    _of_optimiser("optimiser_zero", "{made}.zero_grad(set_to_none=False)"),
    _of_optimiser("closed_step", "closed_step({made}, {uses})"),
    _of_optimiser("optimiser_state", "state_of({made})"),
    _of_optimiser("load_state", "{made}.load_state_dict({made}.state_dict())"),
    _of_optimiser("copied_state", "{name} = reloaded({made}, {uses})"),
]
