"""A text to learn letters from: the first chapter of Alice's Adventures in Wonderland.

Source: Lewis Carroll, 1865, in the Millennium Fulcrum Edition 2.9 of Project Gutenberg. Public
domain; `README.md` beside this file says where the file is from.
"""

from pathlib import Path

__all__ = ["load_text"]

_SHIPPED = Path(__file__).parent / "alice.txt"


def load_text() -> str:
    """The first chapter of *Alice's Adventures in Wonderland*, as one text of plain ASCII.

    It is in the public domain, and small enough to train on while you wait.

    Returns:
        The 11,319 characters of the chapter, line ends included, of 63 kinds.

    Example:
        >>> load_text()[:43]
        '  Alice was beginning to get very tired of '
    """
    return _SHIPPED.read_text("ascii")
