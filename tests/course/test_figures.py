"""Charts are sound SVG, say what they show, and a slider has a chart for each value."""

import json
import xml.etree.ElementTree as ET

import pytest

import glassgrad as gg
from glassgrad.course import folder, heat, plot, slider


def shapes(figure, tag):
    return [each for each in ET.fromstring(figure.svg).iter() if each.tag.endswith(tag)]


def test_curves_have_a_line_a_name_and_axes(tmp_path):
    figure = plot(
        {"a<b": ([0, 1, 2], [1.0, 4.0, 2.0]), "c": ([0, 2], [0.0, 1.0])}, x="step", y="loss"
    )
    assert len(shapes(figure, "polyline")) == 2
    texts = [each.text for each in shapes(figure, "text")]
    assert {"a<b", "c", "step", "loss"} <= set(texts)
    assert repr(figure) == "Figure(loss over step: a<b, c)"
    assert figure.save(tmp_path / "f.svg").read_text("utf-8") == figure.svg
    assert figure.svg in figure._repr_mimebundle_()["text/html"]


def test_a_logarithmic_chart_leaves_out_what_is_not_above_zero():
    figure = plot({"error": ([1e-3, 1e-2, 1e-1], [0.0, 1e-8, 1e-2])}, log=True, mark=(1e-2, 1e-8))
    (line,) = shapes(figure, "polyline")
    assert len(line.get("points").split()) == 2
    assert "1e-8" in [each.text for each in shapes(figure, "text")]
    assert len(shapes(figure, "circle")) == 1


def test_points_are_not_joined():
    figure = plot({"digits": ([1, 2], [3, 4])}, dots=["digits"])
    assert not shapes(figure, "polyline")
    assert len(shapes(figure, "circle")) == 2


def test_a_legend_has_points_where_points_are_and_rows_where_names_are_long():
    names = ["what the loop has found", "what differences say of it", "a", "what is exact here"]
    figure = plot({name: ([1, 2], [3, 4]) for name in names}, dots=names[:1])
    texts = {each.text: (each.get("x"), each.get("y")) for each in shapes(figure, "text")}
    assert [texts[name] for name in names] == [
        ("98", "2"),
        ("303", "2"),
        ("98", "22"),
        ("218", "22"),
    ]
    assert 'viewBox="0 -20 560 340"' in figure.svg
    dashed = [each.get("stroke-dasharray") for each in shapes(figure, "path")]
    assert dashed == [None, "6 3", "2 3", "9 3 2 3"]


def test_a_small_map_has_its_numbers_and_a_large_one_its_axes_and_way():
    small = heat(gg.tensor([[1.0, -2.0], [0.0, 0.5]]))
    written = [each.text for each in shapes(small, "text") if each.text]
    assert written[:4] == ["1", "-2", "0", "0.5"]
    large = heat([[1.0, 2.0], [3.0, 4.0]], across=(0, 1), up=(0, 1), path=[(0, 0), (1, 1)])
    assert len(shapes(large, "polyline")) == 1
    assert "a way of 2 points" in repr(large)


def test_the_cells_of_a_map_leave_no_seam():
    figure = heat([[1.0] * 17], across=(0, 1), up=(0, 1))
    cells = [each for each in shapes(figure, "rect") if each.get("fill-opacity")]
    ends = [int(cell.get("x")) + int(cell.get("width")) for cell in cells]
    assert ends[:-1] == [int(cell.get("x")) for cell in cells[1:]]


def test_a_slider_has_a_chart_for_each_value():
    figure = slider([1, 2, 3], lambda n: plot({"n": ([0, 1], [0, n])}), label="n")
    assert figure.html.count("<svg") == 3
    assert figure.html.count(" hidden>") == 2
    assert 'max="2"' in figure.html


def test_a_chart_of_a_slider_may_have_a_pass_under_it():
    trace = gg.record(gg.tensor(2.0, requires_grad=True) * 3.0)
    steps, losses = [0, 5], [2.0, 1.0]

    def at(step):
        chart = plot({"loss": (steps, losses)}, dots=["loss"], mark=(step, losses[step // 5]))
        return chart, gg.player(trace)

    figure = slider(steps, at, label="step")
    assert figure.html.count("<iframe") == 2
    assert figure.html_with(lambda player: f"[{player!r}]").count("[Player(Backward graph") == 2
    assert figure.svg.count('class="gg-dot"') == 2  # which go there


def test_nothing_to_plot_is_refused():
    with pytest.raises(gg.errors.ArgumentError, match="nothing to plot in 1 curves"):
        plot({"nan": ([0.0], [float("nan")])})


def test_the_pictures_of_a_chapter_leave_the_default_dtype(tmp_path):
    cell = {"cell_type": "code", "id": "a", "source": ["gg.set_default_dtype(gg.float64)"]}
    cell["source"].insert(0, "import glassgrad as gg\n")
    (tmp_path / "05.ipynb").write_text(json.dumps({"cells": [cell]}))
    assert list(folder.pictures(tmp_path / "05.ipynb")) == []
    assert gg.get_default_dtype() == gg.float32
