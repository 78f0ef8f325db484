"""The command line: `glassgrad demo`.

Exit codes: 0 done, 1 it could not be done (the reason is on stderr), 2 a command line that makes
no sense, 130 stopped by Ctrl-C.
"""

import argparse
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from glassgrad._demo import run_demo
from glassgrad.base.errors import GlassgradError

__all__ = ["main"]

DONE, FAILED, MISUSED, INTERRUPTED = 0, 1, 2, 130

_ABOUT = """\
Autograd you can see through: PyTorch's autograd on NumPy, with every backward pass on view.

A first look takes some seconds: `glassgrad demo` trains a small network on real handwritten
digits, watches one backward pass while it runs, and leaves a picture of it, a page to step
through it, and the record that both are made of.
"""

_MORE = """\
examples:
  glassgrad demo                    train, record, draw into out/
  glassgrad demo --out /tmp/look    … into another folder
  glassgrad demo --help             all that can be changed

the same in Python:
  import glassgrad as gg
  x = gg.tensor([1.0, 2.0], requires_grad=True)
  loss = (x * x).sum()
  trace = gg.record(loss)              runs loss.backward() and writes down what happens
  gg.draw(trace).save("graph.svg")     the backward graph
  gg.player(trace).save("pass.html")   the pass, event by event
"""

_DEMO = """\
Train a network of one hidden layer on the 1,797 UCI handwritten digits that come with glassgrad,
then record the backward pass of one more batch.

Into the output folder go
  digits.svg         the backward graph: what the pass visits, from the loss to the weights
  digits.html        the same pass to step through; open it in a browser, press → and ←
  digits.trace.json  the record: the graph, and every event in the order in which it happened
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: the arguments after the program's name; None: those of the process.

    Returns:
        The exit code.
    """
    try:
        arguments = _parser().parse_args(argv)
    except SystemExit as request:  # --help and --version end here, and mistakes
        return int(request.code or DONE)
    if arguments.command is None:
        _parser().print_help(sys.stderr)
        return MISUSED
    try:
        run_demo(
            arguments.out,
            data=arguments.data,
            epochs=arguments.epochs,
            seed=arguments.seed,
        )
    except KeyboardInterrupt:
        return _fail("stopped", INTERRUPTED)
    except GlassgradError as error:
        return _fail(str(error), FAILED)
    return DONE


def _fail(reason: str, code: int) -> int:
    sys.stderr.write(f"glassgrad: {reason}\n")
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="glassgrad",
        description=_ABOUT,
        epilog=_MORE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"glassgrad {version('glassgrad')}")
    commands = parser.add_subparsers(dest="command", metavar="command")
    demo = commands.add_parser(
        "demo",
        help="train on real digits, then record and draw one backward pass",
        description=_DEMO,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    demo.add_argument(
        "--out", type=Path, default=Path("out"), metavar="DIR", help="output folder (default: out)"
    )
    demo.add_argument(
        "--epochs",
        type=_at_least_one,
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
    return parser


def _at_least_one(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 up")
    return int(text)
