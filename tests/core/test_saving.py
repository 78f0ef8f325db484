"""What a Function may save."""

import pytest

import glassgrad


def test_an_inference_tensor_cannot_be_saved():
    class Scaled(glassgrad.autograd.Function):
        @staticmethod
        def forward(ctx, x, factor):
            ctx.save_for_backward(factor)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2, None

    with glassgrad.inference_mode():
        factor = glassgrad.ones(2)
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        Scaled.apply(glassgrad.ones(2, requires_grad=True), factor)
