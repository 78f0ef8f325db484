"""Recurrent layers: what each step of a sequence learns from the steps before it.

    a = x·Wᵀ + b            of all steps at once: `linear`
    h, … = step(a[t], h)    one after the other: `RNN`, `LSTM` and `GRU`, one node for all steps

The rules go through the steps once, forwards or backwards, and do only there what depends on the
step before; everything else, such as the slopes of all gates, is done for all steps at once.
What the steps had inside (the gates) is a result that no user sees: backward uses it where the
operands are arrays. Under `create_graph`, where they are tensors, it goes through the steps again.

A sequence backwards is one whose steps are turned round before, and again after. Where sequences
of a batch have different lengths, each is turned round by itself; what lies behind its end is
computed, but nobody looks at it.

See also: Hochreiter and Schmidhuber, *Long Short-Term Memory* (1997); Cho et al., *Learning Phrase
Representations using RNN Encoder–Decoder* (2014).
"""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from glassgrad import ops
from glassgrad.core.errors import RangeError, ShapeError
from glassgrad.core.state import Values
from glassgrad.core.tensor import Tensor
from glassgrad.values.backend import in_rows

from ._declaring import for_each_kind, function
from ._families import Transposed
from ._rules import batch_all
from .linalg import linear, matmul

# One layer, one direction -------------------------------------------------------------------------


class Recurrence(Transposed):
    """The steps of one layer; a has the shape `(T, N, …)`: the third dim from last counts them.

    Attributes:
        kept_results: how many results, the last ones, are there for backward alone.
    """

    multiple = True
    keeps_index = True
    kept_results: ClassVar[int] = 0

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.steps = output

    @classmethod
    def vmap(cls, info, in_dims, *values, **parameters):
        """The same steps for all examples: their dim is in front of those that the steps see."""
        return cls.forward(*batch_all(info, in_dims, values), **parameters)


Step = Callable[..., tuple[Values, Values]]
"""Given the number of a step and the states before it: those after it, and what is kept of it."""


def _scanned(step: Step, states: Values, n: int, *, back: bool = False) -> tuple[Values, list[Any]]:
    """The states after n steps, or after going `back` through them, and what all of them kept."""
    kept = []
    for t in reversed(range(n)) if back else range(n):
        states, made = step(t, *states)
        kept.append(made)
    return states, [_joined(each[::-1] if back else each) for each in zip(*kept, strict=True)]


def _joined(steps: Any) -> Any:
    """One array of what each step has, in a third of the time of `np.stack`."""
    *ahead, rows, size = steps[0].shape
    return np.concatenate(steps, axis=-2).reshape(*ahead, len(steps), rows, size)


def _again(ctx: Any, operands: Any, **parameters: Any) -> Any:
    """The results of all steps; computed again where they depend on tensors."""
    if not any(isinstance(x, Tensor) for x in operands):
        return ctx.steps
    return ctx._forward_cls.forward(*operands, **parameters)


def _before(first: Any, steps: Any) -> Any:
    """What each step began with."""
    return np.concatenate([first[..., None, :, :], steps[..., :-1, :, :]], axis=-3)


def _by_weight(by_step: Any, before: Any) -> Any:
    """The gradient of a weight, from those of its products with `before`."""
    rows = by_step.reshape(-1, by_step.shape[-1])
    return np.matmul(np.swapaxes(rows, 0, 1), before.reshape(-1, before.shape[-1]))


def _turned(weight: Any) -> Any:
    return np.swapaxes(weight, -1, -2)


def _parts(x: Any, n: int) -> list[Any]:
    size = x.shape[-1] // n
    return [x[..., k * size : (k + 1) * size] for k in range(n)]


# Note [Gate after gate]
# Each step begins with one product for all gates, `h·Wᵀ`. Its columns are those of the gates, side
# by side; so each gate would be a part of each row, and arithmetic with it three times as slow as
# with an array of its own. Therefore the weight is laid out as one matrix for each gate, once for
# all steps, and a likewise: then NumPy makes a product for each gate, in the same time.


def _by_gates(x: Any, order: Sequence[int]) -> Any:
    """Rows `(…, G·H)` as `(G, …, H)`, with the gates in that order."""
    parts = _parts(x, len(order))
    return np.stack([parts[k] for k in order])


def _laid_out(weight: Any) -> Any:
    """A weight row by row, if it is an array: many small products with it are faster so."""
    return weight if isinstance(weight, Tensor) else in_rows(weight)


class RNN(Recurrence):
    """hₜ = tanh(aₜ + hₜ₋₁·Wᵀ)        āₜ = (1 − hₜ²)·(h̄ₜ + āₜ₊₁·W),  b̄ = ā₀·W,  W̄ = Σₜ āₜᵀ·hₜ₋₁
    b = hidden,  W = weight

    With `relu`, max(0, …) takes the place of tanh, and [hₜ > 0] that of its slope.
    """

    saves = ("a", "hidden", "weight")

    @staticmethod
    def forward(a, hidden, weight, *, relu):
        turned = _laid_out(_turned(weight))

        def step(t: int, h: Any) -> tuple[Values, Values]:
            h = a[..., t, :, :] + np.matmul(h, turned)
            h = np.maximum(h, 0) if relu else np.tanh(h)
            return (h,), (h,)

        return tuple(_scanned(step, (hidden,), a.shape[-3])[1])

    @staticmethod
    def backward(ctx, grad):
        _, hidden, weight = operands = tuple(ctx.saved_tensors)
        (hs,) = _again(ctx, operands, relu=ctx.relu)
        slopes: Any = None if ctx.relu else 1 - hs * hs

        def step(t: int, dh: Any) -> tuple[Values, Values]:
            da = grad[t] + dh
            da = np.where(hs[t] > 0, da, 0) if ctx.relu else da * slopes[t]
            return (np.matmul(da, weight),), (da,)

        (by_hidden,), (by_a,) = _scanned(step, (0,), hs.shape[0], back=True)
        return by_a, by_hidden, _by_weight(by_a, _before(hidden, hs))


class LSTM(Recurrence):
    """hₜ, cₜ = oₜ·tanh cₜ, fₜ·cₜ₋₁ + iₜ·gₜ
    āₜ = sₜ·(c̄ₜ, c̄ₜ, c̄ₜ, h̄ₜ),  b̄ = ā₀·W,  d̄ = f₀·c̄₀,  W̄ = Σₜ āₜᵀ·hₜ₋₁
    iₜ, fₜ, gₜ, oₜ = sigmoid(aₜ + hₜ₋₁·Wᵀ),  b = hidden,  d = cell,  W = weight

    For gₜ, tanh takes the place of the sigmoid. sₜ are the slopes of all four gates, and c̄ₜ has
    h̄ₜ·oₜ·(1 − tanh²cₜ) and fₜ₊₁·c̄ₜ₊₁ in it.
    """

    saves = ("a", "hidden", "cell", "weight")
    kept_results = 5

    @staticmethod
    def forward(a, hidden, cell, weight):
        if any(isinstance(x, Tensor) for x in (a, hidden, cell, weight)):
            return _lstm_of_tensors(a, hidden, cell, weight)
        order = (0, 1, 3, 2)  # the three sigmoids first
        turned = _laid_out(_by_gates(_turned(weight), order))
        np.negative(turned[:3], out=turned[:3])  # for the exponential
        # What a step writes lies together: so the steps are in front, and go back at the end.
        parts = _parts(np.swapaxes(a, 0, -3), 4)
        n, *row = parts[0].shape
        gates = np.empty_like(a, shape=(n, 4, *row))
        for place, k in enumerate(order):
            (np.negative if place < 3 else np.positive)(parts[k], out=gates[:, place])
        cs, tanhs, hs = [np.empty_like(a, shape=(n, *row)) for _ in range(3)]
        by_gate = np.swapaxes(gates, 0, 1)
        product = np.empty_like(gates[0])
        h, c = hidden, cell
        steps = zip(gates, gates[:, :3], *by_gate, cs, tanhs, hs, strict=True)
        for own, sigmoids, i, f, o, g, c_out, tanh_out, h_out in steps:
            np.add(own, np.matmul(h, turned, out=product), out=own)
            np.exp(sigmoids, out=sigmoids)
            np.add(sigmoids, 1, out=sigmoids)
            np.reciprocal(sigmoids, out=sigmoids)
            new = np.multiply(i, np.tanh(g, out=g), out=product[0])
            c = np.multiply(f, c, out=c_out)
            c += new
            h = np.multiply(o, np.tanh(c, out=tanh_out), out=h_out)
        i, f, o, g = by_gate
        return tuple([np.swapaxes(x, 0, -3) for x in (hs, cs, i, f, g, o, tanhs)])

    @staticmethod
    def backward(ctx, grad, by_cell, *_):
        _, hidden, cell, weight = operands = tuple(ctx.saved_tensors)
        hs, cs, i, f, g, o, tanh = _again(ctx, operands)
        to_cell = o * (1 - tanh * tanh)
        slopes = np.concatenate(
            [
                g * i * (1 - i),
                _before(cell, cs) * f * (1 - f),
                i * (1 - g * g),
                tanh * o * (1 - o),
            ],
            axis=-1,
        )
        grad = np.zeros_like(by_cell) if grad is None else grad

        def step(t: int, dh: Any, dc: Any) -> tuple[Values, Values]:
            dh = grad[t] + dh
            dc = dh * to_cell[t] + dc
            dc = dc if by_cell is None else dc + by_cell[t]
            da = np.concatenate([dc, dc, dc, dh], axis=-1) * slopes[t]
            return (np.matmul(da, weight), dc * f[t]), (da,)

        (dh, dc), (by_a,) = _scanned(step, (0, 0), hs.shape[0], back=True)
        return by_a, dh, dc, _by_weight(by_a, _before(hidden, hs))


def _lstm_of_tensors(a: Any, hidden: Any, cell: Any, weight: Any) -> Values:
    """What `LSTM.forward` computes, where it is recorded: nothing is written to."""
    turned = _turned(weight)

    def step(t: int, h: Any, c: Any) -> tuple[Values, Values]:
        i, f, g, o = _parts(a[..., t, :, :] + np.matmul(h, turned), 4)
        i, f, o = [1 / (1 + np.exp(-gate)) for gate in (i, f, o)]
        g = np.tanh(g)
        c = f * c + i * g
        tanh = np.tanh(c)
        h = o * tanh
        return (h, c), (h, c, i, f, g, o, tanh)

    return tuple(_scanned(step, (hidden, cell), a.shape[-3])[1])


class GRU(Recurrence):
    """hₜ = (1 − zₜ)·nₜ + zₜ·hₜ₋₁
    āₜ = sₜ·h̄ₜ,  b̄ = z₀·h̄₀ + q̄₀·W,  W̄ = Σₜ q̄ₜᵀ·hₜ₋₁,  d̄ = Σₜ q̄ₜ
    rₜ, zₜ = sigmoid(aₜ + qₜ),  nₜ = tanh(aₜ + rₜ·qₜ),  qₜ = hₜ₋₁·Wᵀ + d
    b = hidden,  W = weight,  d = bias

    a and q have three parts: for r, z and n.
    """

    saves = ("a", "hidden", "weight", "bias")
    kept_results = 4

    @staticmethod
    def forward(a, hidden, weight, bias):
        order = (0, 1, 2)
        a, turned = _by_gates(a, order), _laid_out(_by_gates(_turned(weight), order))
        bias = _by_gates(bias[..., None, :], order)

        def step(t: int, h: Any) -> tuple[Values, Values]:
            own, q = a[..., t, :, :], np.matmul(h, turned) + bias
            r, z = 1 / (1 + np.exp(-(own[:2] + q[:2])))
            q = q[2]
            new = np.tanh(own[2] + r * q)
            h = new + z * (h - new)
            return (h,), (h, r, z, new, q)

        return tuple(_scanned(step, (hidden,), a.shape[-3])[1])

    @staticmethod
    def backward(ctx, grad, *_):
        _, hidden, weight, _ = operands = tuple(ctx.saved_tensors)
        hs, r, z, new, q = _again(ctx, operands)
        before = _before(hidden, hs)
        to_new = (1 - z) * (1 - new * new)
        to_rz = [to_new * q * r * (1 - r), (before - new) * z * (1 - z)]
        slopes = np.concatenate([*to_rz, to_new * r], axis=-1)

        def step(t: int, dh: Any) -> tuple[Values, Values]:
            dh = grad[t] + dh
            dq = np.concatenate([dh, dh, dh], axis=-1) * slopes[t]
            return (dh * z[t] + np.matmul(dq, weight),), (dh, dq)

        (dh,), (by_h, by_q) = _scanned(step, (0,), hs.shape[0], back=True)
        by_a = np.concatenate([by_q[..., : 2 * z.shape[-1]], by_h * to_new], axis=-1)
        return by_a, dh, _by_weight(by_q, before), by_q.sum(axis=(0, 1))


# All layers, both directions ----------------------------------------------------------------------


class Weights(NamedTuple):
    """The parameters of one layer and direction.

    Attributes:
        input, hidden: of what comes in, `(G·H, n)`, and of the steps before, `(G·H, H)`; G is how
            many gates there are.
        input_bias, hidden_bias: of shape `(G·H,)`; None: 0.
        projection: what makes h of an LSTM smaller, `(P, H)`; None: it stays as it is.
    """

    input: Tensor
    hidden: Tensor
    input_bias: Tensor | None = None
    hidden_bias: Tensor | None = None
    projection: Tensor | None = None


States = tuple[Tensor, ...]


def all_steps(kind: str, x: Tensor, states: States, w: Weights) -> tuple[Tensor, ...]:
    """What each step of one layer ends with: its h, and of an LSTM its c.

    Args:
        kind: "LSTM", "GRU", "RNN_TANH" or "RNN_RELU".
        x: of shape `(T, N, n)`.
        states: h, and of an LSTM c, before the first step: `(N, H)` each.
        w: the parameters.
    """
    if kind == "GRU":
        bias = w.hidden_bias
        if bias is None:
            bias = ops.zeros(w.hidden.shape[0], dtype=x.dtype, device=x.device)
        return GRU.apply(linear(x, w.input, w.input_bias), *states, w.hidden, bias)[:1]
    bias = w.input_bias
    if bias is not None and w.hidden_bias is not None:
        bias = bias + w.hidden_bias
    a = linear(x, w.input, bias)
    if w.projection is not None:
        return _projected_steps(a, states, w.hidden, w.projection)
    if kind == "LSTM":
        return LSTM.apply(a, *states, w.hidden)[:2]
    return RNN.apply(a, *states, w.hidden, relu=kind == "RNN_RELU")


def _projected_steps(a: Tensor, states: States, weight: Tensor, projection: Tensor) -> States:
    """The steps of an LSTM whose h is projected, a few nodes for each."""
    h, c = states
    hs, cs = [], []
    for row in a.unbind(0):
        i, f, g, o = linear(h, weight).add(row).chunk(4, -1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = matmul(o.sigmoid() * c.tanh(), projection.mT)
        hs.append(h)
        cs.append(c)
    return ops.stack(hs), ops.stack(cs)


class Ends(NamedTuple):
    """Where the sequences of a batch end.

    Attributes:
        last: the place of the last step of each.
        backwards: the place of each step in the sequence turned round, `(T, N)`.
        rows: the place of each sequence in the batch.
    """

    last: Tensor
    backwards: Tensor
    rows: Tensor

    @classmethod
    def of(cls, lengths: Tensor, steps: int) -> "Ends":
        """Those of sequences of these lengths."""
        last = lengths - 1
        backwards = last - ops.arange(steps).unsqueeze(1)  # behind the end: negative, and unread
        return cls(last, backwards, ops.arange(lengths.shape[0]))

    def turned(self, x: Tensor) -> Tensor:
        """Each sequence by itself, turned round."""
        return x[self.backwards, self.rows]

    def at_end(self, steps: Tensor) -> Tensor:
        """What each sequence's last step has."""
        return steps[self.last, self.rows]


def recurrent(
    kind: str,
    x: Tensor,
    states: States,
    layers: Sequence[Sequence[Weights]],
    *,
    ends: Ends | None = None,
    p: float = 0.0,
) -> tuple[Tensor, States]:
    """Layers of steps, one above the other.

    Args:
        kind: as in `all_steps`.
        x: of shape `(T, N, n)`.
        states: those before the first step, of all layers and directions: `(L·D, N, H)` each.
        layers: the parameters of each layer, of one direction or of both.
        ends: where sequences end; None: all at the last step.
        p: how likely an element is set to 0 between layers.

    Returns:
        h of all steps of the last layer, `(T, N, D·H)`, and the states after the last step.
    """
    first = [state.unbind(0) for state in states]
    last: list[States] = []
    for depth, directions in enumerate(layers):
        if depth and p:
            x = ops.dropout(x, p)
        outputs = []
        for k, weights in enumerate(directions):
            own = tuple([state[len(last)] for state in first])
            steps = all_steps(kind, _turned_round(x, ends) if k else x, own, weights)
            outputs.append(_turned_round(steps[0], ends) if k else steps[0])
            last.append(tuple([step[-1] if ends is None else ends.at_end(step) for step in steps]))
        x = outputs[0] if len(outputs) == 1 else ops.cat(outputs, -1)
    return x, tuple([ops.stack(ends_of) for ends_of in zip(*last, strict=True)])


def _turned_round(x: Tensor, ends: Ends | None) -> Tensor:
    return x.flip(0) if ends is None else ends.turned(x)


def grouped(
    kind: str,
    params: Sequence[Tensor],
    *,
    has_biases: bool,
    num_layers: int,
    bidirectional: bool,
) -> list[list[Weights]]:
    """The parameters by layer and direction, from the row in which PyTorch lists them.

    Raises:
        RangeError: if there are too few or too many.
    """
    directions = 1 + bidirectional
    n, rest = divmod(len(params), num_layers * directions)
    least = 4 if has_biases else 2
    if rest or n not in ((least, least + 1) if kind == "LSTM" else (least,)):
        raise RangeError(
            f"got an incorrect number of RNN parameters: {len(params)} for {num_layers} layers in "
            f"{directions} directions. Each has two weights, and two biases or none. Pass them in "
            "the order of `nn.LSTM(…)._flat_weights`."
        )

    def one(part: Sequence[Tensor]) -> Weights:
        own, steps = part[2:4] if has_biases else (None, None)
        return Weights(part[0], part[1], own, steps, part[-1] if n % 2 else None)

    each = [one(params[k : k + n]) for k in range(0, len(params), n)]
    return [each[k : k + directions] for k in range(0, len(each), directions)]


@for_each_kind(
    lstm=("LSTM", LSTM, ""),
    gru=("GRU", GRU, "`lstm` of gated recurrent units, which have no c: `y, h = gru(x, h, …)`"),
    rnn_tanh=("RNN_TANH", RNN, "`gru` without gates: a plain recurrent network"),
    rnn_relu=("RNN_RELU", RNN, "`rnn_tanh` with max(0, …) in the place of tanh"),
)
def all_layers(
    input: Tensor,
    hx: Tensor | Sequence[Tensor],
    params: Sequence[Tensor],
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
    *,
    kind: str,
) -> tuple[Tensor, ...]:
    """A long short-term memory; `nn.LSTM` has the parameters, and says what they are.

    Args:
        input: of shape `(T, N, n)`, or `(N, T, n)` with `batch_first`.
        hx: h and c before the first step, of shape `(L·D, N, H)` each; where there is no c, h.
        params: weights and biases of each layer and direction.
        has_biases: whether there are biases.
        num_layers, bidirectional: L, and whether D is 2.
        dropout: how likely an element is set to 0 between layers, if `train`.

    Returns:
        h of all steps of the last layer, `(T, N, D·H)`, and h and c after the last step.

    Raises:
        RangeError: if the number of parameters does not fit.

    Example:
        >>> x, state, form = ones(2, 1, 1), zeros(1, 1, 1), (False, 1, 0.0, False, False, False)
        >>> y, h, c = lstm(x, (state, state), [ones(4, 1), ones(4, 1)], *form)
        >>> y.squeeze()
        tensor([0.3696, 0.6505])
        >>> gru(x, state, [ones(3, 1), ones(3, 1)], *form)[0].squeeze()
        tensor([0.2048, 0.3468])
        >>> rnn_tanh(x, state, [ones(1, 1), ones(1, 1)], *form)[0].squeeze()
        tensor([0.7616, 0.9427])
        >>> rnn_relu(x, state, [ones(1, 1), ones(1, 1)], *form)[0].squeeze()
        tensor([1., 2.])
    """
    if input.ndim != 3:
        raise ShapeError(
            f"input must have 3 dimensions, got {input.ndim}. It has steps, examples and features. "
            "Write `x.reshape(T, N, n)`."
        )
    form = {"has_biases": has_biases, "num_layers": num_layers, "bidirectional": bidirectional}
    x = input.transpose(0, 1) if batch_first else input
    states = (hx,) if isinstance(hx, Tensor) else tuple(hx)
    weights = grouped(kind, params, **form)  # type: ignore[arg-type]
    y, states = recurrent(kind, x, states, weights, p=dropout if train else 0.0)
    return y.transpose(0, 1) if batch_first else y, *states


# One step -----------------------------------------------------------------------------------------


def _step(kind: str, input: Tensor, states: States, *weights: Tensor | None) -> States:
    """The states after one step, from those of shape `(N, H)` before."""
    steps = all_steps(kind, input.unsqueeze(0), states, Weights(*weights))  # type: ignore[arg-type]
    return tuple([step.squeeze(0) for step in steps])


@function(LSTM)
def lstm_cell(
    input: Tensor,
    hx: Sequence[Tensor],
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """One step of a long short-term memory; `nn.LSTMCell` has the parameters.

    Args:
        input: of shape `(N, n)`.
        hx: h and c before the step, of shape `(N, H)`.
        w_ih, w_hh: of shape `(4·H, n)` and `(4·H, H)`.
        b_ih, b_hh: of shape `(4·H,)`; None: 0.

    Returns:
        h and c after it.

    Example:
        >>> h, c = lstm_cell(ones(1, 1), (zeros(1, 1), zeros(1, 1)), ones(4, 1), ones(4, 1))
        >>> h
        tensor([[0.3696]])
    """
    h, c = _step("LSTM", input, tuple(hx), w_ih, w_hh, b_ih, b_hh)
    return h, c


@for_each_kind(
    gru_cell=("GRU", GRU, ""),
    rnn_tanh_cell=("RNN_TANH", RNN, "One step of a plain network, with H rows, like `gru_cell`"),
    rnn_relu_cell=("RNN_RELU", RNN, "`rnn_tanh_cell` with max(0, …) in the place of tanh"),
)
def gated_or_plain_cell(
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
    *,
    kind: str,
) -> Tensor:
    """One step of gated recurrent units; arguments as in `lstm_cell`, with 3·H rows, without c.

    Example:
        >>> gru_cell(ones(1, 1), zeros(1, 1), ones(3, 1), ones(3, 1))
        tensor([[0.2048]])
        >>> rnn_tanh_cell(ones(1, 1), zeros(1, 1), ones(1, 1), ones(1, 1))
        tensor([[0.7616]])
        >>> rnn_relu_cell(ones(1, 1), zeros(1, 1), ones(1, 1), ones(1, 1))
        tensor([[1.]])
    """
    return _step(kind, input, (hx,), w_ih, w_hh, b_ih, b_hh)[0]
