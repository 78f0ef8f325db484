"""Forward mode on tensors themselves: where tangents are, what an op or a write does to them.

    d = make_dual(p, t)      d.cold.tangent is t
    v = d[0]                 v.cold.tangent is t[0], a view of t
    v.mul_(2)                writes d and t: both halves of a dual share memory alike
    y = f(d)                 dy = cls.jvp(ctx, t)        ctx: what backward would find there

A tangent hangs on its tensor, and the level that is open knows weakly which tensors have one, to
take them away when it ends. A tangent lies in memory as its tensor does, so that a view of the
tensor has for its tangent the same view of the tangent, even if it was made before that was there.
That is so up to the *stem* of a view: the tensor it was taken from, or the latest `make_dual` or
`unpack_dual` on the way, which share memory with their argument but no tangent.

A rule is run on Tensors, once forward mode is set aside, so that the tape records it like anything
else: tangents can be differentiated in reverse mode, as gradients can be in forward mode.
"""

import functools
import weakref
from collections.abc import Iterable
from typing import Any

import numpy as np

from glassgrad.core import errors, state
from glassgrad.core.function import Function, run_forward
from glassgrad.core.graph import ends
from glassgrad.core.primitive import Parameters, Primitive, plain_values
from glassgrad.core.saved import note_versions
from glassgrad.core.state import Func, Values, modes, setting
from glassgrad.core.tensor import PLAIN, Tensor, is_differentiable, whole, wrap
from glassgrad.memory.calls import form_of, place_outputs
from glassgrad.memory.saved import is_any_of
from glassgrad.memory.views import Geometry, as_view, show
from glassgrad.values.layers import Layer, Wrapped, array_of
from glassgrad.values.operands import in_common_dtype
from glassgrad.values.tree import as_tuple

Tangents = tuple[Tensor | None, ...]


def tangent_of(tensor: Tensor) -> Tensor | None:
    """The tangent that ops see; None outside of a level, or where forward mode is off."""
    duals: Duals | None = modes.duals
    return None if duals is None or not is_forward() else duals.tangent(tensor)


def forward_moves(tensors: Iterable[Any]) -> bool:
    """Whether a tangent of one of them has to be moved on."""
    duals: Duals | None = modes.duals
    return duals is not None and duals.has_tangent(tensors)


def is_forward() -> bool:
    """Whether tangents are moved on: not where forward mode is off, nor in `inference_mode()`."""
    return modes.forward and not modes.inference


def apart(tensor: Tensor) -> Tensor:
    """A view of all of `tensor` that shares no tangent with it."""
    with primal():
        view = tensor.view_as(tensor)
    if view.cold is not None:
        view.cold.stem = None
    return view


def check_size(tensor: Tensor, tangent: Tensor) -> None:
    """Raise ShapeError if a tangent has not the size of its tensor."""
    if tuple(tangent.shape) != tuple(tensor.shape):
        raise errors.ShapeError(
            "Trying to set a forward gradient that has a different size than that of the original "
            f"Tensor, this is not supported. Tensor is of size {list(tensor.shape)} while the "
            f"given forward gradient is of size {list(tangent.shape)}. Each element moves at its "
            "own speed. Write `tangent.expand_as(x)`."
        )


def check_moves(name: str, x: Tensor) -> None:
    """Raise ArgumentError if a primal or a tangent, as `name` says, holds integers."""
    if not is_differentiable(x.dtype):
        raise errors.ArgumentError(
            f"Expected {name} to be floating point or complex, but got: {x.dtype}. Integers do not "
            "move by a small step. Write `x.float()`."
        )


def primal() -> setting:
    """The block in which forward mode is set aside: primals and tangents are plain tensors."""
    return setting(forward=False)


class Duals:
    """The tensors that have a tangent while one level of forward mode is open.

    Attributes:
        depth: how many transforms were open before. What is done to tensors of those that were
            opened later is seen here one level further down, on the tensors that have tangents.
    """

    def __init__(self) -> None:
        self.depth = len(modes.levels)
        self._carriers: weakref.WeakValueDictionary[int, Tensor] = weakref.WeakValueDictionary()
        self._of_saved: weakref.WeakKeyDictionary[Any, dict[int, Tensor]]
        self._of_saved = weakref.WeakKeyDictionary()

    def close(self) -> None:
        """Take all tangents away."""
        for tensor in list(self._carriers.values()):
            tensor.cold_side().tangent = None
        self._carriers.clear()
        self._of_saved.clear()

    def is_used(self) -> bool:
        """Whether any tensor has a tangent that ops would see."""
        return bool(self._carriers) and is_forward()

    def acts(self) -> bool:
        """Whether an op that is done now moves tangents on."""
        return is_forward() and len(modes.levels) == self.depth

    def has_tangent(self, operands: Iterable[Any]) -> bool:
        """Whether one of the operands of an op has a tangent, and it is to be moved on."""
        return self.acts() and any(
            isinstance(x, Tensor) and x.cold is not None and self.tangent(x) is not None
            for x in operands
        )

    def tangent(self, tensor: Tensor) -> Tensor | None:
        """The tangent of `tensor`: its own, or for a view the part of its stem's."""
        cold = tensor.cold
        if cold is None or cold.tangent is not None or cold.stem is None:
            return cold and cold.tangent
        stem = cold.stem
        whole = stem.cold and stem.cold.tangent
        if whole is None:
            return None
        at = Geometry.of(stem, tensor)
        with primal():
            part = whole.as_strided(at.size, at.stride, at.offset + whole.storage_offset())
        self.hang(tensor, part)
        return part

    def hang(self, tensor: Tensor, tangent: Tensor) -> None:
        """Let `tensor` have this very tangent."""
        tensor.cold_side().tangent = tangent
        self._carriers[id(tensor)] = tensor

    def give(self, tensor: Tensor, tangent: Tensor) -> Tensor:
        """Let `tensor`, which has none, have a tangent: this one, or a copy laid out as it is.

        Returns:
            The tangent that it has.

        Raises:
            ShapeError: if the shapes differ.
            GraphError: if the tangent has a tangent, or elements of the tensor share their memory
                and so cannot move each for itself.
        """
        check_size(tensor, tangent)
        if self.tangent(tangent) is not None:
            raise errors.GraphError(
                "Setting a forward grad that itself has a forward gradient at the same level 0 is "
                "not supported: there is one level, and a tangent is a constant of it. Write "
                "`unpack_dual(tangent).primal`, or nest `func.jvp` for higher derivatives."
            )
        return self.hang_alike(tensor, tangent)

    def hang_alike(self, tensor: Tensor, tangent: Tensor) -> Tensor:
        """The same for a tangent of which it is known that it fits."""
        if not _alike(tensor, tangent):
            with primal():
                tangent = room_like(tensor, tangent).copy_(tangent)
        self.hang(tensor, tangent)
        return tangent

    def written(self, tensor: Tensor, tangent: Tensor | None) -> None:
        """Move the tangent of a tensor that was written, in the memory it has.

        Args:
            tangent: what it is now; None: zeros, for what was written is a constant.
        """
        if not self.acts():
            return
        own = self.tangent(tensor)
        if own is None and tangent is not None:
            stem = tensor.cold and tensor.cold.stem
            if stem is None:
                self.give(tensor, _stretched(tangent, tensor))
                return
            view, whole = tensor.payload, stem.payload
            if view.shape == whole.shape and view.strides == whole.strides:  # all, just as it is
                self.hang(tensor, self.give(stem, _stretched(tangent, tensor)))
                return
            with primal():
                self.hang(stem, room_like(stem, tangent))
            own = self.tangent(tensor)
        if own is None or own is tangent:
            return
        with primal():
            if tangent is None:
                own.zero_()
            else:
                own.copy_(tangent)

    def keep_as_it_is(self, copy: Tensor, tensor: Tensor) -> None:
        """Let a copy of a tensor that is about to be written have a copy of its tangent."""
        tangent = tangent_of(tensor)
        if tangent is not None:
            with primal():
                self.hang(copy, tangent.clone())

    # What a node saved may come back as another tensor -------------------------------------------

    def keep_output(self, output: Tensor, tangent: Tensor) -> None:
        """Remember the tangent of an output for whoever takes it out of the node that saved it."""
        if output.edge is not None and output.grad_fn is not None:
            node, nr = ends(output.edge)
            self._of_saved.setdefault(node, {})[nr] = tangent

    def keep_saved(self, packed: Any, tensor: Tensor) -> None:
        """Remember the tangent of a tensor that was given to a pack hook."""
        tangent = self.tangent(tensor)
        if tangent is not None:
            self._of_saved[packed] = {0: tangent}

    def restore(self, tensor: Tensor, saved: Any, nr: int = 0) -> None:
        """Let a tensor that was made again have the tangent that it had when it was saved.

        Args:
            saved: the node of which it is an output, and `nr`, or what the pack hook made of it.
        """
        tangent = self._of_saved.get(saved, {}).get(nr)
        if tangent is not None:
            self.hang(tensor, tangent)

    # What an op, or a user's Function, does to them -----------------------------------------------

    def handle(self, cls: type[Primitive], operands: Values, parameters: Parameters) -> Any:
        """Do the op as if nothing had a tangent, and its rule on the tangents."""
        tangents = self._tangents(operands)
        out, moved = moved_on(self, cls, operands, tangents, parameters)
        pairs = zip(out, moved, strict=True) if cls.multiple else ((out, moved),)
        for part, tangent in pairs:
            if tangent is None:
                continue
            if cls.views and _shares_memory(tangent, tangents):
                self.hang(part, tangent)  # a view of that of the operand
                continue
            tangent = self.hang_alike(part, tangent)
            if "result" in cls.saves:
                self.keep_output(part, tangent)
        return out

    @property
    def outer(self) -> Values:
        """The transforms that see an op without its tangents."""
        return modes.levels

    def below(self) -> setting:
        """The block in which built-in ops are done as if nothing had a tangent."""
        # They go by the fast door where forward mode is closed; but a Packed asks for tangents.
        return primal() if modes.hook_pairs else setting(duals=None)

    def call(self, cls: Any, args: Values) -> Any:
        """Call a user's Function, and its `jvp`."""
        tangents = self._tangents(args)
        with primal():
            if _is_shown(args):
                outputs = raw = modes.levels[-1].call(cls, args)
                ctx = cls._backward_cls()
                cls.setup_context(ctx, args, raw)
                call = Call(ctx, args, tangents, raw)
            else:
                forward, separate, _ = form_of(cls)
                ctx, raw, edges = run_forward(cls, args, forward, separate)
                call = Call(ctx, args, tangents, raw)
                outputs = place_outputs(ctx, args, raw, edges)
            moved = call.moved(outputs)
        for out, tangent, in_place in moved:
            if in_place:
                self.written(out, tangent)
            elif tangent is not None:
                out.cold_side().tangent = None
                self.give(out, tangent)
                self.keep_output(out, tangent)
        return outputs

    def _tangents(self, operands: Values) -> Tangents:
        return tuple([self.tangent(x) if isinstance(x, Tensor) else None for x in operands])


# How tangents lie in memory ---------------------------------------------------------------------


def _stretched(tangent: Tensor, tensor: Tensor) -> Tensor:
    """A tangent stretched to the shape of what was written."""
    with primal():
        return tangent if tangent.shape == tensor.shape else tangent.expand(tensor.shape)


def _alike(tensor: Tensor, tangent: Tensor) -> bool:
    """Whether views of both can be taken alike: the same steps, in memory of the same size."""
    a, b = tensor.payload, tangent.payload
    is_plain = not (isinstance(a, Layer) or isinstance(b, Layer))
    if is_plain and a.base is b.base is None and a.strides == b.strides and a.dtype is b.dtype:
        return True
    if tensor.numel() == 0:
        return True
    for n, step, other in zip(a.shape, a.strides, b.strides, strict=True):
        if n != 1 and step * b.itemsize != other * a.itemsize:
            return False
    return not is_plain or _elements_of_storage(a) == _elements_of_storage(b)


def _elements_of_storage(array: Any) -> int:
    """How many elements the memory has in which an array lies."""
    owner = array
    while getattr(owner, "base", None) is not None and hasattr(owner.base, "nbytes"):
        owner = owner.base
    return int(owner.nbytes) // int(array.itemsize)


def room_like(tensor: Tensor, tangent: Tensor) -> Tensor:
    """Zeros that lie in memory as `tensor` does; for each example that it or `tangent` is of."""
    size, stride = tensor.shape, tensor.stride()
    last = sum([(n - 1) * step for n, step in zip(size, stride, strict=True)])
    reach = 0 if 0 in size else last + 1
    memory = tensor.new_zeros((reach,), dtype=tangent.dtype) + tangent.new_zeros(())
    return memory.as_strided(size, stride)  # type: ignore[no-any-return]  # a Tensor


def _is_shown(args: Values) -> bool:
    """Whether a transform sees a call: that of vmap does not if the arguments have no batch."""
    return any(x.__class__ is Wrapped for x in args) or any(
        level.kind != "vmap" for level in modes.levels
    )


def _shares_memory(tangent: Tensor, tangents: Tangents) -> bool:
    """Whether a write to one of the tangents might change the first."""
    array = array_of(tangent)
    for x in tangents:
        if x is not None:
            other = array_of(x)
            if array is other or (array.base is not None and np.may_share_memory(array, other)):
                return True
    return False


# Built-in ops -----------------------------------------------------------------------------------


def moved_on(
    level: Any, cls: type[Primitive], values: Values, tangents: Values, parameters: Parameters
) -> tuple[Any, Any]:
    """What an op makes of values and how that moves; tuples if it has several results.

    Args:
        level: the level of forward mode; values and tangents are tensors one level down.

    Raises:
        MissingRuleError: if the op has no rule for tangents.
    """
    wanted = tangents[cls.differentiates]
    moves = cls.differentiable and not set(map(type, wanted)) <= {type(None)}
    if moves and not level.outer and _form(cls)[1]:
        found = _on_arrays(cls, values, tangents, parameters)
        if found is not None:
            return found
    with level.below():
        out = cls.apply(*values, **parameters)
        if cls.views:
            show(out, values[0])
        if not moves:
            return out, ((None,) * len(out) if cls.multiple else None)
        if cls.jvp is Function.jvp:
            raise errors.MissingRuleError(
                f"Trying to use forward AD with {cls.__name__.lower()} that does not support it "
                "because it has not been implemented yet. Its class has no `jvp`. Differentiate in "
                "reverse mode, or take the tangent away with `x.detach()`."
            )
        values = in_common_dtype(cls, values)
        moved = cls.jvp(context_of(_form(cls)[0], values, out, wanted, parameters), *wanted)
        if not cls.multiple:
            return out, _with_own_memory(cls, moved, out, tangents)
        pairs = zip(moved, out, strict=True)
        return out, tuple([_with_own_memory(cls, *pair, tangents) for pair in pairs])


def _on_arrays(
    cls: type[Primitive], values: Values, tangents: Values, parameters: Parameters
) -> tuple[Tensor, Tensor] | None:
    """The same, of bare arrays; None for what is to be done step by step."""
    moves: list[Any] = []
    for dx in tangents[cls.differentiates]:
        if dx is not None and (dx.edge is not None or type(dx) not in PLAIN):
            return None
        moves.append(None if dx is None else dx.payload)

    def rule(*arrays: Any, **parameters: Any) -> tuple[Tensor, Tensor] | None:
        out = whole(cls.forward(*arrays, **parameters))
        ctx = context_of(_form(cls)[0], arrays, out, tuple(moves), parameters)
        moved = whole(cls.jvp(ctx, *moves))
        can_move = moved is not None and out.dtype.kind in "fc"
        if not can_move or moved.shape != out.shape or moved.dtype is not out.dtype:
            return None
        result, tangent = wrap(out), wrap(moved)
        if cls.views:
            as_view(result, values[0])
        is_fresh = moved.base is None and id(moved) not in map(id, moves)
        if not is_fresh and _shares_memory(tangent, tangents):
            tangent = as_view(tangent, tangents[0]) if cls.views else wrap(moved.copy())
        return result, tangent

    return of_arrays(cls, values, rule, parameters)  # type: ignore[no-any-return]  # of the rule


def of_arrays(cls: type[Primitive], values: Values, rule: Func, parameters: Parameters) -> Any:
    """What a rule makes of the arrays of its op's operands, at the bottom.

    As in a backward pass, that is quicker where no graph, and nobody else, is to know of the op.

    Returns:
        None where it takes tensors instead: also after anything went wrong, which is told of there.
    """
    for x in values:
        if isinstance(x, Tensor) and x.edge is not None:
            return None
    if modes.duals is not None and modes.duals.is_used():
        return None
    arrays = plain_values(cls, values)
    if arrays is None or modes.inference or state.computed:
        return None
    try:
        return rule(*arrays, **parameters)
    except Exception:  # noqa: BLE001  # whatever it is
        return None


class OpCall:
    """The `ctx` of a `jvp` that asks for nothing but the call itself: of a linear op."""

    __slots__ = ("operands", "parameters", "result")


@functools.cache
def _form(cls: type[Primitive]) -> tuple[Any, bool]:
    """The class of the `ctx` of a `jvp`, and whether it takes arrays as well as tensors."""
    takes_arrays = not (cls.multiple or hasattr(cls.jvp, "on_tensors"))
    if hasattr(cls.jvp, "by_call"):
        return OpCall, takes_arrays
    # It has room for the call itself.
    return type(f"{cls.__name__}Forward", (cls._backward_cls,), {}), takes_arrays


def context_of(kind: Any, values: Values, out: Any, wanted: Values, parameters: Parameters) -> Any:
    """What backward would find on its ctx, and the call: nobody else sees it, and it keeps nothing.

    Args:
        kind: the class of the node that an op would have, or OpCall.
        wanted: for each operand that can have a derivative, None if it is not asked for.
    """
    ctx = object.__new__(kind)
    ctx.operands, ctx.parameters, ctx.result = values, parameters, out
    if kind is OpCall:
        return ctx
    cls = kind._forward_cls
    ctx.edges, ctx.holders = wanted, ()
    kept = [
        (*values, out)[position] if condition is None or wanted[condition] is not None else None
        for condition, position in cls.kept_where
    ]
    ctx.saved_tensors = tuple(kept)
    for name, value in parameters.items():
        setattr(ctx, name, value)
    if cls.has_setup_context():
        cls.setup_context(ctx, values, out)
    return ctx


def _with_own_memory(cls: type[Primitive], tangent: Any, out: Tensor, tangents: Tangents) -> Any:
    """A tangent in the shape and dtype of its primal, with memory of its own unless that is a view.

    Else a write to the operand, which moves the operand's tangent, would move the result's too.
    """
    if tangent is None or out.payload.dtype.kind not in "fc":
        return None
    if cls.views and _shares_memory(tangent, tangents[:1]):
        show(tangent, tangents[0])
        return tangent
    have, wanted = tangent.payload, out.payload
    if have.dtype != wanted.dtype:
        tangent = tangent.to(wanted.dtype)
    if have.shape != wanted.shape:
        return tangent.expand(wanted.shape).clone()
    # That of x + 1 is that of x.
    return tangent.clone() if _shares_memory(tangent, tangents) else tangent


# Users' Functions -------------------------------------------------------------------------------


class Call:
    """One call of a user's Function, as its `jvp` is to see it.

    It is made before the outputs are placed in the graph: that forgets what was marked.

    Args:
        ctx: what `setup_context` has seen.
        args: the arguments.
        tangents: those of the arguments, None where there is none.
        raw: what `forward` returned.
    """

    def __init__(self, ctx: Any, args: Values, tangents: Tangents, raw: Any) -> None:
        self.ctx, self.args, self.tangents = ctx, args, tangents
        self.returned = as_tuple(raw)
        self.dirty, self.constant = ctx.dirty_tensors, ctx.non_differentiable

    def moved(self, outputs: Any) -> list[tuple[Tensor, Tensor | None, bool]]:
        """Run `jvp` and check what it returns.

        Args:
            outputs: what `apply` will return, without tangents.

        Returns:
            For each output that may have one: itself, its tangent, and whether it shares memory
            with an argument that has none, and gets one now.
        """
        versions = [_version_of(tangent) for tangent in self.tangents]
        moved = self._run_jvp()
        several = as_tuple(outputs)
        if len(moved) != len(several):
            raise errors.GradientError(
                "Function's jvp returned an invalid number of forward gradients (expected "
                f"{len(several)} but got {len(moved)}). Each output has a tangent. Return None for "
                "one that is not differentiable."
            )
        found: list[tuple[Tensor, Tensor | None, bool]] = []
        for nr, (out, was, tangent) in enumerate(zip(several, self.returned, moved, strict=True)):
            can_move = isinstance(was, Tensor) and was.dtype.kind in "fc"
            if not can_move or is_any_of(was, self.constant):
                if tangent is not None:
                    raise errors.GradientError(
                        f"Function's jvp returned a gradient at position {nr}, but the "
                        "corresponding forward output is not a differentiable Tensor. You should "
                        "return None at that position instead."
                    )
            elif is_any_of(was, self.dirty):
                at = [x is was for x in self.args].index(True)
                if self.tangents[at] is None:
                    found.append((out, tangent, True))
                else:
                    _check_written(tangent, self.tangents[at], versions[at])
            else:
                is_new = _check_view(out, tangent, self.args, self.tangents)
                if tangent is not None and not _is_view(out):
                    shares = _shares_memory(tangent, self.tangents)
                    tangent = tangent.clone() if shares else tangent
                found.append((out, tangent, is_new))
        return found

    def _run_jvp(self) -> Values:
        """What `jvp` returns; what was saved for it is in `ctx.saved_tensors` meanwhile."""
        ctx = self.ctx
        given = list(self.tangents)
        for nr, x in enumerate(self.args):
            moves = isinstance(x, Tensor) and is_differentiable(x.dtype)
            if given[nr] is None and moves and ctx.materialize_grads:
                given[nr] = wrap(np.zeros_like(x.payload))
        kept, saved = (ctx.holders, ctx.versions), ctx.saved_for_forward
        ctx.holders = [None if x is None or x.is_inference() else x for x in saved]
        note_versions(ctx)
        ctx.holders = saved
        try:
            moved = ctx.apply_jvp(*given)
        finally:
            ctx.holders, ctx.versions = kept
            ctx.__dict__.pop("saved_for_forward", None)
        moved = as_tuple(moved)
        for nr, tangent in enumerate(moved):
            if tangent is not None and not isinstance(tangent, Tensor):
                raise errors.GradientError(
                    f"expected Variable or None (got {type(tangent).__name__}) for grad output "
                    f"{nr}. {ctx.name()}'s jvp returns tangents. Write `glassgrad.tensor(value)`."
                )
        return moved


def _version_of(tangent: Tensor | None) -> int | None:
    """How often it was written; nobody counts that for an inference tensor."""
    return None if tangent is None or tangent.is_inference() else tangent._version


def _check_written(tangent: Any, given: Any, version: int | None) -> None:
    """The tangent of an argument that was written is written too."""
    said = "An inplace custom Function is not"
    if version is not None and _version_of(given) == version:
        raise errors.GraphError(
            f"{said} modifying the forward mode gradients inplace. If the forward is modifying an "
            "input inplace, then the jvp function must modify the corresponding gradient inplace: "
            "views of both show what is in memory. Write `tangent.mul_(…)`."
        )
    if tangent is not given:
        raise errors.GraphError(
            f"{said} returning the forward mode gradients as-is. If the forward is modifying an "
            "input inplace, then the jvp function must modify the gradient inplace and return it "
            "as-is."
        )


def _check_view(out: Tensor, tangent: Tensor | None, args: Values, tangents: Tangents) -> bool:
    """The tangent of a view of an argument is a view of its tangent.

    Returns:
        Whether the argument has no tangent yet, and gets one through this view.
    """
    stem = _stem(out)
    if stem is out:
        return False
    at = [isinstance(x, Tensor) and _stem(x) is stem for x in args]
    if True not in at:
        return False
    given = tangents[at.index(True)]
    if given is None:
        return True
    if tangent is None or _stem(tangent) is tangent:
        raise errors.GraphError(
            "A custom Function's forward is returning a view (or an input as-is) but the jvp is "
            "not returning a view. A write to the one would have to change the other. Return the "
            "same view of the tangent: `tangent.view_as(tangent)` for an input as it is."
        )
    if _stem(tangent) is not _stem(given):
        of = "" if _stem(given) is given else "the same base as "
        raise errors.GraphError(
            "A custom Function is returning a view but the jvp is not returning a view of "
            f"{of}the given grad input. A write to the view would have to change it. "
            "Take the view of the tangent that jvp was given."
        )
    return False


def _is_view(x: Tensor) -> bool:
    """Whether `x` is a view, or shows one as a transform does."""
    while not x._is_view():
        if x.__class__ is not Wrapped:
            return False
        x = x.payload.value
    return True


def _stem(x: Tensor) -> Tensor:
    """The tensor whose tangent has that of `x` as a part: `x` itself if it is no view."""
    return x if x.cold is None or x.cold.stem is None else x.cold.stem
