"""The page about PyTorch needs torch, which the build has not: its examples run here."""

import doctest
import re
from pathlib import Path

import pytest

from glassgrad.tracing import Trace

torch = pytest.importorskip("torch")

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "guides" / "pytorch.md"


@pytest.fixture(scope="module")
def names():
    """What the page's examples have defined in the end; each printed what the page says."""
    examples = "\n".join(
        re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.S | re.M)
    )
    test = doctest.DocTestParser().get_doctest(examples, {}, PAGE.name, str(PAGE), 0)
    assert len(test.examples) > 10
    said = []
    with torch.enable_grad():
        runner = doctest.DocTestRunner(verbose=False)
        assert runner.run(test, out=said.append, clear_globs=False).failed == 0, "".join(said)
    return test.globs


def test_the_examples_print_what_the_page_says(names):
    assert names["trace"].events


def test_the_picture_is_of_the_recorded_pass(names):
    """`names["trace"].save(DOCS / "traces" / "torch.json")` makes it anew."""
    stored = Trace.load(DOCS / "traces" / "torch.json")
    assert what_is_drawn(stored) == what_is_drawn(names["trace"])


def what_is_drawn(trace):
    saved = [[entry["name"] for entry in node.get("saved", ())] for node in trace.nodes]
    nodes = [(node["op"], node["edges"], node["shape"]) for node in trace.nodes]
    return nodes, saved, trace.leaves, trace.schedule()
