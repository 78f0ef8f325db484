"""The moving arm beside its growing curves, as a GIF."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .cost import Outcome, Task
from .look import INK, JOINTS, MUTED, TIP, looks, new_figure
from .panels import dress
from .scene import corners_of, furnish

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from PIL.Image import Image

__all__ = ["save_animation"]

HOLD = 1000  # milliseconds that the last frame stays
COLORS = 128  # of the GIF
PAPER = 240  # of 255: what is lighter is paper


class _Moving:
    """The figure, and those of its parts that differ from frame to frame."""

    def __init__(self, task: Task, before: Outcome, after: Outcome) -> None:
        self.figure: Figure = new_figure(8.6, 4.3, dpi=100.0)
        grid = self.figure.add_gridspec(4, 2, width_ratios=(1.35, 1.0))
        plane = self.figure.add_subplot(grid[:, 0])
        rows = [self.figure.add_subplot(grid[row, 1]) for row in range(4)]
        furnish(plane, task)
        plane.set_title("dashed: before    solid: after", color=MUTED)
        dress(rows, task)
        for axes in rows[:-1]:
            axes.tick_params(labelbottom=False)
        self._times = task.times
        self._curves = [x.numpy()[0] for x in after.trajectory]
        self._corners = corners_of(task, before), corners_of(task, after)
        self._draw_faint(rows)
        dashed: dict[str, Any] = {"linestyle": (0, (3, 2)), "linewidth": 2.0, "color": MUTED}
        solid: dict[str, Any] = {"linewidth": 5.0, "color": INK, "marker": "o", "markersize": 7.0}
        self._arms = [plane.plot([], [], zorder=4, **look)[0] for look in (dashed, solid)]
        self._tip = plane.plot([], [], zorder=3, **TIP)[0]
        self._grown = [
            [axes.plot([], [], color=color, linewidth=2.0)[0] for _, color, _ in JOINTS]
            for axes in rows
        ]
        lines = [line for pair in self._grown for line in pair]
        self._parts: list[Any] = [*self._arms, self._tip, *lines]
        for part in self._parts:
            part.set_animated(True)  # left out of the ground
        above: dict[str, Any] = {"loc": "lower center", "bbox_to_anchor": (0.5, 0.98), "ncols": 2}
        rows[0].legend(self._grown[0], [name for name, _, _ in JOINTS], frameon=False, **above)

    def _draw_faint(self, rows: list[Any]) -> None:
        """What is to come of the curves, so that the panels keep their limits."""
        for axes, curves in zip(rows, self._curves, strict=True):
            for joint, (_, color, _) in enumerate(JOINTS):
                axes.plot(self._times, curves[:, joint], color=color, alpha=0.25)

    def frames(self) -> "list[Image]":
        """A picture for each sample from the start on. What does not move is drawn once."""
        from PIL import Image

        canvas: Any = self.figure.canvas
        canvas.draw()
        ground = canvas.copy_from_bbox(self.figure.bbox)
        found = []
        for at in range(1, len(self._times)):
            canvas.restore_region(ground)
            self._move(at)
            for part in self._parts:
                part.axes.draw_artist(part)
            found.append(Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB"))
        return found

    def _move(self, at: int) -> None:
        for arm, corners in zip(self._arms, self._corners, strict=True):
            arm.set_data(*corners[at].T)
        self._tip.set_data(*self._corners[1][1 : at + 1, 2].T)
        for lines, curves in zip(self._grown, self._curves, strict=True):
            for joint, line in enumerate(lines):
                line.set_data(self._times[: at + 1], curves[: at + 1, joint])


def save_animation(task: Task, before: Outcome, after: Outcome, path: Path) -> None:
    """Write the motion as a GIF that plays at its real pace, over and over."""
    from PIL.Image import Dither

    with looks():
        frames = _Moving(task, before, after).frames()
    palette = _palette(frames[-1])  # it has all that is drawn
    pictures = [frame.quantize(palette=palette, dither=Dither.NONE) for frame in frames]
    pace = round(100 * task.time_step) * 10  # a GIF counts hundredths of a second
    pictures[0].save(
        path,
        save_all=True,
        append_images=pictures[1:],
        duration=[*[pace] * (len(pictures) - 1), HOLD],
        loop=0,
        optimize=False,
    )


def _palette(picture: "Image") -> "Image":
    """The colours of a picture, few of them; what is nearly white is the paper, and white."""
    found = picture.quantize(COLORS)
    levels = np.array(found.getpalette()).reshape(-1, 3)
    levels[levels.min(axis=1) > PAPER] = 255
    found.putpalette(levels.flatten().tolist())
    return found
