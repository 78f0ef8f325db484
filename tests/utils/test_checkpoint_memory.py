"""Checkpoints: what they keep, what they refuse, and how they go with transforms and tangents."""

import functools
import gc
import weakref

import numpy as np
import pytest

import glassgrad
from both import leaf, plain
from checks import together
from utils.checkpoints import checkpoint, tools

# Memory -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("retain_graph", [False, True])
def test_nothing_of_the_function_is_kept_outside_of_its_runs(retain_graph):
    kept = []

    def function(x):
        middle = x.exp()
        kept.append(weakref.ref(middle))
        return middle.sin().cos()

    gc.disable()
    try:
        out = checkpoint(glassgrad, function, leaf(glassgrad, [0.3]))
        assert kept[0]() is None
        out.sum().backward(retain_graph=retain_graph)
        assert kept[1]() is None
        call = weakref.ref(out.grad_fn)
        del out
        assert call() is None
    finally:
        gc.enable()


def test_recomputed_tensors_that_a_pass_did_not_take_die_with_it():
    arrays = []

    def function(x):
        middle = x.exp()
        arrays.append(weakref.ref(middle.payload))
        return x.sin(), middle * middle

    gc.disable()
    try:
        first, second = checkpoint(glassgrad, function, leaf(glassgrad, [0.3]))
        first.sum().backward(retain_graph=True)
        assert [array() is None for array in arrays] == [True, True]
        second.sum().backward()
    finally:
        gc.enable()


@together
@pytest.mark.parametrize("use_reentrant", [False, True])
def test_what_cannot_be_called_is_refused(lib, use_reentrant):
    x = lib.ones(2, requires_grad=True)
    with pytest.raises(TypeError, match="'int' object is not callable"):
        lib.utils.checkpoint.checkpoint(3, x, use_reentrant=use_reentrant)


# Inside of transforms, and with tangents ----------------------------------------------------------


def squared_sine(lib, x):
    return tools(lib).checkpoint(lambda y: (y * y).sin(), x, use_reentrant=False)


def test_a_checkpoint_can_be_mapped_and_moved(lib):
    x = plain(lib, [[1.0, 2.0], [3.0, 4.0]])
    expected = (x * x).sin().tolist()
    moved = ((x * x).cos() * 2 * x * x).tolist()
    call = functools.partial(squared_sine, lib)
    assert lib.vmap(call)(x).tolist() == expected
    for found in (
        lib.func.jvp(call, (x,), (x,)),
        lib.vmap(lambda x: lib.func.jvp(call, (x,), (x,)))(x),
    ):
        np.testing.assert_allclose(found[0].numpy(), expected)
        np.testing.assert_allclose(found[1].numpy(), moved)


def test_a_checkpoint_moves_with_its_input(lib):
    forward_ad = lib.autograd.forward_ad
    x = leaf(lib, [1.0, 2.0])
    with forward_ad.dual_level():
        y = squared_sine(lib, forward_ad.make_dual(x, x.detach()))
        tangent = forward_ad.unpack_dual(y).tangent
        np.testing.assert_allclose(
            tangent.detach().numpy(), ((x * x).cos() * 2 * x * x).detach().numpy()
        )


def test_a_checkpoint_inside_a_vmap_has_gradients_outside():
    x = leaf(glassgrad, [1.0, 2.0])  # PyTorch runs the function again when the vmap is closed
    glassgrad.vmap(functools.partial(squared_sine, glassgrad))(x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), ((x * x).cos() * 2 * x).detach().numpy())


def test_a_checkpoint_inside_of_grad_refuses_hooks(lib):
    with pytest.raises(RuntimeError, match="don't yet support saved tensor hooks"):
        lib.func.grad(lambda x: squared_sine(lib, x).sum())(plain(lib, [1.0]))
