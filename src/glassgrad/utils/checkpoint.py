"""`torch.utils.checkpoint`: trade time for memory, by computing again what backward needs.

    y = checkpoint(block, x, use_reentrant=False)

`block` runs, but nothing of what its ops save is kept. When the backward pass comes to it, `block`
runs again from `x`, up to the op that saves the last tensor that is needed:

    forward:   block(x) ── saves a, b, c ──▶ a `_Holder` each; the tensors themselves are let go
    backward:  the first unpack of a pass runs block(x) again; a, b, c wait in the pass's own dict
               each unpack takes its tensor from there

With k checkpoints along a chain of n equal steps, backward holds k + n/k intermediate tensors
instead of n, and forward is paid for twice: k = √n is the usual choice. The older variant,
`use_reentrant=True`, is a Function whose backward runs another backward pass.

# Note [The innermost checkpoint manages]
# Saved-tensor hooks do not stack: the innermost pair acts. So what an inner checkpoint saves is
# hidden from the outer one, except for its inputs, which are saved like any op's. To unpack a
# tensor is to recompute all checkpoints around it, from the outside in, each once per pass.

# Note [One recomputation per pass]
# Recomputed tensors belong to the pass that needed them and die with it, or when they are
# unpacked: with `retain_graph=True` the next pass starts afresh. Outside of a pass, nobody will
# ask for the others. A pass that was stepped back asks again for what it has let go of. The log of
# a watched pass tells of each run (`tracing/recomputing.py`).

See also: Griewank & Walther, *Evaluating Derivatives*, ch. 12; Chen et al., *Training Deep Nets
with Sublinear Memory Cost* (2016).
"""

import contextlib
import enum
import functools
import itertools
import math
import sys
import traceback
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from glassgrad.autograd.function import Function
from glassgrad.autograd.graph import packing
from glassgrad.autograd.scopes import segments
from glassgrad.core.backward import backward
from glassgrad.core.errors import ArgumentError, ArgumentTypeError, CheckpointError, GraphError
from glassgrad.core.state import Func, is_recording, modes, next_seq, outside, setting
from glassgrad.core.tensor import Tensor
from glassgrad.memory.calls import warn
from glassgrad.ops import _checks as check
from glassgrad.ops.creation import zeros
from glassgrad.ops.generator import fork, get_rng_state

__all__ = [
    "CheckpointError",
    "CheckpointFunction",
    "CheckpointPolicy",
    "DefaultDeviceType",
    "check_backward_validity",
    "checkpoint",
    "checkpoint_sequential",
    "create_selective_checkpoint_contexts",
    "detach_variable",
    "get_device_states",
    "noop_context_fn",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
    "set_device_states",
]

Contexts = tuple[AbstractContextManager[Any], AbstractContextManager[Any]]


def noop_context_fn() -> Contexts:
    """Two context managers that do nothing: the default of `context_fn`."""
    return contextlib.nullcontext(), contextlib.nullcontext()


def checkpoint(
    function: Func,
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
    if use_reentrant:
        _check_no_more(kwargs)
        if context_fn is not noop_context_fn or debug is not False:
            raise ArgumentError(
                "Passing `context_fn` or `debug` is only supported when use_reentrant=False. "
                "The older variant runs its function inside a Function. Write use_reentrant=False."
            )
        return CheckpointFunction.apply(function, preserve_rng_state, *args)
    log: list[str] | None = [] if _setting("debug", debug) else None
    if log is not None and context_fn is not noop_context_fn:
        raise ArgumentError(
            "debug=True is incompatible with non-default context_fn: it watches both runs itself. "
            "Leave one of the two out."
        )
    wanted = f"determinism_check should be one of {list(_DETERMINISM_CHECKS)}"
    why = "It says what of the saved tensors is compared."
    check.choice(wanted, determinism_check, _DETERMINISM_CHECKS, why)
    first, second = context_fn()
    if not is_recording() or _is_mapped():
        return function(*args, **kwargs)
    random_state = get_rng_state() if preserve_rng_state else None

    def recompute(*args: Any) -> None:
        with _drawing_from(random_state), second:
            function(*args, **kwargs)

    stops = _setting("early_stop", early_stop)
    metadata = _DETERMINISM_CHECKS[determinism_check]
    call = _Checkpointed(recompute, _Arguments(args), _kept(args), stops, metadata, log)
    with packing(call.pack, call.unpack), first:
        output = function(*args, **kwargs)
        call.complete()
    if not call.is_complete:
        raise GraphError(
            "torch.utils.checkpoint: the forward context provided by context_fn suppressed an "
            "exception raised during the checkpointed forward. This is not supported because "
            "checkpoint cannot return a value for a failed forward. Catch it inside the function."
        )
    return output


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
    warn(
        f"{name}: the use_reentrant parameter should be passed explicitly. It says which variant "
        "to use: use_reentrant=False is recommended, and use_reentrant=True is what leaving it "
        "out means."
    )


def _check_no_more(kwargs: dict[str, Any]) -> None:
    if kwargs:
        raise ArgumentError(
            f"Unexpected keyword arguments: {','.join(kwargs)}. Only checkpoint() with "
            "use_reentrant=False hands them to the function. Pass them by position, or bind them "
            "with functools.partial."
        )


# For a block --------------------------------------------------------------------------------------

_overriding: dict[str, bool | None] = {"early_stop": None, "debug": None}
"""What the blocks below set for all threads, as in PyTorch; None leaves it to the call."""


def _setting(option: str, given: bool) -> bool:
    override = _overriding[option]
    return given if override is None else override


@contextlib.contextmanager
def _override(option: str, value: bool | None) -> Iterator[None]:
    with setting(_overriding, **{option: value}):
        yield


def set_checkpoint_early_stop(enable: bool) -> AbstractContextManager[None]:
    """Whether checkpoints made in the block stop recomputing once all that is needed is there.

    Example:
        >>> x = tensor([0.5], requires_grad=True)
        >>> with set_checkpoint_early_stop(False):
        ...     y = checkpoint(lambda x: print("runs") or x.exp() + 1, x, use_reentrant=False)
        runs
        >>> y.backward()
        runs
    """
    return _override("early_stop", enable)


def set_checkpoint_debug_enabled(enabled: bool | None) -> AbstractContextManager[None]:
    """Whether checkpoints made in the block have `debug=True`; None: as each call says.

    Example:
        >>> with set_checkpoint_debug_enabled(True):
        ...     y = checkpoint(exp, tensor([0.5], requires_grad=True), use_reentrant=False)
    """
    return _override("debug", enabled)


# use_reentrant=False ------------------------------------------------------------------------------


def _metadata(tensor: Tensor) -> dict[str, Any]:
    return {"shape": tensor.shape, "dtype": tensor.dtype, "device": tensor.device}


_DETERMINISM_CHECKS: dict[str, Callable[[Tensor], object]] = {
    "default": _metadata,
    "none": lambda _: None,
}
"""By the name of the determinism check, what of a tensor must be the same in both runs."""


def _is_mapped() -> bool:
    """Whether the function runs in a vmap or jvp, which backward, to run it again, finds closed.

    Raises:
        GraphError: in a grad or vjp: it takes no hooks.
    """
    if modes.levels and modes.no_hooks is not None:
        raise GraphError(modes.no_hooks)
    return bool(modes.levels)


def _drawing_from(random_state: Tensor | None) -> AbstractContextManager[None]:
    """Draw random numbers as in that state, if there is one, and afterwards as if none was."""
    return contextlib.nullcontext() if random_state is None else fork(random_state)


Recomputed = dict[int, Tensor]


class _Holder:
    """What a node keeps in the stead of a tensor: its position among all that was saved."""

    __slots__ = ("__weakref__", "position")

    nbytes = 0  # a trace tells of the tensor when it has been computed again

    def __init__(self, position: int) -> None:
        self.position = position


@dataclass(eq=False)
class _Checkpointed:
    """One call of a checkpointed function: what it saved, and how to compute that again.

    Args:
        recompute: runs the function on its positional arguments, as it ran the first time.
        arguments: those, without the tensors.
        inputs: the node that keeps the tensors.
        early_stop: leave the function as soon as everything is there.
        metadata: what must be the same of a tensor the second time.
        log: where the lines that saved the tensors are remembered, for the error; None: nowhere.

    Attributes:
        span: the sequence numbers before and behind the call.
        numbers: the one behind each tensor that was saved.
    """

    recompute: Callable[..., object]
    arguments: "_Arguments"
    inputs: Any
    early_stop: bool
    metadata: Callable[[Tensor], object]
    log: list[str] | None
    is_complete: bool = False

    def __post_init__(self) -> None:
        self.holders: list[weakref.ref[_Holder]] = []
        self._saved_metadata: list[object] = []
        self._passes: weakref.WeakKeyDictionary[Any, Recomputed] = weakref.WeakKeyDictionary()
        self.numbers: list[int] = []
        start = self.inputs.seq
        self.span: tuple[int, float] = start, math.inf
        segments[start] = self

    def complete(self) -> None:
        """Note that the function has run for the first time."""
        self.is_complete, self.span = True, (self.span[0], next_seq())

    def pack(self, tensor: Tensor) -> _Holder:
        """Let a tensor go that is saved as the function runs for the first time."""
        holder = _Holder(len(self.holders))
        self.holders.append(weakref.ref(holder))
        self.numbers.append(next_seq())
        self._saved_metadata.append(self.metadata(tensor))
        if self.log is not None:
            self.log.append(_line_that_saved(tensor))
        return holder

    def unpack(self, holder: _Holder) -> Tensor:
        """The tensor again: recomputed, with all the others, if it is the first of a pass."""
        task = modes.task
        if task is None:
            return self._recomputed(holder.position)[holder.position]
        found = self._passes.get(task)
        if found is None:
            found = self._passes[task] = self._recomputed(holder.position)
        elif task.is_rewound and holder.position not in found:
            found[holder.position] = self._recomputed(holder.position)[holder.position]
        if holder.position not in found:
            raise CheckpointError(
                "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already "
                "unpacked once. A recomputed tensor is let go as soon as backward has it. If you "
                "are calling ctx.saved_tensors in backward, make sure to do so only once."
            )
        return found.pop(holder.position)

    def _recomputed(self, asked: int) -> Recomputed:
        """What was saved, by position, from running the function again, for what is at one."""
        run = _Recomputation(self)
        # with a checkpoint around this one, that is recomputed first
        args = self.arguments.with_tensors(self.inputs.saved_tensors)
        try:
            hooks = packing(run.pack, lambda tensor: tensor)
            with contextlib.suppress(_StopRecomputation), hooks, setting(grad=True):
                self.recompute(*args)
                run.is_whole = True
            self._compare(run)
            run.is_sound = True
        except CheckpointError as error:
            if self.log is None or run.log is None:
                raise
            raise _with_logs(error, self.log, run.log) from error
        finally:
            _tell(self, asked, run)
        return run.found

    def _compare(self, run: "_Recomputation") -> None:
        """Raise CheckpointError unless the same was saved the second time."""
        if run.count < len(self.holders):
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the "
                "original forward and recomputation.\n"
                f"Number of tensors saved during forward: {len(self.holders)}\n"
                f"Number of tensors saved during recomputation: {run.count}.\n{_ADVICE}"
            )
        different = ""
        for n in sorted(run.found):
            old, new = self._saved_metadata[n], self.metadata(run.found[n])
            if old != new:
                different += f"tensor at position {n}:\nsaved metadata: {old}\n"
                different += f"recomputed metadata: {new}\n"
        if different:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors have "
                "different metadata than during the forward pass.\n"
                f"{different}.\n{_ADVICE}"
            )


_ADVICE = (
    "The function must do the same both times: it may not depend on what changed since, such as a "
    "counter, a global or a tensor written in holder. Pass such values as arguments. To see which "
    "lines saved what, pass `debug=True` to checkpoint(), or run the forward inside "
    "`with set_checkpoint_debug_enabled(True):`."
)


class _StopRecomputation(BaseException):
    """No error: leaves the function from the op that saved the last tensor.

    An `except Exception` in the function must not stop it.
    """


class _Recomputation:
    """One more run of a checkpointed function.

    Attributes:
        found: by position, the tensors whose holder is still there.
        count: how many were saved so far.
        is_whole: whether it has come to the end of the function.
        is_sound: whether it has done what the first run did.
    """

    is_whole = is_sound = False

    def __init__(self, call: _Checkpointed) -> None:
        self.call, self.count = call, 0
        self.found: Recomputed = {}
        self.log: list[str] | None = None if call.log is None else []

    def pack(self, tensor: Tensor) -> Tensor:
        """Note a tensor that is saved; it is kept, so that the graph of the run can be used."""
        kept = tensor.detach() if tensor.requires_grad else tensor  # x → node → x is a cycle
        position, holders = self.count, self.call.holders
        self.count += 1
        if self.log is not None:
            self.log.append(_line_that_saved(tensor))
        if position >= len(holders):
            # A backward inside the function finds it half done: what comes later is not known yet.
            if self.call.is_complete:
                raise CheckpointError(
                    "torch.utils.checkpoint: trying to save more tensors during recomputation than "
                    f"during the original forward pass, which saved {len(holders)}. {_ADVICE}"
                )
        elif holders[position]() is not None:  # or a backward inside the function has freed it
            self.found[position] = kept
        if self.call.early_stop and self.count == len(holders):
            raise _StopRecomputation
        return kept


def _tell(*about: Any) -> AbstractContextManager[Any]:
    """Tell the log of the pass, if there is one, of a run; the block in which a pass follows it."""
    block = None if modes.tracer is None else modes.tracer("recompute", *about)
    return contextlib.nullcontext() if block is None else block


# The inputs ---------------------------------------------------------------------------------------


class CheckpointInputs(Function):
    """Saves the inputs of a checkpoint: checked for writes, and packed by a checkpoint around it.

    Its node is all that is wanted of it; no gradient ever comes there, and nothing moves.
    """

    @staticmethod
    def forward(ctx: Any, anchor: Tensor, *tensors: Tensor) -> Tensor:
        """Save `tensors`; `anchor` requires grad, so that there is a node."""
        ctx.save_for_backward(*tensors)
        return anchor.clone()

    @staticmethod
    def jvp(ctx: Any, anchor: Tensor, *tensors: Tensor) -> Tensor:
        """The tangent of the anchor: 0."""
        return anchor


class _Arguments:
    """The arguments of a call without its tensors: those are saved by a node.

    Attributes:
        names: what the tensors are called in the log of a pass: "args[0]".
    """

    def __init__(self, args: tuple[Any, ...]) -> None:
        self._rest = [_A_TENSOR if isinstance(arg, Tensor) else arg for arg in args]

    @property
    def names(self) -> list[str]:
        return [f"args[{at}]" for at, arg in enumerate(self._rest) if arg is _A_TENSOR]

    def with_tensors(self, tensors: Iterable[Tensor]) -> list[Any]:
        """All arguments, with these tensors in their places."""
        supply = iter(tensors)
        return [next(supply) if arg is _A_TENSOR else arg for arg in self._rest]


_A_TENSOR = object()
"""Stands for a tensor among arguments."""


def _kept(args: Iterable[Any]) -> Any:
    """A node that keeps the tensors among arguments."""
    return CheckpointInputs.apply(zeros((), requires_grad=True), *_tensors_among(args)).grad_fn


def _tensors_among(args: Iterable[Any]) -> list[Tensor]:
    return [arg for arg in args if isinstance(arg, Tensor)]


# What `debug=True` shows --------------------------------------------------------------------------


def _line_that_saved(tensor: Tensor) -> str:
    """The tensor, and the line outside of glassgrad whose op saves it."""
    (place,) = traceback.extract_stack(outside(sys._getframe()), limit=1)
    where = f"{place.filename}:{place.lineno} in {place.name}: {place.line}"
    return f"{tensor.dtype}{list(tensor.shape)}  {where}"


def _with_logs(error: CheckpointError, first: list[str], second: list[str]) -> CheckpointError:
    """The error, with the lines that saved tensors in both runs."""
    return CheckpointError(
        "An error happened while unpacking tensors; dumping logs of latest computation because "
        "you passed `debug=True` to `torch.utils.checkpoint.checkpoint()`.\n\n"
        f"Saved during the original forward:\n{_numbered(first)}\n"
        f"Saved during recomputation:\n{_numbered(second)}\n"
        "ERROR: Detected non-determinism while running activation checkpointing. You are seeing "
        "this error because you passed `debug=True` to checkpoint and the tensors to be saved "
        "differ between the original forward and the recomputation. Look for the first line above "
        f"that is not the same in both lists.\n\n{error}"
    )


def _numbered(lines: list[str]) -> str:
    return "".join([f"  {n}: {line}\n" for n, line in enumerate(lines)]) or "  nothing\n"


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
    def forward(ctx: Any, run_function: Func, preserve_rng_state: bool, *args: Any) -> Any:
        """Run without recording; keep the arguments."""
        tensors = _tensors_among(args)
        if not any(tensor.requires_grad for tensor in tensors):
            warn("None of the inputs have requires_grad=True. Gradients will be None")
        ctx.run_function = run_function
        ctx.random_state = get_rng_state() if preserve_rng_state else None
        ctx.arguments = _Arguments(args)
        ctx.save_for_backward(*tensors)
        with setting(grad=False):
            return run_function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """Run again, recorded, and backward over that."""
        _check_whole_pass()
        tensors = detach_variable(tuple(ctx.saved_tensors))
        inputs = ctx.arguments.with_tensors(tensors)
        wanted: list[bool] = []
        try:
            with _drawing_from(ctx.random_state), setting(grad=True):
                outputs = ctx.run_function(*inputs)
            outputs = (outputs,) if isinstance(outputs, Tensor) else outputs
            wanted = [isinstance(y, Tensor) and y.requires_grad for y in outputs]
        finally:
            inner_pass = _tell(ctx)
        if True not in wanted:
            raise GraphError(
                "none of output has requires_grad=True, this checkpoint() is not necessary: no "
                "gradient goes through what it computes. Call the function itself, or write "
                "use_reentrant=False."
            )
        with inner_pass:
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


# What Functions that run something again are written with ----------------------------------------


def check_backward_validity(inputs: Iterable[Any]) -> None:
    """Warn if no gradient will go back to any of the inputs."""
    if not any(isinstance(x, Tensor) and x.requires_grad for x in inputs):
        warn("None of the inputs have requires_grad=True. Gradients will be None")


class DefaultDeviceType:
    """The kind of device whose random numbers second runs draw again; here it is one for all."""

    _type = "cpu"

    @staticmethod
    def set_device_type(device: str = "cuda") -> None:
        """Remember another one."""
        DefaultDeviceType._type = device

    @staticmethod
    def get_device_type() -> str:
        """The one remembered; "cpu" at first."""
        return DefaultDeviceType._type


class CheckpointPolicy(enum.Enum):
    """What PyTorch may do with what an op in a checkpoint made: keep it, or compute it again."""

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


def create_selective_checkpoint_contexts(
    policy_fn_or_list: Any,
    allow_cache_entry_mutation: bool = False,  # noqa: ARG001  # there is no cache
) -> Contexts:
    """The contexts of a checkpoint that chooses what it keeps: here nothing, so nobody is asked.

    Args:
        policy_fn_or_list: says what to do with an op, or the ops whose results to keep.
        allow_cache_entry_mutation: accepted, and without effect.

    Raises:
        ArgumentTypeError: for anything but a function or a list.
    """
    if not callable(policy_fn_or_list) and not isinstance(policy_fn_or_list, list):
        raise ArgumentTypeError(
            "policy_fn_or_list must be either a function or a list of ops, got "
            f"{type(policy_fn_or_list).__name__}. It says what is kept."
        )
    return noop_context_fn()


def detach_variable(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The same with new leaves in the place of tensors: where a second run begins.

    Args:
        inputs: tensors, each of which requires grad as before, and anything else.

    Raises:
        ArgumentTypeError: if they are no tuple.

    Example:
        >>> x = ones(2, requires_grad=True) * 2
        >>> detach_variable((x, 3))
        (tensor([2., 2.], requires_grad=True), 3)

    See also: https://pytorch.org/docs/stable/checkpoint.html
    """
    if not isinstance(inputs, tuple):
        raise ArgumentTypeError(
            "Only tuple of tensors is supported. Got Unsupported input type: "
            f"{type(inputs).__name__}. Write `detach_variable((x,))`."
        )
    return tuple(
        [x.detach().requires_grad_(x.requires_grad) if isinstance(x, Tensor) else x for x in inputs]
    )


def get_device_states(*_: Any) -> tuple[list[int], list[Tensor]]:
    """The GPUs on which some arguments are, and the states of their random numbers: none here.

    Random numbers are drawn on the CPU, whose state `get_rng_state` gives.

    Example:
        >>> get_device_states(ones(2))
        ([], [])
    """
    return [], []


def set_device_states(
    devices: Iterable[int], states: Iterable[Tensor], *, device_type: str | None = None
) -> None:
    """Set what `get_device_states` gave: nothing.

    Example:
        >>> set_device_states(*get_device_states(ones(2)))
    """
