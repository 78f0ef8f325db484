"""`CliqueTensorStep` under `vmap` of no examples: the shapes of one, whatever is mapped over."""

import pytest

import glassgrad as gg
from checks import together
from glassgrad import func
from glassgrad.trajectory import (
    CliqueTensorStep,
    TensorDeviceType,
    build_fd_matrix,
    build_start_state_mask,
)

NAMES = ("u_act", "start_position", "mask", "n_mask", "fd_1", "fd_2", "fd_3")


def arguments():
    fds = [build_fd_matrix(5, order=k, SHIFT=True) for k in (1, 2, 3)]
    masks = build_start_state_mask(5, TensorDeviceType())
    return [gg.ones(2, 5, 3), gg.zeros(2, 3), *masks, *fds]


def loss(*given):
    return sum((x * x).sum() for x in CliqueTensorStep.apply(*given))


@together
@pytest.mark.parametrize("at", range(7), ids=NAMES)
@pytest.mark.parametrize("dim", [0, -1])
def test_results_and_gradients_have_the_shapes_of_one_example(at, dim):
    given, dims = arguments(), [None] * 7
    given[at] = given[at].unsqueeze(dim).movedim(dim, 0)[:0].movedim(0, dim)
    dims[at] = dim
    outputs = func.vmap(CliqueTensorStep.apply, tuple(dims))(*given)
    assert [x.shape for x in outputs] == [(0, 2, 5, 3)] * 4
    assert func.vmap(func.grad(loss), tuple(dims))(*given).shape == (0, 2, 5, 3)


def test_all_matrices_mapped_and_no_example():
    given = [x.unsqueeze(0)[:0] for x in arguments()]
    assert func.vmap(CliqueTensorStep.apply)(*given)[3].shape == (0, 2, 5, 3)
