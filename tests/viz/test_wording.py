import pytest

import glassgrad as gg
from glassgrad.tracing import Trace
from glassgrad.viz import text_view


def test_the_text_of_a_times_a(samples):
    assert text_view(samples.square()).splitlines() == [
        "3 nodes, in the order they ran",
        "#1 n2  SumBackward0 () → n1",
        "#2 n1  MulBackward0 (2,) → n0, n0 saved self, other (leaf a)",
        "#3 n0  AccumulateGrad (2,) → a (2,)",
        "",
        "12 events",
        " 1  SumBackward0 is ready: every gradient it waits for has arrived.",
        " 2  SumBackward0 turns the gradient 1 into [1, 1].",
        " 3  The gradient for MulBackward0 has arrived.",
        " 4  MulBackward0 is ready: every gradient it waits for has arrived.",
        " 5  MulBackward0 unpacks self, saved at version 0.",
        " 6  MulBackward0 unpacks other, saved at version 0.",
        " 7  MulBackward0 turns the gradient [1, 1] into ([1, 2], [1, 2]).",
        " 8  MulBackward0 lets go of what it saved: leaf a keeps it.",
        " 9  AccumulateGrad of a has 1 of 2 gradients.",
        "10  AccumulateGrad of a has 2 of 2 gradients, in sum [2, 4].",
        "11  AccumulateGrad of a is ready: every gradient it waits for has arrived.",
        "12  a.grad is now [2, 4].",
    ]


def test_memory_that_is_saved_twice_counts_once():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    h = x.exp()
    lines = text_view(gg.record((h * h).sum())).splitlines()
    assert lines[2].endswith("saved self, other (8 B)")


def test_inputs_without_gradient_and_reduced_broadcasts(samples):
    text = text_view(samples.neuron())
    assert "MulBackward0 (2, 2) → ∅, n0" in text
    assert "n2 Σ→(2,)" in text


def test_a_limit_cuts_both_parts_and_keeps_the_first_and_the_last(samples):
    trace = samples.chain(100)
    lines, whole = text_view(trace, limit=4).splitlines(), text_view(trace).splitlines()
    assert lines[:3] == whole[:3]
    assert lines[3] == "… 97 more"
    assert lines[4:6] == whole[100:102]
    assert lines[-3:] == ["… 498 more", *whole[-2:]]
    assert text_view(trace, limit=1).splitlines()[-1] == "… 501 more"


def test_hooks_and_stale_versions_are_told(samples):
    trace = samples.square()
    hook = {"k": 0, "type": "pre_hook", "node": "n1", "hook": "h1", "before": ["a0"]}
    trace.nodes[1]["hooks"] = [{"id": "h1", "kind": "pre", "name": "clip"}]
    events = [
        {**hook, "after": ["a2"]},
        {**hook, "type": "post_hook", "after": ["a0"]},
        {"type": "unpack", "node": "n1", "saved": "self", "version": [0, 2]},
        {"type": "accumulate", "tensor": "t0", "grad": None},
    ]
    events = [{**event, "k": k} for k, event in enumerate(events)]
    assert text_view(Trace(trace.graph, trace.arrays, events)).splitlines()[-4:] == [
        "1  Before MulBackward0, hook clip changes [1, 2] to [1, 1].",
        "2  After MulBackward0, hook clip sees [1, 2] and leaves it.",
        "3  MulBackward0 unpacks self, saved at version 0 and now at version 2: stale.",
        "4  No gradient reached a: its .grad stays as it is.",
    ]


def huge(count):
    nodes = [
        {
            "id": f"n{rank}",
            "op": "NegBackward0",
            "seq": rank,
            "edges": [{"to": f"n{rank - 1}", "slot": 0}] if rank else [],
        }
        for rank in range(count)
    ]
    return Trace({"nodes": nodes, "leaves": []})


def test_the_calls_of_a_list_grow_with_its_nodes_and_no_faster(count_calls):
    small, large = huge(2_000), huge(4_000)
    calls = [count_calls(lambda trace=trace: text_view(trace)) for trace in (small, large)]
    assert calls[1] < 2.2 * calls[0]
    assert calls[1] < 130 * 4_000


def test_a_hundred_thousand_nodes_have_a_line_each():
    assert text_view(huge(100_000)).count("\n") == 100_000


@pytest.mark.slow
def test_a_million_nodes_are_listed_without_recursion():
    assert text_view(huge(1_000_000)).count("\n") == 1_000_000
