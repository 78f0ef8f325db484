"""The pictures: joints over time, the arm at several moments, and the arm as it moves.

matplotlib is imported inside of functions, for glassgrad works without it. Its settings are changed
while a picture is made, and are what they were afterwards; pyplot and its windows are not used.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .planning import Outcome, Task, Trajectory

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure
    from PIL.Image import Image

# Colours and sizes, and how a picture is saved ---------------------------------------------------

INK, MUTED, GRID = "#1F2328", "#4B5563", "#D8DEE4"
JOINTS = ("joint 1", "#0072B2", "o"), ("joint 2", "#D55E00", "s")
"""Name, colour and marker, which says in grey what the colour says."""
OBSTACLE = "#EEF1F5", "#57606A"
"""Inside and rim."""
TIP: dict[str, Any] = {"color": "#7A5195", "linewidth": 1.2, "marker": "o", "markersize": 2.2}
"""The path of the arm's tip: a dot for each sample."""

_STYLE: dict[str, Any] = {
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.labelcolor": INK,
    "axes.edgecolor": MUTED,
    "axes.linewidth": 0.8,
    "text.color": INK,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "lines.solid_capstyle": "round",
    "hatch.color": OBSTACLE[1],
    "hatch.linewidth": 0.6,
    "svg.hashsalt": "glassgrad",  # names of parts are made from it, at random without
}


@contextmanager
def looks() -> Iterator[None]:
    """Our settings, on top of matplotlib's own, whatever the user's are."""
    from matplotlib import style

    with style.context(["default", _STYLE]):
        yield


def new_figure(width: float, height: float, dpi: float = 150.0) -> "Figure":
    """An empty figure that draws in memory; sizes in inches."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=dpi, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def tidy(axes: "Axes") -> None:
    """Only the two axes that carry numbers, and a faint grid behind all."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)


def time_colors() -> "Colormap":
    """From dark to light, in grey too; without the lightest, which is hard to see on white."""
    from matplotlib import colormaps
    from matplotlib.colors import LinearSegmentedColormap

    shades = colormaps["cividis"](np.linspace(0.0, 0.9, 256))
    return LinearSegmentedColormap.from_list("time", shades)


def save(figure: "Figure", path: Path) -> None:
    """Write a figure in the form that the file's suffix names, with no date in it."""
    metadata: dict[str, Any] = {"Date": None} if path.suffix == ".svg" else {"Software": None}
    with looks():  # some settings count only now
        figure.savefig(path, metadata=metadata)
    figure.set_layout_engine("none")  # in another form it looks the same, and need not be laid out


# Position, velocity, acceleration and jerk over time ---------------------------------------------

UNITS = "rad", "rad/s", "rad/s²", "rad/s³"
EVERY = 6  # samples from one marker to the next


def draw_panels(task: Task, before: Outcome, after: Outcome) -> "Figure":
    """Four panels: what the joints did before, dashed, and do after, solid."""
    from matplotlib.lines import Line2D

    with looks():
        figure = new_figure(7.0, 8.0)
        rows: Any = figure.subplots(4, 1, sharex=True)
        dress(rows, task)
        for number, axes in enumerate(rows):
            axes.axhline(0.0, color=MUTED, linewidth=0.6, zorder=1)
            for joint, (_, color, marker) in enumerate(JOINTS):
                was, is_now = (
                    outcome.trajectory[number].numpy()[0, :, joint] for outcome in (before, after)
                )
                axes.plot(task.times, was, color=color, linewidth=1.1, linestyle=(0, (4, 2.5)))
                axes.plot(
                    *(task.times, is_now),
                    color=color,
                    linewidth=2.0,
                    marker=marker,
                    markersize=5.0,
                    markeredgecolor="white",
                    markeredgewidth=0.8,
                    markevery=(2 + 3 * joint, EVERY),
                )
        keys = [
            Line2D([], [], color=color, marker=marker, markeredgecolor="white", linewidth=2.0)
            for _, color, marker in JOINTS
        ]
        names = [name for name, _, _ in JOINTS]
        dashes = Line2D([], [], color=INK, linewidth=1.1, linestyle=(0, (4, 2.5)))
        keys += [dashes, Line2D([], [], color=INK, linewidth=2.0)]
        names += [
            f"before: a straight line, cost {before.cost:.0f}",
            f"after: cost {after.cost:.2g}",
        ]
        figure.legend(keys, names, loc="outside upper center", ncols=4, frameon=False)
    return figure


def dress(rows: "Sequence[Axes]", task: Task) -> None:
    """Give four panels their labels and the time axis they share."""
    for axes, name, unit in zip(rows, Trajectory._fields, UNITS, strict=True):
        tidy(axes)
        axes.set_ylabel(f"{name}\n({unit})")
        axes.margins(y=0.12)
        axes.set_xlim(task.times[0], task.times[-1])
    rows[-1].set_xlabel("time (s)")
    rows[0].figure.align_ylabels()


# The arm and the disc in the plane, at several moments -------------------------------------------

MOMENTS = 9
FRAME = (-1.35, 2.1), (-0.2, 2.0)  # what is seen of the plane, in metres
TICKS = -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0


def draw_snapshots(task: Task, before: Outcome, after: Outcome) -> "Figure":
    """The arm at nine moments before and after, coloured by time, and the path of its tip."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    with looks():
        figure = new_figure(9.2, 3.3)
        sides: Any = figure.subplots(1, 2, sharey=True)
        colors = ScalarMappable(Normalize(0.0, task.times[-1]), time_colors())
        for axes, name, outcome in zip(sides, ("before", "after"), (before, after), strict=True):
            furnish(axes, task)
            _draw_moments(axes, task, outcome, colors)
            way = "past" if outcome.clearance > 0 else "through"
            clearance = f"{outcome.clearance:+.2f} m".replace("-", "−")
            axes.set_title(f"{name}: {way} the disc, clearance {clearance}")
        sides[1].set_ylabel("")
        figure.colorbar(colors, ax=list(sides), label="time (s)", pad=0.02, ticks=TICKS[2:])
    return figure


def furnish(axes: "Axes", task: Task) -> None:
    """The plane, to scale, and the disc in it."""
    from matplotlib.patches import Circle

    tidy(axes)
    axes.set_aspect("equal")
    axes.set(xlim=FRAME[0], ylim=FRAME[1], xlabel="x (m)", ylabel="y (m)")
    axes.set(xticks=TICKS, yticks=TICKS[2:])
    fill, rim = OBSTACLE
    disc = task.disc
    axes.add_patch(
        Circle(disc.center, disc.radius, facecolor=fill, edgecolor=rim, hatch="////", zorder=2)
    )


def corners_of(task: Task, outcome: Outcome) -> Any:
    """Base, elbow and tip at each sample, an array `(H, 3, 2)`."""
    return task.arm.corners(outcome.trajectory.position[0]).numpy()


def _draw_moments(axes: "Axes", task: Task, outcome: Outcome, colors: Any) -> None:
    corners = corners_of(task, outcome)
    tips = corners[:, 2]
    last = task.horizon - 1
    for moment in range(MOMENTS):
        at = 1 + round(moment * (last - 1) / (MOMENTS - 1))
        x, y = corners[at].T
        axes.plot(x, y, color="white", linewidth=5.5, zorder=3)  # parts it from those below
        axes.plot(
            *(x, y),
            color=colors.to_rgba(task.times[at]),
            linewidth=3.6,
            marker="o",
            markersize=4.5,
            zorder=3,
        )
    axes.plot(*tips[1:].T, zorder=4, **TIP)
    axes.plot(0.0, 0.0, marker="o", color=INK, markersize=8.0, zorder=5)
    for word, at, shift in (("start", 1, (8, -2)), ("goal", last, (-8, 6))):
        axes.annotate(
            word,
            tips[at],
            xytext=shift,
            textcoords="offset points",
            color=MUTED,
            horizontalalignment="left" if shift[0] > 0 else "right",
        )


# The moving arm beside its growing curves, as a GIF ----------------------------------------------

HOLD = 1000  # milliseconds that the last frame stays
COLORS = 128  # of the GIF
PAPER = 240  # of 255: what is lighter is paper


def _frames(task: Task, before: Outcome, after: Outcome) -> "list[Image]":
    """A picture for each sample from the start on. What does not move is drawn once."""
    from PIL import Image

    figure = new_figure(8.6, 4.3, dpi=100.0)
    grid = figure.add_gridspec(4, 2, width_ratios=(1.35, 1.0))
    plane = figure.add_subplot(grid[:, 0])
    rows = [figure.add_subplot(grid[row, 1]) for row in range(4)]
    furnish(plane, task)
    plane.set_title("dashed: before    solid: after", color=MUTED)
    dress(rows, task)
    for axes in rows[:-1]:
        axes.tick_params(labelbottom=False)
    moving: list[tuple[Any, Sequence[Any]]] = []  # lines, and their points at each sample

    def add(axes: "Axes", points: Sequence[Any], **look: Any) -> None:
        (line,) = axes.plot([], [], animated=True, **look)  # left out of the ground
        moving.append((line, points))

    samples = range(task.horizon)
    was, is_now = corners_of(task, before), corners_of(task, after)
    add(plane, was, linestyle=(0, (3, 2)), linewidth=2.0, color=MUTED, zorder=4)
    arm = {"linewidth": 5.0, "color": INK, "marker": "o", "markersize": 7.0, "zorder": 4}
    add(plane, is_now, **arm)
    add(plane, [is_now[1 : at + 1, 2] for at in samples], zorder=3, **TIP)
    for axes, x in zip(rows, after.trajectory, strict=True):
        for joint, (name, color, _) in enumerate(JOINTS):
            curve = np.column_stack([task.times, x.numpy()[0, :, joint]])
            axes.plot(*curve.T, color=color, alpha=0.25)  # what is to come: so limits stay
            add(axes, [curve[: at + 1] for at in samples], color=color, linewidth=2.0, label=name)
    rows[0].legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 0.98), ncols=2)
    canvas: Any = figure.canvas
    canvas.draw()
    ground = canvas.copy_from_bbox(figure.bbox)
    found = []
    for at in samples[1:]:
        canvas.restore_region(ground)
        for line, points in moving:
            line.set_data(*points[at].T)
            line.axes.draw_artist(line)
        found.append(Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB"))
    return found


def save_animation(task: Task, before: Outcome, after: Outcome, path: Path) -> None:
    """Write the motion as a GIF that plays at its real pace, over and over."""
    from PIL.Image import Dither

    with looks():
        frames = _frames(task, before, after)
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
