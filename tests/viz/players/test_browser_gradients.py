"""A gradient that a page shows at an event is the one that is there at that event."""

import json
import re

import pytest

import glassgrad as gg
from glassgrad.viz import player
from glassgrad.viz.players.assets import script, styles
from glassgrad.viz.wording import array_text


def hooked(factor=0.5):
    """A pass in which a tensor's hook changes the gradient of the inner product."""
    x = gg.tensor([3.0, 4.0], requires_grad=True)
    x.name = "x"
    y = x * 2
    y.register_hook(lambda grad: grad * factor)
    return (y * y).sum()


# The gradients that can be read in the boxes, by box.
VISIBLE_ROWS = """() => Object.fromEntries([...document.querySelectorAll(".gg-stage .value.late")]
    .filter((row) => getComputedStyle(row).visibility === "visible")
    .map((row) => [row.parentElement.id.split("-")[1], row.textContent]))"""


def rows_by_the_log(trace, count):
    """The same as the first `count` events tell it: what has arrived, and what hooks made of it."""
    known, ready = {}, set()
    first = {}
    for event in trace.events:
        if event["type"] in ("pre_hook", "apply"):
            first.setdefault(event["node"], event.get("before") or event["grad_in"])
    leaf = {each["acc"]: each["id"] for each in trace.leaves}
    for event in trace.events[:count]:
        node = event.get("node")
        if event["type"] == "ready":
            ready.add(node)
            known[node] = first.get(node, [known.get(node)])[0]
        elif event["type"] == "buffer":
            known[node] = event["grad"]
        elif event["type"] == "pre_hook":
            known[node] = event["after"][0]
        elif event["type"] == "apply":
            known[node] = event["grad_in"][0]
        elif event["type"] == "accumulate":
            known[event["tensor"]] = event["grad"]
            ready.add(event["tensor"])
        elif event["type"] == "post_hook" and node in leaf:
            known[leaf[node]] = event["after"][0]
    return {
        id: array_text(trace.arrays[array])
        for id, array in known.items()
        if id in ready and id not in leaf
    }


@pytest.mark.parametrize("factor", [0.5, -1e-5, 1.0])
def test_a_box_shows_at_each_event_what_hooks_have_made_of_its_gradient_until_then(factor, play):
    made = player(hooked(factor))
    shown = play(made)
    seen = shown.walk("ArrowRight", len(made.trace.events), VISIBLE_ROWS)
    for count, rows in enumerate(seen):
        assert rows == rows_by_the_log(made.trace, count), f"after {count} events"
    told = {rows.get("n1") for rows in seen}
    assert len(told) == (2 if factor == 1.0 else 3)  # nothing, what came, what the hook returned
    # Going back takes it back.
    assert shown.walk("ArrowLeft", len(made.trace.events), VISIBLE_ROWS) == seen[::-1]


def test_each_of_them_fits_into_its_box(play):
    made = player(hooked(1e-3 / 3.0))
    measure = """() => [...document.querySelectorAll(".gg-stage .value.late")].map((row) =>
        row.getBBox().x + row.getBBox().width <=
        row.parentElement.querySelector("rect.box").getBBox().x
        + row.parentElement.querySelector("rect.box").getBBox().width)"""
    for fits in play(made).walk("ArrowRight", len(made.trace.events), measure):
        assert len(fits) >= 3
        assert all(fits)


def test_room_is_left_for_a_gradient_that_a_hook_makes_shorter(play):
    x = gg.tensor([1.25, 2.25], requires_grad=True)
    y = x.exp()
    y.register_hook(lambda grad: grad * 0)
    made = player((y * gg.tensor([1.23e-10, -1.23e-10])).sum())
    shown = play(made)
    seen = shown.walk("ArrowRight", len(made.trace.events), VISIBLE_ROWS)
    first = next(count for count, rows in enumerate(seen) if "n1" in rows)
    shown.page.locator(".gg-scrub").fill(str(first))
    row, box = (shown.page.locator(f"#gg-n1 > {part}") for part in (".value.late", "rect.box"))
    assert row.text_content() == "[1.23e-10, -1.23e-10]"
    right = "each => each.getBoundingClientRect().right"
    assert row.evaluate(right) < box.evaluate(right)


def test_the_page_without_a_script_shows_the_finished_pass():
    page = player(hooked()).html
    assert '<text class="value late"' in page
    assert ">[6, 8]</text>" in page
    assert ">[12, 16]</text>" in page  # of x: the doubled half


def test_nothing_tells_of_a_gradient_to_come_nor_of_the_numbers_of_a_rule_before_it_runs(play):
    made = player(hooked())
    shown = play(made)
    titles = "[...document.querySelectorAll('.gg-stage title')].map(each => each.textContent)"
    hovered = "\n".join(shown.page.evaluate(titles))
    assert "value [3, 4]" in hovered
    assert not re.search(r"^(gradient|grad) ", hovered, re.M)
    shown.page.locator("#gg-n1").click()
    words = """() => document.querySelector(".gg-sec-node").innerText"""
    seen = shown.walk("ArrowRight", len(made.trace.events), words)
    runs = next(e["k"] for e in made.trace.events if (e["type"], e.get("node")) == ("apply", "n1"))
    for count, told in enumerate(seen):
        assert ("z̄·y = [6, 8]·2 = [12, 16]" in told) is (count > runs), f"after {count} events"
        assert ("[6, 8]·2" in told) is (count > runs)
        assert ("✓ rule checked" in told) is (count > runs)
    assert shown.walk("ArrowLeft", len(made.trace.events), words) == seen[::-1]


def test_a_hook_on_the_grad_of_a_leaf_changes_it_when_it_runs(play):
    x = gg.tensor([3.0, 4.0], requires_grad=True)

    def enlarge(leaf):
        leaf.grad.mul_(10)

    x.register_post_accumulate_grad_hook(enlarge)
    made = player((x * 2).sum())
    shown = play(made)
    words = """() => document.querySelector(".gg-sec-tensors").innerText"""
    look = f"() => [({VISIBLE_ROWS})(), ({words})()]"
    seen = []
    for rows, told in shown.walk("ArrowRight", len(made.trace.events), look):
        seen.append(rows.get("t0"))
        assert (f".grad\t{seen[-1] or 'none yet'}") in told
    assert list(dict.fromkeys(seen)) == [None, "[2, 2]", "[20, 20]"]


def test_a_tensor_retains_its_gradient_between_its_hooks_and_those_of_its_node(play):
    x = gg.tensor([3.0, 4.0], requires_grad=True)
    y = x * 2
    y.name = "y"
    y.retain_grad()
    y.register_hook(lambda grad: grad * 3)
    y.register_hook(lambda grad: grad * 5)
    y.grad_fn.register_prehook(lambda grads: (grads[0] * 7,))
    made = player(y.sum())
    words = """() => document.querySelector(".gg-sec-tensors").innerText"""
    seen = []
    for told in play(made).walk("ArrowRight", len(made.trace.events), words):
        about_y = told.split("y\n", 1)[1]
        seen.append(about_y.split(".grad\t", 1)[1].split("\n")[0])
    assert list(dict.fromkeys(seen)) == ["none yet", "[15, 15]"]
    assert y.grad.tolist() == [15.0, 15.0]


# While it is under way ---------------------------------------------------------------------------

LIVE = """
window.sent = [];
const live = { send: (message) => window.sent.push(message), granularity: GRAIN };
const player = await mount(document.querySelector(".gg-player"), { keys: document, live });
window.hear = (message) => player.hear(message);
"""


class Live:
    """A page and the live player behind it, without a notebook between them."""

    def __init__(self, visit, session):
        self.told = []
        self.player = gg.player(session)
        self.player.connect(lambda message: self.told.append(json.loads(json.dumps(message))))
        self.player.receive({"do": "hello", "view": "v"})
        begin, *rest = self.told
        code = LIVE.replace("GRAIN", json.dumps(begin["granularity"]))
        self.page = visit(
            f"<!DOCTYPE html><meta charset=utf-8><style>{styles()}</style>{begin['html']}"
            f'<script type="module">{script()}\n{code}</script>'
        )
        self.tell(rest)

    def tell(self, messages):
        for message in messages:
            self.page.evaluate("message => window.hear(message)", message)

    def press(self, key):
        """Press a key, have Python do what the page asks, and tell the page."""
        self.page.keyboard.press(key)
        self.answer()

    def answer(self):
        for message in self.page.evaluate("window.sent.splice(0)"):
            self.told.clear()
            self.player.receive(message)
            self.tell(self.told)


def test_the_gradients_of_a_pass_under_way_are_shown_as_they_arrive(visit):
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    live = Live(visit, gg.step((x * x).sum()))
    every = """Object.fromEntries([...document.querySelectorAll(".value.late")]
        .map((row) => [row.parentElement.id.split("-")[1], row.textContent]))"""
    assert live.page.evaluate(every) == {"n2": "…", "n1": "…", "t0": "…"}
    live.press("ArrowRight")
    assert live.page.evaluate(every) == {"n2": "1", "n1": "[1, 1]", "t0": "…"}
    live.press("End")
    assert live.page.evaluate(every) == {"n2": "1", "n1": "[1, 1]", "t0": "[2, 4]"}
    live.press("ArrowLeft")
    assert live.page.evaluate(every)["t0"] == "…"


@pytest.mark.parametrize("granularity", ["node", "micro"])
def test_looking_back_in_a_pass_under_way_shows_what_was_there(granularity, visit):
    session = gg.step(hooked())
    session.granularity = granularity
    live = Live(visit, session)
    for _ in range(20 if granularity == "micro" else 4):
        live.press("ArrowRight")
    trace = session.trace
    looking_back = """(most) => Array.from({ length: most }, (_, at) => {
        const scrub = document.querySelector(".gg-scrub");
        scrub.value = at + 1;
        scrub.dispatchEvent(new Event("input"));
        return (ROWS)();
    })""".replace("ROWS", VISIBLE_ROWS)
    seen = live.page.evaluate(looking_back, len(trace.events))
    for count, rows in enumerate(seen, 1):
        assert rows == rows_by_the_log(trace, count)


def test_the_rule_of_a_node_that_waits_is_on_what_has_arrived_then_on_what_it_got(visit):
    session = gg.step(hooked())
    live = Live(visit, session)
    live.press("ArrowRight")
    live.press("ArrowRight")
    assert session.names.node[session.current] == "n1"
    live.page.locator(".vertex[id$='-n1']").click()
    live.answer()
    node = live.page.locator(".gg-sec-node")
    assert "z̄·y = [12, 16]·2 = [24, 32]" in node.inner_text()  # the hook has not run
    live.press("ArrowRight")
    assert "z̄·y = [6, 8]·2 = [12, 16]" in node.inner_text()
    assert "✓ rule checked" in node.inner_text()
    live.page.locator(".gg-scrub").fill("1")
    assert "z̄·y = [" not in node.inner_text()
