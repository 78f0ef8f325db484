"""PyTorch's paths to its modules: `glassgrad.nn.modules.conv.Conv2d` is `glassgrad.nn.Conv2d`.

PyTorch has a file for each family, and so have we; but the families are not all the same. So each
of its files is a view of all of ours: what it has is looked for in `nn`, then in the files of `nn`.
"""

import importlib
import sys
from types import ModuleType
from typing import Any

import glassgrad.nn
from glassgrad.nn import module
from glassgrad.values.tree import as_tuple

__path__: list[str] = []  # so that `import glassgrad.nn.modules.conv` finds it a package

_FILES = (
    "activation",
    "adaptive",
    "batchnorm",
    "channelshuffle",
    "container",
    "conv",
    "distance",
    "dropout",
    "flatten",
    "fold",
    "instancenorm",
    "lazy",
    "linear",
    "loss",
    "normalization",
    "padding",
    "pixelshuffle",
    "pooling",
    "rnn",
    "sparse",
    "transformer",
    "upsampling",
)
_ABSTRACT = {
    "_BatchNorm": ("normalization", "BatchNorm"),
    "_ConvNd": ("convolution", "_Convolution"),
    "_InstanceNorm": ("normalization", "InstanceNorm"),
    "_Loss": ("losses", "Loss"),
    "_NormBase": ("normalization", "ChannelNorm"),
    "_WeightedLoss": ("losses", "WeightedLoss"),
}
"""PyTorch's names of classes that programs ask `isinstance` for."""


class _View(ModuleType):
    """One of PyTorch's files."""

    def __getattr__(self, name: str) -> Any:
        return __getattr__(name)


def __getattr__(name: str) -> Any:
    """What `nn` has under that name, or one of its files."""
    if name in _ABSTRACT:
        file, own_name = _ABSTRACT[name]
        return getattr(importlib.import_module(f"glassgrad.nn.{file}"), own_name)
    if name in glassgrad.nn.__all__ or name == "LazyModuleMixin":
        home = glassgrad.nn if name in glassgrad.nn.__all__ else sys.modules["glassgrad.nn.lazy"]
        return getattr(home, name)
    raise AttributeError(f"module 'glassgrad.nn.modules' has no attribute {name!r}")


def _same(value: Any, n: int) -> tuple[Any, ...]:
    parts = as_tuple(value)
    return tuple(parts) if len(parts) > 1 else tuple(parts) * n


def _file(name: str, **members: Any) -> None:
    view = _View(f"{__name__}.{name}", f"`torch.nn.modules.{name}`.")
    vars(view).update(members)
    sys.modules[view.__name__] = globals()[name] = view


for _name in _FILES:
    _file(_name)
_file(
    "utils",
    _single=lambda x: _same(x, 1),
    _pair=lambda x: _same(x, 2),
    _triple=lambda x: _same(x, 3),
    _quadruple=lambda x: _same(x, 4),
    _ntuple=lambda n, name="parse": lambda x: _same(x, n),  # noqa: ARG005  # its name in print
)
sys.modules[f"{__name__}.module"] = module
Module = module.Module
