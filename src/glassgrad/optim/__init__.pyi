# Written by `make stubs` (docs/stubs.py) from what the files of `optim` define. Do not edit.
"""Optimisers: what turns gradients into steps, with PyTorch's names, arguments and numbers.

What is here are the optimisers that these files define; `make stubs` writes them down in
`__init__.pyi` for editors and mypy.
"""

from glassgrad.optim import lr_scheduler as lr_scheduler
from glassgrad.optim import swa_utils as swa_utils
from glassgrad.optim.adagrad import Adadelta as Adadelta
from glassgrad.optim.adagrad import Adagrad as Adagrad
from glassgrad.optim.adagrad import RMSprop as RMSprop
from glassgrad.optim.adam import Adam as Adam
from glassgrad.optim.adam import AdamW as AdamW
from glassgrad.optim.adam import Adamax as Adamax
from glassgrad.optim.adam import NAdam as NAdam
from glassgrad.optim.adam import RAdam as RAdam
from glassgrad.optim.lbfgs import LBFGS as LBFGS
from glassgrad.optim.optimizer import Optimizer as Optimizer
from glassgrad.optim.rprop import Rprop as Rprop
from glassgrad.optim.sgd import ASGD as ASGD
from glassgrad.optim.sgd import SGD as SGD


__all__ = [
    "lr_scheduler",
    "swa_utils",
    "Optimizer",
    "SGD",
    "ASGD",
    "Adagrad",
    "RMSprop",
    "Adadelta",
    "Adam",
    "AdamW",
    "Adamax",
    "NAdam",
    "RAdam",
    "Rprop",
    "LBFGS",
]
