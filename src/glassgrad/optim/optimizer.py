"""`Optimizer`: parameters in groups, what is remembered of each, and one step for all of them.

    group = {"params": [w, b], "lr": 0.1, …}     options, shared by the parameters of a group
    state[w] = {"exp_avg": …}                    what an algorithm remembers of one parameter

A subclass says what one step does to one parameter (`update`); the loop is here.

# Note [A step on arrays]
# `update` computes with the arrays of a parameter and its gradient, in place: nothing is recorded,
# and a step costs what NumPy does. A complex parameter is shown as real numbers, in pairs. With
# `differentiable=True` the same lines get the tensors themselves, and record.
"""

import copy
import functools
import importlib
import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, InitVar, dataclass
from typing import Any, ClassVar, TypeVar, dataclass_transform

import numpy as np

from glassgrad import ops
from glassgrad._words import printable
from glassgrad.autograd.gradients import clear_gradients
from glassgrad.core import errors
from glassgrad.core import state as modes
from glassgrad.core.primitive import silently
from glassgrad.core.state import Func, Names, about_to_write, setting
from glassgrad.core.tensor import Tensor
from glassgrad.hooks.on_gradients import Hooks, RemovableHandle, add_hook
from glassgrad.memory.calls import warn
from glassgrad.ops import _checks as check
from glassgrad.ops.creation import tensor
from glassgrad.values.layers import Layer

T = TypeVar("T")

Group = dict[str, Any]
Named = tuple[str, Tensor]
Params = Iterable[Tensor] | Iterable[Group] | Iterable[Named]
ParamsT = params_t = Params  # PyTorch's names


class _RequiredParameter:
    """What stands in the defaults of an optimiser for an option that each group has to have."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _RequiredParameter()


def _group_tensors_by_device_and_dtype(
    tensorlistlist: Sequence[Sequence[Any]], with_indices: bool = False
) -> dict[Any, Any]:
    """Lists of tensors by what the first list's are: what `foreach` of a program's optimiser asks.

    Args:
        tensorlistlist: lists of one length; the first has no None.
        with_indices: whether to tell where in the lists the tensors stood.
    """
    groups: dict[Any, Any] = {}
    for nr, row in enumerate(zip(*tensorlistlist, strict=True)):
        lists, places = groups.setdefault((row[0].device, row[0].dtype), ([[] for _ in row], []))
        for found, each in zip(lists, row, strict=True):
            found.append(each)
        places += [nr] if with_indices else []
    return groups


def _use_grad_for_differentiable(step: Func) -> Func:
    """The decorator of `step` in programs' optimisers: it records only if they are differentiable.

    See also: Note [A step on arrays], for how our own steps do so.
    """

    @functools.wraps(step)
    def stepping(self: "Optimizer", *args: Any, **kwargs: Any) -> Any:
        with setting(grad=bool(self.defaults["differentiable"])):
            return step(self, *args, **kwargs)

    return stepping


def _get_value(x: Any) -> Any:
    """The number in a tensor, or the number."""
    return x.item() if isinstance(x, Tensor) else x


def _options_of(group: Group) -> Group:
    return {name: value for name, value in group.items() if name != "params"}


def _check(options: Group, not_negative: Names) -> None:
    """Raise for options of an optimiser that make no sense.

    Raises:
        ArgumentError: for an option out of its bounds.
        ArgumentTypeError: for an option that is no number.
        GraphError: for two ways of computing at once.
    """
    for name, value in options.items():
        if name in not_negative:
            require_not_negative(name, value)
    if "betas" in options:
        _require_betas(options["betas"])
    for other in ("differentiable", "foreach"):
        if options.get("fused") and options.get(other):
            said = "does not support" if other == "differentiable" else "cannot be True with"
            raise errors.GraphError(
                f"`fused` {said} `{other}`: `fused` and `{other}` cannot be `True` together. "
                "Each is another way to compute the same step. Leave `fused` out."
            )


@dataclass(slots=True)
class State:
    """What an optimiser remembers of one parameter, as `update` computes with it.

    Attributes:
        param: the parameter.
        kept: its entry in `optimizer.state`: tensors, by name.
        on_arrays: whether it is shown as arrays (see Note [A step on arrays]).
    """

    param: Tensor
    kept: dict[str, Any]
    _: KW_ONLY
    on_arrays: bool

    def buffer(self, name: str, fill: float = 0.0, shape: Sequence[int] | None = None) -> Any:
        """Numbers to be changed in place; at first all are `fill`.

        Args:
            shape: None: the parameter's.
        """
        kept = self.kept.get(name)
        if kept is not None and not self.on_arrays:  # the steps before may have saved it
            kept = self.kept[name] = kept.clone()
        if kept is not None:
            return self.values_of(kept)
        blank = ops.zeros_like(self.param) if shape is None else self.param.new_zeros(shape)
        self.kept[name] = blank.detach()
        values = self.values_of(self.kept[name])
        if fill:
            values[...] = fill
        return values

    def number(self, name: str, start: float = 0.0) -> Any:
        """One number, an array without dims to be changed in place; at first it is `start`."""
        kept = self.kept.get(name)
        if not isinstance(kept, Tensor):  # early versions of PyTorch kept a Python number
            kept = self.kept[name] = tensor(float(start if kept is None else kept))
        return kept.payload

    def count(self) -> int:
        """How many steps there have been, with the one that is being done."""
        step = self.number("step")
        step += 1
        return int(step)

    def values_of(self, tensor: Tensor) -> Any:
        """What `update` computes with: the array of `tensor`, or itself; real in any case."""
        if not self.on_arrays and tensor.is_complex():
            raise errors.DTypeError(
                f"a step with differentiable=True takes real parameters, got {tensor.dtype}. The "
                "rules are written for real numbers. Keep both parts as two parameters."
            )
        if not self.on_arrays:
            return tensor
        array = tensor.payload
        return array[..., None].view(array.real.dtype) if array.dtype.kind == "c" else array


def require_real(optimizer: "Optimizer") -> None:
    """Raise for complex parameters, of which the rules of some optimisers know nothing."""
    for param in _params_of(optimizer.param_groups):
        if param.is_complex():
            name = type(optimizer).__name__
            raise errors.DTypeError(
                f"{name} does not support complex parameters, got one of {param.dtype}. Its rules "
                "are written for real numbers. Keep both parts as two parameters."
            )


def decayed(x: Any, grad: Any, group: Group) -> Any:
    """The gradient with weight decay; where it is decoupled, `x` shrinks by itself instead."""
    decay = group["weight_decay"]
    if decay == 0:
        return grad
    if group.get("decoupled_weight_decay"):
        x *= 1 - group["lr"] * decay
        return grad
    return grad + decay * x


def _with_hooks(step: Func) -> Func:
    """`step` with the hooks around it, unless it is called by the `step` of a subclass."""

    @check.briefly
    @functools.wraps(step)
    def hooked(self: "Optimizer", *args: Any, **kwargs: Any) -> Any:
        if type(self).step is not hooked or "_hooks" not in vars(self):
            return step(self, *args, **kwargs)  # a subclass need not call our `__init__`
        if self._opt_called is not None:
            self._opt_called = True
        given = (self, *args)
        for hook in (*global_hooks["step_pre"].values(), *self._hooks["step_pre"].values()):
            result = hook(self, given, kwargs)
            if result is None:
                continue
            if not isinstance(result, tuple) or len(result) != 2:
                raise errors.GraphError(
                    f"{step.__qualname__} must return None or a tuple of (new_args, new_kwargs), "
                    f"but got {result}: that is what a hook before a step may return. "
                    "Return None to leave the arguments."
                )
            given, kwargs = result
        out = step(*given, **kwargs)
        for hook in (*self._hooks["step_post"].values(), *global_hooks["step_post"].values()):
            hook(self, given, kwargs)
        return out

    return hooked


global_hooks = {"step_pre": Hooks(), "step_post": Hooks()}


def register_optimizer_step_pre_hook(hook: Func) -> RemovableHandle:
    """Call `hook(optimizer, args, kwargs)` before each step of any optimiser."""
    return add_hook(global_hooks["step_pre"], hook)


def register_optimizer_step_post_hook(hook: Func) -> RemovableHandle:
    """Call `hook(optimizer, args, kwargs)` after each step of any optimiser."""
    return add_hook(global_hooks["step_post"], hook)


class Optimizer:
    """The base of all optimisers.

    Args:
        params: tensors to move, pairs of a name and a tensor (`model.named_parameters()`), or
            groups: dicts with `params` and options of their own.
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
        ...     def update(self, x, grad, group, state):
        ...         x -= group["lr"] * grad / abs(grad)
        >>> x = tensor(3.0, requires_grad=True)
        >>> (x * x).backward()
        >>> SignDescent([x], lr=0.5).step()
        >>> x.item()
        2.5
    """

    _options: ClassVar[Names] = ()  # the names of the options that the class declares
    _order: ClassVar[Names] = ()  # which of them come first in PyTorch's groups, if others do there
    # The options that are numbers from 0 up.
    _not_negative: ClassVar[Names] = ("lr", "momentum", "momentum_decay", "weight_decay", "eps")
    _opt_called: bool | None = None  # whether `step` was called since a scheduler asked; None: none

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "step" in vars(cls):
            cls.step = _with_hooks(cls.step)  # type: ignore[method-assign]

    @check.briefly
    def __init__(self, params: Params, defaults: Mapping[str, Any]) -> None:
        self.defaults = dict(defaults)
        self._hooks: defaultdict[str, Hooks] = defaultdict(Hooks)
        self.state: defaultdict[Tensor, Any] = defaultdict(dict)
        self.param_groups: list[Group] = []
        entries = _listed(params, what="params argument given to the optimizer")
        if not entries:
            leaves = importlib.import_module("glassgrad.reasons.leaves")
            raise errors.ArgumentError(
                "optimizer got an empty parameter list. It would move nothing. "
                f"{leaves.unlisted()}, or pass `model.parameters()` of a model that has some."
            )
        groups = entries if isinstance(entries[0], dict) else [{"params": entries}]
        for group in groups:
            self.add_param_group(group)

    @check.briefly
    def __post_init__(self, params: Params, *given: Any) -> None:
        """Begin with the options that a class declares (see `with_options`)."""
        options = dict(zip(self._options, given, strict=True))
        options = {**dict.fromkeys(self._order), **options}
        _check(options, self._not_negative)
        Optimizer.__init__(self, params, self._completed(options))

    def _completed(self, options: Group) -> Group:
        """The options that were given, with what follows of them; raises for what cannot be."""
        return options

    def __getstate__(self) -> dict[str, Any]:
        kept = ("defaults", "state", "param_groups")  # hooks stay behind
        return {name: vars(self)[name] for name in kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._hooks = defaultdict(Hooks)

    def add_param_group(self, param_group: Group) -> None:
        """Add parameters with options of their own: `{"params": […], "lr": 0.01}`."""
        why = 'It needs names for its options. Write {"params": […], "lr": …}.'
        check.kind("param_group must be a dict, but got", param_group, dict, why)
        if "params" not in param_group:
            error = KeyError("params")
            error.add_note(
                f"A group has parameters, and this one has only {list(param_group)}. "
                "Write {'params': model.parameters(), …}."
            )
            raise error
        params = param_group["params"]
        params = [params] if isinstance(params, Tensor) else _listed(params, what="params")
        names = [param[0] for param in params if isinstance(param, tuple)]
        if names and len(names) < len(params):
            raise errors.ArgumentError(
                "all optimizer params should be with/without names. Some param names are missing: "
                f"{len(names)} names for {len(params)} parameters. "
                "Pass `model.named_parameters()`, or `model.parameters()`."
            )
        params = [param[1] if isinstance(param, tuple) else param for param in params]
        group = {**param_group, "params": params}
        group |= {name: value for name, value in self.defaults.items() if name not in group}
        for name, value in group.items():
            if value is required:
                raise errors.ArgumentError(
                    "parameter group didn't specify a value of required optimization parameter "
                    f"{name}. Its optimiser has no default. Write {{'params': …, {name!r}: …}}."
                )
        if names:
            group["param_names"] = names
        if any(("param_names" in group) != ("param_names" in other) for other in self.param_groups):
            mine = "with names" if names else "without names"
            raise errors.ArgumentError(
                "all optimizer param groups should be with/without names. cannot add param group "
                f"{mine} to the optimizer. Name the parameters of all groups, or of none."
            )
        taken = {id(p) for p in _params_of(self.param_groups)}
        for param in params:
            _require_optimizable(param, may_be_computed=bool(group.get("differentiable")))
            if id(param) in taken:
                raise errors.ArgumentError(
                    "some parameters appear in more than one parameter group: a tensor of shape "
                    f"{tuple(param.shape)}. It would move twice in a step. Name each parameter "
                    "once."
                )
        if len({id(param) for param in params}) < len(params):
            warn(
                "optimizer contains a parameter group with duplicate parameters: they move twice "
                "in a step. In future, this will cause an error. Name each parameter once."
            )
        self.param_groups.append(group)

    def _patch_step_function(self) -> None:
        """Nothing: what PyTorch does here to `step`, our `__init_subclass__` has done."""

    def update(self, x: Any, grad: Any, group: Group, state: State) -> None:
        """Move `x` in place by one step.

        Args:
            x: the values of a parameter of shape `S`: an array (see Note [A step on arrays]).
            grad: its gradient, of shape `S`; not to be changed. With `maximize` its sign is
                turned already.
            group: the options.
            state: what is remembered: `state.buffer("exp_avg")` is an array of shape `S`, zeros at
                first; `state.count()` the number of this step.
        """
        raise errors.MissingRuleError(
            f"{type(self).__name__} is missing the method `update`. "
            "It says what one step does to one parameter. "
            "Write `def update(self, x, grad, group, state): …`, or override `step`."
        )

    @_with_hooks
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Move every parameter that has a gradient.

        Args:
            closure: computes the loss anew, with gradients; called before the step.

        Returns:
            What the closure returned, else None.
        """
        loss = None
        if closure is not None:
            with setting(grad=True):
                loss = closure()
        is_recorded = bool(self.defaults.get("differentiable"))
        with setting(grad=is_recorded):
            silently(self._update_groups)
        return loss

    def _update_groups(self) -> None:
        for group in self.param_groups:
            self._update_group(group)

    def _update_group(self, group: Group) -> None:
        on_tensors = group.get("differentiable")
        options = group if on_tensors else _with_plain_numbers(group)
        for param in group["params"]:
            if param.grad is None:
                continue
            if group.get("capturable"):
                raise errors.ExpectationError(
                    "If capturable=True, params and state_steps must be on supported devices: "
                    f"CUDA and its like, got {param.device}. Nothing is captured there. "
                    "Leave capturable out."
                )
            on_arrays = not on_tensors and not isinstance(param.payload, Layer)
            own = State(param, self.state[param], on_arrays=on_arrays)
            if on_arrays and modes.before_write:
                about_to_write(param)
            grad = own.values_of(param.grad)
            grad = -grad if group.get("maximize") else grad
            self.update(own.values_of(param), grad, options, own)
            if on_arrays and not param.is_inference():
                param.wrote()

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients, or fill them with zeros."""
        clear_gradients(_params_of(self.param_groups), set_to_none=set_to_none)

    def state_dict(self) -> dict[str, Any]:
        """What must be saved to go on later: state and options, parameters by number."""
        for hook in self._hooks["state_dict_pre"].values():
            hook(self)
        number = {id(param): nr for nr, param in enumerate(_params_of(self.param_groups))}
        groups = [
            {**_options_of(group), "params": [number[id(p)] for p in group["params"]]}
            for group in self.param_groups
        ]
        state = {number.get(id(key), key): kept for key, kept in self.state.items() if kept}
        saved = {"state": state, "param_groups": groups}
        for hook in self._hooks["state_dict_post"].values():
            changed = hook(self, saved)
            saved = saved if changed is None else changed
        return saved

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Go on from what `state_dict` returned, here, in an equal optimiser, or in PyTorch.

        Raises:
            ArgumentError: if the groups have other sizes; nothing has been changed then.
            ArgumentTypeError: if it is no such state.
        """
        given: Any = state_dict
        if not isinstance(given, Mapping) or not {"state", "param_groups"} <= set(given):
            raise errors.ArgumentTypeError(
                f"the state of an optimiser cannot be read from a {type(state_dict).__name__} "
                "without 'state' and 'param_groups'. Both are needed to go on. "
                "Pass what `optimizer.state_dict()` returned."
            )
        given = dict(given)
        for hook in self._hooks["load_state_dict_pre"].values():
            changed = hook(self, given)
            given = given if changed is None else changed
        saved = given["param_groups"]
        why = "They are matched by position. Build this optimiser like the one that was saved."
        said = "loaded state dict has a different number of parameter groups: {}, here {}"
        check.equal(said, len(saved), len(self.param_groups), why, errors.ArgumentError)
        said = (
            "loaded state dict contains a parameter group that doesn't match the size of "
            "optimizer's group: {} parameters, here {}"
        )
        for theirs, ours in zip(saved, self.param_groups, strict=True):
            check.equal(said, len(theirs["params"]), len(ours["params"]), why, errors.ArgumentError)
        params = dict(zip(_params_of(saved), _params_of(self.param_groups), strict=True))
        self.state = defaultdict(dict)
        for number, kept in given["state"].items():
            param = params.get(number, number)
            self.state[param] = _adapted("", kept, param) if number in params else kept
        for theirs, ours in zip(saved, self.param_groups, strict=True):
            ours.update(copy.deepcopy(_options_of(theirs)), params=ours.pop("params"))
        for hook in self._hooks["load_state_dict_post"].values():
            hook(self)

    def register_step_pre_hook(self, hook: Func) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` before a step; it may return other arguments."""
        return add_hook(self._hooks["step_pre"], hook)

    def register_step_post_hook(self, hook: Func) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` after a step."""
        return add_hook(self._hooks["step_post"], hook)

    def register_state_dict_pre_hook(self, hook: Func, prepend: bool = False) -> RemovableHandle:
        """Call `hook(optimizer)` before a state is saved."""
        return add_hook(self._hooks["state_dict_pre"], hook, first=prepend)

    def register_state_dict_post_hook(self, hook: Func, prepend: bool = False) -> RemovableHandle:
        """Call `hook(optimizer, state_dict)` with a state to be saved; it may return another."""
        return add_hook(self._hooks["state_dict_post"], hook, first=prepend)

    def register_load_state_dict_pre_hook(
        self, hook: Func, prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(optimizer, state_dict)` before a state is loaded; it may return another."""
        return add_hook(self._hooks["load_state_dict_pre"], hook, first=prepend)

    def register_load_state_dict_post_hook(
        self, hook: Func, prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(optimizer)` after a state was loaded."""
        return add_hook(self._hooks["load_state_dict_post"], hook, first=prepend)

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            options = [f"    {key}: {group[key]}" for key in sorted(_options_of(group))]
            lines += [f"Parameter Group {number}", *options, ""]
        return printable("\n".join([*lines[:-1], ")"]))


@dataclass_transform(eq_default=False)
def with_options(cls: type[T]) -> type[T]:
    """Let `cls`, a kind of Optimizer, be made with the options that it declares, as a dataclass.

    They belong to the groups of parameters: the optimiser itself has no such attributes.
    """
    made: Any = dataclass(eq=False, repr=False)(cls)
    fields = made.__dataclass_fields__.values()
    declared = [field.name for field in fields if isinstance(field.type, InitVar)]
    for name in declared[1:]:
        if name in vars(made):
            delattr(made, name)
    made._options = tuple(declared[1:])  # the first are the parameters
    return made  # type: ignore[no-any-return]  # the class


def _params_of(groups: Iterable[Group]) -> list[Any]:
    """The parameters of all groups, or their numbers in those of a saved state."""
    return list(itertools.chain.from_iterable(group["params"] for group in groups))


def _with_plain_numbers(group: Group) -> Group:
    """The options of a group; a learning rate that is a tensor becomes a number."""
    if not any(isinstance(option, Tensor) for option in group.values()):
        return group
    return {
        key: option.item() if isinstance(option, Tensor) else option
        for key, option in group.items()
    }


# Options that make no sense -----------------------------------------------------------------------


def require_not_negative(name: str, value: Any) -> None:
    """Raise for a negative option, such as a learning rate."""
    what = {"lr": "learning rate", "eps": "epsilon value"}.get(name, f"{name} value")
    why = "It scales how far a step goes. Write a number, such as 0.01."
    kinds = int | float | np.number | Tensor
    check.kind(f"Invalid {what}: {value!r} must be a number", value, kinds, why)
    if isinstance(value, Tensor) and value.numel() != 1:
        raise errors.ArgumentError(
            f"Tensor {name} must be 1-element, got shape {tuple(value.shape)}. All parameters of "
            "a group share it. Write a number, or a group for each."
        )
    if not value >= 0.0:
        raise errors.ArgumentError(
            f"Invalid {what}: {value}. It scales how far a step goes, and nan or less than 0 "
            "would undo the descent. Write a number from 0 up; to climb, maximize=True."
        )


def _require_betas(betas: Any) -> None:
    """Raise unless there are two shares of the old averages that are kept."""
    if not isinstance(betas, (tuple, list)) or len(betas) != 2:
        raise errors.ArgumentTypeError(
            f"Invalid betas: {betas!r}. One is for the mean, one for the square. "
            "Write two numbers: `betas=(0.9, 0.999)`."
        )
    for index, beta in enumerate(betas):
        if not 0.0 <= beta < 1.0:
            raise errors.ArgumentError(
                f"Invalid beta parameter at index {index}: {beta}. It is the share of the old "
                "average that is kept. Write a number from 0 up, below 1."
            )


def _listed(params: Any, *, what: str) -> list[Any]:
    if isinstance(params, Tensor) or not isinstance(params, Iterable):
        kind = "a Tensor" if isinstance(params, Tensor) else type(params).__name__
        raise errors.ArgumentTypeError(
            f"{what} should be an iterable of Tensors or dicts, but got {kind}. "
            "Each element is one parameter. Write `[tensor]` or `model.parameters()`."
        )
    if isinstance(params, (set, frozenset)):
        raise errors.ArgumentTypeError(
            "optimizer parameters need to be organized in ordered collections, but the ordering "
            "of tensors in sets will change between runs. Please use a list instead."
        )
    return [params] if isinstance(params, dict) else list(params)


def _require_optimizable(param: object, *, may_be_computed: bool) -> None:
    if not isinstance(param, Tensor):
        raise errors.ArgumentTypeError(
            f"optimizer can only optimize Tensors, but one of the params is {type(param).__name__}"
            ". A step writes into them. Pass tensors, such as `model.parameters()`."
        )
    if not (may_be_computed or param.is_leaf or param.retains_grad):
        raise errors.ArgumentError(
            f"can't optimize a non-leaf Tensor (shape {tuple(param.shape)}, made by "
            f"{param.grad_fn.name()}). It is computed from others, which are what to move. "
            "Pass those, or `tensor.detach().requires_grad_()`."
        )


def _adapted(key: str, value: Any, param: Tensor) -> Any:
    """A copy of what was remembered under a name that fits `param`; PyTorch's tensors, too."""
    if isinstance(value, Mapping):
        return {name: _adapted(name, kept, param) for name, kept in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_adapted(key, kept, param) for kept in value)
    if not isinstance(value, Tensor) and hasattr(value, "detach"):
        value = tensor(value.detach().cpu().numpy())
    if not isinstance(value, Tensor):
        return copy.deepcopy(value)
    value = value.detach().clone()
    if key == "step":  # a count: its precision is not the parameter's
        return value
    dtype = param.dtype if param.is_floating_point() else None
    return value.to(dtype=dtype or value.dtype, device=param.device)
