"""A session stepped to its end leaves what `backward` would have left, whatever the program."""

import warnings

import numpy as np
import pytest
from hypothesis import strategies as st

import glassgrad
from checks import fuzzed
from glassgrad import tensor
from glassgrad.core.errors import TransformError
from random_programs import Run, programs, writing_programs
from tracing.stepping import leaf, result_of, visited, wander


def state_of(run, session):
    """All that a session restores, as bytes."""
    buffers = {
        session.names.node[node]: [None if g is None else g.payload.tobytes() for g in grads]
        for node, grads in session.buffers.items()
    }
    saved = [repr(session.saved_of(node)) for node in session.schedule]
    versions = [None if x.grad is None else x.grad._version for x in run.leaves]
    return result_of(run), buffers, saved, versions, str(session)


@fuzzed(
    programs, st.booleans(), st.booleans(), st.sampled_from(["node", "hook", "micro"]), examples=120
)
def test_random_programs_end_with_the_bits_of_backward(program, hooked, create_graph, granularity):
    plain, stepped = (Run(glassgrad, program, hooked=hooked) for _ in range(2))
    if not plain.roots:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        glassgrad.autograd.backward(plain.roots, plain.seeds, create_graph=create_graph)
        with glassgrad.step(
            stepped.roots, stepped.seeds, create_graph=create_graph, granularity=granularity
        ) as s:
            while not s.is_done:
                s.next()
    assert stepped.order == plain.order
    assert result_of(stepped) == result_of(plain)


@fuzzed(
    programs,
    st.booleans(),
    st.booleans(),
    st.sampled_from(["node", "hook", "micro"]),
    st.lists(st.booleans(), max_size=60),
    examples=120,
)
def test_random_programs_stepped_back_and_on_end_with_the_bits_of_backward(
    program, hooked, create_graph, granularity, moves
):
    plain, stepped = (Run(glassgrad, program, hooked=hooked) for _ in range(2))
    if not plain.roots:
        return
    for run in (plain, stepped):  # so that there is something to add to in place
        glassgrad.autograd.backward(run.roots, run.seeds, retain_graph=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        glassgrad.autograd.backward(plain.roots, plain.seeds, create_graph=create_graph)
    s = glassgrad.step(
        stepped.roots, stepped.seeds, create_graph=create_graph, granularity=granularity
    )
    states = [state_of(stepped, s)]
    for forward in moves:
        if forward and not s.is_done:
            s.next()
            states.append(state_of(stepped, s))
        elif not forward and len(states) > 1:
            s.back()
            states.pop()
            assert state_of(stepped, s) == states[-1]
    s.run()
    assert result_of(stepped) == result_of(plain)


@fuzzed(writing_programs, st.booleans(), st.lists(st.booleans(), max_size=40), examples=120)
def test_random_programs_that_write_in_place_are_stepped_to_the_same_end(program, hooked, moves):
    outcomes = []
    for stepwise in (False, True):
        run = Run(glassgrad, program, hooked=hooked)
        if not run.roots:
            return
        try:
            if stepwise:
                session = glassgrad.step(run.roots, run.seeds)
                wander(session, moves)
                session.run()
            else:
                glassgrad.autograd.backward(run.roots, run.seeds)
            error = None
        except RuntimeError as caught:
            error = type(caught), str(caught)
        outcomes.append((result_of(run), error, [x._version for x in run.made]))
    assert outcomes[0] == outcomes[1]


def test_inputs_are_respected():
    x, y = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    z = x.exp()
    s = glassgrad.step((z * y).sum(), inputs=[z])
    assert visited(s) == ["SumBackward0", "MulBackward0", "ExpBackward0"]
    assert z.grad.tolist() == [3.0, 4.0]
    assert x.grad is y.grad is None


def test_a_root_that_leads_to_no_input_is_passed_by():
    x, y = leaf(1.0), leaf(2.0)
    s = glassgrad.step([x * 2, y * 3], inputs=[x])
    assert visited(s) == ["MulBackward0", "AccumulateGrad"]
    assert x.grad.item() == 2.0
    assert y.grad is None


@pytest.mark.filterwarnings("ignore:Using backward.. with create_graph=True")
def test_create_graph_gives_gradients_that_can_be_differentiated():
    x = leaf(3.0)
    with glassgrad.step(x**3, create_graph=True) as s:
        s.next().back().run()
    (second,) = glassgrad.autograd.grad(x.grad, x)
    assert second.item() == 18.0
    x.grad = None


def test_a_graph_that_transforms_have_made_is_stepped_as_any():
    x = leaf([1.0, 2.0, 3.0])
    plain = glassgrad.vmap(glassgrad.func.grad(lambda v: v.sin() * v))(x).sum()
    plain.backward(retain_graph=True)
    expected, x.grad = x.grad, None
    s = glassgrad.step(plain).run()
    while s.position:
        s.back()
    assert x.grad is None
    s.run()
    assert x.grad.tolist() == expected.tolist()


def test_an_edge_is_a_root_as_a_tensor_is():
    x = leaf([1.0])
    y = x * 3
    edge = glassgrad.autograd.graph.get_gradient_edge(y)
    s = glassgrad.step(edge, tensor([2.0]))
    assert visited(s) == ["MulBackward0", "AccumulateGrad"]
    assert x.grad.tolist() == [6.0]


def test_complex_and_empty_gradients_are_shown_and_stepped():
    x = glassgrad.tensor([1 + 2j, 3j], requires_grad=True)
    s = glassgrad.step((x * x).abs().sum())
    s.break_at(norm=1e9)
    assert "complex64" in str(s.run_until("Mul"))
    s.run()
    np.testing.assert_allclose(x.grad.abs().tolist(), [2 * 5**0.5, 6.0], rtol=1e-6)
    empty = glassgrad.zeros(0, requires_grad=True)
    s = glassgrad.step((empty * 2).sum())
    s.break_at(norm=0.5)
    assert "(0,) float32 []" in str(s.run().next())


def test_it_is_refused_inside_of_a_transform_as_backward_is():
    with pytest.raises(TransformError, match="inside a functorch transform"):
        glassgrad.func.grad(lambda x: glassgrad.step(x * x))(tensor(1.0))
