"""What comes between an op and its arrays: transforms, and forward mode. In reading order:

level     a transform is a level
in_parts  a user's Function, called in parts
duals     forward mode on tensors themselves
tangents  how an op, or a user's Function, moves tangents on

How a tensor of a level looks is told in `core/layers.py`; the transforms are in `glassgrad.func`.
"""
