"""Text that is cut to fit, where a box is as large as it is."""

from glassgrad.viz.style import TITLE_SIZE, text_width

__all__ = ["PAD", "cut_title"]

PAD = 12.0  # px that a bar keeps free, left and right together


def cut_title(title: str, width: float) -> str:
    """As much of `title` as fits into a bar of `width` px; nothing if that is too little.

    Example:
        >>> cut_title("layer12", 100.0), cut_title("layer12", 50.0), cut_title("layer12", 15.0)
        ('layer12', 'laye…', '')
    """
    while title and text_width(title, TITLE_SIZE, bold=True) > width - PAD:
        title = title[:-2] + "…" if len(title) > 3 else ""
    return title
