"""Whose shapes did not fit: the operands by the names that the user has for them, and the layer."""

import ast
import re
from types import FrameType
from typing import Any

from glassgrad._words import LONGEST, plain
from glassgrad.core.errors import (
    ArgumentTypeError,
    DimError,
    DTypeError,
    GlassgradError,
    MissingRuleError,
    ShapeError,
)
from glassgrad.core.function import BackwardCFunction
from glassgrad.core.state import is_ours
from glassgrad.core.tensor import Tensor
from glassgrad.source.frames import is_users_file, way_of
from glassgrad.source.lines import line_of, text_of
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


# Functions of the user's that ours call -----------------------------------------------------------

_HOOKS = {
    "_run_tensor_hook": "grad",
    "run_before": "grad",
    "_run_accumulated_hook": "tensor",
    "run_after": "grad_inputs, grad_outputs",
    "_run_without_inputs": "module, grad_input, grad_output",
}
"""What a hook is called with, by the function that calls it."""


def misfit(error: Exception) -> str:
    """How a function is written that cannot be called as ours do, and how to write it.

    Returns:
        "", if `error` is not that: then some function of ours has not called one of the user's.
    """
    frame = way_of(error)[-1].tb_frame
    is_call = re.search(r"\(\) (takes|missing|got) ", str(error))
    if type(error) is not TypeError or not is_call or not is_ours[frame.f_code.co_filename]:
        return ""
    names, caller = frame.f_locals, frame.f_code.co_name
    owner: Any = names.get("self")
    if isinstance(owner, BackwardCFunction):
        rule, count = type(owner)._forward_cls.backward, owner.num_outputs
        wanted = ["ctx", *([f"grad_{nr}" for nr in range(count)] if count > 1 else ["grad"])]
        said = f"backward gets ctx first, then a gradient for each output, {count} here"
        return refitted(said, rule, wanted, f" in {type(owner)._forward_cls.__name__}")
    if caller in ("__call__", "_run") and "_modules" in getattr(owner, "__dict__", {}):
        given = len(names["args"]) + len(names["kwargs"])
        wanted = ["self", *[f"x{nr}" for nr in range(given)]] if given > 1 else ["self", "x"]
        said = f"forward gets self first, then what the module is called with, {given} here"
        return refitted(said, type(owner).forward, wanted[: given + 1])
    hook, gets = names.get("hook") or getattr(owner, "hook", None), _HOOKS.get(caller, "")
    if caller == "__call__":  # around a forward
        gets = "module, args" + ", kwargs" * owner.with_kwargs + ", output" * bool(names["result"])
    if caller == "_run_node_hook":
        gets = "grad_inputs, grad_outputs" if names["arrived"] else "grad_outputs"
    if caller == "_replaced":
        gets = "module, grad_input, grad_output" if names["more"] else "module, grad_output"
    said = f"Such a hook is called with ({gets})"
    return refitted(said, hook, gets.split(", "), keeps=False) if gets else ""


def unfit(cls: Any, given: tuple[Any, ...]) -> Exception:
    """The error for a Function whose methods do not take what `apply` is called with.

    Args:
        given: that; by position alone.
    """
    separate, forward = cls.has_setup_context(), cls.forward
    try:  # which fails before it begins
        forward(*given) if separate else forward(None, *given)
        cls.setup_context(None, given, None)
    except TypeError as error:
        said = str(error)
    lead = [] if separate else ["ctx"]
    wanted = [*lead, *[f"x{nr}" for nr in range(len(given))]]
    gets = f"forward gets {'ctx first, then ' * (not separate)}what apply is called with"
    what = f"{gets}, {len(given)} here"
    if separate:
        what += ", and setup_context gets (ctx, inputs, output)"
    if "setup_context()" in said:
        told = refitted(what, cls.setup_context, ["ctx", "inputs", "output"], keeps=False)
    else:
        told = refitted(what, forward, wanted)
        own = list(forward.__code__.co_varnames[: forward.__code__.co_argcount])
        if own[:1] == lead or (separate and "ctx" not in own):
            call = f"{cls.__name__}.apply({', '.join(own[len(lead) :])})"
            told = told.replace(" Write `", f" Write `{call}`, or `")
    return ArgumentTypeError(f"{said}. {told}")


def refitted(
    said: str, function: Any, wanted: list[str], where: str = "", *, keeps: bool = True
) -> str:
    """How a function is written, and how it is to be written.

    Args:
        said: what it is called with.
        wanted: parameters for that.
        where: of which class it is.
        keeps: whether the function's own names stay, behind "ctx" and "self".
    """
    code = getattr(function, "__code__", None)
    if code is None or not is_users_file(code.co_filename):
        return ""
    names = [*code.co_varnames[: code.co_argcount]]
    found = _head(function, names)
    if keeps:
        own = [name for name in names if name not in ("ctx", "self")]
        lead = [name for name in wanted[:1] if name in ("ctx", "self")]
        wanted = [*lead, *own, *wanted[len(lead) + len(own) :]][: len(wanted)]
    return (
        f"{said}. It is `{found}` in {line_of(function)}. Write `{_head(function, wanted)}`{where}."
    )


def _head(function: Any, names: list[str]) -> str:
    name, parameters = function.__name__, ", ".join(names)
    if name == "<lambda>":
        return f"lambda {parameters}: …".replace("lambda :", "lambda:")
    return f"def {name}({parameters})"


# Layers -------------------------------------------------------------------------------------------


def is_of_layer(error: Exception, module: Any) -> bool:
    """Whether a layer of ours has raised an error, or some function of ours that it calls."""
    return _is_layer(module) and is_ours[way_of(error)[-1].tb_frame.f_code.co_filename]


def _is_layer(module: Any) -> bool:
    home = type(module).__module__
    return home.startswith("glassgrad.nn.") and not home.endswith(".containers")


def in_module(error: Exception, module: Any, inputs: tuple[Any, ...]) -> None:
    """Let an error say in which layer it was raised, what that got, and what it wants.

    Called by each module that the error comes through, from the inside: those around say where in
    them the layer is.
    """
    known: Any = error
    if not isinstance(error, GlassgradError):
        if not hasattr(error, "__notes__") and (note := if_known(_misfit, error)):
            error.add_note(note)
        shorten(error, is_known=hasattr(error, "__notes__"))
        return
    inner = getattr(known, "layer", None)
    said = str(error.args[0]) if error.args else ""
    if inner is None:
        if not _is_layer(module) or isinstance(error, MissingRuleError):
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


def _misfit(_: FrameType, error: Exception) -> str:
    return misfit(error)


def _layer(_: FrameType, module: Any, inputs: tuple[Any, ...], error: Exception) -> str:
    sizes = next((each for each in _SIZES if all(hasattr(module, x) for x in each)), ())
    label, wants = type(module).__name__, ""
    tensors = [x for x in inputs if isinstance(x, Tensor)]
    if sizes:
        between = ", heads: " if "num_heads" in sizes else " → "
        label += f"({between.join([str(getattr(module, each)) for each in sizes])})"
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
