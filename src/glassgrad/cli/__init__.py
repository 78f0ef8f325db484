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
from glassgrad._programs import silence, to_stdout
from glassgrad.core.errors import DataError, GlassgradError
from glassgrad.tracing import Trace

from .parsing import make_parser

__all__ = ["main"]

DONE, FAILED, MISUSED, INTERRUPTED = 0, 1, 2, 130

FORMS = (".svg", ".png", ".html", ".json", ".dot", ".gv", ".txt")
OF_TWO = tuple(form for form in FORMS if form != ".json")  # a log tells of one pass
PICTURES = (".svg", ".png", ".dot", ".gv")
BOTH = "--var and --pass each say which pass is meant: leave one of them out"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: the arguments after the program's name; None: those of the process.

    Returns:
        The exit code.
    """
    own, scripts = _split(sys.argv[1:] if argv is None else list(argv))
    try:
        arguments = _parsed(own)
    except SystemExit as request:  # --help and --version end here, and mistakes
        return int(request.code or DONE)
    if arguments.command is None:
        make_parser().print_help(sys.stderr)
        return MISUSED
    if scripts and arguments.command not in ("draw", "step"):
        return _fail(f"{arguments.command} runs no script that could take {scripts[0]}", MISUSED)
    try:
        return _run(arguments, scripts)
    except KeyboardInterrupt:
        return _fail("stopped", INTERRUPTED)
    except BrokenPipeError:  # who reads our output has seen enough: `glassgrad view … | head`
        silence()
        return DONE
    except (GlassgradError, ModuleNotFoundError) as error:
        return _fail(str(error), FAILED)


def _split(argv: list[str]) -> tuple[list[str], list[str]]:
    """Our arguments, and those behind `--`, which go to a script."""
    at = argv.index("--") if "--" in argv else len(argv)
    return argv[:at], argv[at + 1 :]


def _parsed(own: list[str]) -> argparse.Namespace:
    parser = make_parser()
    arguments, unknown = parser.parse_known_args(own)
    if unknown:
        mistake = f"unrecognized arguments: {' '.join(unknown)}"
        if arguments.command in ("draw", "step"):
            mistake += f"; what is meant for the script follows --: … -- {' '.join(unknown)}"
        parser.error(mistake)
    return arguments


def _run(arguments: argparse.Namespace, scripts: list[str]) -> int:
    if arguments.command == "draw":
        return _draw(arguments, scripts)
    if arguments.command == "step":
        return _step(arguments, scripts)
    if arguments.command == "view":
        return _view(arguments)
    if arguments.command == "compare":
        return _compare(arguments)
    with to_stdout():
        run_demo(arguments.out, data=arguments.data, epochs=arguments.epochs, seed=arguments.seed)
    return DONE


def _draw(arguments: argparse.Namespace, scripts: list[str]) -> int:
    from .recorded import Passes, recorded
    from .scripts import run_script

    if (reason := _unwritable(arguments.out, is_mirror=arguments.mirror)) is not None:
        return _fail(reason, MISUSED)
    if arguments.var is not None and arguments.number is not None:
        return _fail(BOTH, MISUSED)
    is_page = arguments.out.suffix.lower() == ".html"
    out = arguments.out.absolute()  # wherever the script goes
    if not out.parent.is_dir():  # known before a script has run for an hour
        return _fail(f"cannot write {arguments.out}: there is no folder {out.parent}", FAILED)
    passes = Passes(arguments.number, explaining=is_page)
    run = run_script(arguments.script, scripts, passes.watch)
    is_asked = arguments.var is not None or arguments.number is not None
    if run.code and passes.last is None and not is_asked:
        return run.code  # the script has said why
    try:
        found = recorded(run.names, passes, arguments.var)
    except DataError as error:
        if not run.code:
            raise
        return _fail(str(error), run.code)
    _save(found.trace, arguments, out, found.explain)
    if found.error is not None and not run.code:
        return _fail(f"the pass failed: {type(found.error).__name__}: {found.error}", FAILED)
    return run.code


def _unwritable(out: Path, forms: Sequence[str] = FORMS, *, is_mirror: bool = False) -> str | None:
    """Why nothing can be written to `out`; known before a script has run for an hour."""
    suffix = out.suffix.lower()
    if suffix not in forms:
        return f"-o {out}: its suffix says no form that is written here: {', '.join(forms)}"
    if is_mirror and suffix not in PICTURES:
        return f"-o {out}: --mirror is for pictures: {', '.join(PICTURES)}; or leave it out"
    if suffix == ".png" and find_spec("resvg_py") is None:
        return f"-o {out}: a PNG needs the package resvg_py: pip install 'glassgrad[png]'"
    return None


def _save(
    trace: Trace, arguments: argparse.Namespace, out: Path, explain: dict[str, Any] | None = None
) -> None:
    from glassgrad.viz import Player, draw
    from glassgrad.viz.explaining.entries import explanations

    look = {"rankdir": arguments.rankdir, "theme": arguments.theme, "mirror": arguments.mirror}
    try:
        if out.suffix.lower() == ".json":
            trace.save(out)
            drawn = str(trace)
        else:
            drawing = draw(trace, **look)
            if out.suffix.lower() == ".html" and trace.events:
                entries = explanations(trace) if explain is None else explain
                Player(trace, drawing, entries).save(out)
            else:
                drawing.save(out)
            drawn = f"{drawing.graph.title}: {trace}"
    except OSError as error:
        raise _cannot_write(arguments.out, error) from None
    sys.stderr.write(f"glassgrad: {drawn} → {arguments.out}\n")  # stdout is the script's
    _warn_of_wrong_rules(trace, explain or {})


def _cannot_write(out: Path, error: OSError) -> DataError:
    return DataError(
        f"cannot write {out}: {error.strerror}. The drawing is finished, and goes there. Name "
        "another file: -o FILE."
    )


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

    if arguments.var is not None and arguments.number is not None:
        return _fail(BOTH, MISUSED)
    number = 0 if arguments.var is not None else arguments.number or 1
    stepper = Stepper(number, arguments.by)
    run = run_script(arguments.script, scripts, stepper.watch)
    if run.code and stepper.seen and not stepper.has_stepped:
        passes = "pass" if stepper.seen == 1 else "passes"
        return _fail(
            f"no pass was stepped: the script ended with {run.code} after {stepper.seen} {passes}",
            run.code,
        )
    if run.code or stepper.has_stepped:
        return run.code
    try:
        stepper.step_loss(run.names, arguments.var)
    except SystemExit as request:  # q, or nobody is there to be told
        return int(request.code or DONE)
    return DONE


def _view(arguments: argparse.Namespace) -> int:
    if arguments.mirror and arguments.out is None:
        return _fail("--mirror says how to draw: it needs -o FILE", MISUSED)
    if arguments.out is not None:
        reason = _unwritable(arguments.out, is_mirror=arguments.mirror)
        if reason is not None:
            return _fail(reason, MISUSED)
    trace = _load(arguments.trace)
    if arguments.out is not None:
        _save(trace, arguments, arguments.out)
        return DONE
    from rich.console import Console

    from .view import show_trace

    with to_stdout():
        console = Console(highlight=False, markup=False)
        show_trace(trace, console, limit=arguments.limit, is_plain=arguments.plain)
    return DONE


def _compare(arguments: argparse.Namespace) -> int:
    from glassgrad.tracing import compare
    from glassgrad.viz import draw

    out = arguments.out
    if out is not None and (reason := _unwritable(out, OF_TWO)) is not None:
        return _fail(reason, MISUSED)
    found = compare(_load(arguments.a), _load(arguments.b), rtol=arguments.rtol)
    with to_stdout():
        sys.stdout.write(f"{found}\n")
    if out is not None:
        try:
            drawing = draw(found, rankdir=arguments.rankdir, theme=arguments.theme)
            drawing.save(out)
        except OSError as error:
            raise _cannot_write(out, error) from None
        sys.stderr.write(f"glassgrad: {drawing.graph.title} → {out}\n")
    return DONE


def _load(path: Path) -> Trace:
    try:
        return Trace.load(path)
    except OSError as error:
        raise DataError(
            f"cannot read {path}: {error.strerror}. A record is a .json file. `glassgrad draw "
            "script.py -o pass.json` writes one."
        ) from None


def _fail(reason: str, code: int) -> int:
    sys.stderr.write(f"glassgrad: {reason}\n")
    return code
