"""The backward pass: what runs, in which order, what it leaves behind, and what it refuses."""

import gc
import re
import threading

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import glassgrad
from both import leaf, plain, spelled, values
from glassgrad.core.engine import GraphTask
from glassgrad.core.graph import edge_of
from programs import Run, programs, writing_programs

FUZZ = settings(
    max_examples=250, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck)
)


def same(ours, theirs):
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs, strict=True):
        assert (a is None) == (b is None)
        if a is not None:
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


# Random programs against PyTorch ----------------------------------------------------------------


@FUZZ
@given(programs, st.booleans())
def test_random_programs_run_and_accumulate_as_in_pytorch(program, hooked):
    ours, theirs = Run(glassgrad, program, hooked=hooked), Run(torch, program, hooked=hooked)
    assert spelled(*[x.grad_fn for x in ours.roots]) == spelled(*[x.grad_fn for x in theirs.roots])
    if not ours.roots:
        return
    for _ in range(2):
        for run in (ours, theirs):
            run.lib.autograd.backward(run.roots, run.seeds, retain_graph=True)
        assert ours.order == theirs.order
        same(ours.grads, theirs.grads)
        same(ours.retained, theirs.retained)


@FUZZ
@given(programs, st.lists(st.integers(0, 40), min_size=1, max_size=4), st.booleans(), st.booleans())
def test_random_programs_give_the_same_grad_of_anything(program, picks, create_graph, hooked):
    ours, theirs = Run(glassgrad, program, hooked=hooked), Run(torch, program, hooked=hooked)
    if not ours.roots:
        return
    found = []
    for run in (ours, theirs):
        wanted = run.pick(picks)
        options = {"allow_unused": True, "create_graph": create_graph}
        found.append(run.lib.autograd.grad(run.roots, wanted, run.seeds, **options))
    assert ours.order == theirs.order
    same(values(found[0]), values(found[1]))
    for a, b in zip(*found, strict=True):
        assert a is None or a.requires_grad == b.requires_grad


@FUZZ
@given(programs, st.lists(st.integers(0, 40), min_size=1, max_size=3))
def test_random_programs_accumulate_only_at_chosen_inputs(program, picks):
    ours, theirs = Run(glassgrad, program), Run(torch, program)
    if not ours.roots:
        return
    for run in (ours, theirs):
        run.lib.autograd.backward(run.roots, run.seeds, inputs=run.pick(picks))
    assert ours.order == theirs.order
    same(values(x.grad for x in ours.pick(picks)), values(x.grad for x in theirs.pick(picks)))


@FUZZ
@given(writing_programs, st.booleans())
def test_random_programs_that_write_in_place_agree_even_in_their_errors(program, hooked):
    outcomes = []
    for lib in (glassgrad, torch):
        run = Run(lib, program, hooked=hooked)
        shape = spelled(*[x.grad_fn for x in run.roots])
        try:
            if run.roots:
                lib.autograd.backward(run.roots, run.seeds)
            error = None
        except RuntimeError as caught:
            # Of two stale tensors PyTorch names the one that comes first in the alphabet.
            found = re.search("modified by an inplace operation", str(caught))
            error = found[0] if found else str(caught)
        versions = [x._version for x in run.made]
        outcomes.append((run, shape, error, versions))
    ours, theirs = outcomes
    assert ours[1:] == theirs[1:]
    same(values(x.detach() for x in ours[0].made), values(x.detach() for x in theirs[0].made))
    if ours[2] is None:
        assert ours[0].order == theirs[0].order
        same(ours[0].grads, theirs[0].grads)
        same(ours[0].retained, theirs[0].retained)


@FUZZ
@given(programs, st.booleans(), st.booleans())
def test_a_watched_pass_does_what_an_unwatched_pass_does(program, hooked, create_graph):
    runs = [Run(glassgrad, program, hooked=hooked) for _ in range(2)]
    if not runs[0].roots:
        return
    tasks = [task_of(run, create_graph) for run in runs]
    tasks[0].run()
    kinds = []
    while (phase := tasks[1].step()) is not None:
        kinds.append(phase.kind)
    assert runs[0].order == runs[1].order
    same(runs[0].grads, runs[1].grads)
    same(runs[0].retained, runs[1].retained)
    assert kinds.count("ready") == len(tasks[1].schedule)
    assert not tasks[0].buffers
    assert not tasks[1].buffers


def task_of(run, create_graph=False):
    seeds = run.seeds if create_graph else [seed.payload for seed in run.seeds]
    edges = [edge_of(root) for root in run.roots]
    return GraphTask(edges, seeds, create_graph=create_graph)


def test_the_million_node_chain_needs_no_recursion():
    x = glassgrad.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(1_000_000):
        y = -y
    y.backward()
    assert x.grad.item() == 1.0
    del y


def test_a_long_chain_of_user_functions_needs_no_recursion():
    class Same(glassgrad.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            (_,) = ctx.saved_tensors
            return grad

    x = glassgrad.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(50_000):
        y = Same.apply(y)
    y.backward()
    assert x.grad.item() == 1.0
    del y


def test_stacked_diamonds_are_visited_once_each(lib):
    x = leaf(lib, 1.0)
    y = x
    for _ in range(30):
        y = y + y
    y.backward()
    assert x.grad.item() == 2.0**30


# Garbage, and who owns a gradient ---------------------------------------------------------------


@pytest.mark.parametrize("create_graph", [False, True])
def test_a_step_leaves_nothing_for_the_garbage_collector(create_graph):
    class Twice(glassgrad.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x * 2
            ctx.save_for_backward(x, y)
            return y

        @staticmethod
        def backward(ctx, grad):
            _, y = ctx.saved_tensors
            return grad * y / y * 2

    def step():
        x = leaf(glassgrad, [1.0, 2.0])
        y = Twice.apply((x * x).tanh().exp() + x)
        y.retain_grad()
        y.register_hook(lambda grad: grad * 1)
        (grad,) = glassgrad.autograd.grad(
            y, x, plain(glassgrad, [1.0, 1.0]), create_graph=create_graph, retain_graph=True
        )
        y.backward(plain(glassgrad, [1.0, 1.0]))
        return grad.tolist()

    step()
    gc.collect()
    gc.disable()
    try:
        step()
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_two_leaves_never_share_a_gradient(lib):
    x, y = leaf(lib, [1.0, 2.0]), leaf(lib, [3.0, 4.0])
    seed = plain(lib, [1.0, 1.0])
    (x + y).backward(seed)
    x.grad.add_(10)
    assert y.grad.tolist() == [1.0, 1.0]
    assert seed.tolist() == [1.0, 1.0]


def test_a_gradient_returned_twice_is_not_shared(lib):
    class Add(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x + y

        @staticmethod
        def backward(ctx, grad):
            return grad, grad

    x, y = leaf(lib, [1.0, 2.0]), leaf(lib, [3.0, 4.0])
    Add.apply(x, y).backward(plain(lib, [1.0, 1.0]))
    x.grad.add_(10)
    assert y.grad.tolist() == [1.0, 1.0]


def test_a_gradient_that_a_hook_kept_does_not_change_later(lib):
    x = leaf(lib, [1.0, 2.0])
    kept = []
    x.register_hook(kept.append)
    (x * 2).backward(plain(lib, [1.0, 1.0]))
    (x * 3).backward(plain(lib, [1.0, 1.0]))
    assert values(kept) == [[2.0, 2.0], [3.0, 3.0]]
    assert x.grad.tolist() == [5.0, 5.0]


def test_the_gradient_that_retain_grad_kept_does_not_change_later(lib):
    x = leaf(lib, [1.0, 2.0])
    y = x * 2
    y.retain_grad()
    (y + y * 3).backward(plain(lib, [1.0, 1.0]))
    x.grad.zero_()
    assert y.grad.tolist() == [4.0, 4.0]


@pytest.mark.filterwarnings("ignore:Using backward.. with create_graph=True")
def test_accumulation_is_in_place_without_and_out_of_place_with_create_graph(lib):
    x = leaf(lib, [1.0, 2.0])
    seed = plain(lib, [1.0, 1.0])
    (x * x).backward(seed)
    first = x.grad
    (x * x).backward(seed)
    assert x.grad is first
    assert first.tolist() == [4.0, 8.0]
    (x * x).backward(seed, create_graph=True)
    assert x.grad is not first
    assert first.tolist() == [4.0, 8.0]
    assert x.grad.tolist() == [6.0, 12.0]
    assert x.grad.requires_grad


def test_a_seed_is_never_written(lib):
    x = leaf(lib, [1.0, 2.0])
    y = x * 1
    seed = plain(lib, [1.0, 1.0])
    lib.autograd.backward([y, y, y], [seed, seed, seed])
    assert seed.tolist() == [1.0, 1.0]
    assert x.grad.tolist() == [3.0, 3.0]


def test_a_broadcast_gradient_becomes_a_whole_array(lib):
    x = leaf(lib, [1.0, 2.0, 3.0])
    x.sum().backward()
    x.grad[0] = 5.0
    assert x.grad.tolist() == [5.0, 1.0, 1.0]


# Asking for gradients ---------------------------------------------------------------------------


def test_duplicated_roots_and_inputs_count_twice(lib):
    x = leaf(lib, [1.0, 2.0])
    seed = plain(lib, [1.0, 1.0])
    y = x * x
    found = lib.autograd.grad([y, y], [x, x, y], [seed, seed])
    assert values(found) == [[4.0, 8.0], [4.0, 8.0], [2.0, 2.0]]


def test_a_root_that_is_a_leaf_gets_its_seed(lib):
    x = leaf(lib, [1.0, 2.0])
    x.backward(plain(lib, [3.0, 4.0]))
    assert x.grad.tolist() == [3.0, 4.0]
    (found,) = lib.autograd.grad(x, x, plain(lib, [5.0, 6.0]))
    assert found.tolist() == [5.0, 6.0]
    assert x.grad.tolist() == [3.0, 4.0]


def test_a_root_that_is_also_a_leaf_of_another_root_gets_the_sum(lib):
    x = leaf(lib, 2.0)
    lib.autograd.backward([x, x * x])
    assert x.grad.item() == 5.0


def test_an_unused_input_is_an_error_unless_allowed(lib):
    x, y = leaf(lib, 1.0), leaf(lib, 2.0)
    with pytest.raises(RuntimeError, match="appears to not have been used in the graph"):
        lib.autograd.grad(x * 2, [x, y])
    assert lib.autograd.grad(x * 2, [y], allow_unused=True) == (None,)
    (zero,) = lib.autograd.grad(x * 2, [y], materialize_grads=True)
    assert zero.item() == 0.0


def test_zeros_for_unused_inputs_and_an_error_for_them_exclude_each_other(lib):
    x = leaf(lib, 1.0)
    with pytest.raises(ValueError, match="Expected allow_unused to be True or not passed"):
        lib.autograd.grad(x * 2, x, allow_unused=False, materialize_grads=True)


def test_backward_of_unreachable_inputs_runs_nothing(lib):
    ran = []

    class Loud(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            ran.append(grad)
            return grad

    x, y = leaf(lib, 1.0), leaf(lib, 2.0)
    Loud.apply(x).backward(inputs=[y])
    assert lib.autograd.grad(Loud.apply(x), y, allow_unused=True) == (None,)
    assert ran == []
    assert x.grad is None
    assert y.grad is None


def test_backward_with_no_inputs_is_refused(lib):
    with pytest.raises(RuntimeError, match=r"argument to `backward\(\)` cannot be empty"):
        (leaf(lib, 1.0) * 2).backward(inputs=[])


def test_only_the_path_to_the_inputs_runs(lib):
    x, y = leaf(lib, 2.0), leaf(lib, 3.0)
    ran = []
    left, right = x * 2, y * 3
    left.grad_fn.register_prehook(lambda _: ran.append("left"))
    right.grad_fn.register_prehook(lambda _: ran.append("right"))
    (left + right).backward(inputs=[x])
    assert ran == ["left"]
    assert y.grad is None


def test_gradients_of_gradients(lib):
    x = leaf(lib, 2.0)
    (first,) = lib.autograd.grad(x**3, x, create_graph=True)
    (second,) = lib.autograd.grad(first, x, create_graph=True)
    (third,) = lib.autograd.grad(second, x)
    assert values([first, second, third]) == [12.0, 12.0, 6.0]


def test_gradients_with_respect_to_a_seed(lib):
    x, seed = leaf(lib, 2.0), leaf(lib, 1.0)
    (first,) = lib.autograd.grad(x**3, x, seed, create_graph=True)
    (found,) = lib.autograd.grad(first, seed)
    assert found.item() == 12.0


def test_edges_stand_for_tensors(lib):
    x = leaf(lib, 3.0)
    y = x * x
    edges = [lib.autograd.graph.get_gradient_edge(t) for t in (x, y)]
    assert values(lib.autograd.grad(y * 2, edges)) == [12.0, 2.0]


def test_zeros_for_unused_inputs_can_be_differentiated_again(lib):
    x = leaf(lib, 0.5)
    y = x * leaf(lib, 1.0)
    first = lib.autograd.grad(y, x, create_graph=True)
    assert lib.autograd.grad(first, x, create_graph=True, allow_unused=True) == (None,)
    options = {"create_graph": True, "materialize_grads": True}
    second = lib.autograd.grad(first, x, **options)
    assert second[0].requires_grad
    assert values(lib.autograd.grad(second, x, materialize_grads=True)) == [0.0]


def test_there_are_no_zeros_for_an_edge(lib):
    x, y = leaf(lib, 1.0), leaf(lib, 2.0) * 1
    edge = lib.autograd.graph.get_gradient_edge(y)
    with pytest.raises(RuntimeError, match="materialize_grads cannot be used when the given inpu"):
        lib.autograd.grad(x * 2, [x, edge], materialize_grads=True)


def test_edges_may_be_the_inputs_of_backward(lib):
    x = leaf(lib, 3.0)
    y = x * 2
    edges = [lib.autograd.graph.get_gradient_edge(t) for t in (x, y)]
    (y * y).backward(inputs=edges)
    assert x.grad.item() == 24.0


def test_batched_seeds_give_the_rows_of_a_jacobian(lib):
    x = leaf(lib, [1.0, 2.0])
    seeds = plain(lib, [[1.0, 0.0], [0.0, 1.0]])
    (rows,) = lib.autograd.grad(x * x, x, seeds, is_grads_batched=True)
    assert rows.tolist() == [[2.0, 0.0], [0.0, 4.0]]


# A graph used again -----------------------------------------------------------------------------


def test_a_freed_graph_says_so(lib):
    y = leaf(lib, 2.0).exp()
    y.backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.backward()


def test_a_graph_that_saved_nothing_can_run_again(lib):
    x = leaf(lib, 2.0)
    y = x + x - 1
    y.backward()
    y.backward()
    assert x.grad.item() == 4.0


def test_retained_graphs_run_again(lib):
    x = leaf(lib, 2.0)
    y = x * x
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.item() == 8.0


def test_create_graph_retains_unless_told_otherwise(lib):
    x = leaf(lib, 2.0)
    y = x * x
    lib.autograd.grad(y, x, create_graph=True)
    lib.autograd.grad(y, x, create_graph=True, retain_graph=False)
    with pytest.raises(RuntimeError, match="second time"):
        lib.autograd.grad(y, x)


def test_only_nodes_that_ran_are_freed(lib):
    x, y = leaf(lib, 2.0), leaf(lib, 3.0)
    left, right = x * x, y * y
    lib.autograd.grad(left + right, x)
    assert lib.autograd.grad(right, y)[0].item() == 6.0
    with pytest.raises(RuntimeError, match="second time"):
        lib.autograd.grad(left, x)


# Shapes and dtypes ------------------------------------------------------------------------------


def test_a_broadcast_operand_gets_a_gradient_of_its_own_shape(lib):
    x, y = leaf(lib, [[1.0], [2.0]]), leaf(lib, [3.0, 4.0, 5.0])
    (x * y).sum().backward()
    assert x.grad.tolist() == [[12.0], [12.0]]
    assert y.grad.tolist() == [3.0, 3.0, 3.0]


def test_a_gradient_is_cast_to_the_dtype_of_its_leaf(lib):
    x = lib.tensor([1.0, 2.0], dtype=lib.float32, requires_grad=True)
    y = leaf(lib, [3.0, 4.0])
    (x * y).backward(plain(lib, [1.0, 1.0]))
    assert x.grad.dtype == lib.float32
    assert y.grad.dtype == lib.float64


# Bad input --------------------------------------------------------------------------------------


def test_backward_of_a_vector_needs_a_gradient(lib):
    x = leaf(lib, [1.0, 2.0])
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar output"):
        (x * 2).backward()
    assert x.grad is None


def test_backward_needs_something_that_requires_grad(lib):
    with pytest.raises(RuntimeError, match="does not require grad and does not have a grad_fn"):
        (plain(lib, 1.0) * 2).backward()
    with pytest.raises(RuntimeError, match="does not require grad and does not have a grad_fn"):
        plain(lib, 1.0).backward()


def test_gradients_with_respect_to_a_constant_are_refused(lib):
    x = leaf(lib, 1.0)
    with pytest.raises(RuntimeError, match="does not require grad"):
        lib.autograd.grad(x * 2, plain(lib, 1.0))


@pytest.mark.parametrize("shape", [[1.0], [1.0, 2.0, 3.0], [[1.0, 2.0]]])
def test_a_seed_of_another_shape_is_refused(lib, shape):
    x = leaf(lib, [1.0, 2.0])
    with pytest.raises(RuntimeError, match="Mismatch in shape: grad_output"):
        (x * 2).backward(plain(lib, shape))
    assert x.grad is None


def test_a_seed_that_is_no_tensor_is_refused(lib):
    with pytest.raises(TypeError, match="gradients can be either Tensors or None, but got"):
        lib.autograd.backward([leaf(lib, 1.0) * 2], [1.0])


def test_the_number_of_seeds_must_fit(lib):
    x = leaf(lib, 1.0)
    with pytest.raises(RuntimeError, match="got 2 tensors and 1 gradients"):
        lib.autograd.backward([x * 2, x * 3], [plain(lib, 1.0)])
    assert x.grad is None


def test_a_seed_too_many_is_refused():
    x = leaf(glassgrad, 1.0)
    with pytest.raises(RuntimeError, match="got 1 tensors and 2 gradients"):
        glassgrad.autograd.backward([x * 2], [plain(glassgrad, 1.0)] * 2)


@pytest.mark.parametrize("outputs", [3.0, "x", None])
def test_roots_that_are_no_tensors_are_refused(outputs):
    with pytest.raises(TypeError, match="expected Tensors or GradientEdges"):
        glassgrad.autograd.backward(outputs)


# Exceptions -------------------------------------------------------------------------------------


def failing(lib, error):
    class Fail(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            raise error

    return Fail.apply


@pytest.mark.parametrize("error", [ValueError("boom"), KeyboardInterrupt("boom"), SystemExit(3)])
@pytest.mark.parametrize("place", ["backward", "tensor hook", "prehook", "posthook", "leaf hook"])
def test_after_an_exception_the_next_pass_works(lib, error, place):
    if lib is torch and not isinstance(error, ValueError):
        return  # PyTorch may run backward in another thread, which dies of these

    def fail(*_):
        raise error

    x = leaf(lib, 3.0)
    y = x * x
    handle = None
    if place == "backward":
        z = failing(lib, error)(y)
    else:
        z = y * 1
        handle = {
            "tensor hook": y.register_hook,
            "prehook": y.grad_fn.register_prehook,
            "posthook": y.grad_fn.register_hook,
            "leaf hook": x.register_hook,
        }[place](fail)
    with lib.no_grad(), pytest.raises(type(error)):
        z.backward(retain_graph=True)
    assert lib.is_grad_enabled()
    assert x.grad is None
    if handle is not None:
        handle.remove()
    (y * 1).backward()
    assert x.grad.item() == 6.0


def test_an_exception_keeps_its_type_and_the_line_that_raised_it(lib):
    class OwnError(Exception):
        pass

    y = failing(lib, OwnError("mine"))(leaf(lib, 1.0))
    with pytest.raises(OwnError, match="mine") as caught:
        y.backward()
    assert caught.traceback[-1].name == "backward"


def test_an_exception_empties_the_buffers():
    x = leaf(glassgrad, 1.0)
    y = failing(glassgrad, ValueError("boom"))(x) + x * 2
    task = GraphTask([edge_of(y)], [np.ones(())])
    with pytest.raises(ValueError, match="boom"):
        task.run()
    assert task.buffers == {}


def test_a_watched_pass_that_is_closed_leaves_the_graph_usable():
    x = leaf(glassgrad, 3.0)
    y = x * x
    task = GraphTask([edge_of(y)], [np.ones(())])
    task.step()
    task.close()
    assert task.buffers == {}
    assert glassgrad.is_grad_enabled()
    y.backward()
    assert x.grad.item() == 6.0


def test_a_watched_pass_owns_the_modes_only_while_it_steps():
    x = leaf(glassgrad, 3.0)
    seen = []
    x.register_hook(lambda grad: seen.append(glassgrad.is_grad_enabled()))
    task = GraphTask([edge_of(x * x)], [np.ones(())])
    while task.step() is not None:
        assert glassgrad.is_grad_enabled()
    assert seen == [False]


# Backward inside backward, and threads ----------------------------------------------------------


def test_backward_inside_backward_accumulates_and_restores_the_mode(lib):
    modes = []

    class Inner(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            with lib.enable_grad():
                y = leaf(lib, 2.0)
                (y * y).backward()
                modes.append(lib.is_grad_enabled())
            modes.append(lib.is_grad_enabled())
            return grad * y.grad

    x = leaf(lib, 1.0)
    (Inner.apply(x) * 3).backward()
    assert x.grad.item() == 12.0
    assert modes == [True, False]
    assert lib.is_grad_enabled()


def test_backward_may_be_nested_two_thousand_deep(lib):
    class Deep(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            with lib.enable_grad():
                ctx.x = leaf(lib, x.item() - 1)
                ctx.y = ctx.x * 1
            return ctx.y.detach()

        @staticmethod
        def backward(ctx, grad):
            if ctx.x.item() > 0:
                with lib.enable_grad():
                    Deep.apply(ctx.x).backward()
            return grad

    x = leaf(lib, 2000.0)
    Deep.apply(x).backward()
    assert x.grad.item() == 1.0


def test_an_exception_comes_back_from_any_depth(lib):
    class Deep(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.depth = int(x.item())
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            if ctx.depth == 0:
                raise ValueError("at the bottom")
            with lib.enable_grad():
                Deep.apply(leaf(lib, ctx.depth - 1.0)).backward()
            return grad

    with pytest.raises(ValueError, match="at the bottom"):
        Deep.apply(leaf(lib, 70.0)).backward()
    assert lib.is_grad_enabled()
    x = leaf(lib, 1.0)
    (x * 2).backward()
    assert x.grad.item() == 2.0


def test_hooks_may_run_another_backward(lib):
    x, y = leaf(lib, 2.0), leaf(lib, 3.0)
    other = y * y
    x.register_hook(lambda grad: other.backward())
    (x * x).backward()
    assert values([x.grad, y.grad]) == [4.0, 6.0]


def test_backward_works_under_no_grad(lib):
    x = leaf(lib, 2.0)
    y = x * x
    with lib.no_grad():
        y.backward()
    assert x.grad.item() == 4.0


def test_threads_may_share_a_leaf(lib):
    size = 50_000  # large enough for NumPy to let other threads run during an addition
    x = lib.ones(size, dtype=lib.float64, requires_grad=True)
    seed = lib.ones(size, dtype=lib.float64)
    barrier = threading.Barrier(4)

    def work():
        barrier.wait()
        for _ in range(20):
            (x * 2).backward(seed)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(x.grad.tolist()) == {160.0}
