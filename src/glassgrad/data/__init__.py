"""Real data that comes with glassgrad, and the loader that deals it out in batches."""

from glassgrad.utils.data import DataLoader, Dataset, TensorDataset, random_split

from .digits import Digits, load_digits

__all__ = ["DataLoader", "Dataset", "Digits", "TensorDataset", "load_digits", "random_split"]
