"""`Optimizer`: parameters in groups, what is remembered of each, and one step for all of them.

    group = {"params": [w, b], "lr": 0.1, …}     options, shared by the parameters of a group
    state[w] = {"exp_avg": …}                    what an algorithm remembers of one parameter

A subclass says what one step does to one parameter (`update`); the loop is here.
"""

import copy
import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from glassgrad.autograd.grad_mode import enable_grad, no_grad
from glassgrad.autograd.gradients import clear_gradients
from glassgrad.core.errors import ArgumentError, ArgumentTypeError, MissingRuleError
from glassgrad.core.tensor import Tensor
from glassgrad.ops._arguments import check_type

Group = dict[str, Any]
Params = Iterable[Tensor] | Iterable[Group]
State = dict[str, Any]


class Optimizer:
    """The base of all optimisers.

    Args:
        params: tensors to move, or groups: dicts with `params` and options of their own.
        defaults: the options of groups that do not say otherwise.

    Attributes:
        param_groups: the groups, each with all its options; change `group["lr"]` at any time.
        state: what is remembered of each parameter.

    Raises:
        ArgumentError: for no parameters, a tensor that is no leaf, or one in two groups.
        ArgumentTypeError: for anything but tensors.

    Example:
        >>> class SignDescent(Optimizer):
        ...     def __init__(self, params, lr):
        ...         super().__init__(params, {"lr": lr})
        ...
        ...     def update(self, param, grad, group, state):
        ...         param -= group["lr"] * grad / grad.abs()
        >>> x = tensor(3.0, requires_grad=True)
        >>> (x * x).backward()
        >>> SignDescent([x], lr=0.5).step()
        >>> x.item()
        2.5
    """

    def __init__(self, params: Params, defaults: Mapping[str, Any]) -> None:
        self.defaults = dict(defaults)
        self.state: defaultdict[Tensor, State] = defaultdict(dict)
        self.param_groups: list[Group] = []
        entries = _listed(params, what="params argument given to the optimizer")
        if not entries:
            raise ArgumentError(
                "optimizer got an empty parameter list. It would move nothing. "
                "Pass `model.parameters()` of a model that has some."
            )
        groups = entries if isinstance(entries[0], dict) else [{"params": entries}]
        for group in groups:
            self.add_param_group(group)

    def add_param_group(self, param_group: Group) -> None:
        """Add parameters with options of their own: `{"params": […], "lr": 0.01}`."""
        if not isinstance(param_group, dict):
            raise ArgumentTypeError(
                f"param_group must be a dict, but got {type(param_group)}. "
                'It needs names for its options. Write {"params": […], "lr": …}.'
            )
        params = param_group.get("params", ())
        params = [params] if isinstance(params, Tensor) else _listed(params, what="params")
        taken = {id(p) for p in _params_of(self.param_groups)}
        for param in params:
            _require_optimizable(param)
            if id(param) in taken:
                raise ArgumentError(
                    "some parameters appear in more than one parameter group (or twice in one): "
                    f"a tensor of shape {tuple(param.shape)}. It would move twice in a step. "
                    "Name each parameter once."
                )
            taken.add(id(param))
        self.param_groups.append({**self.defaults, **param_group, "params": params})

    def update(self, param: Tensor, grad: Tensor, group: Group, state: State) -> None:
        """Move `param` in place by one step; called inside `no_grad()`.

        Args:
            param: of any shape `S`.
            grad: its gradient, of shape `S`; not to be changed.
            group: the options.
            state: empty at first; what is put here is there at the next step.
        """
        raise MissingRuleError(
            f"{type(self).__name__} is missing the method `update`. "
            "It says what one step does to one parameter. "
            "Write `def update(self, param, grad, group, state): …`, or override `step`."
        )

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Move every parameter that has a gradient.

        Args:
            closure: computes the loss anew, with gradients; called before the step.

        Returns:
            What the closure returned, else None.
        """
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with no_grad():
            for group in self.param_groups:
                for param in group["params"]:
                    if param.grad is not None:
                        self.update(param, param.grad, group, self.state[param])
        return loss

    def zero_grad(self, *, set_to_none: bool = True) -> None:
        """Forget the gradients, or fill them with zeros."""
        clear_gradients(_params_of(self.param_groups), set_to_none=set_to_none)

    def state_dict(self) -> State:
        """What must be saved to go on later: state and options, parameters by number."""
        number = {id(param): nr for nr, param in enumerate(_params_of(self.param_groups))}
        groups = [
            {**group, "params": [number[id(p)] for p in group["params"]]}
            for group in self.param_groups
        ]
        state = {number[id(param)]: kept for param, kept in self.state.items() if kept}
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Go on from what `state_dict` returned, here or in an equal optimiser.

        Raises:
            ArgumentError: if the groups have other sizes; nothing has been changed then.
            ArgumentTypeError: if it is no such state.
        """
        given: Any = state_dict
        if not isinstance(given, Mapping) or not {"state", "param_groups"} <= set(given):
            raise ArgumentTypeError(
                f"the state of an optimiser cannot be read from a {type(state_dict).__name__} "
                "without 'state' and 'param_groups'. Both are needed to go on. "
                "Pass what `optimizer.state_dict()` returned."
            )
        saved = state_dict["param_groups"]
        if len(saved) != len(self.param_groups):
            raise ArgumentError(
                "loaded state dict has a different number of parameter groups: "
                f"{len(saved)}, here {len(self.param_groups)}. They are matched by position. "
                "Build this optimiser like the one that was saved."
            )
        for theirs, ours in zip(saved, self.param_groups, strict=True):
            if len(theirs["params"]) != len(ours["params"]):
                raise ArgumentError(
                    "loaded state dict contains a parameter group that doesn't match the size of "
                    f"optimizer's group: {len(theirs['params'])} parameters, here "
                    f"{len(ours['params'])}. They are matched by position. "
                    "Build this optimiser like the one that was saved."
                )
        params = dict(zip(_params_of(saved), _params_of(self.param_groups), strict=True))
        self.state = defaultdict(dict)
        for number, kept in state_dict["state"].items():
            param = params[number]
            self.state[param] = {key: _adapted(key, value, param) for key, value in kept.items()}
        for theirs, ours in zip(saved, self.param_groups, strict=True):
            ours.update(
                (key, copy.deepcopy(value)) for key, value in theirs.items() if key != "params"
            )

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {number}")
            options = sorted(key for key in group if key != "params")
            lines += [f"    {key}: {group[key]}" for key in options]
        return "\n".join([*lines, ")"])


def _params_of(groups: Iterable[Group]) -> list[Any]:
    """The parameters of all groups, or their numbers in those of a saved state."""
    return list(itertools.chain.from_iterable(group["params"] for group in groups))


def require_at_least_zero(value: float, what: str) -> None:
    """Raise for a negative option, such as a learning rate."""
    why = "It scales how far a step goes. Write a number, such as 0.01."
    check_type(f"Invalid {what}: {value!r} must be a number", value, int | float | Tensor, why)
    if not value >= 0.0:
        raise ArgumentError(
            f"Invalid {what}: {value}. It scales how far a step goes, and nan or less than 0 "
            "would undo the descent. Write a number from 0 up; to climb, maximize=True."
        )


def _listed(params: Any, *, what: str) -> list[Any]:
    if isinstance(params, Tensor) or not isinstance(params, Iterable):
        kind = "a Tensor" if isinstance(params, Tensor) else type(params).__name__
        raise ArgumentTypeError(
            f"{what} should be an iterable of Tensors or dicts, but got {kind}. "
            "Each element is one parameter. Write `[tensor]` or `model.parameters()`."
        )
    if isinstance(params, (set, frozenset)):
        raise ArgumentTypeError(
            "optimizer parameters need to be organized in ordered collections, but the ordering "
            "of tensors in sets will change between runs. Please use a list instead."
        )
    return [params] if isinstance(params, dict) else list(params)


def _require_optimizable(param: object) -> None:
    if not isinstance(param, Tensor):
        raise ArgumentTypeError(
            f"optimizer can only optimize Tensors, but one of the params is {type(param).__name__}"
            ". A step writes into them. Pass tensors, such as `model.parameters()`."
        )
    if not param.is_leaf:
        raise ArgumentError(
            f"can't optimize a non-leaf Tensor (shape {tuple(param.shape)}, made by "
            f"{param.grad_fn.name()}). It is computed from others, which are what to move. "
            "Pass those, or `tensor.detach().requires_grad_()`."
        )


def _adapted(key: str, value: Any, param: Tensor) -> Any:
    """A copy of a remembered value that fits `param`."""
    if not isinstance(value, Tensor):
        return copy.deepcopy(value)
    if key == "step":  # a count: its precision is not the parameter's
        return value.detach().clone()
    return value.detach().clone().to(dtype=param.dtype, device=param.device)
