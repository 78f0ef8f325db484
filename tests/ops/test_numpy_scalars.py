"""NumPy's scalars in the place of Python's numbers: as in PyTorch, they are the same numbers."""

import numpy as np
import pytest
import torch

import glassgrad as gg
from both import leaf
from checks import together
from glassgrad.ops._declaring import guarded
from opcase import as_list
from opcases import SAMPLES, rows

KINDS = {int: (np.int64, np.uint8), float: (np.float64, np.float32)}
WITH_NUMBERS = [
    (case, given) for case, given in SAMPLES if any(type(v) in KINDS for v in given.params.values())
]


def played(case, function, arrays, given, **params):
    """The results and gradients of a row, with some of its parameters replaced."""
    inputs = [gg.tensor(array) for array in arrays]
    leaves = [x.requires_grad_() for x, s in zip(inputs, given.inputs, strict=True) if s.is_leaf]
    results = as_list(case.call(function, *inputs, **{**given.params, **params}))
    roots = [y for y in results if y.requires_grad]
    seeds = [gg.ones_like(y) for y in roots]
    grads = gg.autograd.grad(roots, leaves, seeds, allow_unused=True) if roots else ()
    return [y.detach().numpy() for y in (*results, *grads) if y is not None]


@together
@rows(WITH_NUMBERS)
def test_parameter_may_be_a_scalar_of_numpy(case, given):
    arrays = case.arrays(given, np.float32)
    function = guarded(case.op)
    wanted = played(case, function, arrays, given)
    for name, value in given.params.items():
        for kind in KINDS.get(type(value), ()):
            if kind is np.uint8 and value < 0:
                continue
            found = played(case, function, arrays, given, **{name: kind(value)})
            for mine, its in zip(found, wanted, strict=True):
                assert mine.dtype == its.dtype
                np.testing.assert_allclose(mine, its, rtol=1e-3, atol=1e-5)


CALLS = """
    x + f(2)
    f(2) + x
    f(2) - x
    x * f(2)
    f(2) / x
    f(2) ** x
    x % f(2)
    x > f(0)
    x[0] * f(2)
    f(2) * x[0]
    k + f(2)
    k / f(2)
    k + i(2)
    i(2) * k
    k << i(1)
    b + i(2)
    b[0] + i(2)
    i(2) * b[0]
    h * f(2)
    f(2) * h
    x.add_(f(2))
    x.fill_(f(2))
    x.clamp(f(0))
    x.clip(f(0), f(1))
    k.clamp(min=f(.5))
    k.clamp(f(.5), f(2))
    m.full((2, ), f(2))
    m.full((2, ), i(2))
    x.round(decimals=i(1))
    x.as_strided((i(2), ), (i(1), ), i(1))
    m.where(x>0, f(2), f(1))
    m.add(x, x, alpha=f(2))
    m.arange(f(0), f(1), f(.5))
    m.nn.LeakyReLU(f(.5))(x)
    m.nn.MaxPool1d(i(2), i(1))(x[None])
    m.nn.LayerNorm(i(3), eps=f(.5))(x)
    m.nn.BatchNorm1d(i(3), f(.5))(m.stack([x, -x]))
    m.tensor(f(2))
    m.as_tensor(f(2))
    x.new_full((i(2), ), f(2))
"""


@together
@pytest.mark.parametrize("kinds", [(np.float64, np.int64), (np.float32, np.int32)])
@pytest.mark.parametrize("call", CALLS.strip().splitlines())
def test_scalar_of_numpy_is_the_number_that_it_is_in_pytorch(call, kinds):
    ours, theirs = [
        eval(
            call.strip(),
            {
                "m": m,
                "f": kinds[0],
                "i": kinds[1],
                "x": m.tensor([-1.25, 2.0, 3.0]),
                "h": m.tensor([1.0, 2.0], dtype=m.float16),
                "k": m.tensor([1, 2, 3]),
                "b": m.tensor([250, 2], dtype=m.uint8),
            },
        )
        .detach()
        .numpy()
        for m in (gg, torch)
    ]
    assert ours.dtype == theirs.dtype
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)


@pytest.mark.parametrize("m", [gg, torch])
def test_learning_rate_may_be_a_scalar_of_numpy(m):
    p = leaf(m, [1.0, 2.0])
    optimizer = m.optim.SGD([p], lr=np.float32(0.5), momentum=np.float32(0.5))
    (p * p).sum().backward()
    optimizer.step()
    assert p.tolist() == [0.0, 0.0]
