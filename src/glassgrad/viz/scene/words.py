"""What stands in a box: rows, tip, hooks. How much depends on how large the graph is."""

from typing import Any

from glassgrad.tracing.events import Trace
from glassgrad.viz.scene.graph import FULL, MEDIUM, Look
from glassgrad.viz.scene.results import Results
from glassgrad.viz.wording import array_text, bytes_text, counted, plain, shape_text, tensor_name

Rows = tuple[tuple[str, str], ...]
LONGEST = 34  # characters of a value


class Words:
    """The texts of a picture of `trace`.

    Args:
        trace: what is drawn.
        look: what to show of it.
        results: what its pass left behind.
    """

    def __init__(self, trace: Trace, look: Look, results: Results) -> None:
        self.arrays, self.show, self.results = trace.arrays, look.show, results
        self.count = len(trace.nodes)
        self.is_full, self.is_large = self.count <= FULL, self.count > MEDIUM
        self.leaf = {leaf["id"]: leaf for leaf in trace.leaves}

    def of_node(self, node: dict[str, Any]) -> Rows:
        """The rows of a backward node: its output's shape, the leaves it saved, its gradient."""
        rows = []
        if "shape" in node and "shapes" in self.show:
            rows.append(("out", shape_text(node["shape"])))
        if self.is_full and "saved" in self.show and (kept := self._kept_leaves(node)):
            rows.append(("saved", kept))
        (gradient, *_) = self.results.gradients.get(node["id"]) or [None]
        return self._cut(rows, None, gradient)

    def of_tensor(self, tensor: dict[str, Any]) -> Rows:
        """The rows of a leaf or an output: shape, value, and the `.grad` of a leaf."""
        rows = []
        if "shapes" in self.show:
            rows.append(("shape", f"{shape_text(tensor['shape'])} {plain(tensor['dtype'])}"))
        return self._cut(rows, tensor.get("array"), self.results.final.get(tensor["id"]))

    def of_saved(self, saved: dict[str, Any]) -> Rows:
        """The rows of a note: how large the saved tensor is, and its value."""
        rows = [("size", bytes_text(saved["bytes"]))]
        if "shape" in saved and "shapes" in self.show:
            rows = [("shape", f"{shape_text(saved['shape'])}, {bytes_text(saved['bytes'])}")]
        return self._cut(rows, saved.get("array"), None)

    def tip_of_node(self, node: dict[str, Any]) -> str:
        """What hovering over a backward node shows."""
        lines = [f"{node['id']}  {plain(node['op'], 80)}"]
        if node.get("scope"):
            lines.append("in " + plain(".".join(node["scope"]), 80))
        if node.get("src"):
            lines.append("made at " + plain(node["src"], 80))
        names = self.results.gradients.get(node["id"], ())
        lines += [f"gradient {array_text(self.arrays[name])}" for name in names if name is not None]
        return "\n".join(lines)

    def tip_of_tensor(self, tensor: dict[str, Any], words: str) -> str:
        """What hovering over a leaf, an output or a note shows: `words`, then its numbers."""
        lines = [words]
        if tensor.get("array") in self.arrays:
            lines.append(f"value {array_text(self.arrays[tensor['array']])}")
        if tensor.get("id") in self.results.final:
            lines.append(f"grad {array_text(self.arrays[self.results.final[tensor['id']]])}")
        return "\n".join(lines)

    def hooks(self, node: dict[str, Any]) -> tuple[str, ...]:
        """The hooks of a node, in the order in which they run."""
        if "hooks" not in self.show:
            return ()
        return tuple(
            f"{hook['id'].upper()} {plain(hook.get('name', ''), 16)}".strip()
            for hook in node.get("hooks", ())
        )

    def kept(self, node: dict[str, Any]) -> str:
        """How many tensors a node saved, where a graph is too large to draw them."""
        count = len(node.get("saved", ()))
        return f"{count} saved" if count and self.is_large and "saved" in self.show else ""

    def _cut(self, rows: list[tuple[str, str]], value: str | None, gradient: str | None) -> Rows:
        """At most three rows, with the numbers of two arrays."""
        if self.is_large:
            return ()
        if "values" in self.show:
            if self.is_full and value is not None:
                rows.append(("value", array_text(self.arrays[value])))
            if gradient is not None:
                rows.append(("grad", gradient_text(self.arrays[gradient], self.count)))
        # The last row is the gradient, what the picture is about: it stays.
        kept = rows if len(rows) <= 3 else [*rows[:2], rows[-1]]
        return tuple((key, plain(value, LONGEST)) for key, value in kept)

    def _kept_leaves(self, node: dict[str, Any]) -> str:
        """`self, other → x v0`: which saved tensors are leaves; those have no note of their own."""
        names: dict[str, list[str]] = {}
        for saved in node.get("saved", ()):
            if "leaf" in saved:
                label = tensor_name(self.leaf[saved["leaf"]])
                version = f" v{saved['version']}" if "versions" in self.show else ""
                names.setdefault(label + version, []).append(plain(saved["name"], 12))
        return "; ".join(f"{', '.join(keys)} → {label}" for label, keys in names.items())


def gradient_text(array: dict[str, Any], count: int) -> str:
    """A gradient as boxes show it in a picture of `count` nodes."""
    if count <= FULL:
        return array_text(array)
    norm = array["norm"]
    return f"‖·‖={norm:.3g}" if isinstance(norm, (int, float)) else "–"


def title_of(trace: Trace, title: str | None) -> str:
    """What stands above the picture."""
    if title is not None:
        return plain(title, 120)
    names = ", ".join(tensor_name(output) for output in trace.outputs[:3])
    return f"Backward graph of {names}" if names else "Backward graph"


def counts_text(trace: Trace) -> str:
    """How much there is: `3 nodes · 4 edges · 1 leaf`."""
    nodes, leaves = len(trace.nodes), len(trace.leaves)
    edges = leaves + sum([e["to"] is not None for node in trace.nodes for e in node["edges"]])
    counts = counted(nodes, "node"), counted(edges, "edge"), counted(leaves, "leaf", "leaves")
    return " · ".join(counts)
