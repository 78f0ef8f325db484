"""What the build of the documentation collects from the source."""

import importlib
import json
import re
from pathlib import Path

import pytest

import glassgrad
from glassgrad.core.graph import Node

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


class Page:
    """As much of MkDocs' page as formulas need."""


def test_every_op_is_on_a_page_of_the_reference(build):
    reference = build("reference")
    named = set()
    for path in DOCS.glob("reference/ops-*.md"):
        for found in reference.DIRECTIVE.finditer(path.read_text("utf-8")):
            named |= set(reference.defined_in(re.split(", *", found[3])))
    assert named == set(glassgrad.ops.__all__)


def test_groups_are_the_comments_of_all(build):
    found = build("reference").groups(importlib.import_module("glassgrad.func"))
    assert found["batches"] == ["vmap", "chunk_vmap"]
    assert found["Jacobians"] == ["jacrev", "jacfwd", "hessian"]


def test_the_names_that_all_takes_from_a_file_are_in_its_group(build):
    found = build("reference").groups(importlib.import_module("glassgrad.trajectory"))
    assert "build_fd_matrix" in found["matrices"]


def test_a_name_of_two_packages_is_described_once(build):
    text = build("reference").fill("[[names glassgrad.autograd]]")
    assert "::: glassgrad.autograd.detect_anomaly" in text
    assert "::: glassgrad.autograd.GradcheckError" not in text
    assert "[`GradcheckError`][glassgrad.core.errors.GradcheckError]" in text


def test_methods_lead_to_functions(build):
    text = build("reference").fill("[[methods]]")
    assert "| [`exp()`][glassgrad.exp] |" in text
    assert "heading: Tensor.view" in text  # no function of its own
    assert "`pow()`" in text
    assert "powers" not in re.sub(r"\[[^\]]*\]|::: .*", "", text)


def test_errors_are_linked_where_a_function_raises_them(build):
    text = build("reference").link_errors("<code>DimError</code> <code>Dim</code>")
    assert text.startswith('<code><a href="../errors/#glassgrad.core.errors.DimError">DimError</a>')
    assert text.endswith("<code>Dim</code>")


def test_every_named_note_is_on_the_page(build):
    text = build("notes").fill("[[notes]]")
    titles = [
        title
        for path in (ROOT / "src").rglob("*.py")
        for title in re.findall(r"^ *# Note \[([^\]]+)\]$", path.read_text("utf-8"), re.MULTILINE)
    ]
    assert len(titles) > 10
    assert [title for title in titles if f"### {title}\n" not in text] == []


def test_measured_figures_are_those_of_the_table(build):
    figures = build("figures")
    assert re.fullmatch(r"\d+ B", figures.measured()["W3 bytes per node"])
    assert figures.fill("[[measured W1 / torch]]").endswith("×")
    with pytest.raises(KeyError):
        figures.fill("[[measured W99]]")


def test_formulas_become_mathml(build):
    formulas, page = build("formulas"), Page()
    text = formulas.put_in(formulas.take_out(r"So \(x^2\) it is, \(y_1\) too.", page), page)
    assert text.count("<math") == 2
    assert "formula" not in text


def test_source_is_that_of_the_package(build):
    text = build("source").fill("[[about glassgrad.core]]\n[[source glassgrad.core.graph Node]]")
    assert "The spine: all that runs in" in text
    assert (Node.__doc__ or "").splitlines()[0] in text


def test_minutes_are_those_of_the_files_in_reading_order(build):
    source = build("source")
    text = 'import os\n\n\ndef f():\n    """Two.\n\n    Lines."""\n    return os  # a comment\n'
    assert source.code_lines(text) == 3
    assert source.fill("[[lines glassgrad.core]]") == "1,500"
    table = source.fill("[[minutes glassgrad.core]]")
    files = re.findall(r"^\| `(\w+)\.py` ", table, re.MULTILINE)
    assert files[0] == "errors"
    assert files[-1] == "backward"
    assert len(files) == 9


def test_what_a_page_is_about_is_its_first_paragraph(build):
    sentence = build("describing").sentence
    assert sentence("<h1>Hooks</h1>\n<p>A <em>hook</em> is a function\nof yours.</p>") == (
        "A hook is a function of yours."
    )
    assert sentence(f"<p>{'word ' * 99}</p>").endswith("word …")
    assert sentence("<pre>code</pre>") == ""


def test_the_gallery_has_all_programs(build):
    pictures = build("pictures")
    text = pictures.fill("[[gallery]]")
    for path in (DOCS / "images").glob("*.svg"):
        if path.stem != "digits":
            assert pictures.MARK.format(path.stem) in text


def test_each_program_of_the_gallery_can_be_pasted(build, monkeypatch):
    pictures, saved = build("pictures"), []

    class Drawn:
        def save(self, path):
            saved.append(path)

    monkeypatch.setattr(glassgrad, "draw", lambda *_, **__: Drawn())
    monkeypatch.setattr(glassgrad.viz.Drawing, "save", Drawn.save)
    gallery = pictures._gallery()
    for name in (*gallery.PROGRAMS, *gallery.WAYS):
        code = pictures.snippet(gallery, name)
        exec(compile(code, f"{name}.py", "exec"), {"__name__": "__main__"})
        assert saved.pop() == f"{name}.svg"


def test_the_search_has_names_as_they_are_typed_and_short_ones_first(build, tmp_path):
    shown = {
        "reference/nn/#glassgrad.nn.Linear": "Linear",
        "reference/tracing/#glassgrad.tracing.Trace.outputs": "outputs  <code>property</code>",
        "reference/errors/#glassgrad.core.errors.DimError": "DimError",
        "reference/tensor/#glassgrad.ops.conversion.cuda": "Tensor.cuda",
        "guides/drawing/#face-to-face": "Face to <code>face</code>",
    }
    index = tmp_path / "search_index.json"
    entries = [{"location": at, "title": title, "text": ""} for at, title in shown.items()]
    index.write_text(json.dumps({"config": {}, "docs": entries}), "utf-8")
    build("searching").mend(index)
    docs = json.loads(index.read_text("utf-8"))["docs"]
    titles = ["nn.Linear", "tracing.Trace.outputs", "errors.DimError", "Tensor.cuda"]
    assert [entry["title"] for entry in docs] == [*titles, "Face to <code>face</code>"]
    assert docs[0]["boost"] > docs[1]["boost"]
    assert "boost" not in docs[-1]


def test_ids_of_a_figure_are_its_own(build):
    figure = build("showing").stored("neuron")
    assert ' id="neuron-' in figure
    assert not re.search(r' id="(?!neuron-)', figure)


def test_what_colours_a_picture_is_in_the_sheet_of_the_pages(build):
    # Pages have one style sheet for all pictures: those in the pictures are left out.
    rule = re.compile(r"^\.gg [^{]+\{[^}]*var\(--gg-[^}]*\}", re.MULTILINE)
    wanted = {
        found
        for path in (DOCS / "images").glob("*.svg")
        for found in rule.findall(path.read_text("utf-8"))
    }
    assert len(wanted) > 50
    assert wanted - set(rule.findall(build("shared").style())) == set()


def test_the_table_of_operators_has_them_all(build):
    table = build("operators").table()
    names = (ROOT / "tests" / "ops" / "opinfo.txt").read_text("utf-8").split()
    for name in names:
        assert f"<div><div><code>{name}</code></div>" in table
    assert table.count("\n<div><div>") == len(names) + 1
    assert "<mi>tanh</mi>" in table


def test_an_operator_has_the_formulas_of_its_op_or_the_names_of_several(build):
    formulas = build("operators").formulas
    assert formulas("tanh").count("<math>") == 3
    assert formulas("nn.functional.conv2d", ["Convolution"]).count("<math>") >= 2
    assert formulas("cov", ["Div", "Mm"]) == "made of Div, Mm"
    assert formulas("arange") == "–"


SIGNATURES = [
    f"def xxxxxxx({'x' * 30}: tuple[int, int], *, size: float = 1.0) -> Tensor: pass",
    f'def xxxxxxx({"x" * 20}: int, y: tuple[int, int], /, *z, text: str = ",") -> Tensor: pass',
    f"def xxxxxxx({'x' * 60}: dict[str, int]) -> Callable[[Tensor], Tensor]: pass",
]


@pytest.mark.parametrize("code", SIGNATURES)
def test_long_signatures_are_broken_as_ruff_breaks_them(code, build, monkeypatch):
    pytest.importorskip("mkdocstrings_handlers")
    signatures = build("signatures")
    expected = signatures.ruff(code, 60)
    monkeypatch.setattr(signatures, "ruff", None)  # nobody asks it
    if "x" * 60 in code:
        monkeypatch.setattr(signatures, "ruff", lambda *_: expected)
    assert signatures.broken(code, 60) == expected
