"""Plain data as short JSON: a page holds thousands of records that are alike.

    strings that come again     "~4": the fifth of `words`; a string that begins with ~ gets another
    dicts                       [2, value, value]: their keys are the third of `forms`
    lists                       [-1, value, value]
    long strings                [-2, piece, piece]: cut at the arrays in them, which come again

`unpack` in `static/log.js` is the way back in the browser.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

__all__ = ["pack", "unpack"]

SHORTEST = 5  # a shorter string takes no less room as a reference
LONG = 24  # a longer string is cut, if it does not come again as a whole

# Arrays, as sentences have them: "[1, 2]", "(8, 4) of norm 0.288".
_ARRAY = re.compile(r"(\([^()]*\) (?:‖·‖=|of norm )[\d.e+-]*\d|\[[^\[\]]*\])")


def pack(value: Any) -> str:
    """`value` (dicts with string keys, lists, strings, numbers, None) as JSON text.

    Example:
        >>> text = pack([{"op": "AddBackward0"}, {"op": "AddBackward0"}])
        >>> text
        '{"words":["AddBackward0"],"forms":[["op"]],"data":[-1,[0,"~0"],[0,"~0"]]}'
        >>> unpack(text)
        [{'op': 'AddBackward0'}, {'op': 'AddBackward0'}]
    """
    wholes = Counter(_strings(value))
    counts = Counter({text: count for text, count in wholes.items() if count > 1})
    for text, count in wholes.items():
        if count == 1:
            counts.update(_pieces(text))
    often = [text for text, count in counts.items() if count > 1 and len(text) >= SHORTEST]
    # The most frequent first: theirs are the short numbers.
    words = {text: at for at, text in enumerate(sorted(often, key=lambda text: -counts[text]))}
    forms: dict[tuple[str, ...], int] = {}
    data = _packed(value, words, forms)
    document = {"words": list(words), "forms": [list(form) for form in forms], "data": data}
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    # Half of a surrogate pair (a name can hold one) has no UTF-8; JSON can say it in ASCII.
    return re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text)


def unpack(text: str) -> Any:
    """What `pack` was given."""
    document = json.loads(text)
    return _opened(document["data"], document["words"], document["forms"])


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _strings(item)


def _pieces(text: str) -> list[str]:
    return [part for part in _ARRAY.split(text) if part] if len(text) > LONG else [text]


def _packed(value: Any, words: dict[str, int], forms: dict[tuple[str, ...], int]) -> Any:
    if isinstance(value, str):
        pieces = [value] if value in words else _pieces(value)
        packed = [_word(piece, words) for piece in pieces]
        return packed[0] if len(packed) == 1 else [-2, *packed] if packed else ""
    if isinstance(value, dict):
        form = forms.setdefault(tuple(value), len(forms))
        return [form, *(_packed(item, words, forms) for item in value.values())]
    if isinstance(value, (list, tuple)):
        return [-1, *(_packed(item, words, forms) for item in value)]
    return value


def _word(text: str, words: dict[str, int]) -> str:
    known = words.get(text)
    if known is None:
        return "~" + text if text.startswith("~") else text
    return f"~{known}"


def _opened(value: Any, words: list[str], forms: list[list[str]]) -> Any:
    if isinstance(value, str) and value.startswith("~"):
        return value[1:] if value.startswith("~~") else words[int(value[1:])]
    if not isinstance(value, list):
        return value
    items = [_opened(item, words, forms) for item in value[1:]]
    if value[0] == -2:
        return "".join(items)
    return items if value[0] == -1 else dict(zip(forms[value[0]], items, strict=True))
