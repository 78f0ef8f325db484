"""Samples in, batches out: PyTorch's `torch.utils.data`.

    Dataset ──index──▶ sample ──┐
       ▲                        ├──collate──▶ batch
    Sampler ──▶ BatchSampler ───┘

A `Sampler` says in which order, a `BatchSampler` cuts that order into batches, `default_collate`
stacks the samples of one, and `DataLoader` ties them together, with worker processes if wanted.
"""

from glassgrad.missing import missing_from as _missing_from

from . import dataloader, dataset, sampler
from . import sampler as distributed
from .dataloader import *
from .dataset import *
from .sampler import *

__all__ = ["distributed", *dataloader.__all__, *dataset.__all__, *sampler.__all__]

__getattr__ = _missing_from(__name__)
