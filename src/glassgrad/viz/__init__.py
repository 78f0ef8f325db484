"""A recorded backward pass, seen: as a picture, as a page that plays it, as text."""

from glassgrad.viz.drawing import Drawing, draw
from glassgrad.viz.explain import Explanation, explain
from glassgrad.viz.graph import Arc, Cluster, Graph, Vertex
from glassgrad.viz.html import Player
from glassgrad.viz.live import LivePlayer, player
from glassgrad.viz.snapshot import graph_of
from glassgrad.viz.text import text_view

__all__ = [
    # pictures
    "draw",
    "Drawing",
    # players
    "player",
    "Player",
    "LivePlayer",
    # one node
    "explain",
    "Explanation",
    # text
    "text_view",
    # what pictures are made of
    "graph_of",
    "Graph",
    "Vertex",
    "Arc",
    "Cluster",
]
