"""`functional_call`, under the path that PyTorch's older programs import it from."""

from glassgrad.func import functional_call

__all__ = ["functional_call"]
