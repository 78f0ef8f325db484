"""The arm and the disc in the plane, at several moments."""

from typing import TYPE_CHECKING, Any

from .cost import Outcome, Task
from .look import INK, MUTED, OBSTACLE, TIP, looks, new_figure, tidy, time_colors

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["corners_of", "draw_snapshots", "furnish"]

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
