"""The pictures of docs/images are those that docs/gallery.py draws."""

import importlib.util
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
IDS = re.compile(r'<g id="([^"]+)" class="([^"]+)"')


@pytest.fixture(scope="module")
def gallery():
    spec = importlib.util.spec_from_file_location("gallery", DOCS / "gallery.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def pictures(gallery, tmp_path_factory):
    paths = gallery.draw_all(tmp_path_factory.mktemp("gallery") / "images")
    return {path.stem: path.read_text("utf-8") for path in paths}


def test_there_are_ten_programs_and_ten_ways_to_draw(pictures, gallery):
    assert len(gallery.PROGRAMS) == 10
    assert pictures.keys() == {*gallery.PROGRAMS, *gallery.WAYS}
    assert len(pictures) == 20


def test_each_picture_is_well_formed_and_has_its_title(pictures, gallery):
    for name, svg in pictures.items():
        program, options = (gallery.PROGRAMS | gallery.WAYS)[name]
        texts = {each.text for each in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")}
        assert options.get("title", program.__doc__.rstrip(".")) in texts


def test_the_committed_pictures_show_what_is_drawn_today(pictures):
    # Ids and kinds, not bytes: another Graphviz places the boxes otherwise.
    for name, svg in pictures.items():
        committed = (DOCS / "images" / f"{name}.svg").read_text("utf-8")
        assert sorted(IDS.findall(committed)) == sorted(IDS.findall(svg)), name


def test_the_pictures_do_not_depend_on_the_process(pictures, told_elsewhere, tmp_path):
    script = str(DOCS / "gallery.py")
    program = (
        f"import runpy, sys; sys.argv = [{script!r}, '.']; "
        f"runpy.run_path({script!r}, run_name='__main__')"
    )
    told_elsewhere(program, seeds="1", folder=tmp_path)
    for name, svg in pictures.items():
        assert (tmp_path / f"{name}.svg").read_text("utf-8") == svg, name
