"""A recorded backward pass, seen: as a picture, as a page that plays it, as text."""

from glassgrad.viz.drawing import Drawing, draw
from glassgrad.viz.explain import Explanation, explain
from glassgrad.viz.graph import Arc, Cluster, Graph, Vertex
from glassgrad.viz.html import Player, player
from glassgrad.viz.snapshot import graph_of
from glassgrad.viz.text import text_view

__all__ = [
    "Drawing",
    "draw",
    "Explanation",
    "explain",
    "Player",
    "player",
    "Arc",
    "Cluster",
    "Graph",
    "Vertex",
    "graph_of",
    "text_view",
]
