"""What surrounds a step: hooks, names, own optimisers, options that only PyTorch's GPU needs."""

import importlib

import pytest
import torch

import glassgrad as gg
from checks import together

BOTH = pytest.mark.parametrize("lib", [gg, torch])


def optimizer_of(lib, **options):
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    x.grad = lib.tensor([1.0, 1.0])
    return x, lib.optim.SGD([x], lr=0.5, **options)


@BOTH
def test_hooks_run_before_and_after_a_step(lib):
    x, optimizer = optimizer_of(lib)
    told = []
    before = optimizer.register_step_pre_hook(lambda o, args, kwargs: told.append(("pre", o)))
    optimizer.register_step_post_hook(lambda o, args, kwargs: told.append(("post", x.tolist())))
    optimizer.step()
    before.remove()
    optimizer.step()
    assert told == [("pre", optimizer), ("post", [0.5, 1.5]), ("post", [0.0, 1.0])]


@BOTH
def test_a_hook_can_change_the_arguments_of_a_step(lib):
    _, optimizer = optimizer_of(lib)
    optimizer.register_step_pre_hook(lambda o, args, kwargs: ((o, lambda: 7.0), {}))
    assert optimizer.step() == 7.0
    optimizer.register_step_pre_hook(lambda o, args, kwargs: 3)
    with pytest.raises(RuntimeError, match="must return None or a tuple of"):
        optimizer.step()


@BOTH
def test_hooks_of_all_optimizers(lib):
    told = []
    home = importlib.import_module(f"{lib.__name__}.optim.optimizer")
    handles = [
        home.register_optimizer_step_pre_hook(lambda o, args, kwargs: told.append("pre")),
        home.register_optimizer_step_post_hook(lambda o, args, kwargs: told.append("post")),
    ]
    _, optimizer = optimizer_of(lib)
    optimizer.step()
    for handle in handles:
        handle.remove()
    optimizer.step()
    assert told == ["pre", "post"]


@BOTH
def test_hooks_on_saving_and_loading(lib):
    _, optimizer = optimizer_of(lib)
    told = []
    optimizer.register_state_dict_pre_hook(lambda o: told.append("saving"))
    optimizer.register_state_dict_post_hook(lambda o, state: {**state, "more": 1})
    optimizer.register_load_state_dict_pre_hook(
        lambda o, state: {**state, "seen": told.append("in")}
    )
    optimizer.register_load_state_dict_post_hook(lambda o: told.append("loaded"))
    optimizer.register_load_state_dict_post_hook(lambda o: told.append("first"), prepend=True)
    saved = optimizer.state_dict()
    assert saved["more"] == 1
    optimizer.load_state_dict(saved)
    assert told == ["saving", "in", "first", "loaded"]


@BOTH
def test_parameters_have_names_if_all_have_them(lib):
    model = lib.nn.Linear(2, 1)
    optimizer = lib.optim.Adam(model.named_parameters())
    assert optimizer.param_groups[0]["param_names"] == ["weight", "bias"]
    assert optimizer.state_dict()["param_groups"][0]["param_names"] == ["weight", "bias"]
    loose = lib.tensor(1.0, requires_grad=True)
    with pytest.raises(ValueError, match="all optimizer param groups should be with/without names"):
        optimizer.add_param_group({"params": [loose]})
    with pytest.raises(ValueError, match="Some param names are missing"):
        lib.optim.SGD([("a", loose), lib.tensor(2.0, requires_grad=True)])


@BOTH
def test_an_own_step_is_hooked_and_scheduled_too(lib):
    class Plain(lib.optim.Optimizer):
        def __init__(self, params, lr):
            super().__init__(params, {"lr": lr})

        @lib.no_grad()
        def step(self, closure=None):
            for group in self.param_groups:
                for p in group["params"]:
                    state = self.state[p]
                    state["step"] = state.get("step", 0) + 1
                    p.add_(p.grad, alpha=-group["lr"])

    class Plainer(Plain):
        def step(self, closure=None):
            return super().step(closure)

    x = lib.tensor([1.0], requires_grad=True)
    x.grad = lib.tensor([1.0])
    told = []
    optimizer = Plainer([x], 0.25)
    optimizer.register_step_post_hook(lambda *_: told.append(1))
    scheduler = lib.optim.lr_scheduler.StepLR(optimizer, 1)
    optimizer.step()
    scheduler.step()  # and does not warn
    assert x.item() == 0.75
    assert told == [1]
    assert optimizer.state_dict()["state"] == {0: {"step": 1}}


@together
@BOTH
@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW"])
def test_a_learning_rate_may_be_a_tensor(lib, name):
    x = lib.tensor([1.0], requires_grad=True)
    optimizer = getattr(lib.optim, name)([x], lr=lib.tensor(0.5))
    x.grad = lib.tensor([1.0])
    optimizer.step()
    assert x.item() == pytest.approx(0.5, abs=0.01)
    with pytest.raises(ValueError, match="Tensor lr must be 1-element"):
        getattr(lib.optim, name)([x], lr=lib.tensor([0.5, 0.5]))


@BOTH
def test_ways_of_computing_that_do_not_go_together_are_refused(lib):
    x = lib.tensor([1.0], requires_grad=True)
    x.grad = lib.tensor([1.0])
    with pytest.raises(RuntimeError, match="`fused` does not support `differentiable`"):
        lib.optim.SGD([x], fused=True, differentiable=True)
    for name, number in (("lr", 0.1), (r"betas\[0\]", 0.9)):
        options = {"lr": lib.tensor(0.1)} if name == "lr" else {"betas": (lib.tensor(number),) * 2}
        with pytest.raises(ValueError, match=f"{name} as a Tensor is not supported"):
            lib.optim.Adam([x], foreach=True, **options)
    lib.optim.SGD([x], lr=lib.tensor(0.1), foreach=True).step()
    with pytest.raises(RuntimeError, match="`fused` and `foreach` cannot be `True` together"):
        lib.optim.Adam([x], fused=True, foreach=True)
    with pytest.raises(AssertionError, match="If capturable=True, params and state_steps must be"):
        lib.optim.Adam([x], capturable=True).step()


REFUSED = [
    ("Adagrad", {"lr_decay": -1}, "Invalid lr_decay value: -1"),
    ("Adagrad", {"initial_accumulator_value": -1}, "Invalid initial_accumulator_value value: -1"),
    ("Adadelta", {"rho": 1.5}, "Invalid rho value: 1.5"),
    ("RMSprop", {"alpha": -1}, "Invalid alpha value: -1"),
    ("RMSprop", {"momentum": -1}, "Invalid momentum value: -1"),
    ("Rprop", {"etas": (1.5, 2.0)}, "Invalid eta values: 1.5, 2.0"),
    ("NAdam", {"momentum_decay": -1}, "Invalid momentum_decay value: -1"),
    ("RAdam", {"betas": (0.9, 1.0)}, "Invalid beta parameter at index 1: 1.0"),
    ("Adamax", {"eps": -1}, "Invalid epsilon value: -1"),
    ("ASGD", {"weight_decay": -1}, "Invalid weight_decay value: -1"),
    ("LBFGS", {"lr": -1}, "Invalid learning rate: -1"),
]


@together
@BOTH
@pytest.mark.parametrize(("name", "options", "words"), REFUSED)
def test_options_out_of_bounds_are_refused(lib, name, options, words):
    with pytest.raises(ValueError, match=words):
        getattr(lib.optim, name)([lib.tensor(1.0, requires_grad=True)], **options)


@BOTH
def test_lbfgs_has_one_group_and_one_search(lib):
    x, y = (lib.tensor(1.0, requires_grad=True) for _ in range(2))
    with pytest.raises(ValueError, match="LBFGS doesn't support per-parameter options"):
        lib.optim.LBFGS([{"params": [x]}, {"params": [y]}])
    optimizer = lib.optim.LBFGS([x], line_search_fn="other")

    def closure():
        optimizer.zero_grad()
        loss = x * x
        loss.backward()
        return loss

    with pytest.raises(RuntimeError, match="only 'strong_wolfe' is supported"):
        optimizer.step(closure)


@BOTH
def test_an_optimizer_around_another_need_not_be_initialised(lib):
    class Around(lib.optim.Optimizer):
        def __init__(self, inner):
            self.inner, self.param_groups = inner, inner.param_groups

        def step(self, closure=None):
            return self.inner.step(closure)

    x, inner = optimizer_of(lib)
    Around(inner).step()
    assert x.tolist() == [0.5, 1.5]


@BOTH
def test_an_option_may_be_required(lib):
    required = importlib.import_module(f"{lib.__name__}.optim.optimizer").required
    x = lib.ones(1, requires_grad=True)
    with pytest.raises(ValueError, match="didn't specify a value of required optimization parame"):
        lib.optim.Optimizer([x], {"lr": required})
    assert repr(required) == "<required parameter>"
    assert lib.optim.Optimizer([{"params": [x], "lr": 1.0}], {"lr": required}).param_groups


@together
@pytest.mark.parametrize(
    "call",
    [
        "_foreach_mul_(x, 2.0)",
        "_foreach_add_(x, y, alpha=2)",
        "_foreach_lerp_(x, y, 0.25)",
        "_foreach_addcdiv_(x, x, y, [1.0, 2.0])",
        "_foreach_addcmul_(x, x, y, value=2.0)",
        "_foreach_maximum_(x, 1.5)",
        "_foreach_sign(x)",
        "_foreach_norm(x, ord=1)",
        "_foreach_pow(x, [2, 3])",
    ],
)
def test_lists_are_computed_tensor_by_tensor(call):
    found = []
    for lib in (gg, torch):
        x, y = [[lib.tensor([1.0, 2.0]) * n, lib.tensor([[3.0]]) * n] for n in (1, 2)]
        results = eval(f"lib.{call}", {"lib": lib, "x": x, "y": y}) or ()
        found.append([each.tolist() for each in (*x, *results)])
    assert found[0] == found[1]
