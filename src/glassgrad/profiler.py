"""`torch.profiler`: where the time of a program goes, by Python's own profiler.

Its rows are the functions of glassgrad: ops by their names, the rules of the backward pass
(`Tanh.backward`), `forward` of modules, steps of optimisers; and the blocks of `record_function`.
What PyTorch's has beside that, shapes, memory and GPUs, is accepted, and not looked at.
"""

import contextlib
import cProfile
import enum
import json
import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple, Self

from glassgrad._words import LONGEST, plain
from glassgrad.core.state import Block

from .core.errors import ArgumentError
from .missing import missing_from

__all__ = [
    "ProfilerAction",
    "ProfilerActivity",
    "profile",
    "record_function",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]

_HERE = f"{Path(__file__).parent}{os.sep}"

__getattr__ = missing_from(__name__)


class ProfilerActivity(enum.Enum):
    """What is watched: here the CPU."""

    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3


class ProfilerAction(enum.Enum):
    """What is done in a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


def supported_activities() -> set[ProfilerActivity]:
    """The CPU's."""
    return {ProfilerActivity.CPU}


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0
) -> Callable[[int], ProfilerAction]:
    """Which steps a profile records: of each `wait + warmup + active` steps the last ones.

    Args:
        wait, warmup: how many it does not record.
        active: how many it does.
        repeat: how often; 0: as long as there are steps.
        skip_first: how many steps are left out before.

    Raises:
        ArgumentError: for numbers below 0, or no active step.

    Example:
        >>> [schedule(wait=1, warmup=0, active=1)(step).name for step in range(2)]
        ['NONE', 'RECORD_AND_SAVE']
    """
    if min(wait, warmup, repeat, skip_first) < 0 or active < 1:
        raise ArgumentError(
            f"Invalid profiler schedule arguments: {wait=}, {warmup=}, {active=}, {repeat=}, "
            f"{skip_first=}. They count steps, and one of them at least is active. Write active=1."
        )
    whole = wait + warmup + active

    def action(step: int) -> ProfilerAction:
        turn, place = divmod(step - skip_first, whole)
        if turn < 0 or (repeat and turn >= repeat) or place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD_AND_SAVE if place == whole - 1 else ProfilerAction.RECORD

    return action


def tensorboard_trace_handler(
    dir_name: str,
    worker_name: str | None = None,
    use_gzip: bool = False,  # noqa: ARG001  # PyTorch's, without effect
) -> Callable[["profile"], None]:
    """An `on_trace_ready` that writes the trace of the blocks into a folder."""

    def write(found: "profile") -> None:
        Path(dir_name).mkdir(parents=True, exist_ok=True)
        name = f"{worker_name or os.getpid()}.{time.time_ns()}.pt.trace.json"
        found.export_chrome_trace(str(Path(dir_name) / name))

    return write


class _Block(NamedTuple):
    """One run of a block of `record_function`: when it began, and how long it took, in µs."""

    name: str
    start: float
    duration: float


_profiles: list["profile"] = []
"""Those that record now; one at a time, since Python's profiler is one."""


class record_function(contextlib.ContextDecorator):  # noqa: N801  # PyTorch's name
    """A block, or a function, that has a row of its own in profiles.

    Example:
        >>> with record_function("loss"):
        ...     _ = ones(2).sum()
    """

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name = name

    def __enter__(self) -> Self:
        self._start = time.perf_counter_ns() / 1000
        return self

    def __exit__(self, *exc_info: object) -> None:
        duration = time.perf_counter_ns() / 1000 - self._start
        for each in _profiles:
            each._blocks.append(_Block(self.name, self._start, duration))


@dataclass(frozen=True, slots=True)
class Row:
    """What a profile knows of one function or block: calls, and times in µs."""

    key: str
    count: int
    self_cpu_time_total: float
    cpu_time_total: float

    @property
    def cpu_time(self) -> float:
        """Of one call."""
        return self.cpu_time_total / self.count


class Rows(list[Row]):
    """The rows of a profile; `table()` is the text of them."""

    def table(self, sort_by: str | None = None, row_limit: int = 100, **_others: Any) -> str:
        """The rows below each other, those that took longest first."""
        by = (sort_by or "cpu_time_total").replace("cuda", "cpu").replace("device", "cpu")
        rows = sorted(self, key=lambda row: getattr(row, by, row.cpu_time_total), reverse=True)
        names = [plain(row.key, LONGEST) for row in rows]
        width = max(map(len, names), default=4)
        rule = "-" * (width + 46)
        lines = [
            rule,
            f"{'Name':>{width}}  {'Self CPU':>12}  {'CPU total':>12}  {'# of Calls':>12}",
        ]
        most = row_limit if row_limit > 0 else None
        for name, row in zip(names[:most], rows[:most], strict=True):
            times = f"{row.self_cpu_time_total:>10.1f}us  {row.cpu_time_total:>10.1f}us"
            lines.append(f"{name:>{width}}  {times}  {row.count:>12}")
        return "\n".join([*lines, rule])


class profile(Block):  # noqa: N801  # PyTorch's name
    """The block whose time is looked at; it is slower meanwhile, as with each profiler.

    Args:
        activities: accepted: it is the CPU that is watched.
        schedule: which steps are recorded, as `schedule()` gives it; None: the whole block.
        on_trace_ready: called with the profile when it has recorded what it should.
        others: those of PyTorch, without effect.

    Example:
        >>> with profile() as found:
        ...     with record_function("model"):
        ...         _ = ones(2, 2) @ ones(2, 2)
        >>> {"matmul", "model"} <= {row.key for row in found.key_averages()}
        True

    See also: https://pytorch.org/docs/stable/profiler.html
    """

    def __init__(
        self,
        activities: Iterable[Any] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[[Any], Any] | None = None,
        **others: Any,
    ) -> None:
        self.schedule, self.on_trace_ready, self.step_num = schedule, on_trace_ready, 0
        self._clear()

    def _clear(self) -> None:
        self._blocks: list[_Block] = []
        self._profiler = cProfile.Profile()

    def _action(self) -> ProfilerAction:
        return self.schedule(self.step_num) if self.schedule else ProfilerAction.RECORD

    def start(self) -> None:
        """Begin, as entering the block does."""
        if self._action().value >= ProfilerAction.RECORD.value and self not in _profiles:
            _profiles.append(self)
            self._profiler.enable()

    def stop(self) -> None:
        """End, as leaving the block does."""
        is_on = self in _profiles
        self._pause()
        if is_on and self.on_trace_ready:
            self.on_trace_ready(self)

    def _pause(self) -> None:
        if self in _profiles:
            self._profiler.disable()
            _profiles.remove(self)

    def step(self) -> None:
        """Say that a step of the program is done: what comes next, the schedule tells."""
        action = self._action()
        self._pause()
        self.step_num += 1
        if action is ProfilerAction.RECORD_AND_SAVE and self.on_trace_ready:
            self.on_trace_ready(self)
        if action is ProfilerAction.RECORD_AND_SAVE and self._action() is not ProfilerAction.NONE:
            self._clear()
        self.start()

    def begin(self) -> Self:
        self.start()
        return self

    def leave(self) -> None:
        self.stop()

    def key_averages(self, *_groups: Any, **_others: Any) -> Rows:
        """A row for each function of glassgrad that was called, and for each kind of block."""
        rows = Rows()
        for each in self._profiler.getstats():
            name = _name_of(each.code)
            if name:
                times = each.inlinetime * 1e6, each.totaltime * 1e6
                rows.append(Row(name, each.callcount, *times))
        for name in dict.fromkeys(block.name for block in self._blocks):
            durations = [block.duration for block in self._blocks if block.name == name]
            rows.append(Row(name, len(durations), 0.0, sum(durations)))
        return rows

    events = key_averages
    function_events = property(key_averages)

    def export_chrome_trace(self, path: str) -> None:
        """Write the blocks as events that chrome://tracing and Perfetto show."""
        shared = {"ph": "X", "pid": os.getpid(), "tid": 0}
        events = [
            {"name": block.name, "ts": block.start, "dur": block.duration, **shared}
            for block in self._blocks
        ]
        Path(path).write_text(json.dumps({"traceEvents": events}), "utf-8")


def _name_of(code: CodeType | str) -> str | None:
    """The name of the row of a function; None: it has none."""
    if isinstance(code, str) or not code.co_filename.startswith(_HERE):
        return None
    package = code.co_filename.removeprefix(_HERE).partition(os.sep)[0]
    is_one = package == "ops" or code.co_name in ("forward", "step", "backward")
    parts = code.co_qualname.split(".")
    return code.co_qualname if is_one and not any(p[0] in "_<" for p in parts) else None
