"""The picture of the robot arm in the README: a straight line, and the plan that is made of it.

    python docs/arm.py            # docs/images/arm.png

It is what `python -m glassgrad.trajectory` draws as arm-snapshots.png, in fewer colours. It needs
`pip install '.[notebook]'`.
"""

import sys
from pathlib import Path

from PIL import Image

from glassgrad.trajectory._arm.pictures import draw_snapshots, save
from glassgrad.trajectory._arm.planning import Task, plan

PICTURE = Path(__file__).parent / "images" / "arm.png"
STEPS = 800
COLORS = 256


def main() -> int:
    """Plan and draw; returns the exit code."""
    task = Task()
    found = plan(task, STEPS)
    save(draw_snapshots(task, found.before["straight"], found.after[found.best]), PICTURE)
    with Image.open(PICTURE) as drawn:
        small = drawn.convert("RGB").quantize(COLORS)
    small.save(PICTURE, optimize=True)
    sys.stdout.write(f"{PICTURE}: {PICTURE.stat().st_size:,} bytes\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
