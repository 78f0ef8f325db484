"""PyTorch's paths to its modules: `glassgrad.nn.modules.conv.Conv2d` is `glassgrad.nn.Conv2d`.

PyTorch has a file for each family, and so have we; but the families are not all the same. So each
of its files is a view of all of ours: what it has is looked for in `nn`, then in the files of `nn`.
"""

import functools
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import glassgrad.nn
from glassgrad.missing import missing_from
from glassgrad.nn import activations, convolution, losses, module, pooling, transformer
from glassgrad.nn import lazy as our_lazy
from glassgrad.nn import normalization as our_normalization
from glassgrad.nn._making import each_dim

_missing = missing_from(__name__)
__path__: list[str] = []  # so that `import glassgrad.nn.modules.conv` finds it a package

_FILES = (
    "activation adaptive batchnorm channelshuffle container conv distance dropout flatten fold "
    "instancenorm lazy linear loss normalization padding pixelshuffle pooling rnn sparse "
    "transformer upsampling"
)
_WITH_BASES = (
    our_lazy,
    activations,
    convolution,
    losses,
    our_normalization,
    pooling,
    transformer,
)
"""Our files with more that PyTorch has too: programs ask `isinstance` for `_ConvNd`, say."""


class _View(ModuleType):
    """One of PyTorch's files."""

    def __getattr__(self, name: str) -> Any:
        return __getattr__(name)


def __getattr__(name: str) -> Any:
    """What `nn` has under that name, or what one of its files has besides."""
    if name in glassgrad.nn.__all__:
        return getattr(glassgrad.nn, name)
    for file in _WITH_BASES:
        found = vars(file).get(name)
        if callable(found) and found.__module__ == file.__name__:
            return found
    return _missing(name)


def _file(name: str, **members: Any) -> None:
    view = _View(f"{__name__}.{name}", f"`torch.nn.modules.{name}`.")
    vars(view).update(members)
    sys.modules[view.__name__] = globals()[name] = view


def _ntuple(n: int, name: str = "parse") -> Any:  # noqa: ARG001  # its name in print
    return functools.partial(each_dim, rank=n)


def _reverse_repeat_tuple(t: Sequence[Any], n: int) -> tuple[Any, ...]:
    """Each of them n times, the last first: paddings as `functional.pad` takes them."""
    return tuple([x for x in reversed(t) for _ in range(n)])


for _name in _FILES.split():
    _file(_name)
_sizes = {"_single": 1, "_pair": 2, "_triple": 3, "_quadruple": 4}
_file(
    "utils",
    _ntuple=_ntuple,
    _reverse_repeat_tuple=_reverse_repeat_tuple,
    **{name: _ntuple(n) for name, n in _sizes.items()},
)
sys.modules[f"{__name__}.module"] = module
Module = module.Module
