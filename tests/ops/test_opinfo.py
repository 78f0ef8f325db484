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
    "special.log_ndtr": ROUNDED,
    "topk": TIES,
}
"""Why an operator is not what it is in PyTorch."""

SHARED = "the memory that `out` shares with an operand is not shared by their copies here"
NOT_REFUSED = {
    "aminmax": "a result is written to an `out` that can hold it",
    "bernoulli": "it takes no `out`",
    "cat": SHARED,
    "complex": "a result is written to an `out` that can hold it",
    "gather": SHARED,
    "index_add": "the dims are compared before the shapes",
    "index_select": SHARED,
    "linspace": "ends that are no numbers are refused as arguments of a wrong type",
    "linspace#tensor_overload": "ends that are no numbers are refused as arguments of a wrong type",
    "masked_fill": "a 0-d tensor is converted, as a number is not",
    "masked_select": SHARED,
    "multinomial": "a result is written to an `out` that can hold it",
    "narrow": "a start of one element is a number, whatever its shape",
    "take": SHARED,
}
"""Why a call is accepted here that PyTorch refuses, or refused by an error of another class."""


@pytest.mark.parametrize("name", NAMES)
def test_operator_is_what_it_is_in_pytorch(name):
    complaints = {str(dtype): found for dtype in dtypes_of(name) if (found := play(name, dtype))}
    assert bool(complaints) == (name in NOT_RIGHT), complaints


@pytest.mark.parametrize("name", NAMES)
def test_calls_are_refused_that_pytorch_refuses(name):
    accepted = play_errors(name)
    assert bool(accepted) == (name in NOT_REFUSED), accepted
