"""W3: a chain of 100,000 additions: what a node costs in time, in memory, and in litter.

    y = y + b     100,000 times; the gradient of x comes back unchanged

Timed are building, backward and freeing together. Bytes are those of the finished graph, as
tracemalloc counts them: NumPy and Python report there, torch's C++ does not. Litter is what the
garbage collector finds once the graph has been dropped, the collector having been off: a graph
without cycles leaves nothing.
"""

import gc
import tracemalloc

import numpy as np

from benchmarks.contenders import has, tapes
from benchmarks.effort import Effort
from benchmarks.race import Contender, race
from benchmarks.records import Outcome, Timing
from benchmarks.spread import Spread

NODES = 100_000
X = np.linspace(-1.0, 1.0, 10, dtype=np.float32)
B = np.linspace(-0.1, 0.1, 10, dtype=np.float32)
SEED = np.ones(10, np.float32)


class OnTape:
    """glassgrad and torch, through the same text."""

    traced_in_full = True

    def __init__(self, module, nodes):
        self.x = module.tensor(X, requires_grad=True)
        self.b = module.tensor(B)
        self.seed = module.tensor(SEED)
        self.nodes = nodes
        self.traced_in_full = module.__name__ != "torch"

    def build(self):
        y, b = self.x, self.b
        for _ in range(self.nodes):
            y = y + b
        return y

    def run(self):
        self.x.grad = None
        y = self.build()
        y.backward(self.seed)
        return self.x.grad


class WithMyGrad:
    """A MyGrad graph hangs on its last tensor, too."""

    traced_in_full = True

    def __init__(self, nodes):
        import mygrad

        self.x = mygrad.tensor(X)
        self.nodes = nodes

    def build(self):
        y = self.x
        for _ in range(self.nodes):
            y = y + B
        return y

    def run(self):
        y = self.build()
        y.backward(SEED)
        return self.x.grad


class WithAutograd:
    """HIPS autograd hands back the graph inside the function that walks it."""

    traced_in_full = True

    def __init__(self, nodes):
        import autograd

        def chain(x):
            for _ in range(nodes):
                x = x + B
            return x

        self.vjp_of_chain = autograd.make_vjp(chain)

    def build(self):
        return self.vjp_of_chain(X)

    def run(self):
        vjp, _ = self.build()
        return vjp(SEED)


def by_hand(nodes):
    """Nothing needs keeping and the gradient is the seed: only the additions remain."""

    def run():
        y = X.copy()
        for _ in range(nodes):
            y += B
        return SEED

    return run


def bytes_per_node(chain, nodes) -> float:
    chain.build()  # what is made once, at the first use, is not the graph's
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        graph = chain.build()
        after, _ = tracemalloc.get_traced_memory()
        del graph
    finally:
        tracemalloc.stop()
    return (after - before) / nodes


def objects_left(chain) -> int:
    gc.collect()
    gc.disable()
    try:
        result = chain.run()
        del result
        return gc.collect()
    finally:
        gc.enable()


def measure(effort: Effort) -> Outcome:
    nodes = effort.size(NODES)
    chains = {name: OnTape(module, nodes) for name, module in tapes().items()}
    if has("autograd"):
        chains["HIPS autograd"] = WithAutograd(nodes)
    if has("mygrad"):
        chains["MyGrad"] = WithMyGrad(nodes)
    contenders = [Contender("NumPy", by_hand(nodes))]
    contenders += [Contender(name, chain.run) for name, chain in chains.items()]
    result = race(
        "W3 chain of 100,000 adds, shape (10,), float32",
        contenders,
        effort=effort,
        unit="µs per node: build, backward, free",
        per=nodes,
    )
    outcome = Outcome(result.timings(), {"W3 / torch": result.ratio("glassgrad", "torch")})
    for name, chain in chains.items():
        if name in result.samples:
            _count(name, chain, nodes, outcome)
    return outcome


def _count(name, chain, nodes, outcome: Outcome) -> None:
    left = Spread.exact(objects_left(chain))
    outcome.timings.append(Timing("W3 objects left for the collector", name, "objects", left))
    if name == "glassgrad":
        outcome.measures["W3 objects left for gc"] = left
    if not chain.traced_in_full:
        return
    size = Spread.exact(bytes_per_node(chain, nodes))
    outcome.timings.append(Timing("W3 memory of the finished graph", name, "bytes per node", size))
    if name == "glassgrad":
        outcome.measures["W3 bytes per node"] = size
