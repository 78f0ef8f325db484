"""What a random program may use: user Functions, hooks, and a log of what happened when.

Played once for each library: with `lib` given, or as the head of a printed script, which takes the
library's name from the command line.
"""

import importlib
import sys
from typing import Any

import numpy as np

lib: Any = globals().get("lib") or importlib.import_module(sys.argv[1])
log: list[tuple[str, str | None, Any]] = []  # (what, the leaf it happened at, gradients)


def leaf(values: Any) -> Any:
    """A float64 leaf that requires grad."""
    return lib.tensor(values, dtype=lib.float64, requires_grad=True)


def plain(values: Any) -> Any:
    """A float64 tensor that does not."""
    return lib.tensor(values, dtype=lib.float64)


def places(numbers: Any) -> Any:
    """Where to read or to write."""
    return lib.tensor(numbers, dtype=lib.int64)


def weights(x: Any) -> Any:
    """A gradient for `x`, another number for each element."""
    n = int(np.prod(tuple(x.shape)))
    return plain(np.linspace(0.5, 1.5, n).reshape(tuple(x.shape)).tolist())


def seen(grad: Any) -> Any:
    """Gradients as they are now: lists, None where there is none."""
    if isinstance(grad, (tuple, list)):
        return [seen(part) for part in grad]
    return None if grad is None else grad.detach().clone().tolist()  # PyTorch may mean zeros


def scaled(grad: Any, factor: float) -> Any:
    """The gradient or gradients, multiplied; None stays."""
    if isinstance(grad, tuple):
        return tuple(scaled(part, factor) for part in grad)
    return None if grad is None else grad * factor


# Hooks --------------------------------------------------------------------------------------------


def look(name: str, at: str | None = None, factor: float | None = None, also: Any = None) -> Any:
    """A hook on a tensor, or before a node: notes what it gets, and may multiply it.

    Args:
        also: a tensor that gets another such hook.
    """
    if also is not None:
        also.register_hook(look(name + "b", at))

    def hook(grad: Any) -> Any:
        log.append((name, at, seen(grad)))
        return None if factor is None else scaled(grad, factor)

    return hook


def after(name: str, at: str | None = None, factor: float | None = None) -> Any:
    """A hook behind a node."""

    def hook(results: Any, grads: Any) -> Any:
        log.append((name, at, seen(grads)))
        return None if factor is None else scaled(results, factor)

    return hook


def stored(name: str, at: str) -> Any:
    """A hook behind the accumulation in a leaf."""

    def hook(x: Any) -> None:
        log.append((name, at, seen(x.grad)))

    return hook


def looked(*tensors: Any) -> Any:
    """The tensors, after a look at their nodes: PyTorch crashes where a hook looks first."""
    nodes = [x.grad_fn for x in tensors]
    return tensors if len(nodes) > 1 else tensors[0]


def several(tensors: Any, name: str, mode: str) -> Any:
    """A hook for all of `tensors`."""
    return lib.autograd.graph.register_multi_grad_hook(
        tensors, lambda grads: log.append((name, name, seen(grads))), mode=mode
    )


def calls_back(name: str) -> Any:
    """A hook that asks to be told of the end of the pass."""
    queue = lib.autograd.Variable._execution_engine.queue_callback

    def hook(_: Any) -> None:
        queue(lambda: log.append((name, None, "the end")))

    return hook


def edge(x: Any) -> Any:
    """The place in the graph where the gradient of `x` arrives."""
    return lib.autograd.graph.get_gradient_edge(x)


def cleared(x: Any) -> None:
    """Put zeros into the gradient."""
    if x.grad is not None:
        x.grad.detach().zero_()


def node_of(x: Any) -> Any:
    """The node at which the gradient of `x` arrives."""
    return lib.autograd.graph.get_gradient_edge(x).node


def behind(*roots: Any) -> list[Any]:
    """The nodes behind tensors, in an order that depends on the graph's shape alone."""
    order: list[Any] = []
    stack, met = [x.grad_fn for x in reversed(roots) if x.grad_fn is not None], set()
    while stack:
        node = stack.pop()
        if node not in met:
            met.add(node)
            order.append(node)
            stack.extend(n for n, _ in reversed(node.next_functions) if n is not None)
    return order


def watch(name: str, *roots: Any) -> list[Any]:
    """Note when each node behind `roots` runs."""
    nodes = behind(*roots)
    for number, node in enumerate(nodes):
        what = f"{name}:{number}"
        node.register_prehook(look(what, what if "AccumulateGrad" in node.name() else None))
    return nodes


# Saved tensors ------------------------------------------------------------------------------------


def packed(name: str) -> Any:
    """A block in which saved tensors are kept as lists, and what is packed is noted."""

    def pack(x: Any) -> Any:
        log.append((f"{name} packs", None, seen(x)))
        return x.dtype, seen(x)

    def unpack(kept: Any) -> Any:
        log.append((f"{name} unpacks", None, kept[1]))
        return lib.tensor(kept[1], dtype=kept[0])

    return lib.autograd.graph.saved_tensors_hooks(pack, unpack)


def again(x: Any, name: str, *, reentrant: bool = False) -> Any:
    """A function of `x` that keeps nothing and runs again in the backward pass."""

    def function(x: Any) -> Any:
        log.append((f"{name} runs", None, None))
        return (x.sin() * x).tanh() * 0.5

    checkpoint = lib.utils.checkpoint.checkpoint
    return checkpoint(function, x, use_reentrant=reentrant, preserve_rng_state=False)


# Functions ----------------------------------------------------------------------------------------


class Split(lib.autograd.Function):
    """Two outputs."""

    @staticmethod
    def forward(ctx, x):
        return x * 0.5, x * 0.25

    @staticmethod
    def backward(ctx, half, quarter):
        return half * 0.5 + quarter * 0.25


class Swap(lib.autograd.Function):
    """Two operands, two outputs, gradients that may be missing."""

    @staticmethod
    def forward(ctx, x, y):
        ctx.set_materialize_grads(False)
        return y * 1.0, x * 1.0

    @staticmethod
    def backward(ctx, first, second):
        return second, first


class Nothing(lib.autograd.Function):
    """No gradient."""

    @staticmethod
    def forward(ctx, x):
        return x * 0.125

    @staticmethod
    def backward(ctx, grad):
        return None


class Keep(lib.autograd.Function):
    """Saves its input and its output, and takes a number."""

    @staticmethod
    def forward(ctx, x, factor):
        y = x * factor
        ctx.save_for_backward(x, y)
        ctx.factor = factor
        return y

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return grad * ctx.factor + 0.125 * grad * x * y, None


class Dirty(lib.autograd.Function):
    """Changes its input."""

    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(0.5)

    @staticmethod
    def backward(ctx, grad):
        return grad * 0.5


class Alias(lib.autograd.Function):
    """Returns its input."""

    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad * 3.0


class Window(lib.autograd.Function):
    """Returns a view of its input."""

    @staticmethod
    def forward(ctx, x):
        ctx.shape = tuple(x.shape)
        return x.unsqueeze(0)

    @staticmethod
    def backward(ctx, grad):
        return grad.reshape(ctx.shape) * 2.0


class Half(lib.autograd.Function):
    """A second output that has no gradient."""

    @staticmethod
    def forward(ctx, x):
        steps = x.detach() > 0
        ctx.mark_non_differentiable(steps)
        return x * 0.75, steps

    @staticmethod
    def backward(ctx, grad, _):
        return grad * 0.75


def twice(roots: Any, x: Any, seeds: Any) -> Any:
    """The gradients with respect to `x`, and those of their sum."""
    first = lib.autograd.grad(roots, x, seeds, create_graph=True, allow_unused=True)
    if first[0] is None or not first[0].requires_grad:
        return first
    noted = len(log)
    second = lib.autograd.grad(first, x, weights(first[0]), retain_graph=True, allow_unused=True)
    del log[noted:]  # the graph of a gradient is each library's own, and so is its order
    return (*first, *second)
