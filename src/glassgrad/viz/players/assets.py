"""The player's script and style sheet, each as one text.

In `static/` they are several files with comments, for people to read; a page gets them without.
"""

import re
from functools import cache
from importlib import resources

from glassgrad.viz.style import KINDS
from glassgrad.viz.svg.sheet import style_sheet

__all__ = ["script", "slim", "styles"]

# Each file uses only what those before it define.
MODULES = ("log", "elements", "stage", "timeline", "breaks", "panels", "controls", "player")
OURS = {"function", "saved"}  # kinds whose colours the player's own parts have


@cache
def script() -> str:
    """`static/*.js` as one ES module, which exports `mount` and asks for no other file."""
    return "\n".join(_bare(_read(f"{name}.js")) for name in MODULES)


@cache
def styles(kinds: frozenset[str] = frozenset(KINDS)) -> str:
    """The colours of the drawings and `static/player.css`; every rule is about `.gg`.

    Args:
        kinds: which kinds of boxes there are on the page.
    """
    sheet = _dense(re.sub(r"/\*.*?\*/", "", _read("player.css"), flags=re.DOTALL))
    sheet = re.sub(r" ?([{};,]|:(?= )) ?", r"\1", sheet)
    return f"{style_sheet(flow=True, kinds=kinds | OURS)}\n{sheet}"


def slim(svg: str) -> str:
    """A drawing of ours with shorter numbers, and without the tips that the script puts there.

    Text is left as it is: only what stands inside of tags is made shorter.

    Example:
        >>> slim('<g id="gg-e1-0"><title>e1-0</title><path class="" d="M1.0 2.5"/>1.0</g>')
        '<g id="gg-e1-0"><path d="M1 2.5"/>1.0</g>'
    """
    svg = re.sub(r"<title>([a-z]\d+(-\d+)?|n\d+  [^<]*)</title>", "", svg)
    svg = svg.replace(' class=""', "")
    return re.sub(r"<(?:g|path|rect|text|circle) [^>]*>", _short_numbers, svg)


def _short_numbers(tag: re.Match[str]) -> str:
    return re.sub(r"(?<=\d)\.0(?!\d)", "", tag[0])


def _bare(source: str) -> str:
    """A module without imports from its siblings, without comments and indentation."""
    source = re.sub(r'^import \{[^}]*\} from "\./\w+\.js";$', "", source, flags=re.MULTILINE)
    # What the parts lend each other is no business of the page's; `export { mount }` stays.
    source = re.sub(r"^export (?=function|const|class)", "", source, flags=re.MULTILINE)
    source = re.sub(r"^\s*//.*$", "", source, flags=re.MULTILINE)
    # Inside a script element even a string that holds the end tag would end it.
    return _dense(source).replace("</script", "<\\/script")


def _dense(text: str) -> str:
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def _read(name: str) -> str:
    return resources.files("glassgrad.viz.players").joinpath("static", name).read_text("utf-8")
