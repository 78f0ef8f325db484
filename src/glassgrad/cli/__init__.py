"""The command line: `glassgrad demo`, `draw`, `step` and `view`.

Exit codes: 0 done, 1 it could not be done (the reason is on stderr), 2 a command line that makes
no sense, 130 stopped by Ctrl-C. Where a script of the user is run and exits with another code than
0, that is the exit code.
"""

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from glassgrad._demo import run_demo
from glassgrad.base.errors import DataError, GlassgradError
from glassgrad.tracing import Trace

from .parsing import make_parser

__all__ = ["main"]

DONE, FAILED, MISUSED, INTERRUPTED = 0, 1, 2, 130

FORMS = (".svg", ".png", ".html", ".json", ".dot", ".gv", ".txt")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: the arguments after the program's name; None: those of the process.

    Returns:
        The exit code.
    """
    own, scripts = _split(sys.argv[1:] if argv is None else list(argv))
    try:
        arguments = make_parser().parse_args(own)
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
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except (GlassgradError, ModuleNotFoundError) as error:
        return _fail(str(error), FAILED)


def _split(argv: list[str]) -> tuple[list[str], list[str]]:
    """Our arguments, and those behind `--`, which go to a script."""
    at = argv.index("--") if "--" in argv else len(argv)
    return argv[:at], argv[at + 1 :]


def _run(arguments: argparse.Namespace, scripts: list[str]) -> int:
    if arguments.command == "draw":
        return _draw(arguments, scripts)
    if arguments.command == "step":
        return _step(arguments, scripts)
    if arguments.command == "view":
        return _view(arguments)
    run_demo(arguments.out, data=arguments.data, epochs=arguments.epochs, seed=arguments.seed)
    return DONE


def _draw(arguments: argparse.Namespace, scripts: list[str]) -> int:
    from .recorded import Passes, trace_of
    from .scripts import run_script

    out = arguments.out
    if out.suffix.lower() not in FORMS:
        known = ", ".join(FORMS)
        return _fail(f"-o {out}: its suffix says no form that is written here: {known}", MISUSED)
    passes = Passes()
    run = run_script(arguments.script, scripts, passes.watch)
    if run.code:
        return run.code
    _save(trace_of(run.names, passes, arguments.var), arguments)
    return DONE


def _save(trace: Trace, arguments: argparse.Namespace) -> None:
    from glassgrad.viz import draw, player

    out: Path = arguments.out
    try:
        if out.suffix.lower() == ".json":
            trace.save(out)
        elif out.suffix.lower() == ".html" and trace.events:
            player(trace).save(out)
        else:
            draw(trace, rankdir=arguments.rankdir, theme=arguments.theme).save(out)
    except OSError as error:
        raise DataError(
            f"cannot write {out}: {error.strerror}. The drawing is finished, and goes there. "
            "Name another file: -o FILE."
        ) from None
    sys.stderr.write(f"glassgrad: {trace} → {out}\n")  # stdout is the script's


def _step(arguments: argparse.Namespace, scripts: list[str]) -> int:
    from .scripts import run_script
    from .stepping import Stepper

    number = 0 if arguments.var is not None else arguments.number
    stepper = Stepper(number, arguments.by)
    run = run_script(arguments.script, scripts, stepper.watch)
    if run.code or stepper.has_stepped:
        return run.code
    with contextlib.suppress(SystemExit):  # q
        stepper.step_loss(run.names, arguments.var)
    return DONE


def _view(arguments: argparse.Namespace) -> int:
    from rich.console import Console

    from .view import show_trace

    try:
        trace = Trace.load(arguments.trace)
    except OSError as error:
        raise DataError(
            f"cannot read {arguments.trace}: {error.strerror}. A record is a .json file. "
            "`glassgrad draw script.py -o pass.json` writes one."
        ) from None
    show_trace(trace, Console(highlight=False, markup=False), limit=arguments.limit)
    sys.stdout.flush()
    return DONE


def _fail(reason: str, code: int) -> int:
    sys.stderr.write(f"glassgrad: {reason}\n")
    return code
