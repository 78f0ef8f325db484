"""Watched passes that fail: who is told, and what is left of them."""

import contextlib

import pytest

from glassgrad.core.errors import GraphError
from glassgrad.tracing import Trace, watching
from tracing.stepping import leaf


def test_a_failure_that_the_call_keeps_to_itself_is_an_error():
    x = leaf([1.0, 2.0])
    y = x * 2

    def refuses(_):
        raise KeyError("no")

    def swallows(session):
        with contextlib.suppress(KeyError):
            session.run()

    y.register_hook(refuses)
    with watching(swallows), pytest.raises(GraphError, match="pass failed after 1 of 3 nodes"):
        y.sum().backward()


def test_a_pass_that_failed_and_one_that_did_not_are_one_sound_trace():
    x = leaf([1.0, 2.0])
    y = x * 2
    loss = y.sum()
    with watching() as passes:
        with y.register_hook(lambda _: 1 / 0), pytest.raises(ZeroDivisionError):
            loss.backward(retain_graph=True)
        loss.backward()
    assert passes[0].events[-1]["type"] == "error"
    whole = passes.together()
    assert Trace.from_json(whole.to_json()) == whole
    assert len(whole.events) == len(passes[0].events) - 1 + len(passes[1].events)
