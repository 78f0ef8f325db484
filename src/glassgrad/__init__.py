"""glassgrad: autograd you can see through.

PyTorch's autograd API in pure Python on NumPy, and a backward pass that can be watched:

    >>> import glassgrad as gg
    >>> x = gg.tensor([1.0, 2.0], requires_grad=True)
    >>> loss = (x * x).sum()
    >>> trace = gg.record(loss)  # runs the real backward pass
    >>> x.grad
    tensor([2., 4.])
    >>> trace
    Trace(3 nodes, 1 leaf, 12 events)

`gg.draw(trace)` is a picture of it, `gg.player(trace)` a page to step through it.
"""

import builtins as _builtins
import importlib as _importlib
import math as _math
import sys as _sys
import warnings as _warnings
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from . import _dtypes, _methods, autograd, environment, ops
from . import _meta as _meta
from ._dtypes import *
from ._printing import get_printoptions, set_printoptions
from .autograd.anomaly_mode import (
    is_anomaly_check_nan_enabled,
    is_anomaly_enabled,
    set_anomaly_enabled,
)
from .autograd.grad_mode import *
from .core import errors
from .core.tensor import Size, Tensor
from .environment import *
from .ops import _lookup
from .values.backend import Device as device
from .values.dtypes import set_default_dtype

if _TYPE_CHECKING:
    from . import course as course
    from . import data as data
    from . import distributions as distributions
    from . import fft as fft
    from . import func as func
    from . import linalg as linalg
    from . import multiprocessing as multiprocessing
    from . import nn as nn
    from . import optim as optim
    from . import overrides as overrides
    from . import profiler as profiler
    from . import signal as signal
    from . import sparse as sparse
    from . import special as special
    from . import testing as testing
    from . import tracing as tracing
    from . import trajectory as trajectory
    from . import utils as utils
    from . import viz as viz
    from ._as_torch import as_torch
    from .autograd.scopes import scope
    from .doctor import watch
    from .exchange import from_torch, to_torch
    from .func import vmap
    from .ops import *
    from .serialization import load, save
    from .tracing import compare, find_nan, record, snapshot, step
    from .viz import draw, explain, player

__version__ = "0.1.0"

e, inf, nan, pi = _math.e, _math.inf, _math.nan, _math.pi
newaxis = None

bool, float, int = _dtypes.bool_, _dtypes.float32, _dtypes.int32  # PyTorch's names


def is_tensor(obj: object) -> _builtins.bool:
    """Whether `obj` is a Tensor."""
    return isinstance(obj, Tensor)


def is_inference(input: Tensor) -> _builtins.bool:
    """Whether `input` was made inside `inference_mode()`."""
    return input.is_inference()


_PACKAGES = (
    "course data distributions fft func linalg multiprocessing nn optim overrides profiler "
    "quasirandom signal sparse special testing tracing trajectory utils viz"
)
_LATER = {name: name for name in _PACKAGES.split()}
_LATER |= {"record": "tracing", "draw": "viz", "explain": "viz", "player": "viz", "vmap": "func"}
_LATER |= {"snapshot": "tracing", "scope": "autograd.scopes", "as_torch": "_as_torch"}
_LATER |= {"load": "serialization", "save": "serialization"}
_LATER |= {"from_torch": "exchange", "to_torch": "exchange", "serialization": "serialization"}
_LATER |= {"compare": "tracing", "find_nan": "tracing", "step": "tracing", "watch": "doctor"}

_OPS, _op_named = _lookup.of_module(__name__, home="")[:2]


def __getattr__(name: str) -> _Any:
    """Import on first use what is not the tape: that takes several times as long as the tape."""
    package = _LATER.get(name)
    if name.startswith("_foreach_"):
        return _lookup.for_each(name)
    if name in _lookup.ORDERS:
        return _lookup.in_order(name)
    if package is None:
        return _op_named(name)
    module = _importlib.import_module(f"glassgrad.{package}")
    value = module if name == package else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER, *_OPS})


def _complete_tensor() -> None:
    """Copy the mixins and the ops' methods onto Tensor and Size, since core/ imports no op."""
    of_size, of_tensor = vars(_methods.SizeMethods), vars(_methods.Methods)
    for cls, members in ((Size, of_size), (Tensor, of_tensor), (Tensor, _lookup.methods())):
        for name, member in members.items():
            if name not in ("__module__", "__doc__", "__dict__", "__weakref__"):
                setattr(cls, name, member)


_complete_tensor()
globals().update({name: getattr(environment, name) for name in environment.MODULES})
globals().update(environment.ANSWERS)
_graph = autograd.graph
vars(environment.__dict__["_C"]).update(  # in PyTorch they are in its C++ half
    {name: getattr(_graph, name) for name in _graph.__all__ if name.startswith("_")}
)


def _tell_of_the_line(error: errors.GlassgradError) -> list[str]:
    """What Python shows below the message of an error: found when it does."""
    from ._situation import notes

    return notes(error)


errors.GlassgradError.__notes__ = property(_tell_of_the_line)  # type: ignore[assignment]


def _begin(error: errors.GlassgradError, *args: object) -> None:
    """Make an error, above which Python shows no exception that it tells of itself."""
    super(errors.GlassgradError, error).__init__(*args)
    caught = _sys.exception()
    if caught is not None:
        from .reasons.tracebacks import is_told_of

        error.__suppress_context__ = is_told_of(caught)


errors.GlassgradError.__init__ = _begin  # type: ignore[assignment]


def _show_sessions_in_notebooks() -> None:
    """Have a session that ends a cell shown as a live player; that imports `viz` only then."""
    ipython = _sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if shell is None:
        return
    shows = shell.display_formatter.ipython_display_formatter
    shows.for_type_by_name(
        "glassgrad.tracing.paused",
        "Paused",
        lambda session: _importlib.import_module("glassgrad.viz.players.live").show_session(
            session
        ),
    )


_show_sessions_in_notebooks()

# PyTorch gives inf and nan without a word, and so do our ops, whatever the caller's NumPy says.
_warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"glassgrad\.")

__all__ = [
    # tensors
    "Size",
    "Tensor",
    "device",
    "get_printoptions",
    "is_inference",
    "is_tensor",
    "set_printoptions",
    # numbers
    "e",
    "inf",
    "nan",
    "newaxis",
    "pi",
    # dtypes
    "bool",
    "float",
    "int",
    "set_default_dtype",
    *_dtypes.__all__,
    # whether to record
    *autograd.grad_mode.__all__,
    # find what fails in backward
    "is_anomaly_check_nan_enabled",
    "is_anomaly_enabled",
    "set_anomaly_enabled",
    # over a batch
    "vmap",
    # see it
    "compare",
    "draw",
    "explain",
    "find_nan",
    "player",
    "record",
    "scope",
    "snapshot",
    "step",
    "watch",
    # files, and PyTorch's own tensors
    "from_torch",
    "load",
    "save",
    "to_torch",
    # programs of PyTorch
    "as_torch",
    *environment.__all__,
    # packages
    "autograd",
    "errors",
    "ops",
    *_PACKAGES.split(),
    # ops
    *_OPS,
]
