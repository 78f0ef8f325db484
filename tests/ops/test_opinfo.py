"""Every operator that real programs use, on the samples of PyTorch's own operator database."""

import pytest

pytest.importorskip("expecttest")  # what PyTorch's database is made with

from opinfo import NAMES, dtypes_of, play, play_errors

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

TIES = "PyTorch's order of equal elements is that of its algorithm, unless it is to be stable"
ROUNDED = "PyTorch's float32 is further from its float64 than ours"
IN_PLACE = "running statistics cannot be written inside of vmap, in PyTorch neither"
NOT_RIGHT = {
    "argsort": TIES,
    "as_strided#partial_views": "its tangents and batches would be of memory beyond the tensor",
    "cov": "weights of float32 give the second gradient their digits",
    "linalg.lstsq": "the rank, a decision by values, is asked for inside of vmap",
    "logcumsumexp": ROUNDED,
    "matrix_exp": ROUNDED,
    "mode": TIES,
    "nn.functional.batch_norm": IN_PLACE,
    "nn.functional.instance_norm": IN_PLACE,
    "sort": TIES,
    "topk": TIES,
}
"""Why an operator is not what it is in PyTorch."""

BY_PROCESSOR = {"copysign": "float32", "linspace": "int64", "special.log_ndtr": "float32"}
"""Operators that PyTorch's own code rounds in one dtype as the processor lets it."""


@pytest.mark.parametrize("name", NAMES)
def test_operator_is_what_it_is_in_pytorch(name):
    complaints = {str(dtype): found for dtype in dtypes_of(name) if (found := play(name, dtype))}
    complaints.pop(f"torch.{BY_PROCESSOR.get(name)}", None)
    assert bool(complaints) == (name in NOT_RIGHT), complaints


@pytest.mark.parametrize("name", NAMES)
def test_calls_are_refused_that_pytorch_refuses(name):
    assert not play_errors(name)
