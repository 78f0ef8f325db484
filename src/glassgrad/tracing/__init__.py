"""What a backward pass did, as data: the event log that every view of glassgrad reads."""

from glassgrad.tracing.events import SCHEMA, Trace
from glassgrad.tracing.record import record
from glassgrad.tracing.summary import ArrayTable, summarize

__all__ = ["SCHEMA", "ArrayTable", "Trace", "record", "summarize"]
