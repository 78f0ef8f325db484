"""What a Tensor can do beside its ops: gradients, and the ways out to NumPy, numbers and copies.

The ops declare their methods and operators themselves (see `ops/_declaring.py`). This mixin is
copied onto `Tensor` with them when the package is imported, so that `core/` imports no op.
"""

import copy
import importlib
import mmap
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from . import _dtypes, _printing, ops
from .core import backward as _backward
from .core import errors
from .core.state import modes, wrote
from .core.tensor import ANY_DTYPE, LEAF, Size, Tensor, is_differentiable, wrap
from .hooks import on_gradients as hooks
from .hooks.on_gradients import Hooks
from .levels.subclasses import note_class, torch_function
from .memory.calls import warn
from .missing import why_missing
from .ops import _checks as check
from .ops import _lookup
from .ops._arguments import wrap_dim
from .ops._rules import without_layers
from .values.backend import CPU, Device, asnumpy, backend_of, device_of
from .values.dtypes import DType, Home, as_dtype
from .values.layers import Layer, refuse_inside, visible

Subclass = TypeVar("Subclass", bound=Tensor)

GRAD_DTYPES = ("float16", "float32", "float64", "complex64", "complex128")  # by name


class SizeMethods:
    """What a `Size` has beside a tuple: its parts and sums are sizes, too."""

    def __getitem__(self: Size, index: Any) -> Any:
        found = tuple.__getitem__(self, index)
        return Size(found) if index.__class__ is slice else found

    def __add__(self: Size, other: tuple[int, ...]) -> Size:
        return Size(tuple.__add__(self, other))

    def __radd__(self: Size, other: tuple[int, ...]) -> Size:
        return Size(tuple.__add__(other, self))

    def __mul__(self: Size, times: Any) -> Size:
        return Size(tuple.__mul__(self, times))

    __rmul__ = __mul__

    def __repr__(self: Size) -> str:
        return f"{Home.name}.Size({list(self)})"


class Methods:
    """The methods of `Tensor` that are no ops."""

    # Autograd
    register_hook = hooks.register_hook
    register_post_accumulate_grad_hook = hooks.register_post_accumulate_grad_hook
    retain_grad = hooks.retain_grad
    backward = _backward.backward

    @property
    def dtype(self: "Tensor") -> _dtypes.dtype:
        """The dtype of the elements."""
        return _dtypes.PUBLIC[self.payload.dtype]

    @property
    def is_sparse(self: "Tensor") -> bool:
        """Whether it is of this kind, which PyTorch has: never, here."""
        return False

    is_nested = is_quantized = is_sparse_csr = is_mkldnn = is_sparse
    is_mps = is_xpu = is_ipu = is_maia = is_mtia = is_xla = is_vulkan = is_sparse

    @property
    def is_meta(self: "Tensor") -> bool:
        """Whether it has a shape and a dtype only, and no values."""
        return self.device.type == "meta"

    @property
    def is_cpu(self: "Tensor") -> bool:
        """Whether the array is in the memory of the CPU."""
        return self.device.type == "cpu"

    @property
    def is_cuda(self: "Tensor") -> bool:
        """Whether the array is in the memory of a GPU."""
        return self.device.type == "cuda"

    @property
    def layout(self: "Tensor") -> "ops.layout":
        """How the elements are kept."""
        return ops.strided

    def is_conj(self: "Tensor") -> bool:
        """Whether its elements are conjugated only when they are read: never here."""
        return False

    is_neg = is_pinned = is_distributed = is_conj

    def is_shared(self: "Tensor") -> bool:
        """Whether `share_memory_` was called: whether forked processes share its memory."""
        base = getattr(self.payload, "base", None)
        while isinstance(base, np.ndarray):
            base = base.base
        return isinstance(getattr(base, "obj", base), mmap.mmap)

    def pin_memory(self: "Tensor", device: Any = None) -> "Tensor":
        """The tensor itself: there is no memory that a GPU reads faster."""
        return self

    def bfloat16(self: "Tensor") -> "Tensor":
        """`to(bfloat16)`, which becomes float32: NumPy has no such numbers."""
        return self.to(_dtypes.bfloat16)

    def share_memory_(self: "Tensor") -> "Tensor":
        """Move its numbers to memory that processes share which are forked from this one later.

        Tensors that it shared memory with keep theirs.
        """
        payload = self.payload
        if isinstance(payload, np.ndarray) and payload.nbytes:
            memory = np.frombuffer(mmap.mmap(-1, payload.nbytes), payload.dtype)
            shared = memory.reshape(payload.shape)
            shared[...] = payload
            self.data = wrap(shared)
        return self

    def dense_dim(self: "Tensor") -> int:
        """The number of dims."""
        return self.ndim

    def sparse_dim(self: "Tensor") -> int:
        """0: no dim is sparse."""
        return 0

    def requires_grad_(self: "Tensor", requires_grad: bool = True) -> "Tensor":
        """Set `requires_grad`, and return the tensor."""
        if modes.levels:
            refuse_inside("Tensor.requires_grad_()")
        if requires_grad is not True or self.is_leaf:
            self.requires_grad = requires_grad
        return self

    @property
    def grad(self: "Tensor") -> Tensor | None:
        """The gradient, once a backward pass has left one."""
        cold = self.cold
        if cold is not None and cold.grad is not None:
            return cold.grad
        if not self.is_leaf and not self.retains_grad:
            leaves = importlib.import_module("glassgrad.reasons.leaves")
            warn(
                "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its "
                ".grad attribute won't be populated during autograd.backward(). If you indeed "
                "want the .grad field to be populated for a non-leaf Tensor, use .retain_grad() "
                f"on the non-leaf Tensor.{leaves.of_a_result(self)}"
            )
        return None

    @grad.setter
    def grad(self: "Tensor", value: Tensor | None) -> None:
        if value is not None:
            _check_new_grad(self, value)
            self.cold_side().grad = value
        elif self.cold is not None:
            self.cold.grad = None

    @grad.deleter
    def grad(self: "Tensor") -> None:
        self.grad = None

    @property
    def retains_grad(self: "Tensor") -> bool:
        """Whether it is a non-leaf whose `.grad` a backward pass fills."""
        hooks = getattr(self.grad_fn, "cold", None)
        kept = hooks and hooks.retain.get(self.output_nr)
        return bool(kept and kept() is self)

    @property
    def _post_accumulate_grad_hooks(self: "Tensor") -> Hooks | None:
        """The hooks of a leaf that run when its gradient was added; None before the first."""
        return None if self.cold is None else self.cold.post_hooks

    @property
    def grad_dtype(self: "Tensor") -> DType | _dtypes.dtype | None:
        """The dtype of the gradients of a leaf: its own unless another was set; None for any.

        Gradients are converted when they arrive, before hooks see them. None leaves them as they
        are.

        Raises:
            GraphError: on a non-leaf, and when a gradient of another dtype is there already.
            DTypeError: for what is neither a floating-point or complex dtype nor None.

        Example:
            >>> x = tensor([1.0, 2.0], requires_grad=True)
            >>> x.grad_dtype = float64
            >>> (x * x).sum().backward()
            >>> x.grad
            tensor([2., 4.], dtype=glassgrad.float64)
        """
        if not self.is_leaf:
            raise errors.GraphError(
                "grad_dtype can only be accessed on leaf tensors. The gradient of any other has "
                f"the dtype of the tensor, here {self.dtype}. Read `x.dtype`."
            )
        wanted: DType | None = None if self.cold is None else self.cold.grad_dtype
        if wanted is ANY_DTYPE:
            return None
        return self.dtype if wanted is None else _dtypes.public(wanted)

    @grad_dtype.setter
    def grad_dtype(self: "Tensor", dtype: Any) -> None:
        if not self.is_leaf:
            raise errors.GraphError(
                "grad_dtype can only be set on leaf tensors. This one was computed by "
                f"{self.grad_fn.name()}, which gets gradients of dtype {self.dtype}. Set it on the "
                "leaves."
            )
        wanted = None if dtype is None else _as_grad_dtype(dtype)
        grad = self.grad
        if grad is not None and wanted is not None and grad.dtype != wanted:
            raise errors.GraphError(
                f"Cannot set grad_dtype to '{wanted}' because there is already a gradient with "
                f"dtype '{grad.dtype}'. The next one could not be added to it. Please clear the "
                "gradient (.grad = None) before changing grad_dtype."
            )
        cold = self.cold_side()
        cold.grad_dtype = ANY_DTYPE if wanted is None else wanted
        if cold.hooks is None:  # the engine takes its careful way where a leaf has a dict of them
            cold.hooks = Hooks()

    # What Python asks for; the ops declare the operators.
    __hash__ = object.__hash__  # by identity: == compares elements
    __repr__ = _printing.tensor_repr
    __array_priority__ = 1000  # as PyTorch's; NumPy asks `__array_ufunc__`
    __array_ufunc__ = _lookup.array_ufunc
    __array_function__ = _lookup.array_function

    def __delitem__(self: "Tensor", index: Any) -> None:
        raise errors.ArgumentTypeError(
            f"Tensor does not support deleting items, here those at {index!r}. A tensor keeps its "
            "shape. Write `x[mask]` with those that stay."
        )

    def __contains__(self: "Tensor", element: Any) -> bool:
        kinds = (Tensor, bool, int, float, complex, np.generic)
        wanted = "Tensor.__contains__ only supports Tensor or scalar"
        why = "Elements are numbers. Write `2 in x`."
        check.kind(wanted, element, kinds, why, errors.GraphError)
        return bool((self == element).any())

    # Methods
    @property
    def device(self: "Tensor") -> Device:
        """Where the array lives."""
        return device_of(self.payload)

    @property
    def itemsize(self: "Tensor") -> int:
        """Bytes per element."""
        return self.dtype.itemsize

    @property
    def nbytes(self: "Tensor") -> int:
        """Bytes of all elements."""
        return self.itemsize * self.numel()

    def element_size(self: "Tensor") -> int:
        """Bytes per element."""
        return self.itemsize

    def numel(self: "Tensor") -> int:
        """The number of elements."""
        return self.shape.numel()

    def dim(self: "Tensor") -> int:
        """The number of dims."""
        return self.ndim

    nelement, ndimension = numel, dim

    def size(self: "Tensor", dim: int | None = None) -> Any:
        """The shape, or the size of one dim."""
        return self.shape if dim is None else self.shape[wrap_dim(dim, self.ndim)]

    @property
    def name(self: "Tensor") -> str | None:
        """A name for pictures and messages."""
        return None if self.cold is None else self.cold.name

    @name.setter
    def name(self: "Tensor", value: str | None) -> None:
        if value is not None and not isinstance(value, str):
            raise errors.ArgumentTypeError(
                f"a tensor's name was set to {value!r}, of type {type(value).__name__}. Pictures "
                f"and messages show it as text. Write `x.name = {str(value)!r}`."
            )
        self.cold_side().name = value

    @property
    def data(self: "Tensor") -> "Tensor":
        """The same array as a tensor that autograd knows nothing of, version included."""
        if getattr(self.payload, "batched", False):
            raise errors.TransformError(
                "accessing `data` under vmap transform is not allowed. A tensor stands for one "
                "example there, and has no memory of its own. Write `x.detach()`."
            )
        payload = self.payload
        return wrap(payload.over(payload.value) if isinstance(payload, Layer) else payload)

    @data.setter
    def data(self: "Tensor", value: "Tensor") -> None:
        why = "Write `x.data = tensor(values)`."
        check.kind("Variable data has to be a tensor, but got", value, Tensor, why)
        layers = [x.payload for x in (self, value) if isinstance(x.payload, Layer)]
        if layers:
            where = "under vmap" if layers[0].batched else "inside functorch"
            raise errors.TransformError(
                f"mutating directly with `.data` {where} transform is not allowed. The transform "
                "would not see it. Write `x.copy_(value)`."
            )
        if self.requires_grad and not is_differentiable(value.dtype):
            raise errors.DTypeError(
                "data set to a tensor that requires gradients must be floating point or complex "
                f"dtype, got {value.dtype}. Write `x.data = y.float()`."
            )
        if self.cold is not None and value.dtype != self.dtype:
            self.cold.accumulator = None  # gradients of other numbers arrive at another node
        self.payload = value.payload
        wrote()  # what was saved of it has to be looked at

    @data.deleter
    def data(self: "Tensor") -> None:
        raise errors.GraphError(
            "cannot delete data: a tensor is nothing without. Delete the tensor."
        )

    def numpy(self: "Tensor", *, force: bool = False) -> "np.ndarray[Any, Any]":
        """The values as a NumPy array that shares memory.

        Args:
            force: detach and bring it to the CPU first; the result may then be a copy.

        Raises:
            GraphError: if it requires grad: NumPy's writes would go unseen.
            TransformError: inside a transform: NumPy knows nothing of it.
            ArgumentTypeError: if it is not on the CPU.
        """
        if force:
            return asnumpy(self.payload)
        if self.requires_grad and modes.grad:
            raise errors.GraphError(
                "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() "
                "instead. NumPy records nothing, so the gradient would be lost."
            )
        if self.device != CPU:
            raise errors.ArgumentTypeError(
                f"can't convert {self.device} device type tensor to numpy. Use Tensor.cpu() to "
                "copy the tensor to host memory first."
            )
        return without_layers(self)  # type: ignore[no-any-return]  # payload is Any

    def __array__(
        self: "Tensor", dtype: Any = None, copy: bool | None = None
    ) -> "np.ndarray[Any, Any]":
        return np.array(self.numpy(), dtype=dtype, copy=copy)

    def item(self: "Tensor") -> Any:
        """The value of a one-element tensor as a Python number.

        Raises:
            ShapeError: if it has more or fewer than one element.
            TransformError: inside `vmap`, where it stands for many numbers.
        """
        array = visible(self.payload)
        if array is None:
            raise errors.TransformError(
                "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap "
                "over calling .item() on a Tensor: it stands for the numbers of all examples. "
                "Please try to rewrite what you're doing with other operations, or return it from "
                "the function."
            )
        if self.numel() != 1:
            raise errors.ShapeError(
                f"a Tensor with {self.numel()} elements cannot be converted to Scalar: shape "
                f"{tuple(self.shape)}. A Python number holds one. Write `x.sum().item()` or "
                "`x.tolist()`."
            )
        return asnumpy(array).item()

    def tolist(self: "Tensor") -> Any:
        """The values as nested lists of Python numbers; a number for a 0-d tensor."""
        return asnumpy(self.payload).tolist()

    def __bool__(self: "Tensor") -> bool:
        if visible(self.payload) is None:
            raise errors.TransformError(
                "vmap: It looks like you're attempting to use a Tensor in some data-dependent "
                "control flow. We don't support that: each example has an answer of its own. "
                "Write `where(condition, a, b)`, which computes both."
            )
        if self.numel() != 1:
            count = "no values" if self.numel() == 0 else "more than one value"
            raise errors.ShapeError(
                f"Boolean value of Tensor with {count} is ambiguous: shape {tuple(self.shape)}. "
                "Python asks for one yes or no. Write `x.any()` or `x.all()`."
            )
        return bool(self.item())

    def __float__(self: "Tensor") -> float:
        return float(_number_in(self, cuts=self.requires_grad))

    def __int__(self: "Tensor") -> int:
        return int(_number_in(self))

    def __complex__(self: "Tensor") -> complex:
        return complex(_number_in(self, cuts=self.requires_grad))

    def __index__(self: "Tensor") -> int:
        if self.dtype.kind not in "iub" or self.numel() != 1:
            many = (
                "Write `x[0]`, or `x.tolist()`. If a tuple was multiplied, such as "
                "ctx.saved_tensors, take the tensor out of it: `(x,) = ctx.saved_tensors`."
            )
            raise errors.ArgumentTypeError(
                "only integer tensors of a single element can be converted to an index, got "
                f"{self.dtype} of shape {tuple(self.shape)}. "
                + ("Write `int(x)`." if self.numel() == 1 else many)
            )
        return int(self.item())

    def __format__(self: "Tensor", spec: str) -> str:
        if spec and self.shape:
            raise errors.ArgumentTypeError(
                f"unsupported format string passed to Tensor.__format__: {spec!r} is for one "
                f"number, and the shape is {tuple(self.shape)}. Write `x.tolist()`, or {{x}}."
            )
        is_number = not self.shape and (spec or type(self) is Tensor)  # a Parameter says what it is
        return format(self.item() if is_number else str(self), spec)

    if not TYPE_CHECKING:  # which would take any name for one that is there

        def __getattr__(self, name):
            if hasattr(type(self), name):  # a property has failed: it says why
                return object.__getattribute__(self, name)
            said, why = f"{type(self).__name__!r} object has no attribute {name!r}", ""
            if not name.startswith("_"):
                why = why_missing("glassgrad.Tensor", name)
            raise AttributeError(f"{said}: {why}" if why else said, name=name, obj=self)

    # Subclasses ---------------------------------------------------------------------------------

    __torch_function__ = classmethod(torch_function)

    @classmethod
    def __init_subclass__(cls, **kwargs: Any) -> None:
        super(Tensor, cls).__init_subclass__(**kwargs)
        note_class(cls)

    def as_subclass(self: "Tensor", cls: type[Subclass]) -> Subclass:
        """The same memory as a tensor of a subclass, through which gradients flow."""
        out: Any = self.view(self.shape) if self.requires_grad else self.detach()
        out.__class__ = cls
        return out  # type: ignore[no-any-return]  # of the class that it was just given

    @staticmethod
    def _make_subclass(
        kind: type[Subclass], data: "Tensor", require_grad: bool = False
    ) -> Subclass:
        """A leaf of a subclass, with the memory of `data`."""
        out: Any = data.detach()
        out.__class__ = kind
        return out.requires_grad_(require_grad)  # type: ignore[no-any-return]  # the same

    # Copies -------------------------------------------------------------------------------------

    def __deepcopy__(self: "Tensor", memo: dict[int, Any]) -> "Tensor":
        if isinstance(self.payload, Layer):
            return copy.deepcopy(wrap(without_layers(self)), memo)
        if not self.is_leaf:
            raise errors.GraphError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
                "protocol at the moment. The copy would need a copy of its graph. Write "
                "`x.detach().clone()`."
            )
        out = _rebuild(type(self), _copied(self, memo), self.requires_grad, self.name)
        memo[id(self)] = out
        out.__dict__.update(copy.deepcopy(self.__dict__, memo))
        if self.cold is not None:
            out.cold_side().grad = copy.deepcopy(self.cold.grad, memo)
        return out

    def __reduce_ex__(self: "Tensor", protocol: Any) -> tuple[Any, ...]:
        array = asnumpy(without_layers(self))
        return _rebuild, (type(self), array, self.requires_grad, self.name), self.__dict__

    def __len__(self: "Tensor") -> int:
        if not self.shape:
            raise errors.ArgumentTypeError(
                "len() of a 0-d tensor. It has no first dim to count. Write `x.numel()`."
            )
        return self.shape[0]


def _number_in(x: Tensor, *, cuts: bool = False) -> Any:
    """The only element, as `float(x)` asks for it, which `cuts` the graph."""
    if x.numel() != 1:
        raise errors.ArgumentError(
            "only one element tensors can be converted to Python scalars: this one has "
            f"{x.numel()}, of shape {tuple(x.shape)}. Write `x.sum().item()` or `x.tolist()`."
        )
    if cuts:
        warn(
            "Converting a tensor with requires_grad=True to a scalar may lead to unexpected "
            "behavior.\nConsider using tensor.detach() first. No gradient finds a way back through "
            "a plain number. For a function of the module math, write the tensor's: `x.sqrt()`; "
            "if the number is all you want, `x.item()`."
        )
    return x.item()


# Gradients -------------------------------------------------------------------------------------


def _check_new_grad(x: Tensor, value: Any) -> None:
    why = "The next backward pass adds a tensor to it. Write `x.grad = tensor(values)`."
    check.kind("assigned grad expected to be a Tensor or None but got", value, Tensor, why)
    if value is x:
        raise errors.GraphError(
            "can't assign Variable as its own grad. The gradient would change the tensor. "
            "Write `x.grad = x.clone()`."
        )
    wanted = None if x.cold is None else x.cold.grad_dtype
    wanted = x.dtype if wanted is None else wanted
    if value.dtype != wanted and wanted is not ANY_DTYPE:
        raise errors.GradientError(
            f"attempting to assign a gradient with dtype '{value.dtype}' to a tensor with "
            f"grad_dtype '{wanted}'. The gradient must match it. Write `grad.to(x.dtype)`, or "
            "set `x.grad_dtype`, which is the tensor's dtype by default, None for any."
        )
    if value.device != x.device:
        raise errors.GradientError(
            f"attempting to assign a gradient located on device '{value.device}' to a tensor "
            f"on '{x.device}'. Move it first: `grad.to(x.device)`."
        )
    if value.shape != x.shape:
        raise errors.ShapeError(
            f"attempting to assign a gradient of size '{list(value.shape)}' to a tensor of "
            f"size '{list(x.shape)}'. Please ensure that the gradient and the tensor are "
            "the same size."
        )


def _as_grad_dtype(dtype: Any) -> DType:
    try:
        if isinstance(dtype, str) and dtype not in GRAD_DTYPES:
            said = f"{dtype!r} names no dtype"  # NumPy would read its letters
            raise errors.ArgumentTypeError(said)
        wanted = as_dtype(dtype)
    except (errors.ArgumentTypeError, errors.DTypeError):
        raise errors.DTypeError(
            f"grad_dtype must be a glassgrad dtype or None, but got {type(dtype).__name__}. "
            "Gradients are converted to it. Write `x.grad_dtype = glassgrad.float64`."
        )
    if not is_differentiable(wanted):
        raise errors.DTypeError(
            f"grad_dtype must be a floating point or complex dtype, got {wanted}: gradients are "
            "fractions. Write `x.grad_dtype = glassgrad.float32`."
        )
    return wanted


# Copies -----------------------------------------------------------------------------------------


def _copied(x: Tensor, memo: dict[int, Any]) -> Any:
    """The same part of a copy of its memory, which tensors that are copied together share."""
    whole = ops.memory.owner_of(x)
    is_dense = whole.flags.c_contiguous or whole.flags.f_contiguous
    if not (is_dense and x.payload.size):
        return x.payload.copy(order="K")
    copied = memo.setdefault(id(whole), whole.copy(order="K"))
    backend = backend_of(whole)
    offset = (backend.address(x.payload) - backend.address(whole)) // x.itemsize
    return backend.strided(copied, x.shape, x.stride(), offset)


def _rebuild(cls: "type[Tensor]", array: Any, requires_grad: bool, name: str | None) -> "Tensor":
    out: Tensor = object.__new__(cls)
    out.payload = np.asarray(array, as_dtype(array.dtype))  # a pickle has a dtype of its own
    out.edge = LEAF if requires_grad else None
    out.cold = None
    if name is not None:
        out.name = name
    return out
