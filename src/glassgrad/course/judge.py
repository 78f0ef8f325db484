"""Tries an answer on the cases of its task, and says of the smallest that fails what is wrong."""

import os
import random
import re
import sysconfig
import traceback
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from glassgrad._words import printable
from glassgrad.autograd.grad_mode import enable_grad
from glassgrad.core.tensor import Tensor
from glassgrad.ops.generator import manual_seed
from glassgrad.tracing import Trace, compare, snapshot, watching
from glassgrad.viz import draw
from glassgrad.viz.style import NOTEBOOK, css_variables
from glassgrad.viz.wording import escape

from . import guard
from .chapters import task_of
from .diagnoses import NOTHING, Pair, hint_for, is_right, words
from .task import SOLVED, Case, Mistake, Task

MOST_SHOWN = 400  # characters of what an answer printed
OTHERS = (
    str(Path(__file__).parents[1]),
    sysconfig.get_path("stdlib"),
    sysconfig.get_path("purelib"),
)
KEYS = "a is as it should be, b is yours"
# A picture in the page itself: it has the notebook's theme, whatever the system's is.
_THEMED = [f"{on} .gg-report .gg{{{css_variables(to)}}}" for to, on in NOTEBOOK.items()]


@dataclass(frozen=True, slots=True, repr=False)
class Report:
    """What a check has found. A notebook shows it; its text is the report.

    Attributes:
        task, title: which task it is.
        passed: whether all is right.
        cases, right: how many cases were tried, and how many of them are right.
        says: what is wrong, with the smallest input that shows it.
        hint: where to look, true for this answer.
        read: the node or the file where the idea is.
        printed: what the answer printed.
        differs: the first difference between the passes, if there are passes to compare.
        picture: the same drawn, as SVG.
    """

    task: str
    title: str
    passed: bool
    cases: int
    right: int = 0
    says: str = ""
    hint: str = ""
    read: str = ""
    printed: str = ""
    differs: str = ""
    picture: str = ""

    @property
    def score(self) -> float:
        """The part of the cases that are right, from 0 to 1."""
        return 1.0 if self.passed else self.right / max(self.cases, 1)

    def lines(self) -> list[str]:
        """The report, a sentence or two in each line."""
        if self.passed:
            return [f"✓ Right: {self.title}. {self.cases} of {self.cases} cases."]
        lines = [f"Not yet: {self.says}", self.hint]
        lines += [f"First difference of the passes: {self.differs}"] if self.differs else []
        lines += [f"Read: {self.read}"] if self.read else []
        lines += [f"It printed: {self.printed}"] if self.printed else []
        lines += [f"{self.right} of {self.cases} cases right."] if self.right else []
        return [printable(line) for line in lines if line]

    def insist(self) -> "Report":
        """This report, if the task is passed.

        Raises:
            AssertionError: if it is not, with the report.
        """
        if not self.passed:
            raise AssertionError("\n".join(self.lines()))
        return self

    def __str__(self) -> str:
        return "\n".join(self.lines())

    __repr__ = __str__

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        first, *rest = (re.sub("`(.+?)`", r"<code>\1</code>", escape(x)) for x in self.lines())
        colour = "#1a7f37" if self.passed else "#b35900"
        told = "".join(f"<div>{line}</div>" for line in rest)
        style = f"<style>{''.join(_THEMED)}</style>"
        picture = f'{style}<div style="overflow-x:auto">{self.picture}</div>'
        html = (
            f'<div class="gg-report" style="border-left:4px solid {colour};padding:.2em .8em">'
            f"<strong>{first}</strong>{told}{picture if self.picture else ''}</div>"
        )
        return {"text/html": html, "text/plain": str(self)}


def judge(task: Task, load: Callable[[], Any]) -> Report:
    """Judge what `load` returns, in a process of its own.

    Args:
        task: what was asked.
        load: returns the answer; what it does is judged, too: it may read a student's file.
    """
    blank = Report(task.id, task.title, False, len(task.cases), read=_read(task))
    ended = guard.run_apart(lambda at: _judged(task, load, at), task.seconds)
    if ended.result is not None:
        report: Report = ended.result
        return report
    where = ended.reached or "when it is read"
    if ended.why == "hangs":
        says = f"it does not end. It was stopped after {task.seconds:g} seconds."
        return replace(blank, says=_about(where, says), hint=HANGS)
    return replace(blank, says=_about(where, "it ended Python itself."), hint=EXITS)


REPLACED = (
    "{} is not the function it was: a cell has put something else in its place, and the check "
    "relies on it."
)
RESTART = "Remove that line, restart the kernel, and run the cells from the top."
# By how a stub begins: whether an answer is of that kind, and a hint if it is not.
KINDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "def ": (callable, "Give the function itself: its name alone."),
    "class ": (lambda it: isinstance(it, type), "Give the class itself: its name alone."),
    r"\w+ = {": (lambda it: isinstance(it, dict), "Keep the stub's dictionary, and fill it in."),
}
HANGS = "Look at each loop: what must happen for it to stop, and does that ever happen?"
ODD = "What the answer returns is of a kind that was not expected. Return what the stub promises."
EXITS = "A function returns to who called it; `exit()`, `quit()` and `os._exit()` do not."
FLOODS = "It printed more than {:,} characters, and was stopped. Print less, or only once a loop."


# In the other process ----------------------------------------------------------------------------


class Outcome(NamedTuple):
    """What became of one case.

    Attributes:
        case: it.
        given: its input, in words.
        pair: what was found and expected, if the answer came so far.
        failure: what went wrong otherwise: a sentence and a hint.
    """

    case: Case
    given: str
    pair: Pair | None = None
    failure: tuple[str, str] | None = None

    @property
    def is_right(self) -> bool:
        return self.failure is None


def _judged(task: Task, load: Callable[[], Any], at: Callable[[Any], None]) -> Report:
    try:
        return _tried_all(task, load, at)
    except Exception as error:  # noqa: BLE001  # what nobody thought of is no verdict
        says = f"the check cannot judge this: {_in_words(error)[0]}"
        return Report(task.id, task.title, False, len(task.cases), says=says, hint=ODD)


def _tried_all(task: Task, load: Callable[[], Any], at: Callable[[Any], None]) -> Report:
    printed = guard.Printed()
    outcomes = []
    with redirect_stdout(printed), redirect_stderr(printed), enable_grad():
        answer, failure = _attempt(load)
        for case in task.cases:
            given = _given(task, case)
            at(given)
            found = _tried(task, case, answer) if failure is None else (None, failure)
            outcomes.append(Outcome(case, given, *found))
        text = printed.getvalue().strip()  # not what it prints when it is tried once more
        right = sum(outcome.is_right for outcome in outcomes)
        report = Report(task.id, task.title, right == len(outcomes), len(outcomes), right)
        changed = guard.replaced()
        if changed is not None:
            says, hint = REPLACED.format(changed), "Write the answer without changing libraries."
            return replace(report, passed=False, right=0, says=says, hint=hint)
        if not report.passed:
            report = _explained(task, report, outcomes, answer)
    shown = text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]} …"
    return replace(report, printed=shown)


def _given(task: Task, case: Case) -> str:
    if case.given or not case.args:
        return case.given or task.name
    return f"{task.name}({', '.join(map(words, case.args))})"


def _attempt(run: Callable[[], Any]) -> tuple[Any, tuple[str, str] | None]:
    """What `run` returns, or what went wrong, as a sentence and a hint."""
    _seed()
    try:
        return run(), None
    except NotImplementedError:
        return None, ("it is not written yet.", "Write your program where the stub leaves room.")
    except guard.Flooded:
        return None, ("it floods the screen.", FLOODS.format(guard.MOST_PRINTED))
    except (SystemExit, KeyboardInterrupt):
        return None, ("it ends the program in place of returning.", EXITS)
    except BaseException as error:  # noqa: BLE001  # whatever it is, it is a wrong answer
        return None, _in_words(error)


def _seed() -> None:
    """Have what is drawn at random be the same for the answer and for what is right."""
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002  # answers may draw from it
    manual_seed(0)


def _in_words(error: BaseException) -> tuple[str, str]:
    """An exception of the answer: what it says, and the line of the student's that it came from."""
    kind, text = type(error).__name__, " ".join(str(error).split())
    says = f"it raises {kind}: {text}"[:600]
    own = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith(OTHERS) and frame.line
    ]
    line = f" It comes from line {own[-1].lineno}: `{own[-1].line}`." if own else ""
    hints = {
        "RecursionError": "A function calls itself too deep. Can a loop do the same?",
        "NameError": "A name is used that is defined nowhere.",
        "TypeError": "Something is called or combined in a way that its type does not allow.",
        "MemoryError": "It asks for more memory than there is: something grows without end.",
        "EOFError": "Nobody is there to type while it is checked.",
        "IndexError": "A list or a tensor is shorter than the place that is asked for.",
        "KeyError": "A dictionary is asked for a key that it does not have.",
    }
    if not own and re.match(r"\S+\(\) (takes|missing|got an unexpected)", text):
        return says, "Keep the arguments that the stub has: it is called with these."
    return says, f"{hints.get(kind, '')}{line}".strip()


def _tried(task: Task, case: Case, answer: Any) -> tuple[Pair | None, tuple[str, str] | None]:
    """What came of trying the answer on a case: the last two of an `Outcome`."""
    for begins, (is_so, hint) in KINDS.items():
        if re.match(begins, task.head) and not case.is_prediction and not is_so(answer):
            return None, (f"`{task.name}` is {words(answer)}.", hint)
    args = deepcopy(case.args)
    found, failure = _attempt(lambda: case.run(answer, *args))
    if failure is not None:
        return None, failure
    if case.complains is not None:
        complaint = case.complains(found)
        hint = NOTHING if found is None else ""
        return None, None if complaint is None else (complaint, hint)
    pair = _pair(task, case, found)
    if not is_right(pair):
        return pair, ("", "")
    for place, (before, after) in enumerate(zip(case.args, args, strict=True), start=1):
        if _is_data(before) and not is_right(Pair(after, before)):
            says = (
                f"its argument {place} is not what it was: {words(before)} became {words(after)}."
            )
            hint = "An answer makes something new, and leaves what it was given as it is."
            return pair, (says, hint)
    return pair, None


def _is_data(value: Any) -> bool:
    return isinstance(value, (Tensor, np.ndarray, list, tuple, int, float))


def _pair(task: Task, case: Case, found: Any) -> Pair:
    expected = case.expects
    if expected is SOLVED:
        _seed()
        expected = case.run(task.right, *deepcopy(case.args))
    return Pair(found, expected, task.rtol, case.parts)


# Saying it ---------------------------------------------------------------------------------------


def _explained(task: Task, report: Report, outcomes: list[Outcome], answer: Any) -> Report:
    """The report of an answer that is wrong: about the first case that is."""
    wrong = [outcome for outcome in outcomes if not outcome.is_right]
    first = wrong[0]
    failure = first.failure
    assert failure is not None
    report = replace(report, read=_read(task))
    known = next((m.hint for m in task.mistakes if _fits(task, m, outcomes)), None)
    if failure[0]:
        hint = failure[1] or known or ""
        return replace(report, says=_about(first.given, failure[0]), hint=hint)
    pair = first.pair
    assert pair is not None
    says = (
        f"{first.given.rstrip(':')} should be {words(pair.expected)}, and is {words(pair.found)}."
    )
    if first.case.is_prediction:
        says = f"{first.given} is not right."  # and the right one is not told
    pairs = [each.pair for each in wrong if each.pair is not None and each.failure == ("", "")]
    differs, picture = _difference(task, first.case, answer)
    hint = hint_for(pairs) if known is None else known
    return replace(report, says=says, hint=hint, differs=differs, picture=picture)


def _about(given: str, says: str) -> str:
    """A sentence about a case, whose input may be worded to go on behind a comma."""
    return f"{given.rstrip(',: ')}: {says}"


def _fits(task: Task, mistake: Mistake, outcomes: list[Outcome]) -> bool:
    """Whether this mistake gives the same wherever both come to a value, and fails there, too.

    An answer may raise in a case and make the mistake in the others; what a case judges in its own
    words has no value to compare.
    """
    is_made = False
    for case, _, pair, failure in outcomes:
        if pair is None:
            continue
        found, raised = _attempt(partial(case.run, mistake.wrong, *deepcopy(case.args)))
        if raised is not None:
            continue
        if not is_right(Pair(pair.found, found, task.rtol)):
            return False
        # That both are not right at all is told by True and False, and that they are alike is not.
        is_made |= failure == ("", "") and not isinstance(found, bool)
    return is_made


def _read(task: Task) -> str:
    if task.read.endswith("Backward0") or task.read == "AccumulateGrad":
        return f"the rule of {task.read}; `gg.explain(tensor)` tells that of a node."
    return task.read


def _difference(task: Task, case: Case, answer: Any) -> tuple[str, str]:
    """The first difference between the passes of the answer and the right ones, and its picture."""
    if task.right is None:
        return "", ""
    try:
        traces = [_traces(case, each) for each in (task.right, answer)]
        for right, own in zip(*traces, strict=False):
            found = compare(right, own, rtol=task.rtol)
            if not found:
                first = replace(found, differences=found.differences[:1])
                return f"{found.differences[0].text} ({KEYS})", draw(first).svg
    except Exception:  # noqa: BLE001  # there is a report without a picture, too
        return "", ""
    return "", ""


def _traces(case: Case, answer: Any) -> list[Trace]:
    """The passes that run when the answer is tried, or the graphs of what it returns."""
    with watching() as passes:
        found, _ = _attempt(lambda: case.run(answer, *deepcopy(case.args)))
    several = found if isinstance(found, (list, tuple)) else [found]
    graphs = [each for each in several if isinstance(each, Tensor) and each.grad_fn is not None]
    return [*passes] or [snapshot(each) for each in graphs]


def check(task: Task | str, answer: Any) -> Report:
    """Judge an answer: `gg.course.check("01.slopes", slopes)`, as the last line of a cell.

    It runs in a process of its own: an answer that hangs, ends Python or prints without end is a
    wrong answer, and the session goes on. Under nbgrader an answer that is wrong raises.

    Args:
        task: the id of a task; or a `Task` of your own.
        answer: the function, the class or the prediction.

    Returns:
        A `Report`, which the notebook shows: what is wrong, with the smallest input that shows it.

    Raises:
        ArgumentError: if there is no such task.
        AssertionError: while nbgrader grades (`NBGRADER_EXECUTION` is set), if it is wrong.

    Example:
        >>> check("01.best-h", lambda f, x, exact, steps: steps)
        Not yet: best_h of 3·t at 0.5, h 1 or 0.3 should be 1, and is (1, 0.3).
        It is a tuple, and a number or an array is wanted.
        Read: the question about h at the top of src/glassgrad/autograd/gradcheck.py.
    """
    known = task if isinstance(task, Task) else task_of(task)
    changed = guard.replaced()
    if changed is None:
        report = judge(known, lambda: answer)
    else:
        says = REPLACED.format(changed)
        report = Report(known.id, known.title, False, len(known.cases), says=says, hint=RESTART)
    return report.insist() if os.environ.get("NBGRADER_EXECUTION") else report
