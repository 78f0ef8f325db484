import numpy as np
import pytest
import torch

from benchmarks.agreement import agree, as_arrays
from checks import together


def test_tensors_arrays_and_numbers_in_nested_tuples_become_arrays():
    outcome = (torch.tensor([1.0, 2.0], requires_grad=True), [np.float32(3.0), 4])
    assert [array.tolist() for array in as_arrays(outcome)] == [[1.0, 2.0], 3.0, 4.0]


def test_outcomes_are_copies():
    source = np.zeros(2)
    (copy,) = as_arrays(source)
    source[0] = 1.0
    assert copy.tolist() == [0.0, 0.0]


def test_a_difference_is_judged_by_the_largest_entry():
    agree([np.array([1e-3, 100.0])], [np.array([0.0, 100.0])], tolerance=1e-4)
    with pytest.raises(ValueError, match=r"array 0 is off by 0\.5 where its largest entry is 100"):
        agree([np.array([0.5, 100.0])], [np.array([0.0, 100.0])], tolerance=1e-4)


@together
@pytest.mark.parametrize(
    ("outcome", "message"),
    [
        ([np.ones(2), np.ones(2)], "got 2 arrays where the baseline has 1"),
        ([np.ones(3)], r"shape \(3,\), the baseline's \(2,\)"),
        ([np.array([1.0, np.nan])], "off by nan"),
    ],
)
def test_other_counts_shapes_and_nan_do_not_agree(outcome, message):
    with pytest.raises(ValueError, match=message):
        agree(outcome, [np.ones(2)], tolerance=1.0)
