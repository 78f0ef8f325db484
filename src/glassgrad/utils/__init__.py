"""`torch.utils`: `data` brings samples to the tape in batches, `checkpoint` lets it recompute."""

from glassgrad.core.errors import GraphError
from glassgrad.core.tensor import Tensor
from glassgrad.hooks import on_gradients as hooks
from glassgrad.missing import missing_from as _missing_from
from glassgrad.utils import benchmark, checkpoint, data, dlpack

__all__ = ["benchmark", "checkpoint", "data", "dlpack", "hooks", "swap_tensors"]

__getattr__ = _missing_from(__name__)


def swap_tensors(t1: Tensor, t2: Tensor) -> None:
    """Exchange two tensors: values, gradients, class and attributes; who has one has the other.

    Raises:
        GraphError: if one of them is needed by a graph, or a view.

    Example:
        >>> x, y = tensor([1.0]), tensor([2.0, 3.0])
        >>> swap_tensors(x, y)
        >>> x
        tensor([2., 3.])

    See also: https://pytorch.org/docs/stable/generated/torch.utils.swap_tensors.html
    """
    for tensor in (t1, t2):
        if not tensor.is_leaf or tensor._base is not None:
            raise GraphError(
                "Cannot swap t1 or t2: one of them was computed, or is a view, and others know it "
                "by its memory. Write `x.detach().clone()` for one of its own."
            )
        if tensor.cold is not None:
            tensor.cold.accumulator = None
    classes = t1.__class__, t2.__class__
    t2.__class__, t1.__class__ = classes
    for name in ("payload", "edge", "cold", "__dict__"):
        mine, other = getattr(t1, name), getattr(t2, name)
        setattr(t1, name, other)
        setattr(t2, name, mine)
