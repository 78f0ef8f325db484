"""The log of a pass is the same however the pass is run, and true whatever is written meanwhile."""

import contextlib
import gc
import warnings

import numpy as np
import pytest
from hypothesis import strategies as st

import glassgrad as gg
from checks import fuzzed
from glassgrad.hooks.turn import GraphTask
from glassgrad.tracing import Trace, watching
from random_programs import Run, programs, writing_programs
from tracing.stepping import events, heads, leaf

GRANULARITIES = st.sampled_from(["node", "hook", "micro"])
MOVES = st.lists(st.booleans(), max_size=60)


def to_the_end(session):
    """The trace of a pass, also if it ends in an exception."""
    with contextlib.suppress(RuntimeError):
        session.run()
    return session.trace


def recorded(run, **options):
    """The trace of a recorded pass, also if it ends in an exception."""
    try:
        return gg.record(run.roots, run.seeds, **options)
    except RuntimeError as error:
        return error.trace


def begun(run, **options):
    """A session on the same: here and in `recorded`, what a run holds has the same names."""
    return gg.step(run.roots, run.seeds, **options)


# A session keeps the log that `record` gives ------------------------------------------------------


@fuzzed(programs, st.booleans(), st.booleans(), GRANULARITIES, examples=40)
def test_a_session_stepped_to_its_end_has_the_trace_of_record(
    program, hooked, create_graph, granularity
):
    one, other = (Run(gg, program, hooked=hooked) for _ in range(2))
    if not one.roots:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trace = recorded(one, create_graph=create_graph)
        session = begun(other, create_graph=create_graph, granularity=granularity)
        while not session.is_done:
            session.next()
    assert session.trace.to_json() == trace.to_json()
    session.close()
    assert session.trace.to_json() == trace.to_json()


@fuzzed(programs, st.booleans(), st.booleans(), GRANULARITIES, MOVES, examples=40)
def test_stepping_back_takes_events_out_and_going_on_writes_the_same(
    program, hooked, create_graph, granularity, moves
):
    one, other = (Run(gg, program, hooked=hooked) for _ in range(2))
    if not one.roots:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trace = recorded(one, create_graph=create_graph)
        session = begun(other, create_graph=create_graph, granularity=granularity)
        seen = [session.trace.to_json()]
        for forward in moves:
            if forward and not session.is_done:
                session.next()
                seen.append(session.trace.to_json())
            elif not forward and len(seen) > 1:
                session.back()
                seen.pop()
                assert session.trace.to_json() == seen[-1]
        session.run()
    assert session.trace.to_json() == trace.to_json()


@fuzzed(writing_programs, st.booleans(), GRANULARITIES, examples=40)
def test_a_pass_that_fails_has_the_same_log_in_both(program, hooked, granularity):
    one, other = (Run(gg, program, hooked=hooked) for _ in range(2))
    if not one.roots:
        return
    trace = recorded(one)
    stepped = stepped_through(other, granularity)
    assert stepped.to_json() == trace.to_json()
    assert Trace.from_json(trace.to_json()) == trace


def stepped_through(run, granularity):
    return to_the_end(begun(run, granularity=granularity))  # its error says `run`, as `recorded`'s


def test_the_events_of_a_session_are_those_until_now():
    x = leaf([1.0, 2.0], "x")
    session = gg.step((x * x).sum())
    assert [event["type"] for event in session.trace.events] == ["ready"]
    session.next()
    kinds = [event["type"] for event in session.trace.events]
    assert kinds == ["ready", "apply", "buffer", "ready"]
    session.back()
    assert [event["type"] for event in session.trace.events] == ["ready"]
    assert session.run().trace.schedule() == ["n2", "n1", "n0"]


def test_a_trace_that_was_taken_does_not_grow():
    session = gg.step((leaf([1.0, 2.0]) * 2).sum())
    before = session.trace
    text = before.to_json()
    session.run()
    assert before.to_json() == text


def test_looking_at_a_session_leaves_no_mark_in_its_log():
    def logged(look):
        x = leaf([1.0, 2.0], "x")
        x.register_hook(lambda grad: grad * 2)
        session = gg.step((x * x).sum(), granularity="micro")
        while not session.is_done:
            session.next()
            if look:
                _ = session.trace, session.queue, session.hooks, session.saved, str(session)
        return session.trace.to_json()

    assert logged(look=True) == logged(look=False)


# It is true whatever is written -------------------------------------------------------------------


def test_a_hook_that_writes_into_the_gradient_is_seen():
    x = leaf([1.0, 2.0])
    y = x * 3

    def doubles(grad):
        grad.payload *= 2

    y.register_hook(doubles)
    trace = gg.record((y * 1).sum())
    (hook,) = events(trace, "pre_hook")
    assert heads(trace, hook["before"]) == [[1.0, 1.0]]
    assert heads(trace, hook["after"]) == [[2.0, 2.0]]
    assert heads(trace, [events(trace, "accumulate")[0]["grad"]]) == [[6.0, 6.0]]


def test_a_rule_that_writes_into_the_gradient_is_seen():
    class Overwrites(gg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            grad.payload[...] = 7.0
            return grad

    trace = gg.record(Overwrites.apply(leaf([1.0, 2.0])), gg.ones(2))
    (apply,) = events(trace, "apply")
    assert heads(trace, apply["grad_in"]) == [[1.0, 1.0]]
    assert heads(trace, apply["grad_out"]) == [[7.0, 7.0]]


def test_what_a_pass_inside_reads_of_the_same_nodes_is_not_in_the_log():
    class Square(gg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return 2 * x * grad

    x = leaf([1.0, 2.0])
    square = Square.apply(x)
    total, y = square.sum(), square * 3
    y.register_hook(lambda _: gg.autograd.grad(total, x, retain_graph=True) and None)
    trace = gg.record(y.sum())
    ops = {node["id"]: node["op"] for node in trace.nodes}
    reads = [ops[event["node"]] for event in events(trace, "unpack")]
    assert reads == ["MulBackward0", "SquareBackward"]


def test_a_grad_that_is_added_to_is_another_array_each_time():
    x = leaf([1.0, 2.0])
    x.grad = gg.tensor([1.0, 1.0])
    trace = gg.record(x, x.grad)  # the gradient is the memory that is written
    accumulate = events(trace, "accumulate")[0]
    assert heads(trace, [accumulate["grad"]]) == [[2.0, 2.0]]


@pytest.mark.parametrize("size", [2, 1000])
def test_what_is_written_between_two_steps_does_not_change_what_was_logged(size):
    x = gg.ones(size, requires_grad=True)
    session = gg.step((x * 2).sum())
    session.run_until(x)
    before = session.trace.to_json()
    with gg.no_grad():
        x.mul_(5)
    assert session.trace.to_json() == before
    session.set_gradient(x, gg.full((size,), 9.0))
    session.run()
    assert heads(session.trace, [session.trace.events[-1]["grad"]]) == [[9.0] * min(size, 4)]


def arrays_behind(start):
    """The arrays that are alive because of `start`."""
    seen, stack = {}, [vars(start)]
    while stack:
        found = stack.pop()
        if id(found) not in seen and isinstance(found, (dict, list, tuple, np.ndarray, gg.Tensor)):
            seen[id(found)] = found
            stack += gc.get_referents(found)
    return [found for found in seen.values() if isinstance(found, np.ndarray)]


def test_gradients_are_not_kept_for_the_log():
    kept = []

    class Counts(gg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            kept.append(len(arrays_behind(log_of_pass[0].table)))
            return grad

    log_of_pass = []
    x = gg.ones(3, requires_grad=True)
    y = x * 1
    for _ in range(40):
        y = (y * 1.5).sin()
    session = gg.step(Counts.apply(y).sum())
    log_of_pass.append(session._log)
    session.run()
    assert kept == [0]
    assert not arrays_behind(session._log.table)


def test_of_a_turn_that_fails_as_gradients_meet_the_log_has_what_had_arrived(monkeypatch):
    x, put = leaf([1.0, 2.0]), GraphTask.put

    def full(task, edge, grad):
        if edge in task.buffers:
            raise MemoryError("no room for the sum")
        return put(task, edge, grad)

    y = x * x
    monkeypatch.setattr(GraphTask, "put", full)
    with pytest.raises(MemoryError) as caught:
        gg.record(y, gg.ones(2))
    kinds = [(event["type"], event.get("edge")) for event in caught.value.trace.events]
    monkeypatch.undo()
    turn = [("unpack", None), ("unpack", None), ("apply", None), ("free_saved", None)]
    assert kinds == [("ready", None), *turn, ("buffer", "e1-0"), ("error", None)]


@pytest.mark.parametrize("create_graph", [False, True])
def test_a_rule_that_gives_no_gradient_to_one_of_two_equal_operands_is_told_of(create_graph):
    class First(gg.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return grad * 2, None

    def made():
        y = leaf([1.0, 2.0]) * 1
        return First.apply(y, y).sum()

    trace = gg.record(made(), create_graph=create_graph)
    assert trace.events == gg.step(made(), create_graph=create_graph).run().trace.events
    waiting = [heads(trace, [event["grad"]]) for event in events(trace, "buffer")][1:3]
    assert waiting == [[[2.0, 2.0]], [[2.0, 2.0]]]


def test_what_a_captured_node_adds_to_a_gradient_is_in_what_the_next_one_is_given():
    x = leaf([1.0, 2.0])
    base = x * 3
    captured = base.exp()  # which has its turn phase by phase, after the sine has handed on
    loss = (captured * captured).sum() + base.sin().sum()
    with watching() as passes:
        gg.autograd.grad(loss, [captured, x])
    (trace,) = passes
    given = [event["grad_in"] for event in events(trace, "apply")][-1]
    assert given == [event["grad"] for event in events(trace, "buffer")][-2:-1]


def test_where_no_gradient_comes_the_one_that_a_pass_began_with_still_waits():
    class Nothing(gg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return None

    x = leaf([1.0, 2.0])
    y = x * 3
    trace = gg.record([Nothing.apply(y), y], [gg.ones(2), gg.full((2,), 5.0)])
    assert heads(trace, [events(trace, "buffer")[0]["grad"]]) == [[5.0, 5.0]]


# Hooks after accumulation -------------------------------------------------------------------------


def test_a_hook_after_accumulation_is_an_event_with_the_grad_before_and_after():
    x = leaf([1.0, 2.0], "x")

    def halves(tensor):
        tensor.grad = tensor.grad / 2

    def clears(tensor):
        tensor.grad = None

    x.register_post_accumulate_grad_hook(halves)
    x.register_post_accumulate_grad_hook(clears)
    trace = gg.record((x * 4).sum())
    kinds = [event["type"] for event in trace.events]
    assert kinds[-3:] == ["accumulate", "post_hook", "post_hook"]
    first, second = events(trace, "post_hook")
    assert heads(trace, first["before"] + first["after"]) == [[4.0, 4.0], [2.0, 2.0]]
    assert heads(trace, second["before"] + second["after"]) == [[2.0, 2.0], None]
    assert [hook["kind"] for hook in trace.nodes[0]["hooks"]] == ["post_accumulate"] * 2
    assert [first["hook"], second["hook"]] == [hook["id"] for hook in trace.nodes[0]["hooks"]]


def test_to_retain_a_gradient_is_no_hook():
    x = leaf([1.0, 2.0], "x")
    y = x * 4
    y.retain_grad()
    trace = gg.record(y.sum())
    assert events(trace, "pre_hook") == []
    assert y.grad.tolist() == [1.0, 1.0]


def test_a_session_stops_before_and_after_a_hook_after_accumulation_and_goes_back():
    x = leaf([1.0, 2.0], "x")
    calls = []

    def doubles(tensor):
        calls.append(tensor.grad.tolist())
        with gg.no_grad():
            tensor.grad.mul_(2)

    x.register_post_accumulate_grad_hook(doubles)
    session = gg.step((x * 4).sum(), granularity="hook").run_until(x)
    session.next()
    assert (x.grad.tolist(), calls) == ([4.0, 4.0], [])
    session.next()
    assert (x.grad.tolist(), calls) == ([8.0, 8.0], [[4.0, 4.0]])
    session.back()
    assert x.grad.tolist() == [4.0, 4.0]
    session.run()
    assert x.grad.tolist() == [8.0, 8.0]
