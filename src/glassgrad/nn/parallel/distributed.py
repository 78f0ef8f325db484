"""`DistributedDataParallel`: each process has the model and a share of the batch; MPI averages.

    rank 0   forward ─ backward ─ bucket 0 leaves ─ backward ─ bucket 1 leaves ─ wait ─ step
    rank 1   forward ─ backward ─ bucket 0 leaves ─ backward ─ bucket 1 leaves ─ wait ─ step

A hook at each parameter puts its gradient into a bucket. A bucket that is full leaves: its sum over
the ranks is begun, and backward goes on meanwhile. At the end of the pass all ranks wait for the
sums, and have the same gradients. So they make the same step, and the same weights stay the same.
"""

import itertools
import weakref
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from glassgrad.autograd.grad_mode import no_grad
from glassgrad.autograd.variable import Variable
from glassgrad.core.errors import ArgumentError, GraphError
from glassgrad.core.state import modes, setting
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.nn.module import Module
from glassgrad.nn.parameter import Parameter, is_lazy
from glassgrad.values.tree import flatten

from ._ranks import UNCOUNTED, Ranks, array_of

__all__ = ["DistributedDataParallel"]

MEBIBYTE = 1 << 20


class DistributedDataParallel(Module):
    """A module whose gradients are averaged over all processes of an MPI communicator.

    Each process, a rank, runs the same program under `mpiexec` on a share of the data of its own.
    Rank 0's parameters and buffers are sent to all when this is made. From then on backward leaves
    in `.grad` the mean of what the ranks computed. If the loss is a mean over equal shares, that
    is the gradient of the whole batch, and training is that of one process.

    An exception that nobody catches ends the job, on all ranks.

    Args:
        module: what computes, built alike on each rank.
        device_ids, output_device: None: the module is where its parameters are.
        dim: the one of the first input that counts the examples, which have to be as many on each
            rank; None: they are not compared.
        broadcast_buffers: send rank 0's buffers to all before each forward pass in training.
        init_sync: compare the modules of the ranks, and send rank 0's values to all.
        process_group: a communicator of mpi4py; None: all processes, `MPI.COMM_WORLD`.
        bucket_cap_mb: gradients leave together, so many MiB at a time; None: the first MiB, then
            each 25.
        find_unused_parameters: look after each forward pass for parameters that the outputs do not
            depend on, so that nobody waits for their gradients. One that no rank has used keeps
            its `.grad`.
        check_reduction: accepted, and without effect, as in PyTorch.
        gradient_as_bucket_view: let `.grad` be a part of its bucket: one copy less.
        static_graph: as `find_unused_parameters`.

    Attributes:
        module: as given. Its names are in `state_dict()` with "module." before them.
        require_backward_grad_sync: whether passes average; False inside `no_sync()`.

    Raises:
        ModuleNotFoundError: if mpi4py or the MPI library is not there.
        GraphError: if the modules of the ranks differ, no parameter requires grad, or some have no
            size yet. Of a forward pass: if gradients of the pass before are still missing.
        DataError: of a forward pass: if the shares of the ranks are uneven.

    Example:
        >>> from glassgrad.nn import Linear
        >>> model = DistributedDataParallel(Linear(3, 2))  # doctest: +SKIP
        >>> model(ones(4, 3)).sum().backward()  # doctest: +SKIP
        >>> next(iter(model.state_dict()))  # doctest: +SKIP
        'module.weight'

    See also: Li et al., *PyTorch Distributed: Experiences on Accelerating Data Parallel Training*,
    VLDB 2020, https://doi.org/10.14778/3415478.3415530.
    """

    def __init__(
        self,
        module: Module,
        device_ids: Sequence[Any] | None = None,
        output_device: Any = None,
        dim: int | None = 0,
        broadcast_buffers: bool = True,
        init_sync: bool = True,
        process_group: Any = None,
        bucket_cap_mb: float | None = None,
        find_unused_parameters: bool = False,
        check_reduction: bool = False,
        gradient_as_bucket_view: bool = False,
        static_graph: bool = False,
    ) -> None:
        super().__init__()
        trained = _trained(module)
        if device_ids or output_device is not None:
            raise ArgumentError(
                "DistributedDataParallel device_ids and output_device arguments only work with "
                f"single-device/multiple-device GPU modules, but got device_ids {device_ids}, "
                f"output_device {output_device}. A process computes where its module is. "
                "Leave them out."
            )
        self.module, self.dim, self.process_group = module, dim, process_group
        self.device_ids = self.output_device = None
        self.broadcast_buffers = broadcast_buffers
        self.find_unused_parameters = find_unused_parameters or static_graph
        self.gradient_as_bucket_view = gradient_as_bucket_view
        self.require_backward_grad_sync = True
        self._ranks = Ranks(process_group)
        if init_sync:
            self._ranks.compare(module)
            self._ranks.copy_from_first([*module.parameters(), *module.buffers()])
        caps = (1, 25) if bucket_cap_mb is None else (bucket_cap_mb,)  # PyTorch's
        self._buckets = _dealt_out(trained, [cap * MEBIBYTE for cap in caps])
        self._bucket_of = {each: bucket for bucket in self._buckets for each in bucket.parts}
        self._place = {parameter: place for place, parameter in enumerate(trained)}
        self._is_used = np.zeros(len(trained), np.int32)  # by some pass since the last average
        self._averages = False  # whether the pass to come does
        self._begin()
        self._hooks = {each: partial(_tell, weakref.ref(self)) for each in trained}
        for parameter, hook in self._hooks.items():  # which go when this does
            weakref.finalize(self, parameter.register_post_accumulate_grad_hook(hook).remove)
        self._name_hooks({next(reversed(each.parts)): [each.number] for each in self._buckets})

    def no_sync(self) -> setting:
        """Passes in this block only add up in `.grad`; the next one outside averages the sum.

        It counts where the forward pass is called.
        """
        return setting(vars(self), require_backward_grad_sync=False)

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        if not modes.grad:  # nobody else need be there
            return self.module(*inputs, **kwargs)
        self._averages = self.require_backward_grad_sync
        if not self._averages:
            return self.module(*inputs, **kwargs)
        self._require_averaged()
        self._ranks.meet(_examples(inputs, kwargs, self.dim))
        buffers = list(self.module.buffers())
        if self.broadcast_buffers and buffers:
            self._ranks.copy_from_first(buffers)
        outputs = self.module(*inputs, **kwargs)
        if self.find_unused_parameters:
            used = _leaves_behind(outputs)
            for parameter in [each for each in self._bucket_of if each not in used]:
                self._put(parameter)
        return outputs

    # A pass ---------------------------------------------------------------------------------------

    def _begin(self) -> None:
        """Wait for all gradients anew."""
        self._missing = dict.fromkeys(self._bucket_of)
        self._sums: list[Any] = []  # those of the first buckets, under way
        self._left: dict[Parameter, list[int]] = {}  # buckets that were full with this gradient

    def _arrived(self, parameter: Parameter) -> None:
        """Backward has added to the gradient of a parameter."""
        self._is_used[self._place[parameter]] = 1
        if not self._averages:
            return
        if parameter not in self._missing:
            raise GraphError(
                f"Expected to mark a variable ready only once: {self._name(parameter)} got a "
                "gradient again, and its bucket is full. The sum over the ranks would lack it. "
                "Run one backward pass for each forward pass, the others in `no_sync()`."
            )
        self._ranks.hasten(self._sums)
        self._put(parameter)

    def _put(self, parameter: Parameter) -> None:
        """Put a gradient, or nothing, into its bucket, and send those that are full."""
        part, grad = self._bucket_of[parameter].parts[parameter], parameter.grad
        part[...] = 0 if grad is None else array_of(grad) / self._ranks.size
        if self.gradient_as_bucket_view and grad is not None and part.dtype == grad.dtype:
            parameter.grad = wrap(part)
        del self._missing[parameter]
        for bucket in self._buckets[len(self._sums) :]:
            if self._missing.keys() & bucket.parts:
                return
            self._left.setdefault(parameter, []).append(bucket.number)
            self._sums.append(self._ranks.begin_sum(bucket.array))
        if self.find_unused_parameters:
            self._sums.append(self._ranks.begin_sum(self._is_used))
        if modes.task is None:  # nothing was used, so that there is no pass
            self._finish()
        else:
            Variable._execution_engine.queue_callback(self._finish)  # type: ignore[attr-defined]

    @no_grad()
    def _finish(self) -> None:
        """All buckets have left: wait for their sums, and hand them out."""
        self._ranks.wait(self._sums, "the gradients of this pass")
        for parameter, bucket in self._bucket_of.items():
            mean, grad = bucket.parts[parameter], parameter.grad
            if self.find_unused_parameters and not self._is_used[self._place[parameter]]:
                continue
            if grad is None:
                parameter.grad = wrap(mean.astype(parameter.dtype))
            elif not np.shares_memory(array_of(grad), mean):
                grad.copy_(wrap(mean))
        self._is_used[...] = 0
        self._averages = False  # until the next forward pass, as in PyTorch
        self._name_hooks(self._left)
        self._begin()

    def _name_hooks(self, left: dict[Parameter, list[int]]) -> None:
        """Call the hooks as what they do: so the next pass, if it is recorded, shows it."""
        for parameter, hook in self._hooks.items():
            sent = "_".join([f"{number}" for number in left.get(parameter, ())])
            name = f"{sent}_leaves" if sent else f"{self._bucket_of[parameter].number}"
            hook.__name__ = f"bucket_{name}"  # type: ignore[attr-defined]  # a partial has a dict

    def _require_averaged(self) -> None:
        """Raise GraphError if the pass before has left gradients out."""
        if len(self._missing) == len(self._bucket_of):
            return
        named = self.module.named_parameters()
        names = [name for name, parameter in named if parameter in self._missing]
        raise GraphError(
            "Expected to have finished reduction in the prior iteration before starting a new one: "
            f"no gradient came to {', '.join(names[:8])}{' …' if names[8:] else ''} on rank "
            f"{self._ranks.rank}. Their buckets have not left, so gradients there are no averages. "
            "Let the loss depend on all outputs, or pass `find_unused_parameters=True`."
        )

    def _name(self, parameter: Parameter) -> str:
        named = self.module.named_parameters()
        return next((name for name, each in named if each is parameter), "a parameter")


def _tell(model: "weakref.ref[DistributedDataParallel]", parameter: Parameter) -> None:
    """The hook. It does not keep the model, whose parameters may outlive it."""
    told = model()
    if told is not None:
        told._arrived(parameter)


# Buckets ------------------------------------------------------------------------------------------


class _Bucket:
    """Gradients that leave together.

    Attributes:
        parts: the place of each parameter's gradient in `array`, as they are expected.
    """

    def __init__(self, number: int, parameters: Sequence[Parameter], dtype: Any) -> None:
        ends = list(itertools.accumulate([each.numel() for each in parameters]))
        self.number, self.array = number, np.zeros(ends[-1], dtype)
        pieces = np.split(self.array, ends[:-1])
        pairs = zip(parameters, pieces, strict=True)
        self.parts = {each: piece.reshape(each.shape) for each, piece in pairs}


def _dealt_out(parameters: Sequence[Parameter], caps: Sequence[float]) -> list[_Bucket]:
    """Buckets of parameters, the last parameter first: so backward comes to them."""
    found: list[tuple[Any, list[Parameter]]] = []
    size = 0
    for parameter in reversed(parameters):
        dtype = np.dtype(parameter.dtype)
        dtype = np.dtype(np.float32) if dtype == np.float16 else dtype  # MPI adds up no halves
        if not found or found[-1][0] != dtype or size >= caps[min(len(found), len(caps)) - 1]:
            found.append((dtype, []))
            size = 0
        found[-1][1].append(parameter)
        size += parameter.numel() * dtype.itemsize
    return [_Bucket(number, members, dtype) for number, (dtype, members) in enumerate(found)]


def _trained(module: Module) -> list[Parameter]:
    """The parameters that get gradients."""
    if any(map(is_lazy, module.parameters())):
        raise GraphError(
            "Modules with uninitialized parameters can't be used with `DistributedDataParallel`. "
            "What has no size has no place in a bucket. Run a dummy forward pass to correctly "
            "initialize the modules."
        )
    found = [parameter for parameter in module.parameters() if parameter.requires_grad]
    if not found:
        raise GraphError(
            "DistributedDataParallel is not needed when a module doesn't have any parameter that "
            f"requires a gradient. {type(module).__name__} has none, so there is nothing to "
            "average. Call the module itself."
        )
    return found


def _examples(inputs: Any, kwargs: Any, dim: int | None) -> int:
    """How many examples the first tensor of the inputs has."""
    tensors = [each for each in flatten((inputs, kwargs))[0] if isinstance(each, Tensor)]
    if dim is None or not tensors or not -tensors[0].ndim <= dim < tensors[0].ndim:
        return UNCOUNTED
    return int(tensors[0].shape[dim])


def _leaves_behind(outputs: Any) -> set[Any]:
    """The leaves that outputs depend on."""
    tensors = [each for each in flatten(outputs)[0] if isinstance(each, Tensor)]
    nodes: list[Any] = [each.grad_fn for each in tensors]
    seen = {None}
    while nodes:
        node = nodes.pop()
        if node not in seen:
            seen.add(node)
            nodes += [behind for behind, _ in node.next_functions]
    return {*tensors, *[getattr(node, "variable", None) for node in seen]}
