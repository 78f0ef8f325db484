"""The command line: `glassgrad demo`, `draw`, `step`, `watch`, `view`, `compare`, and the course.

A command is a function; its docstring is the help that teaches it, up to its examples above the
list of its arguments. Exit codes: 0 done, 1 it could not be done (the reason is on stderr), 2 a
command line that makes no sense, 130 stopped by Ctrl-C. Where a script of the user is run and exits
with another code than 0, that is the exit code.
"""

import argparse
import inspect
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn

from glassgrad import __version__, _programs
from glassgrad._programs import DONE, FAILED, INTERRUPTED, MISUSED, Refused
from glassgrad._words import counted, printable
from glassgrad.core.errors import DataError
from glassgrad.core.tensor import Tensor
from glassgrad.doctor import watch
from glassgrad.tracing import Comparison, Trace, compare, step
from glassgrad.tracing.graph import Entry
from glassgrad.viz import Drawing, Player, draw

from . import torch_scripts
from .scripts import Options, Recorder, Script
from .stepping import STEPS, Prompt, commands_help
from .view import show_trace

__all__ = ["DONE", "FAILED", "INTERRUPTED", "MISUSED", "main"]

FORMS = (".svg", ".png", ".html", ".json", ".dot", ".gv", ".txt")
PICTURES = (".svg", ".png", ".dot", ".gv")

_ABOUT = """\
Autograd you can see through: PyTorch's autograd on NumPy, with every backward pass on view.

A first look takes some seconds: `glassgrad demo` trains a small network on real handwritten
digits, watches one backward pass while it runs, and leaves a picture of it, a page to step
through it, and the record that both are made of.
"""

_MORE = """\
examples:
  glassgrad demo                              train, record, draw into out/
  glassgrad demo --out /tmp/look              … into another folder
  glassgrad draw train.py -o graph.svg        the backward graph of your own script
  glassgrad draw train.py -o pass.html        a page to step through its backward pass
  glassgrad step train.py                     pause that pass, node by node
  glassgrad watch train.py                    look for mistakes that nobody complains about
  glassgrad view out/digits.trace.json        a record, as text
  glassgrad compare before.json after.json    what differs between two records
  glassgrad course                            the chapters of the course, in JupyterLab
  glassgrad check 01                          grade the exercises of chapter 1
  glassgrad draw --help                       all that can be changed

the same in Python:
  import glassgrad as gg
  x = gg.tensor([1.0, 2.0], requires_grad=True)
  loss = (x * x).sum()
  trace = gg.record(loss)              runs loss.backward() and writes down what happens
  gg.draw(trace).save("graph.svg")     the backward graph
  gg.player(trace).save("pass.html")   the pass, event by event
  print(gg.explain(loss))              one step of it: its rule, in these numbers
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: the arguments after the program's name; None: those of the process.

    Returns:
        The exit code.
    """
    typed = sys.argv[1:] if argv is None else list(argv)
    return _programs.run_program("glassgrad", lambda: _run(typed))


def _run(typed: list[str]) -> int:
    at = typed.index("--") if "--" in typed else len(typed)
    parser = _parser()
    arguments, unknown = parser.parse_known_args(typed[:at])
    arguments.rest = typed[at + 1 :]  # what follows -- goes to a script
    runs_script = "script" in arguments
    if unknown:
        mistake = f"unrecognized arguments: {' '.join(unknown)}"
        if runs_script:
            mistake += f"; what is meant for the script follows --: … -- {' '.join(unknown)}"
        parser.error(mistake)
    if arguments.command is None:
        parser.print_help(sys.stderr)
        return MISUSED
    if arguments.rest and not runs_script:
        raise Refused(f"{arguments.command} runs no script that could take {arguments.rest[0]}")
    if runs_script and arguments.var is not None and arguments.number is not None:
        raise Refused("--var and --pass each say which pass is meant: leave one of them out")
    for module in ("rich", "xxhash"):  # known before a script has run for an hour
        if find_spec(module) is None:
            raise Refused(_programs.absent(module), FAILED)
    return arguments.work(arguments) or DONE


# What can be typed -------------------------------------------------------------------------------

Option = Callable[[argparse.ArgumentParser], argparse.Action]


def _option(*names: str, **how: Any) -> Option:
    """An argument of a command: what `add_argument` takes."""
    return lambda parser: parser.add_argument(*names, **how)


def _out(help: str, *, required: bool = False) -> Option:
    return _option("-o", "--out", type=Path, required=required, metavar="FILE", help=help)


def _pass(help: str) -> Option:
    return _option("--pass", dest="number", type=_programs.at_least_one, metavar="K", help=help)


def _tolerance(text: str) -> float:
    value = _programs.real_number(text)
    if not value >= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 up")
    return value


_SCRIPT = _option("script", type=Path, help="a Python file that computes with glassgrad or PyTorch")
_VAR = _option("--var", metavar="NAME", help="the variable of the script to begin at")
_RANKDIR = _option(
    "--rankdir",
    choices=("LR", "TB"),
    help="which way the gradient goes: left to right (default, if it can be read) or top to bottom",
)
_THEME = _option(
    "--theme", choices=("auto", "light", "dark"), default="auto", help="(default: auto)"
)
_MIRROR = _option(
    "--mirror",
    action="store_true",
    help="forward and backward face to face, with what was saved between them; for a picture "
    "(.svg, .png, .dot) of up to 60 nodes",
)


class _Parser(argparse.ArgumentParser):
    """Tells of what was typed as text, whatever a terminal would make of it."""

    def error(self, message: str) -> NoReturn:
        super().error(printable(message))


def _parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = _Parser(
        prog="glassgrad",
        description=_ABOUT,
        epilog=_MORE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"glassgrad {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="command")
    for work, (short, *options) in _COMMANDS.items():
        told = inspect.cleandoc(work.__doc__ or "").replace("{commands}", commands_help())
        about, _, more = told.partition("\n\nExamples:")
        command = commands.add_parser(
            work.__name__[1:],
            help=short,
            description=about,
            epilog=more and f"examples:{more}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.set_defaults(work=work, mirror=False, var=None, number=None)
        for add in options:
            add(command)
    return parser


# The commands ------------------------------------------------------------------------------------


def _demo(arguments: argparse.Namespace) -> None:
    """Train a network on real digits, then record the backward pass of one more batch.

    The network has one hidden layer, the digits are the 1,797 handwritten ones of UCI that come
    with glassgrad.

    Into the output folder go
      digits.svg         the backward graph: what the pass visits, from the loss to the weights
      digits.html        the same pass to step through; open it in a browser, press → and ←
      digits.trace.json  the record: the graph, and every event in the order in which it happened
    """
    from glassgrad._demo import run_demo  # with networks and digits, which only this needs

    with _programs.to_stdout():
        run_demo(arguments.out, data=arguments.data, epochs=arguments.epochs, seed=arguments.seed)


def _draw(arguments: argparse.Namespace) -> int:
    """Run a script and draw a backward pass of it.

    The script runs as under `python script.py`: its output, its files and its exit code are its
    own. Drawn is the last backward pass that it runs, or the one that --pass numbers; if it runs
    none, that of its last loss (the last variable that is a number and requires grad), which is run
    then; or that of the tensor which --var names. A pass that fails is drawn as far as it came,
    with the error. A script that computes with PyTorch is drawn just so, from PyTorch's own passes.

    A page (.html) plays the pass event by event. Of each node it tells the rule in these numbers,
    and whether the rule agrees with differences of the forward: so the forwards of your own
    Functions run some more times, on copies.

    Examples:
      glassgrad draw train.py -o graph.svg             a picture, for browsers and documents
      glassgrad draw train.py -o graph.png             the same in pixels
      glassgrad draw train.py -o pass.html             a page: → and ← step through the pass
      glassgrad draw train.py -o pass.json             the record, for `glassgrad view pass.json`
      glassgrad draw train.py -o graph.dot             for Graphviz
      glassgrad draw train.py -o both.svg --mirror     forward and backward, face to face
      glassgrad draw train.py -o l2.svg --var penalty  the graph behind the variable `penalty`
      glassgrad draw train.py -o p3.html --pass 3      the third pass of a training loop
      glassgrad draw train.py -o graph.svg -- --lr 1   what follows -- goes to the script

    exit codes:
      0 drawn; 1 nothing to draw, a pass that failed, or no place to write to; otherwise what the
      script exits with
    """
    _check_form(arguments.out, is_mirror=arguments.mirror)
    out = arguments.out.absolute()  # wherever the script goes
    if not out.parent.is_dir():  # known before a script has run for an hour
        reason = f"cannot write {arguments.out}: there is no folder {out.parent}"
        raise Refused(reason, FAILED)
    script, var = Script(arguments.script, arguments.rest), arguments.var
    is_page = arguments.out.suffix.lower() == ".html"
    recorder = Recorder(script, arguments.number, explaining=is_page)
    is_asked = var is not None or arguments.number is not None
    if script.code and not recorder.passes and not is_asked:
        return script.code  # the script has said why
    try:
        found = recorder.chosen(var)
    except DataError as error:
        raise Refused(str(error), script.code or FAILED) from None
    _save(found.trace, arguments, out, found.explain)
    ops = {node["id"]: node["op"] for node in found.trace.nodes}
    known = (found.explain or {}).items()
    wrong = [f"{name} {ops[name]}" for name, entry in known if entry["ok"] is False]
    if wrong:
        _programs.tell(
            f"✗ a wrong backward: {', '.join(wrong[:8])} disagrees with differences of its "
            "forward; the page tells where"
        )
    if found.error is not None and not script.code:
        failure = f"the pass failed: {type(found.error).__name__}: {found.error}"
        raise Refused(failure, FAILED)
    return script.code


def _step(arguments: argparse.Namespace) -> int:
    r"""Run a script and pause its backward pass, node by node.

    It is the real pass, with its real gradients. The script runs as under `python script.py`.
    When it calls backward(), the pass stops before its first node and commands are read from stdin,
    one a line:

    {commands}

    If the script runs no pass, its last loss is stepped when it is done; or the tensor that --var
    names.

    Examples:
      glassgrad step train.py                        stop at its first pass
      glassgrad step train.py --pass 100             at its 100th
      glassgrad step train.py --by hook              stop at each hook, too
      glassgrad step model.py --var loss             a script that calls no backward()
      glassgrad step train.py -- --lr 1              what follows -- goes to the script
      printf 'break nan\nc\n' | glassgrad step train.py    commands from a pipe

    exit codes:
      0 done, or quit; 1 nothing to step; otherwise what the script exits with
    """
    script, var = Script(arguments.script, arguments.rest), arguments.var
    number = 0 if var is not None else arguments.number or 1

    def pause(outputs: list[Tensor], options: Options) -> None:
        if torch_scripts.is_torch(outputs[0]):
            _programs.tell(
                "the script computes with PyTorch, whose passes are stepped in Python: "
                "`with glassgrad.tracing.torch.step(loss) as s: …`; `glassgrad draw` shows them"
            )
            raise SystemExit(FAILED)
        with step(outputs, **options, granularity=arguments.by) as session:
            Prompt(session).talk()

    script.run(pause, number)
    if 0 < number <= script.passes:
        return script.code
    if script.code and script.passes:
        passes = counted(script.passes, "pass", "passes")
        reason = f"no pass was stepped: the script ended with {script.code} after {passes}"
        raise Refused(reason, script.code)
    if script.passes and var is None:
        raise script.wrong_number(number, "stepped")
    if not script.code:
        tensor = script.find(var)
        with script.named():
            pause([tensor], {})
    return script.code


def _watch(arguments: argparse.Namespace) -> int:
    """Run a script and look for mistakes that no library complains about.

    Gradients that are never cleared, parameters that never move, values that backward needs and
    somebody overwrote, a loss that broadcasts, graphs that pile up, dead units, and more. The
    script runs as under `python script.py`, with the same numbers; it may compute with glassgrad
    or with PyTorch. At its end stderr tells each finding once: its line, the names of the tensors,
    and what to write instead.

    Examples:
      glassgrad watch train.py                  run it, then read what was found
      glassgrad watch train.py --strict         … and exit with 1 if anything was
      glassgrad watch train.py -- --epochs 1    what follows -- goes to the script

    exit codes:
      what the script exits with; with --strict 1 if that is 0 and something was found
    """
    script, block = Script(arguments.script, arguments.rest), watch()
    script.run_within(block)
    if not block.findings:
        passes, steps = counted(block.passes, "pass", "passes"), counted(block.steps, "step")
        _programs.tell(f"nothing was found in {passes} and {steps}", "glassgrad watch")
    return script.code or (FAILED if arguments.strict and block.findings else DONE)


def _view(arguments: argparse.Namespace) -> None:
    """Show a record: what `trace.save`, `glassgrad demo` and `glassgrad draw -o pass.json` write.

    It has the nodes in the order in which the pass visits them, then each event in a sentence. In a
    terminal these are tables; into a pipe or a file go plain lines, one a node, one an event. With
    -o it is drawn instead, into any form that `glassgrad draw` writes.

    Examples:
      glassgrad view out/digits.trace.json
      glassgrad view pass.json --limit 20           20 nodes and events, the first and the last
      glassgrad view pass.json -o pass.html         a page to step through it
      glassgrad view pass.json -o graph.svg         the graph alone
      glassgrad view pass.json -o both.svg --mirror   forward and backward, face to face
      glassgrad view pass.json --plain              lines in place of tables: for a screen reader
      glassgrad view pass.json | grep stale         … and for other programs
      NO_COLOR=1 glassgrad view pass.json           tables without colours
    """
    if arguments.out is not None:
        _check_form(arguments.out, is_mirror=arguments.mirror)
        _save(_load(arguments.trace), arguments, arguments.out)
        return
    if arguments.mirror:
        raise Refused("--mirror says how to draw: it needs -o FILE")
    from rich.console import Console

    trace = _load(arguments.trace)
    with _programs.to_stdout():
        console = Console(highlight=False, markup=False)
        show_trace(trace, console, limit=arguments.limit, is_plain=arguments.plain)


def _compare(arguments: argparse.Namespace) -> None:
    """Say what differs between two records.

    That is nodes that only one of them has, edges that lead elsewhere, values and gradients that
    are not the same, and where the passes went in another order. Nodes are matched by the paths
    that lead to them from the loss, so what lies behind a change is compared, too. With -o both are
    drawn as one picture besides, with what differs marked.

    Examples:
      glassgrad draw train.py -o before.json                 record the pass, change the script,
      glassgrad draw train.py -o after.json                  and record it once more
      glassgrad compare before.json after.json
      glassgrad compare before.json after.json -o diff.svg   … and as a picture
      glassgrad compare before.json after.json --rtol 0.01   numbers may differ by one percent
      glassgrad compare before.json after.json | grep -q '^the same'    for other programs

    exit codes:
      0 compared, whether something differs or not; 1 a record that cannot be read, or no place to
      write to
    """
    if arguments.out is not None:
        _check_form(arguments.out, [form for form in FORMS if form != ".json"])  # of one pass
    found = compare(_load(arguments.a), _load(arguments.b), rtol=arguments.rtol)
    with _programs.to_stdout():
        sys.stdout.write(printable(f"{found}\n"))
    if arguments.out is not None:
        _save(found, arguments, arguments.out)


def _course(arguments: argparse.Namespace) -> int:
    """Copy the chapters of the course into a folder, and open them in JupyterLab.

    The folder gets the notebooks, and in stubs/ a file for each chapter, with the functions to fill
    in. A file that you have changed is overwritten only if you say so.

    Examples:
      glassgrad course                       into course/, then JupyterLab
      glassgrad course lessons --no-browser  … into lessons/; it prints the address to open
      glassgrad course --port 9000           … at this port
      glassgrad course --figures slides      save the chapters' pictures and players, for slides

    exit codes:
      0 done; 1 a folder that cannot be written; otherwise what JupyterLab exits with
    """
    from . import lessons  # and what judges answers: only here and in `check`

    if arguments.figures is not None:
        return lessons.save_figures(arguments.figures)
    return lessons.copy_and_open(
        arguments.dir, force=arguments.force, browser=not arguments.no_browser, port=arguments.port
    )


def _check(arguments: argparse.Namespace) -> int:
    """Grade the exercises: files of stubs that you have filled in.

    `glassgrad course` writes the stubs, a file for each chapter. A task that is not passed says
    what is wrong, with the smallest input that shows it. An answer runs in a process of its own,
    for some seconds: it may hang, end Python or print without end.

    Examples:
      glassgrad check                     all chapters whose files are there
      glassgrad check 01                  one chapter
      glassgrad check 01.slopes           one task
      glassgrad check --dir solved --json score.json    files elsewhere; the score for programs

    exit codes:
      0 all tasks are passed; 1 some are not, or there are no files to grade
    """
    from . import lessons

    return lessons.grade(arguments.task, arguments.dir, arguments.json)


_COMMANDS: dict[Callable[[argparse.Namespace], int | None], tuple[Any, ...]] = {
    _demo: (
        "train on real digits, then record and draw",
        _option(
            "--out",
            type=Path,
            default=Path("out"),
            metavar="DIR",
            help="output folder (default: out)",
        ),
        _option(
            "--epochs",
            type=_programs.at_least_one,
            default=15,
            metavar="N",
            help="how often to go through the training images (default: 15)",
        ),
        _option(
            "--seed", type=int, default=0, metavar="N", help="makes a run repeatable (default: 0)"
        ),
        _option(
            "--data",
            type=Path,
            metavar="FILE",
            help="an .npz with `images` (N, 8, 8) from 0 to 16 and `labels` (N,), in place of ours",
        ),
    ),
    _draw: (
        "draw a backward pass of a script of yours",
        _SCRIPT,
        _VAR,
        _out("where to: .svg, .png, .html, .json, .dot or .txt", required=True),
        _pass("which backward pass of the script to draw, counted from 1 (default: the last)"),
        _RANKDIR,
        _THEME,
        _MIRROR,
    ),
    _step: (
        "pause the backward pass of a script",
        _SCRIPT,
        _VAR,
        _pass("which backward pass of the script to pause, counted from 1 (default: 1)"),
        _option(
            "--by",
            choices=STEPS,
            default="node",
            help="how much a step does: a node, up to a hook, or one phase (default: node)",
        ),
    ),
    _watch: (
        "look for silent mistakes in a script",
        _option("script", type=Path, help="a Python file that trains, with glassgrad or PyTorch"),
        _option("--strict", action="store_true", help="exit with 1 if anything is found"),
    ),
    _view: (
        "show a record in the terminal",
        _option("trace", type=Path, help="a .json file that holds a record"),
        _option(
            "--limit",
            type=_programs.at_least_one,
            metavar="N",
            help="at most N nodes and N events, the first and the last",
        ),
        _option("--plain", action="store_true", help="lines, no tables, in a terminal too"),
        _out("draw it: .svg, .png, .html (a page that plays it), .dot, .txt or .json"),
        _RANKDIR,
        _THEME,
        _MIRROR,
    ),
    _compare: (
        "say what differs between two records",
        _option("a", type=Path, help="a .json file that holds a record: it comes first"),
        _option("b", type=Path, help="the other one"),
        _option(
            "--rtol",
            type=_tolerance,
            default=1e-5,
            metavar="R",
            help="how far two numbers may differ, relative to the larger (default: 1e-5)",
        ),
        _out("draw both, what differs marked: .svg, .png, .html, .dot or .txt"),
        _RANKDIR,
        _THEME,
    ),
    _course: (
        "copy the chapters of the course and open them",
        _option(
            "dir", type=Path, nargs="?", default=Path("course"), help="where to (default: course)"
        ),
        _option("--no-browser", action="store_true", help="start JupyterLab, open no browser"),
        _option("--port", type=_programs.at_least_one, metavar="N", help="JupyterLab's port"),
        _option("--force", action="store_true", help="overwrite files that you have changed"),
        _option(
            "--figures",
            type=Path,
            metavar="DIR",
            help="save the chapters' pictures and players, and that is all",
        ),
    ),
    _check: (
        "grade the exercises of the course",
        _option("task", nargs="*", help="chapters (01) or tasks (01.slopes); none: all"),
        _option("--dir", type=Path, metavar="DIR", help="the folder of the files of stubs"),
        _option("--json", type=Path, metavar="FILE", help="write the score there"),
    ),
}


# Files -------------------------------------------------------------------------------------------


def _check_form(out: Path, forms: Sequence[str] = FORMS, *, is_mirror: bool = False) -> None:
    """Raise if nothing can be written to `out`; known before a script has run for an hour."""
    suffix = out.suffix.lower()
    if suffix not in forms:
        raise Refused(f"-o {out}: its suffix says no form that is written here: {', '.join(forms)}")
    if is_mirror and suffix not in PICTURES:
        raise Refused(f"-o {out}: --mirror is for pictures: {', '.join(PICTURES)}; or leave it out")
    if suffix == ".png" and find_spec("resvg_py") is None:
        raise Refused(f"-o {out}: a PNG needs the package resvg_py: pip install resvg_py")


def _save(
    shown: Trace | Comparison,
    arguments: argparse.Namespace,
    out: Path,
    explain: Entry | None = None,
) -> None:
    """Write a pass, or what differs between two, in the form that the suffix names."""
    suffix = out.suffix.lower()
    remedy = "The drawing is finished, and goes there. Name another file: -o FILE."
    with _programs.reaching(f"write {arguments.out}", remedy):
        if isinstance(shown, Trace) and suffix == ".json":
            shown.save(out)
            told = str(shown)
        else:
            way, theme = arguments.rankdir, arguments.theme
            drawing = draw(shown, rankdir=way, theme=theme, mirror=arguments.mirror)
            page: Drawing | Player = drawing
            told = drawing.graph.title
            if isinstance(shown, Trace):
                told += f": {shown}"
                is_played = suffix == ".html" and shown.events
                page = Player(shown, drawing, explain) if is_played else drawing
            page.save(out)
    _programs.tell(f"{told} → {arguments.out}")


def _load(path: Path) -> Trace:
    remedy = "A record is a .json file. `glassgrad draw script.py -o pass.json` writes one."
    with _programs.reaching(f"read {path}", remedy):
        return Trace.load(path)
