# Written by `make stubs` (docs/stubs.py) from what the ops declare. Do not edit.
"""Sparse tensors, under the names of `torch.sparse`."""

import builtins
from glassgrad.ops.sparse import sparse_addmm as addmm, sparse_double_tensor as DoubleTensor, sparse_float_tensor as FloatTensor, sparse_log_softmax as log_softmax, sparse_mm as mm, sparse_softmax as softmax, sparse_sum as sum


__all__ = [
    "DoubleTensor",
    "FloatTensor",
    "addmm",
    "log_softmax",
    "mm",
    "softmax",
    "sum",
]
