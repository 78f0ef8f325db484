"""A user's script, run as `python script.py` would run it, with an eye on its backward passes.

The script sees its own arguments, its own folder on the path and itself as `__main__`; what it
prints and how it exits are its own.
"""

import contextlib
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from glassgrad import tracing
from glassgrad._programs import reaching, to_stdout
from glassgrad.core import backward as engine
from glassgrad.core.errors import DataError
from glassgrad.core.tensor import Tensor
from glassgrad.nn import Module

WATCHERS = (Path(__file__).parent, Path(tracing.__file__).parent)  # what a pass is watched from

Watcher = Callable[[dict[str, Any], list[Tensor], dict[str, Any]], None]


@dataclass(frozen=True, slots=True)
class ScriptRun:
    """What came of a script.

    Args:
        names: its variables.
        code: its exit code, 0 if it ran to its end.
    """

    names: dict[str, Any]
    code: int


def run_script(path: Path, arguments: Sequence[str], watcher: Watcher) -> ScriptRun:
    """Run the script at `path`.

    Args:
        arguments: what it finds in `sys.argv`.
        watcher: runs each backward pass in the engine's stead. It is given the script's variables,
            the tensors to begin at, and the options of `backward`.

    Raises:
        DataError: if there is no such script, or it cannot be read.
    """
    remedy = "It is run to see its backward pass. Name a Python file."
    with reaching(f"read the script {path}", remedy):
        source = path.read_bytes()
    module = ModuleType("__main__")
    names = module.__dict__
    names.update(__file__=str(path), __builtins__=__builtins__)
    with _as_main(module, path, arguments), _watching(watcher, names):
        code = _run(source, path, names)
    return ScriptRun(names, code)


def _run(source: bytes, path: Path, names: dict[str, Any]) -> int:
    """Run the script; an exception ends it as it ends any script: traceback, exit code 1."""
    try:
        exec(compile(source, str(path), "exec"), names)  # noqa: S102  # the script that was asked for
    except SystemExit as request:
        if request.code is None or isinstance(request.code, int):
            return request.code or 0
        sys.stderr.write(f"{request.code}\n")
        return 1
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  # as Python does at the end of a script
        _print_traceback(error)
        return 1
    finally:
        if sys.stdout is not None:
            with to_stdout():
                pass  # what the script has written comes before what is said here
    return 0


def _print_traceback(error: BaseException) -> None:
    """Print what Python would print, had nobody watched: without the frames of those who do."""
    shown = traceback.TracebackException.from_exception(error)
    links = [shown]
    for link in links:  # it grows: each adds what led to it, and `traceback` names none twice
        link.stack = traceback.StackSummary.from_list(_unwatched(list(link.stack)))
        links += [each for each in (link.__cause__, link.__context__) if each is not None]
    sys.stderr.write("".join(shown.format()))


def _unwatched(frames: list[traceback.FrameSummary]) -> list[traceback.FrameSummary]:
    own = [frame for frame in frames if Path(frame.filename).parent not in WATCHERS]
    if own[-1:] == frames[-1:]:
        return own
    return frames[1:]  # a watcher has failed: all there is, but for what runs the script


@contextlib.contextmanager
def _as_main(module: ModuleType, path: Path, arguments: Sequence[str]) -> Iterator[None]:
    """Give the script its arguments, its folder on the path, and the name `__main__`."""
    before = sys.argv, list(sys.path), sys.modules["__main__"]
    sys.argv = [str(path), *arguments]
    sys.path.insert(0, str(path.resolve().parent))
    sys.modules["__main__"] = module
    try:
        yield
    finally:
        sys.argv, sys.path[:], sys.modules["__main__"] = before


# The passes it runs ------------------------------------------------------------------------------


@contextlib.contextmanager
def _watching(watcher: Watcher, names: dict[str, Any]) -> Iterator[None]:
    """Have `watcher` run what `backward()` would run; passes inside of one are nobody's concern."""
    make_task, is_inside = engine.backward_task, False

    def task(
        tensors: Any,
        grad_tensors: Any = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Any = None,
    ) -> Any:
        outputs = [tensors] if isinstance(tensors, Tensor) else tensors
        listed = isinstance(outputs, (list, tuple)) and all(isinstance(y, Tensor) for y in outputs)
        if is_inside or not listed:  # what is not listed begins at edges
            return make_task(tensors, grad_tensors, retain_graph, create_graph, inputs)
        options = {"gradient": grad_tensors, "inputs": inputs}
        options |= {"retain_graph": retain_graph, "create_graph": create_graph}
        return SimpleNamespace(run=lambda: run(list(outputs), options))

    def run(outputs: list[Tensor], options: dict[str, Any]) -> None:
        nonlocal is_inside
        is_inside = True
        try:
            watcher(names, outputs, options)
        finally:
            is_inside = False

    engine.backward_task = task
    try:
        yield
    finally:
        engine.backward_task = make_task


def run_pass(outputs: list[Tensor], options: dict[str, Any]) -> None:
    """Run a pass as the script meant it, unwatched: with the options that a watcher is given."""
    others = {name: value for name, value in options.items() if name != "gradient"}
    engine.backward(outputs, options["gradient"], **others)


@contextlib.contextmanager
def named(names: dict[str, Any]) -> Iterator[None]:
    """Tensors without a name are called as the script's variables and modules call them."""
    found: list[tuple[str, Tensor]] = []
    for key, value in list(names.items()):
        if isinstance(value, Tensor):
            found.append((key, value))
        elif isinstance(value, Module):
            found += [(f"{key}.{name}", each) for name, each in value.named_parameters()]
    nameless = []
    for name, tensor in found:
        if tensor.name is None:  # the first name that leads to it is the one it gets
            tensor.name = name
            nameless.append(tensor)
    try:
        yield
    finally:
        for tensor in nameless:
            tensor.name = None


# What to look at ---------------------------------------------------------------------------------


def wrong_number(number: int, seen: int, done: str) -> DataError:
    """The error about a pass that was to be `done` (drawn, stepped), and did not come."""
    return DataError(
        f"the script ran {seen} backward pass{'es' if seen != 1 else ''}, and number {number} was "
        f"to be {done}. They are counted from 1. Leave --pass out, or name one that there is."
    )


def find_loss(names: dict[str, Any], var: str | None) -> Tensor:
    """The tensor called `var`, or the last number that requires grad.

    Raises:
        DataError: if there is none, or it has no graph.
    """
    if var is not None:
        return _called(names, var)
    losses = list(losses_in(names).values())
    if not losses:
        raise DataError(
            "found no loss: the script ran no backward(), and none of its variables is a number "
            f"(a 0-d tensor) that requires grad.{_tensors_in(names)} A picture shows the graph "
            "behind a tensor. Name one: --var NAME."
        )
    return next((y for y in reversed(losses) if not y.is_leaf), losses[-1])


def losses_in(names: dict[str, Any]) -> dict[str, Tensor]:
    """The variables that are a number (a 0-d tensor) and require grad."""
    return {name: value for name, value in _requiring_grad(names).items() if not value.dim()}


def _requiring_grad(names: dict[str, Any]) -> dict[str, Tensor]:
    return {
        name: value
        for name, value in names.items()
        if isinstance(value, Tensor) and value.requires_grad
    }


def _called(names: dict[str, Any], var: str) -> Tensor:
    if var not in names:
        raise DataError(
            f"the script has no variable {var!r}.{_tensors_in(names)} Only variables of the "
            "script itself are found, not those inside its functions. Name one of them: --var NAME."
        )
    value = names[var]
    if not isinstance(value, Tensor) or not value.requires_grad:
        what = "a tensor without requires_grad" if isinstance(value, Tensor) else "no tensor"
        raise DataError(
            f"{var} is {what}: {type(value).__name__}. Only a tensor that requires grad has a "
            f"graph behind it.{_tensors_in(names)} Name one: --var NAME."
        )
    return value


def _tensors_in(names: dict[str, Any]) -> str:
    found = [f"{key} {tuple(value.shape)}" for key, value in _requiring_grad(names).items()]
    return f" Those that require grad: {', '.join(found[:8])}." if found else ""
