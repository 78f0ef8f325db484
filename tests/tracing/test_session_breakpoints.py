"""Breakpoints: where a live session stops by itself."""

import pytest

import glassgrad
from checks import together
from glassgrad import tensor
from glassgrad.core.errors import ArgumentError, ArgumentTypeError
from tracing.stepping import leaf


def stops(session):
    """The ids of the nodes at which a session stops as it runs."""
    found = []
    while not session.run().is_done:
        found.append(session.names.node[session.current])
    return found


def test_an_op_stops_it_before_each_of_its_nodes():
    x = leaf([1.0, 2.0])
    s = glassgrad.step(((x * 2).exp() * 3).sum())
    point = s.break_at(op="MulBackward0")
    assert s.run().stopped_by is point
    assert s.current.name() == "MulBackward0"
    assert s.position == 1
    s.run()
    assert s.position == 3
    assert s.run().is_done


def test_the_short_name_of_an_op_will_do():
    s = glassgrad.step((leaf([1.0]) * 2).exp().sum())
    s.break_at(op="Mul")
    assert stops(s) == ["n1"]


def test_a_node_stops_it_by_itself_or_by_its_id():
    x = leaf([1.0])
    y = x.exp()
    for which in (y.grad_fn, "n1"):
        s = glassgrad.step(y.sum(), retain_graph=True)
        s.break_at(node=which)
        assert stops(s) == ["n1"]


def test_a_tensor_stops_it_where_its_gradient_has_arrived():
    x = leaf([1.0], "x")
    y = x.exp()
    y.name = "y"
    loss = (y * y).sum()
    for which in ("y", y):
        s = glassgrad.step(loss, retain_graph=True)
        s.break_at(tensor=which)
        assert s.run().arrived[0].item() == pytest.approx(2 * 2.718281, rel=1e-5)
        assert s.current is y.grad_fn
    s = glassgrad.step(loss)
    s.break_at(tensor="x")
    assert s.run().current.name() == "torch::autograd::AccumulateGrad"


def test_a_tensor_that_retains_its_gradient_is_known_by_name():
    x = leaf([1.0])
    y = x + 1
    y.name = "kept"
    y.retain_grad()
    s = glassgrad.step((y + 2).sum())
    s.break_at(tensor="kept")
    assert stops(s) == ["n1"]


def test_a_scope_stops_it_on_the_way_in_and_not_again_inside():
    x = leaf([1.0])
    with glassgrad.scope("outer"):
        y = x.exp()
        with glassgrad.scope("inner"):
            z = (y * x).sin()
    loss = z.sum()
    for name, where in (("inner", "n3"), ("outer.inner", "n3"), ("outer", "n3")):
        s = glassgrad.step(loss, retain_graph=True)
        s.break_at(scope=name)
        assert stops(s) == [where]


def test_a_hook_stops_it_in_the_middle_of_a_node():
    x = leaf([1.0])
    y = x.exp()
    seen = []

    def hook(grad):
        seen.append("hook")

    y.register_hook(lambda _: seen.append("first"))
    handle = y.register_hook(hook)
    for which in (hook, handle):
        seen.clear()
        s = glassgrad.step(y.sum(), retain_graph=True)
        s.break_at(hook=which)
        assert s.run().current is y.grad_fn
        assert seen == ["first"]
        s.next()
        assert seen == ["first", "hook"]
        assert s.current.name() == "torch::autograd::AccumulateGrad"


def test_hooks_after_a_node_and_after_accumulation_stop_it_too():
    x = leaf([1.0])
    y = x.exp()

    def after(*_):
        pass

    y.grad_fn.register_hook(after)
    x.register_post_accumulate_grad_hook(after)
    s = glassgrad.step(y.sum())
    s.break_at(hook=after)
    assert s.run().current is y.grad_fn
    assert s.run().current.name() == "torch::autograd::AccumulateGrad"
    assert x.grad is not None
    assert s.run().is_done


def test_nan_stops_it_at_the_node_that_made_it():
    x = leaf([0.0, 1.0])
    y = x.sqrt()
    s = glassgrad.step((y * 1).sum())
    s.break_at(nan=True)
    assert s.run().current is y.grad_fn
    assert "Stopped where nan or inf comes out of finite numbers." in str(s)
    assert s.run().is_done


def test_nan_that_comes_in_with_the_roots_stops_it_at_once():
    x = leaf([1.0])
    s = glassgrad.step(x * 2, tensor([float("nan")]))
    s.break_at(nan=True)
    s.run()
    assert s.position == 0
    assert s.run().is_done


def test_nan_that_two_gradients_add_up_to_stops_it():
    x = leaf([1.0])
    big = float("inf")
    y = x * 1
    s = glassgrad.step([y * 1, y * 1], [tensor([big]), tensor([-big])])
    s.break_at(nan=True)
    where = stops(s)
    assert len(where) == 2  # the two infinities at the roots
    y = x * 1
    s = glassgrad.step([y * 3e38, y * 3e38], [tensor([1.0]), tensor([1.0])])
    s.break_at(nan=True)
    assert stops(s) == ["n1"]  # the second of two finite gradients was handed to y


def test_a_large_gradient_stops_it_before_it_is_used():
    x = leaf([1.0, 1.0])
    y = x * 2
    s = glassgrad.step((y * 30).sum())
    s.break_at(norm=40)
    assert s.run().current is y.grad_fn


def test_a_breakpoint_can_be_removed():
    x = leaf([1.0])
    s = glassgrad.step((x * 2).exp().sum())
    point = s.break_at(op="Mul")
    assert s.breakpoints == [point]
    point.remove()
    point.remove()
    assert s.breakpoints == []
    with s.break_at(op="Exp"):
        assert s.run().current.name() == "ExpBackward0"
    assert stops(s) == []


def test_a_breakpoint_where_it_stands_is_told_of_once():
    x = leaf([1.0])
    s = glassgrad.step(x.exp(), tensor([1.0]))
    s.break_at(op="Exp")
    assert s.run().position == 0
    assert s.stopped_by is not None
    assert s.run().is_done


def test_stepping_back_before_a_breakpoint_stops_there_again():
    x = leaf([1.0])
    s = glassgrad.step((x * 2).exp().sum())
    s.break_at(op="Mul")
    s.run()
    s.back()
    assert s.stopped_by is None
    assert s.run().current.name() == "MulBackward0"


def test_run_until_stops_at_a_breakpoint_on_the_way():
    x = leaf([1.0], "x")
    s = glassgrad.step((x * 2).exp().sum())
    s.break_at(op="Exp")
    assert s.run_until(x).current.name() == "ExpBackward0"
    assert s.run_until(x).current.name() == "torch::autograd::AccumulateGrad"


@together
@pytest.mark.parametrize(
    ("conditions", "error", "said"),
    [
        ({}, ArgumentError, "was given nothing"),
        ({"op": "Mul", "norm": 3.0}, ArgumentError, "was given op, norm"),
        ({"op": "Mull"}, ArgumentError, "no node called 'Mull'.*Did you mean 'Mul'"),
        ({"op": 3}, ArgumentTypeError, "a string, got int"),
        ({"node": "n77"}, ArgumentError, "'n77' is no part of this pass"),
        ({"node": 3}, ArgumentTypeError, "a node, its id or a tensor, got int"),
        ({"tensor": "q"}, ArgumentError, "no tensor called 'q' .* it knows the tensors 'x'"),
        ({"tensor": 3}, ArgumentTypeError, "takes a Tensor or its name, got int"),
        ({"scope": "s"}, ArgumentError, "no node of this pass was made in a scope 's'"),
        ({"scope": 3}, ArgumentTypeError, "takes a name, got int"),
        ({"hook": print}, ArgumentError, "was given what is no hook of this pass"),
        ({"nan": 3}, ArgumentError, "takes True, got 3"),
        ({"norm": -1.0}, ArgumentError, "not negative, got -1.0"),
        ({"norm": float("nan")}, ArgumentError, "not negative, got nan"),
        ({"norm": True}, ArgumentError, "not negative, got True"),
    ],
)
def test_a_breakpoint_that_could_never_be_met_is_refused(conditions, error, said):
    s = glassgrad.step((leaf([1.0], "x") * 2).sum())
    with pytest.raises(error, match=said):
        s.break_at(**conditions)
    assert s.breakpoints == []


def test_a_breakpoint_says_what_it_stops_at():
    s = glassgrad.step((leaf([1.0], "x") * 2).sum())
    assert repr(s.break_at(op="Mul")) == "<Breakpoint: before each Mul>"
    assert "n0 AccumulateGrad of x" in repr(s.break_at(tensor="x"))


def test_a_pass_that_starts_at_an_edge_can_stop_there():
    x = glassgrad.tensor([1.0, 2.0], requires_grad=True)
    edge = glassgrad.autograd.graph.get_gradient_edge((x * x).sum())
    s = glassgrad.step(edge, glassgrad.tensor(1.0))
    (output,) = s.trace.outputs
    assert (output["id"], output["name"], output["node"], output["shape"]) == ("t1", None, "n2", [])
    assert s.outputs == [edge]
    s.break_at(tensor=s.outputs[0])
    assert s.run().current is edge.node
    assert s.run().is_done
