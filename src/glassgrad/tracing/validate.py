"""Is this document a trace? Checked against the JSON schema in this package, and then its ids.

The schema file is the one description of the format. `jsonschema` is not needed to use it: the
format keeps to a dozen keywords, and this file reads those.
"""

import json
import re
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib import resources
from typing import Any

from .checking import TYPES, compiled

__all__ = ["load_schema", "problem"]


@cache
def load_schema() -> dict[str, Any]:
    """The JSON schema of `glassgrad.trace/1` (shared: do not change it)."""
    text = resources.files("glassgrad.tracing").joinpath("trace-1.schema.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def problem(document: Any) -> str | None:
    """The first thing that is wrong with `document`, as "where: what"; None for a sound trace.

    Example:
        >>> problem({"schema": "glassgrad.trace/1", "graph": {"nodes": []}, "arrays": {}})
        "the document: 'events' is missing"
    """
    schema = load_schema()
    misfit = None if compiled(schema)(document) else _mismatch(document, schema, "")
    return misfit or _dangling(document)


# --- the shape of the document -----------------------------------------------------------------


def _mismatch(value: Any, rule: dict[str, Any], where: str) -> str | None:
    rule = _resolve(rule)
    if "oneOf" in rule:
        return _mismatch_event(value, rule["oneOf"], where)
    if "const" in rule and value != rule["const"]:
        return f"{where or 'the document'}: expected {rule['const']!r}, found {_brief(value)}"
    if "enum" in rule and value not in rule["enum"]:
        return f"{where}: expected one of {rule['enum']}, found {_brief(value)}"
    if "type" in rule and not _has_type(value, rule["type"]):
        return f"{where or 'the document'}: expected {_kind(rule['type'])}, found {_brief(value)}"
    if isinstance(value, str):
        if "pattern" in rule and not re.search(rule["pattern"], value):
            return f"{where}: {_brief(value)} is no id of the form {rule['pattern']}"
        return None
    if isinstance(value, dict):
        return _mismatch_object(value, rule, where)
    if isinstance(value, list):
        return _mismatch_list(value, rule, where)
    if isinstance(value, int) and value < rule.get("minimum", value):
        return f"{where}: {value} is below {rule['minimum']}"
    return None


def _mismatch_event(value: Any, choices: list[dict[str, Any]], where: str) -> str | None:
    """Events are told apart by their type, so the message can speak of the one that was meant."""
    if not isinstance(value, dict):
        return f"{where}: expected an object, found {_brief(value)}"
    known = {_resolve(choice)["properties"]["type"]["const"]: choice for choice in choices}
    kind = value.get("type")
    if not isinstance(kind, str) or kind not in known:
        return f"{where}.type: expected one of {', '.join(known)}, found {_brief(kind)}"
    return _mismatch(value, known[kind], where)


def _mismatch_object(value: dict[str, Any], rule: dict[str, Any], where: str) -> str | None:
    for name in rule.get("required", ()):
        if name not in value:
            return f"{where or 'the document'}: {name!r} is missing"
    fields = rule.get("properties", {})
    names = rule.get("propertyNames")
    others = rule.get("additionalProperties", True)
    for name, item in value.items():
        inner = f"{where}.{name}" if where else str(name)
        if names is not None and (found := _mismatch(name, names, inner)):
            return found
        if name in fields:
            found = _mismatch(item, fields[name], inner)
        elif others is False:
            found = f"{inner}: this format knows no such field"
        else:
            found = _mismatch(item, others, inner) if isinstance(others, dict) else None
        if found:
            return found
    return None


def _mismatch_list(value: list[Any], rule: dict[str, Any], where: str) -> str | None:
    if not rule.get("minItems", 0) <= len(value) <= rule.get("maxItems", len(value)):
        return f"{where}: expected {rule['minItems']} entries, found {len(value)}"
    for index, item in enumerate(value):
        if found := _mismatch(item, rule["items"], f"{where}[{index}]"):
            return found
    return None


def _resolve(rule: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in rule:
        rule = load_schema()["$defs"][rule["$ref"].rpartition("/")[2]]
    return rule


def _has_type(value: Any, types: str | list[str]) -> bool:
    for name in [types] if isinstance(types, str) else types:
        # True is an int to Python and a boolean to JSON.
        if isinstance(value, TYPES[name]) and (name == "boolean" or not isinstance(value, bool)):
            return True
    return False


def _kind(types: str | list[str]) -> str:
    names = [types] if isinstance(types, str) else types
    return " or ".join(f"{'an' if name[0] in 'aeiou' else 'a'} {name}" for name in names)


def _brief(value: Any) -> str:
    if isinstance(value, dict):
        return f"an object of {len(value)} fields"
    if isinstance(value, list):
        return f"a list of {len(value)} entries"
    text = repr(value)
    return text if len(text) <= 40 else text[:39] + "…"


# --- what refers to what -----------------------------------------------------------------------


def _dangling(document: dict[str, Any]) -> str | None:
    """The first id that is used and not defined, or defined twice."""
    graph = document["graph"]
    nodes = {node["id"] for node in graph["nodes"]}
    leaves = {leaf["id"] for leaf in graph["leaves"]}
    outputs = graph.get("outputs", [])
    known = nodes | leaves | {output["id"] for output in outputs} | document["arrays"].keys()
    if len(nodes) < len(graph["nodes"]):
        return "graph.nodes: two nodes have the same id"
    if len(leaves) < len(graph["leaves"]):
        return "graph.leaves: two leaves have the same id"
    for index, node in enumerate(graph["nodes"]):
        if unknown := _unknown_of_node(node, nodes, known):
            return f"graph.nodes[{index}]: {unknown}"
    if circle := _circle(graph["nodes"]):
        return f"graph.nodes: the edges lead in a circle, {circle}"
    for group in ("leaves", "outputs"):
        for index, tensor in enumerate(graph.get(group, [])):
            if unknown := _first_unknown(tensor, ("acc", "node", "array"), known):
                return f"graph.{group}[{index}]: {unknown}"
    for index, event in enumerate(document["events"]):
        if event["k"] != index:
            return f"events[{index}].k: expected {index}, found {event['k']}"
        if event["type"] == "error" and index + 1 < len(document["events"]):
            return f"events[{index}]: an error ends the pass, and other events follow"
        if unknown := _unknown_of_event(event, known):
            return f"events[{index}]: {unknown}"
    return None


def _unknown_of_node(node: dict[str, Any], nodes: set[str], known: set[str]) -> str | None:
    for edge in node["edges"]:
        if edge["to"] is not None and edge["to"] not in nodes:
            return f"an edge leads to {edge['to']}, which is not in the graph"
    for field in ("base", "origin"):
        if node.get(field, node["id"]) not in nodes:
            return f"its {field} {node[field]} is not in the graph"
    for saved in node.get("saved", ()):
        if unknown := _first_unknown(saved, ("leaf", "owner", "array"), known):
            return f"saved tensor {saved['name']!r}: {unknown}"
    for retained in node.get("retains", ()):
        if unknown := _first_unknown(retained, ("array",), known):
            return f"retained tensor {retained['name']!r}: {unknown}"
    return None


def _circle(nodes: list[dict[str, Any]]) -> str | None:
    """A circle of edges, as text. Every view walks the edges, and would walk it for ever."""
    if _all_lead_back(nodes):
        return None
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for node in nodes:
        sorter.add(node["id"], *(edge["to"] for edge in node["edges"] if edge["to"] is not None))
    try:
        sorter.prepare()
    except CycleError as error:
        return " → ".join(error.args[1])
    return None


def _all_lead_back(nodes: list[dict[str, Any]]) -> bool:
    """Whether each edge leads to a node further up in the list, as in every log of a real pass."""
    seen = {None}
    for node in nodes:
        for edge in node["edges"]:
            if edge["to"] not in seen:
                return False
        seen.add(node["id"])
    return True


def _unknown_of_event(event: dict[str, Any], known: set[str]) -> str | None:
    one, many = _references(event["type"])
    for field in one:
        name = event.get(field)
        if name is not None and name not in known:
            return f"{field} {name} is not in the trace"
    for field in many:
        for name in event[field]:
            if name is not None and name not in known:
                return f"{field} {name} is not in the trace"
    return None


@cache
def _references(kind: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The fields of a kind of event that hold an id of the trace, and those that hold a list."""
    fields = load_schema()["$defs"][kind]["properties"]
    one = [field for field in ("node", "tensor", "grad") if field in fields]
    many = [field for field in ("before", "after", "grad_in", "grad_out") if field in fields]
    return tuple(one), tuple(many)


def _first_unknown(entry: dict[str, Any], fields: tuple[str, ...], known: set[str]) -> str | None:
    for field in fields:
        if entry.get(field) is not None and entry[field] not in known:
            return f"{field} {entry[field]} is not in the trace"
    return None
