"""How a tensor prints: `tensor([1.0000, 2.5000], requires_grad=True)`.

All numbers of a tensor get one format and one width, found by looking at all that will be shown:
whole numbers print as `1.`, others with 4 decimals, and if they differ a lot in size, or are very
large or small, with an exponent. A tensor of more than 1000 elements shows its edges only.
"""

import math
import textwrap
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ._words import LONGEST, plain
from .core.errors import ArgumentError, ArgumentTypeError, GraphError
from .core.tensor import PLAIN, Tensor
from .levels.duals import tangent_of
from .values.backend import asnumpy
from .values.dtypes import bool_, complex64, complex128, float64, get_default_dtype, int64
from .values.layers import Layer

__all__ = ["get_printoptions", "set_printoptions", "tensor_repr"]

Array = np.ndarray[Any, Any]


class Options(NamedTuple):
    """What `set_printoptions` sets."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


_PROFILES = {
    "default": Options(),
    "short": Options(precision=2, edgeitems=2),
    "full": Options(threshold=math.inf),
}


class _Current:
    """Holds the options in force."""

    options = Options()


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Choose how tensors print; what is None stays as it is.

    Args:
        precision: how many decimals; 4 at first.
        threshold: the number of elements above which only edges are shown; 1000 at first.
        edgeitems: how many elements an edge has; 3 at first.
        linewidth: how many characters a line has; 80 at first.
        profile: "default", "short" or "full": all of the above at once.
        sci_mode: always or never an exponent; None: as the numbers demand.

    Raises:
        ArgumentError: for another profile.
        ArgumentTypeError: for what is no number.

    Example:
        >>> set_printoptions(precision=2)
        >>> tensor([1.12345])
        tensor([1.12])
        >>> set_printoptions(profile="default")

    See also: https://pytorch.org/docs/stable/generated/torch.set_printoptions.html
    """
    if profile is not None and profile not in _PROFILES:
        raise ArgumentError(
            f"there is no profile {profile!r}. The profiles are {', '.join(_PROFILES)}. "
            "Write set_printoptions(profile='default')."
        )
    options = _Current.options if profile is None else _PROFILES[profile]
    given = {
        "precision": precision,
        "threshold": threshold,
        "edgeitems": edgeitems,
        "linewidth": linewidth,
    }
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    for name, value in changes.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ArgumentTypeError(
                f"{name}={value!r} is a {type(value).__name__}. It counts characters, decimals or "
                f"elements. Write a number: set_printoptions({name}={getattr(options, name)!r})."
            )
    _Current.options = options._replace(sci_mode=sci_mode, **changes)


def get_printoptions() -> dict[str, Any]:
    """The options in force, as `set_printoptions(**options)` takes them.

    Example:
        >>> get_printoptions()["precision"]
        4
    """
    return _Current.options._asdict()


# The whole ----------------------------------------------------------------------------------------


def tensor_repr(tensor: Tensor) -> str:
    """What `repr(tensor)` shows.

    Args:
        tensor: of any shape, dtype and device.

    Returns:
        The values, and behind them what is not the default: size, dtype, device, grad_fn.

    Example:
        >>> tensor_repr(tensor([0.5, 2.0]))
        'tensor([0.5000, 2.0000])'
    """
    if isinstance(tensor.payload, Layer):
        title = "Parameter containing:\n" if hasattr(tensor, "_is_param") else ""
        return title + _layer_repr(tensor.payload)
    options = _Current.options
    kind = type(tensor)
    head = "tensor(" if kind in PLAIN else f"{plain(kind.__name__, LONGEST)}("
    array = tensor.payload
    if tensor.is_meta:
        body = "..."
    elif array.size:
        array = asnumpy(array)
        body = _values(array, len(head), options)
    else:
        body = "[]"
    return _with_suffixes(head + body, _suffixes(tensor, array, options), len(head), options)


def _layer_repr(layer: Layer) -> str:
    """A tensor as a transform sees it: its level, and in it what is one level down."""
    place, value = layer.pictured()
    inner = textwrap.indent(repr(value), " " * 4)
    return f"{layer.kind}Tensor(lvl={layer.level.depth}{place}, value=\n{inner}\n)"


def _suffixes(tensor: Tensor, array: Array, options: Options) -> list[str]:
    found = []
    if tensor.device.type != "cpu":
        found.append(f"device='{tensor.device}'")
    is_unsaid = array.ndim != 1 if not array.size else not options.edgeitems
    if is_unsaid or tensor.is_meta:
        found.append(f"size={tuple(array.shape)}")
    default = get_default_dtype()
    unsaid = (default, complex128 if default == float64 else complex64, int64, bool_)
    if array.dtype not in (unsaid if array.size and not tensor.is_meta else (default,)):
        found.append(f"dtype={tensor.dtype!r}")
    try:
        node = tensor.grad_fn
        place = node and f"grad_fn=<{plain(type(node).__name__, LONGEST)}>"
    except GraphError:  # a view that lost its place in the graph in a write
        place = "grad_fn=<Invalid>"
    if place:
        found.append(place)
    elif tensor.requires_grad:
        found.append("requires_grad=True")
    tangent = tangent_of(tensor)
    if tangent is not None:
        found.append(f"tangent={tangent}")
    return found


def _with_suffixes(text: str, suffixes: list[str], indent: int, options: Options) -> str:
    """`text` and the suffixes, on as many lines as it takes."""
    column = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if column + len(suffix) + 2 > options.linewidth:
            text += ",\n" + " " * indent + suffix
            column = indent + len(suffix)
        else:
            text += ", " + suffix
            column += len(suffix) + 2
    return text + ")"


# The values ---------------------------------------------------------------------------------------


def _values(array: Array, indent: int, options: Options) -> str:
    """The numbers in their brackets, from the innermost ones outwards."""
    edge, shown = options.edgeitems, array
    cut = [array.size > options.threshold and n > 2 * edge for n in array.shape]
    if any(cut):  # nothing else is read, nor copied
        kept = [
            [*range(edge), *range(n - edge, n)] if is_cut else range(n)
            for is_cut, n in zip(cut, array.shape, strict=True)
        ]
        shown = array[np.ix_(*kept)]
    texts, width = _texts(shown, options)
    for axis in reversed(range(array.ndim)):
        size, inner = shown.shape[axis], array.ndim - 1 - axis
        per_line = 1 if inner else max(1, (options.linewidth - indent - axis) // (width + 2))
        between = "," + "\n" * max(1, inner) + " " * (indent + axis + 1)
        blocks = []
        for start in range(math.prod(shown.shape[:axis])):
            items = texts[start * size : (start + 1) * size]
            if cut[axis]:
                items.insert(edge, "..." if inner or not edge else " ...")
            lines = [", ".join(items[i : i + per_line]) for i in range(0, len(items), per_line)]
            blocks.append(f"[{between.join(lines)}]")
        texts = blocks
    return texts[0]


def _texts(array: Array, options: Options) -> tuple[list[str], int]:
    """All numbers as text, in one format, and their width; nan and inf may be wider."""
    if array.dtype.kind == "c":
        reals, wide = _texts(array.real, options)
        imags, width = _texts(array.imag, options)
        signed = [text if text[0] in "+-" else f"+{text}" for text in map(str.lstrip, imags)]
        return [f"{re}{im}j" for re, im in zip(reals, signed, strict=True)], wide + width + 1
    write: Callable[[Any], str] = str
    counted = array
    if array.dtype.kind == "f":
        counted = array[np.isfinite(array) & (array != 0)].astype(np.float64)
        write = _format(counted, options)
    width = max([1, *(len(write(value)) for value in counted.reshape(-1).tolist())])
    return [write(value).rjust(width) for value in array.reshape(-1).tolist()], width


def _format(values: Array, options: Options) -> Callable[[Any], str]:
    """How to write fractions, of which these are finite and not zero."""
    sizes, exponent = np.abs(values), options.sci_mode and values.size > 0
    if exponent is None and values.size:
        with np.errstate(all="ignore"):
            ratio = sizes.max() / sizes.min()
        exponent = bool(ratio > 1e3 or sizes.max() > 1e8 or sizes.min() < 1e-4)  # PyTorch's limits
    if exponent:
        return f"{{:.{options.precision}e}}".format
    if np.all(values == np.ceil(values)):
        return lambda value: f"{value:.0f}." if math.isfinite(value) else f"{value:.0f}"
    return f"{{:.{options.precision}f}}".format
