"""Real data that comes with glassgrad, and the loader that deals it out in batches."""

from glassgrad.utils.data import DataLoader, Dataset, TensorDataset, random_split

from .digits import Digits, load_digits
from .text import load_text

__all__ = [
    "DataLoader",
    "Dataset",
    "Digits",
    "TensorDataset",
    "load_digits",
    "load_text",
    "random_split",
]
