"""One node's turn in a watched pass: phase by phase, with a look ahead, and back."""

import numpy as np
import pytest

import glassgrad
from both import leaf
from glassgrad.core.graph import edge_of
from glassgrad.hooks.turn import GraphTask, Turn


def task_of(tensor, **options):
    return GraphTask([edge_of(tensor)], [np.ones(tensor.shape)], **options)


def phases(turn):
    found = []
    while (phase := turn.step()) is not None:
        found.append(phase.kind)
    return found


def test_the_phases_of_a_node_come_in_their_order():
    x = leaf(glassgrad, [1.0, 2.0])
    y = x * x
    y.register_hook(lambda grad: None)
    y.grad_fn.register_prehook(lambda grads: None)
    y.grad_fn.register_hook(lambda *_: None)
    order = ["pre_hook", "pre_hook", "apply", "post_hook", "free_saved", "buffer"]
    assert phases(Turn(task_of(y), y.grad_fn)) == [*order, "buffer"]


def test_the_phases_of_a_leaf_end_with_its_accumulation():
    x = leaf(glassgrad, [1.0, 2.0])
    x.register_hook(lambda grad: None)
    node = edge_of(x)
    assert phases(Turn(task_of(x), node)) == ["pre_hook", "accumulate"]


def test_what_comes_next_is_known_before_it_is_done():
    y = -leaf(glassgrad, [1.0, 2.0])
    y.register_hook(lambda grad: None)
    turn = Turn(task_of(y), y.grad_fn)
    kinds = [turn.upcoming[0]]
    while (phase := turn.step()) is not None:
        assert phase.kind == kinds[-1]
        kinds.append(turn.upcoming[0])
    assert kinds == ["pre_hook", "apply", "buffer", ""]


def test_a_turn_can_be_put_back_to_a_mark():
    y = leaf(glassgrad, [1.0, 2.0]) * 2
    y.register_hook(lambda grad: grad * 10)
    turn = Turn(task_of(y), y.grad_fn)
    mark = turn.mark()
    turn.step()
    assert turn.grads[0].tolist() == [10.0, 10.0]
    turn.put_back(mark)
    assert turn.grads[0].tolist() == [1.0, 1.0]
    assert turn.upcoming[0] == "pre_hook"


def test_a_node_that_does_not_run_is_passed_by():
    x = leaf(glassgrad, [1.0, 2.0])
    y = x * 2
    task = task_of(y, captures=[edge_of(x)])
    task.buffers[edge_of(x)] = np.array([5.0, 6.0])
    turn = Turn(task, edge_of(x))
    assert turn.grads[0].tolist() == [5.0, 6.0]
    assert phases(turn) == []
    assert task.captured[0].tolist() == [5.0, 6.0]


def test_a_pass_can_be_stepped_no_further_than_a_node():
    y = -leaf(glassgrad, 3.0)
    task = task_of(y)
    kinds = []
    while task.position == 0:
        kinds.append(task.step_here().kind)
    assert kinds == ["ready", "apply", "buffer"]
    assert task.turn is None
    while task.step() is not None:
        pass
    assert task.is_over
    assert task.step_here() is None


def test_what_a_hook_raises_ends_a_watched_pass():
    def fail(_):
        raise StopIteration("mine")

    y = leaf(glassgrad, 3.0) * 2
    y.register_hook(fail)
    task = task_of(y)
    task.step()
    with pytest.raises(StopIteration, match="mine"):
        task.step()
    assert task.is_over
    assert task.buffers == {}


def test_saved_tensor_hooks_that_a_hook_leaves_open_end_with_the_step():
    def enter(_):
        glassgrad.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x).__enter__()

    y = leaf(glassgrad, 3.0) * 2
    y.register_hook(enter)
    task = task_of(y)
    while task.step() is not None:
        assert glassgrad.core.state.modes.hook_pairs == ()
