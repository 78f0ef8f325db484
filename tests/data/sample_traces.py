"""Traces to test the views with, made by a small tape that knows nothing of glassgrad's engine.

Run as a script, it writes the `*.trace.json` files beside it.
"""

from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np

from glassgrad.tracing import ArrayTable, Trace


@dataclass(eq=False)
class Var:
    value: np.ndarray
    node: "Op | None" = None
    name: str | None = None
    leaf: bool = False


@dataclass(eq=False)
class Op:
    name: str
    inputs: list
    output: Var | None = None
    vjp: object = None
    saves: list = field(default_factory=list)
    rank: int = 0
    fields: dict = field(default_factory=dict)

    @property
    def id(self):
        return f"n{self.rank}"


class Tape:
    """Records ops, then plays backward over them and writes down what an engine would do."""

    def __init__(self):
        self.ops, self.leaves = [], []
        self.accumulators = {}

    def leaf(self, value, name=None):
        leaf = Var(np.asarray(value, np.float32), name=name, leaf=True)
        self.leaves.append(leaf)
        return leaf

    def constant(self, value, name=None):
        return Var(np.asarray(value, np.float32), name=name)

    def op(self, name, inputs, value, vjp, saves=(), **fields):
        for each in inputs:
            if each.leaf and each not in self.accumulators:
                self.accumulators[each] = self._add(Op("AccumulateGrad", [], each))
        node = self._add(Op(name, list(inputs), None, vjp, list(saves), fields=fields))
        node.output = Var(np.asarray(value, np.float32), node)
        for index, (slot, kept) in enumerate(node.saves):
            node.saves[index] = (slot, node.output if kept == "result" else kept)
        return node.output

    def _add(self, op):
        op.rank = len(self.ops)
        self.ops.append(op)
        return op

    def _target(self, var):
        return self.accumulators.get(var) if var.leaf else var.node

    def trace(self, loss, name="loss", hooks=()):
        return _Playback(self, loss, name).run()


class _Playback:
    def __init__(self, tape, loss, name):
        self.tape, self.loss, self.name = tape, loss, name
        self.table, self.events = ArrayTable(), []
        self.tensors, self.storages = {}, {}
        for leaf in tape.leaves:
            self.tensors[leaf] = f"t{len(self.tensors)}"

    def run(self):
        graph = {
            "nodes": [self._node(op) for op in self.tape.ops],
            "leaves": [self._leaf(leaf) for leaf in self.tape.leaves],
            "outputs": [self._output()],
        }
        self._play()
        return Trace(graph, self.table.summaries, self.events)

    def _leaf(self, leaf):
        return {
            "id": self.tensors[leaf],
            "name": leaf.name,
            "shape": list(leaf.value.shape),
            "dtype": str(leaf.value.dtype),
            "acc": self.tape.accumulators[leaf].id,
            "array": self.table.add(leaf.value),
        }

    def _output(self):
        return {
            "id": f"t{len(self.tensors)}",
            "name": self.name,
            "shape": list(self.loss.value.shape),
            "dtype": str(self.loss.value.dtype),
            "node": self.loss.node.id,
            "slot": 0,
            "array": self.table.add(self.loss.value),
        }

    def _node(self, op):
        value = op.output.value
        node = {"id": op.id, "op": op.name, "seq": op.rank, "edges": []}
        node |= {"shape": list(value.shape), "dtype": str(value.dtype)} | op.fields
        for each in op.inputs:
            target = self.tape._target(each)
            edge = {"to": target.id if target else None, "slot": 0}
            if target and each.value.shape != value.shape and op.name.startswith("Add"):
                edge["sum_to"] = list(each.value.shape)
            node["edges"].append(edge)
        if op.saves:
            node["saved"] = [self._saved(slot, kept) for slot, kept in op.saves]
        return node

    def _saved(self, slot, kept):
        storage = self.storages.setdefault(kept, f"s{len(self.storages)}")
        entry = {"name": slot, "storage": storage, "version": 0, "bytes": kept.value.nbytes}
        entry |= {"shape": list(kept.value.shape), "dtype": str(kept.value.dtype)}
        entry["array"] = self.table.add(kept.value)
        if kept.leaf:
            entry["leaf"] = self.tensors[kept]
        elif kept.name:
            entry["label"] = kept.name
        return entry

    def _emit(self, type, **fields):
        self.events.append({"k": len(self.events), "type": type, **fields})

    def _play(self):
        need = Counter(self.tape._target(each) for op in self.tape.ops for each in op.inputs)
        have, buffers = Counter(), {self.loss.node: np.ones_like(self.loss.value)}
        queue = [self.loss.node]
        self._emit("ready", node=self.loss.node.id)
        while queue:
            op = queue.pop(0)
            if op.name == "AccumulateGrad":
                grad = self.table.add(buffers.pop(op))
                self._emit("accumulate", tensor=self.tensors[op.output], grad=grad)
                continue
            grads = self._apply(op, buffers.pop(op))
            ready = []
            for index, (each, grad) in enumerate(zip(op.inputs, grads, strict=True)):
                target = self.tape._target(each)
                if target is None:
                    continue
                grad = _sum_to(grad, each.value.shape)
                buffers[target] = buffers[target] + grad if target in buffers else grad
                have[target] += 1
                self._emit(
                    "buffer",
                    node=target.id,
                    slot=0,
                    have=have[target],
                    need=need[target],
                    edge=f"e{op.rank}-{index}",
                    grad=self.table.add(buffers[target]),
                )
                if have[target] == need[target]:
                    ready.append(target)
                    self._emit("ready", node=target.id)
            leaves = [each for each in ready if each.name == "AccumulateGrad"]
            queue += [each for each in ready if each not in leaves]
            queue.sort(key=lambda each: -each.rank)
            queue[:0] = leaves

    def _apply(self, op, grad):
        for slot, _ in op.saves:
            self._emit("unpack", node=op.id, saved=slot, version=[0, 0])
        grads = op.vjp(grad)
        out = [
            None if self.tape._target(each) is None else self.table.add(np.float32(back))
            for each, back in zip(op.inputs, grads, strict=True)
        ]
        self._emit("apply", node=op.id, grad_in=[self.table.add(grad)], grad_out=out)
        if op.saves:
            self._emit("free_saved", node=op.id, bytes=sum(k.value.nbytes for _, k in op.saves))
        return grads


def _sum_to(grad, shape):
    grad = np.asarray(grad, np.float32)
    while grad.ndim > len(shape):
        grad = grad.sum(0)
    for axis, length in enumerate(shape):
        if length == 1 != grad.shape[axis]:
            grad = grad.sum(axis, keepdims=True)
    return grad


# --- programs ----------------------------------------------------------------------------------


def mul(tape, x, y, **fields):
    saves = [("self", x), ("other", y)]
    value = x.value * y.value
    return tape.op(
        "MulBackward0", [x, y], value, lambda g: (g * y.value, g * x.value), saves, **fields
    )


def total(tape, x):
    return tape.op("SumBackward0", [x], x.value.sum(), lambda g: (g * np.ones_like(x.value),))


def linear(tape, x, weight, bias, **fields):
    saves = [("input", x), ("weight", weight)]
    value = x.value @ weight.value.T + bias.value

    def vjp(g):
        return g @ weight.value, g.T @ x.value, g.sum(0)

    return tape.op("LinearBackward0", [x, weight, bias], value, vjp, saves, **fields)


def tanh(tape, x, **fields):
    value = np.tanh(x.value)
    saves = [("result", "result")]
    return tape.op("TanhBackward0", [x], value, lambda g: (g * (1 - value**2),), saves, **fields)


def square():
    """loss = sum(a * a)"""
    tape = Tape()
    a = tape.leaf([1.0, 2.0], "a")
    return tape.trace(total(tape, mul(tape, a, a)))


def neuron():
    """loss = sum(tanh(w * x + b)), x a constant, b broadcast"""
    tape = Tape()
    w, b = tape.leaf([[1.0, -2.0], [0.5, 0.25]], "w"), tape.leaf([0.5, 0.0], "b")
    x = tape.constant([[2.0, 1.0], [1.0, 3.0]], "x")
    product = mul(tape, x, w)
    moved = tape.op("AddBackward0", [product, b], product.value + b.value, lambda g: (g, g))
    return tape.trace(total(tape, tanh(tape, moved)))


def mlp():
    """A classifier of two layers on a batch of eight."""
    rng = np.random.default_rng(0)
    tape = Tape()
    sizes = [16, 8, 4]
    h = tape.constant(rng.normal(size=(8, sizes[0])), "images")
    for index, (n, m) in enumerate(pairwise(sizes)):
        weight = tape.leaf(rng.normal(size=(m, n)) / np.sqrt(n), f"layers.{index}.weight")
        bias = tape.leaf(np.zeros(m), f"layers.{index}.bias")
        h = linear(tape, h, weight, bias, scope=["mlp", f"layers.{index}"], src="train.py:12")
        if index < len(sizes) - 2:
            h = tanh(tape, h, scope=["mlp", "act"], src="train.py:13")
    labels = rng.integers(0, 4, 8)
    logp = h.value - np.log(np.exp(h.value).sum(1, keepdims=True))
    soft = np.exp(logp)

    def vjp(g):
        back = soft.copy()
        back[np.arange(8), labels] -= 1
        return (g * back / 8,)

    saves = [("log_probs", tape.constant(logp, "log_probs"))]
    value = -logp[np.arange(8), labels].mean()
    loss = tape.op("CrossEntropyBackward0", [h], value, vjp, saves, src="train.py:14")
    return tape.trace(loss)


@cache  # the long ones take a second
def chain(length):
    """loss = tanh(tanh(… x))"""
    tape = Tape()
    x = tape.leaf(0.5, "x")
    for _ in range(length):
        x = tanh(tape, x)
    return tape.trace(x)


def rnn(steps):
    """h = tanh(W h + b), again and again: two leaves with many uses."""
    tape = Tape()
    weight = tape.leaf(np.eye(3) * 0.9, "W")
    bias = tape.leaf([0.1, 0.0, -0.1], "b")
    h = tape.constant(np.zeros((1, 3)), "h0")
    for step in range(steps):
        h = tanh(tape, linear(tape, h, weight, bias, scope=["rnn", f"step {step}"]))
    return tape.trace(total(tape, h))


def hostile(name):
    """A program in which every name is `name`."""
    tape = Tape()
    a, b = tape.leaf([1.0, 2.0], name), tape.constant([3.0, 4.0], name)
    product = tape.op(
        name,
        [a, b],
        a.value * b.value,
        lambda g: (g * b.value, g),
        [(name, b)],
        scope=[name],
        src=name,
        user=True,
    )
    return tape.trace(total(tape, product), name=name)


FILES = {"square": square, "neuron": neuron, "mlp": mlp}

if __name__ == "__main__":
    for name, make in FILES.items():
        make().save(Path(__file__).parent / f"{name}.trace.json")
