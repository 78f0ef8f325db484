"""One hook for several tensors: when it runs, and what it sees.

A tensor that is watched is never the root of the pass itself: PyTorch does not count that one.
"""

import gc
import threading
import weakref

import pytest

import glassgrad
from both import leaf, plain, values
from checks import together


def _watch(lib, tensors, mode="all"):
    """What a multi-grad hook on `tensors` was called with: which gradients, or which values."""
    calls = []

    def hook(grads):
        calls.append([g is not None for g in grads] if mode == "all" else grads.tolist())

    return calls, lib.autograd.graph.register_multi_grad_hook(tensors, hook, mode=mode)


def _product(lib):
    a, b, unused = (leaf(lib, [1.0, 2.0]) for _ in range(3))
    c = a * b
    calls, _ = _watch(lib, (a, b, c, unused))
    return a, b, c, unused, calls


def test_it_runs_once_with_none_for_what_takes_no_part(lib):
    _, _, c, _, calls = _product(lib)
    c.sum().backward()
    assert calls == [[True, True, True, False]]


def test_it_waits_only_for_what_the_inputs_need(lib):
    a, _, c, unused, calls = _product(lib)
    c.sum().backward(inputs=(a, unused), retain_graph=True)
    c.sum().backward(inputs=(c,))
    assert calls == [[True, False, True, False], [False, False, True, False]]


def test_it_sees_a_non_leaf_that_grad_asks_for(lib):
    _, _, c, _, calls = _product(lib)
    lib.autograd.grad(c.sum(), c)
    assert calls == [[False, False, True, False]]


def test_it_refuses_a_leaf_that_grad_asks_for(lib):
    a, _, c, _, calls = _product(lib)
    with pytest.raises(RuntimeError, match=r"currently running autograd.grad\(\)"):
        lib.autograd.grad(c.sum(), a)
    assert calls == []


def test_each_pass_counts_by_itself(lib):
    x = leaf(lib, 2.0)
    y = x * x
    calls, handle = _watch(lib, (x, y))
    y.sum().backward(retain_graph=True)
    y.sum().backward(retain_graph=True)
    handle.remove()
    y.sum().backward()
    assert calls == [[True, True]] * 2


def test_a_pass_that_failed_half_way_leaves_nothing_behind(lib):
    x = leaf(lib, 2.0)
    y = x * x
    calls, _ = _watch(lib, (x, y))
    handle = y.grad_fn.register_prehook(lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        y.sum().backward(retain_graph=True)
    handle.remove()
    assert calls == []
    y.sum().backward()
    assert calls == [[True, True]]


def test_any_runs_at_the_first_gradient_of_each_pass(lib):
    x = leaf(lib, 2.0)
    y = x * 3
    calls, _ = _watch(lib, (x, y), mode="any")
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    assert calls == [1.0, 1.0]


def test_a_tensor_may_stand_there_twice(lib):
    x = leaf(lib, 2.0)
    calls, _ = _watch(lib, (x, x))
    (x * 3).backward()
    assert calls == [[True, True]]


def test_passes_inside_a_pass_have_their_own_count(lib):
    x = leaf(lib, 2.0)
    y = x * 3
    calls, _ = _watch(lib, (x, y))
    root, again = y.sum(), []

    def once_more(_):
        if not again:
            again.append(True)
            root.backward(retain_graph=True)

    y.grad_fn.register_prehook(once_more)  # when the outer pass has the gradient of y already
    root.backward(retain_graph=True)
    assert calls == [[True, True]] * 2


@together
@pytest.mark.parametrize("mode", ["all", "any"])
def test_passes_in_several_threads_count_by_themselves(lib, mode):
    x = leaf(lib, [1.0, 2.0])
    y = x * x
    calls, _ = _watch(lib, (x, y), mode=mode)
    root = y.sum()
    threads = [
        threading.Thread(target=root.backward, kwargs={"retain_graph": True}) for _ in range(5)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(calls) == 5


def test_it_refuses_an_unknown_mode(lib):
    with pytest.raises(ValueError, match=r"Expects mode to be one of \('all', 'any'\) but got foo"):
        lib.autograd.graph.register_multi_grad_hook((leaf(lib, 1.0),), print, mode="foo")


def test_it_refuses_a_tensor_without_grad(lib):
    with pytest.raises(AssertionError, match="Expected gradient function to be set"):
        lib.autograd.graph.register_multi_grad_hook((plain(lib, 1.0),), print)


def test_any_leaves_out_tensors_without_grad(lib):
    x, calls = leaf(lib, 1.0), []
    lib.autograd.graph.register_multi_grad_hook((plain(lib, 1.0), x), calls.append, mode="any")
    (x * 2).backward()
    assert values(calls) == [2.0]


def test_what_is_no_tensor_is_named():
    with pytest.raises(TypeError, match="element 1 of tensors must be Tensor, not int"):
        glassgrad.autograd.graph.register_multi_grad_hook((leaf(glassgrad, 1.0), 3), print)


def test_the_hook_goes_with_its_tensors():
    class Owner:
        pass

    owner = Owner()
    x = leaf(glassgrad, 1.0)
    glassgrad.autograd.graph.register_multi_grad_hook((x,), lambda _, owner=owner: None)
    (x * 2).backward()
    ref = weakref.ref(owner)
    del x, owner
    gc.collect()
    assert ref() is None
