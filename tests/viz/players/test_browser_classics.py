"""Ten classic programs, played from one end to the other in the browser, of both libraries."""

import pytest
import torch

import glassgrad as gg
from glassgrad.tracing.torch import record as record_theirs
from glassgrad.viz import player
from tracing.classics import CLASSICS


def programs(always):
    """All of them, of which one is always played and the others are `slow`."""
    return [
        pytest.param(
            each, id=each.__name__, marks=() if each.__name__ == always else pytest.mark.slow
        )
        for each in CLASSICS
    ]


# Each event, then each node, then back to the beginning, with heat on the way back.
WALK = """
() => {
  const scrub = document.querySelector(".gg-scrub");
  const go = (step) => { scrub.value = step; scrub.dispatchEvent(new Event("input")); };
  for (let step = 0; step <= Number(scrub.max); step++) go(step);
  const picker = document.querySelector(".gg-picker");
  for (const { value } of [...picker.options]) {
    picker.value = value;
    picker.dispatchEvent(new Event("change"));
  }
  document.querySelector(".gg-hotbox").click();
  for (let step = Number(scrub.max); step >= 0; step--) go(step);
}
"""


@pytest.mark.parametrize("program", programs("double_backward"))
def test_it_can_be_played(program, play):
    ours = player(program(gg)[1])
    shown = play(ours)
    shown.press("End")
    assert shown.page.locator(".gg-stage .vertex.function.pending").count() == 0
    shown.page.evaluate(WALK)
    assert shown.count == f"0 / {len(ours.trace.events)}"
    assert shown.page.locator(".gg-stage .vertex.done").count() == 0


@pytest.mark.parametrize("program", programs("in_place_on_a_view"))
def test_it_can_be_played_as_pytorch_ran_it(program, play):
    theirs = player(record_theirs(program(torch)[1]))
    shown = play(theirs)
    shown.page.evaluate(WALK)
    assert shown.count == f"0 / {len(theirs.trace.events)}"
