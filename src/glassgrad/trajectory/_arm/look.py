"""How the pictures look: colours, sizes, and a way to save them that gives the same bytes again.

matplotlib is imported inside of functions, for glassgrad works without it. Its settings are changed
while a picture is made, and are what they were afterwards; pyplot and its windows are not used.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

__all__ = ["GRID", "INK", "JOINTS", "MUTED", "OBSTACLE", "TIP", "looks"]
__all__ += ["new_figure", "save", "tidy", "time_colors"]

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

    shades = [colormaps["cividis"](0.9 * k / 255) for k in range(256)]
    return LinearSegmentedColormap.from_list("time", shades)


def save(figure: "Figure", path: Path) -> None:
    """Write a figure in the form that the file's suffix names, with no date in it."""
    metadata: dict[str, Any] = {"Date": None} if path.suffix == ".svg" else {"Software": None}
    with looks():  # some settings count only now
        figure.savefig(path, metadata=metadata)
