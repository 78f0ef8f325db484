"""`gg.explain`: a node in words, in formulas, in its own numbers, and held against differences."""

import json
import re

import numpy as np
import pytest

import glassgrad as gg
from checks import together
from glassgrad.autograd import Function
from glassgrad.core.errors import ArgumentError, ArgumentTypeError
from glassgrad.ops.arithmetic import Mul
from glassgrad.ops.elementary import Tanh
from glassgrad.utils.checkpoint import checkpoint
from glassgrad.viz.explaining import entries
from opcase import Run
from opcases import DIFFERENTIABLE, SMOOTH, rows


class Cube(Function):
    """y = x³        x̄ = 3·ȳ·x²

    And further lines, which are left out.
    """

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x**2


class WrongCube(Cube):
    """y = x³, and a rule that forgot the 3"""

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * x**2


@pytest.fixture
def x():
    x = gg.tensor([1.0, 2.0], dtype=gg.float64, requires_grad=True)
    x.name = "x"
    return x


# Every op ----------------------------------------------------------------------------------------


SMOOTH_SAMPLES = {(id(case), id(given)) for case, given in SMOOTH}


@rows(DIFFERENTIABLE)
def test_every_op_explains_itself_and_its_rule_agrees_with_differences(case, given, monkeypatch):
    """The first of its outputs in a pass that is recorded, as the player has it."""
    found, (first, *others) = [], Run(case, given, case.arrays(given)).roots

    def kept(*args, **options):
        found.append(gg.explain(*args, **options))
        return found[-1]

    monkeypatch.setattr(entries, "explain", kept)
    trace, told, _ = entries.record_explained(
        first, gradient=gg.ones_like(first), retain_graph=True
    )
    entry = told[trace.outputs[0]["node"]]
    assert json.loads(json.dumps(entry)) == entry
    is_smooth = (id(case), id(given)) in SMOOTH_SAMPLES
    assert entry["ok"] or not is_smooth, entry
    for root, explanation in zip(
        (first, *others), (found[0], *map(gg.explain, others)), strict=True
    ):
        cls = root.grad_fn._forward_cls if hasattr(root.grad_fn, "_forward_cls") else None
        assert cls is None or len(explanation.formulas) == 3
        assert explanation.words
        assert explanation.results is not None
        assert str(explanation).startswith(explanation.name)
        assert explanation.ok or not is_smooth, str(explanation)


# A wrong rule ------------------------------------------------------------------------------------


def test_a_wrong_rule_of_a_users_function_is_shown_with_both_numbers(x):
    found = gg.explain(WrongCube.apply(x))
    assert found.ok is False
    assert "✗ WRONG at [1]: the rule says 4, differences say 12" in str(found)


def test_a_wrong_rule_behind_other_ops_is_found_too(x):
    assert gg.explain(WrongCube.apply(x * 2)).ok is False
    assert gg.explain(WrongCube.apply((x * 2).exp())).ok is False


@pytest.mark.parametrize(
    ("op", "run"), [(Mul, lambda x: x * x), (Tanh, lambda x: (x / 3).tanh())], ids=["mul", "tanh"]
)
def test_a_wrong_rule_of_a_built_in_op_is_found(monkeypatch, x, op, run):
    right = op._backward_cls.backward

    def wrong(ctx, grad):
        found = right(ctx, grad)
        return tuple(-g for g in found) if isinstance(found, tuple) else found * 1.01

    monkeypatch.setattr(op._backward_cls, "backward", wrong)
    found = gg.explain(run(x))
    assert found.ok is False
    assert "✗ WRONG" in found.html


def test_a_wrong_rule_for_many_elements_is_found():
    x = gg.ones(20, 20, requires_grad=True)
    assert gg.explain(WrongCube.apply(x)).ok is False
    assert gg.explain(Cube.apply(x)).verdicts[0].along == "directions"


@pytest.mark.parametrize("gradient", [0.0, 1e-9, 1e30, float("inf"), float("nan")])
def test_a_wrong_rule_is_found_whatever_it_is_given(x, gradient):
    gradient = gg.full((2,), gradient, dtype=gg.float64)
    found = gg.explain(WrongCube.apply(x), gradient=gradient)
    assert found.ok is False
    assert gg.explain(Cube.apply(x), gradient=gradient).ok is True
    np.testing.assert_array_equal(found.results[0], (gradient * x.detach() ** 2).numpy())


def test_a_rule_that_is_not_linear_is_found_without_operands(x):
    class Odd(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.thing = object()  # so the record cannot be compared
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * grad * 2

    found = gg.explain(Odd.apply(x))
    assert found.ok is False
    assert "WRONG: twice the gradient" in str(found)


# Words and numbers -------------------------------------------------------------------------------


def test_a_node_in_words_formulas_and_numbers(x):
    assert str(gg.explain(x * x)) == "\n".join(
        [
            "MulBackward0: z = x·y        dz = y·dx + x·dy        x̄ = z̄·y,  ȳ = z̄·x",
            "  (x̄ is the gradient of the loss with respect to x; ẋ, or dx, is a small change of x)",
            "saved",
            "  x (self)   float64 (2,) [1. 2.]  v0",
            "  x (other)  float64 (2,) [1. 2.]  v0",
            "edges",
            "  edge 1     → AccumulateGrad of x (2,)",
            "  edge 2     → AccumulateGrad of x (2,)",
            "rule",
            "  x̄          = z̄·y = [1, 1]·[1, 2] = [1, 2]",
            "  ȳ          = z̄·x = [1, 1]·[1, 2] = [1, 2]",
            "letters",
            "  x          is x = [1, 2], saved as self",
            "  y          is x = [1, 2], saved as other",
            "  z          is x*x",
            "  z̄          is the gradient that arrived = [1, 1]",
            "these numbers",
            "  given      (2,) [1. 1.]",
            "  edge 1     (2,) [1. 2.]",
            "  edge 2     (2,) [1. 2.]",
            "check",
            "  edge 1     ✓ agrees with differences of the forward, 2 of 2 elements",
            "  edge 2     ✓ agrees with differences of the forward, 2 of 2 elements",
        ]
    )


def test_a_users_function_speaks_by_the_first_line_of_its_docstring(x):
    assert gg.explain(Cube.apply(x)).words == "y = x³        x̄ = 3·ȳ·x²"


def test_a_gradient_of_ones_own(x):
    found = gg.explain((x * x).grad_fn, gradient=gg.tensor([10.0, 0.0]))
    np.testing.assert_array_equal(found.results[0], [10.0, 0.0])


def test_several_outputs_take_several_gradients(x):
    first, _ = x.split(1)
    found = gg.explain(first, gradient=(gg.tensor([5.0]), None))
    np.testing.assert_array_equal(found.results[0], [5.0, 0.0])
    assert found.ok


def test_the_end_of_an_edge_tells_what_is_there(x):
    (x * x).sum().backward()
    assert ".grad, which is (2,) [2. 4.] now" in str(gg.explain(x))


def test_a_write_into_a_view_is_explained_from_the_base(x):
    y = x.clone()
    view = y[:1]
    view.exp_()
    whole, part = gg.explain(y), gg.explain(view)
    assert "where ExpBackward0: y = eˣ" in whole.words
    np.testing.assert_allclose(whole.results[0], [np.e, 1.0])
    assert whole.ok
    assert part.name == "AsStridedBackward0"
    assert part.ok


@together
@pytest.mark.parametrize(("start", "parts"), [
    (gg.tensor([1 + 2j, 3 - 1j]), gg.view_as_real),
    (gg.tensor([1 + 2j, 3 - 1j]), lambda base: base.real),
    (gg.tensor([[1.0, 2.0], [3.0, 4.0]]), gg.view_as_complex),
])  # fmt: skip
def test_a_write_into_parts_of_complex_numbers_is_checked_on_the_base(start, parts):
    base = start.requires_grad_().clone()
    view = parts(base)
    view.mul_(2)
    assert gg.explain(base).ok
    assert gg.explain(view).ok


def test_large_and_small_elements_are_each_stepped_by_their_size():
    found = gg.explain(gg.tensor([1e4, 1e-3, 0.5], requires_grad=True).log())
    assert found.ok
    assert found.verdicts[0].places == 3


def test_complex_numbers_agree_too():
    z = gg.tensor([1 + 2j], requires_grad=True)
    assert gg.explain(z.exp() * z).ok


def test_kinks_are_left_out_and_counted():
    found = gg.explain(gg.tensor([0.0, 1.0], requires_grad=True).abs())
    assert "1 of 2 elements; 1 left out: no derivative there" in str(found)
    assert found.ok


def test_where_there_are_kinks_alone_nothing_was_checked():
    found = gg.explain(gg.zeros(2, requires_grad=True).abs())
    assert found.ok is None
    assert "nothing to compare; 2 left out: no derivative there" in str(found)


def test_what_hooks_have_packed_is_unpacked():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    pair = (lambda t: t.numpy(force=True).copy(), gg.tensor)
    with gg.autograd.graph.saved_tensors_hooks(*pair):
        y = x.exp()
    found = gg.explain(y)
    assert "result  packed by hooks" in str(found)
    assert found.ok


def test_a_number_among_the_arguments_is_found_on_ctx(x):
    class Scale(Function):
        """y = k·x"""

        @staticmethod
        def forward(x, k):
            return x * k

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.k = inputs[1]

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.k, None

    found = gg.explain(Scale.apply(x * 1, 3))
    assert found.ok
    np.testing.assert_array_equal(found.results[0], [3.0, 3.0])


def test_a_paused_pass_can_be_asked():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    with gg.tracing.step((x * x).sum()) as session:
        session.next()
        found = gg.explain(session.current, gradient=session.arrived[0] * 5)
        session.run()
    np.testing.assert_array_equal(found.results[0], [5.0, 10.0])
    np.testing.assert_array_equal(x.grad.numpy(), [2.0, 4.0])


# Nothing changes ---------------------------------------------------------------------------------


def test_nothing_is_freed_called_or_accumulated(x):
    calls = []
    y = x * x
    y.register_hook(calls.append)
    x.register_hook(calls.append)
    gg.explain(y)
    assert calls == []
    assert x.grad is None
    y.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [2.0, 4.0])


def test_a_rule_that_spoils_what_it_saved_spoils_a_copy(x):
    class Spoils(Cube):
        clear_saved_tensors_on_access = True

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            ctx.ran = True
            grad.mul_(3)
            return grad * x.mul_(x)

    y = Spoils.apply(x)
    assert gg.explain(y).ok
    assert not hasattr(y.grad_fn, "ran")
    y.backward(gg.ones(2))
    np.testing.assert_array_equal(x.grad.numpy(), [3.0, 12.0])


def test_random_numbers_go_on_as_if_nothing_had_been_explained(x):
    class Noisy(Cube):
        @staticmethod
        def forward(ctx, x):
            gg.rand(2)
            return Cube.forward(ctx, x)

    y = Noisy.apply(x)
    before = gg.get_rng_state()
    assert gg.explain(y).ok
    assert gg.equal(gg.get_rng_state(), before)


def test_a_forward_that_draws_numbers_draws_the_same_each_time():
    x = gg.full((40,), 0.5, requires_grad=True)
    y = x * 1
    y.bernoulli_(x)
    found = gg.explain(y)
    assert (found.verdicts[0].places, found.verdicts[0].kinks) == (40, 0)
    assert found.ok


def test_a_checkpoint_is_not_run_for_it_would_accumulate(x):
    y = checkpoint(lambda x: x * x, x, use_reentrant=True)
    assert "runs a whole pass of its own" in str(gg.explain(y))
    assert x.grad is None


def test_inside_of_a_transform_it_speaks_without_numbers(x):
    told = []

    def f(x):
        y = x * x
        told.append(str(gg.explain(y)))
        return y.sum()

    gg.func.grad(f)(x.detach())
    assert "recorded inside of a transform" in told[0]


# In a notebook, and mistakes ---------------------------------------------------------------------


def test_a_notebook_gets_latex_and_text(x):
    bundle = gg.explain(x * x)._repr_mimebundle_()
    assert r"\(\bar x = \bar z\,y,\ \bar y = \bar z\,x\)" in bundle["text/html"]
    assert bundle["text/plain"].startswith("MulBackward0")


def test_hostile_names_stay_text(x):
    x.name = "</td><script>alert(1)</script>\x00\u202e"
    page = gg.explain(x * x).html
    assert "<script" not in page
    assert "\x00" not in page
    assert "\u202e" not in page
    assert len(gg.explain(x * x).html) < 4000


def test_the_same_words_each_time(x):
    assert str(gg.explain(x * x)) == str(gg.explain(x * x))


@together
@pytest.mark.parametrize("what", [gg.ones(2), 3, None])
def test_what_is_no_part_of_a_graph_is_refused(what):
    with pytest.raises(ArgumentTypeError, match="Write `explain"):
        gg.explain(what)


def test_a_gradient_of_another_shape_is_refused(x):
    with pytest.raises(ArgumentError, match=r"shape \(3,\) for an output of shape \(2,\)"):
        gg.explain(x * x, gradient=gg.ones(3))
    with pytest.raises(ArgumentError, match="1 gradient"):
        gg.explain(x.split(1)[0], gradient=gg.ones(1))


def test_a_gradient_is_made_of_numbers():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(TypeError, match="given a str as gradient: 'x'"):
        gg.explain(x.exp(), gradient="x")


RNG = np.random.default_rng(0)
PLAIN, TALL = RNG.normal(size=(3, 3)), RNG.normal(size=(4, 2))
PARTS = PLAIN + 1j * RNG.normal(size=(3, 3))


def definite(x):
    return x @ x.conj().T + np.eye(len(x))


@together
@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("numbers", [definite(PLAIN), definite(PARTS), np.tril(definite(PLAIN))])
def test_an_op_that_reads_one_triangle_is_right(numbers, upper):
    numbers = np.ascontiguousarray(numbers.T if upper else numbers)
    x = gg.tensor(numbers, requires_grad=True)
    assert gg.explain(gg.linalg.cholesky(x, upper=upper)).ok


@together
@pytest.mark.parametrize(
    "program",
    [
        lambda x: gg.linalg.eigh(x).eigenvalues,
        lambda x: gg.linalg.eigh(x, "U").eigenvectors,
        lambda x: gg.linalg.pinv(x, hermitian=True),
        lambda x: gg.linalg.svd(x).U,
        lambda x: gg.linalg.svd(x[:, :2]).S,
        lambda x: gg.linalg.qr(x).R,
    ],
)
def test_rules_of_decompositions_are_held_against_differences(program):
    x = gg.tensor(definite(PLAIN), requires_grad=True)
    assert gg.explain(program(x)).ok


def test_vectors_that_only_span_what_is_left_are_not_compared():
    assert gg.explain(gg.linalg.svd(gg.tensor(TALL, requires_grad=True)).U).ok


def test_what_a_loss_keeps_in_the_place_of_its_input_is_not_called_by_its_name():
    x = gg.tensor([[1.0, 2.0]], requires_grad=True)
    said = str(gg.explain(gg.nn.functional.cross_entropy(x, gg.tensor([0]))))
    assert re.search(r"log p \(self\) .*\[\[-1.3133 -0.3133\]\]", said)
    assert re.search(r"x +is x, kept as log p = \[\[-1.313", said)
    assert re.search(r"w +is 1, as no weight was given", said)


def test_how_many_terms_a_mean_is_of_and_which_result_a_gradient_is_for_are_told():
    x = gg.tensor([[1.0, 2.0]], requires_grad=True)
    said = str(gg.explain(gg.var_mean(x)[0]))
    assert re.search(r"\n  n +is how many terms the mean is of", said)
    assert re.search(r"μ̄ +is the gradient that arrived for result 2 = 1", said)
    assert " n  " not in str(gg.explain(gg.ones(1, 1, 2, requires_grad=True).sum()))
