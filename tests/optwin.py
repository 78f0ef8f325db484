"""PyTorch's side of a row: the function of the same name, and its parameters."""

from typing import Any

import torch

import glassgrad

__all__ = ["translated", "twin"]


def twin(case: Any) -> Any:
    """PyTorch's function: the row's, or that of the same name."""
    if case.torch is not None:
        return case.torch
    for home in (torch, torch.nn.functional, torch.Tensor):
        if hasattr(home, case.name):
            return getattr(home, case.name)
    return None  # the row's `call` writes an operator or a method


def translated(param: Any) -> Any:
    """A parameter as PyTorch takes it."""
    return getattr(torch, str(param)) if isinstance(param, glassgrad.dtype) else param
