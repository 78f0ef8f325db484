"""How an op is found by its name: its file loads when one of its names is first asked for.

`_index.py` says which file declares a name. Modules ask by their `__getattr__`, Tensor by a `Later`
in the place of each method, operator and property, NumPy by its protocols. What was found is put
where it was asked for, so that it is looked up once.

An import of a file loads it, too. Where that would be more than a program needs, a function is
asked for when it is called: as `ops.cat(…)`, or as a method.

NumPy hands a call with a Tensor among its arguments to the Tensor (NEP 13 for ufuncs, NEP 18 for
other functions). Names and arguments have NumPy's meaning then: `np.var` divides by n, `np.max`
returns values only. This is also how a rule, written for arrays, runs on Tensors when the
backward pass itself is recorded.
"""

import sys
import threading
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from glassgrad.core.errors import ArgumentTypeError
from glassgrad.core.primitive import Parameters
from glassgrad.core.state import Func, Values
from glassgrad.core.tensor import Tensor
from glassgrad.missing import missing_from

from . import _checks as check
from ._declaring import FUNCTIONS, METHODS, NUMPY, guarded, needs_guard
from ._index import NAMES

FILES: dict[str, dict[str, str]] = {}
"""The file that declares a name, by the home of the name: "" is `glassgrad`, others are "linalg",
"nn.functional", "Tensor", "numpy"."""

for _file, _names in NAMES.items():
    for _whole in _names.split():
        _home, _, _name = _whole.rpartition(".")
        FILES.setdefault(_home, {})[_name] = _file


# Python takes threads that import files of one package at once for a deadlock now and then, and
# then hands out a module that is half loaded.
_loading = threading.RLock()


def _load_file(file: str) -> None:
    with _loading:
        import_module(f"{__package__}.{file}")


def load(home: str, name: str) -> None:
    """Load the file that declares a name, if one does; if another thread loads it, wait for that.

    A name may be in its table before the end of its file is read: so this comes first.
    """
    file = FILES.get(home, {}).get(name)
    if file is not None:
        _load_file(file)


def load_all() -> None:
    """Load all files, for those who go through the tables, or through the classes of all ops."""
    for file in NAMES:
        _load_file(file)


def function_named(home: str, name: str) -> Any:
    """The function of a module of `glassgrad`, such as "relu" of "nn.functional"."""
    load(home, name)
    return FUNCTIONS[f"{home}.{name}" if home else name]


def names_in(home: str) -> list[str]:
    """The names of all functions of a module of `glassgrad`."""
    loaded = [name.rpartition(".") for name in FUNCTIONS]
    return sorted({*FILES.get(home, {}), *[name for where, _, name in loaded if where == home]})


def of_module(
    module: str, *, home: str
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """The `__all__`, `__getattr__` and `__dir__` of a module that has the functions of a home."""
    names = names_in(home)
    known, scope, is_missing = set(names), vars(sys.modules[module]), missing_from(module)

    def find(name: str) -> Any:
        if name not in known:
            return is_missing(name)
        function = function_named(home, name)
        value = scope[name] = guarded(function)
        if value is not function and value.__module__ == function.__module__:
            value.__module__ = module  # where `pickle` finds it
            if value.__name__ not in known:
                value.__name__ = value.__qualname__ = name
        return value

    return names, find, lambda: sorted({*scope, *names})


class Later:
    """Stands for a method of Tensor, or a property, until it is asked for; then that is there."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, tensor: Tensor | None, owner: type | None = None) -> Any:
        return self._found().__get__(tensor, owner)

    def __set__(self, tensor: Tensor, value: Any) -> None:
        self._found()
        setattr(tensor, self.name, value)

    def _found(self) -> Any:
        load("Tensor", self.name)
        method = METHODS[self.name]
        if needs_guard(self.name, method):
            method = guarded(method)
        setattr(Tensor, self.name, method)
        return method


def methods() -> dict[str, Any]:
    """The ops' methods: as they are where their file is loaded, and as a `Later` elsewhere.

    Those that are given other tensors are also found later: `guarded` says which is none.
    """
    later = {name: Later(name) for name in FILES.get("Tensor", ())}
    return later | {name: each for name, each in METHODS.items() if not needs_guard(name, each)}


ORDERS = {
    "adaptive_max_pool1d": "input output_size return_indices",
    "affine_grid_generator": "theta size align_corners",
    "batch_norm": "input weight bias running_mean running_var training momentum eps cudnn_enabled",
    "binary_cross_entropy_with_logits": "input target weight pos_weight reduction",
    "cosine_embedding_loss": "input1 input2 target margin reduction",
    "ctc_loss": "log_probs targets input_lengths target_lengths blank reduction zero_infinity",
    "embedding": "weight indices padding_idx scale_grad_by_freq sparse",
    "grid_sampler": "input grid mode padding_mode align_corners",
    "hinge_embedding_loss": "input target margin reduction",
    "instance_norm": "input weight bias running_mean running_var use_input_stats momentum eps "
    "cudnn_enabled",
    "kl_div": "input target reduction log_target",
    "margin_ranking_loss": "input1 input2 target margin reduction",
    "max_pool1d_with_indices": "input kernel_size stride padding dilation ceil_mode return_indices",
    "poisson_nll_loss": "input target log_input full eps reduction",
    "triplet_margin_loss": "anchor positive negative margin p eps swap reduction",
}
"""Functions that PyTorch has twice: here are the arguments of the one that is `torch`'s own."""

_OURS = {
    "affine_grid_generator": "affine_grid",
    "grid_sampler": "grid_sample",
    "max_pool1d_with_indices": "max_pool1d",
}
"""Those whose twin in `torch.nn.functional` has another name."""

_BY_NUMBER = {
    "mode": ("bilinear", "nearest", "bicubic"),
    "padding_mode": ("zeros", "border", "reflection"),
    "reduction": ("none", "mean", "sum"),
}
"""Arguments that are numbers in `torch` and names in `torch.nn.functional`."""


def in_order(name: str) -> Func:
    """One of `ORDERS`: the twin in `nn.functional`, with the arguments of the one in `torch`."""
    order, twin = ORDERS[name].split(), function_named("nn.functional", _OURS.get(name, name))

    def call(*args: Any, **kwargs: Any) -> Any:
        given = {**dict(zip(order, args, strict=False)), **kwargs}
        given.pop("cudnn_enabled", None)
        if "reduction" in order:
            given.setdefault("reduction", "none")  # and not "mean", as in `nn.functional`
        for argument, names in _BY_NUMBER.items():
            number = given.get(argument)
            if isinstance(number, int):
                said = f"{name}(): {{}} is not a valid value for {argument}"
                choices = ", ".join([f"{at} for {each!r}" for at, each in enumerate(names)])
                check.choice(said, number, range(len(names)), f"It is a number. Write {choices}.")
                given[argument] = names[number]
        if "return_indices" in order:
            given["return_indices"] = True
        if "indices" in given:
            given["input"] = given.pop("indices")
            row = given.get("padding_idx")
            given["padding_idx"] = None if row == -1 else row  # none, here
        return twin(**given)

    call.__name__ = name
    return call


def for_each(name: str) -> Func:
    """PyTorch's `_foreach_mul_` and its like, which optimisers of programs call: a loop.

    Args:
        name: its name: a method of `Tensor` behind `_foreach_`, or one that is done in place.
    """
    own = name.removeprefix("_foreach_")
    own = own.replace("maximum", "clamp_min").replace("minimum", "clamp_max")
    in_place = own.endswith("_")

    def done(x: Tensor, *others: Any, **options: Any) -> Tensor:
        if own.startswith("addc") and len(others) == 3:
            options["value"], others = others[2], others[:2]
        if "ord" in options:
            options["p"] = options.pop("ord")
        if in_place and not hasattr(x, own):
            return x.copy_(getattr(x, own[:-1])(*others, **options))
        found: Tensor = getattr(x, own)(*others, **options)
        return found

    def each(tensors: Sequence[Tensor], *others: Any, **options: Any) -> Any:
        lists = [x if isinstance(x, (list, tuple)) else [x] * len(tensors) for x in others]
        found = [done(*row, **options) for row in zip(tensors, *lists, strict=True)]
        return tensors if in_place else tuple(found)

    return each


# NumPy's functions on Tensors ---------------------------------------------------------------------


class _Rules(dict[Any, Func | None]):
    """What `np.f(x)` calls if `x` is a Tensor, for those `np.f` that were called with one."""

    def __missing__(self, function: Any) -> Func | None:
        load(getattr(function, "__module__", ""), function.__name__)  # SciPy's have none
        rule = NUMPY.get(function)
        if rule is not None:
            self[function] = rule
        return rule


_RULES = _Rules()


def array_ufunc(self: Tensor, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """What `np.exp(x)` and `array * x` call."""
    rule = _RULES[ufunc]
    if method != "__call__" or rule is None or kwargs:
        how = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
        raise _unknown(how, kwargs)
    return rule(*inputs)


def array_function(self: Tensor, func: Any, types: Any, args: Values, kwargs: Parameters) -> Any:
    """What `np.sum(x)` calls."""
    rule = _RULES[func]
    if rule is None:
        raise _unknown(func.__name__, {})
    return rule(*args, **kwargs)


def _unknown(name: str, kwargs: Parameters) -> ArgumentTypeError:
    extra = f" with {', '.join(sorted(kwargs))}=" if kwargs else ""
    return ArgumentTypeError(
        f"np.{name}{extra} has no derivative here, so it does not take a Tensor. Computing it all "
        f"the same would lose the gradient. Write `np.{name}(x.detach().numpy())` if you need "
        "none, or use the tensor's own methods."
    )
