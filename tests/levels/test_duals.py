"""What writes and views do to tangents."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import glassgrad
from both import leaf, plain
from duals import both, dual, forward_ad, level_is_open, tangent_of

# Writes and views -------------------------------------------------------------------------------


@both
@level_is_open
def test_a_write_to_a_dual_writes_the_tangent_itself(lib):
    primal, tangent = plain(lib, [1.0, 2.0]), plain(lib, [1.0, 1.0])
    x = forward_ad(lib).make_dual(primal, tangent)
    x *= 3
    assert primal.tolist() == [3.0, 6.0]
    assert tangent.tolist() == [3.0, 3.0]
    assert tangent_of(lib, primal) is None
    primal.mul_(2)
    assert tangent.tolist() == [3.0, 3.0]


def test_a_dual_may_be_written_with_itself():
    with forward_ad(glassgrad).dual_level():  # torch reads the tangent while it is written
        x = dual(glassgrad, [3.0, 5.0], [1.0, 2.0])
        x.mul_(x)
        assert tangent_of(glassgrad, x) == [6.0, 20.0]


@both
@level_is_open
def test_a_result_has_a_tangent_of_its_own(lib):
    x = dual(lib, [1.0, 2.0], [1.0, 1.0])
    y, z = x + plain(lib, [1.0, 1.0]), x.clone()
    x.mul_(3)
    assert tangent_of(lib, y) == [1.0, 1.0]
    assert tangent_of(lib, z) == [1.0, 1.0]


@both
@level_is_open
def test_views_of_a_dual_share_its_tangent(lib):
    x = dual(lib, [1.0, 2.0, 3.0], [1.0, 1.0, 1.0])
    part = x[1:]
    part.mul_(5)
    assert tangent_of(lib, x) == [1.0, 5.0, 5.0]
    part[0].mul_(2)
    assert tangent_of(lib, x) == [1.0, 10.0, 5.0]
    x.add_(x)
    assert tangent_of(lib, part) == [20.0, 10.0]
    assert tangent_of(lib, x.view(3, 1)) == [[2.0], [20.0], [10.0]]


@both
@level_is_open
def test_views_of_a_dual_with_a_part_of_some_memory_share_its_tangent(lib):
    x = forward_ad(lib).make_dual(lib.ones(5)[:4].detach(), lib.tensor([1.0, 2.0, 3.0, 4.0]))
    x[1:].mul_(2)
    assert tangent_of(lib, x) == [1.0, 4.0, 6.0, 8.0]
    x.view(2, 2).t()[0].mul_(10)
    assert tangent_of(lib, x) == [10.0, 4.0, 60.0, 8.0]


@both
@level_is_open
def test_views_that_were_there_before_share_a_tangent_that_comes_later(lib):
    base = lib.zeros(2, 3, dtype=lib.float64)
    column, row = base[:, 1], base[1]
    base.copy_(dual(lib, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]))
    assert tangent_of(lib, column) == [1.0, 4.0]
    assert tangent_of(lib, row) == [3.0, 4.0, 5.0]
    row.mul_(2)
    assert tangent_of(lib, column) == [1.0, 8.0]


@both
@level_is_open
def test_a_dual_written_to_a_part_makes_the_rest_stand_still(lib):
    base = lib.zeros(2, 3, dtype=lib.float64).t()
    other = base[2]
    base[1] = dual(lib, [1.0, 2.0], [5.0, 6.0])
    assert tangent_of(lib, base) == [[0.0, 0.0], [5.0, 6.0], [0.0, 0.0]]
    assert tangent_of(lib, other) == [0.0, 0.0]
    other.add_(dual(lib, [1.0, 2.0], [7.0, 8.0]))
    assert tangent_of(lib, base) == [[0.0, 0.0], [5.0, 6.0], [7.0, 8.0]]


@both
@level_is_open
def test_a_detached_view_shares_memory_but_no_tangent(lib):
    base = lib.zeros(2, dtype=lib.float64)
    base.detach().add_(dual(lib, [1.0, 2.0], [1.0, 1.0]))
    assert base.tolist() == [1.0, 2.0]
    assert tangent_of(lib, base) is None


@both
@level_is_open
def test_an_unpacked_primal_can_have_another_tangent(lib):
    x = dual(lib, [1.0, 2.0], [1.0, 1.0])
    primal = forward_ad(lib).unpack_dual(x).primal
    primal[0].mul_(dual(lib, 1.0, 5.0))
    assert tangent_of(lib, primal) == [5.0, 0.0]
    assert tangent_of(lib, x) == [1.0, 1.0]


CONSTANTS = {
    "zero_": lambda lib, x: x.zero_(),
    "fill_": lambda lib, x: x.fill_(3.0),
    "uniform_": lambda lib, x: x.uniform_(),
    "ge_": lambda lib, x: x.ge_(0.0),
    "copy_": lambda lib, x: x.copy_(plain(lib, [1.0, 2.0])),
    "setitem": lambda lib, x: x.__setitem__(slice(None), 3.0),
    "index_fill_": lambda lib, x: x.index_fill_(0, lib.tensor([0, 1]), 1.0),
}


@both
@level_is_open
@pytest.mark.parametrize("write", CONSTANTS)
def test_a_constant_written_to_a_dual_stands_still(lib, write):
    x = dual(lib, [1.0, 2.0], [1.0, 1.0])
    CONSTANTS[write](lib, x)
    assert tangent_of(lib, x) == [0.0, 0.0]


@both
@level_is_open
def test_shapes_change_in_place_with_their_tangents(lib):
    x = dual(lib, [[1.0, 2.0]], [[3.0, 4.0]]).clone()
    x.t_()
    assert tangent_of(lib, x) == [[3.0], [4.0]]
    x.unsqueeze_(0).mul_(2)
    assert tangent_of(lib, x) == [[[6.0], [8.0]]]


@both
@level_is_open
def test_numbers_are_put_in_place_with_their_tangents(lib):
    x = lib.zeros(3, dtype=lib.float64)
    x[1] = dual(lib, 2.0, 1.0)
    assert tangent_of(lib, x) == [0.0, 1.0, 0.0]
    x.masked_fill_(lib.tensor([True, False, False]), dual(lib, 1.0, 7.0))
    assert tangent_of(lib, x) == [7.0, 1.0, 0.0]
    x[lib.tensor([2, 1])] = dual(lib, [1.0, 2.0], [3.0, 4.0])
    assert tangent_of(lib, x) == [7.0, 4.0, 3.0]
    x.index_add_(0, lib.tensor([0]), dual(lib, [1.0], [1.0]))
    assert tangent_of(lib, x) == [8.0, 4.0, 3.0]


@both
@level_is_open
def test_a_leaf_that_is_a_tangent_is_not_written(lib):
    x = forward_ad(lib).make_dual(plain(lib, [1.0]), leaf(lib, [1.0]))
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in"):
        x.mul_(2)


# Random programs --------------------------------------------------------------------------------

STEPS = {
    "add": lambda xs, i, j: xs.append(xs[i] + xs[j]),
    "mul": lambda xs, i, j: xs.append(xs[i] * xs[j]),
    "tanh": lambda xs, i, j: xs.append(xs[i].tanh()),
    "view": lambda xs, i, j: xs.append(xs[i][1:3].view(2).repeat(2)),
    "part": lambda xs, i, j: xs[i][1:3].mul_(xs[j][:2].clone()),
    "mul_": lambda xs, i, j: xs[i].mul_(xs[j].clone()),
    "add_": lambda xs, i, j: xs[i].add_(xs[j].clone(), alpha=0.5),
    "copy_": lambda xs, i, j: xs[i].copy_(xs[j]),
    "tanh_": lambda xs, i, j: xs[i].tanh_(),
    "put": lambda xs, i, j: xs[i].__setitem__(0, xs[j][3].clone()),
    "detach": lambda xs, i, j: xs.append(xs[i].detach()),
    "alias": lambda xs, i, j: xs.append(xs[i].view(2, 2).t().reshape(4)),
    "whole": lambda xs, i, j: xs.append(xs[i].view(4)),
}
programs = st.lists(
    st.tuples(st.sampled_from(sorted(STEPS)), st.integers(0, 9), st.integers(0, 9)), max_size=14
)


def play(lib, program):
    """Values and tangents of all tensors of a program, after each of its steps the last one's."""
    with forward_ad(lib).dual_level():
        xs = [dual(lib, [0.5, -1.0, 2.0, 0.1], [1.0, 2.0, -1.0, 0.5]), plain(lib, [1.5, 1.0, 2, 3])]
        xs.append(plain(lib, [0.1, 0.2, 0.3, 0.4]))
        for name, i, j in program:
            STEPS[name](xs, i % len(xs), j % len(xs))
        return [(x.tolist(), tangent_of(lib, x)) for x in xs]


@settings(max_examples=60, deadline=None)
@given(programs)
def test_random_programs_with_writes_and_views_move_as_in_torch(program):
    for ours, theirs in zip(play(glassgrad, program), play(torch, program), strict=True):
        assert ours[0] == pytest.approx(theirs[0], abs=1e-12)
        assert (ours[1] is None) == (theirs[1] is None)
        assert ours[1] is None or ours[1] == pytest.approx(theirs[1], abs=1e-12)


@both
@level_is_open
def test_a_tangent_moves_through_vmap(lib):
    x = dual(lib, [1.0, 2.0], [3.0, 4.0])
    assert tangent_of(lib, lib.vmap(lambda x: x * x)(x)) == [6.0, 16.0]


@both
@level_is_open
def test_a_dual_that_was_turned_in_place_keeps_its_node(lib):
    x = leaf(lib, [1.0, 2.0])
    y = forward_ad(lib).make_dual(x, plain(lib, [1.0, 0.0])).sin()
    y.unsqueeze_(0)
    assert y.grad_fn.name() == "UnsqueezeBackward1"
    assert tangent_of(lib, y) == [[*x.detach().cos().tolist()[:1], 0.0]]
