"""What PyTorch has and glassgrad has not: the words of an AttributeError, and a page of the docs.

`torch_names.txt` is the list of PyTorch's public names. A module says

    __getattr__ = missing_from(__name__)

and whoever asks it for a name of that list is told so; other names get Python's own words. A
package whose names are the classes that its files define finds them by `classes_of`.
"""

import functools
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

__all__ = ["MODULES", "classes_of", "missing_from", "missing_names"]

MODULES = (
    "torch",
    "torch.Tensor",
    "torch.autograd",
    "torch.autograd.functional",
    "torch.autograd.graph",
    "torch.distributions",
    "torch.fft",
    "torch.func",
    "torch.linalg",
    "torch.nn",
    "torch.nn.functional",
    "torch.nn.init",
    "torch.nn.utils",
    "torch.nn.utils.rnn",
    "torch.optim",
    "torch.optim.lr_scheduler",
    "torch.special",
    "torch.utils",
    "torch.utils.data",
)
"""The modules whose names are in the list."""

_INSTEAD = {
    "sparse": "Write `sparse_coo_tensor`, or the zeros of a dense tensor.",
    "quant q_per": "Tensors are not quantized here: write float32.",
    "qint quint": "There are no dtypes for quantized tensors: write float32.",
    "float8": "NumPy computes nothing in float8: write float32.",
    "complex32 chalf": "Write complex64.",
    "mkldnn": "Arrays lie as NumPy's here: leave it out.",
    "nested": "Write a list of tensors, or pad them to one size.",
    "onnx export": "Export the model with PyTorch: `to_torch(model)`.",
    "names rename refine_names": "Dims have no names here: write their numbers.",
    "align": "Dims have no names here: write `permute`.",
    "vmap": "It is `glassgrad.func.vmap`.",
}
"""What to write, by how names begin, or by one of their words."""


def missing_from(module: str) -> Callable[[str], Any]:
    """The `__getattr__` of a module of glassgrad.

    Example:
        >>> missing_from("glassgrad.nn")("NoSuchLayer")
        Traceback (most recent call last):
        AttributeError: module 'glassgrad.nn' has no attribute 'NoSuchLayer'
    """

    def __getattr__(name: str) -> Any:  # noqa: N807  # the module's
        raise AttributeError(words(module, name), name=name, obj=sys.modules[module])

    return __getattr__


def classes_of(package: str, files: str, *kinds: type) -> dict[str, type]:
    """The classes of some kinds that files of a package define, but for what only it uses.

    Example:
        >>> [*classes_of("glassgrad.optim", "adam lbfgs", object)][:2]
        ['Adam', 'AdamW']
    """
    found = {}
    for file in files.split():
        home = import_module(f"{package}.{file}")
        for name, value in vars(home).items():
            is_own = isinstance(value, type) and value.__module__ == home.__name__
            if is_own and issubclass(value, kinds) and not name.startswith("_"):
                found[name] = value
    return found


def words(module: str, name: str, what: str = "module") -> str:
    """What an AttributeError says of a name that a module has not."""
    said = f"{what} {module!r} has no attribute {name!r}"
    home = f"torch{module.removeprefix('glassgrad')}"
    if name.startswith("_") or home not in MODULES or name not in _names()[home]:
        return said
    instead = _instead(name)
    return (
        f"{said}: PyTorch has it ({home}.{name}), and glassgrad has not. "
        f'{instead} The page "What is not here" lists what else is not.'.replace("  ", " ")
    )


def missing_names(module: str) -> list[str]:
    """The names that one of MODULES has in PyTorch, and not here.

    Example:
        >>> "sparse_bsr_tensor" in missing_names("torch")
        True
    """
    path = module.replace("torch", "glassgrad", 1)
    try:
        home: Any = import_module(path.removesuffix(".Tensor"))
    except ModuleNotFoundError:
        return sorted(_names()[module])
    home = home.Tensor if path.endswith(".Tensor") else home
    return [name for name in sorted(_names()[module]) if not hasattr(home, name)]


@functools.cache
def _names() -> dict[str, frozenset[str]]:
    """The list: names by module."""
    from pathlib import Path  # slow to import, and few programs come here

    found: dict[str, list[str]] = {}
    text = Path(__file__).with_name("torch_names.txt").read_text("utf-8")
    for line in text.splitlines():
        if line.startswith("torch"):
            names = found[line] = []
        elif line.startswith("  "):
            names += line.split()
    return {module: frozenset(names) for module, names in found.items()}


def _instead(name: str) -> str:
    for parts, instead in _INSTEAD.items():
        if any(name.startswith(part) or f"_{part}" in name for part in parts.split()):
            return instead
    return ""
