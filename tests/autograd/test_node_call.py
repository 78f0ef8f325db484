"""Calling a node: its rule, and nothing of a pass around it."""

import pytest

from both import leaf, make, plain, values


def test_a_node_is_a_function_of_gradients(lib):
    x, y = leaf(lib, [1.0, 2.0]), leaf(lib, [3.0, 4.0])
    seed = plain(lib, [1.0, 10.0])
    assert (x**2).grad_fn(seed).tolist() == [2.0, 40.0]
    assert values((x * y).grad_fn(seed)) == [[3.0, 40.0], [1.0, 20.0]]
    assert values((x * 3).grad_fn(seed)) == [[3.0, 30.0], None]
    assert x.sum().grad_fn(plain(lib, 2.0)).tolist() == [2.0, 2.0]


def test_what_a_node_returns_can_be_differentiated(lib):
    x = leaf(lib, [1.0, 2.0])
    found = (x**2).grad_fn(plain(lib, [1.0, 1.0]))
    assert found.requires_grad
    found.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]
    with lib.no_grad():
        assert not (x.detach().requires_grad_() * 1).requires_grad
    node = (x**2).grad_fn
    with lib.no_grad():
        assert not node(plain(lib, [1.0, 1.0])).requires_grad


def test_calling_a_node_runs_no_hooks_and_frees_nothing(lib):
    x = leaf(lib, [1.0, 2.0])
    y = x * x
    log = []
    y.register_hook(log.append)
    y.grad_fn.register_prehook(log.append)
    y.grad_fn.register_hook(lambda *_: log.append("after"))
    for _ in range(2):
        y.grad_fn(plain(lib, [1.0, 1.0]))
    assert log == []
    y.sum().backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.grad_fn(plain(lib, [1.0, 1.0]))


def test_a_node_of_several_outputs_takes_none_for_some(lib):
    first, _ = leaf(lib, [1.0, 2.0]).split(1)
    assert first.grad_fn(plain(lib, [3.0]), None).tolist() == [3.0, 0.0]
    assert first.grad_fn(None, None) is None or first.grad_fn(None, None).tolist() == [0.0, 0.0]


def test_calling_the_node_of_a_leaf_accumulates(lib):
    x = leaf(lib, [1.0, 2.0])
    node = (x * 1).grad_fn.next_functions[0][0]
    assert node(plain(lib, [1.0, 2.0])) == ()
    assert node(plain(lib, [1.0, 2.0])) == ()
    assert node(None) == ()
    assert x.grad.tolist() == [2.0, 4.0]


def test_a_node_knows_how_many_gradients_it_takes(lib):
    x = leaf(lib, [1.0])
    node, seed = (x**2).grad_fn, plain(lib, [1.0])
    with pytest.raises(TypeError, match="expected 1 arguments, got 0 instead"):
        node()
    with pytest.raises(TypeError, match="expected 1 arguments, got 2 instead"):
        node(seed, seed)
    with pytest.raises(TypeError, match="argument 0 is not a Variable"):
        node(3)


def test_the_node_of_a_users_function_cannot_be_called(lib):
    y = make(lib, lambda ctx, x: x * 1, lambda ctx, grad: grad).apply(leaf(lib, [1.0]))
    with pytest.raises(TypeError, match="'MadeBackward' object is not callable"):
        y.grad_fn(plain(lib, [1.0]))
