"""`torch.nn.grad`: the gradients of convolutions, as functions of their own.

    conv2d_input(input_size, weight, grad_output)      that of the input
    conv2d_weight(input, weight_size, grad_output)     that of the weight

A convolution is linear in each of the two, so that the other one is all that a gradient depends on.
"""

from collections.abc import Sequence
from typing import Any

from glassgrad.autograd.gradients import grad
from glassgrad.core.state import modes, setting
from glassgrad.core.tensor import Tensor
from glassgrad.nn import functional

__all__ = [f"conv{rank}d_{name}" for rank in (1, 2, 3) for name in ("input", "weight")]


def _for_rank(rank: int) -> None:
    convolve: Any = getattr(functional, f"conv{rank}d")

    def gradient(wanted: Tensor, input: Tensor, weight: Tensor, of: Tensor, *how: Any) -> Any:
        is_recorded = modes.grad
        with setting(grad=True):
            output = convolve(input, weight, None, *how)
        return grad(output, wanted, of, create_graph=is_recorded)[0]

    def of_input(
        input_size: Sequence[int],
        weight: Tensor,
        grad_output: Tensor,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Any:
        x = weight.new_zeros(tuple(input_size), requires_grad=True)
        return gradient(x, x, weight, grad_output, stride, padding, dilation, groups)

    def of_weight(
        input: Tensor,
        weight_size: Sequence[int],
        grad_output: Tensor,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Any:
        w = input.new_zeros(tuple(weight_size), requires_grad=True)
        return gradient(w, input, w, grad_output, stride, padding, dilation, groups)

    for name, function in (("input", of_input), ("weight", of_weight)):
        function.__name__ = function.__qualname__ = f"conv{rank}d_{name}"
        function.__doc__ = f"The gradient of `functional.conv{rank}d` for its {name}; see above."
        globals()[function.__name__] = function


for _rank in (1, 2, 3):
    _for_rank(_rank)
