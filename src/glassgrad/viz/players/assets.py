"""The player's script and style sheet, each as one text.

In `static/` they are several files with comments, for people to read; a page gets them without.
"""

import re
from functools import cache
from importlib import resources

from glassgrad.viz.style import CLASSES, FLOWS, style_sheet

# Each file uses only what those before it define.
MODULES = (
    *("log", "elements", "forward", "stage", "timeline", "breaks", "panels", "controls"),
    *("answers", "predict", "player"),
)
EXTRA = {"predict": ("answers", "predict"), "forward": ("forward",)}  # by what a page has
EVERY = frozenset(EXTRA)
OURS = ("function", "saved", *FLOWS)  # whose colours the player's own parts have


@cache
def script(*, extra: frozenset[str] = EVERY) -> str:
    """`static/*.js` as one ES module, which exports `mount` and asks for no other file.

    Args:
        extra: what players on the page have besides: of "predict" and "forward".
    """
    others = {name for key, names in EXTRA.items() if key not in extra for name in names}
    modules = [name for name in MODULES if name not in others]
    source = "\n".join(read(f"{name}.js") for name in modules)
    source = re.sub(r'^import \{[^}]*\} from "\./\w+\.js";$', "", source, flags=re.MULTILINE)
    # What the parts lend each other is no business of the page's; `export { mount }` stays.
    source = re.sub(r"^export (?=function|const|class)", "", source, flags=re.MULTILINE)
    source = re.sub(r"^ *//.*", "", source, flags=re.MULTILINE)
    # Inside a script element even a string that holds the end tag would end it.
    return _without_blanks(source).replace("</script", "<\\/script")


@cache
def styles(
    classes: frozenset[str] = CLASSES, *, alone: bool = False, extra: frozenset[str] = EVERY
) -> str:
    """The colours of the drawings and `static/*.css`; every rule is about `.gg`.

    Args:
        classes: which of `style.CLASSES` the drawings on the page have.
        alone: whether the page is the player's own.
        extra: what players on the page have besides: of "predict" and "forward".
    """
    own = "".join(read(f"{name}.css") for name in ("player", *sorted(extra)))
    sheet = _without_blanks(re.sub(r"/\*.*?\*/", "", own, flags=re.DOTALL))
    return f"{style_sheet(classes=classes.union(OURS), alone=alone)}\n{sheet}"


def read(name: str) -> str:
    """The text of a file in `static/`."""
    return resources.files("glassgrad.viz.players").joinpath("static", name).read_text("utf-8")


def _without_blanks(text: str) -> str:
    """The lines of a text without indentation, and no empty ones."""
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())
