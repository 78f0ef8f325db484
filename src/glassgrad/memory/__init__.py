"""Shared memory: views of it, writes to it, and what has become of saved tensors. In reading order:

views  tensors that share memory, and what a write to one does to the others
calls  a user's Function: what it is called with, outputs that are inputs, views, or were written
saved  what nodes have saved: as it was, with its version, as bytes
"""

from glassgrad.core.state import plugs

from . import calls, saved

plugs.calls, plugs.saved = calls, saved
