"""`Check`: what each of the mistakes is. A class says what it is, why it is silent, and the remedy.

A check has a method for each event that it wants to hear of, and reports what it finds. It waits
for what makes a mistake certain: the report of a right program is empty.
"""

from collections.abc import Hashable, Sequence
from typing import ClassVar

from glassgrad.core.state import Names, Place

from .findings import Findings
from .ledger import Leaf, Ledger, Op, Run, Step


class Check:
    """One kind of mistake; a subclass overrides the events that it wants.

    Attributes:
        kind: what a finding of it is called.
        ops: the names of the ops that `made` is called for; all ops for "*".
    """

    kind: ClassVar[str] = ""
    ops: ClassVar[Names] = ()

    def __init__(self, ledger: Ledger, findings: Findings) -> None:
        self.ledger, self.findings = ledger, findings
        self.begin()

    def begin(self) -> None:
        """The block begins: make what it notes things in."""

    def tell(
        self,
        message: str,
        remedy: str,
        place: Place | None,
        tensors: Sequence[str] = (),
        key: Hashable = None,
        kind: str = "",
    ) -> None:
        """Report a mistake; the arguments are those of `Findings.add`."""
        self.findings.add(kind or self.kind, message, remedy, place, tensors, key)

    def made(self, op: Op) -> None:
        """An op of `ops` was done, and recorded."""

    def pass_begins(self, run: Run) -> None:
        """A backward pass is about to run."""

    def pass_ended(self, run: Run) -> None:
        """It has run to its end."""

    def stepped(self, step: Step) -> None:
        """An optimiser has moved its parameters; the ledger is as it was before."""

    def wrote(self, leaf: Leaf, place: Place | None) -> None:
        """The program itself is about to write to a leaf that no optimiser has."""

    def closes(self) -> None:
        """The block ends: what never came will not come."""
