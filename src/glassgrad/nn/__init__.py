"""Networks: modules that own parameters, with PyTorch's names and import paths.

`Module` keeps parameters, buffers and submodules by name; `Applied` is one that only calls a
function; families of modules have a file each. `functional` has the same as plain functions;
`init` fills parameters.

What is here are the modules and tensors that these files define. `make stubs` writes them down in
`__init__.pyi` for editors and mypy, with the arguments of those modules that follow from others'.
"""

from glassgrad import environment as _environment
from glassgrad.core.tensor import Tensor as _Tensor
from glassgrad.missing import classes_of as _classes_of
from glassgrad.missing import missing_from as _missing_from
from glassgrad.nn import common_types, functional, grad, init, modules, parallel, utils
from glassgrad.nn.module import Module

_FILES = (
    "module parameter containers layers convolution padding pooling recurrent transformer "
    "activations attention losses normalization sparse"
)
_classes = {"DataParallel": parallel.DataParallel, **_classes_of(__name__, _FILES, Module, _Tensor)}
globals().update(_classes)
vars(_environment.jit)["ScriptModule"] = type("ScriptModule", (Module,), {})

__all__ = ["common_types", "functional", "grad", "init", "modules", "parallel", "utils", *_classes]

__getattr__ = _missing_from(__name__)
