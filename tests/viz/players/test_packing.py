import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassgrad.viz.players.packing import pack, unpack

plain = st.recursive(
    st.none() | st.booleans() | st.integers(-10, 10) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=30,
)


@given(plain)
def test_what_was_packed_comes_back(value):
    assert unpack(pack(value)) == value


@pytest.mark.parametrize("text", ["~", "~0", "~~0", "", "\ud800", "\u2028", "a\x00"])
def test_no_string_is_taken_for_a_reference(text):
    assert unpack(pack([text, text * 9, text * 9])) == [text, text * 9, text * 9]
    pack([text]).encode()


def test_records_that_are_alike_take_little_room():
    records = [{"type": "ready", "node": f"n{number}", "what": "the same"} for number in range(100)]
    assert len(pack(records)) < 0.4 * len(json.dumps(records))


def test_ids_that_count_up_are_a_run():
    ids = [f"n{number}" for number in range(3, 500)]
    value = [ids, dict(zip(ids, ids, strict=True)), ["n1", "n2", "n2", "n01"]]
    assert unpack(pack(value)) == value
    assert len(pack(value)) < 200


def test_what_all_dicts_of_a_form_share_is_said_once():
    value = [{"type": "ready", "of": {"a": [None, True]}, "node": at} for at in range(50)]
    assert unpack(pack(value)) == value
    assert pack(value).count("ready") == 1
    assert len(pack(value)) < 500
    assert unpack(pack([{"a": 1}, {"a": 1.0}, {"a": True}])) == [{"a": 1}, {"a": 1.0}, {"a": True}]


def test_equal_data_gives_equal_text():
    assert pack({"a": ["same text"] * 2}) == pack({"a": ["same text"] * 2})


def test_a_sentence_is_cut_at_its_arrays():
    arrays = ["(8, 4) of norm 0.288", "(8, 4) of norm 1.5"]
    said = [f"Op{at} turns the gradient {arrays[at % 2]} into ({arrays[0]})." for at in range(9)]
    assert unpack(pack(said)) == said
    assert pack(said).count("0.288") == 1


@given(
    st.lists(st.sampled_from(["[1, 2]", " of norm ", "(3,) of norm 1e-05", "~", "x" * 30, ", "]))
)
def test_pieces_of_any_kind_come_back(pieces):
    text = "".join(pieces)
    assert unpack(pack([text, text + " and more"])) == [text, text + " and more"]
