"""Stepping back: all that glassgrad owns is as it was, and what hooks did besides is not."""

import gc
import tracemalloc
import weakref

import pytest

import glassgrad
from checks import together
from glassgrad.core.errors import FreedGraphError, GraphError, StaleTensorError
from glassgrad.utils.checkpoint import checkpoint
from tracing.stepping import leaf


def back_to_the_start(session):
    while session._pauses:
        session.back()
    return session


def test_back_at_the_beginning_is_refused():
    s = glassgrad.step(leaf(2.0) * 3)
    with pytest.raises(GraphError, match=r"back\(\) at the beginning"):
        s.back()


def test_what_was_freed_is_there_again():
    x = leaf([1.0, 2.0])
    y = x * x
    s = glassgrad.step(y.sum()).run()
    with pytest.raises(FreedGraphError):
        _ = y.grad_fn._saved_self
    back_to_the_start(s)
    assert y.grad_fn._saved_self.tolist() == [1.0, 2.0]
    s.run()
    assert x.grad.tolist() == [2.0, 4.0]


def test_a_graph_that_was_stepped_back_can_be_used_by_another_pass():
    x = leaf([1.0, 2.0])
    y = (x * x).sum()
    with glassgrad.step(y) as s:
        back_to_the_start(s.run())
    assert x.grad is None
    y.backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_a_grad_that_was_added_to_in_place_is_the_same_tensor_with_its_old_numbers():
    x = leaf([1.0, 2.0])
    (x * 5).sum().backward()
    before, alias, version = x.grad, x.grad.detach(), x.grad._version
    s = glassgrad.step((x * x).sum()).run()
    assert alias.tolist() == [7.0, 9.0]
    s.back()
    assert x.grad is before
    assert alias.tolist() == [5.0, 5.0]
    assert x.grad._version == version


def test_a_grad_that_was_not_there_is_gone_again():
    x = leaf([1.0, 2.0])
    s = glassgrad.step((x * x).sum()).run().back()
    assert x.grad is None
    s.run()
    assert x.grad.tolist() == [2.0, 4.0]


def test_a_retained_gradient_is_gone_again():
    x = leaf([1.0, 2.0])
    y = x * x
    y.retain_grad()
    s = glassgrad.step(y.sum()).run_until(x)
    assert y.grad.tolist() == [1.0, 1.0]
    s.back()
    assert y.grad is None
    s.run()
    assert y.grad.tolist() == [1.0, 1.0]


def test_a_large_buffer_that_would_be_added_to_in_place_is_as_it_was():
    x = glassgrad.ones(5000, requires_grad=True)
    y = x * 1
    s = glassgrad.step((y * 2 + y * 3 + y * 4).sum(), granularity="micro")
    seen = []
    while not s.is_done:
        seen.append({n: g[0].sum().item() for n, g in s.buffers.items()})
        s.next()
    for expected in reversed(seen):
        s.back()
        assert {n: g[0].sum().item() for n, g in s.buffers.items()} == expected
    s.run()
    assert set(x.grad.tolist()) == {9.0}


def test_random_numbers_are_drawn_again():
    class Noisy(glassgrad.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return grad * glassgrad.rand(2)

    x = leaf([1.0, 2.0])
    for seed in (0, 1):
        glassgrad.manual_seed(seed)
        x.grad = None
        s = glassgrad.step(Noisy.apply(x).sum()).run()
        first = x.grad.tolist()
        back_to_the_start(s).run()
        assert x.grad.tolist() == first
        glassgrad.rand(1)


def test_attributes_of_a_users_ctx_are_as_they_were():
    class Counts(glassgrad.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.runs = 0
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            ctx.runs += 1
            ctx.seen = grad
            return grad

    y = Counts.apply(leaf([1.0, 2.0]))
    s = glassgrad.step(y.sum()).run()
    assert y.grad_fn.runs == 1
    back_to_the_start(s)
    assert y.grad_fn.runs == 0
    assert not hasattr(y.grad_fn, "seen")
    s.run()
    assert y.grad_fn.runs == 1


def test_what_a_hook_did_stays_done_and_it_is_called_again():
    calls = []
    x = leaf([1.0, 2.0])
    y = x * 2
    y.register_hook(calls.append)
    s = glassgrad.step(y.sum()).run_until(x).back()
    assert len(calls) == 1
    s.run()
    assert len(calls) == 2
    assert x.grad.tolist() == [2.0, 2.0]


def test_a_hook_is_called_again_and_not_the_one_before_it():
    calls = []
    x = leaf([1.0])
    y = x * 2
    y.register_hook(lambda _: calls.append("a"))
    y.register_hook(lambda _: calls.append("b"))
    s = glassgrad.step(y.sum(), granularity="hook").run_until(lambda s: len(calls) == 2)
    s.back().next()
    assert calls == ["a", "b", "b"]


def test_backward_inside_of_a_rule_is_undone():
    w = leaf(2.0)
    (w * 1).backward()

    class Inner(glassgrad.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            with glassgrad.enable_grad():
                ctx.inner = w * w
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            ctx.inner.backward()
            return grad

    x = leaf(1.0)
    s = glassgrad.step(Inner.apply(x)).next()
    assert w.grad.item() == 5.0
    s.back()
    assert w.grad.item() == 1.0
    s.run()
    assert w.grad.item() == 5.0
    assert x.grad.item() == 1.0


def test_backward_deep_inside_of_others_is_undone():
    w = leaf(2.0)

    class Deep(glassgrad.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            with glassgrad.enable_grad():
                ctx.x = leaf(x.item() - 1)
                ctx.y = ctx.x * w
            return ctx.y.detach()

        @staticmethod
        def backward(ctx, grad):
            if ctx.x.item() > 0:
                with glassgrad.enable_grad():
                    Deep.apply(ctx.x).backward()
            ctx.y.backward()
            return grad

    s = glassgrad.step(Deep.apply(leaf(25.0))).next()
    total = w.grad.item()
    s.back()
    assert w.grad is None
    s.next()
    assert w.grad.item() == total == sum(range(25))


def test_a_session_inside_of_a_session_is_undone_with_it():
    w = leaf(2.0)
    y, inner = leaf(1.0) * 1, w * w
    y.register_hook(lambda _: glassgrad.step(inner).run().close())
    s = glassgrad.step(y).next()
    assert w.grad.item() == 4.0
    s.back()
    assert w.grad is None
    s.run()
    assert w.grad.item() == 4.0


@pytest.mark.parametrize("run", [glassgrad.record, glassgrad.Tensor.backward])
def test_a_pass_in_a_hook_is_undone_whether_it_is_recorded_or_not(run):
    w, v = leaf(2.0), leaf(3.0)
    y, square, deeper = leaf(1.0) * 1, w * w, v * v
    square.register_hook(lambda _: run(deeper) and None)
    y.register_hook(lambda _: run(square) and None)
    s = glassgrad.step(y).next()
    assert (w.grad.item(), v.grad.item()) == (4.0, 6.0)
    s.back()
    assert (w.grad, v.grad) == (None, None)
    s.run()
    assert (w.grad.item(), v.grad.item()) == (4.0, 6.0)


@pytest.mark.parametrize("create_graph", [False, True])
def test_a_gradient_that_a_hook_has_written_to_is_as_it_was(create_graph):
    x = leaf([1.0, 2.0])
    y = x * 1

    def triple(grad):
        grad *= 3

    y.register_hook(triple)
    y.grad_fn.register_hook(lambda grads, _: triple(grads[0]))
    loss = (y * y).sum()
    s = glassgrad.step(loss, create_graph=create_graph, granularity="hook").run_until(y)
    before = s.arrived[0].tolist()
    s.next().next()
    assert s.arrived[0].tolist() == [3 * number for number in before]
    s.next().back().back().back()
    assert s.arrived[0].tolist() == before
    s.run()
    assert x.grad.tolist() == [18.0, 36.0]
    if create_graph:  # the hooks run again where that is differentiated
        assert glassgrad.autograd.grad(x.grad.sum(), x)[0].tolist() == [18.0 * 9] * 2


@pytest.mark.parametrize("create_graph", [False, True])
def test_a_gradient_that_a_users_rule_has_written_to_is_as_it_was(create_graph):
    class Doubles(glassgrad.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad.mul_(2)

    x = leaf([1.0, 2.0])
    y = Doubles.apply(x)
    s = glassgrad.step((y * y).sum(), create_graph=create_graph).run_until(y)
    s.next().back().next().back().run()
    assert x.grad.tolist() == [8.0, 16.0]


def test_a_write_into_a_view_is_stepped_back():
    x = leaf([1.0, 2.0, 3.0])
    y = x * 1
    y[:2].exp_()
    s = glassgrad.step((y * y).sum()).run()
    expected = x.grad.tolist()
    back_to_the_start(s)
    assert x.grad is None
    s.run()
    assert x.grad.tolist() == expected


def test_saved_tensor_hooks_unpack_again():
    x = leaf([1.0, 2.0])
    with glassgrad.autograd.graph.saved_tensors_hooks(lambda t: t * 2, lambda t: t / 2):
        y = x * x
    s = glassgrad.step(y.sum()).run()
    back_to_the_start(s).run()
    assert x.grad.tolist() == [2.0, 4.0]


@together
@pytest.mark.parametrize("use_reentrant", [True, False])
@pytest.mark.parametrize("granularity", ["node", "micro"])
def test_a_checkpoint_computes_again(use_reentrant, granularity):
    w = leaf([1.0, 2.0])
    y = checkpoint(lambda a: (a * w).sin() * w, w * 2, use_reentrant=use_reentrant)
    s = glassgrad.step(y.sum(), granularity=granularity).run()
    first = w.grad.tolist()
    back_to_the_start(s)
    assert w.grad is None
    s.run()
    assert w.grad.tolist() == first


def test_a_function_that_clears_what_it_saved_finds_it_again():
    class Clears(glassgrad.autograd.Function):
        clear_saved_tensors_on_access = True

        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * 2 * x

    x = leaf([1.0, 2.0])
    s = glassgrad.step(Clears.apply(x).sum()).run()
    back_to_the_start(s).run()
    assert x.grad.tolist() == [2.0, 4.0]


def test_what_was_queued_for_the_end_is_queued_again():
    x = leaf(2.0)
    y = x * 3
    called = []
    queue = glassgrad.autograd.Variable._execution_engine.queue_callback
    y.register_hook(lambda _: queue(lambda: called.append(1)))
    s = glassgrad.step(y).run()
    back_to_the_start(s).run()
    assert called == [1, 1]


def test_a_stale_tensor_is_still_stale_after_stepping_back():
    x = leaf([1.0, 2.0])
    y = x.exp()
    s = glassgrad.step((y * y).sum()).run_until("Mul")
    with glassgrad.no_grad():
        y.add_(1)
    s.back()
    with pytest.raises(StaleTensorError):
        s.run()


def test_only_what_changes_is_copied():
    size = 1_000_000
    x = glassgrad.ones(size, requires_grad=True)
    x.grad = glassgrad.zeros(size)
    y = glassgrad.ones(size)
    loss = ((x * y * y).view(-1) + y).sum()
    tracemalloc.start()
    s = glassgrad.step(loss).run_until(x)
    before, _ = tracemalloc.get_traced_memory()
    s.run()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < 1.1 * x.nbytes  # the numbers of .grad that were written over


def test_closing_lets_go_of_what_was_freed():
    x = leaf([1.0, 2.0])
    y = x * 1
    kept = weakref.ref(y)
    loss = (y * y).sum()
    del y
    with glassgrad.step(loss) as s:
        s.run()
        assert kept() is not None
    gc.collect()
    assert kept() is None
