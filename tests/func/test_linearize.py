"""`linearize` inside of other transforms; of every op: in test_rules.py."""

import pytest

import glassgrad as gg
from both import LIBRARIES, plain
from checks import together
from glassgrad.func import grad, jvp, linearize, vjp, vmap

X = gg.tensor([1.0, 2.0, 3.0], dtype=gg.float64)


def cubes(x):
    return (x**3).sum()


def slope(x):
    return linearize(cubes, x)[1](x)


@together
@pytest.mark.parametrize("around", ["grad", "jvp", "vjp", "linearize"])
def test_linear_maps_can_be_differentiated(around):
    # 3·Σx³, moved by x
    if around == "grad":
        assert grad(slope)(X).tolist() == [9.0, 36.0, 81.0]
    elif around == "jvp":
        assert jvp(slope, (X,), (X,))[1].item() == 9.0 * 36.0
    elif around == "vjp":
        assert vjp(slope, X)[1](gg.tensor(1.0))[0].tolist() == [9.0, 36.0, 81.0]
    else:
        assert linearize(slope, X)[1](X).item() == 9.0 * 36.0


def test_linear_maps_are_differentiable_in_the_tangent():
    _, push = linearize(cubes, X)
    assert grad(push)(X).tolist() == [3.0, 12.0, 27.0]


def test_linear_maps_can_be_mapped():
    batch = gg.stack([X, X * 2])
    assert vmap(slope)(batch).tolist() == [108.0, 864.0]
    _, push = linearize(lambda x: x * x, X)
    assert vmap(push)(batch).tolist() == [[2.0, 8.0, 18.0], [4.0, 16.0, 36.0]]


def test_what_depends_on_the_primals_alone_is_computed_once():
    calls = []

    def f(x):
        calls.append(x)
        return x.sin()

    _, push = linearize(f, X)
    for _ in range(3):
        push(X)
    assert len(calls) == 1


def test_a_linear_map_knows_the_tape():
    x = gg.tensor(2.0, requires_grad=True)
    y, push = linearize(lambda x: x**3, x)
    (y + push(gg.tensor(10.0))).backward()
    assert x.grad.item() == 12.0 + 120.0


NOT_MOVING = [
    (lambda x: x.long(), [0, 0, 0]),
    (lambda x: {"signs": x > 0}, {"signs": [False] * 3}),
    (lambda x: "no tensor", "no tensor"),
    (lambda x: (), ()),
]


@together
@pytest.mark.filterwarnings("ignore:Attempted to insert a get_attr Node")  # torch's linearize
@pytest.mark.parametrize("lib", LIBRARIES)
@pytest.mark.parametrize(("func", "moved"), NOT_MOVING)
def test_what_cannot_move_has_a_linear_map_too(lib, func, moved):
    x = plain(lib, [1.0, -2.0, 3.0])
    _, push = lib.func.linearize(func, x)
    found = push(x)
    if isinstance(found, dict):
        assert found["signs"].tolist() == moved["signs"]
    else:
        assert (found.tolist() if isinstance(found, lib.Tensor) else found) == moved


def test_a_number_is_no_primal_and_no_tangent():
    with pytest.raises(RuntimeError, match=r"linearize.* Expected primals to only contain Tensors"):
        linearize(cubes, 3.0)
    with pytest.raises(RuntimeError, match=r"jvp_fn.* Expected tangents to only contain Tensors"):
        linearize(cubes, X)[1](3.0)
    with pytest.raises(RuntimeError, match=r"linearize.* at least one Tensor"):
        linearize(lambda: X)
