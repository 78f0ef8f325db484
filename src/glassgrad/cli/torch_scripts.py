"""Scripts that compute with PyTorch: their passes, recorded as those of glassgrad are."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from glassgrad.core.tensor import Tensor
from glassgrad.tracing import Trace
from glassgrad.tracing import torch as watch
from glassgrad.tracing._torch.recorder import TorchGraph, named
from glassgrad.tracing.summary import ArrayTable

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
    undo: list[Callable[[], None]] = []

    def watch_it(torch: Any) -> None:
        if is_torch(torch.empty(0)):
            undo.append(_watch_passes(torch.autograd, run))

    finder: Any = _Import(watch_it)
    if "torch" in sys.modules:
        watch_it(sys.modules["torch"])
    else:
        sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        if finder in sys.meta_path:
            sys.meta_path.remove(finder)
        for each in undo:
            each()


def _watch_passes(autograd: Any, run: Run) -> Callable[[], None]:
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

    autograd.backward = backward
    return lambda: setattr(autograd, "backward", plain)


class _Import:
    """Finds PyTorch as everybody else would, and hands it on once it is there.

    Args:
        then: is called with the module.
    """

    def __init__(self, then: Callable[[Any], None]) -> None:
        self.then = then

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """The spec of `torch`, whose loader calls `then` when it is done; of others none."""
        if name != "torch":
            return None
        finder: Any = self
        sys.meta_path.remove(finder)
        spec = find_spec(name)
        loader: Any = spec and spec.loader
        if loader is not None:
            load = loader.exec_module

            def exec_module(module: Any) -> None:
                load(module)
                self.then(module)

            loader.exec_module = exec_module
        return spec


def record(
    outputs: Sequence[Any], names: dict[str, Any], **options: Any
) -> tuple[Trace, None, Exception | None]:
    """Run a pass of PyTorch's and record it: the trace, nothing of its rules, and what ended it."""
    try:
        return watch.record(outputs, names=names, **options), None, None
    except Exception as failed:
        trace = getattr(failed, "trace", None)
        if not isinstance(trace, Trace):
            raise
        return trace, None, failed


def snapshot(output: Any, names: dict[str, Any]) -> Trace:
    """The graph behind a tensor of PyTorch's, without running a pass."""
    table = ArrayTable(full=False)
    return Trace(TorchGraph([output], None, named(names)).describe(table), table.summaries, [])
