"""Forgetting what a function saves for backward, and computing it again when it is asked for.

    forward:   f(x) ── saves a, b, c ──▶ a `Place` each; the tensors themselves are let go
    backward:  the first unpack of a pass runs f(x) again; a, b, c wait in the pass's own dict
               each unpack takes its tensor from there

# Note [The innermost checkpoint manages]
# Saved-tensor hooks do not stack: the innermost pair acts. So what an inner checkpoint saves is
# hidden from the outer one, except for its inputs, which are saved like any op's. To unpack a
# tensor is to recompute all checkpoints around it, from the outside in, each once per pass.

# Note [One recomputation per pass]
# Recomputed tensors belong to the pass that needed them and die with it, or when they are
# unpacked: with `retain_graph=True` the next pass starts afresh. Outside of a pass, nobody will
# ask for the others. A pass that was stepped back asks again for what it has let go of.
"""

import contextlib
import linecache
import sys
import weakref
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from glassgrad.autograd.function import Function
from glassgrad.autograd.grad_mode import enable_grad
from glassgrad.autograd.saved_hooks import saved_tensors_hooks
from glassgrad.core.errors import CheckpointError
from glassgrad.core.state import modes
from glassgrad.core.tensor import Tensor
from glassgrad.ops.creation import zeros

__all__ = ["Checkpointed"]

Recomputed = dict[int, Tensor]


class Place:
    """What a node keeps in the stead of a tensor: its position among all that was saved."""

    __slots__ = ("__weakref__", "position")

    def __init__(self, position: int) -> None:
        self.position = position


class Checkpointed:
    """One call of a checkpointed function: what it saved, and how to compute that again.

    Args:
        again: runs the function on its positional arguments, as it ran the first time.
        args: those arguments.
        early_stop: leave the function as soon as everything is there.
        look: what must be the same of a tensor the second time.
        is_logging: remember which lines saved the tensors, for the error.
    """

    def __init__(
        self,
        again: Callable[..., object],
        args: tuple[Any, ...],
        *,
        early_stop: bool,
        look: Callable[[Tensor], object],
        is_logging: bool,
    ) -> None:
        self.early_stop, self.look = early_stop, look
        self.places: list[weakref.ref[Place]] = []
        self.is_complete = False
        self.log: list[str] | None = [] if is_logging else None
        self._again = again
        self._looks: list[object] = []
        self._inputs = _Inputs(args)
        self._passes: weakref.WeakKeyDictionary[Any, Recomputed] = weakref.WeakKeyDictionary()

    def hooks(self) -> saved_tensors_hooks:
        """The hooks under which the function runs for the first time."""
        return saved_tensors_hooks(self._pack, self._unpack)

    def _pack(self, tensor: Tensor) -> Place:
        place = Place(len(self.places))
        self.places.append(weakref.ref(place))
        self._looks.append(self.look(tensor))
        if self.log is not None:
            self.log.append(_line_that_saved(tensor))
        return place

    def _unpack(self, place: Place) -> Tensor:
        task = modes.task
        if task is None:
            return self._recomputed()[place.position]
        found = self._passes.get(task)
        if found is None or (task.is_rewound and place.position not in found):
            found = self._passes[task] = self._recomputed()
        if place.position not in found:
            raise CheckpointError(
                "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already "
                "unpacked once. A recomputed tensor is let go as soon as backward has it. If you "
                "are calling ctx.saved_tensors in backward, make sure to do so only once."
            )
        return found.pop(place.position)

    def _recomputed(self) -> Recomputed:
        """What was saved, by position, from running the function again."""
        run = _Recomputation(self)
        args = self._inputs.unpacked()
        try:
            with contextlib.suppress(_EverythingIsThere), run.hooks(), enable_grad():
                self._again(*args)
            self._compare(run)
        except CheckpointError as error:
            if self.log is None or run.log is None:
                raise
            raise _with_logs(error, self.log, run.log) from error
        return run.found

    def _compare(self, run: "_Recomputation") -> None:
        """Raise CheckpointError unless the same was saved the second time."""
        if run.count < len(self.places):
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the "
                "original forward and recomputation.\n"
                f"Number of tensors saved during forward: {len(self.places)}\n"
                f"Number of tensors saved during recomputation: {run.count}.\n{_ADVICE}"
            )
        pairs = [(n, self._looks[n], self.look(run.found[n])) for n in sorted(run.found)]
        different = [
            f"tensor at position {n}:\nsaved metadata: {old}\nrecomputed metadata: {new}\n"
            for n, old, new in pairs
            if old != new
        ]
        if different:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors have "
                "different metadata than during the forward pass.\n"
                f"{''.join(different)}.\n{_ADVICE}"
            )


_ADVICE = (
    "The function must do the same both times: it may not depend on what changed since, such as a "
    "counter, a global or a tensor written in place. Pass such values as arguments. To see which "
    "lines saved what, pass `debug=True` to checkpoint(), or run the forward inside "
    "`with set_checkpoint_debug_enabled(True):`."
)


class _EverythingIsThere(BaseException):
    """No error: leaves the function from the op that saved the last tensor.

    An `except Exception` in the function must not stop it.
    """


class _Recomputation:
    """One more run of a checkpointed function.

    Attributes:
        found: by position, the tensors whose place is still there.
        count: how many were saved so far.
    """

    def __init__(self, call: Checkpointed) -> None:
        self.call, self.count = call, 0
        self.found: Recomputed = {}
        self.log: list[str] | None = None if call.log is None else []

    def hooks(self) -> saved_tensors_hooks:
        """The hooks under which the function runs again; its own graph can be used, too."""
        return saved_tensors_hooks(self._pack, lambda tensor: tensor)

    def _pack(self, tensor: Tensor) -> Tensor:
        kept = tensor.detach() if tensor.requires_grad else tensor  # x → node → x is a cycle
        position, places = self.count, self.call.places
        self.count += 1
        if self.log is not None:
            self.log.append(_line_that_saved(tensor))
        if position >= len(places):
            self._check_excess()
        elif places[position]() is not None:  # or a backward inside the function has freed it
            self.found[position] = kept
        if self.call.early_stop and self.count == len(places):
            raise _EverythingIsThere
        return kept

    def _check_excess(self) -> None:
        # A backward inside the function finds it half done: what comes later is not known yet.
        if self.call.is_complete:
            raise CheckpointError(
                "torch.utils.checkpoint: trying to save more tensors during recomputation than "
                f"during the original forward pass, which saved {len(self.call.places)}. {_ADVICE}"
            )


# The inputs -------------------------------------------------------------------------------------


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


class _Inputs:
    """The arguments of a call: its tensors as a node saves them, the rest as it is."""

    def __init__(self, args: tuple[Any, ...]) -> None:
        self._at = [n for n, arg in enumerate(args) if isinstance(arg, Tensor)]
        self._rest = [None if isinstance(arg, Tensor) else arg for arg in args]
        tensors = [arg for arg in args if isinstance(arg, Tensor)]
        anchor = zeros((), requires_grad=True)
        self._node = CheckpointInputs.apply(anchor, *tensors).grad_fn if tensors else None

    def unpacked(self) -> list[Any]:
        """The arguments; with a checkpoint around this one, it is recomputed first."""
        args = list(self._rest)
        if self._node is not None:
            for position, tensor in zip(self._at, self._node.saved_tensors, strict=True):
                args[position] = tensor
        return args


# What `debug=True` shows --------------------------------------------------------------------------

_PACKAGE = str(Path(__file__).parents[1])


def _line_that_saved(tensor: Tensor) -> str:
    """The tensor, and the line outside of glassgrad whose op saves it."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    what = f"{tensor.dtype}{list(tensor.shape)}"
    if frame is None:
        return what
    file, line = frame.f_code.co_filename, frame.f_lineno
    text = linecache.getline(file, line).strip()
    return f"{what}  {file}:{line} in {frame.f_code.co_name}: {text}"


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
