"""What a backward pass did, as data: the event log that every view of glassgrad reads."""

from glassgrad.tracing.compare import Comparison, Difference, compare
from glassgrad.tracing.events import SCHEMA, Trace
from glassgrad.tracing.find_nan import NonFinite, find_nan
from glassgrad.tracing.record import record
from glassgrad.tracing.session import Session, step
from glassgrad.tracing.snapshot import snapshot
from glassgrad.tracing.summary import ArrayTable, summarize

__all__ = [
    "SCHEMA",
    "ArrayTable",
    "Comparison",
    "Difference",
    "NonFinite",
    "Session",
    "Trace",
    "compare",
    "find_nan",
    "record",
    "snapshot",
    "step",
    "summarize",
]
