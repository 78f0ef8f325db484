"""Which scopes nodes were made in, and what leaves are called, as modules have it."""

import gc
import weakref

import pytest

import glassgrad as gg
from checks import together
from glassgrad import nn


class Net(nn.Module):
    """Two layers in a Sequential, called one by one, and an activation that is called twice."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
        self.act = nn.Tanh()

    def forward(self, x):
        for layer in self.layers:
            x = self.act(layer(x))
        return x


def scopes(loss):
    nodes = [node for node in gg.snapshot(loss).nodes if node["op"] != "AccumulateGrad"]
    return [" › ".join(node.get("scope", ())) for node in nodes]


def names(loss):
    return [leaf["name"] for leaf in gg.snapshot(loss).leaves]


def test_each_node_is_in_the_modules_whose_calls_were_open():
    net = Net()
    assert scopes(net(gg.ones(2)).sum()) == [
        "Net › layers › 0",
        "Net › act",
        "Net › layers › 1",
        "Net › act",
        "",
    ]


@pytest.mark.parametrize(
    "transform", [gg.func.vmap, lambda f: lambda x: gg.func.jvp(f, (x,), (x,))[0]]
)
def test_modules_called_inside_of_a_transform_name_the_nodes_on_the_tape(transform):
    net = nn.Sequential(nn.Linear(2, 2), nn.Tanh())
    found = scopes(transform(net)(gg.ones(3, 2)).sum())
    assert found == ["Sequential › 0", "Sequential › 1", ""]


def test_ops_of_a_module_s_own_are_between_those_of_its_parts():
    class Residual(nn.Module):
        def __init__(self):
            super().__init__()
            self.lin = nn.Linear(2, 2)

        def forward(self, x):
            return (self.lin(x.exp()) + x) * 2

    block = Residual()
    x = gg.ones(2, requires_grad=True)
    lin = "Residual › lin"
    assert scopes(block(x.sin())) == ["", "Residual", lin, "Residual", "Residual"]


def test_parameters_bear_the_names_they_have_in_the_module_that_is_called():
    net = Net()
    assert names(net(gg.ones(2)).sum()) == [
        "layers.0.weight",
        "layers.0.bias",
        "layers.1.weight",
        "layers.1.bias",
    ]


def test_a_name_that_the_user_gave_comes_first():
    layer = nn.Linear(2, 2, bias=False)
    layer.weight.name = "W"
    assert names(layer(gg.ones(2))) == ["W"]


def test_modules_side_by_side_are_told_apart():
    first, act, second = nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 2, bias=False)
    loss = nn.MSELoss()(second(act(first(gg.ones(1, 2)))), gg.zeros(1, 2))
    assert scopes(loss) == ["Linear", "Tanh", "Linear 2", "MSELoss"]
    assert names(loss) == ["Linear.weight", "Linear.bias", "Linear 2.weight"]


def test_a_module_called_twice_is_one_scope():
    layer = nn.Linear(2, 2)
    assert scopes(layer(layer(gg.ones(2)))) == ["Linear", "Linear"]
    assert names(layer(layer(gg.ones(2)))) == ["weight", "bias"]


@together
@pytest.mark.parametrize(
    "pack",
    [lambda a, b: (a, b), lambda a, b: {"a": a, "b": [b]}, lambda a, b: (a, (b,))],
    ids=["tuple", "dict", "nested"],
)
def test_outputs_in_containers_are_found(pack):
    class Two(nn.Module):
        def forward(self, x):
            return pack(x.exp(), x.sin())

    x = gg.ones(2, requires_grad=True)
    two = Two()
    found = two(x)
    parts = list(found.values()) if isinstance(found, dict) else list(found)
    last = parts[1] if isinstance(parts[1], gg.Tensor) else parts[1][0]
    assert scopes(parts[0] * last) == ["Two", "Two", ""]


def test_an_output_that_was_there_before_is_in_no_scope():
    x = gg.ones(2, requires_grad=True).exp()
    assert scopes(nn.Identity()(x)) == [""]
    assert scopes(nn.Sequential(nn.Identity())(x).sin()) == ["", ""]


def test_a_container_in_itself_ends():
    class Odd(nn.Module):
        def forward(self, x):
            loop = [x.exp()]
            loop.append(loop)
            return loop

    x = gg.ones(2, requires_grad=True)
    odd = Odd()
    assert scopes(odd(x)[0]) == ["Odd"]


def test_scopes_of_the_user_lie_where_they_were_opened():
    class Inner(nn.Module):
        def forward(self, x):
            with gg.scope("attention"):
                y = x.exp()
            return y.sin()

    x, inner = gg.ones(2, requires_grad=True), Inner()
    assert scopes(inner(x)) == ["Inner › attention", "Inner"]
    with gg.scope("block"):
        y = nn.Sequential(inner)(x)
    assert scopes(y) == ["block › Sequential › 0 › attention", "block › Sequential › 0"]


def test_the_graph_keeps_no_module_alive_and_still_says_its_class():
    net = Net()
    gone = weakref.ref(net)
    loss = net(gg.ones(2)).sum()
    del net
    gc.collect()
    assert gone() is None
    assert scopes(loss)[:2] == ["Net › Linear", "Net › Tanh"]
    assert names(loss) == [None] * 4


class Heads(nn.Module):
    """Two heads of one class on a trunk, as attributes or in a list that hides their names."""

    def __init__(self, *, are_hidden):
        super().__init__()
        self.trunk = nn.Linear(2, 2)
        self.left, self.right = nn.Linear(2, 2), nn.Linear(2, 2)
        self.heads = [self.left, self.right]
        if are_hidden:
            del self.left, self.right

    def forward(self, x):
        h = self.trunk(x).tanh()
        return self.heads[0](h) + self.heads[1](h)


def test_heads_side_by_side_are_told_apart_also_without_a_name():
    def layers(net):
        return [each for each in scopes(net(gg.ones(2)))[:-1] if " › " in each]

    net, hidden = Heads(are_hidden=False), Heads(are_hidden=True)
    assert layers(net) == ["Heads › trunk", "Heads › left", "Heads › right"]
    assert layers(hidden) == ["Heads › trunk", "Heads › Linear", "Heads › Linear 2"]
    y = Heads(are_hidden=False)(gg.ones(2))  # which is gone now, and all that had names
    gc.collect()
    gone = ["Heads › Linear", "Heads", "Heads › Linear 2", "Heads › Linear 3", "Heads"]
    assert scopes(y) == gone
    assert ">Heads.Linear<" not in gg.draw(y).svg  # a frame around both heads


def test_a_module_that_keeps_its_output_makes_no_cycle():
    class Keeping(nn.Module):
        def forward(self, x):
            self.kept = x.exp()
            return self.kept

    gc.collect()
    gc.disable()
    try:
        net = Keeping()
        gone = weakref.ref(net)
        net(gg.ones(2, requires_grad=True))
        del net
        assert gone() is None
    finally:
        gc.enable()


def test_what_runs_in_a_transform_is_named_too():
    net = Net()

    def loss(x):
        return net(x).sum()

    with gg.tracing.watching() as passes:
        gg.func.grad(loss)(gg.ones(2))
    found = [node.get("scope") for node in passes[0].nodes]
    assert ["Net", "layers", "1"] in found


def test_a_session_finds_parameters_and_scopes_by_these_names():
    net = Net()
    with gg.step(net(gg.ones(2)).sum()) as s:
        s.break_at(scope="Net.layers.0")
        s.run()
        assert s.current.name() == "LinearBackward0"
        s.break_at(tensor="layers.0.bias")
        assert "AccumulateGrad of layers.0.bias" in repr(s.run())
        assert set(s.gradients) == set(dict(net.named_parameters()))


def test_the_gradients_own_graph_is_in_no_scope():
    net = Net()
    trace = gg.record(net(gg.ones(2)).sum(), create_graph=True)
    grown = [node for node in trace.nodes if "origin" in node]
    assert grown
    assert not any("scope" in node or "src" in node for node in grown)
