"""PyTorch's names for the arguments of layers, which annotations of programs have.

`_size_2_t` is an int or a pair of them, `_ratio_3_t` a float or three, `_size_any_opt_t` an int or
None, or a tuple of such.
"""

from typing import Any, TypeVar

from glassgrad.core.tensor import Tensor

T = TypeVar("T")

_one_or: dict[str, Any] = {"any": T | tuple[T, ...]}  # type: ignore[valid-type]  # an expression
_one_or |= {str(n): T | tuple[(T,) * n] for n in range(1, 7)}  # type: ignore[misc]  # PyTorch's
for _name, _kind in _one_or.items():
    globals()[f"_scalar_or_tuple_{_name}_t"] = _kind
    globals()[f"_size_{_name}_t"] = _kind[int]
    globals()[f"_size_{_name}_opt_t"] = _kind[int | None]
    globals()[f"_ratio_{_name}_t"] = _kind[float]

_tensor_list_t = _one_or["any"][Tensor]
_maybe_indices_t = _one_or["2"][Tensor]
