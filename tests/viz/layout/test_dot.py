import re
import shutil
import subprocess

import pytest

import glassgrad as gg
from glassgrad.tracing import Trace
from glassgrad.viz import Arc, Graph, Vertex, draw, graph_of
from glassgrad.viz.layout.dot import to_dot
from glassgrad.viz.scene.graph import Look

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
        '  "n1" [id="n1", width=2.5000, height=0.4167]',
        '  "n0" [id="n0", width=1.3056, height=0.4167]',
        '  "n1" -> "n0" [id="e1-0", tailport=e, headport=w, weight=2, label="in0", fontsize=10]',
        "}",
    ]


def test_every_vertex_and_arc_has_its_id(samples):
    graph = graph_of(samples.mlp())
    ids = re.findall(r'\[id="([^"]+)"', to_dot(graph))
    ids = [name for name in ids if name not in {cluster.id for cluster in graph.clusters}]
    assert ids == [each.id for each in (*graph.vertices, *graph.arcs)]


def test_a_note_stands_beside_its_first_holder(samples):
    text = to_dot(graph_of(samples.mlp()))
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
    graph = graph_of(samples.chain(5_000), Look(fold=False))
    assert to_dot(graph).count("->") == 5_001


def test_themes_write_their_own_colours():
    graph = graph_of(
        Trace({"nodes": [{"id": "n0", "op": "A", "seq": 0, "edges": []}], "leaves": []})
    )
    assert 'bgcolor="#FFFFFF"' in to_dot(graph)
    assert 'bgcolor="#0D1117"' in to_dot(graph, theme="dark")


def test_hooks_frames_and_flow_are_in_the_text():
    a = gg.tensor([1.0, 2.0], requires_grad=True)
    with gg.scope("one"):
        b = (a * 2).tanh()
    with gg.scope("two"):
        c = (b * 0).exp()

    def evil(grad):
        return grad

    evil.__name__ = '<b>"evil"'
    c.register_hook(evil)
    text = draw(gg.record(c.sum()), flow=True).dot
    assert 'subgraph "cluster_c0" {' in text
    assert "H1 &lt;b&gt;&quot;evil&quot;" in text
    assert "style=dotted" in text
    assert "penwidth=6.2" in text


@pytest.mark.skipif(not shutil.which("dot"), reason="the `dot` program is not on this machine")
@pytest.mark.parametrize("picture", ["overview", "failed", "compared", "mirror", "grown", "views"])
def test_graphviz_reads_every_kind_of_picture(picture, samples):
    x = gg.tensor([[1.0, 2.0]], requires_grad=True)
    if picture == "overview":
        drawing = draw(samples.chain(1_600))
    elif picture == "failed":
        trace = gg.snapshot(x.exp().sum())
        event = {"k": 0, "type": "error", "node": "n1", "error": "ValueError", "message": "no"}
        drawing = draw(Trace(trace.graph, trace.arrays, [event]))
    elif picture == "compared":
        drawing = draw(gg.compare(gg.snapshot(x.exp().sum()), gg.snapshot(x.sin().exp().sum())))
    elif picture == "mirror":
        drawing = draw(samples.mlp(), mirror=True)
    elif picture == "grown":
        drawing = draw(gg.record(x.tanh().sum(), create_graph=True))
    else:
        drawing = draw((x * 2).T[0])
    command = ["dot", "-Tsvg"]
    done = subprocess.run(command, input=drawing.dot.encode(), capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
