"""Composable transforms: `torch.func`'s names.

Read the files in this order:

    values/layers.py     how a tensor looks to a transform
    levels/level.py    a transform is a level
    derivatives.py     grad, grad_and_value, vjp: a tape over tensors one level down; what may be
                       passed and returned, and what is said if not; jvp, linearize: each tensor
                       carries a tangent
    vmap.py            vmap: one example stands for all of them
    jacobians.py       jacrev, jacfwd, hessian: vmap over the others
    functions.py       how a user's Function goes through a level
    modules.py         modules as functions of their parameters
"""

from glassgrad.missing import missing_from as _missing_from

from .derivatives import grad, grad_and_value, jvp, linearize, vjp
from .jacobians import hessian, jacfwd, jacrev
from .modules import (
    debug_unwrap,
    functional_call,
    functionalize,
    make_functional,
    make_functional_with_buffers,
    replace_all_batch_norm_modules_,
    stack_module_state,
)
from .vmap import chunk_vmap, vmap

__all__ = [
    # derivatives of numbers and of vectors
    "grad",
    "grad_and_value",
    "vjp",
    "jvp",
    "linearize",
    # Jacobians
    "jacrev",
    "jacfwd",
    "hessian",
    # batches
    "vmap",
    "chunk_vmap",
    # modules
    "functional_call",
    "functionalize",
    "make_functional",
    "make_functional_with_buffers",
    "replace_all_batch_norm_modules_",
    "stack_module_state",
    # looking inside
    "debug_unwrap",
]

__getattr__ = _missing_from(__name__)
