"""`out=`: the result of an op, written to a tensor that is there."""

import warnings

import numpy as np
import pytest
import torch

import glassgrad as gg
from both import LIBRARIES
from checks import together
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
    "eq(a,b)",
    "ne(a,a)",
    "lt(a,b)",
    "less_equal(a,0.5)",
    "gt(a,b)",
    "ge(a,b)",
    "addcmul(a,a,b,value=2)",
    "addcdiv(a,a,b)",
    "std(a,0)",
    "var(a)",
    "max(a)",
    "min(a)",
    "diag(a)",
    "outer(a[0],b[0])",
    "renorm(a,2,0,1.0)",
    "where(a>0.5,a,b)",
    "linalg.matrix_power(a,2)",
    "tril(a)",
]


def written(lib, call, out):
    rng = np.random.default_rng(2)
    a, b = [lib.tensor(rng.uniform(0.2, 0.9, (2, 2))) for _ in "ab"]
    return eval(f"lib.{call[:-1]},out=out)", {"lib": lib, "a": a, "b": b, "out": out})


@together
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


@together
@pytest.mark.filterwarnings("ignore:torch.triangular_solve is deprecated")
@pytest.mark.parametrize(
    ("call", "dtypes"),
    [
        ("max(a,0)", "float64 int64"),
        ("min(a,1,True)", "float64 int64"),
        ("median(a,0)", "float64 int64"),
        ("frexp(a)", "float64 int32"),
        ("slogdet(a)", "float64 float64"),
        ("linalg.slogdet(a)", "float64 float64"),
        ("linalg.inv_ex(a)", "float64 int32"),
        ("linalg.solve_ex(a,b)", "float64 int32"),
        ("linalg.cholesky_ex(a@a.T)", "float64 int32"),
        ("linalg.lu_factor(a)", "float64 int32"),
        ("linalg.lu(a)", "float64 float64 float64"),
        ("triangular_solve(a,b)", "float64 float64"),
    ],
)
def test_several_results_are_in_several_tensors(call, dtypes):
    results = []
    for lib in (gg, torch):
        outs = tuple(lib.zeros(0, dtype=getattr(lib, name)) for name in dtypes.split())
        result = written(lib, call, outs)
        assert all(part is out for part, out in zip(result, outs, strict=True))
        results.append([out.tolist() for out in outs])
    for ours, theirs in zip(*results, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("lib", LIBRARIES)
def test_some_ask_for_the_dtype_of_their_result(lib):
    inverses = "linalg.inv(a) linalg.det(a) linalg.solve(a,b) linalg.svdvals(a)"
    for call in f"{inverses} argmax(a) diag(a) renorm(a,2,0,1.0)".split():
        with pytest.raises(RuntimeError, match="Expected out tensor to have dtype"):
            written(lib, call, lib.zeros(0))


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


@together
@pytest.mark.parametrize("lib", LIBRARIES)
@pytest.mark.parametrize(
    "call",
    [
        "take(x, index, out=x)",
        "gather(x, 0, index, out=x)",
        "index_select(x, 0, index, out=x)",
        "take_along_dim(x, index, 0, out=x)",
        "masked_select(x, x > 0, out=x)",
        "cat([x, y], out=x)",
        "cat([x, y], out=memory[1:7])",
        "stack([x, y], out=memory[:6].view(2, 3))",
        "nonzero(index, out=index)",
        "gather(memory.long(), 0, index[1:], out=index[:1])",
    ],
)
def test_what_is_read_at_places_is_not_written(lib, call):
    memory, index = lib.arange(8.0), lib.tensor([2, 0, 1])
    names = {"memory": memory, "index": index, "x": memory[:3], "y": memory[3:6]}
    with pytest.raises(RuntimeError, match="unsupported operation: some elements of the input"):
        eval(f"lib.{call}", {"lib": lib, **names})
    assert memory.tolist() == [*range(8)]
    assert index.tolist() == [2, 0, 1]


@together
@pytest.mark.parametrize("lib", LIBRARIES)
@pytest.mark.parametrize(
    "call",
    [
        "take(x, index, out=wide)",
        "gather(x, 0, index, out=wide)",
        "index_select(x, 0, index, out=wide)",
        "masked_select(x, x > 0, out=wide)",
        "nonzero(index, out=wide)",
        "sort(x, out=(same, wide))",
        "topk(x, 3, out=(same, wide))",
        "kthvalue(x, 3, out=(same, wide))",
        "mode(x, out=(same, wide))",
        "aminmax(x, out=(same, wide))",
        "cummax(x, 0, out=(same, wide))",
        "amax(x, 0, out=wide)",
        "quantile(x, 0.5, out=wide)",
        "searchsorted(x, x, out=wide)",
        "histc(x, 3, out=wide)",
        "multinomial(x, 3, out=wide)",
        "complex(x, x, out=wide)",
    ],
)
def test_what_keeps_its_dtype_is_written_to_no_other(lib, call):
    x, index = lib.tensor([0.3, 0.2, 0.1]), lib.tensor([2, 0, 1])
    names = {"x": x, "index": index, "same": lib.zeros(3), "wide": lib.zeros(1, dtype=lib.float64)}
    with pytest.raises(RuntimeError, match=r"dtype|scalar type|same type|Long"):
        eval(f"lib.{call}", {"lib": lib, **names})
    if lib is gg:  # PyTorch may have written what comes first, or resized it
        assert names["same"].tolist() == [0, 0, 0]
        assert names["wide"].shape == (1,)
