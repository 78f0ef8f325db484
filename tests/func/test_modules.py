"""Modules as functions of their parameters; each test runs on PyTorch too."""

import functools

import numpy as np
import pytest
import torch

import glassgrad as gg
from both import LIBRARIES
from checks import together
from glassgrad.func import debug_unwrap

both = pytest.mark.parametrize("lib", LIBRARIES)


def tied(lib):
    """A module with two names for one weight, a buffer, and an attribute that is a tensor."""

    class Tied(lib.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = lib.nn.Linear(2, 2, bias=False)
            self.weight = self.linear.weight
            self.register_buffer("shift", lib.zeros(2))
            self.extra = lib.zeros(2)

        def forward(self, x, scale=1.0):
            return (self.linear(x) + x @ self.weight.T + self.shift) * scale + self.extra

    return Tied()


def eye(lib, factor=1.0):
    return lib.eye(2) * factor


# Calls --------------------------------------------------------------------------------------------


@both
def test_a_call_uses_the_tensors_it_is_given(lib):
    model, x = lib.nn.Linear(2, 2), lib.ones(2)
    weight = model.weight
    values = {"weight": eye(lib), "bias": lib.tensor([1.0, 2.0])}
    assert lib.func.functional_call(model, values, x).tolist() == [2.0, 3.0]
    assert model.weight is weight


@both
def test_what_is_not_given_is_the_modules_own(lib):
    model, x = lib.nn.Linear(2, 2), lib.ones(2)
    found = lib.func.functional_call(model, {"weight": eye(lib, 0.0)}, x)
    assert found.tolist() == model.bias.tolist()


@both
def test_submodules_are_reached_by_dotted_names(lib):
    model = lib.nn.Sequential(lib.nn.Linear(2, 2, bias=False), lib.nn.ReLU())
    found = lib.func.functional_call(model, {"0.weight": eye(lib, 3.0)}, lib.tensor([1.0, -1.0]))
    assert found.tolist() == [3.0, 0.0]


@both
def test_args_and_kwargs_are_passed_on(lib):
    model, x, call = tied(lib), lib.ones(2), lib.func.functional_call
    values = {"weight": eye(lib), "extra": lib.ones(2)}
    assert call(model, values, x).tolist() == [3.0, 3.0]
    assert call(model, values, (x, 10.0)).tolist() == [21.0, 21.0]
    assert call(model, values, (x,), {"scale": 10.0}).tolist() == [21.0, 21.0]
    assert model.extra.tolist() == [0.0, 0.0]


@both
def test_a_tied_weight_is_replaced_under_all_names(lib):
    model, x, call = tied(lib), lib.ones(2), lib.func.functional_call
    own = model.linear(x).tolist()
    assert call(model, {"weight": eye(lib)}, x).tolist() == [2.0, 2.0]
    found = call(model, {"weight": eye(lib, 0.0)}, x, tie_weights=False)
    assert np.allclose(found.tolist(), own)


@both
def test_a_tied_weight_has_one_value(lib):
    values = {"weight": eye(lib), "linear.weight": eye(lib, 2.0)}
    text = r"functional_call got multiple values for keys \['linear.weight', 'weight'\], which are"
    with pytest.raises(ValueError, match=text):
        lib.func.functional_call(tied(lib), values, lib.ones(2))
    found = lib.func.functional_call(tied(lib), values, lib.ones(2), tie_weights=False)
    assert found.tolist() == [3.0, 3.0]


@both
def test_several_dicts_count_as_one(lib):
    dicts = ({"weight": eye(lib)}, {"shift": lib.ones(2)})
    assert lib.func.functional_call(tied(lib), dicts, lib.ones(2)).tolist() == [3.0, 3.0]


@together
@both
@pytest.mark.parametrize(
    ("dicts", "text"),
    [
        (lambda x: [{"shift": x}, {"shift": x}], r"\['shift'\] appeared in multiple dictionaries"),
        (
            lambda x: [{"shift": x}, 3],
            "Expected all elements of parameter_and_buffer_dicts to be d",
        ),
        (lambda x: 3, "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts"),
    ],
)
def test_dicts_that_are_ambiguous_or_none_are_refused(lib, dicts, text):
    with pytest.raises(ValueError, match=text):
        lib.func.functional_call(tied(lib), dicts(lib.ones(2)), lib.ones(2))


@both
def test_a_value_is_a_tensor(lib):
    model = tied(lib)
    with pytest.raises(TypeError, match=r"3 is not an instance of .*Tensor"):
        lib.func.functional_call(model, {"shift": 3}, lib.ones(2))
    assert model.shift.tolist() == [0.0, 0.0]


@both
def test_strict_names_what_does_not_fit(lib):
    text = (
        r"(?s)Error\(s\) in reparametrizing for Tied.*Unexpected key\(s\): 'z'.*Missing key\(s\): "
    )
    with pytest.raises(RuntimeError, match=text):
        lib.func.functional_call(tied(lib), {"z": lib.ones(2)}, lib.ones(2), strict=True)
    model = tied(lib)
    values = {**dict(model.named_parameters()), **dict(model.named_buffers())}
    lib.func.functional_call(model, values, lib.ones(2), strict=True)


@both
def test_names_that_are_not_there_are_ignored_without_strict(lib):
    model = tied(lib)
    values = {"weight": eye(lib), "z": lib.ones(2), "linear.z": lib.ones(2)}
    assert lib.func.functional_call(model, values, lib.ones(2)).tolist() == [2.0, 2.0]
    assert not hasattr(model, "z")
    with pytest.raises(AttributeError, match="z"):
        lib.func.functional_call(model, {"z.weight": lib.ones(2)}, lib.ones(2))


@both
def test_what_a_module_assigns_ends_up_in_the_dict(lib):
    class Counter(lib.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", lib.zeros(()))

        def forward(self, x):
            self.count = self.count + 1
            return x + self.count

    model, values = Counter(), {"count": lib.tensor(5.0)}
    assert lib.func.functional_call(model, values, lib.tensor(1.0)).item() == 7.0
    assert (values["count"].item(), model.count.item()) == (6.0, 0.0)


@both
def test_a_module_is_as_it_was_after_an_error(lib):
    class Broken(lib.nn.Linear):
        def forward(self, x):
            raise KeyError("mine")

    model = Broken(2, 2)
    weight = model.weight
    with pytest.raises(KeyError, match="mine"):
        lib.func.functional_call(model, {"weight": eye(lib)}, lib.ones(2))
    assert model.weight is weight


@both
def test_gradients_of_parameters_by_name(lib):
    model, x = lib.nn.Linear(2, 1), lib.tensor([3.0, 4.0])

    def loss(values, x):
        return lib.func.functional_call(model, values, x).sum()

    found = lib.func.grad(loss)(dict(model.named_parameters()), x)
    assert (found["weight"].tolist(), found["bias"].tolist()) == ([[3.0, 4.0]], [1.0])
    detached = {name: p.detach() for name, p in model.named_parameters()}
    each = lib.vmap(lib.func.grad(loss), (None, 0))(detached, lib.stack([x, x * 2]))
    assert each["weight"].tolist() == [[[3.0, 4.0]], [[6.0, 8.0]]]
    assert not each["weight"].requires_grad


# Ensembles ----------------------------------------------------------------------------------------


@both
def test_an_ensemble_computes_what_its_models_compute(lib):
    first, x = tied(lib), lib.ones(2)
    models = [first, type(first)(), type(first)()]
    parameters, buffers = lib.func.stack_module_state(models)

    def call(parameters, buffers, x):
        return lib.func.functional_call(models[0], (parameters, buffers), x)

    found = lib.vmap(call, (0, 0, None))(parameters, buffers, x)
    assert lib.allclose(found, lib.stack([model(x) for model in models]))
    assert (list(parameters), list(buffers)) == (["weight"], ["shift"])
    assert parameters["weight"].requires_grad
    assert parameters["weight"].is_leaf
    assert not buffers["shift"].requires_grad


@both
def test_models_that_are_not_alike_are_refused(lib):
    stack, linear = lib.func.stack_module_state, lib.nn.Linear
    with pytest.raises(RuntimeError, match="Expected at least one model, got 0"):
        stack([])
    with pytest.raises(RuntimeError, match="Expected all models to be of the same class"):
        stack([linear(2, 2), lib.nn.ReLU()])
    with pytest.raises(RuntimeError, match="to have the same training/eval mode"):
        stack([linear(2, 2), linear(2, 2).eval()])
    frozen = linear(2, 2)
    frozen.weight.requires_grad_(False)
    with pytest.raises(
        RuntimeError, match=r"Expected weight from each model to have the same \.req"
    ):
        stack([linear(2, 2), frozen])
    with pytest.raises(RuntimeError, match="equal size"):
        stack([linear(2, 2), linear(3, 2)])


# Modules made inside ------------------------------------------------------------------------------


def a_step(lib, x, *, rate):
    """A layer that is made, trained for a step, and asked."""
    model = lib.nn.Linear(2, 2)
    with lib.no_grad():
        for parameter in model.parameters():
            parameter.fill_(0.5)
    parameters = dict(model.named_parameters())
    loss = (model(x) ** 2).sum()
    found = lib.autograd.grad(loss, list(parameters.values()), create_graph=True)
    moved = {name: x - rate * dx for (name, x), dx in zip(parameters.items(), found, strict=True)}
    return lib.func.functional_call(model, moved, (x,)).sum()


@together
@pytest.mark.parametrize("around", ["grad", "vmap of grad", "jacrev"])
def test_a_module_is_made_and_trained_inside_a_transform(around):
    def slope(lib):
        lib.manual_seed(0)
        x, func = lib.tensor([[1.0, -2.0], [0.5, 3.0]]), lib.func
        f = functools.partial(a_step, lib, rate=0.1)
        if around == "vmap of grad":
            return lib.vmap(func.grad(f), randomness="same")(x)
        return (func.grad if around == "grad" else func.jacrev)(f)(x[0])

    np.testing.assert_allclose(slope(gg).numpy(), slope(torch).numpy(), rtol=1e-5)


@together
@both
@pytest.mark.parametrize("transform", ["grad", "vmap", "jvp"])
def test_a_parameter_made_inside_is_a_parameter(lib, transform):
    Parameter = lib.nn.Parameter

    def f(x):
        made, frozen = Parameter(x), Parameter(lib.ones(2), requires_grad=False)
        module = lib.nn.Module()
        module.made, module.frozen = made, frozen
        assert isinstance(made, Parameter)
        assert [y is z for y, z in zip(module.parameters(), (made, frozen), strict=True)] == [
            True,
            True,
        ]
        assert (made.requires_grad, frozen.requires_grad) == (True, False)
        assert repr(made).startswith("Parameter containing:\n")
        assert not isinstance(x, Parameter)
        return (made * frozen * x).sum()

    x = lib.tensor([3.0, 4.0])
    if transform == "grad":
        assert lib.func.grad(f)(x).tolist() == [3.0, 4.0]  # the parameter is a leaf of its own
    elif transform == "jvp":
        assert lib.func.jvp(f, (x,), (x,))[1].item() == 25.0
    else:
        assert lib.vmap(f)(x[None]).tolist() == [25.0]


def test_a_class_of_tensors_is_not_made_of_a_tensor_of_a_transform():
    with pytest.raises(RuntimeError, match=r"Buffer\(x\) cannot take a tensor of shape \[2\]"):
        gg.func.grad(lambda x: gg.nn.Buffer(x).sum())(gg.ones(2))


# A look inside ------------------------------------------------------------------------------------


@both
def test_debug_unwrap_takes_layers_off(lib):
    seen, unwrap = [], lib.func.debug_unwrap

    def f(x):
        seen.append((unwrap(x), unwrap(unwrap(x, recurse=False), recurse=False)))
        return x.sum()

    x = lib.tensor([[1.0, 2.0], [3.0, 4.0]])
    lib.vmap(lib.func.grad(f))(x)
    lib.vmap(f, 1)(x)
    assert [taken[0] is x for taken in seen] == [True, True]
    assert seen[0][1] is x
    assert unwrap(x) is x


def test_debug_unwrap_does_not_compute():
    x = gg.tensor([1.0, 2.0])
    assert debug_unwrap(x, recurse=False) is x


@both
def test_batch_norms_without_averages_can_be_mapped(lib):
    model = lib.nn.Sequential(
        lib.nn.BatchNorm1d(3), lib.nn.InstanceNorm1d(3, track_running_stats=True)
    )
    assert lib.func.replace_all_batch_norm_modules_(model) is model
    assert model[0].running_mean is model[0].running_var is model[0].num_batches_tracked is None
    assert model[1].running_mean is not None
    assert lib.func.vmap(model[0])(lib.ones(2, 4, 3)).shape == (2, 4, 3)
