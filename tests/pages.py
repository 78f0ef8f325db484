"""What a player's page carries: the data that its script unpacks."""

import base64
import json
import re
import zlib

__all__ = ["data_of", "unpack"]


def unpack(text):
    """What `pack` was given."""
    return json.loads(zlib.decompress(base64.b64decode(text)))


def data_of(page):
    """The data in the HTML of a page."""
    text = re.search(r'<script type="application/zlib" class="gg-data">(.*?)</script>', page, re.S)
    return unpack(text[1])
