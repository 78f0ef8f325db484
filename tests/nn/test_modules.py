"""Activations, losses, normalisation, dropout and attention are PyTorch's, module by module."""

import inspect

import numpy as np
import pytest
import torch

import glassgrad as gg
from checks import together
from glassgrad import nn
from glassgrad.core.errors import ArgumentError, ExpectationError
from nn.beside import assert_alike

MODULES = sorted(
    name
    for name in nn.__all__
    if inspect.isclass(getattr(nn, name)) and issubclass(getattr(nn, name), nn.Module)
)
ANY = {"Container", "RNN", "LSTM", "GRU"}
ANY |= {"Sigmoid", "Tanh", "LogSigmoid", "Softsign", "Tanhshrink", "Softmax2d"}  # *args there
OLD = {"Hardtanh": ("min_value", "max_value")}  # names that PyTorch calls deprecated


@together
@pytest.mark.parametrize("name", sorted(set(MODULES) - {"Module", "Sequential", "Identity"} - ANY))
def test_arguments_are_pytorchs(name):
    def listed(cls):
        return [
            (parameter.name, getattr(parameter.default, "__name__", parameter.default))
            for parameter in inspect.signature(cls).parameters.values()
            if parameter.name not in OLD.get(name, ())
        ]

    assert listed(getattr(nn, name)) == listed(getattr(torch.nn, name))


def test_modules_are_instances_of_the_classes_that_pytorchs_are():
    both = [(getattr(nn, name), getattr(torch.nn, name)) for name in MODULES]
    differ = {
        (ours.__name__, base.__name__)
        for ours, theirs in both
        for base, their_base in both
        if issubclass(ours, base) != issubclass(theirs, their_base)
    }
    kinds = ("Batch", "Instance")
    assert differ == {(f"Lazy{kind}Norm{n}d", f"{kind}Norm{n}d") for n in "123" for kind in kinds}


def test_a_class_derived_from_a_module_keeps_what_is_not_said_anew():
    class Own(nn.ReLU):
        def __init__(self, size, depth=3):
            super().__init__(inplace=True)
            self.inputs = nn.Parameter(gg.ones(size))

    assert list(inspect.signature(Own).parameters) == ["size", "depth"]
    assert Own(2).inputs.shape == (2,)
    assert repr(Own(2)) == "Own(inplace=True)"
    for base, arguments in [(nn.ReflectionPad2d, (1,)), (nn.Conv1d, (1, 2, 3)), (nn.GRU, (2, 3))]:
        derived = type("Derived", (base,), {})
        assert inspect.signature(derived) == inspect.signature(base)
        assert repr(derived(*arguments)) == repr(base(*arguments)).replace(base.__name__, "Derived")


def test_wrong_arguments_are_refused_with_the_right_ones():
    with pytest.raises(TypeError, match=r"GRU.*'proj_size'.*input_size: int, hidden_size: int"):
        nn.GRU(2, 3, proj_size=1)
    with pytest.raises(TypeError, match=r"ReLU.*too many positional.*inplace: bool = False"):
        nn.ReLU(False, 3)


def values(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def loaded(ours, theirs):
    """Ours with the state of theirs, whose names are the same."""
    state = theirs.state_dict()
    assert list(ours.state_dict()) == list(state)
    ours.load_state_dict({name: gg.tensor(value.numpy()) for name, value in state.items()})
    return ours


def played(lib, module, arrays):
    """What a module makes of floats and indices, and all gradients."""
    inputs = [lib.tensor(np.array(a), requires_grad=a.dtype.kind == "f") for a in arrays]
    y = module(*inputs)
    (y * lib.linspace(1, 2, y.numel(), dtype=lib.float64).reshape(y.shape)).sum().backward()
    leaves = [*inputs, *module.parameters()]
    buffers = [b for b in module.buffers() if b is not None]
    return [
        x.detach().numpy() for x in (y, *[x.grad for x in leaves if x.grad is not None], *buffers)
    ]


def check(make, *arrays):
    theirs = make(torch.nn).double()
    ours = loaded(make(nn).to(gg.float64), theirs)
    assert repr(ours) == repr(theirs)
    found = [played(lib, module, arrays) for lib, module in ((gg, ours), (torch, theirs))]
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-11)  # a float32 constant there


OF_ELEMENTS = [
    "ReLU()",
    "ReLU(inplace=False)",
    "ReLU6()",
    "LeakyReLU()",
    "LeakyReLU(0.2)",
    "ELU()",
    "ELU(0.5)",
    "CELU()",
    "CELU(2.0)",
    "SELU()",
    "SiLU()",
    "Mish()",
    "GELU()",
    'GELU("tanh")',
    "GLU(0)",
    "Hardsigmoid()",
    "Hardswish()",
    "Hardtanh()",
    "Hardtanh(-2.0,0.5)",
    "Threshold(0.1,2)",
    "Hardshrink()",
    "Softshrink()",
    "Softshrink(0.2)",
    "Tanhshrink()",
    "Softsign()",
    "Softplus()",
    "Softplus(2.0,1.0)",
    "Tanh()",
    "Sigmoid()",
    "LogSigmoid()",
    "Softmax(1)",
    "LogSoftmax(0)",
    "Softmin(-1)",
    "Softmax2d()",
    "PReLU()",
    "PReLU(4,0.5)",
    "Bilinear(3,3,2)",
    "LayerNorm(3)",
    "LayerNorm([4,3])",
    "LayerNorm(3,bias=False)",
    "LayerNorm(3,0.1,False)",
    "RMSNorm(3)",
    "RMSNorm((4,3),0.1)",
    "GroupNorm(2,4)",
    "GroupNorm(1,4,bias=False)",
    "GroupNorm(4,4,affine=False)",
    "BatchNorm1d(4)",
    "BatchNorm1d(4,momentum=None)",
    "BatchNorm1d(4,affine=False)",
    "BatchNorm1d(4,track_running_stats=False)",
    "BatchNorm1d(4,bias=False)",
    "InstanceNorm1d(4)",
    "InstanceNorm1d(4,affine=True)",
    "InstanceNorm1d(4,track_running_stats=True)",
    "LocalResponseNorm(2)",
    "Dropout(0.0)",
    "Dropout1d(0.0)",
    "AlphaDropout(0.0)",
    "FeatureAlphaDropout(0.0)",
    "Dropout(0.5).eval()",
    "RReLU().eval()",
    "BatchNorm1d(4).eval()",
    "InstanceNorm1d(4,0.1,None,True,True).eval()",
]


@together
@pytest.mark.parametrize("made", OF_ELEMENTS)
def test_a_layer_is_pytorchs(made):
    arrays = [values(2, 4, 3)] * (2 if "Bilinear" in made else 1)
    check(lambda nn: eval(f"nn.{made}"), *arrays)  # our own text


@together
@pytest.mark.parametrize(
    ("made", "shape"),
    [
        ("BatchNorm1d(4)", (3, 4)),
        ("BatchNorm2d(4)", (2, 4, 2, 3)),
        ("BatchNorm3d(2)", (2, 2, 2, 2, 2)),
        ("InstanceNorm1d(4)", (4, 3)),
        ("InstanceNorm2d(4,affine=True)", (2, 4, 2, 3)),
        ("InstanceNorm2d(4)", (4, 2, 3)),
        ("InstanceNorm3d(2)", (2, 2, 2, 2, 2)),
        ("LocalResponseNorm(3,0.1)", (1, 4, 2, 2)),
        ("Dropout2d(0.0)", (1, 2, 2, 2)),
        ("Dropout3d(0.0)", (1, 2, 2, 2, 2)),
    ],
)
def test_a_layer_of_images_is_pytorchs(made, shape):
    check(lambda nn: eval(f"nn.{made}"), values(*shape))  # our own text


SIGNS = np.array([1, -1, 1])
LOSSES = {
    "L1Loss": [values(3, 2), values(3, 2, seed=1)],
    "MSELoss": [values(3, 2), values(3, 2, seed=1)],
    "SmoothL1Loss": [values(3, 2), values(3, 2, seed=1)],
    "HuberLoss": [values(3, 2), values(3, 2, seed=1)],
    "CrossEntropyLoss": [values(3, 4), np.array([0, 3, 1])],
    "NLLLoss": [values(3, 4), np.array([0, 3, 1])],
    "BCELoss": [abs(values(3)) / 4, abs(values(3, seed=1)) / 4],
    "BCEWithLogitsLoss": [values(3), abs(values(3, seed=1)) / 4],
    "KLDivLoss": [values(3, 2), abs(values(3, 2, seed=1))],
    "PoissonNLLLoss": [values(3), abs(values(3, seed=1))],
    "GaussianNLLLoss": [values(3), values(3, seed=1), abs(values(3, seed=2))],
    "HingeEmbeddingLoss": [values(3), SIGNS],
    "SoftMarginLoss": [values(3), SIGNS],
    "MultiLabelMarginLoss": [values(2, 3), np.array([[1, 0, -1], [2, -1, 0]])],
    "MultiLabelSoftMarginLoss": [values(2, 3), np.array([[1, 0, 1], [0, 0, 1]])],
    "MultiMarginLoss": [values(3, 4), np.array([0, 3, 1])],
    "MarginRankingLoss": [values(3), values(3, seed=1), SIGNS],
    "CosineEmbeddingLoss": [values(3, 2), values(3, 2, seed=1), SIGNS],
    "TripletMarginLoss": [values(3, 2), values(3, 2, seed=1), values(3, 2, seed=2)],
}


@together
@pytest.mark.filterwarnings("ignore:.*divides the total loss")
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_is_pytorchs(name, reduction):
    check(lambda nn: getattr(nn, name)(reduction=reduction), *LOSSES[name])


@together
@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("CrossEntropyLoss", 4),
        ("NLLLoss", 4),
        ("BCELoss", 3),
        ("BCEWithLogitsLoss", 3),
        ("MultiLabelSoftMarginLoss", 3),
        ("MultiMarginLoss", 4),
    ],
)
def test_weights_of_a_loss_are_in_its_state(name, size):
    weight = abs(values(size, seed=5))

    def made(nn):
        return getattr(nn, name)(
            weight=(gg if "glassgrad" in nn.__name__ else torch).tensor(weight)
        )

    check(made, *LOSSES[name])


@together
@pytest.mark.parametrize("flags", [(None, False), (False, None), (True, True), (False, False)])
def test_flags_of_older_programs_name_a_reduction(flags):
    found = []
    for lib in (gg, torch):
        x = lib.ones(2, 2)
        with pytest.warns(UserWarning, match="please use reduction='(mean|sum|none)' instead"):
            found.append(lib.nn.NLLLoss(None, flags[0], -100, flags[1]).reduction)
        with pytest.warns(UserWarning, match="please use reduction='(mean|sum|none)' instead"):
            found.append(lib.nn.functional.mse_loss(x, x, *flags).shape)
    assert found[0] == found[2]
    assert tuple(found[1]) == tuple(found[3])


def test_a_softmax_without_a_dim_warns_as_pytorchs():
    for shape in ((2,), (2, 3), (2, 3, 2), (2, 1, 3, 2)):
        found = []
        for lib in (gg, torch):
            with pytest.warns(UserWarning, match="Implicit dimension choice for softmax"):
                found.append(lib.nn.Softmax()(lib.tensor(values(*shape))).numpy())
        np.testing.assert_allclose(*found)


def test_running_statistics_follow_the_batches():
    theirs = torch.nn.BatchNorm1d(3, momentum=None, dtype=torch.float64)
    ours = loaded(nn.BatchNorm1d(3, momentum=None, dtype=gg.float64), theirs)
    for seed in range(3):
        theirs(torch.tensor(values(4, 3, seed=seed)))
        ours(gg.tensor(values(4, 3, seed=seed)))
    for a, b in zip(ours.buffers(), theirs.buffers(), strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy())
    x = values(2, 3)
    a, b = ours.eval()(gg.tensor(x)), theirs.eval()(torch.tensor(x))
    np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy())


@together
@pytest.mark.parametrize(
    "given",
    [
        {},
        {"padding_idx": 1},
        {"padding_idx": -1, "scale_grad_by_freq": True},
        {"max_norm": 1.0},
        {"max_norm": 0.5, "norm_type": 1.0},
    ],
)
def test_embedding_is_pytorchs(given):
    check(lambda nn: nn.Embedding(4, 3, **given), np.array([[0, 1, 1], [3, 1, 3]]))


def test_embedding_of_a_given_table():
    table = values(4, 3)
    ours = nn.Embedding.from_pretrained(gg.tensor(table))
    assert not ours.weight.requires_grad
    assert ours(gg.tensor([2])).tolist() == [table[2].tolist()]
    assert nn.Embedding(4, 3, padding_idx=2).weight[2].tolist() == [0, 0, 0]
    with pytest.raises(ExpectationError, match="Padding_idx must be within num_embeddings"):
        nn.Embedding(4, 3, padding_idx=4)


BAGS = {
    "means of rows": ({}, ([[0, 1, 1], [3, 1, 3]],)),
    "sums": ({"mode": "sum"}, ([0, 1, 1, 3], [0, 0, 3])),
    "means, and empty bags": ({}, ([0, 1, 1, 3], [0, 2, 2, 4])),
    "maxima": ({"mode": "max"}, ([0, 1, 1, 3, 2], [0, 3, 3])),
    "all offsets": ({"include_last_offset": True}, ([0, 1, 1, 3], [0, 1, 4])),
    "padding in sums": ({"padding_idx": 1, "mode": "sum"}, ([[0, 1, 1], [1, 1, 1]],)),
    "padding in means": ({"padding_idx": 1}, ([[0, 1, 2], [1, 1, 1]],)),
    "padding in maxima": ({"padding_idx": 1, "mode": "max"}, ([[0, 1, 2], [1, 1, 1]],)),
    "short rows": ({"max_norm": 0.5, "norm_type": 1.0}, ([[0, 1], [3, 1]],)),
    "by frequency": ({"scale_grad_by_freq": True, "mode": "sum"}, ([[0, 1], [1, 1]],)),
    "weighted": ({"mode": "sum"}, ([0, 1, 1, 3], [0, 2], [0.5, 1.0, -1.0, 2.0])),
    "weighted rows": ({"mode": "sum"}, ([[0, 1]], None, [[0.5, 2.0]])),
}


@together
@pytest.mark.parametrize("case", BAGS)
def test_bags_of_rows_are_pytorchs(case):
    options, given = BAGS[case]
    found = []
    for lib in (gg, torch):
        bag = lib.nn.EmbeddingBag(4, 3, dtype=lib.float64, **options)
        bag.weight.detach().copy_(lib.tensor(values(4, 3)))
        arrays = [np.array(array) if array is not None else None for array in given]
        tensors = [lib.tensor(array) if array is not None else None for array in arrays]
        if len(tensors) == 3:
            tensors[2].requires_grad_()
        result = bag(*tensors)
        (result * result).sum().backward()
        grads = [bag.weight.grad, *[t.grad for t in tensors[2:]]]
        found.append((repr(bag), [t.detach().numpy() for t in (result, *grads)]))
    (ours, our_arrays), (theirs, their_arrays) = found
    assert ours == theirs
    for mine, their in zip(our_arrays, their_arrays, strict=True):
        np.testing.assert_allclose(mine, their, rtol=1e-12)


@together
@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda lib, bag, x, w: bag(x, w), "offsets has to be a 1D Tensor but got None"),
        (lambda lib, bag, x, w: bag(x[None], w, x), "if input is 2D, then offsets has to be None"),
        (lambda lib, bag, x, w: bag(x[None, None], w), "input has to be 1D or 2D Tensor"),
        (
            lambda lib, bag, x, w: bag(x[None] + 1, w),
            r"Index 1 of input takes value 2 which is not in the valid range \[0, 2\)",
        ),
        (lambda lib, bag, x, w: bag(x, w, x + 1), r"offsets\[0\] has to be 0"),
        (lambda lib, bag, x, w: bag(x, w, x * 9), r"offsets\[-1\] can not be greater"),
        (lambda lib, bag, x, w: bag(x, w, x, mode="min"), "mode has to be one of sum, mean or max"),
        (
            lambda lib, bag, x, w: bag(x, w, x, mode="max", sparse=True),
            "max mode does not support sparse weights",
        ),
        (
            lambda lib, bag, x, w: bag(x, w, x, mode="sum", per_sample_weights=lib.ones(3)),
            "must have the same shape as the input",
        ),
        (
            lambda lib, bag, x, w: bag(x, w, x, per_sample_weights=lib.ones(2)),
            "per_sample_weights is only supported for mode='sum'",
        ),
    ],
)
def test_bags_are_refused_as_by_pytorch(call, words):
    for lib in (gg, torch):
        with pytest.raises((ValueError, RuntimeError, NotImplementedError), match=words):
            call(lib, lib.nn.functional.embedding_bag, lib.arange(2), lib.ones(2, 3))


def test_bags_of_a_given_table():
    ours = nn.EmbeddingBag.from_pretrained(gg.tensor(values(4, 3)), mode="sum")
    assert not ours.weight.requires_grad
    assert ours(gg.tensor([[2]])).tolist() == [values(4, 3)[2].tolist()]


ATTENTIONS = [
    ({}, {}),
    ({"bias": False}, {"need_weights": False}),
    ({"batch_first": True}, {"average_attn_weights": False}),
    (
        {"add_bias_kv": True, "add_zero_attn": True},
        {"key_padding_mask": [[False, True, False]] * 2},
    ),
    ({"kdim": 3, "vdim": 5}, {"attn_mask": [[False, True, False]] * 3}),
    ({}, {"attn_mask": [[0.0, 0.5, -1.0]] * 3, "need_weights": False}),
]


@together
@pytest.mark.parametrize(("given", "called"), ATTENTIONS)
def test_attention_is_pytorchs(given, called):
    theirs = torch.nn.MultiheadAttention(4, 2, **given).double()
    ours = loaded(nn.MultiheadAttention(4, 2, **given).to(gg.float64), theirs)
    shape = (2, 3) if given.get("batch_first") else (3, 2)
    arrays = [values(*shape, size) for size in (4, given.get("kdim", 4), given.get("vdim", 4))]
    found = []
    for lib, module in ((gg, ours), (torch, theirs)):
        inputs = [lib.tensor(a, requires_grad=True) for a in arrays]
        masks = {key: lib.tensor(x) if isinstance(x, list) else x for key, x in called.items()}
        masks = {
            k: x.double() if getattr(x, "dtype", 0) is lib.float32 else x for k, x in masks.items()
        }
        y, shares = module(*inputs, **masks)
        (y * y).sum().backward()
        found.append([y, *[x.grad for x in (*inputs, *module.parameters())]])
        found[-1] += [] if shares is None else [shares]
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=1e-9, atol=1e-11)


def test_dropout_scales_what_it_keeps():
    gg.manual_seed(0)
    x = gg.ones(1000, requires_grad=True)
    y = nn.Dropout(0.25)(x)
    assert {round(v, 4) for v in y.tolist()} == {0.0, 1.3333}
    assert 150 < y.tolist().count(0.0) < 350
    y.sum().backward()
    assert x.grad.tolist() == y.tolist()
    channels = nn.Dropout2d(0.5)(gg.ones(50, 2, 3, 3))
    assert {len(set(c.flatten().tolist())) for row in channels for c in row} == {1}


def test_alpha_dropout_keeps_mean_and_variance():
    gg.manual_seed(0)
    y = nn.AlphaDropout(0.3)(gg.randn(20000))
    assert abs(y.mean().item()) < 0.05
    assert abs(y.std().item() - 1) < 0.05


def test_dropout_in_place_does_nothing_in_evaluation():
    x = gg.ones(3, requires_grad=True) * 1
    node = x.grad_fn
    assert nn.functional.dropout(x, 0.5, training=False, inplace=True) is x
    assert x.grad_fn is node
    assert nn.functional.dropout(x, 1.0, inplace=True) is x
    assert x.tolist() == [0, 0, 0]


@together
@pytest.mark.parametrize("name", ["SiLU", "ReLU6", "LeakyReLU", "ELU", "Mish", "Hardswish"])
def test_an_activation_in_place_writes_to_its_input(name):
    gradients = []
    for inplace in (True, False):
        x = gg.tensor([-1.0, 2.0], requires_grad=True)
        y = x * 1
        z = getattr(nn, name)(inplace=inplace)(y)
        assert (z is y) == inplace
        z.sum().backward()
        gradients.append(x.grad.tolist())
    assert gradients[0] == gradients[1]


def test_slopes_of_rrelu_are_drawn_in_training():
    y = nn.RReLU(0.25, 0.75)(gg.full((100,), -1.0))
    assert -0.75 <= y.min().item() < y.max().item() <= -0.25


def test_gumbel_softmax_chooses_as_often_as_the_shares_say():
    gg.manual_seed(0)
    logits = gg.tensor([0.25, 0.75]).log().expand(4000, 2)
    chosen = nn.functional.gumbel_softmax(logits, hard=True)
    assert abs(chosen[:, 1].mean().item() - 0.75) < 0.03


@pytest.mark.parametrize("lib", [gg, torch])
def test_states_from_before_batches_were_counted_keep_the_count(lib):
    module = lib.nn.Sequential(lib.nn.BatchNorm1d(2))
    module(lib.ones(3, 2))
    state = module.state_dict()
    assert state._metadata["0"] == {"version": 2}
    state.pop("0.num_batches_tracked")
    with pytest.raises(RuntimeError, match="Missing key"):
        module.load_state_dict(state)
    module.load_state_dict(dict(state))
    assert module[0].num_batches_tracked.item() == 1


@pytest.mark.parametrize("lib", [gg, torch])
def test_a_class_derived_from_batch_norm_says_itself_which_inputs_it_takes(lib):
    class Norm(lib.nn.BatchNorm1d):
        def _check_input_dim(self, input):
            assert input.ndim == 4

    assert Norm(2)(lib.ones(1, 2, 2, 2)).shape == (1, 2, 2, 2)


@pytest.mark.parametrize("lib", [gg, torch])
def test_a_circle_goes_around_as_many_dims_as_the_class_says(lib):
    with pytest.raises(ValueError, match=r"expected 2D or 3D input \(got 4D input\)"):
        lib.nn.CircularPad1d(1)(lib.ones(1, 2, 3, 4))
    with pytest.raises(TypeError, match="delta must be a float or int, got: "):
        lib.nn.HuberLoss(delta=1j)


def test_what_cannot_be_is_refused():
    with pytest.raises(ArgumentError, match=r"between 0 and 1, but got 1\.5"):
        nn.Dropout(1.5)
    with pytest.raises(ArgumentError, match="must be divisible by num_groups"):
        nn.GroupNorm(2, 3)
    with pytest.raises(ArgumentError, match="expected 4D input"):
        nn.BatchNorm2d(3)(gg.ones(2, 3))
    with pytest.raises(ArgumentError, match="Expected more than 1 value per channel"):
        nn.BatchNorm1d(3)(gg.ones(1, 3))
    with pytest.raises(TypeError, match="unexpected keyword argument 'slope'"):
        nn.LeakyReLU(slope=0.1)


def test_an_adaptive_softmax_is_pytorchs():
    def make(lib):
        return lib.nn.AdaptiveLogSoftmaxWithLoss(8, 20, [4, 9], div_value=2.0, head_bias=True)

    def call(lib, module, x):
        output, loss = module(x, lib.tensor([0, 3, 19, 8, 9, 4, 2]))
        one = module(x[0], lib.tensor(11)).output
        assert module.predict(x).tolist() == module.log_prob(x).argmax(1).tolist()
        return output, loss, one, module.log_prob(x)

    assert_alike(make, call, values(7, 8))
    module = make(gg)
    for cutoffs in ([], [9, 4], [4, 20], [0, 4]):
        with pytest.raises(ValueError, match="cutoffs should be a sequence of unique"):
            gg.nn.AdaptiveLogSoftmaxWithLoss(8, 20, cutoffs)
    with pytest.raises(RuntimeError, match=r"Target values should be in \[0, 19\]"):
        module(gg.ones(1, 8), gg.tensor([20]))
    with pytest.raises(RuntimeError, match="should have the same size in the batch dimension"):
        module(gg.ones(2, 8), gg.tensor([20]))


def test_batch_norms_are_converted_to_the_one_of_several_processes():
    def make(lib):
        norms = lib.nn.BatchNorm1d(3), lib.nn.BatchNorm1d(3, affine=False, momentum=None)
        model = lib.nn.Sequential(norms[0], lib.nn.Linear(3, 3), lib.nn.Sequential(norms[1]))
        made = lib.nn.SyncBatchNorm.convert_sync_batchnorm(model)
        assert made[0].weight is norms[0].weight
        return made

    assert_alike(make, lambda _, module, x: module(x), values(5, 3))
