"""The forward pass in the browser: boxes fill from left to right, then the gradients come back."""

import glassgrad as gg

NODE_BY_NODE = """() => {
    const grain = document.querySelector(".gg-grain");
    grain.value = "node";
    grain.dispatchEvent(new Event("change"));
}"""


def test_values_come_first_and_then_the_gradients(play):
    w, b = gg.tensor(0.5, requires_grad=True), gg.tensor(0.1, requires_grad=True)
    w.name, b.name = "w", "b"
    loss = (gg.tanh(w * gg.tensor(2.0) + b) - 1) ** 2
    loss.name = "loss"
    shown = play(gg.player(loss, forward=True), fragment="#3")
    assert shown.at == 3  # the address counts these steps, too
    assert shown.said.endswith(" gave 0.8.")
    states = [shown.classes(box) & {"pending", "current", "done"} for box in ("o3", "o4", "o5")]
    assert states == [{"done"}, {"current"}, {"pending"}]
    assert "unmade" in shown.classes("t2")

    # What is to come is not told: neither the loss, nor what is saved for later.
    visible = """each => getComputedStyle(each).visibility !== "hidden" """
    values = shown.page.locator("#gg-o5 .value, #gg-o6 .value, #gg-t2 .value")
    assert not any(values.evaluate_all(f"all => all.map({visible})"))
    assert "not computed yet" in shown.section("tensors").inner_text()
    assert shown.page.locator(".gg-memory strong").inner_text() == "8 B of 12 B"
    assert "done" not in shown.classes("r2")

    shown.press("ArrowRight", "ArrowRight", "ArrowRight")
    assert shown.said == "The forward pass is over. Now the gradients come back, from loss."
    assert "current" in shown.classes("t2")
    assert shown.page.locator(".vertex.forward.done").count() == 5
    shown.press("End")
    assert shown.at == 32
    assert shown.page.locator(".vertex.function.done, .vertex.accumulate.done").count() >= 6

    # Node by node: each op is a step, and so is the turn.
    shown.page.evaluate(NODE_BY_NODE)
    shown.press("Home")
    seen = shown.walk("ArrowRight", 7, "() => Number(document.querySelector('.gg-scrub').value)")
    assert seen[:7] == [0, 1, 2, 3, 4, 5, 6]
    assert seen[7] > 7
    shown.press("Home")
    assert shown.page.locator(".vertex.forward.pending").count() == 5


def test_it_may_be_watched_before_the_questions(play):
    x = gg.tensor(2.0, requires_grad=True)
    x.name = "x"
    shown = play(gg.player(x.exp().sin(), predict=True, forward=True))
    shown.press("ArrowRight")
    assert shown.said.endswith(" gave 7.39.")
    shown.press("End")
    assert "SinBackward0 got 1." in shown.page.locator(".gg-predict").inner_text()
    assert shown.page.locator(".vertex.forward.done").count() == 2
