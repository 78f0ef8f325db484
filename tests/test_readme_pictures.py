"""The pictures of the README show what the demo draws now; `python docs/readme.py` makes them."""

import re
from pathlib import Path

from glassgrad._demo import run_demo

IMAGES = Path(__file__).parents[1] / "docs" / "images"
IDS = re.compile(r'<g id="([^"]+)" class="([^"]+)"')


def test_the_drawing_is_that_of_the_demo(tmp_path):
    run_demo(tmp_path)
    # Ids and kinds, not bytes: another Graphviz places the boxes otherwise.
    drawn, shown = (
        sorted(IDS.findall((folder / "digits.svg").read_text("utf-8")))
        for folder in (tmp_path, IMAGES)
    )
    assert shown == drawn
    assert len(shown) > 8


def test_the_photograph_of_the_player_is_small():
    picture = (IMAGES / "player.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) <= 300_000


def test_the_picture_of_the_arm_is_small():
    picture = (IMAGES / "arm.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) <= 150_000
