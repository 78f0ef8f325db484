"""Whose shapes did not fit: the operands by the names that the user has for them, and the layer."""

import ast
from types import FrameType
from typing import Any

from glassgrad._words import LONGEST, plain
from glassgrad.core.errors import DimError, DTypeError, GlassgradError, ShapeError
from glassgrad.core.tensor import Tensor
from glassgrad.source.lines import text_of
from glassgrad.source.scope import Scope, if_known

from .tracebacks import shorten

_SIZES = (
    ("in_features", "out_features"),
    ("in_channels", "out_channels"),
    ("input_size", "hidden_size"),
    ("num_embeddings", "embedding_dim"),
    ("embed_dim", "num_heads"),
    ("num_features",),
    ("normalized_shape",),
)
"""What says how large a layer is."""

_WANTED = {
    "in_features": "{} features in its last dim",
    "in_channels": "{} channels",
    "input_size": "{} features in its last dim",
    "num_embeddings": "indices from 0 to {}",
    "embed_dim": "{} features in its last dim",
    "num_features": "{} channels in dim 1",
    "normalized_shape": "{} as its last sizes",
}
"""What an input has to have, for the first of them."""


def named(error: Exception) -> Exception:
    """The error, which also says what shapes and dtypes the names in the user's line have."""
    if isinstance(error, (ShapeError, DTypeError)) and not hasattr(error, "said"):
        found = if_known(_operands)
        error.said = error.args[0]  # type: ignore[union-attr]  # without what is added
        if found:
            error.args = (f"{error.args[0]} {found}",)
    return error


def _operands(frame: FrameType) -> str:
    scope = Scope(frame.f_code, frame)
    _, node = scope.running()
    parts: list[Any] = []
    if isinstance(node, ast.BinOp):
        parts = [node.left, node.right]
    elif isinstance(node, ast.AugAssign):
        parts = [node.target, node.value]
    elif isinstance(node, ast.Call) and not hasattr(type(scope.value(node.func)), "forward"):
        owner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        parts = [*owner, *node.args, *[each.value for each in node.keywords]]
    listed = [x for each in parts for x in (each.elts if _is_list(each) else [each])]
    values = {text_of(each): scope.value(each) for each in listed}
    tensors = {name: x for name, x in values.items() if isinstance(x, Tensor)}
    if not tensors:
        return ""
    mixed = len({x.payload.dtype for x in tensors.values()}) > 1
    shapes = [f"`{name}` has the shape {_shape(x, mixed)}" for name, x in tensors.items()]
    return f"Here {', and '.join(shapes[:4])}."


def _is_list(part: Any) -> bool:
    return isinstance(part, (ast.List, ast.Tuple))


def _shape(tensor: Tensor, with_dtype: bool) -> str:
    return f"{tuple(tensor.shape)}{f' of {tensor.payload.dtype}' if with_dtype else ''}"


# Layers -------------------------------------------------------------------------------------------


def in_module(error: GlassgradError, module: Any, inputs: tuple[Any, ...]) -> None:
    """Let an error say in which layer it was raised, what that got, and what it wants.

    Called by each module that the error comes through, from the inside: those around say where in
    them the layer is.
    """
    known: Any = error
    inner = getattr(known, "layer", None)
    said = str(error.args[0]) if error.args else ""
    if inner is None:
        home = type(module).__module__
        is_layer = home.startswith("glassgrad.nn.") and not home.endswith(".containers")
        if not is_layer or isinstance(error, NotImplementedError):
            known.layer = ()
        else:
            layer = if_known(_layer, module, inputs, error)
            known.layer = module, f"{getattr(known, 'said', said)} {layer}"
            if layer:
                error.args = (known.layer[1], *error.args[1:])
    elif inner:
        path = next((path for path, each in module.named_modules() if each is inner[0]), "")
        if path:
            where = f"It is `{plain(path, LONGEST)}` of the {type(module).__name__}."
            error.args = (f"{inner[1]} {where}", *error.args[1:])
    shorten(error)


def _layer(_: FrameType, module: Any, inputs: tuple[Any, ...], error: Exception) -> str:
    sizes = next((each for each in _SIZES if all(hasattr(module, x) for x in each)), ())
    label, wants = type(module).__name__, ""
    tensors = [x for x in inputs if isinstance(x, Tensor)]
    if sizes:
        label += f"({' → '.join([str(getattr(module, each)) for each in sizes])})"
        wanted = getattr(module, sizes[0])
        if _is_amiss(module, sizes[0], wanted, tensors, error):
            wanted = wanted - 1 if sizes[0] == "num_embeddings" else wanted
            wants = f", and wants {_WANTED[sizes[0]].format(wanted)}"
    dtypes = {x.payload.dtype for x in tensors}
    if isinstance(error, DTypeError):
        own = [x.payload.dtype for x in module.parameters()]
        wants = f", and its weights are {own[0]}" if own and own[0] not in dtypes else wants
        dtypes |= set(own)
    got = " and ".join([_shape(x, len(dtypes) > 1) for x in tensors])
    shapes = "shapes" if len(tensors) > 1 else "shape"
    return f"{label} got the {shapes} {got}{wants}." if tensors else f"It was {label}."


def _is_amiss(module: Any, name: str, wanted: Any, tensors: list[Tensor], error: Exception) -> bool:
    """Whether it is that size which the first input does not have."""
    if name == "num_embeddings":
        return isinstance(error, DimError)
    shape = tuple(tensors[0].shape) if tensors else ()
    if name == "normalized_shape":
        return shape[len(shape) - len(wanted) :] != tuple(wanted)
    at = -1
    if name == "in_channels":
        at = -1 - len(module.kernel_size)
    elif name == "num_features":
        at = 1
    return -len(shape) <= at < len(shape) and shape[at] != wanted
