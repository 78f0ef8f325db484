"""Hooks: what a user has called when a gradient passes, or when a tensor is saved.

    on_gradients   hooks of tensors, nodes and leaves, and how they are taken away again
    turn           a node's turn phase by phase, with all that hangs on it
    on_saved       hooks that pack what is saved, and unpack it again

They plug into the spine (`core/state.py`), which asks for them only where something hangs.
"""

from glassgrad.core.state import plugs

from . import on_gradients, on_saved, turn

plugs.hooks, plugs.saved_hooks, plugs.task = on_gradients, on_saved, turn.GraphTask
