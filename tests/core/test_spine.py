"""The spine: what the shortest program runs, how far a walk through it is, and its modes."""

import ast
import pkgutil
import re
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

import glassgrad as gg
from checks import together
from glassgrad import core
from glassgrad.autograd import forward_ad
from glassgrad.autograd.graph import saved_tensors_hooks
from glassgrad.core import state
from glassgrad.core.state import modes, set_modes, setting
from glassgrad.levels.level import GradLevel, opened
from walks import calls_in

HOME = Path(gg.__file__).parent


@contextmanager
def the_readable_way():
    """Send all ops through the readable way, as a mode of another thread would."""
    state.special.add(0)
    try:
        yield
    finally:
        state.special.discard(0)


def test_the_reading_order_names_the_files_there_are():
    listed = re.findall(r"^    (\w+)  +\w", core.__doc__, re.MULTILINE)
    there = {module.name for module in pkgutil.iter_modules(core.__path__)}
    assert set(listed) == there
    assert len(listed) == len(there) <= 10


def test_it_can_be_read_in_an_afternoon():
    files = [path.read_text("utf-8") for path in Path(core.__file__).parent.glob("*.py")]
    nodes = sum(1 for text in files for _ in ast.walk(ast.parse(text)))
    assert nodes <= 14_000, "syntax nodes of all files: a budget that denser lines do not meet"


@pytest.mark.parametrize("readable", [False, True])
def test_the_shortest_program_enters_the_spine_and_the_ops_alone(readable):
    w, x = gg.ones(3, 4, requires_grad=True), gg.ones(4)

    def line():
        y = gg.tanh(w @ x).sum()
        y.backward()

    line()  # the files of ops are read on first use
    if readable:
        with the_readable_way():
            calls = calls_in(line)[1:]  # `line` itself is no part of it
    else:
        calls = calls_in(line)[1:]
    ours = [(Path(file).relative_to(HOME), name) for file, name in calls if str(HOME) in file]
    assert ours
    assert [call for call in ours if call[0].parts[0] not in ("core", "ops")] == []


def test_a_product_is_a_short_walk_the_readable_way():
    a, b = gg.tensor(2.0, requires_grad=True), gg.tensor(3.0, requires_grad=True)
    _ = a * b  # the file of the op is read on first use
    with the_readable_way():
        a * b  # `*` is looked up at the first use
        calls = calls_in(lambda: a * b)[1:]
    assert len(calls) <= 30
    assert len({file for file, _ in calls}) <= 7


def test_the_readable_way_and_the_fast_door_give_the_same():
    def made():
        x = gg.tensor([1.0, -2.0, 3.0], requires_grad=True)
        y = gg.nn.functional.linear(gg.tanh(x * 2 + 1) / x, gg.eye(3), x).lerp(x, 0.5)
        node, names = y.grad_fn, []
        while node is not None:
            names.append((node.name(), node.checked, node.out_shape, len(node.edges)))
            node = node.next_functions[0][0] if node.edges else None
        y.sum().backward()
        return names, y.tolist(), x.grad.tolist()

    with the_readable_way():
        readable = made()
    assert made() == readable


def test_whole_numbers_pass_the_fast_door_and_come_out_as_the_readable_way():
    a, b = gg.tensor([7, -2, 0]), gg.tensor([2, 2, 5])

    def made():
        results = (
            a + b,
            2 * a - 1,
            a * b,
            -a,
            a == 7,
            a < b,
            a * 0.5,
            a / b,
            a + True,
            a.clamp(min=0),
        )
        return [(y.dtype, y.tolist()) for y in results]

    with the_readable_way():
        readable = made()
    assert made() == readable
    assert len(calls_in(lambda: a + b)[1:]) == 1


# Modes are entered whole or not at all ----------------------------------------------------------


class Interrupt(BaseException):
    """Raised at a line of the code under test, as a KeyboardInterrupt may be."""


def interrupted_at(number, run):
    """Run, and raise at the given line of glassgrad's that is reached; whether it was reached."""
    count = 0

    def trace(frame, event, _):
        nonlocal count
        if not frame.f_code.co_filename.startswith(str(HOME)):
            return None
        if event == "line":
            count += 1
            if count == number:
                sys.settrace(None)
                raise Interrupt
        return trace

    sys.settrace(trace)
    try:
        run()
    except Interrupt:
        return True
    finally:
        sys.settrace(None)
    return False


def now():
    marks = (state.unusual, state.special, state.watching)
    return dict(vars(modes)), [set(mark) for mark in marks], state.noting, state.anomaly


BLOCKS = {
    "no_grad": gg.no_grad,
    "enable_grad": gg.enable_grad,
    "inference_mode": gg.inference_mode,
    "hook pairs": lambda: saved_tensors_hooks(lambda x: x, lambda x: x),
    "scope": lambda: gg.scope("here"),
    "a transform": lambda: opened(GradLevel()),
    "forward mode": forward_ad.dual_level,
    "anomaly mode": lambda: gg.autograd.detect_anomaly(),
    "a pass": lambda: setting(grad=False, inference=False, task=object(), hook_pairs=()),
}


@together
@pytest.mark.filterwarnings("ignore:Anomaly Detection")
@pytest.mark.parametrize("name", BLOCKS)
def test_an_interrupted_entry_leaves_the_modes_as_they_were(name):
    for number in range(1, 100):
        block, before = BLOCKS[name](), now()
        if not interrupted_at(number, block.__enter__):
            break
        assert now() == before, f"at line {number} of the entry"
    assert now() != before or name == "enable_grad"
    block.__exit__(None, None, None)
    assert now() == before
    assert number > 3


def test_an_interrupted_exit_is_made_good_by_the_next_one():
    before = now()
    for number in range(1, 10):
        outer, inner = setting(grad=True, inference=False), gg.inference_mode()
        outer.__enter__()
        inner.__enter__()
        interrupted_at(number, lambda inner=inner: inner.__exit__(None, None, None))
        outer.__exit__(None, None, None)
        assert now() == before


def test_modes_are_set_all_or_none():
    before = now()
    with pytest.raises(KeyError):
        set_modes(grad=False, no_such_mode=True)
    assert now() == before
