"""What can be seen of a paused pass of PyTorch's, as of one of glassgrad."""

import pytest
import torch

import glassgrad as gg
from both import bare
from checks import together
from glassgrad.core.errors import ArgumentError, ArgumentTypeError, GradientError, GraphError
from glassgrad.tracing.torch import step
from tracing.classics import CLASSICS


def program(lib):
    x, w = lib.tensor([1.0, 2.0], requires_grad=True), lib.tensor(3.0, requires_grad=True)
    h = x * w
    return x, h, (h.exp() * h).sum()


def at(op):
    """The same pass in both, before the first node of `op`."""
    x, h, loss = program(torch)
    theirs = step(loss, names={"x": x, "h": h})
    theirs.run_until(op)
    x, h, loss = program(gg)
    x.name = "x"
    return theirs, gg.step(loss).run_until(op)


@together
@pytest.mark.parametrize("program", CLASSICS, ids=lambda program: program.__name__)
def test_the_schedule_is_foreseen_and_comes_true(program):
    _, loss = program(torch)
    with step(loss) as session:
        ids = session.names.node
        foreseen = [ids[node] for node in session.schedule]
        assert session.position == 0
        while session.next() is not None:
            assert [ids[node] for node in session.schedule] == foreseen
            assert session.schedule[session.position] is session.current.node
        assert session.trace.schedule() == foreseen
        assert session.position == len(foreseen)


def test_the_schedule_of_a_part_has_what_runs_for_the_inputs():
    x, _, loss = program(torch)
    with step(loss, inputs=[x]) as session:
        told = [session.describe(node) for node in session.schedule]
        assert told[-1] == "n0 AccumulateGrad of x"
        assert len(told) == 5
        ran = session.run().schedule()
    assert ran == [label.split()[0] for label in told]


@together
@pytest.mark.parametrize("op", ["Mul", "Exp", "AccumulateGrad"])
def test_queue_position_and_saved_are_those_of_glassgrad(op):
    theirs, ours = at(op)
    with theirs, ours:
        for their, our in zip(theirs.queue, ours.queue, strict=True):
            assert str(their) == str(our)
            assert (their.id, their.label, *their[3:5]) == (our.id, our.label, *our[3:5])
        assert theirs.position == ours.position
        assert theirs.current.name() == bare(ours.current.name())
        told = {(row.name, *row[1:6]) for row in theirs.saved}
        assert told >= {(row.name, *row[1:6]) for row in ours.saved}


def test_what_is_queued_and_has_arrived_is_pytorchs_and_a_copy():
    theirs, _ = at("Exp")
    with theirs:
        (row, *_), (arrived,) = theirs.queue, theirs.arrived
        assert torch.equal(row.gradients[0], arrived)
        assert row.node is theirs.current.node
        row.gradients[0].zero_(), arrived.zero_()
        assert theirs.current.gradients[0].tolist() == [3.0, 6.0]


def test_what_a_node_saved_is_seen_until_it_is_freed():
    x, h, loss = program(torch)
    session = step(loss, names={"x": x, "h": h})
    mul = h.grad_fn
    with session:
        assert session.saved == []
        before = session.saved_of(mul)
        assert [row.name for row in before] == ["other", "self"]
        assert before[1].shared_with == ("leaf x",)
        assert session.saved_of(h) == session.saved_of("n2") == before
        session.run_until(mul)
        assert session.saved == before
        session.next()
        assert session.saved_of(mul) == []
        with pytest.raises(ArgumentError, match=r"'n9' is no part of this pass.*6 nodes"):
            session.saved_of("n9")
        with pytest.raises(ArgumentTypeError, match="a node, its id or a tensor, got int"):
            session.saved_of(3)


def test_a_stale_saved_tensor_is_seen_as_such():
    _, h, loss = program(torch)
    with step(loss) as session:
        session.run_until(h)
        with torch.no_grad():
            h.grad_fn._saved_other.add_(1)
        other, _ = session.saved
        assert (other.version, other.now) == (0, 1)


def test_the_hooks_at_a_node_are_those_of_the_user():
    def before(grads):
        pass

    def doubled(grad):
        return grad * 2

    def after(*_):
        pass

    _, h, loss = program(torch)
    h.register_hook(doubled)
    h.grad_fn.register_prehook(before)
    h.grad_fn.register_hook(after)
    with step(loss, names={"h": h}) as session:
        assert session.hooks == []
        session.run_until(h)
        assert [(row.kind, row.hook) for row in session.hooks] == [
            ("tensor", doubled),
            ("pre", before),
            ("post", after),
        ]


def test_gradients_are_those_of_the_leaves_by_name():
    theirs, ours = at("AccumulateGrad")
    with theirs, ours:
        assert theirs.gradients == ours.gradients == {"x": None, "t1": None}
        theirs.run(), ours.run()
        told = {name: grad.tolist() for name, grad in theirs.gradients.items()}
        for name, grad in ours.gradients.items():
            assert told[name] == pytest.approx(grad.tolist(), rel=1e-6)
    assert theirs.names.leaf[theirs.schedule[-2]] == "t0"


def test_it_is_done_at_its_end_and_not_where_it_was_left():
    for pass_ in at("Exp"):
        with pass_:
            assert not pass_.is_done
        assert pass_.is_closed
        assert not pass_.is_done
        assert pass_.queue == pass_.saved == pass_.hooks == []
        assert pass_.arrived == ()
    for pass_ in at("Exp"):
        pass_.run()
        assert pass_.is_done


def test_the_gradient_at_the_current_node_is_replaced_as_in_glassgrad():
    for lib, step_of in ((torch, step), (gg, gg.step)):
        for pick in (
            lambda session, h: session.current,
            lambda session, h: h,
            lambda session, h: h.grad_fn,
            lambda session, h: "n2",
            lambda session, h: session.schedule[session.position],
        ):
            x, h, loss = program(lib)
            with step_of(loss) as session:
                session.run_until(h)
                session.set_gradient(pick(session, h), lib.tensor([1.0, 10.0]))
                session.run()
            assert x.grad.tolist() == [3.0, 30.0]


def test_a_gradient_elsewhere_and_what_was_saved_are_not_replaced():
    x, h, loss = program(torch)
    with step(loss) as session:
        session.run_until("Exp")
        with pytest.raises(GradientError, match=r"n2 MulBackward0 cannot be replaced.*run_until"):
            session.set_gradient(h, torch.ones(2))
        with pytest.raises(GradientError, match=r"\(3,\) float32.*\(2,\) float32 on cpu"):
            session.set_gradient(session.current, torch.ones(3))
        with pytest.raises(GraphError, match=r"'self' of a node of PyTorch's.*gg\.step\(loss\)"):
            session.set_saved(h, "self", x)
