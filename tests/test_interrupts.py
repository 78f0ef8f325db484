"""An exception at any line of glassgrad's leaves things as they were: modes, hooks, gradients.

`tests/interrupts.py` has the programs. Each line that one of them runs raises, once an error, once
a KeyboardInterrupt, the first and the last time that it comes to it; then all that may be left
behind is compared, and a plain pass and the program itself are played again.
"""

import inspect
import sys

import pytest

import glassgrad as gg
from glassgrad.core.state import modes
from interrupting import Broken, Rehearsal
from interrupts import PROGRAMS

FAST = ("blocks_of_modes", "hooks_on_gradients", "hooks_on_saved_tensors", "func_vmap", "scopes")


def turns_of(rehearsal):
    """The numbers of the first and of the last time that each line runs."""
    first, last = {}, {}
    for number, line in enumerate(rehearsal.lines(), 1):
        first.setdefault(line, number)
        last[line] = number
    return sorted({*first.values(), *last.values()})


def left_behind(name, *, every=1):
    """Where an exception left something behind, and what."""
    rehearsal, found = Rehearsal(PROGRAMS[name]), []
    turns = turns_of(rehearsal)[::every]
    for kind in (KeyboardInterrupt, Broken):
        for number in turns:
            where, wrong = rehearsal.at(number, kind) or ("", [])
            found += [(kind.__name__, where, each) for each in wrong]
    assert turns
    return found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FAST)
def test_an_exception_at_some_lines_leaves_nothing_behind(name):
    assert left_behind(name, every=60) == []


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PROGRAMS)
def test_an_exception_at_any_line_leaves_nothing_behind(name):
    assert left_behind(name) == []


def test_a_full_stack_leaves_no_mode_behind():
    x = gg.tensor([1.0, 2.0], requires_grad=True)

    class Double(gg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

    def modes_of(n):
        if n:
            return modes_of(n - 1)
        with gg.no_grad(), gg.scope("deep"):
            return modes_of(0)

    def functions(n):
        Double.apply(x)
        return functions(n)

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 150)  # soon full
    try:
        for deep in (modes_of, functions):
            for n in range(20):
                before = dict(vars(modes))
                with pytest.raises(RecursionError):
                    deep(n)
                assert vars(modes) == before, f"{n} more calls than the stack took"
    finally:
        sys.setrecursionlimit(limit)
