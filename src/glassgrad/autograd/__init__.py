"""`torch.autograd`: run backward passes, write Functions, check gradients, switch recording.

The tape itself is in `glassgrad.core`; these are PyTorch's import paths.
"""

import importlib as _importlib
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from glassgrad.autograd import anomaly_mode, forward_ad, function, grad_mode, graph, variable
from glassgrad.autograd.anomaly_mode import detect_anomaly, set_detect_anomaly
from glassgrad.autograd.function import Function
from glassgrad.autograd.grad_mode import (
    enable_grad,
    enforce_grad_layout_policy,
    inference_mode,
    is_multithreading_enabled,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)
from glassgrad.autograd.gradcheck import GradcheckError, gradcheck, gradgradcheck
from glassgrad.autograd.gradients import backward, grad
from glassgrad.autograd.variable import Variable
from glassgrad.hooks.on_saved import SavedTensor
from glassgrad.missing import missing_from as _missing_from

if _TYPE_CHECKING:
    from glassgrad.autograd import functional


def __getattr__(name: str) -> _Any:
    """Import on first use what needs transforms: not every program does."""
    if name == "profiler":
        return _importlib.import_module("glassgrad.profiler")
    if name != "functional":
        return _missing(name)
    return _importlib.import_module("glassgrad.autograd.functional")


def __dir__() -> list[str]:
    return sorted({*globals(), "functional"})


__all__ = [
    # run a backward pass
    "backward",
    "grad",
    # write an op
    "Function",
    # check it
    "GradcheckError",
    "gradcheck",
    "gradgradcheck",
    # find what fails
    "detect_anomaly",
    "set_detect_anomaly",
    # record or not
    "enable_grad",
    "inference_mode",
    "no_grad",
    "set_grad_enabled",
    # how PyTorch's engine works
    "enforce_grad_layout_policy",
    "is_multithreading_enabled",
    "set_multithreading_enabled",
    # what a node saved
    "SavedTensor",
    # Tensor's old name
    "Variable",
    # modules
    "anomaly_mode",
    "forward_ad",
    "function",
    "functional",
    "grad_mode",
    "graph",
    "variable",
]

_missing = _missing_from(__name__)
