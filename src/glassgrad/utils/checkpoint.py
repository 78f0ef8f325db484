"""`torch.utils.checkpoint`: trade time for memory, by computing again what backward needs.

    y = checkpoint(block, x, use_reentrant=False)

`block` runs, but nothing of what its ops save is kept. When the backward pass comes to it, `block`
runs again from `x`, up to the op that saves the last tensor that is needed: see
`_recomputation.py`. With k checkpoints along a chain of n equal steps, backward holds k + n/k
intermediate tensors instead of n, and forward is paid for twice: k = √n is the usual choice.

The older variant, `use_reentrant=True`, is a Function whose backward runs another backward pass.

See also: Griewank & Walther, *Evaluating Derivatives*, ch. 12; Chen et al., *Training Deep Nets
with Sublinear Memory Cost* (2016).
"""

import contextlib
import functools
import itertools
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Any

from glassgrad.autograd.function import Function
from glassgrad.autograd.grad_mode import enable_grad, no_grad
from glassgrad.core.backward import backward
from glassgrad.core.errors import ArgumentError, ArgumentTypeError, CheckpointError, GraphError
from glassgrad.core.state import is_recording, modes
from glassgrad.core.tensor import Tensor
from glassgrad.ops.generator import get_rng_state, set_rng_state

from ._recomputation import Checkpointed

__all__ = [
    "CheckpointError",
    "CheckpointFunction",
    "checkpoint",
    "checkpoint_sequential",
    "noop_context_fn",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
]

Contexts = tuple[AbstractContextManager[Any], AbstractContextManager[Any]]


def noop_context_fn() -> Contexts:
    """Two context managers that do nothing: the default of `context_fn`."""
    return contextlib.nullcontext(), contextlib.nullcontext()


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], Contexts] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """Call `function(*args, **kwargs)`; what backward needs of it is computed again then.

    Args:
        function: computes the same each time it is called with the same arguments.
        args, kwargs: its arguments. The tensors among `args` are kept until backward.
        use_reentrant: False for the variant that is right for nearly everything. True for the
            older one, which needs a tensor that requires grad among `args`, takes no `kwargs`,
            and does not work with `autograd.grad`. Not passing it warns, and means True.
        context_fn: returns two context managers, for the first run and for the second.
        determinism_check: "default" compares shape, dtype and device of what both runs save,
            "none" does not.
        debug: show the lines that saved tensors in both runs if these differ.
        early_stop: leave the second run as soon as all that is needed is there.
        preserve_rng_state: random numbers are the same in both runs.

    Returns:
        What `function` returns.

    Raises:
        ArgumentTypeError: if `function` cannot be called.
        ArgumentError: for options that the variant does not have.
        CheckpointError: in backward, if the second run saves other tensors than the first.

    Example:
        >>> x = tensor([1.0, 2.0], requires_grad=True)
        >>> y = checkpoint(lambda x: (x * x).exp(), x, use_reentrant=False)
        >>> y.sum().backward()
        >>> x.grad
        tensor([  5.4366, 218.3926])

    See also: https://pytorch.org/docs/stable/checkpoint.html
    """
    if not callable(function):
        raise ArgumentTypeError(
            f"checkpoint(): '{type(function).__name__}' object is not callable. What is run, and "
            "run again in backward, is a function. Write `checkpoint(function, *args)`."
        )
    if use_reentrant is None:
        _warn_about_variant("torch.utils.checkpoint")
        use_reentrant = True
    if not use_reentrant:
        debug = _or_else(_overriding.debug, debug)
        early_stop = _or_else(_overriding.early_stop, early_stop)
        run = functools.partial(function, **kwargs)
        how = context_fn, determinism_check, debug, early_stop, preserve_rng_state
        return _prepared(run, args, *how)()
    _check_no_more(kwargs)
    if context_fn is not noop_context_fn or debug is not False:
        raise ArgumentError(
            "Passing `context_fn` or `debug` is only supported when use_reentrant=False. "
            "The older variant runs its function inside a Function. Write use_reentrant=False."
        )
    return CheckpointFunction.apply(function, preserve_rng_state, *args)


def checkpoint_sequential(
    functions: Iterable[Callable[[Any], Any]],
    segments: int,
    input: Any,
    use_reentrant: bool | None = None,
    *,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """Call functions one after the other, in segments that are checkpoints, except the last.

    Args:
        functions: a `Sequential`, or functions of one argument.
        segments: how many segments to make; the last one takes what does not divide evenly.
        input: what the first function gets.
        use_reentrant, preserve_rng_state: as for `checkpoint`.

    Returns:
        What the last function returns.

    Raises:
        ArgumentError: if there are fewer functions than segments, or for other keywords.

    Example:
        >>> x = tensor([0.5], requires_grad=True)
        >>> steps = [lambda x: x.exp(), lambda x: x.sin(), lambda x: x * x]
        >>> checkpoint_sequential(steps, 3, x, use_reentrant=False).backward()
        >>> x.grad
        tensor([-0.2559])
    """
    if use_reentrant is None:
        _warn_about_variant("torch.utils.checkpoint.checkpoint_sequential")
        use_reentrant = True
    _check_no_more(kwargs)
    steps = list(functions)
    if not 1 <= segments <= len(steps):
        raise ArgumentError(
            f"checkpoint_sequential(): {len(steps)} functions cannot be cut into {segments} "
            "segments. Each segment has at least one function. "
            f"Write a number from 1 to {len(steps)}."
        )
    size = len(steps) // segments
    for start in range(0, size * (segments - 1), size):
        input = checkpoint(
            functools.partial(_run_through, steps[start : start + size]),
            input,
            use_reentrant=use_reentrant,
            preserve_rng_state=preserve_rng_state,
        )
    return _run_through(steps[size * (segments - 1) :], input)


def _run_through(steps: list[Callable[[Any], Any]], input: Any) -> Any:
    for step in steps:
        input = step(input)
    return input


def _warn_about_variant(name: str) -> None:
    warnings.warn(
        f"{name}: the use_reentrant parameter should be passed explicitly. It says which variant "
        "to use: use_reentrant=False is recommended, and use_reentrant=True is what leaving it "
        "out means.",
        UserWarning,
        stacklevel=3,
    )


def _check_no_more(kwargs: dict[str, Any]) -> None:
    if kwargs:
        raise ArgumentError(
            f"Unexpected keyword arguments: {','.join(kwargs)}. Only checkpoint() with "
            "use_reentrant=False hands them to the function. Pass them by position, or bind them "
            "with functools.partial."
        )


# For a block --------------------------------------------------------------------------------------


class _Overriding:
    """What the blocks below set for all threads, as in PyTorch; None leaves it to the call."""

    early_stop: bool | None = None
    debug: bool | None = None


_overriding = _Overriding()


def _or_else(override: bool | None, given: bool) -> bool:
    return given if override is None else override


@contextlib.contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Whether checkpoints made in the block stop recomputing once all that is needed is there.

    Example:
        >>> x = tensor([0.5], requires_grad=True)
        >>> with set_checkpoint_early_stop(False):
        ...     y = checkpoint(lambda x: print("runs") or x.exp() + 1, x, use_reentrant=False)
        runs
        >>> y.backward()
        runs
    """
    before, _overriding.early_stop = _overriding.early_stop, enable
    try:
        yield
    finally:
        _overriding.early_stop = before


@contextlib.contextmanager
def set_checkpoint_debug_enabled(enabled: bool | None) -> Iterator[None]:
    """Whether checkpoints made in the block have `debug=True`; None: as each call says.

    Example:
        >>> with set_checkpoint_debug_enabled(True):
        ...     y = checkpoint(exp, tensor([0.5], requires_grad=True), use_reentrant=False)
    """
    before, _overriding.debug = _overriding.debug, enabled
    try:
        yield
    finally:
        _overriding.debug = before


# use_reentrant=False ------------------------------------------------------------------------------


def _look(tensor: Tensor) -> dict[str, Any]:
    return {"shape": tensor.shape, "dtype": tensor.dtype, "device": tensor.device}


_LOOKS: dict[str, Callable[[Tensor], object]] = {"default": _look, "none": lambda _: None}
"""By the name of the determinism check, what of a tensor must be the same in both runs."""


def _prepared(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    context_fn: Callable[[], Contexts],
    determinism_check: str,
    debug: bool,
    early_stop: bool,
    preserve_rng_state: bool,
) -> Callable[[], Any]:
    """The first run, its options checked."""
    if debug and context_fn is not noop_context_fn:
        raise ArgumentError(
            "debug=True is incompatible with non-default context_fn: it watches both runs itself. "
            "Leave one of the two out."
        )
    if determinism_check not in _LOOKS:
        raise ArgumentError(
            f"determinism_check should be one of {list(_LOOKS)}, but got {determinism_check}. "
            "It says what of the saved tensors is compared."
        )
    first, second = context_fn()
    if not is_recording() or _is_mapped():
        return functools.partial(function, *args)
    random_state = get_rng_state() if preserve_rng_state else None

    def again(*args: Any) -> None:
        with _drawing_from(random_state), second:
            function(*args)

    call = Checkpointed(
        again, args, early_stop=early_stop, look=_LOOKS[determinism_check], is_logging=debug
    )
    return functools.partial(_first_run, call, first, function, args)


def _is_mapped() -> bool:
    """Whether the function runs in a vmap or jvp, which backward, to run it again, finds closed.

    Raises:
        GraphError: in a grad or vjp: it takes no hooks.
    """
    if modes.levels and modes.no_hooks is not None:
        raise GraphError(modes.no_hooks)
    return bool(modes.levels)


def _first_run(
    call: Checkpointed,
    context: AbstractContextManager[Any],
    function: Callable[..., Any],
    args: tuple[Any, ...],
) -> Any:
    with call.hooks(), context:
        output = function(*args)
        call.is_complete = True
    if not call.is_complete:
        raise GraphError(
            "torch.utils.checkpoint: the forward context provided by context_fn suppressed an "
            "exception raised during the checkpointed forward. This is not supported because "
            "checkpoint cannot return a value for a failed forward. Catch it inside the function."
        )
    return output


@contextlib.contextmanager
def _drawing_from(random_state: Tensor | None) -> Iterator[None]:
    """Draw random numbers as in that state, and afterwards as if nothing had been drawn."""
    if random_state is None:
        yield
        return
    before = get_rng_state()
    set_rng_state(random_state)
    try:
        yield
    finally:
        set_rng_state(before)


# use_reentrant=True -------------------------------------------------------------------------------


class CheckpointFunction(Function):
    """The reentrant variant: its backward runs the function again, and a backward pass over it.

    Example:
        >>> x = tensor([1.0, 2.0], requires_grad=True)
        >>> checkpoint(lambda x: x * x, x, use_reentrant=True).sum().backward()
        >>> x.grad
        tensor([2., 4.])
    """

    @staticmethod
    def forward(
        ctx: Any, run_function: Callable[..., Any], preserve_rng_state: bool, *args: Any
    ) -> Any:
        """Run without recording; keep the arguments."""
        tensors = [arg for arg in args if isinstance(arg, Tensor)]
        if not any(tensor.requires_grad for tensor in tensors):
            warnings.warn(
                "None of the inputs have requires_grad=True. Gradients will be None",
                UserWarning,
                stacklevel=4,
            )
        ctx.run_function = run_function
        ctx.random_state = get_rng_state() if preserve_rng_state else None
        ctx.inputs = [None if isinstance(arg, Tensor) else arg for arg in args]
        ctx.positions = [n for n, arg in enumerate(args) if isinstance(arg, Tensor)]
        ctx.save_for_backward(*tensors)
        with no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """Run again, recorded, and backward over that."""
        _check_whole_pass()
        inputs = list(ctx.inputs)
        for position, tensor in zip(ctx.positions, ctx.saved_tensors, strict=True):
            inputs[position] = tensor.detach()
            inputs[position].requires_grad = tensor.requires_grad
        with _drawing_from(ctx.random_state), enable_grad():
            outputs = ctx.run_function(*inputs)
        outputs = (outputs,) if isinstance(outputs, Tensor) else outputs
        wanted = [isinstance(y, Tensor) and y.requires_grad for y in outputs]
        if True not in wanted:
            raise GraphError(
                "none of output has requires_grad=True, this checkpoint() is not necessary: no "
                "gradient goes through what it computes. Call the function itself, or write "
                "use_reentrant=False."
            )
        backward(itertools.compress(outputs, wanted), list(itertools.compress(grads, wanted)))
        inputs_grads = [x.grad if isinstance(x, Tensor) else None for x in inputs]
        return (None, None, *inputs_grads)


def _check_whole_pass() -> None:
    """Only a pass that accumulates in all leaves can have passes inside that do so, too."""
    if modes.task is not None and modes.task.schedule.needed is not None:
        raise GraphError(
            "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or "
            "passing an `inputs` parameter to .backward(): the pass inside accumulates in all "
            "leaves. To resolve this error, you can either set use_reentrant=False, or call "
            ".backward() without passing the `inputs` argument."
        )
