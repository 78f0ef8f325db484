"""What comes between an op and its arrays: transforms, and forward mode. In reading order:

    level     a transform is a level
    duals     forward mode on tensors themselves: how an op, or a user's Function, moves tangents on

How a tensor of a level looks is told in `values/layers.py`; the transforms are in `glassgrad.func`.
"""
