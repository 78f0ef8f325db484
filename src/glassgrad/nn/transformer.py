"""Transformers: layers of attention and of two linear maps, each added to what goes by.

    x = x + attention(norm(x))        norm_first; else x = norm(x + attention(x))
    x = x + linear2(activation(linear1(norm(x))))

See also: Vaswani et al., *Attention Is All You Need* (2017).
"""

import copy
import math
from collections.abc import Callable
from typing import Any, ClassVar

from glassgrad import ops
from glassgrad.core.errors import RangeError
from glassgrad.core.tensor import Tensor
from glassgrad.nn import functional
from glassgrad.nn.activations import Dropout
from glassgrad.nn.attention import MultiheadAttention
from glassgrad.nn.containers import ModuleList
from glassgrad.nn.init import xavier_uniform_
from glassgrad.nn.layers import Linear
from glassgrad.nn.module import Module
from glassgrad.nn.normalization import LayerNorm

Mask = Tensor | None


class _Layer(Module):
    """What layers of the encoder and of the decoder share: attentions, then two linear maps.

    Attributes:
        _attentions: the names of the attentions.
    """

    _attentions: ClassVar[tuple[str, ...]]

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = functional.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        form = {"bias": bias, "device": device, "dtype": dtype}
        heads = {"dropout": dropout, "batch_first": batch_first, **form}
        for name in self._attentions:
            setattr(self, name, MultiheadAttention(d_model, nhead, **heads))
        self.linear1 = Linear(d_model, dim_feedforward, **form)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **form)
        self.norm_first = norm_first
        blocks = range(1, len(self._attentions) + 2)
        for k in blocks:
            setattr(self, f"norm{k}", LayerNorm(d_model, eps=layer_norm_eps, **form))
        for k in blocks:
            setattr(self, f"dropout{k}", Dropout(dropout))
        self.activation = _get_activation_fn(activation)

    # The blocks, which programs override, have PyTorch's names.

    def _sa_block(
        self, x: Tensor, attn_mask: Mask, key_padding_mask: Mask, is_causal: bool = False
    ) -> Tensor:
        y = _attend(self.self_attn, x, x, attn_mask, key_padding_mask, is_causal)
        return self.dropout1(y)  # type: ignore[no-any-return]  # a Tensor

    def _ff_block(self, x: Tensor) -> Tensor:
        y = self.linear2(self.dropout(self.activation(self.linear1(x))))
        return getattr(self, f"dropout{len(self._attentions) + 1}")(y)  # type: ignore[no-any-return]

    def _added(self, k: int, x: Tensor, block: Callable[..., Tensor], *more: Any) -> Tensor:
        """What goes by, and to it what block k makes of it."""
        norm = getattr(self, f"norm{k}")
        if self.norm_first:
            return x + block(norm(x), *more)  # type: ignore[no-any-return]
        return norm(x + block(x, *more))  # type: ignore[no-any-return]


def _attend(
    attention: Module, x: Tensor, memory: Tensor, mask: Any, padding: Any, causal: bool
) -> Tensor:
    """What the places of `x` learn from those of `memory`."""
    masks = {"attn_mask": mask, "key_padding_mask": padding, "is_causal": causal}
    y, _ = attention(x, memory, memory, need_weights=False, **masks)
    return y  # type: ignore[no-any-return]


def _get_activation_fn(given: Any) -> Any:
    if not isinstance(given, str):
        return given
    if given not in ("relu", "gelu"):
        raise RangeError(
            f"activation should be relu/gelu, not {given}. Those two have a name here. "
            "Pass another as a function: `nn.functional.silu`."
        )
    return getattr(functional, given)


class TransformerEncoderLayer(_Layer):
    """Attention of a sequence to itself, and two linear maps.

    Args:
        d_model: E, the size of a place.
        nhead: how many heads share it.
        dim_feedforward: the size between the two linear maps.
        dropout: how likely an element is set to 0, in training.
        activation: between the two: "relu", "gelu" or a function.
        layer_norm_eps: as in `LayerNorm`.
        batch_first: whether inputs have the shape `(N, L, E)`, and not `(L, N, E)`.
        norm_first: whether norms come before the blocks, and not behind the sums.
        bias: whether linear maps and norms have biases.
        device, dtype: of the parameters.

    Example:
        >>> TransformerEncoderLayer(8, nhead=2, dim_feedforward=16)(ones(5, 1, 8)).shape
        glassgrad.Size([5, 1, 8])
    """

    _attentions = ("self_attn",)

    def forward(
        self,
        src: Tensor,
        src_mask: Mask = None,
        src_key_padding_mask: Mask = None,
        is_causal: bool = False,
    ) -> Tensor:
        """What each place becomes.

        Args:
            src: of shape `(L, N, E)`, `(N, L, E)` with `batch_first`, or `(L, E)`.
            src_mask: which places a place does not see, or what is added to their scores.
            src_key_padding_mask: which places none sees, `(N, L)`.
            is_causal: says that `src_mask` is causal.
        """
        x = self._added(1, src, self._sa_block, src_mask, src_key_padding_mask, is_causal)
        return self._added(2, x, self._ff_block)


class TransformerDecoderLayer(_Layer):
    """Attention of a sequence to itself, then to another; and two linear maps.

    The arguments are those of `TransformerEncoderLayer`.

    Example:
        >>> layer = TransformerDecoderLayer(8, nhead=2, dim_feedforward=16)
        >>> layer(ones(5, 1, 8), ones(3, 1, 8)).shape
        glassgrad.Size([5, 1, 8])
    """

    _attentions = ("self_attn", "multihead_attn")

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Mask = None,
        memory_mask: Mask = None,
        tgt_key_padding_mask: Mask = None,
        memory_key_padding_mask: Mask = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """What each place becomes.

        Args:
            tgt, memory: the sequence, and what the encoder made of the other one.
            tgt_mask, tgt_key_padding_mask, tgt_is_causal: for the first attention.
            memory_mask, memory_key_padding_mask, memory_is_causal: for the second.
        """
        masks = memory_mask, memory_key_padding_mask, memory_is_causal
        x = self._added(1, tgt, self._sa_block, tgt_mask, tgt_key_padding_mask, tgt_is_causal)
        x = self._added(2, x, self._mha_block, memory, *masks)
        return self._added(3, x, self._ff_block)

    def _mha_block(
        self,
        x: Tensor,
        mem: Tensor,
        attn_mask: Mask,
        key_padding_mask: Mask,
        is_causal: bool = False,
    ) -> Tensor:
        y = _attend(self.multihead_attn, x, mem, attn_mask, key_padding_mask, is_causal)
        return self.dropout2(y)  # type: ignore[no-any-return]  # a Tensor


def _get_clones(module: Module, N: int) -> ModuleList:  # PyTorch's name
    return ModuleList([copy.deepcopy(module) for _ in range(N)])


class _Stack(Module):
    """What encoder and decoder share: layers like one, one behind the other."""

    def __init__(self, layer: Module, num_layers: int, norm: Module | None) -> None:
        super().__init__()
        self.layers = _get_clones(layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def _is_causal(self, mask: Mask, said: bool | None, x: Tensor) -> bool:
        """Whether the mask of a sequence is causal: as is said, or else as it looks."""
        attention = getattr(self.layers[0], "self_attn", None) if self.num_layers else None
        length = x.shape[-2] if getattr(attention, "batch_first", False) else len(x)
        if said is not None or mask is None or mask.shape != (length, length):
            return bool(said)
        causal = Transformer.generate_square_subsequent_mask(length, dtype=mask.dtype)
        return mask.is_floating_point() and bool((mask == causal).all())


class TransformerEncoder(_Stack):
    """Layers like one, one behind the other.

    Args:
        encoder_layer: copied for each.
        num_layers: how many.
        norm: comes last; None: nothing does.
        enable_nested_tensor, mask_check: for PyTorch's programs; padding is computed with here.

    Example:
        >>> layer = TransformerEncoderLayer(8, nhead=2, dim_feedforward=16)
        >>> TransformerEncoder(layer, num_layers=2)(ones(5, 1, 8)).shape
        glassgrad.Size([5, 1, 8])
    """

    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__(encoder_layer, num_layers, norm)
        self.enable_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check

    def forward(
        self,
        src: Tensor,
        mask: Mask = None,
        src_key_padding_mask: Mask = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        causal = self._is_causal(mask, is_causal, src)
        for layer in self.layers:
            src = layer(
                src, src_mask=mask, src_key_padding_mask=src_key_padding_mask, is_causal=causal
            )
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(_Stack):
    """Layers like one, one behind the other.

    Args:
        decoder_layer: copied for each.
        num_layers: how many.
        norm: comes last; None: nothing does.
    """

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__(decoder_layer, num_layers, norm)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Mask = None,
        memory_mask: Mask = None,
        tgt_key_padding_mask: Mask = None,
        memory_key_padding_mask: Mask = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        masks = {  # by their names: a layer of a program's may take few of them
            "tgt_mask": tgt_mask,
            "memory_mask": memory_mask,
            "tgt_key_padding_mask": tgt_key_padding_mask,
            "memory_key_padding_mask": memory_key_padding_mask,
            "tgt_is_causal": self._is_causal(tgt_mask, tgt_is_causal, tgt),
            "memory_is_causal": memory_is_causal,
        }
        for layer in self.layers:
            tgt = layer(tgt, memory, **masks)
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    """An encoder that reads one sequence, and a decoder that writes another.

    Args:
        d_model: E, the size of a place.
        nhead: how many heads share it.
        num_encoder_layers, num_decoder_layers: how many layers there are.
        dim_feedforward, dropout, activation: as in `TransformerEncoderLayer`.
        custom_encoder, custom_decoder: modules in the place of the two.
        layer_norm_eps, batch_first, norm_first, bias, device, dtype: likewise.

    Example:
        >>> model = Transformer(8, 2, 1, 1, dim_feedforward=16)
        >>> model(ones(5, 1, 8), ones(3, 1, 8)).shape
        glassgrad.Size([3, 1, 8])
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = functional.relu,
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        sizes = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps)
        form = (batch_first, norm_first, bias, device, dtype)
        norm = (d_model, layer_norm_eps, True, bias, device, dtype)
        if custom_encoder is None:
            layer: Module = TransformerEncoderLayer(*sizes, *form)
            custom_encoder = TransformerEncoder(layer, num_encoder_layers, LayerNorm(*norm))
        self.encoder = custom_encoder
        if custom_decoder is None:
            layer = TransformerDecoderLayer(*sizes, *form)
            custom_decoder = TransformerDecoder(layer, num_decoder_layers, LayerNorm(*norm))
        self.decoder = custom_decoder
        for weight in self.parameters():
            if weight.ndim > 1:
                xavier_uniform_(weight)
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Mask = None,
        tgt_mask: Mask = None,
        memory_mask: Mask = None,
        src_key_padding_mask: Mask = None,
        tgt_key_padding_mask: Mask = None,
        memory_key_padding_mask: Mask = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """What the decoder makes of `tgt`, having seen what the encoder makes of `src`.

        Args:
            src, tgt: of shape `(S, N, E)` and `(T, N, E)`, with `batch_first` `(N, S, E)` …; or
                without N.
            src_mask, tgt_mask, memory_mask: which places a place does not see.
            src_key_padding_mask, tgt_key_padding_mask, memory_key_padding_mask: which none sees.
            src_is_causal, tgt_is_causal, memory_is_causal: say that the masks are causal.

        Raises:
            RangeError: if the sequences do not fit together.
        """
        batch = 0 if self.batch_first else 1
        if src.ndim == 3 and src.shape[batch] != tgt.shape[batch]:
            raise RangeError(
                "the batch number of src and tgt must be equal, and they have the shapes "
                f"{tuple(src.shape)} and {tuple(tgt.shape)}. Check `batch_first`."
            )
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise RangeError(
                "the feature number of src and tgt must be equal to d_model, and they have the "
                f"shapes {tuple(src.shape)} and {tuple(tgt.shape)}; d_model is {self.d_model}. "
                "Embed them first."
            )
        memory = self.encoder(
            src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal
        )
        return self.decoder(  # type: ignore[no-any-return]
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """What is added to scores so that no place sees those behind it.

        Example:
            >>> Transformer.generate_square_subsequent_mask(2)
            tensor([[0., -inf],
                    [0., 0.]])
        """
        return ops.full((sz, sz), -math.inf, device=device, dtype=dtype).triu(1)
