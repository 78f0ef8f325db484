"""What a paused session shows: queue, buffers, saved tensors, hooks, gradients, and its text."""

import glassgrad
from glassgrad import tensor
from tracing.stepping import leaf


def test_the_queue_says_how_many_gradients_have_arrived():
    x = leaf([1.0, 2.0], "x")
    y = x.exp()
    s = glassgrad.step((y + x).sum() + (y * 2).sum()).run_until("Exp")
    rows = {row.label: (row.arrived, row.expected) for row in s.queue}
    assert rows == {"n1 ExpBackward0": (2, 2), "n0 AccumulateGrad of x": (1, 2)}
    s.run_until("AccumulateGrad")
    assert [(row.arrived, row.expected) for row in s.queue] == [(2, 2)]


def test_in_the_middle_of_a_node_the_queue_counts_what_was_handed_on():
    x = leaf([1.0])
    y = x * x
    s = glassgrad.step(y, granularity="micro").run_until(lambda s: len(s.queue) > 1)
    assert [(row.arrived, row.expected) for row in s.queue] == [(1, 1), (1, 2)]


def test_a_root_that_is_fed_twice_expects_both():
    x = leaf([1.0])
    y = x * 2
    s = glassgrad.step([y, y.exp()], [tensor([1.0]), tensor([1.0])])
    assert [(row.id, row.arrived, row.expected) for row in s.queue] == [("n2", 1, 1), ("n1", 1, 2)]


def test_buffers_hold_what_waits_and_arrived_what_is_here():
    x = leaf([1.0, 2.0])
    y = x.exp()
    s = glassgrad.step((y * 3).sum()).run_until("Exp")
    assert s.arrived[0].tolist() == [3.0, 3.0]
    assert [grad.tolist() for (grad,) in s.buffers.values()] == [[3.0, 3.0]]


def test_what_is_shown_cannot_be_written_through():
    x = leaf([1.0, 2.0])
    s = glassgrad.step((x * 2).sum()).next()
    s.arrived[0].mul_(100)
    s.queue[0].gradients[0].mul_(100)
    next(iter(s.buffers.values()))[0].mul_(100)
    s.run()
    assert x.grad.tolist() == [2.0, 2.0]


def test_saved_tensors_show_bytes_versions_and_who_shares_the_memory():
    x = leaf([1.0, 2.0], "x")
    y = x.exp()
    s = glassgrad.step((y * x).sum()).run_until("Mul")
    own, other = s.saved
    assert (own.name, own.shape, own.dtype, own.bytes) == ("self", (2,), "float32", 8)
    assert (own.version, own.now) == (0, 0)
    assert own.shared_with == ("n1 ExpBackward0",)
    assert other.shared_with == ("leaf x",)
    with glassgrad.no_grad():
        y.add_(1)
    assert [(row.version, row.now) for row in s.saved] == [(0, 1), (0, 0)]
    assert "stale: it is at version 1 now" in str(s)


def test_saved_tensors_of_other_nodes_can_be_asked_for():
    x = leaf([1.0, 2.0])
    y = x.exp()
    s = glassgrad.step(y.sum())
    assert [row.name for row in s.saved_of(y)] == ["result"]
    s.run()
    assert s.saved_of(y.grad_fn) == []


def test_hooks_are_listed_with_their_kinds():
    x = leaf([1.0])
    y = x * 2

    def double(grad):
        return grad * 2

    y.register_hook(double)
    y.grad_fn.register_prehook(lambda grads: None)
    s = glassgrad.step(y.sum()).next()
    assert [(row.kind, row.name) for row in s.hooks] == [("tensor", "double"), ("pre", "<lambda>")]


def test_gradients_are_those_of_the_leaves_by_name():
    a, b = leaf([1.0, 2.0], "x"), leaf([0.5, 0.5])
    s = glassgrad.step((a * b * leaf(1.0)).sum()).run()
    assert {name: grad.tolist() for name, grad in s.gradients.items()} == {
        "x": [0.5, 0.5],
        "b": [1.0, 2.0],
        "t2": 1.5,
    }


def test_the_text_reads_from_top_to_bottom():
    x = leaf([1.0, 2.0], "x")
    y = x.exp()
    y.register_hook(lambda grad: None)
    s = glassgrad.step((y * y).sum()).run_until("Exp")
    assert str(s) == repr(s)
    assert str(s).splitlines() == [
        "Paused at n1 ExpBackward0, before it runs: node 3 of 4 of the pass.",
        "Queue:",
        "  n1 ExpBackward0: 2 of 2 arrived; (2,) float32 [5.44, 14.8]",
        "Saved by n1 ExpBackward0:",
        "  y (result) (2,) float32, 8 bytes, saved at version 0",
        "Hooks here:",
        "  h1 <lambda> (tensor)",
    ]
    assert str(s.run()).splitlines() == [
        "The pass is over: 4 of 4 nodes are done.",
        "Gradients:",
        "  x: (2,) float32 [14.8, 109]",
    ]


def test_names_cannot_forge_lines_of_the_text():
    x = leaf([1.0], "a\nPaused at n9\u202e" + "b" * 100)
    s = glassgrad.step(x * 2, tensor([1.0])).run_until("AccumulateGrad")
    lines = str(s).splitlines()
    assert len(lines) == 3
    assert "\u202e" not in str(s)
    assert "a\\x0aPaused at n9\\x202ebbb" in lines[0]
    assert "…" in lines[0]


def test_a_long_queue_is_cut_short():
    xs = [leaf([1.0]) for _ in range(40)]
    s = glassgrad.step(glassgrad.cat(xs).sum()).run_until("AccumulateGrad")
    assert "  … and 28 more" in str(s).splitlines()
