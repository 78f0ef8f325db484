"""Views whose memory, or whose base, has changed since they were made: they look when used."""

import pytest

from both import leaf, make
from checks import together


def test_a_stale_view_may_be_both_operands(lib):
    x = leaf(lib, [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
    y = x * 1
    view = y[0]
    with lib.no_grad():
        y.mul_(2)
    (view * view).sum().backward()
    assert x.grad.tolist() == [[0.0, 4.0], [0.0, 0.0], [0.0, 0.0]]


def test_a_view_made_in_no_grad_mode_gets_no_gradient_and_asks_for_none(lib):
    x = leaf(lib, [1.0, 2.0])
    with lib.no_grad():
        view = x[:1]
    y = x * 3
    z = y[:1] * view
    assert z.grad_fn._saved_self is None
    lib.autograd.backward([z, view.sin(), view.sin()], [lib.ones(1, dtype=lib.float64)] * 3)
    assert x.grad.tolist() == [3.0, 0.0]


def test_a_view_of_what_is_detached_in_place_no_longer_requires_grad(lib):
    y = leaf(lib, [1.0, 2.0]) * 2
    with lib.no_grad():
        view = y[:1]
    assert view.requires_grad
    y.detach_()
    assert not view.requires_grad


@together
@pytest.mark.parametrize(
    ("view_of", "error"),
    [
        (lambda x: x[:1], "a view of a leaf Variable"),
        (lambda x: (x * 1).unbind()[0], "output of a function that returns multiple views"),
    ],
)
def test_a_dirty_view_that_is_refused_counts_as_written(lib, view_of, error):
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    view = view_of(leaf(lib, [1.0, 2.0]))
    with pytest.raises(RuntimeError, match=error):
        make(lib, forward, lambda ctx, grad: grad * 2).apply(view)
    assert view._version == 2


def test_a_view_made_in_no_grad_mode_can_become_a_leaf(lib):
    x = leaf(lib, [1.0, 2.0])
    with lib.no_grad():
        view = x[:1]
    view.requires_grad_()
    (view * 3).sum().backward()
    assert view.grad.tolist() == [3.0]
    assert x.grad is None


def test_a_leaf_that_is_a_view_joins_the_graph_when_its_memory_is_written(lib):
    x, base = leaf(lib, [1.0, 2.0]), lib.zeros(2, 2, dtype=lib.float64)
    view = base[0]
    view.requires_grad_()
    base[0] = x
    assert view.grad_fn.name() == "AsStridedBackward0"
    view.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]
