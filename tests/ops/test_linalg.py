"""Matrix products: the node each rank gets, PyTorch's words for shapes that do not fit."""

import numpy as np
import pytest

import glassgrad as gg
from checks import together
from glassgrad.core.errors import DTypeError, ShapeError
from glassgrad.nn.functional import linear


@together
@pytest.mark.parametrize(
    ("left", "right", "node"),
    [
        ((3,), (3,), "DotBackward0"),
        ((2, 3), (3,), "MvBackward0"),
        ((2, 3), (3, 4), "MmBackward0"),
        ((3,), (3, 4), "MatMulBackward0"),
        ((5, 2, 3), (3, 4), "MatMulBackward0"),
    ],
)
def test_product_gets_the_node_of_its_ranks(left, right, node):
    product = gg.ones(left, requires_grad=True) @ gg.ones(right)
    assert product.grad_fn.name() == node


@together
@pytest.mark.parametrize(
    ("left", "right", "words"),
    [
        ((2, 3), (4, 5), r"mat1 and mat2 shapes cannot be multiplied \(2x3 and 4x5\)"),
        ((2, 3), (4,), r"size mismatch, got input \(2\), mat \(2x3\), vec \(4\)"),
        ((2,), (3,), r"inconsistent tensor size, expected tensor \[2\] and src \[3\]"),
        ((), (3,), "both arguments to matmul need to be at least 1D, but they are 0D and 1D"),
        ((2, 3, 4), (3, 4, 5), r"size of tensor a \(2\) must match the size of tensor b \(3\)"),
    ],
)
def test_shapes_that_do_not_fit_are_named(left, right, words):
    with pytest.raises(ShapeError, match=words):
        gg.zeros(left) @ gg.zeros(right)


def test_dtypes_must_match():
    with pytest.raises(DTypeError, match="same dtype, but got: float != double"):
        gg.zeros(2, 2) @ gg.zeros(2, 2, dtype=gg.float64)


def test_product_saves_only_what_its_gradients_need():
    x, w = gg.ones(2, 3), gg.ones(3, 4, requires_grad=True)
    node = (x @ w).grad_fn
    assert node._saved_self is not None
    assert node._saved_mat2 is None


def test_linear_gives_gradients_that_are_contiguous_and_its_own():
    x = gg.ones(4, 3)
    w, b = gg.ones(2, 3, requires_grad=True), gg.zeros(2, requires_grad=True)
    linear(x, w, b).sum().backward()
    for leaf in (w, b):
        array = leaf.grad.numpy()
        assert array.flags.c_contiguous
        assert array.base is None
    assert w.grad.tolist() == [[4.0] * 3] * 2
    assert b.grad.tolist() == [4.0, 4.0]


def test_linear_leaves_the_input_alone_if_it_needs_no_gradient():
    x, w = gg.ones(4, 3), gg.ones(2, 3, requires_grad=True)
    node = linear(x, w).grad_fn
    assert node.next_functions[0] == (None, 0)
    assert node._saved_weight is None
    assert node._saved_input is not None


def test_linear_of_one_output_leads_to_its_bias_at_once():
    x, weight, bias = gg.ones(2, 3), gg.ones(1, 3), gg.ones(1, requires_grad=True)
    node = gg.nn.functional.linear(x, weight, bias).grad_fn
    assert [n.name() for n, _ in node.next_functions if n] == ["torch::autograd::AccumulateGrad"]


def test_linear_refuses_a_bias_of_another_size():
    with pytest.raises(ShapeError, match=r"bias of shape \(3,\), expected \(2,\)"):
        linear(gg.ones(4, 3), gg.ones(2, 3), gg.ones(3))


def test_outer_product():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    gg.outer(x, gg.tensor([3.0, 4.0])).sum().backward()
    assert x.grad.tolist() == [7.0, 7.0]


# einsum -----------------------------------------------------------------------------------------


def test_einsum_takes_lists_of_dims():
    x, y = gg.rand(2, 3), gg.rand(3, 4)
    by_lists = gg.einsum(x, [0, 1], y, [1, 2], [0, 2])
    np.testing.assert_allclose(by_lists.numpy(), x.numpy() @ y.numpy(), rtol=1e-6)


def test_einsum_takes_its_operands_as_one_list():
    x = gg.tensor([[1.0, 2.0]])
    assert gg.einsum("ij->ji", [x]).tolist() == [[1.0], [2.0]]


@pytest.mark.parametrize("equation", ["ij->ji", "ij", "ji", "ii->i", "...", "ij->i", "ii"])
def test_einsum_of_one_operand_is_a_view_where_nothing_is_summed(equation):
    x = gg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    y = gg.einsum(equation, x)
    is_summed = equation in ("ij->i", "ii")
    assert y.grad_fn.name() == ("SumBackward1" if is_summed else "PermuteBackward0")
    assert y._is_view() is not is_summed
    with gg.no_grad():
        y.fill_(9.0)
    assert (x[0, 0].item() == 9.0) is not is_summed


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("bdn,ben->bde", [(3, 4, 6), (3, 4, 6)]),  # the result of two alike has another shape
        ("ij,jk->ik", [(1, 3), (1, 3)]),  # a size of 1 is stretched, though the shapes are alike
    ],
)
def test_einsum_of_operands_alike_knows_the_shapes_of_gradients(equation, shapes):
    xs = [gg.rand(shape, dtype=gg.float64, requires_grad=True) for shape in shapes]
    spread = gg.rand(3, dtype=gg.float64, requires_grad=True)
    gg.autograd.gradcheck(lambda *xs: gg.einsum(equation, *xs)[..., None] * spread, xs)


def test_einsum_sums_over_an_ellipsis_that_the_output_leaves_out():
    assert gg.einsum("...i->i", gg.ones(2, 3, 4)).tolist() == [6.0] * 4


@together
@pytest.mark.parametrize(
    ("equation", "shapes", "words"),
    [
        ("ij,jk->iz", [(2, 3), (3, 5)], "output subscript z does not appear"),
        ("ij,jk", [(2, 3), (4, 5)], "subscript j has size 4 for operand 1 which does not broad"),
        ("i,i,i->i", [(0,), (1,), (5,)], "size 5 for operand 2 which does not broadcast .* size 0"),
        ("i", [(2, 3)], r"number of subscripts in the equation \(1\).*dimensions \(2\)"),
        ("ij", [(2, 3), (2, 3)], "more operands were provided than specified"),
        ("ij,ij", [(2, 3)], "fewer operands were provided than specified"),
        ("ii", [(2, 3)], "subscript i is repeated for operand 0 but the sizes don't match"),
        ("i1->", [(2, 3)], "invalid subscript given at index 1 in the equation string"),
        ("ij->iij", [(2, 3)], "output subscript i appears more than once"),
    ],
)
def test_einsum_names_what_does_not_fit(equation, shapes, words):
    with pytest.raises(ShapeError, match=words):
        gg.einsum(equation, *[gg.zeros(shape) for shape in shapes])
