"""The style sheet and the script that every page with a drawing or a player needs."""

import re

from glassgrad.viz.players import assets

START = """
for (const root of document.querySelectorAll(".gg-player:not(.gg-live)")) {
  mount(root).then(() => {
    if (root.clientWidth <= 900) foldSome(root);
    if (root.closest(".gg-front")) ask(root);
  });
}

// The lesson of the first page is under way: it has asked its first question, and takes no keys away.
function ask(root) {
  root.querySelector(".gg-answer button")?.click();
  document.activeElement.blur();
}

// One column: what is not about this pass waits folded, so that the page stays short.
function foldSome(root) {
  for (const part of root.querySelectorAll(".gg-sec-legend, .gg-sec-breaks")) part.open = false;
}
"""


def style() -> str:
    """The CSS of drawings, in both themes, with the marks of comparisons, and of players.

    Material's rem is 20 px; the player is made for one of 16.
    """
    return re.sub(r"([\d.]+)rem\b", lambda found: f"{16 * float(found[1]):g}px", assets.styles())


def script() -> str:
    """The player as a module that starts all players of a page."""
    return assets.script() + START
