import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import resvg_py

import glassgrad as gg
from checks import together
from glassgrad.tracing import Trace
from glassgrad.viz import draw, graph_of

SVG = "{http://www.w3.org/2000/svg}"
DATA = Path(__file__).parents[2] / "data"

HOSTILE = {
    "html": "<script>alert(1)</script>",
    "attribute": '"><img src=x onerror=alert(1)>',
    "dot": 'a|b{"}\\N\\l',
    "entity": "&lt;&#60;&amp;",
    "cdata": "]]><!-- -->",
    "css": "</style>}*{display:none",
    "json": "</script><script>\\u003c",
    "control": "a\x00\x01\x1b[31m\nb",
    "right to left": "\N{RIGHT-TO-LEFT OVERRIDE}abc\N{RIGHT-TO-LEFT MARK}",
    "surrogate": "\ud800x",
    "other scripts": "ε 漢字 🦊",
    "long": "x" * 10_000,
    "empty": "",
}


def groups(svg):
    return {
        group.get("id"): group.get("class").split()
        for group in ET.fromstring(svg).iter(f"{SVG}g")
        if group.get("id")
    }


@together
@pytest.mark.parametrize("program", ["square", "neuron", "mlp"])
def test_ids_and_kinds_of_the_log_survive_into_the_svg(program, samples):
    trace = getattr(samples, program)()
    graph, found = graph_of(trace), groups(draw(trace).svg)
    assert found.keys() == {each.id for each in (*graph.vertices, *graph.arcs, *graph.clusters)}
    for vertex in graph.vertices:
        assert found[vertex.id][:2] == ["vertex", vertex.kind]
    for arc in graph.arcs:
        assert found[arc.id] == ["arc", f"{arc.kind}-arc"]


@together
@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_a_name_is_text_whatever_it_says(name, samples):
    svg = draw(samples.hostile(name)).svg
    root = ET.fromstring(svg)  # well-formed
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags <= {"svg", "style", "rect", "text", "tspan", "g", "path", "circle", "title"}
    assert not [key for element in root.iter() for key in element.attrib if key.startswith("on")]
    assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in svg
    assert len(svg) < 30_000


@together
@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_the_names_of_hooks_and_scopes_and_titles_are_text_too(name):
    def hook(grad):
        return grad

    hook.__name__ = name.replace("\x00", "")
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    with gg.scope(name):
        y = (x * 2).tanh()
    y.register_hook(hook)
    drawing = draw(y.exp().sum(), title=name)
    tags = {element.tag.removeprefix(SVG) for element in ET.fromstring(drawing.svg).iter()}
    assert tags <= {"svg", "style", "rect", "text", "tspan", "g", "path", "circle", "title"}
    assert drawing.layout == "laid out by Graphviz (dot)" or "WebAssembly" in drawing.layout
    assert len(drawing.svg) < 40_000


def test_a_name_is_shown_as_it_is(samples):
    root = ET.fromstring(draw(samples.hostile('a|b{"<i>&')).svg)
    assert 'a|b{"<i>&' in {text.text for text in root.iter(f"{SVG}text")}


def test_freed_notes_are_struck_and_held_ones_are_not(samples):
    trace = samples.neuron()
    assert draw(trace).svg.count('class="strike"') == 2
    assert draw(Trace(trace.graph, trace.arrays, [])).svg.count('class="strike"') == 0


def test_the_legend_names_the_kinds_present_and_no_others(samples):
    svg = draw(samples.square()).svg
    assert "adds into .grad" in svg
    assert "saved for backward" not in svg


def test_title_counts_and_direction_are_in_the_picture(samples):
    svg = draw(samples.square()).svg
    assert "Backward graph of loss" in svg
    assert "Arrows follow the gradient, left to right · 3 nodes · 4 edges · 1 leaf" in svg
    assert "top to bottom" in draw(samples.square(), rankdir="TB").svg


def test_one_svg_serves_both_themes(samples):
    svg = draw(samples.square()).svg
    assert "@media (prefers-color-scheme:dark)" in svg
    assert "[data-md-color-scheme=slate]" in svg
    for theme, canvas in [("light", "#FFFFFF"), ("dark", "#0D1117")]:
        fixed = draw(samples.square(), theme=theme).svg
        assert "@media" not in fixed
        assert f"--gg-canvas:{canvas}" in fixed


def test_every_colour_of_the_style_sheet_is_defined(samples):
    svg = draw(samples.mlp()).svg
    used = set(re.findall(r"var\(--gg-([a-z-]+)\)", svg))
    assert used <= set(re.findall(r"--gg-([a-z-]+):", svg))


def test_a_program_without_css_variables_shows_the_colours(samples):
    drawing = draw(samples.mlp())
    as_saved = resvg_py.svg_to_bytes(svg_string=drawing.svg)
    assert bytes(as_saved) == drawing.png(scale=1)  # drawn without any style sheet


def test_the_bytes_do_not_depend_on_the_process(told_elsewhere, samples):
    program = (
        f"import sys; sys.path.insert(0, {str(DATA)!r}); import sample_traces as s;"
        "from glassgrad.viz import draw; sys.stdout.buffer.write(draw(s.mlp()).svg.encode())"
    )
    assert told_elsewhere(program) == {draw(samples.mlp()).svg}


def test_the_calls_that_a_drawing_takes_grow_with_its_nodes_and_no_faster(samples, count_calls):
    few, many = [samples.chain(length) for length in (350, 700)]
    draw(few)  # what is read and compiled once
    calls = [count_calls(lambda trace=trace: draw(trace).svg) for trace in (few, many)]
    assert calls[1] < 2.2 * calls[0]
    assert calls[1] < 700 * 700
