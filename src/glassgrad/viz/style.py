"""What each kind of thing looks like: shape, border, badge and colours, in both themes.

No kind is told from another by colour alone. Looks are said once, as rules of CSS (`LOOKS`). In a
style sheet their colours are variables (`--gg-leaf-fill`), so one SVG serves light and dark; the
same looks stand in the drawing as plain attributes, for programs that know no CSS variables, and
in DOT. A test computes the contrast of every pair that touches, as it is and as eyes without red,
green or blue cones see it.
"""

import unicodedata
from collections.abc import Collection, Iterable
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
        word: how the badge begins.
    """

    name: str
    label: str
    shape: str
    paint: Paint = _PLAIN
    width: float = 1.25
    dash: str = ""
    doubled: bool = False
    sign: str = ""
    word: str = ""

    def badge(self, theme: str) -> str:
        """The colour of the badge."""
        return (self.paint.ink or self.paint.border)[theme]


_KINDS = (
    Kind("output", "OUT: backward starts here", "card", _OUTPUT, 2.0, word="OUT"),
    Kind("function", "backward node", "card"),
    Kind("user", "your own Function", "card", sign="ƒ", word="ƒ"),
    Kind("accumulate", "adds into .grad", "card", doubled=True, sign="Σ", word="Σ"),
    Kind("leaf", "LEAF: gets a .grad", "card", _LEAF, 2.0, word="LEAF"),
    Kind("stub", "one use of a leaf", "pill", _LEAF, dash="4 2"),
    Kind("saved", "saved for backward", "note", _SAVED, dash="4 3", word="SAVED"),
    Kind("view", "made a view", "slant", _VIEW, 1.5, word="VIEW"),
    Kind("none", "input without gradient", "dot", _NONE, sign="∅"),
    Kind("fold", "several nodes as one", "stack", sign="…"),
    Kind("gate", "outside of the fold", "pill", dash="2 3"),
    Kind("forward", "forward op", "round", width=1.5),
    Kind("bar", "part of the tape", "bar", width=1.0),
    Kind("heat", "gradient", "bar", width=0.0),
    Kind("error", "the pass ended here", "note", _ERROR, 3.0, word="ENDED HERE"),
)
KINDS: dict[str, Kind] = {kind.name: kind for kind in _KINDS}
TURNED = {"function", "user", "accumulate", "view"}  # kinds that have a turn in the pass


@dataclass(frozen=True, slots=True)
class Tie:
    """How a line without arrowhead is drawn.

    Args:
        label: as in the legend.
        dash: its strokes and gaps, in px.
        width: in px.
        role: whose colour of `THEMES` it has.
        cap: the ends of its strokes; "round" makes dots of short ones.
    """

    label: str
    dash: str
    width: float = 1.0
    role: str = "line"
    cap: str = ""


TIES: dict[str, Tie] = {
    "saved": Tie("to what a node saved", "3 3"),
    "view": Tie("from a view to its base", "0.1 4", 2.2, cap="round"),
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


MARKS: dict[str, Mark] = {
    "only-a": Mark("only in a", _pair("#0757BA", "#79B8FF")),
    "only-b": Mark("only in b", _pair("#7A4B00", "#F0A04B"), "9 4"),
    "differs": Mark("differs", _pair("#C02D0E", "#FF7B72"), "2 3"),
}


# --- looks: said once, for style sheets, for attributes and for DOT -------------------------------


def _palette(theme: str) -> dict[str, str]:
    """The colour of every role in a theme."""
    colours = dict(THEMES[theme])
    for kind in KINDS.values():
        colours[f"{kind.name}-fill"] = kind.paint.fill[theme]
        colours[f"{kind.name}-border"] = kind.paint.border[theme]
        colours[f"{kind.name}-badge"] = kind.badge(theme)
    colours |= {f"flow-{step}": shade for step, shade in enumerate(FLOW[theme])}
    return colours | {name: mark.colour[theme] for name, mark in MARKS.items()}


COLOURS = {theme: _palette(theme) for theme in THEMES}

Look = dict[str, str]  # properties of CSS; fill and stroke name a role of `COLOURS`


def _stroke(role: str, width: float, dash: str = "", cap: str = "") -> Look:
    """How a line is drawn."""
    look = {"stroke": role, "stroke-width": f"{width:g}"}
    look |= {"stroke-dasharray": dash} if dash else {}
    return look | ({"stroke-linecap": cap} if cap else {})


_BOLD_MIDDLE = {"text-anchor": "middle", "font-weight": "600"}

# By selector. Of two rules about one thing the later one counts.
LOOKS: dict[str, Look] = {
    "text": {"font-family": SANS},
    ".title": {"font-size": f"{TITLE_SIZE:g}", "font-weight": "600", "fill": "text"},
    ".title>tspan": {"font-weight": "400", "fill": "muted"},
    ".key": {"font-size": f"{ROW_SIZE:g}", "fill": "muted"},
    ".value": {"font-size": f"{ROW_SIZE:g}", "fill": "text", "font-family": MONO},
    ".badge-text": {"font-size": f"{BADGE_SIZE:g}", "fill": "canvas"} | _BOLD_MIDDLE,
    ".pill-text": {"font-size": "9", "fill": "muted"} | _BOLD_MIDDLE,
    ".symbol": {"font-size": f"{ROW_SIZE:g}", "fill": "muted", "text-anchor": "middle"},
    ".label": {
        "text-anchor": "middle",
        "font-size": "10",
        "fill": "muted",
        "stroke": "canvas",  # a halo, which lines end at
        "stroke-width": "4",
        "stroke-linejoin": "round",
        "paint-order": "stroke",
    },
    ".heading": {"font-size": "15", "fill": "text", "font-weight": "600"},
    ".subtitle": {"font-size": "11.5", "fill": "muted"},
    ".note": {"font-size": "11", "fill": "muted"},
    ".ground": {"fill": "canvas"},
    ".frame": {"fill": "none"} | _stroke("line", 0.75),
    ".ring": {"fill": "none"},
    ".strike": _stroke("text", 1.5),
    ".hook>.pill": {"fill": "canvas", "stroke": "muted"},
    ".kept>.pill": {"fill": "saved-fill", "stroke": "saved-border"},
    ".line": {"fill": "none"} | _stroke("line", 1.5),
    ".tip": {"fill": "line"},
    ".tie": {"fill": "none"},
}
LOOKS[".caption"] = LOOKS[".label"] | {"text-anchor": "start", "font-size": "11"}
for _name, _tie in TIES.items():
    LOOKS[f".{_name}-arc>.tie"] = _stroke(_tie.role, _tie.width, _tie.dash, _tie.cap)
for _name, _kind in KINDS.items():
    _border = _stroke(f"{_name}-border", _kind.width, _kind.dash)
    LOOKS[f".{_name}>.box"] = {"fill": f"{_name}-fill"} | _border
    LOOKS[f".{_name}>.badge"] = {"fill": f"{_name}-badge"}
for _step, _ in enumerate(FLOW["light"]):
    _name = f"flow-{_step}"
    LOOKS[f".{_name}>.line"] = _stroke(_name, 1.2 + _step)
    LOOKS |= {f".{_name}>.{part}": {"fill": _name} for part in ("tip", "box")}
LOOKS[".flow-zero>.line"] = {"stroke-dasharray": "1.5 4"}
LOOKS[".flow-nan>.line"] = _stroke("bad", 3, NAN_DASH)
LOOKS |= {f".flow-nan>.{part}": {"fill": "bad"} for part in ("tip", "box")}
LOOKS |= {f".bad>.{part}": _stroke("bad", 3) for part in ("box", "line", "tie")}
LOOKS |= {f".bad>.{part}": {"fill": "bad"} for part in ("tip", "badge")}
for _name, _mark in MARKS.items():
    _border = _stroke(_name, 3, _mark.dash or "none")
    LOOKS |= {f".{_name}>.{part}": _border for part in ("box", "line")}
    LOOKS |= {f".{_name}>.{part}": {"fill": _name} for part in ("tip", "badge")}

FLOWS = tuple(f"flow-{step}" for step in (*range(len(FLOW["light"])), "zero", "nan"))
CLASSES = frozenset((*KINDS, *FLOWS, *MARKS))  # what is not in every drawing


def look_of(part: str, classes: Iterable[str] = (), theme: str = "light") -> Look:
    """What a part of a group with these classes looks like, in the colours of a theme.

    Example:
        >>> look_of(".line", ["arc", "flow-zero"])
        {'fill': 'none', 'stroke': '#6E7781', 'stroke-width': '1.5', 'stroke-dasharray': '1.5 4'}
    """
    look = dict(LOOKS.get(part, {}))
    for name in classes:
        look |= LOOKS.get(f".{name}>{part}", {})
    colours = COLOURS[theme]
    return {name: colours.get(value, value) for name, value in look.items()}


def css_variables(theme: str, roles: Iterable[str] | None = None) -> str:
    """Colours of a theme as CSS declarations: those of the page and of `roles`, or all.

    Example:
        >>> css_variables("light").split(";")[0]
        '--gg-canvas:#FFFFFF'
    """
    colours = COLOURS[theme]
    wanted = colours.keys() if roles is None else {*THEMES[theme], *roles}
    return ";".join(f"--gg-{role}:{colours[role]}" for role in colours if role in wanted)


# What a notebook (JupyterLab, VS Code) writes on its page to say which theme it has.
NOTEBOOK: dict[Literal["light", "dark"], str] = {
    "light": ":is([data-jp-theme-light=true],.vscode-light)",
    "dark": ":is([data-jp-theme-light=false],.vscode-dark)",
}


def style_sheet(
    theme: Theme = "auto", *, classes: Collection[str] = CLASSES, alone: bool = False
) -> str:
    """The CSS of every drawing on a page.

    Args:
        theme: "light", "dark", or "auto": as the reader's system or the page around it has it.
        classes: which of `CLASSES` there are.
        alone: for a page of its own, around which there is none with a switch.
    """
    # Note [Colours for every program]
    # resvg and others take `fill:var(…)` for an unknown colour and paint black, over the colours
    # that stand as attributes. They skip `@supports`, and so see the attributes alone.
    unused = CLASSES.difference(classes)
    used = {
        selector: look
        for selector, look in LOOKS.items()
        if selector.strip(".").partition(">")[0] not in unused
    }
    roles = {value for look in used.values() for value in look.values()}
    light, dark = css_variables("light", roles), css_variables("dark", roles)
    rules = [f".gg {selector}{{{_declarations(look)}}}" for selector, look in used.items()]
    return "\n".join(
        [*_theme_rules(theme, light, dark, alone), "@supports (fill:var(--gg)){", *rules, "}"]
    )


def _declarations(look: Look) -> str:
    """A look as CSS."""
    written = []
    for name, value in look.items():
        colour = f"var(--gg-{value})" if value in COLOURS["light"] else value
        written.append(f"{name}:{colour}{'px' * (name == 'font-size')}")
    return ";".join(written)


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
