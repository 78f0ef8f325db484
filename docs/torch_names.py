"""The public names of PyTorch, as the list that `glassgrad.missing` reads: `torch_names.txt`.

Run it with the version of PyTorch that glassgrad follows; a test compares.
"""

import importlib
import pkgutil
import textwrap
import warnings
from pathlib import Path
from types import BuiltinFunctionType, ModuleType
from typing import Any

import torch

FILE = Path(__file__).parents[1] / "src" / "glassgrad" / "torch_names.txt"
HEADER = "# Public names of PyTorch {version}. Written by docs/torch_names.py; do not edit.\n"


def text() -> str:
    """The list: a line for each module, and its names below it."""
    version = torch.__version__.partition("+")[0]
    parts = [HEADER.format(version=version)]
    for module in _MODULES:
        with warnings.catch_warnings(action="ignore"):  # it deprecates some
            names = textwrap.wrap(" ".join(names_of(module)), 98)
        parts.append(f"\n{module}\n" + "".join([f"  {line}\n" for line in names]))
    return "".join(parts)


def names_of(module: str) -> list[str]:
    """The public names of one of PyTorch's modules, or of its class `Tensor`."""
    if module == "torch.Tensor":
        own = [name for name in dir(torch.Tensor) if not hasattr(object, name)]
        return [name for name in own if not name.startswith("_")]
    home: Any = importlib.import_module(module)
    names = getattr(home, "__all__", None) or dir(home)
    if module == "torch":
        names = [*names, *[name for name in dir(home) if isinstance(getattr(home, name), _KINDS)]]
        return sorted({*_PACKAGES, *[name for name in names if _is_public(home, name)]})
    inner = pkgutil.iter_modules(home.__path__) if module in _WITH_MODULES else ()
    packages = [each.name for each in inner if each.name not in _WHEN_IMPORTED]
    packages = [name for name in packages if not name.startswith("_")]
    return sorted({*packages, *[name for name in names if _is_public(home, name)]})


_MODULES = (
    *("torch", "torch.Tensor", "torch.accelerator", "torch.amp", "torch.autograd"),
    *("torch.autograd.forward_ad", "torch.autograd.function", "torch.autograd.functional"),
    *("torch.autograd.graph", "torch.backends", "torch.backends.cuda"),
    *("torch.backends.cudnn", "torch.backends.mkldnn", "torch.backends.mps", "torch.compiler"),
    *("torch.cpu", "torch.cuda", "torch.cuda.amp", "torch.cuda.nvtx", "torch.distributed"),
    *("torch.distributed.nn", "torch.distributions", "torch.distributions.constraints"),
    *("torch.distributions.kl", "torch.distributions.transforms", "torch.fft", "torch.func"),
    "torch.fx",
    *("torch.futures", "torch.hub", "torch.jit", "torch.linalg", "torch.mps"),
    *("torch.multiprocessing", "torch.nn", "torch.nn.attention", "torch.nn.functional"),
    "torch.onnx",
    *("torch.nn.init", "torch.nn.modules", "torch.nn.parallel", "torch.nn.utils"),
    *("torch.nn.utils.parametrizations", "torch.nn.utils.parametrize", "torch.nn.utils.prune"),
    *("torch.nn.utils.rnn", "torch.optim", "torch.optim.lr_scheduler", "torch.optim.swa_utils"),
    *("torch.overrides", "torch.profiler", "torch.random", "torch.serialization"),
    *("torch.sparse", "torch.special", "torch.testing", "torch.utils", "torch.utils.checkpoint"),
    *("torch.utils.data", "torch.utils.dlpack", "torch.version", "torch.xpu"),
)
"""The modules whose names are in the list."""

_WITH_MODULES = (
    *("torch.backends", "torch.cuda", "torch.distributed", "torch.nn", "torch.nn.attention"),
    *("torch.utils", "torch.utils.data"),
)
"""Those whose modules are names for users, too; those of others are files."""

_WHEN_IMPORTED = ("model_zoo", "tensorboard")
"""Modules in them that are there, as soon as they are imported."""

_PACKAGES = (
    *("ao", "export", "futures", "fx", "hub", "library", "masked", "monitor", "mtia"),
    *("multiprocessing", "nested", "onnx", "overrides", "package", "profiler", "quantization"),
    *("quasirandom", "signal", "sparse", "testing"),
)
"""Packages in `torch`; which of them are there depends on what else was imported."""

_KINDS = (torch.dtype, torch.layout, torch.memory_format, torch.qscheme)


_CLASSES = ("Event", "Generator", "Size", "Stream", "device", "dtype", "finfo", "iinfo", "layout")
"""Those that are written in C++; the others of their kind are parts of the compiler."""

_KERNELS = ("cudnn_", "fbgemm_", "import_ir", "miopen_", "mkldnn_")
"""How functions begin that only PyTorch itself calls."""


def _is_public(home: ModuleType, name: str) -> bool:
    """Whether it is a name for users: no part of the compiler, and from no private module."""
    value = getattr(home, name, None)  # some that a module lists are not there
    if name.startswith("_") or (value is torch.Tensor and home is not torch):
        return False
    if isinstance(value, ModuleType):
        return False
    if isinstance(value, (BuiltinFunctionType, *_KINDS)):
        return not (home is torch and name.startswith(_KERNELS))
    if home is torch and isinstance(value, type) and hasattr(torch._C, name):
        return name in _CLASSES or name.endswith(("Tensor", "Storage"))
    origin = getattr(value, "__module__", None) or type(value).__module__
    if hasattr(home, "__all__") and not origin.startswith("torch._C"):
        return not (home is torch and name.startswith(_KERNELS))
    return callable(value) and origin.startswith(home.__name__)


if __name__ == "__main__":
    FILE.write_text(text(), "utf-8")
