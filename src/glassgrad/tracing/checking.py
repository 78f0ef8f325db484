"""A JSON schema as one function that says yes or no, many times as fast as reading the schema.

It reads the same keywords as `validate.py`, and says less: not what is wrong, nor where. A log may
have a million events, and nearly every log is sound.
"""

import re
from collections.abc import Callable
from typing import Any

__all__ = ["TYPES", "compiled"]

Check = Callable[[Any], bool]
Rule = dict[str, Any]

TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
"""What JSON's types are in Python."""


def compiled(schema: Rule) -> Check:
    """Whether a parsed document fits `schema`.

    Example:
        >>> fits = compiled({"type": "array", "items": {"type": "integer", "minimum": 0}})
        >>> fits([1, 2]), fits([1, -2]), fits("no")
        (True, False, False)
    """
    return _Compiler(schema).check(schema)


class _Compiler:
    """Turns rules into functions, each definition once."""

    def __init__(self, schema: Rule) -> None:
        self.schema = schema
        self.known: dict[str, Check] = {}

    def check(self, rule: Rule) -> Check:
        """The function of a rule."""
        if "$ref" in rule:
            name = rule["$ref"].rpartition("/")[2]
            if name not in self.known:  # no definition of the format refers to itself
                self.known[name] = self.check(self.schema["$defs"][name])
            return self.known[name]
        if "oneOf" in rule:
            return self._one_of(rule["oneOf"])
        if "const" in rule:
            return _among([rule["const"]])
        if "enum" in rule:
            return _among(rule["enum"])
        names = rule.get("type", list(TYPES))
        types = [kind for name in _listed(names) for kind in TYPES[name]]
        if "pattern" in rule:
            return _texts(rule["pattern"], allow_none=type(None) in types)
        if types == [dict]:
            return self._objects(rule)
        if types == [list]:
            return self._lists(rule)
        least = rule.get("minimum")
        if least is not None:
            return lambda value: type(value) is int and value >= least
        allowed = frozenset(types)
        return lambda value: type(value) in allowed

    def _one_of(self, choices: list[Rule]) -> Check:
        """Events, which are told apart by their type."""
        kinds: dict[str, Check] = {}
        for choice in choices:
            rule = self.schema["$defs"][choice["$ref"].rpartition("/")[2]]
            kinds[rule["properties"]["type"]["const"]] = self.check(choice)

        def fits(value: Any) -> bool:
            kind = value.get("type") if type(value) is dict else None
            return type(kind) is str and kind in kinds and kinds[kind](value)

        return fits

    def _objects(self, rule: Rule) -> Check:
        required = frozenset(rule.get("required", ()))
        fields = {name: self.check(inner) for name, inner in rule.get("properties", {}).items()}
        others = rule.get("additionalProperties", True)
        check_other = self.check(others) if isinstance(others, dict) else lambda _: bool(others)
        names = rule.get("propertyNames")
        check_name = None if names is None else self.check({"type": "string", **names})

        known = fields.get

        def fits(value: Any) -> bool:
            if type(value) is not dict or not required <= value.keys():
                return False
            for name, item in value.items():
                if not known(name, check_other)(item):
                    return False
            return check_name is None or all(map(check_name, value))

        return fits

    def _lists(self, rule: Rule) -> Check:
        item = self.check(rule["items"])
        least, most = rule.get("minItems", 0), rule.get("maxItems", float("inf"))

        def fits(value: Any) -> bool:
            if type(value) is not list or not least <= len(value) <= most:
                return False
            for each in value:  # noqa: SIM110  # `all` would make a generator for each list
                if not item(each):
                    return False
            return True

        return fits


def _texts(pattern: str, *, allow_none: bool) -> Check:
    """Ids: nearly all that come have come before."""
    search, known = re.compile(pattern).search, set[str]()

    def fits(value: Any) -> bool:
        if type(value) is str:
            if value in known:
                return True
            if search(value) is not None:
                known.add(value)
                return True
            return False
        return allow_none and value is None

    return fits


def _among(allowed: list[Any]) -> Check:
    return lambda value: value in allowed


def _listed(names: str | list[str]) -> list[str]:
    return [names] if isinstance(names, str) else names
