"""Programs with hooks, and passes of all kinds."""

import threading
import warnings

from both import leaf, plain
from leaks.letting_go import Owner, Programs, attempt, behind

__all__ = ["OURS", "PROGRAMS"]

PROGRAMS = program = Programs()
OURS = ours = Programs()


# Hooks --------------------------------------------------------------------------------------------


def _hooked(lib, register, *, run=True):
    """What dies when a hook that holds an Owner hangs where `register(x, y, owner)` puts it."""
    x, owner = leaf(lib, [0.3, 0.7]), Owner()
    y = x.sin() * 2
    register(x, y, owner)
    dying = [x, owner, *behind(y)]
    if run:
        y.sum().backward(retain_graph=True)
        y.sum().backward()
    return dying


@program
def hook_on_a_leaf(lib):
    return _hooked(lib, lambda x, y, owner: x.register_hook(lambda g, _=owner: g * 2))


@program
def hook_on_a_tensor(lib):
    return _hooked(lib, lambda x, y, owner: y.register_hook(lambda g, _=owner: g * 2))


@program
def hook_that_never_runs(lib):
    return _hooked(lib, lambda x, y, owner: y.register_hook(lambda g, _=owner: None), run=False)


@program
def hook_before_a_node(lib):
    return _hooked(lib, lambda x, y, owner: y.grad_fn.register_prehook(lambda g, _=owner: g))


@program
def hook_after_a_node(lib):
    return _hooked(lib, lambda x, y, owner: y.grad_fn.register_hook(lambda i, o, _=owner: i))


@program
def hook_after_accumulation(lib):
    def register(x, y, owner):
        x.register_post_accumulate_grad_hook(lambda x, _=owner: None)

    return _hooked(lib, register)


@program
def hook_on_the_node_of_a_leaf(lib):
    def register(x, y, owner):
        node = lib.autograd.graph.get_gradient_edge(x).node
        node.register_prehook(lambda g, _=owner: None)
        node.register_hook(lambda i, o, _=owner: None)

    return _hooked(lib, register)


@ours
def hook_on_several_tensors(lib):
    def register(x, y, owner):
        for mode in ("all", "any"):
            lib.autograd.graph.register_multi_grad_hook((x, y), lambda g, _=owner: None, mode=mode)

    return _hooked(lib, register)


@program
def hook_that_removes_itself(lib):
    def register(x, y, owner):
        handles = []

        def hook(grad, _=owner):
            while handles:
                handles.pop().remove()

        handles.append(y.register_hook(hook))

    return _hooked(lib, register)


@program
def hook_that_keeps_its_gradient(lib):
    def register(x, y, owner):
        owner.kept = []
        y.register_hook(owner.kept.append)

    return _hooked(lib, register)


@program
def retained_gradient(lib):
    return _hooked(lib, lambda x, y, owner: y.retain_grad())


@program
def callback_at_the_end_of_a_pass(lib):
    def register(x, y, owner):
        engine = lib.autograd.Variable._execution_engine
        y.register_hook(lambda g: engine.queue_callback(lambda _=owner: None))

    return _hooked(lib, register)


# Passes -------------------------------------------------------------------------------------------


@program
def gradients_of_gradients(lib):
    x = leaf(lib, [0.3, 0.7])
    y = (x.sin() * x).sum()
    grads = [y]
    for _ in range(3):
        grads += lib.autograd.grad(grads[-1].sum(), x, create_graph=True)
    return [x, *behind(*grads)]


@program
def gradient_edges(lib):
    x = leaf(lib, [0.3, 0.7])
    y = x.sin()
    edge = lib.autograd.graph.get_gradient_edge(y)
    lib.autograd.backward((edge,), (plain(lib, [1.0, 2.0]),), inputs=[x], retain_graph=True)
    (grad,) = lib.autograd.grad(y.exp().sum(), [edge])
    return [x, grad, *behind(y), edge.node]


@program
def backward_inside_a_hook(lib):
    def register(x, y, owner):
        def hook(grad, _=owner):
            z = leaf(lib, 2.0)
            with lib.enable_grad():
                (z * z).backward()

        y.register_hook(hook)

    return _hooked(lib, register)


@program
def passes_in_threads(lib):
    x = leaf(lib, [0.3, 0.7])
    y = x.exp().sin().sum()
    threads = [threading.Thread(target=y.backward, kwargs={"retain_graph": True}) for _ in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [x, *behind(y), *threads]


@program
def nan_found_in_anomaly_mode(lib):
    x = leaf(lib, [0.0])
    with warnings.catch_warnings(action="ignore"), lib.autograd.detect_anomaly():
        y = (x.sqrt() * 0).sum()
        dying = behind(y)
        attempt(y.backward)
    return [x, *dying]
