"""`Tensor.grad_dtype`: gradients in another dtype than the tensor's."""

import pytest

import glassgrad
from both import leaf, make, plain
from checks import together


def test_a_leaf_wants_gradients_of_its_own_dtype_by_default(lib):
    x = leaf(lib, [1.0, 2.0])
    assert x.grad_dtype == lib.float64
    x.data = x.data.to(lib.float32)
    assert x.grad_dtype == lib.float32


@together
@pytest.mark.filterwarnings("ignore:Using backward.. with create_graph=True")
@pytest.mark.parametrize("create_graph", [False, True])
def test_gradients_are_converted_when_they_arrive(lib, create_graph):
    x = leaf(lib, [1.0, 2.0])
    seen = []
    x.register_hook(lambda grad: seen.append(grad.dtype))
    y = (x * x).sum()
    x.grad_dtype = lib.float32  # also for graphs that are there already
    lib.autograd.backward(y, create_graph=create_graph, retain_graph=True, inputs=[x])
    y.backward()
    assert x.grad.dtype == lib.float32
    assert x.grad.tolist() == [4.0, 8.0]
    (found,) = lib.autograd.grad((x * x).sum(), x)
    assert found.dtype == lib.float32
    assert seen == [lib.float32] * 3


def in_single_precision(lib):
    """A Function whose gradient is a float32 tensor, whatever its input."""
    return make(lib, lambda ctx, x: x * 1, lambda ctx, grad: grad.to(lib.float32))


def test_none_leaves_gradients_as_they_come(lib):
    x = leaf(lib, [1.0, 2.0])
    x.grad_dtype = None
    assert x.grad_dtype is None
    in_single_precision(lib).apply(x).sum().backward()
    assert x.grad.dtype == lib.float32
    (x * 2).sum().backward()
    assert x.grad.dtype == lib.float32
    assert x.grad.tolist() == [3.0, 3.0]


def test_a_users_gradient_is_converted_to_the_dtype_that_is_wanted(lib):
    x = leaf(lib, [1.0, 2.0])
    x.grad_dtype = lib.float32
    in_single_precision(lib).apply(x).sum().backward()
    assert x.grad.dtype == lib.float32


def test_a_hook_must_keep_the_dtype_that_is_wanted(lib):
    x = leaf(lib, [1.0, 2.0])
    x.grad_dtype = lib.float32
    x.register_hook(lambda grad: grad.to(lib.float64))
    wrong = r"changed the type of value \(was torch.FloatTensor got torch.DoubleTensor\)"
    with pytest.raises(RuntimeError, match=wrong):
        (x * 2).sum().backward()


def test_a_real_leaf_may_want_complex_gradients(lib):
    x = leaf(lib, [1.0])
    x.grad_dtype = lib.complex128
    (x * 2).sum().backward()
    assert x.grad.tolist() == [2 + 0j]


def test_what_is_assigned_must_have_the_dtype_that_is_wanted(lib):
    x = leaf(lib, [1.0, 2.0])
    x.grad_dtype = lib.float32
    with pytest.raises(RuntimeError, match="attempting to assign a gradient with dtype"):
        x.grad = plain(lib, [1.0, 1.0])
    x.grad = plain(lib, [1.0, 1.0]).to(lib.float32)
    x.grad = None
    x.grad_dtype = None
    x.grad = plain(lib, [1.0, 1.0]).to(lib.float32)
    assert x.grad.dtype == lib.float32


def test_it_cannot_change_under_a_gradient_that_is_there(lib):
    x = leaf(lib, [1.0, 2.0])
    (x * 2).sum().backward()
    with pytest.raises(RuntimeError, match="there is already a gradient with dtype"):
        x.grad_dtype = lib.float32
    x.grad_dtype = lib.float64
    x.grad_dtype = None
    x.grad = None
    x.grad_dtype = lib.float32
    assert x.grad_dtype == lib.float32


def test_it_belongs_to_leaves(lib):
    y = leaf(lib, [1.0, 2.0]) * 2
    with pytest.raises(RuntimeError, match="grad_dtype can only be accessed on leaf tensors"):
        _ = y.grad_dtype
    with pytest.raises(RuntimeError, match="grad_dtype can only be set on leaf tensors"):
        y.grad_dtype = lib.float32
    constant = plain(lib, [1.0])
    constant.grad_dtype = lib.float32
    assert constant.grad_dtype == lib.float32
    assert constant.detach().grad_dtype == lib.float64


def test_what_is_no_dtype_is_refused(lib):
    x = leaf(lib, [1.0, 2.0])
    with pytest.raises(RuntimeError, match=r"grad_dtype must be a .* or None, but got int"):
        x.grad_dtype = 3


def test_whole_numbers_are_no_dtype_of_gradients():
    x = leaf(glassgrad, [1.0, 2.0])  # PyTorch fails later, with an internal error
    with pytest.raises(RuntimeError, match="floating point or complex dtype, got int64"):
        x.grad_dtype = glassgrad.int64


def test_a_letter_of_numpys_is_no_dtype():
    x = leaf(glassgrad, [1.0])
    with pytest.raises(RuntimeError, match="grad_dtype must be a glassgrad dtype or None"):
        x.grad_dtype = "d"
    assert x.grad_dtype == x.dtype
