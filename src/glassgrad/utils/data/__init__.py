"""Samples in, batches out: PyTorch's `torch.utils.data`, in one process.

    Dataset ──index──▶ sample ──┐
       ▲                        ├──collate──▶ batch
    Sampler ──▶ BatchSampler ───┘

A `Sampler` says in which order, a `BatchSampler` cuts that order into batches, `default_collate`
stacks the samples of one, and `DataLoader` ties them together.
"""

from .dataloader import DataLoader, default_collate
from .dataset import (
    ConcatDataset,
    Dataset,
    IterableDataset,
    Subset,
    TensorDataset,
    random_split,
)
from .sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
)

__all__ = [
    "BatchSampler",
    "ConcatDataset",
    "DataLoader",
    "Dataset",
    "IterableDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "default_collate",
    "random_split",
]
