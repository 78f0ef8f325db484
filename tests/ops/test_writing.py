"""Each op in place, on tensors of every kind, against PyTorch: one program, two libraries."""

import itertools

import numpy as np
import pytest
import torch

import glassgrad
from both import bare, spelled
from checks import Checks, together

WRITES = [
    "exp_()",
    "log_()",
    "sqrt_()",
    "sin_()",
    "cos_()",
    "tanh_()",
    "sigmoid_()",
    "relu_()",
    "neg_()",
    "abs_()",
    "square_()",
    "reciprocal_()",
    "sign_()",
    "clamp_(0.3,0.6)",
    "clamp_(min=0.5)",
    "clamp_(min=b)",
    "clamp_min_(0.5)",
    "clamp_max_(0.5)",
    "clip_(0,1)",
    "pow_(2)",
    "pow_(b)",
    "__ipow__(2)",
    "add_(1)",
    "add_(b)",
    "sub_(b)",
    "mul_(2)",
    "mul_(b)",
    "div_(b)",
    "lerp_(b,0.5)",
    "lerp_(b,b)",
    "addcmul_(b,b,value=2)",
    "addcdiv_(b,b)",
    "fill_(2)",
    "fill_(b.sum())",
    "zero_()",
    "copy_(b)",
    "masked_fill_(mask,2)",
    "masked_fill_(mask,b.sum())",
    "masked_scatter_(mask,b)",
    "index_put_((places,),b[:2])",
    "index_put_((places,),b[:2],accumulate=True)",
    "index_add_(0,places,b[:2])",
    "index_add_(0,places,b[:2],alpha=2)",
    "index_copy_(0,places,b[:2])",
    "index_fill_(0,places,1)",
    "index_fill_(0,places,b.sum())",
    "index_reduce_(0,places,b[:2],'prod')",
    "scatter_(0,index,b[:2])",
    "scatter_(0,index,2)",
    "scatter_add_(0,index,b[:2])",
    "scatter_reduce_(0,index,b[:2],'sum')",
    "scatter_reduce_(0,index,b[:2],'amax')",
    "normal_(0,0)",
    "uniform_(1,1)",
    "random_(0,1)",
    "random_(1)",
    "bernoulli_(1.0)",
    "bernoulli_(b*0+1)",
    "t_()",
    "transpose_(0,-1)",
    "swapaxes_(0,0)",
    "unsqueeze_(1)",
    "squeeze_()",
    "squeeze_(0)",
    "squeeze_((0,))",
    "detach_()",
    "requires_grad_()",
    "add_(b.unsqueeze(0).expand(2,*b.shape))",
    "mul_(1j)",
    "masked_fill_(b,1)",
    "index_add_(0,places,b)",
]

STARTS = {
    "a result": lambda lib, a: a * 1,
    "a leaf": lambda lib, a: a,
    "a tensor without grad": lambda lib, a: a.detach() * 1,
    "twice as many": lambda lib, a: lib.cat([a, a]),
    "two rows": lambda lib, a: lib.stack([a, a]),
}

KINDS = {
    "a result": ("a result", lambda y: [y]),
    "a leaf": ("a leaf", lambda y: [y]),
    "a tensor without grad": ("a tensor without grad", lambda y: [y]),
    "a view": ("a result", lambda y: [y.view_as(y), y]),
    "a part": ("twice as many", lambda y: [y[: len(y) // 2], y]),
    "a base": ("a result", lambda y: [y, y.view(-1), y[0]]),
    "a sibling": ("a result", lambda y: [y[...], y, y.view(-1)]),
    "one of several": ("two rows", lambda y: y.unbind()),
    "a view of a leaf": ("a leaf", lambda y: [y[...], y]),
    "a view without grad": ("a tensor without grad", lambda y: [y[...], y]),
}
"""Where it begins, and which tensors are looked at; the first of them is written."""

KINDS_OF_ERRORS = (RuntimeError, TypeError, ValueError, IndexError)


def outcome(lib, write, kind, shape):
    """What is to be seen after a write: or the kind of the error."""
    rng = np.random.default_rng(1)
    a, b = [lib.tensor(rng.uniform(0.2, 0.9, shape)).requires_grad_() for _ in "ab"]
    names = {"b": b, "places": lib.tensor([0, 1]), "mask": lib.tensor(np.resize([1, 0], shape) > 0)}
    names["index"] = lib.tensor(np.zeros((2, *shape[1:]), np.int64))
    start, views_of = KINDS[kind]
    with_views = views_of(STARTS[start](lib, a))
    x = names["x"] = with_views[0]
    try:
        returned = eval(f"x.{write}", names)
        nodes = [y.grad_fn and bare(y.grad_fn.name()) for y in with_views]
        graph = spelled(x.grad_fn) if x.grad_fn is not None else None
        facts = [returned is x, [y._version for y in with_views], nodes, graph]
        facts += [y.is_leaf for y in with_views]
        numbers = [y.detach().numpy().copy() for y in with_views]
        if any(y.requires_grad for y in with_views):
            total = sum(((y * y).sum() for y in with_views), start=lib.zeros(()))
            grads = lib.autograd.grad(total, [a, b], allow_unused=True)
            facts.append([g is None for g in grads])
            numbers += [g.numpy() for g in grads if g is not None]
    except Exception as error:  # noqa: BLE001  # of whatever kind: it must be PyTorch's
        return [next(kind for kind in type(error).__mro__ if kind in KINDS_OF_ERRORS)], []
    return facts, numbers


@together
@pytest.mark.parametrize("write", WRITES)
@pytest.mark.filterwarnings("ignore::UserWarning")  # index_reduce is new in PyTorch
def test_a_write_is_pytorchs(write):
    with Checks() as checks:
        for kind, shape in itertools.product(KINDS, [(3,), (3, 2)]):
            with checks.named(kind, shape):
                facts, numbers = outcome(glassgrad, write, kind, shape)
                expected, references = outcome(torch, write, kind, shape)
                assert facts == expected
                for got, want in zip(numbers, references, strict=True):
                    np.testing.assert_allclose(got, want, rtol=1e-12)


@pytest.mark.parametrize("lib", [glassgrad, torch])
def test_what_no_op_takes_is_said_before_that_a_leaf_is_written(lib):
    x = lib.ones(2, requires_grad=True)
    for write in (lambda: x.mul_("x"), lambda: x.lerp_(True, 0.5), lambda: x.add_("x")):
        with pytest.raises(TypeError):
            write()
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        x.mul_(2)
