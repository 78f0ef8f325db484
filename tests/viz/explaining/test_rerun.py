"""What `gg.explain` says where the operands of a node are not known, and how they can be given."""

import pytest

import glassgrad as gg
from viz.explaining.cube import Cube


@pytest.fixture
def x():
    return gg.tensor([1.0, 2.0], dtype=gg.float64, requires_grad=True)


def hidden(x):
    """An op on a tensor of which nothing is left, and which a made-up one cannot replace."""
    y = Cube.apply(x)
    return y.exp(), y


def test_without_operands_it_says_so_and_checks_what_can_be_checked(x):
    y, _ = hidden(x)
    found = gg.explain(y)
    assert found.ok is None
    assert "no differences: its forward, run again, does not lead to the result" in str(found)
    assert "twice the gradient gives twice the results" in str(found)


def test_operands_can_be_given(x):
    y, operand = hidden(x)
    assert gg.explain(y, operands=(operand,)).ok


def test_wrong_operands_are_noticed(x):
    y, operand = hidden(x)
    assert "does not lead to the result" in str(gg.explain(y, operands=(operand * 2,)))


def test_made_up_operands_are_owned_up_to(x):
    found = gg.explain(Cube.apply(x).sum())
    assert found.ok
    assert "of operand 1 nothing is left: made-up values stand in" in str(found)


def test_a_freed_graph_still_has_words(x):
    y = x.exp()
    y.sum().backward()
    found = gg.explain(y)
    assert found.formulas
    assert "FreedGraphError" in str(found)


def test_a_stale_saved_tensor_is_named():
    x = gg.ones(2, requires_grad=True)
    a = x * 1
    y = a * a
    a.add_(1)
    found = gg.explain(y)
    assert "saved at v0, now v1: stale" in str(found)
    assert "StaleTensorError" in str(found)


def test_a_forward_that_cannot_be_run_again_is_told(x):
    class Once(Cube):
        runs = 0

        @staticmethod
        def forward(ctx, x):
            Once.runs += 1
            if Once.runs > 3:
                raise ZeroDivisionError
            return Cube.forward(ctx, x)

    found = gg.explain(Once.apply(x))
    assert found.ok is None
    assert "no differences: ZeroDivisionError" in str(found)


def test_a_rule_that_raises_is_told(x):
    class Broken(Cube):
        @staticmethod
        def backward(ctx, grad):
            raise ZeroDivisionError("my mistake")

    assert "ZeroDivisionError: my mistake" in str(gg.explain(Broken.apply(x)))


def test_values_of_a_leaf_that_was_written_since_are_not_taken_for_the_old_ones():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    with gg.no_grad():
        x.mul_(2)
    found = gg.explain(y)
    assert found.ok is None
    assert "does not lead to the result" in str(found)


def test_values_of_a_leaf_that_was_written_before_are_known():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    with gg.no_grad():
        x.mul_(2)
    found = gg.explain(x.exp())
    assert found.ok
    assert found.notes == []


def test_operands_are_computed_again_from_older_nodes(x):
    found = gg.explain(((x * 2).sin() + x).exp())
    assert found.ok
    assert found.notes == []


def test_a_number_that_nobody_kept_is_lost(x):
    assert gg.explain((x + 1).exp()).ok is None
    assert gg.explain((x + 1).exp(), operands=(x + 1,)).ok


def test_a_deep_chain_is_explained_without_recursion(x):
    y = x
    for _ in range(5_000):
        y = y * 1.0
    assert gg.explain(y.sum()).ok
