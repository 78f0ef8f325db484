"""Whose values nodes have saved: a variable's, or that of a short expression, `tanh(h)`.

A trace has the names of the leaves and outputs, and of saved tensors as far as the program had a
variable for them where it asked for the trace. What has none is called by the operation that made
it, if its operands have names.
"""

from functools import cached_property

from glassgrad._words import plain
from glassgrad.tracing.graph import Entry
from glassgrad.viz.results import Parts
from glassgrad.viz.wording import op_word

LONGEST = 16  # characters of an expression
_DEEPEST = 3
# Ops whose names alone say what they do: a sum may have a factor, `alpha`.
_SIGNS = {"Mul": "*", "Mm": "@", "Mv": "@", "MatMul": "@"}
_CALLS = frozenset(
    ("Abs", "Cos", "Exp", "Log", "Neg", "Relu", "Sigmoid", "Sin", "Sqrt", "Square", "Tan", "Tanh")
)
_FIRST, _SECOND = ("self", "input"), ("other", "mat2", "vec")  # operands, as PyTorch calls them

Value = tuple[str, str | None]  # a piece of memory, and what is in it


class Whose(Parts):
    """What the tensors of a trace are called that have no entry of their own.

    Example:
        >>> x = tensor(1.0, requires_grad=True)
        >>> x.name = "x"
        >>> trace = snapshot(x.tanh() * 2)
        >>> Whose(trace).saved(trace.nodes[1], trace.nodes[1]["saved"][0])
        'tanh(x)'
    """

    def saved(self, node: Entry, saved: Entry) -> str:
        """Whose value a node saved; "" if nobody knows."""
        if "leaf" in saved:
            return self._of_leaf(self.leaf[saved["leaf"]])
        name = saved.get("label") or self._labels.get(_value(saved))
        if name:
            return plain(name)
        if saved["name"] == "result":
            return self.made(node["id"])
        places = [names for names in (_FIRST, _SECOND) if saved["name"] in names]
        if not places or len(node["edges"]) > 2:
            return ""
        return self.operand(node, 0 if places == [_FIRST] else 1)

    def made_by(self, node: Entry, saved: Entry) -> str:
        """Which op made a value that has no name: `relu(…)`; "" if that is not known either."""
        last, shape = len(node["edges"]) - 1, saved.get("shape")
        place = {"self": 0, "input": 0, "mat1": 1, "mat2": last, "other": last, "vec": last}
        at = place.get(saved["name"], len(node["edges"]))
        goal = (
            node["edges"][at]["to"] if 0 <= at <= last and not node["edges"][at]["slot"] else None
        )
        maker = node if saved["name"] == "result" else self.nodes.get(goal)
        if maker is None or goal in self.leaf_of or maker.get("shape") != shape:
            return ""
        return f"{op_word(maker)}(…)"

    def operand(self, node: Entry, at: int, depth: int = _DEEPEST) -> str:
        """What an operand of a node is called; "" if nobody knows."""
        goal = node["edges"][at]["to"] if at < len(node["edges"]) else None
        if goal in self.leaf_of:
            return self._of_leaf(self.leaf_of[goal])
        kept = [x for x in node.get("saved", ()) if x["name"] in (_FIRST, _SECOND)[at > 0]]
        if len(kept) == 1 and len(node["edges"]) <= 2:
            name = kept[0].get("label") or self._labels.get(_value(kept[0]))
            if name:
                return plain(name)
        return self.made(goal, depth) if goal and not node["edges"][at]["slot"] else ""

    def made(self, id: str, depth: int = _DEEPEST) -> str:
        """What the first output of a node is called: a name, or its expression; "" for neither."""
        if id in self._outputs:
            return plain(self._outputs[id])
        node = self.nodes.get(id)
        if node is None or not depth:
            return ""
        if id in self._results:
            return plain(self._results[id])
        name = self._expression(node, depth - 1)
        return name if len(name) <= LONGEST else ""

    def maker(self, id: str) -> str:
        """The op that a node is of: "Mul"."""
        op = self.nodes[id]["op"]
        return plain(op.rpartition("Backward")[0] or op)

    def _expression(self, node: Entry, depth: int) -> str:
        op = self.maker(node["id"])
        if len(node["edges"]) > 2:
            return ""
        operands = [self.operand(node, at, depth) for at in range(len(node["edges"]))]
        if not operands or not all(operands):
            return ""
        if op in _CALLS and len(operands) == 1:
            return f"{op.lower()}({operands[0]})"
        if op not in _SIGNS or len(operands) != 2:
            return ""
        return _SIGNS[op].join([f"({x})" if _is_product(x) else x for x in operands])

    def _of_leaf(self, leaf: Entry) -> str:
        return plain(leaf["name"]) if leaf["name"] else ""

    @cached_property
    def _outputs(self) -> dict[str, str]:
        """The names of outputs, and of tensors that keep their gradient, by the node."""
        kept = [(node["id"], x) for node in self.trace.nodes for x in node.get("retains", ())]
        pairs = [*kept, *[(output["node"], output) for output in self.trace.outputs]]
        return {id: tensor["name"] for id, tensor in pairs if tensor["name"] and not tensor["slot"]}

    @cached_property
    def _results(self) -> dict[str, str]:
        """The labels of results that their own nodes have saved, the first of each, by the node."""
        found: dict[str, str] = {}
        for node in self.trace.nodes:
            for saved in node.get("saved", ()):
                if saved["name"] == "result" and "label" in saved:
                    found.setdefault(node["id"], saved["label"])
        return found

    @cached_property
    def _labels(self) -> dict[Value, str]:
        """The names of values: some nodes may have saved a variable, and others the same memory."""
        every = [saved for node in self.trace.nodes for saved in node.get("saved", ())]
        return {_value(saved): saved["label"] for saved in every if "label" in saved}


def _value(saved: Entry) -> Value:
    return saved["storage"], saved.get("array")


def _is_product(name: str) -> bool:
    """Whether it is `a*b`, which stands in parentheses where it is an operand."""
    return any(sign in name for sign in "*@") and not name.endswith((")", "]"))
