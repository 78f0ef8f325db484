"""Checkpoints in the log: what runs again, when, for whom, and what of it is in memory."""

import json
import re
import weakref

import pytest
import torch
from jsonschema import Draft202012Validator

import glassgrad
from both import leaf, reachable
from checks import together
from glassgrad.core.errors import CheckpointError, DataError
from glassgrad.tracing import Trace, record, snapshot, step, watching
from glassgrad.tracing.events import load_schema
from glassgrad.viz.memory import freed_by_node
from glassgrad.viz.wording import recomputing, text_view
from tracing.stepping import wander
from utils.checkpoints import Differing, checkpoint, tools

LIBS = [glassgrad, torch]


def inner(x):
    return (x * x).exp().sin()


def around(x):
    h = checkpoint(lib_of(x), inner, x.cos().exp())
    return h.tanh()


def ends_inside(x):
    return checkpoint(lib_of(x), inner, x.exp())


def lib_of(x):
    return torch if isinstance(x, torch.Tensor) else glassgrad


def runs(trace):
    return [event for event in trace.events if event["type"] == "recompute"]


def op(trace, node):
    return next(each["op"] for each in trace.nodes if each["id"] == node)


def brief(trace):
    """Of each run: which checkpoint, at which op, what was asked for, and which ops ran."""
    return [
        (each.get("checkpoint"), op(trace, each["node"]), each.get("saved", each.get("for")),
         [op(trace, node).removesuffix("Backward0") for node in each["ran"]])
        for each in runs(trace)
    ]  # fmt: skip


def sound(trace):
    """The trace, once it was written, checked and read again."""
    document = json.loads(trace.to_json())
    Draft202012Validator(load_schema()).validate(document)
    assert Trace.from_document(document) == trace
    return trace


def logged(function, *args, **options):
    return sound(record(checkpoint(glassgrad, function, *args, **options).sum()))


# Where, and why -----------------------------------------------------------------------------------


def several(x):
    return (x.exp().sin() + x.cos()).tanh()


def early(x):
    return x.exp().cos() + 1


WHERE = [
    pytest.param(
        several,
        [("c0", "TanhBackward0", "result", ["Exp", "Sin", "Cos", "Add", "Tanh"])],
        id="one",
    ),
    pytest.param(early, [("c0", "CosBackward0", "self", ["Exp", "Cos"])], id="early stop"),
    pytest.param(
        around,
        [
            ("c0", "TanhBackward0", "result", ["Cos", "Exp", "Mul", "Exp", "Sin", "Tanh"]),
            ("c1", "SinBackward0", "self", ["Mul", "Exp", "Sin"]),
        ],
        id="nested",
    ),
    pytest.param(
        ends_inside,
        [
            ("c0", "SinBackward0", "c1", ["Exp"]),
            ("c1", "SinBackward0", "self", ["Mul", "Exp", "Sin"]),
        ],
        id="for an inner one",
    ),
]


@together
@pytest.mark.parametrize(("function", "expected"), WHERE)
def test_an_event_says_what_ran_again_and_who_asked(function, expected):
    assert brief(logged(function, leaf(glassgrad, [1.0, 2.0]))) == expected


@together
@pytest.mark.parametrize("use_reentrant", [False, True])
@pytest.mark.parametrize("early_stop", [False, True])
@pytest.mark.parametrize("function", [several, early, around, ends_inside])
def test_it_runs_again_at_the_node_at_which_pytorch_runs_it(function, early_stop, use_reentrant):
    seen = []
    for lib in LIBS:
        calls, at = [], [None]

        def counted(x, calls=calls, at=at):
            calls.append(at[0])
            return function(x)

        with tools(lib).set_checkpoint_early_stop(early_stop):
            y = checkpoint(lib, counted, leaf(lib, [1.0, 2.0]) * 1, use_reentrant=use_reentrant)
        loss = y.sum()
        for node in reachable(loss.grad_fn):
            if "AccumulateGrad" not in node.name():
                node.register_prehook(lambda _, node=node, at=at: at.__setitem__(0, node.name()))
        if lib is torch:
            loss.backward()
        else:
            trace = record(loss)
        seen.append(calls)
    assert seen[0] == seen[1]
    (asked,) = [
        op(trace, event["node"]) for event in runs(trace) if event.get("checkpoint") != "c1"
    ]
    assert [None, asked] == seen[1]


def test_without_early_stop_the_whole_function_runs_again():
    with tools(glassgrad).set_checkpoint_early_stop(False):
        trace = logged(early, leaf(glassgrad, [1.0]))
    assert brief(trace) == [("c0", "CosBackward0", "self", ["Exp", "Cos", "Add"])]


def test_the_checkpoint_has_its_line_its_nodes_and_its_arguments():
    x = leaf(glassgrad, [1.0, 2.0])
    trace = logged(inner, x * 3)
    (call,) = trace.graph["checkpoints"]
    assert re.fullmatch(r"checkpoints\.py, line \d+: `return tools\(lib\).*`", call["src"])
    assert [(saved["name"], saved["bytes"]) for saved in call["saved"]] == [("args[0]", 16)]
    members = [node["op"] for node in trace.nodes if node.get("checkpoint") == "c0"]
    assert members == ["MulBackward0", "ExpBackward0", "SinBackward0"]
    assert "checkpoints" not in snapshot(x * 3).graph


def test_a_graph_that_nobody_records_has_checkpoints_too():
    y = checkpoint(glassgrad, inner, leaf(glassgrad, [1.0]))
    assert len(sound(snapshot(y)).graph["checkpoints"]) == 1


# What is in memory --------------------------------------------------------------------------------


def test_what_was_computed_again_waits_for_its_nodes():
    (run,) = runs(logged(inner, leaf(glassgrad, [1.0, 2.0]) * 3))
    waits = [(made["node"], made["name"], made["storage"]) for made in run["made"]]
    argument, result = waits[0][2], waits[2][2]
    assert waits == [
        ("n2", "other", argument), ("n2", "self", argument),
        ("n3", "result", result), ("n4", "self", result),
    ]  # fmt: skip
    assert (run["bytes"], run["until"]) == (16, "n2")  # the argument was there


def test_an_output_that_is_left_out_is_computed_again_and_waits_for_nobody():
    x = leaf(glassgrad, [1.0, 2.0])
    a, b = checkpoint(glassgrad, lambda x: (x.exp().sin(), x.cos().tanh()), x)
    (run,) = runs(sound(record(a.sum())))
    assert [made.get("node") for made in run["made"]] == ["n1", "n2", None, None]
    assert run["bytes"] == 32
    del a
    (run,) = runs(sound(record(b.sum())))
    assert [made.get("node") for made in run["made"]] == ["n1", "n2"]


def test_with_retain_graph_it_runs_again_in_each_pass_and_keeps_its_arguments():
    y = checkpoint(glassgrad, inner, leaf(glassgrad, [1.0, 2.0]) * 3).sum()
    first, second = record(y, retain_graph=True), sound(record(y))
    assert brief(first) == brief(second)
    assert "until" not in runs(first)[0]
    assert runs(second)[0]["until"] == "n2"


def test_memory_that_the_checkpoint_keeps_is_not_freed_by_others():
    h = leaf(glassgrad, [1.0, 2.0]) * 3
    y = checkpoint(glassgrad, inner, h) + h * h
    trace = record(y.sum())
    (square,) = [node["id"] for node in trace.nodes if len(node.get("saved", ())) == 2]
    freed = freed_by_node(trace)[square]
    assert (freed.bytes, freed.is_shared) == (0, True)


# Failures -----------------------------------------------------------------------------------------


def second_run_fails():
    calls = []

    def function(x):
        calls.append(x)
        y = x.exp()
        if len(calls) > 1:
            raise ValueError("not twice")
        return y.sin()

    return function


@together
@pytest.mark.parametrize("use_reentrant", [False, True])
def test_a_run_that_fails_is_told_of_as_far_as_it_came(use_reentrant):
    y = checkpoint(
        glassgrad, second_run_fails(), leaf(glassgrad, [1.0]), use_reentrant=use_reentrant
    )
    with pytest.raises(ValueError, match="not twice") as caught:
        record(y)
    trace = sound(caught.value.trace)
    *_, run, error = trace.events
    assert (run["type"], run["failed"], run["made"]) == ("recompute", True, [])
    assert run["ran"] == ([] if use_reentrant else ["n1"])
    assert (error["type"], error["node"]) == ("error", run["node"])
    assert recomputing(trace, run).endswith("and fails.")


def test_a_run_that_does_something_else_fails():
    y = checkpoint(glassgrad, Differing(inner, lambda x: x.sin()), leaf(glassgrad, [1.0]))
    with pytest.raises(CheckpointError) as caught:
        record(y)
    assert [run["failed"] for run in runs(sound(caught.value.trace))] == [True]


def test_a_failure_in_the_pass_inside_ends_its_log_too():
    def function(x):
        y = x.exp()
        if y.requires_grad:  # not in the first run
            y.register_hook(lambda grad: 1 / 0)
        return y.sin()

    y = checkpoint(glassgrad, function, leaf(glassgrad, [1.0]), use_reentrant=True)
    with pytest.raises(ZeroDivisionError) as caught:
        record(y)
    (inside,) = sound(caught.value.trace).inner()
    assert inside.events[-1]["error"] == "ZeroDivisionError"
    assert "failed" not in runs(caught.value.trace)[0]


# The pass inside ----------------------------------------------------------------------------------


def test_a_reentrant_checkpoint_has_the_log_of_its_own_pass():
    x = leaf(glassgrad, [1.0, 2.0])
    x.name = "x"
    trace = logged(inner, x, use_reentrant=True)
    (run,), (inside,) = runs(trace), trace.inner()
    assert "checkpoints" not in trace.graph
    assert [node["op"] for node in inside.nodes] == [
        "AccumulateGrad", "MulBackward0", "ExpBackward0", "SinBackward0",
    ]  # fmt: skip
    assert inside.schedule() == ["n3", "n2", "n1", "n0"]
    assert inside.leaves[0]["name"] == "x"
    assert run["bytes"] == 16  # what exp gave; x is a leaf's
    assert "  | " in text_view(trace)


def test_passes_inside_of_each_other_are_inside_of_each_other():
    def outer(x):
        return checkpoint(glassgrad, inner, x.exp(), use_reentrant=True).sin()

    with pytest.warns(UserWarning, match="None of the inputs"):
        y = checkpoint(glassgrad, outer, leaf(glassgrad, [1.0]), use_reentrant=True)
    (inside,) = sound(record(y)).inner()
    (deepest,) = inside.inner()
    assert [node["op"] for node in deepest.nodes[1:]] == [
        "MulBackward0", "ExpBackward0", "SinBackward0",
    ]  # fmt: skip


def test_whoever_watches_gets_the_pass_inside_as_one_of_its_own():
    with watching() as passes:
        checkpoint(glassgrad, inner, leaf(glassgrad, [1.0]), use_reentrant=True).backward()
        checkpoint(glassgrad, inner, leaf(glassgrad, [1.0])).backward()
        checkpoint(glassgrad, around, leaf(glassgrad, [1.0])).backward()
    outside, inside, *_ = passes
    assert outside.inner() == [inside]
    calls = sound(passes.together()).graph["checkpoints"]
    assert [(call["id"], call.get("inside")) for call in calls] == [
        ("c0", None), ("c1", None), ("c2", "c1"),
    ]  # fmt: skip


def test_what_is_wrong_with_a_pass_inside_is_found():
    trace = logged(inner, leaf(glassgrad, [1.0]), use_reentrant=True)
    document = json.loads(trace.to_json())
    event = next(event for event in document["events"] if "inner" in event)
    event["inner"]["events"][0]["node"] = "n99"
    with pytest.raises(DataError, match=r"events\[\d+\].inner: events\[0\]: node n99 is not"):
        Trace.from_document(document)


# A pass that is paused ----------------------------------------------------------------------------


@together
@pytest.mark.parametrize("use_reentrant", [False, True])
@pytest.mark.parametrize("granularity", ["node", "micro"])
def test_a_pass_that_was_stepped_back_has_the_same_log_again(granularity, use_reentrant):
    y = checkpoint(glassgrad, inner, leaf(glassgrad, [1.0]) * 3, use_reentrant=use_reentrant)
    with step(y.sum(), granularity=granularity) as session:
        expected = session.run().trace
        for count in (2, 4, 9):
            for _ in range(min(count, len(session._pauses))):
                session.back()
            assert session.run().trace.events == expected.events
        while session.can_go_back:
            session.back()
        wander(session, ([True] * 4 + [False] * 2) * 12)
        assert session.run().trace == expected


def test_the_sentence_of_a_node_begins_with_what_ran_again_for_it():
    y = checkpoint(glassgrad, lambda x: x.exp().tanh(), leaf(glassgrad, [1.0]))
    with step(y) as session:
        told = session.next().told
    assert told.startswith("The checkpoint of line ")
    assert "again: exp, tanh (2 nodes, 16 B), because tanh needs its result. tanh (line" in told


# Nobody watches -----------------------------------------------------------------------------------


def test_a_log_keeps_nothing_of_what_was_computed_again():
    refs, alive = [], []

    def function(x):
        refs.clear()
        for act in (glassgrad.exp, glassgrad.sin, glassgrad.tanh):
            x = act(x)
            refs.append(weakref.ref(x.payload))
        return x

    loss = checkpoint(glassgrad, function, leaf(glassgrad, [1.0, 2.0])).sum()
    for node in reachable(loss.grad_fn):
        node.register_prehook(lambda _: alive.append(sum(ref() is not None for ref in refs)))
    loss.backward(retain_graph=True)
    unwatched, alive[:] = list(alive), []
    record(loss)
    assert alive == unwatched == [0, 0, 1, 1, 0]
