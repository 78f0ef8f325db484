"""`vjp` and the pullback it returns: each test runs on PyTorch too."""

from typing import Any, NamedTuple

import pytest

from both import LIBRARIES, plain
from checks import together

pytestmark = pytest.mark.parametrize("lib", LIBRARIES)


class Pair(NamedTuple):
    left: Any
    right: Any


def cube(x):
    return (x**3).sum()


def test_vjp_multiplies_the_jacobian_from_the_left(lib):
    y, vjp_fn = lib.func.vjp(lambda x: x * x, plain(lib, [1.0, 2.0]))
    assert y.tolist() == [1.0, 4.0]
    assert vjp_fn(plain(lib, [1.0, 10.0]))[0].tolist() == [2.0, 40.0]
    assert vjp_fn(plain(lib, [0.0, 1.0]))[0].tolist() == [0.0, 4.0]


def test_vjp_adds_the_gradients_of_all_outputs(lib):
    x = plain(lib, 3.0)
    y, vjp_fn = lib.func.vjp(lambda x: {"a": x, "b": [x * x, x]}, x)
    one = plain(lib, 1.0)
    assert y["b"][0].item() == 9.0
    (found,) = vjp_fn({"a": one, "b": [one * 10, one * 100]})
    assert found.item() == 1.0 + 60.0 + 100.0


def test_vjp_takes_trees_and_gives_trees(lib):
    x = plain(lib, 3.0)
    _, vjp_fn = lib.func.vjp(lambda t, y: t[0] * t[1][0] + y, (x, (x, x)), x)
    (a, (b, c)), d = vjp_fn(plain(lib, 1.0))
    assert [v.item() for v in (a, b, c, d)] == [3.0, 3.0, 0.0, 1.0]


def test_vjp_hands_aux_on(lib):
    x = plain(lib, 3.0)
    y, vjp_fn, aux = lib.func.vjp(lambda x: (x * x, [x + 1]), x, has_aux=True)
    assert (y.item(), vjp_fn(x)[0].item(), aux[0].item()) == (9.0, 18.0, 4.0)


def test_the_pullback_of_the_identity_is_the_identity(lib):
    x = plain(lib, [1.0, 2.0])
    y, vjp_fn = lib.func.vjp(lambda x: x, x)
    assert vjp_fn(plain(lib, [3.0, 4.0]))[0].tolist() == [3.0, 4.0]
    assert y.tolist() == [1.0, 2.0]


def test_one_tensor_may_be_several_outputs(lib):
    _, vjp_fn = lib.func.vjp(lambda x: (x, x), plain(lib, 1.0))
    assert vjp_fn((plain(lib, 2.0), plain(lib, 3.0)))[0].item() == 5.0


def test_outputs_that_depend_on_nothing_pass_zeros(lib):
    c = plain(lib, 2.0)
    out, vjp_fn = lib.func.vjp(lambda w, x: (c, c, x), plain(lib, 3.0), plain(lib, 4.0))
    one = plain(lib, 1.0)
    assert [v.item() for v in vjp_fn((one, one, one))] == [0.0, 1.0]
    assert out[0].item() == 2.0


def test_vjp_without_primals_only_calls(lib):
    y, vjp_fn = lib.func.vjp(lambda: plain(lib, 2.0))
    assert (y.item(), vjp_fn(y)) == (2.0, ())


@together
@pytest.mark.parametrize("output", [None, ()])
def test_vjp_refuses_an_empty_output(lib, output):
    text = r"vjp\(f, \*primals\): Expected f to be a function that has non-empty output"
    with pytest.raises(RuntimeError, match=text):
        lib.func.vjp(lambda x: output, plain(lib, 1.0))


@together
@pytest.mark.parametrize("output", [1, True, 12.2, "abc"])
def test_vjp_refuses_outputs_that_are_no_tensors(lib, output):
    text = r"vjp\(f, \*primals\): expected f\(\*primals\) to return only tensors"
    with pytest.raises(RuntimeError, match=text):
        lib.func.vjp(lambda x: output, plain(lib, 1.0))


def test_vjp_refuses_integer_outputs(lib):
    with pytest.raises(RuntimeError, match="must be floating-point or complex Tensors"):
        lib.func.vjp(lambda x: (x, x.long()), plain(lib, 1.0))


def test_cotangents_have_the_structure_of_the_outputs(lib):
    x = plain(lib, 1.0)
    _, vjp_fn = lib.func.vjp(lambda x: {"a": x, "b": [x, x]}, x)
    text = (
        r"Expected pytree structure of cotangents to be the same as pytree structure of outputs to "
        r"the function. cotangents: \{'a': \*, 'b': \(\*, \*\)\}, "
        r"primal output: \{'a': \*, 'b': \[\*, \*\]\}"
    )
    with pytest.raises(RuntimeError, match=text):
        vjp_fn({"a": x, "b": (x, x)})


def test_cotangents_have_the_shapes_of_the_outputs(lib):
    _, vjp_fn = lib.func.vjp(lambda x: x * 2, plain(lib, [1.0, 2.0, 3.0]))
    with pytest.raises(RuntimeError, match=r"Mismatch in shape: grad_output\[0\] has a shape of"):
        vjp_fn(plain(lib, [1.0, 2.0]))
    with pytest.raises(TypeError, match="gradients can be either Tensors or None, but got float"):
        vjp_fn(1.0)
    with pytest.raises(RuntimeError, match="implicitly created only for scalar outputs"):
        vjp_fn(None)


def test_a_pullback_may_be_freed(lib):
    x = plain(lib, 3.0)
    _, vjp_fn = lib.func.vjp(lambda x: x * x, x)
    vjp_fn(x, retain_graph=False)
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        vjp_fn(x)
