"""A function that raises inside a transform: nothing stays open, and the next call works."""

import pytest

import glassgrad
from both import LIBRARIES, plain
from checks import together
from glassgrad.core import state

libraries = pytest.mark.parametrize("lib", LIBRARIES)


class Mishap(Exception):
    """Not one of ours, and nobody's business but the user's."""


def broken(x):
    y = x.sin() * 2
    raise Mishap(y.shape)


def calls(lib):
    """Each transform of a function that is given, called on a point."""
    func, x = lib.func, plain(lib, [0.3, -0.7])
    return {
        "grad": lambda f: func.grad(f)(x),
        "grad_and_value": lambda f: func.grad_and_value(f)(x),
        "vjp": lambda f: func.vjp(f, x),
        "jvp": lambda f: func.jvp(f, (x,), (x,)),
        "linearize": lambda f: func.linearize(f, x),
        "vmap": lambda f: func.vmap(f)(x),
        "chunks": lambda f: func.vmap(f, chunk_size=1)(x),
        "jacrev": lambda f: func.jacrev(f)(x),
        "jacfwd": lambda f: func.jacfwd(f)(x),
        "hessian": lambda f: func.hessian(f)(x),
        "vmap of grad": lambda f: func.vmap(func.grad(f))(x),
        "jvp of vmap of grad": lambda f: func.jvp(func.vmap(func.grad(f)), (x,), (x,)),
    }


each = pytest.mark.parametrize("name", list(calls(glassgrad)))


@together
@each
def test_a_function_that_raises_leaves_no_transform_open(name):
    before = glassgrad.is_grad_enabled(), set(state.special), set(state.unusual)
    with pytest.raises(Mishap):
        calls(glassgrad)[name](broken)
    assert state.modes.levels == ()
    assert (glassgrad.is_grad_enabled(), state.special, state.unusual) == before


@together
@each
@libraries
@pytest.mark.filterwarnings("ignore:Attempted to insert a get_attr Node")  # torch's linearize
def test_the_next_call_works(lib, name):
    call = calls(lib)[name]
    with pytest.raises(Mishap):
        call(broken)
    call(lambda x: (x * x).sum())
    x = lib.ones(2, requires_grad=True)
    (x * 3).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


@together
@each
@libraries
def test_an_outer_transform_goes_on_where_an_inner_one_failed(lib, name):
    def f(x):
        with pytest.raises(Mishap):
            calls(lib)[name](lambda z: broken(z * x))
        return (x * x).sum()

    x = plain(lib, [1.0, 2.0])
    assert lib.func.grad(f)(x).tolist() == [2.0, 4.0]
    assert lib.func.jvp(f, (x,), (x,))[1].item() == 10.0
    assert lib.func.vmap(f)(x).tolist() == [1.0, 4.0]


@libraries
def test_a_mode_that_the_function_switched_is_the_callers_again(lib):
    def f(x):
        with lib.no_grad():
            broken(x)

    with pytest.raises(Mishap):
        lib.func.grad(f)(plain(lib, [1.0]))
    assert lib.is_grad_enabled()
    with lib.no_grad():
        with pytest.raises(Mishap):
            lib.func.grad(broken)(plain(lib, [1.0]))
        assert not lib.is_grad_enabled()


@libraries
def test_a_rule_of_a_user_that_raises_leaves_no_transform_open(lib):
    class Fails(lib.autograd.Function):
        @staticmethod
        def forward(x):
            return x * 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def backward(ctx, grad):
            raise Mishap

        @staticmethod
        def jvp(ctx, dx):
            raise Mishap

        @staticmethod
        def vmap(info, in_dims, x):
            raise Mishap

    x = plain(lib, [1.0, 2.0])
    for call in (calls(lib)[name] for name in ("grad", "jvp", "vmap", "hessian")):
        with pytest.raises(Mishap):
            call(lambda x: Fails.apply(x).sum())
    assert lib.func.grad(lambda x: (x * x).sum())(x).tolist() == [2.0, 4.0]
