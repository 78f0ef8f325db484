"""The forward of a recorded node with blanks in the place of its operands.

A blank form knows what the node itself tells of its operands, runs the forward on any, and says
whether some operands lead to what was recorded (Note [A made-up operand proves as much]).
"""

from typing import Any

import numpy as np

from glassgrad.core.function import BackwardCFunction, form_of
from glassgrad.core.graph import Node, edge_of, ends
from glassgrad.core.saved import PrimitiveNode, operand_of, unpacked
from glassgrad.core.state import setting
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.hooks.on_saved import Packed
from glassgrad.memory.views import CopySlices
from glassgrad.values.backend import asnumpy

__all__ = ["Blank", "NotKnown", "PrimitiveBlank", "array_of", "blank_of", "is_packed"]


class NotKnown(Exception):  # noqa: N818  # an answer, not an error
    """Why the forward of a node cannot be run again."""


class Blank:
    """The forward of a node, whose operands are still to be found.

    Attributes:
        operands: what the node itself tells of them, None where it tells nothing.
        names: what the rules call them.
        position: as in `Rerun`.
    """

    operands: list[Any]
    names: list[str]
    position: list[int]

    def __init__(self, node: Any) -> None:
        self.node, self.cls = node, node._forward_cls

    def taken(self, given: Any) -> Any:
        """An operand that the caller gives, as `run` takes it."""
        return asnumpy(given.payload) if isinstance(given, Tensor) else given

    def run(self, values: list[Any]) -> list[Any]:
        """The outputs for `values`."""
        raise NotImplementedError

    def differs(self, values: list[Any]) -> str:
        """What of the record `values` do not lead to; empty if all is as recorded."""
        raise NotImplementedError


def blank_of(node: Node) -> Blank:
    """The blank form of a node: a built-in op's or a user's Function's."""
    if isinstance(node, PrimitiveNode):
        return PrimitiveBlank(node)
    if isinstance(node, BackwardCFunction):
        return UsersBlank(node)
    raise NotKnown(f"{node.name()} has no forward")


# Built-in ops ------------------------------------------------------------------------------------


class PrimitiveBlank(Blank):
    """The forward of a built-in op; its parameters are on the node."""

    def __init__(self, node: PrimitiveNode) -> None:
        super().__init__(node)
        if node._is_released():
            raise NotKnown("what it saved was freed")
        code = self.cls.forward.__code__
        variables = code.co_varnames
        first = self.cls.differentiates.start or 0
        keywords = variables[code.co_argcount :][: code.co_kwonlyargcount]
        self.parameters = {key: getattr(node, key) for key in keywords if hasattr(node, key)}
        self.position = list(range(first, first + len(node.edges)))
        count = max(code.co_argcount, first + len(node.edges))
        self.names = list(variables[: code.co_argcount])
        self.names += [f"number {at}" for at in range(code.co_argcount, count)]
        self.operands = [self._beside(name) for name in self.names]
        if code.co_flags & 0x04:  # *indices
            more = getattr(node, variables[code.co_argcount + code.co_kwonlyargcount], None)
            self.operands += list(more) if isinstance(more, (tuple, list)) else []
        self.saved = {
            name: array_of(node._kept(index)) for index, name in enumerate(self.cls.saves)
        }
        for name, value in self.saved.items():
            if name != "result" and value is not None:
                at = operand_of(self.cls, name)
                self.operands += [None] * (at + 1 - len(self.operands))
                self.operands[at] = value
        self.names += [f"number {at}" for at in range(len(self.names), len(self.operands))]

    def taken(self, given: Any) -> Any:
        return np.asarray(super().taken(given))  # numbers are 0-d arrays to a rule

    def _beside(self, name: str) -> Any:
        """An operand without an edge, such as an index, which `setup_context` has kept."""
        value = getattr(self.node, name, None)
        return value if isinstance(value, np.ndarray) else None

    def run(self, values: list[Any]) -> list[Any]:
        out = self.cls.forward(*[_copy(value) for value in values], **self.parameters)
        return [np.asarray(part) for part in (out if self.cls.multiple else (out,))]

    def differs(self, values: list[Any]) -> str:
        outputs, node = self.run(values), self.node
        shapes = node.out_shape if self.cls.multiple else (node.out_shape,)
        if [part.shape for part in outputs] != [tuple(shape) for shape in shapes]:
            return "the shape of the output"
        result = self.saved.get("result")
        if result is not None and not _same(result, outputs[0]):
            return "the result"
        for name, value in self.saved.items():
            if name == "result" or value is None:
                continue
            if not _same(value, values[operand_of(self.cls, name)]):
                return f"the saved {name}"
        return self._other_state(values, outputs)

    def _other_state(self, values: list[Any], outputs: list[Any]) -> str:
        """What `setup_context` leaves on ctx that is not on the node."""
        if not self.cls.has_setup_context():
            return ""
        ctx: Any = object.__new__(type(self.node))
        ctx.edges, ctx.holders = self.node.edges, ()
        for name, value in self.parameters.items():
            setattr(ctx, name, value)
        output = tuple(outputs) if self.cls.multiple else outputs[0]
        self.cls.setup_context(ctx, tuple(values), output)
        return _first_difference(vars(self.node), vars(ctx))


# Users' Functions --------------------------------------------------------------------------------


class UsersBlank(Blank):
    """The forward of a user's Function, run on a ctx of its own."""

    def __init__(self, node: BackwardCFunction) -> None:
        super().__init__(node)
        if node._is_released():
            raise NotKnown("what it saved was freed")
        self.forward, self.separate, _ = form_of(self.cls)
        is_tensor = node._is_tensor or (True,) * len(node.edges)
        self.position = [at for at, each in enumerate(is_tensor) if each]
        code = self.forward.__code__
        names = code.co_varnames[: code.co_argcount][0 if self.separate else 1 :]
        self.names = [*names, *[f"number {at}" for at in range(len(names), len(is_tensor))]]
        self.saved = [unpacked(node, kept) for kept in node.holders]
        self.operands = [
            None if each else getattr(node, self.names[at], None)
            for at, each in enumerate(is_tensor)
        ]
        self._take_saved()

    def _take_saved(self) -> None:
        """Saved tensors that are operands: with the operand's edge, or in order without one."""
        inputs = [x for x in self.saved if x is not None and not self._is_output(x)]
        without = [x for x in inputs if x.edge is None]
        for position, edge in zip(self.position, self.node.edges, strict=True):
            if edge is None:
                found = without.pop(0) if without else None
            else:
                found = next((x for x in inputs if edge_of(x) == edge), None)
            if found is not None:
                self.operands[position] = asnumpy(found.payload)

    def _is_output(self, tensor: Tensor) -> bool:
        edge = edge_of(tensor)
        return edge is not None and ends(edge)[0] is self.node

    def run(self, values: list[Any]) -> list[Any]:
        return self._run(values)[0]

    def _run(self, values: list[Any]) -> tuple[list[Any], Any]:
        ctx: Any = object.__new__(type(self.node))
        BackwardCFunction.__init__(ctx)
        ctx.needs_input_grad = self.node.needs_input_grad
        args = [
            wrap(_copy(value)) if at in self.position else value for at, value in enumerate(values)
        ]
        with setting(grad=False):
            if self.separate:
                out = self.forward(*args)
                self.cls.setup_context(ctx, tuple(args), out)
            else:
                out = self.forward(ctx, *args)
        parts = out if isinstance(out, tuple) else (out,)
        return [asnumpy(part.payload) for part in parts if isinstance(part, Tensor)], ctx

    def differs(self, values: list[Any]) -> str:
        outputs, ctx = self._run(values)
        shapes = [tuple(meta.shape) for meta in self.node._input_metadata]
        if [part.shape for part in outputs] != shapes:
            return "the shape of the output"
        for index, (kept, again) in enumerate(zip(self.saved, ctx.to_save, strict=False)):
            if kept is None or again is None:
                continue
            if not _same(asnumpy(kept.payload), asnumpy(again.payload)):
                return f"saved_tensors[{index}]"
        own = {key: value for key, value in vars(self.node).items() if key not in _NOT_STATE}
        return _first_difference(own, vars(ctx))


_NOT_STATE = {"to_save", "needs_input_grad", "_is_tensor", "_gradless", "dirty_tensors"}
_NOT_STATE |= {"non_differentiable", "saved_for_forward"}


# Comparing ---------------------------------------------------------------------------------------


def is_packed(node: Any) -> bool:
    """Whether hooks keep something that the node saved: theirs is the code that unpacks it."""
    if isinstance(node, CopySlices):
        return node.fn is not None and is_packed(node.fn)
    kept = getattr(node, "_all_kept", None)
    return kept is not None and any(isinstance(each, Packed) for each in kept())


def array_of(kept: Any) -> Any:
    """An array of what a node keeps: one, a Packed, or None."""
    if kept is None:
        return None
    return asnumpy(kept.array() if isinstance(kept, Packed) else kept)


def _copy(value: Any) -> Any:
    """A copy of an array, so that a forward may write into it."""
    return value.copy() if isinstance(value, np.ndarray) else value


def _same(one: Any, other: Any) -> bool:
    one, other = np.asarray(one), np.asarray(other)
    if one.shape != other.shape:
        return False
    if one.dtype.kind not in "fc":
        return bool(np.array_equal(one, other))
    rough = 1e-12 if one.dtype.itemsize >= 8 and one.dtype != np.complex64 else 1e-5
    return bool(np.allclose(one, other, rtol=rough, atol=rough, equal_nan=True))


def _first_difference(one: dict[str, Any], other: dict[str, Any]) -> str:
    """The first key whose arrays, numbers or texts differ; "" if none does."""
    for key, value in one.items():
        if key in other and not _alike(value, other[key]):
            return f"ctx.{key}"
    return ""


def _alike(one: Any, other: Any) -> bool:
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        return _same(asnumpy(one.payload), asnumpy(other.payload))
    if isinstance(one, (tuple, list)) and isinstance(other, (tuple, list)):
        return len(one) == len(other) and all(map(_alike, one, other))
    if isinstance(one, (np.ndarray, np.generic, int, float, complex)):
        return _same(one, other)
    return one is other or bool(type(one) is type(other) and one == other)
