"""Tables of rows that are looked up by index."""

from typing import Any, Self

from glassgrad.autograd.grad_mode import no_grad
from glassgrad.core.errors import ExpectationError
from glassgrad.core.tensor import Tensor
from glassgrad.nn import functional
from glassgrad.nn.init import normal_
from glassgrad.nn.module import Module
from glassgrad.nn.parameter import Parameter
from glassgrad.ops.creation import empty


class Embedding(Module):
    """A row of numbers for each token.

    Args:
        num_embeddings: V, how many rows.
        embedding_dim: D, how long they are.
        padding_idx: a row of zeros that is not learned.
        max_norm, norm_type, scale_grad_by_freq, sparse: as for `nn.functional.embedding`.
        device, dtype: of the table.

    Attributes:
        weight: the table, shape `(V, D)`, drawn from a normal distribution.

    Raises:
        ExpectationError: if there is no row `padding_idx`.

    Example:
        >>> Embedding(10, 3)(tensor([[1, 2]])).shape
        glassgrad.Size([1, 2, 3])
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise ExpectationError(
                    f"Padding_idx must be within num_embeddings, got {padding_idx} of "
                    f"{num_embeddings}. It names a row. Write None for none."
                )
            padding_idx %= num_embeddings
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = padding_idx
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.sparse = sparse
        if _weight is not None and tuple(_weight.shape) != (num_embeddings, embedding_dim):
            raise ExpectationError(
                "Shape of weight does not match num_embeddings and embedding_dim: "
                f"{tuple(_weight.shape)}, for {num_embeddings} rows of {embedding_dim}."
            )
        made = empty(num_embeddings, embedding_dim, device=device, dtype=dtype)
        self.weight = Parameter(made if _weight is None else _weight, requires_grad=not _freeze)
        if _weight is None:
            self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw all rows anew, but that of padding."""
        normal_(self.weight)
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx].fill_(0)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Self:
        """An Embedding with a given table.

        Args:
            embeddings: the table, shape `(V, D)`.
            freeze: whether it is not learned any further.
            padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse: as for the class.

        Raises:
            ExpectationError: if the table is not 2-D.
        """
        if embeddings.ndim != 2:
            raise ExpectationError(
                "Embeddings parameter is expected to be 2-dimensional, got the shape "
                f"{tuple(embeddings.shape)}. It is a table. Write `x.reshape(-1, size)`."
            )
        count, size = embeddings.shape
        return cls(
            count,
            size,
            padding_idx=padding_idx,
            max_norm=max_norm,
            norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq,
            sparse=sparse,
            _weight=embeddings,
            _freeze=freeze,
        )

    def forward(self, input: Tensor) -> Tensor:
        return functional.embedding(
            input,
            self.weight,
            self.padding_idx,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.sparse,
        )

    def extra_repr(self) -> str:
        usual = {
            "padding_idx": None,
            "max_norm": None,
            "norm_type": 2,
            "scale_grad_by_freq": False,
            "sparse": False,
        }
        others = [
            f"{name}={getattr(self, name)}"
            for name, value in usual.items()
            if getattr(self, name) != value
        ]
        return ", ".join([str(self.num_embeddings), str(self.embedding_dim), *others])


class EmbeddingBag(Module):
    """A row of numbers for each bag of tokens: the sum, mean or maximum of their rows.

    Args:
        num_embeddings: V, how many rows.
        embedding_dim: D, how long they are.
        max_norm, norm_type, scale_grad_by_freq, mode, sparse, include_last_offset: as for
            `nn.functional.embedding_bag`.
        padding_idx: a row of zeros that no bag counts, and is not learned.
        device, dtype: of the table.

    Attributes:
        weight: the table, shape `(V, D)`, drawn from a normal distribution.

    Raises:
        ExpectationError: if there is no row `padding_idx`.

    Example:
        >>> EmbeddingBag(10, 3)(tensor([1, 2, 4]), tensor([0, 2])).shape
        glassgrad.Size([2, 3])
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        table = Embedding(
            num_embeddings, embedding_dim, padding_idx, _weight=_weight, device=device, dtype=dtype
        )
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.padding_idx = table.padding_idx
        self.weight = table.weight
        self.mode = mode
        self.sparse = sparse
        self.include_last_offset = include_last_offset

    reset_parameters = Embedding.reset_parameters

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> Self:
        """An EmbeddingBag with a given table; see `Embedding.from_pretrained`."""
        if embeddings.ndim != 2:
            raise ExpectationError(
                "Embeddings parameter is expected to be 2-dimensional, got the shape "
                f"{tuple(embeddings.shape)}. It is a table. Write `x.reshape(-1, size)`."
            )
        count, size = embeddings.shape
        bag = cls(
            count,
            size,
            max_norm=max_norm,
            norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq,
            mode=mode,
            sparse=sparse,
            _weight=embeddings,
            include_last_offset=include_last_offset,
            padding_idx=padding_idx,
        )
        bag.weight.requires_grad = not freeze
        return bag

    def forward(
        self,
        input: Tensor,
        offsets: Tensor | None = None,
        per_sample_weights: Tensor | None = None,
    ) -> Tensor:
        return functional.embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )

    def extra_repr(self) -> str:
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        if self.max_norm is not None:
            text += f", max_norm={self.max_norm}"
        if self.norm_type != 2:
            text += f", norm_type={self.norm_type}"
        if self.scale_grad_by_freq:
            text += f", scale_grad_by_freq={self.scale_grad_by_freq}"
        text += f", mode={self.mode!r}"
        if self.padding_idx is not None:
            text += f", padding_idx={self.padding_idx}"
        return text
