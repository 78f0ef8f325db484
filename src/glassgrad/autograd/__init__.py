"""`torch.autograd`: run backward passes, write Functions, check gradients, switch recording.

The tape itself is in `glassgrad.core`, `recording` and `engine`; these are PyTorch's import paths.
"""

import glassgrad.func._batched_pass  # noqa: F401  # tells the engine of it
from glassgrad.autograd import (
    anomaly_mode,
    forward_ad,
    function,
    functional,
    grad_mode,
    graph,
    variable,
)
from glassgrad.autograd.anomaly_mode import detect_anomaly, set_detect_anomaly
from glassgrad.autograd.function import Function
from glassgrad.autograd.grad_mode import (
    enable_grad,
    inference_mode,
    no_grad,
    set_grad_enabled,
)
from glassgrad.autograd.gradcheck import GradcheckError, gradcheck, gradgradcheck
from glassgrad.autograd.variable import Variable
from glassgrad.core.saved import SavedTensor
from glassgrad.engine.backward import backward, grad

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
