"""Recurrent networks compute what PyTorch's do, with PyTorch's parameters, and print the same."""

import pytest

import glassgrad as gg
from checks import together
from nn.beside import LIBRARIES, assert_alike, drawn

FORMS = [
    {},
    {"num_layers": 2, "bidirectional": True},
    {"bias": False, "batch_first": True},
]
KINDS = ["RNN", "LSTM", "GRU"]


@together
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", KINDS)
def test_sequences(kind, form):

    def make(lib):
        return getattr(lib.nn, kind)(3, 4, **form)

    assert_alike(make, lambda lib, module, x: module(x), drawn(5, 2, 3))


@together
@pytest.mark.parametrize("kind", KINDS)
def test_a_single_sequence_and_a_state(kind):

    def make(lib):
        return getattr(lib.nn, kind)(3, 4)

    def call(lib, module, x, h, c):
        return module(x, (h, c) if kind == "LSTM" else h + c)

    assert_alike(make, call, drawn(5, 3), drawn(1, 4), drawn(1, 4))
    assert_alike(make, call, drawn(5, 2, 3), drawn(1, 2, 4), drawn(1, 2, 4))


@together
@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_packed_sequences(kind, bidirectional):

    def make(lib):
        return getattr(lib.nn, kind)(3, 4, 2, bidirectional=bidirectional)

    def call(lib, module, x):
        pack = lib.nn.utils.rnn.pack_padded_sequence
        y, state = module(pack(x, [2, 5, 3], enforce_sorted=False))
        padded, lengths = lib.nn.utils.rnn.pad_packed_sequence(y)
        assert lengths.tolist() == [2, 5, 3]
        return padded, state

    assert_alike(make, call, drawn(5, 3, 3))


def test_packed_sequences_and_a_state():
    def call(lib, module, x, h):
        packed = lib.nn.utils.rnn.pack_padded_sequence(x, [2, 4], enforce_sorted=False)
        y, last = module(packed, h)
        return y.data, last

    assert_alike(lambda lib: lib.nn.GRU(3, 4), call, drawn(4, 2, 3), drawn(1, 2, 4))


@pytest.mark.parametrize("bidirectional", [False, True])
def test_an_lstm_with_a_projection(bidirectional):

    def make(lib):
        return lib.nn.LSTM(3, 4, 2, proj_size=2, bidirectional=bidirectional)

    assert_alike(make, lambda lib, module, x: module(x), drawn(3, 2, 3))


@together
@pytest.mark.parametrize("shape", [(2, 3), (3,)])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("kind", ["RNNCell", "LSTMCell", "GRUCell"])
def test_cells(kind, bias, shape):

    def make(lib):
        return getattr(lib.nn, kind)(3, 4, bias=bias)

    def call(lib, module, x):
        state = module(x)
        return state, module(x * 2, state)

    assert_alike(make, call, drawn(*shape))


def test_relu_takes_the_place_of_tanh():

    def make(lib):
        return lib.nn.RNN(3, 4, nonlinearity="relu")

    assert_alike(make, lambda lib, module, x: module(x), drawn(3, 2, 3))

    def make(lib):
        return lib.nn.RNNCell(3, 4, nonlinearity="relu")

    assert_alike(make, lambda lib, module, x: module(x), drawn(2, 3))


def test_parameters_are_drawn_from_the_same_interval():
    for kind in (gg.nn.LSTM(20, 25), gg.nn.GRUCell(20, 25)):
        for weight in kind.parameters():
            assert 0.15 < weight.abs().max().item() <= 0.2


def test_dropout_acts_between_layers_in_training_alone():
    module = gg.nn.LSTM(3, 4, 2, dropout=0.999999)
    x = gg.ones(2, 1, 3)
    first = module(x)[0]
    assert not gg.equal(module.eval()(x)[0], first)
    assert gg.equal(module(x)[0], module(x)[0])


@together
@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda lib: lib.nn.LSTM(3, 0), ValueError, "hidden_size must be greater than zero"),
        (lambda lib: lib.nn.LSTM(3, 4.0), TypeError, "hidden_size should be of type int"),
        (lambda lib: lib.nn.LSTM(3, 4, 0), ValueError, "num_layers must be greater than zero"),
        (lambda lib: lib.nn.LSTM(3, 4, dropout=2), ValueError, "dropout should be a number"),
        (lambda lib: lib.nn.LSTM(3, 4, proj_size=4), ValueError, "proj_size has to be smaller"),
        (lambda lib: lib.nn.RNN(3, 4, nonlinearity="x"), ValueError, "Unknown nonlinearity 'x'"),
        (lambda lib: lib.nn.GRU(3, 4)(lib.ones(3)), ValueError, "Expected input to be 2D or 3D"),
        (
            lambda lib: lib.nn.GRU(3, 4)(lib.ones(2, 2)),
            RuntimeError,
            "input.size\\(-1\\) must be equal to input_size. Expected 3, got 2",
        ),
        (
            lambda lib: lib.nn.GRU(3, 4)(lib.ones(2, 2, 3), lib.ones(1, 4)),
            RuntimeError,
            "For batched 3-D input, hx should also be 3-D",
        ),
        (
            lambda lib: lib.nn.LSTM(3, 4)(
                lib.ones(2, 2, 3), (lib.ones(1, 2, 4), lib.ones(1, 2, 3))
            ),
            RuntimeError,
            r"Expected hidden\[1\] size \(1, 2, 4\), got \[1, 2, 3\]",
        ),
        (lambda lib: lib.nn.LSTMCell(3, 4)(lib.ones(1, 1, 3)), ValueError, "to be 1D or 2D"),
        (
            lambda lib: lib.nn.GRUCell(3, 4)(lib.ones(2, 3), lib.ones(1, 1, 2, 4)),
            ValueError,
            "GRUCell: Expected hidden to be 1D or 2D, got 4D instead",
        ),
        (
            lambda lib: lib.nn.LSTMCell(3, 4)(lib.ones(2, 3), (lib.ones(2, 4), lib.ones(2, 1, 4))),
            ValueError,
            r"LSTMCell: Expected hx\[1\] to be 1D or 2D, got 3D instead",
        ),
        (lambda lib: lib.nn.GRU("3", 4), TypeError, "input_size should be of type int, got: str"),
        (lambda lib: lib.nn.GRU(0, 4), ValueError, "input_size must be greater than zero"),
        (lambda lib: lib.nn.RNN(3, 4, bias=1), TypeError, "bias should be of type bool, got: int"),
        (lambda lib: lib.nn.RNN(3, 4, batch_first=""), TypeError, "batch_first should be of type"),
        (
            lambda lib: lib.nn.RNN(3, 4).double()(lib.ones(2, 2, 3)),
            ValueError,
            r"RNN input dtype \(\S*float32\) does not match weight dtype \(\S*float64\)",
        ),
    ],
)
@pytest.mark.parametrize("lib", LIBRARIES)
def test_what_does_not_fit_is_refused(lib, call, error, words):
    with pytest.raises(error, match=words):
        call(lib)


@pytest.mark.parametrize("lib", LIBRARIES)
def test_dropout_of_one_layer_is_warned_of(lib):
    with pytest.warns(UserWarning, match="non-zero dropout expects num_layers greater than 1"):
        lib.nn.LSTM(3, 4, dropout=0.5)


# Sequences of different lengths -------------------------------------------------------------------


@pytest.mark.parametrize("lib", LIBRARIES)
def test_packing_and_padding(lib):
    rnn = lib.nn.utils.rnn
    sequences = [lib.tensor([1, 2]), lib.tensor([3, 4, 5])]
    packed = rnn.pack_sequence(sequences, enforce_sorted=False)
    assert packed.data.tolist() == [3, 1, 4, 2, 5]
    assert packed.batch_sizes.tolist() == [2, 2, 1]
    assert packed.sorted_indices.tolist() == packed.unsorted_indices.tolist() == [1, 0]
    assert [x.tolist() for x in rnn.unpack_sequence(packed)] == [[1, 2], [3, 4, 5]]
    padded, lengths = rnn.pad_packed_sequence(packed, True, 9, 4)
    assert padded.tolist() == [[1, 2, 9, 9], [3, 4, 5, 9]]
    assert lengths.tolist() == [2, 3]
    left = rnn.pad_sequence(sequences, batch_first=True, padding_side="left")
    assert left.tolist() == [[0, 1, 2], [3, 4, 5]]
    rows = rnn.pad_sequence(lib.tensor([[1, 2], [3, 4]]), batch_first=True)
    assert rows.tolist() == [[1, 2], [3, 4]]
    with pytest.raises(RuntimeError, match="received an empty list of sequences"):
        rnn.pad_sequence([])
    with pytest.raises(RuntimeError, match="Expected iterable for input sequences"):
        rnn.pad_sequence(3)
    assert packed.to(lib.float64).data.dtype == lib.float64
    with pytest.raises(RuntimeError, match="must be sorted in decreasing order"):
        rnn.pack_sequence(sequences)
    with pytest.raises(RuntimeError, match="has to be greater than 0"):
        rnn.pack_padded_sequence(padded, [3, 0], batch_first=True)
    with pytest.raises(RuntimeError, match="to be equal to batch_size"):
        rnn.pack_padded_sequence(padded, [3], batch_first=True)
    with pytest.raises(ValueError, match="Expected total_length to be at least"):
        rnn.pad_packed_sequence(packed, total_length=1)
