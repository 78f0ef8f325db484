"""Samples in, batches out: PyTorch's `torch.utils.data`.

    Dataset ──index──▶ sample ──┐
       ▲                        ├──collate──▶ batch
    Sampler ──▶ BatchSampler ───┘

A `Sampler` says in which order, a `BatchSampler` cuts that order into batches, `default_collate`
stacks the samples of one, and `DataLoader` ties them together, with worker processes if wanted.
"""

from glassgrad.missing import classes_of as _classes_of
from glassgrad.missing import missing_from as _missing_from

from . import sampler as distributed
from .collate import default_collate, default_convert
from .dataloader import DataLoader
from .dataset import Dataset, random_split
from .sampler import Sampler
from .worker import get_worker_info

_classes = _classes_of(__name__, "dataset sampler dataloader", Dataset, Sampler, DataLoader)
globals().update(_classes)

__all__ = [
    "default_collate",
    "default_convert",
    "distributed",
    "get_worker_info",
    "random_split",
    *_classes,
]

__getattr__ = _missing_from(__name__)
