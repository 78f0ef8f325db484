"""Words that PyTorch's error messages use."""

from glassgrad.core.errors import ArgumentTypeError
from glassgrad.core.tensor import Tensor
from glassgrad.values.dtypes import DType

__all__ = ["c_name", "not_a_tensor", "require_tensor", "scalar_name"]

_NAMES = {
    "bool": "Bool",
    "uint8": "Byte",
    "int8": "Char",
    "int16": "Short",
    "int32": "Int",
    "int64": "Long",
    "float16": "Half",
    "float32": "Float",
    "float64": "Double",
    "complex64": "ComplexFloat",
    "complex128": "ComplexDouble",
}


def scalar_name(dtype: DType) -> str:
    """PyTorch's name of an element type: "Float" for float32."""
    return _NAMES[str(dtype)]


def c_name(dtype: DType) -> str:
    """C++'s name of an element type, which some messages use: "float" for float32."""
    return {"Float": "float", "Double": "double", "Half": "c10::Half", "Long": "long int"}.get(
        scalar_name(dtype), str(dtype)
    )


def not_a_tensor(name: str, *arguments: object) -> ArgumentTypeError:
    """The error for the first of the arguments that is no tensor."""
    at, kind = next(
        (position, type(value).__name__)
        for position, value in enumerate(arguments)
        if not isinstance(value, Tensor)
    )
    return ArgumentTypeError(
        f"{name}(): argument {at} must be Tensor, not {kind}. Ops compute on tensors. "
        "Write `glassgrad.tensor(values)`."
    )


def require_tensor(name: str, value: object) -> None:
    """Raise ArgumentTypeError unless the op called `name` was given a tensor."""
    if not isinstance(value, Tensor):
        raise not_a_tensor(name, value)
