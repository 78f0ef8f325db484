"""Words that PyTorch's error messages use."""

from glassgrad.core.dtypes import DType

__all__ = ["c_name", "scalar_name"]

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
