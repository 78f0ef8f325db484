"""What a player's page carries: the data that its script unpacks."""

import re

from glassgrad.viz.players.replay import unpack

__all__ = ["data_of"]


def data_of(page):
    """The data in the HTML of a page."""
    text = re.search(r'<script type="application/zlib" class="gg-data">(.*?)</script>', page, re.S)
    return unpack(text[1])
