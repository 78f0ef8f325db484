"""What programs ask of the machine: GPUs, threads, compilers, determinism, mixed precision.

glassgrad computes on the CPU, or with CuPy on a GPU. So most of PyTorch's questions have one
answer, that of PyTorch on a machine without a GPU, and most of its switches switch nothing. The
modules `glassgrad.cuda`, `backends`, `amp`, `jit` … are tables of such answers; the last part of
this file holds them all.
"""

import contextlib
import functools
import operator
import os
import re
import sys
import typing
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar, Generic, Self, TypeVar

from glassgrad.memory.calls import warn
from glassgrad.ops import _checks as check

from . import ops
from ._dtypes import bfloat16, dtype, float16
from .core.errors import (
    ArgumentError,
    ArgumentTypeError,
    DeviceError,
    ExpectationError,
    GraphError,
    LinAlgError,
)
from .core.state import modes, setting
from .core.tensor import Size, Tensor
from .levels import subclasses
from .missing import tells_missing
from .values import backend
from .values.backend import Device
from .values.dtypes import TYPE_NAMES, set_default_dtype

__all__ = [
    "GradScaler",
    "are_deterministic_algorithms_enabled",
    "autocast",
    "compile",
    "get_autocast_dtype",
    "get_default_device",
    "get_deterministic_debug_mode",
    "get_float32_matmul_precision",
    "get_num_interop_threads",
    "get_num_threads",
    "is_autocast_available",
    "is_autocast_enabled",
    "is_deterministic_algorithms_warn_only_enabled",
    "is_warn_always_enabled",
    "set_default_device",
    "set_default_tensor_type",
    "set_deterministic_debug_mode",
    "set_float32_matmul_precision",
    "set_flush_denormal",
    "set_num_interop_threads",
    "set_num_threads",
    "set_warn_always",
    "use_deterministic_algorithms",
]

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")


_GPU_TENSORS = ["Bool", "Byte", "Char", "Double", "Float", "Half", "Int", "Long", "Short"]


class _Settings:
    """What the switches below were set to."""

    threads: ClassVar[int] = os.cpu_count() or 1
    interop_threads: ClassVar[int] = os.cpu_count() or 1
    deterministic: ClassVar[int] = 0
    """0: any algorithm; 1: a warning about one that is not deterministic; 2: an error."""
    matmul_precision: ClassVar[str] = "highest"
    warns_always: ClassVar[bool] = False


# Where new tensors are made -----------------------------------------------------------------------


def set_default_device(device: "Device | str | int | None") -> None:
    """Choose where new tensors are made unless they are told otherwise; None: on the CPU.

    Raises:
        DeviceError: if there is no such kind of device.

    Example:
        >>> set_default_device("cpu")
        >>> zeros(1).device
        device(type='cpu')

    See also: https://pytorch.org/docs/stable/generated/torch.set_default_device.html
    """
    backend.default.device = None if device is None else Device(device)


def get_default_device() -> Device:
    """Where new tensors are made: on the CPU until `set_default_device`, or `with device:`.

    Example:
        >>> with device("cpu"):
        ...     print(get_default_device())
        cpu
    """
    return backend.default.device or backend.CPU


def set_default_tensor_type(t: Any) -> None:
    """Choose the dtype that Python floats become, by its old name; write `set_default_dtype`.

    Args:
        t: a constructor such as `DoubleTensor`, or its name.

    Raises:
        ArgumentTypeError: for anything else, or if its dtype is no floating-point one.

    Example:
        >>> set_default_tensor_type("glassgrad.FloatTensor")
    """
    name = t.rpartition(".")[2] if isinstance(t, str) else ""
    names = {dtype: f"{own}Tensor" for dtype, own in TYPE_NAMES.items()}
    found = [dtype for dtype, own in names.items() if own == name or t is getattr(ops, own, None)]
    if not found:
        raise ArgumentTypeError(
            f"invalid type object: {t!r}. Only floating-point types are supported as the default "
            "type. Write `set_default_dtype(glassgrad.float64)`."
        )
    set_default_dtype(found[0])


# Threads, precision, determinism ------------------------------------------------------------------


def _positive(name: str, number: Any) -> int:
    if not isinstance(number, int) or isinstance(number, bool):
        raise ArgumentTypeError(
            f"{name} expects an int, but got {type(number).__name__}. It counts threads. Write 1."
        )
    if number < 1:
        raise ArgumentError(
            f"{name} expects a positive integer, got {number}. Something has to compute. Write 1."
        )
    return number


def set_num_threads(number: int) -> None:
    """Remember a number of threads. How many compute is up to NumPy's BLAS.

    Set `OPENBLAS_NUM_THREADS` (or that of your BLAS) before Python starts.

    Example:
        >>> set_num_threads(1)
        >>> get_num_threads()
        1
    """
    _Settings.threads = _positive("set_num_threads", number)


def get_num_threads() -> int:
    """The number given to `set_num_threads`; at first that of the processors."""
    return _Settings.threads


def set_num_interop_threads(number: int) -> None:
    """Remember a number of threads for ops beside each other; one op runs at a time here."""
    _Settings.interop_threads = _positive("set_num_interop_threads", number)


def get_num_interop_threads() -> int:
    """The number given to `set_num_interop_threads`."""
    return _Settings.interop_threads


def set_float32_matmul_precision(precision: str) -> None:
    """Remember how exact products of float32 matrices may be; they are exact here, always.

    Args:
        precision: "highest", "high" or "medium"; another one is warned of.

    Example:
        >>> set_float32_matmul_precision("high")
        >>> get_float32_matmul_precision()
        'high'
        >>> set_float32_matmul_precision("highest")
    """
    if precision in ("highest", "high", "medium"):
        _Settings.matmul_precision = precision
        return
    warn(
        f"{precision} is not one of 'highest', 'high', or 'medium'; the current "
        "setFloat32MatmulPrecision call has no effect."
    )


def get_float32_matmul_precision() -> str:
    """What `set_float32_matmul_precision` was given; "highest" at first."""
    return _Settings.matmul_precision


def set_flush_denormal(mode: bool) -> bool:
    """Whether tiny numbers can be made 0. They cannot here: NumPy leaves them as they are.

    Example:
        >>> set_flush_denormal(True)
        False
    """
    return False


def set_warn_always(b: bool) -> None:
    """Remember whether warnings are to come each time; Python's filters decide that here."""
    wanted = "setWarnOnlyOnce expects a bool"
    check.kind(wanted, b, bool, "It is a yes or a no. Write True or False.")
    _Settings.warns_always = b


def is_warn_always_enabled() -> bool:
    """What `set_warn_always` was given; False at first."""
    return _Settings.warns_always


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Ask for algorithms that give the same numbers each time. Here all of them do.

    Args:
        mode: whether to.
        warn_only: whether others are to be warned of only.

    Raises:
        ArgumentTypeError: for what is no bool.

    Example:
        >>> use_deterministic_algorithms(True)
        >>> are_deterministic_algorithms_enabled()
        True
        >>> use_deterministic_algorithms(False)
    """
    wanted = "_set_deterministic_algorithms(): argument 'mode' (position 1) must be bool"
    check.kind(wanted, mode, bool, "It is a yes or a no. Write True or False.")
    _Settings.deterministic = (1 if warn_only else 2) if mode else 0


def are_deterministic_algorithms_enabled() -> bool:
    """Whether `use_deterministic_algorithms` asked for them."""
    return _Settings.deterministic > 0


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Whether `use_deterministic_algorithms` asked for warnings only."""
    return _Settings.deterministic == 1


_DEBUG_MODES = ("default", "warn", "error")


def set_deterministic_debug_mode(debug_mode: "int | str") -> None:
    """The same as `use_deterministic_algorithms`: "default", "warn" or "error", or 0, 1 or 2.

    Raises:
        ArgumentError: for another mode.
    """
    wanted = "invalid value of debug_mode, expected one of `default`, `warn`, `error`"
    why = "They say what happens to an op that is not deterministic. Write 'default'."
    check.choice(wanted, debug_mode, (*_DEBUG_MODES, 0, 1, 2), why)
    is_name = isinstance(debug_mode, str)
    _Settings.deterministic = _DEBUG_MODES.index(debug_mode) if is_name else debug_mode  # type: ignore[assignment]  # a number, if it is no name


def get_deterministic_debug_mode() -> int:
    """What `set_deterministic_debug_mode` was given, as a number."""
    return _Settings.deterministic


@contextlib.contextmanager
def fork_rng(devices: Any = None, enabled: bool = True, **others: Any) -> Iterator[None]:
    """The block after which the default generator goes on as if the block had drawn nothing.

    Args:
        devices: accepted: one generator serves all of them.
        enabled: False: draw from it as ever.
        others: accepted, and without effect.

    See also: https://pytorch.org/docs/stable/random.html#torch.random.fork_rng
    """
    with ops.default_generator._apart() if enabled else contextlib.nullcontext():
        yield


# Compilers ----------------------------------------------------------------------------------------


def compile(model: Any = None, **options: Any) -> Any:
    """The function or module itself: there is no compiler here.

    Args:
        model: what to compile; None: returns a decorator.
        options: those of PyTorch, without effect.

    Example:
        >>> @compile(mode="reduce-overhead")
        ... def double(x):
        ...     return 2 * x
        >>> double(tensor(1.5))
        tensor(3.)
    """
    return _same if model is None else model


def _same(function: F, *args: Any, **kwargs: Any) -> F:
    """`function`: what PyTorch's decorators and compilers make of it here."""
    return function


def _decorator(function: Any = None, *args: Any, **kwargs: Any) -> Any:
    """The same, with and without parentheses: `@ignore`, `@ignore()`, `@ignore(drop=True)`."""
    return function if callable(function) else _same


def _says(answer: Any) -> Callable[..., Any]:
    """A function that takes anything, and answers so."""

    def says(*args: Any, **kwargs: Any) -> Any:
        return answer

    return says


_nothing = _says(None)


def _is_instance(obj: Any, target_type: Any) -> bool:
    """`isinstance` of what an annotation stands for: a list for `List[int]`."""
    origin: Any = typing.get_origin(target_type)
    return isinstance(obj, target_type if origin is None else origin)


def _flag(switches: Any, name: str) -> Callable[..., Any]:
    """A function that returns such a switch, or sets it."""

    def flag(*value: Any) -> Any:
        if value:
            setattr(switches, name, value[0])
        return getattr(switches, name)

    return flag


# Mixed precision ----------------------------------------------------------------------------------


class autocast:  # noqa: N801  # PyTorch's name
    """A block, or a function, whose ops would run in a shorter dtype. Here none does: they compute
    in the dtype of their operands, since NumPy is no faster in a shorter one. It says so.

    Args:
        device_type: "cuda" or "cpu".
        dtype: the shorter dtype.
        enabled: False: compute as ever.
        cache_enabled: accepted, and without effect.

    Example:
        >>> with autocast("cpu", enabled=False):
        ...     ones(2)
        tensor([1., 1.])

    See also: https://pytorch.org/docs/stable/amp.html
    """

    def __init__(
        self,
        device_type: str,
        dtype: Any = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ) -> None:
        self.device, self.fast_dtype, self._enabled = Device(device_type).type, dtype, False
        if enabled and self.device != "cpu" and not _gpus():
            warn("CUDA is not available. Disabling autocast.")
        elif enabled:
            warn(
                f"In {self.device.upper()} autocast, but the target dtype is not supported: ops "
                "compute in the dtype of their operands. Disabling autocast."
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        pass

    def __call__(self, func: F) -> F:
        return func


class _CudaAutocast(autocast):
    """`torch.cuda.amp.autocast`: the same for "cuda"."""

    _type = "cuda"

    def __init__(self, enabled: bool = True, dtype: Any = None, cache_enabled: bool = True) -> None:
        super().__init__(self._type, dtype, enabled, cache_enabled)


class _CpuAutocast(_CudaAutocast):
    """`torch.cpu.amp.autocast`: the same for "cpu"."""

    _type = "cpu"


def is_autocast_available(device_type: str) -> bool:
    """Whether `autocast` is of use on such a device: never here."""
    return False


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Whether a block of `autocast` is open that is not disabled: never here."""
    return False


def get_autocast_dtype(device_type: str) -> Any:
    """The shorter dtype that `autocast` would choose by itself.

    Example:
        >>> get_autocast_dtype("cuda")
        glassgrad.float16
    """
    return float16 if Device(device_type).type == "cuda" else bfloat16


class GradScaler:
    """Keeps gradients of float16 from vanishing: multiplies the loss, and divides the gradients.

    A step is left out if a gradient is not finite; the factor is then smaller.

    Args:
        device: "cpu", or "cuda", where it is disabled if there is no GPU.
        init_scale: the first factor.
        growth_factor, backoff_factor: what it is multiplied by after `growth_interval` steps
            without such a gradient, and after a step with one.
        enabled: False: losses and gradients stay as they are.

    Example:
        >>> GradScaler("cpu", init_scale=4.0).scale(tensor(2.0))
        tensor(8.)

    See also: https://pytorch.org/docs/stable/amp.html#gradient-scaling
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self._device = Device(device).type
        self._enabled = enabled and (self._device == "cpu" or _gpus() > 0)
        if enabled and not self._enabled:
            warn(
                f"GradScaler is enabled, but there is no autocast on {self._device!r} whose "
                "gradients it could scale. Disabling."
            )
        self._state = {
            "scale": init_scale,
            "growth_factor": growth_factor,
            "backoff_factor": backoff_factor,
            "growth_interval": growth_interval,
            "_growth_tracker": 0,
        }
        self._found: dict[int, bool] = {}
        self._stepped: set[int] = set()

    def scale(self, outputs: Any) -> Any:
        """The loss, or each of several, times the factor."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            return outputs * self._state["scale"]
        return type(outputs)(map(self.scale, outputs))

    def unscale_(self, optimizer: Any) -> None:
        """Divide the gradients, to clip them; `step` does it if nobody has."""
        if not self._enabled:
            return
        if id(optimizer) in self._stepped:
            raise GraphError("unscale_() is being called after step(): call it before.")
        if id(optimizer) in self._found:
            raise GraphError(
                "unscale_() has already been called on this optimizer since the last update(). "
                "Call it once, before step(), and update() at the end."
            )
        parameters = [p for group in optimizer.param_groups for p in group["params"]]
        grads = [p.grad for p in parameters if p.grad is not None]
        if not grads:
            raise ExpectationError("No inf checks were recorded for this optimizer: no .grad.")
        for grad in grads:
            grad.detach().mul_(1 / self._state["scale"])
        self._found[id(optimizer)] = not all(grad.isfinite().all() for grad in grads)

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """`optimizer.step(*args, **kwargs)`, unless a gradient is not finite."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise GraphError("Closure use is not currently supported if GradScaler is enabled.")
        if id(optimizer) in self._stepped:
            raise GraphError("step() has already been called since the last update().")
        if id(optimizer) not in self._found:
            self.unscale_(optimizer)
        self._stepped.add(id(optimizer))
        return None if self._found[id(optimizer)] else optimizer.step(*args, **kwargs)

    def update(self, new_scale: Any = None) -> None:
        """Choose the next factor, after the steps of all optimisers."""
        if not self._enabled:
            return
        state = self._state
        if new_scale is not None:
            state["scale"] = float(new_scale)
        elif not self._found:
            raise ExpectationError("No inf checks were recorded prior to update.")
        elif any(self._found.values()):
            state["scale"] *= state["backoff_factor"]
            state["_growth_tracker"] = 0
        else:
            state["_growth_tracker"] += 1
            if state["_growth_tracker"] == state["growth_interval"]:
                state["scale"] *= state["growth_factor"]
                state["_growth_tracker"] = 0
        self._found.clear()
        self._stepped.clear()

    def get_scale(self) -> float:
        """The factor; 1 if nothing is scaled."""
        return self._state["scale"] if self._enabled else 1.0

    def is_enabled(self) -> bool:
        """Whether it scales."""
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        """The factor and how it changes; nothing of one that is disabled."""
        return dict(self._state) if self._enabled else {}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave."""
        if not self._enabled:
            return
        if not state_dict:
            raise GraphError(
                "The source state dict is empty, possibly because it was saved from a disabled "
                "instance of GradScaler."
            )
        self._state.update(state_dict)


# GPUs ---------------------------------------------------------------------------------------------


@functools.cache
def _gpus() -> int:
    """How many there are for CuPy."""
    try:
        import cupy

        return int(cupy.cuda.runtime.getDeviceCount())
    except (ImportError, RuntimeError):  # CuPy's own errors are of the second kind
        return 0


def _runtime(name: str) -> Callable[..., Any]:
    """A function of CuPy's, by its path; made without a GPU, it raises DeviceError."""

    def ask(*args: Any, **kwargs: Any) -> Any:
        if not _gpus():
            raise DeviceError(
                "Torch not compiled with CUDA enabled, one would read in PyTorch: there is no GPU "
                "that CuPy can use. Ask `cuda.is_available()` first, or run "
                "`pip install cupy-cuda12x`."
            )
        import cupy

        return functools.reduce(getattr, name.split("."), cupy)(*args)

    return ask


def _memory(device: Any = None) -> int:
    if not _gpus():
        return 0
    import cupy

    return int(cupy.get_default_memory_pool().used_bytes())


def _gpu_name(device: Any = None) -> str:
    number = device if isinstance(device, int) else Device(device or "cuda").index or 0
    found = _runtime("cuda.runtime.getDeviceProperties")(number)["name"]
    return str(found.decode())


def _capability(device: Any = None) -> tuple[int, int]:
    major, minor = _runtime("cuda.Device")(device).compute_capability
    return int(major), int(minor)


def _no_accelerator(*args: Any, **kwargs: Any) -> Any:
    raise DeviceError(
        "Cannot access accelerator device when none is available. glassgrad computes on the CPU. "
        "Ask `accelerator.is_available()` first."
    )


def _no_group(*args: Any, **kwargs: Any) -> Any:
    raise GraphError(
        "there are no process groups: what runs in several processes is "
        "`nn.parallel.DistributedDataParallel`, on a communicator of mpi4py. "
        "Ask `distributed.is_initialized()` first."
    )


@contextlib.contextmanager
def _as_ever(*args: Any, **kwargs: Any) -> Iterator[None]:
    """A block, or by `@` a function, in which nothing is different."""
    yield


def _assert(condition: Any, message: str = "") -> None:
    """An assertion, as a function: what programs write that are to be compiled."""
    assert condition, message


def _parsed(url: str) -> Any:
    from urllib.parse import urlparse  # slow, and seldom asked for

    return urlparse(url)


def _in_a_row(tensors: Sequence[Tensor]) -> Tensor:
    """All elements of some tensors, in one dim."""
    return ops.cat([tensor.reshape(-1) for tensor in tensors])


def _in_shape(flat: Tensor, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """The way back: parts of one dim in the shapes of some tensors."""
    parts = flat.split([tensor.numel() for tensor in tensors])
    return tuple([x.view_as(like) for x, like in zip(parts, tensors, strict=True)])


def _no_download(*args: Any, **kwargs: Any) -> Any:
    raise GraphError(
        "nothing is downloaded here. Load the weights with PyTorch or a browser, and write "
        "`model.load_state_dict(load(path))`, which reads PyTorch's files."
    )


class ZeroRedundancyOptimizer:
    """An optimiser of several processes, for `isinstance`; none can be made here."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _no_group()


class SymInt:
    """A size that a compiler does not know yet, for `isinstance`; here all sizes are known."""


class SymFloat:
    """The same for a number with fractions."""


class SymBool:
    """The same for a yes or a no."""


class Future(Generic[T]):
    """A result that another process will send, in annotations of programs; none is sent here."""


def _no_such_backend(name: str) -> Callable[..., Any]:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise DeviceError(
            f"Torch not compiled with {name} enabled, one would read in PyTorch: ops "
            "compute on the CPU, or with CuPy on a GPU. Ask `is_available()` first."
        )

    return refuse


# Versions -----------------------------------------------------------------------------------------


class TorchVersion(str):
    """A version: text that compares with text and with tuples as versions do.

    Example:
        >>> TorchVersion("2.13.0") > "2.9"
        True
        >>> TorchVersion("2.13.0") >= (2, 1)
        True
    """

    __slots__ = ()

    @staticmethod
    def _numbers(version: Any) -> tuple[int, ...]:
        texts = version.partition("+")[0].split(".") if isinstance(version, str) else version
        numbers = [int(found[0]) for text in texts if (found := re.match(r"\d+", str(text)))]
        while numbers and not numbers[-1]:
            numbers.pop()
        return tuple(numbers)

    @staticmethod
    def _compared(is_so: Callable[[Any, Any], bool]) -> Any:
        return lambda self, other: is_so(self._numbers(self), self._numbers(other))

    __lt__, __le__ = _compared(operator.lt), _compared(operator.le)
    __gt__, __ge__ = _compared(operator.gt), _compared(operator.ge)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (str, tuple, list)):
            return NotImplemented
        return self._numbers(self) == self._numbers(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__


PYTORCH = TorchVersion("2.13.0")
"""The version of PyTorch whose names and answers glassgrad has."""


def _flags_of(name: str) -> Callable[..., Any]:
    """The `flags` of a module of switches: sets some of them for a block."""

    @contextlib.contextmanager
    def flags(**wanted: Any) -> Iterator[None]:
        switches = vars(sys.modules[f"glassgrad.{name}"])
        with setting(switches, **{each: on for each, on in wanted.items() if each in switches}):
            yield

    return flags


# The modules --------------------------------------------------------------------------------------

_FUNCTIONS: tuple[tuple[str, Any, str], ...] = (
    ("glassgrad", _says(False), "is_autocast_cache_enabled is_autocast_cpu_enabled"),
    ("glassgrad", _says(False), "is_vulkan_available"),
    ("glassgrad", _says(None), "clear_autocast_cache set_autocast_cache_enabled"),
    ("glassgrad", _says(None), "set_autocast_cpu_dtype set_autocast_cpu_enabled"),
    ("glassgrad", _says(None), "set_autocast_dtype set_autocast_enabled set_autocast_gpu_dtype"),
    ("__config__", _says("NumPy computes, on the CPU."), "show parallel_info"),
    ("_dynamo", _says(None), "reset mark_dynamic mark_static graph_break"),
    ("_dynamo compiler", _says(False), "is_compiling"),
    ("_dynamo compiler", _decorator, "disable"),
    ("_dynamo compiler", _same, "allow_in_graph"),
    ("accelerator", _says(0), "memory_allocated max_memory_allocated memory_reserved"),
    ("accelerator", _says(0), "max_memory_reserved"),
    ("accelerator", _says(None), "empty_cache reset_peak_memory_stats"),
    ("accelerator", _no_accelerator, "current_device_index set_device_index synchronize"),
    ("accelerator", _no_accelerator, "current_device_idx set_device_idx current_stream set_stream"),
    ("amp cuda.amp", _decorator, "custom_fwd custom_bwd"),
    ("backends.cpu", _says("DEFAULT"), "get_cpu_capability"),
    ("backends.cuda backends.mps", _says(False), "is_built"),
    ("backends.cuda", _says(None), "preferred_linalg_library preferred_blas_library"),
    ("backends.cudnn", _says(False), "is_acceptable"),
    ("backends.cudnn", _says(None), "version"),
    ("backends.opt_einsum", _says(None), "get_opt_einsum"),
    ("backends.cudnn backends.mkl backends.mkldnn backends.mps", _says(False), "is_available"),
    ("backends.openmp backends.opt_einsum mps xpu", _says(False), "is_available"),
    ("compiler", _says(False), "is_dynamo_compiling is_exporting"),
    ("compiler", _says(None), "reset cudagraph_mark_step_begin"),
    ("compiler", _same, "assume_constant_result nested_compile_region"),
    ("cpu", _says(1), "device_count"),
    ("cpu", _says(True), "is_available is_initialized"),
    ("cpu", _says("cpu"), "current_device"),
    ("cpu", _says(None), "set_device synchronize"),
    ("cuda", _says(False), "is_bf16_supported is_tf32_supported is_current_stream_capturing"),
    ("cuda", _says(0), "max_memory_allocated max_memory_cached max_memory_reserved"),
    ("cuda", _says(0), "memory_cached memory_reserved"),
    ("cuda", _says(None), "empty_cache ipc_collect manual_seed manual_seed_all seed seed_all"),
    ("cuda", _says(None), "reset_peak_memory_stats reset_max_memory_allocated set_rng_state_all"),
    ("cuda", _says(None), "set_per_process_memory_fraction set_rng_state set_stream"),
    ("cuda", _says(None), "reset_accumulated_memory_stats reset_max_memory_cached"),
    ("cuda.nvtx", _says(0), "range_push range_pop"),
    ("cuda.nvtx", _says(None), "mark"),
    ("cuda.random", _says(None), "manual_seed manual_seed_all seed seed_all"),
    ("distributed", _says(False), "is_available is_initialized is_torchelastic_launched"),
    ("distributed", _no_group, "get_rank get_world_size init_process_group barrier all_reduce"),
    ("distributed", _says(False), "is_backend_available is_gloo_available is_mpi_available"),
    ("distributed", _says(False), "is_nccl_available is_ucc_available is_xccl_available"),
    ("distributed", _no_group, "destroy_process_group all_gather broadcast reduce new_group"),
    ("distributed", _no_group, "all_gather_into_tensor all_gather_object all_to_all gather"),
    ("distributed", _no_group, "all_to_all_single broadcast_object_list gather_object"),
    ("distributed", _no_group, "get_backend get_global_rank get_process_group_ranks irecv isend"),
    ("distributed", _no_group, "init_device_mesh monitored_barrier new_subgroups recv"),
    ("distributed", _no_group, "reduce_scatter reduce_scatter_tensor scatter send"),
    ("distributed", _no_group, "scatter_object_list send_object_list recv_object_list"),
    ("distributed.elastic.multiprocessing.errors", _same, "record"),
    ("distributed.nn", _no_group, "all_reduce all_gather"),
    ("fx", _same, "wrap"),
    ("fx.experimental.proxy_tensor", _says(None), "get_proxy_mode"),
    ("hub", _says(os.path.expanduser("~/.cache/torch/hub")), "get_dir"),  # noqa: PTH111  # quicker
    ("hub", _says(os.path.expanduser("~/.cache/torch")), "_get_torch_home"),  # noqa: PTH111
    ("hub", _says(None), "set_dir"),
    ("hub", _no_download, "download_url_to_file help list load load_state_dict_from_url load_url"),
    ("jit", _says(False), "is_scripting is_tracing"),
    ("jit", _says(None), "enable_onednn_fusion set_fusion_strategy"),
    ("jit", _decorator, "script ignore script_if_tracing _script_if_tracing"),
    ("jit", _same, "trace trace_module freeze optimize_for_inference unused export wait"),
    ("jit", _same, "script_method interface _overload _overload_method"),
    ("mps", _says(None), "manual_seed seed"),
    ("onnx", _says(False), "is_in_onnx_export is_onnxrt_backend_supported"),
    ("mps", _no_such_backend("MPS"), "synchronize empty_cache"),
    ("mps xpu", _says(0), "device_count"),
    ("xpu", _says(0), "memory_allocated"),
    ("xpu", _says(None), "empty_cache manual_seed manual_seed_all seed seed_all"),
    ("xpu", _no_such_backend("XPU"), "current_device synchronize"),
)
"""Modules, what functions of theirs do whatever they are asked, and the names of these."""

_HERE = sys.modules[__name__]

_TAKEN: tuple[tuple[str, ModuleType, str], ...] = (
    ("_C", subclasses, "DisableTorchFunctionSubclass _disabled_torch_function_impl"),
    ("amp", _HERE, "autocast GradScaler is_autocast_available"),
    ("amp.autocast_mode", _HERE, "autocast is_autocast_available"),
    ("amp.grad_scaler", _HERE, "GradScaler"),
    ("compiler", _HERE, "compile"),
    ("random", _HERE, "fork_rng"),
    ("torch_version", _HERE, "TorchVersion"),
)
"""Modules, and the names that they have from others."""

_OPS = {
    "cuda": [f"{name}Tensor" for name in _GPU_TENSORS],
    "_C": ["Generator"],
    "random": ["Generator", "default_generator", "get_rng_state", "initial_seed", "manual_seed"],
}
_OPS["random"] += ["seed", "set_rng_state"]
"""Modules, and the names that they have from the ops: when they are first asked for."""

_SDP = SimpleNamespace(flash=True, math=True, mem_efficient=True, cudnn=True)
"""Which ways of computing attention are allowed; there is one."""

_MHA = SimpleNamespace(fastpath=True)

_MODULES: dict[str, dict[str, Any]] = {
    "glassgrad": {
        "_assert": _assert,
        "_assert_async": lambda input, assert_msg="Expected a tensor that is not 0.": _assert(
            bool(input), assert_msg
        ),
        "Future": Future,
        "SymBool": SymBool,
        "SymFloat": SymFloat,
        "SymInt": SymInt,
        "OutOfMemoryError": MemoryError,
        "_has_compatible_shallow_copy_type": lambda input, other: input.layout is other.layout,
        "get_autocast_cpu_dtype": lambda: get_autocast_dtype("cpu"),
        "get_autocast_gpu_dtype": lambda: get_autocast_dtype("cuda"),
        "get_device_module": lambda device=None: _BY_NAME[Device(device or "cpu").type],
    },
    "_C": {
        "_LinAlgError": LinAlgError,
        "Value": object,
        "_are_functorch_transforms_active": lambda: bool(modes.levels),
        "_get_tracing_state": lambda: None,
        "_log_api_usage_once": lambda event: None,
    },
    "_dynamo": {"OptimizedModule": type("OptimizedModule", (), {})},
    "_dynamo.config": {"suppress_errors": False, "verbose": False},
    "_inductor.config": {},
    "_subclasses.fake_tensor": {
        "FakeTensor": type("FakeTensor", (), {}),
        "FakeTensorMode": type("FakeTensorMode", (), {}),
        "is_fake": lambda x: False,
    },
    "_utils": {
        "_flatten_dense_tensors": _in_a_row,
        "_unflatten_dense_tensors": _in_shape,
    },
    "accelerator": {
        "is_available": lambda: _gpus() > 0,
        "device_count": _gpus,
        "current_accelerator": lambda check_available=False: Device("cuda") if _gpus() else None,
    },
    "backends.cuda": {
        "matmul": SimpleNamespace(
            allow_tf32=False,
            allow_fp16_reduced_precision_reduction=True,
            allow_bf16_reduced_precision_reduction=True,
            fp32_precision="none",
        ),
        "cufft_plan_cache": SimpleNamespace(size=0, max_size=0, clear=_nothing),
        **{f"{name}_sdp_enabled": _flag(_SDP, name) for name in vars(_SDP)},
        **{f"enable_{name}_sdp": _flag(_SDP, name) for name in vars(_SDP)},
        "sdp_kernel": _as_ever,
    },
    "backends.cudnn": {
        "enabled": True,
        "benchmark": False,
        "benchmark_limit": None,
        "deterministic": False,
        "allow_tf32": True,
        "flags": _flags_of("backends.cudnn"),
    },
    "backends.mha": {
        "get_fastpath_enabled": _flag(_MHA, "fastpath"),
        "set_fastpath_enabled": _flag(_MHA, "fastpath"),
    },
    "backends.mkldnn": {
        "enabled": False,
        "deterministic": False,
        "flags": _flags_of("backends.mkldnn"),
    },
    "backends.opt_einsum": {"enabled": False, "strategy": None},
    "backends.quantized": {"engine": "none", "supported_engines": ["none"]},
    "compiler": {"list_backends": lambda exclude_tags=(): []},
    "cpu.amp": {"autocast": _CpuAutocast, "GradScaler": functools.partial(GradScaler, "cpu")},
    "cuda": {
        "is_available": lambda: _gpus() > 0,
        "is_initialized": lambda: _gpus() > 0,
        "device_count": _gpus,
        "current_device": _runtime("cuda.runtime.getDevice"),
        "set_device": _runtime("cuda.runtime.setDevice"),
        "init": _runtime("cuda.runtime.getDevice"),
        "get_device_name": _gpu_name,
        "get_device_capability": _capability,
        "get_device_properties": _runtime("cuda.runtime.getDeviceProperties"),
        "get_arch_list": list,
        "synchronize": lambda device=None: _runtime("cuda.runtime.deviceSynchronize")(),
        "current_stream": _runtime("cuda.get_current_stream"),
        "default_stream": _runtime("cuda.get_current_stream"),
        "OutOfMemoryError": MemoryError,
        "Stream": _runtime("cuda.Stream"),
        "Event": _runtime("cuda.Event"),
        "stream": lambda stream: contextlib.nullcontext() if stream is None else stream,
        "device": lambda device: contextlib.nullcontext(),
        "memory_allocated": _memory,
        "mem_get_info": _runtime("cuda.runtime.memGetInfo"),
        "memory_stats": lambda device=None: {},
        "memory_summary": lambda device=None, abbreviated=False: "",
        "get_rng_state_all": list,
        "_initialized": False,
    },
    "cuda.amp": {"autocast": _CudaAutocast, "GradScaler": functools.partial(GradScaler, "cuda")},
    "cuda.nvtx": {"range": _as_ever},
    "distributed": {
        "ProcessGroup": type("ProcessGroup", (), {}),
        "group": SimpleNamespace(WORLD=None),
        "ReduceOp": SimpleNamespace(SUM=0, AVG=1, PRODUCT=2, MIN=3, MAX=4),
    },
    "distributed.optim": {"ZeroRedundancyOptimizer": ZeroRedundancyOptimizer},
    "fx": {name: type(name, (), {}) for name in ("Graph", "GraphModule", "Node", "Tracer")},
    "futures": {"Future": Future, "collect_all": _no_group},
    "hub": {"HASH_REGEX": re.compile(r"-([a-f0-9]*)\."), "urlparse": _parsed},
    "jit": {
        "annotate": lambda the_type, the_value: the_value,
        "Attribute": lambda value, type: value,
        "Final": typing.Final,
        "fork": lambda function, *args, **kwargs: function(*args, **kwargs),
        "isinstance": _is_instance,
        "ScriptFunction": type("ScriptFunction", (), {}),
    },
    "jit.annotations": {
        **{name: getattr(typing, name) for name in ("Any", "Dict", "List", "Optional", "Tuple")},
        **{f"BroadcastingList{n}": list for n in range(1, 7)},
    },
    "types": {
        "_dtype": dtype,
        "_size": Size | list[int] | tuple[int, ...],
        "Device": Device | str | int | None,
        "FileLike": str | os.PathLike[str] | typing.IO[bytes],
        "Number": int | float | bool,
        "Tensor": Tensor,
    },
    "version": {
        "__version__": PYTORCH,
        "cuda": None,
        "debug": False,
        "git_version": "",
        "hip": None,
        "xpu": None,
    },
}
"""What else is in a module, by its name; and now all of it."""

for _homes, _function, _names in _FUNCTIONS:
    for _home in _homes.split():
        _MODULES.setdefault(_home, {}).update(dict.fromkeys(_names.split(), _function))
for _home, _source, _names in _TAKEN:
    _MODULES.setdefault(_home, {}).update({each: getattr(_source, each) for each in _names.split()})


def _module_of(name: str) -> ModuleType:
    """A module of `glassgrad` that has its answers; `import glassgrad.cuda.amp` finds it."""
    whole, answers = f"glassgrad.{name}", _MODULES.get(name, {})
    module = sys.modules[whole] = ModuleType(
        whole, f"PyTorch's `torch.{name}`, as it answers where glassgrad computes."
    )
    later, tells = _OPS.get(name, ()), tells_missing(whole)

    def find(asked: str) -> Any:
        return getattr(ops, asked) if asked in later else tells(asked)

    vars(module).update(answers, __path__=[], __all__=[*answers, *later], __getattr__=find)
    parent, _, own = whole.rpartition(".")
    if parent != "glassgrad":
        setattr(sys.modules[parent], own, module)
    return module


_HOMES = {*_MODULES} - {"glassgrad"}
_AROUND = [home[:at] for home in _HOMES for at, sign in enumerate(home) if sign == "."]
# What contains another comes before it.
_BY_NAME: dict[str, ModuleType] = {name: _module_of(name) for name in sorted({*_HOMES, *_AROUND})}
MODULES = tuple([name for name in _BY_NAME if "." not in name])
"""The names of those that `glassgrad` has."""

ANSWERS = _MODULES["glassgrad"]
"""What `glassgrad` itself has of such functions."""

globals().update(_BY_NAME)
