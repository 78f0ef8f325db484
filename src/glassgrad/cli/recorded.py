"""What `glassgrad draw` draws of a script: the passes that it ran, recorded while they ran.

In this order it is

    --var NAME    that tensor of the script: its pass as the script ran it, or one that is run now
    a pass        the last that the script ran itself
    a loss        the last number (0-d tensor) that requires grad among its variables: run now
"""

import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from glassgrad.base.errors import FreedGraphError
from glassgrad.core.tensor import Tensor
from glassgrad.tracing import Trace, record, snapshot

from .scripts import find_loss, named

__all__ = ["Passes", "trace_of"]


@dataclass
class Passes:
    """The passes that a script ran, each recorded while it ran.

    Attributes:
        last: the trace of the last one, None if there was none.
        of: the last trace for each output, by the tensor's id, with a reference to the tensor.
    """

    last: Trace | None = None
    of: dict[int, tuple[weakref.ref[Tensor], Trace]] = field(default_factory=dict)

    def add(self, outputs: Sequence[Tensor], trace: Trace) -> None:
        """Keep `trace`; those of tensors that are gone by now go, too."""
        self.last = trace
        self.of = {key: pair for key, pair in self.of.items() if pair[0]() is not None}
        self.of |= {id(output): (weakref.ref(output), trace) for output in outputs}

    def watch(self, names: dict[str, Any], outputs: list[Tensor], options: dict[str, Any]) -> None:
        """Run a pass of the script and record it, under the names its variables have now."""
        with named(names):
            trace = record(outputs, **options)
        self.add(outputs, trace)

    def trace_of(self, tensor: Tensor) -> Trace | None:
        """The last recorded pass that began at `tensor`."""
        known, trace = self.of.get(id(tensor), (None, None))
        return trace if known is not None and known() is tensor else None


def trace_of(names: dict[str, Any], passes: Passes, var: str | None) -> Trace:
    """The trace of what is to be drawn of a script.

    Args:
        names: the variables of the script.
        passes: the passes that it ran.
        var: the name of a tensor in the script; None: the last pass, or the last loss.

    Raises:
        DataError: if there is nothing to draw.
    """
    if var is None and passes.last is not None:
        return passes.last
    tensor = find_loss(names, var)
    recorded = passes.trace_of(tensor)
    if recorded is not None:
        return recorded
    with named(names):
        if tensor.dim():
            return snapshot(tensor)  # there is no one gradient to begin with
        try:
            return record(tensor)
        except FreedGraphError:
            return snapshot(tensor)
