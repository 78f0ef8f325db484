"""`out=`: the result of an op, written to a tensor that is there."""

import warnings

import numpy as np
import pytest
import torch

import glassgrad as gg
from both import LIBRARIES
from glassgrad.core.errors import ArgumentTypeError, DTypeError, GraphError

CALLS = [
    "add(a,b)",
    "add(a,1,alpha=2)",
    "sub(a,b)",
    "mul(a,b)",
    "div(a,2)",
    "neg(a)",
    "abs(a)",
    "pow(a,2)",
    "reciprocal(a)",
    "exp(a)",
    "log(a)",
    "sqrt(a)",
    "sin(a)",
    "cos(a)",
    "tanh(a)",
    "sigmoid(a)",
    "maximum(a,b)",
    "minimum(a,b)",
    "clamp(a,0.3,0.6)",
    "sum(a,0)",
    "mean(a,1,True)",
    "prod(a,0)",
    "cumsum(a,0)",
    "cumprod(a,1)",
    "amax(a,0)",
    "amin(a,1)",
    "mm(a,b)",
    "matmul(a,b)",
    "mv(a,b[0])",
    "dot(a[0],b[0])",
    "bmm(a[None],b[None])",
    "cat([a,b])",
    "stack([a,b])",
]


def written(lib, call, out):
    rng = np.random.default_rng(2)
    a, b = [lib.tensor(rng.uniform(0.2, 0.9, (2, 2))) for _ in "ab"]
    return eval(f"lib.{call[:-1]},out=out)", {"lib": lib, "a": a, "b": b, "out": out})


@pytest.mark.parametrize("call", CALLS)
def test_the_result_is_in_the_given_memory(call):
    out = gg.zeros(0, dtype=gg.float64)
    assert written(gg, call, out) is out
    expected = written(torch, call, torch.zeros(0, dtype=torch.float64))
    np.testing.assert_allclose(out.numpy(), expected.numpy(), rtol=1e-12)
    assert out._version == expected._version == 1
    again, array = gg.zeros_like(out), None
    array = again.numpy()
    written(gg, call, again)
    assert again.numpy() is array


@pytest.mark.parametrize("lib", LIBRARIES)
def test_nothing_may_be_recorded(lib):
    x, out = lib.ones(2, requires_grad=True), lib.zeros(2)
    with pytest.raises(RuntimeError, match=r"mul\(\): functions with out=... arguments don't"):
        lib.mul(x, x, out=out)
    with pytest.raises(RuntimeError, match="but one of the arguments requires grad"):
        lib.cat([out, x], out=out)
    with pytest.raises(RuntimeError, match="out="):
        lib.mul(out, out, out=x)
    with lib.no_grad():
        lib.mul(x, 3, out=out)
    assert out.tolist() == [3, 3]


@pytest.mark.parametrize("lib", LIBRARIES)
def test_a_tensor_of_another_shape_is_resized_with_a_warning(lib):
    x, out = lib.ones(2), lib.zeros(3)
    with pytest.warns(UserWarning, match=r"An output with one or more elements was resized"):
        lib.mul(x, 3, out=out)
    assert out.tolist() == [3, 3]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lib.mul(x, 3, out=lib.zeros(0))


@pytest.mark.parametrize("lib", LIBRARIES)
def test_its_dtype_can_be_wider_but_not_of_a_lower_kind(lib):
    x = lib.ones(2)
    assert lib.mul(x, 3, out=lib.zeros(2, dtype=lib.float64)).tolist() == [3, 3]
    with pytest.raises(RuntimeError, match="can't be cast to the desired output type"):
        lib.mul(x, 3, out=lib.zeros(2, dtype=lib.int64))


def test_errors_are_ours():
    x = gg.ones(2)
    with pytest.raises(ArgumentTypeError, match="argument 'out' must be Tensor, not int"):
        gg.mul(x, x, out=3)
    with pytest.raises(DTypeError):
        gg.exp(x, out=gg.zeros(2, dtype=gg.int64))
    with gg.inference_mode():
        inside = gg.zeros(2)
    with pytest.raises(GraphError, match="Inplace update to inference tensor outside"):
        gg.mul(x, x, out=inside)
    with pytest.raises(GraphError, match="more than one element of the written-to tensor"):
        gg.mul(x, x, out=gg.zeros(1).expand(2))
