"""What happened at each node of a pass, from its log."""

from dataclasses import dataclass, field
from typing import Any

from glassgrad.tracing.events import Trace
from glassgrad.tracing.graph import Entry

ArrayName = str | None


@dataclass(slots=True)
class Turn:
    """What happened at a node.

    Attributes:
        node: its id.
        given: what each of the gradients was that have met there, as far as that is known.
        before: of a leaf, its `.grad` before the turn.
        events: those of the turn.
        arrived: the sum of what has come, by slot.
    """

    node: str
    given: list[ArrayName]
    before: ArrayName
    arrived: dict[int, ArrayName]
    events: list[Entry] = field(default_factory=list)

    @property
    def hooks(self) -> list[Entry]:
        """The events of hooks that ran before the rule."""
        return [event for event in self.events if event["type"] == "pre_hook"]

    @property
    def rule(self) -> Entry | None:
        """The event of the rule, if it has run."""
        return next((event for event in self.events if event["type"] == "apply"), None)

    @property
    def into(self) -> list[ArrayName]:
        """What the node got: a gradient for each output, or what has arrived until now."""
        arrived = [array for _, array in sorted(self.arrived.items())]
        got: list[ArrayName] = self.rule["grad_in"] if self.rule else arrived
        return self.hooks[0]["before"] if self.hooks else got

    @property
    def entering(self) -> list[ArrayName]:
        """What hooks have made of that, and the rule gets."""
        got: list[ArrayName] = self.hooks[-1]["after"] if self.hooks else self.into
        return self.rule["grad_in"] if self.rule else got

    @property
    def made(self) -> list[ArrayName]:
        """What the rule has made of it, by edge."""
        return self.rule["grad_out"] if self.rule else []


def turns_of(trace: Trace) -> dict[str, Turn]:
    """The turns of the nodes that have begun, in their order; of one that ran twice, the last."""
    leaf_of = {leaf["acc"]: leaf["id"] for leaf in trace.leaves}
    acc_of = {leaf: acc for acc, leaf in leaf_of.items()}
    grads: dict[str, ArrayName] = {leaf["id"]: leaf.get("grad") for leaf in trace.leaves}
    given: dict[str, list[ArrayName]] = {}
    arrived: dict[str, dict[int, ArrayName]] = {}
    sent: dict[str, list[ArrayName]] = {}  # by node, what its rule and its hooks have made
    turns: dict[str, Turn] = {}
    turn: Turn | None = None
    for event in trace.events:
        kind = event["type"]
        node: Any = event.get("node")
        if kind == "ready":
            continue
        if kind == "buffer":
            slots = arrived.setdefault(node, {})
            given.setdefault(node, []).append(_part(event, sent, trace.arrays))
            slots[event["slot"]] = event.get("grad")
        else:
            node = acc_of.get(event["tensor"]) if kind == "accumulate" else node
            if node is None:
                continue  # an error of no node
            if turn is None or turn.node != node:
                before = grads.get(leaf_of.get(node, ""))
                turn = Turn(node, given.pop(node, []), before, arrived.pop(node, {}))
                turns.pop(node, None)
                turns[node] = turn
            if kind == "apply":
                sent[node] = event["grad_out"]
            elif kind == "accumulate":
                grads[event["tensor"]] = event["grad"]
            elif kind == "post_hook" and node in leaf_of:
                (grads[leaf_of[node]],) = event["after"]
            elif kind == "post_hook":
                sent[node] = event["after"]
        if turn is not None:
            turn.events.append(event)
    return turns


def _part(event: Entry, sent: dict[str, list[ArrayName]], arrays: Entry) -> ArrayName:
    """What came along an edge, without what had come before; None if it is not known."""
    total: ArrayName = event.get("grad")
    if event["have"] == 1 or total is None or "edge" not in event:
        return total if event["have"] == 1 else None
    node, _, place = event["edge"][1:].partition("-")
    parts = sent.get(f"n{node}", [])
    part = parts[int(place)] if int(place) < len(parts) else None
    is_whole = part is not None and arrays[part]["shape"] == arrays[total]["shape"]
    return part if is_whole else None  # else the engine has summed what was broadcast
