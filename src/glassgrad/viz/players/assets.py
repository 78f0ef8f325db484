"""The player's script and style sheet, each as one text.

In `static/` they are several files with comments, for people to read; a page gets them without.
"""

import re
from functools import cache
from importlib import resources

from glassgrad.viz.style import CLASSES, FLOWS, style_sheet

# Each file uses only what those before it define.
MODULES = (
    *("log", "held", "elements", "forward", "stage", "view"),
    *("about", "modes", "search", "timeline", "breaks", "panels", "headline"),
    *("inside", "eventlog", "card", "keys", "controls"),
    *("answers", "predict", "page", "player"),
)
# By what a page has.
EXTRA = {"predict": ("answers", "predict"), "forward": ("forward",), "again": ("inside",)}
EVERY = frozenset(EXTRA)
OURS = ("function", "saved", *FLOWS)  # whose colours the player's own parts have


@cache
def script(*, extra: frozenset[str] = EVERY) -> str:
    """`static/*.js` as one ES module, which exports `mount` and asks for no other file.

    Args:
        extra: what players on the page have besides: of `EXTRA`.
    """
    others = {name for key, names in EXTRA.items() if key not in extra for name in names}
    modules = [name for name in MODULES if name not in others]
    source = "\n".join(read(f"{name}.js") for name in modules)
    source = re.sub(r'^import \{[^}]*\} from "\./\w+\.js";$', "", source, flags=re.MULTILINE)
    # What the parts lend each other is no business of the page's; `export { mount }` stays.
    source = re.sub(r"^export (?=function|const|class)", "", source, flags=re.MULTILINE)
    source, ours, _ = source.partition("export { mount };")
    # Inside a script element even a string that holds the end tag would end it.
    return f"{_tight(source)}\n{ours}".replace("</script", "<\\/script")


def styles() -> str:
    """The colours of the drawings and `static/player.css`; every rule is about `.gg`."""
    return f"{colours()}\n{sheet()}"


@cache
def colours(classes: frozenset[str] = CLASSES, *, alone: bool = False) -> str:
    """The colours of the drawings.

    Args:
        classes: which of `style.CLASSES` the drawings on the page have.
        alone: whether the page is the player's own.
    """
    return style_sheet(classes=classes.union(OURS), alone=alone)


@cache
def sheet(*, extra: frozenset[str] = EVERY) -> str:
    """`static/player.css`, how a player looks, and what others of its parts look like.

    Args:
        extra: what players on the page have besides: of `EXTRA`.
    """
    text = "".join(read(f"{name}.css") for name in ("player", *sorted(extra)))
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(r"\s*([{};,])\s*", r"\1", text.strip())
    return text.replace(": ", ":").replace(";}", "}")


def read(name: str) -> str:
    """The text of a file in `static/`."""
    return resources.files("glassgrad.viz.players").joinpath("static", name).read_text("utf-8")


# Comments; strings, templates and patterns, which stay as they are; blanks. A division has blanks.
_TOKEN = re.compile(r"""//.*|"(?:[^"\\]|\\.)*"|`[^`]*`|/(?![ /=])(?:[^/\\]|\\.)+/|\s+""")


def _tight(text: str) -> str:
    """A script without comments and without blanks that part nothing.

    Example:
        >>> _tight('const at = a + b;  let name = "a  b"; // a comment')
        'const at=a+b;let name="a  b";'
    """
    text = _TOKEN.sub(lambda found: "" if found[0].startswith("//") else found[0], text)
    return _TOKEN.sub(_blank, text).strip()


def _blank(found: re.Match[str]) -> str:
    """A blank if it parts two words or signs, the end of a line if that may end a statement."""
    if not found[0].isspace():
        return found[0]
    before, after = found.string[: found.start()][-1:], found.string[found.end() :][:1]
    if "\n" in found[0]:
        return "" if before in "{;,([" or after in ")]}" else "\n"
    is_word = re.match(r"[\w$]", before) and re.match(r"[\w$]", after)
    return " " if is_word or before == after else ""
