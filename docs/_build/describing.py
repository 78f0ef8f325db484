"""What a page is about, for search engines and link previews: its first paragraph of words."""

import re
from html import unescape

PARAGRAPH = re.compile(r"<p>(.+?)</p>", re.DOTALL)
TAG = re.compile(r"<[^>]+>")
MOST = 160  # letters: what is longer is cut off where it is shown


def sentence(html: str) -> str:
    """The beginning of the page's text, in whole words; empty if it has none."""
    for found in PARAGRAPH.finditer(html):
        text = " ".join(unescape(TAG.sub("", found[1])).split())
        if len(text) > 20 and "formula-" not in text and not text.startswith("Open notebooks/"):
            return text if len(text) <= MOST else f"{text[:MOST].rpartition(' ')[0]} …"
    return ""
