"""The fused steps inside `glassgrad.func`'s transforms."""

import numpy as np
import pytest

import glassgrad as gg
from checks import together
from glassgrad import func
from glassgrad.trajectory import numerics
from trajectory.steps import BUFFERS, NAMES, arguments, is_indexed, of_actions, padding, step

every = pytest.mark.parametrize("name", NAMES)
STARTS = ("start_position", "start_velocity", "start_acceleration")


def stacked(calls):
    return [gg.stack(list(parts)) for parts in zip(*calls, strict=True)]


def same(found, want):
    return all(gg.allclose(x, y) for x, y in zip(found, want, strict=True))


def loss_of(name, given):
    return lambda u: sum((x * x).sum() for x in step(name, given, u_act=u))


@together
@every
@pytest.mark.parametrize("dim", [0, 1, 3])
def test_vmap_over_actions(name, dim):
    given = arguments(name)
    f, batch = of_actions(name, given), gg.randn(3, *given["u_act"].shape, dtype=gg.float64)
    found = func.vmap(f, in_dims=dim)(batch.movedim(0, dim))
    assert same(found, stacked([f(u) for u in batch]))


@together
@every
def test_vmap_over_starts(name):
    given = arguments(name)
    starts = [gg.randn(*given[part].shape, 3, dtype=gg.float64) for part in STARTS]

    def f(*start):
        return step(name, given, **dict(zip(STARTS, start, strict=True)))

    found = func.vmap(f, in_dims=-1)(*starts)
    assert same(found, stacked([f(*[x[..., k] for x in starts]) for k in range(3)]))


@together
@every
def test_vmap_over_time_steps(name):
    given = arguments(name)
    steps = gg.stack([given["traj_dt"], 2 * given["traj_dt"]])

    def f(dt):
        return step(name, given, traj_dt=dt)

    assert same(func.vmap(f)(steps), stacked([f(dt) for dt in steps]))


@together
@pytest.mark.parametrize("name", [name for name in NAMES if is_indexed(name)])
@pytest.mark.parametrize("with_starts", [False, True])
def test_vmap_over_indices(name, with_starts):
    given = arguments(name)
    index = gg.tensor([[2, 0], [1, 1], [0, 2]])
    starts = [gg.randn(3, 3, 2, dtype=gg.float64) for _ in STARTS]

    def f(index, *start):
        return step(name, given, start_idx=index, **dict(zip(STARTS, start, strict=False)))

    rows = [(i, *[x[k] for x in starts]) if with_starts else (i,) for k, i in enumerate(index)]
    found = func.vmap(f)(index, *starts) if with_starts else func.vmap(f)(index)
    assert same(found, stacked([f(*row) for row in rows]))


@together
@pytest.mark.parametrize("name", [name for name in NAMES if is_indexed(name)])
def test_vmap_over_small_integers_that_would_not_count_all_rows(name):
    given = arguments(name, rows=5)
    index = gg.tensor(np.random.default_rng(0).integers(0, 5, (60, 2)), dtype=gg.int8)

    def f(index):
        return step(name, given, start_idx=index)

    assert same(func.vmap(f)(index), stacked([f(i) for i in index]))


@together
@pytest.mark.parametrize("name", [name for name in NAMES if is_indexed(name)])
@pytest.mark.parametrize("wrong", [-1, 3])
def test_vmap_over_an_index_beyond_its_own_example_takes_no_row_of_another(name, wrong):
    given = arguments(name, rows=3)
    index = gg.tensor([[0, 1], [2, wrong], [0, 1]])

    def f(index):
        return step(name, given, start_idx=index)

    rows = f"start_idx goes from {min(0, wrong)} to {max(2, wrong)}, but there are 3 start rows"
    with pytest.raises(IndexError, match=rows):
        func.vmap(f)(index)
    with pytest.raises(IndexError, match=rows):
        func.vmap(func.vmap(f))(index.unsqueeze(0))


@together
@pytest.mark.parametrize("name", [name for name in NAMES if is_indexed(name)])
def test_an_index_that_all_examples_share_is_refused_with_its_own_numbers(name):
    given = arguments(name, rows=2) | {"start_idx": gg.tensor([0, 2])}
    batch = gg.randn(4, *given["u_act"].shape, dtype=gg.float64)
    for function in (of_actions(name, given), func.grad(loss_of(name, given))):
        with pytest.raises(IndexError, match="goes from 0 to 2, but there are 2 start rows"):
            func.vmap(function)(batch)


@together
@pytest.mark.parametrize("name", [name for name in NAMES if is_indexed(name)])
def test_vmap_over_an_index_that_is_none(name):
    given = arguments(name)
    batch = given["u_act"].unsqueeze(0)
    for index in ([0, 1], gg.ones(2)):
        with pytest.raises(TypeError, match="start_idx must be a tensor of integers"):
            func.vmap(of_actions(name, given | {"start_idx": index}))(batch)
    row = given | {"start_idx": gg.tensor([[0, 1]])}
    with pytest.raises(ValueError, match=r"start_idx must have the shape \(2,\), .* got \(1, 2\)"):
        func.vmap(of_actions(name, row))(batch)


@together
@every
def test_vmap_over_trajectories_of_no_joints(name):
    given = arguments(name, shape=(2, 7, 0))
    batch = gg.zeros(3, *given["u_act"].shape, dtype=gg.float64)
    assert func.vmap(of_actions(name, given))(batch)[0].shape == (3, 2, 7, 0)


@together
@every
def test_vmap_over_no_examples_has_the_shapes_of_one(name):
    given = arguments(name)
    for part, x in given.items():
        if x is not None:
            none = x.unsqueeze(-1).expand(*x.shape, 0)

            def f(x, part=part):
                return step(name, given, **{part: x})

            assert [y.shape for y in func.vmap(f, in_dims=-1)(none)] == [(0, 2, 7, 2)] * 4


@together
@every
def test_derivatives_under_vmap_over_no_examples_have_the_shapes_of_one(name):
    given, size = arguments(name), arguments(name)["u_act"].shape
    steps = given["traj_dt"].expand(0, -1)
    none = gg.zeros(0, *size, dtype=gg.float64)

    def loss(u, dt):
        return sum((x * x).sum() for x in step(name, given, u_act=u, traj_dt=dt))

    for dims, dt in ((0, steps), ((0, None), given["traj_dt"])):
        assert func.vmap(func.grad(loss), dims)(none, dt).shape == (0, *size)
        assert func.vmap(func.hessian(loss), dims)(none, dt).shape == (0, *size, *size)


@together
@every
@pytest.mark.filterwarnings("error")
def test_tangents_and_gradients_that_are_not_finite_pass_without_a_warning(name):
    given = arguments(name)
    loss, u = loss_of(name, given), given["u_act"]
    endless = gg.full(u.shape, float("inf"), dtype=gg.float64)
    assert func.jvp(of_actions(name, given), (u,), (endless,))[1][3].isnan().any()
    assert func.jvp(func.grad(loss), (u,), (endless,))[1].isnan().any()


@together
@every
def test_grad_and_vmap_of_grad(name):
    given = arguments(name)
    loss, u = loss_of(name, given), given["u_act"]
    leaf = u.clone().requires_grad_()
    loss(leaf).backward()
    assert gg.allclose(func.grad(loss)(u), leaf.grad)
    batch = gg.randn(3, *u.shape, dtype=gg.float64)
    found = func.vmap(func.grad(loss))(batch)
    assert gg.allclose(found, gg.stack([func.grad(loss)(x) for x in batch]))


@pytest.mark.parametrize("name", [name for name in NAMES if padding(name)])
def test_literal_gradients_of_a_batch_are_those_of_each_example(name):
    given = arguments(name)
    batch = gg.randn(3, *given["u_act"].shape, dtype=gg.float64)
    with numerics("curobo"):
        loss = loss_of(name, given)
        each = gg.stack([func.grad(loss)(u) for u in batch])
        assert gg.allclose(func.vmap(func.grad(loss))(batch), each)
        assert gg.allclose(func.grad(lambda u: func.vmap(loss)(u).sum())(batch), each)
    exact = gg.stack([func.grad(loss)(u) for u in batch])
    assert not gg.allclose(each, exact)


@together
@every
def test_jvp_is_the_gradient_s_product_and_ignores_tangents_of_the_start(name):
    given = arguments(name)
    loss, u = loss_of(name, given), given["u_act"]
    tangent = gg.randn(*u.shape, dtype=gg.float64)
    _, moved = func.jvp(loss, (u,), (tangent,))
    assert gg.allclose(moved, (func.grad(loss)(u) * tangent).sum())

    def with_start(q):
        return step(name, given, start_position=q)

    q = given["start_position"]
    _, moved = func.jvp(with_start, (q,), (gg.ones_like(q),))
    assert not any(x.any() for x in moved)


@together
@every
def test_hessians_forward_over_reverse_and_reverse_over_reverse(name):
    given = arguments(name, shape=(1, 6, 1))
    loss, u = loss_of(name, given), given["u_act"]
    assert gg.allclose(func.hessian(loss)(u), func.jacrev(func.jacrev(loss))(u))
    assert gg.allclose(func.hessian(loss)(u), func.jacrev(func.jacfwd(loss))(u))


@together
@every
def test_buffers_inside_of_a_transform_are_refused(name):
    given = arguments(name)
    batch = gg.randn(3, *given["u_act"].shape, dtype=gg.float64)
    full = arguments(name, buffers=True)
    for buffer in (*BUFFERS, "out_grad_position"):
        changed = given | {buffer: full[buffer]}
        with pytest.raises(RuntimeError, match="buffer inside of a transform"):
            func.vmap(of_actions(name, changed))(batch)
        with pytest.raises(RuntimeError, match="buffer inside of a transform"):
            func.grad(loss_of(name, changed))(given["u_act"])
        assert full[buffer].isnan().all()
