"""The panels beside the drawing."""

import re

import glassgrad as gg
from glassgrad.tracing import Trace
from glassgrad.viz import player


def hooked():
    """A pass with three hooks, one of which changes what it gets."""
    x = gg.tensor([3.0, 4.0], requires_grad=True)
    x.name = "x"
    y = x * 2
    loss = (y * y).sum()

    def halve(grad):
        return grad * 0.5

    def look(grad):
        return None

    y.register_hook(halve)
    x.register_hook(look)
    return loss


def test_the_node_that_runs_shows_what_comes_in_and_what_goes_out(play, samples):
    shown = play(player(samples.square()), fragment="#7")
    words = shown.section("node").inner_text()
    assert "MulBackward0" in words
    assert re.search(r"gradient in\s+\[1, 1\]", words)
    assert re.findall(r"→ a\s+(\[.*?\])", words) == ["[1, 2]", "[1, 2]"]


def test_what_a_node_saved_has_its_bytes_its_memory_and_its_version(play, samples):
    shown = play(player(samples.neuron()))
    shown.page.get_by_label("Show node").select_option("n4")
    words = shown.section("node").inner_text()
    kept = r"tanh\(…\)\s+y in the rule · result · \(2, 2\) · 16 B · s\d · v0$"
    assert re.search(kept, words, re.M)
    shown.press("End")
    assert re.search(r"tanh\(…\)\s.* · freed$", shown.section("node").inner_text(), re.M)


def test_the_phases_of_a_turn_are_those_of_the_log_and_hooks_are_listed_as_they_ran(play):
    shown = play(player(hooked()))
    assert "none yet; 2 are registered" in shown.section("hooks").inner_text()
    shown.page.get_by_label("Step size").select_option("micro")
    shown.page.get_by_label("Show node").select_option("n1")
    assert shown.page.locator(".gg-phases li").all_inner_texts() == [
        "pop",
        "pre-hooks",
        "unpack",
        "apply",
        "free",
        "hand on",
    ]
    shown.page.get_by_label("Show node").select_option("n0")
    names = shown.page.locator(".gg-phases li").all_inner_texts()
    assert names == ["pop", "pre-hooks", "accumulate"]
    shown.press("End")
    lines = shown.section("hooks").locator("li").all_inner_texts()
    assert [line.split("\n")[0] for line in lines] == [
        "halve before MulBackward0",
        "look before AccumulateGrad of x",
    ]
    assert lines[0].split("\n")[-1] == "[12, 16] → [6, 8]"
    assert lines[1].split("\n")[-1] == "[12, 16] unchanged"


def test_the_queue_counts_what_has_arrived_and_tensors_show_value_grad_and_version(play, samples):
    shown = play(player(samples.square()), fragment="#9")
    assert shown.section("hooks").is_hidden()  # there are none
    assert "AccumulateGrad of a: 1 of 2 arrived" in shown.section("queue").inner_text()
    words = shown.section("tensors").inner_text()
    assert re.search(r"a\s+\(2,\) float32\s+v0\s+value\s+\[1, 2\]\s+\.grad\s+none yet", words)
    shown.press("End")
    assert "empty" in shown.section("queue").inner_text()
    assert re.search(r"\.grad\s+\[2, 4\]", shown.section("tensors").inner_text())


def test_a_tensor_that_retains_its_gradient_is_there_too(play):
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    h = x * 3
    h.name = "h"
    h.retain_grad()
    loss = (h * h).sum()
    loss.name = "loss"
    shown = play(player(loss))
    shown.press("End")
    words = shown.section("tensors").inner_text()
    assert re.search(r"h\s+\(2,\) float32\s+value\s+\[3, 6\]\s+\.grad\s+\[6, 12\]", words)
    assert re.search(r"loss\s+\(\) float32\s+value\s+45\s+gradient\s+1", words)


def test_the_timeline_falls_as_nodes_free_what_they_saved(play, samples):
    shown = play(player(samples.neuron()))
    memory = shown.page.locator(".gg-memory strong")
    assert memory.inner_text() == "32 B of 32 B"
    shown.press("End")
    assert memory.inner_text() == "0 B of 32 B"
    chart = shown.page.locator(".gg-chart")
    label = chart.get_attribute("aria-label")
    assert label.startswith("Bytes held by saved tensors over ")
    assert "32 before the first" in label
    assert "0 after the last. Besides, leaves keep theirs" in label
    # A click on it goes there.
    box = chart.bounding_box()
    chart.click(position={"x": box["width"] / 2, "y": 10})
    at, total = map(int, shown.count.split(" / "))
    assert at == round(total / 2)


def test_the_timeline_counts_memory_by_its_largest_view_and_no_leafs(play):
    x = gg.ones(100, requires_grad=True)
    y = x + 1
    loss = y[:1].sin().sum() + y.cos().sum() + x[:5].cos().sum() + x[:10].sin().sum()
    memory = play(player(loss)).page.locator(".gg-memory")
    assert memory.locator("strong").inner_text() == "400 B of 400 B"
    assert "leaves keep theirs, 40 B" in memory.inner_text()


def test_a_pass_that_saves_nothing_has_no_timeline(play):
    x = gg.tensor([3.0, 4.0], requires_grad=True)
    assert play(player((x + 1).sum())).page.locator(".gg-time").is_hidden()


def test_the_line_of_the_node_is_marked_and_a_click_on_a_line_goes_to_its_node(play):
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    with gg.scope("model"):
        y = x * 3
        loss = (y * y).sum()
    shown = play(player(loss), fragment="#3")
    lines = shown.page.locator(".gg-line")
    assert lines.locator("code").all_inner_texts() == ["y = x * 3", "loss = (y * y).sum()"]
    assert shown.page.locator(".gg-line.here code").inner_text() == "loss = (y * y).sum()"
    lines.first.click()
    assert "Chosen node" in shown.section("node").inner_text()
    assert shown.page.locator(".gg-line.here code").inner_text() == "y = x * 3"


def test_a_panel_stays_shut_and_a_click_holds_a_node_and_a_second_lets_it_go(play, samples):
    shown = play(player(samples.square()))
    shown.section("tensors").locator("summary").first.click()
    shown.press("ArrowRight", "ArrowRight")
    assert shown.section("tensors").get_attribute("open") is None
    shown.page.locator("#gg-n1").click()
    assert "Chosen node" in shown.section("node").inner_text()
    assert "chosen" in shown.classes("n1")
    shown.page.locator("#gg-n1").click()
    assert "chosen" not in shown.classes("n1")


def test_a_click_on_a_node_opens_its_explanation_with_the_check(play):
    x = gg.tensor([3.0, 4.0], requires_grad=True)
    shown = play(player((x * x).sum()))
    shown.page.locator("#gg-n1").click()
    node = shown.section("node")
    assert "rule checked" not in node.inner_text()
    assert node.locator("details.gg-explain").get_attribute("open") is not None
    assert "agrees with differences" not in node.inner_text()
    assert node.locator(".gg-math math").count() >= 3
    assert re.search(r"^x\s+is x = \[3, 4\], saved as self$", node.inner_text(), re.M)
    assert "the gradient that arrived" not in node.inner_text()
    shown.press("End")  # before it has run there are no numbers to put into the rule, or to check
    assert "✓ rule checked" in node.inner_text()
    assert "✓ agrees with differences of the forward" in node.inner_text()
    assert "= z̄·y = [1, 1]·[3, 4] = [3, 4]" in node.inner_text()
    assert "is the gradient that arrived = [1, 1]" in node.inner_text()
    node.locator(".gg-notation summary").click()
    assert "x̄ is the gradient of the loss with respect to x" in node.inner_text()
    assert re.search(r"^x\s+y in the rule · other · ", node.inner_text(), re.M)


def test_a_wrong_rule_is_seen(play):
    class Wrong(gg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * 3 * x

    x = gg.tensor([3.0, 4.0], requires_grad=True)
    shown = play(player(Wrong.apply(x).sum()))
    shown.page.locator("#gg-n1").click()
    assert "✗" not in shown.section("node").inner_text()  # it has not run
    shown.press("End")
    assert "✗ rule is wrong" in shown.section("node").inner_text()
    assert "✗ WRONG" in shown.section("node").inner_text()


def test_a_formula_lets_nothing_but_formulas_through(visit, samples):
    shown = player(samples.square())
    bad = (
        '<math><mi onclick="alert(1)" href="javascript:alert(1)">x</mi><script>alert(1)</script>'
        '<annotation-xml encoding="text/html"><img src="x" onerror="alert(1)"/></annotation-xml>'
        "</math>"
    )
    entry = {
        "words": "w",
        "formulas": [bad, "<img src=x onerror=alert(1)>"],
        "rows": [],
        "ok": None,
    }
    page = visit(type(shown)(shown.trace, shown.drawing, {"n1": entry}).html, fragment="#7")
    assert page.locator(".gg-math math").count() == 1
    assert page.locator(".gg-math :is(script, img, annotation-xml)").count() == 0
    assert page.locator(".gg-math [onclick], .gg-math [href]").count() == 0


def test_a_graph_without_a_pass_can_be_looked_at(play, samples):
    trace = samples.mlp()
    shown = play(player(Trace(trace.graph, trace.arrays, [])))
    assert shown.count == "0 / 0"
    shown.press("ArrowRight", "ArrowLeft", "End", " ", "b", "h", "r")
    assert shown.said == "Nothing was recorded: this is the graph alone."


def test_the_list_of_keys_takes_the_focus_and_gives_it_back(play, samples):
    shown = play(player(samples.square()))
    assert shown.page.locator(".gg-help").is_hidden()
    for open_by, close_by in [("?", "Escape"), ("?", "?"), ("?", "Close"), ("Keys", "Close")]:
        shown.press("?") if open_by == "?" else shown.button(open_by).click()
        assert "breakpoint on the node shown" in shown.page.locator(".gg-help").inner_text()
        assert shown.page.evaluate("document.activeElement.textContent") == "Close"
        shown.button("Close").click() if close_by == "Close" else shown.press(close_by)
        assert shown.page.locator(".gg-help").is_hidden()
        assert shown.page.evaluate("document.activeElement.className").startswith("gg-stage")


def test_the_timeline_says_that_leaves_keep_their_memory_as_the_log_does(play):
    w = gg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    w.name = "w"
    shown = play(player((w * w * (w + 1)).sum()))
    memory = shown.page.locator(".gg-memory")
    assert memory.inner_text().split("\n")[1:] == ["24 B of 24 B", "leaves keep theirs, 12 B"]
    assert "A leaf keeps its memory" in memory.get_attribute("title")
    shown.press("End")
    assert memory.inner_text().split("\n")[1] == "0 B of 24 B"
    shown.page.get_by_label("Show node").select_option("n1")
    assert re.search(r"self\s.* · leaf w · v0 · let go$", shown.section("node").inner_text(), re.M)
    log = shown.page.locator(".gg-log").inner_text()
    assert re.findall("MulBackward0 (?:frees|lets).*", log) == [
        "MulBackward0 frees what it saved, 24 B.",
        "MulBackward0 lets go of what it saved: leaf w keeps it.",
    ]


def test_bytes_that_a_pack_hook_hides_are_not_told_as_a_number(play):
    kept = []
    with gg.autograd.graph.saved_tensors_hooks(lambda x: kept.append(x), lambda _: kept[0]):
        loss = gg.tensor([1.0, 2.0], requires_grad=True).exp().sum()
    shown = play(player(loss))
    memory = shown.page.locator(".gg-memory")
    lines = [
        "Saved tensors hold",
        "at least 0 B of 0 B",
        "what hooks have packed cannot be counted",
    ]
    assert memory.inner_text().split("\n") == lines
    shown.press("End")
    assert memory.inner_text().split("\n") == ["Saved tensors hold", "0 B of 0 B"]


def test_where_only_leaves_are_saved_nothing_comes_free(play):
    w = gg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    shown = play(player((w**3).sum()))
    memory = shown.page.locator(".gg-memory")
    lines = ["Saved tensors hold", "0 B of 0 B", "leaves keep theirs, 12 B"]
    assert memory.inner_text().split("\n") == lines
    shown.press("End")
    assert memory.inner_text().split("\n") == lines
