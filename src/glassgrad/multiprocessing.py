"""`torch.multiprocessing`: Python's `multiprocessing`, and `spawn`.

Tensors that go through a queue or a pipe are copied. Those that were moved to shared memory
(`x.share_memory_()`, `model.share_memory()`) are shared with the processes that are forked later.
"""

import multiprocessing as _python
import sys as _sys
import traceback as _traceback
from collections.abc import Callable as _Callable
from typing import Any as _Any

from .missing import missing_from as _missing_from

__all__ = [  # noqa: PLE0604  # they are strings
    *_python.__all__,
    "ProcessContext",
    "ProcessExitedException",
    "ProcessRaisedException",
    "get_all_sharing_strategies",
    "get_sharing_strategy",
    "set_sharing_strategy",
    "spawn",
    "start_processes",
]

globals().update({_name: getattr(_python, _name) for _name in _python.__all__})
__getattr__ = _missing_from(__name__)


class ProcessRaisedException(Exception):  # noqa: N818  # PyTorch's name
    """An exception was raised in a process that was spawned."""


class ProcessExitedException(Exception):  # noqa: N818  # PyTorch's name
    """A process that was spawned has exited, or was ended by a signal."""


class ProcessContext:
    """Processes that were spawned together.

    Args:
        processes: they, in the order of their numbers.
        errors: from where the tracebacks of those come that raise.
    """

    def __init__(self, processes: list[_Any], errors: _Any) -> None:
        self.processes, self._errors = processes, errors

    def pids(self) -> list[int]:
        """Their numbers in the system."""
        return [process.pid for process in self.processes]

    def join(self, timeout: float | None = None) -> bool:
        """Wait for all of them; the first that fails ends the others.

        Raises:
            ProcessRaisedException: if one of them raises, with its traceback.
            ProcessExitedException: if one of them exits by another number than 0.
        """
        waiting = {process.sentinel: at for at, process in enumerate(self.processes)}
        while waiting:
            ended = _python.connection.wait(list(waiting), timeout)
            if not ended:
                return False
            for sentinel in ended:
                at = waiting.pop(sentinel)
                process = self.processes[at]
                process.join()
                if process.exitcode:
                    self._fail(at, process.exitcode)
        return True

    def _fail(self, at: int, exitcode: int) -> None:
        for process in self.processes:
            process.terminate()
            process.join()
        if not self._errors.empty():
            number, text = self._errors.get()
            raise ProcessRaisedException(
                f"\n\n-- Process {number} terminated with the following error:\n{text}"
            )
        how = f"exit code {exitcode}" if exitcode > 0 else f"signal {-exitcode}"
        raise ProcessExitedException(f"process {at} terminated with {how}")


def _run(fn: _Callable[..., _Any], at: int, args: tuple[_Any, ...], errors: _Any) -> None:
    """What each process does."""
    try:
        fn(at, *args)
    except Exception:  # noqa: BLE001  # whatever it is, the one who waits is told
        errors.put((at, _traceback.format_exc()))
        _sys.exit(1)


def start_processes(
    fn: _Callable[..., _Any],
    args: tuple[_Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Run `fn(i, *args)` in `nprocs` processes, i = 0, 1, …

    Args:
        fn: a function of a module, so that another process finds it.
        args: its other arguments.
        nprocs: how many processes.
        join: whether to wait for them; otherwise they are returned.
        daemon: whether they end with this one.
        start_method: "spawn", "fork" or "forkserver".

    Raises:
        ProcessRaisedException, ProcessExitedException: if one of them fails.

    See also: https://pytorch.org/docs/stable/multiprocessing.html
    """
    own: _Any = _python.get_context(start_method)
    errors = own.SimpleQueue()
    processes = [
        own.Process(target=_run, args=(fn, at, args, errors), daemon=daemon) for at in range(nprocs)
    ]
    for process in processes:
        process.start()
    context = ProcessContext(processes, errors)
    if not join:
        return context
    context.join()
    return None


spawn = start_processes


def get_all_sharing_strategies() -> set[str]:
    """Those that `set_sharing_strategy` accepts."""
    return {"file_descriptor", "file_system"}


def get_sharing_strategy() -> str:
    """PyTorch's default; memory that is shared here has neither a file nor a name."""
    return "file_descriptor"


def set_sharing_strategy(new_strategy: str) -> None:
    """Accept PyTorch's names of strategies, without effect."""
