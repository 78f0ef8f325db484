"""`jvp` and `linearize`: each test runs on PyTorch too."""

import pytest

from both import LIBRARIES, leaf, plain
from checks import together

pytestmark = [
    pytest.mark.parametrize("lib", LIBRARIES),
    pytest.mark.filterwarnings("ignore:Attempted to insert a get_attr Node"),  # torch's linearize
]

_API = r"jvp\(f, primals, tangents\): "


# Values and tangents ------------------------------------------------------------------------------


def test_jvp_multiplies_the_jacobian_from_the_right(lib):
    x, dx = plain(lib, [1.0, 2.0]), plain(lib, [1.0, 10.0])
    y, dy = lib.func.jvp(lambda x: x * x, (x,), (dx,))
    assert (y.tolist(), dy.tolist()) == ([1.0, 4.0], [2.0, 40.0])


def test_all_arguments_move(lib):
    x, y, one, ten = (plain(lib, v) for v in (2.0, 5.0, 1.0, 10.0))
    _, dz = lib.func.jvp(lambda x, y: x * y, (x, y), (one, ten))
    assert dz.item() == 5.0 + 20.0


def test_arguments_and_outputs_may_be_trees(lib):
    x, one = plain(lib, 2.0), plain(lib, 1.0)
    y, dy = lib.func.jvp(
        lambda t: {"a": t[0] * t[1][0], "b": [t[0]]}, ((x, [x]),), ((one, [one * 10]),)
    )
    assert (y["a"].item(), y["b"][0].item()) == (4.0, 2.0)
    assert (dy["a"].item(), dy["b"][0].item()) == (22.0, 1.0)


def test_aux_is_handed_on(lib):
    x = plain(lib, 2.0)
    y, dy, aux = lib.func.jvp(lambda x: (x * x, {"z": x + 1}), (x,), (x,), has_aux=True)
    assert (y.item(), dy.item(), aux["z"].item()) == (4.0, 8.0, 3.0)


def test_what_does_not_move_has_tangent_zero(lib):
    x, c = plain(lib, [1.0, 2.0]), plain(lib, [3.0])
    y, dy = lib.func.jvp(lambda x: (c, x.long(), x), (x,), (x,))
    assert [v.tolist() for v in y] == [[3.0], [1, 2], [1.0, 2.0]]
    assert [v.tolist() for v in dy] == [[0.0], [0, 0], [1.0, 2.0]]


def test_strict_refuses_what_does_not_move(lib):
    x = plain(lib, 1.0)
    text = r"strict=True\): The output of f is independent of the inputs"
    with pytest.raises(RuntimeError, match=text):
        lib.func.jvp(lambda x: (x, plain(lib, 1.0)), (x,), (x,), strict=True)
    assert lib.func.jvp(lambda x: x * 2, (x,), (x,), strict=True)[1].item() == 2.0


def test_jvp_of_jvp_is_the_second_derivative(lib):
    x, one = plain(lib, 2.0), plain(lib, 1.0)

    def slope(x):
        return lib.func.jvp(lambda x: x**3, (x,), (one,))[1]

    assert lib.func.jvp(slope, (x,), (one,))[1].item() == 12.0


def test_perturbations_of_two_levels_are_not_confused(lib):
    x, one = plain(lib, 3.0), plain(lib, 1.0)

    def f(x):
        shift = lib.func.jvp(lambda y: x + y, (one,), (one,))[1]
        return x * shift

    assert lib.func.jvp(f, (x,), (one,))[1].item() == 1.0


def test_forward_over_reverse_and_reverse_over_forward_agree(lib):
    func, x, one = lib.func, plain(lib, 2.0), plain(lib, 1.0)
    assert func.jvp(func.grad(lambda x: x**3), (x,), (one,))[1].item() == 12.0
    assert func.grad(lambda x: func.jvp(lambda x: x**3, (x,), (one,))[1])(x).item() == 12.0


def test_the_tape_goes_on_through_jvp(lib):
    x, w = leaf(lib, 2.0), leaf(lib, 5.0)
    _, dy = lib.func.jvp(lambda x: w * x**2, (x,), (plain(lib, 3.0),))
    dy.backward()
    assert (x.grad.item(), w.grad.item()) == (30.0, 12.0)


def test_no_grad_does_not_stop_tangents(lib):
    def f(x):
        with lib.no_grad():
            return x * x

    x = plain(lib, 3.0)
    assert lib.func.jvp(f, (x,), (plain(lib, 1.0),))[1].item() == 6.0


def test_forward_mode_can_be_switched_off_inside(lib):
    def f(x):
        with lib.autograd.forward_ad._set_fwd_grad_enabled(False):
            shift = x**2
        return x**2 - shift

    x, one = plain(lib, 3.0), plain(lib, 1.0)
    assert lib.func.jvp(f, (x,), (one,))[1].item() == 6.0
    assert lib.func.jvp(lambda x: lib.func.jvp(f, (x,), (one,))[1], (x,), (one,))[1].item() == 2.0


def test_a_jvp_inside_of_what_is_switched_off_is_on(lib):
    def f(x):
        with lib.autograd.forward_ad._set_fwd_grad_enabled(False):
            slope = lib.func.jvp(lambda y: y**3 * x, (x,), (plain(lib, 1.0),))[1]
        return slope * x

    y, dy = lib.func.jvp(f, (plain(lib, 3.0),), (plain(lib, 1.0),))
    assert (y.item(), dy.item()) == (243.0, 81.0)


@together
@pytest.mark.parametrize("cut", [lambda x: x.detach(), lambda x: x.data])
def test_detached_tensors_do_not_move(lib, cut):
    x = plain(lib, 3.0)
    assert lib.func.jvp(lambda x: cut(x) * x, (x,), (plain(lib, 1.0),))[1].item() == 3.0


def test_hooks_on_saved_tensors_do_no_harm(lib):
    x = plain(lib, 3.0)
    with lib.autograd.graph.save_on_cpu():
        assert lib.func.jvp(lambda x: x * x, (x,), (x,))[1].item() == 18.0


# What is refused ----------------------------------------------------------------------------------


def test_primals_are_a_tuple(lib):
    x = plain(lib, 1.0)
    for primals in (x, [x]):
        with pytest.raises(RuntimeError, match=_API + "Expected primals to be a tuple"):
            lib.func.jvp(lambda x: x, primals, (x,))


def test_primals_and_tangents_have_one_structure(lib):
    x = plain(lib, 1.0)
    text = "Expected primals and tangents to have the same python structure"
    for primals, tangents in [((x,), x), ((x,), [x]), ((x,), (x, x)), (((x, x), x), (x, x))]:
        with pytest.raises(RuntimeError, match=_API + text):
            lib.func.jvp(lambda x: x, primals, tangents)


def test_primals_and_tangents_are_tensors(lib):
    x = plain(lib, 1.0)
    with pytest.raises(RuntimeError, match=_API + "Expected primals to only contain Tensors, got"):
        lib.func.jvp(lambda x: x, (1.0,), (x,))
    with pytest.raises(RuntimeError, match=_API + "Expected tangents to only contain Tensors, got"):
        lib.func.jvp(lambda x: x, (x,), (None,))
    for nothing in ((), ((),)):
        text = "Expected primals to contain at least one Tensor"
        with pytest.raises(RuntimeError, match=_API + text):
            lib.func.jvp(lambda *args: args, nothing, nothing)


def test_a_tangent_has_the_shape_of_its_primal(lib):
    x = plain(lib, [1.0, 2.0, 3.0])
    for dx in ([1.0, 2.0], [1.0], 1.0):
        with pytest.raises(RuntimeError, match="a forward gradient that has a different size than"):
            lib.func.jvp(lambda x: x, (x,), (plain(lib, dx),))


def test_integers_do_not_move(lib):
    n, x = lib.tensor([1, 2]), plain(lib, [1.0, 2.0])
    with pytest.raises(ValueError, match="Expected primal to be floating point or complex"):
        lib.func.jvp(lambda x: x, (n,), (x,))
    with pytest.raises(ValueError, match="Expected tangent to be floating point or complex"):
        lib.func.jvp(lambda x: x, (x,), (n,))


@together
@pytest.mark.parametrize("output", [None, ()])
def test_an_empty_output_is_refused(lib, output):
    x = plain(lib, 1.0)
    text = "Expected f to be a function that has non-empty output"
    with pytest.raises(RuntimeError, match=_API + text):
        lib.func.jvp(lambda x: output, (x,), (x,))


@together
@pytest.mark.parametrize("output", [1, True, 12.2, "abc"])
def test_outputs_are_tensors(lib, output):
    x = plain(lib, 1.0)
    with pytest.raises(
        RuntimeError, match=_API + r"expected f\(\*primals\) to return only tensors"
    ):
        lib.func.jvp(lambda x: output, (x,), (x,))


@together
@pytest.mark.parametrize("output", [lambda x: [x, x], lambda x: (x, x, x)])
def test_has_aux_wants_a_pair(lib, output):
    x = plain(lib, 1.0)
    with pytest.raises(RuntimeError, match=_API + "output of function f should be a tuple"):
        lib.func.jvp(output, (x,), (x,), has_aux=True)


def test_what_would_tell_the_tape_is_refused_inside(lib):
    x = plain(lib, [1.0])
    for act, text in [
        (lambda x: x.requires_grad_(), r"attempting to call Tensor.requires_grad_\(\)"),
        (lambda x: x.sum().backward(), r"backward\(\) called inside a functorch transform"),
        (lambda x: x.numpy(), "Cannot access data pointer of Tensor that doesn't have storage"),
    ]:
        with pytest.raises(RuntimeError, match=text):
            lib.func.jvp(act, (x,), (x,))


# Linear maps --------------------------------------------------------------------------------------


def test_linearize_gives_the_value_and_what_jvp_gives(lib):
    x, dx = plain(lib, [1.0, 2.0]), plain(lib, [1.0, 10.0])
    y, jvp_fn = lib.func.linearize(lambda x: x * x, x)
    assert y.tolist() == [1.0, 4.0]
    assert jvp_fn(dx).tolist() == [2.0, 40.0]
    assert jvp_fn(x).tolist() == [2.0, 8.0]


def test_linearize_takes_and_gives_trees(lib):
    x, one = plain(lib, 2.0), plain(lib, 1.0)
    y, jvp_fn = lib.func.linearize(lambda d, z: {"a": d["x"] * z, "b": [z]}, {"x": x}, x)
    assert (y["a"].item(), y["b"][0].item()) == (4.0, 2.0)
    moved = jvp_fn({"x": one}, one * 10)
    assert (moved["a"].item(), moved["b"][0].item()) == (22.0, 10.0)


def test_what_does_not_move_in_a_linear_map(lib):
    x = plain(lib, [1.0, 2.0])
    y, jvp_fn = lib.func.linearize(lambda x: (x.long(), x * 2, 3), x)
    assert (y[0].tolist(), y[1].tolist(), y[2]) == ([1, 2], [2.0, 4.0], 3)
    moved = jvp_fn(x)
    assert (moved[0].tolist(), moved[1].tolist(), moved[2]) == ([0, 0], [2.0, 4.0], 3)


@together
@pytest.mark.parametrize(
    ("tangents", "text"),
    [
        (lambda lib: [plain(lib, [1.0])], "tangent:0 with shape .* doesn't match the shape"),
        (lambda lib: [lib.tensor([1.0, 2.0])], "tangent:0 with dtype .* doesn't match the dtype"),
        (lambda lib: [plain(lib, [1.0, 2.0])] * 2, "to have the same argspec as the primals"),
        (lambda lib: [[plain(lib, [1.0, 2.0])]], "to have the same argspec as the primals"),
    ],
)
def test_tangents_are_like_the_primals(lib, tangents, text):
    _, jvp_fn = lib.func.linearize(lambda x: x * x, plain(lib, [1.0, 2.0]))
    with pytest.raises(RuntimeError, match=text):
        jvp_fn(*tangents(lib))


def test_integers_cannot_be_linearized(lib):
    with pytest.raises(ValueError, match="Expected primal to be floating point or complex"):
        lib.func.linearize(lambda x: x * 1.0, lib.tensor([1, 2]))
