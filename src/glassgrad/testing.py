"""`torch.testing`: an AssertionError unless tensors, and what is in containers, are close."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from glassgrad._dtypes import finfo, iinfo
from glassgrad.core.errors import ArgumentError, ArgumentTypeError
from glassgrad.core.tensor import Tensor
from glassgrad.missing import missing_from as _missing_from
from glassgrad.ops.creation import as_tensor
from glassgrad.ops.random import rand, randint
from glassgrad.values.backend import asnumpy

__all__ = ["assert_allclose", "assert_close", "make_tensor"]

__getattr__ = _missing_from(__name__)

_Message = str | Callable[[str], str] | None

_RTOL = {"float16": 1e-3, "float32": 1.3e-6, "float64": 1e-7}
_RTOL |= {"complex64": 1.3e-6, "complex128": 1e-7}
_ATOL = dict.fromkeys(_RTOL, 1e-5) | {"float64": 1e-7, "complex128": 1e-7}


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,  # noqa: ARG001  # PyTorch's; there is one layout
    check_stride: bool = False,
    msg: _Message = None,
) -> None:
    """Raise an AssertionError unless `|actual - expected| <= atol + rtol·|expected|`.

    Args:
        actual, expected: tensors, arrays or numbers of one shape, or sequences and mappings of
            them.
        allow_subclasses: whether two kinds of tensors may be compared.
        rtol, atol: both, or neither for those of the dtypes, 1.3e-6 and 1e-5 for float32.
        equal_nan: whether nan is close to nan.
        check_device, check_dtype, check_stride: whether these have to be the same.
        check_layout: accepted, and without effect.
        msg: what the error says, or a function that makes it of what it would say.

    Raises:
        AssertionError: if they are not close.
        ArgumentError: for one tolerance without the other.
        ArgumentTypeError: for anything that is not compared by numbers.

    Example:
        >>> assert_close(tensor([1.0, 2.0]), tensor([1.0, 2.0000001]))

    See also: https://pytorch.org/docs/stable/testing.html
    """
    if (rtol is None) != (atol is None):
        raise ArgumentError(
            "Both 'rtol' and 'atol' must be either specified or omitted, but got no "
            f"{'rtol' if rtol is None else 'atol'}. One says little without the other."
        )
    checked = {"device": check_device, "dtype": check_dtype, "stride": check_stride}
    attributes = [name for name, is_checked in checked.items() if is_checked]

    def compare(a: Any, b: Any, place: str) -> str | None:
        """What is wrong with the first pair that is not close."""
        if isinstance(a, Mapping) and isinstance(b, Mapping):
            if a.keys() != b.keys():
                return (
                    "The keys of the mappings do not match:\n"
                    f"Missing keys in the actual mapping: {sorted(b.keys() - a.keys())}\n"
                    f"Additional keys in the actual mapping: {sorted(a.keys() - b.keys())}{place}"
                )
            pairs = [(key, a[key], b[key]) for key in a]
        elif _is_row(a) and _is_row(b):
            if len(a) != len(b):
                return f"The length of the sequences mismatch: {len(a)} != {len(b)}{place}"
            pairs = [(nr, *pair) for nr, pair in enumerate(zip(a, b, strict=True))]
        else:
            _check_comparable(a, b, allow_subclasses=allow_subclasses)
            said = None if a is b is None else _difference(a, b, attributes, rtol, atol, equal_nan)
            return said and said + place
        where = place.removeprefix("\n\nThe failure occurred for item ")
        for key, x, y in pairs:
            said = compare(x, y, f"\n\nThe failure occurred for item {where}[{key!r}]")
            if said:
                return said
        return None

    said = compare(actual, expected, "")
    if said:
        raise AssertionError(msg(said) if callable(msg) else msg or said)


def assert_allclose(
    actual: Any,
    expected: Any,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = True,
    msg: str = "",
) -> None:
    """`assert_close` of PyTorch's past: dtypes may differ, and nan is close to nan.

    Example:
        >>> assert_allclose([1, 2], tensor([1.0, 2.0]))
    """
    pair = [x if isinstance(x, Tensor) else as_tensor(x) for x in (actual, expected)]
    assert_close(
        *pair, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=False, msg=msg or None
    )


def _is_row(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _check_comparable(a: Any, b: Any, *, allow_subclasses: bool) -> None:
    kinds = [type(x) for x in (a, b)]
    numbers = (bool, int, float, complex, np.number, np.ndarray, type(None))
    if allow_subclasses and isinstance(a, Tensor) and isinstance(b, Tensor):
        return
    if not (kinds[0] is kinds[1] or (isinstance(a, numbers) and isinstance(b, numbers))) or not (
        isinstance(a, (Tensor, *numbers))
    ):
        raise ArgumentTypeError(
            f"No comparison pair was able to handle inputs of type {kinds[0]} and {kinds[1]}. "
            "Tensors are compared with tensors, numbers with numbers. Write `tensor(number)`."
        )


def _difference(
    a: Any, b: Any, attributes: list[str], rtol: float | None, atol: float | None, equal_nan: bool
) -> str | None:
    """What is wrong with two tensors or numbers; None if they are close."""
    x, y = [each if isinstance(each, Tensor) else as_tensor(np.asarray(each)) for each in (a, b)]
    are_tensors = isinstance(a, Tensor) or np.ndim(a) > 0
    for name in ["shape", *(attributes if are_tensors else [])]:
        mine, other = [
            each.stride() if name == "stride" else getattr(each, name) for each in (x, y)
        ]
        if mine != other:
            return f"The values for attribute {name!r} do not match: {mine} != {other}."
    names = [str(each.dtype).rpartition(".")[2] for each in (x, y)]
    rtol = max(_RTOL.get(name, 0.0) for name in names) if rtol is None else rtol
    atol = max(_ATOL.get(name, 0.0) for name in names) if atol is None else atol
    left, right = [asnumpy(each.detach().payload) for each in (x, y)]
    wide = np.result_type(left, right, *([np.int64] if left.dtype == bool else []))
    left, right = left.astype(wide), right.astype(wide)
    is_wrong = ~np.isclose(left, right, rtol, atol, equal_nan)
    if not is_wrong.any():
        return None
    absolute = abs(left - right)
    with np.errstate(all="ignore"):
        relative = absolute / abs(right)
    allowed = [f" (up to {each} allowed)" if rtol or atol else "" for each in (atol, rtol)]
    if x.ndim == 0:
        words = "close" if rtol or atol else "equal"
        return (
            f"Scalars are not {words}!\n\nExpected {b} but got {a}.\n"
            f"Absolute difference: {absolute}{allowed[0]}\n"
            f"Relative difference: {relative}{allowed[1]}"
        )
    found = []
    for amount in (absolute, relative):
        flat = np.where(is_wrong, amount, -1).argmax()
        place = tuple(int(nr) for nr in np.unravel_index(flat, amount.shape))
        found.append(f"{amount.reshape(-1)[flat]} at index {place}")
    wrong, size = int(is_wrong.sum()), is_wrong.size
    return (
        f"Tensor-likes are not {'close' if rtol or atol else 'equal'}!\n\n"
        f"Mismatched elements: {wrong} / {size} ({100 * wrong / size:.1f}%)\n"
        f"Greatest absolute difference: {found[0]}{allowed[0]}\n"
        f"Greatest relative difference: {found[1]}{allowed[1]}"
    )


def make_tensor(
    *shape: Any,
    dtype: Any,
    device: Any,
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """A tensor of random numbers, each from `low` up to `high` equally likely.

    Args:
        shape: sizes, or one tuple of them.
        dtype, device: of the tensor.
        low, high: -9 and 9 by default, or what of that the dtype holds.
        requires_grad: whether it is a leaf that requires grad.
        noncontiguous: whether its elements are to have gaps between them.
        exclude_zero: whether zeros are to be replaced by the smallest number above 0.
        memory_format: how it lies in memory.

    Raises:
        ArgumentError: for bounds between which the dtype has no number, integers that require grad,
            or gaps together with a memory format.

    Example:
        >>> make_tensor(2, 3, dtype=glassgrad.float64, device="cpu").shape
        glassgrad.Size([2, 3])
    """
    sizes = tuple(shape[0]) if shape and isinstance(shape[0], Sequence) else shape
    if noncontiguous and memory_format is not None:
        raise ArgumentError(
            "The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got "
            f"{memory_format=}. Each says where elements lie. Leave one out."
        )
    if requires_grad and dtype.kind not in "fc":
        raise ArgumentError(
            "`requires_grad=True` is not supported for boolean and integral dtypes, but got "
            f"{dtype=}. They have no gradients."
        )
    made: Any
    has_gaps = noncontiguous and math.prod(sizes) > 1
    drawn = (*sizes[:-1], 2 * sizes[-1]) if has_gaps else sizes
    is_float, is_bool = dtype.kind in "fc", dtype.kind == "b"
    held: Any = finfo(dtype) if is_float else None if is_bool else iinfo(dtype)
    if is_float:
        first, last = _range_of(dtype, low, high, (held.min, held.max), 9)
        shift = complex(first, first) if dtype.kind == "c" else first
        made = (last - first) * rand(*drawn, dtype=dtype, device=device) + shift
    else:
        ends = (0, 2) if is_bool else (held.min, held.max + (dtype.name != "int64"))
        first, last = map(math.ceil, _range_of(dtype, low, high, ends, 10))
        made = randint(first, last, drawn, dtype=dtype, device=device)
    made = made[..., 1::2] if has_gaps else made
    if memory_format is not None:
        made = made.clone(memory_format=memory_format)
    if exclude_zero:
        made[made == 0] = held.tiny if is_float else 1
    made.requires_grad_(requires_grad)
    return cast("Tensor", made)


def _range_of(
    dtype: Any, low: Any, high: Any, ends: tuple[Any, Any], usual: int
) -> tuple[Any, Any]:
    """From where to where numbers are drawn."""
    lowest, highest = ends
    low = -9 if low is None else low
    high = usual if high is None else high
    if math.isnan(low) or math.isnan(high):
        raise ArgumentError(f"`low` and `high` cannot be NaN, but got {low=} and {high=}.")
    if low > high or (low == high and dtype.kind not in "fc"):
        raise ArgumentError(
            f"`low` must be less than `high`, but got {low} >= {high}. Numbers lie in between."
        )
    if high < lowest or low >= highest:
        raise ArgumentError(
            f"The value interval specified by `low` and `high` is [{low}, {high}), but {dtype} "
            f"only supports [{lowest}, {highest})."
        )
    return max(low, lowest), min(high, highest)
