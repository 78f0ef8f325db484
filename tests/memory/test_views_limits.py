"""Views: what may not be written, views in users' Functions, and what is freed."""

import gc
import weakref

import numpy as np
import pytest

import glassgrad
from both import computed, leaf, make, plain, spelled
from checks import together

# What may not be written ------------------------------------------------------------------------


def test_a_view_of_a_leaf_is_not_written(lib):
    a = leaf(lib, [1.0, 2.0])
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad"):
        a[:1].mul_(2)
    assert a.tolist() == [1.0, 2.0]
    assert a._version == 0


def made_in(lib, mode, b):
    with getattr(lib, mode)():
        return b[0]


@together
@pytest.mark.parametrize("mode", ["no_grad", "inference_mode"])
def test_a_view_made_without_recording_is_not_written_with_it(lib, mode):
    _, b = computed(lib)
    v = made_in(lib, mode, b)
    assert v.requires_grad
    assert v.grad_fn is None
    assert v.is_leaf
    assert not v.is_inference()
    with pytest.raises(RuntimeError, match=f"A view was created in {mode}".replace("_mode", " m")):
        v.mul_(2)
    b.mul_(2)
    with pytest.raises(RuntimeError, match="its base or another view of its base has been"):
        _ = v.grad_fn


@together
@pytest.mark.parametrize("op", ["unbind", "split", "chunk"])
def test_one_of_several_views_is_not_written(lib, op):
    _, b = computed(lib)
    parts = b.unbind() if op == "unbind" else getattr(b, op)(3)
    with pytest.raises(RuntimeError, match="is the output of a function that returns multiple"):
        parts[0].mul_(2)
    b.mul_(2)
    with pytest.raises(RuntimeError, match=r"Output 0 of \w+ is a view and its base or another"):
        _ = parts[0] + 1
    assert b.tolist() == [[0.0, 2.0], [4.0, 6.0], [8.0, 10.0]]


def test_what_is_viewed_of_such_a_view_is_not_written_either(lib):
    _, b = computed(lib)
    part = b.unbind()[0]
    with pytest.raises(RuntimeError, match="returns multiple views"):
        part[:1].mul_(2)


@together
@pytest.mark.parametrize("forward", [lambda ctx, x: x, lambda ctx, x: x.view(-1)])
@pytest.mark.parametrize("requires_grad", [True, False])
def test_a_view_from_a_function_is_not_written(lib, forward, requires_grad):
    made = make(lib, forward, lambda ctx, grad: grad)
    x = leaf(lib, [1.0, 2.0]) * 1 if requires_grad else plain(lib, [1.0, 2.0])
    y = made.apply(x)
    assert y._is_view()
    assert y._base is x
    with pytest.raises(RuntimeError, match="This view was created inside a custom Function"):
        y.mul_(leaf(lib, 2.0))


def test_views_of_inference_tensors_are_not_tracked(lib):
    with lib.inference_mode():
        x = lib.ones(3)
        inside = x[:2]
    outside = x[:2]
    for view in (inside, outside):
        assert view.is_inference()
        assert not view._is_view()


def test_memory_that_overlaps_is_filled_but_not_added_to(lib):
    x = plain(lib, [1.0]).expand(3)
    with pytest.raises(RuntimeError, match="refers to a single memory location"):
        x.add_(1)
    with pytest.raises(RuntimeError, match="refers to a single memory location"):
        x.copy_(plain(lib, [1.0, 2.0, 3.0]))
    assert x.fill_(7).tolist() == [7.0, 7.0, 7.0]
    assert x.zero_().tolist() == [0.0, 0.0, 0.0]
    x[1] = 4
    assert x.tolist() == [4.0, 4.0, 4.0]


# In users' Functions ----------------------------------------------------------------------------


def doubling(lib, before=lambda ctx, x: None):
    def forward(ctx, x):
        before(ctx, x)
        ctx.mark_dirty(x)
        return x.mul_(2)

    return make(lib, forward, lambda ctx, grad: grad * 2)


def test_a_function_may_write_a_view(lib):
    a, b = computed(lib)
    v = b[0]
    out = doubling(lib).apply(v)
    assert out is v
    assert spelled(v.grad_fn)[:2] == [("AsStridedBackward0", [(1, 0)]), ("CopySlices", [(2, 0)])]
    (b.sum() + v.sum()).backward()
    assert a.grad.tolist() == [[4.0, 4.0], [1.0, 1.0], [1.0, 1.0]]


def test_a_function_may_write_a_view_that_is_not_its_first_argument():
    def forward(ctx, w, x):  # PyTorch loses the gradient of `w`
        ctx.mark_dirty(x)
        ctx.save_for_backward(w)
        return x.mul_(w)

    made = make(
        glassgrad, forward, lambda ctx, grad: ((grad * 10).sum(), grad * ctx.saved_tensors[0])
    )
    a, b = computed(glassgrad)
    w = leaf(glassgrad, 3.0)
    made.apply(w, b[0])
    b.sum().backward()
    assert w.grad.item() == 20.0
    assert a.grad.tolist() == [[3.0, 3.0], [1.0, 1.0], [1.0, 1.0]]


def test_a_function_may_not_write_a_view_of_a_leaf(lib):
    a = leaf(lib, [1.0, 2.0])
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad"):
        doubling(lib).apply(a[:1])


def test_a_function_that_saves_the_view_it_wrote_leaves_no_cycle():
    def forward(ctx, x):
        x.exp_()
        ctx.mark_dirty(x)
        ctx.save_for_backward(x)
        return x

    made = make(glassgrad, forward, lambda ctx, grad: grad * ctx.saved_tensors[0])
    a, b = computed(glassgrad)
    v = b[0]
    made.apply(v)
    b.sum().backward(retain_graph=True)
    np.testing.assert_allclose(a.grad.tolist()[0], np.exp([0.0, 1.0]))
    gc.disable()
    try:
        alive = weakref.ref(b)
        del b, v
        assert alive() is None
    finally:
        gc.enable()


# Memory -----------------------------------------------------------------------------------------


def test_writes_to_views_leave_nothing_behind():
    def run():
        a, b = computed(glassgrad)
        v, w = b[0], b[1:]
        v.mul_(2)
        w.neg_()
        b[0, 1] = v.sum()
        (b.sum() + v.sum() + w.sum()).backward()
        return [weakref.ref(x) for x in (a, b, v, w, b.grad_fn, v.grad_fn, w.grad_fn)]

    gc.disable()
    try:
        refs = run()
        assert [ref() for ref in refs] == [None] * len(refs)
    finally:
        gc.enable()


def test_views_that_are_gone_are_forgotten():
    base = plain(glassgrad, [1.0, 2.0])
    for _ in range(1000):
        base[0]
    assert len(base.cold.version.views) < 40
