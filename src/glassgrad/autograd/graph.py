"""`torch.autograd.graph`: nodes and edges of a backward graph, and the pass that runs over them.

Nodes are made in `glassgrad.core`. Here is what one may do with them: call one by hand, ask which
pass is at which of them, wait for the gradients of several tensors, and say how the tensors that
nodes save are kept:

    with saved_tensors_hooks(pack, unpack):      forward:   node keeps pack(x) in the place of x
        y = x.exp()                              backward:  unpack(pack(x)) stands for x again
"""

import contextlib
import itertools
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Literal
from weakref import WeakKeyDictionary

from glassgrad.core import state
from glassgrad.core.engine import accumulate, accumulating, fit
from glassgrad.core.errors import ArgumentError, ArgumentTypeError, ExpectationError, GraphError
from glassgrad.core.graph import AccumulateGrad, GradientEdge, Node, accumulator, get_gradient_edge
from glassgrad.core.saved import PrimitiveNode
from glassgrad.core.state import Block, Changes, Values, is_recording, modes, set_modes, setting
from glassgrad.core.tensor import Tensor, Version
from glassgrad.hooks import on_gradients
from glassgrad.hooks.on_gradients import RemovableHandle, as_tensors, check_hooks, register_hook
from glassgrad.hooks.turn import GraphTask
from glassgrad.memory.views import AsStridedBackward0, CopySlices
from glassgrad.ops import _checks as check

__all__ = [
    "AccumulateGrad",
    "GradientEdge",
    "Node",
    "_current_autograd_node",
    "_current_graph_task_execution_order",
    "_current_graph_task_id",
    "_will_engine_execute_node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
    "set_warn_on_accumulate_grad_stream_mismatch",
]

Hook = Callable[[Any], None]


class _MultiHandle(RemovableHandle):
    """Takes away the hooks of several tensors."""

    def __init__(self, handles: Sequence[RemovableHandle]) -> None:
        self.handles = tuple(handles)

    def remove(self) -> None:
        """Take them away; doing so twice is harmless."""
        for handle in self.handles:
            handle.remove()


def register_multi_grad_hook(
    tensors: Sequence[Tensor], fn: Hook, *, mode: Literal["all", "any"] = "all"
) -> RemovableHandle:
    """Call `fn` once in each pass that computes gradients of some of `tensors`.

    Args:
        tensors: tensors that require grad. With `mode="any"` those that do not are left out.
        fn: with `mode="all"` it gets a list, once the gradients of all tensors that the pass
            computes are there: one gradient for each tensor, None where the pass computes none.
            With `mode="any"` it gets the first gradient that is there. What it returns is ignored.
        mode: "all" or "any".

    Returns:
        A handle whose `remove()` takes the hook away.

    Raises:
        ArgumentError: if `mode` is neither.
        ArgumentTypeError: if there is anything but tensors.
        ExpectationError, GraphError: if a tensor does not require grad.
        GraphError: by the pass, for `grad()` with respect to a leaf among `tensors`.

    Example:
        >>> a, b = tensor(2.0, requires_grad=True), tensor(3.0, requires_grad=True)
        >>> handle = register_multi_grad_hook((a, b), lambda grads: print(grads))
        >>> (a * b).backward()
        [tensor(3.), tensor(2.)]
        >>> (a * 2).backward()
        [tensor(2.), None]
    """
    if mode not in ("all", "any"):
        raise ArgumentError(
            f"Expects mode to be one of ('all', 'any') but got {mode}. It says after which "
            "gradient the hook runs: the last or the first. Write mode='all' or mode='any'."
        )
    for place, x in enumerate(tensors):
        wanted = f"register_multi_grad_hook(): element {place} of tensors must be Tensor"
        check.kind(wanted, x, Tensor, "The hook waits for gradients. Pass tensors.")
    if mode == "any":
        tensors = [x for x in tensors if x.requires_grad]
    hook = _MultiHook(tensors, fn, is_for_all=mode == "all")
    handles = [register_hook(x, partial(hook.arrived, nr)) for nr, x in enumerate(tensors)]
    return _MultiHandle(handles)


class _MultiHook:
    """Waits in each pass for the gradients of all tensors that take part, or for the first one.

    Passes are told apart by their task, so that those of several threads may run at once, and
    one that fails half-way leaves nothing behind.
    """

    def __init__(self, tensors: Sequence[Tensor], fn: Hook, *, is_for_all: bool) -> None:
        self.fn, self.is_for_all = fn, is_for_all
        self.finders = [_finder(x, nr) for nr, x in enumerate(tensors)]
        self.passes: WeakKeyDictionary[GraphTask, tuple[dict[int, Tensor], int]]
        self.passes = WeakKeyDictionary()
        self.lock = threading.Lock()

    def arrived(self, nr: int, grad: Tensor) -> None:
        """Note the gradient of one tensor, and call the hook if it is the one waited for."""
        task = modes.task
        with self.lock:
            if task not in self.passes:
                self.passes[task] = {}, self._expected(task)
            grads, expected = self.passes[task]
            grads[nr] = grad
            is_due = len(grads) == expected
            if is_due:
                self.passes[task] = {}, 0
        if is_due:
            places = range(len(self.finders))
            self.fn([grads.get(place) for place in places] if self.is_for_all else grad)

    def _expected(self, task: GraphTask) -> int:
        """How many gradients are waited for in a pass."""
        if not self.is_for_all:
            return 1
        return sum(_taking_part(task, [find() for find in self.finders]))


def _finder(tensor: Tensor, nr: int) -> Callable[[], Node | None]:
    """How to find the node at which the gradient of `tensor` arrives, None once it is gone.

    It refers to it weakly: the hooks hang on the node, or on the leaf.
    """
    if not tensor.requires_grad:
        raise ExpectationError(
            f"Expected gradient function to be set: tensor {nr} does not require grad (shape "
            f"{tuple(tensor.shape)}). No gradient would ever reach it. "
            "Create it with requires_grad=True."
        )
    if not tensor.is_leaf:
        return weakref.ref(tensor.grad_fn)
    leaf = weakref.ref(tensor)

    def find() -> Node | None:
        alive = leaf()
        return None if alive is None else accumulator(alive)

    return find


# The pass that runs in this thread ----------------------------------------------------------------


_next_id = itertools.count().__next__


def _current_graph_task_id() -> int:
    """A number for the pass that runs in this thread, the innermost one; -1 outside of any.

    Example:
        >>> x = tensor(1.0, requires_grad=True)
        >>> handle = x.register_hook(lambda _: print(_current_graph_task_id() >= 0))
        >>> x.backward()
        True
        >>> _current_graph_task_id()
        -1
    """
    task = modes.task
    if task is None:
        return -1
    if task.number is None:
        task.number = _next_id()
    return int(task.number)


def _current_autograd_node() -> Node | None:
    """The node that this thread's pass is at: in its `backward` and in the hooks around it."""
    task: GraphTask | None = modes.task
    return None if task is None else task.node


def _will_engine_execute_node(node: Any) -> bool:
    """Whether the pass that runs in this thread computes the gradient that arrives at `node`.

    Raises:
        ArgumentTypeError: if `node` is no node.
        GraphError: outside of a pass; for a leaf whose gradient `grad()` is asked for.
    """
    why = "A pass goes from node to node. Pass `y.grad_fn`."
    check.kind("_will_engine_execute_node expects an grad_fn, but got", node, Node, why)
    return _taking_part(_running_pass("_will_engine_execute_node"), [node])[0]


def _current_graph_task_execution_order() -> list[Node]:
    """The nodes of the pass that runs in this thread, in the order in which it visits them.

    Raises:
        GraphError: outside of a pass.
    """
    task = _running_pass("_current_graph_task_execution_order")
    computed = task.computed()
    return [node for node in task.schedule if node in computed]


def _running_pass(asked: str) -> GraphTask:
    """The pass that runs in this thread; `asked` is the function that needs one, for the error."""
    task: GraphTask | None = modes.task
    if task is None:
        raise GraphError(
            f"{asked} should only be called during the backward pass: outside of it nothing is "
            "going to run. Call it from a hook."
        )
    return task


def _taking_part(task: GraphTask, nodes: Sequence[Node | None]) -> list[bool]:
    """For each node, whether `task` computes the gradient that arrives there; not for None."""
    computed = task.computed()
    for node in nodes:
        if node in task.wanted and not any(node.edges):  # as PyTorch tells a leaf's node
            raise GraphError(
                "A leaf node was passed to _will_engine_execute_node but we are currently "
                "running autograd.grad(). This is currently not supported. Call backward(), "
                "or take the leaf out of register_multi_grad_hook()."
            )
    return [node in computed for node in nodes]


# Hooks on saved tensors ---------------------------------------------------------------------------


class saved_tensors_hooks(Block):  # noqa: N801  # PyTorch's name
    """Keep saved tensors in a form of your own: on disk, compressed, or to be computed again.

    Args:
        pack_hook: gets each tensor that an op or a Function saves in this block, and returns
            whatever is to be kept. It runs without recording, and must not write to its tensor.
        unpack_hook: gets what `pack_hook` returned each time the saved tensor is needed, and
            returns a tensor of the same shape.

    Raises:
        ArgumentTypeError: if a hook is not callable, or `unpack_hook` returns no tensor.
        GraphError: inside `disable_saved_tensors_hooks`; or if `pack_hook` writes to its tensor.

    Of nested blocks only the innermost acts. Return `x.detach()` rather than `x` from
    `pack_hook`: an output that its own node keeps is a cycle, which only gc frees.

    Example:
        >>> x = tensor([1.0, 2.0], requires_grad=True)
        >>> with saved_tensors_hooks(lambda x: x.numpy(), lambda array: tensor(array)):
        ...     y = x.exp()
        >>> y.sum().backward()
        >>> x.grad
        tensor([2.7183, 7.3891])

    See also: https://pytorch.org/tutorials/intermediate/autograd_saved_tensors_hooks_tutorial.html
    """

    def __init__(
        self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]
    ) -> None:
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self) -> None:
        set_modes(**_with_hooks(self.pack_hook, self.unpack_hook))

    def leave(self) -> None:
        if not modes.hook_pairs:
            raise GraphError(
                "saved_tensors_hooks was left more often than it was entered in this thread. "
                "Write `with saved_tensors_hooks(...):` instead of calling __exit__."
            )
        Block().enter(None, {"hook_pairs": modes.hook_pairs[:-1]})


def _with_hooks(pack_hook: Any, unpack_hook: Any) -> Changes:
    """The modes inside a block with these hooks."""
    if modes.no_hooks is not None:
        raise GraphError(modes.no_hooks)
    pair = pack_hook, unpack_hook
    check_hooks("saved_tensors_hooks", *pair)
    return {"hook_pairs": (*modes.hook_pairs, pair)}


def packing(pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]) -> setting:
    """The block of `saved_tensors_hooks`, for our own `with` statements."""
    return setting(**_with_hooks(pack_hook, unpack_hook))


class save_on_cpu(saved_tensors_hooks):  # noqa: N801  # PyTorch's name
    """Keep saved tensors in main memory; they return to their device when they are needed.

    Args:
        pin_memory: accepted for PyTorch's sake. It makes a copy in pinned memory there, which
            NumPy does not have; here it makes an ordinary copy.
        device_type: accepted for PyTorch's sake, has no effect.

    Example:
        >>> x = tensor([1.0, 2.0], requires_grad=True)
        >>> with save_on_cpu():
        ...     y = x * x
        >>> y.sum().backward()
        >>> x.grad
        tensor([2., 4.])
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        def pack(x: Tensor) -> tuple[Any, Tensor]:
            kept = x.detach().to("cpu")
            return x.device, kept.clone() if pin_memory else kept

        def unpack(packed: tuple[Any, Tensor]) -> Tensor:
            device, kept = packed
            return kept.to(device)

        super().__init__(pack, unpack)


@contextlib.contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Refuse `saved_tensors_hooks` in this block, for code that cannot work with them.

    Args:
        error_message: what the error says.

    Raises:
        GraphError: with `error_message`, if hooks are active already, or are entered inside.

    Example:
        >>> with disable_saved_tensors_hooks("not under my transform"):
        ...     with save_on_cpu():
        ...         pass
        Traceback (most recent call last):
        ...
        glassgrad.core.errors.GraphError: not under my transform
    """
    if modes.hook_pairs:
        raise GraphError(error_message)
    with setting(no_hooks=error_message):
        yield


# Note [Copies of what is overwritten]
# Inside `allow_mutation_on_saved_tensors` a tensor is saved as its memory and its version,
#
#     y = (x * x).sum()     x is saved as (id of its array, version, 0)
#     x.sin_()              about to write version 0: what is saved of it is copied first
#     y.backward()          unpacks the copy
#
# It is found again by its `Version`, which all tensors of one storage share. So a write through a
# view, or through the base, finds all of them.


class _Handle:
    """Stands for a saved tensor in the graph: when the graph goes, so do handle and copy."""

    __slots__ = ("__weakref__",)


class AllowMutationOnSavedContext:
    """What `allow_mutation_on_saved_tensors` knows of the tensors saved in its block.

    Attributes:
        cloned: the copies of what was overwritten, by handle.
        original: the tensors that are still as they were saved, by handle.
        tid_to_weakhandle: the handles, by what was saved.
        sid_to_tid: what was saved, by storage and version.
    """

    def __init__(self) -> None:
        self.cloned: Any = weakref.WeakKeyDictionary()
        self.original: Any = weakref.WeakKeyDictionary()
        self.tid_to_weakhandle: Any = weakref.WeakValueDictionary()
        self.sid_to_tid: dict[tuple[Version, int], set[tuple[int, Version, int]]] = {}

    def clear(self) -> None:
        """Forget everything; graphs recorded in the block cannot be used afterwards."""
        self.cloned.clear()
        self.original.clear()
        self.tid_to_weakhandle.clear()
        self.sid_to_tid.clear()

    def _pack(self, tensor: Tensor) -> _Handle:
        version = tensor.version_counter()
        saved = id(tensor.payload), version, version.count
        self.sid_to_tid.setdefault(saved[1:], set()).add(saved)
        handle = self.tid_to_weakhandle.get(saved)
        if handle is None:
            self.tid_to_weakhandle[saved] = handle = _Handle()
            self.original[handle] = tensor.detach()  # an output itself would keep its own node
        return handle  # type: ignore[no-any-return]  # the dictionaries are Any

    def _unpack(self, handle: _Handle) -> Tensor:
        found = self.cloned.get(handle)
        if found is None:
            found = self.original.get(handle)
        if found is None or self not in _entered:
            raise AssertionError(
                "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context in "
                "which the graph was originally recorded. The copies went with the block. Move "
                "the backward pass into it."
            )
        return found  # type: ignore[no-any-return]  # the dictionaries are Any

    def _about_to_write(self, tensor: Tensor) -> None:
        """Copy what was saved of the storage of `tensor` at its present version."""
        version = None if tensor.cold is None else tensor.cold.version
        if version is None:
            return  # only a tensor with a Version was saved
        for saved in self.sid_to_tid.pop((version, version.count), ()):
            handle = self.tid_to_weakhandle.get(saved)
            if handle is not None and handle in self.original:
                self.cloned[handle] = self.original.pop(handle).clone()


_entered: tuple[AllowMutationOnSavedContext, ...] = ()
"""The block that is running, if there is one: of the process, since writes are seen by all."""


@contextlib.contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[AllowMutationOnSavedContext]:
    """Let tensors be written in place although they are saved: backward uses what was there.

    Forward and backward both belong into the block. What is saved is copied when it is written
    for the first time, and only if a graph still needs it.

    Returns:
        A context manager, whose `with … as` gives the bookkeeping.

    Raises:
        GraphError: if it is entered a second time inside itself.
        AssertionError: if a graph recorded in the block is used after it.

    Example:
        >>> x = tensor([1.0, 2.0], requires_grad=True)
        >>> with allow_mutation_on_saved_tensors():
        ...     y = x.clone()
        ...     z = (y * y).sum()
        ...     _ = y.zero_()
        ...     z.backward()
        >>> x.grad
        tensor([2., 4.])
    """
    if _entered:
        raise GraphError(
            "allow_mutation_on_saved_tensors contexts cannot be nested: one block already copies "
            "what is written. Leave out the inner one."
        )
    here = AllowMutationOnSavedContext()
    told = [*state.before_write, here._about_to_write]
    hooks, writes = packing(here._pack, here._unpack), setting(vars(state), before_write=told)
    with hooks, writes, setting(globals(), _entered=(here,)):
        try:
            yield here
        finally:
            here.clear()


def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Count a write that autograd could not see, such as one through `x.numpy()`.

    What was saved of the memory before is stale from now on, and a backward pass that needs it
    raises. Inference tensors count nothing, and are passed over.

    Args:
        tensor: what was written: one tensor or several.

    Raises:
        GraphError: for anything else.

    Example:
        >>> x = tensor([1.0])
        >>> x.numpy()[0] = 2.0
        >>> increment_version(x)
        >>> x._version
        1

    See also: https://pytorch.org/docs/stable/autograd.html
    """
    wanted = "increment_version expect a Iterable[Tensor] as input, got"
    why = "It counts writes to tensors. Write `increment_version(x)`."
    check.kind(wanted, tensor, Iterable, why, GraphError)
    wanted = "increment_version expects each element of the iterable to be a tensor, got"
    why = "Only tensors have a version. Leave it out."
    for each in (tensor,) if isinstance(tensor, Tensor) else tensor:
        check.kind(wanted, each, Tensor, why, GraphError)
        if not each.is_inference():
            each.wrote()


def set_warn_on_accumulate_grad_stream_mismatch(enabled: bool) -> None:
    """Nothing: gradients are computed and added in one stream, so there is nothing to warn of."""


# Calling a node -----------------------------------------------------------------------------------


def _call_node(node: Node, *grads: Tensor | None) -> Any:
    """What `node` makes of the gradients of its outputs: no hooks, nothing freed or passed on.

    Args:
        grads: one for each output of the node, None where there is none.

    Returns:
        The gradient of the op's operand, or a tuple of those of several; None for an operand
        that needs none. A leaf's AccumulateGrad adds to `.grad` and returns ().

    Raises:
        ArgumentTypeError: for too many or too few gradients, or what is no tensor.
        FreedGraphError, StaleTensorError: as in a pass.

    Example:
        >>> x = tensor(3.0, requires_grad=True)
        >>> y = x**2
        >>> with no_grad():
        ...     y.grad_fn(tensor(10.0))
        tensor(60.)
    """
    _check(node, grads)
    recorded = is_recording()
    values = grads if recorded else tuple([None if g is None else g.payload for g in grads])
    if isinstance(node, AccumulateGrad):
        if values[0] is not None:
            leaf, grad = node.variable, values[0]
            with accumulating: accumulate(leaf, grad, unshared=False)  # noqa: E701  # fmt: skip
        on_gradients.run(on_gradients.accumulated(node.variable), ())
        return ()
    results = as_tensors(fit(node, node.compute(values, recorded)))
    return results[0] if len(results) == 1 else results


def _check(node: Node, grads: Values) -> None:
    if len(grads) != node.num_outputs:
        raise ArgumentTypeError(
            f"expected {node.num_outputs} arguments, got {len(grads)} instead: {node.name()} takes "
            "one gradient for each of its outputs. Pass None for an output without."
        )
    for position, grad in enumerate(grads):
        if grad is not None and not isinstance(grad, Tensor):
            raise ArgumentTypeError(
                f"argument {position} is not a Variable but {type(grad).__name__}: a gradient is "
                "a tensor. Write `glassgrad.tensor(value)`."
            )


for _shown in (AccumulateGrad, AsStridedBackward0, CopySlices):
    _shown.__module__ = "builtins"  # as PyTorch's: `<AccumulateGrad object at 0x…>`

# The tape itself never calls a node. A user's node is no function either: its backward is one.
for _made_callable in (PrimitiveNode, AccumulateGrad):
    _made_callable.__call__ = _call_node  # type: ignore[method-assign]  # of `type`, says mypy
