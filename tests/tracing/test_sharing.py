import pytest

import glassgrad as gg
from glassgrad.core.errors import DataError
from glassgrad.tracing import Trace


def leaf():
    return gg.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)


def bases(tensor):
    """The op of each view in the graph, with the op that made its base."""
    nodes = {node["id"]: node for node in gg.snapshot(tensor).nodes}
    return [(node["op"], nodes[node["base"]]["op"]) for node in nodes.values() if "base" in node]


def test_a_view_knows_the_node_of_its_base():
    assert bases((leaf() * 2)[1:]) == [("SliceBackward0", "MulBackward0")]


def test_a_view_of_a_leaf_has_the_accumulator_for_its_base():
    assert bases(leaf()[0]) == [("SelectBackward0", "AccumulateGrad")]


def test_a_view_of_a_view_has_the_same_base():
    y = leaf() * 2
    found = bases(y[1:].T.reshape(3).sum())
    assert found == [
        ("SliceBackward0", "MulBackward0"),
        ("PermuteBackward0", "MulBackward0"),
        ("ViewBackward0", "MulBackward0"),
    ]


def test_a_reshape_that_had_to_copy_is_no_view():
    assert bases((leaf() * 2).T.reshape(6)) == [("PermuteBackward0", "MulBackward0")]


def test_a_view_found_anew_after_a_write_is_one_of_the_written_base():
    y = leaf() * 2
    row = y[0]
    y.mul_(3)
    assert bases(row) == [("AsStridedBackward0", "MulBackward0")]


@pytest.mark.parametrize(("write", "part"), [(lambda y: y[:1], [1, 3]), (lambda y: y[0, 0], [])])
def test_a_write_into_a_view_says_how_large_the_part_was(write, part):
    y = leaf() * 2
    write(y).mul_(3)
    (copy,) = [node for node in gg.snapshot(y).nodes if node["op"] == "CopySlices"]
    assert (copy["part"], copy["shape"]) == (part, [2, 3])


def test_it_is_in_the_file_and_checked():
    trace = gg.snapshot((leaf() * 2)[1:])
    text = trace.to_json()
    assert Trace.from_json(text) == trace
    with pytest.raises(DataError, match="its base n99 is not in the graph"):
        Trace.from_json(text.replace('"base": "n1"', '"base": "n99"'))


def test_a_saved_tensor_that_was_written_since_says_its_version_of_now():
    y = leaf() * 2
    loss = (y * y.exp()).sum()
    saved = {
        entry["name"]: entry for node in gg.snapshot(loss).nodes for entry in node.get("saved", ())
    }
    assert "now" not in saved["self"]
    y.add_(1)
    trace = gg.snapshot(loss)
    stale = [entry for node in trace.nodes for entry in node.get("saved", ()) if "now" in entry]
    assert [(entry["name"], entry["version"], entry["now"]) for entry in stale] == [("self", 0, 1)]
    assert Trace.from_json(trace.to_json()) == trace


def test_pytorch_has_the_same_views_of_the_same_bases():
    torch = pytest.importorskip("torch")
    from glassgrad.tracing.torch import record

    def program(lib):
        x = lib.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
        y = x * 2
        return (y[1:].transpose(0, 1).reshape(3) * x[0].unsqueeze(0).squeeze()).sum()

    found = [
        [(node["op"], node["base"]) for node in trace.nodes if "base" in node]
        for trace in (gg.record(program(gg)), record(program(torch)))
    ]
    assert found[0] == found[1]
    assert len(found[0]) == 6
