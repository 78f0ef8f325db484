"""Names for parts of a program."""

import threading

import pytest

import glassgrad as gg
from glassgrad import nn
from glassgrad.autograd.scopes import made_in
from glassgrad.core import state


def leaf():
    return gg.tensor([1.0, 2.0], requires_grad=True)


def test_scopes_nest():
    x = leaf()
    with gg.scope("encoder"):
        a = x.exp()
        with gg.scope("block3"):
            b = a * a
        c = b + b
    d = c.sum()
    scopes = [made_in(y.grad_fn) for y in (a, b, c, d)]
    assert scopes == [("encoder",), ("encoder", "block3"), ("encoder",), ()]


def test_an_exception_closes_its_scopes():
    with pytest.raises(ZeroDivisionError), gg.scope("a"), gg.scope("b"):
        1 / 0  # noqa: B018
    assert made_in(leaf().exp().grad_fn) == ()
    assert state.special == set()
    assert state.noting == ()
    assert not state.special


def test_a_scope_can_be_entered_again_inside_of_itself():
    block = gg.scope("block")
    with block, block:
        y = leaf().exp()
    with block:
        z = leaf().exp()
    assert made_in(y.grad_fn) == ("block", "block")
    assert made_in(z.grad_fn) == ("block",)


def test_each_thread_has_scopes_of_its_own():
    found, ready, done = {}, threading.Event(), threading.Event()

    def other():
        ready.wait(60)
        found["plain"] = made_in(leaf().exp().grad_fn)
        with gg.scope("theirs"):
            found["named"] = made_in(leaf().exp().grad_fn)
        done.set()

    thread = threading.Thread(target=other)
    thread.start()
    with gg.scope("ours"):
        ready.set()
        assert done.wait(60)
        found["ours"] = made_in(leaf().exp().grad_fn)
    thread.join()
    assert found == {"plain": (), "named": ("theirs",), "ours": ("ours",)}
    assert state.special == set()


def test_modules_name_their_scope_inside_of_one():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
            self.act = nn.Tanh()

        def forward(self, x):
            for layer in (self.layers[0], self.layers[1]):
                x = self.act(layer(x))
            return x

    with gg.scope():
        y = Net()(leaf())
    nodes = [node for node in gg.snapshot(y).nodes if node["op"] != "AccumulateGrad"]
    assert [node["scope"] for node in nodes] == [
        ["Net", "layers", "0"],
        ["Net", "act"],
        ["Net", "layers", "1"],
        ["Net", "act"],
    ]


def test_a_module_with_hooks_is_named_too_and_runs_them():
    model = nn.Sequential(nn.Tanh())
    calls = []
    model[0].register_forward_hook(lambda *_: calls.append("after"))
    with gg.scope("m"):
        y = model(leaf())
    assert made_in(y.grad_fn) == ("m", "Sequential", "0")
    assert calls == ["after"]


def test_a_module_takes_keywords_of_any_name():
    class Add(nn.Module):
        def forward(self, x, *, call, module):
            return x + call + module

    with gg.scope():
        assert Add()(leaf(), call=1, module=2).tolist() == [4.0, 5.0]


def test_modules_outside_of_scopes_name_nothing():
    assert made_in(nn.Tanh()(leaf()).grad_fn) == ()


def test_results_and_gradients_are_the_same_in_a_scope():
    x, w = leaf(), gg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)

    def f():
        return ((x @ w).tanh() * x + x[0]).softmax(0)[0]

    plain = gg.autograd.grad(f(), [x, w])
    with gg.scope("a"):
        named = gg.autograd.grad(f(), [x, w])
    for one, other in zip(plain, named, strict=True):
        assert one.tolist() == other.tolist()


def test_a_users_function_and_a_write_to_a_view_are_noted():
    class Same(gg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, grad):
            return grad

    with gg.scope("s"):
        y = Same.apply(leaf())
        z = y.clone()
        z[0] = 0.0
        z[1:].mul_(2)
    assert made_in(y.grad_fn) == ("s",)
    assert made_in(z.grad_fn) == ("s",)


def test_anomaly_mode_and_scopes_do_not_disturb_each_other():
    with gg.scope("a"):
        gg.set_anomaly_enabled(True)
        y = leaf().exp()
    z = leaf().exp()
    gg.set_anomaly_enabled(False)
    assert made_in(y.grad_fn) == ("a",)
    assert "traceback_" in y.grad_fn.metadata
    assert "traceback_" in z.grad_fn.metadata
    assert state.noting == ()
    assert not state.special


def test_a_graph_is_not_kept_alive_by_its_scopes():
    from glassgrad.autograd import scopes

    before = len(scopes._made)
    with gg.scope("a"):
        y = leaf().exp().sum()
    assert len(scopes._made) == before + 2
    del y
    assert len(scopes._made) == before


def test_a_scope_may_be_open_in_several_threads_at_once():
    shared, found = gg.scope("shared"), {}
    entered, left = threading.Event(), threading.Event()

    def other():
        with gg.scope("other"):
            with shared:
                entered.set()
                left.wait(60)
            found["inside"] = made_in(leaf().exp().grad_fn)
        found["behind"] = made_in(leaf().exp().grad_fn)

    thread = threading.Thread(target=other)
    with shared:
        thread.start()
        entered.wait(60)
    found["here"] = made_in(leaf().exp().grad_fn)
    left.set()
    thread.join()
    assert found == {"here": (), "inside": ("other",), "behind": ()}


def test_a_name_is_a_string():
    with pytest.raises(TypeError, match="scope\\(\\) was given a int"):
        gg.scope(3)
