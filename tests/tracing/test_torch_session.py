"""PyTorch's own passes, one node at a time."""

import gc
import threading
import time

import pytest
import torch

import glassgrad as gg
from checks import together
from glassgrad.core.errors import ArgumentError, GradientError, GraphError
from glassgrad.tracing.torch import record, step
from tracing.classics import CLASSICS


def program():
    x, w = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor(3.0, requires_grad=True)
    h = x * w
    return x, w, h, h.exp().sum()


def threads():
    """The threads that have a pass to step, once those that are told to end have ended."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        left = [thread for thread in threading.enumerate() if "PyTorch pass" in thread.name]
        if not left:
            break
        time.sleep(0.01)
    return left


@together
@pytest.mark.parametrize("program", CLASSICS, ids=lambda program: program.__name__)
def test_stepping_is_recording_with_pauses(program):
    def stepped(leaves, loss):
        with step(loss) as session:
            ran = []
            while (stop := session.next()) is not None:
                ran.append(stop.id)
        return leaves, ran, session

    def recorded_at_once(leaves, loss):
        return leaves, record(loss)

    watched, ran, session = stepped(*program(torch))
    recorded, trace = recorded_at_once(*program(torch))
    assert ran == trace.schedule()
    assert session.trace == trace
    assert all(torch.equal(a.grad, b.grad) for a, b in zip(watched, recorded, strict=True))
    assert not threads()


def test_at_a_pause_the_node_its_gradients_and_the_events_so_far_are_seen():
    x, _, _, loss = program()
    with step(loss) as session:
        assert (session.current, session.done) == (None, False)
        assert [event["type"] for event in session.trace.events] == ["ready"]
        assert len(session.trace.nodes) == 5
        session.next()
        stop = session.next()
        assert session.current is stop
        assert (stop.op, stop.id, stop.node.name()) == ("ExpBackward0", "n3", "ExpBackward0")
        assert [grad.tolist() for grad in stop.gradients] == [[1.0, 1.0]]
        assert session.trace.schedule() == ["n4"]
        assert session.trace.events[-1] == {"k": 3, "type": "ready", "node": "n3"}
        assert x.grad is None
        session.run()
    assert (session.current, session.done, session.next()) == (None, True, None)


def test_it_prints_where_the_pass_stands():
    def doubled(grad):
        return grad * 2

    x, w = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor(3.0, requires_grad=True)
    h = x * w
    h.register_hook(doubled)
    with step((h.exp() * h).sum(), names={"x": x, "h": h}) as session:
        assert repr(session) == "Not begun: 0 of 6 nodes of the pass are done."
        session.run_until("ExpBackward0")
        with torch.no_grad():
            w.add_(1.0)
        assert repr(session).splitlines() == [
            "Paused at n3 ExpBackward0, before its rule: node 3 of 6 of the pass.",
            "Queue:",
            "  n3 ExpBackward0: 1 of 1 arrived; (2,) float32 [3, 6]",
            "  n2 MulBackward0: 1 of 2 arrived; (2,) float32 [20.1, 403]",
            "Saved by n3 ExpBackward0:",
            "  result (2,) float32, 8 bytes, saved at version 0",
        ]
        session.next()
        stale = (
            "  other () float32, 4 bytes, saved at version 0, which is stale: it is at version 1 "
            "now; memory shared with leaf w"
        )
        assert repr(session).splitlines()[3:] == [
            "Saved by n2 MulBackward0:",
            stale,
            "  self (2,) float32, 8 bytes, saved at version 0; memory shared with leaf x",
            "Hooks here:",
            "  h1 doubled (tensor)",
        ]
    assert repr(session) == (
        "Closed after 3 of 6 nodes of the pass.\nGradients:\n  x: none\n  w: none"
    )


def test_it_prints_what_is_ready_and_what_has_come_of_it_in_the_words_of_glassgrad():
    def told(module, step, **options):
        x = module.tensor([1.0, 2.0], requires_grad=True)
        w = module.tensor(3.0, requires_grad=True)
        with step((x * w).sum(), **options) as session:
            session.run_until(x)
            texts = [repr(session)]
            session.run()
        return [*texts, repr(session)]

    theirs, ours = told(torch, step), told(gg, gg.step, granularity="micro")
    assert theirs[0] == ours[0].replace("before it runs", "before it adds to .grad")
    assert "n1 AccumulateGrad of w: 1 of 1 arrived; () float32 3" in theirs[0]
    assert (
        theirs[1]
        == ours[1]
        == (
            "The pass is over: 4 of 4 nodes are done.\n"
            "Gradients:\n  x: (2,) float32 [3, 3]\n  w: () float32 3"
        )
    )


def test_it_runs_until_what_is_meant():
    x, w, h, loss = program()
    targets = {
        "n3": "ExpBackward0",
        "MulBackward0": "MulBackward0",
        h: "MulBackward0",
        h.grad_fn: "MulBackward0",
        "x": "AccumulateGrad",
        w: "AccumulateGrad",
        (lambda stop: stop.tensor is w): "AccumulateGrad",
    }
    for target, op in targets.items():
        with step(loss, retain_graph=True, names={"x": x}) as session:
            stop = session.run_until(target)
            assert stop is not None
            assert stop.op == op
    with step(loss, names={"x": x}) as session:
        with pytest.raises(ArgumentError, match=r"'nowhere'.*ExpBackward0.*n0 to n4"):
            session.run_until("nowhere")
        assert session.run_until(lambda stop: False) is None
    assert x.grad is not None


def test_a_gradient_is_edited_on_its_way():
    x, w, _, loss = program()
    with step(loss) as session:
        stop = session.run_until("MulBackward0")
        stop.edit(torch.tensor([1.0, 10.0]))
        trace = session.run()
    assert x.grad.tolist() == [3.0, 30.0]
    assert w.grad.item() == 21.0
    entered = [e["grad_in"] for e in trace.events if e["type"] == "apply"][-1]
    assert trace.arrays[entered[0]]["head"] == [1.0, 10.0]


def test_a_gradient_is_taken_away():
    x, w, _, loss = program()
    with step(loss) as session:
        session.run_until(x).edit(None)
        session.run()
    assert x.grad is None
    assert w.grad is not None


def test_a_gradient_that_does_not_fit_is_refused_at_once():
    _, _, _, loss = program()
    with step(loss) as session:
        stop = session.run_until("MulBackward0")
        for wrong in (torch.ones(3), torch.ones(2, dtype=torch.float64), [1.0, 2.0]):
            with pytest.raises(GradientError, match=r"MulBackward0 \(n2\).*\(2,\) float32 on cpu"):
                stop.edit(wrong)
        with pytest.raises(GradientError, match="has no output 1"):
            stop.edit(torch.ones(2), slot=1)


def test_leaving_early_ends_the_thread_and_takes_all_hooks_away():
    x, w, _, loss = program()
    with step(loss, retain_graph=True) as session:
        session.run_until("MulBackward0")
    assert session.done
    assert not threads()
    assert x.grad is w.grad is None
    with pytest.raises(GraphError, match="was left"):
        session.next()
    handle = loss.grad_fn.register_prehook(lambda grads: None)
    assert len(handle.hooks_dict_ref()) == 1
    loss.backward()
    assert x.grad is not None


def test_leaving_before_the_first_step_and_by_an_exception():
    _, _, _, loss = program()
    with step(loss):
        pass

    def leaves_by_exception():
        with step(loss) as session:
            session.next()
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        leaves_by_exception()
    assert not threads()


def test_an_exception_of_the_pass_comes_out_of_the_step_with_its_type():
    class Mine(Exception):
        pass

    def fails(_):
        raise Mine("in a hook")

    x, _, h, loss = program()
    h.register_hook(fails)
    with step(loss) as session:
        session.run_until("ExpBackward0")
        with pytest.raises(Mine, match="in a hook"):
            session.next()
        assert session.done
        assert session.next() is None
    assert x.grad is None
    assert not threads()


def test_a_stale_saved_tensor_is_seen_before_its_rule_refuses_it():
    _, w, _, loss = program()
    with torch.no_grad():
        w.add_(1)
    session = step(loss)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        session.run()
    unpacked = [e["version"] for e in session.trace.events if e["type"] == "unpack"]
    assert unpacked == [[0, 0], [0, 1], [0, 0]]


def test_a_step_that_takes_too_long_is_an_error_and_no_hang():
    slow = threading.Event()
    _, _, h, loss = program()
    h.register_hook(lambda grad: slow.wait(60) and None)
    with step(loss) as session:
        session.run_until("ExpBackward0")
        session.timeout = 0.1
        with pytest.raises(GraphError, match=r"0\.1 seconds.*timeout=600"):
            session.next()
        slow.set()
    assert not threads()


def test_a_session_that_is_dropped_ends_its_pass():
    _, _, _, loss = program()
    session = step(loss)
    session.next()
    del session
    gc.collect()
    assert not threads()


def test_a_process_ends_with_a_session_open(told_by_pytorch):
    script = (
        "import torch; from glassgrad.tracing.torch import step\n"
        "session = step(torch.ones(3, requires_grad=True).exp().sum()); session.next()"
    )
    assert told_by_pytorch(script) == ""


def test_two_passes_are_stepped_side_by_side_and_another_runs_meanwhile():
    (x, _, _, first), (y, _, _, second), (z, _, _, third) = program(), program(), program()
    with step(first) as one, step(second) as other:
        one.next(), other.next(), one.next()
        third.backward()
        one.run(), other.run()
    assert x.grad.tolist() == y.grad.tolist() == z.grad.tolist()


def test_two_passes_along_the_same_nodes_are_stepped_side_by_side():
    x, _, h, loss = program()
    h.register_hook(lambda grad: grad * 2)
    alone = record(loss, retain_graph=True, names={"h": h})
    x.grad = None
    options = {"retain_graph": True, "names": {"h": h}, "timeout": 60}
    with step(loss, **options) as one, step(loss, **options) as other:
        one.next(), other.next(), one.next(), other.next()
        traces = one.run(), other.run()
    assert x.grad.tolist() == (h.detach().exp() * 12).tolist()
    for trace in traces:
        assert trace.schedule() == alone.schedule()
        assert [event["type"] for event in trace.events] == [e["type"] for e in alone.events]
    assert traces[1].nodes == alone.nodes


@pytest.mark.filterwarnings("ignore:Using backward.. with create_graph")  # PyTorch's advice
def test_options_are_those_of_backward():
    x, w, _, loss = program()
    with step(loss, create_graph=True, inputs=[x]) as session:
        session.run()
    assert w.grad is None
    assert x.grad.requires_grad
    roots = [x * 2, x * 3]
    x.grad = None
    with step(roots, [torch.ones(2), torch.ones(2)]) as session:
        session.run()
    assert x.grad.tolist() == [5.0, 5.0]
