import copy
import gzip
import json
import re
from pathlib import Path

import jsonschema
import pytest

from glassgrad.core.errors import DataError
from glassgrad.tracing import SCHEMA, Trace, events
from glassgrad.tracing.events import load_schema, problem

FRACTION = r"-?\d+\.\d+(?:e-?\d+)?"
DATA = Path(__file__).parents[1] / "data"
FILES = sorted(DATA.glob("*.trace.json"))


@pytest.fixture(scope="module", params=FILES, ids=lambda path: path.name.partition(".")[0])
def path(request):
    return request.param


@pytest.fixture
def document():
    return json.loads((DATA / "square.trace.json").read_text("utf-8"))


def test_there_are_sample_files():
    assert {path.name for path in FILES} == {
        "square.trace.json",
        "neuron.trace.json",
        "mlp.trace.json",
    }


def test_a_file_read_and_written_again_is_the_same(path, tmp_path):
    saved = Trace.load(path).save(tmp_path / "again.json")
    assert saved.read_bytes() == path.read_bytes()


def test_sample_files_are_what_their_programs_give(path, samples):
    make = samples.FILES[path.name.partition(".")[0]]
    made, kept = [_without_fractions(text) for text in (make().to_json(), path.read_text("utf-8"))]
    assert made[0] == kept[0]
    assert made[1] == pytest.approx(kept[1], rel=1e-5)  # a processor may round the last digit


def _without_fractions(text):
    """A text without its numbers that have a fraction, and these."""
    return re.sub(FRACTION, "#", text), [float(number) for number in re.findall(FRACTION, text)]


@pytest.mark.parametrize("seed", ["0", "1", "2"])
def test_the_bytes_do_not_depend_on_the_process(seed, told_elsewhere, tmp_path):
    program = (
        f"import sys; sys.path.insert(0, {str(DATA)!r}); import sample_traces as s;"
        "s.neuron().save('neuron.json')"
    )
    told_elsewhere(program, seeds=seed, folder=tmp_path)
    written = (tmp_path / "neuron.json").read_bytes()
    assert written == (DATA / "neuron.trace.json").read_bytes()


def test_the_order_in_which_a_recorder_fills_its_dicts_does_not_show(document):
    def reversed_fields(value):
        if isinstance(value, dict):
            return {key: reversed_fields(value[key]) for key in reversed(value)}
        return [reversed_fields(each) for each in value] if isinstance(value, list) else value

    turned = Trace.from_document(reversed_fields(document))
    assert turned.to_json() == Trace.from_document(document).to_json()


def test_a_compressed_file_is_smaller_the_same_each_time_and_read_back(tmp_path):
    trace = Trace.load(DATA / "neuron.trace.json")
    paths = [trace.save(tmp_path / name) for name in ("one.trace.json.gz", "two.GZ")]
    one, two = [path.read_bytes() for path in paths]
    assert one == two
    assert len(one) < len(trace.to_json()) / 3
    assert gzip.decompress(one).decode() == trace.to_json()
    assert Trace.load(paths[0].rename(tmp_path / "one.trace.json")) == trace


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda packed: packed[:-20], "it cannot be unpacked"),
        (lambda packed: packed[:40] + b"\0\0\0\0" + packed[44:], "it cannot be unpacked"),
        (lambda packed: packed + b"more", "it cannot be unpacked"),
        (lambda _: gzip.compress(b" " * 10_001), "unpacked, it has more than 0 MiB"),
        (lambda _: gzip.compress(b"\xff"), "it is not text"),
        (lambda _: gzip.compress(b"[1"), "it is not JSON"),
    ],
)
def test_a_spoiled_compressed_file_is_refused(spoil, said, tmp_path, monkeypatch):
    monkeypatch.setattr(events, "MOST_UNPACKED", 10_000)
    path = Trace.load(DATA / "square.trace.json").save(tmp_path / "square.gz")
    path.write_bytes(spoil(path.read_bytes()))
    with pytest.raises(DataError, match=said):
        Trace.load(path)


def test_the_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(load_schema())


def test_sample_files_fit_the_schema(path):
    jsonschema.Draft202012Validator(load_schema()).validate(json.loads(path.read_text("utf-8")))


def test_repr_counts():
    assert repr(Trace.load(DATA / "square.trace.json")) == "Trace(3 nodes, 1 leaf, 12 events)"


def test_the_schedule_is_the_order_in_which_nodes_ran():
    assert Trace.load(DATA / "square.trace.json").schedule() == ["n2", "n1", "n0"]


# --- files that are no traces ------------------------------------------------------------------


def change(path, value):
    def edit(document):
        *steps, last = path
        for step in steps:
            document = document[step]
        document[last] = value

    return edit


def remove(*path):
    def edit(document):
        *steps, last = path
        for step in steps:
            document = document[step]
        del document[last]

    return edit


MISFITS = {
    "another schema": (change(["schema"], "glassgrad.trace/2"), "schema: expected"),
    "no events": (remove("events"), "'events' is missing"),
    "a field too many": (change(["graph", "colour"], "red"), "graph.colour: this format knows"),
    "an id of another form": (change(["graph", "nodes", 0, "id"], "m0"), "graph.nodes[0].id"),
    "an op that is no text": (change(["graph", "nodes", 1, "op"], 7), "graph.nodes[1].op"),
    "true for a number": (change(["graph", "nodes", 1, "seq"], True), "graph.nodes[1].seq"),
    "a number below zero": (change(["graph", "leaves", 0, "shape", 0], -1), "-1 is below 0"),
    "an unknown event": (change(["events", 3, "type"], "explode"), "events[3].type"),
    "an event without node": (remove("events", 0, "node"), "events[0]: 'node' is missing"),
    "an event that is text": (change(["events", 0], "ready"), "events[0]: expected an object"),
    "a version that is one number": (change(["events", 4, "version"], [0]), "expected 2 entries"),
    "an array of another form": (change(["arrays", "x"], {}), "arrays.x"),
    "an unknown kind of hook": (
        change(["graph", "nodes", 1, "hooks"], [{"id": "h1", "kind": "wild"}]),
        "graph.nodes[1].hooks[0].kind",
    ),
}


@pytest.mark.parametrize(("edit", "message"), MISFITS.values(), ids=MISFITS)
def test_what_does_not_fit_is_named_and_jsonschema_agrees(document, edit, message):
    edit(document)
    assert not jsonschema.Draft202012Validator(load_schema()).is_valid(document)
    with pytest.raises(DataError) as caught:
        Trace.from_document(document, source="x.json")
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"x.json is not a {SCHEMA} document: ")
    assert "gg.record(loss).save(path)" in str(caught.value)


DANGLING = {
    "an edge to nowhere": (change(["graph", "nodes", 2, "edges", 0, "to"], "n9"), "n9"),
    "a leaf without node": (change(["graph", "leaves", 0, "acc"], "n9"), "acc n9"),
    "an output without node": (change(["graph", "outputs", 0, "node"], "n9"), "node n9"),
    "an event about no node": (change(["events", 0, "node"], "n9"), "node n9"),
    "an array nobody summarised": (change(["events", 1, "grad_in", 0], "a99"), "grad_in a99"),
    "a gradient nobody summarised": (change(["events", 11, "grad"], "a99"), "grad a99"),
    "a saved leaf that is none": (
        change(["graph", "nodes", 1, "saved", 0, "leaf"], "t9"),
        "leaf t9",
    ),
    "a node twice": (change(["graph", "nodes", 2, "id"], "n1"), "two nodes have the same id"),
    "events out of order": (change(["events", 3, "k"], 7), "events[3].k: expected 3, found 7"),
    "an origin that is no node": (change(["graph", "nodes", 2, "origin"], "n9"), "origin n9"),
    "an error in the middle": (
        change(["events", 3], {"k": 3, "type": "error", "error": "E", "message": "m"}),
        "events[3]: an error ends the pass",
    ),
    "a circle": (
        change(["graph", "nodes", 0, "edges"], [{"to": "n2", "slot": 0}]),
        "lead in a circle",
    ),
}


@pytest.mark.parametrize(("edit", "message"), DANGLING.values(), ids=DANGLING)
def test_ids_that_lead_nowhere_are_named(document, edit, message):
    edit(document)
    assert message in problem(document)


def test_a_sound_document_has_no_problem(document):
    before = copy.deepcopy(document)
    assert problem(document) is None
    assert document == before


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff\xfe\x00", "not text"),
        (b'{"schema": NaN}', "NaN is not a number in JSON"),
        (b"[]", "expected an object, found a list of 0 entries"),
        (b'"hello"', "expected an object, found 'hello'"),
        (b'{"nbformat": 4}', "'schema' is missing"),
        (b"[" * 100_000, "nested too deeply"),
    ],
    ids=["empty", "cut off", "binary", "NaN", "a list", "text", "a notebook", "deep"],
)
def test_a_foreign_file_is_refused(content, message, tmp_path):
    foreign = tmp_path / "foreign.json"
    foreign.write_bytes(content)
    with pytest.raises(DataError, match=r"foreign\.json is not a glassgrad\.trace/1") as caught:
        Trace.load(foreign)
    assert message in str(caught.value)


def test_a_missing_file_and_a_folder_that_is_not_there_are_os_errors(tmp_path):
    with pytest.raises(FileNotFoundError):
        Trace.load(tmp_path / "none.json")
    with pytest.raises(FileNotFoundError):
        Trace({"nodes": [], "leaves": []}).save(tmp_path / "none" / "x.json")


@pytest.mark.parametrize(
    "name", ['a|b{"', "<script>", "ε", "\ud800", "a\nb\x00", "\N{RIGHT-TO-LEFT OVERRIDE}x"]
)
def test_any_name_survives_the_file(name, samples, tmp_path):
    trace = samples.hostile(name)
    again = Trace.load(trace.save(tmp_path / "x.json"))
    assert again == trace
    assert again.leaves[0]["name"] == name


def test_a_long_chain_is_written_and_read_without_recursion(samples):
    trace = samples.chain(5_000)
    assert Trace.from_json(trace.to_json()) == trace
