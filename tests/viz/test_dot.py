import re
import shutil
import subprocess

import pytest

from glassgrad.tracing import Trace
from glassgrad.viz import Arc, Graph, Vertex, draw, snapshot
from glassgrad.viz.dot import to_dot

NAMES = ['a|b{"', "<script>alert(1)</script>", "a\\N\\l", "}; evil [", "ε→", "a\nb\x00", "\ud800"]


def test_the_dot_of_a_small_graph():
    graph = Graph(
        (Vertex("n1", "function", "MulBackward0", "#1"), Vertex("n0", "accumulate", "A", "Σ")),
        (Arc("e1-0", "n1", "n0", label="in0"), Arc("d1-0", "n1", "n0", "saved")),
        "Backward graph",
        "2 nodes",
    )
    assert to_dot(graph, labels=False).splitlines() == [
        "digraph backward {",
        "  graph [rankdir=LR, nodesep=0.32, ranksep=0.5]",
        '  node [shape=box, fixedsize=true, label=""]',
        '  "n1" [id="n1", width=2.1389, height=0.4167]',
        '  "n0" [id="n0", width=1.0278, height=0.4167]',
        '  "n1" -> "n0" [id="e1-0", tailport=e, headport=w, weight=2, label="in0", fontsize=10]',
        (
            '  "n1" -> "n0" [id="d1-0", style=dashed, dir=none, weight=0, constraint=false, '
            "tailport=s, headport=s]"
        ),
        "}",
    ]


def test_every_vertex_and_arc_has_its_id(samples):
    graph = snapshot(samples.mlp())
    ids = re.findall(r'\[id="([^"]+)"', to_dot(graph))
    assert ids == [each.id for each in (*graph.vertices, *graph.arcs)]


def test_a_note_stands_beside_its_first_holder(samples):
    text = to_dot(snapshot(samples.mlp()))
    assert '{ rank=same; "n6"; "s1" }' in text or re.search(r'rank=same; "n\d"; "s\d"', text)


@pytest.mark.skipif(not shutil.which("dot"), reason="the `dot` program is not on this machine")
@pytest.mark.parametrize("name", NAMES)
def test_graphviz_reads_any_name_and_shows_it_as_text(name, samples):
    text = draw(samples.hostile(name)).dot
    done = subprocess.run(["dot", "-Tsvg"], input=text.encode(), capture_output=True, check=True)
    svg = done.stdout.decode()
    assert "<script" not in svg
    assert b"syntax error" not in done.stderr
    assert re.search(r'id="n1" class="node', svg)


def test_a_chain_of_five_thousand_is_written_without_recursion(samples):
    graph = snapshot(samples.chain(1_400))
    assert to_dot(graph).count("->") == 1_401


def test_themes_write_their_own_colours():
    graph = snapshot(
        Trace({"nodes": [{"id": "n0", "op": "A", "seq": 0, "edges": []}], "leaves": []})
    )
    assert 'bgcolor="#FFFFFF"' in to_dot(graph)
    assert 'bgcolor="#0D1117"' in to_dot(graph, theme="dark")
