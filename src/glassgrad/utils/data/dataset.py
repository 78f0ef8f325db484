"""Data sets: anything with a length that answers an index with a sample."""

import bisect
import itertools
import math
import operator
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from glassgrad.core import errors
from glassgrad.core.tensor import Tensor
from glassgrad.ops import _checks as check
from glassgrad.ops.generator import Generator
from glassgrad.ops.random import randperm

__all__ = [
    "ChainDataset",
    "ConcatDataset",
    "Dataset",
    "IterableDataset",
    "StackDataset",
    "Subset",
    "TensorDataset",
    "random_split",
]

SampleT_co = TypeVar("SampleT_co", covariant=True)
T_co: Any = SampleT_co  # PyTorch's name, which data sets of programs are generic in


class Dataset(Generic[SampleT_co]):
    """What a `DataLoader` reads by index. Subclasses define `__getitem__` and `__len__`.

    Example:
        >>> class Squares(Dataset):
        ...     def __len__(self):
        ...         return 3
        ...
        ...     def __getitem__(self, index):
        ...         return index, index**2
        >>> Squares()[2]
        (2, 4)
    """

    def __getitem__(self, index: Any) -> SampleT_co:
        raise errors.MissingRuleError(
            "Subclasses of Dataset should implement __getitem__. "
            f"{type(self).__name__} does not, so there is no way to a sample. "
            "Write `def __getitem__(self, index): …`."
        )

    def __add__(self, other: "Dataset[Any]") -> "ConcatDataset[Any]":
        return ConcatDataset([self, other])


class IterableDataset(Dataset[SampleT_co]):
    """A data set that can only be read from front to back. Subclasses define `__iter__`."""

    def __iter__(self) -> Iterator[SampleT_co]:
        raise errors.MissingRuleError(
            "Subclasses of IterableDataset should implement __iter__. "
            f"{type(self).__name__} does not, so there is no way to a sample. "
            "Write `def __iter__(self): …`."
        )

    def __add__(self, other: Dataset[Any]) -> Any:
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """Rows of several tensors, side by side: sample i is `(a[i], b[i], …)`.

    Args:
        *tensors: of shapes `(N, …)`, the same `N` for all.

    Raises:
        ShapeError: if there is no tensor, one has no dims, or the lengths differ.
        ArgumentTypeError: for anything but tensors.

    Example:
        >>> rows = TensorDataset(tensor([1.0, 2.0]), tensor([0, 1]))
        >>> rows[1]
        (tensor(2.), tensor(1))
    """

    def __init__(self, *tensors: Tensor) -> None:
        for position, value in enumerate(tensors, 1):
            wanted = f"TensorDataset takes Tensors: argument {position} must be one"
            why = "Sample i is row i of each. Write `glassgrad.tensor(values)`."
            check.kind(wanted, value, Tensor, why)
        shapes = [tuple(t.shape) for t in tensors]
        if not shapes or any(len(shape) == 0 or shape[0] != shapes[0][0] for shape in shapes):
            raise errors.ExpectationError(
                f"Size mismatch between tensors: the shapes are {shapes}. "
                "Sample i takes row i of each, so all need the same first size. "
                "Cut them to one length first, for example `a[:n], b[:n]`."
            )
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(map(operator.itemgetter(index), self.tensors))

    def __len__(self) -> int:
        return int(self.tensors[0].shape[0])


class Subset(Dataset[SampleT_co]):
    """Some samples of another data set, in the order of `indices`.

    Args:
        dataset: where the samples come from.
        indices: which of them.

    Example:
        >>> Subset(["a", "b", "c"], [2, 0])[0]
        'c'
    """

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, index: Any) -> SampleT_co:
        several = isinstance(index, list)
        chosen = [self.indices[i] for i in index] if several else self.indices[index]
        sample: SampleT_co = self.dataset[chosen]
        return sample

    def __getitems__(self, indices: list[int]) -> list[SampleT_co]:
        """Several samples; all at once if the other data set can do that."""
        chosen = [self.indices[i] for i in indices]
        if callable(getattr(self.dataset, "__getitems__", None)):
            samples: list[SampleT_co] = self.dataset.__getitems__(chosen)
            return samples
        return [self.dataset[i] for i in chosen]

    def __len__(self) -> int:
        return len(self.indices)


class ConcatDataset(Dataset[SampleT_co]):
    """One data set after the other; `a + b` makes one.

    Args:
        datasets: at least one, each with a length.

    Raises:
        ArgumentError: if there is none.

    Example:
        >>> ConcatDataset(["ab", "cd"])[2]
        'c'
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise errors.ExpectationError(
                "datasets should not be an empty iterable: got no data set. "
                "There would be nothing to index. Pass at least one."
            )
        self.cumulative_sizes = list(itertools.accumulate(len(d) for d in self.datasets))

    def __getitem__(self, index: Any) -> SampleT_co:
        position = index + len(self) if index < 0 else index
        if position < 0:
            raise errors.ArgumentError(
                f"absolute value of index should not exceed dataset length: {index} is before the "
                f"first of {len(self)} samples. Write {-len(self)} or more."
            )
        if position >= len(self):
            raise errors.DimError(
                f"index {index} is out of bounds for {len(self)} samples. "
                "There is no sample there. Write an index below that."
            )
        which = bisect.bisect_right(self.cumulative_sizes, position)
        before = self.cumulative_sizes[which - 1] if which else 0
        sample: SampleT_co = self.datasets[which][position - before]
        return sample

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]


class ChainDataset(IterableDataset[SampleT_co]):
    """One stream after the other; `a + b` of two `IterableDataset`s makes one.

    Args:
        datasets: at least one.

    Raises:
        ExpectationError: in the loop, for one that has an index.
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = datasets

    def __iter__(self) -> Iterator[SampleT_co]:
        for dataset in self._streams():
            yield from dataset

    def __len__(self) -> int:
        return sum(len(dataset) for dataset in self._streams())

    def _streams(self) -> Iterator[Any]:
        for dataset in self.datasets:
            why = "It goes through streams. Write `ConcatDataset` for data sets with an index."
            said = "ChainDataset only supports IterableDataset"
            check.kind(said, dataset, IterableDataset, why, errors.ExpectationError)
            yield dataset


class StackDataset(Dataset[Any]):
    """Samples of several data sets, side by side: a tuple, or a dict by the names given.

    Args:
        *args: data sets of the same length; or:
        **kwargs: data sets of the same length, by name.

    Raises:
        ArgumentError: for none, both, or different lengths.

    Example:
        >>> StackDataset("abc", [1, 2, 3])[1]
        ('b', 2)
        >>> StackDataset(image="abc", label=[1, 2, 3])[0]
        {'image': 'a', 'label': 1}
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if bool(args) == bool(kwargs):
            said = "Supported either ``tuple``- (via ``args``) or ``dict``- (via ``kwargs``)"
            if not args:
                said = "At least one dataset should be passed"
            raise errors.ArgumentError(
                f"{said}: a sample is a tuple or a dict. Pass data sets, all with names or none."
            )
        self.datasets: Any = args or kwargs
        lengths = [len(dataset) for dataset in (args or kwargs.values())]
        if len(set(lengths)) > 1:
            raise errors.ArgumentError(
                f"Size mismatch between datasets: they have {lengths} samples. "
                "Sample i takes that of each. Cut them to one length with `Subset`."
            )
        self._length = lengths[0]

    def __getitem__(self, index: Any) -> Any:
        if isinstance(self.datasets, dict):
            return {name: dataset[index] for name, dataset in self.datasets.items()}
        return tuple(dataset[index] for dataset in self.datasets)

    def __len__(self) -> int:
        return self._length


def random_split(
    dataset: Any, lengths: Sequence[int | float], generator: Generator | None = None
) -> list[Subset[Any]]:
    """Deal the samples out at random into parts without overlap.

    Args:
        dataset: with a length `N`.
        lengths: sizes that add up to `N`, or fractions that add up to 1; what rounding leaves
            goes one sample each to the first parts.
        generator: where the randomness comes from; None: the one of `manual_seed`.

    Returns:
        One `Subset` for each length.

    Raises:
        ArgumentError: if the lengths do not add up.

    Example:
        >>> train, test = random_split(range(10), [0.8, 0.2])
        >>> len(train), len(test)
        (8, 2)
    """
    total = len(dataset)
    sizes = list(lengths)
    are_fractions = all(0 <= length <= 1 for length in lengths) and math.isclose(sum(lengths), 1)
    if are_fractions and any(isinstance(length, float) for length in lengths):
        sizes = [math.floor(total * fraction) for fraction in lengths]
        for k in range(int(total - sum(sizes))):
            sizes[k % len(sizes)] += 1
    if sum(sizes) != total or any(size < 0 for size in sizes):
        raise errors.ArgumentError(
            "Sum of input lengths does not equal the length of the input dataset! "
            f"{list(lengths)} does not deal out {total} samples. "
            "Pass sizes that add up to that, or fractions that add up to 1."
        )
    order = randperm(total, generator=generator).tolist()
    ends = list(itertools.accumulate(int(size) for size in sizes))
    starts = [0, *ends[:-1]]
    return [Subset(dataset, order[a:b]) for a, b in zip(starts, ends, strict=True)]
