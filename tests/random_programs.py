"""Random programs, to be run alike by glassgrad and by PyTorch.

A program is data: a list of steps, each naming an op and which earlier values it takes. `Run`
plays it in one library and records what the backward pass does.
"""

from typing import Any, NamedTuple

from hypothesis import strategies as st

from both import bare, leaf, plain, reachable, values
from fuzz.playing import prelude_of

LEAVES = 3
CONSTANTS = 1
ONE = ("neg", "tanh", "sin", "double", "split", "none")
TWO = ("add", "sub", "mul", "swap")
IN_PLACE = ("add_", "mul_", "scale_", "dirty", "detach", "silent")


class Step(NamedTuple):
    """One op: its name and the indices, counted from the newest value, of what it takes."""

    op: str
    first: int
    second: int


steps = st.builds(
    Step,
    st.sampled_from(ONE + TWO + TWO),
    st.integers(0, 12),
    st.integers(0, 12),
)
writes = st.builds(Step, st.sampled_from(IN_PLACE), st.integers(0, 12), st.integers(0, 12))
programs = st.lists(steps, min_size=12, max_size=24)
writing_programs = st.lists(st.one_of(steps, steps, writes), min_size=12, max_size=24)


def functions(lib: Any) -> dict[str, Any]:
    """User Functions: with two outputs, with two operands and two outputs, without a gradient."""
    own = prelude_of(lib.__name__)
    return {
        "split": own["Split"].apply,
        "swap": own["Swap"].apply,
        "none": own["Nothing"].apply,
        "dirty": own["Dirty"].apply,
    }


def _halve(grad_inputs: Any, _: Any) -> Any:
    return tuple(None if grad is None else grad * 0.5 for grad in grad_inputs)


class Run:
    """A program played in one library.

    Attributes:
        leaves, made: the leaves, and all values in order.
        nodes: the nodes behind the roots, numbered alike in both libraries.
        order: which of them ran, leaves that ran in a row sorted (PyTorch's heap shuffles those).
    """

    def __init__(self, lib: Any, program: list[Step], *, hooked: bool = False) -> None:
        self.lib = lib
        self.leaves = [leaf(lib, [0.3 + 0.1 * i, -0.7 + 0.2 * i]) for i in range(LEAVES)]
        self.made = [*self.leaves, *[plain(lib, [0.9, 1.1])] * CONSTANTS]
        own = functions(lib)
        for op, first, second in program:
            self.made += self._play(own, op, first, second)
        self.roots = [x for x in (self.made[-1], self.made[-3]) if x.requires_grad]
        self.nodes = reachable(*[root.grad_fn for root in self.roots])
        self.log: list[int] = []
        for number, node in enumerate(self.nodes):
            node.register_prehook(lambda _, number=number: self.log.append(number))
        if hooked:
            self._hang_hooks()

    def _play(self, own: dict[str, Any], op: str, first: int, second: int) -> list[Any]:
        x, y = (self.made[max(len(self.made) - 1 - i, 0)] for i in (first, second))
        if op in IN_PLACE:
            return self._write(own, op, x, y)
        match op:
            case "add":
                return [x + y]
            case "sub":
                return [x - y]
            case "mul":
                return [x * y]
            case "neg":
                return [-x]
            case "tanh":
                return [x.tanh()]
            case "sin":
                return [x.sin()]
            case "double":
                return [x + x]
            case "swap":
                return list(own["swap"](x, y))
            case "split":
                return list(own["split"](x))
        return [own["none"](x)]

    def _write(self, own: dict[str, Any], op: str, x: Any, y: Any) -> list[Any]:
        """Change `x` in place, unless it is a leaf that requires grad."""
        if x.is_leaf and x.requires_grad:
            return [x * 1.0]
        match op:
            case "add_":
                x.add_(y)
            case "mul_":
                x.mul_(y)
            case "scale_":
                x.mul_(0.75)
            case "dirty":
                own["dirty"](x)
            case "silent":
                with self.lib.no_grad():
                    x.add_(0.125)
            case "detach":
                return [x.detach()]
        return []

    def _hang_hooks(self) -> None:
        """Hooks on some tensors and nodes, the same ones in both libraries."""
        for number, x in enumerate(self.made):
            if not x.requires_grad:
                continue
            if number % 3 == 0:
                x.register_hook(lambda grad: grad if grad is None else grad * 1.5)
            if number % 4 == 0:
                x.retain_grad()
            if number % 5 == 0 and x.grad_fn is not None:
                x.grad_fn.register_hook(_halve)

    def pick(self, picks: list[int]) -> list[Any]:
        """Some of the values that require grad."""
        candidates = [x for x in self.made if x.requires_grad]
        return [candidates[i % len(candidates)] for i in picks]

    @property
    def retained(self) -> list[Any]:
        return values(x.grad for x in self.made if x.requires_grad and x.retains_grad)

    @property
    def seeds(self) -> list[Any]:
        return [plain(self.lib, [1.0, 2.0]) for _ in self.roots]

    @property
    def order(self) -> list[Any]:
        order: list[Any] = []
        for number in self.log:
            is_leaf = bare(self.nodes[number].name()) == "AccumulateGrad"
            if is_leaf and order and isinstance(order[-1], list):
                order[-1].append(number)
            else:
                order.append([number] if is_leaf else number)
        return [sorted(entry) if isinstance(entry, list) else entry for entry in order]

    @property
    def grads(self) -> list[Any]:
        return values(x.grad for x in self.leaves)
