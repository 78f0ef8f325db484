"""Users' Functions under transforms, and under transforms of transforms."""

import itertools

import numpy as np
import pytest
import torch

import glassgrad
from both import leaf, make, plain
from checks import together
from duals import both
from func.making import A, B, C, exponential, norm, numbers, of, product, product_by_hand, split

FUNCTIONS = {
    "generated": lambda lib: product(lib, generate=True).apply,
    "by hand": lambda lib: product_by_hand(lib).apply,
    "saves its output": lambda lib: lambda x, y: exponential(lib).apply(x * y),
    "other arguments": lambda lib: lambda x, y: norm(lib).apply(x + y, 3)[0] * x,
    "two outputs": lambda lib: lambda x, y: sum(split(lib).apply(x, y)),
    "twice": lambda lib: (
        lambda x, y: product(lib, generate=True).apply(product(lib, generate=True).apply(x, y), y)
    ),
}

OF_OPS = {
    "generated": lambda x, y: x * y,
    "by hand": lambda x, y: x * y,
    "saves its output": lambda x, y: (x * y).exp(),
    "other arguments": lambda x, y: ((x + y) ** 3).sum() * x,
    "two outputs": lambda x, y: x * y + x + y,
    "twice": lambda x, y: x * y * y,
}
"""The same without Functions. The oracle computes these: its own Functions stand still in the outer
one of two `jvp`s."""


def dot(f):
    return lambda x, y: f(x, y).sum()


def rows(x):
    return x[0]


TRANSFORMS = {
    "grad": lambda F, f, a, b, c: F.grad(dot(f), (0, 1))(a[0], b[0]),
    "grad of grad": lambda F, f, a, b, c: F.grad(
        lambda x, y: (F.grad(dot(f))(x, y) * c[0]).sum(), (0, 1)
    )(a[0], b[0]),
    "jvp": lambda F, f, a, b, c: F.jvp(f, (a[0], b[0]), (c[0], c[1])),
    "jvp of one": lambda F, f, a, b, c: F.jvp(lambda x: f(x, b[0]), (a[0],), (c[0],)),
    "jvp of jvp": lambda F, f, a, b, c: F.jvp(
        lambda x: F.jvp(lambda z: f(z, x), (x,), (c[0],))[1], (a[0],), (c[1],)
    ),
    "grad of jvp": lambda F, f, a, b, c: F.grad(
        lambda x: F.jvp(lambda z: f(z, b[0]), (x,), (c[0],))[1].sum()
    )(a[0]),
    "jvp of grad": lambda F, f, a, b, c: F.jvp(lambda x: F.grad(dot(f))(x, b[0]), (a[0],), (c[0],)),
    "vmap": lambda F, f, a, b, c: F.vmap(f)(a, b),
    "vmap of one": lambda F, f, a, b, c: F.vmap(f, (0, None))(a, b[0]),
    "vmap of the other": lambda F, f, a, b, c: F.vmap(f, (None, 0))(a[0], b),
    "vmap along 1": lambda F, f, a, b, c: F.vmap(f, (1, 0), 1)(a.t().contiguous(), b),
    "vmap of vmap": lambda F, f, a, b, c: F.vmap(F.vmap(f, (None, 0)), (0, None))(a, b),
    "vmap of grad": lambda F, f, a, b, c: F.vmap(F.grad(dot(f), (0, 1)))(a, b),
    "vmap of grad of one": lambda F, f, a, b, c: F.vmap(F.grad(dot(f), (0, 1)), (0, None))(a, b[0]),
    "grad of vmap": lambda F, f, a, b, c: F.grad(lambda x, y: F.vmap(f)(x, y).sum(), (0, 1))(a, b),
    "grad of vmap of one": lambda F, f, a, b, c: F.grad(
        lambda x, y: (F.vmap(f, (0, None))(x, y) * c).sum(), (0, 1)
    )(a, b[0]),
    "vmap of vmap of grad": lambda F, f, a, b, c: F.vmap(
        F.vmap(F.grad(dot(f), (0, 1)), (None, 0)), (0, None)
    )(a, b),
    "grad of vmap of grad": lambda F, f, a, b, c: F.grad(
        lambda x, y: (F.vmap(F.grad(dot(f)), (0, None))(x, y) * c).sum(), (0, 1)
    )(a, b[0]),
    "vmap of jvp": lambda F, f, a, b, c: F.vmap(lambda x, y, z: F.jvp(f, (x, y), (z, x)))(a, b, c),
    "jvp of vmap": lambda F, f, a, b, c: F.jvp(
        lambda x, y: F.vmap(f, (0, None))(x, y), (a, b[0]), (c, c[0])
    ),
    "jacrev": lambda F, f, a, b, c: F.jacrev(f, (0, 1))(a[0], b[0]),
    "jacfwd": lambda F, f, a, b, c: F.jacfwd(f, (0, 1))(a[0], b[0]),
    "hessian": lambda F, f, a, b, c: F.hessian(dot(f), (0, 1))(a[0], b[0]),
    "vjp": lambda F, f, a, b, c: F.vjp(f, a[0], b[0])[1](c[0]),
}


@together
@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_goes_through_transforms_as_ops_do(function, transform):
    found = []
    for lib, f in ((glassgrad, FUNCTIONS[function](glassgrad)), (torch, OF_OPS[function])):
        given = [plain(lib, rows) for rows in (A, B, C)]
        found.append(numbers(TRANSFORMS[transform](lib.func, f, *given)))
    ours, theirs = found
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs, strict=True):
        assert a == pytest.approx(b, abs=1e-12)


@together
@both
@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_batch_has_a_graph_on_the_base_tape_too(lib, function):
    def derivatives(lib, f):
        x, y = leaf(lib, A), leaf(lib, B)
        (slope,) = lib.autograd.grad(lib.func.vmap(f)(x, y).sum(), x, create_graph=True)
        return slope, *lib.autograd.grad((slope * plain(lib, C)).sum(), (x, y), allow_unused=True)

    found = derivatives(lib, FUNCTIONS[function](lib))
    for a, b in zip(found, derivatives(torch, OF_OPS[function]), strict=True):
        assert np.allclose(0.0 if a is None else a.tolist(), 0.0 if b is None else b.tolist())


# In place, views, and what is marked ------------------------------------------------------------


def doubled(lib, jvp=lambda ctx, dx: dx.mul_(2), **more):
    """x, doubled in place."""

    def setup_context(ctx, inputs, output):
        ctx.mark_dirty(inputs[0])

    return make(
        lib,
        lambda x: x.mul_(2),
        lambda ctx, grad: grad * 2,
        setup_context,
        jvp=staticmethod(jvp),
        **more,
    )


def in_place(lib, made):
    def function(x):
        y = x * 1
        z = made.apply(y)
        assert z is y
        return y * x

    return function


@together
@pytest.mark.parametrize("transform", ["jvp", "grad", "vmap", "vmap of grad", "jvp of vmap"])
def test_a_function_may_write_its_argument(transform):
    lib = glassgrad  # torch generates no rule for such a Function
    f, F, x = in_place(lib, doubled(lib, generate_vmap_rule=True)), lib.func, plain(lib, A)
    found = {
        "jvp": lambda: F.jvp(f, (x,), (plain(lib, C),))[1],
        "grad": lambda: F.grad(lambda x: f(x).sum())(x),
        "vmap": lambda: F.vmap(f)(x),
        "vmap of grad": lambda: F.vmap(F.grad(lambda x: f(x).sum()))(x),
        "jvp of vmap": lambda: F.jvp(F.vmap(f), (x,), (plain(lib, C),))[1],
    }[transform]()
    a, c = np.array(A), np.array(C)
    expected = {"vmap": 2 * a * a, "grad": 4 * a, "vmap of grad": 4 * a}
    assert np.allclose(found.tolist(), expected.get(transform, 4 * a * c))


@both
def test_under_jvp_a_function_writes_its_tangent_too(lib):
    f = in_place(lib, doubled(lib, jvp=lambda ctx, dx: dx * 2))
    with pytest.raises(RuntimeError, match="is not modifying the forward mode gradients inplace"):
        lib.func.jvp(f, (plain(lib, A),), (plain(lib, C),))


@both
def test_an_argument_returned_as_it_is_may_move_otherwise(lib):
    made = of(
        lib,
        lambda x: x,
        lambda ctx, grad: grad * 3,
        lambda ctx, dx: dx.view_as(dx),
        saves=lambda *_: (),
    )

    def f(x):
        y = made.apply(x)
        assert y is not x
        return y * x

    x = plain(lib, [1.0, 2.0])
    assert lib.func.grad(lambda x: f(x).sum())(x).tolist() == [4.0, 8.0]
    assert lib.func.jvp(f, (x,), (lib.ones_like(x),))[1].tolist() == [2.0, 4.0]


@both
@pytest.mark.parametrize("transform", ["grad", "jvp", "vmap"])
def test_outputs_marked_as_constants_do_not_move(lib, transform):
    def setup_context(ctx, inputs, output):
        ctx.mark_non_differentiable(output[1])

    def rule(ctx, grad, *_):
        return grad * 2 if transform != "jvp" else (grad * 2, None)

    made = make(
        lib,
        lambda x: (x * 2, x * 3),
        rule,
        setup_context,
        jvp=staticmethod(rule),
        generate_vmap_rule=True,
    )

    def f(x):
        y, constant = made.apply(x)
        assert not constant.requires_grad
        return y * constant

    x = plain(lib, [1.0, 2.0])
    if transform == "grad":
        assert lib.func.grad(lambda x: f(x).sum())(x).tolist() == [6.0, 12.0]
    elif transform == "jvp":
        assert lib.func.jvp(f, (x,), (lib.ones_like(x),))[1].tolist() == [6.0, 12.0]
    else:
        assert lib.func.vmap(lib.func.grad(f))(x).tolist() == [6.0, 12.0]


BAD_TANGENTS = {
    "too many": (lambda ctx, dx: (dx, dx), "returned an invalid number of forward gradients"),
    "no tensor": (lambda ctx, dx: 3, r"expected Variable or None \(got int\)"),
    "another size": (
        lambda ctx, dx: dx[0],
        "Trying to set a forward gradient that has a different",
    ),
}


@both
@pytest.mark.parametrize("name", BAD_TANGENTS)
def test_a_bad_jvp_raises(lib, name):
    jvp, message = BAD_TANGENTS[name]
    apply = of(lib, lambda x: x * 2, None, jvp).apply
    with pytest.raises(RuntimeError, match=message):
        lib.func.jvp(apply, (plain(lib, A),), (plain(lib, C),))


@both
def test_without_a_rule_transforms_say_which_is_missing(lib):
    bare = make(lib, lambda x: x * 2, setup_context=lambda ctx, inputs, output: None).apply
    with pytest.raises(NotImplementedError, match="must implement the jvp function"):
        lib.func.jvp(bare, (plain(lib, A),), (plain(lib, C),))
    with pytest.raises(NotImplementedError, match="must implement either the backward or vjp"):
        lib.func.grad(lambda x: bare(x).sum())(plain(lib, A))


# What ctx says ----------------------------------------------------------------------------------


@both
def test_each_level_asks_for_its_own_gradients(lib):
    seen = []

    def backward(ctx, grad):
        seen.append(tuple(ctx.needs_input_grad))
        x, y = ctx.saved_tensors
        return grad * y, grad * x

    apply = of(lib, lambda x, y: x * y, backward).apply
    x, y = plain(lib, 2.0), plain(lib, 3.0)
    lib.func.grad(lambda y: lib.func.grad(lambda x: apply(x, y))(x))(y)
    assert seen == [(True, False)]


@both
@pytest.mark.parametrize("wishes", [True, False])
def test_missing_gradients_come_as_zeros_if_so_wished(lib, wishes):
    seen = []

    def setup_context(ctx, inputs, output):
        ctx.set_materialize_grads(wishes)

    def backward(ctx, first, second):
        seen.append(None if second is None else second.tolist())
        return first * 2

    made = make(lib, lambda x: (x * 2, x * 3), backward, setup_context)
    lib.func.grad(lambda x: made.apply(x)[0])(plain(lib, 2.0))
    assert seen == [0.0 if wishes else None]


@both
@pytest.mark.parametrize("wishes", [True, False])
def test_missing_tangents_come_as_zeros_if_so_wished(lib, wishes):
    seen = []

    def setup_context(ctx, inputs, output):
        ctx.set_materialize_grads(wishes)

    def jvp(ctx, dx, dy, n):
        seen.append((None if dy is None else dy.tolist(), n))
        return dx

    made = make(lib, lambda x, y, n: x + y, None, setup_context, jvp=staticmethod(jvp))
    y = plain(lib, [1.0, 2.0])
    lib.func.jvp(lambda x: made.apply(x, y, 5), (y * 2,), (y,))
    assert seen == [([0.0, 0.0] if wishes else None, None)]


@both
def test_a_captured_tensor_keeps_its_graph_below_the_transform(lib):
    made, w = product(lib, generate=True), leaf(lib, B[0])
    slopes = lib.func.grad(lambda x: made.apply(x, w).sum())(plain(lib, A[0]))
    (gradient,) = lib.autograd.grad(slopes.sum(), w)
    assert gradient.tolist() == [1.0, 1.0]


NESTS = list(itertools.product(["grad", "jvp", "vmap"], repeat=3))


@together
@pytest.mark.parametrize("nest", NESTS, ids=["-".join(nest) for nest in NESTS])
def test_three_transforms_around_a_function(nest):
    made = product(glassgrad, generate=True)
    ours = nested(glassgrad, made.apply, nest)
    assert ours == pytest.approx(nested(torch, torch.mul, nest), abs=1e-12)


def nested(lib, multiply, nest):
    """A function of a vector in the transforms that `nest` names, the outermost first."""
    weights = plain(lib, [0.5, -1.0, 2.0])

    def f(x):
        return multiply(multiply(x, x), weights)

    for name in reversed(nest):
        f = WRAPPERS[name](lib, f, weights)
    return f(plain(lib, [1.0, 2.0, -0.5])).tolist()


WRAPPERS = {
    "grad": lambda lib, f, w: lib.func.grad(lambda x: (f(x) * w).sum()),
    "jvp": lambda lib, f, w: lambda x: lib.func.jvp(f, (x,), (w * x,))[1],
    "vmap": lambda lib, f, w: lambda x: lib.func.vmap(lambda scale: f(x * scale) * w)(w).sum(0),
}


@both
def test_what_was_written_before_it_was_saved_is_found_by_jvp(lib):
    multiply = product(lib)

    def f(x):
        y = x * 1
        y.sin_()
        return multiply.apply(y, y)

    x, v = plain(lib, [0.5, 1.0]), plain(lib, [1.0, 2.0])
    _, tangent = lib.func.jvp(f, (x,), (v,))
    np.testing.assert_allclose(tangent.numpy(), np.sin([1.0, 2.0]) * [1.0, 2.0], rtol=1e-12)


@both
def test_nodes_of_transforms_say_that_a_transform_made_them(lib):
    made, names = product(lib, generate=True), []

    def f(x):
        y = made.apply(x, x)
        names.append(type(y.grad_fn).__name__)
        return y

    lib.func.grad(f)(plain(lib, 2.0))
    lib.func.vmap(lib.func.grad(lambda x: f(x).sum()))(plain(lib, A))
    assert names == ["MadeGeneratedBackward"] * 2
    batch = lib.func.vmap(made.apply)(leaf(lib, A), leaf(lib, B))
    assert type(batch.grad_fn).__name__ == "VmappedMadeBackward"


def test_a_function_moves_inside_of_inference_mode(lib):
    doubled = type(
        "Doubled",
        (lib.autograd.Function,),
        {
            "forward": staticmethod(lambda x: x * 2),
            "setup_context": staticmethod(lambda ctx, inputs, output: None),
            "jvp": staticmethod(lambda ctx, tangent: tangent * 2),
        },
    ).apply
    with lib.inference_mode():
        value, tangent = lib.func.jvp(doubled, (lib.ones(2),), (lib.tensor([1.0, 3.0]),))
    assert (value.tolist(), tangent.tolist()) == ([2.0, 2.0], [2.0, 6.0])
