"""Users' Functions under transforms: `jvp`, `vmap`, `generate_vmap_rule`, and their nesting."""

import gc
import itertools
import weakref

import numpy as np
import pytest
import torch

import glassgrad
from both import LIBRARIES, leaf, make, plain

both = pytest.mark.parametrize("lib", LIBRARIES)


def of(lib, forward, backward, jvp=None, *, saves=None, vmap=None, generate=False, **more):
    """A Function with `setup_context`, which saves the inputs, or what `saves(inputs, output)` is."""

    def setup_context(ctx, inputs, output):
        kept = inputs if saves is None else saves(inputs, output)
        kept = [x for x in kept if isinstance(x, lib.Tensor)]
        ctx.save_for_backward(*kept)
        ctx.save_for_forward(*kept)

    rules = {"jvp": jvp, "vmap": vmap}
    body = {name: staticmethod(rule) for name, rule in rules.items() if rule is not None}
    return make(lib, forward, backward, setup_context, generate_vmap_rule=generate, **body, **more)


def product(lib, **more):
    """x * y."""

    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return grad * y, grad * x

    def jvp(ctx, dx, dy):
        x, y = ctx.saved_tensors
        return dx * y + x * dy

    return of(lib, lambda x, y: x * y, backward, jvp, **more)


def product_by_hand(lib):
    """x * y, with a rule for batches."""

    def vmap(info, in_dims, x, y):
        x, y = (
            v if dim is None else v.movedim(dim, -1) for v, dim in zip((x, y), in_dims, strict=True)
        )
        rank = max(v.ndim - (dim is not None) for v, dim in zip((x, y), in_dims, strict=True))
        pad = [
            v[(None,) * (rank - v.ndim + (dim is not None))]
            for v, dim in zip((x, y), in_dims, strict=True)
        ]
        x, y = (v if dim is not None else v[..., None] for v, dim in zip(pad, in_dims, strict=True))
        return made.apply(x, y), -1

    made = product(lib, vmap=vmap)
    return made


def exponential(lib):
    """exp(x), which saves its output."""

    def rule(ctx, grad):
        return grad * ctx.saved_tensors[0]

    return of(lib, lambda x: x.exp(), rule, rule, saves=lambda _, y: (y,), generate=True)


def norm(lib):
    """The sum of squares of a vector: it looks at shapes, and keeps a number."""

    def forward(x, power):
        return (x**power).sum(), x.shape

    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])
        ctx.save_for_forward(inputs[0])
        ctx.power, ctx.shape = inputs[1], output[1]

    def backward(ctx, grad, _):
        (x,) = ctx.saved_tensors
        return (grad * ctx.power).expand(ctx.shape) * x ** (ctx.power - 1), None

    def jvp(ctx, dx, _):
        (x,) = ctx.saved_tensors
        return (ctx.power * x ** (ctx.power - 1) * dx).sum(), None

    return make(
        lib, forward, backward, setup_context, jvp=staticmethod(jvp), generate_vmap_rule=True
    )


def split(lib):
    """(x·y, x + y): two outputs, one of which only one input reaches nonlinearly."""

    def backward(ctx, first, second):
        x, y = ctx.saved_tensors
        return first * y + second, first * x + second

    def jvp(ctx, dx, dy):
        x, y = ctx.saved_tensors
        return dx * y + x * dy, dx + dy

    return of(lib, lambda x, y: (x * y, x + y), backward, jvp, generate=True)


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

A = [[0.5, -1.0], [2.0, 0.25], [1.5, 3.0]]
B = [[1.0, 2.0], [-0.5, 0.75], [0.1, -2.0]]
C = [[0.3, 0.6], [0.9, -0.2], [1.1, 0.7]]


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


def numbers(tree):
    """The numbers of a tree of tensors, one list each."""
    if isinstance(tree, (tuple, list)):
        return [number for part in tree for number in numbers(part)]
    return [tree.detach().clone().reshape(-1).tolist()]


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


# Rules for batches ------------------------------------------------------------------------------


@both
def test_a_rule_sees_where_the_batch_axis_is(lib):
    seen = []

    def vmap(info, in_dims, x, y, n):
        seen.append((info.batch_size, info.randomness, in_dims, tuple(x.shape), tuple(y.shape), n))
        return x.sum(0), 0

    apply = of(lib, lambda x, y, n: x.sum(), None, vmap=vmap).apply
    x, y = lib.zeros(4, 3), lib.zeros(3, 2)
    lib.func.vmap(lambda a, b: apply(a, b, 7), (1, 0), randomness="same")(x, y)
    lib.func.vmap(lambda a, b: apply(a, b, 7), (1, None), randomness="different")(x, y)
    assert seen == [
        (3, "same", (1, 0, None), (4, 3), (3, 2), 7),
        (3, "different", (1, None, None), (4, 3), (3, 2), 7),
    ]


@both
def test_a_rule_gets_trees_and_returns_trees(lib):
    def vmap(info, in_dims, x, pair):
        assert in_dims == (0, [0, None])
        return (x + pair[0], {"second": pair[1]}), (0, None)

    apply = of(lib, lambda x, pair: x, None, vmap=vmap, saves=lambda *_: ()).apply
    outer = lib.tensor([5.0])
    y, rest = lib.func.vmap(lambda a, b: apply(a, [b, outer]))(lib.ones(2), lib.ones(2))
    assert y.tolist() == [2.0, 2.0]
    assert rest["second"].tolist() == [[5.0], [5.0]]


@both
def test_a_rule_is_not_asked_if_no_argument_has_a_batch(lib):
    def vmap(info, in_dims, x):
        raise AssertionError("nothing is batched")

    apply = of(lib, lambda x: x * 2, None, vmap=vmap).apply
    one = lib.tensor(3.0)
    assert lib.func.vmap(lambda x: x + apply(one))(lib.ones(2)).tolist() == [7.0, 7.0]


@both
def test_an_output_without_a_batch_is_the_same_for_all_examples(lib):
    apply = of(lib, lambda x: x, None, vmap=lambda info, in_dims, x: (lib.tensor(4.0), None)).apply
    assert lib.func.vmap(lambda x: apply(x))(lib.ones(3)).tolist() == [4.0, 4.0, 4.0]


BAD_RULES = {
    "no tuple": (lambda info, in_dims, x: x, "Expected the vmap staticmethod to have two returns"),
    "three": (lambda info, in_dims, x: (x, 0, 0), "Got 3 returns instead"),
    "structure": (lambda info, in_dims, x: (x, (0, 0)), "returned an incompatible"),
}


@both
@pytest.mark.parametrize("name", BAD_RULES)
def test_a_bad_rule_raises(lib, name):
    rule, message = BAD_RULES[name]
    with pytest.raises(RuntimeError, match=message):
        lib.func.vmap(of(lib, lambda x: x * 2, None, vmap=rule).apply)(lib.ones(3))


@both
def test_a_function_has_one_rule_for_batches(lib):
    with pytest.raises(RuntimeError, match="does not have vmap support"):
        lib.func.vmap(of(lib, lambda x: x * 2, None).apply)(lib.ones(3))
    two = of(lib, lambda x: x * 2, None, vmap=lambda *_: None, generate=True).apply
    with pytest.raises(RuntimeError, match="has both generate_vmap_rule=True and an overridden"):
        lib.func.vmap(two)(lib.ones(3))


@both
@pytest.mark.parametrize("transform", ["vmap", "grad", "jacrev"])
def test_a_forward_with_ctx_cannot_be_transformed(lib, transform):
    apply = make(lib, lambda ctx, x: x * 2, lambda ctx, grad: grad * 2).apply
    with pytest.raises(RuntimeError, match="it must override the setup_context staticmethod"):
        getattr(lib.func, transform)(apply)(lib.ones(3))


@both
def test_tensors_that_go_by_keyword_only_have_no_batch(lib):
    def forward(x, *, y):
        return x + y

    apply = of(lib, forward, None, vmap=lambda info, in_dims, x, y: (x + y, 0)).apply
    with pytest.raises(NotImplementedError, match="kwarg-only Tensor args"):
        lib.func.vmap(apply)(lib.ones(3), y=lib.ones(3))


# Generated rules --------------------------------------------------------------------------------


@both
def test_the_parts_see_one_example(lib):
    shapes = []

    def forward(x, y):
        shapes.append(("forward", tuple(x.shape), tuple(y.shape)))
        return x * y

    def setup_context(ctx, inputs, output):
        shapes.append(("setup", tuple(inputs[0].shape), tuple(output.shape)))
        ctx.save_for_backward(*inputs)
        ctx.size = tuple(inputs[0].shape)

    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        shapes.append(("backward", tuple(grad.shape), tuple(x.shape), tuple(y.shape), ctx.size))
        return grad * y, grad * x

    made = make(lib, forward, backward, setup_context, generate_vmap_rule=True)
    x, y = lib.ones(5, 2, requires_grad=True), lib.ones(2, requires_grad=True)
    lib.func.vmap(made.apply, (0, None))(x, y).sum().backward()
    assert shapes == [
        ("forward", (2,), (2,)),
        ("setup", (2,), (2,)),
        ("backward", (2,), (2,), (2,), (2,)),
    ]
    assert y.grad.tolist() == [5.0, 5.0]


@both
def test_a_broadcast_gradient_is_summed_for_each_example(lib):
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return (grad * y).sum(), grad * x

    apply = of(lib, lambda x, y: x * y, backward, generate=True).apply
    found = lib.func.vmap(lib.func.grad(lambda x, y: apply(x, y).sum(), (0, 1)))(
        plain(lib, [1.0, 2.0]), plain(lib, A)[:2]
    )
    assert numbers(found) == [[-0.5, 2.25], [1.0, 1.0, 2.0, 2.0]]


@both
def test_a_constant_gradient_is_the_same_for_all_examples(lib):
    def backward(ctx, grad):
        return lib.ones(2, dtype=lib.float64), None

    apply = of(lib, lambda x, y: x + y, backward, generate=True).apply
    found = lib.func.vmap(lib.func.grad(lambda x, y: apply(x, y).sum()))(
        plain(lib, A), plain(lib, B)
    )
    assert found.tolist() == np.ones((3, 2)).tolist()


@both
def test_an_argument_returned_as_it_is_keeps_its_batch_or_none(lib):
    apply = of(
        lib,
        lambda x, y: (x, y),
        lambda ctx, g, h: (g * 2, h * 3),
        saves=lambda *_: (),
        generate=True,
    ).apply
    x, y = leaf(lib, A), leaf(lib, B[0])
    first, second = lib.func.vmap(apply, (0, None), (0, None))(x, y)
    assert second.tolist() == B[0]
    gradients = lib.autograd.grad((first * plain(lib, C)).sum() + second.sum(), (x, y))
    assert np.allclose(gradients[0].tolist(), 2 * np.array(C))
    assert gradients[1].tolist() == [3.0, 3.0]


@both
def test_no_gradient_is_computed_for_what_nobody_asked_for(lib):
    seen = []

    def backward(ctx, grad):
        seen.append(ctx.needs_input_grad)
        x, y = ctx.saved_tensors
        return grad * y, None

    apply = of(lib, lambda x, y: x * y, backward, generate=True).apply
    lib.func.vmap(lib.func.grad(lambda x, y: apply(x, y).sum()), (0, 0))(
        plain(lib, A), plain(lib, B)
    )
    assert [tuple(needs) for needs in seen] == [(True, False)]


@both
def test_random_numbers_in_a_generated_rule_follow_the_vmap(lib):
    def forward(x):
        return x + lib.rand(2)

    apply = of(lib, forward, lambda ctx, grad: grad, generate=True).apply
    with pytest.raises(RuntimeError, match="called random operation while in randomness error"):
        lib.func.vmap(apply)(lib.zeros(3, 2))
    same = lib.func.vmap(apply, randomness="same")(lib.zeros(3, 2))
    assert same[0].tolist() == same[1].tolist()
    different = lib.func.vmap(apply, randomness="different")(lib.zeros(3, 2))
    assert different[0].tolist() != different[1].tolist()


def test_a_call_keeps_nothing_alive():
    made = product(glassgrad, generate=True)
    x = leaf(glassgrad, A)
    out = glassgrad.func.vmap(made.apply)(x, x)
    node, kept = weakref.ref(out.grad_fn), weakref.ref(made)
    gc.collect()
    del out
    assert node() is None  # by reference counts alone: there is no cycle
    del made
    gc.collect()
    assert kept() is None


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
