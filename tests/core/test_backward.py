"""`backward` and `grad`: what can be asked for, and what is refused."""

import numpy as np
import pytest

import glassgrad
from both import leaf, plain, values
from checks import together

# Asking for gradients ---------------------------------------------------------------------------


def test_duplicated_roots_and_inputs_count_twice(lib):
    x = leaf(lib, [1.0, 2.0])
    seed = plain(lib, [1.0, 1.0])
    y = x * x
    found = lib.autograd.grad([y, y], [x, x, y], [seed, seed])
    assert values(found) == [[4.0, 8.0], [4.0, 8.0], [2.0, 2.0]]


def test_a_root_that_is_a_leaf_gets_its_seed(lib):
    x = leaf(lib, [1.0, 2.0])
    x.backward(plain(lib, [3.0, 4.0]))
    assert x.grad.tolist() == [3.0, 4.0]
    (found,) = lib.autograd.grad(x, x, plain(lib, [5.0, 6.0]))
    assert found.tolist() == [5.0, 6.0]
    assert x.grad.tolist() == [3.0, 4.0]


def test_a_root_that_is_also_a_leaf_of_another_root_gets_the_sum(lib):
    x = leaf(lib, 2.0)
    lib.autograd.backward([x, x * x])
    assert x.grad.item() == 5.0


def test_an_unused_input_is_an_error_unless_allowed(lib):
    x, y = leaf(lib, 1.0), leaf(lib, 2.0)
    with pytest.raises(RuntimeError, match="appears to not have been used in the graph"):
        lib.autograd.grad(x * 2, [x, y])
    assert lib.autograd.grad(x * 2, [y], allow_unused=True) == (None,)
    (zero,) = lib.autograd.grad(x * 2, [y], materialize_grads=True)
    assert zero.item() == 0.0


def test_zeros_for_unused_inputs_and_an_error_for_them_exclude_each_other(lib):
    x = leaf(lib, 1.0)
    with pytest.raises(ValueError, match="Expected allow_unused to be True or not passed"):
        lib.autograd.grad(x * 2, x, allow_unused=False, materialize_grads=True)


def test_backward_of_unreachable_inputs_runs_nothing(lib):
    ran = []

    class Loud(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            ran.append(grad)
            return grad

    x, y = leaf(lib, 1.0), leaf(lib, 2.0)
    Loud.apply(x).backward(inputs=[y])
    assert lib.autograd.grad(Loud.apply(x), y, allow_unused=True) == (None,)
    assert ran == []
    assert x.grad is None
    assert y.grad is None


def test_backward_with_no_inputs_is_refused(lib):
    with pytest.raises(RuntimeError, match=r"argument to `backward\(\)` cannot be empty"):
        (leaf(lib, 1.0) * 2).backward(inputs=[])


def test_only_the_path_to_the_inputs_runs(lib):
    x, y = leaf(lib, 2.0), leaf(lib, 3.0)
    ran = []
    left, right = x * 2, y * 3
    left.grad_fn.register_prehook(lambda _: ran.append("left"))
    right.grad_fn.register_prehook(lambda _: ran.append("right"))
    (left + right).backward(inputs=[x])
    assert ran == ["left"]
    assert y.grad is None


def test_gradients_of_gradients(lib):
    x = leaf(lib, 2.0)
    (first,) = lib.autograd.grad(x**3, x, create_graph=True)
    (second,) = lib.autograd.grad(first, x, create_graph=True)
    (third,) = lib.autograd.grad(second, x)
    assert values([first, second, third]) == [12.0, 12.0, 6.0]


def test_gradients_with_respect_to_a_seed(lib):
    x, seed = leaf(lib, 2.0), leaf(lib, 1.0)
    (first,) = lib.autograd.grad(x**3, x, seed, create_graph=True)
    (found,) = lib.autograd.grad(first, seed)
    assert found.item() == 12.0


def test_edges_stand_for_tensors(lib):
    x = leaf(lib, 3.0)
    y = x * x
    edges = [lib.autograd.graph.get_gradient_edge(t) for t in (x, y)]
    assert values(lib.autograd.grad(y * 2, edges)) == [12.0, 2.0]


def test_zeros_for_unused_inputs_can_be_differentiated_again(lib):
    x = leaf(lib, 0.5)
    y = x * leaf(lib, 1.0)
    first = lib.autograd.grad(y, x, create_graph=True)
    assert lib.autograd.grad(first, x, create_graph=True, allow_unused=True) == (None,)
    options = {"create_graph": True, "materialize_grads": True}
    second = lib.autograd.grad(first, x, **options)
    assert second[0].requires_grad
    assert values(lib.autograd.grad(second, x, materialize_grads=True)) == [0.0]


def test_there_are_no_zeros_for_an_edge(lib):
    x, y = leaf(lib, 1.0), leaf(lib, 2.0) * 1
    edge = lib.autograd.graph.get_gradient_edge(y)
    with pytest.raises(RuntimeError, match="materialize_grads cannot be used when the given inpu"):
        lib.autograd.grad(x * 2, [x, edge], materialize_grads=True)


def test_edges_may_be_the_inputs_of_backward(lib):
    x = leaf(lib, 3.0)
    y = x * 2
    edges = [lib.autograd.graph.get_gradient_edge(t) for t in (x, y)]
    (y * y).backward(inputs=edges)
    assert x.grad.item() == 24.0


def test_batched_seeds_give_the_rows_of_a_jacobian(lib):
    x = leaf(lib, [1.0, 2.0])
    seeds = plain(lib, [[1.0, 0.0], [0.0, 1.0]])
    (rows,) = lib.autograd.grad(x * x, x, seeds, is_grads_batched=True)
    assert rows.tolist() == [[2.0, 0.0], [0.0, 4.0]]


# A graph used again -----------------------------------------------------------------------------


def test_a_freed_graph_says_so(lib):
    y = leaf(lib, 2.0).exp()
    y.backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.backward()


def test_a_graph_that_saved_nothing_can_run_again(lib):
    x = leaf(lib, 2.0)
    y = x + x - 1
    y.backward()
    y.backward()
    assert x.grad.item() == 4.0


INDEXING = {
    "list": lambda lib, x: x[[0, 1, 0]],
    "mask": lambda lib, x: x[x.detach() > 1],
    "index_select": lambda lib, x: x.index_select(0, lib.tensor([1])),
    "gather": lambda lib, x: x.gather(0, lib.tensor([1])),
    "max": lambda lib, x: x.max(0)[0],
}


@together
@pytest.mark.parametrize("index", INDEXING.values(), ids=INDEXING)
def test_an_index_is_freed_with_everything_else(lib, index):
    x = leaf(lib, [1.0, 2.0])
    y = index(lib, x).sum()
    y.backward(retain_graph=True)
    y.backward(inputs=[x])
    with pytest.raises(RuntimeError, match="Specify retain_graph=True"):
        y.backward()
    again = index(lib, x).sum()
    again.backward()
    with pytest.raises(RuntimeError, match="Specify retain_graph=True"):
        again.backward()


def test_a_place_is_no_index(lib):
    x = leaf(lib, [1.0, 2.0])
    y = x[0] + x[1:].sum()
    y.backward()
    y.backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_retained_graphs_run_again(lib):
    x = leaf(lib, 2.0)
    y = x * x
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.item() == 8.0


def test_create_graph_retains_unless_told_otherwise(lib):
    x = leaf(lib, 2.0)
    y = x * x
    lib.autograd.grad(y, x, create_graph=True)
    lib.autograd.grad(y, x, create_graph=True, retain_graph=False)
    with pytest.raises(RuntimeError, match="second time"):
        lib.autograd.grad(y, x)


def test_only_nodes_that_ran_are_freed(lib):
    x, y = leaf(lib, 2.0), leaf(lib, 3.0)
    left, right = x * x, y * y
    lib.autograd.grad(left + right, x)
    assert lib.autograd.grad(right, y)[0].item() == 6.0
    with pytest.raises(RuntimeError, match="second time"):
        lib.autograd.grad(left, x)


# Shapes and dtypes ------------------------------------------------------------------------------


def test_a_broadcast_operand_gets_a_gradient_of_its_own_shape(lib):
    x, y = leaf(lib, [[1.0], [2.0]]), leaf(lib, [3.0, 4.0, 5.0])
    (x * y).sum().backward()
    assert x.grad.tolist() == [[12.0], [12.0]]
    assert y.grad.tolist() == [3.0, 3.0, 3.0]


def test_a_gradient_is_cast_to_the_dtype_of_its_leaf(lib):
    x = lib.tensor([1.0, 2.0], dtype=lib.float32, requires_grad=True)
    y = leaf(lib, [3.0, 4.0])
    (x * y).backward(plain(lib, [1.0, 1.0]))
    assert x.grad.dtype == lib.float32
    assert y.grad.dtype == lib.float64


# Bad input --------------------------------------------------------------------------------------


def test_backward_of_a_vector_needs_a_gradient(lib):
    x = leaf(lib, [1.0, 2.0])
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar output"):
        (x * 2).backward()
    assert x.grad is None


def test_backward_needs_something_that_requires_grad(lib):
    with pytest.raises(RuntimeError, match="does not require grad and does not have a grad_fn"):
        (plain(lib, 1.0) * 2).backward()
    with pytest.raises(RuntimeError, match="does not require grad and does not have a grad_fn"):
        plain(lib, 1.0).backward()


def test_gradients_with_respect_to_a_constant_are_refused(lib):
    x = leaf(lib, 1.0)
    with pytest.raises(RuntimeError, match="does not require grad"):
        lib.autograd.grad(x * 2, plain(lib, 1.0))


@together
@pytest.mark.parametrize("shape", [[1.0], [1.0, 2.0, 3.0], [[1.0, 2.0]]])
def test_a_seed_of_another_shape_is_refused(lib, shape):
    x = leaf(lib, [1.0, 2.0])
    with pytest.raises(RuntimeError, match="Mismatch in shape: grad_output"):
        (x * 2).backward(plain(lib, shape))
    assert x.grad is None


def test_a_seed_that_is_no_tensor_is_refused(lib):
    with pytest.raises(TypeError, match="gradients can be either Tensors or None, but got"):
        lib.autograd.backward([leaf(lib, 1.0) * 2], [1.0])


def test_the_number_of_seeds_must_fit(lib):
    x = leaf(lib, 1.0)
    with pytest.raises(RuntimeError, match="got 2 tensors and 1 gradients"):
        lib.autograd.backward([x * 2, x * 3], [plain(lib, 1.0)])
    assert x.grad is None


def test_a_seed_too_many_is_refused():
    x = leaf(glassgrad, 1.0)
    with pytest.raises(RuntimeError, match="got 1 tensors and 2 gradients"):
        glassgrad.autograd.backward([x * 2], [plain(glassgrad, 1.0)] * 2)


@together
@pytest.mark.parametrize("outputs", [3.0, "x", None])
def test_roots_that_are_no_tensors_are_refused(outputs):
    with pytest.raises(TypeError, match="expected Tensors or GradientEdges"):
        glassgrad.autograd.backward(outputs)


def test_a_seed_of_another_dtype_is_brought_to_the_outputs(lib):
    x = leaf(lib, [1.0, 2.0])
    seed = plain(lib, [1.0, 2.0])
    (x * 2).backward(seed.long())
    assert str(x.grad.dtype).endswith("float32" if x.dtype == lib.float32 else "float64")
    assert x.grad.tolist() == [2.0, 4.0]


def test_a_seed_that_is_an_array_is_named():
    x = glassgrad.ones(2, 3, requires_grad=True)
    with pytest.raises(TypeError, match="Tensors or None, but got ndarray"):
        (x * 2).backward(np.ones((2, 3)))
    assert x.grad is None
