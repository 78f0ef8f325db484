"""What comes between an op and its arrays: transforms, and forward mode. In reading order:

    level       a transform is a level
    duals       forward mode on tensors themselves: how an op or a Function moves tangents on
    subclasses  tensors of a user's class, which may compute ops by themselves

How a tensor of a level looks is told in `values/layers.py`; the transforms are in `glassgrad.func`.
"""

from glassgrad.core.state import plugs

from . import subclasses

plugs.subclasses = subclasses
