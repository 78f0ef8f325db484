"""Scripts that compute with PyTorch: their passes, recorded as those of glassgrad are."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

from glassgrad.core.state import setting
from glassgrad.core.tensor import Tensor
from glassgrad.doctor.source_torch import when_imported
from glassgrad.tracing import Trace
from glassgrad.tracing import torch as watch
from glassgrad.tracing._torch.recorder import TorchGraph, named
from glassgrad.tracing.summary import ArrayTable
from glassgrad.viz.explaining.entries import as_far_as_it_came

Run = Callable[[list[Any], tuple[Any, ...], Callable[[], None]], None]

MISSING = (
    "PyTorch is not installed. Type `pip install torch`, or let glassgrad take its place: begin "
    "the script with `import glassgrad`, then `glassgrad.as_torch()`."
)


def is_torch(value: Any) -> bool:
    """Whether `value` is a tensor of PyTorch's own; under `as_torch()` there is none."""
    kind = getattr(sys.modules.get("torch"), "Tensor", None)
    return isinstance(kind, type) and kind is not Tensor and isinstance(value, kind)


@contextmanager
def watched(run: Run) -> Iterator[None]:
    """Have `run` do what `torch.autograd.backward` would, from when the script imports PyTorch.

    Args:
        run: is given the tensors to begin at, the pass's other options in the order of
            `backward`'s, and what runs the pass as nobody watches it.
    """
    with ExitStack() as stack:

        def watch_it() -> None:
            if is_torch(sys.modules["torch"].empty(0)):
                stack.enter_context(_passes_run_by(run))

        if "torch" in sys.modules:
            watch_it()
        else:
            stack.enter_context(when_imported("torch", watch_it))
        yield


def _passes_run_by(run: Run) -> setting:
    autograd = sys.modules["torch"].autograd
    plain = autograd.backward

    def backward(
        tensors: Any,
        grad_tensors: Any = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        grad_variables: Any = None,
        inputs: Any = None,
    ) -> None:
        outputs = [tensors] if is_torch(tensors) else list(tensors)
        given = grad_tensors if grad_variables is None else grad_variables
        options = given, retain_graph, create_graph, inputs

        def as_it_is() -> None:
            plain(tensors, given, retain_graph, create_graph, inputs=inputs)

        run(outputs, options, as_it_is)

    return setting(vars(autograd), backward=backward)


def record(
    outputs: Sequence[Any], names: dict[str, Any], **options: Any
) -> tuple[Trace, None, Exception | None]:
    """Run a pass of PyTorch's and record it: the trace, nothing of its rules, and what ended it."""
    trace, error = as_far_as_it_came(partial(watch.record, outputs, names=names, **options))
    return trace, None, error


def snapshot(output: Any, names: dict[str, Any]) -> Trace:
    """The graph behind a tensor of PyTorch's, without running a pass."""
    table = ArrayTable(full=False)
    return Trace(TorchGraph([output], None, named(names)).describe(table), table.summaries, [])
