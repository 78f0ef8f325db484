"""What is done to the parameters of modules, and to their inputs: `torch.nn.utils`'s names."""

from typing import Any

from . import (
    _renamed,
    clip_grad,
    convert_parameters,
    fusion,
    parametrizations,
    parametrize,
    prune,
    rnn,
    stateless,
)
from ._renamed import *
from .clip_grad import *
from .convert_parameters import *
from .fusion import *

__all__ = [
    "fusion",
    "parametrizations",
    "parametrize",
    "prune",
    "rnn",
    "skip_init",
    "stateless",
    *_renamed.__all__,
    *clip_grad.__all__,
    *convert_parameters.__all__,
    *fusion.__all__,
]


def skip_init(module_cls: Any, *args: Any, **kwargs: Any) -> Any:
    """A module of a class and its arguments, whose parameters nobody need rely on.

    They are drawn all the same: to leave that out saves nothing here.
    """
    return module_cls(*args, **kwargs)
