"""Optimisers: what turns gradients into steps, with PyTorch's names, arguments and numbers."""

from glassgrad.missing import missing_from as _missing_from

from . import lr_scheduler, swa_utils
from .adagrad import Adadelta, Adafactor, Adagrad, RMSprop
from .adam import Adam, Adamax, AdamW, NAdam, RAdam, SparseAdam
from .lbfgs import LBFGS
from .optimizer import Optimizer
from .rprop import Rprop
from .sgd import ASGD, SGD, Muon

__all__ = [
    "ASGD",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Muon",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "SparseAdam",
    "lr_scheduler",
    "swa_utils",
]

__getattr__ = _missing_from(__name__)
