"""Recurrent layers: what each step of a sequence learns from the steps before it.

    a = x·Vᵀ + b            of what comes in
    q = hₜ₋₁·Wᵀ + d         of the step before
    h, … = cell(a, q, h, …)

All steps of a layer are one node: `RNN`, `LSTM` or `GRU`. Each says its step twice: as `cell`, a
formula for any values, and as `forward` and `backward`, which do the same with arrays, in the
memory of Note [A step is a block]. Derivatives of backward itself, tangents and batches of vmap are
those of the formula.

A sequence backwards is one whose steps are turned round before, and again after. Where sequences
of a batch have different lengths, each is turned round by itself; what lies behind its end is
computed, but nobody looks at it.

See also: Hochreiter and Schmidhuber, *Long Short-Term Memory* (1997); Cho et al., *Learning Phrase
Representations using RNN Encoder–Decoder* (2014).
"""

import functools
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from glassgrad import ops
from glassgrad.core.errors import RangeError, ShapeError
from glassgrad.core.state import Func, Names, Values
from glassgrad.core.tensor import Tensor
from glassgrad.levels.level import pulled_back
from glassgrad.values.backend import in_rows

from ._declaring import for_each_kind, function
from ._families import Transposed
from ._rules import batch_all, run
from .activations import Sigmoid
from .linalg import check_factors, transposed, unfit

# One layer, one direction -------------------------------------------------------------------------


class Recurrence(Transposed):
    """The steps of one layer: of x, `(T, N, n)`, both weights, both biases, and the states before.

    What comes out are the states after each step, `(T, N, H)`, those after the last, `(1, N, H)`
    like those before the first, and what is kept of the steps, which no user sees.

    Attributes:
        cell: the states after a step, of `a`, `q` and the states before it.
        pulled: backward, of arrays: given the operands after the gradients.
    """

    multiple = True
    keeps_index = True
    saves: ClassVar[Names] = ("input", "weight_ih", "weight_hh", "bias_ih", "bias_hh", "hidden")
    shown = slice(-1)
    cell: ClassVar[Func]
    pulled: ClassVar[Func]

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.steps = output[-1]

    @staticmethod
    def backward(ctx, *grads):
        cls, operands = ctx._forward_cls, tuple(ctx.saved_tensors)
        if any(isinstance(x, Tensor) for x in (*operands, *grads)):
            parameters = {name: getattr(ctx, name) for name in cls.parameters}
            return pulled_back(functools.partial(cls.composed, **parameters), operands, grads)
        return cls.pulled(ctx, *grads, *operands)

    @classmethod
    def vmap(cls, info, in_dims, *values, **parameters):
        """The formula, with the dim of all examples in front of those that it sees."""
        batched = batch_all(info, in_dims, values)
        nothing_kept = batched[0][..., :0, :, :]
        return *cls.composed(*batched, **parameters), nothing_kept

    @classmethod
    def composed(cls, x, w_ih, w_hh, b_ih, b_hh, *states, projection=None, **parameters):
        """What `forward` computes, by the formula.

        Args:
            projection: what makes h of an LSTM smaller, `(P, H)`.
        """
        a = np.matmul(x, transposed(w_ih)[..., None, :, :]) + b_ih[..., None, None, :]
        turned, bias = transposed(w_hh)[..., None, :, :], b_hh[..., None, None, :]
        every = []
        for t in range(x.shape[-3]):
            own = a[..., t : t + 1, :, :]
            states = cls.cell(own, np.matmul(states[0], turned) + bias, *states, **parameters)
            if projection is not None:
                states = (np.matmul(states[0], transposed(projection)), *states[1:])
            every.append(states)
        return *[np.concatenate(each, axis=-3) for each in zip(*every, strict=True)], *states


def _parts(x: Any, n: int) -> list[Any]:
    size = x.shape[-1] // n
    return [x[..., k * size : (k + 1) * size] for k in range(n)]


def _sigmoid(x: Any) -> Any:
    return run(Sigmoid, x)


# Note [A step is a block]
# What a step begins with, x, h and 1, is one column for each example; so one product, with both
# weights and the biases side by side, gives a + q for all gates, each of them a matrix of its own
# in the memory. All that a step makes lies below, in the same block, and each call of NumPy writes
# to where the result stays. Each call takes time, however small its arrays are, and each view of a
# part: so gates that are computed alike lie side by side, and what can be done for all steps at
# once is not done in a step.


def _begun(x: Any, hidden: Any, n_made: int) -> tuple[Any, Any, Any, Any]:
    """Memory for all steps, and for what the last one leaves.

    Returns:
        Its blocks, `(T + 1, …, N)`; what each step begins with; h in it; and what each step makes,
        `(T + 1, n_made, H, N)`.
    """
    n_steps, width, n = x.shape
    size = hidden.shape[-1]
    shape = n_steps + 1, n + size + 1 + n_made * size, width
    steps = np.empty_like(x, order="C", shape=shape)
    steps[-1] = 0  # most of it nobody reads, but a record of it is the same each time
    begun, h, made = _blocks(steps, n, size)
    begun[:-1, :n] = transposed(x)
    begun[:, -1] = 1
    h[0] = transposed(hidden)[0]
    return steps, begun, h, made


def _blocks(steps: Any, n: int, size: int) -> tuple[Any, Any, Any]:
    """What is in the blocks: what each step begins with; h in it; what each step makes."""
    first = n + size + 1
    n_steps, rows, width = steps.shape
    made = steps[:, first:].reshape(n_steps, (rows - first) // size, size, width)
    return steps[:, :first], steps[:, n : first - 1], made


def _in_rows(h: Any) -> Any:
    """What each step, and the last one, leaves of h: copies, since users may write to them."""
    after = np.copy(transposed(h[1:]), order="C")
    return after, np.copy(after[-1:])


def _side_by_side(w_ih: Any, w_hh: Any, bias: Any, n: int) -> Any:
    """What makes each of n gates, of what a step begins with."""
    rows = np.concatenate([w_ih, w_hh, bias[:, None]], axis=1)
    return rows.reshape(n, -1, rows.shape[1])


def _columns(grad: Any, like: Any) -> Any:
    """A gradient as a column for each example, in new memory."""
    return np.zeros_like(like) if grad is None else np.copy(transposed(grad), order="C")


def _by_weights(ctx: Any, by_own: Any, begun: Any, x: Any, w_ih: Any, w_hh: Any) -> Values:
    """The gradients of x, of the weights and of the biases: for all steps at once.

    Args:
        by_own: that of what each step's product gave, `(T, …, N)`: the first rows are those of a,
            the last ones those of q.
    """
    n, rows = x.shape[-1], by_own.shape[1]
    own = np.swapaxes(by_own, 0, 1).reshape(rows, -1)
    begun = np.swapaxes(begun[:-1], 0, 1).reshape(begun.shape[1], -1)
    by_a, by_q, by_bias = own[: len(w_ih)], own[-len(w_hh) :], np.dot(own, begun[-1])  # ones
    by_x = None if ctx.edges[0] is None else np.dot(by_a.T, w_ih).reshape(x.shape)
    by_weights = np.dot(by_a, begun[:n].T), np.dot(by_q, begun[n:-1].T)
    return by_x, *by_weights, by_bias[: len(w_ih)], by_bias[-len(w_hh) :]


class RNN(Recurrence):
    """hₜ = tanh(V·xₜ + b + W·hₜ₋₁ + d)        āₜ = (1 − hₜ²)·(h̄ₜ + āₜ₊₁·W)
    x̄ₜ = āₜ·V,  V̄ = Σₜ āₜᵀ·xₜ,  W̄ = Σₜ āₜᵀ·hₜ₋₁,  b̄ = Σₜ āₜ,  d̄ = b̄,  ē = ā₀·W
    V = w_ih,  W = w_hh,  b = b_ih,  d = b_hh,  e = hidden

    With `relu`, max(0, …) takes the place of tanh, and [hₜ > 0] that of its slope.
    """

    @staticmethod
    def cell(a, q, h, *, relu):
        return (np.maximum(a + q, 0) if relu else np.tanh(a + q),)

    @staticmethod
    def forward(x, w_ih, w_hh, b_ih, b_hh, hidden, *, relu):
        (weight,) = _side_by_side(w_ih, w_hh, b_ih + b_hh, 1)
        steps, begun, h, _ = _begun(x, hidden, 0)
        for t in range(len(x)):
            own = np.dot(weight, begun[t])
            np.maximum(own, 0, out=h[t + 1]) if relu else np.tanh(own, out=h[t + 1])
        return *_in_rows(h), steps

    @staticmethod
    def pulled(ctx, by_h, by_last, x, w_ih, w_hh, b_ih, b_hh, hidden):
        begun, h, _ = _blocks(ctx.steps, x.shape[-1], hidden.shape[-1])
        h = h[1:]
        by_own = np.where(h > 0, np.ones_like(h), 0) if ctx.relu else 1 - h * h
        by_h, dh = _columns(by_h, h), _columns(by_last, h[:1])[0]
        turned = in_rows(w_hh.T)
        for t in reversed(range(len(x))):
            np.multiply(by_own[t], np.add(dh, by_h[t], dh), by_own[t])
            np.dot(turned, by_own[t], dh)
        return *_by_weights(ctx, by_own, begun, x, w_ih, w_hh), dh.T[None]


class LSTM(Recurrence):
    """hₜ, cₜ = oₜ·tanh cₜ, fₜ·cₜ₋₁ + iₜ·gₜ
    āₜ = sₜ·(c̄ₜ, c̄ₜ, c̄ₜ, h̄ₜ),  x̄ₜ = āₜ·V,  V̄ = Σₜ āₜᵀ·xₜ,  W̄ = Σₜ āₜᵀ·hₜ₋₁,  b̄ = Σₜ āₜ,  d̄ = b̄
    iₜ, fₜ, gₜ, oₜ = sigmoid(V·xₜ + b + W·hₜ₋₁ + d),  ē = ā₀·W,  k̄ = f₀·c̄₀
    V = w_ih,  W = w_hh,  b = b_ih,  d = b_hh,  e = hidden,  k = cell

    For gₜ, tanh takes the place of the sigmoid. sₜ are the slopes of all four gates, and c̄ₜ has
    h̄ₜ·oₜ·(1 − tanh²cₜ) and fₜ₊₁·c̄ₜ₊₁ in it, h̄ₜ has āₜ₊₁·W.
    """

    saves = (*Recurrence.saves, "cell")

    @staticmethod
    def cell(a, q, h, c):
        i, f, g, o = _parts(a + q, 4)
        c = _sigmoid(f) * c + _sigmoid(i) * np.tanh(g)
        return _sigmoid(o) * np.tanh(c), c

    @staticmethod
    def forward(x, w_ih, w_hh, b_ih, b_hh, hidden, cell):
        i, f, g, o = _side_by_side(w_ih, w_hh, b_ih + b_hh, 4)
        weight = np.concatenate([-i, -f, -o, g])  # what has a sigmoid, for its exponential
        steps, begun, h, made = _begun(x, hidden, 8)  # i, f, o, g, c, i·g, f·c, tanh c
        made[0, 4] = transposed(cell)[0]
        products = steps[:, begun.shape[1] :][:, : len(weight)]
        places = slice(3), slice(2), slice(3, 5), slice(5, 7), 5, 6, 2, 3, 7
        own = [made[:-1, place] for place in places]  # all views at once: Note [A step is a block]
        one = np.ones_like(x, shape=())
        for now, product, gates, i_f, g_c, both, new, old, o, g, tanh, c, h_after in zip(
            begun[:-1], products[:-1], *own, made[1:, 4], h[1:], strict=True
        ):
            np.dot(weight, now, product)
            np.exp(gates, gates)
            np.add(gates, one, gates)
            np.reciprocal(gates, gates)
            np.tanh(g, g)
            np.multiply(i_f, g_c, both)
            np.add(new, old, c)
            np.tanh(c, tanh)
            np.multiply(o, tanh, h_after)
        cs = transposed(made[1:, 4])
        hs, last = _in_rows(h)
        return hs, cs, last, np.copy(cs[-1:], order="C"), steps

    @staticmethod
    def pulled(ctx, by_h, by_c, by_last, by_last_c, x, w_ih, w_hh, b_ih, b_hh, hidden, cell):
        begun, h, made = _blocks(ctx.steps, x.shape[-1], hidden.shape[-1])
        h, made = h[1:], made[:-1]
        i, f, o, g, new, tanh = [made[:, k] for k in (0, 1, 2, 3, 5, 7)]
        by_own = np.empty_like(made[:, :4])  # i, f, g, o, as in the weights
        _less(made[:, 5:7], made[:, 5:7], made[:, :2], by_own[:, :2])
        _less(i, new, g, by_own[:, 2])
        _less(h, h, o, by_own[:, 3])
        to_cell = _less(o, h, tanh, np.empty_like(o))
        by_h = _columns(by_h, o)
        dh, dc = [_columns(grad, o[:1])[0] for grad in (by_last, by_last_c)]
        turned, through = in_rows(w_hh.T), np.empty_like(dc)
        by_gates = by_own.reshape(len(x), -1, x.shape[1])
        by_c = [None] * len(x) if by_c is None else transposed(by_c)
        of_step = by_h, by_c, to_cell, f, by_own[:, :3], by_own[:, 3], by_gates
        for grad, to_c, slope, f, by_ifg, by_o, own in zip(
            *[each[::-1] for each in of_step], strict=True
        ):
            np.add(dh, grad, dh)
            np.add(dc, np.multiply(dh, slope, through), dc)
            if to_c is not None:
                np.add(dc, to_c, dc)
            np.multiply(by_ifg, dc, by_ifg)
            np.multiply(by_o, dh, by_o)
            np.dot(turned, own, dh)
            np.multiply(dc, f, dc)
        return *_by_weights(ctx, by_gates, begun, x, w_ih, w_hh), dh.T[None], dc.T[None]


def _less(x: Any, y: Any, z: Any, out: Any) -> Any:
    """Write x − y·z to `out`."""
    return np.subtract(x, np.multiply(y, z, out), out)


class GRU(Recurrence):
    """hₜ = (1 − zₜ)·nₜ + zₜ·hₜ₋₁
    āₜ = sₜ·h̄ₜ,  x̄ₜ = āₜ·V,  V̄ = Σₜ āₜᵀ·xₜ,  W̄ = Σₜ q̄ₜᵀ·hₜ₋₁,  b̄ = Σₜ āₜ,  d̄ = Σₜ q̄ₜ
    ē = z₀·h̄₀ + q̄₀·W
    rₜ, zₜ = sigmoid(aₜ + qₜ),  nₜ = tanh(aₜ + rₜ·qₜ),  aₜ = V·xₜ + b,  qₜ = W·hₜ₋₁ + d
    V = w_ih,  W = w_hh,  b = b_ih,  d = b_hh,  e = hidden

    a and q have three parts: for r, z and n.
    """

    @staticmethod
    def cell(a, q, h):
        (a_r, a_z, a_n), (q_r, q_z, q_n) = _parts(a, 3), _parts(q, 3)
        new = np.tanh(a_n + _sigmoid(a_r + q_r) * q_n)
        return (new + _sigmoid(a_z + q_z) * (h - new),)

    @staticmethod
    def forward(x, w_ih, w_hh, b_ih, b_hh, hidden):
        a = _side_by_side(w_ih, np.zeros_like(w_hh), b_ih, 3)
        q = _side_by_side(np.zeros_like(w_ih), w_hh, b_hh, 3)
        weight = np.concatenate([a[2], *-(a + q)[:2], q[2]])
        steps, begun, h, made = _begun(x, hidden, 4)  # n, r, z, q
        for t in range(len(x)):
            np.dot(weight, begun[t], steps[t, begun.shape[1] :])
            new, r, z, q = made[t]
            gates = made[t, 1:3]
            np.reciprocal(np.add(np.exp(gates, gates), 1, gates), gates)
            np.tanh(new + r * q, new)
            np.add(new, z * (h[t] - new), h[t + 1])
        return *_in_rows(h), steps

    @staticmethod
    def pulled(ctx, by_h, by_last, x, w_ih, w_hh, b_ih, b_hh, hidden):
        size = hidden.shape[-1]
        begun, h, made = _blocks(ctx.steps, x.shape[-1], size)
        new, r, z, q = np.swapaxes(made[:-1], 0, 1)
        to_new = (1 - z) * (1 - new * new)
        to_z = (h[:-1] - new) * z * (1 - z)
        by_own = np.stack([to_new, to_new * q * r * (1 - r), to_z, to_new * r], axis=1)
        by_h, dh = _columns(by_h, z), _columns(by_last, z[:1])[0]
        turned = in_rows(w_hh.T)
        by_gates = by_own.reshape(len(x), -1, x.shape[1])
        for t in reversed(range(len(x))):
            np.add(dh, by_h[t], dh)
            np.multiply(by_own[t], dh, by_own[t])
            dh = dh * z[t] + np.dot(turned, by_gates[t, size:])
        rolled = np.roll(w_ih, size, axis=0)  # as the product has them: n, r, z
        by_x, by_w, by_w_hh, by_b, by_b_hh = _by_weights(ctx, by_gates, begun, x, rolled, w_hh)
        by_w, by_b = np.roll(by_w, -size, axis=0), np.roll(by_b, -size)
        return by_x, by_w, by_w_hh, by_b, by_b_hh, dh.T[None]


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


def all_steps(kind: str, x: Tensor, states: States, w: Weights) -> tuple[States, States]:
    """The states after each step of one layer, `(T, N, H)`, and those after the last.

    Args:
        kind: "LSTM", "GRU", "RNN_TANH" or "RNN_RELU".
        x: of shape `(T, N, n)`.
        states: h, and of an LSTM c, before the first step: `(1, N, H)` each.
        w: the parameters.
    """
    _check_steps(x, states, w)
    none = None
    if w.input_bias is None or w.hidden_bias is None:
        none = ops.zeros(w.hidden.shape[0], dtype=x.dtype, device=x.device)
    biases = [none if bias is None else bias for bias in (w.input_bias, w.hidden_bias)]
    operands = x, w.input, w.hidden, *biases, *states
    cls, parameters = _KINDS[kind]
    if w.projection is None:
        results = cls.apply(*operands, **parameters)
    else:
        results = cls.composed(*operands, projection=w.projection)
    n = len(states)
    return results[:n], results[n : 2 * n]


def _check_steps(x: Tensor, states: States, w: Weights) -> None:
    if x.dtype is not w.input.dtype:
        check_factors("linear", x, w.input)
    for rows, weight in ((x, w.input), (states[0], w.hidden)):
        if rows.shape[-1] != weight.shape[1]:
            raise unfit(rows.shape, weight.shape[::-1])
    if not len(x):
        raise ShapeError(
            "Expected sequence length to be larger than 0 in RNN. The last step is asked for what "
            f"it ends with. Leave out an input of shape {tuple(x.shape)}."
        )
    for k, state in enumerate(states):
        if state.shape[1] != x.shape[1]:
            raise ShapeError(
                f"Input batch size {x.shape[1]} doesn't match hidden{k} batch size "
                f"{state.shape[1]}. Each example has a state of its own. Write one of shape "
                f"{(1, x.shape[1], state.shape[2])}, or of its last two dims for a cell."
            )


_KINDS: dict[str, tuple[type[Recurrence], dict[str, bool]]] = {
    "LSTM": (LSTM, {}),
    "GRU": (GRU, {}),
    "RNN_TANH": (RNN, {"relu": False}),
    "RNN_RELU": (RNN, {"relu": True}),
}


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
        """What each sequence's last step has, `(1, N, H)`."""
        return steps[self.last, self.rows].unsqueeze(0)


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
    n = sum([len(directions) for directions in layers])
    first = [(state,) if state.shape[0] == 1 else state.split(1) for state in states]
    last: list[States] = []
    for depth, directions in enumerate(layers):
        if depth and p:
            x = ops.dropout(x, p)
        outputs = []
        for k, weights in enumerate(directions):
            own = tuple([state[len(last)] for state in first])
            steps, after = all_steps(kind, _turned_round(x, ends) if k else x, own, weights)
            outputs.append(_turned_round(steps[0], ends) if k else steps[0])
            last.append(after if ends is None else tuple([ends.at_end(step) for step in steps]))
        x = outputs[0] if len(outputs) == 1 else ops.cat(outputs, -1)
    return x, last[0] if n == 1 else tuple([ops.cat(each) for each in zip(*last, strict=True)])


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
    before = tuple([state.unsqueeze(0) for state in states])
    _, after = all_steps(kind, input.unsqueeze(0), before, Weights(*weights))  # type: ignore[arg-type]
    return tuple([state.squeeze(0).clone() for state in after])  # no views of what nobody holds


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
