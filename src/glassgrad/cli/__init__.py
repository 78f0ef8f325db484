"""The command line: `glassgrad demo`, `draw`, `step`, `view` and `compare`.

Exit codes: 0 done, 1 it could not be done (the reason is on stderr), 2 a command line that makes
no sense, 130 stopped by Ctrl-C. Where a script of the user is run and exits with another code than
0, that is the exit code.
"""

import argparse
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from glassgrad._demo import run_demo
from glassgrad._programs import (
    DONE,
    FAILED,
    INTERRUPTED,
    MISUSED,
    Refused,
    reaching,
    run_program,
    to_stdout,
)
from glassgrad.core.errors import DataError
from glassgrad.tracing import Comparison, Trace

from .parsing import make_parser

__all__ = ["DONE", "FAILED", "INTERRUPTED", "MISUSED", "main"]

FORMS = (".svg", ".png", ".html", ".json", ".dot", ".gv", ".txt")
PICTURES = (".svg", ".png", ".dot", ".gv")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: the arguments after the program's name; None: those of the process.

    Returns:
        The exit code.
    """
    typed = sys.argv[1:] if argv is None else list(argv)
    return run_program("glassgrad", lambda: _run(typed))


def _run(typed: list[str]) -> int:
    at = typed.index("--") if "--" in typed else len(typed)
    own, scripts = typed[:at], typed[at + 1 :]  # what follows -- goes to a script
    parser = make_parser()
    arguments, unknown = parser.parse_known_args(own)
    runs_script = arguments.command in ("draw", "step")
    if unknown:
        mistake = f"unrecognized arguments: {' '.join(unknown)}"
        if runs_script:
            mistake += f"; what is meant for the script follows --: … -- {' '.join(unknown)}"
        parser.error(mistake)
    if arguments.command is None:
        parser.print_help(sys.stderr)
        return MISUSED
    if scripts and not runs_script:
        raise Refused(f"{arguments.command} runs no script that could take {scripts[0]}")
    if runs_script and arguments.var is not None and arguments.number is not None:
        raise Refused("--var and --pass each say which pass is meant: leave one of them out")
    if runs_script:
        return {"draw": _draw, "step": _step}[arguments.command](arguments, scripts)
    {"demo": _demo, "view": _view, "compare": _compare}[arguments.command](arguments)
    return DONE


def _demo(arguments: argparse.Namespace) -> None:
    with to_stdout():
        run_demo(arguments.out, data=arguments.data, epochs=arguments.epochs, seed=arguments.seed)


def _draw(arguments: argparse.Namespace, scripts: list[str]) -> int:
    from .recorded import Passes, recorded
    from .scripts import run_script

    _check_form(arguments.out, is_mirror=arguments.mirror)
    out = arguments.out.absolute()  # wherever the script goes
    if not out.parent.is_dir():  # known before a script has run for an hour
        reason = f"cannot write {arguments.out}: there is no folder {out.parent}"
        raise Refused(reason, FAILED)
    passes = Passes(arguments.number, explaining=arguments.out.suffix.lower() == ".html")
    run = run_script(arguments.script, scripts, passes.watch)
    is_asked = arguments.var is not None or arguments.number is not None
    if run.code and passes.last is None and not is_asked:
        return run.code  # the script has said why
    try:
        found = recorded(run.names, passes, arguments.var)
    except DataError as error:
        raise Refused(str(error), run.code or FAILED) from None
    _save(found.trace, arguments, out, found.explain)
    if found.error is not None and not run.code:
        failure = f"the pass failed: {type(found.error).__name__}: {found.error}"
        raise Refused(failure, FAILED)
    return run.code


def _check_form(out: Path, forms: Sequence[str] = FORMS, *, is_mirror: bool = False) -> None:
    """Raise if nothing can be written to `out`; known before a script has run for an hour."""
    suffix = out.suffix.lower()
    if suffix not in forms:
        raise Refused(f"-o {out}: its suffix says no form that is written here: {', '.join(forms)}")
    if is_mirror and suffix not in PICTURES:
        raise Refused(f"-o {out}: --mirror is for pictures: {', '.join(PICTURES)}; or leave it out")
    if suffix == ".png" and find_spec("resvg_py") is None:
        raise Refused(f"-o {out}: a PNG needs the package resvg_py: pip install 'glassgrad[png]'")


def _save(
    shown: Trace | Comparison,
    arguments: argparse.Namespace,
    out: Path,
    explain: dict[str, Any] | None = None,
) -> None:
    """Write a pass, or what differs between two, in the form that the suffix names."""
    from glassgrad.viz import Player, draw
    from glassgrad.viz.explaining.entries import explanations

    suffix, trace = out.suffix.lower(), shown if isinstance(shown, Trace) else None
    remedy = "The drawing is finished, and goes there. Name another file: -o FILE."
    with reaching(f"write {arguments.out}", remedy):
        if trace is not None and suffix == ".json":
            trace.save(out)
            told = str(trace)
        else:
            mirror = trace is not None and arguments.mirror
            drawing = draw(shown, rankdir=arguments.rankdir, theme=arguments.theme, mirror=mirror)
            told = drawing.graph.title if trace is None else f"{drawing.graph.title}: {trace}"
            if trace is not None and suffix == ".html" and trace.events:
                entries = explanations(trace) if explain is None else explain
                Player(trace, drawing, entries).save(out)
            else:
                drawing.save(out)
    sys.stderr.write(f"glassgrad: {told} → {arguments.out}\n")  # stdout is the script's
    if trace is not None and explain is not None:
        _warn_of_wrong_rules(trace, explain)


def _warn_of_wrong_rules(trace: Trace, explain: dict[str, Any]) -> None:
    ops = {node["id"]: node["op"] for node in trace.nodes}
    wrong = [f"{name} {ops[name]}" for name, entry in explain.items() if entry["ok"] is False]
    if wrong:
        which = ", ".join(dict.fromkeys(wrong[:8]))
        sys.stderr.write(
            f"glassgrad: ✗ a wrong backward: {which} disagrees with differences of its forward; "
            "the page tells where\n"
        )


def _step(arguments: argparse.Namespace, scripts: list[str]) -> int:
    from .scripts import run_script
    from .stepping import Stepper

    number = 0 if arguments.var is not None else arguments.number or 1
    stepper = Stepper(number, arguments.by)
    run = run_script(arguments.script, scripts, stepper.watch)
    if run.code and stepper.seen and not stepper.has_stepped:
        passes = "pass" if stepper.seen == 1 else "passes"
        raise Refused(
            f"no pass was stepped: the script ended with {run.code} after {stepper.seen} {passes}",
            run.code,
        )
    if not run.code and not stepper.has_stepped:
        stepper.step_loss(run.names, arguments.var)
    return run.code


def _view(arguments: argparse.Namespace) -> None:
    if arguments.out is not None:
        _check_form(arguments.out, is_mirror=arguments.mirror)
        _save(_load(arguments.trace), arguments, arguments.out)
        return
    if arguments.mirror:
        raise Refused("--mirror says how to draw: it needs -o FILE")
    from rich.console import Console

    from .view import show_trace

    trace = _load(arguments.trace)
    with to_stdout():
        console = Console(highlight=False, markup=False)
        show_trace(trace, console, limit=arguments.limit, is_plain=arguments.plain)


def _compare(arguments: argparse.Namespace) -> None:
    from glassgrad.tracing import compare

    if arguments.out is not None:
        _check_form(arguments.out, [form for form in FORMS if form != ".json"])  # of one pass
    found = compare(_load(arguments.a), _load(arguments.b), rtol=arguments.rtol)
    with to_stdout():
        sys.stdout.write(f"{found}\n")
    if arguments.out is not None:
        _save(found, arguments, arguments.out)


def _load(path: Path) -> Trace:
    remedy = "A record is a .json file. `glassgrad draw script.py -o pass.json` writes one."
    with reaching(f"read {path}", remedy):
        return Trace.load(path)
