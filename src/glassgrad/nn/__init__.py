"""Networks: modules that own parameters, with PyTorch's names and import paths.

`Module` keeps parameters, buffers and submodules by name; `Applied` is one that only calls a
function; families of modules have a file each. `functional` has the same as plain functions;
`init` fills parameters.

What is here are the modules and tensors that these files define. `make stubs` writes them down in
`__init__.pyi` for editors and mypy, with the arguments of those modules that follow from others'.
"""

from importlib import import_module as _import_module

from glassgrad.core.tensor import Tensor as _Tensor
from glassgrad.missing import missing_from as _missing_from
from glassgrad.nn import functional, init, modules, parallel, utils
from glassgrad.nn.module import Module

_FILES = (
    "module parameter containers layers convolution padding pooling recurrent transformer "
    "activations attention losses normalization sparse"
)


def _defined_in(file: str) -> dict[str, type]:
    """The modules and tensors that a file defines, but for what only it uses."""
    home = _import_module(f"{__name__}.{file}")
    return {
        name: value
        for name, value in vars(home).items()
        if isinstance(value, type)
        and issubclass(value, (Module, _Tensor))
        and value.__module__ == home.__name__
        and not name.startswith("_")
    }


_classes: dict[str, type] = {"DataParallel": parallel.DataParallel}
for _file in _FILES.split():
    _classes |= _defined_in(_file)
globals().update(_classes)

__all__ = ["functional", "init", "modules", "parallel", "utils", *_classes]

__getattr__ = _missing_from(__name__)
