"""`scope`: names for parts of a program, so that the nodes they make can be told apart.

Modules name theirs by themselves: a call leaves a mark at the node of its output (`note_call`), and
whoever describes the graph finds from the sequence numbers which nodes were made inside.

Nobody pays for `scope()` who is not inside one. A thread inside takes the slow door, as inside
`inference_mode()`, where each node that is made is shown to the open scopes: they enter it, weakly.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple, Self
from weakref import WeakKeyDictionary, WeakValueDictionary, ref

from glassgrad.core.errors import ArgumentTypeError
from glassgrad.core.graph import GradientEdge, Node
from glassgrad.core.state import Block, Func, Values, modes, next_seq, setting
from glassgrad.core.tensor import Tensor
from glassgrad.values.layers import Layer

Path = tuple[str, ...]  # the names of scopes, the outermost first
Entered = tuple[tuple[int, Path], ...]
"""The scopes that were open, the outermost first: the sequence number before each, its names."""

_made: WeakKeyDictionary[Node, Entered] = WeakKeyDictionary()

segments: WeakValueDictionary[int, Any] = WeakValueDictionary()
"""The calls of `checkpoint` whose graph is still there, by the sequence number before each.

It has `span`, the numbers before and behind it.
"""


class _Scopes(NamedTuple):
    """The scopes that are open, the module they end in, and what it was outside the innermost."""

    entered: Entered
    module: Any
    outer: "_Scopes | None"

    def note(self, node: Node) -> None:
        """Remember that `node` was made here."""
        _made[node] = self.entered


class scope(Block):  # noqa: N801  # reads as a statement: `with scope("encoder"):`
    """Name the part of a program that runs inside a `with` block.

    The log of a pass, and every picture, says of each node made inside in which scope it was.
    Scopes nest. Every call of an `nn.Module` is a scope of its own, inside of a `with` block and
    outside: under its name in the module that calls it, under its class's name if there is none.
    Ops are slower inside of a `with` block (about as inside of `inference_mode()`); outside,
    nothing is.

    Args:
        name: the name; None adds none.

    Raises:
        ArgumentTypeError: if `name` is neither a string nor None.

    Example:
        >>> x = tensor(2.0, requires_grad=True)
        >>> with scope("block3"):
        ...     y = x.exp()
        >>> record(y).nodes[-1]["scope"]
        ['block3']
    """

    def __init__(self, name: str | None = None) -> None:
        given: Any = name
        if given is not None and not isinstance(given, str):
            raise ArgumentTypeError(
                f"scope() was given a {type(given).__name__}. A scope is known by its name, which "
                'the picture shows. Write `with gg.scope("encoder"):`.'
            )
        self.names: Path = () if name is None else (name,)

    def __enter__(self) -> Self:
        return self._opened()

    def _opened(self) -> Self:
        outer = modes.scope
        entry = next_seq(), self.names
        entered = (*outer.entered, entry) if outer else (entry,)
        return Block().enter(self, {"scope": _Scopes(entered, outer and outer.module, outer)})

    def leave(self) -> None:
        if modes.scope is not None:
            Block().enter(None, {"scope": modes.scope.outer})


def open_scopes() -> Path:
    """The names of the scopes that this thread is in, those of modules too, the outermost first."""
    return _names(modes.scope.entered if modes.scope else ())


def made_in(node: Node) -> Path:
    """The names of the scopes in which `node` was made, if one was opened by `with scope(…)`."""
    return _names(_made.get(node, ()))


def entered_in(nodes: list[Node]) -> dict[Node, Entered]:
    """The scopes that were open when each was made of those nodes that were made inside of some."""
    return {node: _made[node] for node in nodes if node in _made} if _made else {}


def _names(entered: Entered) -> Path:
    return tuple([name for _, names in entered for name in names])


# Modules ----------------------------------------------------------------------------------------


def note_call(module: Any, start: int, output: Any) -> Any:
    """`output`, and at the nodes of its tensors a mark: `module` made them since `start`.

    The mark refers to the module weakly, since a graph must not keep alive what kept its output.
    """
    for tensor in (output,) if output.__class__ is Tensor else _tensors_in(output):
        edge = tensor.edge
        node = edge.node if edge.__class__ is GradientEdge else edge
        if isinstance(node, Node) and node.seq > start:
            mark = start, ref(module), module.__class__
            node.calls = (*getattr(node, "calls", ()), mark)
    return output


def _tensors_in(output: Any, depth: int = 2) -> Iterator[Tensor]:
    """The tensors of an output such as `(y, (h, c))`: there, and no deeper, one is looked for.

    Of what a transform sees, those behind it, too: the one at the bottom is on the tape.
    """
    if isinstance(output, Tensor):
        yield output
        while isinstance(output.payload, Layer):
            output = output.payload.value
            yield output
    elif depth and isinstance(output, (tuple, list, dict)):
        for part in output.values() if isinstance(output, dict) else output:
            yield from _tensors_in(part, depth - 1)


def call_in_scope(module: Any, call: Func, args: Values, kwargs: dict[str, Any]) -> Any:
    """What `call` returns; where scopes are open, in one that bears the name of `module`."""
    before = modes.scope
    start = next_seq()
    if before is None:
        return note_call(module, start, call(*args, **kwargs))
    names = names_in(before.module, module, type(module))
    inside = _Scopes((*before.entered, (start, names)), module, before)
    with setting(scope=inside):
        return note_call(module, start, call(*args, **kwargs))


def names_in(parent: Any, module: Any, cls: type) -> Path:
    """The path of `module` in the module that calls it; its class if it is no part of that."""
    if parent is not None:
        for name, part in parent.named_modules():
            if part is module and name:
                return tuple(name.split("."))
    return (cls.__name__,)
