"""`grad`, `vjp`."""
from glassgrad.base.tree import flatten, unflatten
from ._grad_level import GradLevel, pull_back
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.core.levels import settled
import numpy as np

def vjp(func, *primals, has_aux=False):
    with GradLevel() as level:
        ins=[level.variable(p) for p in primals]
        out=func(*ins)
    def back(ct):
        got=pull_back(level,[out],ins,[ct])
        return tuple(wrap(np.zeros_like(p.payload)) if g is None else g for g,p in zip(got,primals))
    return settled(out), back

def grad(func):
    def run(*a):
        y,back=vjp(func,*a)
        from glassgrad.ops import ones_like
        return back(ones_like(y))[0]
    return run
