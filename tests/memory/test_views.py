"""Views: what a write to one does to its base, its siblings and the graph, as PyTorch has it."""

import numpy as np
import pytest
import torch

import glassgrad
from both import computed, leaf, plain, reachable, spelled, values
from checks import together
from glassgrad.memory.views import Geometry


def run_order(out):
    """The names of the nodes in the order in which a pass runs them."""
    log = []
    for node in reachable(out.grad_fn):
        name = node.name().rpartition("::")[2]
        node.register_hook(lambda gin, gout, name=name: log.append(name))
    out.backward()
    return log


VIEWS = {
    "select": lambda b: b[0],
    "slice": lambda b: b[1:, :1],
    "transpose": lambda b: b.t(),
    "transposed slice": lambda b: b.t()[1:, ::2],
    "all of it": lambda b: b.view(-1),
    "as it is": lambda b: b[...],
    "one element": lambda b: b[2, 1],
    "empty": lambda b: b[3:],
    "view of a view of a view": lambda b: b.view(2, 3)[1].view(1, 3)[:, 1:],
    "unsqueezed": lambda b: b.unsqueeze(0)[0, 1],
    "permuted": lambda b: b.view(1, 2, 3).permute(2, 0, 1)[1],
}


# A write to a view ------------------------------------------------------------------------------


@together
@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_a_write_to_a_view_changes_its_base_and_the_gradient(lib, view):
    a, b = computed(lib)
    v = view(b)
    v.mul_(3)
    assert b._version == v._version == 1
    assert spelled(b.grad_fn) == [
        ("CopySlices", [(1, 0), (None, 0)]),
        ("MulBackward0", [(2, 0), (None, 0)]),
        ("AccumulateGrad", []),
    ]
    assert spelled(v.grad_fn)[0] == ("AsStridedBackward0", [(1, 0)])
    weights = plain(lib, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    (b * weights).sum().backward()
    expected = torch.tensor(weights.tolist(), dtype=torch.float64)
    view(expected).mul_(3)
    assert a.grad.tolist() == expected.tolist()


@together
@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_what_is_computed_from_a_written_view_reaches_the_leaf(lib, view):
    a, b = computed(lib)
    v = view(b)
    v.mul_(3)
    ((v * v).sum() + b.sum()).backward()
    twin = torch.arange(6.0, dtype=torch.float64).reshape(3, 2).requires_grad_()
    c = twin * 1
    view(c).mul_(3)
    ((view(c) * view(c)).sum() + c.sum()).backward()
    assert a.grad.tolist() == twin.grad.tolist()


@together
@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_a_write_of_values_that_need_a_gradient(lib, view):
    base, value = plain(lib, np.ones((3, 2)).tolist()), leaf(lib, 2.0)
    v = view(base)
    v.mul_(value)
    assert base.requires_grad
    assert v.requires_grad
    assert spelled(base.grad_fn)[0] == ("CopySlices", [(None, 0), (1, 0)])
    base.sum().backward()
    assert value.grad.item() == v.numel()


def test_siblings_of_a_written_view_find_their_place_anew(lib):
    a, b = computed(lib)
    first, second, all_of_it = b[0], b[1:], b.view(-1)
    first.exp_()
    for tensor in (first, second, all_of_it):
        assert spelled(tensor.grad_fn)[:2] == [
            ("AsStridedBackward0", [(1, 0)]),
            ("CopySlices", [(2, 0)]),
        ]
    (second.sum() * all_of_it.sum()).backward()
    assert a.grad is not None
    assert first._base is second._base is all_of_it._base is b


def test_a_write_to_the_base_sends_its_views_behind_it(lib):
    a, b = computed(lib)
    v, w = b[0], b.t()
    b.mul_(2)
    assert spelled(v.grad_fn)[:2] == [
        ("AsStridedBackward0", [(1, 0)]),
        ("MulBackward0", [(2, 0), (None, 0)]),
    ]
    (v.sum() + 3 * w.sum()).backward()
    assert a.grad.tolist() == [[8.0, 8.0], [6.0, 6.0], [6.0, 6.0]]


def test_views_of_a_plain_tensor_require_grad_once_it_does(lib):
    b, w = plain(lib, [1.0, 2.0, 3.0]), leaf(lib, [4.0, 5.0, 6.0])
    v = b[:2]
    assert not v.requires_grad
    b.mul_(w)
    assert v.requires_grad
    assert not v.is_leaf
    v.sum().backward()
    assert w.grad.tolist() == [1.0, 2.0, 0.0]


def test_the_nodes_of_a_write_run_in_pytorchs_order(lib):
    _, b = computed(lib)
    v, w = b[0], b[1]
    v.mul_(2)
    out = (w + 1).sum() + b.sum() + v.sum()
    assert run_order(out) == [
        "AddBackward0",
        "SumBackward0",
        "AddBackward0",
        "SumBackward0",
        "SumBackward0",
        "AddBackward0",
        "AsStridedBackward0",
        "AsStridedBackward0",
        "CopySlices",
        "MulBackward0",
        "AccumulateGrad",
    ]


def test_several_writes_stack_up(lib):
    a, b = computed(lib)
    v, w = b[0], b[:, 1]
    v.mul_(2)
    w.mul_(v.sum())
    b.add_(1)
    v.exp_()
    (b.sum() + w.sum()).backward()
    x = torch.arange(6.0, dtype=torch.float64).reshape(3, 2).requires_grad_()
    c = x * 1
    c[0].mul_(2)
    c[:, 1].mul_(c[0].sum())
    c.add_(1)
    c[0].exp_()
    (c.sum() + c[:, 1].sum()).backward()
    np.testing.assert_allclose(a.grad.tolist(), x.grad.tolist())


def test_a_write_without_recording_makes_views_look_again(lib):
    _, b = computed(lib)
    v = b[0]
    with lib.no_grad():
        b.add_(1)
    assert spelled(v.grad_fn)[:2] == [
        ("AsStridedBackward0", [(1, 0)]),
        ("MulBackward0", [(2, 0), (None, 0)]),
    ]
    w = b[1]
    w.detach().add_(1)
    assert w.grad_fn.name() == "AsStridedBackward0"


def test_a_view_of_a_leaf_looks_again_too(lib):
    a = leaf(lib, [1.0, 2.0, 3.0])
    v = a[:2]
    with lib.no_grad():
        v.mul_(2)
    assert spelled(v.grad_fn) == [("AsStridedBackward0", [(1, 0)]), ("AccumulateGrad", [])]
    v.sum().backward()
    assert a.grad.tolist() == [1.0, 1.0, 0.0]


def test_views_of_a_base_whose_elements_are_not_in_order(lib):
    a = leaf(lib, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    if lib is glassgrad:
        b = lib.from_numpy(np.asfortranarray(np.zeros((2, 3))))
    else:
        b = lib.zeros(3, 2, dtype=lib.float64).numpy().T
        b = lib.from_numpy(b)
    b.copy_(a)
    v = b[:, 1:]
    v.mul_(plain(lib, [[2.0, 3.0], [4.0, 5.0]]))
    (b * plain(lib, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])).sum().backward()
    assert a.grad.tolist() == [[1.0, 4.0, 9.0], [4.0, 20.0, 30.0]]


def test_a_view_that_shows_elements_twice_adds_up_its_gradient(lib):
    a = leaf(lib, [1.0])
    b = a * 1
    v = b.expand(3)
    b.mul_(2)
    (v * plain(lib, [1.0, 2.0, 3.0])).sum().backward()
    assert a.grad.tolist() == [12.0]


def test_writes_to_views_differentiate_twice(lib):
    a, b = computed(lib)
    v = b[1:]
    v.mul_(v.mean() + 2)
    w = b[:, 0]
    w.mul_(w.sum())
    (first,) = lib.autograd.grad((b * b).sum() + v.sum(), a, create_graph=True)
    (second,) = lib.autograd.grad((first * first).sum(), a)
    x = torch.arange(6.0, dtype=torch.float64).reshape(3, 2).requires_grad_()
    c = x * 1
    c[1:].mul_(c[1:].mean() + 2)
    d = c[:, 0]
    d.mul_(d.sum())
    (one,) = torch.autograd.grad((c * c).sum() + c[1:].sum(), x, create_graph=True)
    (two,) = torch.autograd.grad((one * one).sum(), x)
    np.testing.assert_allclose(first.tolist(), one.tolist())
    np.testing.assert_allclose(second.tolist(), two.tolist())


def test_a_graph_with_a_written_view_is_freed_after_its_pass(lib):
    _, b = computed(lib)
    b[0].exp_()
    out = b.sum()
    out.backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        out.backward()


def test_a_view_that_was_saved_and_written_is_stale(lib):
    _, b = computed(lib)
    v = b[0]
    out = (v * v).sum()
    b[1].add_(1)  # another part, but one storage has one version
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.backward()


def test_the_result_of_a_write_is_stale_after_the_next(lib):
    _, b = computed(lib)
    b.exp_()
    b.add_(1)
    with pytest.raises(RuntimeError, match="is at version 2; expected version 1"):
        b.sum().backward()


# Hooks ------------------------------------------------------------------------------------------


def test_hooks_stay_behind_and_new_ones_see_the_new_gradient(lib):
    log = []
    _, b = computed(lib)
    v = b[0]
    b.register_hook(lambda g: log.append(("b", g.tolist())))
    v.register_hook(lambda g: log.append(("v", g.tolist())))
    v.mul_(2)
    v.register_hook(lambda g: log.append(("v later", g.tolist())))
    b.register_hook(lambda g: log.append(("b later", g.tolist())))
    (b.sum() + 3 * v.sum()).backward()
    assert log == [
        ("v later", [3.0, 3.0]),
        ("b later", [[4.0, 4.0], [1.0, 1.0], [1.0, 1.0]]),
        ("b", [[8.0, 8.0], [1.0, 1.0], [1.0, 1.0]]),
    ]


@together
@pytest.mark.parametrize("write", [lambda b, v: v.mul_(2), lambda b, v: b.mul_(2)])
def test_retain_grad_moves_with_base_and_views(lib, write):
    _, b = computed(lib)
    v, u = b[0], b[:, 1]
    for tensor in (b, v, u):
        tensor.retain_grad()
    write(b, v)
    assert all(tensor.retains_grad for tensor in (b, v, u))
    (b.sum() + 3 * v.sum() + 5 * u.sum()).backward()
    assert values([b.grad, v.grad, u.grad]) == [
        [[4.0, 9.0], [1.0, 6.0], [1.0, 6.0]],
        [3.0, 3.0],
        [5.0, 5.0, 5.0],
    ]


# Geometry ---------------------------------------------------------------------------------------


@together
@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
@pytest.mark.parametrize("order", ["C", "F"])
def test_places_point_at_the_elements_of_the_view(view, order):
    array = np.asarray(np.arange(6.0).reshape(3, 2), order=order)
    base = glassgrad.from_numpy(array)
    if order == "F" and view in (
        VIEWS["all of it"],
        VIEWS["permuted"],
        VIEWS["view of a view of a view"],
    ):
        base = glassgrad.from_numpy(np.arange(12.0).reshape(3, 4)[:, ::2].copy())
    shown = view(base)
    places = Geometry.of(base, shown).places(array)
    np.testing.assert_array_equal(np.ravel(base.numpy())[places], shown.numpy())


def test_the_saved_result_of_a_write_has_the_place_of_the_view(lib):
    log = []
    x = leaf(lib, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    v = (x * 1)[:, 1:]
    v.sigmoid_()
    v.register_hook(lambda grad: log.append(grad.sum().item()))
    (first,) = lib.autograd.grad(v.sum(), x, create_graph=True)
    first.sum().backward()
    assert len(log) == 2  # the second time through what the sigmoid saved


@together
@pytest.mark.parametrize("op", ["exp_", "tanh_", "sigmoid_", "sqrt_", "reciprocal_"])
def test_a_write_to_a_view_that_is_gone_differentiates_twice(lib, op):
    def gradients(lib, write):
        x = leaf(lib, [2.0, 3.0])
        (first,) = lib.autograd.grad((write(x * 1) ** 2).sum(), x, create_graph=True)
        (second,) = lib.autograd.grad(first.sum(), x)
        return second.tolist()

    def to_a_view(b):
        getattr(b[:], op)()
        return b

    got = gradients(lib, to_a_view)
    np.testing.assert_allclose(got, gradients(torch, lambda b: getattr(b, op[:-1])()))
