import glassgrad as gg
from glassgrad.viz.memory import freed_by_node
from glassgrad.viz.wording import Narrator


def leaf(name, *values):
    tensor = gg.tensor(list(values), requires_grad=True)
    tensor.name = name
    return tensor


def told(trace):
    """The sentences about memory."""
    narrator = Narrator(trace)
    frees = [event for event in trace.events if event["type"] == "free_saved"]
    return [narrator.sentence(event) for event in frees]


def test_a_leaf_keeps_its_memory():
    x = leaf("x", 1.0, 2.0, 3.0)
    trace = gg.record((x**3).sum())
    assert told(trace) == ["PowBackward0 lets go of what it saved: leaf x keeps it."]
    assert [freed.bytes for freed in freed_by_node(trace).values()] == [0]


def test_what_only_the_node_held_comes_free():
    trace = gg.record(leaf("x", 1.0, 2.0).exp().sum())
    assert told(trace) == ["ExpBackward0 frees what it saved, 8 B."]


def test_of_both_only_the_part_that_is_no_leafs_comes_free():
    x = leaf("x", 1.0, 2.0)
    trace = gg.record((x * x.exp()).sum())
    assert told(trace) == [
        # exp saved its result, too, and has not run yet
        "MulBackward0 lets go of what it saved: leaf x and other nodes keep it.",
        "ExpBackward0 frees what it saved, 8 B.",
    ]
    w = leaf("w", 1.0, 2.0)
    trace = gg.record((w * (w + 1)).sum())
    assert told(trace) == ["MulBackward0 frees 8 B of what it saved: leaf w keeps the rest."]


def test_memory_that_a_node_saved_twice_counts_once():
    h = leaf("x", 1.0, 2.0) + 1
    trace = gg.record((h * h).sum())
    assert told(trace) == ["MulBackward0 frees what it saved, 8 B."]


def test_all_that_the_pictures_notes_hold_has_come_free_at_the_end():
    w = gg.tensor([[0.1, 0.2], [0.3, 0.1]], requires_grad=True)
    h = gg.tensor([[1.0, 2.0]])
    for _ in range(3):
        h = (h @ w).tanh()
    trace = gg.record((h * h).sum())
    notes = {
        saved["storage"]: saved["bytes"]
        for node in trace.nodes
        for saved in node.get("saved", ())
        if "leaf" not in saved
    }
    assert sum(freed.bytes for freed in freed_by_node(trace).values()) == sum(notes.values())
    assert told(trace)[1] == "TanhBackward0 frees what it saved, 8 B."


def test_a_node_whose_saved_tensors_nobody_lists_is_told_by_its_event():
    trace = gg.record(leaf("x", 1.0, 2.0).exp().sum())
    for node in trace.nodes:
        node.pop("saved", None)
    assert told(trace) == ["ExpBackward0 frees what it saved, 8 B."]
