"""What can be typed behind `glassgrad`, and the help that teaches it."""

import argparse
from importlib.metadata import version
from pathlib import Path

from glassgrad._programs import at_least_one, real_number

from .stepping import commands_help

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
  glassgrad view out/digits.trace.json        a record, as text
  glassgrad compare before.json after.json    what differs between two records
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

_DEMO = """\
Train a network of one hidden layer on the 1,797 UCI handwritten digits that come with glassgrad,
then record the backward pass of one more batch.

Into the output folder go
  digits.svg         the backward graph: what the pass visits, from the loss to the weights
  digits.html        the same pass to step through; open it in a browser, press → and ←
  digits.trace.json  the record: the graph, and every event in the order in which it happened
"""

_DRAW = """\
Run a script and draw a backward pass of it.

The script runs as under `python script.py`: its output, its files and its exit code are its own.
Drawn is the last backward pass that it runs, or the one that --pass numbers; if it runs none, that
of its last loss (the last variable that is a number and requires grad), which is run then; or that
of the tensor which --var names. A pass that fails is drawn as far as it came, with the error.

A page (.html) plays the pass event by event. Of each node it tells the rule in these numbers, and
whether the rule agrees with differences of the forward: so the forwards of your own Functions run
some more times, on copies.
"""

_DRAW_MORE = """\
examples:
  glassgrad draw train.py -o graph.svg             a picture, for browsers and documents
  glassgrad draw train.py -o graph.png             the same in pixels
  glassgrad draw train.py -o pass.html             a page: press → and ← to step through the pass
  glassgrad draw train.py -o pass.json             the record; `glassgrad view pass.json` shows it
  glassgrad draw train.py -o graph.dot             for Graphviz
  glassgrad draw train.py -o both.svg --mirror     forward and backward, face to face
  glassgrad draw train.py -o l2.svg --var penalty  the graph behind the variable `penalty`
  glassgrad draw train.py -o p3.html --pass 3      the third pass of a training loop
  glassgrad draw train.py -o graph.svg -- --lr 1   what follows -- goes to the script

exit codes:
  0 drawn; 1 nothing to draw, a pass that failed, or no place to write to; otherwise what the
  script exits with
"""

_VIEW = """\
Show a record (what `trace.save`, `glassgrad demo` and `glassgrad draw -o pass.json` write): the
nodes in the order in which the pass visits them, then each event in a sentence. In a terminal
these are tables; into a pipe or a file go plain lines, one a node, one an event. With -o it is
drawn instead, into any form that `glassgrad draw` writes.
"""

_VIEW_MORE = """\
examples:
  glassgrad view out/digits.trace.json
  glassgrad view pass.json --limit 20           the first 20 nodes and events
  glassgrad view pass.json -o pass.html         a page to step through it
  glassgrad view pass.json -o graph.svg         the graph alone
  glassgrad view pass.json -o both.svg --mirror   forward and backward, face to face
  glassgrad view pass.json --plain              lines in place of tables: for a screen reader
  glassgrad view pass.json | grep stale         … and for other programs
  NO_COLOR=1 glassgrad view pass.json           tables without colours
"""

_COMPARE = """\
Say what differs between two records: nodes that only one of them has, edges that lead elsewhere,
values and gradients that are not the same, and where the passes went in another order. Nodes are
matched by the paths that lead to them from the loss, so what lies behind a change is compared, too.
With -o both are drawn as one picture besides, with what differs marked.
"""

_COMPARE_MORE = """\
examples:
  glassgrad draw train.py -o before.json                 record the pass, change the script, and
  glassgrad draw train.py -o after.json                  record it once more
  glassgrad compare before.json after.json
  glassgrad compare before.json after.json -o diff.svg   … and as a picture
  glassgrad compare before.json after.json --rtol 0.01   numbers may differ by one percent
  glassgrad compare before.json after.json | grep -q '^the same'    for other programs

exit codes:
  0 compared, whether something differs or not; 1 a record that cannot be read, or no place to
  write to
"""


_STEP = """\
Run a script and pause its backward pass, node by node: the real pass, with its real gradients.

The script runs as under `python script.py`. When it calls backward(), the pass stops before its
first node and commands are read from stdin, one a line:

{commands}
If the script runs no pass, its last loss is stepped when it is done; or the tensor that --var
names.
"""

_STEP_MORE = """\
examples:
  glassgrad step train.py                        stop at its first pass
  glassgrad step train.py --pass 100             at its 100th
  glassgrad step train.py --by hook              stop at each hook, too
  glassgrad step model.py --var loss             a script that calls no backward()
  glassgrad step train.py -- --lr 1              what follows -- goes to the script
  printf 'break nan\\nc\\n' | glassgrad step train.py    commands from a pipe

exit codes:
  0 done, or quit; 1 nothing to step; otherwise what the script exits with
"""


def make_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="glassgrad",
        description=_ABOUT,
        epilog=_MORE,
        formatter_class=_AS_WRITTEN,
    )
    parser.add_argument("--version", action="version", version=f"glassgrad {version('glassgrad')}")
    commands = parser.add_subparsers(dest="command", metavar="command")
    stepping = _STEP.format(commands=f"{commands_help()}\n")
    for name, short, about, more, add_options in (
        ("demo", "train on real digits, then record and draw", _DEMO, "", _add_demo),
        ("draw", "draw a backward pass of a script of yours", _DRAW, _DRAW_MORE, _add_draw),
        ("step", "pause the backward pass of a script", stepping, _STEP_MORE, _add_step),
        ("view", "show a record in the terminal", _VIEW, _VIEW_MORE, _add_view),
        ("compare", "say what differs between two records", _COMPARE, _COMPARE_MORE, _add_compare),
    ):
        command = commands.add_parser(
            name, help=short, description=about, epilog=more, formatter_class=_AS_WRITTEN
        )
        add_options(command)
    return parser


_AS_WRITTEN = argparse.RawDescriptionHelpFormatter


def _add_demo(demo: argparse.ArgumentParser) -> None:
    demo.add_argument(
        "--out", type=Path, default=Path("out"), metavar="DIR", help="output folder (default: out)"
    )
    demo.add_argument(
        "--epochs",
        type=at_least_one,
        default=15,
        metavar="N",
        help="how often to go through the training images (default: 15)",
    )
    demo.add_argument(
        "--seed", type=int, default=0, metavar="N", help="makes a run repeatable (default: 0)"
    )
    demo.add_argument(
        "--data",
        type=Path,
        metavar="FILE",
        help="an .npz with `images` (N, 8, 8) from 0 to 16 and `labels` (N,), in place of ours",
    )


def _add_draw(draw: argparse.ArgumentParser) -> None:
    _add_script(draw)
    _add_out(draw, "where to: .svg, .png, .html, .json, .dot or .txt", required=True)
    _add_pass(draw, "which backward pass of the script to draw, counted from 1 (default: the last)")
    _add_look(draw)
    _add_mirror(draw)


def _add_out(parser: argparse.ArgumentParser, help: str, *, required: bool = False) -> None:
    parser.add_argument("-o", "--out", type=Path, required=required, metavar="FILE", help=help)


def _add_look(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rankdir",
        choices=("LR", "TB"),
        help="which way the gradient goes: left to right (default, if it can be read) or top to "
        "bottom",
    )
    parser.add_argument(
        "--theme", choices=("auto", "light", "dark"), default="auto", help="(default: auto)"
    )


def _add_mirror(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--mirror",
        action="store_true",
        help="forward and backward face to face, with what was saved between them; for a picture "
        "(.svg, .png, .dot) of up to 60 nodes",
    )


def _add_step(step: argparse.ArgumentParser) -> None:
    _add_script(step)
    _add_pass(step, "which backward pass of the script to pause, counted from 1 (default: 1)")
    step.add_argument(
        "--by",
        choices=("node", "hook", "micro"),
        default="node",
        help="how much a step does: a node, up to a hook, or one phase (default: node)",
    )


def _add_pass(parser: argparse.ArgumentParser, help: str) -> None:
    parser.add_argument("--pass", dest="number", type=at_least_one, metavar="K", help=help)


def _add_script(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("script", type=Path, help="a Python file that computes with glassgrad")
    parser.add_argument("--var", metavar="NAME", help="the variable of the script to begin at")


def _add_view(view: argparse.ArgumentParser) -> None:
    view.add_argument("trace", type=Path, help="a .json file that holds a record")
    view.add_argument(
        "--limit", type=at_least_one, metavar="N", help="at most N nodes and N events"
    )
    view.add_argument("--plain", action="store_true", help="lines, no tables, in a terminal too")
    _add_out(view, "draw it: .svg, .png, .html (a page that plays it), .dot, .txt or .json")
    _add_look(view)
    _add_mirror(view)


def _add_compare(compare: argparse.ArgumentParser) -> None:
    compare.add_argument("a", type=Path, help="a .json file that holds a record: it comes first")
    compare.add_argument("b", type=Path, help="the other one")
    compare.add_argument(
        "--rtol",
        type=_tolerance,
        default=1e-5,
        metavar="R",
        help="how far two numbers may differ, relative to the larger (default: 1e-5)",
    )
    _add_out(compare, "draw both, what differs marked: .svg, .png, .html, .dot or .txt")
    _add_look(compare)


def _tolerance(text: str) -> float:
    value = real_number(text)
    if not value >= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 up")
    return value
