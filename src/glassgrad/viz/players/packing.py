"""Plain data as short JSON: a page holds thousands of records that are alike.

    what comes again       "~4": the fifth of `words`, which is a string, a list or a dict
    a part that does       "a ~4; of text": the same within a longer string
    ~                      "~;"
    dicts                  [2, value, value]: their keys are the third of `forms`, where
                           ["type", value] is what they all have under that key
    lists                  [-1, value, value]
    within all of these    [-2, "n", 3, 90]: "n3", "n4", …, 90 of them

The numbers of words are in base 36. `unpack` in `static/log.js` is the way back in the browser.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from string import ascii_lowercase, digits
from typing import Any

__all__ = ["pack", "unpack"]

RUN = 4  # so many ids that count up are shorter as a run
REFERENCE = 5  # about how many characters one takes
LONG = 24  # a longer string is cut, so that its parts are found again

# Where sentences and formulas are cut: what is between two cuts comes again, too.
_CUTS = re.compile(
    r"(\([^()]*\) (?:‖·‖=|of norm )[\d.e+-]*\d|\[[^\[\]]*\]"  # arrays: "[1, 2]", "(8,) of norm 2"
    r"|\bAccumulateGrad of \S+|\b\w+Backward\d*"  # nodes
    r"|<mover>.*?</mover>|<m[a-z]+ [^<>]*>(?:[^<>]*</m[a-z]+>)?)"  # x̄ and the like; brackets
)
# An array: what stands before its norm comes again with others.
_ARRAY = re.compile(r"(\([^()]*\) (?:‖·‖=|of norm ))([\d.e+-]*\d)")
_ID = re.compile(r"([a-z]+)(0|[1-9]\d{,8})")
_WORD = re.compile(r"~([0-9a-z]*);")

Form = tuple[str, ...]
Key = str | tuple[str]  # a string; or a list or a dict, by its JSON


def pack(value: Any) -> str:
    """`value` (dicts with string keys, lists, strings, numbers, None) as JSON text.

    Example:
        >>> text = pack([{"op": "AddBackward0"}, {"op": "SubBackward0"}] + ["AddBackward0"] * 2)
        >>> text[:62]
        '{"words":["AddBackward0"],"forms":[["op"]],"data":[-1,[0,"~0"]'
        >>> unpack(text)[0]
        {'op': 'AddBackward0'}
    """
    packer = _Packer(value)
    document = {"words": packer.list_words(), "forms": [], "data": packer.packed(value)}
    document["forms"] = packer.list_forms()
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    # Half of a surrogate pair (a name can hold one) has no UTF-8; JSON can say it in ASCII.
    return re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text)


def unpack(text: str) -> Any:
    """What `pack` was given."""
    document = json.loads(text)
    forms = [list(_counted(form)) for form in document["forms"]]
    return _opened(document["data"], document["words"], forms)


class _Packer:
    """Knows what comes again in a value."""

    def __init__(self, value: Any) -> None:
        self.values: dict[Key, Any] = {}
        self.forms: dict[Form, int] = {}
        self.common: dict[Form, dict[str, Any]] = {}  # what all dicts of a form have
        self.alike: Counter[Form] = Counter()
        counts = Counter(self._walk(value))
        sizes = {key: len(key) + 2 if isinstance(key, str) else len(key[0]) for key in counts}
        gains = {key: (counts[key] - 1) * sizes[key] - counts[key] * REFERENCE for key in counts}
        often = [key for key in counts if gains[key] > 0]
        # The most frequent first: theirs are the short numbers.
        often.sort(key=lambda key: -counts[key])
        self.words = {key: f"~{_base_36(at)}" for at, key in enumerate(often)}

    def _walk(self, value: Any) -> Iterator[Key]:
        """Everything in `value`, as often as it stands there; what is known is not looked into."""
        if not isinstance(value, (str, dict, list, tuple)):
            return
        key = _key(value)
        yield key
        if key in self.values:
            return
        self.values[key] = value
        if isinstance(value, str):
            for piece in _pieces(value):
                yield from self._walk(piece) if piece != value else ()
        if isinstance(value, dict):
            self._compare(value)
        for part in _parts(value):
            yield from self._walk(part)

    def _compare(self, value: dict[str, Any]) -> None:
        """Keep what this dict has in common with those before it that have the same keys."""
        form = tuple(value)
        self.alike[form] += 1
        known = self.common.setdefault(form, dict(value))
        for key in [key for key in known if _text(known[key]) != _text(value[key])]:
            del known[key]

    def _in_common(self, form: Form) -> dict[str, Any]:
        return self.common[form] if self.alike[form] > 1 else {}

    def list_forms(self) -> list[Any]:
        """The keys of the forms, with what is the same in all dicts of one."""
        found: list[Any] = []
        while len(found) < len(self.forms):  # which grows meanwhile
            form = list(self.forms)[len(found)]
            common = self._in_common(form)
            found.append(
                _runs([[key, self.packed(common[key])] if key in common else key for key in form])
            )
        return found

    def list_words(self) -> list[Any]:
        """The words themselves, which may be made of others."""
        return [self._written(self.values.get(key, key)) for key in self.words]

    def packed(self, value: Any) -> Any:
        """`value`, or the word that stands for it."""
        if not isinstance(value, (str, dict, list, tuple)):
            return value
        return self.words.get(_key(value)) or self._written(value)

    def _written(self, value: Any) -> Any:
        if isinstance(value, str):
            return "".join(self._piece(piece, value) for piece in _pieces(value))
        if not isinstance(value, dict):
            return [-1, *_runs(value, self.packed)]
        form = tuple(value)
        common = self._in_common(form)
        parts = [part for key, part in value.items() if key not in common]
        return [self.forms.setdefault(form, len(self.forms)), *_runs(parts, self.packed)]

    def _piece(self, piece: str, whole: str) -> str:
        word = self.words.get(piece) if piece != whole else None
        if word:
            return f"{word};"
        return piece.replace("~", "~;") if piece == whole else self._written(piece)


def _key(value: Any) -> Key:
    return value if isinstance(value, str) else (_text(value),)


def _text(value: Any) -> str:
    return json.dumps(value)  # 1, 1.0 and True are different


def _parts(value: Any) -> list[Any]:
    if isinstance(value, str):
        return []
    return list(value.values() if isinstance(value, dict) else value)


def _pieces(text: str) -> list[str]:
    if found := _ARRAY.fullmatch(text):
        return [found[1], found[2]]
    return [part for part in _CUTS.split(text) if part] if len(text) > LONG else [text]


def _runs(parts: list[Any], packed: Callable[[Any], Any] = lambda part: part) -> list[Any]:
    """The parts, packed; ids that count up as one item."""
    found: list[Any] = []
    at = 0
    while at < len(parts):
        count, name = _run_at(parts, at)
        if count >= RUN and name is not None:
            found.append([-2, name[1], int(name[2]), count])
            at += count
        else:
            found.append(packed(parts[at]))
            at += 1
    return found


def _run_at(parts: list[Any], at: int) -> tuple[int, re.Match[str] | None]:
    """How many ids that count up stand here, and the first one."""
    name = _ID.fullmatch(parts[at]) if isinstance(parts[at], str) else None
    count = 0
    while name is not None and parts[at + count : at + count + 1] == [
        f"{name[1]}{int(name[2]) + count}"
    ]:
        count += 1
    return count, name


def _base_36(number: int) -> str:
    high, low = divmod(number, 36)
    return (_base_36(high) if high else "") + (digits + ascii_lowercase)[low]


def _opened(value: Any, words: list[Any], forms: list[list[Any]]) -> Any:
    if isinstance(value, str):
        if re.fullmatch("~[0-9a-z]+", value):
            return _opened(words[int(value[1:], 36)], words, forms)
        return _WORD.sub(
            lambda found: _opened(f"~{found[1]}", words, forms) if found[1] else "~", value
        )
    if not isinstance(value, list):
        return value
    items: list[Any] = []
    for item in value[1:]:
        items += _counted([item]) if _is_run(item) else [_opened(item, words, forms)]
    if value[0] == -1:
        return items
    rest = iter(items)
    return {
        key[0] if isinstance(key, list) else key: _opened(key[1], words, forms)
        if isinstance(key, list)
        else next(rest)
        for key in forms[value[0]]
    }


def _counted(parts: list[Any]) -> Iterator[Any]:
    """The parts, runs as the ids that they are."""
    for part in parts:
        if _is_run(part):
            yield from (f"{part[1]}{part[2] + at}" for at in range(part[3]))
        else:
            yield part


def _is_run(item: Any) -> bool:
    return isinstance(item, list) and item[0] == -2
