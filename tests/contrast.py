"""Whether what a page shows can be told apart: colours of texts and borders, and their contrast."""

__all__ = ["PAIRS", "ratio", "too_like"]

# For each element with text of its own: its colour, and the colour of what lies behind it; and for
# each that one can press or fill in, its border and what lies behind that.
PAIRS = """
() => {
  const seen = (each) => each.checkVisibility({ visibilityProperty: true });
  const ground = (each) => {
    for (let at = each; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (colour !== "rgba(0, 0, 0, 0)") return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const texts = [], borders = [];
  for (const each of document.querySelectorAll(".gg-player *:not(svg *, script, template *)")) {
    if (!seen(each) || each.closest("option")) continue;
    const look = getComputedStyle(each);
    const has = [...each.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
    const name = `${each.localName}.${each.className} ${each.textContent.slice(0, 20)}`;
    if (has) texts.push([look.color, ground(each), name]);
    if (each.matches("button, select, input[type=number]") && parseFloat(look.borderTopWidth)) {
      borders.push([look.borderTopColor, ground(each.parentElement), name]);
    }
  }
  return { texts, borders };
}
"""


def luminance(colour):
    channels = [int(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def ratio(first, second):
    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def too_like(pairs, least):
    """The names of those whose colours can hardly be told apart."""
    found = [(name, round(ratio(first, second), 2)) for first, second, name in pairs]
    return [(name, contrast) for name, contrast in found if contrast < least]
