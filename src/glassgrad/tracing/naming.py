"""What a program called the parts of its graph: scopes of nodes, names of leaves.

A module's call leaves a mark at the node of its output: which module, and the sequence number
before it (`autograd/scopes.py`). All nodes numbered since then, up to the output's, were made
inside. So the names are found when somebody looks, and calling a module stays cheap. (All threads
number from one counter: what another one makes meanwhile, and joins to the same graph, is taken to
be of the module, too.)

    net(x):   41 [ Linear 42 ] [ ReLU 43 ] [ Linear 44 ]     n.seq from 42 to 44: Sequential
                 └ "0"         └ "1"       └ "2"             n.seq = 42:          Sequential › 0
"""

from collections import Counter, deque
from collections.abc import Iterable
from operator import attrgetter
from typing import Any, NamedTuple

from glassgrad.autograd.scopes import Path, entered_in
from glassgrad.core.graph import AccumulateGrad, Node


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

    Attributes:
        scopes: the names of the scopes that a node was made in, the outermost first.
        parameters: the names of leaves, by their identity.
    """

    def __init__(self, nodes: Iterable[Node]) -> None:
        nodes = sorted(nodes, key=attrgetter("seq"))
        leaves = {id(node.variable) for node in nodes if isinstance(node, AccumulateGrad)}
        inner = [node for node in nodes if not isinstance(node, AccumulateGrad)]
        self._labels: dict[int, str] = {}
        self._paths: dict[int, dict[int, Path]] = {}
        self.parameters: dict[int, str] = {}
        calls = _calls_at(inner)
        if calls:
            self._name_leaves(self._name_outermost(calls), leaves)
        self.scopes = self._found(inner, calls)

    def _name_outermost(self, calls: list[_Call]) -> list[Any]:
        """Modules that no module calls, each with its class's name, numbered if there are more."""
        modules: list[Any] = []
        counts, end = Counter[str](), -1
        for call in calls:
            if call.start >= end:
                end = call.end
                if call.module is not None and id(call.module) not in self._labels:
                    modules.append(call.module)
                    name = call.cls.__name__
                    counts[name] += 1
                    numbered = name if counts[name] == 1 else f"{name} {counts[name]}"
                    self._labels[id(call.module)] = numbered
        return modules

    def _name_leaves(self, modules: list[Any], leaves: set[int]) -> None:
        """Note the names of leaves; behind their module's label if several modules have some."""
        owning = [module for module in modules if list(module.parameters())]
        for module in owning:
            prefix = f"{self._labels[id(module)]}." if len(owning) > 1 else ""
            for name, parameter in module.named_parameters():
                if id(parameter) in leaves:  # the graph keeps those, so that no other gets their id
                    self.parameters.setdefault(id(parameter), prefix + name)

    def _found(self, nodes: list[Node], calls: list[_Call]) -> dict[Node, Path]:
        """The path of each node: the calls around it, and the scopes that the user opened."""
        found: dict[Node, Path] = {}
        entered = entered_in(nodes)
        ahead, around = deque(calls), list[tuple[_Call, Path]]()
        for node in nodes:
            while ahead and ahead[0].start < node.seq:
                call = ahead.popleft()
                around = [pair for pair in around if pair[0].end > call.start]
                around.append((call, self._names(call, around)))
            parts = dict(entered.get(node, ()))
            for within, names in around:
                if node.seq <= within.end and (names or within.start not in parts):
                    parts[within.start] = names or (within.cls.__name__,)
            if parts and (path := sum(map(parts.__getitem__, sorted(parts)), ())):
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
    for node in nodes:  # the oldest first: a call ends at the last one with its mark
        for start, module, cls in getattr(node, "calls", ()):
            ends[start, cls] = node.seq, module
    calls = [_Call(start, end, ref(), cls) for (start, cls), (end, ref) in ends.items()]
    return sorted(calls, key=lambda call: (call.start, -call.end))
