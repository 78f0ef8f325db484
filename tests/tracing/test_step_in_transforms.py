"""Passes of transforms, and passes inside of them: recorded, stepped, and left as they were."""

import numpy as np
import pytest
from hypothesis import strategies as st

import glassgrad
from both import plain
from checks import fuzzed, together
from func.composing import compositions, play
from glassgrad import autograd, tensor
from glassgrad.core import state
from glassgrad.core.errors import GradientError, TransformError
from glassgrad.func import grad, hessian, jacrev, jvp, vjp, vmap
from glassgrad.tracing import Trace, watching

POINT = [0.3, -0.7, 1.1]
BATCH = tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def ops(trace):
    """The names of the nodes that ran, in order."""
    names = {node["id"]: node["op"].removesuffix("Backward0") for node in trace.nodes}
    return [names[node] for node in trace.schedule()]


def where(passes):
    """For each pass the level and kind of its tape, and the transforms around it."""
    return [
        (
            *[(entry["level"], entry["kind"]) for entry in trace.graph.get("levels", ())][-1:],
            *trace.graph.get("inside", ()),
        )
        for trace in passes
    ]


def modes_now():
    return {name: getattr(state.modes, name) for name in vars(state.modes)}


# backward() is refused inside, and so is stepping it --------------------------------------------


@together
@pytest.mark.parametrize("run", [glassgrad.step, glassgrad.record, autograd.backward])
@pytest.mark.parametrize(
    "transform", [grad, vmap, jacrev, hessian, lambda f: lambda x: jvp(f, (x,), (x,))]
)
def test_what_runs_backward_is_refused_inside_as_in_torch(run, transform):
    with pytest.raises(TransformError, match=r"inside a functorch transform.*watching\(\)"):
        transform(lambda x: run((x * x).sum()))(tensor([1.0, 2.0]))


@together
@pytest.mark.parametrize("run", [glassgrad.step, glassgrad.record, autograd.backward])
def test_a_captured_loss_is_refused_too_and_keeps_its_graph(run):
    w = tensor(3.0, requires_grad=True)
    loss = w * w
    with pytest.raises(TransformError, match="inside a functorch transform"):
        grad(lambda x: run(loss) or x)(tensor(1.0))
    loss.backward()
    assert w.grad.item() == 6.0


# What ran -----------------------------------------------------------------------------------------


def test_the_pass_of_a_grad_is_on_the_tape_of_its_level():
    with watching() as passes:
        assert grad(lambda x: x.exp().sin())(tensor(0.0)).item() == pytest.approx(np.cos(1.0))
    assert where(passes) == [((1, "grad"),)]
    assert ops(passes[0]) == ["Sin", "Exp"]
    assert {node.get("level") for node in passes[0].nodes} == {1, None}  # None: AccumulateGrad


def test_the_gradient_that_the_pass_was_run_for_is_named():
    with watching() as passes:
        grad(lambda x, y: x * y)(tensor(2.0), tensor(5.0))
    (leaf,) = passes[0].leaves
    assert passes[0].graph["wanted"] == [leaf["acc"]]
    (output,) = passes[0].outputs
    assert (output["shape"], output["dtype"]) == ([], "float32")


def test_of_grad_of_grad_the_inner_pass_comes_first():
    with watching() as passes:
        grad(grad(lambda x: x**3))(tensor(2.0))
    assert where(passes) == [((2, "grad"), "grad"), ((1, "grad"),)]
    assert ops(passes[0]) == ["Pow"]
    assert ops(passes[1]) == ["Mul", "Mul", "Pow"]


def test_what_a_pass_computes_is_the_graph_of_the_level_below_with_its_origin():
    with watching() as passes:
        grad(grad(lambda x: x**3))(tensor(2.0))
    (rule,) = [node for node in passes[0].nodes if node.get("level") == 2]
    made = [node["op"] for node in passes[0].nodes if node.get("origin") == rule["id"]]
    assert made == ["PowBackward0", "MulBackward0", "MulBackward0"]
    assert {n["level"] for n in passes[0].nodes if "origin" in n} == {1}


def test_under_vmap_shapes_are_those_of_one_example():
    with watching() as passes:
        vmap(grad(lambda x: (x * x).sum()))(BATCH)
    (trace,) = passes
    assert where(passes) == [((2, "grad"), "vmap")]
    assert trace.graph["levels"][0]["inside"] == ["vmap"]
    assert [node["shape"] for node in trace.nodes] == [[2], [2], []]
    value = trace.arrays[trace.leaves[0]["array"]]
    assert (value["shape"], value["batch"], value["max"]) == ([2], [3], 6.0)


def test_what_is_the_same_for_all_examples_has_no_batch():
    with watching() as passes:
        vmap(lambda x: vjp(lambda x: (x * x).sum(), x)[1](glassgrad.tensor(1.0)))(BATCH)
    first = next(event for event in passes[0].events if event["type"] == "apply")
    assert "batch" not in passes[0].arrays[first["grad_in"][0]]


def test_batches_of_batches_are_counted_outermost_first():
    xs = glassgrad.ones(4, 3, 2)
    with watching() as passes:
        vmap(vmap(grad(lambda x: (x * x).sum())))(xs)
    assert where(passes) == [((3, "grad"), "vmap", "vmap")]
    value = passes[0].arrays[passes[0].leaves[0]["array"]]
    assert (value["shape"], value["batch"]) == ([2], [4, 3])


def test_the_batch_is_counted_in_front_wherever_it_was():
    with watching() as passes:
        vmap(grad(lambda x: (x * x).sum()), in_dims=1)(BATCH.T.contiguous())
    value = passes[0].arrays[passes[0].leaves[0]["array"]]
    assert (value["shape"], value["batch"], value["head"]) == ([2], [3], [1.0, 2.0, 3.0, 4.0])


def test_a_jacobian_is_one_pass_for_all_rows_or_one_for_each():
    x = tensor([1.0, 2.0])
    with watching() as at_once:
        jacrev(lambda x: x**3)(x)
    with watching() as one_by_one:
        jacrev(lambda x: x**3, chunk_size=1)(x)
    assert where(at_once) == [((1, "grad"), "vmap")]
    assert where(one_by_one) == [((1, "grad"),)] * 2
    assert len(one_by_one.together().nodes) == len(one_by_one[0].nodes)


def test_a_hessian_runs_one_pass_inside_of_jvp_inside_of_vmap():
    with watching() as passes:
        hessian(lambda x: (x**3).sum())(tensor([1.0, 2.0]))
    assert where(passes) == [((3, "grad"), "vmap", "jvp")]


def test_a_pullback_is_watched_where_it_is_called():
    _, pull = vjp(lambda x: x * x, tensor([1.0, 2.0]))
    with watching() as passes:
        pull(tensor([1.0, 10.0]))
    assert ops(passes[0]) == ["Mul"]


def test_autograd_grad_inside_is_a_pass_of_the_level():
    def f(x):
        (slope,) = autograd.grad((x**3).sum(), x, create_graph=True)
        return (slope * slope).sum()

    expected = grad(f)(tensor([1.0, 2.0])).tolist()
    with watching() as passes:
        assert grad(f)(tensor([1.0, 2.0])).tolist() == expected
    assert where(passes) == [((1, "grad"), "grad"), ((1, "grad"),)]


def test_autograd_grad_inside_of_vmap_is_watched_with_the_shapes_of_one_example():
    def f(x):
        (slope,) = autograd.grad((x**3).sum(), x, create_graph=True)
        return (slope * slope).sum()

    with watching() as passes:
        vmap(grad(f))(BATCH)
    assert where(passes) == [((2, "grad"), "vmap", "grad"), ((2, "grad"), "vmap")]
    for trace in passes:
        assert {tuple(node["shape"]) for node in trace.nodes} <= {(), (2,)}
        shapes = {
            (tuple(array["shape"]), *array.get("batch", ())) for array in trace.arrays.values()
        }
        assert ((2,), 3) in shapes
        assert not any(shape[:1] == (3,) for shape, *_ in shapes)


def test_a_batch_of_gradients_is_a_pass_of_the_tape_inside_of_vmap():
    x = tensor([1.0, 2.0], requires_grad=True)
    with watching() as passes:
        autograd.grad(x * x, x, glassgrad.eye(2), is_grads_batched=True)
    assert where(passes) == [("vmap",)]


def test_a_plain_backward_is_watched_as_any():
    x = tensor([1.0, 2.0], requires_grad=True)
    with watching() as passes:
        (x * x).sum().backward()
        autograd.grad((x * x).sum(), x)
    assert where(passes) == [(), ()]
    assert [len(trace.graph.get("wanted", ())) for trace in passes] == [0, 1]


def test_the_logs_are_sound_and_the_same_each_time():
    texts = []
    for _ in range(2):
        with watching() as passes:
            vmap(grad(lambda x: grad(lambda y: (y * x).sin().sum())(x).sum()))(BATCH)
        texts.append([trace.to_json() for trace in [*passes, passes.together()]])
        for text in texts[-1]:
            assert Trace.from_json(text).to_json() == text
    assert texts[0] == texts[1]


# Stepping ---------------------------------------------------------------------------------------


def test_the_pass_of_a_transform_can_be_stepped_and_changed():
    def tenfold(session):
        session.run_until("Mul")
        session.set_gradient(session.current, tensor([10.0, 10.0]))

    with watching(tenfold):
        found = grad(lambda x: (x * x).sum())(tensor([1.0, 2.0]))
    assert found.tolist() == [20.0, 40.0]


def test_a_session_under_vmap_shows_one_example():
    seen = []
    with watching(lambda session: seen.append((session.next().arrived[0].shape, str(session)))):
        vmap(grad(lambda x: x.exp().sum()))(BATCH)
    ((shape, text),) = seen
    assert shape == (2,)
    assert "result (2,) float32" in text


def test_stepping_back_inside_of_a_transform_undoes_a_change():
    def change_and_undo(session):
        session.next().set_gradient(session.current, tensor([10.0, 10.0]))
        session.next().back().back().next()

    with watching(change_and_undo):
        found = grad(lambda x: x.exp().sum())(tensor([0.0, 0.0]))
    assert found.tolist() == [1.0, 1.0]


def test_what_a_node_saved_can_be_replaced_for_all_examples_at_once():
    def replace(session):
        session.run_until("Exp").set_saved(session.current, "result", tensor([5.0, 7.0]))

    with watching(replace):
        found = vmap(grad(lambda x: x.exp().sum()))(BATCH)
    assert found.tolist() == [[5.0, 7.0]] * 3


def test_breakpoints_of_a_session_end_with_the_call():
    stops = []

    def first_stop(session):
        session.break_at(op="Exp")
        stops.append(session.run().current.name())

    with watching(first_stop):
        grad(lambda x: x.exp().exp().exp())(tensor(0.0))
    assert stops == ["ExpBackward0"]


FAIL = GradientError("enough")


def stop(session):
    session.next()
    raise FAIL


@together
@pytest.mark.parametrize(
    "program",
    [
        lambda: grad(lambda x: x**3)(tensor(2.0)),
        lambda: grad(grad(lambda x: x**3))(tensor(2.0)),
        lambda: vmap(grad(lambda x: (x**3).sum()))(BATCH),
        lambda: hessian(lambda x: (x**3).sum())(tensor([1.0, 2.0])),
        lambda: jacrev(jacrev(lambda x: x**3))(tensor([1.0, 2.0])),
    ],
)
def test_an_exception_at_a_pause_leaves_nothing_behind(program):
    before, marks = modes_now(), (set(state.watching), set(state.watching), set(state.special))
    expected = glassgrad.tracing.summarize(program().numpy(), full=True)
    with pytest.raises(GradientError, match="enough"), watching(stop) as passes:
        program()
    assert modes_now() == before
    assert (set(state.watching), set(state.watching), set(state.special)) == marks
    assert len(passes) == 1
    assert glassgrad.tracing.summarize(program().numpy(), full=True) == expected


# The same numbers -------------------------------------------------------------------------------


@fuzzed(compositions, examples=100)
def test_random_compositions_have_the_same_bits_when_they_are_recorded(composition):
    want = play(glassgrad, composition)(plain(glassgrad, POINT)).numpy()
    with watching() as passes:
        got = play(glassgrad, composition)(plain(glassgrad, POINT)).numpy()
    assert got.tobytes() == want.tobytes()
    for trace in passes:
        Trace.from_json(trace.to_json())
    if len(passes):
        Trace.from_json(passes.together().to_json())


@fuzzed(compositions, st.lists(st.booleans(), max_size=12), examples=100)
def test_random_compositions_have_the_same_bits_when_they_are_stepped(composition, moves):
    def wander(session):
        for forward in moves:
            if forward and not session.is_done:
                session.next()
            elif not forward and session.position:
                session.back()

    want = play(glassgrad, composition)(plain(glassgrad, POINT)).numpy()
    with watching(wander):
        got = play(glassgrad, composition)(plain(glassgrad, POINT)).numpy()
    assert got.tobytes() == want.tobytes()
