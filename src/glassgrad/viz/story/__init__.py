"""The story of a pass: for each node one sentence of what it did (`sentences.py`)."""

from .sentences import Story, last_sentence

__all__ = ["Story", "last_sentence"]
