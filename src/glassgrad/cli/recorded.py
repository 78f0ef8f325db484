"""What `glassgrad draw` draws of a script: the passes that it ran, recorded while they ran.

In this order it is

    --var NAME    that tensor of the script: its pass as the script ran it, or one that is run now
    a pass        the last that the script ran itself, or the one that --pass numbers
    a loss        the last number (0-d tensor) that requires grad among its variables: run now
"""

import sys
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from glassgrad.core.errors import FreedGraphError
from glassgrad.core.tensor import Tensor
from glassgrad.tracing import Trace, record, snapshot
from glassgrad.viz.explaining.entries import record_explained

from .scripts import find_loss, losses_in, named, run_pass, wrong_number

MOST_TOLD = 8  # other losses
MOST_EXPLAINED = 20  # passes of a script; those after them are recorded only


@dataclass(frozen=True, slots=True)
class Recorded:
    """A pass to draw.

    Attributes:
        trace: its record.
        explain: what is known of its nodes, as `viz.explaining` has it; None: what the trace tells.
        error: what ended it, if it failed and no script could handle that.
    """

    trace: Trace
    explain: dict[str, Any] | None = None
    error: Exception | None = None


@dataclass
class Passes:
    """The passes that a script ran, each recorded while it ran.

    Attributes:
        number: the one that is wanted, counted from 1; None: any.
        explaining: whether to explain the nodes, too.
        seen: how many there were.
        last: the last one recorded, None if there was none.
        of: the last one for each output, by the tensor's id, with a reference to the tensor.
    """

    number: int | None = None
    explaining: bool = False
    seen: int = 0
    last: Recorded | None = None
    of: dict[int, tuple[weakref.ref[Tensor], Recorded]] = field(default_factory=dict)

    def watch(self, names: dict[str, Any], outputs: list[Tensor], options: dict[str, Any]) -> None:
        """Run a pass of the script and record it, under the names its variables have now."""
        self.seen += 1
        if self.number not in (None, self.seen):
            run_pass(outputs, options)
            return
        explaining = self.explaining and bool(self.number or self.seen <= MOST_EXPLAINED)
        with named(names):
            found = _run(outputs, explaining, options)
        self._add(outputs, replace(found, error=None))
        if found.error is not None:
            raise found.error  # the script's to handle

    def _add(self, outputs: Sequence[Tensor], found: Recorded) -> None:
        """Keep a pass; those of tensors that are gone by now go, too."""
        self.last = found
        self.of = {key: pair for key, pair in self.of.items() if pair[0]() is not None}
        self.of |= {id(output): (weakref.ref(output), found) for output in outputs}

    def from_tensor(self, tensor: Tensor) -> Recorded | None:
        """The last recorded pass that began at `tensor`."""
        known, found = self.of.get(id(tensor), (None, None))
        return found if known is not None and known() is tensor else None


def recorded(names: dict[str, Any], passes: Passes, var: str | None) -> Recorded:
    """What is to be drawn of a script that has ended.

    Args:
        names: the variables of the script.
        passes: the passes that it ran.
        var: the name of a tensor in the script; None: the last pass, or the last loss.

    Raises:
        DataError: if there is nothing to draw.
    """
    if var is None and passes.last is not None:
        return passes.last
    if passes.number is not None and passes.last is None:
        raise wrong_number(passes.number, passes.seen, "drawn")
    tensor = find_loss(names, var)
    if var is None:
        _tell_of_others(names, tensor)
    known = passes.from_tensor(tensor)
    if known is not None:
        return known
    with named(names):
        if tensor.dim():
            return Recorded(snapshot(tensor))  # there is no one gradient to begin with
        found = _run([tensor], passes.explaining, {})
        return Recorded(snapshot(tensor)) if isinstance(found.error, FreedGraphError) else found


def _tell_of_others(names: dict[str, Any], tensor: Tensor) -> None:
    losses = losses_in(names)
    chosen = next(name for name, value in losses.items() if value is tensor)
    others = [name for name, value in losses.items() if not value.is_leaf and value is not tensor]
    if others:
        which = ", ".join(f"--var {name}" for name in others[-MOST_TOLD:])
        sys.stderr.write(f"glassgrad: drawing {chosen}, the last loss; there are others: {which}\n")


def _run(outputs: list[Tensor], explaining: bool, options: dict[str, Any]) -> Recorded:
    """Run a pass; one that fails while it runs is returned with its error."""
    if explaining:
        return Recorded(*record_explained(outputs, **options))
    try:
        return Recorded(record(outputs, **options))
    except Exception as error:
        trace = getattr(error, "trace", None)
        if not isinstance(trace, Trace):
            raise
        return Recorded(trace, None, error)
