"""What sequences are computed with: embeddings of tokens, and attention between them."""

import math
from typing import Any

import numpy as np

from glassgrad.core.errors import (
    ArgumentError,
    DimError,
    DTypeError,
    ExpectationError,
    MissingRuleError,
    RangeError,
    ShapeError,
)
from glassgrad.core.primitive import Primitive
from glassgrad.core.tensor import Tensor
from glassgrad.values.backend import in_rows

from ._arguments import c_name, check_kind, scalar_name
from ._declaring import functional
from ._families import batch_all, in_front, run, seen, total
from .activations import Softmax, softmax
from .contraction import einsum
from .creation import arange, ones, zeros
from .joining import cat
from .linalg import linear
from .random import dropout
from .selection import where

# Tokens ------------------------------------------------------------------------------------------


@functional()
def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """A row for each index, with a 1 there and zeros elsewhere.

    Args:
        tensor: int64 indices of shape `S`.
        num_classes: the length of a row; -1: one more than the largest index.

    Returns:
        int64 tensor of shape `(*S, num_classes)`.

    Raises:
        DTypeError: for other dtypes.
        RangeError: if an index is negative, or not below `num_classes`.

    Example:
        >>> one_hot(tensor([2, 0]))
        tensor([[0, 0, 1],
                [1, 0, 0]])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.one_hot.html
    """
    if tensor.dtype != np.int64:
        raise DTypeError(
            "one_hot is only applicable to index tensor of type LongTensor, got "
            f"{scalar_name(tensor.dtype)}. An index is a place. Write `x.long()`."
        )
    values = seen(tensor)
    if values is None and num_classes < 0:
        raise RangeError(
            "one_hot: the number of classes of a batch depends on numbers that nobody can look at "
            "inside of vmap. Write `num_classes=`."
        )
    if values is not None and not values.size and num_classes < 1:
        raise RangeError(
            "Can not infer total number of classes from empty tensor. There is no largest index. "
            "Write `num_classes=`."
        )
    if values is not None and values.size:
        if values.min() < 0:
            raise RangeError(
                "Class values must be non-negative. They count places from 0. Mask what is no "
                "class first."
            )
        num_classes = int(values.max()) + 1 if num_classes < 0 else num_classes
        if values.max() >= num_classes:
            raise RangeError(
                f"Class values must be smaller than num_classes, got {int(values.max())} of "
                f"{num_classes}. A row has so many places. Write a larger number."
            )
    return (tensor.unsqueeze(-1) == arange(num_classes, device=tensor.device)).long()


@functional()
def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,  # noqa: ARG001  # gradients are dense here
) -> Tensor:
    """The rows of a table, by their indices.

    Args:
        input: int64 or int32 indices of shape `S`.
        weight: the table, shape `(V, D)`.
        padding_idx: a row that gets no gradient.
        max_norm: rows that are longer are first shortened to this, in the table itself.
        norm_type: by which norm.
        scale_grad_by_freq: divide gradients by how often their row is named.
        sparse: has no effect.

    Returns:
        Tensor of shape `(*S, D)`.

    Raises:
        ShapeError: if `weight` is not 2-D.
        DTypeError: if `input` has no indices.
        DimError: if there is no such row.
        ExpectationError: if there is no row `padding_idx`.

    Example:
        >>> embedding(tensor([1, 1, 0]), tensor([[0.0, 1.0], [2.0, 3.0]]))
        tensor([[2., 3.],
                [2., 3.],
                [0., 1.]])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.embedding.html
    """
    if weight.ndim != 2:
        raise ShapeError(
            f"'weight' must be 2-D, got the shape {tuple(weight.shape)}. It is a table with a row "
            "for each index. Write `weight.reshape(-1, size)`."
        )
    count = weight.shape[0]
    if input.dtype.name not in ("int64", "int32"):
        raise DTypeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: "
            f"Long, Int; but got {scalar_name(input.dtype)} instead. They name rows. Write "
            "`x.long()`."
        )
    if padding_idx is not None and not -count <= padding_idx < count:
        raise ExpectationError(
            f"Padding_idx must be within num_embeddings, got {padding_idx} of {count}. It names a "
            "row. Write None for none."
        )
    values = seen(input)
    if values is not None and values.size and not 0 <= values.min() <= values.max() < count:
        raise DimError(
            f"index out of range in self: from {values.min()} to {values.max()}, of {count} rows. "
            "Write indices from 0 up that are below that."
        )
    index = input.reshape(-1)
    if max_norm is not None:
        _shorten(weight.detach(), index, max_norm, norm_type)
    rows = weight.index_select(0, index)
    if scale_grad_by_freq:
        counts = zeros(count, dtype=rows.dtype).index_add(0, index, ones(len(index)).to(rows.dtype))
        share = (1 / counts.index_select(0, index)).unsqueeze(-1)
        rows = rows * share + (rows * (1 - share)).detach()
    if padding_idx is not None:
        is_padding = (index == padding_idx % count).unsqueeze(-1)
        rows = where(is_padding, rows.detach(), rows)
    return rows.reshape(*input.shape, weight.shape[1])


@functional()
def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """The rows of a table, by their indices, and of each bag of rows the sum, mean or maximum.

    Args:
        input: int64 or int32 indices, of shape `(B, n)` for B bags of one size, or `(N,)`.
        weight: the table, shape `(V, D)`.
        offsets: for indices of shape `(N,)`, where each bag begins, shape `(B,)`.
        max_norm, norm_type, scale_grad_by_freq, sparse: as for `embedding`.
        mode: "sum", "mean" or "max".
        per_sample_weights: in a sum, what each row is multiplied by; of the shape of `input`.
        include_last_offset: whether `offsets` has one entry more, the end of the last bag.
        padding_idx: a row that no bag counts.

    Returns:
        Tensor of shape `(B, D)`; zeros for an empty bag.

    Raises:
        ArgumentError: for another mode, shapes of `input`, `offsets` or `per_sample_weights` that
            do not go together, or a maximum whose gradient is to be scaled.
        MissingRuleError: if rows are weighted, but not summed.
        ShapeError, DTypeError, DimError, ExpectationError: as for `embedding`.

    Example:
        >>> table = tensor([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
        >>> embedding_bag(tensor([0, 1, 2]), table, tensor([0, 2]), mode="sum")
        tensor([[2., 4.],
                [4., 5.]])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.embedding_bag.html
    """
    if mode not in ("sum", "mean", "max"):
        raise ArgumentError(
            f"mode has to be one of sum, mean or max, got {mode!r}. It says what becomes of a bag. "
            'Write `mode="sum"`.'
        )
    if mode == "max" and (scale_grad_by_freq or sparse):
        what = "scaling the gradient by the frequency" if scale_grad_by_freq else "sparse weights"
        raise ArgumentError(
            f"max mode does not support {what}. Its gradient goes to one row of a bag. Write "
            '`mode="sum"`, or leave the option out.'
        )
    if per_sample_weights is not None:
        _check_weights_of_bags(input, per_sample_weights, mode)
    bags, bag = _bags(input, offsets, include_last_offset)
    rows = embedding(input.reshape(-1), weight, None, max_norm, norm_type, scale_grad_by_freq)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.reshape(-1, 1)
    if padding_idx is not None:
        counted = input.reshape(-1) != padding_idx % weight.shape[0]
        rows, bag = rows[counted], bag[counted]
    empty = zeros(bags, weight.shape[1], dtype=rows.dtype, device=rows.device)
    if mode == "max":
        places = bag.unsqueeze(-1).expand(rows.shape)
        return empty.scatter_reduce(0, places, rows, "amax", include_self=False)
    result = empty.index_add(0, bag, rows)
    if mode == "sum":
        return result
    sizes = zeros(bags, dtype=rows.dtype, device=rows.device).index_add(
        0, bag, ones(len(bag), dtype=rows.dtype, device=rows.device)
    )
    return result / sizes.clamp(min=1).unsqueeze(-1)


def _check_weights_of_bags(input: Tensor, weights: Tensor, mode: str) -> None:
    if weights.shape != input.shape:
        raise ArgumentError(
            f"embedding_bag: If per_sample_weights ({tuple(weights.shape)}) is not None, then it "
            f"must have the same shape as the input ({tuple(input.shape)}). Each index has a "
            "weight. Write one for each."
        )
    if mode != "sum":
        raise MissingRuleError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported "
            f"for mode='sum' (got mode='{mode}'). Write `mode='sum'`."
        )


def _bags(input: Tensor, offsets: Tensor | None, include_last_offset: bool) -> tuple[int, Tensor]:
    """How many bags there are, and for each index the number of its bag."""
    if input.ndim == 2:
        if offsets is not None:
            raise ArgumentError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch "
                f"of fixed length sequences. However, found offsets of type {type(offsets)}. "
                "Write `input.reshape(-1)` with offsets."
            )
        count, size = input.shape
        return count, arange(count, device=input.device).unsqueeze(-1).expand(count, size).ravel()
    if input.ndim != 1:
        raise ArgumentError(
            f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.ndim}. A row of "
            "indices is a bag. Write `input.reshape(-1, size)`."
        )
    if offsets is None or offsets.ndim != 1:
        found = "None" if offsets is None else f"the shape {tuple(offsets.shape)}"
        raise ArgumentError(
            f"offsets has to be a 1D Tensor but got {found}. It says where each bag begins. Write "
            "`offsets=tensor([0])` for a single bag."
        )
    length = len(input)
    begins = seen(offsets)
    if begins is not None and len(begins):
        if begins[0] != 0:
            raise ShapeError(
                "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start "
                f"from position 0. However, got {begins[0]}."
            )
        if begins[-1] > length:
            raise ShapeError(
                f"offsets[-1] can not be greater than input's length({length}) but got "
                f"offsets[-1] of {begins[-1]}."
            )
    starts = offsets[:-1] if include_last_offset else offsets
    at_each = zeros(length + 1, dtype=starts.dtype, device=starts.device)
    at_each = at_each.index_add(0, starts, ones(len(starts)).to(starts.dtype))
    return len(starts), at_each[:length].cumsum(0) - 1


def _shorten(table: Tensor, index: Tensor, most: float, norm_type: float) -> None:
    """Scale the named rows of a table that are longer than `most`, in place."""
    rows = table.index_select(0, index)
    lengths = rows.abs().pow(norm_type).sum(1, keepdim=True).pow(1 / norm_type)
    table.index_copy_(0, index, where(lengths > most, rows * (most / (lengths + 1e-7)), rows))


@functional(aliases=("bilinear",))
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`input1 @ weight[k] @ input2 + bias[k]` for each output k.

    Args:
        input1, input2: of shape `(…, n)` and `(…, m)`.
        weight: of shape `(out, n, m)`.
        bias: of shape `(out,)`, or None.

    Returns:
        Tensor of shape `(…, out)`.

    Raises:
        ShapeError: if the shapes do not fit.

    Example:
        >>> bilinear(tensor([1.0, 2.0]), tensor([3.0]), tensor([[[1.0], [1.0]]]))
        tensor([9.])
    """
    y = einsum("...n,onm,...m->...o", input1, weight, input2)
    return y if bias is None else y + bias


# Attention ---------------------------------------------------------------------------------------


class ScaledDotProductAttention(Primitive):
    """Z, P = P·V, softmax(s·Q·Kᵀ + A)
    Q̄ = s·G·K,  K̄ = s·Gᵀ·Q,  V̄ = Pᵀ·Z̄,  Ā = G
    G = P·(H − sum(P·H)),  H = Z̄·Vᵀ + P̄,  s = scale,  K = key

    Backward finds P on the node, unless it depends on Tensors: then it is computed again.
    """

    node = "ScaledDotProductFlashAttentionForCpuBackward0"
    saves = ("query", "key", "value", "attn_mask")
    multiple = True
    keeps_index = True

    @staticmethod
    def forward(query, key, value, attn_mask, *, scale):
        p = _shares(query, key, attn_mask, scale)
        return np.matmul(p, value), p

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.shares = output[1]

    @staticmethod
    def backward(ctx, grad, by_shares):
        query, key, value, add = ctx.saved_tensors
        wants_query, wants_key, wants_value, wants_add = ctx.needs_input_grad
        p = _again(ctx, query, key, add)
        has_grad = grad is not None
        by_value = np.matmul(_turned(p), grad) if wants_value and has_grad else None
        by_score = p * total([np.matmul(grad, _turned(value)) if has_grad else None, by_shares])
        by_score = by_score - p * by_score.sum(axis=-1, keepdims=True)
        scaled = by_score * ctx.scale
        by_query = np.matmul(scaled, key) if wants_query else None
        by_key = np.matmul(_turned(scaled), query) if wants_key else None
        return by_query, by_key, by_value, by_score if wants_add else None

    @staticmethod
    def jvp(ctx, dquery, dkey, dvalue, dadd):
        query, key, value, add = ctx.saved_tensors
        p = _again(ctx, query, key, add)
        scores = [
            None if dquery is None else np.matmul(dquery, _turned(key)) * ctx.scale,
            None if dkey is None else np.matmul(query, _turned(dkey)) * ctx.scale,
            dadd,
        ]
        by_score, moved, by_shares = total(scores), [], None
        if by_score is not None:
            weighted = p * by_score
            by_shares = weighted - p * weighted.sum(axis=-1, keepdims=True)
            moved.append(np.matmul(by_shares, value))
        if dvalue is not None:
            moved.append(np.matmul(p, dvalue))
        return total(moved), by_shares

    @classmethod
    def vmap(cls, info, in_dims, query, key, value, attn_mask, *, scale):
        """All operands get a batch in front, and as many dims behind it."""
        rows = batch_all(info, in_dims[:3], [query, key, value])
        rank = max([x.ndim for x in rows]) - 1
        rank = rank if in_dims[3] is None else max(rank, attn_mask.ndim - 1)
        add = attn_mask if in_dims[3] is None else in_front(attn_mask, rank)
        return cls.apply(*[in_front(x, rank) for x in rows], add, scale=scale)


def _turned(x: Any) -> Any:
    return np.swapaxes(x, -1, -2)


def _shares(query: Any, key: Any, add: Any, scale: float) -> Any:
    """How much each query attends to each key; a query that may see none attends to none."""
    scores = np.matmul(query * scale, _turned(key))
    scores = scores + add if add.ndim else scores
    e = np.exp(scores - np.maximum.reduce(scores, axis=-1, keepdims=True, initial=_LEAST))
    sums = e.sum(axis=-1, keepdims=True)
    return in_rows(e / np.where(sums == 0, 1, sums))


_LEAST = float(np.finfo(np.float16).min)
"""Lower than any score that is no minus infinity."""


def _again(ctx: Any, query: Any, key: Any, add: Any) -> Any:
    """The shares; computed again where they depend on tensors."""
    if not any(isinstance(x, Tensor) for x in (query, key, add)):
        return ctx.shares
    scores = np.matmul(query * ctx.scale, _turned(key)) + add
    is_blind = np.max(scores, axis=-1, keepdims=True) == -math.inf
    p = run(Softmax, np.where(is_blind, 0, scores), dim=scores.ndim - 1)
    return np.where(is_blind, 0, p)


@functional(ScaledDotProductAttention)
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """`softmax(query @ key.T * scale + attn_mask) @ value`.

    Args:
        query: floating-point tensor of shape `(…, H, L, E)`.
        key, value: of shape `(…, H, S, E)` and `(…, H, S, D)`.
        attn_mask: what is added to the scores, or bools that say which of them count; of a shape
            that broadcasts to `(…, H, L, S)`.
        dropout_p: how likely a share is set to 0.
        is_causal: whether a place sees only itself and places before it.
        scale: None: 1/√E.
        enable_gqa: whether a head of `key` and `value` may serve several of `query`.

    Returns:
        Tensor of shape `(…, H, L, D)`.

    Raises:
        ShapeError: if the shapes do not fit.
        DTypeError: if the dtypes differ, or are not floating-point.

    Example:
        >>> x = tensor([[0.0, 0.0], [2.0, 4.0]])
        >>> scaled_dot_product_attention(x, x, x, is_causal=True)
        tensor([[0.0000, 0.0000],
                [2.0000, 4.0000]])

    See also: Vaswani et al., *Attention Is All You Need* (2017).
    """
    given = (query, key, value)
    if min([x.ndim for x in given]) < 2:
        raise ShapeError(
            "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
            f"{query.ndim} key.dim: {key.ndim} and value.dim: {value.ndim} instead. They are rows "
            "of places. Write `x.unsqueeze(0)`."
        )
    if not query.dtype == key.dtype == value.dtype:
        raise DTypeError(
            "Expected query, key, and value to have the same dtype, but got query.dtype: "
            f"{c_name(query.dtype)} key.dtype: {c_name(key.dtype)} and value.dtype: "
            f"{c_name(value.dtype)} instead. They are multiplied. Write `key.to(query.dtype)`."
        )
    check_kind("expected scalar type Float, attention is", query, "f", "Write `x.float()`.")
    if query.shape[-1] != key.shape[-1] or key.shape[-2] != value.shape[-2]:
        raise ShapeError(
            f"scaled_dot_product_attention got a query of shape {tuple(query.shape)}, a key of "
            f"{tuple(key.shape)} and a value of {tuple(value.shape)}. Rows of query and key are "
            "multiplied, and each key has its value. Give query and key one last size, key and "
            "value one last but one."
        )
    if enable_gqa:
        groups = query.shape[-3] // key.shape[-3]
        key, value = _repeated(key, groups), _repeated(value, groups)
    add = _added(attn_mask, is_causal, query, key)
    scale = 1 / math.sqrt(query.shape[-1] or 1) if scale is None else scale
    if not dropout_p:
        return ScaledDotProductAttention.apply(
            query, key, value, 0.0 if add is None else add, scale=scale
        )[0]
    scores = query * scale @ key.mT
    shares = softmax(scores if add is None else scores + add, -1)
    return dropout(shares, dropout_p) @ value


def _repeated(x: Tensor, groups: int) -> Tensor:
    """Each head `groups` times, one behind the other."""
    return x.unsqueeze(-3).expand(*x.shape[:-2], groups, *x.shape[-2:]).flatten(-4, -3)


def _added(mask: Tensor | None, is_causal: bool, query: Tensor, key: Tensor) -> Tensor | None:
    """What is added to the scores: 0 where they count, minus infinity where they do not."""
    sizes = (query.shape[-2], key.shape[-2])
    if mask is not None and mask.dtype.kind not in "bf":
        raise DTypeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got "
            f"attn_mask.dtype: {c_name(mask.dtype)} and  query.dtype: {c_name(query.dtype)} "
            "instead. Bools say which scores count. Write `mask.bool()`."
        )
    if mask is not None and mask.dtype.kind == "b":
        mask = zeros((), dtype=query.dtype, device=query.device).masked_fill(~mask, -math.inf)
    if not is_causal:
        return mask
    is_later = ones(*sizes, dtype=bool, device=query.device).triu(1)
    later = zeros(*sizes, dtype=query.dtype, device=query.device).masked_fill(is_later, -math.inf)
    return later if mask is None else mask + later


@functional()
def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,  # noqa: ARG001  # whether `in_proj_weight` is None
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """Attention of several heads, between projections of its inputs; see `nn.MultiheadAttention`.

    Args:
        query: of shape `(L, N, E)`, or `(L, E)`.
        key, value: of shape `(S, N, Eₖ)` and `(S, N, Eᵥ)`, or without N.
        embed_dim_to_check: E.
        num_heads: how many heads share E.
        in_proj_weight, in_proj_bias: of the three projections, one below the other.
        bias_k, bias_v: a key and a value that all see, of shape `(1, 1, E)`.
        add_zero_attn: add a key and a value of zeros.
        dropout_p: how likely a share is set to 0 in training.
        out_proj_weight, out_proj_bias: of the last projection.
        training: whether shares are dropped.
        key_padding_mask: which keys do not count, or what is added to their scores: `(N, S)`.
        need_weights: whether the shares are returned, too.
        attn_mask: which scores do not count, or what is added to them: `(L, S)` or
            `(N·num_heads, L, S)`.
        use_separate_proj_weight: whether `in_proj_weight` is None.
        q_proj_weight, k_proj_weight, v_proj_weight: instead of `in_proj_weight`.
        static_k, static_v: heads of keys and values, instead of projections.
        average_attn_weights: return the mean of all heads' shares.
        is_causal: says that `attn_mask` is causal.

    Returns:
        The result, in the shape of `query`; the shares, of shape `(N, L, S)`, or None.

    Raises:
        ExpectationError: if the sizes do not fit.
        RangeError: for `is_causal` without a mask.

    See also: Vaswani et al., *Attention Is All You Need* (2017).
    """
    is_batched, is_own = query.ndim == 3, query is key and key is value
    if not is_batched:
        query, key, value = [x.unsqueeze(1) for x in (query, key, value)]
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    places, examples, size = query.shape
    if size != embed_dim_to_check or size % num_heads:
        raise ExpectationError(
            f"was expecting embedding dimension of {embed_dim_to_check}, but got {size}: embed_dim "
            f"must be divisible by num_heads, {num_heads}. Heads share it evenly. Give an input "
            "of that size."
        )
    if is_causal and attn_mask is None:
        raise RangeError(
            "Need attn_mask if specifying the is_causal hint. It says what the mask is. Write "
            "`nn.Transformer.generate_square_subsequent_mask(n)`."
        )

    def heads(x: Tensor) -> Tensor:
        return x.reshape(x.shape[0], examples, num_heads, -1).permute(1, 2, 0, 3)

    if is_own and in_proj_weight is not None:
        rows = linear(query, in_proj_weight, in_proj_bias)
        parted = rows.reshape(places, examples, 3, num_heads, size // num_heads)
        q, k, v = parted.permute(2, 1, 3, 0, 4).unbind()
    else:
        separate: Any = (q_proj_weight, k_proj_weight, v_proj_weight)
        weights = separate if in_proj_weight is None else in_proj_weight.chunk(3)
        biases: Any = (None,) * 3 if in_proj_bias is None else in_proj_bias.chunk(3)
        given = zip((query, key, value), weights, biases, strict=True)
        q, k, v = [heads(linear(x, weight, bias)) for x, weight, bias in given]
    mask = _as_scores(attn_mask, query)
    padding = _as_scores(key_padding_mask, query)
    if bias_k is not None and bias_v is not None:
        k = cat([k, heads(bias_k.expand(1, examples, size))], 2)
        v = cat([v, heads(bias_v.expand(1, examples, size))], 2)
        mask, padding = _one_more(mask), _one_more(padding)
    if static_k is not None:
        k = static_k.reshape(examples, num_heads, *static_k.shape[1:])
    if static_v is not None:
        v = static_v.reshape(examples, num_heads, *static_v.shape[1:])
    if add_zero_attn:
        k, v = [cat([x, x[..., :1, :].detach() * 0], 2) for x in (k, v)]
        mask, padding = _one_more(mask), _one_more(padding)
    if mask is not None and mask.ndim == 3:
        mask = mask.reshape(examples, num_heads, places, -1)
    if padding is not None:
        padding = padding.reshape(examples, 1, 1, -1)
        mask = padding if mask is None else mask + padding
    p = dropout_p if training else 0.0
    shares = None
    if need_weights:
        scores = q * (1 / math.sqrt(q.shape[-1])) @ k.mT
        shares = dropout(softmax(scores if mask is None else scores + mask, -1), p)
        y = shares @ v
        shares = shares.mean(1) if average_attn_weights else shares
    else:
        y = scaled_dot_product_attention(q, k, v, mask, p)
    y = linear(
        y.permute(2, 0, 1, 3).reshape(places, examples, size), out_proj_weight, out_proj_bias
    )
    if is_batched:
        return y, shares
    return y.squeeze(1), None if shares is None else shares.squeeze(0)


def _as_scores(mask: Tensor | None, like: Tensor) -> Tensor | None:
    """A mask whose bools say what does not count, as what is added to scores."""
    if mask is None or mask.dtype.kind != "b":
        return mask
    return zeros(mask.shape, dtype=like.dtype, device=like.device).masked_fill(mask, -math.inf)


def _one_more(mask: Tensor | None) -> Tensor | None:
    """A mask for one more key, which counts."""
    return None if mask is None else cat([mask, mask[..., :1].detach() * 0], -1)
