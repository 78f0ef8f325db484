"""Who is measured: glassgrad and torch through the same source text, and what else is installed."""

import importlib
import importlib.util
from types import ModuleType

# These two run the same text, which takes the module as its argument.
TAPES = ("glassgrad", "torch")


def tape(name: str) -> ModuleType:
    """`glassgrad` or `torch`, set to one thread."""
    module = importlib.import_module(name)
    if name == "torch":
        module.set_num_threads(1)
    return module


def tapes() -> dict[str, ModuleType]:
    """Both, by name."""
    return {name: tape(name) for name in TAPES}


def has(name: str) -> bool:
    """Whether a peer is installed; the suite's own tests run without them."""
    spec = importlib.util.find_spec(name)
    # A folder of that name on the path (tests/autograd) passes for a package; it has no file.
    return spec is not None and spec.origin is not None
