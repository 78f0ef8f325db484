"""A user's Function inside of a transform.

Through the levels of `grad` and `jvp` it goes in parts: `forward` below the level, `setup_context`
at it. Under `vmap` it needs a rule, its own or one that is made of its parts:

    vmap(info, in_dims, *args)    the user's rule: does it to a batch, says where the batch axis is
    generate_vmap_rule = True     forward, setup_context, backward and jvp are mapped over, each by
                                  itself: together they are a Function of batches, `Vmapped`

For the second, what is kept between the parts is kept one level down, as tensors with a batch axis
or without; each part sees it as it would if there were no batch.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from glassgrad.core.errors import DimError, MissingRuleError, ShapeError, TransformError
from glassgrad.core.function import Function, FunctionCtx
from glassgrad.core.state import Values
from glassgrad.core.tensor import Tensor
from glassgrad.levels.level import check_form, derived, opened
from glassgrad.ops._arguments import wrap_dim
from glassgrad.values.gradients import sum_to, wrong_number
from glassgrad.values.tree import as_tuple, describe, flatten, map_leaves, spread, unflatten


def call_batched(level: Any, cls: Any, args: Values) -> Any:
    """Call a Function for all examples of a batch.

    Raises:
        TransformError: if it has no rule, two rules, or its rule returns something else than an
            output and its dims.
        DimError, ShapeError: if the rule returns dims that do not count the examples.
        MissingRuleError: if it takes tensors by keyword only.
    """
    check_form(cls)
    _check_keywords(cls, args)
    leaves, structure = flatten(args)
    if not any(level.is_mine(x) for x in leaves):
        with level.below():
            return cls.apply(*args)
    if _is_generated(cls):
        rule, split = functools.partial(_generated_rule, cls, type(level)), level.batch
    else:
        rule, split = cls.vmap, level.as_passed
    pairs = [split(x) for x in leaves]
    lower = [x for x, _ in pairs]
    in_dims = unflatten(structure, [dim for _, dim in pairs])
    with level.below():
        output, dims = _output_and_dims(rule(level.info, in_dims, *unflatten(structure, lower)))
        outputs, shape = flatten(output)
        size = level.info.batch_size
        fronts = [_in_front(cls, size, x, dim) for x, dim in zip(outputs, dims, strict=True)]
    given = {id(x): leaf for x, leaf in zip(lower, leaves, strict=True) if isinstance(x, Tensor)}
    shown = [
        given[id(x)] if id(x) in given else _one_on_level(level, front, dim is not None)
        for x, front, dim in zip(outputs, fronts, dims, strict=True)
    ]
    return unflatten(shape, shown)


def _in_front(cls: Any, size: int, x: Any, dim: int | None) -> Any:
    """An output of a rule with its batch axis, if it has one, in front.

    Raises:
        DimError: if it has no such dim.
        ShapeError: if that does not have one entry for each example.
    """
    if dim is None or not isinstance(x, Tensor):
        return x
    axis = wrap_dim(dim, x.ndim) if x.ndim else None
    if axis is None or x.shape[axis] != size:
        error = DimError if axis is None else ShapeError
        raise error(
            f"The vmap staticmethod of {cls.__name__} returned a tensor of shape {list(x.shape)} "
            f"with out_dim {dim}: Dimension out of range, or not of the size of the batch, {size}. "
            "That dim has one entry for each example. Return None in its place if there is none."
        )
    return x.movedim(axis, 0) if axis else x


def _check_keywords(cls: Any, args: Values) -> None:
    count = cls.forward.__code__.co_kwonlyargcount if hasattr(cls.forward, "__code__") else 0
    if count and any(isinstance(x, Tensor) for x in flatten(args[-count:])[0]):
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


def _output_and_dims(result: Any) -> tuple[Any, list[Any]]:
    """The output of a user's rule, and for each of its leaves where the batch axis is."""
    expected = (
        "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree "
        "structure compatible with the output."
    )
    if not isinstance(result, tuple) or len(result) != 2:
        got = f"{len(result)} returns" if isinstance(result, tuple) else f"a {type(result)}"
        raise TransformError(f"{expected} Got {got} instead. Write `return y, 0`.")
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


def _generated_rule(cls: Any, kind: Any, info: Any, in_dims: Any, *args: Any) -> tuple[Any, Any]:
    """The `vmap` rule that is made of the parts of a Function; batch axes are in front."""
    plan = Plan(cls, kind, info, map_leaves(lambda dim: dim is not None, in_dims))
    output = derived(cls, f"Vmapped{cls.__name__}", Vmapped).apply(plan, *args)
    return output, map_leaves(lambda has_axis: 0 if has_axis else None, plan.outputs)


@dataclass(slots=True, eq=False)
class Plan:
    """What the parts of one call have in common.

    Attributes:
        of: the Function of one example.
        kind: the class of levels that map over a batch.
        info: the size of the batch, and what random ops do.
        batched: which of the arguments have a batch axis, in front; True and False in trees.
        outputs: the same of what `forward` returned, once it has. All tensors have one, except an
            argument without one that was returned as it is.
    """

    of: Any
    kind: Any
    info: Any
    batched: Any
    outputs: Any = ()

    def level(self) -> Any:
        """A level that maps over the batch, to be entered."""
        return self.kind(self.info.batch_size, self.info.randomness)

    def fitted(self, level: Any, results: Sequence[Any], batched: Sequence[bool]) -> list[Any]:
        """Gradients or tangents one level down, with a batch axis where their tensors have one.

        Args:
            level: has shown what the results were computed from.
            batched: for each result whether it is to have the axis. One that is the same for all
                examples is stretched, and one that is not, but its tensor is, is summed.
        """
        below = [level.lowered(x) for x in results]
        flags = [level.is_mine(x) for x in results]
        with level.below():
            for nr, (x, has, want) in enumerate(zip(below, flags, batched, strict=False)):
                if isinstance(x, Tensor) and has != want:
                    below[nr] = x.sum(0) if has else x.expand(self.info.batch_size, *x.shape)
        return below


class Vmapped(Function):
    """A Function of batches, made of a Function of one example; its first argument is a `Plan`."""

    generate_vmap_rule = True

    @staticmethod
    def forward(plan: Plan, *args: Any) -> Any:
        leaves, _ = flatten(args)
        with opened(plan.level()) as level:
            outputs, structure = flatten(plan.of.forward(*_on_level(level, args, plan.batched)))
            below = [level.lowered(out) for out in outputs]
            flags = [level.is_mine(out) for out in outputs]
        for nr, (out, flag) in enumerate(zip(below, flags, strict=True)):
            if isinstance(out, Tensor) and not (flag or any(out is x for x in leaves)):
                below[nr], flags[nr] = out.expand(plan.info.batch_size, *out.shape).clone(), True
        plan.outputs = unflatten(structure, flags)
        return unflatten(structure, below)

    @staticmethod
    def setup_context(ctx: Any, inputs: Values, output: Any) -> None:
        plan, *args = inputs
        with opened(plan.level()) as level:
            seen = _on_level(level, tuple(args), plan.batched)
            inner = InnerCtx(ctx)
            plan.of.setup_context(inner, seen, _on_level(level, output, plan.outputs))
            inner.hand_over(level, ctx)
            sizes = [tuple(x.shape) if isinstance(x, Tensor) else None for x in seen]
        ctx.plan, ctx.inner, ctx.sizes = plan, inner, sizes

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        plan, of = ctx.plan, ctx.plan.of
        with opened(plan.level()) as level:
            inner = ctx.inner.part(ctx, level, "to_save")
            rule = of.backward if of.vjp is Function.vjp else of.vjp
            results = rule(inner, *_on_level(level, grads, _by_place(plan.outputs)))
            results = list(results) if isinstance(results, tuple) else [results]
            n = len(ctx.sizes)
            if len(results) < n or any(x is not None for x in results[n:]):
                raise wrong_number(f"{of.__name__}Backward", n, len(results))
            for nr, (x, size) in enumerate(zip(results, ctx.sizes, strict=False)):
                if isinstance(x, Tensor) and size is not None and tuple(x.shape) != size:
                    results[nr] = sum_to(x, size)
            return (None, *plan.fitted(level, results, _by_place(plan.batched)))

    @staticmethod
    def jvp(ctx: Any, _: None, *tangents: Any) -> Any:
        plan = ctx.plan
        with opened(plan.level()) as level:
            inner = ctx.inner.part(ctx, level, "saved_for_forward")
            moved = plan.of.jvp(inner, *_on_level(level, tangents, _by_place(plan.batched)))
            moved = as_tuple(moved)
            return tuple(plan.fitted(level, moved, _by_place(plan.outputs)))


def _by_place(batched: Any) -> tuple[bool, ...]:
    """For each argument or output whether it has a batch axis: a tree of tensors is no tensor."""
    return tuple([flag is True for flag in as_tuple(batched)])


class InnerCtx(FunctionCtx):
    """The ctx of one example: what it is asked to save is saved by that of the batch.

    Attributes:
        needs_input_grad: for each argument of the Function whether its gradient is wanted.
        saved_tensors: what was saved, as the part that runs is to see it.
    """

    __slots__ = ("saved_tensors",)  # of one part; all else is of all parts

    def __init__(self, outer: Any) -> None:
        self.needs_input_grad = outer.needs_input_grad[1:]
        self.batched: dict[str, list[bool]] = {}
        self.saved_tensors: Values = ()

    def hand_over(self, level: Any, outer: Any) -> None:
        """Have the ctx of the batch save and mark, one level down, what this one was asked to."""
        asked = vars(self)
        for name in ("to_save", "saved_for_forward", "dirty_tensors", "non_differentiable"):
            if name in asked:
                tensors = asked.pop(name)
                self.batched[name] = [level.is_mine(x) for x in tensors]
                setattr(outer, name, tuple([level.lowered(x) for x in tensors]))
        if "materialize_grads" in asked:
            outer.materialize_grads = asked.pop("materialize_grads")

    def part(self, outer: Any, level: Any, saved: str) -> "InnerCtx":
        """The same for `backward` or `jvp`: what was put on it is there, and what was saved."""
        part = object.__new__(InnerCtx)
        part.__dict__ = self.__dict__
        part.saved_tensors = _on_level(level, outer.saved_tensors, self.batched.get(saved, ()))
        return part


def _on_level(level: Any, tree: Any, batched: Any) -> Any:
    """A tree of tensors one level down as the level shows them."""
    leaves, structure = flatten(tree)
    flags = flatten(batched)[0]
    assert len(flags) == len(leaves), "each leaf has a batch axis or not"
    pairs = zip(leaves, flags, strict=True)
    return unflatten(structure, [_one_on_level(level, x, flag) for x, flag in pairs])


def _one_on_level(level: Any, x: Any, is_batched: bool) -> Any:
    return level.show(x) if is_batched and isinstance(x, Tensor) else x
