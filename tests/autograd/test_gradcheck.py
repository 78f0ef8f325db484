"""`gradcheck` and `gradgradcheck`: what they find, how they say it, and what they refuse."""

import numpy as np
import pytest

import glassgrad
from both import leaf, plain
from glassgrad.autograd import GradcheckError, gradcheck
from glassgrad.core.tensor import LEAF, wrap
from gradchecks import FAST, error, function, product, sum_of

# Right gradients pass -----------------------------------------------------------------------------


@FAST
def test_right_gradients_pass(lib, fast_mode):
    x, y = leaf(lib, [[0.5, -1.0], [2.0, 0.3]]), leaf(lib, [1.5, -0.5])
    check = lib.autograd.gradcheck
    assert check(lambda x, y: (x * y).sin() + x.exp() / 2, (x, y), fast_mode=fast_mode) is True
    assert check(product(lib), [x, y], fast_mode=fast_mode) is True
    assert check(lambda x: x * x, x, fast_mode=fast_mode) is True


@FAST
def test_right_second_gradients_pass(lib, fast_mode):
    x, y = leaf(lib, [[0.5, -1.0], [2.0, 0.3]]), leaf(lib, [1.5, -0.5])
    check = lib.autograd.gradgradcheck
    assert check(lambda x, y: (x * y).sin() + x.exp(), (x, y), fast_mode=fast_mode) is True
    assert check(product(lib), (x, y), fast_mode=fast_mode) is True
    assert check(lambda x: x * x, x, leaf(lib, [[1.0, 2.0], [3.0, 4.0]])) is True
    assert check(lambda x: x * x, x, gen_non_contig_grad_outputs=True) is True


@FAST
def test_constants_and_other_objects_may_be_among_the_inputs(lib, fast_mode):
    x, c = leaf(lib, [0.5, 2.0]), plain(lib, [3.0, 4.0])
    options = {"fast_mode": fast_mode}
    assert lib.autograd.gradcheck(lambda x, c, n: x * c * n, (x, c, 3), **options)
    assert lib.autograd.gradgradcheck(lambda c, x: x * x * c, (c, x), **options)


@FAST
def test_several_outputs_some_without_gradient(fast_mode):
    lib = glassgrad  # PyTorch's fast mode takes the second output for the third

    def several(x):
        return x * x, x.detach() * 0, x.exp()

    assert lib.autograd.gradcheck(several, leaf(lib, [0.5, 2.0]), fast_mode=fast_mode)


@FAST
def test_sizes_zero_and_one(lib, fast_mode):
    assert lib.autograd.gradcheck(lambda x: x * x, leaf(lib, 2.0), fast_mode=fast_mode)
    if not fast_mode:
        for empty in ([], [[]], [[], []]):
            assert lib.autograd.gradcheck(lambda x: x * x, leaf(lib, empty))


@FAST
def test_an_input_that_the_function_holds_instead_of_taking(lib, fast_mode):
    x = leaf(lib, [0.5, 2.0])
    assert lib.autograd.gradcheck(lambda _: x * x, x, fast_mode=fast_mode)


def test_inputs_keep_their_values_and_gradients(lib):
    x = leaf(lib, [0.5, 2.0])
    lib.autograd.gradcheck(lambda x: x.exp(), x)
    assert x.tolist() == [0.5, 2.0]
    assert x.grad is None
    assert x._version == 0


def test_inputs_keep_their_values_when_the_function_raises(lib):
    x = leaf(lib, [0.5, 2.0])
    calls = []

    def fail(x):
        calls.append(x)
        if len(calls) == 2:
            raise ValueError("in the function")
        return x * x

    with pytest.raises(ValueError, match="in the function"):
        lib.autograd.gradcheck(fail, x)
    if lib is glassgrad:
        assert x.tolist() == [0.5, 2.0]


def test_read_only_inputs_are_checked():
    array = np.array([0.5, 2.0])
    array.flags.writeable = False
    assert gradcheck(lambda x: x * x, wrap(array, LEAF))


def square(right):
    """z², with its gradient z̄·conj(2z), or without the conjugate."""

    def forward(ctx, z):
        ctx.save_for_backward(z)
        return wrap(z.payload**2)

    def backward(ctx, grad):
        (z,) = ctx.saved_tensors
        slope = 2 * z.payload
        return wrap(grad.payload * (np.conj(slope) if right else slope))

    return function(glassgrad, forward, backward)


@FAST
def test_complex_inputs_and_outputs(fast_mode):
    z = wrap(np.array([0.5 + 1j, -2 + 0.25j]), LEAF)
    assert gradcheck(square(right=True), z, fast_mode=fast_mode)
    with pytest.raises(GradcheckError, match="considering the imaginary part of complex outputs"):
        gradcheck(square(right=False), z, fast_mode=fast_mode)


# Wrong gradients are named ------------------------------------------------------------------------


@FAST
def test_a_wrong_gradient_names_output_and_input(lib, fast_mode):
    wrong = product(lib, lambda grad, x, y: grad * x * 2)
    x, y = leaf(lib, [1.0, 2.0]), leaf(lib, [3.0, 4.0])
    expected = (
        r"(?s)Jacobian mismatch for output 0 with respect to input 1,\nnumerical:.*\nanalytical:"
    )
    with pytest.raises(error(lib), match=expected):
        lib.autograd.gradcheck(wrong, (x, y), fast_mode=fast_mode)
    assert (
        lib.autograd.gradcheck(wrong, (x, y), fast_mode=fast_mode, raise_exception=False) is False
    )


@FAST
def test_a_wrong_gradient_names_the_entry(fast_mode):
    def backward(ctx, grad):
        wrong = np.ones((2, 3))
        wrong[1, 2] = 4.0
        return grad * 2 * wrap(wrong)

    doubled = function(glassgrad, lambda ctx, x: x * 2, backward)
    x = wrap(np.ones((2, 3)), LEAF)
    with pytest.raises(GradcheckError) as caught:
        gradcheck(lambda x: (x * 1, doubled(x)), x, fast_mode=fast_mode)
    message = str(caught.value)
    assert "mismatch for output 1 with respect to input 0" in message
    assert (
        "The worst of 1 wrong entries (of 36): how output 1[1, 2] changes with input 0[1, 2]"
        in (message)
    )
    assert "is 2 by differences, but 8 by backward" in message


def test_a_missing_gradient_is_found(lib):
    cut = function(lib, lambda ctx, x: x * 2, lambda ctx, grad: None)
    with pytest.raises(error(lib), match="mismatch for output 0 with respect to input 0"):
        lib.autograd.gradcheck(cut, leaf(lib, [1.0, 2.0]))


def test_a_nan_gradient_is_found(lib):
    nan = function(lib, lambda ctx, x: x * 2, lambda ctx, grad: grad * float("nan"))
    with pytest.raises(error(lib), match="mismatch for output 0 with respect to input 0"):
        lib.autograd.gradcheck(nan, leaf(lib, [1.0, 2.0]), nondet_tol=float("inf"))


@FAST
def test_a_function_that_leaves_the_tape_is_found(lib, fast_mode):
    with pytest.raises(error(lib), match="Numerical gradient for function expected to be zero"):
        lib.autograd.gradcheck(lambda x: x.detach() * 2, leaf(lib, [1.0, 2.0]), fast_mode=fast_mode)


@FAST
def test_a_function_without_differentiable_outputs_may_be_constant(lib, fast_mode):
    x = leaf(lib, [1.0, 2.0])
    assert lib.autograd.gradcheck(lambda x: x.detach() * 0, x, fast_mode=fast_mode)


def test_a_wrong_second_gradient_is_found(lib):
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x * x.detach()

    wrong, x = function(lib, forward, backward), leaf(lib, [1.0, 2.0])
    assert lib.autograd.gradcheck(wrong, x)
    with pytest.raises(error(lib), match="Jacobian mismatch for output 0 with respect to input 0"):
        lib.autograd.gradgradcheck(wrong, x)


@FAST
def test_a_backward_that_does_not_repeat_itself_is_found(lib, fast_mode):
    factors = iter([1 + 1e-4 * n for n in range(1000)])
    drifting = function(lib, lambda ctx, x: x * 2, lambda ctx, grad: grad * 2 * next(factors))
    x = leaf(lib, [1.0, 2.0])
    with pytest.raises(error(lib), match=r"Backward is not reentrant, i\.e\., running backw"):
        lib.autograd.gradcheck(drifting, x, fast_mode=fast_mode)
    assert lib.autograd.gradcheck(
        drifting, x, fast_mode=fast_mode, nondet_tol=0.1, rtol=0.5, check_undefined_grad=False
    )


def test_a_backward_that_ignores_its_gradient_is_found(lib):
    def backward(ctx, grad):
        return grad * 0 + 2 if grad.sum().item() else grad + 1e-9

    def forward(ctx, x):
        return x * 2

    with pytest.raises(error(lib), match="backward not multiplied by grad_output"):
        lib.autograd.gradcheck(function(lib, forward, backward), leaf(lib, [1.0]))
    assert lib.autograd.gradcheck(
        function(lib, forward, backward), leaf(lib, [1.0]), masked=True, check_undefined_grad=False
    )


@pytest.mark.filterwarnings("ignore:Backwards compatibility")
def test_a_backward_that_stumbles_over_a_missing_gradient_is_found(lib):
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 1, x * 2

    def backward(ctx, first, second):
        if first is None:
            raise RuntimeError("no gradient")
        return first if second is None else first + 2 * second

    x, stumbling = leaf(lib, [1.0, 2.0]), function(lib, forward, backward)
    with pytest.raises(error(lib), match="Expected backward function to handle undefined output"):
        lib.autograd.gradcheck(lambda x: sum_of(stumbling(x)), x)
    assert lib.autograd.gradcheck(lambda x: sum_of(stumbling(x)), x, check_undefined_grad=False)


def test_the_jacobians_of_older_programs(lib):
    home = lib.autograd.gradcheck
    home = __import__("sys").modules[home.__module__]
    a, b = leaf(lib, [1.0, 2.0]), leaf(lib, [3.0, 4.0])
    with pytest.warns(FutureWarning, match="private API"):
        found = home.get_numerical_jacobian(lambda xs: (2 * xs[0] + xs[1],), (a, b), eps=1e-6)
    np.testing.assert_allclose([x.tolist() for x in found], [2 * np.eye(2), np.eye(2)], atol=1e-6)
    with pytest.warns(FutureWarning, match="private API"):
        found, *rest = home.get_analytical_jacobian((a, b), 2 * a + b)
    np.testing.assert_allclose([x.tolist() for x in found], [2 * np.eye(2), np.eye(2)])
    assert all(rest)
    with (
        pytest.warns(FutureWarning, match="private API"),
        pytest.raises(ValueError, match=r"Expected grad_out to be 1\.0"),
    ):
        home.get_numerical_jacobian(lambda xs: xs[0], (a, b), eps=1e-6, grad_out=2.0)
