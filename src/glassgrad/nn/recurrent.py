"""Recurrent networks: `RNN`, `LSTM` and `GRU` for sequences, and their cells for one step.

A layer k has the parameters

    weight_ih_lk   (G·H, n)   from what comes in; G gates: 1, 4 and 3
    weight_hh_lk   (G·H, H)   from the step before
    bias_ih_lk, bias_hh_lk    (G·H,)
    weight_hr_lk   (P, H)     only if an LSTM has `proj_size` P

and those of the way back have `_reverse` behind their names. All are drawn from U(±1/√H).
"""

import inspect
import math
from collections.abc import Iterable
from typing import Any, ClassVar

from glassgrad import ops
from glassgrad.core.errors import ArgumentError, RangeError, ShapeError
from glassgrad.core.tensor import Tensor
from glassgrad.memory.calls import warn
from glassgrad.nn._making import add_parameters, unusual
from glassgrad.nn.applied import Derived
from glassgrad.nn.init import uniform_
from glassgrad.nn.module import Module
from glassgrad.nn.parameter import Parameter
from glassgrad.nn.utils.rnn import PackedSequence
from glassgrad.ops import _checks as check
from glassgrad.ops.recurrence import Ends, grouped, recurrent

_GATES = {"RNN_TANH": 1, "RNN_RELU": 1, "LSTM": 4, "GRU": 3}


class RNNBase(Module):
    """What recurrent networks share; see `LSTM`.

    Args:
        mode: "RNN_TANH", "RNN_RELU", "LSTM" or "GRU".
    """

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        why = f"It says what a step does. Write one of {', '.join(_GATES)}."
        check.choice("Unrecognized RNN mode: {}", mode, _GATES, why)
        _check_flags(bias=bias, batch_first=batch_first)
        _check_sizes(mode, input_size, hidden_size, num_layers, proj_size)
        _check_dropout(dropout, num_layers)
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        rows = _GATES[mode] * hidden_size
        size = proj_size or hidden_size
        self._weight_names: list[list[str]] = []
        for layer in range(num_layers):
            for suffix in ("", "_reverse")[: 1 + bidirectional]:
                inputs = size * (1 + bidirectional) if layer else input_size
                shapes: dict[str, tuple[int, ...]] = {}
                shapes |= {"weight_ih": (rows, inputs), "weight_hh": (rows, size)}
                if bias:
                    shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
                if proj_size:
                    shapes["weight_hr"] = (proj_size, hidden_size)
                named = {f"{name}_l{layer}{suffix}": shape for name, shape in shapes.items()}
                add_parameters(self, device, dtype, **named)
                self._weight_names.append(list(named))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw all parameters anew."""
        _draw(self, self.hidden_size)

    def flatten_parameters(self) -> None:
        """Nothing: it is for GPUs that want them in one block of memory."""

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The parameters of each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._weight_names]

    @property
    def _flat_weights(self) -> list[Parameter]:
        return [weight for weights in self.all_weights for weight in weights]

    def forward(self, input: Tensor | PackedSequence, hx: Any = None) -> Any:
        """The steps of the last layer, and the states after the last step.

        Args:
            input: of shape `(T, N, n)`, `(N, T, n)` with `batch_first`, or `(T, n)`; or packed.
            hx: the states before the first step, `(L·D, N, H)`; None: zeros.
        """
        if isinstance(input, PackedSequence):
            return self._packed(input, hx)
        said = "It has steps, examples and features. Write `x.reshape(T, N, n)`."
        is_single = _is_single(self, input, 2, said)
        x = input.transpose(0, 1) if self.batch_first and not is_single else input
        states = None if hx is None else self._listed(hx)
        for state in states or ():
            if state.ndim != input.ndim:
                raise RangeError(
                    f"For {'unbatched 2' if is_single else 'batched 3'}-D input, hx should also "
                    f"be {input.ndim}-D but got {state.ndim}-D tensor. Each example has its own "
                    "state. Write one of shape (L·D, N, H)."
                )
        if is_single:
            x = x.unsqueeze(1)
            states = None if states is None else [state.unsqueeze(1) for state in states]
        y, last = self._run_layers(x, states)
        if is_single:
            y, last = y.squeeze(1), [state.squeeze(1) for state in last]
        elif self.batch_first:
            y = y.transpose(0, 1)
        return y, self._given_back(last)

    def _packed(self, packed: PackedSequence, hx: Any) -> Any:
        states = None if hx is None else self._listed(hx)
        if states is not None and packed.sorted_indices is not None:
            states = [state.index_select(1, packed.sorted_indices) for state in states]
        x = packed.padded()
        y, last = self._run_layers(x, states, Ends.of(packed.lengths(), x.shape[0]))
        if packed.unsorted_indices is not None:
            last = [state.index_select(1, packed.unsorted_indices) for state in last]
        return packed._replace(data=y[packed.places()]), self._given_back(last)

    def _run_layers(
        self, x: Tensor, states: list[Tensor] | None, ends: Ends | None = None
    ) -> tuple[Tensor, list[Tensor]]:
        if x.shape[-1] != self.input_size:
            raise ShapeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got "
                f"{x.shape[-1]}. The weights have that many columns. Check `batch_first`."
            )
        dtype = self._flat_weights[0].dtype
        if x.dtype != dtype:
            raise RangeError(
                f"RNN input dtype ({x.dtype!r}) does not match weight dtype ({dtype!r}). A step is "
                f"computed in one precision. Convert input: input.to({dtype!r}), or convert model: "
                f"model.to({x.dtype!r})."
            )
        rows = self.num_layers * (1 + self.bidirectional)
        sizes = [self.proj_size or self.hidden_size]
        if self.mode == "LSTM":
            sizes.append(self.hidden_size)
        shapes = [(rows, x.shape[1], size) for size in sizes]
        if states is None:
            states = [ops.zeros(shape, dtype=x.dtype, device=x.device) for shape in shapes]
        for k, (state, shape) in enumerate(zip(states, shapes, strict=True)):
            if tuple(state.shape) != shape:
                which = f"hidden[{k}]" if len(shapes) > 1 else "hidden"
                raise ShapeError(
                    f"Expected {which} size {shape}, got {list(state.shape)}. There is a state for "
                    "each layer and direction, and each example. Leave it out for zeros."
                )
        form: dict[str, Any] = {"num_layers": self.num_layers, "bidirectional": self.bidirectional}
        layers = grouped(self.mode, self._flat_weights, has_biases=self.bias, **form)
        p = self.dropout if self.training else 0.0
        y, last = recurrent(self.mode, x, tuple(states), layers, ends=ends, p=p)
        return y, list(last)

    def _listed(self, hx: Any) -> list[Tensor]:
        if self.mode == "LSTM" and isinstance(hx, Tensor):
            raise RangeError(
                f"an LSTM has two states, and hx is one tensor of shape {tuple(hx.shape)}: what "
                "it gives out, and what it remembers. Write `(h, c)`."
            )
        return list(hx) if self.mode == "LSTM" else [hx]

    def _given_back(self, states: list[Tensor]) -> Any:
        return tuple(states) if self.mode == "LSTM" else states[0]

    def extra_repr(self) -> str:
        usual = {"proj_size": 0, "num_layers": 1, "bias": True, "batch_first": False}
        parts = unusual(self, **usual, dropout=0, bidirectional=False)
        return ", ".join([str(self.input_size), str(self.hidden_size), *parts])


def _draw(module: Module, hidden_size: int) -> None:
    bound = 1 / math.sqrt(hidden_size) if hidden_size else 0
    for weight in module.parameters():
        uniform_(weight, -bound, bound)


def _is_single(module: Module, input: Tensor, ndim: int, why: str, name: str = "input") -> bool:
    """Whether what is called `name` is of a single example, with `ndim` dims, and not a batch."""
    if input.ndim not in (ndim, ndim + 1):
        raise ArgumentError(
            f"{type(module).__name__}: Expected {name} to be {ndim}D or {ndim + 1}D, got "
            f"{input.ndim}D instead. {why}"
        )
    return input.ndim == ndim


def _check_flags(**given: object) -> None:
    for name, value in given.items():
        why = "It is a choice of two. Write True or False."
        check.kind(f"{name} should be of type bool, got:", value, bool, why)


def _check_sizes(
    mode: str, input_size: Any, hidden_size: Any, num_layers: int, proj_size: int
) -> None:
    for name, value in {"input_size": input_size, "hidden_size": hidden_size}.items():
        why = "It is the size of a vector. Write an int."
        check.kind(f"{name} should be of type int, got:", value, int, why)
    sizes = {"input_size": input_size, "hidden_size": hidden_size, "num_layers": num_layers}
    for name, value in sizes.items():
        if value <= 0:
            raise ArgumentError(f"{name} must be greater than zero, got {value}. Write 1 or more.")
    if proj_size and mode != "LSTM":
        raise ArgumentError(
            "proj_size argument is only supported for LSTM, not RNN or GRU. Leave it out."
        )
    if not 0 <= proj_size < hidden_size:
        raise ArgumentError(
            f"proj_size has to be smaller than hidden_size, and not negative: got {proj_size} for "
            f"{hidden_size}. It makes h smaller. Write a number below that, or 0 for none."
        )


def _check_dropout(dropout: Any, num_layers: int) -> None:
    if isinstance(dropout, bool) or not isinstance(dropout, int | float) or not 0 <= dropout <= 1:
        raise ArgumentError(
            "dropout should be a number in range [0, 1] representing the probability of an "
            f"element being zeroed, got {dropout}. Write one."
        )
    if dropout > 0 and num_layers == 1:
        warn(
            "dropout option adds dropout after all but last recurrent layer, so non-zero dropout "
            f"expects num_layers greater than 1, but got dropout={dropout} and num_layers=1"
        )


class _OfMode(Derived, RNNBase):
    """The base class of networks of one mode: their arguments are the others of `RNNBase`."""

    _own_mode: ClassVar[str]
    _left_out: ClassVar[tuple[str, ...]] = ("mode", "proj_size")

    @classmethod
    def _derive(cls) -> Iterable[inspect.Parameter]:
        own = inspect.signature(RNNBase).parameters
        return [each for name, each in own.items() if name not in cls._left_out]

    def _build(self, given: dict[str, Any]) -> None:
        RNNBase.__init__(self, self._own_mode, **given)


class RNN(_OfMode):
    """hₜ = tanh(W·xₜ + b + W'·hₜ₋₁ + b'), in layers.

    Args:
        input_size: n, the size of what comes in at each step.
        hidden_size: H, the size of h.
        num_layers: how many layers there are, one above the other.
        nonlinearity: "tanh" or "relu".
        bias: whether there are biases.
        batch_first: whether inputs have the shape `(N, T, n)`, and not `(T, N, n)`.
        dropout: how likely an element is set to 0 between layers, in training.
        bidirectional: whether each layer also goes through the steps backwards.
        device, dtype: of the parameters.

    Example:
        >>> y, h = RNN(3, 4, bidirectional=True)(ones(5, 2, 3))
        >>> y.shape, h.shape
        (glassgrad.Size([5, 2, 8]), glassgrad.Size([2, 2, 4]))
    """

    @classmethod
    def _derive(cls) -> Iterable[inspect.Parameter]:
        for each in super()._derive():
            yield each
            if each.name == "num_layers":
                yield each.replace(name="nonlinearity", annotation=str, default="tanh")

    def _build(self, given: dict[str, Any]) -> None:
        nonlinearity = given.pop("nonlinearity")
        _check_nonlinearity(nonlinearity)
        RNNBase.__init__(self, f"RNN_{nonlinearity.upper()}", **given)
        self.nonlinearity = nonlinearity


def _check_nonlinearity(nonlinearity: str) -> None:
    said, why = "Unknown nonlinearity '{}'", "Select from 'tanh' or 'relu'."
    check.choice(said, nonlinearity, ("tanh", "relu"), why, RangeError)


class LSTM(_OfMode):
    """A long short-term memory: what it keeps goes through the steps without a nonlinearity.

    Args:
        input_size: n, the size of what comes in at each step.
        hidden_size: H, the size of h and c.
        num_layers: how many layers there are, one above the other.
        bias: whether there are biases.
        batch_first: whether inputs have the shape `(N, T, n)`, and not `(T, N, n)`.
        dropout: how likely an element is set to 0 between layers, in training.
        bidirectional: whether each layer also goes through the steps backwards.
        proj_size: the size of h, made smaller by a matrix; 0: H.
        device, dtype: of the parameters.

    Example:
        >>> y, (h, c) = LSTM(3, 4, num_layers=2)(ones(5, 2, 3))
        >>> y.shape, h.shape, c.shape
        (glassgrad.Size([5, 2, 4]), glassgrad.Size([2, 2, 4]), glassgrad.Size([2, 2, 4]))

    See also: Hochreiter and Schmidhuber, *Long Short-Term Memory* (1997).
    """

    _own_mode = "LSTM"
    _left_out = ("mode",)


class GRU(_OfMode):
    """Gated recurrent units; arguments as in `RNN`, without `nonlinearity`.

    Example:
        >>> y, h = GRU(3, 4, batch_first=True)(ones(2, 5, 3))
        >>> y.shape, h.shape
        (glassgrad.Size([2, 5, 4]), glassgrad.Size([1, 2, 4]))

    See also: Cho et al., *Learning Phrase Representations using RNN Encoder–Decoder* (2014).
    """

    _own_mode = "GRU"


# One step -----------------------------------------------------------------------------------------


class RNNCellBase(Module):
    """What the cells share: the parameters of one step."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool,
        num_chunks: int,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = num_chunks * hidden_size
        weights = {"weight_ih": (rows, input_size), "weight_hh": (rows, hidden_size)}
        biases = dict.fromkeys(("bias_ih", "bias_hh"), (rows,) if bias else None)
        add_parameters(self, device, dtype, **weights, **biases)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw all parameters anew."""
        _draw(self, self.hidden_size)

    def _step(self, cell: Any, input: Tensor, states: list[Tensor] | None, n: int) -> list[Tensor]:
        """The states after one step of `cell`, of a batch or of a single example."""
        said = "It has examples and features. Use the module without `Cell` for sequences."
        is_single = _is_single(self, input, 1, said)
        x = input.unsqueeze(0) if is_single else input
        if x.shape[1] != self.input_size:
            raise ShapeError(
                f"input has inconsistent input_size: got {x.shape[1]} expected {self.input_size}. "
                f"Its shape is {list(input.shape)}. Write `{type(self).__name__}({x.shape[1]}, …)`."
            )
        for k, state in enumerate(states or ()):
            name = f"hx[{k}]" if n > 1 else "hidden"
            _is_single(
                self, state, 1, "It has examples and features. Leave it out for zeros.", name
            )
        if states is None:
            shape = (x.shape[0], self.hidden_size)
            rows = [ops.zeros(shape, dtype=x.dtype, device=x.device)] * n
        else:
            rows = [state.unsqueeze(0) if is_single else state for state in states]
        weights = (self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        made = cell(x, rows if n > 1 else rows[0], *weights)
        after = list(made) if n > 1 else [made]
        return [state.squeeze(0) for state in after] if is_single else after

    def extra_repr(self) -> str:
        parts = unusual(self, bias=True)
        return ", ".join([str(self.input_size), str(self.hidden_size), *parts])


class RNNCell(RNNCellBase):
    """One step of `RNN`.

    Args:
        input_size, hidden_size: n and H.
        bias: whether there are biases.
        nonlinearity: "tanh" or "relu".
        device, dtype: of the parameters.

    Example:
        >>> RNNCell(3, 4)(ones(2, 3)).shape
        glassgrad.Size([2, 4])
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        _check_nonlinearity(self.nonlinearity)
        cell = ops.rnn_tanh_cell if self.nonlinearity == "tanh" else ops.rnn_relu_cell
        return self._step(cell, input, None if hx is None else [hx], 1)[0]

    def extra_repr(self) -> str:
        shown = "" if self.nonlinearity == "tanh" else f", nonlinearity={self.nonlinearity}"
        return super().extra_repr() + shown


class _GatedCell(RNNCellBase):
    _gates: ClassVar[int]

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, self._gates, device, dtype)


class LSTMCell(_GatedCell):
    """One step of `LSTM`; arguments as in `RNNCell`, without `nonlinearity`.

    Example:
        >>> h, c = LSTMCell(3, 4)(ones(2, 3))
        >>> h.shape, c.shape
        (glassgrad.Size([2, 4]), glassgrad.Size([2, 4]))
    """

    _gates = 4

    def forward(
        self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, Tensor]:
        h, c = self._step(ops.lstm_cell, input, None if hx is None else list(hx), 2)
        return h, c


class GRUCell(_GatedCell):
    """One step of `GRU`; arguments as in `RNNCell`, without `nonlinearity`.

    Example:
        >>> GRUCell(3, 4)(ones(2, 3)).shape
        glassgrad.Size([2, 4])
    """

    _gates = 3

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        return self._step(ops.gru_cell, input, None if hx is None else [hx], 1)[0]
