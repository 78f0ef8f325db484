"""The fused steps inside `glassgrad.func`'s transforms."""

import pytest

import glassgrad as gg
from glassgrad import func
from trajectory.steps import BUFFERS, NAMES, arguments, is_indexed, of_actions, step

every = pytest.mark.parametrize("name", NAMES)
STARTS = ("start_position", "start_velocity", "start_acceleration")


def stacked(calls):
    return [gg.stack(list(parts)) for parts in zip(*calls, strict=True)]


def same(found, want):
    return all(gg.allclose(x, y) for x, y in zip(found, want, strict=True))


def loss_of(name, given):
    return lambda u: sum((x * x).sum() for x in step(name, given, u_act=u))


@every
@pytest.mark.parametrize("dim", [0, 1, 3])
def test_vmap_over_actions(name, dim):
    given = arguments(name)
    f, batch = of_actions(name, given), gg.randn(3, *given["u_act"].shape, dtype=gg.float64)
    found = func.vmap(f, in_dims=dim)(batch.movedim(0, dim))
    assert same(found, stacked([f(u) for u in batch]))


@every
def test_vmap_over_starts(name):
    given = arguments(name)
    starts = [gg.randn(*given[part].shape, 3, dtype=gg.float64) for part in STARTS]

    def f(*start):
        return step(name, given, **dict(zip(STARTS, start, strict=True)))

    found = func.vmap(f, in_dims=-1)(*starts)
    assert same(found, stacked([f(*[x[..., k] for x in starts]) for k in range(3)]))


@every
def test_vmap_over_time_steps(name):
    given = arguments(name)
    steps = gg.stack([given["traj_dt"], 2 * given["traj_dt"]])

    def f(dt):
        return step(name, given, traj_dt=dt)

    assert same(func.vmap(f)(steps), stacked([f(dt) for dt in steps]))


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


@every
def test_hessians_forward_over_reverse_and_reverse_over_reverse(name):
    given = arguments(name, shape=(1, 6, 1))
    loss, u = loss_of(name, given), given["u_act"]
    assert gg.allclose(func.hessian(loss)(u), func.jacrev(func.jacrev(loss))(u))
    assert gg.allclose(func.hessian(loss)(u), func.jacrev(func.jacfwd(loss))(u))


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
