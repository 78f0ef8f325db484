"""The pictures of the README: what `make demo` draws, and its player in a browser.

    python docs/readme.py            # docs/images/digits.svg and docs/images/player.png

The player is photographed by Chromium, found as `chromium` or named by CHROMIUM.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

from glassgrad._demo import run_demo

IMAGES = Path(__file__).parent / "images"
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run")
WIDTH, HEIGHT = 1400, 800
NODE = 5  # relu: saved tensors that are gone before it, and one that is there behind it


def main() -> int:
    """Draw both pictures; returns the exit code."""
    with tempfile.TemporaryDirectory() as folder:
        run_demo(Path(folder))
        shutil.copy(Path(folder) / "digits.svg", IMAGES / "digits.svg")
        photograph(Path(folder) / "digits.html", IMAGES / "player.png")
    for name in ("digits.svg", "player.png"):
        sys.stdout.write(f"{IMAGES / name}: {(IMAGES / name).stat().st_size:,} bytes\n")
    return 0


def photograph(page: Path, picture: Path) -> None:
    """A player, some nodes into the pass, as Chromium shows it."""
    from playwright.sync_api import sync_playwright

    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=chromium, args=list(FLAGS))
        tab = browser.new_page(
            viewport={"width": WIDTH, "height": HEIGHT},
            device_scale_factor=1.175,
            reduced_motion="reduce",
            color_scheme="light",
        )
        tab.goto(page.as_uri())
        tab.get_by_label("fit").check()
        tab.locator(".gg-player").focus()
        for _ in range(NODE):
            tab.keyboard.press("ArrowRight")
        tab.screenshot(path=picture)
        browser.close()


if __name__ == "__main__":
    sys.exit(main())
