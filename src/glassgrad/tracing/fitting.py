"""Does a document fit a JSON schema? Found for all entries at once, and so quickly.

A log of a long pass has a million entries of a few forms. Those with the same fields are looked at
together: a field of all of them is a column of values under one rule, and Python finds its types,
its extremes and its ids without a line of ours for each. That says whether all fits; where it does
not, `misfit` goes through the document value by value, and says what it meets first.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from itertools import chain, islice, repeat
from operator import itemgetter
from typing import Any

Rule = dict[str, Any]

_TYPES: dict[str, set[type]] = {
    "object": {dict},
    "array": {list},
    "string": {str},
    "integer": {int},  # and not bool; nor a float, as JSON would have it
    "number": {int, float},
    "boolean": {bool},
    "null": {type(None)},
}


_AT_ONCE = 1000


class Fitting:
    """One document beside a schema of the kind that `trace-1.schema.json` is.

    Args:
        schema: the schema.
        most: the largest integer.
        names: the fields that hold ids and do not refer to an entry.
    """

    def __init__(self, schema: Rule, *, most: int, names: Iterable[str]) -> None:
        self._schema, self._parts, self._most = schema, schema["$defs"], most
        self._names = frozenset(names)
        self._used: defaultdict[str, set[Any]] = defaultdict(set)

    def fits(self, values: list[Any], rule: Rule, field: str = "") -> bool:
        """Whether all `values` follow a rule; they are what `field` is in their entries."""
        rule = self._resolved(rule)
        kind = _kind(rule)
        if not _types(kind).issuperset(map(type, values)):
            return False
        if not values:
            return True
        if kind == "object":
            return self._objects_fit(values, rule)
        if kind == "array":
            lengths = set(map(len, values))
            fit = rule.get("minItems", 0) <= min(lengths)
            fit = fit and max(lengths) <= rule.get("maxItems", self._most)
            return fit and self._all_fit(chain.from_iterable(values), rule["items"], field)
        if kind == "integer":
            return bool(rule["minimum"] <= min(values) <= max(values) <= self._most)
        if "pattern" in rule:
            return self._ids_fit(values, rule["pattern"], field)
        allowed = [rule["const"]] if "const" in rule else rule.get("enum")
        return allowed is None or set(values).issubset(allowed)

    def misfit(self, document: Any) -> str | None:
        """The first thing in a document that does not fit the schema, as "where: what"."""
        return self._misfit("", document, self._schema)

    def _misfit(self, where: str, value: Any, rule: Rule) -> str | None:
        rule, here = self._resolved(rule), where.removeprefix(".") or "the document"
        if "oneOf" in rule and isinstance(value, dict):
            rules, kind = _by_type(rule), value.get("type")
            if not isinstance(kind, str) or kind not in rules:
                return f"{here}.type: expected one of {', '.join(rules)}, found {_brief(kind)}"
            rule = self._resolved(rules[kind])
        kind = _kind(rule)
        if "const" in rule and value != rule["const"]:
            return f"{here}: expected {rule['const']!r}, found {_brief(value)}"
        if not _is_one(value, kind):
            names = [kind] if isinstance(kind, str) else kind
            articles = [f"{'an' if name[0] in 'aeiou' else 'a'} {name}" for name in names]
            return f"{here}: expected {' or '.join(articles)}, found {_brief(value)}"
        if "enum" in rule and value not in rule["enum"]:
            return f"{here}: expected one of {rule['enum']}, found {_brief(value)}"
        if kind == "integer" and value < rule["minimum"]:
            return f"{here}: {value} is below {rule['minimum']}"
        if kind == "integer" and value > self._most:
            return f"{here}: {_brief(value)} is too large"
        if "pattern" in rule and value is not None and not _match(rule["pattern"], [value]):
            return f"{here}: {_brief(value)} is no id of the form {rule['pattern']}"
        parts: list[tuple[str, Any, Rule]] = []
        if kind == "array":
            count = rule.get("minItems", len(value))
            if len(value) != count:  # there is as many as that, nowhere fewer or more
                return f"{here}: expected {count} entries, found {len(value)}"
            parts = [(f"[{at}]", item, rule["items"]) for at, item in enumerate(value)]
        elif "propertyNames" in rule:
            each = rule["additionalProperties"]
            parts = [(f".{name}", item, each) for name, item in value.items()]
            parts += [(f".{name}", name, rule["propertyNames"]) for name in value]
        elif kind == "object":
            known = rule.get("properties", value)
            for name in rule["required"]:
                if name not in value:
                    return f"{here}: {name!r} is missing"
            for name in value:
                if name not in known:
                    return f"{where}.{name}: this format knows no such field".removeprefix(".")
            if "properties" in rule:
                parts = [(f".{name}", item, known[name]) for name, item in value.items()]
        found = (self._misfit(where + step, item, each) for step, item, each in parts)
        return next(filter(None, found), None)

    def _resolved(self, rule: Rule) -> Rule:
        while "$ref" in rule:
            rule = self._parts[rule["$ref"].rpartition("/")[2]]
        return rule

    def _all_fit(self, values: Iterable[Any], rule: Rule, field: str = "") -> bool:
        """As `fits`, of any number: a few at a time, which a processor's cache can hold."""
        values = iter(values)
        while some := list(islice(values, _AT_ONCE)):
            if not self.fits(some, rule, field):
                return False
        return True

    def refers_to(self, known: set[str]) -> bool:
        """Whether the ids in all fields but `names` are `known`, and of the right kind."""
        used = [(pattern, ids - {None}) for pattern, ids in self._used.items()]
        return all(known >= ids and _match(pattern, ids) for pattern, ids in used)

    def _ids_fit(self, values: list[Any], pattern: str, field: str) -> bool:
        if field in self._names:
            return _match(pattern, values)
        self._used[pattern].update(values)
        return True

    def _objects_fit(self, values: list[Any], rule: Rule) -> bool:
        if "oneOf" in rule:
            rules = _by_type(rule)
            kinds = list(map(dict.get, values, repeat("type")))
            alike = _by(list(map(str, kinds)), values)
            return rules.keys() >= alike.keys() and all(
                self.fits(some, rules[kind]) for kind, some in alike.items()
            )
        if "propertyNames" in rule:
            keys = list(chain.from_iterable(values))
            entries = chain.from_iterable(map(dict.values, values))
            fit = self._ids_fit(keys, rule["propertyNames"]["pattern"], "id")
            return fit and self._all_fit(entries, rule["additionalProperties"])
        for fields, some in _by(list(map(tuple, values)), values).items():
            if not set(rule["required"]).issubset(fields):
                return False
            if "properties" not in rule:
                continue
            if not rule["properties"].keys() >= set(fields):
                return False
            for name in fields:
                if not self.fits(list(map(itemgetter(name), some)), rule["properties"][name], name):
                    return False
        return True


def _kind(rule: Rule) -> Any:
    """What a value has to be, or what it may be: one of a list."""
    return rule.get("type", "object" if "oneOf" in rule else "string")


def _types(kind: Any) -> set[type]:
    kinds = [kind] if isinstance(kind, str) else kind
    return set[type]().union(*[_TYPES[each] for each in kinds])


def _is_one(value: Any, kind: Any) -> bool:
    """Whether a value is of that kind, or of a class of its own below; True is no integer."""
    types = _types(kind)
    return isinstance(value, tuple(types)) and (type(value) is not bool or bool in types)


def _by_type(rule: Rule) -> dict[str, Rule]:
    """The rules for objects, by what their field `type` is."""
    return {each["$ref"].rpartition("/")[2]: each for each in rule["oneOf"]}


def _brief(value: Any) -> str:
    if isinstance(value, dict):
        return f"an object of {len(value)} fields"
    if isinstance(value, list):
        return f"a list of {len(value)} entries"
    text = repr(value)
    return text if len(text) <= 40 else text[:39] + "…"


def _match(pattern: str, ids: Iterable[str]) -> bool:
    """Whether all ids have the form that a schema gives."""
    return all(map(re.compile(pattern.replace("$", r"\Z")).match, ids))


def _by(keys: list[Any], values: list[Any]) -> dict[Any, list[Any]]:
    """The values by their keys."""
    if len(kinds := set(keys)) == 1:
        return {kinds.pop(): values}
    found: dict[Any, list[Any]] = {key: [] for key in kinds}
    for key, value in zip(keys, values, strict=True):
        found[key].append(value)
    return found
