"""`jacrev`, `jacfwd`, `hessian`: shapes, structures, numbers; each test runs on PyTorch too."""

from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

import glassgrad as gg
from both import LIBRARIES, leaf, plain
from checks import together
from glassgrad.func.vmap import BatchLevel

both = pytest.mark.parametrize("lib", LIBRARIES)
each = pytest.mark.parametrize("name", ["jacrev", "jacfwd"])


class Pair(NamedTuple):
    left: Any
    right: Any


A = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def jac(lib, name, *args, **options):
    return getattr(lib.func, name)(*args, **options)


@together
@both
@each
def test_a_jacobian_has_the_shapes_of_output_and_input(lib, name):
    w, x = plain(lib, A), plain(lib, [1.0, -1.0])
    assert jac(lib, name, lambda x: w @ x)(x).tolist() == A.tolist()
    found = jac(lib, name, lambda w: w @ x)(w)
    assert found.shape == (3, 3, 2)
    assert np.array_equal(found.numpy(), np.einsum("ij,k->ijk", np.eye(3), [1.0, -1.0]))


@together
@both
@each
def test_numbers_have_jacobians_without_dims(lib, name):
    assert jac(lib, name, lambda x: x**3)(plain(lib, 2.0)).shape == ()
    assert jac(lib, name, lambda x: x**3)(plain(lib, [2.0])).tolist() == [[12.0]]
    assert jac(lib, name, lambda x: x.sum())(plain(lib, [2.0, 3.0])).tolist() == [1.0, 1.0]


@together
@both
@each
@pytest.mark.parametrize("argnums", [0, 1, -1, (0,), (1, 0), (-1, 0)])
def test_argnums_chooses_the_inputs(lib, name, argnums):
    if lib is torch and name == "jacfwd" and -1 in (argnums, *np.atleast_1d(argnums)):
        return  # PyTorch forgets there that -1 counts from the end
    x, y = plain(lib, [1.0, 2.0]), plain(lib, [3.0, 4.0])
    found = jac(lib, name, lambda x, y: x * y, argnums)(x, y)
    blocks = {0: [[3.0, 0.0], [0.0, 4.0]], 1: [[1.0, 0.0], [0.0, 2.0]]}
    blocks[-1] = blocks[1]
    if isinstance(argnums, tuple):
        assert [block.tolist() for block in found] == [blocks[n] for n in argnums]
    else:
        assert found.tolist() == blocks[argnums]


@together
@both
@each
@pytest.mark.parametrize(
    ("argnums", "text"),
    [((), "must be non-empty"), (2, "only 1 positional inputs"), (-2, "only 1 positional inputs")],
)
def test_argnums_that_mean_no_argument_are_refused(lib, name, argnums, text):
    with pytest.raises(RuntimeError, match=text):
        jac(lib, name, lambda x: x, argnums=argnums)(plain(lib, 1.0))


@both
def test_jacfwd_without_argnums_takes_all(lib):
    (found,) = lib.func.jacfwd(lambda x: x * x, argnums=None)(plain(lib, [1.0, 2.0]))
    assert found.tolist() == [[2.0, 0.0], [0.0, 4.0]]


@together
@both
@each
def test_structures_of_outputs_hold_structures_of_inputs(lib, name):
    x = plain(lib, 2.0)
    found = jac(lib, name, lambda t: {"a": t[0] * t[1]["b"], "c": Pair(t[0], t[0] ** 2)})(
        [x, {"b": x * 5}]
    )
    assert isinstance(found["c"], Pair)
    assert [found["a"][0].item(), found["a"][1]["b"].item()] == [10.0, 2.0]
    assert [found["c"].left[0].item(), found["c"].right[0].item()] == [1.0, 4.0]
    assert found["c"].right[1]["b"].item() == 0.0


@together
@both
@each
def test_outputs_and_inputs_of_several_shapes_share_one_matrix(lib, name):
    x, y = plain(lib, A), plain(lib, [1.0, -1.0])
    found = jac(lib, name, lambda x, y: (x @ y, x.sum(), y * y), (0, 1))(x, y)
    assert [[tuple(b.shape) for b in row] for row in found] == [
        [(3, 3, 2), (3, 2)],
        [(3, 2), (2,)],
        [(2, 3, 2), (2, 2)],
    ]
    assert np.array_equal(found[0][1].numpy(), A)
    assert found[1][0].tolist() == [[1.0, 1.0]] * 3
    assert found[2][1].tolist() == [[2.0, 0.0], [0.0, -2.0]]
    assert not found[2][0].numpy().any()


@together
@both
@each
def test_what_does_not_depend_on_anything_has_jacobian_zero(lib, name):
    x, c = plain(lib, [1.0, 2.0]), plain(lib, [3.0, 4.0, 5.0])
    assert not jac(lib, name, lambda x: c)(x).numpy().any()
    assert jac(lib, name, lambda x, y: x, argnums=1)(x, x).tolist() == [[0.0, 0.0]] * 2


@together
@both
@each
def test_empty_tensors_have_empty_jacobians(lib, name):
    x = plain(lib, [1.0, 2.0, 3.0])
    assert jac(lib, name, lambda x: x[:0])(x).shape == (0, 3)
    assert jac(lib, name, lambda x: x * 2)(x[:0]).shape == (0, 0)


@together
@both
@each
def test_aux_is_handed_on(lib, name):
    x = plain(lib, [1.0, 2.0])
    found, aux = jac(lib, name, lambda x: (x * 2, {"y": x + 1, "z": [x]}), has_aux=True)(x)
    assert found.tolist() == [[2.0, 0.0], [0.0, 2.0]]
    assert (aux["y"].tolist(), aux["z"][0].tolist()) == ([2.0, 3.0], [1.0, 2.0])


@together
@both
@each
def test_other_arguments_are_constants_that_may_be_written(lib, name):
    def f(x, y):
        y.copy_(x * x)
        return y

    x, y = plain(lib, [1.0, 2.0]), plain(lib, [0.0, 0.0])
    assert jac(lib, name, f)(x, y).tolist() == [[2.0, 0.0], [0.0, 4.0]]


@together
@both
@each
def test_jacobians_of_jacobians(lib, name):
    x = plain(lib, [1.0, 2.0])
    found = jac(lib, name, jac(lib, name, lambda x: x[0] ** 2 * x[1]))(x)
    assert found.tolist() == [[4.0, 2.0], [2.0, 0.0]]


@together
@both
@each
def test_jacobians_of_a_batch(lib, name):
    x = plain(lib, A)
    found = lib.vmap(jac(lib, name, lambda x: x * x))(x)
    assert np.array_equal(found.numpy(), np.einsum("ni,ij->nij", 2 * A, np.eye(2)))


@together
@both
@each
def test_the_tape_goes_on_through_jacobians(lib, name):
    x = leaf(lib, [1.0, 2.0])
    jac(lib, name, lambda x: x**3)(x).sum().backward()
    assert x.grad.tolist() == [6.0, 12.0]


# Rows at a time -----------------------------------------------------------------------------------


@together
@both
@pytest.mark.parametrize("chunk_size", [1, 2, 3, 4, 5, 100])
def test_chunks_change_nothing(lib, chunk_size):
    def f(x, y):
        return (x.sin(), x + y), (x + 2, x.sum())

    x, y = plain(lib, A), plain(lib, A[:1])
    expected = lib.func.jacrev(f, (0, 1))(x, y)
    found = lib.func.jacrev(f, (0, 1), chunk_size=chunk_size)(x, y)
    for outer, inner in ((0, 0), (0, 1), (1, 0), (1, 1)):
        for block, other in zip(expected[outer][inner], found[outer][inner], strict=True):
            assert block.tolist() == other.tolist()


@together
@both
@pytest.mark.parametrize("chunk_size", [0, -2])
def test_a_chunk_has_a_row(lib, chunk_size):
    with pytest.raises(ValueError, match="jacrev: `chunk_size` should be greater than 0"):
        lib.func.jacrev(lambda x: x, chunk_size=chunk_size)


def test_rows_one_at_a_time_need_no_vmap(monkeypatch):
    def refuse(*args):
        raise AssertionError("a batch of one")

    monkeypatch.setattr(BatchLevel, "__init__", refuse)
    gg.func.jacrev(lambda x: x * x, chunk_size=1)(gg.tensor([1.0, 2.0]))
    gg.func.jacrev(lambda x: x.sum())(gg.tensor([1.0, 2.0]))


@together
@pytest.mark.parametrize("name", ["jacrev", "jacfwd", "hessian"])
def test_the_function_is_called_once(name):
    calls = []

    def f(x):
        calls.append(1)
        return (x * x).sum()

    jac(gg, name, f)(gg.ones(100))
    assert len(calls) == 1


# What is refused ----------------------------------------------------------------------------------


@together
@both
@each
def test_complex_tensors_are_refused(lib, name):
    x, text = plain(lib, [1.0]), " to be real but received complex tensor at flattened input idx: 0"
    with pytest.raises(RuntimeError, match=f"{name}: Expected all inputs{text}"):
        jac(lib, name, lambda x: x)(lib.tensor([1.0 + 1.0j]))
    with pytest.raises(RuntimeError, match=f"{name}: Expected all outputs{text}"):
        jac(lib, name, lambda x: x * (1.0 + 1.0j))(x)


@together
@both
@each
@pytest.mark.parametrize("output", [None, (), 1, "abc"])
def test_outputs_are_tensors(lib, name, output):
    text = "(vjp|jvp).+: [Ee]xpected f.* (non-empty output|return only tensors)"
    with pytest.raises(RuntimeError, match=text):
        jac(lib, name, lambda x: output)(plain(lib, 1.0))


@together
@both
@each
def test_inputs_are_tensors_with_fractions(lib, name):
    with pytest.raises((RuntimeError, ValueError), match="floating point"):
        jac(lib, name, lambda x: x * 1.0)(lib.tensor([1, 2]))


def test_numbers_are_no_inputs():
    with pytest.raises(RuntimeError, match="Expected primals to only contain Tensors, got"):
        gg.func.jacfwd(lambda x: x)(1.0)
    with pytest.raises(ValueError, match="Thing passed to transform API must be Tensor"):
        gg.func.jacrev(lambda x: x)(1.0)


@both
def test_jacfwd_asks_what_random_functions_shall_do(lib):
    x = plain(lib, [1.0, 2.0])
    with pytest.raises(RuntimeError, match="randomness error mode"):
        lib.func.jacfwd(lambda x: x * lib.rand(2))(x)
    for randomness in ("different", "same"):
        found = lib.func.jacfwd(lambda x: x * lib.rand(2), randomness=randomness)(x)
        assert found.shape == (2, 2)
    assert lib.func.jacrev(lambda x: x * lib.rand(2))(x).shape == (2, 2)


# Hessians -----------------------------------------------------------------------------------------


@both
def test_a_hessian_holds_all_second_derivatives(lib):
    found = lib.func.hessian(lambda x: x[0] ** 3 * x[1])(plain(lib, [2.0, 5.0]))
    assert found.tolist() == [[60.0, 12.0], [12.0, 0.0]]


@both
def test_a_hessian_of_several_arguments_has_blocks(lib):
    x, y = plain(lib, [1.0, 2.0]), plain(lib, [3.0])
    found = lib.func.hessian(lambda x, y: (x * x * y).sum(), (0, 1))(x, y)
    assert found[0][0].tolist() == [[6.0, 0.0], [0.0, 6.0]]
    assert found[0][1].tolist() == [[2.0], [4.0]]
    assert found[1][0].tolist() == [[2.0, 4.0]]
    assert found[1][1].tolist() == [[0.0]]


@both
def test_a_hessian_of_a_vector_has_its_dim_in_front(lib):
    found = lib.func.hessian(lambda x: x**3)(plain(lib, [1.0, 2.0]))
    assert found.tolist() == [[[6.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 12.0]]]
