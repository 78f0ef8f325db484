"""Nodes and edges: their shape, names and metadata, what they save, and how long they live."""

import gc
import weakref

import pytest
import torch

import glassgrad
from both import bare, leaf, plain, spelled
from glassgrad.autograd.graph import AccumulateGrad, GradientEdge, Node


def two(lib):
    class Two(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1, x * 2

        @staticmethod
        def backward(ctx, first, second):
            return first + 2 * second

    return Two.apply


def test_next_functions_has_one_entry_for_each_operand(lib):
    x = leaf(lib, 2.0)
    node = (x * 3.0).grad_fn
    (first, nr), constant = node.next_functions
    assert bare(first.name()) == "AccumulateGrad"
    assert nr == 0
    assert constant == (None, 0)


def test_edges_name_the_output_they_come_from(lib):
    first, second = two(lib)(leaf(lib, 1.0))
    (a, nr_a), (b, nr_b) = (first * second).grad_fn.next_functions
    assert a is b is first.grad_fn
    assert (nr_a, nr_b) == (0, 1)
    assert (first.output_nr, second.output_nr) == (0, 1)


def test_all_uses_of_a_leaf_lead_to_one_node(lib):
    x = leaf(lib, 1.0)
    y, z = x * 2, x.exp()
    assert y.grad_fn.next_functions[0][0] is z.grad_fn.next_functions[0][0]
    assert y.grad_fn.next_functions[0][0].variable is x


def test_a_leaf_does_not_keep_its_node(lib):
    x = leaf(lib, 1.0)
    y = x * 2
    edge = y.grad_fn.next_functions[0][0]
    edge.metadata["seen"] = True
    assert edge.metadata == {"seen": True}
    if lib is glassgrad:
        alive = weakref.ref(edge)
        del y, edge
        assert alive() is None


def test_grad_fn_is_the_same_object_each_time(lib):
    y = leaf(lib, 1.0) * 2
    assert y.grad_fn is y.grad_fn
    assert (y * 2).grad_fn.next_functions[0][0] is y.grad_fn


def test_leaves_and_constants_have_no_grad_fn(lib):
    x = leaf(lib, 1.0)
    assert x.grad_fn is None
    assert x.is_leaf
    assert plain(lib, 1.0).is_leaf
    assert not (x * 2).is_leaf
    assert (plain(lib, 1.0) * 2).grad_fn is None
    assert (plain(lib, 1.0) * 2).is_leaf


def test_sequence_numbers_grow(lib):
    x = leaf(lib, 1.0)
    y = x * 2
    z = y * 3
    assert z.grad_fn._sequence_nr() > y.grad_fn._sequence_nr()
    assert y.grad_fn.next_functions[0][0]._sequence_nr() > z.grad_fn._sequence_nr()


def test_metadata_is_a_dict_of_ones_own(lib):
    y = leaf(lib, 1.0) * 2
    y.grad_fn.metadata["note"] = "mine"
    assert y.grad_fn.metadata == {"note": "mine"}


def test_input_metadata_describes_the_outputs(lib):
    first, second = two(lib)(leaf(lib, [1.0, 2.0]))
    found = [(tuple(m.shape), m.dtype) for m in (first * second).grad_fn._input_metadata]
    assert found == [((2,), lib.float64)]
    assert len(first.grad_fn._input_metadata) == 2


def test_graphs_have_pytorchs_shape_and_names():
    def build(lib):
        x, y = leaf(lib, [0.5, 1.5]), leaf(lib, [[2.0], [3.0]])
        z = (x * y - 1).exp() / (2 - x) + (-y).tanh() ** 2
        a, b = two(lib)(z * 3.0)
        return (a.sin() + b.abs().sqrt() - x.cos().log()).sum()

    assert spelled(build(glassgrad).grad_fn) == spelled(build(torch).grad_fn)


def test_a_gradient_edge_says_where_the_gradient_of_a_tensor_arrives(lib):
    get_gradient_edge = lib.autograd.graph.get_gradient_edge
    x = leaf(lib, 1.0)
    first, second = two(lib)(x)
    assert get_gradient_edge(second)[:2] == (first.grad_fn, 1)
    assert bare(get_gradient_edge(x).node.name()) == "AccumulateGrad"
    with pytest.raises(RuntimeError, match="get the gradient edge for a Tensor that does not req"):
        get_gradient_edge(plain(lib, 1.0))


def test_nodes_are_nodes():
    y = leaf(glassgrad, 1.0) * 2
    assert isinstance(y.grad_fn, Node)
    assert isinstance(y.grad_fn.next_functions[0][0], AccumulateGrad)
    assert isinstance(glassgrad.autograd.graph.get_gradient_edge(y), GradientEdge)
    assert repr(y.grad_fn).startswith("<MulBackward0 object at 0x")


def test_a_view_of_a_leaf_is_not_written(lib):
    a = plain(lib, [1.0, 2.0])
    b = a[:]
    a.requires_grad = True
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        a.add_(5)
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        b.add_(5)
    assert a.tolist() == [1.0, 2.0]


def test_cycles_cannot_be_made_by_writing_in_place(lib):
    x = leaf(lib, 1.0)
    y = x * 1
    before = y.grad_fn
    y.mul_(2)
    assert y.grad_fn is not before
    assert y.grad_fn.next_functions[0][0] is before


# What nodes save --------------------------------------------------------------------------------


def test_a_node_saves_only_what_a_gradient_needs(lib):
    x, c = leaf(lib, 2.0), plain(lib, 3.0)
    node = (x * c).grad_fn
    assert node._saved_self is None
    assert node._saved_other.item() == 3.0


def test_a_saved_input_is_the_very_tensor(lib):
    x = leaf(lib, 2.0)
    assert (x * x).grad_fn._saved_self is x
    y = x * 2
    assert y.exp().grad_fn.next_functions[0][0] is y.grad_fn
    assert (y * x).grad_fn._saved_self is y


def test_a_saved_output_is_a_tensor_with_the_same_grad_fn(lib):
    y = leaf(lib, 2.0).exp()
    saved = y.grad_fn._saved_result
    assert saved is not y
    assert saved.grad_fn is y.grad_fn
    assert saved.item() == y.item()


def test_a_saved_output_shares_its_version(lib):
    y = leaf(lib, [1.0, 2.0]).exp()
    saved = y.grad_fn._saved_result
    with lib.no_grad():
        y.add_(1)
    assert saved.tolist() == y.tolist()
    assert saved._version == y._version == 1


def test_saved_tensors_are_gone_after_backward(lib):
    y = leaf(lib, 2.0).exp()
    y.backward()
    with pytest.raises(RuntimeError, match="second time"):
        _ = y.grad_fn._saved_result


def test_a_saved_tensor_that_was_written_is_reported(lib):
    x = leaf(lib, [1.0, 2.0])
    a = x * 2
    y = a * a
    a.add_(1)
    expected = (
        r"modified by an inplace operation: \[torch.DoubleTensor \[2\]\], which is output 0 of "
        r"Add.*, is at version 1; expected version 0 instead"
    )
    with pytest.raises(RuntimeError, match=expected):
        y.backward(plain(lib, [1.0, 1.0]))
    assert x.grad is None


def test_a_saved_output_that_was_written_is_reported(lib):
    x = leaf(lib, [1.0, 2.0])
    y = x.exp()
    y.add_(1)
    with pytest.raises(RuntimeError, match=r"is at version 1; expected version 0 instead"):
        y.backward(plain(lib, [1.0, 1.0]))


def test_a_write_through_detach_is_seen_although_the_tensor_is_gone(lib):
    x = leaf(lib, [1.0, 2.0])
    y = x.exp()
    alias = y.detach()
    s = y.sum()
    del y
    alias.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        s.backward()


def test_a_write_before_saving_is_no_fault(lib):
    x = leaf(lib, [1.0, 2.0])
    a = x * 2
    a.add_(1)
    (a * a).backward(plain(lib, [1.0, 1.0]))
    assert x.grad.tolist() == [12.0, 20.0]


def test_a_write_to_what_nobody_saved_is_no_fault(lib):
    x = leaf(lib, [1.0, 2.0])
    a = x * 2
    y = a + 1
    a.add_(1)
    y.backward(plain(lib, [1.0, 1.0]))
    assert x.grad.tolist() == [2.0, 2.0]


# Lifetimes --------------------------------------------------------------------------------------


def test_a_graph_dies_with_its_last_tensor():
    gc.disable()
    try:
        x = leaf(glassgrad, 1.0)
        y = (x * 2).exp()
        nodes = [weakref.ref(y.grad_fn), weakref.ref(y.grad_fn.next_functions[0][0])]
        del y
        assert [node() for node in nodes] == [None, None]
    finally:
        gc.enable()


def test_a_graph_with_a_hook_dies_too():
    x = leaf(glassgrad, 1.0)
    y = x * 2
    y.register_hook(lambda grad: grad)
    y.retain_grad()
    node = weakref.ref(y.grad_fn)
    gc.disable()
    try:
        del y
        assert node() is None
    finally:
        gc.enable()


def test_gradients_of_another_dtype_arrive_at_another_node(lib):
    x = leaf(lib, [1.0, 2.0])
    y = x * 2
    node = lib.autograd.graph.get_gradient_edge(x).node
    x.data = x.data.float()
    assert lib.autograd.graph.get_gradient_edge(x).node is not node
    y.sum().backward()
    assert x.grad.dtype == lib.float64


def test_a_gradient_of_another_dtype_can_be_made_zero(lib):
    layer = lib.nn.Linear(2, 1).double()
    y = layer(lib.ones(1, 2, dtype=lib.float64))
    layer.float()
    y.backward()
    layer.zero_grad(set_to_none=False)
    assert layer.weight.grad.tolist() == [[0.0, 0.0]]


def test_a_node_gets_a_gradient_for_each_result_that_can_have_one():
    def of(lib):
        x = lib.tensor([[3.0, 1.0, 2.0], [5.0, 6.0, 4.0]], requires_grad=True)
        normal = lib.nn.functional
        found = []
        for out in (
            *(x.sort(), x.max(1), x.topk(2), x.median(1), x.kthvalue(1), x.cummin(1), x.frexp()),
            *(x.aminmax(), x.split(3, 1), x.split(1, 1), lib.linalg.lu_factor_ex(x[:, :2])),
            *([normal.layer_norm(x, (3,))], [normal.batch_norm(x, None, None, training=True)]),
            [normal.group_norm(x, 1)],
        ):
            node = out[0].grad_fn
            node.register_prehook(lambda grads: found.append([g is not None for g in grads]))
            node.register_hook(lambda _, grads: found.append(len(grads)))
            found.append([len(node._input_metadata), *[y.output_nr for y in out]])
            out[0].sum().backward()
        return found

    assert of(glassgrad) == of(torch)
