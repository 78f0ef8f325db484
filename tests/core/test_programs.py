"""Random programs, run alike by glassgrad and by PyTorch: graphs, order, gradients and errors."""

import re

import numpy as np
import torch
from hypothesis import strategies as st

import glassgrad
from both import spelled, values
from checks import fuzzed
from glassgrad.core.graph import edge_of
from glassgrad.hooks.turn import GraphTask
from random_programs import Run, programs, writing_programs


def same(ours, theirs):
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs, strict=True):
        assert (a is None) == (b is None)
        if a is not None:
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


@fuzzed(programs, st.booleans(), examples=250)
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


@fuzzed(
    programs,
    st.lists(st.integers(0, 40), min_size=1, max_size=4),
    st.booleans(),
    st.booleans(),
    examples=250,
)
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


@fuzzed(programs, st.lists(st.integers(0, 40), min_size=1, max_size=3), examples=250)
def test_random_programs_accumulate_only_at_chosen_inputs(program, picks):
    ours, theirs = Run(glassgrad, program), Run(torch, program)
    if not ours.roots:
        return
    for run in (ours, theirs):
        run.lib.autograd.backward(run.roots, run.seeds, inputs=run.pick(picks))
    assert ours.order == theirs.order
    same(values(x.grad for x in ours.pick(picks)), values(x.grad for x in theirs.pick(picks)))


@fuzzed(writing_programs, st.booleans(), examples=250)
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


@fuzzed(programs, st.booleans(), st.booleans(), examples=250)
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
