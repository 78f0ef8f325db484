"""What a user's Function is called with, what its `backward` may return, whom a warning is for."""

import inspect
import warnings
from sys import _getframe
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentTypeError, GradientError
from glassgrad.core.saved import Gone
from glassgrad.core.state import Func, Values, is_ours
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.values.tree import as_tuple

# Instead of FREED, for a Function that wants its tensors to go as soon as they were read.
CLEARED: Any = Gone(
    "saved_tensors can only be accessed once when clear_saved_tensors_on_access=True is set on "
    "the autograd.Function. Either access saved_tensors only once, or set "
    "clear_saved_tensors_on_access=False."
)


def check_kept(tensors: Values) -> None:
    """Raise if `save_for_forward` was given anything but tensors."""
    for tensor in tensors:
        if tensor is not None and not isinstance(tensor, Tensor):
            raise ArgumentTypeError(
                "save_for_forward expects all arguments to be tensors; got "
                f"{type(tensor).__name__}. Keep other values on ctx: `ctx.dim = dim`."
            )


def form_of(cls: Any) -> tuple[Func, bool, bool]:
    """(`forward`, whether it has the form without ctx, whether it has defaults to fill in)."""
    function, separate = cls.forward, cls.has_setup_context()
    parameters = inspect.signature(function).parameters.values() if separate else ()
    plain = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.POSITIONAL_OR_KEYWORD
    has_defaults = any(p.default is not p.empty or p.kind not in plain for p in parameters)
    # Kept with the class, and forgotten when its forward is replaced.
    form = cls._form = function, separate, has_defaults
    return form


def bound(forward: Func, args: Values, kwargs: dict[str, Any], separate: bool) -> Values:
    """The arguments by position: keywords filled in, and with setup_context defaults too."""
    ctx = () if separate else (None,)
    bound = inspect.signature(forward).bind(*ctx, *args, **kwargs)
    if separate or bound.kwargs:  # a keyword behind a gap: the gap has a default
        bound.apply_defaults()
    return (*bound.args, *bound.kwargs.values())[len(ctx) :]


def checked(node: Any, returned: Any) -> Values:
    """What the `backward` of `node` returned, as the gradients of the tensors among its arguments.

    Raises:
        GradientError: if there are too many or too few, or what is no gradient.
    """
    results = as_tuple(returned)
    is_tensor = node._is_tensor or (True,) * len(node.edges)
    expected = len(is_tensor)
    if len(results) > expected and all(extra is None for extra in results[expected:]):
        results = results[:expected]
    if len(results) != expected:
        raise wrong_number(node.name(), expected, len(results))
    for position, result in enumerate(results, start=1):
        if result is not None and not is_tensor[position - 1]:
            raise GradientError(
                f"function {node.name()} returned a gradient different than None at position "
                f"{position}, but the corresponding forward input was not a Variable. What is no "
                "tensor has no gradient. Return None there."
            )
        if result is not None and not isinstance(result, Tensor):
            raise GradientError(
                f"function {node.name()}: expected Variable or None (got {type(result).__name__}) "
                f"at position {position}. The pass goes on with tensors. "
                "Write `glassgrad.tensor(value)`."
            )
    return tuple([result for result, wanted in zip(results, is_tensor, strict=True) if wanted])


def wrong_number(name: str, expected: int, got: int) -> GradientError:
    """The error about the gradients that the backward of node `name` returned."""
    return GradientError(
        f"function {name} returned an incorrect number of gradients (expected {expected}, got "
        f"{got}). backward returns one for each argument of forward; write None for what is not a "
        "tensor."
    )


def materialized(node: Any, grads: list[Any]) -> list[Any]:
    """Zeros in the place of missing gradients, except those that can never come, if so wished."""
    present = next((grad.payload for grad in grads if grad is not None), np.empty(0))
    for nr, meta in enumerate(node._input_metadata):
        if grads[nr] is None and meta.dtype and nr not in node._gradless:
            grads[nr] = wrap(np.zeros_like(present, meta.dtype, shape=meta.shape))
    return grads


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn of the user's line that is running: the innermost one outside of this package."""
    frame, level = _getframe(1), 2
    while is_ours[frame.f_code.co_filename] and frame.f_back is not None:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
