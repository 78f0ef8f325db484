"""Trajectories of robot arms: from positions to velocities, accelerations and jerks, and back."""

from . import integrators, kernels, matrices
from .integrators import *
from .kernels import *
from .kernels._fused import numerics
from .matrices import *
from .states import JointState, TensorDeviceType

__all__ = [
    # states
    "JointState",
    "TensorDeviceType",
    # matrices
    *matrices.__all__,
    # integrators
    *integrators.__all__,
    # a whole trajectory in one node
    *kernels.__all__,
    "numerics",
]
