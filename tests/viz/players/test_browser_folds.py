"""What is in a folded box."""

from glassgrad.viz import player
from glassgrad.viz.players import html


def opened(play, trace, **options):
    shown = play(player(trace), **options)
    shown.page.locator(".gg-stage .fold > .title").first.click()
    return shown


def test_a_click_on_a_folded_box_draws_what_is_in_it(play, samples):
    shown = opened(play, samples.rnn(200))
    card = shown.page.locator(".gg-fold")
    assert "nodes in this box" in card.inner_text()
    assert card.locator("svg .vertex.function").count() > 2


def test_what_is_in_it_goes_along_with_the_pass(play, samples):
    shown = opened(play, samples.rnn(200))
    current = ".gg-fold .vertex.current"
    assert shown.page.locator(current).count() == 0
    seen = set()
    for _ in range(30):
        shown.press("ArrowRight")
        if shown.page.locator(current).count():
            seen.add(shown.page.locator(current).get_attribute("id"))
    assert len(seen) >= 2
    assert shown.page.locator(".gg-fold .vertex.done").count() >= 2
    assert shown.page.locator(".gg-fold .arc.done").count() >= 2


def test_a_node_in_it_can_be_chosen(play, samples):
    shown = opened(play, samples.rnn(200))
    shown.page.locator(".gg-fold .vertex.function > .title").first.click()
    assert "Chosen node" in shown.section("node").inner_text()
    assert shown.page.locator(".gg-fold .vertex.chosen").count() == 1


def test_it_is_shut_by_its_button_and_by_a_second_click(play, samples):
    shown = opened(play, samples.rnn(200))
    shown.button("Close").first.click()
    assert shown.page.locator(".gg-fold").count() == 0
    fold = shown.page.locator(".gg-stage .fold > .title").first
    fold.click()
    assert shown.page.locator(".gg-fold").count() == 1
    fold.click()
    assert shown.page.locator(".gg-fold").count() == 0
    fold.click()
    shown.press("Escape")
    assert shown.page.locator(".gg-fold").count() == 0


def test_of_a_box_that_is_too_large_the_nodes_are_listed(play, samples, monkeypatch):
    monkeypatch.setattr(html, "MOST_NODES", 10)
    monkeypatch.setattr(html, "MOST_MEMBERS", 12)
    shown = opened(play, samples.rnn(200))
    names = shown.page.locator(".gg-members button")
    assert names.count() == 12
    assert "and 4 more" in shown.page.locator(".gg-members").inner_text()
    names.first.click()
    assert "Chosen node" in shown.section("node").inner_text()


def test_the_controls_stay_in_sight(play, samples):
    shown = opened(play, samples.rnn(200))
    box = shown.page.locator(".gg-bar").bounding_box()
    assert box["y"] + box["height"] <= 900
