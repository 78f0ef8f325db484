"""Trajectories of robot arms: from positions to velocities, accelerations and jerks, and back."""

from .integrators import (
    CliqueTensorStep,
    euler_integrate,
    jit_backward_pos_clique,
    jit_backward_pos_clique_contiguous,
    jit_tensor_step_pos_clique,
    jit_tensor_step_pos_clique_contiguous,
    step_acc_semi_euler,
    tensor_step_acc,
    tensor_step_acc_semi_euler,
    tensor_step_jerk,
    tensor_step_pos,
    tensor_step_pos_clique,
    tensor_step_pos_ik,
    tensor_step_vel,
)
from .kernels import (
    AccelerationTensorStepIdxKernel,
    AccelerationTensorStepKernel,
    CliqueTensorStepCentralDifferenceKernel,
    CliqueTensorStepCoalesceKernel,
    CliqueTensorStepIdxCentralDifferenceKernel,
    CliqueTensorStepIdxKernel,
    CliqueTensorStepKernel,
)
from .kernels._fused import numerics
from .matrices import (
    action_interpolate_kernel,
    build_clique_matrix,
    build_fd_matrix,
    build_int_matrix,
    build_start_state_mask,
    interpolate_kernel,
    sum_matrix,
    tensor_linspace,
)
from .states import JointState, TensorDeviceType

__all__ = [
    # states
    "JointState",
    "TensorDeviceType",
    # matrices
    "build_clique_matrix",
    "build_fd_matrix",
    "build_int_matrix",
    "build_start_state_mask",
    # interpolation
    "action_interpolate_kernel",
    "interpolate_kernel",
    "sum_matrix",
    "tensor_linspace",
    # integrators
    "euler_integrate",
    "step_acc_semi_euler",
    "tensor_step_acc",
    "tensor_step_acc_semi_euler",
    "tensor_step_jerk",
    "tensor_step_pos",
    "tensor_step_pos_ik",
    "tensor_step_vel",
    # commanded positions, as products with matrices
    "CliqueTensorStep",
    "jit_backward_pos_clique",
    "jit_backward_pos_clique_contiguous",
    "jit_tensor_step_pos_clique",
    "jit_tensor_step_pos_clique_contiguous",
    "tensor_step_pos_clique",
    # a whole trajectory in one node
    "AccelerationTensorStepIdxKernel",
    "AccelerationTensorStepKernel",
    "CliqueTensorStepCentralDifferenceKernel",
    "CliqueTensorStepCoalesceKernel",
    "CliqueTensorStepIdxCentralDifferenceKernel",
    "CliqueTensorStepIdxKernel",
    "CliqueTensorStepKernel",
    "numerics",
]
