"""`torch.signal`: windows, which are in a module of their own."""

from glassgrad.missing import missing_from as _missing_from

from . import windows

__all__ = ["windows"]

__getattr__ = _missing_from(__name__)
