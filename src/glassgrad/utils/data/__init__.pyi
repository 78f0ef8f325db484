# Written by `make stubs` (docs/stubs.py) from what the files of `utils.data` define. Do not edit.
"""Samples in, batches out: PyTorch's `torch.utils.data`.

    Dataset ──index──▶ sample ──┐
       ▲                        ├──collate──▶ batch
    Sampler ──▶ BatchSampler ───┘

A `Sampler` says in which order, a `BatchSampler` cuts that order into batches, `default_collate`
stacks the samples of one, and `DataLoader` ties them together, with worker processes if wanted.
"""

from glassgrad.utils.data import sampler as distributed
from glassgrad.utils.data.collate import default_collate as default_collate
from glassgrad.utils.data.collate import default_convert as default_convert
from glassgrad.utils.data.dataloader import DataLoader as DataLoader
from glassgrad.utils.data.dataset import ChainDataset as ChainDataset
from glassgrad.utils.data.dataset import ConcatDataset as ConcatDataset
from glassgrad.utils.data.dataset import Dataset as Dataset
from glassgrad.utils.data.dataset import IterableDataset as IterableDataset
from glassgrad.utils.data.dataset import StackDataset as StackDataset
from glassgrad.utils.data.dataset import Subset as Subset
from glassgrad.utils.data.dataset import TensorDataset as TensorDataset
from glassgrad.utils.data.dataset import random_split as random_split
from glassgrad.utils.data.sampler import BatchSampler as BatchSampler
from glassgrad.utils.data.sampler import DistributedSampler as DistributedSampler
from glassgrad.utils.data.sampler import RandomSampler as RandomSampler
from glassgrad.utils.data.sampler import Sampler as Sampler
from glassgrad.utils.data.sampler import SequentialSampler as SequentialSampler
from glassgrad.utils.data.sampler import SubsetRandomSampler as SubsetRandomSampler
from glassgrad.utils.data.sampler import WeightedRandomSampler as WeightedRandomSampler
from glassgrad.utils.data.worker import get_worker_info as get_worker_info


__all__ = [
    "default_collate",
    "default_convert",
    "distributed",
    "get_worker_info",
    "random_split",
    "Dataset",
    "IterableDataset",
    "TensorDataset",
    "Subset",
    "ConcatDataset",
    "ChainDataset",
    "StackDataset",
    "Sampler",
    "SequentialSampler",
    "RandomSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
    "BatchSampler",
    "DistributedSampler",
    "DataLoader",
]
