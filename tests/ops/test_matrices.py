"""Decompositions and solvers of complex matrices, of stacks, and where PyTorch is careful."""

import numpy as np
import pytest
import torch

import glassgrad as gg
from both import LIBRARIES
from checks import together

RNG = np.random.default_rng(0)


def numbers(*shape):
    return RNG.standard_normal(shape) + 1j * RNG.standard_normal(shape)


SQUARE, STACK, TALL, WIDE = numbers(3, 3), numbers(2, 3, 3), numbers(4, 2), numbers(2, 4)
SIDE = numbers(3, 2)


def hermitian(x):
    return x + x.mH


def definite(m, x):
    return x @ x.mH + m.eye(x.shape[-1], dtype=x.dtype)


def both_parts(values, vectors):
    """What does not depend on the phases of vectors."""
    return values.abs().sum() + (vectors.abs() ** 3).sum()


PROGRAMS = {
    "cholesky": (SQUARE, lambda m, x: m.linalg.cholesky(definite(m, x))),
    "cholesky upper": (STACK, lambda m, x: m.linalg.cholesky(definite(m, x), upper=True)),
    "qr": (TALL, lambda m, x: m.linalg.qr(x)[0].abs() + m.linalg.qr(x)[1].abs().sum()),
    "qr of more columns": (WIDE, lambda m, x: m.linalg.qr(x)[1].abs()),
    "eigh": (SQUARE, lambda m, x: both_parts(*m.linalg.eigh(hermitian(x)))),
    "eig": (SQUARE, lambda m, x: both_parts(*m.linalg.eig(x))),
    "eig of real numbers": (STACK.real, lambda m, x: both_parts(*m.linalg.eig(x))),
    "eigvals": (STACK, lambda m, x: m.linalg.eigvals(x).abs()),
    "svd": (TALL, lambda m, x: both_parts(*m.linalg.svd(x, False)[:2][::-1])),
    "svd of more columns": (WIDE, lambda m, x: both_parts(*m.linalg.svd(x, False)[1:])),
    "svd, all vectors": (SQUARE, lambda m, x: both_parts(*m.linalg.svd(x)[1:])),
    "svdvals": (STACK, lambda m, x: m.linalg.svdvals(x)),
    "lu": (TALL, lambda m, x: m.linalg.lu(x)[1] + m.linalg.lu(x)[2].sum()),
    "lu of more columns": (WIDE, lambda m, x: m.linalg.lu(x)[2]),
    "inv": (STACK, lambda m, x: m.linalg.inv(x)),
    "solve": (SQUARE, lambda m, x: m.linalg.solve(x, m.tensor(SIDE))),
    "solve from the right": (
        SQUARE,
        lambda m, x: m.linalg.solve(x, m.tensor(SIDE).mT, left=False),
    ),
    "det": (STACK, lambda m, x: m.linalg.det(x)),
    "slogdet": (STACK, lambda m, x: m.linalg.slogdet(x)[0] * m.linalg.slogdet(x)[1]),
    "pinv": (TALL, lambda m, x: m.linalg.pinv(x)),
    "matrix_exp": (SQUARE, lambda m, x: m.linalg.matrix_exp(x / 3)),
    "vector_norm": (STACK, lambda m, x: m.linalg.vector_norm(x, 3, dim=-1)),
    "nuclear norm": (STACK, lambda m, x: m.linalg.matrix_norm(x, "nuc")),
    "lstsq": (TALL, lambda m, x: m.linalg.lstsq(x, m.tensor(TALL.conj())).solution),
}


def gradients(m, numbers, program):
    """The first gradient of a program, and that of the square of its length."""
    x = m.tensor(numbers, requires_grad=True)
    out = program(m, x)
    seed = (
        np.random.default_rng(1)
        .uniform(0.5, 1.5, tuple(out.shape))
        .astype(str(out.dtype).rpartition(".")[2])
    )
    (first,) = m.autograd.grad(out, x, m.tensor(seed), create_graph=True)
    (second,) = m.autograd.grad(first.abs().square().sum(), x)
    return [np.asarray(g.detach().tolist()) for g in (first, second)]


@together
@pytest.mark.parametrize("name", PROGRAMS)
def test_first_and_second_gradients_are_pytorchs(name):
    ours, theirs = [gradients(m, *PROGRAMS[name]) for m in (gg, torch)]
    for got, want in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-8, atol=1e-9)


@together
@pytest.mark.parametrize("name", PROGRAMS)
def test_tangents_of_complex_numbers_are_pytorchs(name):
    numbers, program = PROGRAMS[name]
    found = []
    for m in (gg, torch):
        x, direction = m.tensor(numbers), m.tensor(numbers[..., ::-1].copy())
        _, moved = m.func.jvp(lambda x, m=m: program(m, x), (x,), (direction,))
        found.append(np.asarray(moved.tolist()))
    np.testing.assert_allclose(*found, rtol=1e-8, atol=1e-9)


@together
@pytest.mark.parametrize("m", LIBRARIES)
@pytest.mark.parametrize("name", ["eig", "eigh", "svd"])
def test_a_loss_that_depends_on_a_phase_has_no_gradient(m, name):
    x = m.tensor(hermitian(torch.tensor(SQUARE)).numpy(), requires_grad=True)
    vectors = max(getattr(m.linalg, name)(x), key=lambda part: part.ndim)
    loss = (vectors[0] * m.tensor(SIDE[:, 0])).sum().abs() + (vectors * 1j).sum().abs()
    with pytest.raises(RuntimeError, match="specified up to"):
        m.autograd.grad(loss, x)


def test_second_gradients_of_vectors_do_not_ask_for_phases():
    x = gg.tensor(SQUARE, requires_grad=True)
    loss = (gg.linalg.eig(x).eigenvectors.abs() ** 3).sum()
    (first,) = gg.autograd.grad(loss, x, create_graph=True)
    first.abs().sum().backward()
    assert np.isfinite(x.grad.numpy()).all()


@pytest.mark.parametrize("m", LIBRARIES)
def test_the_gradient_of_the_determinant_of_a_singular_matrix_is_its_cofactors(m):
    x = m.tensor([[1.0, 2.0], [2.0, 4.0]], dtype=m.float64, requires_grad=True)
    (grad,) = m.autograd.grad(m.linalg.det(x), x, create_graph=True)  # without, PyTorch's is 0
    np.testing.assert_allclose(grad.detach().numpy(), [[4, -2], [-2, 1]])


ZEROS, NEGATIVE = np.zeros((2, 2)), -np.ones((3, 2, 2))
REFUSED = {
    "inv": lambda m: m.linalg.inv(m.tensor(ZEROS)),
    "inv of a stack": lambda m: m.linalg.inv(m.tensor(np.stack([np.eye(2), ZEROS]))),
    "solve": lambda m: m.linalg.solve(m.tensor(ZEROS), m.tensor(ZEROS)),
    "cholesky": lambda m: m.linalg.cholesky(m.tensor(NEGATIVE)),
    "lu_factor": lambda m: m.linalg.lu_factor(m.tensor(ZEROS)),
    "inv_ex": lambda m: m.linalg.inv_ex(m.tensor(ZEROS), check_errors=True),
    "cholesky_ex": lambda m: m.linalg.cholesky_ex(m.tensor(NEGATIVE), check_errors=True),
}


@together
@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_solution_is_refused_in_pytorchs_words(name):
    with pytest.raises(RuntimeError) as theirs:
        REFUSED[name](torch)
    with pytest.raises(gg.linalg.LinAlgError) as ours:
        REFUSED[name](gg)
    said = str(theirs.value).splitlines()[0].replace("_ex:", ":")
    assert str(ours.value).startswith(said)


@pytest.mark.parametrize("m", LIBRARIES)
def test_the_other_matrices_of_a_stack_are_done_where_one_is_singular(m):
    stack = m.tensor(np.stack([2 * np.eye(2), ZEROS]))
    inverse, info = m.linalg.inv_ex(stack)
    assert info.tolist() == [0, 1]
    assert inverse[0].tolist() == [[0.5, 0], [0, 0.5]]
    assert not np.isfinite(inverse[1].numpy()).all()
    factor, info = m.linalg.cholesky_ex(m.tensor(np.stack([4 * np.eye(2), -np.eye(2)])))
    assert info.tolist() == [0, 1]
    assert factor[0].tolist() == [[2, 0], [0, 2]]
    assert info.dtype == m.int32


@pytest.mark.parametrize("m", LIBRARIES)
def test_several_results_come_as_a_named_tuple(m):
    found = m.linalg.svd(m.tensor([[3.0, 0.0], [0.0, 4.0]]))
    assert (found._fields if m is gg else ("U", "S", "Vh")) == ("U", "S", "Vh")
    assert "return_types.linalg_svd(\nU=tensor(" in repr(found)


@pytest.mark.parametrize("m", LIBRARIES)
def test_gradients_of_norms_at_zero_are_zero(m):
    for order in (1, 2, 3, 0.5, float("inf")):
        x = m.zeros(3, requires_grad=True)
        m.linalg.vector_norm(x, order).backward()
        assert x.grad.tolist() == [0, 0, 0]


@together
@pytest.mark.parametrize("m", LIBRARIES)
@pytest.mark.parametrize("shape", [(0, 0), (2, 0, 0), (0, 3), (3, 0)])
def test_of_empty_matrices_there_are_empty_results(m, shape):
    x = m.zeros(shape, dtype=m.float64)
    assert tuple(m.linalg.svdvals(x).shape) == (*shape[:-2], 0)
    assert tuple(m.linalg.qr(x).R.shape) == (*shape[:-2], min(shape[-2:]), shape[-1])
    assert tuple(m.linalg.pinv(x).shape) == (*shape[:-2], shape[-1], shape[-2])
    assert tuple(m.linalg.lu(x).P.shape) == (*shape[:-2], shape[-2], shape[-2])
    assert m.linalg.matrix_rank(x).tolist() in (0, [0, 0])
    if shape[-1] == shape[-2]:
        assert m.linalg.det(x).tolist() in (1.0, [1.0, 1.0])
        assert m.linalg.inv(x).shape == m.linalg.matrix_exp(x).shape == x.shape
        assert m.linalg.eigvals(x).shape == m.linalg.eigvalsh(x).shape == x.shape[:-1]


@pytest.mark.parametrize("m", LIBRARIES)
def test_matrices_with_nan_have_no_singular_values(m):
    with pytest.raises(RuntimeError, match="contained non-finite values"):
        m.linalg.svd(m.tensor([[float("nan")]]))


@pytest.mark.parametrize("m", LIBRARIES)
def test_the_condition_of_a_singular_matrix_is_inf(m):
    assert m.linalg.cond(m.tensor(np.stack([ZEROS, np.eye(2)])), 1).tolist() == [np.inf, 1]


@pytest.mark.parametrize("m", LIBRARIES)
def test_the_largest_number_of_an_empty_matrix_is_zero_and_it_has_no_smallest(m):
    empty = m.zeros(2, 0, 3)
    for order in (1, 2, float("inf"), "nuc"):
        assert m.linalg.matrix_norm(empty, order).abs().sum() == 0
        assert m.linalg.cond(empty[..., :0], order).tolist() == [0, 0]
    with pytest.raises(IndexError, match="non-zero size"):
        m.linalg.matrix_norm(empty, -2)


@pytest.mark.parametrize("m", LIBRARIES)
def test_what_is_not_looked_at_does_not_count(m):
    x = m.tensor([[4.0, np.nan], [2.0, 5.0]], dtype=m.float64)
    assert m.linalg.cholesky(x).tolist() == [[2, 0], [1, 2]]
    assert m.linalg.eigvalsh(x).isfinite().all()
    assert m.linalg.solve_triangular(x, m.ones(2, 1, dtype=m.float64), upper=False).isfinite().all()
    assert m.addmm(x, m.eye(2, dtype=m.float64), x.tril(), beta=0).tolist() == [[4, 0], [2, 5]]


@pytest.mark.parametrize("m", LIBRARIES)
def test_powers_of_whole_numbers_stay_whole(m):
    x = m.tensor([[1, 2], [3, 4]])
    assert m.linalg.matrix_power(x, 3).tolist() == [[37, 54], [81, 118]]
    assert m.linalg.multi_dot([x, x, x[0]]).tolist() == (x @ (x @ x[0])).tolist()
    with pytest.raises(RuntimeError, match="expected at least 2 tensors but got 1"):
        m.linalg.multi_dot([x])
    assert m.linalg.vander(x[0], N=3).tolist() == [[1, 1, 1], [1, 2, 4]]
    assert m.addmm(x, x, x, alpha=2, beta=3).tolist() == [[17, 26], [39, 56]]


@pytest.mark.parametrize("m", LIBRARIES)
def test_many_points_have_the_distances_of_few(m):
    x, y = m.tensor(TALL.real), m.tensor(np.tile(TALL.real, (10, 1)))
    near = m.cdist(x, y[:4])
    np.testing.assert_allclose(m.cdist(x, y)[:, :4].numpy(), near.numpy(), atol=1e-7)
    assert m.cdist(x, x).diagonal().tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("driver", ["gelsy", "gelsd"])
def test_lstsq_leaves_out_small_singular_values(driver):
    a, b = [[1.0, 0.0], [0.0, 0.01], [0.0, 0.0]], [[1.0], [1.0], [0.0]]
    ours, theirs = (
        lib.linalg.lstsq(lib.tensor(a), lib.tensor(b), rcond=0.1, driver=driver)
        for lib in (gg, torch)
    )
    assert ours.rank.tolist() == theirs.rank.tolist() == 1
    assert ours.solution.tolist() == [[1.0], [0.0]]


PACKED = np.sin(np.arange(24.0) ** 2).reshape(2, 4, 3)
SYMMETRIC = PACKED[:, :3] + PACKED[:, :3].swapaxes(-1, -2)


def reflections(lib):
    a, tau = lib.geqrf(lib.tensor(PACKED))
    other = lib.arange(32.0, dtype=lib.float64).reshape(2, 4, 4)
    products = [lib.ormqr(a, tau, other, left, t) for left in (True, False) for t in (True, False)]
    return [a, tau, *products, lib.geqrf(lib.zeros(0, 3, 2)).tau]


def symmetric_factors(lib):
    x = lib.tensor(SYMMETRIC)
    LD, pivots = lib.linalg.ldl_factor(x)
    found = lib.linalg.ldl_solve(LD, pivots, lib.tensor(PACKED[0, :3, :2]))
    info = lib.linalg.ldl_factor_ex(x).info
    hermitian = lib.linalg.ldl_factor(x + 1j * (x.tril() - x.triu()), hermitian=True)
    return [LD, pivots, found, info, hermitian.LD]


@pytest.mark.parametrize("call", [reflections, symmetric_factors])
def test_factors_are_packed_as_pytorchs(call):
    for mine, its in zip(call(gg), call(torch), strict=True):
        assert mine.numpy().dtype == its.numpy().dtype
        np.testing.assert_allclose(mine.numpy(), its.numpy(), atol=1e-12)


def test_packed_factors_have_no_gradient(lib):
    x = lib.tensor(SYMMETRIC[0], requires_grad=True)
    for factors in (lib.geqrf(x)[0], lib.linalg.ldl_factor(x).LD):
        with pytest.raises(RuntimeError, match=r"derivative for .* is not implemented"):
            factors.sum().backward()


def test_the_largest_singular_values_are_found_by_random_directions(lib):
    basis = lib.linalg.qr(lib.arange(24.0).reshape(6, 4).sin().double())[0]
    x = (basis * lib.tensor([8.0, 4.0, 2.0, 1.0])).requires_grad_()
    for matrix in (x, x.mT):
        u, s, v = lib.svd_lowrank(matrix, q=4)
        assert s.tolist() == pytest.approx([8, 4, 2, 1])
        assert lib.allclose(u @ s.diag() @ v.mT, matrix)
    s.sum().backward()
    assert lib.allclose(x.grad.norm(dim=0), lib.ones(4).double())
    directions = lib.pca_lowrank(x.detach() + 5)[2]
    centred = x.detach() - x.detach().mean(0)
    assert lib.allclose(directions.abs(), lib.linalg.svd(centred, False).Vh.mT.abs())
    assert lib.svd_lowrank(x.detach(), 1, M=x.detach())[1].item() == 0
    with pytest.raises(ValueError, match=r"q\(=5\) must be non-negative integer and not greater t"):
        lib.pca_lowrank(x, q=5)
    with pytest.raises(ValueError, match=r"niter\(=-1\) must be non-negative integer"):
        lib.pca_lowrank(x, niter=-1)
    with pytest.raises(IndexError, match="Dimension out of range"):
        x.size(2)
