"""Each optimiser beside PyTorch's, for fifty steps."""

import copy
import itertools

import numpy as np
import pytest
import torch

import glassgrad as gg
from checks import together

STEPS = 50
CASES = [
    ("SGD", {"lr": 0.05, "momentum": 0.9, "nesterov": True, "weight_decay": 0.1}),
    ("SGD", {"lr": 0.05, "momentum": 0.5, "dampening": 0.2, "maximize": False, "foreach": True}),
    ("SGD", {"lr": 0.01, "fused": True}),
    ("ASGD", {}),
    ("ASGD", {"lr": 0.1, "lambd": 0.1, "alpha": 0.5, "t0": 10, "weight_decay": 0.1}),
    ("Adam", {"lr": 0.1, "weight_decay": 0.1, "amsgrad": True}),
    ("Adam", {"lr": 0.1, "decoupled_weight_decay": True, "weight_decay": 0.1}),
    ("AdamW", {}),
    ("AdamW", {"lr": 0.1, "weight_decay": 0.5, "amsgrad": True, "eps": 1e-3}),
    ("Adamax", {}),
    ("Adamax", {"lr": 0.1, "betas": (0.5, 0.8), "weight_decay": 0.1, "eps": 1e-2}),
    ("NAdam", {}),
    ("NAdam", {"lr": 0.1, "momentum_decay": 0.1, "weight_decay": 0.1}),
    ("NAdam", {"lr": 0.1, "decoupled_weight_decay": True, "weight_decay": 0.1}),
    ("RAdam", {}),
    ("RAdam", {"lr": 0.1, "betas": (0.9, 0.99), "weight_decay": 0.1}),
    ("RAdam", {"lr": 0.1, "decoupled_weight_decay": True, "weight_decay": 0.1}),
    ("RMSprop", {}),
    ("RMSprop", {"lr": 0.02, "centered": True, "momentum": 0.9, "weight_decay": 0.1}),
    ("RMSprop", {"lr": 0.02, "alpha": 0.5, "eps": 1e-2}),
    ("Adagrad", {}),
    ("Adagrad", {"lr": 0.5, "lr_decay": 0.1, "weight_decay": 0.1}),
    ("Adagrad", {"lr": 0.5, "initial_accumulator_value": 0.5, "eps": 1e-3}),
    ("Adadelta", {}),
    ("Adadelta", {"lr": 0.5, "rho": 0.5, "eps": 1e-3, "weight_decay": 0.1}),
    ("Rprop", {}),
    ("Rprop", {"lr": 0.1, "etas": (0.4, 1.5), "step_sizes": (1e-3, 0.2)}),
    ("LBFGS", {"max_iter": 3, "lr": 0.1}),
    ("LBFGS", {"max_iter": 4, "line_search_fn": "strong_wolfe", "history_size": 3}),
]
NAMES = ["Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "ASGD", "NAdam", "RAdam", "RMSprop"]
NAMES += ["Rprop", "SGD", "LBFGS"]


def parameters(lib, dtype):
    values = [1.0, -2.0, 0.5]
    if dtype == "complex128":
        values = [1.0 - 0.5j, -2.0 + 1j, 0.5j]
    x = lib.tensor(values, dtype=getattr(lib, dtype), requires_grad=True)
    y = lib.tensor([[0.3]], dtype=getattr(lib, dtype), requires_grad=True)
    return x, y


def valley(lib, x, y):
    loss = (x * x * x * x).sum() / 4 + (x * y).sum() + (y * y).sum()
    return abs(loss) if loss.is_complex() else loss


def step(lib, optimizer, params):
    def closure():
        optimizer.zero_grad()
        loss = valley(lib, *params)
        loss.backward()
        return loss

    return optimizer.step(closure)


def path(lib, name, options, dtype, steps):
    params = parameters(lib, dtype)
    optimizer = getattr(lib.optim, name)(params, **options)
    values = []
    for _ in range(steps):
        step(lib, optimizer, params)
        values.append(np.concatenate([p.detach().numpy().ravel() for p in params]))
    return np.array(values), optimizer


@together
@pytest.mark.parametrize(("name", "options"), CASES)
def test_fifty_steps_are_pytorchs(name, options):
    ours, _ = path(gg, name, options, "float64", STEPS)
    theirs, _ = path(torch, name, options, "float64", STEPS)
    np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-9)


@together
@pytest.mark.parametrize("name", NAMES)
def test_steps_of_complex_parameters_are_pytorchs(name):
    options = {"lr": 0.02}
    ours, _ = path(gg, name, options, "complex128", 10)
    theirs, _ = path(torch, name, options, "complex128", 10)
    np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-9)


@together
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("maximize", [False, True])
def test_a_state_of_pytorch_is_loaded_and_continues(name, maximize):
    options = {"lr": 0.01}
    if name != "LBFGS":
        options["maximize"] = maximize
    if name == "SGD":
        options["momentum"] = 0.9
    _, theirs = path(torch, name, options, "float64", 5)
    saved = copy.deepcopy(theirs.state_dict())
    ours = getattr(gg.optim, name)(
        [gg.tensor(p.tolist(), dtype=gg.float64, requires_grad=True) for p in params_of(theirs)]
    )
    ours.load_state_dict(saved)
    for _ in range(5):
        step(torch, theirs, params_of(theirs))
        step(gg, ours, params_of(ours))
    for mine, yours in zip(params_of(ours), params_of(theirs), strict=True):
        np.testing.assert_allclose(mine.detach().numpy(), yours.detach().numpy(), rtol=1e-6)
    if name == "LBFGS":
        return
    kept = saved["state"][0]
    assert ours.state_dict()["state"][0].keys() == kept.keys()
    for key, value in ours.state_dict()["state"][0].items():
        np.testing.assert_allclose(value.numpy(), theirs.state_dict()["state"][0][key], rtol=1e-5)


def params_of(optimizer):
    return list(itertools.chain.from_iterable(g["params"] for g in optimizer.param_groups))


@together
@pytest.mark.parametrize("name", NAMES)
def test_defaults_and_repr_are_pytorchs(name):
    ours = getattr(gg.optim, name)(parameters(gg, "float32"))
    theirs = getattr(torch.optim, name)(parameters(torch, "float32"))
    assert ours.defaults == theirs.defaults
    assert repr(ours) == repr(theirs)
    assert ours.param_groups[0].keys() == theirs.param_groups[0].keys()


# PyTorch's own step leaves something stale in Adamax and Rprop; LBFGS has no such option.
RECORDED = [name for name in NAMES if name not in ("LBFGS", "Adamax", "Rprop")]


@together
@pytest.mark.parametrize("name", RECORDED)
def test_a_differentiable_step_is_recorded(name):
    def moved(lib):
        start = lib.tensor([1.0, -2.0], dtype=lib.float64, requires_grad=True)
        x = start.clone()
        optimizer = getattr(lib.optim, name)([x], lr=0.1, differentiable=True)
        for factor in (2.0, 3.0):
            x.grad = factor * start * start
            optimizer.step()
        x.sum().backward()
        return x.detach().numpy(), start.grad.numpy()

    for mine, yours in zip(moved(gg), moved(torch), strict=True):
        np.testing.assert_allclose(mine, yours, rtol=1e-5)


@together
@pytest.mark.parametrize("name", NAMES)
def test_a_step_stays_on_its_device(name):
    def moved(device):
        x = gg.tensor([1.0, 2.0], device=device, requires_grad=True)
        optimizer = getattr(gg.optim, name)([x])

        def closure():
            optimizer.zero_grad()
            loss = (x * x).sum()
            loss.backward()
            return loss

        for _ in range(3):
            optimizer.step(closure)
        return x.tolist()

    assert moved("fake") == pytest.approx(moved("cpu"))


def matrices(lib):
    values = np.sin(np.arange(12.0)).reshape(4, 3)
    return [lib.tensor(v, dtype=lib.float64, requires_grad=True) for v in (values, values.T[:2])]


def path_of_matrices(lib, name, steps=8, others=(), **options):
    params = [*matrices(lib), *[lib.tensor(v, requires_grad=True) for v in others]]
    optimizer = getattr(lib.optim, name)(params, **options)
    for _ in range(steps):
        optimizer.zero_grad()
        sum(((p - 0.5) ** 4).sum() + (p * p.flip(0)).sum() for p in params).backward()
        optimizer.step()
    return [p.detach().numpy() for p in params], optimizer


@together
@pytest.mark.parametrize(
    "options",
    [{}, {"lr": 0.3, "weight_decay": 0.1, "maximize": True}, {"eps": (1e-8, 0.5), "d": 2.0}],
)
def test_adafactor_is_pytorchs(options):
    others = (np.array([1.0, -2.0, 0.3]), np.ones((2, 2, 3)))
    ours, mine = path_of_matrices(gg, "Adafactor", others=others, **options)
    theirs, other = path_of_matrices(torch, "Adafactor", others=others, **options)
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10)
    saved = copy.deepcopy(other.state_dict())
    mine.load_state_dict(saved)
    assert mine.state_dict()["state"][0].keys() == saved["state"][0].keys()


@together
@pytest.mark.parametrize(
    "options", [{}, {"lr": 0.1, "nesterov": False}, {"adjust_lr_fn": "match_rms_adamw"}]
)
def test_muon_is_pytorchs_as_far_as_bfloat16_goes(options):
    ours, theirs = [path_of_matrices(lib, "Muon", **options)[0] for lib in (gg, torch)]
    for a, b, start in zip(ours, theirs, matrices(gg), strict=True):
        moved = start.detach().numpy()
        np.testing.assert_allclose(a - moved, b - moved, atol=0.03 * abs(b - moved).max())


def test_rows_that_are_not_looked_up_stay():
    def table(lib):
        embedding = lib.nn.Embedding(5, 3, sparse=True, dtype=lib.float64)
        with lib.no_grad():
            embedding.weight.copy_(lib.tensor(np.sin(np.arange(15.0)).reshape(5, 3)))
        optimizer = lib.optim.SparseAdam(embedding.parameters(), lr=0.1)
        for rows in ([0, 2], [2, 4], [0, 0]):
            optimizer.zero_grad()
            (embedding(lib.tensor(rows)) ** 2).sum().backward()
            optimizer.step()
        return embedding.weight.detach().numpy()

    np.testing.assert_allclose(table(gg), table(torch), rtol=1e-10)


@together
@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("Adafactor", {"beta2_decay": 0.1}, "beta2_decay should be <= 0"),
        ("Adafactor", {"d": 0.5}, "threshold d should be >= 1"),
        ("Adafactor", {"eps": (None, -1.0)}, "epsilon2"),
        ("Muon", {"adjust_lr_fn": "x"}, "is not supported"),
    ],
)
def test_options_of_matrices_are_checked(name, options, words):
    with pytest.raises(ValueError, match=words):
        getattr(gg.optim, name)(matrices(gg), **options)


def test_what_is_no_real_matrix_is_refused():
    with pytest.raises(ValueError, match="Muon only supports 2D parameters"):
        gg.optim.Muon([gg.ones(3, requires_grad=True)])
    for name in ("Adafactor", "Muon"):
        with pytest.raises(RuntimeError, match="does not support complex"):
            getattr(gg.optim, name)([gg.ones(3, 2, dtype=gg.complex64, requires_grad=True)])


def test_groups_are_printed_as_pytorchs():
    def printed(lib):
        groups = [{"params": [p], "lr": 0.1 * i} for i, p in enumerate(matrices(lib))]
        optimizer = lib.optim.SGD(groups, momentum=0.9)
        optimizer.load_state_dict(optimizer.state_dict())
        adam = lib.optim.AdamW(matrices(lib), lr=0.1)
        groups = [list(group) for group in (*optimizer.param_groups, *adam.param_groups)]
        return repr(optimizer), groups

    assert printed(gg) == printed(torch)


@pytest.mark.parametrize("lib", [gg, torch])
def test_the_rate_of_asgd_is_kept_in_the_default_dtype(lib):
    x = lib.ones(2, dtype=lib.float64, requires_grad=True)
    x.grad = lib.ones(2, dtype=lib.float64)
    optimizer = lib.optim.ASGD([x], lr=0.1)
    optimizer.step()
    optimizer.load_state_dict(optimizer.state_dict())
    optimizer.step()
    assert optimizer.state[x]["eta"].item() == np.float32(0.1 / (1 + 1e-4 * 0.1 * 2) ** 0.75)
