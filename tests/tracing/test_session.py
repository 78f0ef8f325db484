"""A live session: it stops the real pass, moves it on, shows it, and ends it cleanly."""

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import glassgrad
from glassgrad import tensor
from glassgrad.base.errors import (
    ArgumentError,
    ArgumentTypeError,
    FreedGraphError,
    GradientError,
    GraphError,
    TransformError,
)
from glassgrad.core.state import modes
from programs import Run, programs, writing_programs


def leaf(values, name=None):
    x = tensor(values, requires_grad=True)
    x.name = name
    return x


def names(nodes):
    return [node.name() for node in nodes]


def visited(session):
    """The names of the nodes a session pauses at, from here to its end."""
    found = []
    while not session.is_done:
        found.append(session.current.name())
        session.next()
    return found


# Moving -----------------------------------------------------------------------------------------


def test_nothing_runs_before_the_first_step():
    x = leaf([1.0, 2.0])
    s = glassgrad.step((x * x).sum())
    assert s.position == 0
    assert s.current.name() == "SumBackward0"
    assert x.grad is None


def test_one_step_is_one_node():
    x = leaf([1.0, 2.0])
    s = glassgrad.step((x * x).sum())
    assert visited(s) == ["SumBackward0", "MulBackward0", "AccumulateGrad"]
    assert s.is_done
    assert s.current is None
    assert x.grad.tolist() == [2.0, 4.0]


def test_a_step_after_the_end_says_what_to_do():
    s = glassgrad.step(leaf(2.0) * 3).run()
    with pytest.raises(GraphError, match=r"next\(\) after the end: all 2 nodes"):
        s.next()


def test_run_after_the_end_does_nothing():
    x = leaf(2.0)
    s = glassgrad.step(x * 3).run().run()
    assert x.grad.item() == 3.0
    assert s.is_done


def test_what_was_queued_for_the_end_runs_at_the_end():
    x = leaf(2.0)
    y = x * 3
    called = []
    y.register_hook(
        lambda _: glassgrad.autograd.Variable._execution_engine.queue_callback(
            lambda: called.append(x.grad.item())
        )
    )
    s = glassgrad.step(y).next()
    assert called == []
    s.run()
    assert called == [3.0]


@pytest.mark.parametrize("granularity", ["node", "hook", "micro"])
def test_every_granularity_comes_to_the_same_end(granularity):
    x = leaf([1.0, 2.0])
    y = x.exp()
    y.register_hook(lambda grad: grad * 2)
    y.grad_fn.register_hook(lambda grad_in, _: (grad_in[0] * 3,))
    s = glassgrad.step(y.sum(), granularity=granularity)
    while not s.is_done:
        s.next()
    np.testing.assert_allclose(x.grad.tolist(), (6 * np.exp([1.0, 2.0])), rtol=1e-6)


def test_by_hooks_it_pauses_before_and_after_each_hook():
    x = leaf([1.0, 2.0])
    y = x.exp()
    seen = []
    y.register_hook(lambda grad: seen.append("tensor"))
    y.grad_fn.register_prehook(lambda grads: seen.append("pre"))
    y.grad_fn.register_hook(lambda *_: seen.append("post"))
    s = glassgrad.step(y.sum(), granularity="hook").next()
    counts = []
    while s.current is y.grad_fn:
        counts.append(len(seen))
        s.next()
    assert counts == [0, 0, 1, 2, 2, 3]
    assert seen == ["tensor", "pre", "post"]


def test_by_micro_steps_it_pauses_after_each_phase():
    x = leaf([1.0, 2.0])
    s = glassgrad.step(x.exp().sum(), granularity="micro")
    wheres = []
    while not s.is_done:
        wheres.append(str(s).splitlines()[0].split(":")[0].removeprefix("Paused at "))
        s.next()
    assert wheres == [
        "n2 SumBackward0, before it runs",
        "n2 SumBackward0, before its rule",
        "n2 SumBackward0, after its rule and before a gradient is handed on",
        "n1 ExpBackward0, before it runs",
        "n1 ExpBackward0, before its rule",
        "n1 ExpBackward0, after its rule and before it lets go of what it saved",
        "n1 ExpBackward0, after its rule and before a gradient is handed on",
        "n0 AccumulateGrad of t0, before it runs",
        "n0 AccumulateGrad of t0, before it adds to .grad",
    ]


def test_an_unknown_granularity_is_refused():
    with pytest.raises(ArgumentError, match="'node', 'hook' or 'micro', got 'line'"):
        glassgrad.step(leaf(1.0) * 2, granularity="line")


def test_run_until_takes_a_name_a_node_an_id_a_tensor_or_a_function():
    x = leaf([1.0, 2.0], "x")
    y = x.exp()
    loss = (y * y).sum()
    for goal in ("ExpBackward0", "Exp", y.grad_fn, "n1", y, lambda s: s.position == 2):
        s = glassgrad.step(loss, retain_graph=True).run_until(goal)
        assert s.current is y.grad_fn
        s.close()


def test_run_until_goes_on_to_the_next_node_of_that_name():
    x = leaf([1.0])
    s = glassgrad.step(x.exp().exp().sum())
    first = s.run_until("Exp").current
    assert s.run_until("Exp").current is not first
    with pytest.raises(ArgumentError, match="no Exp is ahead of n1 ExpBackward0"):
        s.run_until("Exp")


@pytest.mark.parametrize(
    ("goal", "error", "said"),
    [
        ("ExpBackward0", ArgumentError, "no node called 'ExpBackward0' is part of this pass"),
        ("MulBakward0", ArgumentError, "Did you mean 'MulBackward0'"),
        (3.5, ArgumentTypeError, "a node, its id or a tensor, got float"),
        (tensor(1.0), ArgumentError, "that tensor is no part of this pass"),
    ],
)
def test_run_until_refuses_what_is_no_part_of_the_pass(goal, error, said):
    s = glassgrad.step((leaf([1.0]) * 2).sum())
    with pytest.raises(error, match=said):
        s.run_until(goal)
    assert s.position == 0


def test_run_until_a_node_that_has_run_is_refused():
    loss = (leaf([1.0]) * 2).sum()
    s = glassgrad.step(loss).next()
    with pytest.raises(ArgumentError, match="n2 SumBackward0 has run already"):
        s.run_until(loss.grad_fn)


# The same as backward() -------------------------------------------------------------------------

FUZZ = settings(
    max_examples=120, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck)
)


def result_of(run):
    grads = [x.grad for x in run.leaves]
    retained = [x.grad for x in run.made if x.requires_grad and x.retains_grad]
    return [None if g is None else (g.payload.tobytes(), g.dtype) for g in (*grads, *retained)]


@FUZZ
@given(programs, st.booleans(), st.booleans(), st.sampled_from(["node", "hook", "micro"]))
def test_random_programs_end_with_the_bits_of_backward(program, hooked, create_graph, granularity):
    plain, stepped = (Run(glassgrad, program, hooked=hooked) for _ in range(2))
    if not plain.roots:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        glassgrad.autograd.backward(plain.roots, plain.seeds, create_graph=create_graph)
        with glassgrad.step(
            stepped.roots, stepped.seeds, create_graph=create_graph, granularity=granularity
        ) as s:
            while not s.is_done:
                s.next()
    assert stepped.order == plain.order
    assert result_of(stepped) == result_of(plain)


@FUZZ
@given(
    programs,
    st.booleans(),
    st.booleans(),
    st.sampled_from(["node", "hook", "micro"]),
    st.lists(st.booleans(), max_size=60),
)
def test_random_programs_stepped_back_and_on_end_with_the_bits_of_backward(
    program, hooked, create_graph, granularity, moves
):
    plain, stepped = (Run(glassgrad, program, hooked=hooked) for _ in range(2))
    if not plain.roots:
        return
    for run in (plain, stepped):  # so that there is something to add to in place
        glassgrad.autograd.backward(run.roots, run.seeds, retain_graph=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        glassgrad.autograd.backward(plain.roots, plain.seeds, create_graph=create_graph)
    s = glassgrad.step(
        stepped.roots, stepped.seeds, create_graph=create_graph, granularity=granularity
    )
    states = [state_of(stepped, s)]
    for forward in moves:
        if forward and not s.is_done:
            s.next()
            states.append(state_of(stepped, s))
        elif not forward and len(states) > 1:
            s.back()
            states.pop()
            assert state_of(stepped, s) == states[-1]
    s.run()
    assert result_of(stepped) == result_of(plain)


@FUZZ
@given(writing_programs, st.booleans(), st.lists(st.booleans(), max_size=40))
def test_random_programs_that_write_in_place_are_stepped_to_the_same_end(program, hooked, moves):
    outcomes = []
    for stepwise in (False, True):
        run = Run(glassgrad, program, hooked=hooked)
        if not run.roots:
            return
        try:
            if stepwise:
                wander(glassgrad.step(run.roots, run.seeds), moves)
            else:
                glassgrad.autograd.backward(run.roots, run.seeds)
            error = None
        except RuntimeError as caught:
            error = type(caught), str(caught)
        outcomes.append((result_of(run), error, [x._version for x in run.made]))
    assert outcomes[0] == outcomes[1]


def wander(session, moves):
    """Step on and back, then to the end."""
    for forward in moves:
        if forward and not session.is_done:
            session.next()
        elif not forward and session.position:
            session.back()
    session.run()


def state_of(run, session):
    """All that a session restores, as bytes."""
    buffers = {
        session.names.node[node]: [None if g is None else g.payload.tobytes() for g in grads]
        for node, grads in session.buffers.items()
    }
    saved = [repr(session.saved_of(node)) for node in session.schedule]
    versions = [None if x.grad is None else x.grad._version for x in run.leaves]
    return result_of(run), buffers, saved, versions, str(session)


def test_inputs_are_respected():
    x, y = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    z = x.exp()
    s = glassgrad.step((z * y).sum(), inputs=[z])
    assert visited(s) == ["SumBackward0", "MulBackward0", "ExpBackward0"]
    assert z.grad.tolist() == [3.0, 4.0]
    assert x.grad is y.grad is None


def test_a_root_that_leads_to_no_input_is_passed_by():
    x, y = leaf(1.0), leaf(2.0)
    s = glassgrad.step([x * 2, y * 3], inputs=[x])
    assert visited(s) == ["MulBackward0", "AccumulateGrad"]
    assert x.grad.item() == 2.0
    assert y.grad is None


@pytest.mark.filterwarnings("ignore:Using backward.. with create_graph=True")
def test_create_graph_gives_gradients_that_can_be_differentiated():
    x = leaf(3.0)
    with glassgrad.step(x**3, create_graph=True) as s:
        s.next().back().run()
    (second,) = glassgrad.autograd.grad(x.grad, x)
    assert second.item() == 18.0
    x.grad = None


def test_a_graph_that_transforms_have_made_is_stepped_as_any():
    x = leaf([1.0, 2.0, 3.0])
    plain = glassgrad.vmap(glassgrad.func.grad(lambda v: v.sin() * v))(x).sum()
    plain.backward(retain_graph=True)
    expected, x.grad = x.grad, None
    s = glassgrad.step(plain).run()
    while s.position:
        s.back()
    assert x.grad is None
    s.run()
    assert x.grad.tolist() == expected.tolist()


def test_an_edge_is_a_root_as_a_tensor_is():
    x = leaf([1.0])
    y = x * 3
    edge = glassgrad.autograd.graph.get_gradient_edge(y)
    s = glassgrad.step(edge, tensor([2.0]))
    assert visited(s) == ["MulBackward0", "AccumulateGrad"]
    assert x.grad.tolist() == [6.0]


def test_complex_and_empty_gradients_are_shown_and_stepped():
    x = glassgrad.tensor([1 + 2j, 3j], requires_grad=True)
    s = glassgrad.step((x * x).abs().sum())
    s.break_at(norm=1e9)
    assert "complex64" in str(s.run_until("Mul"))
    s.run()
    np.testing.assert_allclose(x.grad.abs().tolist(), [2 * 5**0.5, 6.0], rtol=1e-6)
    empty = glassgrad.zeros(0, requires_grad=True)
    s = glassgrad.step((empty * 2).sum())
    s.break_at(norm=0.5)
    assert "(0,) float32 []" in str(s.run().next())


def test_it_is_refused_inside_of_a_transform_as_backward_is():
    with pytest.raises(TransformError, match="inside a functorch transform"):
        glassgrad.func.grad(lambda x: glassgrad.step(x * x))(tensor(1.0))


# Looking ----------------------------------------------------------------------------------------


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
    x, b = leaf([1.0, 2.0], "x"), leaf([0.5, 0.5])
    s = glassgrad.step((x * b).sum()).run()
    assert {name: grad.tolist() for name, grad in s.gradients.items()} == {
        "x": [0.5, 0.5],
        "t1": [1.0, 2.0],
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
        "  result (2,) float32, 8 bytes, saved at version 0",
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


# Changing ---------------------------------------------------------------------------------------


def test_a_changed_gradient_is_what_the_pass_goes_on_with():
    x = leaf([1.0, 2.0])
    y = x * 3
    s = glassgrad.step(y.sum()).run_until(y)
    s.set_gradient(y, tensor([10.0, 20.0]))
    s.run()
    assert x.grad.tolist() == [30.0, 60.0]


def test_a_gradient_that_is_still_arriving_can_be_changed():
    x = leaf([1.0, 2.0])
    s = glassgrad.step((x.exp() * 0 + x).sum()).run_until("Mul")
    s.set_gradient(x, tensor([5.0, 6.0]))
    s.run()
    assert x.grad.tolist() == [5.0, 6.0]


def test_a_gradient_can_be_changed_between_two_hooks():
    x = leaf([1.0])
    y = x * 3
    seen = []
    y.register_hook(lambda grad: seen.append(grad.item()))
    s = glassgrad.step(y, tensor([1.0]), granularity="hook").next()
    s.set_gradient(y, tensor([7.0]))
    s.run()
    assert seen == [7.0]
    assert x.grad.tolist() == [21.0]


def test_one_gradient_of_several_outputs_can_be_changed():
    x = leaf([1.0, 2.0])
    first, second = x.unbind()
    s = glassgrad.step(first + second).run_until(first)
    s.set_gradient(second, tensor(5.0))
    with pytest.raises(GradientError, match="has 2 outputs, each with a gradient of its own"):
        s.set_gradient(first.grad_fn, tensor(5.0))
    s.run()
    assert x.grad.tolist() == [1.0, 5.0]


def test_stepping_back_takes_a_change_back():
    x = leaf([1.0, 2.0])
    y = x * 3
    s = glassgrad.step(y.sum()).run_until(y)
    s.set_gradient(y, tensor([10.0, 20.0]))
    s.back().run()
    assert x.grad.tolist() == [3.0, 3.0]


@pytest.mark.filterwarnings("ignore:Using backward.. with create_graph=True")
def test_under_create_graph_a_changed_gradient_stays_in_the_graph():
    x, seed = leaf(3.0), leaf(5.0)
    y = x * x
    with glassgrad.step(y, create_graph=True) as s:
        s.set_gradient(y, seed * 2)
        s.run()
    assert x.grad.item() == 60.0
    assert glassgrad.autograd.grad(x.grad, seed)[0].item() == 12.0
    x.grad = None


@pytest.mark.parametrize(
    ("value", "error", "said"),
    [
        (1.0, ArgumentTypeError, "to be replaced by a float"),
        (tensor([1.0]), GradientError, r"has the shape \(2,\), and the new value \(1,\)"),
        (tensor([1.0, 2.0], dtype=glassgrad.float64), GradientError, "is float32, and .* float64"),
    ],
)
def test_a_gradient_of_another_shape_or_dtype_is_refused(value, error, said):
    x = leaf([1.0, 2.0])
    y = x * 3
    s = glassgrad.step(y.sum()).run_until(y)
    with pytest.raises(error, match=said):
        s.set_gradient(y, value)
    s.run()
    assert x.grad.tolist() == [3.0, 3.0]


def test_a_gradient_that_is_not_there_cannot_be_changed():
    x = leaf([1.0, 2.0])
    y = x * 3
    loss = y.sum()
    s = glassgrad.step(loss)
    with pytest.raises(GradientError, match="none has arrived at n1 MulBackward0"):
        s.set_gradient(y, tensor([1.0, 2.0]))
    s.next()
    with pytest.raises(GradientError, match="the gradient at n2 SumBackward0 has been used"):
        s.set_gradient(loss, tensor(1.0))


def test_a_changed_saved_tensor_is_what_the_rule_uses():
    x, w = leaf([1.0, 2.0]), tensor([3.0, 4.0])
    y = x * w
    s = glassgrad.step(y.sum(), retain_graph=True)
    s.set_saved(y.grad_fn, "other", tensor([10.0, 20.0]))
    s.run()
    assert x.grad.tolist() == [10.0, 20.0]
    assert w.tolist() == [3.0, 4.0]


def test_a_stale_saved_tensor_can_be_mended():
    x = leaf([1.0, 2.0])
    y = x * 1
    z = y * y
    with glassgrad.no_grad():
        y.add_(1)
    s = glassgrad.step(z.sum()).run_until(z)
    s.set_saved(z.grad_fn, "self", tensor([1.0, 2.0]))
    s.set_saved(z.grad_fn, "other", tensor([1.0, 2.0]))
    s.run()
    assert x.grad.tolist() == [2.0, 4.0]


def test_the_saved_tensor_of_a_users_function_can_be_changed():
    x = leaf([1.0, 2.0])
    y = Square.apply(x)
    s = glassgrad.step(y.sum()).next()
    s.set_saved(s.current, "saved_tensors[0]", tensor([5.0, 5.0]))
    s.run()
    assert x.grad.tolist() == [10.0, 10.0]


def test_a_saved_tensor_that_is_not_there_cannot_be_changed():
    x = leaf([1.0, 2.0])
    y = x * x
    s = glassgrad.step(y.sum())
    with pytest.raises(ArgumentError, match="has saved no 'result'; it holds 'self', 'other'"):
        s.set_saved(y.grad_fn, "result", tensor([1.0, 1.0]))
    s.run()
    with pytest.raises(ArgumentError, match="it holds nothing"):
        s.set_saved(y.grad_fn, "self", tensor([1.0, 1.0]))


class Square(glassgrad.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 2 * x


# Ending -----------------------------------------------------------------------------------------


def test_modes_are_the_callers_between_two_steps():
    x = leaf(3.0)
    during = []
    x.register_hook(lambda _: during.append(glassgrad.is_grad_enabled()))
    with glassgrad.step(x * x) as s:
        while not s.is_done:
            assert glassgrad.is_grad_enabled()
            assert modes.task is None
            s.next()
    assert during == [False]


def test_leaving_early_keeps_what_was_added_and_leaves_the_rest_usable():
    x, w = leaf(3.0), leaf(2.0)
    y = x * x
    z = y * w
    with glassgrad.step(z, retain_graph=False) as s:
        s.run_until(y)
        assert s.buffers
    assert s.is_closed
    assert s.buffers == {}
    assert w.grad.item() == 9.0
    assert x.grad is None
    y.backward()
    assert x.grad.item() == 6.0
    with pytest.raises(FreedGraphError):
        z.backward()


def test_a_closed_session_refuses_to_move():
    with glassgrad.step(leaf(3.0) * 2) as s:
        s.next()
    for move in (s.next, s.back, s.run, s.__enter__):
        with pytest.raises(GraphError, match="this session was closed after 1 of 2 nodes"):
            move()
    assert str(s).splitlines()[0] == "Closed after 1 of 2 nodes of the pass."


@pytest.mark.parametrize("error", [ValueError("boom"), StopIteration("boom"), KeyboardInterrupt()])
@pytest.mark.parametrize("place", ["rule", "tensor hook", "prehook", "posthook", "leaf hook"])
def test_an_exception_ends_the_session_and_keeps_its_type(error, place):
    def fail(*_):
        raise error

    class Fails(glassgrad.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return fail()

    x = leaf(3.0)
    y = Fails.apply(x) if place == "rule" else x * 1
    register = {
        "tensor hook": y.register_hook,
        "prehook": y.grad_fn.register_prehook,
        "posthook": y.grad_fn.register_hook,
        "leaf hook": x.register_hook,
    }
    if place in register:
        register[place](fail)
    with pytest.raises(type(error)), glassgrad.step(y * 2) as s:
        s.run()
    assert s.is_closed
    assert s.buffers == {}
    assert glassgrad.is_grad_enabled()
    assert modes.task is None
    assert x.grad is None


def test_the_errors_of_a_pass_come_where_it_is_stepped():
    x = leaf(3.0)
    y = x * x
    y.backward()
    with glassgrad.step(y) as s, pytest.raises(FreedGraphError, match="a second time"):
        s.next()
    assert s.is_closed


def test_a_session_that_is_dropped_leaves_nothing_behind():
    x = leaf(3.0)
    y = x * x
    glassgrad.step(y).next()
    assert modes.task is None
    assert glassgrad.is_grad_enabled()
    assert y.requires_grad
