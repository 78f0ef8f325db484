"""The style sheet of the drawings: their colours as CSS variables, light and dark."""

from collections.abc import Iterable

from glassgrad.viz.style import (
    BADGE_SIZE,
    FLOW,
    KINDS,
    MARKS,
    MONO,
    NAN_DASH,
    ROW_SIZE,
    SANS,
    TITLE_SIZE,
    Theme,
    css_variables,
    flow_width,
)


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
    rules = [*_kinds(used), *_parts(), *(_flows() if flow else []), *(_marks() if marks else [])]
    return "\n".join(
        [*_themes(theme, light, dark, alone), "@supports (fill:var(--gg)){", *rules, "}"]
    )


def _themes(theme: Theme, light: str, dark: str, alone: bool) -> list[str]:
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


def _kinds(names: list[str]) -> list[str]:
    rules = []
    for name in names:
        kind = KINDS[name]
        border = f"stroke:var(--gg-{name}-border);stroke-width:{kind.width:g}"
        dash = f";stroke-dasharray:{kind.dash}" if kind.dash else ""
        rules.append(f".gg .{name}>.box{{fill:var(--gg-{name}-fill);{border}{dash}}}")
        rules.append(f".gg .{name}>.badge{{fill:var(--gg-{name}-badge)}}")
    return rules


def _marks() -> list[str]:
    """What a comparison marks, and how wide and how dashed it is."""
    rules = []
    for name, mark in MARKS.items():
        line = f"stroke:var(--gg-{name});stroke-width:3;stroke-dasharray:{mark.dash or 'none'}"
        rules.append(f".gg .{name}>.box,.gg .{name}>.line{{{line}}}")
        rules.append(f".gg .{name}>.badge,.gg .{name}>.tip{{fill:var(--gg-{name})}}")
    return rules


def _flows() -> list[str]:
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


def _parts() -> list[str]:
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
