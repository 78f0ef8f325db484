"""What is said of a graph: ids, storages, hooks, and all of it within the schema."""

import functools

import jsonschema
import pytest

import glassgrad as gg
from glassgrad import nn
from glassgrad.tracing import Trace
from glassgrad.tracing.events import load_schema, problem
from glassgrad.tracing.watching import together


def leaf(*values, name=None):
    x = gg.tensor(list(values), requires_grad=True)
    x.name = name
    return x


def neuron():
    x, w, b = leaf(1.0, 2.0, name="x"), leaf(3.0, 4.0, name="w"), leaf(0.5, name="b")
    return ((x * w).sum() + b).tanh().sum()


def several_outputs():
    a, b = leaf(1.0, 2.0, 3.0, 4.0).split(2)
    return (a * b).sum()


def shared_weights():
    w = gg.ones(3, 3, requires_grad=True)
    h = gg.ones(2, 3)
    for _ in range(4):
        h = (h @ w).tanh()
    return h.sum()


def write_to_a_view():
    y = leaf(1.0, 2.0, 3.0).clone()
    y[1:].mul_(leaf(2.0))
    return (y * y).sum()


def half_precision():
    return (gg.ones(3, dtype=gg.float16, requires_grad=True) * 2).sum()


def complex_numbers():
    return gg.tensor([1 + 2j, 3j], requires_grad=True).abs().sum()


def not_finite():
    return leaf(gg.nan, gg.inf, -gg.inf, -0.0).sum()


def empty():
    return gg.ones(0, requires_grad=True).exp().sum()


def packed():
    with gg.autograd.graph.saved_tensors_hooks(lambda x: x.clone(), lambda x: x):
        y = leaf(1.0, 2.0).exp()
        return (y * y).sum()


def of_a_gradient():
    x = leaf(1.0, 2.0)
    (dx,) = gg.autograd.grad((x**3).sum(), x, create_graph=True)
    return (dx * dx).sum()


def attention():
    q = gg.ones(2, 4, 3, requires_grad=True)
    return ((q @ q.transpose(1, 2)).softmax(-1) @ q).sum()


def network():
    with gg.scope():
        return nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))(gg.ones(4, 2)).sum()


PROGRAMS = [
    neuron,
    several_outputs,
    shared_weights,
    write_to_a_view,
    half_precision,
    complex_numbers,
    not_finite,
    empty,
    packed,
    of_a_gradient,
    attention,
    network,
]


@pytest.mark.parametrize("values", ["summary", "full"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_every_program_is_described_within_the_schema(program, values, tmp_path):
    loss = program()
    for trace in (gg.snapshot(loss, values=values), gg.record(loss, values=values)):
        jsonschema.Draft202012Validator(load_schema()).validate(trace.document())
        assert problem(trace.document()) is None
        assert Trace.load(trace.save(tmp_path / "a.json")) == trace


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_run_twice_gives_the_same_bytes_and_no_difference(program):
    traces = []
    for _ in range(2):
        gg.manual_seed(3)
        traces.append(gg.record(program()))
    one, other = traces
    assert one.to_json() == other.to_json()
    assert gg.compare(one, other)
    assert gg.compare(one, other).pairs == {node["id"]: node["id"] for node in one.nodes}


def test_saved_tensors_that_share_memory_share_a_storage():
    base = leaf(1.0, 2.0, 3.0, 4.0).exp()
    loss = (base[:2] * base[2:]).sum()
    saved = [s for node in gg.snapshot(loss).nodes for s in node.get("saved", ())]
    assert len(saved) == 3
    assert len({entry["storage"] for entry in saved}) == 1


def test_arrays_that_hooks_unpack_are_not_mistaken_for_each_other():
    loss = packed()
    saved = [s for node in gg.snapshot(loss).nodes for s in node.get("saved", ())]
    assert [entry["storage"] for entry in saved] == ["s0", "s1", "s2"]


def test_a_hook_without_a_name_is_called_hook():
    x = leaf(1.0)
    x.register_hook(functools.partial(lambda scale, grad: grad * scale, 2))
    odd = lambda grad: grad  # noqa: E731  # it is given another name
    odd.__name__ = '<b>"|{}'
    x.register_hook(odd)
    (acc,) = [n for n in gg.snapshot((x * 2).sum()).nodes if n["op"] == "AccumulateGrad"]
    assert [hook["name"] for hook in acc["hooks"]] == ["hook", '<b>"|{}']


def test_a_line_inside_of_glassgrad_shows_no_path():
    loss = nn.Tanh()(leaf(1.0)).sum()
    lines = [node.get("src", "") for node in gg.snapshot(loss).nodes]
    assert not any("/" in line.partition(":")[0] for line in lines)


def test_tensors_that_retain_their_gradient_are_described():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    h = x * 3
    h.name = "h"
    h.retain_grad()
    trace = gg.snapshot(h.sum())
    (node,) = [node for node in trace.nodes if "retains" in node]
    assert node["op"] == "MulBackward0"
    (kept,) = node["retains"]
    assert (kept["slot"], kept["name"], kept["shape"]) == (0, "h", [2])
    assert trace.arrays[kept["array"]]["head"] == [3.0, 6.0]
    assert trace.from_json(trace.to_json()) == trace


def test_the_line_of_a_sign_is_its_own_and_not_its_caller_s():
    def negated(x):
        return -x

    loss = negated(gg.ones(2, requires_grad=True)).sum()
    assert gg.snapshot(loss).nodes[1]["src"].endswith("`return -x`")


def owners(trace):
    """Of the saved tensors that are no leaf: in the memory of which they lie."""
    saved = [entry for node in trace.nodes for entry in node.get("saved", ())]
    return [entry.get("owner") for entry in saved if "leaf" not in entry]


def test_a_saved_view_names_the_leaf_that_owns_its_memory():
    w = leaf(1.0, 2.0)
    trace = gg.record(w[:1].cos().sum() + (w + 1)[:1].sin().sum() + w.sin().sum())
    assert owners(trace) == ["t0", None]
    assert Trace.from_json(trace.to_json()) == trace
    assert owners(gg.record((w * w.detach()).sum())) == ["t0"]


def test_a_view_saved_by_the_gradients_own_graph_names_its_leaf_too():
    w = leaf(1.0, 2.0)
    trace = gg.record(w[:1].sin().sum(), create_graph=True)
    grown = [node for node in trace.nodes if "origin" in node and "saved" in node]
    assert "t0" in [entry.get("owner") for node in grown for entry in node["saved"]]


def test_an_owner_is_in_the_trace():
    document = gg.record(leaf(1.0, 2.0)[:1].cos().sum()).document()
    (saved,) = [entry for node in document["graph"]["nodes"] for entry in node.get("saved", ())]
    saved["owner"] = "t7"
    assert "owner t7 is not in the trace" in problem(document)


def test_an_owner_is_renamed_where_traces_are_put_together():
    trace = gg.record(leaf(1.0, 2.0)[:1].cos().sum())
    ids = {"n0": "n1", "n1": "n2", "n2": "n3", "n3": "n0", "t0": "t1"}
    assert owners(together([trace], [ids])) == ["t1"]
