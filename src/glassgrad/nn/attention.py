"""Attention as a module: projections of its inputs, and several heads."""

import contextlib
import enum
import math
from collections.abc import Iterable, Iterator
from typing import Any

from glassgrad.core.errors import ArgumentError, ExpectationError
from glassgrad.core.tensor import Tensor
from glassgrad.nn import functional
from glassgrad.nn._making import add_parameters
from glassgrad.nn.init import constant_, normal_, xavier_uniform_
from glassgrad.nn.layers import Linear
from glassgrad.nn.module import Module
from glassgrad.nn.parameter import Parameter


class MultiheadAttention(Module):
    """What each place of a sequence learns from all places of another.

    Args:
        embed_dim: E, the size of a place.
        num_heads: how many heads share it.
        dropout: how likely a share is set to 0 in training.
        bias: whether the projections have one.
        add_bias_kv: whether a learned key and value are added.
        add_zero_attn: whether a key and a value of zeros are added.
        kdim, vdim: the sizes of keys and values; None: E.
        batch_first: whether inputs have the shape `(N, L, E)`, and not `(L, N, E)`.
        device, dtype: of the parameters.

    Raises:
        ExpectationError: if the heads cannot share E evenly.

    Example:
        >>> x = ones(5, 1, 4)
        >>> y, shares = MultiheadAttention(4, 2)(x, x, x)
        >>> y.shape, shares.shape
        (glassgrad.Size([5, 1, 4]), glassgrad.Size([1, 5, 5]))

    See also: Vaswani et al., *Attention Is All You Need* (2017).
    """

    in_proj_weight: Parameter | None
    in_proj_bias: Parameter | None
    q_proj_weight: Parameter | None
    k_proj_weight: Parameter | None
    v_proj_weight: Parameter | None
    bias_k: Parameter | None
    bias_v: Parameter | None

    class NonDynamicallyQuantizableLinear(Linear):
        """A `Linear`, under the name that PyTorch prints for the last projection."""

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0:
            raise ArgumentError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and "
                f"num_heads={num_heads} instead. There would be nothing to attend to."
            )
        if embed_dim % num_heads:
            raise ExpectationError(
                f"embed_dim must be divisible by num_heads, got {embed_dim} and {num_heads}. Heads "
                "share it evenly. Write a multiple."
            )
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        self.add_zero_attn = add_zero_attn
        is_one = self.kdim == self.vdim == embed_dim
        shapes: dict[str, tuple[int, ...] | None] = {
            "q_proj_weight": None if is_one else (embed_dim, embed_dim),
            "k_proj_weight": None if is_one else (embed_dim, self.kdim),
            "v_proj_weight": None if is_one else (embed_dim, self.vdim),
            "in_proj_weight": (3 * embed_dim, embed_dim) if is_one else None,
            "in_proj_bias": (3 * embed_dim,) if bias else None,
        }
        add_parameters(self, device, dtype, **shapes)
        form = {"bias": bias, "device": device, "dtype": dtype}
        self.out_proj = self.NonDynamicallyQuantizableLinear(embed_dim, embed_dim, **form)
        added = (1, 1, embed_dim) if add_bias_kv else None
        add_parameters(self, device, dtype, bias_k=added, bias_v=added)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw all weights anew, but that of `out_proj`."""
        for weight in [self.in_proj_weight, *self._own_projections().values()]:
            if weight is not None:
                xavier_uniform_(weight)
        for bias in (self.in_proj_bias, self.out_proj.bias):
            if bias is not None:
                constant_(bias, 0.0)
        for added in (self.bias_k, self.bias_v):
            if added is not None:
                normal_(added, std=math.sqrt(2 / (2 * self.embed_dim)))

    def _own_projections(self) -> dict[str, Parameter | None]:
        """The weights of queries, keys and values, if they are not one."""
        names = ("q_proj_weight", "k_proj_weight", "v_proj_weight")
        return {name: getattr(self, name) for name in names}

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """The result, and the shares of all heads.

        Args:
            query, key, value: of shape `(L, N, E)`, `(S, N, kdim)`, `(S, N, vdim)`; N first with
                `batch_first`; or without N.
            key_padding_mask, need_weights, attn_mask, average_attn_weights, is_causal: as for
                `nn.functional.multi_head_attention_forward`.
        """
        turns = self.batch_first and query.ndim == 3
        if turns:
            turned = {id(x): x.transpose(0, 1) for x in (query, key, value)}
            query, key, value = [turned[id(x)] for x in (query, key, value)]
        y, shares = functional.multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            key_padding_mask=key_padding_mask,
            need_weights=need_weights,
            attn_mask=attn_mask,
            use_separate_proj_weight=self.in_proj_weight is None,
            **self._own_projections(),
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
        )
        return (y.transpose(0, 1) if turns else y), shares


class SDPBackend(enum.IntEnum):
    """PyTorch's ways of computing `scaled_dot_product_attention`; MATH is the one here."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


@contextlib.contextmanager
def sdpa_kernel(
    backends: SDPBackend | Iterable[SDPBackend],  # noqa: ARG001  # PyTorch's; there is one
    set_priority: bool = False,  # noqa: ARG001
) -> Iterator[None]:
    """Choose among the ways of computing attention inside; there is one."""
    yield
