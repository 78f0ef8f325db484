"""What ops of one family share."""

from collections.abc import Callable
from inspect import Parameter, Signature, signature
from typing import Any, ClassVar

import numpy as np

from glassgrad.core.errors import MissingRuleError
from glassgrad.core.function import Function
from glassgrad.core.graph import Node
from glassgrad.core.primitive import Parameters, Primitive
from glassgrad.core.state import Func, Names, Shape
from glassgrad.core.tensor import Size, Tensor, wrap
from glassgrad.levels.level import transposed_twice

from ._arguments import OpClass
from ._rules import batch_all, lined_up, on_arrays, on_tensors, run, shifted, total, zeros_like


class WithGradient(Primitive):
    """An op whose rule may say by the names of its arguments what it needs.

    Attributes:
        gradient: what backward returns, as a function of the gradient of the result, of operands
            and the result, and of parameters by keyword: `gradient(grad, y, *, dim)`. Operands are
            called as in `forward`. What is named is saved; `saves` says under which names, if they
            are not `self`, `other` and `result`.
        tangent: what jvp returns, as a function of the tangent and of the same.
    """

    gradient: ClassVar[Func]
    tangent: ClassVar[Func]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "tangent" in vars(cls):
            cls.jvp = staticmethod(_by_name(cls.tangent))
        if "gradient" not in vars(cls):
            return
        cls.backward = staticmethod(_by_name(cls.gradient))  # type: ignore[method-assign]
        if "saves" not in vars(cls):
            operands = dict(zip(operand_names(cls.forward), ("self", "other"), strict=False))
            needed = operand_names(cls.gradient)[1:]
            cls.saves = tuple([operands.get(each, "result") for each in needed])
            cls.saved_at = {"other": 1} if "self" not in cls.saves else {}
            assert cls.saves.count("result") < 2, f"{needed} are more than the result"


def operand_names(rule: Func) -> Names:
    """What a rule calls what it takes by position."""
    code = rule.__code__
    return code.co_varnames[: code.co_argcount]


def _by_name(rule: Func) -> Func:
    """A backward or jvp that hands over what was saved."""
    code = rule.__code__
    parameters = code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount]

    def moved(ctx: Any, value: Any) -> Any:
        return rule(value, *ctx.saved_tensors)

    def with_parameters(ctx: Any, value: Any) -> Any:
        named = {}
        for name in parameters:  # a comprehension would be a call
            named[name] = getattr(ctx, name)
        return rule(value, *ctx.saved_tensors, **named)

    return with_parameters if parameters else moved


class Elementwise(WithGradient):
    """Each element of the result depends on the operands' elements at the same place."""

    broadcasts = True
    apply: Callable[..., Tensor]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """An op that is one function of NumPy's names it, `ufunc`; that is its forward, then."""
        if "ufunc" in vars(cls) and "forward" not in vars(cls):
            cls.forward = staticmethod(forward_of(cls.ufunc))  # type: ignore[method-assign]
        super().__init_subclass__(**kwargs)

    @classmethod
    def jvp(cls, ctx, *tangents):
        """Where each element depends on its own place alone, x̄ = ȳ·f' and dy = f'·dx are one."""
        if len(tangents) == 1:
            return cls.backward(ctx, *tangents)
        parts = []
        for place, tangent in enumerate(tangents):
            if tangent is not None:
                ctx.edges = (None,) * place + (tangent,) + (None,) * (len(tangents) - place - 1)
                parts.append(cls.backward(ctx, tangent)[place])
        return total(parts)

    @classmethod
    @on_arrays
    def vmap(cls, info, in_dims, *values, **parameters):
        """The dims of an example are lined up from the last one; the batch stays in front."""
        if len(values) == 1:
            return run(cls, values[0], **parameters)
        return run(cls, *lined_up(values, in_dims), **parameters)


def forward_of(ufunc: Any) -> Func:
    """A forward that calls a function of one operand, or a ufunc of two."""

    def one(x: Any) -> Any:
        return ufunc(x)

    def two(x: Any, y: Any) -> Any:
        return ufunc(x, y)

    return two if getattr(ufunc, "nin", 1) == 2 else one


class Fractional(Elementwise):
    """An elementwise function whose values are fractions: integers become floats first."""

    floating = True


class Predicate(Elementwise):
    """An elementwise question; its answer is a bool, which has no gradient."""

    differentiable = False


class Flat(Elementwise):
    """What changes by steps, or not at all: a slope of 0."""

    @staticmethod
    def backward(ctx, grad):
        zeros = [np.zeros_like(grad) for _ in ctx.edges]
        return tuple(zeros) if len(zeros) > 1 else zeros[0]


class Symmetric(Primitive):
    """An op whose Jacobian is symmetric: backward moves tangents as it does gradients."""

    @classmethod
    def jvp(cls, ctx, tangent):
        """`J·dx = Jᵀ·dx`."""
        return cls.backward(ctx, tangent)


class Transposed(Primitive):
    """An op whose tangent is made of its gradient: Note [Transposed twice]."""

    @classmethod
    @on_tensors
    def jvp(cls, ctx, *tangents):
        moved = transposed_twice(cls, ctx, tangents)
        return tuple(moved) if cls.multiple else moved[0]


def by_call(jvp: Any) -> Any:
    """Mark a `jvp` that asks for no more than the call itself: nothing is saved for it."""
    jvp.by_call = True
    return jvp


class Linear(Primitive):
    """Linear in all of its operands together: tangents move as values do."""

    @classmethod
    @by_call
    def jvp(cls, ctx, *tangents):
        """The op itself, of the tangents; zeros stand for those that are missing."""
        first = cls.differentiates.start or 0
        operands = list(ctx.operands)
        for place, tangent in enumerate(tangents, first):
            operands[place] = np.zeros_like(operands[place]) if tangent is None else tangent
        return run(cls, *operands, **ctx.parameters)


class Multilinear(Primitive):
    """Linear in each of its operands, as products are."""

    @classmethod
    @by_call
    def jvp(cls, ctx, *tangents):
        """The product rule: each tangent in the place of its operand, one at a time."""
        operands, moved = ctx.operands, None
        for place, tangent in enumerate(tangents):
            if tangent is not None:
                others = operands[:place], operands[place + 1 :]
                part = run(cls, *others[0], tangent, *others[1], **ctx.parameters)
                moved = part if moved is None else moved + part
        return moved


def over_dims(function: Func) -> Func:
    """The forward of an op that is a function of NumPy's over some dims."""

    def forward(x: Any, *, dim: Any, keepdim: bool) -> Any:
        return function(x, axis=dim, keepdims=keepdim)

    return forward


class Along(WithGradient):
    """An op that does the same whatever dims are in front: its parameters say where and how much.

    Attributes:
        axes: the parameters, if there are such, that count dims from the front: numbers, or tuples.
        sizes: the parameters that are the sizes of a result.
    """

    axes: ClassVar[Names] = ("dim",)
    sizes: ClassVar[Names] = ()

    @classmethod
    @on_arrays
    def vmap(cls, info, in_dims, *values, **parameters):
        """One dim further on; the same value for each example is stretched over the batch."""
        return run(cls, *batch_all(info, in_dims, values), **cls.one_further(info, parameters))

    @classmethod
    def one_further(cls, info: Any, parameters: Parameters) -> Parameters:
        """The parameters for operands with a batch in front."""
        moved = dict(parameters)
        for name in parameters.keys() & cls.axes:
            moved[name] = shifted(parameters[name])
        for name in cls.sizes:
            moved[name] = (info.batch_size, *parameters[name])
        return moved


class AlongLine(Along):
    """An op along one dim. An example without dims is a line of one element to it."""

    @classmethod
    def vmap(cls, info, in_dims, x, **parameters):
        """One dim further on."""
        if x.ndim > 1:
            return cls.apply(x, **cls.one_further(info, parameters))
        out = cls.apply(x.reshape(info.batch_size, 1), **cls.one_further(info, parameters))
        flat = [part.reshape(info.batch_size) for part in (out if cls.multiple else (out,))]
        return tuple(flat) if cls.multiple else flat[0]


class Reduction(Transposed, Along):
    """Many elements become one.

    The rules find `dim` among the parameters: over which dims, all of them if there is none.
    """


class Moved(Linear, Along):
    """An op that moves elements or adds them up, whatever their dtype."""

    promotes = None


class Paired(Moved):
    """An op whose gradients are moved back by another one, or by itself.

    Attributes:
        back: that op. It finds its parameters on the node.
    """

    back: ClassVar[OpClass]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "forward" in vars(cls) and not hasattr(cls, "back"):
            cls.back = cls

    @staticmethod
    def backward(ctx, grad):
        back = ctx._forward_cls.back
        return run(back, grad, **{name: getattr(ctx, name) for name in back.parameters})


class KeepsShape(Moved):
    """The gradient needs the shape of the operand: `ctx.shape`, `node._saved_self_sym_sizes`."""

    @classmethod
    def _node_class(cls) -> type[Node]:
        node_class: Any = super()._node_class()
        node_class._saved_self_sym_sizes = property(lambda node: Size(node.shape))
        return node_class

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.shape = inputs[0].shape


class Part(Paired, KeepsShape):
    """A view of some of the elements."""

    views = True


class Into(Paired):
    """Zeros, but the operand at the places that a view op shows: one is the other's transpose.

    Attributes:
        of: the view op.
    """

    sizes = ("shape",)
    of: ClassVar[type[Part]]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        of = cls.of

        def forward(x: Any, *, shape: Shape, **place: Any) -> Any:
            out = zeros_like(x, shape)
            of.forward(out, **place)[...] = x
            return out

        cls.back, of.back, cls.axes = of, cls, of.axes
        if "forward" not in vars(cls):
            forward.__signature__ = signature(of.forward)  # type: ignore[attr-defined]
            cls.forward = staticmethod(forward)  # type: ignore[method-assign]
            cls.parameters = ("shape", *of.parameters)
        super().__init_subclass__(**kwargs)


class Replaced(Linear, Along):
    """An array, but with other values at the places that a view op shows.

    Attributes:
        of: the view op.
    """

    promotes = None
    of: ClassVar[type[Part]]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        of = cls.of

        def forward(x: Any, src: Any, **place: Any) -> Any:
            out = np.copy(x)
            of.forward(out, **place)[...] = src
            return out

        place = [Parameter(name, Parameter.KEYWORD_ONLY) for name in of.parameters]
        operands = [Parameter(name, Parameter.POSITIONAL_ONLY) for name in ("x", "src")]
        forward.__signature__ = Signature([*operands, *place])  # type: ignore[attr-defined]
        cls.axes, cls.parameters = of.axes, of.parameters
        cls.forward = staticmethod(forward)  # type: ignore[method-assign]
        super().__init_subclass__(**kwargs)

    @staticmethod
    def setup_context(ctx, inputs, output):
        """Nothing is kept but where the places are."""

    @staticmethod
    def backward(ctx, grad):
        cls, (wants_x, wants_src) = ctx._forward_cls, ctx.needs_input_grad
        place = {name: getattr(ctx, name) for name in cls.parameters}
        shown = run(cls.of, grad, **place)
        left = run(cls, grad, np.zeros_like(shown), **place) if wants_x else None
        return left, shown if wants_src else None


# Without a derivative -----------------------------------------------------------------------------


def without_derivative(name: str, result: Tensor, *operands: Tensor | None) -> Tensor:
    """A result of the op called `name` that depends on the operands, but not by a derivative."""
    followed = [x for x in operands if x is not None and x.requires_grad]
    if not followed:
        return result
    said = (
        f"the derivative for '{name}' is not implemented. It asks which elements are equal, or in "
        "which part they are, and that changes by steps. Write `x.detach()` for none."
    )
    return Refused.apply(followed[0], result, MissingRuleError, said)


class Refused(Function):
    """Passes on a result that depends on `x`, and raises an error when it is differentiated."""

    @staticmethod
    def forward(x, result, error, said):
        return wrap(result.payload)

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, _, ctx.error, ctx.said = inputs

    @staticmethod
    def vmap(info, in_dims, x, result, error, said):
        return Refused.apply(x, result, error, said), in_dims[1]

    @staticmethod
    def backward(ctx, *grads):
        raise ctx.error(ctx.said)

    jvp = backward
