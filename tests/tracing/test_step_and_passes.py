"""Stepped passes beside plain ones: limited to inputs, of several roots, left early, and nested."""

import warnings

import pytest
from hypothesis import strategies as st

import glassgrad
from checks import fuzzed, together
from glassgrad import autograd
from glassgrad.core import state
from glassgrad.core.errors import GradientError, GraphError
from glassgrad.tracing import watching
from random_programs import Run, programs
from tracing.stepping import Inner, leaf, result_of, wander

GRANULARITIES = st.sampled_from(["node", "hook", "micro"])
MOVES = st.lists(st.booleans(), max_size=30)
PICKS = st.lists(st.integers(0, 20), min_size=1, max_size=3)


def everything():
    """All modes of this thread, and the marks of the process."""
    modes = {name: getattr(state.modes, name) for name in vars(state.modes)}
    marks = (state.unusual, state.special, state.watching)
    return modes, [set(mark) for mark in marks], state.noting, list(state.before_write)


def freed_of(run):
    return [node._is_released() for node in run.nodes if hasattr(node, "_is_released")]


@fuzzed(programs, st.booleans(), st.booleans(), PICKS, GRANULARITIES, MOVES, examples=100)
def test_limited_to_inputs_it_ends_with_the_bits_of_backward(
    program, hooked, create_graph, picks, granularity, moves
):
    plain, stepped = (Run(glassgrad, program, hooked=hooked) for _ in range(2))
    if not plain.roots:
        return
    options = {"create_graph": create_graph}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        autograd.backward(plain.roots, plain.seeds, inputs=plain.pick(picks), **options)
        with glassgrad.step(
            stepped.roots,
            stepped.seeds,
            inputs=stepped.pick(picks),
            granularity=granularity,
            **options,
        ) as session:
            wander(session, moves)
            session.run()
    assert result_of(stepped) == result_of(plain)
    assert freed_of(stepped) == freed_of(plain)


@fuzzed(programs, st.booleans(), st.booleans(), GRANULARITIES, MOVES, examples=100)
def test_left_early_nothing_is_left_but_what_was_added_to_grad(
    program, hooked, create_graph, granularity, moves
):
    run = Run(glassgrad, program, hooked=hooked)
    if not run.roots:
        return
    before = everything()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with glassgrad.step(
            run.roots, run.seeds, create_graph=create_graph, granularity=granularity
        ) as session:
            wander(session, moves)
            done = session.position
        assert everything() == before
        assert session._task.buffers == {}
        if not create_graph:
            ran = set(session.schedule[: done + 1])
            released = {n for n in run.nodes if hasattr(n, "_is_released") and n._is_released()}
            assert released <= ran


@fuzzed(programs, st.integers(0, 40), st.booleans(), GRANULARITIES, examples=100)
def test_a_hook_that_raises_ends_it_as_it_ends_backward(program, at, create_graph, granularity):
    outcomes = []
    for stepped in (False, True):
        run = Run(glassgrad, program, hooked=True)
        if not run.roots:
            return
        node = run.nodes[at % len(run.nodes)]

        def fail(_):
            raise LookupError("a hook")

        node.register_prehook(fail)
        before = everything()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if stepped:
                    session = glassgrad.step(
                        run.roots, run.seeds, create_graph=create_graph, granularity=granularity
                    )
                    session.run()
                else:
                    autograd.backward(run.roots, run.seeds, create_graph=create_graph)
            failed = False
        except LookupError:
            failed = True
        assert everything() == before
        outcomes.append((failed, result_of(run), freed_of(run), run.order))
    assert outcomes[0] == outcomes[1]


@fuzzed(programs, st.booleans(), GRANULARITIES, MOVES, examples=100)
def test_inside_of_another_pass_it_ends_with_the_same_bits(program, hooked, granularity, moves):
    outcomes = []
    for stepped in (False, True):
        run = Run(glassgrad, program, hooked=hooked)
        if not run.roots:
            return

        def inner(_, run=run, stepped=stepped):
            if stepped:
                with glassgrad.step(run.roots, run.seeds, granularity=granularity) as session:
                    wander(session, moves)
                    session.run()
            else:
                autograd.backward(run.roots, run.seeds)

        outer = leaf([1.0, 2.0])
        y = outer.exp()
        y.register_hook(inner)
        y.sum().backward()
        outcomes.append((result_of(run), run.order if not moves else None, outer.grad.tolist()))
    assert outcomes[0][::2] == outcomes[1][::2]


# Passes in hooks and rules of a stepped pass ------------------------------------------------------


class Both(Inner):
    """x² whose backward runs a pass that fills `.grad` of a leaf besides."""

    besides = leaf(3.0)

    @staticmethod
    def backward(ctx, gradient):
        with glassgrad.enable_grad():
            (Both.besides * 2).backward()
        return Inner.backward(ctx, gradient)


@together
@pytest.mark.parametrize("granularity", ["node", "hook", "micro"])
def test_a_pass_in_a_rule_is_undone_with_the_step_that_ran_it(granularity):
    Both.besides.grad = None
    x = leaf([1.0, 2.0])
    with glassgrad.step(Both.apply(x).sum(), granularity=granularity) as session:
        session.run()
        assert Both.besides.grad.item() == 2.0
        while session.can_go_back:
            session.back()
        assert Both.besides.grad is None
        session.run()
    assert (x.grad.tolist(), Both.besides.grad.item()) == ([2.0, 4.0], 2.0)
    Both.besides.grad = None


def test_a_session_in_a_hook_that_is_left_early_leaves_the_outer_pass_alone():
    x, z = leaf([1.0, 2.0]), leaf(5.0)
    y, inner = x.exp(), z.sin().exp()
    y.register_hook(lambda _: glassgrad.step(inner).next().close())
    before = everything()
    glassgrad.step(y.sum()).run()
    assert everything() == before
    assert x.grad is not None
    assert z.grad is None


@together
@pytest.mark.parametrize("move", ["next", "back", "run", "close"])
def test_a_hook_of_the_pass_itself_cannot_move_it(move):
    x = leaf([1.0, 2.0])
    y = x * 2
    y.register_hook(lambda _: getattr(session, move)())
    session = glassgrad.step((y * 1).sum()).run_until(y)
    before = everything()
    with pytest.raises(GraphError, match="in the middle of a step, at n1 MulBackward0"):
        session.run()
    assert session.is_closed
    assert everything() == before
    assert session.trace.events[-1]["error"] == "GraphError"


# Anomalies ----------------------------------------------------------------------------------------


def run_by_step(loss):
    glassgrad.step(loss).run()


def run_by_record(loss):
    glassgrad.record(loss)


def run_watched(loss):
    with watching():
        loss.backward()


@together
@pytest.mark.parametrize("run", [run_by_step, run_by_record, run_watched])
def test_anomalies_are_looked_for_in_a_watched_pass(run):
    x = leaf(0.0)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        with autograd.detect_anomaly():
            loss = (x * 0).sqrt()
            with pytest.raises(GradientError, match="'MulBackward0' returned nan values"):
                run(loss)
    assert any("Error detected in MulBackward0" in str(entry.message) for entry in said)
    assert x.grad is None


def test_nodes_of_a_stepped_pass_know_their_parents_while_anomalies_are_looked_for():
    x = leaf(2.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with autograd.detect_anomaly():
            y = x.exp()
            with glassgrad.step(y, create_graph=True) as session:
                session.run()
            made = x.grad.grad_fn.next_functions[0][0]  # behind the copy that became .grad
            assert made.metadata["parent_"] is y.grad_fn
    x.grad = None
