"""A user's Function under `vmap`: by its own rule, or by one that is made of its parts.

    vmap(info, in_dims, *args)    the user's rule: does it to a batch, says where the batch axis is
    generate_vmap_rule = True     forward, setup_context, backward and jvp are mapped over, each by
                                  itself: together they are a Function of batches, `Vmapped`

For the second, what is saved between the parts is saved one level down, as tensors with a batch
axis or without; each part sees it as it would if there were no batch.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from glassgrad.base.errors import MissingRuleError, TransformError
from glassgrad.base.tree import describe, flatten, spread, unflatten
from glassgrad.core.tensor import Tensor
from glassgrad.recording.function import Function, FunctionCtx

from ._functions import check_form

__all__ = ["call_batched"]


def call_batched(level: Any, cls: Any, args: tuple[Any, ...]) -> Any:
    """Call a Function for all examples of a batch.

    Raises:
        TransformError: if it has no rule, two rules, or its rule returns something else than an
            output and its dims.
        MissingRuleError: if it takes tensors by keyword only.
    """
    check_form(cls)
    _check_keywords(cls, args)
    leaves, structure = flatten(args)
    pairs = [level.batch_at(x) if isinstance(x, Tensor) else (x, None) for x in leaves]
    lower, dims = [x for x, _ in pairs], [dim for _, dim in pairs]
    values = unflatten(structure, lower)
    with level.below():
        if all([dim is None for dim in dims]):
            return cls.apply(*values)
        if _is_generated(cls):
            fronts = [level.batch(x)[0] if isinstance(x, Tensor) else x for x in leaves]
            batched = tuple([dim is not None for dim in dims])
            plan = Plan(type(level), level.info, batched)
            lower = fronts
            output = _vmapped(cls).apply(plan, *unflatten(structure, fronts))
            flags = plan.are_batched(fronts, output)
            out_dims: Any = [0 if flag else None for flag in flags]
        else:
            result = cls.vmap(level.info, unflatten(structure, dims), *values)
            output, out_dims = _checked(result)
    outputs, shape = flatten(output)
    own = {id(x): leaf for x, leaf in zip(lower, leaves, strict=True) if isinstance(x, Tensor)}
    shown = [
        own[id(x)] if id(x) in own else level.show(x, dim)
        for x, dim in zip(outputs, out_dims, strict=True)
    ]
    return unflatten(shape, shown)


def _check_keywords(cls: Any, args: tuple[Any, ...]) -> None:
    count = cls.forward.__code__.co_kwonlyargcount if hasattr(cls.forward, "__code__") else 0
    if count and any([isinstance(x, Tensor) for x in flatten(args[-count:])[0]]):
        raise MissingRuleError(
            f"Run vmap on autograd.Function with kwarg-only Tensor args: {cls.__name__}.forward "
            "has a `*`, and what is behind it has no entry in in_dims. Please do not pass "
            "kwarg-only Tensors to autograd.Function: pass them by position."
        )


def _is_generated(cls: Any) -> bool:
    """Whether the rule of a Function is to be made of its parts; it has one of its own if not."""
    has_own = cls.vmap is not Function.vmap
    if cls.generate_vmap_rule and has_own:
        raise TransformError(
            f"You tried to vmap over {cls.__name__}, but it has both generate_vmap_rule=True and "
            "an overridden vmap staticmethod. Please set generate_vmap_rule=False or delete the "
            "overridden vmap staticmethod to avoid ambiguity."
        )
    if not (cls.generate_vmap_rule or has_own):
        raise TransformError(
            f"You tried to vmap over {cls.__name__}, but it does not have vmap support: its "
            "forward may do anything to the examples. Please override and implement the vmap "
            "staticmethod, or set generate_vmap_rule=True if it is made of ops."
        )
    return bool(cls.generate_vmap_rule)


def _checked(result: Any) -> tuple[Any, list[Any]]:
    """The output of a user's rule, and for each of its leaves where the batch axis is."""
    expected = (
        "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree "
        "structure compatible with the output."
    )
    if not isinstance(result, tuple):
        raise TransformError(f"{expected} Got a {type(result)} instead. Write `return y, 0`.")
    if len(result) != 2:
        raise TransformError(f"{expected} Got {len(result)} returns instead. Write `return y, 0`.")
    output, out_dims = result
    found = spread(out_dims, output)
    if found is None:
        raise TransformError(
            "The autograd.Function's vmap staticmethod returned an incompatible (output, out_dims) "
            f"tuple. Expected out_dims={out_dims} to be compatible with the structure of `output`. "
            f"out_dims has structure {describe(flatten(out_dims)[1])} but output has structure "
            f"{describe(flatten(output)[1])}. Write an entry for each output."
        )
    return output, found


# The rule that is made of the parts of a Function ----------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """What the parts of one call have in common.

    Attributes:
        kind: the class of levels that map over a batch.
        info: the size of the batch, and what random ops do.
        batched: for each leaf of the arguments whether it has a batch axis, which is in front.
    """

    kind: Any
    info: Any
    batched: tuple[bool, ...]

    def level(self) -> Any:
        """A level that maps over the batch, to be entered."""
        return self.kind(self.info.batch_size, self.info.randomness)

    def are_batched(self, inputs: Sequence[Any], output: Any) -> list[bool]:
        """For each leaf of the output whether it has a batch axis.

        All tensors get one, except an argument without one that is returned as it is.
        """
        single = [x for x, flag in zip(inputs, self.batched, strict=True) if not flag]
        return [
            isinstance(out, Tensor) and not any([out is x for x in single])
            for out in flatten(output)[0]
        ]


def _shown(level: Any, tree: Any, batched: Sequence[bool]) -> Any:
    """A tree of tensors one level down as the level shows them."""
    leaves, structure = flatten(tree)
    pairs = zip(leaves, batched, strict=True)
    return unflatten(structure, [level.show(x, 0) if flag else x for x, flag in pairs])


def _vmapped(cls: Any) -> Any:
    """The Function of batches that is made of a Function of one example; made once."""
    found = cls.__dict__.get("_vmapped")
    if found is None:
        body = {"of": cls, "generate_vmap_rule": True, "__module__": cls.__module__}
        found = cls._vmapped = type(Function)(f"Vmapped{cls.__name__}", (Vmapped,), body)
    return found


class VmappedCtx(FunctionCtx):
    """The ctx of one example: what it is asked to keep is kept by that of the batch.

    Attributes:
        saved_tensors: what was saved, as the running part is to see it.
    """

    saved_tensors: tuple[Any, ...] = ()

    def __init__(self, outer: Any, level: Any) -> None:
        self._outer, self._level = outer, level
        self._batched: dict[str, list[bool]] = {}

    @property
    def needs_input_grad(self) -> tuple[bool, ...]:
        """For each argument of the Function whether its gradient is wanted."""
        return self._outer.needs_input_grad[1:]  # type: ignore[no-any-return]  # a ctx is Any

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        self._outer.save_for_backward(*self._below(tensors, "backward"))

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        self._outer.save_for_forward(*self._below(tensors, "forward"))

    def mark_dirty(self, *args: Tensor) -> None:
        self._outer.mark_dirty(*self._below(args))

    def mark_non_differentiable(self, *args: Tensor) -> None:
        self._outer.mark_non_differentiable(*self._below(args))

    def set_materialize_grads(self, value: bool) -> None:
        self._outer.set_materialize_grads(value)

    def _below(self, tensors: Sequence[Any], purpose: str = "") -> list[Any]:
        pairs = [self._level.batch(x) if isinstance(x, Tensor) else (x, None) for x in tensors]
        self._batched[purpose] = [dim == 0 for _, dim in pairs]
        return [x for x, _ in pairs]

    def at(self, level: Any, purpose: str) -> "VmappedCtx":
        """The same with the saved tensors as `level` shows them."""
        saved = self._outer.saved_tensors
        self.saved_tensors = _shown(level, saved, self._batched.get(purpose, ()))
        return self


class Vmapped(Function):
    """A Function of batches. Its first argument is a `Plan`; `of` is the Function of one example."""

    of: Any

    @classmethod
    def has_setup_context(cls) -> bool:
        return True

    @classmethod
    def _forward(cls, plan: Plan, *args: Any) -> Any:
        leaves, _ = flatten(args)
        with plan.level() as level:
            output = cls.of.forward(*_shown(level, args, plan.batched))
            outputs, structure = flatten(output)
            pairs = [level.batch(x) if isinstance(x, Tensor) else (x, None) for x in outputs]
        size = plan.info.batch_size
        below = [
            out.expand(size, *out.shape).clone()
            if dim is None and isinstance(out, Tensor) and not any([out is x for x in leaves])
            else out
            for out, dim in pairs
        ]
        return unflatten(structure, below)
