"""`functional_call`, under the path that PyTorch's older programs import it from."""

from contextlib import AbstractContextManager

from glassgrad.func import functional_call
from glassgrad.func.modules import Values, exchanged
from glassgrad.nn.module import Module

__all__ = ["functional_call"]


def _reparametrize_module(
    module: Module, parameters_and_buffers: Values
) -> AbstractContextManager[None]:
    """Have the module compute with other parameters inside; programs use it by this name."""
    return exchanged(module, parameters_and_buffers, parameters_and_buffers)
