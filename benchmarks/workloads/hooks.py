"""W8: what a hook costs, and what a hook costs those who have none.

Used: a chain of 1,000 nodes, and a hook that does nothing on each, either on the node
(`y.grad_fn.register_hook`) or on the tensor (`y.register_hook`). Its cost is what backward takes
longer than without; registering is a row of its own.

Unused: the same chain, forward and backward, while 1,000 hooks sit on tensors outside it. In both
cases 1,000 hooks have just been registered; in one they have also been removed again.

NumPy, HIPS autograd and MyGrad have no hooks.
"""

import numpy as np

from benchmarks.contenders import tapes
from benchmarks.effort import Effort
from benchmarks.race import Contender, Race, race
from benchmarks.records import Outcome, Timing
from benchmarks.spread import Spread

NODES = 1_000
X = np.linspace(-1.0, 1.0, 10, dtype=np.float32)
B = np.linspace(-0.1, 0.1, 10, dtype=np.float32)
SEED = np.ones(10, np.float32)


def on_node(node_inputs, node_outputs):
    """A node's hook; None leaves the gradients as they are."""


def on_tensor(grad):
    """A tensor's hook; None leaves the gradient as it is."""


class Chain:
    """A chain whose tensors are all kept, so that every case holds the same objects."""

    def __init__(self, module, nodes):
        self.x = module.tensor(X, requires_grad=True)
        self.b = module.tensor(B)
        self.seed = module.tensor(SEED)
        self.nodes = nodes
        self.bystanders = [module.tensor(X, requires_grad=True) for _ in range(nodes)]
        self.handles = []

    def build(self):
        tensors = []
        y = self.x
        for _ in range(self.nodes):
            y = y + self.b
            tensors.append(y)
        return tensors

    def with_node_hooks(self):
        tensors = self.build()
        for y in tensors:
            y.grad_fn.register_hook(on_node)
        return tensors

    def with_tensor_hooks(self):
        tensors = self.build()
        for y in tensors:
            y.register_hook(on_tensor)
        return tensors

    def backward(self, tensors):
        self.x.grad = None
        tensors[-1].backward(self.seed)
        return self.x.grad

    def forward_and_backward(self, _):
        self.x.grad = None
        y = self.x
        for _ in range(self.nodes):
            y = y + self.b
        y.backward(self.seed)
        return self.x.grad

    def hook_bystanders(self):
        self.unhook_bystanders()
        self.handles = [tensor.register_hook(on_tensor) for tensor in self.bystanders]

    def unhook_bystanders(self):
        for handle in self.handles:
            handle.remove()
        self.handles = []

    def hook_and_unhook_bystanders(self):
        self.hook_bystanders()
        self.unhook_bystanders()


def measure(effort: Effort) -> Outcome:
    outcome = Outcome()
    chains = {name: Chain(module, effort.size(NODES)) for name, module in tapes().items()}
    _used(outcome, chains, effort)
    _registering(outcome, chains, effort)
    _unused(outcome, chains, effort)
    return outcome


def _used(outcome: Outcome, chains: dict[str, Chain], effort: Effort) -> None:
    contenders = []
    for name, chain in chains.items():
        contenders += [
            Contender(name, chain.backward, prepare=chain.build),
            Contender(f"{name}, node hooks", chain.backward, prepare=chain.with_node_hooks),
            Contender(f"{name}, tensor hooks", chain.backward, prepare=chain.with_tensor_hooks),
        ]
    result = race(
        "W8 backward through a chain of 1,000 nodes, a hook on each",
        contenders,
        effort=_longer(effort),
        unit="µs per node, backward",
        per=effort.size(NODES),
    )
    outcome.timings.extend(result.timings())
    for kind in ("node", "tensor"):
        for name in chains:
            cost = result.difference(f"{name}, {kind} hooks", name)
            title = f"W8 what a {kind} hook adds"
            outcome.timings.append(Timing(title, name, "µs per hook", cost))
            if name == "glassgrad":
                outcome.measures[f"W8 per {kind} hook"] = cost


def _registering(outcome: Outcome, chains: dict[str, Chain], effort: Effort) -> None:
    def on_nodes(tensors):
        return [y.grad_fn.register_hook(on_node) for y in tensors] and 0.0

    def on_tensors(tensors):
        return [y.register_hook(on_tensor) for y in tensors] and 0.0

    contenders = []
    for name, chain in chains.items():
        contenders += [
            Contender(f"{name}, node hooks", on_nodes, prepare=chain.build),
            Contender(f"{name}, tensor hooks", on_tensors, prepare=chain.build),
        ]
    result = race(
        "W8 registering a hook",
        contenders,
        effort=effort,
        unit="µs per hook",
        per=effort.size(NODES),
    )
    outcome.timings.extend(result.timings())


def _unused(outcome: Outcome, chains: dict[str, Chain], effort: Effort) -> None:
    contenders = []
    for name, chain in chains.items():
        run = chain.forward_and_backward
        away = chain.hook_and_unhook_bystanders
        contenders += [
            Contender(name, run, prepare=away),
            Contender(f"{name}, 1,000 hooks elsewhere", run, prepare=chain.hook_bystanders),
        ]
    result = race(
        "W8 the same chain while 1,000 hooks sit outside it",
        contenders,
        effort=_longer(effort),
        unit="µs per node, forward + backward",
        per=effort.size(NODES),
    )
    for chain in chains.values():
        chain.unhook_bystanders()
    outcome.timings.extend(result.timings())
    outcome.measures["W8 unused hooks"] = _percent_more(result)


def _percent_more(result: Race) -> Spread | None:
    ratio = result.ratio("glassgrad, 1,000 hooks elsewhere", "glassgrad")
    if ratio is None:
        return None
    return Spread(*(100 * (value - 1) for value in (ratio.median, ratio.low, ratio.high)))


def _longer(effort: Effort) -> Effort:
    """A difference of a few per cent needs many short samples rather than few long ones."""
    return Effort(effort.rounds * 8, effort.sample_seconds, effort.shrink)
