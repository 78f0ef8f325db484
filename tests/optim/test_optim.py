"""Optimisers move parameters as PyTorch's do, step by step."""

import copy
import pickle

import numpy as np
import pytest
import torch

import glassgrad as gg
from checks import together
from glassgrad.core.errors import ArgumentError, ArgumentTypeError, MissingRuleError
from glassgrad.optim import SGD, Adam, Optimizer

STEPS = 12

SGD_OPTIONS = [
    {"lr": 0.1},
    {"lr": 0.1, "momentum": 0.9},
    {"lr": 0.1, "momentum": 0.9, "dampening": 0.3},
    {"lr": 0.1, "momentum": 0.9, "nesterov": True},
    {"lr": 0.1, "weight_decay": 0.05},
    {"lr": 0.1, "momentum": 0.8, "weight_decay": 0.05, "nesterov": True, "maximize": True},
    {"lr": 0.0},
    {},
]
ADAM_OPTIONS = [
    {},
    {"lr": 0.05},
    {"lr": 0.05, "betas": (0.5, 0.9)},
    {"lr": 0.05, "betas": (0.0, 0.0)},
    {"lr": 0.05, "eps": 1e-3},
    {"lr": 0.05, "weight_decay": 0.1},
    {"lr": 0.05, "weight_decay": 0.1, "decoupled_weight_decay": True},
    {"lr": 0.05, "amsgrad": True},
    {"lr": 0.05, "maximize": True, "amsgrad": True},
]
CASES = [("SGD", options) for options in SGD_OPTIONS] + [
    ("Adam", options) for options in ADAM_OPTIONS
]


def descend(lib, name, options, dtype, *, steps=STEPS):
    """The values of two parameters after each step on a bent valley."""
    x = lib.tensor([1.0, -2.0, 0.5], dtype=getattr(lib, dtype), requires_grad=True)
    y = lib.tensor([[0.3]], dtype=getattr(lib, dtype), requires_grad=True)
    optimizer = getattr(lib.optim, name)([x, y], **options)
    path = []
    for _ in range(steps):
        optimizer.zero_grad()
        ((x * x * x * x).sum() / 4 + (x * y).sum() + (y * y).sum()).backward()
        optimizer.step()
        path.append(x.tolist() + y.reshape(-1).tolist())
    return np.array(path)


@together
@pytest.mark.parametrize(("name", "options"), CASES)
@pytest.mark.parametrize(("dtype", "rtol"), [("float64", 1e-12), ("float32", 2e-5)])
def test_every_step_is_pytorchs(name, options, dtype, rtol):
    ours = descend(gg, name, options, dtype)
    theirs = descend(torch, name, options, dtype)
    np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=rtol)


@together
@pytest.mark.parametrize(("name", "options"), CASES)
def test_going_on_from_a_saved_state_changes_nothing(name, options):
    def half(x, optimizer):
        for _ in range(5):
            optimizer.zero_grad()
            (x * x).sum().backward()
            optimizer.step()

    x = gg.tensor([1.0, -2.0], requires_grad=True)
    optimizer = getattr(gg.optim, name)([x], **options)
    half(x, optimizer)
    y = x.detach().clone().requires_grad_()
    resumed = getattr(gg.optim, name)([y], lr=123.0)
    resumed.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    half(x, optimizer)
    half(y, resumed)
    assert y.tolist() == x.tolist()


def test_a_state_dict_has_pytorchs_form():
    def saved(lib):
        x = lib.tensor([1.0], requires_grad=True)
        unused = lib.tensor([1.0], requires_grad=True)
        optimizer = lib.optim.Adam([{"params": [unused]}, {"params": [x], "lr": 0.5}], amsgrad=True)
        x.sum().backward()
        optimizer.step()
        return optimizer.state_dict()

    ours, theirs = saved(gg), saved(torch)
    assert ours["state"].keys() == theirs["state"].keys() == {1}
    assert ours["state"][1].keys() == theirs["state"][1].keys()
    for key, value in ours["state"][1].items():
        assert value.tolist() == theirs["state"][1][key].tolist()
    for our_group, their_group in zip(ours["param_groups"], theirs["param_groups"], strict=True):
        assert our_group == {key: their_group[key] for key in our_group}


def test_a_step_writes_in_place_and_counts_as_a_write():
    x = gg.tensor([1.0], requires_grad=True)
    memory, before = x.payload, x._version
    x.grad = gg.tensor([1.0])
    SGD([x], lr=0.5).step()
    assert x.payload is memory
    assert x._version > before
    assert memory.tolist() == [0.5]


def test_a_step_leaves_the_gradient_alone():
    x = gg.tensor([1.0], requires_grad=True)
    x.grad = gg.tensor([2.0])
    optimizer = SGD([x], lr=0.5, momentum=0.9, weight_decay=0.1, maximize=True)
    optimizer.step()
    optimizer.step()
    assert x.grad.tolist() == [2.0]


def test_the_momentum_does_not_share_memory_with_the_gradient():
    x = gg.tensor([1.0], requires_grad=True)
    x.grad = gg.tensor([2.0])
    optimizer = SGD([x], lr=0.5, momentum=0.9)
    optimizer.step()
    x.grad.zero_()
    assert optimizer.state[x]["momentum_buffer"].tolist() == [2.0]


def test_a_parameter_without_gradient_stays():
    x = gg.tensor([1.0], requires_grad=True)
    optimizer = Adam([x])
    optimizer.step()
    assert x.tolist() == [1.0]
    assert optimizer.state_dict()["state"] == {}


def test_a_step_is_not_recorded():
    x = gg.tensor([1.0], requires_grad=True)
    x.grad = gg.tensor([1.0])
    SGD([x], lr=0.1).step()
    assert x.is_leaf
    assert x.requires_grad


def test_groups_have_options_of_their_own():
    x = gg.tensor([1.0], requires_grad=True)
    y = gg.tensor([1.0], requires_grad=True)
    optimizer = SGD([{"params": x}, {"params": [y], "lr": 0.5}], lr=0.1)
    for param in (x, y):
        param.grad = gg.tensor([1.0])
    optimizer.step()
    assert x.item() == pytest.approx(0.9)
    assert y.item() == pytest.approx(0.5)


def test_the_learning_rate_can_be_changed_between_steps():
    x = gg.tensor([1.0], requires_grad=True)
    optimizer = SGD([x], lr=0.1)
    optimizer.param_groups[0]["lr"] = 0.25
    x.grad = gg.tensor([1.0])
    optimizer.step()
    assert x.item() == 0.75


def test_step_returns_the_loss_of_its_closure_and_records_inside_it():
    x = gg.tensor([3.0], requires_grad=True)
    optimizer = SGD([x], lr=0.1)

    def closure():
        optimizer.zero_grad()
        loss = (x * x).sum()
        loss.backward()
        return loss

    with gg.no_grad():
        loss = optimizer.step(closure)
    assert loss.item() == 9.0
    assert x.item() == pytest.approx(2.4)


def test_zero_grad_forgets_or_fills():
    x = gg.tensor([3.0], requires_grad=True)
    optimizer = SGD([x])
    x.grad = kept = gg.tensor([1.0])
    optimizer.zero_grad(set_to_none=False)
    assert kept.tolist() == [0.0]
    optimizer.zero_grad()
    assert x.grad is None


def test_a_generator_of_parameters_is_read_once():
    model = gg.nn.Linear(2, 1)
    assert len(SGD(model.parameters()).param_groups[0]["params"]) == 2


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda o: pickle.loads(pickle.dumps(o))])
def test_a_copy_goes_on_alone(copied):
    x = gg.tensor([1.0], requires_grad=True)
    x.grad = gg.tensor([1.0])
    optimizer = Adam([x], lr=0.1)
    optimizer.step()
    twin = copied(optimizer)
    (y,) = twin.param_groups[0]["params"]
    assert y is not x
    assert twin.state[y]["step"].item() == 1.0
    y.grad = gg.tensor([1.0])
    twin.step()
    assert optimizer.state[x]["step"].item() == 1.0


@pytest.mark.parametrize("lib", [gg, torch])
def test_groups_are_listed_with_a_line_between(lib):
    groups = [{"params": [lib.ones(1, requires_grad=True)]} for _ in range(2)]
    assert "weight_decay: 0\n\nParameter Group 1\n" in repr(lib.optim.SGD(groups, lr=0.1))
    with pytest.raises(TypeError, match="closure"):
        lib.optim.LBFGS([lib.ones(1, requires_grad=True)]).step()


def test_repr_lists_the_options_as_pytorch_does():
    text = repr(SGD([gg.tensor([1.0], requires_grad=True)], lr=0.1))
    assert text == (
        "SGD (\nParameter Group 0\n    dampening: 0\n    differentiable: False\n"
        "    foreach: None\n    fused: None\n    lr: 0.1\n    maximize: False\n"
        "    momentum: 0\n    nesterov: False\n    weight_decay: 0\n)"
    )


LEAF = gg.tensor([1.0], requires_grad=True)


@together
@pytest.mark.parametrize("kind", [SGD, Adam])
@pytest.mark.parametrize(
    ("params", "error", "words"),
    [
        ([], ArgumentError, "optimizer got an empty parameter list"),
        (LEAF, ArgumentTypeError, "should be an iterable of Tensors or dicts, but got a Tensor"),
        (3, ArgumentTypeError, "should be an iterable of Tensors or dicts, but got int"),
        ({LEAF}, ArgumentTypeError, "ordered collections"),
        ([1.0], ArgumentTypeError, "one of the params is float"),
        ([LEAF * 2], ArgumentError, "can't optimize a non-leaf Tensor .*MulBackward0"),
        ([{"params": LEAF}, {"params": LEAF}], ArgumentError, "more than one parameter group"),
        ([{"params": LEAF}, LEAF], ArgumentTypeError, "param_group must be a dict"),
    ],
)
def test_parameters_that_cannot_be_optimized_are_refused(kind, params, error, words):
    with pytest.raises(error, match=words):
        kind(params)


def test_a_parameter_twice_in_one_group_is_warned_of(lib):
    p = lib.tensor([1.0], requires_grad=True)
    with pytest.warns(UserWarning, match="parameter group with duplicate parameters"):
        lib.optim.SGD([p, p], lr=0.1)
    with pytest.raises(ValueError, match="more than one parameter group"):
        lib.optim.SGD([{"params": p}, {"params": p}], lr=0.1)
    with pytest.raises(KeyError, match="params"):
        lib.optim.SGD([{"lr": 0.1}])


@together
@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: SGD([LEAF], lr=-1), "Invalid learning rate: -1"),
        (lambda: SGD([LEAF], lr=float("nan")), "Invalid learning rate: nan"),
        (lambda: SGD([LEAF], momentum=-1), "Invalid momentum value: -1"),
        (lambda: SGD([LEAF], weight_decay=-1), "Invalid weight_decay value: -1"),
        (lambda: SGD([LEAF], nesterov=True), "Nesterov momentum requires a momentum and zero"),
        (
            lambda: SGD([LEAF], nesterov=True, momentum=0.9, dampening=0.1),
            "Nesterov momentum requires a momentum and zero",
        ),
        (lambda: Adam([LEAF], lr=-1), "Invalid learning rate: -1"),
        (lambda: Adam([LEAF], eps=-1), "Invalid epsilon value: -1"),
        (lambda: Adam([LEAF], betas=(1.0, 0.1)), "Invalid beta parameter at index 0: 1.0"),
        (lambda: Adam([LEAF], betas=(0.1, -0.1)), "Invalid beta parameter at index 1: -0.1"),
        (lambda: Adam([LEAF], weight_decay=-1), "Invalid weight_decay value: -1"),
    ],
)
def test_options_that_make_no_sense_are_refused(make, words):
    with pytest.raises(ArgumentError, match=words):
        make()


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        ([], "a different number of parameter groups: 0, here 1"),
        ([{"params": [0, 1], "lr": 9.0}], "doesn't match the size of optimizer's group: 2"),
    ],
)
def test_a_foreign_state_is_refused_and_changes_nothing(groups, words):
    optimizer = SGD([LEAF], lr=0.1)
    with pytest.raises(ArgumentError, match=words):
        optimizer.load_state_dict({"state": {0: {"momentum_buffer": 1}}, "param_groups": groups})
    assert optimizer.param_groups[0]["lr"] == 0.1
    assert not optimizer.state


def test_an_optimizer_without_update_says_what_is_missing():
    x = gg.tensor([1.0], requires_grad=True)
    x.grad = gg.tensor([1.0])
    with pytest.raises(MissingRuleError, match="missing the method `update`"):
        Optimizer([x], {}).step()
