"""Breakpoints of PyTorch's own passes: where glassgrad's session stops, PyTorch's does too."""

import pytest
import torch

import glassgrad as gg
from checks import together
from glassgrad.core.errors import ArgumentError, ArgumentTypeError, GraphError
from glassgrad.tracing.torch import step
from tracing.classics import CLASSICS


def program(lib):
    x, w = lib.tensor([1.0, 2.0], requires_grad=True), lib.tensor(3.0, requires_grad=True)
    h = x * w
    return x, h, (h.exp() * h).sum()


def passes():
    """The same pass in both, each with its tensors."""
    x, h, loss = program(torch)
    theirs = (x, h, step(loss, names={"x": x, "h": h}))
    x, h, loss = program(gg)
    x.name, h.name = "x", "h"
    return theirs, (x, h, gg.step(loss))


def theirs_at(session):
    return None if session.current is None else session.current.id


def ours_at(session):
    return None if session.current is None else session.names.node[session.current]


def stops(session, at):
    """The ids of the nodes at which a session stops as it runs, and why."""
    found = []
    session.run()
    while not session.is_done:
        found.append((at(session), session.stopped_by.why))
        session.run()
    return found


CONDITIONS = [
    {"op": "Mul"},
    {"op": "MulBackward0"},
    {"node": "n3"},
    {"node": "n0"},
    {"tensor": "x"},
    {"tensor": "h"},
    {"norm": 100.0},
    {"norm": 0},
]


@together
@pytest.mark.parametrize("condition", CONDITIONS, ids=str)
def test_it_stops_where_a_session_of_glassgrad_stops_and_says_the_same(condition):
    (_, _, theirs), (_, _, ours) = passes()
    with theirs, ours:
        for session in (theirs, ours):
            session.break_at(**condition)
        found = stops(theirs, theirs_at)
        assert found == stops(ours, ours_at)
        assert found


@together
@pytest.mark.parametrize("program", CLASSICS, ids=lambda program: program.__name__)
def test_it_stops_before_each_node_of_each_op_of_a_classic(program):
    (_, ours), (_, theirs) = program(gg), program(torch)
    with step(theirs) as theirs, gg.step(ours) as ours:
        ops = {node.op_name() for node in ours.schedule[1::3]}
        for op in sorted(ops):
            theirs.break_at(op=op), ours.break_at(op=op)
        assert stops(theirs, theirs_at) == stops(ours, ours_at)


def test_a_node_and_a_tensor_may_be_given_as_such():
    for pick in (
        lambda x, h: {"node": h.grad_fn},
        lambda x, h: {"tensor": h},
        lambda x, h: {"tensor": x},
    ):
        theirs, ours = passes()
        with theirs[2], ours[2]:
            for x, h, session in (theirs, ours):
                session.break_at(**pick(x, h))
            assert stops(theirs[2], theirs_at) == stops(ours[2], ours_at)


def test_a_place_may_be_an_edge_or_a_stop():
    _, h, loss = program(torch)
    edge = torch.autograd.graph.get_gradient_edge(h)
    with step(loss, retain_graph=True) as session:
        session.break_at(node=edge)
        session.run()
        assert session.current.node is h.grad_fn
        stop = session.current
    with step(loss) as session:
        session.break_at(node=stop)
        session.run()
        assert session.current.node is h.grad_fn


def test_nan_stops_it_before_the_node_behind_the_one_that_made_it():
    def told(lib, step, at):
        x = lib.tensor([1.0, 0.0], requires_grad=True)
        with step((x.sqrt() * 2).sum()) as session:
            session.break_at(nan=True)
            session.run()
            return session, at(session), session.stopped_by.why

    ours = told(gg, gg.step, ours_at)
    theirs = told(torch, step, theirs_at)
    assert ours[1:] == ("n1", "where nan or inf comes out of finite numbers")
    assert theirs[1:] == ("n0", ours[2])
    session = theirs[0]
    assert session.names.node[session.schedule[session.position - 1]] == ours[1]


def test_nan_stops_it_once_not_where_it_is_handed_on():
    x = torch.tensor([0.0], requires_grad=True)
    with step(((x * 3).sqrt() * 2).sum()) as session:
        session.break_at(nan=True)
        session.run()
        assert session.current.op == "MulBackward0"
        assert session.position == 3
        session.run()
        assert session.is_done


def test_nan_of_the_caller_of_a_hook_and_of_a_sum_stop_it():
    x = torch.tensor([1.0], requires_grad=True)
    with step(x * 2, torch.tensor([float("inf")])) as session:
        session.break_at(nan=True)
        session.run()
        assert session.current.op == "MulBackward0"
    h = x * 2
    h.register_hook(lambda grad: grad * float("nan"))
    with step((h * 3).sum()) as session:
        session.break_at(nan=True)
        session.run()
        assert session.current.node is h.grad_fn
    h = x * 2
    with step([h * 1.0, h * 1.0], [torch.tensor([3e38]), torch.tensor([3e38])]) as session:
        session.break_at(nan=True)
        session.run()
        assert session.current.node is h.grad_fn


def test_finite_numbers_do_not_stop_it():
    (_, _, session), _ = passes()
    with session:
        session.break_at(nan=True)
        session.break_at(norm=1e9)
        session.run()
        assert session.is_done
        assert session.stopped_by is None


def test_a_breakpoint_is_taken_away():
    (_, _, session), _ = passes()
    with session:
        point = session.break_at(op="Mul")
        with session.break_at(op="Exp") as other:
            assert session.breakpoints == [point, other]
        assert repr(session.breakpoints) == "[<Breakpoint: before each Mul>]"
        point.remove()
        session.run()
        assert session.is_done


def test_one_step_and_run_until_stop_at_it_too():
    (_, h, session), _ = passes()
    with session:
        session.next()
        point = session.break_at(op="Mul")
        assert session.next() is session.current
        assert session.stopped_by is point
        assert session.run_until("x").node is h.grad_fn
        assert session.stopped_by is point
        assert session.run_until("x").op == "AccumulateGrad"
        assert session.stopped_by is None


def test_one_that_is_set_where_the_pass_waits_counts_if_untold():
    (_, _, session), _ = passes()
    with session:
        session.run_until("Exp")
        point = session.break_at(node="n3")
        session.run()
        assert (session.current.id, session.stopped_by) == ("n3", point)
        session.run()
        assert session.is_done


def test_it_prints_why_it_stopped():
    (_, _, session), _ = passes()
    with session:
        session.break_at(op="Exp")
        session.run()
        assert repr(session).splitlines()[0] == (
            "Paused at n3 ExpBackward0, before its rule: node 3 of 6 of the pass. Stopped before "
            "each Exp."
        )


def test_run_gives_the_log_up_to_there():
    (_, _, session), _ = passes()
    with session:
        session.break_at(op="Exp")
        assert session.run().schedule() == ["n5", "n4"]


REFUSED = [
    {"op": "Exq"},
    {"op": 3},
    {"node": "n9"},
    {"node": 3},
    {"tensor": 3},
    {"nan": False},
    {"norm": -1},
    {"norm": "1"},
    {},
    {"op": "Mul", "nan": True},
]


@together
@pytest.mark.parametrize("condition", REFUSED, ids=str)
def test_what_glassgrad_refuses_is_refused_in_the_same_words(condition):
    (_, _, theirs), (_, _, ours) = passes()
    with theirs, ours:
        with pytest.raises((ArgumentError, ArgumentTypeError)) as our:
            ours.break_at(**condition)
        with pytest.raises(type(our.value)) as their:
            theirs.break_at(**condition)
        assert str(their.value) == str(our.value)
        assert theirs.breakpoints == []


def test_what_pytorch_cannot_do_is_refused():
    (x, _, session), _ = passes()
    with session:
        with pytest.raises(ArgumentError, match=r"cannot break at a scope.*'encoder'"):
            session.break_at(scope="encoder")
        with pytest.raises(ArgumentError, match=r"cannot break at a hook.*break_at\(node=…\)"):
            session.break_at(hook=print)
        with pytest.raises(ArgumentError, match=r"'y' is known.*'h', 'x'.*names=locals\(\)"):
            session.break_at(tensor="y")
        with pytest.raises(ArgumentError, match="that tensor is no part of this pass"):
            session.break_at(tensor=torch.ones(1))
        with pytest.raises(ArgumentError, match="that node is no part of this pass"):
            session.break_at(node=(x * 2).grad_fn)
        with pytest.raises(GraphError, match=r"cannot be undone.*gg\.step\(loss\)"):
            session.back()
        session.next()
    with pytest.raises(GraphError, match="was left"):
        session.break_at(op="Mul")
