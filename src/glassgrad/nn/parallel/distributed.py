"""`DistributedDataParallel`: each process has the model and a share of the batch; MPI averages.

    rank 0   forward ─ backward ─ bucket 0 leaves ─ backward ─ bucket 1 leaves ─ wait ─ step
    rank 1   forward ─ backward ─ bucket 0 leaves ─ backward ─ bucket 1 leaves ─ wait ─ step

A hook at each parameter puts its gradient into a bucket. A bucket that is full leaves: its sum over
the ranks is begun, and backward goes on meanwhile. At the end of the pass all ranks wait for the
sums, and have the same gradients. So they make the same step, and the same weights stay the same.

# Note [The ranks call in one order]
# MPI matches the n-th message of a communicator on one rank with the n-th on the others, whatever
# they are about. So buckets leave by number, full or not yet; what else is sent goes before the
# forward pass; and the communicator is a copy that no other code sends on.
"""

import atexit
import itertools
import sys
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from glassgrad.autograd.grad_mode import no_grad
from glassgrad.autograd.variable import Variable
from glassgrad.core.errors import ArgumentError, ArgumentTypeError, DataError, GraphError
from glassgrad.core.state import modes
from glassgrad.core.tensor import Tensor, as_tensor
from glassgrad.nn.module import Module
from glassgrad.nn.parameter import Parameter, is_lazy
from glassgrad.values.tree import flatten

__all__ = ["DistributedDataParallel"]

MEBIBYTE = 1 << 20
FIRST_BUCKET, OTHER_BUCKETS = 1 * MEBIBYTE, 25 * MEBIBYTE  # PyTorch's, where none is given
TIMEOUT = 1800.0  # seconds that a rank waits for the others
GONE = -2  # instead of the number of examples: this rank has come to its end
UNCOUNTED = -1  # this one's inputs do not tell


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
                f"GPU modules, but got device_ids {device_ids}, output_device {output_device}. A "
                "process computes where its module is. Leave them out."
            )
        caps: tuple[float, ...] = (FIRST_BUCKET, OTHER_BUCKETS)
        if bucket_cap_mb is not None:
            caps = (bucket_cap_mb * MEBIBYTE,)
        if caps[0] <= 0:
            raise ArgumentError(
                f"bucket_cap_mb={bucket_cap_mb} must be positive. A bucket holds at least one "
                "gradient. Write `bucket_cap_mb=25`, or a little fraction for one each."
            )
        self.module, self.dim = module, dim
        self.device_ids = self.output_device = None
        self.broadcast_buffers, self.bucket_bytes_cap = broadcast_buffers, int(caps[-1])
        self.find_unused_parameters = find_unused_parameters or static_graph
        self.gradient_as_bucket_view, self.static_graph = gradient_as_bucket_view, static_graph
        self.require_backward_grad_sync = True
        self.process_group = process_group
        self._ranks = _Ranks(process_group)
        if init_sync:
            self._ranks.meet(UNCOUNTED)
            self._ranks.compare(module)
            self._ranks.copy_from_first([*module.parameters(), *module.buffers()])
        self._buckets = _dealt_out(trained, caps)
        self._bucket_of = {each: bucket for bucket in self._buckets for each in bucket.parts}
        self._is_used = np.zeros(len(trained), np.int32)  # by a pass since the last average
        self._number = {parameter: number for number, parameter in enumerate(trained)}
        self._averages = False  # whether gradients of the last forward pass are
        self._begin()
        for parameter in trained:
            hook = _hook_of(self, parameter)
            parameter.register_post_accumulate_grad_hook(hook)
            self._bucket_of[parameter].hooks[parameter] = hook
        for bucket in self._buckets:
            bucket.name_hooks(last=next(reversed(bucket.parts)))

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """Passes in this block only add up in `.grad`; the next one outside averages the sum.

        It counts where the forward pass is called.
        """
        outside, self.require_backward_grad_sync = self.require_backward_grad_sync, False
        try:
            yield
        finally:
            self.require_backward_grad_sync = outside

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
        self._next = 0  # the bucket that leaves next
        self._sums: list[Any] = []  # under way

    def _arrived(self, parameter: Parameter) -> None:
        """The hook: backward has added to the gradient of a parameter."""
        self._is_used[self._number[parameter]] = 1
        if not self._averages:
            return
        if parameter not in self._missing:
            raise GraphError(
                f"Expected to mark a variable ready only once: {self._name(parameter)} got a "
                "gradient again, and its bucket is full. The sum over the ranks would lack it. Use "
                "it in one backward pass for each forward pass, or call that in `no_sync()`."
            )
        self._ranks.hasten(self._sums)
        self._put(parameter)

    def _put(self, parameter: Parameter) -> None:
        """Put a gradient, or nothing, into its bucket, and send those that are full."""
        part, grad = self._bucket_of[parameter].parts[parameter], parameter.grad
        part[...] = 0 if grad is None else _array(grad) / self._ranks.size
        if self.gradient_as_bucket_view and grad is not None and part.dtype == _array(grad).dtype:
            parameter.grad = as_tensor(part)
        del self._missing[parameter]
        count = len(self._buckets)
        while self._next < count and not self._missing.keys() & self._buckets[self._next].parts:
            bucket = self._buckets[self._next]
            bucket.name_hooks(last=parameter)
            self._sums.append(self._ranks.add_up(bucket.array))
            self._next += 1
            if self._next == count:
                self._all_have_left()

    def _all_have_left(self) -> None:
        """The last bucket has: what is left to do is to wait, at the end of the pass."""
        if self.find_unused_parameters:
            self._sums.append(self._ranks.add_up(self._is_used))
        if modes.task is None:  # no parameter was used: there is no pass
            self._finish()
        else:
            Variable._execution_engine.queue_callback(self._finish)  # type: ignore[attr-defined]

    def _finish(self) -> None:
        """Wait for the sums, and hand them out."""
        self._ranks.wait(self._sums, "the gradients of this pass")
        with no_grad():
            for parameter, bucket in self._bucket_of.items():
                is_used = self._is_used[self._number[parameter]] or not self.find_unused_parameters
                if is_used:
                    self._hand_out(parameter, bucket.parts[parameter])
        self._is_used[...] = 0
        self._begin()

    def _hand_out(self, parameter: Parameter, mean: Any) -> None:
        if parameter.grad is None:
            parameter.grad = as_tensor(mean.astype(_array(parameter).dtype))
        elif not np.shares_memory(_array(parameter.grad), mean):
            parameter.grad.copy_(as_tensor(mean))

    def _require_averaged(self) -> None:
        """Raise GraphError if the pass before has left gradients out."""
        if not self._next and len(self._missing) == len(self._bucket_of):
            return
        names = [self._name(parameter) for parameter in self._missing]
        raise GraphError(
            "Expected to have finished reduction in the prior iteration before starting a new one: "
            f"no gradient came to {', '.join(names[:8])}{' …' if names[8:] else ''} on rank "
            f"{self._ranks.rank}. Their buckets have not left, so gradients there are no averages. "
            "Let the loss depend on all outputs, or pass `find_unused_parameters=True`."
        )

    def _name(self, parameter: Parameter) -> str:
        named = self.module.named_parameters()
        return next((name for name, each in named if each is parameter), "a parameter")


# Buckets ------------------------------------------------------------------------------------------


class _Bucket:
    """Gradients that leave together: parts of one array, in the order in which they are expected.

    Attributes:
        parts: the place of each parameter's gradient in `array`.
        hooks: the hook of each parameter. They tell a recorded pass by their names which bucket
            it is, and where it left, in the pass before.
    """

    def __init__(self, number: int, parameters: Sequence[Parameter], dtype: Any) -> None:
        ends = list(itertools.accumulate([each.numel() for each in parameters]))
        self.number, self.array = number, np.zeros(ends[-1], dtype)
        pieces = np.split(self.array, ends[:-1])
        pairs = zip(parameters, pieces, strict=True)
        self.parts = {each: piece.reshape(each.shape) for each, piece in pairs}
        self.hooks: dict[Parameter, Any] = {}

    def name_hooks(self, last: Parameter) -> None:
        """Call the hooks as what they do; that of `last` sends the bucket."""
        for parameter, hook in self.hooks.items():
            leaves = "_leaves" if parameter is last else ""
            hook.__name__ = f"bucket_{self.number}{leaves}"


def _dealt_out(parameters: Sequence[Parameter], caps: Sequence[float]) -> list[_Bucket]:
    """Buckets of parameters, those of the last first: so backward comes to them."""
    open_buckets: dict[Any, list[Parameter]] = {}  # by dtype
    closed: list[tuple[Any, list[Parameter]]] = []
    for parameter in reversed(parameters):
        dtype = _array(parameter).dtype
        dtype = np.dtype(np.float32) if dtype == np.float16 else dtype  # MPI cannot add up halves
        bucket = open_buckets.setdefault(dtype, [])
        bucket.append(parameter)
        size = sum([each.numel() for each in bucket]) * dtype.itemsize
        if size >= caps[min(len(closed), len(caps) - 1)]:
            closed.append((dtype, open_buckets.pop(dtype)))
    closed += open_buckets.items()
    return [_Bucket(number, found, dtype) for number, (dtype, found) in enumerate(closed)]


def _trained(module: Module) -> list[Parameter]:
    """The parameters that get gradients."""
    if any([is_lazy(parameter) for parameter in module.parameters()]):
        raise GraphError(
            "Modules with uninitialized parameters can't be used with `DistributedDataParallel`. "
            "What has no size has no place in a bucket. Run a dummy forward pass to correctly "
            "initialize the modules."
        )
    found = [parameter for parameter in module.parameters() if parameter.requires_grad]
    if not found:
        raise GraphError(
            "DistributedDataParallel is not needed when a module doesn't have any parameters that "
            f"require a gradient. {type(module).__name__} has none, so there is nothing to "
            "average. Call the module itself."
        )
    return found


def _hook_of(model: DistributedDataParallel, parameter: Parameter) -> Callable[[Tensor], None]:
    """A hook that does not keep the model: the parameters may outlive it."""
    known = weakref.ref(model), weakref.ref(parameter)

    def hook(_: Tensor) -> None:
        model, parameter = known[0](), known[1]()
        if model is not None and parameter is not None:
            model._arrived(parameter)

    return hook


def _array(tensor: Tensor) -> Any:
    return tensor.detach().cpu().numpy()


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


# Ranks --------------------------------------------------------------------------------------------


class _Ranks:
    """The processes of a communicator: where they meet, and how one waits for the others."""

    def __init__(self, group: Any) -> None:
        self.mpi = _mpi()
        if group is not None and not isinstance(group, self.mpi.Comm):
            raise ArgumentTypeError(
                f"process_group must be a communicator of mpi4py, not {type(group).__name__}. The "
                "gradients travel through it. Write `MPI.COMM_WORLD`, or leave it out."
            )
        # Note [The ranks call in one order]
        self.comm = (self.mpi.COMM_WORLD if group is None else group).Dup()
        self.rank, self.size = self.comm.rank, self.comm.size
        self.count, self.are_all_there = 0, True
        if self.size > 1:
            _end_job_with_this_process(self.mpi)
            atexit.register(self.leave)

    def add_up(self, array: Any) -> Any:
        """Begin to replace an array by its sum over the ranks."""
        return self.comm.Iallreduce(self.mpi.IN_PLACE, array)

    def hasten(self, requests: list[Any]) -> None:
        """Let MPI move what is under way: some libraries do so only while they are called."""
        self.mpi.Request.Testall(requests)

    def wait(self, requests: list[Any], what: str, seconds: float | None = None) -> None:
        """Wait, but not forever: a rank may never come."""
        until = time.monotonic() + (TIMEOUT if seconds is None else seconds)
        while not self.mpi.Request.Testall(requests):
            if time.monotonic() > until:
                raise GraphError(
                    f"rank {self.rank} of {self.size} has waited {TIMEOUT:g} s for {what}. Some "
                    "rank has not come so far: it does something else, or something more. Let "
                    "each run the same passes."
                )
            time.sleep(1e-4)  # where there are more ranks than processors, another one computes

    def meet(self, examples: int) -> None:
        """Wait until all ranks are here; raise DataError, on each, unless they are as many."""
        found = self._gather(examples, self.count, TIMEOUT)
        if gone := [f"rank {rank} after {n}" for rank, (x, n) in enumerate(found) if x == GONE]:
            self.are_all_there = False
            raise DataError(
                f"the ranks have uneven numbers of batches: {', '.join(gone)} came to its end, and "
                f"rank {self.rank} has another one. Gradients are averaged over all of them. "
                "Give each as many: `DistributedSampler(data, drop_last=True)`."
            )
        self.count += examples != UNCOUNTED or self.count > 0
        if len({x for x, _ in found}) > 1:
            sizes = ", ".join([str(x) if x != UNCOUNTED else "none" for x, _ in found])
            raise DataError(
                f"the ranks have uneven batches: of {sizes} examples, rank 0's first. A mean over "
                "ranks would give an example of a small share more weight. Write `drop_last=True` "
                "for the loader, or `dim=None` if the loss is no mean over examples."
            )

    def leave(self) -> None:
        """Tell whoever waits for this rank that it has come to its end; called by Python's."""
        if self.are_all_there and not self.mpi.Is_finalized():
            self._gather(GONE, self.count, float("inf"))

    def _gather(self, examples: int, count: int, seconds: float) -> list[list[int]]:
        own, found = np.array([examples, count]), np.zeros((self.size, 2), int)
        self.wait([self.comm.Iallgather(own, found)], "the others' batches", seconds)
        return found.tolist()  # type: ignore[no-any-return]  # NumPy's is any

    def compare(self, module: Module) -> None:
        """Raise GraphError, on each rank, unless all have the same parameters and buffers."""
        named = [*module.named_parameters(), *module.named_buffers()]
        own = [f"{name} {tuple(x.shape)} {x.dtype} {x.requires_grad}" for name, x in named]
        for rank, theirs in enumerate(self.comm.allgather(own)):
            if theirs != own:
                pairs = itertools.zip_longest(own, theirs, fillvalue="nothing")
                mine, other = next((a, b) for a, b in pairs if a != b)
                raise GraphError(
                    f"DDP expects same model across all ranks, but rank {self.rank} has {mine} "
                    f"where rank {rank} has {other}. Their gradients cannot be added up. Build it "
                    "alike on each, whatever its rank."
                )

    def copy_from_first(self, tensors: Sequence[Tensor]) -> None:
        """Write rank 0's values into tensors of all ranks."""
        with no_grad():
            for tensor in tensors:
                values = np.array(_array(tensor), order="C")
                self.comm.Bcast(values.reshape(-1).view(np.uint8), root=0)
                if self.rank:
                    tensor.copy_(as_tensor(values))


def _mpi() -> Any:
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:  # the latter without the library
        raise ModuleNotFoundError(
            f"DistributedDataParallel needs mpi4py and an MPI library: {error}. Its processes talk "
            "through them. Run `pip install mpi4py` and `apt-get install openmpi-bin`.",
            name="mpi4py",
        )
    return MPI


def _end_job_with_this_process(mpi: Any) -> None:
    """From now on an exception that nobody catches ends all ranks: they would wait forever."""
    told = sys.excepthook
    if getattr(told, "ends_job", False):
        return

    def excepthook(kind: Any, error: Any, traceback: Any) -> None:
        world = mpi.COMM_WORLD
        time.sleep(min(0.5 * world.rank, 5))  # where all fail alike, one speaks
        told(kind, error, traceback)
        sys.stderr.write(f"rank {world.rank} of {world.size} has failed, which ends the job.\n")
        sys.stderr.flush()
        world.Abort(1)

    vars(excepthook)["ends_job"] = True
    sys.excepthook = excepthook
