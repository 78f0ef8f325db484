"""Nothing stays: what a program lets go of dies at once, without the garbage collector.

The programs are in `tests/leaks/`: each returns what must be dead when nobody refers to it any
more: tensors, nodes, and the owners of hooks. PyTorch plays them too, so that nothing is asked
which it denies; `OURS` are those where it leaves something to the collector. That the ops let go,
each by itself, is a check of every row in tests/ops/test_opcases.py.
"""

import gc
import tracemalloc

import numpy as np
import pytest
import torch

import glassgrad
from both import LIBRARIES, leaf
from checks import together
from glassgrad.core import primitive as doors
from glassgrad.core import state
from leaks.collected import OURS, PROGRAMS
from leaks.letting_go import behind, function, survivors

# Functions --------------------------------------------------------------------------------------


def _play_function(lib, name, *, then):
    x = leaf(lib, [0.3, 0.7])
    y = x * 1.0
    outputs = function(lib, name).apply(y)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    dying = behind(*outputs)
    then(lib, sum(out.sum() for out in outputs), x)
    return [x, y, *dying]


def _only_forward(lib, root, x):
    assert root.requires_grad


def _backward(lib, root, x):
    root.backward()


def _second_order(lib, root, x):
    (grad,) = lib.autograd.grad(root, x, create_graph=True)
    if grad.requires_grad:
        lib.autograd.grad(grad.sum(), x, allow_unused=True)


@together
@pytest.mark.parametrize("lib", LIBRARIES)
@pytest.mark.parametrize("then", [_only_forward, _backward, _second_order])
@pytest.mark.parametrize(
    "name", ["SavesItsOutput", "SavesEverything", "ReturnsItsInput", "ChangesItsInput"]
)
def test_what_a_user_function_saves_dies_with_its_node(lib, name, then):
    assert survivors(lambda: _play_function(lib, name, then=then)) == ([], 0)


# Programs -----------------------------------------------------------------------------------------


def named(programs):
    return [pytest.param(play, id=play.__name__) for play in programs]


@together
@pytest.mark.parametrize("play", named(PROGRAMS + OURS))
def test_what_a_program_lets_go_of_dies_at_once(play):
    assert survivors(lambda: play(glassgrad)) == ([], 0)


@together
@pytest.mark.parametrize("play", named(PROGRAMS))
def test_no_more_is_asked_than_pytorch_does(play):
    assert survivors(lambda: play(torch)) == ([], 0)


@together
@pytest.mark.parametrize("play", named(PROGRAMS + OURS))
def test_a_program_leaves_no_mark_in_the_process(play):
    play(glassgrad)
    marks = (state.unusual, state.special, state.watching, state.before_write)
    assert not any(marks)
    assert state.anomaly is None
    assert state.modes.task is None
    assert state.modes.levels == ()
    assert state.modes.duals is None


# Growth -------------------------------------------------------------------------------------------


def trainer(optimizer, **options):
    """A step of training a small network."""
    rng = np.random.default_rng(0)
    inputs = glassgrad.tensor(rng.normal(size=(8, 4)).astype("f"))
    targets = glassgrad.tensor(rng.integers(0, 3, 8))
    layers = glassgrad.nn.Linear(4, 8), glassgrad.nn.Tanh(), glassgrad.nn.Linear(8, 3)
    model = glassgrad.nn.Sequential(*layers)
    loss_of = glassgrad.nn.CrossEntropyLoss()
    steps = optimizer(model.parameters(), lr=0.01, **options)

    def step():
        steps.zero_grad()
        loss_of(model(inputs), targets).backward()
        steps.step()

    return step


def growth(step, times):
    """By how many objects and bytes the process grows while `step` runs so often."""
    gc.freeze()  # what is there already is left out, for good: only what `step` makes is counted
    gc.disable()
    tracemalloc.start()
    try:
        for _ in range(10):  # caches and pools fill
            step()
        objects, size = len(gc.get_objects()), tracemalloc.get_traced_memory()[0]
        for _ in range(times):
            step()
        return len(gc.get_objects()) - objects, tracemalloc.get_traced_memory()[0] - size
    finally:
        tracemalloc.stop()
        gc.enable()


def assert_steady(step, times):
    """The process stays as large as it is: some kilobytes of CPython's own come and go."""
    objects, size = growth(step, times)
    assert objects < 20
    assert size < min(20_000, 600 * times)  # a step that keeps a small tensor keeps more


@pytest.mark.slow
def test_ten_thousand_training_steps_do_not_grow():
    assert_steady(trainer(glassgrad.optim.SGD, momentum=0.9), 10_000)


@pytest.mark.parametrize("times", [200, pytest.param(1000, marks=pytest.mark.slow)])
def test_adam_does_not_grow(monkeypatch, times):
    monkeypatch.setattr(doors, "_MAX_CONSTANTS", 0)  # it keeps so many numbers, and Adam has many
    assert_steady(trainer(glassgrad.optim.Adam), times)


@pytest.mark.parametrize("play", named(PROGRAMS + OURS))
def test_a_program_played_again_and_again_does_not_grow(play):
    assert_steady(lambda: play(glassgrad), 25)
