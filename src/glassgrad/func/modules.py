"""Modules as functions of their parameters, which is what transforms take.

    def loss(parameters, x):
        return functional_call(model, parameters, x).sum()

    grad(loss)(dict(model.named_parameters()), x)       a dict of gradients

A module is asked for what `nn.Module` has, and called; `nn` itself is above this package.
"""

import contextlib
import copy
import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from glassgrad import ops
from glassgrad.core.errors import ArgumentError, ArgumentTypeError, RangeError, TransformError
from glassgrad.core.state import Func, setting
from glassgrad.core.tensor import Tensor
from glassgrad.ops import _checks as check
from glassgrad.values.layers import Layer
from glassgrad.values.tree import as_tuple

Values = dict[str, Tensor]
Tensors = tuple[Tensor, ...]
_BY_NAME = "Tensors are found by name. Write `dict(module.named_parameters())`."


def functionalize(func: Func, *, remove: str = "mutations") -> Func:
    """The function itself: compilers need functions without writes, and there is none here.

    Args:
        remove: "mutations" or "mutations_and_views", without effect.

    Raises:
        ArgumentError: for another word.

    Example:
        >>> functionalize(lambda x: x.clone().add_(1))(ops.tensor(2.0))
        tensor(3.)
    """
    if remove not in ("mutations", "mutations_and_views"):
        raise RangeError(
            f"functionalize(f, remove='mutations'): received invalid argument for {remove=}. It "
            'says what a compiler could not read. Write "mutations".'
        )
    return func


def make_functional_with_buffers(
    model: Any, disable_autograd_tracking: bool = False
) -> tuple[Func, Tensors, Tensors]:
    """`functional_call` as it was in functorch: `call(parameters, buffers, *args)`, and both.

    Args:
        model: an `nn.Module`, which is copied.
        disable_autograd_tracking: whether the parameters require no grad.
    """
    model = copy.deepcopy(model)
    if disable_autograd_tracking:
        model.requires_grad_(False)
    own, kept = dict(model.named_parameters()), dict(model.named_buffers())

    def call(parameters: Tensors, buffers: Tensors, *args: Any, **kwargs: Any) -> Any:
        state = dict(zip((*own, *kept), (*parameters, *buffers), strict=True))
        return functional_call(model, state, args, kwargs)

    return call, tuple(own.values()), tuple(kept.values())


def make_functional(model: Any, disable_autograd_tracking: bool = False) -> tuple[Func, Tensors]:
    """The same for a module without buffers: `call(parameters, *args)`, and the parameters."""
    call, own, _ = make_functional_with_buffers(model, disable_autograd_tracking)
    return (lambda parameters, *args, **kwargs: call(parameters, (), *args, **kwargs)), own


def functional_call(
    module: Any,
    parameter_and_buffer_dicts: Values | Sequence[Values],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call a module with other parameters and buffers than its own.

    Args:
        module: an `nn.Module`; it is as it was afterwards.
        parameter_and_buffer_dicts: tensors by dotted names as `named_parameters` gives them, or
            several such dicts. What the module assigns to one of them ends up in the dict.
        args: the argument of the call, or a tuple of them.
        kwargs: its keyword arguments.
        tie_weights: whether a value also replaces what the module has under other names.
        strict: whether to refuse names that the module does not have, or that are missing.

    Returns:
        What the module returns.

    Raises:
        ArgumentError: if a name is in two dicts, or a tied parameter is given two values.
        ArgumentTypeError: if a value is no tensor.
        TransformError: with `strict`, if the names are not those of the module.

    Example:
        >>> from glassgrad import nn
        >>> double = {"weight": tensor([[2.0]])}
        >>> functional_call(nn.Linear(1, 1, bias=False), double, tensor([[3.0]]))
        tensor([[6.]])

    See also: https://pytorch.org/docs/stable/generated/torch.func.functional_call.html
    """
    given, values = _one_dict(parameter_and_buffer_dicts)
    if tie_weights:
        values = _with_tied(module, values)
    if strict:
        _check_names(module, values)
    passed = () if args is None else as_tuple(args)
    with exchanged(module, values, given):
        return module(*passed, **(kwargs or {}))


@contextlib.contextmanager
def exchanged(module: Any, values: Values, given: Values) -> Iterator[None]:
    """Have the module compute with `values` inside; what it assigns to them goes into `given`."""
    places = [(key, *place) for key in values if (place := _place(module, key))]
    for key, _, _ in places:
        if values[key] is not None and not isinstance(values[key], Tensor):
            raise ArgumentTypeError(
                f"{values[key]} is not an instance of Tensor, but of {type(values[key])}: the "
                f"value for '{key}'. A module computes with tensors. Write `tensor(value)`."
            )
    with contextlib.ExitStack() as inside:
        for key, registry, name in places:
            inside.enter_context(setting(registry, **{name: values[key]}))
        yield
        given.update({key: registry[name] for key, registry, name in places if key in given})


def _one_dict(dicts: Any) -> tuple[Values, Values]:
    """The dict that hears of what the module assigned, and all values in one."""
    if isinstance(dicts, dict):
        return dicts, dicts
    wanted = "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got"
    check.kind(wanted, dicts, Sequence, _BY_NAME, ArgumentError)
    values: Values = {}
    repeated = []
    for part in dicts:
        wanted = "Expected all elements of parameter_and_buffer_dicts to be dictionaries"
        check.kind(wanted, part, dict, _BY_NAME, ArgumentError)
        repeated += [name for name in part if name in values]
        values.update(part)
    if repeated:
        raise ArgumentError(
            f"{repeated} appeared in multiple dictionaries; behavior of functional call is "
            "ambiguous. A name has one value. Leave it out of all dicts but one."
        )
    return values, values


def _names(module: Any) -> dict[str, Tensor]:
    """All parameters and buffers by all of their names."""
    return {
        **dict(module.named_parameters(remove_duplicate=False)),
        **dict(module.named_buffers(remove_duplicate=False)),
    }


def _with_tied(module: Any, values: Values) -> Values:
    """The values under all names that what they replace has."""
    names: dict[int, list[str]] = {}
    own = _names(module)
    for name, x in own.items():
        names.setdefault(id(x), []).append(name)
    spread = dict(values)
    for name, value in values.items():
        tied = names.get(id(own.get(name)), ())
        if any(other in values and values[other] is not value for other in tied):
            raise ArgumentError(
                f"functional_call got multiple values for keys {sorted(tied)}, which are tied: in "
                "the module they are one tensor. Pass one of them. Consider using "
                "tie_weights=False."
            )
        spread.update(dict.fromkeys(tied, value))
    return spread


def _check_names(module: Any, values: Values) -> None:
    own = _names(module)
    found = []
    unexpected, missing = set(values) - set(own), set(own) - set(values)
    for what, names in (("Unexpected", unexpected), ("Missing", missing)):
        if names:
            found.append(f"{what} key(s): {', '.join(map(repr, sorted(names)))}.")
    if found:
        raise TransformError(
            f"Error(s) in reparametrizing for {type(module).__name__}:\n\t"
            + "\n\t".join(found)
            + "\nWith strict=True, each tensor of the module needs a value. Leave strict out to "
            "keep the module's own where none is given."
        )


def _place(module: Any, key: str) -> tuple[dict[str, Any], str] | None:
    """The dict in which a module keeps the tensor of this name; None if it has no such."""
    *path, name = key.split(".")
    owner = functools.reduce(getattr, path, module)
    for registry in (owner._parameters, owner._buffers, vars(owner)):
        if name in registry:
            return registry, name
    return None


def stack_module_state(models: Sequence[Any]) -> tuple[Values, Values]:
    """The parameters and the buffers of modules of one class, stacked: for an ensemble by `vmap`.

    Args:
        models: modules that differ in the values of their tensors only.

    Returns:
        `(parameters, buffers)`: dicts by dotted names, of tensors with one more dim in front.
        Those of parameters that require grad are leaves of their own.

    Raises:
        TransformError: if there is no model, or they are not alike.
        ShapeError: if their tensors have different shapes.

    Example:
        >>> from glassgrad import nn
        >>> models = [nn.Linear(3, 2) for _ in range(4)]
        >>> parameters, buffers = stack_module_state(models)
        >>> parameters["weight"].shape
        glassgrad.Size([4, 2, 3])
        >>> call = lambda p, x: functional_call(models[0], p, x)
        >>> vmap(call, (0, None))(parameters, ones(3)).shape
        glassgrad.Size([4, 2])

    See also: https://pytorch.org/docs/stable/generated/torch.func.stack_module_state.html
    """
    if len(models) == 0:
        raise TransformError(
            "stack_module_state: Expected at least one model, got 0. There is nothing to stack. "
            "Pass a list of modules."
        )
    if len({model.training for model in models}) > 1:
        raise TransformError(
            "stack_module_state: Expected all models to have the same training/eval mode. One of "
            "them will be called for all. Write `model.eval()` for each."
        )
    kinds = list(dict.fromkeys(type(model) for model in models))
    if len(kinds) > 1:
        names = ", ".join(kind.__name__ for kind in kinds)
        raise TransformError(
            "stack_module_state: Expected all models to be of the same class, and they are of "
            f"{names}. One of them will be called for all. Stack the models of each class."
        )
    parameters = [dict(model.named_parameters()) for model in models]
    buffers = [dict(model.named_buffers()) for model in models]
    return _stacked(parameters), _stacked(buffers)


def _stacked(states: Sequence[Mapping[str, Tensor]]) -> Values:
    return {name: _stacked_leaf([state[name] for state in states], name) for name in states[0]}


def _stacked_leaf(tensors: list[Tensor], name: str) -> Tensor:
    wanted = {x.requires_grad for x in tensors}
    if len(wanted) > 1:
        raise TransformError(
            f"Expected {name} from each model to have the same .requires_grad. The stacked tensor "
            "requires grad or does not. Write `model.requires_grad_()` for each."
        )
    stacked = ops.stack(tensors)
    return stacked.detach().requires_grad_() if wanted == {True} else stacked


def replace_all_batch_norm_modules_(root: Any) -> Any:
    """Let all batch norms of a module use the batch they get: `vmap` cannot write their averages.

    Args:
        root: an `nn.Module`; it is changed.

    Returns:
        `root`.

    Example:
        >>> from glassgrad import nn
        >>> replace_all_batch_norm_modules_(nn.Sequential(nn.BatchNorm1d(3)))[
        ...     0
        ... ].running_mean is None
        True

    See also: https://pytorch.org/docs/stable/func.batch_norm.html
    """
    for module in root.modules():
        if any(kind.__name__ == "_BatchNorm" for kind in type(module).__mro__):
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root


def debug_unwrap(tensor: Tensor, *, recurse: bool = True) -> Tensor:
    """The tensor behind the layer of a transform: to look at, not to compute with.

    Args:
        tensor: any tensor.
        recurse: take off all layers, not only the outermost.

    Returns:
        A plain tensor, or with `recurse=False` that of one level down. Where `vmap` shows one
        example, it has all of them, in the dim that counts them.

    Example:
        >>> def f(x):
        ...     print(debug_unwrap(x))
        ...     return x
        >>> _ = vmap(f)(tensor([1.0, 2.0]))
        tensor([1., 2.])

    See also: https://pytorch.org/docs/stable/func.api.html
    """
    while isinstance(tensor.payload, Layer):
        _, tensor = tensor.payload.pictured()
        if not recurse:
            break
    return tensor
