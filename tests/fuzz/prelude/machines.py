"""Modules and optimisers."""

from typing import Any


def settled(module: Any) -> Any:
    """The same numbers in both libraries, as float64."""
    module.double()
    with lib.no_grad():
        for number, p in enumerate(module.parameters()):
            p.copy_(weights(p) * 0.5 - 0.125 * number)
    return module


def net() -> Any:
    """Three layers with what they share: one weight, twice."""
    nn = lib.nn
    first, last = nn.Linear(3, 3), nn.Linear(3, 3)
    last.weight = first.weight
    return settled(nn.Sequential(first, nn.Tanh(), last))


def module_hook(
    module: Any, kind: str, name: str, factor: float | None = None, **options: Any
) -> Any:
    """A hook on a module, which notes what it gets and may change it."""

    def hook(module: Any, *args: Any) -> Any:
        log.append((name, None, [seen(arg) for arg in args]))
        last = args[-1] if "pre" not in kind else args[0]
        last = args[0] if kind == "register_full_backward_hook" else last
        return None if factor is None else scaled(last, factor)

    return getattr(module, kind)(hook, **options)


def called_with(module: Any, x: Any, y: Any) -> Any:
    """The module with another first parameter, computed of `y`."""
    name, p = next(iter(module.named_parameters()))
    return lib.func.functional_call(module, {name: p * y.sum()}, (x,))


def optimiser(kind: str, *params: Any, **options: Any) -> Any:
    """An optimiser whose steps are noted."""
    made = getattr(lib.optim, kind)(list(params), **options)
    made.register_step_pre_hook(lambda *_: log.append((kind, None, "steps")))
    return made


def reloaded(made: Any, *params: Any) -> None:
    """Go on with what another optimiser of the same parameters remembers, after a step of it."""
    other = type(made)([{"params": group["params"]} for group in made.param_groups], lr=0.5)
    other.load_state_dict(made.state_dict())
    other.step(lambda: sum((p * p).sum() for p in params))
    made.load_state_dict(other.state_dict())


def closed_step(made: Any, *params: Any) -> Any:
    """A step with a closure."""

    def closure() -> Any:
        made.zero_grad()
        loss = sum((p * p).sum() for p in params)
        loss.backward()
        return loss

    return made.step(closure)


def state_of(made: Any) -> None:
    """Note what an optimiser remembers."""
    state = made.state_dict()["state"]
    for number in sorted(state):
        for name in sorted(state[number]):
            value = state[number][name]
            if isinstance(value, (int, float)):
                value = lib.tensor(float(value))  # a tensor or a number in PyTorch, by its value
            if isinstance(value, lib.Tensor):
                log.append((f"{number} {name}", None, value.detach().double().tolist()))
