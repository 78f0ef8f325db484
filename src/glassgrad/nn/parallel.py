"""`torch.nn.parallel`: modules for several GPUs, on the one device that there is."""

from collections.abc import Sequence
from typing import Any

from glassgrad.core.errors import GraphError
from glassgrad.nn.module import Module

__all__ = ["DataParallel", "DistributedDataParallel"]


class DataParallel(Module):
    """A module under the name `module`: PyTorch would share a batch out to several GPUs.

    Args:
        module: what computes.
        device_ids, output_device, dim: accepted, and without effect: there is one device.

    Example:
        >>> from glassgrad import nn
        >>> model = DataParallel(nn.Linear(3, 2))
        >>> model(ones(4, 3)).shape, next(iter(model.state_dict()))
        (glassgrad.Size([4, 2]), 'module.weight')
    """

    def __init__(
        self,
        module: Module,
        device_ids: Sequence[Any] | None = None,
        output_device: Any = None,
        dim: int = 0,
    ) -> None:
        super().__init__()
        self.module = module
        self.dim, self.device_ids, self.output_device = dim, list(device_ids or ()), output_device

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.module(*inputs, **kwargs)


def data_parallel(module: Module, inputs: Any, *_devices: Any, module_kwargs: Any = None) -> Any:
    """`module(*inputs)`, which PyTorch would share out to several GPUs."""
    inputs = inputs if isinstance(inputs, tuple) else (inputs,)
    return module(*inputs, **(module_kwargs or {}))


class DistributedDataParallel(DataParallel):
    """What a process computes its share of a batch with; its name is for `isinstance`."""

    def __init__(self, module: Module, *_args: Any, **_kwargs: Any) -> None:
        raise GraphError(
            f"DistributedDataParallel({type(module).__name__}) needs a process group, and there is "
            "none: glassgrad runs in one process. Ask `distributed.is_initialized()` first."
        )
