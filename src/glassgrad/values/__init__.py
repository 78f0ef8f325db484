"""What ops compute with. In reading order:

tree       nested lists, tuples and dicts
dtypes     names and promotion
backend    where arrays live
layers     how a tensor looks to a transform
operands   from tensors, arrays and numbers to values of one dtype and device
"""

from . import operands

__all__ = ["operands"]
