"""Sequences of different lengths in one batch: padded to the longest, or packed without padding.

    padded  a b c      packed  a d b e c        the first steps of all, the second ones, …
            d e ·      batch_sizes 2 2 1        how many sequences still have that step

Packed sequences are sorted by their lengths, the longest first; `sorted_indices` says where each
was, and `unsorted_indices` leads back.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from glassgrad import ops
from glassgrad.core.errors import ArgumentError, RangeError, ShapeError
from glassgrad.core.tensor import Tensor
from glassgrad.ops import _checks as check
from glassgrad.values.dtypes import int64

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpack_sequence",
    "unpad_sequence",
]


class _Packed(NamedTuple):
    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None
    unsorted_indices: Tensor | None


_DTYPES = ("byte", "char", "double", "float", "half", "int", "long", "short")


class PackedSequence(_Packed):
    """Sequences without padding; made by `pack_padded_sequence` and `pack_sequence`.

    Attributes:
        data: the steps of all sequences, `(ΣT, …)`.
        batch_sizes: how many sequences have each step, `(T,)`.
        sorted_indices, unsorted_indices: the order by length, and its inverse; None: as they are.
    """

    __slots__ = ()

    def __new__(
        cls,
        data: Tensor,
        batch_sizes: Tensor | None = None,
        sorted_indices: Tensor | None = None,
        unsorted_indices: Tensor | None = None,
    ) -> Self:
        if batch_sizes is None:
            raise ArgumentError(
                "PackedSequence needs batch_sizes: how many sequences have each step. "
                "Write `pack_sequence(sequences)`."
            )
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> "PackedSequence":
        """The same with its data in another dtype, or on another device."""
        return self._replace(data=self.data.to(*args, **kwargs))

    def __getattr__(self, name: str) -> Any:
        """`double()`, `long()` and their like: the same, with the data in another dtype."""
        if name not in _DTYPES:
            raise AttributeError(f"'PackedSequence' object has no attribute {name!r}")
        return lambda: self._replace(data=getattr(self.data, name)())

    def pin_memory(self) -> "PackedSequence":
        """The same: there is no other memory here."""
        return self

    def is_pinned(self) -> bool:
        """False: there is no such memory here."""
        return False

    @property
    def is_cuda(self) -> bool:
        """Whether the data is on a GPU."""
        return bool(self.data.is_cuda)

    def cpu(self) -> "PackedSequence":
        """`to("cpu")`."""
        return self.to("cpu")

    def cuda(self) -> "PackedSequence":
        """`to("cuda")`."""
        return self.to("cuda")

    def lengths(self) -> Tensor:
        """The length of each sequence, in the order in which they are packed."""
        sizes = self.batch_sizes.numpy()
        return ops.as_tensor((sizes[:, None] > np.arange(sizes[0])).sum(0))

    def places(self) -> tuple[Tensor, Tensor]:
        """Of each row of the data: which step it is, and of which sequence."""
        sizes = self.batch_sizes.numpy()
        steps, rows = np.nonzero(sizes[:, None] > np.arange(sizes[0]))
        return ops.as_tensor(steps), ops.as_tensor(rows)

    def padded(self, padding_value: Any = 0.0, total_length: int | None = None) -> Tensor:
        """All steps in their places, `(T, N, …)`, in the order in which they are packed."""
        steps = total_length or self.batch_sizes.shape[0]
        shape = (steps, int(self.batch_sizes[0].item()), *self.data.shape[1:])
        blank = ops.full(shape, padding_value, dtype=self.data.dtype, device=self.data.device)
        return blank.index_put(self.places(), self.data)


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """The order that undoes an order."""
    return None if permutation is None else ops.as_tensor(np.argsort(permutation.numpy()))


def pack_padded_sequence(
    input: Tensor,
    lengths: Tensor | Sequence[int],
    batch_first: bool = False,
    enforce_sorted: bool = True,
) -> PackedSequence:
    """Take the padding out of a batch of sequences.

    Args:
        input: of shape `(T, N, …)`, or `(N, T, …)` with `batch_first`.
        lengths: how many steps each sequence has.
        batch_first: whether the batch comes first.
        enforce_sorted: refuse sequences that are not sorted by length, the longest first; else
            they are sorted here.

    Raises:
        RangeError: for lengths that are not sorted, or not above 0.

    Example:
        >>> pack_padded_sequence(tensor([[1, 4], [2, 5], [3, 0]]), [3, 2]).data
        tensor([1, 4, 2, 5, 3])
    """
    given = np.asarray(lengths.tolist() if isinstance(lengths, Tensor) else list(lengths))
    x = input.transpose(0, 1) if batch_first else input
    if given.shape != (x.shape[1],):
        raise ShapeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(given)} "
            f"(batch_size={x.shape[1]}). Each sequence has its length. Check `batch_first`."
        )
    if (given <= 0).any():
        raise RangeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' "
            "that is <= 0. Take the empty sequences out of the batch."
        )
    order = None
    if not enforce_sorted:
        order = np.argsort(-given, kind="stable")
        given = given[order]
        x = x.index_select(1, ops.as_tensor(order))
    elif (np.diff(given) > 0).any():
        raise RangeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. "
            "You can pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to "
            "sidestep this requirement."
        )
    sizes = (given > np.arange(given[0])[:, None]).sum(1)
    blank = PackedSequence(x, ops.as_tensor(sizes), None if order is None else ops.as_tensor(order))
    return blank._replace(data=x[blank.places()])


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Tensor, Tensor]:
    """Put the padding back.

    Args:
        sequence: what is packed.
        batch_first: whether the batch is to come first.
        padding_value: what stands behind the end of a sequence.
        total_length: how many steps to pad to; None: as many as the longest has.

    Returns:
        The sequences, `(T, N, …)`, and their lengths.

    Raises:
        ArgumentError: if the longest is longer than `total_length`.

    Example:
        >>> packed = pack_sequence([tensor([1, 2, 3]), tensor([4, 5])])
        >>> pad_packed_sequence(packed, batch_first=True)
        (tensor([[1, 2, 3],
                [4, 5, 0]]), tensor([3, 2]))
    """
    longest = sequence.batch_sizes.shape[0]
    if total_length is not None and total_length < longest:
        raise ArgumentError(
            "Expected total_length to be at least the length of the longest sequence in input, "
            f"but got total_length={total_length} and max sequence length being {longest}. "
            "Nothing is cut off. Write a larger one."
        )
    padded, lengths = sequence.padded(padding_value, total_length), sequence.lengths()
    if sequence.unsorted_indices is not None:
        padded = padded.index_select(1, sequence.unsorted_indices)
        lengths = lengths[sequence.unsorted_indices]
    return padded.transpose(0, 1) if batch_first else padded, lengths


def pad_sequence(
    sequences: Sequence[Tensor],
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Stack sequences of different lengths.

    Args:
        sequences: each of shape `(Tᵢ, …)`.
        batch_first: whether the batch is to come first.
        padding_value: what fills the shorter ones up.
        padding_side: "right" for behind the end, "left" for before the beginning.

    Returns:
        Tensor of shape `(T, N, …)`.

    Raises:
        RangeError: for another side, or what holds no tensors.
        ShapeError: for no sequence at all.

    Example:
        >>> pad_sequence([tensor([1, 2]), tensor([3])], batch_first=True)
        tensor([[1, 2],
                [3, 0]])
    """
    wanted, why = "Expected padding_side to be one of left or right", "A sequence has two ends."
    check.choice(wanted, padding_side, ("left", "right"), why, RangeError)
    said, why = "pad_sequence: Expected iterable for input sequences", "Pass a list of tensors."
    check.kind(said, sequences, Iterable, why, RangeError)
    sequences = list(sequences)
    why = "There is nothing to stack. Pass one tensor at least."
    check.least("received an empty list of sequences", len(sequences), 1, why)
    longest = max([x.shape[0] for x in sequences])

    def padded(x: Tensor) -> Tensor:
        blank = ops.full((longest, *x.shape[1:]), padding_value, dtype=x.dtype, device=x.device)
        first = 0 if padding_side == "right" else longest - x.shape[0]
        return blank.index_put((ops.tensor(range(first, first + x.shape[0]), dtype=int64),), x)

    return ops.stack([padded(x) for x in sequences], 0 if batch_first else 1)


def unpad_sequence(
    padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False
) -> list[Tensor]:
    """The sequences of a padded batch, each as long as it is.

    Example:
        >>> unpad_sequence(tensor([[1, 2], [3, 0]]), tensor([2, 1]), batch_first=True)
        [tensor([1, 2]), tensor([3])]
    """
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [row[: int(n)] for row, n in zip(rows.unbind(0), lengths.tolist(), strict=True)]


def pack_sequence(sequences: Sequence[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Pack sequences of different lengths; see `pack_padded_sequence`.

    Example:
        >>> pack_sequence([tensor([1, 2]), tensor([3])]).batch_sizes
        tensor([2, 1])
    """
    lengths = [x.shape[0] for x in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """The sequences that were packed.

    Example:
        >>> unpack_sequence(pack_sequence([tensor([1, 2]), tensor([3])]))
        [tensor([1, 2]), tensor([3])]
    """
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
