"""Hooks on tensors and nodes, which note what they get, and looks at graphs."""

from typing import Any


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


def once(name: str, x: Any) -> None:
    """A hook that takes itself away."""

    def hook(grad: Any) -> None:
        log.append((name, name if x.is_leaf else None, seen(grad)))
        handle.remove()

    handle = x.register_hook(hook)


def nested(name: str, x: Any) -> Any:
    """A hook that runs a pass of its own."""

    def hook(grad: Any) -> None:
        with lib.enable_grad():
            inner = x.detach().clone().requires_grad_()
            (inner * inner).sum().backward()
        log.append((name, name if x.is_leaf else None, seen(inner.grad)))

    return x.register_hook(hook)


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


def twice(roots: Any, x: Any, seeds: Any) -> Any:
    """The gradients with respect to `x`, and those of their sum."""
    first = lib.autograd.grad(roots, x, seeds, create_graph=True, allow_unused=True)
    if first[0] is None or not first[0].requires_grad:
        return first
    noted = len(log)
    second = lib.autograd.grad(first, x, weights(first[0]), retain_graph=True, allow_unused=True)
    del log[noted:]  # the graph of a gradient is each library's own, and so is its order
    return (*first, *second)
