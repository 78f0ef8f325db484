"""Parts that do not count as views: unsafe_split and unsafe_chunk.

They are for a graph in which the whole tensor is not used again: then each part may be written in
place, which a view of several made by one function may not.
"""

from collections.abc import Sequence

from glassgrad.core.tensor import Tensor

from .splitting import Split, SplitWithSizes, chunk, split

__all__ = ["unsafe_chunk", "unsafe_split", "unsafe_split_with_sizes"]
