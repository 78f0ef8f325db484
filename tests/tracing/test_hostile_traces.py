"""Traces that no recorder wrote: refused by `load`, or shown by everything that shows traces."""

import copy
import json
import random

import pytest

import glassgrad as gg
from checks import together
from glassgrad.core.errors import DataError
from glassgrad.tracing import Trace
from glassgrad.viz import text_view
from glassgrad.viz.whose import Whose
from tracing.mutations import documents, looked_at, mutated

MANY = 10_000


@pytest.fixture(scope="module")
def traces():
    return documents()


def look_at_all(traces, seeds):
    """Change traces by chance; of those that are taken, what each view makes of them."""
    taken = 0
    for seed in seeds:
        whole = traces[seed % len(traces)]
        try:
            trace = Trace.from_document(mutated(whole, random.Random(seed)))
        except DataError:
            continue
        taken += 1
        try:
            looked_at(trace, Trace.from_document(whole))
        except Exception as error:
            error.add_note(f"seed {seed}")
            raise
    return taken


def test_a_trace_changed_by_chance_is_refused_or_shown(traces):
    assert look_at_all(traces, range(20)) > 3


@pytest.mark.slow
def test_many_traces_changed_by_chance_are_refused_or_shown(traces):
    assert look_at_all(traces, range(100, 6_000)) > 1_000


def exp_and_sum():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    return json.loads(gg.record(x.exp().sum()).to_json())


def at(document, path):
    *steps, last = path.split(".")
    for step in steps:
        document = document[int(step) if step.lstrip("-").isdigit() else step]
    return document, int(last) if last.lstrip("-").isdigit() else last


@together
@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("arrays.a0.shape", [3] * 65, "arrays.a0.shape: no array has the shape"),
        ("arrays.a0.shape", [2**32, 2**32], "arrays.a0.shape: no array has the shape"),
        ("arrays.a0.head", [1.0] * 9, "arrays.a0.head: 9 elements of an array of"),
        ("arrays.a0.values", [1.0] * 9, "arrays.a0.values: 9 elements of an array of"),
        ("arrays.a0.norm", "much", "arrays.a0.norm: 'much' is no number"),
        ("arrays.a0.min", "nanj", "arrays.a0.min: 'nanj' is no number"),
        ("arrays.a0.max", 1e999, "arrays.a0.max: 'inf' is no number"),
        ("arrays.a0.norm", 10**400, "arrays.a0.norm: '1000"),
        ("graph.nodes.0.seq", 2**63, "graph.nodes[0].seq: 9223372036854775808 is too large"),
        ("graph.nodes.0.op", "Exp", "graph.leaves[0].acc: n0 is no AccumulateGrad"),
        (
            "graph.nodes.1.op",
            "AccumulateGrad",
            "graph.nodes[1]: an AccumulateGrad has",
        ),
        ("graph.leaves.0.acc", "n1", "graph.leaves[0].acc: n1 is no AccumulateGrad"),
        ("graph.nodes.0.edges", [{"to": "n1", "slot": 0}], "lead in a circle"),
        ("graph.nodes.0.edges", [{"to": None, "slot": 0}], "graph.nodes[0]: an AccumulateGrad has"),
        ("graph.nodes.1.saved.0.owner", "t1", "graph.nodes[1]: what it saved as 'result' is of no"),
        ("graph.wanted", ["n7"], "graph.wanted: n7 is not in the graph"),
        ("graph.checkpoints", [{"id": "c0", "inside": "c0"}], "c0 is none before it"),
        ("graph.outputs.0.slot", 3, ".grad_in: n2 has at least 4 outputs"),
        ("graph.nodes.2.edges", [], ".grad_out: n2 has 0 edges"),
        ("events.-1.inner", {}, "this format knows no such field"),
    ],
)
def test_what_no_pass_leaves_behind_is_refused_with_its_place(path, value, said):
    document = exp_and_sum()
    part, key = at(document, path)
    part[key] = value
    with pytest.raises(DataError) as caught:
        Trace.from_document(document)
    assert said in str(caught.value)


def test_a_trace_in_a_trace_and_so_on_is_refused_before_anything_walks_it():
    document = None
    for _ in range(200):
        inner, document = document, exp_and_sum() if document is None else copy.copy(document)
        if inner is not None:
            again = {"type": "recompute", "node": "n1", "ran": [], "made": [], "bytes": 0}
            document["events"] = [{"k": 0, **again, "inner": inner}]
    with pytest.raises(DataError, match="inner: it is nested too deeply"):
        Trace.from_json(json.dumps(document))


@pytest.mark.parametrize("part", ["edges", "hooks"])
def test_a_node_with_very_many_parts_is_shown_and_what_is_left_out_is_told(part):
    document = exp_and_sum()
    node, applied = document["graph"]["nodes"][2], document["events"][1]
    assert applied["type"] == "apply"
    if part == "edges":
        node["edges"] *= MANY
        applied["grad_out"] *= MANY
    else:
        node["hooks"] = [{"id": f"h{n}", "kind": "pre", "name": "clip"} for n in range(MANY)]
    trace = Trace.from_document(document)
    drawing = gg.draw(trace)
    assert len(drawing.svg) < 100_000
    assert {
        "edges": "edges of one node that lead the same way are drawn as one",
        "hooks": "of what hangs on one node the first 100 are drawn",
    }[part] in drawing.graph.notice
    assert gg.compare(trace, trace)
    assert text_view(trace)


def test_a_node_that_has_saved_very_much_is_looked_through_once():
    document = exp_and_sum()
    document["graph"]["nodes"][1]["saved"] *= MANY
    trace = Trace.from_document(document)
    node, looks = trace.nodes[1], []

    class Counted(list):
        def __iter__(self):
            looks.append(1)
            return super().__iter__()

    node["saved"] = Counted(node["saved"])
    names = Whose(trace)
    assert {names.saved(node, saved) for saved in list(node["saved"])[:100]} == {"exp(x)"}
    assert len(looks) < 10


def test_a_comparison_of_checkpointed_programs_can_be_drawn():
    def loss(times):
        x = gg.tensor([1.0, 2.0], requires_grad=True)
        return gg.utils.checkpoint.checkpoint(lambda x: x.exp() * times, x, use_reentrant=False)

    found = gg.compare(gg.record(loss(2).sum()), gg.record(loss(3).sin().sum()))
    assert "checkpoint" in gg.draw(found).svg


@pytest.mark.parametrize("ops", [lambda x: x, lambda x: x.sum()])
def test_an_op_of_very_many_leaves_is_folded_with_them(ops):
    leaves = [gg.tensor(float(n), requires_grad=True) for n in range(200)]
    drawing = gg.draw(ops(gg.stack(leaves)), max_nodes=3)
    assert "with 200 of the leaves" in drawing.graph.notice
