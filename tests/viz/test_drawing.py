import builtins
import struct

import pytest

from glassgrad.base.errors import ArgumentError, ArgumentTypeError
from glassgrad.tracing import Trace
from glassgrad.viz import draw, player


@pytest.fixture
def drawing(samples):
    return draw(samples.square())


@pytest.mark.parametrize(
    ("suffix", "start"),
    [
        (".svg", b"<svg "),
        (".dot", b"digraph backward {"),
        (".html", b"<!DOCTYPE html>"),
        (".txt", b"3 nodes, in the order they ran"),
        (".json", b'{"schema": "glassgrad.trace/1"'),
        (".SVG", b"<svg "),
    ],
)
def test_the_suffix_says_what_is_written(suffix, start, drawing, tmp_path):
    path = drawing.save(tmp_path / f"graph{suffix}")
    assert path.read_bytes().startswith(start)


def test_a_png_is_twice_as_large_as_the_svg(drawing, tmp_path):
    pytest.importorskip("resvg_py")
    data = drawing.save(tmp_path / "graph.png").read_bytes()
    assert data.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", data[16:24])
    assert f'width="{width // 2}" height="{height // 2}"' in drawing.svg


def test_a_png_that_would_be_too_large_is_refused_with_a_remedy(samples):
    with pytest.raises(ArgumentError, match=r"too large for a PNG.*Save it as SVG"):
        draw(samples.chain(500)).png()


def test_a_png_without_its_package_says_what_to_install(drawing, monkeypatch):
    real = builtins.__import__

    def without(name, *rest, **more):
        if name == "resvg_py":
            raise ModuleNotFoundError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'glassgrad\[png\]'"):
        drawing.png()


@pytest.mark.parametrize("name", ["graph.bmp", "graph"])
def test_an_unknown_suffix_is_refused_and_nothing_is_written(name, drawing, tmp_path):
    with pytest.raises(ArgumentError, match=r"Use \.svg, \.png"):
        drawing.save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_an_os_error(drawing, tmp_path):
    with pytest.raises(FileNotFoundError):
        drawing.save(tmp_path / "none" / "graph.svg")


@pytest.mark.parametrize("options", [{"rankdir": "RL"}, {"theme": "pink"}])
def test_unknown_options_are_named(options, samples):
    (name,) = options
    with pytest.raises(ArgumentError, match=f"{name}="):
        draw(samples.square(), **options)


@pytest.mark.parametrize("show", [draw, player])
@pytest.mark.parametrize("thing", [None, 3.0, {"schema": "glassgrad.trace/1"}])
def test_only_traces_are_shown(show, thing):
    with pytest.raises(ArgumentTypeError, match=rf"{show.__name__}\(record\(loss\)\)"):
        show(thing)


def test_one_line_says_which_layout_was_used(drawing):
    assert drawing.layout.startswith("laid out by Graphviz (")
    assert "\n" not in drawing.layout
    assert "3 nodes" in repr(drawing)


def test_a_notebook_gets_svg_and_text(drawing):
    assert drawing._repr_mimebundle_(include=None) == {
        "image/svg+xml": drawing.svg,
        "text/plain": repr(drawing),
    }


def test_an_empty_graph_is_drawn():
    assert "0 nodes" in draw(Trace({"nodes": [], "leaves": []})).svg
