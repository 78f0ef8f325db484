"""What `autograd.functional` accepts, and what `strict=True` refuses."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from glassgrad.core.errors import (
    ArgumentTypeError,
    ExpectationError,
    GraphError,
    MissingRuleError,
    ShapeError,
)
from glassgrad.core.tensor import Tensor
from glassgrad.ops import zeros_like

__all__ = [
    "DOUBLE_BACK",
    "DOUBLE_BACK_TRICK",
    "FIRST_BACK",
    "FIRST_BACK_TRICK",
    "Several",
    "Stage",
    "Tensors",
    "call",
    "call_scalar",
    "check_recorded",
    "check_slopes",
    "check_strategy",
    "check_vector",
    "refuse_with_forward_mode",
    "several",
]

Tensors = Tensor | tuple[Tensor, ...]
"""What a user passes and gets: one tensor, or a tuple of them."""

NOT_IN_STRICT = "This is not allowed in strict mode"


class Several(NamedTuple):
    """Tensors, and whether they came in a tuple: so does what belongs to them."""

    tensors: tuple[Tensor, ...]
    in_tuple: bool

    def shaped(self, results: Sequence[Any]) -> Any:
        """One result for each tensor: as a tuple, or the only one."""
        return tuple(results) if self.in_tuple else results[0]


def several(value: Any, what: str, function: str) -> Several:
    """One tensor or a tuple of tensors.

    Args:
        what: the name of `value` in a message, as `function` is that of the public function.
    """
    tensors = value if isinstance(value, tuple) else (value,)
    for position, x in enumerate(tensors):
        if not isinstance(x, Tensor):
            which = f"value at index {position}" if value is tensors else f"given {what}"
            raise ArgumentTypeError(
                f"The {what} given to {function} must be either a Tensor or a tuple of Tensors but "
                f"the {which} has type {type(x)}. Derivatives are those of tensors. Pass "
                "constants by a closure: `lambda x: f(x, 2)`."
            )
    return Several(tensors, value is tensors)


# What the function returned ---------------------------------------------------------------------


def call(
    func: Callable[..., Any], inputs: tuple[Tensor, ...], function: str, *, strict: bool
) -> Several:
    """The outputs of `func`; if `strict`, each must be recorded."""
    outputs = several(func(*inputs), "outputs of the user-provided function", function)
    if strict:
        check_recorded(outputs.tensors)
    return outputs


def check_recorded(outputs: Sequence[Tensor]) -> None:
    """Strict mode: each output requires grad."""
    for position, y in enumerate(outputs):
        if not y.requires_grad:
            raise GraphError(
                f"Output {position} of the user-provided function does not require gradients. The "
                "outputs must be computed in a differentiable manner from the input when running "
                "in strict mode. Look for detach(), no_grad() or an integer dtype on the way, or "
                "pass strict=False to get zeros."
            )


def call_scalar(
    func: Callable[..., Any], inputs: tuple[Tensor, ...], function: str, *, strict: bool
) -> Tensor:
    """The one number that `func` returns, as a tensor of one element."""
    outputs = call(func, inputs, function, strict=strict)
    if outputs.in_tuple:
        raise ShapeError(
            f"The function given to {function} should return a single Tensor, but it returned a "
            f"tuple of {len(outputs.tensors)}. A Hessian is that of one number. "
            "Return the output of interest, or a sum."
        )
    (y,) = outputs.tensors
    if y.numel() != 1:
        raise ShapeError(
            f"The Tensor returned by the function given to {function} should contain a single "
            f"element, but it has shape {tuple(y.shape)}. A Hessian is that of one number. Reduce "
            "the output, for example with `.sum()`."
        )
    return y


# The vector -------------------------------------------------------------------------------------


def check_vector(v: Several | None, like: Several, condition: str) -> None:
    """`v` has the sizes of `like`; it may be missing where `like` is one number.

    Args:
        condition: when it may be missing, in words.
    """
    if v is None:
        if len(like.tensors) != 1 or like.tensors[0].numel() != 1:
            raise ShapeError(
                f"The vector v can only be None if {condition} a single Tensor with a single "
                f"element. Here the sizes are {[tuple(x.shape) for x in like.tensors]}, and 1 is "
                "no vector of such a space. Pass v with these sizes."
            )
        return
    if len(v.tensors) != len(like.tensors):
        if not like.in_tuple:
            raise ShapeError(
                f"The given v should contain a single Tensor. It contains {len(v.tensors)}, but "
                "is multiplied with one. Pass that tensor alone."
            )
        raise ShapeError(
            f"v is a tuple of invalid length: should be {len(like.tensors)} but got "
            f"{len(v.tensors)}. Each tensor has its part of the vector. Use zeros for a direction "
            "of no interest."
        )
    for position, (part, x) in enumerate(zip(v.tensors, like.tensors, strict=True)):
        if part.shape != x.shape:
            entry = f"Entry {position} in " if like.in_tuple else ""
            raise ShapeError(
                f"{entry}v has invalid size: should be {_in_torch(x)} but got {_in_torch(part)}. A "
                "vector has one number for each entry of what it is multiplied with. Nothing is "
                "broadcast here: write `v.expand_as(…)`."
            )


def _in_torch(x: Tensor) -> str:
    """A size as PyTorch's sentence has it, which is what people search for."""
    return f"torch.Size({list(x.shape)})"


# Strict mode ------------------------------------------------------------------------------------


class Stage(NamedTuple):
    """What it says about the function if a gradient of this pass is missing, or is constant.

    Attributes:
        missing: the sentence about a gradient that is None; `{}` is its position.
        constant: of what an input is then found to have no influence on: a derivative's name.
        remedy: what to do about a missing one.
    """

    missing: str
    constant: str
    remedy: str = "Drop that input, or pass strict=False to get zeros."

    def filled(
        self,
        found: Sequence[Tensor | None],
        like: Sequence[Tensor],
        *,
        strict: bool,
        create_graph: bool,
    ) -> list[Tensor]:
        """The gradients, with zeros for those that are missing; neither zeros if `strict`."""
        results = []
        for position, (gradient, x) in enumerate(zip(found, like, strict=True)):
            if strict and gradient is None:
                raise GraphError(f"{self.missing.format(position)}. {NOT_IN_STRICT}. {self.remedy}")
            if strict and create_graph and gradient is not None and not gradient.requires_grad:
                raise GraphError(
                    f"The {self.constant} of the user-provided function is independent of input "
                    f"{position}. {NOT_IN_STRICT} when create_graph=True. Nothing is left to "
                    "differentiate: leave create_graph or strict out."
                )
            results.append(zeros_like(x) if gradient is None else gradient)
        return results


_BY_TRICK = (
    "Two backward passes stand in for forward mode here, and the second one found no way back. "
    "Pass strict=False to get zeros."
)

FIRST_BACK = Stage(
    "The output of the user-provided function is independent of input {}", "jacobian"
)
FIRST_BACK_TRICK = Stage(
    "The gradient with respect to the input is independent of entry {} in the grad_outputs",
    "jacobian",
    _BY_TRICK,
)
DOUBLE_BACK = Stage(
    "The jacobian of the user-provided function is independent of input {}", "hessian"
)
DOUBLE_BACK_TRICK = Stage(
    "The hessian of the user-provided function is independent of entry {} in the grad_jacobian",
    "hessian",
    _BY_TRICK,
)


def check_slopes(slopes: Sequence[Tensor | None], *, second: bool) -> None:
    """Strict mode: each first derivative is there, and depends on something itself.

    Args:
        second: whether they are differentiated because a Hessian was asked for.
    """
    for position, slope in enumerate(slopes):
        if slope is None:
            raise GraphError(
                f"{FIRST_BACK.missing.format(position)}. {NOT_IN_STRICT}. {FIRST_BACK.remedy}"
            )
        if slope.requires_grad:
            continue
        if second:
            raise GraphError(
                "While computing the hessian, found that the jacobian of the user-provided "
                f"function with respect to input {position} is independent of the input. "
                f"{NOT_IN_STRICT}. The Hessian of a linear function is zero: pass strict=False "
                "to get it, or make sure the function is twice differentiable."
            )
        raise GraphError(
            f"The gradient with respect to input {position} is independent of the inputs of the "
            f"user-provided function. {NOT_IN_STRICT}. Its backward leaves the tape: compute it "
            "with differentiable ops, or pass strict=False to get zeros."
        )


# Strategies -------------------------------------------------------------------------------------


def check_strategy(strategy: str) -> None:
    """Refuse a strategy that does not exist."""
    if strategy not in ("forward-mode", "reverse-mode"):
        raise ExpectationError(
            'Expected strategy to be either "forward-mode" or "reverse-mode", but got '
            f"{strategy!r}. A Jacobian is computed by columns or by rows. With more outputs than "
            'inputs take "forward-mode", otherwise "reverse-mode".'
        )


def refuse_with_forward_mode(*, create_graph: bool, strict: bool, vectorize: bool) -> None:
    """The options that do not go together with `strategy="forward-mode"`."""
    if create_graph:
        raise MissingRuleError(_not_together("create_graph"))
    if strict:
        raise GraphError(_not_together("strict"))
    if not vectorize:
        raise MissingRuleError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian is only "
            "implemented for `vectorize=True`. All columns come from one call of the function. "
            "Pass vectorize=True."
        )


def _not_together(option: str) -> str:
    return (
        f'autograd.functional.jacobian: `{option}=True` and `strategy="forward-mode"` are not '
        "supported together (yet). A column does not say which input an output depends on, nor "
        f'is it recorded. Set `{option}=False` or `strategy="reverse-mode"`.'
    )
