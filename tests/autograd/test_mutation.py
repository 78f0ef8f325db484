"""Writing to tensors that are saved, inside `allow_mutation_on_saved_tensors`."""

import pytest

from both import LIBRARIES
from glassgrad import no_grad, tensor
from glassgrad.autograd import grad
from glassgrad.autograd.graph import allow_mutation_on_saved_tensors
from glassgrad.core import state
from glassgrad.core.errors import StaleTensorError


def leaf():
    return tensor([1.0, 2.0, 3.0], requires_grad=True)


def test_backward_uses_what_was_there_when_it_was_saved():
    def run(x):
        y = x.clone()
        z = (y * y).sum()
        y.zero_()
        z.backward()

    with pytest.raises(StaleTensorError):
        run(leaf())
    x = leaf()
    with allow_mutation_on_saved_tensors() as bookkeeping:
        run(x)
        assert len(bookkeeping.cloned) == 0
    assert x.grad.tolist() == [2.0, 4.0, 6.0]


def test_a_result_that_is_overwritten_was_copied():
    x = leaf()
    with allow_mutation_on_saved_tensors():
        y = x.exp()
        expected = y.tolist()
        with no_grad():
            y.zero_()
        y.sum().backward()
    assert x.grad.tolist() == expected


def test_one_copy_for_each_version_that_is_still_needed():
    with allow_mutation_on_saved_tensors() as bookkeeping:
        x = leaf().clone()
        first = x * x
        x.mul_(2)
        second = x * x
        again = x * x
        x.mul_(2)
        x.mul_(2)
        assert len(bookkeeping.cloned) == 2
        del first
        assert len(bookkeeping.cloned) == 1
        del second, again
        assert len(bookkeeping.cloned) == 0


def test_what_is_needed_no_more_is_not_copied():
    with allow_mutation_on_saved_tensors() as bookkeeping:
        x = leaf().clone()
        y = (x * x).sum()
        assert len(bookkeeping.tid_to_weakhandle) == 1
        y.backward()
        x.mul_(2)
        assert len(bookkeeping.cloned) == 0


@pytest.mark.parametrize("written", ["base", "view"])
def test_writes_are_seen_through_views_and_bases(written):
    x = leaf()
    with allow_mutation_on_saved_tensors():
        base = x.clone()
        with no_grad():
            alias = base.detach()
        view = base[1:]
        z = (view * view).sum() + (base * base).sum()
        target = alias if written == "base" else alias[1:]
        target.zero_()
        z.backward()
    assert x.grad.tolist() == [2.0, 8.0, 12.0]


def test_second_derivatives_use_the_copies_too():
    x = leaf()
    with allow_mutation_on_saved_tensors():
        y = x.clone()
        z = (y**3).sum()
        y.zero_()
        (first,) = grad(z, x, create_graph=True)
        (second,) = grad(first.sum(), x)
    assert second.tolist() == [6.0, 12.0, 18.0]


def test_outside_of_its_block_a_graph_cannot_be_used():
    with allow_mutation_on_saved_tensors():
        y = (leaf() ** 2).sum()
    with pytest.raises(AssertionError, match="outside of the 'allow_mutation_on_saved_tensors'"):
        y.backward()
    with allow_mutation_on_saved_tensors(), pytest.raises(AssertionError, match="outside of"):
        y.backward()


def test_blocks_do_not_nest():
    with (
        allow_mutation_on_saved_tensors(),
        pytest.raises(RuntimeError, match="contexts cannot be nested"),
        allow_mutation_on_saved_tensors(),
    ):
        pass


def test_nothing_stays_behind():
    with allow_mutation_on_saved_tensors() as bookkeeping:
        x = leaf().clone()
        y = x * x
        x.mul_(2)
    assert y.requires_grad
    assert not bookkeeping.cloned
    assert not bookkeeping.original
    assert not bookkeeping.sid_to_tid
    assert not bookkeeping.tid_to_weakhandle
    assert state.before_write == []
    assert state.modes.hook_pairs == ()


@pytest.mark.parametrize("lib", LIBRARIES)
def test_a_write_that_nobody_saw_can_be_counted(lib):
    x = lib.ones(2, requires_grad=True)
    y = x * 1
    z = (y * y).sum()
    y.detach().numpy()[0] = 5
    lib.autograd.graph.increment_version(y)
    assert y._version == 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.backward()
    lib.autograd.graph.increment_version(iter([x, x]))
    assert x._version == 2
    with lib.inference_mode():
        lib.autograd.graph.increment_version(lib.ones(2))
    for wrong in (3, [3]):
        with pytest.raises(RuntimeError, match="increment_version expect"):
            lib.autograd.graph.increment_version(wrong)
