"""What a trace tells is what was, however late it is read; and until then it keeps little alive."""

import gc
import weakref

import numpy as np

import glassgrad as gg
from glassgrad.tracing import ArrayTable, summary


def heads(trace):
    return [array["head"] for array in trace.arrays.values()]


def test_what_is_written_after_the_pass_is_not_in_its_trace():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    trace = gg.record((y * y).sum(), retain_graph=True)
    with gg.no_grad():
        for each in (x, y, x.grad):
            each.fill_(7.0)
    assert [7.0, 7.0] not in heads(trace)
    assert heads(trace)[0] == [1.0, 2.0]


def test_large_arrays_are_as_they_were_too(monkeypatch):
    monkeypatch.setattr(summary, "MOST_COPIED", 0)  # so that they are looked at in the pass
    x = gg.tensor(np.arange(1000.0), requires_grad=True)
    trace = gg.record((x * x).sum())
    x.data.fill_(7.0)
    x.grad.fill_(7.0)
    assert heads(trace)[0] == [0.0, 1.0, 2.0, 3.0]
    assert [7.0] * 4 not in heads(trace)


def test_what_a_hook_writes_shows_from_then_on():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    y.register_hook(lambda grad: grad.clone().mul_(3))
    trace = gg.record((y * 2).sum())
    (hook,) = [event for event in trace.events if event["type"] == "pre_hook"]
    ends = [trace.arrays[hook[part][0]]["head"] for part in ("before", "after")]
    assert ends == [[2.0, 2.0], [6.0, 6.0]]


def test_a_trace_that_nobody_has_read_keeps_no_tensor_and_no_node_alive():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    loss = (x * x).sum()
    gone = weakref.ref(x), weakref.ref(loss.grad_fn)
    trace = gg.record(loss)
    del x, loss
    gc.collect()
    assert [each() for each in gone] == [None, None]
    assert trace.schedule() == ["n2", "n1", "n0"]


def test_a_trace_that_nobody_has_read_goes_without_the_garbage_collector():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    gc.disable()
    try:
        notes = weakref.ref(gg.record((x * x).sum())._make.__self__)
        assert notes() is None
    finally:
        gc.enable()


def test_no_array_is_looked_at_twice(monkeypatch):
    looked_at, look = [], ArrayTable._looked_at
    monkeypatch.setattr(
        ArrayTable, "_looked_at", lambda *args: looked_at.append(args[1]) or look(*args)
    )
    x, c = gg.tensor([1.0, 2.0], requires_grad=True), gg.tensor([3.0, 4.0])
    y = x
    for _ in range(5):
        y = (y * c).exp() + x
    trace = gg.record(y.sum())
    assert trace.events
    assert trace.arrays
    assert len(looked_at) == len(set(map(id, looked_at)))
    assert len(looked_at) < 4 * len(trace.nodes)


def test_the_copies_that_wait_to_be_read_are_bounded():
    large, before = np.ones(2**18), ArrayTable._copied
    table = ArrayTable()
    taken = [table.take(large + number) for number in range(20)]
    assert ArrayTable._copied <= summary.MOST_COPIED
    assert [type(each) for each in taken[::19]] == [np.ndarray, summary.Key]
    assert list(map(table.add, taken)) == [f"a{number}" for number in range(20)]
    del table, taken
    gc.collect()
    assert ArrayTable._copied == before
