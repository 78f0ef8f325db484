"""`jvp` of users' Functions on duals."""

import pytest

import glassgrad
from both import leaf, make, plain
from duals import both, dual, forward_ad, level_is_open, tangent_of


def users(lib, forward, jvp):
    return make(lib, forward, jvp=staticmethod(jvp)).apply


def dirty_double(ctx, x):
    ctx.mark_dirty(x)
    return x.mul_(2)


def constant(ctx, x):
    y = x * 2
    ctx.mark_non_differentiable(y)
    return y


BAD_RULES = {
    "too many": (
        lambda ctx, x: x * 2,
        lambda ctx, t: (t, t),
        r"invalid number of forward gradients \(expected 1 but got 2\)",
    ),
    "too few": (
        lambda ctx, x: (x * 2, x * 3),
        lambda ctx, t: t,
        r"invalid number of forward gradients \(expected 2 but got 1\)",
    ),
    "no tensor": (lambda ctx, x: x * 2, lambda ctx, t: 3, r"expected Variable or None \(got int\)"),
    "not written": (
        dirty_double,
        lambda ctx, t: t * 2,
        "is not modifying the forward mode gradients inplace",
    ),
    "not as-is": (
        dirty_double,
        lambda ctx, t: (t.mul_(2), t.view(2))[1],
        "is not returning the forward mode gradients as-is",
    ),
    "not differentiable": (
        constant,
        lambda ctx, t: t,
        "Function's jvp returned a gradient at position 0, but",
    ),
    "an integer": (
        lambda ctx, x: x.long(),
        lambda ctx, t: t,
        "Function's jvp returned a gradient at position 0, but",
    ),
    "another size": (
        lambda ctx, x: x * 2,
        lambda ctx, t: t[:1],
        "Trying to set a forward gradient that has a different size",
    ),
    "no view": (
        lambda ctx, x: x[:1],
        lambda ctx, t: t[:1].clone(),
        "but the jvp is not returning a view",
    ),
    "a view of something else": (
        lambda ctx, x: x[:1],
        lambda ctx, t: t.clone()[:1],
        "not returning a view of the given grad input",
    ),
    "as it is": (lambda ctx, x: x, lambda ctx, t: t, r"a view \(or an input as-is\)"),
}


@both
@level_is_open
@pytest.mark.parametrize("name", BAD_RULES)
def test_a_bad_jvp_raises(lib, name):
    forward, jvp, message = BAD_RULES[name]
    with pytest.raises(RuntimeError, match=message):
        users(lib, forward, jvp)(dual(lib, [1.0, 2.0], [1.0, 1.0]))


@both
@level_is_open
def test_a_function_without_a_jvp_says_so(lib):
    with pytest.raises(NotImplementedError, match="You must implement the jvp function for custom"):
        make(lib, lambda ctx, x: x * 2).apply(dual(lib, [1.0], [1.0]))


@both
@level_is_open
def test_jvp_gets_zeros_for_missing_tangents_and_none_for_other_arguments(lib):
    got = []

    def jvp(ctx, *tangents):
        got.extend(tangents)
        return tangents[0]

    users(lib, lambda ctx, x, y, n: x * y, jvp)(dual(lib, [1.0], [1.0]), plain(lib, 2.0), 3)
    assert [None if t is None else t.tolist() for t in got] == [[1.0], 0.0, None]


@both
@level_is_open
def test_jvp_gets_none_if_it_wants_no_zeros(lib):
    def forward(ctx, x, y):
        ctx.set_materialize_grads(False)
        return x * y

    got = []
    apply = users(lib, forward, lambda ctx, dx, dy: (got.append(dy), dx)[1])
    assert tangent_of(lib, apply(dual(lib, [1.0], [1.0]), plain(lib, [2.0]))) == [1.0]
    assert got == [None]


@both
@level_is_open
def test_jvp_finds_what_was_saved_for_it_and_backward_what_was_saved_for_that(lib):
    seen = []

    def forward(ctx, x):
        ctx.save_for_forward(x)
        ctx.save_for_backward(x * 2)
        return x * 3

    def jvp(ctx, t):
        seen.append([s.tolist() for s in ctx.saved_tensors])
        return t * 3

    def backward(ctx, grad):
        seen.append([s.tolist() for s in ctx.saved_tensors])
        return grad * 3

    x = forward_ad(lib).make_dual(leaf(lib, [5.0]), plain(lib, [1.0]))
    make(lib, forward, backward, jvp=staticmethod(jvp)).apply(x).sum().backward()
    assert seen == [[[5.0]], [[10.0]]]


@both
@level_is_open
def test_a_function_that_writes_its_argument_writes_its_tangent(lib):
    primal, tangent = plain(lib, [1.0, 2.0]), plain(lib, [1.0, 1.0])
    x = forward_ad(lib).make_dual(primal, tangent)
    out = users(lib, dirty_double, lambda ctx, t: t.mul_(2))(x)
    assert out is x
    assert tangent.tolist() == [2.0, 2.0]


@both
@level_is_open
def test_a_function_that_writes_a_dual_to_a_constant_lets_it_move(lib):
    def forward(ctx, x, y):
        ctx.mark_dirty(x)
        return x.copy_(y)

    x = plain(lib, [1.0, 2.0, 3.0])
    users(lib, forward, lambda ctx, t, u: u.clone())(x[1:], dual(lib, [5.0, 6.0], [7.0, 8.0]))
    assert x.tolist() == [1.0, 5.0, 6.0]
    assert tangent_of(lib, x) == [0.0, 7.0, 8.0]


@both
@level_is_open
def test_a_view_of_a_constant_that_moves_lets_the_constant_move(lib):
    x = plain(lib, [1.0, 2.0, 3.0])
    apply = users(lib, lambda ctx, x, y: x[:2], lambda ctx, t, u: u[:2].clone())
    apply(x, dual(lib, [1.0, 1.0], [4.0, 5.0]))
    assert tangent_of(lib, x) == [4.0, 5.0, 0.0]


@both
@level_is_open
def test_other_outputs_than_tensors_pass(lib):
    apply = users(lib, lambda ctx, x: (x * 2, 5, None), lambda ctx, t: (t * 2, None, None))
    y, number, nothing = apply(dual(lib, [1.0], [1.0]))
    assert (tangent_of(lib, y), number, nothing) == ([2.0], 5, None)


@both
@level_is_open
def test_jvp_is_recorded_and_runs_without_forward_mode(lib):
    seen = []

    def jvp(ctx, t):
        seen.append((lib.is_grad_enabled(), forward_ad(lib)._is_fwd_grad_enabled()))
        return t * 2

    t = leaf(lib, [1.0])
    x = forward_ad(lib).make_dual(plain(lib, [1.0]), t)
    moved = forward_ad(lib).unpack_dual(users(lib, lambda ctx, x: x * 2, jvp)(x)).tangent
    assert lib.autograd.grad(moved, t)[0].tolist() == [2.0]
    assert seen == [(True, False)]


def test_a_tangent_that_jvp_returns_as_it_is_is_copied():
    lib = glassgrad  # in torch a write to the result moves the argument too
    apply = users(lib, lambda ctx, x: x.clone(), lambda ctx, t: t)
    with forward_ad(lib).dual_level():
        x = dual(lib, [1.0, 2.0], [1.0, 1.0])
        apply(x).mul_(5)
        assert tangent_of(lib, x) == [1.0, 1.0]
