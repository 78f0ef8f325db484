"""The player's script and style sheet, each as one text.

In `static/` they are several files with comments, for people to read; a page gets them without.
"""

import re
from functools import cache
from importlib import resources

from glassgrad.viz.players.tightening import tight
from glassgrad.viz.style import KINDS, style_sheet

__all__ = ["script", "slim", "styles"]

# Each file uses only what those before it define.
MODULES = ("log", "elements", "stage", "timeline", "breaks", "panels", "controls", "player")
# Heights and corners that player.css knows: of badges, of pills, of cards and stubs.
_ROUND = re.compile(r' height="15" rx="7.5"| height="14" rx="7"|(?<=") rx="(?:7|13)"(?=/)')
OURS = {"function", "saved"}  # kinds whose colours the player's own parts have


@cache
def script() -> str:
    """`static/*.js` as one ES module, which exports `mount` and asks for no other file."""
    return "\n".join(_bare(_read(f"{name}.js")) for name in MODULES)


@cache
def styles(kinds: frozenset[str] = frozenset(KINDS), *, alone: bool = False) -> str:
    """The colours of the drawings and `static/player.css`; every rule is about `.gg`.

    Args:
        kinds: which kinds of boxes there are on the page.
        alone: whether the page is the player's own.
    """
    sheet = _dense(re.sub(r"/\*.*?\*/", "", _read("player.css"), flags=re.DOTALL))
    sheet = re.sub(r" ?([{};,]|:(?= )) ?", r"\1", sheet)
    return f"{style_sheet(flow=True, kinds=kinds | OURS, alone=alone)}\n{sheet}"


def slim(svg: str) -> str:
    """A drawing of ours with shorter numbers, and without what a page's script and style sheet say.

    Text is left as it is: only what stands inside of tags is made shorter. It is HTML then, which
    needs no quotes around plain words and numbers, and no XML.

    Example:
        >>> slim('<g id="gg-e1-0"><title>e1-0</title><path class="" d="M1.0 2.5L3.0 2.0"/>1.0</g>')
        '<g id="gg-e1-0"><path d=M1,2.5l2-.5 />1.0</g>'
    """
    svg = re.sub(r"<title>([a-z]\d+(-\d+)?|n\d+  [^<]*)</title>", "", svg)
    svg = re.sub(r'( data-of="[^"]*"[^<>]*>)<title>[^<]*</title>', r"\1", svg)
    svg = svg.replace(' class=""', "").replace('class="arc grad-arc', 'class="arc')
    return re.sub(r"<(?:g|path|rect|text|circle) [^>]*>", _short_tag, svg)


def _short_tag(tag: re.Match[str]) -> str:
    text = re.sub(r"(?<=\d)\.0(?!\d)", "", tag[0])
    if text.startswith("<rect"):
        text = _ROUND.sub("", text)
    text = re.sub(r' d="(M[-\d. CLz]*)"', lambda path: f' d="{_relative(path[1])}"', text)
    text = re.sub(r'(?<= d=")[^"]*', lambda path: path[0].replace(" ", ","), text)
    text = re.sub(r' (?!id=)([a-z-]+)="([\w.,-]+)"', r" \1=\2", text)
    return re.sub(r'(?<=[^\s"])/>', " />", text)  # else the slash would belong to the word


def _relative(path: str) -> str:
    """Path data of ours with steps from point to point in place of places.

    Example:
        >>> _relative("M89 18C101 18 106.2 18 117.5 17.5")
        'M89 18c12 0 17.2 0 28.5-.5'
    """
    written, before, at, ahead = "", "", (0, 0), 0
    for command, numbers in re.findall(r"([MCLz])([-\d. ]*)", path):
        # In tenths, which is what is written: so that no step adds to the error of those before.
        values = [round(10 * float(number)) for number in numbers.split()]
        points = list(zip(values[::2], values[1::2], strict=True))
        if command == "C" and {y for _, y in points} == {at[1]}:  # level: a straight line
            at, written = points[-1], f"{written}h{_tenths(points[-1][0] - at[0], '')}"
            continue
        again = command == "L" == before
        written += "" if again else command.lower() if command != "M" else "M"
        before = command
        for number, (x, y) in enumerate(points):
            gap = " " if number or again else ""
            written += _tenths(x - at[0], gap) + _tenths(y - at[1], " ")
            ahead = (ahead + 1) % 3 if command == "C" else 0
            at = (x, y) if not ahead else at
    return written


def _tenths(number: int, gap: str) -> str:
    """A number of tenths, after a gap if it needs one: a minus is gap enough."""
    whole, rest = divmod(abs(number), 10)
    text = f"{whole}.{rest}" if rest and whole else f".{rest}" if rest else f"{whole}"
    return f"-{text}" if number < 0 else f"{gap}{text}"


def _bare(source: str) -> str:
    """A module without imports from its siblings, without comments and indentation."""
    source = re.sub(r'^import \{[^}]*\} from "\./\w+\.js";$', "", source, flags=re.MULTILINE)
    # What the parts lend each other is no business of the page's; `export {mount}` stays.
    source = re.sub(r"^export (?=function|const|class)", "", source, flags=re.MULTILINE)
    # Inside a script element even a string that holds the end tag would end it.
    return tight(source).replace("</script", "<\\/script")


def _dense(text: str) -> str:
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def _read(name: str) -> str:
    return resources.files("glassgrad.viz.players").joinpath("static", name).read_text("utf-8")
