"""A user's script, run as `python script.py` would run it, with an eye on its backward passes.

The script sees its own arguments, its own folder on the path and itself as `__main__`; what it
prints and how it exits are its own.
"""

import contextlib
import sys
import traceback
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from glassgrad import doctor, tracing
from glassgrad._programs import absent, is_open, reaching, tell, to_stdout
from glassgrad._words import counted
from glassgrad.cli import torch_scripts
from glassgrad.core import backward as engine
from glassgrad.core.errors import DataError
from glassgrad.core.state import setting
from glassgrad.core.tensor import Tensor
from glassgrad.nn import Module
from glassgrad.tracing import Trace, snapshot
from glassgrad.tracing.graph import Entry
from glassgrad.viz.explaining.entries import record_explained

# What a pass is watched from.
WATCHERS = tuple([Path(each).parent for each in (__file__, tracing.__file__, doctor.__file__)])
OPTIONS = ("gradient", "retain_graph", "create_graph", "inputs")  # of a pass: as of `backward`
MOST_TOLD = 8  # names in a message
MOST_EXPLAINED = 20  # passes of a script; those after them are recorded only

Options = dict[str, Any]
Watcher = Callable[[list[Tensor], Options], None]


class Script:
    """A script, and what has come of running it.

    Args:
        path: of its file.
        arguments: what it finds in `sys.argv`.

    Attributes:
        names: its variables.
        code: its exit code, 0 if it ran to its end.
        passes: how many backward passes it has run.
    """

    def __init__(self, path: Path, arguments: Sequence[str]) -> None:
        self.path, self.arguments = path, arguments
        self.module = ModuleType("__main__")
        self.names: dict[str, Any] = self.module.__dict__
        self.code = self.passes = 0

    def run(self, watcher: Watcher, number: int | None) -> None:
        """Run it, and have some of its passes run by others.

        Args:
            watcher: runs a backward pass in the engine's stead. It is given the tensors to begin
                at, and the options of `backward`.
            number: of the pass that it runs, counted from 1; None: each of them.

        Raises:
            DataError: if there is no such script, or it cannot be read.
        """
        self.run_within(self._watched(watcher, number))

    def run_within(self, block: contextlib.AbstractContextManager[object]) -> None:
        """Run it inside of a block.

        Raises:
            DataError: if there is no such script, or it cannot be read.
        """
        remedy = "It is run to see its backward pass. Name a Python file."
        with reaching(f"read the script {self.path}", remedy):
            source = self.path.read_bytes()
        self.names.update(__file__=str(self.path), __builtins__=__builtins__)
        with self._as_main(), block:
            self.code = self._execute(source)

    def _execute(self, source: bytes) -> int:
        """Run the code; an exception ends it as it ends any script: traceback, exit code 1."""
        try:
            exec(compile(source, str(self.path), "exec"), self.names)  # noqa: S102  # asked for
        except SystemExit as request:
            if request.code is None or isinstance(request.code, int):
                return request.code or 0
            sys.stderr.write(f"{request.code}\n")
            return 1
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001  # as Python does at the end of a script
            _print_traceback(error)
            if isinstance(error, ModuleNotFoundError):
                *_, (frame, _) = traceback.walk_tb(error.__traceback__)
                if error.name == "torch":
                    tell(torch_scripts.MISSING)
                elif str(frame.f_globals.get("__name__")).startswith("glassgrad."):
                    tell(absent(str(error.name)))
            return 1
        finally:
            if is_open():
                with to_stdout():
                    pass  # what the script has written comes before what is said here
        return 0

    @contextlib.contextmanager
    def _as_main(self) -> Iterator[None]:
        """Give the script its arguments, its folder on the path, and the name `__main__`."""
        path = [str(self.path.resolve().parent), *sys.path]
        inside = setting(vars(sys), argv=[str(self.path), *self.arguments], path=path)
        with inside, setting(sys.modules, __main__=self.module):
            yield

    @contextlib.contextmanager
    def _watched(self, watcher: Watcher, number: int | None) -> Iterator[None]:
        """Have `watcher` run what `backward()` would; passes inside of one are nobody's concern."""
        make_task, is_inside = engine.backward_task, False

        def task(tensors: Any, *options: Any) -> Any:
            outputs = engine.as_list(tensors)
            if is_inside or not all(isinstance(y, Tensor) for y in outputs):
                return make_task(outputs, *options)  # it is nobody's, or begins at edges
            plain = partial(make_task, outputs, *options)
            return SimpleNamespace(run=lambda: run(outputs, options, lambda: plain().run()))

        def run_torch(outputs: list[Any], options: Any, plain: Callable[[], None]) -> None:
            if is_inside or not all(torch_scripts.is_torch(y) for y in outputs):
                plain()
            else:
                run(outputs, options, plain)

        def run(outputs: list[Any], options: Any, plain: Callable[[], None]) -> None:
            nonlocal is_inside
            is_inside = True
            self.passes += 1
            try:
                if number not in (None, self.passes):
                    plain()
                    return
                with self.named():
                    watcher(outputs, dict(zip(OPTIONS, options, strict=True)))
            finally:
                is_inside = False

        with setting(vars(engine), backward_task=task), torch_scripts.watched(run_torch):
            yield

    # Its variables ------------------------------------------------------------------------------

    @contextlib.contextmanager
    def named(self) -> Iterator[None]:
        """Tensors without a name are called as the script's variables and modules call them."""
        found: list[tuple[str, Tensor]] = []
        for key, value in list(self.names.items()):
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

    @property
    def requiring_grad(self) -> dict[str, Tensor]:
        """The variables that are tensors and require grad."""
        return {name: x for name, x in self.names.items() if _is_tensor(x) and x.requires_grad}

    @property
    def losses(self) -> dict[str, Tensor]:
        """Those that are a number (a 0-d tensor): what was computed, else the leaves."""
        numbers = {name: y for name, y in self.requiring_grad.items() if not y.dim()}
        return {name: y for name, y in numbers.items() if not y.is_leaf} or numbers

    def find(self, var: str | None) -> Tensor:
        """The tensor called `var`, or the last loss.

        Raises:
            DataError: if there is none, or it has no graph.
        """
        losses, known = list(self.losses.values()), self.requiring_grad
        if var in known:
            return known[var]
        if var is None and losses:
            return losses[-1]
        shapes = [f"{name} {tuple(tensor.shape)}" for name, tensor in known.items()]
        others = f" Those that require grad: {', '.join(shapes[:MOST_TOLD])}." if shapes else ""
        if var is None:
            raise DataError(
                "found no loss: the script ran no backward(), and none of its variables is a "
                f"number (a 0-d tensor) that requires grad.{others} A picture shows the graph "
                "behind a tensor. Name one: --var NAME."
            )
        if var not in self.names:
            raise DataError(
                f"the script has no variable {var!r}.{others} Only variables of the script itself "
                "are found, not those inside its functions. Name one of them: --var NAME."
            )
        value = self.names[var]
        what = "a tensor without requires_grad" if _is_tensor(value) else "no tensor"
        raise DataError(
            f"{var} is {what}: {type(value).__name__}. Only a tensor that requires grad has a "
            f"graph behind it.{others} Name one: --var NAME."
        )

    def wrong_number(self, number: int, done: str) -> DataError:
        """The error about a pass that was to be `done` (drawn, stepped), and did not come."""
        ran = counted(self.passes, "backward pass", "backward passes")
        return DataError(
            f"the script ran {ran}, and number {number} was to be {done}. They are counted from 1. "
            "Leave --pass out, or name one that there is."
        )


def _is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor) or torch_scripts.is_torch(value)


def _print_traceback(error: BaseException) -> None:
    """Print what Python would print, had nobody watched: without the frames of those who do."""
    shown = traceback.TracebackException.from_exception(error)
    links = [shown]
    for link in links:  # it grows: each adds what led to it, and `traceback` names none twice
        link.stack = traceback.StackSummary.from_list(_unwatched(list(link.stack)))
        links += [each for each in (link.__cause__, link.__context__) if each is not None]
    sys.stderr.write("".join(shown.format()))


def _unwatched(frames: list[traceback.FrameSummary]) -> list[traceback.FrameSummary]:
    own = [frame for frame in frames if not {*Path(frame.filename).parents[:2]} & {*WATCHERS}]
    if own[-1:] == frames[-1:]:
        return own
    return frames[1:]  # a watcher has failed: all there is, but for what runs the script


# The pass to draw ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Recorded:
    """A pass to draw.

    Attributes:
        trace: its record.
        explain: what is known of its nodes, as `viz.explaining` has it; None: what the trace tells.
        error: what ended it, if it failed and no script could handle that.
        outputs: the tensors it began at, as long as they are there.
    """

    trace: Trace
    explain: Entry | None = None
    error: Exception | None = None
    outputs: Sequence[weakref.ref[Tensor]] = ()


class Recorder:
    """Runs a script and records its passes while they run.

    Args:
        script: what to run.
        number: the pass that is wanted, counted from 1; None: any.
        explaining: whether to explain the nodes, too.

    Attributes:
        passes: the last one that was recorded, and before it those whose outputs are still there.
    """

    def __init__(self, script: Script, number: int | None, *, explaining: bool) -> None:
        self.script, self.number, self.explaining = script, number, explaining
        self.passes: list[Recorded] = []
        script.run(self._watch, number)

    def _watch(self, outputs: list[Tensor], options: Options) -> None:
        is_early = self.number is not None or self.script.passes <= MOST_EXPLAINED
        explaining = self.explaining and is_early
        trace, explain, error = self._record(outputs, explaining=explaining, **options)
        alive = [each for each in self.passes if any(y() is not None for y in each.outputs)]
        found = Recorded(trace, explain, outputs=[weakref.ref(output) for output in outputs])
        self.passes = [*alive, found]
        if error is not None:
            raise error  # the script's to handle

    def _record(self, outputs: Sequence[Any], *, explaining: bool, **options: Any) -> Any:
        if torch_scripts.is_torch(outputs[0]):
            return torch_scripts.record(outputs, self.script.names, **options)
        return record_explained(outputs, explaining=explaining, **options)

    def _snapshot(self, tensor: Any) -> Trace:
        if torch_scripts.is_torch(tensor):
            return torch_scripts.snapshot(tensor, self.script.names)
        return snapshot(tensor)

    def chosen(self, var: str | None) -> Recorded:
        """What is to be drawn, now that the script has ended.

        It is the pass of the tensor called `var`: as the script ran it, or one that is run now.
        Else it is the last pass that was recorded; else that of the last loss, which is run now.

        Raises:
            DataError: if there is nothing to draw.
        """
        if var is None and self.passes:
            return self.passes[-1]
        if self.number is not None and not self.passes:
            raise self.script.wrong_number(self.number, "drawn")
        tensor = self.script.find(var)
        if var is None:
            self._tell_of_others(tensor)
        for known in reversed(self.passes):
            if any(output() is tensor for output in known.outputs):
                return known
        with self.script.named():
            if tensor.dim():
                return Recorded(self._snapshot(tensor))  # there is no one gradient to begin with
            found = Recorded(*self._record([tensor], explaining=self.explaining))
            is_late = "a second time" in str(found.error)  # as both libraries say it
            return Recorded(self._snapshot(tensor)) if is_late else found

    def _tell_of_others(self, tensor: Tensor) -> None:
        losses = self.script.losses
        chosen = next(name for name, loss in losses.items() if loss is tensor)
        others = [f"--var {name}" for name, loss in losses.items() if loss is not tensor]
        if others and not tensor.is_leaf:
            tell(
                f"drawing {chosen}, the last loss; there are others: "
                f"{', '.join(others[-MOST_TOLD:])}"
            )
