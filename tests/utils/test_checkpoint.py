"""Checkpoints: the same gradients, with less kept; every sentence also holds for PyTorch."""

import contextlib
import functools
import importlib
from dataclasses import replace

import numpy as np
import pytest
import torch
import torch.utils.checkpoint

import glassgrad
from both import bare, leaf, make, plain, values
from checks import together
from opcase import Run
from opcases import DIFFERENTIABLE, rows
from utils.checkpoints import VARIANTS, Counted, chain, checkpoint, tools

# Gradients ----------------------------------------------------------------------------------------


@together
@pytest.mark.parametrize("use_reentrant", VARIANTS)
def test_gradients_are_those_without_a_checkpoint(lib, use_reentrant):
    x, y = leaf(lib, [0.3, -0.7]), leaf(lib, [0.3, -0.7])
    checkpoint(lib, chain, x, use_reentrant=use_reentrant).sum().backward()
    chain(y).sum().backward()
    assert x.grad.tolist() == y.grad.tolist()


@together
@pytest.mark.parametrize("use_reentrant", VARIANTS)
def test_the_function_runs_again_in_backward_and_only_then(lib, use_reentrant):
    function = Counted(chain)
    out = checkpoint(lib, function, leaf(lib, [0.3]), use_reentrant=use_reentrant)
    assert function.calls == 1
    out.sum().backward()
    assert function.calls == 2


@together
@pytest.mark.parametrize("use_reentrant", VARIANTS)
def test_all_arguments_reach_the_function_and_all_results_come_back(lib, use_reentrant):
    def function(number, x, word, y):
        return x * y * number, word, None, y * 2

    x, y = leaf(lib, 2.0), leaf(lib, 5.0)
    first, word, nothing, second = checkpoint(
        lib, function, 3, x, "abc", y, use_reentrant=use_reentrant
    )
    assert (word, nothing) == ("abc", None)
    (first + second).backward()
    assert values([first, second, x.grad, y.grad]) == [30.0, 10.0, 15.0, 8.0]


@together
@pytest.mark.parametrize("use_reentrant", VARIANTS)
def test_parameters_of_the_function_get_gradients(lib, use_reentrant):
    x, weight = leaf(lib, 2.0), leaf(lib, 3.0)
    checkpoint(lib, lambda x: (x * weight).exp(), x, use_reentrant=use_reentrant).backward()
    expected = (x.detach() * weight.detach()).exp()
    assert values([x.grad / 3, weight.grad / 2]) == pytest.approx([expected.item()] * 2)


def test_keywords_reach_the_function_without_reentrance(lib):
    x, y = leaf(lib, 2.0), leaf(lib, 3.0)
    out = checkpoint(lib, lambda x, scale=None: x.exp() * scale, x, scale=y)
    assert [g is not None for g in lib.autograd.grad(out, (x, y))] == [True, True]


def test_an_input_in_a_list_takes_part_without_reentrance(lib):
    x = leaf(lib, 2.0)
    checkpoint(lib, lambda xs: xs[0] * xs[0], [x]).backward()
    assert x.grad.item() == 4.0


def test_a_detached_result_is_one_without_reentrance(lib):
    def function(x):
        with lib.no_grad():
            return x * 2

    assert not checkpoint(lib, function, leaf(lib, 2.0)).requires_grad


def test_a_tensor_that_needs_no_gradient_is_saved_as_itself(lib):
    seen = []

    def backward(ctx, grad):
        seen.extend(ctx.saved_tensors)
        return grad, None

    def forward(ctx, x, y):
        ctx.save_for_backward(y)
        return x * 1

    y = plain(lib, 3.0)
    checkpoint(lib, make(lib, forward, backward).apply, leaf(lib, 2.0), y).backward()
    assert seen[0] is y


def test_the_graph_is_the_one_of_the_function(lib):
    out = checkpoint(lib, chain, leaf(lib, [0.3]))
    node, names = out.grad_fn, []
    while node is not None:
        names.append(bare(node.name()))
        node = node.next_functions[0][0] if node.next_functions else None
    assert names == ["SinBackward0", "ExpBackward0", "MulBackward0", "AccumulateGrad"]


def test_the_reentrant_variant_is_one_node(lib):
    out = checkpoint(lib, chain, leaf(lib, [0.3]), use_reentrant=True)
    assert out.grad_fn.name() == "CheckpointFunctionBackward"


def test_gradients_can_be_differentiated_without_reentrance(lib):
    x, y = leaf(lib, 0.3), leaf(lib, 0.3)
    grads = []
    for out, at in ((checkpoint(lib, chain, x), x), (chain(y), y)):
        (first,) = lib.autograd.grad(out, at, create_graph=True)
        (second,) = lib.autograd.grad(first, at, create_graph=True)
        grads.append(values([first, second, *lib.autograd.grad(second, at)]))
    assert grads[0] == pytest.approx(grads[1])


def test_a_retained_graph_is_recomputed_for_each_pass(lib):
    x, function = leaf(lib, 0.3), Counted(chain)
    out = checkpoint(lib, function, x)
    once = [lib.autograd.grad(out, x, retain_graph=True)[0].item() for _ in range(3)]
    assert len(set(once)) == 1
    assert function.calls == 4


@together
@pytest.mark.parametrize("use_reentrant", VARIANTS)
def test_a_freed_graph_says_so(lib, use_reentrant):
    out = checkpoint(lib, chain, leaf(lib, 0.3), use_reentrant=use_reentrant)
    out.backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        out.backward()


@together
@pytest.mark.parametrize("use_reentrant", VARIANTS)
def test_an_input_written_since_is_noticed(lib, use_reentrant):
    x = leaf(lib, [0.3]) * 1
    out = checkpoint(lib, chain, x, use_reentrant=use_reentrant)
    x.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.sum().backward()


@together
@pytest.mark.parametrize("use_reentrant", VARIANTS)
def test_without_recording_the_function_is_just_called(lib, use_reentrant):
    with lib.no_grad():
        out = checkpoint(lib, chain, leaf(lib, 0.3), use_reentrant=use_reentrant)
    assert not out.requires_grad


def test_looking_at_a_saved_tensor_outside_of_a_pass_recomputes_each_time(lib):
    function = Counted(lambda x: x.exp())
    out = checkpoint(lib, function, leaf(lib, 0.0))
    seen = [out.grad_fn._saved_result.item(), out.grad_fn._saved_result.item()]
    assert (seen, function.calls) == ([1.0, 1.0], 3)
    out.backward()
    with pytest.raises(RuntimeError, match="after they have already been freed"):
        out.grad_fn._saved_result  # noqa: B018  # reading it raises


def test_a_part_of_the_graph_can_go_backward_alone(lib):
    def two(x):
        return x.sin(), x.exp()

    x = leaf(lib, 0.0)
    first, second = checkpoint(lib, two, x)
    first.backward()
    second.backward()
    assert x.grad.item() == 2.0


@together
@rows(DIFFERENTIABLE)
def test_every_op_can_be_checkpointed(case, given):
    def checkpointed(op, *args, **kwargs):
        return checkpoint(glassgrad, functools.partial(call, op), *args, **kwargs)

    call, arrays = case.call, case.arrays(given)
    got = Run(replace(case, call=checkpointed), given, arrays).gradients()
    for ours, expected in zip(got, Run(case, given, arrays).gradients(), strict=True):
        assert (ours is None) == (expected is None)
        if ours is not None:
            np.testing.assert_allclose(ours.payload, expected.payload)


# Nested -------------------------------------------------------------------------------------------


def test_a_checkpoint_inside_a_checkpoint_is_recomputed_once_by_each(lib):
    inner = Counted(chain)
    outer = Counted(lambda x: checkpoint(lib, inner, x.cos()).sin())
    x, y = leaf(lib, 0.3), leaf(lib, 0.3)
    checkpoint(lib, outer, x).backward()
    chain(y.cos()).sin().backward()
    assert x.grad.item() == y.grad.item()
    assert (outer.calls, inner.calls) == (2, 3)


@together
@pytest.mark.parametrize("early_stop", [True, False])
def test_a_backward_inside_the_function_works(lib, early_stop):
    def function(x):
        with lib.enable_grad():
            (grad,) = lib.autograd.grad(x.sin().exp(), x, create_graph=True)
        return grad * x

    x, y = leaf(lib, 0.3), leaf(lib, 0.3)
    checkpoint(lib, function, x, early_stop=early_stop).backward()
    function(y).backward()
    assert x.grad.item() == pytest.approx(y.grad.item())


def test_a_backward_inside_the_function_that_frees_its_part_works(lib):
    def function(x):
        a = x.sin().exp()
        (grad,) = lib.autograd.grad(a, x)
        return x.cos() * grad

    x, y = leaf(lib, 0.3), leaf(lib, 0.3)
    checkpoint(lib, function, x).backward()
    function(y).backward()
    assert x.grad.item() == pytest.approx(y.grad.item())


def test_a_pass_inside_a_pass_recomputes_for_itself(lib):
    x = leaf(lib, 0.3)
    first, out = checkpoint(lib, lambda x: (x.sin().exp(), x.sin().exp().cos()), x)
    out.grad_fn.register_hook(lambda *_: first.backward(retain_graph=True))
    out.backward(retain_graph=True)
    y = leaf(lib, 0.3)
    a = y.sin().exp()
    (a + a.cos()).backward()
    assert x.grad.item() == pytest.approx(y.grad.item())


@together
@pytest.mark.parametrize("use_reentrant", VARIANTS)
def test_checkpoints_in_a_row_work_in_segments(lib, use_reentrant):
    steps = [Counted(lambda x: x.sin()) for _ in range(5)]
    x, y = leaf(lib, 0.3), leaf(lib, 0.3)
    run = tools(lib).checkpoint_sequential
    run(steps, 2, x, use_reentrant=use_reentrant).backward()
    y.sin().sin().sin().sin().sin().backward()
    assert x.grad.item() == y.grad.item()
    assert [step.calls for step in steps] == [2, 2, 1, 1, 1]


def test_a_sequential_can_be_run_in_segments(lib):
    model = lib.nn.Sequential(*[lib.nn.Linear(3, 3) for _ in range(3)])
    x = lib.ones(2, 3, requires_grad=True)
    out = tools(lib).checkpoint_sequential(model, 3, x, use_reentrant=False)
    assert out.tolist() == model(x).tolist()
    out.sum().backward()
    assert all(p.grad is not None for p in model.parameters())


def test_more_segments_than_functions_are_refused(lib):
    with pytest.raises(ValueError, match=r"zero|cannot be cut into 5 segments"):
        tools(lib).checkpoint_sequential([chain] * 3, 5, leaf(lib, 0.3), use_reentrant=False)


# Early stop ---------------------------------------------------------------------------------------


@together
@pytest.mark.parametrize(
    ("options", "block", "calls"),
    [
        ({}, None, 1),
        ({"early_stop": False}, None, 2),
        ({}, False, 2),
        ({"early_stop": False}, True, 1),
    ],
)
def test_the_second_run_stops_when_all_is_there(lib, options, block, calls):
    late = Counted(lambda x: x.clone())
    override = tools(lib).set_checkpoint_early_stop
    with contextlib.nullcontext() if block is None else override(block):
        out = checkpoint(lib, lambda x: late(x.sin().cos()), leaf(lib, 0.3), **options)
    out.backward()
    assert late.calls == calls


def test_a_function_that_catches_errors_does_not_stop_the_early_stop():
    def function(x):
        try:
            return x.exp()
        except Exception:  # noqa: BLE001  # what a user may write
            return x.sin()

    x = leaf(glassgrad, 0.0)
    checkpoint(glassgrad, function, x).backward()
    assert x.grad.item() == 1.0


@pytest.mark.parametrize("lib", [glassgrad, torch])
def test_names_of_checkpoints_that_libraries_import_are_there(lib):
    home = lib.utils.checkpoint
    with pytest.warns(UserWarning, match="None of the inputs have requires_grad=True"):
        home.check_backward_validity([lib.ones(1), 3])
    home.DefaultDeviceType.set_device_type("cpu")
    assert home.DefaultDeviceType.get_device_type() == "cpu"
    assert home.CheckpointPolicy.MUST_SAVE.value == 0
    assert home.CheckpointPolicy(3) is home.CheckpointPolicy.PREFER_RECOMPUTE
    with pytest.raises(TypeError, match="policy_fn_or_list must be either a function or a list"):
        home.create_selective_checkpoint_contexts(3)

    def recompute(*_, **__):
        return home.CheckpointPolicy.PREFER_RECOMPUTE

    x = lib.ones(2, requires_grad=True)
    contexts = functools.partial(home.create_selective_checkpoint_contexts, recompute)
    home.checkpoint(lib.exp, x, use_reentrant=False, context_fn=contexts).sum().backward()
    assert x.grad.tolist() == x.exp().tolist()


def test_a_batched_pass_in_no_grad_mode_recomputes_once(lib):
    checkpoint = importlib.import_module(f"{lib.__name__}.utils.checkpoint").checkpoint
    x = lib.zeros(3, requires_grad=True)
    y = checkpoint(lambda x: x.sin(), x, use_reentrant=False)
    with lib.no_grad():
        (rows,) = lib.autograd.grad(y, x, lib.eye(3), is_grads_batched=True)
    assert rows.tolist() == lib.eye(3).tolist()
