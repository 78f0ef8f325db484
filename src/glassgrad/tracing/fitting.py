"""Does a document fit a JSON schema? Found for all entries at once, and so quickly.

A log of a long pass has a million entries of a few forms. Those with the same fields are looked at
together: a field of all of them is a column of values under one rule, and Python finds its types,
its extremes and its ids without a line of ours for each. Where something does not fit, that is all
that is said; `events.py` then looks for the place.
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
        self._parts, self._most, self._names = schema["$defs"], most, frozenset(names)
        self._used: defaultdict[str, set[Any]] = defaultdict(set)

    def fits(self, values: list[Any], rule: Rule, field: str = "") -> bool:
        """Whether all `values` follow a rule; they are what `field` is in their entries."""
        while "$ref" in rule:
            rule = self._parts[rule["$ref"].rpartition("/")[2]]
        kind = rule.get("type", "object" if "oneOf" in rule else "string")
        kinds = [kind] if isinstance(kind, str) else kind
        types = set[type]().union(*[_TYPES[each] for each in kinds])
        if not types.issuperset(map(type, values)):
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
            rules = {each["$ref"].rpartition("/")[2]: each for each in rule["oneOf"]}
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
