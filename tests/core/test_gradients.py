"""What becomes of a gradient: whose memory it is, how it lies there, and in which dtype."""

import warnings

import pytest
import torch

import glassgrad
from both import leaf, make, plain
from checks import together


def address(tensor):
    """Where the elements of a tensor begin."""
    if isinstance(tensor, torch.Tensor):
        return tensor.data_ptr()
    return tensor.payload.__array_interface__["data"][0]


def strides(tensor):
    """How far apart neighbours are in memory, in elements."""
    if isinstance(tensor, torch.Tensor):
        return tensor.stride()
    return tuple(step // tensor.payload.itemsize for step in tensor.payload.strides)


def returning(lib, *gradients):
    """A Function of as many inputs, whose backward returns these gradients."""
    return make(lib, lambda ctx, *xs: xs[0] * 1, lambda ctx, grad: gradients)


# Whose memory it is ------------------------------------------------------------------------------


def test_the_first_gradient_is_not_copied_if_nobody_else_has_it(lib):
    where = []

    def backward(ctx, grad):
        result = grad * 2
        where.append(address(result))
        return result

    x = leaf(lib, [1.0, 2.0])
    make(lib, lambda ctx, x: x * 1, backward).apply(x).sum().backward()
    assert address(x.grad) == where[0]


def test_a_gradient_that_somebody_holds_is_copied(lib):
    held = plain(lib, [5.0, 6.0])
    x = leaf(lib, [1.0, 2.0])
    function = returning(lib, held)
    function.apply(x).sum().backward()
    function.apply(x).sum().backward()
    assert x.grad.tolist() == [10.0, 12.0]
    assert held.tolist() == [5.0, 6.0]


def test_a_seed_never_becomes_a_gradient(lib):
    x, seed = leaf(lib, [1.0, 2.0]), plain(lib, [1.0, 1.0])
    x.backward(seed)
    assert address(x.grad) != address(seed)
    y = leaf(lib, [1.0, 2.0])
    make(lib, lambda ctx, x: x * 1, lambda ctx, grad: grad).apply(y).backward(seed)
    assert address(y.grad) != address(seed)


@together
@pytest.mark.filterwarnings("ignore:Using backward.. with create_graph=True")
@pytest.mark.parametrize("create_graph", [False, True])
def test_leaves_of_one_sum_have_gradients_of_their_own(lib, create_graph):
    x, y = leaf(lib, [1.0, 2.0]), leaf(lib, [3.0, 4.0])
    (found,) = lib.autograd.grad((x + y).sum(), x, retain_graph=True)
    lib.autograd.backward((x + y).sum(), create_graph=create_graph, inputs=[x, y])
    assert len({address(x.grad), address(y.grad), address(found)}) == 3


def test_an_expanded_gradient_is_written_out(lib):
    x = leaf(lib, [[1.0, 2.0], [3.0, 4.0]])
    x.sum(0).backward(plain(lib, [1.0, 2.0]))
    with lib.no_grad():
        x.grad[0, 0] = 7.0
    assert x.grad.tolist() == [[7.0, 2.0], [1.0, 2.0]]


# How it lies in memory ---------------------------------------------------------------------------


@together
@pytest.mark.filterwarnings("ignore:Using backward.. with create_graph=True")
@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("op", [lambda x: x * x, lambda x: x * 2 + x.t().sum(), lambda x: x.exp()])
def test_a_gradient_lies_in_memory_as_its_leaf_does(lib, op, create_graph):
    x = plain(lib, [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]).t().requires_grad_()
    for _ in range(2):
        lib.autograd.backward(op(x).sum(), create_graph=create_graph, inputs=[x])
        assert strides(x.grad) == strides(x) == (1, 3)


@together
@pytest.mark.filterwarnings("ignore:Using backward.. with create_graph=True")
@pytest.mark.parametrize("create_graph", [False, True])
def test_a_transposed_gradient_is_put_in_the_order_of_its_leaf(lib, create_graph):
    x = leaf(lib, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    seed = plain(lib, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    lib.autograd.backward((x * 2).t(), seed, create_graph=create_graph, inputs=[x])
    assert strides(x.grad) == (3, 1)
    assert x.grad.tolist() == [[2.0, 6.0, 10.0], [4.0, 8.0, 12.0]]


# Kinds of numbers --------------------------------------------------------------------------------


def test_a_complex_gradient_of_a_users_rule_is_no_gradient_of_a_real_input(lib):
    x = leaf(lib, [1.0, 2.0])
    made = make(lib, lambda ctx, x: x * 1, lambda ctx, grad: grad * (1 + 1j))
    with pytest.raises(RuntimeError):
        made.apply(x).sum().backward()
    assert x.grad is None


def test_the_error_of_a_complex_gradient_names_the_function_and_both_dtypes():
    x = leaf(glassgrad, [1.0, 2.0])
    made = make(glassgrad, lambda ctx, x: x * 1, lambda ctx, grad: grad * (1 + 1j))
    with pytest.raises(
        RuntimeError, match=r"MadeBackward .* got complex128 for an input of float64"
    ):
        made.apply(x).sum().backward()


def test_a_real_gradient_is_one_of_a_complex_input(lib):
    x = lib.tensor([1 + 1j], dtype=lib.complex128, requires_grad=True)
    returning(lib, plain(lib, [2.0])).apply(x).backward(lib.ones(1, dtype=lib.complex128))
    assert x.grad.dtype == lib.complex128
    assert x.grad.tolist() == [2 + 0j]


def test_the_imaginary_part_has_no_meaning_for_a_real_leaf(lib):
    x = leaf(lib, [1.0, 2.0])
    (x.to(lib.complex128) * (1 + 2j)).sum().backward(lib.tensor(1 + 1j, dtype=lib.complex128))
    assert x.grad.tolist() == [3.0, 3.0]


# Leaves that want none any more ------------------------------------------------------------------


def test_a_leaf_that_requires_no_grad_any_more_gets_none(lib):
    x = leaf(lib, [1.0, 2.0])
    y = (x * 2).sum()
    log = []
    x.register_hook(lambda grad: log.append(grad.tolist()))
    x.requires_grad_(False)
    y.backward(retain_graph=True)
    assert x.grad is None
    assert log == [[2.0, 2.0]]
    x.requires_grad_(True)
    y.backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_only_leaves_can_be_told_to_require_grad(lib):
    y = leaf(lib, 1.0) * 2
    assert y.requires_grad_() is y
    for value in (True, False):
        with pytest.raises(RuntimeError, match="you can only change requires_grad flags of leaf"):
            y.requires_grad = value


def test_a_leaf_that_was_detached_meanwhile_gets_no_gradient(lib):
    for leave in (lib.Tensor.detach_, lambda leaf: leaf.requires_grad_(False)):
        leaf = lib.ones(2, requires_grad=True)
        y = leaf * 2
        leave(leaf)
        y.sum().backward()
        assert leaf.grad is None


def test_a_pass_in_inference_mode_records_nothing(lib):
    x = lib.ones(2, requires_grad=True)
    y = (x * x).sum()
    with lib.inference_mode(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y.backward(create_graph=True)
    assert not x.grad.requires_grad


def test_what_is_added_to_a_tensor_of_another_dtype_gets_gradients_of_its_own(lib):
    total, x = lib.zeros(2), lib.ones(2, dtype=lib.float64, requires_grad=True)
    total += x
    total.sum().backward()
    assert x.grad.dtype == lib.float64


UNCHANGED = ["w - 1", "w + c", "w.clone()", "w[...]", "w.double()", "w.squeeze()", "w.view(4)"]


@together
@pytest.mark.parametrize("op", [*UNCHANGED, "w * 1", "w.neg()", "w.sum()", "w.view(2, 2)"])
def test_grad_returns_the_gradient_that_was_given_if_no_rule_changes_it(lib, op):
    w, c = leaf(lib, [1.0, 2.0, 3.0, 4.0]), plain(lib, 1.0)
    y = eval(op, {"w": w, "c": c})
    seed = lib.ones_like(y, requires_grad=False)
    (found,) = lib.autograd.grad(y, w, seed)
    assert (found is seed) == (op in UNCHANGED[:-1])
    found[0] = 9.0
    shares = op in (*UNCHANGED, "w.sum()", "w.view(2, 2)")
    assert (seed.flatten()[0].item(), seed._version) == ((9.0, 1) if shares else (1.0, 0))


@together
@pytest.mark.parametrize("op", [*UNCHANGED, "w.view(2, 2)"])
def test_dot_grad_is_never_the_gradient_that_was_given(op):
    """In PyTorch it is, behind a view: who clips `.grad` in place changes what was given."""
    for lib, is_shared in ((glassgrad, False), (torch, "view" in op)):
        w, c = leaf(lib, [1.0, 2.0, 3.0, 4.0]), plain(lib, 1.0)
        y = eval(op, {"w": w, "c": c})
        seed = lib.ones_like(y, requires_grad=False)
        y.backward(seed)
        assert w.grad is not seed
        assert (address(w.grad) == address(seed)) == is_shared


@together
@pytest.mark.parametrize("op", ["w.unsqueeze(0).sum(1).mean()", "lib.einsum('i->', w)", "w.sum(0)"])
def test_stretched_gradient_can_be_written(lib, op):
    w = leaf(lib, [1.0, 2.0])
    (found,) = lib.autograd.grad(eval(op, {"w": w, "lib": lib}), w)
    found[0] = 9.0
    assert found.tolist() == [9.0, 9.0]


def test_two_gradients_of_a_step_have_memory_of_their_own(lib):
    x, y = leaf(lib, [5.0, 7.0]), leaf(lib, [2.0, 2.0])
    first, second = lib.autograd.grad(x.div(y, rounding_mode="floor").sum(), (x, y))
    first[0] = 9.0
    assert second.tolist() == [0.0, 0.0]
