"""What a backward pass did, as data: the event log that every view of glassgrad reads."""

from glassgrad.tracing.compare import Comparison, Difference, compare
from glassgrad.tracing.events import SCHEMA, Trace
from glassgrad.tracing.find_nan import NonFinite, find_nan
from glassgrad.tracing.log import record, snapshot
from glassgrad.tracing.session import Session, step
from glassgrad.tracing.summary import ArrayTable, summarize
from glassgrad.tracing.watching import Passes, watching

__all__ = [
    # the log of a pass
    "record",
    "snapshot",
    "Trace",
    "SCHEMA",
    # a pass that is paused
    "step",
    "Session",
    # several passes
    "watching",
    "Passes",
    # two logs beside each other
    "compare",
    "Comparison",
    "Difference",
    # where a nan came from
    "find_nan",
    "NonFinite",
    # arrays in a log
    "ArrayTable",
    "summarize",
]
