"""A recorded backward pass, seen: as a picture, as a page that plays it, as text. In reading order:

memory      which memory a pass frees
results     what a pass left behind, read from its trace
wording     how glassgrad puts things; a pass as plain text
style       what each kind of thing looks like
scene/      what a picture shows, in words and without places
layout/     where everything of it goes
svg/        the picture itself
overview    graphs of thousands of nodes at a glance
drawing     `gg.draw`
explaining/ `gg.explain`: one node in words, formulas and numbers, and checked
players/    `gg.player`: the pass on a page, and live in a notebook
"""

from glassgrad.viz.drawing import Drawing, draw
from glassgrad.viz.explaining.explain import Explanation, explain
from glassgrad.viz.players.html import Player
from glassgrad.viz.players.live import LivePlayer, player
from glassgrad.viz.scene.graph import Arc, Cluster, Graph, Vertex, graph_of
from glassgrad.viz.wording import text_view

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
