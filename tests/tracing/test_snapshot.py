"""The graph as it is, before, during and after backward."""

import jsonschema
import pytest

import glassgrad as gg
from checks import together
from glassgrad import nn
from glassgrad.core.errors import ArgumentError, GraphError
from glassgrad.func import grad
from glassgrad.tracing.events import load_schema, problem
from users import Twice


def program():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    x.name = "x"
    return x, ((x * x).exp() + x).sum()


def topology(trace):
    return [(node["id"], node["op"], node["edges"]) for node in trace.nodes]


def test_a_snapshot_runs_nothing():
    x, loss = program()
    trace = gg.snapshot(loss)
    assert trace.events == []
    assert x.grad is None
    loss.backward()


def test_it_is_the_graph_that_is_recorded():
    _, loss = program()
    before = gg.snapshot(loss)
    assert gg.record(loss).graph == before.graph


def test_before_during_and_after_backward_the_topology_is_the_same():
    x, loss = program()
    seen = [gg.snapshot(loss)]
    x.register_hook(lambda _: seen.append(gg.snapshot(loss)))
    loss.backward()
    seen.append(gg.snapshot(loss))
    assert len(seen) == 3
    assert topology(seen[0]) == topology(seen[1]) == topology(seen[2])


def test_nodes_that_let_go_say_so():
    _, loss = program()
    loss.backward(retain_graph=True)
    assert not any(node.get("freed") for node in gg.snapshot(loss).nodes)
    loss.backward()
    nodes = gg.snapshot(loss).nodes
    freed = [node["op"] for node in nodes if node.get("freed")]
    assert freed == ["MulBackward0", "ExpBackward0"]
    assert not any("saved" in node for node in nodes)


def test_a_freed_users_function_and_a_freed_write_say_so():
    y = Twice.apply(gg.ones(3, requires_grad=True)).clone()
    y[0].mul_(gg.tensor(2.0, requires_grad=True))
    loss = y.sum()
    loss.backward()
    freed = {node["op"] for node in gg.snapshot(loss).nodes if node.get("freed")}
    assert {"TwiceBackward", "CopySlices"} <= freed


def test_several_outputs_have_one_graph():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    trace = gg.snapshot([y.sum(), y.exp()])
    assert [output["id"] for output in trace.outputs] == ["t1", "t2"]
    assert len(trace.nodes) == 4


def test_the_line_and_the_scope_of_a_node_are_told():
    with gg.scope("block"):
        x = gg.ones(2, requires_grad=True)
        loss = (x + x).sum()
    add, total = gg.snapshot(loss).nodes[1:]
    assert add["scope"] == total["scope"] == ["block"]
    assert add["src"].startswith("test_snapshot.py, line ")
    assert add["src"].endswith(": `loss = (x + x).sum()`")


def test_each_node_knows_its_line_and_no_scope_where_none_was_opened():
    x = gg.ones(2, requires_grad=True)
    loss = (x * x + x).square().sum()
    nodes = gg.snapshot(loss).nodes[1:]
    assert [node["op"][:3] for node in nodes] == ["Mul", "Add", "Pow", "Sum"]
    assert all(node["src"].endswith("`loss = (x * x + x).square().sum()`") for node in nodes)
    assert not any("scope" in node for node in nodes)


def test_the_level_of_a_transform_is_told():
    levels = []

    def f(x):
        y = (x * x).sum()
        levels.append([node.get("level") for node in gg.snapshot(y).nodes])
        return y

    grad(f)(gg.ones(3))
    grad(lambda x: grad(f)(x).sum())(gg.ones(3))
    assert levels == [[None, 1, 1], [None, 2, 2]]


def test_a_snapshot_inside_of_vmap_has_the_batch():
    shapes = []

    def f(x):
        y = (x * x).sum()
        shapes.append(gg.snapshot(y).leaves[0]["shape"])
        return y

    gg.vmap(grad(f))(gg.ones(4, 3))
    assert shapes == [[3]]


@pytest.mark.parametrize("retain", [False, True])
def test_every_field_is_in_the_schema(retain):
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    with gg.scope('<b>"{'):
        loss = model(gg.ones(2, 3)).sum()
    loss.register_hook(lambda g: g)
    before = gg.snapshot(loss, values="full")
    recorded = gg.record(loss, retain_graph=retain)
    for trace in (before, recorded, gg.snapshot(loss)):
        jsonschema.Draft202012Validator(load_schema()).validate(trace.document())
        assert problem(trace.document()) is None
        assert type(trace).from_json(trace.to_json()) == trace


def test_the_bytes_do_not_depend_on_process_or_hash_seed(told_elsewhere, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import glassgrad as gg\n"
        "w = gg.ones(3, 3, requires_grad=True)\n"
        "with gg.scope('a'), gg.scope('b'):\n"
        "    y = (w @ w).tanh()\n"
        "print(gg.snapshot([y.sum(), (y * 2).exp()]).to_json())\n"
    )
    (text,) = told_elsewhere(f"import runpy\nrunpy.run_path({str(script)!r})")
    assert "script.py, line 4" in text
    assert str(tmp_path) not in text


def test_a_long_chain_needs_no_recursion():
    y = gg.ones(1, requires_grad=True)
    for _ in range(20_000):
        y = -y
    assert len(gg.snapshot(y).nodes) == 20_001


def test_bad_input_is_explained():
    x = gg.ones(2, requires_grad=True)
    with pytest.raises(TypeError, match="snapshot\\(\\) takes a Tensor or several, got int"):
        gg.snapshot(3)
    with pytest.raises(TypeError, match="got str"):
        gg.snapshot([x, "y"])
    with pytest.raises(ArgumentError, match="'summary' or 'full'"):
        gg.snapshot(x, values="all")
    with pytest.raises(GraphError, match="does not require"):
        gg.snapshot(gg.ones(2))


@together
@pytest.mark.parametrize("look", [gg.record, gg.snapshot, gg.step])
def test_of_nothing_there_is_no_graph(look):
    with pytest.raises(ValueError, match=f"{look.__name__}\\(\\) was given an empty list"):
        look([])


@together
@pytest.mark.parametrize("look", [gg.record, gg.snapshot, gg.step])
def test_a_tensor_of_pytorch_is_sent_to_the_adapter(look):
    torch = pytest.importorskip("torch")
    with pytest.raises(
        TypeError, match=r"write `glassgrad\.tracing\.torch\.(record|step)\(loss\)`"
    ):
        look(torch.ones((), requires_grad=True))
