"""Every kind of node explains itself: with numbers, or with a note that says why not."""

import numpy as np
import pytest

import glassgrad as gg
from checks import together
from glassgrad.autograd import Function
from glassgrad.autograd.function import once_differentiable
from glassgrad.utils.checkpoint import checkpoint
from glassgrad.viz.explaining.entries import explained


class Two(Function):
    """u, v = 2x, k·x        x̄ = 2·ū + k·v̄"""

    generate_vmap_rule = True

    @staticmethod
    def forward(x, k):
        return x * 2, x * k

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.k = inputs[1]

    @staticmethod
    def backward(ctx, first, second):
        return first * 2 + second * ctx.k, None

    @staticmethod
    def jvp(ctx, tangent, _):
        return tangent * 2, tangent * ctx.k


class Once(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 2 * x


class Doubled(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


class Largest(Function):
    @staticmethod
    def forward(ctx, x):
        at = x.argmax()
        ctx.mark_non_differentiable(at)
        return x * 1, at

    @staticmethod
    def backward(ctx, grad, _):
        return grad


def nodes_behind(y):
    seen, waiting = [], [y.grad_fn if y.grad_fn is not None else y]
    for node in waiting:
        if node in seen:
            continue
        seen.append(node)
        edges = getattr(node, "next_functions", ())
        waiting += [older for older, _ in edges if older is not None]
    return seen


def row(*values, **options):
    return gg.tensor(list(values), requires_grad=True, **options)


def written():
    y = row(1.0, 2.0, 3.0).clone()
    view = y[1:]
    view.mul_(row(2.0, 3.0))
    y[0] = 5.0
    return (y * y).sum() + view.exp().sum()


def stale():
    x = row(1.0, 2.0) * 1
    y = (x * x).sum()
    x += 1
    return y


def freed():
    y = (row(1.0, 2.0) * row(3.0, 4.0)).sum()
    y.backward()
    return y


def gradient():
    x = row(1.0, 2.0)
    (grad,) = gg.autograd.grad((x**3).sum(), x, create_graph=True)
    return (grad * grad).sum()


def hooked_module():
    layers = gg.nn.Sequential(gg.nn.Linear(4, 8), gg.nn.ReLU(), gg.nn.Linear(8, 3))
    layers.register_full_backward_hook(lambda *_: None)
    given = gg.tensor([[0.5, -1.0, 2.0, 0.25], [1.0, 0.0, -2.0, 0.75]])
    return gg.nn.functional.cross_entropy(layers(given), gg.tensor([0, 2]))


def kept_elsewhere():
    with gg.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):
        return row(1.0, 2.0).exp().sum()


def reentrant():
    return checkpoint(lambda x: (x * x).sin(), row(1.0, 2.0), use_reentrant=True).sum()


def not_reentrant():
    return checkpoint(lambda x: (x * x).sin(), row(1.0, 2.0), use_reentrant=False).sum()


KINDS = [
    *(written, stale, freed, gradient, hooked_module, kept_elsewhere, reentrant, not_reentrant),
    lambda: row(1.0, 2.0),
    lambda: sum(part.sum() for part in Two.apply(row(1.0, 2.0), 3.0)),
    lambda: Two.apply(row(1.0, 2.0), 3.0)[1].sum(),
    lambda: Once.apply(row(1.0, 2.0)).sum(),
    lambda: Doubled.apply(row(1.0, 2.0) * 1).sum(),
    lambda: Largest.apply(row(1.0, 2.0))[0].sum(),
    lambda: (row(1 + 2j, 3 - 1j).exp() * row(2j, 1.0)).abs().sum(),
    lambda: (row(1.0, 2.0, dtype=gg.float16) * 3).sum(),
    lambda: gg.zeros(0, 3, requires_grad=True).exp().sum(),
    lambda: gg.tensor(2.0, requires_grad=True).exp(),
]


@together
@pytest.mark.parametrize("program", KINDS, ids=range(len(KINDS)))
def test_each_node_of_each_kind(program):
    for node in nodes_behind(program()):
        found, entry = gg.explain(node), explained(node)
        assert found.ok is not False, str(found)
        assert entry["ok"] is not False
        assert found.ok or found.notes, "without a verdict there is a reason"
        assert str(found).startswith(found.name)
        assert found.html
        assert entry["words"]


TRANSFORMS = {
    "grad": lambda f, x: gg.func.grad(f)(x),
    "vmap of grad": lambda f, x: gg.func.vmap(gg.func.grad(f))(gg.stack([x, x])),
    "hessian": lambda f, x: gg.func.hessian(f)(x),
    "vjp": lambda f, x: gg.func.vjp(f, x),
}


@together
@pytest.mark.parametrize("name", TRANSFORMS)
def test_nodes_of_transforms_speak_without_numbers(name):
    told = []

    def f(x):
        y = Two.apply((x * x).sin(), 3.0)[0].sum()
        for node in nodes_behind(y):
            told.append(str(gg.explain(node)))
            told.append(str(explained(node)["rows"]))
        return y

    TRANSFORMS[name](f, gg.tensor([1.0, 2.0]))
    assert any("recorded inside of a transform" in words for words in told)
    assert not any("Error" in words for words in told)


@together
@pytest.mark.parametrize("latex", [None, 7, "x", ("x", None), [r"\frac"], object(), ("x",) * 4])
def test_a_latex_of_any_kind(latex):
    kind = type("Odd", (Once,), {"latex": latex})
    found = gg.explain(kind.apply(row(1.0)))
    assert all(isinstance(tex, str) for tex in found.formulas)
    assert found.html


@together
@pytest.mark.parametrize("shape", [(4,), (3, 4), (3, 4, 2)])
def test_operands_of_a_cross_entropy_may_be_its_scores_or_their_logarithms(shape):
    rng = np.random.default_rng(0)
    scores = gg.tensor(rng.standard_normal(shape), requires_grad=True)
    target = gg.tensor(rng.integers(0, 4, (*shape[:1], *shape[2:]) if len(shape) > 1 else ()))
    loss = gg.nn.functional.cross_entropy(scores, target)
    dim = int(len(shape) > 1)
    for given in (scores, gg.log_softmax(scores, dim)):
        assert gg.explain(loss, operands=(given, target)).ok
    other = gg.explain(loss, operands=(scores * 2, target))
    assert other.ok is None
    assert "does not lead to the saved self" in other.notes[0]
