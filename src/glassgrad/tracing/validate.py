"""Is this document a trace? Checked against the JSON schema in this package, and then its ids.

The schema file is the one description of the format. It is compiled to Python (fastjsonschema: a
log may have a million events, and jsonschema takes a minute for thirty thousand).
"""

import json
import re
from collections.abc import Callable
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib import resources
from typing import Any

from .graph import Entry

Check = Callable[[Any], Any]
Problem = str | None  # "where: what"; None: there is none


@cache
def load_schema() -> Entry:
    """The JSON schema of `glassgrad.trace/1` (shared: do not change it)."""
    text = resources.files("glassgrad.tracing").joinpath("trace-1.schema.json").read_text("utf-8")
    schema: Entry = json.loads(text)
    return schema


def problem(document: Any) -> Problem:
    """The first thing that is wrong with `document`, as "where: what"; None for a sound trace.

    Example:
        >>> problem({"schema": "glassgrad.trace/1", "graph": {"nodes": []}, "arrays": {}})
        "the document: 'events' is missing"
    """
    wrong = _misfit(document) or _fraction(document) or _dangling(document)
    return wrong and wrong.removeprefix(".")


# --- the shape of the document -----------------------------------------------------------------


def _misfit(document: Any) -> Problem:
    """Where the document does not fit the schema."""
    from fastjsonschema import JsonSchemaValueException

    whole, of_event = _checks()
    place = ""
    try:
        whole(document)
        for index, event in enumerate(document["events"]):
            place = f"events[{index}]"
            kind = event.get("type") if isinstance(event, dict) else "ready"  # which says so
            if not isinstance(kind, str) or kind not in of_event:
                return f"{place}.type: expected one of {', '.join(of_event)}, found {_brief(kind)}"
            of_event[kind](event)
    except JsonSchemaValueException as error:
        steps = [f"[{step}]" if step.isdigit() else f".{step}" for step in error.path[1:]]
        where = (place + "".join(steps)).removeprefix(".")
        return _in_words(where, error.definition, str(error.rule), error.value)
    return None


@cache
def _checks() -> tuple[Check, dict[str, Check]]:
    """The check of a document but for its events, and those of events by their type.

    An event that fits none of `oneOf` would be told of nine times.
    """
    from fastjsonschema import compile

    schema = load_schema()
    parts = schema["$defs"] | {"event": {}}
    names = [rule["$ref"].rpartition("/")[2] for rule in schema["$defs"]["event"]["oneOf"]]
    events = {name: compile({"$defs": parts, "$ref": f"#/$defs/{name}"}) for name in names}
    return compile({**schema, "$id": "", "$defs": parts}), events


def _in_words(where: str, definition: Any, rule: str, value: Any) -> str:
    """What is wrong with `value`, which breaks one rule of a definition of the schema."""
    wanted = definition[rule]
    if rule == "propertyNames":
        value = next(name for name in value if not re.search(wanted["pattern"], name))
        where, rule, wanted = f"{where}.{value}", "pattern", wanted["pattern"]
    if rule == "pattern":
        return f"{where}: {_brief(value)} is no id of the form {wanted}"
    if rule == "required":
        missing = next(name for name in wanted if name not in value)
        return f"{where or 'the document'}: {missing!r} is missing"
    if rule == "additionalProperties":
        other = next(name for name in value if name not in definition["properties"])
        return f"{where}.{other}".removeprefix(".") + ": this format knows no such field"
    if rule == "minimum":
        return f"{where}: {value} is below {wanted}"
    if rule in ("minItems", "maxItems"):
        return f"{where}: expected {wanted} entries, found {len(value)}"
    expected = _kind(wanted) if rule == "type" else repr(wanted)
    one_of = "one of " if rule == "enum" else ""
    return f"{where or 'the document'}: expected {one_of}{expected}, found {_brief(value)}"


def _fraction(value: Any) -> Problem:
    """A number with a decimal point where an integer belongs (to JSON, 2.0 is one), and where."""
    todo = [(value, "")]
    while todo:
        outer, path = todo.pop()
        is_dict = isinstance(outer, dict)
        for step, item in outer.items() if is_dict else enumerate(outer):
            if step in _ELEMENTS:
                continue
            if isinstance(item, float):
                place = f".{step}" if is_dict else f"[{step}]"
                return f"{path}{place}: expected an integer, found {item}"
            if isinstance(item, (dict, list)):
                todo.append((item, f"{path}.{step}" if is_dict else f"{path}[{step}]"))
    return None


_ELEMENTS = ("min", "max", "norm", "head", "values")
"""The fields of an array that may have a decimal point."""


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


def _dangling(document: Entry) -> Problem:
    """The first id that is used and not defined, or defined twice."""
    graph, events = document["graph"], document["events"]
    parts = {f"graph.{name}": graph.get(name, []) for name in ("nodes", "leaves", "outputs")}
    known = {entry["id"] for part in parts.values() for entry in part} | document["arrays"].keys()
    for name in ("nodes", "leaves"):
        if len({entry["id"] for entry in graph[name]}) < len(graph[name]):
            return f"graph.{name}: two {name} have the same id"
    for where, part in (parts | {"events": events}).items():
        for index, entry in enumerate(part):
            if unknown := _unknown(entry, known):
                return f"{where}[{index}]: {unknown}"
    if circle := _circle(graph["nodes"]):
        return f"graph.nodes: the edges lead in a circle, {circle}"
    for index, event in enumerate(events):
        if event["k"] != index:
            return f"events[{index}].k: expected {index}, found {event['k']}"
        if event["type"] == "error" and index + 1 < len(events):
            return f"events[{index}]: an error ends the pass, and other events follow"
    return None


_ARRAYS = ("array", "grad", "before", "after", "grad_in", "grad_out")
REFERENCES = ("to", "acc", "node", "base", "origin", "tensor", "leaf", "owner", *_ARRAYS)
"""The fields whose value is the id of something else, or a list of ids."""

_MISSING = {
    "to": "an edge leads to {}, which is not in the graph",
    "base": "its base {} is not in the graph",
    "origin": "its origin {} is not in the graph",
}


def _unknown(entry: Entry, known: set[str]) -> Problem:
    """The first id in an entry, or in one of a list in it, that is not defined."""
    for field, value in entry.items():
        is_list = type(value) is list
        if field in REFERENCES:
            for name in value if is_list else (value,):
                if name is not None and name not in known:
                    return _MISSING.get(field, field + " {} is not in the trace").format(name)
        elif is_list and value and type(value[0]) is dict:
            kind = {"saved": "saved tensor", "retains": "retained tensor"}.get(field)
            for item in value:
                if wrong := _unknown(item, known):
                    return wrong if kind is None else f"{kind} {item['name']!r}: {wrong}"
    return None


def _circle(nodes: list[Entry]) -> Problem:
    """A circle of edges, as text. Every view walks the edges, and would walk it for ever."""
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for node in nodes:
        sorter.add(node["id"], *(edge["to"] for edge in node["edges"] if edge["to"] is not None))
    try:
        sorter.prepare()
    except CycleError as error:
        return " → ".join(error.args[1])
    return None
