"""What is in a folded box."""

import pytest

from glassgrad.viz import player
from glassgrad.viz.players import html


@pytest.fixture(scope="module")
def long(samples):
    """The player of a pass that is so long that parts of it are folded."""
    return player(samples.rnn(200))


def opened(play, folded):
    shown = play(folded)
    shown.page.locator(".gg-stage .fold > .title").first.click()
    return shown


def test_a_click_on_a_folded_box_draws_what_is_in_it_which_goes_along_with_the_pass(play, long):
    shown = opened(play, long)
    card = shown.page.locator(".gg-fold")
    assert "nodes in this box" in card.inner_text()
    assert card.locator("svg .vertex.function").count() > 2
    box = shown.page.locator(".gg-bar").bounding_box()  # the controls stay in sight
    assert box["y"] + box["height"] <= 900
    current = """() => [...document.querySelectorAll(".gg-fold .vertex.current")].map(e => e.id)"""
    seen = shown.walk("ArrowRight", 30, current)
    assert seen[0] == []
    assert len({ids[0] for ids in seen if ids}) >= 2
    assert shown.page.locator(".gg-fold .vertex.done").count() >= 2
    assert shown.page.locator(".gg-fold .arc.done").count() >= 2


def test_a_node_in_it_can_be_chosen_and_it_is_shut_by_its_button_and_by_a_second_click(play, long):
    shown = opened(play, long)
    shown.page.locator(".gg-fold .vertex.function > .title").first.click()
    assert "Chosen node" in shown.section("node").inner_text()
    assert shown.page.locator(".gg-fold .vertex.chosen").count() == 1
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
    shown = opened(play, player(samples.rnn(200)))
    names = shown.page.locator(".gg-members button")
    assert names.count() == 12
    assert "and 4 more" in shown.page.locator(".gg-members").inner_text()
    names.first.click()
    assert "Chosen node" in shown.section("node").inner_text()
