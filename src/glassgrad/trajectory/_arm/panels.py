"""Position, velocity, acceleration and jerk over time, one above the other."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .cost import Outcome, Task, Trajectory
from .look import INK, JOINTS, MUTED, looks, new_figure, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["UNITS", "draw_panels", "dress"]

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
        keys.append(Line2D([], [], color=INK, linewidth=1.1, linestyle=(0, (4, 2.5))))
        keys.append(Line2D([], [], color=INK, linewidth=2.0))
        names = [name for name, _, _ in JOINTS]
        names.append(f"before: a straight line, cost {before.cost:.0f}")
        names.append(f"after: cost {after.cost:.2g}")
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
