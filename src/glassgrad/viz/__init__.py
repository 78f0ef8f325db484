"""A recorded backward pass, seen: as a picture, as a page that plays it, as text."""

from glassgrad.viz.drawing import Drawing, draw
from glassgrad.viz.html import Player, player
from glassgrad.viz.snapshot import Arc, Graph, Vertex, snapshot
from glassgrad.viz.text import text_view

__all__ = ["Drawing", "draw", "Player", "player", "Graph", "Vertex", "Arc", "snapshot", "text_view"]
