"""Tables of rows that are looked up by index."""

from typing import Any, Self

from glassgrad import ops
from glassgrad.core.errors import ExpectationError
from glassgrad.core.state import setting
from glassgrad.core.tensor import Tensor
from glassgrad.nn import functional
from glassgrad.nn._making import unusual
from glassgrad.nn.init import normal_
from glassgrad.nn.module import Module
from glassgrad.nn.parameter import Parameter


class _Table(Module):
    """A table of rows, one of which may be padding."""

    weight: Parameter
    padding_idx: int | None

    def _make_table(
        self, count: int, size: int, padding_idx: int | None, given: Tensor | None, **form: Any
    ) -> None:
        """Draw the table, unless it is given."""
        if padding_idx is not None:
            if not -count <= padding_idx < count:
                raise ExpectationError(
                    f"Padding_idx must be within num_embeddings, got {padding_idx} of "
                    f"{count}. It names a row. Write None for none."
                )
            padding_idx %= count
        self.num_embeddings = count
        self.embedding_dim = size
        self.padding_idx = padding_idx
        if given is not None and tuple(given.shape) != (count, size):
            raise ExpectationError(
                "Shape of weight does not match num_embeddings and embedding_dim: "
                f"{tuple(given.shape)}, for {count} rows of {size}."
            )
        self.weight = Parameter(ops.empty(count, size, **form) if given is None else given)
        if given is None:
            self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw all rows anew, but that of padding."""
        normal_(self.weight)
        if self.padding_idx is not None:
            with setting(grad=False):
                self.weight[self.padding_idx].fill_(0)

    @classmethod
    def _of_table(cls, embeddings: Tensor, freeze: bool, *settings: Any, **others: Any) -> Self:
        if embeddings.ndim != 2:
            raise ExpectationError(
                "Embeddings parameter is expected to be 2-dimensional, got the shape "
                f"{tuple(embeddings.shape)}. It is a table. Write `x.reshape(-1, size)`."
            )
        made = cls(*embeddings.shape, *settings, **others, _weight=embeddings)
        made.weight.requires_grad = not freeze
        return made


class Embedding(_Table):
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
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.sparse = sparse
        self._make_table(
            num_embeddings, embedding_dim, padding_idx, _weight, device=device, dtype=dtype
        )
        self.weight.requires_grad = not _freeze

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
        settings = (padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)
        return cls._of_table(embeddings, freeze, *settings)

    def forward(self, input: Tensor) -> Tensor:
        norms = (self.max_norm, self.norm_type, self.scale_grad_by_freq)
        return functional.embedding(input, self.weight, self.padding_idx, *norms, self.sparse)

    def extra_repr(self) -> str:
        parts = [str(self.num_embeddings), str(self.embedding_dim)]
        parts += unusual(self, padding_idx=None, max_norm=None, norm_type=2)
        return ", ".join([*parts, *unusual(self, scale_grad_by_freq=False, sparse=False)])


class EmbeddingBag(_Table):
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
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.mode = mode
        self.sparse = sparse
        self.include_last_offset = include_last_offset
        self._make_table(
            num_embeddings, embedding_dim, padding_idx, _weight, device=device, dtype=dtype
        )

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
        settings = (max_norm, norm_type, scale_grad_by_freq, mode, sparse)
        others = {"include_last_offset": include_last_offset, "padding_idx": padding_idx}
        return cls._of_table(embeddings, freeze, *settings, **others)

    def forward(
        self,
        input: Tensor,
        offsets: Tensor | None = None,
        per_sample_weights: Tensor | None = None,
    ) -> Tensor:
        norms = (self.max_norm, self.norm_type, self.scale_grad_by_freq)
        others = (per_sample_weights, self.include_last_offset, self.padding_idx)
        return functional.embedding_bag(
            input, self.weight, offsets, *norms, self.mode, self.sparse, *others
        )

    def extra_repr(self) -> str:
        parts = [str(self.num_embeddings), str(self.embedding_dim)]
        parts += unusual(self, max_norm=None, norm_type=2, scale_grad_by_freq=False)
        return ", ".join([*parts, f"mode={self.mode!r}", *unusual(self, padding_idx=None)])
