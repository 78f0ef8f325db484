"""The dtypes as users see them: `glassgrad.float32`, and what `x.dtype` is.

Arrays have NumPy's dtypes, and so has all that computes (`values/dtypes.py`). What a tensor answers
is this class, which has PyTorch's questions: `x.dtype.is_floating_point`. NumPy takes it, too.
"""

from typing import Any

import numpy as np

from .core.errors import ArgumentTypeError, DTypeError
from .core.state import Names
from .core.tensor import Tensor
from .memory.calls import warn
from .values import dtypes
from .values.dtypes import CATEGORY, TYPE_NAMES, DType, Home, as_dtype

__all__ = [
    "bfloat16",
    "bool_",
    "can_cast",
    "cdouble",
    "cfloat",
    "chalf",
    "complex32",
    "complex64",
    "complex128",
    "double",
    "dtype",
    "finfo",
    "float8_e4m3fn",
    "float8_e5m2",
    "float16",
    "float32",
    "float64",
    "get_default_dtype",
    "half",
    "iinfo",
    "int8",
    "int16",
    "int32",
    "int64",
    "long",
    "promote_types",
    "result_type",
    "short",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]


class dtype:  # noqa: N801  # PyTorch's name
    """The type of the elements of a tensor; it is equal to NumPy's of the same name.

    Attributes:
        dtype: NumPy's. So NumPy's functions take this object wherever they take a dtype.
        itemsize: the bytes of an element.
        is_floating_point, is_complex, is_signed: which numbers it holds.

    Example:
        >>> x = ones(2)
        >>> x.dtype
        glassgrad.float32
        >>> x.dtype.is_floating_point, x.dtype.itemsize
        (True, 4)
        >>> x.dtype == np.float32
        True

    See also: https://pytorch.org/docs/stable/tensor_attributes.html#torch.dtype
    """

    __slots__ = ("char", "dtype", "itemsize", "kind", "name", "type")

    def __init__(self, own: DType) -> None:
        self.dtype, self.name, self.kind, self.char = own, own.name, own.kind, own.char
        self.itemsize, self.type = own.itemsize, own.type

    @property
    def is_floating_point(self) -> bool:
        """Whether it holds fractions, and no complex numbers."""
        return self.kind == "f"

    @property
    def is_complex(self) -> bool:
        """Whether it holds complex numbers."""
        return self.kind == "c"

    @property
    def is_signed(self) -> bool:
        """Whether it holds numbers below 0."""
        return self.kind not in "bu"

    def to_real(self) -> "dtype":
        """That of the real part."""
        return public(np.empty(0, self.dtype).real.dtype)

    def to_complex(self) -> "dtype":
        """That of complex numbers of as many digits.

        Raises:
            DTypeError: for integers, bools and float16.
        """
        if self.itemsize < 4 or not (self.is_floating_point or self.is_complex):
            raise DTypeError(
                f"Unknown Complex ScalarType for {TYPE_NAMES[self.dtype]}. Complex numbers are "
                "pairs of float32 or of float64. Ask `glassgrad.float32.to_complex()`."
            )
        return public(np.result_type(self.dtype, np.complex64))

    def __eq__(self, other: object) -> bool:
        return self is other or self.dtype == other

    def __hash__(self) -> int:
        return hash(self.dtype)

    def __repr__(self) -> str:
        return f"{Home.name}.{self.name}"

    def __str__(self) -> str:
        return self.name if Home.name == "glassgrad" else repr(self)

    def __reduce__(self) -> Any:
        return public, (self.dtype,)


PUBLIC = {own: dtype(own) for own in TYPE_NAMES}


def public(own: Any) -> dtype:
    """The dtype that users see of one of NumPy's."""
    return PUBLIC[own]


float16 = half = public(dtypes.float16)
float32 = public(dtypes.float32)
float64 = double = public(dtypes.float64)
complex64 = cfloat = public(dtypes.complex64)
complex128 = cdouble = public(dtypes.complex128)
uint8 = public(dtypes.uint8)
uint16, uint32, uint64 = [public(np.dtype(name)) for name in ("uint16", "uint32", "uint64")]
int8 = public(dtypes.int8)
int16 = short = public(dtypes.int16)
int32 = public(dtypes.int32)
int64 = long = public(dtypes.int64)
bool_ = public(dtypes.bool_)


class _Absent(dtype):
    """A dtype that PyTorch has and NumPy has not: a name, for programs that choose one of several.

    It is equal to itself only. What is asked for in it is computed in another one, which holds all
    its numbers, and says so.
    """

    __slots__ = ("instead",)

    def __init__(self, name: str, itemsize: int, instead: DType = dtypes.float32) -> None:
        self.name, self.itemsize, self.kind, self.instead = name, itemsize, instead.kind, instead

    @property
    def dtype(self) -> Any:  # type: ignore[override]  # NumPy asks for it
        """The other one: NumPy has none of its own."""
        warn(f"tensors of {self.name} become {self.instead}: NumPy has no such dtype.")
        return self.instead

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> Any:
        return self.name  # of what this module has under that name


bfloat16 = _Absent("bfloat16", 2)
complex32 = chalf = _Absent("complex32", 4, dtypes.complex64)
float8_e4m3fn, float8_e5m2 = _Absent("float8_e4m3fn", 1), _Absent("float8_e5m2", 1)


def get_default_dtype() -> dtype:
    """The dtype that Python floats become: float32 until `set_default_dtype` says otherwise."""
    return public(dtypes.get_default_dtype())


def promote_types(type1: Any, type2: Any) -> dtype:
    """The smallest dtype that holds both, the category deciding before the size.

    Example:
        >>> promote_types(int64, float16)
        glassgrad.float16
    """
    return public(dtypes.promote_types(type1, type2))


def result_type(tensor1: Any, tensor2: Any) -> dtype:
    """The dtype of a sum of two tensors, or of a tensor and a number.

    Example:
        >>> result_type(tensor([1, 2]), 1.5)
        glassgrad.float32

    See also: https://pytorch.org/docs/stable/generated/torch.result_type.html
    """
    both = (tensor1, tensor2)
    tensors = [x for x in both if isinstance(x, Tensor)]
    return public(dtypes.result_dtype(tensors, [x for x in both if not isinstance(x, Tensor)]))


def can_cast(from_: Any, to: Any) -> bool:
    """Whether a result of one dtype may be written to a tensor of the other: categories decide.

    Example:
        >>> can_cast(float64, float32), can_cast(float32, int64)
        (True, False)

    See also: https://pytorch.org/docs/stable/generated/torch.can_cast.html
    """
    return CATEGORY[as_dtype(from_).kind] <= CATEGORY[as_dtype(to).kind]


class _Limits:
    """What `finfo` and `iinfo` share: the limits of a dtype, as attributes."""

    kinds, which = "", ""
    names: Names = ()
    """Its own name, and that of the other one."""
    attributes: Names = ()

    def __init__(self, type: Any = None) -> None:
        own = dtypes.get_default_dtype() if type is None else as_dtype(type)
        if own.kind not in self.kinds:
            name, other = self.names
            raise ArgumentTypeError(
                f"glassgrad.{name}() requires {self.which} input type, got {own}. "
                f"Use glassgrad.{other} to handle it, or that of a dtype it has."
            )
        own = np.empty(0, own).real.dtype
        self.dtype, self.bits = own.name, own.itemsize * 8
        is_fraction = own.kind == "f"
        found: Any = np.finfo(own) if is_fraction else np.iinfo(own)
        for name in self.attributes:
            value = getattr(found, name)
            setattr(self, name, float(value) if is_fraction else int(value))
        if is_fraction:  # NumPy's own is rounded to the dtype
            self.resolution = 10.0**-found.precision

    def __repr__(self) -> str:
        listed = ", ".join(f"{name}={getattr(self, name):g}" for name in self.attributes)
        return f"{self.names[0]}({listed}, dtype={self.dtype})"


class finfo(_Limits):  # noqa: N801  # PyTorch's name
    """The limits of a floating-point dtype: `bits eps max min tiny smallest_normal resolution`.

    Args:
        type: the dtype; None: the default one.

    Raises:
        ArgumentTypeError: for an integer dtype.

    Example:
        >>> finfo(float32).bits
        32

    See also: https://pytorch.org/docs/stable/type_info.html
    """

    kinds, which, names = "fc", "a floating point", ("finfo", "iinfo")
    attributes = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")


class iinfo(_Limits):  # noqa: N801  # PyTorch's name
    """The limits of an integer dtype: `bits max min`.

    Args:
        type: the dtype.

    Raises:
        ArgumentTypeError: for a floating-point dtype.

    Example:
        >>> iinfo(int8).max
        127

    See also: https://pytorch.org/docs/stable/type_info.html
    """

    kinds, which, names = "iu", "an integer", ("iinfo", "finfo")
    attributes = ("min", "max")

    def __init__(self, type: Any) -> None:
        super().__init__(type)
