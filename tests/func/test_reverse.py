"""`grad` and `grad_and_value`, and what holds for `vjp` too: each test runs on PyTorch too."""

from collections import OrderedDict
from typing import Any, NamedTuple

import pytest

from both import LIBRARIES, leaf, plain
from checks import together

pytestmark = pytest.mark.parametrize("lib", LIBRARIES)


class Pair(NamedTuple):
    left: Any
    right: Any


def cube(x):
    return (x**3).sum()


# What is differentiated ---------------------------------------------------------------------------


def test_grad_is_the_gradient_of_the_first_argument(lib):
    x, y = plain(lib, 2.0), plain(lib, 5.0)
    assert lib.func.grad(lambda x, y: x * x * y)(x, y).item() == 20.0


def test_grad_of_grad_is_the_second_derivative(lib):
    grad = lib.func.grad
    assert grad(grad(grad(cube)))(plain(lib, 2.0)).item() == 6.0


@together
@pytest.mark.parametrize(
    ("argnums", "expected"),
    [(0, 5.0), (1, 2.0), (-1, 2.0), (-2, 5.0), ((1, 0), (2.0, 5.0)), ((0,), (5.0,))],
)
def test_argnums_chooses_arguments_from_either_end(lib, argnums, expected):
    found = lib.func.grad(lambda x, y: x * y, argnums)(plain(lib, 2.0), plain(lib, 5.0))
    if isinstance(expected, tuple):
        assert tuple(g.item() for g in found) == expected
    else:
        assert found.item() == expected


@together
@pytest.mark.parametrize(
    ("argnums", "text"),
    [
        (2, "Got argnum=2, but only 2 positional inputs"),
        (-3, "Got argnum=-3, but only 2 positional inputs"),
        ((0, 0), "argnums elements must be unique, got"),
        ((0, -2), "argnums elements must be unique, got"),
        ((), "argnums must be non-empty"),
        (0.0, "argnums must be int or Tuple.int, ...., got: <class 'float'>"),
        ([0], "argnums must be int or Tuple.int, ...., got: <class 'list'>"),
        ((0.0,), "argnum must be int, got: <class 'float'>"),
        (None, "argnums must be int or Tuple.int, ...., got: <class 'NoneType'>"),
    ],
)
def test_argnums_that_mean_no_argument_are_refused(lib, argnums, text):
    with pytest.raises(RuntimeError, match=text):
        lib.func.grad(lambda x, y: x * y, argnums)(plain(lib, 2.0), plain(lib, 5.0))


def test_what_is_passed_by_keyword_is_a_constant(lib):
    found = lib.func.grad(lambda x, y: x * y)(plain(lib, 2.0), y=plain(lib, 5.0))
    assert found.item() == 5.0


def test_what_the_function_does_not_depend_on_has_gradient_zero(lib):
    x, y = plain(lib, [1.0, 2.0]), plain(lib, [3.0])
    gradients = lib.func.grad(lambda x, y: (x * x).sum(), (0, 1))(x, y)
    assert [g.tolist() for g in gradients] == [[2.0, 4.0], [0.0]]
    assert lib.func.grad(lambda x: plain(lib, 1.0))(x).tolist() == [0.0, 0.0]


def test_an_integer_value_has_gradient_zero(lib):
    assert lib.func.grad(lambda x: x.sum().long())(plain(lib, [1.0, 2.0])).tolist() == [0.0, 0.0]


def test_gradients_come_in_the_structure_of_the_argument(lib):
    x = plain(lib, 2.0)
    tree = {"a": [x, (x,)], "b": Pair(x, OrderedDict(c=x))}
    found = lib.func.grad(
        lambda t: t["a"][0] * t["a"][1][0] ** 2 + t["b"].left * 3 + t["b"].right["c"] * 4
    )(tree)
    assert isinstance(found["b"], Pair)
    assert isinstance(found["b"].right, OrderedDict)
    assert found["a"][0].item() == 4.0
    assert found["a"][1][0].item() == 8.0
    assert (found["b"].left.item(), found["b"].right["c"].item()) == (3.0, 4.0)


@together
@pytest.mark.parametrize("value", [3.0, None, "x"])
def test_only_tensors_can_be_differentiated(lib, value):
    with pytest.raises(ValueError, match="Thing passed to transform API must be Tensor, got"):
        lib.func.grad(lambda x: x)(value)
    with pytest.raises(ValueError, match="Thing passed to transform API must be Tensor, got"):
        lib.func.grad(lambda x: x[0])((plain(lib, 1.0), value))


def test_integers_cannot_be_differentiated(lib):
    with pytest.raises(RuntimeError, match="only Tensors of floating point dtype can require grad"):
        lib.func.grad(lambda x: x.sum() * 1.0)(lib.tensor([1, 2]))


def test_arguments_that_are_no_tensors_may_be_constants(lib):
    found = lib.func.grad(lambda x, n, name: x * n)(plain(lib, 2.0), 7, "seven")
    assert found.item() == 7.0


# What the function returns ------------------------------------------------------------------------


def test_grad_and_value_returns_both(lib):
    gradient, value = lib.func.grad_and_value(cube)(plain(lib, 2.0))
    assert (gradient.item(), value.item()) == (12.0, 8.0)


def test_aux_is_handed_on(lib):
    x = plain(lib, [1.0, 2.0])
    gradient, aux = lib.func.grad(lambda x: (cube(x), {"y": x * 2, "z": [x]}), has_aux=True)(x)
    assert gradient.tolist() == [3.0, 12.0]
    assert (aux["y"].tolist(), aux["z"][0].tolist()) == ([2.0, 4.0], [1.0, 2.0])


def test_grad_and_value_hands_aux_on_beside_the_value(lib):
    x = plain(lib, 2.0)
    gradient, (value, aux) = lib.func.grad_and_value(lambda x: (x * x, x + 1), has_aux=True)(x)
    assert (gradient.item(), value.item(), aux.item()) == (4.0, 4.0, 3.0)


@together
@pytest.mark.parametrize("aux", [1, 1.0, "abc", None])
def test_aux_is_made_of_tensors(lib, aux):
    with pytest.raises(RuntimeError, match="Expected tensors, got unsupported type"):
        lib.func.grad(lambda x: (x.sum(), aux), has_aux=True)(plain(lib, 2.0))
    with pytest.raises(RuntimeError, match="Expected tensors, got unsupported type"):
        lib.func.grad(lambda x: (x.sum(), [x, aux]), has_aux=True)(plain(lib, 2.0))


@together
@pytest.mark.parametrize(
    ("function", "text"),
    [
        (lambda x: x * 2, "to return a scalar Tensor, got tensor with 1 dims"),
        (lambda x: 3, "to return a Tensor, got <class 'int'>"),
        (lambda x: (x.sum(),), "to return a Tensor, got <class 'tuple'>"),
        (lambda x: None, "to return a Tensor, got <class 'NoneType'>"),
    ],
)
def test_grad_is_that_of_one_number(lib, function, text):
    with pytest.raises(RuntimeError, match=text):
        lib.func.grad(function)(plain(lib, [1.0, 2.0]))


@together
@pytest.mark.parametrize("output", [lambda x: x, lambda x: [x, x], lambda x: (x, x, x)])
def test_has_aux_wants_a_pair(lib, output):
    x = plain(lib, 1.0)
    text = r"output of function f should be a tuple: \(output, aux\)"
    with pytest.raises(RuntimeError, match=text):
        lib.func.grad(output, has_aux=True)(x)
    with pytest.raises(RuntimeError, match=r"vjp\(f, \*primals\): " + text):
        lib.func.vjp(output, x, has_aux=True)


def test_a_complex_number_has_no_gradient_by_itself(lib):
    with pytest.raises(RuntimeError, match="implicitly created only for real scalar outputs"):
        lib.func.grad(lambda x: x * x)(lib.tensor(1.0 + 2.0j))


def test_the_gradient_of_a_real_function_of_complex_numbers_is_conjugate(lib):
    found = lib.func.grad(lambda z: (z * z).abs())(lib.tensor(3.0 + 4.0j))
    assert found.item() == 6.0 + 8.0j


def test_a_transformed_function_keeps_its_name(lib):
    assert lib.func.grad(cube).__name__ == "cube"
    assert lib.func.grad_and_value(cube).__name__ == "cube"


# Inside and around other things -------------------------------------------------------------------


def test_pullbacks_can_be_pulled_back(lib):
    vjp, x = lib.func.vjp, plain(lib, [1.0, 2.0])
    _, first = vjp(lambda x: x**3, x)
    y, second = vjp(lambda v: first(v)[0], x)
    assert y.tolist() == [3.0, 24.0]
    assert second(x)[0].tolist() == [3.0, 24.0]


def test_grad_of_a_function_that_uses_a_pullback(lib):
    def f(x, y):
        _, vjp_fn = lib.func.vjp(lambda x: x**3, x)
        return lib.func.grad(lambda y: vjp_fn(y)[0])(y)

    assert f(plain(lib, 2.0), plain(lib, 5.0)).item() == 12.0


def test_no_grad_inside_is_respected(lib):
    def f(x):
        with lib.no_grad():
            shift = x**2
        return x**2 - shift

    assert lib.func.grad(f)(plain(lib, 3.0)).item() == 6.0


def test_no_grad_outside_does_not_stop_grad(lib):
    x = leaf(lib, 3.0)
    with lib.no_grad():
        found = lib.func.grad(lambda x: x * x)(x)
    assert found.item() == 6.0
    assert not found.requires_grad


def test_no_grad_inside_holds_on_the_tape_too(lib):
    def f(t):
        with lib.no_grad():
            shift = t**2
        return t**3 - shift

    x = leaf(lib, 2.0)
    _, value = lib.func.grad_and_value(f)(x)
    assert lib.autograd.grad(value, x)[0].item() == 12.0


def test_no_grad_inside_holds_for_transforms_in_it(lib):
    def f(x):
        with lib.no_grad():
            shift = lib.func.grad(lambda x: 0.25 * x**4)(x)
        return x**3 - shift

    x = leaf(lib, 1.5)
    y = lib.func.grad(f)(x)
    assert y.item() == 3 * 1.5**2
    assert lib.autograd.grad(y, x)[0].item() == 6 * 1.5


def test_inference_mode_outside_does_not_stop_grad(lib):
    with lib.inference_mode():
        assert lib.func.grad(cube)(lib.tensor(2.0)).item() == 12.0


def test_the_tape_goes_on_through_grad(lib):
    x, w = leaf(lib, 2.0), leaf(lib, 5.0)
    y = lib.func.grad(lambda x: w * x**3)(x)
    y.backward()
    assert (x.grad.item(), w.grad.item()) == (60.0, 12.0)


def test_vjp_records_its_result_only_if_asked(lib):
    x, one = leaf(lib, 2.0), plain(lib, 1.0)
    _, vjp_fn = lib.func.vjp(lambda x: x * x, x)
    assert vjp_fn(one)[0].requires_grad
    assert not vjp_fn(one, create_graph=False)[0].requires_grad
    with lib.no_grad():
        assert not vjp_fn(one)[0].requires_grad


def test_autograd_grad_works_inside(lib):
    def f(x):
        (dx,) = lib.autograd.grad((x**3).sum(), x, create_graph=True)
        return dx.sum()

    assert lib.func.grad(f)(plain(lib, 2.0)).item() == 12.0


def test_hooks_inside_see_and_replace_gradients(lib):
    def f(x):
        y = x * 2
        y.register_hook(lambda grad: grad * 10)
        return y.sum()

    assert lib.func.grad(f)(plain(lib, [1.0, 2.0])).tolist() == [20.0, 20.0]


def test_a_tensor_that_escapes_stands_for_what_it_was(lib):
    escaped = []

    def f(x):
        escaped.append(x * 2)
        return x.sum()

    lib.func.grad(f)(plain(lib, [1.0, 2.0]))
    assert (escaped[0] + 1).tolist() == [3.0, 5.0]
    assert escaped[0].tolist() == [2.0, 4.0]


def test_detach_cuts_every_level(lib):
    grad, x = lib.func.grad, plain(lib, 3.0)
    assert grad(lambda x: grad(lambda y: y.detach() * y)(x))(x).item() == 0.0
    assert not grad(lambda y: y.detach() * y)(leaf(lib, 3.0)).requires_grad


def test_data_cuts_one_level(lib):
    grad = lib.func.grad
    assert grad(lambda x: grad(lambda y: y.data * y)(x))(plain(lib, 3.0)).item() == 1.0


# What is refused ---------------------------------------------------------------------------------


def test_hooks_on_saved_tensors_are_refused(lib):
    def with_hooks(x):
        with lib.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):
            return x * x

    x, text = plain(lib, 2.0), "don't yet support saved tensor hooks"
    with pytest.raises(RuntimeError, match=text):
        lib.func.grad(with_hooks)(x)
    with lib.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):
        with pytest.raises(RuntimeError, match=text):
            lib.func.vjp(cube, x)
        with pytest.raises(RuntimeError, match=text):
            lib.func.jacrev(cube)(x)
    assert lib.func.grad(cube)(x).item() == 12.0


def test_an_error_inside_leaves_nothing_open(lib):
    def fail(x):
        raise KeyError("mine")

    x = plain(lib, 2.0)
    with pytest.raises(KeyError, match="mine"):
        lib.func.grad(fail)(x)
    assert lib.func.grad(cube)(x).item() == 12.0
    assert x.requires_grad_().requires_grad


def test_gradients_of_examples_have_memory_of_their_own(lib):
    grads = lib.func.vmap(lib.func.grad(lambda x: (x * 1.0).sum()))(lib.ones(3, 2))
    grads[0, 0] = 7.0
    assert grads.tolist() == [[7.0, 1.0], [1.0, 1.0], [1.0, 1.0]]


def test_a_vmapped_function_may_switch_recording_on(lib):
    x = lib.ones(3, requires_grad=True)

    def f(v):
        with lib.enable_grad():
            return x * 2 + v

    with lib.no_grad():
        assert lib.func.vmap(f)(lib.ones(2, 3)).requires_grad
