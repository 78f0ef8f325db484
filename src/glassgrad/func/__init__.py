"""Composable transforms: `torch.func`'s names.

Read the files in this order:

    values/layers.py        how a tensor looks to a transform
    levels/level.py       a transform is a level
    _grad_level.py        the level of reverse mode: a tape over tensors one level down
    reverse.py            grad, grad_and_value, vjp
    _dual_level.py        the level of forward mode: each tensor carries a tangent
    forward.py            jvp, linearize
    _batch_level.py       the level of vmap: one example stands for all of them
    _one_by_one.py        … also of an op that nobody told what to do with a batch
    vmap.py               vmap
    jacobians.py          jacrev, jacfwd, hessian: vmap over the others
    modules.py            modules as functions of their parameters
    _functions.py         how a user's Function goes through a level
    vmapify.py            … and through that of vmap
    _batched_pass.py      a backward pass for a batch of gradients
    _arguments.py, _dims.py, _outputs.py    what may be passed and returned, and what is said if not
"""

from .forward import jvp, linearize
from .jacobians import hessian, jacfwd, jacrev
from .modules import debug_unwrap, functional_call, stack_module_state
from .reverse import grad, grad_and_value, vjp
from .vmap import vmap

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
    # modules
    "functional_call",
    "stack_module_state",
    # looking inside
    "debug_unwrap",
]
