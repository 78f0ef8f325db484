"""`as_torch()`: programs that say `import torch` get glassgrad.

An entry in `sys.meta_path` answers for `torch` and all modules in it: `torch.nn.functional` is
`glassgrad.nn.functional`, the very same module. `torch` itself is a module that has what glassgrad
has, and PyTorch's version number, since programs look at it.
"""

import importlib
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Self

from .core.errors import GraphError
from .core.state import Block
from .environment import PYTORCH
from .missing import why_missing
from .values.dtypes import Home

__all__ = ["as_torch"]


_PATHS = {
    "_tensor": "core.tensor",
    "_vmap_internals": "func.vmap",
    "autograd.profiler": "profiler",
    "functional": "",
    "functorch": "func",
    "optim.adadelta": "optim.adagrad",
    "optim.adamax": "optim.adam",
    "optim.adamw": "optim.adam",
    "optim.asgd": "optim.sgd",
    "optim.nadam": "optim.adam",
    "optim.radam": "optim.adam",
    "optim.rmsprop": "optim.adagrad",
    "optim.sparse_adam": "optim.adam",
    "storage": "ops.memory",
    "utils._foreach_utils": "optim.optimizer",
    "utils.data._utils": "utils.data",
    "utils.data._utils.collate": "utils.data.collate",
    "utils.data._utils.worker": "utils.data.worker",
    "utils.data.distributed": "utils.data.sampler",
    "utils.hooks": "hooks.on_gradients",
    "utils.model_zoo": "hub",
}
"""Files of PyTorch that have another name here: what programs import from them is there."""


class as_torch(Block):  # noqa: N801  # reads as a statement: `with as_torch():`
    """Let `import torch`, from now on, mean glassgrad: with `torch.nn`, `torch.optim` and so on.

    Works at once as a function, and for a block as a context manager; `undo()` ends it, too. Then
    nothing of it is left in `sys.modules`; what a program has imported meanwhile stays as it is.

    Raises:
        GraphError: if PyTorch itself is imported already. It cannot be replaced in modules that
            have it.

    Example:
        >>> with as_torch():  # doctest: +SKIP
        ...     import torch
        ...     from torch import nn
        ...
        ...     print(nn.Linear(2, 3)(torch.ones(2)).shape)
        torch.Size([3])

    See also: the guide "PyTorch's programs".
    """

    def __init__(self) -> None:
        there = sys.modules.get("torch")
        if there is not None and not isinstance(there, _Torch):
            raise GraphError(
                "torch is imported already: modules that have it would keep it, and tensors of "
                "both kinds would meet. Call `glassgrad.as_torch()` before anything imports torch, "
                "at the top of the program."
            )
        self._is_first = there is None
        if self._is_first:
            sys.meta_path.insert(0, _FINDER)
            Home.name = "torch"

    def undo(self) -> None:
        """Have `import torch` mean what it meant before."""
        if self._is_first and _FINDER in sys.meta_path:
            sys.meta_path.remove(_FINDER)
            Home.name = "glassgrad"
            for name in [name for name in sys.modules if _is_torch(name)]:
                del sys.modules[name]
            importlib.invalidate_caches()

    def begin(self) -> Self:
        """It means that already."""
        return self

    def leave(self) -> None:
        self.undo()


class _Torch(ModuleType):
    """The module `torch`: what it has not itself, it has from glassgrad."""

    __version__ = PYTORCH
    __path__ = []

    def __getattr__(self, name: str) -> Any:
        return getattr(sys.modules["glassgrad"], name)

    def __dir__(self) -> list[str]:
        return dir(sys.modules["glassgrad"])


class _Finder:
    """Finds `torch` and the modules in it, and loads glassgrad's in their place."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: Any = None
    ) -> ModuleSpec | None:
        if not _is_torch(fullname):
            return None
        loader: Any = self
        return ModuleSpec(fullname, loader, origin="glassgrad", is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        if spec.name == "torch":
            module: ModuleType = _Torch("torch", sys.modules["glassgrad"].__doc__)
            vars(module).update(__all__=sys.modules["glassgrad"].__all__, torch=module)
            return module
        path = spec.name.removeprefix("torch.")
        own = f"glassgrad.{_PATHS.get(path, path)}".removesuffix(".")
        try:
            found = importlib.import_module(own)
        except ModuleNotFoundError as error:
            if error.name is None or not own.startswith(error.name):
                raise
            home, _, name = own.rpartition(".")
            why = why_missing(home, name) or (
                f'There is no {error.name}. See the page "What is not here" of its documentation.'
            )
            raise ModuleNotFoundError(
                f"No module named {spec.name!r}: `import torch` means glassgrad since "
                f"`glassgrad.as_torch()`. {why}",
                name=spec.name,
            ) from None
        spec.loader_state = found.__spec__
        return found

    def exec_module(self, module: ModuleType) -> None:
        """Give the module back the spec that importing it by another name has replaced."""
        spec = module.__spec__
        if spec is not None and spec.name != "torch":
            module.__spec__ = spec.loader_state


_FINDER = _Finder()


def _is_torch(name: str) -> bool:
    return name.partition(".")[0] in ("torch", "functorch")
