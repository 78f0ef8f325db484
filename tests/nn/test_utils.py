"""`nn.utils`: gradients clipped, parameters as a vector, parametrized and pruned, as in PyTorch."""

import copy

import numpy as np
import pytest
import torch
import torch.nn.utils.prune

import glassgrad as gg
from checks import together
from nn.beside import LIBRARIES, drawn


def layer(lib, *sizes):
    """A linear layer of float64 with known weights."""
    made = lib.nn.Linear(*(sizes or (3, 2))).double()
    made.load_state_dict({k: lib.tensor(drawn(*x.shape)) for k, x in made.state_dict().items()})
    return made


def numbers(x):
    return x.detach().numpy().round(9).tolist()


def alike(play):
    """Whether a program gives the same in both libraries."""
    ours, theirs = [play(each) for each in LIBRARIES]
    assert ours == theirs


# Gradients ----------------------------------------------------------------------------------------


@together
@pytest.mark.parametrize("norm_type", [2.0, 1.0, float("inf"), 3, 0])
@pytest.mark.parametrize("most", [0.1, 100.0])
def test_clipping_by_norm(norm_type, most):
    def play(lib):
        made = layer(lib)
        made(lib.tensor(drawn(4, 3))).pow(2).sum().backward()
        norm = lib.nn.utils.clip_grad_norm_(made.parameters(), most, norm_type)
        return numbers(norm), [numbers(p.grad) for p in made.parameters()]

    alike(play)


def test_clipping_by_value_and_with_a_norm_that_is_known():
    def play(lib):
        x, y = lib.zeros(3), lib.zeros(2)
        x.grad = lib.tensor([-3.0, 0.5, 2.0])
        lib.nn.utils.clip_grad_value_([x, y], 1.0)
        lib.nn.utils.clip_grads_with_norm_(x, 1.0, lib.nn.utils.get_total_norm([x.grad, x.grad]))
        return x.grad.numpy().round(6).tolist(), y.grad

    alike(play)


def test_a_norm_that_is_not_finite_can_be_refused(lib):
    x = lib.zeros(1)
    x.grad = lib.tensor([float("nan")])
    with pytest.raises(RuntimeError, match="is non-finite, so it cannot be clipped"):
        lib.nn.utils.clip_grad_norm_(x, 1.0, error_if_nonfinite=True)
    with pytest.warns(UserWarning, match="empty generator"):
        assert lib.nn.utils.clip_grad_norm_((p for p in ()), 1.0) == 0
    with pytest.warns(FutureWarning, match="now deprecated"):
        lib.nn.utils.clip_grad_norm([x], 1.0)


def test_parameters_as_a_vector(lib):
    made = layer(lib)
    vector = lib.nn.utils.parameters_to_vector(made.parameters())
    assert vector.shape == (8,)
    lib.nn.utils.vector_to_parameters(vector.detach() * 0 + 2, made.parameters())
    assert made.bias.tolist() == [2.0, 2.0]
    assert made.bias.requires_grad
    with pytest.raises(TypeError, match=r"expected torch.Tensor, but got"):
        lib.nn.utils.vector_to_parameters([1.0], made.parameters())


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_other_names(lib):
    call = lib.nn.utils.stateless.functional_call
    made = layer(lib)
    zero = {"weight": made.weight * 0, "bias": made.bias * 0}
    assert call(made, zero, (lib.tensor(drawn(3)),)).tolist() == [0.0, 0.0]
    assert lib.nn.utils.skip_init(lib.nn.Linear, 2, 3).weight.shape == (3, 2)


# Parametrizations ---------------------------------------------------------------------------------


def symmetric(lib):
    class Symmetric(lib.nn.Module):
        def forward(self, x):
            return x.triu() + x.triu(1).T

        def right_inverse(self, x):
            return x.triu()

    return Symmetric()


def doubled(lib):
    return type("Doubled", (lib.nn.Module,), {"forward": lambda self, x: 2 * x})()


def test_a_parametrized_weight_is_computed_and_trained():
    def play(lib):
        parametrize = lib.nn.utils.parametrize
        made = layer(lib, 2, 2)
        parametrize.register_parametrization(made, "weight", symmetric(lib))
        first = numbers(made.weight)
        parametrize.register_parametrization(made, "weight", doubled(lib))
        made(lib.tensor(drawn(2))).sum().backward()
        return (
            first,
            numbers(made.weight),
            sorted(made.state_dict()),
            [numbers(p.grad) for p in made.parameters()],
            repr(made).replace("Doubled", "").count("ParametrizationList"),
            type(made).__name__,
            parametrize.is_parametrized(made, "weight"),
            parametrize.is_parametrized(made, "bias"),
            parametrize.type_before_parametrizations(made).__name__,
        )

    alike(play)


def test_a_parametrized_weight_can_be_assigned_cached_copied_and_given_back(lib):
    parametrize = lib.nn.utils.parametrize
    made = layer(lib, 2, 2)
    parametrize.register_parametrization(made, "weight", symmetric(lib))
    value = lib.tensor([[1.0, 2.0], [2.0, 3.0]], dtype=lib.float64)
    made.weight = value
    assert made.weight.tolist() == value.tolist()
    other = copy.deepcopy(made)
    other.weight = value * 2
    assert made.weight.tolist() == value.tolist()
    with parametrize.cached():
        assert made.weight is made.weight
    assert made.weight is not made.weight
    other = layer(lib, 2, 2)
    parametrize.transfer_parametrizations_and_params(made, other)
    assert other.weight.tolist() == value.tolist()
    parametrize.remove_parametrizations(other, "weight", leave_parametrized=False)
    assert other.weight.tolist() == value.triu().tolist()
    parametrize.remove_parametrizations(made, "weight")
    assert made.weight.tolist() == value.tolist()
    assert type(made) is lib.nn.Linear
    assert sorted(made.state_dict()) == ["bias", "weight"]


def test_what_cannot_be_parametrized_is_named(lib):
    parametrize = lib.nn.utils.parametrize
    made = layer(lib)
    with pytest.raises(ValueError, match="does not have a parameter, a buffer, or a parametrized"):
        parametrize.register_parametrization(made, "weights", doubled(lib))
    with pytest.raises(ValueError, match="may not change the shape"):
        parametrize.register_parametrization(made, "weight", lib.nn.Flatten(0))
    with pytest.raises(ValueError, match="does not have a parametrization on weight"):
        parametrize.remove_parametrizations(made, "weight")
    parametrize.register_parametrization(made, "weight", doubled(lib))
    with pytest.raises(RuntimeError, match=r"only supported through state_dict"):
        copy.copy(made).__reduce_ex__(2)


@together
@pytest.mark.filterwarnings("ignore::FutureWarning")  # PyTorch's, of the old form
@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("dim", [0, 1, None])
def test_weight_norm(dim, old):
    def play(lib):
        utils = lib.nn.utils
        made = (utils if old else utils.parametrizations).weight_norm(layer(lib), dim=dim)
        y = made(lib.tensor(drawn(3)))
        y.sum().backward()
        found = sorted((name, numbers(p), numbers(p.grad)) for name, p in made.named_parameters())
        if old:
            utils.remove_weight_norm(made)
        else:
            utils.parametrize.remove_parametrizations(made, "weight")
        return numbers(y), found, numbers(made.weight), sorted(made.state_dict())

    alike(play)


@pytest.mark.parametrize("old", [True, False])
def test_spectral_norm_improves_its_vectors_in_pytorchs_order(old):
    found = []
    for lib in LIBRARIES:
        utils = lib.nn.utils
        made = (utils if old else utils.parametrizations).spectral_norm(layer(lib))
        for name, x in made.named_buffers():
            x.copy_(lib.ones_like(x) if name.endswith("u") else lib.arange(len(x)) + 1)
        made(lib.tensor(drawn(3)))
        found.append([x.tolist() for _, x in made.named_buffers()])
    np.testing.assert_allclose(np.concatenate(found[0]), np.concatenate(found[1]), rtol=1e-6)


@together
@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("old", [False, True])
def test_spectral_norm_makes_the_largest_singular_value_1(lib, old):
    utils = lib.nn.utils
    made = (utils if old else utils.parametrizations).spectral_norm(
        layer(lib), n_power_iterations=100
    )
    made(lib.tensor(drawn(3)))
    assert np.linalg.norm(made.weight.detach().numpy(), 2) == pytest.approx(1)
    names = {"bias", "weight_orig", "weight_u", "weight_v"}
    parts = {"bias", *[f"parametrizations.weight.{x}" for x in ("original", "0._u", "0._v")]}
    assert set(made.state_dict()) == (names if old else parts)
    made(lib.tensor(drawn(3))).sum().backward()
    if old:
        utils.remove_spectral_norm(made)
        assert set(made.state_dict()) == {"bias", "weight"}


# Pruning ------------------------------------------------------------------------------------------


def test_pruning_the_smallest():
    def play(lib):
        prune = lib.nn.utils.prune
        made = layer(lib)
        prune.l1_unstructured(made, "weight", 2)
        prune.l1_unstructured(made, "weight", amount=0.5)
        made(lib.tensor(drawn(3))).sum().backward()
        found = {name: numbers(x) for name, x in made.state_dict().items()}
        grad = numbers(made.weight_orig.grad)
        is_pruned = prune.is_pruned(made)
        prune.remove(made, "weight")
        names = [name for name, _ in made.named_parameters()]
        return found, grad, is_pruned, names, numbers(made.weight), prune.is_pruned(made)

    alike(play)


def test_pruning_slices_by_a_mask_and_everywhere():
    def play(lib):
        prune = lib.nn.utils.prune
        made = lib.nn.Sequential(layer(lib), layer(lib, 2, 4))
        prune.ln_structured(made[0], "weight", amount=1, n=2, dim=1)
        prune.custom_from_mask(made[0], "bias", lib.tensor([0.0, 1.0]))
        places = [(made[0], "weight"), (made[1], "weight")]
        prune.global_unstructured(places, pruning_method=prune.L1Unstructured, amount=0.25)
        return {name: numbers(x) for name, x in made.state_dict().items()}

    alike(play)


def test_random_pruning_takes_as_many(lib):
    prune = lib.nn.utils.prune
    made = prune.random_unstructured(layer(lib), "weight", 0.5)
    assert made.weight_mask.sum() == 3
    made = prune.random_structured(layer(lib), "weight", 1, 0)
    assert sorted(made.weight_mask.sum(1).tolist()) == [0.0, 3.0]
    assert prune.identity(layer(lib), "weight").weight_mask.sum() == 6
    with pytest.raises(ValueError, match="has to be pruned before pruning can be removed"):
        prune.remove(layer(lib), "weight")
    with pytest.raises(ValueError, match="amount="):
        prune.l1_unstructured(layer(lib), "weight", 1.5)
    with pytest.raises(TypeError, match="Invalid type for amount"):
        prune.l1_unstructured(layer(lib), "weight", "all")


def test_modules_of_both_libraries_have_their_utils():
    assert set(gg.nn.utils.__all__) <= set(dir(torch.nn.utils))


# Orthogonal weights, and layers in one ----------------------------------------------------


@together
@pytest.mark.parametrize("name", [None, "matrix_exp", "cayley", "householder"])
def test_an_orthogonal_weight_begins_and_moves_as_in_pytorch(name):
    def play(lib):
        made = lib.nn.utils.parametrizations.orthogonal(layer(lib, 3, 3), orthogonal_map=name)
        optimizer = lib.optim.SGD(made.parameters(), lr=0.01)
        found = [numbers(made.weight)]
        for _ in range(3):
            optimizer.zero_grad()
            made(lib.ones(1, 3, dtype=lib.float64)).pow(3).sum().backward()
            optimizer.step()
            found.append(made.weight.detach().numpy().round(6).tolist())
        return found

    alike(play)


@together
@pytest.mark.parametrize("sizes", [(3, 5), (5, 3)])
@pytest.mark.parametrize("name", [None, "matrix_exp", "cayley"])
def test_the_rows_or_columns_of_an_orthogonal_weight_are_orthonormal(sizes, name):
    made = gg.nn.utils.parametrizations.orthogonal(layer(gg, *sizes), orthogonal_map=name)
    weight = made.weight if sizes[0] > sizes[1] else made.weight.mT
    np.testing.assert_allclose((weight @ weight.mT).detach().numpy(), np.eye(3), atol=1e-10)


def test_what_is_not_orthogonal_is_refused(lib):
    orthogonal = lib.nn.utils.parametrizations.orthogonal
    with pytest.raises(ValueError, match="orthogonal_map has to be one of"):
        orthogonal(layer(lib), orthogonal_map="foo")
    with pytest.raises(ValueError, match="Expected a matrix or batch of matrices"):
        orthogonal(layer(lib), "bias")


@together
@pytest.mark.parametrize("kind", ["Conv2d", "ConvTranspose2d"])
def test_a_layer_and_its_batch_norm_become_one(lib, kind):
    layers = getattr(lib.nn, kind)(2, 3, 2).eval(), lib.nn.BatchNorm2d(3).eval()
    layers[1].running_mean.fill_(0.3)
    layers[1].weight.detach().fill_(2.0)
    fused = lib.nn.utils.fuse_conv_bn_eval(*layers, kind != "Conv2d")
    x = lib.ones(1, 2, 4, 4)
    assert lib.allclose(fused(x), layers[1](layers[0](x)), atol=1e-5)
    layers[1].train()
    with pytest.raises((RuntimeError, AssertionError), match="Fusion only for eval!"):
        lib.nn.utils.fuse_conv_bn_eval(*layers)


def test_a_parametrization_makes_a_tensor_and_has_a_way_back_to_be_assigned(lib):
    class Doubled(lib.nn.Module):
        def forward(self, x):
            return x * 2

    class Counted(lib.nn.Module):
        def forward(self, x):
            return 3

    register = lib.nn.utils.parametrize.register_parametrization
    with pytest.raises(ValueError, match="A parametrization must return a tensor"):
        register(layer(lib), "weight", Counted())
    made = register(layer(lib), "weight", Doubled())
    with pytest.raises(RuntimeError, match="parametrization Doubled does not implement right_inv"):
        made.weight = lib.zeros(2, 3)


@pytest.mark.filterwarnings("ignore:.*weight_norm. is deprecated:FutureWarning")
def test_a_norm_is_set_once_and_sequences_are_there(lib):
    for norm in (lib.nn.utils.weight_norm, lib.nn.utils.spectral_norm):
        with pytest.raises(RuntimeError, match="hooks on the same parameter weight"):
            norm(norm(layer(lib)))
    for given, words in (([], "received an empty list of seq"), (3, "Expected iterable for input")):
        with pytest.raises(RuntimeError, match=words):
            lib.nn.utils.rnn.pad_sequence(given)
    with pytest.raises(AssertionError, match="must be greater than min_val"):
        lib.nn.Hardtanh(2, 1)


def test_a_parameter_is_pruned_again_by_what_is_left(lib):
    prune = lib.nn.utils.prune
    layer = lib.nn.Linear(4, 6)
    layer.weight.data = lib.arange(24.0).reshape(6, 4)
    masks = []
    for method, options in (
        (prune.ln_structured, {"amount": 0.5, "n": 2, "dim": 0}),
        (prune.ln_structured, {"amount": 1, "n": 1, "dim": 0}),
        (prune.l1_unstructured, {"amount": 0.5}),
    ):
        method(layer, "weight", **options)
        masks.append(layer.weight_mask.sum(1).tolist())
    assert masks == [[0, 0, 0, 4, 4, 4], [0, 0, 0, 0, 4, 4], [0, 0, 0, 0, 0, 4]]
    (hook,) = layer._forward_pre_hooks.values()
    assert isinstance(hook, prune.PruningContainer)
    assert [type(each).__name__ for each in hook] == ["LnStructured"] * 2 + ["L1Unstructured"]
    assert (len(hook), hook[2]._tensor_name) == (3, "weight")
    other = prune.Identity()
    other._tensor_name = "bias"
    with pytest.raises(ValueError, match="Can only add pruning methods acting on the parameter na"):
        hook.add_pruning_method(other)
    with pytest.raises(TypeError, match="is not a BasePruningMethod subclass"):
        hook.add_pruning_method(3)
    prune.remove(layer, "weight")
    assert not prune.is_pruned(layer)


def test_a_second_parametrization_leaves_the_original(lib):
    class Skew(lib.nn.Module):
        def forward(self, x):
            return x.triu(1) - x.triu(1).mT

        def right_inverse(self, a):
            return a.triu(1)

    class Cayley(lib.nn.Module):
        def forward(self, x):
            return lib.linalg.solve(lib.eye(2) - x, lib.eye(2) + x)

        def right_inverse(self, a):
            return lib.linalg.solve(lib.eye(2) + a, a - lib.eye(2))

    made = lib.nn.Linear(2, 2)
    made.weight.data = lib.tensor([[0.0, 0.5], [0.0, 0.0]])
    for part in (Skew(), Cayley()):
        lib.nn.utils.parametrize.register_parametrization(made, "weight", part)
    assert made.parametrizations.weight.original.tolist() == [[0, 0.5], [0, 0]]
    assert lib.allclose(made.weight, lib.tensor([[0.6, 0.8], [-0.8, 0.6]]))
