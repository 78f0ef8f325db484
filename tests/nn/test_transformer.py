"""Transformers compute what PyTorch's do, with PyTorch's parameters, and print the same."""

import pickle

import numpy as np
import pytest

import glassgrad as gg
from checks import together
from nn.beside import LIBRARIES, assert_alike, drawn

pytestmark = pytest.mark.filterwarnings("ignore:enable_nested_tensor")  # PyTorch alone
SMALL = {"dim_feedforward": 8, "dropout": 0.0}


def causal(lib, n):
    return lib.nn.Transformer.generate_square_subsequent_mask(n, dtype=lib.float64)


@together
@pytest.mark.parametrize(
    "form",
    [
        {},
        {"norm_first": True, "activation": "gelu", "batch_first": True},
        {"bias": False, "layer_norm_eps": 0.1},
    ],
)
def test_layers(form):
    def encoder(lib):
        return lib.nn.TransformerEncoderLayer(4, 2, **SMALL, **form)

    def decoder(lib):
        return lib.nn.TransformerDecoderLayer(4, 2, **SMALL, **form)

    assert_alike(encoder, lambda lib, module, x: module(x), drawn(3, 3, 4))
    assert_alike(decoder, lambda lib, module, x, y: module(x, y), drawn(3, 3, 4), drawn(3, 3, 4))


def test_masks():
    def call(lib, module, x):
        padding = lib.tensor([[0.0, 0.0, float("-inf")], [0.0, 0.0, 0.0]], dtype=lib.float64)
        return module(x, causal(lib, 3), padding), module(x, causal(lib, 3), is_causal=True)

    def encoder(lib):
        layer = lib.nn.TransformerEncoderLayer(4, 2, batch_first=True, norm_first=True, **SMALL)
        return lib.nn.TransformerEncoder(layer, 2, lib.nn.LayerNorm(4), False)

    assert_alike(encoder, call, drawn(2, 3, 4))


def test_blocks_and_layers_can_be_overridden():
    def make(lib):
        class Encoder(lib.nn.TransformerEncoderLayer):
            def _sa_block(self, x, attn_mask, key_padding_mask, is_causal=False):
                return 2 * super()._sa_block(x, attn_mask, key_padding_mask, is_causal=is_causal)

            def _ff_block(self, x):
                return super()._ff_block(x) ** 2

        class Decoder(lib.nn.TransformerDecoderLayer):
            def _mha_block(self, x, mem, attn_mask, key_padding_mask, is_causal=False):
                return super()._mha_block(x, mem, attn_mask, key_padding_mask, is_causal) + x

            def forward(self, tgt, memory, tgt_mask=None, **more):
                return super().forward(tgt, memory, tgt_mask=tgt_mask)

        encoder = lib.nn.TransformerEncoder(Encoder(4, 2, **SMALL), 2, None, False)
        decoder = lib.nn.TransformerDecoder(Decoder(4, 2, **SMALL), 2)
        return lib.nn.ModuleList([encoder, decoder])

    def call(lib, module, src, tgt):
        return module[1](tgt, module[0](src), tgt_mask=causal(lib, 3))

    assert_alike(make, call, drawn(5, 2, 4), drawn(3, 2, 4))


@pytest.mark.parametrize("activation", ["relu", "module"])
def test_the_whole(activation):
    def make(lib):
        chosen = lib.nn.ReLU() if activation == "module" else "relu"
        return lib.nn.Transformer(4, 2, 2, 2, activation=chosen, **SMALL)

    def call(lib, module, src, tgt):
        return module(src, tgt, tgt_mask=causal(lib, 3)), module(src[:, 0], tgt[:, 0])

    assert_alike(make, call, drawn(5, 2, 4), drawn(3, 2, 4))


def test_weights_are_drawn_as_pytorch_draws_them():
    ours, theirs = [lib.nn.Transformer(32, 2, 1, 1, 64) for lib in LIBRARIES]
    named = dict(theirs.named_parameters())
    for name, weight in ours.named_parameters():
        found, wanted = weight.detach().numpy(), named[name].detach().numpy()
        assert np.abs(found).max() == pytest.approx(np.abs(wanted).max(), rel=0.2, abs=1e-6)
        if wanted.size > 1_000:
            assert found.std() == pytest.approx(wanted.std(), rel=0.1)


@pytest.mark.parametrize("lib", LIBRARIES)
def test_what_does_not_fit_is_refused(lib):
    model = lib.nn.Transformer(4, 2, 1, 1, **SMALL)
    with pytest.raises(RuntimeError, match="the batch number of src and tgt must be equal"):
        model(lib.ones(3, 2, 4), lib.ones(3, 1, 4))
    with pytest.raises(RuntimeError, match="the feature number of src and tgt must be equal"):
        model(lib.ones(3, 2, 4), lib.ones(3, 2, 3))
    with pytest.raises(RuntimeError, match="activation should be relu/gelu, not tanh"):
        lib.nn.TransformerEncoderLayer(4, 2, activation="tanh")


def test_the_mask_is_pytorchs():
    ours, theirs = [causal(lib, 3).numpy() for lib in LIBRARIES]
    assert (ours == theirs).all()
    assert gg.nn.Transformer.generate_square_subsequent_mask(2).dtype == gg.float32


@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_a_layer_can_be_pickled(activation):
    made = gg.nn.TransformerEncoderLayer(4, 2, activation=activation, **SMALL)
    again = pickle.loads(pickle.dumps(made))
    assert again.activation is getattr(gg.nn.functional, activation)
    assert list(again.state_dict()) == list(made.state_dict())
