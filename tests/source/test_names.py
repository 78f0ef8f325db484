"""The names that tensors have where a program asks for a picture of them."""

import gc
import sys
import threading
import time
import types
import weakref
from collections import OrderedDict, defaultdict

import torch

import glassgrad as gg
import glassgrad.tracing.torch as watch

at_hand = gg.tensor([5.0, 6.0], requires_grad=True)


def names_of(trace):
    """What a trace calls its outputs, its leaves, and what nodes have saved besides."""
    saved = [each.get("label") for node in trace.nodes for each in node.get("saved", ())]
    tensors = [*trace.outputs, *trace.leaves]
    return [each["name"] or each["id"] for each in tensors], [label for label in saved if label]


def leaf(*values):
    return gg.tensor(values, requires_grad=True)


# What is found -----------------------------------------------------------------------------------


def test_variables_name_the_output_the_leaves_and_what_nodes_saved():
    w, x = leaf(1.0, 2.0), gg.tensor([3.0, 4.0])
    h = gg.tanh(w * x)
    loss = h.sum()
    assert names_of(gg.snapshot(loss)) == (["loss", "w"], ["x", "h"])
    assert names_of(gg.record(loss, retain_graph=True)) == (["loss", "w"], ["x", "h"])
    with gg.step(loss, retain_graph=True) as session:
        assert list(session.gradients) == ["w"]
    assert gg.draw(loss).graph.title == "Backward graph of loss"
    assert gg.player(loss).drawing.graph.title == "Backward graph of loss"


def test_attributes_entries_and_parameters_of_modules_have_the_way_to_them():
    class Slotted:
        __slots__ = ("empty", "w")

    holder, slotted = types.SimpleNamespace(), Slotted()
    net = gg.nn.Sequential(gg.nn.Linear(2, 2), gg.nn.Sequential(gg.nn.Linear(2, 2)))
    ws, by_key = [leaf(1.0)], OrderedDict(a={"b": leaf(2.0)})
    pair, mapped = (0, [leaf(3.0)]), defaultdict(list, {7: leaf(4.0)})
    holder.w, slotted.w = leaf(5.0), leaf(6.0)
    total = ws[0] + by_key["a"]["b"] + pair[1][0] + mapped[7] + holder.w + slotted.w
    total = total + net[1][0].weight.sum()
    assert names_of(gg.snapshot(total))[0] == [
        *("total", "ws[0]", "by_key['a']['b']", "pair[1][0]", "mapped[7]", "holder.w"),
        *("slotted.w", "net.1.0.weight"),
    ]


def test_classes_of_a_program_are_looked_into_as_deep_as_they_go():
    class Layer:
        def __init__(self, *layers):
            self.layers, self._w = layers, leaf(1.0)

        def loss(self):
            return gg.snapshot(self._w * self.layers[0].layers[0]._w)

    assert names_of(Layer(Layer(Layer())).loss())[0] == [
        *("t2", "self._w", "self.layers[0].layers[0]._w"),
    ]


def test_the_innermost_function_has_the_first_word_then_its_callers_then_the_globals():
    def inner(w):
        return gg.snapshot((w * at_hand * kept[0]).sum())

    kept = [leaf(3.0, 4.0)]
    outer = leaf(1.0, 2.0)
    assert names_of(inner(outer))[0] == ["t3", "w", "at_hand", "kept[0]"]


def test_a_name_that_would_be_of_two_is_of_the_innermost():
    def inner(y):
        x = leaf(1.0)
        return gg.snapshot(x * y)

    x = leaf(2.0)
    assert names_of(inner([x][0]))[0] == ["t2", "x", "y"]
    assert names_of(gg.snapshot(x * 1))[0] == ["t1", "x"]


def test_what_has_two_names_or_none_keeps_its_id():
    w = also = leaf(1.0)
    _ = mine = leaf(2.0)
    t7 = leaf(3.0)
    assert names_of(gg.snapshot(w * 2))[0] == ["t1", "t0"]
    assert also is w
    assert names_of(gg.snapshot(mine * leaf(1.0)))[0] == ["t2", "mine", "t1"]
    assert names_of(gg.snapshot(t7 * 1))[0] == ["t1", "t0"]


def test_names_that_were_given_come_first():
    w = leaf(1.0)
    w.name = "weight"
    net = gg.nn.Linear(1, 1)
    assert sorted(names_of(gg.snapshot(net(w)))[0]) == ["bias", "t3", "weight", "weight"]


def test_tensors_of_pytorch_are_called_likewise_and_names_say_otherwise():
    w, x = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0])
    net = torch.nn.Sequential(torch.nn.Linear(2, 2))
    loss = (net(w * x) * net[0].bias).sum()
    trace = watch.record(loss, retain_graph=True)
    assert names_of(trace)[0] == ["loss", "w", "net.0.weight", "net.0.bias"]
    assert "x" in names_of(trace)[1]
    trace = watch.record(loss, names={"mine": w}, retain_graph=True)
    assert {leaf["name"] for leaf in trace.leaves} == {"mine", "net.0.weight", "net.0.bias"}
    with watch.step(loss) as session:
        assert set(session.gradients) == {"w", "net.0.weight", "net.0.bias"}


# A notebook, a program in a string ---------------------------------------------------------------


def test_what_a_notebook_keeps_is_no_name():
    program = (
        "import glassgrad as gg\n"
        "_3 = _ = gg.tensor([1.0], requires_grad=True)\n"
        "Out = _oh = {3: _3}\n"
        "w = gg.tensor([1.0], requires_grad=True)\n"
        "found = gg.snapshot(_3 * w)\n"
    )
    _cell = {}
    exec(compile(program, "<ipython-input-1-abc>", "exec"), _cell)
    assert names_of(_cell["found"])[0] == ["t2", "t0", "w"]


# Nothing is kept, nothing runs -------------------------------------------------------------------


def test_neither_tensors_nor_frames_live_longer_for_it():
    def inner():
        w = leaf(1.0, 2.0)
        big = leaf(3.0)
        alive = weakref.ref(big), weakref.ref(big.payload)
        graph = gg.step((w * w).sum())
        del big
        return graph, [ref() for ref in alive], sys._getframe()

    gc.disable()
    try:
        session, left, frame = inner()
        assert left == [None, None]
        assert not [x for x in gc.get_referrers(frame) if type(x) is not types.FrameType]
        assert list(session.gradients) == ["w"]
        session.close()
    finally:
        gc.enable()


def test_what_locals_gave_to_somebody_stays_theirs():
    w = leaf(1.0)
    mine = locals()
    gg.snapshot(w * 2)
    assert mine["w"] is w

    class Body:
        inside = leaf(1.0)
        found = names_of(gg.snapshot(inside * 2))

    assert Body.found[0] == ["t1", "inside"]
    assert Body.inside is not None


def test_a_frame_that_a_debugger_has_stopped_is_let_alone():
    looked = []

    def tracer(frame, event, arg):
        if event == "line" and "w" in frame.f_locals and not looked:
            shown = frame.f_locals
            shown["w"] = "assigned at the prompt"
            looked.append(names_of(gg.snapshot(at_hand * 1)))
        return tracer

    def program():
        w = 1
        return [w]

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        program()
    finally:
        sys.settrace(before)
    assert looked[0][0] == ["t1", "at_hand"]


class Hostile:
    """What raises at any touch."""

    def __getattribute__(self, name):
        raise AssertionError(name)

    __eq__ = __hash__ = __bool__ = __len__ = __iter__ = __repr__ = __getattribute__


class Dressed:
    """A `__dict__` and a `__class__` that are code."""

    @property
    def __dict__(self):
        raise AssertionError("__dict__")

    @property
    def __class__(self):
        raise AssertionError("__class__")

    @property
    def w(self):
        raise AssertionError("w")


class Dict(dict):
    def items(self):
        raise AssertionError("items")

    __getitem__ = __iter__ = __len__ = keys = items


def test_no_code_of_the_program_runs_and_the_work_is_bounded():
    hostile, dressed = Hostile(), Dressed()
    mapping = Dict(a=leaf(2.0), b=hostile)
    odd = {10**5000: leaf(1.0), (1, 2): leaf(1.0), "k" * 10_000: leaf(1.0), 3: hostile}
    cycle = []
    cycle.append(cycle)
    endless = [[[x] for x in range(1_000)] for _ in range(1_000)]
    held = types.SimpleNamespace(x=hostile, y=dressed, cycle=cycle)
    w = leaf(1.0)
    a = dict.__getitem__(mapping, "a")
    start = time.perf_counter()
    trace = gg.snapshot(w * dict.__getitem__(mapping, "a") * next(iter(odd.values())))
    assert time.perf_counter() - start < 1
    assert names_of(trace)[0] == ["t3", "w", "a", "t2"]
    assert a is not None
    assert len(endless) == 1_000
    assert held.cycle is cycle


def test_names_that_are_markup_come_to_a_picture_as_text():
    sign = '<script>alert("x")</script>&\n\u202e'
    ws = {sign: leaf(1.0, 2.0)}
    drawing = gg.draw((ws[sign] * ws[sign]).sum())
    page = gg.player((ws[sign] * ws[sign]).sum())
    assert drawing.trace.leaves[0]["name"] == f"ws[{sign!r}]"
    for text in (drawing.svg, drawing.html, page.html):
        assert "<script>alert" not in text
    assert not any("\u202e" in text for text in (drawing.svg, drawing.dot, page.html))
    assert 'alert("' not in drawing.dot.replace('\\"', "")


def test_it_is_the_same_in_another_thread():
    found = []

    def work():
        w = leaf(1.0)
        found.append(names_of(gg.snapshot(w * 1))[0])

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [["t1", "w"]]


def test_a_name_that_was_given_is_not_found_for_another():
    x = leaf(1.0, 2.0)
    x.name = "x"
    y = x * 2
    del x
    x = y.exp()
    assert names_of(gg.snapshot((x * y).sum())) == (["t1", "x"], ["y"])
