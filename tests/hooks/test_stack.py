"""A pass deep inside of others has a thread of its own, which must not show."""

import threading
import traceback

import pytest

import glassgrad
from checks import together
from glassgrad import autograd, tensor
from glassgrad.core.errors import GraphError
from glassgrad.core.state import modes
from glassgrad.func import grad, vmap
from glassgrad.hooks import turn
from glassgrad.hooks.turn import MAX_DEPTH, on_fresh_stack


def nested(x, depth):
    """The sum of 2xᵢ over passes, each of which runs in a hook of the one before it."""
    found = []

    def go(left):
        y = x * 1.0
        z = y * y

        def hook(gradient):
            found.append(gradient * x)
            if left:
                with glassgrad.enable_grad():
                    go(left - 1)

        z.register_hook(hook)
        autograd.grad(z.sum() * 2.0, x, create_graph=True)

    go(depth)
    return sum(found[1:], found[0]).sum()


@together
@pytest.mark.parametrize("depth", [MAX_DEPTH - 2, MAX_DEPTH, 2 * MAX_DEPTH + 5])
def test_transforms_that_are_open_are_open_there(depth):
    slope = 2.0 * (depth + 1)
    assert grad(lambda x: nested(x, depth))(tensor([1.0, 2.0])).tolist() == [slope, slope]
    rows = vmap(grad(lambda x: nested(x, depth)))(tensor([[1.0, 2.0], [3.0, 4.0]]))
    assert rows.tolist() == [[slope, slope]] * 2


def test_modes_are_the_same_there_and_the_caller_keeps_its_own():
    seen = []
    pairs = (lambda x: x, lambda x: x)
    with (
        glassgrad.no_grad(),
        glassgrad.scope("outer"),
        autograd.graph.saved_tensors_hooks(*pairs),
        autograd.forward_ad.dual_level(),
    ):
        names = ("grad", "inference", "hook_pairs", "scope", "duals", "levels", "watcher")
        here = {name: getattr(modes, name) for name in names}
        on_fresh_stack(lambda: seen.append({name: getattr(modes, name) for name in names}))
        assert {name: getattr(modes, name) for name in names} == here
    assert seen == [here]
    assert modes.scope is None


def test_an_exception_arrives_here():
    def fail():
        raise LookupError("deep down")

    with pytest.raises(LookupError, match="deep down"):
        on_fresh_stack(fail)


def test_passes_inside_each_other_without_end_are_refused(monkeypatch):
    monkeypatch.setattr(turn, "MOST_STACKS", 3)
    x = tensor([1.0, 2.0], requires_grad=True)
    begun = []

    def again(_):
        begun.append(x)
        with glassgrad.enable_grad():
            y = x * 2
            y.register_hook(again)
            y.sum().backward()

    before, threads = dict(vars(modes)), threading.active_count()
    with pytest.raises(RecursionError, match="80 backward passes run inside") as caught:
        again(None)
    assert isinstance(caught.value, GraphError)
    assert len(begun) == 4 * MAX_DEPTH + 1
    assert len(traceback.extract_tb(caught.value.__traceback__)) < 30
    assert (vars(modes), threading.active_count()) == (before, threads)
    assert x.grad is None
    (x * x).sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]
