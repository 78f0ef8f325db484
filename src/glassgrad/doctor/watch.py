"""`watch()`: the block in which a program is looked at."""

import sys
from collections.abc import Callable
from contextlib import ExitStack
from threading import get_ident
from typing import Any, Self

from glassgrad.core.errors import GraphError
from glassgrad.core.state import Block, setting

from .findings import Finding, Findings
from .ledger import Ledger
from .observer import Observer
from .source_glassgrad import GlassgradSource
from .source_torch import TorchSource, when_imported

_open: tuple["watch", ...] = ()
"""The block that is open; one at a time in a process."""


class watch(Block):  # noqa: N801  # reads as a statement: `with watch():`
    """Look for mistakes in a training program that no library complains about.

    Gradients that are never cleared, parameters that never move, values that backward needs and
    somebody overwrote, a loss that broadcasts, graphs that pile up, dead units, and more: each is
    found once, with its line, the names and what to write instead. Nothing of the program is
    changed: numbers, random numbers and exceptions are what they are without. PyTorch's programs
    are looked at, too, as far as its hooks tell.

    What is looked at is what the thread does that entered the block, one block at a time.
    Outside of a block nothing is looked at, and nothing costs.

    Args:
        on_finding: what becomes of a finding. "report": all are told on stderr when the block
            ends, if there are any; "print": each is printed there at once; "warn": it is a warning;
            "raise": it is a GraphError, where it is found; or a function of a `Finding`.

    Attributes:
        findings: the findings so far, a list; its text is the report.
        passes, steps: how many backward passes, and steps of optimisers, were looked at.

    Raises:
        ArgumentError: if `on_finding` is nothing of that.
        GraphError: if a block is open already; or "raise" and there is a finding.

    Example:
        >>> w = tensor(1.0, requires_grad=True)
        >>> opt = glassgrad.optim.SGD([w], lr=0.1)
        >>> with watch(lambda finding: print(finding.kind)) as found:
        ...     for _ in range(3):
        ...         (w * w).backward()  # nobody calls opt.zero_grad()
        ...         opt.step()
        grads-not-cleared
        >>> found.findings[0].count, found.findings[0].tensors
        (2, ('w',))

    See also: `glassgrad.tracing.watching`, which records passes.
    """

    def __init__(self, on_finding: str | Callable[[Finding], object] = "report") -> None:
        self.findings = Findings(on_finding, _to_stderr)
        self._stack = ExitStack()
        self._observer: Observer | None = None
        self._ledger = Ledger()

    @property
    def passes(self) -> int:
        return self._ledger.passes

    @property
    def steps(self) -> int:
        return self._ledger.steps

    def begin(self) -> Self:
        if _open:
            raise GraphError(
                "watch() is open already. One block looks at one program at a time: two would tell "
                "everything twice. Leave the inner `with gg.watch():` out."
            )
        self._stack.enter_context(setting(globals(), _open=(self,)))
        self._observer, self._thread = Observer(self.findings, self._ledger), get_ident()
        GlassgradSource(self._observer).open(self._stack)
        if sys.modules.get("torch") is not None:  # None: somebody forbids to import it
            self._look_at_torch()
        else:
            self._stack.enter_context(when_imported("torch", self._look_at_torch))
        return self

    def _look_at_torch(self) -> None:
        """Look at what PyTorch does, too, from now on: it has been imported."""
        torch = sys.modules["torch"]
        if self._observer is None or get_ident() != self._thread:
            return
        if torch.__name__ == "torch":  # and not glassgrad in its place
            TorchSource(self._observer, torch).open(self._stack)

    def leave(self) -> None:
        self._stack.close()
        observer, self._observer = self._observer, None
        if observer is None:
            return
        how: Any = self.findings.on_finding
        if how == "raise" and sys.exception() is not None:
            self.findings.on_finding = "report"  # one exception is on its way already
        try:
            observer.closes()
        finally:
            self.findings.on_finding = how
            if how == "report" and self.findings:
                _to_stderr(f"glassgrad watch: {self.findings}\n")

    def __repr__(self) -> str:
        return f"watch: {self.findings}"


def _to_stderr(text: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(text)
