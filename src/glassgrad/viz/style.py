"""What each kind of thing looks like: shape, border, badge and colours, in both themes.

No kind is told from another by colour alone. The colours are CSS variables (`--gg-leaf-fill`), so
one SVG serves light and dark; each also stands in the drawing as a plain attribute, for programs
that know no CSS variables. A test computes the contrast of every pair that touches, as it is and as
eyes without red, green or blue cones see it.
"""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Theme = Literal["light", "dark", "auto"]

SANS = "Inter, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif"
MONO = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace"

TITLE_SIZE = 13.0
ROW_SIZE = 11.0
BADGE_SIZE = 10.0

# Colours of the page, by role.
THEMES: dict[str, dict[str, str]] = {
    "light": {
        "canvas": "#FFFFFF",
        "panel": "#F6F8FA",
        "text": "#1F2328",
        "muted": "#4B5563",
        "line": "#6E7781",
        "rule": "#D0D7DE",
        "accent": "#0757BA",
        "on-accent": "#FFFFFF",
        "done": "#187A34",
        "bad": "#C02D0E",
    },
    "dark": {
        "canvas": "#0D1117",
        "panel": "#161B22",
        "text": "#E6EDF3",
        "muted": "#B1BAC4",
        "line": "#8B949E",
        "rule": "#30363D",
        "accent": "#79B8FF",
        "on-accent": "#04182F",
        "done": "#4AC26B",
        "bad": "#FF7B72",
    },
}


# Shades of an arrow by how much gradient goes along it, from little to much: stretches of the
# cividis ramp, which reads the same in every kind of colour vision, that stand out on the canvas.
FLOW: dict[str, tuple[str, ...]] = {
    "light": ("#948E77", "#7D7C78", "#666970", "#4C556C", "#35456C", "#00224E"),
    "dark": ("#666970", "#7D7C78", "#948E77", "#ADA372", "#C8B866", "#FEE838"),
}

NAN_DASH = "7 3"  # of an arrow along which a nan went: red alone would be one more shade


def flow_width(step: int) -> float:
    """The width in px of an arrow of a step of the ramp.

    Example:
        >>> flow_width(0), flow_width(5)
        (1.2, 6.2)
    """
    return 1.2 + step


Shades = dict[str, str]  # a colour by theme


def _pair(light: str, dark: str) -> Shades:
    return {"light": light, "dark": dark}


@dataclass(frozen=True, slots=True)
class Paint:
    """The colours of a box.

    Args:
        fill, border: by theme.
        ink: of the badge, where the border's colour is too light for text on it.
    """

    fill: Shades
    border: Shades
    ink: Shades | None = None


_PLAIN = Paint(_pair("#EEF1F5", "#21262D"), _pair("#57606A", "#9198A1"))
_LEAF = Paint(_pair("#CFE8FA", "#0B3A57"), _pair("#0072B2", "#56B4E9"))
_OUTPUT = Paint(
    _pair("#FBE3CC", "#4A2A12"),
    # Darker than the usual vermilion: without green cones that one is 2.8 : 1 on this fill.
    _pair("#C85700", "#F0A04B"),
    _pair("#B34E00", "#F0A04B"),
)
_SAVED = Paint(
    _pair("#FFF3C4", "#3D3200"),
    # One shade darker than the usual amber: that one is 2.9 : 1 on this fill.
    _pair("#A67C00", "#E3C04B"),
    _pair("#8A6700", "#E3C04B"),
)
_VIEW = Paint(_pair("#E6E0F3", "#2E2440"), _pair("#7A5195", "#B79CE0"))
_EMPTY = _pair("#FFFFFF", "#0D1117")
_NONE = Paint(_EMPTY, _pair("#6E7781", "#8B949E"), _PLAIN.border)
_ERROR = Paint(_EMPTY, _pair("#C02D0E", "#FF7B72"))


@dataclass(frozen=True, slots=True)
class Kind:
    """How one kind of vertex is drawn.

    Args:
        name: as in the SVG's classes.
        label: as in the legend.
        shape: "card", "round", "note" (folded corner), "slant" (a parallelogram), "pill", "dot",
            "stack" (of cards) or "bar" (of an overview).
        paint: its colours.
        width: of the border, in px.
        dash: of the border; empty for a solid one.
        doubled: whether the left border is drawn twice.
        sign: what the legend's swatch has, where the outline alone is that of another kind.
    """

    name: str
    label: str
    shape: str
    paint: Paint = _PLAIN
    width: float = 1.25
    dash: str = ""
    doubled: bool = False
    sign: str = ""

    def badge(self, theme: str) -> str:
        """The colour of the badge."""
        return (self.paint.ink or self.paint.border)[theme]


_KINDS = (
    Kind("output", "OUT: backward starts here", "card", _OUTPUT, 2.0),
    Kind("function", "backward node", "card"),
    Kind("user", "your own Function", "card", sign="ƒ"),
    Kind("accumulate", "adds into .grad", "card", doubled=True, sign="Σ"),
    Kind("leaf", "LEAF: gets a .grad", "card", _LEAF, 2.0),
    Kind("stub", "one use of a leaf", "pill", _LEAF, dash="4 2"),
    Kind("saved", "saved for backward", "note", _SAVED, dash="4 3"),
    Kind("view", "made a view", "slant", _VIEW, 1.5),
    Kind("none", "input without gradient", "dot", _NONE, sign="∅"),
    Kind("fold", "several nodes as one", "stack", sign="…"),
    Kind("gate", "outside of the fold", "pill", dash="2 3"),
    Kind("forward", "forward op", "round", width=1.5),
    Kind("bar", "part of the tape", "bar", width=1.0),
    Kind("heat", "gradient", "bar", width=0.0),
    Kind("error", "the pass ended here", "note", _ERROR, 3.0),
)
KINDS: dict[str, Kind] = {kind.name: kind for kind in _KINDS}


@dataclass(frozen=True, slots=True)
class Tie:
    """How a line without arrowhead is drawn.

    Args:
        label: as in the legend.
        dash: its strokes and gaps, in px.
        width: in px.
        role: whose colour of `THEMES` it has.
    """

    label: str
    dash: str
    width: float = 1.0
    role: str = "line"


TIES: dict[str, Tie] = {
    "saved": Tie("to what a node saved", "3 3"),
    "view": Tie("from a view to its base", "0.1 4", 2.2),
    "origin": Tie("to the node whose rule made it", "9 4"),
    "error": Tie("to what went wrong", "3 3", 1.5, "bad"),
}


@dataclass(frozen=True, slots=True)
class Mark:
    """How a comparison marks what is not in both.

    Args:
        label: as in the legend.
        colour: by theme.
        dash: of the border; empty for a solid one.
    """

    label: str
    colour: Shades
    dash: str = ""

    def looks(self, theme: str) -> dict[str, str]:
        """The border."""
        dash = {"stroke_dasharray": self.dash} if self.dash else {}
        return {"stroke": self.colour[theme], "stroke_width": "3", **dash}


MARKS: dict[str, Mark] = {
    "only-a": Mark("only in a", _pair("#0757BA", "#79B8FF")),
    "only-b": Mark("only in b", _pair("#7A4B00", "#F0A04B"), "9 4"),
    "differs": Mark("differs", _pair("#C02D0E", "#FF7B72"), "2 3"),
}


def border_looks(kind: Kind, theme: str, *, bad: bool = False, mark: str = "") -> dict[str, str]:
    """The border of a box, as attributes."""
    if mark:
        return MARKS[mark].looks(theme)
    colour = THEMES[theme]["bad"] if bad else kind.paint.border[theme]
    looks = {"stroke": colour, "stroke_width": f"{3 if bad else kind.width:g}"}
    return looks | ({"stroke_dasharray": kind.dash} if kind.dash else {})


def arrow_looks(flow: str, theme: str, *, bad: bool = False, mark: str = "") -> dict[str, str]:
    """Colour, width and dashes of an arrow (`Arc.flow`, `.bad`, `.mark`).

    Example:
        >>> arrow_looks("", "light")
        {'stroke': '#6E7781', 'stroke_width': '1.5'}
    """
    if flow == "nan" or bad:
        dash = {"stroke_dasharray": NAN_DASH} if flow == "nan" else {}
        return {"stroke": THEMES[theme]["bad"], "stroke_width": "3", **dash}
    if mark:
        return MARKS[mark].looks(theme)
    if flow.isdigit():
        return {"stroke": FLOW[theme][int(flow)], "stroke_width": f"{flow_width(int(flow)):g}"}
    looks = {"stroke": THEMES[theme]["line"], "stroke_width": "1.5"}
    return looks | ({"stroke_dasharray": "1.5 4"} if flow == "zero" else {})


def tie_looks(kind: str, theme: str, *, bad: bool = False) -> dict[str, str]:
    """A tie, as attributes: dashes and gaps tell the kinds apart."""
    tie = TIES[kind]
    colour = THEMES[theme]["bad" if bad else tie.role]
    looks = {"stroke": colour, "stroke_dasharray": tie.dash}
    width = 3.0 if bad else tie.width
    looks |= {"stroke_width": f"{width:g}"} if width != 1.0 else {}
    return looks | ({"stroke_linecap": "round"} if kind == "view" else {})


# --- as a style sheet ---------------------------------------------------------------------------


def css_variables(
    theme: Literal["light", "dark"],
    *,
    flow: bool = False,
    marks: bool = False,
    kinds: Iterable[str] = KINDS,
) -> str:
    """All colours of a theme as CSS declarations.

    Args:
        theme: "light" or "dark".
        flow: with those of arrows that show how much gradient goes along them.
        marks: with those of a comparison.
        kinds: of which kinds of boxes.

    Example:
        >>> css_variables("light").split(";")[0]
        '--gg-canvas:#FFFFFF'
    """
    colours = [(role, value) for role, value in THEMES[theme].items()]
    for kind in (KINDS[name] for name in kinds):
        colours.append((f"{kind.name}-fill", kind.paint.fill[theme]))
        colours.append((f"{kind.name}-border", kind.paint.border[theme]))
        colours.append((f"{kind.name}-badge", kind.badge(theme)))
    if flow:
        colours += [(f"flow-{step}", value) for step, value in enumerate(FLOW[theme])]
    if marks:
        colours += [(name, mark.colour[theme]) for name, mark in MARKS.items()]
    return ";".join(f"--gg-{role}:{value}" for role, value in colours)


def style_sheet(
    theme: Theme = "auto",
    *,
    flow: bool = False,
    marks: bool = False,
    kinds: Iterable[str] = KINDS,
    alone: bool = False,
) -> str:
    """The CSS of every drawing on a page.

    Args:
        theme: "light", "dark", or "auto": as the reader's system or the page around it has it.
        flow: with the colours of arrows that show how much gradient goes along them.
        marks: with those of a comparison.
        kinds: of which kinds of boxes.
        alone: for a page of its own, around which there is none with a switch.
    """
    # Note [Colours for every program]
    # resvg and others take `fill:var(…)` for an unknown colour and paint black, over the colours
    # that stand as attributes. They skip `@supports`, and so see the attributes alone.
    used = [name for name in KINDS if name in set(kinds)]
    light, dark = (
        css_variables(shade, flow=flow, marks=marks, kinds=used) for shade in ("light", "dark")
    )
    rules = [
        *_kind_rules(used),
        *_part_rules(),
        *(_flow_rules() if flow else []),
        *(_mark_rules() if marks else []),
    ]
    return "\n".join(
        [*_theme_rules(theme, light, dark, alone), "@supports (fill:var(--gg)){", *rules, "}"]
    )


def _theme_rules(theme: Theme, light: str, dark: str, alone: bool) -> list[str]:
    if theme != "auto":
        return [f".gg{{{light if theme == 'light' else dark}}}"]
    if alone:
        return [f".gg{{{light}}}", f"@media (prefers-color-scheme:dark){{.gg{{{dark}}}}}"]
    return [
        # A page may have a switch of its own; Material for MkDocs writes its state here.
        f".gg,[data-md-color-scheme=default] .gg{{{light}}}",
        f"@media (prefers-color-scheme:dark){{.gg{{{dark}}}}}",
        f"[data-md-color-scheme=slate] .gg{{{dark}}}",
    ]


def _kind_rules(names: list[str]) -> list[str]:
    rules = []
    for name in names:
        kind = KINDS[name]
        border = f"stroke:var(--gg-{name}-border);stroke-width:{kind.width:g}"
        dash = f";stroke-dasharray:{kind.dash}" if kind.dash else ""
        rules.append(f".gg .{name}>.box{{fill:var(--gg-{name}-fill);{border}{dash}}}")
        rules.append(f".gg .{name}>.badge{{fill:var(--gg-{name}-badge)}}")
    return rules


def _mark_rules() -> list[str]:
    """What a comparison marks, and how wide and how dashed it is."""
    rules = []
    for name, mark in MARKS.items():
        line = f"stroke:var(--gg-{name});stroke-width:3;stroke-dasharray:{mark.dash or 'none'}"
        rules.append(f".gg .{name}>.box,.gg .{name}>.line{{{line}}}")
        rules.append(f".gg .{name}>.badge,.gg .{name}>.tip{{fill:var(--gg-{name})}}")
    return rules


def _flow_rules() -> list[str]:
    """Arrows by how much gradient goes along them."""
    rules = []
    for step, _ in enumerate(FLOW["light"]):
        line = f"stroke:var(--gg-flow-{step});stroke-width:{flow_width(step):g}"
        rules.append(f".gg .flow-{step}>.line{{{line}}}")
        rules.append(f".gg .flow-{step}>.tip,.gg .flow-{step}>.box{{fill:var(--gg-flow-{step})}}")
    rules.append(".gg .flow-zero>.line{stroke-dasharray:1.5 4}")
    dashes = f"stroke-width:3;stroke-dasharray:{NAN_DASH}"
    rules.append(f".gg .flow-nan>.line{{stroke:var(--gg-bad);{dashes}}}")
    rules.append(".gg .flow-nan>.tip,.gg .flow-nan>.box{fill:var(--gg-bad)}")
    return rules


def _part_rules() -> list[str]:
    return [
        f".gg text{{font-family:{SANS}}}",
        f".gg .title{{font-size:{TITLE_SIZE:g}px;font-weight:600;fill:var(--gg-text)}}",
        ".gg .title>tspan{font-weight:400;fill:var(--gg-muted)}",
        f".gg .key{{font-size:{ROW_SIZE:g}px;fill:var(--gg-muted)}}",
        f".gg .value{{font-family:{MONO};font-size:{ROW_SIZE:g}px;fill:var(--gg-text)}}",
        f".gg .badge-text{{font-size:{BADGE_SIZE:g}px;font-weight:600;text-anchor:middle}}",
        ".gg .badge-text{fill:var(--gg-canvas)}",
        ".gg .label{font-size:10px;text-anchor:middle;fill:var(--gg-muted)}",
        ".gg .label{stroke:var(--gg-canvas);stroke-width:4;stroke-linejoin:round}",
        ".gg .label{paint-order:stroke}",
        ".gg .caption{font-size:11px;text-anchor:start}",
        ".gg .line{fill:none;stroke:var(--gg-line);stroke-width:1.5}",
        ".gg .tie{fill:none;stroke:var(--gg-line);stroke-dasharray:3 3}",
        ".gg .view-arc>.tie{stroke-width:2.2;stroke-dasharray:.1 4;stroke-linecap:round}",
        ".gg .origin-arc>.tie{stroke-dasharray:9 4}",
        ".gg .error-arc>.tie{stroke:var(--gg-bad);stroke-width:1.5}",
        ".gg .tip{fill:var(--gg-line)}",
        ".gg .frame{fill:none;stroke:var(--gg-line);stroke-width:.75}",
        ".gg .hook>rect{fill:var(--gg-canvas);stroke:var(--gg-muted)}",
        ".gg .kept>rect{fill:var(--gg-saved-fill);stroke:var(--gg-saved-border)}",
        ".gg .hook>text,.gg .kept>text{font-size:9px;font-weight:600;text-anchor:middle}",
        ".gg .hook>text,.gg .kept>text{fill:var(--gg-muted)}",
        ".gg .strike{stroke:var(--gg-text);stroke-width:1.5}",
        ".gg .ring{fill:none}",
        ".gg .heading{fill:var(--gg-text)}",
        ".gg .note{fill:var(--gg-muted)}",
        ".gg .ground{fill:var(--gg-canvas)}",
        ".gg .none>.key{text-anchor:middle}",
        ".gg .bad>.box,.gg .bad>.line,.gg .bad>.tie{stroke:var(--gg-bad);stroke-width:3}",
        ".gg .bad>.tip{fill:var(--gg-bad)}",
        ".gg .bad>.badge{fill:var(--gg-bad)}",
    ]


# --- text --------------------------------------------------------------------------------------


class _Advances(dict[str, int]):
    """Advance widths of a grotesque (Helvetica's, in thousandths of the size), by character.

    The layout has to know how wide a title is before there is a browser to ask.
    """

    def __missing__(self, character: str) -> int:
        width = 1000 if _is_wide(character) else 620
        self[character] = width
        return width


_ADVANCES = _Advances({"\ufffd": 1030})  # what stands for a character that cannot be shown
for _width, _characters in {
    222: "ijl'|",
    278: " .,:;!/\\[]Itf",
    333: "r()-{}`",
    400: '*"^',
    500: "cksvxyzJ",
    556: "abdeghnopqu0123456789$?_L#",
    600: "FTZ+<>=~",
    667: "ABEKPSVXY&",
    722: "CDHNRUw",
    778: "GOQ",
    833: "mM",
    944: "W%@",
}.items():
    _ADVANCES |= dict.fromkeys(_characters, _width)
_ROOM = 1.08  # other fonts of the stack run up to 8 % wider
_BOLD = 1.06


def text_width(text: str, size: float, *, bold: bool = False, mono: bool = False) -> float:
    """About how many px `text` takes at `size` px.

    Example:
        >>> round(text_width("MulBackward0", 13, bold=True))
        98
    """
    if mono:
        cells = len(text) + (0 if text.isascii() else sum(map(_is_wide, text)))
        return cells * 0.605 * size
    thousandths = sum(map(_ADVANCES.__getitem__, text))
    return thousandths / 1000 * size * _ROOM * (_BOLD if bold else 1.0)


def _is_wide(character: str) -> bool:
    return character > "ᄀ" and unicodedata.east_asian_width(character) in "WF"
