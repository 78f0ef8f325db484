"""What PyTorch has and glassgrad has not: the words of an AttributeError, and a page of the docs.

`torch_names.txt` is the list of PyTorch's public names, by module. A module, or a package for all
that is in it, says

    __getattr__ = missing_from(__name__)

and whoever asks it for a name of that list is told so; other names get Python's own words. A
package whose names are the classes that its files define finds them by `classes_of`.
"""

import dis
import functools
import sys
from collections.abc import Callable
from importlib import import_module
from types import FrameType
from typing import Any

__all__ = ["classes_of", "missing_from", "missing_names", "modules", "why_missing"]

_INSTEAD = {
    "sparse": "Write `sparse_coo_tensor`, or the zeros of a dense tensor.",
    "quant q_per": "Tensors are not quantized here: write float32.",
    "qint quint": "There are no dtypes for quantized tensors: write float32.",
    "float8": "NumPy computes nothing in float8: write float32.",
    "mkldnn": "Arrays lie as NumPy's here: leave it out.",
    "nested": "Write a list of tensors, or pad them to one size.",
    "onnx export": "Export the model with PyTorch: `to_torch(model)`.",
    "names rename refine_names": "Dims have no names here: write their numbers.",
    "align": "Dims have no names here: write `permute`.",
    "torch.Tensor.solve torch.Tensor.eig torch.Tensor.lstsq": "Ask `glassgrad.linalg`.",
    "vmap": "It is `glassgrad.func.vmap`.",
    "linear_cross LinearCross": "Write `cross_entropy(linear(input, weight), target)`.",
    "torch._subclasses": "Tensors without memory have a device: write `device='meta'`.",
    "flex_attention": "Write `scaled_dot_product_attention` with a mask.",
    "torch.utils.cpp_extension": "Write an `autograd.Function` in Python.",
    "torch.cuda.": "Ask `cuda.is_available()` first.",
    "torch.distributed": "Write `nn.parallel.DistributedDataParallel`, or mpi4py's calls.",
    "torch.jit torch.compiler": "There is no compiler: call the function or module itself.",
    "torch.fx": "Nothing is traced to code: `glassgrad.record` shows a graph that ran.",
    "torch.utils.data.": "Write a `Dataset` or an `IterableDataset`.",
}
"""What to write, by how names begin, or by one of their words, or their path."""


_NOT_TENSORS = {
    "append extend": "A tensor does not grow: collect parts in a list, then write `stack(parts)`.",
    "astype": "It is NumPy's: write `x.to(dtype)`.",
    "copy": "It is NumPy's: write `x.clone()`.",
    "parameters": "A module has it. For an optimiser of this tensor alone, write `[x]`.",
    "step zero_grad": "An optimiser has it: write `optimizer.step()`, `optimizer.zero_grad()`.",
}
"""What to write for what is asked of tensors, and others have."""


def missing_from(module: str) -> Callable[[str], Any]:
    """The `__getattr__` of a module of glassgrad, and of the loaded modules in it.

    Example:
        >>> missing_from("glassgrad.nn")("NoSuchLayer")
        Traceback (most recent call last):
        AttributeError: module 'glassgrad.nn' has no attribute 'NoSuchLayer'
    """
    within = f"{module}."
    for name, child in list(sys.modules.items()) if module != "glassgrad" else ():
        if name.startswith(within):
            vars(child).setdefault("__getattr__", tells_missing(name))
    return tells_missing(module)


def tells_missing(module: str) -> Callable[[str], Any]:
    """The `__getattr__` of one module of glassgrad."""

    def __getattr__(name: str) -> Any:  # noqa: N807  # the module's
        asks = _asker()
        is_for_file = asks.f_globals.get("__name__") == "importlib._bootstrap"
        why = "" if is_for_file else why_missing(module, name)  # where there is none, it asks again
        if why and dis.opname[asks.f_code.co_code[asks.f_lasti]] == "IMPORT_FROM":
            # Python would hide an AttributeError behind words of its own.
            raise ImportError(f"cannot import name {name!r} from {module!r}: {why}", name=name)
        said = f"module {module!r} has no attribute {name!r}"
        said = f"{said}: {why}" if why else said
        raise AttributeError(said, name=name, obj=sys.modules[module])

    return __getattr__


def _asker() -> FrameType:
    """The frame outside of glassgrad that asks a module for a name."""
    frame = sys._getframe(2)
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("glassgrad"):
        frame = frame.f_back
    return frame


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


def why_missing(module: str, name: str) -> str:
    """What is said of a name that a module has not, and PyTorch has, or others than tensors.

    Example:
        >>> why_missing("glassgrad.jit", "ScriptModule")[:59]
        'PyTorch has it (torch.jit.ScriptModule), and glassgrad has '
    """
    if module == "glassgrad.Tensor":
        others = [said for names, said in _NOT_TENSORS.items() if name in names.split()]
        if others:
            return others[0]
    home = f"torch{module.removeprefix('glassgrad')}"
    is_told_of = f"{home}.{name}" in _INSTEAD
    if not is_told_of and (name.startswith("_") or name not in _names().get(home, ())):
        return ""
    return (
        f"PyTorch has it ({home}.{name}), and glassgrad has not. {_instead(home, name)} "
        'The page "What is not here" lists what else is not.'.replace("  ", " ")
    )


def modules() -> tuple[str, ...]:
    """The modules of PyTorch whose names are in the list."""
    return tuple(_names())


def missing_names(module: str) -> list[str]:
    """The names that one of `modules()` has in PyTorch, and not here.

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


def _instead(home: str, name: str) -> str:
    path = f"{home}.{name}"
    for parts, instead in _INSTEAD.items():
        for part in parts.split():
            if path.startswith(part) or name.startswith(part) or f"_{part}" in name:
                return instead
    return ""
