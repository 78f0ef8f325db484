"""What ops compute with. In reading order:

tree       nested lists, tuples and dicts
dtypes     names and promotion
backend    where arrays live
layers     how a tensor looks to a transform
operands   from tensors, arrays and numbers to values of one dtype and device
gradients  from what a rule returned to what its operand wants
"""

from glassgrad.core.state import plugs

from . import gradients, operands

plugs.gradients, plugs.values = gradients, operands
