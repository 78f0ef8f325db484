"""The fused steps: a whole trajectory and its derivatives in one node, into buffers if wanted.

All take positions or accelerations `u_act` and a start, and return four tensors: position,
velocity, acceleration and jerk, each `(B, H, D)` for B trajectories of H samples and D joints.
Gradients flow to `u_act` alone; all else is data. `_fused.py` says how they are made, and each
other file what its scheme computes.

    class                                       u_act          scheme
    CliqueTensorStepKernel                      (B, H, D)      backward differences
    CliqueTensorStepCoalesceKernel              (B, H, D)      the same, joint by joint on a GPU
    CliqueTensorStepCentralDifferenceKernel     (B, H − 4, D)  central differences over five points
    AccelerationTensorStepKernel                (B, H, D)      semi-implicit Euler steps

and three with `Idx` in their name, whose start is one row of `(N, D)` for each trajectory.
"""

from .acceleration import AccelerationTensorStepIdxKernel, AccelerationTensorStepKernel
from .backward_difference import (
    CliqueTensorStepCoalesceKernel,
    CliqueTensorStepIdxKernel,
    CliqueTensorStepKernel,
)
from .central_difference import (
    CliqueTensorStepCentralDifferenceKernel,
    CliqueTensorStepIdxCentralDifferenceKernel,
)

__all__ = [
    "AccelerationTensorStepIdxKernel",
    "AccelerationTensorStepKernel",
    "CliqueTensorStepCentralDifferenceKernel",
    "CliqueTensorStepCoalesceKernel",
    "CliqueTensorStepIdxCentralDifferenceKernel",
    "CliqueTensorStepIdxKernel",
    "CliqueTensorStepKernel",
]
