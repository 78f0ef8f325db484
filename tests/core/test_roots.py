"""Where a pass starts: edges, batches of gradients, and what is refused."""

import pytest

from both import leaf, make, plain, values
from checks import together


def edge(lib, x):
    return lib.autograd.graph.get_gradient_edge(x)


# Edges -------------------------------------------------------------------------------------------


def test_an_edge_is_a_root(lib):
    x = leaf(lib, [1.0, 2.0])
    y = x * x
    found = lib.autograd.grad(edge(lib, y), x, plain(lib, [1.0, 10.0]), retain_graph=True)
    assert values(found) == [[2.0, 40.0]]
    lib.autograd.backward([edge(lib, y.sum()), y.sum()])
    assert x.grad.tolist() == [4.0, 8.0]


def test_the_gradient_of_an_edge_is_checked_as_that_of_its_tensor(lib):
    x = leaf(lib, [1.0, 2.0])
    root = edge(lib, x * x)
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar"):
        lib.autograd.grad(root, x)
    with pytest.raises(RuntimeError, match="Mismatch in shape"):
        lib.autograd.grad(root, x, plain(lib, [1.0]))


def test_an_edge_is_no_tensor_to_be_filled_with_zeros(lib):
    x, w = leaf(lib, 1.0), leaf(lib, 2.0)
    with pytest.raises(RuntimeError, match="materialize_grads cannot be used"):
        lib.autograd.grad(x * 1, edge(lib, w), materialize_grads=True)


# Batches -----------------------------------------------------------------------------------------


def batched(lib, outputs, inputs, gradients, **flags):
    return lib.autograd.grad(outputs, inputs, gradients, is_grads_batched=True, **flags)


def rows(lib, n=2):
    return lib.eye(n, dtype=lib.float64)


def test_a_batch_may_start_at_an_edge(lib):
    x = leaf(lib, [1.0, 2.0])
    assert values(batched(lib, edge(lib, x * x), x, rows(lib))) == [[[2.0, 0.0], [0.0, 4.0]]]


def test_a_batch_has_an_entry_for_each_output(lib):
    x = leaf(lib, [1.0, 2.0])
    y = x * x
    found = batched(lib, [y, y.sum()], x, [rows(lib), plain(lib, [1.0, 1.0])])
    assert values(found) == [[[4.0, 4.0], [2.0, 8.0]]]


def test_a_batch_frees_the_graph_when_it_is_through(lib):
    x = leaf(lib, [1.0, 2.0])
    y = x * x
    batched(lib, y, x, rows(lib), retain_graph=True)
    batched(lib, y, x, rows(lib))
    with pytest.raises(RuntimeError, match="second time"):
        batched(lib, y, x, rows(lib))


def test_unused_inputs_of_a_batch_are_none_or_zeros(lib):
    x, w = leaf(lib, [1.0, 2.0]), leaf(lib, [1.0])
    y = x * x
    with pytest.raises(RuntimeError, match="index 1 appears to not have been used"):
        batched(lib, y, [x, w], rows(lib), retain_graph=True)
    found = batched(lib, y, [x, w], rows(lib), retain_graph=True, allow_unused=True)
    assert found[1] is None
    found = batched(lib, y, [x, w], rows(lib), materialize_grads=True)
    assert found[1].tolist() == [0.0]


@together
@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda lib: plain(lib, [1.0, 1.0]), RuntimeError, "interpret the first dimension"),
        (lambda lib: None, RuntimeError, "grad can be implicitly created only for scalar"),
        (lambda lib: rows(lib)[:0], IndexError, "index 0 is out of bounds"),
    ],
)
def test_a_batch_that_cannot_be_taken_apart_is_refused(lib, make, error, said):
    x = leaf(lib, [1.0, 2.0])
    with pytest.raises(error, match=said):
        batched(lib, x * x, x, make(lib))


def test_batches_of_several_sizes_are_refused(lib):
    x = leaf(lib, [1.0, 2.0])
    y = x * x
    with pytest.raises(ValueError, match="same size in the mapped dimension"):
        batched(lib, [y, y.sum()], x, [rows(lib), plain(lib, [1.0, 1.0, 1.0])])


def test_one_number_is_no_batch(lib):
    x = leaf(lib, [1.0, 2.0])
    y = x * x
    with pytest.raises(ValueError, match="Got in_dim=0"):
        batched(lib, [y, y.sum()], x, [rows(lib), None])


# Inputs ------------------------------------------------------------------------------------------


def test_grad_needs_an_input(lib):
    with pytest.raises(RuntimeError, match=r"`inputs` argument to `grad\(\)` cannot be empty"):
        lib.autograd.grad(leaf(lib, 1.0) * 1, [])


def test_an_unused_input_is_told_by_its_place(lib):
    x, w = leaf(lib, 1.0), leaf(lib, 2.0)
    with pytest.raises(RuntimeError, match="Tensor at index 1 appears to not have been used"):
        lib.autograd.grad(x * 1, [x, w])


def test_what_was_given_is_looked_at_before_what_was_recorded(lib):
    x, c = leaf(lib, [1.0, 2.0]), plain(lib, [1.0, 2.0])
    for gradient in (plain(lib, 1.0), plain(lib, [1.0, 1.0, 1.0])):
        with pytest.raises(RuntimeError, match="Mismatch in shape"):
            c.backward(gradient)
        with pytest.raises(RuntimeError, match="Mismatch in shape"):
            lib.autograd.grad(c, x, gradient)
    with pytest.raises(RuntimeError, match=r"`inputs` argument to `backward\(\)` cannot be empty"):
        c.backward(c, inputs=[])
    with pytest.raises(RuntimeError, match="element 0 of tensors does not require grad"):
        c.sum().backward(inputs=[c])
    with pytest.raises(RuntimeError, match="can't retain_grad on Tensor that has requires_grad="):
        x.sum().backward(inputs=[c])


def test_a_function_runs_a_pass_of_its_own_in_a_batch_of_gradients(lib):
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        with lib.enable_grad():
            x = x.detach().requires_grad_()
            return grad * lib.autograd.grad(x.sin().sum(), x)[0]

    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()

    x = leaf(lib, [0.0, 0.0])
    (found,) = batched(lib, make(lib, forward, backward).apply(x), x, rows(lib))
    assert found.tolist() == rows(lib).tolist()


def test_a_part_of_a_stretched_gradient_can_be_written(lib):
    def row(x):
        return x.sum(0).expand(2, 3)[0]

    _, product = lib.autograd.functional.jvp(row, lib.ones(2, 3), lib.ones(2, 3))
    assert product.mul_(2).tolist() == [4.0, 4.0, 4.0]


def test_a_write_of_another_dtype_keeps_that_of_the_gradient(lib):
    x = lib.ones(2, dtype=lib.float16, requires_grad=True) * 1
    x.add_(lib.ones(2, requires_grad=True))
    place = edge(lib, x)
    (found,) = lib.autograd.grad(place, place, lib.ones(2, dtype=lib.float16))
    assert found.dtype == lib.float16
