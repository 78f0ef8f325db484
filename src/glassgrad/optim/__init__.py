"""Optimisers: what turns gradients into steps, with PyTorch's names, arguments and numbers.

What is here are the optimisers that these files define; `make stubs` writes them down in
`__init__.pyi` for editors and mypy.
"""

from glassgrad.missing import classes_of as _classes_of
from glassgrad.missing import missing_from as _missing_from

from . import lr_scheduler, swa_utils
from .optimizer import Optimizer

_classes = _classes_of(__name__, "optimizer sgd adagrad adam rprop lbfgs", Optimizer)
globals().update(_classes)

__all__ = ["lr_scheduler", "swa_utils", *_classes]

__getattr__ = _missing_from(__name__)
