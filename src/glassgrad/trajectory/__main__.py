"""`python -m glassgrad.trajectory`: a robot arm learns to swing past a disc.

Exit codes: 0 a good plan was found and drawn, 1 it was not (the reason is on stderr), 2 a command
line that makes no sense or a package that is missing, 130 stopped by Ctrl-C.
"""

import argparse
import importlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from glassgrad import _programs
from glassgrad._words import printable

from ._arm.planning import CLEARANCE, COST, FOLDS, GOAL_ERROR, Plan, Task, plan, shortfalls

STEPS = 800
REMEDY = "The pictures go there. Name another folder: `python -m glassgrad.trajectory --out DIR`."

_ABOUT = """\
Plan how an arm of two links swings past a disc: find 40 positions of its two joints, such that the
motion is smooth, ends at the goal and keeps away from the disc. The cost depends on positions,
accelerations and jerks. All of them, and the way back of their gradients, are one node of the graph
(glassgrad.trajectory.CliqueTensorStepIdxCentralDifferenceKernel); Adam does the rest.

Three first guesses are improved side by side: a straight line, which leads through the disc, and
two that fold the arm on the way. The best plan is drawn.
"""

_MORE = f"""\
Into the output folder go
  arm-panels.png, .svg     position, velocity, acceleration and jerk, before and after
  arm-snapshots.png, .svg  the arm at nine moments, the disc, and the path of the arm's tip
  arm.gif                  the arm as it moves, beside the growing curves

A plan is good if its cost is below {COST:g}, the clearance is above {CLEARANCE:g} m, at its samples
and between them, and the goal is missed by less than {GOAL_ERROR:g} rad.

examples:
  python -m glassgrad.trajectory                   plan, draw into out/; takes seconds
  python -m glassgrad.trajectory --out /tmp/look   … into another folder
  python -m glassgrad.trajectory --steps 100       a hasty plan: shakier, but past the disc?

exit codes:
  0 a good plan; 1 a plan that is not good enough, or no place to write to; 2 a command line that
  makes no sense, or matplotlib or pillow is missing: pip install matplotlib pillow

The code is meant to be read: src/glassgrad/trajectory/_arm/, planning.py first.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the example.

    Args:
        argv: the arguments after the program's name; None: those of the process.

    Returns:
        The exit code.
    """
    return _programs.run_program("glassgrad.trajectory", lambda: _run(argv))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m glassgrad.trajectory",
        description=_ABOUT,
        epilog=_MORE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--out", type=Path, default=Path("out"), metavar="DIR", help="the output folder: out"
    )
    parser.add_argument(
        "--steps",
        type=_programs.at_least_one,
        default=STEPS,
        metavar="N",
        help=f"how many steps of Adam to make: {STEPS}",
    )
    return parser


def _missing() -> list[str]:
    """The packages that pictures need and are not here."""
    missing = []
    for module, package in (("matplotlib", "matplotlib"), ("PIL", "pillow")):
        try:
            importlib.import_module(module)
        except ImportError:
            missing.append(package)
    return missing


def _run(argv: Sequence[str] | None) -> int:
    arguments = _parser().parse_args(argv)
    if missing := _missing():
        raise _programs.Refused(
            f"the pictures need {' and '.join(missing)}: pip install matplotlib pillow"
        )
    with _programs.to_stdout():
        reasons = _plan_and_draw(arguments.out, arguments.steps)
    if reasons:
        advice = " More steps help: --steps 800." if arguments.steps < STEPS else ""
        raise _programs.Refused(
            f"the plan is not good enough: {'; '.join(reasons)}.{advice}", _programs.FAILED
        )
    return _programs.DONE


def _plan_and_draw(out: Path, steps: int) -> list[str]:
    """Do both, tell of it, and return in what the plan is not good enough."""
    from rich.console import Console

    console = Console(highlight=False, markup=False, soft_wrap=True)
    _programs.require_writable(out, REMEDY)
    task = Task()
    console.print(
        f"an arm of two links, a disc in its way: {task.actions} positions to be found, "
        f"{task.duration:g} s from the first to the last"
    )
    with _programs.progress(
        console, "planning", "cost {:.2f}", steps, disable=not console.is_terminal
    ) as report:
        found = plan(task, steps, report)
    for line in _figures(found):
        console.print(line)
    for line in _draw(task, found, out):
        console.print(printable(line))
    return shortfalls(found.after[found.best])


def _figures(found: Plan) -> Iterator[str]:
    """The figures of all guesses, then those of the plan that is kept."""
    yield f"planned in {found.seconds:.1f} s"
    yield f"  {'first guess':<14}{'cost':>15}{'clearance':>21}{'goal missed by':>18}"
    for name in FOLDS:
        was, is_now = found.before[name], found.after[name]
        cost = f"{was.cost:.1f} → {is_now.cost:.2f}"
        clearance = f"{was.clearance:+.3f} → {is_now.clearance:+.3f} m"
        yield f"  {name:<14}{cost:>15}{clearance:>21}{is_now.goal_error:>14.4f} rad"
        if is_now.clearance <= 0 < is_now.at_samples:
            yield (
                f"  {'':<14}at its samples {is_now.at_samples:+.3f} m, but between two of them it "
                "jumps through the disc"
            )
    was, best = found.before["straight"], found.after[found.best]
    yield (
        f"kept, {found.best}: cost {was.cost:.1f} of the straight line → {best.cost:.2f}, "
        f"clearance {best.clearance:+.3f} m, goal missed by {best.goal_error:.4f} rad"
    )


def _draw(task: Task, found: Plan, out: Path) -> Iterator[str]:
    """Draw the straight line and the plan that is kept, and tell where."""
    from ._arm.pictures import draw_panels, draw_snapshots, save, save_animation

    before, after = found.before["straight"], found.after[found.best]
    pictures = {
        "arm-panels": (draw_panels, "position, velocity, acceleration, jerk"),
        "arm-snapshots": (draw_snapshots, "the arm at nine moments"),
    }
    width = len(str(out)) + 19
    with _programs.writing(out, REMEDY):
        for name, (draw, what) in pictures.items():
            figure = draw(task, before, after)
            for form in (".png", ".svg"):
                path = out / f"{name}{form}"
                save(figure, path)
                yield f"  {path!s:<{width}}  {what}"
        path = out / "arm.gif"
        save_animation(task, before, after, path)
        yield f"  {path!s:<{width}}  the arm as it moves"


if __name__ == "__main__":
    sys.exit(main())
