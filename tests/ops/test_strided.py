"""as_strided on views, on what is not in order, and written in place."""

import pytest

from both import LIBRARIES, leaf


@pytest.mark.parametrize("lib", LIBRARIES)
def test_strides_count_in_the_memory_of_the_base(lib):
    x = leaf(lib, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    view = (x * 1)[1]
    y = view.as_strided((2, 2), (1, 1))
    assert y.tolist() == [[4, 5], [5, 6]]
    y.sum().backward()
    assert x.grad.tolist() == [[0, 0, 0], [1, 2, 1]]


@pytest.mark.parametrize("lib", LIBRARIES)
def test_a_transposed_tensor_gets_its_gradient_in_its_own_order(lib):
    x = leaf(lib, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    y = x.t().as_strided((3,), (2,), 1)
    assert y.tolist() == [2, 4, 6]
    (y * lib.tensor([1.0, 2.0, 3.0])).sum().backward()
    assert x.grad.tolist() == [[0, 1, 0], [2, 0, 3]]


@pytest.mark.parametrize("lib", LIBRARIES)
def test_a_write_to_it_is_a_write_to_the_base(lib):
    x = leaf(lib, [1.0, 2.0, 3.0, 4.0])
    y = x * 1
    y.as_strided((2,), (2,), 1).mul_(10)
    assert y.tolist() == [1, 20, 3, 40]
    y.sum().backward()
    assert x.grad.tolist() == [1, 10, 1, 10]


def test_elements_that_share_a_place_share_its_gradient(lib):
    x = lib.ones(3, 2, dtype=lib.float64, requires_grad=True)
    y = x.expand(2, 3, 2).as_strided((2, 2), (1, 2))
    y.backward(lib.tensor([[0.0, 1.0], [2.0, 3.0]], dtype=lib.float64))
    assert x.grad.tolist() == [[0.0, 2.0], [1.0, 3.0], [0.0, 0.0]]
