"""What a program called the parts of its graph: scopes of nodes, names of leaves.

A module's call leaves a mark at the node of its output: which module, and the sequence number
before it (`autograd/scopes.py`). All nodes numbered since then, up to the output's, were made
inside. So the names are found when somebody looks, and calling a module stays cheap. (All threads
number from one counter: what another one makes meanwhile, and joins to the same graph, is taken to
be of the module, too.)

    net(x):   41 [ Linear 42 ] [ ReLU 43 ] [ Linear 44 ]     n.seq from 42 to 44: Sequential
                 └ "0"         └ "1"       └ "2"             n.seq = 42:          Sequential › 0
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from glassgrad.autograd.scopes import entered_in
from glassgrad.core.graph import AccumulateGrad, Node
from glassgrad.core.tensor import Tensor

Path = tuple[str, ...]


class _Call(NamedTuple):
    """One call of a module: which, of which class, and the numbers of the nodes made inside."""

    start: int
    end: int
    module: Any  # None if it is gone
    cls: type


class Naming:
    """The names of the scopes that nodes were made in, and of the leaves, as modules have them.

    Args:
        nodes: of the graph.
    """

    def __init__(self, nodes: Iterable[Node]) -> None:
        nodes = list(nodes)
        calls = _calls_at(nodes)
        outermost = _outermost(calls)
        self._labels = _labels(outermost)
        self._paths: dict[int, dict[int, Path]] = {}
        leaves = {id(node.variable) for node in nodes if isinstance(node, AccumulateGrad)}
        self._parameters = self._named_by(outermost, leaves)
        self._scopes = self._found(nodes, calls)

    def scope(self, node: Node) -> Path:
        """The names of the scopes in which `node` was made, the outermost first."""
        return self._scopes.get(node, ())

    def of(self, tensor: Tensor) -> str | None:
        """What `tensor` is called: its own name, or that of the parameter that it is."""
        return self._parameters.get(id(tensor)) if tensor.name is None else tensor.name

    def _named_by(self, outermost: list[_Call], leaves: set[int]) -> dict[int, str]:
        """The names of leaves by id; behind their module's label if several modules have some."""
        owners = {id(call.module): call.module for call in outermost if call.module is not None}
        owning = [module for module in owners.values() if any(True for _ in module.parameters())]
        found: dict[int, str] = {}
        for module in owning:
            prefix = f"{self._labels[id(module)]}." if len(owning) > 1 else ""
            for name, parameter in module.named_parameters():
                if id(parameter) in leaves:  # the graph keeps those, so that no other gets their id
                    found.setdefault(id(parameter), prefix + name)
        return found

    def _found(self, nodes: list[Node], calls: list[_Call]) -> dict[Node, Path]:
        """The path of each node: the calls around it, and the scopes that the user opened."""
        found: dict[Node, Path] = {}
        ahead, around = iter(calls), list[tuple[_Call, Path]]()
        call = next(ahead, None)
        inner = [node for node in nodes if not isinstance(node, AccumulateGrad)]
        for node in sorted(inner, key=lambda node: node.seq):
            while call is not None and call.start < node.seq:
                around = [pair for pair in around if pair[0].end > call.start]
                around.append((call, self._names(call, around)))
                call = next(ahead, None)
            parts = dict(entered_in(node))
            for within, names in around:
                if node.seq <= within.end and (names or within.start not in parts):
                    parts[within.start] = names or (within.cls.__name__,)
            if path := tuple([name for start in sorted(parts) for name in parts[start]]):
                found[node] = path
        return found

    def _names(self, call: _Call, around: list[tuple[_Call, Path]]) -> Path:
        """What a call is called where it happens; empty if whoever knew that is gone."""
        parent = around[-1][0].module if around else None
        if call.module is None or (around and parent is None):
            return ()
        if parent is None:
            return (self._labels[id(call.module)],)
        if id(parent) not in self._paths:
            parts = [(id(part), name) for name, part in parent.named_modules() if name]
            self._paths[id(parent)] = {key: tuple(name.split(".")) for key, name in parts}
        return self._paths[id(parent)].get(id(call.module), (call.cls.__name__,))


def _calls_at(nodes: list[Node]) -> list[_Call]:
    """The calls of modules that left their mark at `nodes`, those that hold others first."""
    ends: dict[tuple[int, type], tuple[int, Any]] = {}
    for node in nodes:
        for start, module, cls in getattr(node, "calls", ()):
            end = max(node.seq, ends.get((start, cls), (0,))[0])
            ends[start, cls] = end, module
    calls = [_Call(start, end, ref(), cls) for (start, cls), (end, ref) in ends.items()]
    return sorted(calls, key=lambda call: (call.start, -call.end))


def _outermost(calls: list[_Call]) -> list[_Call]:
    found: list[_Call] = []
    for call in calls:
        if not found or call.start >= found[-1].end:
            found.append(call)
    return found


def _labels(outermost: list[_Call]) -> dict[int, str]:
    """A name for each module that no module calls: its class, and a number from the second on."""
    labels: dict[int, str] = {}
    counts: dict[str, int] = {}
    for call in outermost:
        if call.module is not None and id(call.module) not in labels:
            name = call.cls.__name__
            counts[name] = counts.get(name, 0) + 1
            labels[id(call.module)] = name if counts[name] == 1 else f"{name} {counts[name]}"
    return labels
