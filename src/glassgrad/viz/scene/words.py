"""What stands in a box: rows, tip, hooks. How much depends on how large the graph is."""

from typing import Any

from glassgrad.tracing.events import Trace
from glassgrad.viz.scene.look import FULL, MEDIUM, Look
from glassgrad.viz.scene.results import results_of
from glassgrad.viz.wording import array_text, bytes_text, plain, shape_text, tensor_name

__all__ = ["Row", "Words", "counts_text", "title_of"]

Row = tuple[str, str]
LONGEST = 34  # characters of a value


class Words:
    """The texts of a picture of `trace`.

    Args:
        trace: what is drawn.
        look: what to show of it.
    """

    def __init__(self, trace: Trace, look: Look) -> None:
        self.trace, self.show = trace, look.show
        self.count = len(trace.nodes)
        self.gradients, self.final, self.freed = results_of(trace)
        self.leaf = {leaf["id"]: leaf for leaf in trace.leaves}

    def of_node(self, node: dict[str, Any]) -> tuple[Row, ...]:
        """The rows of a backward node: its output's shape, the leaves it saved, its gradient."""
        rows = []
        if "shape" in node and "shapes" in self.show:
            rows.append(("out", shape_text(node["shape"])))
        if self.count <= FULL and "saved" in self.show and (kept := self._kept_leaves(node)):
            rows.append(("saved", kept))
        gradients = self.gradients.get(node["id"], ())
        if gradients and gradients[0] is not None and "values" in self.show:
            rows.append(self._gradient(gradients[0]))
        return self._cut(rows)

    def of_tensor(self, tensor: dict[str, Any]) -> tuple[Row, ...]:
        """The rows of a leaf or an output: shape, value, and the `.grad` of a leaf."""
        rows = []
        if "shapes" in self.show:
            rows.append(("shape", f"{shape_text(tensor['shape'])} {plain(tensor['dtype'])}"))
        if self.count <= FULL and "array" in tensor and "values" in self.show:
            rows.append(("value", array_text(self.trace.arrays[tensor["array"]])))
        if tensor["id"] in self.final and "values" in self.show:
            rows.append(self._gradient(self.final[tensor["id"]]))
        return self._cut(rows)

    def of_saved(self, saved: dict[str, Any]) -> tuple[Row, ...]:
        """The rows of a note: how large the saved tensor is, and its value."""
        rows = [("size", bytes_text(saved["bytes"]))]
        if "shape" in saved and "shapes" in self.show:
            rows = [("shape", f"{shape_text(saved['shape'])}, {bytes_text(saved['bytes'])}")]
        if self.count <= FULL and "array" in saved and "values" in self.show:
            rows.append(("value", array_text(self.trace.arrays[saved["array"]])))
        return self._cut(rows)

    def tip_of_node(self, node: dict[str, Any]) -> str:
        """What hovering over a backward node shows."""
        lines = [f"{node['id']}  {plain(node['op'], 80)}"]
        if node.get("scope"):
            lines.append("in " + plain(".".join(node["scope"]), 80))
        if node.get("src"):
            lines.append("made at " + plain(node["src"], 80))
        arrays = (self.trace.arrays.get(each) for each in self.gradients.get(node["id"], ()))
        lines += [f"gradient {array_text(array)}" for array in arrays if array is not None]
        return "\n".join(lines)

    def tip_of_tensor(self, tensor: dict[str, Any], words: str) -> str:
        """What hovering over a leaf, an output or a note shows: `words`, then its numbers."""
        lines = [words]
        if tensor.get("array") in self.trace.arrays:
            lines.append(f"value {array_text(self.trace.arrays[tensor['array']])}")
        if tensor.get("id") in self.final:
            lines.append(f"grad {array_text(self.trace.arrays[self.final[tensor['id']]])}")
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
        if not count or self.count <= MEDIUM or "saved" not in self.show:
            return ""
        return f"{count} saved"

    def _cut(self, rows: list[Row]) -> tuple[Row, ...]:
        if self.count > MEDIUM:
            return ()
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

    def _gradient(self, array: str) -> Row:
        summary = self.trace.arrays[array]
        if self.count <= FULL:
            return "grad", array_text(summary)
        norm = summary["norm"]
        return "grad", f"‖·‖={norm:.3g}" if isinstance(norm, (int, float)) else "–"


def title_of(trace: Trace, title: str | None) -> str:
    """What stands above the picture."""
    if title is not None:
        return plain(title, 120)
    names = ", ".join(tensor_name(output) for output in trace.outputs[:3])
    return f"Backward graph of {names}" if names else "Backward graph"


def counts_text(trace: Trace) -> str:
    """How much there is: `3 nodes · 4 edges · 1 leaf`."""
    edges = sum(edge["to"] is not None for node in trace.nodes for edge in node["edges"])
    edges += len(trace.leaves)
    counts = ((len(trace.nodes), "node"), (edges, "edge"))
    parts = [f"{count:,} {noun}{'' if count == 1 else 's'}" for count, noun in counts]
    leaves = len(trace.leaves)
    return " · ".join([*parts, f"{leaves:,} leaf" if leaves == 1 else f"{leaves:,} leaves"])
