"""The programs in `tests/programs`, run with PyTorch or with glassgrad in its place."""

import contextlib
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import glassgrad

FOLDER = Path(__file__).parent / "programs"
PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.py") if not path.stem.startswith("test_"))
MODULES = (
    "autograd",
    "autograd.forward_ad",
    "autograd.function",
    "autograd.functional",
    "autograd.graph",
    "distributions",
    "distributions.normal",
    "fft",
    "func",
    "linalg",
    "nn",
    "nn.functional",
    "nn.init",
    "nn.utils",
    "nn.utils.rnn",
    "optim",
    "optim.lr_scheduler",
    "special",
    "utils",
    "utils.checkpoint",
    "utils.data",
)


def run(name: str, library: str) -> list[float]:
    """What `main()` of the program returns, in float64; `library` is "torch" or "glassgrad"."""
    return load(name, library)()


def load(name: str, library: str) -> Any:
    """The program's `main`, with its `torch` bound to `library`; it computes in float64."""
    lib = importlib.import_module(library)
    with _in_place_of_torch() if library == "glassgrad" else contextlib.nullcontext():
        path = FOLDER / f"{name}.py"
        program: dict[str, Any] = {"__name__": name, "__file__": str(path)}
        exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), program)

    def main() -> list[float]:
        before = lib.get_default_dtype()
        lib.set_default_dtype(lib.float64)
        try:
            return program["main"]()
        finally:
            lib.set_default_dtype(before)

    return main


@contextlib.contextmanager
def _in_place_of_torch() -> Iterator[None]:
    """Let `import torch` mean glassgrad."""
    hidden = {name: module for name, module in sys.modules.items() if _is_torch(name)}
    for name in hidden:
        del sys.modules[name]
    sys.modules["torch"] = glassgrad
    for name in MODULES:
        with contextlib.suppress(ModuleNotFoundError):
            sys.modules[f"torch.{name}"] = importlib.import_module(f"glassgrad.{name}")
    try:
        yield
    finally:
        for name in [name for name in sys.modules if _is_torch(name)]:
            del sys.modules[name]
        sys.modules.update(hidden)


def _is_torch(name: str) -> bool:
    return name == "torch" or name.startswith("torch.")
