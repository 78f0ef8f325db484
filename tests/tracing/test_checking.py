"""The fast check of a document says what the slow one finds."""

import copy
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from glassgrad.tracing import validate
from glassgrad.tracing.checking import compiled
from glassgrad.tracing.validate import load_schema, problem

DATA = Path(__file__).parents[1] / "data"
DOCUMENTS = [json.loads(path.read_text("utf-8")) for path in sorted(DATA.glob("*.trace.json"))]
ODD = [None, True, False, -1, 0, 1.5, 3, "", "n1", "a0", "n1\n", "x", [], {}, [None], {"a": 1}]


def slowly(document):
    return validate._mismatch(document, load_schema(), "")


def places(document):
    """All (container, key) of a document."""
    found, stack = [], [document]
    while stack:
        value = stack.pop()
        keys = list(value) if isinstance(value, dict) else range(len(value))
        for key in keys:
            found.append((value, key))
            if isinstance(value[key], (dict, list)):
                stack.append(value[key])
    return found


@settings(
    max_examples=400, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck)
)
@given(st.data())
def test_after_any_change_both_say_the_same(data):
    document = copy.deepcopy(data.draw(st.sampled_from(DOCUMENTS)))
    container, key = data.draw(st.sampled_from(places(document)))
    what = data.draw(st.sampled_from(["replace", "remove", "add"]))
    if what == "replace":
        container[key] = data.draw(st.sampled_from(ODD))
    elif what == "remove":
        del container[key]
    elif isinstance(container, dict):
        container["new"] = data.draw(st.sampled_from(ODD))
    else:
        container.append(data.draw(st.sampled_from(ODD)))
    assert compiled(load_schema())(document) is (slowly(document) is None)


@pytest.mark.parametrize("value", ODD)
def test_a_document_that_is_something_else_is_refused_by_both(value):
    assert not compiled(load_schema())(value)
    assert slowly(value) is not None


def test_sound_documents_are_never_read_slowly(monkeypatch):
    monkeypatch.setattr(validate, "_mismatch", lambda *_: pytest.fail("read slowly"))
    assert [problem(document) for document in DOCUMENTS] == [None] * len(DOCUMENTS)


def test_what_only_python_tells_apart_is_left_to_the_slow_check():
    class Count(int):
        """An integer to JSON."""

    document = copy.deepcopy(DOCUMENTS[0])
    document["events"][0]["k"] = Count(0)
    assert not compiled(load_schema())(document)
    assert problem(document) is None
