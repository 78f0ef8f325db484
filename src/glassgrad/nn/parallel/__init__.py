"""`torch.nn.parallel`: a module in several processes; and for several GPUs, on the one there is."""

import sys
from collections.abc import Sequence
from typing import Any

from glassgrad import ops
from glassgrad.core.tensor import Tensor
from glassgrad.nn.module import Module

from .distributed import DistributedDataParallel

__all__ = [
    "DataParallel",
    "DistributedDataParallel",
    "data_parallel",
    "gather",
    "parallel_apply",
    "replicate",
    "scatter",
]


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


# What DataParallel is made of, for programs that make their own -----------------------------------


def scatter(inputs: Any, target_gpus: Sequence[Any], dim: int = 0) -> Any:
    """Shares of a batch, one for each device, as they would be sent there.

    Args:
        inputs: tensors, cut along `dim`, in any containers; all else is repeated.
        target_gpus: the devices.
        dim: which one counts the examples.

    Example:
        >>> scatter({"x": ones(4, 3)}, [0, 1])[1]["x"].shape
        glassgrad.Size([2, 3])
    """
    n = len(target_gpus)
    if isinstance(inputs, Tensor):
        return inputs.chunk(n, dim)
    if isinstance(inputs, dict) and inputs:
        columns = [scatter(value, target_gpus, dim) for value in inputs.values()]
        return [type(inputs)(zip(inputs, row, strict=True)) for row in zip(*columns, strict=False)]
    if isinstance(inputs, (tuple, list)) and inputs:
        rows = zip(*[scatter(each, target_gpus, dim) for each in inputs], strict=False)
        return [_alike(inputs, row) for row in rows]
    return [inputs] * n


def scatter_kwargs(
    inputs: Any, kwargs: Any, target_gpus: Sequence[Any], dim: int = 0
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """`scatter` of positional and of named arguments: as many of each."""
    shares = list(scatter(tuple(inputs), target_gpus, dim)) if inputs else []
    named = list(scatter(dict(kwargs), target_gpus, dim)) if kwargs else []
    n = max(len(shares), len(named))
    shares += [()] * (n - len(shares))
    return tuple(shares), (*named, *[{} for _ in range(n - len(named))])


def gather(outputs: Sequence[Any], target_device: Any, dim: int = 0) -> Any:
    """The way back from `scatter`: tensors put together again, containers with them."""
    first = outputs[0]
    if isinstance(first, Tensor):
        return ops.cat([each if each.ndim else each[None] for each in outputs], dim)
    if first is None:
        return None
    if isinstance(first, dict):
        return type(first)(
            (key, gather([each[key] for each in outputs], target_device, dim)) for key in first
        )
    return _alike(first, [gather(each, target_device, dim) for each in zip(*outputs, strict=True)])


def _alike(sample: Any, items: Any) -> Any:
    """Items in a sequence of the class of another one."""
    return type(sample)(*items) if hasattr(sample, "_fields") else type(sample)(items)


def replicate(network: Module, devices: Sequence[Any], detach: bool = False) -> list[Module]:
    """The module for each of the devices: the same one, since there is one device."""
    return [network] * len(devices)


def parallel_apply(
    modules: Sequence[Module], inputs: Sequence[Any], kwargs_tup: Any = None, devices: Any = None
) -> list[Any]:
    """What each module makes of its share, one after the other."""
    rows = zip(modules, inputs, kwargs_tup or [{}] * len(modules), strict=True)
    return [
        module(*(each if isinstance(each, (tuple, list)) else (each,)), **named)
        for module, each, named in rows
    ]


# PyTorch has files for these, and programs import from there.
for _name in ("scatter_gather", "comm"):
    globals()[_name] = sys.modules[f"{__name__}.{_name}"] = sys.modules[__name__]
for _name in ("data_parallel", "replicate", "parallel_apply"):
    sys.modules[f"{__name__}.{_name}"] = sys.modules[__name__]
