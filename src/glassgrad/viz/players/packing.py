"""Plain data as short JSON: a page holds thousands of records that are alike.

    what comes again       "~4": the fifth of `words`, which is a string, a list or a dict
    a part that does       "a ~4; of text": the same within a longer string
    ~                      "~;"
    dicts                  [2, value, value]: their keys are the third of `forms`
    lists                  [-1, value, value]

The numbers of words are in base 36. `unpack` in `static/log.js` is the way back in the browser.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from string import ascii_lowercase, digits
from typing import Any

__all__ = ["pack", "unpack"]

REFERENCE = 6  # about how many characters one takes
LONG = 24  # a longer string is cut, so that its parts are found again

# Where sentences and formulas are cut: what is between two cuts comes again, too.
_CUTS = re.compile(
    r"(\([^()]*\) (?:‖·‖=|of norm )[\d.e+-]*\d|\[[^\[\]]*\]"  # arrays: "[1, 2]", "(8,) of norm 2"
    r"|\bAccumulateGrad of \S+|\b\w+Backward\d*"  # nodes
    r"|<mover>.*?</mover>|<m[a-z]+ [^<>]*>(?:[^<>]*</m[a-z]+>)?)"  # x̄ and the like; brackets
)
_WORD = re.compile(r"~([0-9a-z]*);")

Key = str | tuple[str]  # a string; or a list or a dict, by its JSON


def pack(value: Any) -> str:
    """`value` (dicts with string keys, lists, strings, numbers, None) as JSON text.

    Example:
        >>> text = pack([{"op": "AddBackward0"}, {"op": "SubBackward0"}] + ["AddBackward0"] * 2)
        >>> text
        '{"words":["AddBackward0"],"forms":[["op"]],"data":[-1,[0,"~0"],[0,"SubBackward0"],"~0","~0"]}'
        >>> unpack(text)[0]
        {'op': 'AddBackward0'}
    """
    packer = _Packer(value)
    document = {"words": packer.list_words(), "forms": [], "data": packer.packed(value)}
    document["forms"] = [list(form) for form in packer.forms]
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    # Half of a surrogate pair (a name can hold one) has no UTF-8; JSON can say it in ASCII.
    return re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text)


def unpack(text: str) -> Any:
    """What `pack` was given."""
    document = json.loads(text)
    return _opened(document["data"], document["words"], document["forms"])


class _Packer:
    """Knows what comes again in a value."""

    def __init__(self, value: Any) -> None:
        self.values: dict[Key, Any] = {}
        self.forms: dict[tuple[str, ...], int] = {}
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
            yield from (piece for piece in _pieces(value) if piece != value)
        for part in _parts(value):
            yield from self._walk(part)

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
        parts = [self.packed(part) for part in _parts(value)]
        if isinstance(value, dict):
            return [self.forms.setdefault(tuple(value), len(self.forms)), *parts]
        return [-1, *parts]

    def _piece(self, piece: str, whole: str) -> str:
        word = self.words.get(piece) if piece != whole else None
        return f"{word};" if word else piece.replace("~", "~;")


def _key(value: Any) -> Key:
    return value if isinstance(value, str) else (json.dumps(value),)


def _parts(value: Any) -> list[Any]:
    if isinstance(value, str):
        return []
    return list(value.values() if isinstance(value, dict) else value)


def _pieces(text: str) -> list[str]:
    return [part for part in _CUTS.split(text) if part] if len(text) > LONG else [text]


def _base_36(number: int) -> str:
    high, low = divmod(number, 36)
    return (_base_36(high) if high else "") + (digits + ascii_lowercase)[low]


def _opened(value: Any, words: list[Any], forms: list[list[str]]) -> Any:
    if isinstance(value, str):
        if re.fullmatch("~[0-9a-z]+", value):
            return _opened(words[int(value[1:], 36)], words, forms)
        return _WORD.sub(
            lambda found: _opened(f"~{found[1]}", words, forms) if found[1] else "~", value
        )
    if not isinstance(value, list):
        return value
    items = [_opened(item, words, forms) for item in value[1:]]
    return items if value[0] == -1 else dict(zip(forms[value[0]], items, strict=True))
