"""`state_dict()` of optimisers and schedulers beside PyTorch's: keys, their order, and values."""

import numpy as np
import pytest
import torch

import glassgrad as gg
from checks import together

OPTIMIZERS = """
    SGD(ps, momentum=0.9)       Adam(ps)    Adam(ps, amsgrad=True)      AdamW(ps)   Adamax(ps)
    NAdam(ps)   RAdam(ps)       RMSprop(ps, momentum=0.5, centered=True)            Adagrad(ps)
    Adadelta(ps)                Rprop(ps)   ASGD(ps)    LBFGS(ps)       Adafactor(ps)
"""
SCHEDULERS = """
    StepLR(o, 2)        MultiStepLR(o, [1, 3])          ConstantLR(o)   LinearLR(o)
    ExponentialLR(o, 0.9)       CosineAnnealingLR(o, 5)         CosineAnnealingWarmRestarts(o, 3)
    LambdaLR(o, lambda epoch: 0.9)      PolynomialLR(o)         CyclicLR(o, 0.01, 0.1)
    OneCycleLR(o, 0.1, total_steps=10)  ReduceLROnPlateau(o)
"""


def calls(text):
    return [call.strip() for line in text.splitlines() for call in line.split("  ") if call.strip()]


def assert_alike(ours, theirs):
    """Of the same structure, the dicts in one order; numbers and tensors of the same values."""
    if isinstance(theirs, dict):
        assert list(ours) == list(theirs)
        ours, theirs = list(ours.values()), list(theirs.values())
    if isinstance(theirs, (list, tuple)):
        assert len(ours) == len(theirs)
        for mine, its in zip(ours, theirs, strict=True):
            assert_alike(mine, its)
    elif isinstance(theirs, torch.Tensor):
        assert isinstance(ours, gg.Tensor)
        assert isinstance(ours.payload, np.ndarray)
        assert ours.numpy().dtype == theirs.numpy().dtype
        np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-5, atol=1e-8)
    elif isinstance(theirs, float):
        assert ours == pytest.approx(theirs)
    else:
        assert ours == theirs or str(ours) == str(theirs)


def stepped(m, call, steps):
    """The optimiser that a call makes, some steps later."""
    p = m.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=m.float64, requires_grad=True)
    optimizer = eval(f"m.optim.{call}", {"m": m, "ps": [p]})

    def closure():
        optimizer.zero_grad()
        loss = (p * p * m.tensor([1.0, 2.0])).sum()
        loss.backward()
        return loss

    for _ in range(steps):
        optimizer.step(closure)
    return optimizer


@together
@pytest.mark.parametrize("call", calls(OPTIMIZERS))
@pytest.mark.parametrize("steps", [0, 2])
def test_state_of_an_optimizer_is_pytorchs(call, steps):
    ours, theirs = [stepped(m, call, steps) for m in (gg, torch)]
    assert_alike(ours.state_dict(), theirs.state_dict())
    assert_alike(ours.defaults, theirs.defaults)


@together
@pytest.mark.filterwarnings("ignore:Detected call of")
@pytest.mark.parametrize("call", calls(SCHEDULERS))
@pytest.mark.parametrize("steps", [0, 2])
def test_state_of_a_scheduler_is_pytorchs(call, steps):
    states = []
    for m in (gg, torch):
        optimizer = stepped(m, "SGD(ps, lr=0.1, momentum=0.9)", 0)
        scheduler = eval(f"m.optim.lr_scheduler.{call}", {"m": m, "o": optimizer})
        for _ in range(steps):
            scheduler.step(*[1.0] * ("Plateau" in call))
        states.append((scheduler.state_dict(), optimizer.state_dict()))
    assert_alike(*states)


@pytest.mark.parametrize("lib", [gg, torch])
def test_lbfgs_remembers_that_it_has_gone_nowhere(lib):
    x = lib.zeros(1, requires_grad=True)
    made = lib.optim.LBFGS([x])
    made.step(lambda: (x * x).sum())
    assert (made.state[x]["func_evals"], made.state[x]["n_iter"]) == (1, 0)
