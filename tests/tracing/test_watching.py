"""Every pass of a block: recorded or stepped, put together, and what is refused."""

import gc
import threading
import warnings
import weakref

import pytest
from hypothesis import strategies as st

import glassgrad
from both import bare
from checks import fuzzed
from glassgrad import autograd, tensor
from glassgrad.core import state
from glassgrad.core.errors import ArgumentError, ArgumentTypeError, GradientError, GraphError
from glassgrad.func import grad, vmap
from glassgrad.tracing import watching
from random_programs import Run, programs, writing_programs
from tracing.stepping import Inner, leaf, result_of


def ran(trace):
    names = {node["id"]: node["op"].removesuffix("Backward0") for node in trace.nodes}
    return [names[node] for node in trace.schedule()]


# The block --------------------------------------------------------------------------------------


def test_without_a_pass_there_is_nothing():
    with watching() as passes:
        leaf(2.0).exp()
    assert (len(passes), repr(passes)) == (0, "no passes")


def test_passes_are_a_sequence_of_traces():
    with watching() as passes:
        leaf(2.0).exp().backward()
        leaf(2.0).sin().backward()
    assert [ran(trace)[0] for trace in passes] == ["Exp", "Sin"]
    assert ran(passes[-1]) == ["Sin", "AccumulateGrad"]
    assert passes[:1] == [passes[0]]
    assert repr(passes).startswith("2 passes:\n  0  base tape: Trace(2 nodes, 1 leaf,")


def test_after_the_block_nothing_is_watched():
    with watching() as passes:
        pass
    leaf(2.0).exp().backward()
    assert len(passes) == 0
    assert state.modes.watcher is None
    assert state.watching == set()


def test_of_two_blocks_the_inner_one_gets_the_passes():
    with watching() as outer:
        leaf(2.0).exp().backward()
        with watching() as inner:
            leaf(2.0).sin().backward()
        leaf(2.0).cos().backward()
    assert [ran(trace)[0] for trace in outer] == ["Exp", "Cos"]
    assert [ran(trace)[0] for trace in inner] == ["Sin"]


def test_passes_of_other_threads_are_theirs():
    with watching() as passes:
        thread = threading.Thread(target=lambda: leaf(2.0).exp().backward())
        thread.start()
        thread.join()
    assert len(passes) == 0


def test_step_and_record_keep_logs_of_their_own():
    with watching() as passes:
        glassgrad.record(leaf(2.0).exp())
        glassgrad.step(leaf(2.0).exp()).run()
    assert len(passes) == 0


def test_all_elements_are_kept_if_asked_for():
    with watching(values="full") as passes:
        leaf([1.0] * 9).exp().sum().backward()
    assert len(passes[0].arrays[passes[0].leaves[0]["array"]]["values"]) == 9


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ({"values": "all"}, ArgumentError, "'summary' or 'full', got 'all'"),
        ({"on_pass": 3}, ArgumentTypeError, "given a int. It calls"),
    ],
)
def test_wrong_arguments_are_refused(arguments, error, said):
    with pytest.raises(error, match=said), watching(**arguments):
        pass


# Passes inside of passes --------------------------------------------------------------------------


def test_a_pass_in_a_users_rule_comes_after_the_one_it_is_inside_of():
    x = leaf([1.0, 2.0])
    with watching() as passes:
        Inner.apply(x).sum().backward()
    assert [ran(trace) for trace in passes] == [
        ["Sum", "InnerBackward", "AccumulateGrad"],
        ["Sum", "Mul"],
    ]
    assert x.grad.tolist() == [2.0, 4.0]


def test_a_pass_in_a_hook_is_watched_too():
    x, inner = leaf(1.0), leaf(5.0).sin()
    y = x.exp()
    y.register_hook(lambda _: inner.backward())
    with watching() as passes:
        y.backward()
    assert [ran(trace)[0] for trace in passes] == ["Exp", "Sin"]


def test_both_may_be_stepped():
    places = []

    def note(session):
        while not session.is_done:
            places.append(bare(session.current.name()))
            session.next()

    with watching(note):
        Inner.apply(leaf([1.0, 2.0])).sum().backward()
    inner = ["SumBackward0", "MulBackward0", "AccumulateGrad"]
    assert places == ["SumBackward0", "InnerBackward", *inner, "AccumulateGrad"]


def test_passes_two_hundred_deep_are_watched():
    class Deep(autograd.Function):
        @staticmethod
        def forward(ctx, x, depth):
            ctx.depth = depth
            return x.detach()

        @staticmethod
        def backward(ctx, gradient):
            if ctx.depth:
                with glassgrad.enable_grad():
                    Deep.apply(leaf(1.0), ctx.depth - 1).backward()
            return gradient, None

    with watching() as passes:
        Deep.apply(leaf(1.0), 200).backward()
    assert len(passes) == 201


@pytest.mark.parametrize("kind", ["hook", "rule"])
def test_an_exception_inside_ends_all_passes_and_each_has_its_log(kind):
    x, z = leaf([1.0, 2.0]), leaf(5.0)
    y = x.exp()

    def fail(_):
        raise GradientError("no")

    inner = z.sin()
    inner.register_hook(fail)
    y.register_hook(lambda _: inner.backward())
    before = {name: getattr(state.modes, name) for name in vars(state.modes)}
    with pytest.raises(GradientError, match="no"), watching() as passes:
        y.sum().backward()
    assert {name: getattr(state.modes, name) for name in vars(state.modes)} == before
    assert state.watching == set()
    assert [trace.events[-1]["type"] for trace in passes] == ["error", "error"]
    assert x.grad is z.grad is None
    assert y.grad_fn.saved_tensors is not None


@pytest.mark.parametrize("on_pass", [None, lambda session: session.next()])
def test_after_the_block_no_graph_is_kept_alive(on_pass):
    nodes = []

    def f(x):
        y = x.exp()
        nodes.append(weakref.ref(y.grad_fn))
        return y.sin().sum()

    gc.disable()
    try:
        with watching(on_pass) as passes:
            vmap(grad(f))(tensor([[1.0, 2.0]]))
            f(leaf([1.0, 2.0])).backward()
        assert [node() for node in nodes] == [None, None]
    finally:
        gc.enable()
    assert len(passes) == 2


# Called at each pass ----------------------------------------------------------------------------


def test_what_is_left_of_a_pass_runs_when_the_call_returns():
    x = leaf([1.0, 2.0])
    with watching(lambda session: session.next()) as passes:
        x.exp().sum().backward()
    assert ran(passes[0]) == ["Sum", "Exp", "AccumulateGrad"]
    assert x.grad is not None


def test_a_session_that_was_closed_early_is_an_error():
    def leave(session):
        with session:
            session.next()

    x = leaf([1.0, 2.0])
    with pytest.raises(GraphError, match="closed its session after 1 of 3 nodes"), watching(leave):
        x.exp().sum().backward()
    assert x.grad is None


def test_a_session_that_was_closed_at_the_end_is_none():
    def through(session):
        with session:
            session.run()

    x = leaf([0.0])
    with watching(through):
        x.exp().sum().backward()
    assert x.grad.tolist() == [1.0]


def test_passes_that_the_call_runs_itself_are_not_watched():
    calls = []

    def look(session):
        calls.append(session)
        leaf(2.0).exp().backward()

    with watching(look) as passes:
        leaf([1.0]).sin().sum().backward()
    assert (len(calls), len(passes)) == (1, 1)


# All as one -------------------------------------------------------------------------------------


def test_a_node_that_ran_twice_is_there_once():
    x = leaf([1.0, 2.0])
    y = x.exp().sum()
    with watching() as passes:
        y.backward(retain_graph=True)
        y.backward()
    whole = passes.together()
    assert [node["op"] for node in whole.nodes] == [node["op"] for node in passes[0].nodes]
    assert len(whole.events) == len(passes[0].events) + len(passes[1].events)
    assert len(whole.outputs) == 1


def test_a_leaf_of_two_graphs_is_one_leaf():
    x = leaf([1.0, 2.0])
    with watching() as passes:
        x.exp().sum().backward()
        x.sin().sum().backward()
    whole = passes.together()
    assert [node["op"] for node in whole.nodes].count("AccumulateGrad") == len(whole.leaves) == 1


def test_hooks_and_storages_keep_apart_what_is_apart():
    x = leaf([1.0, 2.0])
    y = x.exp()
    y.register_hook(lambda grad: grad * 2)
    with watching() as passes:
        y.sum().backward()
        z = leaf([3.0]).exp()
        z.register_hook(lambda grad: grad * 2)
        z.sum().backward()
    nodes = passes.together().nodes
    assert [hook["id"] for node in nodes for hook in node.get("hooks", ())] == ["h1", "h2"]
    assert [saved["storage"] for node in nodes for saved in node.get("saved", ())] == ["s0", "s1"]


def test_it_is_refused_inside_of_the_block_and_without_a_pass():
    with watching() as passes:
        leaf(1.0).exp().backward()
        with pytest.raises(GraphError, match="the block has not ended"):
            passes.together()
    with watching() as passes:
        pass
    with pytest.raises(GraphError, match="none ran in the block"):
        passes.together()


def test_the_picture_has_a_frame_for_each_level():
    xs = leaf([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with watching() as passes:
        vmap(grad(lambda x: (x * x).sum()))(xs).sum().backward()
    graph = glassgrad.draw(passes).graph
    assert [c.title for c in graph.clusters] == ["level 0: the tape", "level 2: grad inside vmap"]
    with watching() as passes:
        grad(grad(lambda x: x**3))(tensor(2.0))
    titles = [cluster.title for cluster in glassgrad.draw(passes).graph.clusters]
    assert titles == ["level 1: grad", "level 2: grad inside grad"]


def test_the_gradient_that_was_asked_for_stands_at_its_leaf():
    with watching() as passes:
        grad(lambda x, y: x * y)(tensor(2.0), tensor(5.0))
    (box,) = [v for v in glassgrad.draw(passes[0]).graph.vertices if v.kind == "leaf"]
    assert ("grad", "5") in box.rows


# The same as without ------------------------------------------------------------------------------


@fuzzed(programs, st.booleans(), st.booleans(), st.booleans(), examples=100)
def test_watched_programs_end_with_the_bits_of_backward(program, hooked, create_graph, stepped):
    plain, watched = (Run(glassgrad, program, hooked=hooked) for _ in range(2))
    if not plain.roots:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        autograd.backward(plain.roots, plain.seeds, create_graph=create_graph)
        with watching((lambda session: session.next()) if stepped else None) as passes:
            autograd.backward(watched.roots, watched.seeds, create_graph=create_graph)
    assert watched.order == plain.order
    assert result_of(watched) == result_of(plain)
    assert len(passes) == 1


@fuzzed(
    programs,
    st.booleans(),
    st.lists(st.integers(0, 20), min_size=1, max_size=3),
    st.booleans(),
    examples=100,
)
def test_watched_captures_are_those_of_a_plain_pass(program, hooked, picks, create_graph):
    found = []
    for watched in (False, True):
        run = Run(glassgrad, program, hooked=hooked)
        if not run.roots:
            return
        wanted = run.pick(picks)
        options = {"allow_unused": True, "create_graph": create_graph}
        if watched:
            with watching():
                grads = autograd.grad(run.roots, wanted, run.seeds, **options)
        else:
            grads = autograd.grad(run.roots, wanted, run.seeds, **options)
        found.append(([g if g is None else g.payload.tobytes() for g in grads], run.order))
    assert found[0] == found[1]


@fuzzed(writing_programs, st.booleans(), examples=100)
def test_watched_programs_that_write_in_place_fail_alike(program, hooked):
    outcomes = []
    for watched in (False, True):
        run = Run(glassgrad, program, hooked=hooked)
        if not run.roots:
            return
        try:
            if watched:
                with watching():
                    autograd.backward(run.roots, run.seeds)
            else:
                autograd.backward(run.roots, run.seeds)
            error = None
        except RuntimeError as caught:
            error = type(caught), str(caught)
        outcomes.append((result_of(run), error, [x._version for x in run.made]))
    assert outcomes[0] == outcomes[1]
