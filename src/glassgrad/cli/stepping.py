"""`glassgrad step`: a prompt at the pauses of a script's backward pass.

It reads commands from stdin, one a line, and answers in plain text: for a person at a terminal, a
screen reader, or a pipe.
"""

import ast
import cmd
import contextlib
import inspect
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from glassgrad._programs import (
    is_open,
    reaching,
    real_number,
    silence,
    tell,
    to_stdout,
    whole_number,
)
from glassgrad._words import printable
from glassgrad.core.errors import ArgumentError, DataError, GlassgradError
from glassgrad.core.tensor import Tensor
from glassgrad.ops.creation import full, tensor
from glassgrad.tracing import Session
from glassgrad.tracing.breakpoints import is_called
from glassgrad.tracing.graph import op_of
from glassgrad.viz import draw, explain, player
from glassgrad.viz.wording import NUMBERED, Narrator, text_view

WORDS = "next", "back", "continue", "explain", "where", "quit", "help"
SHORT = {word[0]: word for word in WORDS} | {"step": "next", "s": "next"}
MOST_OFFERED = 500  # nodes whose names Tab knows
PROMPT, END = "(step) ", "EOF"  # what `cmd` makes of the end of the commands
STEPS = {"node": "all of a node", "hook": "up to the next hook or node", "micro": "one phase"}


class Prompt(cmd.Cmd):
    """Commands and answers at the pauses of one session.

    A command is a method `do_…`; its docstring is what `h` lists: how it is typed -- what it does.
    At a terminal they are typed behind a prompt; those from a pipe are shown as they are read.

    Args:
        session: what they move and show.
    """

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.lastcmd = "next"
        self.is_terminal = sys.stdin.isatty()
        self.prompt = PROMPT if self.is_terminal else ""

    def talk(self) -> None:
        """Read and obey commands until the script is to go on.

        Raises:
            SystemExit: if the script is to end: by `q`, because there are no more commands, or
                because nobody reads the answers.
        """
        self._say(f"{self.session}\n(h for help)")
        try:
            self.cmdloop()
        except KeyboardInterrupt:
            if self.is_terminal:
                sys.stdout.write("\n")  # what is said next has a line of its own
            raise

    def precmd(self, line: str) -> str:
        """A line as it is obeyed: its command in full."""
        if not self.is_terminal and line != END:
            self._say(f"{PROMPT}{line}")
        word, _, rest = line.strip().partition(" ")
        return f"{SHORT.get(word, word)} {rest}"

    def onecmd(self, line: str) -> bool:
        """Do what a command says; whether the script is to go on."""
        try:
            return bool(super().onecmd(line))
        except Exception as error:
            if self.session.is_closed:  # a rule or a hook failed: that is the script's
                trace = self.session.trace  # what it says is for whoever handles it
                where, *_ = Narrator(trace).sentence(trace.events[-1]).split(": ")
                self._say(f"{where}.")
                raise
            if not isinstance(error, GlassgradError):
                raise
            self._say(str(error))
            return False

    def default(self, line: str) -> NoReturn:
        """Refuse what is no command."""
        word, *_ = line.split()
        raise ArgumentError(f"there is no command {word!r}; h lists those there are")

    # Typing -------------------------------------------------------------------------------------

    def completenames(self, text: str, *ignored: Any) -> list[str]:
        """What Tab makes of the begin of a command."""
        return [name for name in super().completenames(text) if name != END]

    def completedefault(self, text: str, line: str, begin: int, *ignored: Any) -> list[str]:
        """What Tab makes of the begin of what a command is about; `text` may be a part of it."""
        word, _, rest = line[:begin].lstrip().partition(" ")
        about = rest.lstrip()
        known = [
            each for each in self._known(SHORT.get(word, word)) if each.startswith(about + text)
        ]
        return [each[len(about) :] for each in known]

    def _known(self, command: str) -> list[str]:
        """What a command can be about."""
        if command == "by":
            return list(STEPS)
        if command == "unbreak":
            return [*[str(at + 1) for at in range(len(self.session.breakpoints))], "all"]
        if command == "set":
            return [row.name for row in self.session.saved]
        if command not in ("until", "break", "saved"):
            return []
        names = self.session.names
        ops = [op_of(node) for node in self.session.schedule[:MOST_OFFERED]]
        labels = [label for label, node in names.tensors_by_name() if label and node in names.node]
        ids = [names.node[node] for node in self.session.schedule[:MOST_OFFERED]]
        kinds = ["hook", "nan", "norm"] if command == "break" else []
        return list(dict.fromkeys([*kinds, *labels, *ops, *ids]))

    def _say(self, text: str) -> None:
        text = printable(text)
        if is_open() and sys.stdout.isatty():
            text = wrapped(text, shutil.get_terminal_size().columns)
        try:
            with to_stdout():
                sys.stdout.write(f"{text}\n")
        except BrokenPipeError:  # who reads has seen enough
            silence()
            self.session.close()
            raise SystemExit(0) from None
        except DataError as error:
            tell(str(error))
            self.session.close()
            raise SystemExit(1) from None

    # Moving -------------------------------------------------------------------------------------

    def do_next(self, rest: str) -> None:
        """`n [COUNT]` -- next: do a step, or several"""
        for _ in range(count_in(rest)):
            if self.session.is_done:
                self._say("The pass is over: c goes on with the script, b steps back.")
                return
            self.session.next()
            if self.session.told is not None:
                self._say(self.session.told)
            if self.session.stopped_by is not None:
                break
        self.do_where("")

    def do_back(self, rest: str) -> None:
        """`b [COUNT]` -- back: undo a step, or several"""
        for _ in range(count_in(rest)):
            if not self.session.can_go_back:
                self._say("This is the beginning of the pass: n does a step.")
                break
            self.session.back()
        self.do_where("")

    def do_continue(self, rest: str) -> bool:
        """`c` -- continue: to the next breakpoint, or to the end and on with the script"""
        if self.session.is_done:
            return True
        self.session.run()
        self.do_where("")
        return self.session.is_done

    def do_until(self, rest: str) -> None:
        """`until NAME` -- go on until an op (Mul), a node (n3) or a named tensor has its turn"""
        if not rest:
            raise ArgumentError(
                "until what? It goes on to a node. Write `until Mul` or `until n3`."
            )
        goal = self._meant(rest)
        try:
            self.session.run_until(goal or rest)
        except ArgumentError:
            if self.session.is_closed:
                raise  # a rule or a hook of the script has raised it
            if goal is None and not any(is_called(node, rest) for node in self.session.schedule):
                raise ArgumentError(
                    f"nothing of this pass is called {rest!r}: no op, node or named tensor. "
                    f"`until` waits for the turn of one. The ops are {self._ops()}."
                ) from None
            raise ArgumentError(
                f"{rest} is not ahead: each node that runs has one turn. `b` steps back."
            ) from None
        self.do_where("")

    def _meant(self, name: str) -> Any:
        """The node of that id, or where the gradient of the tensor of that name arrives."""
        names = self.session.names
        known: dict[str | None, Any] = {id: node for node, id in names.node.items()}
        known |= {label: node for label, node in names.tensors_by_name() if node in names.node}
        return known.get(name)

    def _ops(self) -> str:
        return ", ".join(dict.fromkeys(op_of(node) for node in self.session.schedule[:50]))

    # Breakpoints --------------------------------------------------------------------------------

    def do_break(self, rest: str) -> None:
        """`break NAME` -- stop at an op, a node, a named tensor or a scope whenever its turn comes;
        `break hook NAME` before a hook; `break nan` where nan or inf appears;
        `break norm 10` before a larger gradient
        `break` -- list the breakpoints; `unbreak 1` takes the first away, `unbreak all` all
        """
        if not rest:
            numbered = enumerate(self.session.breakpoints, 1)
            points = [f"  {number}  {point.why}" for number, point in numbered]
            self._say("\n".join(["Breakpoints:", *points]) if points else "No breakpoints.")
            return
        self._say(f"Breakpoint set: stops {self._set_break(rest).why}.")

    def _set_break(self, rest: str) -> Any:
        session = self.session
        if rest == "nan":
            return session.break_at(nan=True)
        if found := re.fullmatch(r"norm (\S+)", rest):
            return session.break_at(norm=norm_in(found[1]))
        if found := re.fullmatch(r"hook (.+)", rest):
            return session.break_at(hook=found[1])
        for kind in ("node", "op", "tensor", "scope"):
            asked: dict[str, Any] = {kind: rest}
            with contextlib.suppress(GlassgradError):
                return session.break_at(**asked)
        raise ArgumentError(
            f"nothing of this pass is called {rest!r}: no op, node, tensor or scope. A breakpoint "
            f"waits for one of them. The ops are {self._ops()}."
        )

    def do_unbreak(self, rest: str) -> None:
        points = list(self.session.breakpoints)
        if rest != "all" and not 0 < whole_number(rest) <= len(points):
            raise ArgumentError(
                f"unbreak {rest or 'what'}? Of breakpoints there are {len(points)}; `break` lists "
                "them with their numbers. Write `unbreak 1`, or `unbreak all`."
            )
        for point in points if rest == "all" else [points[whole_number(rest) - 1]]:
            point.remove()
        self.do_break("")

    def do_by(self, rest: str) -> None:
        """`by SIZE` -- how much a step does: `by node`, `by hook`, or `by micro`, one phase"""
        if rest not in STEPS:
            raise ArgumentError(
                f"by {rest or 'what'}? A step does all of a node, or goes up to a hook, or does "
                "one phase. Write `by node`, `by hook` or `by micro`."
            )
        self.session.granularity = rest
        self._say(f"A step is {STEPS[rest]}.")

    # Looking and changing -----------------------------------------------------------------------

    def do_queue(self, rest: str) -> None:
        """`queue` -- where gradients wait, and how many have arrived of how many"""
        self._list("No gradient waits.", self.session.queue)

    def do_saved(self, rest: str) -> None:
        """`saved [NODE]` -- what the node has saved: bytes, versions, who shares the memory"""
        node = self._meant(rest)
        if rest and node is None:
            raise ArgumentError(
                f"no node or named tensor of this pass is called {rest!r}. It goes through "
                f"{len(self.session.schedule)} nodes, n0 is the oldest. Write `saved n0`, or "
                "`saved` for the node whose turn it is."
            )
        rows = self.session.saved_of(node) if rest else self.session.saved
        self._list("Nothing is saved there, or it was let go of.", rows)

    def do_hooks(self, rest: str) -> None:
        """`hooks` -- the hooks at this node, in the order in which they run"""
        self._list("No hooks at this node.", self.session.hooks)

    def _list(self, none: str, rows: Iterable[object]) -> None:
        self._say("\n".join(f"  {row}" for row in rows) or none)

    def do_set(self, rest: str) -> None:
        """`set VALUE` -- replace the gradient here: `set 10`, `set [1.5, 2]`
        `set NAME VALUE` -- replace what the node has saved under that name: `set self [1.5, 2]`
        """
        node = self.session.current
        if node is None:
            self._say("The pass is over: there is nothing to set.")
            return
        name, _, text = rest.partition(" ")
        saved = {row.name: row for row in self.session.saved}
        if name in saved:
            self.session.set_saved(node, name, tensor_in(text.strip(), saved[name]))
        else:
            now = next((grad for grad in self.session.arrived if grad is not None), None)
            if now is None:
                self._say("No gradient has arrived here that could be replaced.")
                return
            if text and name.isidentifier():
                known = f"It has saved {', '.join(saved)}." if saved else "It has saved nothing."
                raise ArgumentError(
                    f"this node has saved nothing under the name {name!r}. {known} Write "
                    "`set VALUE` for the gradient, or `set NAME VALUE` with a name that `saved` "
                    "lists."
                )
            self.session.set_gradient(node, tensor_in(rest, now))
        self.do_where("")

    def do_explain(self, rest: str) -> None:
        """`e` -- explain: this node's rule in formulas and numbers, checked by differences"""
        node, arrived = self.session.current, self.session.arrived
        if node is None:
            self._say("The pass is over: step back to a node to have it explained.")
            return
        known = any(grad is not None for grad in arrived)
        gradient = (arrived if len(arrived) > 1 else arrived[0]) if known else None
        self._say(str(explain(node, gradient=gradient)))

    def do_inside(self, rest: str) -> None:
        """`inside` -- the pass that a reentrant checkpoint ran inside of this one, the last one so far"""  # noqa: E501  # a line of the help
        passes = self.session.trace.inner()
        if not passes:
            self._say("No pass has run inside of this one: only a reentrant checkpoint has one.")
            return
        self._say(text_view(passes[-1]))

    def do_draw(self, rest: str) -> None:
        """`draw FILE` -- a picture of the pass as it is now: .svg, .png, .dot; .html plays it so far"""  # noqa: E501  # a line of the help
        path = Path(rest or "pause.svg")
        with reaching(f"write {path}", "Name another file."):
            if path.suffix.lower() == ".html":
                player(self.session.trace).save(path)
            else:
                draw(self.session).save(path)
        self._say(f"Drawn: {path}")

    def do_where(self, rest: str) -> None:
        """`w` -- where: show this pause again"""
        self._say(str(self.session))

    def do_quit(self, rest: str) -> NoReturn:
        """`q` -- quit: end the pass here, and the script with it"""
        self.session.close()
        self._say("The pass ends here, and the script with it.")
        raise SystemExit(0)

    def do_EOF(self, rest: str) -> NoReturn:  # noqa: N802  # as `cmd` calls it
        if self.is_terminal:
            sys.stdout.write("\n")  # what is said next has a line of its own
        self.do_quit("")

    def do_help(self, rest: str) -> None:
        """`h` -- help: this list"""
        self._say(commands_help())


def wrapped(text: str, width: int) -> str:
    """The text with lines of at most `width` letters, broken between words.

    What is in a second column goes on in it.

    Example:
        >>> print(wrapped("  n1  MulBackward0 sends its gradient on", 22))
          n1  MulBackward0
              sends its
              gradient on
    """
    lines = []
    for line in text.splitlines():
        column = re.match(r" *\S+(?: \S+)*  +| *", line)
        hanging = " " * min(column.end() if column else 0, width // 2)
        broken = textwrap.wrap(line, width, subsequent_indent=hanging, break_on_hyphens=False)
        lines += broken if len(line) > width else [line]
    return "\n".join(lines)


def commands_help() -> str:
    """The commands of the prompt, with what their docstrings say."""
    told = [method.__doc__ or "" for name, method in vars(Prompt).items() if name[:3] == "do_"]
    lines = [line for doc in told for line in inspect.cleandoc(doc).splitlines()]
    columns = [line.rpartition(" -- ")[::2] for line in lines]  # without the dashes, a line goes on
    listed = [f"  {typed.strip('`'):<15} {does}\n" for typed, does in columns]
    numbered = f"{NUMBERED[:1].upper()}{NUMBERED[1:]}."
    return f"{''.join(listed)}An empty line does what the last one did.\n{numbered}"


# What is typed -----------------------------------------------------------------------------------


def count_in(text: str) -> int:
    """How many steps: the number, or one."""
    number = whole_number(text or "1")
    if not number:
        raise ArgumentError(f"{text!r} is no number of steps. Write `n 3` for three of them.")
    return number


def tensor_in(text: str, like: Any) -> Tensor:
    """A list of numbers, or a number for all elements of the shape of `like`; of its dtype."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        value = None
    if isinstance(value, bool) or not isinstance(value, (int, float, complex, list)):
        raise ArgumentError(
            f"{text!r} is neither a number nor a list of numbers. A gradient is made of them. "
            "Write `set 10` or `set [1.5, 2]`."
        )
    dtype = np.dtype(like.dtype)
    if isinstance(value, list):
        return tensor(value, dtype=dtype)
    return full(like.shape, value, dtype=dtype)


def norm_in(text: str) -> float:
    """A number from 0 up."""
    limit = real_number(text)
    if not limit >= 0:
        raise ArgumentError(
            f"break norm {text}? It waits for a gradient that is larger than a number from 0 up. "
            "Write `break norm 10`."
        )
    return limit
