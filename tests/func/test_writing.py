"""In-place ops inside of transforms, on tensors and on views: PyTorch's values, or its refusal."""

import warnings

import numpy as np
import pytest
import torch
import torch.func

import glassgrad as gg
import glassgrad.func
from checks import together

X = np.array([0.3, 0.7, -1.2])
V = np.array([1.0, -2.0, 0.5])
BATCH = np.stack([X, X * 2, X - 1, X + 0.3])


def by_places(lib, v):
    y = lib.zeros(3, dtype=lib.float64)
    y[0] = v[0] * v[0]
    y[1:] = 2 * v[1:]
    y[1] *= v[0]
    return (y * y).sum()


def in_turn(lib, v):
    y = lib.ones(3, dtype=lib.float64) * v
    y.add_(v)
    y.mul_(v)
    y /= 3
    return (y * y).sum()


def a_view_and_its_base(lib, v):
    y = v * 2
    part = y[1:]
    part.mul_(v[0])
    whole = y.view(3, 1)
    whole[0, 0] = v[1] * v[2]
    return (y * y).sum() + (part * v[0]).sum()


def a_view_of_a_view(lib, v):
    y = v.clone()
    y[1:][0].mul_(v[2])
    y.reshape(1, 3).t()[1:].sub_(v[0])
    return (y * y * y).sum()


def a_saved_result(lib, v):
    y = v * 1
    y.exp_()
    return (y * v).sum()


def zeroed_and_filled(lib, v):
    y = v * 1
    y.zero_()
    y.add_(v * v)
    part = y[:2]
    y.fill_(3.0)
    part.add_(v[0])
    return (y * y * v).sum()


def turned_around(lib, v):
    y = (v * v).reshape(1, 3)
    y.t_()
    y.squeeze_(1)
    y.clamp_(0.1, 1.0)
    return (y * v).sum()


def by_index_tensors(lib, v):
    y = v * v
    y[lib.tensor([0, 2])] = v[:2]
    y.index_add_(0, lib.tensor([0, 0]), v[1:])
    y.masked_fill_(lib.tensor([False, True, False]), 2.0)
    return (y * y).sum()


def copied(lib, v):
    y = v.new_zeros(2, 3)
    y[0].copy_(v)
    y[1].copy_(v.sin())
    y.mul_(v)
    return (y * y).sum()


def too_late(lib, v):
    y = v * 2
    z = y * y
    y.add_(1)
    return z.sum()


PROGRAMS = [
    by_places,
    in_turn,
    a_view_and_its_base,
    a_view_of_a_view,
    a_saved_result,
    zeroed_and_filled,
    turned_around,
    by_index_tensors,
    copied,
    too_late,
]

WAYS = {
    "grad": lambda t, f: t.grad(f),
    "jvp": lambda t, f: lambda x, v: t.jvp(f, (x,), (v,)),
    "vmap": lambda t, f: t.vmap(f),
    "vmap of grad": lambda t, f: t.vmap(t.grad(f)),
    "grad of vmap": lambda t, f: t.grad(lambda batch: t.vmap(f)(batch).sum()),
    "jvp of grad": lambda t, f: lambda x, v: t.jvp(t.grad(f), (x,), (v,)),
    "grad of jvp": lambda t, f: lambda x, v: t.grad(lambda y: t.jvp(f, (y,), (v,))[1])(x),
    "grad of grad": lambda t, f: t.grad(lambda y: (t.grad(f)(y) ** 2).sum()),
    "jvp of jvp": lambda t, f: lambda x, v: t.jvp(lambda y: t.jvp(f, (y,), (v,))[1], (x,), (v,)),
    "vmap of jvp": lambda t, f: lambda x, v: t.vmap(lambda y: t.jvp(f, (y,), (v,)))(x),
    "jvp of vmap": lambda t, f: lambda x, v: t.jvp(t.vmap(f), (x,), (x,)),
    "vmap of jvp of grad": lambda t, f: (
        lambda x, v: t.vmap(lambda y: t.jvp(t.grad(f), (y,), (v,))[1])(x)
    ),
}


def run(lib, program, way):
    transformed = WAYS[way](lib.func, lambda v: program(lib, v))
    x = lib.tensor(BATCH if "vmap" in way else X)
    operands = (x, lib.tensor(V)) if "jvp" in way else (x,)
    found = transformed(*operands)
    return [np.asarray(part) for part in (found if isinstance(found, tuple) else (found,))]


@together
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_program_that_writes_gives_what_torch_gives(program, way):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what torch does slowly
            wanted = run(torch, program, way)
    except RuntimeError:
        wanted = None
    try:
        found = run(gg, program, way)
    except RuntimeError:
        assert wanted is None
        return
    if wanted is not None:  # torch forbids some writes that do no harm here
        for ours, theirs in zip(found, wanted, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-12)


WRITES_TO_CAPTURED = {
    "add_": lambda c, v: c.add_(v),
    "add_ a number": lambda c, v: c.add_(1),
    "zero_": lambda c, v: c.zero_(),
    "copy_": lambda c, v: c.copy_(v),
    "setitem": lambda c, v: c.__setitem__(0, v[0]),
    "a view of it": lambda c, v: c[1:].mul_(2),
    "exp_": lambda c, v: c.exp_(),
}


@together
@pytest.mark.parametrize("write", WRITES_TO_CAPTURED)
def test_a_captured_tensor_cannot_be_written_inside_grad_or_jvp(lib, write):
    captured = lib.ones(3)

    def function(v):
        WRITES_TO_CAPTURED[write](captured, v)
        return v.sum()

    with pytest.raises(RuntimeError, match="mutate a captured Tensor"):
        lib.func.grad(function)(lib.ones(3))
    with pytest.raises(RuntimeError, match="mutate a captured Tensor"):
        lib.func.jvp(function, (lib.ones(3),), (lib.ones(3),))
    assert captured.tolist() == [1, 1, 1]


@together
@pytest.mark.parametrize("write", ["copy_", "setitem"])
def test_what_is_one_for_all_examples_cannot_be_written_with_each_of_them(lib, write):
    def function(v):
        mine = lib.ones(3)
        WRITES_TO_CAPTURED[write](mine, v)
        return mine

    with pytest.raises(RuntimeError, match="`other` being vmapped over but `self` not being"):
        lib.func.vmap(function)(lib.ones(2, 3))


def test_what_is_one_for_all_examples_can_be_written_with_one_value(lib):
    captured = lib.ones(3)

    def function(v):
        captured.mul_(2)
        return captured * v

    assert lib.func.vmap(function)(lib.ones(2, 3)).tolist() == [[2, 2, 2], [2, 2, 2]]
    assert captured.tolist() == [2, 2, 2]


def test_an_argument_of_grad_is_a_leaf_and_cannot_be_written(lib):
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        lib.func.grad(lambda v: v.mul_(2).sum())(lib.ones(3))


@together
@pytest.mark.parametrize("way", ["jvp", "vmap"])
def test_an_argument_of_jvp_and_vmap_is_written_where_it_is(lib, way):
    x = lib.ones(2, 3)
    if way == "jvp":
        lib.func.jvp(lambda v: v.mul_(2), (x,), (lib.ones(2, 3),))
    else:
        lib.func.vmap(lambda v: v.mul_(2))(x)
    assert x.tolist() == [[2, 2, 2], [2, 2, 2]]


def test_a_write_inside_of_a_transform_is_recorded_by_the_tape_outside(lib):
    w = lib.tensor([2.0, 3.0], requires_grad=True)

    def function(x):
        y = w * 1
        y.mul_(x)
        y[0] = x * w[1]
        return (y * y).sum()

    (lib.func.grad(function)(lib.tensor(1.0))).backward()
    assert w.grad.tolist() == [0, 24]


@together
@pytest.mark.parametrize("lib", [gg, torch], ids=["glassgrad", "torch"])
@pytest.mark.parametrize("transform", ["grad", "jvp"])
def test_what_escaped_is_written_as_what_it_wraps(lib, transform):
    x, kept = lib.tensor([1.0, 2.0]), []

    def f(x):
        kept.append(x * 3)
        return x.sum()

    if transform == "grad":
        lib.func.grad(f)(x)
    else:
        lib.func.jvp(f, (x,), (x,))
    escaped = kept[0]
    escaped.add_(x)
    escaped[0] = 7.0
    escaped.mul_(2)
    assert escaped.tolist() == [14.0, 16.0]
    assert not gg.core.state.special  # ops go by their short way again
