"""Each scheduler beside PyTorch's: learning rates, momenta, states, warnings and errors."""

import copy
import warnings

import numpy as np
import pytest
import torch

import glassgrad as gg
from checks import together

STEPS = 50
CASES = [
    ("LambdaLR", {"lr_lambda": lambda epoch: 0.9**epoch}),
    ("LambdaLR", {"lr_lambda": [lambda epoch: 1 / (1 + epoch), lambda _: 2.0]}),
    ("MultiplicativeLR", {"lr_lambda": lambda epoch: 0.95 if epoch % 2 else 1.01}),
    ("StepLR", {"step_size": 7}),
    ("StepLR", {"step_size": 1, "gamma": 0.5}),
    ("MultiStepLR", {"milestones": [3, 9, 9, 30], "gamma": 0.3}),
    ("ConstantLR", {}),
    ("ConstantLR", {"factor": 0.25, "total_iters": 9}),
    ("LinearLR", {}),
    ("LinearLR", {"start_factor": 0.1, "end_factor": 0.7, "total_iters": 20}),
    ("LinearLR", {"start_factor": 1.0, "end_factor": 0.0, "total_iters": 20}),
    ("ExponentialLR", {"gamma": 0.9}),
    ("PolynomialLR", {"total_iters": 30, "power": 2.0}),
    ("CosineAnnealingLR", {"T_max": 10}),
    ("CosineAnnealingLR", {"T_max": 7, "eta_min": 0.01}),
    ("CosineAnnealingWarmRestarts", {"T_0": 5}),
    ("CosineAnnealingWarmRestarts", {"T_0": 3, "T_mult": 2, "eta_min": 0.01}),
    ("CyclicLR", {"base_lr": 0.01, "max_lr": 0.1, "step_size_up": 5}),
    (
        "CyclicLR",
        {
            "base_lr": [0.01, 0.02],
            "max_lr": 0.1,
            "step_size_up": 5,
            "step_size_down": 8,
            "mode": "triangular2",
        },
    ),
    (
        "CyclicLR",
        {"base_lr": 0.01, "max_lr": 0.1, "step_size_up": 6, "mode": "exp_range", "gamma": 0.9},
    ),
    (
        "CyclicLR",
        {
            "base_lr": 0.01,
            "max_lr": 0.1,
            "step_size_up": 6,
            "scale_fn": lambda x: 1 / x,
            "cycle_momentum": False,
        },
    ),
    ("OneCycleLR", {"max_lr": 0.3, "total_steps": 60}),
    (
        "OneCycleLR",
        {
            "max_lr": [0.3, 0.1],
            "epochs": 6,
            "steps_per_epoch": 10,
            "anneal_strategy": "linear",
            "three_phase": True,
        },
    ),
    ("OneCycleLR", {"max_lr": 0.3, "total_steps": 51, "cycle_momentum": False, "pct_start": 0.5}),
    ("SWALR", {"swa_lr": 0.05}),
    ("SWALR", {"swa_lr": [0.05, 0.5], "anneal_epochs": 4, "anneal_strategy": "linear"}),
    ("SWALR", {"swa_lr": 0.05, "anneal_epochs": 0}),
]


def optimizer_of(lib, kind="SGD", lr=0.2):
    groups = [
        {"params": [lib.tensor(1.0, requires_grad=True)]},
        {"params": [lib.tensor(1.0, requires_grad=True)], "lr": 0.03},
    ]
    options = {"momentum": 0.9} if kind == "SGD" else {}
    return getattr(lib.optim, kind)(groups, lr=lr, **options)


def scheduler_of(lib, name, options, optimizer):
    home = lib.optim.swa_utils if name == "SWALR" else lib.optim.lr_scheduler
    return getattr(home, name)(optimizer, **options)


def seen(optimizer):
    groups = optimizer.param_groups
    momenta = [g["momentum"] if "momentum" in g else g["betas"][0] for g in groups]
    return [float(g["lr"]) for g in groups] + momenta


def path(optimizer, scheduler, steps=STEPS):
    rows = [seen(optimizer)]
    for _ in range(steps):
        optimizer.step()
        scheduler.step()
        rows.append(seen(optimizer))
        assert [float(lr) for lr in scheduler.get_last_lr()] == rows[-1][:2]
    return np.array(rows)


@together
@pytest.mark.parametrize(("name", "options"), CASES)
@pytest.mark.parametrize("kind", ["SGD", "Adam"])
def test_fifty_learning_rates_are_pytorchs(name, options, kind):
    def rates(lib):
        optimizer = optimizer_of(lib, kind)
        return path(optimizer, scheduler_of(lib, name, options, optimizer))

    assert rates(gg).tolist() == rates(torch).tolist()


@together
@pytest.mark.parametrize(("name", "options"), CASES)
def test_a_state_is_printed_as_pytorchs(name, options):
    def state(lib):
        return scheduler_of(lib, name, options, optimizer_of(lib)).state_dict()

    ours, theirs = [*state(gg)], [*state(torch)]
    assert ours[ours.index("base_lrs") :] == theirs[theirs.index("base_lrs") :]


@together
@pytest.mark.parametrize(("name", "options"), CASES)
def test_going_on_from_a_saved_state_changes_nothing(name, options):
    optimizer = optimizer_of(gg)
    scheduler = scheduler_of(gg, name, options, optimizer)
    path(optimizer, scheduler, 13)
    again = optimizer_of(gg, lr=7.0)
    resumed = scheduler_of(gg, name, options, again)
    again.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    resumed.load_state_dict(copy.deepcopy(scheduler.state_dict()))
    assert resumed.last_epoch == 13
    np.testing.assert_array_equal(path(again, resumed, 9), path(optimizer, scheduler, 9))


@together
@pytest.mark.parametrize(("name", "options"), CASES)
def test_a_state_of_pytorch_is_loaded(name, options):
    theirs = optimizer_of(torch)
    their_scheduler = scheduler_of(torch, name, options, theirs)
    path(theirs, their_scheduler, 6)
    ours = optimizer_of(gg)
    scheduler = scheduler_of(gg, name, options, ours)
    ours.load_state_dict(copy.deepcopy(theirs.state_dict()))
    scheduler.load_state_dict(copy.deepcopy(their_scheduler.state_dict()))
    rates = path(ours, scheduler, 9), path(theirs, their_scheduler, 9)
    np.testing.assert_allclose(*rates, rtol=1e-6)


@together
@pytest.mark.parametrize(("name", "options"), CASES)
def test_an_epoch_can_be_asked_for_and_a_training_resumed(name, options):
    def rates(lib):
        optimizer = optimizer_of(lib)
        scheduler = scheduler_of(lib, name, options, optimizer)
        rows = [seen(optimizer)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            optimizer.step()
            for epoch in (3, 4, 11):
                scheduler.step(epoch)
                rows.append(seen(optimizer))
        resumed = scheduler_of(lib, name, {**options, "last_epoch": 11}, optimizer)
        rows += path(optimizer, resumed, 5).tolist()
        return rows

    np.testing.assert_allclose(rates(gg), rates(torch), rtol=1e-6, atol=1e-12)


@together
@pytest.mark.parametrize(
    "options",
    [
        {"patience": 2},
        {"patience": 0, "cooldown": 3, "factor": 0.5},
        {"mode": "max", "patience": 1, "threshold": 0.1},
        {"mode": "max", "patience": 1, "threshold": 0.1, "threshold_mode": "abs"},
        {"patience": 1, "threshold_mode": "abs", "min_lr": [0.01, 0.02]},
    ],
)
def test_a_plateau_is_noticed_as_in_pytorch(options):
    results = np.random.default_rng(0).normal(size=40).cumsum()

    def rates(lib):
        optimizer = optimizer_of(lib)
        scheduler = lib.optim.lr_scheduler.ReduceLROnPlateau(optimizer, **options)
        rows = []
        for result in results:
            optimizer.step()
            scheduler.step(lib.tensor(result))
            rows.append(seen(optimizer))
        state = scheduler.state_dict()
        return rows, {key: state[key] for key in ("best", "num_bad_epochs", "last_epoch")}

    (ours, our_state), (theirs, their_state) = rates(gg), rates(torch)
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)
    assert our_state == pytest.approx(their_state)


def test_schedulers_one_after_the_other_are_pytorchs():
    def rates(lib):
        home = lib.optim.lr_scheduler
        optimizer = optimizer_of(lib)
        parts = [
            home.ConstantLR(optimizer, 0.1, 4),
            home.ExponentialLR(optimizer, 0.9),
            home.StepLR(optimizer, 3),
        ]
        return path(optimizer, home.SequentialLR(optimizer, parts, milestones=[5, 12]), 20)

    np.testing.assert_allclose(rates(gg), rates(torch), rtol=1e-6)


def test_a_warm_up_goes_over_into_a_cosine_as_in_pytorch():
    def rates(lib):
        home = lib.optim.lr_scheduler
        optimizer = optimizer_of(lib)
        warm = home.LinearLR(optimizer, 0.1, total_iters=5)
        cosine = home.CosineAnnealingLR(optimizer, 20)
        both = home.SequentialLR(optimizer, [warm, cosine], milestones=[5])
        return path(optimizer, both, 25)

    np.testing.assert_allclose(rates(gg), rates(torch), rtol=1e-6, atol=1e-12)


def test_a_chain_is_pytorchs_and_is_saved():
    def rates(lib):
        home = lib.optim.lr_scheduler
        optimizer = optimizer_of(lib)
        chain = home.ChainedScheduler(
            [home.ConstantLR(optimizer, 0.5, 4), home.ExponentialLR(optimizer, 0.9)]
        )
        rows = path(optimizer, chain, 10)
        return rows, [s["last_epoch"] for s in chain.state_dict()["_schedulers"]]

    (ours, our_epochs), (theirs, their_epochs) = rates(gg), rates(torch)
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)
    assert our_epochs == their_epochs


def test_a_learning_rate_that_is_a_tensor_is_written_in_place():
    lr = gg.tensor(0.5)
    optimizer = gg.optim.SGD([gg.tensor(1.0, requires_grad=True)], lr=lr)
    scheduler = gg.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    optimizer.step()
    scheduler.step()
    assert lr.item() == 0.25
    assert scheduler.get_last_lr()[0] is not lr


@pytest.mark.parametrize("lib", [gg, torch])
def test_the_wrong_order_and_the_wrong_question_warn(lib):
    optimizer = optimizer_of(lib)
    scheduler = lib.optim.lr_scheduler.StepLR(optimizer, 2)
    with pytest.warns(UserWarning, match="before `optimizer.step"):
        scheduler.step()
    with pytest.warns(UserWarning, match="please use `get_last_lr"):
        scheduler.get_lr()
    with pytest.warns(UserWarning, match="The epoch parameter in `scheduler.step"):
        scheduler.step(4)


REFUSED = [
    (lambda home, o: home.StepLR(3, 2), TypeError, "int is not an Optimizer"),
    (lambda home, o: home.LambdaLR(o, [abs]), ValueError, "Expected 2 lr_lambdas, but got 1"),
    (lambda home, o: home.MultiplicativeLR(o, 0.5), TypeError, "lr_lambda should be a function"),
    (lambda home, o: home.ConstantLR(o, 2.0), ValueError, "expected to be between 0 and 1"),
    (lambda home, o: home.LinearLR(o, 0.0), ValueError, "Starting multiplicative factor expected"),
    (lambda home, o: home.LinearLR(o, 0.5, 2.0), ValueError, "Ending multiplicative factor"),
    (lambda home, o: home.StepLR(o, 2, last_epoch=3), KeyError, "param 'initial_lr' is not spec"),
    (lambda home, o: home.CosineAnnealingWarmRestarts(o, 0), ValueError, "Expected positive int"),
    (lambda home, o: home.CosineAnnealingWarmRestarts(o, 1, 0), ValueError, "T_mult >= 1"),
    (lambda home, o: home.CyclicLR(o, [0.1], 1.0), ValueError, "base_lr must have the same length"),
    (lambda home, o: home.CyclicLR(o, 0.1, 1.0, mode="x"), ValueError, "mode is invalid and"),
    (lambda home, o: home.OneCycleLR(o, 0.1), ValueError, "You must define either total_steps"),
    (lambda home, o: home.OneCycleLR(o, 0.1, 0), ValueError, "Expected positive integer total_st"),
    (lambda home, o: home.OneCycleLR(o, 0.1, 5, pct_start=2.0), ValueError, "between 0 and 1 pct"),
    (lambda home, o: home.OneCycleLR(o, 0.1, 5, anneal_strategy="x"), ValueError, "one of 'cos'"),
    (lambda home, o: home.ReduceLROnPlateau(o, factor=1.0), ValueError, "Factor should be < 1.0"),
    (lambda home, o: home.ReduceLROnPlateau(o, "x"), ValueError, "mode x is unknown!"),
    (lambda home, o: home.ReduceLROnPlateau(o, min_lr=[1]), ValueError, "expected 2 min_lrs"),
    (lambda home, o: home.SequentialLR(o, [], []), ValueError, "at least one scheduler"),
    (
        lambda home, o: home.SequentialLR(o, [home.StepLR(o, 2)], [3]),
        ValueError,
        "one more than the number of milestone points",
    ),
    (
        lambda home, o: home.ChainedScheduler([home.ReduceLROnPlateau(o)]),
        ValueError,
        "does not support `ReduceLROnPlateau`",
    ),
]


@together
@pytest.mark.parametrize("lib", [gg, torch])
@pytest.mark.parametrize(("make", "error", "words"), REFUSED)
def test_schedules_that_make_no_sense_are_refused(lib, make, error, words):
    with pytest.raises(error, match=words):
        make(lib.optim.lr_scheduler, optimizer_of(lib))


# Averages of models -------------------------------------------------------------------------------


@together
@pytest.mark.parametrize("average", [None, "get_ema_avg_fn", "get_ema_multi_avg_fn"])
def test_an_averaged_model_is_pytorchs(average):
    def means(lib):
        home = lib.optim.swa_utils
        model = lib.nn.Linear(2, 1)
        options = {}
        if average is not None:
            options["multi_avg_fn" if "multi" in average else "avg_fn"] = getattr(home, average)(
                0.7
            )
        averaged = home.AveragedModel(model, **options)
        for k in range(4):
            with lib.no_grad():
                model.weight.copy_(lib.tensor([[1.0 * k, k * k]]))
                model.bias.fill_(k)
            averaged.update_parameters(model)
        return averaged.module.weight.tolist(), averaged.n_averaged.item()

    ours, theirs = means(gg), means(torch)
    assert ours[1] == theirs[1]
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-6)
