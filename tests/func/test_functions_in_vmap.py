"""A user's Function under `vmap`: by its own rule, or by one that is made of its parts."""

import gc
import weakref

import numpy as np
import pytest

import glassgrad
from both import leaf, make, plain
from checks import together
from duals import both
from func.making import A, B, C, numbers, of, product

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


@together
@pytest.mark.parametrize(
    ("returns", "kind"),
    [
        (lambda x: (x.sum(), 0), IndexError),
        (lambda x: (x, 2), IndexError),
        (lambda x: (x[:2], 0), RuntimeError),
        (lambda x: (x.T, 0), RuntimeError),
    ],
)
def test_a_rule_returns_as_many_examples_as_it_got(returns, kind):
    lib = glassgrad  # torch finds out later, or never
    apply = of(lib, lambda x: x, None, vmap=lambda info, in_dims, x: returns(x)).apply
    with pytest.raises(kind, match="Dimension out of range"):
        lib.vmap(apply)(lib.ones(3, 2))


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
        return grad * ctx.saved_tensors[1], None

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


def of_trees(lib):
    """x·y + z of batches of x and y, where y and z go through a Function in a tree."""

    def forward(x, pair):
        return x * pair[0] + pair[1]["second"], 5

    made = make(
        lib,
        forward,
        lambda ctx, grad, _: (grad * 2, None),
        lambda ctx, inputs, output: None,
        jvp=staticmethod(lambda ctx, dx, pair: (dx * 3, None)),
        generate_vmap_rule=True,
    )

    def f(x, y, z):
        return made.apply(x, [y, {"second": z}])[0]

    return lib.func.vmap(f, (0, 0, None))


@both
def test_trees_of_tensors_pass_through_a_generated_rule(lib):
    x, y, z = plain(lib, A), plain(lib, B), plain(lib, C[0])
    assert np.allclose(of_trees(lib)(x, y, z).tolist(), np.array(A) * B + C[0])
    slopes = lib.func.grad(lambda x: of_trees(lib)(x, y, z).sum())(x)
    assert slopes.tolist() == np.full((3, 2), 2.0).tolist()


def test_trees_of_tensors_have_no_tangent_in_a_generated_rule():
    lib = glassgrad  # torch counts the leaves of the trees as tangents
    x, y, z = plain(lib, A), plain(lib, B), plain(lib, C[0])
    moved = lib.func.jvp(lambda x: of_trees(lib)(x, y, z), (x,), (lib.ones_like(x),))[1]
    assert moved.tolist() == np.full((3, 2), 3.0).tolist()


def test_too_many_gradients_are_counted_as_the_user_wrote_them():
    class Greedy(glassgrad.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x, y):
            return x * y

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def backward(ctx, grad):
            return grad, grad, grad

    x = glassgrad.ones(3)
    text = (
        r"function GreedyBackward returned an incorrect number of gradients \(expected 2, got 3\)"
    )
    with pytest.raises(RuntimeError, match=text):
        glassgrad.func.grad(lambda x: glassgrad.func.vmap(Greedy.apply)(x, x).sum())(x)
