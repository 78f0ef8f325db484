"""What happens in PyTorch, told as the same events: by the hooks that it has for whoever watches.

    TorchFunctionMode               each function of PyTorch that this thread calls
    step hooks of all optimisers    each step
    forward hooks of all modules    which are in evaluation mode

PyTorch tells nothing of what its nodes save but by hooks that would change how it checks them. So
the operands and results of recorded ops are looked at instead, and the nodes only where one of
these was overwritten. It is imported here only if the program has imported it.
"""

import contextlib
import importlib.util
import sys
import weakref
from collections.abc import Callable
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import numpy as np

from glassgrad.core.errors import GlassgradError
from glassgrad.core.state import Block, modes, setting
from glassgrad.source.names import name_of

from .ledger import Op, Run
from .observer import Observer, Source
from .prints import print_of

_MOST_PRINTED = 64_000_000  # bytes of prints, before they are let go
_NAMES = {
    "Sub": "sub subtract __sub__ __rsub__",
    "Add": "add __add__ __radd__ __iadd__ add_",
    "Mul": "mul multiply __mul__ __rmul__",
    "Div": "div divide true_divide __truediv__",
    "Neg": "neg negative __neg__",
    "Relu": "relu",
    "MseLoss": "mse_loss",
    "L1Loss": "l1_loss",
    "SmoothL1Loss": "smooth_l1_loss",
    "HuberLoss": "huber_loss",
    "CrossEntropy": "cross_entropy",
    "NllLoss": "nll_loss",
    "BinaryCrossEntropyWithLogits": "binary_cross_entropy_with_logits",
}
_OP_OF = {name: op for op, names in _NAMES.items() for name in names.split()}
"""Glassgrad's names of the ops that checks ask for, by those of PyTorch's functions."""
_WITH_STATISTICS = frozenset(("batch_norm", "instance_norm"))  # which they write, uncounted
_WRITES = frozenset(("__iadd__", "__isub__", "__imul__", "__itruediv__", "__setitem__"))


class TorchSource(Source):
    """Tells an observer what this thread does with PyTorch, from `open` on.

    Args:
        torch: the module.
    """

    def __init__(self, observer: Observer, torch: Any) -> None:
        super().__init__(observer)
        self.torch = torch
        self.passes = torch.Tensor.backward, torch.autograd.backward, torch.autograd.grad
        self.is_transforming = self._whether_transforming()
        self.is_busy = False
        self.seen: dict[int, tuple[Any, int, bytes]] = {}
        """What recorded ops read and made since the last pass: weakly, its version, its print."""
        self.printed = 0  # bytes
        self.evaluating: dict[int, Any] = {}

    def open(self, stack: contextlib.ExitStack) -> None:
        torch, source = self.torch, self

        class Mode(torch.overrides.TorchFunctionMode):  # type: ignore[misc,name-defined]  # Any
            def __torch_function__(
                self, func: Any, _: Any, args: Any = (), kwargs: Any = None
            ) -> Any:
                return source.called(func, args, kwargs or {})

        optimizer = importlib.import_module("torch.optim.optimizer")
        module = importlib.import_module("torch.nn.modules.module")
        for handle in (
            optimizer.register_optimizer_step_pre_hook(self.before_step),
            optimizer.register_optimizer_step_post_hook(self.after_step),
            module.register_module_forward_hook(self._forward),
        ):
            stack.callback(handle.remove)
        stack.enter_context(Mode())

    def _whether_transforming(self) -> Callable[[], object]:
        """Whether a transform (`vmap`, `grad`) is open: its tensors stand for others."""
        functorch = getattr(self.torch._C, "_functorch", None)
        return getattr(functorch, "peek_interpreter_stack", lambda: None)

    # How it looks at tensors --------------------------------------------------------------------

    @staticmethod
    def grad(leaf: Any) -> Any:
        return leaf.grad

    @staticmethod
    def version(tensor: Any) -> int:
        return tensor._version  # type: ignore[no-any-return]  # Any

    def array(self, tensor: Any) -> Any:
        torch = self.torch
        if not isinstance(tensor, torch.Tensor):
            return np.asarray(tensor)
        with torch.no_grad():
            plain = tensor.detach()
            plain = plain.to_dense() if plain.layout != torch.strided else plain
            if plain.dtype == torch.bfloat16:
                plain = plain.float()
            return plain.cpu().resolve_conj().resolve_neg().numpy()

    def norm(self, tensor: Any) -> float:
        torch = self.torch
        with torch.no_grad():
            plain = tensor.detach()
            plain = plain.coalesce().values() if plain.layout == torch.sparse_coo else plain
            plain = (
                plain if plain.dtype in (torch.float64, torch.complex128) else plain.abs().float()
            )
            return float(torch.linalg.vector_norm(plain))

    @staticmethod
    def memory(tensor: Any) -> int:
        try:
            return tensor.data_ptr() or id(tensor)
        except (AttributeError, RuntimeError):
            return id(tensor)  # sparse, or one that stands for others

    @staticmethod
    def seq(node: Any) -> int:
        return node._sequence_nr()  # type: ignore[no-any-return]  # Any

    # Ops ----------------------------------------------------------------------------------------

    def called(self, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        """Call a function of PyTorch, and tell of it."""
        is_pass = func in self.passes
        is_inner = self.observer.stepping and not is_pass  # a closure may run a pass
        if self.is_busy or is_inner or modes.key != self.key or self.is_transforming():
            return func(*args, **kwargs)
        if is_pass:
            return self._pass(func, args, kwargs)
        name = getattr(func, "__name__", "")
        if name in _WRITES or (name.endswith("_") and name[:1] != "_"):
            self._about_to_write(args[0] if args else None)
        out = func(*args, **kwargs)
        if isinstance(out, self.torch.Tensor):
            with self._quietly():
                try:
                    self._made(name, args, out)
                except GlassgradError:
                    raise  # a finding
                except (RuntimeError, TypeError, NotImplementedError):
                    pass  # a tensor without values, which stands for others
        return out

    def _made(self, name: str, args: Any, out: Any) -> None:
        node = out.grad_fn
        if not self.torch.is_grad_enabled() and name != "__get__":
            for x in args:
                if isinstance(x, self.torch.Tensor) and x.requires_grad and x.is_leaf:
                    self.observer.unrecorded(x, self)
        if node is not None and name not in ("__get__", "detach"):
            read = args[:1] if name in _WITH_STATISTICS else args
            for each in (*read, out):
                if isinstance(each, self.torch.Tensor) and each.numel():
                    self._look(each)
        op = _OP_OF.get(name)
        if op in self.observer.ops:
            self.observer.made(Op(op, args, out, node, self))

    def _look(self, tensor: Any) -> None:
        key = id(tensor)
        known = self.seen.get(key)
        if known is not None and known[0]() is tensor and known[1] == tensor._version:
            return
        if tensor.device.type != "cpu":
            return  # to compare what is elsewhere would take longer than to compute it
        print_now = print_of(self.array(tensor))
        self.printed += len(print_now)
        if self.printed > _MOST_PRINTED:
            self.seen.clear()
            self.printed = 0
        self.seen[key] = weakref.ref(tensor), tensor._version, print_now

    def _quietly(self) -> setting:
        """Inside, what is called is ours."""
        return setting(vars(self), is_busy=True)

    # Passes -------------------------------------------------------------------------------------

    def _pass(self, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        """Run a pass: `loss.backward()`, `autograd.backward(…)`, or `autograd.grad(…)`."""
        with self._quietly():
            accumulates = func is not self.torch.autograd.grad
            inputs = kwargs.get("inputs") if accumulates else args[1]
            run = self._described(_several(args[0]), _several(inputs), accumulates=accumulates)
            keeps = kwargs.get("retain_graph")
            run.is_freeing = not (kwargs.get("create_graph") if keeps is None else keeps)
            self._compare(run)
            self.observer.pass_begins(run)
        out = func(*args, **kwargs)
        with self._quietly():
            self.observer.pass_ended(run)
        return out

    def _described(self, outputs: Any, inputs: Any, *, accumulates: bool) -> Run:
        """A pass from `outputs` to `inputs`; to all leaves, if there are none."""
        found = [getattr(x, "grad_fn", None) or getattr(x, "node", None) for x in outputs]
        roots: list[Any] = [node for node in found if node is not None]
        nodes, seen, leaves = list(dict.fromkeys(roots)), set(roots), []
        for node in nodes:  # which grows
            if (leaf := getattr(node, "variable", None)) is not None:
                leaves.append(leaf)
            for each, _ in node.next_functions:
                if each is not None and each not in seen:
                    seen.add(each)
                    nodes.append(each)
        asked = {id(x) for x in inputs}
        run = Run(self, roots)
        run.nodes, run.modules = nodes, list(self.evaluating.values())
        self.evaluating.clear()
        for tensor in leaves:
            leaf = self.observer.ledger.leaf(tensor, self)
            if accumulates and (not asked or id(tensor) in asked):
                run.leaves.append((leaf, tensor))
            elif not accumulates:
                leaf.is_asked |= id(tensor) in asked
        return run

    def _compare(self, run: Run) -> None:
        """Look whether what ops have read and made is still what it was."""
        for ref, version, before in list(self.seen.values()):
            tensor = ref()
            if tensor is None or tensor._version != version:
                continue  # gone, or PyTorch says so itself
            if print_of(self.array(tensor)) != before:
                self._overwritten(run, tensor)
        self.seen.clear()
        self.printed = 0

    def _overwritten(self, run: Run, tensor: Any) -> None:
        """Tell of it if a node of the pass has saved it."""
        memory = self.memory(tensor)
        for node in run.nodes:
            for name in dir(node):
                if not name.startswith("_saved_"):
                    continue
                try:
                    saved = getattr(node, name)
                except RuntimeError:
                    continue  # freed, or counted after all
                if isinstance(saved, self.torch.Tensor) and self.memory(saved) == memory:
                    called = name_of(tensor) or f"its {name.removeprefix('_saved_')!r}"
                    by = self.writes.get(memory)
                    self.observer.overwritten(called, node, None, by, memory)
                    return

    # Writes, steps and modules ------------------------------------------------------------------

    def _about_to_write(self, tensor: Any) -> None:
        if not isinstance(tensor, self.torch.Tensor):
            return
        with self._quietly():
            self.note_write(tensor, self.memory(tensor))

    def after_step(self, optimizer: Any, *_: Any) -> None:
        if modes.key == self.key:
            with self._quietly():
                super().after_step(optimizer)

    def _forward(self, module: Any, *_: Any) -> None:
        if modes.key == self.key and not module.training and self.torch.is_grad_enabled():
            self.evaluating[id(module)] = module


def _several(tensors: Any) -> Any:
    """One tensor, or edge, or several of them, as a tuple."""
    if tensors is None:
        return ()
    return (tensors,) if hasattr(tensors, "grad_fn") or hasattr(tensors, "node") else tuple(tensors)


# When it is imported ------------------------------------------------------------------------------


class _Finder(MetaPathFinder):
    """Finds one module as all others would, and has something done when it has been imported."""

    def __init__(self, name: str, then: Callable[[], None]) -> None:
        self.name, self.then, self.is_busy = name, then, False

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name != self.name or self.is_busy:
            return None
        with setting(vars(self), is_busy=True):
            spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self.then)
        return spec


class _Loader(Loader):
    def __init__(self, loader: Any, then: Callable[[], None]) -> None:
        self.loader, self.then = loader, then

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)  # type: ignore[no-any-return]  # Any

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self.loader  # nothing of ours stays in it
        if module.__spec__ is not None:
            module.__spec__.loader = self.loader
        self.loader.exec_module(module)
        self.then()


class when_imported(Block):  # noqa: N801  # reads as a statement
    """Inside, call `then` once the module of that name has been imported."""

    def __init__(self, name: str, then: Callable[[], None]) -> None:
        self.finder = _Finder(name, then)

    def begin(self) -> None:
        sys.meta_path.insert(0, self.finder)

    def leave(self) -> None:
        if self.finder in sys.meta_path:
            sys.meta_path.remove(self.finder)
