from ._batch_level import BatchLevel, Batch
from glassgrad.core.levels import settled
from glassgrad.core.tensor import wrap
def vmap(func, randomness='error'):
    def run(*a):
        n=a[0].shape[0]
        with BatchLevel(n, randomness) as level:
            out=func(*[wrap(Batch(level,settled(x))) for x in a])
            v,d=level.batch(out)
            return v if d==0 else v.expand(n,*v.shape)
    return run
