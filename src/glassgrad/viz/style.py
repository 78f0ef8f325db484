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
from functools import cache, lru_cache
from typing import Literal

Theme = Literal["light", "dark", "auto"]

SANS = "Inter, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif"
MONO = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace"

TITLE_SIZE = 13.0
ROW_SIZE = 11.0
BADGE_SIZE = 11.0

Shades = tuple[str, str]  # a colour in the light theme, and in the dark one

# Colours of the page, by role.
PAGE: dict[str, Shades] = {
    "canvas": ("#FFFFFF", "#0D1117"),
    "panel": ("#F6F8FA", "#161B22"),
    "text": ("#1F2328", "#E6EDF3"),
    "muted": ("#4B5563", "#B1BAC4"),
    "line": ("#6E7781", "#8B949E"),
    "rule": ("#D0D7DE", "#30363D"),
    "accent": ("#0757BA", "#79B8FF"),
    "on-accent": ("#FFFFFF", "#04182F"),
    "done": ("#187A34", "#4AC26B"),
    "bad": ("#C02D0E", "#FF7B72"),
}

# Of boxes: the fill, the border, and the badge where the border is too light for text on it.
PAINTS: dict[str, tuple[Shades, ...]] = {
    "plain": (("#EEF1F5", "#21262D"), ("#57606A", "#9198A1")),
    "leaf": (("#CFE8FA", "#0B3A57"), ("#0072B2", "#56B4E9")),
    # Darker than the usual vermilion: without green cones that one is 2.8 : 1 on this fill.
    "output": (("#FBE3CC", "#4A2A12"), ("#C85700", "#F0A04B"), ("#B34E00", "#F0A04B")),
    # One shade darker than the usual amber: that one is 2.9 : 1 on this fill.
    "saved": (("#FFF3C4", "#3D3200"), ("#A67C00", "#E3C04B"), ("#8A6700", "#E3C04B")),
    "view": (("#E6E0F3", "#2E2440"), ("#7A5195", "#B79CE0")),
    "none": (("#FFFFFF", "#0D1117"), ("#6E7781", "#8B949E"), ("#57606A", "#9198A1")),
    "error": (("#FFFFFF", "#0D1117"), ("#C02D0E", "#FF7B72")),
}

# Of an arrow, by how much gradient goes along it, from little to much: stretches of the cividis
# ramp, which reads the same in every kind of colour vision, that stand out on the canvas.
FLOW: tuple[Shades, ...] = (
    ("#948E77", "#666970"),
    ("#7D7C78", "#7D7C78"),
    ("#666970", "#948E77"),
    ("#4C556C", "#ADA372"),
    ("#35456C", "#C8B866"),
    ("#00224E", "#FEE838"),
)

NAN_DASH = "7 3"  # of an arrow along which a nan went: red alone would be one more shade


@dataclass(frozen=True, slots=True)
class Kind:
    """How one kind of vertex is drawn.

    Args:
        name: as in the SVG's classes.
        label: as in the legend.
        shape: "card", "round", "note" (folded corner), "slant" (a parallelogram), "pill", "dot",
            "stack" (of cards) or "bar" (of an overview).
        paint: whose colours of `PAINTS` it has.
        width: of the border, in px.
        dash: of the border; empty for a solid one.
        doubled: whether the left border is drawn twice.
        sign: what the legend's swatch has, where the outline alone is that of another kind.
        word: how the badge begins.
    """

    name: str
    label: str
    shape: str
    paint: str = "plain"
    width: float = 1.25
    dash: str = ""
    doubled: bool = False
    sign: str = ""
    word: str = ""


_KINDS = (
    Kind("output", "OUT: backward starts here", "card", "output", 2.0, word="OUT"),
    Kind("function", "backward node", "card"),
    Kind("user", "your own Function", "card", sign="ƒ", word="ƒ"),
    Kind("accumulate", "adds into .grad", "card", doubled=True, sign="Σ", word="Σ"),
    Kind("leaf", "LEAF: gets a .grad", "card", "leaf", 2.0, word="LEAF"),
    Kind("stub", "one use of a leaf", "pill", "leaf", dash="4 2"),
    Kind("saved", "saved for backward", "note", "saved", dash="4 3", word="SAVED"),
    Kind("view", "made a view", "slant", "view", 1.5, word="VIEW"),
    Kind("none", "input without gradient", "dot", "none", sign="∅"),
    Kind("fold", "several nodes as one", "stack", sign="…"),
    Kind("gate", "outside of the fold", "pill", dash="2 3"),
    Kind("forward", "forward op", "round", width=1.5),
    Kind("bar", "part of the tape", "bar", width=1.0),
    Kind("heat", "gradient", "bar", width=0.0),
    Kind("error", "the pass ended here", "note", "error", 3.0, word="ENDED HERE"),
)
KINDS: dict[str, Kind] = {kind.name: kind for kind in _KINDS}
TURNED = {"function", "user", "accumulate", "view"}  # kinds that have a turn in the pass

Look = dict[str, str]  # properties of CSS; fill and stroke name a role of `COLOURS`


def _stroke(role: str, width: float, dash: str = "", cap: str = "") -> Look:
    """How a line is drawn."""
    look = {"stroke": role, "stroke-width": f"{width:g}"}
    look |= {"stroke-dasharray": dash} if dash else {}
    return look | ({"stroke-linecap": cap} if cap else {})


@dataclass(frozen=True, slots=True)
class Stroke:
    """How a line without arrowhead is drawn, or the border of what is in one of two graphs only.

    Args:
        label: as in the legend.
        dash: its strokes and gaps, in px; "none" in place of those that the kind of a box has.
        width: in px.
        role: whose colour of `COLOURS` it has.
        cap: the ends of its strokes; "round" makes dots of short ones.
    """

    label: str
    dash: str
    width: float = 1.0
    role: str = "line"
    cap: str = ""

    @property
    def look(self) -> Look:
        """The same as properties of CSS."""
        return _stroke(self.role, self.width, self.dash, self.cap)


TIES: dict[str, Stroke] = {
    "saved": Stroke("to what a node saved", "3 3"),
    "view": Stroke("from a view to its base", "0.1 4", 2.2, cap="round"),
    "origin": Stroke("to the node whose rule made it", "9 4"),
    "error": Stroke("to what went wrong", "3 3", 1.5, "bad"),
}

# What a comparison marks, and its colours.
MARKS: dict[str, Stroke] = {
    "only-a": Stroke("only in a", "none", 3, "only-a"),
    "only-b": Stroke("only in b", "9 4", 3, "only-b"),
    "differs": Stroke("differs", "2 3", 3, "differs"),
}
_MARKED: dict[str, Shades] = {
    "only-a": ("#0757BA", "#79B8FF"),
    "only-b": ("#7A4B00", "#F0A04B"),
    "differs": ("#C02D0E", "#FF7B72"),
}


def _roles() -> dict[str, Shades]:
    """The colours of every role."""
    roles = dict(PAGE)
    for kind in KINDS.values():
        fill, border, *_ = paint = PAINTS[kind.paint]
        parts = {"fill": fill, "border": border, "badge": paint[-1]}
        roles |= {f"{kind.name}-{part}": shades for part, shades in parts.items()}
    return roles | {f"flow-{step}": shades for step, shades in enumerate(FLOW)} | _MARKED


COLOURS = {
    theme: {role: shades[at] for role, shades in _roles().items()}
    for at, theme in enumerate(("light", "dark"))
}
COLOURS["auto"] = COLOURS["light"]  # where none can be chosen by who looks at the picture

# --- looks: said once, for style sheets, for attributes and for DOT -------------------------------

_BOLD_MIDDLE = {"text-anchor": "middle", "font-weight": "600"}

# By selector. Of two rules about one thing the later one counts.
LOOKS: dict[str, Look] = {
    "text": {"font-family": SANS},
    ".title": {"font-size": f"{TITLE_SIZE:g}", "font-weight": "600", "fill": "text"},
    ".title>tspan": {"font-weight": "400", "fill": "muted"},
    ".key": {"font-size": f"{ROW_SIZE:g}", "fill": "muted"},
    ".value": {"font-size": f"{ROW_SIZE:g}", "fill": "text", "font-family": MONO},
    ".badge-text": {"font-size": f"{BADGE_SIZE:g}", "fill": "canvas"} | _BOLD_MIDDLE,
    ".pill-text": {"font-size": f"{BADGE_SIZE:g}", "fill": "muted"} | _BOLD_MIDDLE,
    ".symbol": {"font-size": f"{ROW_SIZE:g}", "fill": "muted", "text-anchor": "middle"},
    ".label": {
        "text-anchor": "middle",
        "font-size": f"{BADGE_SIZE:g}",
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


def _add_rules(name: str, stroked: str, stroke: Look, filled: str, fill: str) -> None:
    """What a class of a group says of the parts in it: the look of some, the fill of others."""
    LOOKS.update({f".{name}>.{part}": stroke for part in stroked.split()})
    LOOKS.update({f".{name}>.{part}": {"fill": fill} for part in filled.split()})


for _name, _tie in TIES.items():
    LOOKS[f".{_name}-arc>.tie"] = _tie.look
for _name, _kind in KINDS.items():
    _box = {"fill": f"{_name}-fill"} | _stroke(f"{_name}-border", _kind.width, _kind.dash)
    _add_rules(_name, "box", _box, "badge", f"{_name}-badge")
for _step, _ in enumerate(FLOW):
    _name = f"flow-{_step}"
    _add_rules(_name, "line", _stroke(_name, 1.2 + _step), "tip box", _name)
LOOKS[".flow-zero>.line"] = {"stroke-dasharray": "1.5 4"}
_add_rules("flow-nan", "line", _stroke("bad", 3, NAN_DASH), "tip box", "bad")
_add_rules("bad", "box line tie", _stroke("bad", 3), "tip badge", "bad")
for _name, _mark in MARKS.items():
    _add_rules(_name, "box line", _mark.look, "tip badge", _name)

FLOWS = tuple(f"flow-{step}" for step in (*range(len(FLOW)), "zero", "nan"))
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
    wanted = colours.keys() if roles is None else {*PAGE, *roles}
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


# Advance widths in thousandths of the size, by character: the layout has to know how wide a title
# is before there is a browser to ask. They are those of DejaVu Sans Bold, the widest of the fonts
# that the stack may lead to, and so leave room in all others.
_ADVANCES = {
    350: " 'ijl",
    380: "/\\|IJ,.·",
    440: ":;-f",
    500: "!()[]rt_`‖–",
    595: '"*?csz',
    655: "Lvxy",
    680: "aek",
    690: "oEFTΣ",
    720: "0123456789$bdghnpqu{}S",
    735: "YZPC",
    775: "ABKRVX▶",
    840: "#+<=>^~GDHNU×→≠",
    875: "OQ&",
    925: "w",
    1005: "M@%…",
    1045: "m",
    1105: "W",
    1120: "\ufffd",  # what stands for a character that cannot be shown
}
_OTHER, _WIDE = 720, 1100
_REGULAR = 0.91  # of the same text that is not bold


@lru_cache(maxsize=4096)
def text_width(text: str, size: float, *, bold: bool = False, mono: bool = False) -> float:
    """About how many px `text` takes at `size` px.

    Example:
        >>> round(text_width("MulBackward0", 13, bold=True))
        109
    """
    if mono:
        cells = len(text) + (0 if text.isascii() else sum(map(_is_wide, text)))
        return cells * 0.605 * size
    return sum(map(_advance, text)) / 1000 * size * (1.0 if bold else _REGULAR)


@cache
def _advance(character: str) -> int:
    other = _WIDE if _is_wide(character) else _OTHER
    return next((width for width, group in _ADVANCES.items() if character in group), other)


def _is_wide(character: str) -> bool:
    return character > "ᄀ" and unicodedata.east_asian_width(character) in "WF"
