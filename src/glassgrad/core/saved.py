"""What a node keeps until backward, and how it gives it back.

The node of a built-in op keeps arrays, so that a rule reads them at the price of an attribute, and
beside them the tensors they came from. The node of a user's Function keeps the tensors, or a `Kept`
where there is something to check or to rebuild.

# Note [Saved by position]
# `saves` lists the operands that backward needs, in their order, and "result" for the output.
# They are the first operands, unless `saved_at` says at which position one is.
# Nothing is found by comparing arrays: x and x.detach() share theirs, and only one has an edge.
"""

from collections.abc import Iterator
from typing import Any, ClassVar, NoReturn, final

from .errors import FreedGraphError
from .graph import AccumulateGrad, Edge, GradientEdge, Node, edge_of
from .state import modes, plugs
from .tensor import PLAIN, Pending, Tensor, Version, wrap

Values = tuple[Any, ...]


class _Gone:
    """Stands in for the saved tensors of a node that has let them go."""

    def __init__(self, message: str) -> None:
        self.message = message

    def __iter__(self) -> Iterator[NoReturn]:
        raise FreedGraphError(self.message)

    def __getitem__(self, index: object) -> NoReturn:
        raise FreedGraphError(self.message)

    def __len__(self) -> NoReturn:
        raise FreedGraphError(self.message)

    def __bool__(self) -> bool:
        return True


FREED: Any = _Gone(
    "Trying to backward through the graph a second time (or directly access saved tensors "
    "after they have already been freed). Saved intermediate values of the graph are "
    "freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you "
    "need to backward through the graph a second time or if you need to access saved "
    "tensors after calling backward."
)

# Instead of FREED, for a Function that wants its tensors to go as soon as they were read.
CLEARED: Any = _Gone(
    "saved_tensors can only be accessed once when clear_saved_tensors_on_access=True is set on "
    "the autograd.Function. Either access saved_tensors only once, or set "
    "clear_saved_tensors_on_access=False."
)


# The nodes of built-in ops -----------------------------------------------------------------------


class PrimitiveNode(Node):
    """The node of a built-in op.

    `saved_tensors` holds arrays; None in the place of what was not needed.
    """

    __slots__ = ()

    _is_quick = True
    _result_at: ClassVar[int | None] = None
    _forward_cls: ClassVar[Any]

    def saved(self, index: int) -> Tensor | None:
        """What was saved under the name `saves[index]`; None if it was not needed."""
        kept = self._kept(index)
        if kept is None:
            return None
        if hasattr(kept, "unpack"):  # a Packed
            return kept.in_dtype(kept.unpack(self))  # type: ignore[no-any-return]  # a Tensor
        self.check_versions()
        return self.saved_as_it_was(index)

    _unpack = saved

    def _kept(self, index: int) -> Any:
        """What is in the place of `saves[index]`: an array, a Packed, or None."""
        return getattr(self.saved_tensors, "entries", self.saved_tensors)[index]

    def _all_kept(self) -> list[Any]:
        """What is in each place; empty if the node has let go of it."""
        return [] if self._is_released() else [self._kept(i) for i in range(len(self._saved_names))]

    def kept_arrays(self) -> list[Any]:
        """Every array that is alive because of this node: what was converted, before and after."""
        found = [array for _, array in self.kept_beside()]
        for kept, holder in zip(self._all_kept(), self.holders or (), strict=False):
            found += arrays_in(kept)
            if holder is not None and holder.dtype is not kept.dtype:
                found.append(holder.payload)
        return found

    def kept_beside(self) -> list[tuple[str, Any]]:
        """(name, array) of what `setup_context` keeps beside what is saved: indices, weights."""
        own = getattr(self, "__dict__", {})
        several = [(name, v if isinstance(v, tuple) else (v,)) for name, v in own.items()]
        return [(name, v) for name, values in several for v in values if hasattr(v, "nbytes")]

    def _is_released(self) -> bool:
        return self.saved_tensors is FREED

    def saved_as_it_was(self, index: int) -> Tensor:
        """A tensor of what was saved, in the place in the graph that it had."""
        array, name, holder = self.saved_tensors[index], self._saved_names[index], None
        if name == "result":
            array = self._level.layer(array) if isinstance(array, Tensor) else array
            result = wrap(array, output_edge(self, 0), version=self.version_of_result(index))
            if modes.duals is not None:
                modes.duals.restore(result, self)
            return result
        holder = self.holders[index]
        if holder is None:
            return wrap(array)
        edge = self.edge_of_saved(index)
        if holder.edge.__class__ is not Pending and holder.edge != edge:
            holder = wrap(holder.payload, edge)
        return holder if holder.dtype is array.dtype else holder.to(array.dtype)

    def edge_of_saved(self, index: int) -> Edge | None:
        """The edge of the operand that was saved under `saves[index]`."""
        cls = self._forward_cls
        position = operand_of(cls, self._saved_names[index]) - (cls.differentiates.start or 0)
        return self.edges[position] if 0 <= position < len(self.edges) else None

    def version_of_result(self, index: int) -> Version:
        """The Version that the output shares with whoever unpacks it here, made on first use."""
        known = self.versions or {}
        if index not in known:
            self.versions = known = {**known, index: (Version(), 0)}
        return known[index][0]

    def version_at(self, index: int) -> tuple[int, int]:
        """The version of a saved tensor when it was saved, and now."""
        version, expected = self._version_when_saved(index)
        return (0, 0) if version is None else (expected, version.count)

    def _version_when_saved(self, index: int) -> tuple[Version | None, int]:
        holder = self.holders[index]
        if self.versions and index in self.versions:
            return self.versions[index]
        if holder is not None and holder.cold:
            return holder.cold.version, 0
        return None, 0  # what hooks have packed they may have copied: nobody can tell

    def check_versions(self) -> None:
        """Raise StaleTensorError if something saved was changed in place since."""
        for index, holder in enumerate(self.holders or ()):
            if holder is not None and holder.edge is None:
                edge = self.edge_of_saved(index)
                if edge is not None and not isinstance(edge, AccumulateGrad):
                    raise plugs.stale.detached_error(self.name(), holder)
            version, expected = self._version_when_saved(index)
            if version is not None and version.count != expected:
                tensor = holder if holder is not None else wrap(self.saved_tensors[index], self)
                name = self._saved_names[index]
                raise plugs.stale.stale_error(self, name, tensor, version, expected)

    def lifted(self) -> "PrimitiveNode":
        """A copy whose saved tensors are Tensors with the edges they had when saved.

        The rule, run on it, is recorded itself: that is `create_graph=True`.
        """
        twin = object.__new__(type(self))
        for cls in type(self).__mro__:
            for slot in getattr(cls, "__slots__", ()):
                if slot != "__weakref__" and hasattr(self, slot):
                    setattr(twin, slot, getattr(self, slot))
        if hasattr(self, "__dict__"):
            twin.__dict__.update(self.__dict__)
        if self.holders is not None:
            found = {index: self.saved(index) for index in order_of_unpacking(self._saved_names)}
            twin.saved_tensors = tuple([found[index] for index in range(len(found))])
        return twin

    def compute(self, grads: Values, recorded: bool) -> Values:
        """What the op's rule makes of `grads`, one gradient per edge."""
        self.check_versions()
        for grad in grads:
            if grad is not None:
                break
        else:
            tuple(self.saved_tensors)  # unpacked all the same, as in PyTorch: freed ones raise
            return (None,) * len(self.edges)
        rule: Any = self.lifted() if recorded else self
        results = rule.backward(*grads)
        return results if isinstance(results, tuple) else (results,)

    def release(self) -> None:
        """Let go of what was saved; touching it later raises FreedGraphError."""
        if self.holders is not None:
            self.saved_tensors = FREED
            self.holders = self.versions = None
            for name, _ in self.kept_beside():
                setattr(self, name, None)


def operand_of(cls: Any, name: str) -> int:
    """The position of the operand that is saved under `name`."""
    first = [saved for saved in cls.saves if saved != "result"].index(name)
    return int(cls.saved_at.get(name, first))


def order_of_unpacking(names: tuple[str, ...]) -> list[int]:
    """The order in which hooks see what an op saves: PyTorch's, by name and the result last."""
    return sorted(range(len(names)), key=lambda place: (names[place] == "result", names[place]))


def save(node: Any, operands: Values, values: Values, out: Any) -> None:
    """Keep on `node` what its class names in `saves` and its edges will need."""
    cls = node._forward_cls
    node.saved_tensors = kept_values(cls, values, out, node.edges)
    holders: list[Any] = []
    needed = False
    for name, condition, position in cls.kept_where:
        holder = None
        if condition is None or node.edges[condition] is not None:
            needed = True
            holder = None if name == "result" else operands[position]
        holders.append(holder if isinstance(holder, Tensor) else None)
    node.holders = tuple(holders) if needed else None  # None: a second pass may come
    if needed:
        note_versions(node)


def kept_values(cls: Any, values: Values, out: Any, wanted: Values) -> Values:
    """What the rules of an op find in `ctx.saved_tensors`.

    Args:
        wanted: for each operand that can have a derivative, None if it is not asked for.
    """
    kept: list[Any] = []
    for name, condition, position in cls.kept_where:
        value = out if name == "result" else values[position]
        kept.append(value if condition is None or wanted[condition] is not None else None)
    return tuple(kept)


def note_versions(node: Any) -> None:
    """Remember the versions of the saved tensors that have one already (others are at 0)."""
    known = None
    for index, holder in enumerate(node.holders):
        if holder is not None and (cold := holder.cold) is not None:
            if cold.is_inference:
                raise plugs.stale.inference_error()
            version = cold.version
            if version is not None:
                known = {} if known is None else known
                known[index] = (version, version.count)
    node.versions = known


# The nodes of users' Functions -------------------------------------------------------------------


@final
class Kept:
    """What a node keeps of one tensor that was written to before, or is its own output.

    An output of the node itself is kept as its array and rebuilt when asked for: a reference to
    the tensor would be a cycle, tensor → node → tensor.
    """

    __slots__ = ("array", "edge", "expected", "output_nr", "tensor", "version")

    def __init__(self, tensor: Tensor, *, output_nr: int | None = None) -> None:
        if tensor.is_inference():
            raise plugs.stale.inference_error()
        self.output_nr = output_nr
        self.array = tensor.payload
        if output_nr is None:
            self.tensor: Tensor | None = tensor
            self.edge = edge_of(tensor)
            self.version = tensor.cold and tensor.cold.version  # a later one starts at 0
        else:
            self.tensor = self.edge = None
            self.version = tensor.version_counter()
        self.expected = self.version.count if self.version else 0

    def unpack(self, node: Node) -> Tensor:
        """The tensor as it was saved, or StaleTensorError if it was changed in place."""
        tensor = self.tensor
        version = self.version
        if version is None and tensor is not None and tensor.cold is not None:
            version = tensor.cold.version
        if version is not None and version.count != self.expected:
            now = tensor if tensor is not None else self._rebuilt(node)
            raise plugs.stale.stale_error(node, "", now, version, self.expected)
        if tensor is None:
            return self._rebuilt(node)
        edge = tensor.edge
        if edge is None or edge is self.edge or edge.__class__ is Pending or edge == self.edge:
            return tensor  # if it has no edge: detached since, or a leaf that was switched off
        return wrap(self.array, self.edge, version=tensor.version_counter())

    def _rebuilt(self, node: Node) -> Tensor:
        assert self.output_nr is not None, "an input is kept as a tensor"
        output = wrap(self.array, output_edge(node, self.output_nr), version=self.version)
        if modes.duals is not None:
            modes.duals.restore(output, node, self.output_nr)
        return output

    def arrays(self) -> list[Any]:
        """The arrays that are alive because of it."""
        return [self.array]


def output_edge(node: Node, output_nr: int) -> Edge:
    """The edge of one of the node's outputs, as a tensor has it that was saved there."""
    view = node.cold and node.cold.view and node.cold.view()
    if view:
        return view
    return node if node.num_outputs == 1 else GradientEdge(node, output_nr)


def unpacked(node: Node, saved: Any) -> Tensor | None:
    """What `node` saved: a tensor that was never written to is kept as it is."""
    if isinstance(saved, Tensor):
        tensor = saved
        version = saved.cold and saved.cold.version
        if version and version.count:
            raise plugs.stale.stale_error(node, "", saved, version, 0)
    elif saved is None:
        return None
    else:
        tensor = saved.unpack(node)
    if tensor.__class__ in PLAIN:
        return tensor
    return plugs.values.settled(tensor)  # type: ignore[no-any-return]  # a Tensor


def arrays_in(kept: Any) -> list[Any]:
    """The arrays that are alive because of what a node keeps of one tensor."""
    if isinstance(kept, Tensor):
        return [kept.payload]
    if hasattr(kept, "arrays"):
        return kept.arrays()  # type: ignore[no-any-return]  # a Kept or a Packed
    return [] if kept is None else [kept]


def saved_bytes(node: Any) -> int:
    """The bytes of what `node` keeps; an array that it keeps twice counts once."""
    found = getattr(node, "kept_arrays", None)  # which the nodes of built-in ops have
    kept = found() if found else [a for kept in node._all_kept() for a in arrays_in(kept)]
    return sum(array.nbytes for array in {id(array): array for array in kept}.values())
